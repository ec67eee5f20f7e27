//! How many moves one side can make alone: the *filling number* of its own squares.
//!
//! Nobody else gets there, so it is a puzzle for one player: every move takes exactly one empty square,
//! for the movement fills one and frees one and the arrow fills one. The filling number is at most the
//! number of empty squares, and less only where some of them get cut off. To find it is NP-hard (Buro, *Simple
//! Amazons Endgames and Their Connection to Hamilton Circuits in Cubic Subgrid Graphs*, 2000). Two ways:
//!
//! * [`fill`], a greedy filling without search: a lower bound. Its arrows go to the squares with the fewest
//!   neighbours first, and to no [cut vertex](https://en.wikipedia.org/wiki/Biconnected_component) as long as there is
//!   such a move.
//! * [`filling`], exact: where `fill` leaves squares empty, a depth-first search with a table of solved
//!   parts goes on, until its budget of [`SEARCHED_MOVES`] is spent.
//!
//! Both depend on nothing but the part, and what is left of it after the best move is found to be worth at
//! least one move less: [`fill`] goes on with the very moves that it would have made, and the search from
//! there looks at no more than the search from here did. So who follows [`filling_move`] makes as many moves
//! as were promised.

use crate::board::bitboard::Bitboard;
use crate::board::moves::{Move, Movement};
use crate::board::reach::queen_reach;
use crate::board::square::Square;
use std::collections::HashMap;
use std::iter::Sum;

/// Budget of the search of one connected part: moves that it looks at before it gives up.
const SEARCHED_MOVES: u32 = 2000;

/// Squares on which one side plays alone.
///
/// ```
/// use otrera::endgame::filling::{Bounds, Part, filling};
/// use otrera::{Bitboard, Square};
/// // One amazon at the end of a corridor of three squares fills all of them, from the far end.
/// let squares = |columns: std::ops::Range<usize>| columns.filter_map(|x| Square::new(x, 0)).collect();
/// let part = Part { empty: squares(1..4), free: squares(0..1), walls: Bitboard::EMPTY };
/// assert_eq!(filling(part), Bounds { low: 3, high: 3 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    /// The empty squares.
    pub empty: Bitboard,
    /// Amazons that move as they like.
    pub free: Bitboard,
    /// Amazons that keep the other side out (not the walls of the frame of squares). The first time that one moves,
    /// it shoots back at the square it leaves; from then on it is free.
    pub walls: Bitboard,
}

/// The number of moves a side has left: at least `low`, at most `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// The side can make as many, whatever the other does.
    pub low: u32,
    /// The other side can see to it that there are no more.
    pub high: u32,
}

impl Sum for Bounds {
    fn sum<I: Iterator<Item = Self>>(bounds: I) -> Self {
        bounds.fold(Self::default(), |a, b| Self { low: a.low + b.low, high: a.high + b.high })
    }
}

impl Part {
    /// The pieces: the components that are connected by king moves over empty squares and amazons, those without an
    /// empty square or without an amazon left out. A move is played within one of them and leaves the others as they
    /// are.
    pub fn pieces(self) -> impl Iterator<Item = Self> {
        let squares = self.empty | self.free | self.walls;
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
        .filter(|piece| !(piece.free | piece.walls).is_empty())
    }

    fn within(self, squares: Bitboard) -> Self {
        Self { empty: self.empty & squares, free: self.free & squares, walls: self.walls & squares }
    }

    /// What is left after a move of this part.
    fn after(self, Move { from, to, arrow }: Move) -> Self {
        let [from, to, arrow] = [from, to, arrow].map(Bitboard::from);
        Self {
            empty: ((self.empty | from) - to) - arrow,
            free: (self.free - from) | to,
            walls: self.walls - from,
        }
    }

    /// The squares that an arrow may fly to after a movement.
    fn arrow_targets(self, Movement { from, to }: Movement) -> Bitboard {
        if self.walls.contains(from) {
            return from.into();
        }
        queen_reach(to, (self.empty | from.into()) - to.into())
    }

    fn movements(self) -> impl Iterator<Item = Movement> {
        (self.free | self.walls).into_iter().flat_map(move |from| {
            queen_reach(from, self.empty).into_iter().map(move |to| Movement { from, to })
        })
    }

    fn moves(self) -> impl Iterator<Item = Move> {
        self.movements().flat_map(move |movement| {
            self.arrow_targets(movement).into_iter().map(move |arrow| movement.with_arrow(arrow))
        })
    }
}

/// The number of moves that a greedy filling makes: a lower bound of the filling number.
///
/// ```
/// use otrera::endgame::filling::{Part, fill};
/// use otrera::{Bitboard, Square};
/// let squares = |columns: std::ops::Range<usize>| columns.filter_map(|x| Square::new(x, 0)).collect();
/// // An amazon in the middle of a corridor of five squares: both ends can be filled.
/// let part = Part { empty: squares(0..2) | squares(3..5), free: squares(2..3), walls: Bitboard::EMPTY };
/// assert_eq!(fill(part), 4);
/// ```
pub fn fill(part: Part) -> u32 {
    moves_by(next_move, part)
}

