//! The grammar of conditions: text to a tree, with the checks that need no placeholders.
//! Knows no values and no items.

use super::Comparator;
use crate::syntax::{RawCall, RawOperand, RawPath};
use crate::token::{Token, Tokens};
use crate::{Error, Kind};

/// LIMIT: operators and functions of an expression.
const OPERATORS_MAX: usize = 300;
/// LIMIT: parentheses and calls inside each other. Every pair that is not redundant holds an operator of its own, so
/// no expression within the limit of operators is deeper.
const DEPTH_MAX: usize = OPERATORS_MAX + 4;

/// A condition in the text.
#[derive(Debug)]
pub(crate) enum Node<'a> {
    Operand(RawOperand<'a>),
    Compare(Comparator, RawOperand<'a>, RawOperand<'a>),
    Between(RawOperand<'a>, RawOperand<'a>, RawOperand<'a>),
    In(RawOperand<'a>, Vec<RawOperand<'a>>),
    And(Vec<Node<'a>>),
    Or(Vec<Node<'a>>),
    Not(Box<Node<'a>>),
}

/// Reads a condition and checks what can be checked without placeholders.
///
/// OBSERVED: the checks go over the whole expression one after the other: syntax, parentheses, functions, reserved
/// words.
pub(super) fn parse(kind: Kind, text: &str) -> Result<Node<'_>, Error> {
    let tokens = Tokens::new(kind, text)?;
    let mut parser = Parser { tokens, depth: 0, operators: 0, redundant: false };
    let parsed = parser.or()?;
    parser.require_condition(&parsed.node)?;
    parser.tokens.expect(Token::End)?;
    if parser.redundant {
        return Err(redundant_parentheses(kind));
    }
    if parser.operators > OPERATORS_MAX {
        return Err(too_many_operators(kind, parser.operators));
    }
    check_functions(kind, &parsed.node)?;
    parsed.node.each_path(&mut |path| path.check_words(kind))?;
    Ok(parsed.node)
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    depth: usize,
    operators: usize,
    redundant: bool,
}

/// A node, and whether parentheses stand around it.
struct Parsed<'a> {
    node: Node<'a>,
    wrapped: bool,
}

impl<'a> Parsed<'a> {
    fn bare(node: Node<'a>) -> Parsed<'a> {
        Parsed { node, wrapped: false }
    }
}

impl<'a> Parser<'a> {
    fn or(&mut self) -> Result<Parsed<'a>, Error> {
        let first = self.and()?;
        if self.tokens.peek() != Token::Or {
            return Ok(first);
        }
        self.require_condition(&first.node)?;
        let mut nodes = vec![first.node];
        while self.tokens.accept(Token::Or) {
            self.operators += 1;
            let next = self.and()?.node;
            self.require_condition(&next)?;
            nodes.push(next);
        }
        Ok(Parsed::bare(Node::Or(nodes)))
    }

    fn and(&mut self) -> Result<Parsed<'a>, Error> {
        let first = self.not()?;
        if self.tokens.peek() != Token::And {
            return Ok(first);
        }
        self.require_condition(&first.node)?;
        let mut nodes = vec![first.node];
        while self.tokens.accept(Token::And) {
            self.operators += 1;
            let next = self.not()?.node;
            self.require_condition(&next)?;
            nodes.push(next);
        }
        Ok(Parsed::bare(Node::And(nodes)))
    }

    fn not(&mut self) -> Result<Parsed<'a>, Error> {
        let mut negations = 0_usize;
        while self.tokens.accept(Token::Not) {
            negations += 1;
        }
        self.operators += negations;
        let parsed = self.comparison()?;
        if negations == 0 {
            return Ok(parsed);
        }
        self.require_condition(&parsed.node)?;
        // A chain longer than the limit of operators is refused in the end; the tree need not be deeper.
        let kept = if negations > OPERATORS_MAX { 1 } else { negations };
        let node = (0..kept).fold(parsed.node, |node, _| Node::Not(Box::new(node)));
        Ok(Parsed::bare(node))
    }

    fn comparison(&mut self) -> Result<Parsed<'a>, Error> {
        let parsed = self.primary()?;
        let token = self.tokens.peek();
        let comparator = comparator(token);
        if comparator.is_none() && token != Token::Between && token != Token::In {
            return Ok(parsed);
        }
        let Node::Operand(left) = parsed.node else { return Err(self.tokens.syntax_error()) };
        self.tokens.take();
        self.operators += 1;
        let node = if let Some(comparator) = comparator {
            Node::Compare(comparator, left, self.operand()?)
        } else if token == Token::Between {
            let low = self.operand()?;
            self.tokens.expect(Token::And)?;
            Node::Between(left, low, self.operand()?)
        } else {
            self.tokens.expect(Token::Open)?;
            Node::In(left, self.operands()?)
        };
        Ok(Parsed::bare(node))
    }

    fn primary(&mut self) -> Result<Parsed<'a>, Error> {
        if self.tokens.peek() != Token::Open {
            return self.operand().map(|operand| Parsed::bare(Node::Operand(operand)));
        }
        self.enter()?;
        let mut inner = self.or()?;
        self.leave(inner.wrapped)?;
        if let Node::Operand(operand) = &mut inner.node {
            self.continue_path(operand)?;
        }
        Ok(Parsed { node: inner.node, wrapped: true })
    }

    fn operand(&mut self) -> Result<RawOperand<'a>, Error> {
        self.wrapped_operand().map(|(operand, _)| operand)
    }

    /// An operand, and whether parentheses stand around it.
    fn wrapped_operand(&mut self) -> Result<(RawOperand<'a>, bool), Error> {
        if self.tokens.peek() == Token::Open {
            self.enter()?;
            let (mut operand, wrapped) = self.wrapped_operand()?;
            self.leave(wrapped)?;
            self.continue_path(&mut operand)?;
            return Ok((operand, true));
        }
        let operand = if RawCall::is_next(&self.tokens) {
            let function = self.tokens.take();
            self.operators += 1;
            self.enter()?;
            let operands = self.operands()?;
            self.depth -= 1;
            RawOperand::Call(RawCall { function, operands })
        } else if self.tokens.peek() == Token::Value {
            RawOperand::Value(self.tokens.take())
        } else {
            RawOperand::Path(RawPath::parse(&mut self.tokens)?)
        };
        Ok((operand, false))
    }

    /// One or more operands up to the closing parenthesis.
    fn operands(&mut self) -> Result<Vec<RawOperand<'a>>, Error> {
        let mut operands = vec![self.operand()?];
        while self.tokens.accept(Token::Comma) {
            operands.push(self.operand()?);
        }
        self.tokens.expect(Token::Close)?;
        Ok(operands)
    }

    /// OBSERVED: a path in parentheses may go on behind them.
    fn continue_path(&mut self, operand: &mut RawOperand<'a>) -> Result<(), Error> {
        match operand {
            RawOperand::Path(path) => path.parse_steps(&mut self.tokens),
            RawOperand::Value(_) | RawOperand::Call(_) => Ok(()),
        }
    }

    fn enter(&mut self) -> Result<(), Error> {
        self.tokens.expect(Token::Open)?;
        self.depth += 1;
        if self.depth <= DEPTH_MAX {
            return Ok(());
        }
        let kind = self.tokens.kind();
        Err(if !self.tokens.is_balanced() {
            self.tokens.error_at_end()
        } else if self.operators > OPERATORS_MAX {
            too_many_operators(kind, self.operators)
        } else {
            redundant_parentheses(kind)
        })
    }

    fn leave(&mut self, wrapped: bool) -> Result<(), Error> {
        self.tokens.expect(Token::Close)?;
        self.depth -= 1;
        self.redundant |= wrapped;
        Ok(())
    }

    /// Refuses a value where a condition must stand; a function may be either until its name is looked at.
    fn require_condition(&self, node: &Node<'a>) -> Result<(), Error> {
        match node {
            Node::Operand(RawOperand::Path(_) | RawOperand::Value(_)) => Err(self.tokens.syntax_error()),
            Node::Operand(RawOperand::Call(_))
            | Node::Compare(..)
            | Node::Between(..)
            | Node::In(..)
            | Node::And(_)
            | Node::Or(_)
            | Node::Not(_) => Ok(()),
        }
    }
}

