//! `larder design` from outside: a design checked, deployed, changed, seeded, run and driven against a server.

use crate::process::{Server, larder, run};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const NOTES: &str = include_str!("designs/notes.design.yaml");

/// A folder with the design in it, some of its text replaced.
fn folder(changes: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let mut text = NOTES.to_owned();
    for (before, after) in changes {
        assert!(text.contains(before), "{before:?} is not in the design");
        text = text.replace(before, after);
    }
    let file = folder.path().join("notes.design.yaml");
    std::fs::write(&file, text).unwrap();
    (folder, file)
}

/// Runs a verb: the exit code, standard output and standard error.
fn design(verb: &str, file: &Path, options: &[&str]) -> (i32, String, String) {
    let mut command = larder(&["design", verb]);
    command.arg(file).args(options);
    for name in ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_PROFILE"] {
        command.env_remove(name);
    }
    let done = run(&mut command);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
}

fn check(verb: &str, file: &Path, options: &[&str], code: i32, expected: &[&str]) {
    let (found, out, errors) = design(verb, file, options);
    assert_eq!(found, code, "{verb}: {out}{errors}");
    for text in expected {
        assert!(out.contains(text) || errors.contains(text), "{verb}: {text:?} is not in\n{out}{errors}");
    }
}

fn address(server: &Server) -> String {
    format!("http://127.0.0.1:{}", server.port)
}

#[test]
fn a_design_is_tested_without_a_server() {
    let (_folder, file) = folder(&[]);
    check("test", &file, &[], 0, &["8/8 passed", "begins_with(SK, 'NOTE#')", "2 read, 2 returned"]);
    check("test", &file, &["--json"], 0, &["\"passed\": 8", "\"keyCondition\"", "\"capacityUnits\""]);
    check("test", &file, &["--pattern", "ListDay"], 0, &["1/1 passed"]);
    check("test", &file, &["--pattern", "None"], 2, &["there is no access pattern None"]);
}

#[test]
fn what_is_not_as_expected_fails_with_the_difference() {
    let table = [
        (
            "expect: [first, second]",
            "expect: [second, first]",
            "the order is first, second; expected second, first",
        ),
        ("expect: [first, second]", "expect: [first]", "second was not expected"),
        ("expect: [second, other]", "expect: [first, second, other]", "first was expected and is missing"),
        ("stars: 3", "stars: 4", "stars is {\"N\":\"3\"}, expected {\"N\":\"4\"}"),
        ("expect: nothing", "expect: [first]", "first was expected and is missing"),
        (
            "    condition: attribute_not_exists(PK)\n",
            "",
            "ConditionalCheckFailedException was expected and it went well",
        ),
        (
            "expect_error: ConditionalCheckFailedException",
            "expect: nothing",
            "The conditional request failed",
        ),
    ];
    for (before, after, expected) in table {
        let (_folder, file) = folder(&[(before, after)]);
        check("test", &file, &[], 1, &["FAIL", "7/8 passed", expected]);
    }
}

#[test]
fn a_deployment_can_be_repeated_and_the_run_leaves_everything_as_it_was() {
    let server = Server::in_memory();
    let (_folder, file) = folder(&[]);
    let to = ["--endpoint", &address(&server)];
    check("plan", &file, &to, 0, &["+ notes-test  (not there yet)", "CreateTable", "1 step, 0 destructive"]);
    check("deploy", &file, &to, 0, &["notes-test: + table with 1 index"]);
    check("deploy", &file, &to, 0, &["notes: everything is as the design says"]);
    check("plan", &file, &to, 0, &["= notes-test  (exists, ACTIVE)", "0 steps"]);
    check(
        "seed",
        &file,
        &to,
        0,
        &["USER#ann | NOTE#2035-01-01T08:00:00Z", "ByDay=2035-01-01 | NOTE#2035-01-01T08:00:00Z"],
    );
    for _ in 0..2 {
        check("run", &file, &to, 0, &["8/8 passed"]);
    }
    check("drift", &file, &to, 0, &["everything is as the design says"]);
}

