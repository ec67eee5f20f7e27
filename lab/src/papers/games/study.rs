//! Repeats the study of the paper \[R\] of [`super`], minimax against MCTS in Reversi: tables 1 to 10, and known facts
//! that check the games and the searches.
//!
//! [`pairings`] lists the games, [`play`] plays one game, and [`tables`] builds all tables from the same games. Each
//! game has its own seed, so games can be played in any order.

use super::minimax::{DECIDED, alpha_beta, minimax};
use super::reversi::{Reversi, Turn};
use super::tictactoe::TicTacToe;
use super::uct::{EXPLORATION, uct};
use super::{Game, paper, perft, value_for};
use crate::sheet::Sheet;
use fastrand::Rng;
use otrera::Side;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    pub board: usize,
    pub depth: u32,
    pub iterations: u32,
    pub minimax_plays: Side,
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    pub time: Duration,
    /// Number of states visited (alpha-beta) or created (UCT).
    pub nodes: u64,
    /// Number of moves played, passes excluded.
    pub moves: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    pub pairing: Pairing,
    /// Final number of minimax's discs minus the number of MCTS's discs.
    pub lead: i32,
    pub stopped: bool,
    /// `[minimax, MCTS]`: time, nodes and moves of each player.
    pub efforts: [Effort; 2],
}

/// Returns the games of the study, 6 for each combination of board, depth and iterations: 288 as in \[R\], with
/// alternating sides. With `quick`: 24 games, 2 for each board with depth 3 or 4 and 10 or 100 iterations.
///
/// The 288 games take about a quarter of an hour on one core, the 24 games about a second.
pub fn pairings(quick: bool, seed: u64) -> Vec<Pairing> {
    let (kept, games) = if quick { (2, 2) } else { (4, paper::GAMES) };
    let mut seeds = Rng::with_seed(seed);
    let mut pairings = Vec::new();
    for board in paper::BOARDS {
        for &depth in &paper::DEPTHS[..kept] {
            for &iterations in &paper::ITERATIONS[..kept] {
                pairings.extend((0..games).map(|game| {
                    let minimax_plays = if game % 2 == 0 { Side::Black } else { Side::White };
                    Pairing { board, depth, iterations, minimax_plays, seed: seeds.u64(..) }
                }));
            }
        }
    }
    pairings
}

/// Plays a game, and stops it after a move if the mover's total search time exceeds `limit`.
///
/// \[R\] gives two rules for a stopped game: the side with more discs wins (2.4), or the side out of time loses (3.3).
/// This function uses the first rule.
pub fn play(pairing: Pairing, limit: Duration) -> Played {
    let mut state = Reversi::new(pairing.board);
    let mut rng = Rng::with_seed(pairing.seed);
    let (mut efforts, mut stopped) = ([Effort::default(); 2], false);
    while let (Some(first), false) = (state.moves().first().copied(), stopped) {
        if first == Turn::Pass {
            state = state.play(first);
            continue;
        }
        let is_minimax = state.to_move() == pairing.minimax_plays;
        let clock = Instant::now();
        let (chosen, nodes) = if is_minimax {
            let found = alpha_beta(&state, pairing.depth);
            (found.best, found.nodes)
        } else {
            uct(&state, pairing.iterations, EXPLORATION, &mut rng)
        };
        let effort = &mut efforts[usize::from(!is_minimax)];
        effort.time += clock.elapsed();
        effort.nodes += nodes;
        effort.moves += 1;
        stopped = effort.time > limit;
        state = state.play(chosen.unwrap_or(first));
    }
    let lead = value_for(pairing.minimax_plays, state.score());
    Played { pairing, lead, stopped: stopped && !state.moves().is_empty(), efforts }
}

/// Returns all ten tables, with our numbers beside the printed ones; `-` stands for a cell without games.
pub fn tables(played: &[Played]) -> Vec<Sheet> {
    let efforts = paper::EFFORTS.iter().enumerate().map(|(index, paper)| effort_table(index, paper, played));
    efforts.chain([win_rates(played), stopped_games(played)]).collect()
}

