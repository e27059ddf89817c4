//! DescribeLimits.

use op::{DescribeLimits, Error, Limits, Operation};

use crate::request::Request;
use crate::write::Object;

static REQUEST: Request = Request { input: "DescribeLimitsInput", members: &[], stages: &[], counted: false };

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, |_| Ok(DescribeLimits)).map(Operation::DescribeLimits)
}

pub(crate) fn encode(output: &Limits, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.number("AccountMaxReadCapacityUnits", output.account_read_max);
    object.number("AccountMaxWriteCapacityUnits", output.account_write_max);
    object.number("TableMaxReadCapacityUnits", output.table_read_max);
    object.number("TableMaxWriteCapacityUnits", output.table_write_max);
    object.end();
}
