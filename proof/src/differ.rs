//! The same random requests to Larder and to dynoxide, answers compared. Neither is the truth: a difference is a question,
//! and `kinds.rs` answers each kind of them. One that nobody has answered is a problem.

mod judge;
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

use kinds::{Case, Kind};

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
    let mut both = Both::new(larder.wire(), peer.wire());
    for table in requests::tables() {
        both.larder.must("CreateTable", &table)?;
        both.peer.must("CreateTable", &table)?;
    }
    let mut chance = Chance::new(plan.seed, 3);
    let mut asked = 0;
    while asked < plan.requests && began.elapsed().as_secs() < plan.seconds_max {
        let (operation, request) = requests::any(&mut chance);
        both.compare(operation, &request)?;
        asked += 1;
    }
    let Both { found, unknown, parted, .. } = both;
    let total: u64 = found.values().sum();
    for (kind, count) in &found {
        eprintln!("differ: {count:>5} | {} | {}", kind.name(), kind.why());
    }
    let did = format!(
        "{asked} requests to both: {} answered alike to the letter, {total} differ in {} ways that are known, {} in others",
        asked - total - unknown.len() as u64,
        found.len(),
        unknown.len()
    );
    let missed = (asked < plan.requests)
        .then(|| format!("in {} s only {asked} of {} requests were asked", plan.seconds_max, plan.requests));
    let problems = [missed.into_iter().collect(), unknown, parted, larder.problems()].concat();
    Ok(Row { name: "differ", did, seconds: began.elapsed().as_secs(), problems })
}

/// The two servers.
struct Both {
    larder: Wire,
    peer: Wire,
    /// Differences of each kind that is known.
    found: BTreeMap<Kind, u64>,
    /// Differences of no such kind.
    unknown: Vec<String>,
    /// Items that became different though no answer was.
    parted: Vec<String>,
}

impl Both {
    fn new(larder: Wire, peer: Wire) -> Both {
        Both { larder, peer, found: BTreeMap::new(), unknown: Vec::new(), parted: Vec::new() }
    }

    /// Asks both, and finds the kind of the difference, if there is one.
    fn compare(&mut self, operation: &str, request: &Json) -> Result<(), String> {
        let before = self.before(request)?;
        let (ours, theirs) = self.ask(operation, request)?;
        let (mut sorted_ours, mut sorted_theirs) = (ours.clone(), theirs.clone());
        if matches!(operation, "Scan" | "BatchGetItem") {
            sort(&mut sorted_ours.body);
            sort(&mut sorted_theirs.body);
        }
        if is_alike(&sorted_ours, &sorted_theirs) {
            return Ok(());
        }
        let alone = self.alone(request, before.as_ref())?;
        let (before, alone) = (before.as_ref(), alone.as_slice());
        match kinds::kind(&Case { operation, request, ours: &ours, theirs: &theirs, before, alone }) {
            Some(kind) if ours.status < 500 => *self.found.entry(kind).or_default() += 1,
            _ => self.unknown.push(format!(
                "{operation} {request}\n  larder {} {}\n  peer   {} {}",
                ours.status, ours.body, theirs.status, theirs.body
            )),
        }
        self.agree(request)
    }

    fn ask(&mut self, operation: &str, request: &Json) -> Result<(Answer, Answer), String> {
        let told = |broken: crate::wire::Broken| format!("{operation} {request}: {broken}");
        let ours = self.larder.ask(operation, request).map_err(told)?;
        let theirs = self.peer.ask(operation, request).map_err(told)?;
        Ok((ours, theirs))
    }

    /// The item that a request is about, which both must have alike.
    fn before(&mut self, request: &Json) -> Result<Option<Json>, String> {
        let Some(key) = requests::key_of(request) else { return Ok(None) };
        let (ours, theirs) = self.ask("GetItem", &requests::get(&key))?;
        if !is_alike(&ours, &theirs) {
            self.parted.push(format!("the item {key}\n  larder {}\n  peer   {}", ours.body, theirs.body));
            self.agree(request)?;
        }
        Ok(ours.body.get("Item").cloned())
    }

    /// Brings the peer's item to what Larder has, so that one difference does not cause others.
    fn agree(&mut self, request: &Json) -> Result<(), String> {
        let keys = requests::key_of(request).map_or_else(requests::keys, |key| vec![key]);
        for key in keys {
            let item = self.larder.must("GetItem", &requests::get(&key))?;
            let (operation, request) = requests::restore(&key, item.get("Item"));
            self.peer.ask(operation, &request).map_err(|broken| broken.to_string())?;
        }
        Ok(())
    }

    /// What both say of each clause of an update alone, on an item apart that is like the one before.
    fn alone(&mut self, request: &Json, before: Option<&Json>) -> Result<Vec<(Answer, Answer)>, String> {
        let update = request.get("UpdateExpression").and_then(Json::as_str).unwrap_or_default();
        let mut answers = Vec::new();
        for clause in judge::clauses(update) {
            let (operation, made) = requests::restore(&requests::apart(), before);
            self.ask(operation, &made)?;
            answers.push(self.ask("UpdateItem", &requests::clause_alone(&clause, request))?);
        }
        let (operation, gone) = requests::restore(&requests::apart(), None);
        self.ask(operation, &gone)?;
        Ok(answers)
    }
}

/// Whether two answers are the same: also the texts of errors, to the letter.
fn is_alike(ours: &Answer, theirs: &Answer) -> bool {
    if ours.status != 200 || theirs.status != 200 {
        return (ours.status, ours.class(), ours.text()) == (theirs.status, theirs.class(), theirs.text());
    }
    plain(&ours.body) == plain(&theirs.body)
}

/// Sorts items: in which order several partitions are shown, every server decides alone.
fn sort(body: &mut Json) {
    let items = match body.pointer_mut("/Responses/items") {
        Some(items) => Some(items),
        None => body.get_mut("Items"),
    };
    if let Some(items) = items.and_then(Json::as_array_mut) {
        items.sort_by_key(|item| plain(item).to_string());
    }
}

/// An answer without the order of what has none.
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