/// The number of moves until `choose` finds none.
fn moves_by(choose: impl Fn(Part) -> Option<Move>, part: Part) -> u32 {
    std::iter::successors(Some(part), |left| choose(*left).map(|mv| left.after(mv))).count() as u32 - 1
}

/// The filling number of a part, `low == high`; for pieces on which the search gave up, [`fill`] and the number of
/// empty squares.
pub fn filling(part: Part) -> Bounds {
    part.pieces().map(filling_of_piece).sum()
}

/// The filling number of a part that is one piece.
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

/// A move after which [`filling`] finds at most one move less than before; `None` where no move is left.
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

/// The move that the greedy filling makes next. Each piece gets the moves that it would get alone.
fn next_move(part: Part) -> Option<Move> {
    thrifty_move(part).or_else(|| least_wasteful_retreat(part))
}

/// A move that cuts nothing off: a step of one square if there is such a one, with the arrow on the square that
/// has the fewest neighbours.
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
    let best = (part.free | part.walls).into_iter().filter_map(of_mover).min_by_key(|(rank, _)| *rank);
    best.map(|(_, mv)| mv)
}

/// Where every arrow cuts squares off: of the moves with the arrow back at the square that was left, the one
/// that cuts off the fewest.
fn least_wasteful_retreat(part: Part) -> Option<Move> {
    let all = part.empty.len();
    let cut_off = |mv: &Move| all - part.after(*mv).pieces().map(|piece| piece.empty.len()).sum::<u32>();
    part.movements().map(|movement| movement.with_arrow(movement.from)).min_by_key(cut_off)
}

/// The squares of a part by the number of their neighbours, 1 to 8; only those whose neighbours are connected among
/// themselves. Such a square is no cut vertex: no piece falls apart without it. (The converse does not hold.)
struct Ranks {
    by_neighbours: [Bitboard; 9],
}

impl Ranks {
    fn new(part: Part) -> Self {
        let squares = part.empty | part.free | part.walls;
        let mut by_neighbours = [Bitboard::EMPTY; 9];
        for square in squares {
            if let Some(neighbours) = LOOSE[ring(squares, square)] {
                by_neighbours[usize::from(neighbours)] |= square.into();
            }
        }
        Self { by_neighbours }
    }

    /// The movement with the arrow on the target that has the fewest neighbours, and their number; `None` if no target
    /// is among the squares of these ranks.
    fn best_arrow(&self, part: Part, movement: Movement) -> Option<(usize, Move)> {
        let targets = part.arrow_targets(movement);
        let of_rank = |squares: &Bitboard| (targets & *squares).first();
        let found =
            self.by_neighbours.iter().enumerate().find_map(|(rank, squares)| Some((rank, of_rank(squares)?)));
        found.map(|(rank, arrow)| (rank, movement.with_arrow(arrow)))
    }
}

/// The eight squares around one as a number: bits 0..3 the row below, bits 3 and 4 left and right, bits 5..8 the row
/// above, set where the square belongs to the set.
fn ring(squares: Bitboard, centre: Square) -> usize {
    // The square below and to the left, 12 before the centre in the frame, becomes bit 0.
    let around = squares.shifted(12 - centre.index() as i32).0;
    ((around & 7) | (around >> 11 & 1) << 3 | (around >> 13 & 1) << 4 | (around >> 22 & 7) << 5) as usize
}

/// By [`ring`]: the number of its squares, `None` unless they are connected among themselves by king moves (and for the
/// empty ring).
static LOOSE: [Option<u8>; 256] = loose();

const fn loose() -> [Option<u8>; 256] {
    /// For each place of a ring those that are one king move away from it.
    const NEIGHBOURS: [usize; 8] = [
        0b0000_1010,
        0b0001_1101,
        0b0001_0010,
        0b0110_0011,
        0b1100_0110,
        0b0100_1000,
        0b1011_1000,
        0b0101_0000,
    ];
    let mut table = [None; 256];
    let mut ring: usize = 1;
    while ring < 256 {
        // A flood from the lowest square of the ring: x & -x is the lowest bit.
        let mut connected = ring & ring.wrapping_neg();
        let mut round = 0;
        while round < 8 {
            let mut place = 0;
            while place < 8 {
                if connected >> place & 1 != 0 {
                    connected |= NEIGHBOURS[place] & ring;
                }
                place += 1;
            }
            round += 1;
        }
        if connected == ring {
            table[ring] = Some(ring.count_ones() as u8);
        }
        ring += 1;
    }
    table
}

/// A depth-first search of all fillings, with a table of solved pieces.
struct Exhaustive {
    solved: HashMap<Part, u32>,
    /// Moves that may still be looked at.
    left: u32,
}

impl Exhaustive {
    fn new(budget: u32) -> Self {
        Self { solved: HashMap::new(), left: budget }
    }

    /// The filling number; `None` when that would take too long.
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
