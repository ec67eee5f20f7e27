//! The policy: a log-linear model that rates half-moves before they are searched, fitted to the visit counts of longer
//! searches (`lab fit-policy`). The search turns its logits into priors.
//!
//! Every feature is categorical: a half-move has one class of each feature, and each class has a weight at each stage
//! of the game. The logit of a half-move is the sum of its classes' weights, plus the term of a
//! [`super::policy_network`]. Its probability is the softmax, `exp(logit) / sum over all half-moves of exp(logit)`.
//!
//! A class is an integer of packed bit fields, the first one lowest. Features of a movement ([`MOVEMENT_FEATURES`]):
//!
//! | feature | fields (bits) | classes |
//! |---|---|---|
//! | enemy distance to the end square | queen moves (3), king moves (3) | 2^6 |
//! | space around the end square | empty neighbours (4), directions with three empty squares (4) | 2^8 |
//! | amazons beside the end square | enemy's (3), own (3), movement is one step long (1) | 2^7 |
//! | space around the start square | empty neighbours (4), directions with three empty squares (4) | 2^8 |
//!
//! Features of an arrow ([`ARROW_FEATURES`]); all but the flight describe its target square:
//!
//! | feature | fields (bits) | classes |
//! |---|---|---|
//! | queen distance | own (3), enemy's (3) | 2^6 |
//! | king distance | own (3), enemy's (3) | 2^6 |
//! | space | empty neighbours (4), location (4) | 2^8 |
//! | enemy amazons beside it | number (3), fewest empty neighbours of one of them (4) | 2^7 |
//! | own amazons beside it | number (3), fewest empty neighbours of one of them (4) | 2^7 |
//! | flight | steps - 1 (4), target is the square that the amazon left (1) | 2^5 |
//! | confinement | fewest squares left in reach of an enemy amazon that could move here (4) | 2^4 |
//! | loss | blocked squares that only one enemy amazon reaches in one move (5) | 2^5 |
//!
//! The features are computed for all squares at once, bit-sliced over sets of squares, and then read per half-move.

use super::amazons::AMAZONS;
use super::distance::DistanceMaps;
use super::mobility::{neighbours_of, sliced_counts};
use super::ply::standard_ply;
use super::policy_network::PolicyNetwork;
use super::square_classes::{SQUARES, SquareClasses, SquareCodes, joined, queen_class};
use crate::board::bitboard::{Bitboard, for_directions};
use crate::board::moves::Movement;
use crate::board::position::{ArrowPhase, Position};
use crate::board::reach::{beyond, queen_reach};
use crate::board::square::{FRAME, STRIDE, Side, Size, Square};
use crate::simd::Lanes;

/// Number of game stages, each with its own weights.
pub const STAGES: usize = 4;

/// Plies of a 10x10 game ([`standard_ply`]) at which the second, third and fourth stage begin.
const STAGE_STARTS: [usize; STAGES - 1] = [14, 28, 44];

/// Number of classes of each movement feature, see the module comment.
pub const MOVEMENT_FEATURES: [usize; 4] = [1 << 6, 1 << 8, 1 << 7, 1 << 8];

/// Number of classes of each arrow feature, see the module comment.
pub const ARROW_FEATURES: [usize; 8] = [1 << 6, 1 << 6, 1 << 8, 1 << 7, 1 << 7, 1 << 5, 1 << 4, 1 << 5];

/// Returns the sum of the features' numbers of classes (values of a categorical feature).
pub const fn classes(features: &[usize]) -> usize {
    let mut sum = 0;
    let mut feature = 0;
    while feature < features.len() {
        sum += features[feature];
        feature += 1;
    }
    sum
}

/// Log-linear weights: `[stage]` holds the weights of all classes, feature after feature.
pub type PolicyWeights<const CLASSES: usize> = [[f32; CLASSES]; STAGES];

/// The policy of one kind of board (up to 8x8, or larger): linear weights, and networks that add a term to each logit.
#[derive(Clone, PartialEq, Debug)]
pub struct Policy {
    /// Weights of [`MOVEMENT_FEATURES`].
    pub movements: PolicyWeights<{ classes(&MOVEMENT_FEATURES) }>,
    /// Weights of [`ARROW_FEATURES`].
    pub arrows: PolicyWeights<{ classes(&ARROW_FEATURES) }>,
    /// Network that adds a term to the logits of movements.
    pub movement_network: PolicyNetwork,
    /// Network that adds a term to the logits of arrows.
    pub arrow_network: PolicyNetwork,
}

