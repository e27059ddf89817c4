//! Functions of the TypeScript layer: keys, items, and one method for each access pattern. Knows no types.

use super::super::code::{Call, Function, Kind, Operation, Role, Shape, Term, pascal};
use super::terms::{Variable, access, needed, rule, value};
use super::types;
use super::{name, property, text};

/// `quoteKey({ symbol, dataType })`.
pub(super) fn key_function(kind: &Kind<'_>) -> String {
    let fields = kind.key_fields();
    let own = name(&kind.entity.name.value);
    let typed: Vec<String> = fields
        .iter()
        .map(|field| {
            let found = kind.entity.fields.iter().find(|known| known.name.value == *field);
            let kind = found.map_or("any".into(), |field| types::of_role(&Role::Field(field)));
            format!("{}: {kind}", name(field))
        })
        .collect();
    let names: Vec<String> = fields.iter().map(|field| name(field)).collect();
    let parameter = match fields.is_empty() {
        true => "_: {} = {}".to_owned(),
        false => format!("{{ {} }}: {{ {} }}", names.join(", "), typed.join("; ")),
    };
    format!(
        "\n/** The primary key of a {}. */\nexport function {own}Key({parameter}): Item {{\n  return {};\n}}\n",
        kind.entity.name.value,
        pairs(&kind.key, &|field| name(field), "  ")
    )
}

/// `quoteItem(values)`: computed fields, lifetime, keys and index keys put in.
pub(super) fn item_function(kind: &Kind<'_>) -> String {
    let entity = kind.entity;
    let variable = |field: &str| access("values", field);
    let mut out = format!(
        "\n/** A {} as it is stored: keys, index keys and computed fields put in. */\nexport function {}Item(given: {}): Item {{\n  const values: Item = {{ ...given }};\n",
        entity.name.value,
        name(&entity.name.value),
        pascal(&entity.name.value)
    );
    for (field, term) in &kind.computed {
        out.push_str(&format!(
            "  if ({}{} === undefined) {} = {};\n",
            needed(term),
            variable(&field.name.value),
            variable(&field.name.value),
            value(term, &variable)
        ));
    }
    if let Some((attribute, from, seconds)) = &kind.ttl {
        out.push_str(&format!(
            "  if ({}{} === undefined) {} = epoch({}) + {seconds};\n",
            needed(from),
            variable(attribute),
            variable(attribute),
            value(from, &variable)
        ));
    }
    out.push_str(&format!(
        "  const item: Item = {{ ...values, ...{} }};\n",
        pairs(&kind.key, &variable, "  ")
    ));
    for field in entity.fields.iter().filter(|field| !field.store) {
        let is_key = kind.key.iter().any(|(attribute, _)| *attribute == field.name.value);
        if !is_key {
            out.push_str(&format!("  delete {};\n", access("item", &field.name.value)));
        }
    }
    for index in &kind.index_keys {
        let mut tests: Vec<String> =
            index.needs.iter().map(|field| format!("{} != null", variable(field))).collect();
        tests.extend(index.when.iter().map(rule));
        let assign = format!("Object.assign(item, {});", pairs(&index.attributes, &variable, "  "));
        match tests.is_empty() {
            true => out.push_str(&format!("  {assign}\n")),
            false => out.push_str(&format!("  if ({}) {assign}\n", tests.join(" && "))),
        }
    }
    out.push_str("  return item;\n}\n");
    out
}

/// `quoteRead(item)`: fields that only stand in the key put back.
pub(super) fn read_function(kind: &Kind<'_>) -> String {
    let own = pascal(&kind.entity.name.value);
    let mut recovered = String::new();
    for (field, attribute, before, after) in kind.recovered() {
        let whole = access("item", &attribute);
        // Lengths count UTF-16 units here, as JavaScript does.
        let (before, after) = (before.encode_utf16().count(), after.encode_utf16().count());
        let slice = match (before, after) {
            (0, 0) => whole,
            (before, 0) => format!("{whole}.slice({before})"),
            (before, after) => format!("{whole}.slice({before}, -{after})"),
        };
        recovered.push_str(&format!("{}: {slice}, ", property(&field.name.value)));
    }
    format!(
        "\n/** A stored item as a {}. */\nexport function {}Read(item: Item): {own} {{\n  return {{ {recovered}...item }} as {own};\n}}\n",
        kind.entity.name.value,
        name(&kind.entity.name.value)
    )
}

