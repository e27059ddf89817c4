//! Imports and bulk operations as the one who carries them out sees them, and as they are described.

use std::path::Path;
use std::sync::Arc;

use engine::{BulkRun, ImportRun, JobRun, Place, Report, Row, RowCondition};
use item::{Item, Value};
use op::{
    BucketPlace, BucketSse, BulkInput, BulkOperation, BulkOutput, BulkOutputKind, BulkStatus,
    CancelBulkOperation, CapacityDetail, Compression, CreateTable, DescribeBulkOperation, DescribeImport,
    Error, ExportFormat, Failure, ImportDescription, ImportFormat, ImportStatus, ImportTable, Kind,
    ListBulkOperations, ListImports, MetricsDetail, OnFailure, Operation, Output, PerformanceTier,
    ScalarType, StartBulkPutItems, TableStatus, TransactAct, TransactAction, TransactWriteItems,
};

use crate::world::{World, attribute, index, item, key, table};

const HOUR_MS: u64 = 60 * 60 * 1000;

fn place() -> BucketPlace {
    BucketPlace { bucket: "files".into(), owner: None, prefix: None }
}

/// A table with an index on the group.
fn grouped(name: &str) -> CreateTable {
    CreateTable {
        attributes: vec![attribute("pk", ScalarType::S), attribute("group", ScalarType::S)],
        global_indexes: vec![index("by_group", "group")],
        ..table(name)
    }
}

fn import_of(name: &str, token: Option<&str>) -> ImportTable {
    ImportTable {
        token: token.map(Into::into),
        source: place(),
        format: ImportFormat::DynamoDbJson,
        compression: Compression::None,
        table: grouped(name),
    }
}

fn bulk_of(name: &str, token: Option<&str>) -> StartBulkPutItems {
    StartBulkPutItems {
        token: token.map(Into::into),
        input: BulkInput {
            source: place(),
            format: ExportFormat::DynamoDbJson,
            compression: Compression::None,
        },
        output: BulkOutput {
            target: place(),
            sse: BucketSse::default(),
            kinds: vec![BulkOutputKind::Error, BulkOutputKind::ConditionCheckFailure],
        },
        table: name.into(),
        table_named: name.into(),
        write_units_max: None,
        tier: PerformanceTier::Standard,
    }
}

impl World {
    fn import(&self, request: ImportTable) -> Result<ImportDescription, Error> {
        match self.run(Operation::ImportTable(Box::new(request)))? {
            Output::Import(import) => Ok(*import),
            other => panic!("ImportTable answered {other:?}"),
        }
    }

    fn describe_import(&self, arn: &str) -> Result<ImportDescription, Error> {
        match self.run(Operation::DescribeImport(DescribeImport { arn: arn.into() }))? {
            Output::Import(import) => Ok(*import),
            other => panic!("DescribeImport answered {other:?}"),
        }
    }

    fn bulk(&self, request: StartBulkPutItems) -> Result<BulkOperation, Error> {
        match self.run(Operation::StartBulkPutItems(Box::new(request)))? {
            Output::BulkOperation(bulk) => Ok(*bulk),
            other => panic!("StartBulkPutItems answered {other:?}"),
        }
    }

    fn describe_bulk(&self, arn: &str) -> Result<BulkOperation, Error> {
        match self.run(Operation::DescribeBulkOperation(DescribeBulkOperation { arn: arn.into() }))? {
            Output::BulkOperation(bulk) => Ok(*bulk),
            other => panic!("DescribeBulkOperation answered {other:?}"),
        }
    }

    fn take_import(&self) -> ImportRun<'_> {
        match self.engine.take_job() {
            Some(JobRun::Import(run)) => run,
            _ => panic!("there is no import"),
        }
    }

    fn take_bulk(&self) -> BulkRun<'_> {
        match self.engine.take_job() {
            Some(JobRun::Bulk(run)) => run,
            _ => panic!("there is no bulk operation"),
        }
    }
}

