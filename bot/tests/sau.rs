//! Tests of games on the SAU platform: records, resumption after a crash, refused moves and pondering.

use crate::common::{LIMIT, assert_contains, files, folder, installed, only_record, quit, read, start, text};
use otrera::{Move, Position, Rules, Side, Size};
use otrera_arena::board::Board;
use otrera_arena::notation::Form;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use testkit::browser::Browser;
use testkit::program::Program;
use testkit::random_move;

/// Time limit for an answer.
const SOON: Duration = Duration::from_secs(10);

/// A game on the platform: the program, and a referee's board that checks the program's moves.
struct Game {
    program: Program,
    referee: Board,
}

impl Game {
    /// Starts a program and a 10x10 game in which the program plays Black; reads the program's first move.
    fn black(arguments: &[&str]) -> Self {
        let mut game = Self { program: start(arguments), referee: board_after(&[]) };
        game.program.send("new black\n");
        game.answer(LIMIT);
        game
    }

    /// Reads the program's next move and plays it on the referee's board; returns the line read.
    fn answer(&mut self, limit: Duration) -> String {
        let line = self.program.line(limit).unwrap();
        self.referee.accept(&line, Form::Sau).unwrap();
        line
    }

    /// Plays an arbitrary move for the opponent and sends it to the program; returns the line sent.
    fn reply(&mut self) -> String {
        let mv = self.referee.play_any().unwrap();
        let line = format!("move {}\n", self.referee.format_move(mv, Form::Sau));
        self.program.send(&line);
        line
    }

    /// Refuses the program's last move: takes it back on the referee's board and sends `error`.
    fn refuse(&mut self) {
        self.referee.take_back().unwrap();
        self.program.send("error\n");
    }
}

fn start_position(edge: usize) -> Position {
    Position::start(Size::new(edge).unwrap()).with_rules(Rules::SelfBlocking)
}

/// Returns a 10x10 referee's board after these moves.
fn board_after(moves: &[&str]) -> Board {
    let mut referee = Board::new(start_position(10));
    moves.iter().for_each(|mv| referee.play(mv.parse().unwrap()).unwrap());
    referee
}

/// Sends a line to the program and returns the answer.
fn answer(program: &mut Program, line: &str) -> String {
    program.send(format!("{line}\n"));
    program.line(LIMIT).unwrap()
}

/// Asserts that a record's file name consists of `beginning`, one of `results`, a date with time, and `end`.
fn check_name(name: &str, beginning: &str, results: &[&str], end: &str) {
    let rest = name.strip_prefix(beginning).unwrap_or_else(|| panic!("{name} begins with {beginning}"));
    let result = results.iter().find_map(|result| rest.strip_prefix(result));
    let rest = result.unwrap_or_else(|| panic!("{name} has one of {results:?}"));
    let time = rest.strip_suffix(end).unwrap_or_else(|| panic!("{name} ends with {end}"));
    let digits: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(digits, "0000年00月00日 00时00分", "{name}");
}

/// Plays a whole 5x5 game with the program as Black; returns the winner by the platform's rules.
fn play_to_the_end(program: &mut Program) -> Side {
    let mut referee = Board::new(start_position(5));
    let mut message = "new black".to_owned();
    loop {
        referee.accept(&answer(program, &message), Form::Sau).unwrap();
        if let Some(winner) = referee.position().winner() {
            program.send("end\n");
            return winner;
        }
        let mv = referee.play_any().unwrap();
        message = format!("move {}", referee.format_move(mv, Form::Sau));
        if let Some(winner) = referee.position().winner() {
            program.send(format!("{message}\n"));
            // `end` can arrive late on a busy machine; the program must not answer before.
            program.silent(Duration::from_millis(50)).unwrap();
            program.send("end\n");
            return winner;
        }
    }
}

