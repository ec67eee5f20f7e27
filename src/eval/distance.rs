//! Distance maps: what each side reaches in one, two, three ... queen moves and king moves.
//!
//! Queen moves are flooded by [Kogge-Stone](https://www.chessprogramming.org/Kogge-Stone_Algorithm) occluded fills: in
//! four doubling steps a set slides as far as it can in one direction, two directions and both sides at once. King
//! moves spread by one neighbourhood a step. Both end when nothing new is reached; the king flood, which is the
//! cheaper, runs first and tells the queen flood what can be reached at all.

use super::mobility::tally_on_lanes;
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::simd::{Boards, Kernel, Lanes, SidePair, SimdTask};

/// No square of a 10x10 board is further away than this.
const MOST_STEPS: usize = 100;

/// What each side reaches within 0, 1, 2 ... steps.
#[derive(Clone, Debug)]
pub struct Levels {
    /// `reached[k]`: the empty squares within `k` steps; valid up to `last`, empty for `k = 0`.
    reached: [SidePair; MOST_STEPS + 1],
    last: usize,
}

impl Levels {
    pub(super) fn new() -> Self {
        Self { reached: [SidePair::default(); MOST_STEPS + 1], last: 0 }
    }

    /// The levels of both sides from those of Black alone and of White alone.
    pub(super) fn united([black, white]: &[Self; 2]) -> Self {
        let mut united = Self::new();
        united.last = black.last.max(white.last);
        for step in 0..=united.last {
            let (black, white) = (black.reached[step.min(black.last)], white.reached[step.min(white.last)]);
            united.reached[step] = black.or(white);
        }
        united
    }

    /// `[k]` is what each side reaches within `k` steps, up to the last `k` that adds a square.
    #[inline(always)]
    pub fn reached(&self) -> &[SidePair] {
        &self.reached[..=self.last]
    }

    /// What each side reaches within 1, 2 ... steps, up to the last that adds a square.
    #[inline(always)]
    pub(super) fn steps(&self) -> &[SidePair] {
        &self.reached[1..=self.last]
    }

    /// What each side reaches within so many steps, which may be more than there are.
    #[inline(always)]
    pub fn within(&self, steps: usize) -> SidePair {
        self.reached[steps.min(self.last)]
    }

    /// All that each side reaches in any number of steps.
    #[inline(always)]
    pub fn reachable(&self) -> SidePair {
        self.reached[self.last]
    }

    #[inline(always)]
    fn start(&mut self) {
        self.reached[0] = SidePair::default();
        self.last = 0;
    }

    /// Adds one more step; `false`, and nothing added, when it reaches nothing new.
    #[inline(always)]
    fn push(&mut self, reached: SidePair) -> bool {
        if reached == self.reached[self.last] || self.last == MOST_STEPS {
            return false;
        }
        self.last += 1;
        self.reached[self.last] = reached;
        true
    }
}

/// The distances of one position, by queen moves and by king moves. Meant to be kept and refilled.
#[derive(Clone, Debug)]
pub struct DistanceMaps {
    /// By queen moves.
    pub queen: Levels,
    /// By king moves.
    pub king: Levels,
}

impl Default for DistanceMaps {
    fn default() -> Self {
        Self { queen: Levels::new(), king: Levels::new() }
    }
}

