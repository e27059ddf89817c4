//! Tables moved between two servers and through files, by the binary itself.

use crate::client::{ask, call};
use crate::process::{Server, ended, larder, now};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;
use tempfile::TempDir;

const TIME_MAX: Duration = Duration::from_secs(60);

/// A table with everything that can be taken along.
const CREATE: &str = r#"{"TableName":"Orders","BillingMode":"PROVISIONED",
    "ProvisionedThroughput":{"ReadCapacityUnits":1000,"WriteCapacityUnits":2000},
    "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"},
        {"AttributeName":"when","AttributeType":"B"}],
    "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
    "GlobalSecondaryIndexes":[{"IndexName":"by-when","KeySchema":[{"AttributeName":"when","KeyType":"HASH"}],
        "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["note"]},
        "ProvisionedThroughput":{"ReadCapacityUnits":10,"WriteCapacityUnits":2000}}],
    "LocalSecondaryIndexes":[{"IndexName":"local","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
        {"AttributeName":"when","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],
    "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},
    "Tags":[{"Key":"team","Value":"food"}],"DeletionProtectionEnabled":true}"#;

/// Items of every type, at the edges of what there is.
const ITEMS: &[&str] = &[
    r#"{"pk":{"S":"a"},"sk":{"N":"1"},"n":{"N":"0.12345678901234567890123456789012345678"},"big":{"N":"9.9999999999999999999999999999999999999E+125"}}"#,
    r#"{"pk":{"S":"a"},"sk":{"N":"-12345678901234567890123456789012345678"},"ss":{"SS":["x","","y,\"z\""]},"ns":{"NS":["1","2.5","-3E-130"]},"bs":{"BS":["AP8=","AA=="]}}"#,
    r#"{"pk":{"S":"b\n\"c\",\t\u0001é😀"},"sk":{"N":"2"},"when":{"B":"/wA="},"note":{"S":""},"e":{"B":""},"yes":{"BOOL":true},"no":{"BOOL":false},"nil":{"NULL":true}}"#,
    r#"{"pk":{"S":" d "},"sk":{"N":"0"},"note":{"N":"5"},"l":{"L":[{"S":"x"},{"L":[]},{"M":{"k":{"NS":["7"]},"e":{"NULL":true}}}]},"m":{"M":{}},"a:N":{"S":"\"quoted\""}}"#,
];

fn sent(port: u16, operation: &str, body: &str) -> String {
    let answer = ask(port, call(operation, "", body));
    assert_eq!(answer.status, 200, "{operation} {body}: {}", answer.text());
    answer.text().to_owned()
}

fn described(port: u16, operation: &str, table: &str) -> serde_json::Value {
    serde_json::from_str(&sent(port, operation, &format!("{{\"TableName\":\"{table}\"}}"))).unwrap()
}

/// Makes the table, its expiry and its items.
fn filled(port: u16) {
    sent(port, "CreateTable", CREATE);
    let expiry =
        r#"{"TableName":"Orders","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"over"}}"#;
    sent(port, "UpdateTimeToLive", expiry);
    let recovery = r#"{"TableName":"Orders","PointInTimeRecoverySpecification":
        {"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":7}}"#;
    sent(port, "UpdateContinuousBackups", recovery);
    for item in ITEMS {
        sent(port, "PutItem", &format!("{{\"TableName\":\"Orders\",\"Item\":{item}}}"));
    }
}

/// Makes a table of many small items.
fn many(port: u16, count: usize) {
    sent(
        port,
        "CreateTable",
        r#"{"TableName":"Many","BillingMode":"PAY_PER_REQUEST",
            "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],
            "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}"#,
    );
    for start in (0..count).step_by(25) {
        let puts: Vec<String> = (start..count.min(start + 25))
            .map(|number| {
                format!(r#"{{"PutRequest":{{"Item":{{"id":{{"S":"{number}"}},"n":{{"N":"{number}"}}}}}}}}"#)
            })
            .collect();
        sent(port, "BatchWriteItem", &format!(r#"{{"RequestItems":{{"Many":[{}]}}}}"#, puts.join(",")));
    }
}

/// Every item of a table by its text, in one order. Sets are sorted, since their order says nothing.
fn items(port: u16, table: &str) -> BTreeMap<String, ()> {
    let mut found = BTreeMap::new();
    let mut body = serde_json::json!({ "TableName": table, "ConsistentRead": true });
    loop {
        let answer: serde_json::Value = serde_json::from_str(&sent(port, "Scan", &body.to_string())).unwrap();
        for item in answer.get("Items").unwrap().as_array().unwrap() {
            found.insert(sorted(item).to_string(), ());
        }
        let Some(last) = answer.get("LastEvaluatedKey") else { return found };
        body.as_object_mut().unwrap().insert("ExclusiveStartKey".to_owned(), last.clone());
    }
}

fn sorted(value: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Object(members) => {
            let members: BTreeMap<String, Value> = members
                .iter()
                .map(|(name, inside)| {
                    let mut inside = sorted(inside);
                    if let (true, Value::Array(members)) =
                        (matches!(name.as_str(), "SS" | "NS" | "BS"), &mut inside)
                    {
                        members.sort_by_key(Value::to_string);
                    }
                    (name.clone(), inside)
                })
                .collect();
            Value::Object(members.into_iter().collect())
        }
        Value::Array(values) => Value::Array(values.iter().map(sorted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn url(server: &Server) -> String {
    format!("http://127.0.0.1:{}", server.port)
}

fn copy(from: &Server, to: &Server, folder: &Path, words: &[&str]) -> Command {
    let (from, to) = (url(from), url(to));
    let mut command = larder(&["copy", "--from", &from, "--to", &to, "--resume", folder.to_str().unwrap()]);
    command.args(words);
    command
}

fn finished(command: &mut Command) -> Output {
    let mut child = command.spawn().unwrap();
    ended(&mut child, TIME_MAX);
    child.wait_with_output().unwrap()
}

/// Runs to the end: the exit code, what is said, what is complained of.
fn done(command: &mut Command) -> (Option<i32>, String, String) {
    let output = finished(command);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_copy_has_the_same_settings_and_items() {
    let (from, to, folder) = (Server::in_memory(), Server::in_memory(), TempDir::new().unwrap());
    filled(from.port);
    let (code, said, errors) =
        done(&mut copy(&from, &to, folder.path(), &["--all", "--rename", "Orders=Bestellungen"]));
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(said, "Orders → Bestellungen: 4 items copied, both sides are the same\n");
    assert_eq!(items(from.port, "Orders"), items(to.port, "Bestellungen"));
    assert_eq!(items(to.port, "Bestellungen").len(), ITEMS.len());

    let (ours, theirs) = (
        described(from.port, "DescribeTable", "Orders"),
        described(to.port, "DescribeTable", "Bestellungen"),
    );
    for member in ["AttributeDefinitions", "KeySchema", "StreamSpecification", "DeletionProtectionEnabled"] {
        assert!(!ours["Table"][member].is_null(), "{member}");
        assert_eq!(ours["Table"][member], theirs["Table"][member], "{member}");
    }
    assert_eq!(theirs["Table"]["ProvisionedThroughput"]["WriteCapacityUnits"], 2000);
    for list in ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"] {
        for member in ["IndexName", "KeySchema", "Projection"] {
            assert_eq!(ours["Table"][list][0][member], theirs["Table"][list][0][member], "{list} {member}");
        }
    }
    let expiry = described(to.port, "DescribeTimeToLive", "Bestellungen");
    assert_eq!(expiry["TimeToLiveDescription"]["AttributeName"], "over");
    let recovery = described(to.port, "DescribeContinuousBackups", "Bestellungen");
    let recovery = &recovery["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"];
    assert_eq!(recovery["PointInTimeRecoveryStatus"], "ENABLED");
    assert_eq!(recovery["RecoveryPeriodInDays"], 7);
    let arn = theirs["Table"]["TableArn"].as_str().unwrap();
    let tags = sent(to.port, "ListTagsOfResource", &format!("{{\"ResourceArn\":\"{arn}\"}}"));
    assert!(tags.contains("food"), "{tags}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "a copy that is done leaves nothing behind");
}

#[test]
fn an_interrupted_copy_goes_on() {
    let (from, to, folder) = (Server::in_memory(), Server::in_memory(), TempDir::new().unwrap());
    many(from.port, 1_500);
    let mut child =
        copy(&from, &to, folder.path(), &["Many", "--rate", "400", "--parallel", "2"]).spawn().unwrap();
    let begun = now();
    // Killed when some items are there and it is written down how far it came.
    loop {
        let is_there = ask(to.port, call("DescribeTable", "", "{\"TableName\":\"Many\"}")).status == 200;
        if is_there && items(to.port, "Many").len() > 300 {
            break;
        }
        assert!(begun.elapsed() < TIME_MAX, "the copy does not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let there = items(to.port, "Many").len();
    assert!(there < 1_500, "the copy was over before it was interrupted");

    let (code, said, errors) = done(&mut copy(&from, &to, folder.path(), &["Many"]));
    assert_eq!(code, Some(0), "{errors}");
    let mut lines = said.lines();
    let before: usize = lines
        .next()
        .unwrap()
        .split("going on after ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(before > 0 && before <= there, "{said}");
    assert_eq!(lines.next(), Some("Many: 1,500 items copied, both sides are the same"));
    assert_eq!(items(from.port, "Many"), items(to.port, "Many"));

    // What was interrupted is over: the table is now one that is there already.
    let (code, _, errors) = done(&mut copy(&from, &to, folder.path(), &["Many"]));
    assert_eq!(code, Some(2));
    assert!(errors.contains("--into-existing"), "{errors}");
}

#[test]
fn verification_finds_every_difference() {
    let (from, to, folder) = (Server::in_memory(), Server::in_memory(), TempDir::new().unwrap());
    many(from.port, 120);
    assert_eq!(done(&mut copy(&from, &to, folder.path(), &["Many"])).0, Some(0));
    let verify = || done(&mut copy(&from, &to, folder.path(), &["Many", "--verify-only"]));
    assert_eq!(verify().1, "Many: 120 items compared, both sides are the same\n");

    sent(to.port, "DeleteItem", r#"{"TableName":"Many","Key":{"id":{"S":"7"}}}"#);
    sent(to.port, "PutItem", r#"{"TableName":"Many","Item":{"id":{"S":"8"},"n":{"N":"8.5"}}}"#);
    sent(to.port, "PutItem", r#"{"TableName":"Many","Item":{"id":{"S":"new"}}}"#);
    let (code, said, _) = verify();
    assert_eq!(code, Some(1));
    assert!(
        said.starts_with(
            "Many: 120 items compared, at the destination 1 item missing, 1 item different, 1 item more\n"
        ),
        "{said}"
    );
    assert!(said.contains(r#"{"id":{"S":"7"}}"#) && said.contains(r#"{"id":{"S":"8"}}"#), "{said}");

    // Copied again, only what the source never had is left, which is fine in a table that was there before.
    let (code, said, errors) = done(&mut copy(&from, &to, folder.path(), &["Many", "--into-existing"]));
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(said, "Many: 120 items copied, at the destination 1 item more\n");
}

#[test]
fn what_cannot_be_copied_is_refused_before_anything_changes() {
    let (from, to, folder) = (Server::in_memory(), Server::in_memory(), TempDir::new().unwrap());
    many(from.port, 1);
    sent(
        to.port,
        "CreateTable",
        r#"{"TableName":"Many","BillingMode":"PAY_PER_REQUEST",
            "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"N"}],
            "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}"#,
    );
    let table: &[(&[&str], &str)] = &[
        (&[], "which tables?"),
        (&["Many", "--all"], "which tables?"),
        (&["None"], "no table None"),
        (&["Many", "--into-existing"], "its key is id (N) and not id (S)"),
        (&["Many", "--rename", "Many"], "OLD=NEW"),
        (&["Many", "--rename", "Other=x"], "Other"),
        (&["Many", "--rate", "0"], "above 0"),
        (&["Many", "--parallel", "many"], "--parallel"),
        (&["Many", "--no-verify", "--verify"], "excludes"),
        (&["Many", "--rename", "Many=Elsewhere", "--verify-only"], "no table Elsewhere"),
    ];
    for (words, expected) in table {
        let (code, said, errors) = done(&mut copy(&from, &to, folder.path(), words));
        assert_eq!((code, said.as_str()), (Some(2), ""), "{words:?}: {errors}");
        assert!(errors.starts_with("larder: ") && errors.lines().count() == 1, "{errors}");
        assert!(errors.contains(expected), "{words:?}: {errors}");
    }
    let (code, _, errors) = done(&mut copy(&from, &from, folder.path(), &["Many", "--into-existing"]));
    assert_eq!(code, Some(2));
    assert!(errors.contains("onto itself"), "{errors}");
    let (code, _, errors) = done(&mut larder(&["copy", "--all", "--to", &url(&to)]));
    assert_eq!(code, Some(2));
    assert!(errors.contains("--from URL"), "{errors}");
    let tables = sent(to.port, "ListTables", "{}");
    assert_eq!(tables, r#"{"TableNames":["Many"]}"#);
}

#[test]
fn files_of_both_formats_bring_back_every_item() {
    let (from, folder) = (Server::in_memory(), TempDir::new().unwrap());
    filled(from.port);
    let endpoint = url(&from);
    for name in ["orders.jsonl", "orders.csv"] {
        let to = Server::in_memory();
        let file = folder.path().join(name);
        let file = file.to_str().unwrap();
        let dump = ["dump", "Orders", "--output", file, "--endpoint", &endpoint];
        let (code, said, errors) = done(&mut larder(&dump));
        assert_eq!(code, Some(0), "{errors}");
        assert_eq!(said, format!("Orders: 4 items in {file}\n"));
        let (code, _, errors) = done(&mut larder(&dump));
        assert_eq!(code, Some(2));
        assert!(errors.contains("--force"), "{errors}");
        let (code, said, errors) =
            done(&mut larder(&["load", "Again", file, "--create", "--endpoint", &url(&to)]));
        assert_eq!(code, Some(0), "{errors}");
        assert_eq!(said, "Again: 4 items loaded\n");
        assert_eq!(items(from.port, "Orders"), items(to.port, "Again"), "{name}");
        let expiry = described(to.port, "DescribeTimeToLive", "Again");
        assert_eq!(expiry["TimeToLiveDescription"]["AttributeName"], "over");
    }
}

#[test]
fn streams_in_and_out_and_bad_lines() {
    use std::io::Write;
    use std::process::Stdio;
    let server = Server::in_memory();
    let endpoint = url(&server);
    many(server.port, 60);
    let (code, said, errors) = done(&mut larder(&["dump", "Many", "--endpoint", &endpoint]));
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    assert_eq!(said.lines().count(), 60);
    assert!(said.lines().all(|line| line.starts_with("{\"Item\":{")), "{said}");

    let load = |text: &str, words: &[&str]| {
        let mut command = larder(&["load", "Many", "-", "--endpoint", &endpoint]);
        let mut child = command.args(words).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        ended(&mut child, TIME_MAX);
        let output = child.wait_with_output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(),
        )
    };
    // Of several lines with the same key the last one counts.
    let lines: String = (0..100)
        .map(|number| format!("{{\"id\":{{\"S\":\"same\"}},\"n\":{{\"N\":\"{number}\"}}}}\n"))
        .collect();
    assert_eq!(load(&lines, &[]), (Some(0), "Many: 100 items loaded\n".to_owned()));
    let got = sent(
        server.port,
        "GetItem",
        r#"{"TableName":"Many","Key":{"id":{"S":"same"}},"ConsistentRead":true}"#,
    );
    assert!(got.contains("\"99\""), "{got}");
    assert_eq!(load("id,n\ncsv,5\n", &["--format", "csv"]).0, Some(0));
    let got = sent(server.port, "GetItem", r#"{"TableName":"Many","Key":{"id":{"S":"csv"}}}"#);
    assert!(got.contains(r#"{"S":"5"}"#), "{got}");

    let (code, said) = load("{\"id\":{\"S\":\"x\"}}\n{\"id\":{\"N\":5}}\n", &[]);
    assert_eq!(code, Some(1));
    assert!(said.starts_with("larder: line 2: ") && said.lines().count() == 1, "{said}");
    assert!(!said.contains("Item"), "what is wrong is told of the form the line has: {said}");
    let (code, said) = load("{\"id\":{\"N\":\"5\"}}\n", &[]);
    assert_eq!(code, Some(1));
    assert!(said.contains("ValidationException") && said.lines().count() == 1, "{said}");
}
