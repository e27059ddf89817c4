//! The one way items are read in order: a range of a table or an index, a page at a time.

use std::ops::ControlFlow;

use bytes::Bytes;
use expr::{Condition, Projection};
use item::{Item, Stored};
use op::{CapacityDetail, Error, Page, Select, limits};
use storage::{Direction, Range, Snapshot, Space};

use crate::capacity::{IndexKind, Meter, ReadMode, read_units};
use crate::schema::{Index, KeySchema, Table};
use crate::{Engine, index, internal, layout, plan};

/// What a page is read from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) table: &'a Table,
    pub(crate) index: Option<(&'a Index, IndexKind)>,
}

/// Which page to read, and what to tell of it.
pub(crate) struct Reading<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) range: Range,
    pub(crate) direction: Direction,
    pub(crate) limit: Option<usize>,
    pub(crate) filter: Option<&'a Condition>,
    pub(crate) projection: Option<&'a Projection>,
    pub(crate) select: Select,
    pub(crate) consistent: bool,
    pub(crate) capacity: CapacityDetail,
}

impl<'a> Source<'a> {
    /// The table, or the index of that name.
    pub(crate) fn find(table: &'a Table, name: Option<&str>) -> Result<Source<'a>, Error> {
        let Some(name) = name else { return Ok(Source { table, index: None }) };
        let local = table.local_indexes.iter().map(|index| (index, IndexKind::Local));
        let mut all = local.chain(table.global_indexes.iter().map(|index| (index, IndexKind::Global)));
        match all.find(|(index, _)| index.name == name) {
            Some((index, _)) if index.backfill.is_some() => {
                Err(Error::validation(format!("Cannot read from backfilling global secondary index: {name}")))
            }
            Some(index) => Ok(Source { table, index: Some(index) }),
            None => Err(Error::validation(format!("The table does not have the specified index: {name}"))),
        }
    }

    /// The key by which the source is ordered.
    pub(crate) fn key(&self) -> &'a KeySchema {
        self.index.map_or(&self.table.key, |(index, _)| &index.key)
    }

    fn space(&self) -> Space {
        self.index.map_or(self.table.space, |(index, _)| index.space)
    }

    /// Global indexes are never strongly consistent.
    pub(crate) fn check_consistency(&self, consistent: bool) -> Result<(), Error> {
        match self.index {
            Some((_, IndexKind::Global)) if consistent => {
                Err(Error::validation("Consistent reads are not supported on global secondary indexes"))
            }
            _ => Ok(()),
        }
    }

    /// What the request selects, said or unsaid; a global index cannot give what it does not carry.
    pub(crate) fn select(
        &self,
        select: Option<Select>,
        projection: Option<&Projection>,
    ) -> Result<Select, Error> {
        let Some((index, IndexKind::Global)) = self.index else { return Ok(self.unsaid(select, projection)) };
        if select == Some(Select::AllAttributes) && index.projection != op::IndexProjection::All {
            return Err(Error::invalid(format_args!(
                "Select type ALL_ATTRIBUTES is not supported for global secondary index {} because its projection \
                 type is not ALL",
                index.name
            )));
        }
        let roots = projection.into_iter().flat_map(Projection::roots);
        let missing: Vec<&str> = roots.filter(|root| !index::carries(self.table, index, root)).collect();
        if !missing.is_empty() {
            return Err(Error::invalid(format_args!(
                "Global secondary index {} does not project [{}]",
                index.name,
                missing.join(", ")
            )));
        }
        Ok(self.unsaid(select, projection))
    }

    fn unsaid(&self, select: Option<Select>, projection: Option<&Projection>) -> Select {
        match (select, projection, self.index) {
            (Some(select), _, _) => select,
            (None, Some(_), _) => Select::SpecificAttributes,
            (None, None, Some(_)) => Select::AllProjectedAttributes,
            (None, None, None) => Select::AllAttributes,
        }
    }

    /// The place of a starting key in the source.
    pub(crate) fn start_key(&self, start: &Item) -> Result<Bytes, Error> {
        const INVALID: &str = "The provided starting key is invalid";
        let names = self.start_names();
        if start.len() != names.len() {
            return Err(Error::validation(INVALID));
        }
        for part in self.key().parts().chain(self.table.key.parts()) {
            match start.get(&part.name) {
                None => return Err(Error::validation(INVALID)),
                Some(value) if value.type_of() != part.kind.value_type() => {
                    return Err(Error::validation(format!(
                        "{INVALID}: The provided key element does not match the schema"
                    )));
                }
                Some(value) => {
                    if let Some(kind) = plan::empty(value) {
                        return Err(plan::empty_key(kind, &part.name));
                    }
                }
            }
        }
        plan::key_sizes(self.key(), start)?;
        plan::key_sizes(&self.table.key, start)?;
        let key = match self.index {
            None => layout::table_key(&self.table.key, start),
            Some((index, _)) => layout::index_key(self.table, &index.key, start),
        };
        key.ok_or_else(|| Error::validation(INVALID))
    }

    /// The attributes of a starting key: those of the source's key and of the table's.
    fn start_names(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.table.key.parts().map(|part| part.name.as_str()).collect();
        for part in self.key().parts() {
            if !names.contains(&part.name.as_str()) {
                names.push(&part.name);
            }
        }
        names
    }

