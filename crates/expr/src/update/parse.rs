//! The grammar of updates: text to sections, with the checks that need no placeholders.
//! Knows no values and no items.

use crate::syntax::{RawCall, RawOperand, RawPath};
use crate::token::{Token, Tokens};
use crate::{Error, Kind};

/// LIMIT: parentheses and calls inside each other. Each call is an operator, of which an expression may have 300.
const DEPTH_MAX: usize = 300;

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
    let mut parser = Parser { tokens, depth: 0, redundant: false, actions: Vec::new(), sections: Vec::new() };
    parser.sections()?;
    if parser.redundant {
        return Err(Kind::Update.error("The expression has redundant parentheses;"));
    }
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
    depth: usize,
    redundant: bool,
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
                RawChange::Set(self.expression()?.0)
            }
            Section::Add => RawChange::Add(self.tokens.expect(Token::Value)?),
            Section::Delete => RawChange::Delete(self.tokens.expect(Token::Value)?),
            Section::Remove => RawChange::Remove,
        };
        self.actions.push(RawAction { path, change });
        Ok(())
    }

    /// An operand, a sum or a difference, and whether parentheses stand around it.
    fn expression(&mut self) -> Result<(RawExpression<'a>, bool), Error> {
        let (left, wrapped) = self.term()?;
        let RawExpression::Operand(left) = left else { return Ok((left, wrapped)) };
        if self.tokens.accept(Token::Plus) {
            return Ok((RawExpression::Plus(left, self.operand()?.0), false));
        }
        if self.tokens.accept(Token::Minus) {
            return Ok((RawExpression::Minus(left, self.operand()?.0), false));
        }
        Ok((RawExpression::Operand(left), wrapped))
    }

    fn term(&mut self) -> Result<(RawExpression<'a>, bool), Error> {
        if self.tokens.peek() != Token::Open {
            let (operand, wrapped) = self.operand()?;
            return Ok((RawExpression::Operand(operand), wrapped));
        }
        self.enter()?;
        let (inner, wrapped) = self.expression()?;
        self.leave(wrapped)?;
        Ok((inner, true))
    }

    /// An operand, and whether parentheses stand around it.
    fn operand(&mut self) -> Result<(RawOperand<'a>, bool), Error> {
        if self.tokens.peek() == Token::Open {
            self.enter()?;
            let (operand, wrapped) = self.operand()?;
            self.leave(wrapped)?;
            return Ok((operand, true));
        }
        let operand = if RawCall::is_next(&self.tokens) {
            let function = self.tokens.take();
            self.enter()?;
            let mut operands = vec![self.operand()?.0];
            while self.tokens.accept(Token::Comma) {
                operands.push(self.operand()?.0);
            }
            self.leave(false)?;
            RawOperand::Call(RawCall { function, operands })
        } else if self.tokens.peek() == Token::Value {
            RawOperand::Value(self.tokens.take())
        } else {
            RawOperand::Path(RawPath::parse(&mut self.tokens)?)
        };
        Ok((operand, false))
    }

    fn enter(&mut self) -> Result<(), Error> {
        self.tokens.expect(Token::Open)?;
        self.depth += 1;
        if self.depth <= DEPTH_MAX {
            return Ok(());
        }
        if !self.tokens.is_balanced() {
            return Err(self.tokens.error_at_end());
        }
        Err(Kind::Update.error("The expression has redundant parentheses;"))
    }

    fn leave(&mut self, wrapped: bool) -> Result<(), Error> {
        self.tokens.expect(Token::Close)?;
        self.depth -= 1;
        self.redundant |= wrapped;
        Ok(())
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
