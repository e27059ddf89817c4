//! How far a move has come, on standard error: a bar where a person watches, a line now and then elsewhere.
//! Knows no endpoint.

use courier::Watch;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often a bar moves.
const BAR_PAUSE: Duration = Duration::from_millis(100);
/// How often a line is written.
const LINE_PAUSE: Duration = Duration::from_secs(5);
const BAR_WIDTH: usize = 24;

/// Shows how far it is.
pub(crate) struct Progress {
    is_terminal: bool,
    phase: Mutex<Option<Phase>>,
}

struct Phase {
    what: String,
    expected: Option<u64>,
    resumed: u64,
    moved: u64,
    began: Instant,
    shown: Instant,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        Progress { is_terminal: std::io::stderr().is_terminal(), phase: Mutex::new(None) }
    }

    fn with(&self, change: impl FnOnce(&mut Option<Phase>)) {
        // A thread that panicked while it held this left nothing half done.
        change(&mut self.phase.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }

    fn show(&self, text: &str) {
        let mut out = std::io::stderr().lock();
        let shown = if self.is_terminal { write!(out, "\r\x1b[K{text}") } else { writeln!(out, "{text}") };
        let _unseen = shown.and_then(|()| out.flush());
    }
}

impl Watch for Progress {
    fn begins(&self, what: &str, items: Option<u64>) {
        let now = client::clock::moment();
        let phase =
            Phase { what: what.to_owned(), expected: items, resumed: 0, moved: 0, began: now, shown: now };
        self.with(|place| *place = Some(phase));
    }

    fn resumes(&self, items: u64) {
        self.with(|place| {
            if let Some(phase) = place {
                phase.resumed = items;
            }
        });
    }

    fn moved(&self, items: u64) {
        self.with(|place| {
            let Some(phase) = place else { return };
            phase.moved += items;
            let now = client::clock::moment();
            let pause = if self.is_terminal { BAR_PAUSE } else { LINE_PAUSE };
            if now.duration_since(phase.shown) >= pause {
                phase.shown = now;
                self.show(&line(phase, now.duration_since(phase.began), self.is_terminal));
            }
        });
    }

    fn ends(&self) {
        self.with(|place| *place = None);
        if self.is_terminal {
            self.show("");
        }
    }

    fn note(&self, text: &str) {
        if self.is_terminal {
            self.show("");
        }
        eprintln!("larder: note: {text}");
    }
}

fn line(phase: &Phase, elapsed: Duration, has_bar: bool) -> String {
    let done = phase.resumed + phase.moved;
    let rate = phase.moved as f64 / elapsed.as_secs_f64().max(0.001);
    let rate_text = format!("{} items/s", grouped(rate as u64));
    let Some(expected) = phase.expected.filter(|expected| *expected >= done && *expected > 0) else {
        return format!("{}: {} items, {rate_text}", phase.what, grouped(done));
    };
    let share = done as f64 / expected as f64;
    let bar = if has_bar {
        let full = (share * BAR_WIDTH as f64) as usize;
        format!("[{}{}] ", "#".repeat(full), "-".repeat(BAR_WIDTH.saturating_sub(full)))
    } else {
        String::new()
    };
    let left = (expected - done) as f64 / rate.max(0.001);
    format!(
        "{}: {bar}{:.0} %, {} of about {} items, {rate_text}, {} left",
        phase.what,
        share * 100.0,
        grouped(done),
        grouped(expected),
        span(left)
    )
}

/// `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 item`, `2,000 items`.
pub(crate) fn items(number: u64) -> String {
    if number == 1 { "1 item".to_owned() } else { format!("{} items", grouped(number)) }
}

fn span(seconds: f64) -> String {
    let seconds = seconds.min(360_000.0) as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3_600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_how_fast_and_how_long() {
        let now = client::clock::moment();
        let mut phase = Phase {
            what: "copying t".to_owned(),
            expected: Some(10_000),
            resumed: 1_000,
            moved: 4_000,
            began: now,
            shown: now,
        };
        let expected = "copying t: 50 %, 5,000 of about 10,000 items, 2,000 items/s, 2 s left";
        assert_eq!(line(&phase, Duration::from_secs(2), false), expected);
        assert!(line(&phase, Duration::from_secs(2), true).contains("[############------------]"));
        phase.expected = Some(3_000);
        assert_eq!(line(&phase, Duration::from_secs(2), true), "copying t: 5,000 items, 2,000 items/s");
        assert_eq!((items(1), items(1_234_567)), ("1 item".to_owned(), "1,234,567 items".to_owned()));
    }
}
