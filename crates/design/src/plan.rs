//! What would have to be done to make tables as a design says: steps in order, and what stands in their way.
//! Asks an endpoint what is there; changes nothing.

mod index;
mod setting;
pub(crate) mod words;

use serde_json::{Value as Json, json};

use crate::model::{Design, Environment, Table};
use crate::physical;
use client::live::{self, Live};
use client::{Endpoint, Failure};

/// The plan for one table.
#[derive(Debug, Clone)]
pub struct TablePlan {
    /// The table's logical id.
    pub id: String,
    /// The table's name.
    pub name: String,
    /// Its status; none if it is not there.
    pub status: Option<String>,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// What cannot be done, and why.
    pub blocked: Vec<String>,
    /// What is left as it is, and why.
    pub notes: Vec<String>,
    /// What the endpoint lacks.
    pub lacks: Vec<String>,
}

/// One request of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The operation.
    pub operation: &'static str,
    /// Its body.
    pub body: Json,
    /// What it changes, such as `+ GSI2`.
    pub summary: String,
    /// What to know about it.
    pub note: String,
    /// Whether data or a way to it is lost.
    pub is_destructive: bool,
    /// What must hold before the next step.
    pub until: Until,
}

/// What must hold before the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Until {
    /// Nothing.
    Answered,
    /// The table is ACTIVE and so are all its indexes.
    Active,
    /// The table is gone.
    Gone,
}

/// Whether something may be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Nothing may be dropped.
    Refused,
    /// Indexes, streams and tables may be dropped.
    Allowed,
}

impl TablePlan {
    /// Whether there is nothing to do.
    pub fn is_done(&self) -> bool {
        self.steps.is_empty() && self.blocked.is_empty()
    }

    fn push(
        &mut self,
        operation: &'static str,
        body: Json,
        summary: impl Into<String>,
        note: impl Into<String>,
    ) {
        let is_update = operation == "UpdateTable";
        let until = if is_update { Until::Active } else { Until::Answered };
        let (summary, note) = (summary.into(), note.into());
        self.steps.push(Step { operation, body, summary, note, is_destructive: false, until });
    }

    fn push_loss(&mut self, operation: &'static str, body: Json, summary: impl Into<String>, until: Until) {
        let (summary, note) = (summary.into(), "what it held is lost".to_owned());
        self.steps.push(Step { operation, body, summary, note, is_destructive: true, until });
    }
}

/// Compares a design with what an endpoint has.
pub fn plan(
    design: &Design,
    environment: &Environment,
    endpoint: &dyn Endpoint,
    loss: Loss,
) -> Result<Vec<TablePlan>, Failure> {
    design.tables.iter().map(|table| one(design, environment, table, endpoint, loss)).collect()
}

fn one(
    design: &Design,
    environment: &Environment,
    table: &Table,
    endpoint: &dyn Endpoint,
    loss: Loss,
) -> Result<TablePlan, Failure> {
    let properties = physical::properties(design, environment, table);
    let wanted = Wanted {
        table,
        create: physical::create_table(design, environment, table),
        name: physical::table_name(design, environment, table),
        properties,
    };
    let live = live::look(endpoint, &wanted.name)?;
    let mut plan = TablePlan {
        id: table.id.value.clone(),
        name: wanted.name.clone(),
        status: live.as_ref().map(|live| live.status().to_owned()),
        steps: Vec::new(),
        blocked: Vec::new(),
        notes: physical::left_out(table, &wanted.properties),
        lacks: Vec::new(),
    };
    let Some(live) = live else {
        create(&wanted, &mut plan);
        return Ok(plan);
    };
    if let Some(why) = index::unchangeable(&wanted, &live) {
        if loss == Loss::Refused {
            plan.blocked.push(why);
            return Ok(plan);
        }
        plan.push_loss(
            "DeleteTable",
            json!({ "TableName": wanted.name }),
            format!("- the whole table: {why}"),
            Until::Gone,
        );
        create(&wanted, &mut plan);
        return Ok(plan);
    }
    setting::billing(&wanted, &live, &mut plan);
    index::global(&wanted, &live, loss, &mut plan);
    setting::all(&wanted, &live, loss, endpoint.is_service(), &mut plan);
    Ok(plan)
}

/// What the design says of one table.
struct Wanted<'a> {
    table: &'a Table,
    name: String,
    properties: Json,
    create: Json,
}

/// A table that is not there: CreateTable makes all its indexes at once.
fn create(wanted: &Wanted<'_>, plan: &mut TablePlan) {
    let indexes = ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"];
    let indexes: usize =
        indexes.iter().filter_map(|name| physical::list(&wanted.create, name)).map(Vec::len).sum();
    let summary = match indexes {
        0 => "+ table".to_owned(),
        1 => "+ table with 1 index".to_owned(),
        many => format!("+ table with {many} indexes"),
    };
    plan.push("CreateTable", wanted.create.clone(), summary, "");
    if let Some(step) = plan.steps.last_mut() {
        step.until = Until::Active;
    }
    setting::of_new(wanted, plan);
}

/// Where the description of a live table says what a member of the request says.
fn described<'a>(live: &'a Live, path: &[&str]) -> Option<&'a Json> {
    path.iter().try_fold(&live.description, |value, name| value.get(*name))
}
