//! Expressions of every kind, as any text and as a row of words: read, applied to an item, and what comes of it stored.

use std::collections::BTreeMap;

use expr::{Condition, KeyCondition, Kind, Placeholders, Projection, Update};
use item::{Item, Number, Stored, Value};

use crate::source::Source;

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

/// Reads the bytes as an expression of every kind.
pub fn check(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    let is_words = source.byte().is_multiple_of(2);
    let rest = source.rest();
    let text = if is_words {
        let words = rest.iter().filter_map(|byte| WORDS.get(usize::from(*byte) % WORDS.len()));
        words.copied().collect()
    } else {
        String::from_utf8_lossy(rest).into_owned()
    };
    let item = sample();
    for kind in [Kind::Condition, Kind::Filter, Kind::KeyCondition] {
        if let Ok(condition) = Condition::parse(kind, &text, &mut placeholders()) {
            condition.holds(&item);
            condition.holds(&Item::new());
        }
    }
    if let Ok(update) = Update::parse(&text, &mut placeholders()) {
        for before in [&item, &Item::new()] {
            if let Ok(applied) = update.apply(before) {
                applied.updated_new();
                applied.updated_old(before);
            }
        }
    }
    if let Ok(projection) = Projection::parse(&text, &mut placeholders()) {
        let cut = projection.cut(&item);
        assert_eq!(Stored::encode(&cut).decode().as_ref(), Some(&cut), "{text}");
    }
    let _ = KeyCondition::parse(&text, &mut placeholders());
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
    let values = values.map(|(name, value)| (name.to_string(), value));
    Placeholders::new(Some(BTreeMap::from(names)), Some(BTreeMap::from(values))).unwrap_or_default()
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
