//! What the changes of a destination have in common. Knows no operation.

use op::{DestinationStatus, KinesisDestinationChange, Precision};

use crate::fault::Fault;
use crate::fields::Fields;
use crate::shape::{Member, Shape};
use crate::write::Object;

pub(crate) const CONFIGURATION: &[Member] = &[("ApproximateCreationDateTimePrecision", &Shape::Text)];
pub(crate) const PRECISION_NAMES: &[&str] = &["MILLISECOND", "MICROSECOND"];
const PRECISIONS: &[(&str, Precision)] =
    &[("MILLISECOND", Precision::Millisecond), ("MICROSECOND", Precision::Microsecond)];

/// The precision in a configuration of this name.
pub(crate) fn precision(fields: Fields<'_, '_>, name: &str) -> Result<Option<Precision>, Fault> {
    match fields.fields(name)? {
        Some(configuration) => configuration.choice("ApproximateCreationDateTimePrecision", PRECISIONS),
        None => Ok(None),
    }
}

/// Writes what a change led to, with the configuration under this name.
pub(crate) fn write(change: &KinesisDestinationChange, configuration: &'static str, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("TableName", &change.table);
    object.text("StreamArn", &change.stream);
    object.text("DestinationStatus", status(change.status));
    if change.precision.is_some() {
        let mut written = Object::begin(object.key(configuration));
        write_precision(change.precision, &mut written);
        written.end();
    }
    object.end();
}

pub(crate) fn write_precision(precision: Option<Precision>, object: &mut Object<'_>) {
    let name = match precision {
        None => return,
        Some(Precision::Millisecond) => "MILLISECOND",
        Some(Precision::Microsecond) => "MICROSECOND",
    };
    object.text("ApproximateCreationDateTimePrecision", name);
}

pub(crate) fn status(status: DestinationStatus) -> &'static str {
    match status {
        DestinationStatus::Enabling => "ENABLING",
        DestinationStatus::Active => "ACTIVE",
        DestinationStatus::Disabling => "DISABLING",
        DestinationStatus::Disabled => "DISABLED",
        DestinationStatus::EnableFailed => "ENABLE_FAILED",
        DestinationStatus::Updating => "UPDATING",
    }
}
