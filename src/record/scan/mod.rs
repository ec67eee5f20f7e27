//! Reads moves in any notation from any text: move lists, records of the Chinese championships, PGN, logs, mail.
//!
//! The [`lexer`] finds everything that looks like a move, and statements such as names and results. [`replay`] then
//! reads the coordinates in each possible way (board size, order and origin, first number, start) and keeps the way
//! that plays the longest legal game. Mirror images count as one way. Of equally long games the one that fits the
//! text's statements wins, then the usual one: a letter and a number count from below, two letters from the top, six
//! numbers on 8x8 as on Botzone, and 10x10 comes before other sizes. What is in no game is in a warning.

mod containers;
mod explain;
mod half_width;
mod header;
mod heading;
mod lexer;
mod numbering;
mod outside;
mod owners;
mod part;
mod piece;
mod replay;
mod signs;
mod statements;
mod verdict;
mod words;

use super::GameRecord;
use super::reading::{Intake, Lines, Reading, Warning, reserve_some};
use crate::board::moves::Move;
use crate::board::notation::MalformedText;
use crate::board::position::Position;
use crate::order::sort_by_key;
use containers::Container;
use heading::Heading;
use lexer::Lexer;
pub(super) use outside::{outside, strays};
use part::{Games, Problem, Section};
use piece::{Aside, Beside, Border, Form, Mark};
pub(super) use piece::{Colour, Piece, Player};
pub(super) use replay::Way;
use replay::{Play, Stated};
use statements::{Named, Outcome, Statements, add_detail, of_game};
use std::cmp::Reverse;
use std::convert::Infallible;
use std::ops::Range;
use verdict::Verdict;
pub(super) use verdict::by_mover as winner_by;

/// Number of warnings about single lines, after which the rest is summed up.
const MAX_WARNINGS: usize = 50;

/// Maximum number of moves in an object before one that its start position allows.
const MAX_BEFORE_START: usize = 8;

/// Reads the games of a text. `is_json` keeps braces from being comments.
pub(super) fn read(text: &str, start: Option<Position>, is_json: bool) -> Reading {
    let read: Result<Reading, Infallible> = Reading::collect(|intake| {
        scan(text, start, is_json, 1, intake);
        Ok(())
    });
    read.unwrap_or_default()
}

/// Reads like [`read`], one game at a time. `line` is the number of the text's first line.
pub(super) fn scan(text: &str, start: Option<Position>, is_json: bool, line: usize, intake: &mut Intake) {
    let games = intake.games;
    let lines = Lines::from(text, line);
    let section = Section::new(start, 0);
    let mut scan = Scan { text, lines, intake, games, start, is_json, lone: Vec::new(), section };
    Lexer::new(text, is_json).read_in_parts(&mut |found, is_last| scan.read(found, is_last));
}

/// True if JSON holds a whole move.
pub(super) fn has_moves(json: &str) -> bool {
    Lexer::new(json, true).read().pieces.iter().any(|piece| piece.form != Form::Fragment)
}

/// Returns the number of whole moves in JSON that can be those of a game.
pub(super) fn moves_in(json: &str) -> usize {
    let is_move = |piece: &&Piece| piece.form != Form::Fragment && piece.aside != Aside::Comment;
    Lexer::new(json, true).read().pieces.iter().filter(is_move).count()
}

/// Returns the place in a move of a value with this name: 0 for the origin, 1 for the destination, 2 for the arrow.
pub(super) fn role(key: &str) -> Option<u8> {
    const ROLES: [&[&str]; 3] = [
        &["from", "start", "src", "source", "origin", "piece", "queen", "amazon"],
        &["to", "end", "dst", "dest", "destination", "target"],
        &["arrow", "shoot", "shot", "block", "stone", "fire"],
    ];
    if let [b'x' | b'y' | b'X' | b'Y', number @ b'0'..=b'2'] = key.as_bytes() {
        return Some(number - b'0');
    }
    let is_first = |letter: &(usize, char)| letter.0 > 0 && !letter.1.is_ascii_lowercase();
    let length = key.char_indices().find(is_first).map_or(key.len(), |(at, _)| at);
    let word = key[..length].to_ascii_lowercase();
    let is_coordinate = words::is_coordinate(key);
    let role = ROLES.iter().position(|names| names.contains(&&*word)).filter(|_| is_coordinate)?;
    u8::try_from(role).ok()
}

