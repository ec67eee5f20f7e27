//! Botzone's protocol as text: classifies lines, parses requests and responses in both input formats leniently, and
//! formats answers.

use otrera::record::botzone::{KEYS, move_of};
use otrera::{Move, Size};
use serde::Deserialize;
use serde_json::Value;

/// Format of Botzone's messages, called JSON and simple interaction.
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
    /// Six times -1 instead of a move; as the first message of a match, it means that we play Black and move first.
    Begin,
    /// A move between squares of the board, legal or not.
    Move(Move),
    /// A message that starts like a move, but is incomplete or has a square outside the board.
    Garbled,
    /// Any other message.
    Unreadable,
}

/// The platform's request for one turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// All messages since the start of the match in order; the last one is to be answered.
    Full(Vec<Message>),
    /// Only the message to be answered, as sent to a process that was kept running.
    Bare(Message),
}

/// A line of input, classified by its syntax.
#[derive(PartialEq, Eq, Debug)]
pub enum Form {
    /// The start of a JSON text.
    Json,
    /// A turn number and the messages on the same line; more messages can follow on the next lines.
    Turn(i64, Vec<[i64; 6]>),
    /// A single message.
    Message([i64; 6]),
    /// Any other line.
    Other,
}

/// Classifies a line as JSON, a turn number, a turn number followed by messages, a message of six numbers, or other
/// text.
pub fn classify(line: &str) -> Form {
    if line.trim_start().starts_with(['{', '[']) {
        return Form::Json;
    }
    let Some(numbers) = numbers(line) else { return Form::Other };
    match (numbers.as_chunks().0, &numbers[..]) {
        (&[six], [_, _, _, _, _, _]) => Form::Message(six),
        (_, &[turn]) => Form::Turn(turn, Vec::new()),
        (_, &[turn, ref rest @ ..]) => match rest.as_chunks() {
            (messages @ [first, ..], []) if is_history(turn, first, messages.len()) => {
                Form::Turn(turn, messages.to_vec())
            }
            _ => Form::Other,
        },
        _ => Form::Other,
    }
}

/// True if `turn` is in range, `messages` is not too many for that turn, and the numbers in `first` are -1 to 9.
fn is_history(turn: i64, first: &[i64; 6], messages: usize) -> bool {
    let is_on_board = first.iter().all(|number| (-1..Size::STANDARD.edge() as i64).contains(number));
    is_on_board && (1..=MAX_TURNS).contains(&turn) && messages <= expected_messages(turn)
}

/// Maximum turn number; every game is shorter.
const MAX_TURNS: i64 = 100;

/// Maximum number of integers on a line: the turn number and all messages up to turn [`MAX_TURNS`].
const MAX_NUMBERS: usize = 1 + 6 * expected_messages(MAX_TURNS);

/// Returns 2n-1, the number of messages up to turn n, for n = `turn` clamped to the range 1 to [`MAX_TURNS`].
pub const fn expected_messages(turn: i64) -> usize {
    let turn = if turn < 1 { 1 } else { turn };
    (if turn > MAX_TURNS { MAX_TURNS } else { turn }) as usize * 2 - 1
}

/// Parses a line of 1 to [`MAX_NUMBERS`] integers separated by spaces; `None` for any other line.
pub fn numbers(line: &str) -> Option<Vec<i64>> {
    let words = line.split_ascii_whitespace().take(MAX_NUMBERS + 1);
    let numbers = words.map(|word| word.parse().ok()).collect::<Option<Vec<i64>>>()?;
    (1..=MAX_NUMBERS).contains(&numbers.len()).then_some(numbers)
}

/// Parses a line of simple interaction as a message; [`Message::Unreadable`] unless it has six integers.
pub fn simple_message(line: &str, size: Size) -> Message {
    match numbers(line).map(<[i64; 6]>::try_from) {
        Some(Ok(numbers)) => numbers_message(numbers, size),
        _ => Message::Unreadable,
    }
}

/// Converts `x0 y0 x1 y1 x2 y2`, counted from 0, to a message. Botzone's first player starts at y = 0, our rank 1.
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

/// A full request in JSON interaction; other keys are ignored.
#[derive(Deserialize)]
struct FullForm {
    requests: Vec<Value>,
    #[serde(default)]
    responses: Vec<Value>,
}

/// Parses a request in one line, in either format; `None` for a line without a message. Of simple interaction's full
/// requests, only those with all messages on the line of the turn number fit in one line.
pub fn request_in_line(line: &str, size: Size) -> Option<(Style, Request)> {
    let messages = |list: Vec<[i64; 6]>| list.into_iter().map(|six| numbers_message(six, size)).collect();
    match classify(line) {
        Form::Json => Some((Style::Json, json_request(line, size))),
        Form::Message(six) => Some((Style::Simple, Request::Bare(numbers_message(six, size)))),
        Form::Turn(turn, list) if list.len() == expected_messages(turn) => {
            Some((Style::Simple, Request::Full(messages(list))))
        }
        Form::Turn(..) | Form::Other => None,
    }
}

