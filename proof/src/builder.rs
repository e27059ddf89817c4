//! The one who changes tables while the others write: makes and deletes tables, adds an index that must be filled and
//! drops it again, and restores a backup. What it was promised is looked at after each crash.

use serde_json::{Value as Json, json};
use std::collections::VecDeque;

use crate::books;
use crate::chance::Chance;
use crate::wire::Wire;

/// A table that never changes, from which an index is filled and a copy restored.
const ARCHIVE: &str = "archive";
const ARCHIVED: usize = 1500;
/// A data folder has room for a thousand tables; on a fast machine that would be reached.
const LEFT_MAX: usize = 100;

/// What goes on while the others write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Items,
    /// An index is filled.
    Filling,
    /// A backup is restored.
    Restoring,
    /// Tables come and go.
    Tables,
}

/// What it did and what it must find.
pub(crate) struct Builder {
    /// The backup that is restored.
    backup: Json,
    /// Names are used once.
    count: u64,
    /// Tables that were asked for since they were forgotten: the life of each, with moments.
    tables: Vec<(String, Vec<(Life, u64)>)>,
    /// Those of them that were left as they are, by their places, the oldest first.
    left: VecDeque<usize>,
    /// Tables that were restored: when that was asked for, and when it was acknowledged.
    restored: Vec<(String, u64, Option<u64>)>,
}

/// How far a table's life was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Life {
    Asked,
    Created,
    Filled,
    DeletionAsked,
    Deleted,
}

impl Stage {
    /// How it is told beside a point.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Stage::Items => "",
            Stage::Filling => " during a backfill",
            Stage::Restoring => " during a restore",
            Stage::Tables => " while tables come and go",
        }
    }
}

impl Builder {
    pub(crate) fn new(wire: &mut Wire) -> Result<Builder, String> {
        wire.must("CreateTable", &table(ARCHIVE))?;
        for chunk in (0..ARCHIVED).collect::<Vec<_>>().chunks(25) {
            let puts: Vec<Json> =
                chunk.iter().map(|number| json!({"PutRequest": {"Item": archived(*number)}})).collect();
            wire.must("BatchWriteItem", &json!({"RequestItems": {ARCHIVE: puts}}))?;
        }
        let answer = wire.must("CreateBackup", &json!({"TableName": ARCHIVE, "BackupName": "proof"}))?;
        let backup = answer.pointer("/BackupDetails/BackupArn").cloned().ok_or("the backup has no name")?;
        Ok(Builder { backup, count: 0, tables: Vec::new(), left: VecDeque::new(), restored: Vec::new() })
    }

    /// How many indexes are half filled and how many copies half made, right after a start.
    pub(crate) fn interrupted(&self, wire: &mut Wire) -> Result<(u64, u64), String> {
        let mut describe = |name: &str| {
            let described = wire.ask("DescribeTable", &json!({"TableName": name}));
            described.map(|answer| answer.body).map_err(|broken| broken.to_string())
        };
        let archive = describe(ARCHIVE)?;
        let state = archive.pointer("/Table/GlobalSecondaryIndexes/0/IndexStatus");
        let fills = u64::from(state == Some(&json!("CREATING")));
        let mut copies = 0;
        for (name, ..) in &self.restored {
            copies += u64::from(describe(name)?.pointer("/Table/TableStatus") == Some(&json!("CREATING")));
        }
        Ok((fills, copies))
    }

    /// Works until the server is gone.
    pub(crate) fn run(
        &mut self,
        stage: Stage,
        port: u16,
        mut chance: Chance,
        moment: &(dyn Fn() -> u64 + Sync),
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), String> {
        let mut wire = Wire::new(port);
        while goes_on() {
            let went = match stage {
                Stage::Items => return Ok(()),
                Stage::Filling => fill(&mut wire),
                Stage::Restoring => self.restore(&mut wire, moment),
                Stage::Tables => self.live(&mut wire, &mut chance, moment),
            };
            if went? == Went::Gone {
                break;
            }
        }
        Ok(())
    }

    fn restore(&mut self, wire: &mut Wire, moment: &dyn Fn() -> u64) -> Result<Went, String> {
        self.count += 1;
        let name = format!("restored-{}", self.count);
        let request = json!({"BackupArn": self.backup, "TargetTableName": name});
        self.restored.push((name, moment(), None));
        let went = ask(wire, "RestoreTableFromBackup", &request)?;
        if let (Went::On, Some((_, _, acknowledged))) = (went, self.restored.last_mut()) {
            *acknowledged = Some(moment());
        }
        Ok(went)
    }

    fn live(
        &mut self,
        wire: &mut Wire,
        chance: &mut Chance,
        moment: &dyn Fn() -> u64,
    ) -> Result<Went, String> {
        self.count += 1;
        let name = format!("passing-{}", self.count);
        let place = self.tables.len();
        self.tables.push((name.clone(), Vec::new()));
        let item = json!({"TableName": name, "Item": archived(1)});
        let steps = [
            ("CreateTable", table(&name), Life::Asked, Life::Created),
            ("PutItem", item, Life::Created, Life::Filled),
        ];
        for (operation, request, before, after) in &steps {
            self.note_life(place, *before, moment());
            if ask(wire, operation, request)? == Went::Gone {
                return Ok(Went::Gone);
            }
            self.note_life(place, *after, moment());
        }
        // Some stay until files are written of them.
        let ending = if chance.one_in(4) {
            self.left.push_back(place);
            if self.left.len() > LEFT_MAX { self.left.pop_front() } else { None }
        } else {
            Some(place)
        };
        if let Some(place) = ending {
            let name = self.tables.get(place).map(|(name, _)| name.clone());
            self.note_life(place, Life::DeletionAsked, moment());
            if ask(wire, "DeleteTable", &json!({"TableName": name}))? == Went::Gone {
                return Ok(Went::Gone);
            }
            self.note_life(place, Life::Deleted, moment());
        }
        Ok(Went::On)
    }

