//! Parses and formats UCI in the dialect of Fairy-Stockfish's Amazons variant: arguments, moves, scores and boards.
//!
//! A move is `d1d7,d7g7`: from and to of the amazon, then from and to of the arrow. In UCI White moves first, so UCI's
//! White is our Black.

use crate::board::{self, Colours};
use otrera::{Move, Position, Report, Side, Size, WinRate};
use std::collections::HashSet;
use std::time::Duration;

/// The arguments of `go`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Go {
    /// True to answer only after `stop`.
    pub infinite: bool,
    /// True to answer only after `ponderhit` or `stop`.
    pub ponder: bool,
    pub move_time: Option<Duration>,
    /// Time left for the first player (`wtime`) and for the second (`btime`).
    pub clocks: [Option<Duration>; 2],
    pub increments: [Duration; 2],
    pub moves_to_go: Option<u32>,
    /// Maximum number of search iterations.
    pub nodes: Option<u64>,
    pub depth: Option<usize>,
    /// Depth of a perft to run instead of a search.
    pub perft: Option<u32>,
    /// Moves to consider (`searchmoves`); empty for all moves.
    pub search_moves: Vec<Move>,
    /// Arguments that are no numbers, each in one line.
    pub problems: Vec<String>,
}

/// Returns the option's name and value from the arguments of `setoption`; both can contain spaces.
pub fn read_option<'a>(words: impl Iterator<Item = &'a str>) -> [String; 2] {
    split_at("value", words.skip_while(|&word| word != "name").skip(1)).map(|words| words.join(" "))
}

/// Splits words into those before and those after the first `keyword`, which is dropped.
pub fn split_at<'a>(keyword: &str, mut words: impl Iterator<Item = &'a str>) -> [Vec<&'a str>; 2] {
    let before = words.by_ref().take_while(|&word| word != keyword).collect();
    [before, words.collect()]
}

impl Go {
    /// Reads the arguments. One without a number counts as 0 and is in `problems`.
    pub fn read<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut go = Self::default();
        let mut is_list = false;
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            if is_list && let Ok(mv) = word.parse() {
                go.search_moves.push(mv);
                continue;
            }
            is_list = word == "searchmoves";
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "movetime" | "wtime" | "btime" | "winc" | "binc" | "movestogo" | "nodes" | "depth"
                | "perft" => {
                    let value = words.peek().copied().unwrap_or_default();
                    let number = number(value);
                    match number {
                        Some(_) => drop(words.next()),
                        None => {
                            go.problems.push(format!("go {word} {value:?}: expected a number; 0 is used"))
                        }
                    }
                    go.set(word, number.unwrap_or_default());
                }
                _ => {}
            }
        }
        go
    }

    /// Sets the argument with this name. Times are in milliseconds.
    fn set(&mut self, name: &str, number: u64) {
        let (time, small) = (Duration::from_millis(number), u32::try_from(number).unwrap_or(u32::MAX));
        match name {
            "movetime" => self.move_time = Some(time),
            "wtime" => self.clocks[0] = Some(time),
            "btime" => self.clocks[1] = Some(time),
            "winc" => self.increments[0] = time,
            "binc" => self.increments[1] = time,
            "movestogo" => self.moves_to_go = Some(small),
            "nodes" => self.nodes = Some(number),
            "depth" => self.depth = Some(small as usize),
            _ => self.perft = Some(small),
        }
    }

    /// Lists the legal moves that are not in `searchmoves`; none if no legal move is in it.
    pub fn excluded(&self, position: &Position) -> Vec<Move> {
        if !self.search_moves.iter().any(|&mv| position.check(mv).is_ok()) {
            return Vec::new();
        }
        let wanted: HashSet<Move> = self.search_moves.iter().copied().collect();
        position.legal_moves().filter(|mv| !wanted.contains(mv)).collect()
    }
}

/// Parses a number such as `1000`, `1000.0` or `1e3`. One below zero (an overrun clock) counts as zero, and one that is
/// too large as the largest.
fn number(word: &str) -> Option<u64> {
    let begins = word.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit() || c == '.');
    // The cast saturates.
    word.parse().ok().or_else(|| word.parse::<f64>().ok().map(|number| number as u64)).filter(|_| begins)
}

