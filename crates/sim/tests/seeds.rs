//! A fixed number of seeds on both engines; the model must agree with every answer.

use sim::{Place, live, play};

fn all(seeds: std::ops::Range<u64>, steps: usize, place: Place) {
    let differences: Vec<String> = seeds.filter_map(|seed| play(seed, steps, place).err()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn the_memory_engine_agrees_with_the_model() {
    all(1..151, 150, Place::Memory);
}

#[test]
fn the_disk_engine_agrees_with_the_model_also_after_restarts() {
    all(1001..1009, 150, Place::Disk);
}

#[test]
fn what_was_can_be_had_again() {
    let differences: Vec<String> = (1..101).filter_map(|seed| live(seed, 80, Place::Memory).err()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn what_was_can_be_had_again_from_a_disk_also_after_restarts() {
    let differences: Vec<String> = (1..4).filter_map(|seed| live(seed, 80, Place::Disk).err()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}
