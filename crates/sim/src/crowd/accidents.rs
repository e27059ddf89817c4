//! What happens between requests: commits become durable, work is done in the background, the clock goes on, the disk
//! fails, the power goes.

use engine::Rest;
use storage::{Found, Tail};

use super::Crowd;
use crate::steps::same;

/// Steps of background work that must be enough.
const WORK_MAX: usize = 20_000;
/// How far the clock goes back at most when the machine starts again.
const BACK_MS_MAX: usize = 2000;
/// A stream can be read for a day. In thousands of seconds.
const DAY_THOUSANDS: u64 = 80;
/// After so long nothing of a stream is left.
const STREAM_THOUSANDS: u64 = 100;

impl Crowd {
    /// Makes some commits durable.
    pub(super) fn deliver(&mut self, commits: usize) -> Result<(), String> {
        let delivered = self.disk.deliver(commits);
        self.world.note(format!("{delivered} commits delivered").as_bytes());
        self.catch_up();
        Ok(())
    }

    pub(super) fn work_a_little(&mut self) -> Result<(), String> {
        for _ in 0..=self.world.chance.below(4) {
            if self.work_once()? != Rest::Again {
                break;
            }
        }
        self.observe()
    }

    fn work_once(&mut self) -> Result<Rest, String> {
        self.world.note(b"work");
        let rest = self.world.work_once()?;
        self.catch_up();
        self.observe_expired()?;
        Ok(rest)
    }

    /// Does all the work there is. Then nothing is left that should be gone, and all is counted.
    pub(super) fn drain(&mut self) -> Result<(), String> {
        self.disk.set_full(false);
        let (mut steps, mut rests) = (0, 0);
        // A sweep that was cut short goes on where it was, and only the next one sees what came behind it.
        while rests < 2 {
            rests = if self.work_once()? == Rest::Again { 0 } else { rests + 1 };
            steps += 1;
            if steps > WORK_MAX {
                return Err("the background work has no end".into());
            }
        }
        self.is_counted = !self.disk.has_failed();
        self.observe()?;
        if self.is_counted { self.look_at_rest() } else { Ok(()) }
    }

    pub(super) fn turn_clock(&mut self) -> Result<(), String> {
        if self.world.chance.one_in(10) {
            return self.pass_a_day();
        }
        let thousands = (self.world.chance.below(5) as u64).min(DAY_THOUSANDS.saturating_sub(self.turned));
        self.turned += thousands;
        self.world.note(format!("the clock goes on by {thousands}").as_bytes());
        self.world.advance(thousands);
        Ok(())
    }

    /// Long enough for all states of tables to end.
    pub(super) fn pass_a_while(&mut self) -> Result<(), String> {
        self.world.advance(1);
        self.drain()
    }

    /// Streams begin anew after a day.
    fn pass_a_day(&mut self) -> Result<(), String> {
        self.world.note(b"a day goes by");
        self.deliver(usize::MAX)?;
        if self.disk.has_failed() {
            return self.crash();
        }
        self.turned = 0;
        self.world.advance(STREAM_THOUSANDS);
        for (name, about) in &mut self.tables {
            if let (Some(base), Some(table)) = (&mut about.stream, self.world.model.tables.get(name)) {
                *base = table.clone();
            }
        }
        self.drain()
    }

    /// The disk becomes full, or there is room again.
    pub(super) fn fill(&mut self) -> Result<(), String> {
        let is_full = !self.disk.is_full();
        self.world.note(format!("the disk is full: {is_full}").as_bytes());
        self.disk.set_full(is_full);
        Ok(())
    }

    /// Something will fail soon.
    pub(super) fn bomb(&mut self) -> Result<(), String> {
        let after = self.world.chance.below(12);
        let leaves = self.world.chance.one_in(2);
        self.world.note(format!("a failure after {after}").as_bytes());
        self.disk.fail_after(after, leaves);
        Ok(())
    }

    /// The power goes and comes back. What was durable is there, and of the rest what came first, in whole commits.
    pub(super) fn crash(&mut self) -> Result<(), String> {
        self.world.asked = "a crash".into();
        let durable = self.disk.durable();
        let pending = self.disk.ordered().saturating_sub(durable) as usize;
        let commits = self.world.chance.below(pending + 1);
        let place = self.world.chance.below(1000);
        let (cut, garbled) = match self.world.chance.below(3) {
            0 => (None, None),
            1 => (Some(place), None),
            _ => (None, Some(place)),
        };
        let tail = Tail { commits, cut, garbled };
        self.world.note(format!("a crash with {pending} commits on their way, leaving {tail:?}").as_bytes());
        self.disk.crash(tail);
        self.clients.iter_mut().for_each(|client| *client = None);
        self.world.reopen()?;
        let Found { kept, lost } = self.disk.found();
        if lost > 0 {
            return Err(format!("{lost} commits that were durable are lost"));
        }
        same("the commits that survived", &commits.into(), &kept.into())?;
        self.catch_up_to(durable + kept);
        self.begin_anew()
    }

    /// Stops in good order: everybody is answered, and everything is there again.
    pub(super) fn restart(&mut self) -> Result<(), String> {
        if self.disk.has_failed() {
            return self.crash();
        }
        self.world.asked = "a restart".into();
        self.world.note(b"a restart");
        let closed = self.world.engine()?.close();
        if self.disk.has_failed() {
            return self.crash();
        }
        closed.map_err(|error| error.to_string())?;
        self.catch_up();
        self.listen_to_all()?;
        self.world.reopen()?;
        if self.disk.found() != Found::default() {
            return Err(format!("after a restart there is something else: {:?}", self.disk.found()));
        }
        self.begin_anew()
    }

    /// A new start: what can be read is all there is.
    fn begin_anew(&mut self) -> Result<(), String> {
        if self.world.chance.one_in(3) {
            self.ambiguous_ms = self.ambiguous_ms.max(self.world.now_ms());
            let milliseconds = self.world.chance.below(BACK_MS_MAX) as u64;
            self.world.note(format!("the clock goes back by {milliseconds} ms").as_bytes());
            self.world.turn_back(milliseconds);
            // Times that come twice do not tell which of the two is meant.
            let now_ms = self.world.now_ms();
            for states in self.tables.values_mut().filter_map(|about| about.recovery.as_mut()) {
                states.retain(|(moment, _)| *moment < now_ms);
            }
        }
        self.effects.clear();
        self.is_counted = false;
        self.ordered = self.world.model.clone();
        self.observe()?;
        self.observe_expired()?;
        self.compare_everything()
    }
}
