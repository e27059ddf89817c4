//! Carries operations out against a store. Knows no JSON, no HTTP, no callers.

mod aside;
mod backup;
mod capacity;
mod catalog;
mod clock;
mod commit;
mod destination;
mod env;
mod expiring;
mod expiry;
mod export;
mod index;
mod inspect;
mod layout;
mod log;
mod marks;
mod page;
mod place;
mod plan;
mod read;
mod recovery;
mod room;
mod schema;
mod setting;
mod stream;
mod table;
mod transfer;
mod work;
mod write;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use op::{Error, Operation, Output};
use parking_lot::{Mutex, RwLockReadGuard};
use storage::{Space, Store, Ticket};

use crate::catalog::{Catalog, TableCell};
use crate::marks::{Mark, Marks};
use crate::schema::Table;
use crate::transfer::Jobs;

pub use aside::{WayAside, wait_by};
pub use clock::{Clock, Face, Stuck, Turn};
pub use destination::{Delivery, Parcel};
pub use env::{Env, SystemEnv};
pub use export::{Begun, Changed, Exported, Progress};
pub use transfer::{
    BulkRun, ExportChange, ExportPage, ExportRow, ExportRun, ImportRun, JobRun, Place, Refused, Report, Row,
    RowCondition,
};
pub use work::Rest;

/// How the engine is to be opened.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the data lies.
    pub store: storage::Config,
    /// Whether tables take their time to be made and changed.
    pub life_cycle: LifeCycle,
}

/// Whether tables take their time to be made and changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LifeCycle {
    /// A table is ACTIVE as soon as it is made.
    #[default]
    Immediate,
    /// Tables pass through CREATING, UPDATING and DELETING with delays, as in the real service.
    Realistic,
}

/// A database.
pub struct Engine {
    store: Arc<Store>,
    env: Arc<dyn Env>,
    life_cycle: LifeCycle,
    catalog: Catalog,
    marks: Marks,
    jobs: Jobs,
    /// Whether changes can be delivered elsewhere.
    delivers: AtomicBool,
    /// How far the sweep of what has expired has come in each space, while it goes on.
    swept: Mutex<BTreeMap<Space, Bytes>>,
}

impl Engine {
    /// Opens the database, making it if it is not there.
    pub fn open(settings: Settings, env: Arc<dyn Env>) -> Result<Engine, storage::Error> {
        let store = Arc::new(Store::open(settings.store)?);
        let catalog = Catalog::open(&store)?;
        log::go_on(&store, &catalog)?;
        let jobs = Jobs::open(&store)?;
        let (life_cycle, marks) = (settings.life_cycle, Marks::default());
        Ok(Engine {
            store,
            env,
            life_cycle,
            catalog,
            marks,
            jobs,
            delivers: AtomicBool::default(),
            swept: Mutex::default(),
        })
    }

