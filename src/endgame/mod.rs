//! Endgame proofs by *filling bounds*: lower and upper bounds on the moves that each side has left.
//!
//! Late in the game the arrows cut the board into regions that only one side can reach. Inside them the sides do not
//! interact, and the side with more moves wins. [`FillingProver`] bounds each side's number of moves. The bounds are
//! proven, and they hold even while other squares are still contested:
//!
//! - **Lower bound.** A side *plays closed* if it moves only on its [own squares](regions::Regions::own) and its
//!   *guards* shoot back: each guard's first move shoots at the square that it leaves. Guards are the amazons that
//!   touch an enemy amazon or a square that the enemy can reach. Then the enemy never gets in. None of the enemy's
//!   squares touches an own square, which would then be contested, or a square that another amazon leaves. So the side
//!   is certain to have all the moves that it can make alone in this way ([`Bounds::low`]).
//! - **Upper bound.** Against a side that plays closed, every move of the other side uses up one of the squares that it
//!   could reach and adds none: a movement fills one and frees one, the arrow fills one. So the other side has at most
//!   as many moves as it could make alone on those squares ([`Bounds::high`]), and at most one per square.
//! - **Winner.** The side to move loses if it cannot move. So this side wins if its lower bound exceeds the other's
//!   upper bound, and loses if its upper bound does not exceed the other's lower bound. Without contested squares both
//!   bounds of a side are nearly always equal.
//! - **[`Rules::SelfBlocking`].** A side also loses if it is blocked when the opponent is to move. The result is the
//!   same: the loser runs out of moves first, when the winner has at least one left.
//!
//! [`regions`] computes the regions, [`filling`] counts the moves that a side can make alone.
//!
//! [`Rules::SelfBlocking`]: crate::board::position::Rules::SelfBlocking

#[doc(hidden)] // public for tests
pub mod filling;
#[doc(hidden)] // public for tests
pub mod regions;

use crate::board::bitboard::Bitboard;
use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::square::Side;
use filling::{Bounds, Part};
use regions::Regions;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// Assumed maximum number of squares that a filling leaves empty. The number of reachable squares is a cheap upper
/// bound on a side's moves. The tighter filling bound is computed only if lowering the cheap bound by this much would
/// decide the game, which is rare in the middle game.
const MAX_WASTE: u32 = 2;

/// Maximum number of cached components; the cache is cleared when full.
const MEMORY: usize = 1 << 15;

/// Bounds on the number of moves that each side has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FillingBounds {
    /// Bounds on each side's remaining moves, Black first.
    pub moves: [Bounds; 2],
    /// True if no empty square can be reached by both sides.
    pub separated: bool,
    mover: Side,
}

impl FillingBounds {
    /// Returns the proven winner, if any: the side to move if its lower bound exceeds the other's upper bound; the
    /// other side if its lower bound is at least the upper bound of the side to move.
    pub fn winner(&self) -> Option<Side> {
        let (mover, other) = (self.mover, self.mover.opponent());
        let [own, others] = [mover, other].map(|side| self.moves[side.index()]);
        if own.low > others.high {
            Some(mover)
        } else if own.high <= others.low {
            Some(other)
        } else {
            None
        }
    }
}

/// Prover of endgame results by filling bounds, with a cache of connected components that never changes a result.
#[derive(Clone, Debug, Default)]
pub struct FillingProver {
    /// Bounds of the solved components. The hash keys are fixed: the standard library's random keys need a system
    /// function that Windows 7 lacks.
    known: HashMap<Part, Bounds, BuildHasherDefault<DefaultHasher>>,
}

impl FillingProver {
    /// Creates a prover with an empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the bounds on both sides' remaining moves; `None` if the game is over.
    pub fn bounds(&mut self, position: &Position) -> Option<FillingBounds> {
        let goes_on = position.winner().is_none();
        goes_on.then(|| self.bounds_of(&Regions::of(position), position.side()))
    }

    /// Returns the winner of a finished game, or the winner proven by the bounds. Agrees with
    /// [`FillingBounds::winner`], but costs only two flood fills in most middle-game positions.
    pub fn winner(&mut self, position: &Position) -> Option<Side> {
        if let Some(winner) = position.winner() {
            return Some(winner);
        }
        let regions = Regions::of(position);
        Side::BOTH.into_iter().find(|&side| self.wins(&regions, side, position.side()))
    }

    /// Returns the number of moves that the [winner](Self::winner) is certain to have left when the loser cannot move;
    /// `None` if no winner is proven.
    ///
    /// ```
    /// use otrera::endgame::FillingProver;
    /// use otrera::{Position, Side};
    /// // White has three moves, Black one: after White's first, Black's and White's second, White has one left.
    /// let walled = Position::from_picture("W...\nXXXX\nXXXX\nB.XX", Side::White).unwrap();
    /// assert_eq!(FillingProver::new().margin(&walled), Some(1));
    /// assert_eq!(FillingProver::new().margin(&Position::standard()), None);
    /// ```
    pub fn margin(&mut self, position: &Position) -> Option<u32> {
        let winner = self.winner(position)?;
        let regions = Regions::of(position);
        let [own, others] = [regions.closed(winner), regions.open(winner.opponent())];
        let needed = moves_needed(winner, position.side(), self.filling(others).high);
        self.filling(own).low.checked_sub(needed)
    }