impl DistanceMaps {
    /// Fills the maps for a position.
    pub fn flood(&mut self, position: &Position, kernel: Kernel) {
        struct Flood<'a>(&'a mut DistanceMaps, &'a Position);
        impl SimdTask for Flood<'_> {
            type Output = ();
            #[inline(always)]
            fn run<L: Lanes>(self) {
                self.0.flood_with::<L>(self.1);
            }
        }
        kernel.dispatch(Flood(self, position));
    }

    /// Fills only the map of queen moves.
    pub fn flood_queen_only(&mut self, position: &Position, kernel: Kernel) {
        struct FloodQueenOnly<'a>(&'a mut DistanceMaps, &'a Position);
        impl SimdTask for FloodQueenOnly<'_> {
            type Output = ();
            #[inline(always)]
            fn run<L: Lanes>(self) {
                self.0.flood_queen_only_with::<L>(self.1);
            }
        }
        kernel.dispatch(FloodQueenOnly(self, position));
    }

    #[inline(always)]
    fn flood_queen_only_with<L: Lanes>(&mut self, position: &Position) {
        let amazons = Boards::<L>::of_sides(position.all_amazons());
        flood_queen(amazons, position.empty(), SidePair::UNKNOWN, &mut self.queen);
    }

    /// Fills the maps by the kernel that the caller was compiled for.
    #[inline(always)]
    pub(crate) fn flood_with<L: Lanes>(&mut self, position: &Position) {
        self.flood_queen_steps::<L>(position, MOST_STEPS);
    }

    /// The map of queen moves up to so many, from what each side reaches in one and in two; that of king moves is
    /// there.
    #[inline(always)]
    pub(super) fn queen_from<L: Lanes>(
        &mut self,
        [one, two]: [Boards<L>; 2],
        slides: &Slides<L>,
        steps: usize,
    ) {
        self.queen.start();
        if self.queen.push(one.sides()) && self.queen.push(two.sides()) {
            spread_queen(slides, two, self.king.reachable(), &mut self.queen, steps);
        }
    }

    /// Fills the map of king moves, and that of queen moves for so many steps.
    #[inline(always)]
    pub(super) fn flood_queen_steps<L: Lanes>(&mut self, position: &Position, steps: usize) {
        let amazons = Boards::<L>::of_sides(position.all_amazons());
        flood_king(amazons, position.empty(), &mut self.king);
        self.queen.start();
        let slides = Slides::new(Boards::splat(position.empty()));
        spread_queen(&slides, amazons, self.king.reachable(), &mut self.queen, steps);
    }

    /// Fills the maps, given the first level of the queen flood: what each side reaches in one queen move.
    #[inline(always)]
    pub(super) fn flood_beyond<L: Lanes>(&mut self, position: &Position, one_move: Boards<L>) {
        let amazons = Boards::<L>::of_sides(position.all_amazons());
        flood_king(amazons, position.empty(), &mut self.king);
        self.queen.start();
        self.queen.push(one_move.sides());
        let slides = Slides::new(Boards::splat(position.empty()));
        spread_queen(&slides, one_move, self.king.reachable(), &mut self.queen, MOST_STEPS);
    }
}

/// Spreads by one king move a step until nothing new is reached.
#[inline(always)]
pub(super) fn flood_king<L: Lanes>(amazons: Boards<L>, empty: Bitboard, levels: &mut Levels) {
    let empty = Boards::splat(empty);
    let mut reached = amazons;
    levels.start();
    loop {
        let wide = reached.or(reached.up(1, 1)).or(reached.down(1, 1));
        reached = wide.or(wide.up(11, 11)).or(wide.down(11, 11)).and(empty);
        if !levels.push(reached.sides()) {
            return;
        }
    }
}

/// Slides by one queen move a step until all that is `reachable` is reached.
#[inline(always)]
pub(super) fn flood_queen<L: Lanes>(
    amazons: Boards<L>,
    empty: Bitboard,
    reachable: SidePair,
    levels: &mut Levels,
) {
    levels.start();
    spread_queen(&Slides::new(Boards::splat(empty)), amazons, reachable, levels, MOST_STEPS);
}

/// Adds the steps that lead on from what is `reached`, up to so many levels.
#[inline(always)]
fn spread_queen<L: Lanes>(
    slides: &Slides<L>,
    mut reached: Boards<L>,
    reachable: SidePair,
    levels: &mut Levels,
    most: usize,
) {
    while levels.last < most && levels.reachable() != reachable {
        reached = slides.from(reached);
        if !levels.push(reached.sides()) {
            return;
        }
    }
}

/// The binary digits of the number of a side's amazons that can go to each square in one move, three at most. An amazon
/// stops those behind it: from each direction at most one comes.
#[inline(always)]
pub(super) fn attackers<L: Lanes>(position: &Position, side: Side) -> [Bitboard; 2] {
    let slides = Slides::<L>::new(Boards::splat(position.empty()));
    let [a, b, c, d] = slides.by_direction(Boards::of_sides(position.all_amazons()));
    let [ones, twos, fours, eights] =
        tally_on_lanes([a.and(slides.empty), b.and(slides.empty), c.and(slides.empty), d.and(slides.empty)]);
    let more = fours.or(eights);
    [SidePair::from_lanes(ones.or(more)), SidePair::from_lanes(twos.or(more))]
        .map(|digit| digit.of(side.index()))
}

