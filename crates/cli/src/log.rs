//! The log: compact lines on standard error, and one line for a panic. Knows nothing of what is logged.

use std::io::IsTerminal;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts the log.
pub(crate) fn start(filter: Targets) {
    let lines = tracing_subscriber::fmt::layer()
        .compact()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    tracing_subscriber::registry().with(lines).with(filter).init();
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        tracing::error!("{text}");
    }));
}
