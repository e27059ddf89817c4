//! Scan.

use std::ops::Bound;

use expr::{Condition, Projection};
use op::{Error, Output, Scan, Segment};
use storage::{Direction, Range};

use crate::page::{self, Reading, Source};
use crate::{Engine, layout, plan};

pub(crate) fn run(engine: &Engine, request: &Scan) -> Result<Output, Error> {
    let table = engine.table(&request.table)?;
    let source = Source::find(&table, request.index.as_deref())?;
    source.check_consistency(request.consistent)?;
    let select = source.select(request.select, request.projection.as_ref())?;
    let mut range = request.segment.map_or_else(Range::all, segment_range);
    if let Some(start) = &request.start {
        let start = source.start_key(start)?;
        if let Some(segment) = request.segment
            && !contains(&range, &start)
        {
            return Err(Error::validation(format!(
                "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with \
                 correct Segment. TotalSegments: {} Segment: {}",
                segment.total, segment.number
            )));
        }
        range.from = Bound::Excluded(start);
    }
    plan::flat_keys(&table, request.projection.iter().flat_map(Projection::paths))?;
    plan::flat_keys(&table, request.filter.iter().flat_map(Condition::paths))?;
    let page = page::read(
        engine,
        &Reading {
            source,
            range,
            direction: Direction::Forward,
            limit: request.limit,
            filter: request.filter.as_ref(),
            projection: request.projection.as_ref(),
            select,
            consistent: request.consistent,
            capacity: request.capacity,
        },
    )?;
    Ok(Output::Page(page))
}

/// The keys whose hashes fall into a segment.
fn segment_range(segment: Segment) -> Range {
    let bound = |number| layout::segment_start(number, segment.total);
    Range {
        from: bound(segment.number).map_or(Bound::Unbounded, Bound::Included),
        to: bound(segment.number + 1).map_or(Bound::Unbounded, Bound::Excluded),
    }
}

fn contains(range: &Range, key: &[u8]) -> bool {
    let above = match &range.from {
        Bound::Included(from) => key >= from.as_ref(),
        Bound::Excluded(from) => key > from.as_ref(),
        Bound::Unbounded => true,
    };
    let below = match &range.to {
        Bound::Included(to) => key <= to.as_ref(),
        Bound::Excluded(to) => key < to.as_ref(),
        Bound::Unbounded => true,
    };
    above && below
}
