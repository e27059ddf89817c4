//! What both documents say: keys, collections, coverage, patterns in words. Knows neither Markdown nor HTML.

use item::{Item, Value};
use serde_json::Value as Json;

use crate::cost::{PatternCost, Report, sizes};
use crate::export::resource;
use crate::model::{Design, Entity, Environment, Index, KeyAttribute, Pattern, Sample, Table};
use crate::{physical, request};

/// A design with what follows from it.
pub(super) struct Facts<'a> {
    pub(super) design: &'a Design,
    pub(super) environment: &'a Environment,
    pub(super) bill: &'a Report,
    pub(super) tables: Vec<TableFacts<'a>>,
    pub(super) patterns: Vec<PatternFacts<'a>>,
}

/// A table.
pub(super) struct TableFacts<'a> {
    pub(super) table: &'a Table,
    pub(super) name: String,
    pub(super) settings: Vec<(String, String)>,
    pub(super) entities: Vec<&'a Entity>,
    /// The items of the samples as the table holds them, then as each index does.
    pub(super) views: Vec<View>,
}

/// Items as a table or an index holds them: in partitions, each in the order of its sort key.
pub(super) struct View {
    /// The index, or nothing for the table.
    pub(super) index: Option<String>,
    pub(super) key: Vec<String>,
    pub(super) partitions: Vec<(String, Vec<Row>)>,
}

/// One item of a view.
pub(super) struct Row {
    pub(super) sample: String,
    pub(super) entity: String,
    pub(super) sort: Option<String>,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) bytes: usize,
}

/// A pattern.
pub(super) struct PatternFacts<'a> {
    pub(super) pattern: &'a Pattern,
    /// Each step: operation, where, and the key in words.
    pub(super) steps: Vec<(String, String, String)>,
    /// The requests as JSON.
    pub(super) requests: Vec<(String, Json)>,
    pub(super) cost: Option<&'a PatternCost>,
}

/// How an entity reaches an index.
pub(super) enum Reach {
    Never,
    Always,
    When(String),
}

impl<'a> Facts<'a> {
    pub(super) fn new(design: &'a Design, environment: &'a Environment, bill: &'a Report) -> Facts<'a> {
        let items: Vec<(&Sample, Item)> = design
            .entities
            .iter()
            .flat_map(|entity| sizes::built_samples(design, &entity.name.value))
            .collect();
        let tables =
            design.tables.iter().map(|table| table_facts(design, environment, table, &items)).collect();
        let patterns =
            design.patterns.iter().map(|pattern| pattern_facts(design, environment, bill, pattern)).collect();
        Facts { design, environment, bill, tables, patterns }
    }
}

/// How an entity reaches an index of its table.
pub(super) fn reach(entity: &Entity, index: &Index) -> Reach {
    let Some(mapping) = entity.mappings.iter().find(|mapping| mapping.index.value == index.name.value) else {
        return Reach::Never;
    };
    if let Some(when) = &mapping.when {
        return Reach::When(when.value.clone());
    }
    let slots = mapping.pk.iter().chain(&mapping.sk).flat_map(|template| template.fields());
    let optional: Vec<&str> = slots
        .filter(|slot| {
            let field = entity.fields.iter().find(|field| field.name.value == *slot);
            field.is_some_and(|field| !field.required && field.from.is_none())
        })
        .collect();
    if optional.is_empty() { Reach::Always } else { Reach::When(format!("{} given", optional.join(", "))) }
}

/// Entities that share a partition: the template of the partition key, and who lives there.
pub(super) fn collections<'a>(entities: &[&'a Entity]) -> Vec<(String, Vec<&'a Entity>)> {
    let mut found: Vec<(String, Vec<&Entity>)> = Vec::new();
    for entity in entities {
        match found.iter_mut().find(|(template, _)| *template == entity.pk.text) {
            Some((_, members)) => members.push(entity),
            None => found.push((entity.pk.text.clone(), vec![entity])),
        }
    }
    found
}

