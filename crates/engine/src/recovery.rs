//! Recovery to a point in time: while it is on, a table's log tells of every change what was there before, so that any
//! state since then can be made again. Knows how far it reaches; `work::copy` makes the states.

pub(crate) mod describe_continuous_backups;
pub(crate) mod restore_table_to_point_in_time;
pub(crate) mod restored;
pub(crate) mod update_continuous_backups;

use op::{ContinuousBackups, Error, Kind, RecoveryWindow, TableStatus};
use storage::Stamp;

use crate::log::{ms_of, stamp_of};
use crate::schema::{Recovery, Table};

pub(crate) const DAY_MS: u64 = 24 * 60 * 60 * 1000;
const SECOND_MS: u64 = 1000;

/// How far recovery of a table reaches now.
fn window(table: &Table, now_ms: u64) -> ContinuousBackups {
    let recovery = table.log.as_ref().and_then(|log| log.recovery);
    ContinuousBackups {
        recovery: recovery.map(|recovery| RecoveryWindow {
            period_days: recovery.days,
            earliest_ms: Some(earliest_ms(recovery, now_ms)),
            latest_ms: Some(now_ms),
        }),
    }
}

/// The earliest time to which recovery reaches.
fn earliest_ms(recovery: Recovery, now_ms: u64) -> u64 {
    let period_ms = DAY_MS.saturating_mul(recovery.days.into());
    ms_of(recovery.since).max(now_ms.saturating_sub(period_ms)).min(now_ms)
}

/// Whether recovery reaches to a time. Many clients send whole seconds only, so the second decides.
pub(crate) fn reaches(recovery: Recovery, time_ms: u64, now_ms: u64) -> bool {
    let second = |ms: u64| ms / SECOND_MS;
    (second(earliest_ms(recovery, now_ms))..=second(now_ms)).contains(&second(time_ms))
}

/// The stamp before which everything belongs to a time: a whole second is meant with all that happened in it, any other
/// time to the millisecond. Nothing that comes after `end` belongs to it, and nothing is known before recovery was on.
pub(crate) fn stamp_at(recovery: Recovery, time_ms: u64, end: Stamp) -> Stamp {
    let width_ms = if time_ms.is_multiple_of(SECOND_MS) { SECOND_MS } else { 1 };
    stamp_of(time_ms.saturating_add(width_ms)).min(end).max(recovery.since)
}

/// Refuses times while the log is ahead of the clock, which was put back: what was written since then cannot be told by
/// its time. The latest state can.
pub(crate) fn in_step(engine: &crate::Engine, now_ms: u64, kind: Kind) -> Result<(), Error> {
    let last_ms = ms_of(engine.store.last_stamp());
    if last_ms <= now_ms.saturating_add(SECOND_MS) {
        return Ok(());
    }
    let until = crate::table::definition::second(last_ms);
    let message = format!(
        "The clock of this server was put back and its log has times up to {until}: until then only the latest state can be \
         told apart"
    );
    Err(Error::new(kind, message))
}

/// A table's recovery, which must be on.
pub(crate) fn of(table: &Table) -> Result<Recovery, Error> {
    table.log.as_ref().and_then(|log| log.recovery).ok_or_else(|| {
        let message = format!("Point in time recovery is not enabled for table '{}'", table.name);
        Error::new(Kind::PointInTimeRecoveryUnavailable, message)
    })
}

/// A table that is not there, as operations on backups say it.
pub(crate) fn not_found(name: &str) -> Error {
    Error::new(Kind::TableNotFound, format!("Table not found: {name}"))
}

/// Refuses a name that a new table cannot have.
pub(crate) fn free(engine: &crate::Engine, name: &str) -> Result<(), Error> {
    let Some(cell) = engine.catalog.cell(name) else { return Ok(()) };
    let table = cell.table();
    let running = table.restore.as_ref().filter(|_| table.status == TableStatus::Creating);
    Err(match running.and_then(|restore| restore.backup_arn.as_ref().or(restore.table_arn.as_ref())) {
        Some(arn) => {
            let message = format!("Table: {name} is already being restored from backup: {arn}");
            Error::new(Kind::TableInUse, message)
        }
        None => Error::new(Kind::TableAlreadyExists, format!("Table already exists: {name}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: u64 = 1_700_000_000_500;

    #[test]
    fn a_window_begins_with_the_switch_and_is_never_longer_than_the_period() {
        let recovery = |since_ms, days| Recovery { since: stamp_of(since_ms), days };
        assert_eq!(earliest_ms(recovery(NOW_MS - 5, 1), NOW_MS), NOW_MS - 5);
        assert_eq!(earliest_ms(recovery(5, 1), NOW_MS), NOW_MS - DAY_MS);
        assert_eq!(earliest_ms(recovery(5, 35), NOW_MS), NOW_MS - 35 * DAY_MS);
        // The clock may have been put back.
        assert_eq!(earliest_ms(recovery(NOW_MS + 9, 35), NOW_MS), NOW_MS);
    }

    #[test]
    fn a_second_that_is_partly_inside_is_inside() {
        let recovery = Recovery { since: stamp_of(NOW_MS - 2_000), days: 35 };
        for (time_ms, is_inside) in [
            (NOW_MS - 2_000, true),
            (NOW_MS - 2_500, true),
            (NOW_MS - 2_501, false),
            (NOW_MS, true),
            (NOW_MS + 499, true),
            (NOW_MS + 500, false),
        ] {
            assert_eq!(reaches(recovery, time_ms, NOW_MS), is_inside, "{time_ms}");
        }
    }

    #[test]
    fn a_whole_second_is_meant_to_its_end_and_any_other_time_to_its_millisecond() {
        let recovery = Recovery { since: Stamp(7), days: 35 };
        let end = stamp_of(NOW_MS * 2);
        assert_eq!(stamp_at(recovery, 5_000, end), stamp_of(6_000));
        assert_eq!(stamp_at(recovery, 5_001, end), stamp_of(5_002));
        assert_eq!(stamp_at(recovery, 5_000, Stamp(99)), Stamp(99));
        assert_eq!(stamp_at(Recovery { since: stamp_of(9_999), days: 1 }, 5_000, end), stamp_of(9_999));
    }
}
