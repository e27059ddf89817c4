//! Keeps work below a rate. Knows not what the units are.

use std::time::{Duration, Instant};

/// A bound of units a second, over the time since it began.
pub(super) struct Pace {
    per_second: Option<f64>,
    begin: Instant,
    used: f64,
}

impl Pace {
    /// A pace that begins now; none is as fast as it goes.
    pub(super) fn new(per_second: Option<u64>) -> Pace {
        let per_second = per_second.map(|units| units as f64);
        Pace { per_second, begin: monotonic(), used: 0.0 }
    }

    /// How long to wait after so many more units.
    pub(super) fn used(&mut self, units: f64) -> Duration {
        let Some(per_second) = self.per_second else { return Duration::ZERO };
        self.used += units;
        let due = Duration::from_secs_f64(self.used / per_second);
        due.saturating_sub(self.begin.elapsed())
    }
}

#[expect(clippy::disallowed_methods, reason = "a rate is of real time, whatever clock a user turns")]
fn monotonic() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_makes_wait_and_none_does_not() {
        assert_eq!(Pace::new(None).used(1e9), Duration::ZERO);
        let mut pace = Pace::new(Some(1000));
        let wait = pace.used(500.0);
        assert!(wait > Duration::from_millis(300) && wait <= Duration::from_millis(500), "{wait:?}");
        assert!(pace.used(500.0) > wait);
    }
}
