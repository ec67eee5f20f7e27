//! Regions: the squares that each side can reach, the squares that only one side can reach, and the amazons that wall
//! them off.

use super::filling::Part;
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::board::square::Side;

/// Regions of a position: the empty squares that each side can reach. Arrays hold Black's squares first.
#[derive(Clone, Copy, Debug)]
pub struct Regions {
    amazons: [Bitboard; 2],
    /// Empty squares that a side reaches by king moves over empty squares.
    reach: [Bitboard; 2],
}

impl Regions {
    /// Computes the regions of a position.
    pub fn of(position: &Position) -> Self {
        let amazons = position.all_amazons();
        Self { amazons, reach: amazons.map(|amazons| flood(amazons, position.empty())) }
    }

    /// Returns the empty squares that both sides can reach.
    pub fn contested(&self) -> Bitboard {
        self.reach[0] & self.reach[1]
    }

    /// Returns the empty squares that a side can reach in any number of moves.
    pub fn reachable(&self, side: Side) -> Bitboard {
        self.reach[side.index()]
    }

    /// Returns the empty squares that only this side can reach.
    pub fn own(&self, side: Side) -> Bitboard {
        self.reachable(side) - self.reachable(side.opponent())
    }

    /// Returns the [`Part`] of a side that *plays closed* (see [`super`]): its own squares and its amazons. The guards
    /// are the amazons that touch an enemy amazon or a square that the enemy can reach.
    pub fn closed(&self, side: Side) -> Part {
        let enemy = side.opponent();
        let amazons = self.amazons[side.index()];
        let touching = (self.amazons[enemy.index()] | self.reachable(enemy)).with_neighbours();
        Part { empty: self.own(side), free: amazons - touching, guards: amazons & touching }
    }

    /// Returns the [`Part`] of a side that plays without restriction: all squares that it can reach, and all its
    /// amazons as free amazons.
    pub fn open(&self, side: Side) -> Part {
        Part { empty: self.reachable(side), free: self.amazons[side.index()], guards: Bitboard::EMPTY }
    }
}

/// Returns the empty squares that the amazons reach by king moves over empty squares: a set-wise flood fill
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
