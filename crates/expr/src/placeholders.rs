//! `#names` and `:values` that a request gives to its expressions, and which of them were used.
//! Knows no grammar.

use std::collections::BTreeMap;

use item::Value;

use crate::{Error, Kind};

/// What the placeholders of a request stand for.
#[derive(Debug, Clone, Default)]
pub struct Placeholders {
    names: BTreeMap<String, Given<String>>,
    values: BTreeMap<String, Given<Value>>,
}

#[derive(Debug, Clone)]
struct Given<T> {
    meaning: T,
    used: bool,
}

impl Placeholders {
    /// Takes `ExpressionAttributeNames` and `ExpressionAttributeValues`, refusing empty maps and malformed keys.
    pub fn new(
        names: Option<BTreeMap<String, String>>,
        values: Option<BTreeMap<String, Value>>,
    ) -> Result<Placeholders, Error> {
        Ok(Placeholders {
            names: given("ExpressionAttributeNames", b'#', names)?,
            values: given("ExpressionAttributeValues", b':', values)?,
        })
    }

    /// Refuses placeholders that no expression used.
    pub fn finish(&self) -> Result<(), Error> {
        refuse_unused("ExpressionAttributeNames", &self.names)?;
        refuse_unused("ExpressionAttributeValues", &self.values)
    }

    /// The attribute name a placeholder stands for.
    pub(crate) fn name(&mut self, kind: Kind, key: &str) -> Result<String, Error> {
        match self.names.get_mut(key) {
            Some(given) => {
                given.used = true;
                Ok(given.meaning.clone())
            }
            None => Err(kind.error(&format!(
                "An expression attribute name used in the document path is not defined; attribute name: {key}"
            ))),
        }
    }

    /// The value a placeholder stands for.
    pub(crate) fn value(&mut self, kind: Kind, key: &str) -> Result<Value, Error> {
        match self.values.get_mut(key) {
            Some(given) => {
                given.used = true;
                Ok(given.meaning.clone())
            }
            None => Err(kind.error(&format!(
                "An expression attribute value used in expression is not defined; attribute value: {key}"
            ))),
        }
    }
}

fn given<T>(
    parameter: &str,
    sign: u8,
    map: Option<BTreeMap<String, T>>,
) -> Result<BTreeMap<String, Given<T>>, Error> {
    let Some(map) = map else { return Ok(BTreeMap::new()) };
    if map.is_empty() {
        return Err(Error::new(format!("{parameter} must not be empty")));
    }
    if let Some(key) = map.keys().find(|key| !is_key(key, sign)) {
        return Err(Error::new(format!("{parameter} contains invalid key: Syntax error; key: \"{key}\"")));
    }
    Ok(map.into_iter().map(|(key, meaning)| (key, Given { meaning, used: false })).collect())
}

/// Whether the key is the sign and then letters, digits and underscores.
fn is_key(key: &str, sign: u8) -> bool {
    match key.as_bytes() {
        [first, rest @ ..] => {
            *first == sign
                && !rest.is_empty()
                && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        }
        [] => false,
    }
}

fn refuse_unused<T>(parameter: &str, map: &BTreeMap<String, Given<T>>) -> Result<(), Error> {
    let unused: Vec<&str> =
        map.iter().filter(|(_, given)| !given.used).map(|(key, _)| key.as_str()).collect();
    if unused.is_empty() {
        return Ok(());
    }
    let keys = unused.join(", ");
    Err(Error::new(format!("Value provided in {parameter} unused in expressions: keys: {{{keys}}}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], values: &[&str], expected: Result<(), &str>) {
        let names = names.iter().map(|key| (key.to_string(), "n".to_string())).collect();
        let values = values.iter().map(|key| (key.to_string(), Value::Null)).collect();
        let got = Placeholders::new(Some(names), Some(values)).map(|_| ());
        assert_eq!(got.map_err(|error| error.to_string()), expected.map_err(str::to_string));
    }

    #[test]
    fn keys_are_a_sign_and_a_word() {
        check(&["#a", "#_1"], &[":a", ":4g"], Ok(()));
        check(&[], &[], Err("ExpressionAttributeNames must not be empty"));
        check(&["#a"], &[], Err("ExpressionAttributeValues must not be empty"));
        for key in ["a", "#", "", "#a-b", ":a", "#ü", "##a"] {
            let expected =
                format!("ExpressionAttributeNames contains invalid key: Syntax error; key: \"{key}\"");
            check(&[key], &[":a"], Err(&expected));
        }
        check(
            &["#a"],
            &["a"],
            Err("ExpressionAttributeValues contains invalid key: Syntax error; key: \"a\""),
        );
    }

    #[test]
    fn unused_keys_are_listed() {
        let names =
            BTreeMap::from([("#a".to_string(), "a".to_string()), ("#b".to_string(), "b".to_string())]);
        let values = BTreeMap::from([(":v".to_string(), Value::Null)]);
        let mut placeholders = Placeholders::new(Some(names), Some(values)).unwrap();
        let message = |placeholders: &Placeholders| placeholders.finish().unwrap_err().to_string();
        assert_eq!(
            message(&placeholders),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}"
        );
        placeholders.name(Kind::Filter, "#a").unwrap();
        placeholders.name(Kind::Filter, "#b").unwrap();
        assert_eq!(
            message(&placeholders),
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}"
        );
        placeholders.value(Kind::Filter, ":v").unwrap();
        assert_eq!(placeholders.finish(), Ok(()));
    }
}
