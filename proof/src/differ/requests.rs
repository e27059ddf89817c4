//! Random requests about few items: expressions of every kind that are mostly well formed, over attributes of every type.

use serde_json::{Value as Json, json};

use crate::chance::Chance;

use super::judge;

const TABLE: &str = "items";
const NAMES: [&str; 12] = ["a", "b", "c", "d", "s", "n", "l", "m", "ss", "ns", "bs", "x"];

/// The keys of indexes that are not keys of the table.
pub(crate) const INDEX_KEYS: [&str; 2] = ["s", "n"];

/// How the tables are made.
pub(crate) fn tables() -> [Json; 1] {
    [json!({"TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"},
            {"AttributeName": "s", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "GlobalSecondaryIndexes": [{"IndexName": "by_s", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "s", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}]}],
        "LocalSecondaryIndexes": [{"IndexName": "by_n", "Projection": {"ProjectionType": "KEYS_ONLY"},
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}]}]})]
}

/// The key of the one item that a request is about.
pub(crate) fn key_of(request: &Json) -> Option<Json> {
    let from = request.get("Key").or_else(|| request.get("Item"))?;
    Some(json!({"pk": from.get("pk")?, "sk": from.get("sk")?}))
}

/// A look at an item.
pub(crate) fn get(key: &Json) -> Json {
    json!({"TableName": TABLE, "Key": key, "ConsistentRead": true})
}

/// What makes an item of this key as another is, or takes it away.
pub(crate) fn restore(key: &Json, item: Option<&Json>) -> (&'static str, Json) {
    let Some(item) = item else { return ("DeleteItem", json!({"TableName": TABLE, "Key": key})) };
    let mut item = item.clone();
    for (name, value) in key.as_object().into_iter().flatten() {
        put(&mut item, name, value.clone());
    }
    ("PutItem", json!({"TableName": TABLE, "Item": item}))
}

/// The key of an item that no request is about.
pub(crate) fn apart() -> Json {
    json!({"pk": {"S": "apart"}, "sk": {"N": "0"}})
}

/// One clause of an update, with the names and values that it uses, for that item.
pub(crate) fn clause_alone(clause: &str, request: &Json) -> Json {
    let mut alone = json!({"TableName": TABLE, "Key": apart(), "UpdateExpression": clause});
    for terms in ["ExpressionAttributeNames", "ExpressionAttributeValues"] {
        let all = request.get(terms).and_then(Json::as_object).into_iter().flatten();
        let used = all.filter(|(name, _)| judge::tokens(clause).contains(name));
        let used: serde_json::Map<String, Json> =
            used.map(|(name, value)| (name.clone(), value.clone())).collect();
        if !used.is_empty() {
            put(&mut alone, terms, Json::Object(used));
        }
    }
    alone
}

/// Any request.
pub(crate) fn any(chance: &mut Chance) -> (&'static str, Json) {
    let mut terms = Terms::default();
    let (operation, mut request) = match chance.below(12) {
        0..=1 => {
            let mut request = json!({"TableName": TABLE, "Item": item(chance)});
            if chance.one_in(2) {
                put(&mut request, "ConditionExpression", json!(terms.condition(chance, 0)));
            }
            ("PutItem", request)
        }
        2..=4 => {
            let mut request = json!({"TableName": TABLE, "Key": key(chance)});
            put(&mut request, "UpdateExpression", json!(terms.update(chance)));
            if chance.one_in(3) {
                put(&mut request, "ConditionExpression", json!(terms.condition(chance, 0)));
            }
            let told = ["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"];
            put(&mut request, "ReturnValues", json!(chance.pick(&told)));
            ("UpdateItem", request)
        }
        5 => {
            let mut request = json!({"TableName": TABLE, "Key": key(chance), "ReturnValues": "ALL_OLD"});
            if chance.one_in(2) {
                put(&mut request, "ConditionExpression", json!(terms.condition(chance, 0)));
            }
            ("DeleteItem", request)
        }
        6 => {
            let mut request = json!({"TableName": TABLE, "Key": key(chance)});
            put(&mut request, "ProjectionExpression", json!(terms.projection(chance)));
            ("GetItem", request)
        }
        7..=9 => ("Query", query(chance, &mut terms)),
        10 => ("Scan", scan(chance, &mut terms)),
        _ => return batch(chance),
    };
    terms.finish(&mut request);
    (operation, request)
}

/// Without a limit: in which order two partitions come, everybody decides alone.
fn scan(chance: &mut Chance, terms: &mut Terms) -> Json {
    let mut request = json!({"TableName": TABLE, "FilterExpression": terms.condition(chance, 0)});
    if chance.one_in(4) {
        put(&mut request, "IndexName", json!(chance.pick(&["by_s", "by_n"])));
    } else if chance.one_in(4) {
        put(&mut request, "ProjectionExpression", json!(terms.projection(chance)));
    }
    request
}

