//! Jobs as they are stored: exports, imports and bulk operations, each under its ARN. Knows not how they are carried out.

mod bulk;
mod export;
mod import;
mod parts;

use std::ops::ControlFlow;

use bytes::Bytes;
use item::Stored;
use storage::{Batch, Direction, Error, Range, Store};

use super::fields::Fields;
use super::{CATALOG, write};
use crate::transfer::Job;

/// All records of jobs begin with it, then comes the kind.
const JOB: &[u8] = b"job/";
const EXPORT: &[u8] = b"job/export/";
const IMPORT: &[u8] = b"job/import/";
const BULK: &[u8] = b"job/bulk/";

/// Reads all jobs, or says which record is damaged. The catalog must be there.
pub(crate) fn read_all(store: &Store) -> Result<Vec<Job>, Error> {
    let (mut jobs, mut damaged) = (Vec::new(), None);
    store.scan(CATALOG, &Range::prefix(JOB), Direction::Forward, &mut |key, value| {
        match decode(key, value) {
            Some(job) => jobs.push(job),
            None => damaged = Some(String::from_utf8_lossy(key).into_owned()),
        }
        if damaged.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    match damaged {
        None => Ok(jobs),
        Some(key) => Err(Error::Corrupt {
            file: "catalog".into(),
            detail: format!("the record `{key}` cannot be read"),
        }),
    }
}

/// Writes a job down and returns when that is durable.
pub(crate) fn save(store: &Store, job: &Job) -> Result<(), Error> {
    let record = encode(job);
    write(store, |batch| batch.put(CATALOG, key(job), record.clone()))
}

/// Notes in a batch how a job stands.
pub(crate) fn note(batch: &mut Batch, job: &Job) {
    batch.put(CATALOG, key(job), encode(job));
}

/// Forgets jobs.
pub(crate) fn forget(store: &Store, jobs: &[Job]) -> Result<(), Error> {
    write(store, |batch| {
        for job in jobs {
            batch.delete(CATALOG, key(job));
        }
    })
}

fn key(job: &Job) -> Vec<u8> {
    let kind = match job {
        Job::Export(_) => EXPORT,
        Job::Import(_) => IMPORT,
        Job::Bulk(_) => BULK,
    };
    [kind, job.arn().as_bytes()].concat()
}

fn encode(job: &Job) -> Bytes {
    let mut out = Fields::default();
    match job {
        Job::Export(export) => export::encode(&mut out, export),
        Job::Import(import) => import::encode(&mut out, import),
        Job::Bulk(bulk) => bulk::encode(&mut out, bulk),
    }
    Stored::encode(&out.0).bytes().clone()
}

fn decode(key: &[u8], value: &[u8]) -> Option<Job> {
    let record = Stored::from_bytes(Bytes::copy_from_slice(value)).decode()?;
    if key.starts_with(EXPORT) {
        return export::decode(&record).map(Job::Export);
    }
    if key.starts_with(IMPORT) {
        return import::decode(&record).map(Job::Import);
    }
    if key.starts_with(BULK) {
        return bulk::decode(&record).map(Job::Bulk);
    }
    None
}

#[cfg(test)]
mod tests;
