//! Protection of the user's files and machine: no file is overwritten or truncated, no program is left running, two
//! processes never write the same file, invalid numbers are refused, and every failure has a message.

use crate::laboratory::{Run, count_running, eventually, lab, run, run_in, write_script};
use fastrand::Rng;
use otrera::eval::inputs::PLY_PART;
use otrera::eval::weights::WeightsFile;
use otrera::record::json;
use otrera::{GameRecord, PlayedMove, Position};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{File, read_to_string};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use testkit::{Folder, random_record, size};

/// Command that plays quick games into `games.jsonl`, without the number of games, which the test appends.
const GAMES: &str = "match random greedy --size 6 --plies 0 --concurrency 1 --output games.jsonl --games";

/// Checks that the command fails with this text in its error output.
#[track_caller]
fn check_refusal(folder: &Folder, line: &str, complaint: &str) {
    run_in(folder, line).assert_refused(complaint);
}

/// Runs the laboratory in a folder with a file size limit of `blocks` (`ulimit -f`), which simulates a full disk.
fn run_with_full_disk(folder: &Folder, blocks: u32, line: &str) -> Run {
    let script = format!("ulimit -f {blocks}; exec {} {line}", env!("CARGO_BIN_EXE_lab"));
    run(Command::new("sh").args(["-c", &script]).current_dir(&folder.0))
}

/// Writes a program that never answers, and returns its path. The program and its child sleep for `seconds`.
fn sleeper(folder: &Folder, seconds: &str) -> String {
    write_script(folder, "sleeper", &format!("sleep {seconds} &\nsleep {seconds}"))
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), signal).unwrap();
}

// --- Fits ----------------------------------------------------------------------------------------

#[test]
fn fits_with_too_few_games_are_refused() {
    let folder = Folder::new("too-little");
    let source = folder.write("src/eval/weights/fitted.json", "precious");
    let players = "tournament,iterations=20 tournament,iterations=30";
    run_in(&folder, &format!("match {players} --games 1 --size 4 --plies 0 --output one.jsonl")).printed();
    for (command, complaint) in [
        ("fit-policy one.jsonl", "at least 1000 and 100 are needed"),
        ("fit-network one.jsonl", "at least 5000 and 500 are needed"),
        ("tune tournament,iterations=5 c=3:0.5 --size 4 --pairs 99", "expected from 100 to 10000000 pairs"),
    ] {
        check_refusal(&folder, command, complaint);
    }
    assert_eq!(read_to_string(&source).unwrap(), "precious");
    assert!(!folder.join("results/policy.json").exists());
    assert!(!folder.join("results/network.json").exists());
}

#[test]
fn unsuitable_weights_are_refused_before_any_game() {
    let folder = Folder::new("weights");
    let mut weights = WeightsFile::built_in();
    let network = weights.networks.small.as_mut().unwrap();
    network.network.rows[0][0] += 1;
    folder.write("small.json", &weights.write());
    folder.write("field.toml", "players = ['random', 'tournament,model=small.json']");
    let complaint = "lab: tournament,model=small.json: its network is for boards up to 8x8, not for 10x10: ";
    for (command, complaint) in [
        ("match random PLAYER", complaint),
        ("match PLAYER random --size 9", "not for 9x9"),
        ("self-play PLAYER", complaint),
        ("tourney field.toml", complaint),
        ("judge true --size 10 --opponent PLAYER", complaint),
        ("regret PLAYER", complaint),
        ("tune PLAYER,iterations=5 c=3:0.5", ": its network is for boards up to 8x8"),
    ] {
        check_refusal(&folder, &command.replace("PLAYER", "tournament,model=small.json"), complaint);
    }
    let network = weights.networks.small.as_mut().unwrap();
    network.network.rows_of(PLY_PART)[0][5] = i16::MAX;
    network.network.rows[0][5] = i16::MAX;
    folder.write("large.json", &weights.write());
    let command = "match random tournament,model=large.json --size 8";
    check_refusal(&folder, command, "large.json: network small: a hidden unit is ");
    assert!(!folder.join("results").exists());
}

