//! Transactions among others: all of it or nothing, and nobody else comes near the items before it is answered.

use serde_json::{Value as Json, json};

use super::answers::{Due, Plan};
use super::{Crowd, Writes};
use crate::model::{Condition, Item};
use crate::steps::items::Change;
use crate::steps::{
    accepted, any_table, random_condition, random_item, random_key, refused, same, with_condition,
};

/// Tokens are known for ten minutes. This is enough less to be sure.
const TOKEN_SECONDS: i64 = 300;
/// Where the mark of a token is, in place of a table.
const TOKENS: &str = "the tokens";

/// A transaction whose token is spent, to be sent again.
#[derive(Debug, Clone)]
pub(super) struct Spent {
    request: Json,
    token: Item,
    keys: Vec<(String, Item)>,
    /// What it puts; a table may not take it any more.
    puts: Vec<(String, Item)>,
    until_seconds: i64,
    again: bool,
}

impl Spent {
    /// Whether the token is written with the request.
    pub(super) fn is_new(&self) -> bool {
        !self.again
    }

    /// Whether it has something to do with a table.
    pub(super) fn is_of(&self, table: &str) -> bool {
        self.keys.iter().any(|(name, _)| name == table)
    }
}

/// An action and what it comes to.
struct Action {
    table: String,
    key: Item,
    request: Json,
    put: Option<Item>,
    /// What stops it when the items are looked at.
    reason: &'static str,
    /// The item afterwards, if it is written.
    after: Option<Option<Item>>,
}

impl Crowd {
    pub(super) fn transact(&mut self, client: usize) -> Result<(), String> {
        if self.world.chance.one_in(4) && !self.spent.is_empty() {
            return self.transact_again(client);
        }
        let mut actions: Vec<Action> = Vec::new();
        for _ in 0..=self.world.chance.below(4) {
            let action = self.random_action()?;
            if !actions.iter().any(|other| other.table == action.table && other.key == action.key) {
                actions.push(action);
            }
        }
        let requests: Vec<&Json> = actions.iter().map(|action| &action.request).collect();
        let mut request = json!({"TransactItems": requests});
        let mut token = Item::new();
        if self.world.chance.one_in(2) {
            let text = format!("token-{}", self.world.chance.next());
            token.insert("ClientRequestToken".into(), json!(text));
            if let Some(request) = request.as_object_mut() {
                request.extend(token.clone());
            }
        }
        let plan = self.plan(&actions, token, &request)?;
        self.ask(client, "TransactWriteItems", &request, plan)
    }

    fn plan(&self, actions: &[Action], token: Item, request: &Json) -> Result<Plan, String> {
        let keys: Vec<(String, Item)> =
            actions.iter().map(|action| (action.table.clone(), action.key.clone())).collect();
        let mut unfit = Vec::new();
        let mut puts = Vec::new();
        for action in actions {
            let accepts = match &action.put {
                Some(item) => self.latest(&action.table)?.accepts(item),
                None => true,
            };
            unfit.push(if accepts { "None" } else { "ValidationError" });
            puts.extend(action.put.clone().map(|item| (action.table.clone(), item)));
        }
        if let Some(plan) = stopped(unfit).or_else(|| self.conflict(&keys)) {
            return Ok(plan);
        }
        let reasons: Vec<&'static str> = actions.iter().map(|action| action.reason).collect();
        let mut marks = keys.clone();
        if !token.is_empty() {
            marks.push((TOKENS.into(), token.clone()));
        }
        if reasons.iter().any(|reason| *reason != "None") {
            return Ok(Plan { marks, ..Plan::looking(Due::Cancelled(reasons), keys) });
        }
        let writes: Writes = actions
            .iter()
            .filter_map(|action| Some((action.table.clone(), action.key.clone(), action.after.clone()?)))
            .collect();
        let until_seconds = self.world.now_seconds() + TOKEN_SECONDS;
        let spends = (!token.is_empty()).then(|| Spent {
            request: request.clone(),
            token,
            keys: keys.clone(),
            puts,
            until_seconds,
            again: false,
        });
        Ok(Plan { marks, writes, spends, ..Plan::looking(Due::Done, keys) })
    }

    /// A table goes: what was sent to it does not fit the next one of its name, and keeps nobody off items there.
    pub(super) fn forget_sent_to(&mut self, table: &str) {
        self.spent.retain(|spent| !spent.is_of(table));
        for held in self.clients.iter_mut().flatten() {
            held.spends.take_if(|spent| spent.is_of(table));
            held.marks.retain(|(name, _)| name != table);
        }
    }

