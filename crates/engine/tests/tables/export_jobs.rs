//! Exports as the one who carries them out sees them, and as they are described.

use std::collections::BTreeMap;

use engine::{ExportRow, ExportRun, JobRun};
use item::{Item, Value};
use op::{
    BucketPlace, BucketSse, DescribeExport, Error, ExportDescription, ExportFilter, ExportFilterText,
    ExportFormat, ExportScope, ExportStatus, ExportTableToPointInTime, ExportView, Failure, Kind,
    ListExports, Operation, Output, UpdateContinuousBackups,
};

use crate::world::{START_MS, World, item, key, table};

const MINUTE_MS: u64 = 60 * 1000;

fn export_of(name: &str, scope: ExportScope) -> ExportTableToPointInTime {
    ExportTableToPointInTime {
        table: name.into(),
        scope,
        token: None,
        bucket: BucketPlace { bucket: "files".into(), owner: None, prefix: None },
        sse: BucketSse::default(),
        format: ExportFormat::DynamoDbJson,
        filter: None,
    }
}

fn filter(text: ExportFilterText) -> Option<ExportFilter> {
    Some(ExportFilter::parse(text).unwrap())
}

impl World {
    fn recover_table(&self, name: &str) {
        let request = UpdateContinuousBackups { table: name.into(), enabled: true, period_days: None };
        self.run(Operation::UpdateContinuousBackups(request)).unwrap();
    }

    fn export(&self, request: ExportTableToPointInTime) -> Result<ExportDescription, Error> {
        match self.run(Operation::ExportTableToPointInTime(Box::new(request)))? {
            Output::Export(export) => Ok(*export),
            other => panic!("ExportTableToPointInTime answered {other:?}"),
        }
    }

    fn describe_export(&self, arn: &str) -> Result<ExportDescription, Error> {
        match self.run(Operation::DescribeExport(DescribeExport { arn: arn.into() }))? {
            Output::Export(export) => Ok(*export),
            other => panic!("DescribeExport answered {other:?}"),
        }
    }

    fn take_export(&self) -> ExportRun<'_> {
        match self.engine.take_job() {
            Some(JobRun::Export(run)) => *run,
            _ => panic!("there is no export"),
        }
    }

    /// Carries the next export out and answers what it wrote.
    fn carry_out(&self) -> Vec<ExportRow> {
        let mut run = self.take_export();
        self.work();
        assert!(run.is_ready().unwrap());
        let (mut rows, mut after) = (Vec::new(), None);
        loop {
            let page = run.page(after.as_ref()).unwrap();
            rows.extend(page.rows);
            run.count(rows.len() as u64, 1);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        run.complete("manifest-summary.json".into(), rows.len() as u64, 1).unwrap();
        rows.sort_by_key(|row| format!("{:?}", row.new.as_ref().map(|item| item.get("pk").cloned())));
        rows
    }
}

fn news(rows: Vec<ExportRow>) -> Vec<Item> {
    rows.into_iter().map(|row| row.new.unwrap()).collect()
}

#[test]
fn an_export_is_of_its_time_whatever_is_written_later() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    world.create(table("people")).unwrap();
    world.recover_table("people");
    for number in 0..250 {
        world.put("people", item(number, None, 1)).unwrap();
    }
    world.clock.advance(MINUTE_MS);
    let at_ms = START_MS + MINUTE_MS;
    world.put("people", item(0, None, 2)).unwrap();
    world.clock.advance(MINUTE_MS);
    world.put("people", item(1, None, 3)).unwrap();
    world.remove("people", key(2)).unwrap();

    let told = world.export(export_of("people", ExportScope::Full(Some(at_ms)))).unwrap();
    assert_eq!(told.status, ExportStatus::InProgress);
    assert!(told.arn.starts_with(&format!("{}/export/", told.table_arn)), "{}", told.arn);
    world.put("people", item(3, None, 4)).unwrap();
    world.delete("people").unwrap();
    let mut expected: Vec<Item> = (0..250).map(|number| item(number, None, 1)).collect();
    expected[0] = item(0, None, 2);
    assert_eq!(news(world.carry_out()), expected);
    let ended = world.describe_export(&told.arn).unwrap();
    assert_eq!((ended.status, ended.item_count), (ExportStatus::Completed, Some(250)));
    assert_eq!(ended.manifest.as_deref(), Some("manifest-summary.json"));
    assert_eq!(ended.end_ms, Some(START_MS + 2 * MINUTE_MS));
}

