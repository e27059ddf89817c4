//! Where the server is and the few words the story uses. Knows no operation by itself.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, retry::RetryConfig};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, KeySchemaElement, KeyType, Projection, ProjectionType,
    ScalarAttributeType,
};
use std::collections::HashMap;

/// An item as the SDK has it.
pub type Item = HashMap<String, AttributeValue>;

/// A client of the server that LARDER_ENDPOINT names. It never retries: an answer is right the first time.
pub fn client() -> Client {
    let endpoint = std::env::var("LARDER_ENDPOINT").unwrap_or_else(|_| "http://127.0.0.1:8000".to_owned());
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .endpoint_url(endpoint)
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("story", "story", None, None, "story"))
        .retry_config(RetryConfig::disabled())
        .build();
    Client::from_conf(config)
}

/// A string value.
pub fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// A number value.
pub fn n(number: impl ToString) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// An item of the given attributes.
pub fn item<const COUNT: usize>(attributes: [(&str, AttributeValue); COUNT]) -> Item {
    attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// An attribute definition.
pub fn attribute(name: &str, kind: ScalarAttributeType) -> AttributeDefinition {
    AttributeDefinition::builder()
        .attribute_name(name)
        .attribute_type(kind)
        .build()
        .expect("both fields are set")
}

/// A key schema: the first name is the partition key.
pub fn keys(names: &[&str]) -> Vec<KeySchemaElement> {
    names
        .iter()
        .enumerate()
        .map(|(place, name)| {
            let kind = if place == 0 { KeyType::Hash } else { KeyType::Range };
            KeySchemaElement::builder()
                .attribute_name(*name)
                .key_type(kind)
                .build()
                .expect("both fields are set")
        })
        .collect()
}

/// What an index carries.
pub fn projection(kind: ProjectionType, included: &[&str]) -> Projection {
    let included = (!included.is_empty()).then(|| included.iter().map(|name| (*name).to_owned()).collect());
    Projection::builder().projection_type(kind).set_non_key_attributes(included).build()
}
