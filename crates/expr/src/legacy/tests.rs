//! The older parameters against items, and every text of refusal.

use item::{Item, Value};

use super::{
    AttributeAction, AttributeUpdate, ComparisonOperator, ConditionalOperator, Expectation, Source, Test,
    conditions, expected, key_conditions, updates,
};
use crate::testing::{binary, item, list, map, number, numbers, set, text};

fn sample() -> Item {
    item(&[
        ("s", text("abc")),
        ("n", number("5")),
        ("b", binary(b"abc")),
        ("set", set(&["a", "b"])),
        ("l", list(vec![number("1")])),
        ("m", map(&[])),
    ])
}

fn test(attribute: &str, operator: &str, values: &[Value]) -> Test {
    let operator = ComparisonOperator::from_name(operator).unwrap();
    Test { attribute: attribute.to_string(), operator, values: values.to_vec() }
}

fn check(attribute: &str, operator: &str, values: &[Value], expected: Result<bool, &str>) {
    let tests = vec![test(attribute, operator, values)];
    let got = conditions(Source::ScanFilter, tests.clone(), ConditionalOperator::And);
    let got = got.map(|condition| condition.holds(&sample())).map_err(|error| error.to_string());
    let expected = expected.map_err(str::to_string);
    assert_eq!(got, expected, "{attribute} {operator} {values:?}");
    if let Err(text) = expected {
        assert_eq!(key_conditions(tests).unwrap_err().to_string(), text);
    }
}

#[test]
fn operators_compare() {
    for (attribute, operator, values, holds) in [
        ("s", "EQ", vec![text("abc")], true),
        ("s", "EQ", vec![number("1")], false),
        ("x", "EQ", vec![text("abc")], false),
        ("set", "EQ", vec![set(&["b", "a"])], true),
        ("s", "NE", vec![text("abc")], false),
        ("x", "NE", vec![text("abc")], true),
        ("n", "LT", vec![number("6")], true),
        ("n", "LE", vec![number("5")], true),
        ("n", "GT", vec![number("5")], false),
        ("n", "GE", vec![number("5")], true),
        ("x", "GE", vec![number("5")], false),
        ("s", "IN", vec![text("x"), text("abc")], true),
        ("s", "IN", vec![text("x")], false),
        ("n", "BETWEEN", vec![number("1"), number("5")], true),
        ("n", "BETWEEN", vec![number("1"), number("4")], false),
        ("s", "NOT_NULL", vec![], true),
        ("x", "NOT_NULL", vec![], false),
        ("s", "NULL", vec![], false),
        ("x", "NULL", vec![], true),
        ("s", "CONTAINS", vec![text("b")], true),
        ("set", "CONTAINS", vec![text("b")], true),
        ("l", "CONTAINS", vec![number("1")], true),
        ("s", "NOT_CONTAINS", vec![text("x")], true),
        ("s", "NOT_CONTAINS", vec![text("b")], false),
        ("x", "NOT_CONTAINS", vec![text("b")], true),
        ("s", "BEGINS_WITH", vec![text("ab")], true),
        ("b", "BEGINS_WITH", vec![binary(b"ab")], true),
        ("n", "BEGINS_WITH", vec![text("5")], false),
    ] {
        check(attribute, operator, &values, Ok(holds));
    }
}

