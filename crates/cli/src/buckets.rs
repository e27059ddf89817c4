//! Where the buckets of imports and exports are: a folder, or a store that speaks the protocol of S3.
//! Knows the options and the environment, and nothing of what buckets hold.

use crate::failure::Failure;
use crate::settings::BucketOptions;
use std::path::Path;
use tempfile::TempDir;
use transfer::{Buckets, Place, S3Settings};

/// The folder of buckets beside the data.
const BESIDE: &str = "buckets";
/// The region that requests are signed for if none is named.
const USUAL_REGION: &str = "us-east-1";

/// The buckets of a server.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) buckets: Buckets,
    /// Where they are, if that is not obvious.
    pub(crate) told: Option<String>,
    /// A folder that goes when the server ends, as its data does.
    _folder: Option<TempDir>,
}

/// Finds them. `dir` is the folder of the data, if there is one; `look` reads the environment.
pub(crate) fn find(
    options: &BucketOptions,
    dir: Option<&Path>,
    look: &dyn Fn(&str) -> Option<String>,
) -> Result<Found, Failure> {
    if let Some(endpoint) = &options.s3_endpoint {
        let settings = store(endpoint, look)?;
        let told = Some(format!("at {endpoint}"));
        return Ok(Found { buckets: Buckets::new(Place::S3(settings)), told, _folder: None });
    }
    let in_folder = |folder: &Path| Buckets::new(Place::Folder(folder.to_owned()));
    if let Some(folder) = &options.folder {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
        let told = Some(folder.display().to_string());
        return Ok(Found { buckets: in_folder(&folder), told, _folder: None });
    }
    if let Some(dir) = dir {
        return Ok(Found { buckets: in_folder(&dir.join(BESIDE)), told: None, _folder: None });
    }
    let folder = tempfile::Builder::new().prefix("larder-buckets-").tempdir().map_err(|error| {
        Failure::new(format!("there is no place for buckets: {error}; name one with --bucket-dir"))
    })?;
    let told = Some(format!("{}, until the server stops", folder.path().display()));
    Ok(Found { buckets: in_folder(folder.path()), told, _folder: Some(folder) })
}

fn store(endpoint: &str, look: &dyn Fn(&str) -> Option<String>) -> Result<S3Settings, Failure> {
    let given = |name: &str| look(name).filter(|value| !value.is_empty());
    let needed = |name: &str| {
        given(name).ok_or_else(|| {
            Failure::new(format!("--s3-endpoint needs credentials: {name} is not in the environment"))
        })
    };
    Ok(S3Settings {
        endpoint: Some(endpoint.to_owned()),
        region: given("AWS_REGION")
            .or_else(|| given("AWS_DEFAULT_REGION"))
            .unwrap_or_else(|| USUAL_REGION.to_owned()),
        access_key_id: needed("AWS_ACCESS_KEY_ID")?,
        secret_access_key: needed("AWS_SECRET_ACCESS_KEY")?,
        session_token: given("AWS_SESSION_TOKEN"),
        virtual_hosted: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(folder: Option<&str>, s3_endpoint: Option<&str>) -> BucketOptions {
        BucketOptions { folder: folder.map(Into::into), s3_endpoint: s3_endpoint.map(Into::into) }
    }

    #[test]
    fn buckets_are_beside_the_data_unless_somebody_says_where() {
        let nothing = |_: &str| None;
        let dir = Some(Path::new("/data"));
        assert_eq!(find(&options(None, None), dir, &nothing).unwrap().told, None);
        let named = find(&options(Some("/files"), None), dir, &nothing).unwrap();
        assert_eq!(named.told.as_deref(), Some("/files"));
        let passing = find(&options(None, None), None, &nothing).unwrap();
        let folder = passing._folder.as_ref().unwrap().path().to_owned();
        assert!(folder.is_dir());
        drop(passing);
        assert!(!folder.exists());
    }

    #[test]
    fn a_store_wants_credentials() {
        let asked = options(None, Some("http://127.0.0.1:9000"));
        let error = find(&asked, None, &|_| None).unwrap_err().to_string();
        assert!(error.contains("AWS_ACCESS_KEY_ID"), "{error}");
        let found = find(&asked, None, &|name| Some(name.to_lowercase())).unwrap();
        assert_eq!(found.told.as_deref(), Some("at http://127.0.0.1:9000"));
    }
}