fn row(number: u64, record: Result<(Item, Option<RowCondition>), String>) -> Row {
    Row { object: Arc::from("one.json"), line: number, record, after: Place { files: 0, records: number } }
}

fn good(number: u64) -> Row {
    row(number, Ok((item(number, Some(number % 3), 1), None)))
}

fn rows(numbers: std::ops::Range<u64>) -> Vec<Row> {
    numbers.map(good).collect()
}

#[test]
fn a_table_is_creating_until_its_import_ends() {
    let world = World::in_memory(engine::LifeCycle::Realistic);
    let told = world.import(import_of("people", None)).unwrap();
    assert_eq!((told.status, told.imported_items), (ImportStatus::InProgress, 0));
    assert!(told.arn.starts_with(&format!("{}/import/", told.table_arn)), "{}", told.arn);
    assert_eq!(world.describe("people").unwrap().status, TableStatus::Creating);
    assert!(world.put("people", item(1, None, 1)).is_err());
    assert_eq!(world.delete("people").unwrap_err().kind, Kind::ResourceInUse);
    world.clock.advance(HOUR_MS);
    world.work();
    assert_eq!(world.describe("people").unwrap().status, TableStatus::Creating);

    let mut run = world.take_import();
    assert!(world.engine.take_job().is_none(), "one carries it out");
    assert!(run.put(rows(0..250), 5000).unwrap().is_empty());
    let middle = world.describe_import(&told.arn).unwrap();
    assert_eq!((middle.processed_items, middle.imported_items, middle.processed_bytes), (250, 250, 5000));
    run.end(None).unwrap();
    let table = world.describe("people").unwrap();
    assert_eq!((table.status, table.item_count), (TableStatus::Active, 250));
    assert_eq!(table.global_indexes[0].item_count, 250);
    assert_eq!(world.items("people", Some("by_group")).len(), 250);
    let ended = world.describe_import(&told.arn).unwrap();
    assert_eq!((ended.status, ended.end_ms), (ImportStatus::Completed, Some(told.start_ms + HOUR_MS)));
    assert!(world.engine.take_job().is_none());
    world.put("people", item(1, None, 2)).unwrap();
}

#[test]
fn rows_that_do_not_fit_are_counted_and_the_others_are_there() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    let told = world.import(import_of("people", None)).unwrap();
    let mut run = world.take_import();
    let mut keyless = item(3, None, 1);
    keyless.remove("pk");
    let wrong_index = Item::from([("group".into(), Value::Bool(true))]).into_iter().chain(key(4)).collect();
    let refused = run
        .put(
            vec![
                good(1),
                row(2, Err("not JSON".into())),
                row(3, Ok((keyless, None))),
                row(4, Ok((wrong_index, None))),
                // The same item again: the last one stays.
                row(5, Ok((item(1, Some(9), 7), None))),
            ],
            10,
        )
        .unwrap();
    let lines: Vec<u64> = refused.iter().map(|refused| refused.line).collect();
    assert_eq!(lines, [2, 3, 4]);
    assert_eq!(refused[0].reason, "not JSON");
    assert!(refused[1].reason.contains("Missing the key pk"), "{}", refused[1].reason);
    run.end(None).unwrap();
    let ended = world.describe_import(&told.arn).unwrap();
    assert_eq!((ended.processed_items, ended.imported_items, ended.error_count), (5, 2, 3));
    assert_eq!(ended.status, ImportStatus::Completed);
    assert_eq!(world.items("people", None), [item(1, Some(9), 7)]);
    assert_eq!(world.items("people", Some("by_group")), [item(1, Some(9), 7)]);
}

