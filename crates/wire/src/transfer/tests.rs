//! Requests and answers of operations that carry items to and from buckets.

use std::collections::BTreeMap;

use item::{Item, Value};
use op::{
    AttributeDefinition, BillingMode, BucketPlace, BucketSse, BulkInput, BulkOperation, BulkOperationSummary,
    BulkOperations, BulkOutput, BulkOutputKind, BulkStatus, BulkUsage, CancelledBulkOperation, Compression,
    CreateTable, CsvOptions, ExportDescription, ExportFilterText, ExportFormat, ExportScope, ExportStatus,
    ExportSummary, ExportTableToPointInTime, ExportView, Exports, Failure, ImportDescription, ImportFormat,
    ImportStatus, ImportSummary, ImportTable, Imports, IndexProjection, IndexSpec, KeyElement, KeyKind, Name,
    Operation, Output, PerformanceTier, ScalarType, SseAlgorithm, SseSpec, WarmThroughput,
};

use crate::testing::{accept, refuse, written};

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/tab";

fn place(owner: Option<&str>, prefix: Option<&str>) -> BucketPlace {
    let owned = |text: &str| text.to_owned();
    BucketPlace { bucket: "bucket".into(), owner: owner.map(owned), prefix: prefix.map(owned) }
}

fn export(rest: &str) -> ExportTableToPointInTime {
    let body = format!(r#"{{"TableArn":"{ARN}","S3Bucket":"bucket"{rest}}}"#);
    let Operation::ExportTableToPointInTime(asked) = accept(Name::ExportTableToPointInTime, &body) else {
        panic!()
    };
    *asked
}

#[test]
fn exports_are_asked_for() {
    let asked = export("");
    let full = ExportTableToPointInTime {
        table: "tab".into(),
        scope: ExportScope::Full(None),
        token: None,
        bucket: place(None, None),
        sse: BucketSse::default(),
        format: ExportFormat::DynamoDbJson,
        filter: None,
    };
    assert_eq!(asked, full);
    assert_eq!(export(r#","FilterSpecification":{}"#).filter, None);
    let asked =
        export(r#","ExportType":"FULL_EXPORT","ExportTime":1.5,"ExportFormat":"ION","ClientToken":"t""#);
    assert_eq!((asked.scope, asked.format), (ExportScope::Full(Some(1500)), ExportFormat::Ion));
    assert_eq!(asked.token.as_deref(), Some("t"));
    let asked = export(
        r#","S3BucketOwner":"000000000000","S3Prefix":"","S3SseAlgorithm":"KMS","S3SseKmsKeyId":"key""#,
    );
    assert_eq!(asked.bucket, place(Some("000000000000"), Some("")));
    assert_eq!(asked.sse, BucketSse { algorithm: Some(SseAlgorithm::Kms), key: Some("key".into()) });
    for (rest, to_ms, view) in [
        (r#""#, None, ExportView::NewAndOldImages),
        (r#","ExportToTime":2,"ExportViewType":"NEW_IMAGE""#, Some(2000), ExportView::NewImage),
    ] {
        let asked = export(&format!(
            r#","ExportType":"INCREMENTAL_EXPORT","IncrementalExportSpecification":{{"ExportFromTime":1{rest}}}"#
        ));
        assert_eq!(asked.scope, ExportScope::Incremental { from_ms: 1000, to_ms, view });
    }
}

#[test]
fn filters_of_exports_are_parsed_and_kept() {
    let sent = r##"{"FilterExpression":"#a > :a","ProjectionExpression":"#a","KeyConditionExpression":"pk = :p","ExpressionAttributeNames":{"#a":"x"},"ExpressionAttributeValues":{":a":{"N":"1"},":p":{"S":"p"}}}"##;
    let filter = export(&format!(r#","FilterSpecification":{sent}"#)).filter.unwrap();
    let item = |number: &str| {
        Item::from([
            ("x".to_owned(), Value::N(item::Number::parse(number).unwrap())),
            ("y".to_owned(), Value::Null),
        ])
    };
    let condition = filter.condition.as_ref().unwrap();
    assert!(condition.holds(&item("2")) && !condition.holds(&item("1")));
    assert_eq!(filter.projection.as_ref().unwrap().cut(&item("2")).len(), 1);
    assert!(filter.key_condition.as_ref().unwrap().test_of("pk").is_some());
    assert_eq!(op::ExportFilter::parse(filter.text.clone()).as_ref(), Ok(&filter));
    let output = Output::Export(Box::new(ExportDescription { filter: Some(filter.text), ..described() }));
    assert!(written(&output, "").ends_with(&format!(r#","FilterSpecification":{sent}}}}}"#)));
    let with = |filter: &str| {
        format!(r#"{{"TableArn":"{ARN}","S3Bucket":"bucket","FilterSpecification":{filter}}}"#)
    };
    refuse(
        Name::ExportTableToPointInTime,
        &[
            (
                &with("[]"),
                "~Unrecognized collection type class com.amazonaws.dynamodb.v20120810.FilterSpecification",
            ),
            (
                &with(r#"{"FilterExpression":""}"#),
                "Invalid FilterExpression: The expression can not be empty;",
            ),
            (
                &with(r##"{"ExpressionAttributeNames":{"#a":"a"}}"##),
                "ExpressionAttributeNames can only be specified when using expressions",
            ),
            (
                &with(r#"{"FilterExpression":"a = b","ExpressionAttributeValues":{":a":{"S":"x"}}}"#),
                "Value provided in ExpressionAttributeValues unused in expressions: keys: {:a}",
            ),
            (
                &with(r#"{"FilterExpression":"a = :b"}"#),
                "Invalid FilterExpression: An expression attribute value used in expression is not defined; attribute \
                 value: :b",
            ),
        ],
    );
}

#[test]
fn exports_are_refused() {
    let with = |rest: &str| format!(r#"{{"TableArn":"{ARN}","S3Bucket":"bucket"{rest}}}"#);
    let pattern = r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$";
    refuse(
        Name::ExportTableToPointInTime,
        &[
            (
                "{}",
                "2 validation errors detected: Value null at 'tableArn'… not be null; Value null at 's3Bucket'… not be \
                 null",
            ),
            (
                r#"{"TableArn":"tab","S3Bucket":"bucket"}"#,
                "One or more parameter values were invalid: tableArn is not a valid ARN",
            ),
            (
                &format!(r#"{{"TableArn":"{ARN}/index/idx","S3Bucket":"bucket"}}"#),
                "Invalid Request: Table ARN is invalid.",
            ),
            (
                &format!(r#"{{"TableArn":"{ARN}","S3Bucket":"arn:aws:s3:::bucket"}}"#),
                &format!(
                    "#Value 'arn:aws:s3:::bucket' at 's3Bucket'… satisfy regular expression pattern: {pattern}"
                ),
            ),
            (
                &with(r#","S3BucketOwner":"me""#),
                "#Value 'me' at 's3BucketOwner'… satisfy regular expression pattern: [0-9]{12}",
            ),
            (
                &with(r#","ClientToken":"a$b""#),
                r"#Value 'a$b' at 'clientToken'… satisfy regular expression pattern: ^[^\$]+$",
            ),
            (
                &with(r#","ExportFormat":"CSV""#),
                "#Value 'CSV' at 'exportFormat'… satisfy enum value set: [DYNAMODB_JSON, ION]",
            ),
            (
                &with(r#","S3SseAlgorithm":"AES256","S3SseKmsKeyId":"key""#),
                "Invalid Request: KMS Key Id is not supported for this encryption type",
            ),
            (
                &with(r#","S3SseKmsKeyId":"key""#),
                "Invalid Request: KMS Key Id is not supported for this encryption type",
            ),
            (&with(r#","ExportTime":"now""#), "~STRING_VALUE cannot be converted to Date"),
        ],
    );
}

#[test]
fn scopes_of_exports_are_refused() {
    let with = |rest: &str| format!(r#"{{"TableArn":"{ARN}","S3Bucket":"bucket"{rest}}}"#);
    refuse(
        Name::ExportTableToPointInTime,
        &[
            (
                &with(r#","IncrementalExportSpecification":{}"#),
                "Invalid Request: Export Type expected to be Incremental Export when incremental export specification is \
                 provided",
            ),
            (
                &with(r#","ExportType":"FULL_EXPORT","IncrementalExportSpecification":{}"#),
                "Invalid Request: When Export Type is Full Export , Incremental Export Specification should not be \
                 provided",
            ),
            (
                &with(r#","ExportType":"INCREMENTAL_EXPORT""#),
                "Invalid Request: Incremental Export Specification expected when export type is set as Incremental \
                 Export",
            ),
            (
                &with(
                    r#","ExportType":"INCREMENTAL_EXPORT","IncrementalExportSpecification":{"ExportViewType":"NEW_IMAGE"}"#,
                ),
                "Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification",
            ),
            (
                &with(r#","IncrementalExportSpecification":{"ExportViewType":"NEW_IMAGES"}"#),
                "#Value 'NEW_IMAGES' at 'incrementalExportSpecification.exportViewType'… satisfy enum value set: \
                 [NEW_IMAGE, NEW_AND_OLD_IMAGES]",
            ),
        ],
    );
}

#[test]
fn long_work_is_looked_up() {
    for (name, member, kind, said) in [
        (Name::DescribeExport, "ExportArn", "export", "Invalid Export ARN"),
        (Name::DescribeImport, "ImportArn", "import", "Invalid Import ARN"),
    ] {
        accept(name, &format!(r#"{{"{member}":"{ARN}/{kind}/01-ab"}}"#));
        let printed = format!("{}{}", kind, "Arn");
        refuse(
            name,
            &[
                ("{}", &format!("#Value null at '{printed}'… not be null")),
                (
                    &format!(r#"{{"{member}":"foo"}}"#),
                    &format!("#Value 'foo' at '{printed}'… have length greater than or equal to 37"),
                ),
                (&format!(r#"{{"{member}":"{ARN}"}}"#), said),
                (&format!(r#"{{"{member}":"{ARN}/other/01-ab"}}"#), said),
            ],
        );
    }
    for name in [Name::DescribeBulkOperation, Name::CancelBulkOperation] {
        refuse(name, &[("{}", "#Value null at 'bulkOperationArn'… not be null")]);
    }
    let Operation::ListExports(asked) = accept(Name::ListExports, "{}") else { panic!() };
    assert_eq!((asked.table, asked.limit, asked.next), (None, 25, None));
    refuse(
        Name::ListExports,
        &[
            (r#"{"MaxResults":26}"#, "#Value '26' at 'maxResults'… have value less than or equal to 25"),
            (
                r#"{"TableArn":"tab"}"#,
                "One or more parameter values were invalid: tableArn is not a valid ARN",
            ),
        ],
    );
    refuse(
        Name::ListImports,
        &[(
            r#"{"NextToken":"x"}"#,
            "2 validation errors detected: Value 'x' at 'nextToken'… satisfy regular expression pattern: \
             ([0-9a-f]{16})+; Value 'x' at 'nextToken'… have length greater than or equal to 112",
        )],
    );
}

fn described() -> ExportDescription {
    ExportDescription {
        arn: "arn".into(),
        status: ExportStatus::InProgress,
        start_ms: 1500,
        end_ms: None,
        manifest: None,
        table_arn: ARN.into(),
        table_id: "id".into(),
        scope: ExportScope::Full(Some(1000)),
        token: None,
        bucket: place(None, None),
        sse: BucketSse::default(),
        format: ExportFormat::DynamoDbJson,
        filter: None,
        failure: None,
        billed_bytes: None,
        item_count: None,
    }
}

#[test]
fn exports_are_written() {
    let begin = |status: &str| {
        format!(r#"{{"ExportDescription":{{"ExportArn":"arn","ExportStatus":"{status}","StartTime":1.5,"#)
    };
    let table = format!(r#""TableArn":"{ARN}","TableId":"id","#);
    assert_eq!(
        written(&Output::Export(Box::new(described())), ""),
        format!(
            r#"{}{table}"S3Bucket":"bucket","S3SseAlgorithm":"AES256","ExportFormat":"DYNAMODB_JSON","ExportType":"FULL_EXPORT","ExportTime":1.0}}}}"#,
            begin("IN_PROGRESS")
        )
    );
    let failed = ExportDescription {
        status: ExportStatus::Failed,
        end_ms: Some(2500),
        manifest: Some("manifest".into()),
        scope: ExportScope::Incremental { from_ms: 1000, to_ms: Some(2000), view: ExportView::NewImage },
        token: Some("t".into()),
        bucket: place(Some("000000000000"), Some("pre")),
        sse: BucketSse { algorithm: Some(SseAlgorithm::Kms), key: Some("key".into()) },
        format: ExportFormat::Ion,
        filter: Some(ExportFilterText { condition: Some("a = b".into()), ..ExportFilterText::default() }),
        failure: Some(Failure { code: "S3NoSuchBucket".into(), message: "gone".into() }),
        billed_bytes: Some(9),
        item_count: Some(3),
        ..described()
    };
    assert_eq!(
        written(&Output::Export(Box::new(failed)), ""),
        format!(
            r#"{}"EndTime":2.5,"ExportManifest":"manifest",{table}"ClientToken":"t","S3BucketOwner":"000000000000","S3Bucket":"bucket","S3Prefix":"pre","S3SseAlgorithm":"KMS","S3SseKmsKeyId":"key","FailureCode":"S3NoSuchBucket","FailureMessage":"gone","ExportFormat":"ION","BilledSizeBytes":9,"ItemCount":3,"ExportType":"INCREMENTAL_EXPORT","IncrementalExportSpecification":{{"ExportFromTime":1.0,"ExportToTime":2.0,"ExportViewType":"NEW_IMAGE"}},"FilterSpecification":{{"FilterExpression":"a = b"}}}}}}"#,
            begin("FAILED")
        )
    );
    let summary = ExportSummary { arn: "arn".into(), status: ExportStatus::Completed, is_incremental: true };
    assert_eq!(
        written(&Output::Exports(Exports { exports: vec![summary], next: Some("n".into()) }), ""),
        r#"{"ExportSummaries":[{"ExportArn":"arn","ExportStatus":"COMPLETED","ExportType":"INCREMENTAL_EXPORT"}],"NextToken":"n"}"#
    );
}

const PARAMETERS: &str = r#"{"TableName":"tab","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;

fn import(rest: &str) -> ImportTable {
    let body = format!(
        r#"{{"S3BucketSource":{{"S3Bucket":"bucket"}},"TableCreationParameters":{PARAMETERS},"InputFormat":{rest}}}"#
    );
    let Operation::ImportTable(asked) = accept(Name::ImportTable, &body) else { panic!() };
    *asked
}

#[test]
fn imports_are_asked_for() {
    let asked = import(r#""DYNAMODB_JSON""#);
    assert_eq!((asked.source, asked.compression), (place(None, None), Compression::None));
    assert_eq!((asked.format, asked.token), (ImportFormat::DynamoDbJson, None));
    assert_eq!((asked.table.name.as_str(), asked.table.key_schema.len()), ("tab", 1));
    assert_eq!(import(r#""ION","InputCompressionType":"ZSTD""#).compression, Compression::Zstd);
    assert_eq!(import(r#""CSV""#).format, ImportFormat::Csv(CsvOptions::default()));
    let options = CsvOptions { delimiter: Some('\t'), header: Some(vec!["pk".into(), "a b".into()]) };
    assert_eq!(
        import(r#""CSV","InputFormatOptions":{"Csv":{"Delimiter":"\t","HeaderList":["pk","a b"]}}"#).format,
        ImportFormat::Csv(options)
    );
    // What a table that is imported cannot have is ignored, as anything unknown is.
    let body = format!(
        r#"{{"S3BucketSource":{{"S3Bucket":"bucket"}},"InputFormat":"ION","TableCreationParameters":{}}}"#,
        PARAMETERS.replacen('{', r#"{"Tags":3,"LocalSecondaryIndexes":3,"#, 1)
    );
    accept(Name::ImportTable, &body);
}

#[test]
fn imports_are_refused() {
    let with = |format: &str| {
        format!(
            r#"{{"S3BucketSource":{{"S3Bucket":"bucket"}},"TableCreationParameters":{PARAMETERS},"InputFormat":{format}}}"#
        )
    };
    let table = |parameters: &str| {
        format!(
            r#"{{"S3BucketSource":{{"S3Bucket":"bucket"}},"InputFormat":"ION","TableCreationParameters":{parameters}}}"#
        )
    };
    refuse(
        Name::ImportTable,
        &[
            (
                "{}",
                "3 validation errors detected: Value null at 's3BucketSource'… not be null; Value null at \
                 'inputFormat'… not be null; Value null at 'tableCreationParameters'… not be null",
            ),
            (
                &with(r#""CSV","InputFormatOptions":{"Csv":{"Delimiter":";;"}}"#),
                "2 validation errors detected: Value ';;' at 'inputFormatOptions.csv.delimiter'… satisfy regular \
                 expression pattern: [,;:|\\t ]; Value ';;' at 'inputFormatOptions.csv.delimiter'… have length less \
                 than or equal to 1",
            ),
            (
                &with(r#""DYNAMODB_JSON","InputFormatOptions":{"Csv":{}}"#),
                "Invalid Request: Unsupported InputFormatOptions for the given input format: DYNAMODB_JSON.",
            ),
            (
                &with(r#""ION","InputCompressionType":"BZIP2""#),
                "#Value 'BZIP2' at 'inputCompressionType'… satisfy enum value set: [ZSTD, NONE, GZIP]",
            ),
            (
                &table(r#"{"TableName":"tab","AttributeDefinitions":[]}"#),
                "#Value null at 'tableCreationParameters.keySchema'… not be null",
            ),
            (
                &table(&PARAMETERS.replace("PAY_PER_REQUEST", "PROVISIONED")),
                "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be \
                 specified when BillingMode is PROVISIONED",
            ),
            (
                &table(&PARAMETERS.replacen('{', r#"{"VectorIndexes":[],"#, 1)),
                "One or more parameter values were invalid: VectorIndexes is not supported by this server yet",
            ),
        ],
    );
}

fn imported() -> ImportDescription {
    let hash = vec![KeyElement { name: "pk".into(), kind: KeyKind::Hash }];
    let index = IndexSpec {
        name: "idx".into(),
        key_schema: hash.clone(),
        projection: IndexProjection::All,
        throughput: None,
        on_demand: None,
        warm: Some(WarmThroughput { read: Some(12_000), write: None }),
    };
    let Operation::CreateTable(table) = accept(
        Name::CreateTable,
        r#"{"TableName":"tab","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#,
    ) else {
        panic!()
    };
    let table = CreateTable {
        attributes: vec![AttributeDefinition { name: "pk".into(), kind: ScalarType::S }],
        global_indexes: vec![index],
        billing: Some(BillingMode::PayPerRequest),
        sse: Some(SseSpec { enabled: true, kms: true, key: Some("alias/aws/dynamodb".into()) }),
        ..*table
    };
    ImportDescription {
        arn: "arn".into(),
        status: ImportStatus::Completed,
        table_arn: ARN.into(),
        table_id: "id".into(),
        token: Some("t".into()),
        source: place(Some("000000000000"), Some("pre")),
        error_count: 1,
        log_group_arn: Some("log".into()),
        format: ImportFormat::Csv(CsvOptions { delimiter: Some(';'), header: Some(vec!["pk".into()]) }),
        compression: Compression::None,
        table,
        start_ms: 1500,
        end_ms: Some(2500),
        processed_bytes: 5,
        processed_items: 4,
        imported_items: 3,
        failure: None,
    }
}

#[test]
fn imports_are_written() {
    let source =
        r#""S3BucketSource":{"S3BucketOwner":"000000000000","S3Bucket":"bucket","S3KeyPrefix":"pre"}"#;
    let options = r#""InputFormatOptions":{"Csv":{"Delimiter":";","HeaderList":["pk"]}},"#;
    let key = r#""KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]"#;
    let expected = format!(
        r#"{{"ImportTableDescription":{{"ImportArn":"arn","ImportStatus":"COMPLETED","TableArn":"{ARN}","TableId":"id","ClientToken":"t",{source},"ErrorCount":1,"CloudWatchLogGroupArn":"log","InputFormat":"CSV",{options}"InputCompressionType":"NONE","TableCreationParameters":{{"TableName":"tab","AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}}],{key},"BillingMode":"PAY_PER_REQUEST","SSESpecification":{{"Enabled":true,"SSEType":"KMS","KMSMasterKeyId":"alias/aws/dynamodb"}},"GlobalSecondaryIndexes":[{{"IndexName":"idx",{key},"Projection":{{"ProjectionType":"ALL"}},"WarmThroughput":{{"ReadUnitsPerSecond":12000}}}}]}},"StartTime":1.5,"EndTime":2.5,"ProcessedSizeBytes":5,"ProcessedItemCount":4,"ImportedItemCount":3}}}}"#
    );
    assert_eq!(written(&Output::Import(Box::new(imported())), ""), expected);
    let plain = ImportDescription { format: ImportFormat::Csv(CsvOptions::default()), ..imported() };
    assert_eq!(written(&Output::Import(Box::new(plain)), ""), expected.replace(options, ""));
    let summary = ImportSummary {
        arn: "arn".into(),
        status: ImportStatus::InProgress,
        table_arn: ARN.into(),
        source: place(None, None),
        log_group_arn: None,
        format: ImportFormat::Ion,
        start_ms: 1000,
        end_ms: None,
    };
    assert_eq!(
        written(&Output::Imports(Imports { imports: vec![summary], next: None }), ""),
        format!(
            r#"{{"ImportSummaryList":[{{"ImportArn":"arn","ImportStatus":"IN_PROGRESS","TableArn":"{ARN}","S3BucketSource":{{"S3Bucket":"bucket"}},"InputFormat":"ION","StartTime":1.0}}]}}"#
        )
    );
}

#[test]
fn bulk_operations_are_asked_for() {
    let body = |input: &str, output: &str, rest: &str| {
        format!(
            r#"{{"TableName":"{ARN}","InputS3Configuration":{{"S3Bucket":"bucket"{input}}},"OutputS3Configuration":{{"S3Bucket":"bucket"{output}}}{rest}}}"#
        )
    };
    let (format, kinds) = (r#","InputFormat":"DYNAMODB_JSON""#, r#","OutputType":["ERROR"]"#);
    let Operation::StartBulkPutItems(asked) = accept(Name::StartBulkPutItems, &body(format, kinds, ""))
    else {
        panic!()
    };
    assert_eq!((asked.table.as_str(), asked.table_named.as_str()), ("tab", ARN));
    assert_eq!((asked.tier, asked.write_units_max), (PerformanceTier::Standard, None));
    assert_eq!(
        (asked.input.compression, asked.output.kinds),
        (Compression::None, vec![BulkOutputKind::Error])
    );
    let said = "One or more parameter values were invalid:";
    refuse(
        Name::StartBulkPutItems,
        &[
            (
                "{}",
                "3 validation errors detected: Value null at 'inputS3Configuration'… not be null; Value null at \
                 'outputS3Configuration'… not be null; Value null at 'tableName'… not be null",
            ),
            (&body("", kinds, ""), "#Value null at 'inputS3Configuration.inputFormat'… not be null"),
            (
                &body(format, kinds, r#","MaxWriteRequestUnits":1023"#),
                "#Value '1023' at 'maxWriteRequestUnits'… have value greater than or equal to 1024",
            ),
            (&body(format, r#","OutputType":[]"#, ""), &format!("{said} List of OutputType is empty")),
            (
                &body(format, r#","OutputType":["ERROR","ERROR"]"#, ""),
                &format!("{said} Duplicate element in OutputType: ERROR"),
            ),
            (
                &body(format, r#","OutputType":["NONE"]"#, ""),
                "#Value 'NONE' at 'outputS3Configuration.outputType.1.member'… satisfy enum value set: [ERROR, \
                 CONDITION_CHECK_FAILURE]",
            ),
        ],
    );
}

#[test]
fn bulk_operations_are_written() {
    let bulk = BulkOperation {
        arn: "arn".into(),
        status: BulkStatus::CompletedWithErrors,
        table_named: "tab".into(),
        table_id: "id".into(),
        token: None,
        input: BulkInput {
            source: place(None, None),
            format: ExportFormat::Ion,
            compression: Compression::Gzip,
        },
        output: BulkOutput {
            target: place(None, Some("out")),
            sse: BucketSse { algorithm: Some(SseAlgorithm::Aes256), key: None },
            kinds: vec![BulkOutputKind::Error, BulkOutputKind::ConditionCheckFailure],
        },
        start_ms: 1500,
        end_ms: Some(2500),
        processed_items: 1,
        processed_bytes: 2,
        total_bytes: Some(3),
        usage: Some(BulkUsage {
            total_bytes: 9,
            table_bytes: 4,
            local_indexes: BTreeMap::new(),
            global_indexes: BTreeMap::from([("idx".to_owned(), 5)]),
        }),
        failed_items: 1,
        failure: Some(Failure { code: "c".into(), message: "m".into() }),
        write_units_max: Some(2000),
        tier: PerformanceTier::Accelerated,
    };
    assert_eq!(
        written(&Output::BulkOperation(Box::new(bulk)), ""),
        r#"{"BulkOperationDescription":{"BulkOperationArn":"arn","BulkOperationStatus":"COMPLETED_WITH_ERRORS","TableDetails":[{"TableName":"tab","TableId":"id"}],"InputS3Configuration":{"S3Bucket":"bucket","InputFormat":"ION","InputCompressionType":"GZIP"},"OutputS3Configuration":{"S3Bucket":"bucket","S3KeyPrefix":"out","S3SseAlgorithm":"AES256","OutputType":["ERROR","CONDITION_CHECK_FAILURE"]},"StartTime":1.5,"EndTime":2.5,"ProcessedItemCount":1,"ProcessedInputBytes":2,"TotalInputBytes":3,"BulkOperationUsage":[{"TableName":"tab","BulkPutBytes":9,"Table":{"BulkPutBytes":4},"GlobalSecondaryIndexes":{"idx":{"BulkPutBytes":5}}}],"FailedItemCount":1,"FailureCode":"c","FailureMessage":"m","MaxWriteRequestUnits":2000,"PerformanceTier":"ACCELERATED"}}"#
    );
    let summary = BulkOperationSummary {
        arn: "arn".into(),
        status: BulkStatus::InProgress,
        start_ms: 1000,
        end_ms: None,
    };
    assert_eq!(
        written(&Output::BulkOperations(BulkOperations { operations: vec![summary], next: None }), ""),
        r#"{"BulkOperationsSummaryList":[{"BulkOperationArn":"arn","BulkOperationStatus":"IN_PROGRESS","StartTime":1.0}]}"#
    );
    let cancelled = CancelledBulkOperation { arn: "arn".into(), status: BulkStatus::Cancelling };
    assert_eq!(
        written(&Output::BulkOperationCancelled(cancelled), ""),
        r#"{"BulkOperationArn":"arn","BulkOperationStatus":"CANCELLING"}"#
    );
}
