//! Names of the players and start positions: values behind a label and a colon.

use super::super::half_width::half_width;
use super::super::piece::{Colour, Form, Label, Mark, Player};
use super::super::{header, verdict, words};
use super::Lexer;
use super::results::MAX_UNCLEAR;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::record::botzone;
use serde_json::Value;

/// Maximum length of a label, in bytes.
const MAX_LABEL: usize = 60;

/// Maximum length of a name in text, in characters.
const MAX_NAME: usize = 60;

/// Maximum number of words of a name in text.
const MAX_WORDS: usize = 4;

/// Maximum length of a tag of PGN in JSON, in characters.
const MAX_TAG: usize = 400;

/// Maximum length of a JSON value with names or a start position, in bytes.
const MAX_VALUE: usize = 4000;

impl<'a> Lexer<'a> {
    /// Reads the value behind a colon if the label before it announces a name or a start position.
    pub(super) fn labelled(&mut self, colon: usize) {
        if self.in_string {
            return;
        }
        let Some(label) = self.label(colon) else { return };
        if self.is_json {
            self.keys.begin(label);
            self.note_coordinate(label);
            self.json_value(label.trim_end());
        } else if let Some(player) = player_of(label) {
            self.name_in_text(player);
        }
    }

    /// Returns the label before a colon: in JSON a string, else the words before it.
    fn label(&self, colon: usize) -> Option<&'a str> {
        let text = self.text;
        let from = (colon.saturating_sub(MAX_LABEL)..=colon).find(|&at| text.is_char_boundary(at))?;
        let before = text[from..colon].trim_end();
        if self.is_json {
            let inside = before.strip_suffix('"')?;
            return inside.rfind('"').map(|at| &inside[at + 1..]);
        }
        let is_word = |letter: char| letter.is_alphanumeric() || " _".contains(half_width(letter));
        let begin = before.char_indices().rev().take_while(|(_, letter)| is_word(*letter)).last();
        Some(before[begin?.0..].trim())
    }

    /// Reads a line for the names of both players, whose order says nothing: `Ann vs Bob`.
    pub(super) fn rivals(&mut self, line: &str) {
        let is_name = |part: &str| {
            part.split_whitespace().count() <= MAX_WORDS
                && part.contains(|letter: char| letter.is_alphabetic())
        };
        let begins = line.match_indices(' ').map(|(at, _)| at);
        let pair = begins.filter_map(|at| {
            let (word, second) = line[at + 1..].split_once(' ')?;
            let word = word.trim_end_matches('.').to_lowercase();
            let first = line[..at].rsplit([':', ',']).next()?;
            let parts = words::parts_players(&word) || ["对", "對", "对阵", "對陣"].contains(&&*word);
            let second = second.split([',', '(', ';']).next()?;
            (parts && is_name(first) && is_name(second)).then_some([first.trim(), second.trim()])
        });
        let Some([first, second]) = pair.into_iter().next() else { return };
        let in_line = self.found.marks.iter().rev().take_while(|(_, offset, _)| *offset > self.here.begin);
        let is_named = in_line.into_iter().any(|(.., mark)| matches!(mark, Mark::Named(..)));
        if !is_named && self.unclear < MAX_UNCLEAR {
            self.unclear += 1;
            self.mark_at(self.here.begin, Mark::Rivals(format!("{first}, {second}")));
        }
    }

    fn name_in_text(&mut self, player: Player) {
        let rest = self.text[self.at..].trim_start_matches([' ', '\t', '\u{3000}']);
        let begin = self.text.len() - rest.len();
        let Some(value) = name_at(rest) else { return };
        if let (Player::First, Some(Player::Of(colour))) = (player, verdict::player(value)) {
            return self.mark(Mark::Begins(colour));
        }
        let found = self.found.pieces.is_empty();
        let is_name = value.split_whitespace().count() <= MAX_WORDS
            && value.starts_with(char::is_alphabetic)
            && !value.split_whitespace().next().is_some_and(|word| words::connects(&word.to_lowercase()));
        if !is_name || !can_be_name(value, found) {
            return;
        }
        let (name, end) = (value.to_owned(), begin + value.len());
        self.mark(Mark::Named(player, name));
        self.at = end;
        self.mover = None;
    }

    /// Reads the JSON value behind a colon. Only a name is skipped: others can hold moves.
    fn json_value(&mut self, label: &str) {
        let (is_list, is_start) = (words::names_players(label), words::names_start(label));
        let (player, is_score) = (verdict::player(label), names_scores(label));
        if !is_list && !is_start && !is_score && player.is_none() {
            return;
        }
        let rest = self.text[self.at..].trim_start();
        let begin = self.text.len() - rest.len();
        let length = (0..=rest.len().min(MAX_VALUE)).rev().find(|&at| rest.is_char_boundary(at));
        let mut values = serde_json::Deserializer::from_str(&rest[..length.unwrap_or_default()]).into_iter();
        let value: Option<Value> = values.next().and_then(Result::ok);
        let end = begin + values.byte_offset();
        match (value, player) {
            (None, _) if is_start => self.mark(Mark::Start(None)),
            (None, _) | (Some(Value::Null), _) => {}
            (Some(value), _) if is_score => self.scores(label, &value, end),
            (Some(value), _) if is_start => {
                if !is_usual(&value) {
                    self.mark(Mark::Start(start_of(&value, self.edge.unwrap_or(10)).map(Box::new)));
                }
                self.at = end;
                (self.key, self.has_key) = (None, false);
            }
            (Some(Value::Array(players)), _) if is_list && players.len() == 2 => {
                for (player, seat) in players.iter().zip([Player::First, Player::Second]) {
                    let colour = ["color", "colour", "side"].iter().find_map(|key| player[*key].as_str());
                    let seat = colour.and_then(verdict::player).unwrap_or(seat);
                    self.name_in_json(seat, player);
                }
            }
            (Some(value), Some(player)) => {
                let is_skipped = self.name_in_json(player, &value) && value.is_string();
                if is_skipped {
                    self.at = end;
                    (self.key, self.has_key, self.mover) = (None, false, None);
                }
            }
            _ => {}
        }
    }

    /// Adds the name in a value; returns false if it has none.
    fn name_in_json(&mut self, player: Player, value: &Value) -> bool {
        let Some(name) = botzone::name(value).filter(|name| !name.trim().is_empty()) else { return false };
        match (player, verdict::player(&name)) {
            (Player::First, Some(Player::Of(colour))) => self.mark(Mark::Begins(colour)),
            _ if can_be_name(&name, true) => self.mark(Mark::Named(player, name)),
            _ => return false,
        }
        true
    }

    /// Marks the result in the points of two players behind a label.
    fn scores(&mut self, label: &str, value: &Value, end: usize) {
        let Some(points) = points_of(value) else { return };
        let said = match points.map(|(_, points)| points) {
            [0.0, 0.0] => None,
            // A game has one or two points.
            [1.0 | 2.0, 0.0] | [1.0, -1.0] => Some(points[0].0),
            [0.0, 1.0 | 2.0] | [-1.0, 1.0] => Some(points[1].0),
            _ => Some(None),
        };
        match said {
            None => {}
            Some(Some(player)) => self.mark(Mark::Won(player)),
            Some(None) => {
                let begin = (label.as_ptr() as usize - self.text.as_ptr() as usize) as u32;
                self.mark(Mark::Sentence { begin, end: end as u32, may_name: false });
            }
        }
        if !value.is_array() || value[0].is_number() {
            self.at = end;
            (self.key, self.has_key) = (None, false);
        }
    }

    /// Reads a tag of PGN in a string of JSON, `[White \"name\"]`. It belongs to the moves of the string.
    pub(super) fn tag_in_json(&mut self) -> bool {
        let text = &self.text[self.at..];
        let is_in_name = |c: char| c == '[' || c == ' ' || c.is_alphanumeric() || c == '_';
        let name = || text.char_indices().take(MAX_TAG).find(|(_, letter)| !is_in_name(*letter));
        if !self.in_string || !name().is_some_and(|(at, _)| text[at..].starts_with("\\\"")) {
            return false;
        }
        let mut is_escape = false;
        let letters = text.char_indices().take(MAX_TAG).filter(|(_, letter)| {
            is_escape = *letter == '\\' && !is_escape;
            !is_escape
        });
        let (mut plain, mut places) = (String::new(), Vec::new());
        for (at, letter) in letters {
            plain.push(letter);
            places.resize(plain.len(), at + letter.len_utf8());
        }
        let Some((label, value, length)) = header::tag(&plain, false) else { return false };
        let end = self.at + length.checked_sub(1).map_or(0, |last| places[last]);
        let mark = match label {
            Label::Name(colour) => {
                // White moves first in PGN.
                self.mark(Mark::Begins(Colour::White));
                Mark::Named(if colour == Colour::White { Player::First } else { Player::Second }, value)
            }
            Label::First => Mark::Named(Player::First, value),
            Label::Second => Mark::Named(Player::Second, value),
            Label::Fen => Mark::Fen(value),
            Label::Result | Label::Winner | Label::Loser => {
                Mark::Sentence { begin: self.at as u32 + 1, end: end as u32 - 1, may_name: true }
            }
            Label::Unordered | Label::Date | Label::Event | Label::Other => Mark::Tag(label, value),
        };
        self.mark(mark);
        self.at = end;
        (self.key, self.has_key, self.mover, self.numbering) = (None, false, None, None);
        self.begins_game |= !self.found.pieces.is_empty();
        true
    }
}

