//! Operations on tables, one file each, and what they share.

pub(crate) mod life;

pub(crate) mod description;

pub(crate) mod definition;

pub(crate) mod create_table;
pub(crate) mod delete_table;
pub(crate) mod describe_table;
pub(crate) mod list_tables;
pub(crate) mod update_table;