    fn note_life(&mut self, place: usize, life: Life, moment: u64) {
        if let Some((_, lives)) = self.tables.get_mut(place) {
            lives.push((life, moment));
        }
    }

    /// Deletes what it has made and forgets it, after a look.
    pub(crate) fn clear(&mut self, wire: &mut Wire) -> Result<(), String> {
        self.left.clear();
        let tables = std::mem::take(&mut self.tables).into_iter().map(|(name, _)| name);
        for name in tables.chain(std::mem::take(&mut self.restored).into_iter().map(|(name, _, _)| name)) {
            let known = wire.ask("DescribeTable", &json!({"TableName": name}));
            if known.map_err(|broken| broken.to_string())?.status == 200 {
                wire.must("DeleteTable", &json!({"TableName": name}))?;
            }
        }
        Ok(())
    }

    /// Looks at everything it was promised up to a moment.
    pub(crate) fn verify(
        &self,
        wire: &mut Wire,
        moment: u64,
        problems: &mut Vec<String>,
    ) -> Result<u64, String> {
        let mut compared = 0;
        for (name, lives) in &self.tables {
            let Some((life, _)) = lives.iter().rev().find(|(_, at)| *at <= moment) else { continue };
            compared += 1;
            let answer =
                wire.ask("Scan", &json!({"TableName": name})).map_err(|broken| broken.to_string())?;
            let items = answer.body.get("Count").and_then(Json::as_u64);
            let fits = match *life {
                Life::Asked => answer.status != 200 || items == Some(0),
                Life::Created => answer.status == 200,
                Life::Filled => items == Some(1),
                Life::DeletionAsked => answer.status != 200 || items == Some(1),
                Life::Deleted => answer.status != 200,
            };
            if !fits {
                problems.push(format!("table {name} was {life:?} and answers {}", answer.body));
            }
        }
        Ok(compared + self.verify_archive(wire, moment, problems)?)
    }

    fn verify_archive(
        &self,
        wire: &mut Wire,
        moment: u64,
        problems: &mut Vec<String>,
    ) -> Result<u64, String> {
        let mut compared = 0;
        let due = || (0..ARCHIVED).map(archived);
        for index in books::settle(wire, ARCHIVE)? {
            let name = index.get("IndexName").cloned().unwrap_or_default();
            let entries = books::pages(wire, &json!({"TableName": ARCHIVE, "IndexName": name}))?;
            compared += entries.len() as u64;
            let told = books::difference(due(), entries);
            problems.extend(told.map(|told| format!("index {name} was filled with {told}")));
        }
        for (name, _, acknowledged) in self.restored.iter().filter(|(_, at, _)| *at <= moment) {
            let known = wire
                .ask("DescribeTable", &json!({"TableName": name}))
                .map_err(|broken| broken.to_string())?;
            if known.status != 200 {
                if acknowledged.is_some_and(|at| at <= moment) {
                    problems.push(format!("the restore of {name} was acknowledged, and it is not there"));
                }
                continue;
            }
            books::settle(wire, name)?;
            let items = books::pages(wire, &json!({"TableName": name}))?;
            compared += items.len() as u64;
            let told = books::difference(due(), items);
            problems.extend(told.map(|told| format!("{name} was restored with {told}")));
        }
        Ok(compared)
    }
}

/// Whether the server is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Went {
    On,
    Gone,
}

/// Adds the index, or drops it when it is there and whole.
fn fill(wire: &mut Wire) -> Result<Went, String> {
    let described = wire.ask("DescribeTable", &json!({"TableName": ARCHIVE}));
    let Ok(described) = described else { return Ok(Went::Gone) };
    let state = described.body.pointer("/Table/GlobalSecondaryIndexes/0/IndexStatus").and_then(Json::as_str);
    let change = match state {
        None => json!({"Create": {"IndexName": "by_state", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "state", "KeyType": "HASH"}]}}),
        Some("ACTIVE") => json!({"Delete": {"IndexName": "by_state"}}),
        Some(_) => return Ok(Went::On),
    };
    let request = json!({"TableName": ARCHIVE, "GlobalSecondaryIndexUpdates": [change],
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "state", "AttributeType": "S"}]});
    ask(wire, "UpdateTable", &request)
}

fn ask(wire: &mut Wire, operation: &str, request: &Json) -> Result<Went, String> {
    match wire.ask(operation, request) {
        Ok(answer) if answer.status == 200 => Ok(Went::On),
        Ok(answer) => Err(format!("{operation} was answered {} {}", answer.status, answer.body)),
        Err(_) => Ok(Went::Gone),
    }
}

fn table(name: &str) -> Json {
    json!({"TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]})
}

fn archived(number: usize) -> Json {
    json!({"pk": {"S": format!("a{number}")}, "state": {"S": format!("s{}", number % 9)},
        "padding": {"S": "y".repeat(80 + number % 200)}})
}
