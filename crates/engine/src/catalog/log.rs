//! A table's log, its streams and its recovery as they are stored. Knows no store.

use item::Item;
use storage::{Space, Stamp};

use super::fields::{Fields, list, map, number, text, word};
use crate::schema::{Destination, Hold, Log, Recovery, Shard, Stream};

pub(super) fn encode(out: &mut Fields, log: &Log) {
    out.number("space", Some(log.space.0));
    out.list("destinations", &log.destinations, encode_destination);
    out.list("streams", &log.streams, |out, stream| {
        out.text("label", &stream.label);
        out.text("arn", &stream.arn);
        out.word("view", stream.view);
        out.number("created_ms", Some(stream.created_ms));
        out.number("ended_ms", stream.ended_ms);
        out.list("shards", &stream.shards, |out, shard| {
            out.text("id", &shard.id);
            if let Some(parent) = &shard.parent {
                out.text("parent", parent);
            }
            out.number("created_ms", Some(shard.created_ms));
            out.number("from", Some(shard.from.0));
            out.number("to", shard.to.map(|stamp| stamp.0));
        });
    });
    out.map("recovery", log.recovery.as_ref(), |out, recovery| {
        out.number("since", Some(recovery.since.0));
        out.number("days", Some(recovery.days.into()));
    });
    out.list("holds", &log.holds, |out, hold| {
        out.number("copy", Some(hold.copy));
        out.number("from", Some(hold.from.0));
    });
}

fn encode_destination(out: &mut Fields, destination: &Destination) {
    out.text("stream", &destination.stream);
    out.word("status", destination.status);
    if let Some(precision) = destination.precision {
        out.word("precision", precision);
    }
    out.number("from", Some(destination.from.0));
    if let Some(note) = &destination.note {
        out.text("note", note);
    }
}

fn decode_destination(record: &Item) -> Option<Destination> {
    Some(Destination {
        stream: text(record, "stream")?,
        status: word(record, "status")?,
        precision: word(record, "precision"),
        from: Stamp(number(record, "from")?),
        note: text(record, "note"),
    })
}

pub(super) fn decode(record: &Item) -> Option<Log> {
    let streams = list(record, "streams", decode_stream)?;
    let mut log = Log::new(Space(number(record, "space")?));
    log.streams = streams;
    log.recovery = map(record, "recovery", decode_recovery)?;
    log.holds = list(record, "holds", decode_hold)?;
    log.destinations = list(record, "destinations", decode_destination)?;
    Some(log)
}

fn decode_recovery(record: &Item) -> Option<Recovery> {
    let days = u32::try_from(number(record, "days")?).ok()?;
    Some(Recovery { since: Stamp(number(record, "since")?), days })
}

fn decode_hold(record: &Item) -> Option<Hold> {
    Some(Hold { copy: number(record, "copy")?, from: Stamp(number(record, "from")?) })
}

fn decode_stream(record: &Item) -> Option<Stream> {
    Some(Stream {
        label: text(record, "label")?,
        arn: text(record, "arn")?,
        view: word(record, "view")?,
        created_ms: number(record, "created_ms")?,
        ended_ms: number(record, "ended_ms"),
        shards: list(record, "shards", decode_shard)?,
    })
}

fn decode_shard(record: &Item) -> Option<Shard> {
    Some(Shard {
        id: text(record, "id")?,
        parent: text(record, "parent"),
        created_ms: number(record, "created_ms")?,
        from: Stamp(number(record, "from")?),
        to: number(record, "to").map(Stamp),
    })
}
