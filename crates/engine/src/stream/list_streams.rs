//! ListStreams: in the order of the ARNs, so that a page can go on where the last one ended.

use op::{ListStreams, Output, StreamSummary, Streams};

use super::is_over;
use crate::Engine;

pub(crate) fn run(engine: &Engine, request: &ListStreams) -> Output {
    let now_ms = engine.env.now_ms();
    let mut found: Vec<StreamSummary> = Vec::new();
    for table in engine.catalog.here_and_gone() {
        if request.table.as_ref().is_some_and(|name| *name != table.name) {
            continue;
        }
        let streams = table.log.iter().flat_map(|log| &log.streams);
        found.extend(streams.filter(|stream| !is_over(stream, now_ms)).map(|stream| StreamSummary {
            arn: stream.arn.clone(),
            table: table.name.clone(),
            label: stream.label.clone(),
        }));
    }
    found.sort_by(|a, b| a.arn.cmp(&b.arn));
    if let Some(start) = &request.start {
        found.retain(|stream| stream.arn > *start);
    }
    let more = found.len() > request.limit;
    found.truncate(request.limit);
    let last = found.last().filter(|_| more).map(|stream| stream.arn.clone());
    Output::Streams(Streams { streams: found, last })
}
