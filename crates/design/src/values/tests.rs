//! Values typed by their fields.

use super::*;
use crate::model::At;

fn at(text: &str) -> At<String> {
    At { value: text.to_owned(), place: Place::default() }
}

fn field(kind: &str) -> Field {
    Field { name: at("f"), kind: at(kind), store: true, ..Field::default() }
}

fn scalar(text: &str) -> Plain {
    Plain::Scalar { text: text.to_owned(), quoted: false, place: Place::default() }
}

fn check(field: &Field, text: &str, wanted: Result<Value, &str>) {
    let got = value(field, &scalar(text)).map_err(|problems| problems[0].message.clone());
    assert_eq!(got, wanted.map_err(str::to_owned), "{text}");
}

#[test]
fn the_field_decides_what_a_scalar_is() {
    check(&field("string"), "NO", Ok(Value::S("NO".into())));
    check(&field("string"), "010", Ok(Value::S("010".into())));
    check(&field("string"), "true", Ok(Value::S("true".into())));
    let long = "12345678901234567890.123456789";
    check(&field("number"), long, Ok(Value::N(Number::parse(long).unwrap())));
    check(&field("boolean"), "true", Ok(Value::Bool(true)));
    check(&field("boolean"), "1", Err("f: `1` is not of type boolean"));
    check(&field("integer"), "1.5", Err("f: `1.5` is not of type integer"));
    check(&field("integer"), "100", Ok(Value::N(Number::from(100))));
    check(&field("any"), "010", Ok(Value::S("010".into())));
}

#[test]
fn null_needs_leave() {
    check(&field("string"), "null", Err("f: is null, and the field is not `nullable: true`"));
    check(&Field { nullable: true, ..field("string") }, "~", Ok(Value::Null));
}

#[test]
fn rules_of_the_field_are_held() {
    let weekday = Field { choices: vec![at("måndag"), at("tisdag")], ..field("string") };
    check(&weekday, "monday", Err("f: `monday` is not one of måndag, tisdag"));
    let week = Field { minimum: Some(at("1")), maximum: Some(at("53")), ..field("integer") };
    check(&week, "54", Err("f: 54 is more than 53"));
    let price = Field { exclusive_minimum: Some(at("0")), ..field("number") };
    check(&price, "0", Err("f: 0 is not more than 0"));
    let hash = Field { pattern: Some(at("^[0-9a-f]{64}$")), ..field("string") };
    check(&hash, "a1b2c3d4...", Err("f: `a1b2c3d4...` does not match ^[0-9a-f]{64}$"));
    let flag = Field { choices: vec![at("0"), at("1")], ..field("number") };
    check(&flag, "1.0", Ok(Value::N(Number::from(1))));
    let moment = Field { format: Some(at("date-time")), ..field("string") };
    check(&moment, "2025-01-20", Err("f: 2025-01-20 is not of format date-time"));
    let seconds = Field { format: Some(at("epoch-seconds")), ..field("integer") };
    check(&seconds, "1705328955000", Err("f: 1705328955000 is not of format epoch-seconds"));
}

#[test]
fn objects_name_what_they_lack_and_what_they_do_not_know() {
    let name = Field { name: at("name"), required: true, ..field("string") };
    let lunch = Field { properties: vec![name], ..field("object") };
    let entries = vec![(at("nam"), scalar("x"))];
    let problems = value(&lunch, &Plain::Map(entries, Place::default())).unwrap_err();
    let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages, ["f: no property `nam`; did you mean `name`?", "f: `name` is required and missing"]);
}
