//! A table's definition as it is stored: an item, whose attributes are named below and nowhere else. What is absent has
//! its default and what is not known is ignored, so that older and newer definitions can be read. Knows no store.

use std::sync::Arc;

use bytes::Bytes;
use item::{Item, Stored};
use op::{
    AttributeDefinition, BillingMode, BillingSummary, IndexProjection, IndexStatus, KeyElement, KeyKind,
    OnDemand, RestoreSummary, ScalarType, SseStatus, StreamSpec, StreamView, TableClass, TableClassSummary,
    TableStatus, Tag, Throughput, ThroughputDescription, TtlStatus, WarmThroughput,
};
use storage::Space;

use super::fields::{Fields, flag, list, map, number, signed, text, word};
use super::log;
use super::words;
use crate::schema::{Expiry, Index, KeySchema, Stats, Table, Ttl};

/// A definition in its stored form.
pub(super) fn encode(table: &Table) -> Bytes {
    let mut out = Fields::default();
    out.text("name", &table.name);
    out.text("id", &table.id);
    out.text("arn", &table.arn);
    out.number("space", Some(table.space.0));
    out.word("status", table.status);
    out.number("status_until_ms", table.status_until_ms);
    out.number("created_ms", Some(table.created_ms));
    out.list("attributes", &table.attributes, encode_attribute);
    out.list("key", &table.key.elements(), encode_element);
    out.list("local_indexes", &table.local_indexes, encode_index);
    out.list("global_indexes", &table.global_indexes, encode_index);
    out.map("billing", table.billing.as_ref(), |out, billing| {
        out.word("mode", billing.mode);
        out.number("on_demand_since_ms", billing.on_demand_since_ms);
    });
    out.map("throughput", Some(&table.throughput), encode_throughput);
    out.map("on_demand", table.on_demand.as_ref(), encode_on_demand);
    out.map("warm", Some(&table.warm), encode_warm);
    out.map("stream", table.stream.as_ref(), |out, stream| {
        out.flag("enabled", stream.enabled);
        if let Some(view) = stream.view {
            out.word("view", view);
        }
    });
    out.map("latest_stream", table.latest_stream.as_ref(), |out, (label, arn)| {
        out.text("label", label);
        out.text("arn", arn);
    });
    out.map("sse", table.sse.as_ref(), |out, sse| {
        out.flag("enabled", sse.enabled);
        out.text("key_arn", &sse.key_arn);
    });
    out.map("class", table.class.as_ref(), |out, class| {
        out.word("class", class.class);
        out.number("since_ms", class.since_ms);
    });
    out.flag("deletion_protection", table.deletion_protection);
    out.list("tags", &table.tags, |out, tag| {
        out.text("key", &tag.key);
        out.text("value", &tag.value);
    });
    out.map("ttl", Some(&table.ttl), |out, ttl| {
        out.word("status", ttl.status);
        if let Some(attribute) = &ttl.attribute {
            out.text("attribute", attribute);
        }
        out.number("changed_ms", ttl.changed_ms);
        out.map("expiry", ttl.expiry.as_ref(), |out, expiry| {
            out.number("space", Some(expiry.space.0));
            out.flag("is_filled", expiry.is_filled);
        });
    });
    out.map("log", table.log.as_ref(), log::encode);
    out.map("restore", table.restore.as_ref(), |out, restore| {
        if let Some(arn) = &restore.backup_arn {
            out.text("backup_arn", arn);
        }
        if let Some(arn) = &restore.table_arn {
            out.text("table_arn", arn);
        }
        out.number("time_ms", Some(restore.time_ms));
        out.flag("in_progress", restore.in_progress);
    });
    Stored::encode(&out.0).bytes().clone()
}

