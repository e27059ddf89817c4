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

impl Row {
    /// One that could not be run at all, which counts as a problem.
    pub(crate) fn not_run(name: &'static str, problem: String) -> Row {
        Row { name, did: "NOT RUN, see below".to_string(), seconds: 0, problems: vec![problem] }
    }

    /// Whether it found nothing wrong, something wrong, or did not look.
    pub(crate) fn verdict(&self) -> String {
        if self.did.starts_with("NOT RUN") || self.did.starts_with("skipped") {
            "NOT RUN".to_string()
        } else if self.problems.is_empty() {
            "ok".to_string()
        } else {
            format!("{} WRONG", self.problems.len())
        }
    }
}

/// All rows as text, problems below.
pub(crate) fn render(rows: &[Row]) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "| {:<12} | {:>8} | {:>7} | what was done |", "proof", "verdict", "time");
    let _ = writeln!(text, "| {0:-<12} | {0:-<7}: | {0:-<6}: | --- |", "");
    for row in rows {
        let _ = writeln!(
            text,
            "| {:<12} | {:>8} | {:>5} s | {} |",
            row.name,
            row.verdict(),
            row.seconds,
            row.did
        );
    }
    let seconds: u64 = rows.iter().map(|row| row.seconds).sum();
    let wrong: usize = rows.iter().map(|row| row.problems.len()).sum();
    let idle = rows.iter().filter(|row| row.verdict() == "NOT RUN").count();
    let verdict = if wrong > 0 { "WRONG" } else { "ok" };
    let _ = writeln!(
        text,
        "| {:<12} | {verdict:>8} | {seconds:>5} s | {} proofs, {idle} of them NOT RUN, {wrong} things wrong |",
        "all",
        rows.len()
    );
    for row in rows {
        for problem in row.problems.iter().take(10) {
            let shown: String = problem.chars().take(2000).collect();
            let _ = writeln!(text, "{}: {shown}", row.name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_run_is_told() {
        let skipped = Row { name: "a", did: "skipped: no peer".into(), seconds: 0, problems: Vec::new() };
        let rows = [skipped, Row::not_run("b", "no program".into())];
        let text = render(&rows);
        assert!(text.contains("2 proofs, 2 of them NOT RUN, 1 things wrong"), "{text}");
        assert!(text.contains("b: no program"), "{text}");
    }
}
