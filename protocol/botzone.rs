//! Botzone: JSON and simple interaction, one process a turn or one for the whole match.
//!
//! At any turn any of the forms is understood: the full history as a JSON object or as counted lines, or
//! the bare request of keep-running mode. What cannot be read or played is left out, and the answer is
//! a legal move on the board that results. `protocol/README.md` says what to expect when.

use crate::io::{Disconnected, Event, Events, Output};
use crate::options::{KeepRunning, Settings};
use crate::session::{Defaults, Game, summary};
use otrera::{Move, Position, Report, Side, Size, Square};
use serde::Deserialize;
use serde_json::Value;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Tells the platform that the process is to live on.
const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// Of the 1 s of a turn. The rest is for starting, for the last iterations, and for a busy machine.
const MOVE_TIME: Duration = Duration::from_millis(920);

/// Of the 2 s that each bot has for its first turn of a match.
const FIRST_MOVE_TIME: Duration = Duration::from_millis(1850);

/// An input that stays open this long after a request will not be closed before the answer.
const CLOSING_GRACE: Duration = Duration::from_millis(30);

/// The `debug` field holds less than 1 KB.
const DEBUG_LIMIT: usize = 900;

/// How the platform writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    Json,
    Simple,
}

/// One message of the match: a request or a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Message {
    /// "You are Black, begin": all six numbers are -1.
    Begin,
    Move(Move),
    /// A move, but none of this board.
    Garbled,
    /// Nobody knows what.
    Unreadable,
}

/// What a turn's input says.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Request {
    /// All messages from the start of the match, in turn; the last one is to be answered.
    Full(Vec<Message>),
    /// Only the message to be answered.
    Bare(Message),
}

/// The input of one turn.
struct Turn {
    style: Style,
    request: Request,
    /// When its first line had been read, and its last.
    began: Instant,
    complete: Instant,
}

/// Whether a line is the beginning of a turn on Botzone.
pub fn recognises(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(['{', '[']) || numbers(line).is_some_and(|n| n.len() == 1 || n.len() == 6)
}

/// Plays until the platform closes the input, or the turn if it wants a process for each.
pub fn play(
    events: &mut Events,
    output: &Output,
    settings: &Settings,
    process_started: Instant,
) -> Result<(), Disconnected> {
    let size = settings.size.unwrap_or(Size::BOTZONE);
    let mut bot = Bot { game: Game::new(settings, Defaults::BOTZONE, Position::start(size)), us: None };
    // The first turn's clock runs since the process was started, the others' since they arrived.
    let mut process_started = Some(process_started);
    let mut running = None;
    while let Some(turn) = read_turn(events, size, running) {
        let started = process_started.take().unwrap_or(turn.began);
        let first_of_match = matches!(&turn.request, Request::Full(messages) if messages.len() < 2);
        let time = settings.move_time.unwrap_or(if first_of_match { FIRST_MOVE_TIME } else { MOVE_TIME });
        bot.take_in(&turn.request, size);
        let report = bot.game.think(Some(started + time), &AtomicBool::new(false));
        let stays = match settings.keep_running {
            KeepRunning::On => true,
            KeepRunning::Off => false,
            KeepRunning::Auto => input_stays_open(events, turn.complete + CLOSING_GRACE),
        };
        let mut answer = written(&report, turn.style, stays);
        if stays {
            answer = format!("{answer}\n{KEEP_RUNNING}");
        }
        output.send(&answer)?;
        if !stays {
            break;
        }
        running = Some(turn.style);
        // What came before the answer and begins no turn is stored data, not the opponent's move.
        events.keep_lines(recognises);
        if let Some(mv) = report.best {
            bot.game.advance(mv);
        }
    }
    Ok(())
}

/// A match from our side.
struct Bot {
    game: Game,
    us: Option<Side>,
}

impl Bot {
    /// Brings the game to the position that the request asks about.
    fn take_in(&mut self, request: &Request, size: Size) {
        let mut known = self.game.moves().to_vec();
        let (messages, mut position, mut moves) = match request {
            Request::Full(messages) => (&messages[..], Position::start(size), Vec::new()),
            Request::Bare(message) => {
                let position = *self.game.position();
                (std::slice::from_ref(message), position, std::mem::take(&mut known))
            }
        };
        let us = match (self.us, messages.first()) {
            (Some(us), _) if matches!(request, Request::Bare(_)) => us,
            (_, Some(Message::Move(_) | Message::Garbled)) => Side::White,
            _ => Side::Black,
        };
        for (index, message) in messages.iter().enumerate() {
            let mv = match message {
                Message::Begin => continue,
                // Nobody has moved before the first request to Black, whatever it says.
                Message::Unreadable if index == 0 && self.us.is_none() => continue,
                Message::Move(mv) => Some(*mv),
                Message::Garbled | Message::Unreadable => known.get(moves.len()).copied(),
            };
            match mv.and_then(|mv| Some((mv, position.try_play(mv).ok()?))) {
                Some((mv, next)) => {
                    moves.push(mv);
                    position = next;
                }
                // What cannot be played is left out; the other side goes on.
                None => position = position.with_side(position.side().opponent()),
            }
        }
        self.us = Some(us);
        self.game.follow(&moves, position.with_side(us));
    }
}

