//! Every example of the exported Rust layers against a running server: `design-story ENDPOINT WRITES`, where WRITES are the
//! patterns that return nothing, with commas. The layers are written to `target/generated` before this is compiled.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, retry::RetryConfig};

#[path = "../target/generated/aura_historia.rs"]
mod aura_historia;
#[path = "../target/generated/lunch_cache.rs"]
mod lunch_cache;
#[path = "../target/generated/nishiki.rs"]
mod nishiki;
#[path = "../target/generated/smart_cooking.rs"]
mod smart_cooking;
#[path = "../target/generated/stock_price_cache.rs"]
mod stock_price_cache;

/// Seeds the samples and runs every example; the layers share their shape but no types.
macro_rules! story {
    ($layer:ident, $client:expr, $writes:expr) => {{
        let store = $layer::Store::new($client.clone());
        for (pattern, expected) in $layer::EXPECTED {
            for (_, table, item) in $layer::samples() {
                $client.put_item().table_name(store.table(table)).set_item(Some(item)).send().await?;
            }
            let got = $layer::example(&store, pattern).await;
            let is_right = match (&got, expected) {
                (Ok(_), None) => true,
                (Ok(_), Some(Ok(_))) if $writes.contains(pattern) => true,
                (Ok(count), Some(Ok(wanted))) => count == wanted,
                (Err(error), Some(Err(wanted))) => error.code() == Some(wanted),
                _ => false,
            };
            if !is_right {
                return Err(format!("{pattern}: expected {expected:?}, got {got:?}").into());
            }
        }
        $layer::EXPECTED.len()
    }};
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let endpoint = arguments.next().ok_or("which endpoint?")?;
    let writes = arguments.next().unwrap_or_default();
    let writes: Vec<&str> = writes.split(',').collect();
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .endpoint_url(endpoint)
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("story", "story", None, None, "story"))
        .retry_config(RetryConfig::disabled())
        .build();
    let client = Client::from_conf(config);
    let patterns = story!(lunch_cache, client, writes)
        + story!(stock_price_cache, client, writes)
        + story!(nishiki, client, writes)
        + story!(smart_cooking, client, writes)
        + story!(aura_historia, client, writes);
    println!("{patterns} patterns");
    Ok(())
}
