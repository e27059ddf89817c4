//! Exports as the service lays them out: keys, manifests, lines. The expected texts are facts of its documentation.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what goes wrong in a test shall end it")]

use std::io::Read as _;
use std::path::Path;

use item::{Item, Value};
use transfer::{
    Bucket, Buckets, Change, ExportDone, ExportFormat, ExportJob, ExportKind, ExportView, ExportWriter,
    Place, RecordPlace, ReportJob, ReportKind, ReportWriter, export_id, json_lines,
};

const START: u64 = 1_604_474_914_028;

fn bucket(folder: &Path) -> Bucket {
    Buckets::new(Place::Folder(folder.to_path_buf())).open("some-bucket").unwrap()
}

fn job(format: ExportFormat, kind: ExportKind) -> ExportJob {
    ExportJob {
        export_id: export_id(START, 0xa1b2_c3d4),
        export_arn: "arn:aws:dynamodb:us-east-1:123456789012:table/T/export/01604474914028-a1b2c3d4"
            .to_owned(),
        table_arn: "arn:aws:dynamodb:us-east-1:123456789012:table/T".to_owned(),
        table_id: "12345a12-abcd-123a-ab12-1234abc12345".to_owned(),
        prefix: Some("2020-Nov".to_owned()),
        sse_algorithm: None,
        sse_kms_key_id: None,
        format,
        kind,
        start_time: START,
        file_bytes_max: 1000,
    }
}

fn item(text: &str) -> Item {
    json_lines::from_json(text.as_bytes()).unwrap()
}

fn unpacked(bucket: &Bucket, key: &str) -> String {
    let packed = bucket.get(key).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
    text
}

fn text(bucket: &Bucket, key: &str) -> String {
    String::from_utf8(bucket.get(key).unwrap()).unwrap()
}

const BOOK: &str = r#"{"Authors":{"SS":["Author1","Author2"]},"ISBN":{"S":"333-3333333333"},"Id":{"N":"103"},"In":{"BOOL":false},"No":{"NULL":true},"PageCount":{"N":"600"},"Raw":{"B":"aGk="},"a b":{"L":[{"M":{}}]}}"#;

fn full(bucket: &Bucket, format: ExportFormat, count: usize) -> ExportDone {
    let kind = ExportKind::Full { export_time: START };
    let mut writer = ExportWriter::begin(bucket.clone(), job(format, kind)).unwrap();
    for _ in 0..count {
        writer.push(&item(BOOK)).unwrap();
    }
    writer.finish(1_604_475_223_897).unwrap()
}

#[test]
fn a_full_export_has_the_keys_and_manifests_of_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let bucket = bucket(folder.path());
    let done = full(&bucket, ExportFormat::DynamoDbJson, 1);
    let own = "2020-Nov/AWSDynamoDB/01604474914028-a1b2c3d4";
    assert_eq!(done.manifest_key, format!("{own}/manifest-summary.json"));
    let data = &done.files[0].key;
    let name = data.strip_prefix(&format!("{own}/data/")).unwrap();
    assert!(name.len() == 26 + ".json.gz".len() && name.ends_with(".json.gz"), "{name}");
    let keys: Vec<String> = bucket.list_all("").unwrap().into_iter().map(|object| object.key).collect();
    let mut expected = vec![format!("{own}/_started"), data.clone()];
    expected.extend(
        ["files.json", "files.md5", "summary.json", "summary.md5"].map(|end| format!("{own}/manifest-{end}")),
    );
    assert_eq!(keys, expected);

    assert_eq!(
        text(&bucket, &done.manifest_key),
        format!(
            concat!(
                r#"{{"version":"2020-06-30","exportArn":"arn:aws:dynamodb:us-east-1:123456789012:table/T/export/"#,
                r#"01604474914028-a1b2c3d4","startTime":"2020-11-04T07:28:34.028Z","endTime":"2020-11-04T07:33:43.897Z","#,
                r#""tableArn":"arn:aws:dynamodb:us-east-1:123456789012:table/T","#,
                r#""tableId":"12345a12-abcd-123a-ab12-1234abc12345","exportTime":"2020-11-04T07:28:34.028Z","#,
                r#""s3Bucket":"some-bucket","s3Prefix":"2020-Nov","s3SseAlgorithm":"AES256","s3SseKmsKeyId":null,"#,
                r#""manifestFilesS3Key":"{own}/manifest-files.json","billedSizeBytes":{size},"itemCount":1,"#,
                r#""outputFormat":"DYNAMODB_JSON","exportType":"FULL_EXPORT"}}"#
            ),
            own = own,
            size = item::item_bytes(&item(BOOK)),
        )
    );
    let file = &done.files[0];
    assert_eq!(
        text(&bucket, &format!("{own}/manifest-files.json")),
        format!(
            "{{\"itemCount\":1,\"md5Checksum\":\"{}\",\"etag\":\"{}\",\"dataFileS3Key\":\"{data}\"}}\n",
            file.md5, file.etag
        )
    );
    assert_eq!(bucket.head(data).unwrap().etag.as_ref(), Some(&file.etag));
    assert_eq!(unpacked(&bucket, data), format!("{{\"Item\":{BOOK}}}\n"));
}