    /// Carries an operation out. The answer may be given only after [`Pending::answer`].
    #[expect(clippy::too_many_lines, reason = "one arm an operation, and nothing else")]
    pub fn run(&self, operation: Operation) -> Pending {
        if let Some(refusal) = self.refusal(&operation) {
            return self.read(Err(refusal));
        }
        match operation {
            Operation::BatchGetItem(request) => self.read(read::batch_get_item::run(self, &request)),
            Operation::BatchWriteItem(request) => write::batch_write_item::run(self, request),
            Operation::CancelBulkOperation(request) => transfer::cancel_bulk_operation::run(self, request),
            Operation::CreateBackup(request) => backup::create_backup::run(self, request),
            Operation::CreateTable(request) => table::create_table::run(self, *request),
            Operation::DeleteBackup(request) => backup::delete_backup::run(self, &request),
            Operation::DeleteItem(request) => write::delete_item::run(self, request),
            Operation::DeleteTable(request) => table::delete_table::run(self, &request),
            Operation::DescribeBackup(request) => self.read(backup::describe_backup::run(self, &request)),
            Operation::DescribeBulkOperation(request) => {
                transfer::describe_bulk_operation::run(self, &request)
            }
            Operation::DescribeContinuousBackups(request) => {
                self.read(recovery::describe_continuous_backups::run(self, &request))
            }
            Operation::DescribeEndpoints(request) => self.read(Ok(setting::describe_endpoints::run(request))),
            Operation::DescribeExport(request) => transfer::describe_export::run(self, &request),
            Operation::DescribeImport(request) => transfer::describe_import::run(self, &request),
            Operation::DescribeKinesisStreamingDestination(request) => {
                self.read(destination::describe_kinesis_streaming_destination::run(self, &request))
            }
            Operation::DisableKinesisStreamingDestination(request) => {
                destination::disable_kinesis_streaming_destination::run(self, request)
            }
            Operation::EnableKinesisStreamingDestination(request) => {
                destination::enable_kinesis_streaming_destination::run(self, request)
            }
            Operation::UpdateKinesisStreamingDestination(request) => {
                destination::update_kinesis_streaming_destination::run(self, request)
            }
            Operation::DescribeLimits(_) => self.read(Ok(setting::describe_limits::run())),
            Operation::DescribeStream(request) => self.read(stream::describe_stream::run(self, &request)),
            Operation::DescribeTable(request) => self.read(table::describe_table::run(self, &request)),
            Operation::DescribeTimeToLive(request) => {
                self.read(setting::describe_time_to_live::run(self, &request))
            }
            Operation::ExportTableToPointInTime(request) => {
                transfer::export_table_to_point_in_time::run(self, *request)
            }
            Operation::GetItem(request) => self.read(read::get_item::run(self, &request)),
            Operation::GetRecords(request) => self.read(stream::get_records::run(self, &request)),
            Operation::GetShardIterator(request) => {
                self.read(stream::get_shard_iterator::run(self, &request))
            }
            Operation::ImportTable(request) => transfer::import_table::run(self, *request),
            Operation::ListBulkOperations(request) => transfer::list_bulk_operations::run(self, &request),
            Operation::ListExports(request) => transfer::list_exports::run(self, &request),
            Operation::ListImports(request) => transfer::list_imports::run(self, &request),
            Operation::ListBackups(request) => self.read(Ok(backup::list_backups::run(self, &request))),
            Operation::ListStreams(request) => self.read(Ok(stream::list_streams::run(self, &request))),
            Operation::ListTables(request) => self.read(Ok(table::list_tables::run(self, &request))),
            Operation::ListTagsOfResource(request) => {
                self.read(setting::list_tags_of_resource::run(self, &request))
            }
            Operation::PutItem(request) => write::put_item::run(self, request),
            Operation::Query(request) => self.read(read::query::run(self, &request)),
            Operation::RestoreTableFromBackup(request) => {
                backup::restore_table_from_backup::run(self, *request)
            }
            Operation::RestoreTableToPointInTime(request) => {
                recovery::restore_table_to_point_in_time::run(self, *request)
            }
            Operation::Scan(request) => self.read(read::scan::run(self, &request)),
            Operation::StartBulkPutItems(request) => transfer::start_bulk_put_items::run(self, *request),
            Operation::TagResource(request) => setting::tag_resource::run(self, request),
            Operation::TransactGetItems(request) => self.read(read::transact_get_items::run(self, &request)),
            Operation::TransactWriteItems(request) => write::transact_write_items::run(self, request),
            Operation::UntagResource(request) => setting::untag_resource::run(self, &request),
            Operation::UpdateContinuousBackups(request) => {
                recovery::update_continuous_backups::run(self, &request)
            }
            Operation::UpdateItem(request) => write::update_item::run(self, request),
            Operation::UpdateTable(request) => table::update_table::run(self, *request),
            Operation::UpdateTimeToLive(request) => setting::update_time_to_live::run(self, request),
        }
    }

