//! What all jobs have in common when they begin: an ARN, a token that starts one job only, a bound of how many there are.

use std::sync::Arc;

use op::{Error, Kind};

use super::{Job, Jobs};
use crate::Engine;

/// How long a token stands for the job that it started.
const TOKEN_MS: u64 = 8 * 60 * 60 * 1000;

/// The ARN of a job that begins now on a table.
pub(super) fn arn(engine: &Engine, table_arn: &str, kind: &str, now_ms: u64) -> String {
    let chance = engine.env.random() >> 32;
    format!("{table_arn}/{kind}/{now_ms:014}-{chance:08x}")
}

/// The job of some kind that a token started not long ago.
pub(super) fn known(
    jobs: &Jobs,
    token: Option<&str>,
    now_ms: u64,
    is_kind: impl Fn(&Job) -> bool,
) -> Option<Arc<Job>> {
    let token = token?;
    let (all, _) = jobs.all(now_ms);
    all.into_iter().find(|job| {
        is_kind(job) && job.token() == Some(token) && now_ms < job.start_ms().saturating_add(TOKEN_MS)
    })
}

/// Refuses one more job of some kind if there are as many as there may be.
pub(super) fn bound(
    jobs: &Jobs,
    now_ms: u64,
    max: usize,
    what: &str,
    is_kind: impl Fn(&Job) -> bool,
) -> Result<(), Error> {
    let (all, _) = jobs.all(now_ms);
    if all.iter().filter(|job| job.is_open() && is_kind(job)).count() < max {
        return Ok(());
    }
    let message = format!("Subscriber limit exceeded: There is a limit of {max} concurrent {what}");
    Err(Error::new(Kind::LimitExceeded, message))
}
