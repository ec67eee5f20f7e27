//! Parts of a text that look like moves, before anybody knows how their coordinates are counted.

use crate::board::position::Position;

/// Notation of a piece, which decides how its coordinates can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Letter and number, `d1d7g7`: the letter's index from 0, the number from 1.
    Squares,
    /// Two letters, `djddgd`: both indices from 0.
    Letters,
    /// Two numbers.
    Numbers,
    /// Incomplete or damaged; in no game.
    Fragment,
}

/// A coordinate that the text leaves open, as in `Qd7,g7`.
pub const OPEN: i8 = i8::MIN;

/// Place of a piece outside the main line of moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Aside {
    /// In the main line.
    No,
    /// In parentheses, as variations are.
    Parenthesis,
    /// In a comment in braces, or a continuation printed by an engine.
    Comment,
}

/// Place of a piece beside the words of a sentence on its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beside {
    /// No words.
    No,
    /// Words stand before it.
    Behind,
    /// Words stand behind it.
    Before,
    /// Words stand on both sides.
    Both,
}

impl Beside {
    /// Returns the place with words behind the piece, or without them.
    pub fn with_words_behind(self, are_words: bool) -> Self {
        match (self, are_words) {
            (Self::No | Self::Before, true) => Self::Before,
            (Self::Behind | Self::Both, true) => Self::Both,
            (Self::No | Self::Before, false) => Self::No,
            (Self::Behind | Self::Both, false) => Self::Behind,
        }
    }
}

/// Sign of the text that a new game can begin, the weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Border {
    /// None.
    No,
    /// A line without moves.
    Line,
    /// An empty line, one that can be a heading, a rule such as `-----`, or an unclear result.
    Gap,
    /// The number 1.
    First,
    /// A heading such as `Game 2`.
    Heading,
    /// A result, which ends a game.
    Result,
    /// A result, and another sign that a game begins: a heading, the number 1, an empty line or a row.
    Next,
}

/// Colour that a text gives to a player, which can differ from ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Black, 黑.
    Black,
    /// White, 白.
    White,
}

impl Colour {
    /// Returns the other colour.
    pub fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// A part of a text that looks like a move.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Offset of the first byte.
    pub begin: u32,
    /// Offset behind the last byte.
    pub end: u32,
    /// First and second coordinates of origin, destination and arrow.
    pub numbers: [[i8; 2]; 3],
    /// Notation.
    pub form: Form,
    /// Place in or beside the main line.
    pub aside: Aside,
    /// Colour named before the move.
    pub mover: Option<Colour>,
    /// Separation from the piece before.
    pub border: Border,
    /// True if a word or number of prose can look like this.
    pub is_weak: bool,
    /// Place beside words of its line.
    pub beside: Beside,
}

impl Piece {
    /// True if the text says that a new game begins here.
    pub fn restarts(&self) -> bool {
        self.border >= Border::First
    }

    /// True if the piece leaves a coordinate of its origin open.
    pub fn is_open(&self) -> bool {
        self.numbers[0].contains(&OPEN)
    }
}

/// Player named by a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Player {
    /// The first mover.
    First,
    /// The second mover.
    Second,
    /// The player of a colour.
    Of(Colour),
}

/// Name of a PGN tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    /// `White` or `Black`, of which White moves first.
    Name(Colour),
    /// 黑方 or 白方, whose order is not known.
    Unordered,
    /// 先手.
    First,
    /// 后手.
    Second,
    /// `1-0`, `White wins`.
    Result,
    /// Name or colour of the winner.
    Winner,
    /// Name or colour of the loser.
    Loser,
    /// Date.
    Date,
    /// Name of the event.
    Event,
    /// Start position.
    Fen,
    /// A tag that no record keeps.
    Other,
}

/// A statement of the text beside its moves.
#[derive(Clone, PartialEq, Debug)]
pub enum Mark {
    /// The player has won.
    Won(Player),
    /// A sentence with words of a result.
    Sentence {
        /// Offset of the first byte.
        begin: u32,
        /// Offset behind the last byte.
        end: u32,
        /// True if it can name a player; false in a variation, whose winner is not that of the game.
        may_name: bool,
    },
    /// The first mover has this colour.
    Begins(Colour),
    /// The board has this edge.
    Edge(usize),
    /// Fields of a CCGC header after `AM`.
    Header(Vec<String>),
    /// Value of a PGN tag.
    Tag(Label, String),
    /// A position as FEN.
    Fen(String),
    /// Two numbers of consecutive moves, between which moves are missing.
    Gap(i64, i64),
    /// Name of a player.
    Named(Player, String),
    /// Names of both players, whose order says nothing.
    Rivals(String),
    /// The start position that JSON of another program states; `None` if it is unclear.
    Start(Option<Box<Position>>),
}