/// A key in words: `PK (S) + SK (S)`.
pub(super) fn key_words(key: &[KeyAttribute]) -> String {
    let part = |key: &KeyAttribute| {
        format!("{} ({})", key.name.value, if key.kind.is_empty() { "S" } else { &key.kind })
    };
    key.iter().map(part).collect::<Vec<_>>().join(" + ")
}

/// A projection in words.
pub(super) fn projection_words(index: &Index) -> String {
    let included: Vec<&str> = index.included.iter().map(|name| name.value.as_str()).collect();
    match included.is_empty() {
        true => index.projection.value.clone(),
        false => format!("{}: {}", index.projection.value, included.join(", ")),
    }
}

fn table_facts<'a>(
    design: &'a Design,
    environment: &Environment,
    table: &'a Table,
    items: &[(&Sample, Item)],
) -> TableFacts<'a> {
    let entities: Vec<&Entity> =
        design.entities.iter().filter(|entity| entity.table.value == table.id.value).collect();
    let is_here = |sample: &Sample| entities.iter().any(|entity| entity.name.value == sample.entity.value);
    let own: Vec<&(&Sample, Item)> = items.iter().filter(|(sample, _)| is_here(sample)).collect();
    let mut views = vec![view(table, None, &own)];
    views.extend(table.indexes.iter().map(|index| view(table, Some(index), &own)));
    let properties = resource::resolved(design, environment, table);
    TableFacts {
        table,
        name: physical::table_name(design, environment, table),
        settings: settings(&properties),
        entities,
        views,
    }
}

fn view(table: &Table, index: Option<&Index>, items: &[&(&Sample, Item)]) -> View {
    let key = index.map_or(&table.key, |index| &index.key);
    let names: Vec<String> = key.iter().map(|key| key.name.value.clone()).collect();
    let part = |item: &Item, is_hash: bool| {
        let parts =
            key.iter().filter(|key| key.is_hash == is_hash).filter_map(|key| item.get(&key.name.value));
        parts.map(shown).collect::<Vec<_>>().join(" | ")
    };
    let has_sort = key.iter().any(|key| !key.is_hash);
    let mut sorted: Vec<&&(&Sample, Item)> =
        items.iter().filter(|(_, item)| names.iter().all(|name| item.contains_key(name))).collect();
    sorted.sort_by_cached_key(|(_, item)| order(item, key));
    let mut partitions: Vec<(String, Vec<Row>)> = Vec::new();
    for (sample, item) in sorted {
        let projected = item.iter().filter(|(name, _)| {
            !names.contains(name) && index.is_none_or(|index| sizes::projects(table, index, name))
        });
        let row = Row {
            sample: sample.name.value.clone(),
            entity: sample.entity.value.clone(),
            sort: has_sort.then(|| part(item, false)),
            attributes: projected.map(|(name, value)| (name.clone(), shown(value))).collect(),
            bytes: index
                .and_then(|index| sizes::entry_bytes(table, index, item))
                .unwrap_or_else(|| item::item_bytes(item)),
        };
        let partition = part(item, true);
        match partitions.iter_mut().find(|(known, _)| *known == partition) {
            Some((_, rows)) => rows.push(row),
            None => partitions.push((partition, vec![row])),
        }
    }
    View { index: index.map(|index| index.name.value.clone()), key: names, partitions }
}

/// Partitions by name, items inside them as the service sorts them.
fn order(item: &Item, key: &[KeyAttribute]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in key.iter().filter_map(|key| item.get(&key.name.value)) {
        if matches!(value, Value::S(_) | Value::N(_) | Value::B(_)) {
            item::append_ordered(&mut bytes, value);
        }
    }
    bytes
}

