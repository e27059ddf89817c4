//! Tests of imports: the five designs there and back, templates, described tables.

use super::*;
use crate::export::{Format, export};
use crate::{check, items, read};

const COOKING: &str = include_str!("../../../../designs/smart-cooking.design.yaml");
const NISHIKI: &str = include_str!("../../../../designs/nishiki.design.yaml");
const STOCK: &str = include_str!("../../../../designs/stock-price-cache.design.yaml");
const LUNCH: &str = include_str!("../../../../designs/lunch-cache.design.yaml");
const AURA: &str = include_str!("../../../../designs/aura-historia.design.yaml");

fn design(text: &str) -> crate::model::Design {
    let (design, found) = read::read("test.design.yaml", text);
    assert!(!found.iter().any(Diagnostic::is_error), "{found:?}\n{text}");
    design.unwrap()
}

/// Every item of a design survives the way through a NoSQL Workbench model.
#[test]
fn a_workbench_model_comes_back_with_the_same_items() {
    for text in [COOKING, NISHIKI, STOCK, LUNCH, AURA] {
        let before = design(text);
        let model = export(&before, &before.environments[0], Format::Workbench).unwrap();
        let imported = import("model.json", &model).unwrap();
        let after = design(&imported);
        let errors: Vec<String> =
            check::check(&after).iter().filter(|found| found.is_error()).map(ToString::to_string).collect();
        assert!(errors.is_empty(), "{errors:?}\n{imported}");
        let made = |design: &crate::model::Design| {
            let mut made: Vec<String> = design
                .samples
                .iter()
                .map(|sample| format!("{:?}", items::sample(design, sample).unwrap().item))
                .collect();
            made.sort();
            made
        };
        assert_eq!(made(&before), made(&after), "{imported}");
    }
}

#[test]
fn entities_of_a_model_are_named_and_templated() {
    let before = design(COOKING);
    let model = export(&before, &before.environments[0], Format::Workbench).unwrap();
    let imported = import("model.json", &model).unwrap();
    for line in [
        "    pk_template: USER#{user_id}\n    sk_template: COOKING#{cook_date}#{history_id}\n",
        "when: favorite = true",
        "transform: year-month",
    ] {
        assert!(imported.contains(line), "{line} is not in\n{imported}");
    }
}

#[test]
fn a_template_is_taken_word_for_word() {
    let template = include_str!("../../../../designs/stock-price-cache.template.yaml");
    let imported = import("stock-price-cache.template.yaml", template).unwrap();
    let after = design(&imported);
    assert_eq!(after.name, "stock-price-cache");
    assert_eq!(
        after.tables[0].resource.pointer("/Properties/Tags/0/Value"),
        Some(&serde_json::json!("VirtualStockTrading"))
    );
    assert_eq!(after.entities[0].pk.text, "{symbol}");
}

#[test]
fn an_environment_parameter_becomes_environments() {
    let template = "Parameters: {Stage: {Type: String, Default: prod, AllowedValues: [dev, prod]}}\n\
        Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n      TableName: !Sub things-${Stage}\n      \
        BillingMode: PAY_PER_REQUEST\n      AttributeDefinitions: [{AttributeName: id, AttributeType: N}]\n      \
        KeySchema: [{AttributeName: id, KeyType: HASH}]\n  Role: {Type: 'AWS::IAM::Role'}\n";
    let imported = import("things.yaml", template).unwrap();
    assert!(imported.contains("TableName: things-${Environment}"), "{imported}");
    assert!(imported.contains("Left out, because they are no tables: Role (AWS::IAM::Role)."), "{imported}");
    assert!(imported.contains("id: {type: number, required: true}"), "{imported}");
    let names: Vec<String> =
        design(&imported).environments.iter().map(|one| one.name.value.clone()).collect();
    assert_eq!(names, ["prod", "dev"]);
}

#[test]
fn a_described_table_is_inferred_from_its_items() {
    let described = r#"{"Table": {"TableName": "orders", "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"}], "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"},
        {"AttributeName": "SK", "AttributeType": "S"}], "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}},
        "TimeToLiveDescription": {"AttributeName": "ttl", "TimeToLiveStatus": "ENABLED"},
        "Items": [{"PK": {"S": "CUSTOMER#7"}, "SK": {"S": "ORDER#2025-01-20T08:00:00Z"}, "placed": {"S": "2025-01-20T08:00:00Z"},
        "total": {"N": "12345678901234567890.123456789"}, "ttl": {"N": "1737446400"}}]}"#;
    let imported = import("orders.json", described).unwrap();
    for line in [
        "TimeToLiveSpecification:",
        "  CustomerOrder:\n",
        "    pk_template: CUSTOMER#{customer_id}\n    sk_template: ORDER#{placed}\n",
        "    ttl: {field: ttl, from: placed, after: P1D}\n",
        "total: 12345678901234567890.123456789",
        "expect: [customerorder_1]",
    ] {
        assert!(imported.contains(line), "{line} is not in\n{imported}");
    }
    assert!(check::check(&design(&imported)).iter().all(|found| !found.is_error()), "{imported}");
}

#[test]
fn what_is_none_of_these_is_refused() {
    let error = import("x.yaml", "a: 1").unwrap_err();
    assert!(
        error.to_string().starts_with("x.yaml:1:1: error F010: is no CloudFormation template"),
        "{error}"
    );
}
