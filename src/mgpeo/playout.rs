//! Playouts of Kato et al. (section 4): random half-moves until the game ends; only the winner is returned.
//!
//! Drawing a random half-move needs only the distance that each amazon can slide in each direction. Bitboards are slow
//! at this, so the board is stored as its rows, columns and diagonals, one word each (compare rotated bitboards,
//! <https://www.chessprogramming.org/Rotated_Bitboards>). A table gives the lengths of the runs of empty squares on
//! either side of an amazon. The lengths add up to the number of destinations, of which one random number selects one.

use crate::board::bitboard::Bitboard;
use crate::board::position::{Position, Rules};
use crate::board::square::{FRAME, STRIDE, Side};
use fastrand::Rng;

/// Lines of the board: 10 rows, 10 columns, 19 diagonals and 19 antidiagonals.
const LINES: usize = 10 + 10 + 19 + 19;

/// Row, column, diagonal and antidiagonal through each square, each as (line, place): the line's index and the square's
/// 0-based index on the line. Lines 0..10 are rows, 10..20 columns, 20..39 diagonals (up-right), 39..58 antidiagonals
/// (up-left).
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

/// `RUNS[place][empty]`: lengths of the two runs of empty squares that begin next to `place` on a line. The set bits of
/// `empty` are the line's empty squares. Bits 0..8 = length towards higher places, bits 8..16 = towards lower places.
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

/// Maximum number of amazons per side in a playout.
const MAX_AMAZONS: usize = 4;

/// Square indices of one side's amazons.
#[derive(Clone, Copy)]
struct Team {
    squares: [u8; MAX_AMAZONS],
    count: usize,
}

impl Team {
    /// Lists the squares of a set of amazons; `None` if there are more than [`MAX_AMAZONS`].
    #[inline(always)]
    fn new(amazons: Bitboard) -> Option<Self> {
        let mut team = Self { squares: [0; MAX_AMAZONS], count: 0 };
        for square in amazons {
            *team.squares.get_mut(team.count)? = square.index() as u8;
            team.count += 1;
        }
        Some(team)
    }
}

/// Empty squares of each line, one bit per place; lines and places are those of [`PLACES`].
#[derive(Clone, Debug)]
struct Lines([u32; LINES]);

impl Lines {
    /// Toggles a square between empty and occupied.
    #[inline(always)]
    fn flip(&mut self, square: u8) {
        for (line, place) in PLACES[usize::from(square) & 127] {
            self.0[usize::from(line)] ^= 1 << (place & 15);
        }
    }

    /// Returns the distances that a queen on `from` can slide in the eight directions.
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

/// Distances in squares that a queen can slide in the eight directions, one byte each, in the order of [`STEPS`]. Each
/// distance is at most 9, and their sum is at most 35.
#[derive(Clone, Copy, Default)]
struct Slides(u64);

/// Mailbox offsets of a square's eight neighbours: right, left, up, down, then both ways along each diagonal.
const STEPS: [i8; 8] = [1, -1, 11, -11, 12, -12, 10, -10];

impl Slides {
    /// Returns the number of destinations: the sum of the distances.
    #[inline(always)]
    fn count(self) -> u32 {
        (self.0.wrapping_mul(BYTES) >> 56) as u32
    }

    /// Returns destination `n` of a queen on `from`, counted from 0 by direction in the order of [`STEPS`].
    #[inline(always)]
    fn landing(self, from: u8, n: u32) -> u8 {
        let (direction, n) = nth::<8>(self.0, n);
        (i32::from(from) + i32::from(STEPS[direction & 7]) * (n as i32 + 1)) as u8
    }
}

/// Word with the value 1 in each byte. Multiplying a word by this one adds up the word's bytes in the highest byte.
const BYTES: u64 = u64::MAX / 0xff;

/// Finds the group that contains item `n`, where the items of all groups are numbered consecutively from 0. Returns the
/// group's index and the item's index in the group. `counts` packs the sizes of 64/BITS groups, BITS bits each; the
/// sizes and their sum must be below 2^(BITS-1).
///
/// One multiplication computes all prefix sums and one subtraction compares `n` with all of them. There is no branch,
/// since a random `n` cannot be predicted (SWAR, <https://www.chessprogramming.org/SIMD_and_SWAR_Techniques>).
#[inline(always)]
fn nth<const BITS: u32>(counts: u64, n: u32) -> (usize, u32) {
    let ones = u64::MAX / ((1 << BITS) - 1);
    let signs = ones << (BITS - 1);
    let sums = counts.wrapping_mul(ones);
    // The sign bit of group k stays set if n >= its inclusive prefix sum: the set bits count the groups before item n.
    let passed = (((u64::from(n) * ones) | signs) - sums) & signs;
    let passed = passed >> (BITS - 1);
    let index = (passed.wrapping_mul(ones) >> (64 - BITS)) as u32;
    let before = sums << BITS >> (BITS * index) & ((1 << BITS) - 1);
    (index as usize, n - before as u32)
}

/// Playout runner. Keeps the lines of the last start position and updates only the squares that differ in the next one.
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
    /// Plays random half-moves to the end of the game and returns the winner; `None` if a side has more than
    /// [`MAX_AMAZONS`]. Draws each movement, then its arrow, uniformly from the legal ones.
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

/// Returns the side that cannot move, if any. Checks White first, as [`Position::winner`] does.
fn blocked(lines: &Lines, teams: &[Team; 2]) -> Option<Side> {
    [Side::White, Side::Black].into_iter().find(|side| {
        let team = &teams[side.index()];
        team.squares[..team.count].iter().all(|&amazon| lines.slides(amazon).count() == 0)
    })
}

/// Plays a random movement of `team`, then a random arrow. Returns `false` and plays nothing if no amazon can move.
#[inline(always)]
fn random_move(lines: &mut Lines, team: &mut Team, rng: &mut Rng) -> bool {
    let mut slides = [Slides::default(); MAX_AMAZONS];
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
    // There is always a target: the square that the amazon left.
    let flights = lines.slides(to);
    lines.flip(flights.landing(to, rng.u32(..flights.count())));
    true
}
