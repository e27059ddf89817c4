//! The servers that can be measured: how each is obtained, started and named.
//!
//! Peers are installed once, into a folder that git ignores. What cannot be obtained is a reason in the report,
//! never the end of the run. DynamoDB Local is only ever run from a folder that the user names.

use crate::figures::{Keeping, Role};
use crate::options::Options;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DYNOXIDE_VERSION: &str = "3.2.0";
const DYNALITE_VERSION: &str = "4.0.0";

/// A program, before the question where it keeps its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// The database of this repository.
    Larder,
    /// A Rust server over SQLite.
    Dynoxide,
    /// A Node server over LevelDB.
    Dynalite,
    /// The vendor's own emulator.
    DynamodbLocal,
    /// HTTP alone.
    Floor,
    /// The store alone.
    Store,
}

/// A program that is ready to start.
pub(crate) struct Installed {
    /// The program file.
    pub(crate) program: PathBuf,
    /// Arguments that always come first.
    first_arguments: Vec<String>,
    /// Its version.
    pub(crate) version: String,
}

impl Family {
    /// All, in the order of the rows.
    pub(crate) const ALL: [Self; 6] =
        [Self::Larder, Self::Dynoxide, Self::Dynalite, Self::DynamodbLocal, Self::Floor, Self::Store];

    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Larder => "larder",
            Self::Dynoxide => "dynoxide",
            Self::Dynalite => "dynalite",
            Self::DynamodbLocal => "dynamodb-local",
            Self::Floor => "floor",
            Self::Store => "store",
        }
    }

    /// What the rows of this program are for.
    pub(crate) fn role(self) -> Role {
        match self {
            Self::Larder => Role::Larder,
            Self::Dynoxide | Self::Dynalite | Self::DynamodbLocal => Role::Peer,
            Self::Floor | Self::Store => Role::Floor,
        }
    }

    /// The ways of keeping data that are measured.
    pub(crate) fn keepings(self, options: &Options) -> Vec<Keeping> {
        let memory = (!options.disk_only).then_some(Keeping::Memory);
        match self {
            Self::Larder | Self::Dynoxide => [Keeping::Synced].into_iter().chain(memory).collect(),
            // OBSERVED: dynoxide syncs once for each PutItem (counted system calls); dynalite asks LevelDB for no sync.
            // Nothing is known about the vendor's emulator, so it is not called synced.
            Self::Dynalite | Self::DynamodbLocal => [Keeping::Unsynced].into_iter().chain(memory).collect(),
            Self::Floor => vec![Keeping::Nothing],
            Self::Store => vec![Keeping::Synced],
        }
    }

    /// The name of a row.
    pub(crate) fn row_name(self, keeping: Keeping) -> String {
        let name = self.name();
        match (self, keeping) {
            (Self::Floor, _) => "floor: HTTP alone".to_owned(),
            (Self::Store, _) => "floor: store alone".to_owned(),
            (_, Keeping::Synced) => format!("{name}, disk"),
            (_, Keeping::Unsynced) => format!("{name}, disk, no sync"),
            (_, Keeping::Memory | Keeping::Nothing) => format!("{name}, memory"),
        }
    }

    /// Builds, installs or finds the program.
    pub(crate) fn install(self, options: &Options) -> Result<Installed, String> {
        match self {
            Self::Larder => build_larder(options),
            Self::Dynoxide => install_dynoxide(&options.home),
            Self::Dynalite => install_dynalite(&options.home),
            Self::DynamodbLocal => find_dynamodb_local(options),
            Self::Floor | Self::Store => {
                let program = std::env::current_exe().map_err(|error| error.to_string())?;
                Ok(Installed::new(program, &[self.name()], String::new()))
            }
        }
    }

    /// The command that starts the program on a port, with its data in `folder` unless it keeps them in memory.
    pub(crate) fn command(
        self,
        installed: &Installed,
        keeping: Keeping,
        folder: &Path,
        port: u16,
    ) -> Command {
        let mut command = installed.command();
        let port = port.to_string();
        let memory = keeping == Keeping::Memory;
        match self {
            Self::Larder => {
                command.args(["serve", "--host", "127.0.0.1", "--port", &port, "--durability", "sync"]);
                if memory {
                    command.arg("--in-memory")
                } else {
                    command.arg("--data-dir").arg(folder)
                };
            }
            Self::Dynoxide => {
                command.args(["serve", "--host", "127.0.0.1", "--port", &port]);
                if !memory {
                    command.arg("--db-path").arg(folder.join("dynoxide.db"));
                }
            }
            Self::Dynalite => {
                command.args(["--host", "127.0.0.1", "--port", &port, "--createTableMs", "0"]);
                if !memory {
                    command.arg("--path").arg(folder);
                }
            }
            Self::DynamodbLocal => {
                command.args(["-port", &port, "-sharedDb", "-disableTelemetry"]);
                if memory {
                    command.arg("-inMemory")
                } else {
                    command.arg("-dbPath").arg(folder)
                };
            }
            Self::Floor | Self::Store => {
                command.args(["--port", &port]);
            }
        }
        command
    }
}

