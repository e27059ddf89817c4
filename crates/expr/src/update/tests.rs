//! Updates of items, what they answer, and every text of refusal.

use item::{Item, Value};

use super::Update;
use crate::Error;
use crate::testing::{binary, item, list, map, number, numbers, placeholders, set, text};

fn values() -> Vec<(&'static str, Value)> {
    let deep = (0..31).fold(text("leaf"), |value, _| map(&[("n", value)]));
    vec![
        (":s", text("new")),
        (":n", number("5")),
        (":max", number("9.9999999999999999999999999999999999999E125")),
        (":min", number("1E-130")),
        (":less", number("1.1E-130")),
        (":b", binary(b"a")),
        (":t", Value::Bool(true)),
        (":null", Value::Null),
        (":ss", set(&["b", "c"])),
        (":all", set(&["a", "b"])),
        (":ns", numbers(&["1"])),
        (":bs", Value::Bs(vec![b"a".to_vec().into()])),
        (":m", map(&[("k", text("v"))])),
        (":l", list(vec![text("x")])),
        (":e", list(vec![])),
        (":deep", deep),
    ]
}

fn sample() -> Item {
    item(&[
        ("s", text("old")),
        ("n", number("1")),
        ("big", number("9.9999999999999999999999999999999999999E125")),
        ("set", set(&["a", "b"])),
        ("ns", numbers(&["1"])),
        ("l", list(vec![text("l0"), text("l1"), text("l2"), list(vec![text("in0"), text("in1")])])),
        ("m", map(&[("k", text("v")), ("n", number("3")), ("set", set(&["a"]))])),
    ])
}

const NAMES: [(&str, &str); 5] =
    [("#c", "c"), ("#3", "[3]"), ("#set", "set"), ("#name", "name"), ("#1", "1")];

fn parse(expression: &str) -> Result<Update, Error> {
    Update::parse(expression, &mut placeholders(&NAMES, &values()))
}

/// Checks the attributes that differ after the update, none for one that is gone.
fn check(expression: &str, expected: &[(&str, Option<Value>)]) {
    let before = sample();
    let after = parse(expression).and_then(|update| update.apply(&before)).expect(expression).after;
    let mut wanted = before;
    for (name, value) in expected {
        match value {
            Some(value) => wanted.insert(name.to_string(), value.clone()),
            None => wanted.remove(*name),
        };
    }
    assert_eq!(after, wanted, "{expression}");
}

fn refused(expression: &str, expected: &str) {
    assert_eq!(
        parse(expression).expect_err(expression).to_string(),
        format!("Invalid UpdateExpression: {expected}")
    );
}

fn fails(expression: &str, expected: &str) {
    let got = parse(expression).expect(expression).apply(&sample());
    assert_eq!(got.map_err(|error| error.to_string()), Err(expected.to_string()), "{expression}");
}

#[test]
fn attributes_are_set_and_removed() {
    check("SET s = :s", &[("s", Some(text("new")))]);
    check("set a = s, b = n REMOVE s", &[("a", Some(text("old"))), ("b", Some(number("1"))), ("s", None)]);
    check("SET s = n, n = s", &[("s", Some(number("1"))), ("n", Some(text("old")))]);
    check("SET n = n + :n", &[("n", Some(number("6")))]);
    check("SET n = (:n - n), a = ((m.n)+(n))", &[("n", Some(number("4"))), ("a", Some(number("4")))]);
    check("SET n = if_not_exists(n, :n) + :n", &[("n", Some(number("6")))]);
    check("SET a = if_not_exists(a, :n) + :n", &[("a", Some(number("10")))]);
    check("SET a = if_not_exists(a, if_not_exists(b, s))", &[("a", Some(text("old")))]);
    check("SET a = list_append(if_not_exists(a, :e), (:l))", &[("a", Some(list(vec![text("x")])))]);
    check("SET a = list_append(l[3], :l)", &[("a", Some(list(vec![text("in0"), text("in1"), text("x")])))]);
    check("REMOVE gone, s", &[("s", None)]);
    check("SET #name = :s", &[("name", Some(text("new")))]);
}

