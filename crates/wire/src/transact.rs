//! Operations on many items that succeed together. Each file has the request's model, `decode` and `encode`.

pub(crate) mod digest;
#[cfg(test)]
mod tests;
pub(crate) mod transact_get_items;
pub(crate) mod transact_write_items;
