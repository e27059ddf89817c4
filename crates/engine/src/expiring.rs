//! What expires next, for people who want to see it coming. Reads the expiry entries and changes nothing.

use std::ops::{Bound, ControlFlow};

use item::Item;
use op::Error;
use storage::{Direction, Range};

use crate::{Engine, expiry, internal, layout};

impl Engine {
    /// The items of a table that expire next, soonest first, each with its time in seconds since 1970.
    pub fn expiring(&self, table: &str, at_most: usize) -> Result<Vec<(u64, Item)>, Error> {
        let table = self.table(table)?;
        let Some((expiry, _)) = expiry::of(&table) else { return Ok(Vec::new()) };
        // What is due or long past is the sweep's business.
        let from = match expiry::due(self.env.now_ms()).to {
            Bound::Excluded(bound) | Bound::Included(bound) => Bound::Included(bound),
            Bound::Unbounded => Bound::Unbounded,
        };
        let mut entries = Vec::new();
        let range = Range { from, to: Bound::Unbounded };
        let scanned = self.store.scan(expiry.space, &range, Direction::Forward, &mut |entry, _| {
            entries.extend(expiry::read_entry(entry));
            if entries.len() < at_most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        scanned.map_err(internal)?;
        let mut found = Vec::new();
        for (seconds, key) in entries {
            let value = self.store.get(table.space, &key).map_err(internal)?;
            let item = value.and_then(|value| layout::read_value(&value)).and_then(|(_, item)| item.decode());
            found.extend(item.map(|item| (seconds, item)));
        }
        Ok(found)
    }
}
