//! Tests of bench, perft, analyze, play and --help. After an error message, the program exits with status 2.

use crate::common::{OTRERA, assert_contains, files, folder, only_record, output, read, run, start, text};
use otrera::eval::model::Model;
use otrera::eval::weights::WeightsFile;
use otrera::record::sgf;
use otrera::{GameRecord, Position, Side, Size};
use otrera_front::settings::Settings;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

#[test]
fn invalid_arguments_are_reported_with_status_2() {
    let mistakes = [
        ("perft", "perft needs a depth, like `otrera perft 2`"),
        ("perft x", "expected a whole number"),
        ("perft -1", "-1"),
        ("perft 1 2", "unexpected argument 2"),
        ("perft 1 --fen nonsense", "--fen"),
        ("perft 1 --fen", "--fen"),
        ("bench --foo", "unknown option --foo; see otrera --help"),
        ("bench --foo 3", "otrera: unknown option --foo; see otrera --help\n"),
        ("bench --threads no", "--threads no: expected"),
        ("bench now", "unexpected argument now"),
        ("analyze --fen nonsense", "--fen: "),
        ("analyze --fen 2q2q2/8/q6q/8/8/Q6Q/8_w", "--fen: "),
        ("analyze --fen 2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2_x", "the side to move is w or b"),
        ("analyze --moves d1-d7/g7_a7-d4", "--moves: line 1: in no game: a7-d4"),
        ("analyze --moves d1-d7/g7_a7-a8/a8", "move 2, a7-a8/a8, is not legal: the arrow cannot fly"),
        ("analyze --moves d1-d7/g7 --ply 2", "--ply 2: the game has 1 moves"),
        ("analyze --record a --moves d1-d7/g7", "--moves and --record cannot be combined"),
        ("perft 1 --moves d1-d7/g7", "--moves is for analyze"),
        ("play --level 11", "--level 11: expected a level from 1 to 10"),
        ("play --level 3 --time 5", "--level cannot be combined with --time"),
        ("play --move-time 5 --level 3", "--level cannot be combined with --move-time"),
        ("analyze --level 3", "--level is for play"),
        ("perft 1 --iterations 9", "--iterations is for analyze, play, botzone, sau"),
        ("analyze --time soon", "--time soon: expected a number of seconds"),
        ("analyze --lines 0", "--lines 0: expected"),
        ("play --side green", "expected one of black, white"),
        ("play --size 12", "--size 12: expected a whole number from 4 to 10"),
        ("play --preset nonsense", "--preset nonsense: expected one of tournament"),
        ("bench --preset tournament,c=fast", "c=fast: expected a number from 0 to 10"),
        ("bench --preset tournament,speed=2", "unknown parameter speed: expected one of c, arrow-c,"),
        ("bench --preset tournament,model=no-such-file", "or a weights file: no-such-file: No such file"),
        ("bench --preset tournament,model=Paper:0", "belongs to preset paper"),
        ("bench --preset tournament,model=Cargo.toml", "is not a weights file"),
        ("bench --preset tournament,c", "\"c\": expected name=value"),
    ];
    for (command, message) in mistakes {
        // A `_` is a space within an argument.
        let arguments: Vec<String> = command.split(' ').map(|argument| argument.replace('_', " ")).collect();
        let exit = run(OTRERA, arguments.iter().map(String::as_str), b"");
        assert_eq!((exit.status, exit.rest.as_str()), (Some(2), ""), "{command}: {}", exit.errors);
        assert!(exit.errors.starts_with("otrera: ") && exit.errors.ends_with('\n'), "{:?}", exit.errors);
        assert_contains(&exit.errors, message);
    }
}

