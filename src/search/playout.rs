//! Playouts to the end of the game: thousands of random half-moves for one bit, who won.
//!
//! Sets of squares are the wrong tool here. All that a random half-move needs is how far each amazon can
//! slide in each direction, so the board is kept as its rows, columns and diagonals, one word each: a slide
//! is the run of empty squares beside the amazon, and to draw one of all landings is to draw a number.

use crate::board::bitboard::Bitboard;
use crate::board::position::{Position, Rules};
use crate::board::square::{FRAME, STRIDE, Side};
use fastrand::Rng;

/// Lines of the board: 10 rows, 10 columns, 19 diagonals of either kind.
const LINES: usize = 10 + 10 + 19 + 19;

/// The directions along the four lines of a square: right, up, up to the right, up to the left.
const UP: [i32; 4] = [1, 11, 12, 10];

/// For each square and direction of [`UP`] the line, and the square's place on it.
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

    /// How many squares a queen here can slide in each direction: those of [`UP`], then their opposites.
    #[inline(always)]
    fn slides(&self, from: u8) -> [u32; 8] {
        let mut slides = [0; 8];
        let places = &PLACES[usize::from(from) & 127];
        for direction in 0..4 {
            let (line, place) = places[direction];
            let (empty, place) = (self.0[usize::from(line)], u32::from(place & 15));
            slides[direction] = (empty >> place >> 1).trailing_ones();
            slides[direction + 4] = (empty << (31 - place) << 1).leading_ones();
        }
        slides
    }
}

/// The square that is number `n` of all those that a queen here can slide to.
#[inline(always)]
fn landing(from: u8, slides: &[u32; 8], n: u32) -> u8 {
    let (direction, steps) = nth(slides, n);
    let step = if direction < 4 { UP[direction] } else { -UP[direction & 3] };
    (i32::from(from) + step * (steps as i32 + 1)) as u8
}

/// Which of these amounts number `n` of them all belongs to, and its number there. No branches: where the
/// search ends is random.
#[inline(always)]
fn nth(amounts: &[u32], n: u32) -> (usize, u32) {
    let (mut index, mut before, mut sum) = (0, 0, 0);
    for amount in &amounts[..amounts.len() - 1] {
        sum += amount;
        let beyond = n >= sum;
        index += usize::from(beyond);
        before = if beyond { sum } else { before };
    }
    (index, n - before)
}

/// Plays games to their end. What it holds is where the last one began: the next one begins nearby.
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
        team.squares[..team.count].iter().all(|&amazon| lines.slides(amazon) == [0; 8])
    })
}

/// Moves a random amazon and shoots a random arrow; `false` if no amazon can move.
#[inline(always)]
fn random_move(lines: &mut Lines, team: &mut Team, rng: &mut Rng) -> bool {
    let mut slides = [[0; 8]; MOST_AMAZONS];
    let mut landings = [0; MOST_AMAZONS];
    for amazon in 0..team.count {
        slides[amazon] = lines.slides(team.squares[amazon]);
        landings[amazon] = slides[amazon].iter().sum();
    }
    let all: u32 = landings.iter().sum();
    if all == 0 {
        return false;
    }
    let (amazon, n) = nth(&landings, rng.u32(..all));
    let from = team.squares[amazon];
    let to = landing(from, &slides[amazon], n);
    lines.flip(from);
    lines.flip(to);
    team.squares[amazon] = to;
    // Never none: the square just left is one of them.
    let flights = lines.slides(to);
    lines.flip(landing(to, &flights, rng.u32(..flights.iter().sum::<u32>())));
    true
}
