//! Who is to be served, in which order, and who serves. Plain state; the threads hold it under a lock.

use super::super::task::Task;
use rustix::event::epoll::EventFlags;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Threads that are started for those in long calls.
const RELIEFS_MAX: usize = 16;
/// How long somebody waits before another thread is woken, where there is one core. Where there are more, it is less in
/// proportion: there a thread that is woken is less likely to take the core of somebody who is busy.
const LATE_ON_ONE_CORE: Duration = Duration::from_micros(500);

pub(super) struct Board {
    tasks: Vec<Option<Arc<Task>>>,
    free: Vec<usize>,
    /// Who is next, and since when.
    queue: VecDeque<(Arc<Task>, Instant)>,
    /// How many threads there are for what has come, beside those in long calls.
    size: usize,
    threads: usize,
    /// Those in long calls.
    aside: usize,
    asleep: usize,
    /// Those that were woken and do not know it yet; they count as awake.
    summoned: usize,
    /// How often a thread has begun something; who looks twice sees whether anything goes on.
    turns: u64,
    watch: Watch,
    /// Whether a thread waits for sockets, and will until something happens there or the bell rings.
    is_polled: bool,
    /// The core of the one that took the last word of the kernel.
    core: Option<usize>,
    is_over: bool,
}

/// Whether one of those that sleep looks now and then whether anybody serves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watch {
    Nobody,
    /// One does.
    Looks,
    /// One did until nothing happened any more, and is to be told when something does.
    Rests,
}

/// Who is to be woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Summons {
    Nobody,
    Sleeper,
    /// The one that watches.
    Watcher,
}

/// What a thread is to do.
pub(super) enum Next {
    Run(Arc<Task>),
    /// Wait for sockets.
    Poll,
    Sleep,
    End,
}

impl Board {
    /// So many threads, all awake.
    pub(super) fn new(size: usize) -> Board {
        Board {
            tasks: Vec::new(),
            free: Vec::new(),
            queue: VecDeque::new(),
            size,
            threads: size,
            aside: 0,
            asleep: 0,
            summoned: 0,
            turns: 0,
            watch: Watch::Nobody,
            is_polled: false,
            core: None,
            is_over: false,
        }
    }

