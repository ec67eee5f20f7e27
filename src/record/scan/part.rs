//! Reads a text section by section. A long section is read in parts, so that its games are never held all at once.

use super::containers::Inside;
use super::lexer::{Found, window};
use super::piece::{Label, Mark, Piece};
use super::replay::Play;
use super::statements::{Owned, Statements, results_before};
use super::{Heading, Scan};
use crate::board::position::Position;
use crate::order::sort_by_key;
use std::ops::Range;

/// A problem and its offset in the text.
pub(super) type Problem = (usize, String);

/// A mark with the number of pieces before it and its offset.
type Placed = (usize, usize, Mark);

/// A part of a text with one header at most, as far as it was read.
#[derive(Default)]
pub(super) struct Section {
    /// Statements about the next game.
    pub heading: Heading,
    /// Offset from which it is left to read.
    begin: usize,
    outer: Outer,
    /// Number of marks that the heading has.
    stated: usize,
    /// Number of games taken in.
    pub games: usize,
    /// The next game, if it is known.
    pub known: Option<Play>,
    /// Number of results before the first game, if it is known.
    pub results_before: Option<usize>,
    shown: Shown,
}

impl Section {
    /// Begins a section at an offset.
    pub fn new(start: Option<Position>, begin: usize) -> Self {
        let heading = Heading { start, offset: begin, ..Heading::default() };
        // A header in JSON is in a string.
        let opened = if begin > 0 { "\"" } else { "" };
        Self { heading, begin, outer: Outer { opened: opened.into(), marks: Vec::new() }, ..Self::default() }
    }

    /// Goes on behind the games that were taken in.
    fn advance(&mut self, cut: Cut, mut plays: Vec<Play>) {
        (self.begin, self.outer) = (cut.offset, cut.outer);
        self.games += cut.games;
        self.known = None;
        if cut.games > 0 {
            self.known = Some(plays.swap_remove(cut.games).without(cut.pieces));
            let Heading { start, edge, first, is_ccgc, .. } = self.heading;
            self.heading = Heading { start, edge, first, is_ccgc, ..Heading::default() };
        }
    }
}

/// JSON around the rest of a section.
#[derive(Default)]
struct Outer {
    /// The open brackets.
    opened: String,
    /// Statements beside all games inside of a number of the brackets.
    marks: Vec<(usize, Mark)>,
}

impl Outer {
    /// Returns statements in a range of offsets. `before` is the number of pieces before those of the statements.
    fn said<'f>(
        &'f self,
        marks: &'f [Placed],
        before: usize,
        range: Range<usize>,
        is_json: bool,
    ) -> Statements<'f> {
        let mut said = Statements::new(range, &self.opened);
        let begin = said.begin();
        self.marks.iter().for_each(|(around, mark)| said.add(mark, 0, begin + around, is_json));
        marks.iter().for_each(|(at, offset, mark)| said.add(mark, *at - before, *offset, is_json));
        said
    }
}

/// Pieces of a section in no game, as far as warnings name them.
#[derive(Default)]
pub(super) struct Shown {
    /// Number of lines in warnings.
    pub lines: usize,
    /// First and last line without a warning.
    pub more: Option<[usize; 2]>,
    /// True if a game has moves in letters, or in numbers.
    pub has_letters: bool,
    pub has_numbers: bool,
}

/// Games found in the pieces of a section, and their statements.
pub(super) struct Games<'g, 'f> {
    pub pieces: &'g [Piece],
    pub said: &'g Statements<'f>,
    pub plays: &'g [Play],
    pub owned: &'g Owned,
    /// True for the pieces that are moves of games.
    pub used: Vec<bool>,
}

impl<'g, 'f> Games<'g, 'f> {
    fn new(pieces: &'g [Piece], said: &'g Statements<'f>, plays: &'g [Play], owned: &'g Owned) -> Self {
        let mut used = vec![false; pieces.len()];
        for play in plays {
            used[play.begin..play.end].fill(true);
            play.skipped.iter().for_each(|skipped| used[skipped.clone()].fill(false));
        }
        Self { pieces, said, plays, owned, used }
    }
}

