//! Formats the territory for the terminal: the [owner](Owner) of each square by queen distance.

use crate::board::{self, Colours};
use otrera::eval::ownership::{Owner, Ownership};
use otrera::{Position, Side};

/// The territory of a position.
pub struct Territory {
    position: Position,
    ownership: Ownership,
}

impl Territory {
    /// Computes the owners of all squares.
    pub fn of(position: &Position) -> Self {
        Self { position: *position, ownership: Ownership::of(position) }
    }

    /// Formats the rows of the board with owners and amazons, without arrows.
    pub fn rows(&self, colours: Colours) -> Vec<String> {
        let letter = |square| match board::piece(&self.position, square) {
            '.' => self.ownership.owner(square).letter(),
            'X' => ' ',
            amazon => amazon,
        };
        board::rows(self.position.size(), None, letter, colours)
    }

    /// Formats a legend: each letter of [`Self::rows`] with its meaning and its number of squares.
    pub fn legend(&self) -> Vec<String> {
        let owners = [
            (Owner::Alone(Side::Black), "only Black"),
            (Owner::Sooner(Side::Black), "Black first"),
            (Owner::Both, "tie"),
            (Owner::Sooner(Side::White), "White first"),
            (Owner::Alone(Side::White), "only White"),
            (Owner::Nobody, "nobody"),
        ];
        let count = |owner| {
            self.position.empty().into_iter().filter(|&square| self.ownership.owner(square) == owner).count()
        };
        let line =
            |(owner, meaning): (Owner, &str)| format!("{}  {meaning:<12}{:>3}", owner.letter(), count(owner));
        owners.map(line).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the letters and numbers of the legend, without the words.
    fn counts(territory: &Territory) -> String {
        let count = |line: &String| {
            [line.split(' ').next(), line.split(' ').next_back()].map(Option::unwrap_or_default).join(" ")
        };
        territory.legend().iter().map(count).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn enclosed_and_unreachable_squares_are_marked() {
        // White is enclosed with one empty square, Black with four; nobody reaches d3 and d4.
        let picture = "W.X.\nXXX.\nB.XX\n...X";
        let position = Position::from_picture(picture, Side::Black);
        let territory = Territory::of(&position.unwrap_or_else(|_| Position::standard()));
        assert_eq!(counts(&territory), "b 4, + 0, = 0, - 0, w 1, . 2");
        let rows: Vec<String> = territory.rows(Colours::NONE);
        assert_eq!(
            rows.join("\n"),
            "  4  W w   . \n  3        . \n  2  B b     \n  1  b b b   \n     a b c d "
        );
    }

    #[test]
    fn the_nearer_side_owns_a_square() {
        let position = Position::from_picture("W...\nXXX.\nXXX.\n...B", Side::Black);
        let territory = Territory::of(&position.unwrap_or_else(|_| Position::standard()));
        let rows = territory.rows(Colours::NONE).join("\n");
        assert_eq!(rows, "  4  W - - = \n  3        + \n  2        + \n  1  + + + B \n     a b c d ");
        assert_eq!(counts(&territory), "b 0, + 5, = 1, - 2, w 0, . 0");
    }
}
