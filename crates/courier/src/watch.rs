//! Who watches a move. Knows no terminal.

/// Who watches. It is told from several threads.
pub trait Watch: Sync {
    /// Something begins, with so many items to come as far as is known.
    fn begins(&self, what: &str, items: Option<u64>);
    /// So many items are behind already, from an earlier run.
    fn resumes(&self, items: u64);
    /// So many items more are done.
    fn moved(&self, items: u64);
    /// What began has ended.
    fn ends(&self);
    /// Something worth knowing that stops nothing.
    fn note(&self, text: &str);
}
