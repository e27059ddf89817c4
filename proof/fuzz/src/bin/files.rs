//! Files of imports, exports, dumps and loads, and times as text: whatever the bytes, reading them ends with records or a
//! reason; what was read is written and read again as the same; and what is written is read back.
#![no_main]

use std::collections::BTreeMap;
use std::io::Cursor;

use item::{Item, Type};
use moment::{Moment, duration_seconds, span_ms};
use transfer::table_csv::{Columns, Reader, Writer};
use transfer::{Compression, CsvOptions, Delimiter, ExportFormat, InputFormat, Records, json_lines};

use proof_fuzz::source::Source;
use proof_fuzz::values::any_item;

const DELIMITERS: [Delimiter; 6] = [
    Delimiter::Comma,
    Delimiter::Tab,
    Delimiter::Colon,
    Delimiter::Pipe,
    Delimiter::Semicolon,
    Delimiter::Space,
];
/// The last second that can be told with four digits of a year, and the first.
const SECONDS: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

/// Uses the bytes in one of seven ways. Ion that others wrote is not among them: its reader, ion-rs 1.2, panics at some of
/// it by itself (which `transfer` catches and tells as a reason), and here every panic ends the run.
fn check(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    match source.byte() % 7 {
        0 => foreign(&InputFormat::DynamoDbJson, Compression::None, source.rest().to_vec()),
        1 => {
            let options = csv_options(&mut source);
            foreign(&InputFormat::Csv(options), Compression::None, source.rest().to_vec());
        }
        2 => {
            let compression = *source.pick(&[Compression::Gzip, Compression::Zstd]);
            foreign(&InputFormat::DynamoDbJson, compression, source.rest().to_vec());
        }
        3 => foreign_lines(&mut source),
        4 => exported(&any_item(&mut source)),
        5 => dumped(&mut source),
        _ => times(&mut source),
    }
}

fn csv_options(source: &mut Source<'_>) -> CsvOptions {
    let types = [("n", Type::N), ("b", Type::B)].map(|(name, kind)| (name.to_string(), kind));
    let header = source.byte().is_multiple_of(2);
    CsvOptions {
        delimiter: *source.pick(&DELIMITERS),
        header: header.then(|| vec!["n".to_string(), "b".to_string()]),
        types: BTreeMap::from(types),
    }
}

/// A file that anybody may have put into a bucket.
fn foreign(format: &InputFormat, compression: Compression, bytes: Vec<u8>) {
    let Ok(records) = Records::new(Cursor::new(bytes), compression, format) else { return };
    for record in records.map_while(Result::ok) {
        match record {
            Ok(record) => exported(&record.item),
            Err(reason) => assert!(!reason.is_empty(), "refused without a reason"),
        }
    }
}

/// An item is exported and imported as it was.
fn exported(item: &Item) {
    for (format, input) in
        [(ExportFormat::DynamoDbJson, InputFormat::DynamoDbJson), (ExportFormat::Ion, InputFormat::Ion)]
    {
        let mut line = Vec::new();
        format.append_item(&mut line, item);
        let shown = String::from_utf8_lossy(&line).into_owned();
        let records = Records::new(Cursor::new(line), Compression::None, &input).expect("bytes can be read");
        let read: Vec<_> = records.collect();
        let [Ok(Ok(record))] = read.as_slice() else { panic!("{shown} was read as {read:?}") };
        assert_eq!(&record.item, item, "{shown}");
    }
}

/// Files that are said to be dumps.
fn foreign_lines(source: &mut Source<'_>) {
    let delimiter = *source.pick(&DELIMITERS);
    let bytes = source.rest();
    for line in json_lines::Reader::new(bytes).map_while(Result::ok) {
        if let Ok(item) = line.item {
            let again = json_lines::from_json(&json_lines::to_json(&item));
            assert_eq!(again.as_ref(), Ok(&item));
        }
    }
    let types = BTreeMap::from([("n".to_string(), Type::N)]);
    if let Ok(reader) = Reader::new(bytes, delimiter, &types) {
        for line in reader.map_while(Result::ok) {
            if let Ok(item) = line.item {
                let again = json_lines::from_json(&json_lines::to_json(&item));
                assert_eq!(again.as_ref(), Ok(&item));
            }
        }
    }
}

