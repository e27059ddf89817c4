//! Buckets of a real S3-compatible server, and folders, which do the same.
#![expect(clippy::unwrap_used, reason = "what goes wrong in a test shall end it")]

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use transfer::{
    Bucket, Buckets, Compression, Encryption, ErrorKind, ExportFormat, ExportJob, ExportKind, ExportWriter,
    ImportReader, ImportSettings, InputFormat, Place, Position, S3Settings, export_id,
};

/// A server with one bucket, `here`; it ends with the runtime.
struct Server {
    _runtime: tokio::runtime::Runtime,
    address: String,
    _folder: tempfile::TempDir,
}

impl Server {
    fn start() -> Server {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("here")).unwrap();
        let mut service = S3ServiceBuilder::new(s3s_fs::FileSystem::new(folder.path()).unwrap());
        service.set_auth(SimpleAuth::from_single("key", "secret"));
        let service = service.build();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let service = service.clone();
                tokio::spawn(async move {
                    let _ = Builder::new(TokioExecutor::new())
                        .serve_connection(TokioIo::new(socket), service)
                        .await;
                });
            }
        });
        Server { _runtime: runtime, address, _folder: folder }
    }

    fn buckets(&self, secret: &str) -> Buckets {
        Buckets::new(Place::S3(S3Settings {
            endpoint: Some(self.address.clone()),
            region: "us-east-1".to_owned(),
            access_key_id: "key".to_owned(),
            secret_access_key: secret.to_owned(),
            session_token: None,
            virtual_hosted: false,
        }))
    }
}

fn folder_bucket(root: &Path) -> Bucket {
    std::fs::create_dir(root.join("here")).unwrap();
    Buckets::new(Place::Folder(root.to_path_buf())).open("here").unwrap()
}

#[test]
fn a_store_keeps_objects() {
    let server = Server::start();
    keeps_objects(&server.buckets("secret").open("here").unwrap());
    let encrypted = server.buckets("secret").open_encrypted("here", &Encryption::Aes256).unwrap();
    assert_eq!(encrypted.put("encrypted", b"1").unwrap().size, 1);
    assert_eq!(
        server.buckets("secret").open("nowhere").unwrap().list("", None, 10).unwrap_err().kind,
        ErrorKind::NoBucket
    );
    assert_eq!(server.buckets("wrong").open("here").unwrap().get("a/1").unwrap_err().kind, ErrorKind::Denied);
    let nobody = Buckets::new(Place::S3(S3Settings {
        endpoint: Some("http://127.0.0.1:1".to_owned()),
        region: "us-east-1".to_owned(),
        access_key_id: String::new(),
        secret_access_key: String::new(),
        session_token: None,
        virtual_hosted: false,
    }));
    assert_eq!(nobody.open("here").unwrap().get("a").unwrap_err().kind, ErrorKind::Store);
}

#[test]
fn a_folder_keeps_objects() {
    let root = tempfile::tempdir().unwrap();
    let bucket = folder_bucket(root.path());
    keeps_objects(&bucket);
    // A folder of keys is no object.
    assert_eq!(bucket.head("a/b").unwrap_err().kind, ErrorKind::NoObject);
    let missing = Buckets::new(Place::Folder(root.path().to_path_buf())).open("nowhere").unwrap();
    assert_eq!(missing.list("", None, 10).unwrap_err().kind, ErrorKind::NoBucket);
    assert_eq!(missing.get("a").unwrap_err().kind, ErrorKind::NoBucket);
}

/// What any bucket does.
fn keeps_objects(bucket: &Bucket) {
    let keys = ["a-1", "a.1", "a/1", "a/10", "a/2", "a/b/c", "a0", "b"];
    for key in keys.iter().rev() {
        bucket.put(key, key.as_bytes()).unwrap();
    }
    assert_eq!(bucket.get("a/b/c").unwrap(), b"a/b/c");
    let head = bucket.head("a/1").unwrap();
    assert_eq!((head.size, head.etag.as_deref()), (3, Some("32a390517fcc6e43df5fc5f2c94699e1")));
    let listed = |prefix: &str| -> Vec<String> {
        bucket.list_all(prefix).unwrap().into_iter().map(|object| object.key).collect()
    };
    assert_eq!(listed(""), keys);
    assert_eq!(listed("a/"), ["a/1", "a/10", "a/2", "a/b/c"]);
    assert_eq!(listed("a/1"), ["a/1", "a/10"]);
    assert_eq!(listed("a"), keys[..7]);
    assert!(listed("nothing/here").is_empty());

    let page = bucket.list("a/", Some("a/1"), 2).unwrap();
    assert_eq!(page.objects.iter().map(|object| object.key.as_str()).collect::<Vec<_>>(), ["a/10", "a/2"]);
    assert!(page.more);
    assert!(!bucket.list("a/", Some("a/2"), 2).unwrap().more);

    assert_eq!(bucket.get("a/3").unwrap_err().kind, ErrorKind::NoObject);
    assert_eq!(bucket.put("../x", b"").unwrap_err().kind, ErrorKind::BadName);
    assert_eq!(bucket.get("/etc/passwd").unwrap_err().kind, ErrorKind::BadName);

    // An upload that is given up leaves nothing, and one that is not ends in one piece.
    let large: Vec<u8> = (0..17_000_000_u32).map(|number| ((number * 7) >> 3) as u8).collect();
    let mut given_up = bucket.upload("large").unwrap();
    given_up.write_all(&large).unwrap();
    drop(given_up);
    assert_eq!(bucket.head("large").unwrap_err().kind, ErrorKind::NoObject);
    let object = bucket.put("large", &large).unwrap();
    assert_eq!(object.size, large.len() as u64);
    let mut download = bucket.download("large").unwrap();
    assert_eq!(download.size(), large.len() as u64);
    let mut read = Vec::new();
    download.read_to_end(&mut read).unwrap();
    assert!(read == large, "the bytes are the same");
    assert_eq!(bucket.put("large", b"small").unwrap().size, 5);
    assert_eq!(bucket.get("large").unwrap(), b"small");
}

#[test]
fn an_export_goes_to_a_store_and_comes_back_even_inside_a_runtime() {
    let server = Server::start();
    let bucket = server.buckets("secret").open("here").unwrap();
    let job = ExportJob {
        export_id: export_id(1, 1),
        export_arn: String::new(),
        table_arn: String::new(),
        table_id: String::new(),
        prefix: None,
        sse_algorithm: None,
        sse_kms_key_id: None,
        format: ExportFormat::Ion,
        kind: ExportKind::Full { export_time: 0 },
        start_time: 0,
        file_bytes_max: 100,
    };
    // Calls block, but they must not panic on a thread of some other runtime.
    let other = tokio::runtime::Runtime::new().unwrap();
    let count = other.block_on(async move {
        let mut writer = ExportWriter::begin(bucket.clone(), job).unwrap();
        for number in 0..50 {
            writer.push(&[("id".to_owned(), item::Value::N(number.into()))].into()).unwrap();
        }
        let done = writer.finish(2).unwrap();
        assert!(done.files.len() > 10);
        for file in &done.files {
            assert_eq!(bucket.head(&file.key).unwrap().etag.as_ref(), Some(&file.etag));
        }
        let mut reader = ImportReader::open(
            bucket,
            ImportSettings {
                prefix: String::new(),
                format: InputFormat::Ion,
                compression: Compression::Gzip,
                start: Position::default(),
                cancel: Arc::default(),
            },
        )
        .unwrap();
        while let Some(entry) = reader.next().unwrap() {
            entry.record.unwrap();
        }
        reader.progress().records
    });
    assert_eq!(count, 50);
}
