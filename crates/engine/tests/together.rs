//! Many callers at once on few items: whatever the order, sums stay, counters count, indexes say what their tables say,
//! and nobody waits for ever. What each caller does follows its seed; the order in which they meet does not.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "in a test a panic is the answer")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use engine::{Engine, LifeCycle, Rest, Settings, SystemEnv};
use item::{Item, Value};
use op::{Error, Kind, Output};
use storage::{Config, Durability};

const CALLERS: u64 = 8;
const ACCOUNTS: u64 = 6;
const NOTES: u64 = 10;
const COUNTERS: u64 = 3;
const BALANCE: i64 = 1000;
const TIME_MAX: Duration = Duration::from_secs(180);

#[test]
fn callers_in_memory_leave_everything_consistent() {
    in_time(|| {
        for seed in 1..=4 {
            let world = World::open(Config::Memory);
            world.make_tables();
            let counted = world.play(seed, 400);
            world.check(&counted);
        }
    });
}

#[test]
fn callers_on_disk_leave_everything_consistent_before_and_after_a_restart() {
    in_time(|| {
        for seed in [11, 12] {
            let dir = tempfile::TempDir::new().unwrap();
            let world = World::open(disk(dir.path()));
            world.make_tables();
            let counted = world.play(seed, 120);
            world.check(&counted);
            world.engine.close().unwrap();
            drop(world);
            World::open(disk(dir.path())).check(&counted);
        }
    });
}

/// A test that hangs is one that fails.
fn in_time(test: impl FnOnce() + Send + 'static) {
    let (done, finished) = mpsc::channel();
    let tester = thread::spawn(move || {
        test();
        // Nobody listens any more if the time is over.
        let _heard = done.send(());
    });
    match finished.recv_timeout(TIME_MAX) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("the callers wait for each other"),
        Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => tester.join().unwrap(),
    }
}

fn disk(dir: &Path) -> Config {
    Config::Disk { dir: dir.to_path_buf(), durability: Durability::Sync, cache_bytes: 4 << 20 }
}

struct World {
    engine: Arc<Engine>,
}

/// How often each counter was raised by a call that was answered.
type Counted = Vec<u64>;

impl World {
    fn open(store: Config) -> World {
        let settings = Settings { store, life_cycle: LifeCycle::Immediate };
        World { engine: Arc::new(Engine::open(settings, Arc::new(SystemEnv::new())).unwrap()) }
    }

    fn ask(&self, name: &str, body: &str) -> Result<Output, Error> {
        let name = wire::target(Some(&format!("DynamoDB_20120810.{name}"))).unwrap();
        self.engine.run(wire::decode(name, body.as_bytes(), "localhost:8000")?).wait()
    }

