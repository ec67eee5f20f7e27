//! How promising a half-move looks before it has been searched: a log-linear model of a few features of its
//! squares, fitted to the visits of longer searches (`lab fit-policy`). The search makes priors of it.
//!
//! Every feature is categorical: a half-move has one class of it, such as "two queen moves from the nearest enemy and
//! three king moves", and each class has a weight at each stage of the game. The logit of a half-move is the sum of
//! its classes' weights, and its probability the softmax, `exp(logit) / sum over all half-moves of exp(logit)`.
//!
//! The features of squares are computed for all squares at once, bit-sliced over sets of squares, and read off where a
//! half-move leads to.

use super::distance::{DistanceMaps, attackers};
use super::mobility::{neighbours_of, tally};
use super::standard_ply;
use crate::board::bitboard::{Bitboard, DIRECTIONS};
use crate::board::moves::Movement;
use crate::board::position::{ArrowPhase, Position};
use crate::board::square::{FRAME, STRIDE, Side, Size, Square};
use crate::simd::Lanes;

/// Stages of the game that have weights of their own.
pub const STAGES: usize = 4;

/// Plies of a game on 10x10 at which the second, the third and the fourth stage begin.
const STAGE_STARTS: [usize; STAGES - 1] = [14, 28, 44];

/// The features of a movement, by their numbers of classes; see [`Movements::features`].
pub const MOVEMENT_FEATURES: [usize; 6] = [1 << 6, 1 << 8, 1 << 7, 1 << 6, 1 << 8, 1 << 4];

/// The features of an arrow, by their numbers of classes; see [`Arrows::features`].
pub const ARROW_FEATURES: [usize; 7] = [1 << 6, 1 << 6, 1 << 8, 1 << 7, 1 << 7, 1 << 6, 1 << 5];

/// All classes of these features.
pub const fn classes(features: &[usize]) -> usize {
    let mut sum = 0;
    let mut feature = 0;
    while feature < features.len() {
        sum += features[feature];
        feature += 1;
    }
    sum
}

/// The weights of all classes, feature after feature, at each stage.
pub type PolicyWeights<const CLASSES: usize> = [[f32; CLASSES]; STAGES];

/// The weights of movements and of arrows.
#[derive(Clone, PartialEq, Debug)]
pub struct Policy {
    /// Of [`MOVEMENT_FEATURES`].
    pub movements: PolicyWeights<{ classes(&MOVEMENT_FEATURES) }>,
    /// Of [`ARROW_FEATURES`].
    pub arrows: PolicyWeights<{ classes(&ARROW_FEATURES) }>,
}

impl Policy {
    /// The logit of a movement with these features.
    #[inline(always)]
    pub fn movement_logit(&self, stage: usize, features: &[usize; MOVEMENT_FEATURES.len()]) -> f32 {
        sum_of_weights(&self.movements[stage], &MOVEMENT_FEATURES, features)
    }

    /// The logit of an arrow with these features.
    #[inline(always)]
    pub fn arrow_logit(&self, stage: usize, features: &[usize; ARROW_FEATURES.len()]) -> f32 {
        sum_of_weights(&self.arrows[stage], &ARROW_FEATURES, features)
    }
}

/// The stage of a position, 0 to 3.
#[inline(always)]
pub fn stage(position: &Position) -> usize {
    let ply = standard_ply(position);
    STAGE_STARTS.iter().filter(|&&start| ply >= start).count()
}

#[inline(always)]
fn sum_of_weights(weights: &[f32], sizes: &[usize], features: &[usize]) -> f32 {
    let mut first = 0;
    let mut sum = 0.0;
    for (size, feature) in sizes.iter().zip(features) {
        // The mask changes no class, since sizes are powers of two; it spares a bounds check for each.
        sum += weights[first + (feature & (size - 1))];
        first += size;
    }
    sum
}

/// What the features of movements look at, prepared once for all movements of the side to move.
pub struct Movements(SquareClasses<4>);

impl Movements {
    /// Of a position, from its maps.
    #[inline(always)]
    pub fn new<L: Lanes>(position: &Position, maps: &DistanceMaps) -> Self {
        let (us, them) = (position.side(), position.side().opponent());
        let empty = position.empty();
        Self(SquareClasses::new::<L>([
            joined(queen_class(maps, them), king_class(maps, them)),
            joined(tally(neighbours_of(empty)), tally(thirds_of(empty))),
            joined(amazons_beside(position.amazons(them)), amazons_beside(position.amazons(us))),
            joined(LOCATIONS[position.size().edge()], attackers::<L>(position, them)),
        ]))
    }

