//! Smart Game Format, FF\[4\] with the Amazons' number GM\[18\]
//! (<http://www.red-bean.com/sgf/amazons.html>): the form that board viewers read.
//!
//! ```text
//! (;FF[4]GM[18]CA[UTF-8]AP[Otrera]SZ[10]PB[first]PW[second]RE[B+]DT[2020.08.16 11:44]EV[2020 CCGC]
//! ;B[djddgd]C[winning rate 0.53, 0.1 s, effort 60000]
//! ;W[addgad])
//! ```
//!
//! A point is a column from the left and a row from the top, a move three points. A game that does not
//! begin as usual on its board has its amazons in `AB` and `AW`, its arrows in `AA`, the side to move in
//! `PL`. What the format has no place for stands in comments of a fixed form (what is known about a
//! move) and in properties of our own: `NUMBER` of the game in its match, `FORFEIT[kind][text]`, and
//! `PLY`, the moves played before a set-up position where they are not as many as its arrows. The
//! time control is in `OT`. So a record comes back from SGF as it was, but for line breaks and other
//! control characters in its texts, which become spaces.
//!
//! Reading takes the main line of each game, ignores properties that it does not know, and takes a result
//! by time or forfeit from `RE` alone where there is no `FORFEIT`.

use super::{Forfeit, GameRecord, PlayedMove};
use crate::board::bitboard::Bitboard;
use crate::board::moves::Move;
use crate::board::notation::MalformedText;
use crate::board::position::{Position, Rules};
use crate::board::square::{Side, Size, Square};
use std::time::Duration;

/// The record as a file with one game.
pub fn write(record: &GameRecord) -> String {
    let mut text = String::from("(;FF[4]GM[18]CA[UTF-8]AP[Otrera]");
    let edge = record.start.size().edge();
    push(&mut text, "SZ", &[&edge.to_string()]);
    push(&mut text, "PB", &[&record.black]);
    push(&mut text, "PW", &[&record.white]);
    push(&mut text, "RE", &[result(record)]);
    let number = if record.number == 0 { String::new() } else { record.number.to_string() };
    let fields = [("DT", &record.when), ("EV", &record.event), ("OT", &record.control), ("NUMBER", &number)];
    for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
        push(&mut text, name, &[value]);
    }
    if let Some((kind, what)) = &record.forfeit {
        push(&mut text, "FORFEIT", &[kind, what]);
    }
    push_start(&mut text, &record.start);
    let mut side = record.start.side();
    for played in &record.moves {
        text.push_str("\n;");
        push(&mut text, letter(side), &[&move_text(played.mv, edge)]);
        let comment = comment(played);
        if !comment.is_empty() {
            push(&mut text, "C", &[&comment]);
        }
        side = side.opponent();
    }
    text.push_str(")\n");
    text
}

/// Appends a property with its values, escaped.
fn push(text: &mut String, name: &str, values: &[&str]) {
    text.push_str(name);
    for value in values {
        text.push('[');
        for letter in value.chars() {
            match letter {
                '\\' | ']' => text.extend(['\\', letter]),
                control if control.is_control() => text.push(' '),
                other => text.push(other),
            }
        }
        text.push(']');
    }
}

/// Appends the set-up of a start that is not the usual one of its board.
fn push_start(text: &mut String, start: &Position) {
    if start.with_rules(Rules::Standard) == Position::start(start.size()) {
        return;
    }
    let edge = start.size().edge();
    let sets =
        [("AB", start.amazons(Side::Black)), ("AW", start.amazons(Side::White)), ("AA", start.arrows())];
    text.push('\n');
    for (name, set) in sets {
        let points: Vec<String> = set.into_iter().map(|square| point(square, edge)).collect();
        let points: Vec<&str> = points.iter().map(String::as_str).collect();
        if !points.is_empty() {
            push(text, name, &points);
        }
    }
    push(text, "PL", &[letter(start.side())]);
    if u32::from(start.ply()) != start.arrows().len() {
        push(text, "PLY", &[&start.ply().to_string()]);
    }
}

fn letter(side: Side) -> &'static str {
    match side {
        Side::Black => "B",
        Side::White => "W",
    }
}

fn result(record: &GameRecord) -> &'static str {
    let late = record.forfeit.as_ref().map(|_| record.lost_late());
    match (record.winner, late) {
        (None, _) => "?",
        (Some(Side::Black), None) => "B+",
        (Some(Side::Black), Some(true)) => "B+T",
        (Some(Side::Black), Some(false)) => "B+F",
        (Some(Side::White), None) => "W+",
        (Some(Side::White), Some(true)) => "W+T",
        (Some(Side::White), Some(false)) => "W+F",
    }
}