/// Whether the platform waits for more from this process. In a traditional turn the input is closed
/// after the request, perhaps with lines of stored data before the end.
fn input_stays_open(events: &mut Events, deadline: Instant) -> bool {
    let waiting = events.peek_before(deadline);
    let closed = waiting.iter().any(|event| matches!(event, Event::Closed));
    let another_turn = waiting.iter().any(|event| matches!(event, Event::Line(line, _) if recognises(line)));
    !closed || another_turn
}

/// Reads one turn; `None` at the end of input. Lines that mean nothing are skipped, but for a process that
/// keeps running (in this style) any line is the opponent's move.
fn read_turn(events: &mut Events, size: Size, running: Option<Style>) -> Option<Turn> {
    loop {
        let Event::Line(line, began) = events.next() else { return None };
        let line = line.trim();
        let turn = |style, request, complete| Some(Turn { style, request, began, complete });
        if line.starts_with(['{', '[']) {
            return turn(Style::Json, json_request(line, size), began);
        }
        match (numbers(line).as_deref(), running) {
            (Some(&[number]), _) => {
                let (request, complete) = counted_lines(number, events, size, began);
                return turn(Style::Simple, request, complete);
            }
            (Some(&[_, _, _, _, _, _]), _) => {
                return turn(Style::Simple, Request::Bare(simple_message(line, size)), began);
            }
            (_, Some(style)) if !line.is_empty() => {
                return turn(style, Request::Bare(Message::Unreadable), began);
            }
            _ => {}
        }
    }
}

/// The 2n-1 messages that follow the number n of the turn, and when the last one came. Should fewer come,
/// those are all there are.
fn counted_lines(turn: i64, events: &mut Events, size: Size, began: Instant) -> (Request, Instant) {
    /// No line is this late but by accident.
    const PATIENCE: Duration = Duration::from_millis(300);
    let expected = turn.clamp(1, 100) as usize * 2 - 1;
    let mut messages = Vec::new();
    let mut complete = began;
    while messages.len() < expected {
        match events.next_before(began + PATIENCE) {
            Some(Event::Line(line, _)) if line.trim().is_empty() => {}
            Some(Event::Line(line, arrived)) => {
                messages.push(simple_message(&line, size));
                complete = arrived;
            }
            Some(other) => {
                events.unread(other);
                break;
            }
            None => break,
        }
    }
    (Request::Full(messages), complete)
}

/// A line of whole numbers separated by blanks, at most ten; `None` if it is anything else.
fn numbers(line: &str) -> Option<Vec<i64>> {
    let words: Vec<&str> = line.split_ascii_whitespace().take(11).collect();
    let numbers: Vec<i64> = words.iter().map_while(|word| word.parse().ok()).collect();
    (!words.is_empty() && numbers.len() == words.len()).then_some(numbers)
}

fn simple_message(line: &str, size: Size) -> Message {
    match numbers(line).map(<[i64; 6]>::try_from) {
        Some(Ok(numbers)) => message_of(numbers, size),
        _ => Message::Unreadable,
    }
}

/// A message from `x0 y0 x1 y1 x2 y2`. Botzone's first mover sits at y = 0, ours on rank 1.
fn message_of(numbers: [i64; 6], size: Size) -> Message {
    if numbers == [-1; 6] {
        return Message::Begin;
    }
    let square = |x: i64, y: i64| {
        let square = Square::new(usize::try_from(x).ok()?, usize::try_from(y).ok()?)?;
        size.contains(square).then_some(square)
    };
    let [x0, y0, x1, y1, x2, y2] = numbers;
    match (square(x0, y0), square(x1, y1), square(x2, y2)) {
        (Some(from), Some(to), Some(arrow)) => Message::Move(Move { from, to, arrow }),
        _ if x0 >= 0 => Message::Garbled,
        _ => Message::Unreadable,
    }
}

/// The full form of JSON interaction; whatever else is in it does not matter.
#[derive(Deserialize)]
struct FullForm {
    requests: Vec<Value>,
    #[serde(default)]
    responses: Vec<Value>,
}

