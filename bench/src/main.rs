//! Measures Larder beside its peers and beside the floor they all stand on.
//!
//! `run` does everything; `floor` is the bare HTTP server and `store` the bare store, which `run` starts as two more
//! contenders. The benchmark uses nothing of Larder's but its binary and its store, and changes nothing in it.

mod compare;
mod connection;
mod figures;
mod fill;
mod floor;
mod grid;
mod load;
mod machine;
mod measure;
mod options;
mod process;
mod progress;
mod random;
mod report;
mod request;
mod server;
mod store;
mod table;
mod tally;
mod workload;

use figures::{Failure, Figures, Row, Settings};
use measure::{Contender, Run};
use options::{HELP, Options};
use progress::Progress;
use random::Letters;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let outcome = match arguments.next().as_deref() {
        Some("run") => run(arguments),
        Some("floor") => serve_floor(arguments),
        Some("store") => measure_store(arguments),
        _ => Err("start it with bench/run; bench/run --help lists the options".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("bench: {reason}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let Some(options) = Options::parse(arguments)? else {
        println!("{HELP}");
        return Ok(());
    };
    stop_on_signals()?;
    let data = options.home.join(".data");
    fs::create_dir_all(&data).map_err(|error| format!("{}: {error}", data.display()))?;
    let machine = machine::describe(&data);
    let letters = Letters::new();
    let run = Run { options: &options, letters: &letters, data };
    let rows = measure_all(&run);
    let figures = Figures {
        date: options.date.clone(),
        machine,
        settings: Settings {
            items: options.items,
            seconds: options.seconds,
            warm_up_seconds: options.warm_up_seconds(),
            client_threads: options.client_threads,
            connections: options.connections.clone(),
        },
        rows,
    };
    let text = report::render(&figures);
    println!("{text}");
    write_out(&options, &figures, &text)
}

/// Obtains and measures every server asked for, one after the other.
fn measure_all(run: &Run<'_>) -> Vec<Row> {
    let families = &run.options.families;
    let steps = families.iter().map(|family| family.keepings(run.options).len() * run.steps(*family));
    let mut progress = Progress::new(steps.sum());
    let mut rows = Vec::new();
    for &family in families {
        progress.note(&format!("{}: building or installing where needed", family.name()));
        let installed = family.install(run.options);
        for keeping in family.keepings(run.options) {
            let contender = Contender { family, keeping };
            match &installed {
                Ok(installed) => rows.push(run.row(contender, installed, &mut progress)),
                Err(reason) => {
                    progress.step(run.steps(family), &format!("{}: {reason}", contender.name()));
                    let mut row = contender.empty_row("");
                    row.failures.push(Failure { workload: None, reason: reason.clone() });
                    rows.push(row);
                }
            }
        }
    }
    progress.note("done");
    rows
}

/// Full runs replace the published figures; others leave them alone.
fn write_out(options: &Options, figures: &Figures, text: &str) -> Result<(), String> {
    let json = serde_json::to_string_pretty(figures).map_err(|error| error.to_string())? + "\n";
    let results = options.home.join("results");
    if !options.publish {
        return write_file(&results.join("partial.json"), &json);
    }
    write_file(&results.join("latest.json"), &json)?;
    write_file(&options.home.join("../docs/benchmarks.md"), text)
}

fn write_file(path: &Path, text: &str) -> Result<(), String> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
    written.map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// A thread of its own waits for Ctrl-C and SIGTERM, so that no server is left behind.
fn stop_on_signals() -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            let terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
            let Ok(mut terminate) = terminate else { return };
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            process::stop_running();
            std::process::exit(130);
        });
    });
    Ok(())
}

fn serve_floor(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let port = match (arguments.next().as_deref(), arguments.next()) {
        (Some("--port"), Some(port)) => port.parse::<u16>().map_err(|_| format!("{port} is no port"))?,
        _ => return Err("usage: floor --port PORT".to_owned()),
    };
    floor::serve(port).map_err(|error| format!("the floor stopped: {error}"))
}

fn measure_store(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let task = arguments.next().ok_or("usage: store TASK, where the task is JSON")?;
    let task = serde_json::from_str(&task).map_err(|error| error.to_string())?;
    store::run(&task)
}
