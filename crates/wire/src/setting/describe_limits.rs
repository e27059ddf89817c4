//! DescribeLimits.

use op::Limits;

use crate::request::Request;
use crate::write::Object;

pub(crate) static REQUEST: Request =
    Request { input: "DescribeLimitsInput", members: &[], stages: &[], counted: false };

pub(crate) fn encode(output: &Limits, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.number("AccountMaxReadCapacityUnits", output.account_read_max);
    object.number("AccountMaxWriteCapacityUnits", output.account_write_max);
    object.number("TableMaxReadCapacityUnits", output.table_read_max);
    object.number("TableMaxWriteCapacityUnits", output.table_write_max);
    object.end();
}
