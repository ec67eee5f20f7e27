//! The result of reading a record: its games, and warnings about everything that is in none of them.

use super::GameRecord;
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
        let mut take = |game| games.push(game);
        let mut intake = Intake::new(&mut take);
        read(&mut intake)?;
        let warnings = intake.warnings;
        games.shrink_to_fit();
        Ok(Self { games, warnings })
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
    pub warnings: Vec<Warning>,
}

impl<'t> Intake<'t> {
    /// Passes each game to a function.
    pub fn new(take: &'t mut dyn FnMut(GameRecord)) -> Self {
        Self { take, games: 0, plies: 0, decided: 0, warnings: Vec::new() }
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

/// Line numbers of increasing offsets in a text.
pub(super) struct Lines<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, offset: 0, line: 1 }
    }

    /// Returns the line of a byte offset, from 1. Counts anew if the offset lies before the last one.
    pub fn at(&mut self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        if offset < self.offset {
            (self.offset, self.line) = (0, 1);
        }
        let between = &self.text.as_bytes()[self.offset..offset];
        self.line += between.iter().filter(|&&byte| byte == b'\n').count();
        self.offset = offset;
        self.line
    }
}
