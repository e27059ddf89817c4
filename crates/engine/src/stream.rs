//! Streams: parts of a table's log that can be read for a day. A stream is a chain of shards, each the parent of the next;
//! from time to time the open one is closed and a new one opened. Knows no requests.

pub(crate) mod describe_stream;
pub(crate) mod get_records;
pub(crate) mod get_shard_iterator;
mod iterator;
pub(crate) mod list_streams;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use op::{Error, Kind, StreamView};
use storage::Stamp;

use crate::Engine;
use crate::env::Env;
use crate::log::stamp_of;
use crate::schema::{Log, Shard, Stream, Table};

/// How long records can be read, and a stream that was switched off.
pub(crate) const RETENTION_MS: u64 = 24 * HOUR_MS;
/// How long a shard is open.
pub(crate) const SHARD_MS: u64 = 4 * HOUR_MS;
/// A shard that has grown to this is closed earlier.
const SHARD_BYTES: u64 = 64 * 1024 * 1024;
const HOUR_MS: u64 = 60 * 60 * 1000;

/// Begins a stream over a log.
pub(crate) fn begin(
    log: &mut Log,
    env: &dyn Env,
    (label, arn): (String, String),
    view: StreamView,
    from: Stamp,
) {
    let now_ms = env.now_ms();
    let shards = vec![shard(env, now_ms, None, from)];
    let stream = Stream { label, arn, view, created_ms: now_ms, ended_ms: None, shards };
    log.grown.store(0, Ordering::Relaxed);
    log.streams.push(stream);
}

/// Ends the stream of a table, if one goes on.
pub(crate) fn end(table: &mut Table, now_ms: u64, at: Stamp) {
    let Some(stream) = table.log.as_mut().and_then(|log| log.streams.last_mut()) else { return };
    if stream.ended_ms.is_none() {
        stream.ended_ms = Some(now_ms);
        close(stream, at);
    }
}

/// Closes the open shard and opens its child.
pub(crate) fn roll(table: &mut Table, env: &dyn Env, at: Stamp) {
    let Some(log) = &mut table.log else { return };
    let Some(stream) = log.streams.last_mut().filter(|stream| stream.ended_ms.is_none()) else { return };
    let parent = close(stream, at);
    stream.shards.push(shard(env, env.now_ms(), parent, at));
    log.grown.store(0, Ordering::Relaxed);
}

/// Whether the open shard has been open for long, or has grown large.
pub(crate) fn wants_to_roll(log: &Log, now_ms: u64) -> bool {
    let open = log.stream().and_then(|stream| stream.shards.last());
    open.is_some_and(|shard| {
        now_ms >= shard.created_ms.saturating_add(SHARD_MS)
            || log.grown.load(Ordering::Relaxed) >= SHARD_BYTES
    })
}

/// Where what can be read begins.
pub(crate) fn horizon(now_ms: u64) -> Stamp {
    stamp_of(now_ms.saturating_sub(RETENTION_MS))
}

/// Takes away what cannot be read any more: streams that ended long ago and shards of which all is over.
pub(crate) fn shed(log: &mut Log, now_ms: u64) {
    let is_over = |ms: u64| ms.saturating_add(RETENTION_MS) < now_ms;
    log.streams.retain(|stream| !stream.ended_ms.is_some_and(is_over));
    for stream in &mut log.streams {
        stream.shards.retain(|shard| shard.to.is_none_or(|to| to > horizon(now_ms)));
    }
}

/// A stream by its ARN, with the table it belongs to, which may be deleted.
pub(crate) fn find(engine: &Engine, arn: &str) -> Option<(Arc<Table>, Stream)> {
    engine.catalog.here_and_gone().into_iter().find_map(|table| {
        let stream = table.log.as_ref()?.streams.iter().find(|stream| stream.arn == arn)?.clone();
        (!is_over(&stream, engine.env.now_ms())).then_some((table, stream))
    })
}

/// Whether a stream ended so long ago that it cannot be read any more.
pub(crate) fn is_over(stream: &Stream, now_ms: u64) -> bool {
    stream.ended_ms.is_some_and(|ended_ms| ended_ms.saturating_add(RETENTION_MS) < now_ms)
}

/// A stream that is not there.
fn not_found(arn: &str) -> Error {
    Error::new(Kind::ResourceNotFound, format!("Requested resource not found: Stream: {arn} not found"))
}

/// Records that were there and can be read no more.
fn trimmed() -> Error {
    Error::new(
        Kind::TrimmedDataAccess,
        "The operation attempted to read past the oldest stream record in a shard.",
    )
}

/// Closes the open shard; answers its name.
fn close(stream: &mut Stream, at: Stamp) -> Option<String> {
    let open = stream.shards.last_mut()?;
    open.to.get_or_insert(at);
    Some(open.id.clone())
}

fn shard(env: &dyn Env, now_ms: u64, parent: Option<String>, from: Stamp) -> Shard {
    let id = format!("shardId-{now_ms:020}-{:08x}", env.random() >> 32);
    Shard { id, parent, created_ms: now_ms, from, to: None }
}
