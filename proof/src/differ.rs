//! The same random requests to Larder and to dynoxide, answers compared. Neither is the truth: a difference is a question,
//! and `kinds.rs` answers each kind of them. One that nobody has answered is a problem.

mod kinds;
mod requests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Map, Value as Json, json};

use crate::chance::Chance;
use crate::report::Row;
use crate::server::{Folder, Server, free_port};
use crate::wire::{Answer, Wire};

use kinds::Kind;

/// What is asked, and of whom.
pub(crate) struct Plan {
    pub(crate) requests: u64,
    pub(crate) seed: u64,
    pub(crate) peer: PathBuf,
    /// No request is sent later.
    pub(crate) seconds_max: u64,
}

/// Asks both and compares. Answers that are a fault of ours, and differences of no known kind, are problems.
pub(crate) fn run(larder: &Path, plan: &Plan) -> Result<Row, String> {
    let began = Instant::now();
    if !plan.peer.exists() {
        let did = format!("skipped: there is no {}; bench/run installs it", plan.peer.display());
        return Ok(Row { name: "differ", did, seconds: 0, problems: Vec::new() });
    }
    let folder = Folder::new("differ")?;
    let ports = [free_port()?, free_port()?];
    let [ours, theirs] = ports.map(|port| port.to_string());
    let mut larder = Server::new(
        larder,
        &["serve", "--in-memory", "--port", &ours],
        folder.path().join("larder.log"),
        ports[0],
    );
    let mut peer =
        Server::new(&plan.peer, &["serve", "--port", &theirs], folder.path().join("peer.log"), ports[1]);
    larder.start()?;
    peer.start()?;
    let mut both = Both { larder: larder.wire(), peer: peer.wire() };
    for table in requests::tables() {
        both.larder.must("CreateTable", &table)?;
        both.peer.must("CreateTable", &table)?;
    }
    let mut chance = Chance::new(plan.seed, 3);
    let mut found: BTreeMap<Kind, u64> = BTreeMap::new();
    let mut problems = Vec::new();
    let mut asked = 0;
    while asked < plan.requests && began.elapsed().as_secs() < plan.seconds_max {
        let (operation, request) = requests::any(&mut chance);
        let (ours, theirs) = both.ask(operation, &request)?;
        asked += 1;
        if is_alike(&ours, &theirs) {
            continue;
        }
        match kinds::kind(operation, &request, &ours, &theirs) {
            Some(kind) if ours.status < 500 => *found.entry(kind).or_default() += 1,
            _ => problems.push(format!(
                "{operation} {request}\n  larder {} {}\n  peer   {} {}",
                ours.status, ours.body, theirs.status, theirs.body
            )),
        }
        both.agree(&request)?;
    }
    let total: u64 = found.values().sum();
    for (kind, count) in &found {
        let (name, why) = kind.told();
        eprintln!("differ: {count:>5} | {name} | {why}");
    }
    Ok(Row {
        name: "differ",
        did: format!(
            "{asked} requests to both: {} answered alike to the letter, {total} differ in {} ways that are known, {} \
             in others",
            asked - total - problems.len() as u64,
            found.len(),
            problems.len()
        ),
        seconds: began.elapsed().as_secs(),
        problems,
    })
}

/// The two servers.
struct Both {
    larder: Wire,
    peer: Wire,
}

impl Both {
    fn ask(&mut self, operation: &str, request: &Json) -> Result<(Answer, Answer), String> {
        let told = |broken: crate::wire::Broken| format!("{operation} {request}: {broken}");
        let ours = self.larder.ask(operation, request).map_err(told)?;
        let theirs = self.peer.ask(operation, request).map_err(told)?;
        Ok((ours, theirs))
    }

    /// Brings the peer's item to what Larder has, so that one difference does not cause others.
    fn agree(&mut self, request: &Json) -> Result<(), String> {
        let Some(key) = requests::key_of(request) else { return Ok(()) };
        let table = request.get("TableName").cloned().unwrap_or_default();
        let item = self.larder.must("GetItem", &json!({"TableName": table, "Key": key}))?;
        let outcome = match item.get("Item") {
            Some(item) => self.peer.ask("PutItem", &json!({"TableName": table, "Item": item})),
            None => self.peer.ask("DeleteItem", &json!({"TableName": table, "Key": key})),
        };
        outcome.map(drop).map_err(|broken| broken.to_string())
    }
}

/// Whether two answers are the same: also the texts of errors, to the letter.
fn is_alike(ours: &Answer, theirs: &Answer) -> bool {
    if ours.status != 200 || theirs.status != 200 {
        return (ours.status, ours.class(), ours.text()) == (theirs.status, theirs.class(), theirs.text());
    }
    plain(&ours.body) == plain(&theirs.body)
}

/// An answer without what has no order, and with numbers as numbers.
fn plain(body: &Json) -> Json {
    match body {
        Json::Object(members) => {
            let mut plain_members = Map::new();
            for (name, value) in members {
                let value = match (name.as_str(), value) {
                    ("SS" | "BS" | "NS", Json::Array(values)) => {
                        let mut values: Vec<String> = values.iter().map(Json::to_string).collect();
                        values.sort();
                        json!(values)
                    }
                    ("Items", Json::Array(items)) => Json::Array(items.iter().map(plain).collect()),
                    _ => plain(value),
                };
                plain_members.insert(name.clone(), value);
            }
            Json::Object(plain_members)
        }
        Json::Array(values) => Json::Array(values.iter().map(plain).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => body.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: Json) -> Answer {
        Answer { status, body }
    }

    #[test]
    fn sets_have_no_order_and_lists_have() {
        let of = |kind: &str, values: [&str; 2]| answer(200, json!({"Item": {"a": {kind: values}}}));
        assert!(is_alike(&of("SS", ["x", "y"]), &of("SS", ["y", "x"])));
        assert!(!is_alike(&of("L", ["x", "y"]), &of("L", ["y", "x"])));
    }

    #[test]
    fn a_refusal_of_one_side_is_a_difference() {
        let refused = |text: &str| answer(400, json!({"__type": "x#ValidationException", "message": text}));
        assert!(!is_alike(&answer(200, json!({})), &refused("no")));
        assert!(is_alike(&refused("no"), &refused("no")));
        assert!(!is_alike(&refused("no"), &refused("never")));
    }
}
