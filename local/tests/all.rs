//! Tests of the program against a model of the site on 127.0.0.1. `cargo test -p otrera-local --test all matches::`
//! runs the tests of one file.

mod matches;
mod program;
mod site;
