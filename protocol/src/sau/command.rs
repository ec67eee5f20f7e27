//! Commands of the SAU platform, and moves in SAU notation.

use otrera::{Move, Side, Size, Square};

/// A command of the platform. Commands of other games are ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    Name,
    New(Side),
    /// The opponent's move; `None` if it cannot be read.
    Move(Option<Move>),
    Error,
    End,
    Quit,
}

impl Command {
    /// Reads a line; `None` for any other line.
    pub fn read(line: &str, size: Size) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let command = match words.next()? {
            "name?" => Self::Name,
            "new" => match words.next() {
                Some(colour) if colour.eq_ignore_ascii_case("white") => Self::New(Side::White),
                // A colour that cannot be read counts as Black: an answer is better than none.
                _ => Self::New(Side::Black),
            },
            "move" => Self::Move(words.next().and_then(|text| read_move(text, size))),
            "error" => Self::Error,
            "end" => Self::End,
            "quit" => Self::Quit,
            _ => return None,
        };
        Some(command)
    }
}

/// Reads a move of six letters, in any case: column and row of three squares, rows from the top.
pub fn read_move(text: &str, size: Size) -> Option<Move> {
    let letters: [u8; 6] = text.to_ascii_uppercase().as_bytes().try_into().ok()?;
    let square = |x: u8, y: u8| {
        let from_top = usize::from(y.checked_sub(b'A')?);
        let row = size.edge().checked_sub(from_top + 1)?;
        let square = Square::new(usize::from(x.checked_sub(b'A')?), row)?;
        size.contains(square).then_some(square)
    };
    let [x0, y0, x1, y1, x2, y2] = letters;
    Some(Move { from: square(x0, y0)?, to: square(x1, y1)?, arrow: square(x2, y2)? })
}

/// Formats a move as six capital letters.
pub fn format_move(mv: Move, size: Size) -> String {
    let letter = |number: usize| (b'A' + number as u8) as char;
    [mv.from, mv.to, mv.arrow]
        .iter()
        .flat_map(|square| [letter(square.column()), letter(size.edge() - 1 - square.row())])
        .collect()
}
