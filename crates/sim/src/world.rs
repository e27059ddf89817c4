//! A database under test and the model it must agree with: generates a step, asks both, compares.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::{Engine, Env, LifeCycle, Rest, Settings};
use serde_json::{Value as Json, json};
use storage::{Config, Durability, Simulation};

use crate::chance::Chance;
use crate::model::Model;

/// Where the database of a run keeps its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In memory.
    Memory,
    /// In a folder that goes when the run ends.
    Disk,
}

/// What goes by between two steps, at most. Hundreds of steps stay within the thousand seconds in which nothing expires.
const TICK_MS_MAX: usize = 400;

/// Whether everything that happens is told.
static TELLS: AtomicBool = AtomicBool::new(false);

/// Tells everything that is asked and answered, from here on.
pub fn tell_everything() {
    TELLS.store(true, Ordering::Relaxed);
}

/// Items of the largest among small steps.
const STEP_ITEMS_MAX: u64 = 12;

/// A clock and chance that depend on the seed alone.
#[derive(Debug)]
struct SeededEnv {
    now_ms: AtomicU64,
    random: AtomicU64,
    /// Items of the largest steps of background work, if they are to be small and of random sizes.
    small_steps: Option<u64>,
}

impl Env for SeededEnv {
    fn now_ms(&self) -> u64 {
        self.now_ms.fetch_add(1, Ordering::Relaxed)
    }

    fn random(&self) -> u64 {
        Chance::new(self.random.fetch_add(1, Ordering::Relaxed)).next()
    }

    fn step_items(&self, most: usize) -> usize {
        self.small_steps.map_or(most, |largest| 1 + (self.random() % largest) as usize)
    }
}

/// An answer that is still to come.
pub(crate) type Answer = Pin<Box<dyn Future<Output = Result<op::Output, op::Error>>>>;

/// One run.
pub(crate) struct World {
    engine: Option<Engine>,
    env: Arc<SeededEnv>,
    folder: Option<tempfile::TempDir>,
    /// The played disk, if the data lies on one.
    played: Option<Simulation>,
    life_cycle: LifeCycle,
    pub(crate) model: Model,
    pub(crate) chance: Chance,
    /// What was asked last, for the report of a difference.
    pub(crate) asked: String,
    /// A digest of all that was asked and answered.
    pub(crate) trace: u64,
}

impl World {
    pub(crate) fn new(seed: u64, place: Place, life_cycle: LifeCycle) -> Result<World, String> {
        World::with(seed, place, None, life_cycle)
    }

    /// A run on a played disk, with background work in small steps.
    pub(crate) fn played(seed: u64, disk: Simulation, life_cycle: LifeCycle) -> Result<World, String> {
        World::with(seed, Place::Memory, Some(disk), life_cycle)
    }

    fn with(
        seed: u64,
        place: Place,
        played: Option<Simulation>,
        life_cycle: LifeCycle,
    ) -> Result<World, String> {
        let folder = match place {
            Place::Memory => None,
            Place::Disk => Some(tempfile::tempdir().map_err(|error| error.to_string())?),
        };
        let env = Arc::new(SeededEnv {
            now_ms: AtomicU64::new(1_700_000_300_000),
            random: AtomicU64::new(seed),
            small_steps: played.as_ref().map(|_| if seed.is_multiple_of(2) { 2 } else { STEP_ITEMS_MAX }),
        });
        let mut world = World {
            engine: None,
            env,
            folder,
            played,
            life_cycle,
            model: Model::default(),
            chance: Chance::new(seed),
            asked: String::new(),
            trace: seed,
        };
        world.open()?;
        Ok(world)
    }

    /// Asks the database as a client would: JSON in, status and JSON out.
    pub(crate) fn ask(&mut self, operation: &str, body: &Json) -> Result<(u16, Json), String> {
        self.ask_of("DynamoDB_20120810", operation, body)
    }

    /// The same of an operation on streams.
    pub(crate) fn ask_streams(&mut self, operation: &str, body: &Json) -> Result<(u16, Json), String> {
        self.ask_of("DynamoDBStreams_20120810", operation, body)
    }

    fn ask_of(&mut self, family: &str, operation: &str, body: &Json) -> Result<(u16, Json), String> {
        let text = body.to_string();
        self.asked = format!("{operation} {text}");
        let engine = self.engine()?;
        let answer = wire::target(Some(&format!("{family}.{operation}")))
            .and_then(|name| wire::decode(name, text.as_bytes(), "sim"))
            .and_then(|operation| engine.run(operation).wait());
        self.told(&text, &answer)
    }

    /// Asks, and leaves the answer for later.
    pub(crate) fn begin(&mut self, operation: &str, text: &str) -> Result<Answer, String> {
        self.asked = format!("{operation} {text}");
        let asked = self.asked.clone();
        self.note(asked.as_bytes());
        let engine = self.engine()?;
        let name = wire::target(Some(&format!("DynamoDB_20120810.{operation}")));
        let decoded = name.and_then(|name| wire::decode(name, text.as_bytes(), "sim"));
        let pending = decoded.map(|operation| engine.run(operation)).map_err(|error| error.message)?;
        Ok(Box::pin(pending.answer()))
    }

