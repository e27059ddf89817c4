//! The price list: a dated data file, and the figures of one region. Knows no designs.

use serde_json::Value as Json;

/// The price list that is built in.
const BUILT_IN: &str = include_str!("prices.json");

/// What things cost in one region, in dollars.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    /// The region.
    pub region: String,
    /// The date of the list.
    pub date: String,
    /// `listed`, or `scaled` from the base region.
    pub basis: String,
    /// The hours a month is counted as.
    pub hours: f64,
    /// A read request unit.
    pub read_request: f64,
    /// A write request unit.
    pub write_request: f64,
    /// A read capacity unit for a month.
    pub read_capacity_month: f64,
    /// A write capacity unit for a month.
    pub write_capacity_month: f64,
    /// A gigabyte stored for a month.
    pub storage_gb: f64,
    /// A gigabyte under point-in-time recovery for a month.
    pub recovery_gb: f64,
    /// A gigabyte of an on-demand backup for a month.
    pub backup_gb: f64,
    /// A stream read request.
    pub stream_read: f64,
}

impl Prices {
    /// The built-in list's figures for a region.
    pub fn of(region: &str) -> Result<Prices, String> {
        Prices::parse(BUILT_IN, region)
    }

    /// The regions the built-in list knows.
    pub fn regions() -> Vec<String> {
        let list = serde_json::from_str::<Json>(BUILT_IN).unwrap_or_default();
        list.get("regions")
            .and_then(Json::as_object)
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// A region's figures in a list of the same form as the built-in one.
    pub fn parse(list: &str, region: &str) -> Result<Prices, String> {
        let list: Json =
            serde_json::from_str(list).map_err(|error| format!("the price list is not JSON: {error}"))?;
        let Some(entry) = list.pointer(&format!("/regions/{region}")) else {
            return Err(format!("the price list of {} has no region {region}", text(&list, "/date")?));
        };
        let factor = figure(entry, "/factor")?;
        let base = |name: &str| figure(&list, &format!("/base/{name}")).map(|price| price * factor);
        let hours = figure(&list, "/hours_in_a_month")?;
        Ok(Prices {
            region: region.into(),
            date: text(&list, "/date")?,
            basis: text(entry, "/basis")?,
            hours,
            read_request: base("read_request_million")? / 1e6,
            write_request: base("write_request_million")? / 1e6,
            read_capacity_month: base("read_capacity_hour")? * hours,
            write_capacity_month: base("write_capacity_hour")? * hours,
            storage_gb: base("storage_gb_month")?,
            recovery_gb: base("recovery_gb_month")?,
            backup_gb: base("backup_gb_month")?,
            stream_read: base("stream_read_100_thousand")? / 1e5,
        })
    }

    /// The seconds a month is counted as.
    pub fn seconds(&self) -> f64 {
        self.hours * 3600.0
    }
}

fn figure(json: &Json, pointer: &str) -> Result<f64, String> {
    let found = json.pointer(pointer).and_then(Json::as_f64);
    found.ok_or_else(|| format!("the price list has no number at {pointer}"))
}

fn text(json: &Json, pointer: &str) -> Result<String, String> {
    let found = json.pointer(pointer).and_then(Json::as_str);
    found.map(Into::into).ok_or_else(|| format!("the price list has no text at {pointer}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_region_of_the_list_has_every_figure() {
        for region in Prices::regions() {
            let prices = Prices::of(&region).unwrap();
            assert!(prices.write_request > prices.read_request && prices.read_request > 0.0, "{region}");
        }
        assert!(Prices::of("eu-north-9").unwrap_err().contains("has no region eu-north-9"));
    }

    #[test]
    fn five_and_five_provisioned_is_the_figure_of_the_stock_document() {
        let prices = Prices::of("us-east-1").unwrap();
        let month = 5.0 * (prices.read_capacity_month + prices.write_capacity_month);
        assert!((month - 2.847).abs() < 0.001, "{month}");
    }
}
