//! Creates the tables and loads the same items into every server, by batches over a few connections.
//!
//! Nothing here is measured.

use crate::connection::Connection;
use crate::random::{Letters, Random};
use crate::request::Request;
use crate::table::Table;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

const CONNECTIONS: u64 = 8;
/// Loads of millions are synced in larger groups.
const CONNECTIONS_TO_GROW: u64 = 32;
const BATCH: u64 = 25;
const TIME_LIMIT: Duration = Duration::from_secs(600);
const TIME_LIMIT_TO_GROW: Duration = Duration::from_secs(3600);
const TELL_EVERY: Duration = Duration::from_millis(500);
/// A batch answer longer than this names items that were left out.
const BATCH_ANSWER_BYTES_MAX: usize = 60;

/// Makes some tables with `items` items each.
pub(crate) fn fill(
    address: SocketAddr,
    tables: &[Table],
    items: u64,
    letters: &Letters,
) -> Result<(), String> {
    let work = async {
        for table in tables {
            create(address, *table, letters).await?;
            Lanes { address, table: *table, numbers: 0..items, count: CONNECTIONS }
                .load(letters, &mut |_| ())
                .await?;
        }
        Ok(())
    };
    runtime()?.block_on(async {
        let late = || Err(format!("the items were not loaded within {TIME_LIMIT:?}"));
        tokio::time::timeout(TIME_LIMIT, work).await.unwrap_or_else(|_| late())
    })
}

/// Makes the table that is grown, without items.
pub(crate) fn create_alone(address: SocketAddr, table: Table, letters: &Letters) -> Result<(), String> {
    runtime()?.block_on(create(address, table, letters))
}

/// Adds the items of these numbers to a table; `tell` hears every now and then how many are in.
pub(crate) fn grow(
    address: SocketAddr,
    table: Table,
    numbers: Range<u64>,
    letters: &Letters,
    tell: &mut dyn FnMut(u64),
) -> Result<(), String> {
    let lanes = Lanes { address, table, numbers, count: CONNECTIONS_TO_GROW };
    runtime()?.block_on(async {
        let late = || Err(format!("the items were not loaded within {TIME_LIMIT_TO_GROW:?}"));
        tokio::time::timeout(TIME_LIMIT_TO_GROW, lanes.load(letters, tell)).await.unwrap_or_else(|_| late())
    })
}

fn runtime() -> Result<tokio::runtime::Runtime, String> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())
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

/// Some connections that share a load.
struct Lanes {
    address: SocketAddr,
    table: Table,
    numbers: Range<u64>,
    count: u64,
}

impl Lanes {
    async fn load(&self, letters: &Letters, tell: &mut dyn FnMut(u64)) -> Result<(), String> {
        let loaded = Arc::new(AtomicU64::new(0));
        let mut tasks = JoinSet::new();
        for number in 0..self.count {
            let step = BATCH * self.count;
            let firsts = (self.numbers.start + number * BATCH..self.numbers.end).step_by(step as usize);
            let batches: Vec<Range<u64>> =
                firsts.map(|first| first..self.numbers.end.min(first + BATCH)).collect();
            let lane = load_lane(self.address, self.table, batches, letters.clone(), Arc::clone(&loaded));
            tasks.spawn(lane);
        }
        let mut clock = tokio::time::interval(TELL_EVERY);
        loop {
            tokio::select! {
                joined = tasks.join_next() => match joined {
                    Some(joined) => joined.map_err(|error| error.to_string())??,
                    None => return Ok(()),
                },
                _ = clock.tick() => tell(loaded.load(Ordering::Relaxed)),
            }
        }
    }
}

/// Loads the batches of one lane.
async fn load_lane(
    address: SocketAddr,
    table: Table,
    batches: Vec<Range<u64>>,
    letters: Letters,
    loaded: Arc<AtomicU64>,
) -> Result<(), String> {
    let mut connection = open(address).await?;
    for numbers in batches {
        let (first, count) = (numbers.start, numbers.end - numbers.start);
        let put = |number| format!(r#"{{"PutRequest":{{"Item":{}}}}}"#, table.item(number));
        let puts: Vec<String> = numbers.map(put).collect();
        let body = format!(r#"{{"RequestItems":{{"{}":[{}]}}}}"#, table.name(), puts.join(","));
        let mut request = Request::fixed("BatchWriteItem", &body, &letters);
        let answer = send(&mut connection, &mut request, &mut Random::new(first)).await?;
        if answer.len() > BATCH_ANSWER_BYTES_MAX {
            return Err("a batch of the load was not processed whole".to_owned());
        }
        loaded.fetch_add(count, Ordering::Relaxed);
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
