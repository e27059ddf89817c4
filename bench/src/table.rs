//! The four tables of the benchmark and the items in them, as request JSON.
//!
//! It knows how an item looks; it does not know how requests are sent or measured.

use crate::request::text_slot;

/// How many items share a partition key in the table that is queried.
pub(crate) const LINES_PER_ORDER: u64 = 10;
/// The length of the payload that brings an item to about a kilobyte.
const PAYLOAD_BYTES: usize = 700;

/// A table of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// Partition key only: puts, gets, batches, transactions.
    Items,
    /// Partition and sort key, ten items each partition: queries.
    Orders,
    /// Two global indexes: conditional updates.
    Indexed,
    /// Partition key only, with a stream of both images and recovery to a point in time: puts that leave a trace.
    Followed,
}

impl Table {
    /// The tables in the order of loading.
    pub(crate) const ALL: [Self; 4] = [Self::Items, Self::Orders, Self::Indexed, Self::Followed];

    /// The table's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Items => "bench_items",
            Self::Orders => "bench_orders",
            Self::Indexed => "bench_indexed",
            Self::Followed => "bench_followed",
        }
    }

    /// The body of its CreateTable.
    pub(crate) fn create_body(self) -> String {
        let name = self.name();
        let (attributes, keys, more) = match self {
            Self::Items => (attribute("pk"), hash("pk"), String::new()),
            Self::Followed => (
                attribute("pk"),
                hash("pk"),
                r#","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}"#
                    .to_owned(),
            ),
            Self::Orders => (
                format!("{},{}", attribute("pk"), attribute("sk")),
                format!(r#"{},{{"AttributeName":"sk","KeyType":"RANGE"}}"#, hash("pk")),
                String::new(),
            ),
            Self::Indexed => (
                [attribute("pk"), attribute("status"), attribute("owner")].join(","),
                hash("pk"),
                format!(
                    r#","GlobalSecondaryIndexes":[{},{}]"#,
                    index("by_status", "status"),
                    index("by_owner", "owner")
                ),
            ),
        };
        format!(
            r#"{{"TableName":"{name}","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{attributes}],"KeySchema":[{keys}]{more}}}"#
        )
    }

    /// What is asked for when the table is there: an operation and its body.
    pub(crate) fn prepare(self) -> Option<(&'static str, String)> {
        let body = format!(
            r#"{{"TableName":"{}","PointInTimeRecoverySpecification":{{"PointInTimeRecoveryEnabled":true}}}}"#,
            self.name()
        );
        (self == Self::Followed).then_some(("UpdateContinuousBackups", body))
    }

    /// The item number `number` of the table, its payload left as a slot.
    pub(crate) fn item(self, number: u64) -> String {
        match self {
            Self::Items | Self::Followed => item(&format!("{number:08}"), ""),
            Self::Orders => {
                let order = number / LINES_PER_ORDER;
                let line = number % LINES_PER_ORDER;
                item(&format!("{order:08}"), &format!(r#","sk":{{"S":"line#{line:02}"}}"#))
            }
            Self::Indexed => {
                let status = number % 100;
                let owner = number / 20;
                let more =
                    format!(r#","status":{{"S":"status#{status:02}"}},"owner":{{"S":"owner#{owner:08}"}}"#);
                item(&format!("{number:08}"), &more)
            }
        }
    }
}

/// An item of about a kilobyte; `key` is eight digits or a slot, `more` further attributes with a comma in front.
pub(crate) fn item(key: &str, more: &str) -> String {
    let notes = text_slot(PAYLOAD_BYTES);
    format!(
        r#"{{"pk":{{"S":"item#{key}"}}{more},"name":{{"S":"Preserving jar, half a litre"}},"stock":{{"N":"42"}},"price":{{"N":"129.95"}},"active":{{"BOOL":true}},"tags":{{"SS":["glass","kitchen","sale"]}},"shelf":{{"M":{{"aisle":{{"S":"north"}},"row":{{"N":"7"}},"boxes":{{"L":[{{"N":"1"}},{{"N":"12"}}]}}}}}},"changed":{{"S":"2026-03-01T12:00:00Z"}},"notes":{{"S":"{notes}"}}}}"#
    )
}

fn attribute(name: &str) -> String {
    format!(r#"{{"AttributeName":"{name}","AttributeType":"S"}}"#)
}

fn hash(name: &str) -> String {
    format!(r#"{{"AttributeName":"{name}","KeyType":"HASH"}}"#)
}

fn index(name: &str, key: &str) -> String {
    let keys = hash(key);
    format!(r#"{{"IndexName":"{name}","KeySchema":[{keys}],"Projection":{{"ProjectionType":"ALL"}}}}"#)
}