#[test]
fn paths_lead_into_maps_and_lists() {
    let changed = map(&[("k", text("new")), ("n", number("3")), ("set", set(&["a"])), ("x", number("5"))]);
    check("SET m.k = :s, m.x = :n", &[("m", Some(changed))]);
    check("REMOVE m.k, m.gone", &[("m", Some(map(&[("n", number("3")), ("set", set(&["a"]))])))]);
    let inner = || list(vec![text("in0"), text("in1")]);
    let l = |elements: &[&str], last: Value| {
        ("l", Some(list(elements.iter().map(|element| text(element)).chain([last]).collect())))
    };
    check("SET l[1] = :s", &[l(&["l0", "new", "l2"], inner())]);
    check("REMOVE l[0], l[2]", &[l(&["l1"], inner())]);
    check("REMOVE l[2], l[0], l[9]", &[l(&["l1"], inner())]);
    check("REMOVE l[0], l[3][0]", &[l(&["l1", "l2"], list(vec![text("in1")]))]);
    check("SET l[1] = :s REMOVE l[0]", &[l(&["new", "l2"], inner())]);
    check(
        "REMOVE l[1] SET l[3][7] = :s, l[3][0] = :n",
        &[("l", Some(list(vec![text("l0"), text("l2"), list(vec![number("5"), text("in1"), text("new")])])))],
    );
    let with_new = |new: &[Value]| {
        let old = vec![text("l0"), text("l1"), text("l2"), inner()];
        ("l", Some(list(old.into_iter().chain(new.iter().cloned()).collect())))
    };
    check("SET l[99] = :s", &[with_new(&[text("new")])]);
    check(
        "SET l[9] = :s, l[7] = :n ADD l[8] :ss",
        &[with_new(&[number("5"), set(&["b", "c"]), text("new")])],
    );
    check(
        "SET l[4] = :s REMOVE l[5], l[0]",
        &[("l", Some(list(vec![text("l1"), text("l2"), inner(), text("new")])))],
    );
}

#[test]
fn numbers_and_sets_are_added_to() {
    check("ADD n :n, a :n", &[("n", Some(number("6"))), ("a", Some(number("5")))]);
    check("ADD #set :ss", &[("set", Some(set(&["a", "b", "c"])))]);
    check("add b :bs", &[("b", Some(Value::Bs(vec![b"a".to_vec().into()])))]);
    check("DELETE #set :ss", &[("set", Some(set(&["a"])))]);
    check("DELETE #set :all", &[("set", None)]);
    check("DELETE gone :ss", &[]);
    check("DELETE m.#set :all", &[("m", Some(map(&[("k", text("v")), ("n", number("3"))])))]);
    check(
        "delete ns :ns add m.n :n remove s set a = :t",
        &[
            ("ns", None),
            ("m", Some(map(&[("k", text("v")), ("n", number("8")), ("set", set(&["a"]))]))),
            ("s", None),
            ("a", Some(Value::Bool(true))),
        ],
    );
}

#[test]
fn touched_parts_are_answered() {
    let old = |expression: &str| parse(expression).unwrap().apply(&sample()).unwrap().updated_old(&sample());
    let new = |expression: &str| parse(expression).unwrap().apply(&sample()).unwrap().updated_new();
    assert_eq!(old("SET s = :s, a = :n"), item(&[("s", text("old"))]));
    assert_eq!(new("SET s = :s, a = :n"), item(&[("s", text("new")), ("a", number("5"))]));
    assert_eq!(old("SET m.k = :s"), item(&[("m", map(&[("k", text("v"))]))]));
    assert_eq!(
        new("SET m.k = :s, l[1] = :n REMOVE n"),
        item(&[("m", map(&[("k", text("new"))])), ("l", list(vec![number("5")])),])
    );
    assert_eq!(new("REMOVE s"), Item::new());
    assert_eq!(old("REMOVE s"), item(&[("s", text("old"))]));
    // Places behind the end answer what stands there afterwards.
    let expression =
        "set m.c=((n)+(m.n)),m.k = s,l[1] = s, l[4] = n - m.n, l[6] = m.n add l[10] :ss, l[8] :n";
    let expected = list(vec![text("old"), number("-2"), number("5")]);
    assert_eq!(new(expression).get("l"), Some(&expected));
}

