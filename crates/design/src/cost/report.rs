//! A bill as text and as JSON, and two bills side by side. Works nothing out itself.

use std::fmt;

use serde_json::{Value as Json, json};

use super::{Capacity, PatternCost, Report, TableCost};

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width =
            self.patterns.iter().map(|pattern| pattern.name.chars().count()).max().unwrap_or(7).max(7);
        writeln!(
            out,
            "{:width$}  {:>9}  {:>7}  {:>13}  {:>10}",
            "pattern", "ops/s", "RRU/op", "WRU/op(+index)", "$/month"
        )?;
        for pattern in &self.patterns {
            writeln!(
                out,
                "{:width$}  {:>9}  {:>7}  {:>14}  {:>10}{}",
                pattern.name,
                figure(pattern.rate),
                figure(pattern.units.read()),
                figure(pattern.units.write()),
                dollars(pattern.dollars),
                amplification(pattern)
            )?;
        }
        writeln!(out)?;
        for table in &self.tables {
            write_table(out, table)?;
        }
        writeln!(
            out,
            "total {}/month as designed; {} on demand, {} provisioned",
            dollars(self.total()),
            dollars(self.total_on_demand()),
            dollars(self.total_provisioned())
        )?;
        let (region, date) = (&self.prices.region, &self.prices.date);
        writeln!(
            out,
            "({region}, {} prices of {date}, free tier not applied, {} hours a month)",
            self.prices.basis, self.prices.hours
        )?;
        for (limit, _) in self.thresholds.iter().filter(|(_, is_reached)| *is_reached) {
            writeln!(out, "! reaches the ${limit} billing threshold")?;
        }
        if let Some((limit, _)) = self.thresholds.iter().find(|(_, is_reached)| !is_reached) {
            writeln!(out, "under the ${limit} billing threshold")?;
        }
        for note in &self.notes {
            writeln!(out, "note: {note}")?;
        }
        Ok(())
    }
}

