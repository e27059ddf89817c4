//! Creates the tables and loads the same items into every server, by batches over a few connections.
//!
//! Nothing here is measured.

use crate::connection::Connection;
use crate::random::{Letters, Random};
use crate::request::Request;
use crate::table::Table;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::task::JoinSet;

const CONNECTIONS: u64 = 8;
const BATCH: u64 = 25;
const TIME_LIMIT: Duration = Duration::from_secs(600);
/// A batch answer longer than this names items that were left out.
const BATCH_ANSWER_BYTES_MAX: usize = 60;

/// Makes some tables with `items` items each.
pub(crate) fn fill(
    address: SocketAddr,
    tables: &[Table],
    items: u64,
    letters: &Letters,
) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let work = async {
        for table in tables {
            create(address, *table, letters).await?;
            load(address, *table, items, letters).await?;
        }
        Ok(())
    };
    runtime.block_on(async {
        let late = || Err(format!("the items were not loaded within {TIME_LIMIT:?}"));
        tokio::time::timeout(TIME_LIMIT, work).await.unwrap_or_else(|_| late())
    })
}

async fn create(address: SocketAddr, table: Table, letters: &Letters) -> Result<(), String> {
    let mut connection = open(address).await?;
    let mut create = Request::fixed("CreateTable", &table.create_body(), letters);
    send(&mut connection, &mut create, &mut Random::new(0)).await?;
    let body = format!(r#"{{"TableName":"{}"}}"#, table.name());
    let mut describe = Request::fixed("DescribeTable", &body, letters);
    loop {
        let answer = send(&mut connection, &mut describe, &mut Random::new(0)).await?;
        if answer.contains(r#""TableStatus":"ACTIVE""#) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    if let Some((operation, body)) = table.prepare() {
        let mut prepare = Request::fixed(operation, &body, letters);
        send(&mut connection, &mut prepare, &mut Random::new(0)).await?;
    }
    Ok(())
}

async fn load(address: SocketAddr, table: Table, items: u64, letters: &Letters) -> Result<(), String> {
    let mut tasks = JoinSet::new();
    for lane in 0..CONNECTIONS {
        tasks.spawn(load_lane(address, table, items, lane, letters.clone()));
    }
    while let Some(joined) = tasks.join_next().await {
        joined.map_err(|error| error.to_string())??;
    }
    Ok(())
}

/// Loads every batch whose number falls to this lane.
async fn load_lane(
    address: SocketAddr,
    table: Table,
    items: u64,
    lane: u64,
    letters: Letters,
) -> Result<(), String> {
    let mut connection = open(address).await?;
    for batch in (lane..items.div_ceil(BATCH)).step_by(CONNECTIONS as usize) {
        let numbers = batch * BATCH..items.min((batch + 1) * BATCH);
        let put = |number| format!(r#"{{"PutRequest":{{"Item":{}}}}}"#, table.item(number));
        let puts: Vec<String> = numbers.map(put).collect();
        let body = format!(r#"{{"RequestItems":{{"{}":[{}]}}}}"#, table.name(), puts.join(","));
        let mut request = Request::fixed("BatchWriteItem", &body, &letters);
        let answer = send(&mut connection, &mut request, &mut Random::new(batch)).await?;
        if answer.len() > BATCH_ANSWER_BYTES_MAX {
            return Err("a batch of the load was not processed whole".to_owned());
        }
    }
    Ok(())
}

async fn open(address: SocketAddr) -> Result<Connection, String> {
    Connection::open(address).await.map_err(|error| format!("cannot connect: {error}"))
}

async fn send(
    connection: &mut Connection,
    request: &mut Request,
    random: &mut Random,
) -> Result<String, String> {
    let answer = connection.exchange(request.next(random)).await.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(answer.body).into_owned();
    if answer.status == 200 {
        return Ok(text);
    }
    Err(format!("loading: HTTP {}: {}", answer.status, text.chars().take(160).collect::<String>()))
}
