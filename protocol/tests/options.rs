//! Options, the file otrera.toml, the commands and the log: mistakes are told to the person who made them,
//! and to nobody during a game.

#[path = "sessions/program.rs"]
mod program;

use program::{Exit, Program};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const OTRERA: &str = env!("CARGO_BIN_EXE_otrera");

/// Black's first turn in simple interaction.
const FIRST_TURN: &[u8] = b"1\n-1 -1 -1 -1 -1 -1\n";

/// What makes a game's moves depend on nothing else.
const FIXED: [&str; 4] = ["--iterations", "200", "--seed", "1"];

/// Runs a program to its end.
fn run<'a>(program: impl AsRef<Path>, arguments: impl IntoIterator<Item = &'a str>, input: &[u8]) -> Exit {
    let mut command = Command::new(program.as_ref());
    command.args(arguments).env("TMPDIR", env!("CARGO_TARGET_TMPDIR"));
    let mut program = Program::start(command);
    program.send(input.to_vec());
    program.close_input();
    program.exit(Duration::from_secs(60)).unwrap_or_else(|problem| panic!("{problem}"))
}

/// A new empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("options-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// The executable in a new folder, to put an otrera.toml beside it.
fn installed(name: &str) -> PathBuf {
    let executable = folder(name).join(Path::new(OTRERA).file_name().expect("a file"));
    // A link: a copy that another thread's child still holds open for writing could not be started.
    std::fs::hard_link(OTRERA, &executable).expect("the same file system");
    executable
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the folder's name is UTF-8")
}

/// The move that is answered when nothing is wrong.
fn usual_move() -> String {
    first_line(run(OTRERA, FIXED, FIRST_TURN))
}

/// The answer of a game that went as it should.
fn first_line(exit: Exit) -> String {
    assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""), "printed: {}", exit.rest);
    assert_eq!(exit.rest.lines().count(), 2, "a move and a debug line: {}", exit.rest);
    exit.rest.lines().next().expect("two lines").to_owned()
}

fn assert_contains(text: &str, wanted: &str) {
    assert!(text.contains(wanted), "{wanted:?} is missing in:\n{text}");
}

#[test]
fn a_bad_option_changes_nothing_and_is_logged_with_what_would_be_valid() {
    let folder = folder("bad-option");
    let mistakes: [(&[&str], &str); 21] = [
        (&["--colour", "red"], "--colour"),
        (&["-x"], "unknown option"),
        (&["word"], "unexpected argument word"),
        (&["--threads", "0"], "valid is a whole number from 1 to 1024"),
        (&["--threads", "many"], "--threads many: valid is"),
        (&["--memory", "-5"], "valid is a whole number from 1 to 65536"),
        (&["--memory=99999999999999999999999"], "--memory"),
        (&["--move-time", "0"], "valid is a number of seconds from 0.01 to 604800"),
        (&["--move-time", "NaN"], "--move-time NaN"),
        (&["--total-time=inf"], "--total-time inf"),
        (&["--move-overhead", "6"], "valid is a number of seconds from 0 to 5"),
        (&["--side", "green"], "--side green: valid are black, white"),
        (&["--size", "3"], "valid is a whole number from 4 to 10"),
        (&["--size", "8.0"], "--size 8.0"),
        (&["--preset", "fast"], "valid are tournament"),
        (&["--parallel", "yes"], "valid are off"),
        (&["--keep-running", "maybe"], "valid are auto, on, off"),
        (&["--pondering", "maybe"], "--pondering maybe: valid are on, off"),
        (&["--team", "[甲队]"], "valid are 1 to 40 printable characters other than [ ] ;"),
        (&["--place", ""], "--place"),
        (&["--name", "a name of more than forty characters, which is too long"], "valid are 1 to 40"),
    ];
    let usual = usual_move();
    for (number, (mistake, message)) in mistakes.into_iter().enumerate() {
        let log = folder.join(format!("{number}.log"));
        let arguments = [mistake, &FIXED, &["--log", text(&log)]].concat();
        assert_eq!(first_line(run(OTRERA, arguments, FIRST_TURN)), usual, "{mistake:?}");
        assert_contains(&std::fs::read_to_string(&log).expect("a log"), message);
    }
}

