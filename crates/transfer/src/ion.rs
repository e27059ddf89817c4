//! Amazon Ion: items as the service writes them, and items of any Ion text or binary. Knows no files.

mod binary;
mod element;
mod text;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use item::{Item, Number, Value};

pub(crate) use binary::{BinaryRecords, MARKER};
pub(crate) use text::TextRecords;

/// Appends a struct: `{Id:1.,Name:"a"}`.
pub(crate) fn write_item(out: &mut Vec<u8>, item: &Item) {
    out.push(b'{');
    for (place, (name, value)) in item.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_symbol(out, name);
        out.push(b':');
        write_value(out, value);
    }
    out.push(b'}');
}

fn write_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::S(text) => write_quoted(out, text, '"'),
        Value::N(number) => write_number(out, *number),
        Value::B(bytes) => write_blob(out, bytes),
        Value::Bool(flag) => out.extend_from_slice(if *flag { b"true" } else { b"false" }),
        Value::Null => out.extend_from_slice(b"null"),
        Value::Ss(members) => {
            out.extend_from_slice(b"$dynamodb_SS::");
            write_list(out, members, |out, text| write_quoted(out, text, '"'));
        }
        Value::Ns(members) => {
            out.extend_from_slice(b"$dynamodb_NS::");
            write_list(out, members, |out, number| write_number(out, *number));
        }
        Value::Bs(members) => {
            out.extend_from_slice(b"$dynamodb_BS::");
            write_list(out, members, |out, bytes| write_blob(out, bytes));
        }
        Value::L(values) => write_list(out, values, write_value),
        Value::M(map) => write_item(out, map),
    }
}

fn write_list<T>(out: &mut Vec<u8>, members: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    out.push(b'[');
    for (place, member) in members.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write(out, member);
    }
    out.push(b']');
}

/// A decimal, in the notation that shows exactly its digits: `103.`, `6d2`, `1.5`, `-2d-7`.
pub(crate) fn write_number(out: &mut Vec<u8>, number: Number) {
    let (mantissa, exponent) = number.parts();
    let fraction = usize::from(exponent.unsigned_abs());
    let text = if exponent == 0 {
        format!("{mantissa}.")
    } else if exponent < 0 && number.digits() as usize > fraction {
        number.to_string()
    } else {
        format!("{mantissa}d{exponent}")
    };
    out.extend_from_slice(text.as_bytes());
}

fn write_blob(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(b"{{");
    out.extend_from_slice(STANDARD.encode(bytes).as_bytes());
    out.extend_from_slice(b"}}");
}

/// A name, in quotes unless it is an identifier of the language.
fn write_symbol(out: &mut Vec<u8>, name: &str) {
    let identifier = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
        && !name.bytes().next().is_none_or(|byte| byte.is_ascii_digit());
    let keyword = matches!(name, "null" | "true" | "false" | "nan");
    // `$7` would be the seventh symbol of a table, and some readers stop there in `$7a`.
    let numbered = name
        .strip_prefix('$')
        .is_some_and(|rest| rest.bytes().next().is_none_or(|byte| byte.is_ascii_digit()));
    if identifier && !keyword && !numbered {
        out.extend_from_slice(name.as_bytes());
    } else {
        write_quoted(out, name, '\'');
    }
}

fn write_quoted(out: &mut Vec<u8>, text: &str, quote: char) {
    let mut encoded = [0; 4];
    out.extend_from_slice(quote.encode_utf8(&mut encoded).as_bytes());
    for letter in text.chars() {
        match letter {
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            _ if letter == quote => {
                out.push(b'\\');
                out.extend_from_slice(letter.encode_utf8(&mut encoded).as_bytes());
            }
            _ if letter < ' ' || letter == '\u{7f}' => {
                out.extend_from_slice(format!("\\x{:02x}", u32::from(letter)).as_bytes());
            }
            _ => out.extend_from_slice(letter.encode_utf8(&mut encoded).as_bytes()),
        }
    }
    out.extend_from_slice(quote.encode_utf8(&mut encoded).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_written_as_the_service_does() {
        for (number, expected) in [
            ("103", "103."),
            ("600", "6d2"),
            ("2000", "2d3"),
            ("0", "0."),
            ("1.5", "1.5"),
            ("-12.25", "-12.25"),
            ("0.5", "5d-1"),
            ("0.0000007", "7d-7"),
            ("1E-130", "1d-130"),
            ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678."),
        ] {
            let mut out = Vec::new();
            write_number(&mut out, Number::parse(number).unwrap());
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
        for (name, expected) in [
            ("Id", "Id"),
            ("a b", "'a b'"),
            ("null", "'null'"),
            ("$7", "'$7'"),
            ("$7a", "'$7a'"),
            ("$", "'$'"),
            ("$a", "$a"),
            ("it's", "'it\\'s'"),
        ] {
            let mut out = Vec::new();
            write_symbol(&mut out, name);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
