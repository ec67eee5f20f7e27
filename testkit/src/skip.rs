//! Reports tests that cannot run on this machine, in the test output and in the list at the end of `make test`.

use std::fs::OpenOptions;
use std::io::Write;

/// Reports a skipped test and its missing requirement.
pub fn skip(test: &str, missing: &str) {
    eprintln!("SKIPPED {test}: {missing}");
    if let Some(list) = std::env::var_os("OTRERA_SKIPPED") {
        let mut list = OpenOptions::new().append(true).open(list).expect("the list of scripts/tests.sh");
        list.write_all(format!("{test}: {missing}\n").as_bytes()).expect("a line fits on the disk");
    }
}
