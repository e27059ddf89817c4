//! One line that says how far the run is: redrawn on a terminal, written line by line elsewhere.
//!
//! It writes to standard error only, so the report on standard output stays clean.

use std::io::{IsTerminal, Write, stderr};
use std::time::Instant;

const BAR_WIDTH: usize = 28;

/// The progress of a known number of steps.
pub(crate) struct Progress {
    done: usize,
    total: usize,
    begin: Instant,
    terminal: bool,
}

impl Progress {
    /// Nothing done yet.
    pub(crate) fn new(total: usize) -> Self {
        Self { done: 0, total, begin: Instant::now(), terminal: stderr().is_terminal() }
    }

    /// Says what is under way now.
    pub(crate) fn doing(&self, what: &str) {
        if self.terminal {
            let filled = (self.done * BAR_WIDTH).checked_div(self.total).unwrap_or(BAR_WIDTH).min(BAR_WIDTH);
            let bar = format!("{}{}", "#".repeat(filled), ".".repeat(BAR_WIDTH - filled));
            self.write(&format!("\r\x1b[2K[{bar}] {}/{} {what}{}", self.done, self.total, self.remaining()));
        }
    }

    /// Counts steps as done and says how they went.
    pub(crate) fn step(&mut self, steps: usize, what: &str) {
        self.done += steps;
        if self.terminal {
            self.doing(what);
        } else {
            self.write(&format!("{:>3}/{} {what}\n", self.done, self.total));
        }
    }

    /// Says something that stays on the screen.
    pub(crate) fn note(&self, what: &str) {
        let clear = if self.terminal { "\r\x1b[2K" } else { "" };
        self.write(&format!("{clear}{what}\n"));
    }

    fn remaining(&self) -> String {
        if self.done == 0 {
            return String::new();
        }
        let each = self.begin.elapsed().as_secs_f64() / self.done as f64;
        let seconds = (each * self.total.saturating_sub(self.done) as f64) as u64;
        format!("  about {}:{:02} left", seconds / 60, seconds % 60)
    }

    fn write(&self, text: &str) {
        let mut out = stderr().lock();
        // Progress that cannot be shown is no reason to stop.
        let _shown = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}
