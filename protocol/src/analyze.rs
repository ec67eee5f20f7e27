//! `otrera analyze`: searches one position and shows what it thinks: the board and whose the squares are, the best
//! moves with what may follow them.

use crate::board::{self, Colours};
use crate::cli::CommandLine;
use crate::conditions::Conditions;
use crate::territory::{self, Territory};
use otrera::{Limits, Line, Move, Position, Report, Resources, Search, Side};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long to think when nothing is said.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// How many moves of a continuation stand in the table: as many as fit a line of 80 characters.
const SHOWN_MOVES: usize = 4;

/// Runs the command.
pub fn run(options: &CommandLine) -> Result<(), String> {
    let (position, last) = crate::given::position(options)?;
    let settings = &options.settings;
    settings.check_board(position.size())?;
    // The same analysis each time, unless another seed is asked for.
    let resources = Resources { seed: settings.seed.unwrap_or(1), ..Conditions::DESKTOP.resources(settings) };
    crate::print(&introduced(&position, last))?;
    if let Some(winner) = position.winner() {
        let hint = if last.is_some() { " --ply N shows the position after N moves." } else { "" };
        return crate::print(&format!("The game is over: {winner} has won.{hint}\n"));
    }
    let mut search = Search::new(position, settings.params(), resources);
    let limits = match settings.iterations {
        Some(count) => Limits::iterations(count),
        None => Limits::time(settings.move_time.unwrap_or(DEFAULT_TIME)),
    };
    let watched = std::io::stderr().is_terminal();
    let report = search.run(&limits, &AtomicBool::new(false), &mut |report| {
        if watched {
            let course = written(&report.principal_variation, SHOWN_MOVES + 1);
            eprintln!(
                "{:4.0} s  {:>6}  {course}",
                report.elapsed.as_secs_f64(),
                report.best_rate().to_string()
            );
        }
    });
    if watched {
        eprintln!();
    }
    crate::print(&described(&report, position.side(), options.lines))?;
    crate::print(&format!(
        "{} iterations in {:.2} s, {:.0} iterations/s ({}, threads {})\n",
        report.iterations,
        report.elapsed.as_secs_f64(),
        report.speed(),
        settings.preset,
        search.threads()
    ))
}

/// The position and its territory side by side, and who is who.
fn introduced(position: &Position, last: Option<Move>) -> String {
    let colours = Colours::of_output();
    let territory = Territory::of(position);
    let pieces = board::rows(position.size(), last, |square| board::piece(position, square), colours);
    let mut text = String::new();
    for (left, right) in pieces.iter().zip(territory.rows(colours)) {
        text += &format!("{left}     {}\n", right.trim_end());
    }
    let side = position.side();
    text += &format!("\n{}\nsquares: {}\n\n", territory::LEGEND, territory.summary());
    if let Some(mv) = last {
        text += &format!("{} has played {mv} (between brackets).\n", side.opponent());
    }
    text + &format!(
        "{side} is to move. Black (B) is the side that moves first. A FEN and UCI call that\n\
         side White: in a FEN Q and w are Black, q and b are White.\n{}\n\n",
        position.to_fen()
    )
}

/// The best moves with what may follow, the expected course and the size of the tree.
fn described(report: &Report, side: Side, lines: usize) -> String {
    // Writing to a String cannot fail.
    let mut text = format!("Win rates are {side}'s chances after the move.\n\n");
    text += "  move        win rate    visits  continuation\n";
    for line in report.lines.iter().take(lines) {
        let Line { mv, visits, win_rate, .. } = line;
        let rate = win_rate.to_string();
        let _ = write!(text, "  {:<10}  {rate:>8}  {visits:>8}  ", mv.to_string());
        text += &match line.proven {
            Some(winner) => format!("proven: {winner} wins"),
            None => written(&line.continuation, SHOWN_MOVES),
        };
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    let course = written(&report.principal_variation, usize::MAX);
    let _ = write!(text, "\nprincipal variation: {course}\ndepth {}, nodes {}", report.depth, report.nodes);
    if report.thinned > 0 {
        let _ = write!(text, " (memory used up and recycled: {})", report.thinned);
    }
    text.push('\n');
    text
}

/// So many moves at most, separated by spaces; dots where more are known.
fn written(moves: &[Move], most: usize) -> String {
    let texts: Vec<String> = moves.iter().take(most).map(ToString::to_string).collect();
    texts.join(" ") + if moves.len() > most { " ..." } else { "" }
}
