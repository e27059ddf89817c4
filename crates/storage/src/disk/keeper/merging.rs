//! Merges files, as fast as others need it. Knows no memory tables.

use super::{RETRY_PAUSE, look, remove_leftovers};
use crate::disk::Shared;
use crate::disk::room::Room;
use crate::disk::sorted::Sorter;
use crate::error::Error;
use std::sync::Arc;

/// A room with so many runs of files is written to when some are merged.
const RUNS_MAX: usize = 24;
/// Merges do not rest while a room has so many.
const RUNS_BEHIND: usize = 8;
/// How long merges rest otherwise, as a multiple of their work: reads cost more until they are done.
const MERGE_LEISURE: u32 = 1;
/// No room ever has so many: the tree counts them in a byte.
const RUNS_END: usize = 200;
/// So often a merge is waited for.
const MERGE_PAUSES_MAX: u32 = 60;

pub(super) fn merge_for_ever(shared: &Shared) {
    while let Some(room) = shared.keeper.next_unmerged() {
        loop {
            match merge(shared, &room) {
                Ok(true) if !shared.keeper.is_closed() => {}
                Ok(_) => break,
                Err(error) => {
                    tracing::warn!(%error, "files could not be merged, and will be when more is written");
                    shared.keeper.pause(RETRY_PAUSE);
                    break;
                }
            }
        }
    }
}

/// One merge of a room's files; tells whether there was one.
fn merge(shared: &Shared, room: &Room) -> Result<bool, Error> {
    let merged = match &*room.files.read() {
        Some(files) if !room.is_gone() => files.merge(),
        Some(_) | None => Ok(false),
    };
    if merged.is_err() {
        remove_leftovers(room);
    }
    let has_merged = merged?;
    if has_merged {
        let _looking = shared.keeper.looking.lock();
        shared.current.replace(vec![(room.id(), look(shared, room))], None);
    }
    pace_merges(shared);
    shared.keeper.merged.notify_all();
    Ok(has_merged)
}

/// Waits until a room has so few runs of files that one more may come. A room that is not merged any more goes on for a
/// while, and then takes no more.
pub(super) fn await_merges(shared: &Shared, room: &Arc<Room>) -> Result<(), Error> {
    for _ in 0..MERGE_PAUSES_MAX {
        if runs(room) < RUNS_MAX || room.is_gone() || shared.keeper.is_closed() {
            return Ok(());
        }
        shared.keeper.ask_for_merge(room);
        let mut state = shared.keeper.state.lock();
        shared.keeper.merged.wait_for(&mut state, RETRY_PAUSE);
    }
    if runs(room) < RUNS_END {
        Ok(())
    } else {
        Err(Error::Failed { detail: "files are not merged any more".into() })
    }
}

/// Lets merges rest as long as they are not far behind what is written out.
pub(super) fn pace_merges(shared: &Shared) {
    let leisure = if shared.keeper.runs_behind() < RUNS_BEHIND { MERGE_LEISURE } else { 0 };
    shared.files.merge_leisure().set(leisure);
}

/// How many runs of files a room has.
pub(super) fn runs(room: &Room) -> usize {
    room.files.read().as_ref().map_or(0, Sorter::runs)
}
