//! How the binary starts: what it says, and where its settings come from.

use crate::client::{ask, call};
use crate::process::{Server, larder, run};
use tempfile::TempDir;

#[test]
fn the_version_and_the_help() {
    for arguments in [["--version"], ["version"], ["-V"]] {
        let output = run(&mut larder(&arguments));
        assert_eq!(output.status.code(), Some(0));
        let expected = format!("larder {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
    for arguments in [&["--help"][..], &["help"], &["-h"], &["serve", "--help"]] {
        let output = run(&mut larder(arguments));
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        for expected in
            ["--data-dir FOLDER", "LARDER_DATA_DIR", "--durability sync|relaxed", "LARDER_LIFE_CYCLE"]
        {
            assert!(text.contains(expected), "{text}");
        }
    }
}

#[test]
fn the_greeting_names_address_data_and_something_to_try() {
    let folder = TempDir::new().unwrap();
    let server = Server::in_folder(folder.path());
    let port = server.port;
    for expected in [
        format!("http://127.0.0.1:{port}\n"),
        folder.path().display().to_string(),
        "durability  sync".to_owned(),
        format!("AWS_ENDPOINT_URL=http://127.0.0.1:{port} aws dynamodb list-tables"),
        "any credentials".to_owned(),
    ] {
        assert!(server.greeting.contains(&expected), "{}", server.greeting);
    }
    assert!(Server::in_memory().greeting.contains("in memory: nothing is kept"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_usual_folder_is_the_users() {
    let home = TempDir::new().unwrap();
    let mut command = larder(&["--port", "0"]);
    let server = Server::start(command.env_remove("XDG_DATA_HOME").env("HOME", home.path()));
    let folder = home.path().join(".local/share/larder");
    assert!(server.greeting.contains(folder.to_str().unwrap()), "{}", server.greeting);
    assert!(folder.is_dir());
}

#[cfg(target_os = "linux")]
#[test]
fn memory_comes_in_small_pages() {
    let server = Server::in_memory();
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    // Systems without large pages do not tell.
    let told = status.lines().find(|line| line.starts_with("THP_enabled:"));
    assert!(told.is_none_or(|line| line.ends_with('0')), "{told:?}");
}

#[test]
fn variables_count_and_flags_outrank_them() {
    let folder = TempDir::new().unwrap();
    let mut command = larder(&[]);
    command.env("LARDER_PORT", "0").env("LARDER_DATA_DIR", folder.path()).env("LARDER_DURABILITY", "relaxed");
    let server = Server::start(&mut command);
    assert!(server.greeting.contains("relaxed"), "{}", server.greeting);
    assert!(server.greeting.contains(folder.path().to_str().unwrap()), "{}", server.greeting);

    let mut command = larder(&["--in-memory", "--port", "0"]);
    command.env("LARDER_PORT", server.port.to_string()).env("LARDER_DATA_DIR", folder.path());
    let other = Server::start(&mut command);
    assert_ne!(other.port, server.port);
    assert!(other.greeting.contains("in memory"), "{}", other.greeting);
}

#[test]
fn an_open_address_is_warned_about() {
    let server = Server::start(&mut larder(&["--in-memory", "--port", "0", "--host", "0.0.0.0"]));
    assert!(server.greeting.contains("AWS_ENDPOINT_URL=http://127.0.0.1:"), "{}", server.greeting);
    assert_eq!(ask(server.port, call("ListTables", "", "{}")).check().status, 200);
    #[cfg(unix)]
    {
        server.signal("TERM");
        let (_, errors) = server.end();
        assert!(errors.contains("can be reached by other machines"), "{errors}");
    }
}

#[cfg(unix)]
#[test]
fn the_access_log_is_there_for_those_who_ask() {
    let server = Server::start(&mut larder(&["--in-memory", "--port", "0", "--log", "info,access=debug"]));
    ask(server.port, call("ListTables", "", "{}")).check();
    server.signal("TERM");
    let (_, errors) = server.end();
    assert!(errors.contains("operation=\"DynamoDB_20120810.ListTables\" status=200"), "{errors}");
}
