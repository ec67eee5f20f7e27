//! `otrera analyze`: searches a position and prints board, territory and the best moves with their continuations. The
//! output fits a terminal of 80 columns and 24 rows.

use crate::board::{self, Colours};
use crate::cli::CommandLine;
use otrera::{Limits, Line, Move, Position, Report, Resources, Search, Side};
use otrera_front::session::verdict;
use otrera_front::setup::Setup;
use std::io::{IsTerminal, Write};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Default thinking time.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// Assumed width of the terminal, in columns.
const WIDTH: usize = 80;

/// Runs the command: prints the position, searches it and prints the best moves.
pub fn run(options: &CommandLine) -> Result<(), String> {
    let (position, last) = crate::position::position(options)?;
    let settings = &options.settings;
    settings.check_board(position.size())?;
    otrera_front::io::print(&format_position(&position, last))?;
    if let Some(winner) = position.winner() {
        let hint = if last.is_some() { " --ply N shows the position after N moves." } else { "" };
        return otrera_front::io::print(&format!("The game is over: {winner} has won.{hint}\n"));
    }
    let mut search = new_search(position, options);
    let limits = limits(options, DEFAULT_TIME);
    let progress = Progress::begin("thinking ...");
    let report = search.run(&limits, &AtomicBool::new(false), &mut |report| {
        let course = moves_within(&report.principal_variation, WIDTH / 2);
        progress.show(&format!("{:3.0} s  {}  {course}", report.elapsed.as_secs_f64(), report.best_rate()));
    });
    progress.wipe();
    otrera_front::io::print(&format_report(&report, position.side(), options.own.lines))?;
    otrera_front::io::print(&format!(
        "depth {}, {} iterations in {:.2} s: {:.0}/s ({}, threads {})\n",
        report.depth,
        report.iterations,
        report.elapsed.as_secs_f64(),
        report.speed(),
        settings.preset.text,
        search.threads()
    ))
}

/// Creates the search for an analysis. The fixed default seed makes a single-threaded analysis reproducible.
pub fn new_search(position: Position, options: &CommandLine) -> Search {
    Search::new(position, options.settings.preset.params.clone(), resources(options))
}

/// Returns threads, memory and seed for an analysis; the seed is 1 by default.
pub fn resources(options: &CommandLine) -> Resources {
    let settings = &options.settings;
    Resources { seed: settings.seed.unwrap_or(1), ..Setup::DESKTOP.resources(settings) }
}

/// Returns the search limits: `--iterations`, else `--time`, `--move-time` or `default`, counted from this call.
pub fn limits(options: &CommandLine, default: Duration) -> Limits {
    match options.settings.iterations {
        Some(count) => Limits::iterations(count),
        None => Limits::time(options.own.time.or(options.settings.move_time).unwrap_or(default)),
    }
}

/// A progress line on standard error, shown only if standard error is a terminal.
pub struct Progress {
    is_shown: bool,
}

impl Progress {
    /// Creates the progress line and shows `text`.
    pub fn begin(text: &str) -> Self {
        let progress = Self { is_shown: std::io::stderr().is_terminal() };
        progress.show(text);
        progress
    }

    /// Replaces the line's text, cut to [`WIDTH`] - 1 columns.
    pub fn show(&self, text: &str) {
        self.write(&format!("\r{text:<0$.0$}", WIDTH - 1));
    }

    /// Clears the line.
    pub fn wipe(&self) {
        self.show("");
        self.write("\r");
    }

