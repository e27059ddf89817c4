//! Simulated loss of power: a server runs once under the recording file layer; then its disk is rebuilt as it may have been
//! left at many moments of that run, and a server is started on each. Everything that was acknowledged before the moment
//! must be there.

mod disk;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::books::{self, Change, Event, Writer};
use crate::builder::{Builder, Stage};
use crate::chance::Chance;
use crate::faults::Faults;
use crate::report::Row;
use crate::server::{Folder, Server};
use crate::wire::Wire;
use disk::{Disk, Loss, Record};

/// How many losses, and of what runs.
pub(crate) struct Plan {
    pub(crate) losses: u64,
    pub(crate) heavy_losses: u64,
    pub(crate) seed: u64,
    /// No loss is played later.
    pub(crate) seconds_max: u64,
}

/// Losses that are played on one recorded run.
const LOSSES_OF_A_RUN: u64 = 40;
const PLANTED_LOSSES: u64 = 40;
/// How long a server that was told to end may go on without a change.
const QUIT_TIME_MAX: Duration = Duration::from_secs(3);
const WRITERS: u64 = 6;
/// Servers that look at what is left at the same time.
const LOOKERS: usize = 2;

/// A recorded run.
struct Run {
    records: Vec<Record>,
    /// From this moment on the tables are there.
    ready: u64,
    events: Vec<Vec<Event>>,
    builder: Builder,
}

#[derive(Default)]
struct Totals {
    losses: u64,
    lost: u64,
    acknowledged: u64,
    compared: u64,
    problems: Vec<String>,
}

/// Plays losses until there are enough.
pub(crate) fn run(larder: &Path, plan: &Plan) -> Result<Row, String> {
    let began = Instant::now();
    let deadline = began + Duration::from_secs(plan.seconds_max);
    let total = Mutex::new(Totals::default());
    let mut number = 0;
    for (count, large_every, milliseconds) in [(plan.losses, 0, 1500), (plan.heavy_losses, 4, 9000)] {
        let mut left = count;
        while left > 0 && Instant::now() < deadline {
            let losses = left.min(LOSSES_OF_A_RUN);
            left -= losses;
            number += 1;
            let run = record(larder, plan.seed * 1000 + number, large_every, milliseconds, &[])?;
            play(larder, &run, losses, plan.seed * 1000 + number, deadline, &total)?;
            let done = total.lock().map_err(|_| "a looker panicked")?.losses;
            eprintln!("power: {done} losses of {}", plan.losses + plan.heavy_losses);
        }
    }
    let total = total.into_inner().map_err(|_| "a looker panicked")?;
    let mut problems = total.problems;
    if problems.is_empty() && total.losses < plan.losses + plan.heavy_losses {
        problems.push("time was up before all losses were played".to_string());
    }
    Ok(Row {
        name: "power",
        did: format!(
            "{} losses of power in {number} runs, {} unsynced changes lost or torn; {} writes acknowledged, {} items, entries \
             and records compared",
            total.losses, total.lost, total.acknowledged, total.compared
        ),
        seconds: began.elapsed().as_secs(),
        problems,
    })
}

/// A server that acknowledges before its disk has the write must lose some of them here: a proof that cannot fail is none.
pub(crate) fn planted(larder: &Path, seed: u64) -> Result<Row, String> {
    let began = Instant::now();
    let total = Mutex::new(Totals::default());
    let deadline = began + Duration::from_secs(120);
    let run = record(larder, seed, 0, 1500, &["--durability", "relaxed"])?;
    play(larder, &run, PLANTED_LOSSES, seed, deadline, &total)?;
    let total = total.into_inner().map_err(|_| "a looker panicked")?;
    let problems = if total.problems.is_empty() {
        vec!["acknowledged before the sync, and no loss of power showed it".to_string()]
    } else {
        Vec::new()
    };
    Ok(Row {
        name: "planted",
        did: format!(
            "a server that acknowledges before it syncs, on purpose: {} wrong things found in {} losses of power",
            total.problems.len(),
            total.losses
        ),
        seconds: began.elapsed().as_secs(),
        problems,
    })
}

/// Runs a server with writers, kills it once on the way so that a recovery is in the record too, and keeps the record.
fn record(
    larder: &Path,
    seed: u64,
    large_every: u64,
    milliseconds: u64,
    options: &[&str],
) -> Result<Run, String> {
    let folder = Folder::new(&format!("power-{seed}"))?;
    let (data, log) = (folder.path().join("data"), folder.path().join("log"));
    let faults = Faults::new(folder.path(), &data)?.recording(&log);
    let server = Server::larder(larder, &data)?.with_arguments(options);
    let mut server = server.with_environment(&faults.environment());
    server.start()?;
    let mut wire = server.wire();
    for table in books::tables() {
        wire.must("CreateTable", &table)?;
    }
    let mut builder = Builder::new(&mut wire)?;
    let ready = faults.recorded();
    // A slow disk lets more gather that is not safe yet.
    faults.set_sync_delay_us(1500);
    let mut events = vec![Vec::new(); WRITERS as usize];
    for part in 0..2 {
        let over = AtomicBool::new(false);
        let moment = || faults.recorded();
        let port = server.port;
        let written = thread::scope(|scope| {
            let goes_on = || !over.load(Ordering::Relaxed);
            let writers: Vec<_> = (0..WRITERS)
                .map(|number| {
                    let chance = Chance::new(seed, part * 100 + number);
                    let writer =
                        Writer { number, chance, wire: Wire::new(port), large_every, moment: &moment };
                    scope.spawn(move || writer.run(&goes_on))
                })
                .collect();
            let builder = &mut builder;
            let stage = match (part, seed % 2) {
                (0, _) => Stage::Tables,
                (_, 0) => Stage::Filling,
                (_, _) => Stage::Restoring,
            };
            let building =
                scope.spawn(move || builder.run(stage, port, Chance::new(seed, part), &moment, &goes_on));
            thread::sleep(Duration::from_millis(milliseconds / 2));
            faults.set_quit(true);
            // Writers write all the while, so its end comes soon; one that has nothing to write can be killed as well.
            let _in_time = server.ends_within(QUIT_TIME_MAX);
            server.kill();
            over.store(true, Ordering::Relaxed);
            let written: Vec<_> = writers.into_iter().filter_map(|writer| writer.join().ok()).collect();
            building.join().map_err(|_| "the builder panicked".to_string())?.map(|()| written)
        })?;
        for (all, written) in events.iter_mut().zip(written) {
            if let Some(problem) = written.problem {
                return Err(problem);
            }
            all.extend(written.events);
        }
        faults.set_quit(false);
        if part == 0 {
            server.start()?;
            // What was under way at the kill is there now or it is not: the books must know which.
            settle(&mut server, &mut events, faults.recorded())?;
        }
    }
    if let Some(problem) = server.problems().into_iter().next() {
        return Err(problem);
    }
    Ok(Run { records: disk::read_log(&log)?, ready, events, builder })
}