impl Policy {
    /// Returns the linear part of a movement's logit, without the term of [`Self::movement_network`].
    #[inline(always)]
    pub fn movement_logit(&self, stage: usize, features: &[usize; MOVEMENT_FEATURES.len()]) -> f32 {
        sum_of_weights(&self.movements[stage], &MOVEMENT_FEATURES, features)
    }

    /// Returns the linear part of an arrow's logit, without the term of [`Self::arrow_network`].
    #[inline(always)]
    pub fn arrow_logit(&self, stage: usize, features: &[usize; ARROW_FEATURES.len()]) -> f32 {
        sum_of_weights(&self.arrows[stage], &ARROW_FEATURES, features)
    }
}

/// Returns the stage of a position, 0 to 3.
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
        // The mask changes no class, since the sizes are powers of two; it saves a bounds check.
        sum += weights[first + (feature & (size - 1))];
        first += size;
    }
    sum
}

/// Class and network code of every square, from which the features of movements are read; computed once per position.
pub struct Movements {
    classes: SquareClasses<3>,
    /// Codes of the squares for the network.
    pub(super) codes: SquareCodes,
}

impl Movements {
    /// Computes the classes and codes from a position and its distance maps.
    #[inline(always)]
    pub fn new<L: Lanes>(position: &Position, maps: &DistanceMaps) -> Self {
        let (us, them) = (position.side(), position.side().opponent());
        let empty = position.empty();
        let classes = SquareClasses::new::<L>([
            joined(queen_class(maps, them), king_class(maps, them)),
            joined(sliced_counts(neighbours_of(empty)), sliced_counts(thirds_of(empty))),
            joined(amazons_beside(position.amazons(them)), amazons_beside(position.amazons(us))),
        ]);
        Self { classes, codes: SquareCodes::new::<L>(position, maps) }
    }

    /// Returns the square's classes for the first three movement features (see the table in the module comment). The
    /// third class lacks its bit for movements of one step, which [`Self::features`] adds.
    #[inline(always)]
    pub fn classes(&self, square: Square) -> [usize; 3] {
        self.classes.of(square)
    }

    /// Returns the class of a movement in each feature, in the order of the table in the module comment, from the
    /// [classes](Movements::classes) of its start and end square.
    #[inline(always)]
    pub fn features(
        &self,
        movement: Movement,
        start: [usize; 3],
        goal: [usize; 3],
    ) -> [usize; MOVEMENT_FEATURES.len()] {
        let is_step = steps(movement.from, movement.to) == 1;
        [goal[0], goal[1], goal[2] | usize::from(is_step) << 6, start[1]]
    }

    /// Calls `found` with every movement in this position and its [features](Self::features).
    #[inline(always)]
    pub fn for_each(
        &self,
        position: &Position,
        mut found: impl FnMut(Movement, [usize; MOVEMENT_FEATURES.len()]),
    ) {
        for (from, landings) in position.movement_groups() {
            let start = self.classes(from);
            for to in landings {
                let movement = Movement { from, to };
                found(movement, self.features(movement, start, self.classes(to)));
            }
        }
    }
}

/// Features of all arrows after a movement, by square: log-linear classes, and codes for the network.
pub struct Arrows {
    classes: SquareClasses<4>,
    /// The squares that the arrow can reach.
    targets: Bitboard,
    cuts: Cuts,
    /// Codes of the squares for the network. The code of an empty square is also its class in the queen-distance
    /// feature.
    pub(super) codes: SquareCodes,
}

impl Arrows {
    /// Computes the classes and codes from the board between the halves of a move and the distance maps of
    /// [`ArrowPhase::position`].
    #[inline(always)]
    pub fn new<L: Lanes>(arrow_phase: &ArrowPhase, maps: &DistanceMaps) -> Self {
        let position = arrow_phase.position();
        let (us, them) = (position.side(), position.side().opponent());
        let (ours, theirs) = (position.amazons(us), position.amazons(them));
        let empty = position.empty();
        let classes = SquareClasses::new::<L>([
            joined(king_class(maps, us), king_class(maps, them)),
            joined(sliced_counts(neighbours_of(empty)), LOCATIONS[position.size().edge()]),
            joined(amazons_beside(theirs), most_confined_beside(theirs, empty)),
            joined(amazons_beside(ours), most_confined_beside(ours, empty)),
        ]);
        let targets = arrow_phase.arrow_targets();
        let cuts = Cuts::new(theirs, empty, targets);
        Self { classes, targets, cuts, codes: SquareCodes::new::<L>(position, maps) }
    }

