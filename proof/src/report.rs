//! The table that a run ends with: one row a proof. Knows nothing of what was proved.

use std::fmt::Write;

/// What one proof came to.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// What was done, with its counts.
    pub(crate) did: String,
    pub(crate) seconds: u64,
    /// What must not be, found.
    pub(crate) problems: Vec<String>,
}

/// All rows as text, problems below.
pub(crate) fn render(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let verdict =
            if row.problems.is_empty() { "ok".to_string() } else { format!("{} WRONG", row.problems.len()) };
        let _ = writeln!(text, "| {:<12} | {:>8} | {:>5} s | {} |", row.name, verdict, row.seconds, row.did);
    }
    for row in rows {
        for problem in row.problems.iter().take(10) {
            let shown: String = problem.chars().take(2000).collect();
            let _ = writeln!(text, "{}: {shown}", row.name);
        }
    }
    text
}
