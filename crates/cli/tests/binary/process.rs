//! Server processes: started on a free port, killed when dropped.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The binary without any setting of the person who runs the tests.
pub(crate) fn larder(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_larder"));
    const SETTINGS: &[&str] = &[
        "HOST",
        "PORT",
        "DATA_DIR",
        "IN_MEMORY",
        "DURABILITY",
        "LOG",
        "LIFE_CYCLE",
        "DESIGN",
        "DESIGNS",
        "CONSOLE_PORT",
        "CONSOLE_HOST",
        "NO_CONSOLE",
        "READ_ONLY",
        "TIME_CONTROL",
        "BUCKET_DIR",
        "S3_ENDPOINT",
    ];
    for name in SETTINGS {
        command.env_remove(format!("LARDER_{name}"));
    }
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs to the end, which must come soon.
pub(crate) fn run(command: &mut Command) -> Output {
    let mut child = command.spawn().unwrap();
    ended(&mut child, Duration::from_secs(10));
    child.wait_with_output().unwrap()
}

/// Waits for the end of a process; one that lingers is killed and fails the test.
pub(crate) fn ended(child: &mut Child, limit: Duration) {
    let begun = now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > limit {
            child.kill().unwrap();
            panic!("the process did not end within {limit:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A running server.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) port: u16,
    pub(crate) greeting: String,
    out: BufReader<ChildStdout>,
    _folder: Option<TempDir>,
}

impl Server {
    /// A server that keeps nothing.
    pub(crate) fn in_memory() -> Server {
        Server::start(&mut larder(&["serve", "--port", "0", "--in-memory"]))
    }

    /// A server with a folder of its own.
    pub(crate) fn on_disk() -> Server {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("data");
        let mut server = Server::in_folder(&path);
        server._folder = Some(folder);
        server
    }

    /// A server in this folder.
    pub(crate) fn in_folder(path: &Path) -> Server {
        Server::start(&mut larder(&["serve", "--port", "0", "--data-dir", path.to_str().unwrap()]))
    }

    /// Starts it and reads its greeting, which names the port.
    pub(crate) fn start(command: &mut Command) -> Server {
        let mut child = command.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut greeting = String::new();
        while !greeting.contains("Ctrl-C") {
            if out.read_line(&mut greeting).unwrap() == 0 {
                let mut errors = String::new();
                child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
                panic!("the server did not start: {greeting}{errors}");
            }
        }
        let address = greeting.lines().find_map(|line| line.trim().strip_prefix("listening")).unwrap();
        let port = address.rsplit(':').next().unwrap().parse().unwrap();
        Server { child, port, greeting, out, _folder: None }
    }

    /// The number of its process.
    #[cfg(target_os = "linux")]
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by its name.
    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Waits for the end: the code and what was written to standard error.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        ended(&mut self.child, Duration::from_secs(15));
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "nothing follows the greeting");
        (self.child.wait().unwrap().code(), errors)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended already is what we want.
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "a test outside the process has only the real clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