#[test]
fn finished_games_are_recorded_under_championship_names() {
    let folder = folder("finished");
    let mut options = vec!["--size", "5", "--iterations", "100", "--record-dir", text(&folder)];
    options.extend(["--team", "甲队", "--opponent", "乙/队: \"?", "--place", "重庆", "--event", "2026 CCGC"]);
    let mut program = start(&options);
    let winners: Vec<Side> = (0..4).map(|_| play_to_the_end(&mut program)).collect();
    quit(program);
    let records = files(&folder, "txt");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 4, "one for each game, even in the same minute");
    for path in &records {
        let (name, text) = (path.file_name().unwrap().to_str().unwrap(), read(path));
        let unnumbered = name.split(" (").next().unwrap().trim_end_matches(".txt");
        check_name(unnumbered, "AM-甲队B vs 乙_队_ __W-", &["先手胜-", "后手胜-"], " 重庆-2026 CCGC");
        assert!(text.starts_with("#[AM][甲队][乙/队: \"?]["), "{text}");
        assert_contains(&text, " 重庆][2026 CCGC];\r\n1 ");
    }
    for (winner, result) in [(Side::Black, "先手胜"), (Side::White, "后手胜")] {
        let count = winners.iter().filter(|&&side| side == winner).count();
        let has_won = |path: &&PathBuf| text(path).contains(result) && read(path).contains(result);
        assert_eq!(records.iter().filter(has_won).count(), count, "{result}: {records:?}");
    }
}

#[test]
fn a_game_resumes_from_a_killed_programs_record() {
    let folder = folder("killed");
    let options = ["--iterations", "100", "--seed", "5", "--record-dir", text(&folder)];
    let mut game = Game::black(&options);
    let message = game.reply();
    let expected = game.answer(LIMIT);
    // The program answers `name?` only after recording its move.
    answer(&mut game.program, "name?");
    drop(game);

    let (name, record) = only_record(&folder);
    check_name(&name, "AM-OtreraB vs OpponentW-", &["未完-"], "-Otrera.txt");
    assert!(record.starts_with("#[AM][Otrera][Opponent][未完]["), "{record}");
    assert_eq!(record.lines().count(), 3, "a header and two lines of moves: {record}");

    let record = folder.join(name);
    let mut program = start(&[&["resume", text(&record)], &options[..]].concat());
    answer(&mut program, "new black");
    assert_eq!(answer(&mut program, message.trim()), expected, "the same move as before the kill");
}

