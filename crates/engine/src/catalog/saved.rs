//! What the catalog's space holds of tables, read when a database is opened. Knows no table in use.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};

use bytes::Bytes;
use storage::{Direction, Error, Range, Space, Store};

use super::backups::BACKUP;
use super::copies::{CLEAR, COPY};
use super::gone::GONE;
use super::{Backup, CATALOG, Copy, FILL, NEXT_SPACE, STATS, TABLE, record};
use crate::schema::Table;

/// The tokens of transactions lie behind all records of tables. There may be very many, and a start does not need them.
const TOKENS: &[u8] = b"token";

/// All records.
#[derive(Default)]
pub(super) struct Saved {
    pub(super) next_space: u64,
    pub(super) tables: Vec<Table>,
    /// Deleted tables whose logs are still there.
    pub(super) gone: Vec<Table>,
    pub(super) backups: Vec<Backup>,
    pub(super) copies: Vec<Copy>,
    /// Copies that are being removed.
    pub(super) clears: Vec<u64>,
    /// Items and bytes of spaces as they were at the last clean end.
    pub(super) stats: BTreeMap<Space, (u64, u64)>,
    /// How far indexes are filled.
    pub(super) fills: BTreeMap<Space, Vec<u8>>,
}

impl Saved {
    /// Reads them all, or says which one is damaged.
    pub(super) fn read(store: &Store) -> Result<Saved, Error> {
        let mut saved = Saved::default();
        let mut damaged = None;
        let range = Range { from: Bound::Unbounded, to: Bound::Excluded(Bytes::from_static(TOKENS)) };
        store.scan(CATALOG, &range, Direction::Forward, &mut |key, value| {
            if saved.take(key, value).is_some() {
                return ControlFlow::Continue(());
            }
            damaged = Some(String::from_utf8_lossy(key).into_owned());
            ControlFlow::Break(())
        })?;
        match damaged {
            None => Ok(saved),
            Some(key) => Err(Error::Corrupt {
                file: "catalog".into(),
                detail: format!("the record `{key}` cannot be read"),
            }),
        }
    }

    /// Takes one record in; none if it is damaged. Records of a kind that is not known are left alone.
    fn take(&mut self, key: &[u8], value: &[u8]) -> Option<()> {
        if key == NEXT_SPACE {
            self.next_space = number(value)?;
        } else if key.starts_with(TABLE) {
            self.tables.push(record::decode(value)?);
        } else if key.starts_with(GONE) {
            self.gone.push(record::decode(value)?);
        } else if key.starts_with(BACKUP) {
            self.backups.push(Backup::decode(value)?);
        } else if key.starts_with(COPY) {
            self.copies.push(Copy::decode(value)?);
        } else if let Some(copy) = key.strip_prefix(CLEAR) {
            self.clears.push(number(copy)?);
        } else if let Some(space) = key.strip_prefix(STATS) {
            let (items, bytes) = value.split_at_checked(size_of::<u64>())?;
            self.stats.insert(Space(number(space)?), (number(items)?, number(bytes)?));
        } else if let Some(space) = key.strip_prefix(FILL) {
            self.fills.insert(Space(number(space)?), value.to_vec());
        }
        Some(())
    }
}

fn number(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(bytes.try_into().ok()?))
}
