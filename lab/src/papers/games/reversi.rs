//! Reversi on even boards from 4x4 to 12x12, with the evaluation of the paper \[R\] of [`super`]: positional weights
//! and mobility.

use super::Game;
use otrera::Side;
use std::ops::{BitAnd, BitOr};

const MAX_SIZE: usize = 12;

/// A position of Reversi. The first player is Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reversi {
    size: usize,
    /// All squares of the board.
    board: Squares,
    discs: [Squares; 2],
    to_move: Side,
}

/// A turn: a disc, or a pass if no disc can be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Disc { row: u8, column: u8 },
    Pass,
}

impl Reversi {
    /// Returns the start position on a board of this edge length: an even number from 4 to 12.
    pub fn new(size: usize) -> Self {
        let half = size / 2;
        let black = Squares::single(half - 1, half) | Squares::single(half, half - 1);
        let white = Squares::single(half - 1, half - 1) | Squares::single(half, half);
        let board = (0..size * size).map(|number| Squares::single(number / size, number % size));
        let board = board.fold(Squares::EMPTY, Squares::bitor);
        Self { size, board, discs: [black, white], to_move: Side::Black }
    }

    pub fn count(&self, side: Side) -> i32 {
        self.discs[side.index()].len()
    }

    /// Returns the squares where `side` could place a disc.
    fn targets(&self, side: Side) -> Squares {
        let (own, others) = (self.discs[side.index()], self.discs[side.opponent().index()]);
        let mut targets = Squares::EMPTY;
        for direction in DIRECTIONS {
            let mut line = own.stepped(direction) & others;
            while !line.is_empty() {
                line = line.stepped(direction);
                targets = targets | line;
                line = line & others;
            }
        }
        targets & self.empty()
    }

    fn empty(&self) -> Squares {
        self.board.without(self.discs[0] | self.discs[1])
    }

    /// Returns the opponent's discs that flip if the side to move places a disc on `placed`.
    fn turned_by(&self, placed: Squares) -> Squares {
        let own = self.discs[self.to_move.index()];
        let others = self.discs[self.to_move.opponent().index()];
        let mut turned = Squares::EMPTY;
        for direction in DIRECTIONS {
            let mut line = Squares::EMPTY;
            let mut next = placed.stepped(direction);
            while !(next & others).is_empty() {
                line = line | next;
                next = next.stepped(direction);
            }
            if !(next & own).is_empty() {
                turned = turned | line;
            }
        }
        turned
    }

    fn weight(&self, side: Side) -> i32 {
        let from_edge = |at: usize| at.min(self.size - 1 - at);
        let discs = self.discs[side.index()].iter();
        discs.map(|(row, column)| QUARTER[from_edge(row)][from_edge(column)]).sum()
    }
}

const POSITION: i32 = 10;

const MOBILITY: i32 = 5;

/// Positional weights `[row][column]`, both counted from the nearest edge, so `[0][0]` is the corner.
///
/// A quarter of the 12x12 table in figure 2 of \[R\]. The upper-left 2x2 is a quarter of \[R\]'s 4x4 table. The
/// upper-left 4x4 is a quarter of the common 8x8 table; our copy of \[R\] lacks the 8x8 table of \[R\].
const QUARTER: [[i32; MAX_SIZE / 2]; MAX_SIZE / 2] = [
    [120, -20, 20, 5, 3, 3],
    [-20, -40, -5, -5, -3, -3],
    [20, -5, 15, 3, 3, 3],
    [5, -5, 3, 3, 3, 3],
    [3, -3, 3, 3, 3, 3],
    [3, -3, 3, 3, 3, 3],
];

impl Game for Reversi {
    type Move = Turn;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn moves(&self) -> Vec<Turn> {
        let targets = self.targets(self.to_move);
        if !targets.is_empty() {
            let turn = |(row, column)| Turn::Disc { row: row as u8, column: column as u8 };
            return targets.iter().map(turn).collect();
        }
        if self.targets(self.to_move.opponent()).is_empty() { Vec::new() } else { vec![Turn::Pass] }
    }

    fn play(&self, mv: Turn) -> Self {
        let mut next = Self { to_move: self.to_move.opponent(), ..*self };
        if let Turn::Disc { row, column } = mv {
            let placed = Squares::single(row.into(), column.into()) & self.empty();
            let turned = self.turned_by(placed);
            let [own, others] = [self.to_move.index(), self.to_move.opponent().index()];
            next.discs[own] = self.discs[own] | placed | turned;
            next.discs[others] = self.discs[others].without(turned);
        }
        next
    }

    fn score(&self) -> i32 {
        self.count(Side::Black) - self.count(Side::White)
    }

    fn evaluate(&self) -> i32 {
        let position = self.weight(Side::Black) - self.weight(Side::White);
        let mobility = self.targets(Side::Black).len() - self.targets(Side::White).len();
        POSITION * position + MOBILITY * mobility
    }
}

/// Distance in bits between vertically adjacent squares. Column 12 stays empty to catch steps off the sides.
const STRIDE: usize = MAX_SIZE + 1;

