//! Backups: their definitions in memory and in the store. Knows not how they are made.

use std::sync::Arc;

use bytes::Bytes;
use item::{Stored, Value};
use op::{BackupKind, BackupStatus};
use storage::{Batch, Error};

use super::copies::{CLEAR, Figures, blob, decode_place, encode_place, key};
use super::fields::{Fields, map, number, text, word};
use super::words::Word;
use super::{CATALOG, Catalog, Changes, Task, record, write};
use crate::catalog::tasks::Clear;
use crate::place::Place;
use crate::schema::Table;

pub(super) const BACKUP: &[u8] = b"backup/";

/// A backup.
#[derive(Debug, Clone)]
pub(crate) struct Backup {
    pub(crate) arn: String,
    pub(crate) name: String,
    pub(crate) kind: BackupKind,
    pub(crate) status: BackupStatus,
    pub(crate) created_ms: u64,
    /// When it goes by itself.
    pub(crate) expiry_ms: Option<u64>,
    /// The table as it was.
    pub(crate) table: Arc<Table>,
    pub(crate) figures: Figures,
    /// Where the items lie. A whole space belongs to the backup alone.
    pub(crate) place: Place,
}

impl Catalog {
    /// All backups in the order of their ARNs: by table and time.
    pub(crate) fn backups(&self) -> Vec<Arc<Backup>> {
        self.backups.read().values().cloned().collect()
    }

    /// The backup of an ARN.
    pub(crate) fn backup(&self, arn: &str) -> Option<Arc<Backup>> {
        self.backups.read().get(arn).cloned()
    }

    /// Takes one in.
    pub(super) fn keep_backup(&self, backup: Backup) {
        self.tasks.due(backup.expiry_ms);
        self.backups.write().insert(backup.arn.clone(), Arc::new(backup));
    }
}

impl Changes<'_> {
    /// Takes a backup away. Its items go in the background.
    pub(crate) fn remove_backup(&mut self, backup: &Backup) -> Result<(), Error> {
        let number = backup.place.prefix.first_chunk().map(|number| u64::from_be_bytes(*number));
        write(self.store, |batch| {
            batch.delete(CATALOG, backup_key(&backup.arn));
            if let Some(number) = number {
                batch.put(CATALOG, key(CLEAR, number), Bytes::new());
            }
        })?;
        self.catalog.backups.write().remove(&backup.arn);
        self.catalog.tasks.push(match number {
            Some(number) => Task::Clear(Clear { number }),
            None => Task::Drop(backup.place.space),
        });
        Ok(())
    }
}

impl Backup {
    /// Notes it in a batch.
    pub(super) fn note(&self, batch: &mut Batch) {
        batch.put(CATALOG, backup_key(&self.arn), self.encode());
    }

    fn encode(&self) -> Bytes {
        let mut out = Fields::default();
        out.text("arn", &self.arn);
        out.text("name", &self.name);
        out.word("kind", self.kind);
        out.word("status", self.status);
        out.number("created_ms", Some(self.created_ms));
        out.number("expiry_ms", self.expiry_ms);
        out.0.insert("table".into(), Value::B(record::encode(&self.table)));
        out.number("items", Some(self.figures.items));
        out.number("bytes", Some(self.figures.bytes));
        out.map("place", Some(&self.place), encode_place);
        Stored::encode(&out.0).bytes().clone()
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Backup> {
        let record = Stored::from_bytes(Bytes::copy_from_slice(bytes)).decode()?;
        Some(Backup {
            arn: text(&record, "arn")?,
            name: text(&record, "name")?,
            kind: word(&record, "kind")?,
            status: word(&record, "status")?,
            created_ms: number(&record, "created_ms")?,
            expiry_ms: number(&record, "expiry_ms"),
            table: Arc::new(record::decode(&blob(&record, "table")?)?),
            figures: Figures { items: number(&record, "items")?, bytes: number(&record, "bytes")? },
            place: map(&record, "place", decode_place)??,
        })
    }
}

fn backup_key(arn: &str) -> Vec<u8> {
    [BACKUP, arn.as_bytes()].concat()
}

impl Word for BackupKind {
    const WORDS: &'static [(BackupKind, &'static str)] =
        &[(BackupKind::User, "USER"), (BackupKind::System, "SYSTEM"), (BackupKind::AwsBackup, "AWS_BACKUP")];
}

impl Word for BackupStatus {
    const WORDS: &'static [(BackupStatus, &'static str)] = &[
        (BackupStatus::Creating, "CREATING"),
        (BackupStatus::Deleted, "DELETED"),
        (BackupStatus::Available, "AVAILABLE"),
    ];
}
