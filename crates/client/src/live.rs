//! A table as it is: its description, expiry, recovery and tags, asked from an endpoint.
//! Knows which of these an endpoint may lack, and no design.

use serde_json::{Value as Json, json};

use crate::{Endpoint, Failure};

/// Something an endpoint may not be able to tell.
pub type Known<T> = Result<T, Lack>;

/// The endpoint has no such operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// Which one.
    pub operation: &'static str,
}

/// A table as it is.
#[derive(Debug, Clone)]
pub struct Live {
    /// DescribeTable's `Table`.
    pub description: Json,
    /// The attribute that items expire by, if any.
    pub expiry: Known<Option<String>>,
    /// Whether recovery is on, and for how many days if that is told.
    pub recovery: Known<(bool, Option<u64>)>,
    /// The tags.
    pub tags: Known<Vec<(String, String)>>,
}

impl Live {
    /// `ACTIVE`, `CREATING`…
    pub fn status(&self) -> &str {
        text(&self.description, "TableStatus")
    }

    /// How many items it had when it was last counted.
    pub fn item_count(&self) -> u64 {
        self.description.get("ItemCount").and_then(Json::as_u64).unwrap_or_default()
    }

    /// A list of its description, empty where it has none.
    pub fn list(&self, name: &str) -> &[Json] {
        self.description.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The table of this name, if there is one.
pub fn look(endpoint: &dyn Endpoint, name: &str) -> Result<Option<Live>, Failure> {
    let asked = json!({ "TableName": name });
    let description = match endpoint.call("DescribeTable", &asked) {
        Ok(answer) => answer.get("Table").cloned().unwrap_or_default(),
        Err(failure) if failure.is_not_found() => return Ok(None),
        Err(failure) => return Err(failure),
    };
    let expiry = known(endpoint, "DescribeTimeToLive", &asked)?.map(|answer| expiry(&answer));
    let recovery = known(endpoint, "DescribeContinuousBackups", &asked)?.map(|answer| recovery(&answer));
    let tags = match description.get("TableArn").and_then(Json::as_str) {
        None => Err(Lack { operation: "ListTagsOfResource" }),
        Some(arn) => tags(endpoint, arn)?,
    };
    Ok(Some(Live { description, expiry, recovery, tags }))
}

fn known(endpoint: &dyn Endpoint, operation: &'static str, body: &Json) -> Result<Known<Json>, Failure> {
    match endpoint.call(operation, body) {
        Ok(answer) => Ok(Ok(answer)),
        Err(failure) if failure.is_unknown_operation() => Ok(Err(Lack { operation })),
        Err(failure) => Err(failure),
    }
}

fn expiry(answer: &Json) -> Option<String> {
    let said = answer.get("TimeToLiveDescription")?;
    let is_on = matches!(text(said, "TimeToLiveStatus"), "ENABLED" | "ENABLING");
    is_on.then(|| text(said, "AttributeName").to_owned())
}

fn recovery(answer: &Json) -> (bool, Option<u64>) {
    let said = answer
        .get("ContinuousBackupsDescription")
        .and_then(|said| said.get("PointInTimeRecoveryDescription"));
    let is_on = said.is_some_and(|said| text(said, "PointInTimeRecoveryStatus") == "ENABLED");
    (is_on, said.and_then(|said| said.get("RecoveryPeriodInDays")?.as_u64()))
}

type Tags = Vec<(String, String)>;

fn tags(endpoint: &dyn Endpoint, arn: &str) -> Result<Known<Tags>, Failure> {
    let mut found = Vec::new();
    let mut body = json!({ "ResourceArn": arn });
    loop {
        let answer = match known(endpoint, "ListTagsOfResource", &body)? {
            Ok(answer) => answer,
            Err(lack) => return Ok(Err(lack)),
        };
        let page = answer.get("Tags").and_then(Json::as_array).into_iter().flatten();
        found.extend(page.map(|tag| (text(tag, "Key").to_owned(), text(tag, "Value").to_owned())));
        match (answer.get("NextToken"), body.as_object_mut()) {
            (Some(token @ Json::String(_)), Some(body)) => body.insert("NextToken".to_owned(), token.clone()),
            _ => return Ok(Ok(found)),
        };
    }
}

/// A text member, empty if it is not there.
pub fn text<'a>(value: &'a Json, name: &str) -> &'a str {
    value.get(name).and_then(Json::as_str).unwrap_or_default()
}
