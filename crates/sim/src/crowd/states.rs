//! What is known of tables beside their items: changes that take their time, and changes whose answer was lost, of which
//! only the database can tell whether they were made. Both outcomes are right then, and nothing between.

use serde_json::{Value as Json, json};

use super::Crowd;
use crate::history::proofs;
use crate::model::{Index, Table};
use crate::steps::{accepted, tables};

/// What is known of a table.
#[derive(Default)]
pub(super) struct About {
    /// The table as it was when its stream began, if it has one.
    pub(super) stream: Option<Table>,
    /// Moments and how the table was then, if it can be restored to them.
    pub(super) recovery: Option<Vec<(u64, Table)>>,
    /// When expiry was last set, in seconds.
    pub(super) expiry_seconds: i64,
    pub(super) busy: Option<Busy>,
    /// Whether the answer to the change was a fault, so that it may have been made or not.
    pub(super) in_doubt: bool,
}

/// A change that is being made.
#[derive(Clone)]
pub(super) enum Busy {
    Creating(Table),
    Deleting,
    Adding(Index),
    Dropping(Index),
    /// The stream begins when the table is like this, or ends.
    Streaming(Option<Table>),
    Recovering(bool),
    Expiring(bool),
    /// The table is restored and must be like this.
    Restoring(Table),
}

impl Crowd {
    /// Looks how far all changes are.
    pub(super) fn observe(&mut self) -> Result<(), String> {
        let names: Vec<String> = self.tables.keys().cloned().collect();
        for name in names {
            let Some(busy) = self.tables.get(&name).and_then(|about| about.busy.clone()) else { continue };
            let (status, answer) = self.world.ask("DescribeTable", &json!({"TableName": name}))?;
            let table = match status {
                200 => answer.get("Table").cloned(),
                400 => None,
                _ => return Err(format!("{name} cannot be described: {answer}")),
            };
            self.observe_one(&name, busy, table.as_ref())
                .map_err(|difference| format!("{difference}\n  {name} is {answer}"))?;
        }
        Ok(())
    }

    fn observe_one(&mut self, name: &str, busy: Busy, told: Option<&Json>) -> Result<(), String> {
        let is_active = told.is_some_and(|told| told.get("TableStatus") == Some(&json!("ACTIVE")));
        match (busy, told) {
            (Busy::Creating(_) | Busy::Restoring(_), None) => {
                self.must_be_in_doubt(name, "a table that was made is not there")?;
                self.tables.remove(name);
                Ok(())
            }
            (Busy::Creating(table), Some(_)) => {
                if is_active {
                    self.world.model.tables.insert(name.into(), table.clone());
                    self.ordered.tables.insert(name.into(), table);
                }
                self.go_on(name, is_active)
            }
            (Busy::Restoring(state), Some(_)) => {
                self.go_on(name, is_active)?;
                if is_active { self.look_at_restored(name, state) } else { Ok(()) }
            }
            (Busy::Deleting, Some(_)) if is_active => {
                self.must_be_in_doubt(name, "a table that was deleted is there")?;
                self.go_on(name, true)
            }
            (Busy::Deleting, told) => {
                self.world.model.tables.remove(name);
                self.ordered.tables.remove(name);
                self.forget_sent_to(name);
                if told.is_none() {
                    self.tables.remove(name);
                    return Ok(());
                }
                self.go_on(name, false)
            }
            (_, None) => Err("a table is gone that nobody deleted".into()),
            (Busy::Adding(index), Some(told)) => self.observe_added(name, index, told, is_active),
            (Busy::Dropping(index), Some(told)) => self.observe_dropped(name, index, told),
            (Busy::Streaming(base), Some(told)) => {
                let streams = told.pointer("/StreamSpecification/StreamEnabled") == Some(&json!(true));
                if streams == base.is_some() {
                    let known = &mut self.about(name)?.stream;
                    *known = base.map(|base| known.take().unwrap_or(base));
                } else {
                    self.must_be_in_doubt(name, "the stream is not as it was set")?;
                }
                self.go_on(name, is_active)
            }
            (Busy::Recovering(enabled), Some(_)) => self.observe_recovery(name, enabled),
            (Busy::Expiring(enabled), Some(_)) => self.observe_expiry(name, enabled),
        }
    }

