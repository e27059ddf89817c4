//! What is asked for: the command line and the environment turned into a command.
//! Knows the table of settings, and none of them by name but the two that exclude each other.

use crate::failure::Failure;
use crate::settings::{Options, Place, SETTINGS, Setting};
use std::ffi::{OsStr, OsString};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Command {
    /// Serve.
    Serve(Box<Options>),
    /// Do something with design files.
    Design(Vec<OsString>),
    /// Read or turn the clock of a server.
    Clock(Vec<OsString>),
    /// Copy tables to another endpoint.
    Copy(Vec<OsString>),
    /// Write the items of a table into a file.
    Dump(Vec<OsString>),
    /// Read items from a file into a table.
    Load(Vec<OsString>),
    /// Say what can be asked for.
    Help,
    /// Say the version.
    Version,
}

/// Reads the command line; what it leaves open comes from the environment, and the rest is as usual.
pub(crate) fn read(
    arguments: impl Iterator<Item = OsString>,
    look: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Command, Failure> {
    let mut arguments = arguments.peekable();
    let word = arguments.next_if(|first| !first.as_encoded_bytes().starts_with(b"-"));
    match word.as_deref().map(OsStr::to_string_lossy).as_deref() {
        None | Some("serve") => {}
        Some("design") => return Ok(Command::Design(arguments.collect())),
        Some("clock") => return Ok(Command::Clock(arguments.collect())),
        Some("copy") => return Ok(Command::Copy(arguments.collect())),
        Some("dump") => return Ok(Command::Dump(arguments.collect())),
        Some("load") => return Ok(Command::Load(arguments.collect())),
        Some("help") => return Ok(Command::Help),
        Some("version") => return Ok(Command::Version),
        Some(other) => {
            return Err(Failure::new(format!(
                "there is no command {other:?}: larder serve starts the server, larder --help shows the other commands and the options"
            )));
        }
    }
    let given = match flags(arguments)? {
        Flags::Given(given) => given,
        Flags::Instead(command) => return Ok(command),
    };
    let mut options = Options::default();
    take(&mut options, &variables(look), &Setting::variable)?;
    take(&mut options, &given, &Setting::flag)?;
    Ok(Command::Serve(Box::new(options)))
}

type Given = Vec<(&'static Setting, OsString)>;

enum Flags {
    Given(Given),
    Instead(Command),
}

fn flags(mut arguments: impl Iterator<Item = OsString>) -> Result<Flags, Failure> {
    let mut given: Given = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--help" | "-h") => return Ok(Flags::Instead(Command::Help)),
            Some("--version" | "-V") => return Ok(Flags::Instead(Command::Version)),
            _ => {}
        }
        // A shell turns `--design designs/*.yaml` into one flag and many files.
        if !argument.as_encoded_bytes().starts_with(b"-")
            && let Some((setting, values)) = given.last_mut().filter(|(setting, _)| is_list(setting))
        {
            *values = added(setting, values, argument)?;
            continue;
        }
        let (flag, attached) = split(&argument);
        let setting = SETTINGS.iter().find(|setting| *flag == *setting.flag());
        let setting = setting.ok_or_else(|| unknown(&flag.to_string_lossy()))?;
        let value = match (attached, setting.value) {
            (Some(value), _) => value,
            (None, None) => OsString::from("true"),
            (None, Some(name)) => arguments
                .next()
                .ok_or_else(|| Failure::new(format!("--{0} needs a value: --{0} {name}", setting.name)))?,
        };
        match given.iter_mut().find(|(known, _)| known.name == setting.name && is_list(setting)) {
            Some((_, values)) => *values = added(setting, values, value)?,
            None => given.push((setting, value)),
        }
    }
    Ok(Flags::Given(given))
}

/// Whether a setting takes several files.
fn is_list(setting: &Setting) -> bool {
    setting.value.is_some_and(|value| value.ends_with('…'))
}

/// One file more, in the form that environment variables have them in.
fn added(setting: &Setting, values: &OsStr, more: OsString) -> Result<OsString, Failure> {
    let all = std::env::split_paths(values).chain([more.into()]);
    std::env::join_paths(all)
        .map_err(|_| Failure::new(format!("--{} cannot take a file with this name", setting.name)))
}

/// The flag, and the value attached to it by an equals sign.
fn split(argument: &OsStr) -> (OsString, Option<OsString>) {
    let bytes = argument.as_encoded_bytes();
    let Some(place) = bytes.iter().position(|byte| *byte == b'=') else {
        return (argument.to_owned(), None);
    };
    let flag = String::from_utf8_lossy(bytes.get(..place).unwrap_or_default()).into_owned();
    let value = argument.to_str().and_then(|text| text.get(place + 1..)).map(OsString::from);
    // A value that is no text cannot be cut without unsafe code, and can always be given as its own argument.
    (OsString::from(flag), Some(value.unwrap_or_default()))
}

fn variables(look: &dyn Fn(&str) -> Option<OsString>) -> Given {
    let value = |setting: &Setting| look(&setting.variable()).filter(|value| !value.is_empty());
    SETTINGS.iter().filter_map(|setting| Some((setting, value(setting)?))).collect()
}

