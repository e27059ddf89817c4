//! The words and options behind `larder design VERB`, from one table that also writes the help.
//! Knows what each value may be; knows no verb's work.

use crate::failure::Failure;
use std::ffi::OsString;
use std::time::Duration;

/// What was asked of a verb.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    /// Words that are no options: files, a pattern, a format.
    pub(crate) words: Vec<String>,
    pub(crate) environment: Option<String>,
    pub(crate) endpoint: Option<String>,
    pub(crate) region: Option<String>,
    pub(crate) is_json: bool,
    pub(crate) is_strict: bool,
    pub(crate) may_destroy: bool,
    pub(crate) is_check: bool,
    pub(crate) is_force: bool,
    pub(crate) patterns: Vec<String>,
    pub(crate) output: Option<String>,
    pub(crate) format: Option<String>,
    pub(crate) what_if: Option<String>,
    pub(crate) table: Option<String>,
    pub(crate) items: Option<u64>,
    pub(crate) rate: Option<f64>,
    pub(crate) concurrency: usize,
    pub(crate) duration: Duration,
}

impl Default for Asked {
    fn default() -> Asked {
        Asked {
            words: Vec::new(),
            environment: None,
            endpoint: None,
            region: None,
            is_json: false,
            is_strict: false,
            may_destroy: false,
            is_check: false,
            is_force: false,
            patterns: Vec::new(),
            output: None,
            format: None,
            what_if: None,
            table: None,
            items: None,
            rate: None,
            concurrency: 10,
            duration: Duration::from_secs(10),
        }
    }
}

/// One option.
pub(crate) struct Choice {
    /// Its flag without the dashes.
    pub(crate) name: &'static str,
    /// What its value is called; none for a switch.
    pub(crate) value: Option<&'static str>,
    /// What it does, for the help.
    pub(crate) purpose: &'static str,
    /// Takes the value over, or says what it should have been.
    set: fn(&mut Asked, &str) -> Result<(), &'static str>,
}

/// Every option.
pub(crate) const CHOICES: &[Choice] = &[
    Choice {
        name: "env",
        value: Some("NAME"),
        purpose: "the environment of the design [usually: its first]",
        set: |asked, value| text(&mut asked.environment, value),
    },
    Choice {
        name: "endpoint",
        value: Some("URL"),
        purpose: "where the tables are; aws for the real service [usually: AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, else http://127.0.0.1:8000]",
        set: |asked, value| text(&mut asked.endpoint, value),
    },
    Choice {
        name: "region",
        value: Some("NAME"),
        purpose: "the region [usually: the design's, AWS_REGION, the profile's]",
        set: |asked, value| text(&mut asked.region, value),
    },
    Choice {
        name: "json",
        value: None,
        purpose: "say it as JSON on standard output",
        set: |asked, _| switch(&mut asked.is_json),
    },
    Choice {
        name: "strict",
        value: None,
        purpose: "warnings fail a check; what an endpoint lacks fails a deployment",
        set: |asked, _| switch(&mut asked.is_strict),
    },
    Choice {
        name: "allow-destroy",
        value: None,
        purpose: "let a deployment drop indexes, streams and tables",
        set: |asked, _| switch(&mut asked.may_destroy),
    },
    Choice {
        name: "check",
        value: None,
        purpose: "change no file, only say which would change",
        set: |asked, _| switch(&mut asked.is_check),
    },
    Choice {
        name: "force",
        value: None,
        purpose: "write over a file that is there",
        set: |asked, _| switch(&mut asked.is_force),
    },
    Choice {
        name: "pattern",
        value: Some("NAME"),
        purpose: "only this access pattern; may be given several times",
        set: |asked, value| {
            asked.patterns.push(value.to_owned());
            Ok(())
        },
    },
    Choice {
        name: "output",
        value: Some("FILE"),
        purpose: "write to this file instead of standard output",
        set: |asked, value| text(&mut asked.output, value),
    },
    Choice {
        name: "format",
        value: Some("NAME"),
        purpose: "the form of the text, where there are several",
        set: |asked, value| text(&mut asked.format, value),
    },
    Choice {
        name: "what-if",
        value: Some("FILE"),
        purpose: "compare the cost with that of another design",
        set: |asked, value| text(&mut asked.what_if, value),
    },
    Choice {
        name: "table",
        value: Some("NAME"),
        purpose: "the running table to import",
        set: |asked, value| text(&mut asked.table, value),
    },
    Choice {
        name: "items",
        value: Some("COUNT"),
        purpose: "how many items of each table to look at [usually: 100]",
        set: |asked, value| {
            asked.items = Some(value.parse().map_err(|_| "a whole number")?);
            Ok(())
        },
    },
    Choice {
        name: "rate",
        value: Some("NUMBER"),
        purpose: "requests a second to send [usually: as many as go]",
        set: |asked, value| {
            let rate = value.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
            asked.rate = Some(rate.ok_or("a number above 0")?);
            Ok(())
        },
    },
    Choice {
        name: "concurrency",
        value: Some("NUMBER"),
        purpose: "requests under way at once [usually: 10]",
        set: |asked, value| {
            let number = value.parse().ok().filter(|number| (1..=10_000).contains(number));
            asked.concurrency = number.ok_or("a number from 1 to 10000")?;
            Ok(())
        },
    },
    Choice {
        name: "duration",
        value: Some("TIME"),
        purpose: "how long, such as 30s, 5m [usually: 10s]",
        set: |asked, value| {
            asked.duration = duration(value).ok_or("a time such as 500ms, 30s or 5m")?;
            Ok(())
        },
    },
];

