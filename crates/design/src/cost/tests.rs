//! Bills of small designs, with the figures that the five documents got right or wrong.

use super::*;
use crate::read;

fn design(text: &str) -> Design {
    let (design, found) = read::read("test.design.yaml", text);
    assert!(!found.iter().any(Diagnostic::is_error), "{found:?}");
    design.unwrap()
}

fn bill(text: &str) -> Report {
    let design = design(text);
    cost(&design, &design.environments[0], None).unwrap()
}

fn pattern<'a>(report: &'a Report, name: &str) -> &'a PatternCost {
    report.patterns.iter().find(|pattern| pattern.name == name).unwrap()
}

/// The writes of a pattern: to the table, and to each index.
fn writes(report: &Report, name: &str) -> Vec<(String, f64)> {
    let uses = pattern(report, name).units.uses.iter();
    uses.map(|used| (used.index.clone().unwrap_or_default(), used.write)).collect()
}

const STOCK: &str = include_str!("../../../../designs/stock-price-cache.design.yaml");
const COOKING: &str = include_str!("../../../../designs/smart-cooking.design.yaml");

#[test]
fn the_stock_cache_costs_less_than_a_cent_a_month() {
    let report = bill(STOCK);
    let asked = pattern(&report, "GetQuote").dollars + pattern(&report, "PutQuote").dollars;
    assert!((asked - 0.0038).abs() < 0.0001, "1,000 reads and 100 writes a day: {asked}");
}

#[test]
fn an_index_key_that_changes_is_written_twice() {
    let report = bill(COOKING);
    let expected = [("", 1.0), ("GSI1", 1.0), ("GSI2", 2.0)].map(|(index, units)| (index.to_owned(), units));
    assert_eq!(writes(&report, "RateRecipe"), expected);
}

#[test]
fn entering_or_leaving_a_sparse_index_is_one_write() {
    let report = bill(COOKING);
    let expected = [("", 1.0), ("GSI1", 1.0), ("GSI3", 1.0)].map(|(index, units)| (index.to_owned(), units));
    assert_eq!(writes(&report, "MarkFavorite"), expected);
    assert_eq!(writes(&report, "UnmarkFavorite"), expected);
}

/// A container with so many foods of about 160 bytes in one list, and a relation index that holds only keys.
fn container(foods: usize) -> String {
    let food = "{FoodId: 5a0e6c11-2d4b-4e8f-a1b2-c3d4e5f60701, Name: Semi-skimmed milk, Unit: litre, Quantity: 1.5, Category: dairy, Expiry: \"2035-01-26T00:00:00Z\", CreatedDatetime: \"2035-01-20T08:00:00Z\"}";
    let foods = vec![food; foods].join(", ");
    format!(
        "design: 1\ntables:\n  T:\n    Properties:\n      TableName: t\n      BillingMode: PAY_PER_REQUEST\n      \
         KeySchema: [{{AttributeName: PK, KeyType: HASH}}]\n      GlobalSecondaryIndexes:\n        - {{IndexName: Names, \
         KeySchema: [{{AttributeName: Name, KeyType: HASH}}], Projection: {{ProjectionType: KEYS_ONLY}}}}\n\
         entities:\n  Container:\n    table: T\n    pk_template: \"C#{{Id}}\"\n    gsi_mappings: [{{name: Names, pk_template: \"{{Name}}\"}}]\n    \
         fields: {{Id: {{type: string, required: true}}, Name: {{type: string, required: true}}, Foods: {{type: array}}}}\n\
         samples:\n  one: {{entity: Container, Id: a, Name: Fridge, Foods: [{foods}]}}\n\
         access_patterns:\n  AddFood: {{operation: UpdateItem, entity: Container, parameters: {{Id: a, foods: []}}, \
         update: \"SET Foods = list_append(Foods, :foods)\", rps: 1}}\n  Put: {{operation: PutItem, entity: Container, sample: one, rps: 1}}\n"
    )
}

#[test]
fn an_update_pays_for_the_whole_item_and_not_for_indexes_that_do_not_hold_it() {
    for (foods, units) in [(5, 1.0), (20, 4.0), (100, 17.0)] {
        let report = bill(&container(foods));
        assert_eq!(writes(&report, "AddFood"), [(String::new(), units)], "{foods} foods");
        assert_eq!(writes(&report, "Put"), [(String::new(), units), ("Names".into(), 1.0)], "{foods} foods");
    }
}

#[test]
fn live_items_follow_from_writes_and_lifetime() {
    let text = "design: 1\ntables:\n  T:\n    Properties:\n      TableName: t\n      BillingMode: PAY_PER_REQUEST\n      \
        KeySchema: [{AttributeName: id, KeyType: HASH}]\n      TimeToLiveSpecification: {AttributeName: ttl, Enabled: true}\n\
        entities:\n  Session:\n    table: T\n    pk_template: \"{id}\"\n    ttl: {field: ttl, from: at, after: PT24H}\n    \
        fields: {id: {type: string, required: true}, at: {type: string, required: true, format: date-time}, ttl: {type: integer}}\n\
        samples:\n  one: {entity: Session, id: a, at: \"2035-01-20T08:00:00Z\"}\n\
        access_patterns:\n  Start: {operation: PutItem, entity: Session, sample: one, per_day: 3000}\nbudget_thresholds: [0.05, 1]\n";
    let report = bill(text);
    let table = &report.tables[0];
    assert!((table.items - 3000.0).abs() < 1e-6, "a day's worth is alive: {}", table.items);
    assert!(
        (table.expired - 3000.0 * 730.0 / 24.0).abs() < 1e-3,
        "as many expire as are written: {}",
        table.expired
    );
    assert!(
        (table.expired_saving - report.patterns[0].dollars).abs() < 1e-9,
        "deleting would cost what writing does"
    );
    assert_eq!(report.thresholds, [(0.05, true), (1.0, false)]);
    assert_eq!(report.total_provisioned() - table.storage, table.provisioned, "no recovery, nothing else");
}

#[test]
fn a_region_without_prices_is_named_with_those_that_have_them() {
    let design = design(STOCK);
    let error = cost(&design, &design.environments[0], Some("eu-north-9")).unwrap_err();
    assert_eq!(error.code, "E001");
    assert!(error.hint.unwrap().contains("eu-north-1"));
}