fn json_request(line: &str, size: Size) -> Request {
    let message = |value: &Value| json_message(value, size);
    if line.contains("\"requests\"") {
        return match serde_json::from_str::<FullForm>(line) {
            Ok(form) => {
                let (requests, responses): (Vec<_>, Vec<_>) = (
                    form.requests.iter().map(message).collect(),
                    form.responses.iter().map(message).collect(),
                );
                Request::Full(interleaved(&requests, &responses))
            }
            Err(_) => salvaged(line, size),
        };
    }
    match serde_json::from_str::<Value>(line) {
        Ok(value) => Request::Bare(message(&value)),
        Err(_) => Request::Bare(messages_in(line, size).pop().unwrap_or(Message::Unreadable)),
    }
}

/// Requests and responses in the order in which they were made.
fn interleaved(requests: &[Message], responses: &[Message]) -> Vec<Message> {
    let mut messages = Vec::with_capacity(requests.len() * 2);
    for (turn, &request) in requests.iter().enumerate() {
        messages.push(request);
        if turn + 1 < requests.len() {
            messages.push(responses.get(turn).copied().unwrap_or(Message::Unreadable));
        }
    }
    messages
}

/// The keys of a move, in order.
const KEYS: [&str; 6] = ["x0", "y0", "x1", "y1", "x2", "y2"];

/// A message from a JSON value. Like the judge it takes an object in a string too; numbers may be written
/// as text or with a fraction of zero.
fn json_message(value: &Value, size: Size) -> Message {
    if let Value::String(text) = value {
        return match serde_json::from_str(text) {
            Ok(inner @ Value::Object(_)) => json_message(&inner, size),
            _ => simple_message(text, size),
        };
    }
    let number = |key: &str| {
        let value = value.get(key)?;
        let whole = |float: f64| (float.fract() == 0.0 && float.abs() < 1e6).then_some(float as i64);
        value.as_i64().or_else(|| whole(value.as_f64()?)).or_else(|| value.as_str()?.trim().parse().ok())
    };
    message_of_keys(number, size)
}

/// A message from what is known of its keys. One number that is none of "begin" shows that it is a move.
fn message_of_keys(number: impl Fn(&str) -> Option<i64>, size: Size) -> Message {
    let numbers: Vec<i64> = KEYS.into_iter().filter_map(&number).collect();
    match <[i64; 6]>::try_from(numbers) {
        Ok(numbers) => message_of(numbers, size),
        Err(_) if number(KEYS[0]).is_some_and(|x| x >= 0) => Message::Garbled,
        Err(_) => Message::Unreadable,
    }
}

/// What can be saved from a full form that is no JSON: every complete move in it, those after the word
/// `responses` as ours.
fn salvaged(line: &str, size: Size) -> Request {
    let (requests, responses) = match (line.find("\"requests\""), line.find("\"responses\"")) {
        (Some(requests), Some(responses)) if requests < responses => line.split_at(responses),
        (Some(requests), Some(_)) => {
            let (responses, requests) = line.split_at(requests);
            (requests, responses)
        }
        _ => (line, ""),
    };
    Request::Full(interleaved(&messages_in(requests, size), &messages_in(responses, size)))
}

/// The moves in a text that is no JSON: whatever stands in braces or begins with one and names a key of
/// a move. What is cut off in the middle of its numbers is garbled.
fn messages_in(text: &str, size: Size) -> Vec<Message> {
    let objects = text.split('{').filter(|object| object.contains("\"x0\""));
    objects.map(|object| message_of_keys(|key| salvaged_number(object, key), size)).collect()
}

/// The number behind a key in a text that is no JSON, if something shows where it ends.
fn salvaged_number(object: &str, key: &str) -> Option<i64> {
    let (_, rest) = object.split_once(&format!("\"{key}\""))?;
    let digits = rest.trim_start_matches([' ', ':', '"']);
    let end = digits.find(|c: char| c != '-' && !c.is_ascii_digit())?;
    digits.get(..end)?.parse().ok()
}

/// The answer's text, without the line that keeps the process running.
fn written(report: &Report, style: Style, stays: bool) -> String {
    let numbers = match report.best {
        Some(mv) => [mv.from, mv.to, mv.arrow].map(|square| [square.column() as i64, square.row() as i64]),
        // Nothing can be moved: the platform does not ask then. Its samples answer like this.
        None => [[-1; 2]; 3],
    };
    let [[x0, y0], [x1, y1], [x2, y2]] = numbers;
    let debug = summary(report, DEBUG_LIMIT);
    match style {
        Style::Json => {
            let response = format!(r#"{{"x0":{x0},"y0":{y0},"x1":{x1},"y1":{y1},"x2":{x2},"y2":{y2}}}"#);
            format!(r#"{{"response":{response},"debug":{}}}"#, Value::String(debug))
        }
        Style::Simple if stays => format!("{x0} {y0} {x1} {y1} {x2} {y2}"),
        Style::Simple => format!("{x0} {y0} {x1} {y1} {x2} {y2}\n{debug}"),
    }
}
