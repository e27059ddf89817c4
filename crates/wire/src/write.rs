//! Writes objects, lists and scalars of JSON straight into the answer. Knows no operations.

use std::fmt::Display;
use std::io::Write;

use crate::json::write_text;

/// An object that is being written. Names must need no escapes.
pub(crate) struct Object<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o> Object<'o> {
    pub(crate) fn begin(out: &'o mut Vec<u8>) -> Object<'o> {
        out.push(b'{');
        Object { out, is_empty: true }
    }

    /// Writes a name; its value is to be written next.
    pub(crate) fn key(&mut self, name: &'static str) -> &mut Vec<u8> {
        self.separate();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    /// Writes a name that the caller chose; its value is to be written next.
    pub(crate) fn any_key(&mut self, name: &str) -> &mut Vec<u8> {
        self.separate();
        write_text(name.as_bytes(), self.out);
        self.out.push(b':');
        self.out
    }

    pub(crate) fn text(&mut self, name: &'static str, text: &str) {
        write_text(text.as_bytes(), self.key(name));
    }

    pub(crate) fn flag(&mut self, name: &'static str, flag: bool) {
        display(flag, self.key(name));
    }

    pub(crate) fn number(&mut self, name: &'static str, number: impl Display) {
        display(number, self.key(name));
    }

    /// A number that always shows that it may have a fraction: `1.0`, `0.5`.
    pub(crate) fn decimal(&mut self, name: &'static str, number: f64) {
        decimal(number, self.key(name));
    }

    /// A time as seconds since 1970 with a fraction.
    pub(crate) fn time(&mut self, name: &'static str, milliseconds: u64) {
        decimal(milliseconds as f64 / 1000.0, self.key(name));
    }

    pub(crate) fn list<T>(
        &mut self,
        name: &'static str,
        values: impl IntoIterator<Item = T>,
        write: impl FnMut(T, &mut Vec<u8>),
    ) {
        list(values, self.key(name), write);
    }

    pub(crate) fn end(self) {
        self.out.push(b'}');
    }

    fn separate(&mut self) {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
    }
}

pub(crate) fn list<T>(
    values: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (place, value) in values.into_iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write(value, out);
    }
    out.push(b']');
}

pub(crate) fn text(text: &str, out: &mut Vec<u8>) {
    write_text(text.as_bytes(), out);
}

fn display(value: impl Display, out: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = write!(out, "{value}");
}

pub(crate) fn decimal(number: f64, out: &mut Vec<u8>) {
    // The debug form keeps the fraction of a whole number. It has an exponent from 1e16 on, which JSON takes too.
    let _ = write!(out, "{number:?}");
}
