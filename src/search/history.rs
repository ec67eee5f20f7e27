//! History of half-moves: the advantage of each movement and of each arrow over its parent's mean value, averaged over
//! the whole tree.
//!
//! This is the history heuristic (Schaeffer 1989). The search adds the weighted mean advantages to the policy logits, so
//! that a half-move that did well elsewhere is tried earlier. Each worker has its own tables:
//!
//! | table | index | raises the priors of |
//! |---|---|---|
//! | movements | side, origin, destination (butterfly boards, Hartmann 1988) | the movement |
//! | replies | side, destination of the opponent's last movement, destination | movements to this square when the opponent has just moved to that one |
//! | wanted | side, destination | arrows of the opponent at this square |
//! | arrows | side, movement, target | the arrow after the same movement |
//!
//! An arrow's target alone says little, but a whole move that does well after one reply does well after most others.

use crate::board::moves::Movement;
use crate::board::square::{Side, Square};

/// Mean advantages of the movements and arrows of both sides, in the tables of the [module comment](self).
pub struct History {
    movements: Table,
    replies: Table,
    wanted: Table,
    /// Rows of [`TARGETS`] arrows, one row for all movements with the same hash.
    arrows: Table,
}

/// Mean advantages by index. A search reads many of them for each that it changes, so what it reads is packed: of arrows
/// after a movement, 4 cache lines instead of 16.
struct Table {
    /// The means in units of 1/[`Table::ONE`].
    packed: Vec<i16>,
    means: Vec<Mean>,
}

/// A mean advantage.
#[derive(Clone, Copy, Default)]
struct Mean {
    /// Shrunk towards 0 by [`Mean::PRIOR_COUNT`].
    value: f32,
    /// Number of iterations in the mean, at most [`Mean::MAX_COUNT`].
    count: f32,
}

/// Iterations below a half-move.
#[derive(Clone, Copy)]
pub struct Gain {
    /// Number of iterations.
    pub count: u32,
    /// Sum of their advantages, each from -1 to 1.
    pub advantage: f32,
}

impl Mean {
    /// Pseudo-count: each mean starts with this many imaginary iterations of advantage 0.
    const PRIOR_COUNT: f32 = 30.0;
    /// Cap on the number of iterations that a mean counts, so that old iterations fade out.
    const MAX_COUNT: f32 = 4000.0;

    #[inline(always)]
    fn add(&mut self, Gain { count, advantage }: Gain) {
        let new = count as f32;
        self.count += new;
        self.value += (advantage - new * self.value) / (self.count + Self::PRIOR_COUNT);
        self.count = self.count.min(Self::MAX_COUNT);
    }
}

impl Table {
    const ONE: f32 = i16::MAX as f32;

    fn new(bits: u32) -> Self {
        Self { packed: vec![0; 1 << bits], means: vec![Mean::default(); 1 << bits] }
    }

    #[inline(always)]
    fn get(&self, index: usize) -> f32 {
        Self::unpacked(self.packed[index])
    }

    #[inline(always)]
    fn unpacked(packed: i16) -> f32 {
        f32::from(packed) * (1.0 / Self::ONE)
    }

    #[inline(always)]
    fn add(&mut self, index: usize, gain: Gain) {
        let mean = &mut self.means[index];
        mean.add(gain);
        self.packed[index] = (mean.value * Self::ONE) as i16;
    }
}

/// Bits of a square's index.
const SQUARE_BITS: u32 = 7;
/// Number of arrow targets in a row, by square index.
const TARGETS: usize = 1 << SQUARE_BITS;
/// Bits of the index of a row of arrows. Few movements have many visits, so collisions are rare where they matter.
const ROW_BITS: u32 = 11;

impl Default for History {
    fn default() -> Self {
        Self {
            movements: Table::new(1 + 2 * SQUARE_BITS),
            replies: Table::new(1 + 2 * SQUARE_BITS),
            wanted: Table::new(1 + SQUARE_BITS),
            arrows: Table::new(ROW_BITS + SQUARE_BITS),
        }
    }
}

impl History {
    #[inline(always)]
    fn index(side: Side, from: Square, to: Square) -> usize {
        Self::index_of_square(side, from) << SQUARE_BITS | to.index()
    }

