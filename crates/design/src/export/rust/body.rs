//! Functions of the Rust layer: keys, items, and one method for each access pattern. Knows no types.

use super::super::code::{Call, Function, Kind, Operation, Role, Shape, Term, pascal};
use super::terms::{Variable, needed, rule, value};
use super::types;
use super::{name, text};

/// The key, the stored item and the way back, as functions of the entity's struct.
pub(super) fn entity(kind: &Kind<'_>) -> String {
    let own = pascal(&kind.entity.name.value);
    let parameters: Vec<String> = kind
        .key_fields()
        .iter()
        .map(|field| {
            let found = kind.entity.fields.iter().find(|known| known.name.value == *field);
            let kind = found.map_or("&AttributeValue".into(), |field| types::of_role(&Role::Field(field)));
            format!("{}: {kind}", name(field))
        })
        .collect();
    let key = inserts("key", &kind.key, &parameter, "        ");
    let mut out = format!(
        "\nimpl {own} {{\n    /// The primary key.\n    pub fn key({}) -> Item {{\n        let mut key = Item::new();\n{key}        key\n    }}\n\n",
        parameters.join(", ")
    );
    out.push_str(&item(kind));
    out.push_str(&read(kind, &own));
    out.push_str("}\n");
    out
}

fn parameter(field: &str) -> String {
    format!("{}.to_attribute()", name(field))
}

fn item(kind: &Kind<'_>) -> String {
    let variable = |field: &str| format!("value_of(&values, {})", text(field));
    let mut out = "    /// As it is stored: keys, index keys and computed fields put in.\n    pub fn item(&self) -> Item {\n        let mut values = self.to_map();\n".to_owned();
    for (field, term) in &kind.computed {
        let attribute = text(&field.name.value);
        out.push_str(&format!(
            "        if {}!values.contains_key({attribute}) {{\n            let computed = {};\n            values.insert({attribute}.to_owned(), computed);\n        }}\n",
            needed(term),
            value(term, &variable)
        ));
    }
    if let Some((attribute, from, seconds)) = &kind.ttl {
        let attribute = text(attribute);
        out.push_str(&format!(
            "        if {}!values.contains_key({attribute}) {{\n            let end = epoch(&{}) + {seconds};\n            values.insert({attribute}.to_owned(), end.to_attribute());\n        }}\n",
            needed(from),
            value(from, &variable)
        ));
    }
    out.push_str("        let mut item = values.clone();\n");
    for field in kind.entity.fields.iter().filter(|field| !field.store) {
        out.push_str(&format!("        item.remove({});\n", text(&field.name.value)));
    }
    out.push_str(&inserts("item", &kind.key, &variable, "        "));
    for index in &kind.index_keys {
        let mut tests: Vec<String> =
            index.needs.iter().map(|field| format!("is_there(&values, {})", text(field))).collect();
        tests.extend(index.when.iter().map(rule));
        match tests.is_empty() {
            true => out.push_str(&inserts("item", &index.attributes, &variable, "        ")),
            false => out.push_str(&format!(
                "        if {} {{\n{}        }}\n",
                tests.join(" && "),
                inserts("item", &index.attributes, &variable, "            ")
            )),
        }
    }
    out.push_str("        item\n    }\n\n");
    out
}

fn read(kind: &Kind<'_>, own: &str) -> String {
    let mut recovered = String::new();
    for (field, attribute, before, after) in kind.recovered() {
        recovered.push_str(&format!(
            "        if let Some(AttributeValue::S(key)) = item.get({}) {{\n            \
             let part = key.strip_prefix({}).and_then(|rest| rest.strip_suffix({}));\n            \
             if let Some(part) = part {{\n                values.entry({}.to_owned()).or_insert_with(|| part.to_attribute());\n            }}\n        }}\n",
            text(&attribute),
            text(&before),
            text(&after),
            text(&field.name.value)
        ));
    }
    let mutable = if recovered.is_empty() { "" } else { "mut " };
    format!(
        "    /// A stored item, or nothing if it is not one of these.\n    pub fn read(item: &Item) -> Option<{own}> {{\n        \
         let {mutable}values = item.clone();\n{recovered}        {own}::from_map(&values)\n    }}\n"
    )
}

