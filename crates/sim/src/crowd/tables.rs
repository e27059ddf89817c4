//! Changes of tables while their items are being written: made, deleted, indexed, streamed, restored.

use serde_json::{Value as Json, json};

use super::Crowd;
use super::states::{About, Busy};
use crate::model::Table;
use crate::steps::{TABLES, accepted, same, tables};

/// Expiry can be changed once in an hour.
const HOUR_SECONDS: i64 = 3600;
/// Moments of a table that are remembered.
const STATES_MAX: usize = 6;
/// Backups that are kept.
const BACKUPS_MAX: usize = 3;

impl Crowd {
    pub(super) fn change_tables(&mut self) -> Result<(), String> {
        let idle: Vec<String> =
            self.world.model.tables.keys().filter(|name| self.is_idle(name)).cloned().collect();
        if idle.is_empty() {
            return self.create_table();
        }
        let name = self.world.chance.pick(&idle).clone();
        match self.world.chance.below(20) {
            0..=1 => self.create_table(),
            2 => self.delete_table(&name),
            3..=5 => self.add_index(&name),
            6 => self.drop_index_of(&name),
            7..=8 => self.set_stream(&name),
            9..=10 => self.set_expiry(&name),
            11..=12 => self.set_recovery(&name),
            13..=15 => self.restore_a_moment(&name),
            16 => self.back_up(&name),
            17 => self.restore_a_backup(),
            _ => {
                self.world.note(b"a space will be refused");
                self.disk.refuse_space();
                Ok(())
            }
        }
    }

    fn is_idle(&self, name: &str) -> bool {
        self.tables.get(name).is_some_and(|about| about.busy.is_none())
    }

    /// Asks for a change of a table. It is made, or the store fails; then nobody knows.
    fn change(&mut self, operation: &str, request: &Json, name: &str, busy: Busy) -> Result<(), String> {
        let (status, answer) = self.world.ask(operation, request)?;
        self.catch_up();
        let adds = matches!(busy, Busy::Creating(_) | Busy::Restoring(_));
        if self.disk.is_full() && adds {
            return same("what is answered without room", &json!(503), &json!(status));
        }
        if status != 500 {
            accepted(status, &answer)?;
        }
        let about = self.tables.entry(name.to_string()).or_default();
        about.busy = Some(busy);
        about.in_doubt = status == 500;
        if status == 500 && self.disk.has_failed() { self.crash() } else { self.observe() }
    }

    pub(super) fn create_table(&mut self) -> Result<(), String> {
        let name = (*self.world.chance.pick(&TABLES)).to_string();
        if self.tables.contains_key(&name) {
            return Ok(());
        }
        let schema = tables::random_schema(&mut self.world);
        let request = tables::create_request(&name, &schema);
        self.change("CreateTable", &request, &name, Busy::Creating(Table::new(schema)))
    }

    pub(super) fn delete_table(&mut self, name: &str) -> Result<(), String> {
        self.change("DeleteTable", &json!({"TableName": name}), name, Busy::Deleting)
    }

    fn add_index(&mut self, name: &str) -> Result<(), String> {
        let index = tables::random_index(&mut self.world, "global", None);
        let mut schema = self.latest(name)?.schema.clone();
        let globals = schema.indexes.iter().filter(|index| !index.is_local).count();
        if globals >= tables::INDEXES_MAX || schema.indexes.iter().any(|other| other.name == index.name) {
            return Ok(());
        }
        let update = json!({"Create": tables::index_request(&index)});
        schema.indexes.push(index.clone());
        let request = json!({
            "TableName": name,
            "AttributeDefinitions": tables::definitions(&schema),
            "GlobalSecondaryIndexUpdates": [update],
        });
        self.change("UpdateTable", &request, name, Busy::Adding(index))
    }

    fn drop_index_of(&mut self, name: &str) -> Result<(), String> {
        let indexes = &self.latest(name)?.schema.indexes;
        let globals: Vec<_> = indexes.iter().filter(|index| !index.is_local).cloned().collect();
        if globals.is_empty() {
            return Ok(());
        }
        let index = self.world.chance.pick(&globals).clone();
        let update = json!({"Delete": {"IndexName": index.name}});
        let request = json!({"TableName": name, "GlobalSecondaryIndexUpdates": [update]});
        // From the moment it is asked nothing can be expected of reads through it.
        if let Some(table) = self.world.model.tables.get_mut(name) {
            table.schema.indexes.retain(|other| other.name != index.name);
        }
        self.change("UpdateTable", &request, name, Busy::Dropping(index))
    }

    fn set_stream(&mut self, name: &str) -> Result<(), String> {
        let stream = if self.about(name)?.stream.is_some() {
            json!({"StreamEnabled": false})
        } else {
            let view = *self.world.chance.pick(&["NEW_IMAGE", "NEW_AND_OLD_IMAGES"]);
            json!({"StreamEnabled": true, "StreamViewType": view})
        };
        let begins = stream.get("StreamEnabled") == Some(&json!(true));
        let base = self.latest(name)?.clone();
        let request = json!({"TableName": name, "StreamSpecification": stream});
        self.change("UpdateTable", &request, name, Busy::Streaming(begins.then_some(base)))
    }

