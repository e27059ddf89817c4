//! Attribute values and items, from JSON and to JSON. Knows no operations.

use std::collections::BTreeSet;

use bytes::Bytes;
use item::{Cursor, Item, Number, NumberError, Stored, Type, Value, View};
use op::limits;

use crate::base64;
use crate::fault::Fault;
use crate::fields::{Pairs, flag, list, pairs, text};
use crate::json::{Json, write_text};

/// The service words some refusals of values differently since 2026; batches of writes, transactions and Scan kept
/// the older words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wording {
    Newer,
    Older,
}

/// Why a value is refused.
#[derive(Debug)]
pub(crate) struct ValueFault {
    pub(crate) fault: Fault,
    /// Whether a placeholder's name is put around the text.
    pub(crate) named: Named,
}

/// Whether a refused value of `ExpressionAttributeValues` is reported with the placeholder's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    Always,
    InOlderWording,
    Never,
}

impl From<ValueFault> for Fault {
    fn from(fault: ValueFault) -> Fault {
        fault.fault
    }
}

impl From<Fault> for ValueFault {
    fn from(fault: Fault) -> ValueFault {
        ValueFault { fault, named: Named::Never }
    }
}

fn refused(message: impl Into<String>, named: Named) -> ValueFault {
    ValueFault { fault: Fault::invalid(message), named }
}

fn refused_parameter(detail: impl std::fmt::Display, named: Named) -> ValueFault {
    refused(format!("One or more parameter values were invalid: {detail}"), named)
}

/// The text about values that are nested too deep.
pub(crate) const TOO_DEEP: &str = "Nesting Levels have exceeded supported limits: Attributes in the item have nested \
                                   levels beyond supported limit";

/// Reads the attributes of an item or a key.
pub(crate) fn decode_item(pairs: &Pairs<'_>, wording: Wording) -> Result<Item, Fault> {
    Ok(decode_map(pairs, wording, limits::NESTING_MAX)?)
}

/// Reads a single value, which is going to be an attribute of an item.
pub(crate) fn decode(value: &Json<'_>, wording: Wording) -> Result<Value, ValueFault> {
    decode_nested(value, wording, limits::NESTING_MAX - 1)
}

/// `levels` is how many maps and lists may still lie in each other, this map among them.
fn decode_map(pairs: &Pairs<'_>, wording: Wording, levels: usize) -> Result<Item, ValueFault> {
    let levels = levels.checked_sub(1).ok_or_else(|| refused(TOO_DEEP, Named::Never))?;
    let mut item = Item::new();
    for (name, value) in pairs {
        if name.is_empty() {
            return Err(refused("Empty attribute name", Named::Never));
        }
        item.insert(name.to_string(), decode_nested(value, wording, levels)?);
    }
    Ok(item)
}

fn decode_nested(value: &Json<'_>, wording: Wording, levels: usize) -> Result<Value, ValueFault> {
    const EMPTY: &str =
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
    const MANY: &str = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the \
                        supported datatypes";
    if matches!(value, Json::Null) {
        return Err(Fault::bare(EMPTY).into());
    }
    let mut decoded = None;
    let mut count = 0;
    for (name, content) in pairs(value)? {
        let Some(kind) = Type::from_name(name) else { continue };
        if matches!(content, Json::Null) {
            continue;
        }
        decoded = Some(decode_typed(kind, content, wording, levels)?);
        count += 1;
    }
    match decoded {
        None => Err(Fault::bare(EMPTY).into()),
        Some(_) if count > 1 => Err(Fault::bare(MANY).into()),
        Some(value) => Ok(value),
    }
}

fn decode_typed(
    kind: Type,
    content: &Json<'_>,
    wording: Wording,
    levels: usize,
) -> Result<Value, ValueFault> {
    Ok(match kind {
        Type::S => Value::S(text(content)?.to_owned()),
        Type::N => Value::N(number(text(content)?, wording)?),
        Type::B => Value::B(blob(content)?),
        Type::Bool => Value::Bool(flag(content)?),
        Type::Null => {
            if !flag(content)? {
                let detail = "Null attribute value types must have the value of true";
                return Err(refused_parameter(detail, Named::Never));
            }
            Value::Null
        }
        // OBSERVED: sets are answered in their own order, whatever order they are sent in.
        Type::Ss => Value::Ss(string_set(list(content)?, wording)?),
        Type::Ns => Value::Ns(number_set(list(content)?, wording)?),
        Type::Bs => Value::Bs(binary_set(list(content)?, wording)?),
        Type::L => {
            let levels = levels.checked_sub(1).ok_or_else(|| refused(TOO_DEEP, Named::Never))?;
            let values = list(content)?.iter().map(|value| decode_nested(value, wording, levels));
            Value::L(values.collect::<Result<_, _>>()?)
        }
        Type::M => Value::M(decode_map(pairs(content)?, wording, levels)?),
    })
}

