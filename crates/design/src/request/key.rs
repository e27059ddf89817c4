//! Keys from templates and values: a whole key for one item, a condition for many.
//! Knows how much of a template can be filled, and what that allows to ask.

use item::{Item, Number, Value};

use super::Problem;
use super::bind::Bound;
use super::expression::Placeholders;
use crate::items;
use crate::model::{Entity, KeyAttribute, Step, Table};
use crate::template::Template;

/// The key of one item.
pub(super) fn whole(entity: &Entity, table: &Table, values: &Item) -> Result<Item, String> {
    let templates = std::iter::once(&entity.pk).chain(&entity.sk);
    if table.key.len() > 1 && entity.sk.is_none() {
        return Err(format!("{} has no sk_template, and its table has a sort key", entity.name.value));
    }
    let parts = table.key.iter().zip(templates).map(|(part, template)| {
        let value = filled(part, template, values).map_err(|message| {
            format!("the key {} = {} is not complete: {message}", part.name.value, template.text)
        })?;
        Ok((part.name.value.clone(), value))
    });
    parts.collect()
}

/// The condition of a query.
#[derive(Debug)]
pub(super) struct Condition {
    parts: Vec<(String, Comparison)>,
}

#[derive(Debug)]
enum Comparison {
    Is(&'static str, Value),
    BeginsWith(Value),
    Between(Value, Value),
}

/// The condition that a step's values and `range_condition` ask for.
pub(super) fn condition(step: &Step, bound: &Bound<'_>) -> Result<Condition, Problem> {
    let entity = bound.entity()?;
    let (key, hash, range): (&[KeyAttribute], Vec<&Template>, Vec<&Template>) = match &step.index {
        None => (&bound.table.key, vec![&entity.pk], entity.sk.iter().collect()),
        Some(name) => {
            let index = bound.table.indexes.iter().find(|index| index.name.value == name.value);
            let index =
                index.ok_or_else(|| Problem::at(format!("there is no index {}", name.value), name.place))?;
            let mapping = entity.mappings.iter().find(|mapping| mapping.index.value == name.value);
            let mapping = mapping.ok_or_else(|| {
                Problem::at(format!("{} has no mapping to {}", entity.name.value, name.value), name.place)
            })?;
            (&index.key, mapping.pk.iter().collect(), mapping.sk.iter().collect())
        }
    };
    let (hash_parts, range_parts): (Vec<_>, Vec<_>) = key.iter().partition(|part| part.is_hash);
    let mut parts = Vec::new();
    for (part, template) in hash_parts.into_iter().zip(hash) {
        let value = filled(part, template, &bound.values).map_err(|message| {
            Problem::from(format!(
                "the partition key {} = {} is not complete: {message}",
                part.name.value, template.text
            ))
        })?;
        parts.push((part.name.value.clone(), Comparison::Is("=", value)));
    }
    let asked = step.range_condition.as_ref().map(|asked| asked.value.as_str());
    for (part, template) in range_parts.into_iter().zip(range) {
        let Some(comparison) = sort(asked, part, template, bound)? else { break };
        let is_equal = matches!(comparison, Comparison::Is("=", _));
        parts.push((part.name.value.clone(), comparison));
        // Only the last attribute of a sort key may be asked for a range.
        if !is_equal {
            break;
        }
    }
    Ok(Condition { parts })
}

fn sort(
    asked: Option<&str>,
    part: &KeyAttribute,
    template: &Template,
    bound: &Bound<'_>,
) -> Result<Option<Comparison>, Problem> {
    if let Some((low, high)) = bounds(template, bound) {
        let (low, _) = ended(template, bound, &low);
        let (high, is_complete) = ended(template, bound, &high);
        let value = |text: &str| typed(part, template, &Item::new(), text).map_err(Problem::from);
        return Ok(Some(Comparison::Between(value(&low)?, value(&last(high, is_complete))?)));
    }
    let (text, is_complete) = template.prefix(&bound.values);
    let literal = template.literal_prefix();
    let value = |text: &str| typed(part, template, &bound.values, text).map_err(Problem::from);
    match asked {
        Some("between") => Err(format!(
            "between needs two values: give one field of {} a list such as [low, high]",
            template.text
        )
        .into()),
        Some("begins_with") => Ok(Some(Comparison::BeginsWith(Value::S(text)))),
        None | Some("=" | "") if is_complete => Ok(Some(Comparison::Is("=", value(&text)?))),
        None | Some("=" | "") => {
            let is_text = !text.is_empty() && part.kind == "S";
            Ok(is_text.then(|| Comparison::BeginsWith(Value::S(text))))
        }
        // Other kinds of items may lie beyond the template's own beginning, so the open side ends with it.
        Some(">=") if !literal.is_empty() => {
            Ok(Some(Comparison::Between(value(&text)?, Value::S(format!("{literal}{LAST}")))))
        }
        Some("<=") if !literal.is_empty() => {
            let high = value(&last(text, is_complete))?;
            Ok(Some(Comparison::Between(Value::S(literal.to_owned()), high)))
        }
        Some(">=") => Ok(Some(Comparison::Is(">=", value(&text)?))),
        Some("<") => Ok(Some(Comparison::Is("<", value(&text)?))),
        Some("<=") => Ok(Some(Comparison::Is("<=", value(&last(text, is_complete))?))),
        Some(">") => Ok(Some(Comparison::Is(">", value(&last(text, is_complete))?))),
        Some(_) => {
            Err(Problem::from("range_condition is begins_with, between, =, <, <=, > or >=".to_owned()))
        }
    }
}

/// Sorts after every letter that keys have.
const LAST: char = '\u{10FFFF}';

/// The end of everything that begins with a text: a bound given in part covers all keys it is the beginning of, or
/// a range of days would lose its last one.
fn last(text: String, is_complete: bool) -> String {
    if is_complete { text } else { format!("{text}{LAST}") }
}

/// Two values for one field of the template.
fn bounds(template: &Template, bound: &Bound<'_>) -> Option<(Value, Value)> {
    let fields = template.fields();
    let (_, values) = bound.lists.iter().find(|(name, _)| fields.contains(&name.as_str()))?;
    match values.as_slice() {
        [low, high] => Some((low.clone(), high.clone())),
        _ => None,
    }
}

/// One end of a range: the template with that value in its slot, as far as it can be filled, and whether that is all.
fn ended(template: &Template, bound: &Bound<'_>, value: &Value) -> (String, bool) {
    let fields = template.fields();
    let list = bound.lists.iter().find(|(name, _)| fields.contains(&name.as_str()));
    let mut values = bound.values.clone();
    if let Some((name, _)) = list {
        values.insert(name.clone(), value.clone());
    }
    template.prefix(&values)
}

fn filled(part: &KeyAttribute, template: &Template, values: &Item) -> Result<Value, String> {
    let text = template.render(values)?;
    typed(part, template, values, &text)
}

/// A template that is one field has that field's value; every other one is text, or a number made of text.
fn typed(part: &KeyAttribute, template: &Template, values: &Item, text: &str) -> Result<Value, String> {
    if let Some(value) = template.bare_field().and_then(|field| values.get(field))
        && value.type_of().name() == part.kind
    {
        return Ok(value.clone());
    }
    match part.kind.as_str() {
        "N" => Number::parse(text).map(Value::N).map_err(|_| format!("{text:?} is no number")),
        "B" => Ok(Value::B(text.as_bytes().to_vec().into())),
        _ => Ok(Value::S(text.to_owned())),
    }
}

impl Condition {
    /// The expression.
    pub(super) fn text(&self, placeholders: &mut Placeholders) -> String {
        let parts = self.parts.iter().map(|(name, comparison)| {
            let alias = placeholders.name(name);
            match comparison {
                Comparison::Is(sign, value) => {
                    format!("{alias} {sign} {}", placeholders.value(name, value.clone()))
                }
                Comparison::BeginsWith(value) => {
                    format!("begins_with({alias}, {})", placeholders.value(name, value.clone()))
                }
                Comparison::Between(low, high) => {
                    let low = placeholders.value(&format!("{name}_from"), low.clone());
                    let high = placeholders.value(&format!("{name}_to"), high.clone());
                    format!("{alias} BETWEEN {low} AND {high}")
                }
            }
        });
        parts.collect::<Vec<_>>().join(" AND ")
    }

    /// The same as a person would say it.
    pub(super) fn words(&self) -> String {
        let parts = self.parts.iter().map(|(name, comparison)| match comparison {
            Comparison::Is(sign, value) => format!("{name} {sign} {}", said(value)),
            Comparison::BeginsWith(value) => format!("begins_with({name}, {})", said(value)),
            Comparison::Between(low, high) => format!("{name} BETWEEN {} AND {}", said(low), said(high)),
        });
        parts.collect::<Vec<_>>().join(" AND ")
    }
}

/// A key's value as a person would write it. The greatest character stands for the end and is not worth showing.
pub(super) fn said(value: &Value) -> String {
    match value {
        Value::S(text) => format!("'{}'", text.replace(LAST, "…")),
        Value::N(_)
        | Value::B(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => items::shown(value),
    }
}
