//! `larder copy`, `larder dump` and `larder load`: tables moved between endpoints and files.
//! Knows what the three share: flags, endpoints, exit codes.

pub(crate) mod copy;
pub(crate) mod dump;
pub(crate) mod load;
mod progress;

use crate::failure::Failure;
use crate::words::{self, Flag, Given};
use client::{Http, Place};
use courier::{Error, Format};
use std::process::ExitCode;

/// A region that every local endpoint takes.
const USUAL_REGION: &str = "us-east-1";
const PARALLEL_MAX: usize = 256;

const REGION: Flag = Flag {
    name: "region",
    value: Some("NAME"),
    purpose: "the region [usually: that of the address, AWS_REGION, the profile's]",
};
const PROFILE: Flag = Flag {
    name: "profile",
    value: Some("NAME"),
    purpose: "the profile of ~/.aws that signs [usually: the keys in the environment, AWS_PROFILE]",
};
const FORMAT: Flag = Flag {
    name: "format",
    value: Some("json|csv"),
    purpose: "lines of DynamoDB JSON, or CSV with types [usually: by the file's name, else json]",
};
const RATE: Flag = Flag {
    name: "rate",
    value: Some("NUMBER"),
    purpose: "write units a second at most [usually: as many as go]",
};
const PARALLEL: Flag =
    Flag { name: "parallel", value: Some("NUMBER"), purpose: "requests under way at once [usually: 8]" };
const PARALLEL_USUAL: usize = 8;

/// The endpoint of `dump` and `load`.
fn endpoint(given: &Given) -> Result<Http, Failure> {
    let usual = || words::usual_endpoint(&|name| std::env::var(name).ok());
    let address = given.value("endpoint").map_or_else(usual, str::to_owned);
    open(&address, given.value("region"), given.value("profile"), parallel(given)?)
}

fn open(
    address: &str,
    region: Option<&str>,
    profile: Option<&str>,
    connections: usize,
) -> Result<Http, Failure> {
    let region = region.map(str::to_owned).or_else(|| client::region_of(address)).or_else(client::region);
    let region = region.unwrap_or_else(|| USUAL_REGION.to_owned());
    Http::open(Place { address, region: &region, profile, connections })
        .map_err(|failure| Failure::new(failure.message))
}

fn parallel(given: &Given) -> Result<usize, Failure> {
    let Some(text) = given.value("parallel") else { return Ok(PARALLEL_USUAL) };
    let number = text.parse().ok().filter(|number| (1..=PARALLEL_MAX).contains(number));
    number.ok_or_else(|| {
        Failure::new(format!("--parallel must be a number from 1 to {PARALLEL_MAX}, not {text:?}"))
    })
}

fn rate(given: &Given) -> Result<Option<f64>, Failure> {
    let Some(text) = given.value("rate") else { return Ok(None) };
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.map(Some).ok_or_else(|| Failure::new(format!("--rate must be a number above 0, not {text:?}")))
}

fn format(given: &Given, file: Option<&str>) -> Result<Format, Failure> {
    match given.value("format") {
        Some("json") => Ok(Format::Json),
        Some("csv") => Ok(Format::Csv),
        Some(other) => Err(Failure::new(format!("--format must be json or csv, not {other:?}"))),
        None if file.is_some_and(|file| file.to_ascii_lowercase().ends_with(".csv")) => Ok(Format::Csv),
        None => Ok(Format::Json),
    }
}

/// The exit code: what was asked wrongly is the caller's failure, what went wrong on the way is told here.
fn ended(done: Result<ExitCode, Error>) -> Result<ExitCode, Failure> {
    match done {
        Ok(code) => Ok(code),
        Err(Error::Asked(text)) => Err(Failure::new(text)),
        Err(Error::Failed(text)) => {
            eprintln!("larder: {}", Failure::new(text));
            Ok(ExitCode::FAILURE)
        }
    }
}

/// The file that says what the table in a dump is.
fn definition_file(file: &str) -> String {
    format!("{file}.table.json")
}
