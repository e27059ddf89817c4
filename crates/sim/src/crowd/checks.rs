//! Looks at what can be read as a whole, against the model.

use serde_json::json;

use super::Crowd;
use crate::history::proofs;
use crate::model::{Item, Model, Table};
use crate::steps::{accepted, any_table, tables};

impl Crowd {
    /// All tables with all their indexes, and all streams.
    pub(super) fn compare_everything(&mut self) -> Result<(), String> {
        let names: Vec<String> = self.world.model.tables.keys().cloned().collect();
        for name in names {
            self.look_at(&name)?;
        }
        Ok(())
    }

    pub(super) fn look_at_any_table(&mut self) -> Result<(), String> {
        if self.world.model.tables.is_empty() {
            return Ok(());
        }
        let name = any_table(&mut self.world);
        self.look_at(&name)
    }

    pub(super) fn look_at_streams(&mut self) -> Result<(), String> {
        if self.world.model.tables.is_empty() {
            return Ok(());
        }
        let name = any_table(&mut self.world);
        self.look_at_stream(&name)
    }

    fn look_at(&mut self, name: &str) -> Result<(), String> {
        tables::compare(&mut self.world, name)?;
        self.look_at_stream(name)
    }

    /// The stream of a table leads from what it was to what it is.
    fn look_at_stream(&mut self, name: &str) -> Result<(), String> {
        match self.tables.get(name).and_then(|about| about.stream.clone()) {
            Some(base) => proofs::replay(&mut self.world, name, base),
            None => Ok(()),
        }
    }

    /// Items whose time is over may be gone; when, only the database knows.
    pub(super) fn observe_expired(&mut self) -> Result<(), String> {
        for (name, key) in self.expired() {
            let is_latest = {
                let get = |model: &Model| model.tables.get(&name)?.get(&key).cloned();
                get(&self.world.model) == get(&self.ordered)
            };
            let request = json!({"TableName": name, "Key": key, "ConsistentRead": true});
            let (status, answer) = self.world.ask("GetItem", &request)?;
            accepted(status, &answer)?;
            if answer.get("Item").is_none() && is_latest {
                for model in [&mut self.world.model, &mut self.ordered] {
                    if let Some(table) = model.tables.get_mut(&name) {
                        table.delete(&key);
                    }
                }
            }
        }
        Ok(())
    }

    /// What can be read and has expired.
    fn expired(&self) -> Vec<(String, Item)> {
        let now = self.world.now_seconds();
        let tables = self.world.model.tables.iter();
        let expired = |(name, table): (&String, &Table)| {
            let keys = table.expired(now).into_iter();
            keys.map(|key| (name.clone(), key)).collect::<Vec<_>>()
        };
        tables.flat_map(expired).collect()
    }

    /// When there is nothing to do, what has expired is gone, and every table knows how many items it has.
    pub(super) fn look_at_rest(&mut self) -> Result<(), String> {
        let left = self.expired().into_iter().find(|(name, key)| !self.is_marked(name, key));
        if let Some((name, key)) = left {
            return Err(format!("{} of {name} has expired and is there", json!(key)));
        }
        if !self.effects.is_empty() {
            return Ok(());
        }
        let settled = |name: &&String| self.tables.get(*name).is_some_and(super::About::is_settled);
        let names: Vec<String> = self.world.model.tables.keys().filter(settled).cloned().collect();
        for name in names {
            self.look_at_counts(&name)?;
        }
        Ok(())
    }

    fn look_at_counts(&mut self, name: &str) -> Result<(), String> {
        let (status, answer) = self.world.ask("DescribeTable", &json!({"TableName": name}))?;
        accepted(status, &answer)?;
        let table = self.world.model.tables.get(name).ok_or("the model has no such table")?;
        tables::same_counts(table, &answer)
    }
}
