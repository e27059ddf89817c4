//! The same random requests to Larder and to dynoxide, answers compared. Neither is the truth: a difference is a question,
//! and `docs/reliability.md` answers each kind of them.

mod requests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Map, Value as Json, json};

use crate::chance::Chance;
use crate::report::Row;
use crate::server::{Folder, Server, free_port};
use crate::wire::{Answer, Wire};

/// What is asked, and of whom.
pub(crate) struct Plan {
    pub(crate) requests: u64,
    pub(crate) seed: u64,
    pub(crate) peer: PathBuf,
    /// No request is sent later.
    pub(crate) seconds_max: u64,
}

/// One kind of difference: how often, and one that shows it.
struct Difference {
    count: u64,
    example: String,
}

/// Asks both and compares. Differences are told on the standard error; answers that are a fault of ours are problems.
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
    let mut found: BTreeMap<String, Difference> = BTreeMap::new();
    let mut problems = Vec::new();
    let mut asked = 0;
    while asked < plan.requests && began.elapsed().as_secs() < plan.seconds_max {
        let (operation, request) = requests::any(&mut chance);
        let (ours, theirs) = both.ask(operation, &request)?;
        asked += 1;
        if ours.status >= 500 {
            problems.push(format!("{operation} {request}: {}", ours.body));
        }
        if let Some(kind) = difference(operation, &ours, &theirs) {
            let entry = found.entry(kind).or_insert_with(|| Difference {
                count: 0,
                example: format!(
                    "{operation} {request}\n      larder {}\n      peer   {}",
                    ours.body, theirs.body
                ),
            });
            entry.count += 1;
            both.agree(&request)?;
        }
    }
    let total: u64 = found.values().map(|difference| difference.count).sum();
    for (kind, difference) in &found {
        eprintln!("differ: {:>6} {kind}", difference.count);
        if std::env::var_os("PROOF_VERBOSE").is_some() {
            eprintln!("    {}", difference.example);
        }
    }
    Ok(Row {
        name: "differ",
        did: format!(
            "{asked} requests to both, {} answered alike, {} kinds of differences (docs/reliability.md)",
            asked - total,
            found.len()
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

/// The kind of a difference, or none.
fn difference(operation: &str, ours: &Answer, theirs: &Answer) -> Option<String> {
    if ours.status != theirs.status || ours.class() != theirs.class() {
        let told = |answer: &Answer| match answer.status {
            200 => "accepts".to_string(),
            _ => format!("{} ({})", answer.class(), shape(answer.text())),
        };
        return Some(format!("larder {}, peer {}", told(ours), told(theirs)));
    }
    if ours.status != 200 {
        let (a, b) = (shape(ours.text()), shape(theirs.text()));
        return (a != b)
            .then(|| format!("{operation}: text of {}: larder \"{a}\", peer \"{b}\"", ours.class()));
    }
    let (a, b) = (plain(&ours.body), plain(&theirs.body));
    if a == b {
        return None;
    }
    let names = |body: &Json| -> Vec<String> {
        body.as_object().map(|body| body.keys().cloned().collect()).unwrap_or_default()
    };
    let mut fields: Vec<String> =
        names(&a).into_iter().chain(names(&b)).filter(|name| a.get(name) != b.get(name)).collect();
    fields.sort();
    fields.dedup();
    Some(format!("{operation}: both accept, different {}", fields.join(", ")))
}

/// A text without what differs from request to request.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    let mut quoted = false;
    for letter in text.chars().take(400) {
        match letter {
            '\'' | '"' => quoted = !quoted,
            _ if quoted => continue,
            '0'..='9' if shape.ends_with('0') => continue,
            '0'..='9' => {
                shape.push('0');
                continue;
            }
            _ => {}
        }
        shape.push(letter);
    }
    // What a text tells of operands and names follows the request.
    for word in
        ["; operator", "; operand", ", operand", ": [", "attribute: ", "near: ", "function: ", "name: "]
    {
        if let Some((head, _)) = shape.split_once(word) {
            shape = format!("{head}{word}…");
        }
    }
    shape
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
        assert_eq!(difference("GetItem", &of("SS", ["x", "y"]), &of("SS", ["y", "x"])), None);
        assert!(difference("GetItem", &of("L", ["x", "y"]), &of("L", ["y", "x"])).is_some());
    }

    #[test]
    fn a_refusal_of_one_side_is_a_difference() {
        let refused = answer(400, json!({"__type": "x#ValidationException", "message": "no"}));
        assert!(difference("PutItem", &answer(200, json!({})), &refused).is_some());
        assert_eq!(difference("PutItem", &refused, &refused), None);
    }

    #[test]
    fn a_text_is_compared_without_names_and_numbers() {
        assert_eq!(shape("limit is 25 for 'abc'"), shape("limit is 1 for 'x'"));
        assert_ne!(shape("limit"), shape("length"));
    }
}
