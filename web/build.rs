//! Inserts files into the page for `otrera gui`: replaces each line `{{FILE}}` in `page/page.html` with that file.
//! `pack.py` does this for `make web`.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=page");
    println!("cargo::rerun-if-changed=shared");
    let mut page = String::new();
    for line in fs::read_to_string("page/page.html")?.split_inclusive('\n') {
        let file = line.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        match file {
            Some(file) => page += &(fs::read_to_string(file)? + "\n"),
            None => page += line,
        }
    }
    let folder = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&folder).join("page.html"), page)
}
