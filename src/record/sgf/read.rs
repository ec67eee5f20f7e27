//! Reads game records from SGF.

use super::scanner::{Property, Scanner, Tree, shortened};
use super::start::{SetUp, read_integer};
use super::{ANALYSIS, MARKED, read_mark};
use crate::board::moves::Move;
use crate::board::notation::MalformedText;
use crate::board::position::Position;
use crate::board::square::{Side, Size};
use crate::order::sort_by_key;
use crate::record::reading::{Intake, Lines, Reading, Warning};
use crate::record::scan::{self, Colour, Piece, Player, Way};
use crate::record::{Analysis, GameRecord, LATE, MAX_NESTING, Note, PlayedMove, Variation};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

/// Reads all games of a file. Text around the games that looks like a move is in a warning.
///
/// # Errors
/// Fails if the file has no game that can be read.
pub fn read(text: &str) -> Result<Reading, MalformedText> {
    Reading::collect(|intake| read_into(text, intake))
}

/// Reads like [`read`], one game at a time.
pub(crate) fn read_into(text: &str, intake: &mut Intake) -> Result<(), MalformedText> {
    let text = &*without_quotes(text);
    let (mut scanner, mut lines) = (Scanner::new(text), Lines::new(text));
    let (mut end, mut failure, mut unknown) = (0, None, BTreeSet::new());
    while let Some(mut tree) = scanner.tree() {
        scan::outside(&text[end..tree.range.start], lines.at(end), &mut intake.warnings);
        let line = lines.at(tree.range.start);
        end = tree.range.end;
        match game_of(&tree) {
            Ok((game, mut problems)) => {
                problems.append(&mut tree.problems);
                problems.append(&mut unknown_properties(&tree, &mut unknown));
                problems.append(&mut odd_values(&tree, &Heading::of(&tree)));
                sort_by_key(&mut problems, |(offset, _)| *offset);
                let warning = |(offset, text)| Warning::new(lines.at(offset), text);
                intake.warnings.extend(problems.into_iter().map(warning));
                intake.add(game, line);
            }
            Err((offset, problem)) => {
                let line = lines.at(offset.max(tree.range.start));
                let warning = Warning::new(line, format!("this game is left out: {problem}"));
                failure = failure.or(Some(warning.clone()));
                intake.warnings.push(warning);
            }
        }
    }
    scan::outside(&text[end..], lines.at(end), &mut intake.warnings);
    match failure {
        _ if intake.games > 0 => Ok(()),
        Some(failure) => Err(MalformedText::new(failure.to_string())),
        None => Err(MalformedText::new("an SGF file begins with (;")),
    }
}

/// Replaces the marks of quoted mail by spaces, if the line with the first game has one.
fn without_quotes(text: &str) -> Cow<'_, str> {
    let first = super::scanner::begin(text).unwrap_or_default();
    let line = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let depth = text[line..first].matches('>').count();
    if depth == 0 || !text[line..first].chars().all(|c| c == '>' || c.is_whitespace()) {
        return text.into();
    }
    let mut quoted = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // The text keeps its length, and with it the offsets of its parts.
        let mut left = depth;
        let is_mark = |byte: &u8| match byte {
            b'>' if left > 0 => {
                left -= 1;
                true
            }
            other => *other == b' ',
        };
        let marks = line.bytes().take_while(is_mark).count();
        quoted.extend(std::iter::repeat_n(' ', marks));
        quoted += &line[marks..];
    }
    quoted.into()
}

/// A problem and its offset in the text.
type Problem = (usize, String);

/// Properties that a record keeps, or that say nothing about the game.
const KNOWN: [&str; 28] = [
    "FF", "GM", "CA", "AP", "ST", "SZ", "PB", "PW", "RE", "DT", "PC", "EV", "OT", "NUMBER", "FORFEIT", "PL",
    "PLY", "N", "V", "C", "B", "W", "AE", "SO", "TE", "DO", "BM", ANALYSIS,
];

/// Maximum number of unknown properties in warnings.
const MAX_NAMES: usize = 40;

/// Names the properties that no record keeps, each once in a file: at its first place.
fn unknown_properties(tree: &Tree, known: &mut BTreeSet<String>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for property in tree.nodes().flat_map(|node| tree.properties(node)) {
        let name = property.name();
        let is_known = KNOWN.contains(&&*name) || SetUp::CHANGES.contains(&&*name) || known.contains(&*name);
        if !is_known && known.len() < MAX_NAMES {
            problems.push((property.offset(), format!("the property {name} is not kept")));
            known.insert(name.into_owned());
        }
    }
    problems
}

