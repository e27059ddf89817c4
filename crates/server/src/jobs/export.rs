//! Carries an export out: the items of a copy into a bucket. One that was cut off begins again and writes over what is
//! there.

use super::Means;
use super::failure::{Stopped, encryption};
use engine::{ExportRow, ExportRun};
use op::{Error, ExportDescription, ExportFormat, ExportScope, ExportView};
use std::time::Duration;
use transfer::{Change, ExportDone, ExportJob, ExportKind, ExportWriter, FILE_BYTES_MAX};

/// How often to look whether all items are copied.
const PAUSE: Duration = Duration::from_millis(10);
const MICROS: u64 = 1000;

pub(super) fn carry_out(mut run: ExportRun<'_>, means: &Means<'_>) -> Result<(), Error> {
    match write_all(&mut run, means) {
        Ok(done) => run.complete(done.manifest_key, done.item_count, done.billed_size_bytes),
        Err(Stopped::Later) => Ok(()),
        Err(Stopped::Failed(failure)) => {
            tracing::warn!(export = run.told().arn, code = failure.code, "{}", failure.message);
            run.fail(failure)
        }
    }
}

fn write_all(run: &mut ExportRun<'_>, means: &Means<'_>) -> Result<ExportDone, Stopped> {
    let told = run.told();
    let bucket = means.buckets.open_encrypted(&told.bucket.bucket, &encryption(&told.sse))?;
    let mut writer = ExportWriter::begin(bucket, job(told))?;
    while !run.is_ready()? {
        if means.is_stopping() {
            return Err(Stopped::Later);
        }
        std::thread::sleep(PAUSE);
    }
    let mut after = None;
    loop {
        if means.is_stopping() {
            return Err(Stopped::Later);
        }
        means.wait_for_room()?;
        let page = run.page(after.as_ref())?;
        for row in &page.rows {
            write(&mut writer, row)?;
        }
        run.count(writer.item_count(), writer.billed_size_bytes());
        after = page.next;
        if after.is_none() {
            return Ok(writer.finish(run.now_ms())?);
        }
    }
}

fn write(writer: &mut ExportWriter, row: &ExportRow) -> transfer::Result<()> {
    match (&row.change, &row.new) {
        (Some(change), new) => writer.push_change(&Change {
            write_time_micros: change.written_ms.saturating_mul(MICROS),
            keys: &change.key,
            old_image: change.old.as_ref(),
            new_image: new.as_ref(),
        }),
        (None, Some(item)) => writer.push(item),
        (None, None) => Ok(()),
    }
}

fn job(told: &ExportDescription) -> ExportJob {
    let id = told.arn.rsplit('/').next().unwrap_or(&told.arn);
    ExportJob {
        export_id: id.to_owned(),
        export_arn: told.arn.clone(),
        table_arn: told.table_arn.clone(),
        table_id: told.table_id.clone(),
        prefix: told.bucket.prefix.clone(),
        sse_algorithm: told.sse.algorithm.map(|algorithm| {
            let name = match algorithm {
                op::SseAlgorithm::Aes256 => "AES256",
                op::SseAlgorithm::Kms => "KMS",
            };
            name.to_owned()
        }),
        sse_kms_key_id: told.sse.key.clone(),
        format: match told.format {
            ExportFormat::DynamoDbJson => transfer::ExportFormat::DynamoDbJson,
            ExportFormat::Ion => transfer::ExportFormat::Ion,
        },
        kind: match told.scope {
            ExportScope::Full(time_ms) => ExportKind::Full { export_time: time_ms.unwrap_or(told.start_ms) },
            ExportScope::Incremental { from_ms, to_ms, view } => ExportKind::Incremental {
                from: from_ms,
                to: to_ms.unwrap_or(told.start_ms),
                view: match view {
                    ExportView::NewImage => transfer::ExportView::NewImage,
                    ExportView::NewAndOldImages => transfer::ExportView::NewAndOldImages,
                },
            },
        },
        start_time: told.start_ms,
        file_bytes_max: FILE_BYTES_MAX,
    }
}
