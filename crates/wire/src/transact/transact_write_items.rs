//! TransactWriteItems. Knows no table.

use expr::{Placeholders, Update};
use op::{
    Error, Operation, TransactAct, TransactAction, TransactWriteItems, TransactWriteItemsOutput, limits,
};

use super::digest::Digest;
use crate::common::{self, CAPACITY_NAMES, METRICS_NAMES, ON_FAILURE_NAMES, Parameters};
use crate::consumed;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::json::Json;
use crate::request::Request;
use crate::rule::{Rule, Test, rule};
use crate::shape::{ITEM, Member, NAMES, Shape};
use crate::value::Wording;
use crate::write::Object;

const TOKEN_LENGTH_MAX: usize = 36;

static CHECK: &[Member] = &[
    ("Key", &ITEM),
    ("TableName", &Shape::Text),
    ("ConditionExpression", &Shape::Text),
    ("ExpressionAttributeNames", &NAMES),
    ("ExpressionAttributeValues", &ITEM),
    ("ReturnValuesOnConditionCheckFailure", &Shape::Text),
    ("workloadProfileName", &Shape::Hidden),
];
static PUT: &[Member] = &[
    ("Item", &ITEM),
    ("TableName", &Shape::Text),
    ("ConditionExpression", &Shape::Text),
    ("ExpressionAttributeNames", &NAMES),
    ("ExpressionAttributeValues", &ITEM),
    ("ReturnValuesOnConditionCheckFailure", &Shape::Text),
    ("workloadProfileName", &Shape::Hidden),
];
static UPDATE: &[Member] = &[
    ("Key", &ITEM),
    ("UpdateExpression", &Shape::Text),
    ("TableName", &Shape::Text),
    ("ConditionExpression", &Shape::Text),
    ("ExpressionAttributeNames", &NAMES),
    ("ExpressionAttributeValues", &ITEM),
    ("ReturnValuesOnConditionCheckFailure", &Shape::Text),
    ("workloadProfileName", &Shape::Hidden),
];
static TRANSACT_WRITE_ITEM: Shape = Shape::Struct(
    "TransactWriteItem",
    &[
        ("ConditionCheck", &Shape::Struct("ConditionCheck", CHECK)),
        ("Put", &Shape::Struct("Put", PUT)),
        ("Delete", &Shape::Struct("Delete", CHECK)),
        ("Update", &Shape::Struct("Update", UPDATE)),
    ],
);

static REQUEST: Request = Request {
    input: "TransactWriteItemsInput",
    members: &[
        ("TransactItems", &Shape::List(&TRANSACT_WRITE_ITEM)),
        ("ReturnConsumedCapacity", &Shape::Text),
        ("ReturnItemCollectionMetrics", &Shape::Text),
        ("ClientRequestToken", &Shape::Text),
    ],
    stages: &[RULES],
    counted: false,
};

const RULES: &[Rule] = &[
    rule("TransactItems", Test::Required),
    rule("TransactItems", Test::LengthMin(1)),
    rule("TransactItems", Test::LengthMax(limits::TRANSACT_ACTIONS_MAX)),
    rule("ClientRequestToken", Test::LengthMin(1)),
    rule("ClientRequestToken", Test::LengthMax(TOKEN_LENGTH_MAX)),
    rule("ReturnConsumedCapacity", Test::OneOf(CAPACITY_NAMES)),
    rule("ReturnItemCollectionMetrics", Test::OneOf(METRICS_NAMES)),
    rule("TransactItems.*", Test::Required),
    rule("TransactItems.*.ConditionCheck.Key", Test::Required),
    rule("TransactItems.*.ConditionCheck.TableName", Test::Required),
    rule("TransactItems.*.ConditionCheck.TableName", Test::NameMin(3)),
    rule("TransactItems.*.ConditionCheck.TableName", Test::NameMax),
    rule("TransactItems.*.ConditionCheck.TableName", Test::NamePattern),
    rule("TransactItems.*.ConditionCheck.ConditionExpression", Test::Required),
    rule("TransactItems.*.ConditionCheck.ReturnValuesOnConditionCheckFailure", Test::OneOf(ON_FAILURE_NAMES)),
    rule("TransactItems.*.Put.Item", Test::Required),
    rule("TransactItems.*.Put.TableName", Test::Required),
    rule("TransactItems.*.Put.TableName", Test::NameMin(3)),
    rule("TransactItems.*.Put.TableName", Test::NameMax),
    rule("TransactItems.*.Put.TableName", Test::NamePattern),
    rule("TransactItems.*.Put.ReturnValuesOnConditionCheckFailure", Test::OneOf(ON_FAILURE_NAMES)),
    rule("TransactItems.*.Delete.Key", Test::Required),
    rule("TransactItems.*.Delete.TableName", Test::Required),
    rule("TransactItems.*.Delete.TableName", Test::NameMin(3)),
    rule("TransactItems.*.Delete.TableName", Test::NameMax),
    rule("TransactItems.*.Delete.TableName", Test::NamePattern),
    rule("TransactItems.*.Delete.ReturnValuesOnConditionCheckFailure", Test::OneOf(ON_FAILURE_NAMES)),
    rule("TransactItems.*.Update.Key", Test::Required),
    rule("TransactItems.*.Update.UpdateExpression", Test::Required),
    rule("TransactItems.*.Update.TableName", Test::Required),
    rule("TransactItems.*.Update.TableName", Test::NameMin(3)),
    rule("TransactItems.*.Update.TableName", Test::NameMax),
    rule("TransactItems.*.Update.TableName", Test::NamePattern),
    rule("TransactItems.*.Update.ReturnValuesOnConditionCheckFailure", Test::OneOf(ON_FAILURE_NAMES)),
];

