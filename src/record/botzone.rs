//! Reads Botzone games (8x8): match logs from the site, and the input of its bots.
//!
//! A match log is a list that alternates between the judge's and the bots' entries. Keys not shown here are ignored:
//!
//! ```text
//! [{"output":{"command":"request","content":{"0":{"x0":-1,…}},"display":{…}}},
//!  {"0":{"verdict":"OK","response":{"x0":2,"y0":0,"x1":2,"y1":6,"x2":3,"y2":6},"debug":"…"}}, …
//!  {"output":{"command":"finish","content":{"0":2,"1":0},"display":{"winner":0}}}]
//! ```
//!
//! The list can also be the value of `log` or `logs` in an object, which can name the players in `players`. A bot's
//! input holds the same game from one side's view: `{"requests":[…],"responses":[…]}`. Player 0 moves first and is our
//! Black. `x` (column) and `y` (row, from Black's side) count from 0. The start position is [`Position::start`].

use super::parts::{each, fields};
use super::{GameRecord, LATE};
use crate::board::moves::Move;
use crate::board::notation::MalformedText;
use crate::board::position::Position;
use crate::board::square::{Side, Size, Square};
use serde_json::Value;
use serde_json::value::RawValue;

/// JSON keys of a move, in order: column and row of origin, destination and arrow, counted from 0.
pub const KEYS: [&str; 6] = ["x0", "y0", "x1", "y1", "x2", "y2"];

/// Builds a move from six coordinates in the order of [`KEYS`]; `None` if a square is outside the board.
pub fn move_of([x0, y0, x1, y1, x2, y2]: [i64; 6], size: Size) -> Option<Move> {
    let square = |x: i64, y: i64| {
        let square = Square::new(usize::try_from(x).ok()?, usize::try_from(y).ok()?)?;
        size.contains(square).then_some(square)
    };
    Some(Move { from: square(x0, y0)?, to: square(x1, y1)?, arrow: square(x2, y2)? })
}

/// A game read from Botzone, and what could not be read of it.
pub(super) type Game = (GameRecord, Vec<String>);

/// Reads the game from a match log or from a bot's input; `None` if the JSON value is neither. A log without moves is
/// one if it holds a verdict or the end of the match.
pub(super) fn read(json: &str) -> Option<Game> {
    let [requests, responses, logs, log, players] =
        fields(json, ["requests", "responses", "logs", "log", "players"]);
    let players = players.map(RawValue::get).filter(|json| json.len() <= MAX_PLAYERS);
    let players: Value = players.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    let [black, white] = [0, 1].map(|player| name(&players[player]).unwrap_or_default());
    let start = Position::start(Size::BOTZONE);
    let mut record = GameRecord { event: "Botzone".into(), ..GameRecord::new(black, white, start) };
    let mut problems = Vec::new();
    let is_game = match (requests, logs.or(log)) {
        (Some(requests), _) => seen_by_a_bot([Some(requests), responses], &mut record, &mut problems),
        (None, Some(log)) => read_log(log.get(), &mut record, &mut problems),
        (None, None) => read_log(json, &mut record, &mut problems),
    };
    is_game.then_some((record, problems))
}

/// Maximum length of the list of players, in bytes.
const MAX_PLAYERS: usize = 1 << 16;

/// Returns the name in an entry of `players`: the entry itself if it is a string, or the `name` of the entry, its bot
/// or its user. `None` if it has no name.
pub(super) fn name(player: &Value) -> Option<String> {
    let names = [player, &player["name"], &player["bot"]["name"], &player["user"]["name"]];
    names.into_iter().find_map(Value::as_str).map(str::to_owned)
}

/// A message of a bot's input.
#[derive(Clone, Copy, PartialEq)]
enum Message {
    Move(Move),
    /// The first mover's first request, whose numbers are all -1.
    Beginning,
    Other,
}

/// Reads the moves from a bot's input: its requests and responses, taken alternately.
fn seen_by_a_bot(lists: [Option<&RawValue>; 2], record: &mut GameRecord, problems: &mut Vec<String>) -> bool {
    let lists = lists.map(|list| {
        let mut messages = Vec::new();
        each(list.map_or("[]", RawValue::get), |raw| {
            let message = match numbers(raw.get()) {
                Some(numbers) if numbers == [-1; 6] => Message::Beginning,
                numbers => numbers
                    .and_then(|numbers| move_of(numbers, Size::BOTZONE))
                    .map_or(Message::Other, Message::Move),
            };
            messages.push(message);
        });
        messages
    });
    let turns = lists[0].len().max(lists[1].len());
    let in_turn = (0..turns).flat_map(|turn| lists.iter().map(move |list| list.get(turn))).flatten();
    let mut left_out = 0;
    for message in in_turn {
        match message {
            Message::Move(mv) if left_out == 0 && record.moves.len() < Size::BOTZONE.area() => {
                record.moves.push((*mv).into())
            }
            Message::Beginning => {}
            Message::Move(_) | Message::Other => left_out += 1,
        }
    }
    if left_out > 0 {
        let ply = record.moves.len() + 1;
        problems.push(format!("ply {ply} is not a move; {left_out} messages from there are left out"));
    }
    !record.moves.is_empty()
}

