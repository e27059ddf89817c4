//! What the one who carries jobs out asks of the engine: which job is next, how to put its rows, how it ended.

use std::time::Duration;

use op::{BulkOperation, BulkStatus, Error, Failure, ImportDescription, ImportStatus};
use storage::{Batch, Ticket};

use super::rows::{self, Flow, Take, Tally, Written};
use super::{Bulk, ExportRun, Import, Job, Place, Refused, Report, Row, reports};
use crate::catalog::jobs;
use crate::schema::Table;
use crate::table::life;
use crate::{Engine, internal};

/// The code of a failure for want of a bucket.
const NO_BUCKET: &str = "S3NoSuchBucket";

/// A job that the holder carries out. Whoever drops it leaves it to others, who go on where it was.
pub enum JobRun<'a> {
    /// Items of a table go into a bucket.
    Export(Box<ExportRun<'a>>),
    /// Items go from a bucket into a new table.
    Import(ImportRun<'a>),
    /// Items go from a bucket into a table that is there.
    Bulk(BulkRun<'a>),
}

/// An import that is carried out.
pub struct ImportRun<'a> {
    engine: &'a Engine,
    held: Held<'a>,
    import: Import,
    flow: Flow,
}

/// A bulk operation that is carried out.
pub struct BulkRun<'a> {
    engine: &'a Engine,
    held: Held<'a>,
    bulk: Bulk,
    flow: Flow,
}

/// The right to carry a job out.
pub(super) struct Held<'a> {
    engine: &'a Engine,
    arn: String,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.engine.jobs.let_go(&self.arn);
    }
}

impl JobRun<'_> {
    /// The ARN of the job.
    pub fn arn(&self) -> &str {
        match self {
            JobRun::Export(run) => &run.told().arn,
            JobRun::Import(run) => &run.told().arn,
            JobRun::Bulk(run) => &run.told().arn,
        }
    }
}

impl Engine {
    /// The next job that nobody carries out, if there is one.
    pub fn take_job(&self) -> Option<JobRun<'_>> {
        let job = self.jobs.take()?;
        let held = Held { engine: self, arn: job.arn().to_owned() };
        match job.as_ref().clone() {
            Job::Export(export) => Some(JobRun::Export(Box::new(ExportRun::new(self, held, export)))),
            Job::Import(import) => {
                Some(JobRun::Import(ImportRun { engine: self, held, import, flow: Flow::default() }))
            }
            Job::Bulk(bulk) => {
                Some(JobRun::Bulk(BulkRun { engine: self, held, bulk, flow: Flow::default() }))
            }
        }
    }

    /// A job that cannot be carried out is left alone until the database is opened next.
    pub fn leave_job(&self, arn: &str) {
        self.jobs.leave(arn);
    }

    /// Blocks until there may be a job to carry out, but not longer than this.
    pub fn wait_for_jobs(&self, at_most: Duration) {
        self.jobs.wait(at_most);
    }

    /// Ends a wait for jobs.
    pub fn wake_jobs(&self) {
        self.jobs.wake();
    }

    /// Removes what jobs that were cut off after their end left behind.
    pub fn sweep_jobs(&self) -> Result<(), Error> {
        reports::sweep(self).map_err(internal)
    }

    /// Changes a job and returns when that is durable.
    fn change_job(&self, arn: &str, change: impl FnOnce(&mut Job)) -> Result<(), Error> {
        let changing = self.jobs.change();
        let (job, _) = self.jobs.get(arn).ok_or_else(Error::internal)?;
        let mut job = job.as_ref().clone();
        change(&mut job);
        let ticket = self.store.apply(&[], &mut |_| {
            let mut batch = Batch::new();
            jobs::note(&mut batch, &job);
            Some(batch)
        });
        let ticket = ticket.map_err(internal)?;
        self.jobs.keep(job, ticket);
        drop(changing);
        self.store.wait(ticket).map_err(internal)
    }

    /// Puts rows of a job into its table. None if that is gone.
    fn put_rows(
        &self,
        table: (&str, &str),
        take: &dyn Take,
        flow: &mut Flow,
        rows: Vec<Row>,
    ) -> Result<Option<Written>, Error> {
        let (name, id) = table;
        let Some(cell) = self.catalog.cell(name) else { return Ok(None) };
        let table = cell.read();
        if table.id != id || table.status == op::TableStatus::Deleting {
            return Ok(None);
        }
        rows::put(self, &table, take, flow, rows).map(Some)
    }
}