#[test]
fn a_failed_import_says_why() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    let told = world.import(import_of("people", None)).unwrap();
    let failure = |code: &str| Failure { code: code.into(), message: "not imported".into() };
    world.take_import().end(Some(failure("ItemValidationError"))).unwrap();
    let ended = world.describe_import(&told.arn).unwrap();
    assert_eq!((ended.status, ended.failure), (ImportStatus::Failed, Some(failure("ItemValidationError"))));
    assert_eq!(world.describe("people").unwrap().status, TableStatus::Active);
    world.delete("people").unwrap();
    assert_eq!(world.describe_import(&told.arn).unwrap().status, ImportStatus::Failed);
    let told = world.import(import_of("people", None)).unwrap();
    world.take_import().end(Some(failure("S3NoSuchBucket"))).unwrap();
    assert_eq!(world.describe_import(&told.arn).unwrap().status, ImportStatus::Failed);
    assert!(world.describe("people").is_err(), "without a bucket there is no table");
}

#[test]
fn a_token_starts_one_import_for_eight_hours() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    let first = world.import(import_of("people", Some("t"))).unwrap();
    assert_eq!(world.import(import_of("people", Some("t"))).unwrap().arn, first.arn);
    let other = ImportTable { compression: Compression::Gzip, ..import_of("people", Some("t")) };
    assert_eq!(world.import(other).unwrap_err().kind, Kind::ImportConflict);
    let again = world.import(import_of("people", Some("u"))).unwrap_err();
    assert_eq!(again.kind, Kind::ResourceInUse);
    world.take_import().end(None).unwrap();
    world.clock.advance(8 * HOUR_MS);
    assert_eq!(world.import(import_of("people", Some("t"))).unwrap_err().kind, Kind::ResourceInUse);
    assert_eq!(world.describe_import("arn:none").unwrap_err().kind, Kind::ImportNotFound);
}

#[test]
fn imports_are_listed_the_last_first_for_ninety_days() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    let mut arns = Vec::new();
    for number in 0..5 {
        arns.push(world.import(import_of(&format!("table{number}"), None)).unwrap().arn);
        world.take_import().end(None).unwrap();
        world.clock.advance(1000);
    }
    let list = |table: Option<&str>, limit, next| {
        let request = ListImports { table: table.map(Into::into), limit, next };
        match world.run(Operation::ListImports(request)).unwrap() {
            Output::Imports(imports) => imports,
            other => panic!("ListImports answered {other:?}"),
        }
    };
    let (mut seen, mut next) = (Vec::new(), None);
    loop {
        let page = list(None, 2, next);
        seen.extend(page.imports.into_iter().map(|import| import.arn));
        next = page.next;
        if next.is_none() {
            break;
        }
    }
    arns.reverse();
    assert_eq!(seen, arns);
    assert_eq!(list(Some("table3"), 10, None).imports.len(), 1);
    assert!(list(Some("other"), 10, None).imports.is_empty());
    world.clock.advance(90 * 24 * HOUR_MS);
    assert!(list(None, 10, None).imports.is_empty());
    world.work();
    assert_eq!(world.describe_import(&arns[0]).unwrap_err().kind, Kind::ImportNotFound);
}

#[test]
fn no_more_than_fifty_imports_run_at_a_time() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    for number in 0..50 {
        world.import(import_of(&format!("table{number}"), None)).unwrap();
    }
    assert_eq!(world.import(import_of("more", None)).unwrap_err().kind, Kind::LimitExceeded);
    world.take_import().end(None).unwrap();
    world.import(import_of("more", None)).unwrap();
}

/// The counts of an import after a restart that nobody prepared for.
fn go_on(dir: &Path, arn: &str) {
    let world = World::on_disk(dir);
    world.work();
    let told = world.describe_import(arn).unwrap();
    assert_eq!((told.status, told.processed_items), (ImportStatus::InProgress, 130));
    assert_eq!(world.describe("people").unwrap().status, TableStatus::Creating);
    let mut run = world.take_import();
    assert_eq!(run.place(), Place { files: 0, records: 129 });
    run.put(rows(130..200), 9).unwrap();
    run.end(None).unwrap();
    world.work();
    let table = world.describe("people").unwrap();
    assert_eq!((table.item_count, table.global_indexes[0].item_count), (200, 200));
    assert_eq!(world.items("people", None).len(), 200);
    let told = world.describe_import(arn).unwrap();
    assert_eq!((told.processed_items, told.imported_items), (200, 200));
}