fn comparator(token: Token) -> Option<Comparator> {
    const COMPARATORS: [(Token, Comparator); 6] = [
        (Token::Equal, Comparator::Equal),
        (Token::NotEqual, Comparator::NotEqual),
        (Token::Less, Comparator::Less),
        (Token::LessOrEqual, Comparator::LessOrEqual),
        (Token::Greater, Comparator::Greater),
        (Token::GreaterOrEqual, Comparator::GreaterOrEqual),
    ];
    COMPARATORS.iter().find(|(candidate, _)| *candidate == token).map(|(_, comparator)| *comparator)
}

fn redundant_parentheses(kind: Kind) -> Error {
    kind.error("The expression has redundant parentheses;")
}

fn too_many_operators(kind: Kind, count: usize) -> Error {
    kind.error(&format!("The expression contains too many operators; operator count: {count}"))
}

/// Where a function stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Condition,
    Operand,
}

/// Refuses unknown functions, and known ones where they may not stand.
fn check_functions(kind: Kind, node: &Node<'_>) -> Result<(), Error> {
    match node {
        Node::Operand(operand) => check_operand(kind, operand, Place::Condition),
        Node::Compare(_, a, b) => [a, b].iter().try_for_each(|a| check_operand(kind, a, Place::Operand)),
        Node::Between(a, b, c) => [a, b, c].iter().try_for_each(|a| check_operand(kind, a, Place::Operand)),
        Node::In(a, others) => {
            check_operand(kind, a, Place::Operand)?;
            others.iter().try_for_each(|other| check_operand(kind, other, Place::Operand))
        }
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().try_for_each(|node| check_functions(kind, node)),
        Node::Not(node) => check_functions(kind, node),
    }
}

