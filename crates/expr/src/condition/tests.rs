//! Conditions against items, and every text of refusal.

use item::{Item, Value};

use super::Condition;
use crate::Kind;
use crate::testing::{binary, item, list, map, number, numbers, placeholders, set, text};

fn values() -> Vec<(&'static str, Value)> {
    vec![
        (":s", text("abc")),
        (":prefix", text("ab")),
        (":n", number("5")),
        (":m", number("10")),
        (":b", binary(b"abc")),
        (":bp", binary(b"bc")),
        (":bool", Value::Bool(true)),
        (":null", Value::Null),
        (":ss", set(&["y", "x"])),
        (":ns", numbers(&["1", "2"])),
        (":bs", Value::Bs(vec![b"abc".to_vec().into()])),
        (":l", list(vec![number("1"), text("abc")])),
        (":map", map(&[("k", text("v"))])),
        (":type", text("SS")),
        (":bad", text("1")),
        (":zero", number("0")),
        (":one", number("1")),
        (":two", number("2")),
        (":three", number("3")),
        (":empty", text("")),
    ]
}

fn sample() -> Item {
    item(&[
        ("s", text("abc")),
        ("u", text("é\u{1D11E}")),
        ("n", number("5.0")),
        ("b", binary(b"abc")),
        ("t", Value::Bool(true)),
        ("null", Value::Null),
        ("ss", set(&["x", "y"])),
        ("ns", numbers(&["2", "1"])),
        ("bs", Value::Bs(vec![b"abc".to_vec().into()])),
        ("l", list(vec![number("1"), text("abc"), list(vec![text("deep")])])),
        ("m", map(&[("k", text("v")), ("name", map(&[("x", number("10"))]))])),
    ])
}

const NAMES: [(&str, &str); 4] = [("#a", "a"), ("#name", "name"), ("#null", "null"), ("#n", "n")];

fn check(expression: &str, expected: Result<bool, &str>) {
    let got = Condition::parse(Kind::Filter, expression, &mut placeholders(&NAMES, &values()));
    let got = got.map(|condition| condition.holds(&sample())).map_err(|error| error.to_string());
    let expected = expected.map_err(|text| format!("Invalid FilterExpression: {text}"));
    assert_eq!(got, expected, "{expression}");
}

#[test]
fn items_pass() {
    for expression in [
        "s = :s",
        "#n = :n",
        "n<:m",
        "n <= :n AND n >= :n",
        ":m > n",
        "s > :prefix",
        "b = :b",
        "b > :bp OR b < :bp",
        "ss = :ss",
        "ns = :ns",
        "bs = :bs",
        "t = :bool",
        "#null = :null",
        "s <> :n",
        "gone <> :n",
        "gone <> away",
        "NOT gone = :n",
        "not not s = :s",
        "NOT(s = :n)",
        "l[1] = :s",
        "m.k <> :s and m.#name.x = :m",
        "(m).#name.x = :m",
        "((m).#name.x) = :m",
        "s between :prefix and :s",
        "n BETWEEN :zero AND :m AND s = :s",
        "n between :zero and size(s) OR s = :s",
        "n IN (:s, :n, gone)",
        "s In (:s)",
        "(s)in((:s),(:n))",
        "attribute_exists(s)",
        "attribute_exists(l[2][0])",
        "attribute_not_exists(gone)",
        "attribute_not_exists(l[9])",
        "attribute_not_exists(s.x)",
        "attribute_type(ss, :type)",
        "attribute_type(:ss, :type)",
        "begins_with(s, :prefix)",
        "begins_with(s, :empty)",
        "begins_with(b, :b)",
        "begins_with(:s, :prefix)",
        "contains(s, :prefix)",
        "contains(b, :bp)",
        "contains(ns, :one)",
        "contains(bs, :b)",
        "contains(l, :one)",
        "contains(l, :s)",
        "contains(:ss, m.y) OR s = :s",
        "size(s) = :three",
        "size(u) = :three",
        "size (b) = :three",
        "size(ss) = :two",
        "size(l) = :three",
        "size(m) = :two",
        "(size(s)) < :m",
        "size(s) < size(:l) OR s = :s",
        "size(s) > size(:l)",
        ":s = :s",
        ":n < :m",
        "s = :s OR n = :m AND n = :m",
        "(s = :s OR n = :m) AND n = :n",
        "( ( ( size ( s )) < m.#name.x ) AND ( n > :one ) )",
        "((s = :s) AND (n = :n))",
        "attribute_exists(s)AND(attribute_exists(n)OR attribute_exists(z))",
    ] {
        check(expression, Ok(true));
    }
}

