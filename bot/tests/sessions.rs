//! Replays the transcripts in `bot/transcripts/` with the program. They show that bad input never loses a game.
//!
//! A transcript is a text file with one directive per line; `#` begins a comment.
//!
//! ```text
//! options ARGUMENTS     starts the program; <folder> is a new empty folder for this transcript.
//!                       Allowed again after `exits`
//! > TEXT                sends a line, in one write
//! >> TEXT               sends text without a line break
//! close input           closes the program's standard input
//! hang up               closes the reading end of the program's standard output
//! < TEXT                expects exactly this line; <version> is the program's version, <cores> the number of
//!                       cores of this machine, <memory> the MB of memory that the program can use
//! < json move           expects a legal move in Botzone's JSON, and plays the move on the board
//! < simple move         as `< json move`, for simple interaction
//! < sau move            as `< json move`, for the SAU platform
//! < uci move            as `< json move`, for UCI after any number of `info` lines
//! < debug               expects any line of less than 1 KB
//! silent N              expects no output for N milliseconds, and that the program keeps running
//! exits N [within MS]   expects that the program ends with status N within MS milliseconds, without further
//!                       output and without error output
//! recorded              expects a record in <folder> with exactly the moves played on the referee's board
//!
//! board start N         sets up the NxN start position on the referee's board, which uses Otrera's library
//! board FEN             sets up the position of a FEN on the referee's board
//! play MOVES            the referee plays these moves: f1-d3/g6 …
//! plies N               the referee plays N moves of its choice
//! pass                  the referee passes, after a message that is not a move
//! take back             the referee takes back the last move, and refuses that move at this ply from then on
//! ```
//!
//! Placeholders in the text sent:
//!
//! ```text
//! <CR> <LF> <NUL> <BOM> <byte FF>                invisible characters
//! <begin>                                        Black's first request in JSON, six times -1
//! <10000 x [>                                    the text `[` repeated 10000 times
//! <json move> <simple move> <sau move> <uci move>
//!                                                a legal move of the referee's choice, which the referee plays
//! <json move in lines>                           as <json move>, spread over several lines with CRLF
//! <json requests> <json responses>               the elements of the arrays in the request to the side to move
//! <simple history>                               the full history for the side to move: turn number and messages
//! <uci game>                                     all moves of the game
//! ```
//!
//! By default, an expectation fails after ten seconds. A failure names the file, the line and the output received.

#[path = "sessions/transcript.rs"]
mod transcript;

use otrera_bot::platforms::PLATFORMS;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testkit::program::Program;
use testkit::{at_once, skip};

/// Returns the prefixes of the transcripts' file names: those of [`PLATFORMS`], and `any`.
fn kinds() -> impl Iterator<Item = &'static str> {
    let of_platforms = PLATFORMS.iter().flat_map(|platform| platform.transcripts);
    std::iter::once("any").chain(of_platforms.copied())
}

