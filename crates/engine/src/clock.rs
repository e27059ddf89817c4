//! A clock that can be turned: frozen, set, advanced, let run on, put back. An [`Env`] over another one.
//! Knows no requests; whoever turns it wakes the background work.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::env::{Env, SystemEnv};

/// The end of the year 9999, the last that dates have four digits for.
const LATEST_MS: u64 = 253_402_300_799_999;

/// An environment whose clock can be turned.
pub struct Clock {
    below: Arc<dyn Env>,
    going: Mutex<Going>,
}

/// How the clock goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Going {
    /// With the clock below, ahead of it by so many milliseconds (behind it if negative).
    On { ahead_ms: i64 },
    /// Not at all.
    Frozen { at_ms: u64 },
}

/// What to do with the clock. Times are milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Stop it, now or at a later time.
    Freeze {
        /// The time it shows from then on; none for the one it shows now.
        at_ms: Option<u64>,
    },
    /// Move it forward; a frozen clock stays frozen.
    Advance {
        /// By so much.
        by_ms: u64,
    },
    /// Move it forward to this time; a frozen clock stays frozen.
    Set {
        /// The new time.
        to_ms: u64,
    },
    /// Let it run on from where it is.
    Resume,
    /// Put it back to the system's time.
    Reset,
}

/// What the clock shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Face {
    /// Milliseconds since 1970.
    pub now_ms: u64,
    /// The system's time at the same moment.
    pub system_ms: u64,
    /// Whether it stands still.
    pub is_frozen: bool,
}

/// Why the clock was not turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stuck {
    /// The time asked for has passed.
    Backwards {
        /// What the clock shows.
        now_ms: u64,
    },
    /// The time asked for is after the last that can be written.
    TooFar {
        /// That last time.
        latest_ms: u64,
    },
}

impl Clock {
    /// A clock that shows the system's time until it is turned.
    pub fn new() -> Clock {
        Clock::over(Arc::new(SystemEnv::new()))
    }

    /// A clock that shows the time of this environment until it is turned.
    pub fn over(below: Arc<dyn Env>) -> Clock {
        Clock { below, going: Mutex::new(Going::On { ahead_ms: 0 }) }
    }

    /// What it shows.
    pub fn read(&self) -> Face {
        self.face(*self.going.lock())
    }

    /// Turns it. Only [`Turn::Reset`] may move it backwards: what is written later must not look older, or expiry,
    /// streams and recovery would tell a history that never was.
    pub fn turn(&self, turn: Turn) -> Result<Face, Stuck> {
        let mut going = self.going.lock();
        let face = self.face(*going);
        let now_ms = face.now_ms;
        let next = match turn {
            Turn::Freeze { at_ms } => Going::Frozen { at_ms: later(now_ms, at_ms.unwrap_or(now_ms))? },
            Turn::Advance { by_ms } => {
                moved(*going, face.system_ms, later(now_ms, now_ms.saturating_add(by_ms))?)
            }
            Turn::Set { to_ms } => moved(*going, face.system_ms, later(now_ms, to_ms)?),
            Turn::Resume => Going::On { ahead_ms: difference(now_ms, face.system_ms) },
            Turn::Reset => Going::On { ahead_ms: 0 },
        };
        *going = next;
        Ok(self.face(next))
    }

    fn face(&self, going: Going) -> Face {
        let system_ms = self.below.now_ms();
        match going {
            Going::On { ahead_ms } => {
                Face { now_ms: system_ms.saturating_add_signed(ahead_ms), system_ms, is_frozen: false }
            }
            Going::Frozen { at_ms } => Face { now_ms: at_ms, system_ms, is_frozen: true },
        }
    }
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::new()
    }
}

impl Env for Clock {
    fn now_ms(&self) -> u64 {
        self.read().now_ms
    }

    fn random(&self) -> u64 {
        self.below.random()
    }
}

/// The time asked for, if the clock may be turned to it.
fn later(now_ms: u64, asked_ms: u64) -> Result<u64, Stuck> {
    if asked_ms < now_ms {
        return Err(Stuck::Backwards { now_ms });
    }
    if asked_ms > LATEST_MS {
        return Err(Stuck::TooFar { latest_ms: LATEST_MS });
    }
    Ok(asked_ms)
}

/// The same way of going at another time.
fn moved(going: Going, system_ms: u64, to_ms: u64) -> Going {
    match going {
        Going::On { .. } => Going::On { ahead_ms: difference(to_ms, system_ms) },
        Going::Frozen { .. } => Going::Frozen { at_ms: to_ms },
    }
}

fn difference(left: u64, right: u64) -> i64 {
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    signed(left) - signed(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Below(AtomicU64);

    impl Env for Below {
        fn now_ms(&self) -> u64 {
            self.0.load(Ordering::Relaxed)
        }

        fn random(&self) -> u64 {
            4
        }
    }

    /// A clock over one that stands at 1000, and a way to let that one go on.
    fn clock() -> (Clock, impl Fn(u64)) {
        let below = Arc::new(Below(AtomicU64::new(1_000)));
        let goes = Arc::clone(&below);
        (Clock::over(below), move |by_ms| {
            goes.0.fetch_add(by_ms, Ordering::Relaxed);
        })
    }

    #[test]
    fn a_frozen_clock_stands_and_runs_on_from_where_it_is() {
        let (clock, pass) = clock();
        assert_eq!(clock.turn(Turn::Freeze { at_ms: None }).map(|face| face.is_frozen), Ok(true));
        pass(500);
        assert_eq!(clock.now_ms(), 1_000);
        assert_eq!(clock.turn(Turn::Advance { by_ms: 50 }).map(|face| face.now_ms), Ok(1_050));
        pass(500);
        assert_eq!(clock.now_ms(), 1_050);
        assert_eq!(clock.turn(Turn::Resume).map(|face| face.is_frozen), Ok(false));
        pass(7);
        let face = Face { now_ms: 1_057, system_ms: 2_007, is_frozen: false };
        assert_eq!(clock.read(), face);
        assert_eq!(clock.turn(Turn::Reset).map(|face| face.now_ms), Ok(2_007));
    }

    #[test]
    fn a_running_clock_keeps_running_when_moved() {
        let (clock, pass) = clock();
        assert_eq!(clock.turn(Turn::Advance { by_ms: 100 }).map(|face| face.now_ms), Ok(1_100));
        pass(1);
        assert_eq!(clock.turn(Turn::Set { to_ms: 5_000 }).map(|face| face.now_ms), Ok(5_000));
        pass(1);
        assert_eq!(clock.now_ms(), 5_001);
        assert_eq!(clock.turn(Turn::Freeze { at_ms: Some(6_000) }).map(|face| face.now_ms), Ok(6_000));
        assert_eq!(clock.turn(Turn::Reset).map(|face| face.now_ms), Ok(1_002));
    }

    #[test]
    fn it_does_not_go_back_nor_out_of_the_calendar() {
        let (clock, _) = clock();
        for turn in [Turn::Set { to_ms: 999 }, Turn::Freeze { at_ms: Some(999) }] {
            assert_eq!(clock.turn(turn), Err(Stuck::Backwards { now_ms: 1_000 }));
        }
        let too_far = Err(Stuck::TooFar { latest_ms: LATEST_MS });
        assert_eq!(clock.turn(Turn::Advance { by_ms: u64::MAX }), too_far);
        assert_eq!(clock.turn(Turn::Set { to_ms: LATEST_MS + 1 }), too_far);
        assert_eq!(clock.now_ms(), 1_000, "a refusal changes nothing");
    }
}
