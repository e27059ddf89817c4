//! What the binary refuses: exit code 2, nothing on standard output, one line that says what to do.

use crate::process::{Server, larder, run};
use std::process::Command;
use tempfile::TempDir;

fn refused(command: &mut Command, expected: &str) {
    let output = run(command);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.starts_with("larder: ") && errors.contains(expected), "{errors}");
}

#[test]
fn unknown_flags_commands_and_values() {
    let table: &[(&[&str], &str)] = &[
        (&["serve", "--prot", "1"], "is it --port?"),
        (&["--unheard-of"], "larder --help"),
        (&["dance"], "no command \"dance\""),
        (&["--port"], "--port needs a value"),
        (&["--port", "eighty"], "a number from 0 to 65535"),
        (&["--durability", "perhaps"], "sync or relaxed"),
        (&["--life-cycle", "slow"], "immediate or realistic"),
        (&["--log", "loud"], "off, error, warn"),
        (&["--in-memory", "--data-dir", "x"], "give one of the two"),
    ];
    for (arguments, expected) in table {
        refused(&mut larder(arguments), expected);
    }
    refused(larder(&[]).env("LARDER_PORT", "eighty"), "LARDER_PORT must be");
}

#[test]
fn a_store_that_nobody_has_credentials_for() {
    let mut command = larder(&["serve", "--port", "0", "--in-memory", "--s3-endpoint", "http://127.0.0.1:1"]);
    refused(command.env_remove("AWS_ACCESS_KEY_ID"), "AWS_ACCESS_KEY_ID is not in the environment");
    refused(
        &mut larder(&["serve", "--s3-endpoint", "127.0.0.1:9000"]),
        "an address such as http://127.0.0.1:9000",
    );
}

#[test]
fn a_taken_port() {
    let holder = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = holder.local_addr().unwrap().port().to_string();
    refused(&mut larder(&["--in-memory", "--port", &port]), "is taken");
}

#[test]
fn an_address_that_is_not_ours() {
    refused(&mut larder(&["--in-memory", "--port", "0", "--host", "192.0.2.1"]), "--host");
    refused(&mut larder(&["--in-memory", "--port", "0", "--host", "no such host"]), "a host name");
}

#[test]
fn a_folder_that_another_server_holds() {
    let folder = TempDir::new().unwrap();
    let _holder = Server::in_folder(folder.path());
    let path = folder.path().to_str().unwrap();
    refused(&mut larder(&["--port", "0", "--data-dir", path]), "held by another server");
}

#[test]
fn a_folder_that_is_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    refused(&mut larder(&["--port", "0", "--data-dir", path]), "--data-dir");
    refused(&mut larder(&["--port", "0", "--data-dir", &format!("{path}/below")]), "--data-dir");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_nobody_can_write() {
    // Not even the superuser can make a folder here, and tests may be run by one.
    refused(&mut larder(&["--port", "0", "--data-dir", "/proc/larder"]), "cannot be written");
}

#[test]
fn a_folder_of_a_newer_format() {
    let folder = TempDir::new().unwrap();
    let server = Server::in_folder(folder.path());
    drop(server);
    let format = folder.path().join("FORMAT");
    let text = std::fs::read_to_string(&format).expect("the folder says its format");
    let words = text.trim_end().trim_end_matches(|letter: char| letter.is_ascii_digit());
    std::fs::write(&format, format!("{words}999\n")).unwrap();
    let path = folder.path().to_str().unwrap();
    refused(&mut larder(&["--port", "0", "--data-dir", path]), "format 999");
}

#[cfg(target_os = "linux")]
#[test]
fn no_home() {
    let mut command = larder(&["--port", "0"]);
    refused(command.env_remove("HOME").env_remove("XDG_DATA_HOME"), "--data-dir");
}
