//! Kato et al. 2015, table 1 and figure 3: plain UCT with 10,000 to 200,000 playouts a move against
//! alpha-beta of depth 2 with three evaluations, 100 games each.

use super::sheet::Sheet;
use super::{Cell, Study, machine};
use crate::matches::score::Score;
use crate::play::referee::Control;
use crate::plot::{Line, Plot, Scale};
use crate::stats::wilson::wilson;

/// The evaluations, in the paper's order.
const MEASURES: [&str; 3] = ["mobility", "territory", "relative"];

/// Playouts, the wins of UCT out of 100 in the paper, and its seconds a move where it gives them.
const PAPER: [(u64, [u32; 3], Option<f64>); 5] = [
    (10_000, [71, 1, 9], Some(4.0)),
    (30_000, [89, 8, 40], None),
    (50_000, [90, 11, 43], None),
    (100_000, [97, 24, 57], Some(30.0)),
    (200_000, [100, 34, 66], Some(55.0)),
];

/// Games behind each rate of the paper.
const PAPER_GAMES: u64 = 100;

/// Games of a cell.
fn games(study: &Study, playouts: u64) -> u64 {
    match (study.quick, playouts) {
        (true, _) => 10,
        (false, 100_000..) => 30,
        (false, _) => 100,
    }
}

/// The players of a cell.
fn players(playouts: u64, measure: &str) -> [String; 2] {
    [format!("uct,iterations={playouts}"), format!("alphabeta:{measure}")]
}

/// The cells of some rows, row by row.
fn cells(study: &Study, rows: &[(u64, [u32; 3], Option<f64>)]) -> Result<Vec<Cell>, String> {
    let each = rows.iter().flat_map(|&(playouts, ..)| MEASURES.map(|measure| (playouts, measure)));
    let cell = |(playouts, measure): (u64, &str)| {
        let [uct, opponent] = players(playouts, measure);
        let contest = study.contest([&uct, &opponent], games(study, playouts), Control::Free, 0)?;
        Ok(Cell { name: format!("K-1/{measure}-{playouts}"), contest })
    };
    each.map(cell).collect()
}

/// Plays, prints and writes the table.
pub fn run(study: &Study) -> Result<(), String> {
    let rows = if study.quick { &PAPER[..2] } else { &PAPER[..] };
    let mut sheet = Sheet::new(
        "K-1: wins of plain UCT against alpha-beta of depth 2, in per cent (95 % interval; paper)",
        &["playouts", "mobility", "territory", "relative", "s a move", "paper"],
    );
    let mut ours = vec![Vec::new(); MEASURES.len()];
    let games = study.games(cells(study, rows)?)?;
    for (&(playouts, paper, paper_seconds), games) in rows.iter().zip(games.chunks(MEASURES.len())) {
        let mut cells = vec![playouts.to_string()];
        let mut seconds = Vec::new();
        for (index, games) in games.iter().enumerate() {
            let score = Score::of(games);
            cells.push(cell(&score, paper[index]));
            seconds.push(score.seconds_a_move()[0]);
            ours[index].push((playouts as f64, score.share() * 100.0));
        }
        cells.push(format!("{:.2}", seconds.iter().sum::<f64>() / seconds.len() as f64));
        cells.push(paper_seconds.map_or("-".into(), |seconds| format!("{seconds:.0}")));
        sheet.row(cells);
    }
    sheet.notes = vec![
        format!("machine: {}; the paper's: Xeon E31245, C#", machine()),
        format!("10x10 from the start, colours swapped every game, seed {}, no time limit", study.seed),
        "playouts draw a movement, then an arrow, each uniformly; the paper does not say how it draws".into(),
        "* outside the 95 % interval of the paper's own rate, of 100 games".into(),
    ];
    let mut lines = Vec::new();
    for (index, (measure, points)) in MEASURES.iter().zip(ours).enumerate() {
        let theirs = rows.iter().map(|&(playouts, wins, _)| (playouts as f64, f64::from(wins[index])));
        lines.push(Line::new(*measure, points));
        lines.push(Line::new(format!("{measure} (paper)"), theirs.collect()).dashed());
    }
    let plot = Plot {
        title: "Wins of plain UCT, per cent",
        horizontal: "playouts a move",
        scale: Scale::Logarithmic,
        is_from_zero: true,
        lines,
    };
    study.publish("K-1", &sheet, Some(&plot))
}

/// Our rate with its interval, and the paper's.
fn cell(score: &Score, paper: u32) -> String {
    let interval = |wins, games| wilson(wins, games, 0.95).map_or((0.0, 1.0), |i| (i.low, i.high));
    let (low, high) = interval(score.wins, score.games());
    let (paper_low, paper_high) = interval(u64::from(paper), PAPER_GAMES);
    let mark = if (paper_low..=paper_high).contains(&score.share()) { "" } else { "*" };
    format!("{:.0}{mark} ({:.0}-{:.0}; {paper})", score.share() * 100.0, low * 100.0, high * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::spec::PlayerSpec;

    #[test]
    fn all_players_are_understood() {
        for (playouts, ..) in PAPER {
            for player in MEASURES.iter().flat_map(|measure| players(playouts, measure)) {
                assert!(player.parse::<PlayerSpec>().is_ok(), "{player}");
            }
        }
    }
}
