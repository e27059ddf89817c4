//! Streams from the outside of the engine: what they show, how shards follow each other, what is kept and for how long.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use item::Item;
use op::{
    DescribeStream, Error, GetRecords, GetShardIterator, Kind, ListStreams, Operation, Output, Record,
    RecordEvent, Records, ShardPosition, StreamDescription, StreamSpec, StreamStatus, StreamView,
    UpdateTable, UpdateTimeToLive,
};

use crate::world::{World, change, item, key, table};

const HOUR_MS: u64 = 60 * 60 * 1000;

fn spec(view: StreamView) -> StreamSpec {
    StreamSpec { enabled: true, view: Some(view) }
}

fn with_stream(world: &World, view: StreamView) -> String {
    world
        .create(op::CreateTable { stream: Some(spec(view)), ..table("people") })
        .unwrap()
        .latest_stream
        .unwrap()
        .1
}

fn describe(world: &World, arn: &str) -> Result<StreamDescription, Error> {
    let request = DescribeStream { arn: arn.into(), start: None, limit: 100, children_of: None };
    match world.run(Operation::DescribeStream(request))? {
        Output::Stream(stream) => Ok(*stream),
        other => panic!("DescribeStream answered {other:?}"),
    }
}

fn iterator(world: &World, arn: &str, shard: &str, position: ShardPosition) -> Result<String, Error> {
    let request = GetShardIterator { arn: arn.into(), shard: shard.into(), position };
    match world.run(Operation::GetShardIterator(request))? {
        Output::ShardIterator(iterator) => Ok(iterator),
        other => panic!("GetShardIterator answered {other:?}"),
    }
}

fn read(world: &World, iterator: &str, limit: usize) -> Result<Records, Error> {
    match world.run(Operation::GetRecords(GetRecords { iterator: iterator.into(), limit }))? {
        Output::Records(records) => Ok(records),
        other => panic!("GetRecords answered {other:?}"),
    }
}

/// All records of a stream, shard by shard.
fn all(world: &World, arn: &str) -> Vec<Record> {
    let mut found = Vec::new();
    for shard in describe(world, arn).unwrap().shards {
        let mut next = Some(iterator(world, arn, &shard.id, ShardPosition::TrimHorizon).unwrap());
        while let Some(text) = next {
            let page = read(world, &text, 7).unwrap();
            next = page.next.filter(|_| !page.records.is_empty() || shard.last.is_some());
            found.extend(page.records);
        }
    }
    found
}

fn events(records: &[Record]) -> Vec<RecordEvent> {
    records.iter().map(|record| record.event).collect()
}

#[test]
fn each_view_shows_what_it_is_for() {
    for (view, old, new) in [
        (StreamView::KeysOnly, false, false),
        (StreamView::NewImage, false, true),
        (StreamView::OldImage, true, false),
        (StreamView::NewAndOldImages, true, true),
    ] {
        let world = World::in_memory(engine::LifeCycle::Immediate);
        let arn = with_stream(&world, view);
        world.put("people", item(1, None, 1)).unwrap();
        world.put("people", item(1, None, 1)).unwrap();
        world.put("people", item(1, None, 2)).unwrap();
        world.remove("people", key(1)).unwrap();
        world.remove("people", key(1)).unwrap();
        let records = all(&world, &arn);
        assert_eq!(events(&records), [RecordEvent::Insert, RecordEvent::Modify, RecordEvent::Remove]);
        assert!(records.iter().all(|record| record.keys == key(1) && record.view == view));
        let images: Vec<(Option<Item>, Option<Item>)> =
            records.iter().map(|record| (record.old.clone(), record.new.clone())).collect();
        let (first, second) = (item(1, None, 1), item(1, None, 2));
        let shown = |image: &Item, is_shown: bool| Some(image.clone()).filter(|_| is_shown);
        assert_eq!(
            images,
            [
                (None, shown(&first, new)),
                (shown(&first, old), shown(&second, new)),
                (shown(&second, old), None)
            ],
            "{view:?}"
        );
    }
}