/// Reads a log, or the values of a file that holds one entry a line.
fn read_log(json: &str, record: &mut GameRecord, problems: &mut Vec<String>) -> bool {
    let mut log = Log::new(record);
    each(json, |raw| log.add(raw.get()));
    log.end(problems)
}

/// Reads the game of consecutive values: entries of a log, a bot's input, moves alone, and moves under the name of a
/// response. `None` if they hold no move.
pub(super) fn read_entries<'a>(entries: impl Iterator<Item = &'a str>) -> Option<Game> {
    let start = Position::start(Size::BOTZONE);
    let mut record = GameRecord { event: "Botzone".into(), ..GameRecord::new("", "", start) };
    let mut problems = Vec::new();
    let mut log = Log { takes_moves: true, ..Log::new(&mut record) };
    entries.for_each(|entry| log.add(entry));
    log.end(&mut problems).then_some((record, problems))
}

/// True if a value ends a game: the judge has finished it.
pub(super) fn ends_game(json: &str) -> bool {
    let [output] = fields(json, ["output"]);
    output.is_some_and(|output| command(output) == Some("\"finish\""))
}

/// True if a value is an entry of a match log: the judge's, or a turn with a verdict or a response.
pub(super) fn is_entry(json: &str) -> bool {
    let [output, first, second] = fields(json, ["output", "0", "1"]);
    let has = |value: Option<&RawValue>, names: [&str; 2]| {
        value.is_some_and(|value| fields(value.get(), names).iter().any(Option::is_some))
    };
    has(output, ["command", "content"])
        || [first, second].iter().any(|turn| has(*turn, ["verdict", "response"]))
}

/// True if a value is the first mover's first request.
pub(super) fn begins_game(json: &str) -> bool {
    let [requests, responses] = fields(json, ["requests", "responses"]);
    let mut count = 0;
    [requests, responses].into_iter().flatten().for_each(|list| each(list.get(), |_| count += 1));
    numbers(json) == Some([-1; 6]) || requests.is_some() && count <= 1
}

fn command(output: &RawValue) -> Option<&str> {
    fields(output.get(), ["command"])[0].map(RawValue::get)
}

/// Reads the entries of a match log one by one.
struct Log<'r> {
    record: &'r mut GameRecord,
    position: Position,
    /// True if an entry can be a move alone.
    takes_moves: bool,
    is_game: bool,
    /// Entries and turns that are in no game.
    left_out: usize,
    /// A turn whose verdict is OK, but which is no legal move: the side, and the kind and text of the forfeit.
    unread: Option<(Side, (String, String))>,
    is_finished: bool,
    /// The winner by a verdict if the judge names the other side.
    contradicts: Option<Side>,
}

impl<'r> Log<'r> {
    fn new(record: &'r mut GameRecord) -> Self {
        let position = record.start;
        Self {
            record,
            position,
            takes_moves: false,
            is_game: false,
            left_out: 0,
            unread: None,
            is_finished: false,
            contradicts: None,
        }
    }

    fn add(&mut self, entry: &str) {
        let [first, second, output] = fields(entry, ["0", "1", "output"]);
        let [response, request, requests, responses] =
            fields(entry, ["response", "request", "requests", "responses"]);
        let mut turns = [(Side::Black, first), (Side::White, second)];
        if self.position.side() == Side::White {
            turns.reverse();
        }
        let has_two = first.is_some() && second.is_some();
        let mut is_read = output.is_some();
        for (side, turn) in turns {
            let Some(turn) = turn else { continue };
            // Of two turns in an entry, one can be empty.
            let is_empty = turn.get() == "null" || has_two && numbers(turn.get()).is_none();
            is_read |= self.add_turn(side, turn.get()) || is_empty;
        }
        if let Some(output) = output {
            self.add_output(output);
        } else if self.takes_moves && requests.is_some() {
            let mut problems = Vec::new();
            let mut input = GameRecord::new("", "", self.record.start);
            seen_by_a_bot([requests, responses], &mut input, &mut problems);
            // A later input repeats the game so far.
            let known = self.record.moves.len();
            if input.moves.len() >= known && input.moves.starts_with(&self.record.moves) {
                input.moves.iter().skip(known).for_each(|played| is_read |= self.play(played.mv));
                is_read |= problems.is_empty();
            }
        } else if self.takes_moves && first.or(second).is_none() {
            let message = response.or(request).map_or(entry, RawValue::get);
            is_read |= match numbers(message) {
                Some(numbers) if numbers == [-1; 6] => true,
                Some(_) => self.add_turn(self.position.side(), message),
                None => response.or(request).is_none() && self.is_harmless(entry),
            };
        }
        self.left_out += usize::from(!is_read);
    }