/// Takes over what one source gives; `name` is what that source calls a setting.
fn take(options: &mut Options, given: &Given, name: &dyn Fn(&Setting) -> String) -> Result<(), Failure> {
    let mut places = Vec::new();
    for (setting, value) in given {
        let before = options.place.clone();
        (setting.set)(options, value).map_err(|expected| {
            let value = value.to_string_lossy();
            Failure::new(format!("{} must be {expected}, not {value:?}", name(setting)))
        })?;
        if options.place != before {
            places.push((name(setting), options.place.clone()));
        }
    }
    // Of two sources the stronger one wins; within one source it cannot be known what was meant.
    let folder = places.iter().find(|(_, place)| matches!(place, Place::Folder(_)));
    let memory = places.iter().find(|(_, place)| *place == Place::Memory);
    if let (Some((folder, _)), Some((memory, _))) = (folder, memory) {
        return Err(Failure::new(format!(
            "{memory} keeps nothing and {folder} says where to keep it: give one of the two"
        )));
    }
    Ok(())
}

fn unknown(flag: &str) -> Failure {
    let known = SETTINGS.iter().map(Setting::flag).chain(["--help".to_owned(), "--version".to_owned()]);
    let near = known.map(|name| (distance(flag, &name), name)).min();
    let hint = near.filter(|(distance, _)| *distance <= 2).map(|(_, name)| format!(" (is it {name}?)"));
    Failure::new(format!(
        "there is no option {flag:?}{}: larder --help shows them all",
        hint.unwrap_or_default()
    ))
}

/// How many letters must be changed, added or taken away.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, letter) in left.chars().enumerate() {
        let mut next = vec![line + 1];
        for ((other, above), corner) in right.iter().zip(row.iter().skip(1)).zip(row.iter()) {
            let changed = corner + usize::from(*other != letter);
            let added = next.last().map_or(changed, |last| last + 1);
            next.push(changed.min(above + 1).min(added));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::LifeCycle;
    use std::path::PathBuf;
    use storage::Durability;

    fn ask(line: &str, variables: &[(&str, &str)]) -> Result<Command, String> {
        let arguments = line.split_whitespace().map(OsString::from);
        let look = |name: &str| {
            variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| OsString::from(value))
        };
        read(arguments, &look).map_err(|failure| failure.to_string())
    }

    fn options(line: &str, variables: &[(&str, &str)]) -> Options {
        match ask(line, variables) {
            Ok(Command::Serve(options)) => *options,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn nothing_asked_is_serve_as_usual() {
        assert_eq!(options("", &[]), Options::default());
        assert_eq!(options("serve", &[]), Options::default());
        assert_eq!(options("", &[("LARDER_PORT", "")]), Options::default());
    }

    #[test]
    fn flags_outrank_variables() {
        let variables = [
            ("LARDER_PORT", "1"),
            ("LARDER_HOST", "::1"),
            ("LARDER_DURABILITY", "relaxed"),
            ("LARDER_LIFE_CYCLE", "realistic"),
        ];
        let asked = options("serve --port 2 --durability=sync", &variables);
        assert_eq!((asked.port, asked.host.as_str()), (2, "::1"));
        assert_eq!((asked.durability, asked.life_cycle), (Durability::Sync, LifeCycle::Realistic));
    }

    #[test]
    fn the_stronger_source_says_where_the_data_is() {
        let folder = Place::Folder(PathBuf::from("/d"));
        assert_eq!(options("--in-memory", &[]).place, Place::Memory);
        assert_eq!(options("--in-memory", &[("LARDER_DATA_DIR", "/d")]).place, Place::Memory);
        assert_eq!(options("--data-dir /d", &[("LARDER_IN_MEMORY", "1")]).place, folder);
        assert_eq!(options("--in-memory=false", &[("LARDER_IN_MEMORY", "yes")]).place, Place::Usual);
        assert_eq!(options("--in-memory=false --data-dir /d", &[]).place, folder);
    }

    #[test]
    fn other_commands() {
        for line in ["help", "--help", "-h", "serve --help", "serve --port 1 -h"] {
            assert_eq!(ask(line, &[]), Ok(Command::Help), "{line}");
        }
        for line in ["version", "--version", "-V"] {
            assert_eq!(ask(line, &[]), Ok(Command::Version), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_advice() {
        let table = [
            ("--prot 1", "there is no option \"--prot\" (is it --port?): larder --help shows them all"),
            ("--color", "there is no option \"--color\": larder --help shows them all"),
            ("serve now", "there is no option \"now\": larder --help shows them all"),
            ("--port", "--port needs a value: --port NUMBER"),
            ("--port=", "--port must be a number from 0 to 65535, not \"\""),
            ("--port 65536", "--port must be a number from 0 to 65535, not \"65536\""),
            ("--cache-mb 7", "--cache-mb must be a number from 8 to 1048576, not \"7\""),
            ("--durability none", "--durability must be sync or relaxed, not \"none\""),
            ("--life-cycle x", "--life-cycle must be immediate or realistic, not \"x\""),
            ("--in-memory=maybe", "--in-memory must be true or false, not \"maybe\""),
            (
                "--log loud",
                "--log must be off, error, warn, info, debug, trace or a list such as info,access=debug, not \"loud\"",
            ),
            (
                "--in-memory --data-dir /d",
                "--in-memory keeps nothing and --data-dir says where to keep it: give one of the two",
            ),
            (
                "store",
                "there is no command \"store\": larder serve starts the server, larder --help shows the other commands and the options",
            ),
        ];
        for (line, expected) in table {
            assert_eq!(ask(line, &[]), Err(expected.to_owned()), "{line}");
        }
        let variable = ask("", &[("LARDER_PORT", "many")]);
        assert_eq!(variable, Err("LARDER_PORT must be a number from 0 to 65535, not \"many\"".to_owned()));
    }
}