/// Returns the UCI variant name for a board size: `amazons` for 10x10, `amazons8` for 8x8.
pub fn variant(size: Size) -> String {
    match size {
        Size::STANDARD => "amazons".into(),
        size => format!("amazons{}", size.edge()),
    }
}

/// Lists the board sizes from 10x10, the standard one, down to 4x4.
pub fn sizes() -> impl Iterator<Item = Size> {
    (4..=10).rev().filter_map(Size::new)
}

/// Options for the content of the `info` lines.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Maximum number of moves to show (`MultiPV`).
    pub lines: usize,
    /// True to add the win rate as `wdl`.
    pub win_rate: bool,
}

/// Returns the search depth of a report, in plies.
pub fn depth(report: &Report) -> usize {
    // The principal variation can be longer, since an earlier search may have found its end.
    report.depth.max(report.principal_variation.len())
}

/// Formats the `info` lines of a report for a position with `side` to move.
pub fn format_info(report: &Report, side: Side, shown: Shown) -> String {
    if report.best.is_none() {
        return "info depth 0 score mate 0".into();
    }
    let effort = format!(
        "nodes {} nps {:.0} hashfull {:.0} time {}",
        report.iterations,
        report.speed(),
        (report.memory_used * 1000.0).floor(),
        report.elapsed.as_millis()
    );
    let line = |number: usize, moves: &[Move], rate: WinRate, proven: Option<Side>| {
        let score = score(rate, proven.map(|winner| winner == side), shown.win_rate);
        let moves: Vec<String> = moves.iter().map(|&mv| mv.to_uci()).collect();
        let pv = moves.join(" ");
        format!("info depth {} multipv {number} score {score} {effort} pv {pv}", depth(report))
    };
    let proven = report.proven.or_else(|| report.lines.first()?.proven);
    let mut lines = Vec::from_iter(format_leads(report, shown.lines));
    lines.push(line(1, &report.principal_variation, report.best_rate(), proven));
    let others = (2..=shown.lines).zip(report.lines.iter().skip(1));
    lines.extend(others.map(|(number, other)| {
        let moves = [&[other.mv], &other.continuation[..]].concat();
        line(number, &moves, other.win_rate, other.proven)
    }));
    lines.extend(verdict(report, side));
    lines.join("\n")
}

/// Formats an `info string` with the expected lead in moves of each shown line ([`otrera::Line::lead`]); `None` without
/// weights of the lead.
fn format_leads(report: &Report, lines: usize) -> Option<String> {
    let leads = report
        .lines
        .iter()
        .take(lines.max(1))
        .filter_map(|line| Some(format!("{} {:+.1}", line.mv.to_uci(), line.lead?)));
    let leads: Vec<String> = leads.collect();
    (!leads.is_empty()).then(|| format!("info string lead {}", leads.join(" ")))
}

/// Formats an `info string` with the proven result for the side to move and its margin, if known; `None` if unproven.
fn verdict(report: &Report, side: Side) -> Option<String> {
    let result = if report.proven? == side { "win" } else { "loss" };
    let margin = report.margin.map_or(String::new(), |margin| format!(", margin at least {margin}"));
    Some(format!("info string proven {result}{margin}"))
}

/// Score of a proven win, in centipawns.
const WON: f64 = 20_000.0;

/// Maximum absolute score of an unproven position, in centipawns.
const MAX_UNPROVEN: f64 = 2_000.0;

/// Formats a win rate w as a score of `400 log10(w / (1 - w))`, so that `cp 100` is 64 %. A proven win is not shown
/// as `mate`, since the proof does not give the number of moves.
fn score(WinRate(rate): WinRate, proven: Option<bool>, with_rate: bool) -> String {
    let rate = f64::from(rate);
    let centipawns = match proven {
        Some(true) => WON,
        Some(false) => -WON,
        None => (400.0 * (rate / (1.0 - rate)).log10()).clamp(-MAX_UNPROVEN, MAX_UNPROVEN),
    };
    let mut text = format!("cp {}", centipawns.round() as i32);
    if with_rate {
        let won = (rate * 1000.0).round();
        text += &format!(" wdl {won} 0 {}", 1000.0 - won);
    }
    text
}