/// Returns games with random win rates, enough to train a network.
fn games_for_a_network() -> String {
    let mut rng = Rng::with_seed(1);
    let with_win_rate =
        |mv, rng: &mut Rng| PlayedMove { win_rate: Some(0.01 + 0.98 * rng.f32()), ..PlayedMove::from(mv) };
    let game = |number: u64| {
        let game = random_record(Position::start(size(6)), ["a", "b"], usize::MAX, &mut rng, with_win_rate);
        json::write(&GameRecord { number, ..game }) + "\n"
    };
    (0..500).map(game).collect()
}

#[test]
fn an_unwritable_network_is_refused_early_or_kept() {
    let folder = Folder::new("kept");
    folder.write("games.jsonl", &games_for_a_network());
    let fit = "fit-network games.jsonl --epochs 1 --output";
    let Run { status, printed, said } = run_with_full_disk(&folder, 60, &format!("{fit} full.json"));
    assert_eq!((status, printed.as_str()), (Some(1), ""), "{said}");
    assert_eq!(said, "lab: full.json: File too large (os error 27): name another file\n");
    symlink("/dev/full", folder.file("device.json")).unwrap();
    std::fs::create_dir(folder.join("tmp")).unwrap();
    let mut command = lab(&format!("{fit} device.json"));
    let Run { status, said, .. } = run(command.env("TMPDIR", folder.join("tmp")).current_dir(&folder.0));
    assert_eq!(status, Some(1), "{said}");
    let copy = said
        .strip_prefix("lab: device.json: No space left on device (os error 28); the text is in ")
        .unwrap_or_else(|| panic!("{said}"));
    WeightsFile::read(&read_to_string(copy.trim_end()).unwrap()).unwrap();
    // The last line printed is a command that plays with the network.
    let printed = run_in(&folder, &format!("{fit} network.json")).printed();
    let play = printed.lines().last().and_then(|line| line.strip_prefix("play with it:  ")).unwrap();
    let play = format!("{play} --games 2 --plies 0 --iterations 9");
    let played = run(Command::new("sh").args(["-c", &play]).current_dir(&folder.0));
    assert!(played.printed.contains("too few games for an Elo"), "{play}: {played:?}");
}

// --- Files -------------------------------------------------------------------------------------------------

#[test]
fn no_command_overwrites_its_input() {
    let folder = Folder::new("overwritten");
    run_in(&folder, &format!("{GAMES} 2").replace("games.jsonl", "page.html")).printed();
    let before = read_to_string(folder.file("page.html")).unwrap();
    symlink(folder.file("page.html"), folder.file("link")).unwrap();
    let is_input = "is an input and would be overwritten: name another file";
    for (command, complaint) in [
        ("convert page.html --output link", is_input),
        ("fit-policy page.html --output ./page.html", is_input),
        ("tune tournament,iterations=5 c=3:0.5 --output page.html", "page.html: exists: add --resume"),
    ] {
        check_refusal(&folder, command, complaint);
    }
    assert_eq!(read_to_string(folder.file("page.html")).unwrap(), before);
}

#[test]
fn no_command_overwrites_a_foreign_file() {
    let folder = Folder::new("foreign");
    run_in(&folder, &format!("{GAMES} 1")).printed();
    let commands = [
        ("picture --output out", "<svg>mine</svg>\n"),
        ("convert games.jsonl --output out", "{\"match\":{}}\n"),
        ("convert games.jsonl --to sgf --output out", "(;GM[18]AP[another];B[djddgd])\n"),
        ("convert games.jsonl --to ccgc --output out", "notes\n"),
    ];
    for (command, content) in commands {
        folder.write("out", content);
        let complaint =
            "lab: out: exists and was not written by this command: move it, or name another file\n";
        check_refusal(&folder, command, complaint);
        assert_eq!(read_to_string(folder.file("out")).unwrap(), content, "{command}");
        for earlier in [Some(""), None] {
            if let Some(content) = earlier {
                folder.write("out", content);
            }
            run_in(&folder, command).printed();
            assert_ne!(read_to_string(folder.file("out")).unwrap(), "", "{command}");
        }
    }
    for command in ["fit-network games.jsonl --output", "fit-lead games.jsonl --output"] {
        folder.write("out", "notes\n");
        check_refusal(&folder, &format!("{command} out"), "out: exists and was not written by this command");
    }
    assert_eq!(read_to_string(folder.file("out")).unwrap(), "notes\n");
}

