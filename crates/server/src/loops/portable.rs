//! Connections where there is no crew: tasks of the runtime.

use std::io;
use std::net;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::net::TcpStream;
use tokio::runtime::Handle;

/// A socket.
pub(crate) struct Wire(TcpStream);

/// Who serves connections.
pub(crate) struct Crew(Handle);

/// Carries out a call that takes long or waits for the disk, while other connections go on elsewhere.
pub(crate) fn aside<T>(call: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(call)
}

impl Crew {
    /// The threads of this runtime.
    #[expect(clippy::unnecessary_wraps, reason = "the crew of threads of its own can fail to start")]
    pub(super) fn start(_size: usize, runtime: Handle) -> io::Result<Arc<Crew>> {
        Ok(Arc::new(Crew(runtime)))
    }

    /// Has a connection served.
    pub(super) fn give<S>(&self, stream: net::TcpStream, serve: impl FnOnce(Wire) -> S) -> io::Result<()>
    where
        S: Future<Output = ()> + Send + 'static,
    {
        let _inside = self.0.enter();
        self.0.spawn(serve(Wire(TcpStream::from_std(stream)?)));
        Ok(())
    }

    /// Connections end with the runtime.
    #[expect(clippy::unused_self, reason = "the crew of threads of its own has something to end")]
    pub(super) fn end(&self) {}
}

impl Wire {
    /// Appends what has come to the buffer, up to its capacity; 0 bytes are the end.
    pub(crate) fn poll_read(
        &self,
        context: &mut Context<'_>,
        buffer: &mut Vec<u8>,
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.0.poll_read_ready(context))?;
            match self.0.try_read_buf(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return Poll::Ready(read),
            }
        }
    }

    /// The runtime looks for itself.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "the wire of a crew of its own keeps what was told")]
    pub(crate) fn look_again(&self) {}

    /// Sends as much as there is room for.
    pub(crate) fn poll_write(&self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.0.poll_write_ready(context))?;
            match self.0.try_write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => return Poll::Ready(written),
            }
        }
    }

    /// The socket itself, which the runtime knows no longer.
    pub(crate) fn into_stream(self) -> io::Result<net::TcpStream> {
        self.0.into_std()
    }
}
