//! DescribeEndpoints.

use op::{DescribeEndpoints, Endpoints};

use crate::request::Request;
use crate::write::{Object, list};

pub(crate) static REQUEST: Request =
    Request { input: "DescribeEndpointsRequest", members: &[], stages: &[], counted: false };

pub(crate) fn decode(host: &str) -> DescribeEndpoints {
    DescribeEndpoints { host: host.to_owned() }
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
