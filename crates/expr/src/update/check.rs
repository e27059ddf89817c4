//! Looks placeholders up and refuses paths and operands that cannot fit, whatever the item. Knows no items.

use item::{Type, Value};

use super::parse::{RawAction, RawChange, RawExpression};
use super::{Action, Change, Expression, Source};
use crate::path::Path;
use crate::placeholders::Placeholders;
use crate::syntax::RawOperand;
use crate::{Error, Kind, overlap};

const KIND: Kind = Kind::Update;

/// OBSERVED: the checks go over the whole update one after the other: placeholders, paths, the values of ADD and DELETE,
/// then functions and sums.
pub(super) fn check(raw: &[RawAction<'_>], placeholders: &mut Placeholders) -> Result<Vec<Action>, Error> {
    let resolved = raw.iter().map(|raw| resolve(raw, placeholders)).collect::<Result<Vec<_>, _>>()?;
    overlap::refuse(KIND, &resolved.iter().map(|(path, _)| path).collect::<Vec<_>>())?;
    resolved.iter().try_for_each(|(_, change)| check_value(change))?;
    let actions = resolved.into_iter().map(|(path, change)| {
        let change = match change {
            Looked::Set(terms) => Change::Set(terms.into_expression()?),
            Looked::Remove => Change::Remove,
            Looked::Add(value) => Change::Add(value),
            Looked::Delete(value) => Change::Delete(value),
        };
        Ok(Action { path, change })
    });
    actions.collect()
}

/// A change whose placeholders are looked up and whose functions are not judged yet.
enum Looked<'a> {
    Set(Terms<'a>),
    Remove,
    Add(Value),
    Delete(Value),
}

struct Terms<'a> {
    operator: Option<Operator>,
    first: Term<'a>,
    second: Option<Term<'a>>,
}

#[derive(Clone, Copy)]
enum Operator {
    Plus,
    Minus,
}

enum Term<'a> {
    Path(Path),
    Value(Value),
    Call(&'a str, Vec<Term<'a>>),
}

fn resolve<'a>(raw: &RawAction<'a>, placeholders: &mut Placeholders) -> Result<(Path, Looked<'a>), Error> {
    let path = raw.path.resolve(KIND, placeholders)?;
    let change = match &raw.change {
        RawChange::Set(expression) => {
            let (operator, first, second) = match expression {
                RawExpression::Operand(operand) => (None, operand, None),
                RawExpression::Plus(a, b) => (Some(Operator::Plus), a, Some(b)),
                RawExpression::Minus(a, b) => (Some(Operator::Minus), a, Some(b)),
            };
            let first = term(first, placeholders)?;
            let second = second.map(|operand| term(operand, placeholders)).transpose()?;
            Looked::Set(Terms { operator, first, second })
        }
        RawChange::Remove => Looked::Remove,
        RawChange::Add(key) => Looked::Add(placeholders.value(KIND, key)?),
        RawChange::Delete(key) => Looked::Delete(placeholders.value(KIND, key)?),
    };
    Ok((path, change))
}

fn term<'a>(operand: &RawOperand<'a>, placeholders: &mut Placeholders) -> Result<Term<'a>, Error> {
    match operand {
        RawOperand::Path(path) => path.resolve(KIND, placeholders).map(Term::Path),
        RawOperand::Value(key) => placeholders.value(KIND, key).map(Term::Value),
        RawOperand::Call(call) => {
            let operands = call.operands.iter().map(|operand| term(operand, placeholders));
            Ok(Term::Call(call.function, operands.collect::<Result<_, _>>()?))
        }
    }
}

/// ADD takes numbers and sets, DELETE sets.
fn check_value(change: &Looked<'_>) -> Result<(), Error> {
    let (operator, value, takes_numbers) = match change {
        Looked::Add(value) => ("ADD", value, true),
        Looked::Delete(value) => ("DELETE", value, false),
        Looked::Set(_) | Looked::Remove => return Ok(()),
    };
    let name = match value.type_of() {
        Type::Ss | Type::Ns | Type::Bs => return Ok(()),
        Type::N if takes_numbers => return Ok(()),
        Type::N => "NUMBER",
        Type::S => "STRING",
        Type::B => "BINARY",
        Type::Bool => "BOOL",
        Type::Null => "NULL",
        Type::L => "LIST",
        Type::M => "MAP",
    };
    // OBSERVED: the set of types has this name in the message of DELETE, too.
    Err(KIND.error(&format!(
        "Incorrect operand type for operator or function; operator: {operator}, operand type: {name}, typeSet: \
         ALLOWED_FOR_ADD_OPERAND"
    )))
}

impl Terms<'_> {
    fn into_expression(self) -> Result<Expression, Error> {
        let first = self.first.into_source()?;
        let second = self.second.map(Term::into_source).transpose()?;
        let (Some(operator), Some(second)) = (self.operator, second) else {
            return Ok(Expression::Source(first));
        };
        let sign = match operator {
            Operator::Plus => "+",
            Operator::Minus => "-",
        };
        require_type(sign, [&first, &second], Type::N)?;
        Ok(match operator {
            Operator::Plus => Expression::Plus(first, second),
            Operator::Minus => Expression::Minus(first, second),
        })
    }
}

impl Term<'_> {
    fn into_source(self) -> Result<Source, Error> {
        match self {
            Term::Path(path) => Ok(Source::Path(path)),
            Term::Value(value) => Ok(Source::Value(value)),
            Term::Call(function, operands) => call(function, operands),
        }
    }
}

fn call(function: &str, operands: Vec<Term<'_>>) -> Result<Source, Error> {
    let count = operands.len();
    let mut sources = operands.into_iter().map(Term::into_source);
    let (Some(first), Some(second), None) = (sources.next(), sources.next(), sources.next()) else {
        return Err(KIND.error(&format!(
            "Incorrect number of operands for operator or function; operator or function: {function}, number of \
             operands: {count}"
        )));
    };
    let (first, second) = (first?, second?);
    if function == "list_append" {
        require_type(function, [&first, &second], Type::L)?;
        return Ok(Source::ListAppend(Box::new(first), Box::new(second)));
    }
    match first {
        Source::Path(path) => Ok(Source::IfNotExists(path, Box::new(second))),
        Source::Value(_) | Source::IfNotExists(..) | Source::ListAppend(..) => Err(KIND.error(&format!(
            "Operator or function requires a document path; operator or function: {function}"
        ))),
    }
}

/// Refuses given values of another type; what an item holds is judged when it is read.
fn require_type(operator: &str, sources: [&Source; 2], wanted: Type) -> Result<(), Error> {
    let types = sources.into_iter().filter_map(|source| match source {
        Source::Value(value) => Some(value.type_of()),
        Source::Path(_) | Source::IfNotExists(..) | Source::ListAppend(..) => None,
    });
    match types.into_iter().find(|found| *found != wanted) {
        Some(found) => Err(KIND.error(&format!(
            "Incorrect operand type for operator or function; operator or function: {operator}, operand type: {}",
            found.name()
        ))),
        None => Ok(()),
    }
}
