//! Functions of the Python layer: keys, items, and one method for each access pattern. Knows no types.

use super::super::code::{Call, Function, Kind, Operation, Role, Shape, Term, pascal};
use super::terms::{Variable, needed, rule, value};
use super::types;
use super::{name, text};

/// `def quote_key(*, symbol, data_type)`.
pub(super) fn key_function(kind: &Kind<'_>) -> String {
    let own = pascal(&kind.entity.name.value);
    let parameters = kind
        .key_fields()
        .iter()
        .map(|field| {
            let found = kind.entity.fields.iter().find(|known| known.name.value == *field);
            let kind = found.map_or("Any".into(), |field| types::of_role(&Role::Field(field), &own));
            format!("{}: {kind}", name(field))
        })
        .collect::<Vec<_>>();
    let star = if parameters.is_empty() { "" } else { "*, " };
    let pairs = pairs(&kind.key, &|field| name(field), "    ");
    format!(
        "\n\ndef {}_key({star}{}) -> Record:\n    \"\"\"The primary key of a {}.\"\"\"\n    return {}\n",
        name(&kind.entity.name.value),
        parameters.join(", "),
        kind.entity.name.value,
        pairs
    )
}

/// `def quote_item(values)`: computed fields, lifetime, keys and index keys put in.
pub(super) fn item_function(kind: &Kind<'_>) -> String {
    let entity = kind.entity;
    let own = pascal(&entity.name.value);
    let variable = |field: &str| format!("values[{}]", text(field));
    let mut out = format!(
        "\n\ndef {}_item(given: {own}) -> Record:\n    \"\"\"A {} as it is stored: keys, index keys and computed fields put in.\"\"\"\n    values: Record = _plain(dict(given))\n",
        name(&entity.name.value),
        entity.name.value
    );
    for (field, term) in &kind.computed {
        let needed = needed(term);
        out.push_str(&format!(
            "    if {}{} not in values:\n        {} = {}\n",
            needed,
            text(&field.name.value),
            variable(&field.name.value),
            value(term, &variable)
        ));
    }
    if let Some((attribute, from, seconds)) = &kind.ttl {
        out.push_str(&format!(
            "    if {}{} not in values:\n        {} = _epoch({}) + {seconds}\n",
            needed(from),
            text(attribute),
            variable(attribute),
            value(from, &variable)
        ));
    }
    let unstored: Vec<String> =
        entity.fields.iter().filter(|field| !field.store).map(|field| text(&field.name.value)).collect();
    match unstored.is_empty() {
        true => out.push_str("    item: Record = dict(values)\n"),
        false => out.push_str(&format!(
            "    item: Record = {{name: value for name, value in values.items() if name not in ({},)}}\n",
            unstored.join(", ")
        )),
    }
    out.push_str(&format!("    item.update({})\n", pairs(&kind.key, &variable, "    ")));
    for index in &kind.index_keys {
        let mut tests: Vec<String> =
            index.needs.iter().map(|field| format!("values.get({}) is not None", text(field))).collect();
        tests.extend(index.when.iter().map(rule));
        let update = format!(
            "item.update({})",
            pairs(&index.attributes, &variable, if tests.is_empty() { "    " } else { "        " })
        );
        match tests.is_empty() {
            true => out.push_str(&format!("    {update}\n")),
            false => out.push_str(&format!("    if {}:\n        {update}\n", tests.join(" and "))),
        }
    }
    out.push_str("    return item\n");
    out
}