const DIRECTIONS: [isize; 8] = {
    let down = STRIDE as isize;
    [-down - 1, -down, 1 - down, -1, 1, down - 1, down, down + 1]
};

/// A set of squares; bit `STRIDE * row + column`, the lowest 64 bits in the first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Squares([u64; 3]);

impl Squares {
    const EMPTY: Self = Self([0; 3]);

    fn single(row: usize, column: usize) -> Self {
        let (mut words, bit) = ([0; 3], STRIDE * row + column);
        words[bit / 64] = 1 << (bit % 64);
        Self(words)
    }

    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    fn len(self) -> i32 {
        self.0.iter().map(|word| word.count_ones() as i32).sum()
    }

    fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|number| self.0[number] & !other.0[number]))
    }

    /// Shifts every square one step; a square can leave the board, so mask the result.
    fn stepped(self, direction: isize) -> Self {
        let [low, middle, high] = self.0;
        let bits = direction.unsigned_abs();
        let carried = 64 - bits;
        if direction > 0 {
            Self([low << bits, middle << bits | low >> carried, high << bits | middle >> carried])
        } else {
            Self([low >> bits | middle << carried, middle >> bits | high << carried, high >> bits])
        }
    }

    /// Iterates over the row and column of each square, row by row.
    fn iter(self) -> impl Iterator<Item = (usize, usize)> {
        self.0.into_iter().enumerate().flat_map(|(number, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| 64 * number + word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some((bit / STRIDE, bit % STRIDE))
            })
        })
    }
}

impl BitAnd for Squares {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|number| self.0[number] & other.0[number]))
    }
}

impl BitOr for Squares {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|number| self.0[number] | other.0[number]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::games::after_random_moves;
    use fastrand::Rng;

    /// Results of games in which ply N (from 0) plays move N modulo the number of moves, computed without bitboards:
    /// board edge, total number of legal moves in all positions, final discs of `[Black, White]`.
    const GAMES: [(usize, usize, [i32; 2]); 5] =
        [(4, 35, [8, 8]), (6, 172, [16, 20]), (8, 540, [23, 41]), (10, 1227, [51, 49]), (12, 2407, [61, 83])];

    #[test]
    fn moves_and_flips_are_exact() {
        for (size, legal_moves, discs) in GAMES {
            let (mut state, mut counted) = (Reversi::new(size), 0);
            for ply in 0.. {
                let moves = state.moves();
                let Some(&mv) = moves.get(ply % moves.len().max(1)) else { break };
                counted += moves.len();
                state = state.play(mv);
                assert!((state.discs[0] & state.discs[1]).is_empty());
            }
            let counts = Side::BOTH.map(|side| state.count(side));
            assert_eq!((counted, counts), (legal_moves, discs), "{size}x{size}");
        }
    }

    #[test]
    fn a_pass_is_forced_and_never_repeated() {
        let mut rng = Rng::with_seed(2);
        let mut passes = 0;
        for _ in 0..50 {
            let mut state = Reversi::new(6);
            while let Some(mv) = rng.choice(state.moves()) {
                let next = state.play(mv);
                if mv == Turn::Pass {
                    passes += 1;
                    assert_eq!(state.moves(), [Turn::Pass]);
                    assert!(next.moves().iter().all(|&mv| mv != Turn::Pass));
                }
                state = next;
            }
        }
        assert!(passes > 0);
    }

    #[test]
    fn weights_match_the_paper() {
        let sum = |size: usize, row: usize| {
            let discs = (0..size).fold(Squares::EMPTY, |discs, column| discs | Squares::single(row, column));
            Reversi { discs: [discs, Squares::EMPTY], ..Reversi::new(size) }.weight(Side::Black)
        };
        assert_eq!(sum(4, 0), 120 - 20 - 20 + 120);
        assert_eq!(sum(4, 1), -20 - 40 - 40 - 20);
        assert_eq!(sum(12, 0), 2 * (120 - 20 + 20 + 5 + 3 + 3));
        assert_eq!(sum(12, 10), 2 * (-20 - 40 - 5 - 5 - 3 - 3));
    }

    #[test]
    fn swapping_the_colours_negates_the_evaluation() {
        let mut rng = Rng::with_seed(3);
        for _ in 0..50 {
            let state = after_random_moves(&Reversi::new(8), rng.usize(..60), &mut rng);
            let swapped = Reversi { discs: [state.discs[1], state.discs[0]], ..state };
            assert_eq!(state.evaluate(), -swapped.evaluate());
        }
    }

    #[test]
    fn evaluation_adds_weights_and_mobility() {
        let mut state = Reversi::new(8);
        for (row, column) in [(2, 3), (2, 2)] {
            state = state.play(Turn::Disc { row, column });
        }
        // Black: three discs of weight 3. White: the centre (4, 4), the turned (3, 3), and 15 at (2, 2).
        let weights = 3 * 3 - (3 + 3 + 15);
        let mobility = Side::BOTH.map(|to_move| Reversi { to_move, ..state }.moves().len());
        assert_eq!(mobility, [4, 5]);
        assert_eq!(state.evaluate(), 10 * weights + 5 * (4 - 5));
    }
}