fn check_operand(kind: Kind, operand: &RawOperand<'_>, place: Place) -> Result<(), Error> {
    let RawOperand::Call(call) = operand else { return Ok(()) };
    let function = call.function;
    let fits = match function {
        "size" => place == Place::Operand,
        "attribute_exists" | "attribute_not_exists" | "attribute_type" | "begins_with" | "contains" => {
            place == Place::Condition
        }
        "if_not_exists" | "list_append" => {
            let text = "The function is not allowed in a condition expression; function: ";
            return Err(kind.error(&format!("{text}{function}")));
        }
        _ => return Err(kind.error(&format!("Invalid function name; function: {function}"))),
    };
    if !fits {
        let text = "The function is not allowed to be used this way in an expression; function: ";
        return Err(kind.error(&format!("{text}{function}")));
    }
    call.operands.iter().try_for_each(|operand| check_operand(kind, operand, Place::Operand))
}

impl<'a> Node<'a> {
    /// Calls `visit` on every path, in the order of the text.
    fn each_path(&self, visit: &mut dyn FnMut(&RawPath<'a>) -> Result<(), Error>) -> Result<(), Error> {
        match self {
            Node::Operand(operand) => operand.each_path(visit),
            Node::Compare(_, a, b) => [a, b].iter().try_for_each(|operand| operand.each_path(visit)),
            Node::Between(a, b, c) => [a, b, c].iter().try_for_each(|operand| operand.each_path(visit)),
            Node::In(a, others) => {
                a.each_path(visit)?;
                others.iter().try_for_each(|operand| operand.each_path(visit))
            }
            Node::And(nodes) | Node::Or(nodes) => nodes.iter().try_for_each(|node| node.each_path(visit)),
            Node::Not(node) => node.each_path(visit),
        }
    }
}
