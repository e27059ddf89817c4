//! Damaged files: whatever is cut out of a design, reading, checking and laying out end with a diagnosis, not a panic.

use std::fs;
use std::path::Path;

use design::check::check;
use design::fmt::format;
use design::read::read;

fn designs() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs");
    let entries = fs::read_dir(folder).expect("the folder is readable");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("the entry is readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).expect("the design is readable")).collect()
}

fn survive(text: &str) {
    let (design, found) = read("damaged.yaml", text);
    let checked = design.iter().flat_map(check);
    for finding in found.iter().cloned().chain(checked) {
        assert!(!finding.message.is_empty() && finding.place.line > 0, "{finding}");
    }
    assert!(design.is_some() || !found.is_empty(), "nothing was read and nothing was said");
    if let Ok(laid_out) = format(text) {
        assert_eq!(format(&laid_out).expect("what was laid out can be read"), laid_out);
    }
}

#[test]
fn a_line_less_is_survived() {
    for text in designs() {
        let lines: Vec<&str> = text.lines().collect();
        for missing in (0..lines.len()).step_by(29) {
            let kept = lines.iter().enumerate().filter(|(position, _)| *position != missing);
            let kept: Vec<&str> = kept.map(|(_, line)| *line).collect();
            survive(&kept.join("\n"));
        }
    }
}

#[test]
fn an_early_end_is_survived() {
    for text in designs() {
        let ends = text.char_indices().map(|(position, _)| position).step_by(701);
        for end in ends {
            survive(text.get(..end).expect("the end lies between letters"));
        }
    }
}

#[test]
fn other_types_in_every_place_are_survived() {
    let text = designs().concat();
    for (from, to) in [
        (": {", ": [{"),
        ("}", ""),
        (": [", ": "),
        ("type: string", "type: {a: b}"),
        ("KeyType: HASH", "KeyType: [HASH]"),
        ("{AttributeName", "{AttributeNme"),
        ("entity:", "entity: [x] #"),
        ("_template: ", "_template: {a: 1} #"),
        ("parameters: {", "parameters: {x: {y: [z]}, "),
        ("required: true", "required: !Ref x"),
        ("{", "{<<: *x, "),
    ] {
        survive(&text.replace(from, to));
        for design in designs() {
            survive(&design.replace(from, to));
        }
    }
}
