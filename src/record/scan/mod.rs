//! Reads moves in any notation from any text: move lists, records of the Chinese championships, PGN, logs, mail.
//!
//! The [`lexer`] finds everything that looks like a move, and statements such as names and results. [`replay`] then
//! reads the coordinates in each possible way (board size, order and origin, first number, start) and keeps the way
//! that plays the longest legal game. Mirror images count as one way. Of equally long games the one that fits the
//! text's statements wins, then the usual one: a letter and a number count from below, two letters from the top, six
//! numbers on 8x8 as on Botzone, and 10x10 comes before other sizes. What is in no game is in a warning.

mod containers;
mod half_width;
mod header;
mod lexer;
mod numbering;
mod part;
mod piece;
mod replay;
mod signs;
mod verdict;
mod words;

use super::GameRecord;
use super::reading::{Intake, Lines, Reading, Warning, Warnings, reserve_some};
use crate::board::moves::Move;
use crate::board::notation::MalformedText;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::order::sort_by_key;
use containers::{Container, Inside};
use lexer::Lexer;
use part::{Games, Problem, Section, Shown};
use piece::{Aside, Beside, Border, Form, Label, Mark};
pub(super) use piece::{Colour, Piece, Player};
pub(super) use replay::Way;
use replay::{Play, Stated};
use std::cmp::{Ordering, Reverse};
use std::convert::Infallible;
use std::ops::Range;
use verdict::Verdict;
pub(super) use verdict::by_mover as winner_by;

/// Number of warnings about single lines, after which the rest is summed up.
const MAX_WARNINGS: usize = 50;

/// Maximum number of results between two games that are attributed by their lines.
const MAX_BETWEEN: usize = 8;

/// Maximum number of moves in an object before one that its start position allows.
const MAX_BEFORE_START: usize = 8;

/// Maximum number of letters behind the last move that are read for a move taken back.
const MAX_BEHIND: usize = 40;

/// A statement about the winner in the text.
struct Outcome {
    /// Number of pieces before it.
    at: usize,
    offset: usize,
    /// The winner, or the offsets of a sentence that can hold the name of a player.
    winner: Result<Player, [usize; 2]>,
    /// True if the sentence can name the winner by the name of a player.
    may_name: bool,
}

/// The name of a player in the text.
struct Named {
    /// Number of pieces before it.
    at: usize,
    offset: usize,
    player: Player,
    name: String,
}

