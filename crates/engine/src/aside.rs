//! Waiting for others aside: a thread that serves many callers hands them on before it waits on behalf of one. Knows no
//! threads; who has some says how.

use std::sync::OnceLock;

/// Carries something out that will wait for others.
pub type WayAside = fn(&mut dyn FnMut());

static WAY: OnceLock<WayAside> = OnceLock::new();

/// From now on all that waits for others on behalf of a caller goes this way. The first one who says so counts.
pub fn wait_by(way: WayAside) {
    let _ = WAY.set(way);
}

/// Waits for others.
pub(crate) fn wait<T>(wait: impl FnOnce() -> T) -> T {
    let Some(way) = WAY.get() else { return wait() };
    let mut wait = Some(wait);
    let mut outcome = None;
    way(&mut || outcome = wait.take().map(|wait| wait()));
    outcome.expect("a way aside carries out what it is given")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static ASIDE: AtomicUsize = AtomicUsize::new(0);

    #[test]
    fn what_waits_goes_the_way_that_was_shown() {
        assert_eq!(wait(|| 1), 1);
        wait_by(|work| {
            ASIDE.fetch_add(1, Ordering::SeqCst);
            work();
        });
        assert_eq!(wait(|| 2), 2);
        assert_eq!(ASIDE.load(Ordering::SeqCst), 1);
    }
}
