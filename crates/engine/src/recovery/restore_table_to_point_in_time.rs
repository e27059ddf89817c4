//! RestoreTableToPointInTime: the new table is there at once and gets its items in the background.

use op::{Error, Kind, Output, RestoreSummary, RestoreTableToPointInTime, TableDescription, TableStatus};

use super::{earliest_ms, free, in_step, not_found, reaches, restored, stamp_at};
use crate::catalog::{Begin, Copy, Purpose, Task};
use crate::place::Place;
use crate::table::definition;
use crate::table::description::describe;
use crate::{Engine, Pending, internal};

pub(crate) fn run(engine: &Engine, request: RestoreTableToPointInTime) -> Pending {
    engine.read(restore(engine, request).map(|table| Output::TableChanged(Box::new(table))))
}

fn restore(engine: &Engine, request: RestoreTableToPointInTime) -> Result<TableDescription, Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let cell = engine.catalog.cell(&request.source).ok_or_else(|| not_found(&request.source))?;
    let source = cell.table().as_ref().clone();
    if source.status == TableStatus::Deleting {
        return Err(not_found(&request.source));
    }
    let recovery = super::of(&source)?;
    let now_ms = engine.env.now_ms();
    if let Some(time_ms) = request.time_ms.filter(|time_ms| !reaches(recovery, *time_ms, now_ms)) {
        let [asked, earliest, latest] =
            [time_ms, earliest_ms(recovery, now_ms), now_ms].map(definition::second);
        return Err(Error::new(
            Kind::InvalidRestoreTime,
            format!(
                "RestoreDateTime '{asked}' must be within EarliestRestorableDateTime '{earliest}' and \
                 LatestRestorableDateTime '{latest}'"
            ),
        ));
    }
    if request.time_ms.is_some() {
        in_step(engine, now_ms, Kind::InvalidRestoreTime)?;
    }
    free(engine, &request.target)?;
    let summary = RestoreSummary {
        backup_arn: None,
        table_arn: Some(source.arn.clone()),
        time_ms: request.time_ms.unwrap_or(now_ms),
        in_progress: true,
    };
    let table = restored::define(engine, &mut changes, &source, request.target, &request.overrides, summary)?;
    let answer = restored::answer(describe(&table, now_ms));
    let purpose = Purpose::Table(table.name.clone());
    let copy = Copy::new(changes.number(), Place::whole(source.space), Place::whole(table.space), purpose);
    let begin = Begin { source: Some((&cell, source)), table: Some(table), backup: None, copy };
    let at = |end| request.time_ms.map_or(end, |time_ms| stamp_at(recovery, time_ms, end));
    let copy = changes.begin(begin, now_ms, at).map_err(internal)?;
    drop(changes);
    engine.do_at_once(Task::Copy(Box::new(copy)));
    Ok(answer)
}