#[test]
fn a_weights_file_can_be_the_model() {
    let folder = folder("model");
    let file = folder.join("Weights.json");
    let mut weights = WeightsFile::read(WeightsFile::BUILT_IN).unwrap();
    std::fs::write(&file, weights.write()).unwrap();
    let bench = |preset: &str| output(["bench", "--preset", preset]).lines().last().map(str::to_owned);
    let (with_file, usual) = (format!("Tournament,Model={}", text(&file)), bench("tournament"));
    assert_eq!(bench(&with_file), usual);
    weights.networks.standard = None;
    std::fs::write(&file, weights.write()).unwrap();
    assert_ne!(bench(&with_file), usual);
    // In otrera.toml, the path is relative to the folder of otrera.toml.
    let (mut settings, mut problems) = (Settings::default(), Vec::new());
    let line = "preset = \"tournament,model=Weights.json\"";
    otrera_bot::options::read_text(&mut settings, line, &folder.join("otrera.toml"), &mut problems);
    assert_eq!(problems, [""; 0]);
    assert_ne!(settings.preset.params.model(), &Model::Fitted);
}

#[test]
fn weights_for_other_boards_are_refused() {
    let folder = folder("other-boards");
    let file = folder.join("small.json");
    let mut weights = WeightsFile::built_in();
    weights.networks.small.as_mut().unwrap().network.rows[0][0] += 1;
    std::fs::write(&file, weights.write()).unwrap();
    let preset = format!("tournament,model={}", text(&file));
    let complaint = format!("preset {preset}: its network is for boards up to 8x8, not for 10x10: ");
    let quick = ["--preset", &preset, "--iterations", "10"];
    let play = format!("play --record-dir {}", text(&folder));
    let [analyze_8, play_8] = ["analyze", &play].map(|command| format!("{command} --size 8"));
    for (command, status) in [("analyze", 2), (&play, 2), (&analyze_8, 0), (&play_8, 0)] {
        let exit = run(OTRERA, command.split(' ').chain(quick), b"quit\n");
        assert_eq!(exit.status, Some(status), "{command}: {}", exit.errors);
        assert_eq!(exit.errors.contains(&complaint), status == 2, "{command}: {}", exit.errors);
    }
    let commands = "uci\nposition startpos\nsetoption name UCI_Variant value amazons8\nposition startpos\n\
                    setoption name UCI_Variant value amazons\nquit\n";
    let said = run(OTRERA, ["uci", "--preset", &preset], commands.as_bytes()).rest;
    let told = said.lines().filter(|line| line.contains(&complaint)).collect::<Vec<_>>();
    assert!(
        matches!(told[..], [first, second] if first.starts_with("info string position: ")
        && second.starts_with("info string option \"UCI_Variant\" value \"amazons\": ")),
        "{said}"
    );
    // On a platform, the game continues without these weights, and the log says why.
    let log = folder.join("log");
    let sau = ["--preset", &preset, "--log", text(&log), "--iterations", "10"];
    assert_eq!(run(OTRERA, sau, b"name?\nnew black\nquit\n").status, Some(0));
    assert_contains(&read(&log), &complaint);
}