#[test]
fn an_incremental_export_tells_both_ends_of_each_change() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    world.create(table("people")).unwrap();
    world.recover_table("people");
    for number in 0..5 {
        world.put("people", item(number, None, 1)).unwrap();
    }
    world.clock.advance(MINUTE_MS);
    let from_ms = START_MS + MINUTE_MS;
    world.put("people", item(1, None, 2)).unwrap();
    world.clock.advance(1);
    world.put("people", item(1, None, 3)).unwrap();
    world.remove("people", key(2)).unwrap();
    world.put("people", item(9, None, 1)).unwrap();
    world.put("people", item(8, None, 1)).unwrap();
    world.remove("people", key(8)).unwrap();
    world.clock.advance(MINUTE_MS);
    let to_ms = from_ms + MINUTE_MS + 1;
    world.put("people", item(3, None, 9)).unwrap();

    let scope = ExportScope::Incremental { from_ms, to_ms: Some(to_ms), view: ExportView::NewAndOldImages };
    world.export(export_of("people", scope)).unwrap();
    let rows = world.carry_out();
    let told: Vec<_> = rows
        .iter()
        .map(|row| {
            let change = row.change.as_ref().unwrap();
            assert_eq!(change.written_ms, from_ms + 1);
            (change.key.clone(), change.old.clone(), row.new.clone())
        })
        .collect();
    assert_eq!(
        told,
        [
            (key(2), Some(item(2, None, 1)), None),
            (key(1), Some(item(1, None, 1)), Some(item(1, None, 3))),
            (key(9), None, Some(item(9, None, 1))),
        ]
    );
}

#[test]
fn a_filter_takes_keys_items_and_attributes() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    world.create(table("people")).unwrap();
    world.recover_table("people");
    for number in 0..10 {
        world.put("people", item(number, Some(number % 2), number)).unwrap();
    }
    let values = |value: &str| Some(BTreeMap::from([(":v".to_string(), Value::S(value.into()))]));
    let by_group = ExportFilterText {
        condition: Some("#g = :v".into()),
        projection: Some("pk, #g".into()),
        names: Some(BTreeMap::from([("#g".into(), "group".into())])),
        values: values("group 1"),
        ..ExportFilterText::default()
    };
    let request = export_of("people", ExportScope::Full(None));
    let told = world
        .export(ExportTableToPointInTime { filter: filter(by_group.clone()), ..request.clone() })
        .unwrap();
    assert_eq!(told.filter, Some(by_group));
    let items = news(world.carry_out());
    assert_eq!(items.len(), 5);
    assert!(items.iter().all(|item| item.len() == 2 && item["group"] == Value::S("group 1".into())));

    let by_key = ExportFilterText {
        key_condition: Some("pk = :v".into()),
        values: values("item 000004"),
        ..ExportFilterText::default()
    };
    world.export(ExportTableToPointInTime { filter: filter(by_key), ..request.clone() }).unwrap();
    assert_eq!(news(world.carry_out()), [item(4, Some(0), 4)]);

    let no_key = ExportFilterText {
        key_condition: Some("version = :v".into()),
        values: values("x"),
        ..ExportFilterText::default()
    };
    let refused = world.export(ExportTableToPointInTime { filter: filter(no_key), ..request });
    assert_eq!(refused.unwrap_err().kind, Kind::Validation);
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    let full = |at_ms| export_of("people", ExportScope::Full(at_ms));
    assert_eq!(world.export(full(None)).unwrap_err().kind, Kind::TableNotFound);
    world.create(table("people")).unwrap();
    assert_eq!(world.export(full(None)).unwrap_err().kind, Kind::PointInTimeRecoveryUnavailable);
    world.recover_table("people");
    world.clock.advance(MINUTE_MS);
    for outside in [START_MS - MINUTE_MS, START_MS + 2 * MINUTE_MS] {
        assert_eq!(world.export(full(Some(outside))).unwrap_err().kind, Kind::InvalidExportTime);
    }
    let incremental = |from_ms, to_ms| {
        let scope = ExportScope::Incremental { from_ms, to_ms: Some(to_ms), view: ExportView::NewImage };
        world.export(export_of("people", scope)).unwrap_err().kind
    };
    assert_eq!(incremental(START_MS + 5, START_MS + 5), Kind::InvalidExportTime);
    assert_eq!(incremental(START_MS, START_MS + 25 * 60 * MINUTE_MS), Kind::InvalidExportTime);
    assert_eq!(incremental(START_MS - MINUTE_MS, START_MS), Kind::InvalidExportTime);
    assert_eq!(world.describe_export("arn:none").unwrap_err().kind, Kind::ExportNotFound);
}

