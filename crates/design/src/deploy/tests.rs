//! Deployments to endpoints that lack things, refuse things, or are slow.

use std::sync::Mutex;

use serde_json::Map;

use super::*;
use crate::physical;

const DESIGN: &str = r#"
design: 1
tables:
  T:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: t
      BillingMode: PAY_PER_REQUEST
      KeySchema: [{AttributeName: k, KeyType: HASH}]
      TableClass: STANDARD
      SSESpecification: {SSEEnabled: true}
      TimeToLiveSpecification: {AttributeName: ttl, Enabled: true}
      Tags: [{Key: a, Value: b}]
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}
"#;

/// An endpoint with one table at most, which refuses what it is told to.
#[derive(Default)]
struct Fake {
    /// Operations it has not.
    lacks: &'static [&'static str],
    /// Members of CreateTable it refuses.
    refuses: &'static [&'static str],
    is_service: bool,
    /// How often a table is not ready yet.
    slow: u32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    table: Option<Json>,
    expiry: bool,
    recovery: bool,
    asked: u32,
    calls: Vec<String>,
}

impl Endpoint for Fake {
    fn call(&self, operation: &str, body: &Json) -> Result<Json, Failure> {
        let failed = |kind: &str| Err(Failure { status: 400, ..Failure::local(kind, kind) });
        let mut state = self.state.lock().unwrap();
        state.calls.push(operation.to_owned());
        if self.lacks.contains(&operation) {
            return failed("UnknownOperationException");
        }
        match operation {
            "CreateTable" => {
                if self.refuses.iter().any(|name| body.get(name).is_some()) {
                    return failed("ValidationException");
                }
                state.table = Some(body.clone());
                Ok(json!({}))
            }
            "DescribeTable" => {
                let Some(mut table) = state.table.clone() else { return failed("ResourceNotFoundException") };
                state.asked += 1;
                let members = table.as_object_mut().unwrap_or_else(|| unreachable!());
                describe(members, if state.asked > self.slow { "ACTIVE" } else { "CREATING" });
                Ok(json!({ "Table": table }))
            }
            "DescribeTimeToLive" => {
                let status = if state.expiry { "ENABLED" } else { "DISABLED" };
                Ok(json!({ "TimeToLiveDescription": { "TimeToLiveStatus": status, "AttributeName": "ttl" } }))
            }
            "DescribeContinuousBackups" => {
                let status = if state.recovery { "ENABLED" } else { "DISABLED" };
                let recovery = json!({ "PointInTimeRecoveryStatus": status });
                Ok(json!({ "ContinuousBackupsDescription": { "PointInTimeRecoveryDescription": recovery } }))
            }
            "ListTagsOfResource" => Ok(json!({ "Tags": [{ "Key": "a", "Value": "b" }] })),
            "UpdateTimeToLive" => {
                state.expiry = true;
                Ok(json!({}))
            }
            "UpdateContinuousBackups" => {
                state.recovery = true;
                Ok(json!({}))
            }
            other => panic!("{other}"),
        }
    }

    fn name(&self) -> String {
        "fake".to_owned()
    }

    fn is_service(&self) -> bool {
        self.is_service
    }
}

fn describe(members: &mut Map<String, Json>, status: &str) {
    members.insert("TableStatus".to_owned(), json!(status));
    members.insert("TableArn".to_owned(), json!("arn"));
    members.insert("BillingModeSummary".to_owned(), json!({ "BillingMode": "PAY_PER_REQUEST" }));
    members.shift_remove("SSESpecification");
}

fn deployed(fake: &Fake, is_strict: bool) -> (Result<Outcome, String>, Vec<Event>) {
    let (design, found) = crate::read::read("t.design.yaml", DESIGN);
    let design = design.unwrap_or_else(|| panic!("{found:?}"));
    let environment = physical::environment(&design, None).unwrap();
    let options = Options { is_strict, ..Options::default() };
    let mut events = Vec::new();
    let done = deploy(&design, environment, fake, options, &mut |event| events.push(event.clone()));
    (done.map_err(|failure| failure.to_string()), events)
}

#[test]
fn everything_is_made_once() {
    let fake = Fake { slow: 2, ..Fake::default() };
    let (done, events) = deployed(&fake, true);
    let done = done.unwrap();
    assert_eq!((done.created, done.steps), (vec!["t".to_owned()], 3));
    assert!(events.iter().any(|event| matches!(event, Event::Waits { state, .. } if state == "CREATING")));
    fake.state.lock().unwrap().calls.clear();
    let (again, _) = deployed(&fake, false);
    let again = again.unwrap();
    assert_eq!((again.created.len(), again.steps), (0, 0));
    let calls = fake.state.lock().unwrap().calls.clone();
    assert!(calls.iter().all(|call| call.starts_with("Describe") || call.starts_with("List")), "{calls:?}");
}

#[test]
fn what_an_endpoint_lacks_is_a_warning_unless_it_must_not() {
    const LACKS: &[&str] = &["UpdateTimeToLive", "UpdateContinuousBackups"];
    let (done, _) = deployed(&Fake { lacks: LACKS, ..Fake::default() }, false);
    let warnings = done.unwrap().warnings;
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("no UpdateTimeToLive"), "{warnings:?}");
    let (strict, _) = deployed(&Fake { lacks: LACKS, ..Fake::default() }, true);
    assert_eq!(strict.err().as_deref(), Some("UnknownOperationException: UnknownOperationException"));
    let (service, _) = deployed(&Fake { lacks: LACKS, is_service: true, ..Fake::default() }, false);
    assert!(service.is_err());
}

#[test]
fn an_emulator_gets_the_table_without_what_it_refuses_and_the_service_does_not() {
    const REFUSES: &[&str] = &["TableClass", "SSESpecification"];
    let fake = Fake { refuses: REFUSES, ..Fake::default() };
    let (done, _) = deployed(&fake, false);
    let warnings = done.unwrap().warnings;
    assert!(warnings[0].contains("made without TableClass, SSESpecification"), "{warnings:?}");
    assert!(fake.state.lock().unwrap().table.as_ref().is_some_and(|table| table.get("Tags").is_some()));
    let service = Fake { refuses: REFUSES, is_service: true, ..Fake::default() };
    assert_eq!(
        deployed(&service, false).0.err().as_deref(),
        Some("ValidationException: ValidationException")
    );
    assert!(service.state.lock().unwrap().table.is_none());
}

#[test]
fn a_failed_deployment_goes_on_where_it_stopped() {
    const LACKS: &[&str] = &["UpdateTimeToLive"];
    let fake = Fake { lacks: LACKS, ..Fake::default() };
    assert!(deployed(&fake, true).0.is_err());
    let fake = Fake { lacks: &[], ..fake };
    let done = deployed(&fake, false).0.unwrap();
    assert_eq!((done.created.len(), done.steps), (0, 2), "the table is there, expiry and recovery are not");
}
