//! `larder design`: the verbs on design files, in one table.
//! Knows which verbs there are, what they take and who does them.

mod apply;
mod asked;
mod drive;
mod judge;
mod local;
mod open;
mod say;
mod show;
mod start;
mod trial;

use crate::failure::Failure;
use asked::{Asked, CHOICES};
use std::ffi::OsString;
use std::fmt::Write;
use std::process::ExitCode;

pub(crate) use start::deploy_all;

/// How a verb ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// As it should.
    Well,
    /// With something to mend.
    Badly,
}

impl Ended {
    fn well_if(is_well: bool) -> Ended {
        if is_well { Ended::Well } else { Ended::Badly }
    }
}

struct Verb {
    name: &'static str,
    words: &'static str,
    purpose: &'static str,
    options: &'static [&'static str],
    run: fn(&Asked) -> Result<Ended, Failure>,
}

const VERBS: &[Verb] = &[
    Verb {
        name: "init",
        words: "[NAME]",
        purpose: "write a first design to begin with",
        options: &["force", "json"],
        run: judge::init,
    },
    Verb {
        name: "check",
        words: "[FILE…]",
        purpose: "say what is wrong with a design, where, and how to mend it",
        options: &["strict", "json"],
        run: judge::check,
    },
    Verb {
        name: "fmt",
        words: "[FILE…]",
        purpose: "lay files out",
        options: &["check", "json"],
        run: judge::fmt,
    },
    Verb {
        name: "plan",
        words: "[FILE…]",
        purpose: "show what a deployment would change",
        options: &["env", "endpoint", "region", "allow-destroy", "json"],
        run: apply::plan,
    },
    Verb {
        name: "deploy",
        words: "[FILE…]",
        purpose: "make the tables as the design says; safe to repeat, drops nothing unless told to",
        options: &["env", "endpoint", "region", "allow-destroy", "strict", "json"],
        run: apply::deploy,
    },
    Verb {
        name: "seed",
        words: "[FILE…]",
        purpose: "write the samples",
        options: &["env", "endpoint", "region", "json"],
        run: apply::seed,
    },
    Verb {
        name: "run",
        words: "[FILE…]",
        purpose: "run every access pattern and compare with what the design expects",
        options: &["env", "endpoint", "region", "pattern", "json"],
        run: trial::run,
    },
    Verb {
        name: "test",
        words: "[FILE…]",
        purpose: "check, deploy to a fresh Larder in memory, seed, run: one command for CI",
        options: &["env", "pattern", "strict", "json"],
        run: trial::test,
    },
    Verb {
        name: "explain",
        words: "PATTERN… [FILE…]",
        purpose: "the exact requests of a pattern: JSON, AWS CLI, boto3, JavaScript, Rust",
        options: &["env", "format", "json"],
        run: show::explain,
    },
    Verb {
        name: "load",
        words: "PATTERN [FILE]",
        purpose: "drive a pattern and measure latency",
        options: &["env", "endpoint", "region", "rate", "concurrency", "duration", "json"],
        run: drive::load,
    },
    Verb {
        name: "cost",
        words: "[FILE…]",
        purpose: "capacity and dollars a month, per pattern and in total",
        options: &["env", "region", "what-if", "json"],
        run: show::cost,
    },
    Verb {
        name: "docs",
        words: "[FILE…]",
        purpose: "a document for people, as markdown (with diagrams) or as one html page: --format html",
        options: &["env", "format", "output", "json"],
        run: show::docs,
    },
    Verb {
        name: "export",
        words: "FORMAT [FILE…]",
        purpose: "cloudformation, terraform, iam, alarms, workbench, rust, typescript, python",
        options: &["env", "format", "output", "json"],
        run: show::export,
    },
    Verb {
        name: "import",
        words: "[FILE]",
        purpose: "a design from a CloudFormation template, a NoSQL Workbench model or a running table",
        options: &["table", "endpoint", "region", "items", "output", "json"],
        run: show::import,
    },
    Verb {
        name: "drift",
        words: "[FILE…]",
        purpose: "what running tables have that the design has not",
        options: &["env", "endpoint", "region", "items", "json"],
        run: show::drift,
    },
    Verb {
        name: "schema",
        words: "",
        purpose: "the JSON Schema of design files, for editors",
        options: &["output", "json"],
        run: judge::schema,
    },
];

/// Does what is asked.
pub(crate) fn run(mut arguments: impl Iterator<Item = OsString>) -> Result<ExitCode, Failure> {
    let first = arguments.next().map(|word| word.to_string_lossy().into_owned());
    let Some(first) = first.filter(|word| !matches!(word.as_str(), "help" | "--help" | "-h")) else {
        crate::say(&help());
        return Ok(ExitCode::SUCCESS);
    };
    let verb = VERBS.iter().find(|verb| verb.name == first).ok_or_else(|| {
        let names: Vec<&str> = VERBS.iter().map(|verb| verb.name).collect();
        Failure::new(format!("larder design has no verb {first:?}: there is {}", names.join(", ")))
    })?;
    let rest: Vec<OsString> = arguments.collect();
    if rest.iter().any(|word| word == "--help" || word == "-h") {
        crate::say(&verb_help(verb));
        return Ok(ExitCode::SUCCESS);
    }
    let asked = asked::read(verb.name, verb.options, rest.into_iter())?;
    Ok(match (verb.run)(&asked)? {
        Ended::Well => ExitCode::SUCCESS,
        Ended::Badly => ExitCode::FAILURE,
    })
}

/// All verbs.
fn help() -> String {
    let mut text = "larder design: table designs that run\n\nUsage: larder design VERB [FILE…] [options]\n\n\
                    Without a file the *.design.yaml of this folder are meant.\n\nVerbs:\n"
        .to_owned();
    for verb in VERBS {
        // Writing to a string cannot fail.
        let _written = writeln!(text, "  {:<8} {:<24} {}", verb.name, verb.words, verb.purpose);
    }
    text.push_str("\nlarder design VERB --help shows its options.\nTry, in an empty folder:\n  larder design init && larder design test\n");
    text
}

fn verb_help(verb: &Verb) -> String {
    let mut text = format!("larder design {} {}: {}\n\nOptions:\n", verb.name, verb.words, verb.purpose);
    for choice in CHOICES.iter().filter(|choice| verb.options.contains(&choice.name)) {
        let value = choice.value.map(|value| format!(" {value}")).unwrap_or_default();
        let _written = writeln!(text, "  {:<24} {}", format!("--{}{value}", choice.name), choice.purpose);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_a_verb_is_one_and_every_verb_speaks_json() {
        for verb in VERBS {
            for option in verb.options {
                assert!(CHOICES.iter().any(|choice| choice.name == *option), "{}: {option}", verb.name);
            }
            assert!(verb.options.contains(&"json"), "{}", verb.name);
            assert!(help().contains(verb.name) && verb_help(verb).contains("--json"), "{}", verb.name);
        }
    }

    #[test]
    fn an_unknown_verb_is_refused_with_the_known_ones() {
        let refused = run([OsString::from("depoly")].into_iter()).err().map(|failure| failure.to_string());
        assert!(refused.is_some_and(|text| text.contains("\"depoly\"") && text.contains("deploy")));
    }
}
