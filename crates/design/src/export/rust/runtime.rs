//! What the Rust layer stands on: conversions, and only the transforms that a design needs. Knows no entities.

use super::super::code::{MARKED, Program};
use super::text;

const START: &str = r#"
use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Delete, DeleteRequest, Get, KeysAndAttributes, Put, PutRequest, TransactGetItem,
    TransactWriteItem, Update, WriteRequest,
};

/// Attributes by name, as the service has them.
pub type Item = HashMap<String, AttributeValue>;

/// Why there is no answer.
#[derive(Debug)]
pub enum Error {
    /// The service refused, or could not be reached.
    Service(aws_sdk_dynamodb::Error),
    /// An item is not of the entity it should be, or a request lacks a part.
    Shape(String),
}

impl Error {
    /// The name of the service's exception, such as `ConditionalCheckFailedException`.
    pub fn code(&self) -> Option<&str> {
        match self {
            Error::Service(error) => error.code(),
            Error::Shape(_) => None,
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Service(error) => write!(out, "{error}"),
            Error::Shape(message) => out.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

fn service<E>(error: E) -> Error
where
    aws_sdk_dynamodb::Error: From<E>,
{
    Error::Service(error.into())
}

fn unfinished(error: impl std::fmt::Display) -> Error {
    Error::Shape(error.to_string())
}

fn read<T>(item: &Item, entity: fn(&Item) -> Option<T>) -> Result<T, Error> {
    entity(item).ok_or_else(|| Error::Shape(format!("this item is not what was expected: {item:?}")))
}

trait ToAttribute {
    fn to_attribute(&self) -> AttributeValue;
}

trait FromAttribute: Sized {
    fn from_attribute(value: &AttributeValue) -> Option<Self>;
}

impl ToAttribute for str {
    fn to_attribute(&self) -> AttributeValue {
        AttributeValue::S(self.to_owned())
    }
}

impl ToAttribute for String {
    fn to_attribute(&self) -> AttributeValue {
        AttributeValue::S(self.clone())
    }
}

impl FromAttribute for String {
    fn from_attribute(value: &AttributeValue) -> Option<Self> {
        value.as_s().ok().cloned()
    }
}

impl ToAttribute for i64 {
    fn to_attribute(&self) -> AttributeValue {
        AttributeValue::N(self.to_string())
    }
}

impl FromAttribute for i64 {
    fn from_attribute(value: &AttributeValue) -> Option<Self> {
        value.as_n().ok()?.parse().ok()
    }
}

impl ToAttribute for f64 {
    fn to_attribute(&self) -> AttributeValue {
        AttributeValue::N(self.to_string())
    }
}

impl FromAttribute for f64 {
    fn from_attribute(value: &AttributeValue) -> Option<Self> {
        value.as_n().ok()?.parse().ok()
    }
}

impl ToAttribute for bool {
    fn to_attribute(&self) -> AttributeValue {
        AttributeValue::Bool(*self)
    }
}

impl FromAttribute for bool {
    fn from_attribute(value: &AttributeValue) -> Option<Self> {
        value.as_bool().ok().copied()
    }
}

impl ToAttribute for AttributeValue {
    fn to_attribute(&self) -> AttributeValue {
        self.clone()
    }
}

impl FromAttribute for AttributeValue {
    fn from_attribute(value: &AttributeValue) -> Option<Self> {
        Some(value.clone())
    }
}

impl<T: ToAttribute> ToAttribute for Option<T> {
    fn to_attribute(&self) -> AttributeValue {
        self.as_ref().map_or(AttributeValue::Null(true), ToAttribute::to_attribute)
    }
}

impl<T: FromAttribute> FromAttribute for Option<T> {
    fn from_attribute(value: &AttributeValue) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::from_attribute(value).map(Some) }
    }
}

impl<T: ToAttribute> ToAttribute for Vec<T> {
    fn to_attribute(&self) -> AttributeValue {
        AttributeValue::L(self.iter().map(ToAttribute::to_attribute).collect())
    }
}

impl<T: FromAttribute> FromAttribute for Vec<T> {
    fn from_attribute(value: &AttributeValue) -> Option<Self> {
        value.as_l().ok()?.iter().map(T::from_attribute).collect()
    }
}

/// An attribute, or NULL if it is not there.
fn value_of(values: &Item, name: &str) -> AttributeValue {
    values.get(name).cloned().unwrap_or(AttributeValue::Null(true))
}

fn is_there(values: &Item, name: &str) -> bool {
    values.get(name).is_some_and(|value| !value.is_null())
}

/// A value as it stands in a key.
fn text_of(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(text) | AttributeValue::N(text) => text.clone(),
        AttributeValue::Bool(flag) => flag.to_string(),
        _ => String::new(),
    }
}

/// A number with leading zeros and, if asked, a fixed number of decimals.
fn padded(text: &str, width: usize, decimals: Option<usize>) -> String {
    let text = match (decimals, text.parse::<f64>()) {
        (Some(decimals), Ok(number)) => format!("{number:.decimals$}"),
        _ => text.to_owned(),
    };
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    format!("{sign}{digits:0>width$}", width = width.saturating_sub(sign.len()))
}

/// How many elements a list or a map has.
fn count_of(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::L(values) => values.len(),
        AttributeValue::M(map) => map.len(),
        AttributeValue::Ss(values) | AttributeValue::Ns(values) => values.len(),
        AttributeValue::S(text) => text.chars().count(),
        _ => 0,
    }
}

