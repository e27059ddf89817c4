//! One running server: started, asked whether it is ready, killed or stopped. Knows nothing of what it is asked.

use std::fs::{self, OpenOptions};
use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::wire::{self, Wire};

const START_TIME_MAX: Duration = Duration::from_secs(60);
const STOP_TIME_MAX: Duration = Duration::from_secs(30);
const SIGKILL: i32 = 9;

/// A server and where it keeps its data.
pub(crate) struct Server {
    program: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    log: PathBuf,
    pub(crate) port: u16,
    child: Option<Child>,
    /// What it did that nobody told it to.
    problems: Vec<String>,
}

impl Server {
    /// Larder on a folder, not yet started.
    pub(crate) fn larder(program: &Path, data: &Path) -> Result<Server, String> {
        let port = free_port()?;
        let arguments = ["serve", "--port", &port.to_string(), "--data-dir", &data.display().to_string()];
        let log = data.with_extension("log");
        Ok(Server::new(program, &arguments, log, port))
    }

    /// Any program that listens on a port.
    pub(crate) fn new(program: &Path, arguments: &[&str], log: PathBuf, port: u16) -> Server {
        Server {
            program: program.to_path_buf(),
            arguments: arguments.iter().map(ToString::to_string).collect(),
            environment: Vec::new(),
            log,
            port,
            child: None,
            problems: Vec::new(),
        }
    }

    /// Options beside the usual ones.
    pub(crate) fn with_arguments(mut self, more: &[&str]) -> Server {
        self.arguments.extend(more.iter().map(ToString::to_string));
        self
    }

    /// Variables of the server's environment.
    pub(crate) fn with_environment(mut self, more: &[(&str, String)]) -> Server {
        self.environment.extend(more.iter().map(|(name, value)| (name.to_string(), value.clone())));
        self
    }

    /// Starts it and waits until it answers.
    pub(crate) fn start(&mut self) -> Result<(), String> {
        self.spawn()?;
        let began = Instant::now();
        while !self.answers() {
            if let Some(status) = self.ended() {
                return Err(format!("the server ended with {status}:\n{}", self.last_words()));
            }
            if began.elapsed() > START_TIME_MAX {
                return Err(format!("the server did not answer in time:\n{}", self.last_words()));
            }
            thread::sleep(Duration::from_millis(4));
        }
        Ok(())
    }

    /// Starts it without waiting.
    pub(crate) fn spawn(&mut self) -> Result<(), String> {
        let log = OpenOptions::new().create(true).append(true).open(&self.log);
        let log = log.map_err(|error| format!("{}: {error}", self.log.display()))?;
        let errors = log.try_clone().map_err(|error| error.to_string())?;
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors)
            .spawn()
            .map_err(|error| format!("{}: {error}", self.program.display()))?;
        self.child = Some(child);
        Ok(())
    }

    /// A new connection.
    pub(crate) fn wire(&self) -> Wire {
        Wire::new(self.port)
    }

    /// The number of the process, while there is one.
    pub(crate) fn process(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.as_mut()?.try_wait().ok().flatten()
    }

    /// Waits for its end; false if it does not come in time.
    pub(crate) fn ends_within(&mut self, time: Duration) -> bool {
        let began = Instant::now();
        while self.child.is_some() && self.ended().is_none() {
            if began.elapsed() > time {
                return false;
            }
            thread::sleep(Duration::from_millis(2));
        }
        true
    }

    /// kill -9; returns when the process is gone. One that has ended by itself is as dead, but that is a problem, unless the
    /// faulty file layer has killed it.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            if let Ok(Some(status)) = child.try_wait()
                && status.signal() != Some(SIGKILL)
            {
                self.problems
                    .push(format!("the server ended by itself with {status}:\n{}", self.last_words()));
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Ends it, and tells of what it did that nobody told it to, in all its lives: ends of its own, and panics.
    pub(crate) fn problems(&mut self) -> Vec<String> {
        self.kill();
        let mut problems = std::mem::take(&mut self.problems);
        let log = fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        problems
            .extend(log.lines().find(|line| line.contains("panic")).map(|line| format!("its log: {line}")));
        problems
    }

    /// Asks it politely to end, and expects that it does.
    pub(crate) fn stop(&mut self) -> Result<(), String> {
        let Some(process) = self.process() else { return Ok(()) };
        let sent = Command::new("kill").args(["-TERM", &process.to_string()]).status();
        sent.map_err(|error| format!("kill: {error}"))?;
        if !self.ends_within(STOP_TIME_MAX) {
            self.kill();
            return Err("the server ignored SIGTERM".to_string());
        }
        let status = self.ended();
        self.child = None;
        match status {
            Some(status) if status.success() => Ok(()),
            Some(_) | None => Err(format!("the server ended badly:\n{}", self.last_words())),
        }
    }

    /// Memory that is resident, in bytes.
    pub(crate) fn resident_bytes(&self) -> u64 {
        let Some(process) = self.process() else { return 0 };
        let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kilobytes.unwrap_or(0) * 1024
    }

    /// The end of its log.
    pub(crate) fn last_words(&self) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        let start = text.len().saturating_sub(3000);
        String::from_utf8_lossy(text.get(start..).unwrap_or_default()).into_owned()
    }

    fn answers(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let sent = stream.write_all(b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n");
        sent.is_ok() && wire::read_answer(&mut BufReader::new(stream)).is_ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A port that nobody listened on a moment ago.
pub(crate) fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(|error| error.to_string())?;
    listener.local_addr().map(|address| address.port()).map_err(|error| error.to_string())
}

/// A folder that goes when it is dropped, unless something was wrong in it.
pub(crate) struct Folder {
    path: PathBuf,
    kept: bool,
}

impl Folder {
    /// An empty folder below the system's folder for temporary files, or below `PROOF_FOLDER`.
    pub(crate) fn new(name: &str) -> Result<Folder, String> {
        let below = std::env::var_os("PROOF_FOLDER").map_or_else(std::env::temp_dir, PathBuf::from);
        let path = below.join(format!("larder-proof-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Folder { path, kept: false })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves it for a look.
    pub(crate) fn keep(&mut self) {
        self.kept = true;
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.kept {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended_by(script: &str, folder: &Folder) -> Vec<String> {
        let mut server = Server::new(Path::new("/bin/sh"), &["-c", script], folder.path().join("log"), 0);
        server.spawn().unwrap_or_else(|problem| panic!("{problem}"));
        assert!(server.ends_within(Duration::from_secs(10)));
        server.kill();
        server.problems()
    }

    #[test]
    fn an_end_that_nobody_asked_for_is_told() {
        let folder = Folder::new("ends").unwrap_or_else(|problem| panic!("{problem}"));
        assert!(ended_by("kill -9 $$", &folder).is_empty());
        assert!(ended_by("exit 3", &folder).iter().any(|problem| problem.contains("exit status: 3")));
        assert!(ended_by("kill -6 $$", &folder).iter().any(|problem| problem.contains("signal: 6")));
        let told = ended_by("echo a thread panicked at src/x.rs; kill -9 $$", &folder);
        assert_eq!(told, ["its log: a thread panicked at src/x.rs"]);
    }
}
