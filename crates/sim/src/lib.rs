//! The whole engine in one thread from a seed, checked against a small model after each step. Never shipped.
//!
//! `cargo run -p sim -- --seed N` plays one seed again, exactly, and with `--histories` the one of a table's history.

mod chance;
mod crowd;
mod history;
mod model;
mod steps;
mod world;

use engine::LifeCycle;

pub use crowd::crowd;
pub use history::live;
pub use storage::Flaw;
pub use world::{Place, tell_everything};

/// What a run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Played {
    /// Steps that were compared with the model.
    pub steps: usize,
    /// A digest of all that was asked and answered: the same seed gives the same one.
    pub trace: u64,
}

/// Plays a seed. A difference is told with the step, the request, and both answers.
pub fn play(seed: u64, steps: usize, place: Place) -> Result<Played, String> {
    let mut world = world::World::new(seed, place, LifeCycle::Immediate)?;
    for number in 0..steps {
        if let Err(difference) = steps::step(&mut world) {
            return Err(format!("seed {seed}, step {number}: {difference}\n  asked: {}", world.asked));
        }
    }
    steps::compare_everything(&mut world)
        .map_err(|difference| format!("seed {seed}, at the end: {difference}"))?;
    Ok(Played { steps, trace: world.trace })
}
