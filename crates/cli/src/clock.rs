//! `larder clock`: reads and turns the clock of a server that was started with `--time-control`.
//! Knows the words for it; the server reads times and durations.

use crate::failure::Failure;
use crate::words::{self, ENDPOINT, Flag, Given, Usage};
use client::Http;
use serde_json::{Value as Json, json};
use std::process::ExitCode;

const USAGE: Usage = Usage {
    name: "clock",
    forms: &[
        "[show]              what it shows",
        "freeze [TIME]       stop it, now or at a later time",
        "advance DURATION    move it forward: 90s, 15m, 25h, 36d, 1d12h",
        "set TIME            move it forward to a time: 2030-01-31T12:00:00Z, or seconds since 1970",
        "resume              let it run on from where it is",
        "reset               put it back to the system's time",
    ],
    purpose: "read and turn the clock of a server that was started with --time-control",
    flags: &[ENDPOINT, Flag { name: "json", value: None, purpose: "say it as JSON on standard output" }],
    notes: "Expiry, stream retention, tokens and recovery follow this clock. Only reset moves it backwards.\n\
            Try:\n  larder serve --in-memory --time-control &\n  larder clock advance 25h\n",
};
const PATH: &str = "/_larder/clock";
/// Regions do not matter to a clock.
const REGION: &str = "local";

/// Does what is asked.
pub(crate) fn run(arguments: impl Iterator<Item = std::ffi::OsString>) -> Result<ExitCode, Failure> {
    let Some(given) = words::read(&USAGE, arguments)? else {
        crate::say(&words::help(&USAGE));
        return Ok(ExitCode::SUCCESS);
    };
    let turn = turn(&given)?;
    let endpoint = given
        .value("endpoint")
        .map_or_else(|| words::usual_endpoint(&|name| std::env::var(name).ok()), str::to_owned);
    let http = Http::new(&endpoint, REGION, 1).map_err(|failure| Failure::new(failure.message))?;
    match http.beside(PATH, turn.as_ref()) {
        Ok(face) if given.has("json") => crate::say(&format!("{face}\n")),
        Ok(face) => crate::say(&format!("{}\n", sentence(&face))),
        Err(failure) => {
            eprintln!("larder: {}", failure.message.trim_end());
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What to send; nothing to read it only.
fn turn(given: &Given) -> Result<Option<Json>, Failure> {
    let words: Vec<&str> = given.words.iter().map(String::as_str).collect();
    Ok(match words.as_slice() {
        [] | ["show"] => None,
        ["freeze"] => Some(json!({ "action": "freeze" })),
        ["freeze", time] => Some(json!({ "action": "freeze", "time": time })),
        ["advance", duration] => Some(json!({ "action": "advance", "duration": duration })),
        ["set", time] => Some(json!({ "action": "set", "time": time })),
        ["resume"] => Some(json!({ "action": "resume" })),
        ["reset"] => Some(json!({ "action": "reset" })),
        ["advance"] => return Err(Failure::new("by how much? larder clock advance 25h")),
        ["set"] => return Err(Failure::new("to when? larder clock set 2030-01-31T12:00:00Z")),
        other => {
            return Err(Failure::new(format!(
                "the clock cannot {:?}: there is show, freeze [TIME], advance DURATION, set TIME, resume and reset",
                other.join(" ")
            )));
        }
    })
}

/// What it shows, for people.
fn sentence(face: &Json) -> String {
    let time = face.get("time").and_then(Json::as_str).unwrap_or_default();
    let ahead_ms = face.get("aheadMilliseconds").and_then(Json::as_i64).unwrap_or_default();
    let is_frozen = face.get("frozen").and_then(Json::as_bool).unwrap_or_default();
    let going = if is_frozen { "frozen" } else { "running" };
    let seconds = ahead_ms.unsigned_abs() / 1_000;
    let place = match (seconds, ahead_ms > 0) {
        (0, _) => "with the system's time".to_owned(),
        (_, true) => format!("{} ahead of the system's time", span(seconds)),
        (_, false) => format!("{} behind the system's time", span(seconds)),
    };
    format!("{time}  {going}, {place}")
}

/// Seconds as `1d 2h 3m 4s`, without the parts that are nothing.
fn span(seconds: u64) -> String {
    let parts =
        [(seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let parts =
        parts.iter().filter(|(number, _)| *number > 0).map(|(number, unit)| format!("{number}{unit}"));
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_face_in_words() {
        let face = |ahead_ms: i64, frozen: bool| {
            sentence(&json!({ "time": "T", "aheadMilliseconds": ahead_ms, "frozen": frozen }))
        };
        assert_eq!(face(0, false), "T  running, with the system's time");
        assert_eq!(face(90_061_500, false), "T  running, 1d 1h 1m 1s ahead of the system's time");
        assert_eq!(face(-60_000, true), "T  frozen, 1m behind the system's time");
    }

    #[test]
    fn words_for_turns() {
        let ask = |line: &str| {
            let given = words::read(&USAGE, line.split_whitespace().map(Into::into)).unwrap().unwrap();
            turn(&given).map_err(|failure| failure.to_string())
        };
        assert_eq!(ask(""), Ok(None));
        assert_eq!(ask("advance 25h"), Ok(Some(json!({ "action": "advance", "duration": "25h" }))));
        assert_eq!(ask("freeze 5"), Ok(Some(json!({ "action": "freeze", "time": "5" }))));
        assert!(ask("stop").unwrap_err().contains("resume"));
        assert!(ask("advance").unwrap_err().contains("by how much"));
    }
}
