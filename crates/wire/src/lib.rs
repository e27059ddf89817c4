//! Turns JSON bodies into operations that are valid on their own, and answers and errors into JSON bodies.
//! Knows no sockets, no HTTP library, no store and no table that exists.

mod base64;
mod batch;
mod common;
mod consumed;
mod fault;
mod fields;
mod json;
mod legacy;
mod page;
mod request;
mod respond;
mod rule;
mod setting;
mod shape;
mod single;
mod table;
mod target;
mod transact;
mod value;
mod write;

use op::{Error, Kind, Name, Operation};

pub use respond::{encode, encode_error};
pub use target::target;

/// Reads the body of a request. `host` is what the request was sent to, which DescribeEndpoints answers with.
pub fn decode(name: Name, body: &[u8], host: &str) -> Result<Operation, Error> {
    match name {
        Name::BatchGetItem => batch::batch_get_item::REQUEST
            .decode(body, batch::batch_get_item::decode)
            .map(Operation::BatchGetItem),
        Name::BatchWriteItem => batch::batch_write_item::REQUEST
            .decode(body, batch::batch_write_item::decode)
            .map(Operation::BatchWriteItem),
        Name::DeleteItem => {
            single::delete_item::REQUEST.decode(body, single::delete_item::decode).map(Operation::DeleteItem)
        }
        Name::GetItem => {
            single::get_item::REQUEST.decode(body, single::get_item::decode).map(Operation::GetItem)
        }
        Name::PutItem => {
            single::put_item::REQUEST.decode(body, single::put_item::decode).map(Operation::PutItem)
        }
        Name::UpdateItem => {
            single::update_item::REQUEST.decode(body, single::update_item::decode).map(Operation::UpdateItem)
        }
        Name::Query => page::query::REQUEST
            .decode(body, page::query::decode)
            .map(|query| Operation::Query(Box::new(query))),
        Name::Scan => {
            page::scan::REQUEST.decode(body, page::scan::decode).map(|scan| Operation::Scan(Box::new(scan)))
        }
        Name::TransactGetItems => transact::transact_get_items::REQUEST
            .decode(body, transact::transact_get_items::decode)
            .map(Operation::TransactGetItems),
        Name::TransactWriteItems => transact::transact_write_items::REQUEST
            .decode(body, transact::transact_write_items::decode)
            .map(Operation::TransactWriteItems),
        other => decode_table(other, body, host),
    }
}

fn decode_table(name: Name, body: &[u8], host: &str) -> Result<Operation, Error> {
    match name {
        Name::CreateTable => table::create_table::REQUEST
            .decode(body, table::create_table::decode)
            .map(|request| Operation::CreateTable(Box::new(request))),
        Name::UpdateTable => table::update_table::REQUEST
            .decode(body, table::update_table::decode)
            .map(|request| Operation::UpdateTable(Box::new(request))),
        Name::DeleteTable => {
            table::delete_table::REQUEST.decode(body, table::delete_table::decode).map(Operation::DeleteTable)
        }
        Name::DescribeTable => table::describe_table::REQUEST
            .decode(body, table::describe_table::decode)
            .map(Operation::DescribeTable),
        Name::ListTables => {
            table::list_tables::REQUEST.decode(body, table::list_tables::decode).map(Operation::ListTables)
        }
        other => decode_setting(other, body, host),
    }
}

fn decode_setting(name: Name, body: &[u8], host: &str) -> Result<Operation, Error> {
    use setting::{
        describe_continuous_backups, describe_endpoints, describe_limits, describe_time_to_live,
        list_tags_of_resource, tag_resource, untag_resource, update_time_to_live,
    };
    match name {
        Name::DescribeContinuousBackups => describe_continuous_backups::REQUEST
            .decode(body, describe_continuous_backups::decode)
            .map(Operation::DescribeContinuousBackups),
        Name::DescribeEndpoints => describe_endpoints::REQUEST
            .decode(body, |_| Ok(describe_endpoints::decode(host)))
            .map(Operation::DescribeEndpoints),
        Name::DescribeLimits => {
            describe_limits::REQUEST.decode(body, |_| Ok(op::DescribeLimits)).map(Operation::DescribeLimits)
        }
        Name::DescribeTimeToLive => describe_time_to_live::REQUEST
            .decode(body, describe_time_to_live::decode)
            .map(Operation::DescribeTimeToLive),
        Name::ListTagsOfResource => list_tags_of_resource::REQUEST
            .decode(body, list_tags_of_resource::decode)
            .map(Operation::ListTagsOfResource),
        Name::TagResource => {
            tag_resource::REQUEST.decode(body, tag_resource::decode).map(Operation::TagResource)
        }
        Name::UntagResource => {
            untag_resource::REQUEST.decode(body, untag_resource::decode).map(Operation::UntagResource)
        }
        Name::UpdateTimeToLive => update_time_to_live::REQUEST
            .decode(body, update_time_to_live::decode)
            .map(Operation::UpdateTimeToLive),
        _ => Err(Error::new(Kind::UnknownOperation, "")),
    }
}
