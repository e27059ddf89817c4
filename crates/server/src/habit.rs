//! Which calls take long, so that they move aside and the connections behind them go on. Knows no operations.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

/// A call above this holds up everybody else on its thread for longer than it costs to move aside.
const LONG: Duration = Duration::from_micros(250);
/// Below this the caller has other habits now.
const SHORT: Duration = Duration::from_micros(100);

/// Which kinds of calls of a connection take long, judged by the last one of each kind: who reads a table page by page
/// goes on with it. Until the first was short they are held to be long.
#[derive(Debug, Default)]
pub(crate) struct Habit {
    /// One bit for each kind whose last call was short.
    short: AtomicU8,
}

impl Habit {
    /// Whether a call of this kind, one of eight, will take long.
    pub(crate) fn is_long(&self, kind: u8) -> bool {
        self.short.load(Ordering::Relaxed) & (1 << kind) == 0
    }

    /// A call of this kind took so long.
    pub(crate) fn note(&self, kind: u8, took: Duration) {
        let short = self.short.load(Ordering::Relaxed);
        if took >= LONG {
            self.short.store(short & !(1 << kind), Ordering::Relaxed);
        } else if took <= SHORT {
            self.short.store(short | (1 << kind), Ordering::Relaxed);
        }
    }
}

/// Waits for others: a thread that serves hands on what else it has to do.
pub(crate) fn wait_aside(wait: &mut dyn FnMut()) {
    match Handle::try_current() {
        Ok(runtime) if runtime.runtime_flavor() == RuntimeFlavor::MultiThread => block_in_place(wait),
        Ok(_) | Err(_) => wait(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_habit_is_that_of_the_last_call_that_says_anything() {
        let habit = Habit::default();
        assert!(habit.is_long(3), "until it is known");
        let mut is_long = |micros| {
            habit.note(3, Duration::from_micros(micros));
            habit.is_long(3)
        };
        assert_eq!(
            [150, 100, 249, 250, 200, 101, 100, 240].map(&mut is_long),
            [true, false, false, true, true, true, false, false]
        );
        assert!(habit.is_long(2), "each kind has its own");
    }
}
