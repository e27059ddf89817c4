//! Whether what clients saw of one item can be put in one order that agrees with the clock. The search is that of
//! `todc-utils` (Wing, Gong and Lowe); here is what an item does, also when an answer never came.

use std::collections::BTreeSet;

use todc_utils::linearizability::WGLChecker;
use todc_utils::linearizability::history::{Action, History};
use todc_utils::specifications::Specification;

/// What an item holds: a number, or nothing when it is not there.
pub(crate) type Held = Option<u64>;

/// One operation with its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// It was read.
    Read(Held),
    /// It was to become `new`, if it was as expected.
    Write { new: Held, expected: Expected, outcome: Outcome },
}

/// What a write asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    Anything,
    Exactly(Held),
}

/// What became of a write. `saw` is what the answer told of the item before, if it told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done { saw: Option<Held> },
    Refused { saw: Option<Held> },
    Unknown,
}

/// A step with the moments between which it took effect, if it did.
#[derive(Debug, Clone)]
pub(crate) struct Timed {
    pub(crate) client: usize,
    pub(crate) called: u64,
    pub(crate) answered: u64,
    /// The operation that did it.
    pub(crate) how: &'static str,
    pub(crate) step: Step,
}

impl Timed {
    fn told(&self) -> String {
        let Timed { client, called, answered, how, step } = self;
        format!("client {client}, {called} to {answered}, {how}: {step:?}")
    }
}

/// An item as the set of what it may hold: a write without an answer leaves both possibilities.
struct Register;

impl Specification for Register {
    type State = BTreeSet<Held>;
    type Operation = Step;

    fn init() -> BTreeSet<Held> {
        BTreeSet::from([None])
    }

    fn apply(step: &Step, state: &BTreeSet<Held>) -> (bool, BTreeSet<Held>) {
        let next = after(step, state);
        (!next.is_empty(), next)
    }
}

fn after(step: &Step, state: &BTreeSet<Held>) -> BTreeSet<Held> {
    match step {
        Step::Read(value) => state.iter().filter(|held| *held == value).copied().collect(),
        Step::Write { new, expected, outcome } => {
            let fits = |held: &Held| match expected {
                Expected::Anything => true,
                Expected::Exactly(wanted) => wanted == held,
            };
            let told = |held: &Held, saw: &Option<Held>| saw.is_none_or(|saw| saw == *held);
            match outcome {
                Outcome::Done { saw } => {
                    state.iter().filter(|held| fits(held) && told(held, saw)).map(|_| *new).collect()
                }
                Outcome::Refused { saw } => {
                    state.iter().filter(|held| !fits(held) && told(held, saw)).copied().collect()
                }
                Outcome::Unknown => {
                    let changed = state.iter().filter(|held| fits(held)).map(|_| *new);
                    state.iter().copied().chain(changed).collect()
                }
            }
        }
    }
}

/// Whether the steps on one item have an order. `todc-utils` wants the steps of one process one after the other.
pub(crate) fn is_linearizable(steps: &[Timed]) -> bool {
    if steps.is_empty() {
        return true;
    }
    let mut events: Vec<(u64, usize, Action<Step>)> = Vec::with_capacity(steps.len() * 2);
    for timed in steps {
        events.push((timed.called, timed.client, Action::Call(timed.step.clone())));
        events.push((timed.answered, timed.client, Action::Response(timed.step.clone())));
    }
    events.sort_by_key(|(moment, _, _)| *moment);
    let actions = events.into_iter().map(|(_, client, action)| (client, action)).collect();
    WGLChecker::<Register>::is_linearizable(History::from_actions(actions))
}