fn number(text: &str, wording: Wording) -> Result<Number, ValueFault> {
    parse_number(text).map_err(|error| {
        let message = match error {
            NumberError::NotANumber if text.is_empty() && wording == Wording::Older => {
                "The parameter cannot be converted to a numeric value".into()
            }
            NumberError::NotANumber => {
                format!("The parameter cannot be converted to a numeric value: {text}")
            }
            NumberError::TooPrecise => {
                "Attempting to store more than 38 significant digits in a Number".into()
            }
            NumberError::Overflow => {
                "Number overflow. Attempting to store a number with magnitude larger than supported range"
                    .into()
            }
            NumberError::Underflow => {
                "Number underflow. Attempting to store a number with magnitude smaller than supported range"
                    .into()
            }
        };
        refused(message, Named::InOlderWording)
    })
}

/// OBSERVED: exponents have 64 bits, and zero is in range or not by the exponent it is written with.
fn parse_number(text: &str) -> Result<Number, NumberError> {
    let number = Number::parse(text);
    let Some((_, exponent)) = text.split_once(['e', 'E']) else { return number };
    match (number, exponent.parse::<i64>()) {
        (Ok(Number::ZERO), Ok(exponent)) if exponent > limits::NUMBER_EXPONENT_MAX => {
            Err(NumberError::Overflow)
        }
        (Ok(Number::ZERO), Ok(exponent)) if exponent < limits::NUMBER_EXPONENT_MIN => {
            Err(NumberError::Underflow)
        }
        (Err(NumberError::Overflow | NumberError::Underflow), Err(_)) => Err(NumberError::NotANumber),
        (number, _) => number,
    }
}

fn blob(value: &Json<'_>) -> Result<Bytes, Fault> {
    Ok(base64::decode(text(value)?).map_err(|_| Fault::wrong_type())?.into())
}