#[test]
fn an_import_goes_on_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::on_disk(dir.path());
    let arn = world.import(import_of("people", None)).unwrap().arn;
    world.take_import().put(rows(0..130), 5).unwrap();
    drop(world);
    go_on(dir.path(), &arn);
    let world = World::on_disk(dir.path());
    assert_eq!(world.describe_import(&arn).unwrap().status, ImportStatus::Completed);
}

fn only_new() -> Option<RowCondition> {
    let expression = String::from("attribute_not_exists(#k)");
    let names = [("#k".to_string(), "pk".to_string())].into();
    Some(RowCondition { expression, names, values: Item::new() })
}

#[test]
fn bulk_operations_follow_conditions_and_report_what_failed() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    world.create(grouped("people")).unwrap();
    world.put("people", item(2, Some(1), 5)).unwrap();
    let told = world.bulk(bulk_of("people", None)).unwrap();
    let mut run = world.take_bulk();
    run.measured(777).unwrap();
    let bad = RowCondition { expression: "attribute_not(".into(), names: [].into(), values: Item::new() };
    let units = run
        .put(
            vec![
                row(1, Ok((item(1, Some(1), 1), only_new()))),
                row(2, Ok((item(2, Some(1), 6), only_new()))),
                row(3, Err("broken".into())),
                row(4, Ok((item(4, None, 1), Some(bad)))),
                row(5, Ok((item(5, None, 1), None))),
            ],
            100,
        )
        .unwrap()
        .unwrap();
    // Two items of the table, one entry of the index.
    assert!((units - 3.0).abs() < 0.01, "{units}");
    let reports = run.reports(0).unwrap();
    assert_eq!(reports.len(), 3, "{reports:?}");
    let condition = Report::ConditionCheckFailure {
        object: "one.json".into(),
        line: 2,
        item: item(2, Some(1), 6),
        existing: Some(item(2, Some(1), 5)),
    };
    assert!(reports.contains(&condition), "{reports:?}");
    assert!(run.reports(3).unwrap().is_empty());
    run.end(None).unwrap();
    let ended = world.describe_bulk(&told.arn).unwrap();
    assert_eq!(ended.status, BulkStatus::CompletedWithErrors);
    assert_eq!((ended.processed_items, ended.failed_items, ended.total_bytes), (5, 2, Some(777)));
    let usage = ended.usage.unwrap();
    assert!(usage.table_bytes > 0 && usage.global_indexes["by_group"] > 0, "{usage:?}");
    assert_eq!(usage.total_bytes, usage.table_bytes + usage.global_indexes["by_group"]);
    assert_eq!(world.items("people", None), [item(1, Some(1), 1), item(2, Some(1), 5), item(5, None, 1)]);
}

#[test]
fn a_bulk_operation_can_be_cancelled_and_its_table_deleted() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    world.create(table("people")).unwrap();
    let told = world.bulk(bulk_of("people", None)).unwrap();
    let mut run = world.take_bulk();
    run.put(rows(0..10), 1).unwrap();
    let cancel =
        |arn: &str| world.run(Operation::CancelBulkOperation(CancelBulkOperation { arn: arn.into() }));
    match cancel(&told.arn).unwrap() {
        Output::BulkOperationCancelled(cancelled) => assert_eq!(cancelled.status, BulkStatus::Cancelling),
        other => panic!("CancelBulkOperation answered {other:?}"),
    }
    assert!(run.is_cancelled());
    // What was on its way when the wish came does not undo it.
    run.put(rows(10..20), 2).unwrap();
    assert!(run.is_cancelled());
    run.end(Some(Failure { code: "UserCancelled".into(), message: "cancelled".into() })).unwrap();
    assert_eq!(world.describe_bulk(&told.arn).unwrap().status, BulkStatus::Cancelled);
    assert_eq!(world.items("people", None).len(), 20);
    assert_eq!(cancel("arn:none").unwrap_err().kind, Kind::ResourceNotFound);

    world.bulk(bulk_of("people", None)).unwrap();
    let mut run = world.take_bulk();
    world.delete("people").unwrap();
    assert_eq!(run.put(rows(0..10), 1).unwrap(), None);
}

