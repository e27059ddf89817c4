//! Finds out what the log holds after a crash. Knows which bytes a crash may leave, and nothing of what they mean.
//!
//! Records are numbered without gaps. Where the next number is nowhere, the log ends, unless a record behind the gap says
//! that what is missing was on the disk: then it is damage, and answered as such. A record that a crash left behind a gap is
//! never taken for part of the log later: it belongs to an earlier run than the records that took its number.

use super::record::{self, ALIGNMENT, Changes, Record, Secret};
use super::{ENDING, Slot, slots, write_at};
use crate::error::Error;
use bytes::Bytes;
use std::collections::BTreeSet;
use std::path::Path;

/// The log of a folder.
pub(in crate::disk) struct Recovered {
    /// The slots that hold what is not in files yet, the oldest first. Commits go on at the end of the last one.
    pub(in crate::disk) parts: Vec<Part>,
    /// The others.
    pub(in crate::disk) free: Vec<Slot>,
    /// The last number that is in the log or in files.
    pub(in crate::disk) last: u64,
    pub(in crate::disk) next_slot: u64,
}

/// The records of a slot that are not in files yet.
pub(in crate::disk) struct Part {
    pub(in crate::disk) slot: Slot,
    bytes: Bytes,
    records: Vec<Record>,
}

/// What a slot holds.
struct Content {
    slot: Slot,
    bytes: Bytes,
    /// Records from the beginning of the slot on, without a gap.
    chain: Vec<Record>,
    /// Whole records that stand alone behind those.
    strays: Vec<Record>,
}

/// Reads the log of a folder. All numbers up to `filed` are in files; these slots must be there.
pub(in crate::disk) fn recover(
    folder: &Path,
    secret: Secret,
    filed: u64,
    needed: &BTreeSet<u64>,
) -> Result<Recovered, Error> {
    let slots = slots(folder)?;
    if let Some(missing) = needed.iter().find(|number| slots.iter().all(|slot| slot.number != **number)) {
        let file = folder.join(format!("{missing}.{ENDING}"));
        return Err(Error::Corrupt { file, detail: "this part of the log is missing".into() });
    }
    let next_slot = slots.last().map_or(0, |slot| slot.number + 1);
    let mut contents = slots
        .into_iter()
        .map(|slot| Content::read(slot, secret, filed))
        .collect::<Result<Vec<_>, Error>>()?;
    let (mut expected, mut run) = (filed + 1, 0);
    let mut parts = Vec::new();
    while let Some(place) = next_chain(&contents, expected, run) {
        let Content { slot, bytes, chain, .. } = contents.swap_remove(place);
        let records: Vec<Record> = chain.into_iter().filter(|record| record.number >= expected).collect();
        if let Some(last) = records.last() {
            (expected, run) = (last.number + 1, last.run);
        }
        parts.push(Part { slot, bytes, records });
        // What a crash left behind the end of this one counts as well.
        refuse_damage(&parts, &contents, secret, (expected, run))?;
    }
    if parts.is_empty() {
        refuse_damage(&parts, &contents, secret, (expected, run))?;
    }
    let free = contents.into_iter().map(|content| content.slot).collect();
    Ok(Recovered { parts, free, last: expected - 1, next_slot })
}

/// The slot in which the log goes on with this number. Of two the one of the later run counts.
fn next_chain(contents: &[Content], expected: u64, run: u64) -> Option<usize> {
    let fits = |(place, content): (usize, &Content)| {
        let first = content.chain.first()?;
        let at = content.chain.iter().find(|record| record.number == expected)?;
        (first.number <= expected && at.run >= run).then_some((at.run, place))
    };
    contents.iter().enumerate().filter_map(fits).max().map(|(_, place)| place)
}

/// The number `expected` is missing so far: refuses that if it was on the disk once and no slot has it.
fn refuse_damage(
    parts: &[Part],
    contents: &[Content],
    secret: Secret,
    (expected, run): (u64, u64),
) -> Result<(), Error> {
    if next_chain(contents, expected, run).is_some() {
        return Ok(());
    }
    let found = contents.iter().flat_map(|content| content.chain.iter().chain(&content.strays));
    let behind = parts.last().map(|part| part.strays(secret)).unwrap_or_default();
    let proves =
        |record: &&Record| record.run >= run && record.number > expected && record.synced >= expected;
    if found.chain(&behind).any(|record| proves(&record)) {
        let file = match parts.last() {
            Some(part) => part.slot.path.clone(),
            None => contents.first().map(|content| content.slot.path.clone()).unwrap_or_default(),
        };
        let detail = format!("record {expected} of the log was written once and is not there any more");
        return Err(Error::Corrupt { file, detail });
    }
    Ok(())
}

