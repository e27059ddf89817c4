//! The machine the figures belong to: processor, memory, kernel, and how long its disk takes to sync.
//!
//! Everything here describes; nothing depends on it but the report.

use crate::figures::Machine;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

const SYNC_SAMPLES: usize = 200;

/// Cores that this process may use.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Describes the machine; the disk is the one that holds `folder`.
pub(crate) fn describe(folder: &Path) -> Machine {
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = field(&processors, "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes =
        field(&memory, "MemTotal").and_then(|text| text.trim_end_matches(" kB").parse::<f64>().ok());
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    Machine {
        processor,
        cores: cores(),
        memory_gb: kilobytes.unwrap_or(0.0) / 1024.0 / 1024.0,
        kernel: format!("{} {}", std::env::consts::OS, kernel.trim()),
        sync_ms: sync_ms(folder).ok(),
    }
}

fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The median time of a 4 KB append with a sync: nothing durable can answer one client faster.
fn sync_ms(folder: &Path) -> std::io::Result<f64> {
    let path = folder.join("sync-probe");
    let mut file = File::create(&path)?;
    let block = [b'x'; 4096];
    let mut samples = Vec::with_capacity(SYNC_SAMPLES);
    for _ in 0..SYNC_SAMPLES {
        let begin = Instant::now();
        file.write_all(&block)?;
        file.sync_data()?;
        samples.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    fs::remove_file(&path)?;
    samples.sort_unstable_by(f64::total_cmp);
    Ok(samples.get(SYNC_SAMPLES / 2).copied().unwrap_or(0.0))
}
