//! Whether transactions over lists that only grow can be put in one order that agrees with the clock (strict
//! serialisability), after the method of Elle: every element is appended once, so what a read shows tells which
//! transactions came before it and which after; an order exists if these arrows, and those of the clock, make no circle.

use std::collections::{BTreeMap, BTreeSet};

/// The name of a list.
pub(crate) type List = u64;

/// A transaction as its client knows it.
#[derive(Debug, Clone)]
pub(crate) struct Transaction {
    /// When it was called and when its answer, or the end of its server, was noticed.
    pub(crate) called: u64,
    pub(crate) answered: u64,
    /// What it appended, one element a list.
    pub(crate) appended: Vec<(List, u64)>,
    /// What it saw of lists, before its own appends.
    pub(crate) seen: Vec<(List, Vec<u64>)>,
    pub(crate) outcome: Outcome,
}

/// Whether a transaction counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    Refused,
    Unknown,
}

/// What is wrong with a history, in words. A history ends with a look at all lists.
pub(crate) fn problem(transactions: &[Transaction]) -> Option<String> {
    match Orders::find(transactions) {
        Err(problem) => Some(problem),
        Ok(orders) => orders.circle(transactions),
    }
}

/// The order of each list's elements, and who appended which.
struct Orders {
    lists: BTreeMap<List, Vec<u64>>,
    writers: BTreeMap<(List, u64), usize>,
}

impl Orders {
    fn find(transactions: &[Transaction]) -> Result<Orders, String> {
        let mut writers = BTreeMap::new();
        for (number, transaction) in transactions.iter().enumerate() {
            for place in &transaction.appended {
                if writers.insert(*place, number).is_some() {
                    return Err(format!("element {place:?} was sent twice: the test itself is wrong"));
                }
            }
        }
        let mut lists: BTreeMap<List, Vec<u64>> = BTreeMap::new();
        for (list, seen) in transactions.iter().filter(|one| counts(one)).flat_map(|one| &one.seen) {
            let longest = lists.entry(*list).or_default();
            if seen.len() > longest.len() {
                *longest = seen.clone();
            }
        }
        let orders = Orders { lists, writers };
        orders.check_elements(transactions)?;
        orders.check_reads(transactions)?;
        Ok(orders)
    }

    /// Each element in a list was appended once, by a transaction that may have happened; none that was acknowledged
    /// is missing.
    fn check_elements(&self, transactions: &[Transaction]) -> Result<(), String> {
        for (list, elements) in &self.lists {
            let mut known = BTreeSet::new();
            for element in elements {
                if !known.insert(element) {
                    return Err(format!("element {element} is in list {list} twice"));
                }
                let writer =
                    self.writers.get(&(*list, *element)).and_then(|number| transactions.get(*number));
                match writer.map(|transaction| transaction.outcome) {
                    None => return Err(format!("nobody appended {element} to list {list}")),
                    Some(Outcome::Refused) => {
                        return Err(format!("{element} is in list {list}, but its transaction was refused"));
                    }
                    Some(Outcome::Done | Outcome::Unknown) => {}
                }
            }
        }
        for transaction in transactions.iter().filter(|one| one.outcome == Outcome::Unknown) {
            let there = |(list, element): &&(List, u64)| {
                self.lists.get(list).is_some_and(|elements| elements.contains(element))
            };
            let count = transaction.appended.iter().filter(there).count();
            if count > 0 && count < transaction.appended.len() {
                return Err(format!("half of a transaction is there: {transaction:?}"));
            }
        }
        for ((list, element), number) in &self.writers {
            let done = transactions.get(*number).is_some_and(|one| one.outcome == Outcome::Done);
            if done && !self.lists.get(list).is_some_and(|elements| elements.contains(element)) {
                return Err(format!(
                    "{element} was appended to list {list} and acknowledged, and is not there"
                ));
            }
        }
        Ok(())
    }

    /// Every read is a beginning of the longest one.
    fn check_reads(&self, transactions: &[Transaction]) -> Result<(), String> {
        for (list, seen) in transactions.iter().filter(|one| counts(one)).flat_map(|one| &one.seen) {
            if !self.lists.get(list).is_some_and(|longest| longest.starts_with(seen)) {
                return Err(format!("list {list} was seen as {seen:?}, which is no beginning of its end"));
            }
        }
        Ok(())
    }

    /// A transaction without an answer counts when one of its elements was seen.
    fn happened(&self, transaction: &Transaction) -> bool {
        match transaction.outcome {
            Outcome::Done => true,
            Outcome::Refused => false,
            Outcome::Unknown => transaction
                .appended
                .iter()
                .any(|(list, element)| self.lists.get(list).is_some_and(|all| all.contains(element))),
        }
    }

