//! The path of a request, from its head to its answer. Read this file first.
//! Knows the order of the steps and nothing of how any of them is done.
//!
//! The order is observable, because it decides which error wins: the address, the body's size, the operation's
//! name, the body as JSON, the body against the model, the request against the tables.

use crate::about;
use crate::answer::{self, Answer, Form};
use crate::body::{self, Refusal, Sender};
use crate::clock;
use crate::habit::Habit;
use crate::pages;
use crate::socket::Phase;
use crate::stop::Stop;
use crate::welcome::welcome;
use engine::{Clock, Engine, Pending};
use hyper::body::Incoming;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW, EXPECT, HOST, HeaderName, HeaderValue,
    USER_AGENT,
};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use op::{Error, Kind, Name, Operation};
use std::future::poll_fn;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::sync::Semaphore;
use tokio::task::block_in_place;
use tokio::time::Instant;
use traffic::{Served, Traffic, Watch};

const TARGET: HeaderName = HeaderName::from_static("x-amz-target");
const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, OPTIONS");
const ANY: HeaderValue = HeaderValue::from_static("*");
const TRUE: HeaderValue = HeaderValue::from_static("true");
const TWO_DAYS: HeaderValue = HeaderValue::from_static("172800");
const PRIVATE_NETWORK_ASKED: HeaderName = HeaderName::from_static("access-control-request-private-network");
const PRIVATE_NETWORK_ALLOWED: HeaderName = HeaderName::from_static("access-control-allow-private-network");
/// What the console is called among the callers: its own name, not that of the browser it runs in.
const CONSOLE_AGENT: &str = "Larder console";
/// A longer body is read aside: that takes about a millisecond.
const DECODED_BYTES_MAX: usize = 128 * 1024;
/// Most answers fit into this, so that their bytes are allocated once.
const ANSWER_BYTES: usize = 1024;

/// What all requests share.
pub(crate) struct House {
    pub(crate) engine: Arc<Engine>,
    /// The address to name to callers that name none.
    pub(crate) host: String,
    /// The clock, if callers may turn it.
    pub(crate) clock: Option<Arc<Clock>>,
    /// What was asked.
    pub(crate) traffic: Arc<Traffic>,
    /// The web console, if there is one.
    pub(crate) console: Option<Arc<console::Console>>,
    /// The wish to stop, for those who wait on behalf of a caller.
    pub(crate) stop: Arc<Stop>,
    /// One for each definition that may be changed at a time.
    pub(crate) changes: Semaphore,
}

/// Who asks, and by which door it came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) door: Door,
}

/// The address that a connection came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
    /// The API, with the console below a path of its own.
    Api,
    /// The console alone.
    Console,
}

/// Answers a request, whatever it is.
pub(crate) async fn answer(
    house: &Arc<House>,
    phase: &Phase,
    peer: Peer,
    request: Request<Incoming>,
) -> Answer {
    let (head, body) = request.into_parts();
    if let Some(path) = pages::path(peer.door, head.uri.path()) {
        return pages::answer(house, phase, peer, &head, path, body).await;
    }
    let form = Form::asked(&head.headers);
    if head.uri.path() == clock::PATH && head.method != Method::OPTIONS {
        return time(house, phase, &head, body, form).await;
    }
    if head.uri.path() != "/" {
        phase.work_begins();
        return not_found(&head, form);
    }
    match head.method {
        Method::POST => operation(house, phase, peer, &head, body, form, &|_| Ok(())).await,
        Method::GET | Method::HEAD => {
            phase.work_begins();
            welcome(&head.headers, host(house, &head), house.console.is_some(), form)
        }
        Method::OPTIONS => {
            phase.work_begins();
            preflight(&head, form)
        }
        _ => {
            phase.work_begins();
            not_allowed(form)
        }
    }
}

/// A call of the clock.
async fn time(house: &House, phase: &Phase, head: &Parts, body: Incoming, form: Form) -> Answer {
    phase.body_begins();
    let body = body::read(body, sender(head)).await;
    phase.work_begins();
    match body {
        Ok(body) => clock::answer(house, &head.method, &body, form),
        Err(refusal) => refused(refusal, form),
    }
}