    /// What is known of a square, for [`Movements::features`]; each with its fields from the lowest bit:
    ///
    /// - queen moves (3 bits), king moves (3) of the enemy to it, see [`queen_class`], [`king_class`];
    /// - number of directions in which the next square (4), the next three squares (4) are empty;
    /// - number of amazons of the enemy (3), of ours (3) beside it;
    /// - where on the board it lies (4), see [`LOCATIONS`], and number of enemies that can go there in one move, three
    ///   at most (2).
    #[inline(always)]
    pub fn classes(&self, square: Square) -> [usize; 4] {
        self.0.of(square)
    }

    /// The classes of a movement whose squares have these [classes](Movements::classes):
    ///
    /// - how far the enemy is from the goal, by queen and by king moves;
    /// - how open the goal is, by empty neighbours and by directions in which three squares are empty;
    /// - the amazons beside the goal (the one that moves among them), and bit 6 if it is one step away;
    /// - where on the board the goal lies, and how many enemies can go there in one move;
    /// - how open the start is;
    /// - its length in steps, less 1.
    #[inline(always)]
    pub fn features(
        &self,
        movement: Movement,
        start: [usize; 4],
        goal: [usize; 4],
    ) -> [usize; MOVEMENT_FEATURES.len()] {
        let steps = steps(movement.from, movement.to);
        [goal[0], goal[1], goal[2] | usize::from(steps == 1) << 6, goal[3], start[1], steps - 1]
    }
}

/// What the features of arrows look at, prepared once for all arrows of one amazon.
pub struct Arrows(SquareClasses<6>);

impl Arrows {
    /// Of the board between the halves of a move, from the maps of [`ArrowPhase::position`].
    #[inline(always)]
    pub fn new<L: Lanes>(arrow_phase: &ArrowPhase, maps: &DistanceMaps) -> Self {
        let position = arrow_phase.position();
        let (us, them) = (position.side(), position.side().opponent());
        let (ours, theirs) = (position.amazons(us), position.amazons(them));
        let empty = position.empty();
        Self(SquareClasses::new::<L>([
            joined(queen_class(maps, us), queen_class(maps, them)),
            joined(king_class(maps, us), king_class(maps, them)),
            joined(tally(neighbours_of(empty)), LOCATIONS[position.size().edge()]),
            joined(amazons_beside(theirs), most_confined_beside(theirs, empty)),
            joined(amazons_beside(ours), most_confined_beside(ours, empty)),
            joined(attackers::<L>(position, them), tally(thirds_of(empty))),
        ]))
    }

    /// The classes of an arrow, each with the bits that its fields take from the lowest:
    ///
    /// - how far we (3) and the enemy (3) are from its square by queen moves, see [`queen_class`];
    /// - the same by king moves (3, 3), see [`king_class`];
    /// - the square's empty neighbours (4), and where on the board it lies (4), see [`LOCATIONS`];
    /// - the enemy's amazons beside it (3), and the empty neighbours of the most confined of them (4);
    /// - the same for ours (3, 4);
    /// - how many enemies can go there in one move (2), and the directions in which three squares are empty (4);
    /// - the steps of its flight, less 1 (4), and whether it lies where the amazon came from (1).
    #[inline(always)]
    pub fn features(&self, arrow_phase: &ArrowPhase, arrow: Square) -> [usize; ARROW_FEATURES.len()] {
        let [a, b, c, d, e, f] = self.0.of(arrow);
        let is_origin = usize::from(arrow == arrow_phase.origin());
        [a, b, c, d, e, f, (steps(arrow_phase.amazon(), arrow) - 1) | is_origin << 4]
    }
}

/// A class of each square by each feature, bit-sliced: `columns[f][c]` has in byte `k` the binary digits of weight `2^k`
/// of the squares `8 c .. 8 c + 8`.
struct SquareClasses<const FEATURES: usize> {
    columns: [[u64; 16]; FEATURES],
}

