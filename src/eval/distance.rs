//! Distance maps: the squares that each side reaches in one, two, three ... queen moves and king moves.
//!
//! Queen moves are flooded by [Kogge-Stone](https://www.chessprogramming.org/Kogge-Stone_Algorithm) occluded fills:
//! four doubling steps slide a set as far as possible, in two directions and for both sides at once. King moves spread
//! by one neighbourhood per step. Both floods end when no new square is reached. The cheaper king flood runs first; it
//! yields all reachable squares, so that the queen flood can stop early.

use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::simd::{Boards, Kernel, Lanes, SidePair, dispatch};

/// Upper bound on distances on a 10x10 board, in moves.
pub(super) const MAX_STEPS: usize = 100;

/// Squares that each side reaches within k steps, for each k; a step is a queen move or a king move.
#[derive(Clone, Debug)]
pub struct Levels {
    /// `reached[k]`: empty squares within `k` steps; valid up to `last`, empty for `k = 0`.
    reached: [SidePair; MAX_STEPS + 1],
    last: usize,
}

impl Levels {
    pub(super) fn new() -> Self {
        Self { reached: [SidePair::default(); MAX_STEPS + 1], last: 0 }
    }

    /// Merges the levels of Black and of White, which were computed separately.
    pub(super) fn united([black, white]: &[Self; 2]) -> Self {
        let mut united = Self::new();
        united.last = black.last.max(white.last);
        for step in 0..=united.last {
            let (black, white) = (black.reached[step.min(black.last)], white.reached[step.min(white.last)]);
            united.reached[step] = black.or(white);
        }
        united
    }

    /// Returns the levels: index `k` holds the squares within `k` steps, up to the last `k` that adds a square.
    #[inline(always)]
    pub fn reached(&self) -> &[SidePair] {
        &self.reached[..=self.last]
    }

    /// Returns [`Self::reached()`] without index 0: index `k` holds the squares within `k + 1` steps.
    #[inline(always)]
    pub(super) fn steps(&self) -> &[SidePair] {
        &self.reached[1..=self.last]
    }

    /// Returns the squares within `steps` steps; `steps` can exceed the last level.
    #[inline(always)]
    pub fn within(&self, steps: usize) -> SidePair {
        self.reached[steps.min(self.last)]
    }

    /// Returns the squares within any number of steps.
    #[inline(always)]
    pub fn reachable(&self) -> SidePair {
        self.reached[self.last]
    }

    #[inline(always)]
    fn start(&mut self) {
        self.reached[0] = SidePair::default();
        self.last = 0;
    }

    /// Adds a level. Returns `false` and adds nothing if `reached` has no new square or all levels are in use.
    #[inline(always)]
    fn push(&mut self, reached: SidePair) -> bool {
        if reached == self.reached[self.last] || self.last == MAX_STEPS {
            return false;
        }
        self.last += 1;
        self.reached[self.last] = reached;
        true
    }
}

/// Distance maps of one position, by queen moves and by king moves. The struct is large: reuse it between positions.
#[derive(Clone, Debug)]
pub struct DistanceMaps {
    /// Distances by queen moves.
    pub queen: Levels,
    /// Distances by king moves.
    pub king: Levels,
}

impl Default for DistanceMaps {
    fn default() -> Self {
        Self { queen: Levels::new(), king: Levels::new() }
    }
}

impl DistanceMaps {
    /// Fills both maps for a position.
    #[inline]
    pub fn flood(&mut self, position: &Position, kernel: Kernel) {
        dispatch!(kernel, L => self.flood_queen_steps::<L>(position, MAX_STEPS));
    }

    /// Fills only the queen map.
    pub fn flood_queen_only(&mut self, position: &Position, kernel: Kernel) {
        dispatch!(kernel, L => {
            let amazons = Boards::<L>::of_sides(position.all_amazons());
            flood_queen(amazons, position.empty(), SidePair::UNKNOWN, &mut self.queen);
        });
    }

    /// Fills the queen map up to `steps` moves, given the squares within one and two queen moves. The king map must be
    /// filled first.
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

    /// Fills the king map completely and the queen map up to `steps` moves.
    #[inline(always)]
    pub(super) fn flood_queen_steps<L: Lanes>(&mut self, position: &Position, steps: usize) {
        let amazons = Boards::<L>::of_sides(position.all_amazons());
        flood_king(amazons, position.empty(), &mut self.king);
        self.queen.start();
        let slides = Slides::new(Boards::splat(position.empty()));
        spread_queen(&slides, amazons, self.king.reachable(), &mut self.queen, steps);
    }

