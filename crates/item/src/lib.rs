//! Attribute values: the ten types, numbers of 38 digits, sizes, orders and the stored form.
//! Knows no expressions, no JSON, no tables.

mod number;
mod order;
mod size;
mod stored;
mod value;

pub use number::{Number, NumberError};
pub use order::{append_ordered, append_ordered_prefix};
pub use size::{attribute_bytes, item_bytes, value_bytes};
pub use stored::{Cursor, Stored, View};
pub use value::{Item, Type, Value};
