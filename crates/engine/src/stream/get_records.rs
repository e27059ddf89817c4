//! GetRecords: the records of a shard from an iterator on, as the stream's view shows them.

use std::ops::ControlFlow;

use item::{Item, item_bytes};
use op::{Error, GetRecords, Kind, Output, RecordEvent, Records, StreamView};
use storage::Direction;

use super::get_shard_iterator::shard;
use super::iterator::Iterator;
use super::{find, horizon, not_found, trimmed};
use crate::log::{self, Cause, Position, Record, between, key_attributes, ms_of};
use crate::schema::{KeySchema, Log, Stream};
use crate::{Engine, internal, layout};

/// How long an iterator can be used.
const ITERATOR_MS: u64 = 15 * 60 * 1000;
/// An answer ends with the record that makes it larger than this.
const ANSWER_BYTES_MAX: u64 = 1024 * 1024;

pub(crate) fn run(engine: &Engine, request: &GetRecords) -> Result<Output, Error> {
    let iterator =
        Iterator::read(&request.iterator).ok_or_else(|| Error::validation("Invalid ShardIterator"))?;
    let now_ms = engine.env.now_ms();
    if iterator.made_ms.saturating_add(ITERATOR_MS) < now_ms {
        return Err(Error::new(
            Kind::ExpiredIterator,
            "Iterator expired. The iterator was created at time more than 15 minutes ago.",
        ));
    }
    // INVARIANT: a shard is closed while nobody writes. So who looks at the store and then at the shard knows the end of
    // every shard of which they see more; and who sees a shard closed and then looks at the store sees all of it.
    let horizon = horizon(now_ms);
    let find = || find(engine, &iterator.arn).ok_or_else(|| not_found(&iterator.arn));
    let was_closed = shard(&find()?.1, &iterator.shard, horizon)?.to.is_some();
    let view = engine.store.snapshot();
    let (table, stream) = find()?;
    let log = table.log.as_ref().ok_or_else(|| not_found(&iterator.arn))?;
    let shard = shard(&stream, &iterator.shard, horizon)?;
    let from = iterator.position.max(Position::at(shard.from));
    if from < Position::at(horizon) && any_between(&view, log, from, horizon)? {
        return Err(trimmed());
    }
    let from = from.max(Position::at(horizon));
    let mut reading = Reading { stream: &stream, key: &table.key, records: Vec::new(), bytes: 0, next: from };
    let mut is_full = false;
    log::scan(&view, log, &between(from, shard.to), Direction::Forward, &mut |record| {
        is_full = reading.records.len() >= request.limit || reading.bytes >= ANSWER_BYTES_MAX;
        if is_full {
            return ControlFlow::Break(());
        }
        reading.take(record);
        ControlFlow::Continue(())
    })
    .map_err(internal)?;
    let ended = was_closed && !is_full;
    let next = Iterator { position: reading.next, made_ms: now_ms, ..iterator };
    Ok(Output::Records(Records { next: (!ended).then(|| next.text()), records: reading.records }))
}

/// Whether there is a record before the horizon that the iterator would have shown.
fn any_between(
    view: &storage::Snapshot,
    log: &Log,
    from: Position,
    to: storage::Stamp,
) -> Result<bool, Error> {
    let mut any = false;
    log::scan(view, log, &between(from, Some(to)), Direction::Forward, &mut |_| {
        any = true;
        ControlFlow::Break(())
    })
    .map_err(internal)?;
    Ok(any)
}

/// Records on their way into an answer.
struct Reading<'a> {
    stream: &'a Stream,
    key: &'a KeySchema,
    records: Vec<op::Record>,
    bytes: u64,
    next: Position,
}

impl Reading<'_> {
    fn take(&mut self, record: Record) {
        self.next = record.position.next();
        let Some(record) = show(self.stream.view, self.key, &record) else {
            tracing::error!(stream = self.stream.arn, "a record of a stream is damaged");
            return;
        };
        self.bytes = self.bytes.saturating_add(record.size_bytes);
        self.records.push(record);
    }
}

/// A record as a view shows it; none if it is damaged.
pub(crate) fn show(view: StreamView, key: &KeySchema, record: &Record) -> Option<op::Record> {
    let decode = |value: &Option<bytes::Bytes>| -> Option<Option<Item>> {
        let Some(value) = value else { return Some(None) };
        Some(Some(layout::read_value(value)?.1.decode()?))
    };
    let (old, new) = (decode(&record.old)?, decode(&record.new)?);
    let any = new.clone().or_else(|| old.clone());
    let keys = key_attributes(key, any.or(decode(&record.keys)?)?);
    let shows_old = matches!(view, StreamView::OldImage | StreamView::NewAndOldImages);
    let shows_new = matches!(view, StreamView::NewImage | StreamView::NewAndOldImages);
    let (old, new) = (old.filter(|_| shows_old), new.filter(|_| shows_new));
    let images = [Some(&keys), old.as_ref(), new.as_ref()];
    Some(op::Record {
        id: event_id(record.position),
        event: match (record.existed, record.exists) {
            (false, _) => RecordEvent::Insert,
            (true, true) => RecordEvent::Modify,
            (true, false) => RecordEvent::Remove,
        },
        sequence: record.position.sequence_number(),
        created_ms: ms_of(record.position.stamp),
        size_bytes: images.into_iter().flatten().map(|image| item_bytes(image) as u64).sum(),
        keys,
        old,
        new,
        view,
        is_expiry: record.cause == Cause::Expiry,
    })
}

/// Thirty-two hexadecimal digits that belong to this record alone, and always the same.
fn event_id(position: Position) -> String {
    let Position { stamp, place } = position;
    let high = crate::env::mix(stamp.0);
    format!("{high:016x}{:016x}", crate::env::mix(high ^ u64::from(place)))
}