/// Forgets jobs that ended long ago.
pub(crate) fn trim(engine: &Engine, now_ms: u64) -> Result<(), storage::Error> {
    let over = engine.jobs.over(now_ms);
    if over.is_empty() {
        return Ok(());
    }
    jobs::forget(&engine.store, &over)?;
    engine.jobs.forget(&over);
    Ok(())
}

impl ImportRun<'_> {
    /// What was asked for, and how it stood when it was taken.
    pub fn told(&self) -> &ImportDescription {
        &self.import.told
    }

    /// Where to go on.
    pub fn place(&self) -> Place {
        self.import.place
    }

    /// The engine's time.
    pub fn now_ms(&self) -> u64 {
        self.engine.env.now_ms()
    }

    /// Puts the next rows; `read_bytes` is how much of the source has been read by now. Answers which rows do not fit
    /// the table.
    pub fn put(&mut self, rows: Vec<Row>, read_bytes: u64) -> Result<Vec<Refused>, Error> {
        let take = TakeImport { arn: &self.held.arn, read_bytes };
        let table = (self.import.told.table.name.as_str(), self.import.told.table_id.as_str());
        match self.engine.put_rows(table, &take, &mut self.flow, rows)? {
            Some(written) => Ok(written.refused),
            // A table that is being imported cannot be deleted.
            None => Err(Error::internal()),
        }
    }

    /// Ends it: all was read, or it failed. The table can be used from here on, with what is in it.
    pub fn end(self, failure: Option<Failure>) -> Result<(), Error> {
        let engine = self.engine;
        if let Some(cell) = engine.catalog.cell(&self.import.told.table.name) {
            let mut changes = engine.catalog.changes(&engine.store);
            let mut table: Table = cell.table().as_ref().clone();
            if table.id == self.import.told.table_id && table.status == op::TableStatus::Creating {
                life::end(&mut table);
                // OBSERVED: an import whose bucket is not there leaves no table behind.
                if failure.as_ref().is_some_and(|failure| failure.code == NO_BUCKET) {
                    table.status = op::TableStatus::Deleting;
                    changes.remove(&cell, table, &*engine.env, engine.env.now_ms()).map_err(internal)?;
                } else {
                    changes.replace(&cell, table).map_err(internal)?;
                }
            }
        }
        let now_ms = engine.env.now_ms();
        engine.change_job(&self.held.arn, |job| {
            if let Job::Import(import) = job {
                let failed = failure.is_some();
                import.told.status = if failed { ImportStatus::Failed } else { ImportStatus::Completed };
                import.told.failure = failure;
                import.told.end_ms = Some(now_ms);
            }
        })
    }
}

struct TakeImport<'a> {
    arn: &'a str,
    read_bytes: u64,
}

impl Take for TakeImport<'_> {
    fn arn(&self) -> &str {
        self.arn
    }

    fn is_bulk(&self) -> bool {
        false
    }

    fn take(&self, job: &mut Job, tally: &Tally) {
        if let Job::Import(import) = job {
            import.place = tally.after;
            import.told.processed_bytes = self.read_bytes;
            import.told.processed_items += tally.processed;
            import.told.imported_items += tally.written;
            import.told.error_count += tally.failed;
        }
    }
}

