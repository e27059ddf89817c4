//! What the generated access layers have in common: entities with their keys, and access patterns as calls whose
//! values are terms over parameters. Knows no programming language.

mod call;
mod condition;
mod expression;
mod letters;
mod maker;
mod term;

pub(super) use call::{Call, Operation, Shape};
pub(super) use letters::MARKED;
pub(super) use term::{Piece, Term};

use item::{Type, Value};

use crate::diagnostic::Diagnostic;
use crate::model::{Design, Entity, Environment, Field, Index, Pattern, Plain, Sample, Table};
use crate::rule::{self, Rule};
use crate::{physical, values};

/// Everything a generated module needs.
pub(super) struct Program<'a> {
    pub(super) design: &'a Design,
    /// Logical ids and names of the tables.
    pub(super) tables: Vec<(String, String)>,
    pub(super) kinds: Vec<Kind<'a>>,
    pub(super) functions: Vec<Function<'a>>,
}

/// An entity and how its items are made.
pub(super) struct Kind<'a> {
    pub(super) entity: &'a Entity,
    /// Computed fields and what they are.
    pub(super) computed: Vec<(&'a Field, Term)>,
    /// The attribute, the field it is counted from, and the seconds after it.
    pub(super) ttl: Option<(String, Term, u64)>,
    /// The primary key.
    pub(super) key: Vec<(String, Term)>,
    /// The keys of the indexes.
    pub(super) index_keys: Vec<IndexKey>,
}

/// The key attributes of one index.
pub(super) struct IndexKey {
    pub(super) attributes: Vec<(String, Term)>,
    pub(super) when: Option<Rule>,
    /// Fields without which there is no entry.
    pub(super) needs: Vec<String>,
}

/// One access pattern.
pub(super) struct Function<'a> {
    pub(super) pattern: &'a Pattern,
    pub(super) parameters: Vec<Parameter<'a>>,
    pub(super) calls: Vec<Call<'a>>,
}

/// One parameter of a function.
pub(super) struct Parameter<'a> {
    pub(super) name: String,
    pub(super) role: Role<'a>,
    pub(super) example: Example<'a>,
}

/// What a parameter is.
#[derive(Clone)]
pub(super) enum Role<'a> {
    /// A value of this field.
    Field(&'a Field),
    /// A value that no field describes, of this type.
    Untyped(Type),
    /// An item of this entity.
    Item(&'a Entity),
    /// Items of any entity.
    Items,
    /// Keys of any entity.
    Keys,
}

/// What the design calls a function with.
pub(super) enum Example<'a> {
    Value(Value),
    Sample(&'a Sample),
    Samples(Vec<&'a Sample>),
}

/// Reads a design into a program.
pub(super) fn program<'a>(design: &'a Design, environment: &Environment) -> Result<Program<'a>, Diagnostic> {
    let tables = design.tables.iter();
    let name = |table: &Table| (table.id.value.clone(), physical::table_name(design, environment, table));
    let tables = tables.map(name).collect();
    let kinds = design.entities.iter().map(|entity| kind(design, entity)).collect::<Result<_, _>>()?;
    let functions = design.patterns.iter().map(|pattern| maker::function(design, pattern));
    Ok(Program { design, tables, kinds, functions: functions.collect::<Result<_, _>>()? })
}

impl Program<'_> {
    /// Whether any term uses this transform.
    pub(super) fn uses(&self, transform: &str) -> bool {
        let mut found = false;
        self.each_term(&mut |term| found |= term.uses(transform));
        found
    }

    /// Whether a sort value or a time is needed.
    pub(super) fn has_ttl(&self) -> bool {
        self.kinds.iter().any(|kind| kind.ttl.is_some())
    }

    /// Whether any function throws stale items away.
    pub(super) fn has_freshness(&self) -> bool {
        self.functions.iter().flat_map(|function| &function.calls).any(|call| call.fresh.is_some())
    }

    /// Whether any expression speaks of the time of the call.
    pub(super) fn has_now(&self) -> bool {
        let mut found = false;
        self.each_term(&mut |term| found |= matches!(term, Term::Now));
        found
    }

    /// Whether any function makes a call of this kind.
    pub(super) fn has(&self, operation: Operation) -> bool {
        self.functions.iter().flat_map(|function| &function.calls).any(|call| call.operation == operation)
    }

    /// Visits every term there is.
    pub(super) fn each_term(&self, visit: &mut dyn FnMut(&Term)) {
        for kind in &self.kinds {
            kind.computed.iter().for_each(|(_, term)| visit(term));
            kind.ttl.iter().for_each(|(_, term, _)| visit(term));
            kind.key.iter().for_each(|(_, term)| visit(term));
            kind.index_keys.iter().flat_map(|key| &key.attributes).for_each(|(_, term)| visit(term));
        }
        for call in self.functions.iter().flat_map(|function| &function.calls) {
            for one in std::iter::once(call).chain(&call.actions) {
                one.key.iter().for_each(|(_, term)| visit(term));
                one.values.iter().for_each(|(_, term)| visit(term));
            }
        }
    }
}

impl Kind<'_> {
    /// The fields the primary key is made of, those that are computed replaced by what they are computed from.
    pub(super) fn key_fields(&self) -> Vec<String> {
        let mut fields = Vec::new();
        self.key.iter().for_each(|(_, term)| term.variables(&mut fields));
        fields
    }

    /// Fields that are not stored but can be read back from a key: the attribute, and the text before and after.
    pub(super) fn recovered(&self) -> Vec<(&Field, String, String, String)> {
        let mut found = Vec::new();
        for field in self.entity.fields.iter().filter(|field| !field.store && field.from.is_none()) {
            for (attribute, term) in &self.key {
                if let Some((before, after)) = term.around(&field.name.value) {
                    found.push((field, attribute.clone(), before, after));
                    break;
                }
            }
        }
        found
    }

    /// Whether a caller may leave a field out.
    pub(super) fn is_optional(&self, field: &Field) -> bool {
        let is_ttl = self.ttl.as_ref().is_some_and(|(attribute, ..)| *attribute == field.name.value);
        !field.required || is_ttl || field.from.is_some()
    }
}

