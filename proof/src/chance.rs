//! Chance from a seed. What a run asks follows from it; when the answers come does not.

/// A source of numbers that depend on the seed alone.
#[derive(Debug, Clone)]
pub(crate) struct Chance(u64);

impl Chance {
    /// The source of one role in a run.
    pub(crate) fn new(seed: u64, role: u64) -> Chance {
        let mut chance = Chance(seed ^ role.wrapping_mul(0xA24B_AED4_963E_E407));
        chance.next();
        chance
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below the bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// A number from the first to the second, both included.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let place = self.below(choices.len() as u64) as usize;
        choices.get(place).expect("there is something to pick from")
    }

    /// So many letters in which no compression finds anything.
    pub(crate) fn text(&mut self, length: usize) -> String {
        let mut text = String::with_capacity(length + 16);
        while text.len() < length {
            let bits = self.next();
            text.extend((0..10).map(|place| char::from(b'0' + ((bits >> (place * 6)) & 63) as u8)));
        }
        text.truncate(length);
        text
    }

    /// So many different numbers below a bound, in no order.
    pub(crate) fn distinct(&mut self, count: u64, bound: u64) -> Vec<u64> {
        let mut all: Vec<u64> = (0..bound).collect();
        let mut taken = Vec::new();
        while taken.len() < count as usize && !all.is_empty() {
            let place = self.below(all.len() as u64) as usize;
            taken.push(all.swap_remove(place));
        }
        taken
    }
}
