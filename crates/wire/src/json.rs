//! JSON as a borrowed tree: reads a body once, bounded in depth, and writes trees back.
//! Knows no operations and no attribute values.

use std::borrow::Cow;

/// How deep arrays and objects may lie in each other. Thirty-two levels of attribute values take about seventy.
const DEPTH_MAX: usize = 200;

/// A JSON value that borrows from the text wherever a string has no escapes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json<'a> {
    Null,
    Bool(bool),
    /// A number as it was written.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    /// Pairs in the order of the text; of equal names the last one counts.
    Map(Vec<(Cow<'a, str>, Json<'a>)>),
}

/// Why a body is not a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParseError {
    /// Not JSON, or not UTF-8.
    Malformed,
    /// JSON that is nested deeper than any request can be.
    TooDeep,
}

/// Reads one value that is the whole of the body.
pub(crate) fn parse(body: &[u8]) -> Result<Json<'_>, ParseError> {
    let text = std::str::from_utf8(body).map_err(|_| ParseError::Malformed)?;
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0 };
    reader.space();
    let value = reader.value(DEPTH_MAX)?;
    reader.space();
    if reader.at == body.len() { Ok(value) } else { Err(ParseError::Malformed) }
}

/// The value of the last pair with this name.
pub(crate) fn member<'t, 'a>(pairs: &'t [(Cow<'a, str>, Json<'a>)], name: &str) -> Option<&'t Json<'a>> {
    pairs.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Steps over one byte if it is the expected one.
    fn take(&mut self, expected: u8) -> bool {
        let found = self.peek() == Some(expected);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json<'a>, ParseError> {
        match self.peek() {
            Some(b'"') => self.string().map(Json::Text),
            Some(b'{') => self.map(depth.checked_sub(1).ok_or(ParseError::TooDeep)?),
            Some(b'[') => self.list(depth.checked_sub(1).ok_or(ParseError::TooDeep)?),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(ParseError::Malformed),
        }
    }

    fn word(&mut self, word: &str, value: Json<'a>) -> Result<Json<'a>, ParseError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return Err(ParseError::Malformed);
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<Json<'a>, ParseError> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') && self.digits() == 0 {
            return Err(ParseError::Malformed);
        }
        if self.take(b'.') && self.digits() == 0 {
            return Err(ParseError::Malformed);
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            if self.digits() == 0 {
                return Err(ParseError::Malformed);
            }
        }
        Ok(Json::Number(self.text.get(start..self.at).unwrap_or_default()))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn list(&mut self, depth: usize) -> Result<Json<'a>, ParseError> {
        self.at += 1;
        self.space();
        let mut values = Vec::new();
        if self.take(b']') {
            return Ok(Json::List(values));
        }
        loop {
            self.space();
            values.push(self.value(depth)?);
            self.space();
            if self.take(b']') {
                return Ok(Json::List(values));
            }
            if !self.take(b',') {
                return Err(ParseError::Malformed);
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Json<'a>, ParseError> {
        self.at += 1;
        self.space();
        if self.take(b'}') {
            return Ok(Json::Map(Vec::new()));
        }
        // Most objects are attribute values, which have one member.
        let mut pairs = Vec::with_capacity(1);
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(ParseError::Malformed);
            }
            let name = self.string()?;
            self.space();
            if !self.take(b':') {
                return Err(ParseError::Malformed);
            }
            self.space();
            pairs.push((name, self.value(depth)?));
            self.space();
            if self.take(b'}') {
                return Ok(Json::Map(pairs));
            }
            if !self.take(b',') {
                return Err(ParseError::Malformed);
            }
        }
    }

    /// A string from its opening quote. Most have no escapes and are borrowed.
    fn string(&mut self) -> Result<Cow<'a, str>, ParseError> {
        self.at += 1;
        let start = self.at;
        self.plain()?;
        if self.take(b'"') {
            return Ok(Cow::Borrowed(self.text.get(start..self.at - 1).unwrap_or_default()));
        }
        let mut owned = self.text.get(start..self.at).unwrap_or_default().to_owned();
        loop {
            if self.take(b'"') {
                return Ok(Cow::Owned(owned));
            }
            owned.push(self.escape()?);
            let start = self.at;
            self.plain()?;
            owned.push_str(self.text.get(start..self.at).unwrap_or_default());
        }
    }

    /// Steps over characters that stand for themselves, up to a quote or an escape.
    fn plain(&mut self) -> Result<(), ParseError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = plain_length(rest);
        self.at += length;
        match rest.get(length) {
            Some(b'"' | b'\\') => Ok(()),
            Some(_) | None => Err(ParseError::Malformed),
        }
    }

    fn escape(&mut self) -> Result<char, ParseError> {
        self.at += 1; // The backslash.
        let escaped = self.peek().ok_or(ParseError::Malformed)?;
        self.at += 1;
        Ok(match escaped {
            b'"' | b'\\' | b'/' => escaped.into(),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return Err(ParseError::Malformed),
        })
    }

    /// The character of `\uXXXX`, or of a pair of surrogates; half a pair is no character.
    fn unicode(&mut self) -> Result<char, ParseError> {
        let first = self.hex()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first).ok_or(ParseError::Malformed);
        }
        if !(self.take(b'\\') && self.take(b'u')) {
            return Err(ParseError::Malformed);
        }
        let second = self.hex()?;
        if !(0xDC00..0xE000).contains(&second) {
            return Err(ParseError::Malformed);
        }
        char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)).ok_or(ParseError::Malformed)
    }

    fn hex(&mut self) -> Result<u32, ParseError> {
        let mut value = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            value = value * 16 + digit.ok_or(ParseError::Malformed)?;
            self.at += 1;
        }
        Ok(value)
    }
}

