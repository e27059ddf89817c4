//! What every engine must do, and what a disk must survive. One test binary, its rooms are modules.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "in a test a panic is the answer")]

#[path = "contract/any.rs"]
mod any;
#[path = "contract/appended.rs"]
mod appended;
#[path = "contract/crash.rs"]
mod crash;
#[path = "contract/damage.rs"]
mod damage;
#[path = "contract/disk.rs"]
mod disk;
#[path = "contract/load.rs"]
mod load;
#[path = "contract/played.rs"]
mod played;
#[path = "contract/setup.rs"]
mod setup;