/// Properties with one value, of which a reader takes the first.
const SINGLE: [&str; 15] =
    ["B", "W", "GM", "SZ", "PB", "PW", "RE", "DT", "PC", "EV", "OT", "C", "N", "V", "PL"];

/// Properties whose values can hold moves.
const WITH_MOVES: [&str; 6] = ["B", "W", "C", "GC", "BM", ANALYSIS];

/// Names values that hold moves, and further values of properties that have one: in a list, again in a node, or about
/// the whole game in another node.
fn odd_values(tree: &Tree, heading: &Heading) -> Vec<Problem> {
    let mut problems = Vec::new();
    for node in tree.nodes() {
        let mut known: Vec<Property> = Vec::new();
        for property in tree.properties(node) {
            let name = &*property.name();
            let of_node = || known.iter().find(|other| other.name() == name);
            let first = heading.property(name).or_else(of_node);
            let is_other = first.is_some_and(|first| first.value().trim() != property.value().trim());
            for (index, (offset, raw)) in property.raw_values().enumerate() {
                let is_further = index > 0 || is_other && !["B", "W"].contains(&name);
                if is_further && SINGLE.contains(&name) {
                    problems
                        .push((offset, format!("a further value of {name} is left out: {}", shortened(raw))));
                }
                // Any whole move is longer than five letters.
                if raw.len() > 5 && !WITH_MOVES.contains(&name) && !scan::strays(raw, 1).is_empty() {
                    problems.push((offset, format!("the value of {name} holds a move: {}", shortened(raw))));
                }
                if !["C", "GC"].contains(&name) && has_lone_bracket(raw) {
                    problems
                        .push((offset, format!("the value of {name} holds a bracket: {}", shortened(raw))));
                }
                if problems.len() >= MAX_PROBLEMS {
                    return problems;
                }
            }
            if known.len() < MAX_OF_NODE {
                known.push(property);
            }
        }
    }
    problems
}

/// True if a value has a closing bracket that is neither escaped nor the partner of an open one: another property can be
/// behind it.
fn has_lone_bracket(raw: &str) -> bool {
    let (mut depth, mut is_escaped) = (0, false);
    raw.bytes().any(|byte| {
        match byte {
            _ if is_escaped => {}
            b'[' => depth += 1,
            b']' if depth == 0 => return true,
            b']' => depth -= 1,
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped;
        false
    })
}

/// Maximum number of properties of a node that are compared with later ones.
const MAX_OF_NODE: usize = 20;

/// Maximum number of problems of a game's moves in warnings.
const MAX_PROBLEMS: usize = 1000;

/// Returns the nodes of the main line.
fn main_line(tree: &Tree) -> impl Iterator<Item = usize> {
    std::iter::successors(tree.nodes().next(), |&node| tree.children(node).next())
}

/// The properties about the whole game, each where the main line has it first.
struct Heading<'t>(Vec<(&'static str, Property<'t>)>);

impl<'t> Heading<'t> {
    const NAMES: [&'static str; 10] = ["GM", "PB", "PW", "RE", "DT", "PC", "EV", "OT", "NUMBER", "FORFEIT"];

    fn of(tree: &'t Tree) -> Self {
        let mut found = Vec::new();
        for property in main_line(tree).flat_map(|node| tree.properties(node)) {
            let name = Self::NAMES.into_iter().find(|name| *name == property.name());
            if let Some(name) = name.filter(|name| found.iter().all(|(known, _)| known != name)) {
                found.push((name, property));
            }
        }
        Self(found)
    }

    fn property(&self, name: &str) -> Option<&Property<'t>> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, property)| property)
    }

    fn values(&self, name: &str) -> Option<Vec<String>> {
        Some(self.property(name)?.values().map(|value| one_line(&value)).collect())
    }

    fn text(&self, name: &str) -> String {
        self.values(name).map_or_else(String::new, |mut values| values.swap_remove(0))
    }

    /// Fails if the file is of another game.
    fn check_game(&self) -> Result<(), String> {
        let number = self.text("GM");
        let kind = number.trim().to_ascii_lowercase();
        let is_amazons = kind.is_empty() || kind == "18" || kind.contains("amazon");
        if is_amazons { Ok(()) } else { Err(format!("GM is {number}, but Amazons is game 18")) }
    }

    /// Returns the record without its moves. `swapped` exchanges the colours. Fails if the number is none.
    fn record(&self, start: Position, swapped: bool) -> Result<GameRecord, MalformedText> {
        let [black, white] = if swapped { ["PW", "PB"] } else { ["PB", "PW"] }.map(|name| self.text(name));
        let (winner, by) = read_result(&self.text("RE"), start.side(), swapped).unwrap_or_default();
        let forfeit = match self.values("FORFEIT") {
            Some(values) => {
                let mut values = values.into_iter();
                Some((values.next().unwrap_or_default(), values.next().unwrap_or_default()))
            }
            None => by.map(|kind| (kind.to_owned(), self.text("RE"))),
        };
        let when = [self.text("DT"), self.text("PC")];
        let number = self.text("NUMBER");
        Ok(GameRecord {
            winner,
            forfeit,
            when: when.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" "),
            event: self.text("EV"),
            control: self.text("OT"),
            number: if number.is_empty() { 0 } else { read_integer("NUMBER", &number)? },
            ..GameRecord::new(black, white, start)
        })
    }
}

