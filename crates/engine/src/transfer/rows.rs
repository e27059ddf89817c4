//! Puts the rows of a source into a table, through the one way items change, together with how far the job is. Knows
//! neither where rows come from nor who asked for them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use expr::{Condition, Kind, Placeholders};
use item::Item;
use op::{Error, OnFailure};
use storage::{Batch, Key, Ticket};

use super::{Job, Place, Report, reports};
use crate::capacity::write_units;
use crate::catalog::jobs;
use crate::commit::{self, Aside, Change, Done, Old, Refusal};
use crate::schema::Table;
use crate::{Engine, index};

/// Items of one commit.
const COMMIT_ITEMS_MAX: usize = 100;
/// Bytes of one commit, if its items are large.
const COMMIT_BYTES_MAX: usize = 1024 * 1024;
/// Commits of a job that are on their way at a time.
const COMMITS_MAX: usize = 4;
/// The name of all errors of items.
const INVALID: &str = "ValidationException";

/// A record of a source.
#[derive(Debug, Clone)]
pub struct Row {
    /// The object it stands in.
    pub object: Arc<str>,
    /// The line it begins in.
    pub line: u64,
    /// The item and the condition under which it is to be put, or what is wrong with the record.
    pub record: Result<(Item, Option<RowCondition>), String>,
    /// How much of the source is handled with this row.
    pub after: Place,
}

/// A condition as it is written in a source.
#[derive(Debug, Clone, PartialEq)]
pub struct RowCondition {
    /// The expression.
    pub expression: String,
    /// What `#names` stand for.
    pub names: BTreeMap<String, String>,
    /// What `:values` stand for.
    pub values: Item,
}

/// A row that is not in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The object it stands in.
    pub object: Arc<str>,
    /// The line it begins in.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// What some rows came to, for the record of their job.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) processed: u64,
    pub(super) written: u64,
    pub(super) failed: u64,
    /// The size of what was written, of the table and of each index by its name.
    pub(super) table_bytes: u64,
    pub(super) local_bytes: BTreeMap<String, u64>,
    pub(super) global_bytes: BTreeMap<String, u64>,
    pub(super) reports: Vec<Report>,
    pub(super) after: Place,
}

/// What writing rows came to.
#[derive(Default)]
pub(super) struct Written {
    /// The write units that it would have taken.
    pub(super) units: f64,
    pub(super) refused: Vec<Refused>,
}

/// The commits of a job that are on their way to the disk. There are only so many, so that a slow disk slows the job down
/// and other writers do not wait behind it.
#[derive(Default)]
pub(super) struct Flow(VecDeque<Ticket>);

impl Flow {
    /// Waits for the oldest commit, if there are enough.
    fn make_room(&mut self, engine: &Engine) -> Result<(), Error> {
        while self.0.len() >= COMMITS_MAX {
            let Some(oldest) = self.0.pop_front() else { break };
            engine.store.wait(oldest).map_err(crate::internal)?;
        }
        Ok(())
    }
}

/// How a job takes in what some of its rows came to.
pub(super) trait Take {
    /// The ARN of the job.
    fn arn(&self) -> &str;
    /// Whether conditions count and refused rows are reported.
    fn is_bulk(&self) -> bool;
    /// Changes the job's record. It may be called again with another tally.
    fn take(&self, job: &mut Job, tally: &Tally);
}

/// Rows that are put in one commit.
struct Group<'a> {
    rows: Vec<Planned<'a>>,
    keys: BTreeSet<Bytes>,
    bytes: usize,
    /// Of the rows that are handled and not written.
    tally: Tally,
}

/// A row that is to be put.
struct Planned<'a> {
    object: Arc<str>,
    line: u64,
    change: Change<'a>,
}

/// Puts rows into a table whose definition the caller holds.
pub(super) fn put(
    engine: &Engine,
    table: &Table,
    take: &dyn Take,
    flow: &mut Flow,
    rows: Vec<Row>,
) -> Result<Written, Error> {
    let mut written = Written::default();
    let mut group = Group::new();
    for row in rows {
        let Row { object, line, record, after } = row;
        match plan(table, take.is_bulk(), record) {
            Ok(change) => {
                if group.is_full() || group.keys.contains(&change.key().bytes) {
                    flush(engine, take, flow, &mut group, &mut written)?;
                }
                group.push(Planned { object, line, change });
            }
            Err((reason, item)) => group.refuse(&object, line, reason, item, &mut written),
        }
        group.tally.processed += 1;
        group.tally.after = after;
    }
    flush(engine, take, flow, &mut group, &mut written)?;
    Ok(written)
}

/// The change that a row asks for; or why there is none, and the item if there was one.
fn plan<'a>(
    table: &'a Table,
    is_bulk: bool,
    record: Result<(Item, Option<RowCondition>), String>,
) -> Result<Change<'a>, (String, Option<Item>)> {
    let (item, condition) = record.map_err(|reason| (reason, None))?;
    let refused = |error: Error, item: &Item| (error.message, Some(item.clone()));
    let condition = condition.filter(|_| is_bulk).map(parse).transpose();
    let condition = condition.map_err(|error| refused(error, &item))?;
    crate::plan::item(table, &item).map_err(|error| refused(error, &item))?;
    let change = Change::put(table, item, condition).map_err(|error| (error.message, None))?;
    Ok(change.showing(Old::Unwanted, OnFailure::AllOld))
}

