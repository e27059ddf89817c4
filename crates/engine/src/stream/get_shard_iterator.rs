//! GetShardIterator: a place in a shard from which to read.

use op::{Error, GetShardIterator, Kind, Output, ShardPosition};
use storage::Stamp;

use super::iterator::Iterator;
use super::{find, horizon, not_found};
use crate::Engine;
use crate::log::{Position, stamp_of};
use crate::schema::{Shard, Stream};

pub(crate) fn run(engine: &Engine, request: &GetShardIterator) -> Result<Output, Error> {
    let (_, stream) = find(engine, &request.arn).ok_or_else(|| not_found(&request.arn))?;
    let now_ms = engine.env.now_ms();
    let horizon = horizon(now_ms);
    let shard = shard(&stream, &request.shard, horizon)?;
    let position = position(shard, &request.position, horizon, engine.store.last_stamp())?;
    let iterator = Iterator { arn: stream.arn.clone(), shard: shard.id.clone(), position, made_ms: now_ms };
    Ok(Output::ShardIterator(iterator.text()))
}

/// A shard that is still there.
pub(super) fn shard<'a>(stream: &'a Stream, id: &str, horizon: Stamp) -> Result<&'a Shard, Error> {
    let found = stream.shards.iter().find(|shard| shard.id == id);
    found.filter(|shard| shard.to.is_none_or(|to| to > horizon)).ok_or_else(|| {
        let message =
            format!("Requested resource not found: Shard: {id} in Stream: {} not found", stream.arn);
        Error::new(Kind::ResourceNotFound, message)
    })
}

fn position(shard: &Shard, asked: &ShardPosition, horizon: Stamp, last: Stamp) -> Result<Position, Error> {
    let first = Position::at(shard.from.max(horizon));
    let end = shard.to.map(Position::at);
    let within = |position: Position| end.map_or(position, |end| position.min(end));
    match asked {
        ShardPosition::TrimHorizon => Ok(first),
        ShardPosition::Latest => Ok(within(Position::at(Stamp(last.0.saturating_add(1))).max(first))),
        ShardPosition::AtTime(ms) => Ok(within(Position::at(stamp_of(*ms)).max(first))),
        ShardPosition::At(number) => numbered(shard, number, first),
        ShardPosition::After(number) => numbered(shard, number, first).map(Position::next),
    }
}

/// The place of a sequence number of a shard.
fn numbered(shard: &Shard, number: &str, first: Position) -> Result<Position, Error> {
    let position = Position::from_sequence_number(number);
    let outside = |position: &Position| {
        *position < Position::at(shard.from) || shard.to.is_some_and(|to| position.stamp >= to)
    };
    let position = position.filter(|position| !outside(position)).ok_or_else(|| {
        let message = format!("The sequence number {number} is not in the range of the shard {}", shard.id);
        Error::invalid(message)
    })?;
    if position < first {
        return Err(super::trimmed());
    }
    Ok(position)
}