#[test]
fn syntax_errors_show_the_token_and_its_neighbours() {
    for (expression, token, near) in [
        ("INVALID SYNTAX HERE", "INVALID", "INVALID SYNTAX"),
        ("whatever", "whatever", "whatever"),
        ("set a", "<EOF>", "a"),
        ("add a", "<EOF>", "a"),
        ("set", "<EOF>", "set"),
        ("set a=set", "set", "=set"),
        ("remove a = b", "=", "a = b"),
        ("add a = b", "=", "a = b"),
        ("delete a b", "b", "a b"),
        ("delete a if_not_exist(b)", "if_not_exist", "a if_not_exist("),
        ("add abort b", "b", "abort b"),
        ("remove a b", "b", "a b"),
        ("set :a = b", ":a", "set :a ="),
        ("ADD hits : incr", ":", "hits : incr"),
        ("set a = b / c", "/", "b / c"),
        ("set a[1] = \"eight\"", "\"", "= \"eight"),
        ("SET MyStr = myNum + 1", "1", "+ 1"),
        ("SET MyStr = myNum Mystr2 myNum2", "Mystr2", "myNum Mystr2 myNum2"),
        ("SET path = VALUE 1", "1", "VALUE 1"),
        ("SET a = if_not_exist(a, 100)", "100", ", 100)"),
        ("SET if_not_exist(a, b) = a", "(", "if_not_exist(a"),
        ("set (a = (b + c))", "(", "set (a"),
        ("set a = (b.c).d + e", ".", ").d"),
        ("set a = (b.c)[0] + e", "[", ")[0"),
        ("set a = b + c + d", "+", "c + d"),
        ("set a = (b + c) + d", "+", ") + d"),
        ("set a = list_append(b, c + d)", "+", "c + d"),
        ("set a = b,", "<EOF>", ","),
        ("set a = b, set c = d", "set", ", set c"),
        (&format!("set a = {}", "(".repeat(4000)), "<EOF>", "("),
        (&format!("set a = {}", "list_append(b,".repeat(290)), "<EOF>", ","),
    ] {
        refused(expression, &format!("Syntax error; token: \"{token}\", near: \"{near}\""));
    }
}

#[test]
fn checks_follow_each_other() {
    refused("", "The expression can not be empty;");
    refused("set a = ((b))", "The expression has redundant parentheses;");
    refused(
        &format!("set a = {}b{}", "(".repeat(2000), ")".repeat(2000)),
        "The expression has redundant parentheses;",
    );
    refused("set #c = if_not_exist(:c) set c = d", "Invalid function name; function: if_not_exist");
    refused("set a = size(b)", "The function is not allowed in an update expression; function: size");
    for (expression, word) in [
        (" set #c = :c set abOrt = true ", "abOrt"),
        (" remove Absolute ", "Absolute"),
        ("set a = list_append(b, ttl)", "ttl"),
    ] {
        refused(expression, &format!("Attribute name is a reserved keyword; reserved keyword: {word}"));
    }
    for (expression, section) in [
        ("set a = #x set c = :d", "SET"),
        ("remove #d set a = b remove e", "REMOVE"),
        ("add #d :e set a = b add e :f", "ADD"),
        ("delete #d :e set a = b delete #e :f", "DELETE"),
    ] {
        let text = format!("The \"{section}\" section can only be used once in an update expression;");
        refused(expression, &text);
    }
    refused(
        "SET #x = if_not_exists(:x)",
        "An expression attribute name used in the document path is not defined; attribute name: #x",
    );
    refused(
        "SET a = if_not_exists(:x)",
        "An expression attribute value used in expression is not defined; attribute value: :x",
    );
    refused("REMOVE l[2147483648]", "List index is not within the allowable range; index: [2147483648]");
}

#[test]
fn paths_must_not_meet() {
    let text = "with each other; must remove or rewrite one of these paths; path one: ";
    for (expression, one, two) in [
        ("set a = :s, a.b = :s", "[a]", "[a, b]"),
        ("set a = :s, a = :n", "[a]", "[a]"),
        ("set d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a)", "[c, [1], a]", "[c]"),
        ("set #c[3].#3 = a, #c[3] = a", "[c, [3], [3]]", "[c, [3]]"),
        ("set c.b.#c = a, c = a, #3 = a", "[c, b, c]", "[[3]]"),
        ("set a = b remove a, #c, #3", "[a]", "[[3]]"),
        ("remove c, #c.a, #3", "[c]", "[[3]]"),
        ("remove a, #c, a, #3", "[a]", "[[3]]"),
    ] {
        refused(expression, &format!("Two document paths overlap {text}{one}, path two: {two}"));
    }
    for (expression, one, two) in [
        ("set #c[3].#3 = a, #c.#3[3] = if_not_exists(a)", "[c, [3], [3]]", "[c, [3], [3]]"),
        ("remove a.#c set a[1] = #3", "[a, c]", "[a, [1]]"),
    ] {
        refused(expression, &format!("Two document paths conflict {text}{one}, path two: {two}"));
    }
    assert!(parse("set a.b = :s, a.c = :s, b[0] = :s, b[1].x = :s remove b[2], c").is_ok());
}

