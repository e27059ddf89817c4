//! Imports of what others write, well or badly: nothing is lost, nothing panics, and every fault has its place.
#![expect(clippy::unwrap_used, reason = "what goes wrong in a test shall end it")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use item::{Item, Number, Type, Value};
use transfer::{
    Bucket, Buckets, Compression, CsvOptions, Delimiter, Entry, ImportReader, ImportSettings, InputFormat,
    Place, Position, json_lines,
};

fn bucket(folder: &Path) -> Bucket {
    Buckets::new(Place::Folder(folder.to_path_buf())).open("some-bucket").unwrap()
}

fn entries(bucket: &Bucket, prefix: &str, format: InputFormat, compression: Compression) -> Vec<Entry> {
    let settings = ImportSettings {
        prefix: prefix.to_owned(),
        format,
        compression,
        start: Position::default(),
        cancel: Arc::default(),
    };
    let mut reader = ImportReader::open(bucket.clone(), settings).unwrap();
    let mut entries = Vec::new();
    while let Some(entry) = reader.next().unwrap() {
        entries.push(entry);
    }
    let progress = reader.progress();
    assert_eq!(progress.bytes_read, progress.bytes_total);
    assert_eq!(progress.records + progress.errors, entries.len() as u64);
    entries
}

/// What a single object holds: each record as JSON or the reason it has none, with its line.
fn read(format: InputFormat, bytes: &[u8]) -> Vec<(u64, Result<String, String>)> {
    let folder = tempfile::tempdir().unwrap();
    let bucket = bucket(folder.path());
    bucket.put("in", bytes).unwrap();
    let shown = |item: &Item| String::from_utf8(json_lines::to_json(item)).unwrap();
    entries(&bucket, "", format, Compression::None)
        .into_iter()
        .map(|entry| (entry.line, entry.record.map(|record| shown(&record.item))))
        .collect()
}

fn good(line: u64, json: &str) -> (u64, Result<String, String>) {
    (line, Ok(json.to_owned()))
}