/// Creates an empty table, in the layout that all ten share.
fn table(number: usize, title: &str, columns: &[String]) -> Sheet {
    let header: Vec<&str> =
        ["board", "depth"].into_iter().chain(columns.iter().map(String::as_str)).collect();
    Sheet::new(format!("R-{number}: {title}, ours (paper)"), &header)
}

fn add_row(sheet: &mut Sheet, board: usize, depth: Option<u32>, ours: &[Option<f64>], paper: &[f64]) {
    let cells = ours.iter().zip(paper).map(|(ours, paper)| {
        let ours = ours.map_or("-".into(), |ours| format!("{ours:.3}"));
        format!("{ours} ({paper})")
    });
    let depth = depth.map_or("-".into(), |depth| depth.to_string());
    sheet.row([format!("{board}x{board}"), depth].into_iter().chain(cells));
}

/// Builds one of tables 1 to 8: mean time or nodes, per game or per move.
///
/// The mean per move is the mean over the games of each game's mean. In \[R\] the ratio of table 1 to table 2 differs
/// from that of table 5 to table 6, so \[R\] did not divide the totals of all games either.
fn effort_table(index: usize, paper: &paper::ByBoard, played: &[Played]) -> Sheet {
    let (is_mcts, is_nodes, is_per_move) = (index / 2 % 2 == 1, index >= 4, index % 2 == 1);
    let value = |game: &Played| {
        let Effort { time, nodes, moves } = game.efforts[usize::from(is_mcts)];
        let total = if is_nodes { nodes as f64 } else { time.as_secs_f64() };
        if is_per_move { total / f64::from(moves.max(1)) } else { total }
    };
    let title = format!(
        "{}: mean {} per {}",
        if is_mcts { "MCTS" } else { "Minimax" },
        if is_nodes { "number of nodes" } else { "search time in s" },
        if is_per_move { "move" } else { "game" }
    );
    let keys = if is_mcts { paper::ITERATIONS } else { paper::DEPTHS };
    let columns = keys.map(|key| if is_mcts { format!("{key} iterations") } else { format!("depth {key}") });
    let mut sheet = table(index + 1, &title, &columns);
    for (board, paper) in paper::BOARDS.into_iter().zip(paper) {
        let ours = keys.map(|key| {
            let key_of = |pairing: &Pairing| if is_mcts { pairing.iterations } else { pairing.depth };
            let is_here = |game: &&Played| (game.pairing.board, key_of(&game.pairing)) == (board, key);
            mean(played.iter().filter(is_here).map(value))
        });
        add_row(&mut sheet, board, None, &ours, paper);
    }
    sheet
}

/// Builds table 9: the percentage of games that minimax won. A draw counts as 0, because every rate in the paper is a
/// multiple of 1/6.
fn win_rates(played: &[Played]) -> Sheet {
    let won = |game: &&Played| if game.lead > 0 { 100.0 } else { 0.0 };
    let rate = |games: &[&Played]| mean(games.iter().map(won));
    table_by_depth(9, "Minimax: games won in %", played, &paper::MINIMAX_WINS, rate)
}

/// Builds table 10: the number of games stopped early. Each cell has at most 6 games.
fn stopped_games(played: &[Played]) -> Sheet {
    let stopped = |games: &[&Played]| {
        let count = games.iter().filter(|game| game.stopped).count();
        (!games.is_empty()).then_some(count as f64)
    };
    table_by_depth(10, "Games stopped early", played, &paper::STOPPED, stopped)
}

/// Builds a table by depth and iterations; a fifth column, if present, holds the mean of the others.
fn table_by_depth<const COLUMNS: usize>(
    number: usize,
    title: &str,
    played: &[Played],
    paper: &[[[f64; COLUMNS]; 4]; 3],
    measure: impl Fn(&[&Played]) -> Option<f64>,
) -> Sheet {
    let columns = paper::ITERATIONS.iter().map(|iterations| format!("{iterations} iterations"));
    let columns: Vec<String> = columns.chain(["average".to_owned()]).take(COLUMNS).collect();
    let mut sheet = table(number, title, &columns);
    for (board, paper) in paper::BOARDS.into_iter().zip(paper) {
        for (depth, paper) in paper::DEPTHS.into_iter().zip(paper) {
            let mut ours = paper::ITERATIONS
                .map(|iterations| {
                    let is_here = |game: &&Played| {
                        let Pairing { board: b, depth: d, iterations: i, .. } = game.pairing;
                        (b, d, i) == (board, depth, iterations)
                    };
                    measure(&played.iter().filter(is_here).collect::<Vec<_>>())
                })
                .to_vec();
            ours.push(mean(ours.iter().copied().flatten()));
            add_row(&mut sheet, board, Some(depth), &ours, paper);
        }
    }
    sheet
}

