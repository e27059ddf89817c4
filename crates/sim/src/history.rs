//! The history of one table: it is written at random while the clock is turned, and the model remembers every state.
//! Then tables are restored to random moments and from backups, a stream is replayed, changes between two moments are
//! read, and all must be what the model remembers.

pub(crate) mod proofs;

use engine::LifeCycle;
use serde_json::{Value as Json, json};

use crate::Played;
use crate::model::Table;
use crate::steps::{accepted, items, tables, transactions};
use crate::world::{Place, World};

/// A stream can be read for a day, so the clock is not turned further in all. In thousands of seconds.
const DAY_THOUSANDS: u64 = 80;

/// A table with a past.
struct History {
    world: World,
    name: String,
    life_cycle: LifeCycle,
    /// Its states, and a moment at which it was so.
    states: Vec<(u64, Table)>,
    /// Backups by ARN, and what they must hold.
    backups: Vec<(String, Table)>,
    /// Restored tables that were not looked at yet.
    restored: Vec<(String, Table)>,
    /// How many tables were restored.
    restores: usize,
    /// How far the clock was turned.
    turned: u64,
}

/// Lives through a seed. A difference is told with the step, the request, and both answers.
pub fn live(seed: u64, steps: usize, place: Place) -> Result<Played, String> {
    let life_cycle = if seed.is_multiple_of(2) { LifeCycle::Immediate } else { LifeCycle::Realistic };
    let mut history = History {
        world: World::new(seed, place, life_cycle)?,
        name: String::new(),
        life_cycle,
        states: Vec::new(),
        backups: Vec::new(),
        restored: Vec::new(),
        restores: 0,
        turned: 0,
    };
    let told = |history: &History, when: String, difference: String| {
        format!("history {seed}, {when}: {difference}\n  asked: {}", history.world.asked)
    };
    if let Err(difference) = history.begin() {
        return Err(told(&history, "at the start".into(), difference));
    }
    for number in 0..steps {
        if let Err(difference) = history.step() {
            return Err(told(&history, format!("step {number}"), difference));
        }
    }
    if let Err(difference) = history.end() {
        return Err(told(&history, "at the end".into(), difference));
    }
    Ok(Played { steps, trace: history.world.trace })
}

impl History {
    /// Makes the table, with a stream and recovery from the first moment.
    fn begin(&mut self) -> Result<(), String> {
        tables::create(&mut self.world)?;
        self.name = self.world.model.tables.keys().next().ok_or("there is no table")?.clone();
        self.settle();
        let view = *self.world.chance.pick(&["NEW_IMAGE", "NEW_AND_OLD_IMAGES"]);
        let stream = json!({"StreamEnabled": true, "StreamViewType": view});
        self.ask("UpdateTable", json!({"TableName": self.name, "StreamSpecification": stream}))?;
        self.settle();
        let recovery = json!({"PointInTimeRecoveryEnabled": true});
        let request = json!({"TableName": self.name, "PointInTimeRecoverySpecification": recovery});
        self.ask("UpdateContinuousBackups", request)?;
        if self.world.chance.one_in(2) {
            let expiry = json!({"Enabled": true, "AttributeName": "ttl"});
            let request = json!({"TableName": self.name, "TimeToLiveSpecification": expiry});
            self.ask("UpdateTimeToLive", request)?;
            let name = self.name.clone();
            self.world.model.tables.get_mut(&name).ok_or("there is no table")?.expires = true;
        }
        self.settle();
        self.remember()
    }

    fn step(&mut self) -> Result<(), String> {
        let world = &mut self.world;
        match world.chance.below(100) {
            0..=27 => items::put(world),
            28..=41 => items::update(world),
            42..=53 => items::delete(world),
            54..=63 => items::batch_write(world),
            64..=77 => transactions::write(world),
            78..=83 => {
                self.turn();
                Ok(())
            }
            84..=86 => world.restart(),
            87..=90 => self.restore_a_moment(),
            91..=92 => self.back_up(),
            93..=94 => self.restore_a_backup(),
            95..=97 => {
                let steps = world.chance.below(4);
                world.work_a_little(steps);
                Ok(())
            }
            _ => self.look_at_restored(),
        }?;
        self.remember()
    }

    /// Proves everything that can be proved of what was.
    fn end(&mut self) -> Result<(), String> {
        self.look_at_restored()?;
        let name = self.name.clone();
        tables::compare(&mut self.world, &name)?;
        for _ in 0..2 {
            self.restore_a_moment()?;
        }
        self.restore_a_backup()?;
        self.restore_latest()?;
        self.look_at_restored()?;
        let nothing = Table::new(self.now()?.schema);
        proofs::replay(&mut self.world, &name, nothing)?;
        self.compare_changes()?;
        if self.world.chance.one_in(3) { self.delete_and_restore() } else { Ok(()) }
    }

