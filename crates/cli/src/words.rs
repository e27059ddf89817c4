//! The words and flags behind a command such as `larder clock`, from one table that also writes its help.
//! Knows no command's work.

use crate::failure::Failure;
use std::ffi::OsString;
use std::fmt::Write;

/// A command and what it takes.
pub(crate) struct Usage {
    /// Its name.
    pub(crate) name: &'static str,
    /// The forms it has, one a line, without `larder` and its name.
    pub(crate) forms: &'static [&'static str],
    /// What it does.
    pub(crate) purpose: &'static str,
    /// Its flags.
    pub(crate) flags: &'static [Flag],
    /// What else is to be known, and something to try.
    pub(crate) notes: &'static str,
}

/// One flag.
pub(crate) struct Flag {
    /// Without the dashes.
    pub(crate) name: &'static str,
    /// What its value is called; none for a switch.
    pub(crate) value: Option<&'static str>,
    /// What it does.
    pub(crate) purpose: &'static str,
}

/// Where the server is.
pub(crate) const ENDPOINT: Flag = Flag {
    name: "endpoint",
    value: Some("URL"),
    purpose: "the server [usually: AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, else http://127.0.0.1:8000]",
};

/// What was given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Given {
    /// Words that are no flags.
    pub(crate) words: Vec<String>,
    flags: Vec<(&'static str, String)>,
}

impl Given {
    /// The value of a flag; of several the last.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.values(name).last()
    }

    /// Every value of a flag.
    pub(crate) fn values<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.flags.iter().filter(move |(flag, _)| *flag == name).map(|(_, value)| value.as_str())
    }

    /// Whether a switch was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|(flag, _)| *flag == name)
    }
}

/// Reads what follows a command; none if only the help was asked for.
pub(crate) fn read(
    usage: &Usage,
    arguments: impl Iterator<Item = OsString>,
) -> Result<Option<Given>, Failure> {
    let mut given = Given::default();
    let mut arguments = arguments.map(OsString::into_string);
    let text = |word: Result<String, OsString>| {
        word.map_err(|word| Failure::new(format!("{} is no text", word.display())))
    };
    while let Some(argument) = arguments.next() {
        let argument = text(argument)?;
        if matches!(argument.as_str(), "--help" | "-h") {
            return Ok(None);
        }
        let Some(flag) = argument.strip_prefix("--") else {
            given.words.push(argument);
            continue;
        };
        let (name, attached) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (flag, None),
        };
        let known = usage.flags.iter().find(|known| known.name == name).ok_or_else(|| {
            Failure::new(format!(
                "larder {0} has no option --{name}: larder {0} --help shows them",
                usage.name
            ))
        })?;
        let value = match (attached, known.value) {
            (Some(_), None) => return Err(Failure::new(format!("--{name} takes no value"))),
            (Some(value), Some(_)) => value,
            (None, None) => String::new(),
            (None, Some(called)) => text(
                arguments
                    .next()
                    .ok_or_else(|| Failure::new(format!("--{name} needs a value: --{name} {called}")))?,
            )?,
        };
        given.flags.push((known.name, value));
    }
    Ok(Some(given))
}

/// The help of a command.
pub(crate) fn help(usage: &Usage) -> String {
    let mut text = format!("larder {}: {}\n\nUsage:\n", usage.name, usage.purpose);
    for form in usage.forms {
        // Writing to a string cannot fail.
        let _written = writeln!(text, "  {}", format!("larder {} {form}", usage.name).trim_end());
    }
    text.push_str("\nOptions:\n");
    for flag in usage.flags {
        let value = flag.value.map(|value| format!(" {value}")).unwrap_or_default();
        let _written = writeln!(text, "  {:<24} {}", format!("--{}{value}", flag.name), flag.purpose);
    }
    let _written = write!(text, "\n{}", usage.notes);
    text
}

/// Where the server is if nobody says so.
pub(crate) fn usual_endpoint(look: &dyn Fn(&str) -> Option<String>) -> String {
    ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"]
        .into_iter()
        .find_map(|name| look(name).filter(|value| !value.is_empty()))
        .unwrap_or_else(|| "http://127.0.0.1:8000".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const USAGE: Usage = Usage {
        name: "try",
        forms: &["WORD [options]"],
        purpose: "a trial",
        flags: &[
            Flag { name: "table", value: Some("NAME"), purpose: "a table" },
            Flag { name: "all", value: None, purpose: "all" },
        ],
        notes: "That is all.\n",
    };

    fn ask(line: &str) -> Result<Option<Given>, String> {
        read(&USAGE, line.split_whitespace().map(OsString::from)).map_err(|failure| failure.to_string())
    }

    #[test]
    fn words_and_flags_in_any_order() {
        let given = ask("a --table=x b --all --table y").unwrap().unwrap();
        assert_eq!(given.words, ["a", "b"]);
        assert_eq!(given.values("table").collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!((given.value("table"), given.value("all")), (Some("y"), Some("")));
        assert!(given.has("all") && !given.has("none"));
        assert_eq!(ask("a -h"), Ok(None));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (line, expected) in [
            ("--tabel x", "larder try has no option --tabel: larder try --help shows them"),
            ("--table", "--table needs a value: --table NAME"),
            ("--all=yes", "--all takes no value"),
        ] {
            assert_eq!(ask(line), Err(expected.to_owned()), "{line}");
        }
    }

    #[test]
    fn the_help_has_everything() {
        let text = help(&USAGE);
        for part in ["larder try WORD [options]", "--table NAME", "--all", "That is all."] {
            assert!(text.contains(part), "{text}");
        }
    }
}
