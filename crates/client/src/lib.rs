//! The way to an endpoint: an operation and a body in, an answer or a failure out.
//! Knows HTTP, signatures and when to try again; only `live` knows operations by name, and nobody knows designs.

pub mod clock;
mod credentials;
pub mod live;
mod sign;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use credentials::Credentials;
use sign::Service;

pub use credentials::region;

/// Where requests go.
pub trait Endpoint: Sync {
    /// Sends a request and returns the answer.
    fn call(&self, operation: &str, body: &Json) -> Result<Json, Failure>;
    /// What a person would call it.
    fn name(&self) -> String;
    /// Whether it is the real service, where a refusal is never overlooked.
    fn is_service(&self) -> bool {
        false
    }
}

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The exception without its prefix, such as `ResourceNotFoundException`; `Unreachable` if nobody answered.
    pub kind: String,
    /// What it says.
    pub message: String,
    /// The HTTP status; 0 if nobody answered.
    pub status: u16,
    /// The whole body.
    pub body: Box<Json>,
}

/// The kind of a failure where nobody answered.
pub const UNREACHABLE: &str = "Unreachable";

impl Failure {
    /// A failure that is no answer of an endpoint.
    pub fn local(kind: &str, message: impl Into<String>) -> Failure {
        Failure { kind: kind.to_owned(), message: message.into(), status: 0, body: Box::default() }
    }

    /// A failure as an endpoint writes it.
    pub fn from_answer(status: u16, text: &[u8]) -> Failure {
        let body: Json = serde_json::from_slice(text).unwrap_or(Json::Null);
        let kind = body.get("__type").and_then(Json::as_str).unwrap_or("UnknownError");
        let kind = kind.rsplit('#').next().unwrap_or(kind).to_owned();
        let message = body.get("message").or_else(|| body.get("Message")).and_then(Json::as_str);
        let message = message.map_or_else(|| String::from_utf8_lossy(text).into_owned(), str::to_owned);
        Failure { kind, message, status, body: Box::new(body) }
    }

    /// Whether there is no such table.
    pub fn is_not_found(&self) -> bool {
        matches!(self.kind.as_str(), "ResourceNotFoundException" | "TableNotFoundException")
    }

    /// Whether the endpoint does not have the operation at all.
    pub fn is_unknown_operation(&self) -> bool {
        self.kind == "UnknownOperationException"
            || self.kind == "NotImplemented"
            || self.status == 501
            || (self.status == 400 && self.kind == "UnknownError")
    }

    /// Whether the same request may go well a moment later.
    pub fn is_passing(&self) -> bool {
        const PASSING: &[&str] = &[
            "ProvisionedThroughputExceededException",
            "ThrottlingException",
            "Throttling",
            "RequestLimitExceeded",
            "TransactionInProgressException",
        ];
        PASSING.contains(&self.kind.as_str()) || self.status >= 500 && self.status != 501
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.message.is_empty() {
            return out.write_str(&self.kind);
        }
        write!(out, "{}: {}", self.kind, self.message)
    }
}

/// How often a request is sent at most.
const ATTEMPTS: u32 = 6;
/// The pause before the second attempt; it doubles from there.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// How long an answer may take.
const ANSWER_TIME: Duration = Duration::from_secs(60);
/// Answers have at most 1 MB of items, which JSON makes larger.
const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// An endpoint reached by HTTP or HTTPS.
pub struct Http {
    agent: Agent,
    url: String,
    host: String,
    region: String,
    is_service: bool,
    credentials: Credentials,
    service: &'static Service,
}

/// Which endpoint, and as whom.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// An address, or `aws` for the real service in the region.
    pub address: &'a str,
    /// The region that requests are signed for.
    pub region: &'a str,
    /// The profile of the shared files that signs; without one the environment says who does.
    pub profile: Option<&'a str>,
    /// How many connections are kept open.
    pub connections: usize,
}

impl Http {
    /// The endpoint at this address; `aws` stands for the real service in the region. `connections` are kept open.
    pub fn new(address: &str, region: &str, connections: usize) -> Result<Http, Failure> {
        Http::open(Place { address, region, profile: None, connections })
    }

    /// The endpoint at this place.
    pub fn open(place: Place<'_>) -> Result<Http, Failure> {
        let Place { address, region, profile, connections } = place;
        let url = if address == "aws" {
            let ending = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
            format!("https://dynamodb.{region}.{ending}/")
        } else {
            format!("{}/", address.trim_end_matches('/'))
        };
        let host = host_of(&url).ok_or_else(|| {
            Failure::local(
                "BadEndpoint",
                format!("{address:?} is no address: write http://HOST:PORT, https://HOST or aws"),
            )
        })?;
        let is_service = is_service(&host);
        let credentials = credentials::find(is_service, profile)?;
        Ok(Http {
            agent: agent(connections),
            url,
            host,
            region: region.to_owned(),
            is_service,
            credentials,
            service: &sign::DYNAMODB,
        })
    }

    /// The data streams of another service at this address.
    pub fn kinesis(address: &str, region: &str) -> Result<Http, Failure> {
        let http = Http::open(Place { address, region, profile: None, connections: 1 })?;
        Ok(Http { service: &sign::KINESIS, ..http })
    }

