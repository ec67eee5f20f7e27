//! Reads game records from SGF.

use super::scanner::{Node, Scanner};
use super::start::{SetUp, read_integer, read_move};
use crate::board::notation::MalformedText;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::record::{Forfeit, GameRecord, PlayedMove};
use std::time::Duration;

/// Reads all games of a file. The caller checks if their moves are legal.
///
/// ```
/// use otrera::record::sgf;
/// let games = sgf::read("(;GM[18]SZ[10]PB[first]PW[second]RE[B+];B[djddgd];W[addgad])").unwrap();
/// assert_eq!(games[0].black, "first");
/// assert_eq!(games[0].moves[0].mv.to_string(), "d1-d7/g7");
/// ```
///
/// # Errors
/// The first error in the text, with its line or ply.
pub fn read(text: &str) -> Result<Vec<GameRecord>, MalformedText> {
    let mut scanner = Scanner::new(text);
    let mut games = Vec::new();
    while let Some(nodes) = scanner.main_line()? {
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

/// Builds a record from the main line of a game.
fn game_of(nodes: &[Node]) -> Result<GameRecord, MalformedText> {
    let properties = || nodes.iter().flatten();
    let values = |name: &str| properties().find(|(known, _)| known == name).map(|(_, values)| &values[..]);
    let text = |name: &str| values(name).map_or_else(String::new, |values| values[0].clone());
    let game_number = text("GM");
    if !["", "18"].contains(&game_number.trim()) {
        return Err(MalformedText::new(format!("GM is {game_number}, the Amazons are 18")));
    }
    let (start, moves) = start_and_moves(nodes)?;
    let (winner, by) = read_result(&text("RE"));
    let forfeit = match values("FORFEIT") {
        Some(values) => Some((values[0].clone(), values.get(1).cloned().unwrap_or_default())),
        None => by.map(|kind| (kind.to_owned(), text("RE"))),
    };
    let when = [text("DT"), text("PC")].into_iter().filter(|text| !text.is_empty());
    let number = text("NUMBER");
    Ok(GameRecord {
        moves,
        winner,
        forfeit,
        when: when.collect::<Vec<_>>().join(" "),
        event: text("EV"),
        control: text("OT"),
        number: if number.is_empty() { 0 } else { read_integer("NUMBER", &number)? },
        ..GameRecord::new(text("PB"), text("PW"), start)
    })
}

/// Parses `RE`: returns the winner and, unless the game was lost on the board, the kind of forfeit.
fn read_result(text: &str) -> (Option<Side>, Option<&'static str>) {
    let (side, how) = text.split_once('+').unwrap_or_default();
    let winner = match side.trim() {
        "B" => Some(Side::Black),
        "W" => Some(Side::White),
        _ => None,
    };
    let kind = match how.trim() {
        "T" | "Time" => Some(Forfeit::LATE),
        "F" | "Forfeit" => Some("forfeit"),
        _ => None,
    };
    (winner, kind)
}

/// Returns the start position and the moves.
fn start_and_moves(nodes: &[Node]) -> Result<(Position, Vec<PlayedMove>), MalformedText> {
    let mut set_up = SetUp::default();
    let mut start = None;
    let mut moves = Vec::new();
    for node in nodes {
        if let Some((name, values)) = node.iter().find(|(name, _)| name == "B" || name == "W") {
            let side = if name == "B" { Side::Black } else { Side::White };
            let start = match start {
                Some(start) => start,
                None => *start.insert(set_up.position(side)?),
            };
            let at_ply = |what: &str| MalformedText::new(format!("ply {}: {what}", moves.len() + 1));
            let to_move = if moves.len() % 2 == 0 { start.side() } else { start.side().opponent() };
            if side != to_move {
                return Err(at_ply(&format!("{side} moves, but it is {to_move}'s turn")));
            }
            let mv = read_move(&values[0], start.size()).ok_or_else(|| {
                at_ply(&format!("{:?} is not a move of three points like djddgd", values[0]))
            })?;
            let mut played = PlayedMove::from(mv);
            if let Some((_, comment)) = node.iter().find(|(name, _)| name == "C") {
                read_comment(&comment[0], &mut played);
            }
            moves.push(played);
        } else if start.is_none() {
            node.iter().try_for_each(|(name, values)| set_up.add(name, values))?;
        } else if node.iter().any(|(name, _)| SetUp::STONES.contains(&name.as_str())) {
            return Err(MalformedText::new(format!("amazons are set up after ply {}", moves.len())));
        }
    }
    Ok((start.map_or_else(|| set_up.position(Side::Black), Ok)?, moves))
}

/// Parses a comment of our fixed form; ignores any other comment.
fn read_comment(text: &str, played: &mut PlayedMove) {
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
            return;
        }
    }
    *played = known;
}
