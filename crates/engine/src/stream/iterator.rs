//! Shard iterators: what a client holds between two reads of a shard. They say where to go on and when they were made, and
//! they carry a check, so that one that was changed is noticed. Knows no shards.

use storage::Stamp;

use crate::env::mix;
use crate::log::Position;

/// A place in a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Iterator {
    pub(super) arn: String,
    pub(super) shard: String,
    pub(super) position: Position,
    pub(super) made_ms: u64,
}

const VERSION: &str = "1";

impl Iterator {
    /// The text that a client gets.
    pub(super) fn text(&self) -> String {
        let Position { stamp, place } = self.position;
        let place = format!("{:016x}{place:02x}{:016x}", stamp.0, self.made_ms);
        let check = self.check();
        format!("{}|{VERSION}|{}|{place}{check:016x}", self.arn, self.shard)
    }

    /// The iterator of a text; none if we did not make it.
    pub(super) fn read(text: &str) -> Option<Iterator> {
        let mut parts = text.split('|');
        let (arn, version, shard, rest) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        if version != VERSION || parts.next().is_some() || rest.len() != 50 {
            return None;
        }
        let hex = |from: usize, to: usize| u64::from_str_radix(rest.get(from..to)?, 16).ok();
        let position = Position { stamp: Stamp(hex(0, 16)?), place: u8::try_from(hex(16, 18)?).ok()? };
        let iterator = Iterator { arn: arn.into(), shard: shard.into(), position, made_ms: hex(18, 34)? };
        (hex(34, 50)? == iterator.check()).then_some(iterator)
    }

    fn check(&self) -> u64 {
        let texts = self.arn.bytes().chain(self.shard.bytes());
        let folded = texts.fold(7, |check: u64, byte| mix(check ^ u64::from(byte)));
        let numbers = [self.position.stamp.0, u64::from(self.position.place), self.made_ms];
        numbers.into_iter().fold(folded, |check, number| mix(check ^ number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_was_changed_is_none_of_ours() {
        let iterator = Iterator {
            arn: "arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2026-11-15T21:08:57.123".into(),
            shard: "shardId-00000001700000000000-0badcafe".into(),
            position: Position { stamp: Stamp(77), place: 3 },
            made_ms: 1_700_000_000_000,
        };
        let text = iterator.text();
        assert_eq!(Iterator::read(&text), Some(iterator));
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'7' { b'8' } else { b'7' };
            assert_eq!(Iterator::read(&String::from_utf8(changed).unwrap()), None, "byte {at}");
            assert_eq!(Iterator::read(&text[..at]), None, "{at} bytes");
        }
    }
}
