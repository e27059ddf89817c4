//! Runs the fuzzers of `fuzz/`: five programs, two at a time, each until it has had its share of the inputs. Each begins with
//! its corpus, `fuzz/corpus/NAME.hex`: an input a line. One is made again from a folder of inputs with
//! `NAME -merge=1 small folder; for file in small/*; do xxd -p -c 0 $file; done | sort`. Knows only how to start them
//! and to count.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use crate::report::Row;
use crate::server::Folder;

/// What to run, and how much of it.
pub(crate) struct Plan {
    /// Where the programs are.
    pub(crate) programs: PathBuf,
    pub(crate) inputs: u64,
    pub(crate) seed: u64,
    /// No program runs longer.
    pub(crate) seconds_max: u64,
}

/// A program, its share of a hundred inputs, and how long an input may be. The slow ones begin; the slowest is run twice,
/// with other inputs, so that no core waits for it: short ones, and ones that hold a whole body.
const FUZZERS: [(&str, u64, u64); 6] = [
    ("bodies", 6, 80),
    ("bodies", 6, 400),
    ("designs", 2, 1500),
    ("files", 12, 200),
    ("expressions", 24, 150),
    ("items", 50, 150),
];
const AT_ONCE: usize = 2;

/// Runs all of them.
pub(crate) fn run(plan: &Plan) -> Result<Row, String> {
    let began = Instant::now();
    let mut folder = Folder::new("fuzz")?;
    let waiting = Mutex::new(FUZZERS.iter().zip(0..));
    let done: Mutex<Vec<(&str, u64, Option<String>)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                scope.spawn(|| -> Result<(), String> {
                    loop {
                        let next = waiting.lock().map_err(|_| "a worker panicked")?.next();
                        let Some((fuzzer, place)) = next else { return Ok(()) };
                        let (inputs, problem) = one(plan, folder.path(), fuzzer, place)?;
                        let (name, ..) = *fuzzer;
                        done.lock().map_err(|_| "a worker panicked")?.push((name, inputs, problem));
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| "a worker panicked".to_string())?)
    })?;
    let mut done = done.into_inner().map_err(|_| "a worker panicked")?;
    done.sort();
    let total: u64 = done.iter().map(|(_, inputs, _)| inputs).sum();
    let mut shares: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, inputs, _) in &done {
        *shares.entry(name).or_default() += inputs;
    }
    let shares: Vec<String> = shares.iter().map(|(name, inputs)| format!("{name} {inputs}")).collect();
    let problems: Vec<String> = done.into_iter().filter_map(|(_, _, problem)| problem).collect();
    if !problems.is_empty() {
        folder.keep();
    }
    Ok(Row {
        name: "fuzz",
        did: format!("{total} inputs ({})", shares.join(", ")),
        seconds: began.elapsed().as_secs(),
        problems,
    })
}

fn one(
    plan: &Plan,
    folder: &Path,
    fuzzer: &(&str, u64, u64),
    place: u64,
) -> Result<(u64, Option<String>), String> {
    let (name, share, longest) = *fuzzer;
    let wanted = plan.inputs * share / 100;
    let program = plan.programs.join(name);
    let known = folder.join(format!("{name}-{place}"));
    unpack(name, &known)?;
    let output = Command::new(&program)
        .arg(format!("-runs={wanted}"))
        .arg(format!("-max_len={longest}"))
        .arg(format!("-seed={}", plan.seed.wrapping_mul(100) + place))
        .arg(format!("-max_total_time={}", plan.seconds_max))
        .arg(format!("-artifact_prefix={}/{name}-", folder.display()))
        .args([
            "-len_control=0",
            "-entropic=0",
            "-timeout=20",
            "-rss_limit_mb=2048",
            "-print_final_stats=1",
            "-reload=0",
        ])
        .arg(&known)
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let counted = text.lines().rev().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let inputs = counted.and_then(|count| count.trim().parse().ok()).unwrap_or(0);
    if output.status.success() && inputs >= wanted {
        return Ok((inputs, None));
    }
    if output.status.success() {
        let problem = format!("{name}: only {inputs} of {wanted} inputs in {} s", plan.seconds_max);
        return Ok((inputs, Some(problem)));
    }
    let problem = {
        let told: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let last = told.len().saturating_sub(40);
        format!(
            "{name}: the input is in {}\n{}",
            folder.display(),
            told.get(last..).unwrap_or_default().join("\n")
        )
    };
    Ok((inputs, Some(problem)))
}

/// Writes the corpus of a fuzzer into a folder, a file an input.
fn unpack(name: &str, folder: &Path) -> Result<(), String> {
    let told = |error: std::io::Error| format!("the corpus of {name}: {error}");
    fs::create_dir_all(folder).map_err(told)?;
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name).with_extension("hex");
    for (number, line) in fs::read_to_string(packed).map_err(told)?.lines().enumerate() {
        let bytes =
            bytes(line).ok_or_else(|| format!("the corpus of {name}: line {} is no hex", number + 1))?;
        fs::write(folder.join(number.to_string()), bytes).map_err(told)?;
    }
    Ok(())
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = hex.chars().map(|digit| digit.to_digit(16)).collect();
    digits?
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => u8::try_from(high * 16 + low).ok(),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_corpora_can_be_read() {
        let folder = Folder::new("corpus").unwrap_or_else(|error| panic!("{error}"));
        for (name, _, longest) in FUZZERS {
            let known = folder.path().join(name);
            assert_eq!(unpack(name, &known), Ok(()));
            let sizes =
                fs::read_dir(known).into_iter().flatten().flatten().filter_map(|file| file.metadata().ok());
            let sizes: Vec<u64> = sizes.map(|file| file.len()).collect();
            assert!(sizes.len() > 20 && sizes.iter().all(|size| *size <= longest), "{name}: {sizes:?}");
        }
    }

    #[test]
    fn hex_is_read() {
        assert_eq!(bytes("00fF"), Some(vec![0, 255]));
        assert_eq!(bytes(""), Some(vec![]));
        assert_eq!([bytes("0"), bytes("0g")], [None, None]);
    }
}