#[test]
fn iterators_begin_where_they_are_asked_to() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    let arn = with_stream(&world, StreamView::NewImage);
    let shard = describe(&world, &arn).unwrap().shards[0].id.clone();
    let mut times = Vec::new();
    for number in 0..4 {
        world.clock.advance(1000);
        times.push(engine::Env::now_ms(&*world.clock));
        world.put("people", item(number, None, 1)).unwrap();
    }
    let records = all(&world, &arn);
    let sequence = |at: usize| records[at].sequence.clone();
    let count = |position: ShardPosition| {
        let iterator = iterator(&world, &arn, &shard, position).unwrap();
        read(&world, &iterator, 1000).unwrap().records.len()
    };
    assert_eq!(count(ShardPosition::TrimHorizon), 4);
    assert_eq!(count(ShardPosition::Latest), 0);
    assert_eq!(count(ShardPosition::At(sequence(1))), 3);
    assert_eq!(count(ShardPosition::After(sequence(1))), 2);
    assert_eq!(count(ShardPosition::AtTime(times[2])), 2);
    assert_eq!(count(ShardPosition::AtTime(times[2] + 1)), 1);
    assert_eq!(count(ShardPosition::AtTime(0)), 4);
    let latest = iterator(&world, &arn, &shard, ShardPosition::Latest).unwrap();
    world.put("people", item(9, None, 1)).unwrap();
    let page = read(&world, &latest, 1000).unwrap();
    assert_eq!(page.records.len(), 1);
    let nothing = read(&world, &page.next.unwrap(), 1000).unwrap();
    assert!(nothing.records.is_empty() && nothing.next.is_some());
}

#[test]
fn what_is_wrong_with_an_iterator_is_told() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    let arn = with_stream(&world, StreamView::NewImage);
    let shard = describe(&world, &arn).unwrap().shards[0].id.clone();
    let text = iterator(&world, &arn, &shard, ShardPosition::TrimHorizon).unwrap();
    assert_eq!(read(&world, "nonsense", 1).unwrap_err().kind, Kind::Validation);
    world.clock.advance(15 * 60 * 1000 + 1);
    assert_eq!(read(&world, &text, 1).unwrap_err().kind, Kind::ExpiredIterator);
    let wrong = |position| iterator(&world, &arn, &shard, position).unwrap_err().kind;
    assert_eq!(wrong(ShardPosition::At("1".into())), Kind::Validation);
    assert_eq!(wrong(ShardPosition::At("x".into())), Kind::Validation);
    let nowhere = iterator(&world, &arn, "shardId-00000000000000000000-00000000", ShardPosition::Latest);
    assert_eq!(nowhere.unwrap_err().kind, Kind::ResourceNotFound);
    assert_eq!(describe(&world, &format!("{arn}0")).unwrap_err().kind, Kind::ResourceNotFound);
}

#[test]
fn shards_follow_each_other_and_end() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    let arn = with_stream(&world, StreamView::NewImage);
    for round in 0..3 {
        world.put("people", item(round, None, 1)).unwrap();
        world.clock.advance(4 * HOUR_MS);
        world.work();
    }
    let stream = describe(&world, &arn).unwrap();
    assert_eq!(stream.shards.len(), 4);
    for pair in stream.shards.windows(2) {
        assert_eq!(pair[1].parent.as_ref(), Some(&pair[0].id));
        assert!(pair[0].last.as_ref().unwrap() < &pair[1].first);
    }
    assert_eq!(stream.shards[3].last, None);
    let request = DescribeStream {
        arn: arn.clone(),
        start: None,
        limit: 100,
        children_of: Some(stream.shards[1].id.clone()),
    };
    match world.run(Operation::DescribeStream(request)).unwrap() {
        Output::Stream(children) => assert_eq!(children.shards, stream.shards[2..3]),
        other => panic!("DescribeStream answered {other:?}"),
    }
    let request = DescribeStream {
        arn: arn.clone(),
        start: Some(stream.shards[0].id.clone()),
        limit: 2,
        children_of: None,
    };
    match world.run(Operation::DescribeStream(request)).unwrap() {
        Output::Stream(page) => {
            assert_eq!(page.shards, stream.shards[1..3]);
            assert_eq!(page.last, Some(stream.shards[2].id.clone()));
        }
        other => panic!("DescribeStream answered {other:?}"),
    }
    assert_eq!(all(&world, &arn).len(), 3);
}

