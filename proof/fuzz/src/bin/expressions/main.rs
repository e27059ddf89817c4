//! Expressions of every kind, as any text and as a row of words: read, applied to an item, and what comes of it stored. And
//! conditions as trees, which hold exactly when the tree does.
#![no_main]

mod trees;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use expr::{Condition, KeyCondition, Kind, Placeholders, Projection, Update};
use item::{Item, Number, Stored, Value};

use crate::trees::{VALUES, grow};
use proof_fuzz::source::Source;

const WORDS: [&str; 58] = [
    "a",
    "b",
    "c",
    "l",
    "m",
    "s",
    "n",
    "ss",
    "ns",
    "bs",
    "#n",
    "#m",
    ":n",
    ":s",
    ":l",
    ":m",
    ":ss",
    ":ns",
    ":b",
    ":bs",
    "(",
    ")",
    ",",
    ".",
    "[0]",
    "[1]",
    "[",
    "]",
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    " AND ",
    " OR ",
    " NOT ",
    " BETWEEN ",
    " IN ",
    "SET ",
    " REMOVE ",
    " ADD ",
    " DELETE ",
    "size(",
    "contains(",
    "begins_with(",
    "attribute_exists(",
    "attribute_not_exists(",
    "attribute_type(",
    "if_not_exists(",
    "list_append(",
    " ",
    "9",
    "99999999999",
    "\u{e9}",
    "name",
];

/// What every input uses: to make it would take longer than the input.
struct Given {
    /// Of what is used only the used part is noted, which nothing here asks for.
    placeholders: Placeholders,
    item: Item,
}

thread_local! {
    static GIVEN: RefCell<Given> = RefCell::new(Given { placeholders: placeholders(), item: sample() });
}

/// Reads the bytes as an expression of every kind.
fn check(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    let way = source.byte() % 3;
    GIVEN.with(|given| {
        let given = &mut *given.borrow_mut();
        if way == 0 {
            return tree(given, &mut source);
        }
        let rest = source.rest();
        let text = if way == 1 {
            let words = rest.iter().filter_map(|byte| WORDS.get(usize::from(*byte) % WORDS.len()));
            words.copied().collect()
        } else {
            String::from_utf8_lossy(rest).into_owned()
        };
        conditions(given, &text);
        update(given, &text);
        if let Ok(projection) = Projection::parse(&text, &mut given.placeholders) {
            let cut = projection.cut(&given.item);
            assert_eq!(Stored::encode(&cut).decode().as_ref(), Some(&cut), "{text}");
            let roots: BTreeSet<&str> = projection.roots().collect();
            assert!(cut.keys().all(|name| roots.contains(name.as_str())), "{text} shows {cut:?}");
        }
        let _ = KeyCondition::parse(&text, &mut given.placeholders);
    });
}

fn tree(given: &mut Given, source: &mut Source<'_>) {
    let tree = grow(source, 0);
    let read = Condition::parse(Kind::Condition, &tree.text, &mut given.placeholders);
    let condition = read.unwrap_or_else(|error| panic!("{}: {error:?}", tree.text));
    assert_eq!(condition.holds(&given.item), tree.holds, "{}", tree.text);
}

fn conditions(given: &mut Given, text: &str) {
    for kind in [Kind::Condition, Kind::Filter, Kind::KeyCondition] {
        let Ok(condition) = Condition::parse(kind, text, &mut given.placeholders) else { continue };
        let answers = [condition.holds(&given.item), condition.holds(&Item::new())];
        // What is in parentheses already is refused in two of them.
        let negated = format!("NOT ({text})");
        if let Ok(negated) = Condition::parse(kind, &negated, &mut given.placeholders) {
            let contrary = [negated.holds(&given.item), negated.holds(&Item::new())];
            assert_eq!(contrary, answers.map(|holds| !holds), "NOT ({text})");
        }
    }
}

fn update(given: &mut Given, text: &str) {
    let Ok(update) = Update::parse(text, &mut given.placeholders) else { return };
    let roots: BTreeSet<&str> = update.roots().collect();
    for before in [&given.item, &Item::new()] {
        let Ok(applied) = update.apply(before) else { continue };
        let after = &applied.after;
        assert_eq!(Stored::encode(after).decode().as_ref(), Some(after), "{text}");
        for name in before.keys().chain(after.keys()) {
            let is_kept = before.get(name) == after.get(name);
            assert!(is_kept || roots.contains(name.as_str()), "{text} changes {name}");
        }
        for (shown, whole) in [(applied.updated_new(), after), (applied.updated_old(before), before)] {
            assert!(shown.keys().all(|name| whole.contains_key(name)), "{text} shows {shown:?} of {whole:?}");
        }
    }
}

fn number(value: i64) -> Value {
    Value::N(Number::from(value))
}

fn placeholders() -> Placeholders {
    let names = [("#n", "name"), ("#m", "m")].map(|(short, name)| (short.to_string(), name.to_string()));
    let values = [
        (":n", number(7)),
        (":s", Value::S("S".into())),
        (":l", Value::L(vec![Value::Null, number(1)])),
        (":m", Value::M(Item::from([("k".to_string(), number(1))]))),
        (":ss", Value::Ss(vec!["x".into(), "y".into()])),
        (":ns", Value::Ns(vec![Number::from(1), Number::from(2)])),
        (":b", Value::B(vec![0, 255].into())),
        (":bs", Value::Bs(vec![vec![1].into()])),
    ];
    let ordered = VALUES.map(|(name, value)| (name.to_string(), value.value()));
    let values = values.map(|(name, value)| (name.to_string(), value)).into_iter().chain(ordered);
    Placeholders::new(Some(BTreeMap::from(names)), Some(values.collect())).unwrap_or_default()
}

fn sample() -> Item {
    let list = Value::L(vec![Value::S("x".into()), number(1), Value::L(vec![Value::Bool(true)])]);
    let attributes = [
        ("a", number(3)),
        ("b", Value::B(vec![1, 2].into())),
        ("c", Value::Bool(false)),
        ("l", list.clone()),
        ("m", Value::M(Item::from([("k".to_string(), list), ("b".to_string(), Value::Null)]))),
        ("s", Value::S("text".into())),
        ("n", Value::N(Number::parse("-12.5E-3").unwrap_or_else(|_| Number::from(0)))),
        ("ss", Value::Ss(vec!["x".into(), "z".into()])),
        ("ns", Value::Ns(vec![Number::from(2), Number::from(9)])),
        ("bs", Value::Bs(vec![vec![1].into(), vec![2].into()])),
        ("name", Value::S("N".into())),
    ];
    attributes.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check(bytes));
