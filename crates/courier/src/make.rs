//! Makes a table by its definition, and gives it its settings once its items are there.
//! Knows which of them an endpoint may lack; knows no items.

use crate::definition::Definition;
use crate::error::Error;
use crate::patience::Backoff;
use crate::watch::Watch;
use client::live::{self, Live, text};
use client::{Endpoint, Failure};
use serde_json::{Value as Json, json};
use std::time::Duration;

/// How long a table may take to become usable.
const ACTIVE_TIME_MAX: Duration = Duration::from_secs(3_600);

/// Makes the table, without what would act on its items while they arrive, and waits until it is usable.
pub(crate) fn table(endpoint: &dyn Endpoint, name: &str, definition: &Definition) -> Result<(), Error> {
    let mut body = definition.create.clone();
    body.insert("TableName".to_owned(), json!(name));
    endpoint
        .call("CreateTable", &Json::Object(body))
        .map_err(|failure| Error::during(&format!("{name} cannot be made"), &failure))?;
    active(endpoint, name).map(drop)
}

/// Gives the table its stream, expiry, recovery and protection, as far as they are not there yet. They come after the
/// items, so that nothing expires while it is counted and no stream tells of the move.
pub(crate) fn settings(
    endpoint: &dyn Endpoint,
    name: &str,
    definition: &Definition,
    watch: &dyn Watch,
) -> Result<(), Error> {
    let live = active(endpoint, name)?;
    let (there, _) = Definition::of(&live);
    let apply = |operation: &str, body: Json| -> Result<(), Error> {
        let failed = |failure: &Failure| Error::during(&format!("{name}: {operation} was refused"), failure);
        match endpoint.call(operation, &body) {
            Ok(_) => active(endpoint, name).map(drop),
            Err(failure) if failure.is_unknown_operation() && !endpoint.is_service() => {
                watch.note(&format!("{name}: {} has no {operation}: left out", endpoint.name()));
                Ok(())
            }
            Err(failure) => Err(failed(&failure)),
        }
    };
    if let Some(view) = definition.stream.as_ref().filter(|_| there.stream.is_none()) {
        let stream = json!({ "StreamEnabled": true, "StreamViewType": view });
        apply("UpdateTable", json!({ "TableName": name, "StreamSpecification": stream }))?;
    }
    if let Some(attribute) = definition.expiry.as_ref().filter(|_| there.expiry.is_none()) {
        let expiry = json!({ "Enabled": true, "AttributeName": attribute });
        apply("UpdateTimeToLive", json!({ "TableName": name, "TimeToLiveSpecification": expiry }))?;
    }
    if let Some(days) = definition.recovery_days.filter(|_| there.recovery_days.is_none()) {
        let mut recovery = json!({ "PointInTimeRecoveryEnabled": true });
        if let Some(members) = recovery.as_object_mut().filter(|_| days > 0) {
            members.insert("RecoveryPeriodInDays".to_owned(), json!(days));
        }
        let body = json!({ "TableName": name, "PointInTimeRecoverySpecification": recovery });
        apply("UpdateContinuousBackups", body)?;
    }
    if definition.is_protected && !there.is_protected {
        apply("UpdateTable", json!({ "TableName": name, "DeletionProtectionEnabled": true }))?;
    }
    Ok(())
}

/// The table, once it and its indexes are usable.
pub(crate) fn active(endpoint: &dyn Endpoint, name: &str) -> Result<Live, Error> {
    let mut backoff = Backoff::new();
    loop {
        let found = live::look(endpoint, name)
            .map_err(|failure| Error::during(&format!("{name} cannot be described"), &failure))?;
        if let Some(live) = found {
            let indexes = live.list("GlobalSecondaryIndexes").iter();
            let is_ready = |index: &Json| matches!(text(index, "IndexStatus"), "ACTIVE" | "");
            if live.status() == "ACTIVE" && indexes.clone().all(is_ready) {
                return Ok(live);
            }
        }
        if !backoff.wait(ACTIVE_TIME_MAX) {
            return Err(Error::Failed(format!("{name} has not become ACTIVE at {}", endpoint.name())));
        }
    }
}