/// End of the part of a section that is complete.
struct Cut {
    /// Number of games, and of pieces, before it.
    games: usize,
    pieces: usize,
    offset: usize,
    outer: Outer,
}

/// Number of pieces behind a game after which further ones do not change it.
fn margin() -> usize {
    window() / 16
}

impl Scan<'_, '_, '_> {
    /// Reads the sections of what was found; each begins with a header. Unless the text ends here, keeps what is not
    /// complete.
    pub(super) fn read(&mut self, found: &mut Found, is_last: bool) {
        let mut section = std::mem::take(&mut self.section);
        let (mut begin, mut first) = (0, 0);
        let mut known = section.stated;
        while let Some((at, offset, mark)) = found.marks.get(known) {
            let is_behind = *at == found.pieces.len();
            if !is_last && is_behind && names_result(mark) && found.marks.len() - known < margin() {
                // What follows decides.
                break;
            }
            let has_pieces = begin < *at || section.games > 0;
            if self.begins_section(&section.heading, mark, has_pieces, is_behind) {
                let mut ended = std::mem::replace(&mut section, Section::new(self.start, *offset));
                let outer = std::mem::take(&mut ended.outer);
                let said = outer.said(
                    &found.marks[first..known],
                    begin,
                    ended.begin.min(*offset)..*offset,
                    self.is_json,
                );
                self.end(ended, &found.pieces[begin..*at], &said);
                (begin, first) = (*at, known);
            }
            self.state(&mut section.heading, mark, *offset);
            known += 1;
        }
        found.forget(begin, |index, _, _| index >= first);
        section.stated = known - first;
        if is_last {
            let outer = std::mem::take(&mut section.outer);
            let said = outer.said(&found.marks, 0, section.begin..self.text.len(), self.is_json);
            self.end(section, &found.pieces, &said);
        } else {
            if 2 * found.len() > window() {
                self.part(&mut section, found);
            }
            self.section = section;
        }
        if self.intake.games > self.games + 1 {
            for offset in std::mem::take(&mut self.lone) {
                self.warn(offset, "a game with less than two moves is assumed here");
            }
        }
    }

    /// True if a mark is the header of a new section.
    fn begins_section(&self, heading: &Heading, mark: &Mark, has_pieces: bool, is_behind: bool) -> bool {
        match mark {
            Mark::Header(_) => heading.is_ccgc || heading.has_tags || has_pieces,
            // In JSON, they belong to an object or a string.
            Mark::Fen(_) | Mark::Tag(..) if self.is_json => false,
            // A result behind all moves is that of the last game.
            mark if is_behind && names_result(mark) => heading.is_ccgc && !has_pieces,
            Mark::Tag(..) | Mark::Fen(_) => has_pieces || heading.is_ccgc,
            _ => false,
        }
    }

    /// Adds the games of a section, or of its last part.
    fn end(&mut self, mut section: Section, pieces: &[Piece], said: &Statements) {
        let mut problems = Vec::new();
        let plays = self.plays(&section, pieces, said, &mut problems);
        let is_first = plays.is_empty() && section.games == 0;
        let is_lone =
            is_first && (section.heading.is_ccgc || section.heading.start.is_some() && self.start.is_none());
        let owned = match is_lone {
            true => Owned::default(),
            false => self.owned(&section, &plays, pieces, said, &mut problems),
        };
        // Those of statements around the section were named with its first part.
        problems.retain(|(offset, _)| *offset >= section.begin);
        problems.into_iter().for_each(|(offset, text)| self.warn(offset, text));
        if is_lone {
            self.game_without_moves(&mut section.heading, said);
        }
        let all = Games::new(pieces, said, &plays, &owned);
        self.add(&mut section, &all, plays.len(), pieces.len());
        self.sum_up(&section.shown);
    }

    /// Adds the first games of a section, and warns of the other ones of the first pieces.
    fn add(&mut self, section: &mut Section, all: &Games, games: usize, pieces: usize) {
        let is_empty = all.plays.is_empty() && section.games == 0;
        (0..games).for_each(|index| self.game(section, all, index));
        self.unused(&all.pieces[..pieces], &all.used[..pieces], is_empty, &mut section.shown);
    }

    /// Adds the games of a section that further pieces do not change, and forgets them.
    fn part(&mut self, section: &mut Section, found: &mut Found) {
        let end = found.marks.last().map_or(section.begin, |(_, offset, _)| section.begin.max(*offset));
        let end = found.pieces.last().map_or(end, |piece| end.max(piece.end as usize));
        let outer = std::mem::take(&mut section.outer);
        let said = outer.said(&found.marks[..section.stated], 0, section.begin..end, self.is_json);
        let mut problems = Vec::new();
        let plays = self.plays(section, &found.pieces, &said, &mut problems);
        let owned = self.owned(section, &plays, &found.pieces, &said, &mut problems);
        let Some(cut) = self.cut(section, &plays, &owned, &found.pieces, &said) else {
            drop(said);
            section.outer = outer;
            return;
        };
        if !self.is_json && cut.games == 0 {
            self.left_over(said.results.iter(), said.named.iter(), &mut problems);
        }
        problems.retain(|(offset, _)| (section.begin..cut.offset).contains(offset));
        problems.into_iter().for_each(|(offset, text)| self.warn(offset, text));
        let all = Games::new(&found.pieces, &said, &plays, &owned);
        self.add(section, &all, cut.games, cut.pieces);
        if !plays.is_empty() {
            section.results_before.get_or_insert_with(|| results_before(&plays, &said.results));
        }
        let of_added: Vec<usize> = owned
            .offsets(&said)
            .filter(|(game, offset)| *game < cut.games && *offset >= cut.offset)
            .map(|(_, offset)| offset)
            .collect();
        drop(said);
        let (pieces, from, stated) = (cut.pieces, cut.offset, std::mem::take(&mut section.stated));
        section.advance(cut, plays);
        found.forget(pieces, |index, offset, mark| {
            let is_open = offset >= from && !of_added.contains(&offset) && is_statement(mark);
            let is_kept = index >= stated || is_open;
            section.stated += usize::from(is_kept && index < stated);
            is_kept
        });
    }

    /// Finds the end of the part of a section that is complete.
    fn cut(
        &self,
        section: &Section,
        plays: &[Play],
        owned: &Owned,
        pieces: &[Piece],
        said: &Statements,
    ) -> Option<Cut> {
        let is_empty = plays.is_empty() && section.games == 0;
        let gaps = if is_empty { gap_before(pieces, &said.range) } else { gaps(plays, pieces) };
        let gap = match self.is_json {
            true => {
                let ranges: Vec<Range<usize>> = gaps
                    .iter()
                    .map(|gap| gap.offsets.start - said.begin()..gap.offsets.end - said.begin())
                    .collect();
                let outermost = said.inside(self.text).outermost(&ranges);
                let best = outermost.into_iter().zip(gaps).rev().min_by_key(|((depth, _), _)| *depth);
                best.map(|((_, at), gap)| Gap { offsets: said.begin() + at..gap.offsets.end, ..gap })
            }
            false => {
                let has_line = |gap: &&Gap| self.text[gap.offsets.clone()].contains('\n');
                gaps.iter().rfind(has_line).or(gaps.last()).cloned()
            }
        };
        let Gap { games, pieces, offsets } = gap?;
        let offset = match self.is_json {
            // Statements before the first game belong to it, unless there are far too many.
            false if games == 0 => said.middle_of_many().unwrap_or(section.begin),
            _ => offsets.start,
        };
        if !self.is_json {
            return Some(Cut { games, pieces, offset, outer: Outer::default() });
        }
        let is_apart = owned.offsets(said).all(|(game, place)| game < games || place >= offset);
        is_apart.then(|| Cut { games, pieces, offset, outer: self.outer(said, offset) })
    }

    /// Returns the JSON around an offset of a section.
    fn outer(&self, said: &Statements, offset: usize) -> Outer {
        let starts = said.starts.iter().map(|&(offset, mark)| (offset, mark.clone()));
        let firsts = said.firsts.iter().map(|&(offset, colour)| (offset, Mark::Begins(colour)));
        let mut marks: Vec<(usize, Mark)> = starts.chain(firsts).filter(|(at, _)| *at < offset).collect();
        sort_by_key(&mut marks, |(offset, _)| *offset);
        let places: Vec<usize> = marks.iter().map(|(offset, _)| offset - said.begin()).collect();
        let before = Inside { opened: said.opened, text: &self.text[said.range.start..offset] };
        let (opened, open) = before.open(&places);
        let marks = open.into_iter().map(|(index, around)| (around, marks[index].1.clone())).collect();
        Outer { opened, marks }
    }
}