#[test]
fn ion_is_written_as_the_service_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    let bucket = bucket(folder.path());
    let done = full(&bucket, ExportFormat::Ion, 1);
    assert!(done.files[0].key.ends_with(".ion.gz"));
    assert_eq!(
        unpacked(&bucket, &done.files[0].key),
        concat!(
            r#"$ion_1_0 {Item:{Authors:$dynamodb_SS::["Author1","Author2"],ISBN:"333-3333333333",Id:103.,In:false,"#,
            r#"No:null,PageCount:6d2,Raw:{{aGk=}},'a b':[{}]}}"#,
            "\n"
        )
    );
}

#[test]
fn an_empty_export_has_an_empty_file_and_a_large_one_several() {
    let folder = tempfile::tempdir().unwrap();
    let bucket = bucket(folder.path());
    let done = full(&bucket, ExportFormat::DynamoDbJson, 0);
    assert_eq!((done.item_count, done.files.len(), done.files[0].item_count), (0, 1, 0));
    assert_eq!(unpacked(&bucket, &done.files[0].key), "");

    // The same export, begun again, writes over the file that was there.
    let done = full(&bucket, ExportFormat::DynamoDbJson, 20);
    assert_eq!(done.files.iter().map(|file| file.item_count).sum::<u64>(), 20);
    assert_eq!(bucket.list_all("2020-Nov").unwrap().len(), done.files.len() + 5);
    assert!(done.files.len() > 3);
}

