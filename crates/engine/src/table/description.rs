//! How a table is described. Knows no requests.

use op::{GlobalIndexDescription, LocalIndexDescription, TableDescription, ThroughputDescription};

use crate::catalog::fills;
use crate::schema::{Index, Table};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// The description of a table at this time.
pub(crate) fn describe(table: &Table, now_ms: u64) -> TableDescription {
    let (item_count, size_bytes) = table.stats.figures();
    TableDescription {
        name: table.name.clone(),
        id: table.id.clone(),
        arn: table.arn.clone(),
        status: table.status,
        created_ms: table.created_ms,
        attributes: table.attributes.clone(),
        key_schema: table.key.elements(),
        item_count,
        size_bytes,
        billing: table.billing,
        throughput: throughput(table.throughput, now_ms),
        on_demand: table.on_demand,
        warm: table.warm,
        local_indexes: table.local_indexes.iter().map(local_index).collect(),
        global_indexes: table.global_indexes.iter().map(|index| global_index(table, index, now_ms)).collect(),
        stream: table.stream,
        latest_stream: table.latest_stream.clone(),
        // OBSERVED: where a table came from is told only while it is being restored.
        restore: table.restore.clone().filter(|restore| restore.in_progress),
        sse: table.sse.clone(),
        class: table.class,
        deletion_protection: table.deletion_protection,
    }
}

fn local_index(index: &Index) -> LocalIndexDescription {
    let (item_count, size_bytes) = index.stats.figures();
    LocalIndexDescription {
        name: index.name.clone(),
        arn: index.arn.clone(),
        key_schema: index.key.elements(),
        projection: index.projection.clone(),
        item_count,
        size_bytes,
    }
}

fn global_index(table: &Table, index: &Index, now_ms: u64) -> GlobalIndexDescription {
    // The entries of an index are counted when it is full.
    let (item_count, size_bytes) = if fills(table, index) { (0, 0) } else { index.stats.figures() };
    GlobalIndexDescription {
        name: index.name.clone(),
        arn: index.arn.clone(),
        key_schema: index.key.elements(),
        projection: index.projection.clone(),
        status: index.status,
        backfilling: fills(table, index).then_some(true),
        throughput: throughput(index.throughput, now_ms),
        on_demand: index.on_demand,
        warm: index.warm,
        item_count,
        size_bytes,
    }
}

/// Decreases are counted by the day in UTC.
fn throughput(throughput: ThroughputDescription, now_ms: u64) -> ThroughputDescription {
    let today = throughput.decreased_ms.is_some_and(|at_ms| same_day(at_ms, now_ms));
    ThroughputDescription {
        decreases_today: if today { throughput.decreases_today } else { 0 },
        ..throughput
    }
}

/// Whether two times are on the same day in UTC.
pub(crate) fn same_day(a_ms: u64, b_ms: u64) -> bool {
    a_ms / DAY_MS == b_ms / DAY_MS
}
