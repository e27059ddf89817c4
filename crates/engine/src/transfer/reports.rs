//! What a bulk operation tells of items that it did not write. Reports are written down in the same commit as the place
//! that was reached, and become objects of a bucket when all is done; so each is told once, whatever happens meanwhile.

use std::ops::{Bound, ControlFlow};

use bytes::Bytes;
use item::{Item, Number, Stored, Value};
use storage::{Batch, Direction, Error, Range};

use super::Jobs;
use crate::Engine;
use crate::catalog::CATALOG;

/// Reports lie behind all that is read when a database is opened.
const REPORTS: &str = "transfer/";
/// Reports of one step.
const STEP_REPORTS_MAX: usize = 500;
/// Bytes of one step, if the items are large.
const STEP_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Why an item was not written.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// A record could not be read, or no item of the table can be like this.
    Error {
        /// The object it stands in.
        object: String,
        /// The line it begins in.
        line: u64,
        /// The item, if the record could be read.
        item: Option<Item>,
        /// The name of the error.
        code: String,
        /// Its text.
        message: String,
    },
    /// The condition of an item did not hold.
    ConditionCheckFailure {
        /// The object it stands in.
        object: String,
        /// The line it begins in.
        line: u64,
        /// The item.
        item: Item,
        /// The item that is in the way.
        existing: Option<Item>,
    },
}

/// Notes a report in a batch.
pub(super) fn note(batch: &mut Batch, arn: &str, number: u64, report: &Report) {
    batch.put(CATALOG, key(arn, number), Stored::encode(&encode(report)).bytes().clone());
}

/// The next reports of a job, from a number on.
pub(super) fn read(engine: &Engine, arn: &str, from: u64) -> Result<Vec<Report>, Error> {
    let (mut reports, mut bytes) = (Vec::new(), 0);
    let mut range = Range::prefix(prefix(arn));
    range.from = Bound::Included(key(arn, from).into());
    engine.store.scan(CATALOG, &range, Direction::Forward, &mut |_, value| {
        bytes += value.len();
        let record = Stored::from_bytes(Bytes::copy_from_slice(value)).decode();
        match record.and_then(|record| decode(&record)) {
            Some(report) => reports.push(report),
            None => tracing::error!(arn, "a report of a bulk operation is damaged"),
        }
        if reports.len() < STEP_REPORTS_MAX && bytes < STEP_BYTES_MAX {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })?;
    Ok(reports)
}

/// Removes all reports of a job.
pub(super) fn remove(engine: &Engine, arn: &str) -> Result<(), Error> {
    while remove_some(engine, &Range::prefix(prefix(arn)), |_| true)? {}
    Ok(())
}

/// Removes reports of jobs that are not open, which a crash may have left.
pub(super) fn sweep(engine: &Engine) -> Result<(), Error> {
    let open = |jobs: &Jobs, key: &[u8]| {
        let arn = key.strip_prefix(REPORTS.as_bytes()).and_then(|key| key.get(..key.len().checked_sub(9)?));
        let arn = arn.and_then(|arn| std::str::from_utf8(arn).ok());
        arn.and_then(|arn| jobs.get(arn)).is_some_and(|(job, _)| job.is_open())
    };
    while remove_some(engine, &Range::prefix(REPORTS), |key| !open(&engine.jobs, key))? {}
    Ok(())
}

fn remove_some(engine: &Engine, range: &Range, wanted: impl Fn(&[u8]) -> bool) -> Result<bool, Error> {
    let mut keys: Vec<Bytes> = Vec::new();
    let scanned = engine.store.scan(CATALOG, range, Direction::Forward, &mut |key, _| {
        if wanted(key) {
            keys.push(Bytes::copy_from_slice(key));
        }
        if keys.len() < STEP_REPORTS_MAX { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    match scanned {
        // There was never a table, so there was never a job.
        Err(Error::NoSpace { .. }) => return Ok(false),
        scanned => scanned?,
    }
    if keys.is_empty() {
        return Ok(false);
    }
    let ticket = engine.store.apply(&[], &mut |_| {
        let mut batch = Batch::new();
        for key in &keys {
            batch.delete(CATALOG, key.clone());
        }
        Some(batch)
    })?;
    engine.store.wait(ticket)?;
    Ok(true)
}

fn prefix(arn: &str) -> Vec<u8> {
    [REPORTS.as_bytes(), arn.as_bytes(), b"/"].concat()
}

fn key(arn: &str, number: u64) -> Vec<u8> {
    [prefix(arn).as_slice(), &number.to_be_bytes()].concat()
}

fn encode(report: &Report) -> Item {
    let mut record = Item::new();
    let mut put = |name: &str, value: Value| drop(record.insert(name.to_owned(), value));
    let (object, line) = match report {
        Report::Error { object, line, item, code, message } => {
            put("code", Value::S(code.clone()));
            put("message", Value::S(message.clone()));
            if let Some(item) = item {
                put("item", Value::M(item.clone()));
            }
            (object, line)
        }
        Report::ConditionCheckFailure { object, line, item, existing } => {
            put("item", Value::M(item.clone()));
            if let Some(existing) = existing {
                put("existing", Value::M(existing.clone()));
            }
            (object, line)
        }
    };
    put("object", Value::S(object.clone()));
    put("line", Value::N(Number::from_parts(i128::from(*line), 0).unwrap_or_default()));
    record
}

fn decode(record: &Item) -> Option<Report> {
    let text = |name: &str| match record.get(name) {
        Some(Value::S(text)) => Some(text.clone()),
        _ => None,
    };
    let item = |name: &str| match record.get(name) {
        Some(Value::M(item)) => Some(item.clone()),
        _ => None,
    };
    let Some(Value::N(line)) = record.get("line") else { return None };
    let (object, line) = (text("object")?, u64::try_from(line.to_i64()?).ok()?);
    Some(match (text("code"), text("message")) {
        (Some(code), Some(message)) => Report::Error { object, line, item: item("item"), code, message },
        _ => Report::ConditionCheckFailure { object, line, item: item("item")?, existing: item("existing") },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_as_they_were_written() {
        let item = Item::from([("id".to_owned(), Value::S("a".to_owned()))]);
        let object = String::from("in/one.json");
        let reports = [
            Report::Error {
                object: object.clone(),
                line: 7,
                item: None,
                code: "C".into(),
                message: "m".into(),
            },
            Report::Error {
                object: object.clone(),
                line: 8,
                item: Some(item.clone()),
                code: "C".into(),
                message: String::new(),
            },
            Report::ConditionCheckFailure {
                object: object.clone(),
                line: 9,
                item: item.clone(),
                existing: None,
            },
            Report::ConditionCheckFailure { object, line: 1, item: item.clone(), existing: Some(item) },
        ];
        for report in reports {
            assert_eq!(decode(&encode(&report)), Some(report));
        }
    }
}
