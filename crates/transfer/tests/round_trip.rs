//! What is written is read back the same: random items of all types, in every format and compression.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what goes wrong in a test shall end it")]

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use item::{Item, Number, Type, Value};
use transfer::{
    Bucket, Buckets, Compression, ExportFormat, ExportJob, ExportKind, ExportWriter, ImportReader,
    ImportSettings, InputFormat, Place, Position, export_id, json_lines, table_csv,
};

/// A small generator, so that a seed names a test.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn text(&mut self) -> String {
        const PIECES: &[&str] = &[
            "a", "Z9", " ", "\"", "'", "'''", "\\", "\n", "\r\n", "\t", "\0", "\u{7f}", ",", "{", "}}", "//",
            "/*", "é", "日本", "🦀", "\u{2028}", "\u{feff}", "$ion_1_0", "::", "*", ":N", "null", "]",
            "\u{85}",
        ];
        let count = self.below(6);
        (0..count).map(|_| PIECES[self.below(PIECES.len() as u64) as usize]).collect()
    }

    fn name(&mut self) -> String {
        const NAMES: &[&str] =
            &["id", "$7", "$7a", "nan", "a b", "Item", "true", "1st", "x.y", "é", "S", "M"];
        match self.below(3) {
            0 => NAMES[self.below(NAMES.len() as u64) as usize].to_owned(),
            _ => format!("{}n{}", self.text(), self.below(9)),
        }
    }

    fn number(&mut self) -> Number {
        let digits = 1 + self.below(38);
        let digits: String = (0..digits).map(|_| char::from(b'0' + self.below(10) as u8)).collect();
        let sign = if self.below(2) == 0 { "-" } else { "" };
        // The first digit must stay between 1E-130 and 1E+125.
        let exponent = self.below(210) as i64 - 125;
        let exponent = exponent.min(124 - digits.len() as i64);
        Number::parse(&format!("{sign}{digits}E{exponent}")).unwrap_or(Number::ZERO)
    }

    fn blob(&mut self) -> bytes::Bytes {
        (0..self.below(40)).map(|_| self.next() as u8).collect::<Vec<u8>>().into()
    }

    fn set<T: Ord>(&mut self, make: impl Fn(&mut Chance) -> T) -> Vec<T> {
        let members: std::collections::BTreeSet<T> = (0..=self.below(4)).map(|_| make(self)).collect();
        members.into_iter().collect()
    }

    fn value(&mut self, levels: u64) -> Value {
        let kinds = if levels == 0 { 8 } else { 10 };
        match Type::ALL[self.below(kinds) as usize] {
            Type::S => Value::S(self.text()),
            Type::N => Value::N(self.number()),
            Type::B => Value::B(self.blob()),
            Type::Ss => Value::Ss(self.set(Chance::text)),
            Type::Ns => Value::Ns(self.set(Chance::number)),
            Type::Bs => Value::Bs(self.set(Chance::blob)),
            Type::Bool => Value::Bool(self.below(2) == 0),
            Type::Null => Value::Null,
            Type::L => Value::L((0..self.below(4)).map(|_| self.value(levels - 1)).collect()),
            Type::M => Value::M(self.item(levels - 1)),
        }
    }

    fn item(&mut self, levels: u64) -> Item {
        (0..self.below(6)).map(|_| (self.name(), self.value(levels))).collect()
    }

    fn items(&mut self, count: usize) -> Vec<Item> {
        let mut items: Vec<Item> = (0..count).map(|_| self.item(4)).collect();
        // The deepest item there can be: 32 levels, the item itself among them.
        let deep = (0..31).fold(Value::Null, |inner, _| Value::L(vec![inner]));
        items.push(Item::from([("deep".to_owned(), deep)]));
        items
    }
}

fn bucket(folder: &Path) -> Bucket {
    Buckets::new(Place::Folder(folder.to_path_buf())).open("some-bucket").unwrap()
}