#[test]
fn help_and_version() {
    for (command, text) in [
        ("--help", "otrera analyze"),
        ("-h", "otrera.toml"),
        ("help", "otrera uci"),
        // Help is shown even with a mistyped option.
        ("--help --foo", "otrera play"),
        ("bench --help", "--preset NAME"),
        ("analyze --help", "--fen FEN"),
        ("play -h", "--record-dir DIR"),
        ("uci --help", "--move-overhead S"),
        ("resume --help", "--resume-time-left S"),
        ("--help botzone", "--keep-running MODE"),
        ("help sau", "--total-time S          seconds for all moves of one side (900)"),
        ("--help parameters", "lcb-z"),
    ] {
        let exit = run(OTRERA, command.split(' '), b"");
        assert_eq!(exit.status, Some(0), "{command}");
        assert_contains(&exit.rest, text);
    }
    let exit = run(OTRERA, ["--help", "analise"], b"");
    assert_contains(&exit.errors, "unknown help page analise; did you mean analyze?");
    assert!(!output(["help", "parameters"]).contains("burst"), "a parameter of the laboratory");
    for arguments in [["--version"], ["-V"]] {
        assert_eq!(output(arguments), format!("otrera {}\n", env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    for argument in ["--help", "--version"] {
        let mut program = start(&[argument]);
        program.hang_up();
        let exit = program.exit(Duration::from_secs(10)).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""));
    }
}

#[test]
fn perft_and_analyze_print_their_results() {
    for (depth, start, count) in [
        ("1", ["--size", "10"], "2176\n"),
        ("1", ["--size", "8"], "1232\n"),
        ("0", ["--fen", "q2q/4/1*2/Q2Q b - - 1 1"], "1\n"),
    ] {
        assert_eq!(output(["perft", depth].into_iter().chain(start)), count, "{start:?}");
    }
    let fen = "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1";
    let analysis = output(["analyze", "--fen", fen, "--iterations", "300", "--lines", "3"]);
    for wanted in [fen, "visits", "continuation", "principal variation", "win rates", "300 iterations"] {
        assert_contains(&analysis, wanted);
    }
    assert_contains(&analysis, "Black to move\n");
    assert_contains(&analysis, "B  Black, Q in the FEN\n");
    assert!(!analysis.contains('\x1b'), "no colours in a pipe");
    let over = output(["analyze", "--fen", "q3/4/**2/Q*2 w"]);
    assert_contains(&over, "The game is over: White has won.");
}

/// Returns the rows of the move table in the output of `analyze`, each split into words.
fn table(analysis: &str) -> Vec<Vec<&str>> {
    let rows = analysis.lines().skip_while(|line| !line.contains("continuation")).skip(1);
    rows.take_while(|line| line.starts_with("  ")).map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn analysis_lists_the_best_move_first_with_continuations() {
    let analysis = output(["analyze", "--iterations", "3000", "--lines", "3", "--threads", "1"]);
    let rows = table(&analysis);
    let course = analysis.lines().find_map(|line| line.strip_prefix("principal variation: ")).expect("it");
    let [best, answer, ..] = course.split(' ').collect::<Vec<_>>()[..] else { panic!("{course}") };
    assert_eq!((rows.len(), rows[0][0], rows[0][5]), (3, best, answer), "{analysis}");
}

/// After the best move come moves with enough visits for a lower bound, sorted by the bound; the rest by visits.
#[test]
fn analysis_sorts_moves_by_lower_bound_then_visits() {
    let per_cent = |word: &str| word.strip_suffix('%').and_then(|rate| rate.parse::<f64>().ok());
    let mut bounded = 0;
    for iterations in ["300", "1000", "3000", "10000"] {
        let text = output(["analyze", "--iterations", iterations, "--lines", "40", "--threads", "1"]);
        let rule = "Black's win rates, best move first: by lower bound (at least), then visits.\n";
        assert_contains(&text, rule);
        let rows = table(&text);
        let (with, without): (Vec<_>, Vec<_>) = rows.iter().partition(|row| per_cent(row[2]).is_some());
        let bounds: Vec<f64> = with.iter().filter_map(|row| per_cent(row[2])).collect();
        let visits: Vec<u32> = without.iter().map(|row| row[2].parse().expect("visits")).collect();
        let first = usize::from(rows.first().is_some_and(|row| per_cent(row[2]).is_some()));
        assert!(bounds[first..].is_sorted_by(|a, b| a >= b), "{text}");
        assert!(visits[1 - first..].is_sorted_by(|a, b| a >= b), "{text}");
        assert!(rows[1..].is_sorted_by_key(|row| per_cent(row[2]).is_none()), "{text}");
        assert!(rows.iter().all(|row| per_cent(row[2]) <= per_cent(row[1])), "{text}");
        bounded += bounds.len();
    }
    assert!(bounded > 4, "only {bounded} bounds");
    let paper = output(["analyze", "--iterations", "1000", "--preset", "paper"]);
    assert_contains(&paper, "Black's win rates, best move first: by visits.\n");
}

/// A position that the filling bounds prove lost for the side to move. A search without the proof estimated 45.1 %.
const LOST: &str = "2**Q2*/2q**q*1/1**1****/q*1**Q*1/**2***1/*2Q*3/*Q2q*2/1****3 w - - 0 1";

#[test]
fn a_proven_result_is_shown_with_its_margin() {
    // One thread, since one of two threads can stay idle during so few iterations.
    let lost = output(["analyze", "--iterations", "500", "--threads", "1", "--fen", LOST]);
    assert_contains(&lost, "White is certain to win by at least 3 moves. Best move first, then by visits:\n");
    let rows = table(&lost);
    assert!(rows.len() == 6 && rows.iter().all(|row| row[1] == "lost"), "{lost}");
    let won = output(["analyze", "--iterations", "500", "--fen", &LOST.replace(" w ", " b ")]);
    assert_contains(&won, "White is certain to win by at least ");
    assert_eq!(table(&won)[0][1], "won", "{won}");
    // `hint` in a game also shows the proven result.
    let folder = folder("proven");
    let arguments = ["play", "--iterations", "200", "--record-dir", text(&folder), "--fen", LOST];
    assert_contains(&run(OTRERA, arguments, b"hint\n").rest, "(White is certain to win by at least 3 moves)");
}

#[test]
fn analysis_accepts_moves_or_a_record() {
    let folder = folder("analysed");
    let analysed = |arguments: &[&str]| output([&["analyze", "--iterations", "50"], arguments].concat());
    let fen = |text: &str| {
        text.lines().find(|line| line.contains("/10/") && line.contains(" - - ")).expect("a FEN").to_owned()
    };
    let moves = analysed(&["--moves", "d1-d7/g7 a7d4,d4a7"]);
    assert_eq!(fen(&moves), "3q2q3/10/10/*2Q2*2q/10/10/Q2q5Q/10/10/6Q3 w - - 2 2");
    assert_contains(&moves, "White played a7-d4/a7");
    assert_contains(&moves, "  7 [X]. . B . . X . . W ");
    let earlier = analysed(&["--moves", "d1-d7/g7 a7d4,d4a7", "--ply", "1"]);
    assert_eq!(fen(&earlier), fen(&analysed(&["--moves", "d1-d7/g7"])));
    assert_contains(&earlier, "White to move\n");

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

/// Reading a pipe could block forever, and a device such as `/dev/zero` never ends.
#[test]
#[cfg(unix)]
fn invalid_record_files_are_refused() {
    let folder = folder("refused");
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()));
    let games = "(;GM[18]SZ[8];B[cHcCfC])(;GM[18]SZ[8];B[cHcDcC])";
    std::fs::write(folder.join("two.txt"), games).expect("a file for the test");
    std::fs::write(folder.join("none.txt"), "").expect("a file for the test");
    let huge = std::fs::File::create(folder.join("huge.txt")).expect("a file for the test");
    huge.set_len(1 << 40).expect("a file with a hole");
    for (file, message) in [
        (text(&pipe), "not a regular file"),
        ("/dev/zero", "not a regular file"),
        (text(&folder), "not a regular file"),
        (text(&folder.join("absent")), "absent: "),
        (text(&folder.join("none.txt")), "contains no game"),
        (text(&folder.join("two.txt")), "has 2 games; choose one with --game N"),
        (text(&folder.join("huge.txt")), "larger than 524288 KB"),
    ] {
        let exit = run(OTRERA, ["analyze", "--record", file], b"");
        assert_eq!((exit.status, exit.rest.as_str()), (Some(2), ""), "{file}: {}", exit.errors);
        assert_contains(&exit.errors, message);
    }
    let two = folder.join("two.txt");
    let game = |number| {
        run(OTRERA, ["analyze", "--iterations", "20", "--record", text(&two), "--game", number], b"")
    };
    assert_contains(&game("1").rest, "Black played c1-c6/f6");
    assert_contains(&game("2").rest, "Black played c1-c5/c6");
    assert_contains(&game("3").errors, "has no game 3, only 2");
}

/// Runs `otrera play` with `input` on a pipe; returns the output and the texts of all records, which the output names.
fn play_with_input(name: &str, arguments: &[&str], input: &[u8]) -> (String, Vec<String>) {
    let folder = folder(name);
    let options = ["play", "--iterations", "200", "--record-dir", text(&folder)];
    let exit = run(OTRERA, [&options, arguments].concat(), input);
    assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""), "{}", exit.rest);
    let records = std::fs::read_dir(&folder).expect("the folder stays");
    let read_named = |path: PathBuf| {
        assert_contains(&exit.rest, &format!("Record: {}", path.display()));
        read(&path)
    };
    let records = records.map(|entry| read_named(entry.expect("readable").path())).collect();
    (exit.rest, records)
}