/// Returns the mean; `None` if there are no values.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Computes known facts; returns each name with our number and the known number. The facts: the value of tic-tac-toe
/// and the nodes of its minimax search, the final discs of Reversi 4x4 after best play, and the number of sequences of
/// 1 to 9 moves (`quick`: 1 to 7) in Reversi 8x8.
pub fn truths(quick: bool) -> Vec<(String, i64, i64)> {
    let tictactoe = minimax(&TicTacToe::new(), 9);
    let mut truths = vec![
        ("Tic-tac-toe: value".to_owned(), (tictactoe.value / DECIDED).into(), 0),
        // The empty board, plus the number of its move sequences of every length.
        ("Tic-tac-toe: nodes of minimax".to_owned(), tictactoe.nodes as i64, 549_946),
    ];
    let mut end = Reversi::new(4);
    while let Some(best) = alpha_beta(&end, u32::MAX).best {
        end = end.play(best);
    }
    truths.extend([(Side::Black, 3), (Side::White, 11)].map(|(side, known)| {
        (format!("Reversi 4x4: discs of {side} after best play"), end.count(side).into(), known)
    }));
    let depths = (1..=if quick { 7 } else { 9 }).zip(paper::PERFT_8X8);
    truths.extend(depths.map(|(depth, known)| {
        let ours = perft(&Reversi::new(8), depth) as i64;
        (format!("Reversi 8x8: sequences of {depth} moves"), ours, known as i64)
    }));
    truths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quick_on_4x4() -> Vec<Played> {
        let on_4x4 = pairings(true, 1).into_iter().filter(|pairing| pairing.board == 4);
        on_4x4.map(|pairing| play(pairing, paper::LIMIT)).collect()
    }

    #[test]
    fn known_facts_hold() {
        for (name, ours, known) in truths(true) {
            assert_eq!(ours, known, "{name}");
        }
    }

    #[test]
    fn the_full_study_has_288_balanced_games() {
        let all = pairings(false, 1);
        assert_eq!(all.len(), 288);
        assert_eq!(all.iter().filter(|pairing| pairing.minimax_plays == Side::Black).count(), 144);
        assert_eq!(pairings(true, 1).len(), 24);
    }

    #[test]
    fn a_seed_determines_everything_but_times() {
        let same = |game: &Played| (game.lead, game.efforts.map(|effort| (effort.nodes, effort.moves)));
        let [one, two] = [quick_on_4x4(), quick_on_4x4()];
        assert!(one.iter().map(same).eq(two.iter().map(same)));
    }

    #[test]
    fn a_zero_time_limit_allows_one_move() {
        let game = play(pairings(true, 1)[0], Duration::ZERO);
        assert!(game.stopped);
        assert_eq!(game.efforts.map(|effort| effort.moves), [1, 0]);
    }

    #[test]
    fn every_table_has_the_shape_of_the_paper() {
        for (number, table) in (1..).zip(tables(&quick_on_4x4())) {
            assert_eq!(table.rows.len(), if number < 9 { 3 } else { 12 });
            for row in table.rows {
                assert_eq!((row.len(), table.header.len()), if number == 9 { (7, 7) } else { (6, 6) });
                let is_played = row[0] == "4x4" && ["-", "3", "4"].contains(&row[1].as_str());
                assert_eq!(!row[2].starts_with('-'), is_played, "{number}: {row:?}");
                assert!(row[5].starts_with("- ("), "{number}: {row:?}");
            }
        }
    }
}