#[test]
fn a_failed_start_leaves_no_file_that_blocks_the_next() {
    let folder = Folder::new("blocked");
    let commands = [
        "match random greedy --size 6 --plies 0 --games 1 --output out",
        "self-play tournament --iterations 5 --size 6 --games 1 --output out",
    ];
    for command in commands {
        for _ in 0..2 {
            let mut lab = lab(&format!("{command} --cluster local"));
            let failed = run(lab.env("OTRERA_PYTHON", "/missing/python").current_dir(&folder.0));
            failed.assert_refused("OTRERA_PYTHON: /missing/python does not start");
            assert!(!folder.join("out").exists(), "{command}");
        }
        // Not even the first line fits on this disk.
        assert_eq!(run_with_full_disk(&folder, 0, command).status, Some(1), "{command}");
        assert!(!folder.join("out").exists(), "{command}");
        run_in(&folder, command).printed();
        let kept = std::fs::read(folder.file("out")).unwrap();
        check_refusal(&folder, command, "out: exists: add --resume");
        assert_eq!(std::fs::read(folder.file("out")).unwrap(), kept);
        std::fs::remove_file(folder.file("out")).unwrap();
    }
}

#[test]
fn special_and_oversized_input_files_are_refused() {
    let folder = Folder::new("no-input");
    assert!(Command::new("mkfifo").arg(folder.file("pipe")).status().unwrap().success());
    for input in ["/dev/zero", "pipe"] {
        for command in ["convert", "report", "fit-network", "tourney", "match random greedy --book"] {
            let complaint = format!("lab: {input}: is not a regular file: name one\n");
            check_refusal(&folder, &format!("{command} {input}"), &complaint);
        }
        let command = format!("match random tournament,model={input}");
        check_refusal(&folder, &command, "is not a regular file: name one");
    }
    check_refusal(&folder, "convert .", "lab: .: is not a regular file: name one\n");
    File::create(folder.file("large")).and_then(|file| file.set_len((512 << 20) + 1)).unwrap();
    check_refusal(&folder, "convert large", "lab: large: is larger than 512 MB: split it\n");
}

#[test]
fn unwritable_outputs_are_refused_at_the_start() {
    let folder = Folder::new("no-output");
    run_in(&folder, &format!("{GAMES} 1")).printed();
    assert!(Command::new("mkfifo").arg(folder.file("pipe")).status().unwrap().success());
    let games = "match random greedy --games 1 --output";
    for file in ["/dev/full", "pipe", ".", "/dev/full --resume", "pipe --resume", ". --resume"] {
        check_refusal(&folder, &format!("{games} {file}"), "is not a regular file");
    }
    for (command, complaint) in [
        (&*format!("{games} games.jsonl/x.jsonl"), "games.jsonl: "),
        ("convert games.jsonl --output /dev/full", "/dev/full: No space left"),
        ("table Z-2 --folder games.jsonl", "games.jsonl/full: Not a directory"),
        ("endgames --puzzles games.jsonl/x", "games.jsonl: "),
    ] {
        check_refusal(&folder, command, complaint);
    }
}

