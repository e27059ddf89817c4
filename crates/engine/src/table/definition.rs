//! Parts of a table's definition, made from what a request asks for. Knows neither the catalog nor the store.

use std::sync::Arc;

use op::{
    AttributeDefinition, BillingMode, IndexSpec, IndexStatus, OnDemand, SseSpec, SseStatus, Throughput,
    ThroughputDescription, WarmThroughput,
};
use storage::Space;

use crate::schema::{Index, KeySchema, Stats, Table};

/// Region and account of every ARN: there is one database for all of them.
const PLACE: &str = "us-east-1:000000000000";
/// The key that the service would manage for the account.
const MANAGED_KEY: &str = "5f4dcc3b-9d2a-4c1e-8f37-6c1b0a9e2d54";

/// What a table on demand is ready for from the start.
const ON_DEMAND_WARM: Throughput = Throughput { read: 12_000, write: 4000 };

/// The ARN of a table.
pub(crate) fn table_arn(name: &str) -> String {
    format!("arn:aws:dynamodb:{PLACE}:table/{name}")
}

/// How a table is billed.
pub(crate) fn mode(table: &Table) -> BillingMode {
    table.billing.map_or(BillingMode::Provisioned, |billing| billing.mode)
}

/// A new index.
pub(crate) fn index(
    table_arn: &str,
    space: Space,
    spec: &IndexSpec,
    attributes: &[AttributeDefinition],
    mode: BillingMode,
) -> Index {
    let units = units(mode, spec.throughput);
    let mut projection = spec.projection.clone();
    if let op::IndexProjection::Include(names) = &mut projection {
        names.sort_unstable();
    }
    Index {
        name: spec.name.clone(),
        arn: format!("{table_arn}/index/{}", spec.name),
        space,
        key: KeySchema::new(&spec.key_schema, attributes),
        projection,
        status: IndexStatus::Creating,
        backfill: None,
        throughput: ThroughputDescription { units, ..ThroughputDescription::default() },
        on_demand: spec.on_demand.and_then(bounds),
        warm: warm(mode, units, spec.warm),
        stats: Arc::<Stats>::default(),
    }
}

/// Provisioned units; zeros on demand.
pub(crate) fn units(mode: BillingMode, asked: Option<Throughput>) -> Throughput {
    match mode {
        BillingMode::Provisioned => asked.unwrap_or_default(),
        BillingMode::PayPerRequest => Throughput::default(),
    }
}

/// What a table or an index is ready for: what is asked for, and at least what its mode gives it.
pub(crate) fn warm(mode: BillingMode, units: Throughput, asked: Option<WarmThroughput>) -> WarmThroughput {
    let least = match mode {
        BillingMode::Provisioned => units,
        BillingMode::PayPerRequest => ON_DEMAND_WARM,
    };
    let asked = asked.unwrap_or_default();
    WarmThroughput {
        read: Some(asked.read.unwrap_or(0).max(least.read)),
        write: Some(asked.write.unwrap_or(0).max(least.write)),
    }
}

/// Bounds on demand. A bound of -1 is none, and no bound at all is not described.
pub(crate) fn bounds(asked: OnDemand) -> Option<OnDemand> {
    let bound = |units: Option<i64>| units.filter(|units| *units != -1);
    let bounds = OnDemand { read_max: bound(asked.read_max), write_max: bound(asked.write_max) };
    (bounds != OnDemand::default()).then_some(bounds)
}

/// How a table is encrypted, if it asks for more than the service's own key. Naming the type asks for it too.
pub(crate) fn encryption(asked: &SseSpec) -> Option<SseStatus> {
    let key_arn = match &asked.key {
        _ if !asked.enabled && !asked.kms => return None,
        None => format!("arn:aws:kms:{PLACE}:key/{MANAGED_KEY}"),
        Some(key) if key.starts_with("arn:") => key.clone(),
        Some(alias) if alias.starts_with("alias/") => format!("arn:aws:kms:{PLACE}:{alias}"),
        Some(id) => format!("arn:aws:kms:{PLACE}:key/{id}"),
    };
    Some(SseStatus { enabled: true, key_arn })
}

/// The label and the ARN of a stream that begins now.
pub(crate) fn stream(table_arn: &str, now_ms: u64) -> (String, String) {
    let label = time(now_ms);
    let arn = format!("{table_arn}/stream/{label}");
    (label, arn)
}

/// A time in UTC as stream labels write it: `2026-11-15T21:08:57.123`.
fn time(ms: u64) -> String {
    let (days, in_day_ms) = (ms / 86_400_000, ms % 86_400_000);
    let (year, month, day) = date(days);
    let (hour, minute) = (in_day_ms / 3_600_000, in_day_ms / 60_000 % 60);
    let (second, fraction) = (in_day_ms / 1000 % 60, in_day_ms % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:03}")
}

/// A time in UTC to the second, as errors write it: `2026-11-15T21:08:57Z`.
pub(crate) fn second(ms: u64) -> String {
    let text = time(ms);
    format!("{}Z", text.split('.').next().unwrap_or_default())
}

/// Year, month and day of a count of days since 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_labels() {
        let cases = [
            (0, "1970-01-01T00:00:00.000"),
            (951_782_399_999, "2000-02-28T23:59:59.999"),
            (951_782_400_000, "2000-02-29T00:00:00.000"),
            (1_735_689_599_001, "2024-12-31T23:59:59.001"),
            (1_794_776_861_241, "2026-11-15T21:07:41.241"),
        ];
        for (ms, label) in cases {
            assert_eq!(time(ms), label);
        }
    }

    #[test]
    fn bounds_of_minus_one_are_none() {
        let asked = |read_max, write_max| bounds(OnDemand { read_max, write_max });
        assert_eq!(asked(Some(-1), None), None);
        assert_eq!(asked(Some(5), Some(-1)), Some(OnDemand { read_max: Some(5), write_max: None }));
    }
}