/// One access pattern.
pub(super) fn method(function: &Function<'_>) -> String {
    let pattern = function.pattern;
    let names: Vec<String> = function.parameters.iter().map(|parameter| name(&parameter.name)).collect();
    let typed: Vec<String> = function
        .parameters
        .iter()
        .map(|parameter| format!("{}: {}", name(&parameter.name), types::of_role(&parameter.role)))
        .collect();
    let parameters = match names.is_empty() {
        true => String::new(),
        false => format!("{{ {} }}: {{ {} }}", names.join(", "), typed.join("; ")),
    };
    let returning = function.calls.iter().rposition(|call| call.shape() != Shape::Nothing);
    let result = returning.and_then(|place| function.calls.get(place)).map_or("void".into(), returned);
    let note = pattern.description.as_deref().unwrap_or(&pattern.name.value);
    let mut out = format!(
        "\n  /** {} */\n  async {}({parameters}): Promise<{result}> {{\n",
        types::one_line(note),
        name(&pattern.name.value)
    );
    let last = function.calls.len().saturating_sub(1);
    if function.calls.iter().any(Call::continues) {
        out.push_str("    let found: Item[] = [];\n");
    }
    if returning.is_some_and(|place| place != last) {
        out.push_str(&format!("    let result: {result};\n"));
    }
    for (place, call) in function.calls.iter().enumerate() {
        let mut step = String::new();
        if call.continues() {
            let nothing = if result.ends_with("[]") { "[]" } else { "undefined" };
            step.push_str(&format!("    if (found.length === 0) return {nothing};\n"));
        }
        step.push_str(&one_call(call));
        if function.calls.get(place + 1).is_some_and(Call::continues) {
            step.push_str(match call.shape() {
                Shape::One => "    found = answer.Item ? [answer.Item] : [];\n",
                Shape::Many | Shape::Nothing => "    found = items;\n",
            });
        }
        if Some(place) == returning {
            step.push_str(&keep(call, place == last));
        }
        out.push_str(&if place == last { step } else { inner_block(&step) });
    }
    if returning.is_some_and(|place| place != last) {
        out.push_str("    return result;\n");
    }
    out.push_str("  }\n");
    out
}

/// A step before the last has a block of its own, so that its names do not meet those of the next.
fn inner_block(step: &str) -> String {
    let lines: String = step.lines().map(|line| format!("  {line}\n")).collect();
    format!("    {{\n{lines}    }}\n")
}

fn returned(call: &Call<'_>) -> String {
    let one = call.returns.map_or("Item".into(), |entity| pascal(&entity.name.value));
    match call.shape() {
        Shape::One => format!("{one} | undefined"),
        Shape::Many | Shape::Nothing => format!("{one}[]"),
    }
}

fn keep(call: &Call<'_>, is_last: bool) -> String {
    let read = |item: &str| {
        call.returns.map_or(item.into(), |entity| format!("{}Read({item})", name(&entity.name.value)))
    };
    let target = if is_last { "return" } else { "result =" };
    let fresh =
        |item: &str| call.fresh.as_ref().map(|attribute| format!("isFresh({item}, {})", text(attribute)));
    match call.shape() {
        Shape::One => {
            let fresh = fresh("answer.Item").map(|test| format!(" && {test}")).unwrap_or_default();
            format!("    {target} answer.Item{fresh} ? {} : undefined;\n", read("answer.Item"))
        }
        Shape::Many | Shape::Nothing => {
            let filter = fresh("item").map(|test| format!(".filter((item) => {test})")).unwrap_or_default();
            let map = call
                .returns
                .map(|entity| format!(".map({}Read)", name(&entity.name.value)))
                .unwrap_or_default();
            format!("    {target} items{filter}{map};\n")
        }
    }
}