fn string_set(members: &[Json<'_>], wording: Wording) -> Result<Vec<String>, ValueFault> {
    if members.is_empty() {
        return Err(refused_parameter("An string set  may not be empty", Named::Always));
    }
    let mut texts: Vec<&str> = members.iter().map(text).collect::<Result<_, _>>()?;
    if let Some(repeat) = first_repeat(&texts) {
        let echo = match wording {
            Wording::Newer => {
                texts.get_mut(..repeat).unwrap_or_default().sort_unstable();
                format!("[{}]", quoted(&texts).join(", "))
            }
            Wording::Older => format!("[{}]", texts.join(", ")),
        };
        let detail = format!("Input collection {echo} contains duplicates.");
        return Err(refused_parameter(detail, Named::InOlderWording));
    }
    texts.sort_unstable();
    Ok(texts.into_iter().map(str::to_owned).collect())
}

fn number_set(members: &[Json<'_>], wording: Wording) -> Result<Vec<Number>, ValueFault> {
    if members.is_empty() {
        return Err(refused_parameter("An number set  may not be empty", Named::Always));
    }
    let mut numbers = Vec::with_capacity(members.len());
    for member in members {
        numbers.push(number(text(member)?, wording)?);
    }
    if first_repeat(&numbers).is_some() {
        return Err(match wording {
            Wording::Newer => refused_parameter("Input collection contains duplicates.", Named::Never),
            Wording::Older => refused("Input collection contains duplicates", Named::InOlderWording),
        });
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn binary_set(members: &[Json<'_>], wording: Wording) -> Result<Vec<Bytes>, ValueFault> {
    if members.is_empty() {
        return Err(refused_parameter("Binary sets should not be empty", Named::Always));
    }
    let mut blobs: Vec<Bytes> = members.iter().map(blob).collect::<Result<_, _>>()?;
    if let Some(repeat) = first_repeat(&blobs) {
        let mut texts: Vec<&str> = members.iter().map(text).collect::<Result<_, _>>()?;
        let echo = match wording {
            Wording::Newer => {
                // The texts in the order of the bytes they stand for, which is not their own order.
                texts.get_mut(..repeat).unwrap_or_default().sort_by_key(|text| base64::decode(text).ok());
                format!("[{}]", quoted(&texts).join(","))
            }
            Wording::Older => format!("[{}]", texts.join(", ")),
        };
        let detail = format!("Input collection {echo}of type BS contains duplicates.");
        return Err(refused_parameter(detail, Named::InOlderWording));
    }
    blobs.sort_unstable();
    Ok(blobs)
}

fn quoted(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| format!("\"{text}\"")).collect()
}

/// The place of the first member that was there before. OBSERVED: the newer words list what comes before it in order.
fn first_repeat<T: Ord>(members: &[T]) -> Option<usize> {
    let mut seen = BTreeSet::new();
    members.iter().position(|member| !seen.insert(member))
}

/// Writes an item in its stored form. Bytes that are no item end the writing where they stop making sense; the store
/// checks its blocks, so there are none.
pub(crate) fn write_stored(item: &Stored, out: &mut Vec<u8>) {
    let mut cursor = item.cursor();
    let count = cursor.count().unwrap_or(0);
    write_stored_map(&mut cursor, count, out);
}

fn write_stored_map(cursor: &mut Cursor<'_>, count: usize, out: &mut Vec<u8>) {
    out.push(b'{');
    for place in 0..count {
        let Some(name) = cursor.text() else { break };
        separate(place, out);
        write_text(name, out);
        out.push(b':');
        write_stored_value(cursor, out);
    }
    out.push(b'}');
}

fn write_stored_value(cursor: &mut Cursor<'_>, out: &mut Vec<u8>) {
    match cursor.view() {
        Some(View::S(text)) => write_typed(Type::S, out, |out| write_text(text, out)),
        Some(View::N(number)) => write_typed(Type::N, out, |out| write_number(number, out)),
        Some(View::B(bytes)) => write_typed(Type::B, out, |out| write_blob(bytes, out)),
        Some(View::Bool(truth)) => write_typed(Type::Bool, out, |out| write_flag(truth, out)),
        Some(View::Null) | None => write_typed(Type::Null, out, |out| write_flag(true, out)),
        Some(View::Ss(count)) => write_typed(Type::Ss, out, |out| {
            write_list((0..count).map_while(|_| cursor.text()), out, write_text);
        }),
        Some(View::Ns(count)) => write_typed(Type::Ns, out, |out| {
            write_list((0..count).map_while(|_| cursor.number()), out, write_number);
        }),
        Some(View::Bs(count)) => write_typed(Type::Bs, out, |out| {
            write_list((0..count).map_while(|_| cursor.text()), out, write_blob);
        }),
        Some(View::L(count)) => write_typed(Type::L, out, |out| {
            write_list(0..count, out, |_, out| write_stored_value(cursor, out));
        }),
        Some(View::M(count)) => write_typed(Type::M, out, |out| write_stored_map(cursor, count, out)),
    }
}

/// Writes an item.
pub(crate) fn write_item(item: &Item, out: &mut Vec<u8>) {
    out.push(b'{');
    for (place, (name, value)) in item.iter().enumerate() {
        separate(place, out);
        write_text(name.as_bytes(), out);
        out.push(b':');
        write_value(value, out);
    }
    out.push(b'}');
}

/// Writes a value.
pub(crate) fn write_value(value: &Value, out: &mut Vec<u8>) {
    write_typed(value.type_of(), out, |out| match value {
        Value::S(text) => write_text(text.as_bytes(), out),
        Value::N(number) => write_number(*number, out),
        Value::B(bytes) => write_blob(bytes, out),
        Value::Bool(truth) => write_flag(*truth, out),
        Value::Null => write_flag(true, out),
        Value::Ss(members) => write_list(members, out, |member, out| write_text(member.as_bytes(), out)),
        Value::Ns(members) => write_list(members, out, |member, out| write_number(*member, out)),
        Value::Bs(members) => write_list(members, out, |member, out| write_blob(member, out)),
        Value::L(values) => write_list(values, out, write_value),
        Value::M(map) => write_item(map, out),
    });
}

fn write_typed(kind: Type, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(b"{\"");
    out.extend_from_slice(kind.name().as_bytes());
    out.extend_from_slice(b"\":");
    write(out);
    out.push(b'}');
}

fn write_list<T>(
    members: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (place, member) in members.into_iter().enumerate() {
        separate(place, out);
        write(member, out);
    }
    out.push(b']');
}

fn separate(place: usize, out: &mut Vec<u8>) {
    if place > 0 {
        out.push(b',');
    }
}

fn write_number(number: Number, out: &mut Vec<u8>) {
    use std::io::Write;
    out.push(b'"');
    // Writing to memory cannot fail.
    let _ = write!(out, "{number}");
    out.push(b'"');
}

fn write_blob(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    base64::encode(bytes, out);
    out.push(b'"');
}

fn write_flag(truth: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if truth { b"true" } else { b"false" });
}
