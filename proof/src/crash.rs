//! The crash matrix: the real binary under load, ended as kill -9 does at every named point and at random moments, and
//! looked at after each start.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::books::{self, Event, Held, Place, Writer};
use crate::builder::{Builder, Stage};
use crate::chance::Chance;
use crate::faults::Faults;
use crate::report::Row;
use crate::server::{Folder, Server};

/// How long and how hard.
pub(crate) struct Plan {
    pub(crate) rounds: u64,
    pub(crate) heavy_rounds: u64,
    pub(crate) writers: u64,
    pub(crate) seed: u64,
    /// No round begins later.
    pub(crate) seconds_max: u64,
}

/// A point is waited for this long; then the server is killed where it is.
const POINT_TIME_MAX: Duration = Duration::from_secs(10);

/// Where a round is to end: the point, how often it may be passed, and what goes on meanwhile.
type Ending = (&'static str, u64, Stage);

/// Rounds of small items, on a folder that stays small and so starts fast.
const LIGHT: [Ending; 21] = [
    ("before-append", 400, Stage::Items),
    ("after-append", 400, Stage::Items),
    ("before-fsync", 300, Stage::Items),
    ("after-fsync", 300, Stage::Items),
    ("before-answer", 900, Stage::Items),
    ("random", 0, Stage::Items),
    ("before-append", 60, Stage::Filling),
    ("after-append", 60, Stage::Filling),
    ("before-fsync", 60, Stage::Filling),
    ("after-fsync", 60, Stage::Filling),
    ("random", 0, Stage::Filling),
    ("before-append", 60, Stage::Restoring),
    ("after-fsync", 60, Stage::Restoring),
    ("random", 0, Stage::Restoring),
    ("before-folder", 5, Stage::Tables),
    ("after-folder", 5, Stage::Tables),
    ("before-folder-fsync", 12, Stage::Tables),
    ("after-folder-fsync", 12, Stage::Tables),
    ("before-folder-removal", 3, Stage::Tables),
    ("before-append", 30, Stage::Tables),
    ("random", 0, Stage::Tables),
];

/// Rounds of large items: memory tables are written out, files are merged, journals come and go.
const HEAVY: [Ending; 12] = [
    ("before-table-write", 60, Stage::Items),
    ("after-table-fsync", 2, Stage::Items),
    ("before-version", 2, Stage::Items),
    ("after-version-fsync", 2, Stage::Items),
    ("before-switch", 2, Stage::Items),
    ("after-switch", 2, Stage::Items),
    ("before-table-removal", 2, Stage::Items),
    ("after-table-removal", 2, Stage::Items),
    ("before-journal-removal", 1, Stage::Items),
    ("after-journal-removal", 1, Stage::Items),
    ("before-new-journal", 1, Stage::Items),
    ("after-new-journal", 1, Stage::Items),
];
/// One in so many requests is of a large item then.
const LARGE_EVERY: u64 = 3;
/// A folder is given up after so many rounds: all that is in its journals is read again at each start.
const LIGHT_ROUNDS: u64 = 42;
const HEAVY_ROUNDS: u64 = 24;

/// Small items or large ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    Light,
    Heavy,
}

/// What outlives a crash.
struct Matrix {
    server: Server,
    faults: Faults,
    chance: Chance,
    held: BTreeMap<Place, Held>,
    builder: Builder,
    total: Totals,
}

/// Plays rounds until there are enough.
pub(crate) fn run(larder: &Path, plan: &Plan) -> Result<Row, String> {
    let began = Instant::now();
    let mut total = Totals::default();
    for (weight, rounds, of_a_folder) in
        [(Weight::Light, plan.rounds, LIGHT_ROUNDS), (Weight::Heavy, plan.heavy_rounds, HEAVY_ROUNDS)]
    {
        let mut first = 0;
        while first < rounds {
            let last = rounds.min(first + of_a_folder);
            play(larder, plan, weight, first..last, began, &mut total)?;
            first = last;
        }
    }
    Ok(total.row(began.elapsed().as_secs()))
}

/// Plays rounds on a new folder.
fn play(
    larder: &Path,
    plan: &Plan,
    weight: Weight,
    rounds: Range<u64>,
    began: Instant,
    total: &mut Totals,
) -> Result<(), String> {
    if !total.problems.is_empty() {
        return Ok(());
    }
    let mut folder = Folder::new(&format!("crash-{weight:?}-{}", rounds.start))?;
    let mut matrix = Matrix::new(larder, folder.path(), plan)?;
    for round in rounds {
        if began.elapsed().as_secs() >= plan.seconds_max || !matrix.total.problems.is_empty() {
            break;
        }
        if let Err(problem) = matrix.round(round, weight, plan) {
            matrix.total.problems.push(format!("round {round}: {problem}"));
        }
        if std::env::var_os("PROOF_VERBOSE").is_some() {
            eprintln!("crash: round {round} ended at {:.1} s", began.elapsed().as_secs_f64());
        }
    }
    if !matrix.total.problems.is_empty() {
        folder.keep();
        eprintln!("crash: the folder is kept in {}", folder.path().display());
    }
    matrix.total.note = matrix.builder.note();
    total.add(matrix.total);
    Ok(())
}

