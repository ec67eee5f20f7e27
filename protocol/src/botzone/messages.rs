//! What stands in Botzone's lines: requests and responses in both styles, read leniently and written.

use otrera::record::botzone::{KEYS, move_of};
use otrera::{Move, Size};
use serde::Deserialize;
use serde_json::Value;

/// How the platform writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// JSON objects.
    Json,
    /// Lines of numbers.
    Simple,
}

/// One message of the match: a request or a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message {
    /// "You are Black, begin": all six numbers are -1.
    Begin,
    /// A move of this board, legal or not.
    Move(Move),
    /// A move, but none of this board.
    Garbled,
    /// Anything else.
    Unreadable,
}

/// What a turn's input says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// All messages from the start of the match, in turn; the last one is to be answered.
    Full(Vec<Message>),
    /// Only the message to be answered.
    Bare(Message),
}

/// The most numbers in a line: the number n of the turn (at most 100) and its 2n-1 messages of six numbers.
const MAX_NUMBERS: usize = 1 + 6 * 199;

/// A line of whole numbers separated by blanks; `None` if it is anything else.
pub fn numbers(line: &str) -> Option<Vec<i64>> {
    let words: Vec<&str> = line.split_ascii_whitespace().take(MAX_NUMBERS + 1).collect();
    let numbers: Vec<i64> = words.iter().map_while(|word| word.parse().ok()).collect();
    ((1..=MAX_NUMBERS).contains(&words.len()) && numbers.len() == words.len()).then_some(numbers)
}

/// The message in a line of simple interaction.
pub fn simple_message(line: &str, size: Size) -> Message {
    match numbers(line).map(<[i64; 6]>::try_from) {
        Some(Ok(numbers)) => numbers_message(numbers, size),
        _ => Message::Unreadable,
    }
}

/// A message from `x0 y0 x1 y1 x2 y2`. Botzone's first mover sits at y = 0, ours on rank 1.
pub fn numbers_message(numbers: [i64; 6], size: Size) -> Message {
    if numbers == [-1; 6] {
        return Message::Begin;
    }
    match move_of(numbers, size) {
        Some(mv) => Message::Move(mv),
        None if numbers[0] >= 0 => Message::Garbled,
        None => Message::Unreadable,
    }
}

/// The full form of JSON interaction; whatever else is in it does not matter.
#[derive(Deserialize)]
struct FullForm {
    requests: Vec<Value>,
    #[serde(default)]
    responses: Vec<Value>,
}

/// The request in a JSON text, in the full form or bare; of a text that is no JSON, what can be saved.
pub fn json_request(line: &str, size: Size) -> Request {
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

/// A message from the keys that can be read. Where some cannot, `x0 >= 0` tells a move from [`Message::Begin`], whose
/// numbers are all -1.
fn message_of_keys(number: impl Fn(&str) -> Option<i64>, size: Size) -> Message {
    let numbers: Vec<i64> = KEYS.into_iter().filter_map(&number).collect();
    match <[i64; 6]>::try_from(numbers) {
        Ok(numbers) => numbers_message(numbers, size),
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
    let digits = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || ":\"".contains(c));
    let end = digits.find(|c: char| c != '-' && !c.is_ascii_digit())?;
    digits.get(..end)?.parse().ok()
}

/// A move as Botzone's judge wants it; -1 six times where there is none to play, as its samples answer.
pub fn response(mv: Option<Move>, style: Style) -> String {
    let numbers = match mv {
        Some(mv) => [mv.from, mv.to, mv.arrow].map(|square| [square.column() as i64, square.row() as i64]),
        None => [[-1; 2]; 3],
    };
    let [[x0, y0], [x1, y1], [x2, y2]] = numbers;
    match style {
        Style::Json => format!(r#"{{"x0":{x0},"y0":{y0},"x1":{x1},"y1":{y1},"x2":{x2},"y2":{y2}}}"#),
        Style::Simple => format!("{x0} {y0} {x1} {y1} {x2} {y2}"),
    }
}
