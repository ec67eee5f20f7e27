//! Tables of the MG-PEO paper from games against several opponents: win rates (tables 5 and 8), the move at which
//! a game is decided, called match point (table 6), tests on these moves (table 7), and rollout depth (table A1).
//!
//! The paper's opponents were 50 competition programs that are not available. Ours are five baselines, so only
//! trends can be compared, not absolute win rates.

use super::study::{Cell, Study, file_name, machine, percent, percent_interval};
use crate::matches::score::{Score, side_of_a};
use crate::play::player::run_search;
use crate::sheet::Sheet;
use crate::stats::{mann_whitney::mann_whitney, shapiro_wilk::shapiro_wilk};
use otrera::{GameRecord, Limits, Params, Position, Resources, Search};
use otrera_arena::game::Control;
use statrs::statistics::Statistics;
use std::time::Duration;

/// The opponents, from weak to strong.
const FIELD: [&str; 5] =
    ["greedy", "alphabeta:mobility", "alphabeta:relative", "alphabeta:territory", "pvs:paper"];

/// The paper's four systems: name, win rate in per cent, and iterations, which the paper gives as "within 1 s".
const SYSTEMS: [(&str, u32, u32); 4] =
    [("mcts", 74, 2176), ("peo", 89, 10_026), ("mg", 83, 5663), ("paper", 97, 45_536)];

/// Rollout depths of table A1. Depth 8 represents depths 7 to 10, which the paper merges.
const DEPTHS: [&str; 8] = ["1", "2", "3", "4", "5", "6", "8", "4+5"];

/// The paper's mean round of the match point, where a game is decided, for each of [`DEPTHS`].
const ROUNDS_BY_DEPTH: [f64; 8] = [40.25, 40.14, 40.0, 39.9, 39.84, 40.04, 40.1, 39.68];

/// Round that the paper counts as the match point (the move at which a game is decided) if the game is lost.
const LOST: f64 = 47.0;

/// Thinking time per move; 5 s in the paper.
const MOVE_TIME: Duration = Duration::from_millis(200);

fn cell(study: &Study, system: &str, opponent: &str) -> Result<Cell, String> {
    let count = if study.quick { 2 } else { 20 };
    let matchup = study.new_match([system, opponent], count, Control::PerMove(MOVE_TIME), 4)?;
    Ok((file_name(&format!("Z/{system}-{opponent}")), matchup))
}

/// Plays the games of each system against each opponent in [`FIELD`]; returns the games by system.
fn games(study: &Study, systems: &[String]) -> Result<Vec<Vec<GameRecord>>, String> {
    let pairs = systems.iter().flat_map(|system| FIELD.map(|opponent| cell(study, system, opponent)));
    let games = study.games(pairs.collect::<Result<_, String>>()?)?;
    Ok(games.chunks(FIELD.len()).map(<[_]>::concat).collect())
}

/// Returns the round of the match point, from 1: the system's first move with a win rate of 90 % or more, else its
/// last move; [`LOST`] if the system did not win.
fn match_point(game: &GameRecord) -> f64 {
    let side = side_of_a(game.number);
    if game.winner != Some(side) {
        return LOST;
    }
    let own = game.moves.iter().skip(usize::from(side != game.start.side())).step_by(2);
    let (before, rounds) =
        (own.clone().position(|played| played.win_rate.is_some_and(|rate| rate >= 0.9)), own.len());
    before.map_or(rounds, |before| before + 1) as f64
}

fn rounds(games: &[GameRecord]) -> Vec<f64> {
    games.iter().map(match_point).collect()
}

fn format_rate(games: &[GameRecord]) -> String {
    // The games are from several matches, so only the counts of the score are meaningful.
    let score = Score::of(games);
    let (low, high) = percent_interval(score.tally.wins(), score.tally.games());
    format!("{:.0}% ({low:.0}-{high:.0})", percent(&score))
}

/// Returns the number of iterations of a one-second search from the 10x10 start position, as text.
fn iterations(params: &Params, threads: usize) -> String {
    let mut search =
        Search::new(Position::standard(), params.clone(), Resources { threads, memory: 1 << 30, seed: 1 });
    run_search(&mut search, &Limits::time(Duration::from_secs(1))).iterations.to_string()
}

fn notes(study: &Study) -> Vec<String> {
    vec![
        format!("machine: {}; one thread a player; the paper's: i7-11800H, 5 s a move", machine()),
        format!(
            "10x10, {} s a move, 4 random plies, colours swapped, seed {}",
            MOVE_TIME.as_secs_f64(),
            study.seed
        ),
        format!(
            "field: {}; the paper's 50 programs are not available: compare trends, not rates",
            FIELD.join(", ")
        ),
    ]
}

/// True if table 5 or 8 has a row for a system.
fn is_shown(table: &str, system: &str) -> bool {
    table == "Z-8" || ["mcts", "paper"].contains(&system)
}

