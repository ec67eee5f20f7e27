//! Describes positions and search results for the page.

use otrera::endgame::{Enclosed, enclosed};
use otrera::eval::ownership::Ownership;
use otrera::{Bitboard, FillingProver, Line, Move, Position, Report, Side};
use serde::Serialize;
use std::collections::BTreeMap;

/// A position with its legal moves and square ownership, for the page, whose JavaScript does not implement the rules.
#[derive(Serialize)]
pub struct Described {
    fen: String,
    /// The moves of the request that led to the position, in the engine's notation.
    played: Vec<String>,
    edge: usize,
    ply: u16,
    side: Side,
    /// Winner, if the game is over.
    winner: Option<Side>,
    /// The proven outcome; `None` unless the game is over or the filling bounds prove the winner.
    proof: Option<Proof>,
    /// Legal moves: amazon's square -> target square -> squares that the arrow can hit.
    moves: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// [Owner's letter](otrera::eval::ownership::Owner::letter) of each square, row by row from a1; a space if
    /// the square is occupied.
    owners: String,
    /// Number of queen moves in which Black and White reach each empty square, `None` if unreachable. Squares that
    /// neither side can reach are omitted.
    distances: BTreeMap<String, [Option<usize>; 2]>,
    /// Regions that one side walls off.
    enclosed: Vec<Region>,
}

/// A region that only its owner can reach.
#[derive(Serialize)]
struct Region {
    side: Side,
    squares: Vec<String>,
    /// Moves that the owner is certain to have there.
    moves: u32,
}

impl From<Enclosed> for Region {
    fn from(Enclosed { side, squares, moves }: Enclosed) -> Self {
        Self { side, squares: squares.into_iter().map(|square| square.to_string()).collect(), moves }
    }
}

impl Described {
    /// Describes a position after these moves.
    pub fn new(position: &Position, moves: &[Move]) -> Self {
        let winner = position.winner();
        let ownership = Ownership::of(position);
        let owners = Bitboard::playable(position.size()).into_iter().map(|square| {
            if position.empty().contains(square) { ownership.owner(square).letter() } else { ' ' }
        });
        let distances = position.empty().into_iter().filter_map(|square| {
            let moves = Side::BOTH.map(|side| ownership.moves(side, square));
            moves.iter().any(Option::is_some).then(|| (square.to_string(), moves))
        });
        Self {
            fen: position.to_fen(),
            played: moves.iter().map(Move::to_string).collect(),
            edge: position.size().edge(),
            ply: position.ply(),
            side: position.side(),
            winner,
            proof: Proof::of(position),
            moves: if winner.is_none() { legal_moves(position) } else { BTreeMap::new() },
            owners: owners.collect(),
            distances: distances.collect(),
            enclosed: enclosed(position).map(Region::from).collect(),
        }
    }
}

/// An outcome that is proven by the [filling bounds](otrera::endgame).
#[derive(Serialize)]
pub struct Proof {
    winner: Side,
    /// Minimum number of moves that the winner has left once the other side cannot move.
    margin: u32,
}

impl Proof {
    /// Returns the proof for a position, if there is one.
    pub fn of(position: &Position) -> Option<Self> {
        let mut prover = FillingProver::new();
        Some(Self { winner: prover.winner(position)?, margin: prover.margin(position)? })
    }
}

fn legal_moves(position: &Position) -> BTreeMap<String, BTreeMap<String, Vec<String>>> {
    let mut moves = BTreeMap::<_, BTreeMap<_, _>>::new();
    for movement in position.movements() {
        let arrows = position.with_movement(movement).arrow_targets();
        let arrows = arrows.into_iter().map(|square| square.to_string()).collect();
        moves.entry(movement.from.to_string()).or_default().insert(movement.to.to_string(), arrows);
    }
    moves
}

/// Result of a search. Win rates are for the side to move, 0 to 1. `win_rate` is the best move's, or 0 or 1 if the
/// result is proven.
#[derive(Serialize)]
pub struct Found {
    best: Option<String>,
    win_rate: f32,
    proven: Option<Side>,
    /// [Margin](Proof::margin) of the winner; `None` unless the filling bounds prove the winner.
    margin: Option<u32>,
    /// Lead in moves that the side to move expects after the best line; `None` without weights of the lead.
    lead: Option<f32>,
    lines: Vec<FoundLine>,
    /// Iterations of this run. `visits` counts the root's visits, including those of earlier runs.
    iterations: u64,
    visits: u32,
    /// Maximum depth, and number of times that tree memory was recycled, over all runs on this position.
    depth: usize,
    recycled: u32,
    /// Duration of this run, in seconds.
    seconds: f64,
}

#[derive(Serialize)]
struct FoundLine {
    #[serde(rename = "move")]
    mv: String,
    win_rate: f32,
    visits: u32,
    proven: Option<Side>,
    lead: Option<f32>,
    continuation: Vec<String>,
}

impl Found {
    /// Describes a report, with at most `lines` of its moves.
    pub fn new(report: &Report, lines: usize) -> Self {
        Self {
            best: report.best.map(|mv| mv.to_string()),
            win_rate: report.best_rate().0,
            proven: report.proven,
            margin: report.margin,
            lead: report.lead(),
            lines: report.lines.iter().take(lines).map(found_line).collect(),
            iterations: report.iterations,
            visits: report.visits,
            depth: report.depth,
            recycled: report.recycled,
            seconds: report.elapsed.as_secs_f64(),
        }
    }
}

fn found_line(line: &Line) -> FoundLine {
    FoundLine {
        mv: line.mv.to_string(),
        win_rate: line.win_rate.0,
        visits: line.visits,
        proven: line.proven,
        lead: line.lead,
        continuation: line.continuation.iter().map(Move::to_string).collect(),
    }
}
