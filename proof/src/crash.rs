//! The crash matrix: the real binary under load, ended as kill -9 does at every named point and at random moments, and
//! looked at after each start.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
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

/// A point is waited for this long; then the server is killed where it is. A slot of the log takes 32 MB.
const POINT_TIME_MAX: Duration = Duration::from_secs(10);
const HEAVY_POINT_TIME_MAX: Duration = Duration::from_secs(60);
/// A point that was not reached is tried again so often, at its first passing.
const TRIES_MAX: u32 = 4;
/// How often a long run says how far it is.
const PROGRESS_EVERY: Duration = Duration::from_secs(30);

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
    ("after-append", 60, Stage::Restoring),
    ("before-fsync", 60, Stage::Restoring),
    ("after-fsync", 60, Stage::Restoring),
    ("random", 0, Stage::Restoring),
    ("before-append", 30, Stage::Tables),
    ("after-append", 30, Stage::Tables),
    ("before-fsync", 30, Stage::Tables),
    ("after-fsync", 30, Stage::Tables),
    ("random", 0, Stage::Tables),
];

/// Rounds of large items: memory tables are written out, files are merged, slots of the log are used again. A folder sees four of
/// them, so what only happens to a new one comes first of four: later it has all the slots and folders that it needs.
const HEAVY: [Ending; 28] = [
    ("before-new-journal", 1, Stage::Items),
    ("before-table-write", 60, Stage::Items),
    ("after-table-fsync", 2, Stage::Items),
    ("before-version", 2, Stage::Items),
    ("after-new-journal", 1, Stage::Items),
    ("after-version-fsync", 2, Stage::Items),
    ("before-switch", 2, Stage::Items),
    ("after-switch", 2, Stage::Items),
    ("before-folder", 3, Stage::Tables),
    ("before-manifest", 2, Stage::Items),
    ("after-manifest", 2, Stage::Items),
    ("random", 0, Stage::Items),
    ("after-folder", 3, Stage::Tables),
    ("before-table-removal", 2, Stage::Items),
    ("after-table-removal", 2, Stage::Items),
    ("random", 0, Stage::Tables),
    ("before-folder-removal", 1, Stage::Tables),
    ("before-folder-fsync", 12, Stage::Tables),
    ("after-folder-fsync", 12, Stage::Tables),
    ("after-folder-removal", 1, Stage::Tables),
    ("before-merge-write", 30, Stage::Items),
    ("after-merge-fsync", 2, Stage::Items),
    ("before-link", 2, Stage::Items),
    ("after-link", 2, Stage::Items),
    ("before-cut", 8, Stage::Items),
    ("after-cut", 8, Stage::Items),
    ("random", 0, Stage::Items),
    ("random", 0, Stage::Filling),
];
/// One in so many requests is of a large item then.
const LARGE_EVERY: u64 = 2;
/// A folder is given up after so many rounds: all that is in its log is read again at each start.
const LIGHT_ROUNDS: u64 = 24;
const HEAVY_ROUNDS: u64 = 4;
/// Folders that are worked on at a time: a round waits for the disk and for its point most of the time.
const LANES: usize = 2;

/// Small items or large ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    Light,
    Heavy,
}

impl Weight {
    fn endings(self) -> &'static [Ending] {
        match self {
            Weight::Light => &LIGHT,
            Weight::Heavy => &HEAVY,
        }
    }
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
    let mut folders = VecDeque::new();
    for (weight, rounds, of_a_folder) in
        [(Weight::Heavy, plan.heavy_rounds, HEAVY_ROUNDS), (Weight::Light, plan.rounds, LIGHT_ROUNDS)]
    {
        let firsts = (0..rounds).step_by(of_a_folder as usize);
        folders.extend(firsts.map(|first| (weight, first..rounds.min(first + of_a_folder))));
    }
    let (folders, total) = (Mutex::new(folders), Mutex::new(Totals::default()));
    let wanted = plan.rounds + plan.heavy_rounds;
    let over = AtomicBool::new(false);
    thread::scope(|scope| -> Result<(), String> {
        let lanes: Vec<_> = (0..LANES)
            .map(|_| {
                scope.spawn(|| -> Result<(), String> {
                    loop {
                        let next = folders.lock().map_err(|_| "a lane panicked")?.pop_front();
                        let Some((weight, rounds)) = next else { return Ok(()) };
                        play(larder, plan, weight, rounds, began, &total)?;
                    }
                })
            })
            .collect();
        scope.spawn(|| tell_progress(&total, wanted, &over));
        let ends: Vec<_> = lanes.into_iter().map(thread::ScopedJoinHandle::join).collect();
        over.store(true, Ordering::Relaxed);
        ends.into_iter().try_for_each(|end| end.map_err(|_| "a lane panicked".to_string())?)
    })?;
    let total = total.into_inner().map_err(|_| "a lane panicked")?;
    Ok(total.row(began.elapsed().as_secs(), plan))
}

