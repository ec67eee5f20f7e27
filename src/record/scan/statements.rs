//! Statements of a text, and the games that they belong to.

use super::Scan;
use super::containers::{self, Inside};
use super::outside::left_out;
use super::part::{Problem, Section};
use super::piece::{Colour, Label, Mark, Piece, Player};
use super::replay::Play;
use crate::board::position::Position;
use crate::order::sort_by_key;
use crate::record::GameRecord;
use std::cmp::{Ordering, Reverse};
use std::ops::Range;

/// Maximum number of results between two games that are attributed by their lines.
const MAX_BETWEEN: usize = 8;

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

impl Scan<'_, '_, '_> {
    /// Returns the games that the statements of a section belong to. Warns of those in no game.
    pub(super) fn owned(
        &self,
        section: &Section,
        plays: &[Play],
        pieces: &[Piece],
        said: &Statements,
        problems: &mut Vec<Problem>,
    ) -> Owned {
        if !self.is_json {
            let results = self.owners(section, plays, pieces, &said.results).into_iter();
            let results = results.enumerate().map(|(at, game)| (game, at)).collect();
            let is_only = section.games + plays.len() == 1;
            let names = |game: usize| names_of(plays, game, is_only, &said.named).map(move |at| (game, at));
            return Owned { results, named: (0..plays.len()).flat_map(names).collect(), ..Owned::default() };
        }
        let of = |places: Vec<usize>| {
            let held: Vec<usize> = plays.iter().map(|play| pieces[play.begin].begin as usize).collect();
            match places.is_empty() {
                true => Vec::new(),
                false => containers::owners(&self.around(said, held.clone(), &places), &held, &places),
            }
        };
        let results = of(said.results.iter().map(|result| result.offset).collect());
        let named = of(said.named.iter().map(|named| named.offset).collect());
        let details = of(said.details.iter().map(|detail| detail.0).collect());
        let firsts = of(said.firsts.iter().map(|first| first.0).collect());
        let results_left = said.results.iter().zip(&results).filter(|(_, games)| games.len() != 1);
        let named_left = said.named.iter().zip(&named).filter(|(_, games)| games.len() != 1);
        self.left_over(results_left.map(|(result, _)| result), named_left.map(|(named, _)| named), problems);
        Owned::new(&results, &named, &details, firsts.into_iter().zip(&said.firsts), plays.len())
    }

    /// Adds problems of results and names in no game.
    pub(super) fn left_over<'s>(
        &self,
        results: impl Iterator<Item = &'s Outcome>,
        named: impl Iterator<Item = &'s Named>,
        problems: &mut Vec<Problem>,
    ) {
        let problem = |result: &Outcome| {
            Some((result.offset, left_out(self.text, result.offset, result.winner.err())?))
        };
        problems.extend(results.filter_map(problem));
        problems.extend(named.map(|named| {
            (named.offset, format!("the name {} is not kept: it stands beside no game", named.name))
        }));
    }

    /// Returns the index of the game that each result belongs to. A result between two games belongs to the nearer one,
    /// in lines; of equally near ones to the game behind it if results stand before the first game, too.
    pub(super) fn owners(
        &self,
        section: &Section,
        plays: &[Play],
        pieces: &[Piece],
        results: &[Outcome],
    ) -> Vec<usize> {
        let before = section.results_before.unwrap_or_else(|| results_before(plays, results));
        let games_begun = |result: &Outcome| plays.partition_point(|play| play.begin < result.at);
        let mut owners = Vec::with_capacity(results.len());
        for group in results.chunk_by(|a, b| games_begun(a) == games_begun(b)) {
            let next = games_begun(&group[0]);
            let last = next.saturating_sub(1);
            let inside =
                group.partition_point(|result| result.at < plays.get(last).map_or(0, |play| play.end));
            owners.extend(group[..inside].iter().map(|_| last));
            let behind = &group[inside..];
            let (Some(play), false) = (plays.get(next), next == 0) else {
                owners.extend(behind.iter().map(|_| last));
                continue;
            };
            let [from, until] =
                [pieces[plays[last].end - 1].end, pieces[play.begin].begin].map(|at| at as usize);
            let first_of_next = behind.len().saturating_sub(before);
            for (index, result) in behind.iter().enumerate() {
                let lines =
                    |from: usize, until: usize| self.text[from..until.max(from)].matches('\n').count();
                let distances = match behind.len() > MAX_BETWEEN {
                    true => [0, 0],
                    false => [lines(from, result.offset), lines(result.offset, until)],
                };
                let is_next = match distances[0].cmp(&distances[1]) {
                    Ordering::Less => false,
                    Ordering::Equal => index >= first_of_next,
                    Ordering::Greater => true,
                };
                let known = owners.last().copied().unwrap_or_default();
                owners.push(if is_next { next } else { last }.max(known));
            }
        }
        owners
    }
}
