//! The referee's board: the position of a game, and the moves that the platform refused.

use crate::notation::Form;
use otrera::{Move, Position};

/// A game as the platform sees it: position, moves played and moves refused.
pub struct Board {
    position: Position,
    moves: Vec<Move>,
    /// The position before each of `moves`.
    past: Vec<Position>,
    /// Refused moves, each with the number of plies played before it.
    refused: Vec<(usize, Move)>,
}

impl Board {
    pub fn new(position: Position) -> Self {
        Self { position, moves: Vec::new(), past: Vec::new(), refused: Vec::new() }
    }

    pub fn position(&self) -> &Position {
        &self.position
    }

    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a move. Fails if the move is illegal or was refused at this ply.
    pub fn play(&mut self, mv: Move) -> Result<(), String> {
        if self.refused.contains(&(self.moves.len(), mv)) {
            return Err(format!("{mv} was refused before"));
        }
        let legal = self.position.check(mv);
        legal.map_err(|error| format!("{mv} is not legal: {error}\n{}", self.position))?;
        self.make(mv);
        Ok(())
    }

    /// Plays a legal move.
    pub fn make(&mut self, mv: Move) {
        self.past.push(self.position);
        self.moves.push(mv);
        self.position = self.position.with_move(mv);
    }

    /// Plays and returns an arbitrary but reproducible legal move. Fails if the game is over or the move was refused.
    pub fn play_any(&mut self) -> Result<Move, String> {
        let moves: Vec<Move> = self.position.legal_moves().collect();
        let choice = 7919 * (self.moves.len() + 1) % moves.len().max(1);
        let mv = *moves.get(choice).ok_or("the game is over")?;
        self.play(mv).map(|()| mv)
    }

    /// Takes back the last move and refuses that move at this ply from now on. Fails if no move was played.
    pub fn take_back(&mut self) -> Result<(), String> {
        let (Some(mv), Some(position)) = (self.moves.pop(), self.past.pop()) else {
            return Err("no move to take back".into());
        };
        self.refused.push((self.moves.len(), mv));
        self.position = position;
        Ok(())
    }

    /// Passes the turn to the other side without a move.
    pub fn pass(&mut self) {
        self.position = self.position.with_side(self.position.side().opponent());
    }

    /// Plays the move in an engine's answer. Fails if the answer is malformed or [`Board::play`] fails.
    pub fn accept(&mut self, line: &str, form: Form) -> Result<(), String> {
        let mv = form.read_answer(line, &self.position);
        self.play(mv.ok_or("malformed move")?)
    }

    pub fn format_move(&self, mv: Move, form: Form) -> String {
        form.format_move(mv, self.position.size().edge())
    }

    /// Returns `[requests, responses]` of the full Botzone history that the side to move receives.
    pub fn messages(&self, form: Form) -> [Vec<String>; 2] {
        form.messages(&self.moves, self.position.side(), self.position.size().edge())
    }

    /// Formats the full Botzone history that the side to move receives.
    pub fn history(&self, form: Form) -> String {
        form.history(&self.moves, self.position.side(), self.position.size().edge(), "")
    }
}
