//! Reads game records from SGF.

use super::scanner::{Node, Scanner};
use super::start::{SetUp, read_integer};
use crate::board::moves::Move;
use crate::board::notation::MalformedText;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::record::{GameRecord, LATE, MAX_NESTING, Note, Notes, PlayedMove, Variation};
use std::time::Duration;

/// Reads all games of a file. The caller checks whether the moves are legal.
///
/// # Errors
/// Returns the first error in the text, with its line or ply.
pub fn read(text: &str) -> Result<Vec<GameRecord>, MalformedText> {
    let mut scanner = Scanner::new(text);
    let mut games = Vec::new();
    while let Some(nodes) = scanner.tree()? {
        let line = scanner.line();
        let game = game_of(&nodes)
            .map_err(|error| MalformedText::new(format!("the game that ends in line {line}: {error}")))?;
        games.push(game);
    }
    if games.is_empty() {
        return Err(MalformedText::new("an SGF file begins with (;"));
    }
    Ok(games)
}

/// Builds a record from the nodes of a game tree.
fn game_of(nodes: &[Node]) -> Result<GameRecord, MalformedText> {
    let on_main_line = || std::iter::successors(nodes.first(), |node| nodes.get(*node.children.first()?));
    let values = |name: &str| on_main_line().find_map(|node| node.values(name));
    let text = |name: &str| values(name).map_or_else(String::new, |values| one_line(&values[0]));
    let game_number = text("GM");
    if !["", "18"].contains(&game_number.trim()) {
        return Err(MalformedText::new(format!("GM is {game_number}, but Amazons is game 18")));
    }
    let mut set_up = SetUp::default();
    let has_move = |node: &Node| move_of(node).is_some();
    let first = on_main_line().find_map(move_of).map_or(Side::Black, |(side, _)| side);
    for (name, values) in on_main_line().take_while(|node| !has_move(node)).flat_map(|node| &node.properties)
    {
        set_up.add(name, values)?;
    }
    let start = set_up.position(first)?;
    let (game, error) = line(nodes, 0, &start, 0, 0);
    if let Some(error) = error {
        return Err(error);
    }
    let (winner, by) = read_result(&text("RE"));
    let forfeit = match values("FORFEIT") {
        Some(values) => {
            Some((one_line(&values[0]), values.get(1).map_or_else(String::new, |text| one_line(text))))
        }
        None => by.map(|kind| (kind.to_owned(), text("RE"))),
    };
    let when = [text("DT"), text("PC")].into_iter().filter(|text| !text.is_empty());
    let number = text("NUMBER");
    Ok(GameRecord {
        moves: game.moves,
        notes: game.notes,
        winner,
        forfeit,
        when: when.collect::<Vec<_>>().join(" "),
        event: text("EV"),
        control: text("OT"),
        number: if number.is_empty() { 0 } else { read_integer("NUMBER", &number)? },
        ..GameRecord::new(text("PB"), text("PW"), start)
    })
}

/// Parses the result property `RE`: returns the winner and, unless the game was lost on the board, the kind of forfeit.
fn read_result(text: &str) -> (Option<Side>, Option<&'static str>) {
    let (side, how) = text.split_once('+').unwrap_or_default();
    let winner = match side.trim() {
        "B" => Some(Side::Black),
        "W" => Some(Side::White),
        _ => None,
    };
    let kind = match how.trim() {
        "T" | "Time" => Some(LATE),
        "F" | "Forfeit" => Some("forfeit"),
        _ => None,
    };
    (winner, kind)
}

/// Replaces line breaks with spaces: most properties hold a single line.
fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

/// Returns the side and the text of a node's move; `None` if the node has no move.
fn move_of(node: &Node) -> Option<(Side, &str)> {
    let (name, values) = node.properties.iter().find(|(name, _)| name == "B" || name == "W")?;
    Some((if name == "B" { Side::Black } else { Side::White }, &values[0]))
}

/// Reads the line of moves that begins at node index `first`, with its variations. `ply` is the number of moves before
/// the line. An error ends the line and is returned with the moves before it.
fn line(
    nodes: &[Node],
    first: usize,
    start: &Position,
    ply: usize,
    nesting: usize,
) -> (Variation, Option<MalformedText>) {
    let (mut moves, mut notes) = (Vec::new(), Notes::new());
    let mut error = None;
    let mut next = nodes.get(first);
    while let Some(node) = next {
        let mut comment = node.values("C").map(|values| values[0].as_str()).unwrap_or_default();
        match read_played(node, start, ply + moves.len()) {
            Ok(Some(mut played)) => {
                comment = read_comment(comment, &mut played);
                moves.push(played);
            }
            Ok(None) => {}
            Err(problem) => {
                error = Some(problem);
                break;
            }
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
        if nesting < MAX_NESTING {
            for &other in node.children.iter().skip(1) {
                let (variation, _) = line(nodes, other, start, ply + moves.len(), nesting + 1);
                if variation != Variation::default() {
                    note.variations.push(variation);
                }
            }
        }
        next = node.children.first().and_then(|&index| nodes.get(index));
    }
    // A variation is an alternative to the next move, and the last position has none.
    if let Some(last) = notes.get_mut(&moves.len()) {
        last.variations.clear();
    }
    notes.retain(|_, note| *note != Note::default());
    (Variation { moves, notes }, error)
}

/// Returns the move of a node at the given ply, counted from 0; `None` for a node without a move. Fails on a malformed
/// move, a move of the wrong side, or a set-up after the first move.
fn read_played(node: &Node, start: &Position, ply: usize) -> Result<Option<PlayedMove>, MalformedText> {
    let Some((side, text)) = move_of(node) else {
        let sets_up = |(name, _): &(String, _)| SetUp::STONES.contains(&name.as_str());
        return if ply > 0 && node.properties.iter().any(sets_up) {
            Err(MalformedText::new(format!("amazons are set up after ply {ply}")))
        } else {
            Ok(None)
        };
    };
    let at_ply = |what: &str| MalformedText::new(format!("ply {}: {what}", ply + 1));
    let to_move = if ply.is_multiple_of(2) { start.side() } else { start.side().opponent() };
    if side != to_move {
        return Err(at_ply(&format!("{side} moves, but it is {to_move}'s turn")));
    }
    let mv = Move::from_letters(text.trim(), start.size())
        .ok_or_else(|| at_ply(&format!("{text:?} is not a move of three points like djddgd")))?;
    Ok(Some(mv.into()))
}

/// Parses the first line of a comment into `played` and returns the other lines. Returns the whole comment if its first
/// line does not have the fixed form of [`super`]. An empty first line is dropped.
pub(super) fn read_comment<'a>(text: &'a str, played: &mut PlayedMove) -> &'a str {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if first.is_empty() || read_knowledge(first, played) { rest } else { text }
}

/// Parses text like `winning rate 0.53, 0.1 s, effort 60000` into `played`. Returns `false` and changes nothing if the
/// text has another form.
fn read_knowledge(text: &str, played: &mut PlayedMove) -> bool {
    let mut known = *played;
    for part in text.split(", ") {
        let understood = if let Some(rate) = part.strip_prefix("winning rate ") {
            rate.parse().map(|rate| known.win_rate = Some(rate)).is_ok()
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
