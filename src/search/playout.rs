//! Playouts to the end of the game: thousands of random half-moves for one bit, who won.
//!
//! Bitboards are the wrong tool here. All that a random half-move needs is how far each amazon can
//! slide in each direction, so the board is kept as its rows, columns and diagonals, one word each (compare rotated
//! bitboards, <https://www.chessprogramming.org/Rotated_Bitboards>): a slide is the run of empty squares beside the
//! amazon, found in a table, and to draw one of all landings is to draw a number.

use crate::board::bitboard::Bitboard;
use crate::board::position::{Position, Rules};
use crate::board::square::{FRAME, STRIDE, Side};
use fastrand::Rng;

/// Lines of the board: 10 rows, 10 columns, 19 diagonals of either kind.
const LINES: usize = 10 + 10 + 19 + 19;

/// For each square its row, its column and its two diagonals, up to the right and up to the left: the number of the
/// line and the square's place on it. Lines 0..10 are rows, 10..20 columns, 20..39 and 39..58 diagonals.
static PLACES: [[(u8, u8); 4]; 128] = places();

const fn places() -> [[(u8, u8); 4]; 128] {
    let mut places = [[(0, 0); 4]; 128];
    let mut square = 0;
    while square < FRAME {
        let (x, y) = ((square % STRIDE) as u8, (square / STRIDE) as u8);
        if x < 10 {
            places[square] = [(y, x), (10 + x, y), (20 + 9 + x - y, y), (39 + x + y, y)];
        }
        square += 1;
    }
    places
}

/// `RUNS[place][empty]`: the lengths of the runs of empty squares beside a place of a line whose empty squares are the
/// set bits of `empty`. Bits 0..8 = upwards, bits 8..16 = downwards.
static RUNS: [[u16; 1024]; 16] = runs();

const fn runs() -> [[u16; 1024]; 16] {
    let mut runs = [[0; 1024]; 16];
    let mut place = 0;
    while place < 10 {
        let mut empty = 0u32;
        while empty < 1024 {
            let up = (empty >> place >> 1).trailing_ones();
            let down = (empty << (31 - place) << 1).leading_ones();
            runs[place][empty as usize] = (up | down << 8) as u16;
            empty += 1;
        }
        place += 1;
    }
    runs
}

/// Most amazons of a side that a playout can hold.
pub const MOST_AMAZONS: usize = 4;

/// The amazons of one side.
#[derive(Clone, Copy)]
struct Team {
    squares: [u8; MOST_AMAZONS],
    count: usize,
}

impl Team {
    /// `None` if there are too many.
    #[inline(always)]
    fn new(amazons: Bitboard) -> Option<Self> {
        let mut team = Self { squares: [0; MOST_AMAZONS], count: 0 };
        for square in amazons {
            *team.squares.get_mut(team.count)? = square.index() as u8;
            team.count += 1;
        }
        Some(team)
    }
}

/// The empty squares of each line, a bit each by their place on it.
#[derive(Clone, Debug)]
struct Lines([u32; LINES]);

impl Lines {
    /// Makes an empty square taken, or a taken one empty.
    #[inline(always)]
    fn flip(&mut self, square: u8) {
        for (line, place) in PLACES[usize::from(square) & 127] {
            self.0[usize::from(line)] ^= 1 << (place & 15);
        }
    }

    /// How far a queen here can slide.
    #[inline(always)]
    fn slides(&self, from: u8) -> Slides {
        let mut steps = 0;
        for (direction, &(line, place)) in PLACES[usize::from(from) & 127].iter().enumerate() {
            let empty = self.0[usize::from(line)] as usize & 1023;
            steps |= u64::from(RUNS[usize::from(place & 15)][empty]) << (16 * direction);
        }
        Slides(steps)
    }
}

/// The squares that can be slid over in each direction, a byte each: up and down each line in turn. They are
/// at most 9, and all together at most 35.
#[derive(Clone, Copy, Default)]
struct Slides(u64);

/// The directions in the order of [`Slides`]: right, left, up, down, and along the two diagonals.
const STEPS: [i8; 8] = [1, -1, 11, -11, 12, -12, 10, -10];

impl Slides {
    /// How many landings there are.
    #[inline(always)]
    fn count(self) -> u32 {
        (self.0.wrapping_mul(BYTES) >> 56) as u32
    }

    /// Landing number `n`.
    #[inline(always)]
    fn landing(self, from: u8, n: u32) -> u8 {
        let (direction, n) = nth::<8>(self.0, n);
        (i32::from(from) + i32::from(STEPS[direction & 7]) * (n as i32 + 1)) as u8
    }
}

