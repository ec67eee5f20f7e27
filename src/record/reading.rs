//! The result of reading a record: its games, and warnings about everything that is in none of them.

use super::{GameRecord, work};
use std::fmt;

/// A remark on a part of a text that could not be read, or could be read in several ways.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// Line of the text, from 1; 0 if the warning is about the whole text.
    pub line: usize,
    /// The problem, in one line.
    pub text: String,
}

impl Warning {
    pub(super) fn new(line: usize, text: impl Into<String>) -> Self {
        Self { line, text: text.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.text),
            line => write!(f, "line {line}: {}", self.text),
        }
    }
}

/// Games of a text, all of whose moves are legal, and warnings in the order of the text.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Reading {
    /// The games; at least one, unless reading failed.
    pub games: Vec<GameRecord>,
    /// One warning for each part of the text that is in no game.
    pub warnings: Vec<Warning>,
}

impl Reading {
    /// Collects the games that a reader takes in.
    pub(super) fn collect<E>(read: impl FnOnce(&mut Intake) -> Result<(), E>) -> Result<Self, E> {
        let mut games = Vec::new();
        let mut take = |game| {
            reserve_some(&mut games);
            games.push(game);
        };
        let mut intake = Intake::new(&mut take);
        read(&mut intake)?;
        let warnings = intake.warnings.all();
        games.shrink_to_fit();
        Ok(Self { games, warnings })
    }
}

/// Makes room for another element by less than double: for a while, old and new room exist together.
pub(super) fn reserve_some<T>(items: &mut Vec<T>) {
    if items.len() == items.capacity() {
        items.reserve_exact(16 + items.len() / 4);
    }
}

/// Takes in games one by one, so that a large file is never held as a whole.
pub(super) struct Intake<'t> {
    take: &'t mut dyn FnMut(GameRecord),
    /// Number of games taken in.
    pub games: usize,
    /// Number of their moves.
    pub plies: usize,
    /// Number of games with a result.
    pub decided: usize,
    /// Number of warnings that doubt what was read; nothing was left out.
    pub remarks: usize,
    pub warnings: Warnings,
}

/// Warnings in the order of the text. Those of a hopeless file are only counted: they would need more memory than it.
#[derive(Default)]
pub(super) struct Warnings {
    kept: Vec<Warning>,
    left_out: usize,
}

/// Maximum number of warnings about a file.
const MAX_WARNINGS: usize = 10_000;

impl Warnings {
    pub fn push(&mut self, warning: Warning) {
        if self.kept.len() < MAX_WARNINGS {
            self.kept.push(warning);
        } else {
            self.left_out += 1;
        }
    }

    pub fn extend(&mut self, warnings: impl IntoIterator<Item = Warning>) {
        warnings.into_iter().for_each(|warning| self.push(warning));
    }

    /// Returns the warnings so far.
    pub fn kept(&self) -> &[Warning] {
        &self.kept
    }

    /// Returns the warnings; the last one gives the number of those left out.
    pub fn all(mut self) -> Vec<Warning> {
        if self.left_out > 0 {
            let text = format!("{} further warnings about this file are left out", self.left_out);
            self.kept.push(Warning::new(0, text));
        }
        self.kept
    }
}

impl<'t> Intake<'t> {
    /// Passes each game to a function.
    pub fn new(take: &'t mut dyn FnMut(GameRecord)) -> Self {
        Self { take, games: 0, plies: 0, decided: 0, remarks: 0, warnings: Warnings::default() }
    }

    /// Adds a game up to its first illegal move; the moves from there are in a warning.
    pub fn add(&mut self, mut game: GameRecord, line: usize) {
        if let Some((ply, mv, error)) = game.first_illegal() {
            let left_out = game.moves.len() + 1 - ply;
            let number = self.games + 1;
            let moves =
                if left_out == 1 { "it is".into() } else { format!("{left_out} moves from there are") };
            let text = format!("game {number}, ply {ply}, {mv}: {error}; {moves} left out");
            self.warnings.push(Warning::new(line, text));
            game.moves.truncate(ply - 1);
        }
        let plies = game.moves.len();
        game.notes.retain(|&ply, _| ply <= plies);
        game.moves.shrink_to_fit();
        self.games += 1;
        self.plies += plies;
        self.decided += usize::from(game.winner.is_some());
        (self.take)(game);
    }
}

/// Line numbers of offsets in a text.
pub(super) struct Lines<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
    /// Lines before each block of [`BLOCK`] bytes, as far as the text was read.
    blocks: Vec<usize>,
}

/// Bytes between two known line numbers.
const BLOCK: usize = 1 << 12;

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Self {
        Self::from(text, 1)
    }

    /// Numbers the lines from `first`.
    pub fn from(text: &'a str, first: usize) -> Self {
        Self { text, offset: 0, line: first, blocks: vec![first] }
    }

    /// Returns the line of a byte offset.
    pub fn at(&mut self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        if offset < self.offset {
            let block = offset / BLOCK;
            (self.offset, self.line) = (block * BLOCK, self.blocks[block]);
        }
        while self.offset < offset {
            let end = offset.min((self.offset / BLOCK + 1) * BLOCK);
            self.count(end);
            if end.is_multiple_of(BLOCK) && self.blocks.len() == end / BLOCK {
                self.blocks.push(self.line);
            }
        }
        self.line
    }

    /// Counts the lines up to an offset.
    fn count(&mut self, end: usize) {
        let between = &self.text.as_bytes()[self.offset..end];
        work::count(between.len() / 32);
        self.line += between.iter().filter(|&&byte| byte == b'\n').count();
        self.offset = end;
    }
}