    fn circle(&self, transactions: &[Transaction]) -> Option<String> {
        let mut graph = Graph::new(transactions.len());
        for elements in self.lists.iter().map(|(list, elements)| self.owners(*list, elements)) {
            for pair in elements.windows(2) {
                if let [earlier, later] = pair {
                    graph.arrow(*earlier, *later);
                }
            }
        }
        for (number, transaction) in transactions.iter().enumerate().filter(|(_, one)| self.happened(one)) {
            for (list, seen) in &transaction.seen {
                let Some(elements) = self.lists.get(list) else { continue };
                let owners = self.owners(*list, elements);
                if let Some(writer) = seen.len().checked_sub(1).and_then(|place| owners.get(place)) {
                    graph.arrow(*writer, number);
                }
                if let Some(writer) = owners.get(seen.len()) {
                    graph.arrow(number, *writer);
                }
            }
        }
        graph.follow_the_clock(transactions, |one| self.happened(one));
        let circle = graph.circle(transactions.len())?;
        let told: Vec<String> = circle
            .iter()
            .filter_map(|number| transactions.get(*number))
            .map(|one| format!("{one:?}"))
            .collect();
        Some(format!("{} transactions have no order:\n  {}", told.len(), told.join("\n  ")))
    }

    fn owners(&self, list: List, elements: &[u64]) -> Vec<usize> {
        elements.iter().filter_map(|element| self.writers.get(&(list, *element)).copied()).collect()
    }
}

/// Only what was answered has seen anything.
fn counts(transaction: &Transaction) -> bool {
    transaction.outcome == Outcome::Done
}

/// Arrows between transactions, and between them and moments of the clock.
struct Graph {
    arrows: Vec<Vec<usize>>,
}

impl Graph {
    fn new(nodes: usize) -> Graph {
        Graph { arrows: vec![Vec::new(); nodes] }
    }

    fn arrow(&mut self, from: usize, to: usize) {
        if let Some(arrows) = self.arrows.get_mut(from).filter(|_| from != to) {
            arrows.push(to);
        }
    }

    /// Who was answered before another was called comes before it. A chain of moments carries that with few arrows.
    fn follow_the_clock(&mut self, transactions: &[Transaction], happened: impl Fn(&Transaction) -> bool) {
        let mut answers: Vec<(u64, usize)> = transactions
            .iter()
            .enumerate()
            .filter(|(_, transaction)| happened(transaction))
            .map(|(number, transaction)| (transaction.answered, number))
            .collect();
        answers.sort_unstable();
        let first = self.arrows.len();
        self.arrows.resize(first + answers.len(), Vec::new());
        for (place, (_, number)) in answers.iter().enumerate() {
            self.arrow(*number, first + place);
            if place > 0 {
                self.arrow(first + place - 1, first + place);
            }
        }
        for (number, transaction) in transactions.iter().enumerate().filter(|(_, one)| happened(one)) {
            let before = answers.partition_point(|(answered, _)| *answered < transaction.called);
            if let Some(place) = before.checked_sub(1) {
                self.arrow(first + place, number);
            }
        }
    }

    /// The transactions of one circle, as few as a search around finds. Tarjan's search, without recursion.
    fn circle(&self, transactions: usize) -> Option<Vec<usize>> {
        let count = self.arrows.len();
        let (mut order, mut low) = (vec![usize::MAX; count], vec![usize::MAX; count]);
        let (mut open, mut is_open, mut next) = (Vec::new(), vec![false; count], 0);
        for root in 0..count {
            let mut path = if order.get(root) == Some(&usize::MAX) { vec![(root, 0)] } else { Vec::new() };
            while let Some((node, place)) = path.pop() {
                if place == 0 {
                    set(&mut order, node, next);
                    set(&mut low, node, next);
                    next += 1;
                    open.push(node);
                    set(&mut is_open, node, true);
                }
                match self.arrows.get(node).and_then(|arrows| arrows.get(place)) {
                    Some(to) => {
                        path.push((node, place + 1));
                        if get(&order, *to) == usize::MAX {
                            path.push((*to, 0));
                        } else if get(&is_open, *to) {
                            let least = get(&low, node).min(get(&order, *to));
                            set(&mut low, node, least);
                        }
                    }
                    None => {
                        if let Some((parent, _)) = path.last() {
                            let least = get(&low, *parent).min(get(&low, node));
                            set(&mut low, *parent, least);
                        }
                        if get(&low, node) == get(&order, node) {
                            let mut members = Vec::new();
                            while let Some(member) = open.pop() {
                                set(&mut is_open, member, false);
                                members.push(member);
                                if member == node {
                                    break;
                                }
                            }
                            if members.len() > 1 {
                                members.retain(|member| *member < transactions);
                                members.sort_unstable();
                                members.truncate(8);
                                return Some(members);
                            }
                        }
                    }
                }
            }
        }
        None
    }
}

fn set<T>(all: &mut [T], place: usize, value: T) {
    if let Some(slot) = all.get_mut(place) {
        *slot = value;
    }
}

