//! Stored items, numbers and key order: what is written is read back, what was never written is refused, and the order
//! of bytes is the order of values.
#![no_main]

use bytes::Bytes;
use item::{Number, Stored, Value, append_ordered, append_ordered_prefix, item_bytes};

use proof_fuzz::source::Source;
use proof_fuzz::values::{any_item, plain};

/// Uses the bytes in one of five ways.
fn check(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    match source.byte() % 5 {
        0 => foreign(source.rest()),
        1 => round_trip(&mut source),
        2 => number_text(&String::from_utf8_lossy(source.rest())),
        3 => numbers_in_order(&mut source),
        _ => bytes_in_order(&mut source),
    }
}

/// Bytes that nobody stored are an item or they are not; an item is the same when it is stored again.
fn foreign(bytes: &[u8]) {
    let stored = Stored::from_bytes(Bytes::copy_from_slice(bytes));
    let _ = stored.attribute("a");
    let _ = stored.cursor().skip();
    if let Some(item) = stored.decode() {
        assert_eq!(Stored::encode(&item).decode(), Some(item));
    }
}

fn round_trip(source: &mut Source<'_>) {
    let item = any_item(source);
    let stored = Stored::encode(&item);
    assert_eq!(stored.decode().as_ref(), Some(&item));
    for (name, value) in &item {
        assert_eq!(stored.attribute(name).as_ref(), Some(value));
    }
    let _ = item_bytes(&item);
    // A byte changed on the way is found or makes another item; it never ends the program.
    let mut changed = stored.bytes().to_vec();
    let place = source.below(changed.len());
    if let Some(byte) = changed.get_mut(place) {
        *byte ^= source.byte();
    }
    foreign(&changed);
}

fn number_text(text: &str) {
    let Ok(number) = Number::parse(text) else { return };
    let shown = number.to_string();
    assert_eq!(Number::parse(&shown).ok(), Some(number), "{text} is shown as {shown}");
    assert!(number.digits() <= 38, "{text} has {} digits", number.digits());
    if let Ok(sum) = number.plus(number) {
        assert_eq!(sum.minus(number).ok(), Some(number), "{text}");
    }
}

fn numbers_in_order(source: &mut Source<'_>) {
    let (left, right) = (plain(source), plain(source));
    let (Ok(a), Ok(b)) = (Number::parse(&left.text()), Number::parse(&right.text())) else {
        for side in [&left, &right] {
            let fits = (-129..=126).contains(&side.magnitude);
            assert!(Number::parse(&side.text()).is_ok() || !fits, "{} was refused", side.text());
        }
        return;
    };
    assert_eq!(a.cmp(&b), left.order(&right), "{} and {}", left.text(), right.text());
    assert_eq!(
        ordered(&Value::N(a)).cmp(&ordered(&Value::N(b))),
        left.order(&right),
        "{} and {}",
        left.text(),
        right.text()
    );
}

fn bytes_in_order(source: &mut Source<'_>) {
    let half = source.below(40);
    let (left, right) = (source.take(half).to_vec(), source.rest().to_vec());
    let keys = [&left, &right].map(|bytes| ordered(&Value::B(bytes.clone().into())));
    let [a, b] = &keys;
    assert_eq!(a.cmp(b), left.cmp(&right));
    assert!(left == right || !(a.starts_with(b) || b.starts_with(a)), "one key begins with the other");
    let mut prefix = Vec::new();
    append_ordered_prefix(&mut prefix, &right);
    assert!(
        left.starts_with(&right) == a.starts_with(&prefix) || right.last() == Some(&0),
        "a prefix is not kept"
    );
    let texts = [&left, &right].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let [c, d] = &texts;
    assert_eq!(
        ordered(&Value::S(c.clone())).cmp(&ordered(&Value::S(d.clone()))),
        c.as_bytes().cmp(d.as_bytes())
    );
}

fn ordered(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    append_ordered(&mut out, value);
    out
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check(bytes));