/// `def quote_read(item)`: fields that only stand in the key put back.
pub(super) fn read_function(kind: &Kind<'_>) -> String {
    let own = pascal(&kind.entity.name.value);
    let mut out = format!(
        "\n\ndef {}_read(item: Mapping[str, Any]) -> {own}:\n    \"\"\"A stored item as a {}.\"\"\"\n    values: Any = _native(dict(item))\n",
        name(&kind.entity.name.value),
        kind.entity.name.value
    );
    for (field, attribute, before, after) in kind.recovered() {
        let end = if after.is_empty() { String::new() } else { format!("-{}", after.chars().count()) };
        let slice = match (before.is_empty(), after.is_empty()) {
            (true, true) => String::new(),
            _ => format!("[{}:{end}]", before.chars().count()),
        };
        out.push_str(&format!(
            "    values.setdefault({}, values[{}]{slice})\n",
            text(&field.name.value),
            text(&attribute)
        ));
    }
    out.push_str(&format!("    return cast({own}, values)\n"));
    out
}

/// One access pattern.
pub(super) fn method(function: &Function<'_>) -> String {
    let pattern = function.pattern;
    let owner = function
        .calls
        .first()
        .and_then(|call| call.returns.or(call.item.as_ref().map(|(_, entity)| *entity)));
    let owner = owner.map(|entity| pascal(&entity.name.value)).unwrap_or_default();
    let parameters: Vec<String> = function.parameters.iter().map(|parameter| {
        // A nested type is named after its entity, which a parameter does not know for certain.
        let is_nested = matches!(&parameter.role, Role::Field(field) if !field.properties.is_empty() || field.items.is_some());
        let kind = if is_nested { "Any".into() } else { types::of_role(&parameter.role, &owner) };
        format!("{}: {kind}", name(&parameter.name))
    }).collect();
    let star = if parameters.is_empty() { "" } else { ", *, " };
    let returning = function.calls.iter().rposition(|call| call.shape() != Shape::Nothing);
    let result = returning.and_then(|place| function.calls.get(place)).map_or("None".into(), returned);
    let note = pattern.description.as_deref().unwrap_or(&pattern.name.value);
    let mut out = format!(
        "\n    def {}(self{star}{}) -> {result}:\n        \"\"\"{}\"\"\"\n",
        name(&pattern.name.value),
        parameters.join(", "),
        types::one_line(note).replace('\\', "\\\\").replace('"', "'")
    );
    for (place, call) in function.calls.iter().enumerate() {
        if call.continues() {
            let nothing = if result.starts_with("List") { "[]" } else { "None" };
            out.push_str(&format!("        if not found:\n            return {nothing}\n"));
        }
        // A name is declared with its type once.
        let mut step = one_call(call);
        for (declared, plain) in [("items: List[Record] =", "items ="), ("request: Record =", "request =")] {
            if out.contains(declared) {
                step = step.replace(declared, plain);
            }
        }
        out.push_str(&step);
        let next = function.calls.get(place + 1);
        if next.is_some_and(Call::continues) {
            let items = match call.shape() {
                Shape::One => "        found = [answer[\"Item\"]] if answer.get(\"Item\") else []\n",
                Shape::Many | Shape::Nothing => "        found = items\n",
            };
            out.push_str(items);
        }
        if Some(place) == returning {
            out.push_str(&keep(call, place + 1 == function.calls.len()));
        }
    }
    if returning.is_some_and(|place| place + 1 != function.calls.len()) {
        out.push_str("        return result\n");
    }
    out
}

fn returned(call: &Call<'_>) -> String {
    let one = call.returns.map_or("Record".into(), |entity| pascal(&entity.name.value));
    match call.shape() {
        Shape::One => format!("Optional[{one}]"),
        Shape::Many | Shape::Nothing => format!("List[{one}]"),
    }
}

/// Turns what a call found into what the method returns.
fn keep(call: &Call<'_>, is_last: bool) -> String {
    let read = call.returns.map_or("_native".into(), |entity| format!("{}_read", name(&entity.name.value)));
    let target = if is_last { "return" } else { "result =" };
    match (call.shape(), &call.fresh) {
        (Shape::One, Some(attribute)) => format!(
            "        item = answer.get(\"Item\")\n        {target} {read}(item) if item and _is_fresh(item, {}) else None\n",
            text(attribute)
        ),
        (Shape::One, None) => {
            format!("        item = answer.get(\"Item\")\n        {target} {read}(item) if item else None\n")
        }
        (_, Some(attribute)) => {
            format!(
                "        {target} [{read}(item) for item in items if _is_fresh(item, {})]\n",
                text(attribute)
            )
        }
        (_, None) => format!("        {target} [{read}(item) for item in items]\n"),
    }
}