/// Several items at once, sometimes one of them twice.
fn batch(chance: &mut Chance) -> (&'static str, Json) {
    let count = chance.between(1, 4);
    if chance.one_in(2) {
        let keys: Vec<Json> = (0..count).map(|_| key(chance)).collect();
        return ("BatchGetItem", json!({"RequestItems": {TABLE: {"Keys": keys}}}));
    }
    let writes: Vec<Json> = (0..count)
        .map(|_| match chance.below(3) {
            0 => json!({"DeleteRequest": {"Key": key(chance)}}),
            _ => json!({"PutRequest": {"Item": item(chance)}}),
        })
        .collect();
    ("BatchWriteItem", json!({"RequestItems": {TABLE: writes}}))
}

/// The keys of all items that there can be.
pub(crate) fn keys() -> Vec<Json> {
    let sorts = || (0..5).map(|place| json!({"N": (place - 1).to_string()}));
    ["a", "b"].iter().flat_map(|pk| sorts().map(move |sk| json!({"pk": {"S": pk}, "sk": sk}))).collect()
}

fn query(chance: &mut Chance, terms: &mut Terms) -> Json {
    let mut request = json!({"TableName": TABLE, "ScanIndexForward": chance.one_in(2)});
    let (index, partition, sort) =
        *chance.pick(&[(None, "pk", "sk"), (Some("by_s"), "s", "n"), (Some("by_n"), "pk", "n")]);
    let equal = terms.value(&json!({"S": chance.pick(&["a", "b"])}));
    let mut condition = format!("{partition} = {equal}");
    let number = |chance: &mut Chance| json!({"N": (chance.below(8) as i64 - 3).to_string()});
    match chance.below(4) {
        0 => {}
        1 => {
            let (low, high) = (terms.value(&number(chance)), terms.value(&number(chance)));
            condition += &format!(" AND {sort} BETWEEN {low} AND {high}");
        }
        _ => {
            let operator = chance.pick(&["=", "<", "<=", ">", ">="]);
            let bound = terms.value(&number(chance));
            condition += &format!(" AND {sort} {operator} {bound}");
        }
    }
    put(&mut request, "KeyConditionExpression", json!(condition));
    if let Some(index) = index {
        put(&mut request, "IndexName", json!(index));
    }
    if chance.one_in(2) {
        put(&mut request, "FilterExpression", json!(terms.condition(chance, 0)));
    }
    if chance.one_in(4) {
        put(&mut request, "Limit", json!(chance.between(1, 4)));
    }
    if chance.one_in(4) && index.is_none() {
        put(&mut request, "ProjectionExpression", json!(terms.projection(chance)));
    }
    request
}

/// The names and values that an expression uses.
#[derive(Default)]
struct Terms {
    values: Vec<Json>,
    names: Vec<&'static str>,
}

impl Terms {
    fn finish(self, request: &mut Json) {
        let values: serde_json::Map<String, Json> =
            self.values.into_iter().enumerate().map(|(place, value)| (format!(":v{place}"), value)).collect();
        if !values.is_empty() {
            put(request, "ExpressionAttributeValues", Json::Object(values));
        }
        let names: serde_json::Map<String, Json> =
            self.names.into_iter().map(|name| (format!("#{name}"), json!(name))).collect();
        if !names.is_empty() {
            put(request, "ExpressionAttributeNames", Json::Object(names));
        }
    }

    fn value(&mut self, value: &Json) -> String {
        self.values.push(value.clone());
        format!(":v{}", self.values.len() - 1)
    }

    fn path(&mut self, chance: &mut Chance) -> String {
        let name = *chance.pick(&NAMES);
        let mut path = name.to_string();
        if chance.one_in(3) {
            path = format!("#{name}");
            if !self.names.contains(&name) {
                self.names.push(name);
            }
        }
        match chance.below(8) {
            0 => path + "[0]",
            1 => path + "[2]",
            2 => path + ".k",
            _ => path,
        }
    }

    fn operand(&mut self, chance: &mut Chance) -> String {
        match chance.below(8) {
            0..=2 => self.path(chance),
            3 => format!("size({})", self.path(chance)),
            4..=6 => {
                let value = ordered(chance);
                self.value(&value)
            }
            _ => {
                let value = value(chance, 0);
                self.value(&value)
            }
        }
    }

    fn condition(&mut self, chance: &mut Chance, depth: u32) -> String {
        if depth < 3 && chance.one_in(3) {
            let (a, b) = (self.condition(chance, depth + 1), self.condition(chance, depth + 1));
            return match chance.below(4) {
                0 => format!("{a} AND {b}"),
                1 => format!("({a} OR {b})"),
                2 => format!("NOT {a} OR {b}"),
                _ => format!("NOT ({a}) AND ({b})"),
            };
        }
        match chance.below(9) {
            0 => format!("attribute_exists({})", self.path(chance)),
            1 => format!("attribute_not_exists({})", self.path(chance)),
            2 => {
                let kind = *chance.pick(&["S", "N", "B", "SS", "NS", "BS", "BOOL", "NULL", "L", "M", "X"]);
                let kind = self.value(&json!({"S": kind}));
                format!("attribute_type({}, {kind})", self.path(chance))
            }
            3 => format!("begins_with({}, {})", self.path(chance), self.operand(chance)),
            4 => format!("contains({}, {})", self.path(chance), self.operand(chance)),
            5 => {
                let path = self.path(chance);
                let (low, high) =
                    *chance.pick(&[("N", ["-1", "2.5"]), ("N", ["0", "100"]), ("S", ["", "b"])]);
                let [low, high] = high.map(|bound| self.value(&json!({low: bound})));
                format!("{path} BETWEEN {low} AND {high}")
            }
            6 => {
                let operand = self.operand(chance);
                format!("{operand} IN ({}, {})", self.operand(chance), self.operand(chance))
            }
            _ => {
                let operator = *chance.pick(&["=", "<>", "<", "<=", ">", ">="]);
                let operand = self.operand(chance);
                format!("{operand} {operator} {}", self.operand(chance))
            }
        }
    }

