//! Replies: a status, a type, a body, and the headers that keep a page from being misused.
//! Knows no requests.

use bytes::Bytes;
use serde_json::{Value as Json, json};

/// What is sent back.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The content type.
    pub content_type: &'static str,
    /// The body.
    pub body: Bytes,
    /// The version of a file, by which a browser asks whether there is a newer one; none must not be kept.
    pub version: Option<String>,
}

/// The type of everything the console's API says.
const JSON: &str = "application/json";

/// Scripts, styles and requests only from here, no frames around, no guesses about types.
const SECURITY_HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// The headers of every reply.
pub fn security_headers() -> impl Iterator<Item = (&'static str, &'static str)> {
    SECURITY_HEADERS.iter().copied()
}

impl Reply {
    /// Something as JSON.
    pub(crate) fn json(value: &Json) -> Reply {
        Reply { status: 200, content_type: JSON, body: Bytes::from(value.to_string()), version: None }
    }

    /// A refusal with its reason, in the form that errors of the database have.
    fn refuse(status: u16, kind: &str, message: &str) -> Reply {
        Reply { status, ..Reply::json(&json!({ "__type": kind, "message": message })) }
    }

    /// What may not be.
    pub(crate) fn refused(message: &str) -> Reply {
        Reply::refuse(403, "AccessDeniedException", message)
    }

    /// What cannot be understood.
    pub(crate) fn wrong(message: &str) -> Reply {
        Reply::refuse(400, "ValidationException", message)
    }

    /// What is not there.
    pub(crate) fn missing() -> Reply {
        Reply::refuse(404, "NotFound", "The console has nothing at this address.")
    }

    /// What is asked in the wrong way.
    pub(crate) fn method() -> Reply {
        Reply::refuse(405, "MethodNotAllowed", "Files are read with GET.")
    }

    /// What a browser has already.
    pub(crate) fn unchanged(version: String) -> Reply {
        Reply { status: 304, content_type: JSON, body: Bytes::new(), version: Some(version) }
    }
}

/// A text as it may stand in an attribute of HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