fn one_call(call: &Call<'_>) -> String {
    let send =
        |command: &str| format!("this.client.send(new {command}({{\n{}    }}))", request(call, "      "));
    match call.operation {
        Operation::Get => format!("    const answer = await {};\n", send("GetCommand")),
        Operation::Put => format!("    await {};\n", send("PutCommand")),
        Operation::Update => format!("    await {};\n", send("UpdateCommand")),
        Operation::Delete => format!("    await {};\n", send("DeleteCommand")),
        Operation::Query | Operation::Scan => paged(call),
        Operation::BatchGet | Operation::BatchWrite => batch(call),
        Operation::TransactGet => transact_get(call),
        Operation::TransactWrite | Operation::Check => transact_write(call),
    }
}

fn request(call: &Call<'_>, pad: &str) -> String {
    let variable = |field: &str| name(field);
    let mut lines: Vec<(&str, String)> = vec![("TableName", access("this.tables", &call.table.id.value))];
    if let Some(index) = &call.index {
        lines.push(("IndexName", text(index)));
    }
    if let Some((parameter, entity)) = &call.item {
        lines.push(("Item", format!("{}Item({})", name(&entity.name.value), name(parameter))));
    }
    if !call.key.is_empty() {
        lines.push(("Key", pairs(&call.key, &variable, pad)));
    }
    lines.extend(call.expressions.iter().map(|(field, expression)| (*field, text(expression))));
    if !call.names.is_empty() {
        let names = call.names.iter().map(|(alias, name)| format!("{}: {}", text(alias), text(name)));
        lines.push(("ExpressionAttributeNames", format!("{{ {} }}", names.collect::<Vec<_>>().join(", "))));
    }
    if !call.values.is_empty() {
        lines.push(("ExpressionAttributeValues", pairs(&call.values, &variable, pad)));
    }
    if call.is_consistent {
        lines.push(("ConsistentRead", "true".into()));
    }
    if call.operation == Operation::Query && !call.is_forward {
        lines.push(("ScanIndexForward", "false".into()));
    }
    if let Some(limit) = call.limit {
        lines.push(("Limit", limit.to_string()));
    }
    lines.iter().map(|(field, value)| format!("{pad}{field}: {value},\n")).collect()
}

fn paged(call: &Call<'_>) -> String {
    let command = if call.operation == Operation::Query { "QueryCommand" } else { "ScanCommand" };
    let request = request(call, "      ");
    if call.limit.is_some() {
        return format!(
            "    const page = await this.client.send(new {command}({{\n{request}    }}));\n    const items: Item[] = page.Items ?? [];\n"
        );
    }
    format!(
        "    const items: Item[] = [];\n    const request: Item = {{\n{request}    }};\n    do {{\n      \
         const page: Item = await this.client.send(new {command}(request as any));\n      items.push(...(page.Items ?? []));\n      \
         request.ExclusiveStartKey = page.LastEvaluatedKey;\n    }} while (request.ExclusiveStartKey);\n"
    )
}