#[test]
fn a_truncated_record_resumes_from_its_complete_moves() {
    let folder = folder("torn");
    let (record, log) = (folder.join("game.txt"), folder.join("log"));
    // The fourth move is truncated; the three complete moves must survive.
    let torn = "#[AM][A][B][未完][2020.08.16 11:44][E];\r\n1 d1d7(g7) a7d4(a7)\r\n2 g1e3(e10) d4e4(e";
    let utf_16: Vec<u8> =
        std::iter::once(0xfeff).chain(torn.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for bytes in [torn.as_bytes(), &utf_16] {
        std::fs::write(&record, bytes).unwrap();
        let program = start(&["resume", text(&record), "--iterations", "100", "--log", text(&log)]);
        let mut game = Game { program, referee: board_after(&["d1d7(g7)", "a7d4(a7)", "g1e3(e10)"]) };
        // The platform sends the record's last complete move again.
        game.program.send("move GJEHEA\n");
        game.answer(LIMIT);
        assert_contains(&read(&log), "in no game: d4e4");
    }
}

/// Only three of ten attempts must succeed, since a busy machine can delay the others.
#[test]
fn pondering_stops_within_ten_milliseconds() {
    let log = folder("pondering").join("log");
    let mut program = start(&["--pondering", "on", "--move-time", "0.05", "--log", text(&log)]);
    for _ in 0..10 {
        answer(&mut program, "new black");
        program.silent(Duration::from_millis(50)).unwrap();
    }
    quit(program);
    let log = read(&log);
    let mut arrived = f64::NAN;
    let mut delays = Vec::new();
    for line in log.lines() {
        let (time, what) = line.trim_start().split_once(' ').unwrap();
        let time: f64 = time.parse().unwrap();
        match what {
            _ if what.starts_with("->") => arrived = time,
            _ if what.starts_with("-- stopped: ") => delays.push(time - arrived),
            _ => {}
        }
    }
    // The search that `quit` ends is not logged.
    assert_eq!(delays.len(), 9, "{log}");
    delays.sort_by(f64::total_cmp);
    assert!(delays[2] <= 0.010, "{delays:?}");
}

/// Returns every value of our time left in a log, in seconds.
fn times_left(log: &Path) -> Vec<f64> {
    let times = read(log);
    let times = times.lines().filter_map(|line| line.strip_suffix(" s left")?.split_whitespace().last());
    times.map(|time| time.parse().unwrap()).collect()
}

fn journals_in(folder: &Path) -> usize {
    files(folder, "game").len()
}

#[test]
fn a_crashed_game_resumes_with_its_clock_running() {
    let folder = folder("by-itself");
    let options = ["--record-dir", text(&folder), "--total-time", "60", "--iterations", "100"];
    let mut game = Game::black(&options);
    // The opponent has moved; the program's answer will be lost.
    game.reply();
    let Game { mut program, referee } = game;
    let lost = program.line(LIMIT).unwrap();
    drop(program);
    let path = files(&folder, "game").remove(0);
    let journal = read(&path);
    assert_contains(&journal, &lost["move ".len()..]);
    // Edits the journal as if the kill had come before that answer.
    let before: Vec<&str> = journal.lines().filter(|line| !line.contains(&lost["move ".len()..])).collect();
    std::fs::write(&path, before.join("\n") + "\n").unwrap();
    files(&folder, "txt").iter().for_each(|record| std::fs::remove_file(record).unwrap());

    let log = folder.join("log");
    let mut game = Game { program: start(&[&options[..], &["--log", text(&log)]].concat()), referee };
    assert_eq!(answer(&mut game.program, "name?"), "name Otrera");
    game.answer(SOON);
    game.reply();
    game.answer(LIMIT);
    let logged = read(&log);
    assert!(logged.contains("its process crashed") && logged.contains("no command after name?"), "{logged}");
    // Our clock was charged two overheads and two seconds of silence.
    assert!(times_left(&log)[0] <= 60.0 - 2.0 * 0.4 - 2.0, "{logged}");
    assert_eq!(journals_in(&folder), 1, "the game keeps its journal");
    answer(&mut game.program, "end\nname?");
    assert_eq!(journals_in(&folder), 0);
}

#[test]
fn quit_and_end_of_input_remove_the_journal() {
    for quits in [true, false] {
        let folder = folder(&format!("left-{quits}"));
        let Game { mut program, .. } = Game::black(&["--record-dir", text(&folder), "--iterations", "100"]);
        assert_eq!(journals_in(&folder), 1);
        if quits {
            program.send("quit\n");
        } else {
            program.close_input();
        }
        program.exit(LIMIT).unwrap();
        assert_eq!(journals_in(&folder), 0);
    }
}

/// Writes the journal of a game as Black, interrupted a second ago.
fn interrupt(folder: &Path, moves: &str) {
    let written = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs_f64() - 1.0;
    let journal = format!(r#"{{"size":10,"us":"Black","moves":"{moves}","sent":true,"left":50.0,"#);
    std::fs::write(folder.join("a.game"), format!("{journal}\"written\":{written}}}\n")).unwrap();
}

#[test]
fn resume_time_left_applies_to_one_game_only() {
    let folder = folder("time-left");
    let mut options = vec!["--record-dir", text(&folder), "--total-time", "60", "--iterations", "100"];
    let mut referee = board_after(&[]);
    let mut any_move = || referee.play_any().map(|mv| referee.format_move(mv, Form::Sau)).unwrap();
    let moves = (0..10).map(|_| any_move()).collect::<Vec<_>>().join(" ");
    interrupt(&folder, &moves);
    let log = folder.join("log");
    options.extend(["--log", text(&log), "--resume-time-left", "45"]);
    let mut resumed = start(&options);
    answer(&mut resumed, "name?");
    resumed.line(SOON).unwrap();
    answer(&mut resumed, "end\nnew black");
    quit(resumed);
    let [in_resumed, in_new] = times_left(&log)[..] else { panic!("{}", read(&log)) };
    assert!((38.0..=43.0).contains(&in_resumed) && in_new > 58.0, "{in_resumed} s, {in_new} s");
}

/// A program that is killed right after sending a move has already recorded the move.
#[test]
fn a_move_is_recorded_before_it_is_sent() {
    for number in 0..10 {
        let folder = folder(&format!("before-{number}"));
        let game = Game::black(&["--iterations", "100", "--record-dir", text(&folder)]);
        let (_, record) = only_record(&folder);
        let mv = game.referee.moves()[0];
        assert_contains(&record, &format!("1 {}{}({})", mv.from, mv.to, mv.arrow));
    }
}

#[test]
fn a_refusal_starts_a_new_search() {
    let log = folder("refused").join("log");
    let mut game = Game::black(&["--iterations", "500", "--seed", "1", "--log", text(&log)]);
    let thoughts = || read(&log).matches(" nodes 5").count();
    let mut movements = Vec::new();
    for count in 2..12 {
        movements.push(game.referee.moves()[0].movement());
        game.refuse();
        game.answer(LIMIT);
        assert_eq!(thoughts(), count, "{}", read(&log));
    }
    // A movement refused with two arrows is never tried again.
    let often = |movement| movements.iter().filter(|&other| other == movement).count();
    assert!(movements.iter().all(|movement| often(movement) <= 2), "{movements:?}");
}

/// After a refusal, the replacement move takes less than 1 s; the next move takes more than 1 s, as usual.
#[test]
fn a_refusal_shortens_only_the_replacement_move() {
    let mut game = Game::black(&["--move-time", "1.5"]);
    let mut quickest = Duration::MAX;
    for _ in 0..3 {
        let began = Instant::now();
        game.refuse();
        game.answer(LIMIT);
        quickest = quickest.min(began.elapsed());
    }
    assert!(quickest < Duration::from_secs(1), "{quickest:?}");
    game.reply();
    game.program.silent(Duration::from_millis(1000)).unwrap();
    game.answer(LIMIT);
}

/// Kills the program at some time after its first move, whose journal entry as sent may be missing. A move that was
/// never written leads to a question, see the tests of `sau::reload`.
#[test]
#[ignore = "slow"]
fn resumes_from_its_record_after_any_kill() {
    for (count, wait) in [0, 5, 50, 200].into_iter().enumerate() {
        let folder = folder(&format!("kill-{count}"));
        let options = ["--move-time", "0.3", "--total-time", "30", "--record-dir", text(&folder)];
        let (mut program, mut referee) = (start(&options), board_after(&[]));
        program.send("new black\n");
        referee.accept(&program.line(SOON).unwrap(), Form::Sau).unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        drop(program);
        let record = folder.join(only_record(&folder).0);
        let mut game = Game { program: start(&[&["resume", text(&record)], &options[..]].concat()), referee };
        answer(&mut game.program, "name?");
        for _ in 0..3 {
            game.reply();
            game.answer(SOON);
        }
    }
}

/// If all processes had the same seed, an opponent could predict their moves. The preset `paper` has random rollouts.
#[test]
fn processes_without_a_seed_play_differently() {
    let first_moves = |seed: &[&str]| -> HashSet<String> {
        let options = ["--preset", "paper", "--iterations", "30", "--threads", "1"];
        (0..8).map(|_| answer(&mut start(&[&options, seed].concat()), "new black")).collect()
    };
    assert!(first_moves(&[]).len() > 1, "all eight moves are the same");
    assert_eq!(first_moves(&["--seed", "5"]).len(), 1, "one move for each seed");
    assert_ne!(first_moves(&["--seed", "5"]), first_moves(&["--seed", "6"]));
}

/// With a fixed seed, one thread and fixed iterations, all games have the same moves, even after refusals.
#[test]
fn no_state_carries_over_between_games() {
    let mut program = start(&["--iterations", "200", "--threads", "1", "--seed", "1"]);
    let mut game = |begin: &str| [begin, "error", "error"].map(|line| answer(&mut program, line));
    let first = game("new black");
    assert_eq!(first.iter().collect::<HashSet<_>>().len(), 3, "another move each time: {first:?}");
    assert_eq!(game("new black"), first, "without `end` between them");
    assert_eq!(game("end\nnew black"), first, "after `end`");
}

/// Returns the moves and the final position of a 4x4 game that is over on the platform, because a side has blocked its
/// own last amazon, but in which the side to move still has several moves.
fn self_blocking_game() -> (Vec<Move>, Position) {
    let mut rng = fastrand::Rng::with_seed(1);
    loop {
        let mut position = Position::start(Size::new(4).unwrap());
        let mut moves = Vec::new();
        while position.winner().is_none() {
            moves.push(random_move(&position, &mut rng));
            position = position.with_move(moves[moves.len() - 1]);
            let is_over = position.with_rules(Rules::SelfBlocking).winner() == Some(position.side());
            if is_over && position.winner().is_none() && position.legal_moves().nth(1).is_some() {
                return (moves, position);
            }
        }
    }
}

/// A referee that uses the standard rules does not send `end`, but waits for our move.
#[test]
fn a_self_blocked_game_continues_by_standard_rules() {
    let (moves, position) = self_blocking_game();
    let record = folder("played-on").join("moves.txt");
    let words: Vec<String> = moves.iter().map(ToString::to_string).collect();
    std::fs::write(&record, words.join(" ")).unwrap();
    let log = record.with_file_name("log");
    let options = ["--size", "4", "--iterations", "100", "--log", text(&log)];
    let program = start(&[&["resume", text(&record)][..], &options].concat());
    let mut game = Game { program, referee: Board::new(position) };
    let last = game.referee.format_move(moves[moves.len() - 1], Form::Sau);
    game.program.send(format!("move {last}\n"));
    game.answer(LIMIT);
    assert!(!read(&log).contains("!!"), "{}", read(&log));
}

/// Returns the process ID of the newest searcher in a log.
fn searcher_in(log: &Path) -> i32 {
    let log = read(log);
    let line =
        log.lines().rfind(|line| line.contains("-- searcher process ")).unwrap_or_else(|| panic!("{log}"));
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

#[cfg(unix)]
fn signal(process: i32, signal: rustix::process::Signal) {
    rustix::process::kill_process(rustix::process::Pid::from_raw(process).unwrap(), signal).unwrap();
}

/// A searcher that is killed or stopped on either turn costs no move; the platform sees nothing.
#[test]
#[cfg(unix)]
fn a_dead_or_hanging_searcher_is_replaced() {
    use rustix::process::Signal;
    let log = folder("searcher").join("log");
    let options = ["--move-time", "0.5", "--total-time", "60", "--memory", "16", "--log", text(&log)];
    let mut game = Game::black(&options);
    for (signals, on_our_turn) in [(Signal::KILL, true), (Signal::KILL, false), (Signal::STOP, true)] {
        let searcher = searcher_in(&log);
        if !on_our_turn {
            signal(searcher, signals);
        }
        game.reply();
        if on_our_turn {
            game.program.silent(Duration::from_millis(100)).unwrap();
            signal(searcher, signals);
        }
        game.answer(SOON);
        assert_ne!(searcher_in(&log), searcher, "{}", read(&log));
    }
    assert_contains(&read(&log), "the searcher hangs");
    quit(game.program);
}

/// A searcher that cannot allocate memory any more is replaced; the platform sees nothing.
#[test]
#[cfg(target_os = "linux")]
fn a_searcher_without_memory_is_replaced() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let log = folder("no-memory").join("log");
    let mut game =
        Game::black(&["--move-time", "0.5", "--total-time", "60", "--memory", "64", "--log", text(&log)]);
    let searcher = searcher_in(&log);
    let none = Rlimit { current: Some(1 << 12), maximum: Some(1 << 12) };
    prlimit(Pid::from_raw(searcher), Resource::As, none).unwrap();
    for _ in 0..2 {
        game.reply();
        game.answer(SOON);
    }
    assert_ne!(searcher_in(&log), searcher, "{}", read(&log));
    assert_contains(&read(&log), "the searcher has ended; starting another one");
    quit(game.program);
}

/// A searcher process that ends at once is replaced by a search in this process, and in time.
#[test]
#[cfg(unix)]
fn an_unusable_searcher_process_is_not_needed() {
    let folder = folder("no-searcher");
    let log = folder.join("log");
    // The program cannot be started again: its file is gone.
    let program = installed(&folder);
    let mut command = std::process::Command::new(&program);
    command.args(["--iterations", "100", "--log", text(&log)]);
    let mut program_running = Program::start(command);
    std::fs::remove_file(&program).unwrap();
    let mut game = Game {
        referee: board_after(&[]),
        program: {
            program_running.send("new black\n");
            program_running
        },
    };
    game.answer(LIMIT);
    game.reply();
    game.answer(LIMIT);
    assert_contains(&read(&log), "searching in this process");
    quit(game.program);
}

/// The searcher ends with the guardian, however the guardian dies.
#[test]
#[cfg(target_os = "linux")]
fn the_searcher_ends_with_the_guardian() {
    let log = folder("orphan").join("log");
    let game = Game::black(&["--pondering", "on", "--move-time", "0.1", "--log", text(&log)]);
    let searcher = searcher_in(&log);
    signal(game.program.id() as i32, rustix::process::Signal::KILL);
    let is_alive = || {
        Path::new(&format!("/proc/{searcher}/cmdline")).exists()
            && !read(Path::new(&format!("/proc/{searcher}/stat"))).contains(") Z ")
    };
    let deadline = Instant::now() + SOON;
    while is_alive() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!is_alive(), "searcher {searcher} outlives its guardian");
}

/// The opponent's move was lost with the guardian, and there is no other record: the page shows the unfinished game,
/// and the program sends nothing until the operator has entered the move.
#[test]
fn the_page_asks_for_the_lost_move() {
    let Some(mut browser) = Browser::start("the page that asks for a lost move") else { return };
    let folder = folder("asked");
    let log = folder.join("log");
    let mut referee = board_after(&["d1d7(g7)", "a7d4(a7)", "g1e3(e10)"]);
    interrupt(&folder, "DJDDGD ADDGAD GJEHEA");
    let options = ["--record-dir", text(&folder), "--iterations", "100", "--no-open", "--log", text(&log)];
    let mut program = start(&options);
    answer(&mut program, "name?");
    // The question comes after two seconds of silence; nothing is sent.
    program.silent(Duration::from_secs(4)).unwrap();
    let logged = read(&log);
    let (_, address) = logged.split_once("Answer on the page ").unwrap_or_else(|| panic!("{logged}"));
    browser.open_address(address.lines().next().unwrap(), "");
    let page = browser.text("body");
    assert_contains(&page, "3 步 moves, 我方 we are Black; 最后一步 last move GJEHEA");
    browser.fill("form input[name=move]", "DJDDGD");
    browser.click("form button");
    browser.wait_for("Boolean(document.querySelector('.problem'))");
    // The status 400 of that answer.
    browser.forget_events();
    program.silent(Duration::from_millis(300)).unwrap();
    browser.fill("form input[name=move]", "DGEGEC");
    browser.click("form button");
    referee.play("d4e4(e8)".parse().unwrap()).unwrap();
    let mut game = Game { program, referee };
    game.answer(SOON);
    browser.wait_for("document.body.innerText.includes('The game goes on')");
    game.reply();
    game.answer(SOON);
    quit(game.program);
}