    /// Returns the class of an arrow in each feature, in the order of the table in the module comment.
    #[inline(always)]
    pub fn features(&self, arrow_phase: &ArrowPhase, arrow: Square) -> [usize; ARROW_FEATURES.len()] {
        let [kings, space, enemies, own] = self.classes.of(arrow);
        let is_origin = usize::from(arrow == arrow_phase.origin());
        [
            self.codes.of(arrow),
            kings,
            space,
            enemies,
            own,
            (steps(arrow_phase.amazon(), arrow) - 1) | is_origin << 4,
            self.cuts.kept[arrow.index() % SQUARES].into(),
            self.cuts.lost[arrow.index() % SQUARES].into(),
        ]
    }

    /// Calls `found` with every arrow after the movement and its [features](Self::features).
    #[inline(always)]
    pub fn for_each(
        &self,
        arrow_phase: &ArrowPhase,
        mut found: impl FnMut(Square, [usize; ARROW_FEATURES.len()]),
    ) {
        for arrow in self.targets {
            found(arrow, self.features(arrow_phase, arrow));
        }
    }
}

/// Returns each square's class by a side's king moves, bit-sliced: 0 for one to 4 for five, 5 for more, 6 for never.
#[inline(always)]
fn king_class(maps: &DistanceMaps, side: Side) -> [Bitboard; 3] {
    let within = |steps| maps.king.within(steps).of(side.index());
    let ever = maps.king.reachable().of(side.index());
    let odd = (within(2) - within(1)) | (within(4) - within(3)) | (ever - within(5));
    [odd, (within(4) - within(2)) | !ever, !within(4)]
}

/// Returns, for each direction `d`, the squares `s` with three empty squares in the opposite direction: `s - d`, `s -
/// 2d`, `s - 3d`.
#[inline(always)]
fn thirds_of(empty: Bitboard) -> [Bitboard; 8] {
    for_directions(|direction| {
        let two = empty & empty.shifted(direction);
        (empty & two.shifted(direction)).shifted(direction)
    })
}

/// The loss of enemy amazons by an arrow at each of its targets: of those that could move there, among the first
/// [`AMAZONS`] in square order.
struct Cuts {
    /// Fewest squares in reach that one of them keeps, at most 15; 15 if there are none.
    kept: [u8; SQUARES],
    /// Number of squares, at most 31, that one of them loses and that no other amazon of its side reaches in one move.
    lost: [u8; SQUARES],
}

impl Cuts {
    /// Computes the cuts at all `targets`.
    #[inline(always)]
    fn new(amazons: Bitboard, empty: Bitboard, targets: Bitboard) -> Self {
        let mut reach = [Bitboard::EMPTY; AMAZONS];
        let (mut any, mut several) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for (reach, amazon) in reach.iter_mut().zip(amazons) {
            *reach = queen_reach(amazon, empty);
            several |= any & *reach;
            any |= *reach;
        }
        let mut cuts = Self { kept: [15; SQUARES], lost: [0; SQUARES] };
        for (reach, amazon) in reach.into_iter().zip(amazons) {
            let (in_reach, once) = (reach.len(), reach - several);
            for target in reach & targets {
                let behind = beyond(amazon, target);
                let kept = in_reach - 1 - (reach & behind).len();
                let lost = (once & behind).len() + u32::from(once.contains(target));
                let at = target.index() % SQUARES;
                cuts.kept[at] = cuts.kept[at].min(kept as u8);
                cuts.lost[at] = (cuts.lost[at] + lost as u8).min(31);
            }
        }
        cuts
    }
}

/// Neighbours of each square, by square index, including walls and squares outside the board.
static NEIGHBOURS: [Bitboard; SQUARES] = neighbours();

const fn neighbours() -> [Bitboard; SQUARES] {
    let mut neighbours = [Bitboard::EMPTY; SQUARES];
    let mut square = 0;
    while square < FRAME {
        let set = Bitboard(1 << square);
        neighbours[square].0 = set.with_neighbours().0 & !set.0;
        square += 1;
    }
    neighbours
}

/// Counts the amazons next to each square, bit-sliced; counts above 7 become 7.
#[inline(always)]
fn amazons_beside(amazons: Bitboard) -> [Bitboard; 3] {
    let [mut ones, mut twos, mut fours, mut eights] = [Bitboard::EMPTY; 4];
    for amazon in amazons {
        let near = NEIGHBOURS[amazon.index() % SQUARES];
        let two = ones & near;
        let four = twos & two;
        let eight = fours & four;
        (ones, twos, fours, eights) = (ones ^ near, twos ^ two, fours ^ four, eights | eight);
    }
    [ones | eights, twos | eights, fours | eights]
}

