//! What each amazon can do that no other of its side can: squares that it alone is first to, or alone contests, within
//! two queen moves.
//!
//! For each empty square, let `n` be the number of queen moves that this amazon needs to reach it, `o` the least that
//! another amazon of its side needs, `e` the least that an enemy needs; 3 stands for three or more. Of these squares
//!
//! - it alone can claim (*sole*) those with `n < e`, `n < o`, `n <= 2`;
//! - it alone contests those with `n <= e < o`, `e <= 2`.

use super::distance::{DistanceMaps, Slides, flood_king};
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::simd::{Boards, Lanes};

/// The most amazons of a side.
pub const AMAZONS: usize = 4;

/// Squares of each amazon: `[i][side]` is the i-th amazon of a side in the order of its squares.
#[derive(Clone, Copy, Debug, Default)]
pub struct AmazonReach {
    /// Squares that it alone can claim.
    pub sole: [[u32; 2]; AMAZONS],
    /// Squares that it alone contests.
    pub contested: [[u32; 2]; AMAZONS],
}

/// Sets of one amazon of each side.
#[derive(Clone, Copy)]
struct Reach<L> {
    one: Boards<L>,
    two: Boards<L>,
}

impl DistanceMaps {
    /// Fills the maps, that of queen moves for so many steps, and finds what each amazon reaches; there may be
    /// [`AMAZONS`] of a side.
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
        let (enemy_one, enemy_two) = (any.one.exchanged(), any.two.exchanged());
        let (once_one, once_two) = (any.one.without(several.one), any.two.without(several.two));
        let sole = (once_one.without(enemy_one), once_two.without(enemy_two));
        let contested = (once_one.and(enemy_one), once_two.and(enemy_two.without(enemy_one)));
        let mut counts = AmazonReach::default();
        for (i, each) in reach.iter().enumerate() {
            counts.sole[i] = each.one.and(sole.0).or(each.two.and(sole.1)).counts();
            counts.contested[i] = each.one.and(contested.0).or(each.two.and(contested.1)).counts();
        }
        counts
    }
}
