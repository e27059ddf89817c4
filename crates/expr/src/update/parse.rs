//! The grammar of updates: text to sections, with the checks that need no placeholders.
//! Knows no values and no items.

use crate::syntax::{RawOperand, RawPath, Tally};
use crate::token::{Token, Tokens};
use crate::{Error, Kind};

/// A change in the text.
#[derive(Debug)]
pub(super) struct RawAction<'a> {
    pub(super) path: RawPath<'a>,
    pub(super) change: RawChange<'a>,
}

#[derive(Debug)]
pub(super) enum RawChange<'a> {
    Set(RawExpression<'a>),
    Remove,
    Add(&'a str),
    Delete(&'a str),
}

/// The right-hand side of SET in the text.
#[derive(Debug)]
pub(super) enum RawExpression<'a> {
    Operand(RawOperand<'a>),
    Plus(RawOperand<'a>, RawOperand<'a>),
    Minus(RawOperand<'a>, RawOperand<'a>),
}

/// Reads an update and checks what can be checked without placeholders.
///
/// OBSERVED: the checks go over the whole expression one after the other: syntax, parentheses, functions, reserved
/// words, sections.
pub(super) fn parse(text: &str) -> Result<Vec<RawAction<'_>>, Error> {
    let tokens = Tokens::new(Kind::Update, text)?;
    let mut parser = Parser { tokens, tally: Tally::default(), actions: Vec::new(), sections: Vec::new() };
    parser.sections()?;
    parser.tally.check(Kind::Update)?;
    parser.actions.iter().try_for_each(check_functions)?;
    parser.actions.iter().try_for_each(check_words)?;
    check_sections(&parser.sections)?;
    Ok(parser.actions)
}

/// A clause of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Set,
    Remove,
    Add,
    Delete,
}

impl Section {
    fn of(token: Token) -> Option<Section> {
        const SECTIONS: [(Token, Section); 4] = [
            (Token::Set, Section::Set),
            (Token::Remove, Section::Remove),
            (Token::Add, Section::Add),
            (Token::Delete, Section::Delete),
        ];
        SECTIONS.iter().find(|(candidate, _)| *candidate == token).map(|(_, section)| *section)
    }

    fn name(self) -> &'static str {
        match self {
            Section::Set => "SET",
            Section::Remove => "REMOVE",
            Section::Add => "ADD",
            Section::Delete => "DELETE",
        }
    }
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    tally: Tally,
    actions: Vec<RawAction<'a>>,
    sections: Vec<Section>,
}

impl<'a> Parser<'a> {
    fn sections(&mut self) -> Result<(), Error> {
        while self.tokens.peek() != Token::End {
            let Some(section) = Section::of(self.tokens.peek()) else {
                return Err(self.tokens.syntax_error());
            };
            self.tokens.take();
            self.sections.push(section);
            self.action(section)?;
            while self.tokens.accept(Token::Comma) {
                self.action(section)?;
            }
        }
        Ok(())
    }

    fn action(&mut self, section: Section) -> Result<(), Error> {
        let path = RawPath::parse(&mut self.tokens)?;
        let change = match section {
            Section::Set => {
                self.tokens.expect(Token::Equal)?;
                RawChange::Set(self.expression()?)
            }
            Section::Add => RawChange::Add(self.tokens.expect(Token::Value)?),
            Section::Delete => RawChange::Delete(self.tokens.expect(Token::Value)?),
            Section::Remove => RawChange::Remove,
        };
        self.actions.push(RawAction { path, change });
        Ok(())
    }

    /// An operand, a sum or a difference.
    ///
    /// The parentheses around a sum and those around its first operand begin alike, so they are counted until the sign
    /// tells them apart.
    fn expression(&mut self) -> Result<RawExpression<'a>, Error> {
        let mut open = 0_usize;
        while self.tokens.accept(Token::Open) {
            open += 1;
        }
        let first = self.operand()?;
        open -= self.close(open);
        let sign = self.tokens.peek();
        if sign != Token::Plus && sign != Token::Minus {
            self.require_closed(open)?;
            return Ok(RawExpression::Operand(first));
        }
        self.tokens.take();
        self.tally.operators += 1;
        let second = self.operand()?;
        open -= self.close(open);
        self.require_closed(open)?;
        Ok(if sign == Token::Plus {
            RawExpression::Plus(first, second)
        } else {
            RawExpression::Minus(first, second)
        })
    }

    fn operand(&mut self) -> Result<RawOperand<'a>, Error> {
        RawOperand::parse(&mut self.tokens, &mut self.tally).map(|(operand, _)| operand)
    }

    /// Passes up to so many closing parentheses, and tells how many. All of them stand around the same thing, so more
    /// than one pair is redundant.
    fn close(&mut self, open: usize) -> usize {
        let mut closed = 0;
        while closed < open && self.tokens.accept(Token::Close) {
            closed += 1;
        }
        self.tally.redundant |= closed > 1;
        closed
    }

    fn require_closed(&self, open: usize) -> Result<(), Error> {
        if open == 0 { Ok(()) } else { Err(self.tokens.syntax_error()) }
    }
}

impl<'a> RawExpression<'a> {
    pub(super) fn operands(&self) -> impl Iterator<Item = &RawOperand<'a>> {
        let (first, second) = match self {
            RawExpression::Operand(operand) => (operand, None),
            RawExpression::Plus(a, b) | RawExpression::Minus(a, b) => (a, Some(b)),
        };
        std::iter::once(first).chain(second)
    }
}

fn check_functions(action: &RawAction<'_>) -> Result<(), Error> {
    match &action.change {
        RawChange::Set(expression) => expression.operands().try_for_each(check_function),
        RawChange::Remove | RawChange::Add(_) | RawChange::Delete(_) => Ok(()),
    }
}

fn check_function(operand: &RawOperand<'_>) -> Result<(), Error> {
    let RawOperand::Call(call) = operand else { return Ok(()) };
    let function = call.function;
    match function {
        "if_not_exists" | "list_append" => call.operands.iter().try_for_each(check_function),
        "attribute_exists"
        | "attribute_not_exists"
        | "attribute_type"
        | "begins_with"
        | "contains"
        | "size" => {
            let text = "The function is not allowed in an update expression; function: ";
            Err(Kind::Update.error(&format!("{text}{function}")))
        }
        _ => Err(Kind::Update.error(&format!("Invalid function name; function: {function}"))),
    }
}

fn check_words(action: &RawAction<'_>) -> Result<(), Error> {
    let mut check = |path: &RawPath<'_>| path.check_words(Kind::Update);
    check(&action.path)?;
    match &action.change {
        RawChange::Set(expression) => {
            expression.operands().try_for_each(|operand| operand.each_path(&mut check))
        }
        RawChange::Remove | RawChange::Add(_) | RawChange::Delete(_) => Ok(()),
    }
}

fn check_sections(sections: &[Section]) -> Result<(), Error> {
    let mut seen = sections.iter().enumerate();
    match seen.find(|(at, section)| sections.iter().take(*at).any(|earlier| earlier == *section)) {
        None => Ok(()),
        Some((_, section)) => {
            let name = section.name();
            let text = format!("The \"{name}\" section can only be used once in an update expression;");
            Err(Kind::Update.error(&text))
        }
    }
}
