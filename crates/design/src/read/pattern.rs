//! Access patterns as the file has them. Knows no entities.

use super::expression;
use super::nodes::Nodes;
use crate::model::{At, Expect, Pattern, Step};
use crate::yaml::{Content, Node};

/// The keys of a pattern.
pub(crate) const PATTERN_KEYS: [&str; 32] = [
    "description",
    "seed",
    "implied",
    "operation",
    "entity",
    "table",
    "index_name",
    "parameters",
    "range_condition",
    "filter",
    "filter_expression",
    "condition",
    "condition_expression",
    "update",
    "update_expression",
    "projection",
    "sample",
    "samples",
    "actions",
    "consistent_read",
    "scan_index_forward",
    "limit",
    "full_key",
    "then",
    "expect",
    "expect_any_order",
    "expect_error",
    "rps",
    "per_day",
    "freshness",
    "return_type",
    "pattern_id",
];

/// The keys of a step after the first, and of an action of a batch or a transaction.
pub(crate) const ACTION_KEYS: [&str; 21] = [
    "description",
    "operation",
    "entity",
    "table",
    "index_name",
    "parameters",
    "range_condition",
    "filter",
    "filter_expression",
    "condition",
    "condition_expression",
    "update",
    "update_expression",
    "projection",
    "sample",
    "samples",
    "actions",
    "consistent_read",
    "scan_index_forward",
    "limit",
    "full_key",
];

/// What a step may do.
pub(crate) const OPERATIONS: [&str; 11] = [
    "GetItem",
    "Query",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "Scan",
    "BatchGetItem",
    "BatchWriteItem",
    "TransactGetItems",
    "TransactWriteItems",
    "ConditionCheck",
];

/// Conditions on a sort key.
pub(crate) const RANGE_CONDITIONS: [&str; 7] = ["begins_with", "between", ">=", "<=", ">", "<", "="];

pub(super) fn read(nodes: &mut Nodes<'_>, name: &At<String>, node: &Node) -> Option<Pattern> {
    let what = format!("access pattern {}", name.value);
    let entries = nodes.map(node, &what);
    nodes.known(entries, &PATTERN_KEYS, &what);
    let text = |key| node.get(key).and_then(Node::text).map(str::to_owned);
    let implied = text("implied").map(|why| format!("implied: {why}"));
    let mut pattern = Pattern {
        name: name.clone(),
        description: text("description"),
        origin: text("seed").or(implied),
        steps: vec![step(nodes, node, &what)?],
        ..Pattern::default()
    };
    if let Some(then) = node.get("then") {
        for node in nodes.list(then, "then") {
            let entries = nodes.map(node, &what);
            nodes.known(entries, &ACTION_KEYS, &format!("{what}.then"));
            pattern.steps.extend(step(nodes, node, &what));
        }
    }
    pattern.expect = expect(nodes, node, &what);
    pattern.expect_error = nodes.text_at(node, "expect_error");
    pattern.rps = nodes.decimal_at(node, "rps");
    pattern.per_day = nodes.decimal_at(node, "per_day");
    pattern.freshness = nodes.text_at(node, "freshness");
    Some(pattern)
}

fn step(nodes: &mut Nodes<'_>, node: &Node, what: &str) -> Option<Step> {
    let operation = nodes.required(node, "operation", what, node.place);
    let operation = nodes.choice(operation, &OPERATIONS, &format!("{what}.operation"))?;
    let mut step = Step { operation, ..Step::default() };
    step.entity = nodes.text_at(node, "entity");
    step.table = nodes.text_at(node, "table");
    step.index = nodes.text_at(node, "index_name");
    for (name, value) in nodes.entries(node, "parameters") {
        let name = At { value: name.value.trim_start_matches(':').to_owned(), place: name.place };
        step.parameters.push((name, value.plain()));
    }
    let range = nodes.text_at(node, "range_condition");
    step.range_condition = nodes.choice(range, &RANGE_CONDITIONS, &format!("{what}.range_condition"));
    step.filter = expression::read(nodes, node, "filter", "filter_expression");
    step.condition = expression::read(nodes, node, "condition", "condition_expression");
    step.update = expression::read(nodes, node, "update", "update_expression");
    step.projection = nodes.texts(node.get("projection"), "projection");
    step.samples = nodes.texts(node.get("sample"), "sample");
    step.samples.extend(nodes.texts(node.get("samples"), "samples"));
    step.consistent = nodes.flag(node, "consistent_read", false);
    step.forward = nodes.flag(node, "scan_index_forward", true);
    step.limit = nodes.count_at(node, "limit");
    step.full_key = nodes.flag(node, "full_key", false);
    if let Some(actions) = node.get("actions") {
        for node in nodes.list(actions, "actions") {
            let entries = nodes.map(node, what);
            nodes.known(entries, &ACTION_KEYS, &format!("{what}.actions"));
            step.actions.extend(self::step(nodes, node, what));
        }
    }
    Some(step)
}

/// `[a, b]`, `a`, `[]`, `nothing`, a count, or a map with `count`, `any_order` or `attributes`.
fn expect(nodes: &mut Nodes<'_>, root: &Node, what: &str) -> Option<Expect> {
    if let Some(node) = root.get("expect_any_order") {
        return Some(Expect::AnyOrder(nodes.texts(Some(node), "expect_any_order")));
    }
    let node = root.get("expect")?;
    match &node.content {
        Content::List(list) if list.is_empty() => Some(Expect::Nothing(node.place)),
        Content::List(_) => Some(Expect::InOrder(nodes.texts(Some(node), "expect"))),
        Content::Scalar { text, .. } if node.is_null() || text == "nothing" => {
            Some(Expect::Nothing(node.place))
        }
        Content::Scalar { text, .. } => Some(match text.parse::<usize>() {
            Ok(count) => Expect::Count(count, node.place),
            Err(_) => Expect::InOrder(nodes.texts(Some(node), "expect")),
        }),
        Content::Map(entries) => {
            nodes.known(entries, &["count", "any_order", "attributes"], &format!("{what}.expect"));
            if let Some(count) = nodes.count_at(node, "count") {
                return Some(Expect::Count(count, node.place));
            }
            if let Some(names) = node.get("any_order") {
                return Some(Expect::AnyOrder(nodes.texts(Some(names), "any_order")));
            }
            let attributes = nodes.entries(node, "attributes");
            let attributes = attributes.iter().map(|(name, node)| (name.clone(), node.plain())).collect();
            Some(Expect::Attributes(attributes, node.place))
        }
    }
}