/// Builds a record from a game tree.
fn game_of(tree: &Tree) -> Result<(GameRecord, Vec<Problem>), Problem> {
    let at_root = |error: MalformedText| (0, error.to_string());
    let heading = Heading::of(tree);
    heading.check_game().map_err(|problem| (0, problem))?;
    let mut set_up = SetUp::default();
    let has_move = |node: &usize| moves_of(tree, *node).next().is_some();
    let before_moves = main_line(tree).take_while(|node| !has_move(node));
    for property in before_moves.flat_map(|node| tree.properties(node)) {
        set_up.add(&property).map_err(at_root)?;
    }
    let moves: Vec<(Side, Piece)> = main_line(tree)
        .flat_map(|node| moves_of(tree, node))
        .map_while(|(side, text)| Some((side, scan::piece_of(&text)?)))
        .take(MAX_PLIES)
        .collect();
    let (way, swapped) = way_of(&set_up, &moves).map_err(at_root)?;
    let mut reader = Reader { tree, way, swapped, problems: Vec::new(), ended: None };
    let game = reader.line(tree.nodes().next(), &mut Vec::new(), 0)?;
    if let Some(played) = game.moves.first().filter(|_| way.is_odd()) {
        let node = main_line(tree).find(has_move).unwrap_or_default();
        let text = moves_of(tree, node).next().map_or(Cow::default(), |(_, text)| text);
        let text = format!("coordinates count in an unusual way: {} is {}", one_line(&text), played.mv);
        reader.problems.push((tree.offset(node), text));
    }
    if way.start.side() == Side::White && !set_up.has_stones() && !set_up.names_side() {
        let node = main_line(tree).find(has_move).unwrap_or_default();
        reader.problems.push((tree.offset(node), "White moves first in this game".into()));
    }
    let mut record = heading.record(way.start, swapped).map_err(at_root)?;
    if let Some((side, how, offset)) = reader.ended {
        if record.winner.is_none() && record.forfeit.is_none() {
            record.forfeit = forfeit_of(&how.to_lowercase()).map(|kind| (kind.to_owned(), one_line(&how)));
        }
        let winner = *record.winner.get_or_insert(side);
        if winner != side {
            let problem = format!("another result of this game says that {winner} has won");
            reader.problems.push((offset, problem));
        }
    }
    let result = heading.text("RE");
    if read_result(&result, way.start.side(), swapped).is_none() {
        let offset = tree.nodes().next().map_or(0, |root| tree.offset(root));
        reader.problems.push((offset, format!("the result {result:?} names no winner")));
    }
    reader.problems.append(&mut comments_on_result(tree, &result, swapped, &mut record));
    Ok((GameRecord { moves: game.moves, notes: game.notes, ..record }, reader.problems))
}

/// Maximum length of a comment that is read for a result, in bytes.
const MAX_COMMENT: usize = 4000;

