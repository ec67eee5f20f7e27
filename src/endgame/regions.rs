//! Which squares belong to whom: what each side can reach, what only it can, and the amazons that keep the
//! other side out.

use super::filling::Part;
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::board::square::Side;

/// A board seen as regions. Arrays hold Black's squares first.
///
/// ```
/// use otrera::endgame::regions::Regions;
/// use otrera::{Position, Side};
/// let walled = Position::from_picture("W...\nXXXX\nXXXX\nB.XX", Side::Black).unwrap();
/// let regions = Regions::of(&walled);
/// assert!(regions.contested().is_empty());
/// assert_eq!([Side::Black, Side::White].map(|side| regions.own(side).len()), [1, 3]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Regions {
    amazons: [Bitboard; 2],
    /// The empty squares that a side gets to by king steps over empty squares.
    reach: [Bitboard; 2],
}

impl Regions {
    /// The regions of a position.
    pub fn of(position: &Position) -> Self {
        let amazons = position.all_amazons();
        Self { amazons, reach: amazons.map(|amazons| flood(amazons, position.empty())) }
    }

    /// The empty squares that both sides can reach.
    pub fn contested(&self) -> Bitboard {
        self.reach[0] & self.reach[1]
    }

    /// The empty squares that a side can reach.
    pub fn reachable(&self, side: Side) -> Bitboard {
        self.reach[side.index()]
    }

    /// The empty squares that only this side can reach.
    pub fn own(&self, side: Side) -> Bitboard {
        self.reachable(side) - self.reachable(side.opponent())
    }

    /// The squares on which a side plays when it lets nobody in: its own, and the amazons that touch an
    /// enemy or a square which the enemy can reach are walls.
    pub fn closed(&self, side: Side) -> Part {
        let enemy = side.opponent();
        let amazons = self.amazons[side.index()];
        let touching = (self.amazons[enemy.index()] | self.reachable(enemy)).with_neighbours();
        Part { empty: self.own(side), free: amazons - touching, walls: amazons & touching }
    }

    /// The squares on which a side plays when nobody lets it in: all that it can reach.
    pub fn open(&self, side: Side) -> Part {
        Part { empty: self.reachable(side), free: self.amazons[side.index()], walls: Bitboard::EMPTY }
    }
}

/// The empty squares that amazons reach by king steps over empty squares: a flood fill, all frontiers at once
/// (<https://www.chessprogramming.org/King_Pattern>).
fn flood(amazons: Bitboard, empty: Bitboard) -> Bitboard {
    let mut reached = amazons.with_neighbours() & empty;
    loop {
        let wider = reached.with_neighbours() & empty;
        if wider == reached {
            return reached;
        }
        reached = wider;
    }
}
