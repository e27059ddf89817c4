//! The answer of PutItem, UpdateItem and DeleteItem.

use op::WriteOutput;

use crate::consumed;
use crate::value;
use crate::write::Object;

pub(crate) fn encode(output: &WriteOutput, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    if let Some(attributes) = &output.attributes {
        value::write_item(attributes, object.key("Attributes"));
    }
    if let Some(capacity) = &output.capacity {
        consumed::write(capacity, object.key("ConsumedCapacity"));
    }
    if let Some(metrics) = &output.metrics {
        consumed::write_metrics(metrics, object.key("ItemCollectionMetrics"));
    }
    object.end();
}