/// Returns for each square, bit-sliced, the fewest empty neighbours of an amazon beside it; 15 if there is no amazon.
#[inline(always)]
fn most_confined_beside(amazons: Bitboard, empty: Bitboard) -> [Bitboard; 4] {
    // `beside[n]`: squares beside an amazon with n empty neighbours.
    let mut beside = [Bitboard::EMPTY; 16];
    for amazon in amazons {
        let near = NEIGHBOURS[amazon.index() % SQUARES];
        beside[(near & empty).len() as usize & 15] |= near;
    }
    // From here on, `beside[n]` means at most n empty neighbours.
    for count in 1..=8 {
        beside[count] |= beside[count - 1];
    }
    let [to_0, to_1, to_2, to_3, to_4, to_5, to_6, to_7, to_8, ..] = beside;
    let none = !to_8;
    let ones = (to_1 - to_0) | (to_3 - to_2) | (to_5 - to_4) | (to_7 - to_6);
    [ones | none, (to_3 - to_1) | (to_7 - to_5) | none, (to_7 - to_3) | none, !to_7]
}

/// Location class of each square, bit-sliced, indexed by the board's edge length: `b * (b + 1) / 2 + a`, where `a <= b`
/// are the distances from the nearest vertical and horizontal edge, in ascending order and capped at 4.
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

/// Returns the length of a slide in squares.
#[inline(always)]
fn steps(from: Square, to: Square) -> usize {
    STEPS[from.index() % SQUARES][to.index() % SQUARES].into()
}

/// `[from][to]`: number of king moves between two squares on an empty board, by square index.
static STEPS: [[u8; SQUARES]; SQUARES] = king_distances();

const fn king_distances() -> [[u8; SQUARES]; SQUARES] {
    let mut steps = [[0; SQUARES]; SQUARES];
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

/// Returns the denominator of a softmax: the sum of the [`odds`] of all logits.
// Eight partial sums, so that the compiler vectorizes the loop. The order of additions is the same on every processor.
#[inline(always)]
pub fn sum_of_odds(scores: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    let (chunks, rest) = scores.as_chunks::<8>();
    for chunk in chunks {
        for (sum, &score) in sums.iter_mut().zip(chunk) {
            *sum += odds(score);
        }
    }
    // The remaining logits are padded to eight, so that they are vectorized too.
    let mut last = [0.0; 8];
    for (place, &score) in last.iter_mut().zip(rest) {
        *place = score;
    }
    for (place, (sum, score)) in sums.iter_mut().zip(last).enumerate() {
        *sum += if place < rest.len() { odds(score) } else { 0.0 };
    }
    sums.iter().sum()
}

/// Replaces logits by their softmax, by [`odds`].
#[inline(always)]
pub(super) fn softmax(logits: &mut [f32]) {
    let best = highest(logits);
    logits.iter_mut().for_each(|logit| *logit -= best);
    let share = sum_of_odds(logits).recip();
    logits.iter_mut().for_each(|logit| *logit = odds(*logit) * share);
}

/// Returns the highest logit; negative infinity without any.
// Eight partial maxima, so that the compiler vectorizes the loop.
#[inline(always)]
fn highest(logits: &[f32]) -> f32 {
    let higher = |a: f32, b: f32| if a > b { a } else { b };
    let mut best = [f32::NEG_INFINITY; 8];
    let (chunks, rest) = logits.as_chunks::<8>();
    for chunk in chunks {
        for (best, &logit) in best.iter_mut().zip(chunk) {
            *best = higher(logit, *best);
        }
    }
    best.iter().chain(rest).fold(f32::NEG_INFINITY, |best, &logit| higher(logit, best))
}

/// Approximates `exp(score)` with a relative error below 1e-4; clamps scores to -80..80. `exp(x) = 2^k * exp(r)`: the
/// integer k goes into the exponent bits, `|r| <= ln 2 / 2`, and `exp(r)` is a Taylor polynomial of degree 4.
#[inline(always)]
pub fn odds(score: f32) -> f32 {
    // 1.5 * 2^23: adding it rounds to an integer, which is then in the lowest bits of the significand.
    const ROUNDING: f32 = (3 << 22) as f32;
    let power = score.clamp(-80.0, 80.0) * std::f32::consts::LOG2_E;
    let shifted = power + ROUNDING;
    let rest = (power - (shifted - ROUNDING)) * std::f32::consts::LN_2;
    let whole = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    whole * (1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0)))))
}
