//! Where the data lies when nobody says where. Knows the customs of the systems, and touches no disk.

use std::ffi::OsString;
use std::path::PathBuf;

const NAME: &str = "larder";

/// The folder for this user's data, or none where the user has no home. `look` reads the environment.
pub(crate) fn usual(look: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // An empty or relative path would put the data wherever the program happens to be started.
    let folder = |name: &str| look(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        return Some(folder("LOCALAPPDATA")?.join(NAME));
    }
    if cfg!(target_os = "macos") {
        return Some(folder("HOME")?.join("Library").join("Application Support").join(NAME));
    }
    let data = folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local").join("share")))?;
    Some(data.join(NAME))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], expected: Option<&str>) {
        let look = |name: &str| {
            variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| OsString::from(value))
        };
        assert_eq!(usual(&look), expected.map(PathBuf::from), "{variables:?}");
    }

    #[test]
    fn the_folder_follows_the_user() {
        check(&[("HOME", "/home/u")], Some("/home/u/.local/share/larder"));
        check(&[("HOME", "/home/u"), ("XDG_DATA_HOME", "/data")], Some("/data/larder"));
        check(&[("HOME", "/home/u"), ("XDG_DATA_HOME", "")], Some("/home/u/.local/share/larder"));
        check(&[("HOME", "relative")], None);
        check(&[], None);
    }
}
