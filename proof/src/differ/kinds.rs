//! Every kind of difference that is understood, each with a name and the reason why Larder answers as it does. What fits
//! none of them is a problem until somebody has looked at it. A difference fits a kind by what was asked, read a second time
//! by `judge.rs`, and not by what was answered alone. "Recorded" means: a public suite of tests that were first run against
//! the service expects what Larder answers.

use serde_json::Value as Json;

use crate::wire::Answer;

use super::{judge, requests};

/// A kind of difference.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
pub(crate) enum Kind {
    CheckedUnread,
    FirstOfTwoOperands,
    PathTold,
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
    KeyInDepth,
}

impl Kind {
    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::CheckedUnread => "a fault in a part of an expression that the item never leads to",
            Kind::FirstOfTwoOperands => "two faults in one expression",
            Kind::PathTold => "`[a, k]` or `[a.k]` in the text about operands that are not distinct",
            Kind::ConditionBeforeUpdate => {
                "a fault in the condition, and an update that the item does not allow"
            }
            Kind::FilterBeforeTable => "a fault in the filter, which also names a key attribute",
            Kind::FilterBeforeKeyCondition => {
                "a fault in the filter, and another in the key condition or the projection"
            }
            Kind::PathsBeforeOperands => "overlapping paths in an update with an operand of a wrong type",
            Kind::PathsBeforeItem => "conflicting paths (`a.b` and `a[0]`) in an update",
            Kind::ProjectionConflict => "conflicting paths (`a.b` and `a[0]`) in a projection",
            Kind::OverlapTold => "which two of overlapping paths are told",
            Kind::BinaryTold => "`BINARY` or `Binary` in the text about a wrong operand",
            Kind::FirstOfTwoKeys => "a filter that names both key attributes",
            Kind::ClausesInOrder => "an update that the item does not allow in two of its clauses",
            Kind::TouchedElements => "`UPDATED_NEW` or `UPDATED_OLD` of an element of a list",
            Kind::KeyInDepth => "a path that leads into an attribute which is a key of an index (`s[0]`)",
            Kind::NoOldItem => "`ALL_OLD` of an update that made the item",
        }
    }

    /// Who is right, by what evidence.
    pub(crate) fn why(self) -> &'static str {
        match self {
            Kind::CheckedUnread => {
                "Larder, recorded: wrong operand types, unknown type names and operands that are not \
                 distinct are refused even for a table that does not exist, so before any item is read \
                 (of `IN` and `BETWEEN` nobody recorded that they want distinct operands; the words of \
                 the error say so of all operators)"
            }
            Kind::FirstOfTwoOperands => {
                "Larder, recorded: parts are checked from left to right, each for all of its faults"
            }
            Kind::PathTold => "Larder, recorded: the steps of a path stand apart",
            Kind::ConditionBeforeUpdate => {
                "Larder: as above, the condition is refused before any item is read"
            }
            Kind::FilterBeforeTable => "Larder: the first needs no table, the second does; as above",
            Kind::FilterBeforeKeyCondition => {
                "Larder, recorded: the filter is read first, the projection last"
            }
            Kind::PathsBeforeOperands => "Larder, recorded: paths are told first",
            Kind::PathsBeforeItem => {
                "Larder, recorded: refused before any item is read, and before the condition is, as \
                 overlapping ones are"
            }
            Kind::ProjectionConflict => "Larder, recorded: refused before any item is read",
            Kind::OverlapTold => {
                "Larder, recorded: in the order of the text, the second being the last path of all"
            }
            Kind::BinaryTold => "Larder, recorded: all types are told in capitals",
            Kind::FirstOfTwoKeys => {
                "not recorded: both refuse; Larder tells the partition key, as dynalite and others that \
                 were made after the service do, and the peer the sort key"
            }
            Kind::ClausesInOrder => {
                "not recorded: both refuse each clause alone in the same words; Larder computes all \
                 values in the order of the text, and then looks where they go"
            }
            Kind::TouchedElements => {
                "Larder, recorded: only what the path names is shown, not the whole list, and nothing \
                 where there was nothing"
            }
            Kind::KeyInDepth => {
                "Larder, recorded: keys are no lists and no maps, so that no path in an update, a projection or a \
                 filter leads into one"
            }
            Kind::NoOldItem => "Larder, recorded: there were no old attributes, not even a key",
        }
    }
}