    fn last_key(&self, stored: &Stored) -> Option<Item> {
        self.start_names().iter().map(|name| Some((name.to_string(), stored.attribute(name)?))).collect()
    }

    /// Whether the table itself must be asked for attributes that a local index does not carry.
    fn fetches(&self, select: Select, projection: Option<&Projection>) -> bool {
        let Some((index, IndexKind::Local)) = self.index else { return false };
        match select {
            Select::AllAttributes => index.projection != op::IndexProjection::All,
            Select::SpecificAttributes => {
                let mut roots = projection.into_iter().flat_map(Projection::roots);
                roots.any(|root| !index::carries(self.table, index, root))
            }
            Select::AllProjectedAttributes | Select::Count => false,
        }
    }
}

/// Reads a page.
pub(crate) fn read(engine: &Engine, reading: &Reading<'_>) -> Result<Page, Error> {
    let source = reading.source;
    let snapshot = source.fetches(reading.select, reading.projection).then(|| engine.store.snapshot());
    let mut reader = Reader::new(reading, snapshot.as_ref());
    let visit = &mut |_: &[u8], value: &[u8]| reader.visit(value);
    let (range, direction) = (&reading.range, reading.direction);
    let walked = match &snapshot {
        Some(snapshot) => snapshot.scan(source.space(), range, direction, visit),
        None => engine.store.scan(source.space(), range, direction, visit),
    };
    walked.map_err(internal)?;
    reader.finish()
}

/// Gathers a page while the store walks.
struct Reader<'a> {
    reading: &'a Reading<'a>,
    /// Where to fetch whole items that the index does not carry, seen at the same moment.
    fetch: Option<&'a Snapshot>,
    items: Vec<Stored>,
    count: usize,
    scanned: usize,
    bytes: usize,
    fetched_units: f64,
    last: Option<Item>,
    failed: Option<Error>,
}

impl<'a> Reader<'a> {
    fn new(reading: &'a Reading<'a>, fetch: Option<&'a Snapshot>) -> Reader<'a> {
        Reader {
            reading,
            fetch,
            items: Vec::new(),
            count: 0,
            scanned: 0,
            bytes: 0,
            fetched_units: 0.0,
            last: None,
            failed: None,
        }
    }

    fn visit(&mut self, value: &[u8]) -> ControlFlow<()> {
        match self.take(value) {
            Ok(flow) => flow,
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn take(&mut self, value: &[u8]) -> Result<ControlFlow<()>, Error> {
        let (bytes, entry) =
            layout::read_value(&Bytes::copy_from_slice(value)).ok_or_else(Error::internal)?;
        self.scanned += 1;
        self.bytes += bytes;
        let full = self.reading.limit == Some(self.scanned) || self.bytes >= limits::PAGE_BYTES_MAX;
        if full {
            self.last = Some(self.reading.source.last_key(&entry).ok_or_else(Error::internal)?);
        }
        let stored = self.fetched(entry)?;
        self.keep(stored)?;
        Ok(if full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// The whole item instead of the entry, where that was asked for.
    fn fetched(&mut self, entry: Stored) -> Result<Stored, Error> {
        let Some(snapshot) = self.fetch else { return Ok(entry) };
        let table = self.reading.source.table;
        let keys = entry.decode().ok_or_else(Error::internal)?;
        let key = layout::table_key(&table.key, &keys).ok_or_else(Error::internal)?;
        let value = snapshot.get(table.space, &key).map_err(internal)?.ok_or_else(Error::internal)?;
        let (bytes, stored) = layout::read_value(&value).ok_or_else(Error::internal)?;
        self.fetched_units += read_units(bytes, ReadMode::of(self.reading.consistent));
        Ok(stored)
    }

    /// Keeps an item that passes the filter, cut to what was asked for.
    fn keep(&mut self, stored: Stored) -> Result<(), Error> {
        let Reading { filter, projection, select, .. } = self.reading;
        if filter.is_none() && (projection.is_none() || *select == Select::Count) {
            self.count += 1;
            if *select != Select::Count {
                self.items.push(stored);
            }
            return Ok(());
        }
        let item = stored.decode().ok_or_else(Error::internal)?;
        if filter.is_some_and(|filter| !filter.holds(&item)) {
            return Ok(());
        }
        self.count += 1;
        if *select != Select::Count {
            self.items.push(projection.map_or(stored, |projection| Stored::encode(&projection.cut(&item))));
        }
        Ok(())
    }

    fn finish(self) -> Result<Page, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let Reading { source, select, consistent, capacity, .. } = self.reading;
        let mut meter = Meter::new(&source.table.name);
        let units = read_units(self.bytes, ReadMode::of(*consistent));
        match source.index {
            None => meter.add_table(units),
            Some((index, kind)) => {
                meter.add_index(&index.name, kind, units);
                meter.add_table(self.fetched_units);
            }
        }
        Ok(Page {
            items: (*select != Select::Count).then_some(self.items),
            count: self.count,
            scanned: self.scanned,
            last: self.last,
            capacity: meter.report(*capacity),
        })
    }
}
