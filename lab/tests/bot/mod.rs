//! Path of the bot's executable, for tests in which the laboratory runs it. The executable of the arena is in the same
//! folder.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// Returns the path of the executable in the target folder and profile of these tests; builds the program if needed.
pub fn path() -> &'static str {
    static BOT: LazyLock<String> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_BIN_EXE_lab")).parent().expect("the folder of a profile");
        let profile = match folder.file_name().and_then(|name| name.to_str()) {
            Some("debug") | None => "dev",
            Some(name) => name,
        };
        let program = folder.join("otrera");
        // `make test` has just built it.
        if std::env::var_os("OTRERA_IS_BUILT").is_some() && program.exists() {
            return program.to_str().expect("a path in UTF-8").to_owned();
        }
        let mut cargo = Command::new(env!("CARGO"));
        // Builds the whole workspace, so that dependencies get the same features as in the tests.
        cargo.args(["build", "--quiet", "--workspace", "--bin", "otrera", "--bin", "arena"]);
        cargo.args(["--profile", profile]);
        cargo.arg("--target-dir").arg(folder.parent().expect("the target folder"));
        assert!(cargo.status().expect("cargo runs").success(), "the bot could not be built");
        program.to_str().expect("a path in UTF-8").to_owned()
    });
    &BOT
}