fn one_call(call: &Call<'_>) -> String {
    match call.operation {
        Operation::Get => format!(
            "        answer = self.client.get_item(\n{}        )\n",
            request(call, "            ", "=")
        ),
        Operation::Put => {
            format!("        self.client.put_item(\n{}        )\n", request(call, "            ", "="))
        }
        Operation::Update => {
            format!("        self.client.update_item(\n{}        )\n", request(call, "            ", "="))
        }
        Operation::Delete => {
            format!("        self.client.delete_item(\n{}        )\n", request(call, "            ", "="))
        }
        Operation::Query | Operation::Scan => paged(call),
        Operation::BatchGet | Operation::BatchWrite => batch(call),
        Operation::TransactGet => transact_get(call),
        Operation::TransactWrite | Operation::Check => transact_write(call),
    }
}

/// The fields of a request, as arguments or as a dictionary.
fn request(call: &Call<'_>, pad: &str, sign: &str) -> String {
    let variable = |field: &str| name(field);
    let mut lines: Vec<(String, String)> =
        vec![("TableName".into(), format!("self.tables[{}]", text(&call.table.id.value)))];
    if let Some(index) = &call.index {
        lines.push(("IndexName".into(), text(index)));
    }
    if let Some((parameter, entity)) = &call.item {
        lines.push(("Item".into(), format!("{}_item({})", name(&entity.name.value), name(parameter))));
    }
    if !call.key.is_empty() {
        lines.push(("Key".into(), pairs(&call.key, &variable, pad)));
    }
    lines.extend(call.expressions.iter().map(|(field, expression)| ((*field).to_owned(), text(expression))));
    if !call.names.is_empty() {
        let names = call.names.iter().map(|(alias, name)| format!("{}: {}", text(alias), text(name)));
        lines.push((
            "ExpressionAttributeNames".into(),
            format!("{{{}}}", names.collect::<Vec<_>>().join(", ")),
        ));
    }
    if !call.values.is_empty() {
        lines.push((
            "ExpressionAttributeValues".into(),
            format!("_plain({})", pairs(&call.values, &variable, pad)),
        ));
    }
    if call.is_consistent {
        lines.push(("ConsistentRead".into(), "True".into()));
    }
    if call.operation == Operation::Query && !call.is_forward {
        lines.push(("ScanIndexForward".into(), "False".into()));
    }
    if let Some(limit) = call.limit {
        lines.push(("Limit".into(), limit.to_string()));
    }
    let line = |(field, value): &(String, String)| match sign {
        "=" => format!("{pad}{field}={value},\n"),
        _ => format!("{pad}{}: {value},\n", text(field)),
    };
    lines.iter().map(line).collect()
}