/// One request that was answered in two ways, and what else is known of it.
pub(crate) struct Case<'a> {
    pub(crate) operation: &'a str,
    pub(crate) request: &'a Json,
    pub(crate) ours: &'a Answer,
    pub(crate) theirs: &'a Answer,
    /// The item that it is about, as it was.
    pub(crate) before: Option<&'a Json>,
    /// What both answered to each clause of an update alone, on an item like the one before.
    pub(crate) alone: &'a [(Answer, Answer)],
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
const KEY_IN_DEPTH: &str =
    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: ";
const KEY_IN_FILTER: &str =
    "Filter Expression can only contain non-primary key attributes: Primary key attribute: ";

/// The kind of two answers that differ, if it is known.
pub(crate) fn kind(case: &Case<'_>) -> Option<Kind> {
    // It needs no item, so it comes before what does.
    if case.goes_deep(case.ours) && (case.runs() || is_by_item(case.theirs.text())) {
        return Some(Kind::KeyInDepth);
    }
    if case.ours.status == 200 {
        return case.shown().filter(|_| case.operation == "UpdateItem" && case.theirs.status == 200);
    }
    for field in ["ConditionExpression", "FilterExpression"] {
        let of = format!("Invalid {field}: ");
        if is_unread(case.ours.text(), &of) {
            return case.unread(field, &of);
        }
    }
    case.of_key_in_filter().or_else(|| case.of_paths()).or_else(|| case.of_clauses())
}

fn is_unread(text: &str, of: &str) -> bool {
    text.contains(of) && UNREAD.iter().any(|fault| text.contains(fault))
}

/// Whether the peer tells this fault. It writes the steps of a path in another way.
fn tells(text: &str, of: &str, fault: &str) -> bool {
    let fault = fault.split_once("first operand: ").map_or(fault, |(before, _)| before);
    text.contains(&format!("{of}{fault}"))
}

