//! Reads game records from SGF.

use super::scanner::{Node, Scanner};
use super::start::{SetUp, read_integer};
use crate::board::moves::Move;
use crate::board::notation::MalformedText;
use crate::board::position::Position;
use crate::board::square::{Side, Size};
use crate::record::reading::{Lines, Reading, Warning};
use crate::record::scan::{self, Piece, Way};
use crate::record::{GameRecord, LATE, MAX_NESTING, Note, Notes, PlayedMove, Variation};
use std::time::Duration;

/// Reads all games of a file. Text around the games that looks like a move is in a warning.
///
/// # Errors
/// Fails if the file has no game that can be read.
pub fn read(text: &str) -> Result<Reading, MalformedText> {
    let (mut scanner, mut lines) = (Scanner::new(text), Lines::new(text));
    let (mut reading, mut end) = (Reading::default(), 0);
    let mut failure = None;
    while let Some(tree) = scanner.tree() {
        let line = lines.at(tree.range.start);
        reading.warnings.extend(scan::strays(&text[end..tree.range.start], lines.at(end)));
        end = tree.range.end;
        match game_of(&tree.nodes) {
            Ok((game, mut warnings)) => {
                warnings.extend(tree.problems);
                warnings.sort_by_key(|(offset, _)| *offset);
                let warning = |(offset, text)| Warning::new(lines.at(offset), text);
                reading.warnings.extend(warnings.into_iter().map(warning));
                reading.add(game, line);
            }
            Err((offset, problem)) => {
                let warning = Warning::new(
                    lines.at(offset.max(tree.range.start)),
                    format!("this game is left out: {problem}"),
                );
                failure = failure.or(Some(warning.clone()));
                reading.warnings.push(warning);
            }
        }
    }
    reading.warnings.extend(scan::strays(&text[end..], lines.at(end)));
    match failure {
        _ if !reading.games.is_empty() => Ok(reading),
        Some(failure) => Err(MalformedText::new(failure.to_string())),
        None => Err(MalformedText::new("an SGF file begins with (;")),
    }
}

/// A problem and its offset in the text.
type Problem = (usize, String);

/// Properties that a record keeps, or that say nothing about the game.
const KNOWN: [&str; 24] = [
    "FF", "GM", "CA", "AP", "ST", "SZ", "PB", "PW", "RE", "DT", "PC", "EV", "OT", "NUMBER", "FORFEIT", "PL",
    "PLY", "N", "V", "C", "B", "W", "AE", "SO",
];