impl<const FEATURES: usize> SquareClasses<FEATURES> {
    /// From the sets of squares whose classes have the digit of weight `2^k`.
    #[inline(always)]
    fn new<L: Lanes>(features: [[u128; 8]; FEATURES]) -> Self {
        let mut columns = [[0; 16]; FEATURES];
        for (columns, digits) in columns.iter_mut().zip(features) {
            *columns = L::columns(digits);
        }
        Self { columns }
    }

    /// The classes of one square.
    #[inline(always)]
    fn of(&self, square: Square) -> [usize; FEATURES] {
        let (column, place) = (square.index() / 8 % 16, square.index() % 8);
        let mut classes = [0; FEATURES];
        for (class, columns) in classes.iter_mut().zip(&self.columns) {
            // The factor moves bit `8 k` to bit `56 + k`, and no two others to the same place.
            const GATHER: u64 = 0x0102_0408_1020_4080;
            let digits = columns[column] >> place & 0x0101_0101_0101_0101;
            *class = (digits.wrapping_mul(GATHER) >> 56) as usize;
        }
        classes
    }
}

/// The digits of two numbers side by side in one, those of the first lowest.
#[inline(always)]
fn joined<const A: usize, const B: usize>(first: [Bitboard; A], second: [Bitboard; B]) -> [u128; 8] {
    const { assert!(A + B <= 8) };
    let mut digits = [0; 8];
    for (digit, set) in digits.iter_mut().zip(first.iter().chain(&second)) {
        *digit = set.0;
    }
    digits
}

/// Queen moves that the features tell apart: no more need be flooded.
pub(super) const QUEEN_STEPS: usize = 3;

/// The class of each square by the number of queen moves: 0 for one, 1 for two, 2 for three, 3 for four or more, 4 for
/// never (and for squares that are taken).
#[inline(always)]
fn queen_class(maps: &DistanceMaps, side: Side) -> [Bitboard; 3] {
    let within = |steps| maps.queen.within(steps).of(side.index());
    // Queens reach what kings reach, and their own map may end after [`QUEEN_STEPS`].
    let ever = maps.king.reachable().of(side.index());
    [(within(2) - within(1)) | (ever - within(3)), ever - within(2), !ever]
}

/// The class of each square by the number of king moves: 0 for one up to 4 for five, 5 for six or more, 6 for never.
#[inline(always)]
fn king_class(maps: &DistanceMaps, side: Side) -> [Bitboard; 3] {
    let within = |steps| maps.king.within(steps).of(side.index());
    let ever = maps.king.reachable().of(side.index());
    let odd = (within(2) - within(1)) | (within(4) - within(3)) | (ever - within(5));
    [odd, (within(4) - within(2)) | !ever, !within(4)]
}

/// For each direction `d` the squares `s` whose next three in the opposite direction are empty: `s - d`, `s - 2d`,
/// `s - 3d`.
#[inline(always)]
fn thirds_of(empty: Bitboard) -> [Bitboard; 8] {
    DIRECTIONS.map(|direction| {
        let two = empty & empty.shifted(direction);
        (empty & two.shifted(direction)).shifted(direction)
    })
}

/// The neighbours of each square, walls and what lies beyond the board included.
static NEIGHBOURS: [Bitboard; 128] = neighbours();

const fn neighbours() -> [Bitboard; 128] {
    let mut neighbours = [Bitboard::EMPTY; 128];
    let mut square = 0;
    while square < FRAME {
        let set = Bitboard(1 << square);
        neighbours[square].0 = set.with_neighbours().0 & !set.0;
        square += 1;
    }
    neighbours
}

/// How many of these amazons are beside each square, seven at most.
#[inline(always)]
fn amazons_beside(amazons: Bitboard) -> [Bitboard; 3] {
    let [mut ones, mut twos, mut fours, mut eights] = [Bitboard::EMPTY; 4];
    for amazon in amazons {
        let near = NEIGHBOURS[amazon.index() & 127];
        let two = ones & near;
        let four = twos & two;
        let eight = fours & four;
        (ones, twos, fours, eights) = (ones ^ near, twos ^ two, fours ^ four, eights | eight);
    }
    [ones | eights, twos | eights, fours | eights]
}