#[test]
fn items_do_not_pass() {
    for expression in [
        "s = :n",
        "s < :m",
        "n > s",
        "gone = :n",
        "gone < :n",
        "gone = away",
        "NOT s = :s",
        "s <> :s",
        "ss = :ns",
        "n between :m and :m",
        "gone between :zero and :m",
        "n in (:s, :m)",
        "gone in (away)",
        "attribute_exists(gone)",
        "attribute_not_exists(s)",
        "attribute_type(s, :type)",
        "attribute_type(gone, :type)",
        "begins_with(n, :prefix)",
        "begins_with(gone, :prefix)",
        "begins_with(b, :prefix)",
        "contains(s, :n)",
        "contains(n, :n)",
        "contains(gone, :s)",
        "contains(ss, :one)",
        "contains(m, :s)",
        "size(n) > :zero",
        "size(t) >= :zero",
        "size(#null) >= :zero",
        "size(gone) >= :zero",
        "l > :n",
        "ss > :s",
        "s = :s AND n = :m OR n = :m",
        "n = :m AND s = :s OR n = :m",
        "s = :s AND (n = :m OR n = :zero)",
    ] {
        check(expression, Ok(false));
    }
}

#[test]
fn syntax_errors_show_the_token_and_its_neighbours() {
    for (expression, token, near) in [
        ("things are not gonna be ok", "are", "things are not"),
        ("a", "<EOF>", "a"),
        ("attribute_exists(a) AND NOT #a", "<EOF>", "#a"),
        ("a > 4", "4", "> 4"),
        ("a > ", "<EOF>", ">"),
        ("attribute_exists(Pictures-RearView)", "-", "Pictures-RearView"),
        ("attribute_exists(\"Pictures.RearView\")", "\"", "(\"Pictures"),
        ("attribute_exists(Pictures..RearView)", ".", "..RearView"),
        ("attribute_exists(Pi#ctures.RearView)", "#ctures", "Pi#ctures."),
        ("attribute_exists(asdf[a])", "a", "[a]"),
        ("contains()", ")", "()"),
        ("a in b, c", "b", "in b,"),
        ("a > between", "between", "> between"),
        ("a in (b,c,)", ")", ",)"),
        ("(a)between(b.(c.d))and(c)", "(", ".(c"),
        ("(a)between(b.c.d)and((c)", "<EOF>", ")"),
        ("#$.b > a", "#", "#$"),
        ("a > :things.stuff", ".", ":things.stuff"),
        ("b[:a] > a", ":a", "[:a]"),
        ("b[#a] > a", "#a", "[#a]"),
        ("ü > a", "ü", "ü >"),
        ("(a)between(b.c[4.5].#d)and(:a)", ".", "4.5"),
        ("size(a).b > a", ".", ").b"),
        ("(size(a)).b > a", ".", ").b"),
        ("size(a)[0] > a", "[", ")[0"),
        ("(size(a))[0] > a", "[", ")[0"),
        ("a = (b = c)", "=", "b = c"),
        ("(a = b) = c", "=", ") = c"),
        ("a AND b = c", "AND", "a AND b"),
        ("(a) AND b = c", "AND", ") AND b"),
        ("a = b c", "c", "b c"),
        ("a == b", "=", "== b"),
        ("a.and = b", "and", ".and ="),
        ("set = :s", "set", "set ="),
        ("a = b)", ")", "b)"),
        ("a = :", ":", "= :"),
        ("a + b = c", "+", "a + b"),
        ("\u{1F600}", "\u{1F600}", "\u{1F600}"),
        (&"(".repeat(4000), "<EOF>", "("),
        (&"a=((".repeat(900), "=", "a=("),
        (&"size(".repeat(700), "<EOF>", "("),
        (&format!("{}a = :n", "(".repeat(200)), "<EOF>", ":n"),
    ] {
        check(expression, Err(&format!("Syntax error; token: \"{token}\", near: \"{near}\"")));
    }
}