    /// Waits while so many changes are on their way to the disk that more would only cost memory. Who does not wait here
    /// before writing waits in `run`, and blocks the thread.
    pub async fn room(&self) {
        while let Some(ticket) = self.store.backlog() {
            if self.store.durable(ticket).await.is_err() {
                // The write itself tells what is wrong.
                return;
            }
        }
    }

    /// Ends cleanly: what is known is written down, and nothing is accepted any more.
    pub fn close(&self) -> Result<(), storage::Error> {
        self.catalog.close(&self.store)?;
        self.store.close()
    }

    /// What a read found: the store shows only what is durable, so there is nothing to wait for.
    fn read(&self, result: Result<Output, Error>) -> Pending {
        self.pending(result, Ticket::NONE)
    }

    fn pending(&self, result: Result<Output, Error>, ticket: Ticket) -> Pending {
        Pending { store: Arc::clone(&self.store), result, ticket, mark: None }
    }

    /// The place of a table's definition, for those who write items: they hold it while they plan and commit, so that
    /// no change of the table comes between.
    fn cell(&self, name: &str) -> Result<Arc<TableCell>, Error> {
        self.catalog.cell(name).ok_or_else(Error::no_table)
    }

    /// A table that items can be read from.
    fn table(&self, name: &str) -> Result<Arc<Table>, Error> {
        let table = Arc::clone(&self.cell(name)?.read());
        plan::usable(&table)?;
        Ok(table)
    }

    /// The places of several tables' definitions, each once, in the order of their names.
    fn cells<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<BTreeMap<String, Arc<TableCell>>, Error> {
        names.map(|name| Ok((name.to_string(), self.cell(name)?))).collect()
    }

    /// Holds several tables' definitions. They are taken in the order of their names, so that two who hold many cannot
    /// wait for each other.
    fn usable<'a>(&self, cells: &'a BTreeMap<String, Arc<TableCell>>) -> Result<Tables<'a>, Error> {
        let tables: BTreeMap<&str, _> =
            cells.iter().map(|(name, cell)| (name.as_str(), cell.read())).collect();
        for table in tables.values() {
            plan::usable(table)?;
        }
        Ok(Tables(tables))
    }
}

/// Several tables' definitions, held.
struct Tables<'a>(BTreeMap<&'a str, RwLockReadGuard<'a, Arc<Table>>>);

impl Tables<'_> {
    fn get(&self, name: &str) -> Result<&Table, Error> {
        self.0.get(name).map(|table| table.as_ref()).ok_or_else(Error::no_table)
    }
}

/// An answer that waits until everything it rests on is durable.
#[must_use = "an answer is due only when it is durable"]
pub struct Pending {
    store: Arc<Store>,
    result: Result<Output, Error>,
    ticket: Ticket,
    /// Keeps other transactions off the items until this one is durable.
    mark: Option<Mark>,
}

impl Pending {
    /// The answer, once it may be given.
    pub async fn answer(self) -> Result<Output, Error> {
        let settled = self.store.durable(self.ticket).await;
        drop(self.mark);
        settled.map_err(internal)?;
        self.result
    }

    /// The same for a caller that may block.
    pub fn wait(self) -> Result<Output, Error> {
        let settled = self.store.wait(self.ticket);
        drop(self.mark);
        settled.map_err(internal)?;
        self.result
    }
}

/// A fault of the store is logged here and told to the caller as a fault of ours; a space that is gone belonged to a
/// table that was deleted a moment ago, and a folder takes only so many tables and indexes.
fn internal(error: storage::Error) -> Error {
    if matches!(error, storage::Error::NoSpace { .. }) {
        return Error::no_table();
    }
    if let storage::Error::TooManySpaces { max } = error {
        let message = format!(
            "Subscriber limit exceeded: There is a limit of {max} tables and indexes in one data folder"
        );
        return Error::new(op::Kind::LimitExceeded, message);
    }
    tracing::error!(%error, "the store failed");
    Error::internal()
}
