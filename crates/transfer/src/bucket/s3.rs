//! A bucket of an S3-compatible store. Knows no formats.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStoreExt, PutPayload, RetryConfig};

use crate::bucket::bridge::{Awaited, Bridge};
use crate::bucket::{Download, Encryption, Listing, ObjectInfo};
use crate::error::{Error, ErrorKind, Result};

/// Objects up to this size are sent at once, larger ones in parts of it. A store takes 10,000 parts.
const PART_BYTES: usize = 8 * 1024 * 1024;
/// How many objects a store lists at once.
const PAGE: usize = 1000;

/// How an S3-compatible store is reached.
#[derive(Clone)]
pub struct S3Settings {
    /// The store's address; without one it is S3 itself.
    pub endpoint: Option<String>,
    /// The region requests are signed for.
    pub region: String,
    /// The access key's id.
    pub access_key_id: String,
    /// The secret of the access key.
    pub secret_access_key: String,
    /// The token of credentials that end.
    pub session_token: Option<String>,
    /// Whether the bucket is a part of the host's name instead of the path.
    pub virtual_hosted: bool,
}

/// Secrets are not shown.
impl fmt::Debug for S3Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("S3Settings")
            .field("endpoint", &self.endpoint)
            .field("region", &self.region)
            .field("access_key_id", &self.access_key_id)
            .finish_non_exhaustive()
    }
}

/// A bucket of a store.
#[derive(Debug, Clone)]
pub(super) struct S3 {
    store: Arc<AmazonS3>,
    bridge: Arc<Bridge>,
}

impl S3 {
    pub(super) fn open(
        settings: &S3Settings,
        name: &str,
        encryption: &Encryption,
        bridge: Arc<Bridge>,
    ) -> Result<S3> {
        // The first to ask decides for the whole process; a second one finds what it wants.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(name)
            .with_region(&settings.region)
            .with_access_key_id(&settings.access_key_id)
            .with_secret_access_key(&settings.secret_access_key)
            .with_allow_http(true)
            .with_virtual_hosted_style_request(settings.virtual_hosted)
            .with_retry(RetryConfig {
                max_retries: 5,
                retry_timeout: Duration::from_secs(60),
                ..RetryConfig::default()
            });
        if let Some(endpoint) = &settings.endpoint {
            builder = builder.with_endpoint(endpoint.trim_end_matches('/'));
        }
        if let Some(token) = &settings.session_token {
            builder = builder.with_token(token);
        }
        let server_side: AmazonS3ConfigKey = "aws_server_side_encryption".parse().map_err(refused)?;
        builder = match encryption {
            Encryption::Default => builder,
            Encryption::Aes256 => builder.with_config(server_side, "AES256"),
            Encryption::Kms(None) => builder.with_config(server_side, "aws:kms"),
            Encryption::Kms(Some(key)) => builder.with_sse_kms_encryption(key),
        };
        Ok(S3 { store: Arc::new(builder.build().map_err(refused)?), bridge })
    }

    pub(super) fn list(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Listing> {
        let options = PaginatedListOptions {
            offset: after.map(str::to_owned),
            max_keys: Some(limit.min(PAGE)),
            ..PaginatedListOptions::default()
        };
        let (store, prefix) = (Arc::clone(&self.store), prefix.to_owned());
        let page = self.bridge.run(async move {
            store
                .list_paginated(Some(&prefix).filter(|text| !text.is_empty()).map(String::as_str), options)
                .await
        })?;
        // Whoever lists asks for no key, so what is missing is the bucket.
        let page = page.map_err(refused).map_err(no_bucket)?;
        let mut objects: Vec<ObjectInfo> = page
            .result
            .objects
            .into_iter()
            .map(|meta| ObjectInfo {
                key: meta.location.to_string(),
                size: meta.size,
                etag: meta.e_tag.map(unquoted),
            })
            .collect();
        objects.sort_by(|left, right| left.key.cmp(&right.key));
        Ok(Listing { objects, more: page.page_token.is_some() })
    }

    pub(super) fn head(&self, key: &str) -> Result<ObjectInfo> {
        let (store, path) = (Arc::clone(&self.store), path(key)?);
        let meta = self.bridge.run(async move { store.head(&path).await })?.map_err(refused)?;
        Ok(ObjectInfo { key: key.to_owned(), size: meta.size, etag: meta.e_tag.map(unquoted) })
    }

    pub(super) fn download(&self, key: &str) -> Result<Download> {
        let (store, path) = (Arc::clone(&self.store), path(key)?);
        let got = self.bridge.run(async move { store.get(&path).await })?.map_err(refused)?;
        let size = got.meta.size;
        let awaited = self.bridge.start(next(got.into_stream()))?;
        let bytes =
            StoreDownload { bridge: Arc::clone(&self.bridge), awaited: Some(awaited), chunk: Bytes::new() };
        Ok(Download { size, bytes: Box::new(bytes) })
    }

    pub(super) fn upload(&self, key: &str) -> Result<StoreUpload> {
        Ok(StoreUpload {
            key: key.to_owned(),
            path: path(key)?,
            bucket: self.clone(),
            size: 0,
            part: Vec::new(),
            parts: None,
        })
    }
}

type Chunks = BoxStream<'static, object_store::Result<Bytes>>;

async fn next(mut chunks: Chunks) -> (Chunks, Option<object_store::Result<Bytes>>) {
    let chunk = chunks.next().await;
    (chunks, chunk)
}

/// An object whose next bytes are fetched while the last ones are read.
struct StoreDownload {
    bridge: Arc<Bridge>,
    awaited: Option<Awaited<(Chunks, Option<object_store::Result<Bytes>>)>>,
    chunk: Bytes,
}

impl Read for StoreDownload {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() {
            let Some(awaited) = self.awaited.take() else { return Ok(0) };
            let (chunks, chunk) = awaited.wait()?;
            match chunk {
                None => return Ok(0),
                Some(chunk) => self.chunk = chunk.map_err(refused)?,
            }
            self.awaited = Some(self.bridge.start(next(chunks))?);
        }
        let count = buffer.len().min(self.chunk.len());
        self.chunk.copy_to_slice(buffer.get_mut(..count).unwrap_or_default());
        Ok(count)
    }
}