/// The empty neighbours of that one of these amazons beside each square which has the fewest, 15 where there is
/// none.
#[inline(always)]
fn most_confined_beside(amazons: Bitboard, empty: Bitboard) -> [Bitboard; 4] {
    // The squares beside an amazon with 0, 1 ... 8 empty neighbours.
    let mut beside = [Bitboard::EMPTY; 16];
    for amazon in amazons {
        let near = NEIGHBOURS[amazon.index() & 127];
        beside[(near & empty).len() as usize & 15] |= near;
    }
    // With at most so many.
    for count in 1..=8 {
        beside[count] |= beside[count - 1];
    }
    let [to_0, to_1, to_2, to_3, to_4, to_5, to_6, to_7, to_8, ..] = beside;
    let none = !to_8;
    let ones = (to_1 - to_0) | (to_3 - to_2) | (to_5 - to_4) | (to_7 - to_6);
    [ones | none, (to_3 - to_1) | (to_7 - to_5) | none, (to_7 - to_3) | none, !to_7]
}

/// Where each square of a board of each size lies: `b * (b + 1) / 2 + a`, where `a <= b` are its distances
/// from the nearest edges in both directions, four at most.
static LOCATIONS: [[Bitboard; 4]; 11] = locations();

const fn locations() -> [[Bitboard; 4]; 11] {
    const fn from_edge(place: usize, edge: usize) -> usize {
        let other = edge - 1 - place;
        let nearest = if place < other { place } else { other };
        if nearest < 4 { nearest } else { 4 }
    }
    let mut planes = [[Bitboard::EMPTY; 4]; 11];
    let mut edge = 1;
    while edge < planes.len() {
        let mut square = 0;
        while square < edge * edge {
            let (column, row) = (square % edge, square / edge);
            let (x, y) = (from_edge(column, edge), from_edge(row, edge));
            let (a, b) = if x < y { (x, y) } else { (y, x) };
            let class = b * (b + 1) / 2 + a;
            let mut digit = 0;
            while digit < 4 {
                planes[edge][digit].0 |= ((class >> digit & 1) as u128) << (row * STRIDE + column);
                digit += 1;
            }
            square += 1;
        }
        edge += 1;
    }
    planes
}

const _: () = assert!(Size::STANDARD.edge() < LOCATIONS.len());

/// Steps of a slide.
#[inline(always)]
fn steps(from: Square, to: Square) -> usize {
    STEPS[from.index() & 127][to.index() & 127].into()
}

/// `[from][to]`: king moves from one square to another on an empty board.
static STEPS: [[u8; 128]; 128] = king_distances();

const fn king_distances() -> [[u8; 128]; 128] {
    let mut steps = [[0; 128]; 128];
    let mut from = 0;
    while from < FRAME {
        let mut to = 0;
        while to < FRAME {
            let columns = (from % STRIDE).abs_diff(to % STRIDE);
            let rows = (from / STRIDE).abs_diff(to / STRIDE);
            steps[from][to] = if columns > rows { columns } else { rows } as u8;
            to += 1;
        }
        from += 1;
    }
    steps
}

/// The denominator of a softmax: the sum of the [`odds`] of all these logits. Eight partial sums, which the compiler
/// keeps in lanes, in an order that does not depend on the processor.
#[inline(always)]
pub fn sum_of_odds(scores: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    let (chunks, rest) = scores.as_chunks::<8>();
    for chunk in chunks {
        for (sum, &score) in sums.iter_mut().zip(chunk) {
            *sum += odds(score);
        }
    }
    // The rest is filled up, so that it is done in lanes too.
    let mut last = [0.0; 8];
    for (place, &score) in last.iter_mut().zip(rest) {
        *place = score;
    }
    for (place, (sum, score)) in sums.iter_mut().zip(last).enumerate() {
        *sum += if place < rest.len() { odds(score) } else { 0.0 };
    }
    sums.iter().sum()
}

/// `exp(score)` with a relative error below 1e-4; scores are clamped to -80 to 80. `exp(x) = 2^k * exp(r)`, where k is
/// a whole number put into the exponent's bits, `|r| <= ln 2 / 2`, and `exp(r)` is a Taylor polynomial of degree 4.
#[inline(always)]
pub fn odds(score: f32) -> f32 {
    // 1.5 * 2^23: adding it rounds a small number to a whole one, which is then in the lowest bits of the significand.
    const ROUNDING: f32 = (3 << 22) as f32;
    let power = score.clamp(-80.0, 80.0) * std::f32::consts::LOG2_E;
    let shifted = power + ROUNDING;
    let rest = (power - (shifted - ROUNDING)) * std::f32::consts::LN_2;
    let whole = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    whole * (1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0)))))
}
