//! A fixed number of seeds on both engines; the model must agree with every answer.

use sim::{Place, play};

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