/// A one in each byte of a word: times this, a word has the sum of its bytes in the highest byte.
const BYTES: u64 = u64::MAX / 0xff;

/// `counts` packs 64/BITS counters; returns the counter into whose range item `n` falls, and the item's index
/// inside it. Counters and their sum stay below 2^(BITS-1).
///
/// One multiplication makes all prefix sums, one subtraction compares `n` with all of them: no branch, since a
/// random `n` cannot be predicted (SWAR, <https://www.chessprogramming.org/SIMD_and_SWAR_Techniques>).
#[inline(always)]
fn nth<const BITS: u32>(counts: u64, n: u32) -> (usize, u32) {
    let ones = u64::MAX / ((1 << BITS) - 1);
    let signs = ones << (BITS - 1);
    let sums = counts.wrapping_mul(ones);
    // The sign bit of a counter stays set where n is at least its prefix sum: so many counters are passed.
    let passed = (((u64::from(n) * ones) | signs) - sums) & signs;
    let passed = passed >> (BITS - 1);
    let index = (passed.wrapping_mul(ones) >> (64 - BITS)) as u32;
    let before = sums << BITS >> (BITS * index) & ((1 << BITS) - 1);
    (index as usize, n - before as u32)
}

/// Plays games to their end. It holds the lines of the position that the last one began from, since the next one begins
/// from a similar one.
///
/// ```
/// use fastrand::Rng;
/// use otrera::search::playout::Playouts;
/// use otrera::{Position, Side};
/// // White cannot move and loses whatever happens.
/// let lost = Position::from_picture("WX..\nXX..\n....\n...B", Side::White).unwrap();
/// assert_eq!(Playouts::default().winner(&lost, &mut Rng::with_seed(1)), Some(Side::Black));
/// ```
#[derive(Clone, Debug)]
pub struct Playouts {
    empty: Bitboard,
    lines: Lines,
}

impl Default for Playouts {
    fn default() -> Self {
        Self { empty: Bitboard::EMPTY, lines: Lines([0; LINES]) }
    }
}

impl Playouts {
    /// The winner of a game that is played to its end with random half-moves, all movements and then all
    /// arrows equally likely. `None` if a side has more than [`MOST_AMAZONS`].
    #[inline(always)]
    pub fn winner(&mut self, position: &Position, rng: &mut Rng) -> Option<Side> {
        let mut teams =
            [Team::new(position.amazons(Side::Black))?, Team::new(position.amazons(Side::White))?];
        for square in self.empty ^ position.empty() {
            self.lines.flip(square.index() as u8);
        }
        self.empty = position.empty();
        let mut lines = self.lines.clone();
        let mut side = position.side();
        while position.rules() == Rules::Standard || blocked(&lines, &teams).is_none() {
            if !random_move(&mut lines, &mut teams[side.index()], rng) {
                return Some(side.opponent());
            }
            side = side.opponent();
        }
        blocked(&lines, &teams).map(Side::opponent)
    }
}

/// The side that cannot move; as in [`Position::winner`] White is looked at first.
fn blocked(lines: &Lines, teams: &[Team; 2]) -> Option<Side> {
    [Side::White, Side::Black].into_iter().find(|side| {
        let team = &teams[side.index()];
        team.squares[..team.count].iter().all(|&amazon| lines.slides(amazon).count() == 0)
    })
}

/// Moves a random amazon and shoots a random arrow; `false` if no amazon can move.
#[inline(always)]
fn random_move(lines: &mut Lines, team: &mut Team, rng: &mut Rng) -> bool {
    let mut slides = [Slides::default(); MOST_AMAZONS];
    let mut counts = 0;
    let mut all = 0;
    for (amazon, slides) in slides[..team.count].iter_mut().enumerate() {
        *slides = lines.slides(team.squares[amazon]);
        counts |= u64::from(slides.count()) << (16 * amazon);
        all += slides.count();
    }
    if all == 0 {
        return false;
    }
    let (amazon, n) = nth::<16>(counts, rng.u32(..all));
    let from = team.squares[amazon & 3];
    let to = slides[amazon & 3].landing(from, n);
    lines.flip(from);
    lines.flip(to);
    team.squares[amazon & 3] = to;
    // Never none: the square just left is one of them.
    let flights = lines.slides(to);
    lines.flip(flights.landing(to, rng.u32(..flights.count())));
    true
}
