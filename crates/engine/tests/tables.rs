//! Tables from the outside of the engine: their states, their settings, what survives a restart, and indexes that are
//! added while items are written.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "in a test a panic is the answer"
)]

#[path = "tables/backups.rs"]
mod backups;
#[path = "tables/changes.rs"]
mod changes;
#[path = "tables/destinations.rs"]
mod destinations;
#[path = "tables/export_jobs.rs"]
mod export_jobs;
#[path = "tables/exports.rs"]
mod exports;
#[path = "tables/filling.rs"]
mod filling;
#[path = "tables/jobs.rs"]
mod jobs;
#[path = "tables/recovery.rs"]
mod recovery;
#[path = "tables/restarts.rs"]
mod restarts;
#[cfg(target_os = "linux")]
#[path = "tables/room.rs"]
mod room;
#[path = "tables/settings.rs"]
mod settings;
#[path = "tables/spaces.rs"]
mod spaces;
#[path = "tables/states.rs"]
mod states;
#[path = "tables/streams.rs"]
mod streams;
#[path = "tables/world.rs"]
mod world;