    /// Fills both maps, given the squares within one queen move.
    #[inline(always)]
    pub(super) fn flood_beyond<L: Lanes>(&mut self, position: &Position, one_move: Boards<L>) {
        let amazons = Boards::<L>::of_sides(position.all_amazons());
        flood_king(amazons, position.empty(), &mut self.king);
        self.queen.start();
        self.queen.push(one_move.sides());
        let slides = Slides::new(Boards::splat(position.empty()));
        spread_queen(&slides, one_move, self.king.reachable(), &mut self.queen, MAX_STEPS);
    }
}

/// Floods by one king move per step until no new square is reached.
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

/// Floods by one queen move per step until every `reachable` square is reached or no new square is.
#[inline(always)]
pub(super) fn flood_queen<L: Lanes>(
    amazons: Boards<L>,
    empty: Bitboard,
    reachable: SidePair,
    levels: &mut Levels,
) {
    levels.start();
    spread_queen(&Slides::new(Boards::splat(empty)), amazons, reachable, levels, MAX_STEPS);
}

/// Adds levels of queen moves, starting from the squares `reached`, until `levels` has `most` levels or covers all
/// `reachable` squares, or a queen move adds no square.
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

/// Flat pair of directions, as square-index offsets: right and up-left.
const FLAT: (u32, u32) = (1, 10);
/// Steep pair of directions, as square-index offsets: up and up-right.
const STEEP: (u32, u32) = (11, 12);

/// Kogge-Stone propagators for all directions. A slide consists of shifts by 1, 2, 4 and 4 squares over empty squares.
pub(super) struct Slides<L> {
    empty: Boards<L>,
    up_flat: Runs<L>,
    up_steep: Runs<L>,
    down_flat: Runs<L>,
    down_steep: Runs<L>,
}

/// Kogge-Stone propagators in two directions.
struct Runs<L> {
    /// Empty squares whose predecessor in the slide direction is empty too.
    two: Boards<L>,
    /// Empty squares whose three predecessors in the slide direction are empty too.
    four: Boards<L>,
}

impl<L: Lanes> Runs<L> {
    #[inline(always)]
    fn new<const UP: bool>(empty: Boards<L>, (a, b): (u32, u32)) -> Self {
        let two = empty.and(empty.moved::<UP>(a, b));
        Self { two, four: two.and(two.moved::<UP>(2 * a, 2 * b)) }
    }
}

impl<L: Lanes> Slides<L> {
    #[inline(always)]
    pub(super) fn new(empty: Boards<L>) -> Self {
        Self {
            empty,
            up_flat: Runs::new::<true>(empty, FLAT),
            up_steep: Runs::new::<true>(empty, STEEP),
            down_flat: Runs::new::<false>(empty, FLAT),
            down_steep: Runs::new::<false>(empty, STEEP),
        }
    }

    /// Returns the empty squares within one queen move of `sources`, including the empty squares of `sources`.
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

    /// Returns the squares reached from `sources` by a slide, sources included, for each pair of directions.
    #[inline(always)]
    fn by_direction(&self, sources: Boards<L>) -> [Boards<L>; 4] {
        [
            self.slide_along::<true>(sources, &self.up_flat, FLAT),
            self.slide_along::<true>(sources, &self.up_steep, STEEP),
            self.slide_along::<false>(sources, &self.down_flat, FLAT),
            self.slide_along::<false>(sources, &self.down_steep, STEEP),
        ]
    }

    /// Slides in directions `a` and `b`, up or down. The steps 1 + 2 + 4 + 4 cover the longest slide, nine squares.
    #[inline(always)]
    fn slide_along<const UP: bool>(&self, from: Boards<L>, runs: &Runs<L>, (a, b): (u32, u32)) -> Boards<L> {
        let mut slide = from;
        slide = slide.or(slide.moved::<UP>(a, b).and(self.empty));
        slide = slide.or(slide.moved::<UP>(2 * a, 2 * b).and(runs.two));
        slide = slide.or(slide.moved::<UP>(4 * a, 4 * b).and(runs.four));
        slide.or(slide.moved::<UP>(4 * a, 4 * b).and(runs.four))
    }
}
