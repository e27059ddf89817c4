//! Looks placeholders up and refuses operands that cannot fit, whatever the item. Knows no items.

use item::{Type, Value};

use super::parse::Node;
use super::{Comparator, Operand, Test};
use crate::placeholders::Placeholders;
use crate::syntax::{RawCall, RawOperand};
use crate::{Error, Kind};

/// LIMIT: operands between the parentheses of IN.
const IN_OPERANDS_MAX: usize = 100;

/// The types in the order in which the service lists them.
const TYPES: &str = "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}";

/// OBSERVED: one pass in the order of the text; each operator first looks its operands up, then judges their number,
/// their types and whether they differ.
pub(super) fn check(kind: Kind, node: &Node<'_>, placeholders: &mut Placeholders) -> Result<Test, Error> {
    Checker { kind, placeholders }.test(node)
}

struct Checker<'p> {
    kind: Kind,
    placeholders: &'p mut Placeholders,
}

impl Checker<'_> {
    fn test(&mut self, node: &Node<'_>) -> Result<Test, Error> {
        match node {
            Node::And(nodes) => {
                nodes.iter().map(|node| self.test(node)).collect::<Result<_, _>>().map(Test::And)
            }
            Node::Or(nodes) => {
                nodes.iter().map(|node| self.test(node)).collect::<Result<_, _>>().map(Test::Or)
            }
            Node::Not(node) => Ok(Test::Not(Box::new(self.test(node)?))),
            Node::Compare(comparator, a, b) => self.compare(*comparator, a, b),
            Node::Between(a, low, high) => self.between(a, low, high),
            Node::In(a, others) => self.within(a, others),
            Node::Operand(RawOperand::Call(call)) => self.function(call),
            // The parser lets only functions stand where a condition must.
            Node::Operand(operand) => Ok(Test::HasType(self.operand(operand)?, Type::Bool)),
        }
    }

    fn compare(
        &mut self,
        comparator: Comparator,
        a: &RawOperand<'_>,
        b: &RawOperand<'_>,
    ) -> Result<Test, Error> {
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        if comparator != Comparator::Equal && comparator != Comparator::NotEqual {
            self.require_type(comparator.sign(), [&a, &b], is_ordered)?;
        }
        self.require_distinct(comparator.sign(), &a, [&b])?;
        Ok(Test::Compare(comparator, a, b))
    }

    fn between(
        &mut self,
        a: &RawOperand<'_>,
        low: &RawOperand<'_>,
        high: &RawOperand<'_>,
    ) -> Result<Test, Error> {
        let (a, low, high) = (self.operand(a)?, self.operand(low)?, self.operand(high)?);
        self.require_type("BETWEEN", [&a, &low, &high], is_ordered)?;
        if let (Operand::Value(low), Operand::Value(high)) = (&low, &high) {
            self.require_range(low, high)?;
        }
        self.require_distinct("BETWEEN", &a, [&low, &high])?;
        Ok(Test::Between(a, low, high))
    }

    fn within(&mut self, a: &RawOperand<'_>, others: &[RawOperand<'_>]) -> Result<Test, Error> {
        let a = self.operand(a)?;
        let others = self.operands(others)?;
        if others.len() > IN_OPERANDS_MAX {
            let text = "The IN operator is provided with too many operands; number of operands: ";
            return Err(self.kind.error(&format!("{text}{}", others.len())));
        }
        self.require_distinct("IN", &a, &others)?;
        Ok(Test::In(a, others))
    }

    fn function(&mut self, call: &RawCall<'_>) -> Result<Test, Error> {
        let function = call.function;
        let operands = self.operands(&call.operands)?;
        let wanted = if function.starts_with("attribute_") && function.ends_with("exists") { 1 } else { 2 };
        self.require_count(function, operands.len(), wanted)?;
        let mut operands = operands.into_iter();
        let (Some(first), second) = (operands.next(), operands.next()) else {
            return Err(self.count_error(function, 0));
        };
        match (function, second) {
            ("attribute_exists", None) => self.require_path(function, first).map(Test::Exists),
            ("attribute_not_exists", None) => self.require_path(function, first).map(Test::NotExists),
            ("attribute_type", Some(second)) => {
                let name = self.type_name(&first, &second)?;
                Ok(Test::HasType(first, name))
            }
            ("begins_with", Some(second)) => {
                self.require_type(function, [&first, &second], |kind| matches!(kind, Type::S | Type::B))?;
                self.require_distinct(function, &first, [&second])?;
                Ok(Test::BeginsWith(first, second))
            }
            (_, Some(second)) => {
                self.require_distinct(function, &first, [&second])?;
                Ok(Test::Contains(first, second))
            }
            (_, None) => Err(self.count_error(function, 1)),
        }
    }

    /// The type that `attribute_type` asks for.
    fn type_name(&self, first: &Operand, second: &Operand) -> Result<Type, Error> {
        self.require_distinct("attribute_type", first, [second])?;
        let Operand::Value(Value::S(name)) = second else {
            let found = second.known_type().map_or(TYPES, Type::name);
            return Err(self.type_error("attribute_type", found));
        };
        Type::from_name(name).ok_or_else(|| {
            let text = format!("Invalid attribute type name found; type: {name}, valid types: {TYPES}");
            self.kind.error(&text)
        })
    }

    fn operands(&mut self, operands: &[RawOperand<'_>]) -> Result<Vec<Operand>, Error> {
        operands.iter().map(|operand| self.operand(operand)).collect()
    }

    fn operand(&mut self, operand: &RawOperand<'_>) -> Result<Operand, Error> {
        match operand {
            RawOperand::Path(path) => path.resolve(self.kind, self.placeholders).map(Operand::Path),
            RawOperand::Value(key) => self.placeholders.value(self.kind, key).map(Operand::Value),
            RawOperand::Call(call) => {
                let mut operands = self.operands(&call.operands)?;
                self.require_count(call.function, operands.len(), 1)?;
                let Some(inner) = operands.pop() else { return Err(self.count_error(call.function, 0)) };
                let has_size = |kind| !matches!(kind, Type::N | Type::Bool | Type::Null);
                self.require_type(call.function, [&inner], has_size)?;
                Ok(Operand::Size(Box::new(inner)))
            }
        }
    }

    fn require_count(&self, function: &str, count: usize, wanted: usize) -> Result<(), Error> {
        if count == wanted { Ok(()) } else { Err(self.count_error(function, count)) }
    }

    fn count_error(&self, function: &str, count: usize) -> Error {
        let text = "Incorrect number of operands for operator or function; operator or function: ";
        self.kind.error(&format!("{text}{function}, number of operands: {count}"))
    }

    fn require_type<'o>(
        &self,
        operator: &str,
        operands: impl IntoIterator<Item = &'o Operand>,
        fits: impl Fn(Type) -> bool,
    ) -> Result<(), Error> {
        let mut types = operands.into_iter().filter_map(Operand::known_type);
        match types.find(|found| !fits(*found)) {
            Some(found) => Err(self.type_error(operator, found.name())),
            None => Ok(()),
        }
    }

    fn type_error(&self, operator: &str, found: &str) -> Error {
        let text = "Incorrect operand type for operator or function; operator or function: ";
        self.kind.error(&format!("{text}{operator}, operand type: {found}"))
    }

    fn require_path(&self, function: &str, operand: Operand) -> Result<crate::Path, Error> {
        match operand {
            Operand::Path(path) => Ok(path),
            Operand::Value(_) | Operand::Size(_) => {
                let text = "Operator or function requires a document path; operator or function: ";
                Err(self.kind.error(&format!("{text}{function}")))
            }
        }
    }

    fn require_distinct<'o>(
        &self,
        operator: &str,
        first: &Operand,
        others: impl IntoIterator<Item = &'o Operand>,
    ) -> Result<(), Error> {
        let Operand::Path(path) = first else { return Ok(()) };
        if others.into_iter().all(|other| other != first) {
            return Ok(());
        }
        let text =
            "The first operand must be distinct from the remaining operands for this operator or function;";
        let path = path.listed();
        Err(self.kind.error(&format!("{text} operator: {operator}, first operand: {path}")))
    }

    fn require_range(&self, low: &Value, high: &Value) -> Result<(), Error> {
        let reason = match super::evaluate::order(low, high) {
            None => "same data type for lower and upper bounds",
            Some(ordering) if ordering.is_gt() => "upper bound to be greater than or equal to lower bound",
            Some(_) => return Ok(()),
        };
        let (low, high) = (shown(low), shown(high));
        Err(self.kind.error(&format!(
            "The BETWEEN operator requires {reason}; lower bound operand: {low}, upper bound operand: {high}"
        )))
    }
}

impl Operand {
    /// The type, if it does not depend on the item.
    fn known_type(&self) -> Option<Type> {
        match self {
            Operand::Path(_) => None,
            Operand::Value(value) => Some(value.type_of()),
            Operand::Size(_) => Some(Type::N),
        }
    }
}

fn is_ordered(found: Type) -> bool {
    matches!(found, Type::S | Type::N | Type::B)
}

/// A scalar as the service prints it in errors.
fn shown(value: &Value) -> String {
    let name = value.type_of().name();
    let text = match value {
        Value::S(text) => text.clone(),
        Value::N(number) => number.to_string(),
        Value::B(bytes) => {
            format!("java.nio.HeapByteBuffer[pos=0 lim={length} cap={length}]", length = bytes.len())
        }
        Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_) => String::new(),
    };
    format!("AttributeValue: {{{name}:{text}}}")
}
