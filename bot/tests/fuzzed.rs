//! Runs the fuzz targets of `fuzz/` on the input lines of the transcripts and on all inputs that once failed
//! (`tests/fuzzed/TARGET/`).

#[path = "../../fuzz/src/lib.rs"]
mod targets;

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
            targets::check(&target, &std::fs::read(&input).expect("readable"));
            count += 1;
        }
    }
    assert!(count > 0, "tests/fuzzed has inputs");
}

/// Transcripts contain valid input, so most fuzz targets get past input validation.
#[test]
fn fuzz_targets_accept_the_transcripts() {
    for path in files_below("transcripts") {
        let text = std::fs::read_to_string(&path).expect("readable");
        let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("> ")).collect();
        for (name, property) in targets::PROPERTIES {
            println!("{name} {}", path.display());
            lines.iter().for_each(|line| property(line.as_bytes()));
            property(lines.join("\n").as_bytes());
        }
    }
}
