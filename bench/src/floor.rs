//! The floor: hyper 1 on tokio with two workers, as most servers in Rust are made, answering prepared bytes with no work.
//!
//! It reads the whole request body, looks at the operation's name to pick the answer's size, and knows nothing else.
//! What a database needs above this is its own.

use crate::random::Letters;
use crate::workload::Workload;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::net::TcpListener;

const WORKERS: usize = 2;

/// Serves until it is killed.
pub(crate) fn serve(port: u16) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?;
    runtime.block_on(accept(port))
}

type Answers = Arc<Vec<(&'static str, Bytes)>>;

async fn accept(port: u16) -> std::io::Result<()> {
    let letters = Letters::new();
    let answers: Answers = Arc::new(
        Workload::ALL.map(|workload| (workload.operation(), Bytes::from(workload.answer(&letters)))).to_vec(),
    );
    let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, port)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let answers = Arc::clone(&answers);
        tokio::spawn(async move {
            let service = service_fn(move |request| answer(request, Arc::clone(&answers)));
            let connection = hyper::server::conn::http1::Builder::new();
            // A client that hangs up in the middle is no concern of a floor.
            let _closed = connection.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(request: Request<Incoming>, answers: Answers) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let _body = body.collect().await;
    let target = head.headers.get("x-amz-target").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let operation = target.rsplit('.').next().unwrap_or_default();
    let found = answers.iter().find(|(name, _)| *name == operation);
    let bytes = found.map_or(Bytes::from_static(b"{}"), |(_, bytes)| bytes.clone());
    let mut response = Response::new(Full::new(bytes));
    let headers = response.headers_mut();
    headers.insert("content-type", hyper::header::HeaderValue::from_static("application/x-amz-json-1.0"));
    headers.insert("x-amz-crc32", hyper::header::HeaderValue::from_static("2745614147"));
    headers.insert(
        "x-amzn-requestid",
        hyper::header::HeaderValue::from_static("0000000000000000000000000000000000000000000000000000"),
    );
    Ok(response)
}
