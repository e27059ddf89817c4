//! A table copied from one endpoint to another: made, filled, verified, set up; interrupted, it goes on.
//! Knows the order of these steps; each is done by its own file.

use crate::definition::{self, Definition};
use crate::digest::Sum;
use crate::error::Error;
use crate::make;
use crate::page::{self, Segment, Side};
use crate::parallel::in_parallel;
use crate::rate::Rate;
use crate::state::{Part, State};
use crate::verify;
use crate::watch::Watch;
use crate::write::{Batch, Writer, json_bytes};
use client::Endpoint;
use client::live::{self, Live, text};
use parking_lot::Mutex;
use serde_json::Value as Json;
use std::path::Path;
use std::sync::atomic::Ordering;

pub use crate::verify::Differences;

/// Segments a thread has on average, so that one large segment does not leave the others idle for long.
const SEGMENTS_PER_THREAD: usize = 4;

/// What to copy, and how.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// Where the table is.
    pub from: &'a dyn Endpoint,
    /// Where it is to be.
    pub to: &'a dyn Endpoint,
    /// Its name.
    pub table: &'a str,
    /// Its name at the destination.
    pub destination: &'a str,
    /// How many requests are under way at once.
    pub parallel: usize,
    /// Write units a second; none for as many as go.
    pub units_per_second: Option<f64>,
    /// What to do with a table that is at the destination already.
    pub existing: Existing,
    /// What to do with a copy that was interrupted.
    pub interrupted: Interrupted,
    /// How to be sure.
    pub verify: Verify,
    /// Where it is written down how far the copy has come.
    pub folder: &'a Path,
}

/// What to do with a table that is at the destination already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Refuse.
    Refuse,
    /// Write the items into it, and leave its settings alone.
    Into,
}

/// What to do with a copy that was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupted {
    /// Go on with it.
    GoOn,
    /// Begin anew.
    Forget,
}

/// How to be sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verify {
    /// Read the destination when everything is copied, and compare.
    After,
    /// Believe the destination.
    Not,
    /// Compare, and copy nothing.
    Only,
}

/// A copy that can begin.
pub struct Prepared<'a> {
    job: Job<'a>,
    definition: Definition,
    keys: Vec<String>,
    item_count: u64,
    state: State,
    /// Whether the table is still to be made.
    is_new: bool,
}

/// How a copy went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Items that were copied, those of an earlier run among them; of a comparison, items of the source.
    pub items: u64,
    /// Those of them that an earlier run had copied.
    pub resumed: u64,
    /// How the destination differs; none if nobody looked.
    pub differences: Option<Differences>,
    /// Whether what only the destination has may be there.
    pub may_have_more: bool,
}

impl Report {
    /// Whether everything is as it should be, as far as was looked.
    pub fn is_good(&self) -> bool {
        self.differences.as_ref().is_none_or(|found| {
            found.missing == 0 && found.changed == 0 && (found.extra == 0 || self.may_have_more)
        })
    }
}

/// Looks at both sides and refuses what cannot go well, before anything is changed.
pub fn prepare<'a>(job: Job<'a>, watch: &dyn Watch) -> Result<Prepared<'a>, Error> {
    let source = looked(job.from, job.table)?
        .ok_or_else(|| Error::Asked(format!("{} has no table {}", job.from.name(), job.table)))?;
    let there = looked(job.to, job.destination)?;
    let (definition, notes) = Definition::of(&source);
    let (from, to) = (job.from.name(), job.to.name());
    let path = State::path(job.folder, (&from, job.table), (&to, job.destination));
    let known = match job.interrupted {
        _ if job.verify == Verify::Only => None,
        Interrupted::GoOn => State::find(path.clone())?,
        Interrupted::Forget => None,
    };
    let segments = job.parallel.max(1) * SEGMENTS_PER_THREAD;
    let mut state = State::fresh(path, id(&source), segments);
    let is_new = there.is_none();
    if let Some(there) = &there {
        if from == to && job.table == job.destination && id(&source) == id(there) {
            return Err(Error::Asked(format!("{} cannot be copied onto itself", job.table)));
        }
        state = fitting(job, &definition, there, known, state)?;
        if state.source_id != id(&source) {
            return Err(Error::Asked(format!(
                "{} was made anew since its copy was interrupted: begin anew with --restart",
                job.table
            )));
        }
    } else if job.verify == Verify::Only {
        return Err(Error::Asked(format!("{to} has no table {}", job.destination)));
    }
    if is_new {
        notes.iter().for_each(|note| watch.note(&format!("{}: {note}", job.table)));
    }
    let keys = definition::key_names(&source.description);
    Ok(Prepared { job, definition, keys, item_count: source.item_count(), state, is_new })
}

