//! An engine of our own as an endpoint, without sockets in between.
//! Knows how the wire turns bodies into operations and back.

use client::{Endpoint, Failure};
use engine::{Engine, LifeCycle, Rest, Settings, SystemEnv};
use op::Error;
use serde_json::Value as Json;
use std::sync::Arc;
use storage::Config;

/// An engine to call.
pub(crate) struct Local<'a> {
    pub(crate) engine: &'a Engine,
}

/// A fresh engine that keeps nothing.
pub(crate) fn fresh() -> Result<Engine, storage::Error> {
    let settings = Settings { store: Config::Memory, life_cycle: LifeCycle::Immediate };
    Engine::open(settings, Arc::new(SystemEnv::new()))
}

impl Endpoint for Local<'_> {
    fn call(&self, operation: &str, body: &Json) -> Result<Json, Failure> {
        let bytes = body.to_string().into_bytes();
        let target = format!("DynamoDB_20120810.{operation}");
        let done = wire::target(Some(&target))
            .and_then(|name| wire::decode(name, &bytes, "localhost"))
            .and_then(|operation| self.engine.run(operation).wait());
        // Nobody else does the background work of this engine, such as filling a new index.
        if matches!(operation, "CreateTable" | "UpdateTable" | "DeleteTable") {
            while self.engine.work() == Rest::Again {}
        }
        let output = done.map_err(|error| failure(&error))?;
        let mut answer = Vec::new();
        wire::encode(&output, &bytes, &mut answer);
        // Operations such as TagResource have nothing to say.
        if answer.is_empty() {
            return Ok(Json::Object(serde_json::Map::new()));
        }
        serde_json::from_slice(&answer).map_err(|error| Failure::local("BadAnswer", error.to_string()))
    }

    fn name(&self) -> String {
        "this process".to_owned()
    }
}

fn failure(error: &Error) -> Failure {
    let mut bytes = Vec::new();
    let status = wire::encode_error(error, &mut bytes);
    Failure::from_answer(status, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn operations_and_errors_pass_through() {
        let engine = fresh().unwrap();
        let local = Local { engine: &engine };
        assert_eq!(local.call("ListTables", &json!({})), Ok(json!({ "TableNames": [] })));
        let missing = local.call("DescribeTable", &json!({ "TableName": "none" })).unwrap_err();
        assert!(missing.is_not_found());
        assert!(local.call("NoSuchThing", &json!({})).unwrap_err().is_unknown_operation());
    }
}