fn kind<'a>(design: &'a Design, entity: &'a Entity) -> Result<Kind<'a>, Diagnostic> {
    let table = table_of(design, entity)?;
    let given = |name: &str| own_field(entity, name);
    let mut computed = Vec::new();
    for field in &entity.fields {
        if let Some(term) = term::computed(entity, field, &given) {
            computed.push((field, term));
        }
    }
    let ttl = entity.ttl.as_ref().and_then(|ttl| {
        let from = own_field(entity, &ttl.from.value)?;
        Some((ttl.field.value.clone(), from, ttl.after_seconds))
    });
    let templates = std::iter::once(&entity.pk).chain(&entity.sk);
    let key = table
        .key
        .iter()
        .zip(templates)
        .map(|(key, template)| (key.name.value.clone(), term::full(entity, template, &given)));
    let mut index_keys = Vec::new();
    for mapping in &entity.mappings {
        let Some(index) = table.indexes.iter().find(|index| index.name.value == mapping.index.value) else {
            continue;
        };
        index_keys.push(index_key(design, entity, index, mapping)?);
    }
    Ok(Kind { entity, computed, ttl, key: key.collect(), index_keys })
}

fn index_key(
    design: &Design,
    entity: &Entity,
    index: &Index,
    mapping: &crate::model::Mapping,
) -> Result<IndexKey, Diagnostic> {
    let given = |name: &str| own_field(entity, name);
    let (hash, range): (Vec<_>, Vec<_>) = index.key.iter().partition(|key| key.is_hash);
    let pairs = hash.into_iter().zip(&mapping.pk).chain(range.into_iter().zip(&mapping.sk));
    let attributes: Vec<(String, Term)> =
        pairs.map(|(key, template)| (key.name.value.clone(), term::full(entity, template, &given))).collect();
    let mut fields = Vec::new();
    attributes.iter().for_each(|(_, term)| term.variables(&mut fields));
    let may_miss = |name: &String| {
        let field = entity.fields.iter().find(|field| field.name.value == *name);
        field.is_none_or(|field| !field.required || field.nullable)
    };
    let when = match &mapping.when {
        None => None,
        Some(text) => Some(rule::parse(&text.value).map_err(|message| {
            Diagnostic::error(
                "X001",
                &design.file,
                text.place,
                format!("`when` cannot be exported: {message}"),
            )
        })?),
    };
    Ok(IndexKey { attributes, when, needs: fields.into_iter().filter(may_miss).collect() })
}

/// A field of the entity as a variable; nothing if it is computed, so that it is worked out instead.
fn own_field(entity: &Entity, name: &str) -> Option<Term> {
    let field = entity.fields.iter().find(|field| field.name.value == name)?;
    if field.from.is_some() && !field.store {
        return None;
    }
    Some(Term::Variable { name: name.into(), kind: field.kind.value.clone() })
}

fn table_of<'a>(design: &'a Design, entity: &Entity) -> Result<&'a Table, Diagnostic> {
    design.tables.iter().find(|table| table.id.value == entity.table.value).ok_or_else(|| {
        let message = format!("{}: there is no table {}", entity.name.value, entity.table.value);
        Diagnostic::error("X002", &design.file, entity.table.place, message)
    })
}

/// A value of a file, typed by its field if it has one.
pub(super) fn typed(field: Option<&Field>, plain: &Plain) -> Value {
    let typed = field.and_then(|field| values::value(field, plain).ok());
    typed.unwrap_or_else(|| values::untyped(plain))
}

/// The words of a name: at underscores, hyphens and capitals.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            before = '_';
            continue;
        }
        let is_new = before == '_' || (letter.is_uppercase() && !before.is_uppercase());
        match words.last_mut() {
            Some(word) if !is_new => word.push(letter.to_ascii_lowercase()),
            _ => words.push(letter.to_lowercase().collect()),
        }
        before = letter;
    }
    words
}

/// `get_user_profile`.
pub(super) fn snake(name: &str) -> String {
    words(name).join("_")
}

/// `GetUserProfile`.
pub(super) fn pascal(name: &str) -> String {
    let capital = |word: &String| {
        let mut letters = word.chars();
        let first: String = letters.next().map(|letter| letter.to_uppercase().collect()).unwrap_or_default();
        first + letters.as_str()
    };
    words(name).iter().map(capital).collect()
}

/// `getUserProfile`.
pub(super) fn camel(name: &str) -> String {
    let pascal = pascal(name);
    let mut letters = pascal.chars();
    let first: String = letters.next().map(|letter| letter.to_lowercase().collect()).unwrap_or_default();
    first + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_each_language_has_them() {
        for (name, expected) in [
            ("GetUserProfile", ("get_user_profile", "GetUserProfile", "getUserProfile")),
            ("EMailAddress", ("email_address", "EmailAddress", "emailAddress")),
            ("cook_date", ("cook_date", "CookDate", "cookDate")),
            ("stock-price-cache", ("stock_price_cache", "StockPriceCache", "stockPriceCache")),
        ] {
            assert_eq!((snake(name).as_str(), pascal(name).as_str(), camel(name).as_str()), expected);
        }
    }
}