/// A full disk can also truncate a line.
#[test]
fn a_full_disk_loses_no_finished_game() {
    let folder = Folder::new("full");
    let Run { status, said, .. } = run_with_full_disk(&folder, 6, &format!("{GAMES} 30"));
    let problem = "lab: games.jsonl: File too large (os error 27)\n";
    assert!(status == Some(1) && said.ends_with(problem), "{said}");
    let text = read_to_string(folder.file("games.jsonl")).unwrap();
    assert!(text.ends_with("}\n") && (2..30).contains(&text.lines().count()), "{text}");
    let printed = run_in(&folder, &format!("{GAMES} 30 --resume")).printed();
    let after = read_to_string(folder.file("games.jsonl")).unwrap();
    assert!(after.starts_with(&text) && after.lines().count() == 31, "{printed}");
}

#[test]
fn a_match_survives_a_closed_output_pipe() {
    let folder = Folder::new("output");
    let mut child = lab(&format!("{GAMES} 40")).current_dir(&folder.0).spawn().unwrap();
    drop(child.stdout.take());
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    assert_eq!(read_to_string(folder.file("games.jsonl")).unwrap().lines().count(), 41);
    let problem = "lab: standard output: No space left on device (os error 28)\n";
    for command in ["table Z-2 --folder tables", "convert games.jsonl"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let Run { status, said, .. } = run(lab(command).stdout(full).current_dir(&folder.0));
        assert!(status == Some(1) && said.ends_with(problem), "{command}: {said}");
    }
}

#[test]
fn blank_lines_and_missing_newlines_lose_no_game() {
    let folder = Folder::new("blank");
    run_in(&folder, &format!("{GAMES} 3")).printed();
    let resume = format!("{GAMES} 4 --resume");
    let text = read_to_string(folder.file("games.jsonl")).unwrap();
    let spaced = text.replace('\n', "\n\n \n");
    for changed in
        [spaced.as_str(), &format!("\n{spaced}"), text.trim_end(), &spaced.trim_end().replace("} \n", "}\n")]
    {
        folder.write("games.jsonl", changed);
        run_in(&folder, &resume).printed();
        let after = read_to_string(folder.file("games.jsonl")).unwrap();
        assert!(after.starts_with(changed), "{changed:?} became {after:?}");
        assert_eq!(after.lines().filter(|line| line.contains("\"number\"")).count(), 4);
    }
    let broken = text.replace("\"number\":1", "\"number\":");
    folder.write("games.jsonl", &broken);
    check_refusal(&folder, &resume, "games.jsonl: line 3: ");
    assert_eq!(read_to_string(folder.file("games.jsonl")).unwrap(), broken);
}

// --- Programs ----------------------------------------------------------------------------------------------

#[test]
fn a_missing_program_is_reported_before_any_game() {
    let folder = Folder::new("missing");
    let player = "cmd:/is/not/there --flag,proto=botzone-simple";
    folder.write("field.toml", &format!("players = ['random', 'greedy', '{player}']"));
    for command in [
        "match 'PLAYER' random --output games.jsonl",
        "match random 'PLAYER' --output games.jsonl",
        "judge /is/not/there",
        "judge true --opponent 'PLAYER'",
        "tourney field.toml",
    ] {
        let complaint = "lab: /is/not/there cannot be started: No such file or directory";
        check_refusal(&folder, &command.replace("PLAYER", player), complaint);
    }
    assert!(!folder.join("games.jsonl").exists() && !folder.join("results").exists());
}

#[test]
fn the_reason_for_a_forfeit_is_printed() {
    let folder = Folder::new("reasons");
    let player = "cmd:sh /is/not/there.sh,proto=botzone-simple";
    let printed = run_in(&folder, &format!("match '{player}' random --games 2 --size 6 --plies 0")).printed();
    let reason = format!("{player} lost 2 by crash, first: RE: the program ended with exit status: ");
    assert!(printed.contains(&reason), "{printed}");
}

/// Starts a command in a folder and waits until [`sleeper`] and its child run.
fn start_with_sleeper(mut command: Command, folder: &Folder, seconds: &str) -> Child {
    let child = command.current_dir(&folder.0).stderr(Stdio::piped()).spawn().unwrap();
    assert!(eventually(|| count_running(&format!("sleep {seconds}")) >= 2), "the program has not started");
    child
}