fn less(left: &AttributeValue, right: &AttributeValue) -> bool {
    match (left, right) {
        (AttributeValue::N(left), AttributeValue::N(right)) => {
            matches!((left.parse::<f64>(), right.parse::<f64>()), (Ok(left), Ok(right)) if left < right)
        }
        (AttributeValue::S(left), AttributeValue::S(right)) => left < right,
        _ => false,
    }
}

fn same(left: &AttributeValue, right: &AttributeValue) -> bool {
    match (left, right) {
        (AttributeValue::N(left), AttributeValue::N(right)) => left.parse::<f64>().ok() == right.parse::<f64>().ok(),
        _ => left == right,
    }
}

fn contains(whole: &AttributeValue, part: &AttributeValue) -> bool {
    match (whole, part) {
        (AttributeValue::S(whole), AttributeValue::S(part)) => whole.contains(part.as_str()),
        (AttributeValue::L(values), _) => values.contains(part),
        (AttributeValue::Ss(values), AttributeValue::S(part)) => values.contains(part),
        _ => false,
    }
}

/// Seconds since 1970.
fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |time| time.as_secs() as i64)
}

/// TTL deletes late: whoever reads must look whether an item's time is over.
fn is_fresh(item: &Item, attribute: &str) -> bool {
    item.get(attribute).and_then(i64::from_attribute).is_none_or(|end| end > now())
}

/// Items or keys by table, at most so many in a request.
fn grouped(store: &Store, pairs: &[(&str, Item)], size: usize) -> Vec<HashMap<String, Vec<Item>>> {
    let group = |pairs: &[(&str, Item)]| {
        let mut group: HashMap<String, Vec<Item>> = HashMap::new();
        for (table, value) in pairs {
            let values = group.entry(store.table(table)).or_default();
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        group
    };
    pairs.chunks(size).map(group).collect()
}
"#;

const EPOCH: &str = r#"
/// Days since 1970 of a date of the Gregorian calendar.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Seconds since 1970 of a date-time, a date or a number of seconds; 0 if it is none of them.
fn epoch(value: &AttributeValue) -> i64 {
    let text = match value {
        AttributeValue::N(number) => return number.parse().unwrap_or_default(),
        other => text_of(other),
    };
    let part = |from: usize, to: usize| text.get(from..to).and_then(|part| part.parse::<i64>().ok()).unwrap_or_default();
    let clock = part(11, 13) * 3600 + part(14, 16) * 60 + part(17, 19);
    let zone = text.get(19..).and_then(|rest| rest.find(['+', '-']).and_then(|at| rest.get(at..)));
    let offset = zone.map_or(0, |zone| {
        let of = |from: usize, to: usize| zone.get(from..to).and_then(|part| part.parse::<i64>().ok()).unwrap_or_default();
        let seconds = of(1, 3) * 3600 + of(4, 6) * 60;
        if zone.starts_with('-') { -seconds } else { seconds }
    });
    days_of(part(0, 4), part(5, 7), part(8, 10)) * 86_400 + clock - offset
}

/// The same moment in UTC with milliseconds.
fn iso(value: &AttributeValue) -> String {
    let seconds = epoch(value);
    let (days, clock) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.000Z", clock / 3600, clock / 60 % 60, clock % 60)
}
"#;

/// The start of a module.
pub(super) fn all(program: &Program<'_>) -> String {
    let mut needs = vec!["aws-sdk-dynamodb = \"1\""];
    if program.uses("sha256") {
        needs.push("sha2 = \"0.10\" or later");
    }
    if program.uses("md5") {
        needs.push("md-5 = \"0.10\" or later");
    }
    let mut out = format!(
        "//! Typed access to {}: one method for each access pattern.\n//! Written by `larder design export rust`. Change the design, not this file.\n//!\n//! Needs: {}.\n\n\
         #![allow(dead_code, unused_imports, clippy::all)] // Not every design needs every helper.\n",
        program.design.name,
        needs.join(", ")
    );
    out.push_str(START);
    let times = ["year-month", "date", "iso-datetime", "epoch-seconds"];
    if program.has_ttl() || times.iter().any(|time| program.uses(time)) {
        out.push_str(EPOCH);
    }
    for (transform, path) in [("sha256", "sha2::Sha256"), ("md5", "md5::Md5")] {
        if program.uses(transform) {
            let krate = path.split("::").next().unwrap_or_default();
            out.push_str(&format!(
                "\nfn {transform}(text: &str) -> String {{\n    use {krate}::Digest;\n    {path}::digest(text.as_bytes()).iter().map(|byte| format!(\"{{byte:02x}}\")).collect()\n}}\n"
            ));
        }
    }
    if program.uses("slug") {
        let lines: String =
            MARKED.iter().map(|(plain, marked)| format!("    ('{plain}', {}),\n", text(marked))).collect();
        out.push_str(&format!(
            "\nconst MARKED: [(char, &str); {}] = [\n{lines}];\n\n/// Lower case, letters without their marks, everything else a single hyphen.\nfn slug(text: &str) -> String {{\n    \
             let plain = |letter: char| MARKED.iter().find(|(_, marked)| marked.contains(letter)).map_or(letter, |(plain, _)| *plain);\n    \
             let letters = text.to_lowercase();\n    let letters = letters.chars().filter(|letter| !('\\u{{300}}'..='\\u{{36f}}').contains(letter)).map(plain);\n    \
             let spaced: String = letters.map(|letter| if letter.is_alphanumeric() {{ letter }} else {{ ' ' }}).collect();\n    \
             spaced.split_whitespace().collect::<Vec<_>>().join(\"-\")\n}}\n",
            MARKED.len()
        ));
    }
    out
}
