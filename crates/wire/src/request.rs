//! One operation's request as the model describes it, and the order in which its layers of checks answer.
//! Knows no operation by name.

use op::{Error, Kind};

use crate::fault::Fault;
use crate::fields::Fields;
use crate::json::{self, Json, ParseError};
use crate::rule::{self, Rule};
use crate::shape::{self, Member};
use crate::value::TOO_DEEP;

/// What the model says of a request.
pub(crate) struct Request {
    /// The name of the structure.
    pub(crate) input: &'static str,
    /// Its members.
    pub(crate) members: &'static [Member],
    /// Constraints; the first stage with a violation answers.
    pub(crate) stages: &'static [&'static [Rule]],
    /// Whether the operation's own refusals have a count in front. OBSERVED: since 2026 those of single writes do.
    pub(crate) counted: bool,
}

impl Request {
    /// Decodes a body. A body that is in order is read once. One that is refused is read again against the model,
    /// because a wrong type anywhere is told before a constraint anywhere, and that before the operation's own rules.
    pub(crate) fn decode<T>(
        &self,
        body: &[u8],
        decode: impl FnOnce(Fields<'_, '_>) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        let tree = parse(body)?;
        match Fields::of(&tree).and_then(decode) {
            Ok(operation) => {
                // What the fast way takes, the model must take too, or the two have drifted apart.
                #[cfg(test)]
                assert_eq!(self.check(&tree), Ok(()), "{}", String::from_utf8_lossy(body));
                Ok(operation)
            }
            Err(fault) => Err(self.refuse(&tree, fault)),
        }
    }

    /// Decodes a body of an operation that is seldom asked for. The model is read first, so that the decoder need not
    /// repeat its constraints.
    pub(crate) fn decode_checked<T>(
        &self,
        body: &[u8],
        decode: impl FnOnce(Fields<'_, '_>) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        let tree = parse(body)?;
        self.check(&tree)?;
        Fields::of(&tree).and_then(decode).map_err(|fault| fault.error)
    }

    /// Refuses what the model refuses.
    fn check(&self, tree: &Json<'_>) -> Result<(), Error> {
        shape::check(self.input, self.members, tree)?;
        match tree {
            Json::Map(pairs) => rule::check(self.stages, self.members, pairs),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::List(_) => Ok(()),
        }
    }

    fn refuse(&self, tree: &Json<'_>, fault: Fault) -> Error {
        if let Err(error) = self.check(tree) {
            return error;
        }
        let mut error = fault.error;
        if self.counted && !fault.bare && error.kind == Kind::Validation {
            error.message.insert_str(0, "1 validation error detected: ");
        }
        error
    }
}

fn parse(body: &[u8]) -> Result<Json<'_>, Error> {
    match json::parse(body) {
        Ok(Json::Null) => Ok(Json::Map(Vec::new())),
        Ok(tree) => Ok(tree),
        Err(ParseError::Malformed) => Err(Error::new(Kind::Serialization, "")),
        Err(ParseError::TooDeep) => Err(Error::validation(TOO_DEEP)),
    }
}