fn get<T: Copy + Default>(all: &[T], place: usize) -> T {
    all.get(place).copied().unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn done(
        called: u64,
        answered: u64,
        appended: &[(List, u64)],
        seen: &[(List, &[u64])],
    ) -> Transaction {
        Transaction {
            called,
            answered,
            appended: appended.to_vec(),
            seen: seen.iter().map(|(list, elements)| (*list, elements.to_vec())).collect(),
            outcome: Outcome::Done,
        }
    }

    pub(crate) fn ended(outcome: Outcome, transaction: Transaction) -> Transaction {
        Transaction { outcome, ..transaction }
    }

    #[test]
    fn one_after_the_other_passes() {
        let history = [
            done(0, 1, &[(1, 10), (2, 11)], &[]),
            done(2, 3, &[(1, 12)], &[(2, &[11])]),
            done(4, 5, &[], &[(1, &[10, 12]), (2, &[11])]),
        ];
        assert_eq!(problem(&history), None);
    }

    #[test]
    fn at_the_same_time_either_order_passes() {
        for seen in [&[][..], &[10][..]] {
            let history = [
                done(0, 9, &[(1, 10)], &[]),
                done(1, 2, &[], &[(1, seen)]),
                done(10, 11, &[], &[(1, &[10])]),
            ];
            assert_eq!(problem(&history), None);
        }
    }

    #[test]
    fn half_a_transaction_is_found() {
        let history = [
            done(0, 9, &[(1, 10), (2, 11)], &[]),
            done(1, 8, &[], &[(1, &[10]), (2, &[])]),
            done(10, 11, &[], &[(1, &[10]), (2, &[11])]),
        ];
        assert!(problem(&history).unwrap().contains("no order"));
    }

    #[test]
    fn a_read_of_the_past_is_found() {
        let history =
            [done(0, 1, &[(1, 10)], &[]), done(2, 3, &[], &[(1, &[])]), done(4, 5, &[], &[(1, &[10])])];
        assert!(problem(&history).unwrap().contains("no order"));
    }

    #[test]
    fn a_read_of_the_future_is_found() {
        let history = [done(0, 1, &[], &[(1, &[10])]), done(2, 3, &[(1, 10)], &[])];
        assert!(problem(&history).unwrap().contains("no order"));
    }

    #[test]
    fn lists_in_opposite_orders_are_found() {
        let history = [
            done(0, 9, &[(1, 10), (2, 11)], &[]),
            done(0, 9, &[(1, 20), (2, 21)], &[]),
            done(10, 11, &[], &[(1, &[10, 20]), (2, &[21, 11])]),
        ];
        assert!(problem(&history).unwrap().contains("no order"));
    }

    #[test]
    fn two_that_did_not_see_each_other_are_found() {
        let history = [
            done(0, 9, &[(1, 10)], &[(2, &[])]),
            done(0, 9, &[(2, 20)], &[(1, &[])]),
            done(10, 11, &[], &[(1, &[10]), (2, &[20])]),
        ];
        assert!(problem(&history).unwrap().contains("no order"), "write skew");
    }

    #[test]
    fn a_lost_append_is_found() {
        let history = [done(0, 1, &[(1, 10)], &[]), done(0, 9, &[], &[(1, &[])])];
        assert!(problem(&history).unwrap().contains("is not there"));
    }

    #[test]
    fn an_append_without_an_answer_may_be_there_or_not() {
        let unknown = ended(Outcome::Unknown, done(0, 1, &[(1, 10)], &[]));
        for seen in [&[][..], &[10][..]] {
            assert_eq!(problem(&[unknown.clone(), done(2, 3, &[], &[(1, seen)])]), None);
        }
    }

    #[test]
    fn half_an_append_without_an_answer_is_found() {
        let unknown = ended(Outcome::Unknown, done(0, 1, &[(1, 10), (2, 11)], &[]));
        let history = [unknown, done(2, 3, &[], &[(1, &[10]), (2, &[])]), done(4, 5, &[], &[(2, &[])])];
        assert!(problem(&history).unwrap().contains("half of a transaction"));
    }

    #[test]
    fn an_append_that_was_refused_is_found() {
        let refused = ended(Outcome::Refused, done(0, 1, &[(1, 10)], &[]));
        let history = [refused, done(2, 3, &[], &[(1, &[10])])];
        assert!(problem(&history).unwrap().contains("refused"));
    }

    #[test]
    fn an_element_twice_or_from_nowhere_is_found() {
        let history = [done(0, 1, &[(1, 10)], &[]), done(2, 3, &[], &[(1, &[10, 10])])];
        assert!(problem(&history).unwrap().contains("twice"));
        let history = [done(2, 3, &[], &[(1, &[10])])];
        assert!(problem(&history).unwrap().contains("nobody"));
    }

    #[test]
    fn reads_that_branch_are_found() {
        let history = [
            done(0, 9, &[(1, 10)], &[]),
            done(0, 9, &[(1, 11)], &[]),
            done(0, 9, &[], &[(1, &[11])]),
            done(10, 11, &[], &[(1, &[10, 11])]),
        ];
        assert!(problem(&history).unwrap().contains("no beginning"));
    }
}
