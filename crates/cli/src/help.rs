//! The help: written from the table of settings, so that it cannot forget one.

use crate::settings::SETTINGS;
use std::fmt::Write;

/// The whole text.
pub(crate) fn text() -> String {
    let mut text = format!(
        "larder {}: a DynamoDB-compatible database in one binary\n\n\
         Usage: larder [serve] [options]\n\
         \x20      larder design VERB [FILE…] [options]    (larder design --help)\n\
         \x20      larder copy --from URL --to URL --all   (larder copy --help)\n\
         \x20      larder dump TABLE [options]             (larder dump --help)\n\
         \x20      larder load TABLE FILE [options]        (larder load --help)\n\
         \x20      larder clock [VERB] [options]           (larder clock --help)\n\n\
         Options, each also as an environment variable (flags win):\n",
        env!("CARGO_PKG_VERSION")
    );
    for setting in SETTINGS {
        let value = setting.value.map(|value| format!(" {value}")).unwrap_or_default();
        let flag = format!("{}{value}", setting.flag());
        // Writing to a string cannot fail.
        let _written = writeln!(
            text,
            "  {flag:<36} {}\n  {:<36} [usually: {}; {}]",
            setting.purpose,
            "",
            setting.usual,
            setting.variable()
        );
    }
    text.push_str(
        "  -h, --help                           this text\n\
         \x20 -V, --version                        the version\n\n\
         Try, with any credentials:\n\
         \x20 larder &\n\
         \x20 aws dynamodb list-tables --region local\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_in_the_help() {
        let text = text();
        for setting in SETTINGS {
            assert!(text.contains(&setting.flag()) && text.contains(&setting.variable()), "{}", setting.name);
        }
    }
}
