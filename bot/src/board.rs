//! Formats boards as text, with coordinates, brackets around the last move and colours on a terminal. Also formats the
//! territory, the [owner](Owner) of each square.

use otrera::board::bitboard::Bitboard;
use otrera::eval::ownership::{Owner, Ownership};
use otrera::{Move, Position, Side, Size, Square};
use std::io::IsTerminal;

/// Colour setting: true to use terminal colours (SGR sequences of ECMA-48).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Colours(bool);

impl Colours {
    pub const NONE: Self = Self(false);

    /// Enables colours if standard output is a colour terminal, unless `NO_COLOR` is set (<https://no-color.org>).
    pub fn of_output() -> Self {
        // Older Windows consoles print the sequences as text.
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let refused = set("NO_COLOR").is_some() || set("TERM").is_some_and(|terminal| terminal == "dumb");
        Self(std::io::stdout().is_terminal() && !refused && !cfg!(windows))
    }

    /// Formats a board letter in the colour of its side; dims arrows, empty squares and ties in queen distance.
    fn paint(self, letter: char) -> String {
        let rendition = match letter {
            'B' | 'b' | '+' => "1;36",
            'W' | 'w' | '-' => "1;33",
            'X' | '.' | '=' => "2",
            _ => return letter.into(),
        };
        if self.0 { format!("\x1b[{rendition}m{letter}\x1b[0m") } else { letter.into() }
    }
}

/// Formats the rows of a board from the top, then the column letters. Brackets enclose the squares of the marked move.
pub fn rows(
    size: Size,
    marked: Option<Move>,
    letter: impl Fn(Square) -> char,
    colours: Colours,
) -> Vec<String> {
    let marked: Bitboard = marked.into_iter().flat_map(|mv| [mv.from, mv.to, mv.arrow]).collect();
    let row = |row: usize| {
        let mut text = format!("{:>3} ", row + 1);
        let mut fenced = false;
        for square in (0..size.edge()).filter_map(|column| Square::new(column, row)) {
            let fences = marked.contains(square);
            text.push(match (fenced, fences) {
                (true, true) => '|',
                (true, false) => ']',
                (false, true) => '[',
                (false, false) => ' ',
            });
            text += &colours.paint(letter(square));
            fenced = fences;
        }
        text.push(if fenced { ']' } else { ' ' });
        text
    };
    let columns: String = ('a'..).take(size.edge()).flat_map(|column| [' ', column]).collect();
    (0..size.edge()).rev().map(row).chain([format!("    {columns} ")]).collect()
}

/// Returns the letter of a square: `B` or `W` for an amazon, `X` for an arrow, else a dot.
pub fn piece(position: &Position, square: Square) -> char {
    match () {
        () if position.amazons(Side::Black).contains(square) => 'B',
        () if position.amazons(Side::White).contains(square) => 'W',
        () if position.empty().contains(square) => '.',
        () => 'X',
    }
}

/// Formats the board of a position, with brackets around the squares of the last move.
pub fn position(position: &Position, last: Option<Move>, colours: Colours) -> String {
    let mut text = String::new();
    for row in rows(position.size(), last, |square| piece(position, square), colours) {
        text += row.trim_end();
        text.push('\n');
    }
    text
}

/// Formats the territory by queen distance. Returns the board's rows, with owners and amazons but without arrows, and
/// a legend with the meaning and the number of squares of each letter.
pub fn territory(position: &Position, colours: Colours) -> [Vec<String>; 2] {
    let ownership = Ownership::of(position);
    let letter = |square| match piece(position, square) {
        '.' => ownership.owner(square).letter(),
        'X' => ' ',
        amazon => amazon,
    };
    let owners = [
        (Owner::Alone(Side::Black), "only Black"),
        (Owner::Sooner(Side::Black), "Black first"),
        (Owner::Both, "tie"),
        (Owner::Sooner(Side::White), "White first"),
        (Owner::Alone(Side::White), "only White"),
        (Owner::Nobody, "nobody"),
    ];
    let legend = owners.map(|(owner, meaning)| {
        let count = position.empty().into_iter().filter(|&square| ownership.owner(square) == owner).count();
        format!("{}  {meaning:<12}{count:>3}", owner.letter())
    });
    [rows(position.size(), None, letter, colours), legend.into()]
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test fails by panicking
mod tests {
    use super::*;

    #[test]
    fn brackets_mark_the_last_move() {
        let mv: Move = "b1-a1/b2".parse().unwrap();
        let start = Position::from_fen("q2q/4/4/1Q1Q w").unwrap();
        let text = position(&start.with_move(mv), Some(mv), Colours(false));
        assert_eq!(text, "  4  W . . W\n  3  . . . .\n  2  .[X]. .\n  1 [B|.]. B\n     a b c d\n");
    }

    #[test]
    fn the_nearer_side_owns_a_square() {
        let cases = [
            // White is enclosed with one empty square, Black with four; nobody reaches d3 and d4.
            (
                "W.X.\nXXX.\nB.XX\n...X",
                "  4  W w   . \n  3        . \n  2  B b     \n  1  b b b   \n     a b c d ",
                "b 4, + 0, = 0, - 0, w 1, . 2",
            ),
            (
                "W...\nXXX.\nXXX.\n...B",
                "  4  W - - = \n  3        + \n  2        + \n  1  + + + B \n     a b c d ",
                "b 0, + 5, = 1, - 2, w 0, . 0",
            ),
        ];
        for (picture, rows, counts) in cases {
            let position = Position::from_picture(picture, Side::Black).unwrap();
            let [shown, legend] = territory(&position, Colours::NONE);
            assert_eq!(shown.join("\n"), rows);
            let count = |line: &String| format!("{} {}", &line[..1], line.split(' ').next_back().unwrap());
            assert_eq!(legend.iter().map(count).collect::<Vec<_>>().join(", "), counts);
        }
    }
}
