//! Items built from plain values.

use crate::json::to_json;
use crate::read::read;

const COOKING: &str = "\
design: 1
tables:
  Data:
    Properties:
      TableName: t
      KeySchema: [{AttributeName: PK, KeyType: HASH}, {AttributeName: SK, KeyType: RANGE}]
      GlobalSecondaryIndexes:
        - {IndexName: GSI1, KeySchema: [{AttributeName: GSI1PK, KeyType: HASH}, {AttributeName: GSI1SK, KeyType: RANGE}], Projection: {ProjectionType: ALL}}
        - {IndexName: ByFlag, KeySchema: [{AttributeName: flag, KeyType: HASH}], Projection: {ProjectionType: KEYS_ONLY}}
      TimeToLiveSpecification: {AttributeName: ttl, Enabled: true}
entities:
  Cooked:
    table: Data
    pk_template: USER#{user}
    sk_template: COOKED#{at}
    gsi_mappings:
      - {name: GSI1, pk_template: \"{month}\", sk_template: \"{rating:.1f}\", when: favorite = true}
      - {name: ByFlag, pk_template: \"{flag}\"}
    ttl: {field: ttl, from: at, after: P14D}
    rules: [len(notes) = count]
    fields:
      user: {type: string, required: true}
      at: {type: string, required: true, format: date-time}
      favorite: boolean
      rating: number
      flag: {type: number, enum: [0, 1]}
      month: {type: string, from: at, transform: year-month, store: false}
      notes: {type: array, items: {type: string}}
      count: {type: integer, from: notes, transform: count}
      kind: {type: string, from: cooked}
samples:
";

fn check(sample: &str, wanted: Result<(&str, &str), &str>) {
    let (design, found) = read("f.yaml", &format!("{COOKING}  s: {{entity: Cooked, {sample}}}\n"));
    assert_eq!(found, Vec::new());
    let design = design.unwrap();
    let got = super::sample(&design, &design.samples[0]);
    match (got, wanted) {
        (Ok(built), Ok((item, keys))) => {
            assert_eq!(to_json(&built.item).to_string(), item);
            let shown: Vec<String> =
                built.index_keys.iter().map(|(index, key)| format!("{index}={key}")).collect();
            assert_eq!(shown.join(" "), keys);
        }
        (Err(found), Err(wanted)) => {
            let lines: Vec<String> =
                found.iter().map(|found| format!("{} {}", found.code, found.message)).collect();
            assert_eq!(lines.join("\n"), wanted);
        }
        (got, wanted) => panic!("{got:?} instead of {wanted:?}"),
    }
}

#[test]
fn keys_and_computed_fields_are_worked_out() {
    check(
        "user: 7, at: \"2025-01-20T10:30:00Z\", favorite: true, rating: 5, flag: 1, notes: [a, b]",
        Ok((
            r#"{"GSI1PK":{"S":"2025-01"},"GSI1SK":{"S":"5.0"},"PK":{"S":"USER#7"},"SK":{"S":"COOKED#2025-01-20T10:30:00Z"},"at":{"S":"2025-01-20T10:30:00Z"},"count":{"N":"2"},"favorite":{"BOOL":true},"flag":{"N":"1"},"kind":{"S":"cooked"},"notes":{"L":[{"S":"a"},{"S":"b"}]},"rating":{"N":"5"},"ttl":{"N":"1738578600"},"user":{"S":"7"}}"#,
            "GSI1=2025-01 | 5.0 ByFlag=1",
        )),
    );
}

#[test]
fn an_index_is_sparse_where_its_condition_or_its_field_fails() {
    check(
        "user: 7, at: \"2025-01-20T10:30:00Z\"",
        Ok((
            r#"{"PK":{"S":"USER#7"},"SK":{"S":"COOKED#2025-01-20T10:30:00Z"},"at":{"S":"2025-01-20T10:30:00Z"},"kind":{"S":"cooked"},"ttl":{"N":"1738578600"},"user":{"S":"7"}}"#,
            "",
        )),
    );
}

#[test]
fn what_contradicts_its_derived_value_is_refused() {
    let at = "user: 7, at: \"2025-01-20T10:30:00Z\"";
    check(
        &format!("{at}, ttl: 1737889800"),
        Err(
            "S002 sample s: Cooked: `ttl` is 1737889800, but `at` + P14D is 1738578600 (2025-02-03T10:30:00.000Z)",
        ),
    );
    check(
        &format!("{at}, notes: [a], count: 2"),
        Err(
            "S002 sample s: Cooked: `count` is 2, but count of `notes` gives 1\nS001 sample s: Cooked: rule broken: len(notes) = count",
        ),
    );
    check(
        &format!("{at}, PK: USER#8"),
        Err("S002 sample s: Cooked: `PK` is USER#8, but its template gives USER#7"),
    );
}

#[test]
fn what_is_missing_or_unknown_is_named() {
    check(
        "at: \"2025-01-20T10:30:00Z\", usr: 7",
        Err(
            "S001 sample s: Cooked: no field `usr`\nS001 sample s: Cooked: `user` is required and missing\nS001 sample s: Cooked: PK: `user` is missing",
        ),
    );
}
