//! The answers: descriptions of positions, and search results.

use crate::request::Id;
use otrera::board::bitboard::Bitboard;
use otrera::endgame::{Enclosed, FillingProver, enclosed};
use otrera::eval::ownership::Ownership;
use otrera::record::standing::Standing;
use otrera::record::{self, Reading};
use otrera::{GameRecord, Line, Move, Position, Report, Side};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;

/// Contents of an answer.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// Answer to `start` and `position`.
    Described(Box<Described>),
    /// Answer to `proofs`.
    Proofs {
        /// The proven outcome of each position.
        proofs: Vec<Option<Proof>>,
    },
    /// Answer to `think`.
    Found(Found),
    /// Answer to `read`.
    Games {
        /// Cross-table and ratings; `None` if no two players have met.
        standing: Option<Standing>,
        /// The games of the record.
        games: Vec<GameRecord>,
        /// Parts of the record that are in no game.
        warnings: Vec<String>,
    },
    /// Answer to `write`.
    Text {
        /// The written game.
        text: String,
    },
    /// Answer to `marks`.
    Marks {
        /// Minimum loss and name of each mark.
        marks: [(f32, &'static str); 3],
        /// See [`record::CLEAR_RATE`].
        clear_rate: f32,
        /// See [`record::RATE_PER_MOVE`].
        rate_per_move: f32,
        /// See [`record::PHASE_ENDS`].
        phases: [f32; 2],
    },
    /// Answer to `bench`.
    Bench(Value),
    /// Answer to `version`.
    Version {
        /// Version of the program.
        version: &'static str,
    },
    /// Answer to `cancel`.
    Ended {
        /// Number of requests that it ends.
        ended: usize,
    },
    /// Answer to a request that was cancelled before it began.
    Nothing {},
    /// Answer to an invalid request, or one that cannot be met.
    Problem {
        /// Message of one sentence.
        problem: String,
    },
}

impl Answer {
    /// Returns the answer to `marks`.
    pub fn marks() -> Self {
        Self::Marks {
            marks: record::MARKS,
            clear_rate: record::CLEAR_RATE,
            rate_per_move: record::RATE_PER_MOVE,
            phases: record::PHASE_ENDS,
        }
    }

    /// Returns the answer for the games of a record.
    pub fn games(reading: Reading) -> Self {
        let warnings = reading.warnings.iter().map(ToString::to_string).collect();
        let standing = Some(Standing::of(&reading.games)).filter(Standing::is_a_match);
        Self::Games { standing, games: reading.games, warnings }
    }
}

impl From<String> for Answer {
    fn from(problem: String) -> Self {
        Self::Problem { problem }
    }
}

/// An answer with the fields that all answers can have. A field without a value is left out.
#[derive(Serialize)]
pub struct Reply {
    /// Id of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Id>,
    /// True for an answer while the search still runs.
    #[serde(skip_serializing_if = "is_false")]
    pub partial: bool,
    /// True if the request was cancelled; the answer is what the search had found.
    #[serde(skip_serializing_if = "is_false")]
    pub cancelled: bool,
    /// Number of the line of a request that cannot be read, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Contents.
    #[serde(flatten)]
    pub answer: Answer,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Reply {
    /// Creates the final answer to the request with this id.
    pub fn new(id: Option<Id>, answer: Answer) -> Self {
        Self { id, partial: false, cancelled: false, line: None, answer }
    }

    /// Formats the answer as JSON on one line. Does not use [`Value`], which would change the digits of win rates.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|error| format!("{{\"problem\":\"{error}\"}}"))
    }
}

/// A position with its legal moves and square ownership, for clients that do not implement the rules.
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

/// Result of a search. Win rates are for the side to move, 0 to 1.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// Move to play.
    #[serde(serialize_with = "as_optional_text")]
    pub best: Option<Move>,
    /// Win rate of the best move, or 0 or 1 if the result is proven.
    pub win_rate: f32,
    /// Side that is proven to win.
    pub proven: Option<Side>,
    /// [Margin](Proof::margin) of the winner; `None` unless the filling bounds prove the winner.
    pub margin: Option<u32>,
    /// Lead in moves that the side to move expects after the best line; `None` without weights of the lead.
    pub lead: Option<f32>,
    /// Moves in order of preference, see [`Report::by_choice`].
    pub lines: Vec<FoundLine>,
    /// Iterations of this run.
    pub iterations: u64,
    /// Visits of the position, including those of earlier runs.
    pub visits: u32,
    /// Nodes in the tree.
    pub nodes: usize,
    /// Maximum depth in whole moves over all runs on this position.
    pub depth: usize,
    /// Number of times that tree memory was recycled, over all runs on this position.
    pub recycled: u32,
    /// Duration of this run, in seconds.
    pub seconds: f64,
}

/// Statistics of a move.
#[derive(Clone, Debug, Serialize)]
pub struct FoundLine {
    /// The move.
    #[serde(rename = "move", serialize_with = "as_text")]
    pub mv: Move,
    /// Win rate of the side that plays the move, 0 to 1.
    pub win_rate: f32,
    /// Lower confidence bound of the win rate, by which the final move is chosen; `None` for moves with few visits.
    pub lower_bound: Option<f32>,
    /// Visits of the position after the move.
    pub visits: u32,
    /// Side that is proven to win after the move.
    pub proven: Option<Side>,
    /// Lead in moves that the side that plays the move expects.
    pub lead: Option<f32>,
    /// Principal variation after the move.
    #[serde(serialize_with = "as_texts")]
    pub continuation: Vec<Move>,
}

fn as_text<S: Serializer>(mv: &Move, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(mv)
}

fn as_optional_text<S: Serializer>(mv: &Option<Move>, serializer: S) -> Result<S::Ok, S::Error> {
    mv.map(|mv| mv.to_string()).serialize(serializer)
}

fn as_texts<S: Serializer>(moves: &[Move], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(moves.iter().map(Move::to_string))
}

impl Found {
    /// Describes a report, with at most `lines` of its moves.
    pub fn new(report: &Report, lines: usize) -> Self {
        Self {
            best: report.best,
            win_rate: report.best_rate().0,
            proven: report.proven,
            margin: report.margin,
            lead: report.lead(),
            lines: report.by_choice().into_iter().take(lines).map(FoundLine::new).collect(),
            iterations: report.iterations,
            visits: report.visits,
            nodes: report.nodes,
            depth: report.depth,
            recycled: report.recycled,
            seconds: report.elapsed.as_secs_f64(),
        }
    }
}

impl FoundLine {
    fn new(line: &Line) -> Self {
        Self {
            mv: line.mv,
            win_rate: line.win_rate.0,
            lower_bound: line.lower_bound.map(|rate| rate.0),
            visits: line.visits,
            proven: line.proven,
            lead: line.lead,
            continuation: line.continuation.clone(),
        }
    }
}