    /// Sends a body as it is, and again if that may help.
    pub fn send(&self, operation: &str, body: &[u8]) -> Result<Json, Failure> {
        let mut pause = FIRST_PAUSE;
        for _ in 1..ATTEMPTS {
            match self.once(operation, body) {
                Err(failure) if failure.is_passing() => clock::pause(pause),
                done => return done,
            }
            pause *= 2;
        }
        self.once(operation, body)
    }

    /// Asks for something beside the API, such as the clock at `/_larder/clock`: with a body by POST, without by GET.
    pub fn beside(&self, path: &str, body: Option<&Json>) -> Result<Json, Failure> {
        let url = format!("{}{path}", self.url.trim_end_matches('/'));
        let sent = match body {
            None => self.agent.get(&url).call(),
            Some(body) => self
                .agent
                .post(&url)
                .header("content-type", "application/json")
                .send(body.to_string().as_bytes()),
        };
        self.received(sent)
    }

    fn once(&self, operation: &str, body: &[u8]) -> Result<Json, Failure> {
        let target = format!("{}.{operation}", self.service.prefix);
        let signed = sign::headers(&sign::Request {
            service: self.service,
            host: &self.host,
            region: &self.region,
            target: &target,
            body,
            seconds: clock::now_seconds(),
            credentials: &self.credentials,
        });
        let mut request = self.agent.post(&self.url);
        for (name, value) in &signed {
            request = request.header(*name, value);
        }
        self.received(request.send(body))
    }

    fn received(&self, sent: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Json, Failure> {
        let unreachable = |error: ureq::Error| {
            Failure::local(UNREACHABLE, format!("{} does not answer ({error}): is it running?", self.url))
        };
        let mut answer = sent.map_err(unreachable)?;
        let status = answer.status().as_u16();
        let text =
            answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec().map_err(unreachable)?;
        if status != 200 {
            return Err(Failure::from_answer(status, &text));
        }
        // Operations such as TagResource have nothing to say.
        if text.is_empty() {
            return Ok(Json::Object(serde_json::Map::new()));
        }
        serde_json::from_slice(&text).map_err(|_| {
            Failure::local("BadAnswer", format!("{} answered with something that is no JSON", self.url))
        })
    }
}

impl Endpoint for Http {
    fn call(&self, operation: &str, body: &Json) -> Result<Json, Failure> {
        self.send(operation, &body.to_string().into_bytes())
    }

    fn name(&self) -> String {
        self.url.trim_end_matches('/').to_owned()
    }

    fn is_service(&self) -> bool {
        self.is_service
    }
}

fn agent(connections: usize) -> Agent {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(ANSWER_TIME))
        .max_idle_connections(connections.max(1))
        .max_idle_connections_per_host(connections.max(1))
        .user_agent(concat!("larder/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// The host and, if it is not the usual one, the port, as the header has them.
fn host_of(url: &str) -> Option<String> {
    let (rest, usual) = match (url.strip_prefix("http://"), url.strip_prefix("https://")) {
        (Some(rest), _) => (rest, ":80"),
        (None, Some(rest)) => (rest, ":443"),
        (None, None) => return None,
    };
    let host = rest.split('/').next().unwrap_or_default();
    let host = host.strip_suffix(usual).unwrap_or(host);
    (!host.is_empty() && !host.contains(['@', ' '])).then(|| host.to_owned())
}

fn is_service(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    name.ends_with(".amazonaws.com") || name.ends_with(".amazonaws.com.cn")
}

/// The region in an address of the real service, such as `https://dynamodb.eu-west-1.amazonaws.com`.
pub fn region_of(address: &str) -> Option<String> {
    let host = host_of(&format!("{address}/")).filter(|host| is_service(host))?;
    let before = host.split(".amazonaws.com").next()?;
    before.split('.').find(|part| part.contains('-') && !part.starts_with("dynamodb")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_addresses() {
        for (url, expected) in [
            ("http://localhost:8000/", Some("localhost:8000")),
            ("http://localhost:80/", Some("localhost")),
            ("https://dynamodb.eu-west-1.amazonaws.com/", Some("dynamodb.eu-west-1.amazonaws.com")),
            ("http://[::1]:8000/", Some("[::1]:8000")),
            ("localhost:8000/", None),
            ("http:///", None),
        ] {
            assert_eq!(host_of(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn failures_are_read_from_answers() {
        let text =
            br#"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"gone"}"#;
        let failure = Failure::from_answer(400, text);
        assert!(failure.is_not_found());
        assert_eq!(failure.to_string(), "ResourceNotFoundException: gone");
        assert!(Failure::from_answer(400, b"").is_unknown_operation());
        assert!(Failure::from_answer(503, b"busy").is_passing());
        assert!(!failure.is_passing());
    }

    #[test]
    fn regions_of_addresses() {
        for (address, expected) in [
            ("https://dynamodb.eu-west-1.amazonaws.com", Some("eu-west-1")),
            ("https://dynamodb-fips.us-east-1.amazonaws.com/", Some("us-east-1")),
            ("https://123456789012.ddb.eu-west-1.amazonaws.com", Some("eu-west-1")),
            ("https://dynamodb.cn-north-1.amazonaws.com.cn", Some("cn-north-1")),
            ("http://localhost:8000", None),
            ("aws", None),
        ] {
            assert_eq!(region_of(address).as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn an_address_must_be_one() {
        let refused = Http::new("localhost:8000", "local", 1).err().map(|failure| failure.kind);
        assert_eq!(refused.as_deref(), Some("BadEndpoint"));
    }
}
