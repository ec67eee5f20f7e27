//! Endgame proofs: who is certain to have more moves left, by lower and upper *filling bounds*.
//!
//! Late in the game the arrows cut the board into squares that only one side can reach. There nobody plays
//! against anybody, and who has more moves wins: [`FillingProver`] bounds their numbers. It never guesses, and it
//! holds for positions too that are still contested elsewhere:
//!
//! * A side that plays *closed* moves only on its [own squares](regions::Regions::own), and each of its
//!   *walls*, the amazons that touch an enemy amazon or a square which the enemy can reach, shoots back at the
//!   square that it leaves the first time it moves. The enemy then never gets in: no enemy square touches
//!   one of its own, or that would be contested, and none touches a square that another amazon leaves. So
//!   the most moves that it can make alone in this way are left to it *for certain*, whatever the enemy does
//!   ([`Bounds::low`]).
//! * Against a side that plays closed, every move of the other takes one square of those that it could
//!   reach, and adds none: a movement fills one and frees one, the arrow fills one. So it has at most as many
//!   moves left as it could make alone on all of them ([`Bounds::high`]), which are at most their number.
//! * A side that must move and cannot has lost. So the side to move wins if its low is above the other's
//!   high, and loses if its high is not above the other's low. Where no square is contested low and high are
//!   nearly always the same, and the outcome is known.
//! * Where a side loses as soon as it is blocked, whoever is to move ([`Rules::SelfBlocking`]), nothing
//!   changes: whose moves are used up first is the same question, and the winner has one left then.
//!
//! [`regions`] tells whose squares are whose, [`filling`] counts the moves that a side can make alone.
//!
//! [`Rules::SelfBlocking`]: crate::board::position::Rules::SelfBlocking

pub mod filling;
pub mod regions;

use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::square::Side;
use filling::{Bounds, Part};
use regions::Regions;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// The number of squares that a side can reach is a quick upper bound of its moves. The tighter one, of their filling,
/// is computed only if a bound lower by at most this many moves would decide the game: most positions of the middle
/// game need none.
const MOST_WASTE: u32 = 2;

/// Pieces whose bounds are remembered; when so many are, all are forgotten.
const MEMORY: usize = 1 << 15;

/// The moves that are left to both sides of a position.
///
/// ```
/// use otrera::{FillingProver, Position, Side};
/// // A wall of arrows: White has 3 squares to itself and as many moves on them, Black has 1.
/// let walled = Position::from_picture("W...\nXXXX\nXXXX\nB.XX", Side::Black).unwrap();
/// let bounds = FillingProver::new().bounds(&walled).unwrap();
/// assert_eq!(bounds.moves.map(|bounds| bounds.low), [1, 3]);
/// assert!(bounds.separated);
/// assert_eq!(bounds.winner(), Some(Side::White));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FillingBounds {
    /// Bounds for each side, Black first.
    pub moves: [Bounds; 2],
    /// Whether no square is contested.
    pub separated: bool,
    mover: Side,
}

impl FillingBounds {
    /// Who is certain to win, if the bounds tell: the side to move where its low is above the other's high, the other
    /// where the side to move has a high of at most the other's low.
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

/// Finds filling bounds, and remembers those of pieces of the board it has met, which saves time and changes no answer.
///
/// ```
/// use otrera::{FillingProver, Position, Side};
/// let mut prover = FillingProver::new();
/// assert_eq!(prover.winner(&Position::standard()), None);
///
/// let walled = Position::from_picture("W...\nXXXX\nXXXX\nB.XX", Side::White).unwrap();
/// assert_eq!(prover.winner(&walled), Some(Side::White));
/// let mv = prover.filling_move(&walled).expect("White is certain to win");
/// assert_eq!(prover.winner(&walled.with_move(mv)), Some(Side::White));
/// ```
#[derive(Clone, Debug, Default)]
pub struct FillingProver {
    /// With a hasher of fixed keys: the standard library's random ones come from a function of the system that
    /// Windows 7 lacks.
    known: HashMap<Part, Bounds, BuildHasherDefault<DefaultHasher>>,
}

impl FillingProver {
    /// A prover that has not met anything yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The bounds of both sides' moves; `None` when the game is over.
    pub fn bounds(&mut self, position: &Position) -> Option<FillingBounds> {
        let goes_on = position.winner().is_none();
        goes_on.then(|| self.bounds_of(&Regions::of(position), position.side()))
    }

    /// Who has won, or is certain to win by the bounds. The same as [`FillingBounds::winner`] of a game that goes on,
    /// but in most positions of the middle game it costs no more than two floods.
    pub fn winner(&mut self, position: &Position) -> Option<Side> {
        if let Some(winner) = position.winner() {
            return Some(winner);
        }
        let regions = Regions::of(position);
        Side::BOTH.into_iter().find(|&side| self.wins(&regions, side, position.side()))
    }

    /// The moves that the [winner](Self::winner) is certain to have left when the loser cannot move; `None` where
    /// nobody is certain to win.
    ///
    /// ```
    /// use otrera::{FillingProver, Position, Side};
    /// // White has three moves, Black one: after White's first, Black's and White's second, White has one left.
    /// let walled = Position::from_picture("W...\nXXXX\nXXXX\nB.XX", Side::White).unwrap();
    /// assert_eq!(FillingProver::new().margin(&walled), Some(1));
    /// assert_eq!(FillingProver::new().margin(&Position::standard()), None);
    /// ```
    pub fn margin(&mut self, position: &Position) -> Option<u32> {
        let winner = self.winner(position)?;
        let regions = Regions::of(position);
        let [own, others] = [regions.closed(winner), regions.open(winner.opponent())];
        let needed = enough(winner, position.side(), self.filling(others).high);
        self.filling(own).low.checked_sub(needed)
    }

    /// Whether the bounds prove that this side wins.
    fn wins(&mut self, regions: &Regions, side: Side, mover: Side) -> bool {
        let rival = side.opponent();
        let needed = enough(side, mover, regions.reachable(rival).len());
        // A side makes at most as many moves as it has squares: a look before any filling.
        if regions.own(side).len() + MOST_WASTE < needed {
            return false;
        }
        let low = self.filling(regions.closed(side)).low;
        low >= needed
            || low + MOST_WASTE >= needed
                && low >= enough(side, mover, self.filling(regions.open(rival)).high)
    }

    /// A move that keeps what is certain: the side to move plays on its own squares, lets nobody in, and has
    /// at most one move less for certain than before. `None` where nothing is gained by that: the game is
    /// neither won for the side to move nor without contested squares, or it has no such move.
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
            let needed = enough(side.opponent(), mover, reachable);
            let matters = rival < needed && rival + MOST_WASTE >= needed;
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

/// The moves that `side` needs to win against a side that has at most `others` left: one more if it must begin.
fn enough(side: Side, mover: Side, others: u32) -> u32 {
    others + u32::from(side == mover)
}
