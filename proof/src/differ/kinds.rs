//! Every kind of difference that is understood, each with a name and the reason why Larder answers as it does. What fits
//! none of them is a problem until somebody has looked at it. "Recorded" means: a public suite of tests that were first
//! run against the service expects what Larder answers.

use serde_json::Value as Json;

use crate::wire::Answer;

/// A kind of difference.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
pub(crate) enum Kind {
    CheckedUnread,
    FirstOfTwoOperands,
    ConditionBeforeUpdate,
    FilterBeforeTable,
    FilterBeforeKeyCondition,
    PathsBeforeOperands,
    PathsBeforeItem,
    ProjectionConflict,
    OverlapTold,
    BinaryTold,
    FirstOfTwoKeys,
    ClausesInOrder,
    NoOldItem,
    TouchedElements,
}

impl Kind {
    /// Its name and who is right, by what evidence.
    pub(crate) fn told(self) -> (&'static str, &'static str) {
        match self {
            Kind::CheckedUnread => (
                "a fault in a part of an expression that the item never leads to",
                "Larder, recorded: wrong operand types, unknown type names and operands that are not distinct are \
                 refused even for a table that does not exist, so before any item is read (of `IN` and `BETWEEN` nobody \
                 recorded that they want distinct operands; the words of the error say so of all operators)",
            ),
            Kind::FirstOfTwoOperands => (
                "two faults in one expression",
                "Larder, recorded: parts are checked from left to right, each for all of its faults",
            ),
            Kind::ConditionBeforeUpdate => (
                "a fault in the condition, and an update that the item does not allow",
                "Larder: as above, the condition is refused before any item is read",
            ),
            Kind::FilterBeforeTable => (
                "a fault in the filter, which also names a key attribute",
                "Larder: the first needs no table, the second does; as above",
            ),
            Kind::FilterBeforeKeyCondition => (
                "a fault in the filter, and another in the key condition or the projection",
                "Larder, recorded: the filter is read first, the projection last",
            ),
            Kind::PathsBeforeOperands => (
                "overlapping paths in an update with an operand of a wrong type",
                "Larder, recorded: paths are told first",
            ),
            Kind::PathsBeforeItem => (
                "conflicting paths (`a.b` and `a[0]`) in an update",
                "Larder, recorded: refused before any item is read",
            ),
            Kind::ProjectionConflict => (
                "conflicting paths (`a.b` and `a[0]`) in a projection",
                "Larder, recorded: refused before any item is read",
            ),
            Kind::OverlapTold => (
                "which two of overlapping paths are told",
                "Larder, recorded: in the order of the text, the second being the last path of all",
            ),
            Kind::BinaryTold => (
                "`BINARY` or `Binary` in the text about a wrong operand",
                "Larder, recorded: all types are told in capitals",
            ),
            Kind::FirstOfTwoKeys => (
                "a filter that names both key attributes",
                "open: both refuse; Larder tells the one that comes first in the filter",
            ),
            Kind::ClausesInOrder => (
                "an update that the item does not allow in two of its clauses",
                "open: both refuse; Larder tells the one that comes first in the text",
            ),
            Kind::TouchedElements => (
                "`UPDATED_NEW` or `UPDATED_OLD` of an element of a list",
                "Larder, recorded: only what the path names is shown, not the whole list, and nothing where there was \
                 nothing",
            ),
            Kind::NoOldItem => (
                "`ALL_OLD` of an update that made the item",
                "Larder, recorded: there were no old attributes, not even a key",
            ),
        }
    }
}

/// What of an expression is refused without an item.
const UNREAD: [&str; 3] = [
    "Incorrect operand type for operator or function; operator or function: ",
    "Invalid attribute type name found; type: ",
    "The first operand must be distinct from the remaining operands",
];
/// What of an update is refused because of the item.
const BY_ITEM: [&str; 4] = [
    "The document path provided in the update expression is invalid for update",
    "The provided expression refers to an attribute that does not exist in the item",
    "An operand in the update expression has an incorrect data type",
    "One or more parameter values were invalid: Type mismatch for Index Key ",
];
const OPERAND: &str = "Invalid UpdateExpression: Incorrect operand type for operator or function; ";
const OVERLAP: &str = "Two document paths overlap with each other; ";
const CONFLICT: &str = "Two document paths conflict with each other; ";
const KEY_IN_FILTER: &str = "Filter Expression can only contain non-primary key attributes";

/// The kind of two answers to one update that show different attributes.
fn shown(request: &Json, ours: &Answer, theirs: &Answer) -> Option<Kind> {
    let of = |name: &str| request.get(name).and_then(Json::as_str).unwrap_or_default();
    match of("ReturnValues") {
        "ALL_OLD" if ours.body.get("Attributes").is_none() => Some(Kind::NoOldItem),
        "UPDATED_OLD" | "UPDATED_NEW" if of("UpdateExpression").contains('[') => {
            is_part(&ours.body, &theirs.body).then_some(Kind::TouchedElements)
        }
        _ => None,
    }
}