/// With a thousand threads a move of 0.3 s took many seconds.
#[test]
fn more_threads_than_cores_count_as_all_cores() {
    let log = folder("threads").join("log");
    let times = (0..3).map(|_| {
        let began = Instant::now();
        let arguments = ["--threads", "1000", "--move-time", "0.3", "--log", text(&log)];
        first_line(run(OTRERA, arguments, FIRST_TURN));
        began.elapsed()
    });
    let least = times.min();
    assert!(least < Some(Duration::from_secs(1)), "{least:?}");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let remark = format!("threads 1000: more than the cores of this machine, so {cores} think");
    assert_contains(&std::fs::read_to_string(&log).expect("a log"), &format!("!! {remark}\n"));
    let analysis = run(OTRERA, ["analyze", "--threads", "1000", "--iterations", "100"], b"");
    assert_eq!((analysis.status, analysis.errors), (Some(0), format!("otrera: {remark}\n")));
    assert_contains(&analysis.rest, &format!("threads {cores})"));
}

#[test]
fn an_option_without_its_value_is_logged() {
    let log = folder("no-value").join("log");
    let arguments = [&FIXED[..], &["--log", text(&log), "--threads"]].concat();
    assert_eq!(first_line(run(OTRERA, arguments, FIRST_TURN)), usual_move());
    assert_contains(&std::fs::read_to_string(&log).expect("a log"), "--threads");
    let arguments = [&FIXED[..], &["--log", text(&log), "resume"]].concat();
    assert_eq!(first_line(run(OTRERA, arguments, FIRST_TURN)), usual_move());
    assert_contains(&std::fs::read_to_string(&log).expect("a log"), "resume needs a file");
}

#[test]
fn a_bad_file_changes_nothing_and_is_logged() {
    let executable = installed("bad-file");
    let file = executable.with_file_name("otrera.toml");
    let mistakes: [(&[u8], &str); 10] = [
        (b"colour = 'red'", "colour"),
        (b"threads = 0", "threads = 0: valid is a whole number from 1 to 1024"),
        (b"threads = [1, 2]", "threads"),
        (b"size = true\nname = 7.5", "size = true: valid is"),
        (b"move_time = ''", "move_time"),
        (b"[search]\nthreads = 1", "search"),
        (b"name = Otrera", "otrera.toml"),
        (b"= = =\n\0", "otrera.toml"),
        (b"name = '\xff\xfe'", "otrera.toml"),
        (b"team = '\xb6\xab\xb1\xb1'", "not all of it is UTF-8"),
    ];
    let usual = usual_move();
    for (number, (mistake, message)) in mistakes.into_iter().enumerate() {
        std::fs::write(&file, mistake).expect("writable");
        let log = executable.with_file_name(format!("{number}.log"));
        let arguments = [&FIXED[..], &["--log", text(&log)]].concat();
        assert_eq!(first_line(run(&executable, arguments, FIRST_TURN)), usual, "{}", mistake.escape_ascii());
        assert_contains(&std::fs::read_to_string(&log).expect("a log"), message);
    }
}

#[test]
fn a_folder_in_place_of_the_file_is_logged() {
    let executable = installed("folder-for-file");
    std::fs::create_dir(executable.with_file_name("otrera.toml")).expect("a folder");
    let log = executable.with_file_name("log");
    let arguments = [&FIXED[..], &["--log", text(&log)]].concat();
    assert_eq!(first_line(run(&executable, arguments, FIRST_TURN)), usual_move());
    assert_contains(&std::fs::read_to_string(&log).expect("a log"), "otrera.toml");
}

#[test]
fn the_file_is_obeyed_and_the_command_line_wins() {
    let executable = installed("good-file");
    let file = executable.with_file_name("otrera.toml");
    let name = |arguments: &[&str]| run(&executable, arguments.iter().copied(), b"name?\nquit\n").rest;
    std::fs::write(
        &file,
        "\u{feff}# a comment\r\nname = 'From the file'\r\ntotal_time = 60\r\nsize = \"8\"\r\n",
    )
    .expect("writable");
    assert_eq!(name(&[]), "name From the file\n");
    assert_eq!(name(&["--name", "From the line"]), "name From the line\n");
    let in_utf_16 = "\u{feff}# 注\r\nname = 'In UTF-16'\r\n".encode_utf16();
    std::fs::write(&file, in_utf_16.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()).expect("writable");
    assert_eq!(name(&[]), "name In UTF-16\n");
    std::fs::write(&file, "iterations = 200\nseed = 1\nkeep-running = true").expect("writable");
    let answer = run(&executable, [], FIRST_TURN).rest;
    assert_eq!(answer, format!("{}\n>>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n", usual_move()));
}