/// What all rounds came to.
#[derive(Default)]
struct Totals {
    crashes: BTreeMap<String, u64>,
    acknowledged: u64,
    compared: u64,
    problems: Vec<String>,
    note: &'static str,
}

impl Totals {
    fn add(&mut self, other: Totals) {
        for (name, count) in other.crashes {
            *self.crashes.entry(name).or_default() += count;
        }
        self.acknowledged += other.acknowledged;
        self.compared += other.compared;
        self.problems.extend(other.problems);
        self.note = other.note;
    }

    fn row(self, seconds: u64) -> Row {
        let total: u64 = self.crashes.values().sum();
        let is_random = |name: &String| name.starts_with("random");
        let at_random: u64 =
            self.crashes.iter().filter(|(name, _)| is_random(name)).map(|(_, count)| count).sum();
        for (name, count) in &self.crashes {
            eprintln!("crash: {count:>5} {name}");
        }
        Row {
            name: "crash",
            did: format!(
                "{total} kills ({} at {} named points, {at_random} at random); {} writes acknowledged, {} items and \
                 entries compared{}",
                total - at_random,
                self.crashes.keys().filter(|name| !is_random(name)).count(),
                self.acknowledged,
                self.compared,
                self.note
            ),
            seconds,
            problems: self.problems,
        }
    }
}

impl Matrix {
    fn new(larder: &Path, folder: &Path, plan: &Plan) -> Result<Matrix, String> {
        let data = folder.join("data");
        let faults = Faults::new(folder, &data)?;
        let mut server = Server::larder(larder, &data)?.with_environment(&faults.environment());
        server.start()?;
        let mut wire = server.wire();
        for table in books::tables() {
            wire.must("CreateTable", &table)?;
        }
        let builder = Builder::new(&mut wire)?;
        Ok(Matrix {
            server,
            faults,
            chance: Chance::new(plan.seed, 7),
            held: BTreeMap::new(),
            builder,
            total: Totals::default(),
        })
    }

    fn round(&mut self, round: u64, weight: Weight, plan: &Plan) -> Result<(), String> {
        let (endings, large_every): (&[Ending], u64) = match weight {
            Weight::Light => (&LIGHT, 0),
            Weight::Heavy => (&HEAVY, LARGE_EVERY),
        };
        let (point, passings, stage) =
            *endings.get(round as usize % endings.len()).ok_or("there are no rounds")?;
        let stage = if self.builder.can(stage) { stage } else { Stage::Items };
        let over = AtomicBool::new(false);
        let port = self.server.port;
        let written = thread::scope(|scope| {
            let goes_on = || !over.load(Ordering::Relaxed);
            let writers: Vec<_> = (0..plan.writers)
                .map(|number| {
                    let chance = Chance::new(plan.seed, (round + 1) * 1000 + number);
                    let wire = crate::wire::Wire::new(port);
                    let writer = Writer { number, chance, wire, large_every, moment: &|| 0 };
                    scope.spawn(move || writer.run(&goes_on))
                })
                .collect();
            let builder = &mut self.builder;
            let chance = Chance::new(plan.seed, (round + 1) * 1000 + 999);
            let building = scope.spawn(move || builder.run(stage, port, chance, &|| 0, &goes_on));
            let name = end(&mut self.server, &self.faults, &mut self.chance, point, passings);
            over.store(true, Ordering::Relaxed);
            *self.total.crashes.entry(format!("{name}{}", stage.suffix())).or_default() += 1;
            let written: Vec<_> = writers.into_iter().filter_map(|writer| writer.join().ok()).collect();
            building.join().map_err(|_| "the builder panicked".to_string())?.map(|()| written)
        })?;
        self.total.problems.extend(written.iter().filter_map(|written| written.problem.clone()));
        let events: Vec<Vec<Event>> = written.into_iter().map(|written| written.events).collect();
        let counted = events.iter().flatten().filter(|event| event.acknowledged.is_some());
        self.total.acknowledged += counted.count() as u64;
        self.server.start()?;
        let allowed = books::allowed(&self.held, &events, 0);
        let mut wire = self.server.wire();
        let found = books::verify(&mut wire, &allowed)?;
        self.held = allowed.keys().map(|place| (*place, found.held.get(place).copied().flatten())).collect();
        self.total.compared +=
            found.compared + self.builder.verify(&mut wire, 0, &mut self.total.problems)?;
        self.builder.clear(&mut wire)?;
        let tell = |problem: String| format!("round {round} at {point}{}: {problem}", stage.suffix());
        self.total.problems.extend(found.problems.into_iter().map(tell));
        Ok(())
    }
}

/// Ends the server at a point, or where it is after a while; returns where it was.
fn end(
    server: &mut Server,
    faults: &Faults,
    chance: &mut Chance,
    point: &'static str,
    passings: u64,
) -> &'static str {
    if point == "random" {
        thread::sleep(Duration::from_millis(chance.between(5, 700)));
        server.kill();
        return "random";
    }
    thread::sleep(Duration::from_millis(chance.between(0, 60)));
    faults.arm(point, chance.between(1, passings));
    let ended = server.ends_within(POINT_TIME_MAX);
    server.kill();
    faults.disarm();
    if ended && faults.hit().is_some() { point } else { "random, a point not reached" }
}
