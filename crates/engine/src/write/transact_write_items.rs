//! TransactWriteItems: up to a hundred changes in one moment, once for each client token.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};

use bytes::Bytes;
use item::Item;
use op::{
    Error, Kind, Output, Reason, ReasonCode, TransactAct, TransactAction, TransactWriteItems,
    TransactWriteItemsOutput, limits,
};
use storage::{Batch, Direction, Key, Range, Ticket};

use crate::capacity::{Meter, ReadMode, Transaction, read_units};
use crate::catalog::CATALOG;
use crate::commit::{self, Aside, Change, Done, Old, Refusal};
use crate::marks::Mark;
use crate::{Engine, Pending, Tables, internal, plan};

/// Client tokens lie in the catalog's space: by their text, and by the time they end.
pub(crate) const TOKEN: &[u8] = b"token/";
const TOKEN_END: &[u8] = b"token_end/";
/// How many tokens are trimmed in one step of background work.
const TRIM_STEP: usize = 500;

pub(crate) fn run(engine: &Engine, request: TransactWriteItems) -> Pending {
    match write(engine, request) {
        Ok((result, ticket, mark)) => {
            mark.ordered(ticket);
            Pending { mark: Some(mark), ..engine.pending(result.map(Output::TransactWriteItems), ticket) }
        }
        Err(error) => engine.read(Err(error)),
    }
}

type Written = (Result<TransactWriteItemsOutput, Error>, Ticket, Mark);

fn write(engine: &Engine, request: TransactWriteItems) -> Result<Written, Error> {
    let cells = engine.cells(request.actions.iter().map(|action| action.table.as_str()))?;
    let tables = engine.usable(&cells)?;
    let mut changes = Vec::with_capacity(request.actions.len());
    let mut collections: Vec<(String, Item)> = Vec::new();
    let mut refusals = Vec::new();
    for action in request.actions {
        let table = tables.get(&action.table)?;
        let item = match &action.act {
            TransactAct::Put { item, .. } => item,
            TransactAct::Update { key, .. }
            | TransactAct::Delete { key, .. }
            | TransactAct::Check { key, .. } => key,
        };
        let collection = super::collection(table, item, request.metrics);
        collections.extend(collection.map(|key| (action.table.clone(), key)));
        match change(&tables, action) {
            Ok(change) => {
                changes.push(change);
                refusals.push(None);
            }
            Err(error) => refusals.push(Some(error)),
        }
    }
    if refusals.iter().any(Option::is_some) {
        return Err(invalid_actions(refusals));
    }
    distinct(&changes)?;
    if changes.iter().map(Change::put_bytes).sum::<usize>() > limits::TRANSACT_BYTES_MAX {
        return Err(Error::validation(
            "Collection size of items exceeded, which can also be caused by the aggregate size of the items in the \
             transaction exceeding the 4MB limit",
        ));
    }
    let mut token = request.token.map(|token| Token::new(engine, token, request.digest));
    let mark = mark(engine, &changes, token.as_ref())?;
    let aside = token.as_mut().map(|token| token as &mut dyn Aside);
    let (results, ticket) = commit::all(engine, &changes, aside)?;
    if token.as_ref().is_some_and(|token| token.repeated) {
        return Ok((Ok(repeated(engine, &changes, request.capacity)?), ticket, mark));
    }
    let result = outcome(results).and_then(|done| {
        let mut meters: BTreeMap<&str, Meter> = BTreeMap::new();
        for (change, done) in changes.iter().zip(&done) {
            let name = change.table().name.as_str();
            let meter =
                meters.entry(name).or_insert_with(|| Meter::of_transaction(name, Transaction::Writes));
            meter.add_write(done.before_bytes, done.after_bytes, &done.indexes);
        }
        let capacity = meters.into_values().filter_map(|meter| meter.report(request.capacity)).collect();
        let metrics = super::batch_write_item::metrics(engine, &changes, collections)?;
        Ok(TransactWriteItemsOutput { capacity, metrics })
    });
    Ok((result, ticket, mark))
}