impl Statements<'_> {
    /// Returns the offset of the middle one of the results and names if they are more than any game has.
    fn middle_of_many(&self) -> Option<usize> {
        let results = self.results.iter().map(|result| result.offset);
        let mut offsets: Vec<usize> = results.chain(self.named.iter().map(|named| named.offset)).collect();
        offsets.sort_unstable();
        offsets.get(window() / 2).map(|_| offsets[offsets.len() / 2])
    }
}

/// A place between two games.
#[derive(Clone)]
struct Gap {
    /// Number of games, and of pieces, before it.
    games: usize,
    pieces: usize,
    offsets: Range<usize>,
}

/// Maximum number of places of which the best one is the end of a part.
const MAX_GAPS: usize = 64;

/// Returns the last places between games that are complete.
fn gaps(plays: &[Play], pieces: &[Piece]) -> Vec<Gap> {
    let whole = plays.iter().rposition(|play| play.end + margin() <= pieces.len()).unwrap_or_default();
    // A game that is not the last one has come to its end.
    let last = whole.min(plays.len().saturating_sub(2));
    let gap = |games: usize| {
        let (before, next) = (&plays[games - 1], &plays[games]);
        let until = pieces[next.begin].begin;
        let from = pieces[before.end - 1].end.min(until);
        Gap { games, pieces: next.begin, offsets: from as usize..until as usize }
    };
    (last.saturating_sub(MAX_GAPS) + 1..last + 1).map(gap).collect()
}

