//! Many clients at once on a disk that is only played. What they ask is ordered one after the other, their answers wait;
//! between, commits become durable, background work takes small steps, the disk fails, the power goes.
//!
//! Two models go along: `ordered` is what the next writer must see, and the world's own is what can be read, because it is
//! durable. A crash throws the first one back to the second and what survived.

mod accidents;
mod answers;
mod checks;
mod states;
mod tables;
mod transactions;
mod writes;

use std::collections::{BTreeMap, VecDeque};

use engine::LifeCycle;
use storage::{Flaw, Simulation};

use self::answers::Held;
use self::states::About;
use self::transactions::Spent;
use crate::Played;
use crate::model::{Item, Model, Table};
use crate::steps::{items, pages};
use crate::world::World;

/// What one commit changes of items: table, key, and the item from then on.
type Writes = Vec<(String, Item, Option<Item>)>;

/// A database with a crowd of clients.
pub(crate) struct Crowd {
    /// The database, and the model of what can be read of it.
    world: World,
    disk: Simulation,
    /// The model of what writers see.
    ordered: Model,
    /// What is ordered and cannot be read yet, by the number of the commit.
    effects: VecDeque<(u64, Writes)>,
    clients: Vec<Option<Held>>,
    /// What else is known of tables.
    tables: BTreeMap<String, About>,
    /// Backups by ARN, and what they must hold.
    backups: Vec<(String, Table)>,
    /// Transactions with a token that were answered.
    spent: Vec<Spent>,
    /// How many names were given.
    names: usize,
    /// How far the clock was turned since streams were last trimmed, in thousands of seconds.
    turned: u64,
    /// Whether all work was done once since the start, so that the items of all tables are counted.
    is_counted: bool,
    /// Before this time the clock was turned back, so that a moment before it says nothing.
    ambiguous_ms: u64,
}

/// Plays a seed. A difference is told with the step, the request, and both answers.
pub fn crowd(seed: u64, steps: usize, flaw: Flaw) -> Result<Played, String> {
    let mut crowd = Crowd::new(seed, flaw)?;
    for number in 0..steps {
        if let Err(difference) = crowd.step() {
            return Err(crowd.told(format!("seed {seed}, step {number}: {difference}")));
        }
    }
    if let Err(difference) = crowd.end() {
        return Err(crowd.told(format!("seed {seed}, at the end: {difference}")));
    }
    Ok(Played { steps, trace: crowd.world.trace })
}

impl Crowd {
    fn new(seed: u64, flaw: Flaw) -> Result<Crowd, String> {
        let disk = Simulation::new(flaw);
        let life_cycle = if seed % 4 < 2 { LifeCycle::Realistic } else { LifeCycle::Immediate };
        let mut world = World::played(seed, disk.clone(), life_cycle)?;
        let clients = 2 + world.chance.below(7);
        Ok(Crowd {
            world,
            disk,
            ordered: Model::default(),
            effects: VecDeque::new(),
            clients: (0..clients).map(|_| None).collect(),
            tables: BTreeMap::new(),
            backups: Vec::new(),
            spent: Vec::new(),
            names: 0,
            turned: 0,
            is_counted: true,
            ambiguous_ms: 0,
        })
    }

    fn told(&self, difference: String) -> String {
        format!("{difference}\n  asked: {}", self.world.asked)
    }

    fn step(&mut self) -> Result<(), String> {
        self.world.tick();
        if self.disk.has_failed() && self.world.chance.one_in(8) {
            return self.crash();
        }
        if self.world.model.tables.is_empty() && self.world.chance.one_in(2) {
            return self.create_table();
        }
        match self.world.chance.below(100) {
            0..=37 => self.client(),
            38..=56 => self.listen_to_any(),
            57..=66 => {
                let commits = 1 + self.world.chance.below(6);
                self.deliver(commits)
            }
            67..=74 => self.work_a_little(),
            75..=84 => self.change_tables(),
            85..=86 => self.look_at_any_table(),
            87..=88 => self.turn_clock(),
            89 => self.drain(),
            90 => self.remember(),
            91..=93 => self.bomb(),
            94..=95 => self.crash(),
            96 => self.restart(),
            97 => self.fill(),
            _ => self.look_at_streams(),
        }
    }

    /// A client that waits for nothing asks something.
    fn client(&mut self) -> Result<(), String> {
        let client = self.world.chance.below(self.clients.len());
        if self.clients.get(client).is_none_or(Option::is_some) {
            return self.listen(client);
        }
        if self.world.model.tables.is_empty() {
            return Ok(());
        }
        match self.world.chance.below(20) {
            0..=4 => self.put(client),
            5..=7 => self.update(client),
            8..=9 => self.delete(client),
            10..=11 => self.batch_write(client),
            12..=14 => self.transact(client),
            15 => self.transact_get(),
            16 => items::get(&mut self.world),
            17 => items::batch_get(&mut self.world),
            18 => pages::query(&mut self.world),
            _ => pages::scan(&mut self.world),
        }
    }

    /// The last looks: everything becomes durable and is answered, everything that is to be done is done.
    fn end(&mut self) -> Result<(), String> {
        if self.disk.has_failed() {
            self.crash()?;
        }
        self.deliver(usize::MAX)?;
        self.listen_to_all()?;
        self.pass_a_while()?;
        self.drain()?;
        self.compare_everything()?;
        self.restore_all_backups()?;
        self.crash()?;
        self.drain()
    }

    /// Commits that became durable can be read from here on.
    fn catch_up(&mut self) {
        let durable = self.disk.durable();
        self.catch_up_to(durable);
    }

    fn catch_up_to(&mut self, durable: u64) {
        while self.effects.front().is_some_and(|(ticket, _)| *ticket <= durable) {
            if let Some((_, writes)) = self.effects.pop_front() {
                apply(&mut self.world.model, &writes);
            }
        }
    }

    /// A table as writers see it.
    fn latest(&self, name: &str) -> Result<&Table, String> {
        self.ordered.tables.get(name).ok_or_else(|| format!("the model has no table {name}"))
    }

    /// The last commit among those that are not durable yet and that a look at these items rests on.
    fn rests_on(&self, keys: &[(String, Item)]) -> u64 {
        let touches = |writes: &Writes| {
            writes.iter().any(|(table, key, _)| keys.iter().any(|(name, item)| name == table && item == key))
        };
        let found = self.effects.iter().rev().find(|(_, writes)| touches(writes));
        found.map_or(0, |(ticket, _)| *ticket)
    }
}

fn apply(model: &mut Model, writes: &Writes) {
    for (name, key, item) in writes {
        let Some(table) = model.tables.get_mut(name) else { continue };
        match item {
            Some(item) => drop(table.put(item.clone())),
            None => drop(table.delete(key)),
        }
    }
}
