//! DescribeEndpoints: the endpoint is the one that was asked.

use op::{DescribeEndpoints, Endpoints, Output};

const CACHE_PERIOD_MINUTES: u64 = 1440;

pub(crate) fn run(request: DescribeEndpoints) -> Output {
    Output::Endpoints(Endpoints { address: request.host, cache_period_minutes: CACHE_PERIOD_MINUTES })
}