    fn observe_added(
        &mut self,
        name: &str,
        index: Index,
        told: &Json,
        is_active: bool,
    ) -> Result<(), String> {
        match index_status(told, &index.name) {
            None => {
                self.must_be_in_doubt(name, "an index that was made is not there")?;
                self.drop_index(name, &index);
                self.go_on(name, true)
            }
            Some(status) => {
                let is_ready = status == "ACTIVE" && is_active;
                add_index(self.ordered.tables.get_mut(name), &index);
                if is_ready {
                    add_index(self.world.model.tables.get_mut(name), &index);
                }
                self.go_on(name, is_ready)
            }
        }
    }

    fn observe_dropped(&mut self, name: &str, index: Index, told: &Json) -> Result<(), String> {
        match index_status(told, &index.name).as_deref() {
            None => {
                self.drop_index(name, &index);
                self.go_on(name, true)
            }
            Some("ACTIVE") => {
                self.must_be_in_doubt(name, "an index that was dropped is there")?;
                add_index(self.ordered.tables.get_mut(name), &index);
                add_index(self.world.model.tables.get_mut(name), &index);
                self.go_on(name, true)
            }
            Some(_) => {
                add_index(self.ordered.tables.get_mut(name), &index);
                self.go_on(name, false)
            }
        }
    }

    fn observe_recovery(&mut self, name: &str, enabled: bool) -> Result<(), String> {
        let (status, told) = self.world.ask("DescribeContinuousBackups", &json!({"TableName": name}))?;
        accepted(status, &told)?;
        let path = "/ContinuousBackupsDescription/PointInTimeRecoveryDescription/PointInTimeRecoveryStatus";
        if (told.pointer(path) == Some(&json!("ENABLED"))) == enabled {
            self.about(name)?.recovery = enabled.then(Vec::new);
        } else {
            self.must_be_in_doubt(name, "recovery is not as it was set")?;
        }
        self.go_on(name, true)
    }

    fn observe_expiry(&mut self, name: &str, enabled: bool) -> Result<(), String> {
        let (status, told) = self.world.ask("DescribeTimeToLive", &json!({"TableName": name}))?;
        accepted(status, &told)?;
        let status = told.pointer("/TimeToLiveDescription/TimeToLiveStatus").and_then(Json::as_str);
        let expires = matches!(status, Some("ENABLED" | "ENABLING"));
        if expires != enabled {
            self.must_be_in_doubt(name, "expiry is not as it was set")?;
        }
        for model in [&mut self.world.model, &mut self.ordered] {
            if let Some(table) = model.tables.get_mut(name) {
                table.expires = expires;
            }
        }
        self.go_on(name, true)
    }

    /// A restored table is what it must be; then it goes.
    fn look_at_restored(&mut self, name: &str, state: Table) -> Result<(), String> {
        // After a new start items are counted in the background.
        if self.is_counted {
            proofs::figures(&mut self.world, name, &state)?;
        }
        self.world.model.tables.insert(name.into(), state);
        let same = tables::compare(&mut self.world, name);
        self.world.model.tables.remove(name);
        same.map_err(|difference| format!("{name}: {difference}"))?;
        self.delete_table(name)
    }

    /// The change is told: it cannot be undone any more. It may be complete.
    fn go_on(&mut self, name: &str, is_complete: bool) -> Result<(), String> {
        let about = self.about(name)?;
        about.in_doubt = false;
        if is_complete {
            about.busy = None;
        }
        Ok(())
    }

    fn must_be_in_doubt(&mut self, name: &str, difference: &str) -> Result<(), String> {
        if self.about(name)?.in_doubt { Ok(()) } else { Err(difference.to_string()) }
    }

    fn drop_index(&mut self, name: &str, index: &Index) {
        for model in [&mut self.world.model, &mut self.ordered] {
            if let Some(table) = model.tables.get_mut(name) {
                table.schema.indexes.retain(|other| other.name != index.name);
            }
        }
    }

    pub(super) fn about(&mut self, name: &str) -> Result<&mut About, String> {
        self.tables.get_mut(name).ok_or_else(|| format!("nothing is known of {name}"))
    }
}

fn add_index(table: Option<&mut Table>, index: &Index) {
    if let Some(table) = table
        && !table.schema.indexes.iter().any(|other| other.name == index.name)
    {
        table.schema.indexes.push(index.clone());
    }
}

fn index_status(table: &Json, name: &str) -> Option<String> {
    let indexes = table.get("GlobalSecondaryIndexes").and_then(Json::as_array)?;
    let found = indexes.iter().find(|index| index.get("IndexName") == Some(&json!(name)))?;
    Some(found.get("IndexStatus")?.as_str()?.to_string())
}
