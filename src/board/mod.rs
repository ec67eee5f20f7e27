//! The rules: legal moves, positions, notation.
//!
//! Reading order: [`square`] and [`bitboard`] (basic types), [`reach`] (queen slides), [`moves`] (half-moves and
//! moves), [`position`] (the state of a game), [`state`] (a position, or one between the halves of a move),
//! [`notation`] (text). [`zobrist`] and [`perft`] are helpers.

pub mod bitboard;
pub mod moves;
pub mod notation;
pub mod perft;
pub mod position;
#[doc(hidden)] // public for tests and the laboratory
pub mod reach;
pub mod square;
pub mod state;
mod zobrist;
