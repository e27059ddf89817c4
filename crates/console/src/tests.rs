//! The console at its door: who is let in, what is answered, what a read-only one refuses.

use super::*;
use engine::{LifeCycle, SystemEnv};
use serde_json::Value as Json;

fn console(settings: Settings) -> Console {
    let opened = engine::Settings { store: storage::Config::Memory, life_cycle: LifeCycle::Immediate };
    let engine = Engine::open(opened, Arc::new(SystemEnv::new())).unwrap();
    Console::new(Arc::new(engine), Arc::new(Traffic::new()), settings)
}

fn ask<'a>(path: &'a str, token: Option<&'a str>) -> Ask<'a> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    Ask {
        is_post: false,
        path,
        query,
        host: "localhost:8001",
        origin: None,
        fetch_site: None,
        token,
        known: None,
    }
}

fn status(console: &Console, ask: &Ask<'_>) -> u16 {
    console.admit(ask).err().map_or(200, |reply| reply.status)
}

#[test]
fn files_are_free_and_the_api_needs_the_token() {
    let console = console(Settings::default());
    let token = console.token.clone();
    assert_eq!(console.admit(&ask("", None)).ok(), Some(Matter::File));
    assert_eq!(status(&console, &ask("api/metrics", None)), 403);
    assert_eq!(status(&console, &ask("api/metrics", Some("guess"))), 403);
    assert_eq!(console.admit(&ask("api/metrics", Some(&token))).ok(), Some(Matter::Quick("metrics")));
    assert_eq!(console.admit(&ask("api/traffic?after=7", Some(&token))).ok(), Some(Matter::Tail(7)));
    assert_eq!(status(&console, &ask("api/nothing", Some(&token))), 404);
    assert_eq!(status(&console, &ask("api/call", Some(&token))), 404);
    let post = Ask { is_post: true, ..ask("api/call", Some(&token)) };
    assert_eq!(console.admit(&post).ok(), Some(Matter::Call));
    assert_eq!(status(&console, &Ask { is_post: true, ..ask("", Some(&token)) }), 405);
}

#[test]
fn other_sites_and_borrowed_names_stay_outside() {
    let console = console(Settings::default());
    let token = console.token.clone();
    let fine = ask("api/metrics", Some(&token));
    assert_eq!(status(&console, &Ask { origin: Some("http://localhost:8001"), ..fine }), 200);
    assert_eq!(status(&console, &Ask { fetch_site: Some("same-origin"), ..fine }), 200);
    assert_eq!(status(&console, &Ask { origin: Some("http://evil.example"), ..fine }), 403);
    assert_eq!(status(&console, &Ask { origin: Some("null"), ..fine }), 403);
    assert_eq!(status(&console, &Ask { fetch_site: Some("cross-site"), ..fine }), 403);
    assert_eq!(status(&console, &Ask { host: "evil.example", ..fine }), 403);
    assert_eq!(status(&console, &Ask { host: "evil.example", ..ask("", None) }), 403);
}

#[test]
fn the_page_knows_its_token_and_nothing_is_left_to_fill() {
    let console = console(Settings { endpoint: "http://x\"<y".to_owned(), ..Settings::default() });
    let page = String::from_utf8(console.file(&ask("", None)).body.to_vec()).unwrap();
    assert!(page.contains(&console.token) && !page.contains("{{") && !page.contains("\"<y"), "{page}");
}

#[test]
fn a_read_only_console_changes_nothing() {
    let console = console(Settings { is_read_only: true, ..Settings::default() });
    assert!(console.permit(Name::Query).is_ok());
    assert_eq!(console.permit(Name::PutItem).err().map(|error| error.kind), Some(Kind::AccessDenied));
    for path in ["designs/run", "designs/deploy"] {
        assert_eq!(console.reply(path, "", &Bytes::new()).status, 403);
    }
}

#[test]
fn designs_are_listed_deployed_and_run() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs");
    let console = console(Settings { designs: vec![folder], ..Settings::default() });
    let listed: Json = serde_json::from_slice(&console.reply("designs", "", &Bytes::new()).body).unwrap();
    let names: Vec<&str> =
        listed["designs"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["aura-historia", "lunch-cache", "nishiki", "smart-cooking", "stock-price-cache"]);
    let body = Bytes::from_static(br#"{"design":"nishiki"}"#);
    assert_eq!(console.reply("designs/deploy", "", &body).status, 200);
    let ran: Json = serde_json::from_slice(&console.reply("designs/run", "", &body).body).unwrap();
    let reports = ran["reports"].as_array().unwrap();
    assert!(!reports.is_empty() && reports.iter().all(|report| report["passed"] == true), "{ran}");
    for wrong in [&b"{"[..], b"{}", br#"{"design":"x"}"#, br#"{"design":"nishiki","pattern":"x"}"#] {
        assert_eq!(console.reply("designs/run", "", &Bytes::copy_from_slice(wrong)).status, 400);
    }
}