/// Writes a tree.
pub(crate) fn write(value: &Json<'_>, out: &mut Vec<u8>) {
    match value {
        Json::Null => out.extend_from_slice(b"null"),
        Json::Bool(true) => out.extend_from_slice(b"true"),
        Json::Bool(false) => out.extend_from_slice(b"false"),
        Json::Number(digits) => out.extend_from_slice(digits.as_bytes()),
        Json::Text(text) => write_text(text.as_bytes(), out),
        Json::List(values) => {
            out.push(b'[');
            for (place, value) in values.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write(value, out);
            }
            out.push(b']');
        }
        Json::Map(pairs) => {
            out.push(b'{');
            for (place, (name, value)) in pairs.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_text(name.as_bytes(), out);
                out.push(b':');
                write(value, out);
            }
            out.push(b'}');
        }
    }
}

/// Writes a string of UTF-8 with its quotes.
pub(crate) fn write_text(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text;
    loop {
        let (plain, tail) = rest.split_at(plain_length(rest));
        out.extend_from_slice(plain);
        let Some((&byte, tail)) = tail.split_first() else { break };
        write_escape(byte, out);
        rest = tail;
    }
    out.push(b'"');
}

/// How many bytes from the start stand for themselves in a string: no quote, no backslash, no control character.
/// Looks at eight bytes at once, because most strings are longer than that and most bytes are plain.
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    /// Marks the bytes that are zero; above the first of them it may mark others.
    fn zeros(word: u64) -> u64 {
        word.wrapping_sub(ONES) & !word & HIGHS
    }
    let (words, rest) = bytes.as_chunks::<8>();
    for (place, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let marked =
            controls | zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\')));
        if marked != 0 {
            return place * 8 + marked.trailing_zeros() as usize / 8;
        }
    }
    let is_plain = |byte: &u8| *byte >= 0x20 && *byte != b'"' && *byte != b'\\';
    bytes.len() - rest.len() + rest.iter().take_while(|byte| is_plain(byte)).count()
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        0x08 => out.extend_from_slice(b"\\b"),
        0x0C => out.extend_from_slice(b"\\f"),
        _ => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let written = parse(text.as_bytes()).ok().map(|value| {
            let mut out = Vec::new();
            write(&value, &mut out);
            String::from_utf8(out).unwrap()
        });
        assert_eq!(written.as_deref(), expected, "{text}");
    }

    #[test]
    fn what_is_read_is_written() {
        for text in ["null", "true", "false", "-1.5e+3", "0", "\"\"", "[]", "{}", "[1,[2],{\"a\":\"é\"}]"] {
            check(text, Some(text));
        }
        check(" [ 1 , 2 ] ", Some("[1,2]"));
        check("\"\\u00e9\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\\"\\\\\"", Some("\"é😀/\\b\\f\\n\\r\\t\\\"\\\\\""));
        check("\"a\\u0001\"", Some("\"a\\u0001\""));
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\"}",
            "{\"a\":1,}",
            "{a:1}",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "-",
            "nul",
            "truex",
            "\"",
            "\"\\x\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\\udc00\"",
            "\"\n\"",
            "1 2",
            "[1 2]",
            "\"\\u12\"",
        ] {
            check(text, None);
        }
        assert_eq!(parse(b"\"\xFF\""), Err(ParseError::Malformed));
    }

    #[test]
    fn plain_bytes_are_counted_up_to_the_first_other() {
        for special in [b'"', b'\\', 0, 0x1F, b'\n'] {
            for length in 0..40 {
                for plain in [b'x', 0x20, 0x7F, 0x80, 0xFF, b'!', b'#', b'[', b']'] {
                    let mut bytes = vec![plain; length];
                    assert_eq!(plain_length(&bytes), length);
                    bytes.push(special);
                    bytes.extend([b'"'; 9]);
                    assert_eq!(plain_length(&bytes), length, "{special} {plain}");
                }
            }
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(nested(DEPTH_MAX).as_bytes()).is_ok());
        assert_eq!(parse(nested(DEPTH_MAX + 1).as_bytes()), Err(ParseError::TooDeep));
        assert_eq!(parse("[".repeat(1 << 20).as_bytes()), Err(ParseError::TooDeep));
        assert_eq!(parse("{\"a\":".repeat(1 << 20).as_bytes()), Err(ParseError::TooDeep));
    }

    #[test]
    fn of_equal_names_the_last_counts() {
        let Ok(Json::Map(pairs)) = parse(br#"{"a":1,"b":2,"a":3}"#) else { panic!() };
        assert_eq!(member(&pairs, "a"), Some(&Json::Number("3")));
        assert_eq!(member(&pairs, "c"), None);
    }
}