/// An option that is switched off there has a # directly before it, a comment has a space between.
#[test]
fn every_line_of_the_packaged_file_is_a_valid_option() {
    let executable = installed("packaged-file");
    let packaged = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/sau/otrera.toml");
    let text = std::fs::read_to_string(packaged).expect("it is there");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    let mut count = 0;
    for line in lines {
        let option = line.trim_start_matches('#');
        assert!(option.contains(" = "), "{line}");
        std::fs::write(executable.with_file_name("otrera.toml"), option).expect("writable");
        let exit = run(&executable, ["perft", "0"], b"");
        assert_eq!((exit.status, exit.rest.as_str()), (Some(0), "1\n"), "{line}");
        let remarks =
            exit.errors.lines().filter(|line| !line.contains("more than the cores of this machine"));
        assert_eq!(remarks.count(), 0, "{line}: {}", exit.errors);
        count += 1;
    }
    assert!(count >= 10, "{count} options");
}

#[test]
fn a_good_line_of_the_file_counts_beside_a_bad_one() {
    let executable = installed("half-bad-file");
    std::fs::write(executable.with_file_name("otrera.toml"), "threads = 'x'\nname = 'Half'\ncolour = 1")
        .expect("writable");
    assert_eq!(run(&executable, [], b"name?\nquit\n").rest, "name Half\n");
}

#[test]
fn the_log_holds_both_directions() {
    let log = folder("log").join("log");
    let arguments = [&FIXED[..], &["--log", text(&log)]].concat();
    let usual = usual_move();
    for _ in 0..2 {
        assert_eq!(first_line(run(OTRERA, arguments.iter().copied(), FIRST_TURN)), usual);
    }
    let log = std::fs::read_to_string(&log).expect("a log");
    assert_eq!(log.matches("-> -1 -1 -1 -1 -1 -1\n").count(), 2, "the log is appended to:\n{log}");
    assert_eq!(log.matches(&format!("<- {usual}\n")).count(), 2, "{log}");
}

#[test]
fn what_cannot_be_written_does_not_cost_the_game() {
    let folder = folder("unwritable");
    let file = folder.join("file");
    std::fs::write(&file, "").expect("writable");
    let below_a_file = file.join("below");
    let arguments = [&FIXED[..], &["--log", text(&below_a_file)]].concat();
    assert_eq!(first_line(run(OTRERA, arguments, FIRST_TURN)), usual_move());
    let log = folder.join("log");
    let arguments = ["--record-dir", text(&below_a_file), "--log", text(&log), "--iterations", "200"];
    let exit = run(OTRERA, arguments, b"name?\nnew white\nmove DJDDGD\nend\nquit\n");
    assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""));
    assert_contains(&std::fs::read_to_string(&log).expect("a log"), "no record written");
}

