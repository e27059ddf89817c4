//! From threads to futures: a small runtime that carries out what the client of a store awaits, while the caller blocks.
//! Knows no store.

use std::fmt;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tokio::runtime::{Builder, Runtime};

use crate::error::{Error, ErrorKind, Result};

/// Work that was handed over and has not been waited for.
pub(super) struct Awaited<T>(Receiver<T>);

impl<T> Awaited<T> {
    /// Waits for the work's result.
    pub(super) fn wait(self) -> Result<T> {
        self.0.recv().map_err(|_| Error::new(ErrorKind::Store, "The request to the store was given up"))
    }
}

/// The runtime, made when it is first needed.
#[derive(Default)]
pub(super) struct Bridge(Mutex<Option<Runtime>>);

impl Bridge {
    /// Hands work over. It goes on whether or not it is waited for.
    pub(super) fn start<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<Awaited<T>> {
        let (sender, receiver): (SyncSender<T>, _) = sync_channel(1);
        let mut place = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let runtime = match place.take() {
            Some(runtime) => runtime,
            None => Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("larder-bucket")
                .enable_all()
                .build()?,
        };
        place.insert(runtime).spawn(async move {
            // Nobody waits any more: the result is not wanted.
            let _ = sender.send(work.await);
        });
        Ok(Awaited(receiver))
    }

    /// Hands work over and waits for it.
    pub(super) fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Result<T> {
        self.start(work)?.wait()
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        // Unlike a plain drop, this may happen on a thread of another runtime.
        if let Some(runtime) = self.0.get_mut().ok().and_then(Option::take) {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Bridge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Bridge")
    }
}
