//! Statements of a text: results, names, start positions, dates.

use super::containers::Inside;
use super::piece::{Colour, Label, Mark, Player};
use super::replay::Play;
use crate::board::position::Position;
use crate::order::sort_by_key;
use crate::record::GameRecord;
use std::cmp::Reverse;
use std::ops::Range;

/// A statement about the winner in the text.
pub(super) struct Outcome {
    /// Number of pieces before it.
    pub(super) at: usize,
    pub(super) offset: usize,
    /// The winner, or the offsets of a sentence that can hold the name of a player.
    pub(super) winner: Result<Player, [usize; 2]>,
    /// True if the sentence can name the winner by the name of a player.
    pub(super) may_name: bool,
}

/// The name of a player in the text.
pub(super) struct Named {
    /// Number of pieces before it.
    pub(super) at: usize,
    pub(super) offset: usize,
    pub(super) player: Player,
    pub(super) name: String,
}

/// Statements of a section, each of which belongs to one of its games.
pub(super) struct Statements<'f> {
    pub(super) results: Vec<Outcome>,
    pub(super) named: Vec<Named>,
    /// Start positions in JSON, with their offsets.
    pub(super) starts: Vec<(usize, &'f Mark)>,
    /// Colours of the first mover in JSON, with their offsets.
    pub(super) firsts: Vec<(usize, Colour)>,
    /// Dates and events in JSON, with their offsets.
    pub(super) details: Vec<(usize, &'f Mark)>,
    /// Offsets of the section.
    pub(super) range: Range<usize>,
    /// Brackets of JSON that are open at its beginning. Statements between them have offsets right before the range.
    pub(super) opened: &'f str,
}

impl<'f> Statements<'f> {
    pub(super) fn new(range: Range<usize>, opened: &'f str) -> Self {
        let (results, named) = (Vec::new(), Vec::new());
        let (starts, firsts, details) = (Vec::new(), Vec::new(), Vec::new());
        Self { results, named, starts, firsts, details, range, opened }
    }

    /// Returns the offset of the first open bracket.
    pub(super) fn begin(&self) -> usize {
        self.range.start - self.opened.len()
    }

    /// Returns the text of JSON inside of the open brackets.
    pub(super) fn inside(&self, text: &'f str) -> Inside<'f> {
        Inside { opened: self.opened, text: &text[self.range.clone()] }
    }

    /// Adds a mark behind a number of pieces if it belongs to one game; in JSON, start position and tags do.
    pub(super) fn add(&mut self, mark: &'f Mark, at: usize, offset: usize, is_json: bool) {
        let result = |winner, may_name| Outcome { at, offset, winner, may_name };
        match mark {
            Mark::Won(player) => self.results.push(result(Ok(*player), true)),
            Mark::Sentence { begin, end, may_name } => {
                self.results.push(result(Err([*begin as usize, *end as usize]), *may_name));
            }
            Mark::Named(player, name) => {
                self.named.push(Named { at, offset, player: *player, name: name.clone() })
            }
            _ if !is_json => {}
            Mark::Start(Some(_)) => self.starts.push((offset, mark)),
            Mark::Fen(fen) if Position::from_fen(fen).is_ok() => self.starts.push((offset, mark)),
            Mark::Begins(colour) => self.firsts.push((offset, *colour)),
            Mark::Tag(Label::Date | Label::Event, _) => self.details.push((offset, mark)),
            _ => {}
        }
    }
}

/// Statements of a section by games: pairs of the indices of a game and of its statement, in the order of the games.
#[derive(Default)]
pub(super) struct Owned {
    pub(super) results: Vec<(usize, usize)>,
    pub(super) named: Vec<(usize, usize)>,
    pub(super) details: Vec<(usize, usize)>,
    /// Colour of the first mover in each game, if it is stated.
    pub(super) firsts: Vec<Option<Colour>>,
}

impl Owned {
    /// Sorts statements by the games that they stand beside. The colour of the first mover can be that of several.
    pub(super) fn new<'s>(
        results: &[Range<usize>],
        named: &[Range<usize>],
        details: &[Range<usize>],
        firsts: impl Iterator<Item = (Range<usize>, &'s (usize, Colour))>,
        games: usize,
    ) -> Self {
        let sorted = |ranges: &[Range<usize>]| {
            let single = ranges.iter().enumerate().filter(|(_, games)| games.len() == 1);
            let mut sorted: Vec<_> = single.map(|(at, games)| (games.start, at)).collect();
            sorted.sort_unstable();
            sorted
        };
        let mut firsts: Vec<(Range<usize>, Colour)> = firsts.map(|(games, first)| (games, first.1)).collect();
        sort_by_key(&mut firsts, |(games, _)| (games.start, Reverse(games.end)));
        firsts.dedup_by(|other, first| other.0 == first.0);
        let mut stated = vec![None; games];
        firsts.into_iter().for_each(|(games, colour)| stated[games].fill(Some(colour)));
        Self { results: sorted(results), named: sorted(named), details: sorted(details), firsts: stated }
    }

    /// Returns the games of the statements that belong to one, and their offsets.
    pub(super) fn offsets(&self, said: &Statements) -> impl Iterator<Item = (usize, usize)> {
        let results = self.results.iter().map(|&(game, at)| (game, said.results[at].offset));
        let named = self.named.iter().map(|&(game, at)| (game, said.named[at].offset));
        let details = self.details.iter().map(|&(game, at)| (game, said.details[at].0));
        results.chain(named).chain(details)
    }
}

/// Sets the date or the event that a tag states.
pub(super) fn add_detail(record: &mut GameRecord, tag: &Mark) {
    match tag {
        Mark::Tag(Label::Date, value) => record.when.clone_from(value),
        Mark::Tag(_, value) => record.event.clone_from(value),
        _ => {}
    }
}

/// Returns the indices of the statements of a game.
pub(super) fn of_game(sorted: &[(usize, usize)], game: usize) -> impl Iterator<Item = usize> {
    let begin = sorted.partition_point(|(owner, _)| *owner < game);
    sorted[begin..].iter().take_while(move |(owner, _)| *owner == game).map(|(_, at)| *at)
}

/// Returns the indices of the names of a game's players: those before its moves, and behind them if no other game is in
/// the text.
pub(super) fn names_of<'n>(
    plays: &'n [Play],
    game: usize,
    is_only: bool,
    named: &'n [Named],
) -> impl Iterator<Item = usize> + 'n {
    let play = &plays[game];
    let from = game.checked_sub(1).map_or(0, |before| plays[before].end);
    let is_own = move |named: &Named| {
        let is_before = (from..=play.begin).contains(&named.at);
        is_before || is_only && named.at >= play.end
    };
    named.iter().enumerate().filter(move |(_, named)| is_own(named)).map(|(at, _)| at)
}

/// Returns the number of results before the first game.
pub(super) fn results_before(plays: &[Play], results: &[Outcome]) -> usize {
    plays.first().map_or(0, |first| results.partition_point(|result| result.at <= first.begin))
}
