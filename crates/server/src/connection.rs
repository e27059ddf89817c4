//! One connection: which HTTP it speaks, its requests one by one, its end when the server stops.
//! Knows no operations; `pipeline` answers.

use crate::answer::Answer;
use crate::lane::{self, Left};
use crate::pipeline::{self, Door, House, Peer};
use crate::socket::{Phase, Socket};
use crate::stop::Stop;
use bytes::BytesMut;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{Service, service_fn};
use hyper::{Request, rt};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::net::TcpStream;

/// How a connection that speaks HTTP/2 begins; no method of HTTP/1 begins so.
const PREFACE: &[u8] = b"PRI";
const PREFACE_LOOKS_MAX: usize = 200;
const PREFACE_PAUSE: Duration = Duration::from_millis(5);
/// How often an HTTP/2 peer that says nothing is asked whether it is there.
const PING_INTERVAL: Duration = Duration::from_secs(60);
const PING_TIME_MAX: Duration = Duration::from_secs(30);

/// Serves a connection to its end, whatever it speaks.
pub(crate) async fn serve(mut stream: TcpStream, peer: Peer, house: Arc<House>, stop: Arc<Stop>) {
    let begun = match peer.door {
        Door::Console => Vec::new(),
        Door::Api => match lane::serve(&mut stream, peer, &house, &stop).await {
            Ok(Left::Foreign(begun)) => begun,
            Ok(Left::Over) => return,
            Err(error) => return tracing::debug!(%error, "a connection ended early"),
        },
    };
    // Most connections never need the room that this takes.
    Box::pin(serve_library(stream, begun, peer, house, stop)).await;
}

/// Has the library serve a connection to its end. Some bytes may have come already.
async fn serve_library(stream: TcpStream, begun: Vec<u8>, peer: Peer, house: Arc<House>, stop: Arc<Stop>) {
    let http2 = tokio::select! {
        biased;
        http2 = speaks_http2(&stream, &begun) => http2,
        () = stop.wanted() => return,
    };
    let begun = BytesMut::from(begun.as_slice());
    told(if http2 {
        serve_http2(stream, begun, peer, house, &stop).await
    } else {
        serve_http1(stream, begun, peer, house, &stop).await
    });
}

/// A caller that hangs up or sends nonsense has had its answer; this is for those who look for it.
fn told(served: hyper::Result<()>) {
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// What answers each request of a connection.
fn answering(
    house: Arc<House>,
    phase: Arc<Phase>,
    peer: Peer,
) -> impl Service<Request<Incoming>, Response = Answer, Error = Infallible, Future: Send + 'static> {
    service_fn(move |request: Request<Incoming>| {
        let (house, phase) = (Arc::clone(&house), Arc::clone(&phase));
        async move { Ok(pipeline::answer(&house, &phase, peer, request).await) }
    })
}

/// Serves requests of any kind; `begun` is what has come of the first one.
async fn serve_http1(
    stream: TcpStream,
    begun: BytesMut,
    peer: Peer,
    house: Arc<House>,
    stop: &Stop,
) -> hyper::Result<()> {
    let phase = Phase::single();
    let socket = Socket::new(stream, begun, Arc::clone(&phase));
    let service = answering(house, phase, peer);
    // A caller may shut its sending side and still wait for the answer. The library would otherwise read once more in the
    // middle of every request to find out, at the cost of a system call and a timer.
    let connection = http1::Builder::new().half_close(true).serve_connection(TokioIo::new(socket), service);
    to_the_end(pin!(connection), stop).await
}

async fn serve_http2(
    stream: TcpStream,
    begun: BytesMut,
    peer: Peer,
    house: Arc<House>,
    stop: &Stop,
) -> hyper::Result<()> {
    let phase = Phase::multiplexed();
    let socket = Socket::new(stream, begun, Arc::clone(&phase));
    let service = answering(house, phase, peer);
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_TIME_MAX)
        .serve_connection(TokioIo::new(socket), service);
    to_the_end(pin!(connection), stop).await
}

/// A connection that can be asked to end after what it is doing.
trait Ends: Future<Output = hyper::Result<()>> {
    fn end(self: Pin<&mut Self>);
}

impl<I, S> Ends for http1::Connection<I, S>
where
    I: rt::Read + rt::Write + Unpin,
    S: hyper::service::HttpService<Incoming, ResBody = http_body_util::Full<bytes::Bytes>>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    fn end(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

impl<I, S, E> Ends for http2::Connection<I, S, E>
where
    I: rt::Read + rt::Write + Unpin,
    S: hyper::service::HttpService<Incoming, ResBody = http_body_util::Full<bytes::Bytes>>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    E: rt::bounds::Http2ServerConnExec<S::Future, http_body_util::Full<bytes::Bytes>>,
{
    fn end(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

/// Polls the connection. The wish to stop is subscribed to once, since waiting for it anew at every step would
/// take a lock that all connections share; after that one read of memory a step is enough.
async fn to_the_end(mut connection: Pin<&mut impl Ends>, stop: &Stop) -> hyper::Result<()> {
    let mut told = pin!(stop.told());
    let mut subscribed = false;
    let mut ending = false;
    poll_fn(|context| {
        if !subscribed {
            subscribed = true;
            // Ready or not, `is_wanted` below says what counts.
            let _ready = told.as_mut().poll(context).is_ready();
        }
        let polled: Poll<hyper::Result<()>> = connection.as_mut().poll(context);
        // Only after a look at what has come: one that has read nothing yet counts as idle, and would end at once.
        if polled.is_pending() && !ending && stop.is_wanted() {
            ending = true;
            connection.as_mut().end();
            return connection.as_mut().poll(context);
        }
        polled
    })
    .await
}

/// Looks at the first bytes without taking any that are not taken yet. It waits for the first as long as the caller likes,
/// for the next two only a moment.
async fn speaks_http2(stream: &TcpStream, begun: &[u8]) -> bool {
    let mut start = [0; PREFACE.len()];
    let taken = begun.len().min(PREFACE.len());
    if let (Some(place), Some(bytes)) = (start.get_mut(..taken), begun.get(..taken)) {
        place.copy_from_slice(bytes);
    }
    for _ in 0..PREFACE_LOOKS_MAX {
        let seen = start.get(..taken).unwrap_or_default();
        if taken > 0 && (taken == PREFACE.len() || !PREFACE.starts_with(seen)) {
            return seen == PREFACE;
        }
        let looking = stream.peek(start.get_mut(taken..).unwrap_or_default());
        let more = if taken == 0 {
            looking.await
        } else {
            let Ok(more) = tokio::time::timeout(PREFACE_PAUSE, looking).await else { continue };
            more
        };
        let Ok(more) = more else { return false };
        let seen = start.get(..taken + more).unwrap_or_default();
        if more == 0 || !PREFACE.starts_with(seen) {
            return false;
        }
        if seen.len() == PREFACE.len() {
            return true;
        }
        tokio::time::sleep(PREFACE_PAUSE).await;
    }
    false
}