    fn update(&mut self, chance: &mut Chance) -> String {
        let mut clauses = Vec::new();
        for _ in 0..chance.between(1, 2) {
            let path = self.path(chance);
            clauses.push(match chance.below(8) {
                0..=3 => format!("SET {path} = {}", self.assigned(chance)),
                4..=5 => format!("REMOVE {path}"),
                6 => {
                    let value = if chance.one_in(4) { value(chance, 0) } else { set_or_number(chance) };
                    format!("ADD {path} {}", self.value(&value))
                }
                _ => {
                    let value = if chance.one_in(4) { value(chance, 0) } else { set_or_number(chance) };
                    format!("DELETE {path} {}", self.value(&value))
                }
            });
        }
        clauses.join(" ")
    }

    fn assigned(&mut self, chance: &mut Chance) -> String {
        match chance.below(6) {
            0 => format!("{} + {}", self.simple(chance), self.simple(chance)),
            1 => format!("{} - {}", self.simple(chance), self.simple(chance)),
            2 => format!("if_not_exists({}, {})", self.path(chance), self.simple(chance)),
            3 => format!("list_append({}, {})", self.simple(chance), self.simple(chance)),
            _ => self.simple(chance),
        }
    }

    fn simple(&mut self, chance: &mut Chance) -> String {
        if chance.one_in(2) {
            return self.path(chance);
        }
        let value = value(chance, 0);
        self.value(&value)
    }

    fn projection(&mut self, chance: &mut Chance) -> String {
        let count = chance.between(1, 3);
        (0..count).map(|_| self.path(chance)).collect::<Vec<_>>().join(", ")
    }
}

fn key(chance: &mut Chance) -> Json {
    json!({"pk": {"S": chance.pick(&["a", "b"])}, "sk": {"N": (chance.below(5) as i64 - 1).to_string()}})
}

fn item(chance: &mut Chance) -> Json {
    let mut item = key(chance);
    for name in NAMES {
        match name {
            _ if chance.one_in(3) => {}
            "s" => put(&mut item, name, json!({"S": chance.pick(&["a", "b", "c"])})),
            "n" => put(&mut item, name, json!({"N": (chance.below(9) as i64 - 4).to_string()})),
            _ => {
                let value = value(chance, 0);
                put(&mut item, name, value);
            }
        }
    }
    item
}

/// A value that can be added to others.
fn set_or_number(chance: &mut Chance) -> Json {
    let values =
        [json!({"N": "3"}), json!({"SS": ["a", "z"]}), json!({"NS": ["1"]}), json!({"BS": ["AA=="]})];
    chance.pick(&values).clone()
}

/// A value that can be compared.
fn ordered(chance: &mut Chance) -> Json {
    let values = [
        json!({"S": "a"}),
        json!({"S": "ab"}),
        json!({"N": "1"}),
        json!({"N": "2.5"}),
        json!({"N": "0"}),
        json!({"B": "AAE="}),
    ];
    chance.pick(&values).clone()
}

/// A value of any type; numbers are few, so that they meet.
fn value(chance: &mut Chance, depth: u32) -> Json {
    let number =
        |chance: &mut Chance| chance.pick(&["0", "1", "-1", "2.5", "1e2", "100", "0.001", "7"]).to_string();
    match chance.below(if depth < 2 { 11 } else { 6 }) {
        0..=1 => json!({"S": chance.pick(&["", "a", "ab", "b", "é", "S"])}),
        2..=3 => json!({"N": number(chance)}),
        4 => json!({"BOOL": chance.one_in(2)}),
        5 => json!({"NULL": true}),
        6 => json!({"B": chance.pick(&["AA==", "AAE=", "YQ=="])}),
        7 => json!({"SS": chance.pick(&[["a", "ab"], ["b", "x"]])}),
        8 => json!({"NS": chance.pick(&[["1", "2.5"], ["7", "100"]])}),
        9 => json!({"L": (0..chance.below(4)).map(|_| value(chance, depth + 1)).collect::<Vec<_>>()}),
        _ => json!({"M": {"k": value(chance, depth + 1)}}),
    }
}

fn put(object: &mut Json, name: &str, value: Json) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_string(), value);
    }
}