/// One access pattern.
pub(super) fn method(function: &Function<'_>) -> String {
    let pattern = function.pattern;
    let parameters: String = function
        .parameters
        .iter()
        .map(|parameter| format!(", {}: {}", name(&parameter.name), types::of_role(&parameter.role)))
        .collect();
    let returning = function.calls.iter().rposition(|call| call.shape() != Shape::Nothing);
    let result = returning.and_then(|place| function.calls.get(place)).map_or("()".into(), returned);
    let note = pattern.description.as_deref().unwrap_or(&pattern.name.value);
    let mut out = format!(
        "\n    /// {}\n    pub async fn {}(&self{parameters}) -> Result<{result}, Error> {{\n",
        types::one_line(note),
        name(&pattern.name.value)
    );
    for (place, call) in function.calls.iter().enumerate() {
        if call.continues() {
            let nothing = if result.starts_with("Vec") { "Vec::new()" } else { "None" };
            out.push_str(&format!(
                "        if found.is_empty() {{\n            return Ok({nothing});\n        }}\n"
            ));
        }
        out.push_str(&one_call(call));
        if function.calls.get(place + 1).is_some_and(Call::continues) {
            out.push_str(match call.shape() {
                Shape::One => "        let found: Vec<Item> = item.iter().cloned().collect();\n",
                Shape::Many | Shape::Nothing => "        let found: Vec<Item> = items.clone();\n",
            });
        }
        if Some(place) == returning {
            out.push_str(&keep(call));
        }
    }
    out.push_str(if returning.is_some() { "        Ok(result)\n    }\n" } else { "        Ok(())\n    }\n" });
    out
}

fn returned(call: &Call<'_>) -> String {
    let one = call.returns.map_or("Item".into(), |entity| pascal(&entity.name.value));
    match call.shape() {
        Shape::One => format!("Option<{one}>"),
        Shape::Many | Shape::Nothing => format!("Vec<{one}>"),
    }
}

fn keep(call: &Call<'_>) -> String {
    let fresh =
        call.fresh.as_ref().map(|attribute| format!(".filter(|item| is_fresh(item, {}))", text(attribute)));
    let fresh = fresh.unwrap_or_default();
    match (call.shape(), call.returns) {
        (Shape::One, Some(entity)) => format!(
            "        let result = item{fresh}.map(|item| read(&item, {}::read)).transpose()?;\n",
            pascal(&entity.name.value)
        ),
        (Shape::One, None) => format!("        let result = item{fresh};\n"),
        (_, Some(entity)) => format!(
            "        let result = items.iter(){fresh}.map(|item| read(item, {}::read)).collect::<Result<Vec<_>, Error>>()?;\n",
            pascal(&entity.name.value)
        ),
        (_, None) if fresh.is_empty() => "        let result = items;\n".into(),
        (_, None) => format!("        let result = items.into_iter(){fresh}.collect();\n"),
    }
}

fn one_call(call: &Call<'_>) -> String {
    let send = |method: &str| {
        format!(
            "self\n            .client\n            .{method}()\n{}            .send()\n            .await\n            .map_err(service)?",
            request(call, "            ")
        )
    };
    match call.operation {
        Operation::Get => {
            format!("        let answer = {};\n        let item = answer.item;\n", send("get_item"))
        }
        Operation::Put => format!("        {};\n", send("put_item")),
        Operation::Update => format!("        {};\n", send("update_item")),
        Operation::Delete => format!("        {};\n", send("delete_item")),
        Operation::Query | Operation::Scan => paged(call),
        Operation::BatchGet | Operation::BatchWrite => batch(call),
        Operation::TransactGet => transact_get(call),
        Operation::TransactWrite | Operation::Check => transact_write(call),
    }
}