    fn make_tables(&self) {
        self.ask(
            "CreateTable",
            r#"{"TableName":"bank","BillingMode":"PAY_PER_REQUEST",
            "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],
            "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"},
                {"AttributeName":"balance","AttributeType":"N"}],
            "GlobalSecondaryIndexes":[{"IndexName":"by_balance","Projection":{"ProjectionType":"ALL"},
                "KeySchema":[{"AttributeName":"balance","KeyType":"HASH"}]}]}"#,
        )
        .unwrap();
        self.ask(
            "CreateTable",
            r#"{"TableName":"notes","BillingMode":"PAY_PER_REQUEST",
            "KeySchema":[{"AttributeName":"owner","KeyType":"HASH"},{"AttributeName":"line","KeyType":"RANGE"}],
            "AttributeDefinitions":[{"AttributeName":"owner","AttributeType":"S"},
                {"AttributeName":"line","AttributeType":"N"},{"AttributeName":"team","AttributeType":"S"},
                {"AttributeName":"rank","AttributeType":"N"}],
            "GlobalSecondaryIndexes":[{"IndexName":"by_team","Projection":{"ProjectionType":"KEYS_ONLY"},
                "KeySchema":[{"AttributeName":"team","KeyType":"HASH"},{"AttributeName":"rank","KeyType":"RANGE"}]}],
            "LocalSecondaryIndexes":[{"IndexName":"by_rank","Projection":{"ProjectionType":"ALL"},
                "KeySchema":[{"AttributeName":"owner","KeyType":"HASH"},{"AttributeName":"rank","KeyType":"RANGE"}]}]}"#,
        )
        .unwrap();
        for account in 0..ACCOUNTS {
            let item = format!(
                r#"{{"TableName":"bank","Item":{{"id":{{"S":"a{account}"}},"balance":{{"N":"{BALANCE}"}}}}}}"#
            );
            self.ask("PutItem", &item).unwrap();
        }
    }

    /// Lets all callers call, with the background work and changes of tables beside them.
    fn play(&self, seed: u64, calls: u64) -> Counted {
        let counted: Vec<AtomicU64> = (0..COUNTERS).map(|_| AtomicU64::new(0)).collect();
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let callers: Vec<_> = (0..CALLERS)
                .map(|number| {
                    let mut caller =
                        Caller { world: self, chance: seed * 1000 + number + 1, counted: &counted };
                    scope.spawn(move || (0..calls).for_each(|_| caller.call()))
                })
                .collect();
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    if self.engine.work() != Rest::Again {
                        self.engine.wait_for_work(Duration::from_millis(5));
                    }
                }
            });
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    self.change_tables();
                }
            });
            let outcomes: Vec<_> = callers.into_iter().map(thread::ScopedJoinHandle::join).collect();
            over.store(true, Ordering::Relaxed);
            for outcome in outcomes {
                outcome.unwrap();
            }
        });
        while self.engine.work() == Rest::Again {}
        counted.iter().map(|counter| counter.load(Ordering::Relaxed)).collect()
    }

    /// An index comes and stays or goes, a table comes and goes.
    fn change_tables(&self) {
        let add = r#"{"TableName":"notes","AttributeDefinitions":[{"AttributeName":"rank","AttributeType":"N"}],
            "GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"added","Projection":{"ProjectionType":"ALL"},
            "KeySchema":[{"AttributeName":"rank","KeyType":"HASH"}]}}]}"#;
        let remove =
            r#"{"TableName":"notes","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"added"}}]}"#;
        let make = r#"{"TableName":"brief","BillingMode":"PAY_PER_REQUEST",
            "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],
            "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}]}"#;
        let steps = [
            ("UpdateTable", add),
            ("CreateTable", make),
            ("UpdateTable", remove),
            ("DeleteTable", r#"{"TableName":"brief"}"#),
        ];
        for (name, body) in steps {
            expect(self.ask(name, body), &[Kind::ResourceInUse, Kind::ResourceNotFound, Kind::Validation]);
            thread::sleep(Duration::from_millis(3));
        }
    }

    fn items(&self, table: &str, index: Option<&str>) -> BTreeSet<String> {
        let index = index.map_or(String::new(), |index| format!(r#","IndexName":"{index}""#));
        let body = format!(r#"{{"TableName":"{table}"{index}}}"#);
        let Output::Page(page) = self.ask("Scan", &body).unwrap() else { panic!("a scan answers a page") };
        assert!(page.last.is_none(), "all items fit one page");
        let found: Vec<String> =
            page.items.unwrap().iter().map(|stored| format!("{:?}", stored.decode().unwrap())).collect();
        let set: BTreeSet<String> = found.iter().cloned().collect();
        assert_eq!(set.len(), found.len(), "{table} shows an item twice");
        set
    }

    fn check(&self, counted: &Counted) {
        assert_eq!(self.total(), BALANCE * ACCOUNTS as i64);
        for (counter, expected) in counted.iter().enumerate() {
            let body = format!(r#"{{"TableName":"notes","Key":{}}}"#, counter_key(counter as u64));
            let Output::GetItem(found) = self.ask("GetItem", &body).unwrap() else { panic!("no answer") };
            let value = found.item.map_or(0, |stored| number(&stored.decode().unwrap(), "n"));
            assert_eq!(value, *expected as i64, "counter {counter}");
        }
        self.check_index("bank", "by_balance", &["balance"], None);
        self.check_index("notes", "by_rank", &["rank"], None);
        self.check_index("notes", "by_team", &["team", "rank"], Some(&["owner", "line", "team", "rank"]));
        let described = self.ask("DescribeTable", r#"{"TableName":"notes"}"#).unwrap();
        let Output::Table(table) = described else { panic!("no description") };
        if table.global_indexes.iter().any(|index| index.name == "added") {
            self.check_index("notes", "added", &["rank"], None);
        }
        assert_eq!(table.item_count as usize, self.items("notes", None).len(), "the items are counted");
    }

    /// An index holds the items that have its keys, whole or cut to some attributes, and nothing else.
    fn check_index(&self, table: &str, index: &str, keys: &[&str], kept: Option<&[&str]>) {
        let Output::Page(page) = self.ask("Scan", &format!(r#"{{"TableName":"{table}"}}"#)).unwrap() else {
            panic!("a scan answers a page")
        };
        let mut expected = BTreeSet::new();
        for stored in page.items.unwrap() {
            let mut item = stored.decode().unwrap();
            if keys.iter().all(|key| item.contains_key(*key)) {
                item.retain(|name, _| kept.is_none_or(|kept| kept.contains(&name.as_str())));
                expected.insert(format!("{item:?}"));
            }
        }
        assert_eq!(self.items(table, Some(index)), expected, "{index} of {table}");
    }

    /// The sum of all balances in one transaction, which may have to be asked for again.
    fn total(&self) -> i64 {
        loop {
            if let Some(total) = self.try_total() {
                return total;
            }
        }
    }

    fn try_total(&self) -> Option<i64> {
        let gets: Vec<String> = (0..ACCOUNTS)
            .map(|account| format!(r#"{{"Get":{{"TableName":"bank","Key":{{"id":{{"S":"a{account}"}}}}}}}}"#))
            .collect();
        let asked = self.ask("TransactGetItems", &format!(r#"{{"TransactItems":[{}]}}"#, gets.join(",")));
        let Output::TransactGetItems(found) = expect(asked, &[Kind::TransactionCanceled])? else {
            panic!("no answer")
        };
        let balance = |stored: &item::Stored| number(&stored.decode().unwrap(), "balance");
        Some(found.items.iter().flatten().map(balance).sum())
    }
}

/// The answer; none if it is one of the refusals that callers who meet must bear.
fn expect(answer: Result<Output, Error>, refusals: &[Kind]) -> Option<Output> {
    match answer {
        Ok(output) => Some(output),
        Err(error) if refusals.contains(&error.kind) => None,
        Err(error) => panic!("{error:?}"),
    }
}

fn number(item: &Item, name: &str) -> i64 {
    if let Some(Value::N(number)) = item.get(name) { number.to_i64().unwrap() } else { 0 }
}

fn counter_key(counter: u64) -> String {
    format!(r#"{{"owner":{{"S":"counter"}},"line":{{"N":"{counter}"}}}}"#)
}

/// One caller and its chance.
struct Caller<'a> {
    world: &'a World,
    chance: u64,
    counted: &'a [AtomicU64],
}

impl Caller<'_> {
    fn call(&mut self) {
        match self.below(10) {
            0 | 1 => self.transfer(),
            2 => {
                if let Some(total) = self.world.try_total() {
                    assert_eq!(total, BALANCE * ACCOUNTS as i64, "seen by TransactGetItems");
                }
                let bank = r#"{"TableName":"bank"}"#;
                let Output::Page(page) = self.world.ask("Scan", bank).unwrap() else { panic!("no page") };
                let items = page.items.unwrap();
                let total: i64 = items.iter().map(|item| number(&item.decode().unwrap(), "balance")).sum();
                assert_eq!(total, BALANCE * ACCOUNTS as i64, "seen by Scan");
            }
            3 | 4 => self.count(),
            5 => self.count_in_transaction(),
            6 => self.batch(),
            7 => self.brief(),
            8 => self.change_note("DeleteItem", |key, _| format!(r#""Key":{{{key}}}"#)),
            _ => self.change_note("PutItem", |key, rest| format!(r#""Item":{{{key}{rest}}}"#)),
        }
    }

    fn below(&mut self, end: u64) -> u64 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        self.chance % end
    }

    fn transfer(&mut self) {
        let (from, amount) = (self.below(ACCOUNTS), self.below(50));
        let to = (from + 1 + self.below(ACCOUNTS - 1)) % ACCOUNTS;
        let update = |account: u64, sign: char, condition: &str| {
            format!(
                r#"{{"Update":{{"TableName":"bank","Key":{{"id":{{"S":"a{account}"}}}},
                "UpdateExpression":"SET balance = balance {sign} :n"{condition},
                "ExpressionAttributeValues":{{":n":{{"N":"{amount}"}}}}}}}}"#
            )
        };
        let covered = r#","ConditionExpression":"balance >= :n""#;
        let body = format!(r#"{{"TransactItems":[{},{}]}}"#, update(from, '-', covered), update(to, '+', ""));
        expect(self.world.ask("TransactWriteItems", &body), &[Kind::TransactionCanceled]);
    }

    fn count(&mut self) {
        let counter = self.below(COUNTERS);
        let body = format!(
            r##"{{"TableName":"notes","Key":{},"UpdateExpression":"ADD n :one SET #r = :rank",
            "ExpressionAttributeNames":{{"#r":"rank"}},
            "ExpressionAttributeValues":{{":one":{{"N":"1"}},":rank":{{"N":"{}"}}}}}}"##,
            counter_key(counter),
            self.below(20)
        );
        if expect(self.world.ask("UpdateItem", &body), &[Kind::TransactionConflict]).is_some() {
            self.counted[counter as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Raises a counter and writes and removes notes in one moment; the same again with the same token does nothing.
    fn count_in_transaction(&mut self) {
        let counter = self.below(COUNTERS);
        let put = self.below(NOTES);
        let (key, rest) = (note_key(put), self.fields());
        let gone = note_key((put + 1 + self.below(NOTES - 1)) % NOTES);
        let token = format!("{:x}", self.below(u64::MAX));
        let body = format!(
            r#"{{"ClientRequestToken":"{token}","TransactItems":[
            {{"Update":{{"TableName":"notes","Key":{},"UpdateExpression":"ADD n :one",
                "ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}}},
            {{"Put":{{"TableName":"notes","Item":{{{key}{rest}}}}}}},
            {{"Delete":{{"TableName":"notes","Key":{{{gone}}}}}}}]}}"#,
            counter_key(counter)
        );
        if expect(self.world.ask("TransactWriteItems", &body), &[Kind::TransactionCanceled]).is_some() {
            self.counted[counter as usize].fetch_add(1, Ordering::Relaxed);
            expect(self.world.ask("TransactWriteItems", &body), &[Kind::TransactionCanceled]);
        }
    }

    fn batch(&mut self) {
        let first = self.below(NOTES);
        let writes: Vec<String> = (0..4)
            .map(|step| {
                let (key, rest) = (note_key((first + step) % NOTES), self.fields());
                match self.below(3) {
                    0 => format!(r#"{{"DeleteRequest":{{"Key":{{{key}}}}}}}"#),
                    _ => format!(r#"{{"PutRequest":{{"Item":{{{key}{rest}}}}}}}"#),
                }
            })
            .collect();
        let body = format!(r#"{{"RequestItems":{{"notes":[{}]}}}}"#, writes.join(","));
        expect(self.world.ask("BatchWriteItem", &body), &[]);
    }

    /// The table that comes and goes.
    fn brief(&mut self) {
        let body = format!(r#"{{"TableName":"brief","Item":{{"id":{{"S":"{}"}}}}}}"#, self.below(1000));
        expect(self.world.ask("PutItem", &body), &[Kind::ResourceNotFound]);
        expect(self.world.ask("Scan", r#"{"TableName":"brief"}"#), &[Kind::ResourceNotFound]);
    }

    fn change_note(&mut self, name: &str, body: impl Fn(&str, &str) -> String) {
        let (key, rest) = (note_key(self.below(NOTES)), self.fields());
        let body = format!(r#"{{"TableName":"notes",{}}}"#, body(&key, &rest));
        expect(self.world.ask(name, &body), &[Kind::TransactionConflict]);
    }

    /// Attributes that move a note through the indexes; each may be absent.
    fn fields(&mut self) -> String {
        let mut fields = BTreeMap::new();
        if self.below(4) > 0 {
            fields.insert("team", format!(r#"{{"S":"t{}"}}"#, self.below(4)));
        }
        if self.below(4) > 0 {
            fields.insert("rank", format!(r#"{{"N":"{}"}}"#, self.below(20)));
        }
        fields.insert("text", format!(r#"{{"S":"{}"}}"#, "x".repeat(self.below(300) as usize)));
        fields.iter().map(|(name, value)| format!(r#","{name}":{value}"#)).collect()
    }
}

fn note_key(note: u64) -> String {
    format!(r#""owner":{{"S":"o{}"}},"line":{{"N":"{note}"}}"#, note % 3)
}
