//! Tests of UCI with the real program: the same boards and move counts as Fairy-Stockfish, and exactly one answer to
//! each `go`, whatever a GUI sends.

use crate::common::{self, LIMIT, quit};
use proptest::collection::vec;
use proptest::prelude::*;
use testkit::program::Program;

fn start() -> Program {
    common::start(&["uci", "--threads", "1", "--memory", "16", "--seed", "1"])
}

fn send(program: &mut Program, line: &str) {
    program.send(format!("{line}\n"));
}

/// Reads lines until one begins with `beginning`; returns the rest of that line, and all lines before it.
fn read_to(program: &mut Program, beginning: &str) -> (String, Vec<String>) {
    let mut skipped = Vec::new();
    loop {
        let line = program.line_of_many(LIMIT);
        let line = line.unwrap_or_else(|problem| panic!("no {beginning}: {problem}"));
        match line.strip_prefix(beginning) {
            Some(rest) => return (rest.to_owned(), skipped),
            None => skipped.push(line),
        }
    }
}

#[test]
fn fairy_stockfish_agrees_on_positions_and_legal_moves() {
    let data = include_str!("data/fairy_stockfish.txt");
    let mut program = start();
    let lines: Vec<&str> = data.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() > 50, "only {} positions", lines.len());
    for line in lines {
        let [variant, moves, fen, legal] =
            line.split("; ").collect::<Vec<_>>().try_into().expect("four fields");
        send(&mut program, &format!("setoption name UCI_Variant value {variant}"));
        send(&mut program, &format!("position startpos moves {moves}\nd\ngo perft 1"));
        assert_eq!(read_to(&mut program, "Fen: ").0, fen);
        assert_eq!(read_to(&mut program, "Nodes searched: ").0, legal, "{fen}");
        assert_eq!(program.line(LIMIT).unwrap(), "");
    }
    quit(program);
}

/// Returns the words of `line` after `name` and a space.
fn after<'a>(line: &'a str, name: &str) -> Vec<&'a str> {
    let (_, rest) = line.split_once(&format!("{name} ")).unwrap_or_else(|| panic!("no {name} in {line}"));
    rest.split(' ').collect()
}

/// Covers a move time below the move overhead, an overrun clock, and an immediate `stop`.
#[test]
fn go_without_time_searches_100_iterations() {
    let mut program = start();
    for go in [
        "go movetime 0",
        "go movetime 1",
        "go movetime 10",
        "go wtime 0 btime 0",
        "go wtime -500 btime -500 movestogo 3",
        "go nodes 1000000 movetime 1",
        "go ponder movetime 5\nponderhit",
        "go infinite\nstop",
    ] {
        send(&mut program, &format!("ucinewgame\nposition startpos\n{go}"));
        let (_, infos) = read_to(&mut program, "bestmove ");
        let nodes: u32 = after(infos.last().unwrap(), "nodes")[0].parse().unwrap();
        assert!(nodes >= 100, "{go}: {infos:?}");
    }
    send(&mut program, "ucinewgame\ngo nodes 7 movetime 1");
    let (_, infos) = read_to(&mut program, "bestmove ");
    assert_eq!(after(infos.last().unwrap(), "nodes")[0], "7", "{infos:?}");
    quit(program);
}

#[test]
fn proven_results_have_certain_scores_and_wdl() {
    let mut program = start();
    send(&mut program, "setoption name UCI_ShowWDL value true\nsetoption name MultiPV value 3");
    for (side, expected) in [
        ("w", ["score cp -20000 wdl 0 0 1000", "info string proven loss, margin at least "]),
        ("b", ["score cp 20000 wdl 1000 0 0", "info string proven win, margin at least "]),
    ] {
        let fen = "2**Q2*/2q**q*1/1**1****/q*1**Q*1/**2***1/*2Q*3/*Q2q*2/1****3";
        send(&mut program, &format!("position fen {fen} {side} - - 0 1\ngo nodes 500"));
        let (_, infos) = read_to(&mut program, "bestmove ");
        let (verdict, lines) = infos.split_last().expect("lines");
        assert!(verdict.starts_with(expected[1]), "{verdict}");
        assert!(lines.len() > 1 && lines.iter().skip(1).all(|line| line.contains(expected[0])), "{lines:?}");
    }
    quit(program);
}

