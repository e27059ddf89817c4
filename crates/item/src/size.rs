//! Bytes as the service counts them.

use crate::{Item, Number, Value};

/// What a list or a map costs beside its content, and each of their elements.
const NESTED_BYTES: usize = 3;
const ELEMENT_BYTES: usize = 1;

/// The size of an item: names and values.
pub fn item_bytes(item: &Item) -> usize {
    item.iter().map(|(name, value)| attribute_bytes(name, value)).sum()
}

/// The size of one attribute: its name and its value.
pub fn attribute_bytes(name: &str, value: &Value) -> usize {
    name.len() + value_bytes(value)
}

/// The size of a value.
pub fn value_bytes(value: &Value) -> usize {
    match value {
        Value::S(text) => text.len(),
        Value::N(number) => number_bytes(*number),
        Value::B(bytes) => bytes.len(),
        Value::Ss(members) => members.iter().map(String::len).sum(),
        Value::Ns(members) => members.iter().map(|number| number_bytes(*number)).sum(),
        Value::Bs(members) => members.iter().map(|bytes| bytes.len()).sum(),
        Value::Bool(_) | Value::Null => 1,
        Value::L(values) => {
            NESTED_BYTES + values.iter().map(|value| ELEMENT_BYTES + value_bytes(value)).sum::<usize>()
        }
        Value::M(map) => {
            NESTED_BYTES
                + map.iter().map(|(name, value)| ELEMENT_BYTES + attribute_bytes(name, value)).sum::<usize>()
        }
    }
}

/// OBSERVED: a number takes a byte, a byte for each pair of digits as they stand around the decimal point, and a
/// byte for a minus sign.
fn number_bytes(number: Number) -> usize {
    let (mantissa, _) = number.parts();
    if mantissa == 0 {
        return 1;
    }
    let digits = number.digits() as usize;
    let split_pair = usize::from(digits.is_multiple_of(2) && number.magnitude() % 2 == 0);
    1 + digits.div_ceil(2) + split_pair + usize::from(number.is_negative())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_a_byte_for_two_digits() {
        for (text, expected) in
            [("0", 1), ("1", 2), ("12", 2), ("120", 3), ("123", 3), ("-1", 3), ("1234", 3), ("12340", 4)]
        {
            assert_eq!(number_bytes(Number::parse(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn nested_values_take_three_and_one_for_each_element() {
        let list = Value::L(vec![Value::S("ab".into()), Value::Null]);
        assert_eq!(value_bytes(&list), 3 + (1 + 2) + (1 + 1));
        let map = Value::M(Item::from([("k".to_string(), Value::S("ab".into()))]));
        assert_eq!(value_bytes(&map), 3 + 1 + 1 + 2);
    }
}
