//! Text to tokens, and the syntax error at a token. Knows no grammar.

use crate::{Error, Kind};

/// LIMIT: bytes of an expression.
const EXPRESSION_BYTES_MAX: usize = 4096;

/// What a piece of the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    Word,
    Name,
    Value,
    Number,
    And,
    Or,
    Not,
    Between,
    In,
    Set,
    Remove,
    Add,
    Delete,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Comma,
    Dot,
    Plus,
    Minus,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// A character that no expression has.
    Unknown,
    End,
}

#[derive(Debug, Clone, Copy)]
struct Span {
    token: Token,
    start: usize,
    end: usize,
}

/// A cursor over the tokens of an expression.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    kind: Kind,
    text: &'a str,
    spans: Vec<Span>,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(kind: Kind, text: &'a str) -> Result<Tokens<'a>, Error> {
        if text.len() > EXPRESSION_BYTES_MAX {
            let echo = format!(" expression size: {}", text.len());
            return Err(kind.error_with_echo("Expression size has exceeded the maximum allowed size;", &echo));
        }
        let mut spans = Vec::with_capacity(text.len() / 3 + 1);
        let mut start = 0;
        while let Some((token, end)) = next_token(text, &mut start) {
            spans.push(Span { token, start, end });
            start = end;
        }
        if spans.is_empty() {
            return Err(kind.error("The expression can not be empty;"));
        }
        Ok(Tokens { kind, text, spans, at: 0 })
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// The token under the cursor.
    pub(crate) fn peek(&self) -> Token {
        self.token_at(self.at)
    }

    /// The token after the one under the cursor.
    pub(crate) fn peek_after(&self) -> Token {
        self.token_at(self.at + 1)
    }

    /// The text of the token under the cursor, which is then passed.
    pub(crate) fn take(&mut self) -> &'a str {
        let text = self.text_between(self.at, self.at);
        self.at += 1;
        text
    }

    /// Passes the token if it is the one.
    pub(crate) fn accept(&mut self, token: Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.at += 1;
        }
        found
    }

    /// Passes the token, which must be the one.
    pub(crate) fn expect(&mut self, token: Token) -> Result<&'a str, Error> {
        if self.peek() == token { Ok(self.take()) } else { Err(self.syntax_error()) }
    }

    /// The error that points at the token under the cursor and shows its neighbours.
    pub(crate) fn syntax_error(&self) -> Error {
        let token = if self.at < self.spans.len() { self.text_between(self.at, self.at) } else { "<EOF>" };
        let first = self.at.saturating_sub(1);
        let last = (self.at + 1).min(self.spans.len().saturating_sub(1));
        let near = self.text_between(first, last);
        self.kind.error(&format!("Syntax error; token: \"{token}\", near: \"{near}\""))
    }

    /// The syntax error at the end of the text, whatever the cursor.
    pub(crate) fn error_at_end(&mut self) -> Error {
        self.at = self.spans.len();
        self.syntax_error()
    }

    /// Whether as many parentheses close as open.
    pub(crate) fn is_balanced(&self) -> bool {
        let count = |token: Token| self.spans.iter().filter(|span| span.token == token).count();
        count(Token::Open) == count(Token::Close)
    }

    fn token_at(&self, at: usize) -> Token {
        self.spans.get(at).map_or(Token::End, |span| span.token)
    }

    fn text_between(&self, first: usize, last: usize) -> &'a str {
        let range = self.spans.get(first).zip(self.spans.get(last));
        range.and_then(|(first, last)| self.text.get(first.start..last.end)).unwrap_or("")
    }
}

/// The next token and its end; `start` is moved over blanks to its beginning.
fn next_token(text: &str, start: &mut usize) -> Option<(Token, usize)> {
    let bytes = text.as_bytes();
    while let Some(b' ' | b'\t' | b'\r' | b'\n') = bytes.get(*start) {
        *start += 1;
    }
    let at = *start;
    let second = bytes.get(at + 1).copied();
    let one = |token| Some((token, at + 1));
    match bytes.get(at).copied()? {
        b'(' => one(Token::Open),
        b')' => one(Token::Close),
        b'[' => one(Token::OpenBracket),
        b']' => one(Token::CloseBracket),
        b',' => one(Token::Comma),
        b'.' => one(Token::Dot),
        b'+' => one(Token::Plus),
        b'-' => one(Token::Minus),
        b'=' => one(Token::Equal),
        b'<' if second == Some(b'>') => Some((Token::NotEqual, at + 2)),
        b'<' if second == Some(b'=') => Some((Token::LessOrEqual, at + 2)),
        b'<' => one(Token::Less),
        b'>' if second == Some(b'=') => Some((Token::GreaterOrEqual, at + 2)),
        b'>' => one(Token::Greater),
        b'#' if second.is_some_and(is_word_byte) => Some((Token::Name, word_end(bytes, at + 1))),
        b':' if second.is_some_and(is_word_byte) => Some((Token::Value, word_end(bytes, at + 1))),
        b'0'..=b'9' => {
            let rest = bytes.get(at..).unwrap_or(&[]);
            Some((Token::Number, at + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()))
        }
        byte if byte.is_ascii_alphabetic() || byte == b'_' => {
            let end = word_end(bytes, at);
            Some((keyword(text.get(at..end).unwrap_or("")), end))
        }
        _ => {
            let character = text.get(at..).and_then(|rest| rest.chars().next());
            Some((Token::Unknown, at + character.map_or(1, char::len_utf8)))
        }
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn word_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    from + rest.iter().take_while(|byte| is_word_byte(**byte)).count()
}

/// OBSERVED: the words of every grammar are keywords in all of them, in any case.
fn keyword(word: &str) -> Token {
    const KEYWORDS: [(&str, Token); 9] = [
        ("AND", Token::And),
        ("OR", Token::Or),
        ("NOT", Token::Not),
        ("BETWEEN", Token::Between),
        ("IN", Token::In),
        ("SET", Token::Set),
        ("REMOVE", Token::Remove),
        ("ADD", Token::Add),
        ("DELETE", Token::Delete),
    ];
    let found = KEYWORDS.iter().find(|(keyword, _)| keyword.eq_ignore_ascii_case(word));
    found.map_or(Token::Word, |(_, token)| *token)
}
