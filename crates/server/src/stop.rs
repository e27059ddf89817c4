//! The wish to stop: from a signal to every connection. A second signal ends the process at once.
//! Knows no connections; they ask.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// The exit code of a process that was told twice.
const TOLD_TWICE_CODE: i32 = 130;

/// Whether to stop.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    wanted: AtomicBool,
    told: Notify,
}

impl Stop {
    /// Whether to stop: one read of memory, cheap enough for every step of a connection.
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Acquire)
    }

    /// Waits for the wish. Enable it first and ask `is_wanted` after, or a wish in between is missed.
    pub(crate) fn told(&self) -> Notified<'_> {
        self.told.notified()
    }

    /// Waits for the wish.
    pub(crate) async fn wanted(&self) {
        let mut told = std::pin::pin!(self.told());
        told.as_mut().enable();
        if !self.is_wanted() {
            told.await;
        }
    }

    /// Wishes it.
    pub(crate) fn want(&self) {
        self.wanted.store(true, Ordering::Release);
        self.told.notify_waiters();
    }
}

/// Turns Ctrl-C and SIGTERM into the wish. Must be called inside the runtime.
pub(crate) fn on_signals(stop: Arc<Stop>) -> io::Result<()> {
    let mut signals = Signals::listen()?;
    tokio::spawn(async move {
        signals.next().await;
        tracing::info!("stopping: finishing the requests in flight");
        stop.want();
        signals.next().await;
        tracing::warn!("told twice: stopping at once");
        std::process::exit(TOLD_TWICE_CODE);
    });
    Ok(())
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(windows)]
struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
    close: tokio::signal::windows::CtrlClose,
}

#[cfg(windows)]
impl Signals {
    fn listen() -> io::Result<Signals> {
        use tokio::signal::windows::{ctrl_c, ctrl_close};
        Ok(Signals { interrupt: ctrl_c()?, close: ctrl_close()? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.close.recv() => {}
        }
    }
}
