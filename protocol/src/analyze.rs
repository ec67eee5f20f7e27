//! `otrera analyze`: searches one position and shows what it thinks.

use crate::options::Options;
use crate::session::Defaults;
use otrera::{Limits, Report, Resources, Search};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long to think when nothing is said.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// Runs the command.
pub fn run(options: &Options) -> Result<(), String> {
    let position = crate::requested_position(options)?;
    let settings = &options.settings;
    let defaults = Defaults::desktop();
    let resources = Resources {
        threads: settings.threads.unwrap_or(defaults.threads),
        memory: settings.memory.unwrap_or(defaults.memory),
        seed: settings.seed.unwrap_or(1),
    };
    crate::print(&format!("{position}\n{}\n\n", position.to_fen()))?;
    if let Some(winner) = position.winner() {
        return crate::print(&format!("The game is over: {winner} has won.\n"));
    }
    let mut search = Search::new(position, settings.params(), resources);
    let limits = match settings.iterations {
        Some(count) => Limits::iterations(count),
        None => Limits::time(settings.move_time.unwrap_or(DEFAULT_TIME)),
    };
    let watched = std::io::stderr().is_terminal();
    let report = search.run(&limits, &AtomicBool::new(false), &mut |report| {
        if watched {
            eprintln!("{}", crate::session::summary(report, 110));
        }
    });
    crate::print(&described(&report, options.lines))?;
    crate::print(&format!(
        "{} iterations in {:.2} s, {:.0} iterations/s ({}, threads {})\n",
        report.iterations,
        report.elapsed.as_secs_f64(),
        report.speed(),
        settings.preset,
        search.threads()
    ))
}

/// The best moves, the expected course and the size of the tree.
fn described(report: &Report, lines: usize) -> String {
    // Writing to a String cannot fail.
    let mut text = String::from("  move         visits   win rate\n");
    for line in report.lines.iter().take(lines) {
        let proven = line.proven.map_or(String::new(), |winner| format!("  proven: {winner} wins"));
        let _ =
            writeln!(text, "  {:<10} {:>8}   {:>8}{proven}", line.mv.to_string(), line.visits, line.win_rate);
    }
    let variation: Vec<String> = report.principal_variation.iter().map(ToString::to_string).collect();
    let _ = writeln!(text, "\nprincipal variation: {}", variation.join(" "));
    let _ = write!(text, "win rate {}", report.win_rate);
    if let Some(winner) = report.proven {
        let _ = write!(text, ", proven: {winner} wins");
    }
    let _ = write!(text, ", depth {}, nodes {}", report.depth, report.nodes);
    if report.thinned > 0 {
        let _ = write!(text, " (memory used up and recycled: {})", report.thinned);
    }
    text.push('\n');
    text
}
