//! The files of the console, held in the binary. A debug build reads them from the tree, so that a page can be changed
//! without building anew.
//! Knows their types, not what is in them.

use crate::answer::Reply;
use bytes::Bytes;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The page that everything begins with; the only file that is filled in.
const PAGE: &str = "index.html";

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_bytes!(concat!("../web/", $path)))),*]
    };
}

/// Every file: its path and what is in it.
const FILES: &[(&str, &[u8])] = files![
    "api.js",
    "app.js",
    "code.js",
    "dom.js",
    "entities.js",
    "expression.js",
    "fields.js",
    "files.js",
    "format.js",
    "grid.js",
    "icon.svg",
    "index.html",
    "json.js",
    "pages/backups.js",
    "pages/choose.js",
    "pages/create-table.js",
    "pages/designs.js",
    "pages/explore.js",
    "pages/item.js",
    "pages/monitor.js",
    "pages/question.js",
    "pages/settings.js",
    "pages/streams.js",
    "pages/table.js",
    "pages/tables.js",
    "pages/traffic.js",
    "pages/transfer.js",
    "plot.js",
    "route.js",
    "shell.js",
    "style.css",
    "theme.js",
    "values.js",
];

/// The file at this path, if it is not the version that the browser has.
pub(crate) fn find(path: &str, known: Option<&str>, fill: &dyn Fn(&str) -> String) -> Reply {
    let path = if path.is_empty() { PAGE } else { path };
    let Some((path, embedded)) = FILES.iter().find(|(name, _)| *name == path) else {
        return Reply::missing();
    };
    let bytes = current(path, embedded);
    let content_type = content_type(path);
    if *path == PAGE {
        let body = Bytes::from(fill(&String::from_utf8_lossy(&bytes)));
        return Reply { status: 200, content_type, body, version: None };
    }
    let version = version(&bytes);
    if known == Some(version.as_str()) {
        return Reply::unchanged(version);
    }
    let body = match bytes {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    };
    Reply { status: 200, content_type, body, version: Some(version) }
}

#[cfg(debug_assertions)]
fn current(path: &str, embedded: &'static [u8]) -> Cow<'static, [u8]> {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("web").join(path);
    std::fs::read(file).map_or(Cow::Borrowed(embedded), Cow::Owned)
}

#[cfg(not(debug_assertions))]
fn current(_: &str, embedded: &'static [u8]) -> Cow<'static, [u8]> {
    Cow::Borrowed(embedded)
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

fn version(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn below(folder: &Path, prefix: &str, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                below(&entry.path(), &format!("{name}/"), found);
            } else if !name.ends_with(".json") && !name.ends_with(".d.ts") {
                found.insert(name);
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_in_the_binary() {
        let mut there = BTreeSet::new();
        below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("web"), "", &mut there);
        let held: BTreeSet<String> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(held, there);
        assert!(FILES.iter().all(|(path, _)| content_type(path) != "application/octet-stream"));
    }

    #[test]
    fn a_browser_that_has_a_file_is_told_so() {
        let first = find("style.css", None, &|_| unreachable!());
        assert_eq!((first.status, first.body.is_empty()), (200, false));
        let again = find("style.css", first.version.as_deref(), &|_| unreachable!());
        assert_eq!((again.status, again.body.is_empty()), (304, true));
        assert_eq!(find("../Cargo.toml", None, &|_| unreachable!()).status, 404);
    }
}