/// The state in which the items go into a table that is there: that of an interrupted copy, or a first one.
fn fitting(
    job: Job<'_>,
    definition: &Definition,
    there: &Live,
    known: Option<State>,
    mut fresh: State,
) -> Result<State, Error> {
    let misfits = definition.misfits(&Definition::of(there).0);
    if !misfits.is_empty() {
        return Err(Error::Asked(format!(
            "{} at {} does not fit: {}",
            job.destination,
            job.to.name(),
            misfits.join("; ")
        )));
    }
    if let Some(mut state) = known {
        if !state.destination_id.is_empty() && state.destination_id != id(there) {
            return Err(Error::Asked(format!(
                "{} was made anew at the destination since the copy was interrupted: begin anew with --restart",
                job.destination
            )));
        }
        state.destination_id = id(there);
        return Ok(state);
    }
    if job.existing == Existing::Refuse && job.verify != Verify::Only {
        return Err(Error::Asked(format!(
            "{} has a table {} already: copy into it with --into-existing, or take another name with --rename {}=NAME",
            job.to.name(),
            job.destination,
            job.table
        )));
    }
    fresh.destination_id = id(there);
    fresh.is_into_existing = job.verify != Verify::Only;
    Ok(fresh)
}

impl Prepared<'_> {
    /// The name at the source.
    pub fn table(&self) -> &str {
        self.job.table
    }

    /// The name at the destination.
    pub fn destination(&self) -> &str {
        self.job.destination
    }

    /// How many items the source has, as far as it knows.
    pub fn item_count(&self) -> u64 {
        self.item_count
    }

    /// How many items an earlier run has copied.
    pub fn resumed(&self) -> u64 {
        self.state.sum().items
    }

    /// Whether the table is still to be made.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Copies and compares.
    pub fn run(mut self, watch: &dyn Watch) -> Result<Report, Error> {
        let job = self.job;
        let resumed = self.resumed();
        let mut sum = None;
        if job.verify != Verify::Only {
            self.make()?;
            watch.begins(&format!("copying {}", job.table), Some(self.item_count));
            watch.resumes(resumed);
            let state = Mutex::new(self.state);
            let filled = fill(job, &self.keys, &state, watch);
            watch.ends();
            self.state = state.into_inner();
            // How far it came is kept, whatever happened.
            self.state.save()?;
            filled?;
            sum = Some(self.state.sum());
        }
        let (items, differences) = self.verified(sum, watch)?;
        if job.verify != Verify::Only {
            if !self.state.is_into_existing {
                make::settings(job.to, job.destination, &self.definition, watch)?;
            }
            self.state.remove()?;
        }
        Ok(Report { items, resumed, differences, may_have_more: self.state.is_into_existing })
    }

    fn make(&mut self) -> Result<(), Error> {
        if self.is_new {
            // Written down first: a table that is made in the next moment is then known to be ours.
            self.state.save()?;
            make::table(self.job.to, self.job.destination, &self.definition)?;
        }
        self.state.destination_id = id(&make::active(self.job.to, self.job.destination)?);
        self.state.save()
    }

    /// How many items the source has, and how the destination differs.
    fn verified(&self, copied: Option<Sum>, watch: &dyn Watch) -> Result<(u64, Option<Differences>), Error> {
        let job = self.job;
        let parallel = job.parallel.max(1);
        let source = Side { endpoint: job.from, table: job.table };
        let destination = Side { endpoint: job.to, table: job.destination };
        let added = |side: Side<'_>, words: &str| {
            watch.begins(&format!("{words} {}", side.table), Some(self.item_count));
            let sum = verify::sum(side, parallel, watch);
            watch.ends();
            sum
        };
        let sum = match copied {
            Some(sum) => sum,
            None => added(source, "reading")?,
        };
        if job.verify == Verify::Not {
            return Ok((sum.items, None));
        }
        let there = added(destination, "verifying")?;
        if there == sum {
            return Ok((sum.items, Some(Differences::default())));
        }
        watch.begins(&format!("comparing {}", job.table), Some(sum.items));
        let found = verify::compare(source, destination, &self.keys, there.items, (parallel, watch));
        watch.ends();
        Ok((sum.items, Some(found?)))
    }
}

