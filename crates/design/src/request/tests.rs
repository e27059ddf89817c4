//! Requests from patterns as a file writes them.

use serde_json::json;

use super::*;

const DESIGN: &str = r#"
design: 1
tables:
  T:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: t-${Environment}
      KeySchema: [{AttributeName: PK, KeyType: HASH}, {AttributeName: SK, KeyType: RANGE}]
      GlobalSecondaryIndexes:
        - IndexName: ByStars
          KeySchema: [{AttributeName: topic, KeyType: HASH}, {AttributeName: stars, KeyType: RANGE}]
          Projection: {ProjectionType: ALL}
entities:
  Note:
    table: T
    pk_template: USER#{user}
    sk_template: NOTE#{at}#{id}
    gsi_mappings:
      - {name: ByStars, pk_template: "{topic}", sk_template: "{stars}"}
    fields:
      user: {type: string, required: true}
      at: {type: string, required: true}
      id: {type: string, required: true}
      title: {type: string}
      topic: {type: string, from: title, transform: slug}
      stars: {type: integer}
      foods: {type: array, items: {type: object, properties: {code: {type: string}, count: {type: integer}}}}
samples:
  one: {entity: Note, user: a, at: "2035", id: "1", title: Ä B, stars: 3}
access_patterns:
PATTERN
"#;

fn made(pattern: &str, before: Option<&Json>) -> Result<Request, String> {
    let lines: String = pattern.lines().map(|line| format!("    {line}\n")).collect();
    let text = DESIGN.replace("PATTERN", &format!("  P:\n{lines}"));
    let (design, found) = crate::read::read("t.design.yaml", &text);
    let errors: Vec<String> = found.iter().filter(|one| one.is_error()).map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let design = design.unwrap();
    let environment = physical::environment(&design, None).unwrap();
    let step = design.patterns.last().unwrap().steps.last().unwrap();
    request(&design, environment, step, before).map_err(|diagnostic| diagnostic.message)
}

fn check(pattern: &str, words: &str, body: Json) {
    let request = made(pattern, None).unwrap();
    assert_eq!(request.words, words, "{pattern}");
    assert_eq!(request.body, body, "{pattern}");
}

fn query(parameters: &str) -> String {
    format!("operation: Query\nentity: Note\n{parameters}")
}

#[test]
fn what_is_given_decides_the_key_condition() {
    for (parameters, expected) in [
        ("parameters: {user: a}", "PK = 'USER#a' AND begins_with(SK, 'NOTE#')"),
        ("parameters: {user: a, at: x}", "PK = 'USER#a' AND begins_with(SK, 'NOTE#x#')"),
        ("parameters: {user: a, at: x, id: y}", "PK = 'USER#a' AND SK = 'NOTE#x#y'"),
        (
            "parameters: {user: a, at: x}\nrange_condition: begins_with",
            "PK = 'USER#a' AND begins_with(SK, 'NOTE#x#')",
        ),
        (
            "parameters: {user: a, at: x}\nrange_condition: \">=\"",
            "PK = 'USER#a' AND SK BETWEEN 'NOTE#x#' AND 'NOTE#…'",
        ),
        (
            "parameters: {user: a, at: x}\nrange_condition: \"<=\"",
            "PK = 'USER#a' AND SK BETWEEN 'NOTE#' AND 'NOTE#x#…'",
        ),
        ("parameters: {user: a, at: x}\nrange_condition: \"<\"", "PK = 'USER#a' AND SK < 'NOTE#x#'"),
        ("parameters: {user: a, at: x}\nrange_condition: \">\"", "PK = 'USER#a' AND SK > 'NOTE#x#…'"),
        ("parameters: {user: a, at: [x, y]}", "PK = 'USER#a' AND SK BETWEEN 'NOTE#x#' AND 'NOTE#y#…'"),
        ("index_name: ByStars\nparameters: {topic: b}", "topic = 'b'"),
        ("index_name: ByStars\nparameters: {title: Ä B}", "topic = 'a-b'"),
        ("index_name: ByStars\nparameters: {topic: b, stars: 3}", "topic = 'b' AND stars = 3"),
        (
            "index_name: ByStars\nparameters: {topic: b, stars: 3}\nrange_condition: \">=\"",
            "topic = 'b' AND stars >= 3",
        ),
        (
            "index_name: ByStars\nparameters: {topic: b, stars: [1, 3]}\nrange_condition: between",
            "topic = 'b' AND stars BETWEEN 1 AND 3",
        ),
    ] {
        assert_eq!(
            made(&query(parameters), None).map(|request| request.words).as_deref(),
            Ok(expected),
            "{parameters}"
        );
    }
}