/// Formats the `bestmove` line, with the ponder move if there is one.
pub fn format_best_move(report: &Report) -> String {
    let Some(best) = report.best else { return "bestmove (none)".into() };
    match report.principal_variation.get(1) {
        Some(&answer) => format!("bestmove {} ponder {}", best.to_uci(), answer.to_uci()),
        None => format!("bestmove {}", best.to_uci()),
    }
}

/// Formats the board with the letters of a FEN, followed by the FEN.
pub fn format_board(position: &Position) -> String {
    let letter = |square| match board::piece(position, square) {
        'B' => 'Q',
        'W' => 'q',
        'X' => '*',
        empty => empty,
    };
    let rows = board::rows(position.size(), None, letter, Colours::NONE);
    let rows: String = rows.iter().map(|row| format!("\n{}", row.trim_end())).collect();
    format!("{rows}\n\nFen: {}", position.to_fen())
}

/// Formats a perft divide: for each first move, the number of move sequences of length `depth` (at least 1).
pub fn format_perft(position: &Position, depth: u32) -> String {
    let mut text = String::new();
    let mut sum = 0;
    for mv in position.legal_moves() {
        let count = otrera::board::perft::perft(&position.with_move(mv), depth.saturating_sub(1));
        sum += count;
        text += &format!("{}: {count}\n", mv.to_uci());
    }
    format!("{text}\nNodes searched: {sum}\n")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking
mod tests {
    use super::*;

    #[test]
    fn go_accepts_any_order_and_ignores_unknown_arguments() {
        let go = |arguments: &str| Go::read(arguments.split(' '));
        let ms = Duration::from_millis;
        let read = go("ponder binc 20 wtime -5 movestogo 7 what winc 10 btime 60000 depth nodes 9");
        let expected = Go {
            ponder: true,
            clocks: [Some(ms(0)), Some(ms(60000))],
            increments: [ms(10), ms(20)],
            moves_to_go: Some(7),
            ..Go::default()
        };
        let problems = vec!["go depth \"nodes\": expected a number; 0 is used".to_owned()];
        let expected = Go { depth: Some(0), nodes: Some(9), problems, ..expected };
        assert_eq!(read, expected, "`nodes` after `depth` is not its value");
        assert_eq!(go(""), Go::default());
        for (text, milliseconds) in [
            ("1000.0", 1000),
            ("1e9", 1_000_000_000),
            ("+5", 5),
            ("-1e3", 0),
            ("99999999999999999999", u64::MAX),
        ] {
            let read = go(&format!("movetime {text}"));
            assert_eq!((read.move_time, read.problems.len()), (Some(ms(milliseconds)), 0), "{text}");
        }
        for text in ["x", "inf", "nan", "", "1000ms", "1,5"] {
            let read = go(&format!("movetime {text}"));
            assert_eq!((read.move_time, read.problems.len()), (Some(ms(0)), 1), "{text}");
        }
    }

    #[test]
    fn option_names_and_values_can_contain_spaces() {
        for (arguments, option) in [
            ("name Move Overhead value 50", ["Move Overhead", "50"]),
            ("name Clear Hash", ["Clear Hash", ""]),
            ("name a value b c", ["a", "b c"]),
            ("", ["", ""]),
        ] {
            assert_eq!(read_option(arguments.split(' ')), option);
        }
    }

    #[test]
    fn scores_are_antisymmetric_finite_and_increasing() {
        let cp = |rate: f32| -> i32 {
            score(WinRate(rate), None, false).strip_prefix("cp ").unwrap().parse().unwrap()
        };
        assert_eq!([cp(0.5), cp(0.64), cp(0.0), cp(1.0)], [0, 100, -2000, 2000]);
        for percent in 0..100 {
            let rate = percent as f32 / 100.0;
            assert!(cp(rate) < cp(rate + 0.01), "{percent}");
            assert_eq!(cp(rate), -cp(1.0 - rate), "{percent}");
        }
        assert_eq!(score(WinRate::WIN, Some(true), true), "cp 20000 wdl 1000 0 0");
        assert_eq!(score(WinRate::LOSS, Some(false), true), "cp -20000 wdl 0 0 1000");
        assert_eq!(score(WinRate(0.25), None, true), "cp -191 wdl 250 0 750");
    }
}
