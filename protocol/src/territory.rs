//! Whose the squares are, as a board on the terminal: the [owners](Owner) by queen distance.

use crate::board::{self, Colours};
use otrera::eval::ownership::{Owner, Ownership};
use otrera::{Position, Side};

/// What the letters of [`Territory::rows`] mean.
pub const LEGEND: &str = "b, w: only Black, only White gets there; +, -: Black, White is there in fewer moves;\n\
                          =: both in as many; .: nobody";

/// The territory of a position.
pub struct Territory {
    position: Position,
    ownership: Ownership,
}

impl Territory {
    /// Floods the board from the amazons of both sides.
    pub fn of(position: &Position) -> Self {
        Self { position: *position, ownership: Ownership::of(position) }
    }

    /// The board of it; amazons stand where they are, arrows are left out.
    pub fn rows(&self, colours: Colours) -> Vec<String> {
        let letter = |square| match board::piece(&self.position, square) {
            '.' => self.ownership.owner(square).letter(),
            'X' => ' ',
            amazon => amazon,
        };
        board::rows(self.position.size(), None, letter, colours)
    }

    /// How many squares are whose, as a sentence.
    pub fn summary(&self) -> String {
        let count = |owner| {
            self.position.empty().into_iter().filter(|&square| self.ownership.owner(square) == owner).count()
        };
        let of = |side| {
            let (alone, sooner) = (count(Owner::Alone(side)), count(Owner::Sooner(side)));
            format!("{side} {} ({alone} alone)", alone + sooner)
        };
        format!("{}, {}, both {}", of(Side::Black), of(Side::White), count(Owner::Both))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_square_is_told_apart() {
        // White is shut in with one square, Black with four; nobody reaches d3 and d4.
        let picture = "W.X.\nXXX.\nB.XX\n...X";
        let position = Position::from_picture(picture, Side::Black);
        let territory = Territory::of(&position.unwrap_or_else(|_| Position::standard()));
        assert_eq!(territory.summary(), "Black 4 (4 alone), White 1 (1 alone), both 0");
        let rows: Vec<String> = territory.rows(Colours::NONE);
        assert_eq!(
            rows.join("\n"),
            "  4  W w   . \n  3        . \n  2  B b     \n  1  b b b   \n     a b c d "
        );
    }

    #[test]
    fn who_is_there_in_fewer_moves_comes_first() {
        let position = Position::from_picture("W...\nXXX.\nXXX.\n...B", Side::Black);
        let territory = Territory::of(&position.unwrap_or_else(|_| Position::standard()));
        let rows = territory.rows(Colours::NONE).join("\n");
        assert_eq!(rows, "  4  W - - = \n  3        + \n  2        + \n  1  + + + B \n     a b c d ");
        assert_eq!(territory.summary(), "Black 5 (0 alone), White 2 (0 alone), both 1");
    }
}
