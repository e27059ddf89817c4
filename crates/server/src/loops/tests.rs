//! What both kinds of crew must do.

use std::future::poll_fn;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Longer than anything here takes, on any machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Both ends of a new connection; the second is for the crew.
pub(super) fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let caller = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    caller.set_read_timeout(Some(PATIENCE)).unwrap();
    let (served, _) = listener.accept().unwrap();
    served.set_nonblocking(true).unwrap();
    (caller, served)
}

/// The same tests for each kind of crew.
macro_rules! crews {
    ($($kind:ident: $crew:ty, $wire:ty, $aside:path;)*) => {$(
        mod $kind {
            use super::*;

            async fn read(wire: &$wire, buffer: &mut Vec<u8>) -> usize {
                poll_fn(|context| wire.poll_read(context, buffer)).await.unwrap()
            }

            async fn write(wire: &$wire, bytes: &[u8]) {
                let mut sent = 0;
                while sent < bytes.len() {
                    sent += poll_fn(|context| wire.poll_write(context, &bytes[sent..])).await.unwrap();
                }
            }

            /// Sends back all that comes.
            async fn echo(wire: $wire) {
                let mut buffer = Vec::with_capacity(1024);
                while read(&wire, &mut buffer).await > 0 {
                    write(&wire, &buffer).await;
                    buffer.clear();
                }
            }

            /// A new caller is answered, time and again.
            fn answers_others(crew: &Arc<$crew>) {
                let (mut caller, served) = pair();
                crew.give(served, echo).unwrap();
                for _ in 0..20 {
                    caller.write_all(b"x").unwrap();
                    caller.read_exact(&mut [0]).unwrap();
                }
            }

            fn with_crew(size: usize, test: impl FnOnce(&Arc<$crew>)) {
                let mut runtime = tokio::runtime::Builder::new_multi_thread();
                let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
                let crew = <$crew>::start(size, runtime.handle().clone()).unwrap();
                test(&crew);
                crew.end();
                runtime.shutdown_background();
            }

            #[test]
            fn many_callers_are_answered_byte_for_byte() {
                with_crew(2, |crew| {
                    let callers = (0..12_usize).map(|number| {
                        let (mut caller, served) = pair();
                        crew.give(served, echo).unwrap();
                        std::thread::spawn(move || {
                            for round in 0..60 {
                                let length = (number * 7919 + round * 4099) % 3000 + 1;
                                let sent = vec![u8::try_from((number + round) % 251).unwrap(); length];
                                caller.write_all(&sent).unwrap();
                                let mut back = vec![0; length];
                                caller.read_exact(&mut back).unwrap();
                                assert_eq!(back, sent);
                            }
                        })
                    });
                    callers.collect::<Vec<_>>().into_iter().for_each(|caller| caller.join().unwrap());
                });
            }

            #[test]
            fn an_answer_that_nobody_takes_leaves_when_it_is_taken() {
                with_crew(1, |crew| {
                    let (mut caller, served) = pair();
                    let bytes = 16 * 1024 * 1024;
                    crew.give(served, async move |wire| write(&wire, &vec![7; bytes]).await).unwrap();
                    // Its socket is full by now, and another caller is served meanwhile.
                    answers_others(crew);
                    let mut all = Vec::new();
                    caller.read_to_end(&mut all).unwrap();
                    assert_eq!((all.len(), all.iter().all(|byte| *byte == 7)), (bytes, true));
                });
            }

            #[test]
            fn the_end_is_seen_when_it_comes_with_the_last_bytes() {
                with_crew(2, |crew| {
                    for _ in 0..200 {
                        let (mut caller, served) = pair();
                        caller.write_all(b"last words").unwrap();
                        caller.shutdown(Shutdown::Write).unwrap();
                        crew.give(served, echo).unwrap();
                        let mut back = Vec::new();
                        caller.read_to_end(&mut back).unwrap();
                        assert_eq!(back, b"last words");
                    }
                });
            }

            #[test]
            fn wakes_from_other_threads_are_never_lost() {
                with_crew(2, |crew| {
                    let (ask, asked) = std::sync::mpsc::channel::<tokio::sync::oneshot::Sender<()>>();
                    // Answers each question from a thread of its own, as the store does.
                    std::thread::spawn(move || asked.into_iter().for_each(|answer| answer.send(()).unwrap()));
                    let callers = (0..8).map(|_| {
                        let (mut caller, served) = pair();
                        let ask = ask.clone();
                        let serve = async move |wire: $wire| {
                            let mut buffer = Vec::with_capacity(1);
                            while read(&wire, &mut buffer).await > 0 {
                                let (answer, answered) = tokio::sync::oneshot::channel();
                                ask.send(answer).unwrap();
                                answered.await.unwrap();
                                write(&wire, &buffer).await;
                                buffer.clear();
                            }
                        };
                        crew.give(served, serve).unwrap();
                        std::thread::spawn(move || {
                            for _ in 0..500 {
                                caller.write_all(b"?").unwrap();
                                caller.read_exact(&mut [0]).unwrap();
                            }
                        })
                    });
                    callers.collect::<Vec<_>>().into_iter().for_each(|caller| caller.join().unwrap());
                });
            }

            #[test]
            fn long_calls_hold_nobody_up() {
                with_crew(2, |crew| {
                    let (hold, held) = std::sync::mpsc::channel::<()>();
                    let (begun, held) = (Arc::new(AtomicUsize::new(0)), Arc::new(std::sync::Mutex::new(held)));
                    let mut callers = Vec::new();
                    for _ in 0..5 {
                        let (caller, served) = pair();
                        let (begun, held) = (Arc::clone(&begun), Arc::clone(&held));
                        let serve = async move |wire: $wire| {
                            $aside(|| {
                                begun.fetch_add(1, Ordering::SeqCst);
                                let _over = held.lock().unwrap().recv();
                            });
                            write(&wire, b"done").await;
                        };
                        crew.give(served, serve).unwrap();
                        callers.push(caller);
                    }
                    while begun.load(Ordering::SeqCst) < 5 {
                        std::thread::yield_now();
                    }
                    answers_others(crew);
                    drop(hold);
                    for mut caller in callers {
                        let mut said = Vec::new();
                        caller.read_to_end(&mut said).unwrap();
                        assert_eq!(said, b"done");
                    }
                });
            }

            #[test]
            fn one_call_that_is_stuck_holds_up_nobody_else() {
                with_crew(2, |crew| {
                    let (hold, held) = std::sync::mpsc::channel::<()>();
                    let (begin, begun) = std::sync::mpsc::channel::<()>();
                    let (mut stuck, served) = pair();
                    let serve = async move |wire: $wire| {
                        begin.send(()).unwrap();
                        let _over = held.recv();
                        write(&wire, b"done").await;
                    };
                    crew.give(served, serve).unwrap();
                    begun.recv_timeout(PATIENCE).unwrap();
                    answers_others(crew);
                    drop(hold);
                    let mut said = Vec::new();
                    stuck.read_to_end(&mut said).unwrap();
                    assert_eq!(said, b"done");
                });
            }

            #[test]
            fn a_panic_costs_its_connection_and_no_other() {
                with_crew(1, |crew| {
                    let (mut unlucky, served) = pair();
                    crew.give(served, async |_wire: $wire| panic!("told to")).unwrap();
                    assert_eq!(unlucky.read(&mut [0]).unwrap(), 0);
                    answers_others(crew);
                });
            }

            #[test]
            fn a_socket_can_be_taken_away_and_used_elsewhere() {
                with_crew(2, |crew| {
                    let (mut caller, served) = pair();
                    let (give, given) = std::sync::mpsc::channel();
                    let serve = async move |wire: $wire| {
                        let mut buffer = Vec::with_capacity(8);
                        read(&wire, &mut buffer).await;
                        give.send((wire.into_stream().unwrap(), buffer)).unwrap();
                    };
                    crew.give(served, serve).unwrap();
                    caller.write_all(b"first").unwrap();
                    let (mut stream, begun) = given.recv_timeout(PATIENCE).unwrap();
                    stream.set_nonblocking(false).unwrap();
                    caller.write_all(b"second").unwrap();
                    let mut rest = [0; 6];
                    stream.read_exact(&mut rest).unwrap();
                    assert_eq!((begun.as_slice(), &rest), (&b"first"[..], b"second"));
                });
            }
        }
    )*};
}

crews! {
    portable: crate::loops::portable::Crew, crate::loops::portable::Wire, crate::loops::portable::aside;
}
#[cfg(target_os = "linux")]
crews! {
    linux: crate::loops::crew::Crew, crate::loops::wire::Wire, crate::loops::crew::aside;
}

#[cfg(target_os = "linux")]
#[test]
fn the_end_of_a_crew_is_the_end_of_its_connections() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let crew = crate::loops::crew::Crew::start(3, runtime.handle().clone()).unwrap();
    let (mut caller, served) = pair();
    crew.give(served, async |wire| {
        let _kept = wire;
        std::future::pending::<()>().await;
    })
    .unwrap();
    crew.end();
    assert_eq!(caller.read(&mut [0]).unwrap(), 0);
    // Threads let go of the crew when they have ended.
    while Arc::strong_count(&crew) > 1 {
        std::thread::yield_now();
    }
    let (mut late, served) = pair();
    crew.give(served, async |_wire| {}).unwrap();
    assert_eq!(late.read(&mut [0]).unwrap(), 0);
}
