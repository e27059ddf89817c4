//! The web console over HTTP: which paths are its own, its calls of the API, its replies as answers.
//! Knows no pages; the console says what to reply.

use crate::answer::{self, Answer, Form};
use crate::body;
use crate::pipeline::{self, Door, House, Peer, header, host, sender};
use crate::socket::Phase;
use bytes::Bytes;
use console::{Ask, Console, Matter, Reply, TOKEN_HEADER};
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH, LOCATION, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use std::sync::Arc;
use std::time::Duration;

/// Where the console is on the API's port.
const ROOT: &str = "/_console";
const TOKEN: HeaderName = HeaderName::from_static(TOKEN_HEADER);
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// How long a page may wait for the next request that it can show.
const NEWS_TIME_MAX: Duration = Duration::from_secs(20);
const NEWS_PAUSE: Duration = Duration::from_millis(100);

/// The path below the console's root, if this one belongs to the console.
pub(crate) fn path(door: Door, path: &str) -> Option<&str> {
    match (door, path.strip_prefix(ROOT)) {
        (_, Some("")) => Some(ROOT),
        (_, Some(below)) if below.starts_with('/') => Some(below.trim_start_matches('/')),
        (Door::Console, _) => Some(path.trim_start_matches('/')),
        (Door::Api, _) => None,
    }
}

/// Answers a request to the console.
pub(crate) async fn answer(
    house: &Arc<House>,
    phase: &Phase,
    peer: Peer,
    head: &Parts,
    path: &str,
    body: Incoming,
) -> Answer {
    let form = Form::asked(&head.headers).private();
    let Some(console) = &house.console else {
        phase.work_begins();
        return pipeline::not_found(head, form);
    };
    if path == ROOT {
        phase.work_begins();
        return moved(form);
    }
    let ask = Ask {
        is_post: head.method == Method::POST,
        path,
        query: head.uri.query().unwrap_or_default(),
        host: host(house, head),
        origin: header(head, &ORIGIN),
        fetch_site: header(head, &FETCH_SITE),
        token: header(head, &TOKEN),
        known: header(head, &IF_NONE_MATCH),
    };
    let reply = match console.admit(&ask) {
        Err(reply) => reply,
        Ok(Matter::Call) => {
            let permit = |name| console.permit(name);
            let peer = Peer { door: Door::Console, ..peer };
            let mut answer = pipeline::operation(house, phase, peer, head, body, form, &permit).await;
            secure(&mut answer);
            return answer;
        }
        Ok(Matter::File) => console.file(&ask),
        Ok(Matter::Quick(path)) => console.reply(path, ask.query, &Bytes::new()),
        Ok(Matter::Tail(after)) => {
            phase.work_begins();
            tail(house, console, after).await
        }
        Ok(Matter::Slow(path)) => match slow(console, phase, head, path, body).await {
            Ok(reply) => reply,
            Err(refusal) => return pipeline::refused(refusal, form),
        },
    };
    phase.work_begins();
    send(reply, form)
}

/// Waits a while for a request to show.
async fn tail(house: &House, console: &Console, after: u64) -> Reply {
    let news = async {
        while !console.has_news(after) && !house.stop.is_wanted() {
            tokio::time::sleep(NEWS_PAUSE).await;
        }
    };
    // With or without news there is a reply; the page asks again.
    let _in_time = tokio::time::timeout(NEWS_TIME_MAX, news).await;
    console.tail(after)
}

/// What takes a while is done on a thread that serves nobody else.
async fn slow(
    console: &Arc<Console>,
    phase: &Phase,
    head: &Parts,
    path: &str,
    body: Incoming,
) -> Result<Reply, body::Refusal> {
    phase.body_begins();
    let body = body::read(body, sender(head)).await?;
    phase.work_begins();
    let (console, path) = (Arc::clone(console), path.to_owned());
    let done = tokio::task::spawn_blocking(move || console.reply(&path, "", &body)).await;
    done.map_err(|error| {
        tracing::error!(%error, "a request of the console panicked");
        body::Refusal::Broken
    })
}

fn send(reply: Reply, form: Form) -> Answer {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let content_type = HeaderValue::from_static(reply.content_type);
    let mut answer = answer::send(status, content_type, reply.body, form);
    let version = reply.version.and_then(|version| HeaderValue::from_str(&version).ok());
    let keep = if version.is_some() { "no-cache" } else { "no-store" };
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    if let Some(version) = version {
        answer.headers_mut().insert(ETAG, version);
    }
    secure(&mut answer);
    answer
}

fn secure(answer: &mut Answer) {
    for (name, value) in console::security_headers() {
        answer.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

fn moved(form: Form) -> Answer {
    let mut answer = answer::refuse(StatusCode::FOUND, "Moved", "The console is at /_console/.", form);
    answer.headers_mut().insert(LOCATION, HeaderValue::from_static("/_console/"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_api_keeps_its_paths_and_the_console_has_its_own() {
        let table = [
            (Door::Api, "/", None),
            (Door::Api, "/_consoles", None),
            (Door::Api, "/_console", Some(ROOT)),
            (Door::Api, "/_console/", Some("")),
            (Door::Api, "/_console/app.js", Some("app.js")),
            (Door::Console, "/", Some("")),
            (Door::Console, "/app.js", Some("app.js")),
            (Door::Console, "/_console/app.js", Some("app.js")),
        ];
        for (door, asked, expected) in table {
            assert_eq!(path(door, asked), expected, "{asked}");
        }
    }
}