fn change<'a>(tables: &'a Tables<'a>, action: TransactAction) -> Result<Change<'a>, Error> {
    let table = tables.get(&action.table)?;
    let change = match action.act {
        TransactAct::Put { item, condition } => Change::put(table, item, condition)?,
        TransactAct::Update { key, update, condition } => {
            Change::update(table, key, Some(update), condition)?
        }
        TransactAct::Delete { key, condition } => Change::delete(table, &key, condition)?,
        TransactAct::Check { key, condition } => Change::check(table, &key, condition)?,
    };
    Ok(change.showing(Old::Unwanted, action.on_failure))
}

/// OBSERVED: an action that does not fit its table cancels the transaction with a ValidationError at its place; an item
/// that is too large and a key that is empty are refused as they would be alone.
fn invalid_actions(refusals: Vec<Option<Error>>) -> Error {
    let alone = |error: &&Error| error.message == plan::ITEM_TOO_LARGE || plan::is_empty_key(error);
    if let Some(error) = refusals.iter().flatten().find(alone) {
        return error.clone();
    }
    let reason = |error: Option<Error>| match error {
        None => Reason::none(),
        Some(error) => Reason { code: ReasonCode::ValidationError, message: Some(error.message), item: None },
    };
    Error::cancelled(refusals.into_iter().map(reason).collect())
}

fn distinct(changes: &[Change<'_>]) -> Result<(), Error> {
    let mut keys: Vec<_> = changes.iter().map(Change::key).collect();
    keys.sort_unstable();
    if keys.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(Error::validation("Transaction request cannot include multiple operations on one item"));
    }
    Ok(())
}

