//! Names of JSON values. Moves under another name than those of the game were not played: `hint`, `expected`.

use super::super::piece::{Aside, Form, Piece};
use super::super::{verdict, words};
use std::collections::HashMap;

/// Maximum number of nested values whose names are known.
const MAX_DEPTH: usize = 256;

/// Maximum number of names around a piece that are looked at.
const MAX_AROUND: usize = 8;

/// Maximum number of names of moves that are told apart.
const MAX_NAMES: usize = 1000;

/// Number of players of a game.
const MAX_PLAYERS: usize = 2;

/// Name of all lists of played moves.
const PLAYED: &str = "moves";

/// The names of the values around the current one, and those of the pieces.
#[derive(Default)]
pub(super) struct Keys<'a> {
    /// Open brackets outside of strings.
    depth: usize,
    /// The names, each with the number of brackets around it.
    open: Vec<(usize, &'a str)>,
    /// Names of pieces, each with the number of pieces before those that have it.
    pieces: Vec<(usize, &'a str)>,
    /// Number of pieces by their name, and the order of the names.
    counts: HashMap<String, (usize, usize)>,
    /// Names of the players, which can be those of values, too.
    players: Vec<String>,
}

impl<'a> Keys<'a> {
    /// Opens a bracket.
    pub fn open(&mut self) {
        self.depth += 1;
    }

    /// Closes a bracket, and the values in it.
    pub fn close(&mut self) {
        self.end_values(self.depth);
        self.depth = self.depth.saturating_sub(1);
    }

    /// Begins a value.
    pub fn begin(&mut self, name: &'a str) {
        self.end_values(self.depth);
        if self.open.len() < MAX_DEPTH {
            self.open.push((self.depth, name));
        }
    }

    fn end_values(&mut self, depth: usize) {
        while self.open.pop_if(|(open, _)| *open >= depth).is_some() {}
    }

    /// Gives the next piece the name of the values around it. `known` is the number of pieces before it.
    pub fn name_piece(&mut self, known: usize) {
        let own =
            self.open.iter().rev().take(MAX_AROUND).map(|(_, name)| *name).find(|name| !is_neutral(name));
        let own = own.unwrap_or_default();
        if self.pieces.last().is_none_or(|(_, last)| *last != own) {
            self.pieces.push((known, own));
        }
    }

    /// Sets pieces aside that have another name than those of the game: lists such as `moves`, else those of the name
    /// with most pieces so far. `named` are the names of players.
    pub fn set_aside<'n>(&mut self, pieces: &mut [Piece], named: impl Iterator<Item = &'n str>) {
        let Some(&(_, last)) = self.pieces.last() else { return };
        self.players.extend(named.take(MAX_PLAYERS - self.players.len()).map(str::to_owned));
        let normal = |name: &str| match self.players.iter().any(|player| player == name) {
            true => PLAYED.to_owned(),
            false => normal(name),
        };
        let ends = self.pieces.iter().skip(1).map(|(begin, _)| *begin).chain([pieces.len()]);
        let runs =
            || self.pieces.iter().zip(ends.clone()).map(|(&(begin, name), end)| (begin..end, normal(name)));
        for (range, name) in runs() {
            let is_played = |piece: &&Piece| piece.aside != Aside::Comment && piece.form != Form::Fragment;
            let count = pieces[range].iter().filter(is_played).count();
            let order = usize::MAX - self.counts.len();
            if count > 0 && (self.counts.len() < MAX_NAMES || self.counts.contains_key(&name)) {
                self.counts.entry(name).or_insert((0, order)).0 += count;
            }
        }
        let most = self.counts.iter().max_by_key(|(name, count)| (*name == PLAYED, **count));
        if let Some((own, _)) = most {
            for (range, _) in runs().filter(|(_, name)| name != own) {
                pieces[range].iter_mut().for_each(|piece| piece.aside = Aside::Comment);
            }
        }
        self.pieces = vec![(pieces.len(), last)];
    }

    /// Counts pieces without the first ones.
    pub fn forget(&mut self, pieces: usize) {
        self.pieces.iter_mut().for_each(|(begin, _)| *begin = begin.saturating_sub(pieces));
    }
}

/// Returns a name without numbers, letters alone and players; lists of moves have one name.
fn normal(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        match letter {
            'A'..='Z' if words.ends_with(|c: char| c.is_ascii_lowercase()) => words.extend([' ', letter]),
            letter if letter.is_alphabetic() => words.push(letter),
            _ => words.push(' '),
        }
    }
    let words = words.to_lowercase();
    let is_own = |word: &&str| word.chars().nth(1).is_some() && verdict::player(word).is_none();
    let own: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).filter(is_own).collect();
    match own[..] {
        [word] if words::names_moves(word) => PLAYED.to_owned(),
        _ => own.join(" "),
    }
}

/// True if a name says no more than the order, the player or the part of a move.
fn is_neutral(name: &str) -> bool {
    words::is_coordinate(name) || verdict::player(name).is_some() || normal(name).is_empty()
}
