//! How a game is written down: [`GameRecord`] holds everything, [`json`] keeps all of it in one line,
//! [`ccgc`] is the form of the Chinese championships, [`sgf`] that of SGF viewers.

pub mod ccgc;
pub mod json;
pub mod sgf;

use super::referee::{Outcome, PlayedMove};
use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::player::Forfeit;

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
