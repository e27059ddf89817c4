//! How long things took: counts in steps of a quarter of an octave, so that a percentile is right to a tenth.
//! Knows no requests.

/// Steps in each doubling.
const STEPS: u32 = 4;
/// From one microsecond to over a minute.
const OCTAVES: u32 = 26;
const PLACES: usize = (OCTAVES * STEPS) as usize;

/// Counts of durations in microseconds.
#[derive(Debug, Clone)]
pub struct Histogram {
    counts: [u32; PLACES],
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { counts: [0; PLACES] }
    }
}

impl Histogram {
    /// Counts one.
    pub(crate) fn add(&mut self, micros: u32) {
        if let Some(count) = self.counts.get_mut(place(micros)) {
            *count = count.saturating_add(1);
        }
    }

    /// Counts all of another.
    pub fn merge(&mut self, other: &Histogram) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*more);
        }
    }

    /// How many were counted.
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|count| u64::from(*count)).sum()
    }

    /// The duration in microseconds that this share of all stays within; none if there are none.
    pub fn percentile_us(&self, share: f64) -> Option<f64> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let wanted = (share * total as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (place, count) in self.counts.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= wanted {
                return Some(middle(place));
            }
        }
        None
    }

    /// The upper bound of each step in microseconds and how many stayed within it.
    pub fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> {
        self.counts.iter().enumerate().scan(0, |seen, (place, count)| {
            *seen += u64::from(*count);
            Some((bound(place + 1), *seen))
        })
    }
}

fn place(micros: u32) -> usize {
    let micros = micros.max(1);
    let octave = micros.ilog2();
    // The two bits below the highest one say which quarter of the octave.
    let below = if octave >= 2 { (micros >> (octave - 2)) & 3 } else { (micros << (2 - octave)) & 3 };
    ((octave * STEPS + below) as usize).min(PLACES - 1)
}

/// Where a step begins.
fn bound(place: usize) -> f64 {
    let (octave, quarter) = (place as u32 / STEPS, place as u32 % STEPS);
    f64::from(octave).exp2() * (1.0 + f64::from(quarter) / f64::from(STEPS))
}

fn middle(place: usize) -> f64 {
    (bound(place) + bound(place + 1)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_duration_lies_in_its_step() {
        for micros in (0..5000).chain([10_000, 123_456, 9_999_999]) {
            let place = place(micros);
            let micros = f64::from(micros.max(1));
            assert!(bound(place) <= micros && micros < bound(place + 1), "{micros} in {place}");
        }
        assert_eq!(place(u32::MAX), PLACES - 1);
    }

    #[test]
    fn percentiles_are_right_to_a_tenth() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.percentile_us(0.5), None);
        for micros in 1..=10_000 {
            histogram.add(micros);
        }
        for share in [0.5, 0.9, 0.99] {
            let found = histogram.percentile_us(share).unwrap();
            assert!((found / (share * 10_000.0) - 1.0).abs() < 0.13, "{share}: {found}");
        }
        assert_eq!(histogram.cumulative().last().map(|(_, seen)| seen), Some(10_000));
    }
}
