//! Requests and answers of operations on destinations.

use op::{
    DestinationStatus, KinesisDestination, KinesisDestinationChange, KinesisDestinations, Name, Operation,
    Output, Precision,
};

use crate::testing::{accept, refuse, written};

const STREAM: &str = "arn:aws:kinesis:us-east-1:000000000000:stream/changes";

#[test]
fn destinations_are_asked_for() {
    let with = |rest: &str| format!(r#"{{"TableName":"tab","StreamArn":"{STREAM}"{rest}}}"#);
    let micro = r#"{"ApproximateCreationDateTimePrecision":"MICROSECOND"}"#;
    for (rest, precision) in [
        (String::new(), None),
        (r#","EnableKinesisStreamingConfiguration":{}"#.to_owned(), None),
        (format!(r#","EnableKinesisStreamingConfiguration":{micro}"#), Some(Precision::Microsecond)),
    ] {
        let Operation::EnableKinesisStreamingDestination(asked) =
            accept(Name::EnableKinesisStreamingDestination, &with(&rest))
        else {
            panic!()
        };
        assert_eq!(
            (asked.table.as_str(), asked.stream.as_str(), asked.precision),
            ("tab", STREAM, precision)
        );
    }
    let body =
        r#"{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/tab","StreamArn":"not-an-arn"}"#;
    let Operation::DisableKinesisStreamingDestination(asked) =
        accept(Name::DisableKinesisStreamingDestination, body)
    else {
        panic!()
    };
    assert_eq!((asked.table.as_str(), asked.stream.as_str()), ("tab", "not-an-arn"));
    let body = with(
        r#","UpdateKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MILLISECOND"}"#,
    );
    let Operation::UpdateKinesisStreamingDestination(asked) =
        accept(Name::UpdateKinesisStreamingDestination, &body)
    else {
        panic!()
    };
    assert_eq!(asked.precision, Precision::Millisecond);
}

#[test]
fn destinations_are_refused() {
    let with = |rest: &str| format!(r#"{{"TableName":"tab","StreamArn":"{STREAM}"{rest}}}"#);
    let both = "2 validation errors detected: Value null at 'tableName'… not be null; Value null at 'streamArn'… not be \
                null";
    refuse(
        Name::EnableKinesisStreamingDestination,
        &[
            ("{}", both),
            (
                r#"{"TableName":"tab","StreamArn":"not-an-arn"}"#,
                "#Value 'not-an-arn' at 'streamArn'… have length greater than or equal to 37",
            ),
            (
                &with(
                    r#","EnableKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"SECOND"}"#,
                ),
                "#Value 'SECOND' at 'enableKinesisStreamingConfiguration.approximateCreationDateTimePrecision'… satisfy \
                 enum value set: [MILLISECOND, MICROSECOND]",
            ),
            (&with(r#","EnableKinesisStreamingConfiguration":"x""#), "~Unexpected field type"),
        ],
    );
    refuse(
        Name::DisableKinesisStreamingDestination,
        &[
            ("{}", both),
            (
                &with(r#","EnableKinesisStreamingConfiguration":{}"#),
                "Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters",
            ),
        ],
    );
    let nothing = "Streaming destination cannot be updated with given parameters: \
                   UpdateKinesisStreamingConfiguration cannot be null or contain only null values";
    refuse(
        Name::UpdateKinesisStreamingDestination,
        &[
            ("{}", both),
            (&with(""), nothing),
            (&with(r#","UpdateKinesisStreamingConfiguration":{}"#), nothing),
        ],
    );
    refuse(
        Name::DescribeKinesisStreamingDestination,
        &[
            ("{}", "#Value null at 'tableName'… not be null"),
            (r#"{"TableName":"a"}"#, "#Value 'a' at 'tableName'… have length greater than or equal to 3"),
        ],
    );
}

#[test]
fn destinations_are_written() {
    let change = |precision| KinesisDestinationChange {
        table: "tab".into(),
        stream: STREAM.into(),
        status: DestinationStatus::Updating,
        precision,
    };
    let begin = format!(r#"{{"TableName":"tab","StreamArn":"{STREAM}","DestinationStatus":"UPDATING""#);
    let micro = r#"{"ApproximateCreationDateTimePrecision":"MICROSECOND"}"#;
    for (output, rest) in [
        (Output::KinesisDestination(change(None)), String::new()),
        (
            Output::KinesisDestination(change(Some(Precision::Microsecond))),
            format!(r#","EnableKinesisStreamingConfiguration":{micro}"#),
        ),
        (
            Output::KinesisDestinationUpdated(change(Some(Precision::Microsecond))),
            format!(r#","UpdateKinesisStreamingConfiguration":{micro}"#),
        ),
    ] {
        assert_eq!(written(&output, ""), format!("{begin}{rest}}}"));
    }
    let failed = KinesisDestination {
        stream: STREAM.into(),
        status: DestinationStatus::EnableFailed,
        description: Some("no".into()),
        precision: Some(Precision::Millisecond),
    };
    let plain = KinesisDestination {
        status: DestinationStatus::Active,
        description: None,
        precision: None,
        ..failed.clone()
    };
    let listed = KinesisDestinations { table: "tab".into(), destinations: vec![failed, plain] };
    assert_eq!(
        written(&Output::KinesisDestinations(listed), ""),
        format!(
            r#"{{"TableName":"tab","KinesisDataStreamDestinations":[{{"StreamArn":"{STREAM}","DestinationStatus":"ENABLE_FAILED","DestinationStatusDescription":"no","ApproximateCreationDateTimePrecision":"MILLISECOND"}},{{"StreamArn":"{STREAM}","DestinationStatus":"ACTIVE"}}]}}"#
        )
    );
}
