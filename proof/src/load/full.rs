//! A full disk, twice: one that fills while the server writes, on a small file system of its own, and one that is full from
//! one moment to the next, by the faulty file layer. Writes are refused, reads go on, and nothing that was acknowledged is
//! lost.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{get, megabytes, put, shows, table};
use crate::faults::Faults;
use crate::report::Row;
use crate::server::{Folder, Server};
use crate::wire::{Answer, Wire};

/// The file system, and what others take of it at first.
const DISK_BYTES: u64 = 400 << 20;
const OTHERS_BYTES: u64 = 200 << 20;
const ITEM_BYTES: usize = 100_000;
const WRITES_MAX: u64 = 20_000;
/// Writes after the first that was refused.
const MORE_REFUSED: u64 = 5;

/// Plays both.
pub(crate) fn run(larder: &Path) -> Result<Row, String> {
    let began = Instant::now();
    let folder = Folder::new("full")?;
    let mut problems = Vec::new();
    let small = folder.path().join("small");
    fs::create_dir_all(&small).map_err(|error| error.to_string())?;
    let filling = match mount(&small) {
        Ok(()) => {
            let told = filling(larder, &small, &mut problems);
            let _ = Command::new("umount").arg("-l").arg(&small).status();
            told?
        }
        // The table calls the whole proof not run then: the half that is left says less.
        Err(reason) => {
            problems.extend(is_root().then(|| format!("no file system could be mounted: {reason}")));
            "NOT RUN: no disk was filled, for which a file system must be mounted".to_string()
        }
    };
    let sudden = sudden(larder, folder.path(), &mut problems)?;
    Ok(Row {
        name: "full",
        did: format!("{filling}; {sudden}"),
        seconds: began.elapsed().as_secs(),
        problems,
    })
}

fn mount(folder: &Path) -> Result<(), String> {
    let size = format!("size={DISK_BYTES}");
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder).output();
    let output = mounted.map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Whether this process may mount, as far as anybody may.