/// Builds a record from the nodes of a game tree.
fn game_of(nodes: &[Node]) -> Result<(GameRecord, Vec<Problem>), Problem> {
    let on_main_line = || std::iter::successors(nodes.first(), |node| nodes.get(*node.children.first()?));
    let values = |name: &str| on_main_line().find_map(|node| node.values(name));
    let text = |name: &str| values(name).map_or_else(String::new, |values| one_line(&values[0]));
    let at_root = |error: MalformedText| (0, error.to_string());
    let game_number = text("GM");
    let kind = game_number.trim().to_ascii_lowercase();
    if !kind.is_empty() && kind != "18" && !kind.contains("amazon") {
        return Err((0, format!("GM is {game_number}, but Amazons is game 18")));
    }
    let mut set_up = SetUp::default();
    let has_move = |node: &Node| moves_of(node).next().is_some();
    for (name, values) in on_main_line().take_while(|node| !has_move(node)).flat_map(|node| &node.properties)
    {
        set_up.add(name, values).map_err(at_root)?;
    }
    let moves: Vec<(Side, Piece)> = on_main_line()
        .flat_map(moves_of)
        .map_while(|(side, text)| Some((side, scan::piece_of(text)?)))
        .take(MAX_PLIES)
        .collect();
    let (way, swapped) = way_of(&set_up, &moves).map_err(at_root)?;
    let mut reader = Reader { nodes, way, swapped, problems: Vec::new() };
    let game = reader.line(0, &mut Vec::new(), 0)?;
    let side = |colour: Side| if swapped { colour.opponent() } else { colour };
    let (winner, by) = read_result(&text("RE"));
    if winner.is_none() && !["", "?", "0", "Void", "Draw"].contains(&text("RE").trim()) {
        reader.problems.push((
            nodes.first().map_or(0, |root| root.offset),
            format!("the result {:?} names no winner", text("RE")),
        ));
    }
    let forfeit = match values("FORFEIT") {
        Some(values) => {
            Some((one_line(&values[0]), values.get(1).map_or_else(String::new, |text| one_line(text))))
        }
        None => by.map(|kind| (kind.to_owned(), text("RE"))),
    };
    let when = [text("DT"), text("PC")].into_iter().filter(|text| !text.is_empty());
    let number = text("NUMBER");
    let [black, white] = if swapped { [text("PW"), text("PB")] } else { [text("PB"), text("PW")] };
    reader.warn_of_unknown();
    let record = GameRecord {
        moves: game.moves,
        notes: game.notes,
        winner: winner.map(side),
        forfeit,
        when: when.collect::<Vec<_>>().join(" "),
        event: text("EV"),
        control: text("OT"),
        number: if number.is_empty() { 0 } else { read_integer("NUMBER", &number).map_err(at_root)? },
        ..GameRecord::new(black, white, way.start)
    };
    Ok((record, reader.problems))
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

/// Parses the result property `RE`: returns the winner and, unless the game was lost on the board, the kind of forfeit.
fn read_result(text: &str) -> (Option<Side>, Option<&'static str>) {
    let (side, how) = text.split_once(['+', ' ']).unwrap_or((text, ""));
    let winner = match &*side.trim().to_ascii_lowercase() {
        "b" | "black" => Some(Side::Black),
        "w" | "white" => Some(Side::White),
        _ => None,
    };
    let kind = match how.trim() {
        "T" | "Time" => Some(LATE),
        "F" | "Forfeit" => Some("forfeit"),
        _ => None,
    };
    // A server of game 18 by name gives the score of Black.
    let score = text.trim().parse().ok().filter(|score: &f64| *score != 0.0);
    let by_score = score.map(|score| if score > 0.0 { Side::Black } else { Side::White });
    (winner.or(by_score), kind)
}

/// Replaces line breaks with spaces: most properties hold a single line.
fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

/// Returns the sides and texts of a node's moves.
fn moves_of(node: &Node) -> impl Iterator<Item = (Side, &str)> {
    node.properties.iter().flat_map(|(name, values)| {
        let side = match name.as_str() {
            "B" => Some(Side::Black),
            "W" => Some(Side::White),
            _ => None,
        };
        side.map(|side| (side, values[0].as_str()))
    })
}

/// Reads the lines of a game tree.
struct Reader<'a> {
    nodes: &'a [Node],
    way: Way,
    /// True if the file's White is our Black.
    swapped: bool,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    /// Reads the line of moves that begins at node index `first`, with its variations. `before` holds the moves before
    /// the line. The line ends before a move that cannot be read. Fails if the main line sets up amazons.
    fn line(&mut self, first: usize, before: &mut Vec<Move>, nesting: usize) -> Result<Variation, Problem> {
        let (mut moves, mut notes) = (Vec::new(), Notes::new());
        let depth = before.len();
        let mut next = self.nodes.get(first);
        while let Some(node) = next {
            let mut comment = node.values("C").map(|values| values[0].as_str()).unwrap_or_default();
            let ended = !self.add_moves(node, &mut moves, before, nesting)?;
            if let Some(played) = moves.last_mut().filter(|_| moves_of(node).next().is_some() && !ended) {
                comment = read_comment(comment, played);
            }
            let note: &mut Note = notes.entry(moves.len()).or_default();
            if !note.comment.is_empty() && !comment.is_empty() {
                note.comment.push('\n');
            }
            note.comment += comment;
            if let Some(name) = node.values("N") {
                note.name = one_line(&name[0]);
            }
            let value = node.values("V").and_then(|values| values[0].trim().parse().ok());
            note.value = value.filter(|value: &f32| value.is_finite()).or(note.value);
            if ended {
                break;
            }
            for &other in node.children.iter().skip(1) {
                if nesting >= MAX_NESTING {
                    self.problems.push((self.nodes[other].offset, "a variation is nested too deeply".into()));
                    continue;
                }
                let mut variation = self.line(other, before, nesting + 1)?;
                variation.moves.shrink_to_fit();
                if variation != Variation::default() {
                    note.variations.push(variation);
                }
            }
            next = node.children.first().and_then(|&index| self.nodes.get(index));
        }
        before.truncate(depth);
        // A variation is an alternative to the next move, and the last position has none.
        if let Some(last) = notes.get_mut(&moves.len()) {
            for variation in std::mem::take(&mut last.variations) {
                let Some(played) = variation.moves.first() else { continue };
                self.problems.push((self.nodes[first].offset, format!("in no game: {}", played.mv)));
            }
        }
        notes.retain(|_, note| *note != Note::default());
        Ok(Variation { moves, notes })
    }

    /// Adds the moves of a node. Returns false if the line ends before one of them.
    fn add_moves(
        &mut self,
        node: &Node,
        moves: &mut Vec<PlayedMove>,
        before: &mut Vec<Move>,
        nesting: usize,
    ) -> Result<bool, Problem> {
        let sets_up = |(name, _): &(String, _)| SetUp::CHANGES.contains(&name.as_str());
        if !before.is_empty() && node.properties.iter().any(sets_up) {
            let problem = (node.offset, format!("amazons are set up after ply {}", before.len()));
            if nesting == 0 {
                return Err(problem);
            }
            self.problems.push(problem);
            return Ok(false);
        }
        for (side, text) in moves_of(node) {
            let side = if self.swapped { side.opponent() } else { side };
            match self.move_of(side, text, before) {
                Ok(mv) => {
                    moves.push(mv.into());
                    before.push(mv);
                }
                Err(problem) => {
                    let is_end = node.children.is_empty() && is_no_move(text);
                    if !is_end {
                        let what = if nesting == 0 { "the game" } else { "the variation" };
                        self.problems.push((
                            node.offset,
                            format!("ply {}: {problem}; {what} ends here", before.len() + 1),
                        ));
                    }
                    return Ok(false);
                }
            }
        }
        Ok(true)
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

    /// Warns of the properties that no record keeps.
    fn warn_of_unknown(&mut self) {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.nodes.iter().flat_map(|node| &node.properties) {
            let is_known = KNOWN.contains(&name.as_str()) || SetUp::CHANGES.contains(&name.as_str());
            if !is_known && names.len() < MAX_NAMES && !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        if let (Some(root), false) = (self.nodes.first(), names.is_empty()) {
            self.problems.push((root.offset, format!("these properties are not kept: {}", names.join(", "))));
        }
    }
}

/// Maximum number of unknown properties in a warning.
const MAX_NAMES: usize = 40;

/// True if a value says that no move was played.
fn is_no_move(text: &str) -> bool {
    ["", "tt", "pass", "resign", "resigns", "--", "null", "none"]
        .contains(&&*text.trim().to_ascii_lowercase())
}

/// Parses the first line of a comment into `played` and returns the other lines. Returns the whole comment if its first
/// line does not have the fixed form of [`super`]. An empty first line is dropped.
pub(super) fn read_comment<'a>(text: &'a str, played: &mut PlayedMove) -> &'a str {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if first.is_empty() || read_knowledge(first, played) { rest } else { text }
}

/// Parses text like `winning rate 0.53, lead 2.5, 0.1 s, effort 60000` into `played`. Returns `false` and changes nothing if the
/// text has another form.
fn read_knowledge(text: &str, played: &mut PlayedMove) -> bool {
    let mut known = *played;
    for part in text.split(", ") {
        let understood = if let Some(rate) = part.strip_prefix("winning rate ") {
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
