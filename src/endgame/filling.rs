//! Filling: the maximum number of moves that one side can make alone on its own squares, the *filling number*.
//!
//! The other side cannot enter these squares, so this is a single-player puzzle. Every move uses up exactly one empty
//! square: the movement fills one and frees one, the arrow fills one. The filling number is at most the number of empty
//! squares, and smaller only if some squares get cut off. Computing it is NP-hard (Buro, *Simple Amazons Endgames and
//! Their Connection to Hamilton Circuits in Cubic Subgrid Graphs*, 2000). There are two algorithms:
//!
//! - [`fill`] fills greedily, without search: a lower bound. It shoots at squares with few neighbours first, and at a
//!   possible [cut vertex](https://en.wikipedia.org/wiki/Biconnected_component) only if there is no other move.
//! - [`filling`] is exact within a budget: if `fill` leaves squares empty, it runs a memoised depth-first search of up
//!   to [`SEARCHED_MOVES`] moves.
//!
//! Both results depend only on the [`Part`]. After a best move, the result for the remaining part is lower by at most
//! one: `fill` continues with the moves that it would have made anyway, and the remaining part needs no larger search.
//! So a side that follows [`filling_move`] makes at least [`Bounds::low`] moves.

use crate::board::bitboard::Bitboard;
use crate::board::moves::{Move, Movement};
use crate::board::reach::queen_reach;
use crate::board::square::Square;
use std::collections::HashMap;
use std::iter::Sum;
use std::sync::LazyLock;

/// Budget of the exact search for one connected component, in moves tried.
const SEARCHED_MOVES: u32 = 2000;

/// Input of [`fill`] and [`filling`]: one side's amazons and the empty squares on which that side plays alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    /// Empty squares on which the side plays alone.
    pub empty: Bitboard,
    /// Amazons that move without restriction: all that are not guards.
    pub free: Bitboard,
    /// Amazons that keep the other side out. A guard's first move must shoot back at the square that it leaves; then
    /// the amazon is free.
    pub guards: Bitboard,
}

/// Bounds on the number of moves that a side has left, or on the filling number of a [`Part`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// Lower bound: number of moves that the side can make whatever the other side does.
    pub low: u32,
    /// Upper bound on the side's moves while the other side *plays closed* (stays on its own squares, see [`super`]).
    pub high: u32,
}

impl Sum for Bounds {
    fn sum<I: Iterator<Item = Self>>(bounds: I) -> Self {
        bounds.fold(Self::default(), |a, b| Self { low: a.low + b.low, high: a.high + b.high })
    }
}

impl Part {
    /// Splits the part into *pieces*: its connected components, by king moves over empty squares and amazons. Drops
    /// components without an empty square or without an amazon. A move changes only one piece.
    pub fn pieces(self) -> impl Iterator<Item = Self> {
        let squares = self.empty | self.free | self.guards;
        let mut left = self.empty;
        std::iter::from_fn(move || {
            let mut piece = Bitboard::from(left.first()?);
            loop {
                let wider = piece.with_neighbours() & squares;
                if wider == piece {
                    break;
                }
                piece = wider;
            }
            left -= piece;
            Some(self.within(piece))
        })
        .filter(|piece| !(piece.free | piece.guards).is_empty())
    }

    fn within(self, squares: Bitboard) -> Self {
        Self { empty: self.empty & squares, free: self.free & squares, guards: self.guards & squares }
    }

    fn after(self, Move { from, to, arrow }: Move) -> Self {
        let [from, to, arrow] = [from, to, arrow].map(Bitboard::from);
        Self {
            empty: ((self.empty | from) - to) - arrow,
            free: (self.free - from) | to,
            guards: self.guards - from,
        }
    }

    /// Returns the squares that the arrow can hit after a movement; a guard can only shoot at the square it left.
    fn arrow_targets(self, Movement { from, to }: Movement) -> Bitboard {
        if self.guards.contains(from) {
            return from.into();
        }
        queen_reach(to, (self.empty | from.into()) - to.into())
    }

    fn movements(self) -> impl Iterator<Item = Movement> {
        (self.free | self.guards).into_iter().flat_map(move |from| {
            queen_reach(from, self.empty).into_iter().map(move |to| Movement { from, to })
        })
    }

    fn moves(self) -> impl Iterator<Item = Move> {
        self.movements().flat_map(move |movement| {
            self.arrow_targets(movement).into_iter().map(move |arrow| movement.with_arrow(arrow))
        })
    }
}

/// Returns the number of moves of the greedy filling, a lower bound on the filling number.
pub fn fill(part: Part) -> u32 {
    moves_by(next_move, part)
}

/// Plays the moves that `choose` returns until it returns `None`; returns their number.
fn moves_by(choose: impl Fn(Part) -> Option<Move>, part: Part) -> u32 {
    std::iter::successors(Some(part), |left| choose(*left).map(|mv| left.after(mv))).count() as u32 - 1
}

/// Returns bounds on the filling number of a part. Each piece adds its exact filling number to both bounds. A piece
/// whose search exceeds the budget adds its [`fill`] to `low` and its number of empty squares to `high`.
pub fn filling(part: Part) -> Bounds {
    part.pieces().map(filling_of_piece).sum()
}

/// Returns the bounds of [`filling`] for a part that is a single piece.
pub fn filling_of_piece(piece: Part) -> Bounds {
    let (low, high) = (fill(piece), piece.empty.len());
    if low == high {
        return Bounds { low, high };
    }
    match Exhaustive::new(SEARCHED_MOVES).moves(piece) {
        Some(exact) => Bounds { low: exact, high: exact },
        None => Bounds { low, high },
    }
}