/// Keeps others off the items until the transaction is durable.
fn mark(engine: &Engine, changes: &[Change<'_>], token: Option<&Token>) -> Result<Mark, Error> {
    let keys = changes.iter().map(Change::key).chain(token.map(Token::key)).collect();
    engine.marks.try_mark(keys).map_err(|taken| {
        if token.is_some() && taken.last() == Some(&true) {
            return Error::new(
                Kind::TransactionInProgress,
                "Transaction with the given request token is already in progress",
            );
        }
        let reason = |taken: &bool| match taken {
            false => Reason::none(),
            true => Reason {
                code: ReasonCode::TransactionConflict,
                message: Some("Transaction is ongoing for the item".to_string()),
                item: None,
            },
        };
        Error::cancelled(taken.iter().take(changes.len()).map(reason).collect())
    })
}

/// Everything was done, or one reason a change.
fn outcome(results: Vec<Result<Done, Refusal>>) -> Result<Vec<Done>, Error> {
    if results.iter().all(Result::is_ok) {
        return Ok(results.into_iter().flatten().collect());
    }
    let mut reasons = Vec::with_capacity(results.len());
    for result in results {
        reasons.push(match result {
            Ok(_) => Reason::none(),
            Err(Refusal::Condition(item)) => Reason {
                code: ReasonCode::ConditionalCheckFailed,
                message: Some("The conditional request failed".to_string()),
                item,
            },
            Err(Refusal::Invalid(error)) if error.kind == Kind::Validation => {
                Reason { code: ReasonCode::ValidationError, message: Some(error.message), item: None }
            }
            Err(Refusal::Invalid(error)) => return Err(error),
        });
    }
    Err(Error::cancelled(reasons))
}

/// A repetition writes nothing; it consumes what reading the items costs.
fn repeated(
    engine: &Engine,
    changes: &[Change<'_>],
    detail: op::CapacityDetail,
) -> Result<TransactWriteItemsOutput, Error> {
    let mut meters: BTreeMap<&str, Meter> = BTreeMap::new();
    for change in changes {
        let key = change.key();
        let value = engine.store.get(key.space, &key.bytes).map_err(internal)?;
        let bytes = value.as_deref().and_then(crate::layout::size_of_value).unwrap_or(0);
        let name = change.table().name.as_str();
        let meter = meters.entry(name).or_insert_with(|| Meter::of_transaction(name, Transaction::Reads));
        meter.add_table(read_units(bytes, ReadMode::Transactional));
    }
    let capacity = meters.into_values().filter_map(|meter| meter.report(detail)).collect();
    Ok(TransactWriteItemsOutput { capacity, metrics: BTreeMap::new() })
}

/// A client token, written with the transaction it belongs to.
struct Token {
    text: String,
    digest: u64,
    now_ms: u64,
    /// The token was used for the same request: nothing is to be done.
    repeated: bool,
}

impl Token {
    fn new(engine: &Engine, text: String, digest: u64) -> Token {
        Token { text, digest, now_ms: engine.env.now_ms(), repeated: false }
    }

    fn key(&self) -> Key {
        Key::new(CATALOG, [TOKEN, self.text.as_bytes()].concat())
    }

    fn expiry_key(&self, ends_ms: u64) -> Bytes {
        [TOKEN_END, &ends_ms.to_be_bytes(), self.text.as_bytes()].concat().into()
    }
}

impl Aside for Token {
    fn keys(&self) -> Vec<Key> {
        vec![self.key()]
    }

    fn apply(&mut self, values: &[Option<Bytes>], batch: &mut Batch) -> Result<(), Error> {
        self.repeated = false;
        let known = values.first().and_then(Option::as_ref).and_then(|value| read_token(value));
        if let Some((digest, ends_ms)) = known {
            if ends_ms > self.now_ms && digest != self.digest {
                return Err(Error::new(
                    Kind::IdempotentParameterMismatch,
                    "An error occurred (IdempotentParameterMismatchException)",
                ));
            }
            if ends_ms > self.now_ms {
                self.repeated = true;
                return Err(Error::internal());
            }
            batch.delete(CATALOG, self.expiry_key(ends_ms));
        }
        let ends_ms = self.now_ms + limits::CLIENT_TOKEN_LIFE_MS;
        let value = [self.digest.to_be_bytes(), ends_ms.to_be_bytes()].concat();
        batch.put(CATALOG, self.key().bytes, value);
        batch.put(CATALOG, self.expiry_key(ends_ms), Bytes::new());
        Ok(())
    }
}

/// Digest and end of a token.
fn read_token(value: &[u8]) -> Option<(u64, u64)> {
    let (digest, rest) = value.split_first_chunk::<8>()?;
    Some((u64::from_be_bytes(*digest), u64::from_be_bytes(*rest.first_chunk::<8>()?)))
}

/// Removes tokens whose ten minutes are over. Answers whether there may be more.
pub(crate) fn trim_tokens(engine: &Engine) -> Result<bool, storage::Error> {
    let now_ms = engine.env.now_ms();
    let mut ended = Vec::new();
    let range = Range {
        from: Bound::Included(Bytes::from_static(TOKEN_END)),
        to: Bound::Excluded([TOKEN_END, &now_ms.to_be_bytes()].concat().into()),
    };
    let scanned = engine.store.scan(CATALOG, &range, Direction::Forward, &mut |key, _| {
        ended.push(Bytes::copy_from_slice(key));
        if ended.len() < TRIM_STEP { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    match scanned {
        // There was never a table, so there was never a transaction.
        Err(storage::Error::NoSpace { .. }) => return Ok(false),
        scanned => scanned?,
    }
    for expiry in &ended {
        let text = expiry.get(TOKEN_END.len() + size_of::<u64>()..).unwrap_or_default();
        let key = Key::new(CATALOG, [TOKEN, text].concat());
        engine.store.apply(std::slice::from_ref(&key), &mut |values| {
            let mut batch = Batch::new();
            batch.delete(CATALOG, expiry.clone());
            let known = values.first().and_then(Option::as_ref).and_then(|value| read_token(value));
            // A token that was used again has a later end; its record stays.
            if known.is_some_and(|(_, ends_ms)| ends_ms <= now_ms) {
                batch.delete(CATALOG, key.bytes.clone());
            }
            Some(batch)
        })?;
    }
    Ok(ended.len() == TRIM_STEP)
}
