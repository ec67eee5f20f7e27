//! Positions as FEN in Fairy-Stockfish's dialect, `3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1`.
//!
//! Ranks are listed from the top. `Q` is an amazon of the first mover, `q` an amazon of the other side, `*` an arrow; a
//! number is a run of empty squares. The first mover is our Black and Fairy-Stockfish's White, so `w` means that Black
//! is to move. All fields after the board are optional.

use super::{MalformedText, malformed, shortened, size_of_rows};
use crate::board::position::Position;
use crate::board::square::{Side, Size};

/// Maximum move number in a FEN.
const MAX_NUMBER: u16 = 1000;

/// Maximum ply that a FEN can hold.
pub(crate) const MAX_PLY: u16 = 2 * MAX_NUMBER - 1;

impl Position {
    /// Parses a FEN, see the module comment.
    ///
    /// # Errors
    /// Returns the first error in the text.
    pub fn from_fen(fen: &str) -> Result<Self, MalformedText> {
        let mut fields = fen.split_ascii_whitespace();
        let rows: Vec<&str> = fields.next().unwrap_or_default().split('/').collect();
        let size = size_of_rows(rows.len())?;
        let rows: Vec<String> = rows.iter().map(|row| picture_row(row, size)).collect::<Result<_, _>>()?;
        let side = match fields.next() {
            None | Some("w") => Side::Black,
            Some("b") => Side::White,
            Some(other) => {
                return malformed(format!("the side to move is w or b, not {:?}", shortened(other)));
            }
        };
        let position = Self::from_picture(&rows.join("\n"), side)?;
        // The castling and en passant fields are "-". The half-move clock holds the ply and is used only if it agrees
        // with the move number. A pass needs the clock: the ply's parity then does not match the side to move.
        let clock = fields.nth(2).and_then(|field| field.parse::<u16>().ok());
        match fields.next().map(str::parse::<u16>) {
            None => Ok(position),
            Some(Ok(number)) if (1..=MAX_NUMBER).contains(&number) => {
                let usual = (number - 1) * 2 + u16::from(side == Side::White);
                Ok(position.with_ply(clock.filter(|ply| ply / 2 + 1 == number).unwrap_or(usual)))
            }
            Some(_) => malformed(format!(
                "the last field of a FEN is the number of the move, from 1 to {MAX_NUMBER}"
            )),
        }
    }

    /// Formats the position as FEN, see the module comment.
    pub fn to_fen(&self) -> String {
        let rows: Vec<String> = self.to_picture().lines().map(fen_row).collect();
        let side = if self.side() == Side::Black { 'w' } else { 'b' };
        // `from_fen` rejects higher numbers. No real game has them, but a position can be set up with one.
        let number = (self.ply() / 2 + 1).min(MAX_NUMBER);
        format!("{} {side} - - {} {number}", rows.join("/"), self.ply())
    }
}

/// Converts a row of a picture (see [`super::picture`]) to a row of a FEN.
fn fen_row(picture: &str) -> String {
    let row = picture.replace('B', "Q").replace('W', "q").replace('X', "*");
    // Longest runs first, so that no part of a run is replaced.
    (1..=picture.len()).rev().fold(row, |row, run| row.replace(&".".repeat(run), &run.to_string()))
}

/// Converts a row of a FEN to a row of a picture. Fails on an unknown letter or a length other than the board's edge.
fn picture_row(text: &str, size: Size) -> Result<String, MalformedText> {
    let (mut row, mut run) = (String::new(), 0);
    for letter in text.chars() {
        if let Some(digit) = letter.to_digit(10) {
            run = run * 10 + digit as usize;
            if run > size.edge() {
                return malformed(format!("row {:?} is longer than the board", shortened(text)));
            }
            continue;
        }
        row += &".".repeat(std::mem::take(&mut run));
        row.push(match letter {
            'Q' => 'B',
            'q' => 'W',
            '*' => 'X',
            other => {
                return malformed(format!("unknown letter {other:?} in a FEN: expected Q, q, * or a number"));
            }
        });
    }
    row += &".".repeat(run);
    if row.len() == size.edge() {
        Ok(row)
    } else {
        malformed(format!("row {:?} does not have {} squares", shortened(text), size.edge()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn move_number_stops_at_the_maximum() {
        let last = Position::from_fen("Q3/4/4/3q b - - 0 1000").unwrap();
        let next = last.try_play("d1-c2/b3".parse().unwrap()).unwrap();
        assert_eq!(Position::from_fen(&next.to_fen()).unwrap().empty(), next.empty());
    }

    #[test]
    fn fairy_stockfish_agrees_on_the_fen_after_two_moves() {
        let position = ["d1d7,d7g7", "d10c9,c9h4"]
            .iter()
            .fold(Position::standard(), |position, text| position.try_play(text.parse().unwrap()).unwrap());
        assert_eq!(position.to_fen(), "6q3/2q7/10/q2Q2*2q/10/10/Q6*1Q/10/10/6Q3 w - - 2 2");
    }
}