fn protocol_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the paths of the transcripts, sorted by name.
fn transcripts() -> BTreeSet<PathBuf> {
    let entries = std::fs::read_dir(protocol_folder().join("transcripts")).expect("a folder of transcripts");
    entries.map(|entry| entry.expect("readable").path()).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[test]
fn all_transcripts_pass() {
    at_once(kinds(), |kind| {
        let mut paths = transcripts();
        paths.retain(|path| name(path).starts_with(&format!("{kind}-")));
        assert!(!paths.is_empty(), "bot/transcripts/ has no {kind}-….session");
        let failures: Vec<String> = paths.iter().filter_map(|path| transcript::play(path).err()).collect();
        assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
    });
}

/// Checks that every platform is in [`PLATFORMS`], `--help` and `bot/README.md`, and has transcripts.
#[test]
fn every_platform_is_listed_and_documented() {
    let modules = std::fs::read_dir(protocol_folder().join("src")).expect("a folder of modules");
    let modules = modules.map(|entry| entry.expect("readable").path());
    let main_file = |path: PathBuf| if path.is_dir() { path.join("mod.rs") } else { path };
    let modules = modules.chain([protocol_folder().join("../botzone/src/lib.rs")]);
    let texts = modules.map(|path| std::fs::read_to_string(main_file(path)).expect("a module's main file"));
    let defined = texts.filter(|text| text.contains("pub const PLATFORM: Platform")).count();
    assert_eq!(
        defined,
        PLATFORMS.len(),
        "left: modules of this crate and of botzone/ with a PLATFORM, right: in bot/src/platforms.rs"
    );

    let help = otrera_bot::cli::help();
    let readme = std::fs::read_to_string(protocol_folder().join("README.md")).expect("a README");
    for platform in PLATFORMS {
        assert!(help.contains(platform.speaker), "--help lists {}", platform.speaker);
        assert!(!platform.transcripts.is_empty(), "{} has transcripts", platform.name);
        let section = format!("\n## {}", platform.name);
        assert!(readme.contains(&section), "bot/README.md has a section {section:?}");
        if let Some((command, meaning)) = platform.command {
            assert!(help.contains(&format!("otrera {command} ")) && help.contains(meaning), "{command}");
        }
    }
}

#[test]
fn every_transcript_is_played_and_documented() {
    let readme = std::fs::read_to_string(protocol_folder().join("README.md")).expect("a README");
    let told: BTreeSet<String> = readme
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '.'))
        .filter(|word| word.ends_with(".session"))
        .map(str::to_owned)
        .collect();
    let there: BTreeSet<String> = transcripts().iter().map(|path| name(path)).collect();
    assert_eq!(told, there, "left: named in bot/README.md, right: in bot/transcripts/");
    let played = |name: &String| kinds().any(|kind| name.starts_with(&format!("{kind}-")));
    assert!(there.iter().all(played), "a name begins with one of {:?}", kinds().collect::<Vec<_>>());
}

/// The SAU platform discards a command that arrives in pieces, and reads only the first of two commands that arrive
/// together. Skipped if `strace` cannot trace system calls.
#[test]
fn each_sau_command_is_one_write() {
    let trace = std::env::temp_dir().join(format!("otrera-trace-{}", std::process::id()));
    let mut command = Command::new("strace");
    command.args(["-f", "-e", "trace=write", "-s", "100", "-o"]).arg(&trace);
    let watchable = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    if !watchable.is_ok_and(|output| output.status.success()) {
        return skip(
            "each_sau_command_is_one_write",
            "strace is not there (sudo apt-get install strace), or not allowed",
        );
    }
    command.arg(env!("CARGO_BIN_EXE_otrera")).args(["--iterations", "50", "--name", "Trace"]);
    let mut program = Program::start(command);
    program.send(b"name?\nnew black\n");
    let limit = Duration::from_secs(20);
    let mut lines = vec![program.line(limit).unwrap(), program.line(limit).unwrap()];
    program.send(b"error\n");
    lines.push(program.line(limit).unwrap());
    program.send(b"quit\n");
    assert_eq!(program.exit(limit).unwrap().status, Some(0));
    let calls = std::fs::read_to_string(&trace).expect("strace wrote its file");
    let _ = std::fs::remove_file(&trace);
    let writes: Vec<String> = calls
        .lines()
        .filter_map(|line| line.split_once("write(1, "))
        // The call's result follows, on another line if another thread was traced in between.
        .filter_map(|(_, call)| call.split([')', '<']).next().map(|arguments| arguments.trim().to_owned()))
        .collect();
    // The searcher's answers to the guardian are writes too.
    let is_of_guardian = |call: &String| call.starts_with("\"name ") || call.starts_with("\"move ");
    let writes: Vec<String> = writes.into_iter().filter(is_of_guardian).collect();
    let call = |line: &String| format!("\"{line}\\n\", {length}", length = line.len() + 1);
    assert_eq!(writes, lines.iter().map(call).collect::<Vec<_>>());
}