impl BulkRun<'_> {
    /// What was asked for, and how it stood when it was taken.
    pub fn told(&self) -> &BulkOperation {
        &self.bulk.told
    }

    /// Where to go on.
    pub fn place(&self) -> Place {
        self.bulk.place
    }

    /// The engine's time.
    pub fn now_ms(&self) -> u64 {
        self.engine.env.now_ms()
    }

    /// The ARN of the table.
    pub fn table_arn(&self) -> String {
        crate::table::definition::table_arn(&self.bulk.table)
    }

    /// Whether somebody asked to end it.
    pub fn is_cancelled(&self) -> bool {
        let job = self.engine.jobs.get(&self.held.arn);
        job.is_some_and(|(job, _)| {
            job.as_bulk().is_some_and(|bulk| bulk.told.status == BulkStatus::Cancelling)
        })
    }

    /// How much there is to read.
    pub fn measured(&mut self, total_bytes: u64) -> Result<(), Error> {
        self.engine.change_job(&self.held.arn, |job| {
            if let Job::Bulk(bulk) = job {
                bulk.told.total_bytes = Some(total_bytes);
            }
        })
    }

    /// Puts the next rows; `read_bytes` is how much of the source has been read by now. Answers the write units that it
    /// took; none if the table is gone.
    pub fn put(&mut self, rows: Vec<Row>, read_bytes: u64) -> Result<Option<f64>, Error> {
        let take = TakeBulk { arn: &self.held.arn, read_bytes };
        let table = (self.bulk.table.as_str(), self.bulk.told.table_id.as_str());
        Ok(self.engine.put_rows(table, &take, &mut self.flow, rows)?.map(|written| written.units))
    }

    /// The next reports, from a number on; none at the end.
    pub fn reports(&self, from: u64) -> Result<Vec<Report>, Error> {
        // A scan shows what is durable.
        let ticket = self.engine.jobs.get(&self.held.arn).map_or(Ticket::NONE, |(_, ticket)| ticket);
        self.engine.store.wait(ticket).map_err(internal)?;
        reports::read(self.engine, &self.held.arn, from).map_err(internal)
    }

    /// Ends it: all was read, it was cancelled, or it failed.
    pub fn end(self, failure: Option<Failure>) -> Result<(), Error> {
        let now_ms = self.engine.env.now_ms();
        self.engine.change_job(&self.held.arn, |job| {
            if let Job::Bulk(bulk) = job {
                let told = &mut bulk.told;
                told.end_ms = Some(now_ms);
                told.status = match (&failure, told.status) {
                    (Some(_), BulkStatus::Cancelling) => BulkStatus::Cancelled,
                    (Some(_), _) => BulkStatus::Failed,
                    (None, _) if told.failed_items > 0 => BulkStatus::CompletedWithErrors,
                    (None, _) => BulkStatus::Completed,
                };
                told.failure = failure;
            }
        })?;
        reports::remove(self.engine, &self.held.arn).map_err(internal)
    }
}

struct TakeBulk<'a> {
    arn: &'a str,
    read_bytes: u64,
}

impl Take for TakeBulk<'_> {
    fn arn(&self) -> &str {
        self.arn
    }

    fn is_bulk(&self) -> bool {
        true
    }

    fn take(&self, job: &mut Job, tally: &Tally) {
        let Some(bulk) = job.as_bulk_mut() else { return };
        bulk.place = tally.after;
        bulk.reports += tally.reports.len() as u64;
        bulk.told.processed_bytes = self.read_bytes;
        bulk.told.processed_items += tally.processed;
        bulk.told.failed_items += tally.failed;
        let usage = bulk.told.usage.get_or_insert_default();
        usage.table_bytes += tally.table_bytes;
        usage.total_bytes += tally.table_bytes;
        let locals = (&tally.local_bytes, &mut usage.local_indexes);
        for (sizes, indexes) in [locals, (&tally.global_bytes, &mut usage.global_indexes)] {
            for (name, bytes) in sizes {
                usage.total_bytes += bytes;
                *indexes.entry(name.clone()).or_default() += bytes;
            }
        }
    }
}
