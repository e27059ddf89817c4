//! Document paths and function calls as they are written, before placeholders are looked up.
//! Knows neither conditions nor updates.

use crate::path::{Path, Step};
use crate::placeholders::Placeholders;
use crate::reserved::is_reserved;
use crate::token::{Token, Tokens};
use crate::{Error, Kind};

/// LIMIT: elements of a document path.
const PATH_ELEMENTS_MAX: usize = 32;
/// LIMIT: the last place a path may name in a list.
const INDEX_MAX: usize = i32::MAX as usize;

/// A path in the text.
#[derive(Debug)]
pub(crate) struct RawPath<'a> {
    root: &'a str,
    steps: Vec<RawStep<'a>>,
}

#[derive(Debug)]
enum RawStep<'a> {
    Name(&'a str),
    Index(&'a str),
}

/// Something that has a value: what conditions compare and updates assign.
#[derive(Debug)]
pub(crate) enum RawOperand<'a> {
    Path(RawPath<'a>),
    Value(&'a str),
    Call(RawCall<'a>),
}

/// A function and its operands.
#[derive(Debug)]
pub(crate) struct RawCall<'a> {
    pub(crate) function: &'a str,
    pub(crate) operands: Vec<RawOperand<'a>>,
}

impl<'a> RawPath<'a> {
    pub(crate) fn parse(tokens: &mut Tokens<'a>) -> Result<RawPath<'a>, Error> {
        let mut path = RawPath { root: name(tokens)?, steps: Vec::new() };
        path.parse_steps(tokens)?;
        Ok(path)
    }

    /// Reads the steps that follow.
    pub(crate) fn parse_steps(&mut self, tokens: &mut Tokens<'a>) -> Result<(), Error> {
        loop {
            if tokens.accept(Token::Dot) {
                self.steps.push(RawStep::Name(name(tokens)?));
            } else if tokens.accept(Token::OpenBracket) {
                self.steps.push(RawStep::Index(tokens.expect(Token::Number)?));
                tokens.expect(Token::CloseBracket)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Refuses reserved words.
    pub(crate) fn check_words(&self, kind: Kind) -> Result<(), Error> {
        let steps = self.steps.iter().filter_map(|step| match step {
            RawStep::Name(name) => Some(*name),
            RawStep::Index(_) => None,
        });
        match std::iter::once(self.root).chain(steps).find(|word| is_reserved(word)) {
            Some(word) => {
                Err(kind.error(&format!("Attribute name is a reserved keyword; reserved keyword: {word}")))
            }
            None => Ok(()),
        }
    }

    /// Looks the placeholders up.
    pub(crate) fn resolve(&self, kind: Kind, placeholders: &mut Placeholders) -> Result<Path, Error> {
        let mut path = Path::attribute(resolve_name(self.root, kind, placeholders)?);
        path.steps.reserve_exact(self.steps.len());
        for step in &self.steps {
            path.steps.push(match step {
                RawStep::Name(name) => Step::Name(resolve_name(name, kind, placeholders)?),
                RawStep::Index(digits) => Step::Index(resolve_index(digits, kind)?),
            });
        }
        let elements = path.steps.len() + 1;
        if elements > PATH_ELEMENTS_MAX {
            return Err(kind.error(&format!(
                "The document path has too many nesting elements; nesting levels: {elements}"
            )));
        }
        Ok(path)
    }
}

impl<'a> RawCall<'a> {
    /// Whether a function call begins here.
    pub(crate) fn is_next(tokens: &Tokens<'a>) -> bool {
        tokens.peek() == Token::Word && tokens.peek_after() == Token::Open
    }

    /// Calls `visit` on every path below, in the order of the text.
    pub(crate) fn each_path(
        &self,
        visit: &mut dyn FnMut(&RawPath<'a>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.operands.iter().try_for_each(|operand| operand.each_path(visit))
    }
}

impl<'a> RawOperand<'a> {
    /// Calls `visit` on every path below, in the order of the text.
    pub(crate) fn each_path(
        &self,
        visit: &mut dyn FnMut(&RawPath<'a>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self {
            RawOperand::Path(path) => visit(path),
            RawOperand::Value(_) => Ok(()),
            RawOperand::Call(call) => call.each_path(visit),
        }
    }
}

fn name<'a>(tokens: &mut Tokens<'a>) -> Result<&'a str, Error> {
    if matches!(tokens.peek(), Token::Word | Token::Name) {
        Ok(tokens.take())
    } else {
        Err(tokens.syntax_error())
    }
}

fn resolve_name(word: &str, kind: Kind, placeholders: &mut Placeholders) -> Result<String, Error> {
    if word.starts_with('#') { placeholders.name(kind, word) } else { Ok(word.to_string()) }
}

fn resolve_index(digits: &str, kind: Kind) -> Result<usize, Error> {
    match digits.parse::<usize>() {
        Ok(index) if index <= INDEX_MAX => Ok(index),
        _ => Err(kind.error(&format!("List index is not within the allowable range; index: [{digits}]"))),
    }
}