/// The definition of these bytes; none if they are damaged. All figures are zero.
pub(super) fn decode(bytes: &[u8]) -> Option<Table> {
    let record = Stored::from_bytes(Bytes::copy_from_slice(bytes)).decode()?;
    let attributes = list(&record, "attributes", decode_attribute)?;
    let index = |record: &Item| decode_index(record, &attributes);
    let mut table = Table {
        name: text(&record, "name")?,
        id: text(&record, "id")?,
        arn: text(&record, "arn")?,
        space: Space(number(&record, "space")?),
        status: word(&record, "status")?,
        status_until_ms: number(&record, "status_until_ms"),
        created_ms: number(&record, "created_ms")?,
        key: KeySchema::new(&list(&record, "key", decode_element)?, &attributes),
        local_indexes: list(&record, "local_indexes", index)?,
        global_indexes: list(&record, "global_indexes", index)?,
        billing: map(&record, "billing", decode_billing)?,
        throughput: map(&record, "throughput", decode_throughput)?.unwrap_or_default(),
        on_demand: map(&record, "on_demand", decode_on_demand)?,
        warm: map(&record, "warm", decode_warm)?.unwrap_or_default(),
        stream: map(&record, "stream", decode_stream)?,
        latest_stream: map(&record, "latest_stream", |stream| {
            Some((text(stream, "label")?, text(stream, "arn")?))
        })?,
        sse: map(&record, "sse", decode_sse)?,
        class: map(&record, "class", decode_class)?,
        deletion_protection: flag(&record, "deletion_protection"),
        tags: list(&record, "tags", |tag| Some(Tag { key: text(tag, "key")?, value: text(tag, "value")? }))?,
        ttl: map(&record, "ttl", decode_ttl)?.unwrap_or_else(no_ttl),
        log: map(&record, "log", log::decode)?,
        restore: map(&record, "restore", decode_restore)?,
        stats: Arc::default(),
        attributes: Vec::new(),
    };
    table.attributes = attributes;
    let fills: Vec<Space> =
        table.indexes().filter(|index| fills(&table, index)).map(|index| index.space).collect();
    for index in table.global_indexes.iter_mut().filter(|index| fills.contains(&index.space)) {
        index.backfill = Some(Vec::new());
    }
    Some(table)
}

/// Whether an index was added to a table and does not have all its entries yet.
pub(crate) fn fills(table: &Table, index: &Index) -> bool {
    index.status == IndexStatus::Creating && table.status != TableStatus::Creating
}

/// A table on which nothing expires.
pub(crate) fn no_ttl() -> Ttl {
    Ttl { status: TtlStatus::Disabled, attribute: None, changed_ms: None, expiry: None }
}

pub(super) fn encode_attribute(out: &mut Fields, attribute: &AttributeDefinition) {
    out.text("name", &attribute.name);
    out.word("kind", attribute.kind);
}

pub(super) fn encode_element(out: &mut Fields, element: &KeyElement) {
    out.text("name", &element.name);
    out.word("kind", element.kind);
}

fn encode_index(out: &mut Fields, index: &Index) {
    out.text("name", &index.name);
    out.text("arn", &index.arn);
    out.number("space", Some(index.space.0));
    out.word("status", index.status);
    out.list("key", &index.key.elements(), encode_element);
    let (projection, included): (&str, &[String]) = match &index.projection {
        IndexProjection::All => (words::ALL, &[]),
        IndexProjection::KeysOnly => (words::KEYS_ONLY, &[]),
        IndexProjection::Include(names) => (words::INCLUDE, names),
    };
    out.text("projection", projection);
    out.list("included", included, |out, name| out.text("name", name));
    out.map("throughput", Some(&index.throughput), encode_throughput);
    out.map("on_demand", index.on_demand.as_ref(), encode_on_demand);
    out.map("warm", Some(&index.warm), encode_warm);
}

fn encode_throughput(out: &mut Fields, throughput: &ThroughputDescription) {
    out.number("read", Some(throughput.units.read));
    out.number("write", Some(throughput.units.write));
    out.number("increased_ms", throughput.increased_ms);
    out.number("decreased_ms", throughput.decreased_ms);
    out.number("decreases_today", Some(throughput.decreases_today));
}

pub(super) fn encode_on_demand(out: &mut Fields, on_demand: &OnDemand) {
    out.signed("read_max", on_demand.read_max);
    out.signed("write_max", on_demand.write_max);
}

pub(super) fn encode_warm(out: &mut Fields, warm: &WarmThroughput) {
    out.number("read", warm.read);
    out.number("write", warm.write);
}

pub(super) fn decode_attribute(record: &Item) -> Option<AttributeDefinition> {
    Some(AttributeDefinition { name: text(record, "name")?, kind: word::<ScalarType>(record, "kind")? })
}

pub(super) fn decode_element(record: &Item) -> Option<KeyElement> {
    Some(KeyElement { name: text(record, "name")?, kind: word::<KeyKind>(record, "kind")? })
}

fn decode_index(record: &Item, attributes: &[AttributeDefinition]) -> Option<Index> {
    let included = list(record, "included", |name| text(name, "name"))?;
    Some(Index {
        name: text(record, "name")?,
        arn: text(record, "arn")?,
        space: Space(number(record, "space")?),
        key: KeySchema::new(&list(record, "key", decode_element)?, attributes),
        projection: match text(record, "projection")?.as_str() {
            words::ALL => IndexProjection::All,
            words::KEYS_ONLY => IndexProjection::KeysOnly,
            words::INCLUDE => IndexProjection::Include(included),
            _ => return None,
        },
        status: word(record, "status")?,
        backfill: None,
        throughput: map(record, "throughput", decode_throughput)?.unwrap_or_default(),
        on_demand: map(record, "on_demand", decode_on_demand)?,
        warm: map(record, "warm", decode_warm)?.unwrap_or_default(),
        stats: Arc::<Stats>::default(),
    })
}