#[test]
fn records_can_be_read_for_a_day() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    let arn = with_stream(&world, StreamView::NewImage);
    world.put("people", item(1, None, 1)).unwrap();
    let first = all(&world, &arn)[0].sequence.clone();
    let shard = describe(&world, &arn).unwrap().shards[0].id.clone();
    world.clock.advance(23 * HOUR_MS + 55 * 60 * 1000);
    let text = iterator(&world, &arn, &shard, ShardPosition::TrimHorizon).unwrap();
    world.put("people", item(2, None, 1)).unwrap();
    assert_eq!(read(&world, &text, 10).unwrap().records.len(), 2);
    world.clock.advance(10 * 60 * 1000);
    assert_eq!(read(&world, &text, 10).unwrap_err().kind, Kind::TrimmedDataAccess);
    let again = iterator(&world, &arn, &shard, ShardPosition::TrimHorizon).unwrap();
    assert_eq!(read(&world, &again, 10).unwrap().records.len(), 1);
    let after = iterator(&world, &arn, &shard, ShardPosition::After(first));
    assert_eq!(after.unwrap_err().kind, Kind::TrimmedDataAccess);
    let written =
        |world: &World| world.engine.inspect().unwrap().keys().filter(|key| key.starts_with("log")).count();
    assert_eq!(written(&world), 2);
    world.clock.advance(2 * HOUR_MS);
    world.work();
    assert_eq!(written(&world), 1, "what nobody may read any more is removed");
}

#[test]
fn a_stream_that_is_switched_off_stays_for_a_day_beside_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::on_disk(dir.path());
    let first = with_stream(&world, StreamView::NewImage);
    world.put("people", item(1, None, 1)).unwrap();
    let off = StreamSpec { enabled: false, view: None };
    world.update(UpdateTable { stream: Some(off), ..change("people") }).unwrap();
    world.put("people", item(2, None, 1)).unwrap();
    world.clock.advance(10);
    let on = UpdateTable { stream: Some(spec(StreamView::KeysOnly)), ..change("people") };
    let second = world.update(on).unwrap().latest_stream.unwrap().1;
    world.put("people", item(3, None, 1)).unwrap();
    drop(world);
    let world = World::on_disk(dir.path());
    assert_ne!(first, second);
    assert_eq!(describe(&world, &first).unwrap().status, StreamStatus::Disabled);
    assert_eq!(describe(&world, &second).unwrap().status, StreamStatus::Enabled);
    let keys = |arn: &str| all(&world, arn).into_iter().map(|record| record.keys).collect::<Vec<Item>>();
    assert_eq!(keys(&first), [key(1)]);
    assert_eq!(keys(&second), [key(3)]);
    let list = |world: &World| match world
        .run(Operation::ListStreams(ListStreams { table: Some("people".into()), start: None, limit: 100 }))
        .unwrap()
    {
        Output::Streams(streams) => streams.streams.into_iter().map(|stream| stream.arn).collect::<Vec<_>>(),
        other => panic!("ListStreams answered {other:?}"),
    };
    assert_eq!(list(&world), [first.clone(), second.clone()]);
    world.delete("people").unwrap();
    assert_eq!(keys(&second), [key(3)], "also when the table is deleted");
    drop(world);
    let world = World::on_disk(dir.path());
    assert_eq!(list(&world), [first, second.clone()]);
    world.clock.advance(25 * HOUR_MS);
    world.work();
    assert_eq!(list(&world), Vec::<String>::new());
    assert_eq!(describe(&world, &second).unwrap_err().kind, Kind::ResourceNotFound);
}