fn job(format: ExportFormat, file_bytes_max: u64) -> ExportJob {
    ExportJob {
        export_id: export_id(1_600_000_000_000, 7),
        export_arn: "arn:export".to_owned(),
        table_arn: "arn:table".to_owned(),
        table_id: "id".to_owned(),
        prefix: Some("some/prefix".to_owned()),
        sse_algorithm: None,
        sse_kms_key_id: None,
        format,
        kind: ExportKind::Full { export_time: 1_600_000_000_000 },
        start_time: 1_600_000_000_000,
        file_bytes_max,
    }
}

fn settings(prefix: &str, format: InputFormat, compression: Compression) -> ImportSettings {
    ImportSettings {
        prefix: prefix.to_owned(),
        format,
        compression,
        start: Position::default(),
        cancel: Arc::new(AtomicBool::new(false)),
    }
}

fn formats() -> [(ExportFormat, InputFormat); 2] {
    [(ExportFormat::DynamoDbJson, InputFormat::DynamoDbJson), (ExportFormat::Ion, InputFormat::Ion)]
}

/// All items of an import and the positions behind them; a record that cannot be read fails the test.
fn read_all(bucket: &Bucket, settings: ImportSettings) -> Vec<(Item, Position)> {
    let mut reader = ImportReader::open(bucket.clone(), settings).unwrap();
    let mut items = Vec::new();
    while let Some(entry) = reader.next().unwrap() {
        match entry.record {
            Ok(record) => items.push((record.item, entry.after)),
            Err(reason) => panic!("{}:{}: {reason}", entry.key, entry.line),
        }
    }
    let progress = reader.progress();
    assert_eq!(progress.bytes_read, progress.bytes_total);
    assert_eq!(progress.records, items.len() as u64);
    items
}

#[test]
fn every_export_is_read_back_from_its_whole_prefix() {
    for seed in 1..=25 {
        let items = Chance(u64::wrapping_mul(seed, 0x9e37_79b9_7f4a_7c15)).items(25);
        for (format, input) in formats() {
            let folder = tempfile::tempdir().unwrap();
            let bucket = bucket(folder.path());
            let mut writer = ExportWriter::begin(bucket.clone(), job(format, 2000)).unwrap();
            for item in &items {
                writer.push(item).unwrap();
            }
            let done = writer.finish(1_600_000_001_000).unwrap();
            assert_eq!(done.item_count, items.len() as u64);
            assert!(done.files.len() > 1, "small files, so several");
            let read = read_all(&bucket, settings("some/prefix", input.clone(), Compression::Gzip));
            same_items(&items, read.iter().map(|(item, _)| item), seed);

            // From any position on, exactly the rest is read.
            let at = seed as usize % read.len();
            let mut again = settings("some/prefix", input, Compression::Gzip);
            again.start = read[at].1;
            assert_eq!(read_all(&bucket, again), read[at + 1..], "seed {seed} after {at}");
        }
    }
}

/// The files of an export are not in the order they were written in, so items are compared as a bag.
fn same_items<'a>(expected: &[Item], read: impl Iterator<Item = &'a Item>, seed: u64) {
    let mut read: Vec<&Item> = read.collect();
    assert_eq!(read.len(), expected.len());
    for item in expected {
        let at = read.iter().position(|other| *other == item);
        read.swap_remove(at.unwrap_or_else(|| panic!("seed {seed}: not read back: {item:?}")));
    }
}