    /// True if an entry holds nothing that can be a move.
    fn is_harmless(&self, entry: &str) -> bool {
        !entry.contains("x0") && !super::scan::has_moves(entry)
    }

    /// Plays a legal move that follows, or is the last one again; returns false if it is neither.
    fn play(&mut self, mv: Move) -> bool {
        if self.record.moves.last().is_some_and(|last| last.mv == mv) {
            return true;
        }
        let is_legal = self.record.forfeit.is_none() && self.position.check(mv).is_ok();
        if is_legal {
            self.is_game = true;
            self.record.moves.push(mv.into());
            self.position = self.position.with_move(mv);
        }
        is_legal
    }

    /// Adds a bot's turn; returns false if the JSON is none, or is in no game.
    fn add_turn(&mut self, side: Side, turn: &str) -> bool {
        let Some(outcome) = read_turn(turn, &self.position) else { return false };
        if self.record.forfeit.is_some() || self.unread.is_some() {
            return false;
        }
        self.is_game = true;
        match outcome {
            Ok(mv) => self.play(mv),
            Err(forfeit) if matches!(&*forfeit.0, "illegal" | "garbage") && has_no_verdict(turn) => {
                self.unread = Some((side, forfeit));
                true
            }
            Err(forfeit) => {
                self.record.winner = Some(side.opponent());
                self.record.forfeit = Some(forfeit);
                true
            }
        }
    }

    /// Adds a judge's entry: a request, which holds the last move, or the result.
    fn add_output(&mut self, output: &RawValue) {
        let [content, display] = fields(output.get(), ["content", "display"]);
        let content = content.map_or("", RawValue::get);
        if command(output) == Some("\"finish\"") {
            // Without the bots' entries, the last move is only here.
            let last = display.and_then(|display| move_of(numbers(display.get())?, Size::BOTZONE));
            let is_read = last.is_none_or(|mv| self.record.forfeit.is_some() || self.play(mv));
            self.left_out += usize::from(!is_read && self.unread.is_none());
            // The match ended on the board: the winner scores 2, the loser 0.
            let number = |raw: &RawValue| raw.get().trim_matches('"').parse::<f64>().ok();
            let [black, white] = fields(content, ["0", "1"]).map(|score| score.and_then(number));
            let [shown] = fields(display.map_or("", RawValue::get), ["winner"]);
            (self.is_game, self.is_finished) = (true, true);
            let winner = match (black, white, shown.and_then(number)) {
                (None, None, Some(0.0)) => Some(Side::Black),
                (None, None, Some(1.0)) => Some(Side::White),
                (black, white, _) => {
                    let [black, white] = [black, white].map(Option::unwrap_or_default);
                    (black != white).then_some(if black > white { Side::Black } else { Side::White })
                }
            };
            match (self.record.winner, winner) {
                (Some(known), Some(other)) if self.record.forfeit.is_some() => {
                    self.contradicts = (known != other).then_some(known);
                }
                _ => self.record.winner = winner,
            }
            return;
        }
        for message in fields(content, ["0", "1"]).into_iter().flatten() {
            let Some(numbers) = numbers(message.get()).filter(|numbers| *numbers != [-1; 6]) else {
                continue;
            };
            let is_read = move_of(numbers, Size::BOTZONE).is_some_and(|mv| self.play(mv));
            if is_read {
                // The bot's own entry was not understood, but the judge has taken this move.
                self.unread = None;
            }
            self.left_out += usize::from(!is_read);
        }
    }

    /// Adds what was not read to the problems; returns false if the entries are no game.
    fn end(self, problems: &mut Vec<String>) -> bool {
        if let Some((side, forfeit)) = self.unread {
            problems.push(format!("ply {}: {}", self.record.moves.len() + 1, forfeit.1));
            let has_lost = match self.is_finished {
                true => self.record.winner == Some(side.opponent()),
                false => forfeit.0 == "illegal",
            };
            if has_lost {
                self.record.winner = Some(side.opponent());
                self.record.forfeit = Some(forfeit);
            }
        }
        if let Some(known) = self.contradicts {
            problems.push(format!("another result of this game says that {known} has won"));
        }
        if self.left_out > 0 {
            problems.push(format!("entries of the log that are left out: {}", self.left_out));
        }
        self.is_game
    }
}