const CONDITION_ONLY: Parameters = Parameters {
    expressions: &["ConditionExpression"],
    legacy: &[],
    values_without: Some(
        "ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null",
    ),
};
const WITH_UPDATE: Parameters = Parameters {
    expressions: &["UpdateExpression", "ConditionExpression"],
    legacy: &[],
    values_without: Some(
        "ExpressionAttributeValues can only be specified when using expressions: UpdateExpression and \
                     ConditionExpression are null",
    ),
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::TransactWriteItems)
}

fn read(fields: Fields<'_, '_>) -> Result<TransactWriteItems, Fault> {
    let items = fields.required_list("TransactItems")?;
    if items.is_empty() || items.len() > limits::TRANSACT_ACTIONS_MAX {
        return Err(Fault::unmet("TransactItems"));
    }
    let token = fields.text("ClientRequestToken")?;
    if token.is_some_and(|token| !(1..=TOKEN_LENGTH_MAX).contains(&token.chars().count())) {
        return Err(Fault::unmet("ClientRequestToken"));
    }
    let actions = items.iter().map(decode_action).collect::<Result<_, _>>()?;
    Ok(TransactWriteItems {
        actions,
        token: token.map(str::to_owned),
        digest: token.map_or(0, |_| Digest::without(fields.0, "ClientRequestToken")),
        capacity: common::capacity(fields)?,
        metrics: common::metrics(fields)?,
    })
}

fn decode_action(item: &Json<'_>) -> Result<TransactAction, Fault> {
    let fields = Fields::of(item)?;
    let kinds = ["ConditionCheck", "Put", "Delete", "Update"];
    let mut given = kinds.into_iter().filter(|kind| fields.has(kind));
    let kind = given.next().ok_or_else(|| {
        Fault::invalid("Invalid Request: TransactWriteRequest should contain Delete or Put or Update request")
    })?;
    if given.next().is_some() {
        return Err(Fault::invalid("TransactItems can only contain one of Check, Put, Update or Delete"));
    }
    let fields = fields.fields(kind)?.ok_or_else(|| Fault::unmet(kind))?;
    let table = common::table(fields)?;
    let parameters = if kind == "Update" { &WITH_UPDATE } else { &CONDITION_ONLY };
    let mut placeholders = common::placeholders(fields, parameters, Wording::Older)?;
    let act = decode_act(kind, fields, &mut placeholders)?;
    placeholders.finish()?;
    Ok(TransactAction { table, act, on_failure: common::on_failure(fields)? })
}

fn decode_act(
    kind: &str,
    fields: Fields<'_, '_>,
    placeholders: &mut Placeholders,
) -> Result<TransactAct, Fault> {
    if kind == "Put" {
        let item = common::item(fields, "Item", Wording::Older)?;
        common::refuse_large(&item)?;
        return Ok(TransactAct::Put { item, condition: common::condition(fields, placeholders)? });
    }
    let key = common::item(fields, "Key", Wording::Older)?;
    if kind == "Update" {
        let text = fields.required_text("UpdateExpression")?;
        let update = Update::parse(text, placeholders)?;
        return Ok(TransactAct::Update { key, update, condition: common::condition(fields, placeholders)? });
    }
    let condition = common::condition(fields, placeholders)?;
    if kind == "Delete" {
        return Ok(TransactAct::Delete { key, condition });
    }
    let condition = condition.ok_or_else(|| Fault::unmet("ConditionExpression"))?;
    Ok(TransactAct::Check { key, condition })
}

pub(crate) fn encode(output: &TransactWriteItemsOutput, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    consumed::write_all(&output.capacity, &mut object);
    consumed::write_metrics_of_tables(&output.metrics, &mut object);
    object.end();
}
