//! The clock at `/_larder/clock`: what it shows, and how it is turned from outside.
//! Knows the JSON of both; what turning means is the engine's business.

use crate::answer::{self, Answer, Form};
use crate::pipeline::House;
use bytes::Bytes;
use engine::{Clock, Face, Stuck, Turn};
use hyper::header::{ALLOW, HeaderValue};
use hyper::{Method, StatusCode};
use moment::Moment;
use serde_json::{Value as Json, json};

/// Where it is.
pub(crate) const PATH: &str = "/_larder/clock";

const JSON_TYPE: HeaderValue = HeaderValue::from_static("application/json");
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST");

/// Answers a request for the clock, once its body is there.
pub(crate) fn answer(house: &House, method: &Method, body: &[u8], form: Form) -> Answer {
    let Some(clock) = &house.clock else {
        return refuse(
            StatusCode::FORBIDDEN,
            "AccessDeniedException",
            "the clock of this server cannot be turned: start it with --time-control, or with LARDER_TIME_CONTROL=true",
            form,
        );
    };
    if *method == Method::GET {
        return send(StatusCode::OK, &shown(clock.read()), form);
    }
    if *method != Method::POST {
        let mut answer = refuse(
            StatusCode::METHOD_NOT_ALLOWED,
            "UnknownOperationException",
            "the clock is read with GET and turned with POST",
            form,
        );
        answer.headers_mut().insert(ALLOW, METHODS);
        return answer;
    }
    match decode(body).and_then(|turn| turned(clock, turn)) {
        Ok(face) => {
            // What is due by the new time is done at once and not when the old one would have come.
            house.engine.wake_work();
            send(StatusCode::OK, &shown(face), form)
        }
        Err(message) => refuse(StatusCode::BAD_REQUEST, "ValidationException", &message, form),
    }
}

fn turned(clock: &Clock, turn: Turn) -> Result<Face, String> {
    let text = |millis: u64| Moment::from_millis(millis).to_text();
    clock.turn(turn).map_err(|stuck| match stuck {
        Stuck::Backwards { now_ms } => format!(
            "the clock shows {} and only moves forward, because expiry, streams and recovery rest on the order of \
             times; \"reset\" alone puts it back, to the system's time",
            text(now_ms)
        ),
        Stuck::TooFar { latest_ms } => format!("the clock cannot show times after {}", text(latest_ms)),
    })
}

/// What is asked for.
fn decode(body: &[u8]) -> Result<Turn, String> {
    const ACTIONS: &str = "\"freeze\", \"resume\", \"advance\", \"set\" or \"reset\"";
    let asked: Json = serde_json::from_slice(body)
        .map_err(|_| format!("the body must be a JSON object with an \"action\": {ACTIONS}"))?;
    if let Some(name) = asked.as_object().and_then(|members| members.keys().find(|name| !is_member(name))) {
        return Err(format!("there is no member {name:?}: there are action, duration, seconds and time"));
    }
    let action = asked.get("action").and_then(Json::as_str).unwrap_or_default();
    match action {
        "freeze" => Ok(Turn::Freeze { at_ms: asked.get("time").map(time_ms).transpose()? }),
        "advance" => Ok(Turn::Advance { by_ms: span_ms(&asked)? }),
        "set" => {
            let time = asked.get("time").ok_or("\"set\" needs a \"time\"")?;
            Ok(Turn::Set { to_ms: time_ms(time)? })
        }
        "resume" => Ok(Turn::Resume),
        "reset" => Ok(Turn::Reset),
        _ => Err(format!("\"action\" must be {ACTIONS}")),
    }
}

fn is_member(name: &str) -> bool {
    matches!(name, "action" | "duration" | "seconds" | "time")
}

/// By how much to advance.
fn span_ms(asked: &Json) -> Result<u64, String> {
    let from_text = |text: &str| {
        moment::span_ms(text)
            .ok_or_else(|| format!("{text:?} is no duration: write it like 90s, 15m, 25h, 36d or 1d12h"))
    };
    match (asked.get("duration"), asked.get("seconds")) {
        (Some(Json::String(text)), None) => from_text(text),
        (None, Some(number)) => number
            .as_f64()
            .and_then(millis)
            .ok_or_else(|| "\"seconds\" must be a number that is not negative".to_owned()),
        _ => Err("\"advance\" needs a \"duration\" such as \"25h\", or \"seconds\"".to_owned()),
    }
}

