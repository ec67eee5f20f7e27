//! Parses and formats UCI in the dialect of Fairy-Stockfish's Amazons variant: arguments, moves, scores and boards.
//!
//! A move is `d1d7,d7g7`: from and to of the amazon, then from and to of the arrow. In UCI White moves first, so UCI's
//! White is our Black.

use crate::board::{self, Colours};
use otrera::{Move, Position, Report, Side, Size, WinRate};
use std::collections::HashSet;
use std::str::FromStr;
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
    pub fn read<'a>(mut words: impl Iterator<Item = &'a str>) -> Self {
        let mut go = Self::default();
        let mut is_list = false;
        while let Some(word) = words.next() {
            if is_list && let Ok(mv) = word.parse() {
                go.search_moves.push(mv);
                continue;
            }
            is_list = word == "searchmoves";
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "movetime" => go.move_time = milliseconds(words.next()),
                "wtime" => go.clocks[0] = milliseconds(words.next()),
                "btime" => go.clocks[1] = milliseconds(words.next()),
                "winc" => go.increments[0] = milliseconds(words.next()).unwrap_or_default(),
                "binc" => go.increments[1] = milliseconds(words.next()).unwrap_or_default(),
                "movestogo" => go.moves_to_go = number(words.next()),
                "nodes" => go.nodes = number(words.next()),
                "depth" => go.depth = number(words.next()),
                "perft" => go.perft = number(words.next()),
                _ => {}
            }
        }
        go
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

fn number<T: FromStr>(word: Option<&str>) -> Option<T> {
    word?.parse().ok()
}

/// Parses a time in milliseconds. A negative time (an overrun clock) counts as zero.
fn milliseconds(word: Option<&str>) -> Option<Duration> {
    number::<i64>(word).map(|number| Duration::from_millis(number.max(0).unsigned_abs()))
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

pub fn format_move(mv: Move) -> String {
    format!("{}{},{}{}", mv.from, mv.to, mv.to, mv.arrow)
}

/// Options for the content of the `info` lines.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Maximum number of moves to show (`MultiPV`).
    pub lines: usize,
    /// True to add the winning rate as `wdl`.
    pub winning_rate: bool,
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
        let score = score(rate, proven.map(|winner| winner == side), shown.winning_rate);
        let moves: Vec<String> = moves.iter().map(|&mv| format_move(mv)).collect();
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
        .filter_map(|line| Some(format!("{} {:+.1}", format_move(line.mv), line.lead?)));
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

/// Formats a winning rate w as a score of `400 log10(w / (1 - w))`, so that `cp 100` is 64 %. A proven win is not shown
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
        Some(&answer) => format!("bestmove {} ponder {}", format_move(best), format_move(answer)),
        None => format!("bestmove {}", format_move(best)),
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
        let count = otrera::perft(&position.with_move(mv), depth.saturating_sub(1));
        sum += count;
        text += &format!("{}: {count}\n", format_move(mv));
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
        assert_eq!(read, expected, "`nodes` after `depth` is not its value");
        assert_eq!(go(""), Go::default());
        assert_eq!(go("movetime 99999999999999999999").move_time, None);
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
