//! Whether there is room on the disk for what a request or a task adds. Knows no table and no item.

use op::{Error, Kind, Operation, TransactAct, Write};
use storage::Shortage;

use crate::Engine;

impl Engine {
    /// Whether there is room for more. Where there is none, requests that add something are refused, and whoever adds
    /// something without a request should wait.
    pub fn has_room(&self) -> bool {
        self.store.shortage().is_none()
    }

    /// Keeps so many bytes of the disk free instead of the usual share.
    pub fn keep_free(&self, bytes: u64) {
        self.store.keep_free(bytes);
    }

    /// Refuses an operation that adds something while the disk is nearly full. What only removes is let through, for it
    /// makes room; so are changes of settings, which are small and may stop what fills the disk.
    pub(crate) fn refusal(&self, operation: &Operation) -> Option<Error> {
        if adds(operation) { self.store.shortage().map(told) } else { None }
    }
}

/// SDKs repeat a request that was answered so after a pause.
fn told(shortage: Shortage) -> Error {
    let message = format!(
        "The disk is nearly full: {} MB are free, and writes are refused until {} MB are. Reads and deletions go on.",
        shortage.free_bytes >> 20,
        shortage.enough_bytes >> 20
    );
    Error::new(Kind::ServiceUnavailable, message)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what adds is listed; most operations do not")]
fn adds(operation: &Operation) -> bool {
    match operation {
        Operation::CreateBackup(_)
        | Operation::CreateTable(_)
        | Operation::ExportTableToPointInTime(_)
        | Operation::ImportTable(_)
        | Operation::PutItem(_)
        | Operation::RestoreTableFromBackup(_)
        | Operation::RestoreTableToPointInTime(_)
        | Operation::StartBulkPutItems(_)
        | Operation::UpdateItem(_) => true,
        Operation::BatchWriteItem(request) => {
            let writes = request.tables.iter().flat_map(|table| &table.writes);
            writes.into_iter().any(|write| matches!(write, Write::Put(_)))
        }
        Operation::TransactWriteItems(request) => request
            .actions
            .iter()
            .any(|action| matches!(action.act, TransactAct::Put { .. } | TransactAct::Update { .. })),
        _ => false,
    }
}
