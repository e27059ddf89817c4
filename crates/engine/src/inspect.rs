//! The whole store in words, for tests that show what an operation wrote. Knows how every space is read.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;

use bytes::Bytes;
use item::{Item, Value};
use op::StreamView;
use storage::{Direction, Range, Space};

use crate::catalog::{CATALOG, COPIES};
use crate::schema::{Log, Table};
use crate::stream::get_records;
use crate::write::transact_write_items::TOKEN;
use crate::{Engine, expiry, layout, log};

impl Engine {
    /// Every record of tables, indexes, logs and client tokens: where it lies, and what it is.
    ///
    /// It reads everything there is, so it is for small stores only.
    pub fn inspect(&self) -> Result<BTreeMap<String, String>, storage::Error> {
        let mut records = BTreeMap::new();
        for name in self.catalog.names() {
            let Some(cell) = self.catalog.cell(&name) else { continue };
            let table = cell.read().clone();
            self.inspect_space(table.space, &format!("item {name}"), &mut records)?;
            for index in table.indexes() {
                self.inspect_space(index.space, &format!("index {name}/{}", index.name), &mut records)?;
            }
            if let Some(log) = &table.log {
                self.inspect_log(log, &table, &mut records)?;
            }
            if let Some((expiry, _)) = expiry::of(&table) {
                self.inspect_expiry(expiry.space, &name, &mut records)?;
            }
        }
        self.inspect_copies(&mut records)?;
        let tokens = self.store.scan(CATALOG, &Range::prefix(TOKEN), Direction::Forward, &mut |key, _| {
            let token = key.get(TOKEN.len()..).unwrap_or_default();
            records.insert(format!("token {}", String::from_utf8_lossy(token)), "used".to_string());
            ControlFlow::Continue(())
        });
        match tokens {
            Err(storage::Error::NoSpace { .. }) => Ok(records),
            tokens => tokens.map(|()| records),
        }
    }

    fn inspect_log(
        &self,
        log: &Log,
        table: &Table,
        records: &mut BTreeMap<String, String>,
    ) -> Result<(), storage::Error> {
        let view = self.store.snapshot();
        log::scan(&view, log, &Range::all(), Direction::Forward, &mut |record| {
            let place = format!("log {} {}", table.name, record.position.sequence_number());
            let shown = get_records::show(StreamView::NewAndOldImages, &table.key, &record);
            let image =
                |image: &Option<Item>| image.as_ref().map_or_else(|| "nothing".to_string(), item_text);
            // A log that is kept for recovery only says no more than this of a new item.
            let shown = shown.map_or_else(
                || "from nothing".to_string(),
                |shown| {
                    format!("{} from {} to {}", item_text(&shown.keys), image(&shown.old), image(&shown.new))
                },
            );
            records.insert(place, shown);
            ControlFlow::Continue(())
        })
    }

    /// The items of backups and exports.
    fn inspect_copies(&self, records: &mut BTreeMap<String, String>) -> Result<(), storage::Error> {
        let copies = self.store.scan(COPIES, &Range::all(), Direction::Forward, &mut |key, value| {
            let Some((number, key)) = key.split_first_chunk() else { return ControlFlow::Continue(()) };
            let key = key.get(layout::HASH_BYTES..).unwrap_or_default();
            let place = format!("copy {} {}", u64::from_be_bytes(*number), key.escape_ascii());
            records.insert(place, format!("{} bytes", value.len()));
            ControlFlow::Continue(())
        });
        match copies {
            Err(storage::Error::NoSpace { .. }) => Ok(()),
            copies => copies,
        }
    }

    fn inspect_expiry(
        &self,
        space: Space,
        table: &str,
        records: &mut BTreeMap<String, String>,
    ) -> Result<(), storage::Error> {
        self.store.scan(space, &Range::all(), Direction::Forward, &mut |entry, _| {
            let Some((seconds, key)) = expiry::read_entry(entry) else { return ControlFlow::Continue(()) };
            let key = key.get(layout::HASH_BYTES..).unwrap_or_default().escape_ascii().to_string();
            records.insert(format!("expiry {table} {key}"), seconds.to_string());
            ControlFlow::Continue(())
        })
    }

    fn inspect_space(
        &self,
        space: Space,
        place: &str,
        records: &mut BTreeMap<String, String>,
    ) -> Result<(), storage::Error> {
        self.store.scan(space, &Range::all(), Direction::Forward, &mut |key, value| {
            let read = layout::read_value(&Bytes::copy_from_slice(value));
            let text = match read.and_then(|(bytes, stored)| Some((bytes, stored.decode()?))) {
                Some((bytes, item)) => format!("{} ({bytes} bytes)", item_text(&item)),
                None => "damaged".to_string(),
            };
            // The hash says nothing to a reader.
            let key = key.get(layout::HASH_BYTES..).unwrap_or_default();
            records.insert(format!("{place} {}", key.escape_ascii()), text);
            ControlFlow::Continue(())
        })
    }
}

fn item_text(item: &Item) -> String {
    let attributes: Vec<String> =
        item.iter().map(|(name, value)| format!("{name}: {}", text(value))).collect();
    format!("{{{}}}", attributes.join(", "))
}

fn text(value: &Value) -> String {
    fn all<T>(open: &str, members: &[T], show: impl Fn(&T) -> String, close: &str) -> String {
        let members: Vec<String> = members.iter().map(show).collect();
        format!("{open}{}{close}", members.join(", "))
    }
    match value {
        Value::S(text) => format!("{text:?}"),
        Value::N(number) => number.to_string(),
        Value::B(bytes) => hex(bytes),
        Value::Ss(members) => all("<", members, |text| format!("{text:?}"), ">"),
        Value::Ns(members) => all("<", members, ToString::to_string, ">"),
        Value::Bs(members) => all("<", members, |bytes| hex(bytes), ">"),
        Value::Bool(truth) => truth.to_string(),
        Value::Null => "null".to_string(),
        Value::L(values) => all("[", values, text, "]"),
        Value::M(map) => item_text(map),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::from("0x"), |mut out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}
