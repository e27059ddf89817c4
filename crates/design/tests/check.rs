//! Every rule of `check`: a small file with one defect, and the diagnosis beside it.
//! `BLESS=1 cargo test -p design --test check` writes the diagnoses anew; read the difference before you keep it.

use std::fs;
use std::path::{Path, PathBuf};

use design::check::check;
use design::read::read;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check")
}

fn cases() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).expect("the folder is readable");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the entry is readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    paths.sort();
    paths
}

fn stem(path: &Path) -> String {
    path.file_stem().expect("a case has a name").to_string_lossy().into_owned()
}

fn diagnosis(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("the case is readable");
    let (design, mut found) = read(&format!("{}.yaml", stem(path)), &text);
    found.extend(design.iter().flat_map(check));
    found.iter().map(|found| format!("{found}\n")).collect()
}

#[test]
fn each_defect_has_its_diagnosis() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for path in cases() {
        let got = diagnosis(&path);
        let code: String = stem(&path).chars().take(4).collect();
        assert!(got.contains(&format!(" {code}: ")), "{} does not show {code}:\n{got}", path.display());
        let golden = path.with_extension("txt");
        if bless {
            fs::write(&golden, &got).expect("the diagnosis can be written");
        } else if fs::read_to_string(&golden).unwrap_or_default() != got {
            wrong.push(format!("{}:\n{got}", golden.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_has_a_case() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut texts = vec![
        fs::read_to_string(source.join("yaml.rs")).expect("readable"),
        fs::read_to_string(source.join("items.rs")).expect("readable"),
        fs::read_to_string(source.join("read.rs")).expect("readable"),
    ];
    for folder in ["read", "check"] {
        let entries = fs::read_dir(source.join(folder)).expect("readable");
        texts.extend(
            entries.map(|entry| fs::read_to_string(entry.expect("readable").path()).expect("readable")),
        );
    }
    let text = texts.concat();
    let is_code = |word: &&str| {
        let mut letters = word.chars();
        word.len() == 4
            && letters.next().is_some_and(|letter| letter.is_ascii_uppercase())
            && letters.all(|letter| letter.is_ascii_digit())
    };
    let mut codes: Vec<&str> = text.split('"').filter(is_code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert!(codes.len() > 45, "only {} codes were found", codes.len());
    let stems: Vec<String> = cases().iter().map(|path| stem(path)).collect();
    let missing: Vec<&str> =
        codes.into_iter().filter(|code| !stems.iter().any(|stem| stem.starts_with(code))).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}