#[test]
fn bad_lines_are_told_and_good_ones_go_on() {
    let lines = concat!(
        "{\"Item\":{\"id\":{\"N\":\"1\"}}}\n\nnot json\n{\"Item\":{\"id\":{\"N\":\"x\"}}}\r\n",
        "{\"Item\":{\"id\":{\"SS\":[]}}}\n{\"Item\":{\"id\":{\"NS\":[\"1\",\"1.0\"]}}}\n{\"Other\":{}}\n",
        "{\"Item\":{\"id\":{\"S\":\"a\",\"N\":\"1\"}}}\n{\"Item\":{\"id\":{\"X\":\"a\"}}}\n{\"Item\":{\"\":{\"S\":\"a\"}}}\n",
        "{\"Item\":{\"id\":{\"B\":\"?\"}}}\n{\"Item\":{\"id\":{\"NULL\":false}}}\n{\"Item\":{\"id\":{\"N\":\"1E126\"}}}\n",
        "{\"Item\":{}} {}\n[1]\n{\"Item\":{\"id\":{\"S\":\"\\ud800\"}}}\n",
        "{ \"Item\" : { \"id\" : { \"N\" : \"2\" } }, \"Later\": [1] }"
    );
    let found = read(InputFormat::DynamoDbJson, lines.as_bytes());
    assert_eq!(found.first(), Some(&good(1, r#"{"id":{"N":"1"}}"#)));
    assert_eq!(found.last(), Some(&good(17, r#"{"id":{"N":"2"}}"#)));
    let bad: Vec<u64> = found.iter().filter(|(_, record)| record.is_err()).map(|(line, _)| *line).collect();
    assert_eq!(bad, (3..=16).collect::<Vec<u64>>());
    let reason = |line: u64| found[line as usize - 2].1.clone().unwrap_err();
    assert!(reason(4).starts_with("not a number: \"x\""), "{}", reason(4));
    assert!(reason(7).starts_with("there is no Item"), "{}", reason(7));
    let nested = |levels: usize| {
        let (open, close) = ("{\"L\":[".repeat(levels), "]}".repeat(levels));
        format!("{{\"Item\":{{\"a\":{open}{close}}}}}")
    };
    assert!(read(InputFormat::DynamoDbJson, nested(31).as_bytes())[0].1.is_ok());
    assert!(read(InputFormat::DynamoDbJson, nested(32).as_bytes())[0].1.is_err());
    assert!(read(InputFormat::DynamoDbJson, nested(100_000).as_bytes())[0].1.is_err());
}

#[test]
fn conditions_come_with_their_items() {
    let folder = tempfile::tempdir().unwrap();
    let bucket = bucket(folder.path());
    let json = br##"{"Item":{"id":{"N":"1"}},"ConditionExpression":"#v < :v","ExpressionAttributeNames":{"#v":"version"},"ExpressionAttributeValues":{":v":{"N":"2"}}}"##;
    let ion = br##"{Item:{id:1.},ConditionExpression:"#v < :v",ExpressionAttributeNames:{'#v':"version"},ExpressionAttributeValues:{':v':2.}}"##;
    bucket.put("json", json).unwrap();
    bucket.put("ion", ion).unwrap();
    let of = |prefix, format| entries(&bucket, prefix, format, Compression::None)[0].record.clone().unwrap();
    let record = of("json", InputFormat::DynamoDbJson);
    assert_eq!(record, of("ion", InputFormat::Ion));
    let condition = record.condition.unwrap();
    assert_eq!(condition.expression, "#v < :v");
    assert_eq!(condition.names["#v"], "version");
    assert_eq!(condition.values[":v"], Value::N(Number::from(2)));
}

#[test]
fn ion_of_any_shape_is_read() {
    let one = r#"{"id":{"N":"1"}}"#;
    // One after the other on a line, over several lines, as members of a list, with comments and annotations.
    assert_eq!(
        read(InputFormat::Ion, b"$ion_1_0 {Item:{id:1.}} {Item:{id:1}}"),
        [good(1, one), good(1, one)]
    );
    assert_eq!(
        read(InputFormat::Ion, b"$ion_1_0\n[\n  {\n Item:{ id:1. } // } one\n  },\n {Item:{id:1.}}\n]\n"),
        [good(3, one), good(6, one)]
    );
    assert_eq!(read(InputFormat::Ion, b"/* { \n */ foo::\n{Item:{id:1.0}}"), [good(2, one)]);
    assert_eq!(
        read(
            InputFormat::Ion,
            b"{'Item':{id:0d-3,'it\\'s':'''a}'''\n'''{b''',raw:{{ aG/+//8= }},n:null.string}}"
        ),
        [good(1, r#"{"id":{"N":"0"},"it's":{"S":"a}{b"},"n":{"NULL":true},"raw":{"B":"aG/+//8="}}"#)]
    );
    let digits = "1234567890".repeat(4)[..38].to_owned();
    assert_eq!(
        read(InputFormat::Ion, format!("{{Item:{{n:-{digits}d-40,m:{digits}}}}}").as_bytes()),
        [good(1, &format!(r#"{{"m":{{"N":"{digits}"}},"n":{{"N":"-0.00{digits}"}}}}"#))]
    );
}

#[test]
fn a_broken_value_of_ion_spoils_no_other() {
    let text = concat!(
        "$ion_1_0 {Item:{id:1.}}\n$ion_1_0 {Item:{id:\"never closed}}\n$ion_1_0 {Item:{id:[[1.}}\n",
        "$ion_1_0 {Item:{id:5e0}}\n$ion_1_0 17\n$ion_1_0 {Item:{id:$dynamodb_NS::[]}}\n$ion_1_0 {Item:{id:2.}}\n"
    );
    let found = read(InputFormat::Ion, text.as_bytes());
    let lines: Vec<(u64, bool)> = found.iter().map(|(line, record)| (*line, record.is_ok())).collect();
    assert_eq!(lines, [(1, true), (2, false), (3, false), (4, false), (5, false), (6, false), (7, true)]);
    let long = format!("{{Item:{{a:1{}}}}}\n{{Item:{{id:1.}}}}", "0".repeat(5_000_000));
    let found = read(InputFormat::Ion, long.as_bytes());
    assert_eq!(found, [(1, Err("a number has too many digits".to_owned())), good(2, r#"{"id":{"N":"1"}}"#)]);
    let deep = format!("{{Item:{{a:{}{}}}}}\n{{Item:{{id:1.}}}}", "[".repeat(200_000), "]".repeat(200_000));
    let found = read(InputFormat::Ion, deep.as_bytes());
    assert!(found[0].1.is_err());
    assert_eq!(found[1], good(2, r#"{"id":{"N":"1"}}"#));
}

/// `{Item:{id:…}}` in binary, with its table of symbols and a number for each item.
fn binary(numbers: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0xe0, 0x01, 0x00, 0xea];
    // $ion_symbol_table::{symbols:["Item","id"]}: "Item" is symbol 10, "id" is 11.
    bytes.extend([0xee, 0x8e, 0x81, 0x83, 0xde, 0x8a, 0x87, 0xb8, 0x84]);
    bytes.extend(b"Item");
    bytes.extend([0x82]);
    bytes.extend(b"id");
    bytes
        .into_iter()
        .chain(numbers.iter().flat_map(|number| [0xd6, 0x8a, 0xd4, 0x8b, 0x52, 0x80, *number]))
        .collect()
}

#[test]
fn binary_ion_is_read_and_cut_off_anywhere() {
    let bytes = binary(&[1, 2]);
    assert_eq!(
        read(InputFormat::Ion, &bytes),
        [good(1, r#"{"id":{"N":"1"}}"#), good(2, r#"{"id":{"N":"2"}}"#)]
    );
    for end in 1..bytes.len() {
        let found = read(InputFormat::Ion, &bytes[..end]);
        assert!(found.iter().filter(|(_, record)| record.is_ok()).count() < 2, "cut off at {end}");
    }
    // A whole number of 500 bytes.
    let mut long = vec![0xe0, 0x01, 0x00, 0xea, 0x2e, 0x03, 0xf4];
    long.extend([1; 500]);
    assert_eq!(read(InputFormat::Ion, &long), [(1, Err("a number has too many digits".to_owned()))]);
    // Lists in lists, each two bytes longer than the one in it.
    let mut deep: Vec<u8> = Vec::new();
    for _ in 0..2000 {
        let length = deep.len() as u16;
        let head = [0xbe, (length >> 7) as u8 & 0x7f, (length & 0x7f) as u8 | 0x80];
        deep.splice(0..0, head);
    }
    let mut bytes = vec![0xe0, 0x01, 0x00, 0xea];
    bytes.extend(deep);
    assert_eq!(read(InputFormat::Ion, &bytes), [(1, Err("attributes are nested too deep".to_owned()))]);
}

#[test]
fn values_have_the_types_of_keys() {
    let options = CsvOptions {
        delimiter: Delimiter::Semicolon,
        header: Some(vec!["id".to_owned(), "name".to_owned()]),
        types: BTreeMap::from([("id".to_owned(), Type::N)]),
    };
    assert_eq!(
        read(InputFormat::Csv(options), b"1;a\n2;\"x\ny\"\nz;b\n3\n4;\n"),
        [
            good(1, r#"{"id":{"N":"1"},"name":{"S":"a"}}"#),
            good(2, r#"{"id":{"N":"2"},"name":{"S":"x\ny"}}"#),
            (4, Err("not a number: \"z\"".to_owned())),
            (5, Err("there are 1 fields for 2 columns".to_owned())),
            good(6, r#"{"id":{"N":"4"}}"#),
        ]
    );
}

#[test]
fn files_are_read_in_order_without_manifests_and_broken_ones_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let bucket = bucket(folder.path());
    let line = |id: u32| format!("{{\"Item\":{{\"id\":{{\"N\":\"{id}\"}}}}}}\n");
    let packed = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    for name in [
        "_started",
        "manifest-files.json",
        "manifest-files.md5",
        "manifest-summary.json",
        "manifest-summary.checksum",
    ] {
        bucket.put(&format!("x/{name}"), b"not items").unwrap();
    }
    bucket.put("x/data/c", &packed(&line(3))).unwrap();
    bucket.put("x/data/a", &packed(&line(1))).unwrap();
    bucket.put("x/data/empty", b"").unwrap();
    let whole = packed(&(line(2) + &"x".repeat(100_000)));
    bucket.put("x/data/b", &whole[..whole.len() / 2]).unwrap();
    bucket.put("x/data/d", b"not gzip").unwrap();
    bucket.put("y/other", b"not asked for").unwrap();
    let found = entries(&bucket, "x/", InputFormat::DynamoDbJson, Compression::Gzip);
    let shown: Vec<(&str, bool)> = found.iter().map(|entry| (&*entry.key, entry.record.is_ok())).collect();
    let expected = [("a", true), ("b", true), ("b", false), ("c", true), ("d", false)];
    assert_eq!(shown.len(), expected.len(), "{found:?}");
    for ((key, good), (name, expected)) in shown.into_iter().zip(expected) {
        assert_eq!((key, good), (format!("x/data/{name}").as_str(), expected));
    }
}

#[test]
fn nothing_that_is_read_panics() {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let json = br#"{"Item":{"id":{"N":"1"},"a":{"L":[{"M":{"b":{"SS":["x","y"]}}}]}}}"#.to_vec();
    let ion = br#"$ion_1_0 {Item:{id:1.5,a:[{b:$dynamodb_SS::["x",'''y''']}],c:{{aGk=}}}}"#.to_vec();
    let folder = tempfile::tempdir().unwrap();
    let bucket = bucket(folder.path());
    for (format, seed) in
        [(InputFormat::DynamoDbJson, json), (InputFormat::Ion, ion), (InputFormat::Ion, binary(&[1, 2, 3]))]
    {
        let mut bytes = Vec::new();
        for round in 0..400 {
            let mut broken = seed.clone();
            for _ in 0..=next() % 3 {
                let at = next() as usize % broken.len();
                match next() % 3 {
                    0 => broken[at] = next() as u8,
                    1 => drop(broken.remove(at)),
                    _ => broken.insert(at, seed[next() as usize % seed.len()]),
                }
            }
            bytes.extend(broken);
            bytes.push(b'\n');
            if round % 8 == 7 {
                bucket.put(&format!("{round:03}"), &bytes).unwrap();
                bytes.clear();
            }
        }
        entries(&bucket, "", format, Compression::None);
    }
}