/// Reads the comments on the whole game and on its last position for the winner: sets it if the record has no result,
/// `stated`. Returns the comments that say otherwise.
fn comments_on_result(tree: &Tree, stated: &str, swapped: bool, record: &mut GameRecord) -> Vec<Problem> {
    let mover = record.start.side();
    let names = [mover, mover.opponent()].map(|side| record.name(side).to_owned());
    let mut nodes: Vec<usize> = main_line(tree).collect();
    let has_move = |node: &usize| moves_of(tree, *node).any(|(_, text)| !is_no_move(&text));
    let last = nodes.iter().rposition(has_move).unwrap_or_default();
    nodes.drain(1.min(last)..last);
    let comments = nodes.into_iter().flat_map(|node| tree.properties(node));
    let comments = comments.filter(|property| ["C", "GC", "N"].contains(&&*property.name()));
    let mut problems = Vec::new();
    for property in comments {
        let value = property.value();
        let text = if value.len() <= MAX_COMMENT { &*value } else { "" };
        for (sentence, player) in scan::winners(text, names.each_ref().map(String::as_str)) {
            let side = player.map(|player| side_of(player, mover, swapped));
            let is_open = stated.trim().is_empty() && record.winner.is_none();
            let shown = || sentence.chars().take(60).collect::<String>();
            let problem = match side {
                Some(side) if is_open => {
                    record.winner = Some(side);
                    continue;
                }
                Some(side) if record.winner != Some(side) => {
                    format!("the comment {:?} says that {side} has won", shown())
                }
                None if is_open => format!("the result {:?} does not name the winner", shown()),
                _ => continue,
            };
            problems.extend((problems.len() < MAX_PROBLEMS).then(|| (property.offset(), problem)));
        }
    }
    problems
}

/// More moves than any game can have.
const MAX_PLIES: usize = 100;

/// Finds how the moves of the main line count: as in the standard, with the colours exchanged, or in any other way.
/// Returns true if the file's White is our Black. Of ways that play equally many moves, the first is taken.
fn way_of(set_up: &SetUp, moves: &[(Side, Piece)]) -> Result<(Way, bool), MalformedText> {
    let first = moves.first().map_or(Side::Black, |(side, _)| *side);
    let start = set_up.position(first)?;
    let usual = Way::usual(start);
    let played = |way: &Way, swapped: bool| {
        let mut position = way.start;
        let play = |(side, piece): &&(Side, Piece)| {
            let side = if swapped { side.opponent() } else { *side };
            let next = way.move_of(piece, &position).and_then(|mv| position.try_play(mv).ok());
            let next = next.filter(|_| position.side() == side);
            next.map(|next| position = next).is_some()
        };
        moves.iter().take_while(play).count()
    };
    let mut best = (played(&usual, false), usual, false);
    if best.0 < moves.len() && !set_up.has_stones() {
        let swapped = first == Side::White;
        let pieces: Vec<Piece> = moves.iter().map(|(_, piece)| *piece).collect();
        let edge = set_up.size()?.edge();
        let sizes = if set_up.names_size() { vec![edge] } else { vec![edge, 8, 9, 7, 6, 5, 4] };
        for size in sizes.into_iter().filter_map(Size::new) {
            for way in scan::ways(Position::start(size), &pieces) {
                let count = played(&way, swapped);
                if count > best.0 {
                    best = (count, way, swapped);
                }
            }
        }
    }
    Ok((best.1, best.2))
}

