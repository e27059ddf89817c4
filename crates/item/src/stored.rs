//! The compact form in which items lie in the store, read without building a tree.
//!
//! A value is a tag and its content; lengths and counts are variable-length integers; the attributes of a map stand in
//! the order of their names. The item itself is the content of a map.

use bytes::Bytes;

use crate::{Item, Number, Type, Value};

/// An item in its stored form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stored(Bytes);

impl Stored {
    /// Takes bytes that [`Stored::encode`] made.
    pub fn from_bytes(bytes: Bytes) -> Stored {
        Stored(bytes)
    }

    /// Puts an item into its stored form.
    pub fn encode(item: &Item) -> Stored {
        let mut out = Vec::with_capacity(256);
        append_map(&mut out, item);
        Stored(out.into())
    }

    /// The bytes to store.
    pub fn bytes(&self) -> &Bytes {
        &self.0
    }

    /// The item as a tree; none if the bytes are not an item.
    pub fn decode(&self) -> Option<Item> {
        let mut cursor = self.cursor();
        let item = cursor.read_map()?;
        cursor.rest.is_empty().then_some(item)
    }

    /// Reads from the first byte: a count of attributes, then names and values in turn.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor { rest: &self.0 }
    }

    /// One attribute, found without decoding the others.
    pub fn attribute(&self, name: &str) -> Option<Value> {
        let mut cursor = self.cursor();
        for _ in 0..cursor.count()? {
            match cursor.text()?.cmp(name.as_bytes()) {
                std::cmp::Ordering::Less => cursor.skip()?,
                std::cmp::Ordering::Equal => return cursor.read_value(),
                std::cmp::Ordering::Greater => return None,
            }
        }
        None
    }
}

/// One value as it lies in the bytes. The content of sets, lists and maps follows at the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View<'a> {
    /// A string, valid UTF-8 as it was stored.
    S(&'a [u8]),
    /// A number.
    N(Number),
    /// A binary.
    B(&'a [u8]),
    /// A truth value.
    Bool(bool),
    /// The null value.
    Null,
    /// A set of strings: so many times [`Cursor::text`] follow.
    Ss(usize),
    /// A set of numbers: so many times [`Cursor::number`] follow.
    Ns(usize),
    /// A set of binaries: so many times [`Cursor::text`] follow.
    Bs(usize),
    /// A list: so many times [`Cursor::view`] follow.
    L(usize),
    /// A map: so many pairs of [`Cursor::text`] and [`Cursor::view`] follow.
    M(usize),
}

/// A place in stored bytes. Every step answers none at bytes that no item encodes to.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// A length or a count.
    pub fn count(&mut self) -> Option<usize> {
        usize::try_from(self.varint()?).ok()
    }

    /// A name, a string or a binary.
    pub fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.count()?;
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(text)
    }

    /// A number.
    pub fn number(&mut self) -> Option<Number> {
        let exponent = i16::try_from(unzigzag(self.varint()?)).ok()?;
        Number::from_parts(unzigzag(self.varint()?), exponent)
    }

    /// The next value.
    pub fn view(&mut self) -> Option<View<'a>> {
        let (&tag, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(match tag {
            0 => View::S(self.text()?),
            1 => View::N(self.number()?),
            2 => View::B(self.text()?),
            3 => View::Ss(self.count()?),
            4 => View::Ns(self.count()?),
            5 => View::Bs(self.count()?),
            6 => View::Bool(false),
            7 => View::Bool(true),
            8 => View::Null,
            9 => View::L(self.count()?),
            10 => View::M(self.count()?),
            _ => return None,
        })
    }

    /// Steps over the next value.
    pub fn skip(&mut self) -> Option<()> {
        match self.view()? {
            View::S(_) | View::N(_) | View::B(_) | View::Bool(_) | View::Null => {}
            View::Ss(count) | View::Bs(count) => {
                for _ in 0..count {
                    self.text()?;
                }
            }
            View::Ns(count) => {
                for _ in 0..count {
                    self.number()?;
                }
            }
            View::L(count) => {
                for _ in 0..count {
                    self.skip()?;
                }
            }
            View::M(count) => {
                for _ in 0..count {
                    self.text()?;
                    self.skip()?;
                }
            }
        }
        Some(())
    }

    /// The next value as a tree.
    pub fn read_value(&mut self) -> Option<Value> {
        Some(match self.view()? {
            View::S(text) => Value::S(owned(text)?),
            View::N(number) => Value::N(number),
            View::B(bytes) => Value::B(Bytes::copy_from_slice(bytes)),
            View::Bool(truth) => Value::Bool(truth),
            View::Null => Value::Null,
            View::Ss(count) => Value::Ss((0..count).map(|_| owned(self.text()?)).collect::<Option<_>>()?),
            View::Ns(count) => Value::Ns((0..count).map(|_| self.number()).collect::<Option<_>>()?),
            View::Bs(count) => {
                Value::Bs((0..count).map(|_| self.text().map(Bytes::copy_from_slice)).collect::<Option<_>>()?)
            }
            View::L(count) => Value::L((0..count).map(|_| self.read_value()).collect::<Option<_>>()?),
            View::M(count) => Value::M((0..count).map(|_| self.read_attribute()).collect::<Option<_>>()?),
        })
    }

    fn read_map(&mut self) -> Option<Item> {
        let count = self.count()?;
        (0..count).map(|_| self.read_attribute()).collect()
    }

    fn read_attribute(&mut self) -> Option<(String, Value)> {
        Some((owned(self.text()?)?, self.read_value()?))
    }

    fn varint(&mut self) -> Option<u128> {
        let mut value = 0;
        for shift in (0..128).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u128::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

fn owned(text: &[u8]) -> Option<String> {
    String::from_utf8(text.to_vec()).ok()
}

fn append_map(out: &mut Vec<u8>, map: &Item) {
    append_varint(out, map.len() as u128);
    for (name, value) in map {
        append_text(out, name.as_bytes());
        append_value(out, value);
    }
}

fn append_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::S(text) => {
            out.push(tag(Type::S));
            append_text(out, text.as_bytes());
        }
        Value::N(number) => {
            out.push(tag(Type::N));
            append_number(out, *number);
        }
        Value::B(bytes) => {
            out.push(tag(Type::B));
            append_text(out, bytes);
        }
        Value::Ss(members) => {
            append_all(out, Type::Ss, members, |out, member| append_text(out, member.as_bytes()))
        }
        Value::Ns(members) => append_all(out, Type::Ns, members, |out, member| append_number(out, *member)),
        Value::Bs(members) => append_all(out, Type::Bs, members, |out, member| append_text(out, member)),
        Value::Bool(truth) => out.push(tag(Type::Bool) + u8::from(*truth)),
        Value::Null => out.push(tag(Type::Null)),
        Value::L(values) => append_all(out, Type::L, values, append_value),
        Value::M(map) => {
            out.push(tag(Type::M));
            append_map(out, map);
        }
    }
}