/// The end of the shortest beginning of a history that has no order already, for people to look at.
pub(crate) fn explain(steps: &[Timed]) -> String {
    let mut ends: Vec<u64> = steps.iter().map(|timed| timed.answered).collect();
    ends.sort_unstable();
    let until = |end: u64| -> Vec<Timed> {
        let begun = steps.iter().filter(|timed| timed.called < end).cloned();
        begun
            .filter_map(|timed| if timed.answered <= end { Some(timed) } else { unfinished(timed) })
            .collect()
    };
    let fine = ends.partition_point(|end| is_linearizable(&until(*end)));
    let mut told = ends.get(fine).map_or_else(Vec::new, |end| until(*end));
    told.sort_by_key(|timed| timed.answered);
    let last: Vec<String> = told.iter().rev().take(14).rev().map(Timed::told).collect();
    last.join("\n    ")
}

/// A write that had not ended at some moment may have happened by then.
fn unfinished(timed: Timed) -> Option<Timed> {
    let Step::Write { new, expected, .. } = timed.step else { return None };
    Some(Timed { step: Step::Write { new, expected, outcome: Outcome::Unknown }, ..timed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(client: usize, called: u64, answered: u64, step: Step) -> Timed {
        Timed { client, called, answered, how: "test", step }
    }

    fn put(new: u64) -> Step {
        Step::Write { new: Some(new), expected: Expected::Anything, outcome: Outcome::Done { saw: None } }
    }

    fn lost(new: u64) -> Step {
        Step::Write { new: Some(new), expected: Expected::Anything, outcome: Outcome::Unknown }
    }

    #[test]
    fn reads_of_what_was_written_pass() {
        assert!(is_linearizable(&[at(0, 0, 1, put(7)), at(1, 2, 3, Step::Read(Some(7)))]));
        assert!(is_linearizable(&[at(0, 0, 3, put(7)), at(1, 1, 2, Step::Read(None))]));
    }

    #[test]
    fn a_stale_read_is_found() {
        assert!(!is_linearizable(&[at(0, 0, 1, put(7)), at(1, 2, 3, Step::Read(None))]));
    }

    #[test]
    fn a_value_that_comes_and_goes_is_found() {
        let steps = [at(0, 0, 9, put(7)), at(1, 1, 2, Step::Read(Some(7))), at(1, 3, 4, Step::Read(None))];
        assert!(!is_linearizable(&steps));
    }

    #[test]
    fn a_write_without_an_answer_may_have_happened_or_not() {
        assert!(is_linearizable(&[at(0, 0, 1, lost(7)), at(1, 2, 3, Step::Read(None))]));
        assert!(is_linearizable(&[at(0, 0, 1, lost(7)), at(1, 2, 3, Step::Read(Some(7)))]));
    }

    #[test]
    fn a_write_without_an_answer_must_not_appear_after_the_end_of_its_server() {
        let steps = [at(0, 0, 1, lost(7)), at(1, 2, 3, Step::Read(None)), at(1, 4, 5, Step::Read(Some(7)))];
        assert!(!is_linearizable(&steps));
    }

    #[test]
    fn two_winners_of_one_condition_are_found() {
        let win = |new| Step::Write {
            new: Some(new),
            expected: Expected::Exactly(None),
            outcome: Outcome::Done { saw: None },
        };
        assert!(is_linearizable(&[at(0, 0, 2, win(1))]));
        assert!(!is_linearizable(&[at(0, 0, 2, win(1)), at(1, 1, 3, win(2))]));
    }

    #[test]
    fn a_refusal_without_a_reason_is_found() {
        let refused = Step::Write {
            new: Some(1),
            expected: Expected::Exactly(None),
            outcome: Outcome::Refused { saw: None },
        };
        assert!(!is_linearizable(&[at(0, 0, 1, refused)]));
    }

    #[test]
    fn an_old_value_that_was_not_there_is_found() {
        let swap = |saw| Step::Write {
            new: Some(2),
            expected: Expected::Anything,
            outcome: Outcome::Done { saw: Some(saw) },
        };
        assert!(is_linearizable(&[at(0, 0, 1, put(1)), at(0, 2, 3, swap(Some(1)))]));
        assert!(!is_linearizable(&[at(0, 0, 1, put(1)), at(0, 2, 3, swap(None))]));
    }
}