/// A table is dumped and loaded as it was.
fn dumped(source: &mut Source<'_>) {
    let (delimiter, most) = (*source.pick(&DELIMITERS), source.below(5));
    let items: Vec<Item> = (0..=source.below(3)).map(|_| any_item(source)).collect();
    let mut lines = Vec::new();
    let mut columns = Columns::default();
    for item in &items {
        json_lines::write_item(&mut lines, item).expect("memory takes it");
        columns.observe(item);
    }
    let read = json_lines::Reader::new(lines.as_slice()).map(|line| line.map(|line| line.item));
    let read: Vec<_> = read.map_while(Result::ok).collect();
    assert!(
        read.iter().map(Result::as_ref).eq(items.iter().map(Ok::<&Item, &String>)),
        "{items:?} was read as {read:?}"
    );

    let mut writer =
        Writer::new(Vec::new(), columns.finish(&["a"], most), delimiter).expect("memory takes it");
    for item in &items {
        writer.write(item).expect("memory takes it");
    }
    let written = writer.into_inner();
    let reader = Reader::new(written.as_slice(), delimiter, &BTreeMap::new()).expect("the header is ours");
    let read: Vec<_> = reader.map(|line| line.map(|line| line.item)).map_while(Result::ok).collect();
    let shown = String::from_utf8_lossy(&written);
    // A row of one empty cell is an empty line, which is no item; tables have keys, so there are none without attributes.
    let whole: Vec<&Item> = items.iter().filter(|item| !item.is_empty()).collect();
    let read: Vec<_> =
        read.iter().filter(|item| item.as_ref().map_or(true, |item| !item.is_empty())).collect();
    assert!(
        read.iter().map(|item| item.as_ref()).eq(whole.into_iter().map(Ok::<&Item, &String>)),
        "{items:?} was written as {shown} and read as {read:?}"
    );
}

/// Times: told and read again they are the same, and later ones are told by later texts.
fn times(source: &mut Source<'_>) {
    let mut number = || (0..8).fold(0_u64, |number, _| number << 8 | u64::from(source.byte()));
    let [any, early, late] = [number(), number(), number()].map(Moment::from_millis);
    let _ = (any.to_text(), any.iso_week(), any.to_millis());
    let [early, late] =
        [early, late].map(|moment| Moment { seconds: moment.seconds % SECONDS.end(), ..moment });
    assert_eq!(early.cmp(&late), early.to_text().cmp(&late.to_text()));
    assert_eq!(Moment::parse(&early.to_text()), Some(early));
    assert_eq!(early.to_millis().map(Moment::from_millis), Some(early));
    assert!((1..=53).contains(&early.iso_week().1), "{} is in week {}", early.to_text(), early.iso_week().1);

    let mut text = b"2024-02-29T23:59:60.123+05:30".to_vec();
    for _ in 0..source.below(5) {
        let place = source.below(text.len());
        if let Some(byte) = text.get_mut(place) {
            *byte = source.byte();
        }
    }
    text.truncate(40_usize.saturating_sub(source.below(40)).max(1));
    for text in [String::from_utf8_lossy(&text), String::from_utf8_lossy(source.rest())] {
        let _ = (span_ms(&text), duration_seconds(&text));
        for read in [Moment::parse(&text), Moment::parse_date(&text)].into_iter().flatten() {
            let _ = read.iso_week();
            let again = Moment::parse(&read.to_text());
            assert!(again == Some(read) || !SECONDS.contains(&read.seconds), "{text} is told as {again:?}");
        }
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check(bytes));
