//! The study of \[R\] again: minimax against MCTS in Reversi, tables 1 to 10, and the truths that show
//! that our games and searches are right.
//!
//! [`pairings`] lists the games, [`play`] plays one, [`tables`] makes the rows from what was played; each
//! game has a seed of its own, so that they may be played in any order. All ten tables come from the same
//! games.

use super::bout::{Agent, Bout, Effort, bout};
use super::minimax::{DECIDED, alpha_beta, minimax};
use super::reversi::Reversi;
use super::tictactoe::TicTacToe;
use super::{Game, Player, paper, perft};
use fastrand::Rng;

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Side of the board.
    pub board: usize,
    /// Depth of minimax (with alpha-beta).
    pub depth: u32,
    /// Iterations per move of MCTS.
    pub iterations: u32,
    /// Who has the first move.
    pub minimax_plays: Player,
    /// Seed of MCTS.
    pub seed: u64,
}

/// A game that was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// Who played on which board.
    pub pairing: Pairing,
    /// By how many discs minimax led at the end; positive is a win.
    pub lead: i32,
    /// Whether a time limit ended the game; minimax won even then if it had more discs.
    pub stopped: bool,
    /// What minimax spent.
    pub minimax: Effort,
    /// What MCTS spent.
    pub mcts: Effort,
}

/// The games of the study, sides alternating: 288 as in \[R\], or with `quick` 2 instead of 6 for each
/// combination, depths 3 and 4, and 10 and 100 iterations, 24 games in all.
///
/// The 288 games take about a quarter of an hour on one core, most of it on 12x12 with depth 6 or 10,000
/// iterations; the 24 take a second.
pub fn pairings(quick: bool, seed: u64) -> Vec<Pairing> {
    let (kept, games) = if quick { (2, 2) } else { (4, paper::GAMES) };
    let mut seeds = Rng::with_seed(seed);
    let mut pairings = Vec::new();
    for board in paper::BOARDS {
        for &depth in &paper::DEPTHS[..kept] {
            for &iterations in &paper::ITERATIONS[..kept] {
                pairings.extend((0..games).map(|game| {
                    let minimax_plays = if game % 2 == 0 { Player::First } else { Player::Second };
                    Pairing { board, depth, iterations, minimax_plays, seed: seeds.u64(..) }
                }));
            }
        }
    }
    pairings
}

/// Plays one game; `None` on a board that Reversi does not have.
///
/// \[R\] says both that the side with more discs wins a stopped game (2.4) and that the side whose time
/// ran out loses it (3.3). The first holds here.
pub fn play(pairing: &Pairing) -> Option<Played> {
    let start = Reversi::new(pairing.board)?;
    let side = pairing.minimax_plays;
    let mut agents = [Agent::Uct { iterations: pairing.iterations }; 2];
    agents[side.index()] = Agent::AlphaBeta { depth: pairing.depth };
    let Bout { score, stopped, efforts } =
        bout(&start, agents, paper::LIMIT, &mut Rng::with_seed(pairing.seed));
    Some(Played {
        pairing: *pairing,
        lead: side.sees(score),
        stopped,
        minimax: efforts[side.index()],
        mcts: efforts[side.other().index()],
    })
}

/// A table of \[R\] with our numbers beside the printed ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its number in \[R\], 1 to 10.
    pub number: u32,
    /// What it shows.
    pub title: &'static str,
    /// What is counted: `s`, `nodes`, `%` or `games`.
    pub unit: &'static str,
    /// Headings of the columns.
    pub columns: Vec<String>,
    /// Its rows, as in the paper.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Side of the board.
    pub board: usize,
    /// Depth of minimax, where the columns do not say it.
    pub depth: Option<u32>,
    /// Our number for each column; `None` where no such game was played.
    pub ours: Vec<Option<f64>>,
    /// The printed number for each column.
    pub paper: Vec<f64>,
}

/// All ten tables.
pub fn tables(played: &[Played]) -> Vec<Table> {
    let mut tables: Vec<Table> = EFFORTS.iter().map(|spec| spec.table(played)).collect();
    tables.push(win_rates(played));
    tables.push(stopped_games(played));
    tables
}

/// What varies along the columns of tables 1 to 8.
#[derive(Clone, Copy)]
enum Axis {
    Depth,
    Iterations,
}

impl Axis {
    /// The value of each column.
    fn keys(self) -> [u32; 4] {
        match self {
            Self::Depth => paper::DEPTHS,
            Self::Iterations => paper::ITERATIONS,
        }
    }

    /// The value in a game.
    fn of(self, pairing: &Pairing) -> u32 {
        match self {
            Self::Depth => pairing.depth,
            Self::Iterations => pairing.iterations,
        }
    }

    /// The heading of each column.
    fn columns(self) -> Vec<String> {
        let heading = |key: u32| match self {
            Self::Depth => format!("depth {key}"),
            Self::Iterations => format!("{key} iterations"),
        };
        self.keys().map(heading).to_vec()
    }
}