fn tell_progress(total: &Mutex<Totals>, wanted: u64, over: &AtomicBool) {
    let mut told = Instant::now();
    while !over.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(100));
        if told.elapsed() >= PROGRESS_EVERY {
            told = Instant::now();
            let kills = total.lock().map_or(0, |total| total.kills());
            eprintln!("crash: {kills} kills, {wanted} rounds are wanted");
        }
    }
}

/// Plays rounds on a new folder.
fn play(
    larder: &Path,
    plan: &Plan,
    weight: Weight,
    rounds: Range<u64>,
    began: Instant,
    total: &Mutex<Totals>,
) -> Result<(), String> {
    let gives_up = || {
        let is_wrong = total.lock().map_or(true, |total| !total.problems.is_empty());
        is_wrong || began.elapsed().as_secs() >= plan.seconds_max
    };
    if gives_up() {
        return Ok(());
    }
    let mut folder = Folder::new(&format!("crash-{weight:?}-{}", rounds.start))?;
    let mut matrix = Matrix::new(larder, folder.path(), plan)?;
    for round in rounds {
        if gives_up() {
            break;
        }
        let mut tries = 0;
        loop {
            let outcome = matrix.round(round, tries, weight, plan);
            let round_total = std::mem::take(&mut matrix.total);
            let mut total = total.lock().map_err(|_| "a lane panicked")?;
            total.add(round_total);
            tries += 1;
            match outcome {
                Ok(true) => break,
                Ok(false) if tries < TRIES_MAX => {}
                Ok(false) => break,
                Err(problem) => {
                    total.problems.push(format!("round {round}: {problem}"));
                    break;
                }
            }
        }
        if std::env::var_os("PROOF_VERBOSE").is_some() {
            eprintln!("crash: {weight:?} round {round} ended at {:.1} s", began.elapsed().as_secs_f64());
        }
    }
    let mut total = total.lock().map_err(|_| "a lane panicked")?;
    total.problems.extend(matrix.server.problems());
    if !total.problems.is_empty() {
        folder.keep();
        eprintln!("crash: the folder is kept in {}", folder.path().display());
    }
    Ok(())
}

/// What all rounds came to.
#[derive(Default)]
struct Totals {
    /// Rounds that were to end at a point in a stage, and how many of them did.
    points: BTreeMap<String, (u64, u64)>,
    at_random: u64,
    /// How often a start found an index half filled, and a copy half made.
    fills: u64,
    copies: u64,
    acknowledged: u64,
    compared: u64,
    problems: Vec<String>,
}

impl Totals {
    fn add(&mut self, other: Totals) {
        for (name, (tried, reached)) in other.points {
            let counts = self.points.entry(name).or_default();
            *counts = (counts.0 + tried, counts.1 + reached);
        }
        self.at_random += other.at_random;
        self.fills += other.fills;
        self.copies += other.copies;
        self.acknowledged += other.acknowledged;
        self.compared += other.compared;
        self.problems.extend(other.problems);
    }

    /// Notes how a round ended.
    fn note(&mut self, point: &str, stage: Stage, is_reached: bool) {
        if point != "random" {
            let counts = self.points.entry(format!("{point}{}", stage.suffix())).or_default();
            *counts = (counts.0 + 1, counts.1 + u64::from(is_reached));
        }
        self.at_random += u64::from(point == "random" || !is_reached);
    }

    fn at_points(&self) -> u64 {
        self.points.values().map(|(_, reached)| reached).sum()
    }

    fn kills(&self) -> u64 {
        self.at_points() + self.at_random
    }

    fn row(mut self, seconds: u64, plan: &Plan) -> Row {
        for (name, (tried, reached)) in &self.points {
            eprintln!("points: {reached:>5} of {tried:>5} {name}");
        }
        let reached = self.points.values().filter(|(_, reached)| *reached > 0).count();
        let never = self.points.iter().filter(|(_, (_, reached))| *reached == 0);
        let never: Vec<&str> = never.map(|(name, _)| name.as_str()).collect();
        if !never.is_empty() {
            self.problems.push(format!("never reached: {}", never.join(", ")));
        }
        let named = LIGHT.iter().chain(&HEAVY).filter(|(point, _, _)| *point != "random").count();
        let wanted = plan.rounds + plan.heavy_rounds;
        if self.problems.is_empty() && self.kills() < wanted {
            self.problems.push(format!("{} kills of {wanted}: time was up", self.kills()));
        }
        if plan.asks_for_all() && (reached < named || self.fills == 0 || self.copies == 0) {
            self.problems.push("not every point was reached in every stage".to_string());
        }
        Row {
            name: "crash",
            did: format!(
                "{} kills ({} at named points, {} at random; {reached} of {named} points \u{d7} stages reached); {} indexes \
                 half filled and {} copies half made at the next start; {} writes acknowledged, {} items, entries and records \
                 compared",
                self.kills(),
                self.at_points(),
                self.at_random,
                self.fills,
                self.copies,
                self.acknowledged,
                self.compared,
            ),
            seconds,
            problems: self.problems,
        }
    }
}