#[test]
fn every_compression_is_read() {
    let items = Chance(99).items(50);
    for (format, input) in formats() {
        let folder = tempfile::tempdir().unwrap();
        let bucket = bucket(folder.path());
        let mut writer = ExportWriter::begin(bucket.clone(), job(format, u64::MAX)).unwrap();
        for item in &items {
            writer.push(item).unwrap();
        }
        let done = writer.finish(1_600_000_001_000).unwrap();
        let mut plain = Vec::new();
        let packed = bucket.get(&done.files[0].key).unwrap();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed.as_slice()), &mut plain).unwrap();
        bucket.put("none/data", &plain).unwrap();
        // Two members one behind the other are one file, in both compressions.
        let middle = plain.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let halves = [&plain[..middle], &plain[middle..]];
        let gzip = halves.map(|half| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(half).unwrap();
            encoder.finish().unwrap()
        });
        bucket.put("gzip/data", &gzip.concat()).unwrap();
        let zstd = halves.map(|half| zstd::encode_all(half, 3).unwrap());
        bucket.put("zstd/data", &zstd.concat()).unwrap();
        for (prefix, compression) in
            [("none/", Compression::None), ("gzip/", Compression::Gzip), ("zstd/", Compression::Zstd)]
        {
            let read = read_all(&bucket, settings(prefix, input.clone(), compression));
            assert_eq!(read.into_iter().map(|(item, _)| item).collect::<Vec<_>>(), items, "{prefix}");
        }
    }
}

#[test]
fn dumps_are_loaded_back() {
    for seed in 1..=60 {
        let items = Chance(u64::wrapping_mul(seed, 0x2545_f491_4f6c_dd1d)).items(20);
        let mut lines = Vec::new();
        for item in &items {
            json_lines::write_item(&mut lines, item).unwrap();
        }
        let read: Vec<Item> =
            json_lines::Reader::new(lines.as_slice()).map(|line| line.unwrap().item.unwrap()).collect();
        assert_eq!(read, items, "seed {seed}");

        let mut columns = table_csv::Columns::default();
        items.iter().for_each(|item| columns.observe(item));
        let columns = columns.finish(&["id"], 6);
        let mut writer = table_csv::Writer::new(Vec::new(), columns, transfer::Delimiter::Comma).unwrap();
        for item in &items {
            writer.write(item).unwrap();
        }
        let text = writer.into_inner();
        let reader =
            table_csv::Reader::new(text.as_slice(), transfer::Delimiter::Comma, &Default::default()).unwrap();
        let read: Vec<Item> = reader.map(|line| line.unwrap().item.unwrap()).collect();
        assert_eq!(read, items, "seed {seed}");
    }
}

#[test]
fn a_cancelled_import_stops() {
    let folder = tempfile::tempdir().unwrap();
    let bucket = bucket(folder.path());
    bucket.put("in/a", b"{\"Item\":{}}\n{\"Item\":{}}\n").unwrap();
    let settings = settings("in/", InputFormat::DynamoDbJson, Compression::None);
    let cancel = Arc::clone(&settings.cancel);
    let mut reader = ImportReader::open(bucket, settings).unwrap();
    assert!(reader.next().unwrap().is_some());
    cancel.store(true, Ordering::Relaxed);
    assert_eq!(reader.next().unwrap_err().kind, transfer::ErrorKind::Cancelled);
}

#[test]
fn an_attribute_may_be_called_like_the_column_of_the_rest() {
    let value = Value::Ss(vec!["x".to_owned()]);
    let item = Item::from([("*".to_owned(), value), ("id".to_owned(), Value::S("a".to_owned()))]);
    for most in [0, 2] {
        let mut columns = table_csv::Columns::default();
        columns.observe(&item);
        let columns = columns.finish(&["id"], most);
        let mut writer = table_csv::Writer::new(Vec::new(), columns, transfer::Delimiter::Comma).unwrap();
        writer.write(&item).unwrap();
        let text = writer.into_inner();
        let reader =
            table_csv::Reader::new(text.as_slice(), transfer::Delimiter::Comma, &Default::default()).unwrap();
        let read: Vec<Item> = reader.map(|line| line.unwrap().item.unwrap()).collect();
        assert_eq!(read, std::slice::from_ref(&item));
    }
}

#[test]
fn a_column_of_a_dump_has_a_name() {
    for header in [",a\n1,2\n", ":N\n1\n"] {
        let read = table_csv::Reader::new(header.as_bytes(), transfer::Delimiter::Comma, &Default::default());
        assert_eq!(read.err().unwrap().to_string(), "a column of the header has no name", "{header}");
    }
}
