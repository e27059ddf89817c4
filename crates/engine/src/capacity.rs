//! Units used, as the service counts them.

use std::collections::BTreeMap;

use op::{Capacity, CapacityDetail, ConsumedCapacity, limits};

use crate::index::IndexUse;

/// How a read is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadMode {
    /// Half a unit for 4 KB.
    Eventual,
    /// A unit for 4 KB.
    Consistent,
    /// Two units for 4 KB.
    Transactional,
}

impl ReadMode {
    /// The mode that `ConsistentRead` asks for.
    pub(crate) fn of(consistent: bool) -> ReadMode {
        if consistent { ReadMode::Consistent } else { ReadMode::Eventual }
    }
}

/// Units of reading so many bytes together. Nothing counts as one unit of bytes.
pub(crate) fn read_units(bytes: usize, mode: ReadMode) -> f64 {
    let units = bytes.div_ceil(limits::READ_UNIT_BYTES).max(1) as f64;
    match mode {
        ReadMode::Eventual => units / 2.0,
        ReadMode::Consistent => units,
        ReadMode::Transactional => units * 2.0,
    }
}

/// Units of writing so many bytes.
pub(crate) fn write_units(bytes: usize) -> f64 {
    bytes.div_ceil(limits::WRITE_UNIT_BYTES).max(1) as f64
}

/// Gathers what one table's part of an operation consumes.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    table_name: String,
    transaction: Option<Transaction>,
    table: f64,
    local_indexes: BTreeMap<String, f64>,
    global_indexes: BTreeMap<String, f64>,
}

/// What a transaction's units are, told beside the total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transaction {
    Reads,
    Writes,
}

impl Meter {
    /// A meter of a table that has used nothing.
    pub(crate) fn new(table_name: &str) -> Meter {
        Meter {
            table_name: table_name.to_string(),
            transaction: None,
            table: 0.0,
            local_indexes: BTreeMap::new(),
            global_indexes: BTreeMap::new(),
        }
    }

    /// A meter whose units are those of a transaction.
    pub(crate) fn of_transaction(table_name: &str, transaction: Transaction) -> Meter {
        Meter { transaction: Some(transaction), ..Meter::new(table_name) }
    }

    /// Units on the table itself.
    pub(crate) fn add_table(&mut self, units: f64) {
        self.table += units;
    }

    /// Units on an index.
    pub(crate) fn add_index(&mut self, name: &str, kind: IndexKind, units: f64) {
        let indexes = match kind {
            IndexKind::Local => &mut self.local_indexes,
            IndexKind::Global => &mut self.global_indexes,
        };
        *indexes.entry(name.to_string()).or_default() += units;
    }

    /// Units of a write: on the table by the larger of the two sizes, on the indexes by what changed there.
    /// OBSERVED: a transaction makes the table's part twice as dear, and the indexes' not.
    pub(crate) fn add_write(&mut self, before_bytes: usize, after_bytes: usize, indexes: &[IndexUse]) {
        let factor = if self.transaction.is_some() { 2.0 } else { 1.0 };
        self.add_table(factor * write_units(before_bytes.max(after_bytes)));
        for used in indexes.iter().filter(|used| used.units > 0.0) {
            self.add_index(&used.name, used.kind, used.units);
        }
    }

    /// What to report; none if nothing was asked for.
    pub(crate) fn report(self, detail: CapacityDetail) -> Option<ConsumedCapacity> {
        if detail == CapacityDetail::None {
            return None;
        }
        let total = self.table + self.local_indexes.values().chain(self.global_indexes.values()).sum::<f64>();
        let transaction = self.transaction;
        let capacity = |units: f64| Capacity {
            units,
            read: (transaction == Some(Transaction::Reads)).then_some(units),
            write: (transaction == Some(Transaction::Writes)).then_some(units),
        };
        let each = |indexes: BTreeMap<String, f64>| {
            indexes.into_iter().map(|(name, units)| (name, capacity(units))).collect::<BTreeMap<_, _>>()
        };
        let with_indexes = detail == CapacityDetail::Indexes;
        Some(ConsumedCapacity {
            table_name: self.table_name,
            total: capacity(total),
            table: with_indexes.then(|| capacity(self.table)),
            local_indexes: if with_indexes { each(self.local_indexes) } else { BTreeMap::new() },
            global_indexes: if with_indexes { each(self.global_indexes) } else { BTreeMap::new() },
        })
    }
}

/// The two kinds of secondary indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexKind {
    Local,
    Global,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_counted_in_4_kb() {
        for (bytes, mode, expected) in [
            (0, ReadMode::Eventual, 0.5),
            (0, ReadMode::Consistent, 1.0),
            (4096, ReadMode::Consistent, 1.0),
            (4097, ReadMode::Consistent, 2.0),
            (4097, ReadMode::Eventual, 1.0),
            (8192, ReadMode::Eventual, 1.0),
            (1, ReadMode::Transactional, 2.0),
        ] {
            assert_eq!(read_units(bytes, mode), expected, "{bytes} {mode:?}");
        }
    }

    #[test]
    fn writes_are_counted_in_1_kb() {
        for (bytes, expected) in [(0, 1.0), (1024, 1.0), (1025, 2.0), (400 * 1024, 400.0)] {
            assert_eq!(write_units(bytes), expected, "{bytes}");
        }
    }
}
