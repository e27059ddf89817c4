//! One scan over several sorted sources, of which a newer one hides what an older one has. Knows no rooms and no files.

use super::memtable::Entry;
use crate::error::Error;
use crate::range::{Direction, Visit};
use bytes::Bytes;
use std::cmp::Ordering;
use std::iter::Peekable;

/// Keys in the order of the scan, each once; no value means deleted.
pub(super) type Source<'a> = Box<dyn Iterator<Item = Result<Entry, Error>> + 'a>;

/// Shows every key that is there to `visit`, until that breaks off. The newest source comes first.
pub(super) fn scan(
    sources: Vec<Source<'_>>,
    direction: Direction,
    visit: &mut Visit<'_>,
) -> Result<(), Error> {
    let mut sources: Vec<Peekable<Source<'_>>> = sources.into_iter().map(Iterator::peekable).collect();
    // A source that has nothing need not be asked again.
    sources.retain_mut(|source| source.peek().is_some());
    while let Some((key, value)) = next(&mut sources, direction)? {
        if let Some(value) = value
            && visit(&key, &value).is_break()
        {
            return Ok(());
        }
    }
    Ok(())
}

/// The next key of all sources, as the newest that has it says.
fn next(sources: &mut [Peekable<Source<'_>>], direction: Direction) -> Result<Option<Entry>, Error> {
    let mut best: Option<(usize, Bytes)> = None;
    for (place, source) in sources.iter_mut().enumerate() {
        let key = match source.peek() {
            None => continue,
            Some(Ok((key, _))) => key,
            Some(Err(error)) => return Err(error.clone()),
        };
        let is_before = best.as_ref().is_none_or(|(_, best)| comes_before(key, best, direction));
        if is_before {
            best = Some((place, key.clone()));
        }
    }
    let Some((place, key)) = best else { return Ok(None) };
    let mut found = None;
    // Sources before this one do not have the key: an equal one would have been found first.
    for source in sources.iter_mut().skip(place) {
        if source.peek().is_some_and(|entry| entry.as_ref().is_ok_and(|(other, _)| *other == key)) {
            let entry = source.next().transpose()?;
            found = found.or(entry);
        }
    }
    Ok(found)
}

fn comes_before(key: &Bytes, other: &Bytes, direction: Direction) -> bool {
    let order = key.cmp(other);
    match direction {
        Direction::Forward => order == Ordering::Less,
        Direction::Backward => order == Ordering::Greater,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    fn source(text: &'static str) -> Source<'static> {
        let bytes = |part: &'static str| Bytes::from_static(part.as_bytes());
        Box::new(text.split_whitespace().map(move |word| {
            let (key, value) = word.split_at(1);
            Ok((bytes(key), (value != "-").then(|| bytes(value))))
        }))
    }

    fn merged(sources: &[&'static str], direction: Direction) -> String {
        let mut found = Vec::new();
        let sources = sources.iter().map(|text| source(text)).collect();
        scan(sources, direction, &mut |key, value| {
            found.push(format!("{}{}", String::from_utf8_lossy(key), String::from_utf8_lossy(value)));
            ControlFlow::Continue(())
        })
        .unwrap();
        found.join(" ")
    }

    #[test]
    fn a_newer_source_hides_an_older_one() {
        assert_eq!(merged(&["b2 d-", "a1 b1", "b0 c0 d0 e0"], Direction::Forward), "a1 b2 c0 e0");
        assert_eq!(merged(&["d- b2", "b1 a1", "e0 d0 c0 b0"], Direction::Backward), "e0 c0 b2 a1");
        assert_eq!(merged(&["", "a-", "a1"], Direction::Forward), "");
        assert_eq!(merged(&[], Direction::Forward), "");
    }

    #[test]
    fn a_failure_ends_the_scan() {
        let failing: Source<'_> = Box::new(std::iter::once(Err(Error::Closed)));
        let outcome =
            scan(vec![source("a1"), failing], Direction::Forward, &mut |_, _| ControlFlow::Continue(()));
        assert!(matches!(outcome, Err(Error::Closed)));
    }
}