#[test]
fn names_are_aliased_and_values_typed() {
    check(
        "operation: Query\nentity: Note\nindex_name: ByStars\nparameters: {topic: \"007\", least: 2, code: 010}\n\
         filter: stars > :least AND foods[0].code = :code\nprojection: [title, \"foods[0].count\"]\n\
         scan_index_forward: false\nlimit: 5\nconsistent_read: false",
        "topic = '007'",
        json!({
            "TableName": "t-dev",
            "IndexName": "ByStars",
            "KeyConditionExpression": "#topic = :topic",
            "FilterExpression": "#stars > :least AND #foods[0].#code = :code",
            "ProjectionExpression": "#title, #foods[0].#count",
            "ScanIndexForward": false,
            "Limit": 5,
            "ExpressionAttributeNames": { "#topic": "topic", "#stars": "stars", "#foods": "foods", "#code": "code",
                "#title": "title", "#count": "count" },
            "ExpressionAttributeValues": { ":topic": { "S": "007" }, ":least": { "N": "2" }, ":code": { "S": "010" } },
        }),
    );
}

#[test]
fn writes_name_their_keys() {
    let key = json!({ "PK": { "S": "USER#a" }, "SK": { "S": "NOTE#2035#1" } });
    let put = made("operation: PutItem\nentity: Note\nsample: one\nparameters: {stars: 4}", None).unwrap();
    assert_eq!(put.writes, [("t-dev".to_owned(), key.clone())]);
    assert_eq!(put.body["Item"]["stars"], json!({ "N": "4" }));
    assert_eq!(put.body["Item"]["topic"], json!({ "S": "a-b" }));
    check(
        "operation: UpdateItem\nentity: Note\nparameters: {user: a, at: \"2035\", id: \"1\", more: 1}\n\
         update: SET stars = stars + :more\ncondition: attribute_exists(PK)",
        "PK = 'USER#a' AND SK = 'NOTE#2035#1'",
        json!({
            "TableName": "t-dev",
            "Key": key,
            "UpdateExpression": "SET #stars = #stars + :more",
            "ConditionExpression": "attribute_exists(#PK)",
            "ExpressionAttributeNames": { "#stars": "stars", "#PK": "PK" },
            "ExpressionAttributeValues": { ":more": { "N": "1" } },
        }),
    );
    let transaction = made(
        "operation: TransactWriteItems\nactions:\n  - {operation: DeleteItem, sample: one}\n  \
         - {operation: ConditionCheck, entity: Note, parameters: {user: b, at: x, id: y}, condition: attribute_exists(PK)}",
        None,
    )
    .unwrap();
    assert_eq!(
        transaction.body["TransactItems"][0],
        json!({ "Delete": { "TableName": "t-dev", "Key": key } })
    );
    assert_eq!(
        transaction.body["TransactItems"][1]["ConditionCheck"]["ConditionExpression"],
        "attribute_exists(#PK)"
    );
    assert_eq!(transaction.writes.len(), 1);
}

#[test]
fn the_answer_before_gives_values() {
    let before =
        json!({ "Items": [{ "who": { "S": "a" } }, { "who": { "S": "b" } }, { "who": { "S": "a" } }] });
    let one = "operation: GetItem\nentity: Note\nparameters: {user: \"$.Items[1].who\", at: x, id: y}";
    assert_eq!(made(one, Some(&before)).unwrap().words, "PK = 'USER#b' AND SK = 'NOTE#x#y'");
    assert_eq!(made(one, None).unwrap().words, "PK = 'USER#$.Items[1].who' AND SK = 'NOTE#x#y'");
    let many = "operation: BatchGetItem\nentity: Note\nparameters: {user: \"$.Items[*].who\", at: x, id: y}";
    let keys = made(many, Some(&before)).unwrap().body["RequestItems"]["t-dev"]["Keys"].clone();
    let key = |user: &str| json!({ "PK": { "S": format!("USER#{user}") }, "SK": { "S": "NOTE#x#y" } });
    assert_eq!(keys, json!([key("a"), key("b")]));
    let missing = "operation: GetItem\nentity: Note\nparameters: {user: \"$.Items[9].who\", at: x, id: y}";
    assert_eq!(
        made(missing, Some(&before)),
        Err("there is nothing at $.Items[9].who in the answer before".to_owned())
    );
}

#[test]
fn what_is_missing_is_named() {
    for (pattern, expected) in [
        (
            "operation: Query\nentity: Note\nparameters: {at: x}",
            "the partition key PK = USER#{user} is not complete: `user` is missing",
        ),
        (
            "operation: GetItem\nentity: Note\nparameters: {user: a, at: x}",
            "the key SK = NOTE#{at}#{id} is not complete: `id` is missing",
        ),
        (
            "operation: Query\nentity: Note\nparameters: {user: a}\nfilter: stars > :least",
            "`:least` has no value: give `least` among the parameters",
        ),
        (
            "operation: Query\nentity: Note\nparameters: {user: a}\nrange_condition: between",
            "between needs two values: give one field of NOTE#{at}#{id} a list such as [low, high]",
        ),
    ] {
        assert_eq!(made(pattern, None), Err(expected.to_owned()), "{pattern}");
    }
}
