//! Checks the laws of `fuzz/`, the properties that its fuzz targets test, on the input lines of the transcripts and on
//! every input that once violated a law (`tests/fuzzed/TARGET/`).

#[path = "../../fuzz/src/lib.rs"]
mod laws;

use std::path::{Path, PathBuf};

fn files_below(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("readable").path()).collect()
}

#[test]
fn past_fuzzing_failures_stay_fixed() {
    let mut count = 0;
    for folder in files_below("tests/fuzzed") {
        let target = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for input in files_below(&format!("tests/fuzzed/{target}")) {
            println!("{}", input.display());
            laws::check(&target, &std::fs::read(&input).expect("readable"));
            count += 1;
        }
    }
    assert!(count > 0, "tests/fuzzed has inputs");
}

/// Transcripts contain valid input, so most laws test more than the rejection of invalid input.
#[test]
fn fuzz_laws_hold_for_the_transcripts() {
    for path in files_below("transcripts") {
        let text = std::fs::read_to_string(&path).expect("readable");
        let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("> ")).collect();
        for (name, law) in laws::LAWS {
            println!("{name} {}", path.display());
            lines.iter().for_each(|line| law(line.as_bytes()));
            law(lines.join("\n").as_bytes());
        }
    }
}
