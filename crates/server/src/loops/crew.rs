//! The threads that serve connections on Linux. One of them waits for all sockets, takes what has come, and serves it;
//! the others sleep until there is more to do than one can do in time (docs/decisions/0011).
//!
//! What has come belongs to no thread until one takes it from the queue, so it waits for a core and not for a certain
//! thread.

mod board;

use self::board::{Board, Next, Summons};
use super::task::{Ran, Task};
use super::wire::Wire;
use parking_lot::{Condvar, Mutex, MutexGuard};
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, Event, EventData, EventFlags};
use rustix::event::{EventfdFlags, Timespec, eventfd};
use rustix::io::Errno;
use rustix::thread::{sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::cell::RefCell;
use std::io;
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// What has come on so many sockets is taken from the kernel at once.
const EVENTS_MAX: usize = 64;
/// After so many turns a thread looks at the sockets, however much is in the queue.
const TURNS_MAX: usize = 64;
/// The event that is the bell.
const BELL: u64 = u64::MAX;
const NO_TIME: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
/// How often the watcher looks whether anybody serves.
const LOOK_PAUSE: Duration = Duration::from_millis(1);
/// The same while so much goes on that many would wait.
const BUSY_LOOK_PAUSE: Duration = Duration::from_micros(250);
/// So many turns between two looks are much, two for each request.
const BUSY_TURNS: u64 = 4;
/// After so many looks at which nothing had happened it rests until something does.
const QUIET_LOOKS_MAX: usize = 50;
/// How long a thread that is not needed stays.
const IDLE_TIME_MAX: Duration = Duration::from_secs(10);

/// What the threads share.
pub(crate) struct Crew {
    epoll: OwnedFd,
    /// Ends the wait of the thread that waits for sockets.
    bell: OwnedFd,
    /// The bell was rung, and nobody has heard it yet.
    rung: AtomicBool,
    board: Mutex<Board>,
    /// Told to a thread that sleeps.
    summons: Condvar,
    /// Told to the one of them that watches.
    watcher: Condvar,
    runtime: Handle,
}

thread_local! {
    /// The crew that this thread belongs to.
    static CREW: RefCell<Option<Arc<Crew>>> = const { RefCell::new(None) };
}

/// Carries out a call that takes long or waits for the disk, while other connections go on elsewhere.
pub(crate) fn aside<T>(call: impl FnOnce() -> T) -> T {
    match CREW.with(|crew| crew.borrow().clone()) {
        Some(crew) => crew.aside(call),
        None => tokio::task::block_in_place(call),
    }
}

impl Crew {
    /// So many threads, which find timers in this runtime.
    pub(super) fn start(size: usize, runtime: Handle) -> io::Result<Arc<Crew>> {
        let crew = Crew::without_threads(size, runtime)?;
        for _ in 0..size {
            crew.hire()?;
        }
        Ok(crew)
    }

    /// One whose threads are still to be hired.
    fn without_threads(size: usize, runtime: Handle) -> io::Result<Arc<Crew>> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        // On the edge: each ring is told once, and the bell need not be read.
        epoll::add(&epoll, &bell, EventData::new_u64(BELL), EventFlags::IN | EventFlags::ET)?;
        Ok(Arc::new(Crew {
            epoll,
            bell,
            rung: AtomicBool::new(false),
            board: Mutex::new(Board::new(size)),
            summons: Condvar::new(),
            watcher: Condvar::new(),
            runtime,
        }))
    }

    fn hire(self: &Arc<Crew>) -> io::Result<()> {
        let crew = Arc::clone(self);
        let thread = std::thread::Builder::new().name("larder-http".to_owned());
        thread.spawn(move || crew.serve()).map(drop)
    }

    /// Has a connection served.
    pub(super) fn give<S>(
        self: &Arc<Crew>,
        stream: TcpStream,
        serve: impl FnOnce(Wire) -> S,
    ) -> io::Result<()>
    where
        S: Future<Output = ()> + Send + 'static,
    {
        let Some(task) = self.board.lock().enter(|place| Task::queued(Arc::clone(self), place)) else {
            return Ok(());
        };
        // The task is there before the kernel can tell anything of its socket, and has its work before it is run.
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        if let Err(error) = epoll::add(&self.epoll, &stream, EventData::new_u64(task.place as u64), flags) {
            self.board.lock().leave(&task);
            return Err(error.into());
        }
        let wire = Wire::new(stream, Arc::clone(&task.source), Arc::clone(self));
        task.begin(Box::pin(serve(wire)));
        self.queue(task);
        Ok(())
    }

    /// Has the kernel tell nothing more of a socket.
    pub(super) fn forget(&self, stream: &TcpStream) -> io::Result<()> {
        epoll::delete(&self.epoll, stream).map_err(io::Error::from)
    }

    /// Puts a task in the queue, and sees to it that a thread comes by.
    pub(super) fn queue(&self, task: Arc<Task>) {
        let mut board = self.board.lock();
        board.push(task, now());
        if board.is_polled() {
            drop(board);
            self.ring();
        } else {
            self.summon_if_late(board);
        }
    }

    fn ring(&self) {
        if self.rung.swap(true, Ordering::AcqRel) {
            return;
        }
        if let Err(error) = rustix::io::write(&self.bell, &1_u64.to_ne_bytes()) {
            self.rung.store(false, Ordering::Release);
            tracing::error!(%error, "the thread that waits for connections could not be woken");
        }
    }

    /// Wakes a thread if somebody has waited too long for one.
    fn summon_if_late(&self, mut board: MutexGuard<'_, Board>) {
        if !board.is_late(now()) {
            return;
        }
        let summons = board.summon();
        drop(board);
        self.wake(summons);
    }

    fn wake(&self, summons: Summons) {
        match summons {
            Summons::Nobody => {}
            Summons::Sleeper => drop(self.summons.notify_one()),
            Summons::Watcher => drop(self.watcher.notify_one()),
        }
    }

    /// A thread's life.
    fn serve(self: Arc<Crew>) {
        let _inside = self.runtime.enter();
        CREW.with(|crew| *crew.borrow_mut() = Some(Arc::clone(&self)));
        let mut events = Vec::with_capacity(EVENTS_MAX);
        let mut turns = 0;
        loop {
            let mut board = self.board.lock();
            if turns >= TURNS_MAX {
                turns = 0;
                // Unless one does so already.
                if !board.is_polled() {
                    drop(board);
                    self.look(&mut events, Some(&NO_TIME));
                    continue;
                }
            }
            match board.next() {
                Next::Run(task) => {
                    turns += 1;
                    // What this thread leaves in the queue must not depend on it alone.
                    if board.is_missed() {
                        self.ring();
                    }
                    self.summon_if_late(board);
                    self.run(&task);
                }
                Next::Poll => {
                    turns = 0;
                    drop(board);
                    self.look(&mut events, None);
                }
                Next::Sleep => {
                    if !self.sleep(&mut board, &mut events) {
                        break;
                    }
                    let busy = board.core();
                    drop(board);
                    leave_core(busy);
                }
                Next::End => {
                    drop(board);
                    // The next one is told by this one.
                    self.ring();
                    break;
                }
            }
        }
        CREW.with(|crew| *crew.borrow_mut() = None);
    }

    fn run(&self, task: &Arc<Task>) {
        match task.run() {
            Ran::Rests => {}
            // This thread itself will see it in the queue.
            Ran::Again => self.board.lock().push(Arc::clone(task), now()),
            Ran::Over => self.board.lock().leave(task),
        }
    }

    /// Puts into the queue whose sockets have something to tell, after a wait of at most this time.
    fn look(&self, events: &mut Vec<Event>, time_max: Option<&Timespec>) {
        self.ask_kernel(events, time_max);
        let mut board = self.board.lock();
        board.note_core(sched_getcpu());
        let watcher_rests = time_max.is_none() && board.polling_ends();
        self.note(&mut board, events);
        // Before the lock is given back, so that it is done also if this thread loses its core there.
        if watcher_rests {
            self.wake(Summons::Watcher);
        }
    }

    fn ask_kernel(&self, events: &mut Vec<Event>, time_max: Option<&Timespec>) {
        events.clear();
        match epoll::wait(&self.epoll, spare_capacity(events), time_max) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => tracing::error!(%error, "the threads that serve could not wait for connections"),
        }
    }

    /// Puts into the queue what these events are about.
    fn note(&self, board: &mut Board, events: &mut Vec<Event>) {
        let now = now();
        for event in events.drain(..) {
            let (data, flags) = (event.data, event.flags);
            if data.u64() == BELL {
                self.rung.store(false, Ordering::Release);
            } else {
                board.note(data.u64(), flags, now);
            }
        }
    }

    /// Sleeps until this thread is wanted. False if it is to end.
    fn sleep(&self, board: &mut MutexGuard<'_, Board>, events: &mut Vec<Event>) -> bool {
        while !board.is_wanted() {
            if board.begins_to_watch() {
                self.watch(board, events);
                board.ends_to_watch();
            } else if !board.has_surplus() {
                self.summons.wait(board);
            } else if self.summons.wait_for(board, IDLE_TIME_MAX).timed_out() {
                break;
            }
        }
        board.wakes()
    }

    /// Looks now and then whether anybody serves, until this thread is wanted. It wants itself when the one that should
    /// serve is stuck: a call that takes long unexpectedly, or a core that was taken away.
    fn watch(&self, board: &mut MutexGuard<'_, Board>, events: &mut Vec<Event>) {
        let mut quiet_looks = 0;
        let mut pause = LOOK_PAUSE;
        while !board.is_wanted() {
            if quiet_looks >= QUIET_LOOKS_MAX {
                quiet_looks = 0;
                board.watcher_rests();
                self.watcher.wait(board);
                continue;
            }
            let turns = board.turns();
            self.watcher.wait_for(board, pause);
            if board.is_wanted() {
                return;
            }
            let turned = board.turns() - turns;
            if turned > 0 {
                quiet_looks = 0;
                pause = if turned >= BUSY_TURNS { BUSY_LOOK_PAUSE } else { LOOK_PAUSE };
                continue;
            }
            if board.is_polled() {
                // Nothing has come, or the one that waits for it was told and has no core.
                MutexGuard::unlocked(board, || self.ask_kernel(events, Some(&NO_TIME)));
                self.note(board, events);
                if board.is_wanted() {
                    return;
                }
            }
            if board.is_stuck() {
                quiet_looks = 0;
                // Somebody else must watch then.
                self.wake(board.step_in());
            } else {
                quiet_looks += 1;
            }
        }
    }

    /// Does something while another thread goes on in place of this one.
    fn aside<T>(self: &Arc<Crew>, call: impl FnOnce() -> T) -> T {
        let (summons, is_missed) = {
            let mut board = self.board.lock();
            (board.goes_aside(), board.is_missed())
        };
        let _back = Back(self);
        if summons != Summons::Nobody {
            self.wake(summons);
        } else if self.board.lock().may_hire()
            && let Err(error) = self.hire()
        {
            self.board.lock().was_not_hired();
            tracing::warn!(%error, "no thread could be had to go on in place of a busy one");
        }
        if is_missed {
            self.ring();
        }
        call()
    }

    /// Ends all connections and threads, without waiting for those at work.
    pub(super) fn end(&self) {
        let tasks = self.board.lock().end();
        tasks.iter().for_each(|task| task.cut());
        self.summons.notify_all();
        self.watcher.notify_all();
        self.ring();
    }
}