#[test]
fn arguments_must_fit() {
    let prefix = "One or more parameter values were invalid: ";
    for operator in ComparisonOperator::ALL {
        let name = operator.name();
        let error = format!("{prefix}Invalid number of argument(s) for the {name} ComparisonOperator");
        let wrong = match operator {
            ComparisonOperator::Null | ComparisonOperator::NotNull => vec![1, 2],
            ComparisonOperator::In => vec![0],
            ComparisonOperator::Between => vec![0, 1, 3],
            ComparisonOperator::Eq
            | ComparisonOperator::Ne
            | ComparisonOperator::Le
            | ComparisonOperator::Lt
            | ComparisonOperator::Ge
            | ComparisonOperator::Gt
            | ComparisonOperator::Contains
            | ComparisonOperator::NotContains
            | ComparisonOperator::BeginsWith => vec![0, 2],
        };
        for count in wrong {
            check("s", name, &vec![text("a"); count], Err(&error));
        }
    }
    let rest = [Value::Bool(true), Value::Null];
    let sets = [set(&["a"]), numbers(&["1"]), Value::Bs(vec![b"a".to_vec().into()]), map(&[]), list(vec![])];
    for (operators, values) in [
        (
            vec!["LT", "LE", "GT", "GE", "IN", "BETWEEN"],
            rest.iter().chain(&sets).cloned().collect::<Vec<_>>(),
        ),
        (vec!["CONTAINS", "NOT_CONTAINS"], sets.to_vec()),
        (vec!["BEGINS_WITH"], rest.iter().chain(&sets).cloned().chain([number("1")]).collect()),
    ] {
        for (operator, value) in
            operators.iter().flat_map(|operator| values.iter().map(move |v| (operator, v)))
        {
            let found = value.type_of().name();
            let error =
                format!("{prefix}ComparisonOperator {operator} is not valid for {found} AttributeValue type");
            let count = if *operator == "BETWEEN" { 2 } else { 1 };
            check("s", operator, &vec![value.clone(); count], Err(&error));
        }
    }
    let same = format!("{prefix}AttributeValues inside AttributeValueList must be of same type");
    check("s", "IN", &[text("b"), number("1")], Err(&same));
    check(
        "s",
        "BETWEEN",
        &[text("b"), text("a")],
        Err(
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
        ),
    );
}

#[test]
fn tests_are_joined() {
    let joined = |operator| {
        let tests = vec![test("s", "EQ", &[text("abc")]), test("n", "EQ", &[number("6")])];
        conditions(Source::QueryFilter, tests, operator).unwrap().holds(&sample())
    };
    assert!(!joined(ConditionalOperator::And));
    assert!(joined(ConditionalOperator::Or));
    let none = conditions(Source::ScanFilter, vec![], ConditionalOperator::And).unwrap();
    assert!(none.holds(&sample()));
}

#[test]
fn keys_have_tests_that_an_index_can_answer() {
    let refused = |tests: Vec<Test>| key_conditions(tests).unwrap_err().to_string();
    assert_eq!(refused(vec![]), "Conditions can be of length 1 or 2 only");
    let several = ["a", "b", "c"].map(|name| test(name, "EQ", &[number("1")])).to_vec();
    assert_eq!(key_conditions(several).unwrap().terms.len(), 3);
    let indexable = "Attempted conditional constraint is not an indexable operation";
    for (operator, values) in [
        ("NULL", vec![]),
        ("NOT_NULL", vec![]),
        ("NE", vec![number("1")]),
        ("CONTAINS", vec![text("a")]),
        ("NOT_CONTAINS", vec![text("a")]),
        ("IN", vec![text("a")]),
    ] {
        assert_eq!(refused(vec![test("a", operator, &values)]), indexable);
    }
    let tests = vec![test("a", "EQ", &[text("1")]), test("b", "BETWEEN", &[text("1"), text("2")])];
    let condition = key_conditions(tests).unwrap();
    assert_eq!(
        format!("{:?}", condition.terms),
        r#"[KeyTerm { attribute: "a", test: Equal(S("1")) }, KeyTerm { attribute: "b", test: Between(S("1"), S("2")) }]"#
    );
}