#[test]
fn changes_come_one_at_a_time_and_nothing_is_lost_unless_told() {
    let server = Server::in_memory();
    let to = ["--endpoint", &address(&server)];
    let (_first, file) = folder(&[]);
    check("deploy", &file, &to, 0, &[]);
    check("seed", &file, &to, 0, &[]);
    let index = "      Tags: [{Key: Project, Value: notes}]";
    let more = "        - {IndexName: ByText, KeySchema: [{AttributeName: text, KeyType: HASH}], Projection: {ProjectionType: KEYS_ONLY}}\n\
                \x20       - {IndexName: ByStars, KeySchema: [{AttributeName: stars, KeyType: HASH}], Projection: {ProjectionType: KEYS_ONLY}}\n\
                \x20     StreamSpecification: {StreamViewType: KEYS_ONLY}\n\
                \x20     Tags: [{Key: Project, Value: other}]";
    let mapping = "      - {name: ByDay,";
    let mappings = "      - {name: ByText, pk_template: \"{text}\"}\n\
                    \x20     - {name: ByStars, pk_template: \"{stars}\"}\n\
                    \x20     - {name: ByDay,";
    let (_second, grown) = folder(&[(index, more), (mapping, mappings)]);
    check(
        "plan",
        &grown,
        &to,
        0,
        &[
            "+ ByText",
            "+ ByStars",
            "runs after the one before",
            "+ stream of KEYS_ONLY",
            "+ tags Project=other",
            "4 steps, 0 destructive",
        ],
    );
    check("drift", &grown, &to, 1, &["-  notes-test  index ByStars"]);
    check("deploy", &grown, &to, 0, &["+ ByText", "+ ByStars"]);
    check("deploy", &grown, &to, 0, &["everything is as the design says"]);
    // The smaller design keeps what is more, unless it may destroy.
    check("plan", &file, &to, 0, &["ByText is in the table and not in the design: kept", "--allow-destroy"]);
    check("drift", &file, &to, 1, &["+  notes-test  index ByText"]);
    let destroy = ["--endpoint", &address(&server), "--allow-destroy"];
    check("deploy", &file, &destroy, 0, &["- ByText", "- ByStars", "- stream of KEYS_ONLY"]);
    check("run", &file, &to, 0, &["8/8 passed"]);
}

#[test]
fn a_key_that_changed_blocks_the_deployment() {
    let server = Server::in_memory();
    let to = ["--endpoint", &address(&server)];
    let (_first, file) = folder(&[]);
    check("deploy", &file, &to, 0, &[]);
    let (_second, changed) = folder(&[("AttributeName: PK,", "AttributeName: owner,")]);
    check("plan", &changed, &to, 1, &["a key never changes", "1 blocked: nothing will be deployed"]);
    check("deploy", &changed, &to, 2, &["a key never changes"]);
    check("plan", &file, &to, 0, &["0 steps"]);
}

#[test]
fn a_wrong_file_touches_no_table() {
    let server = Server::in_memory();
    let to = ["--endpoint", &address(&server)];
    let (_folder, file) = folder(&[("ProjectionType: ALL", "ProjectionType: KEY_ONLY")]);
    for verb in ["plan", "deploy", "seed", "run", "test"] {
        let options: &[&str] = if verb == "test" { &[] } else { &to };
        check(verb, &file, options, 1, &["KEY_ONLY", "nothing was done"]);
    }
    let (_right, file) = folder(&[]);
    check("plan", &file, &to, 0, &["not there yet"]);
}

#[test]
fn a_server_starts_with_designs_and_keeps_what_people_changed() {
    let (folder, file) = folder(&[]);
    let data = folder.path().join("data");
    let start = || {
        let mut command = larder(&["serve", "--port", "0", "--data-dir", data.to_str().unwrap()]);
        Server::start(command.arg("--design").arg(&file))
    };
    let server = start();
    assert!(server.greeting.contains("designs     notes"), "{}", server.greeting);
    let to = ["--endpoint", &address(&server)];
    check("run", &file, &to, 0, &["8/8 passed"]);
    drop(server);
    let changed = NOTES.replace("text: one", "text: changed");
    std::fs::write(&file, changed).unwrap();
    let server = start();
    let to = ["--endpoint", &address(&server), "--pattern", "ListNotes"];
    check("run", &file, &to, 1, &["first.text is {\"S\":\"one\"}, the sample has {\"S\":\"changed\"}"]);
}

