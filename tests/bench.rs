//! Checks the behaviour checksum of every preset against the recorded one. A commit that changes the search must also
//! change the record.

use otrera::{Params, bench};

/// Presets with their checksums, one per line.
const RECORDED: &str = include_str!("data/bench.txt");

#[test]
fn every_preset_has_the_recorded_checksum() {
    let of_preset = |(name, params): &(&str, Params)| {
        let bench = bench::run(params);
        assert!(bench.iterations > bench::ITERATIONS, "{name} hardly searched: {bench:?}");
        format!("{name} {}", bench.checksum)
    };
    let numbers: Vec<String> = Params::NAMED.iter().map(of_preset).collect();
    let recorded: Vec<&str> = RECORDED.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(numbers, recorded, "if the change is intended, update tests/data/bench.txt");
}
