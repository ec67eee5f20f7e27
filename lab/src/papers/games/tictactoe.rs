//! Tic-tac-toe, the smallest game of the paper \[M\] of [`super`]: three in a row on 3x3, a draw with best play.

use super::Game;
use otrera::Side;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TicTacToe {
    /// Squares of each player; bit `3 * row + column`.
    marks: [u16; 2],
    to_move: Side,
}

/// A move: index of the marked square, 0 to 8, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(u8);

const FULL: u16 = 0b111_111_111;

const LINES: [u16; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];

impl TicTacToe {
    pub const fn new() -> Self {
        Self { marks: [0; 2], to_move: Side::Black }
    }

    fn has_line(self, side: Side) -> bool {
        LINES.iter().any(|line| self.marks[side.index()] & line == *line)
    }

    /// Counts the lines that a side can still complete: those without a mark of the opponent.
    fn open_lines(self, side: Side) -> i32 {
        LINES.iter().filter(|&line| self.marks[side.opponent().index()] & line == 0).count() as i32
    }
}

impl Game for TicTacToe {
    type Move = Mark;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn moves(&self) -> Vec<Mark> {
        if self.score() != 0 {
            return Vec::new();
        }
        let empty = FULL & !(self.marks[0] | self.marks[1]);
        (0..9).filter(|square| empty >> square & 1 == 1).map(Mark).collect()
    }

    fn play(&self, mv: Mark) -> Self {
        let mut next = Self { to_move: self.to_move.opponent(), ..*self };
        next.marks[self.to_move.index()] |= 1 << mv.0;
        next
    }

    /// Returns 1 if the first player has a line, -1 if the second has one, else 0.
    fn score(&self) -> i32 {
        i32::from(self.has_line(Side::Black)) - i32::from(self.has_line(Side::White))
    }

    fn evaluate(&self) -> i32 {
        self.open_lines(Side::Black) - self.open_lines(Side::White)
    }
}