    fn write(&self, text: &str) {
        if self.is_shown {
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }
}

/// Formats two boards (pieces, territory) and the legend side by side, with the FEN below.
fn format_position(position: &Position, last: Option<Move>) -> String {
    let colours = Colours::of_output();
    let [territory, owners] = board::territory(position, colours);
    let pieces = board::rows(position.size(), last, |square| board::piece(position, square), colours);
    let side = position.side();
    let mut legend = vec![
        format!("{side} to move"),
        last.map_or(String::new(), |mv| format!("{} played {mv}", side.opponent())),
        "B  Black, Q in the FEN".into(),
        "W  White, q in the FEN".into(),
    ];
    legend.extend(owners);
    let width = 5 + 2 * position.size().edge();
    let mut text = String::new();
    for row in 0..pieces.len().max(legend.len()) {
        let part = |column: &[String]| column.get(row).cloned().unwrap_or_default();
        let [left, right, meaning] = [&pieces, &territory, &legend].map(|column| part(column));
        text += format!("{left:width$}   {right:width$}   {meaning}").trim_end();
        text.push('\n');
    }
    format!("{text}{}\n\n", position.to_fen())
}

/// Formats a table of the first `lines` moves of [`Report::by_choice`], and the principal variation.
fn format_report(report: &Report, side: Side, lines: usize) -> String {
    let lines: Vec<&Line> = report.by_choice().into_iter().take(lines).collect();
    let bounded = lines.iter().any(|line| line.lower_bound.is_some());
    let has_leads = lines.iter().any(|line| line.lead.is_some());
    let mut text = heading(report, side, bounded);
    text += &row(["move", "rate", "at least", "visits"], bounded);
    text += &lead_cell(has_leads, "lead");
    text += "continuation\n";
    for line in lines {
        let rate = match line.proven {
            None => line.win_rate.to_string(),
            Some(winner) => if winner == side { "won" } else { "lost" }.into(),
        };
        let bound = line.lower_bound.map_or(String::new(), |bound| bound.to_string());
        let lead = line.lead.map_or(String::new(), |lead| format!("{lead:+.1}"));
        let mut row = row([&line.mv.to_string(), &rate, &bound, &line.visits.to_string()], bounded);
        row += &lead_cell(has_leads, &lead);
        row += &moves_within(&line.continuation, WIDTH.saturating_sub(row.len()));
        text += row.trim_end();
        text.push('\n');
    }
    let course = "principal variation: ";
    text += &format!("{course}{}\n", moves_within(&report.principal_variation, WIDTH - course.len()));
    if report.recycled > 0 {
        let seconds = report.recycling.as_secs_f64();
        text +=
            &format!("Memory full: {} pauses to recycle nodes, {seconds:.2} s in total\n", report.recycled);
    }
    text
}

/// Formats the heading of the table: the proven result, or else the order of the moves.
fn heading(report: &Report, side: Side, bounded: bool) -> String {
    match verdict(report) {
        Some(verdict) => format!("{verdict}. Best move first, then by visits:\n"),
        None if bounded => {
            format!("{side}'s win rates, best move first: by lower bound (at least), then visits.\n")
        }
        None => format!("{side}'s win rates, best move first: by visits.\n"),
    }
}

/// Formats a table row up to the continuation. Includes the column `bound` (LCB) only if `bounded` is true.
fn row([mv, rate, bound, visits]: [&str; 4], bounded: bool) -> String {
    let bound = if bounded { format!("{bound:>8}  ") } else { String::new() };
    format!("  {mv:<11} {rate:>8}  {bound}{visits:>9}  ")
}

/// Formats the cell of the expected lead in moves; empty if no line has a lead.
fn lead_cell(has_leads: bool, lead: &str) -> String {
    if has_leads { format!("{lead:>6}  ") } else { String::new() }
}

/// Formats the longest prefix of `moves` that fits into `columns`, followed by dots if moves are cut off.
fn moves_within(moves: &[Move], columns: usize) -> String {
    let mut text = String::new();
    for (number, mv) in (1..).zip(moves) {
        let (mv, dots) = (mv.to_string(), if number < moves.len() { " ...".len() } else { 0 });
        if text.len() + mv.len() + dots > columns {
            return text + "...";
        }
        text += &mv;
        text.push(' ');
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test fails by panicking
mod tests {
    use super::*;

    #[test]
    fn a_continuation_is_cut_at_the_width() {
        let moves = ["d1-d7/g7", "a7-d4/a7"].map(|text| text.parse().unwrap());
        for (columns, expected) in
            [(17, "d1-d7/g7 a7-d4/a7"), (16, "d1-d7/g7 ..."), (12, "d1-d7/g7 ..."), (11, "...")]
        {
            assert_eq!(moves_within(&moves, columns), expected, "{columns} columns");
        }
        assert_eq!(moves_within(&moves[..1], 8), "d1-d7/g7");
    }
}