/// Prints and saves table 5 or 8: win rates and iterations.
pub fn win_rates(study: &Study, name: &str) -> Result<(), String> {
    let cores = Resources::cores();
    let all_cores = format!("1 s, {cores} threads");
    let header = ["system", "won", "paper", "iterations in 1 s, 1 thread", &all_cores, "paper"];
    let mut sheet = Sheet::new(format!("{name}: win rates against the field, iterations in 1 s"), &header);
    let systems: Vec<_> = SYSTEMS.into_iter().filter(|(system, ..)| is_shown(name, system)).collect();
    let names: Vec<String> = systems.iter().map(|(system, ..)| (*system).to_owned()).collect();
    for ((system, paper_rate, paper_iterations), games) in systems.into_iter().zip(games(study, &names)?) {
        let params = Params::preset(system)?;
        let (alone, together) = (iterations(&params, 1), iterations(&params, cores));
        sheet.row([
            system.to_owned(),
            format_rate(&games),
            format!("{paper_rate}%"),
            alone,
            together,
            paper_iterations.to_string(),
        ]);
    }
    sheet.notes = notes(study);
    sheet.notes.push(
        "on one thread peo equals mcts and paper equals mg: no second thread shares the evaluation".into(),
    );
    sheet.notes.push(
        "the paper's 45,536 iterations at 108 us for two evaluations take 4.9 s, its time for a move".into(),
    );
    study.publish(name, &sheet, None)
}

/// Prints and saves table 6: mean round of the match point, the move at which a game is decided.
pub fn match_points(study: &Study) -> Result<(), String> {
    let mut sheet = Sheet::new("Z-6: mean round of the match point", &["system", "ours", "paper"]);
    let systems = ["mcts", "paper"].map(str::to_owned);
    for ((system, paper), games) in systems.iter().zip([42.57, 39.68]).zip(games(study, &systems)?) {
        let rounds = rounds(&games);
        sheet.row([system.clone(), format!("{:.2}", rounds.mean()), paper.to_string()]);
    }
    sheet.notes = notes(study);
    sheet.notes.push("first own move with a win rate of 90 % or more, 47 for a lost game".into());
    study.publish("Z-6", &sheet, None)
}

/// Prints and saves table 7: p-values of the tests for normally distributed rounds and for a difference between the two
/// systems.
pub fn significance(study: &Study) -> Result<(), String> {
    let mut sheet =
        Sheet::new("Z-7: tests on the rounds of the match points", &["test", "p, ours", "p, paper"]);
    let games = games(study, &["mcts", "paper"].map(str::to_owned))?;
    let [plain, paper] = [0, 1].map(|system| rounds(&games[system]));
    for (test, result, p_paper) in [
        ("Shapiro-Wilk, mcts", shapiro_wilk(&plain), "2e-4"),
        ("Shapiro-Wilk, paper", shapiro_wilk(&paper), "1.3e-3"),
        ("Mann-Whitney U", mann_whitney(&plain, &paper), "1.16e-8"),
    ] {
        let p = result.map_or_else(|problem| problem, |test| format!("{:.3e}", test.p_value));
        sheet.row([test.to_owned(), p, p_paper.to_owned()]);
    }
    sheet.notes = notes(study);
    study.publish("Z-7", &sheet, None)
}

/// Prints and saves table A1: mean round of the match point (the move at which a game is decided) by rollout depth.
pub fn rollout_depths(study: &Study) -> Result<(), String> {
    let mut sheet =
        Sheet::new("A1: rollout depth and mean round of the match point", &["depth", "ours", "paper", "won"]);
    let systems = DEPTHS.map(|depth| format!("paper,rollouts={depth}"));
    for ((depth, paper), games) in DEPTHS.into_iter().zip(ROUNDS_BY_DEPTH).zip(games(study, &systems)?) {
        sheet.row([
            depth.to_owned(),
            format!("{:.2}", rounds(&games).mean()),
            paper.to_string(),
            format_rate(&games),
        ]);
    }
    sheet.notes = notes(study);
    sheet.notes.push("depth 8 represents the paper's depths 7 to 10".into());
    study.publish("A1", &sheet, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use otrera::{PlayedMove, Side};

    #[test]
    fn all_players_parse() {
        let study = Study::in_test();
        let systems = SYSTEMS.map(|(name, ..)| name.to_owned());
        let depths = DEPTHS.map(|depth| format!("paper,rollouts={depth}"));
        for system in systems.iter().chain(&depths) {
            assert!(FIELD.iter().all(|opponent| cell(&study, system, opponent).is_ok()), "{system}");
        }
    }

    #[test]
    fn table_8_has_all_systems_and_table_5_two() {
        let shown =
            |table| SYSTEMS.map(|(system, ..)| system).into_iter().filter(move |one| is_shown(table, one));
        assert!(shown("Z-5").eq(["mcts", "paper"]));
        assert_eq!(shown("Z-8").count(), SYSTEMS.len());
    }

    #[test]
    fn match_point_is_the_first_move_at_90_percent() {
        let position = Position::standard();
        let mv = position.legal_moves().next().unwrap();
        let seen = |rate: f32| PlayedMove { win_rate: Some(rate), ..mv.into() };
        let game = GameRecord {
            moves: [0.5, 0.95, 0.6, 0.1, 0.92, 0.05].map(seen).to_vec(),
            winner: Some(Side::Black),
            ..GameRecord::new("a", "b", position)
        };
        assert_eq!(match_point(&game), 3.0);
        assert_eq!(match_point(&GameRecord { number: 1, ..game }), LOST);
    }
}
