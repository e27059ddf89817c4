//! Backups: complete, of one moment, independent of what becomes of the table.

use engine::{LifeCycle, Rest};
use op::{
    BackupDescription, BackupDetails, BackupKind, BackupStatus, CreateBackup, DeleteBackup, DescribeBackup,
    Error, Kind, ListBackups, Operation, Output, RestoreOverrides, RestoreTableFromBackup, TableDescription,
    TableStatus,
};

use crate::recovery::{indexed, switch};
use crate::world::{START_MS, World, disk, item, key, table};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

fn create(world: &World, table: &str, name: &str) -> Result<BackupDetails, Error> {
    match world.run(Operation::CreateBackup(CreateBackup { table: table.into(), name: name.into() }))? {
        Output::BackupDetails(details) => Ok(details),
        other => panic!("CreateBackup answered {other:?}"),
    }
}

fn describe(world: &World, arn: &str) -> Result<BackupDescription, Error> {
    match world.run(Operation::DescribeBackup(DescribeBackup { arn: arn.into() }))? {
        Output::Backup(backup) => Ok(*backup),
        other => panic!("DescribeBackup answered {other:?}"),
    }
}

fn delete(world: &World, arn: &str) -> Result<BackupDescription, Error> {
    match world.run(Operation::DeleteBackup(DeleteBackup { arn: arn.into() }))? {
        Output::Backup(backup) => Ok(*backup),
        other => panic!("DeleteBackup answered {other:?}"),
    }
}

fn restore(world: &World, arn: &str, target: &str) -> Result<TableDescription, Error> {
    let request = RestoreTableFromBackup {
        backup: arn.into(),
        target: target.into(),
        overrides: RestoreOverrides::default(),
    };
    match world.run(Operation::RestoreTableFromBackup(Box::new(request)))? {
        Output::TableChanged(table) => Ok(*table),
        other => panic!("RestoreTableFromBackup answered {other:?}"),
    }
}

fn everything() -> ListBackups {
    ListBackups { table: None, limit: 100, from_ms: None, before_ms: None, start: None, kind: None }
}

fn list(world: &World, request: ListBackups) -> (Vec<String>, Option<String>) {
    match world.run(Operation::ListBackups(request)).unwrap() {
        Output::Backups(found) => {
            (found.backups.into_iter().map(|backup| backup.details.name).collect(), found.last)
        }
        other => panic!("ListBackups answered {other:?}"),
    }
}

fn fill(world: &World, numbers: std::ops::Range<u64>) {
    for number in numbers {
        world.put("people", item(number, Some(number % 3), 1)).unwrap();
    }
}

#[test]
fn a_backup_outlives_its_table() {
    let world = World::in_memory(LifeCycle::Immediate);
    world.create(indexed()).unwrap();
    fill(&world, 0..50);
    let before = world.items("people", None);
    let size = world.describe("people").unwrap().size_bytes;
    let made = create(&world, "people", "first").unwrap();
    assert_eq!(
        (made.status, made.kind, made.size_bytes),
        (BackupStatus::Creating, BackupKind::User, Some(0))
    );
    let tail = made.arn.strip_prefix("arn:aws:dynamodb:us-east-1:000000000000:table/people/backup/").unwrap();
    let (time, rest) = tail.split_once('-').unwrap();
    assert_eq!((time.len(), time.parse(), rest.len()), (14, Ok(START_MS), 8));
    world.remove("people", key(3)).unwrap();
    fill(&world, 50..60);
    let found = describe(&world, &made.arn).unwrap();
    assert_eq!((found.details.status, found.details.size_bytes), (BackupStatus::Available, Some(size)));
    assert_eq!((found.source.item_count, found.source.name.as_str()), (50, "people"));
    assert_eq!(found.features.global_indexes[0].name, "by_group");
    world.delete("people").unwrap();
    world.work();
    let answer = restore(&world, &made.arn, "copy").unwrap();
    assert_eq!(answer.status, TableStatus::Creating);
    assert_eq!(answer.restore.unwrap().backup_arn.as_ref(), Some(&made.arn));
    assert_eq!(world.items("copy", None), before);
    assert_eq!(world.items("copy", Some("by_group")), before);
    assert_eq!(world.describe("copy").unwrap().status, TableStatus::Active);
    let kept = || world.engine.inspect().unwrap().keys().filter(|key| key.starts_with("copy ")).count();
    assert_eq!(kept(), 50);
    assert_eq!(delete(&world, &made.arn).unwrap().details.status, BackupStatus::Deleted);
    assert_eq!(describe(&world, &made.arn).unwrap_err().message, format!("Backup not found: {}", made.arn));
    world.work();
    assert_eq!(kept(), 0);
    assert_eq!(world.items("copy", None), before);
}

