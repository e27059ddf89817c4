//! Whatever the text, reading it ends in a tree or in an error, on a small stack.

use std::collections::BTreeMap;

use expr::{Condition, KeyCondition, Kind, Placeholders, Projection, Update};
use item::{Item, Number, Value};

/// A generator of numbers that look random and are the same on every run.
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % bound
    }

    fn text(&mut self, pieces: &[&str], count: usize) -> String {
        let mut text = String::new();
        for _ in 0..count {
            text.push_str(pieces.get(self.below(pieces.len())).copied().unwrap_or(""));
            if self.below(3) > 0 {
                text.push(' ');
            }
        }
        text
    }
}

const PIECES: [&str; 48] = [
    "a",
    "b.c",
    "l[0]",
    "l[1]",
    "#n",
    ":v",
    ":s",
    ":l",
    ":ss",
    "(",
    ")",
    "((",
    "))",
    ",",
    ".",
    "[",
    "]",
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "AND",
    "OR",
    "NOT",
    "BETWEEN",
    "IN",
    "SET",
    "REMOVE",
    "ADD",
    "DELETE",
    "size(",
    "contains(",
    "begins_with(",
    "attribute_exists(",
    "attribute_type(",
    "if_not_exists(",
    "list_append(",
    "9",
    "99999999999",
    "!",
    "\u{e9}",
    "\u{1F600}",
    "ttl",
    "\"",
];

fn placeholders() -> Placeholders {
    let names = BTreeMap::from([("#n".to_string(), "name".to_string())]);
    let values = BTreeMap::from([
        (":v".to_string(), Value::N(Number::from(7))),
        (":s".to_string(), Value::S("S".to_string())),
        (":l".to_string(), Value::L(vec![Value::Null])),
        (":ss".to_string(), Value::Ss(vec!["x".to_string()])),
    ]);
    Placeholders::new(Some(names), Some(values)).unwrap_or_default()
}

fn sample() -> Item {
    let list = Value::L(vec![Value::S("x".to_string()), Value::N(Number::from(1))]);
    Item::from([
        ("a".to_string(), Value::N(Number::from(3))),
        ("b".to_string(), Value::M(Item::from([("c".to_string(), list.clone())]))),
        ("l".to_string(), list),
    ])
}

/// Reads the text as everything it could be and uses what comes of it; counts the successes.
fn read(text: &str, item: &Item) -> usize {
    let mut successes = 0;
    for kind in [Kind::Condition, Kind::Filter, Kind::KeyCondition] {
        if let Ok(condition) = Condition::parse(kind, text, &mut placeholders()) {
            condition.holds(item);
            successes += 1;
        }
    }
    if let Ok(update) = Update::parse(text, &mut placeholders()) {
        if let Ok(applied) = update.apply(item) {
            applied.updated_new();
            applied.updated_old(item);
        }
        successes += 1;
    }
    if let Ok(projection) = Projection::parse(text, &mut placeholders()) {
        projection.cut(item);
        successes += 1;
    }
    successes + usize::from(KeyCondition::parse(text, &mut placeholders()).is_ok())
}

/// Runs on a stack smaller than any worker of the server has.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1024 * 1024).spawn(run);
    assert!(thread.is_ok_and(|thread| thread.join().is_ok()));
}

#[test]
fn random_words_never_panic() {
    on_a_small_stack(|| {
        let (mut noise, item, mut successes) = (Noise(0x9E37_79B9_7F4A_7C15), sample(), 0);
        for _ in 0..20_000 {
            let count = 1 + noise.below(12);
            let text = noise.text(&PIECES, count);
            successes += read(&text, &item);
        }
        assert!(successes > 100, "only {successes} texts were expressions");
    });
}

#[test]
fn random_bytes_never_panic() {
    on_a_small_stack(|| {
        let (mut noise, item) = (Noise(0x0123_4567_89AB_CDEF), sample());
        for _ in 0..15_000 {
            let bytes: Vec<u8> =
                (0..noise.below(60)).map(|_| u8::try_from(noise.below(256)).unwrap_or(0)).collect();
            read(&String::from_utf8_lossy(&bytes), &item);
        }
    });
}

#[test]
fn long_texts_never_overflow_the_stack() {
    on_a_small_stack(|| {
        let item = sample();
        for piece in PIECES.iter().chain(&[
            "NOT(",
            "a=a AND (",
            "a.",
            "a[1]",
            "[1]",
            "(a=:v)",
            "a=b OR ",
            "(((a",
            "size((",
        ]) {
            for (head, tail) in
                [("", ""), ("a = ", ""), ("SET a = ", ""), ("", "a = :v"), ("a", " = :v"), ("REMOVE a", "")]
            {
                let room = 4096 - head.len() - tail.len();
                let body = piece.repeat(room / piece.len());
                read(&format!("{head}{body}{tail}"), &item);
                let half = piece.repeat(room / (piece.len() + 1));
                let opened = half.matches('(').count();
                read(&format!("{head}{half}{tail}{}", ")".repeat(opened)), &item);
            }
        }
    });
}