#[test]
fn play_accepts_moves_and_commands_from_a_pipe() {
    // At least one of the last three moves is legal, whatever the engine plays.
    let input = b"help\nd1-d7/g7\nhint\nundo\nD1D7,D7G7\na4-a5/a4\ng1-f1/g1\nj4-j5(j4)\nresign\n";
    let (output, records) = play_with_input("game", &[], input);
    assert_contains(&output, "You play Black.");
    assert_contains(&output, "win rate");
    assert!(output.matches("Otrera plays ").count() >= 3, "{output}");
    assert_contains(&output, "Black resigns.");
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_contains(record, "#[AM][You][Otrera]");
    assert_contains(record, "\n1 d1d7(g7) ");
    assert_contains(record, "\n2 ");
}

#[test]
fn play_supports_levels() {
    let folder = folder("level");
    let arguments = ["play", "--level", "1", "--record-dir", text(&folder)];
    let output = run(OTRERA, arguments, b"d1-d7/g7\nquit\n").rest;
    assert_contains(&output, "You play Black against level 1.");
    assert_contains(&output, "Otrera plays ");
    assert_contains(&only_record(&folder).0, "Otrera level 1");
}

/// CCGC text holds only games from the start positions.
#[test]
fn a_game_from_a_set_up_position_is_recorded_as_sgf() {
    let folder = folder("set-up");
    let fen = "3q2/6/6/6/6/2Q3 w - - 0 1";
    let arguments = ["play", "--iterations", "20", "--fen", fen, "--record-dir", text(&folder)];
    run(OTRERA, arguments, b"c1-c2/c1\nquit\n");
    let [file] = &files(&folder, "sgf")[..] else { panic!("{:?}", files(&folder, "sgf")) };
    let game = otrera::record::read(&read(file)).expect("a record").games.remove(0);
    assert_eq!((game.start.to_fen().as_str(), game.moves.len()), (fen, 2));
}