/// True if the name of a value says that it is the points of both players.
fn names_scores(label: &str) -> bool {
    let label = label.to_lowercase().replace(['_', '-', ' '], "");
    ["score", "scores", "比分", "得分"].contains(&label.strip_prefix("final").unwrap_or(&label))
}

/// Returns the points of two players: a text `2-0`, a list of two numbers, or an object with one for each player. The
/// player is `None` if it is not known; so are the points in two objects, infinite then.
fn points_of(value: &Value) -> Option<[(Option<Player>, f64); 2]> {
    let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    let order = [Player::First, Player::Second].map(Some);
    let points: Vec<(Option<Player>, f64)> = match value {
        Value::String(text) => {
            let (first, second) = text.split_once(['-', ':'])?;
            let numbers = [first.trim().parse().ok()?, second.trim().parse().ok()?];
            order.into_iter().zip(numbers).collect()
        }
        Value::Array(list) if list.len() == 2 => {
            let all = list.iter().map(|value| number(value).or(value.is_object().then_some(f64::INFINITY)));
            order.into_iter().zip(all.collect::<Option<Vec<f64>>>()?).collect()
        }
        Value::Object(entries) if entries.len() == 2 => {
            let keys = if entries.contains_key("0") { ["0", "1"] } else { ["1", "2"] };
            let player = |key: &str| match keys.iter().position(|known| *known == key) {
                Some(index) => order[index],
                None => verdict::player(key),
            };
            entries.iter().map(|(key, value)| Some((player(key), number(value)?))).collect::<Option<_>>()?
        }
        _ => return None,
    };
    points.try_into().ok()
}