fn decode_billing(record: &Item) -> Option<BillingSummary> {
    let mode = word::<BillingMode>(record, "mode")?;
    Some(BillingSummary { mode, on_demand_since_ms: number(record, "on_demand_since_ms") })
}

fn decode_throughput(record: &Item) -> Option<ThroughputDescription> {
    Some(ThroughputDescription {
        units: Throughput { read: number(record, "read")?, write: number(record, "write")? },
        increased_ms: number(record, "increased_ms"),
        decreased_ms: number(record, "decreased_ms"),
        decreases_today: number(record, "decreases_today").unwrap_or(0),
    })
}

pub(super) fn decode_on_demand(record: &Item) -> Option<OnDemand> {
    Some(OnDemand { read_max: signed(record, "read_max"), write_max: signed(record, "write_max") })
}

pub(super) fn decode_warm(record: &Item) -> Option<WarmThroughput> {
    Some(WarmThroughput { read: number(record, "read"), write: number(record, "write") })
}

fn decode_stream(record: &Item) -> Option<StreamSpec> {
    Some(StreamSpec { enabled: flag(record, "enabled"), view: word::<StreamView>(record, "view") })
}

fn decode_sse(record: &Item) -> Option<SseStatus> {
    Some(SseStatus { enabled: flag(record, "enabled"), key_arn: text(record, "key_arn")? })
}

fn decode_class(record: &Item) -> Option<TableClassSummary> {
    let class = word::<TableClass>(record, "class")?;
    Some(TableClassSummary { class, since_ms: number(record, "since_ms") })
}

fn decode_restore(record: &Item) -> Option<RestoreSummary> {
    Some(RestoreSummary {
        backup_arn: text(record, "backup_arn"),
        table_arn: text(record, "table_arn"),
        time_ms: number(record, "time_ms")?,
        in_progress: flag(record, "in_progress"),
    })
}

fn decode_ttl(record: &Item) -> Option<Ttl> {
    Some(Ttl {
        status: word(record, "status")?,
        attribute: text(record, "attribute"),
        changed_ms: number(record, "changed_ms"),
        expiry: map(record, "expiry", |expiry| {
            Some(Expiry { space: Space(number(expiry, "space")?), is_filled: flag(expiry, "is_filled") })
        })?,
    })
}

#[cfg(test)]
mod tests {
    use item::Value;

    use super::*;

    fn plain() -> Item {
        let mut fields = Fields::default();
        for name in ["name", "id", "arn"] {
            fields.text(name, "people");
        }
        fields.number("space", Some(16));
        fields.number("created_ms", Some(1));
        fields.word("status", TableStatus::Active);
        fields.0
    }

    fn read(record: &Item) -> Option<Table> {
        decode(Stored::encode(record).bytes())
    }

    #[test]
    fn what_is_absent_has_its_default_and_what_is_unknown_is_ignored() {
        let mut record = plain();
        record.insert("from_a_later_version".into(), Value::Null);
        let table = read(&record).unwrap();
        assert_eq!((table.space, table.created_ms), (Space(16), 1));
        assert_eq!(table.ttl, no_ttl());
        assert!(table.tags.is_empty() && table.billing.is_none() && !table.deletion_protection);
    }

    #[test]
    fn damage_is_noticed() {
        for name in plain().keys() {
            let mut record = plain();
            record.remove(name);
            assert!(read(&record).is_none(), "without {name}");
        }
        for name in ["status", "key", "billing", "ttl", "global_indexes"] {
            let mut record = plain();
            record.insert(name.into(), Value::S("?".into()));
            assert!(read(&record).is_none(), "with a damaged {name}");
        }
        let bytes = encode(&read(&plain()).unwrap());
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length]).is_none(), "{length} bytes");
        }
    }

    #[test]
    fn an_index_that_was_added_and_is_not_active_is_to_be_filled() {
        let mut index = Fields::default();
        for name in ["name", "arn"] {
            index.text(name, "by_group");
        }
        index.text("projection", words::ALL);
        index.number("space", Some(17));
        index.word("status", IndexStatus::Creating);
        let mut record = plain();
        record.insert("global_indexes".into(), Value::L(vec![Value::M(index.0)]));
        assert_eq!(read(&record).unwrap().global_indexes[0].backfill, Some(Vec::new()));
        record.insert("status".into(), Value::S("CREATING".into()));
        assert_eq!(read(&record).unwrap().global_indexes[0].backfill, None);
    }
}