#[test]
fn an_expression_has_limits() {
    check("", Err("The expression can not be empty;"));
    check(" \n", Err("The expression can not be empty;"));
    let long = format!("s = :s{}", " ".repeat(4090));
    check(&long, Ok(true));
    check(
        &format!("{long} "),
        Err("Expression size has exceeded the maximum allowed size; expression size: 4097"),
    );
    let count =
        |operators: usize| format!("The expression contains too many operators; operator count: {operators}");
    check(&vec!["n=:n"; 150].join(" AND "), Ok(true));
    check(&vec!["n=:n"; 151].join(" AND "), Err(&count(301)));
    check(&format!("{}n=:n", "NOT ".repeat(298)), Ok(true));
    check(&format!("{}n=:n", "NOT ".repeat(1000)), Err(&count(1001)));
    check(&format!("{}n=:n{}", "NOT(".repeat(298), ")".repeat(298)), Ok(true));
    check(&format!("{}n=:n{}", "NOT(".repeat(700), ")".repeat(700)), Err(&count(701)));
    check(
        &format!("{}n=:n{}", "(".repeat(2000), ")".repeat(2000)),
        Err("The expression has redundant parentheses;"),
    );
    let operands = |count: usize| format!("n IN ({})", vec![":n"; count].join(","));
    check(&operands(100), Ok(true));
    check(&operands(101), Err("The IN operator is provided with too many operands; number of operands: 101"));
    let path = format!("attribute_not_exists(l{})", "[1]".repeat(31));
    check(&path, Ok(true));
    let path = format!("attribute_not_exists(l{})", "[1]".repeat(1300));
    check(&path, Err("The document path has too many nesting elements; nesting levels: 1301"));
}

#[test]
fn errors_can_leave_out_what_was_sent() {
    for (expression, expected) in [
        ("a-b", "Invalid ConditionExpression: Syntax error; token: \"-\", near: \"a-b\""),
        (
            &"a".repeat(5000),
            "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size;",
        ),
        ("", "Invalid ConditionExpression: The expression can not be empty;"),
    ] {
        let got = Condition::parse(Kind::Condition, expression, &mut placeholders(&[], &[]));
        assert_eq!(got.unwrap_err().concise(), expected);
    }
}

#[test]
fn parentheses_around_parentheses_are_redundant() {
    for expression in [
        "a=a and a > ((views))",
        "(a)between(((b.c)).d)and(c)",
        "a > whatever((:things), ((a)))",
        "a=a AND ((a=a AND a=a)) AND a=a",
        "a=a OR ((a=a OR a=a)) OR a=a",
        "a=a AND ((a=a AND (a=a AND a=a)))",
        "a=a OR ((a=a OR (a=a OR a=a)))",
        "((a = b))",
    ] {
        check(expression, Err("The expression has redundant parentheses;"));
    }
}

#[test]
fn functions_have_names_and_places() {
    for (expression, function) in [
        ("a=a and whatever((:things)) > a", "whatever"),
        ("attRIbute_exIsts((views), #a)", "attRIbute_exIsts"),
        ("SIZE(a) > :n", "SIZE"),
    ] {
        check(expression, Err(&format!("Invalid function name; function: {function}")));
    }
    for (expression, function) in [
        ("a=a and attribute_exists((views), (#a)) > b", "attribute_exists"),
        ("attribute_not_exists(things) > b", "attribute_not_exists"),
        ("attribute_type(things, :a) > b", "attribute_type"),
        ("begins_with(things, a) > b", "begins_with"),
        ("contains(:things, c) > b", "contains"),
        ("size(contains(a, b)) > a", "contains"),
        ("size(things)", "size"),
        ("a between b and attribute_exists(things)", "attribute_exists"),
        ("a in (b, attribute_exists(things))", "attribute_exists"),
    ] {
        let text = "The function is not allowed to be used this way in an expression; function: ";
        check(expression, Err(&format!("{text}{function}")));
    }
    let text = "The function is not allowed in a condition expression; function: ";
    check("if_not_exists(a, :s) = :s", Err(&format!("{text}if_not_exists")));
}

#[test]
fn reserved_words_need_placeholders() {
    for (expression, word) in
        [("attribute_exists(views, #x)", "views"), (":x < abOrT", "abOrT"), ("a.b.ttl = :s", "ttl")]
    {
        check(expression, Err(&format!("Attribute name is a reserved keyword; reserved keyword: {word}")));
    }
}

#[test]
fn placeholders_must_be_defined() {
    for (expression, key) in [
        ("attribute_exists(#Pictures.RearView, :a) and a=a", "#Pictures"),
        ("begins_with(Pictures.#RearView)", "#RearView"),
        ("(#P between :lo and :hi) and (#PC in (:cat1, :cat2))", "#P"),
        ("#4g > a", "#4g"),
        ("#_ > a", "#_"),
        ("(a)between(b.c[45].#d)and(:a)", "#d"),
    ] {
        let text = "An expression attribute name used in the document path is not defined; attribute name: ";
        check(expression, Err(&format!("{text}{key}")));
    }
    for (expression, key) in [("begins_with(:hello, #x, #y)", ":hello"), (":x < :y", ":x"), (":_ > a", ":_")]
    {
        let text = "An expression attribute value used in expression is not defined; attribute value: ";
        check(expression, Err(&format!("{text}{key}")));
    }
}

