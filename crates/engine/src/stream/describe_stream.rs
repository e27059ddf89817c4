//! DescribeStream: a stream and a page of its shards, the oldest first.

use op::{DescribeStream, Error, Output, StreamDescription, StreamStatus};

use super::{find, horizon, not_found};
use crate::Engine;
use crate::log::Position;
use crate::schema::Shard;

pub(crate) fn run(engine: &Engine, request: &DescribeStream) -> Result<Output, Error> {
    let (table, stream) = find(engine, &request.arn).ok_or_else(|| not_found(&request.arn))?;
    let horizon = horizon(engine.env.now_ms());
    let shards = stream.shards.iter().filter(|shard| shard.to.is_none_or(|to| to > horizon));
    let mut shards: Vec<&Shard> = match &request.children_of {
        Some(parent) => shards.filter(|shard| shard.parent.as_ref() == Some(parent)).collect(),
        None => shards.collect(),
    };
    // The ids begin with the times at which the shards were opened, so their order is that of the shards. OBSERVED: after
    // a shard that is not known there is nothing.
    if let Some(start) = &request.start {
        let is_known = stream.shards.iter().any(|shard| shard.id == *start);
        shards.retain(|shard| is_known && shard.id > *start);
    }
    let more = shards.len() > request.limit;
    shards.truncate(request.limit);
    Ok(Output::Stream(Box::new(StreamDescription {
        arn: stream.arn.clone(),
        label: stream.label.clone(),
        status: match stream.ended_ms {
            None => StreamStatus::Enabled,
            Some(_) => StreamStatus::Disabled,
        },
        view: stream.view,
        created_ms: stream.created_ms,
        table: table.name.clone(),
        key_schema: table.key.elements(),
        last: shards.last().filter(|_| more).map(|shard| shard.id.clone()),
        shards: shards.into_iter().map(describe).collect(),
    })))
}

fn describe(shard: &Shard) -> op::Shard {
    op::Shard {
        id: shard.id.clone(),
        parent: shard.parent.clone(),
        first: Position::at(shard.from).sequence_number(),
        last: shard.to.map(|to| Position::before(to).sequence_number()),
    }
}
