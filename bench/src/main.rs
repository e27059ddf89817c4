//! Measures Larder beside its peers and beside the floor they all stand on.
//!
//! `run` measures all servers side by side, `bars` what the bar asks for, `growth` Larder as it grows, `duel` two builds of
//! it, and `page` writes their page again. `floor` is the bare HTTP server and `store` the bare store, which the others start as contenders. The benchmark uses nothing of Larder's but its binary and its store, and changes nothing in it.

mod bars;
mod compare;
mod connection;
mod curves;
mod duel;
mod figures;
mod fill;
mod floor;
mod grid;
mod growth;
mod load;
mod machine;
mod measure;
mod options;
mod pace;
mod page;
mod plot;
mod process;
mod progress;
mod publish;
mod random;
mod report;
mod request;
mod server;
mod stalls;
mod store;
mod table;
mod tally;
mod turns;
mod verdict;
mod workload;

use figures::{Bars, Failure, Figures, Row, Settings};
use measure::{Contender, Run};
use options::{HELP, Options, Task};
use progress::Progress;
use random::Letters;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let outcome = match arguments.next().as_deref() {
        Some("run") => run(Task::Servers, arguments),
        Some("bars") => run(Task::Bars, arguments),
        Some("growth") => run(Task::Growth, arguments),
        Some("duel") => run(Task::Duel, arguments),
        Some("page") => write_page(arguments),
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

fn run(task: Task, arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let Some(options) = Options::parse(task, arguments)? else {
        println!("{HELP}");
        return Ok(());
    };
    let data = options.home.join(".data");
    fs::create_dir_all(&data).map_err(|error| format!("{}: {error}", data.display()))?;
    let letters = Letters::new();
    let run = Run { options: &options, letters: &letters, data };
    stop_on_signals(run.files())?;
    match task {
        Task::Servers => {
            let machine = machine::describe(&run.data);
            let rows = measure_all(&run);
            let figures = Figures { date: options.date.clone(), machine, settings: settings(&options), rows };
            publish::servers(&options, &figures)
        }
        Task::Bars => {
            let machine = machine::describe(&run.data);
            let rounds = bars::rounds(&run);
            let bars = Bars { date: options.date.clone(), machine, settings: settings(&options), rounds };
            publish::bars(&options, &bars)
        }
        Task::Growth => publish::growth(&options, &growth::run(&run)?),
        Task::Duel => {
            print!("{}", duel::run(&run)?);
            Ok(())
        }
    }
}

fn write_page(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    match Options::parse(Task::Servers, arguments)? {
        Some(options) => publish::page(&options),
        None => {
            println!("{HELP}");
            Ok(())
        }
    }
}

fn settings(options: &Options) -> Settings {
    Settings {
        items: options.items,
        seconds: options.seconds,
        warm_up_seconds: options.warm_up_seconds(),
        client_threads: options.client_threads,
        connections: options.connections.clone(),
    }
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

/// A thread of its own waits for Ctrl-C and SIGTERM, so that neither a server nor its data are left behind.
fn stop_on_signals(files: PathBuf) -> Result<(), String> {
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
            // They are removed before the next start otherwise.
            let _removed = fs::remove_dir_all(&files);
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