/// Returns the player that the last words of a label name. A letter alone is no label.
fn player_of(label: &str) -> Option<Player> {
    let begins = label.char_indices().filter(|&(at, _)| at == 0 || label[..at].ends_with(' '));
    let words = begins.map(|(at, _)| &label[at..]).filter(|words| words.len() > 1);
    words.into_iter().find_map(verdict::player)
}

/// Returns the beginning of a text that can be a name: up to the end of a part of a line, or the next label.
fn name_at(text: &str) -> Option<&str> {
    let is_end = |(at, letter): &(usize, char)| match half_width(*letter) {
        '\n' | '\r' | '\t' | ',' | ';' | '|' | '(' | '[' | '{' | '<' | '"' | '、' | '。' => true,
        ' ' | '.' => text[at + letter.len_utf8()..].starts_with([' ', '\n', '\r']),
        _ => false,
    };
    let end = text.char_indices().take(MAX_NAME + 1).find(is_end);
    let end = end.map_or_else(
        || Some(text.len()).filter(|_| text.chars().nth(MAX_NAME).is_none()),
        |(at, _)| Some(at),
    );
    let mut value = &text[..end?];
    if let Some(colon) = value.find(|letter| half_width(letter) == ':') {
        let label = |at: &usize| {
            (*at == 0 || value[..*at].ends_with(' ')) && verdict::player(&value[*at..colon]).is_some()
        };
        value = &value[..value[..colon].char_indices().map(|(at, _)| at).find(label)?];
    }
    let parts = |value: &str| {
        let last = value.rsplit(' ').next().unwrap_or_default();
        words::parts_players(last.trim_end_matches('.')) || ["-", "–", "对", "對"].contains(&last)
    };
    value = value.trim_end();
    if parts(value) {
        value = value.rsplit_once(' ').map_or("", |(before, _)| before).trim_end();
    }
    Some(value).filter(|value| !value.is_empty())
}

/// True if a value is the name of a player: no result, no player, and no move. `is_heading` allows words that a damaged
/// move can look like.
fn can_be_name(value: &str, is_heading: bool) -> bool {
    let is_harmless = |form: Form, is_weak: bool| is_heading && is_weak && form == Form::Fragment;
    let pieces = || Lexer::new(value, false).read().pieces;
    !verdict::is_sign(value)
        && verdict::player(value).is_none()
        && !value.ends_with(['!', '?', '！', '？', '。'])
        && pieces().iter().all(|piece| is_harmless(piece.form, piece.is_weak))
}

