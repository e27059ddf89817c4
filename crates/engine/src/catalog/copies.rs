//! Copies of a table's items as they were at a moment, while they are being made: what is written down of them, so that a
//! restart goes on where they were. `work::copy` makes them.

use bytes::Bytes;
use item::{Item, Stored, Value};
use storage::{Batch, Space, Stamp};

use super::fields::{Fields, list, map, number, text, word};
use super::words::Word;
use super::{CATALOG, Catalog};
use crate::place::Place;

/// Where backups of users and the items of exports lie, each under a number. A folder has only so many spaces.
pub(crate) const COPIES: Space = Space(1);
pub(super) const COPY: &[u8] = b"copy/";
pub(super) const CLEAR: &[u8] = b"clear/";

/// A copy that is being made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Copy {
    /// No other copy has had it.
    pub(crate) number: u64,
    pub(crate) from: Place,
    /// The log that tells how the items were before; none if they do not change.
    pub(crate) log: Option<Space>,
    /// The items are copied as they were before this stamp.
    pub(crate) at: Stamp,
    /// Only what changed from this stamp on is copied.
    pub(crate) since: Option<Stamp>,
    pub(crate) to: Place,
    pub(crate) purpose: Purpose,
    pub(crate) stage: Stage,
    /// The last key that was handled in this stage.
    pub(crate) after: Option<Bytes>,
    /// The names of the key attributes.
    pub(crate) keys: Vec<String>,
    /// What was counted so far: the items, then the entries of each index.
    pub(crate) figures: Vec<Figures>,
}

/// What a copy is made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A new table of this name.
    Table(String),
    /// A backup of this ARN.
    Backup(String),
    /// Items that are to be exported.
    Export,
}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The log is looked through for what changed.
    Gather,
    /// Items are copied as they are.
    Copy,
    /// What changed later is undone.
    Undo,
    /// Items are counted, and get their index entries.
    Finish,
    /// Nothing any more.
    Ready,
}

/// How many items there are, and their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Figures {
    pub(crate) items: u64,
    pub(crate) bytes: u64,
}

impl Figures {
    /// Counts one more item.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.items += 1;
        self.bytes += bytes as u64;
    }
}

impl Copy {
    /// A copy that has not begun.
    pub(crate) fn new(number: u64, from: Place, to: Place, purpose: Purpose) -> Copy {
        Copy {
            number,
            from,
            log: None,
            at: Stamp::default(),
            since: None,
            to,
            purpose,
            stage: Stage::Copy,
            after: None,
            keys: Vec::new(),
            figures: Vec::new(),
        }
    }

    /// Where it notes what changed, if it copies only that. The items themselves lie beside it.
    pub(crate) fn changed(&self) -> Place {
        own_place(self.number).part(&[0])
    }

    /// The spaces it reads.
    pub(crate) fn reads(&self) -> impl Iterator<Item = Space> {
        let needed = self.stage != Stage::Ready;
        [Some(self.from.space), self.log].into_iter().flatten().filter(move |_| needed)
    }

    /// Notes in a batch how far it is.
    pub(crate) fn note(&self, batch: &mut Batch) {
        batch.put(CATALOG, key(COPY, self.number), self.encode());
    }

    pub(super) fn encode(&self) -> Bytes {
        let mut out = Fields::default();
        out.number("number", Some(self.number));
        out.map("from", Some(&self.from), encode_place);
        out.number("log", self.log.map(|space| space.0));
        out.number("at", Some(self.at.0));
        out.number("since", self.since.map(|stamp| stamp.0));
        out.map("to", Some(&self.to), encode_place);
        match &self.purpose {
            Purpose::Table(name) => out.text("table", name),
            Purpose::Backup(arn) => out.text("backup", arn),
            Purpose::Export => {}
        }
        out.word("stage", self.stage);
        if let Some(after) = &self.after {
            out.0.insert("after".into(), Value::B(after.clone()));
        }
        out.list("keys", &self.keys, |out, name| out.text("name", name));
        out.list("figures", &self.figures, |out, figures| {
            out.number("items", Some(figures.items));
            out.number("bytes", Some(figures.bytes));
        });
        Stored::encode(&out.0).bytes().clone()
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Copy> {
        let record = Stored::from_bytes(Bytes::copy_from_slice(bytes)).decode()?;
        Some(Copy {
            number: number(&record, "number")?,
            from: map(&record, "from", decode_place)??,
            log: number(&record, "log").map(Space),
            at: Stamp(number(&record, "at")?),
            since: number(&record, "since").map(Stamp),
            to: map(&record, "to", decode_place)??,
            purpose: match (text(&record, "table"), text(&record, "backup")) {
                (Some(name), _) => Purpose::Table(name),
                (None, Some(arn)) => Purpose::Backup(arn),
                (None, None) => Purpose::Export,
            },
            stage: word(&record, "stage")?,
            after: blob(&record, "after"),
            keys: list(&record, "keys", |name| text(name, "name"))?,
            figures: list(&record, "figures", |figures| {
                Some(Figures { items: number(figures, "items")?, bytes: number(figures, "bytes")? })
            })?,
        })
    }
}

impl Catalog {
    /// The copies that are being made or are ready to be read.
    pub(crate) fn copies(&self) -> Vec<Copy> {
        self.copies.read().values().cloned().collect()
    }

    /// A copy by its number.
    pub(crate) fn copy(&self, number: u64) -> Option<Copy> {
        self.copies.read().get(&number).cloned()
    }
}

/// The place that a copy has to itself.
pub(crate) fn own_place(number: u64) -> Place {
    Place { space: COPIES, prefix: Bytes::copy_from_slice(&number.to_be_bytes()) }
}

/// Notes in a batch that nothing is left of a copy that was to go.
pub(crate) fn note_cleared(batch: &mut Batch, number: u64) {
    batch.delete(CATALOG, key(CLEAR, number));
}

pub(super) fn key(kind: &[u8], number: u64) -> Vec<u8> {
    [kind, &number.to_be_bytes()].concat()
}

pub(super) fn encode_place(out: &mut Fields, place: &Place) {
    out.number("space", Some(place.space.0));
    out.0.insert("prefix".into(), Value::B(place.prefix.clone()));
}

pub(super) fn decode_place(record: &Item) -> Option<Place> {
    Some(Place { space: Space(number(record, "space")?), prefix: blob(record, "prefix")? })
}

/// Bytes; none if they are absent or something else.
pub(super) fn blob(record: &Item, name: &str) -> Option<Bytes> {
    if let Value::B(bytes) = record.get(name)? { Some(Bytes::copy_from_slice(bytes)) } else { None }
}

impl Word for Stage {
    const WORDS: &'static [(Stage, &'static str)] = &[
        (Stage::Gather, "GATHER"),
        (Stage::Copy, "COPY"),
        (Stage::Undo, "UNDO"),
        (Stage::Finish, "FINISH"),
        (Stage::Ready, "READY"),
    ];
}
