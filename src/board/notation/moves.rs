//! Moves as text: formatted as `d1-d7/g7`; parsed from `d1d7,d7g7` (Fairy-Stockfish), `d1-d7(g7)`, `d1-d7/g7` or
//! `D1D7G7`, with spaces and commas anywhere between squares. SGF and the SAU platform write letters, `djddgd`.

use super::{MalformedText, malformed, shortened};
use crate::board::moves::Move;
use crate::board::square::{Size, Square};
use std::str::FromStr;

impl FromStr for Move {
    type Err = MalformedText;

    /// Parses a move in any of the forms in the module comment.
    fn from_str(text: &str) -> Result<Self, MalformedText> {
        match squares_in(text)?[..] {
            [from, to, arrow] => Ok(Self { from, to, arrow }),
            [from, to, again, arrow] if again == to => Ok(Self { from, to, arrow }),
            ref squares => malformed(format!(
                "expected three squares like d1-d7/g7, found {}: {:?}",
                squares.len(),
                shortened(text)
            )),
        }
    }
}

impl Move {
    /// Formats the move as Fairy-Stockfish does, `d1d7,d7g7`.
    pub fn to_uci(self) -> String {
        let Self { from, to, arrow } = self;
        format!("{from}{to},{to}{arrow}")
    }

    /// Formats the move as records of the Chinese championships do, `d1d7(g7)`.
    pub fn to_ccgc(self) -> String {
        let Self { from, to, arrow } = self;
        format!("{from}{to}({arrow})")
    }

    /// Parses six letters in any case, such as `DJDDGD`: column and row of each square, rows counted from the top.
    /// `None` if malformed or off the board.
    pub fn from_letters(text: &str, size: Size) -> Option<Self> {
        let (&[from, to, arrow], []) = text.as_bytes().as_chunks() else { return None };
        let [from, to, arrow] = [from, to, arrow].map(|letters| square_of_letters(letters, size));
        Some(Self { from: from?, to: to?, arrow: arrow? })
    }

    /// Formats the move, which must be on a board of this size, as six capital letters.
    pub fn to_letters(self, size: Size) -> String {
        let letter = |number: usize| (b'A' + number as u8) as char;
        [self.from, self.to, self.arrow]
            .iter()
            .flat_map(|square| [letter(square.column()), letter(size.edge() - 1 - square.row())])
            .collect()
    }
}

/// Parses a square from two letters in any case: column, then row from the top. `None` if off the board.
pub(crate) fn square_of_letters([column, row]: [u8; 2], size: Size) -> Option<Square> {
    let index = |letter: u8| letter.to_ascii_lowercase().checked_sub(b'a').map(usize::from);
    let row = (size.edge() - 1).checked_sub(index(row)?)?;
    Square::new(index(column)?, row).filter(|&square| size.contains(square))
}

/// Parses the squares of a move, in order. Fails on anything but squares and separators, and on more than five squares.
fn squares_in(text: &str) -> Result<Vec<Square>, MalformedText> {
    let mut squares = Vec::with_capacity(4);
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        if matches!(first, ' ' | '-' | '/' | '(' | ')' | ',' | ';' | ':') {
            rest = &rest[1..];
            continue;
        }
        let digits = rest[first.len_utf8()..].bytes().take_while(u8::is_ascii_digit).count();
        let column = match first.to_ascii_lowercase() {
            letter @ 'a'..='j' => letter as usize - 'a' as usize,
            _ => return malformed(format!("{:?} is not a move", shortened(text))),
        };
        let rank: Option<usize> = rest[1..1 + digits].parse().ok().filter(|rank| (1..=10).contains(rank));
        match rank.and_then(|rank| Square::new(column, rank - 1)) {
            Some(square) if squares.len() < 5 => squares.push(square),
            _ => return malformed(format!("{:?} is not a move", shortened(text))),
        }
        rest = &rest[1 + digits..];
    }
    Ok(squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_common_move_form_is_parsed() {
        let expected = Move { from: at("a10"), to: at("a7"), arrow: at("j10") };
        let forms = ["a10a7,a7j10", "a10-a7/j10", "a10-a7(j10)", "A10A7J10", "a10 a7 j10", " a10-a7-j10 "];
        for form in forms {
            assert_eq!(form.parse(), Ok(expected), "{form}");
        }
    }

    fn at(text: &str) -> Square {
        squares_in(text).unwrap()[0]
    }

    #[test]
    fn malformed_moves_are_rejected() {
        let huge = "9".repeat(100_000);
        for text in [
            "",
            "d1",
            "d1d7",
            "d1d7g7a1a1",
            "d1d7,d6g7",
            "d0d7g7",
            "d11d7g7",
            "k1d7g7",
            "d1d7g",
            "é1",
            "d1€",
            &huge,
        ] {
            assert!(text.parse::<Move>().is_err(), "{}", shortened(text));
        }
        let reason = "d1".parse::<Move>().unwrap_err().to_string();
        assert_eq!(reason, "expected three squares like d1-d7/g7, found 1: \"d1\"");
    }
}
