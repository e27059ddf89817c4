//! JSON objects whose members are written in a set order. Knows no values of items.

use crate::json::write_text;

/// The members of an object, in the order they are written.
#[derive(Default)]
pub(crate) struct Members(Vec<u8>);

impl Members {
    pub(crate) fn text(&mut self, name: &str, value: &str) {
        self.raw(name, |out| write_text(out, value));
    }

    pub(crate) fn number(&mut self, name: &str, value: u64) {
        self.raw(name, |out| out.extend_from_slice(value.to_string().as_bytes()));
    }

    pub(crate) fn optional(&mut self, name: &str, value: Option<&str>) {
        match value {
            Some(value) => self.text(name, value),
            None => self.raw(name, |out| out.extend_from_slice(b"null")),
        }
    }

    pub(crate) fn raw(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) {
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        write_text(&mut self.0, name);
        self.0.push(b':');
        write(&mut self.0);
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        if self.0.is_empty() {
            self.0.push(b'{');
        }
        self.0.push(b'}');
        self.0
    }
}