#[test]
fn play_supports_white_and_other_boards() {
    let (output, records) =
        play_with_input("white", &["--side", "white", "--size", "8", "--name", "Hippolyta"], b"undo\nquit\n");
    assert_contains(&output, "You play White.");
    assert_contains(&output, "Hippolyta plays ");
    assert_contains(&output, "you have no move to take back");
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_contains(record, "#[AM][Hippolyta][You]");
}

#[test]
fn play_explains_each_typing_mistake() {
    let mistakes: [(&[u8], &str); 10] = [
        (b"undo", "you have no move to take back"),
        (b"hello", "\"hello\" is not a move"),
        (b"d1-d7", "\"d1-d7\" is not a move"),
        (b"d1-d7/g77", "\"d1-d7/g77\" is not a move"),
        (b"", ""),
        (b"d1-d7/e9", "not legal: the arrow cannot fly to e9"),
        (b"a7-a6/a7", "not legal: the side to move has no amazon on a7"),
        (b"d1-e3/e4", "not legal: the amazon on d1 cannot slide to e3"),
        (b"z9", "\"z9\" is not a move"),
        (b"\xff\xfe", "is not a move"),
    ];
    let typed = mistakes.map(|(line, _)| line).into_iter().chain([&b"d1-d7/g7\n"[..]]);
    let (output, records) = play_with_input("mistakes", &[], &typed.collect::<Vec<_>>().join(&b'\n'));
    for (_, explanation) in mistakes {
        assert_contains(&output, explanation);
    }
    // Bytes that are not UTF-8 are rejected as a move, and the game continues.
    assert_eq!(output.matches("is not a move").count(), 5, "{output}");
    assert_contains(&output, "Otrera plays ");
    assert_eq!(records.len(), 1, "the end of input keeps the record");
}

#[test]
fn an_empty_game_leaves_no_record() {
    let (_, records) = play_with_input("never-began", &[], b"");
    assert_eq!(records, Vec::<String>::new());
}

