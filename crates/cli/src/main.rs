//! The binary `larder`: what is asked on the command line, done, and an exit code.
//! Knows no operations and no HTTP.

mod buckets;
mod clock;
mod command;
mod design;
mod failure;
mod folder;
mod help;
mod log;
mod memory;
mod moving;
mod serve;
mod settings;
mod words;

use crate::command::Command;
use std::io::Write;
use std::process::ExitCode;

/// Requests allocate many small pieces, and answer on another thread than they were read on; the system's allocator takes a
/// tenth of the processor's time for that (docs/decisions/0007).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What cannot be done, because of how it was asked or of the machine it was asked on.
const REFUSED_CODE: u8 = 2;

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    let done = command::read(arguments, &|name| std::env::var_os(name)).and_then(|command| match command {
        Command::Serve(options) => serve::run(&options).map(|()| ExitCode::SUCCESS),
        Command::Design(arguments) => design::run(arguments.into_iter()),
        Command::Clock(arguments) => clock::run(arguments.into_iter()),
        Command::Copy(arguments) => moving::copy::run(arguments.into_iter()),
        Command::Dump(arguments) => moving::dump::run(arguments.into_iter()),
        Command::Load(arguments) => moving::load::run(arguments.into_iter()),
        Command::Help => {
            say(&help::text());
            Ok(ExitCode::SUCCESS)
        }
        Command::Version => {
            say(concat!("larder ", env!("CARGO_PKG_VERSION"), "\n"));
            Ok(ExitCode::SUCCESS)
        }
    });
    match done {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("larder: {failure}");
            ExitCode::from(REFUSED_CODE)
        }
    }
}

/// Prints. Whoever closed the other end of standard output does not want to read it.
pub(crate) fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _unread = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
