//! UpdateTimeToLive. Knows no table.

use op::{Error, Operation, TimeToLive, TtlStatus, UpdateTimeToLive};

use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Rule, Test, rule};
use crate::shape::Shape;
use crate::write::Object;

const ATTRIBUTE_LENGTH_MAX: usize = 255;

static REQUEST: Request = Request {
    input: "UpdateTimeToLiveInput",
    members: &[
        ("TableName", &Shape::Text),
        (
            "TimeToLiveSpecification",
            &Shape::Struct(
                "TimeToLiveSpecification",
                &[("Enabled", &Shape::Flag), ("AttributeName", &Shape::Text)],
            ),
        ),
    ],
    stages: &[
        &[rule("TableName", Test::Required), rule("TableName", Test::NameMin(1))],
        &[rule("TableName", Test::NamePattern)],
        RULES,
    ],
    counted: false,
};

const RULES: &[Rule] = &[
    rule("TableName", Test::NameMin(3)),
    rule("TableName", Test::NameMax),
    rule("TimeToLiveSpecification", Test::Required),
    rule("TimeToLiveSpecification.Enabled", Test::Required),
    rule("TimeToLiveSpecification.AttributeName", Test::Required),
    rule("TimeToLiveSpecification.AttributeName", Test::LengthMin(1)),
    rule("TimeToLiveSpecification.AttributeName", Test::LengthMax(ATTRIBUTE_LENGTH_MAX)),
];

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::UpdateTimeToLive)
}

fn read(fields: Fields<'_, '_>) -> Result<UpdateTimeToLive, Fault> {
    let table = common::table(fields)?;
    let setting = fields.fields("TimeToLiveSpecification")?;
    let setting = setting.ok_or_else(|| Fault::unmet("TimeToLiveSpecification"))?;
    let enabled = setting.flag("Enabled")?.ok_or_else(|| Fault::unmet("Enabled"))?;
    let attribute = setting.required_text("AttributeName")?;
    if !(1..=ATTRIBUTE_LENGTH_MAX).contains(&attribute.chars().count()) {
        return Err(Fault::unmet("AttributeName"));
    }
    Ok(UpdateTimeToLive { table, enabled, attribute: attribute.to_owned() })
}

pub(crate) fn encode(output: &TimeToLive, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    let mut setting = Object::begin(object.key("TimeToLiveSpecification"));
    setting.flag("Enabled", matches!(output.status, TtlStatus::Enabled | TtlStatus::Enabling));
    if let Some(attribute) = &output.attribute {
        setting.text("AttributeName", attribute);
    }
    setting.end();
    object.end();
}