#[test]
fn a_pattern_is_explained_and_driven() {
    let server = Server::in_memory();
    let (_folder, file) = folder(&[]);
    let explained = design("explain", &file, &["ListNewest"]).1;
    for text in [
        "SK BETWEEN 'NOTE#2035-01-02T00:00:00Z' AND 'NOTE#…'",
        "aws dynamodb query",
        "client.query(",
        "new QueryCommand(",
        ".key_condition_expression(",
    ] {
        assert!(explained.contains(text), "{text:?} is not in {explained}");
    }
    let to = ["--endpoint", &address(&server)];
    check("deploy", &file, &to, 0, &[]);
    check("seed", &file, &to, 0, &[]);
    let load = [
        "ListNotes",
        "--duration",
        "300ms",
        "--rate",
        "50",
        "--concurrency",
        "4",
        "--endpoint",
        &address(&server),
    ];
    check("load", &file, &load, 0, &["15 requests", "p99", "errors   none"]);
    let load = ["AddStar", "--duration", "200ms", "--json", "--endpoint", &address(&server)];
    check("load", &file, &load, 0, &["latencyMicroseconds"]);
    check("run", &file, &to, 0, &["8/8 passed"]);
}

#[test]
fn a_design_is_written_out_for_people() {
    let (folder, file) = folder(&[]);
    check("docs", &file, &[], 0, &["# notes", "```mermaid", "ListDay"]);
    let page = folder.path().join("notes.html");
    check("docs", &file, &["--output", page.to_str().unwrap()], 0, &["wrote"]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") || page.starts_with("<!doctype html>"), "{page:.80}");
    assert!(page.contains("ListDay") && !page.contains("http://") && !page.contains("src=\"https://"));
    check("docs", &file, &["--format", "pdf"], 2, &["markdown or html"]);
}

#[test]
fn nobody_at_the_address_is_said_in_one_line() {
    let (_folder, file) = folder(&[]);
    let (code, out, errors) =
        design("run", &file, &["--endpoint", "http://127.0.0.1:1", "--pattern", "ListNotes"]);
    assert_eq!(code, 1);
    assert!(out.contains("does not answer"), "{out}{errors}");
    check("deploy", &file, &["--endpoint", "127.0.0.1:1"], 2, &["is no address: write http://HOST:PORT"]);
}

#[test]
fn a_newcomer_goes_from_an_empty_folder_to_a_running_design() {
    let server = Server::in_memory();
    let folder = TempDir::new().unwrap();
    let ask = |arguments: &[&str]| {
        let mut command = larder(&["design"]);
        let done = run(command.args(arguments).current_dir(folder.path()));
        let said =
            String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        (done.status.code().unwrap(), said)
    };
    let (code, said) = ask(&["test"]);
    assert!(code == 2 && said.contains("larder design init"), "{said}");
    let (code, said) = ask(&["init", "shop"]);
    assert!(code == 0 && said.contains("shop.design.yaml"), "{said}");
    let (code, said) = ask(&["init", "shop"]);
    assert!(code == 2 && said.contains("--force"), "a file that is there is kept: {said}");
    let address = address(&server);
    for arguments in [
        &["check", "--strict"] as &[&str],
        &["fmt", "--check"],
        &["test"],
        &["deploy", "--endpoint", &address],
        &["seed", "--endpoint", &address],
        &["run", "--endpoint", &address],
        &["cost"],
        &["schema"],
    ] {
        let (code, said) = ask(arguments);
        assert_eq!(code, 0, "{arguments:?}: {said}");
    }
}

#[test]
fn a_running_table_becomes_a_design_again() {
    let server = Server::in_memory();
    let (folder, file) = folder(&[]);
    let to = ["--endpoint", &address(&server)];
    check("deploy", &file, &to, 0, &[]);
    check("seed", &file, &to, 0, &[]);
    let again = folder.path().join("again.design.yaml");
    let mut command =
        larder(&["design", "import", "--table", "notes-test", "--endpoint", &address(&server), "--output"]);
    let done = run(command.arg(&again));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    check("plan", &again, &to, 0, &["0 steps"]);
    check("export", &file, &["cloudformation"], 0, &["AWS::DynamoDB::Table"]);
}
