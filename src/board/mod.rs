//! The rules: what is legal, how a position changes, how it is written down.
//!
//! Read in this order: [`square`] and [`bitboard`] (the vocabulary), [`reach`] (how a queen
//! slides), [`moves`] (half-moves and moves as types), [`position`] (the state of a game),
//! [`notation`] (text in and out). [`zobrist`] and [`perft`] serve the others.

pub mod bitboard;
pub mod moves;
pub mod notation;

pub mod perft;
pub mod position;
pub mod reach;
pub mod square;
pub mod zobrist;
