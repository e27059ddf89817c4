//! Requests whose answers wait. An answer must come when all it rests on is durable, and not earlier; then it must be what
//! the model said when the request was ordered.

use std::task::{Context, Poll, Waker};

use serde_json::{Value as Json, json};

use super::transactions::Spent;
use super::{Crowd, Writes, apply};
use crate::model::Item;
use crate::steps::{accepted, refused, same, unordered};
use crate::world::Answer;

/// What a request must come to.
#[derive(Debug, Clone)]
pub(super) enum Due {
    /// It is done, with these `Attributes`.
    Attributes(Json),
    /// It is done but for these keys, which the caller is to send again.
    Unprocessed(String, Vec<Json>),
    /// It is done.
    Done,
    /// An error of this kind.
    Refused(&'static str),
    /// The transaction is cancelled for these reasons.
    Cancelled(Vec<&'static str>),
    /// There is no room for what it adds.
    NoRoom,
    /// The store takes nothing any more.
    Fault,
}

/// What the model says of a request before it is asked.
pub(super) struct Plan {
    pub(super) due: Due,
    /// It is refused before the store is looked at.
    pub(super) at_once: bool,
    /// Items that it looks at.
    pub(super) reads: Vec<(String, Item)>,
    pub(super) writes: Writes,
    /// Items that it keeps others off until it is answered.
    pub(super) marks: Vec<(String, Item)>,
    /// Whether a token is written with it.
    pub(super) spends: Option<Spent>,
}

/// A request that is not answered yet.
pub(super) struct Held {
    answer: Answer,
    operation: &'static str,
    request: String,
    due: Due,
    /// The commit that must be durable before it is answered.
    rests: u64,
    pub(super) marks: Vec<(String, Item)>,
    pub(super) spends: Option<Spent>,
}

impl Plan {
    pub(super) fn at_once(kind: &'static str) -> Plan {
        Plan { at_once: true, ..Plan::looking(Due::Refused(kind), Vec::new()) }
    }

    pub(super) fn looking(due: Due, reads: Vec<(String, Item)>) -> Plan {
        Plan { due, at_once: false, reads, writes: Vec::new(), marks: Vec::new(), spends: None }
    }
}

impl Crowd {
    /// Asks for a client; the answer waits.
    pub(super) fn ask(
        &mut self,
        client: usize,
        operation: &'static str,
        request: &Json,
        mut plan: Plan,
    ) -> Result<(), String> {
        if self.disk.is_full() && adds(operation, request) {
            plan = Plan { at_once: true, ..Plan::looking(Due::NoRoom, Vec::new()) };
        } else if self.disk.has_failed() && !plan.at_once {
            plan = Plan::looking(Due::Fault, Vec::new());
        }
        let request = request.to_string();
        let before = self.disk.ordered();
        let answer = self.world.begin(operation, &request)?;
        let ordered = self.disk.ordered();
        // What stays as it is, is not written, and nobody will rest on it.
        plan.writes.retain(|(name, key, item)| {
            let there = self.ordered.tables.get(name).and_then(|table| table.get(key));
            there != item.as_ref()
        });
        let commits = u64::from(!plan.writes.is_empty() || plan.spends.as_ref().is_some_and(Spent::is_new));
        same("the number of commits", &json!(commits), &json!(ordered - before))?;
        let rests = if ordered > before { ordered } else { self.rests_on(&plan.reads) };
        apply(&mut self.ordered, &plan.writes);
        if ordered > before {
            self.effects.push_back((ordered, plan.writes));
        }
        let held =
            Held { answer, operation, request, due: plan.due, rests, marks: plan.marks, spends: plan.spends };
        if let Some(place) = self.clients.get_mut(client) {
            *place = Some(held);
        }
        // Nothing waits for something that is there.
        if rests == 0 && self.world.chance.one_in(2) { self.listen(client) } else { Ok(()) }
    }

    pub(super) fn listen_to_any(&mut self) -> Result<(), String> {
        let client = self.world.chance.below(self.clients.len());
        self.listen(client)
    }

    pub(super) fn listen_to_all(&mut self) -> Result<(), String> {
        for client in 0..self.clients.len() {
            self.listen(client)?;
            if self.clients.get(client).is_some_and(Option::is_some) {
                return Err("a client waits for something that is done".into());
            }
        }
        Ok(())
    }

    /// Looks whether a client's answer is there.
    pub(super) fn listen(&mut self, client: usize) -> Result<(), String> {
        let Some(mut held) = self.clients.get_mut(client).and_then(Option::take) else { return Ok(()) };
        self.world.asked = format!("{} {}", held.operation, held.request);
        let is_durable = held.rests <= self.disk.durable();
        let has_failed = self.disk.has_failed();
        match held.answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending if is_durable || has_failed => Err("the answer does not come".into()),
            Poll::Pending => {
                if let Some(place) = self.clients.get_mut(client) {
                    *place = Some(held);
                }
                Ok(())
            }
            Poll::Ready(_) if !is_durable && !has_failed => {
                Err(format!("the answer came before the commit {} was durable", held.rests))
            }
            Poll::Ready(answer) => {
                let (status, answer) = self.world.told(&held.request, &answer)?;
                let due = if is_durable { &held.due } else { &Due::Fault };
                judge(due, status, &answer)?;
                self.spent.extend(held.spends.filter(|_| status == 200));
                Ok(())
            }
        }
    }

    /// Whether a transaction keeps others off an item.
    pub(super) fn is_marked(&self, table: &str, key: &Item) -> bool {
        let marks = self.clients.iter().flatten().flat_map(|held| &held.marks);
        marks.into_iter().any(|(name, item)| name == table && item == key)
    }
}

/// Whether a request may add something.
fn adds(operation: &str, request: &Json) -> bool {
    let has = |name: &str| {
        let mut lists = request.as_object().into_iter().flat_map(|members| members.values());
        lists.any(|list| {
            let inner = list.as_object().into_iter().flat_map(|tables| tables.values()).chain([list]);
            inner.filter_map(Json::as_array).flatten().any(|one| one.get(name).is_some())
        })
    };
    match operation {
        "PutItem" | "UpdateItem" => true,
        "BatchWriteItem" => has("PutRequest"),
        "TransactWriteItems" => has("Put") || has("Update"),
        _ => false,
    }
}

fn judge(due: &Due, status: u16, answer: &Json) -> Result<(), String> {
    let member = |name: &str| answer.get(name).cloned().unwrap_or(Json::Null);
    match due {
        Due::Attributes(told) => {
            accepted(status, answer)?;
            same("the item told", told, &member("Attributes"))
        }
        Due::Unprocessed(table, keys) => {
            accepted(status, answer)?;
            let left = member("UnprocessedItems").get(table).and_then(Json::as_array).cloned();
            let wrote = |request: &Json| {
                let item = request.pointer("/PutRequest/Item").or(request.pointer("/DeleteRequest/Key"));
                item.cloned().unwrap_or_default()
            };
            let left = left.unwrap_or_default().iter().map(wrote).collect();
            same("what is not processed", &unordered(keys.clone()), &unordered(left))
        }
        Due::Done => accepted(status, answer),
        Due::Refused(kind) => refused(kind, status, answer),
        Due::Cancelled(reasons) => {
            refused("TransactionCanceledException", status, answer)?;
            let told = member("CancellationReasons").as_array().cloned().unwrap_or_default();
            let codes: Vec<&Json> = told.iter().filter_map(|reason| reason.get("Code")).collect();
            same("the reasons", &json!(reasons), &json!(codes))
        }
        Due::NoRoom if status == 503 => Ok(()),
        Due::NoRoom => Err(format!("there is no room, the database answered {status} {answer}")),
        Due::Fault if status == 500 => Ok(()),
        Due::Fault => Err(format!("the store failed, the database answered {status} {answer}")),
    }
}
