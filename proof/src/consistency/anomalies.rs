//! What `adya`, a checker by other hands after the method of Elle, finds in the transactions over lists. It judges
//! beside `serial`, which also finds what `adya` passes over: an element that nobody appended, and one that was sent
//! twice.

use std::collections::BTreeSet;

use adya::history::{Interner, Mop, Op, OpType, ReadValue, Scalar};
use adya::{History, Opts, Valid, Workload};

use super::serial::{List, Outcome, Transaction};

/// It says so when there are too few transactions to compare: nothing was seen, so nothing was seen to be wrong.
const NOTHING_TO_COMPARE: &str = "empty-transaction-graph";
/// Anomalies that are told in full.
const TOLD: usize = 3;

/// What breaks strict serialisability in a history, in words. A history ends with a look at all lists.
pub(crate) fn problem(transactions: &[Transaction]) -> Option<String> {
    let report = adya::check(&history(transactions), Workload::ListAppend, &Opts::default());
    if report.valid == Valid::True || report.anomaly_types == [NOTHING_TO_COMPARE] {
        return None;
    }
    let told: Vec<&str> =
        report.anomalies.values().flatten().take(TOLD).map(|anomaly| anomaly.explanation.as_str()).collect();
    Some(format!("adya found {}:\n  {}", report.anomaly_types.join(", "), told.join("\n  ")))
}

/// Calls and answers in the order of the clock. Every transaction is a process of its own, because the clock says more
/// than the order of a process.
fn history(transactions: &[Transaction]) -> History {
    let shown: BTreeSet<(List, u64)> = transactions
        .iter()
        .filter(|one| one.outcome == Outcome::Done)
        .flat_map(|one| &one.seen)
        .flat_map(|(list, elements)| elements.iter().map(|element| (*list, *element)))
        .collect();
    let mut interner = Interner::default();
    let mut events: Vec<(u64, Op)> = Vec::with_capacity(transactions.len() * 2);
    for (process, transaction) in (0i64..).zip(transactions) {
        let op = |moment: u64, kind, value: Vec<Mop>| {
            (moment, Op { index: moment, kind, process: Some(process), value, time: None })
        };
        let value = steps(transaction, &mut interner);
        events.push(op(transaction.called, OpType::Invoke, value.clone()));
        events.push(op(transaction.answered, ending(transaction, &shown), value));
    }
    // At the same moment, a call comes before an answer: they are not known to be one after the other.
    events.sort_by_key(|(moment, op)| (*moment, op.kind != OpType::Invoke));
    History::from_ops(events.into_iter().map(|(_, op)| op).collect(), interner)
}

/// A transaction without an answer happened before its server ended if something of it was seen. Otherwise it may have
/// happened or not.
fn ending(transaction: &Transaction, shown: &BTreeSet<(List, u64)>) -> OpType {
    match transaction.outcome {
        Outcome::Done => OpType::Ok,
        Outcome::Refused => OpType::Fail,
        Outcome::Unknown if transaction.appended.iter().any(|place| shown.contains(place)) => OpType::Ok,
        Outcome::Unknown => OpType::Info,
    }
}