#[test]
fn a_command_with_a_mistake_says_so_and_fails() {
    let mistakes: [(&[&str], &str); 25] = [
        (&["perft"], "perft needs a depth, like `otrera perft 2`"),
        (&["perft", "x"], "valid is a whole number"),
        (&["perft", "-1"], "-1"),
        (&["perft", "1", "2"], "unexpected argument 2"),
        (&["perft", "1", "--fen", "nonsense"], "--fen"),
        (&["perft", "1", "--fen"], "--fen"),
        (&["bench", "--foo"], "unknown option --foo; see otrera --help"),
        (&["bench", "--threads", "no"], "--threads no: valid is"),
        (&["bench", "now"], "unexpected argument now"),
        (&["analyze", "--fen", "nonsense"], "--fen: "),
        (&["analyze", "--fen", "2q2q2/8/q6q/8/8/Q6Q/8 w"], "--fen: "),
        (&["analyze", "--fen", "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 x"], "the side to move is w or b"),
        (&["analyze", "--moves", "d1-d7/g7 hello"], "--moves: line 1: \"hello\" is not a move"),
        (
            &["analyze", "--moves", "d1-d7/g7 a7-a8/a8"],
            "move 2, a7-a8/a8, is not legal: the arrow cannot fly",
        ),
        (&["analyze", "--moves", "d1-d7/g7", "--ply", "2"], "--ply 2: the game has 1 moves"),
        (&["analyze", "--record", "a", "--moves", "d1-d7/g7"], "--moves and --record: one of them"),
        (&["perft", "1", "--moves", "d1-d7/g7"], "are for analyze"),
        (&["analyze", "--time", "soon"], "--time: valid is a number of seconds"),
        (&["analyze", "--lines", "0"], "--lines: valid is"),
        (&["play", "--side", "green"], "valid are black, white"),
        (&["play", "--size", "12"], "--size 12: valid is a whole number from 4 to 10"),
        (&["play", "--preset", "nonsense"], "--preset nonsense: valid are tournament"),
        (&["bench", "--preset", "tournament,c=fast"], "c=fast: valid is a number from 0 to 10"),
        (&["bench", "--preset", "tournament,speed=2"], "speed: valid are parallel, c,"),
        (&["bench", "--preset", "tournament,c"], "\"c\": a parameter is name=value"),
    ];
    for (arguments, message) in mistakes {
        let exit = run(OTRERA, arguments.iter().copied(), b"");
        assert_eq!((exit.status, exit.rest.as_str()), (Some(2), ""), "{arguments:?}: {}", exit.errors);
        assert!(exit.errors.starts_with("otrera: ") && exit.errors.ends_with('\n'), "{:?}", exit.errors);
        assert_contains(&exit.errors, message);
    }
}

#[test]
fn bench_tells_what_each_part_of_an_iteration_costs() {
    let exit = run(OTRERA, ["bench", "--parts"], b"");
    assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""));
    let costs: Vec<&str> = exit.rest.lines().filter_map(|line| line.strip_suffix(" ns")).collect();
    let kernels = otrera::Kernel::available().count();
    assert_eq!(costs.len(), 13 + kernels, "{}", exit.rest);
    for cost in costs {
        let number = cost.split_whitespace().last().and_then(|number| number.parse::<f64>().ok());
        assert!(number.is_some_and(|nanoseconds| nanoseconds > 0.0), "{cost}");
    }
}

#[test]
fn help_and_version() {
    for arguments in [&["--help"][..], &["-h"], &["help"], &["bench", "--help"], &["--help", "--foo"]] {
        let exit = run(OTRERA, arguments.iter().copied(), b"");
        assert_eq!(exit.status, Some(0), "{arguments:?}");
        for word in ["play", "analyze", "bench", "perft", "otrera.toml", "--keep-running", "--record-dir"] {
            assert_contains(&exit.rest, word);
        }
    }
    for arguments in [["--version"], ["-V"]] {
        let exit = run(OTRERA, arguments, b"");
        assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""));
        assert_eq!(exit.rest, format!("otrera {}\n", env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn a_reader_that_has_gone_away_is_no_failure() {
    for argument in ["--help", "--version"] {
        let mut command = Command::new(OTRERA);
        command.arg(argument);
        let mut program = Program::start(command);
        program.hang_up();
        let exit = program.exit(Duration::from_secs(10)).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""));
    }
}

#[test]
fn the_commands_do_what_they_say() {
    let perft = |arguments: &[&str]| run(OTRERA, [&["perft"], arguments].concat(), b"").rest;
    assert_eq!(perft(&["1"]), "2176\n");
    assert_eq!(perft(&["1", "--size", "8"]), "1232\n");
    assert_eq!(perft(&["--fen", "q2q/4/1*2/Q2Q b - - 1 1", "0"]), "1\n");
    let fen = "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1";
    let analysis = run(OTRERA, ["analyze", "--fen", fen, "--iterations", "300", "--lines", "3"], b"");
    assert_eq!((analysis.status, analysis.errors.as_str()), (Some(0), ""));
    for wanted in [fen, "visits", "continuation", "principal variation", "win rate", "300 iterations"] {
        assert_contains(&analysis.rest, wanted);
    }
    assert_contains(&analysis.rest, "Black is to move. Black (B) is the side that moves first");
    assert!(!analysis.rest.contains('\x1b'), "no colours in a pipe");
    let over = run(OTRERA, ["analyze", "--fen", "q3/4/**2/Q*2 w"], b"");
    assert_eq!(over.status, Some(0));
    assert_contains(&over.rest, "The game is over: White has won.");
}