    /// Gives a new task its place. None when all is over.
    pub(super) fn enter(&mut self, make: impl FnOnce(usize) -> Task) -> Option<Arc<Task>> {
        if self.is_over {
            return None;
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.tasks.push(None);
            self.tasks.len() - 1
        });
        let task = Arc::new(make(place));
        *self.tasks.get_mut(place)? = Some(Arc::clone(&task));
        Some(task)
    }

    /// A task is over.
    pub(super) fn leave(&mut self, task: &Task) {
        if let Some(place) = self.tasks.get_mut(task.place)
            && place.take().is_some()
        {
            self.free.push(task.place);
        }
    }

    pub(super) fn push(&mut self, task: Arc<Task>, now: Instant) {
        if !self.is_over {
            self.queue.push_back((task, now));
        }
    }

    /// Something was told of a socket. It may be of one that has just gone; then who has its place now looks in vain.
    pub(super) fn note(&mut self, place: u64, flags: EventFlags, now: Instant) {
        let place = usize::try_from(place).ok();
        let task = place.and_then(|place| self.tasks.get(place)).and_then(Option::as_ref);
        if let Some(task) = task
            && task.note(flags)
        {
            self.queue.push_back((Arc::clone(task), now));
        }
    }

    /// What the calling thread is to do now. It must then do so.
    pub(super) fn next(&mut self) -> Next {
        if self.is_over {
            return Next::End;
        }
        self.turns += 1;
        if let Some((task, _)) = self.queue.pop_front() {
            return Next::Run(task);
        }
        if self.is_polled {
            self.asleep += 1;
            return Next::Sleep;
        }
        self.polling_begins();
        Next::Poll
    }

    pub(super) fn polling_begins(&mut self) {
        self.is_polled = true;
    }

    /// Somebody serves on this core.
    pub(super) fn note_core(&mut self, core: usize) {
        self.core = Some(core);
    }

    /// The core on which somebody was last seen to serve.
    pub(super) fn core(&self) -> Option<usize> {
        self.core
    }

    fn awake(&self) -> usize {
        self.threads - self.aside - self.asleep
    }

    /// Whether a thread waits for sockets. Then it must be rung for to see the queue.
    pub(super) fn is_polled(&self) -> bool {
        self.is_polled
    }

    /// Something has come. True if the caller is to wake the watcher, who rests.
    pub(super) fn polling_ends(&mut self) -> bool {
        self.is_polled = false;
        let rests = self.watch == Watch::Rests;
        if rests {
            self.watch = Watch::Looks;
        }
        rests
    }

    /// How often a thread has begun something.
    pub(super) fn turns(&self) -> u64 {
        self.turns
    }

    /// Takes the calling thread, which sleeps, as the watcher if there is none.
    pub(super) fn begins_to_watch(&mut self) -> bool {
        let is_free = self.watch == Watch::Nobody;
        if is_free {
            self.watch = Watch::Looks;
        }
        is_free
    }

    /// The watcher is to be told when something has come.
    pub(super) fn watcher_rests(&mut self) {
        self.watch = Watch::Rests;
    }

    pub(super) fn ends_to_watch(&mut self) {
        self.watch = Watch::Nobody;
    }

    /// Whether the first in the queue has waited for too long.
    pub(super) fn is_late(&self, now: Instant) -> bool {
        let cores = u32::try_from(self.size).unwrap_or(u32::MAX).max(1);
        let waited = self.queue.front().map(|(_, since)| now.saturating_duration_since(*since));
        waited.is_some_and(|waited| waited > LATE_ON_ONE_CORE / cores)
    }

    /// Whether something is left undone, when nobody has begun anything for a while: nobody waits for sockets, or there
    /// is something in the queue that was not seen.
    pub(super) fn is_stuck(&self) -> bool {
        !self.is_polled || !self.queue.is_empty()
    }

    /// Whether there is something in the queue that the thread that waits for sockets does not see.
    pub(super) fn is_missed(&self) -> bool {
        self.is_polled && !self.queue.is_empty()
    }

    /// Counts one more thread as awake, if there is one that sleeps and there are not enough. Says whom to wake.
    pub(super) fn summon(&mut self) -> Summons {
        if self.asleep == 0 || self.awake() >= self.size {
            return Summons::Nobody;
        }
        self.step_in()
    }

    /// Counts one of those that sleep as awake, however many are: the others are stuck. Says whom to wake.
    pub(super) fn step_in(&mut self) -> Summons {
        self.asleep -= 1;
        self.summoned += 1;
        // The watcher last: while there are others, one of them watches.
        if self.asleep == 0 && self.watch != Watch::Nobody { Summons::Watcher } else { Summons::Sleeper }
    }

    /// Whether a thread that sleeps is to wake.
    pub(super) fn is_wanted(&self) -> bool {
        self.summoned > 0 || self.is_over
    }

    /// Whether there are more threads than are needed, so that one that sleeps need not stay.
    pub(super) fn has_surplus(&self) -> bool {
        self.threads - self.aside > self.size
    }

    /// A thread has woken, because it was summoned or of its own. False if it is to end.
    pub(super) fn wakes(&mut self) -> bool {
        if self.summoned > 0 {
            self.summoned -= 1;
            return true;
        }
        self.asleep -= 1;
        let is_surplus = self.has_surplus();
        if is_surplus {
            self.threads -= 1;
        }
        !is_surplus
    }

    /// The calling thread leaves its work for a while. Says whom to wake in its place.
    pub(super) fn goes_aside(&mut self) -> Summons {
        self.aside += 1;
        self.summon()
    }

    /// Whether a thread is to be started for one that is aside; it counts from now on.
    pub(super) fn may_hire(&mut self) -> bool {
        let may = self.awake() < self.size && self.threads < self.size + RELIEFS_MAX && !self.is_over;
        if may {
            self.threads += 1;
        }
        may
    }

    pub(super) fn was_not_hired(&mut self) {
        self.threads -= 1;
    }

    pub(super) fn comes_back(&mut self) {
        self.aside -= 1;
    }

    /// Ends it all; answers those who were being served.
    pub(super) fn end(&mut self) -> Vec<Arc<Task>> {
        self.is_over = true;
        self.queue.clear();
        self.tasks.drain(..).flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Instant {
        static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        #[expect(clippy::disallowed_methods, reason = "any moment will do to count from")]
        let begin = *BEGIN.get_or_init(Instant::now);
        begin + Duration::from_micros(micros)
    }

    /// A task of a crew that has no threads.
    fn idle(place: usize) -> Task {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        Task::queued(super::super::Crew::start(0, runtime.handle().clone()).unwrap(), place)
    }

    fn task(place: usize) -> Arc<Task> {
        Arc::new(idle(place))
    }

    #[test]
    fn one_polls_and_the_others_sleep() {
        let mut board = Board::new(3);
        assert!(matches!(board.next(), Next::Poll));
        assert!(board.is_polled());
        assert!(matches!(board.next(), Next::Sleep));
        assert!(matches!(board.next(), Next::Sleep));
        assert!(!board.polling_ends());
        board.push(task(0), at(0));
        assert!(matches!(board.next(), Next::Run(_)));
        assert!(matches!(board.next(), Next::Poll));
    }

    #[test]
    fn help_is_called_for_who_has_waited_too_long_and_only_once() {
        let mut board = Board::new(2);
        assert!(matches!((board.next(), board.next()), (Next::Poll, Next::Sleep)));
        assert!(!board.polling_ends());
        board.push(task(0), at(0));
        board.push(task(1), at(10));
        assert!(!board.is_late(at(250)));
        assert!(board.is_late(at(251)));
        assert_eq!(board.summon(), Summons::Sleeper);
        assert!(board.is_wanted());
        assert_eq!(board.summon(), Summons::Nobody, "nobody is left to be called");
        assert!(board.wakes());
        assert!(!board.is_wanted());
        assert!(matches!((board.next(), board.next()), (Next::Run(_), Next::Run(_))));
    }

    #[test]
    fn one_that_goes_aside_is_stood_in_for_and_who_is_too_many_ends() {
        let mut board = Board::new(2);
        assert!(matches!((board.next(), board.next()), (Next::Poll, Next::Sleep)));
        assert!(!board.polling_ends());
        assert_eq!(board.goes_aside(), Summons::Sleeper, "the one that sleeps is woken");
        assert!(board.wakes());
        assert!(board.may_hire(), "two are to be there for others");
        assert!(!board.may_hire());
        assert!(matches!((board.next(), board.next()), (Next::Poll, Next::Sleep)));
        board.comes_back();
        assert!(board.has_surplus());
        assert!(!board.wakes(), "it has slept long enough");
        assert!(!board.has_surplus());
    }

    #[test]
    fn the_watcher_is_woken_last_and_told_when_something_comes_after_a_rest() {
        let mut board = Board::new(3);
        assert!(matches!((board.next(), board.next(), board.next()), (Next::Poll, Next::Sleep, Next::Sleep)));
        assert!(board.begins_to_watch());
        assert!(!board.begins_to_watch(), "one is enough");
        assert!(!board.polling_ends());
        assert!(matches!(board.next(), Next::Poll));
        board.watcher_rests();
        assert!(board.polling_ends());
        assert!(!board.polling_ends(), "told once");
        assert_eq!(
            [board.summon(), board.summon(), board.summon()],
            [Summons::Sleeper, Summons::Watcher, Summons::Nobody]
        );
    }

    #[test]
    fn places_are_used_again() {
        let mut board = Board::new(1);
        let enter = |board: &mut Board| board.enter(idle).map(|task| task.place);
        assert_eq!([enter(&mut board), enter(&mut board)], [Some(0), Some(1)]);
        board.leave(&task(0));
        board.leave(&task(0));
        assert_eq!([enter(&mut board), enter(&mut board)], [Some(0), Some(2)]);
        assert_eq!(board.end().len(), 3);
        assert_eq!(enter(&mut board), None);
    }
}