impl Plan {
    /// Whether every ending comes at least once.
    fn asks_for_all(&self) -> bool {
        self.rounds >= LIGHT.len() as u64 && self.heavy_rounds >= HEAVY.len() as u64
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

    /// Plays a round; whether it ended where it was to.
    fn round(&mut self, round: u64, tries: u32, weight: Weight, plan: &Plan) -> Result<bool, String> {
        let endings = weight.endings();
        let (point, passings, stage) =
            *endings.get(round as usize % endings.len()).ok_or("there are no rounds")?;
        let (large_every, patience) = match weight {
            Weight::Light => (0, POINT_TIME_MAX),
            Weight::Heavy => (LARGE_EVERY, HEAVY_POINT_TIME_MAX),
        };
        let over = AtomicBool::new(false);
        let port = self.server.port;
        let stream = (round + 1) * 1000 + u64::from(tries) * 100_000_000;
        let (is_reached, written) = thread::scope(|scope| {
            let goes_on = || !over.load(Ordering::Relaxed);
            let writers: Vec<_> = (0..plan.writers)
                .map(|number| {
                    let chance = Chance::new(plan.seed, stream + number);
                    let wire = crate::wire::Wire::new(port);
                    let writer = Writer { number, chance, wire, large_every, moment: &|| 0 };
                    scope.spawn(move || writer.run(&goes_on))
                })
                .collect();
            let builder = &mut self.builder;
            let chance = Chance::new(plan.seed, stream + 999);
            let building = scope.spawn(move || builder.run(stage, port, chance, &|| 0, &goes_on));
            let passings = if tries == 0 { self.chance.between(1, passings) } else { 1 };
            let pause =
                Duration::from_millis(self.chance.between(0, if point == "random" { 400 } else { 40 }));
            thread::sleep(pause);
            let is_reached = end(&mut self.server, &self.faults, point, passings, patience);
            over.store(true, Ordering::Relaxed);
            let written: Vec<_> = writers.into_iter().filter_map(|writer| writer.join().ok()).collect();
            let built = building.join().map_err(|_| "the builder panicked".to_string())?;
            built.map(|()| (is_reached, written))
        })?;
        self.total.note(point, stage, is_reached);
        self.total.problems.extend(written.iter().filter_map(|written| written.problem.clone()));
        let events: Vec<Vec<Event>> = written.into_iter().map(|written| written.events).collect();
        let counted = events.iter().flatten().filter(|event| event.acknowledged.is_some());
        self.total.acknowledged += counted.count() as u64;
        self.server.start()?;
        let allowed = books::allowed(&self.held, &events, 0);
        let mut wire = self.server.wire();
        let (fills, copies) = self.builder.interrupted(&mut wire)?;
        self.total.fills += fills;
        self.total.copies += copies;
        let found = books::verify(&mut wire, &allowed)?;
        self.held = allowed.keys().map(|place| (*place, found.held.get(place).copied().flatten())).collect();
        self.total.compared +=
            found.compared + self.builder.verify(&mut wire, 0, &mut self.total.problems)?;
        self.builder.clear(&mut wire)?;
        let tell = |problem: String| format!("round {round} at {point}{}: {problem}", stage.suffix());
        self.total.problems.extend(found.problems.into_iter().map(tell));
        Ok(is_reached)
    }
}

/// Ends the server at a point, or where it is after a while; whether it was at the point.
fn end(server: &mut Server, faults: &Faults, point: &str, passings: u64, patience: Duration) -> bool {
    if point == "random" {
        server.kill();
        return true;
    }
    faults.arm(point, passings);
    let ended = server.ends_within(patience);
    server.kill();
    faults.disarm();
    ended && faults.hit() == Some(point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::POINTS;

    #[test]
    fn every_point_of_the_layer_ends_a_round() {
        for point in POINTS {
            assert!(LIGHT.iter().chain(&HEAVY).any(|(name, _, _)| *name == point), "{point}");
        }
        for (point, _, _) in LIGHT.iter().chain(&HEAVY) {
            assert!(*point == "random" || POINTS.contains(point), "{point}");
        }
    }

    #[test]
    fn a_point_that_is_never_reached_is_a_problem() {
        let mut total = Totals::default();
        total.note("before-append", Stage::Items, false);
        total.note("random", Stage::Items, true);
        assert_eq!((total.kills(), total.at_random), (2, 2));
        let plan = |rounds| Plan { rounds, heavy_rounds: 0, writers: 1, seed: 1, seconds_max: 1 };
        assert_eq!(total.row(1, &plan(2)).problems, ["never reached: before-append"]);
        let total = || {
            let mut total = Totals::default();
            total.note("before-append", Stage::Items, false);
            total.note("before-append", Stage::Items, true);
            total
        };
        assert!(total().row(1, &plan(2)).problems.is_empty());
        assert_eq!(total().row(1, &plan(3)).problems, ["2 kills of 3: time was up"]);
        let all = Plan { heavy_rounds: 28, ..plan(21) };
        assert_eq!(total().row(1, &all).problems.len(), 2);
    }
}
