//! Faults that the simulation found, each by its seed, and by itself where it can be told in a few lines. A list of them is
//! in docs/reliability.md.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Engine, Env, LifeCycle, Rest, Settings};
use sim::{Flaw, crowd};
use storage::{Config, Simulation};

/// A clock that is turned by hand.
struct Clock(AtomicU64);

impl Env for Clock {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn random(&self) -> u64 {
        7
    }
}

fn ask(engine: &Engine, operation: &str, request: &str) {
    let name = wire::target(Some(&format!("DynamoDB_20120810.{operation}")));
    let decoded = name.and_then(|name| wire::decode(name, request.as_bytes(), "sim"));
    let answer = decoded.and_then(|operation| engine.run(operation).wait());
    assert!(answer.is_ok(), "{operation}: {answer:?}");
}

#[test]
fn background_work_rests_when_the_disk_has_failed() {
    let (disk, clock) = (Simulation::default(), Arc::new(Clock(AtomicU64::new(1_700_000_000_000))));
    let settings = Settings { store: Config::Simulated(disk.clone()), life_cycle: LifeCycle::Immediate };
    let engine = Engine::open(settings, Arc::<Clock>::clone(&clock)).expect("it opens");
    let table = r#"{
        "TableName": "streamed", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}
    }"#;
    ask(&engine, "CreateTable", table);
    let rests = |steps: usize| (0..steps).any(|_| engine.work() != Rest::Again);
    assert!(rests(100));
    // A shard is to be closed, which the disk does not take.
    clock.0.fetch_add(12 * 60 * 60 * 1000, Ordering::Relaxed);
    disk.fail_after(0, false);
    assert!(rests(100));
    assert!(disk.has_failed());
    // Each try left a task behind, which woke the one who waits for work, who tried again at once.
    assert_ne!(engine.work(), Rest::Again, "there is something to do again");
}

#[test]
fn seeds_that_found_a_fault_find_none() {
    for seed in [86, 103, 117] {
        let played = crowd(seed, 200, Flaw::None);
        assert!(played.is_ok(), "{played:?}");
    }
}

/// What the model held to be true and was not: that a transaction on its way keeps others off the items of the next table
/// of that name, and that a moment is settled although the end of some items is on its way to the disk.
#[test]
fn seeds_that_found_a_fault_of_the_model_find_none() {
    for seed in [5_000_370, 5_006_674, 5_008_847, 5_010_173] {
        let played = crowd(seed, 300, Flaw::None);
        assert!(played.is_ok(), "{played:?}");
    }
}