/// The setters of a request, one a line.
fn request(call: &Call<'_>, pad: &str) -> String {
    let mut lines = vec![format!(".table_name(self.table({}))", text(&call.table.id.value))];
    if let Some(index) = &call.index {
        lines.push(format!(".index_name({})", text(index)));
    }
    if let Some((parameter, _)) = &call.item {
        lines.push(format!(".set_item(Some({}.item()))", name(parameter)));
    }
    for (attribute, term) in &call.key {
        lines.push(format!(".key({}, {})", text(attribute), value(term, &parameter)));
    }
    for (field, expression) in &call.expressions {
        lines.push(format!(".{}({})", super::snake(field), text(expression)));
    }
    for (alias, name) in &call.names {
        lines.push(format!(".expression_attribute_names({}, {})", text(alias), text(name)));
    }
    for (placeholder, term) in &call.values {
        lines.push(format!(
            ".expression_attribute_values({}, {})",
            text(placeholder),
            value(term, &parameter)
        ));
    }
    if call.is_consistent {
        lines.push(".consistent_read(true)".into());
    }
    if call.operation == Operation::Query && !call.is_forward {
        lines.push(".scan_index_forward(false)".into());
    }
    if let Some(limit) = call.limit {
        lines.push(format!(".limit({limit})"));
    }
    lines.iter().map(|line| format!("{pad}{line}\n")).collect()
}

fn paged(call: &Call<'_>) -> String {
    let method = if call.operation == Operation::Query { "query" } else { "scan" };
    if call.limit.is_some() {
        return format!(
            "        let answer = self\n            .client\n            .{method}()\n{}            .send()\n            .await\n            .map_err(service)?;\n        let items = answer.items.unwrap_or_default();\n",
            request(call, "            ")
        );
    }
    format!(
        "        let mut items: Vec<Item> = Vec::new();\n        let mut start: Option<Item> = None;\n        loop {{\n            \
         let answer = self\n                .client\n                .{method}()\n{}                .set_exclusive_start_key(start)\n                .send()\n                .await\n                .map_err(service)?;\n            \
         items.extend(answer.items.unwrap_or_default());\n            start = answer.last_evaluated_key;\n            if start.is_none() {{\n                break;\n            }}\n        }}\n",
        request(call, "                ")
    )
}

fn batch(call: &Call<'_>) -> String {
    let source = match &call.several {
        _ if call.is_each => format!("&{}", each(call)),
        Some(parameter) => name(parameter),
        None => {
            let one = |action: &Call<'_>| {
                let table = text(&action.table.id.value);
                match &action.item {
                    Some((parameter, _)) => format!("({table}, {}.item())", name(parameter)),
                    None => {
                        let pairs = action.key.iter().map(|(attribute, term)| {
                            format!("({}.to_owned(), {})", text(attribute), value(term, &parameter))
                        });
                        format!("({table}, Item::from([{}]))", pairs.collect::<Vec<_>>().join(", "))
                    }
                }
            };
            format!("&[{}]", call.actions.iter().map(one).collect::<Vec<_>>().join(", "))
        }
    };
    if call.operation == Operation::BatchGet {
        return format!(
            "        let mut items: Vec<Item> = Vec::new();\n        for group in grouped(self, {source}, 100) {{\n            \
             let mut pending = HashMap::new();\n            for (table, keys) in group {{\n                \
             pending.insert(table, KeysAndAttributes::builder().set_keys(Some(keys)).build().map_err(unfinished)?);\n            }}\n            \
             while !pending.is_empty() {{\n                let answer = self.client.batch_get_item().set_request_items(Some(pending)).send().await.map_err(service)?;\n                \
             items.extend(answer.responses.unwrap_or_default().into_values().flatten());\n                pending = answer.unprocessed_keys.unwrap_or_default();\n            }}\n        }}\n"
        );
    }
    let is_delete = call.actions.first().is_some_and(|action| action.operation == Operation::Delete);
    let (request, setter) = if is_delete { ("DeleteRequest", "set_key") } else { ("PutRequest", "set_item") };
    let write = if is_delete { "delete_request" } else { "put_request" };
    format!(
        "        for group in grouped(self, {source}, 25) {{\n            let mut pending = HashMap::new();\n            \
         for (table, values) in group {{\n                let mut writes = Vec::new();\n                for value in values {{\n                    \
         let one = {request}::builder().{setter}(Some(value)).build().map_err(unfinished)?;\n                    \
         writes.push(WriteRequest::builder().{write}(one).build());\n                }}\n                pending.insert(table, writes);\n            }}\n            \
         while !pending.is_empty() {{\n                let answer = self.client.batch_write_item().set_request_items(Some(pending)).send().await.map_err(service)?;\n                \
         pending = answer.unprocessed_items.unwrap_or_default();\n            }}\n        }}\n"
    )
}

