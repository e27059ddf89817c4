//! The web console: its files, its guard at the door, and a small API for what the database's own API does not have.
//! Knows no sockets; whoever serves it passes requests in and sends the replies. Items are none of its business: the
//! pages ask for them like any other caller.

mod answer;
mod designs;
mod endpoint;
mod figures;
mod files;
mod guard;
mod query;

use bytes::Bytes;
use engine::Engine;
use op::{Error, Kind, Name};
use std::path::PathBuf;
use std::sync::Arc;
use traffic::Traffic;

pub use answer::{Reply, security_headers};
pub use guard::TOKEN_HEADER;

/// How the console is to behave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Names by which browsers may come, beside addresses and `localhost`.
    pub hosts: Vec<String>,
    /// Whether the console may look and not change.
    pub is_read_only: bool,
    /// Design files, or folders of them.
    pub designs: Vec<PathBuf>,
    /// The address of the database, for the code that pages show.
    pub endpoint: String,
}

/// A request to the console.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// Whether it is a POST; else it is a GET or a HEAD.
    pub is_post: bool,
    /// The path below the console's root, without a slash in front.
    pub path: &'a str,
    /// What stands after the question mark.
    pub query: &'a str,
    /// The host by which the caller came.
    pub host: &'a str,
    /// The origin of the page that asks, if it says so.
    pub origin: Option<&'a str>,
    /// How that page is related to us, if the browser says so.
    pub fetch_site: Option<&'a str>,
    /// The token of the session, if given.
    pub token: Option<&'a str>,
    /// The version of a file that the browser has.
    pub known: Option<&'a str>,
}

/// The console.
pub struct Console {
    engine: Arc<Engine>,
    traffic: Arc<Traffic>,
    settings: Settings,
    token: String,
}

/// What a request is about, once the guard has let it in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matter<'a> {
    /// A file.
    File,
    /// An operation of the database's API.
    Call,
    /// Requests as they come, after this number; the answer may wait for one.
    Tail(u64),
    /// Something that may take a while and must not hold up a thread that serves others.
    Slow(&'a str),
    /// Something that is answered at once.
    Quick(&'a str),
}

impl Console {
    /// A console of this database.
    pub fn new(engine: Arc<Engine>, traffic: Arc<Traffic>, settings: Settings) -> Console {
        Console { engine, traffic, settings, token: guard::fresh_token() }
    }

    /// Lets a request in and says what it is about, or refuses it.
    pub fn admit<'a>(&self, ask: &Ask<'a>) -> Result<Matter<'a>, Reply> {
        guard::check_host(&self.settings.hosts, ask.host)?;
        let Some(path) = ask.path.strip_prefix("api/") else {
            return if ask.is_post { Err(Reply::method()) } else { Ok(Matter::File) };
        };
        guard::check_page(ask)?;
        guard::check_token(&self.token, ask.token)?;
        match (path, ask.is_post) {
            ("call", true) => Ok(Matter::Call),
            ("traffic", false) => Ok(Matter::Tail(query::number(ask.query, "after").unwrap_or_default())),
            ("designs", false) | ("designs/run" | "designs/deploy", true) => Ok(Matter::Slow(path)),
            ("metrics" | "expiring", false) => Ok(Matter::Quick(path)),
            _ => Err(Reply::missing()),
        }
    }

    /// Whether an operation may be called from here.
    pub fn permit(&self, operation: Name) -> Result<(), Error> {
        if !self.settings.is_read_only || guard::is_read(operation) {
            return Ok(());
        }
        let message = format!("This console is read-only: {} is refused", operation.as_str());
        Err(Error::new(Kind::AccessDenied, message))
    }

    /// A file of the console.
    pub fn file(&self, ask: &Ask<'_>) -> Reply {
        files::find(ask.path, ask.known, &|text| self.filled(text))
    }

    /// The requests after this number.
    pub fn tail(&self, after: u64) -> Reply {
        figures::tail(&self.traffic, after)
    }

    /// Whether there is a request after this number.
    pub fn has_news(&self, after: u64) -> bool {
        self.traffic.latest() > after
    }

    /// The reply to what is neither a file nor an operation.
    pub fn reply(&self, path: &str, asked: &str, body: &Bytes) -> Reply {
        match path {
            "metrics" => figures::metrics(&self.traffic, asked),
            "expiring" => figures::expiring(&self.engine, asked),
            "designs" => designs::list(&self.settings.designs),
            "designs/run" | "designs/deploy" if self.settings.is_read_only => {
                Reply::refused("This console is read-only: nothing is run or deployed")
            }
            "designs/run" => designs::run(&self.engine, &self.settings.designs, body),
            "designs/deploy" => designs::deploy(&self.engine, &self.settings.designs, body),
            _ => Reply::missing(),
        }
    }

    /// The page with what only this process knows.
    fn filled(&self, page: &str) -> String {
        page.replace("{{token}}", &self.token)
            .replace("{{version}}", env!("CARGO_PKG_VERSION"))
            .replace("{{endpoint}}", &answer::escaped(&self.settings.endpoint))
            .replace("{{read-only}}", if self.settings.is_read_only { "true" } else { "false" })
    }
}

#[cfg(test)]
mod tests;