fn point(square: Square, edge: usize) -> String {
    let letter = |index: usize| (b'a' + index as u8) as char;
    // A square beyond the top of a small board, in a record that nobody has checked, has no letter.
    let row = (edge - 1).checked_sub(square.row()).map_or('?', letter);
    [letter(square.column()), row].into_iter().collect()
}

fn move_text(mv: Move, edge: usize) -> String {
    [mv.from, mv.to, mv.arrow].map(|square| point(square, edge)).concat()
}

/// What is known about a move, as text that [`read_comment`] reads.
fn comment(played: &PlayedMove) -> String {
    let rate = played.win_rate.filter(|rate| rate.is_finite()).map(|rate| format!("winning rate {rate}"));
    let time = (!played.time.is_zero()).then(|| format!("{} s", played.time.as_secs_f64()));
    let effort = played.effort.map(|effort| format!("effort {effort}"));
    [rate, time, effort].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Adds what such a comment says; any other comment says nothing.
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

/// Reads all games of a file. Whether their moves are legal is for the caller to look at.
///
/// # Errors
/// What is wrong with the text, and in which line or at which move.
pub fn read(text: &str) -> Result<Vec<GameRecord>, MalformedText> {
    let mut scanner = Scanner { text, rest: text };
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

/// The properties of a node with their values.
type Node = Vec<(String, Vec<String>)>;

/// Goes through the text of a file once, from front to back.
struct Scanner<'a> {
    text: &'a str,
    rest: &'a str,
}

impl Scanner<'_> {
    /// The nodes of the next game's main line, which ends where the first branch closes; the other
    /// variations are passed over. `None` when no game is left.
    fn main_line(&mut self) -> Result<Option<Vec<Node>>, MalformedText> {
        let Some(begin) = self.rest.find('(') else { return Ok(None) };
        self.rest = &self.rest[begin..];
        let (mut depth, mut on_main_line) = (0, true);
        let mut nodes: Vec<Node> = Vec::new();
        while let Some(first) = self.rest.chars().next() {
            match first {
                '(' => depth += 1,
                ')' => {
                    depth -= 1;
                    on_main_line = false;
                }
                ';' if on_main_line => nodes.push(Node::new()),
                letter if letter.is_ascii_alphabetic() => {
                    let property = self.property()?;
                    match nodes.last_mut() {
                        Some(node) if on_main_line => node.push(property),
                        Some(_) => {}
                        None => return Err(self.malformed("a property outside any node")),
                    }
                    continue;
                }
                ';' | '\u{feff}' => {}
                space if space.is_whitespace() => {}
                other => return Err(self.malformed(&format!("{other:?} belongs inside brackets"))),
            }
            self.rest = &self.rest[first.len_utf8()..];
            if depth == 0 {
                return Ok(Some(nodes));
            }
        }
        Err(self.malformed("the text ends in the middle of a game"))
    }

    /// A name and one or more values in brackets.
    fn property(&mut self) -> Result<(String, Vec<String>), MalformedText> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.rest.len());
        // Lower case letters in names are decoration of the format's first versions.
        let name: String = self.rest[..end].chars().filter(char::is_ascii_uppercase).collect();
        self.rest = self.rest[end..].trim_start();
        let mut values = Vec::new();
        while let Some(opened) = self.rest.strip_prefix('[') {
            let Some((value, length)) = bracketed(opened) else {
                return Err(self.malformed(&format!("a value of {name} has no closing bracket")));
            };
            values.push(value);
            self.rest = opened[length..].trim_start();
        }
        if values.is_empty() {
            Err(self.malformed(&format!("{name} has no value")))
        } else {
            Ok((name, values))
        }
    }

    /// The number of the line that has been reached.
    fn line(&self) -> usize {
        let read = self.text.len() - self.rest.len();
        self.text.as_bytes()[..read].iter().filter(|&&byte| byte == b'\n').count() + 1
    }

    fn malformed(&self, what: &str) -> MalformedText {
        MalformedText::new(format!("line {}: {what}", self.line()))
    }
}

/// The value up to the closing bracket, escapes taken out, and the bytes read, that bracket included.
/// White space becomes plain spaces: nothing that a game record needs holds lines.
fn bracketed(text: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            ']' => return Some((value, at + 1)),
            '\\' => match letters.next()?.1 {
                // An escaped line break is none at all; it may be made of two characters.
                first @ ('\n' | '\r') => {
                    letters.next_if(|&(_, second)| second != first && "\r\n".contains(second));
                }
                other => value.push(other),
            },
            control if control.is_ascii_control() => value.push(' '),
            other => value.push(other),
        }
    }
    None
}