/// Copies every segment from where it stands.
fn fill(job: Job<'_>, keys: &[String], state: &Mutex<State>, watch: &dyn Watch) -> Result<(), Error> {
    let rate = Rate::new(job.units_per_second);
    let writer = Writer { endpoint: job.to, table: job.destination, rate: &rate };
    let total = state.lock().parts.len();
    in_parallel(job.parallel.max(1), total, |number, stopping| {
        let segment = Segment { table: job.table, number, total };
        let mut part = state.lock().parts.get(number).cloned().unwrap_or_default();
        while !part.is_done && !stopping.load(Ordering::Relaxed) {
            let page = page::read(job.from, segment, part.after.as_ref())?;
            let next = page.next;
            for batch in batches(page.items) {
                if stopping.load(Ordering::Relaxed) {
                    return Ok(());
                }
                moved(&writer, batch, keys, &mut part)?;
                watch.moved(part.sum.items - state.lock().parts.get(number).map_or(0, |old| old.sum.items));
                state.lock().reach(number, part.clone())?;
            }
            part.is_done = next.is_none();
            part.after = next.or(part.after);
            state.lock().reach(number, part.clone())?;
        }
        Ok(())
    })
}

/// Writes a batch; then the segment has come to its last item.
fn moved(writer: &Writer<'_>, batch: Batch, keys: &[String], part: &mut Part) -> Result<(), Error> {
    let after = batch.items.last().map(|item| page::key_of(item, keys));
    let mut sum = Sum::default();
    batch.items.iter().for_each(|item| sum.add(item));
    writer.write(batch.items, batch.bytes)?;
    part.sum.join(sum);
    part.after = after.or(part.after.take());
    Ok(())
}

fn batches(items: Vec<Json>) -> Vec<Batch> {
    let mut all: Vec<Batch> = Vec::new();
    for item in items {
        let bytes = json_bytes(&item);
        match all.last_mut().filter(|batch| batch.has_room(bytes)) {
            Some(batch) => batch.push(item, bytes),
            None => {
                let mut batch = Batch::new();
                batch.push(item, bytes);
                all.push(batch);
            }
        }
    }
    all
}

fn looked(endpoint: &dyn Endpoint, table: &str) -> Result<Option<Live>, Error> {
    live::look(endpoint, table).map_err(|failure| {
        Error::during(&format!("{table} cannot be described at {}", endpoint.name()), &failure)
    })
}

/// What tells a table from a later one of the same name.
fn id(live: &Live) -> String {
    let id = text(&live.description, "TableId");
    if id.is_empty() {
        live.description.get("CreationDateTime").map(Json::to_string).unwrap_or_default()
    } else {
        id.to_owned()
    }
}
