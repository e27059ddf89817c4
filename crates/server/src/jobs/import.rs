//! Carries an import out: rows of a bucket into the table that was made for them.

use super::Means;
use super::failure::Stopped;
use super::source::Source;
use engine::{ImportRun, Refused};
use op::{CsvOptions, Error, ImportDescription, ImportFormat};
use std::collections::BTreeMap;
use transfer::{Delimiter, InputFormat};

/// Rows that do not fit are told one by one up to this many; all are counted.
const TOLD_MAX: u64 = 10_000;

const SOME_REFUSED: &str = "Some of the items failed validation checks and were not imported. Please check CloudWatch error \
                            logs for more details.";

pub(super) fn carry_out(mut run: ImportRun<'_>, means: &Means<'_>) -> Result<(), Error> {
    match read_all(&mut run, means) {
        Ok(()) => run.end(None),
        Err(Stopped::Later) => Ok(()),
        Err(Stopped::Failed(failure)) => {
            tracing::warn!(import = run.told().arn, code = failure.code, "{}", failure.message);
            run.end(Some(failure))
        }
    }
}

fn read_all(run: &mut ImportRun<'_>, means: &Means<'_>) -> Result<(), Stopped> {
    let told = run.told().clone();
    let mut source = Source::open(means, &told.source, format(&told), told.compression, run.place())?;
    let mut refused_count = told.error_count;
    loop {
        let rows = source.next()?;
        if rows.is_empty() {
            break;
        }
        means.wait_for_room()?;
        for refused in run.put(rows, source.read_bytes())? {
            refused_count += 1;
            if refused_count <= TOLD_MAX {
                tell(&told, &refused);
            }
        }
    }
    // OBSERVED: one row that does not fit makes an import FAILED, though all others are in the table.
    if refused_count > 0 {
        return Err(Stopped::failed("ItemValidationError", SOME_REFUSED));
    }
    Ok(())
}

/// What the service writes into its log of imports.
fn tell(told: &ImportDescription, refused: &Refused) {
    tracing::warn!(
        import = told.arn,
        object = refused.object.as_ref(),
        line = refused.line,
        "a row is not imported: {}",
        refused.reason
    );
}

fn format(told: &ImportDescription) -> InputFormat {
    match &told.format {
        ImportFormat::DynamoDbJson => InputFormat::DynamoDbJson,
        ImportFormat::Ion => InputFormat::Ion,
        ImportFormat::Csv(options) => InputFormat::Csv(csv(told, options)),
    }
}

fn csv(told: &ImportDescription, options: &CsvOptions) -> transfer::CsvOptions {
    let delimiter = options.delimiter.map(String::from);
    let types = told.table.attributes.iter();
    transfer::CsvOptions {
        delimiter: delimiter.and_then(|text| Delimiter::parse(&text)).unwrap_or_default(),
        header: options.header.clone(),
        types: types
            .map(|attribute| (attribute.name.clone(), attribute.kind.value_type()))
            .collect::<BTreeMap<_, _>>(),
    }
}