/// Parses a full or bare request from JSON; salvages the complete moves from malformed JSON.
pub fn json_request(line: &str, size: Size) -> Request {
    let message = |value: &Value| json_message(value, size);
    if line.contains("\"requests\"") {
        return match serde_json::from_str::<FullForm>(line) {
            Ok(form) => {
                let parsed = |values: Vec<Value>| values.iter().map(message).collect::<Vec<_>>();
                Request::Full(interleaved(&parsed(form.requests), &parsed(form.responses)))
            }
            Err(_) => salvaged(line, size),
        };
    }
    match serde_json::from_str::<Value>(line) {
        Ok(value) => Request::Bare(message(&value)),
        Err(_) => Request::Bare(messages_in(line, size).pop().unwrap_or(Message::Unreadable)),
    }
}

/// Merges requests and responses in the order of the match, up to the last request. A missing response is unreadable.
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

/// Parses a message from a JSON value. Like the judge, accepts an object in a string, and numbers like `"5"` or `5.0`.
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

/// Builds a message from the values of [`KEYS`], read by `number`. If a value is missing, returns [`Message::Garbled`]
/// for `x0 >= 0`, else [`Message::Unreadable`].
fn message_of_keys(number: impl Fn(&str) -> Option<i64>, size: Size) -> Message {
    let numbers: Vec<i64> = KEYS.into_iter().filter_map(&number).collect();
    match <[i64; 6]>::try_from(numbers) {
        Ok(numbers) => numbers_message(numbers, size),
        Err(_) if number(KEYS[0]).is_some_and(|x| x >= 0) => Message::Garbled,
        Err(_) => Message::Unreadable,
    }
}

/// Salvages a full request from malformed JSON. The moves after the key `responses` are ours.
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

/// Reads the moves in malformed JSON: objects, closed or not, with the key `x0`. Truncated moves are not salvaged.
fn messages_in(text: &str, size: Size) -> Vec<Message> {
    let objects = text.split('{').filter(|object| object.contains("\"x0\""));
    objects.map(|object| message_of_keys(|key| salvaged_number(object, key), size)).collect()
}

/// Reads the integer after a key in malformed JSON; `None` if it is missing or may be truncated.
fn salvaged_number(object: &str, key: &str) -> Option<i64> {
    let (_, rest) = object.split_once(&format!("\"{key}\""))?;
    let digits = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || ":\"".contains(c));
    let end = digits.find(|c: char| c != '-' && !c.is_ascii_digit())?;
    digits.get(..end)?.parse().ok()
}

/// Formats an answer for Botzone's judge; `None` becomes six times -1, as in the judge's sample programs.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_classified_by_form() {
        let begin = [-1; 6];
        let first = [5, 0, 3, 2, 6, 5];
        for (line, form) in [
            (" {", Form::Json),
            ("[1", Form::Json),
            ("1", Form::Turn(1, Vec::new())),
            ("1 -1 -1 -1 -1 -1 -1", Form::Turn(1, vec![begin])),
            ("2 5 0 3 2 6 5", Form::Turn(2, vec![first])),
            ("-1 -1 -1 -1 -1 -1", Form::Message(begin)),
            ("", Form::Other),
            ("1 2 3", Form::Other),
            ("0 5 4 5 3 4 0", Form::Other),
            ("101 -1 -1 -1 -1 -1 -1", Form::Other),
            ("1 20 0 3 2 6 5", Form::Other),
            ("1 -1 -1 -1 -1 -1 -1 5 0 3 2 6 5", Form::Other),
        ] {
            assert_eq!(classify(line), form, "{line}");
        }
    }

    /// Returns the messages of a full request; a bare one is a list of one.
    fn messages(line: &str) -> Vec<Message> {
        match json_request(line, Size::BOTZONE) {
            Request::Full(messages) => messages,
            Request::Bare(message) => vec![message],
        }
    }

    #[test]
    fn a_missing_response_leaves_a_gap() {
        let mv = r#"{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}"#;
        let read = messages(&format!(r#"{{"requests":[{{"x0":-1}},{mv},{mv}],"responses":[{mv}]}}"#));
        let is_move = |message: &Message| matches!(message, Message::Move(_));
        assert_eq!(read.iter().map(is_move).collect::<Vec<_>>(), [false, true, true, false, true]);
        // A response to the request that is to be answered would be ours of a later turn.
        let read = messages(&format!(r#"{{"requests":[{{"x0":-1}}],"responses":[{mv}]}}"#));
        assert_eq!(read.len(), 1);
    }

    #[test]
    fn numbers_are_read_as_the_judge_reads_them() {
        let with =
            |x0: &str| messages(&format!(r#"{{"x0":{x0},"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}}"#)).remove(0);
        let mv = with("5");
        assert!(matches!(mv, Message::Move(_)));
        assert_eq!([with("5.0"), with(r#"" 5""#)], [mv; 2]);
        assert_eq!(
            [with("5.5"), with("8"), with("null")],
            [Message::Unreadable, Message::Garbled, Message::Unreadable]
        );
    }

    #[test]
    fn a_number_at_the_end_of_a_broken_text_is_not_trusted() {
        let whole = r#"{"requests":[{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5 "#;
        assert!(matches!(messages(whole)[..], [Message::Move(_)]));
        // The last number could have had another digit.
        assert_eq!(messages(whole.trim_end()), [Message::Garbled]);
    }
}
