//! Requests and answers of operations on what surrounds a table.

use op::{Endpoints, Limits, Name, Operation, Output, Tag, Tags, TimeToLive, TtlStatus};

use crate::testing::{accept, refuse, written};

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/tab";

#[test]
fn settings_are_refused() {
    let with = |rest: &str| format!(r#"{{"ResourceArn":"{ARN}"{rest}}}"#);
    refuse(
        Name::TagResource,
        &[
            ("{}", "Invalid TableArn"),
            (r#"{"ResourceArn":"x"}"#, "Invalid TableArn: Invalid ResourceArn provided as input x"),
            (&with(""), "Atleast one Tag needs to be provided as Input."),
            (&with(r#","Tags":[{"Key":"a"}]"#), "The Tag Value provided is invalid, Value: null"),
            (&with(r#","Tags":[{}]"#), "The Tag Key provided is invalid, Key: null"),
            (&with(r#","Tags":[{"Key":"a,b","Value":""}]"#), "The Tag Key provided is invalid, Key: a,b"),
            (
                &with(r#","Tags":[{"Key":"aws:a","Value":""}]"#),
                "Tag Key cannot be prefixed with aws:, Key: aws:a",
            ),
            (
                &with(r#","Tags":[{"Key":"a","Value":"1"},{"Key":"a","Value":"é 2"}]"#),
                "Duplicate Tag Keys provided as input: Duplicate Tag Key found a",
            ),
            (&with(r#","Tags":[{"Key":"","Value":""}]"#), "The Tag Key provided is invalid, Key: "),
        ],
    );
    refuse(
        Name::UntagResource,
        &[(&with(r#","TagKeys":[]"#), "Atleast one Tag Key needs to be provided as Input.")],
    );
    refuse(
        Name::UpdateTimeToLive,
        &[
            (r#"{"TableName":"tab"}"#, "#Value null at 'timeToLiveSpecification'… not be null"),
            (
                r#"{"TableName":"tab","TimeToLiveSpecification":{"Enabled":true,"AttributeName":""}}"#,
                "#Value '' at 'timeToLiveSpecification.attributeName'… have length greater than or equal to 1",
            ),
        ],
    );
}

#[test]
fn settings_are_written() {
    let Operation::DescribeEndpoints(asked) = accept(Name::DescribeEndpoints, "{}") else { panic!() };
    assert_eq!(asked.host, "localhost:8000");
    for (output, body) in [
        (
            Output::Endpoints(Endpoints { address: "h:1".into(), cache_period_minutes: 1440 }),
            r#"{"Endpoints":[{"Address":"h:1","CachePeriodInMinutes":1440}]}"#,
        ),
        (
            Output::Limits(Limits {
                account_read_max: 1,
                account_write_max: 2,
                table_read_max: 3,
                table_write_max: 4,
            }),
            r#"{"AccountMaxReadCapacityUnits":1,"AccountMaxWriteCapacityUnits":2,"TableMaxReadCapacityUnits":3,"TableMaxWriteCapacityUnits":4}"#,
        ),
        (
            Output::TimeToLive(TimeToLive { status: TtlStatus::Enabled, attribute: Some("t".into()) }),
            r#"{"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"t"}}"#,
        ),
        (
            Output::TimeToLiveChanged(TimeToLive {
                status: TtlStatus::Disabled,
                attribute: Some("t".into()),
            }),
            r#"{"TimeToLiveSpecification":{"Enabled":false,"AttributeName":"t"}}"#,
        ),
        (
            Output::Tags(Tags { tags: vec![Tag { key: "k".into(), value: "v".into() }], next: None }),
            r#"{"Tags":[{"Key":"k","Value":"v"}]}"#,
        ),
    ] {
        assert_eq!(written(&output, ""), body);
    }
}
