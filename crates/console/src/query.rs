//! What stands after the question mark of an address.
//! Knows no names.

/// The value of a name, unescaped.
pub(crate) fn text(query: &str, name: &str) -> Option<String> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.into_iter().find(|(key, _)| *key == name)?;
    Some(unescaped(value))
}

/// The value of a name as a number.
pub(crate) fn number(query: &str, name: &str) -> Option<u64> {
    text(query, name)?.parse().ok()
}

fn unescaped(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let escape = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match (first, escape.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            (b'+', _) => bytes.push(b' '),
            (other, _) => bytes.push(*other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_and_unescaped() {
        let query = "table=a%2Fb+c&after=12&odd=%zz%4&empty=";
        assert_eq!(text(query, "table").as_deref(), Some("a/b c"));
        assert_eq!(number(query, "after"), Some(12));
        assert_eq!(text(query, "odd").as_deref(), Some("%zz%4"));
        assert_eq!(text(query, "empty").as_deref(), Some(""));
        assert_eq!(text(query, "none"), None);
    }
}
