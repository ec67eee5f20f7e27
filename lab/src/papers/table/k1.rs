//! Kato et al. 2015, table 1 and figure 3: plain UCT with 10,000 to 200,000 playouts a move against
//! alpha-beta of depth 2 with three evaluations, 100 games each.

use super::study::{Cell, Study, machine, percent, percent_interval};
use crate::matches::score::Score;
use crate::plot::{Line, Plot};
use crate::sheet::Sheet;
use otrera_arena::game::Control;

/// The evaluations, in the paper's order.
const EVALUATIONS: [&str; 3] = ["mobility", "territory", "relative"];

/// A row of the paper: playouts, wins of UCT out of 100 against each evaluation, and seconds per move, if given.
type Row = (u64, [u32; 3], Option<f64>);

const PAPER: [Row; 5] = [
    (10_000, [71, 1, 9], Some(4.0)),
    (30_000, [89, 8, 40], None),
    (50_000, [90, 11, 43], None),
    (100_000, [97, 24, 57], Some(30.0)),
    (200_000, [100, 34, 66], Some(55.0)),
];

const PAPER_GAMES: u64 = 100;

fn cells(study: &Study, rows: &[Row]) -> Result<Vec<Cell>, String> {
    let cell = |(playouts, evaluation): (u64, &str)| {
        let games = match (study.quick, playouts) {
            (true, _) => 10,
            (false, 100_000..) => 30,
            (false, _) => 100,
        };
        let players = [&*format!("uct,iterations={playouts}"), &*format!("alphabeta:{evaluation}")];
        Ok((format!("K-1/{evaluation}-{playouts}"), study.new_match(players, games, Control::Free, 0)?))
    };
    rows.iter().flat_map(|&(playouts, ..)| EVALUATIONS.map(|name| (playouts, name))).map(cell).collect()
}

pub fn run(study: &Study) -> Result<(), String> {
    let rows = if study.quick { &PAPER[..2] } else { &PAPER[..] };
    let mut sheet = Sheet::new(
        "K-1: wins of plain UCT against alpha-beta of depth 2, in per cent (95 % interval; paper)",
        &["playouts", "mobility", "territory", "relative", "s a move", "paper"],
    );
    let mut ours = vec![Vec::new(); EVALUATIONS.len()];
    let games = study.games(cells(study, rows)?)?;
    for (&(playouts, paper, paper_seconds), games) in rows.iter().zip(games.chunks(EVALUATIONS.len())) {
        let mut cells = vec![playouts.to_string()];
        let mut seconds = Vec::new();
        for (index, games) in games.iter().enumerate() {
            let score = Score::of(games);
            cells.push(format_cell(&score, paper[index]));
            seconds.push(score.tally.seconds_a_move()[0]);
            ours[index].push((playouts as f64, percent(&score)));
        }
        cells.push(format!("{:.2}", seconds.iter().sum::<f64>() / seconds.len() as f64));
        cells.push(paper_seconds.map_or("-".into(), |seconds| format!("{seconds:.0}")));
        sheet.row(cells);
    }
    sheet.notes = vec![
        format!("machine: {}; the paper's: Xeon E31245, C#", machine()),
        format!("10x10 from the start, colours swapped every game, seed {}, no time limit", study.seed),
        "playouts draw a movement, then an arrow, each uniformly; the paper does not specify its distribution".into(),
        "* outside the 95 % interval of the paper's own rate, of 100 games".into(),
    ];
    let mut lines = Vec::new();
    for (index, (evaluation, points)) in EVALUATIONS.iter().zip(ours).enumerate() {
        let theirs = rows.iter().map(|&(playouts, wins, _)| (playouts as f64, f64::from(wins[index])));
        lines.push(Line::new(*evaluation, points));
        lines.push(Line::new(format!("{evaluation} (paper)"), theirs.collect()).dashed());
    }
    let plot = Plot {
        title: "Wins of plain UCT, per cent",
        horizontal: "playouts a move",
        is_logarithmic: true,
        is_from_zero: true,
        lines,
    };
    study.publish("K-1", &sheet, Some(&plot))
}

fn format_cell(score: &Score, paper: u32) -> String {
    let (low, high) = percent_interval(score.tally.wins(), score.tally.games());
    let (paper_low, paper_high) = percent_interval(u64::from(paper), PAPER_GAMES);
    let mark = if (paper_low..=paper_high).contains(&percent(score)) { "" } else { "*" };
    format!("{:.0}{mark} ({low:.0}-{high:.0}; {paper})", percent(score))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_players_parse() {
        assert_eq!(cells(&Study::in_test(), &PAPER).unwrap().len(), 15);
    }
}
