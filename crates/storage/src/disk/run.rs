//! Counts the runs of a folder, so that the engine gives no number twice. Knows nothing of what is stored.
//!
//! OBSERVED: fjall 3.1.13 begins a run with the lowest keyspace number and the lowest sequence number that its *living*
//! keyspaces leave free. After a drop and a restart both can be numbers it has given before, and then the old deletion
//! hides the new keyspace: it is gone, with its data, at the next restart. `tests/contract/disk.rs` shows it
//! (`spaces_created_after_drops_and_restarts_are_not_lost`). So every run gets a range of both numbers of its own.

use super::folder::replace_file;
use crate::error::Error;
use fjall::Database;
use std::fs;
use std::io;
use std::path::Path;

const RUN_FILE: &str = "RUN";
const KEYSPACES_FOLDER: &str = "keyspaces";
/// Each run may create 2^32 keyspaces and make 2^40 commits, and there may be 2^23 runs.
const KEYSPACE_BITS: u32 = 32;
const SEQUENCE_BITS: u32 = 40;

/// How often the folder was opened before.
pub(super) struct Run(u64);

impl Run {
    /// Counts this run, before the engine opens its folder.
    pub(super) fn begin(dir: &Path, data: &Path) -> Result<Run, Error> {
        let file = dir.join(RUN_FILE);
        let run = match fs::read_to_string(&file) {
            Ok(text) => text.trim().parse::<u64>().ok().and_then(|last| last.checked_add(1)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !data.exists() => Some(0),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(Error::io(format!("read {}", file.display()), error)),
        };
        let Some(run) = run else {
            return Err(Error::Corrupt { file, detail: "it does not count the runs".into() });
        };
        let action = || format!("write {}", file.display());
        replace_file(dir, RUN_FILE, &format!("{run}\n")).map_err(|error| Error::io(action(), error))?;
        if data.exists() {
            // The engine counts on from the highest folder it finds, and removes this one because it is not its own.
            let marker = data.join(KEYSPACES_FOLDER).join((run << KEYSPACE_BITS).to_string());
            fs::create_dir_all(marker).map_err(|error| Error::io("reserve keyspace numbers", error))?;
        }
        Ok(Run(run))
    }

    /// Lifts the engine's sequence numbers into the range of this run, before anything is written.
    pub(super) fn reserve(&self, db: &Database) {
        db.supervisor.seqno.fetch_max(self.0 << SEQUENCE_BITS);
    }
}
