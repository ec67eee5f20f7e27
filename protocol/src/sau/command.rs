//! Parses the commands of the SAU platform.

use otrera::{Move, Side, Size};

/// A command of the platform. Commands of other games are ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    Name,
    New(Side),
    /// The opponent's move; `None` if it cannot be parsed.
    Move(Option<Move>),
    Error,
    End,
    Quit,
}

impl Command {
    /// Parses a line; `None` if it is not a command.
    pub fn read(line: &str, size: Size) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let command = match words.next()? {
            "name?" => Self::Name,
            "new" => match words.next() {
                Some(colour) if colour.eq_ignore_ascii_case("white") => Self::New(Side::White),
                // An unreadable colour counts as Black: a wrong answer is better than none.
                _ => Self::New(Side::Black),
            },
            "move" => Self::Move(words.next().and_then(|text| Move::from_letters(text, size))),
            "error" => Self::Error,
            "end" => Self::End,
            "quit" => Self::Quit,
            _ => return None,
        };
        Some(command)
    }
}