/// Sends `signal` to a command in which [`sleeper`] plays; checks that the command, the sleeper and its child end.
/// Returns the error output.
fn interrupt(command: Child, seconds: &str, signal: Signal) -> String {
    send(&command, signal);
    let Output { status, stderr, .. } = command.wait_with_output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(128 + signal.as_raw()), "{said}");
    assert!(eventually(|| count_running(&format!("sleep {seconds}")) == 0), "the program still runs");
    said
}

/// Writes [`sleeper`] into the folder and returns the command line of a long match against it.
fn match_with_sleeper(folder: &Folder, seconds: &str) -> String {
    let player = format!("cmd:{},proto=botzone-simple", sleeper(folder, seconds));
    format!("match random {player} --games 4 --time 50 --size 8 --plies 0 --output games.jsonl --resume")
}

#[test]
fn an_interrupted_match_prints_how_to_resume() {
    let folder = Folder::new("interrupted");
    let command = match_with_sleeper(&folder, "514201");
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        let said = interrupt(start_with_sleeper(lab(&command), &folder, "514201"), "514201", signal);
        let advice = "lab: interrupted; the games so far are in games.jsonl; \
                      to resume, run the same command with --output games.jsonl --resume\n";
        assert!(said.ends_with(advice), "{said}");
        let text = read_to_string(folder.file("games.jsonl")).unwrap();
        assert_eq!(text.lines().count(), 1, "an interrupted game must not count as lost: {text}");
    }
}

#[test]
fn interrupted_judges_and_tournaments_end_their_programs() {
    let folder = Folder::new("interrupted-others");
    let program = sleeper(&folder, "514202");
    let field =
        format!("players = ['random', 'cmd:{program},proto=botzone-json']\nsize = 8\nplies = 0\ntime = 50");
    folder.write("field.toml", &field);
    let advice = "; the games so far are in results/field; to resume, run the same command";
    for (command, signal, advice) in [
        ("judge PROGRAM --time 50 --mode simple --load 1", Signal::INT, ""),
        ("judge PROGRAM --time 50 --mode json-keep --load 1", Signal::INT, ""),
        ("judge PROGRAM --time 50 --mode simple --opponent itself", Signal::TERM, ""),
        ("tourney field.toml", Signal::TERM, advice),
    ] {
        let command = lab(&command.replace("PROGRAM", &program));
        let said = interrupt(start_with_sleeper(command, &folder, "514202"), "514202", signal);
        assert_eq!(said, format!("lab: interrupted{advice}\n"));
    }
}

/// Blocks the handling of the first signal: the test does not read the command's error output, and the pipe is full.
#[test]
fn a_second_signal_ends_the_program_immediately() {
    let folder = Folder::new("second");
    // Progress lines name both players, so a long name soon fills the pipe.
    let player = "tournament".to_owned() + &",iterations=1".repeat(100);
    let field = format!("players = ['random', '{player}']\nsize = 4\nplies = 0\ngames = 100000");
    folder.write("field.toml", &field);
    let mut child = lab("tourney field.toml").current_dir(&folder.0).spawn().unwrap();
    let length = || std::fs::metadata(folder.file("results/field/0-1.jsonl")).map_or(0, |file| file.len());
    let second = Duration::from_secs(1);
    let is_stuck = || {
        let before = length();
        sleep(second);
        before > 0 && before == length()
    };
    assert!((0..60).any(|_| is_stuck()), "it must wait for a reader of its output");
    send(&child, Signal::INT);
    sleep(second);
    assert_eq!(child.try_wait().unwrap(), None, "the reaction to the first signal must wait for a reader");
    send(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(128 + Signal::INT.as_raw()));
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = Folder::new("nohup");
    let line = match_with_sleeper(&folder, "514203");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("trap '' HUP; exec {} {line}", env!("CARGO_BIN_EXE_lab"))]);
    let child = start_with_sleeper(command, &folder, "514203");
    send(&child, Signal::HUP);
    sleep(Duration::from_millis(300));
    assert!(count_running("sleep 514203") >= 2, "SIGHUP ended the program");
    interrupt(child, "514203", Signal::TERM);
}