fn paged(call: &Call<'_>) -> String {
    let operation = if call.operation == Operation::Query { "query" } else { "scan" };
    let request = request(call, "            ", ":");
    if call.limit.is_some() {
        return format!(
            "        request: Record = {{\n{request}        }}\n        items: List[Record] = self.client.{operation}(**request)[\"Items\"]\n"
        );
    }
    format!(
        "        request: Record = {{\n{request}        }}\n        items: List[Record] = []\n        while True:\n            \
         answer = self.client.{operation}(**request)\n            items.extend(answer[\"Items\"])\n            \
         if \"LastEvaluatedKey\" not in answer:\n                break\n            \
         request[\"ExclusiveStartKey\"] = answer[\"LastEvaluatedKey\"]\n"
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
                        format!("({table}, {}_item({}))", name(&entity.name.value), name(parameter))
                    }
                    None => format!("({table}, {})", pairs(&action.key, &|field| name(field), "        ")),
                }
            };
            format!("[{}]", call.actions.iter().map(one).collect::<Vec<_>>().join(", "))
        }
    };
    if call.operation == Operation::BatchGet {
        return format!(
            "        items: List[Record] = []\n        for group in _grouped(self.tables, {source}, 100):\n            \
             pending: Record = {{table: {{\"Keys\": keys}} for table, keys in group.items()}}\n            while pending:\n                \
             answer = self.client.batch_get_item(RequestItems=pending)\n                \
             for found_items in answer[\"Responses\"].values():\n                    items.extend(found_items)\n                \
             pending = answer.get(\"UnprocessedKeys\") or {{}}\n"
        );
    }
    let is_delete = call.actions.first().is_some_and(|action| action.operation == Operation::Delete);
    let (kind, field) = if is_delete { ("DeleteRequest", "Key") } else { ("PutRequest", "Item") };
    format!(
        "        for group in _grouped(self.tables, {source}, 25):\n            pending: Record = {{\n                \
         table: [{{\"{kind}\": {{\"{field}\": value}}}} for value in values] for table, values in group.items()\n            }}\n            \
         while pending:\n                pending = self.client.batch_write_item(RequestItems=pending).get(\"UnprocessedItems\") or {{}}\n"
    )
}

/// Keys made for each value of a list or each item that was found.
fn each(call: &Call<'_>) -> String {
    let source = call.several.as_ref().map_or("found".into(), |parameter| name(parameter));
    let key = pairs(&call.key, &|field| name(field), "        ");
    format!("[({}, {key}) for one in {source}]", text(&call.table.id.value))
}

fn transact_get(call: &Call<'_>) -> String {
    let several =
        if call.is_each { Some(each(call)) } else { call.several.as_ref().map(|parameter| name(parameter)) };
    let gets: String = match several {
        Some(keys) => {
            return format!(
                "        gets = [{{\"Get\": {{\"TableName\": self.tables[table], \"Key\": _plain(key)}}}} for table, key in {keys}]\n        \
                 answer = self.client.transact_get_items(TransactItems=gets)\n        \
                 items: List[Record] = [found[\"Item\"] for found in answer[\"Responses\"] if found.get(\"Item\")]\n"
            );
        }
        None => call
            .actions
            .iter()
            .map(|action| {
                format!(
                    "                {{\"Get\": {{\n{}                }}}},\n",
                    request(action, "                    ", ":")
                )
            })
            .collect(),
    };
    format!(
        "        answer = self.client.transact_get_items(\n            TransactItems=[\n{gets}            ],\n        )\n        \
         items: List[Record] = [found[\"Item\"] for found in answer[\"Responses\"] if found.get(\"Item\")]\n"
    )
}

fn transact_write(call: &Call<'_>) -> String {
    if let Some(parameter) = &call.several {
        return format!(
            "        self.client.transact_write_items(\n            TransactItems=[\n                \
             {{\"Put\": {{\"TableName\": self.tables[table], \"Item\": _plain(item)}}}} for table, item in {}\n            ],\n        )\n",
            name(parameter)
        );
    }
    let writes: String = call
        .actions
        .iter()
        .map(|action| {
            let kind = action.part_name();
            format!(
                "                {{\"{kind}\": {{\n{}                }}}},\n",
                request(action, "                    ", ":")
            )
        })
        .collect();
    format!(
        "        self.client.transact_write_items(\n            TransactItems=[\n{writes}            ],\n        )\n"
    )
}

fn pairs(attributes: &[(String, Term)], variable: Variable<'_>, pad: &str) -> String {
    let pairs: Vec<String> = attributes
        .iter()
        .map(|(attribute, term)| format!("{}: {}", text(attribute), value(term, variable)))
        .collect();
    let line = format!("{{{}}}", pairs.join(", "));
    if line.len() + pad.len() < 90 {
        return line;
    }
    let lines: String = pairs.iter().map(|pair| format!("{pad}    {pair},\n")).collect();
    format!("{{\n{lines}{pad}}}")
}
