//! Items that a transaction is writing: until it is durable, nobody else may write them or read them in a transaction.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use storage::Key;

/// All items that are being written in transactions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// How many keys are marked, so that the common case of none costs no lock.
    count: AtomicUsize,
    keys: Mutex<HashSet<Key>>,
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
        let taken: Vec<bool> = keys.iter().map(|key| marked.contains(key)).collect();
        if taken.contains(&true) {
            return Err(taken);
        }
        marked.extend(keys.iter().cloned());
        self.0.count.store(marked.len(), Ordering::Release);
        drop(marked);
        Ok(Mark { marks: self.clone(), keys })
    }

    /// Whether a transaction is writing this item.
    pub(crate) fn has(&self, key: &Key) -> bool {
        self.0.count.load(Ordering::Acquire) > 0 && self.0.keys.lock().contains(key)
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
    use storage::Space;

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
}