/// The directions of the first pair: right, and up to the left, as differences of square numbers.
const FLAT: (u32, u32) = (1, 10);
/// Those of the second pair: up, and up to the right.
const STEEP: (u32, u32) = (11, 12);

/// Runs of 1, 2 and 4 empty squares in each direction, of which any slide is made: 1 + 2 + 4 + ... steps.
pub(super) struct Slides<L> {
    empty: Boards<L>,
    up_flat: Runs<L>,
    up_steep: Runs<L>,
    down_flat: Runs<L>,
    down_steep: Runs<L>,
}

/// The propagators of Kogge-Stone in two directions.
struct Runs<L> {
    /// The last squares of runs of two empty squares.
    two: Boards<L>,
    /// The last squares of runs of four.
    four: Boards<L>,
}

impl<L: Lanes> Runs<L> {
    #[inline(always)]
    fn up(empty: Boards<L>, (a, b): (u32, u32)) -> Self {
        let two = empty.and(empty.up(a, b));
        Self { two, four: two.and(two.up(2 * a, 2 * b)) }
    }

    #[inline(always)]
    fn down(empty: Boards<L>, (a, b): (u32, u32)) -> Self {
        let two = empty.and(empty.down(a, b));
        Self { two, four: two.and(two.down(2 * a, 2 * b)) }
    }
}

impl<L: Lanes> Slides<L> {
    #[inline(always)]
    pub(super) fn new(empty: Boards<L>) -> Self {
        Self {
            empty,
            up_flat: Runs::up(empty, FLAT),
            up_steep: Runs::up(empty, STEEP),
            down_flat: Runs::down(empty, FLAT),
            down_steep: Runs::down(empty, STEEP),
        }
    }

    /// The empty squares that a queen on one of `sources` slides to, and those of `sources` that are
    /// empty themselves.
    #[inline(always)]
    pub(super) fn from(&self, sources: Boards<L>) -> Boards<L> {
        if L::ARE_PORTABLE { self.slide_out_of_line(sources) } else { self.slide(sources) }
    }

    #[inline(never)]
    fn slide_out_of_line(&self, sources: Boards<L>) -> Boards<L> {
        self.slide(sources)
    }

    #[inline(always)]
    fn slide(&self, sources: Boards<L>) -> Boards<L> {
        let [a, b, c, d] = self.by_direction(sources);
        a.or(b).or(c).or(d).and(self.empty).merged()
    }

    /// The same by directions, with the sources themselves.
    #[inline(always)]
    fn by_direction(&self, sources: Boards<L>) -> [Boards<L>; 4] {
        [
            self.up(sources, &self.up_flat, FLAT),
            self.up(sources, &self.up_steep, STEEP),
            self.down(sources, &self.down_flat, FLAT),
            self.down(sources, &self.down_steep, STEEP),
        ]
    }

    /// Slides up in the two directions of a pair. The steps 1 + 2 + 4 + 4 cover the longest slide, nine
    /// squares.
    #[inline(always)]
    fn up(&self, sources: Boards<L>, runs: &Runs<L>, (a, b): (u32, u32)) -> Boards<L> {
        let mut slide = sources;
        slide = slide.or(slide.up(a, b).and(self.empty));
        slide = slide.or(slide.up(2 * a, 2 * b).and(runs.two));
        slide = slide.or(slide.up(4 * a, 4 * b).and(runs.four));
        slide.or(slide.up(4 * a, 4 * b).and(runs.four))
    }

    /// Slides down in the two directions of a pair.
    #[inline(always)]
    fn down(&self, sources: Boards<L>, runs: &Runs<L>, (a, b): (u32, u32)) -> Boards<L> {
        let mut slide = sources;
        slide = slide.or(slide.down(a, b).and(self.empty));
        slide = slide.or(slide.down(2 * a, 2 * b).and(runs.two));
        slide = slide.or(slide.down(4 * a, 4 * b).and(runs.four));
        slide.or(slide.down(4 * a, 4 * b).and(runs.four))
    }
}