/// True if a value says that the game begins as usual.
fn is_usual(value: &Value) -> bool {
    const WORDS: [&str; 6] = ["", "standard", "startpos", "default", "normal", "usual"];
    value.as_str().is_some_and(|word| WORDS.contains(&&*word.trim().to_ascii_lowercase()))
}

/// Returns the start position in a value: a FEN, rows of squares from the top, or lists of squares by colour. `None` if
/// it is unclear.
fn start_of(value: &Value, edge: usize) -> Option<Position> {
    if let Some(fen) = value.as_str() {
        return Position::from_fen(fen).ok();
    }
    let of = |keys: &[&str]| keys.iter().map(|key| &value[*key]).find(|value| !value.is_null());
    let mover = of(&["current_player", "currentPlayer", "player", "turn", "side", "to_move", "side_to_move"]);
    let side = match mover {
        None => Side::Black,
        Some(mover) => side_of(mover)?,
    };
    let rows =
        if value.is_array() { Some(value) } else { of(&["board", "grid", "squares", "rows", "position"]) };
    let picture = match rows {
        Some(rows) => picture_of_rows(rows)?,
        None => {
            let [black, white] = [of(&["black", "B", "first"]), of(&["white", "W", "second"])];
            picture_of_lists([black, white, of(&["arrows", "arrow", "blocks"])], edge)?
        }
    };
    let position = Position::from_picture(&picture, side).ok()?;
    // The usual start with the colours exchanged: our first mover is Black.
    let [black, white] = position.all_amazons();
    let usual = Position::start(position.size());
    let is_exchanged =
        side == Side::White && [white, black] == usual.all_amazons() && position.arrows().is_empty();
    Some(if is_exchanged { usual } else { position })
}

fn side_of(mover: &Value) -> Option<Side> {
    match (mover.as_i64(), mover.as_str().and_then(verdict::player)) {
        (Some(1), _) => Some(Side::Black),
        (Some(-1 | 2), _) => Some(Side::White),
        (_, Some(Player::First | Player::Of(Colour::Black))) => Some(Side::Black),
        (_, Some(_)) => Some(Side::White),
        _ => None,
    }
}

/// Returns the picture of a list of rows, each a text or a list of numbers: 1 and -1 are amazons and 2 is an arrow, or 1
/// and 2 are amazons and -1 or 3 is an arrow. There are four amazons of each side.
fn picture_of_rows(rows: &Value) -> Option<String> {
    let rows = rows.as_array()?;
    if let Some(rows) = rows.iter().map(Value::as_str).collect::<Option<Vec<&str>>>() {
        return Some(rows.join("\n"));
    }
    let rows = rows.iter().map(|row| row.as_array()?.iter().map(Value::as_i64).collect::<Option<Vec<i64>>>());
    let rows: Vec<Vec<i64>> = rows.collect::<Option<_>>()?;
    let count = |number: i64| rows.iter().flatten().filter(|&&square| square == number).count();
    let white = match [count(-1) == 4, count(2) == 4] {
        _ if count(1) != 4 => return None,
        [true, false] => -1,
        [false, true] => 2,
        _ => return None,
    };
    let letter = |square: &i64| match *square {
        0 => '.',
        1 => 'B',
        number if number == white => 'W',
        _ => 'X',
    };
    Some(rows.iter().map(|row| row.iter().map(letter).collect::<String>()).collect::<Vec<_>>().join("\n"))
}

/// Returns the picture of lists of squares: of Black, of White, and of the arrows if there are any.
fn picture_of_lists([black, white, arrows]: [Option<&Value>; 3], edge: usize) -> Option<String> {
    let mut rows = vec![vec!['.'; edge]; edge];
    for (squares, letter) in [(Some(black?), 'B'), (Some(white?), 'W'), (arrows, 'X')] {
        for square in squares.and_then(Value::as_array).into_iter().flatten() {
            let (None, squares) = words::squares(square.as_str()?)? else { return None };
            let [[column, row]] = squares[..] else { return None };
            let [column, row] =
                [usize::try_from(column).ok()?, edge.checked_sub(usize::try_from(row).ok()?)?];
            *rows.get_mut(row)?.get_mut(column)? = letter;
        }
    }
    Some(rows.iter().map(|row| row.iter().collect::<String>()).collect::<Vec<_>>().join("\n"))
}