/// Returns a move that lowers the lower bound of [`filling`] by at most one; `None` if the part has no move.
pub fn filling_move(part: Part) -> Option<Move> {
    let piece = part.pieces().find(|piece| fill(*piece) > 0)?;
    let promised = filling_of_piece(piece).low;
    let quick = next_move(piece)?;
    if promised == fill(piece) {
        return Some(quick);
    }
    let mut search = Exhaustive::new(u32::MAX);
    let keeps = |mv: &Move| search.moves(piece.after(*mv)).is_some_and(|left| left + 1 >= promised);
    piece.moves().find(keeps).or(Some(quick))
}

/// Returns the next move of the greedy filling, if any. Moves in one piece do not depend on other pieces.
fn next_move(part: Part) -> Option<Move> {
    thrifty_move(part).or_else(|| least_wasteful_retreat(part))
}

/// Returns a move that cuts off no square and shoots at a target of the lowest rank in [`Ranks`]; `None` if there is no
/// such move. Considers longer movements of an amazon only if its one-square movements allow none.
fn thrifty_move(part: Part) -> Option<Move> {
    let ranks = Ranks::new(part);
    let of_mover = |from: Square| {
        let landings = queen_reach(from, part.empty);
        let steps = landings & Bitboard::from(from).with_neighbours();
        let best_of = |landings: Bitboard| {
            let movements = landings.into_iter().map(|to| Movement { from, to });
            movements.filter_map(|movement| ranks.best_arrow(part, movement)).min_by_key(|(rank, _)| *rank)
        };
        best_of(steps).or_else(|| best_of(landings - steps))
    };
    let best = (part.free | part.guards).into_iter().filter_map(of_mover).min_by_key(|(rank, _)| *rank);
    best.map(|(_, mv)| mv)
}

/// Returns the move that cuts off the fewest squares among those that shoot back at the square the amazon leaves. Used
/// where [`thrifty_move`] finds no move; `None` if no amazon can move.
fn least_wasteful_retreat(part: Part) -> Option<Move> {
    let all = part.empty.len();
    let cut_off = |mv: &Move| all - part.after(*mv).pieces().map(|piece| piece.empty.len()).sum::<u32>();
    part.movements().map(|movement| movement.with_arrow(movement.from)).min_by_key(cut_off)
}

/// Squares that cannot be cut vertices of a part, grouped by rank, their number of neighbours in the part (1 to 8). A
/// square qualifies if its neighbours are connected among themselves; this test misses some squares.
struct Ranks {
    by_neighbours: [Bitboard; 9],
}

impl Ranks {
    fn new(part: Part) -> Self {
        let squares = part.empty | part.free | part.guards;
        let mut by_neighbours = [Bitboard::EMPTY; 9];
        let loose = &*LOOSE;
        for square in squares {
            if let Some(neighbours) = loose[ring(squares, square)] {
                by_neighbours[usize::from(neighbours)] |= square.into();
            }
        }
        Self { by_neighbours }
    }

    /// Completes the movement with the arrow target of the lowest rank; returns the rank and the move. `None` if no
    /// target has a rank.
    fn best_arrow(&self, part: Part, movement: Movement) -> Option<(usize, Move)> {
        let targets = part.arrow_targets(movement);
        let of_rank = |squares: &Bitboard| (targets & *squares).first();
        let found =
            self.by_neighbours.iter().enumerate().find_map(|(rank, squares)| Some((rank, of_rank(squares)?)));
        found.map(|(rank, arrow)| (rank, movement.with_arrow(arrow)))
    }
}

/// Returns the neighbours of `centre` that are in `squares` as an 8-bit mask: bits 0..3 for the row below, bits 3 and 4
/// for left and right, bits 5..8 for the row above.
fn ring(squares: Bitboard, centre: Square) -> usize {
    // The index of the square below and to the left is that of the centre minus 12; this square becomes bit 0.
    let around = squares.shifted(12 - centre.index() as i32).0;
    ((around & 7) | (around >> 11 & 1) << 3 | (around >> 13 & 1) << 4 | (around >> 22 & 7) << 5) as usize
}

/// Lookup table by [`ring`] mask: the number of set bits; `None` for 0 or squares that king moves do not connect.
static LOOSE: LazyLock<[Option<u8>; 256]> = LazyLock::new(|| {
    // Square index of each bit of a ring around square 12.
    const NUMBERS: [usize; 8] = [0, 1, 2, 11, 13, 22, 23, 24];
    std::array::from_fn(|ring| {
        let places = (0..8).filter(|place| ring >> place & 1 != 0);
        let squares = places.map(|place| Square::from_index(NUMBERS[place])).collect();
        let part = Part { empty: squares, free: squares, guards: Bitboard::EMPTY };
        (part.pieces().count() == 1).then_some(squares.len() as u8)
    })
});

/// Exact search for the filling number: a memoised depth-first search over all fillings.
struct Exhaustive {
    solved: HashMap<Part, u32>,
    /// Remaining budget of the search, in moves tried.
    left: u32,
}

impl Exhaustive {
    fn new(budget: u32) -> Self {
        Self { solved: HashMap::new(), left: budget }
    }

    /// Returns the filling number; `None` if the search exceeds its budget.
    fn moves(&mut self, part: Part) -> Option<u32> {
        part.pieces().map(|piece| self.moves_of_piece(piece)).sum()
    }

    fn moves_of_piece(&mut self, piece: Part) -> Option<u32> {
        if let Some(&known) = self.solved.get(&piece) {
            return Some(known);
        }
        let all = piece.empty.len();
        let mut best = moves_by(thrifty_move, piece);
        for mv in piece.moves() {
            if best == all {
                break;
            }
            self.left = self.left.checked_sub(1)?;
            best = best.max(1 + self.moves(piece.after(mv))?);
        }
        self.solved.insert(piece, best);
        Some(best)
    }
}
