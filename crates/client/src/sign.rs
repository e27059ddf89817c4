//! Signature Version 4 of a request to one of the services we know. Knows one shape of request: a POST of JSON to `/`.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::clock;
use crate::credentials::Credentials;

/// What is signed.
pub(crate) struct Request<'a> {
    pub(crate) service: &'a Service,
    pub(crate) host: &'a str,
    pub(crate) region: &'a str,
    pub(crate) target: &'a str,
    pub(crate) body: &'a [u8],
    pub(crate) seconds: u64,
    pub(crate) credentials: &'a Credentials,
}

/// What the services have their own words for.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) name: &'static str,
    pub(crate) content_type: &'static str,
    /// What the names of operations begin with.
    pub(crate) prefix: &'static str,
}

/// The database.
pub(crate) const DYNAMODB: Service =
    Service { name: "dynamodb", content_type: "application/x-amz-json-1.0", prefix: "DynamoDB_20120810" };
/// Data streams.
pub(crate) const KINESIS: Service =
    Service { name: "kinesis", content_type: "application/x-amz-json-1.1", prefix: "Kinesis_20131202" };

/// The headers to send, the signature among them. The host is left to the HTTP client, which sends the same.
pub(crate) fn headers(request: &Request<'_>) -> Vec<(&'static str, String)> {
    let (year, month, day, hour, minute, second) = clock::parts(request.seconds);
    let date = format!("{year:04}{month:02}{day:02}");
    let time = format!("{date}T{hour:02}{minute:02}{second:02}Z");
    let mut signed = vec![
        ("content-type", request.service.content_type.to_owned()),
        ("host", request.host.to_owned()),
        ("x-amz-date", time.clone()),
    ];
    if let Some(token) = &request.credentials.session_token {
        signed.push(("x-amz-security-token", token.clone()));
    }
    signed.push(("x-amz-target", request.target.to_owned()));
    let names = signed.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
    let lines: String = signed.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
    let canonical = format!("POST\n/\n\n{lines}\n{names}\n{}", hex(&Sha256::digest(request.body)));
    let scope = format!("{date}/{}/{}/aws4_request", request.region, request.service.name);
    let digest = hex(&Sha256::digest(canonical.as_bytes()));
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{digest}");
    let secret = format!("AWS4{}", request.credentials.secret_access_key);
    let mut key = keyed(secret.as_bytes(), &date);
    for part in [request.region, request.service.name, "aws4_request"] {
        key = keyed(&key, part);
    }
    let signature = hex(&keyed(&key, &text));
    let id = &request.credentials.access_key_id;
    let authorization =
        format!("AWS4-HMAC-SHA256 Credential={id}/{scope}, SignedHeaders={names}, Signature={signature}");
    signed.retain(|(name, _)| *name != "host");
    signed.push(("authorization", authorization));
    signed
}

fn keyed(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value comes from botocore's signer for the same request.
    #[test]
    fn a_known_signature() {
        let credentials = Credentials {
            access_key_id: "AKIDEXAMPLE".to_owned(),
            secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned(),
            session_token: None,
        };
        let signed = headers(&Request {
            service: &DYNAMODB,
            host: "dynamodb.us-east-1.amazonaws.com",
            region: "us-east-1",
            target: "DynamoDB_20120810.ListTables",
            body: b"{}",
            seconds: 1_440_938_160,
            credentials: &credentials,
        });
        let authorization =
            signed.iter().find(|(name, _)| *name == "authorization").map(|(_, value)| value.as_str());
        let expected = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/dynamodb/aws4_request, \
                        SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=75214f17608dbd636679e18f6f89744844ae96fcd228b8147167152488d817de";
        assert_eq!(authorization, Some(expected));
    }
}
