//! A clock that jumps, forwards and backwards, by hours and by years, while requests go on. Items expire by the clock and
//! by nothing else.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value as Json, json};

use super::{get, put, shows, table};
use crate::faults::Faults;
use crate::report::Row;
use crate::server::{Folder, Server};
use crate::wire::Wire;

const HOUR: i64 = 3600;
const YEAR: i64 = 365 * 24 * HOUR;
/// How far the clock is turned, one after the other.
const JUMPS: [i64; 10] = [60, 0, -60, -24 * HOUR, 24 * HOUR, -YEAR, 3 * YEAR, 0, -20 * YEAR, 0];
const WRITES_EACH: u64 = 60;

/// Turns the clock of a running server.
pub(crate) fn run(larder: &Path) -> Result<Row, String> {
    let began = Instant::now();
    let folder = Folder::new("clock")?;
    let data = folder.path().join("data");
    let faults = Faults::new(folder.path(), &data)?;
    let mut server = Server::larder(larder, &data)?.with_environment(&faults.environment());
    server.start()?;
    let mut wire = server.wire();
    wire.must("CreateTable", &table("load"))?;
    let mut problems = Vec::new();
    let mut written = 0;
    for jump in JUMPS {
        faults.turn_clock(jump);
        for _ in 0..WRITES_EACH {
            if let Err(problem) = pair(&mut wire, written) {
                problems.push(format!("with the clock turned by {jump} s: {problem}"));
            }
            written += 1;
        }
    }
    let expired = expiry(&mut wire, &faults, &mut problems)?;
    faults.turn_clock(-YEAR);
    server.kill();
    server.start()?;
    let mut wire = server.wire();
    for key in 0..written {
        if !shows(&wire.must("GetItem", &get("load", key))?, key) {
            problems.push(format!("item {key} is gone"));
        }
    }
    problems.extend(server.problems());
    Ok(Row {
        name: "clock",
        did: format!(
            "{} jumps of up to 20 years, {written} items written and read between them and after a start a year earlier; \
             {expired}",
            JUMPS.len() + 3
        ),
        seconds: began.elapsed().as_secs(),
        problems,
    })
}

/// Writes an item, alone or with a token, and reads it.
fn pair(wire: &mut Wire, key: u64) -> Result<(), String> {
    if key.is_multiple_of(3) {
        let action = json!({"Put": put("load", key, 50)});
        let request = json!({"TransactItems": [action], "ClientRequestToken": format!("token-{key}")});
        wire.must("TransactWriteItems", &request)?;
        // Sent again at once it counts once, whatever the clock says.
        wire.must("TransactWriteItems", &request)?;
    } else {
        wire.must("PutItem", &put("load", key, 50))?;
    }
    let answer = wire.must("GetItem", &get("load", key))?;
    if shows(&answer, key) { Ok(()) } else { Err(format!("item {key} was just written: {answer}")) }
}

/// Items that expire in an hour stay when the clock is turned back, and go when it is turned on.
fn expiry(wire: &mut Wire, faults: &Faults, problems: &mut Vec<String>) -> Result<String, String> {
    faults.turn_clock(0);
    wire.must("CreateTable", &table("passing"))?;
    wire.must(
        "UpdateTimeToLive",
        &json!({"TableName": "passing",
        "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "until"}}),
    )?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    for key in 0..20u64 {
        let until = now + if key.is_multiple_of(2) { HOUR as u64 } else { 10 * HOUR as u64 };
        let item = json!({"pk": {"S": format!("k{key}")}, "until": {"N": until.to_string()}});
        wire.must("PutItem", &json!({"TableName": "passing", "Item": item}))?;
    }
    let mut counts = Vec::new();
    for (jump, due) in [(-HOUR, 20), (2 * HOUR, 10)] {
        faults.turn_clock(jump);
        let began = Instant::now();
        let mut count = 0;
        while began.elapsed() < Duration::from_secs(if due == 20 { 3 } else { 15 }) {
            thread::sleep(Duration::from_millis(200));
            count = wire
                .must("Scan", &json!({"TableName": "passing"}))?
                .get("Count")
                .and_then(Json::as_u64)
                .unwrap_or(0);
            if due != 20 && count == due {
                break;
            }
        }
        if count != due {
            problems.push(format!("with the clock turned by {jump} s {count} items are left, not {due}"));
        }
        counts.push(count);
    }
    Ok(format!("of 20 items {counts:?} were left after an hour back and two hours on"))
}
