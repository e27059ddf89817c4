//! The functions of CloudFormation that stand in a table's properties, worked out: Ref, Sub, If and conditions.
//! Knows parameters by their defaults and no resource by its attributes.

use serde_json::Value as Json;

/// What names stand for.
pub(super) struct Scope<'a> {
    pub(super) environment: &'a str,
    pub(super) region: Option<String>,
    /// The template around the design, for its parameters and conditions.
    pub(super) template: Option<&'a Json>,
}

impl Scope<'_> {
    fn named(&self, name: &str) -> Option<String> {
        match name {
            "Environment" => Some(self.environment.to_owned()),
            "AWS::Region" => self.region.clone(),
            _ => {
                let default = self.template?.get("Parameters")?.get(name)?.get("Default")?;
                Some(default.as_str().map_or_else(|| default.to_string(), str::to_owned))
            }
        }
    }
}

/// The value with every function worked out that can be; none for `AWS::NoValue`.
pub(super) fn resolve(value: &Json, scope: &Scope<'_>) -> Option<Json> {
    match value {
        Json::String(text) => Some(Json::String(substitute(text, scope))),
        Json::Array(list) => Some(Json::Array(list.iter().filter_map(|one| resolve(one, scope)).collect())),
        Json::Object(map) => {
            if let (1, Some((name, argument))) = (map.len(), map.iter().next()) {
                match function(name, argument, scope) {
                    Worked::Value(value) => return Some(value),
                    Worked::Nothing => return None,
                    Worked::NoFunction => {}
                }
            }
            let members = map.iter().filter_map(|(name, one)| Some((name.clone(), resolve(one, scope)?)));
            Some(Json::Object(members.collect()))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => Some(value.clone()),
    }
}

enum Worked {
    Value(Json),
    Nothing,
    NoFunction,
}

fn function(name: &str, argument: &Json, scope: &Scope<'_>) -> Worked {
    match (name, argument) {
        ("Ref", Json::String(name)) if name == "AWS::NoValue" => Worked::Nothing,
        ("Ref", Json::String(name)) => {
            scope.named(name).map_or(Worked::NoFunction, |value| Worked::Value(Json::String(value)))
        }
        ("Fn::Sub", Json::String(text)) => Worked::Value(Json::String(substitute(text, scope))),
        ("Fn::If", Json::Array(arguments)) => {
            let [Json::String(condition), then, otherwise] = arguments.as_slice() else {
                return Worked::NoFunction;
            };
            let chosen = if holds(condition, scope) { then } else { otherwise };
            resolve(chosen, scope).map_or(Worked::Nothing, Worked::Value)
        }
        ("Fn::Join", Json::Array(arguments)) => {
            let [Json::String(between), Json::Array(parts)] = arguments.as_slice() else {
                return Worked::NoFunction;
            };
            let parts: Vec<Json> = parts.iter().filter_map(|part| resolve(part, scope)).collect();
            let parts: Option<Vec<&str>> = parts.iter().map(Json::as_str).collect();
            parts.map_or(Worked::NoFunction, |parts| Worked::Value(Json::String(parts.join(between))))
        }
        _ => Worked::NoFunction,
    }
}

/// Whether a condition of the template holds.
fn holds(name: &str, scope: &Scope<'_>) -> bool {
    let condition = scope.template.and_then(|template| template.get("Conditions")?.get(name));
    condition.is_some_and(|condition| is_true(condition, scope))
}

fn is_true(condition: &Json, scope: &Scope<'_>) -> bool {
    let Some((name, argument)) = condition.as_object().and_then(|map| map.iter().next()) else {
        return false;
    };
    let arguments = argument.as_array().map(Vec::as_slice).unwrap_or_default();
    match name.as_str() {
        "Fn::Equals" => {
            let [left, right] = arguments else { return false };
            resolve(left, scope) == resolve(right, scope)
        }
        "Fn::Not" => !arguments.iter().any(|one| is_true(one, scope)),
        "Fn::And" => arguments.iter().all(|one| is_true(one, scope)),
        "Fn::Or" => arguments.iter().any(|one| is_true(one, scope)),
        "Condition" => argument.as_str().is_some_and(|name| holds(name, scope)),
        _ => false,
    }
}

/// Text with `${Name}` replaced where the name stands for something.
pub(super) fn substitute(text: &str, scope: &Scope<'_>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            out.push_str("${");
            rest = after;
            continue;
        };
        match scope.named(name) {
            Some(value) => out.push_str(&value),
            None => {
                out.push_str("${");
                out.push_str(name);
                out.push('}');
            }
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn functions_are_worked_out() {
        let template = json!({
            "Parameters": { "Stage": { "Type": "String", "Default": "blue" } },
            "Conditions": {
                "IsProd": { "Fn::Equals": [{ "Ref": "Environment" }, "prod"] },
                "IsDev": { "Fn::Not": [{ "Condition": "IsProd" }] },
            },
        });
        let scope =
            Scope { environment: "prod", region: Some("eu-west-1".to_owned()), template: Some(&template) };
        let table = [
            (json!("a-${Environment}-${Stage}-${Other}"), Some(json!("a-prod-blue-${Other}"))),
            (json!({ "Ref": "AWS::Region" }), Some(json!("eu-west-1"))),
            (json!({ "Ref": "AWS::NoValue" }), None),
            (json!({ "Fn::Sub": "x-${Environment}" }), Some(json!("x-prod"))),
            (json!({ "Fn::If": ["IsProd", true, false] }), Some(json!(true))),
            (json!({ "Fn::If": ["IsDev", 1, { "Ref": "AWS::NoValue" }] }), None),
            (json!({ "Fn::Join": ["-", ["a", { "Ref": "Stage" }]] }), Some(json!("a-blue"))),
            (json!([{ "Ref": "AWS::NoValue" }, 1]), Some(json!([1]))),
        ];
        for (value, expected) in table {
            assert_eq!(resolve(&value, &scope), expected, "{value}");
        }
    }
}