impl Report {
    /// The bill as JSON.
    pub fn to_json(&self) -> Json {
        let thresholds = self.thresholds.iter();
        json!({
            "design": self.design,
            "environment": self.environment,
            "region": self.prices.region,
            "prices": {"date": self.prices.date, "basis": self.prices.basis, "hours_in_a_month": self.prices.hours},
            "patterns": self.patterns.iter().map(pattern_json).collect::<Vec<_>>(),
            "tables": self.tables.iter().map(table_json).collect::<Vec<_>>(),
            "total": round(self.total()),
            "total_on_demand": round(self.total_on_demand()),
            "total_provisioned": round(self.total_provisioned()),
            "thresholds": thresholds.map(|(limit, is_reached)| json!({"dollars": limit, "reached": is_reached})).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }
}

/// Two bills side by side.
#[derive(Debug, Clone)]
pub struct Comparison {
    lines: Vec<(String, Option<f64>, Option<f64>)>,
}

/// Compares the bill of a design with that of a variant.
pub fn what_if(now: &Report, then: &Report) -> Comparison {
    let mut lines = Vec::new();
    let of = |report: &Report, name: &str| {
        report.patterns.iter().find(|pattern| pattern.name == name).map(|pattern| pattern.dollars)
    };
    for pattern in &now.patterns {
        lines.push((pattern.name.clone(), Some(pattern.dollars), of(then, &pattern.name)));
    }
    for pattern in then.patterns.iter().filter(|pattern| of(now, &pattern.name).is_none()) {
        lines.push((pattern.name.clone(), None, Some(pattern.dollars)));
    }
    let storage = |report: &Report| Some(report.tables.iter().map(|table| table.storage).sum());
    let recovery = |report: &Report| Some(report.tables.iter().filter_map(|table| table.recovery).sum());
    lines.push(("storage".into(), storage(now), storage(then)));
    lines.push(("recovery".into(), recovery(now), recovery(then)));
    lines.push(("total on demand".into(), Some(now.total_on_demand()), Some(then.total_on_demand())));
    lines.push(("total provisioned".into(), Some(now.total_provisioned()), Some(then.total_provisioned())));
    lines.push(("total as designed".into(), Some(now.total()), Some(then.total())));
    Comparison { lines }
}

impl Comparison {
    /// The comparison as JSON.
    pub fn to_json(&self) -> Json {
        let line = |(name, now, then): &(String, Option<f64>, Option<f64>)| json!({"name": name, "now": now.map(round), "what_if": then.map(round)});
        Json::Array(self.lines.iter().map(line).collect())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.lines.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or_default();
        writeln!(out, "{:width$}  {:>10}  {:>10}  {:>11}", "$/month", "now", "what if", "difference")?;
        for (name, now, then) in &self.lines {
            let cell = |value: &Option<f64>| value.map_or("-".into(), dollars);
            let change = then.unwrap_or_default() - now.unwrap_or_default();
            let sign = if change > 0.0 { "+" } else { "" };
            let change = if change.abs() < 5e-7 { "=".into() } else { format!("{sign}{}", dollars(change)) };
            writeln!(out, "{name:width$}  {:>10}  {:>10}  {change:>11}", cell(now), cell(then))?;
        }
        Ok(())
    }
}

/// Dollars with as many digits as say something.
pub(crate) fn dollars(amount: f64) -> String {
    let digits = match amount.abs() {
        size if size >= 0.995 || size == 0.0 => 2,
        size if size >= 0.01 => 3,
        _ => 5,
    };
    let sign = if amount < 0.0 { "-" } else { "" };
    format!("{sign}${:.digits$}", amount.abs())
}

/// A figure without needless zeros.
pub(crate) fn figure(amount: f64) -> String {
    let digits = match amount {
        size if size >= 100.0 => 0,
        size if size >= 1.0 => 2,
        _ => 5,
    };
    let text = format!("{amount:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// `1 table + 1 GSI1`, when a write also pays for indexes.
pub(crate) fn amplification(pattern: &PatternCost) -> String {
    let writes: Vec<String> = pattern
        .units
        .uses
        .iter()
        .filter(|used| used.write > 0.0)
        .map(|used| format!("{} {}", figure(used.write), used.index.as_deref().unwrap_or("table")))
        .collect();
    if writes.len() < 2 { String::new() } else { format!("  ({})", writes.join(" + ")) }
}

fn write_table(out: &mut fmt::Formatter<'_>, table: &TableCost) -> fmt::Result {
    let mode = if table.is_provisioned { "provisioned" } else { "on demand" };
    writeln!(out, "{} ({mode})", table.id)?;
    let items = figure(table.items);
    writeln!(
        out,
        "  storage      {:>10}  {items} items, {} with indexes and 100 B each",
        dollars(table.storage),
        bytes(table.gigabytes)
    )?;
    if let Some(recovery) = table.recovery {
        writeln!(out, "  recovery     {:>10}  point in time", dollars(recovery))?;
    }
    writeln!(out, "  on demand    {:>10}", dollars(table.on_demand))?;
    writeln!(out, "  provisioned  {:>10}  {}", dollars(table.provisioned), capacities(&table.capacity))?;
    if let Some(stream) = table.stream_consumer {
        writeln!(
            out,
            "  stream       {:>10}  for each consumer but Lambda that reads once a second; not in the total",
            dollars(stream)
        )?;
    }
    writeln!(
        out,
        "  backup       {:>10}  for each full copy kept a month; not in the total",
        dollars(table.backup)
    )?;
    if table.expired > 0.0 {
        let saved = dollars(table.expired_saving);
        writeln!(
            out,
            "  expiry       {:>10}  {} items a month; DeleteItem would cost {saved}",
            "free",
            figure(table.expired)
        )?;
    }
    Ok(())
}

fn capacities(capacity: &[Capacity]) -> String {
    let one = |capacity: &Capacity| {
        let name = capacity.index.as_deref().unwrap_or("table");
        let given = if capacity.is_given { " as given" } else { "" };
        format!("{name} {}/{}{given}", figure(capacity.read), figure(capacity.write))
    };
    capacity.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Gigabytes in the unit that reads best.
pub(crate) fn bytes(gigabytes: f64) -> String {
    for (unit, size) in [("GB", 1.0), ("MB", 1024.0), ("KB", 1024.0 * 1024.0)] {
        if gigabytes * size >= 1.0 {
            return format!("{:.2} {unit}", gigabytes * size);
        }
    }
    format!("{:.0} B", gigabytes * 1024.0 * 1024.0 * 1024.0)
}

fn pattern_json(pattern: &PatternCost) -> Json {
    let used = |used: &super::Use| json!({"table": used.table, "index": used.index, "read": used.read, "write": used.write});
    json!({
        "name": pattern.name,
        "rps": round(pattern.rate),
        "read_units": pattern.units.read(),
        "write_units": pattern.units.write(),
        "uses": pattern.units.uses.iter().map(used).collect::<Vec<_>>(),
        "dollars": round(pattern.dollars),
        "notes": pattern.units.notes,
    })
}

fn table_json(table: &TableCost) -> Json {
    let capacity = |capacity: &Capacity| json!({"index": capacity.index, "read": capacity.read, "write": capacity.write, "given": capacity.is_given});
    json!({
        "table": table.id,
        "billing": if table.is_provisioned { "PROVISIONED" } else { "PAY_PER_REQUEST" },
        "items": round(table.items),
        "gigabytes": table.gigabytes,
        "on_demand": round(table.on_demand),
        "provisioned": round(table.provisioned),
        "capacity": table.capacity.iter().map(capacity).collect::<Vec<_>>(),
        "storage": round(table.storage),
        "recovery": table.recovery.map(round),
        "stream_consumer": table.stream_consumer.map(round),
        "backup": round(table.backup),
        "expired_items": round(table.expired),
        "expired_saving": round(table.expired_saving),
    })
}

/// Six digits after the point: fractions of a cent matter for small designs, floating dust does not.
fn round(amount: f64) -> f64 {
    (amount * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_digits_that_say_something() {
        for (amount, expected) in
            [(0.0, "$0.00"), (0.0038, "$0.00380"), (0.123, "$0.123"), (2.847, "$2.85"), (-1.5, "-$1.50")]
        {
            assert_eq!(dollars(amount), expected);
        }
        for (amount, expected) in [(0.5, "0.5"), (3.0, "3"), (0.011574, "0.01157"), (1234.5, "1234")] {
            assert_eq!(figure(amount), expected);
        }
    }
}
