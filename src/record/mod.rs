//! How a game is written down: [`GameRecord`] holds everything, [`json`] keeps all of it in one line,
//! [`ccgc`] is the form of the Chinese championships, [`sgf`] that of SGF viewers.

pub mod ccgc;
pub mod json;
pub mod sgf;

use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::square::Side;
use std::fmt;
use std::time::Duration;

/// A move of a game with what is known about it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlayedMove {
    /// The move.
    pub mv: Move,
    /// Time it took; zero for a move of the opening.
    pub time: Duration,
    /// Iterations, playouts or nodes, where the player counts them.
    pub effort: Option<u64>,
    /// The winning rate of the side that moved, as it saw it.
    pub win_rate: Option<f32>,
}

impl From<Move> for PlayedMove {
    fn from(mv: Move) -> Self {
        Self { mv, time: Duration::ZERO, effort: None, win_rate: None }
    }
}

/// A finished game.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// All moves, those of the opening included.
    pub moves: Vec<PlayedMove>,
    /// The side that won.
    pub winner: Side,
    /// Why the other one lost, if it was not on the board.
    pub forfeit: Option<Forfeit>,
}

/// Why a player did not give a move. All lose the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Forfeit {
    /// The program ended or could not be started.
    Crashed(String),
    /// Nothing came before the deadline.
    Late(Duration),
    /// What came is no move; the beginning of it.
    Garbled(String),
    /// A move that the rules forbid.
    Illegal(String),
}

impl Forfeit {
    /// The [`Forfeit::kind`] of an answer that came too late.
    pub const LATE: &str = "late";

    /// One word for tables and records.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Crashed(_) => "crash",
            Self::Late(_) => Self::LATE,
            Self::Garbled(_) => "garbage",
            Self::Illegal(_) => "illegal",
        }
    }
}

impl fmt::Display for Forfeit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crashed(what) => write!(f, "crash: {what}"),
            Self::Late(after) => write!(f, "late: no answer after {:.3} s", after.as_secs_f64()),
            Self::Garbled(what) => write!(f, "garbage: {what:?}"),
            Self::Illegal(what) => write!(f, "illegal: {what}"),
        }
    }
}

/// A game with all that is known about it.
#[derive(Clone, PartialEq, Debug)]
pub struct GameRecord {
    /// The first mover's name.
    pub black: String,
    /// The second mover's name.
    pub white: String,
    /// Where the game started.
    pub start: Position,
    /// All moves in order, the opening's included.
    pub moves: Vec<PlayedMove>,
    /// Who won; `None` for a game that broke off.
    pub winner: Option<Side>,
    /// What the loser did, where the game was not lost on the board: the kind of offence and its text.
    pub forfeit: Option<(String, String)>,
    /// Date, time and place, as one text.
    pub when: String,
    /// The event.
    pub event: String,
    /// Time control or effort, as text.
    pub control: String,
    /// Number of the game in its match, from 0; games 2k and 2k + 1 share an opening.
    pub number: u64,
}

impl GameRecord {
    /// A record without moves.
    pub fn new(black: impl Into<String>, white: impl Into<String>, start: Position) -> Self {
        Self {
            black: black.into(),
            white: white.into(),
            start,
            moves: Vec::new(),
            winner: None,
            forfeit: None,
            when: String::new(),
            event: String::new(),
            control: String::new(),
            number: 0,
        }
    }

    /// The same record with moves of which nothing more is known.
    pub fn with_moves(mut self, moves: &[Move]) -> Self {
        self.moves = moves.iter().copied().map(PlayedMove::from).collect();
        self
    }

    /// The same record with the course and the result of a game.
    pub fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.moves = outcome.moves;
        self.winner = Some(outcome.winner);
        self.forfeit = outcome.forfeit.map(|forfeit| (forfeit.kind().to_owned(), forfeit.to_string()));
        self
    }

    /// Whether it was lost by an answer too late.
    pub fn lost_late(&self) -> bool {
        self.forfeit.as_ref().is_some_and(|(kind, _)| kind == Forfeit::LATE)
    }

    /// The name of a side.
    pub fn name(&self, side: Side) -> &str {
        match side {
            Side::Black => &self.black,
            Side::White => &self.white,
        }
    }

    /// The positions of the game, the start first, as far as the moves are legal.
    pub fn positions(&self) -> Vec<Position> {
        let mut positions = vec![self.start];
        for played in &self.moves {
            match positions[positions.len() - 1].try_play(played.mv) {
                Ok(next) => positions.push(next),
                Err(_) => break,
            }
        }
        positions
    }
}