#[test]
fn an_item_that_expires_is_told_apart() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    let arn = with_stream(&world, StreamView::NewAndOldImages);
    let ttl = UpdateTimeToLive { table: "people".into(), attribute: "version".into(), enabled: true };
    world.run(Operation::UpdateTimeToLive(ttl)).unwrap();
    let soon = engine::Env::now_ms(&*world.clock) / 1000 + 10;
    world.put("people", item(1, None, soon)).unwrap();
    world.put("people", item(2, None, soon)).unwrap();
    world.remove("people", key(2)).unwrap();
    world.clock.advance(11_000);
    world.work();
    let records = all(&world, &arn);
    let removed: Vec<(Item, bool)> = records
        .into_iter()
        .filter(|record| record.event == RecordEvent::Remove)
        .map(|record| (record.keys, record.is_expiry))
        .collect();
    assert_eq!(removed, [(key(2), false), (key(1), true)]);
}

/// A reader that follows misses nothing and sees nothing twice, while writers write and shards roll over.
#[test]
fn who_follows_while_shards_roll_over_misses_and_repeats_nothing() {
    let dir = tempfile::tempdir().unwrap();
    for world in [World::in_memory(engine::LifeCycle::Immediate), World::on_disk(dir.path())] {
        let arn = with_stream(&world, StreamView::NewAndOldImages);
        let world = Arc::new(world);
        let done = Arc::new(AtomicBool::new(false));
        let followed = thread::scope(|scope| {
            let follower = scope.spawn(|| follow(&world, &arn, &done));
            let writers: Vec<_> = (0..3_u64)
                .map(|writer| {
                    let world = &world;
                    scope.spawn(move || {
                        for version in 1..=120 {
                            world.put("people", item(writer * 10 + version % 4, None, version)).unwrap();
                        }
                    })
                })
                .collect();
            for _ in 0..8 {
                thread::sleep(std::time::Duration::from_millis(10));
                world.clock.advance(2 * HOUR_MS);
                world.work();
            }
            for writer in writers {
                writer.join().unwrap();
            }
            done.store(true, Ordering::SeqCst);
            follower.join().unwrap()
        });
        assert_eq!(followed.len(), 360);
        assert!(followed.windows(2).all(|pair| pair[0].sequence < pair[1].sequence));
        let mut items: BTreeMap<String, Item> = BTreeMap::new();
        for record in followed {
            let name = format!("{:?}", record.keys);
            assert_eq!(items.get(&name), record.old.as_ref(), "each record follows the one before");
            items.insert(name, record.new.unwrap());
        }
        assert_eq!(items.into_values().collect::<Vec<_>>(), world.items("people", None));
    }
}

/// Reads shard after shard: a child when its parent has ended.
fn follow(world: &World, arn: &str, done: &AtomicBool) -> Vec<Record> {
    let mut found = Vec::new();
    let mut shard = describe(world, arn).unwrap().shards[0].id.clone();
    let mut next = iterator(world, arn, &shard, ShardPosition::TrimHorizon).unwrap();
    loop {
        let was_done = done.load(Ordering::SeqCst);
        // The clock makes leaps here, so an iterator may be too old for its next use.
        let page = match read(world, &next, 5) {
            Ok(page) => page,
            Err(error) if error.kind == Kind::ExpiredIterator => {
                let last = found.last().map(|record: &Record| record.sequence.clone());
                let position = last.map_or(ShardPosition::TrimHorizon, ShardPosition::After);
                let of_shard = iterator(world, arn, &shard, position);
                next =
                    of_shard.or_else(|_| iterator(world, arn, &shard, ShardPosition::TrimHorizon)).unwrap();
                continue;
            }
            Err(error) => panic!("{error:?}"),
        };
        let is_empty = page.records.is_empty();
        found.extend(page.records);
        match page.next {
            Some(text) if was_done && is_empty => {
                drop(text);
                return found;
            }
            Some(text) => next = text,
            None => {
                let shards = describe(world, arn).unwrap().shards;
                shard = shards.iter().find(|other| other.parent.as_ref() == Some(&shard)).unwrap().id.clone();
                next = iterator(world, arn, &shard, ShardPosition::TrimHorizon).unwrap();
            }
        }
    }
}