fn parse(condition: RowCondition) -> Result<Condition, Error> {
    let names = (!condition.names.is_empty()).then_some(condition.names);
    let values = (!condition.values.is_empty()).then_some(condition.values);
    let mut placeholders = Placeholders::new(names, values)?;
    let parsed = Condition::parse(Kind::Condition, &condition.expression, &mut placeholders)?;
    placeholders.finish()?;
    Ok(parsed)
}

impl<'a> Group<'a> {
    fn new() -> Group<'a> {
        Group { rows: Vec::new(), keys: BTreeSet::new(), bytes: 0, tally: Tally::default() }
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= COMMIT_ITEMS_MAX || self.bytes >= COMMIT_BYTES_MAX
    }

    fn push(&mut self, row: Planned<'a>) {
        self.bytes += row.change.put_bytes();
        self.keys.insert(row.change.key().bytes);
        self.rows.push(row);
    }

    fn refuse(
        &mut self,
        object: &Arc<str>,
        line: u64,
        reason: String,
        item: Option<Item>,
        written: &mut Written,
    ) {
        self.tally.failed += 1;
        written.refused.push(Refused { object: Arc::clone(object), line, reason: reason.clone() });
        self.tally.reports.push(Report::Error {
            object: object.to_string(),
            line,
            item,
            code: INVALID.to_owned(),
            message: reason,
        });
    }

    /// Takes the rows out that stand in the way of the others.
    fn take_out(&mut self, results: Vec<Result<Done, Refusal>>, written: &mut Written) {
        let rows = std::mem::take(&mut self.rows);
        for (row, result) in rows.into_iter().zip(results) {
            match result {
                Ok(_) => self.rows.push(row),
                Err(Refusal::Condition(existing)) => {
                    let item = row.change.put_image().map(|image| image.item.clone()).unwrap_or_default();
                    self.tally.reports.push(Report::ConditionCheckFailure {
                        object: row.object.to_string(),
                        line: row.line,
                        item,
                        existing,
                    });
                }
                Err(Refusal::Invalid(error)) => {
                    let item = row.change.put_image().map(|image| image.item.clone());
                    self.refuse(&row.object, row.line, error.message, item, written);
                }
            }
        }
    }

    /// What all its rows come to, if they can be put.
    fn count(&mut self) -> f64 {
        self.tally.written = self.rows.len() as u64;
        self.tally.table_bytes = 0;
        (self.tally.local_bytes, self.tally.global_bytes) = (BTreeMap::new(), BTreeMap::new());
        let mut units = 0.0;
        for row in &self.rows {
            let (table, Some(image)) = (row.change.table(), row.change.put_image()) else { continue };
            units += write_units(row.change.put_bytes());
            self.tally.table_bytes += row.change.put_bytes() as u64;
            let locals = (&table.local_indexes, &mut self.tally.local_bytes);
            let globals = (&table.global_indexes, &mut self.tally.global_bytes);
            for (indexes, sizes) in [locals, globals] {
                for index in indexes {
                    let Some(entry) = index::entry(table, index, image) else { continue };
                    units += write_units(entry.bytes);
                    *sizes.entry(index.name.clone()).or_default() += entry.bytes as u64;
                }
            }
        }
        units
    }
}

/// Puts a group's rows and notes in the same commit how far the job is.
fn flush(
    engine: &Engine,
    take: &dyn Take,
    flow: &mut Flow,
    group: &mut Group<'_>,
    written: &mut Written,
) -> Result<(), Error> {
    if group.tally.processed == 0 {
        return Ok(());
    }
    flow.make_room(engine)?;
    loop {
        // Whoever holds the table's definition must not wait for somebody who may wait for the definition.
        for row in &group.rows {
            engine.marks.wait(&row.change.key(), &engine.store).map_err(crate::internal)?;
        }
        let units = group.count();
        let changing = engine.jobs.change();
        let (job, _) = engine.jobs.get(take.arn()).ok_or_else(Error::internal)?;
        let mut job = job.as_ref().clone();
        let first_report = job.as_bulk().map_or(0, |bulk| bulk.reports);
        take.take(&mut job, &group.tally);
        let reports: &[Report] = if take.is_bulk() { &group.tally.reports } else { &[] };
        let (rows, changes): (Vec<_>, Vec<_>) = std::mem::take(&mut group.rows)
            .into_iter()
            .map(|row| ((row.object, row.line), row.change))
            .unzip();
        let mut note = Note { job: &job, first_report, reports };
        let (results, ticket) = commit::all(engine, &changes, Some(&mut note))?;
        group.rows = rows
            .into_iter()
            .zip(changes)
            .map(|((object, line), change)| Planned { object, line, change })
            .collect();
        flow.0.push_back(ticket);
        if results.iter().all(Result::is_ok) {
            engine.jobs.keep(job, ticket);
            drop(changing);
            written.units += units;
            break;
        }
        drop(changing);
        group.take_out(results, written);
    }
    *group = Group::new();
    Ok(())
}

/// The record of a job and its reports, beside the items.
struct Note<'a> {
    job: &'a Job,
    first_report: u64,
    reports: &'a [Report],
}

impl Aside for Note<'_> {
    fn keys(&self) -> Vec<Key> {
        Vec::new()
    }

    fn apply(&mut self, _: &[Option<Bytes>], batch: &mut Batch) -> Result<(), Error> {
        jobs::note(batch, self.job);
        for (number, report) in (self.first_report..).zip(self.reports) {
            reports::note(batch, self.job.arn(), number, report);
        }
        Ok(())
    }
}