#[test]
fn two_processes_cannot_write_one_results_file() {
    let folder = Folder::new("two");
    let command = match_with_sleeper(&folder, "514204");
    let first = start_with_sleeper(lab(&command), &folder, "514204");
    let before = read_to_string(folder.file("games.jsonl")).unwrap();
    let complaint = "games.jsonl: another lab is writing this file: wait for its end, or name another file";
    check_refusal(&folder, &command, complaint);
    check_refusal(&folder, &format!("{command} --replay-late"), complaint);
    assert_eq!(read_to_string(folder.file("games.jsonl")).unwrap(), before);
    interrupt(first, "514204", Signal::TERM);
    interrupt(start_with_sleeper(lab(&command), &folder, "514204"), "514204", Signal::TERM);
}

#[test]
fn an_unreachable_cluster_is_refused_within_ten_seconds() {
    let folder = Folder::new("no-cluster");
    folder.write("field.toml", "players = ['random', 'greedy']\n");
    // Two servers that are not Ray: one answers with something else, one never answers.
    let [other, silent] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let ports = [&other, &silent].map(|listener| listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        other.incoming().flatten().for_each(|mut stream| {
            stream.write_all(b"SSH-2.0-OpenSSH\r\n").unwrap();
            drop(stream.read(&mut [0; 64]));
        })
    });
    let [other, silent] = ports.map(|port| format!("127.0.0.1:{port}"));
    for (address, command, problem) in [
        ("127.0.0.1:1", "match random greedy", "Connection refused"),
        ("127.0.0.1:1", "tourney field.toml", "Connection refused"),
        ("[::1]:1", "self-play", ""),
        // Names under .invalid do not exist (RFC 6761).
        ("host.invalid:6379", "tune tournament c=3:0.5", ""),
        (&other, "match random greedy", "another service listens there"),
        (&silent, "match random greedy", "no answer"),
    ] {
        let begun = Instant::now();
        let complaint = format!("no Ray cluster at this address ({problem}");
        check_refusal(&folder, &format!("{command} --cluster {address}"), &complaint);
        assert!(begun.elapsed() < Duration::from_secs(10), "{address}");
    }
    assert!(!folder.join("results").exists());
}

// --- Numbers -----------------------------------------------------------------------------------------------

