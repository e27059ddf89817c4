//! Records of the catalog: items whose attributes are read and written by name. Knows no table.

use item::{Item, Number, Value};

use super::words::Word;

/// The attributes of a record that is being written.
#[derive(Default)]
pub(super) struct Fields(pub(super) Item);

impl Fields {
    /// A text.
    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.0.insert(name.into(), Value::S(text.into()));
    }

    /// A state or a kind, by its word.
    pub(super) fn word(&mut self, name: &str, word: impl Word) {
        self.text(name, word.word());
    }

    /// A yes or no.
    pub(super) fn flag(&mut self, name: &str, flag: bool) {
        self.0.insert(name.into(), Value::Bool(flag));
    }

    /// A number, if there is one.
    pub(super) fn number(&mut self, name: &str, number: Option<u64>) {
        self.insert_number(name, number.map(i128::from));
    }

    /// A number of either sign, if there is one.
    pub(super) fn signed(&mut self, name: &str, number: Option<i64>) {
        self.insert_number(name, number.map(i128::from));
    }

    fn insert_number(&mut self, name: &str, number: Option<i128>) {
        if let Some(number) = number.and_then(|number| Number::from_parts(number, 0)) {
            self.0.insert(name.into(), Value::N(number));
        }
    }

    /// A part, if there is one.
    pub(super) fn map<T>(&mut self, name: &str, value: Option<&T>, fill: impl Fn(&mut Fields, &T)) {
        if let Some(value) = value {
            self.0.insert(name.into(), Value::M(filled(value, fill)));
        }
    }

    /// Parts, in order.
    pub(super) fn list<T>(&mut self, name: &str, values: &[T], fill: impl Fn(&mut Fields, &T)) {
        let values = values.iter().map(|value| Value::M(filled(value, &fill))).collect();
        self.0.insert(name.into(), Value::L(values));
    }
}

fn filled<T>(value: &T, fill: impl Fn(&mut Fields, &T)) -> Item {
    let mut fields = Fields::default();
    fill(&mut fields, value);
    fields.0
}

/// A text; none if it is absent or something else.
pub(super) fn text(record: &Item, name: &str) -> Option<String> {
    if let Value::S(text) = record.get(name)? { Some(text.clone()) } else { None }
}

/// A state or a kind.
pub(super) fn word<T: Word>(record: &Item, name: &str) -> Option<T> {
    T::from_word(&text(record, name)?)
}

/// A yes; anything else is a no.
pub(super) fn flag(record: &Item, name: &str) -> bool {
    matches!(record.get(name), Some(Value::Bool(true)))
}

/// A number of either sign.
pub(super) fn signed(record: &Item, name: &str) -> Option<i64> {
    if let Value::N(number) = record.get(name)? { number.to_i64() } else { None }
}

/// A number.
pub(super) fn number(record: &Item, name: &str) -> Option<u64> {
    let Value::N(number) = record.get(name)? else { return None };
    match number.to_i64() {
        Some(number) => u64::try_from(number).ok(),
        // Stamps of times that are centuries away need the last bit.
        None => number.to_string().parse().ok(),
    }
}

/// A part that may be absent; none in none if it is there and damaged.
pub(super) fn map<T>(record: &Item, name: &str, read: impl Fn(&Item) -> Option<T>) -> Option<Option<T>> {
    match record.get(name) {
        None => Some(None),
        Some(Value::M(part)) => read(part).map(Some),
        Some(_) => None,
    }
}

/// Parts, none of them if the list is absent; none if one is damaged.
pub(super) fn list<T>(record: &Item, name: &str, read: impl Fn(&Item) -> Option<T>) -> Option<Vec<T>> {
    let values = match record.get(name) {
        None => return Some(Vec::new()),
        Some(Value::L(values)) => values,
        Some(_) => return None,
    };
    values.iter().map(|value| if let Value::M(part) = value { read(part) } else { None }).collect()
}