/// Reads a move typed in a position: in any notation, but counted in the usual way.
///
/// # Errors
/// Returns the reason if the text is not one move, or if the move is illegal.
pub(super) fn typed(text: &str, position: &Position) -> Result<Move, String> {
    let found = Lexer::new(text, false).read();
    let short: String = text.trim().chars().take(60).collect();
    let [piece] = &found.pieces[..] else {
        return Err(format!("{short:?} is not a move like d1-d7/g7"));
    };
    if piece.form == Form::Fragment {
        return Err(format!("{short:?} is not a move like d1-d7/g7"));
    }
    let begin = piece.begin as usize;
    let rest = [&text[..begin], &text[piece.end as usize..]].concat();
    if let Some(letter) = rest.chars().find(|letter| letter.is_alphanumeric()) {
        return Err(format!("{short:?} is not a move like d1-d7/g7: {letter:?} does not belong to it"));
    }
    let mv = Way::usual(*position).move_of(piece, position);
    let mv = mv.ok_or_else(|| format!("{short:?} is not a move on this board"))?;
    position.check(mv).map_err(|error| format!("{mv} is not legal: {error}"))?;
    Ok(mv)
}

/// Reads a text that is one move in any notation; `None` if it is none.
pub(super) fn piece_of(text: &str) -> Option<Piece> {
    let text = text.trim();
    let all = words::pairs(text).filter(|points| points.len() == 3);
    if let Some([from, to, arrow]) = all.as_deref() {
        return Some(Piece {
            begin: 0,
            end: text.len() as u32,
            numbers: [*from, *to, *arrow],
            form: Form::Letters,
            aside: Aside::No,
            mover: None,
            border: Border::No,
            is_weak: false,
            beside: Beside::No,
        });
    }
    let found = Lexer::new(text, false).read();
    let [piece] = found.pieces[..] else { return None };
    (piece.form != Form::Fragment).then_some(piece)
}

/// Returns the winner that a result in words names, `1-0`, `black lost on time`; `Some(None)` if it says that there is no
/// winner yet, `None` if it is unclear.
pub(super) fn winner(text: &str) -> Option<Option<Player>> {
    let full = |word| match words::colour(word) {
        Some(Colour::Black) => "black",
        Some(Colour::White) => "white",
        None => word,
    };
    // Such as `(move 2)`.
    let text = text.split('(').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    let text = text.split(' ').map(full).collect::<Vec<_>>().join(" ");
    let bare = verdict::read(&text, ["", ""]);
    let labelled = || verdict::read(&format!("result: {text}"), ["", ""]);
    match if matches!(bare, Verdict::Won(_) | Verdict::Open) { bare } else { labelled() } {
        Verdict::Open | Verdict::Nothing => Some(None),
        Verdict::Won(player) => Some(Some(player)),
        Verdict::Weak | Verdict::Unclear => None,
    }
}

/// Returns the sentences of a comment that state the winner, `White resigns`, `1-0`, with the winner; `None` if the name
/// in a sentence is not known. `names` are those of the first and the second mover.
pub(super) fn winners<'t>(
    comment: &'t str,
    names: [&'t str; 2],
) -> impl Iterator<Item = (&'t str, Option<Player>)> {
    let lines = comment.split(['\n', ';', '!', '。', '！', '；']);
    let trimmed = |text: &'t str| text.trim_matches(['.', ' ', '(', ')', '[', ']']);
    lines.flat_map(|line| line.split(". ")).map(trimmed).filter_map(move |sentence| {
        if let Some(colour) = sentence.split_once('+').and_then(|(colour, by)| won_by(colour, by)) {
            return Some((sentence, Some(Player::Of(colour))));
        }
        let is_score = !sentence.is_empty() && !sentence.contains(char::is_alphabetic);
        let labelled = || verdict::read(&format!("result: {sentence}"), names);
        match if is_score { labelled() } else { verdict::read(sentence, names) } {
            Verdict::Won(player) => Some((sentence, Some(player))),
            Verdict::Unclear | Verdict::Weak if words::ends_a_game(sentence) => Some((sentence, None)),
            _ => None,
        }
    })
}

