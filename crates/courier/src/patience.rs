//! Requests that are worth repeating: an endpoint that throttles or restarts is waited for.
//! Knows how long to wait, and no operation by name.

use client::{Endpoint, Failure, clock};
use serde_json::Value as Json;
use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// How long an endpoint that only says "later" is believed.
const BUSY_TIME_MAX: Duration = Duration::from_secs(600);
/// How long an endpoint that says nothing is waited for.
const SILENCE_MAX: Duration = Duration::from_secs(15);

/// Pauses that grow.
pub(crate) struct Backoff {
    began: Instant,
    pause: Duration,
}

impl Backoff {
    pub(crate) fn new() -> Backoff {
        Backoff { began: clock::moment(), pause: FIRST_PAUSE }
    }

    /// Waits a little longer than last time; false if it has lasted too long already.
    pub(crate) fn wait(&mut self, at_most: Duration) -> bool {
        if clock::moment().duration_since(self.began) > at_most {
            return false;
        }
        clock::pause(self.pause);
        self.pause = (self.pause * 2).min(PAUSE_MAX);
        true
    }

    /// Waits as for an endpoint that is busy.
    pub(crate) fn wait_busy(&mut self) -> bool {
        self.wait(BUSY_TIME_MAX)
    }
}

/// Sends a request until it is answered for good. It must be one that may be carried out twice.
pub(crate) fn call(endpoint: &dyn Endpoint, operation: &str, body: &Json) -> Result<Json, Failure> {
    let mut backoff = Backoff::new();
    loop {
        let failure = match endpoint.call(operation, body) {
            Ok(answer) => return Ok(answer),
            Err(failure) => failure,
        };
        let goes_on = if failure.kind == client::UNREACHABLE {
            backoff.wait(SILENCE_MAX)
        } else {
            failure.is_passing() && backoff.wait(BUSY_TIME_MAX)
        };
        if !goes_on {
            return Err(failure);
        }
    }
}
