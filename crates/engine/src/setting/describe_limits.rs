//! DescribeLimits.

use op::{Limits, Output};

pub(crate) fn run() -> Output {
    Output::Limits(Limits {
        account_read_max: 80_000,
        account_write_max: 80_000,
        table_read_max: 40_000,
        table_write_max: 40_000,
    })
}
