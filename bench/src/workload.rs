//! The seven workloads: what each sends, which keys it draws, and how an honest answer is told from an empty one.
//!
//! It does not know servers, connections or clocks.

use crate::random::{Letters, Random};
use crate::request::{KEY_SLOT, KeyRange, LINE_SLOT, Request, STATUS_SLOT};
use crate::table::{LINES_PER_ORDER, Table, item};
use std::ops::RangeInclusive;

/// One kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Workload {
    /// One item by key.
    GetItem,
    /// Ten items of one partition.
    Query,
    /// One whole item of about a kilobyte.
    PutItem,
    /// The same on a table with a stream and recovery to a point in time.
    PutItemFollowed,
    /// A conditional update on a table with two global indexes, one of whose keys changes.
    UpdateItem,
    /// Four actions in one transaction.
    TransactWriteItems,
    /// Twenty-five puts in one batch.
    BatchWriteItem,
}

/// Which tables a workload is sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// To a table of its own kind, all of the same size.
    Apart,
    /// To the one table with ten items in each partition, which is grown; four workloads can be sent to it.
    Grown,
}

/// The place of one connection among all.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Which connection, from zero.
    pub(crate) index: usize,
    /// Out of how many.
    pub(crate) connections: usize,
}

impl Workload {
    /// All workloads. Reads come first, so they meet the store as it was loaded.
    pub(crate) const ALL: [Self; 7] = [
        Self::GetItem,
        Self::Query,
        Self::PutItem,
        Self::PutItemFollowed,
        Self::UpdateItem,
        Self::TransactWriteItems,
        Self::BatchWriteItem,
    ];

    /// Those that can be sent to the table that is grown.
    pub(crate) const GROWN: [Self; 4] = [Self::GetItem, Self::Query, Self::PutItem, Self::UpdateItem];

