//! Figures over time: a row of steps, each with its counts and its histogram; steps without requests take no room.
//! Knows not what is counted by whom.

use crate::Histogram;
use std::collections::VecDeque;

/// How far to look back, and in which steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// Five minutes in steps of two seconds.
    Minutes,
    /// Three hours in steps of one minute.
    Hours,
}

impl Span {
    /// The length of a step in milliseconds.
    pub fn step_ms(self) -> u64 {
        match self {
            Span::Minutes => 2_000,
            Span::Hours => 60_000,
        }
    }

    /// The number of steps.
    pub fn steps(self) -> usize {
        match self {
            Span::Minutes => 150,
            Span::Hours => 180,
        }
    }

    /// Every step up to now with nothing in it.
    pub(crate) fn empty(self, now_ms: u64) -> Vec<Figures> {
        let last = now_ms / self.step_ms();
        let first = last.saturating_sub(self.steps() as u64 - 1);
        (first..=last).map(|step| Figures { step, ..Figures::default() }).collect()
    }
}

/// What happened in one step.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// Which step: its time divided by the length of a step.
    pub step: u64,
    /// How many requests.
    pub requests: u64,
    /// Those that were the caller's fault, without the throttled ones.
    pub user_errors: u64,
    /// Those that were ours.
    pub system_errors: u64,
    /// Those that were refused because too much was asked.
    pub throttles: u64,
    /// Units of reading.
    pub read_units: f64,
    /// Units of writing.
    pub write_units: f64,
    /// How long they took.
    pub latency: Histogram,
}

/// One request as a series counts it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Count {
    pub(crate) outcome: Outcome,
    pub(crate) is_read: bool,
    pub(crate) units: f64,
    pub(crate) micros: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Well,
    UserError,
    SystemError,
    Throttled,
}

impl Figures {
    fn add(&mut self, count: Count) {
        self.requests += 1;
        match count.outcome {
            Outcome::Well => {}
            Outcome::UserError => self.user_errors += 1,
            Outcome::SystemError => self.system_errors += 1,
            Outcome::Throttled => self.throttles += 1,
        }
        if count.is_read {
            self.read_units += count.units;
        } else {
            self.write_units += count.units;
        }
        self.latency.add(count.micros);
    }

    fn merge(&mut self, other: &Figures) {
        self.requests += other.requests;
        self.user_errors += other.user_errors;
        self.system_errors += other.system_errors;
        self.throttles += other.throttles;
        self.read_units += other.read_units;
        self.write_units += other.write_units;
        self.latency.merge(&other.latency);
    }
}

/// Figures of both spans.
#[derive(Debug, Default)]
pub(crate) struct Series {
    minutes: VecDeque<Figures>,
    hours: VecDeque<Figures>,
}

impl Series {
    pub(crate) fn add(&mut self, now_ms: u64, count: Count) {
        for (span, row) in [(Span::Minutes, &mut self.minutes), (Span::Hours, &mut self.hours)] {
            let step = now_ms / span.step_ms();
            if row.back().is_none_or(|last| last.step < step) {
                let first_kept = step.saturating_sub(span.steps() as u64 - 1);
                while row.front().is_some_and(|first| first.step < first_kept) {
                    row.pop_front();
                }
                row.push_back(Figures { step, ..Figures::default() });
            }
            if let Some(last) = row.back_mut() {
                last.add(count);
            }
        }
    }

    /// Adds to steps that follow each other without a gap.
    pub(crate) fn add_to(&self, span: Span, all: &mut [Figures]) {
        let first = all.first().map_or(0, |figures| figures.step);
        let row = match span {
            Span::Minutes => &self.minutes,
            Span::Hours => &self.hours,
        };
        for own in row {
            let place = own.step.checked_sub(first).and_then(|place| usize::try_from(place).ok());
            if let Some(sum) = place.and_then(|place| all.get_mut(place)) {
                sum.merge(own);
            }
        }
    }
}