#[test]
fn an_analysis_has_one_winning_rate_a_move_and_continuations() {
    let exit = run(OTRERA, ["analyze", "--iterations", "3000", "--lines", "3", "--threads", "1"], b"");
    let rows = exit.rest.lines().skip_while(|line| !line.contains("continuation")).skip(1).take(3);
    let rows: Vec<Vec<&str>> = rows.map(|line| line.split_whitespace().collect()).collect();
    let course = exit.rest.lines().find_map(|line| line.strip_prefix("principal variation: ")).expect("it");
    let [best, answer, ..] = course.split(' ').collect::<Vec<_>>()[..] else { panic!("{course}") };
    assert_eq!((rows[0][0], rows[0][3]), (best, answer), "{}", exit.rest);
    for row in &rows {
        assert!(row[1].ends_with('%') && row[3].contains('/'), "a rate and a continuation: {row:?}");
    }
    assert_eq!(exit.rest.matches('%').count(), 3, "{}", exit.rest);
}

#[test]
fn a_game_is_analysed_from_its_moves_or_its_record() {
    let folder = folder("analysed");
    let analysed = |arguments: &[&str]| {
        let exit = run(OTRERA, [&["analyze", "--iterations", "50"], arguments].concat(), b"");
        assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""), "{arguments:?}");
        exit.rest
    };
    let fen = |text: &str| {
        text.lines().find(|line| line.contains("/10/") && line.contains(" - - ")).expect("a FEN").to_owned()
    };
    let moves = analysed(&["--moves", "d1-d7/g7 a7d4,d4a7"]);
    assert_eq!(fen(&moves), "3q2q3/10/10/*2Q2*2q/10/10/Q2q5Q/10/10/6Q3 w - - 2 2");
    assert_contains(&moves, "White has played a7-d4/a7");
    assert_contains(&moves, "  7 [X]. . B . . X . . W ");
    let earlier = analysed(&["--moves", "d1-d7/g7 a7d4,d4a7", "--ply", "1"]);
    assert_eq!(fen(&earlier), fen(&analysed(&["--moves", "d1-d7/g7"])));
    assert_contains(&earlier, "White is to move.");

    let game = ["d1-d7/g7", "a7-d4/a7"].map(|mv| mv.parse().expect("a move"));
    let game = otrera::GameRecord::new("a", "b", otrera::Position::standard()).with_moves(&game);
    let sgf = otrera::record::sgf::write(&game);
    for (name, record) in [
        ("game.txt", "#[AM][a][b][未完][][];\n1 d1d7(g7) a7d4(a7)\n"),
        ("game.sgf", &sgf),
        ("letters", "DJDDGD\r\nADDGAD\r\n"),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, record).expect("a file for the test");
        assert_eq!(fen(&analysed(&["--record", text(&path)])), fen(&moves), "{name}");
        assert_eq!(fen(&analysed(&["--record", text(&path), "--ply", "1"])), fen(&earlier), "{name}");
    }
    let small = analysed(&["--size", "8", "--moves", "c1-c6/f6"]);
    assert_contains(&small, "2q2q2/8/q1Q2*1q/8/8/Q6Q/8/5Q2 b - - 1 1");
}

/// A pipe would be waited for, and a device need not end.
#[test]
#[cfg(unix)]
fn what_is_no_file_of_records_is_refused() {
    let folder = folder("refused");
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()));
    std::fs::write(folder.join("two.txt"), "(;GM[18]SZ[8])(;GM[18]SZ[8])").expect("a file for the test");
    std::fs::write(folder.join("none.txt"), "").expect("a file for the test");
    let huge = std::fs::File::create(folder.join("huge.txt")).expect("a file for the test");
    huge.set_len(1 << 40).expect("a file with a hole");
    for (file, message) in [
        (text(&pipe), "not a regular file"),
        ("/dev/zero", "not a regular file"),
        (text(&folder), "not a regular file"),
        (text(&folder.join("absent")), "absent: "),
        (text(&folder.join("none.txt")), "has no game in it"),
        (text(&folder.join("two.txt")), "has 2 games: say which with --game N"),
        (text(&folder.join("huge.txt")), "larger than 65536 KB"),
    ] {
        let exit = run(OTRERA, ["analyze", "--record", file], b"");
        assert_eq!((exit.status, exit.rest.as_str()), (Some(2), ""), "{file}: {}", exit.errors);
        assert_contains(&exit.errors, message);
    }
    let two = folder.join("two.txt");
    let game = |number| {
        run(OTRERA, ["analyze", "--iterations", "20", "--record", text(&two), "--game", number], b"")
    };
    assert_eq!(game("2").status, Some(0));
    assert_contains(&game("3").errors, "has no game 3, but 2");
}

