//! Records of jobs come back as they were, and damage is noticed.

use std::collections::BTreeMap;

use item::Value;
use op::{
    AttributeDefinition, BillingMode, BucketPlace, BucketSse, BulkInput, BulkOperation, BulkOutput,
    BulkOutputKind, BulkStatus, BulkUsage, Compression, CreateTable, CsvOptions, ExportDescription,
    ExportFilterText, ExportFormat, ExportScope, ExportStatus, ExportView, Failure, ImportDescription,
    ImportFormat, ImportStatus, IndexProjection, IndexSpec, KeyElement, KeyKind, OnDemand, PerformanceTier,
    ScalarType, SseAlgorithm, SseSpec, Throughput, WarmThroughput,
};

use super::{decode, encode, key};
use crate::schema::{KeyPart, KeySchema};
use crate::transfer::{Bulk, Export, Import, Job, Place};

fn place() -> BucketPlace {
    BucketPlace { bucket: "files".into(), owner: Some("1".into()), prefix: Some("in/".into()) }
}

fn failure() -> Failure {
    Failure { code: "S3NoSuchBucket".into(), message: "gone".into() }
}

fn export() -> Job {
    let filter = ExportFilterText {
        key_condition: Some("#k = :v".into()),
        condition: Some("a > b".into()),
        projection: Some("a".into()),
        names: Some(BTreeMap::from([("#k".into(), "pk".into())])),
        values: Some(BTreeMap::from([(":v".into(), Value::S("x".into()))])),
    };
    let scope = |to_ms| ExportScope::Incremental { from_ms: 5, to_ms, view: ExportView::NewImage };
    Job::Export(Export {
        told: ExportDescription {
            arn: "arn:export".into(),
            status: ExportStatus::Completed,
            start_ms: 1,
            end_ms: Some(2),
            manifest: Some("m".into()),
            table_arn: "arn:table".into(),
            table_id: "id".into(),
            scope: scope(Some(9)),
            token: Some("token".into()),
            bucket: place(),
            sse: BucketSse { algorithm: Some(SseAlgorithm::Kms), key: Some("k".into()) },
            format: ExportFormat::Ion,
            filter: Some(filter),
            failure: Some(failure()),
            billed_bytes: Some(3),
            item_count: Some(4),
        },
        asked: scope(None),
        key: KeySchema {
            hash: vec![KeyPart { name: "pk".into(), kind: ScalarType::B }],
            range: vec![KeyPart { name: "sk".into(), kind: ScalarType::N }],
        },
        copy: Some(17),
    })
}

fn table() -> CreateTable {
    let key = vec![KeyElement { name: "pk".into(), kind: KeyKind::Hash }];
    let index = |name: &str, projection| IndexSpec {
        name: name.into(),
        key_schema: key.clone(),
        projection,
        throughput: Some(Throughput { read: 1, write: 2 }),
        on_demand: Some(OnDemand { read_max: Some(-1), write_max: None }),
        warm: Some(WarmThroughput { read: Some(5), write: None }),
    };
    CreateTable {
        name: "people".into(),
        attributes: vec![AttributeDefinition { name: "pk".into(), kind: ScalarType::N }],
        key_schema: key.clone(),
        local_indexes: Vec::new(),
        global_indexes: vec![
            index("one", IndexProjection::All),
            index("two", IndexProjection::Include(vec!["a".into()])),
            index("three", IndexProjection::KeysOnly),
        ],
        billing: Some(BillingMode::Provisioned),
        throughput: Some(Throughput { read: 3, write: 4 }),
        on_demand: Some(OnDemand { read_max: None, write_max: Some(7) }),
        warm: None,
        stream: None,
        sse: Some(SseSpec { enabled: true, kms: true, key: Some("k".into()) }),
        tags: Vec::new(),
        class: None,
        deletion_protection: false,
    }
}

fn import(format: ImportFormat) -> Job {
    Job::Import(Import {
        told: ImportDescription {
            arn: "arn:import".into(),
            status: ImportStatus::Failed,
            table_arn: "arn:table".into(),
            table_id: "id".into(),
            token: None,
            source: place(),
            error_count: 1,
            log_group_arn: Some("arn:logs".into()),
            format,
            compression: Compression::Zstd,
            table: table(),
            start_ms: 1,
            end_ms: None,
            processed_bytes: 2,
            processed_items: 3,
            imported_items: 4,
            failure: Some(failure()),
        },
        place: Place { files: 5, records: 6 },
    })
}

fn bulk() -> Job {
    Job::Bulk(Bulk {
        told: BulkOperation {
            arn: "arn:bulk".into(),
            status: BulkStatus::Cancelling,
            table_named: "arn:people".into(),
            table_id: "id".into(),
            token: Some("token".into()),
            input: BulkInput {
                source: place(),
                format: ExportFormat::DynamoDbJson,
                compression: Compression::Gzip,
            },
            output: BulkOutput {
                target: BucketPlace { owner: None, prefix: None, ..place() },
                sse: BucketSse::default(),
                kinds: vec![BulkOutputKind::Error, BulkOutputKind::ConditionCheckFailure],
            },
            start_ms: 1,
            end_ms: Some(2),
            processed_items: 3,
            processed_bytes: 4,
            total_bytes: Some(5),
            usage: Some(BulkUsage {
                total_bytes: 6,
                table_bytes: 7,
                local_indexes: BTreeMap::from([("l".into(), 8)]),
                global_indexes: BTreeMap::from([("g".into(), 9)]),
            }),
            failed_items: 10,
            failure: None,
            write_units_max: Some(2000),
            tier: PerformanceTier::Accelerated,
        },
        table: "people".into(),
        place: Place { files: 1, records: 2 },
        reports: 3,
    })
}

fn all() -> Vec<Job> {
    let csv = |delimiter, header: Option<&str>| {
        let header = header.map(|names| names.split(' ').map(Into::into).collect());
        ImportFormat::Csv(CsvOptions { delimiter, header })
    };
    vec![
        export(),
        import(ImportFormat::Ion),
        import(ImportFormat::DynamoDbJson),
        import(csv(None, None)),
        import(csv(Some('|'), Some("a b"))),
        bulk(),
    ]
}

#[test]
fn jobs_come_back_as_they_were() {
    for job in all() {
        assert_eq!(decode(&key(&job), &encode(&job)), Some(job));
    }
}

#[test]
fn damage_is_noticed() {
    for job in all() {
        let (key, bytes) = (key(&job), encode(&job));
        for length in 0..bytes.len() {
            assert_eq!(decode(&key, &bytes[..length]), None, "{length} bytes of {job:?}");
        }
    }
    assert_eq!(decode(b"job/other/arn", &encode(&bulk())), None);
}
