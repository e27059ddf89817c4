//! Writes of single items and batches of them, and what the model says they come to.

use serde_json::{Value as Json, json};

use super::Crowd;
use super::answers::{Due, Plan};
use crate::model::{Condition, Item};
use crate::steps::items::Change;
use crate::steps::{any_table, random_condition, random_item, random_key, with_condition};

const CONFLICT: &str = "TransactionConflictException";

fn told(item: Option<Item>) -> Json {
    item.map_or(Json::Null, Json::Object)
}

fn fails(condition: Option<&Condition>, item: Option<&Item>) -> bool {
    condition.is_some_and(|condition| !condition.holds(item))
}

impl Crowd {
    pub(super) fn put(&mut self, client: usize) -> Result<(), String> {
        let name = any_table(&mut self.world);
        let item = self.hot_item(&name)?;
        let condition = random_condition(&mut self.world);
        let mut request = json!({"TableName": name, "Item": item, "ReturnValues": "ALL_OLD"});
        with_condition(&mut request, condition.as_ref());
        let table = self.latest(&name)?;
        let key = table.key_of(&item);
        let before = table.get(&item).cloned();
        let reads = vec![(name.clone(), key.clone())];
        let plan = if !table.accepts(&item) {
            Plan::at_once("ValidationException")
        } else if self.is_marked(&name, &key) {
            Plan::at_once(CONFLICT)
        } else if fails(condition.as_ref(), before.as_ref()) {
            Plan::looking(Due::Refused("ConditionalCheckFailedException"), reads)
        } else {
            let writes = vec![(name, key, Some(item))];
            Plan { writes, ..Plan::looking(Due::Attributes(told(before)), reads) }
        };
        self.ask(client, "PutItem", &request, plan)
    }

    pub(super) fn update(&mut self, client: usize) -> Result<(), String> {
        let name = any_table(&mut self.world);
        let key = self.hot_key(&name)?;
        let condition = random_condition(&mut self.world);
        let change = Change::random(&mut self.world);
        let returns = *self.world.chance.pick(&["ALL_OLD", "ALL_NEW"]);
        let mut request = json!({"TableName": name, "Key": key, "ReturnValues": returns});
        change.write(&mut request);
        with_condition(&mut request, condition.as_ref());
        let table = self.latest(&name)?;
        let before = table.get(&key).cloned();
        let after = change.apply(before.as_ref().unwrap_or(&key)).filter(|after| change.fits(table, after));
        let reads = vec![(name.clone(), key.clone())];
        let plan = if self.is_marked(&name, &key) {
            Plan::at_once(CONFLICT)
        } else if fails(condition.as_ref(), before.as_ref()) {
            Plan::looking(Due::Refused("ConditionalCheckFailedException"), reads)
        } else if let Some(after) = after {
            let shown = if returns == "ALL_OLD" { told(before) } else { Json::Object(after.clone()) };
            let writes = vec![(name, key, Some(after))];
            Plan { writes, ..Plan::looking(Due::Attributes(shown), reads) }
        } else {
            Plan::looking(Due::Refused("ValidationException"), reads)
        };
        self.ask(client, "UpdateItem", &request, plan)
    }

    pub(super) fn delete(&mut self, client: usize) -> Result<(), String> {
        let name = any_table(&mut self.world);
        let key = self.hot_key(&name)?;
        let condition = random_condition(&mut self.world);
        let mut request = json!({"TableName": name, "Key": key, "ReturnValues": "ALL_OLD"});
        with_condition(&mut request, condition.as_ref());
        let before = self.latest(&name)?.get(&key).cloned();
        let reads = vec![(name.clone(), key.clone())];
        let plan = if self.is_marked(&name, &key) {
            Plan::at_once(CONFLICT)
        } else if fails(condition.as_ref(), before.as_ref()) {
            Plan::looking(Due::Refused("ConditionalCheckFailedException"), reads)
        } else {
            let writes = vec![(name, key, None)];
            Plan { writes, ..Plan::looking(Due::Attributes(told(before)), reads) }
        };
        self.ask(client, "DeleteItem", &request, plan)
    }

    /// A random item, and often one that is on its way to the disk or has expired.
    fn hot_item(&mut self, name: &str) -> Result<Item, String> {
        let mut item = random_item(&mut self.world, name)?;
        item.extend(self.hot_key(name)?);
        Ok(item)
    }

    /// A random key, and often one that others write too.
    fn hot_key(&mut self, name: &str) -> Result<Item, String> {
        let now = self.world.now_seconds();
        let on_the_way = self.effects.iter().flat_map(|(_, writes)| writes);
        let mut hot: Vec<Item> =
            on_the_way.filter(|(table, _, _)| table == name).map(|(_, key, _)| key.clone()).collect();
        hot.extend(self.latest(name)?.expired(now));
        if hot.is_empty() || self.world.chance.one_in(2) {
            return random_key(&mut self.world, name);
        }
        Ok(self.world.chance.pick(&hot).clone())
    }

    pub(super) fn batch_write(&mut self, client: usize) -> Result<(), String> {
        let name = any_table(&mut self.world);
        let mut requests: Vec<Json> = Vec::new();
        let (mut keys, mut held): (Vec<Item>, Vec<Json>) = (Vec::new(), Vec::new());
        let mut plan = Plan::looking(Due::Done, Vec::new());
        let mut valid = true;
        let most = if self.world.chance.one_in(4) { 25 } else { 5 };
        for _ in 0..=self.world.chance.below(most) {
            let item = random_item(&mut self.world, &name)?;
            let deletes = self.world.chance.one_in(3);
            let table = self.latest(&name)?;
            let key = table.key_of(&item);
            if keys.contains(&key) {
                continue;
            }
            keys.push(key.clone());
            let wrote = if deletes { key.clone() } else { item.clone() };
            valid &= deletes || table.accepts(&item);
            requests.push(if deletes {
                json!({"DeleteRequest": {"Key": key}})
            } else {
                json!({"PutRequest": {"Item": item}})
            });
            if self.is_marked(&name, &key) {
                held.push(Json::Object(wrote));
            } else {
                plan.reads.push((name.clone(), key.clone()));
                plan.writes.push((name.clone(), key, (!deletes).then_some(item)));
            }
        }
        plan.due = Due::Unprocessed(name.clone(), held);
        if !valid {
            plan = Plan::at_once("ValidationException");
        }
        self.ask(client, "BatchWriteItem", &json!({"RequestItems": {&name: requests}}), plan)
    }
}
