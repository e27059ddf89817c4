//! Carries the changes of tables to data streams in Kinesis, on a thread of its own. Knows the calls of that service; which
//! changes there are and which have arrived is the engine's business.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, park_timeout};
use std::time::Duration;

use client::Http;
use engine::{Delivery, Engine, Parcel};
use serde_json::{Value as Json, json};
use wire::Delivered;

/// The pause when there is nothing to deliver.
const PAUSE: Duration = Duration::from_millis(100);
/// The longest pause after the other side failed; it begins with the one above and doubles.
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// Records of one call. The service takes five hundred, and five megabytes.
const CALL_RECORDS_MAX: usize = 500;
const CALL_BYTES_MAX: u64 = 3 * 1024 * 1024;
/// OBSERVED: what the service says of a stream it cannot use, whatever the reason.
const UNUSABLE: &str = "User does not have a permission to use kinesis stream";

/// The running thread.
pub(crate) struct Deliveries {
    stopping: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Deliveries {
    /// Starts to deliver to this endpoint.
    pub(crate) fn start(engine: Arc<Engine>, endpoint: Http) -> io::Result<Deliveries> {
        let stopping = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stopping);
        engine.open_deliveries();
        let thread = std::thread::Builder::new()
            .name("larder-delivery".to_owned())
            .spawn(move || run(&engine, &endpoint, &told))?;
        Ok(Deliveries { stopping, thread })
    }

    /// Stops after the call that is under way.
    pub(crate) fn stop(self) {
        self.stopping.store(true, Ordering::Release);
        self.thread.thread().unpark();
        if self.thread.join().is_err() {
            tracing::error!("the delivery to Kinesis ended with a panic");
        }
    }
}

fn run(engine: &Engine, endpoint: &Http, stopping: &AtomicBool) {
    let mut pause = PAUSE;
    while !stopping.load(Ordering::Acquire) {
        let (mut delivered, mut failed) = (false, false);
        for delivery in engine.deliveries() {
            match deliver(engine, endpoint, &delivery) {
                Ok(some) => delivered |= some,
                Err(reason) => {
                    failed = true;
                    tracing::warn!(
                        table = delivery.table,
                        stream = delivery.stream,
                        reason,
                        "changes wait for Kinesis"
                    );
                }
            }
        }
        pause = if failed { (pause * 2).min(PAUSE_MAX) } else { PAUSE };
        if failed || !delivered {
            park_timeout(pause);
        }
    }
}

/// Delivers the next changes. Answers whether there were any.
fn deliver(engine: &Engine, endpoint: &Http, delivery: &Delivery) -> Result<bool, String> {
    if delivery.is_new {
        let problem = look_for(endpoint, delivery)?;
        engine.answer_delivery(delivery, problem.as_deref()).map_err(|error| error.message)?;
        if problem.is_some() {
            return Ok(false);
        }
    }
    let mut parcels = engine.parcels(delivery, CALL_RECORDS_MAX).map_err(|error| error.message)?;
    let mut bytes = 0;
    parcels.retain(|parcel| {
        let fits = bytes == 0 || bytes + parcel.record.size_bytes <= CALL_BYTES_MAX;
        bytes = if fits { bytes + parcel.record.size_bytes } else { CALL_BYTES_MAX };
        fits
    });
    let Some(last) = parcels.last() else { return Ok(false) };
    let mut rest: Vec<&Parcel> = parcels.iter().collect();
    while !rest.is_empty() {
        rest = send(endpoint, delivery, &rest)?;
    }
    engine.note_delivered(delivery, last).map_err(|error| error.message)?;
    Ok(true)
}

/// Sends some changes. Answers those that the other side did not take.
fn send<'a>(endpoint: &Http, delivery: &Delivery, parcels: &[&'a Parcel]) -> Result<Vec<&'a Parcel>, String> {
    let changes: Vec<Delivered<'_>> =
        parcels.iter().map(|parcel| Delivered { record: &parcel.record, made_us: parcel.made_us }).collect();
    let body = wire::put_records(&delivery.stream, &delivery.table, delivery.precision, &changes);
    let answer = endpoint.send("PutRecords", &body).map_err(|failure| failure.message)?;
    let results = answer.get("Records").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let refused = |result: &Json| result.get("ErrorCode").is_some_and(|code| !code.is_null());
    let rest: Vec<&Parcel> = parcels
        .iter()
        .zip(results)
        .filter(|(_, result)| refused(result))
        .map(|(parcel, _)| *parcel)
        .collect();
    // Not all refused and some taken is throughput; all of them is something that time must mend.
    if !rest.is_empty() && rest.len() == parcels.len() {
        return Err("the data stream takes no records at the moment".to_owned());
    }
    Ok(rest)
}

/// Whether a new destination is there; the problem with it if not. Who does not answer is asked again later.
fn look_for(endpoint: &Http, delivery: &Delivery) -> Result<Option<String>, String> {
    let body = json!({"StreamARN": delivery.stream}).to_string();
    match endpoint.send("DescribeStreamSummary", body.as_bytes()) {
        Ok(_) => Ok(None),
        Err(failure) if failure.status == 400 => {
            tracing::warn!(
                stream = delivery.stream,
                reason = failure.message,
                "a destination cannot be used"
            );
            Ok(Some(UNUSABLE.to_owned()))
        }
        Err(failure) => Err(failure.message),
    }
}
