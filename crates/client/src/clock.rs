//! The clock and the pauses of everything that talks to an endpoint: the one place that asks the system for them.
//! Knows what time it is, and not what it is asked for.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Seconds since 1970.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place of the crate that asks the system's clock"
)]
pub fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// A moment to measure from.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place of the crate that asks the system's clock"
)]
pub fn moment() -> Instant {
    Instant::now()
}

/// Waits.
pub fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// A moment as the parts of a UTC date: year, month, day, hour, minute, second.
pub fn parts(seconds: u64) -> (i64, u32, u32, u32, u32, u32) {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Counting years from March puts the leap day at the end of a year, so that months have fixed offsets.
    let shifted = i64::try_from(days).unwrap_or(0) + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let small = |number: i64| u32::try_from(number).unwrap_or(0);
    let clock = |number: u64| u32::try_from(number).unwrap_or(0);
    (year, small(month), small(day), clock(rest / 3_600), clock(rest / 60 % 60), clock(rest % 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_moments() {
        let table = [
            (0, (1970, 1, 1, 0, 0, 0)),
            (951_782_400, (2000, 2, 29, 0, 0, 0)),
            (1_737_387_000, (2025, 1, 20, 15, 30, 0)),
            (4_107_542_399, (2100, 2, 28, 23, 59, 59)),
        ];
        for (seconds, expected) in table {
            assert_eq!(parts(seconds), expected, "{seconds}");
        }
    }
}