/// A result: the winner, and the kind of forfeit unless the game was lost on the board.
type Outcome = (Option<Side>, Option<&'static str>);

/// Parses the result property `RE`, in the form of the standard or in words. `first` moves first; `swapped` exchanges
/// the colours. `None` if the property names no winner, although it should.
fn read_result(text: &str, first: Side, swapped: bool) -> Option<Outcome> {
    let lower = text.trim().to_lowercase();
    let Some(player) = winner_of(&lower)? else { return Some((None, None)) };
    Some((Some(side_of(player, first, swapped)), forfeit_of(&lower)))
}

/// Returns the side of a player. `first` moves first; `swapped` exchanges the colours of the file.
fn side_of(player: Player, first: Side, swapped: bool) -> Side {
    match player {
        Player::First => first,
        Player::Second => first.opponent(),
        Player::Of(colour) if swapped == (colour == Colour::Black) => Side::White,
        Player::Of(_) => Side::Black,
    }
}

/// Returns the winner of a result in lower case: by the letter of the standard, `b+3`; else by a number, Black's score
/// on a server of game 18 by name; else by words. `Some(None)` if the game is open, `None` if it is unclear.
fn winner_of(result: &str) -> Option<Option<Player>> {
    let [black, white] = [Colour::Black, Colour::White].map(|colour| Some(Some(Player::Of(colour))));
    match (letter_of(result), result.parse::<f64>()) {
        ("b" | "black", _) => black,
        ("w" | "white", _) => white,
        (_, Ok(score)) if score > 0.0 => black,
        (_, Ok(score)) if score < 0.0 => white,
        (_, Ok(0.0)) => Some(None),
        _ if ["void", "draw"].contains(&result) => Some(None),
        _ => scan::winner(result),
    }
}

/// Returns the part of a result before its plus sign.
fn letter_of(result: &str) -> &str {
    result.split('+').next().unwrap_or_default().trim()
}

/// Returns the kind of the forfeit that a result in lower case names.
fn forfeit_of(result: &str) -> Option<&'static str> {
    let has_letter = ["b", "black", "w", "white"].contains(&letter_of(result));
    let has = |parts: &[&str]| !has_letter && parts.iter().any(|part| result.contains(part));
    match result.split_once('+').map_or("", |(_, how)| how.trim()) {
        "t" | "time" => Some(LATE),
        "f" | "forfeit" => Some("forfeit"),
        _ if has(&["time", "flag", "超时"]) => Some(LATE),
        _ if has(&["forfeit", "弃权", "违例", "犯规"]) => Some("forfeit"),
        _ => None,
    }
}

/// Replaces line breaks with spaces: most properties hold a single line.
fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

/// Returns the sides and texts of a node's moves.
fn moves_of<'t>(tree: &'t Tree, node: usize) -> impl Iterator<Item = (Side, Cow<'t, str>)> {
    tree.properties(node).filter_map(|property| match &*property.name() {
        "B" => Some((Side::Black, unbroken(property.value()))),
        "W" => Some((Side::White, unbroken(property.value()))),
        _ => None,
    })
}

/// Removes the breaks that mail and editors put into a move: spaces between letters, else line breaks.
fn unbroken(text: Cow<'_, str>) -> Cow<'_, str> {
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    };
    let is_coordinate = |c: char| ('a'..='j').contains(&c.to_ascii_lowercase());
    if text.chars().all(|c| is_coordinate(c) || c.is_whitespace()) && text.contains(char::is_whitespace) {
        return text.split_whitespace().collect();
    }
    if text.contains('\n') { text.lines().map(str::trim).collect() } else { text }
}

/// Reads the lines of a game tree.
struct Reader<'a> {
    tree: &'a Tree<'a>,
    way: Way,
    /// True if the file's White is our Black.
    swapped: bool,
    problems: Vec<Problem>,
    /// The winner that a text in place of a move names, the text, and its offset.
    ended: Option<(Side, String, usize)>,
}