impl Content {
    fn read(slot: Slot, secret: Secret, filed: u64) -> Result<Content, Error> {
        // What an earlier process handed to the system is to be on the disk before anything relies on it.
        slot.file.sync_data().map_err(|error| slot.failure("sync", error))?;
        let bytes = slot.read()?;
        let mut chain: Vec<Record> = Vec::new();
        let mut at = 0;
        while let Some(record) = record::read(&bytes, at, secret) {
            let goes_on = |last: &Record| record.number == last.number + 1 && record.run >= last.run;
            if !chain.last().is_none_or(goes_on) {
                break;
            }
            at = record.end;
            chain.push(record);
        }
        let strays = strays(&bytes, at, secret, filed);
        Ok(Content { slot, bytes, chain, strays })
    }
}

impl Part {
    /// The numbers of its records and what they change.
    pub(in crate::disk) fn records(&self) -> impl Iterator<Item = (u64, Changes)> {
        self.records.iter().map(|record| (record.number, record.changes(&self.bytes)))
    }

    /// Where the next record goes.
    pub(in crate::disk) fn end(&self) -> u64 {
        self.records.last().map_or(0, |record| record.end as u64)
    }

    /// Writes records again of which nothing says that they are on the disk. After a sync that failed the system may show
    /// bytes that the disk never got, and take them for synced.
    pub(in crate::disk) fn write_again(&self) -> Result<(), Error> {
        let synced = self.records.iter().map(|record| record.synced).max().unwrap_or(0);
        for record in self.records.iter().filter(|record| record.number > synced) {
            let bytes = self.bytes.get(record.start..record.end.min(self.bytes.len())).unwrap_or_default();
            let written = write_at(&self.slot.file, bytes, record.start as u64);
            written.map_err(|error| self.slot.failure("write", error))?;
        }
        self.slot.file.sync_data().map_err(|error| self.slot.failure("sync", error))
    }

    pub(in crate::disk) fn last(&self) -> u64 {
        self.records.last().map_or(0, |record| record.number)
    }

    fn strays(&self, secret: Secret) -> Vec<Record> {
        strays(&self.bytes, self.end() as usize, secret, self.last())
    }
}