    /// Asks for something that must be granted.
    fn ask(&mut self, operation: &str, request: Json) -> Result<Json, String> {
        let (status, answer) = self.world.ask(operation, &request)?;
        accepted(status, &answer)?;
        Ok(answer)
    }

    /// The table as it is in the model.
    fn now(&self) -> Result<Table, String> {
        self.world.model.tables.get(&self.name).cloned().ok_or_else(|| "there is no table".into())
    }

    fn remember(&mut self) -> Result<(), String> {
        let moment = self.world.moment();
        self.states.push((moment, self.now()?));
        Ok(())
    }

    /// Turns the clock on, and what is due by then is done.
    fn turn(&mut self) {
        let thousands = (self.world.chance.below(8) as u64).min(DAY_THOUSANDS.saturating_sub(self.turned));
        self.turned += thousands;
        self.world.advance(thousands);
        self.world.work();
    }

    /// Everything that takes its time is over.
    fn settle(&mut self) {
        self.world.work();
        if self.life_cycle == LifeCycle::Realistic {
            self.world.advance(1);
            self.turned += 1;
            self.world.work();
        }
    }

    /// Begins to restore the table as it was at one of its moments. It may go on for a while.
    fn restore_a_moment(&mut self) -> Result<(), String> {
        let place = self.world.chance.below(self.states.len());
        let (moment, state) = self.states.get(place).cloned().ok_or("there is no state")?;
        let time = json!(moment as f64 / 1000.0);
        self.restore(
            "RestoreTableToPointInTime",
            json!({"SourceTableName": self.name, "RestoreDateTime": time}),
            state,
        )
    }

    fn restore_latest(&mut self) -> Result<(), String> {
        let request = json!({"SourceTableName": self.name, "UseLatestRestorableTime": true});
        let state = self.now()?;
        self.restore("RestoreTableToPointInTime", request, state)
    }

    fn back_up(&mut self) -> Result<(), String> {
        let state = self.now()?;
        let answer = self.ask("CreateBackup", json!({"TableName": self.name, "BackupName": "backup"}))?;
        let arn = answer.pointer("/BackupDetails/BackupArn").and_then(Json::as_str).ok_or("no ARN")?;
        self.backups.push((arn.to_string(), state));
        Ok(())
    }

    fn restore_a_backup(&mut self) -> Result<(), String> {
        if self.backups.is_empty() {
            return Ok(());
        }
        let (arn, state) = self.world.chance.pick(&self.backups).clone();
        // A backup that is still being made cannot be restored.
        self.world.work();
        self.restore("RestoreTableFromBackup", json!({"BackupArn": arn}), state)
    }

    fn restore(&mut self, operation: &str, mut request: Json, mut state: Table) -> Result<(), String> {
        let name = format!("restored-{}", self.restores);
        self.restores += 1;
        if let Some(request) = request.as_object_mut() {
            request.insert("TargetTableName".into(), json!(name));
        }
        self.ask(operation, request)?;
        state.expires = false;
        self.restored.push((name, state));
        Ok(())
    }

    /// What was restored is what was, with its indexes and its figures.
    fn look_at_restored(&mut self) -> Result<(), String> {
        self.settle();
        for (name, state) in std::mem::take(&mut self.restored) {
            proofs::figures(&mut self.world, &name, &state)?;
            self.world.model.tables.insert(name.clone(), state);
            let same = tables::compare(&mut self.world, &name);
            self.world.model.tables.remove(&name);
            same.map_err(|difference| format!("{name}: {difference}"))?;
            self.ask("DeleteTable", json!({"TableName": name}))?;
        }
        Ok(())
    }

    /// The changes between two moments lead from the one state to the other.
    fn compare_changes(&mut self) -> Result<(), String> {
        let (one, other) =
            (self.world.chance.below(self.states.len()), self.world.chance.below(self.states.len()));
        let from = self.states.get(one.min(other)).cloned().ok_or("there is no state")?;
        let to = self.states.get(one.max(other)).cloned().ok_or("there is no state")?;
        proofs::changes(&mut self.world, &self.name, from, to)
    }

    /// A deleted table comes back from the backup it leaves.
    fn delete_and_restore(&mut self) -> Result<(), String> {
        let state = self.now()?;
        self.ask("DeleteTable", json!({"TableName": self.name}))?;
        self.world.model.tables.remove(&self.name);
        self.settle();
        self.world.restart()?;
        let listed = self.ask("ListBackups", json!({"BackupType": "SYSTEM", "TableName": self.name}))?;
        let arn = listed.pointer("/BackupSummaries/0/BackupArn").and_then(Json::as_str).ok_or("no backup")?;
        let arn = arn.to_string();
        self.restore("RestoreTableFromBackup", json!({"BackupArn": arn}), state)?;
        self.look_at_restored()
    }
}
