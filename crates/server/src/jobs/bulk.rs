//! Carries a bulk operation out: rows of a bucket into a table that is there, and reports of those that failed into
//! another one.

use super::Means;
use super::failure::{Stopped, encryption};
use super::pace::Pace;
use super::source::Source;
use engine::{BulkRun, Report};
use op::{BulkOutputKind, Error, ExportFormat};
use std::time::Duration;
use transfer::{InputFormat, RecordPlace, ReportJob, ReportKind, ReportWriter};

/// The longest pause in which nobody looks whether to stop.
const PAUSE_MAX: Duration = Duration::from_millis(200);

pub(super) fn carry_out(mut run: BulkRun<'_>, means: &Means<'_>) -> Result<(), Error> {
    let done = begin_reports(&run, means).and_then(|reports| {
        let read = read_all(&mut run, means);
        match read {
            Err(Stopped::Later) => read,
            // What failed so far is told, however the operation ends.
            Ok(()) | Err(Stopped::Failed(_)) => write_reports(&run, reports).and(read),
        }
    });
    match done {
        Ok(()) => run.end(None),
        Err(Stopped::Later) => Ok(()),
        Err(Stopped::Failed(failure)) => {
            tracing::warn!(operation = run.told().arn, code = failure.code, "{}", failure.message);
            run.end(Some(failure))
        }
    }
}

fn read_all(run: &mut BulkRun<'_>, means: &Means<'_>) -> Result<(), Stopped> {
    let told = run.told().clone();
    let format = match told.input.format {
        ExportFormat::DynamoDbJson => InputFormat::DynamoDbJson,
        ExportFormat::Ion => InputFormat::Ion,
    };
    let mut source = Source::open(means, &told.input.source, format, told.input.compression, run.place())?;
    run.measured(source.total_bytes())?;
    let mut pace = Pace::new(told.write_units_max);
    loop {
        if run.is_cancelled() {
            return Err(Stopped::failed("UserCancelled", "The bulk operation was cancelled"));
        }
        let rows = source.next()?;
        if rows.is_empty() {
            return Ok(());
        }
        means.wait_for_room()?;
        let Some(units) = run.put(rows, source.read_bytes())? else {
            return Err(Stopped::failed("ResourceNotFoundException", "The table was deleted"));
        };
        rest(run, means, pace.used(units))?;
    }
}

/// Waits, unless there is a reason to stop.
fn rest(run: &BulkRun<'_>, means: &Means<'_>, mut pause: Duration) -> Result<(), Stopped> {
    while !pause.is_zero() && !run.is_cancelled() {
        if means.is_stopping() {
            return Err(Stopped::Later);
        }
        let part = pause.min(PAUSE_MAX);
        std::thread::sleep(part);
        pause = pause.saturating_sub(part);
    }
    Ok(())
}

fn begin_reports(run: &BulkRun<'_>, means: &Means<'_>) -> Result<ReportWriter, Stopped> {
    let told = run.told();
    let output = &told.output;
    let bucket = means.buckets.open_encrypted(&output.target.bucket, &encryption(&output.sse))?;
    let id = told.arn.rsplit('/').next().unwrap_or(&told.arn);
    let kind = |kind: &BulkOutputKind| match kind {
        BulkOutputKind::Error => ReportKind::Error,
        BulkOutputKind::ConditionCheckFailure => ReportKind::ConditionCheckFailure,
    };
    let job = ReportJob {
        operation_id: id.to_owned(),
        operation_arn: told.arn.clone(),
        table_arn: run.table_arn(),
        prefix: told.output.target.prefix.clone(),
        kinds: told.output.kinds.iter().map(kind).collect(),
        start_time: told.start_ms,
    };
    Ok(ReportWriter::begin(bucket, job)?)
}

fn write_reports(run: &BulkRun<'_>, mut writer: ReportWriter) -> Result<(), Stopped> {
    let mut count = 0;
    loop {
        let reports = run.reports(count)?;
        if reports.is_empty() {
            break;
        }
        count += reports.len() as u64;
        for report in &reports {
            write_report(&mut writer, report)?;
        }
    }
    writer.finish(run.now_ms())?;
    Ok(())
}

fn write_report(writer: &mut ReportWriter, report: &Report) -> transfer::Result<()> {
    match report {
        Report::Error { object, line, item, code, message } => {
            writer.error(RecordPlace { key: object, line: *line }, code, message, item.as_ref())
        }
        Report::ConditionCheckFailure { object, line, item, existing } => {
            writer.condition_check_failure(RecordPlace { key: object, line: *line }, item, existing.as_ref())
        }
    }
}