/// Whether the first is the second without some of its members, the rest in their order.
fn is_part(small: &Json, large: &Json) -> bool {
    match (small, large) {
        (Json::Object(small), Json::Object(large)) => {
            small.iter().all(|(name, value)| large.get(name).is_some_and(|other| is_part(value, other)))
        }
        (Json::Array(small), Json::Array(large)) => {
            let mut left = large.iter();
            small.iter().all(|value| left.any(|other| is_part(value, other)))
        }
        _ => small == large,
    }
}

/// The kind of two answers that differ, if it is known.
pub(crate) fn kind(operation: &str, request: &Json, ours: &Answer, theirs: &Answer) -> Option<Kind> {
    let (a, b) = (ours.text(), theirs.text());
    if ours.status == 200 {
        let is_update = operation == "UpdateItem" && theirs.status == 200;
        return shown(request, ours, theirs).filter(|_| is_update);
    }
    let runs = theirs.status == 200 || theirs.class() == "ConditionalCheckFailedException";
    let is_unread =
        |text: &str, of: &str| text.contains(of) && UNREAD.iter().any(|fault| text.contains(fault));
    let by_item = |text: &str| BY_ITEM.iter().any(|fault| text.starts_with(fault));
    for of in ["Invalid ConditionExpression: ", "Invalid FilterExpression: "] {
        if !is_unread(a, of) {
            continue;
        }
        return match () {
            () if runs => Some(Kind::CheckedUnread),
            () if is_unread(b, of) => Some(Kind::FirstOfTwoOperands),
            () if by_item(b) => Some(Kind::ConditionBeforeUpdate),
            () if b.starts_with(KEY_IN_FILTER) => Some(Kind::FilterBeforeTable),
            () if b.starts_with("Invalid KeyConditionExpression: ") => Some(Kind::FilterBeforeKeyCondition),
            () if b.starts_with("Invalid ProjectionExpression: ") => Some(Kind::FilterBeforeKeyCondition),
            () => None,
        };
    }
    let both = |text: &str| a.contains(text) && b.contains(text);
    let is_path = a.contains(OVERLAP) || a.contains(CONFLICT);
    match () {
        () if both(OPERAND) && a.eq_ignore_ascii_case(b) => Some(Kind::BinaryTold),
        () if both(OPERAND) => Some(Kind::FirstOfTwoOperands),
        () if is_path && b.contains(OPERAND) => Some(Kind::PathsBeforeOperands),
        () if both(OVERLAP) || both(CONFLICT) => Some(Kind::OverlapTold),
        () if a.starts_with("Invalid ProjectionExpression: ") && a.contains(CONFLICT) && runs => {
            Some(Kind::ProjectionConflict)
        }
        () if a.contains(CONFLICT) && (runs || by_item(b)) => Some(Kind::PathsBeforeItem),
        () if both(KEY_IN_FILTER) => Some(Kind::FirstOfTwoKeys),
        () if by_item(a) && by_item(b) => Some(Kind::ClausesInOrder),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(text: &str) -> Answer {
        Answer { status: 400, body: json!({"__type": "x#ValidationException", "message": text}) }
    }

    #[test]
    fn what_is_understood_has_a_kind_and_nothing_else_has() {
        let operand = "Invalid FilterExpression: Incorrect operand type for operator or function; operator or \
                       function: <, operand type: M";
        let accepted = Answer { status: 200, body: json!({"Items": []}) };
        let told = |ours: &Answer, theirs: &Answer| kind("Query", &json!({}), ours, theirs);
        assert_eq!(told(&refused(operand), &accepted), Some(Kind::CheckedUnread));
        assert_eq!(
            told(
                &refused(operand),
                &refused(
                    "Filter Expression can only contain non-primary key \
            attributes: Primary key attribute: s"
                )
            ),
            Some(Kind::FilterBeforeTable)
        );
        // The other way round nobody has explained it.
        assert_eq!(told(&accepted, &refused(operand)), None);
        assert_eq!(told(&refused("The table is on fire"), &accepted), None);
        assert_eq!(told(&accepted, &Answer { status: 200, body: json!({"Items": [{}]}) }), None);
    }

    #[test]
    fn an_old_item_is_missed_only_where_there_was_none() {
        let theirs = Answer { status: 200, body: json!({"Attributes": {"pk": {"S": "a"}}}) };
        let request = json!({"ReturnValues": "ALL_OLD"});
        let ours = Answer { status: 200, body: json!({}) };
        assert_eq!(kind("UpdateItem", &request, &ours, &theirs), Some(Kind::NoOldItem));
        let ours = Answer { status: 200, body: json!({"Attributes": {"pk": {"S": "b"}}}) };
        assert_eq!(kind("UpdateItem", &request, &ours, &theirs), None);
    }

    #[test]
    fn an_element_is_shown_alone() {
        let shown =
            |values: &[u32]| Answer { status: 200, body: json!({"Attributes": {"a": {"L": values}}}) };
        let request = json!({"ReturnValues": "UPDATED_NEW", "UpdateExpression": "SET a[1] = :v"});
        let found = |ours: &[u32]| kind("UpdateItem", &request, &shown(ours), &shown(&[1, 2, 3]));
        assert_eq!(found(&[2]), Some(Kind::TouchedElements));
        assert_eq!(found(&[3, 1]), None);
        assert_eq!(found(&[4]), None);
    }
}
