//! Operations on recovery to a point in time. Each file has the request's model, `decode`, and `encode` where the
//! answer is its own.

pub(crate) mod describe_continuous_backups;
pub(crate) mod overrides;
pub(crate) mod restore_table_to_point_in_time;
#[cfg(test)]
mod tests;
pub(crate) mod update_continuous_backups;