fn incremental(bucket: &Bucket, format: ExportFormat, view: ExportView) -> Vec<String> {
    let kind = ExportKind::Incremental { from: START, to: START + 3_600_000, view };
    let mut writer = ExportWriter::begin(bucket.clone(), job(format, kind)).unwrap();
    let (keys, old) = (item(r#"{"id":{"N":"1"}}"#), item(r#"{"id":{"N":"1"},"v":{"S":"old"}}"#));
    let new = item(r#"{"id":{"N":"1"},"v":{"S":"new"}}"#);
    for (old_image, new_image) in [(None, Some(&new)), (Some(&old), Some(&new)), (Some(&old), None)] {
        let change = Change { write_time_micros: 1_680_109_764_000_001, keys: &keys, old_image, new_image };
        writer.push_change(&change).unwrap();
    }
    let done = writer.finish(START + 1).unwrap();
    assert!(done.files[0].key.starts_with("2020-Nov/AWSDynamoDB/data/"));
    let summary = text(bucket, &done.manifest_key);
    let members =
        r#""exportFromTime":"2020-11-04T07:28:34.028Z","exportToTime":"2020-11-04T08:28:34.028Z","s3Bucket""#;
    assert!(summary.starts_with(r#"{"version":"2023-08-01","#) && summary.contains(members), "{summary}");
    let end = format!(r#""outputView":"{}","exportType":"INCREMENTAL_EXPORT"}}"#, view.name());
    assert!(summary.ends_with(&end), "{summary}");
    unpacked(bucket, &done.files[0].key).lines().map(str::to_owned).collect()
}

#[test]
fn an_incremental_export_shows_what_its_view_shows() {
    let folder = tempfile::tempdir().unwrap();
    let bucket = bucket(folder.path());
    let head = r#"{"Metadata":{"WriteTimestampMicros":{"N":"1680109764000001"}},"Keys":{"id":{"N":"1"}}"#;
    let old = r#","OldImage":{"id":{"N":"1"},"v":{"S":"old"}}"#;
    let new = r#","NewImage":{"id":{"N":"1"},"v":{"S":"new"}}"#;
    assert_eq!(
        incremental(&bucket, ExportFormat::DynamoDbJson, ExportView::NewAndOldImages),
        [format!("{head}{new}}}"), format!("{head}{old}{new}}}"), format!("{head}{old}}}"),]
    );
    assert_eq!(
        incremental(&bucket, ExportFormat::DynamoDbJson, ExportView::NewImage),
        [format!("{head}{new}}}"), format!("{head}{new}}}"), format!("{head}}}"),]
    );
    let lines = incremental(&bucket, ExportFormat::Ion, ExportView::NewAndOldImages);
    assert_eq!(
        lines[1],
        concat!(
            "$ion_1_0 {Record:{Metadata:{WriteTimestampMicros:1680109764000001.},Keys:{id:1.},",
            r#"OldImage:{id:1.,v:"old"},NewImage:{id:1.,v:"new"}}}"#
        )
    );
}

#[test]
fn reports_say_what_failed() {
    let folder = tempfile::tempdir().unwrap();
    let bucket = bucket(folder.path());
    let job = |kinds: &[ReportKind]| ReportJob {
        operation_id: "op".to_owned(),
        operation_arn: "arn:op".to_owned(),
        table_arn: "arn:table".to_owned(),
        prefix: None,
        kinds: kinds.to_vec(),
        start_time: START,
    };
    let place = RecordPlace { key: "in/a.json", line: 7 };
    let one = Item::from([("id".to_owned(), Value::S("1".to_owned()))]);
    let mut writer =
        ReportWriter::begin(bucket.clone(), job(&[ReportKind::Error, ReportKind::ConditionCheckFailure]))
            .unwrap();
    writer.error(place, "ValidationError", "no \"key\"", None).unwrap();
    writer.condition_check_failure(place, &one, Some(&one)).unwrap();
    let done = writer.finish(START).unwrap();
    assert_eq!((done.errors, done.condition_check_failures), (1, 1));
    assert!(done.files[0].key.starts_with("AWSDynamoDB/op/ERROR/"));
    assert!(done.files[1].key.starts_with("AWSDynamoDB/op/CONDITION_CHECK_FAILURE/"));
    assert_eq!(
        unpacked(&bucket, &done.files[0].key),
        "{\"S3Key\":\"in/a.json\",\"LineNumber\":7,\"ErrorCode\":\"ValidationError\",\"ErrorMessage\":\"no \\\"key\\\"\"}\n"
    );
    assert_eq!(
        unpacked(&bucket, &done.files[1].key),
        "{\"S3Key\":\"in/a.json\",\"LineNumber\":7,\"Item\":{\"id\":{\"S\":\"1\"}},\"ExistingItem\":{\"id\":{\"S\":\"1\"}}}\n"
    );
    // What was not asked for is counted, not written.
    let mut writer = ReportWriter::begin(bucket, job(&[ReportKind::Error])).unwrap();
    writer.condition_check_failure(place, &one, None).unwrap();
    let done = writer.finish(START).unwrap();
    assert_eq!((done.condition_check_failures, done.files.len()), (1, 0));
}