/// A value in short.
pub(super) fn shown(value: &Value) -> String {
    const LONG: usize = 48;
    let text = match value {
        Value::S(text) => text.clone(),
        Value::N(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null => "null".into(),
        Value::B(bytes) => format!("{} bytes", bytes.len()),
        Value::L(values) => match values.iter().all(|value| matches!(value, Value::S(_) | Value::N(_))) {
            true => format!("[{}]", values.iter().map(shown).collect::<Vec<_>>().join(", ")),
            false => format!("list of {}", values.len()),
        },
        Value::M(map) => format!("{{{}}}", map.keys().cloned().collect::<Vec<_>>().join(", ")),
        Value::Ss(values) => format!("{{{}}}", values.join(", ")),
        Value::Ns(values) => format!("set of {}", values.len()),
        Value::Bs(values) => format!("set of {}", values.len()),
    };
    match text.char_indices().nth(LONG) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

fn settings(properties: &Json) -> Vec<(String, String)> {
    let at = |pointer: &str| properties.pointer(pointer);
    let text = |pointer: &str| at(pointer).and_then(Json::as_str);
    let mut out = Vec::new();
    let mut add = |name: &str, value: String| out.push((name.to_owned(), value));
    let is_on_demand = text("/BillingMode") == Some("PAY_PER_REQUEST");
    let units =
        |name: &str| at(&format!("/ProvisionedThroughput/{name}")).map(Json::to_string).unwrap_or_default();
    match is_on_demand {
        true => add("Billing", "on demand".into()),
        false => add(
            "Billing",
            format!(
                "provisioned, {} RCU and {} WCU",
                units("ReadCapacityUnits"),
                units("WriteCapacityUnits")
            ),
        ),
    }
    let ttl = text("/TimeToLiveSpecification/AttributeName")
        .filter(|_| at("/TimeToLiveSpecification/Enabled") == Some(&Json::Bool(true)));
    add("Expiry", ttl.map_or("none".into(), |attribute| format!("by {attribute}")));
    let recovery =
        at("/PointInTimeRecoverySpecification/PointInTimeRecoveryEnabled") == Some(&Json::Bool(true));
    let days =
        at("/PointInTimeRecoverySpecification/RecoveryPeriodInDays").map_or("35".into(), Json::to_string);
    add("Recovery", if recovery { format!("point in time, {days} days") } else { "off".into() });
    add(
        "Stream",
        text("/StreamSpecification/StreamViewType").unwrap_or("off").to_lowercase().replace('_', " "),
    );
    let is_managed = at("/SSESpecification/SSEEnabled") == Some(&Json::Bool(true));
    let encryption = match (is_managed, text("/SSESpecification/KMSMasterKeyId")) {
        (true, Some(_)) => "customer managed key",
        (true, None) => "AWS managed key",
        (false, _) => "AWS owned key",
    };
    add("Encryption", encryption.into());
    if at("/DeletionProtectionEnabled") == Some(&Json::Bool(true)) {
        add("Deletion", "protected".into());
    }
    let tags = at("/Tags").and_then(Json::as_array).into_iter().flatten();
    let pair = |tag: &Json| Some(format!("{}={}", tag.get("Key")?.as_str()?, tag.get("Value")?.as_str()?));
    let tags: Vec<String> = tags.filter_map(pair).collect();
    if !tags.is_empty() {
        add("Tags", tags.join(", "));
    }
    out
}

fn pattern_facts<'a>(
    design: &Design,
    environment: &Environment,
    bill: &'a Report,
    pattern: &'a Pattern,
) -> PatternFacts<'a> {
    let requests = request::requests(design, environment, pattern).unwrap_or_default();
    let steps = requests.iter().map(|request| {
        let place = request.index.clone().unwrap_or_else(|| "table".into());
        (request.operation.clone(), place, request.words.clone())
    });
    PatternFacts {
        pattern,
        steps: steps.collect(),
        requests: requests
            .iter()
            .map(|request| (request.operation.clone(), timeless(pattern, &request.body)))
            .collect(),
        cost: bill.patterns.iter().find(|cost| cost.name == pattern.name.value),
    }
}

/// A request without the time it was made at, so that the same design gives the same document.
fn timeless(pattern: &Pattern, body: &Json) -> Json {
    let is_given =
        pattern.steps.iter().any(|step| step.parameters.iter().any(|(name, _)| name.value == "now"));
    let mut body = body.clone();
    if let (false, Some(now)) = (is_given, body.pointer_mut("/ExpressionAttributeValues/:now")) {
        *now = serde_json::json!({ "N": "the time in seconds" });
    }
    body
}
