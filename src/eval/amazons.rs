//! Per-amazon reach: the squares that each amazon reaches within two queen moves, and those of them that it or its side
//! reaches first, contests, or shares with no enemy.
//!
//! For an empty square, let `n` be the number of queen moves in which this amazon reaches it, `o` the minimum over
//! the other amazons of its side, and `e` the minimum over the enemy's; 3 stands for three or more. The amazon
//!
//! - alone can claim (*sole*) squares with `n < e`, `n < o`, `n <= 2`;
//! - alone contests (*contested*) squares with `n <= e < o`, `e <= 2`;
//! - is near (*near*) squares with `n <= 2`: its side reaches some of them before the enemy (*first*, `min(n, o) < e`),
//!   and the enemy never reaches others (*safe*).

use super::distance::{DistanceMaps, Slides, flood_king};
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::simd::{Boards, Lanes};

/// Maximum number of amazons per side that the inputs support.
pub const AMAZONS: usize = 4;

/// Square counts per amazon: `[i][side]` is the i-th amazon of a side, in square order.
#[derive(Clone, Copy, Debug, Default)]
pub struct AmazonReach {
    /// Number of squares that this amazon reaches within two queen moves and before every other amazon (*sole* in the
    /// [module comment](self)).
    pub sole: [[u32; 2]; AMAZONS],
    /// Number of squares that the enemy reaches within two queen moves and that only this amazon of its side reaches at
    /// least as early (*contested* in the [module comment](self)).
    pub contested: [[u32; 2]; AMAZONS],
    /// Number of squares that this amazon reaches within two queen moves.
    pub near: [[u32; 2]; AMAZONS],
    /// Number of near squares that its side reaches before the enemy.
    pub first: [[u32; 2]; AMAZONS],
    /// Number of near squares that the enemy never reaches.
    pub safe: [[u32; 2]; AMAZONS],
}

/// Squares within one and within two queen moves of one amazon of each side.
#[derive(Clone, Copy)]
struct Reach<L> {
    one: Boards<L>,
    two: Boards<L>,
}

impl DistanceMaps {
    /// Fills the distance maps, the queen map up to `queen_steps` moves, and returns each amazon's square counts. A
    /// side may have at most [`AMAZONS`] amazons.
    #[inline(always)]
    pub(crate) fn flood_each<L: Lanes>(&mut self, position: &Position, queen_steps: usize) -> AmazonReach {
        let sides = position.all_amazons();
        let empty = position.empty();
        flood_king(Boards::<L>::of_sides(sides), empty, &mut self.king);
        let slides = Slides::<L>::new(Boards::splat(empty));
        let mut amazons = sides.map(Bitboard::into_iter);
        let nothing = Boards::splat(Bitboard::EMPTY);
        let mut reach = [Reach { one: nothing, two: nothing }; AMAZONS];
        let mut any = Reach { one: nothing, two: nothing };
        let mut several = any;
        for each in &mut reach {
            let [black, white] = &mut amazons;
            let next =
                [black.next(), white.next()].map(|amazon| amazon.map_or(Bitboard::EMPTY, Bitboard::from));
            each.one = slides.from(Boards::of_sides(next));
            each.two = slides.from(each.one);
            several.one = several.one.or(any.one.and(each.one));
            several.two = several.two.or(any.two.and(each.two));
            any.one = any.one.or(each.one);
            any.two = any.two.or(each.two);
        }
        self.queen_from([any.one, any.two], &slides, queen_steps);
        // Squares within 1 or 2 moves: `any` of at least one own amazon, `several` of at least two, `once` of exactly
        // one. A square of `once` belongs to the amazon in whose own set it lies. Per side:
        //
        //     sole      n = 1:   once_1 - enemy_1                 o >= 2, e >= 2
        //               n <= 2:  once_2 - enemy_2                 o = 3,  e = 3
        //     contested e = 1:   once_1 & enemy_1                 n = 1,  o >= 2
        //               e = 2:   once_2 & (enemy_2 - enemy_1)     n <= 2, o = 3
        let (enemy_one, enemy_two) = (any.one.exchanged(), any.two.exchanged());
        let (once_one, once_two) = (any.one.without(several.one), any.two.without(several.two));
        let sole = (once_one.without(enemy_one), once_two.without(enemy_two));
        let contested = (once_one.and(enemy_one), once_two.and(enemy_two.without(enemy_one)));
        // Its side reaches a near square in one move before the enemy, or in two: in both cases the enemy needs more.
        let first = any.one.without(enemy_one).or(any.two.without(any.one).without(enemy_two));
        let enemies = self.king.reachable();
        let safe = Boards::splat(empty).without(Boards::of_sides([enemies.of(1), enemies.of(0)]));
        let mut counts = AmazonReach::default();
        for (i, each) in reach.iter().enumerate() {
            counts.sole[i] = each.one.and(sole.0).or(each.two.and(sole.1)).counts();
            counts.contested[i] = each.one.and(contested.0).or(each.two.and(contested.1)).counts();
            counts.near[i] = each.two.counts();
            counts.first[i] = each.two.and(first).counts();
            counts.safe[i] = each.two.and(safe).counts();
        }
        counts
    }
}