    fn set_expiry(&mut self, name: &str) -> Result<(), String> {
        let enabled = !self.latest(name)?.expires;
        let specification = json!({"Enabled": enabled, "AttributeName": "ttl"});
        let request = json!({"TableName": name, "TimeToLiveSpecification": specification});
        let now_seconds = self.world.now_seconds();
        let about = self.about(name)?;
        if about.is_expiry_new(now_seconds) {
            return Ok(());
        }
        about.expiry_seconds = now_seconds;
        self.change("UpdateTimeToLive", &request, name, Busy::Expiring(enabled))
    }

    fn set_recovery(&mut self, name: &str) -> Result<(), String> {
        let enabled = self.about(name)?.recovery.is_none();
        if !enabled && !self.world.chance.one_in(4) {
            return Ok(());
        }
        let recovery = json!({"PointInTimeRecoveryEnabled": enabled});
        let request = json!({"TableName": name, "PointInTimeRecoverySpecification": recovery});
        self.change("UpdateContinuousBackups", &request, name, Busy::Recovering(enabled))
    }

    /// Remembers how tables are, to restore them. Only what is durable will always have been so, and a commit on its way
    /// may be one of background work: it belongs to a moment before this one, and nobody knows yet whether it will last.
    pub(super) fn remember(&mut self) -> Result<(), String> {
        let commits = if self.world.chance.one_in(2) { usize::MAX } else { 0 };
        self.deliver(commits)?;
        let is_settled = self.disk.ordered() == self.disk.durable();
        if !is_settled || self.world.now_ms() <= self.ambiguous_ms {
            return Ok(());
        }
        let moment = self.world.moment();
        for (name, about) in &mut self.tables {
            let (Some(states), Some(table)) = (&mut about.recovery, self.world.model.tables.get(name)) else {
                continue;
            };
            if states.len() >= STATES_MAX {
                states.swap_remove(self.world.chance.below(STATES_MAX));
            }
            states.push((moment, table.clone()));
        }
        Ok(())
    }

    fn restore_a_moment(&mut self, name: &str) -> Result<(), String> {
        let states = self.about(name)?.recovery.clone().unwrap_or_default();
        if states.is_empty() {
            return Ok(());
        }
        let (moment, mut state) = self.world.chance.pick(&states).clone();
        let latest = self.latest(name)?.clone();
        // Indexes are made as the table has them now.
        state.schema = latest.schema.clone();
        let mut request = json!({"SourceTableName": name, "RestoreDateTime": moment as f64 / 1000.0});
        // While the clock is behind, only the latest state can be told apart.
        if self.world.now_ms() <= self.ambiguous_ms || self.world.chance.one_in(4) {
            request = json!({"SourceTableName": name, "UseLatestRestorableTime": true});
            state = latest;
        }
        self.restore("RestoreTableToPointInTime", request, state)
    }

    fn restore(&mut self, operation: &str, mut request: Json, mut state: Table) -> Result<(), String> {
        let name = format!("restored-{}", self.names);
        self.names += 1;
        if let Some(request) = request.as_object_mut() {
            request.insert("TargetTableName".into(), json!(name));
        }
        state.expires = false;
        self.change(operation, &request, &name, Busy::Restoring(state))
    }

    fn back_up(&mut self, name: &str) -> Result<(), String> {
        let state = self.latest(name)?.clone();
        let (status, answer) =
            self.world.ask("CreateBackup", &json!({"TableName": name, "BackupName": "backup"}))?;
        self.catch_up();
        if self.disk.is_full() {
            return same("what is answered without room", &json!(503), &json!(status));
        }
        if status == 500 {
            return if self.disk.has_failed() { self.crash() } else { Ok(()) };
        }
        accepted(status, &answer)?;
        let arn = answer.pointer("/BackupDetails/BackupArn").and_then(Json::as_str).ok_or("no ARN")?;
        if self.backups.len() >= BACKUPS_MAX {
            self.backups.remove(0);
        }
        self.backups.push((arn.to_string(), state));
        Ok(())
    }

    /// All backups hold what they must.
    pub(super) fn restore_all_backups(&mut self) -> Result<(), String> {
        for (arn, state) in self.backups.clone() {
            self.restore_backup(arn, state)?;
            self.pass_a_while()?;
        }
        Ok(())
    }

    fn restore_a_backup(&mut self) -> Result<(), String> {
        if self.backups.is_empty() {
            return Ok(());
        }
        let (arn, state) = self.world.chance.pick(&self.backups).clone();
        self.restore_backup(arn, state)
    }

    fn restore_backup(&mut self, arn: String, state: Table) -> Result<(), String> {
        let (status, told) = self.world.ask("DescribeBackup", &json!({"BackupArn": arn}))?;
        accepted(status, &told)?;
        let status = told.pointer("/BackupDescription/BackupDetails/BackupStatus");
        let restores = |about: &About| matches!(about.busy, Some(Busy::Restoring(_)));
        if status != Some(&json!("AVAILABLE")) || self.tables.values().any(restores) {
            return Ok(());
        }
        self.restore("RestoreTableFromBackup", json!({"BackupArn": arn}), state)
    }
}

impl About {
    /// Whether expiry was set a short while ago; then the service may not take another change.
    fn is_expiry_new(&self, now_seconds: i64) -> bool {
        now_seconds < self.expiry_seconds + HOUR_SECONDS
    }

    /// Whether the table can be looked at as a whole.
    pub(super) fn is_settled(&self) -> bool {
        self.busy.is_none()
    }
}