#[test]
fn expectations_have_two_forms() {
    let base = || Expectation { attribute: "s".to_string(), ..Expectation::default() };
    let run = |expectation: Expectation| {
        expected(vec![expectation], ConditionalOperator::And)
            .map(|condition| condition.holds(&sample()))
            .map_err(|error| error.to_string())
    };
    let value = || Some(text("abc"));
    let less = Some(ComparisonOperator::Lt);
    let null = Some(ComparisonOperator::Null);
    assert_eq!(run(Expectation { value: value(), ..base() }), Ok(true));
    assert_eq!(run(Expectation { value: value(), exists: Some(true), ..base() }), Ok(true));
    assert_eq!(run(Expectation { exists: Some(false), ..base() }), Ok(false));
    assert_eq!(run(Expectation { value: value(), operator: less, ..base() }), Ok(false));
    assert_eq!(run(Expectation { operator: null, ..base() }), Ok(false));
    for (expectation, text) in [
        (base(), "Value must be provided when Exists is null"),
        (Expectation { exists: Some(true), ..base() }, "Value must be provided when Exists is true"),
        (
            Expectation { exists: Some(false), value: value(), ..base() },
            "Value cannot be used when Exists is false",
        ),
        (
            Expectation { operator: less, ..base() },
            "Value or AttributeValueList must be used with ComparisonOperator: LT",
        ),
        (
            Expectation { operator: less, exists: Some(true), ..base() },
            "Exists and ComparisonOperator cannot be used together",
        ),
        (
            Expectation { operator: less, value: value(), values: Some(vec![text("a")]), ..base() },
            "Value and AttributeValueList cannot be used together",
        ),
        (
            Expectation { values: Some(vec![text("a")]), exists: Some(true), ..base() },
            "AttributeValueList can only be used with a ComparisonOperator",
        ),
    ] {
        let text = format!("One or more parameter values were invalid: {text} for Attribute: s");
        assert_eq!(run(expectation), Err(text));
    }
    for (expectation, name) in [
        (Expectation { operator: null, value: value(), ..base() }, "NULL"),
        (Expectation { operator: Some(ComparisonOperator::Eq), values: Some(vec![]), ..base() }, "EQ"),
        (Expectation { operator: Some(ComparisonOperator::Between), value: value(), ..base() }, "BETWEEN"),
    ] {
        let text = "One or more parameter values were invalid: Invalid number of argument(s) for the";
        assert_eq!(run(expectation), Err(format!("{text} {name} ComparisonOperator")));
    }
}

#[test]
fn attributes_are_updated() {
    let run = |attribute: &str, action, value: Option<Value>| {
        let update = AttributeUpdate { attribute: attribute.to_string(), action, value };
        updates(vec![update])
            .and_then(|update| update.apply(&sample()))
            .map(|applied| applied.updated_new().remove(attribute))
            .map_err(|error| error.to_string())
    };
    let (put, add, delete) = (AttributeAction::Put, AttributeAction::Add, AttributeAction::Delete);
    assert_eq!(run("x", put, Some(text("1"))), Ok(Some(text("1"))));
    assert_eq!(run("n", add, Some(number("2"))), Ok(Some(number("7"))));
    assert_eq!(run("l", add, Some(list(vec![text("2")]))), Ok(Some(list(vec![number("1"), text("2")]))));
    assert_eq!(run("x", add, Some(list(vec![text("2")]))), Ok(Some(list(vec![text("2")]))));
    assert_eq!(run("set", delete, Some(set(&["a"]))), Ok(Some(set(&["b"]))));
    assert_eq!(run("set", delete, Some(set(&["a", "b"]))), Ok(None));
    assert_eq!(run("s", delete, None), Ok(None));
    assert_eq!(run("x", delete, Some(set(&["a"]))), Ok(None));
    let invalid = |text: &str| Err(format!("One or more parameter values were invalid: {text}"));
    for action in [put, add] {
        let text = "Only DELETE action is allowed when no attribute value is specified";
        assert_eq!(run("s", action, None), invalid(text));
    }
    for value in [text("1"), binary(b"a"), Value::Null, Value::Bool(true), map(&[])] {
        let name = value.type_of().name();
        assert_eq!(
            run("s", add, Some(value)),
            invalid(&format!("ADD action is not supported for the type {name}"))
        );
    }
    for value in
        [text("1"), number("1"), binary(b"a"), Value::Null, Value::Bool(true), map(&[]), list(vec![])]
    {
        let name = value.type_of().name();
        let text = format!("DELETE action with value is not supported for the type {name}");
        assert_eq!(run("s", delete, Some(value)), invalid(&text));
    }
    for (attribute, action, value) in [
        ("set", delete, numbers(&["1"])),
        ("n", delete, numbers(&["1"])),
        ("set", add, numbers(&["1"])),
        ("set", add, number("1")),
    ] {
        assert_eq!(
            run(attribute, action, Some(value)),
            Err("Type mismatch for attribute to update".to_string())
        );
    }
}
