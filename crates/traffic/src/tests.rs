//! What was told comes back, in order and in sum.

use super::*;
use op::{Error, Kind, Name};

fn served(table: &str) -> Served<'_> {
    Served {
        operation: Some(Name::GetItem),
        table,
        index: "",
        caller: None,
        agent: "test",
        status: 200,
        error: None,
        units: 0.5,
        request_bytes: 10,
        answer_bytes: 20,
    }
}

#[test]
fn the_tail_is_in_order_and_bounded() {
    let traffic = Traffic::new();
    std::thread::scope(|scope| {
        for name in ["one", "two", "three"] {
            let traffic = &traffic;
            scope.spawn(move || {
                for _ in 0..2000 {
                    traffic.tell(traffic.begin(), &served(name));
                }
            });
        }
    });
    assert_eq!(traffic.latest(), 6000);
    let tail = traffic.tail(0, 100);
    assert_eq!(tail.len(), 100);
    assert!(tail.windows(2).all(|pair| pair[0].number < pair[1].number));
    let last = tail.last().map_or(0, |entry| entry.number);
    assert!(traffic.tail(last, 100).iter().all(|entry| entry.number > last));
    assert!(traffic.tail(6000, 100).is_empty());
}

#[test]
fn figures_add_up_by_table_and_in_all() {
    let traffic = Traffic::new();
    let throttled = Error::new(Kind::Throttling, "slow down");
    let wrong = Error::new(Kind::Validation, "no");
    traffic.tell(traffic.begin(), &served("a"));
    traffic.tell(traffic.begin(), &Served { error: Some(&throttled), status: 400, ..served("a") });
    traffic.tell(traffic.begin(), &Served { error: Some(&wrong), status: 400, units: 0.0, ..served("b") });
    traffic.tell(traffic.begin(), &Served { operation: Some(Name::PutItem), units: 3.0, ..served("b") });
    traffic.tell(traffic.begin(), &Served { operation: None, table: "", status: 500, ..served("") });
    for span in [Span::Minutes, Span::Hours] {
        let sum = |table| {
            let all = traffic.figures(table, span);
            assert_eq!(all.len(), span.steps());
            all.into_iter().fold((0, 0, 0, 0, 0.0, 0.0), |sum, step| {
                (
                    sum.0 + step.requests,
                    sum.1 + step.user_errors,
                    sum.2 + step.system_errors,
                    sum.3 + step.throttles,
                    sum.4 + step.read_units,
                    sum.5 + step.write_units,
                )
            })
        };
        assert_eq!(sum(None), (5, 1, 1, 1, 1.0, 3.5));
        assert_eq!(sum(Some("a")), (2, 0, 0, 1, 1.0, 0.0));
        assert_eq!(sum(Some("none")), (0, 0, 0, 0, 0.0, 0.0));
    }
    let operations = traffic.operations();
    assert_eq!(
        operations.iter().map(|one| (one.operation, one.requests, one.errors)).collect::<Vec<_>>(),
        [(Name::GetItem, 3, 2), (Name::PutItem, 1, 0)]
    );
}

#[test]
fn long_texts_are_cut_at_a_character() {
    let traffic = Traffic::new();
    let agent = "ä".repeat(400);
    traffic.tell(traffic.begin(), &Served { agent: &agent, ..served("t") });
    assert_eq!(traffic.tail(0, 1).first().map(|entry| entry.agent.len()), Some(300));
}