/// One of tables 1 to 8: a mean over the games of a board and a depth, or a board and iterations.
struct EffortTable {
    number: u32,
    title: &'static str,
    unit: &'static str,
    axis: Axis,
    measure: fn(&Played) -> f64,
    paper: &'static paper::ByBoard,
}

/// Tables 1 to 8.
///
/// A mean per move is the mean over the games of each game's own mean. In \[R\] the quotients of tables 1
/// and 2 differ from those of 5 and 6, so it did not divide sums of all games either.
const EFFORTS: [EffortTable; 8] = [
    EffortTable {
        number: 1,
        title: "Minimax: mean search time per game",
        unit: "s",
        axis: Axis::Depth,
        measure: |played| played.minimax.time.as_secs_f64(),
        paper: &paper::MINIMAX_TIME,
    },
    EffortTable {
        number: 2,
        title: "Minimax: mean search time per move",
        unit: "s",
        axis: Axis::Depth,
        measure: |played| per_move(played.minimax, played.minimax.time.as_secs_f64()),
        paper: &paper::MINIMAX_TIME_PER_MOVE,
    },
    EffortTable {
        number: 3,
        title: "MCTS: mean search time per game",
        unit: "s",
        axis: Axis::Iterations,
        measure: |played| played.mcts.time.as_secs_f64(),
        paper: &paper::MCTS_TIME,
    },
    EffortTable {
        number: 4,
        title: "MCTS: mean search time per move",
        unit: "s",
        axis: Axis::Iterations,
        measure: |played| per_move(played.mcts, played.mcts.time.as_secs_f64()),
        paper: &paper::MCTS_TIME_PER_MOVE,
    },
    EffortTable {
        number: 5,
        title: "Minimax: mean number of nodes per game",
        unit: "nodes",
        axis: Axis::Depth,
        measure: |played| played.minimax.nodes as f64,
        paper: &paper::MINIMAX_NODES,
    },
    EffortTable {
        number: 6,
        title: "Minimax: mean number of nodes per move",
        unit: "nodes",
        axis: Axis::Depth,
        measure: |played| per_move(played.minimax, played.minimax.nodes as f64),
        paper: &paper::MINIMAX_NODES_PER_MOVE,
    },
    EffortTable {
        number: 7,
        title: "MCTS: mean number of nodes per game",
        unit: "nodes",
        axis: Axis::Iterations,
        measure: |played| played.mcts.nodes as f64,
        paper: &paper::MCTS_NODES,
    },
    EffortTable {
        number: 8,
        title: "MCTS: mean number of nodes per move",
        unit: "nodes",
        axis: Axis::Iterations,
        measure: |played| per_move(played.mcts, played.mcts.nodes as f64),
        paper: &paper::MCTS_NODES_PER_MOVE,
    },
];

fn per_move(effort: Effort, total: f64) -> f64 {
    total / f64::from(effort.moves.max(1))
}

impl EffortTable {
    fn table(&self, played: &[Played]) -> Table {
        let keys = self.axis.keys();
        let cell = |board: usize, key: u32| {
            let is_here = |pairing: &Pairing| pairing.board == board && self.axis.of(pairing) == key;
            mean(played.iter().filter(|played| is_here(&played.pairing)).map(self.measure))
        };
        let rows = paper::BOARDS.into_iter().zip(self.paper).map(|(board, printed)| Row {
            board,
            depth: None,
            ours: keys.iter().map(|&key| cell(board, key)).collect(),
            paper: printed.to_vec(),
        });
        Table {
            number: self.number,
            title: self.title,
            unit: self.unit,
            columns: self.axis.columns(),
            rows: rows.collect(),
        }
    }
}

/// Table 9, minimax's share of won games. A draw is not a win: the printed rates are all sixths. The mean
/// is over the columns that were played.
fn win_rates(played: &[Played]) -> Table {
    let won = |played: &Played| if played.lead > 0 { 100.0 } else { 0.0 };
    let mut rows = rows_by_depth(played, &paper::MINIMAX_WINS, |games| mean(games.iter().map(won)));
    for (row, printed) in rows.iter_mut().zip(paper::MINIMAX_WINS_MEAN.iter().flatten()) {
        row.ours.push(mean(row.ours.iter().copied().flatten()));
        row.paper.push(*printed);
    }
    let mut columns = Axis::Iterations.columns();
    columns.push("average".to_owned());
    Table { number: 9, title: "Minimax: games won", unit: "%", columns, rows }
}

/// Table 10, games stopped early: of 6 for each cell, or of those that were played.
fn stopped_games(played: &[Played]) -> Table {
    let stopped = |games: &[Played]| {
        let count = games.iter().filter(|played| played.stopped).count();
        (!games.is_empty()).then_some(count as f64)
    };
    let rows = rows_by_depth(played, &paper::STOPPED, stopped);
    Table {
        number: 10,
        title: "Games stopped early",
        unit: "games",
        columns: Axis::Iterations.columns(),
        rows,
    }
}

