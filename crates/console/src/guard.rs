//! The guard at the door: a page of another site must not get in, by its own name or by a borrowed one.
//! Knows no paths.
//!
//! Three things together: the host must be an address or a name that no stranger can point here (against DNS
//! rebinding), a page that asks must be ours, and it must have the token that only our page was given.

use crate::Ask;
use crate::answer::Reply;
use op::Name;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;

/// The header that carries the token.
pub const TOKEN_HEADER: &str = "x-larder-token";

/// A token that cannot be guessed: the standard library's hash keys come from the system's chance.
pub(crate) fn fresh_token() -> String {
    let word = |salt: u64| RandomState::new().hash_one(salt);
    format!("{:016x}{:016x}", word(1), word(2))
}

/// A host that is an address, this machine, or one of the names that were allowed.
pub(crate) fn check_host(allowed: &[String], host: &str) -> Result<(), Reply> {
    let name = without_port(host);
    let is_address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
    let is_here = name.eq_ignore_ascii_case("localhost") || name.to_ascii_lowercase().ends_with(".localhost");
    if is_address || is_here || allowed.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return Ok(());
    }
    Err(Reply::refused(&format!(
        "The console does not answer to the name {name:?}: start larder with --console-host {name}"
    )))
}

/// If the browser says which page asks, it must be one of ours.
pub(crate) fn check_page(ask: &Ask<'_>) -> Result<(), Reply> {
    let is_own_origin = ask.origin.is_none_or(|origin| {
        origin.split_once("://").is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(ask.host))
    });
    let is_own_site = ask.fetch_site.is_none_or(|site| matches!(site, "same-origin" | "none"));
    if is_own_origin && is_own_site {
        Ok(())
    } else {
        Err(Reply::refused("Another site's page may not ask."))
    }
}

/// Only our page was given the token.
pub(crate) fn check_token(token: &str, given: Option<&str>) -> Result<(), Reply> {
    if given == Some(token) {
        return Ok(());
    }
    Err(Reply::refused("This page is from before the server was started anew: reload it."))
}

/// Whether an operation changes nothing, whatever its body says.
pub(crate) fn is_read(operation: Name) -> bool {
    let name = operation.as_str();
    ["Describe", "Get", "List"].iter().any(|word| name.starts_with(word))
        || matches!(operation, Name::BatchGetItem | Name::Query | Name::Scan | Name::TransactGetItems)
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // What stands in brackets is an address whose colons are its own.
        Some((name, port)) if !port.contains(']') && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_a_stranger_cannot_name_are_let_in() {
        let allowed = ["larder.test".to_owned()];
        for host in [
            "localhost",
            "localhost:8001",
            "LOCALHOST:1",
            "app.localhost",
            "127.0.0.1:8001",
            "[::1]:8001",
            "[::1]",
            "192.168.1.20:8001",
            "larder.test:8001",
            "Larder.Test",
        ] {
            assert!(check_host(&allowed, host).is_ok(), "{host}");
        }
        for host in
            ["evil.example", "evil.example:8001", "localhost.evil.example", "", "127.0.0.1.evil", "x:y"]
        {
            assert!(check_host(&allowed, host).is_err(), "{host}");
        }
    }

    #[test]
    fn what_changes_nothing() {
        for name in Name::all() {
            let text = name.as_str();
            let changes =
                ["Put", "Update", "Delete", "Create", "Tag", "Untag", "Restore", "Execute", "Import"]
                    .iter()
                    .any(|word| text.starts_with(word));
            assert!(!(changes && is_read(name)), "{text}");
        }
        assert!(is_read(Name::Query) && is_read(Name::GetRecords));
        assert!(!is_read(Name::BatchWriteItem) && !is_read(Name::TransactWriteItems));
    }

    #[test]
    fn tokens_differ() {
        assert_eq!(fresh_token().len(), 32);
        assert_ne!(fresh_token(), fresh_token());
    }
}