    /// An answer as a client sees it.
    pub(crate) fn told(
        &mut self,
        request: &str,
        answer: &Result<op::Output, op::Error>,
    ) -> Result<(u16, Json), String> {
        let mut bytes = Vec::new();
        let status = match answer {
            Ok(output) => {
                wire::encode(output, request.as_bytes(), &mut bytes);
                200
            }
            Err(error) => wire::encode_error(error, &mut bytes),
        };
        let asked = self.asked.clone();
        self.note(asked.as_bytes());
        self.note(&bytes);
        if bytes.is_empty() {
            return Ok((status, json!({})));
        }
        let json =
            serde_json::from_slice(&bytes).map_err(|error| format!("the answer is not JSON: {error}"))?;
        Ok((status, json))
    }

    /// Adds something that happened to the trace.
    pub(crate) fn note(&mut self, bytes: &[u8]) {
        if TELLS.load(Ordering::Relaxed) {
            eprintln!("{}", String::from_utf8_lossy(bytes));
        }
        for byte in bytes {
            self.trace = (self.trace ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }

    pub(crate) fn engine(&self) -> Result<&Engine, String> {
        self.engine.as_ref().ok_or_else(|| "the database is closed".to_string())
    }

    /// Does a few steps of the background work, but none if something would expire by it: the model does not know in which
    /// step.
    pub(crate) fn work_a_little(&mut self, steps: usize) {
        let now = self.now_seconds();
        if self.model.tables.values().any(|table| table.has_expired(now)) {
            return self.work();
        }
        let Some(engine) = &self.engine else { return };
        (0..steps).take_while(|_| engine.work() == Rest::Again).count();
    }

    /// A moment of its own: what was done is before it, what will be done after it. It is no whole second, by which the
    /// service means all that happened in it.
    pub(crate) fn moment(&self) -> u64 {
        loop {
            let now_ms = self.env.now_ms();
            if !now_ms.is_multiple_of(1000) {
                return now_ms;
            }
        }
    }

    /// Does all the background work there is; what has expired is gone after it.
    pub(crate) fn work(&mut self) {
        let Some(engine) = &self.engine else { return };
        while engine.work() == Rest::Again {}
        let now = self.now_seconds();
        for table in self.model.tables.values_mut() {
            table.expire(now);
        }
    }

    pub(crate) fn now_seconds(&self) -> i64 {
        (self.env.now_ms.load(Ordering::Relaxed) / 1000) as i64
    }

    /// Turns the clock on by this many thousands of seconds. Times of items lie on full thousands, so that no
    /// comparison falls on the second in which an item expires.
    pub(crate) fn advance(&mut self, thousands: u64) {
        self.env.now_ms.fetch_add(thousands * 1_000_000, Ordering::Relaxed);
    }

    /// A little time goes by.
    pub(crate) fn tick(&mut self) {
        let milliseconds = self.chance.below(TICK_MS_MAX) as u64;
        self.env.now_ms.fetch_add(milliseconds, Ordering::Relaxed);
    }

    /// The time by the simulated clock.
    pub(crate) fn now_ms(&self) -> u64 {
        self.env.now_ms.load(Ordering::Relaxed)
    }

    /// Turns the clock back a little, as it happens to machines that start again.
    pub(crate) fn turn_back(&mut self, milliseconds: u64) {
        self.env.now_ms.fetch_sub(milliseconds, Ordering::Relaxed);
    }

    /// Stops the database, cleanly or not, and starts it again. What is in memory only would be gone, so there it
    /// does nothing.
    pub(crate) fn restart(&mut self) -> Result<(), String> {
        if self.folder.is_none() {
            return Ok(());
        }
        self.asked = "restart".into();
        if let Some(engine) = self.engine.take()
            && self.chance.one_in(2)
        {
            engine.close().map_err(|error| error.to_string())?;
        }
        self.open()
    }

    /// Lets the database go without a word, and starts it again.
    pub(crate) fn reopen(&mut self) -> Result<(), String> {
        self.engine = None;
        self.open()
    }

    /// Does one step of the background work.
    pub(crate) fn work_once(&self) -> Result<Rest, String> {
        Ok(self.engine()?.work())
    }

    fn open(&mut self) -> Result<(), String> {
        let dir: Option<PathBuf> = self.folder.as_ref().map(|folder| folder.path().to_path_buf());
        let without = self.played.clone().map_or(Config::Memory, Config::Simulated);
        let store = dir.map_or(without, |dir| Config::Disk {
            dir,
            durability: Durability::Relaxed,
            cache_bytes: 8 << 20,
        });
        let settings = Settings { store, life_cycle: self.life_cycle };
        let engine = Engine::open(settings, Arc::<SeededEnv>::clone(&self.env));
        self.engine = Some(engine.map_err(|error| error.to_string())?);
        Ok(())
    }
}
