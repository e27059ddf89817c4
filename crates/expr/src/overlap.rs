//! Paths that cannot stand beside each other in one expression. Knows neither updates nor projections.

use crate::path::{Path, Step};
use crate::{Error, Kind};

/// Refuses paths of which one lies in the other, then paths that take one value for a list and for a map.
pub(crate) fn refuse(kind: Kind, paths: &[&Path]) -> Result<(), Error> {
    if are_apart(paths) {
        return Ok(());
    }
    if let Some((one, _)) = first_pair(paths, |one, two| one.covers(two) || two.covers(one)) {
        // OBSERVED: the second path of the message is the last different one of the expression, which need not be the
        // one that overlaps.
        let two =
            paths.iter().enumerate().rev().find(|(at, path)| !paths.iter().take(*at).any(|p| p == *path));
        let two = two.map_or(one, |(_, path)| *path);
        return Err(error(kind, "overlap", one, two));
    }
    match first_pair(paths, conflict) {
        Some((one, two)) => Err(error(kind, "conflict", one, two)),
        None => Ok(()),
    }
}

/// Whether no path fails beside another. In sorted order those that would are neighbours: a path stands before all
/// that lie in it, and keys before places.
fn are_apart(paths: &[&Path]) -> bool {
    let mut sorted = paths.to_vec();
    sorted.sort_unstable_by(|one, two| one.order(two));
    sorted.iter().zip(sorted.iter().skip(1)).all(|(one, two)| !one.covers(two) && !conflict(one, two))
}

/// The earliest path that fails beside one before it, after that one.
fn first_pair<'a>(paths: &[&'a Path], fails: impl Fn(&Path, &Path) -> bool) -> Option<(&'a Path, &'a Path)> {
    paths
        .iter()
        .enumerate()
        .find_map(|(at, two)| paths.iter().take(at).find(|one| fails(one, two)).map(|one| (*one, *two)))
}

/// Whether the paths part where one names a key and the other a place.
fn conflict(one: &Path, two: &Path) -> bool {
    one.root == two.root
        && one.steps.iter().zip(&two.steps).find(|(one, two)| one != two).is_some_and(|steps| {
            matches!(steps, (Step::Name(_), Step::Index(_)) | (Step::Index(_), Step::Name(_)))
        })
}

fn error(kind: Kind, verb: &str, one: &Path, two: &Path) -> Error {
    let (one, two) = (one.listed(), two.listed());
    kind.error(&format!(
        "Two document paths {verb} with each other; must remove or rewrite one of these paths; path one: {one}, \
         path two: {two}"
    ))
}