#[test]
fn a_game_is_annotated() {
    let folder = folder("annotated");
    let (game, annotated) = (folder.join("game.sgf"), folder.join("annotated.sgf"));
    let start = Position::start(Size::new(6).unwrap());
    let mut record = GameRecord::new("first", "second", start);
    let mut position = start;
    while position.winner().is_none() {
        let mv = position.legal_moves().next().unwrap();
        record.moves.push(mv.into());
        position = position.with_move(mv);
    }
    record.notes.entry(1).or_default().comment = "a remark".into();
    std::fs::write(&game, sgf::write(&record)).unwrap();
    let arguments =
        ["analyze", "--record", text(&game), "--annotate", text(&annotated), "--iterations", "300"];
    let said = output(arguments);
    assert_contains(&said, " win rate; ");
    assert_contains(&said, "White lost ");
    let annotated = sgf::read(&read(&annotated)).unwrap().games.remove(0);
    assert_eq!(annotated.moves, record.moves);
    let mut values = (0..=record.moves.len()).map(|ply| annotated.notes[&ply].value.unwrap());
    assert!(values.clone().all(|value| (-100.0..=100.0).contains(&value)));
    let last = if position.winner() == Some(Side::Black) { 100.0 } else { -100.0 };
    assert_eq!(values.next_back(), Some(last));
    assert!(annotated.notes[&1].comment.starts_with("a remark"));
    let marked = annotated.notes.values().filter(|note| note.comment.contains("is better")).count();
    let better: Vec<_> = annotated.notes.values().flat_map(|note| &note.variations).collect();
    assert!(marked > 0 && better.len() == marked, "{marked} marks, {} variations", better.len());
    // An existing file is never replaced, and a game is required.
    assert_contains(&run(OTRERA, arguments, b"").errors, "already exists");
    assert_contains(&run(OTRERA, ["analyze", "--annotate", "new.sgf"], b"").errors, "needs a game");
    let part = ["analyze", "--moves", "d1-d7/g7", "--ply", "1", "--annotate", "new.sgf"];
    assert_contains(&run(OTRERA, part, b"").errors, "--annotate reviews the whole game, without --ply");
    let unknown = ["analyze", "--record", text(&game), "--annotate", "new.pdf"];
    assert_contains(&run(OTRERA, unknown, b"").errors, "must end in .sgf, .json or .txt");
}

#[test]
fn parts_of_a_record_in_no_game_are_named_on_standard_error() {
    let file = folder("warnings").join("game.txt");
    std::fs::write(&file, "1. d1-d7/g7 a7-d4/a7\n\n2. d1-d2/d3\n3. a7-a6\n").unwrap();
    let analyze = ["analyze", "--record", text(&file), "--iterations", "10"];
    let lenient = run(OTRERA, analyze, b"");
    assert_eq!(lenient.status, Some(0), "{}", lenient.errors);
    assert_contains(&lenient.rest, "White played a7-d4/a7");
    for warning in ["line 3: move 3, d1-d2/d3, is not legal", "line 4: in no game: a7-a6"] {
        assert_contains(&lenient.errors, &format!("{}: {warning}", file.display()));
    }
    let strict = run(OTRERA, analyze.into_iter().chain(["--strict"]), b"");
    assert_eq!((strict.status, strict.rest.as_str()), (Some(2), ""), "{}", strict.errors);
    assert_contains(&strict.errors, "line 4: in no game: a7-a6");
    assert_contains(&strict.errors, "--strict refuses a record with warnings");
}

#[test]
fn a_record_in_gbk_is_read() {
    let file = folder("gbk").join("game.txt");
    // 先手 and 后手 in GBK.
    let bytes = b"#[AM][\xcf\xc8\xca\xd6][\xba\xf3\xca\xd6][][2024][];\n1 d1d7(g7)\n";
    std::fs::write(&file, bytes).unwrap();
    let analyze = ["analyze", "--record", text(&file), "--iterations", "10"];
    assert_contains(&output(analyze), "Black played d1-d7/g7");
    let annotated = file.with_file_name("annotated.json");
    output(analyze.into_iter().chain(["--annotate", text(&annotated)]));
    assert_contains(&read(&annotated), r#""black":"先手","white":"后手""#);
}
