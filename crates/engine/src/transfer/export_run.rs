//! An export as the one who carries it out sees it: when the items are copied, which are wanted, how it ended.

use bytes::Bytes;
use item::{Item, Stored};
use op::{Error, ExportDescription, ExportStatus, Failure};
use storage::Ticket;

use super::filter::Filter;
use super::run::Held;
use super::{Export, Job};
use crate::catalog::jobs;
use crate::export::{Exported, Progress};
use crate::{Engine, internal};

/// Items of one page.
const PAGE_ITEMS: usize = 100;

/// An export that is carried out.
pub struct ExportRun<'a> {
    engine: &'a Engine,
    _held: Held<'a>,
    export: Export,
    filter: Option<Filter>,
}

/// Some of what an export writes.
#[derive(Debug, Default)]
pub struct ExportPage {
    /// The items or changes.
    pub rows: Vec<ExportRow>,
    /// Where the next page begins; none after the last.
    pub next: Option<Bytes>,
}

/// An item that is exported, or a change of one.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportRow {
    /// The item at the end.
    pub new: Option<Item>,
    /// What is told of a change besides.
    pub change: Option<ExportChange>,
}

/// What is told of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportChange {
    /// The item's key.
    pub key: Item,
    /// The item at the beginning.
    pub old: Option<Item>,
    /// When it was written last, milliseconds since 1970.
    pub written_ms: u64,
}

impl<'a> ExportRun<'a> {
    pub(super) fn new(engine: &'a Engine, held: Held<'a>, export: Export) -> ExportRun<'a> {
        ExportRun { engine, _held: held, export, filter: None }
    }

    /// What was asked for.
    pub fn told(&self) -> &ExportDescription {
        &self.export.told
    }

    /// The engine's time.
    pub fn now_ms(&self) -> u64 {
        self.engine.env.now_ms()
    }

    /// Whether all items are copied, so that pages can be read.
    pub fn is_ready(&self) -> Result<bool, Error> {
        match self.engine.export_progress(self.copy()?) {
            Progress::Ready { .. } => Ok(true),
            Progress::Making => Ok(false),
            Progress::Gone => Err(Error::internal()),
        }
    }

    /// The page that begins after a place.
    pub fn page(&mut self, after: Option<&Bytes>) -> Result<ExportPage, Error> {
        let copy = self.copy()?;
        if let (None, Some(text)) = (&self.filter, &self.export.told.filter) {
            self.filter = Some(Filter::new(&self.export.key, text.clone())?);
        }
        let exported = self.engine.export_page(copy, after.map(Bytes::as_ref), PAGE_ITEMS)?;
        let next = exported.last().filter(|_| exported.len() == PAGE_ITEMS);
        let next = next.map(|exported| exported.place.clone());
        let rows = exported.into_iter().filter_map(|exported| self.row(exported).transpose());
        Ok(ExportPage { rows: rows.collect::<Result<_, Error>>()?, next })
    }

    /// What is written of an item; none if it is not wanted. A change is wanted if the item is, before or after it.
    fn row(&self, exported: Exported) -> Result<Option<ExportRow>, Error> {
        if self.filter.as_ref().is_some_and(|filter| !filter.takes_place(&exported.place)) {
            return Ok(None);
        }
        let new = exported.new.as_ref().map(read).transpose()?;
        let change = exported.change;
        let old = change.as_ref().and_then(|change| change.old.as_ref()).map(read).transpose()?;
        // What came and went in between was never there for whoever looks at both ends.
        let is_wanted = |item: &Item| self.filter.as_ref().is_none_or(|filter| filter.takes(item));
        if !new.iter().chain(&old).any(is_wanted) {
            return Ok(None);
        }
        let part = |item: Item| match &self.filter {
            Some(filter) => filter.part(item),
            None => item,
        };
        let change = change.map(|change| ExportChange {
            key: change.key,
            old: old.map(part),
            written_ms: change.written_ms,
        });
        Ok(Some(ExportRow { new: new.map(part), change }))
    }

    /// Lets others see how far it is.
    pub fn count(&self, items: u64, bytes: u64) {
        let mut export = self.export.clone();
        export.told.item_count = Some(items);
        export.told.billed_bytes = Some(bytes);
        self.engine.jobs.keep(Job::Export(export), Ticket::NONE);
    }

    /// Ends it: all is written.
    pub fn complete(mut self, manifest: String, items: u64, bytes: u64) -> Result<(), Error> {
        let told = &mut self.export.told;
        told.status = ExportStatus::Completed;
        told.manifest = Some(manifest);
        told.item_count = Some(items);
        told.billed_bytes = Some(bytes);
        self.end()
    }

    /// Ends it: it failed.
    pub fn fail(mut self, failure: Failure) -> Result<(), Error> {
        self.export.told.status = ExportStatus::Failed;
        self.export.told.failure = Some(failure);
        self.end()
    }

    fn end(mut self) -> Result<(), Error> {
        self.export.told.end_ms = Some(self.engine.env.now_ms());
        let copy = self.export.copy.take();
        let job = Job::Export(self.export.clone());
        match copy {
            Some(copy) => self.engine.export_end(copy, &|batch| jobs::note(batch, &job))?,
            None => jobs::save(&self.engine.store, &job).map_err(internal)?,
        }
        self.engine.jobs.keep(job, Ticket::NONE);
        Ok(())
    }

    fn copy(&self) -> Result<u64, Error> {
        self.export.copy.ok_or_else(Error::internal)
    }
}

fn read(stored: &Stored) -> Result<Item, Error> {
    stored.decode().ok_or_else(|| {
        tracing::error!("an item that is exported is damaged");
        Error::internal()
    })
}