/// The first byte of a value. A truth value has two: false, and the next one for true.
fn tag(kind: Type) -> u8 {
    match kind {
        Type::S => 0,
        Type::N => 1,
        Type::B => 2,
        Type::Ss => 3,
        Type::Ns => 4,
        Type::Bs => 5,
        Type::Bool => 6,
        Type::Null => 8,
        Type::L => 9,
        Type::M => 10,
    }
}

fn append_all<T>(out: &mut Vec<u8>, kind: Type, members: &[T], append: impl Fn(&mut Vec<u8>, &T)) {
    out.push(tag(kind));
    append_varint(out, members.len() as u128);
    for member in members {
        append(out, member);
    }
}

fn append_text(out: &mut Vec<u8>, text: &[u8]) {
    append_varint(out, text.len() as u128);
    out.extend_from_slice(text);
}

fn append_number(out: &mut Vec<u8>, number: Number) {
    let (mantissa, exponent) = number.parts();
    append_varint(out, zigzag(exponent.into()));
    append_varint(out, zigzag(mantissa));
}

fn append_varint(out: &mut Vec<u8>, mut value: u128) {
    while value >= 0x80 {
        out.push((value & 0x7F) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i128) -> u128 {
    ((value << 1) ^ (value >> 127)) as u128
}

fn unzigzag(value: u128) -> i128 {
    ((value >> 1) as i128) ^ -((value & 1) as i128)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Item {
        let number = |text: &str| Number::parse(text).unwrap();
        Item::from([
            ("b".to_string(), Value::B(Bytes::from_static(&[0, 255]))),
            ("bs".to_string(), Value::Bs(vec![Bytes::from_static(b"x")])),
            (
                "l".to_string(),
                Value::L(vec![Value::Null, Value::Bool(true), Value::Bool(false), Value::L(vec![])]),
            ),
            ("m".to_string(), Value::M(Item::from([("".to_string(), Value::S("é".into()))]))),
            ("n".to_string(), Value::N(number("-12345678901234567890123456789012345678e-60"))),
            ("ns".to_string(), Value::Ns(vec![number("1"), number("1E125")])),
            ("s".to_string(), Value::S("text".into())),
            ("ss".to_string(), Value::Ss(vec!["a".into(), "b".into()])),
        ])
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let item = sample();
        let stored = Stored::encode(&item);
        assert_eq!(stored.decode(), Some(item.clone()));
        for (name, value) in &item {
            assert_eq!(stored.attribute(name).as_ref(), Some(value));
        }
        assert_eq!(stored.attribute("absent"), None);
        assert_eq!(stored.attribute("zzz"), None);
    }

    #[test]
    fn no_prefix_and_no_garbage_is_taken_for_an_item() {
        let bytes = Stored::encode(&sample()).bytes().clone();
        for length in 0..bytes.len() {
            assert_eq!(Stored::from_bytes(bytes.slice(..length)).decode(), None, "{length}");
        }
        assert_eq!(Stored::from_bytes(Bytes::from_static(&[1, 1, b'a', 99])).decode(), None);
    }
}