    #[inline(always)]
    fn index_of_square(side: Side, square: Square) -> usize {
        side.index() << SQUARE_BITS | square.index()
    }

    /// Returns the first index of the arrows after a movement, by Fibonacci hashing.
    #[inline(always)]
    fn row(side: Side, Movement { from, to }: Movement) -> usize {
        let hash = (Self::index(side, from, to) as u32).wrapping_mul(0x9e37_79b1);
        (hash >> (u32::BITS - ROW_BITS)) as usize * TARGETS
    }

    /// Returns the mean advantage of a movement of `side`, -1 to 1: its win rate minus its parent's mean.
    #[inline(always)]
    pub fn of_movement(&self, side: Side, Movement { from, to }: Movement) -> f32 {
        self.movements.get(Self::index(side, from, to))
    }

    /// Returns the mean advantage of movements of `side` to a square, after a movement of the opponent to `before`.
    #[inline(always)]
    pub fn of_reply(&self, side: Side, before: Square, to: Square) -> f32 {
        self.replies.get(Self::index(side, before, to))
    }

    /// Returns the mean advantage of movements of `side` to a square.
    #[inline(always)]
    pub fn of_square(&self, side: Side, to: Square) -> f32 {
        self.wanted.get(Self::index_of_square(side, to))
    }

    /// Returns a function of the target: the mean advantage of an arrow after a movement of `side`.
    #[inline(always)]
    pub fn of_arrows(&self, side: Side, movement: Movement) -> impl Fn(Square) -> f32 {
        let row = &self.arrows.packed[Self::row(side, movement)..][..TARGETS];
        |arrow| Table::unpacked(row[arrow.index() % TARGETS])
    }

    /// Adds iterations below a movement of `side`. `before` is the destination of the opponent's last movement.
    #[inline(always)]
    pub fn add_movement(&mut self, side: Side, before: Option<Square>, movement: Movement, gain: Gain) {
        let Movement { from, to } = movement;
        self.movements.add(Self::index(side, from, to), gain);
        self.wanted.add(Self::index_of_square(side, to), gain);
        if let Some(before) = before {
            self.replies.add(Self::index(side, before, to), gain);
        }
    }

    /// Adds iterations below an arrow after a movement of `side`.
    #[inline(always)]
    pub fn add_arrow(&mut self, side: Side, movement: Movement, arrow: Square, gain: Gain) {
        self.arrows.add(Self::row(side, movement) + arrow.index() % TARGETS, gain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::Position;

    #[test]
    fn value_is_the_mean_advantage_with_thirty_more_iterations() {
        let mut mean = Mean::default();
        mean.add(Gain { count: 10, advantage: 2.0 });
        mean.add(Gain { count: 20, advantage: -0.5 });
        assert!((mean.value - 1.5 / 60.0).abs() < 1e-6, "{}", mean.value);
        let mut table = Table::new(1);
        for advantage in [30.0, -60.0, 90.0] {
            table.add(1, Gain { count: 30, advantage });
            assert!((table.get(1) - table.means[1].value).abs() <= 1.0 / Table::ONE);
        }
        assert_eq!(table.get(0), 0.0);
    }

    #[test]
    fn each_table_has_its_own_index() {
        let mut history = History::default();
        let movements: Vec<Movement> = Position::standard().movements().take(2).collect();
        let [before, other, arrow] = [0, 1, 2].map(Square::from_index);
        let gain = Gain { count: 30, advantage: 30.0 };
        history.add_movement(Side::Black, Some(before), movements[0], gain);
        history.add_arrow(Side::White, movements[0], arrow, gain);
        let half = Table::unpacked((0.5 * Table::ONE) as i16);
        for (side, [of_black, of_white]) in [(Side::Black, [half, 0.0]), (Side::White, [0.0, half])] {
            let found = [0, 1].map(|which| {
                let movement = movements[which];
                [
                    history.of_movement(side, movement),
                    history.of_reply(side, before, movement.to),
                    history.of_reply(side, other, movement.to),
                    history.of_square(side, movement.to),
                    history.of_arrows(side, movement)(arrow),
                    history.of_arrows(side, movement)(other),
                ]
            });
            assert_eq!(found, [[of_black, of_black, 0.0, of_black, of_white, 0.0], [0.0; 6]], "{side:?}");
        }
    }
}