#[test]
fn what_is_not_there_or_busy_is_refused() {
    let world = World::in_memory(LifeCycle::Realistic);
    assert_eq!(create(&world, "people", "first").unwrap_err().kind, Kind::TableNotFound);
    world.create(table("people")).unwrap();
    assert_eq!(create(&world, "people", "first").unwrap_err().kind, Kind::TableInUse);
    world.clock.advance(5000);
    world.work();
    let made = create(&world, "people", "first").unwrap();
    assert_eq!(delete(&world, &made.arn).unwrap_err().kind, Kind::BackupInUse);
    assert_eq!(restore(&world, &made.arn, "copy").unwrap_err().kind, Kind::BackupInUse);
    world.work();
    assert_eq!(restore(&world, &made.arn, "people").unwrap_err().kind, Kind::TableAlreadyExists);
    restore(&world, &made.arn, "copy").unwrap();
    assert_eq!(delete(&world, &made.arn).unwrap_err().kind, Kind::BackupInUse);
    world.work();
    delete(&world, &made.arn).unwrap();
    assert_eq!(delete(&world, &made.arn).unwrap_err().kind, Kind::BackupNotFound);
    assert_eq!(restore(&world, &made.arn, "other").unwrap_err().kind, Kind::BackupNotFound);
}

#[test]
fn backups_are_listed_in_pages_and_by_table_time_and_kind() {
    let world = World::in_memory(LifeCycle::Immediate);
    for name in ["people", "places"] {
        world.create(table(name)).unwrap();
        for round in 0..3 {
            create(&world, name, &format!("{name}-{round}")).unwrap();
            world.clock.advance(1000);
        }
    }
    let all = list(&world, everything()).0;
    assert_eq!(all.len(), 6);
    let mut paged = Vec::new();
    let mut start = None;
    loop {
        let (names, last) = list(&world, ListBackups { limit: 4, start, ..everything() });
        paged.extend(names);
        start = last;
        if start.is_none() {
            break;
        }
    }
    assert_eq!(paged, all);
    let of_people = ListBackups { table: Some("people".into()), ..everything() };
    assert_eq!(list(&world, of_people).0, ["people-0", "people-1", "people-2"]);
    let between =
        ListBackups { from_ms: Some(START_MS + 1000), before_ms: Some(START_MS + 3000), ..everything() };
    assert_eq!(list(&world, between).0, ["people-1", "people-2"]);
    let system = ListBackups { kind: Some(BackupKind::System), ..everything() };
    assert!(list(&world, system).0.is_empty());
}

#[test]
fn a_table_with_recovery_leaves_a_backup_for_thirty_five_days() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::on_disk(dir.path());
    world.create(indexed()).unwrap();
    fill(&world, 0..40);
    let before = world.items("people", None);
    switch(&world, true, None).unwrap();
    world.delete("people").unwrap();
    world.work();
    world.engine.close().unwrap();
    drop(world);
    let world = World::on_disk(dir.path());
    world.work();
    let system = ListBackups { kind: Some(BackupKind::System), ..everything() };
    assert_eq!(list(&world, system.clone()).0, ["people$DeletedTableBackup"]);
    let Output::Backups(found) = world.run(Operation::ListBackups(system.clone())).unwrap() else { panic!() };
    let backup = &found.backups[0].details;
    assert_eq!(backup.expiry_ms, Some(START_MS + 35 * DAY_MS));
    assert_eq!(describe(&world, &backup.arn).unwrap().source.item_count, 40);
    restore(&world, &backup.arn, "copy").unwrap();
    assert_eq!(world.items("copy", None), before);
    world.clock.advance(35 * DAY_MS);
    world.work();
    assert!(list(&world, system).0.is_empty());
    assert_eq!(world.items("copy", Some("by_group")), before);
}

#[test]
fn a_backup_is_of_its_moment_across_restarts() {
    let dir = tempfile::tempdir().unwrap();
    // Nothing is done at once where tables take their time.
    let open = || World::open(disk(dir.path()), LifeCycle::Realistic);
    let world = open();
    world.create(indexed()).unwrap();
    world.clock.advance(5000);
    world.work();
    fill(&world, 0..1200);
    let before = world.items("people", None);
    let made = create(&world, "people", "first").unwrap();
    for number in 0..1200 {
        match number % 2 {
            0 => world.remove("people", key(number)).unwrap(),
            _ => world.put("people", item(number, None, 2)).unwrap(),
        }
    }
    fill(&world, 1200..1250);
    world.engine.work();
    assert_eq!(describe(&world, &made.arn).unwrap().details.status, BackupStatus::Creating);
    world.engine.close().unwrap();
    drop(world);
    for steps in [2, 4, usize::MAX] {
        let world = open();
        (0..steps).take_while(|_| world.engine.work() == Rest::Again).count();
        if steps != usize::MAX {
            assert_eq!(describe(&world, &made.arn).unwrap().details.status, BackupStatus::Creating);
            world.put("people", item(steps as u64, None, 3)).unwrap();
            continue;
        }
        assert_eq!(describe(&world, &made.arn).unwrap().source.item_count, 1200);
        restore(&world, &made.arn, "copy").unwrap();
        world.clock.advance(5000);
        world.work();
        assert_eq!(world.items("copy", None), before);
        let logged = world.engine.inspect().unwrap().keys().filter(|key| key.starts_with("log ")).count();
        assert_eq!(logged, 0, "nobody needs a log any more");
    }
}
