//! The grammar of conditions: text to a tree, with the checks that need no placeholders.
//! Knows no values and no items.

use super::Comparator;
use crate::syntax::{RawOperand, RawPath, Tally};
use crate::token::{Token, Tokens};
use crate::{Error, Kind};

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
    let mut parser = Parser { tokens, tally: Tally::default() };
    let node = parser.condition()?;
    parser.tally.check(kind)?;
    check_functions(kind, &node)?;
    node.each_path(&mut |path| path.check_words(kind))?;
    Ok(node)
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    tally: Tally,
}

/// What has been read between a parenthesis, or the beginning, and here.
#[derive(Default)]
struct Level<'a> {
    /// Conditions before the last OR.
    alternatives: Vec<Node<'a>>,
    /// Conditions after it and before the last AND.
    conjuncts: Vec<Node<'a>>,
    /// NOTs before the next condition.
    negations: usize,
}

/// A node, and whether parentheses stand around it.
struct Parsed<'a> {
    node: Node<'a>,
    wrapped: bool,
}

impl<'a> Parser<'a> {
    /// The whole text. Parentheses are kept on a stack of our own, so that their number cannot exhaust the machine's.
    fn condition(&mut self) -> Result<Node<'a>, Error> {
        let mut outer: Vec<Level<'a>> = Vec::new();
        let mut level = Level::default();
        loop {
            while self.tokens.accept(Token::Not) {
                self.tally.operators += 1;
                level.negations += 1;
            }
            if self.tokens.accept(Token::Open) {
                outer.push(std::mem::take(&mut level));
                continue;
            }
            let mut parsed = Parsed { node: Node::Operand(self.operand()?), wrapped: false };
            loop {
                let joined = self.join(&mut level, parsed)?;
                let Some(inner) = joined else { break };
                let Some(enclosing) = outer.pop() else {
                    self.require_condition(&inner.node)?;
                    self.tokens.expect(Token::End)?;
                    return Ok(inner.node);
                };
                self.tokens.expect(Token::Close)?;
                self.tally.redundant |= inner.wrapped;
                level = enclosing;
                parsed = Parsed { node: inner.node, wrapped: true };
                if let Node::Operand(operand) = &mut parsed.node {
                    parsed.wrapped = !operand.parse_steps(&mut self.tokens)?;
                }
            }
        }
    }

    /// Takes a node into its level. The level is complete if neither AND nor OR follows.
    fn join(&mut self, level: &mut Level<'a>, parsed: Parsed<'a>) -> Result<Option<Parsed<'a>>, Error> {
        let Parsed { node, wrapped } = self.compare(parsed)?;
        let negations = std::mem::take(&mut level.negations);
        let next = self.tokens.peek();
        let joins = next == Token::And || next == Token::Or;
        if joins || negations > 0 || !level.is_empty() {
            self.require_condition(&node)?;
        } else {
            return Ok(Some(Parsed { node, wrapped }));
        }
        level.conjuncts.push(negate(node, negations));
        if joins {
            self.tally.operators += 1;
            self.tokens.take();
        }
        if next == Token::And {
            return Ok(None);
        }
        let conjuncts = std::mem::take(&mut level.conjuncts);
        level.alternatives.push(single_or(conjuncts, Node::And));
        if next == Token::Or {
            return Ok(None);
        }
        let alternatives = std::mem::take(&mut level.alternatives);
        Ok(Some(Parsed { node: single_or(alternatives, Node::Or), wrapped: false }))
    }

    /// The comparison that begins with this node, or the node itself.
    fn compare(&mut self, parsed: Parsed<'a>) -> Result<Parsed<'a>, Error> {
        let token = self.tokens.peek();
        let comparator = comparator(token);
        if comparator.is_none() && token != Token::Between && token != Token::In {
            return Ok(parsed);
        }
        let Node::Operand(left) = parsed.node else { return Err(self.tokens.syntax_error()) };
        self.tokens.take();
        self.tally.operators += 1;
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
        Ok(Parsed { node, wrapped: false })
    }

    fn operand(&mut self) -> Result<RawOperand<'a>, Error> {
        RawOperand::parse(&mut self.tokens, &mut self.tally).map(|(operand, _)| operand)
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

impl Level<'_> {
    fn is_empty(&self) -> bool {
        self.alternatives.is_empty() && self.conjuncts.is_empty()
    }
}

fn negate(node: Node<'_>, negations: usize) -> Node<'_> {
    (0..negations).fold(node, |node, _| Node::Not(Box::new(node)))
}

/// The only node, or the one that joins them.
fn single_or<'a>(mut nodes: Vec<Node<'a>>, join: fn(Vec<Node<'a>>) -> Node<'a>) -> Node<'a> {
    match nodes.pop() {
        Some(only) if nodes.is_empty() => only,
        last => {
            nodes.extend(last);
            join(nodes)
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
