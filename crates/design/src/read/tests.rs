//! Files read.

use super::*;
use crate::model::Expect;

const SMALL: &str = "\
design: 1
tables:
  Data:
    Properties:
      TableName: data-${Environment}
      KeySchema: [{AttributeName: PK, KeyType: HASH}, {AttributeName: n, KeyType: RANGE}]
entities:
  Thing:
    table: Data
    pk_template: \"THING#{id}\"
    sk_template: \"{n}\"
    fields: {id: string, n: {type: integer, required: true}}
";

fn errors(text: &str) -> Vec<String> {
    let (_, found) = read("f.yaml", text);
    found.iter().map(|found| format!("{}:{} {}", found.place.line, found.code, found.message)).collect()
}

#[test]
fn a_small_file_is_read() {
    let (design, found) = read("some/where/small.design.yaml", SMALL);
    assert_eq!(found, Vec::new());
    let design = design.unwrap();
    assert_eq!(design.name, "small");
    assert_eq!(design.environments[0].name.value, "dev");
    assert_eq!(design.tables[0].table_name.value, "data-${Environment}");
    assert_eq!(design.tables[0].key[1].kind, "N");
    assert_eq!(design.entities[0].pk.fields(), ["id"]);
    assert_eq!(design.tables[0].resource["Type"], "AWS::DynamoDB::Table");
}

#[test]
fn unknown_keys_are_errors_with_the_nearest_name() {
    let (_, found) = read("f.yaml", &SMALL.replace("pk_template", "pk_tmplate"));
    assert_eq!(
        found[0].to_string(),
        "f.yaml:10:5: error F001: entity Thing: no key `pk_tmplate`\n  hint: did you mean `pk_template`?"
    );
    assert_eq!(errors(&SMALL.replace("design: 1", "design: 2")), ["1:F003 this program reads `design: 1`"]);
    assert_eq!(
        errors(&SMALL.replace("integer", "int"))[0],
        "12:F003 entity Thing.n.type: `int` is not known"
    );
    assert!(errors("a: [1")[0].contains("Y001 not YAML: "));
}

#[test]
fn a_template_is_a_design_with_its_surroundings() {
    let text = "\
AWSTemplateFormatVersion: '2010-09-09'
Parameters: {Name: {Type: String, Default: prices}}
Metadata:
  Design:
    entities:
      Quote: {table: T, pk_template: \"{symbol}\", fields: {symbol: string}}
Resources:
  T:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Ref Name
      AttributeDefinitions: [{AttributeName: symbol, AttributeType: S}]
      KeySchema: [{AttributeName: symbol, KeyType: HASH}]
      Tags: [{Key: a, Value: 010}]
  Bucket: {Type: AWS::S3::Bucket}
Outputs:
  Arn: {Value: !GetAtt T.Arn, Export: {Name: TArn}}
";
    let (design, found) = read("t.yaml", text);
    assert_eq!(found, Vec::new());
    let design = design.unwrap();
    assert_eq!(design.tables[0].table_name.value, "prices");
    assert_eq!(design.entities.len(), 1);
    let template = design.template.unwrap();
    assert_eq!(template["Outputs"]["Arn"]["Value"]["Fn::GetAtt"][1], "Arn");
    assert_eq!(template["Resources"]["Bucket"]["Type"], "AWS::S3::Bucket");
    assert!(template["Resources"].get("T").is_none() && template.get("Metadata").is_none());
    assert_eq!(design.tables[0].resource["Properties"]["Tags"][0]["Value"], "010");
}

#[test]
fn a_reserved_word_must_be_aliased_where_the_service_reads_it() {
    let pattern = |key: &str, text: &str| {
        format!("{SMALL}access_patterns:\n  P: {{operation: Scan, entity: Thing, {key}: \"{text}\"}}\n")
    };
    let found = errors(&pattern("filter_expression", "ttl < :now AND size(n) > :n"));
    assert_eq!(
        found,
        ["14:R001 filter_expression: `ttl` is a reserved word: the service refuses the whole request"]
    );
    assert_eq!(errors(&pattern("filter_expression", "#ttl < :now")), Vec::<String>::new());
    let (design, found) = read("f.yaml", &pattern("filter", "ttl < :now"));
    assert_eq!(found, Vec::new());
    assert_eq!(design.unwrap().patterns[0].steps[0].filter.as_ref().unwrap().value, "ttl < :now");
}

#[test]
fn expectations_have_many_forms() {
    let expect = |text: &str| {
        let text =
            format!("{SMALL}access_patterns:\n  P: {{operation: Query, entity: Thing, expect: {text}}}\n");
        read("f.yaml", &text).0.unwrap().patterns.remove(0).expect.unwrap()
    };
    assert!(matches!(expect("[a, b]"), Expect::InOrder(names) if names.len() == 2));
    assert!(matches!(expect("[]"), Expect::Nothing(_)));
    assert!(matches!(expect("nothing"), Expect::Nothing(_)));
    assert!(matches!(expect("3"), Expect::Count(3, _)));
    assert!(matches!(expect("{any_order: [a]}"), Expect::AnyOrder(_)));
    assert!(matches!(expect("{attributes: {n: 5}}"), Expect::Attributes(values, _) if values.len() == 1));
}