#[test]
fn functions_take_a_number_of_operands() {
    for (expression, function, count) in [
        ("attribute_exists(things, a) and a=a", "attribute_exists", 2),
        ("attribute_not_exists(things, b)", "attribute_not_exists", 2),
        ("attribute_type(things)", "attribute_type", 1),
        ("begins_with(things)", "begins_with", 1),
        ("begins_with(things, size(a), b)", "begins_with", 3),
        ("contains(things)", "contains", 1),
        ("size(things, a) > b", "size", 2),
    ] {
        let text = "Incorrect number of operands for operator or function; operator or function: ";
        check(expression, Err(&format!("{text}{function}, number of operands: {count}")));
    }
}

#[test]
fn operands_have_types() {
    for (expression, operator, found) in [
        ("attribute_type(a, size(a)) and a=a and a=:n", "attribute_type", "N"),
        ("attribute_type(a, :n)", "attribute_type", "N"),
        ("attribute_type(a, :ss)", "attribute_type", "SS"),
        ("attribute_type(a, b)", "attribute_type", "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"),
        ("begins_with(a, size(a)) and a=:n", "begins_with", "N"),
        ("begins_with(a, :n)", "begins_with", "N"),
        ("begins_with(a, :bool)", "begins_with", "BOOL"),
        ("begins_with(:map, a)", "begins_with", "M"),
        ("size(size(a)) > :n", "size", "N"),
        ("attribute_not_exists(size(:n))", "size", "N"),
        ("size(:bool) > a", "size", "BOOL"),
        ("size(:null) > a", "size", "NULL"),
        ("a < :map", "<", "M"),
        (":bool >= a", ">=", "BOOL"),
        ("a between :ss and b", "BETWEEN", "SS"),
    ] {
        let text = "Incorrect operand type for operator or function; operator or function: ";
        check(expression, Err(&format!("{text}{operator}, operand type: {found}")));
    }
    check(
        "attribute_type(a, :bad)",
        Err("Invalid attribute type name found; type: 1, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"),
    );
    for (expression, function) in [
        ("attribute_exists(:s) and a=a", "attribute_exists"),
        ("attribute_not_exists(size(:s))", "attribute_not_exists"),
    ] {
        let text = "Operator or function requires a document path; operator or function: ";
        check(expression, Err(&format!("{text}{function}")));
    }
    check(
        "n between :m and :n",
        Err(
            "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound \
             operand: AttributeValue: {N:10}, upper bound operand: AttributeValue: {N:5}",
        ),
    );
    check(
        "n between :b and :n",
        Err("The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: \
             AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=3 cap=3]}, upper bound operand: AttributeValue: \
             {N:5}"),
    );
}

#[test]
fn the_first_operand_must_differ() {
    for (expression, operator, operand) in [
        ("a = a AND #a = b AND :views > a", "=", "[a]"),
        ("#a <> a", "<>", "[a]"),
        ("a > #a", ">", "[a]"),
        ("((a=a) OR (a=a))", "=", "[a]"),
        ("((a=a) AND (a=a))", "=", "[a]"),
        ("contains(ab.bc[1].a, ab.bc[1].#a)", "contains", "[ab, bc, [1], a]"),
        ("attribute_type(ab.bc[1].#a, ab.bc[1].a)", "attribute_type", "[ab, bc, [1], a]"),
        ("begins_with(ab.bc[1].a, ab.bc[1].#a)", "begins_with", "[ab, bc, [1], a]"),
        ("a between b and a", "BETWEEN", "[a]"),
        ("a in (b, a)", "IN", "[a]"),
    ] {
        let text =
            "The first operand must be distinct from the remaining operands for this operator or function;";
        check(expression, Err(&format!("{text} operator: {operator}, first operand: {operand}")));
    }
}

#[test]
fn paths_are_those_of_the_text() {
    let expression =
        "a.b = :s AND (size(c) > d OR attribute_exists(#name[0])) AND e IN (f, :s) AND NOT contains(g, h)";
    let condition = Condition::parse(Kind::Filter, expression, &mut placeholders(&NAMES, &values())).unwrap();
    let paths: Vec<String> = condition.paths().iter().map(ToString::to_string).collect();
    assert_eq!(paths, ["a.b", "c", "d", "name[0]", "e", "f", "g", "h"]);
    assert_eq!(condition.roots().collect::<Vec<_>>(), ["a", "c", "d", "name", "e", "f", "g", "h"]);
}
