//! Whether there is room on the disk for what a request or a task adds. Knows no table and no item.

use op::{Error, Kind, Operation};
use storage::{Shortage, Store};

use crate::catalog::Task;

/// Refuses an operation that adds something while the disk is nearly full. What only removes is let through, for it makes
/// room.
pub(crate) fn refusal(store: &Store, operation: &Operation) -> Option<Error> {
    adds(operation).then(|| store.shortage().map(told)).flatten()
}

/// Whether a task has to wait for room.
pub(crate) fn must_wait(store: &Store, task: &Task) -> bool {
    matches!(task, Task::Fill(_) | Task::Copy(_) | Task::Age(_)) && store.shortage().is_some()
}

fn told(shortage: Shortage) -> Error {
    let message = format!(
        "The disk is nearly full: {} MB are free, {} MB are kept for what is under way. Writes are refused until there is \
         room; reads and deletions go on.",
        shortage.free_bytes >> 20,
        shortage.kept_bytes >> 20
    );
    Error::new(Kind::InternalServerError, message)
}

fn adds(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::BatchWriteItem(_)
            | Operation::CreateBackup(_)
            | Operation::CreateTable(_)
            | Operation::ExportTableToPointInTime(_)
            | Operation::ImportTable(_)
            | Operation::PutItem(_)
            | Operation::RestoreTableFromBackup(_)
            | Operation::RestoreTableToPointInTime(_)
            | Operation::StartBulkPutItems(_)
            | Operation::TagResource(_)
            | Operation::TransactWriteItems(_)
            | Operation::UpdateContinuousBackups(_)
            | Operation::UpdateItem(_)
            | Operation::UpdateTable(_)
            | Operation::UpdateTimeToLive(_)
    )
}