fn is_root() -> bool {
    cfg!(target_os = "linux") && fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// Fills a disk, looks, makes room, writes on, and looks again after a kill.
fn filling(larder: &Path, small: &Path, problems: &mut Vec<String>) -> Result<String, String> {
    let others = small.join("others");
    fs::write(&others, vec![1; OTHERS_BYTES as usize]).map_err(|error| error.to_string())?;
    let mut server = Server::larder(larder, &small.join("data"))?;
    server.start()?;
    let mut wire = server.wire();
    wire.must("CreateTable", &table("load"))?;
    let (first, refusal) = write_until_refused(&mut wire, 0)?;
    if refusal.status != 503 || !refusal.text().contains("disk is nearly full") {
        problems.push(format!("the refusal does not say why: {} {}", refusal.status, refusal.body));
    }
    problems.extend(unclear(&refusal));
    look(&mut wire, 0..first, problems)?;
    wire.must("DeleteItem", &json!({"TableName": "load", "Key": {"pk": {"S": "k0"}}}))?;
    fs::remove_file(&others).map_err(|error| error.to_string())?;
    thread::sleep(Duration::from_millis(300));
    let mut next = first;
    for key in first..first + 200 {
        match wire.must("PutItem", &put("load", key, ITEM_BYTES)) {
            Ok(_) => next = key + 1,
            Err(problem) => {
                problems.push(format!("refused although there is room again: {problem}"));
                break;
            }
        }
    }
    server.kill();
    server.start()?;
    look(&mut server.wire(), 1..next, problems)?;
    problems.extend(server.problems());
    Ok(format!(
        "a disk of {} MB took {first} writes of 100 KB, refused more, took {} more when room came back; all read again \
         after a kill",
        megabytes(DISK_BYTES),
        next - first
    ))
}

/// The disk is full from one moment to the next, without a warning: writes are refused until a start on a disk with room.
fn sudden(larder: &Path, folder: &Path, problems: &mut Vec<String>) -> Result<String, String> {
    let data = folder.join("sudden");
    let faults = Faults::new(folder, &data)?;
    let mut server = Server::larder(larder, &data)?.with_environment(&faults.environment());
    server.start()?;
    let mut wire = server.wire();
    wire.must("CreateTable", &table("load"))?;
    for key in 0..200 {
        wire.must("PutItem", &put("load", key, 2000))?;
    }
    faults.set_full(true);
    let (acknowledged, refusal) = write_until_refused(&mut wire, 200)?;
    problems.extend(unclear(&refusal));
    // Not only that one, and none of them waits for ever.
    for key in 1..=MORE_REFUSED {
        let later =
            wire.ask("PutItem", &put("load", WRITES_MAX + key, 10)).map_err(|broken| broken.to_string())?;
        problems.extend(unclear(&later));
    }
    look(&mut wire, 0..acknowledged, problems)?;
    if !server.last_words().to_lowercase().contains("no space left") {
        problems.push(format!("its log does not say that the disk is full:\n{}", server.last_words()));
    }
    faults.set_full(false);
    server.kill();
    server.start()?;
    let mut wire = server.wire();
    look(&mut wire, 0..acknowledged, problems)?;
    for key in 1..=MORE_REFUSED {
        let answer = wire.must("GetItem", &get("load", WRITES_MAX + key))?;
        problems.extend(
            shows(&answer, WRITES_MAX + key).then(|| "a write that was refused is there".to_string()),
        );
    }
    wire.must("PutItem", &put("load", acknowledged + 1, 10))?;
    problems.extend(server.problems());
    Ok(format!("a disk full without warning: {acknowledged} writes read before and after the next start"))
}

/// What a caller cannot make sense of in a refusal: it must be a fault of the server in the service's words, so that an SDK
/// tries again, and hold nothing of the inside.
fn unclear(refusal: &Answer) -> Option<String> {
    let known = [(500, "InternalServerError"), (503, "ServiceUnavailableException")];
    let text = refusal.text();
    let is_inside = ["/", "os error", "errno", "panic", "Err(", "::"].iter().any(|sign| text.contains(sign));
    let is_clear = known.contains(&(refusal.status, refusal.class())) && text.ends_with('.') && !is_inside;
    (!is_clear)
        .then(|| format!("on a full disk a write was refused with {} {}", refusal.status, refusal.body))
}

/// Writes items until one is refused; the key of that one and the refusal.
fn write_until_refused(wire: &mut Wire, first: u64) -> Result<(u64, Answer), String> {
    for key in first..WRITES_MAX {
        let answer =
            wire.ask("PutItem", &put("load", key, ITEM_BYTES)).map_err(|broken| broken.to_string())?;
        match answer.status {
            200 => {}
            500 | 503 => return Ok((key, answer)),
            _ => return Err(format!("a write on a full disk was answered {}", answer.body)),
        }
    }
    Err("the disk never filled".to_string())
}

fn look(wire: &mut Wire, keys: std::ops::Range<u64>, problems: &mut Vec<String>) -> Result<(), String> {
    for key in keys {
        let answer = wire.must("GetItem", &get("load", key))?;
        if !shows(&answer, key) {
            problems.push(format!("item {key} was acknowledged and is not there"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_tells_nothing_of_the_inside() {
        let refused = |status, class: &str, message: &str| {
            unclear(&Answer { status, body: json!({"__type": format!("x#{class}"), "message": message}) })
        };
        assert_eq!(refused(500, "InternalServerError", "It failed."), None);
        assert!(refused(400, "InternalServerError", "It failed.").is_some());
        assert!(refused(500, "Error", "It failed.").is_some());
        assert!(refused(500, "InternalServerError", "").is_some());
        assert!(refused(500, "InternalServerError", "/data/log: No space left (os error 28).").is_some());
    }
}
