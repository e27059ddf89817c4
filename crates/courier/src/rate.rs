//! How fast to write: so many units a second, shared by all who write.
//! Knows no requests.

use client::clock;
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// A pace that is kept on average.
pub(crate) struct Rate {
    units_per_second: Option<f64>,
    /// When what was spent so far is paid for.
    paid: Mutex<Instant>,
}

impl Rate {
    /// So many units a second; none for as many as go.
    pub(crate) fn new(units_per_second: Option<f64>) -> Rate {
        Rate { units_per_second, paid: Mutex::new(clock::moment()) }
    }

    /// Waits until so many units may be spent, and spends them.
    pub(crate) fn spend(&self, units: f64) {
        let Some(wait) = self.reserve(units, clock::moment()) else { return };
        clock::pause(wait);
    }

    /// Corrects what was spent once it is known: more than thought delays those who come next.
    pub(crate) fn correct(&self, thought: f64, spent: f64) {
        let Some(rate) = self.units_per_second else { return };
        let mut paid = self.paid.lock();
        if spent > thought {
            *paid += seconds((spent - thought) / rate);
        } else if let Some(earlier) = paid.checked_sub(seconds((thought - spent) / rate)) {
            *paid = earlier;
        }
    }

    /// How long to wait before spending.
    fn reserve(&self, units: f64, now: Instant) -> Option<Duration> {
        let rate = self.units_per_second?;
        let mut paid = self.paid.lock();
        // Time in which nothing was spent is not saved up.
        let begins = (*paid).max(now);
        *paid = begins + seconds(units / rate);
        Some(begins.saturating_duration_since(now))
    }
}

fn seconds(number: f64) -> Duration {
    Duration::try_from_secs_f64(number).unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_delays_the_next() {
        let rate = Rate::new(Some(10.0));
        let now = clock::moment() + Duration::from_secs(1);
        assert_eq!(rate.reserve(5.0, now), Some(Duration::ZERO));
        assert_eq!(rate.reserve(10.0, now), Some(Duration::from_millis(500)));
        rate.correct(10.0, 20.0);
        assert_eq!(rate.reserve(1.0, now), Some(Duration::from_millis(2_500)));
        rate.correct(1.0, 0.0);
        assert_eq!(rate.reserve(1.0, now + Duration::from_secs(2)), Some(Duration::from_millis(500)));
        assert_eq!(Rate::new(None).reserve(1e9, now), None);
    }
}