#[test]
fn info_lines_show_multipv_and_wdl() {
    let mut program = start();
    send(&mut program, "setoption name MultiPV value 3\nsetoption name UCI_ShowWDL value true");
    send(&mut program, "go nodes 2000");
    let (best, infos) = read_to(&mut program, "bestmove ");
    let (before, last) = infos.split_at(infos.len() - 3);
    let leads = after(before.last().expect("a lead"), "info string lead");
    assert!(best.starts_with(leads[0]) && leads.len() == 6, "{leads:?}");
    assert!(leads.iter().skip(1).step_by(2).all(|lead| lead.parse::<f64>().is_ok()), "{leads:?}");
    for (number, line) in (1..).zip(last) {
        assert_eq!(after(line, "multipv")[0], number.to_string());
        let wdl: Vec<u32> = after(line, "wdl").iter().map_while(|word| word.parse().ok()).collect();
        let [win, 0, loss] = wdl[..] else { panic!("{line}") };
        assert_eq!(win + loss, 1000, "{line}");
        assert_eq!(after(line, "nodes")[0], "2000");
        for name in ["depth", "cp", "nps", "hashfull", "time"] {
            after(line, name)[0].parse::<i64>().unwrap_or_else(|_| panic!("{name} in {line}"));
        }
        let moves = after(line, " pv");
        assert!(moves.len() >= 2, "no continuation in {line}");
        assert!(number > 1 || best.starts_with(moves[0]), "{best} but {line}");
    }
    quit(program);
}

/// Words for the random commands that [`command`] generates.
const WORDS: &str = "\
    uci isready ucinewgame setoption position stop ponderhit d debug name value UCI_Variant amazons8 \
    amazons Hash MultiPV startpos fen moves d1d7,d7g7 c1c2,c2c1 a7a6,a6a7 Q1*q/****/****/**** \
    3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w b - 1 0 7 -5 99999999999999999999 true";

/// Generates a line of input: in most cases a UCI command, valid or not, otherwise random bytes.
fn command() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::sample::select(WORDS.split(' ').collect::<Vec<_>>());
    let limits = prop::sample::select(vec![
        "go",
        "go infinite",
        "go ponder",
        "go nodes 50",
        "go movetime 5",
        "go wtime 50 btime 0",
        "go depth 1",
        "go wtime 99999999999999 btime 9223372036854775807 winc 9223372036854775807",
        "go mate 3",
        "go perft 1",
        "go ponder nodes 5",
        "go infinite nodes 5",
        "go movetime 9223372036854775807",
    ]);
    let board =
        (4..=10usize).prop_flat_map(|edge| vec(vec(prop::sample::select(b"Qq*1111".as_slice()), edge), edge));
    prop_oneof![
        2 => board.prop_map(|rows| [b"position fen ", rows.join(&b'/').as_slice(), b" w"].concat()),
        4 => vec(words, 1..7).prop_map(|words| words.join(" ").into_bytes()),
        3 => limits.prop_map(|limits| limits.as_bytes().to_vec()),
        1 => vec(any::<u8>().prop_filter("one line", |&byte| byte != b'\n'), 0..40),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_go_gets_one_answer_on_any_input(commands in vec(command(), 1..40)) {
        let mut program = start();
        for command in &commands {
            program.send([command, b"\n".as_slice()].concat());
        }
        // The commands above cannot print this board, so it marks the end of their output.
        send(&mut program, "stop\nposition fen QqQq/4/4/4 b\nd");
        let (_, answers) = read_to(&mut program, "Fen: QqQq/4/4/4 b");
        let is_search = |line: &&Vec<u8>| line.starts_with(b"go") && !line.starts_with(b"go perft");
        let searches = commands.iter().filter(is_search).count();
        let answered = answers.iter().filter(|line| line.starts_with("bestmove ")).count();
        prop_assert_eq!(answered, searches, "{:?}", answers);
        quit(program);
    }
}