#[test]
fn operands_have_types() {
    for (expression, operator, found) in [
        ("set b = list_append(:s, a), c = if_not_exists(a) add a.b :s", "ADD", "STRING"),
        ("delete a.b :s", "DELETE", "STRING"),
        ("add a.b :null", "ADD", "NULL"),
        ("add a.b :t", "ADD", "BOOL"),
        ("add a.b :b", "ADD", "BINARY"),
        ("add a.b :m", "ADD", "MAP"),
        ("add a.b :l", "ADD", "LIST"),
        ("delete a.b :n", "DELETE", "NUMBER"),
    ] {
        refused(
            expression,
            &format!(
                "Incorrect operand type for operator or function; operator: {operator}, operand type: {found}, typeSet: \
             ALLOWED_FOR_ADD_OPERAND"
            ),
        );
    }
    for (expression, function, count) in [
        ("set a = if_not_exists(c)", "if_not_exists", 1),
        ("set a = list_append(c)", "list_append", 1),
        ("set a = list_append(c, d, e)", "list_append", 3),
    ] {
        let text = "Incorrect number of operands for operator or function; operator or function: ";
        refused(expression, &format!("{text}{function}, number of operands: {count}"));
    }
    for expression in ["set a = if_not_exists(:s, c)", "set a = if_not_exists(if_not_exists(a, b), c)"] {
        let text = "Operator or function requires a document path; operator or function: ";
        refused(expression, &format!("{text}if_not_exists"));
    }
    for (expression, operator, found) in [
        ("set a = list_append(:s, a)", "list_append", "S"),
        ("set a = list_append(a, :n)", "list_append", "N"),
        ("set a = list_append(:m, a)", "list_append", "M"),
        ("set a = a + :s", "+", "S"),
        ("set a = :s + :b", "+", "S"),
        ("set a = :b - a", "-", "B"),
        ("set a = a - :l", "-", "L"),
    ] {
        let text = "Incorrect operand type for operator or function; operator or function: ";
        refused(expression, &format!("{text}{operator}, operand type: {found}"));
    }
}

#[test]
fn items_must_fit() {
    for expression in ["set a = b", "set a = list_append(b, c)", "set a = b + :n", "set l[0] = l[7]"] {
        fails(expression, "The provided expression refers to an attribute that does not exist in the item");
    }
    for expression in [
        "delete ns :ss",
        "delete m :ns",
        "delete m.#set :ns",
        "delete n :ns",
        "add m :ns",
        "add ns :n",
        "set e = s + :n",
        "set e = m - :n",
        "set e = list_append(ns, if_not_exists(f, :l))",
    ] {
        fails(expression, "An operand in the update expression has an incorrect data type");
    }
    for head in ["set PATH = :ss", "remove PATH", "delete PATH :ss", "add PATH :ss"] {
        for path in ["s.a", "s[1]", "y.a", "y[1]", "m[1]", "l.#1", "l[9].a", "m.x.y", "l[9][0]"] {
            let text = "The document path provided in the update expression is invalid for update";
            fails(&head.replace("PATH", path), text);
        }
    }
    let overflow = "Number overflow. Attempting to store a number with magnitude larger than supported range";
    fails("set big = big + :max", overflow);
    fails("add big :max", overflow);
    fails("set a = big + :n", "Attempting to store more than 38 significant digits in a Number");
    fails(
        "set a = :min - :less",
        "Number underflow. Attempting to store a number with magnitude smaller than supported range",
    );
}

#[test]
fn attributes_are_at_most_32_levels_deep() {
    let nesting = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit";
    assert!(parse("set a = :deep").unwrap().apply(&sample()).is_ok());
    fails("set m.x = :deep", nesting);
    fails("set l[0] = :deep", nesting);
}

#[test]
fn paths_are_those_of_the_text() {
    let update = parse("set a.b = if_not_exists(c, d), e = f + l[0] remove g add h :n").unwrap();
    let paths = |paths: Vec<&crate::Path>| paths.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(paths(update.paths().collect()), ["a.b", "e", "g", "h"]);
    assert_eq!(paths(update.sources()), ["c", "d", "f", "l[0]"]);
    assert_eq!(update.roots().collect::<Vec<_>>(), ["a", "e", "g", "h"]);
}