/// The game that a main line tells.
fn game_of(nodes: &[Node]) -> Result<GameRecord, MalformedText> {
    let properties = || nodes.iter().flatten();
    let values = |name: &str| properties().find(|(known, _)| known == name).map(|(_, values)| &values[..]);
    let text = |name: &str| values(name).map_or_else(String::new, |values| values[0].clone());
    let game_number = text("GM");
    if !["", "18"].contains(&game_number.trim()) {
        return Err(MalformedText::new(format!("GM is {game_number}, the Amazons are 18")));
    }
    let (start, moves) = course(nodes)?;
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
        number: if number.is_empty() { 0 } else { integer("NUMBER", &number)? },
        ..GameRecord::new(text("PB"), text("PW"), start)
    })
}

/// The winner and, where the game was not lost on the board, the kind of forfeit.
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

fn integer<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, MalformedText> {
    text.trim().parse().map_err(|_| MalformedText::new(format!("{name} is a number, not {text:?}")))
}

/// The start and the moves.
fn course(nodes: &[Node]) -> Result<(Position, Vec<PlayedMove>), MalformedText> {
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

/// The properties that make the start.
#[derive(Default)]
struct SetUp {
    edge: Option<usize>,
    points: Vec<(usize, String)>,
    side: Option<Side>,
    ply: Option<u16>,
}

impl SetUp {
    /// Black's amazons, White's amazons, arrows.
    const STONES: [&str; 3] = ["AB", "AW", "AA"];

    fn add(&mut self, name: &str, values: &[String]) -> Result<(), MalformedText> {
        if let Some(kind) = Self::STONES.iter().position(|known| *known == name) {
            self.points.extend(values.iter().map(|value| (kind, value.clone())));
        }
        let value = values[0].trim();
        match name {
            "SZ" => self.edge = Some(integer(name, value.split(':').next().unwrap_or_default())?),
            "PL" if value.starts_with(['B', 'b']) => self.side = Some(Side::Black),
            "PL" if value.starts_with(['W', 'w']) => self.side = Some(Side::White),
            "PLY" => self.ply = Some(integer(name, value)?),
            _ => {}
        }
        Ok(())
    }

    /// The start of a game in which this side moves first, unless the set-up says otherwise.
    fn position(&self, mover: Side) -> Result<Position, MalformedText> {
        let edge = self.edge.unwrap_or(10);
        let Some(size) = Size::new(edge) else {
            return Err(MalformedText::new(format!("SZ is {edge}, boards here have 4 to 10 rows")));
        };
        let mut sets = [Bitboard::EMPTY; 3];
        for (kind, text) in &self.points {
            let Some(points) = rectangle(text, size) else {
                return Err(MalformedText::new(format!("{} has no point {text:?}", Self::STONES[*kind])));
            };
            sets[*kind] |= points;
        }
        let [black, white, arrows] = sets;
        let mut amazons = [black, white];
        if black.is_empty() && white.is_empty() {
            amazons = Position::start(size).all_amazons();
        }
        let position = Position::from_parts(size, amazons, arrows, self.side.unwrap_or(mover));
        Ok(self.ply.map_or(position, |ply| position.with_ply(ply)))
    }
}

/// A point `dj`, or all points of a rectangle `aj:ja`.
fn rectangle(text: &str, size: Size) -> Option<Bitboard> {
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    let [first, last] = [read_point(first.trim(), size)?, read_point(last.trim(), size)?];
    let between = |a: usize, b: usize| a.min(b)..=a.max(b);
    let rows = between(first.row(), last.row());
    let squares = rows.flat_map(|row| {
        between(first.column(), last.column()).filter_map(move |column| Square::new(column, row))
    });
    Some(squares.collect())
}

fn read_point(text: &str, size: Size) -> Option<Square> {
    let &[column, row] = text.as_bytes() else { return None };
    let index = |letter: u8| letter.to_ascii_lowercase().checked_sub(b'a').map(usize::from);
    let row = (size.edge() - 1).checked_sub(index(row)?)?;
    Square::new(index(column)?, row).filter(|&square| size.contains(square))
}

fn read_move(text: &str, size: Size) -> Option<Move> {
    let text = text.trim();
    let square = |index: usize| read_point(text.get(2 * index..2 * index + 2)?, size);
    let mv = Move { from: square(0)?, to: square(1)?, arrow: square(2)? };
    (text.len() == 6).then_some(mv)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> GameRecord {
        let mut games = read(text).unwrap();
        assert_eq!(games.len(), 1, "{text}");
        games.remove(0)
    }

    fn moves(texts: &[&str]) -> Vec<Move> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn a_game_looks_like_the_specification_s() {
        let mut record = GameRecord {
            winner: Some(Side::White),
            forfeit: Some(("late".into(), "late: no answer after 1.200 s".into())),
            event: "a [match] \\ with\nlines".into(),
            number: 7,
            ..GameRecord::new("eins", "二", Position::standard())
        }
        .with_moves(&moves(&["d1-d7/g7", "a7-d4/a7"]));
        record.moves[0].win_rate = Some(0.53);
        record.moves[0].time = Duration::from_millis(100);
        record.moves[0].effort = Some(60_000);
        let text = write(&record);
        assert_eq!(
            text,
            "(;FF[4]GM[18]CA[UTF-8]AP[Otrera]SZ[10]PB[eins]PW[二]RE[W+T]\
             EV[a [match\\] \\\\ with lines]NUMBER[7]FORFEIT[late][late: no answer after 1.200 s]\n\
             ;B[djddgd]C[winning rate 0.53, 0.1 s, effort 60000]\n\
             ;W[addgad])\n"
        );
        record.event = record.event.replace('\n', " ");
        assert_eq!(one(&text), record);
    }

    #[test]
    fn other_programs_games_are_read() {
        let text = "\u{feff}a line before the game \n (\r\n; GaMe [18] FF[4] XX[a][b]SZ[8:8]\n\
             PB[a \\] b\\\\\\\n c\td] RE [B+Time]DT[2020-01-02]PC[重庆] C[(;not a game)]\n\
             (;B[cHcCfC]C[nice]N[x] (;W[afcdaf];B[hfhehf]) (;W[hchdhc] (;B[zz]))) (;B[aa];W[]) ) trailing";
        let text = text.replace("GaMe", "GaM");
        let game = one(&text);
        assert_eq!((game.black.as_str(), game.when.as_str()), ("a ] b\\ c d", "2020-01-02 重庆"));
        assert_eq!(game.start, Position::start(Size::BOTZONE));
        assert_eq!(game.winner, Some(Side::Black));
        assert_eq!(game.forfeit, Some(("late".into(), "B+Time".into())));
        let expected = moves(&["c1-c6/f6", "a3-c5/a3", "h3-h4/h3"]).into_iter().map(PlayedMove::from);
        assert_eq!(game.moves, expected.collect::<Vec<_>>());
        let two = read("(;GM[18]PB[a];B[djddgd])\n(;GM[18]PB[b];B[gjehea])").unwrap();
        assert_eq!(two.iter().map(|game| game.black.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn set_up_positions_are_read() {
        let game = one("(;GM[18]SZ[4]AB[ad][dd]AW[aa][da]AA[bc:cc][bb];W[aaabba])");
        let picture = "W..W\n.X..\n.XX.\nB..B";
        assert_eq!(game.start, Position::from_picture(picture, Side::White).unwrap());
        let game = one("(;GM[18]AB[dj]AW[da];PL[W];PLY[8])");
        assert_eq!(game.start.to_fen(), "3q6/10/10/10/10/10/10/10/10/3Q6 b - - 8 5");
        assert_eq!(one("(;GM[18]AA[ee])").start.all_amazons(), Position::standard().all_amazons());
    }

    #[test]
    fn what_is_no_record_says_where() {
        for (text, reason) in [
            ("", "begins with (;"),
            ("(;GM[1];B[aa])", "Amazons are 18"),
            ("(;SZ[19])", "4 to 10"),
            ("(;SZ[x])", "is a number"),
            ("(;GM[18]\n;B[djddgd", "line 2: a value of B has no closing bracket"),
            ("(;GM[18];B[djddgd]", "middle of a game"),
            ("(;GM[18]\n\n;B)", "line 3: B has no value"),
            ("(;GM[18];B[djddgd];B[addgad])", "ply 2: Black moves, but it is White's turn"),
            ("(;GM[18];B[djddgd];W[])", "ply 2: \"\" is not a move"),
            ("(;GM[18];B[djdd€])", "ply 1"),
            ("(;SZ[8];B[djddgd])", "ply 1"),
            ("(;GM[18]AB[kk])", "AB has no point"),
            ("(;GM[18];B[djddgd];AA[aa])", "after ply 1"),
            ("(;GM[18]!)", "belongs inside brackets"),
            ("(GM[18])", "outside any node"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
        assert!(read(&"(;".repeat(100_000)).is_err());
    }
}