/// Commands with an invalid number, by the message that names the valid ones.
const INVALID: &[(&str, &[&str])] = &[
    (
        "expected a whole number from 1 to 10000000",
        &[
            "match random greedy --games 0",
            "match random greedy --games 9223372036854775808",
            "self-play --games 1000000000000",
            "judge true --games 18446744073709551615",
            "sau true --games 10000001",
            "train --match-games 99999999999",
        ],
    ),
    (
        "a whole number from 1 to 1000000000",
        &[
            "match random greedy --iterations 18446744073709551615",
            "regret tournament --positions 4294967297",
            "fit-policy games.jsonl --epochs 0",
            "fit-network games.jsonl --epochs 0",
            "endgames --each 0",
        ],
    ),
    ("expected a whole number from 1 to 32768", &["regret tournament --memory 32769"]),
    ("random plies of self-play need a larger board", &["train --size 4"]),
    (
        "expected a whole number from 1 to 1024",
        &["match random greedy --concurrency 0", "endgames --concurrency 0"],
    ),
    (
        "expected a number of seconds above 0, at most 1000000",
        &[
            "match random greedy --time nan",
            "match random greedy --game-time 0",
            "judge true --time 0",
            "tourney speed.toml",
        ],
    ),
    ("expected a number of seconds from 0 to 1000000", &["match random greedy --grace inf"]),
    (
        "expected a number above 0, at most 1",
        &[
            "fit-network games.jsonl --rate 0",
            "fit-network games.jsonl --rate 1e30",
            "fit-policy games.jsonl --rate inf",
            "tune tournament c=3:0.5 --rate 1e30",
        ],
    ),
    ("expected a number from 0 to 1", &["match random greedy --balance nan"]),
    (
        "out of range: elo0 < elo1, both from -1000 to 1000",
        &[
            "match random greedy --sprt 20,0",
            "match random greedy --sprt 0,1e309",
            "match random greedy --sprt -1e9,0",
            "match random greedy --sprt 0,nan",
            "train --sprt 0,1e309",
        ],
    ),
    ("alpha and beta from 0.000001, alpha + beta < 1", &["match random greedy --sprt 0,5,1e-320,0.05"]),
    (
        "expected local, or HOST:PORT of a `ray start --head`",
        &["match random greedy --cluster nonsense", "match random greedy --cluster host:port"],
    ),
    (
        "expected a depth from 1 to 10",
        &["match random alphabeta:territory:0", "match random alphabeta:territory:99"],
    ),
    (
        "expected a finite positive step and a finite start",
        &["tune tournament c=inf:0.5", "tune tournament c=3:inf"],
    ),
    (
        "expected from 100 to 10000000 pairs",
        &["tune tournament c=3:0.5 --pairs 99999999999", "tune tournament c=3:0.5 --pairs 0"],
    ),
    ("unexpected argument", &["match random greedy --games -1"]),
    ("--plies 5: expected 0 to 4, half of a game on 4x4", &["match random greedy --plies 5 --size 4"]),
    (
        "--random-plies 9999: expected 0 to 8, half of a game on 5x5",
        &["self-play --random-plies 9999 --size 5"],
    ),
    ("take no --cluster", &["table threads --cluster local"]),
    ("over.txt: contains no opening", &["match random greedy --book over.txt"]),
    ("greedy does not take 9", &["match random greedy:paper:9"]),
    ("write parameters of tournament after commas", &["match random tournament:2"]),
    ("a program takes only share=N, with proto=uci", &["match cmd:true,proto=sau,share=0.5 random"]),
    ("a number above 0, at most 1", &["match cmd:true,proto=uci,share=2 random"]),
    (
        "iterations has no effect with this command",
        &["self-play tournament,iterations=9", "regret tournament,iterations=9"],
    ),
    ("threads has no effect with this command", &["regret tournament --judge tournament,threads=2"]),
    (
        "share has no effect without --time or --game-time",
        &[
            "match tournament,share=0.5 greedy --iterations 9",
            "match cmd:true,proto=uci,share=0.5 random --free",
        ],
    ),
    ("share has no effect with iterations", &["match tournament,share=0.5,iterations=9 random"]),
    ("over.txt: contains no position", &["regret tournament --fens over.txt"]),
    ("none.toml: line 1: players", &["regret tournament --fens none.toml"]),
    ("expected a number from 0 to 100", &["regret tournament --list nan"]),
    ("expected a number of moves from 0 to 100", &["lead-puzzles --puzzles leads.txt --lead nan"]),
    ("threads=0: expected a whole number from 1 to 1024", &["match random tournament,threads=0"]),
    ("burst=1.5: expected a whole number from 1 to 1000", &["match random tournament,burst=1.5"]),
    ("100000 is not in", &["judge true --load 100000"]),
    ("games: expected a whole number from 1 to 10000000", &["tourney none.toml"]),
    ("expected two or more different players", &["tourney alone.toml"]),
];

#[test]
fn invalid_numbers_are_refused_with_the_valid_range() {
    let folder = Folder::new("absurd");
    run_in(&folder, &format!("{GAMES} 1")).printed();
    folder.write("none.toml", "players = ['random', 'greedy']\ngames = 0\n");
    folder.write("alone.toml", "players = ['random']\n");
    folder.write("speed.toml", "players = ['random', 'greedy']\ntime = 0\n");
    folder.write("over.txt", "# a game that ends\n");
    for (complaint, commands) in INVALID {
        for command in *commands {
            check_refusal(&folder, command, complaint);
        }
    }
    assert!(!folder.join("results").exists(), "no command may begin");
}