/// Keys made for each value of a list or each item that was found.
fn each(call: &Call<'_>) -> String {
    let source = match &call.several {
        Some(parameter) => format!("{}.as_l().map_or(&[][..], Vec::as_slice)", name(parameter)),
        None => "found".into(),
    };
    let pairs = call
        .key
        .iter()
        .map(|(attribute, term)| format!("({}.to_owned(), {})", text(attribute), value(term, &parameter)));
    let key = format!("Item::from([{}])", pairs.collect::<Vec<_>>().join(", "));
    format!("{source}.iter().map(|one| ({}, {key})).collect::<Vec<_>>()", text(&call.table.id.value))
}

fn transact_get(call: &Call<'_>) -> String {
    let mut out = "        let mut gets = Vec::new();\n".to_owned();
    let several = if call.is_each {
        Some(format!("&{}", each(call)))
    } else {
        call.several.as_ref().map(|parameter| name(parameter))
    };
    match several {
        Some(keys) => out.push_str(&format!(
            "        for (table, key) in {} {{\n            let get = Get::builder().table_name(self.table(table)).set_key(Some(key.clone())).build().map_err(unfinished)?;\n            \
             gets.push(TransactGetItem::builder().get(get).build());\n        }}\n",
            keys
        )),
        None => {
            for action in &call.actions {
                out.push_str(&format!(
                    "        let get = Get::builder()\n{}            .build()\n            .map_err(unfinished)?;\n        gets.push(TransactGetItem::builder().get(get).build());\n",
                    request(action, "            ")
                ));
            }
        }
    }
    out.push_str("        let answer = self.client.transact_get_items().set_transact_items(Some(gets)).send().await.map_err(service)?;\n        let items: Vec<Item> = answer.responses.unwrap_or_default().into_iter().filter_map(|found| found.item).collect();\n");
    out
}

fn transact_write(call: &Call<'_>) -> String {
    let mut out = "        let mut writes = Vec::new();\n".to_owned();
    match &call.several {
        Some(parameter) => out.push_str(&format!(
            "        for (table, item) in {} {{\n            let put = Put::builder().table_name(self.table(table)).set_item(Some(item.clone())).build().map_err(unfinished)?;\n            \
             writes.push(TransactWriteItem::builder().put(put).build());\n        }}\n",
            name(parameter)
        )),
        None => {
            for action in &call.actions {
                let kind = action.part_name();
                let setter = super::snake(kind);
                out.push_str(&format!(
                    "        let {setter} = {kind}::builder()\n{}            .build()\n            .map_err(unfinished)?;\n        writes.push(TransactWriteItem::builder().{setter}({setter}).build());\n",
                    request(action, "            ")
                ));
            }
        }
    }
    out.push_str("        self.client.transact_write_items().set_transact_items(Some(writes)).send().await.map_err(service)?;\n");
    out
}

fn inserts(map: &str, attributes: &[(String, Term)], variable: Variable<'_>, pad: &str) -> String {
    let insert = |(attribute, term): &(String, Term)| {
        format!("{pad}{map}.insert({}.to_owned(), {});\n", text(attribute), value(term, variable))
    };
    attributes.iter().map(insert).collect()
}