impl Installed {
    fn new(program: PathBuf, first_arguments: &[&str], version: String) -> Self {
        let first_arguments = first_arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Self { program, first_arguments, version }
    }

    /// A program that is there already.
    pub(crate) fn at(program: &Path) -> Result<Self, String> {
        let program = program.canonicalize().map_err(|error| format!("{}: {error}", program.display()))?;
        Ok(Self::new(program, &[], String::new()))
    }

    /// The program with the arguments that always come first.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.first_arguments);
        command
    }
}

fn build_larder(options: &Options) -> Result<Installed, String> {
    let root = options.home.join("..");
    let commit = output(Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(&root));
    let version = commit.map_or_else(|_| String::new(), |commit| format!("commit {}", commit.trim()));
    if let Some(program) = &options.larder {
        return Ok(Installed { version, ..Installed::at(program)? });
    }
    let build = ["build", "--release", "--message-format", "json-render-diagnostics"];
    let messages = output(Command::new("cargo").args(build).current_dir(&root))?;
    let program =
        messages.lines().find_map(larder_program).ok_or("the build left no program called larder")?;
    Ok(Installed::new(program, &[], version))
}

/// The path of the program when this message of cargo announces it; only cargo knows its target folder.
fn larder_program(message: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let path = PathBuf::from(message.get("executable")?.as_str()?);
    (path.file_stem()? == "larder").then_some(path)
}

fn install_dynoxide(home: &Path) -> Result<Installed, String> {
    let peers = home.join(".peers");
    let program = peers.join("bin/dynoxide");
    if !program.exists() {
        let package = format!("dynoxide-rs@{DYNOXIDE_VERSION}");
        output(Command::new("cargo").args(["install", "--locked", &package, "--root"]).arg(&peers))?;
    }
    Ok(Installed::new(program, &[], DYNOXIDE_VERSION.to_owned()))
}

fn install_dynalite(home: &Path) -> Result<Installed, String> {
    let folder = home.join(".peers/npm");
    let script = folder.join("node_modules/dynalite/cli.js");
    if !script.exists() {
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let package = format!("dynalite@{DYNALITE_VERSION}");
        output(
            Command::new("npm")
                .args(["install", "--no-audit", "--no-fund", &package, "--prefix"])
                .arg(&folder),
        )?;
    }
    let node = output(Command::new("node").arg("--version"))?;
    let version = format!("{DYNALITE_VERSION} on Node {}", node.trim());
    Ok(Installed::new(PathBuf::from("node"), &[&script.to_string_lossy()], version))
}

fn find_dynamodb_local(options: &Options) -> Result<Installed, String> {
    let folder = options.dynamodb_local.as_ref().ok_or("it needs --with dynamodb-local PATH")?;
    let archive = folder.join("DynamoDBLocal.jar");
    if !archive.exists() {
        return Err(format!("there is no {}", archive.display()));
    }
    let libraries = format!("-Djava.library.path={}", folder.join("DynamoDBLocal_lib").display());
    let arguments = [libraries.as_str(), "-jar", &archive.to_string_lossy()];
    Ok(Installed::new(PathBuf::from("java"), &arguments, "as supplied".to_owned()))
}

/// Runs a command to its end; what it printed, or why it failed.
fn output(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done =
        command.stdin(Stdio::null()).output().map_err(|error| format!("{program} cannot be run: {error}"))?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    let line = errors.lines().find(|line| line.contains("error")).or_else(|| errors.lines().last());
    Err(format!("{program} failed: {}", line.unwrap_or("it said nothing").trim()))
}
