//! Golden scripts: request, answer, and the writes it caused. `GOLDEN=write cargo test -p engine --test golden` writes
//! the answers anew; look at the difference before you keep it.
//!
//! A script is a text file: blocks parted by blank lines, each a request (`Operation {json}`), a line `---`, and what
//! came of it. Lines that begin with `#` are remarks. Times and ids are replaced by `<time>` and `<id>`.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Engine, Env, LifeCycle, Settings};

/// A clock that stands at one moment and chance that is none.
#[derive(Debug, Default)]
struct FixedEnv(AtomicU64);

impl Env for FixedEnv {
    fn now_ms(&self) -> u64 {
        1_700_000_000_000
    }

    fn random(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

#[test]
fn every_script_gives_what_it_shows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let mut scripts: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    scripts.sort();
    assert!(!scripts.is_empty(), "there are no scripts in {}", folder.display());
    let mut different = Vec::new();
    for script in scripts {
        let expected = fs::read_to_string(&script).unwrap();
        let actual = play(&expected);
        if actual == expected {
            continue;
        }
        if std::env::var("GOLDEN").is_ok_and(|mode| mode == "write") {
            fs::write(&script, actual).unwrap();
        } else {
            different.push(format!("{}:\n{}", script.display(), first_difference(&expected, &actual)));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// The script with what really came of each request.
fn play(script: &str) -> String {
    let settings = Settings { store: storage::Config::Memory, life_cycle: LifeCycle::Immediate };
    let engine = Engine::open(settings, Arc::new(FixedEnv::default())).unwrap();
    let mut out = String::new();
    for block in script.trim_end().split("\n\n") {
        let asked: Vec<&str> = block.lines().take_while(|line| *line != "---").collect();
        for line in &asked {
            writeln!(out, "{line}").unwrap();
        }
        let request: Vec<&str> = asked.iter().copied().filter(|line| !line.starts_with('#')).collect();
        if !request.is_empty() {
            out.push_str("---\n");
            out.push_str(&run(&engine, &request.join("\n")));
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn run(engine: &Engine, request: &str) -> String {
    let (name, body) = request.split_once(' ').unwrap_or((request, "{}"));
    let before = engine.inspect().unwrap();
    let mut bytes = Vec::new();
    let families = ["DynamoDB_20120810", "DynamoDBStreams_20120810"];
    let target = families.map(|family| wire::target(Some(&format!("{family}.{name}"))));
    let answer = target
        .into_iter()
        .reduce(|first, second| first.or(second))
        .unwrap()
        .and_then(|name| wire::decode(name, body.as_bytes(), "localhost:8000"))
        .and_then(|operation| engine.run(operation).wait());
    let status = match &answer {
        Ok(output) => {
            wire::encode(output, body.as_bytes(), &mut bytes);
            200
        }
        Err(error) => wire::encode_error(error, &mut bytes),
    };
    while engine.work() == engine::Rest::Again {}
    let mut out = format!("{status} {}\n", String::from_utf8(bytes).unwrap());
    out.push_str(&difference(&before, &engine.inspect().unwrap()));
    out
}

fn difference(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    for (place, text) in before {
        if !after.contains_key(place) {
            writeln!(out, "delete {place} = {text}").unwrap();
        }
    }
    for (place, text) in after {
        if before.get(place) != Some(text) {
            writeln!(out, "write {place} = {text}").unwrap();
        }
    }
    out
}

fn first_difference(expected: &str, actual: &str) -> String {
    let lines = expected.lines().zip(actual.lines()).enumerate();
    match lines.into_iter().find(|(_, (expected, actual))| expected != actual) {
        Some((number, (expected, actual))) => {
            format!("line {}:\n  expected: {expected}\n  actual:   {actual}", number + 1)
        }
        None => "one is longer than the other".to_string(),
    }
}
