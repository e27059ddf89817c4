//! Prints how many durable puts and how many gets a second a store does, and what they cost in CPU time.
//!
//! Arguments: a folder (default: a temporary one), seconds for each line (default: 2).

use bytes::Bytes;
use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use storage::{Batch, Config, Durability, Error, Key, Space, Store};

const ITEMS: Space = Space(1);
const KEYS: u64 = 20_000;
const VALUE_BYTES: usize = 1024;
const CACHE_BYTES: u64 = 96 << 20;

fn main() -> Result<(), Error> {
    let mut arguments = env::args().skip(1);
    let dir = arguments.next().map_or_else(|| env::temp_dir().join("storage-throughput"), PathBuf::from);
    let seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(2);
    for durability in [Durability::Sync, Durability::Relaxed] {
        report(&dir, durability, Duration::from_secs(seconds))?;
    }
    say(&format!("memory in use: {} MB", resident_mb()));
    Ok(())
}

fn report(dir: &Path, durability: Durability, time: Duration) -> Result<(), Error> {
    let _ = fs::remove_dir_all(dir);
    let config = || Config::Disk { dir: dir.to_path_buf(), durability, cache_bytes: CACHE_BYTES };
    let start = now();
    let store = Store::open(config())?;
    say(&format!("{durability:?}: open of an empty folder {:?}, {} MB", start.elapsed(), resident_mb()));
    store.create_space(ITEMS)?;
    for threads in [1, 16] {
        measure(&format!("put, {threads} threads"), threads, time, |number| put(&store, number));
    }
    measure("put of one key, 16 threads", 16, time, |_| put(&store, 0));
    for key in 0..1000 {
        store.get(ITEMS, &key_of(key))?;
    }
    for threads in [1, 2] {
        measure(&format!("get of hot keys, {threads} threads"), threads, time, |number| {
            store.get(ITEMS, &key_of(number % 1000)).map(drop)
        });
    }
    let start = now();
    store.close()?;
    drop(store);
    say(&format!("close {:?}", start.elapsed()));
    let start = now();
    let store = Store::open(config())?;
    say(&format!("open again {:?}", start.elapsed()));
    drop(store);
    let _ = fs::remove_dir_all(dir);
    Ok(())
}

fn put(store: &Store, number: u64) -> Result<(), Error> {
    let key = Key::new(ITEMS, key_of(number));
    let ticket = store.apply(std::slice::from_ref(&key), &mut |_| {
        let mut batch = Batch::new();
        batch.put(ITEMS, key.bytes.clone(), Bytes::from(vec![number as u8; VALUE_BYTES]));
        Some(batch)
    })?;
    store.wait(ticket)
}

/// Keys spread over the whole range, as hashed ones are.
fn key_of(number: u64) -> Vec<u8> {
    let mut key = (number % KEYS).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes().to_vec();
    key.extend_from_slice(b"partition#sort");
    key
}

fn measure(name: &str, threads: u64, time: Duration, call: impl Fn(u64) -> Result<(), Error> + Sync) {
    let done = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let (start, cpu) = (now(), cpu_us());
    thread::scope(|scope| {
        for thread in 0..threads {
            let (call, done, stop) = (&call, &done, &stop);
            scope.spawn(move || {
                let mut count = 0;
                while !stop.load(Ordering::Relaxed) {
                    if let Err(error) = call(thread + count * threads) {
                        say(&format!("failed: {error}"));
                        return;
                    }
                    count += 1;
                }
                done.fetch_add(count, Ordering::Relaxed);
            });
        }
        thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
    });
    let done = done.into_inner().max(1) as f64;
    let rate = done / start.elapsed().as_secs_f64();
    let cost = (cpu_us() - cpu) / done;
    say(&format!("  {name:<32} {rate:>10.0}/s  {cost:>6.2} CPU us each"));
}

#[expect(clippy::disallowed_methods, reason = "a measurement needs the real clock")]
fn now() -> Instant {
    Instant::now()
}

/// CPU time of the process so far; the system counts it in hundredths of a second.
fn cpu_us() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * 10_000.0
}

fn resident_mb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
