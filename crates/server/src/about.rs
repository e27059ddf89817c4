//! What an operation is about, for the record of requests: its table, its index, its capacity.
//! Knows where operations keep these and nothing of what they mean.

use op::{CapacityDetail, ConsumedCapacity, MetricsDetail, Operation, Output};

/// The table and the index, empty where there is none; of a batch or a transaction the first table.
#[expect(clippy::wildcard_enum_match_arm, reason = "an operation that names no table needs no line here")]
pub(crate) fn place(operation: &Operation) -> (String, String) {
    let table = match operation {
        Operation::GetItem(request) => &request.table,
        Operation::PutItem(request) => &request.table,
        Operation::UpdateItem(request) => &request.table,
        Operation::DeleteItem(request) => &request.table,
        Operation::Query(request) => {
            return (request.table.clone(), request.index.clone().unwrap_or_default());
        }
        Operation::Scan(request) => {
            return (request.table.clone(), request.index.clone().unwrap_or_default());
        }
        Operation::BatchGetItem(request) => return first(request.tables.iter().map(|one| &one.table)),
        Operation::BatchWriteItem(request) => return first(request.tables.iter().map(|one| &one.table)),
        Operation::TransactGetItems(request) => return first(request.gets.iter().map(|one| &one.table)),
        Operation::TransactWriteItems(request) => return first(request.actions.iter().map(|one| &one.table)),
        Operation::CreateTable(request) => &request.name,
        Operation::UpdateTable(request) => &request.name,
        Operation::DeleteTable(request) => &request.name,
        Operation::DescribeTable(request) => &request.name,
        Operation::UpdateTimeToLive(request) => &request.table,
        Operation::DescribeTimeToLive(request) => &request.table,
        Operation::DescribeContinuousBackups(request) => &request.table,
        Operation::UpdateContinuousBackups(request) => &request.table,
        Operation::CreateBackup(request) => &request.table,
        Operation::RestoreTableFromBackup(request) => &request.target,
        Operation::RestoreTableToPointInTime(request) => &request.source,
        _ => return (String::new(), String::new()),
    };
    (table.clone(), String::new())
}

/// Whether a write of one item reads the whole of its collection, to tell how large that is.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other operations tell of no collections, or move aside anyway"
)]
pub(crate) fn looks_at_many(operation: &Operation) -> bool {
    let asked = match operation {
        Operation::PutItem(request) => request.metrics,
        Operation::UpdateItem(request) => request.metrics,
        Operation::DeleteItem(request) => request.metrics,
        _ => MetricsDetail::None,
    };
    asked != MetricsDetail::None
}

fn first<'a>(mut tables: impl Iterator<Item = &'a String>) -> (String, String) {
    (tables.next().cloned().unwrap_or_default(), String::new())
}

/// Has the engine report capacity whether or not the caller wants to know. Answers whether the caller does.
pub(crate) fn ask_capacity(operation: &mut Operation) -> bool {
    let Some(detail) = detail(operation) else { return true };
    if *detail != CapacityDetail::None {
        return true;
    }
    *detail = CapacityDetail::Total;
    false
}

#[expect(clippy::wildcard_enum_match_arm, reason = "an operation that consumes nothing needs no line here")]
fn detail(operation: &mut Operation) -> Option<&mut CapacityDetail> {
    Some(match operation {
        Operation::GetItem(request) => &mut request.capacity,
        Operation::PutItem(request) => &mut request.capacity,
        Operation::UpdateItem(request) => &mut request.capacity,
        Operation::DeleteItem(request) => &mut request.capacity,
        Operation::Query(request) => &mut request.capacity,
        Operation::Scan(request) => &mut request.capacity,
        Operation::BatchGetItem(request) => &mut request.capacity,
        Operation::BatchWriteItem(request) => &mut request.capacity,
        Operation::TransactGetItems(request) => &mut request.capacity,
        Operation::TransactWriteItems(request) => &mut request.capacity,
        _ => return None,
    })
}

/// The units that were used. A report that the caller did not ask for is taken out of the answer.
#[expect(clippy::wildcard_enum_match_arm, reason = "an answer without capacity needs no line here")]
pub(crate) fn units(output: &mut Output, is_asked: bool) -> f64 {
    match output {
        Output::GetItem(answer) => of_one(&mut answer.capacity, is_asked),
        Output::Write(answer) => of_one(&mut answer.capacity, is_asked),
        Output::Page(answer) => of_one(&mut answer.capacity, is_asked),
        Output::BatchGetItem(answer) => of_many(&mut answer.capacity, is_asked),
        Output::BatchWriteItem(answer) => of_many(&mut answer.capacity, is_asked),
        Output::TransactGetItems(answer) => of_many(&mut answer.capacity, is_asked),
        Output::TransactWriteItems(answer) => of_many(&mut answer.capacity, is_asked),
        _ => 0.0,
    }
}

fn of_one(capacity: &mut Option<ConsumedCapacity>, is_asked: bool) -> f64 {
    let units = capacity.as_ref().map_or(0.0, |capacity| capacity.total.units);
    if !is_asked {
        *capacity = None;
    }
    units
}

fn of_many(capacity: &mut Vec<ConsumedCapacity>, is_asked: bool) -> f64 {
    let units = capacity.iter().map(|capacity| capacity.total.units).sum();
    if !is_asked {
        capacity.clear();
    }
    units
}
