//! Imports and exports between a server and its buckets, wherever those are.

use crate::client::{ask, call};
use crate::process::{Server, larder, now};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// An operation that succeeds.
fn done(port: u16, operation: &str, body: &Value) -> Value {
    let answer = ask(port, call(operation, "", &body.to_string()));
    assert_eq!(answer.check().status, 200, "{}", answer.text());
    serde_json::from_slice(&answer.body).unwrap()
}

fn text(value: &Value, pointer: &str) -> String {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("{pointer} of {value}"))
        .to_owned()
}

/// The description of a job that has ended.
fn ended(port: u16, operation: &str, arn: &Value, status: &str) -> Value {
    let begun = now();
    loop {
        let described = done(port, operation, arn);
        if text(&described, status) != "IN_PROGRESS" {
            return described;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{described}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn import(port: u16, table: &str, prefix: &str, compression: &str) -> Value {
    let begun = done(
        port,
        "ImportTable",
        &json!({
            "S3BucketSource": {"S3Bucket": "files", "S3KeyPrefix": prefix},
            "InputFormat": "DYNAMODB_JSON",
            "InputCompressionType": compression,
            "TableCreationParameters": {
                "TableName": table,
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            },
        }),
    );
    let arn = json!({"ImportArn": text(&begun, "/ImportTableDescription/ImportArn")});
    ended(port, "DescribeImport", &arn, "/ImportTableDescription/ImportStatus")
}

/// Imports what was put into the buckets, exports it, and imports that.
fn there_and_back(port: u16, buckets: &Path) {
    let lines: String = (0..250).map(|id| format!("{{\"Item\":{{\"id\":{{\"N\":\"{id}\"}}}}}}\n")).collect();
    std::fs::create_dir_all(buckets.join("files")).unwrap();
    std::fs::write(buckets.join("files/in.json"), lines).unwrap();
    let imported = import(port, "numbers", "in", "NONE");
    assert_eq!(
        imported.pointer("/ImportTableDescription/ImportedItemCount"),
        Some(&json!(250)),
        "{imported}"
    );
    let recovery = json!({"PointInTimeRecoveryEnabled": true});
    let on = json!({"TableName": "numbers", "PointInTimeRecoverySpecification": recovery});
    done(port, "UpdateContinuousBackups", &on);
    let table = text(&imported, "/ImportTableDescription/TableArn");
    let begun = done(
        port,
        "ExportTableToPointInTime",
        &json!({"TableArn": table, "S3Bucket": "files", "S3Prefix": "out"}),
    );
    let arn = json!({"ExportArn": text(&begun, "/ExportDescription/ExportArn")});
    let exported = ended(port, "DescribeExport", &arn, "/ExportDescription/ExportStatus");
    let manifest = text(&exported, "/ExportDescription/ExportManifest");
    assert!(buckets.join("files").join(manifest).is_file());
    let imported = import(port, "again", "out/", "GZIP");
    assert_eq!(
        imported.pointer("/ImportTableDescription/ImportedItemCount"),
        Some(&json!(250)),
        "{imported}"
    );
    let counted = done(port, "Scan", &json!({"TableName": "again", "Select": "COUNT"}));
    assert_eq!(counted.get("Count"), Some(&json!(250)));
}

#[test]
fn buckets_are_beside_the_data() {
    let folder = TempDir::new().unwrap();
    let server = Server::in_folder(folder.path());
    there_and_back(server.port, &folder.path().join("buckets"));
}

#[test]
fn buckets_are_where_they_are_said_to_be() {
    let (data, buckets) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let mut command = larder(&["serve", "--port", "0", "--data-dir", data.path().to_str().unwrap()]);
    let server = Server::start(command.args(["--bucket-dir", buckets.path().to_str().unwrap()]));
    assert!(server.greeting.contains(buckets.path().to_str().unwrap()), "{}", server.greeting);
    there_and_back(server.port, buckets.path());
    assert!(!data.path().join("buckets").exists());
}

#[test]
fn a_server_that_keeps_nothing_keeps_no_buckets() {
    let server = Server::in_memory();
    let line = server.greeting.lines().find_map(|line| line.trim().strip_prefix("buckets")).unwrap();
    let buckets = PathBuf::from(line.trim().split(',').next().unwrap());
    there_and_back(server.port, &buckets);
    #[cfg(unix)]
    {
        server.signal("TERM");
        assert_eq!(server.end().0, Some(0));
        assert!(!buckets.exists());
    }
}
