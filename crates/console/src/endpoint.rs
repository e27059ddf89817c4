//! This database as an endpoint that designs are run against, without sockets in between.
//! Knows how the wire turns bodies into operations and back.

use client::{Endpoint, Failure};
use engine::Engine;
use serde_json::Value as Json;

/// The database that the console belongs to.
pub(crate) struct Here<'a> {
    pub(crate) engine: &'a Engine,
}

impl Endpoint for Here<'_> {
    fn call(&self, operation: &str, body: &Json) -> Result<Json, Failure> {
        let bytes = body.to_string().into_bytes();
        let target = format!("DynamoDB_20120810.{operation}");
        let done = wire::target(Some(&target))
            .and_then(|name| wire::decode(name, &bytes, "localhost"))
            .and_then(|operation| self.engine.run(operation).wait());
        let output = done.map_err(|error| {
            let mut bytes = Vec::new();
            let status = wire::encode_error(&error, &mut bytes);
            Failure::from_answer(status, &bytes)
        })?;
        let mut answer = Vec::new();
        wire::encode(&output, &bytes, &mut answer);
        // Operations such as TagResource have nothing to say.
        if answer.is_empty() {
            return Ok(Json::Object(serde_json::Map::new()));
        }
        serde_json::from_slice(&answer).map_err(|error| Failure::local("BadAnswer", error.to_string()))
    }

    fn name(&self) -> String {
        "this server".to_owned()
    }
}