impl Reader<'_> {
    /// Reads the line of moves that begins at a node, with its variations. `before` holds the moves before the line.
    /// The line ends before a move that cannot be read. Fails if the main line sets up amazons.
    fn line(
        &mut self,
        first: Option<usize>,
        before: &mut Vec<Move>,
        nesting: usize,
    ) -> Result<Variation, Problem> {
        let (mut line, depth, mut next) = (Variation::default(), before.len(), first);
        while let Some(node) = next {
            let goes_on = self.add_moves(node, &mut line.moves, before, nesting)?;
            self.add_note(node, &mut line, goes_on);
            if !goes_on {
                break;
            }
            for other in self.tree.children(node).skip(1) {
                self.add_variation(other, &mut line, before, nesting)?;
            }
            next = self.tree.children(node).next();
        }
        before.truncate(depth);
        // A variation is an alternative to the next move, and the last position has none.
        if let Some(last) = line.notes.get_mut(&line.moves.len()) {
            for variation in std::mem::take(&mut last.variations) {
                let offset = first.map_or(0, |first| self.tree.offset(first));
                if let Some(played) = variation.moves.first() {
                    self.add_problem(offset, format!("in no game: {}", played.mv));
                }
            }
        }
        line.notes.retain(|_, note| *note != Note::default());
        line.moves.shrink_to_fit();
        Ok(line)
    }

    fn add_problem(&mut self, offset: usize, problem: String) {
        match self.problems.len() {
            0..MAX_PROBLEMS => self.problems.push((offset, problem)),
            MAX_PROBLEMS => self.problems.push((offset, "further problems of this game are left out".into())),
            _ => {}
        }
    }

    /// Adds comment, name and value of a node to its position, and what its comment says about its move.
    fn add_note(&self, node: usize, line: &mut Variation, goes_on: bool) {
        let property = |name: &str| self.tree.property(node, name).map(|property| property.value());
        let text = property("C").unwrap_or_default();
        let mut comment = &*text;
        let has_move = || moves_of(self.tree, node).next().is_some();
        if let Some(played) = line.moves.last_mut().filter(|_| goes_on && has_move()) {
            comment = read_comment(comment, played);
        }
        let value =
            property("V").and_then(|value| value.trim().parse().ok()).filter(|value: &f32| value.is_finite());
        let name = property("N");
        let mark = MARKED.into_iter().find_map(|name| read_mark(name, property(name)?.trim()));
        let analysis = property(ANALYSIS).and_then(|text| read_analysis(&text)).map(Box::new);
        if comment.is_empty() && value.is_none() && name.is_none() && mark.is_none() && analysis.is_none() {
            // A map with one note reserves room for eleven.
            return;
        }
        let note = line.notes.entry(line.moves.len()).or_default();
        if !note.comment.is_empty() && !comment.is_empty() {
            note.comment.push('\n');
        }
        note.comment += comment;
        if let Some(name) = name {
            note.name = one_line(&name);
        }
        note.value = value.or(note.value);
        note.mark = mark.or(note.mark);
        note.analysis = analysis.or(note.analysis.take());
    }

    /// Adds the variation that begins at a node to the last position of a line.
    fn add_variation(
        &mut self,
        first: usize,
        line: &mut Variation,
        before: &mut Vec<Move>,
        nesting: usize,
    ) -> Result<(), Problem> {
        if nesting >= MAX_NESTING {
            self.add_problem(self.tree.offset(first), "a variation is nested too deeply".into());
            return Ok(());
        }
        let variation = self.line(Some(first), before, nesting + 1)?;
        if variation != Variation::default() {
            line.notes.entry(line.moves.len()).or_default().variations.push(variation);
        }
        Ok(())
    }

    /// True if a node sets up squares. Some programs set up the arrow of the move beside it.
    fn sets_up(&self, node: usize) -> bool {
        // A node has one move, rarely one of each side: more are not compared with each square.
        let moves: Vec<_> = moves_of(self.tree, node).take(2).collect();
        let is_own = |value: Cow<str>| moves.iter().any(|(_, text)| text.ends_with(value.trim()));
        self.tree.properties(node).any(|property| {
            let name = &*property.name();
            SetUp::CHANGES.contains(&name) && !(name == "AA" && property.values().all(is_own))
        })
    }

    /// Adds the moves of a node. Returns false if the line ends before one of them.
    fn add_moves(
        &mut self,
        node: usize,
        moves: &mut Vec<PlayedMove>,
        before: &mut Vec<Move>,
        nesting: usize,
    ) -> Result<bool, Problem> {
        let offset = self.tree.offset(node);
        let has_set_up = self.sets_up(node);
        if before.is_empty() && has_set_up && moves_of(self.tree, node).next().is_some() {
            self.add_problem(offset, "squares set up beside the first move are left out".into());
        }
        if !before.is_empty() && has_set_up {
            let problem = (offset, format!("amazons are set up after ply {}", before.len()));
            if nesting == 0 {
                return Err(problem);
            }
            self.add_problem(problem.0, problem.1);
            return Ok(false);
        }
        for (side, text) in moves_of(self.tree, node) {
            let side = if self.swapped { side.opponent() } else { side };
            match self.move_of(side, &text, before) {
                Ok(mv) => {
                    moves.push(mv.into());
                    before.push(mv);
                }
                Err(problem) => {
                    let winner = self.winner_instead(&text, side);
                    let is_last = self.tree.children(node).next().is_none();
                    let is_end = is_last && (is_no_move(&text) || winner.is_some() && nesting == 0);
                    if let Some(winner) = winner.filter(|_| nesting == 0) {
                        self.ended = Some((winner, text.into_owned(), offset));
                    }
                    if !is_end {
                        let what = if nesting == 0 { "the game" } else { "the variation" };
                        let text = format!("ply {}: {problem}; {what} ends here", before.len() + 1);
                        self.add_problem(offset, text);
                    }
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Returns the winner that a text in place of a side's move names.
    fn winner_instead(&self, text: &str, side: Side) -> Option<Side> {
        let first = self.way.start.side();
        let lower = text.to_lowercase();
        if lower.parse::<f64>().is_ok() {
            return None;
        }
        let of_words = || match scan::winner_by(&lower)? {
            Player::First => Some(side),
            _ => Some(side.opponent()),
        };
        let named = winner_of(&lower).flatten().map(|player| side_of(player, first, self.swapped));
        named.filter(|_| !is_no_move(text)).or_else(of_words)
    }

    /// Returns the move of a side after the moves `before`. Fails if it is malformed or the other side's turn.
    fn move_of(&self, side: Side, text: &str, before: &[Move]) -> Result<Move, String> {
        let start = &self.way.start;
        let to_move = if before.len().is_multiple_of(2) { start.side() } else { start.side().opponent() };
        if side != to_move {
            return Err(format!("{side} moves, but it is {to_move}'s turn"));
        }
        let no_move = || {
            format!(
                "{:?} is not a move of three points like djddgd",
                text.chars().take(40).collect::<String>()
            )
        };
        let piece = scan::piece_of(text).ok_or_else(no_move)?;
        let position = if piece.is_open() {
            before
                .iter()
                .try_fold(*start, |position, &mv| position.try_play(mv))
                .map_err(|error| error.to_string())?
        } else {
            *start
        };
        self.way.move_of(&piece, &position).ok_or_else(no_move)
    }
}

/// True if a value is what programs write where no move was played.
fn is_no_move(text: &str) -> bool {
    ["", "tt", "--", "null", "none"].contains(&&*text.trim().to_ascii_lowercase())
}

/// Parses the first line of a comment into `played` and returns the other lines. Returns the whole comment if its first
/// line does not have the fixed form of [`super`]. An empty first line is dropped.
pub(super) fn read_comment<'a>(text: &'a str, played: &mut PlayedMove) -> &'a str {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if first.is_empty() || read_knowledge(first, played) { rest } else { text }
}

/// Parses text like `win rate 0.53, lead 2.5, 0.1 s, effort 60000` into `played`. Returns `false` and changes nothing
/// if the text has another form. Otrera 0.2 and earlier wrote `winning rate`.
fn read_knowledge(text: &str, played: &mut PlayedMove) -> bool {
    let mut known = *played;
    for part in text.split(", ") {
        let rate = ["win rate ", "winning rate "].iter().find_map(|name| part.strip_prefix(name));
        let understood = if let Some(rate) = rate {
            rate.parse().map(|rate| known.win_rate = Some(rate)).is_ok()
        } else if let Some(lead) = part.strip_prefix("lead ") {
            lead.parse().map(|lead| known.lead = Some(lead)).is_ok()
        } else if let Some(effort) = part.strip_prefix("effort ") {
            effort.parse().map(|effort| known.effort = Some(effort)).is_ok()
        } else {
            let seconds = part.strip_suffix(" s").and_then(|seconds| seconds.parse().ok());
            let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            time.map(|time| known.time = time).is_some()
        };
        if !understood {
            return false;
        }
    }
    *played = known;
    true
}

/// Parses the text of a search, `black 0.53, lead 1.5, visits 60000, line d1-d7/g7 a7-d4/a7`; `None` if it has another
/// form.
fn read_analysis(text: &str) -> Option<Analysis> {
    let mut analysis = Analysis { black: f32::NAN, lead: None, visits: 0, line: Vec::new() };
    for part in text.trim().split(", ") {
        let (name, value) = part.split_once(' ')?;
        match name {
            "black" => analysis.black = value.parse().ok()?,
            "lead" => analysis.lead = Some(value.parse().ok().filter(|lead: &f32| lead.is_finite())?),
            "visits" => analysis.visits = value.parse().ok()?,
            "line" => {
                analysis.line = value.split(' ').map(|text| text.parse().ok()).collect::<Option<_>>()?
            }
            _ => return None,
        }
    }
    (0.0..=1.0).contains(&analysis.black).then_some(analysis)
}