/// Moves this thread to another core if it is on this one, where another thread serves that needs its help.
///
/// Linux wakes a thread where the one is that wakes it, and on a busy machine looks no further, although another core has
/// nothing to do. Then help would wait for the very thread that it is to help, and both for the caller that the kernel put
/// there as well.
fn leave_core(busy: Option<usize>) {
    let Some(busy) = busy.filter(|busy| *busy == sched_getcpu()) else { return };
    if let Err(error) = move_off(busy) {
        tracing::debug!(%error, "a thread that came to help could not move to another core");
    }
}

/// Moves this thread off a core if it may run on any other, without binding it to one. Answers where it came to.
fn move_off(core: usize) -> Result<usize, Errno> {
    let allowed = sched_getaffinity(None)?;
    let mut others = allowed;
    others.unset(core);
    if others.count() == 0 {
        return Ok(core);
    }
    sched_setaffinity(None, &others)?;
    let came_to = sched_getcpu();
    sched_setaffinity(None, &allowed)?;
    Ok(came_to)
}

/// Brings a thread back that was aside, also after a panic.
struct Back<'a>(&'a Crew);

impl Drop for Back<'_> {
    fn drop(&mut self) {
        self.0.board.lock().comes_back();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a thread is awaited is no matter of the users' clock"
)]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::super::tests::pair;
    use super::*;
    use rustix::thread::CpuSet;
    use std::future::poll_fn;
    use std::io::{ErrorKind, Read, Write};

    #[test]
    fn a_thread_that_moves_off_its_core_is_bound_to_none() {
        let allowed = sched_getaffinity(None).unwrap();
        for core in (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)) {
            let came_to = move_off(core).unwrap();
            assert!(came_to != core || allowed.count() == 1, "it stayed on core {core}");
            assert!(allowed.is_set(came_to), "it came to core {came_to}");
            assert_eq!(sched_getaffinity(None).unwrap(), allowed);
        }
    }

    #[test]
    fn the_watcher_takes_what_the_one_that_waits_for_it_has_no_core_for() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let crew = Crew::without_threads(2, runtime.handle().clone()).unwrap();
        // This test is the thread that waits for sockets, and never gets to look at them.
        assert!(matches!(crew.board.lock().next(), Next::Poll));
        crew.hire().unwrap();
        let (mut caller, served) = pair();
        caller.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let echo = async |wire: Wire| {
            let mut buffer = Vec::with_capacity(1);
            while poll_fn(|context| wire.poll_read(context, &mut buffer)).await.unwrap() > 0 {
                poll_fn(|context| wire.poll_write(context, &buffer)).await.unwrap();
                buffer.clear();
            }
        };
        crew.give(served, echo).unwrap();
        for byte in 0..20 {
            caller.write_all(&[byte]).unwrap();
            let mut back = [0];
            // The watcher rests when this thread is held up for long, and is told when something has happened.
            let told = (0..600).any(|_| {
                let mut board = crew.board.lock();
                if board.polling_ends() {
                    crew.wake(Summons::Watcher);
                }
                board.polling_begins();
                drop(board);
                match caller.read(&mut back) {
                    Ok(length) => length == 1,
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::WouldBlock);
                        false
                    }
                }
            });
            assert!(told && back == [byte]);
        }
        crew.end();
    }
}