    /// Sends one again whose token is spent: it must change nothing.
    fn transact_again(&mut self, client: usize) -> Result<(), String> {
        let place = self.world.chance.below(self.spent.len());
        let spent = self.spent.swap_remove(place);
        let fits = |(name, item): &(String, Item)| {
            self.ordered.tables.get(name).is_some_and(|table| table.accepts(item))
        };
        let is_there = |(name, _): &(String, Item)| self.ordered.tables.contains_key(name);
        let is_known = spent.until_seconds > self.world.now_seconds();
        if !is_known || !spent.keys.iter().all(is_there) || !spent.puts.iter().all(fits) {
            return Ok(());
        }
        let mut marks = spent.keys.clone();
        marks.push((TOKENS.into(), spent.token.clone()));
        let plan = if self.is_marked(TOKENS, &spent.token) {
            Plan::at_once("TransactionInProgressException")
        } else if let Some(plan) = self.conflict(&spent.keys) {
            plan
        } else {
            let spends = Some(Spent { again: true, ..spent.clone() });
            Plan { marks, spends, ..Plan::looking(Due::Done, spent.keys) }
        };
        self.ask(client, "TransactWriteItems", &spent.request, plan)
    }

    /// The plan of a transaction whose items another one keeps, if that is so.
    fn conflict(&self, keys: &[(String, Item)]) -> Option<Plan> {
        let taken = keys.iter().map(|(name, key)| self.is_marked(name, key));
        stopped(taken.map(|taken| if taken { "TransactionConflict" } else { "None" }).collect())
    }

    fn random_action(&mut self) -> Result<Action, String> {
        let name = any_table(&mut self.world);
        let kind = self.world.chance.below(4);
        let item = random_item(&mut self.world, &name)?;
        let key = random_key(&mut self.world, &name)?;
        let mut change = Change::random(&mut self.world);
        if change.is_nothing() {
            change = Change::Add(1);
        }
        let condition = random_condition(&mut self.world);
        let condition = condition.or((kind == 3).then(|| Condition::Exists("pk".into())));
        let table = self.latest(&name)?;
        let key = if kind == 0 { table.key_of(&item) } else { key };
        let before = table.get(&key);
        let fails = condition.as_ref().is_some_and(|condition| !condition.holds(before));
        let mut reason = if fails { "ConditionalCheckFailed" } else { "None" };
        let mut request = json!({"TableName": name, "Key": key});
        let (member, put, after) = match kind {
            0 => {
                request = json!({"TableName": name, "Item": item});
                ("Put", Some(item.clone()), Some(Some(item)))
            }
            1 => {
                change.write(&mut request);
                let after = change.apply(before.unwrap_or(&key)).filter(|after| change.fits(table, after));
                if after.is_none() && !fails {
                    reason = "ValidationError";
                }
                ("Update", None, Some(after))
            }
            2 => ("Delete", None, Some(None)),
            _ => ("ConditionCheck", None, None),
        };
        with_condition(&mut request, condition.as_ref());
        Ok(Action { table: name, key, request: json!({member: request}), put, reason, after })
    }

    pub(super) fn transact_get(&mut self) -> Result<(), String> {
        let mut gets: Vec<(String, Item)> = Vec::new();
        for _ in 0..=self.world.chance.below(5) {
            let name = any_table(&mut self.world);
            let key = random_key(&mut self.world, &name)?;
            if !gets.contains(&(name.clone(), key.clone())) {
                gets.push((name, key));
            }
        }
        let requests: Vec<Json> =
            gets.iter().map(|(table, key)| json!({"Get": {"TableName": table, "Key": key}})).collect();
        let (status, answer) = self.world.ask("TransactGetItems", &json!({"TransactItems": requests}))?;
        if self.conflict(&gets).is_some() {
            return refused("TransactionCanceledException", status, &answer);
        }
        accepted(status, &answer)?;
        let item = |(name, key): &(String, Item)| {
            let item = self.world.model.tables.get(name).and_then(|table| table.get(key));
            item.map_or(json!({}), |item| json!({"Item": item}))
        };
        let due: Vec<Json> = gets.iter().map(item).collect();
        same("the items", &json!(due), answer.get("Responses").unwrap_or(&Json::Null))
    }
}

/// The plan of a transaction that is cancelled before the items are looked at, if there is a reason.
fn stopped(reasons: Vec<&'static str>) -> Option<Plan> {
    let is_stopped = reasons.iter().any(|reason| *reason != "None");
    is_stopped.then(|| Plan { at_once: true, ..Plan::looking(Due::Cancelled(reasons), Vec::new()) })
}