fn is_by_item(text: &str) -> bool {
    BY_ITEM.iter().any(|fault| text.starts_with(fault))
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

impl Case<'_> {
    fn asked(&self, name: &str) -> &str {
        self.request.get(name).and_then(Json::as_str).unwrap_or_default()
    }

    /// Whether the peer carried the request out, as far as its condition let it.
    fn runs(&self) -> bool {
        self.theirs.status == 200 || self.theirs.class() == "ConditionalCheckFailedException"
    }

    /// Of two answers to one update that show different attributes.
    fn shown(&self) -> Option<Kind> {
        let (ours, theirs) = (self.ours.body.get("Attributes"), self.theirs.body.get("Attributes"));
        match self.asked("ReturnValues") {
            "ALL_OLD" if self.before.is_none() && ours.is_none() => {
                (theirs == self.request.get("Key")).then_some(Kind::NoOldItem)
            }
            "UPDATED_OLD" | "UPDATED_NEW" if self.asked("UpdateExpression").contains('[') => {
                is_part(&self.ours.body, &self.theirs.body).then_some(Kind::TouchedElements)
            }
            _ => None,
        }
    }

    /// Of a condition that Larder refuses without an item: the fault that it tells must be the first that there is.
    fn unread(&self, field: &str, of: &str) -> Option<Kind> {
        let (a, b) = (self.ours.text(), self.theirs.text());
        let faults = judge::faults(self.asked(field), self.request);
        let (first, others) = faults.split_first()?;
        if !a.ends_with(&format!("{of}{first}")) {
            return None;
        }
        let is_told = |fault: &String| tells(b, of, fault);
        let key = b.strip_prefix(KEY_IN_FILTER);
        match () {
            () if self.runs() => Some(Kind::CheckedUnread),
            () if is_told(first) => Some(Kind::PathTold),
            () if others.iter().any(is_told) => Some(Kind::FirstOfTwoOperands),
            () if is_by_item(b) => Some(Kind::ConditionBeforeUpdate),
            () if key.is_some_and(|key| self.filters_by(key)) => Some(Kind::FilterBeforeTable),
            () if self.goes_deep(self.theirs) => Some(Kind::FilterBeforeTable),
            () if b.starts_with(
                "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound ",
            ) =>
            {
                Some(Kind::FilterBeforeKeyCondition)
            }
            () if b.starts_with("Invalid ProjectionExpression: Two document paths ") => {
                self.beside().map(|_| Kind::FilterBeforeKeyCondition)
            }
            () => None,
        }
    }

    /// Whether the condition has this fault, of which no item need be known.
    fn has_unread_condition(&self, text: &str) -> bool {
        let faults = judge::faults(self.asked("ConditionExpression"), self.request);
        faults.iter().any(|fault| tells(text, "Invalid ConditionExpression: ", fault))
    }

    fn filters_by(&self, name: &str) -> bool {
        let paths = judge::paths(self.asked("FilterExpression"), self.request);
        paths.iter().any(|path| path.root() == name)
    }

    /// Whether an answer says that a path leads into a key of an index, and one does.
    fn goes_deep(&self, answer: &Answer) -> bool {
        let Some(name) = answer.text().strip_prefix(KEY_IN_DEPTH) else { return false };
        let fields = ["FilterExpression", "ConditionExpression", "UpdateExpression", "ProjectionExpression"];
        let mut paths = fields.iter().flat_map(|field| judge::paths(self.asked(field), self.request));
        requests::INDEX_KEYS.contains(&name) && paths.any(|path| path.root() == name && path.is_deep())
    }

    /// What is wrong with the paths of an update or a projection beside each other.
    fn beside(&self) -> Option<String> {
        let paths = match (self.asked("UpdateExpression"), self.asked("ProjectionExpression")) {
            ("", projection) => judge::projected(projection, self.request),
            (update, _) => judge::updated(update, self.request),
        };
        judge::beside(&paths)
    }

    fn of_key_in_filter(&self) -> Option<Kind> {
        let (ours, theirs) =
            (self.ours.text().strip_prefix(KEY_IN_FILTER)?, self.theirs.text().strip_prefix(KEY_IN_FILTER)?);
        let names_both = ours != theirs && self.filters_by(ours) && self.filters_by(theirs);
        // The key condition begins with the partition key.
        let is_partition = self.asked("KeyConditionExpression").starts_with(&format!("{ours} = "));
        (names_both && is_partition).then_some(Kind::FirstOfTwoKeys)
    }

    fn of_paths(&self) -> Option<Kind> {
        let (a, b) = (self.ours.text(), self.theirs.text());
        let both = |text: &str| a.contains(text) && b.contains(text);
        if !a.ends_with(&self.beside()?) {
            return None;
        }
        match () {
            () if both(OVERLAP) => Some(Kind::OverlapTold),
            () if b.contains(OPERAND) => self.is_refused_alone(b).then_some(Kind::PathsBeforeOperands),
            () if !a.contains(CONFLICT) => None,
            () if a.starts_with("Invalid ProjectionExpression: ") && self.runs() => {
                Some(Kind::ProjectionConflict)
            }
            () if self.runs() => Some(Kind::PathsBeforeItem),
            () if is_by_item(b) => self.is_refused_alone(b).then_some(Kind::PathsBeforeItem),
            () if self.has_unread_condition(b) => Some(Kind::PathsBeforeItem),
            () => None,
        }
    }

    /// Of an update with faults in two clauses: both servers must tell the same of each clause alone, one what Larder told
    /// of both, the other what the peer did.
    fn of_clauses(&self) -> Option<Kind> {
        let (a, b) = (self.ours.text(), self.theirs.text());
        let both = |text: &str| a.contains(text) && b.contains(text);
        if both(OPERAND) && a == b.replace("Binary", "BINARY") {
            return Some(Kind::BinaryTold);
        }
        let are_two = self.alone.len() == 2 && self.is_refused_alone(a) && self.is_refused_alone(b);
        match () {
            () if !are_two || a.eq_ignore_ascii_case(b) => None,
            () if both(OPERAND) => Some(Kind::FirstOfTwoOperands),
            () if is_by_item(a) && is_by_item(b) => Some(Kind::ClausesInOrder),
            () => None,
        }
    }

    /// Whether both refuse one of the clauses alone in these words.
    fn is_refused_alone(&self, text: &str) -> bool {
        let is_it = |answer: &Answer| answer.text().eq_ignore_ascii_case(text);
        self.alone.iter().any(|(ours, theirs)| is_it(theirs) && (is_it(ours) || self.goes_deep(ours)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(text: &str) -> Answer {
        Answer { status: 400, body: json!({"__type": "x#ValidationException", "message": text}) }
    }

    fn accepted(body: Json) -> Answer {
        Answer { status: 200, body }
    }

    fn of(operation: &str, request: &Json, ours: &Answer, theirs: &Answer) -> Option<Kind> {
        kind(&Case { operation, request, ours, theirs, before: None, alone: &[] })
    }

    const OF_M: &str = "Invalid FilterExpression: Incorrect operand type for operator or function; operator or function: \
                        <, operand type: M";

    #[test]
    fn what_is_understood_has_a_kind_and_nothing_else_has() {
        let request = json!({"FilterExpression": "attribute_exists(a) AND b < :v AND s = c",
            "KeyConditionExpression": "s = :v", "ExpressionAttributeValues": {":v": {"M": {}}}});
        let found = |ours: &Answer, theirs: &Answer| of("Query", &request, ours, theirs);
        let empty = accepted(json!({"Items": []}));
        assert_eq!(found(&refused(OF_M), &empty), Some(Kind::CheckedUnread));
        let by_key = |name: &str| refused(&format!("{KEY_IN_FILTER}{name}"));
        assert_eq!(found(&refused(OF_M), &by_key("s")), Some(Kind::FilterBeforeTable));
        assert_eq!(found(&refused(OF_M), &by_key("pk")), None);
        assert_eq!(found(&by_key("s"), &by_key("b")), Some(Kind::FirstOfTwoKeys));
        assert_eq!(found(&by_key("b"), &by_key("s")), None);
        // The other way round nobody has explained it.
        assert_eq!(found(&empty, &refused(OF_M)), None);
        assert_eq!(found(&refused("The table is on fire"), &empty), None);
        assert_eq!(found(&empty, &accepted(json!({"Items": [{}]}))), None);
    }

    #[test]
    fn a_refusal_is_right_only_where_there_is_something_to_refuse() {
        let request = |kind: &str| {
            json!({"FilterExpression": "attribute_exists(a) OR b < :v",
                "ExpressionAttributeValues": {":v": {kind: "1"}}})
        };
        let empty = accepted(json!({"Items": []}));
        assert_eq!(of("Query", &request("M"), &refused(OF_M), &empty), Some(Kind::CheckedUnread));
        assert_eq!(of("Query", &request("N"), &refused(OF_M), &empty), None);
        assert_eq!(of("Query", &request("L"), &refused(OF_M), &empty), None);
    }

    #[test]
    fn a_key_of_an_index_is_no_list() {
        let deep = refused(&format!("{KEY_IN_DEPTH}s"));
        let empty = accepted(json!({"Items": []}));
        let found = |filter: &str, ours: &Answer, theirs: &Answer| {
            of("Scan", &json!({"FilterExpression": filter}), ours, theirs)
        };
        assert_eq!(found("a = s[0]", &deep, &empty), Some(Kind::KeyInDepth));
        assert_eq!(found("a = s[0]", &empty, &deep), None);
        assert_eq!(found("a[0] = s", &deep, &empty), None);
        assert_eq!(found("a = n[0]", &deep, &empty), None);
    }

    #[test]
    fn an_old_item_is_missed_only_where_there_was_none() {
        let key = json!({"pk": {"S": "a"}});
        let request = json!({"ReturnValues": "ALL_OLD", "Key": key});
        let (none, shown) = (accepted(json!({})), accepted(json!({"Attributes": key})));
        let found = |before: Option<&Json>, ours: &Answer| {
            let operation = "UpdateItem";
            kind(&Case { operation, request: &request, ours, theirs: &shown, before, alone: &[] })
        };
        assert_eq!(found(None, &none), Some(Kind::NoOldItem));
        assert_eq!(found(Some(&key), &none), None);
        assert_eq!(found(None, &accepted(json!({"Attributes": {"pk": {"S": "b"}}}))), None);
    }

    #[test]
    fn two_clauses_are_refused_only_if_each_is() {
        let [missing, path] = [1, 0].map(|place| refused(BY_ITEM.get(place).copied().unwrap_or_default()));
        let request = json!({"UpdateExpression": "SET a = b REMOVE c.k"});
        let found = |alone: &[(Answer, Answer)]| {
            let operation = "UpdateItem";
            kind(&Case { operation, request: &request, ours: &missing, theirs: &path, before: None, alone })
        };
        let pair = |ours: &Answer, theirs: &Answer| {
            let copy = |answer: &Answer| Answer { status: answer.status, body: answer.body.clone() };
            (copy(ours), copy(theirs))
        };
        let done = accepted(json!({}));
        assert_eq!(found(&[pair(&missing, &missing), pair(&path, &path)]), Some(Kind::ClausesInOrder));
        assert_eq!(found(&[pair(&missing, &missing), pair(&done, &path)]), None);
        assert_eq!(found(&[pair(&missing, &missing), pair(&done, &done)]), None);
        assert_eq!(found(&[pair(&missing, &path)]), None);
    }

    #[test]
    fn an_element_is_shown_alone() {
        let shown = |values: &[u32]| accepted(json!({"Attributes": {"a": {"L": values}}}));
        let request = json!({"ReturnValues": "UPDATED_NEW", "UpdateExpression": "SET a[1] = :v"});
        let found = |ours: &[u32]| of("UpdateItem", &request, &shown(ours), &shown(&[1, 2, 3]));
        assert_eq!(found(&[2]), Some(Kind::TouchedElements));
        assert_eq!(found(&[3, 1]), None);
        assert_eq!(found(&[4]), None);
    }
}
