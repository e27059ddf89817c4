//! The five documents to the letter: each mistake of theirs is found before anything is deployed.
//! Beside each file stands what must be found in it: severity, code and a word of the message.

use std::fs;
use std::path::{Path, PathBuf};

use design::check::check;
use design::diagnostic::Diagnostic;
use design::read::read;

fn found(path: &Path) -> Vec<Diagnostic> {
    let text = fs::read_to_string(path).expect("the file is readable");
    let (design, mut found) = read(&path.display().to_string(), &text);
    if let Some(design) = design {
        found.extend(check(&design));
    }
    found
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(folder).expect("the folder is readable");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the entry is readable").path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(ending));
    paths.sort();
    paths
}

/// Whether a line such as `error K002 RecipeMetadata` speaks of this finding.
fn is_meant(line: &str, finding: &Diagnostic) -> bool {
    let mut words = line.splitn(3, ' ');
    words.next() == Some(finding.severity.name())
        && words.next() == Some(&finding.code)
        && words.next().is_some_and(|word| finding.message.contains(word))
}

#[test]
fn every_mistake_of_the_documents_is_named() {
    let paths = files("tests/as_written", ".design.yaml");
    assert_eq!(paths.len(), 9, "files in tests/as_written");
    let mut missing = Vec::new();
    for path in paths {
        let found = found(&path);
        let expected = PathBuf::from(path.to_string_lossy().replace(".design.yaml", ".expected"));
        for line in fs::read_to_string(&expected).expect("what is expected stands beside the file").lines() {
            if !found.iter().any(|finding| is_meant(line, finding)) {
                let found: Vec<String> = found.iter().map(ToString::to_string).collect();
                missing.push(format!("{}: `{line}` is not among\n{}", expected.display(), found.join("\n")));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n\n"));
}

#[test]
fn each_transcription_is_refused() {
    for path in files("tests/as_written", ".design.yaml") {
        let errors = found(&path).iter().filter(|finding| finding.severity.name() == "error").count();
        assert!(errors > 0, "{} has no error", path.display());
    }
}

#[test]
fn the_designs_that_were_made_of_them_have_no_errors() {
    let paths = files("../../designs", ".design.yaml");
    assert_eq!(paths.len(), 5, "files in designs");
    for path in paths {
        let found = found(&path);
        let errors: Vec<String> = found
            .iter()
            .filter(|finding| finding.severity.name() == "error")
            .map(ToString::to_string)
            .collect();
        assert!(errors.is_empty(), "{}", errors.join("\n"));
    }
}

#[test]
fn the_template_of_the_stock_document_reads_as_it_stands() {
    let paths = files("../../designs", ".template.yaml");
    assert_eq!(paths.len(), 1, "templates in designs");
    for path in paths {
        let errors = found(&path);
        assert!(errors.iter().all(|finding| finding.severity.name() != "error"), "{errors:?}");
    }
}
