//! The driver's end of the faulty file layer (`shim/faulty.c`): compiles it, loads it into a server, and tells it when
//! to fail. Knows the places of the fields in the control file, and nothing of what the server does.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Named points at which a server can be ended, in the order of the layer's numbers. The layer stands below the server, so
/// a point is a change of a file: the change of memory that follows a sync lies between `after-fsync` and `before-answer`,
/// and no crash can tell moments between those apart.
pub(crate) const POINTS: [&str; 29] = [
    "before-append",
    "after-append",
    "before-fsync",
    "after-fsync",
    "before-answer",
    "before-table-write",
    "after-table-fsync",
    "before-version",
    "after-version-fsync",
    "before-switch",
    "after-switch",
    "before-manifest",
    "after-manifest",
    "before-table-removal",
    "after-table-removal",
    "before-new-journal",
    "after-new-journal",
    "before-folder",
    "after-folder",
    "before-folder-fsync",
    "after-folder-fsync",
    "before-folder-removal",
    "after-folder-removal",
    "before-merge-write",
    "after-merge-fsync",
    "before-link",
    "after-link",
    "before-cut",
    "after-cut",
];

const CONTROL_BYTES: usize = 4096;
const SEQUENCE: u64 = 0;
const POINT: u64 = 8;
const COUNTDOWN: u64 = 16;
const HIT: u64 = 24;
const FULL: u64 = 32;
const SYNC_DELAY: u64 = 40;
const CLOCK: u64 = 48;
const QUIT: u64 = 56;

/// A faulty layer for one server.
pub(crate) struct Faults {
    library: PathBuf,
    control_path: PathBuf,
    control: File,
    watched: PathBuf,
    log: Option<PathBuf>,
}

impl Faults {
    /// Compiles the layer into a folder; it will watch `data`.
    pub(crate) fn new(folder: &Path, data: &Path) -> Result<Faults, String> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("shim/faulty.c");
        let library = folder.join("faulty.so");
        let compiled = Command::new("cc")
            .args(["-O2", "-shared", "-fPIC", "-o"])
            .arg(&library)
            .arg(&source)
            .arg("-ldl")
            .status()
            .map_err(|error| format!("cc: {error}"))?;
        if !compiled.success() {
            return Err("the faulty file layer could not be compiled".to_string());
        }
        let control_path = folder.join("control");
        fs::write(&control_path, vec![0; CONTROL_BYTES]).map_err(|error| error.to_string())?;
        let control = OpenOptions::new().read(true).write(true).open(&control_path);
        let control = control.map_err(|error| error.to_string())?;
        Ok(Faults { library, control_path, control, watched: data.to_path_buf(), log: None })
    }

    /// Records every change in this file. Nothing is synced then: what is on the disk is what the record says.
    pub(crate) fn recording(mut self, log: &Path) -> Faults {
        self.log = Some(log.to_path_buf());
        self
    }

    /// Variables for the server.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let mut variables = vec![
            ("LD_PRELOAD", self.library.display().to_string()),
            ("LARDER_FAULT_FOLDER", self.watched.display().to_string()),
            ("LARDER_FAULT_CONTROL", self.control_path.display().to_string()),
        ];
        variables.extend(self.log.iter().map(|log| ("LARDER_FAULT_LOG", log.display().to_string())));
        variables
    }

    /// Ends the server at the n-th passing of a point.
    pub(crate) fn arm(&self, point: &str, passings: u64) {
        let number = POINTS.iter().position(|name| *name == point).map_or(0, |place| place as u64 + 1);
        self.set(HIT, 0);
        self.set(COUNTDOWN, passings);
        self.set(POINT, number);
    }

    /// Ends no server any more.
    pub(crate) fn disarm(&self) {
        self.set(POINT, 0);
    }

    /// The point that ended the server, if one did.
    pub(crate) fn hit(&self) -> Option<&'static str> {
        let number = self.get(HIT).checked_sub(1)?;
        POINTS.get(number as usize).copied()
    }

    /// Whether the server ends itself, as kill -9 would, when it has recorded its next change. One that is killed from outside
    /// may have made a change that is not recorded yet, or half.
    pub(crate) fn set_quit(&self, is_wanted: bool) {
        self.set(QUIT, u64::from(is_wanted));
    }

    /// How many changes are recorded by now.
    pub(crate) fn recorded(&self) -> u64 {
        self.get(SEQUENCE)
    }

    /// Whether the disk answers that it is full.
    pub(crate) fn set_full(&self, is_full: bool) {
        self.set(FULL, u64::from(is_full));
    }

    /// How much longer a sync takes.
    pub(crate) fn set_sync_delay_us(&self, microseconds: u64) {
        self.set(SYNC_DELAY, microseconds);
    }

    /// Turns the server's clock.
    pub(crate) fn turn_clock(&self, seconds: i64) {
        self.set(CLOCK, seconds as u64);
    }

    fn get(&self, place: u64) -> u64 {
        let mut bytes = [0; 8];
        self.control.read_exact_at(&mut bytes, place).expect("the control file is there");
        u64::from_ne_bytes(bytes)
    }

    fn set(&self, place: u64, value: u64) {
        self.control.write_all_at(&value.to_ne_bytes(), place).expect("the control file is there");
    }
}
