//! Operations that carry items to and from buckets. Each file has the request's model, `decode`, and `encode` where the
//! answer is its own; `export`, `import` and `bulk` have the answers that several share.

mod bucket;
pub(crate) mod bulk;
pub(crate) mod cancel_bulk_operation;
pub(crate) mod describe_bulk_operation;
pub(crate) mod describe_export;
pub(crate) mod describe_import;
pub(crate) mod export;
pub(crate) mod export_table_to_point_in_time;
mod filter;
pub(crate) mod import;
pub(crate) mod import_table;
pub(crate) mod list_bulk_operations;
pub(crate) mod list_exports;
pub(crate) mod list_imports;
pub(crate) mod start_bulk_put_items;
#[cfg(test)]
mod tests;
