//! Time as the machine has it: how long requests take cannot be asked of a clock that a simulation turns.
//! Knows no requests.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The beginning of something that is measured.
#[derive(Debug, Clone, Copy)]
pub struct Watch(Instant);

impl Watch {
    #[expect(clippy::disallowed_methods, reason = "latency is real time, whatever time the engine is told")]
    pub(crate) fn start() -> Watch {
        Watch(Instant::now())
    }
}

/// Ties the steady clock to the calendar once, so that a request needs only the steady one.
#[derive(Debug)]
pub(crate) struct Clock {
    steady: Instant,
    began_ms: u64,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "latency is real time, whatever time the engine is told")]
    pub(crate) fn new() -> Clock {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock { steady: Instant::now(), began_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX) }
    }

    /// Milliseconds since 1970, and the microseconds since the watch was started.
    pub(crate) fn read(&self, watch: Watch) -> (u64, u32) {
        let now = Watch::start().0;
        let micros = now.saturating_duration_since(watch.0).as_micros();
        let since = now.saturating_duration_since(self.steady).as_millis();
        (
            self.began_ms.saturating_add(u64::try_from(since).unwrap_or(u64::MAX)),
            u32::try_from(micros).unwrap_or(u32::MAX),
        )
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.read(Watch(self.steady)).0
    }

    pub(crate) fn began_ms(&self) -> u64 {
        self.began_ms
    }
}