/// Statements of a section, each of which belongs to one of its games.
struct Statements<'f> {
    results: Vec<Outcome>,
    named: Vec<Named>,
    /// Start positions in JSON, with their offsets.
    starts: Vec<(usize, &'f Mark)>,
    /// Colours of the first mover in JSON, with their offsets.
    firsts: Vec<(usize, Colour)>,
    /// Dates and events in JSON, with their offsets.
    details: Vec<(usize, &'f Mark)>,
    /// Offsets of the section.
    range: Range<usize>,
    /// Brackets of JSON that are open at its beginning. Statements between them have offsets right before the range.
    opened: &'f str,
}

/// Statements of a section by games: pairs of the indices of a game and of its statement, in the order of the games.
#[derive(Default)]
struct Owned {
    results: Vec<(usize, usize)>,
    named: Vec<(usize, usize)>,
    details: Vec<(usize, usize)>,
    /// Colour of the first mover in each game, if it is stated.
    firsts: Vec<Option<Colour>>,
}

impl Owned {
    /// Sorts statements by the games that they stand beside. The colour of the first mover can be that of several.
    fn new<'s>(
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
    fn offsets(&self, said: &Statements) -> impl Iterator<Item = (usize, usize)> {
        let results = self.results.iter().map(|&(game, at)| (game, said.results[at].offset));
        let named = self.named.iter().map(|&(game, at)| (game, said.named[at].offset));
        let details = self.details.iter().map(|&(game, at)| (game, said.details[at].0));
        results.chain(named).chain(details)
    }
}

/// Sets the date or the event that a tag states.
fn add_detail(record: &mut GameRecord, tag: &Mark) {
    match tag {
        Mark::Tag(Label::Date, value) => record.when.clone_from(value),
        Mark::Tag(_, value) => record.event.clone_from(value),
        _ => {}
    }
}

/// Returns the indices of the statements of a game.
fn of_game(sorted: &[(usize, usize)], game: usize) -> impl Iterator<Item = usize> {
    let begin = sorted.partition_point(|(owner, _)| *owner < game);
    sorted[begin..].iter().take_while(move |(owner, _)| *owner == game).map(|(_, at)| *at)
}

impl<'f> Statements<'f> {
    fn new(range: Range<usize>, opened: &'f str) -> Self {
        let (results, named) = (Vec::new(), Vec::new());
        let (starts, firsts, details) = (Vec::new(), Vec::new(), Vec::new());
        Self { results, named, starts, firsts, details, range, opened }
    }

    /// Returns the offset of the first open bracket.
    fn begin(&self) -> usize {
        self.range.start - self.opened.len()
    }

    /// Returns the text of JSON inside of the open brackets.
    fn inside(&self, text: &'f str) -> Inside<'f> {
        Inside { opened: self.opened, text: &text[self.range.clone()] }
    }

    /// Adds a mark behind a number of pieces if it belongs to one game; in JSON, start position and tags do.
    fn add(&mut self, mark: &'f Mark, at: usize, offset: usize, is_json: bool) {
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

/// Statements about one game.
#[derive(Default)]
struct Heading {
    black: String,
    white: String,
    when: String,
    event: String,
    /// Values of tags and fields that state the result, as `label: value`, with their offsets.
    results: Vec<(String, usize)>,
    /// Colour of the first mover.
    first: Option<Colour>,
    start: Option<Position>,
    edge: Option<usize>,
    /// True for the header of a CCGC record, which is a game even without moves.
    is_ccgc: bool,
    has_tags: bool,
    /// True if the names are those of White and Black, of which White moves first.
    by_colour: bool,
    offset: usize,
}

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

/// Adds warnings of whole moves and of results in a text around games. `line` is the number of its first line.
pub(super) fn outside(text: &str, line: usize, warnings: &mut Warnings) {
    let mut lines = Lines::from(text, line);
    each_outside(text, true, &mut |offset, text| warnings.push(Warning::new(lines.at(offset), text)));
}

/// Calls a function with the offset and the warning of each whole move in a text without games, and of each result if
/// they are asked for.
fn each_outside(text: &str, with_results: bool, take: &mut dyn FnMut(usize, String)) {
    // The last piece of the part before is still there.
    let mut is_known = false;
    Lexer::new(text, false).read_in_parts(&mut |found, _| {
        let pieces = &found.pieces[usize::from(is_known)..];
        let mut moves = whole_moves(pieces, text).peekable();
        let results = found.marks.iter().filter(|_| with_results);
        let results =
            results.filter_map(|(_, offset, mark)| Some((*offset, result_outside(text, *offset, mark)?)));
        for (offset, result) in results {
            while let Some((begin, text)) = moves.next_if(|(begin, _)| *begin <= offset) {
                take(begin, text);
            }
            take(offset, result);
        }
        moves.for_each(|(begin, text)| take(begin, text));
        is_known |= !found.pieces.is_empty();
        found.forget(found.pieces.len().saturating_sub(1), |_, _, _| false);
    });
}

/// Returns the text of a warning of a mark in no game if it is a result.
fn result_outside(text: &str, offset: usize, mark: &Mark) -> Option<String> {
    match mark {
        Mark::Sentence { begin, end, .. } => left_out(text, offset, Some([*begin as usize, *end as usize])),
        Mark::Won(_) => left_out(text, offset, None),
        Mark::Tag(Label::Result | Label::Winner | Label::Loser, value) => result_left_out(value),
        Mark::Header(fields) => result_left_out(fields.get(2)?),
        _ => None,
    }
}

/// Returns the text of a warning of a result before `offset` in no game; `None` if it need not be a result. `sentence` are
/// the offsets of its words.
fn left_out(text: &str, offset: usize, sentence: Option<[usize; 2]>) -> Option<String> {
    let in_numbers = || {
        let before = text[..offset].trim_end();
        before.rsplit(|c: char| c.is_whitespace() || "\"[,".contains(c)).next().unwrap_or_default()
    };
    result_left_out(sentence.map_or_else(in_numbers, |[from, to]| &text[from..to]))
}

/// Returns the text of a warning of a result in no game; `None` if it need not be a result.
fn result_left_out(result: &str) -> Option<String> {
    let shown: String = result.trim().chars().filter(|c| *c != '"').take(60).collect();
    let is_result = !shown.is_empty() && verdict::read(result, ["", ""]) != Verdict::Weak;
    is_result.then(|| format!("a result outside of the games is left out: {shown}"))
}

/// Returns the indices of the names of a game's players: those before its moves, and behind them if no other game is in
/// the text.
fn names_of<'n>(
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
fn results_before(plays: &[Play], results: &[Outcome]) -> usize {
    plays.first().map_or(0, |first| results.partition_point(|result| result.at <= first.begin))
}

/// Returns warnings of whole moves in a text that holds no game. `line` is the number of its first line.
pub(super) fn strays(text: &str, line: usize) -> Vec<Warning> {
    let mut lines = Lines::from(text, line);
    let mut warnings = Vec::new();
    let mut more: Option<[usize; 2]> = None;
    each_outside(text, false, &mut |offset, text| match warnings.len() < MAX_WARNINGS {
        true => warnings.push(Warning::new(lines.at(offset), text)),
        false => more = Some([more.map_or(offset, |[first, _]| first), offset]),
    });
    if let Some([first, last]) = more {
        let [first, last] = [first, last].map(|offset| lines.at(offset));
        let text = format!("more lines up to line {last} hold moves that are in no game");
        warnings.push(Warning::new(first, text));
    }
    warnings
}

/// Returns the offsets of the whole moves among the pieces of a text, and their warnings.
fn whole_moves<'t>(pieces: &'t [Piece], text: &'t str) -> impl Iterator<Item = (usize, String)> + 't {
    let whole = pieces.iter().filter(|piece| piece.form != Form::Fragment && !piece.is_weak);
    whole.map(|piece| {
        let shown = &text[piece.begin as usize..piece.end as usize];
        (piece.begin as usize, format!("in no game: {}", shown.replace('\n', " ")))
    })
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

    /// Adds a statement to a heading.
    fn state(&mut self, heading: &mut Heading, mark: &Mark, offset: usize) {
        match mark {
            Mark::Begins(_) if self.is_json => {}
            Mark::Begins(colour) => heading.first = Some(*colour),
            Mark::Edge(edge) => heading.edge = Some(*edge),
            Mark::Fen(fen) => match Position::from_fen(fen) {
                Ok(_) if self.start.is_some() => self.warn(offset, "the start position is given already"),
                Ok(position) => heading.start = Some(position),
                Err(error) => self.warn(offset, format!("FEN: {error}")),
            },
            Mark::Header(fields) => {
                let field = |index: usize| fields.get(index).cloned().unwrap_or_default();
                (heading.black, heading.white, heading.when, heading.event) =
                    (field(0), field(1), field(3), field(4));
                heading.is_ccgc = true;
                heading.offset = offset;
                heading.results.push((format!("result: {}", field(2)), offset));
            }
            Mark::Tag(label, _) if self.is_json && *label != Label::Unordered => {}
            Mark::Tag(label, value) => self.tag(heading, *label, value, offset),
            Mark::Start(Some(position)) if self.start.is_none() => heading.start = Some(**position),
            Mark::Start(_) => {
                self.warn(
                    offset,
                    "the start position is not understood; the game is read from the usual start",
                );
            }
            Mark::Gap(last, next) => {
                self.remark(
                    offset,
                    format!("number {next} follows number {last}: moves between them are missing"),
                );
            }
            Mark::Rivals(_) if !heading.black.is_empty() || !heading.white.is_empty() => {}
            Mark::Rivals(names) => {
                self.warn(offset, format!("the name {names} is not kept: name 先手 and 后手"));
            }
            Mark::Won(_) | Mark::Sentence { .. } | Mark::Named(..) => {}
        }
    }

    /// Adds the value of a tag to a heading.
    fn tag(&mut self, heading: &mut Heading, label: Label, value: &str, offset: usize) {
        heading.has_tags = true;
        heading.first = heading.first.or(Some(Colour::White));
        match label {
            Label::Name(Colour::White) => (heading.black, heading.by_colour) = (value.to_owned(), true),
            Label::Name(Colour::Black) => (heading.white, heading.by_colour) = (value.to_owned(), true),
            Label::First => heading.black = value.to_owned(),
            Label::Second => heading.white = value.to_owned(),
            Label::Unordered => {
                self.warn(offset, format!("the name {value} is not kept: name 先手 and 后手"))
            }
            Label::Date => heading.when = value.to_owned(),
            Label::Event => heading.event = value.to_owned(),
            Label::Result => heading.results.push((format!("result: {value}"), offset)),
            Label::Winner => heading.results.push((format!("winner: {value}"), offset)),
            Label::Loser => heading.results.push((format!("loser: {value}"), offset)),
            Label::Fen | Label::Other => {}
        }
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

    /// Returns the games that the statements of a section belong to. Warns of those in no game.
    fn owned(
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
    fn left_over<'s>(
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

    /// Warns of moves of a game that can be read in another way.
    fn explain_pieces(&mut self, play: &Play, pieces: &[Piece], used: &[bool]) {
        let own: Vec<usize> = (play.begin..play.end).filter(|&at| used[at]).collect();
        let doubt = match (play.remark(pieces, used), signs::remark(self.text, pieces, &own)) {
            _ if self.is_json => None,
            (Some(remark), _) => Some((remark, "beside words")),
            (None, remark) => remark.map(|remark| (remark, "behind a sign")),
        };
        if let Some((remark, place)) = doubt {
            let text = format!("the last moves stand {place}, unlike those before; they are read as played");
            self.remark(pieces[remark].begin as usize, text);
        }
        if let Some(last) = (play.begin..play.end).rfind(|&at| used[at]).filter(|_| !self.is_json) {
            let end = pieces[last].end as usize;
            let behind: String = self.text[end..].trim_start().chars().take(MAX_BEHIND).collect();
            if words::takes_back(behind.lines().next().unwrap_or_default()) {
                self.remark(end, "the last move seems to be taken back; it is read as played");
            }
        }
        let is_comment = |at: usize| pieces[at].aside == Aside::Comment;
        let mut own = (play.begin..play.end).filter(|&at| used[at]);
        let other = own.clone().find(|&at| is_comment(at)).filter(|_| self.is_json && !own.all(is_comment));
        if let Some(joint) = play.joint.or(other) {
            let text = "the moves from here continue the game, but can also begin a new one";
            self.warn(pieces[joint].begin as usize, text);
        }
    }

    /// Warns of a game that was not read in the usual way.
    fn explain(&mut self, play: &Play, first: &Piece, index: usize) {
        let at = first.begin as usize;
        if index > 0 && !play.is_announced {
            self.warn(at, "a new game is assumed to begin here");
        }
        if play.way.is_odd() || first.form == Form::Numbers && play.way.has_odd_numbers() {
            let text = self.text[at..first.end as usize].replace('\n', " ");
            self.warn(at, format!("coordinates count in an unusual way: {text} is {}", play.moves[0]));
        }
        if let Some(other) = &play.other {
            let beginning =
                |moves: &[Move]| moves.iter().take(2).map(ToString::to_string).collect::<Vec<_>>().join(" ");
            let [this, other] = [beginning(&play.moves), beginning(other)];
            self.warn(at, format!("the coordinates can be read as {this} or as {other}; read as the first"));
        }
    }

    /// Warns of an illegal move that ends a game before other moves.
    fn explain_end(&mut self, play: &Play, record: &GameRecord, next: &Piece) {
        let Some(position) = record.positions().last().copied() else { return };
        let error = |mv: Move| Some((mv, position.check(mv).err()?));
        if let Some((mv, error)) =
            play.way.move_of(next, &position).and_then(error).filter(|_| !next.restarts())
        {
            let number = record.moves.len() + 1;
            self.warn(next.begin as usize, format!("move {number}, {mv}, is not legal: {error}"));
        }
    }

    /// Returns the index of the game that each result belongs to. A result between two games belongs to the nearer one,
    /// in lines; of equally near ones to the game behind it if results stand before the first game, too.
    fn owners(&self, section: &Section, plays: &[Play], pieces: &[Piece], results: &[Outcome]) -> Vec<usize> {
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

    /// Adds the names of the players to a heading without tags. Names of colours belong to the sides if the first
    /// mover's colour is known; else as if Black moved first.
    fn name(&mut self, heading: &mut Heading, named: &[&Named], first: Option<Colour>, mover: Side) {
        if !heading.black.is_empty() || !heading.white.is_empty() {
            return;
        }
        let pair = |players: [Player; 2]| {
            players.map(|player| {
                named.iter().find(|named| named.player == player).map(|named| named.name.clone())
            })
        };
        let colours = pair([Colour::Black, Colour::White].map(Player::Of));
        let (names, by_colour) = match pair([Player::First, Player::Second]) {
            [None, None] => (colours, true),
            names => (names, false),
        };
        (heading.black, heading.white) = names.map(Option::unwrap_or_default).into();
        let is_unknown = by_colour && first.is_none();
        // The player named first is likely to move first.
        let likely = named.iter().find_map(|named| match named.player {
            Player::Of(colour) => Some(colour),
            Player::First | Player::Second => None,
        });
        let first_name = first.or(likely).filter(|_| by_colour).unwrap_or(Colour::Black);
        if (first_name == Colour::Black) != (mover == Side::Black) {
            std::mem::swap(&mut heading.black, &mut heading.white);
        }
        if let Some(named) = named.first().filter(|_| is_unknown) {
            let colour = if first_name == Colour::Black { "Black" } else { "White" };
            let text =
                format!("the first mover's colour is unknown; the names are kept as if {colour} moved first");
            self.remark(named.offset, text);
        }
    }

    /// Sets names, event and result of a game.
    fn head(
        &mut self,
        heading: &Heading,
        record: &mut GameRecord,
        first: Option<Colour>,
        results: &[&Outcome],
    ) {
        let mover = record.start.side();
        // Tags of PGN name White first, whoever moves first from a set-up position.
        let is_second = heading.has_tags && mover == Side::White;
        let stated = heading.first.map(|colour| if is_second { colour.other() } else { colour });
        let first = first.or(stated).or(heading.is_ccgc.then_some(Colour::Black));
        let of_first = |is_first: bool| if is_first { mover } else { mover.opponent() };
        (record.black, record.white) = (heading.black.clone(), heading.white.clone());
        if heading.by_colour && first.is_some_and(|first| of_first(first == Colour::White) == Side::White) {
            std::mem::swap(&mut record.black, &mut record.white);
        }
        (record.when, record.event) = (heading.when.clone(), heading.event.clone());
        let side = |player| match player {
            Player::First => Some(of_first(!is_second)),
            Player::Second => Some(of_first(is_second)),
            Player::Of(colour) => first.map(|first| of_first(first == colour)),
        };
        let names = [true, false].map(|is_first| record.name(of_first(is_first != is_second)).to_owned());
        let names = names.each_ref().map(String::as_str);
        let stated = heading.results.iter();
        let mut said: Vec<(Option<Player>, usize)> =
            stated.map(|(text, offset)| (self.judge(text, Some(names), *offset), *offset)).collect();
        for outcome in results {
            let player = match outcome.winner {
                Ok(player) => Some(player),
                Err([from, to]) => {
                    let names = if outcome.may_name { Some(names) } else { None };
                    self.judge(&self.text[from..to], names, outcome.offset)
                }
            };
            said.push((player, outcome.offset));
        }
        record.winner = self.agreed(said.into_iter().map(|(player, offset)| (player.map(side), offset)));
    }

    /// Returns the winner of a game by results, each with its place: none, a side, or a colour of unknown side. Warns of
    /// those that contradict one another.
    fn agreed(&mut self, said: impl Iterator<Item = (Option<Option<Side>>, usize)>) -> Option<Side> {
        let mut winner = None;
        for (side, offset) in said {
            match (side, winner) {
                (Some(None), _) => {
                    self.warn(offset, "the result names a colour, but the first mover's colour is unknown");
                }
                (Some(Some(found)), Some(known)) if found != known => {
                    self.warn(offset, format!("another result of this game says that {known} has won"));
                }
                (Some(found), _) => winner = found,
                (None, _) => {}
            }
        }
        winner
    }

    /// Returns the winner that a sentence names; warns if it is unclear. Without `names`, it is.
    fn judge(&mut self, sentence: &str, names: Option<[&str; 2]>, offset: usize) -> Option<Player> {
        let said = names.map(|names| match verdict::read(sentence, ["", ""]) {
            // No name changes these.
            said @ (Verdict::Won(Player::First | Player::Second) | Verdict::Open | Verdict::Nothing) => said,
            _ => verdict::read(sentence, names),
        });
        match said {
            Some(Verdict::Won(player)) => Some(player),
            Some(Verdict::Nothing | Verdict::Weak | Verdict::Open) => None,
            Some(Verdict::Unclear) | None => {
                let value = sentence.strip_prefix("result: ");
                let is_unknown =
                    value.is_some_and(|value| verdict::read(value, ["", ""]) == Verdict::Nothing);
                let text = value.unwrap_or(sentence).trim().chars().filter(|c| *c != '"');
                let text: String = text.take(60).collect();
                let unknown = || format!("the result {text:?} is not understood");
                let unclear = || format!("the result {text:?} does not name the winner");
                self.warn(offset, if is_unknown { unknown() } else { unclear() });
                None
            }
        }
    }

    /// Warns of pieces in no game: one warning a line.
    fn unused(&mut self, pieces: &[Piece], used: &[bool], is_empty: bool, shown: &mut Shown) {
        for (piece, _) in pieces.iter().zip(used).filter(|(_, used)| **used) {
            shown.has_letters |= piece.form == Form::Letters;
            shown.has_numbers |= piece.form == Form::Numbers;
        }
        let (has_letters, has_numbers) = (shown.has_letters, shown.has_numbers);
        let text = self.text;
        let is_word = |piece: &Piece| text[piece.begin as usize..].starts_with(|c: char| c.is_alphabetic());
        let is_shown = |piece: &Piece| match piece.form {
            _ if !piece.is_weak => true,
            Form::Squares => true,
            Form::Letters => has_letters,
            Form::Numbers => has_numbers,
            Form::Fragment => is_empty || if is_word(piece) { has_letters } else { has_numbers },
        };
        // Only the first lines are kept: their numbers, first pieces and numbers of pieces.
        let mut lines: Vec<(usize, Vec<&Piece>, usize)> = Vec::new();
        for (piece, _) in pieces.iter().zip(used).filter(|(piece, used)| !**used && is_shown(piece)) {
            let line = self.lines.at(piece.begin as usize);
            let is_kept = shown.lines + lines.len() < MAX_WARNINGS;
            match lines.last_mut().filter(|last| last.0 == line) {
                Some((_, shown, count)) => {
                    shown.extend((*count < 4).then_some(piece));
                    *count += 1;
                }
                None if is_kept => lines.push((line, vec![piece], 1)),
                None => shown.more = Some([shown.more.map_or(line, |[first, _]| first), line]),
            }
        }
        shown.lines += lines.len();
        for (line, shown, count) in lines {
            let texts: Vec<String> = shown.iter().map(|piece| self.shown(piece)).collect();
            let more = if count > 4 { format!(" and {} more", count - 4) } else { String::new() };
            self.intake.warnings.push(Warning::new(line, format!("in no game: {}{more}", texts.join(", "))));
        }
    }

    /// Sums up the lines with pieces in no game that have no warning.
    fn sum_up(&mut self, shown: &Shown) {
        if let Some([first, last]) = shown.more {
            let text = format!("more lines up to line {last} hold moves that are in no game");
            self.intake.warnings.push(Warning::new(first, text));
        }
    }

    fn shown(&self, piece: &Piece) -> String {
        let text = &self.text[piece.begin as usize..piece.end as usize];
        text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(40).collect()
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