/// Replaces requests without an answer by what a look after the restart shows of them.
fn settle(server: &mut Server, events: &mut [Vec<Event>], moment: u64) -> Result<(), String> {
    let allowed = books::allowed(&BTreeMap::new(), events, u64::MAX);
    let found = books::verify(&mut server.wire(), &allowed)?;
    if let Some(problem) = found.problems.into_iter().next() {
        return Err(problem);
    }
    for all in events.iter_mut() {
        let Some(last) = all.last().filter(|event| event.acknowledged.is_none()).cloned() else { continue };
        let places = last
            .places
            .iter()
            .map(|(place, _)| (*place, Change::Found(found.held.get(place).copied().flatten())));
        all.push(Event { places: places.collect(), sent: last.sent, acknowledged: Some(moment) });
    }
    Ok(())
}

/// Plays losses at moments spread over a run.
fn play(
    larder: &Path,
    run: &Run,
    losses: u64,
    seed: u64,
    deadline: Instant,
    total: &Mutex<Totals>,
) -> Result<(), String> {
    let mut chance = Chance::new(seed, 5);
    let count = run.records.len() as u64;
    let mut moments: Vec<u64> = (0..losses).map(|_| chance.between(1, count)).collect();
    moments.sort_unstable();
    let shared = Mutex::new((moments.into_iter(), Disk::default(), 0usize, chance));
    let acknowledged = run.events.iter().flatten().filter(|event| event.acknowledged.is_some()).count();
    if let Ok(mut total) = total.lock() {
        total.acknowledged += acknowledged as u64;
    }
    thread::scope(|scope| {
        let lookers: Vec<_> = (0..LOOKERS)
            .map(|looker| {
                let shared = &shared;
                scope.spawn(move || -> Result<(), String> {
                    while Instant::now() < deadline {
                        let mut folder = Folder::new(&format!("left-{seed}-{looker}"))?;
                        let data = folder.path().join("data");
                        let Some((moment, loss, lost)) = next(shared, run, &data)? else { return Ok(()) };
                        let outcome = look(larder, run, moment, &data);
                        let Ok(mut total) = total.lock() else { return Ok(()) };
                        total.losses += 1;
                        total.lost += lost;
                        let problems = match outcome {
                            Ok((compared, problems)) => {
                                total.compared += compared;
                                problems
                            }
                            Err(problem) => vec![problem],
                        };
                        if !problems.is_empty() && std::env::var_os("PROOF_VERBOSE").is_some() {
                            folder.keep();
                        }
                        let tell = |problem| format!("run {seed}, moment {moment}, {loss:?} lost: {problem}");
                        total.problems.extend(problems.into_iter().map(tell));
                    }
                    Ok(())
                })
            })
            .collect();
        lookers
            .into_iter()
            .try_for_each(|looker| looker.join().map_err(|_| "a looker panicked".to_string())?)
    })
}

/// Rebuilds the disk of the next moment in a folder.
type Shared = Mutex<(std::vec::IntoIter<u64>, Disk, usize, Chance)>;

fn next(shared: &Shared, run: &Run, data: &PathBuf) -> Result<Option<(u64, Loss, u64)>, String> {
    let mut shared = shared.lock().map_err(|_| "a looker panicked")?;
    let (moments, disk, done, chance) = &mut *shared;
    let Some(moment) = moments.next() else { return Ok(None) };
    while let Some(record) = run.records.get(*done).filter(|record| record.sequence < moment) {
        disk.change(record);
        *done += 1;
    }
    fs::create_dir_all(data).map_err(|error| error.to_string())?;
    let loss = *chance.pick(&[Loss::All, Loss::Late, Loss::Scattered, Loss::Scattered, Loss::Nothing]);
    let lost = disk.lose(loss, chance, data)?;
    Ok(Some((moment, loss, lost)))
}

/// Starts a server on what is left and compares.
fn look(larder: &Path, run: &Run, moment: u64, data: &Path) -> Result<(u64, Vec<String>), String> {
    let mut server = Server::larder(larder, data)?;
    server.start()?;
    if moment < run.ready {
        return Ok((0, server.problems()));
    }
    let mut wire = server.wire();
    let allowed = books::allowed(&BTreeMap::new(), &run.events, moment);
    let found = books::verify(&mut wire, &allowed)?;
    let mut problems = found.problems;
    let compared = run.builder.verify(&mut wire, moment, &mut problems)?;
    problems.extend(server.problems());
    Ok((found.compared + compared, problems))
}
