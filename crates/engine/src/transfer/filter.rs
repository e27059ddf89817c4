//! Which items an export writes, and what of them.

use std::ops::RangeBounds;

use bytes::Bytes;
use item::Item;
use op::{Error, ExportFilter, ExportFilterText};
use storage::Range;

use crate::read::query;
use crate::schema::KeySchema;

/// The filter of an export, ready to be used.
pub(super) struct Filter {
    /// Only items that lie here.
    range: Option<Range>,
    filter: ExportFilter,
}

/// Refuses a filter that does not fit the table.
pub(super) fn check(key: &KeySchema, filter: &ExportFilter) -> Result<(), Error> {
    if let Some(condition) = &filter.key_condition {
        query::key_range(key, condition)?;
        query::check_filter(key, filter.condition.as_ref())?;
    }
    Ok(())
}

impl Filter {
    /// The filter of these expressions, which were checked before.
    pub(super) fn new(key: &KeySchema, text: ExportFilterText) -> Result<Filter, Error> {
        let filter = ExportFilter::parse(text)?;
        let range = filter.key_condition.as_ref().map(|condition| query::key_range(key, condition));
        Ok(Filter { range: range.transpose()?, filter })
    }

    /// Whether a place is among those that are wanted.
    pub(super) fn takes_place(&self, place: &Bytes) -> bool {
        self.range.as_ref().is_none_or(|range| {
            let bounds = (range.from.as_ref(), range.to.as_ref());
            RangeBounds::<Bytes>::contains(&bounds, place)
        })
    }

    /// Whether an item is wanted, if its place is.
    pub(super) fn takes(&self, item: &Item) -> bool {
        self.filter.condition.as_ref().is_none_or(|condition| condition.holds(item))
    }

    /// What of an item is wanted.
    pub(super) fn part(&self, item: Item) -> Item {
        match &self.filter.projection {
            Some(projection) => projection.cut(&item),
            None => item,
        }
    }
}
