//! A fixed number of seeds of every kind; the model must agree with every answer. And faults that are built into the disk
//! must be found.

use sim::{Flaw, Place, crowd, live, play};

fn all(seeds: std::ops::Range<u64>, steps: usize, place: Place) {
    let differences: Vec<String> = seeds.filter_map(|seed| play(seed, steps, place).err()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn a_crowd_agrees_with_the_model_whatever_happens_to_the_disk() {
    let differences: Vec<String> = (1..81).filter_map(|seed| crowd(seed, 200, Flaw::None).err()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for seed in [3, 7, 11] {
        let run = || crowd(seed, 200, Flaw::None).map(|played| played.trace);
        assert_eq!(run(), run(), "seed {seed}");
    }
    assert_ne!(crowd(3, 50, Flaw::None), crowd(4, 50, Flaw::None));
}

/// One of a few seeds must find a flaw, and in a way that fits it.
fn finds(flaw: Flaw, differences: &[&str]) {
    let found = (1..20).find_map(|seed| crowd(seed, 200, flaw).err());
    let found = found.unwrap_or_else(|| panic!("{flaw:?} is not found"));
    assert!(differences.iter().any(|difference| found.contains(difference)), "{flaw:?}: {found}");
}

#[test]
fn a_disk_that_acknowledges_early_is_found() {
    finds(Flaw::AcknowledgesEarly, &["that were durable are lost", "the commits that survived"]);
}

#[test]
fn a_disk_that_forgets_a_synced_commit_is_found() {
    finds(Flaw::ForgetsSynced, &["differs", "was due", "is there", "not there", "missing"]);
}

#[test]
fn a_disk_that_replays_a_torn_commit_is_found() {
    finds(Flaw::ReplaysTorn, &["differs", "was due", "is there", "not there", "missing"]);
}

#[test]
fn a_disk_that_shows_what_is_not_durable_is_found() {
    finds(Flaw::ShowsEarly, &["differs"]);
}

#[test]
fn the_memory_engine_agrees_with_the_model() {
    all(1..81, 150, Place::Memory);
}

#[test]
fn the_disk_engine_agrees_with_the_model_also_after_restarts() {
    all(1001..1009, 150, Place::Disk);
}

#[test]
fn what_was_can_be_had_again() {
    let differences: Vec<String> = (1..61).filter_map(|seed| live(seed, 80, Place::Memory).err()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn what_was_can_be_had_again_from_a_disk_also_after_restarts() {
    let differences: Vec<String> = (1..4).filter_map(|seed| live(seed, 80, Place::Disk).err()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}
