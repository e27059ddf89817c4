//! Items that a transaction is writing: until it is durable, nobody else may write them or read them in a transaction.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use storage::{Error, Key, Store, Ticket};

/// How long to wait for a transaction to be ordered.
const ORDER_PAUSE: Duration = Duration::from_millis(2);

/// All items that are being written in transactions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// How many keys are marked, so that the common case of none costs no lock.
    count: AtomicUsize,
    /// With the ticket of the transaction, once it is ordered.
    keys: Mutex<HashMap<Key, Option<Ticket>>>,
}

/// Marked items; the marks go when this goes.
#[derive(Debug)]
pub(crate) struct Mark {
    marks: Marks,
    keys: Vec<Key>,
}

impl Marks {
    /// Marks all of these, or none: then it answers which of them are marked already.
    pub(crate) fn try_mark(&self, keys: Vec<Key>) -> Result<Mark, Vec<bool>> {
        let mut marked = self.0.keys.lock();
        let taken: Vec<bool> = keys.iter().map(|key| marked.contains_key(key)).collect();
        if taken.contains(&true) {
            return Err(taken);
        }
        marked.extend(keys.iter().cloned().map(|key| (key, None)));
        self.0.count.store(marked.len(), Ordering::Release);
        drop(marked);
        Ok(Mark { marks: self.clone(), keys })
    }

    /// Whether a transaction is writing this item.
    pub(crate) fn has(&self, key: &Key) -> bool {
        self.0.count.load(Ordering::Acquire) > 0 && self.0.keys.lock().contains_key(key)
    }

    /// Blocks until the transaction that is writing this item is durable, if there is one. The mark may still be there then:
    /// it goes when the transaction is answered, which others of its thread may hold up.
    pub(crate) fn wait(&self, key: &Key, store: &Store) -> Result<(), Error> {
        while self.0.count.load(Ordering::Acquire) > 0 {
            let marked = self.0.keys.lock().get(key).copied();
            match marked {
                None => break,
                Some(Some(ticket)) => return store.wait(ticket),
                Some(None) => std::thread::sleep(ORDER_PAUSE),
            }
        }
        Ok(())
    }
}

impl Mark {
    /// The transaction is ordered, and done when this ticket is durable.
    pub(crate) fn ordered(&self, ticket: Ticket) {
        let mut marked = self.marks.0.keys.lock();
        for key in &self.keys {
            marked.insert(key.clone(), Some(ticket));
        }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        let mut marked = self.marks.0.keys.lock();
        for key in &self.keys {
            marked.remove(key);
        }
        self.marks.0.count.store(marked.len(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use storage::{Batch, Config, Space};

    #[test]
    fn a_mark_keeps_others_off_until_it_goes() {
        let marks = Marks::default();
        let key = |text: &'static str| Key::new(Space(7), text);
        let first = marks.try_mark(vec![key("a"), key("b")]).unwrap();
        assert_eq!(marks.try_mark(vec![key("c"), key("b")]).unwrap_err(), [false, true]);
        assert!(marks.has(&key("a")) && !marks.has(&key("c")));
        drop(first);
        assert!(!marks.has(&key("a")));
        assert!(marks.try_mark(vec![key("c"), key("b")]).is_ok());
    }

    #[test]
    fn who_waits_for_a_transaction_needs_no_answer_of_it() {
        let store = Store::open(Config::Memory).unwrap();
        store.create_space(Space(7)).unwrap();
        let marks = Marks::default();
        let key = Key::new(Space(7), "a");
        let mark = marks.try_mark(vec![key.clone()]).unwrap();
        let ticket = store.apply(std::slice::from_ref(&key), &mut |_| {
            let mut batch = Batch::new();
            batch.put(key.space, key.bytes.clone(), "1");
            Some(batch)
        });
        mark.ordered(ticket.unwrap());
        marks.wait(&key, &store).unwrap();
        assert!(marks.has(&key), "until it is answered");
        drop(mark);
        assert!(!marks.has(&key));
    }
}