/// True if no verdict other than OK says that a turn is a forfeit.
fn has_no_verdict(turn: &str) -> bool {
    fields(turn, ["verdict"])[0].is_none_or(|verdict| verdict.get() == "\"OK\"")
}

/// Returns the move of a turn; `None` if the JSON is no turn. Fails with the kind and text of a forfeit if the verdict
/// on the bot is not OK or its response is malformed or illegal.
fn read_turn(json: &str, position: &Position) -> Option<Result<Move, (String, String)>> {
    let [verdict, response] = fields(json, ["verdict", "response"]);
    let verdict = verdict.map(|verdict| serde_json::from_str(verdict.get()).unwrap_or_default());
    let is_turn = verdict.is_some() || response.is_some() || numbers(json).is_some();
    let is_inside = response.is_some_and(|response| numbers(response.get()).is_some());
    let message = response.filter(|_| is_inside || numbers(json).is_none()).map_or(json, RawValue::get);
    is_turn.then(|| move_or_forfeit(verdict, message, position))
}

fn move_or_forfeit(
    verdict: Option<String>,
    response: &str,
    position: &Position,
) -> Result<Move, (String, String)> {
    let forfeit = |kind: &str, text: String| (kind.to_owned(), format!("{kind}: {text}"));
    match verdict.as_deref() {
        None | Some("OK") => {
            let mv = read_move(response).map_err(|error| forfeit("garbage", error.to_string()))?;
            position.check(mv).map_err(|error| forfeit("illegal", format!("{mv}: {error}")))?;
            Ok(mv)
        }
        Some(verdict) => {
            let kind = match verdict {
                "TLE" => LATE,
                "RE" | "MLE" | "NJ" => "crash",
                _ => "garbage",
            };
            let reason = match verdict {
                "TLE" => " (too late)",
                "RE" => " (the bot crashed)",
                "MLE" => " (too much memory)",
                _ => "",
            };
            Err(forfeit(kind, format!("Botzone says {verdict}{reason}")))
        }
    }
}

/// Names under which a move is wrapped by the site and by its tools.
const WRAPPERS: [&str; 7] = ["response", "content", "raw", "move", "action", "data", "output"];

/// Maximum number of wrappers around a move.
const MAX_WRAPPERS: usize = 4;

/// Reads the coordinates under [`KEYS`] from a JSON object, or from a string of JSON or of six numbers, also inside
/// [`WRAPPERS`]. `None` if one is missing.
fn numbers(message: &str) -> Option<[i64; 6]> {
    numbers_within(message, MAX_WRAPPERS)
}

fn numbers_within(message: &str, wrappers: usize) -> Option<[i64; 6]> {
    if message.starts_with('"') {
        let text: String = serde_json::from_str(message).ok()?;
        let text = text.trim();
        let inside = || numbers_within(text, wrappers.checked_sub(1)?);
        return six_numbers(text.split([' ', ',', '\n', '\t'])).or_else(inside);
    }
    if let Some(list) = message.strip_prefix('[') {
        return six_numbers(list.trim_end_matches(']').split(','));
    }
    let mut numbers = [0; 6];
    let values = fields(message, KEYS);
    for (number, field) in numbers.iter_mut().zip(values) {
        let Some(field) = field else {
            let inside = |raw: &RawValue| numbers_within(raw.get(), wrappers.checked_sub(1)?);
            return fields(message, WRAPPERS).into_iter().flatten().find_map(inside);
        };
        *number = field.get().trim_matches(|c: char| c == '"' || c.is_whitespace()).parse().ok()?;
    }
    Some(numbers)
}

fn six_numbers<'a>(parts: impl Iterator<Item = &'a str>) -> Option<[i64; 6]> {
    let parts = parts.map(str::trim).filter(|part| !part.is_empty()).take(7);
    let numbers: Vec<i64> = parts.map(|part| part.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

fn read_move(message: &str) -> Result<Move, MalformedText> {
    let mv = numbers(message).and_then(|numbers| move_of(numbers, Size::BOTZONE));
    mv.ok_or_else(|| {
        let text: String = message.chars().take(80).collect();
        MalformedText::new(format!("{text} is not a move: expected x0, y0, x1, y1, x2, y2 from 0 to 7"))
    })
}