/// A time as RFC 3339 or as seconds since 1970, the latter also as a text.
fn time_ms(time: &Json) -> Result<u64, String> {
    let found = match time {
        Json::Number(number) => number.as_f64().and_then(millis),
        Json::String(text) => Moment::parse(text)
            .or_else(|| Moment::parse_date(text))
            .and_then(Moment::to_millis)
            .or_else(|| text.parse().ok().and_then(millis)),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    };
    found.ok_or_else(|| {
        format!("{time} is no time: write it like 2030-01-31T12:00:00Z, or as seconds since 1970")
    })
}

/// Milliseconds of seconds that are not negative; more than fit become the most, which the clock then refuses.
fn millis(seconds: f64) -> Option<u64> {
    (seconds.is_finite() && seconds >= 0.0).then(|| (seconds * 1_000.0).round() as u64)
}

fn shown(face: Face) -> Json {
    let signed = |millis: u64| i64::try_from(millis).unwrap_or(i64::MAX);
    let ahead_ms = signed(face.now_ms) - signed(face.system_ms);
    json!({
        "time": Moment::from_millis(face.now_ms).to_text(),
        "epochMilliseconds": face.now_ms,
        "frozen": face.is_frozen,
        "systemTime": Moment::from_millis(face.system_ms).to_text(),
        "aheadMilliseconds": ahead_ms,
    })
}

fn refuse(status: StatusCode, exception: &str, message: &str, form: Form) -> Answer {
    let body = json!({ "__type": format!("com.amazon.coral.service#{exception}"), "message": message });
    send(status, &body, form)
}

fn send(status: StatusCode, body: &Json, form: Form) -> Answer {
    answer::send(status, JSON_TYPE, Bytes::from(format!("{body}\n")), form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_turn_can_be_asked_for() {
        let table = [
            (r#"{"action":"freeze"}"#, Turn::Freeze { at_ms: None }),
            (r#"{"action":"freeze","time":1.5}"#, Turn::Freeze { at_ms: Some(1_500) }),
            (r#"{"action":"advance","duration":"25h"}"#, Turn::Advance { by_ms: 90_000_000 }),
            (r#"{"action":"advance","seconds":90}"#, Turn::Advance { by_ms: 90_000 }),
            (r#"{"action":"set","time":"2025-01-20T10:30:00Z"}"#, Turn::Set { to_ms: 1_737_369_000_000 }),
            (r#"{"action":"set","time":"2025-01-20"}"#, Turn::Set { to_ms: 1_737_331_200_000 }),
            (r#"{"action":"set","time":"1737369000"}"#, Turn::Set { to_ms: 1_737_369_000_000 }),
            (r#"{"action":"resume"}"#, Turn::Resume),
            (r#"{"action":"reset"}"#, Turn::Reset),
        ];
        for (body, expected) in table {
            assert_eq!(decode(body.as_bytes()), Ok(expected), "{body}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused_by_name() {
        let table = [
            ("", "JSON object"),
            ("[]", "\"action\" must be"),
            (r#"{"action":"stop"}"#, "\"freeze\""),
            (r#"{"action":"advance"}"#, "duration"),
            (r#"{"action":"advance","duration":"1 day"}"#, "\"1 day\""),
            (r#"{"action":"advance","seconds":-1}"#, "not negative"),
            (r#"{"action":"advance","seconds":1,"duration":"1s"}"#, "needs a"),
            (r#"{"action":"set"}"#, "needs a \"time\""),
            (r#"{"action":"set","time":"tomorrow"}"#, "\"tomorrow\" is no time"),
            (r#"{"action":"set","time":null}"#, "null is no time"),
            (r#"{"action":"freeze","at":1}"#, "\"at\""),
        ];
        for (body, expected) in table {
            let refused = decode(body.as_bytes()).unwrap_err();
            assert!(refused.contains(expected), "{body}: {refused}");
        }
    }
}