/// An object that is sent in parts once it is too large to be sent at once.
pub(super) struct StoreUpload {
    key: String,
    path: Path,
    bucket: S3,
    size: u64,
    part: Vec<u8>,
    parts: Option<Box<dyn MultipartUpload>>,
}

impl StoreUpload {
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.part.len() >= PART_BYTES {
            self.send_part()?;
        }
        let count = bytes.len().min(PART_BYTES - self.part.len());
        self.part.extend_from_slice(bytes.get(..count).unwrap_or_default());
        self.size += count as u64;
        Ok(count)
    }

    pub(super) fn finish(mut self) -> Result<ObjectInfo> {
        let result = if self.parts.is_some() {
            if !self.part.is_empty() {
                self.send_part()?;
            }
            let Some(mut parts) = self.parts.take() else {
                return Err(Error::new(ErrorKind::Store, "The upload was given up"));
            };
            self.bucket.bridge.run(async move { parts.complete().await })?
        } else {
            let (store, path) = (Arc::clone(&self.bucket.store), self.path.clone());
            let payload = PutPayload::from(std::mem::take(&mut self.part));
            self.bucket.bridge.run(async move { store.put(&path, payload).await })?
        };
        let result = result.map_err(refused).map_err(no_bucket)?;
        Ok(ObjectInfo {
            key: std::mem::take(&mut self.key),
            size: self.size,
            etag: result.e_tag.map(unquoted),
        })
    }

    fn send_part(&mut self) -> Result<()> {
        let mut parts = match self.parts.take() {
            Some(parts) => parts,
            None => {
                let (store, path) = (Arc::clone(&self.bucket.store), self.path.clone());
                let begun = self.bucket.bridge.run(async move { store.put_multipart(&path).await })?;
                begun.map_err(refused).map_err(no_bucket)?
            }
        };
        let sent = parts.put_part(PutPayload::from(std::mem::take(&mut self.part)));
        self.parts = Some(parts);
        self.bucket.bridge.run(sent)?.map_err(refused)
    }
}

impl Drop for StoreUpload {
    fn drop(&mut self) {
        if let Some(mut parts) = self.parts.take() {
            // Parts that are not removed cost space but are no object; the store's own rules sweep them.
            let _ = self.bucket.bridge.start(async move { parts.abort().await });
        }
    }
}

fn path(key: &str) -> Result<Path> {
    Path::parse(key).map_err(|error| Error::new(ErrorKind::BadName, error.to_string()))
}

fn unquoted(etag: String) -> String {
    etag.trim_matches('"').to_owned()
}

/// What a store's refusal means.
fn refused(error: object_store::Error) -> Error {
    let message = error.to_string();
    let kind = if message.contains("NoSuchBucket") {
        ErrorKind::NoBucket
    } else if let object_store::Error::NotFound { .. } = error {
        ErrorKind::NoObject
    } else if matches!(
        error,
        object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. }
    ) {
        ErrorKind::Denied
    } else {
        ErrorKind::Store
    };
    Error::new(kind, message)
}

/// For requests that name no object which could be missing.
fn no_bucket(error: Error) -> Error {
    if error.kind == ErrorKind::NoObject { Error { kind: ErrorKind::NoBucket, ..error } } else { error }
}