    /// How the workload is chosen on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::GetItem => "GetItem",
            Self::Query => "Query",
            Self::PutItem => "PutItem",
            Self::PutItemFollowed => "PutItemFollowed",
            Self::UpdateItem => "UpdateItem",
            Self::TransactWriteItems => "TransactWriteItems",
            Self::BatchWriteItem => "BatchWriteItem",
        }
    }

    /// The operation it calls.
    pub(crate) fn operation(self) -> &'static str {
        match self {
            Self::PutItemFollowed => Self::PutItem.name(),
            Self::GetItem
            | Self::Query
            | Self::PutItem
            | Self::UpdateItem
            | Self::TransactWriteItems
            | Self::BatchWriteItem => self.name(),
        }
    }

    /// Whether it is asked of servers other than Larder too.
    pub(crate) fn is_shared(self) -> bool {
        self != Self::PutItemFollowed
    }

    /// The table it is sent to.
    pub(crate) fn table(self) -> Table {
        match self {
            Self::Query => Table::Orders,
            Self::UpdateItem => Table::Indexed,
            Self::PutItemFollowed => Table::Followed,
            Self::GetItem | Self::PutItem | Self::TransactWriteItems | Self::BatchWriteItem => Table::Items,
        }
    }

    /// One sentence for the report.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::GetItem => "one item of about 1 KB by its key, eventually consistent",
            Self::Query => "the ten items of one partition, about 10 KB",
            Self::PutItem => "one whole item of about 1 KB, replacing the old one",
            Self::PutItemFollowed => {
                "the same on a table with a stream of both images and with recovery to a point in time"
            }
            Self::UpdateItem => {
                "two attributes set under a condition, on a table with two global indexes of all attributes; the key of one index changes"
            }
            Self::TransactWriteItems => {
                "two puts of about 1 KB, one update and one condition check; concurrent transactions share no key"
            }
            Self::BatchWriteItem => "25 puts of about 1 KB",
        }
    }

    /// The request of one connection against tables of `items` items.
    pub(crate) fn request(self, target: Target, items: u64, place: Place, letters: &Letters) -> Request {
        if target == Target::Grown {
            let orders = KeyRange { start: 0, count: (items / LINES_PER_ORDER).max(1) };
            return Request::new(self.operation(), &self.grown_body(), orders, letters);
        }
        let all = KeyRange { start: 0, count: items };
        let keys = match self {
            Self::Query => KeyRange { start: 0, count: (items / LINES_PER_ORDER).max(1) },
            // A key in two transactions at once is a conflict that the service answers with an error.
            Self::TransactWriteItems => all.part(place.index as u64, place.connections as u64),
            Self::GetItem
            | Self::PutItem
            | Self::PutItemFollowed
            | Self::UpdateItem
            | Self::BatchWriteItem => all,
        };
        Request::new(self.operation(), &self.body(), keys, letters)
    }

    /// How long an answer with status 200 is when it holds what was asked for.
    pub(crate) fn answer_bytes(self) -> RangeInclusive<usize> {
        match self {
            Self::GetItem => 900..=2_000,
            Self::Query => 9_000..=20_000,
            // Longer than this it names items that were not written.
            Self::BatchWriteItem => 2..=60,
            Self::PutItem | Self::PutItemFollowed | Self::UpdateItem | Self::TransactWriteItems => 0..=60,
        }
    }

    /// An answer as a correct server writes it.
    pub(crate) fn answer(self, letters: &Letters) -> Vec<u8> {
        let text = match self {
            Self::GetItem => format!(r#"{{"Item":{}}}"#, Table::Items.item(1)),
            Self::Query => {
                let lines: Vec<String> = (0..LINES_PER_ORDER).map(|line| Table::Orders.item(line)).collect();
                format!(r#"{{"Count":10,"Items":[{}],"ScannedCount":10}}"#, lines.join(","))
            }
            Self::BatchWriteItem => r#"{"UnprocessedItems":{}}"#.to_owned(),
            Self::PutItem | Self::PutItemFollowed | Self::UpdateItem | Self::TransactWriteItems => {
                "{}".to_owned()
            }
        };
        let mut filled = Request::fixed(self.operation(), &text, letters);
        let bytes = filled.next(&mut Random::new(1));
        let start = bytes.len().saturating_sub(text.len());
        bytes.get(start..).unwrap_or_default().to_vec()
    }

    /// The body for the table that is grown; what cannot be sent there queries it.
    fn grown_body(self) -> String {
        let name = Table::Orders.name();
        let line = format!(r#","sk":{{"S":"line#{LINE_SLOT}"}}"#);
        let key = format!(r#"{{"pk":{{"S":"item#{KEY_SLOT}"}}{line}}}"#);
        match self {
            Self::GetItem => format!(r#"{{"TableName":"{name}","Key":{key}}}"#),
            Self::PutItem => format!(r#"{{"TableName":"{name}","Item":{}}}"#, item(KEY_SLOT, &line)),
            Self::UpdateItem => format!(
                r##"{{"TableName":"{name}","Key":{key},"UpdateExpression":"SET #status = :status, stock = stock + :one","ConditionExpression":"attribute_exists(pk) AND stock >= :zero","ExpressionAttributeNames":{{"#status":"status"}},"ExpressionAttributeValues":{{":status":{{"S":"status#{STATUS_SLOT}"}},":one":{{"N":"1"}},":zero":{{"N":"0"}}}}}}"##
            ),
            Self::Query | Self::PutItemFollowed | Self::TransactWriteItems | Self::BatchWriteItem => {
                Self::Query.body()
            }
        }
    }

    fn body(self) -> String {
        let name = self.table().name();
        match self {
            Self::GetItem => format!(r#"{{"TableName":"{name}","Key":{{"pk":{{"S":"item#{KEY_SLOT}"}}}}}}"#),
            Self::Query => format!(
                r#"{{"TableName":"{name}","KeyConditionExpression":"pk = :pk","ExpressionAttributeValues":{{":pk":{{"S":"item#{KEY_SLOT}"}}}}}}"#
            ),
            Self::PutItem | Self::PutItemFollowed => {
                format!(r#"{{"TableName":"{name}","Item":{}}}"#, item(KEY_SLOT, ""))
            }
            Self::UpdateItem => format!(
                r##"{{"TableName":"{name}","Key":{{"pk":{{"S":"item#{KEY_SLOT}"}}}},"UpdateExpression":"SET #status = :status, stock = stock + :one","ConditionExpression":"attribute_exists(pk) AND stock >= :zero","ExpressionAttributeNames":{{"#status":"status"}},"ExpressionAttributeValues":{{":status":{{"S":"status#{STATUS_SLOT}"}},":one":{{"N":"1"}},":zero":{{"N":"0"}}}}}}"##
            ),
            Self::TransactWriteItems => transaction_body(name),
            Self::BatchWriteItem => {
                let put = format!(r#"{{"PutRequest":{{"Item":{}}}}}"#, item(KEY_SLOT, ""));
                format!(r#"{{"RequestItems":{{"{name}":[{}]}}}}"#, vec![put; 25].join(","))
            }
        }
    }
}

fn transaction_body(name: &str) -> String {
    let put = format!(r#"{{"Put":{{"TableName":"{name}","Item":{}}}}}"#, item(KEY_SLOT, ""));
    let update = format!(
        r#"{{"Update":{{"TableName":"{name}","Key":{{"pk":{{"S":"item#{KEY_SLOT}"}}}},"UpdateExpression":"SET stock = stock + :one","ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}}}"#
    );
    let check = format!(
        r#"{{"ConditionCheck":{{"TableName":"{name}","Key":{{"pk":{{"S":"item#{KEY_SLOT}"}}}},"ConditionExpression":"attribute_exists(pk)"}}}}"#
    );
    format!(r#"{{"TransactItems":[{put},{put},{update},{check}]}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_is_json_once_its_slots_are_filled() {
        let letters = Letters::new();
        let own = Workload::ALL.map(|workload| (workload, Target::Apart));
        let grown = Workload::GROWN.map(|workload| (workload, Target::Grown));
        for (workload, target) in own.into_iter().chain(grown) {
            let mut request = workload.request(target, 20_000, Place { index: 3, connections: 16 }, &letters);
            let text = String::from_utf8(request.next(&mut Random::new(2)).to_vec()).unwrap();
            let (_, body) = text.split_once("\r\n\r\n").unwrap();
            serde_json::from_str::<serde_json::Value>(body).unwrap();
        }
    }

    #[test]
    fn the_floor_answers_what_the_check_expects() {
        let letters = Letters::new();
        for workload in Workload::ALL {
            let answer = workload.answer(&letters);
            serde_json::from_slice::<serde_json::Value>(&answer).unwrap();
            assert!(workload.answer_bytes().contains(&answer.len()), "{workload:?}: {}", answer.len());
        }
    }
}