/// A call of the API. Any region, any credentials and any content type will do: clients and people differ in
/// what they send, and the body is JSON or it is not.
/// `permit` says which operations may be called on this way in.
pub(crate) async fn operation(
    house: &House,
    phase: &Phase,
    peer: Peer,
    head: &Parts,
    body: Incoming,
    form: Form,
    permit: &(dyn Fn(Name) -> Result<(), Error> + Sync),
) -> Answer {
    let watch = house.traffic.begin();
    phase.body_begins();
    let body = body::read(body, sender(head)).await;
    phase.work_begins();
    let body = match body {
        Ok(body) => body,
        Err(refusal) => return refused(refusal, form),
    };
    let asked = Asked {
        target: header(head, &TARGET),
        host: host(house, head),
        agent: match peer.door {
            Door::Api => header(head, &USER_AGENT).unwrap_or_default(),
            Door::Console => CONSOLE_AGENT,
        },
        peer,
        watch,
        habit: None,
    };
    let done = perform(house, &asked, &body, permit).await;
    let status = StatusCode::from_u16(done.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer::json(status, done.bytes, form)
}

/// What is known of a call beside its body.
pub(crate) struct Asked<'a> {
    /// What is to be done.
    pub(crate) target: Option<&'a str>,
    /// The address by which the caller came.
    pub(crate) host: &'a str,
    /// What the caller says it is.
    pub(crate) agent: &'a str,
    pub(crate) peer: Peer,
    /// Since when it is being served.
    pub(crate) watch: Watch,
    /// Whether this caller's calls take long, where that is known.
    pub(crate) habit: Option<&'a Habit>,
}

/// Carries a call out, whichever way it came in, and takes it down.
pub(crate) async fn perform(
    house: &House,
    asked: &Asked<'_>,
    body: &[u8],
    permit: &(dyn Fn(Name) -> Result<(), Error> + Sync),
) -> Done {
    let named = wire::target(asked.target);
    let name = named.as_ref().ok().copied();
    let done = match named.and_then(|name| permit(name).map(|()| name)) {
        Ok(name) => carry_out(house, asked, name, body).await,
        Err(error) => Done::failed(error),
    };
    house.traffic.tell(
        asked.watch,
        &Served {
            operation: name,
            table: &done.table,
            index: &done.index,
            caller: Some(asked.peer.address),
            agent: asked.agent,
            status: done.status,
            error: done.error.as_ref(),
            units: done.units,
            request_bytes: body.len(),
            answer_bytes: done.bytes.len(),
        },
    );
    tracing::debug!(
        target: "access",
        operation = asked.target.unwrap_or("-"),
        status = done.status,
        request_bytes = body.len(),
        answer_bytes = done.bytes.len(),
    );
    done
}

/// What came of an operation.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) status: u16,
    pub(crate) bytes: Vec<u8>,
    error: Option<Error>,
    table: String,
    index: String,
    units: f64,
}

impl Done {
    fn failed(error: Error) -> Done {
        let (status, bytes) = failed(&error);
        Done { status, bytes, error: Some(error), ..Done::default() }
    }
}

/// The operation itself. A panic in it is a fault of ours that costs this request and no other.
async fn carry_out(house: &House, asked: &Asked<'_>, name: Name, body: &[u8]) -> Done {
    let work = async {
        let decode = || wire::decode(name, body, asked.host);
        let decoded = if body.len() > DECODED_BYTES_MAX { block_in_place(decode) } else { decode() };
        let mut operation = match decoded {
            Ok(operation) => operation,
            Err(error) => return Done::failed(error),
        };
        let (table, index) = about::place(&operation);
        let is_capacity_asked = about::ask_capacity(&mut operation);
        if writes_items(name) {
            house.engine.room().await;
        }
        let pending = match kind_of_many(name) {
            Some(kind) => run_many(house, operation, kind, asked.habit),
            None if waits_for_the_disk(name) => {
                // Never closed; the place is given back when the change is made.
                let _place = house.changes.acquire().await;
                block_in_place(|| house.engine.run(operation))
            }
            None if about::looks_at_many(&operation) => block_in_place(|| house.engine.run(operation)),
            None => house.engine.run(operation),
        };
        match pending.answer().await {
            Ok(mut output) => {
                let units = about::units(&mut output, is_capacity_asked);
                let mut bytes = Vec::with_capacity(ANSWER_BYTES);
                wire::encode(&output, body, &mut bytes);
                Done { status: 200, bytes, error: None, table, index, units }
            }
            Err(error) => Done { table, index, ..Done::failed(error) },
        }
    };
    let Some(done) = guarded(work).await else {
        tracing::error!(operation = name.as_str(), "the request panicked");
        return Done::failed(Error::internal());
    };
    done
}

/// Whether the engine waits for the disk while it carries the operation out: changes of definitions do. Then other
/// connections of this thread go on elsewhere.
fn waits_for_the_disk(name: Name) -> bool {
    matches!(
        name,
        Name::CreateTable
            | Name::UpdateTable
            | Name::DeleteTable
            | Name::ExportTableToPointInTime
            | Name::ImportTable
            | Name::StartBulkPutItems
            | Name::CancelBulkOperation
            | Name::TagResource
            | Name::UntagResource
            | Name::UpdateTimeToLive
            | Name::UpdateContinuousBackups
            | Name::RestoreTableToPointInTime
            | Name::CreateBackup
            | Name::DeleteBackup
            | Name::RestoreTableFromBackup
            | Name::EnableKinesisStreamingDestination
            | Name::DisableKinesisStreamingDestination
            | Name::UpdateKinesisStreamingDestination
    )
}

