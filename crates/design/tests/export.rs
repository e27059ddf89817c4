//! Everything a design is written out as: one design with one of everything, and each export beside it.
//! `BLESS=1 cargo test -p design --test export` writes them anew; read the difference before you keep it.

use std::fs;
use std::path::{Path, PathBuf};

use design::cost::{cost, what_if};
use design::export::{Format, export};
use design::model::Design;
use design::read::read;
use design::{check, docs};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export")
}

fn orders() -> Design {
    let text = fs::read_to_string(folder().join("orders.design.yaml")).expect("the design is readable");
    let (design, mut found) = read("orders.design.yaml", &text);
    let design = design.expect("it is a design");
    found.extend(check::check(&design));
    let errors: Vec<String> =
        found.iter().filter(|found| found.is_error()).map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    design
}

/// Compares with the file of this name, or writes it.
fn hold(name: &str, got: &str) {
    let path = folder().join(name);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, got).expect("the export can be written");
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    if let Some((line, (got, expected))) =
        got.lines().zip(expected.lines()).enumerate().find(|(_, (got, old))| got != old)
    {
        panic!("{name}:{}: expected\n{expected}\ngot\n{got}", line + 1);
    }
    assert_eq!(got.lines().count(), expected.lines().count(), "{name} has another length");
}

#[test]
fn each_export_is_as_it_was() {
    let design = orders();
    let endings = [
        (Format::CloudFormation, "template.yaml"),
        (Format::Terraform, "tf"),
        (Format::Iam, "iam.json"),
        (Format::Alarms, "alarms.yaml"),
        (Format::Workbench, "workbench.json"),
        (Format::Rust, "rs.txt"),
        (Format::TypeScript, "ts"),
        (Format::Python, "py"),
    ];
    assert_eq!(endings.map(|(format, _)| format), Format::ALL);
    for (format, ending) in endings {
        hold(
            &format!("orders.{ending}"),
            &export(&design, &design.environments[0], format).expect("it can be exported"),
        );
    }
}

#[test]
fn the_documents_and_the_bill_are_as_they_were() {
    let design = orders();
    let dev = &design.environments[0];
    hold("orders.md", &docs::markdown(&design, dev).expect("it can be described"));
    hold("orders.html", &docs::html(&design, dev).expect("it can be described"));
    hold("orders.cost.txt", &cost(&design, dev, None).expect("it has a price").to_string());
}

#[test]
fn an_environment_changes_what_it_says_and_nothing_else() {
    let design = orders();
    let [dev, prod] = [0, 1].map(|place| &design.environments[place]);
    let template =
        |environment| export(&design, environment, Format::CloudFormation).expect("it can be exported");
    let (before, after) = (template(dev), template(prod));
    assert!(after.contains("TableName: order-desk-prod\n") && after.contains("DeletionPolicy: Retain\n"));
    assert!(after.contains("RecoveryPeriodInDays: 35\n") && !before.contains("RecoveryPeriodInDays"));
    let bills = [dev, prod].map(|environment| cost(&design, environment, None).expect("it has a price"));
    let text = what_if(&bills[0], &bills[1]).to_string();
    let recovery = text.lines().find(|line| line.starts_with("recovery")).expect("a line for recovery");
    assert!(recovery.contains("$0.00 ") && recovery.contains('+'), "{text}");
}

#[test]
fn a_design_without_alarms_has_no_template_of_them() {
    let mut design = orders();
    design.alarms.clear();
    let error =
        export(&design, &design.environments[0], Format::Alarms).expect_err("there is nothing to export");
    assert_eq!(error.code, "X004");
}
