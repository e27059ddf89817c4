//! Stored items, numbers and key order: what is written is read back, what was never written is refused, and the order
//! of bytes is the order of values.

use std::cmp::Ordering;

use bytes::Bytes;
use item::{Item, Number, Stored, Value, append_ordered, append_ordered_prefix, item_bytes};

use crate::source::Source;

/// Uses the bytes in one of five ways.
pub fn check(bytes: &[u8]) {
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
    let mut item = Item::new();
    for _ in 0..source.below(6) {
        item.insert(text(source), value(source, 0));
    }
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

/// Digits, where the point is, and the sign: compared as text, without the code under test.
struct Plain {
    is_negative: bool,
    digits: Vec<u8>,
    magnitude: i32,
}

fn plain(source: &mut Source<'_>) -> Plain {
    let count = 1 + source.below(38);
    let mut digits: Vec<u8> = (0..count).map(|_| source.byte() % 10).collect();
    if let Some(first) = digits.first_mut() {
        *first = *first % 9 + 1;
    }
    while digits.last() == Some(&0) {
        digits.pop();
    }
    // The place of the first digit before the point: 0 for 0.1, 1 for 1.
    let magnitude = match source.byte() % 4 {
        0 => i32::from(source.byte() % 4) - 1,
        1 => 126 - i32::from(source.byte() % 3),
        2 => i32::from(source.byte() % 3) - 129,
        _ => i32::from(source.byte()) - 129,
    };
    Plain { is_negative: source.byte() % 2 == 1, digits, magnitude }
}

impl Plain {
    fn text(&self) -> String {
        let digits: String = self.digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        let sign = if self.is_negative { "-" } else { "" };
        format!("{sign}0.{digits}E{}", self.magnitude)
    }

    fn order(&self, other: &Plain) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.size_order(other),
            (true, true) => other.size_order(self),
        }
    }

    fn size_order(&self, other: &Plain) -> Ordering {
        self.magnitude.cmp(&other.magnitude).then_with(|| self.digits.cmp(&other.digits))
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

fn text(source: &mut Source<'_>) -> String {
    let length = source.below(9);
    String::from_utf8_lossy(source.take(length)).into_owned()
}

fn any_number(source: &mut Source<'_>) -> Number {
    Number::parse(&plain(source).text()).unwrap_or_else(|_| Number::from(0))
}

fn value(source: &mut Source<'_>, depth: usize) -> Value {
    let some = source.below(4);
    match source.byte() % if depth < 6 { 10 } else { 5 } {
        0 => Value::S(text(source)),
        1 => Value::N(any_number(source)),
        2 => Value::B(Bytes::copy_from_slice(source.take(some * 40))),
        3 => Value::Bool(some > 1),
        4 => Value::Null,
        5 => Value::Ss((0..some).map(|_| text(source)).collect()),
        6 => Value::Ns((0..some).map(|_| any_number(source)).collect()),
        7 => Value::Bs((0..some).map(|_| Bytes::copy_from_slice(source.take(3))).collect()),
        8 => Value::L((0..some).map(|_| value(source, depth + 1)).collect()),
        _ => Value::M((0..some).map(|_| (text(source), value(source, depth + 1))).collect()),
    }
}
