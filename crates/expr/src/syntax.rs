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

/// LIMIT: operators and functions of an expression.
const OPERATORS_MAX: usize = 300;

/// What is counted while an expression is read and judged when it has been.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Operators and functions.
    pub(crate) operators: usize,
    /// Whether parentheses stand directly inside parentheses.
    pub(crate) redundant: bool,
}

impl Tally {
    pub(crate) fn check(&self, kind: Kind) -> Result<(), Error> {
        if self.redundant {
            return Err(kind.error("The expression has redundant parentheses;"));
        }
        if self.operators > OPERATORS_MAX {
            let count = self.operators;
            return Err(
                kind.error(&format!("The expression contains too many operators; operator count: {count}"))
            );
        }
        Ok(())
    }
}

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

    /// Reads the steps that follow; whether there are any.
    pub(crate) fn parse_steps(&mut self, tokens: &mut Tokens<'a>) -> Result<bool, Error> {
        let before = self.steps.len();
        loop {
            if tokens.accept(Token::Dot) {
                self.steps.push(RawStep::Name(name(tokens)?));
            } else if tokens.accept(Token::OpenBracket) {
                self.steps.push(RawStep::Index(tokens.expect(Token::Number)?));
                tokens.expect(Token::CloseBracket)?;
            } else {
                return Ok(self.steps.len() > before);
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

/// What encloses the operand that is being read.
enum Enclosing<'a> {
    Parentheses,
    Call(RawCall<'a>),
}

impl<'a> RawOperand<'a> {
    /// An operand, and whether parentheses stand around it.
    ///
    /// What encloses it is kept on a stack of our own, so that the depth of the text cannot exhaust the machine's.
    pub(crate) fn parse(tokens: &mut Tokens<'a>, tally: &mut Tally) -> Result<(RawOperand<'a>, bool), Error> {
        let mut outer: Vec<Enclosing<'a>> = Vec::new();
        loop {
            if tokens.accept(Token::Open) {
                outer.push(Enclosing::Parentheses);
                continue;
            }
            if tokens.peek() == Token::Word && tokens.peek_after() == Token::Open {
                tally.operators += 1;
                let call = RawCall { function: tokens.take(), operands: Vec::new() };
                tokens.expect(Token::Open)?;
                outer.push(Enclosing::Call(call));
                check_depth(tokens, tally, outer.len())?;
                continue;
            }
            let mut operand = if tokens.peek() == Token::Value {
                RawOperand::Value(tokens.take())
            } else {
                RawOperand::Path(RawPath::parse(tokens)?)
            };
            let mut wrapped = false;
            loop {
                match outer.pop() {
                    None => return Ok((operand, wrapped)),
                    Some(Enclosing::Parentheses) => {
                        tokens.expect(Token::Close)?;
                        tally.redundant |= wrapped;
                        wrapped = !operand.parse_steps(tokens)?;
                    }
                    Some(Enclosing::Call(mut call)) => {
                        call.operands.push(operand);
                        if tokens.accept(Token::Comma) {
                            outer.push(Enclosing::Call(call));
                            break;
                        }
                        tokens.expect(Token::Close)?;
                        operand = RawOperand::Call(call);
                        wrapped = false;
                    }
                }
            }
        }
    }

    /// Reads the steps that follow the parentheses around this operand; whether there are any.
    ///
    /// OBSERVED: in conditions a path in parentheses may go on behind them; in updates it may not.
    pub(crate) fn parse_steps(&mut self, tokens: &mut Tokens<'a>) -> Result<bool, Error> {
        match self {
            RawOperand::Path(path) if tokens.kind() != Kind::Update => path.parse_steps(tokens),
            RawOperand::Path(_) | RawOperand::Value(_) | RawOperand::Call(_) => Ok(false),
        }
    }

    /// Calls `visit` on every path below, in the order of the text.
    pub(crate) fn each_path(
        &self,
        visit: &mut dyn FnMut(&RawPath<'a>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self {
            RawOperand::Path(path) => visit(path),
            RawOperand::Value(_) => Ok(()),
            RawOperand::Call(call) => {
                for operand in &call.operands {
                    operand.each_path(visit)?;
                }
                Ok(())
            }
        }
    }
}

/// Refuses calls that lie deeper in each other than an expression may have operators: the tree of what is accepted is
/// walked by recursion.
fn check_depth(tokens: &mut Tokens<'_>, tally: &Tally, depth: usize) -> Result<(), Error> {
    if depth <= OPERATORS_MAX || tally.operators <= OPERATORS_MAX {
        return Ok(());
    }
    if tokens.is_balanced() { tally.check(tokens.kind()) } else { Err(tokens.error_at_end()) }
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