fn batch(call: &Call<'_>) -> String {
    let source = match &call.several {
        _ if call.is_each => each(call),
        Some(parameter) => name(parameter),
        None => {
            let one = |action: &Call<'_>| {
                let table = text(&action.table.id.value);
                match &action.item {
                    Some((parameter, entity)) => {
                        format!("[{table}, {}Item({})]", name(&entity.name.value), name(parameter))
                    }
                    None => format!("[{table}, {}]", pairs(&action.key, &|field| name(field), "    ")),
                }
            };
            format!("[{}]", call.actions.iter().map(one).collect::<Vec<_>>().join(", "))
        }
    };
    if call.operation == Operation::BatchGet {
        return format!(
            "    const items: Item[] = [];\n    for (const group of grouped(this.tables, {source}, 100)) {{\n      \
             let pending: Item = Object.fromEntries(Object.entries(group).map(([table, keys]) => [table, {{ Keys: keys }}]));\n      \
             while (Object.keys(pending).length > 0) {{\n        const answer: Item = await this.client.send(new BatchGetCommand({{ RequestItems: pending }}));\n        \
             for (const some of Object.values(answer.Responses ?? {{}})) items.push(...(some as Item[]));\n        pending = answer.UnprocessedKeys ?? {{}};\n      }}\n    }}\n"
        );
    }
    let is_delete = call.actions.first().is_some_and(|action| action.operation == Operation::Delete);
    let (kind, field) = if is_delete { ("DeleteRequest", "Key") } else { ("PutRequest", "Item") };
    format!(
        "    for (const group of grouped(this.tables, {source}, 25)) {{\n      \
         let pending: Item = Object.fromEntries(\n        Object.entries(group).map(([table, values]) => [table, values.map((value) => ({{ {kind}: {{ {field}: value }} }}))]),\n      );\n      \
         while (Object.keys(pending).length > 0) {{\n        const answer: Item = await this.client.send(new BatchWriteCommand({{ RequestItems: pending }}));\n        \
         pending = answer.UnprocessedItems ?? {{}};\n      }}\n    }}\n"
    )
}

/// Keys made for each value of a list or each item that was found.
fn each(call: &Call<'_>) -> String {
    let source = call.several.as_ref().map_or("found".into(), |parameter| name(parameter));
    let key = pairs(&call.key, &|field| name(field), "    ");
    format!("{source}.map((one): [string, Item] => [{}, {key}])", text(&call.table.id.value))
}

fn transact_get(call: &Call<'_>) -> String {
    let several =
        if call.is_each { Some(each(call)) } else { call.several.as_ref().map(|parameter| name(parameter)) };
    let gets = match several {
        Some(keys) => {
            format!(
                "{keys}.map(([table, Key]) => ({{ Get: {{ TableName: this.tables[table] as string, Key }} }}))"
            )
        }
        None => {
            let gets: String = call
                .actions
                .iter()
                .map(|action| {
                    format!("        {{ Get: {{\n{}        }} }},\n", request(action, "          "))
                })
                .collect();
            format!("[\n{gets}      ]")
        }
    };
    format!(
        "    const answer = await this.client.send(new TransactGetCommand({{\n      TransactItems: {gets} as any,\n    }}));\n    \
         const items: Item[] = (answer.Responses ?? []).flatMap((found) => (found.Item ? [found.Item] : []));\n"
    )
}

fn transact_write(call: &Call<'_>) -> String {
    let writes = match &call.several {
        Some(parameter) => format!(
            "{}.map(([table, Item]) => ({{ Put: {{ TableName: this.tables[table] as string, Item }} }}))",
            name(parameter)
        ),
        None => {
            let writes: String = call
                .actions
                .iter()
                .map(|action| {
                    let kind = action.part_name();
                    format!("        {{ {kind}: {{\n{}        }} }},\n", request(action, "          "))
                })
                .collect();
            format!("[\n{writes}      ]")
        }
    };
    format!(
        "    await this.client.send(new TransactWriteCommand({{\n      TransactItems: {writes} as any,\n    }}));\n"
    )
}

fn pairs(attributes: &[(String, Term)], variable: Variable<'_>, pad: &str) -> String {
    let pairs: Vec<String> = attributes
        .iter()
        .map(|(attribute, term)| format!("{}: {}", property(attribute), value(term, variable)))
        .collect();
    let line = format!("{{ {} }}", pairs.join(", "));
    if line.len() + pad.len() < 90 {
        return line;
    }
    let lines: String = pairs.iter().map(|pair| format!("{pad}  {pair},\n")).collect();
    format!("{{\n{lines}{pad}}}")
}