/// Whether the operation adds to what is on its way to the disk.
fn writes_items(name: Name) -> bool {
    matches!(
        name,
        Name::PutItem | Name::UpdateItem | Name::DeleteItem | Name::BatchWriteItem | Name::TransactWriteItems
    )
}

/// Carries out a call that may be about many items. If such calls of this caller keep a thread busy, or that is not known
/// yet, other connections go on elsewhere.
fn run_many(house: &House, operation: Operation, kind: u8, habit: Option<&Habit>) -> Pending {
    let run = || {
        let began = Instant::now();
        let pending = house.engine.run(operation);
        habit.inspect(|habit| habit.note(kind, began.elapsed()));
        pending
    };
    if habit.is_none_or(|habit| habit.is_long(kind)) { block_in_place(run) } else { run() }
}

/// Operations that may be about many items, at most as many as `Habit` tells apart.
const ABOUT_MANY: [Name; 7] = [
    Name::Query,
    Name::Scan,
    Name::BatchGetItem,
    Name::BatchWriteItem,
    Name::TransactGetItems,
    Name::TransactWriteItems,
    Name::GetRecords,
];

fn kind_of_many(name: Name) -> Option<u8> {
    ABOUT_MANY.iter().position(|many| *many == name).and_then(|place| u8::try_from(place).ok())
}

fn failed(error: &Error) -> (u16, Vec<u8>) {
    let mut bytes = Vec::new();
    let status = wire::encode_error(error, &mut bytes);
    (status, bytes)
}

/// The outcome, or none if there was a panic on the way.
async fn guarded<T>(work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(Poll::Ready(done)) => Poll::Ready(Some(done)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(_) => Poll::Ready(None),
    })
    .await
}

pub(crate) fn refused(refusal: Refusal, form: Form) -> Answer {
    match refusal {
        Refusal::TooLarge => {
            let error = Error::new(Kind::RequestEntityTooLarge, "Request size exceeded 16777216 bytes");
            let (_, bytes) = failed(&error);
            answer::json(StatusCode::PAYLOAD_TOO_LARGE, bytes, form)
        }
        Refusal::Broken => answer::refuse(
            StatusCode::BAD_REQUEST,
            "SerializationException",
            "The body of the request ended early or is not well-formed HTTP.",
            form,
        ),
        Refusal::TooSlow => answer::refuse(
            StatusCode::REQUEST_TIMEOUT,
            "RequestTimeoutException",
            "The body of the request did not arrive in time.",
            form,
        ),
    }
}

pub(crate) fn not_found(head: &Parts, form: Form) -> Answer {
    if head.method == Method::OPTIONS {
        return preflight(head, form);
    }
    answer::refuse(
        StatusCode::NOT_FOUND,
        "UnknownOperationException",
        "There is nothing at this path: requests go to /.",
        form,
    )
}

fn not_allowed(form: Form) -> Answer {
    let mut answer = answer::refuse(
        StatusCode::METHOD_NOT_ALLOWED,
        "UnknownOperationException",
        "Operations are called with POST.",
        form,
    );
    answer.headers_mut().insert(ALLOW, METHODS);
    answer
}

/// What a browser asks before it lets a page of another origin call us.
fn preflight(head: &Parts, form: Form) -> Answer {
    let mut answer = answer::json(StatusCode::OK, Vec::new(), form);
    let headers = answer.headers_mut();
    // A star would leave out the Authorization header, so what was asked for is what is allowed.
    let asked = head.headers.get(ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, asked.unwrap_or(ANY));
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(ACCESS_CONTROL_MAX_AGE, TWO_DAYS);
    if head.headers.contains_key(PRIVATE_NETWORK_ASKED) {
        headers.insert(PRIVATE_NETWORK_ALLOWED, TRUE);
    }
    headers.insert(ALLOW, METHODS);
    answer
}

pub(crate) fn sender(head: &Parts) -> Sender {
    if head.headers.contains_key(EXPECT) { Sender::Waits } else { Sender::Eager }
}

/// The address by which the caller came: HTTP/2 has it in the request line, HTTP/1 in a header.
pub(crate) fn host<'a>(house: &'a House, head: &'a Parts) -> &'a str {
    header(head, &HOST)
        .or_else(|| head.uri.authority().map(|authority| authority.as_str()))
        .unwrap_or(&house.host)
}

pub(crate) fn header<'a>(head: &'a Parts, name: &HeaderName) -> Option<&'a str> {
    head.headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_costs_the_request_and_no_more() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert_eq!(runtime.block_on(guarded(async { 7 })), Some(7));
        assert_eq!(runtime.block_on(guarded(async { panic!("told to") })), None::<u8>);
        let later = async {
            tokio::task::yield_now().await;
            panic!("told to, later")
        };
        assert_eq!(runtime.block_on(guarded(later)), None::<u8>);
    }
}
