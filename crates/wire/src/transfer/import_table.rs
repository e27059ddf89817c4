//! ImportTable. Knows no table and no bucket.

use op::{CreateTable, CsvOptions, Error, ImportFormat, ImportTable, Operation};

use super::bucket;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::{Shape, TEXTS};
use crate::table::{create_table, spec};

static REQUEST: Request = Request {
    input: "ImportTableInput",
    members: &[
        ("ClientToken", &Shape::Text),
        ("S3BucketSource", &SOURCE),
        ("InputFormat", &Shape::Text),
        ("InputFormatOptions", &Shape::Struct("InputFormatOptions", &[("Csv", &CSV)])),
        ("InputCompressionType", &Shape::Text),
        ("TableCreationParameters", &PARAMETERS),
    ],
    stages: &[&[
        rule("ClientToken", bucket::TOKEN),
        rule("S3BucketSource", Test::Required),
        rule("S3BucketSource", Test::Within(bucket::PLACE_RULES)),
        rule("InputFormat", Test::Required),
        rule("InputFormat", Test::OneOf(&["DYNAMODB_JSON", "ION", "CSV"])),
        rule("InputFormatOptions.Csv.Delimiter", Test::Form(is_delimiter, r"[,;:|\t ]")),
        rule("InputFormatOptions.Csv.Delimiter", Test::LengthMin(1)),
        rule("InputFormatOptions.Csv.Delimiter", Test::LengthMax(1)),
        rule("InputFormatOptions.Csv.HeaderList", Test::LengthMin(1)),
        rule("InputFormatOptions.Csv.HeaderList", Test::LengthMax(255)),
        rule("InputFormatOptions.Csv.HeaderList.*", Test::Form(is_header, r"[\x20-\x21\x23-\x2B\x2D-\x7E]*")),
        rule("InputFormatOptions.Csv.HeaderList.*", Test::LengthMin(1)),
        rule("InputFormatOptions.Csv.HeaderList.*", Test::LengthMax(65_536)),
        rule("InputCompressionType", Test::OneOf(bucket::COMPRESSION_NAMES)),
        rule("TableCreationParameters", Test::Required),
        rule("TableCreationParameters.TableName", Test::Required),
        rule("TableCreationParameters.TableName", Test::Pattern),
        rule("TableCreationParameters.TableName", Test::LengthMin(3)),
        rule("TableCreationParameters.TableName", Test::LengthMax(255)),
        rule("TableCreationParameters", Test::Within(create_table::RULES)),
    ]],
    counted: false,
};
static SOURCE: Shape = Shape::Struct(
    "S3BucketSource",
    &[("S3BucketOwner", &Shape::Text), ("S3Bucket", &Shape::Text), ("S3KeyPrefix", &Shape::Text)],
);
static CSV: Shape = Shape::Struct("CsvOptions", &[("Delimiter", &Shape::Text), ("HeaderList", &TEXTS)]);
static PARAMETERS: Shape = Shape::Struct(
    "TableCreationParameters",
    &[
        ("TableName", &Shape::Text),
        ("AttributeDefinitions", &spec::DEFINITIONS),
        ("KeySchema", &spec::KEY_SCHEMA),
        ("BillingMode", &Shape::Text),
        ("ProvisionedThroughput", &spec::THROUGHPUT),
        ("OnDemandThroughput", &spec::ON_DEMAND),
        ("SSESpecification", &spec::SSE),
        ("GlobalSecondaryIndexes", &Shape::List(&Shape::Struct("GlobalSecondaryIndex", spec::GLOBAL_INDEX))),
    ],
);
/// What a table that is imported can be asked for, or refused for.
const MEMBERS: &[&str] = &[
    "TableName",
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "SSESpecification",
    "GlobalSecondaryIndexes",
    "VectorIndexes",
];

fn is_delimiter(text: &str) -> bool {
    matches!(text, "," | ";" | ":" | "|" | "\t" | " ")
}

fn is_header(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !b"\",".contains(&byte))
}

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(|request| Operation::ImportTable(Box::new(request)))
}

fn read(fields: Fields<'_, '_>) -> Result<ImportTable, Fault> {
    let source = fields.fields("S3BucketSource")?.ok_or_else(|| Fault::unmet("S3BucketSource"))?;
    let parameters = fields.fields("TableCreationParameters")?;
    let parameters = parameters.ok_or_else(|| Fault::unmet("TableCreationParameters"))?;
    Ok(ImportTable {
        token: fields.owned("ClientToken")?,
        source: bucket::place(source, "S3KeyPrefix")?,
        format: format(fields)?,
        compression: bucket::compression(fields)?,
        table: table(parameters)?,
    })
}

/// The table that is to be made, of which less can be said than in CreateTable.
fn table(parameters: Fields<'_, '_>) -> Result<CreateTable, Fault> {
    let known = parameters.0.iter().filter(|(name, _)| MEMBERS.contains(&name.as_ref()));
    let known: Vec<_> = known.cloned().collect();
    create_table::read(Fields(&known))
}

fn format(fields: Fields<'_, '_>) -> Result<ImportFormat, Fault> {
    let options = fields.fields("InputFormatOptions")?;
    let csv = options.map(|options| options.fields("Csv")).transpose()?.flatten();
    let format = match (fields.required_text("InputFormat")?, csv) {
        ("CSV", None) => ImportFormat::Csv(CsvOptions::default()),
        ("CSV", Some(csv)) => {
            let delimiter = csv.text("Delimiter")?.and_then(|text| text.chars().next());
            let header = csv.texts("HeaderList")?;
            let header = header.map(|names| names.into_iter().map(str::to_owned).collect());
            ImportFormat::Csv(CsvOptions { delimiter, header })
        }
        ("DYNAMODB_JSON", None) => ImportFormat::DynamoDbJson,
        ("ION", None) => ImportFormat::Ion,
        (other, _) => {
            return Err(Fault::invalid(format!(
                "Invalid Request: Unsupported InputFormatOptions for the given input format: {other}."
            )));
        }
    };
    Ok(format)
}
