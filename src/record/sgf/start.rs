//! Start positions from SGF set-up properties, and SGF points.

use super::scanner::Property;
use crate::board::bitboard::Bitboard;
use crate::board::notation::MalformedText;
use crate::board::notation::fen::MAX_PLY;
use crate::board::notation::moves::square_of_letters;
use crate::board::position::Position;
use crate::board::square::{Side, Size, Square};
use std::borrow::Cow;

/// Values of a game's set-up properties: board size, amazons, arrows, side to move and ply.
#[derive(Default)]
pub(super) struct SetUp {
    edge: Option<usize>,
    points: Vec<(usize, String)>,
    emptied: Vec<String>,
    side: Option<Side>,
    ply: Option<u16>,
}

impl SetUp {
    /// Names of the SGF properties that set up Black's amazons, White's amazons and arrows.
    pub const STONES: [&str; 3] = ["AB", "AW", "AA"];

    /// Names of all properties that change the board without a move.
    pub const CHANGES: [&str; 4] = ["AB", "AW", "AA", "AE"];

    /// Records the values of a set-up property; ignores other properties. Fails if `SZ` or `PLY` is not a number.
    pub fn add(&mut self, property: &Property) -> Result<(), MalformedText> {
        let name = &*property.name();
        let values = || property.values().map(Cow::into_owned);
        if let Some(kind) = Self::STONES.iter().position(|known| *known == name) {
            self.points.extend(values().map(|value| (kind, value)));
        }
        let value = property.value();
        let value = value.trim();
        match name {
            "AE" => self.emptied.extend(values()),
            "SZ" => {
                let (columns, rows) = value.split_once([':', 'x', 'X', '×', '*']).unwrap_or((value, value));
                let edges = [read_integer(name, columns)?, read_integer(name, rows)?];
                if edges[0] != edges[1] {
                    return Err(MalformedText::new(format!("SZ is {value}: expected 4 to 10 rows")));
                }
                self.edge = Some(edges[0]);
            }
            "PL" if value.starts_with(['B', 'b']) => self.side = Some(Side::Black),
            "PL" if value.starts_with(['W', 'w']) => self.side = Some(Side::White),
            "PLY" => {
                let ply: u16 = read_integer(name, value)?;
                if ply > MAX_PLY {
                    return Err(MalformedText::new(format!("PLY is {ply}: expected at most {MAX_PLY}")));
                }
                self.ply = Some(ply);
            }
            _ => {}
        }
        Ok(())
    }

    /// True if amazons or arrows are set up or removed.
    pub fn has_stones(&self) -> bool {
        !self.points.is_empty() || !self.emptied.is_empty()
    }

    /// True if the file names the size of the board.
    pub fn names_size(&self) -> bool {
        self.edge.is_some()
    }

    /// True if the file names the side to move.
    pub fn names_side(&self) -> bool {
        self.side.is_some()
    }

    /// Returns the size of the board, 10x10 by default. Fails if `SZ` is not from 4 to 10.
    pub fn size(&self) -> Result<Size, MalformedText> {
        let edge = self.edge.unwrap_or(10);
        Size::new(edge).ok_or_else(|| MalformedText::new(format!("SZ is {edge}: expected 4 to 10 rows")))
    }

    /// Returns the start position. `mover` moves first unless `PL` says otherwise. Fails on a bad size or point.
    pub fn position(&self, mover: Side) -> Result<Position, MalformedText> {
        let size = self.size()?;
        let mut sets = [Bitboard::EMPTY; 3];
        for (kind, text) in &self.points {
            let Some(points) = rectangle(text, size) else {
                return Err(MalformedText::new(format!("{} has no point {text:?}", Self::STONES[*kind])));
            };
            sets[*kind] |= points;
        }
        let [black, white, arrows] = sets;
        let mut amazons = [black, white];
        if black.is_empty() && white.is_empty() {
            amazons = Position::start(size).all_amazons();
        }
        let mut emptied = Bitboard::EMPTY;
        for text in &self.emptied {
            let points = rectangle(text, size);
            emptied |= points.ok_or_else(|| MalformedText::new(format!("AE has no point {text:?}")))?;
        }
        let (amazons, arrows) = (amazons.map(|set| set - emptied), arrows - emptied);
        let position = Position::from_parts(size, amazons, arrows, self.side.unwrap_or(mover));
        Ok(self.ply.map_or(position, |ply| position.with_ply(ply)))
    }
}

/// Parses a point such as `dj` or a rectangle of points such as `aj:ja`; `None` if malformed or off the board.
fn rectangle(text: &str, size: Size) -> Option<Bitboard> {
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    let point = |text: &str| square_of_letters(text.trim().as_bytes().try_into().ok()?, size);
    let [first, last] = [point(first)?, point(last)?];
    let between = |a: usize, b: usize| a.min(b)..=a.max(b);
    let rows = between(first.row(), last.row());
    let squares = rows.flat_map(|row| {
        between(first.column(), last.column()).filter_map(move |column| Square::new(column, row))
    });
    Some(squares.collect())
}

pub(super) fn read_integer<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, MalformedText> {
    text.trim().parse().map_err(|_| MalformedText::new(format!("{name} is a number, not {text:?}")))
}