/// What it saw, and then what it appended.
fn steps(transaction: &Transaction, interner: &mut Interner) -> Vec<Mop> {
    let mut id = |number: u64| interner.intern(Scalar::Int(number.cast_signed()));
    let mut steps = Vec::with_capacity(transaction.seen.len() + transaction.appended.len());
    for (list, elements) in &transaction.seen {
        let elements = elements.iter().map(|element| id(*element)).collect();
        steps.push(Mop::Read { key: id(*list), value: ReadValue::List(elements) });
    }
    for (list, element) in &transaction.appended {
        steps.push(Mop::Append { key: id(*list), value: id(*element) });
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::super::serial;
    use super::super::serial::tests::{done, ended};
    use super::*;
    use crate::chance::Chance;

    fn found(history: &[Transaction]) -> String {
        problem(history).expect("something is wrong with this history")
    }

    #[test]
    fn good_histories_pass() {
        assert_eq!(problem(&[]), None);
        assert_eq!(problem(&[done(0, 1, &[], &[(1, &[])])]), None, "nothing to compare");
        let history = [
            done(0, 1, &[(1, 10), (2, 11)], &[]),
            done(2, 5, &[(1, 12)], &[(2, &[11])]),
            ended(Outcome::Refused, done(3, 4, &[(1, 13)], &[])),
            done(6, 7, &[], &[(1, &[10, 12]), (2, &[11])]),
        ];
        assert_eq!(problem(&history), None);
    }

    #[test]
    fn a_lost_append_is_found() {
        let history = [done(0, 1, &[(1, 10)], &[]), done(2, 3, &[], &[(1, &[])])];
        assert!(found(&history).contains("realtime"));
        let history = [
            done(0, 1, &[(1, 10)], &[]),
            done(2, 3, &[(1, 11)], &[]),
            done(4, 5, &[(1, 12)], &[]),
            done(6, 7, &[], &[(1, &[10, 12])]),
        ];
        assert!(found(&history).contains("realtime"));
    }

    #[test]
    fn a_circle_through_the_clock_is_found() {
        let history =
            [done(0, 1, &[(1, 10)], &[]), done(2, 3, &[], &[(1, &[])]), done(4, 5, &[], &[(1, &[10])])];
        assert!(found(&history).contains("G-single-item-realtime"));
        let at_the_same_time =
            [done(0, 3, &[(1, 10)], &[]), done(1, 2, &[], &[(1, &[])]), done(4, 5, &[], &[(1, &[10])])];
        assert_eq!(problem(&at_the_same_time), None);
    }

    #[test]
    fn a_transaction_seen_by_half_is_found() {
        let history = [
            done(0, 9, &[(1, 10), (2, 11)], &[]),
            done(1, 8, &[], &[(1, &[10]), (2, &[])]),
            done(10, 11, &[], &[(1, &[10]), (2, &[11])]),
        ];
        assert!(found(&history).contains("G-single-item"));
    }

    #[test]
    fn two_that_did_not_see_each_other_are_found() {
        let history = [
            done(0, 8, &[(1, 10)], &[(2, &[])]),
            done(1, 9, &[(2, 20)], &[(1, &[])]),
            done(10, 11, &[], &[(1, &[10]), (2, &[20])]),
        ];
        assert!(found(&history).contains("G2-item"));
    }

    #[test]
    fn an_append_that_was_refused_is_found() {
        let refused = ended(Outcome::Refused, done(0, 1, &[(1, 10)], &[]));
        assert!(found(&[refused, done(2, 3, &[], &[(1, &[10])])]).contains("G1a"));
    }

    #[test]
    fn without_an_answer_it_happened_whole_before_the_end_of_its_server_or_not_at_all() {
        let unknown = ended(Outcome::Unknown, done(0, 1, &[(1, 10), (2, 11)], &[]));
        for (one, other) in [(&[][..], &[][..]), (&[10][..], &[11][..])] {
            assert_eq!(problem(&[unknown.clone(), done(2, 3, &[], &[(1, one), (2, other)])]), None);
        }
        let half = [unknown.clone(), done(2, 3, &[], &[(1, &[10]), (2, &[])])];
        assert!(found(&half).contains("G-single-item"));
        let late = [unknown, done(2, 3, &[], &[(1, &[])]), done(4, 5, &[], &[(1, &[10]), (2, &[11])])];
        assert!(found(&late).contains("realtime"));
    }

    /// Lists as they are while transactions happen one after the other; each is called before and answered after.
    fn good(chance: &mut Chance) -> Vec<Transaction> {
        let mut lists: [Vec<u64>; 3] = Default::default();
        let mut history = Vec::new();
        for place in 1..=chance.between(3, 14) {
            let outcome = *chance.pick(&[
                Outcome::Done,
                Outcome::Done,
                Outcome::Done,
                Outcome::Refused,
                Outcome::Unknown,
            ]);
            let happens = outcome == Outcome::Done || outcome == Outcome::Unknown && chance.one_in(2);
            let (reads, appends) = (chance.below(4), chance.below(3));
            let seen = chance.distinct(if outcome == Outcome::Done { reads } else { 0 }, 3);
            let seen = seen.into_iter().map(|list| (list, lists[list as usize].clone())).collect();
            let appended: Vec<(List, u64)> =
                chance.distinct(appends, 3).into_iter().map(|list| (list, place * 10 + list)).collect();
            for (list, element) in appended.iter().filter(|_| happens) {
                lists[*list as usize].push(*element);
            }
            // Odd and even: no call comes at the moment of an answer.
            let (called, answered) = (
                place * 100 - 2 * chance.below(150).min(place * 50),
                place * 100 + 1 + 2 * chance.below(150),
            );
            history.push(Transaction { called, answered, appended, seen, outcome });
        }
        let look = (0..).zip(lists).collect();
        history.push(Transaction {
            called: 10_000,
            answered: 10_001,
            appended: Vec::new(),
            seen: look,
            outcome: Outcome::Done,
        });
        history
    }

    /// A history that may be wrong now.
    fn spoil(chance: &mut Chance, history: &mut [Transaction]) {
        let place = chance.below(history.len() as u64 - 1) as usize;
        let list = chance.below(3);
        match chance.below(5) {
            0 => history[place].outcome = *chance.pick(&[Outcome::Done, Outcome::Refused, Outcome::Unknown]),
            1 => history[place].called = history[place].answered - 1,
            2 => {
                history[place].seen.iter_mut().filter(|(of, _)| *of == list).for_each(|(_, elements)| {
                    elements.pop();
                });
            }
            3 => {
                let lost = history[place].appended.first().copied();
                for (of, elements) in history.iter_mut().flat_map(|one| &mut one.seen) {
                    elements.retain(|element| Some((*of, *element)) != lost);
                }
            }
            _ => {
                for (_, elements) in
                    history.iter_mut().flat_map(|one| &mut one.seen).filter(|(of, _)| *of == list)
                {
                    if elements.len() > 1 {
                        elements.swap(0, 1);
                    }
                }
            }
        }
        for transaction in history.iter_mut().filter(|one| one.outcome != Outcome::Done) {
            transaction.seen.clear();
        }
    }

    #[test]
    fn both_judges_agree() {
        let mut chance = Chance::new(1, 0);
        let (mut fine, mut wrong) = (0, 0);
        for _ in 0..2000 {
            let mut history = good(&mut chance);
            assert_eq!((problem(&history), serial::problem(&history)), (None, None), "{history:#?}");
            spoil(&mut chance, &mut history);
            let (theirs, ours) = (problem(&history), serial::problem(&history));
            assert_eq!(theirs.is_some(), ours.is_some(), "{theirs:?}\n{ours:?}\n{history:#?}");
            if ours.is_some() { wrong += 1 } else { fine += 1 }
        }
        assert!(fine > 200 && wrong > 200, "{fine} were fine, {wrong} were wrong");
    }
}
