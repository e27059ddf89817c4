//! The last requests, one by one, in a ring whose places are written over.
//! Knows not which thread tells.

use crate::Served;
use std::net::SocketAddr;

/// How many requests a ring remembers.
const PLACES: usize = 1024;
/// Longer texts are cut: whoever wants them whole has the access log.
const TEXT_BYTES_MAX: usize = 300;

/// A request that was served.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    /// Its number, counted from the start.
    pub number: u64,
    /// When it was answered, in milliseconds since 1970.
    pub at_ms: u64,
    /// What was asked.
    pub operation: Option<op::Name>,
    /// The table, empty if there is none.
    pub table: String,
    /// The index, empty if there is none.
    pub index: String,
    /// The address of the caller.
    pub caller: Option<SocketAddr>,
    /// What the caller says it is.
    pub agent: String,
    /// The HTTP status.
    pub status: u16,
    /// What went wrong.
    pub error: Option<op::Kind>,
    /// What was said of it.
    pub message: String,
    /// Capacity units.
    pub units: f64,
    /// How long it took.
    pub micros: u32,
    /// Bytes of the request's body.
    pub request_bytes: usize,
    /// Bytes of the answer's body.
    pub answer_bytes: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Ring {
    entries: Vec<Entry>,
    oldest: usize,
}

impl Ring {
    pub(crate) fn push(&mut self, number: u64, now_ms: u64, micros: u32, served: &Served<'_>) {
        if self.entries.len() < PLACES {
            self.entries.push(Entry::default());
            self.oldest = self.entries.len() - 1;
        }
        let Some(entry) = self.entries.get_mut(self.oldest) else { return };
        entry.number = number;
        entry.at_ms = now_ms;
        entry.operation = served.operation;
        entry.caller = served.caller;
        entry.status = served.status;
        entry.error = served.error.map(|error| error.kind);
        entry.units = served.units;
        entry.micros = micros;
        entry.request_bytes = served.request_bytes;
        entry.answer_bytes = served.answer_bytes;
        write(&mut entry.table, served.table);
        write(&mut entry.index, served.index);
        write(&mut entry.agent, served.agent);
        write(&mut entry.message, served.error.map_or("", |error| &error.message));
        self.oldest = (self.oldest + 1) % PLACES;
    }

    /// Those above this number, the latest ones if they are too many.
    pub(crate) fn tail(&self, after: u64, at_most: usize, found: &mut Vec<Entry>) {
        // Numbers of one ring only nearly ascend: two threads that share it may overtake each other.
        let mut own: Vec<&Entry> = self.entries.iter().filter(|entry| entry.number > after).collect();
        own.sort_unstable_by_key(|entry| entry.number);
        let surplus = own.len().saturating_sub(at_most);
        found.extend(own.into_iter().skip(surplus).cloned());
    }
}

/// Writes into a buffer that is there already.
fn write(buffer: &mut String, text: &str) {
    buffer.clear();
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    buffer.push_str(text.get(..end).unwrap_or_default());
}
