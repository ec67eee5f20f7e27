//! Mobility, the fifth metric of the MG-PEO paper (equations 6 and 7), Black's minus White's: the sum of `neighbours(s) /
//! steps(s)` over all of a side's amazons and the squares s within one queen move, where `neighbours` counts empty
//! squares. One sweep along all rays computes it, together with the first level of the distance map.

use crate::board::bitboard::{Bitboard, for_directions};
use crate::board::position::Position;
use crate::simd::{Boards, Kernel, Lanes, dispatch};

/// Least common multiple of 1 to 9: makes every `1 / steps` an integer in units of `1 / 2520`.
const COMMON_MULTIPLE: u32 = 2520;

/// Returns Black's mobility minus White's, computed with the given SIMD kernel.
#[inline]
pub fn mobility_on(position: &Position, kernel: Kernel) -> f32 {
    dispatch!(kernel, L => balance(RaySweep::<L>::new(position.all_amazons(), position.empty()).mobilities))
}

/// Returns Black's mobility minus White's, from sums in units of 1/2520.
#[inline(always)]
pub(super) fn balance([black, white]: [u32; 2]) -> f32 {
    (black as i32 - white as i32) as f32 / COMMON_MULTIPLE as f32
}

/// A sweep along the eight rays of all amazons, one square per step, until all rays have ended.
///
/// Four [`Boards`] hold the current squares of the rays, by the square-index offset per step:
///
/// ```text
///                board 0      board 1      board 2      board 3
///   up           Black  +1    White  +1    Black +10    White +10
///   up_steep     Black +11    White +11    Black +12    White +12
///   down         Black  -1    White  -1    Black -10    White -10
///   down_steep   Black -11    White -11    Black -12    White -12
/// ```
///
/// A square can lie on up to eight rays of a side. [`sliced_counts_on_lanes`] counts them, and `neighbours` holds the
/// empty neighbours of each square, both as binary digits in this layout:
///
/// ```text
///                lane 0       lane 1       lane 2       lane 3
///   digit 2^k    Black 0..64  White 0..64  Black 64..   White 64..
/// ```
///
/// A step adds `rays(s) * neighbours(s) / steps`, as `2^j * 2^k * popcount(rays digit j & neighbours digit k)`.
pub(super) struct RaySweep<L> {
    /// Mobility of each side in units of 1/2520.
    pub mobilities: [u32; 2],
    /// Squares that each side reaches in one queen move.
    pub reach: Boards<L>,
}

impl<L: Lanes> RaySweep<L> {
    #[inline(always)]
    pub(super) fn new(amazons: [Bitboard; 2], empty: Bitboard) -> Self {
        let neighbours = for_both_sides(sliced_counts(neighbours_of(empty)));
        let empty = Boards::splat(empty);
        let sources = Boards::of_sides(amazons);
        let (mut up, mut up_steep, mut down, mut down_steep) = (sources, sources, sources, sources);
        let mut sweep = Self { mobilities: [0; 2], reach: Boards::splat(Bitboard::EMPTY) };
        for steps in 1..=9 {
            up = up.up(1, 10).and(empty);
            up_steep = up_steep.up(11, 12).and(empty);
            down = down.down(1, 10).and(empty);
            down_steep = down_steep.down(11, 12).and(empty);
            let fronts = up.or(up_steep).or(down.or(down_steep)).merged();
            if fronts.sides().is_empty() {
                break;
            }
            sweep.reach = sweep.reach.or(fronts);
            let mut counts = [0; 2];
            let digits = sliced_counts_on_lanes([up, up_steep, down, down_steep]);
            for (digit, weight) in digits.into_iter().zip([1, 2, 4, 8]) {
                if !digit.is_empty() {
                    let [black, white, more_black, more_white] =
                        L::weighed_counts(digit.to_array(), &neighbours);
                    counts[0] += weight * (black + more_black);
                    counts[1] += weight * (white + more_white);
                }
            }
            sweep.mobilities[0] += counts[0] * (COMMON_MULTIPLE / steps);
            sweep.mobilities[1] += counts[1] * (COMMON_MULTIPLE / steps);
        }
        sweep
    }
}

/// Counts the sets that contain each square, at most eight per side, by a carry-save adder. Element `k` of the result
/// holds the binary digits of weight `2^k` (a [bit-sliced](https://en.wikipedia.org/wiki/Bit_slicing) counter) in the
/// layout of [`crate::simd::SidePair::to_array`].
#[inline(always)]
pub(super) fn sliced_counts_on_lanes<L: Lanes>([a, b, c, d]: [Boards<L>; 4]) -> [L; 4] {
    let (one_up, two_up) = (a.xor(b), a.and(b));
    let (one_down, two_down) = (c.xor(d), c.and(d));
    let ones = one_up.xor(one_down);
    let twos = two_up.xor(two_down).xor(one_up.and(one_down));
    let fours = two_up.and(two_down);
    let (ones, more_ones) = ones.pairs();
    let (twos, more_twos) = twos.pairs();
    let (fours, more_fours) = fours.pairs();
    let carried_twos = ones.and(more_ones);
    let either = twos.xor(more_twos);
    let carried_fours = twos.and(more_twos).or(either.and(carried_twos));
    let either_fours = fours.xor(more_fours);
    let eights = fours.and(more_fours).or(either_fours.and(carried_fours));
    [ones.xor(more_ones), either.xor(carried_twos), either_fours.xor(carried_fours), eights]
}

/// Duplicates each set for both sides, in the layout of [`crate::simd::SidePair::to_array`].
#[inline(always)]
fn for_both_sides(sets: [Bitboard; 4]) -> [[u64; 4]; 4] {
    let mut arrays = [[0; 4]; 4];
    for (array, Bitboard(set)) in arrays.iter_mut().zip(sets) {
        let (low, high) = (set as u64, (set >> 64) as u64);
        *array = [low, low, high, high];
    }
    arrays
}

/// Returns eight copies of the set, shifted by one square in each of the eight directions.
#[inline(always)]
pub(super) fn neighbours_of(set: Bitboard) -> [Bitboard; 8] {
    for_directions(|direction| set.shifted(direction))
}

/// Counts for each square how many of the eight sets contain it, bit-sliced: element `k` of the result holds the binary
/// digits of weight `2^k`.
#[inline(always)]
pub(super) fn sliced_counts([a, b, c, d, e, f, g, h]: [Bitboard; 8]) -> [Bitboard; 4] {
    let (first, first_twos) = full_adder(a, b, c);
    let (second, second_twos) = full_adder(d, e, f);
    let (ones, third_twos) = full_adder(first, second, g);
    let (ones, fourth_twos) = (ones ^ h, ones & h);
    let (twos, first_fours) = full_adder(first_twos, second_twos, third_twos);
    let (twos, second_fours) = (twos ^ fourth_twos, twos & fourth_twos);
    [ones, twos, first_fours ^ second_fours, first_fours & second_fours]
}

/// Adds three one-bit numbers for every square (full adder). Returns sum and carry.
#[inline(always)]
fn full_adder(a: Bitboard, b: Bitboard, c: Bitboard) -> (Bitboard, Bitboard) {
    let either = a ^ b;
    (either ^ c, (a & b) | (either & c))
}
