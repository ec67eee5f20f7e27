//! The games that the statements of a section belong to.

use super::Scan;
use super::containers;
use super::outside::left_out;
use super::part::{Problem, Section};
use super::piece::Piece;
use super::replay::Play;
use super::statements::{Named, Outcome, Owned, Statements, names_of, results_before};
use std::cmp::Ordering;

/// Maximum number of results between two games that are attributed by their lines.
const MAX_BETWEEN: usize = 8;

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