/// The rows of tables 9 and 10; `measure` gets the games of one cell.
fn rows_by_depth(
    played: &[Played],
    printed: &paper::ByDepth,
    measure: impl Fn(&[Played]) -> Option<f64>,
) -> Vec<Row> {
    let cell = |board: usize, depth: u32, iterations: u32| {
        let of_cell = |played: &&Played| {
            let pairing = played.pairing;
            (pairing.board, pairing.depth, pairing.iterations) == (board, depth, iterations)
        };
        measure(&played.iter().filter(of_cell).copied().collect::<Vec<_>>())
    };
    let mut rows = Vec::new();
    for (board, printed) in paper::BOARDS.into_iter().zip(printed) {
        for (depth, printed) in paper::DEPTHS.into_iter().zip(printed) {
            let ours = paper::ITERATIONS.iter().map(|&iterations| cell(board, depth, iterations));
            rows.push(Row { board, depth: Some(depth), ours: ours.collect(), paper: printed.to_vec() });
        }
    }
    rows
}

/// The mean; `None` of nothing.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Something known about a game, and what our code says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    /// What it is.
    pub what: String,
    /// What our code says.
    pub ours: i64,
    /// What is known.
    pub known: i64,
}

/// The known truths: Tic-tac-toe is a draw, Reversi 4x4 ends 3-11, and the move sequences of Reversi 8x8,
/// of up to 9 moves or with `quick` up to 7.
pub fn truths(quick: bool) -> Vec<Truth> {
    let tictactoe = minimax(&TicTacToe::new(), 9);
    let mut truths = vec![
        Truth { what: "Tic-tac-toe: value".to_owned(), ours: (tictactoe.value / DECIDED).into(), known: 0 },
        // The empty board, and the sums of its move sequences of every length.
        Truth {
            what: "Tic-tac-toe: nodes of minimax".to_owned(),
            ours: tictactoe.nodes as i64,
            known: 549_946,
        },
    ];
    if let Some(end) = Reversi::new(4).map(played_out) {
        let discs = [("Black", Player::First, 3), ("White", Player::Second, 11)];
        truths.extend(discs.map(|(name, player, known)| Truth {
            what: format!("Reversi 4x4: discs of {name} after best play"),
            ours: end.count(player).into(),
            known,
        }));
    }
    if let Some(start) = Reversi::new(8) {
        let depths = (1..=if quick { 7 } else { 9 }).zip(paper::PERFT_8X8);
        truths.extend(depths.map(|(depth, known)| Truth {
            what: format!("Reversi 8x8: sequences of {depth} moves"),
            ours: perft(&start, depth) as i64,
            known: known as i64,
        }));
    }
    truths
}

/// The end of the game when both sides search to it.
fn played_out(mut state: Reversi) -> Reversi {
    while let Some(best) = alpha_beta(&state, u32::MAX).best {
        state = state.play(best);
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quick_on_4x4() -> Vec<Played> {
        let pairings = pairings(true, 1);
        pairings.iter().filter(|pairing| pairing.board == 4).filter_map(play).collect()
    }

    #[test]
    fn truths_hold() {
        for truth in truths(true) {
            assert_eq!(truth.ours, truth.known, "{}", truth.what);
        }
    }

    #[test]
    fn the_full_study_has_288_games_half_of_them_begun_by_minimax() {
        let all = pairings(false, 1);
        assert_eq!(all.len(), 288);
        assert_eq!(all.iter().filter(|pairing| pairing.minimax_plays == Player::First).count(), 144);
        assert_eq!(pairings(true, 1).len(), 24);
    }

    #[test]
    fn a_seed_decides_all_but_the_times() {
        let same =
            |played: &Played| (played.lead, played.minimax.nodes, played.mcts.nodes, played.mcts.moves);
        let [one, two] = [quick_on_4x4(), quick_on_4x4()];
        assert!(one.iter().map(same).eq(two.iter().map(same)));
    }

    #[test]
    fn every_table_has_the_shape_of_the_paper() {
        let tables = tables(&quick_on_4x4());
        assert_eq!(tables.iter().map(|table| table.number).collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>());
        for table in tables {
            assert_eq!(table.rows.len(), if table.number < 9 { 3 } else { 12 });
            for row in table.rows {
                assert_eq!(row.paper.len(), table.columns.len());
                assert_eq!(row.ours.len(), table.columns.len());
                let played = row.board == 4 && row.depth.is_none_or(|depth| depth < 5);
                assert_eq!(row.ours[0].is_some(), played);
                assert_eq!(row.ours[3], None);
            }
        }
    }

    #[test]
    fn without_games_the_tables_hold_the_paper_alone() {
        let tables = tables(&[]);
        let ours = tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.ours);
        assert!(ours.into_iter().all(Option::is_none));
    }

    #[test]
    fn a_board_that_does_not_exist_is_not_played() {
        let odd = Pairing { board: 7, ..pairings(true, 1)[0] };
        assert_eq!(play(&odd), None);
    }

    #[test]
    fn a_deeper_search_visits_more_nodes() {
        let tables = tables(&quick_on_4x4());
        let nodes: Vec<f64> = tables[5].rows[0].ours.iter().copied().flatten().collect();
        assert_eq!(nodes.len(), 2);
        assert!(nodes[0] < nodes[1]);
    }
}