/// Whole records behind `from`, with a number greater than `filed`.
fn strays(bytes: &[u8], from: usize, secret: Secret, filed: u64) -> Vec<Record> {
    let mut found = Vec::new();
    let mut at = from.next_multiple_of(ALIGNMENT);
    while at < bytes.len() {
        let plausible = record::head(bytes, at, secret).filter(|head| head.number > filed);
        match plausible.and_then(|_| record::read(bytes, at, secret)) {
            Some(record) => {
                at = record.end;
                found.push(record);
            }
            None => at += ALIGNMENT,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::log::{Change, Log, Slots};
    use std::fs;
    use tempfile::TempDir;

    /// A log in a folder, written by one run after the other.
    struct Written {
        dir: TempDir,
        slots: Slots,
        log: Log,
    }

    fn begun() -> Written {
        let dir = TempDir::new().unwrap();
        let slots = Slots::new(dir.path(), Vec::new(), BTreeSet::new(), 0);
        let log = Log::new(slots.take().unwrap(), 0, secret(1), 0);
        Written { dir, slots, log }
    }

    fn secret(run_max: u64) -> Secret {
        Secret { salt: 77, run_max }
    }

    impl Written {
        /// Adds a record with this value; answers where it ends.
        fn add(&mut self, value: &str) -> u64 {
            self.log.begin();
            self.log.put(7, b"key", value.as_bytes());
            self.log.write().unwrap();
            self.log.position
        }

        fn go_on_in_another_slot(&mut self) {
            let slot = self.slots.take().unwrap();
            self.log.go_on_in(slot).unwrap();
        }

        /// Ends this run and begins the next one; answers what was found.
        fn restart(&mut self, filed: u64) -> Result<String, Error> {
            let Recovered { mut parts, free, last, next_slot } =
                recover(self.dir.path(), self.log.secret, filed, &BTreeSet::new())?;
            let mut found = Vec::new();
            for part in &parts {
                for (number, changes) in part.records() {
                    for change in changes {
                        let Some(Change::Write { room: 7, value: Some(value), .. }) = change else {
                            panic!("{change:?}")
                        };
                        found.push(format!("{number}{}", String::from_utf8_lossy(&value)));
                    }
                }
            }
            let in_use = parts.iter().map(|part| part.slot.number).collect();
            self.slots = Slots::new(self.dir.path(), free, in_use, next_slot);
            let run = secret(self.log.secret.run_max + 1);
            self.log = match parts.pop() {
                Some(part) => {
                    let end = part.end();
                    Log::new(part.slot, end, run, last)
                }
                None => Log::new(self.slots.take().unwrap(), 0, run, last),
            };
            Ok(found.join(" "))
        }

        /// Changes one byte of a slot.
        fn damage(&self, slot: u64, at: u64) {
            let path = self.dir.path().join(format!("{slot}.jnl"));
            let mut bytes = fs::read(&path).unwrap();
            bytes[at as usize] ^= 1;
            fs::write(&path, bytes).unwrap();
        }
    }

    #[test]
    fn records_are_found_over_slots_and_runs() {
        let mut written = begun();
        written.add("a");
        written.add("b");
        written.go_on_in_another_slot();
        written.add("c");
        assert_eq!(written.restart(0).unwrap(), "1a 2b 3c");
        written.add("d");
        assert_eq!(written.restart(0).unwrap(), "1a 2b 3c 4d");
        assert_eq!(written.restart(1).unwrap(), "2b 3c 4d");
        assert_eq!(written.restart(3).unwrap(), "4d");
        assert_eq!(written.restart(4).unwrap(), "");
        written.add("e");
        assert_eq!(written.restart(4).unwrap(), "5e");
    }

    #[test]
    fn a_slot_that_is_used_again_shows_nothing_old() {
        let mut written = begun();
        for value in ["a", "b", "c"] {
            written.add(value);
        }
        // The first slot is full, the second one is begun, the first one is free.
        written.go_on_in_another_slot();
        written.add("d");
        assert_eq!(written.restart(3).unwrap(), "4d");
        written.go_on_in_another_slot();
        written.add("e");
        assert_eq!(written.restart(3).unwrap(), "4d 5e");
        assert_eq!(fs::read_dir(written.dir.path()).unwrap().count(), 2, "the first slot was not used again");
    }

    #[test]
    fn damage_is_told_from_a_write_that_was_cut_off() {
        // Nothing was synced: the second record may be lost with all behind it.
        let mut written = begun();
        let second = written.add("a");
        written.add("b");
        written.add("c");
        written.damage(0, second + 50);
        assert_eq!(written.restart(0).unwrap(), "1a");
        // The third record says that the second one was synced.
        let mut written = begun();
        let second = written.add("a");
        written.add("b");
        written.log.sync().unwrap();
        written.add("c");
        written.damage(0, second + 50);
        assert!(matches!(written.restart(0), Err(Error::Corrupt { .. })));
        // So does a mark, and one that stands in another slot.
        let mut written = begun();
        written.add("a");
        written.go_on_in_another_slot();
        written.log.mark().unwrap();
        written.damage(0, 50);
        assert!(matches!(written.restart(0), Err(Error::Corrupt { .. })));
        // What is in files need not be in the log.
        assert_eq!(written.restart(1).unwrap(), "");
    }

    #[test]
    fn what_a_crash_left_behind_a_gap_never_comes_back() {
        let mut written = begun();
        let second = written.add("a");
        written.add("b");
        written.add("c");
        written.go_on_in_another_slot();
        written.add("d");
        // As if the sync before the second slot had not been: nothing says that the second record was on the disk.
        let path = written.dir.path().join("1.jnl");
        let mut log = begun();
        log.log = Log { written: 3, ..Log::new(log.slots.take().unwrap(), 0, secret(1), 0) };
        log.add("d");
        fs::copy(log.dir.path().join("1.jnl"), &path).unwrap();
        written.damage(0, second + 50);
        assert_eq!(written.restart(0).unwrap(), "1a");
        // The numbers are given again, by a later run. Records 3 and 4 of the first run are still there, whole.
        written.add("B");
        assert_eq!(written.restart(0).unwrap(), "1a 2B");
        written.add("C");
        assert_eq!(written.restart(0).unwrap(), "1a 2B 3C");
    }

    #[test]
    fn a_value_that_looks_like_a_record_is_none() {
        // A record as somebody would make it who does not know the folder's secret, at every alignment.
        let mut forged = Vec::new();
        for salt in [0, 1] {
            let mut record = Vec::new();
            record::begin(&mut record);
            record::finish(&mut record, salt, 1 << 60, 1 << 60, (1 << 60) - 1);
            record.push(0);
            forged.extend(record.repeat(8));
        }
        let mut written = begun();
        written.log.begin();
        written.log.put(7, b"key", &forged);
        written.log.write().unwrap();
        written.go_on_in_another_slot();
        written.add("b");
        // The first slot is used again, and the forged bytes stand behind what is written to it then.
        written.restart(1).unwrap();
        written.go_on_in_another_slot();
        written.add("c");
        assert_eq!(written.restart(1).unwrap(), "2b 3c");
        let bytes = fs::read(written.dir.path().join("0.jnl")).unwrap();
        assert!(bytes.len() > forged.len(), "the first slot was not used again");
    }
}