/// Returns the place before the last pieces of a section without games; behind all of it if it has no pieces.
fn gap_before(pieces: &[Piece], range: &Range<usize>) -> Vec<Gap> {
    let before = pieces.len().saturating_sub(margin());
    let until = pieces.get(before).map_or(range.end, |piece| piece.begin as usize);
    let from = match before.checked_sub(1) {
        Some(last) => pieces[last].end as usize,
        None if pieces.is_empty() => range.end,
        None => range.start,
    };
    vec![Gap { games: 0, pieces: before, offsets: from..until.max(from) }]
}

/// True for a mark that belongs to one of the games beside it. All others are in the heading.
fn is_statement(mark: &Mark) -> bool {
    !matches!(mark, Mark::Edge(_) | Mark::Gap(..) | Mark::Rivals(_) | Mark::Header(_))
}

/// True for a tag that states the result.
fn names_result(mark: &Mark) -> bool {
    matches!(mark, Mark::Tag(Label::Result | Label::Winner | Label::Loser, _))
}

#[cfg(test)]
mod tests {
    use super::super::lexer::SHORT;
    use crate::board::position::Position;
    use crate::board::square::Side;
    use crate::record::{self, GameRecord, ccgc, json};
    use fastrand::Rng;

    /// Returns a game with up to a number of random moves.
    fn random_game(most: usize, rng: &mut Rng) -> GameRecord {
        let mut position = Position::standard();
        let mut moves = Vec::new();
        while moves.len() < most && position.winner().is_none() {
            let all: Vec<_> = position.legal_moves().collect();
            let mv = all[rng.usize(..all.len())];
            position = position.with_move(mv);
            moves.push(mv);
        }
        let name = |rng: &mut Rng| ["Ann", "Bob", "Cid", "重庆"][rng.usize(..4)];
        let (black, white) = (name(rng), name(rng));
        let winner = [Some(Side::Black), Some(Side::White), None][rng.usize(..3)];
        GameRecord { winner, ..GameRecord::new(black, white, Position::standard()).with_moves(&moves) }
    }

