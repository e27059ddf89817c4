//! Reads the members of a JSON object by name and type. Knows which types there are, not what they mean.
//!
//! A null is as good as an absent member. Members that nobody asks for are ignored, as the service ignores them.

use std::borrow::Cow;

use crate::fault::Fault;
use crate::json::{Json, member};

/// The pairs of an object.
pub(crate) type Pairs<'a> = [(Cow<'a, str>, Json<'a>)];

/// The members of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'t, 'a>(pub(crate) &'t Pairs<'a>);

impl<'t, 'a> Fields<'t, 'a> {
    /// The members of a value that must be an object.
    pub(crate) fn of(value: &'t Json<'a>) -> Result<Fields<'t, 'a>, Fault> {
        pairs(value).map(Fields)
    }

    /// A member that is there and not null.
    pub(crate) fn get(self, name: &str) -> Option<&'t Json<'a>> {
        member(self.0, name).filter(|value| !matches!(value, Json::Null))
    }

    /// Whether a member is there and not null.
    pub(crate) fn has(self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(crate) fn text(self, name: &str) -> Result<Option<&'t str>, Fault> {
        self.get(name).map(text).transpose()
    }

    pub(crate) fn flag(self, name: &str) -> Result<Option<bool>, Fault> {
        self.get(name).map(flag).transpose()
    }

    pub(crate) fn integer(self, name: &str) -> Result<Option<i64>, Fault> {
        self.get(name).map(integer).transpose()
    }

    /// A time in milliseconds since 1970.
    pub(crate) fn time(self, name: &str) -> Result<Option<u64>, Fault> {
        self.get(name).map(time).transpose()
    }

    /// How many are asked for: at least one and at most so many, which is also what an absent member means.
    pub(crate) fn count(self, name: &str, most: usize) -> Result<usize, Fault> {
        let asked = self.integer(name)?;
        Ok(asked.map_or(most, |asked| usize::try_from(asked).unwrap_or(1).clamp(1, most)))
    }

    pub(crate) fn list(self, name: &str) -> Result<Option<&'t [Json<'a>]>, Fault> {
        self.get(name).map(list).transpose()
    }

    pub(crate) fn map(self, name: &str) -> Result<Option<&'t Pairs<'a>>, Fault> {
        self.get(name).map(pairs).transpose()
    }

    pub(crate) fn fields(self, name: &str) -> Result<Option<Fields<'t, 'a>>, Fault> {
        self.get(name).map(Fields::of).transpose()
    }

    /// A text that must be one of these.
    pub(crate) fn choice<T: Copy>(self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>, Fault> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match choices.iter().find(|(choice, _)| *choice == text) {
            Some((_, meaning)) => Ok(Some(*meaning)),
            None => Err(Fault::unmet(name)),
        }
    }

    /// A text of one's own.
    pub(crate) fn owned(self, name: &str) -> Result<Option<String>, Fault> {
        Ok(self.text(name)?.map(str::to_owned))
    }

    /// A text that must be there.
    pub(crate) fn required_text(self, name: &str) -> Result<&'t str, Fault> {
        self.text(name)?.ok_or_else(|| Fault::unmet(name))
    }

    /// A list that must be there.
    pub(crate) fn required_list(self, name: &str) -> Result<&'t [Json<'a>], Fault> {
        self.list(name)?.ok_or_else(|| Fault::unmet(name))
    }

    /// A map that must be there.
    pub(crate) fn required_map(self, name: &str) -> Result<&'t Pairs<'a>, Fault> {
        self.map(name)?.ok_or_else(|| Fault::unmet(name))
    }

    /// Texts of a list.
    pub(crate) fn texts(self, name: &str) -> Result<Option<Vec<&'t str>>, Fault> {
        self.list(name)?.map(|values| values.iter().map(text).collect()).transpose()
    }
}

pub(crate) fn text<'t>(value: &'t Json<'_>) -> Result<&'t str, Fault> {
    match value {
        Json::Text(text) => Ok(text),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::List(_) | Json::Map(_) => {
            Err(Fault::wrong_type())
        }
    }
}

/// A truth value; the service takes the words as texts too.
pub(crate) fn flag(value: &Json<'_>) -> Result<bool, Fault> {
    match value {
        Json::Bool(flag) => Ok(*flag),
        Json::Text(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Json::Text(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        Json::Null | Json::Number(_) | Json::Text(_) | Json::List(_) | Json::Map(_) => {
            Err(Fault::wrong_type())
        }
    }
}

/// A whole number; a fraction is cut off, a number too large for 64 bits becomes the largest.
pub(crate) fn integer(value: &Json<'_>) -> Result<i64, Fault> {
    match value {
        Json::Number(digits) => {
            Ok(digits.parse().unwrap_or_else(|_| digits.parse().unwrap_or(0.0_f64) as i64))
        }
        Json::Null | Json::Bool(_) | Json::Text(_) | Json::List(_) | Json::Map(_) => Err(Fault::wrong_type()),
    }
}

/// The last millisecond of the year 9999. What lies outside of the years from 1970 on is drawn to their ends, so that
/// nobody who reckons with times has to think of overflow.
const TIME_MS_MAX: f64 = 253_402_300_799_999.0;

/// A time, sent as seconds since 1970 with a fraction, in milliseconds.
pub(crate) fn time(value: &Json<'_>) -> Result<u64, Fault> {
    match value {
        Json::Number(digits) => {
            let seconds: f64 = digits.parse().unwrap_or(0.0);
            Ok((seconds * 1000.0).round().clamp(0.0, TIME_MS_MAX) as u64)
        }
        Json::Null | Json::Bool(_) | Json::Text(_) | Json::List(_) | Json::Map(_) => Err(Fault::wrong_type()),
    }
}

pub(crate) fn list<'t, 'a>(value: &'t Json<'a>) -> Result<&'t [Json<'a>], Fault> {
    match value {
        Json::List(values) => Ok(values),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::Map(_) => {
            Err(Fault::wrong_type())
        }
    }
}

pub(crate) fn pairs<'t, 'a>(value: &'t Json<'a>) -> Result<&'t Pairs<'a>, Fault> {
    match value {
        Json::Map(pairs) => Ok(pairs),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::List(_) => {
            Err(Fault::wrong_type())
        }
    }
}
