//! DescribeEndpoints.

use op::{DescribeEndpoints, Endpoints, Error, Operation};

use crate::fields::Fields;
use crate::request::Request;
use crate::write::{Object, list};

static REQUEST: Request =
    Request { input: "DescribeEndpointsRequest", members: &[], stages: &[], counted: false };

pub(crate) fn decode(body: &[u8], host: &str) -> Result<Operation, Error> {
    let read = |_: Fields<'_, '_>| Ok(DescribeEndpoints { host: host.to_owned() });
    REQUEST.decode(body, read).map(Operation::DescribeEndpoints)
}

pub(crate) fn encode(output: &Endpoints, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    list([output], object.key("Endpoints"), |endpoint, out| {
        let mut written = Object::begin(out);
        written.text("Address", &endpoint.address);
        written.number("CachePeriodInMinutes", endpoint.cache_period_minutes);
        written.end();
    });
    object.end();
}