#[test]
fn a_token_starts_one_export_and_all_are_listed() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    for name in ["people", "places"] {
        world.create(table(name)).unwrap();
        world.recover_table(name);
    }
    let with_token = |name: &str, format| {
        let request = export_of(name, ExportScope::Full(None));
        ExportTableToPointInTime { token: Some("t".into()), format, ..request }
    };
    let first = world.export(with_token("people", ExportFormat::Ion)).unwrap();
    world.clock.advance(1000);
    assert_eq!(world.export(with_token("people", ExportFormat::Ion)).unwrap().arn, first.arn);
    for (name, format) in [("people", ExportFormat::DynamoDbJson), ("places", ExportFormat::Ion)] {
        assert_eq!(world.export(with_token(name, format)).unwrap_err().kind, Kind::ExportConflict);
    }
    let second = world.export(export_of("places", ExportScope::Full(None))).unwrap();
    let list = |table: Option<&str>, limit, next| {
        let request = ListExports { table: table.map(Into::into), limit, next };
        match world.run(Operation::ListExports(request)).unwrap() {
            Output::Exports(exports) => exports,
            other => panic!("ListExports answered {other:?}"),
        }
    };
    let page = list(None, 1, None);
    assert_eq!(page.exports[0].arn, second.arn);
    let page = list(None, 1, page.next);
    assert_eq!((page.exports[0].arn.as_str(), page.next), (first.arn.as_str(), None));
    assert_eq!(list(Some("people"), 10, None).exports.len(), 1);
}

#[test]
fn an_export_begins_again_after_a_restart_and_a_failed_one_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::on_disk(dir.path());
    world.create(table("people")).unwrap();
    world.recover_table("people");
    for number in 0..150 {
        world.put("people", item(number, None, 1)).unwrap();
    }
    let arn = world.export(export_of("people", ExportScope::Full(None))).unwrap().arn;
    world.put("people", item(0, None, 2)).unwrap();
    let mut run = world.take_export();
    world.work();
    assert_eq!(run.page(None).unwrap().rows.len(), 100);
    drop(run);
    drop(world);
    let world = World::on_disk(dir.path());
    let rows = news(world.carry_out());
    assert_eq!((rows.len(), &rows[0]), (150, &item(0, None, 1)));
    let failed = world.export(export_of("people", ExportScope::Full(None))).unwrap().arn;
    let failure = Failure { code: "S3NoSuchBucket".into(), message: "no such bucket".into() };
    world.take_export().fail(failure.clone()).unwrap();
    world.work();
    drop(world);
    let world = World::on_disk(dir.path());
    assert!(world.engine.take_job().is_none());
    assert_eq!(world.describe_export(&arn).unwrap().status, ExportStatus::Completed);
    let ended = world.describe_export(&failed).unwrap();
    assert_eq!((ended.status, ended.failure), (ExportStatus::Failed, Some(failure)));
}