/// The thread that would answer the transaction may wait for the table, whose definition the bulk operation holds.
#[test]
fn a_bulk_operation_waits_for_no_answer_of_a_transaction() {
    for world in
        [World::in_memory(engine::LifeCycle::Immediate), World::on_disk(tempfile::tempdir().unwrap().path())]
    {
        world.create(table("people")).unwrap();
        world.bulk(bulk_of("people", None)).unwrap();
        let put = TransactAct::Put { item: item(3, None, 7), condition: None };
        let action = TransactAction { table: "people".into(), act: put, on_failure: OnFailure::None };
        let pending = world.engine.run(Operation::TransactWriteItems(TransactWriteItems {
            actions: vec![action],
            token: None,
            digest: 0,
            capacity: CapacityDetail::None,
            metrics: MetricsDetail::None,
        }));
        let mut run = world.take_bulk();
        run.put(rows(0..10), 1).unwrap();
        pending.wait().unwrap();
        run.end(None).unwrap();
        assert_eq!(world.items("people", None).len(), 10);
    }
}

#[test]
fn a_bulk_operation_wants_a_table_and_a_token_starts_one() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    assert_eq!(world.bulk(bulk_of("people", None)).unwrap_err().kind, Kind::ResourceNotFound);
    world.import(import_of("importing", None)).unwrap();
    assert_eq!(world.bulk(bulk_of("importing", None)).unwrap_err().kind, Kind::ResourceInUse);
    world.create(table("people")).unwrap();
    let first = world.bulk(bulk_of("people", Some("t"))).unwrap();
    assert_eq!(world.bulk(bulk_of("people", Some("t"))).unwrap().arn, first.arn);
    let other = StartBulkPutItems { write_units_max: Some(5000), ..bulk_of("people", Some("t")) };
    assert_eq!(world.bulk(other).unwrap_err().kind, Kind::IdempotentParameterMismatch);
    let request = ListBulkOperations { limit: 10, next: None };
    match world.run(Operation::ListBulkOperations(request)).unwrap() {
        Output::BulkOperations(listed) => assert_eq!(listed.operations[0].arn, first.arn),
        other => panic!("ListBulkOperations answered {other:?}"),
    }
}

#[test]
fn a_bulk_operation_goes_on_after_a_restart_with_its_reports() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::on_disk(dir.path());
    world.create(table("people")).unwrap();
    let arn = world.bulk(bulk_of("people", None)).unwrap().arn;
    world.take_bulk().put(vec![good(1), row(2, Err("broken".into()))], 5).unwrap();
    drop(world);
    let world = World::on_disk(dir.path());
    world.engine.sweep_jobs().unwrap();
    let mut run = world.take_bulk();
    assert_eq!(run.place(), Place { files: 0, records: 2 });
    run.put(vec![row(3, Err("broken too".into())), good(4)], 9).unwrap();
    let reports = run.reports(0).unwrap();
    let lines: Vec<u64> = reports
        .iter()
        .map(|report| match report {
            Report::Error { line, .. } | Report::ConditionCheckFailure { line, .. } => *line,
        })
        .collect();
    assert_eq!(lines, [2, 3]);
    run.end(None).unwrap();
    assert_eq!(world.describe_bulk(&arn).unwrap().processed_items, 4);
    assert_eq!(world.items("people", None).len(), 2);
}