fn text(place: &mut Option<String>, value: &str) -> Result<(), &'static str> {
    if value.is_empty() {
        return Err("a text");
    }
    *place = Some(value.to_owned());
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "one shape for all that take a value over")]
fn switch(place: &mut bool) -> Result<(), &'static str> {
    *place = true;
    Ok(())
}

fn duration(text: &str) -> Option<Duration> {
    let (number, unit) =
        text.split_at(text.find(|letter: char| letter.is_alphabetic()).unwrap_or(text.len()));
    let number: f64 = number.parse().ok()?;
    let seconds = match unit {
        "ms" => number / 1_000.0,
        "" | "s" => number,
        "m" => number * 60.0,
        "h" => number * 3_600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero())
}

/// Reads what follows the verb; `known` are the options the verb takes.
pub(crate) fn read(
    verb: &str,
    known: &[&str],
    arguments: impl Iterator<Item = OsString>,
) -> Result<Asked, Failure> {
    let mut asked = Asked::default();
    let mut arguments = arguments.map(|argument| argument.to_string_lossy().into_owned());
    while let Some(argument) = arguments.next() {
        let Some(flag) = argument.strip_prefix("--") else {
            asked.words.push(argument);
            continue;
        };
        let (name, attached) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (flag, None),
        };
        let choice = CHOICES.iter().find(|choice| choice.name == name && known.contains(&choice.name));
        let choice = choice.ok_or_else(|| {
            Failure::new(format!(
                "larder design {verb} has no option --{name}: larder design {verb} --help shows them"
            ))
        })?;
        let value = match (attached, choice.value) {
            (Some(value), _) => value,
            (None, None) => String::new(),
            (None, Some(called)) => arguments
                .next()
                .ok_or_else(|| Failure::new(format!("--{name} needs a value: --{name} {called}")))?,
        };
        (choice.set)(&mut asked, &value)
            .map_err(|expected| Failure::new(format!("--{name} must be {expected}, not {value:?}")))?;
    }
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(line: &str) -> Result<Asked, String> {
        let known: Vec<&str> = CHOICES.iter().map(|choice| choice.name).collect();
        read("load", &known, line.split_whitespace().map(OsString::from))
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn words_and_options_in_any_order() {
        let asked = ask("GetUser --rate 2.5 a.design.yaml --env=prod --json --duration 500ms").unwrap();
        assert_eq!(asked.words, ["GetUser", "a.design.yaml"]);
        assert_eq!(
            (asked.rate, asked.environment.as_deref(), asked.is_json),
            (Some(2.5), Some("prod"), true)
        );
        assert_eq!(asked.duration, Duration::from_millis(500));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (line, expected) in [
            ("--speed 1", "larder design load has no option --speed: larder design load --help shows them"),
            ("--rate", "--rate needs a value: --rate NUMBER"),
            ("--rate 0", "--rate must be a number above 0, not \"0\""),
            ("--concurrency 0", "--concurrency must be a number from 1 to 10000, not \"0\""),
            ("--duration 1y", "--duration must be a time such as 500ms, 30s or 5m, not \"1y\""),
        ] {
            assert_eq!(ask(line), Err(expected.to_owned()), "{line}");
        }
    }
}