    /// True if the bounds prove that `side` wins: its lower bound is at least the [`moves_needed`] against the
    /// opponent's upper bound.
    ///
    /// Cheap tests come first. Example: White is to move and Black can reach 10 squares, so 11 moves suffice for White.
    ///
    /// 1. White has 8 own squares, so at most 8 moves. Even if Black had to leave `MAX_WASTE` = 2 squares empty, White
    ///    would need 9. Not proven; Black's upper bound is not computed.
    /// 2. White has 12 own squares and a lower bound of 11: proven, without computing Black's upper bound.
    /// 3. White's lower bound is 9 or 10: Black's upper bound is computed. If it is 8, White needs 9: proven.
    fn wins(&mut self, regions: &Regions, side: Side, mover: Side) -> bool {
        let rival = side.opponent();
        let needed = moves_needed(side, mover, regions.reachable(rival).len());
        // A side's lower bound is at most its number of own squares.
        if regions.own(side).len() + MAX_WASTE < needed {
            return false;
        }
        let low = self.filling(regions.closed(side)).low;
        low >= needed
            || low + MAX_WASTE >= needed
                && low >= moves_needed(side, mover, self.filling(regions.open(rival)).high)
    }

    /// Returns a *closed* move (see the module comment) that reduces the mover's lower bound by at most one, so a
    /// proven win stays proven. `None` if the game is over, if the mover has no closed move, or if squares are
    /// contested and the mover has no proven win.
    pub fn filling_move(&mut self, position: &Position) -> Option<Move> {
        if position.winner().is_some() {
            return None;
        }
        let regions = Regions::of(position);
        let bounds = self.bounds_of(&regions, position.side());
        let fills = bounds.separated || bounds.winner() == Some(position.side());
        if fills { filling::filling_move(regions.closed(position.side())) } else { None }
    }

    fn bounds_of(&mut self, regions: &Regions, mover: Side) -> FillingBounds {
        let lows = Side::BOTH.map(|side| self.filling(regions.closed(side)).low);
        let moves = Side::BOTH.map(|side| {
            let (low, rival) = (lows[side.index()], lows[side.opponent().index()]);
            let reachable = regions.reachable(side).len();
            let needed = moves_needed(side.opponent(), mover, reachable);
            // The filling bound matters only if lowering `reachable` by up to MAX_WASTE proves the opponent's win.
            let matters = rival < needed && rival + MAX_WASTE >= needed;
            Bounds { low, high: if matters { self.filling(regions.open(side)).high } else { reachable } }
        });
        FillingBounds { moves, separated: regions.contested().is_empty(), mover }
    }

    fn filling(&mut self, part: Part) -> Bounds {
        part.pieces().map(|piece| self.filling_of_piece(piece)).sum()
    }

    fn filling_of_piece(&mut self, piece: Part) -> Bounds {
        if let Some(&known) = self.known.get(&piece) {
            return known;
        }
        if self.known.len() >= MEMORY {
            self.known.clear();
        }
        let bounds = filling::filling_of_piece(piece);
        self.known.insert(piece, bounds);
        bounds
    }
}

/// A region that one side walls off: a connected component of its [own squares](Regions::own).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Enclosed {
    /// The owner.
    pub side: Side,
    /// The empty squares.
    pub squares: Bitboard,
    /// Moves that the owner is certain to have there.
    pub moves: u32,
}

/// Returns the regions of a position that a side walls off, Black's first.
///
/// ```
/// use otrera::{Position, Side, endgame::enclosed};
/// let walled = Position::from_picture("W...\nXXXX\nXXXX\nB.XX", Side::White).unwrap();
/// let moves: Vec<_> = enclosed(&walled).map(|region| (region.side, region.moves)).collect();
/// assert_eq!(moves, [(Side::Black, 1), (Side::White, 3)]);
/// ```
pub fn enclosed(position: &Position) -> impl Iterator<Item = Enclosed> {
    let regions = Regions::of(position);
    Side::BOTH.into_iter().flat_map(move |side| {
        regions.closed(side).pieces().map(move |piece| Enclosed {
            side,
            squares: piece.empty,
            moves: filling::filling_of_piece(piece).low,
        })
    })
}

/// Returns the number of moves that `side` needs to win against at most `others` moves of the other side: one more than
/// `others` if it moves first.
fn moves_needed(side: Side, mover: Side, others: u32) -> u32 {
    others + u32::from(side == mover)
}