    /// Formats a game in a form of texts, or as an element of a list of JSON.
    fn format(game: &GameRecord, form: usize, rng: &mut Rng) -> String {
        let moves: Vec<String> = game.moves.iter().map(|played| played.mv.to_string()).collect();
        let pairs: Vec<String> = (1..)
            .zip(moves.chunks(2))
            .map(|(number, pair)| format!("{number}. {}", pair.join(" ")))
            .collect();
        let result = match game.winner {
            Some(Side::Black) => "1-0",
            Some(Side::White) => "0-1",
            None => "*",
        };
        let (first, second) = (&game.black, &game.white);
        let (line, turns, list) = (moves.join(" "), pairs.join("\n"), serde_json::to_string(&moves).unwrap());
        match form {
            0 => format!("{line} {result}\n"),
            1 => format!("Game {}\n先手: {first}\n后手: {second}\n{turns}\n{result}\n\n", rng.usize(1..99)),
            2 => format!(
                "[White \"{first}\"]\n[Black \"{second}\"]\n[Result \"{result}\"]\n\n{turns} {result}\n\n"
            ),
            3 => ccgc::write(game),
            4 => format!("{},{first},{second},{line},{result}\n", rng.usize(1..99)),
            5 => format!("{turns}\n\nd1-d2/d3 is no move, see g7 f3 e1\n\n"),
            6 => format!("{line}\n"),
            7 => format!(
                "{{\"result\":\"{result}\",\"moves\":{list},\"white\":\"{first}\",\"black\":\"{second}\"}}"
            ),
            8 => format!(
                "{{\"first\":\"white\",\"hint\":[\"d1-d7/g7\"],\"moves\":\"{line}\",\"winner\":\"{second}\"}}"
            ),
            9 => list,
            10 => format!("\"{line} {result}\""),
            11 => list.replace(['[', ']'], ""),
            12 => format!("{{\"id\":{{\"date\":\"2020-08-16\"}},\"list\":{list},\"score\":\"{result}\"}}"),
            _ => json::write(game).replace("\"start\"", "\"fen\""),
        }
    }

    /// Number of forms of [`format`], and of the first one in JSON.
    const FORMS: usize = 14;
    const FIRST_OF_JSON: usize = 7;

    /// Returns texts of games in a form: one, or lists of JSON.
    fn texts(games: &[String], form: usize) -> Vec<String> {
        if form < FIRST_OF_JSON {
            return vec![games.concat()];
        }
        let lists = [
            ("[", "]"),
            ("{\"event\":\"Cup\",\"games\":[", "]}"),
            ("{\"first\":\"white\",\"games\":[", "]}"),
        ];
        lists.map(|(begin, end)| format!("{begin}{}{end}", games.join(",\n"))).into()
    }

    fn read(text: &str, window: usize) -> (Vec<GameRecord>, Vec<String>) {
        SHORT.set(window);
        let reading = record::read(text).unwrap();
        let mut warnings: Vec<String> = reading.warnings.iter().map(ToString::to_string).collect();
        warnings.sort();
        (reading.games, warnings)
    }

    #[test]
    fn a_text_reads_in_parts_as_it_reads_at_once() {
        let mut rng = Rng::with_seed(1);
        let mut failures = Vec::new();
        for (form, most) in (0..FORMS).flat_map(|form| [1, 2, 7, 92].map(|most| (form, most))) {
            let mut game = || {
                let length = rng.usize(most.min(2)..=most);
                let game = random_game(length, &mut rng);
                format(&game, form, &mut rng)
            };
            let games: Vec<String> = (0..2000 / most.max(2) + 20).map(|_| game()).collect();
            for text in texts(&games, form) {
                let [whole, parts] = [usize::MAX / 4, 600].map(|window| read(&text, window));
                if whole != parts {
                    let other = parts.1.iter().find(|text| !whole.1.contains(text));
                    failures.push(format!("form {form}, {most} moves: {other:?} in {}", &text[..40]));
                }
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}
