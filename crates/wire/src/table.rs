//! Operations on tables. Each file has the request's model and `decode`; `description` writes how a table is described.

pub(crate) mod capacity_rules;
pub(crate) mod create_table;
pub(crate) mod delete_table;
pub(crate) mod describe_table;
pub(crate) mod description;
pub(crate) mod index_rules;
pub(crate) mod list_tables;
pub(crate) mod spec;
#[cfg(test)]
mod tests;
pub(crate) mod together;
pub(crate) mod update_table;