/// Plays in the terminal by typing all of this at once.
fn typed(name: &str, arguments: &[&str], input: &[u8]) -> (String, Vec<String>) {
    let folder = folder(name);
    let options = ["play", "--iterations", "200", "--record-dir", text(&folder)];
    let exit = run(OTRERA, [&options, arguments].concat(), input);
    assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""), "{}", exit.rest);
    let records = std::fs::read_dir(&folder).expect("the folder stays");
    let read = |path: PathBuf| {
        assert_contains(&exit.rest, &format!("Record: {}", path.display()));
        std::fs::read_to_string(path).expect("a record is UTF-8")
    };
    let records = records.map(|entry| read(entry.expect("readable").path())).collect();
    (exit.rest, records)
}

#[test]
fn a_game_in_the_terminal() {
    // Of the last three moves one at least is legal, whatever the engine has done.
    let input = b"help\nd1-d7/g7\nhint\nundo\nD1D7,D7G7\na4-a5/a4\ng1-f1/g1\nj4-j5(j4)\nresign\n";
    let (output, records) = typed("game", &[], input);
    assert_contains(&output, "You play Black.");
    assert_contains(&output, "winning rate");
    assert!(output.matches("Otrera plays ").count() >= 3, "{output}");
    assert_contains(&output, "Black resigns.");
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_contains(record, "#[AM][You][Otrera]");
    assert_contains(record, "\n1 d1d7(g7) ");
    assert_contains(record, "\n2 ");
}

#[test]
fn the_other_colour_and_another_board() {
    let (output, records) =
        typed("white", &["--side", "white", "--size", "8", "--name", "Hippolyta"], b"undo\nquit\n");
    assert_contains(&output, "You play White.");
    assert_contains(&output, "Hippolyta plays ");
    assert_contains(&output, "no move of yours to take back");
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_contains(record, "#[AM][Hippolyta][You]");
}

#[test]
fn typed_mistakes_are_told_apart() {
    let (output, records) = typed(
        "mistakes",
        &[],
        b"undo\nhello\nd1-d7\nd1-d7/g77\n\nd1-d7/e9\na7-a6/a7\nd1-e3/e4\nz9\n\xff\xfe\nd1-d7/g7\n",
    );
    assert_contains(&output, "\"hello\" is not a move");
    assert_contains(&output, "a move is three squares like d1-d7/g7, this has 2");
    assert_contains(&output, "\"d1-d7/g77\" is not a move");
    assert_contains(&output, "not legal: the arrow cannot fly to e9");
    assert_contains(&output, "not legal: the side to move has no amazon on a7");
    assert_contains(&output, "not legal: the amazon on d1 cannot slide to e3");
    assert_contains(&output, "there is no move of yours to take back");
    // What is no text at all is no move either, and the game goes on.
    assert_eq!(output.matches("is not a move").count(), 4, "{output}");
    assert_contains(&output, "Otrera plays ");
    assert_eq!(records.len(), 1, "the end of input keeps the record");
}

#[test]
fn a_game_that_is_killed_leaves_its_record() {
    let folder = folder("killed");
    let mut program = Command::new(OTRERA)
        .args(["play", "--iterations", "200", "--record-dir", text(&folder)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = program.stdin.take().expect("piped");
    writeln!(input, "d1-d7/g7").expect("it listens");
    let mut lines = BufReader::new(program.stdout.take().expect("piped")).lines();
    assert!(lines.any(|line| line.expect("text").contains("Otrera plays ")));
    program.kill().and_then(|()| program.wait()).expect("it can be killed");
    let files: Vec<_> = std::fs::read_dir(&folder).expect("the folder stays").collect();
    let [Ok(file)] = &files[..] else { panic!("{files:?}") };
    let record = std::fs::read_to_string(file.path()).expect("a record is UTF-8");
    assert_contains(&record, "\n1 d1d7(g7) ");
}

#[test]
fn a_game_that_never_began_leaves_no_record() {
    let (_, records) = typed("never-began", &[], b"");
    assert_eq!(records, Vec::<String>::new());
}