/// Returns the colour of a result with a plus sign, `B+3`, `White+R`.
fn won_by(colour: &str, by: &str) -> Option<Colour> {
    let is_count = by.bytes().all(|byte| byte.is_ascii_digit());
    words::colour(&colour.to_lowercase()).filter(|_| is_count || ["R", "T", "F"].contains(&by))
}

/// Returns the ways to read pieces in a game from this start, the usual ones first.
pub(super) fn ways(start: Position, pieces: &[Piece]) -> Vec<Way> {
    let forms: Vec<Form> = pieces.iter().map(|piece| piece.form).collect();
    Way::likely(start, &forms)
}

struct Scan<'a, 'i, 't> {
    text: &'a str,
    lines: Lines<'a>,
    intake: &'i mut Intake<'t>,
    /// Number of games taken in before.
    games: usize,
    start: Option<Position>,
    is_json: bool,
    /// Offsets of games with less than two moves and no header.
    lone: Vec<usize>,
    section: Section,
}

impl Scan<'_, '_, '_> {
    /// Warns of a doubt about what was read.
    fn remark(&mut self, offset: usize, text: impl Into<String>) {
        self.intake.remarks += 1;
        self.warn(offset, text);
    }

    fn warn(&mut self, offset: usize, text: impl Into<String>) {
        let line = self.lines.at(offset);
        self.intake.warnings.push(Warning::new(line, text));
    }

    /// Adds a game of a section, the first one with the heading.
    fn game(&mut self, section: &mut Section, all: &Games, index: usize) {
        let Games { pieces, said, plays, owned, used } = all;
        let (play, number) = (&plays[index], section.games + index);
        let mut record = GameRecord::new("", "", play.way.start).with_moves(&play.moves);
        let stated = play.first.or(owned.firsts.get(index).copied().flatten());
        let heading = &mut section.heading;
        let first = stated.or(heading.first);
        let mut further = Heading { first, is_ccgc: heading.is_ccgc, ..Heading::default() };
        let own_heading = if number == 0 { &mut *heading } else { &mut further };
        let names: Vec<&Named> = of_game(&owned.named, index).map(|at| &said.named[at]).collect();
        self.name(own_heading, &names, first, play.way.start.side());
        let results: Vec<&Outcome> = of_game(&owned.results, index).map(|at| &said.results[at]).collect();
        self.head(own_heading, &mut record, stated, &results);
        of_game(&owned.details, index).for_each(|at| add_detail(&mut record, said.details[at].1));
        let edge = play.way.start.size().edge();
        if let Some(stated) = heading.edge.filter(|&stated| number == 0 && stated != edge) {
            let text = format!("the text states {stated} rows, but the moves are those of {edge}x{edge}");
            self.warn(pieces[play.begin].begin as usize, text);
        }
        let has_header = number == 0 && (heading.is_ccgc || heading.has_tags);
        if play.moves.len() == 1 && (!has_header || section.games + plays.len() > 1) {
            self.lone.push(pieces[play.begin].begin as usize);
        }
        self.explain(play, &pieces[play.begin], number);
        self.explain_pieces(play, pieces, used);
        let goes_on = plays.get(index + 1).is_some_and(|next| next.begin == play.end);
        if let Some(next) = pieces.get(play.end).filter(|_| !goes_on) {
            self.explain_end(play, &record, next);
        }
        self.intake.add(record, 0);
    }

    /// Adds the game of a section without moves.
    fn game_without_moves(&mut self, heading: &mut Heading, said: &Statements) {
        let of_edge = heading.edge.and_then(crate::board::square::Size::new).map(Position::start);
        let start = heading.start.or(of_edge).unwrap_or_else(Position::standard);
        let mut record = GameRecord::new("", "", start);
        let (named, first) = (said.named.iter().collect::<Vec<_>>(), heading.first);
        self.name(heading, &named, first, start.side());
        self.head(heading, &mut record, None, &said.results.iter().collect::<Vec<_>>());
        self.lone.extend((!heading.is_ccgc).then_some(heading.offset));
        self.intake.add(record, 0);
    }

    /// Finds the games of a section. In JSON, a start position is that of the moves in its object.
    fn plays(
        &self,
        section: &Section,
        pieces: &[Piece],
        said: &Statements,
        problems: &mut Vec<Problem>,
    ) -> Vec<Play> {
        let stated = |start| Stated { start, edge: section.heading.edge };
        let known = section.known.as_ref();
        if !self.is_json {
            return replay::games(pieces, stated(section.heading.start), known);
        }
        let mut plays = Vec::new();
        for (range, start) in self.starts(pieces, said, problems) {
            let begins_there = |play: &&Play| {
                let usual = Position::start(play.way.start.size());
                range.start == 0 && range.end > play.end && start.unwrap_or(usual) == play.way.start
            };
            let games = replay::games(&pieces[range.clone()], stated(start), known.filter(begins_there));
            for play in games {
                reserve_some(&mut plays);
                plays.push(play.behind(range.start));
            }
        }
        plays
    }

    /// Parts the pieces of a section of JSON by their start positions.
    fn starts(
        &self,
        pieces: &[Piece],
        said: &Statements,
        problems: &mut Vec<Problem>,
    ) -> Vec<(Range<usize>, Option<Position>)> {
        let whole: Vec<usize> =
            (0..pieces.len()).filter(|&index| pieces[index].form != Form::Fragment).collect();
        let begins = whole.iter().map(|&index| pieces[index].begin as usize).collect();
        let places: Vec<usize> = said.starts.iter().map(|(offset, _)| *offset).collect();
        let mut starts = Vec::new();
        for (&(offset, mark), container) in said.starts.iter().zip(self.around(said, begins, &places)) {
            let held = &whole[container.held];
            let (Some(&first), Some(&last)) = (held.first(), held.last()) else { continue };
            let position = match mark {
                Mark::Start(Some(position)) => Some(**position),
                Mark::Fen(fen) => Position::from_fen(fen).ok(),
                _ => None,
            };
            let can_begin = |&&piece: &&usize| position.is_some_and(|at| replay::begins(&pieces[piece], at));
            if held.iter().take(MAX_BEFORE_START).any(|piece| can_begin(&piece)) {
                let is_behind = (offset > pieces[first].begin as usize, matches!(mark, Mark::Fen(_)));
                starts.push((first, Reverse(last + 1), Reverse(is_behind), position));
            } else {
                let text = "the start position is not understood; the game is read from the usual start";
                problems.push((offset, text.into()));
            }
        }
        sort_by_key(&mut starts, |&(first, end, order, _)| (first, end, order));
        let (mut parts, mut at) = (Vec::new(), 0);
        let mut open: Vec<(usize, Option<Position>)> = vec![(pieces.len(), None)];
        let mut part = |until: usize, start: Option<Position>| {
            parts.extend((at < until).then_some((at..until, start)));
            at = at.max(until);
        };
        for (first, Reverse(end), _, position) in starts {
            while let Some((end, start)) = open.pop_if(|(end, _)| *end <= first) {
                part(end, start);
            }
            part(first, open.last().and_then(|(_, start)| *start));
            open.push((end, position));
        }
        open.into_iter().rev().for_each(|(end, start)| part(end, start));
        parts
    }

    /// Returns the containers around places of a section of JSON that hold any of these offsets.
    fn around(&self, said: &Statements, mut held: Vec<usize>, places: &[usize]) -> Vec<Container> {
        let begin = said.begin();
        held.iter_mut().for_each(|offset| *offset = offset.saturating_sub(begin));
        let places: Vec<usize> = places.iter().map(|place| place.saturating_sub(begin)).collect();
        said.inside(self.text).around(&held, &places)
    }
}

/// Reads the games of a text without structure.
///
/// # Errors
/// Fails if the text has no game.
pub(super) fn read_into(text: &str, intake: &mut Intake) -> Result<(), MalformedText> {
    let known = intake.games;
    scan(text, None, false, 1, intake);
    match intake.warnings.kept().first() {
        _ if intake.games > known => Ok(()),
        Some(warning) => Err(MalformedText::new(format!("has no move that can be played; {warning}"))),
        None => Err(MalformedText::new("no move found")),
    }
}
