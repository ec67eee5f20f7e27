//! One turn of Botzone from the lines of the input, however it is spread over them.

use super::messages::{Message, Request, Style, json_request, numbers, numbers_message, simple_message};
use crate::io::{Event, Events, LONGEST_LINE, bytes_read};
use otrera::Size;
use std::time::{Duration, Instant};

/// The input of one turn.
pub struct Turn {
    pub style: Style,
    pub request: Request,
    /// When its first line had been read, and its last.
    pub began: Instant,
    pub complete: Instant,
}

/// Whether a line is the beginning of a turn on Botzone.
pub fn recognises(line: &str) -> bool {
    let line = line.trim_start();
    let begins = |numbers: Vec<i64>| matches!(numbers.len(), 1 | 6) || is_numbered_history(&numbers);
    line.starts_with(['{', '[']) || numbers(line).is_some_and(begins)
}

/// Reads one turn; `None` at the end of input. Lines that mean nothing are skipped, but for a process that
/// keeps running (in this style) any line is the opponent's move.
pub fn read_turn(events: &mut Events, size: Size, running: Option<Style>) -> Option<Turn> {
    loop {
        let Event::Line(line, began) = events.wait() else { return None };
        let line = line.trim();
        let turn = |style, request, complete| Some(Turn { style, request, began, complete });
        if line.starts_with(['{', '[']) {
            let (text, complete) = whole_json(line, events, began);
            return turn(Style::Json, json_request(&text, size), complete);
        }
        match (numbers(line).as_deref(), running) {
            (Some(&[_, _, _, _, _, _]), _) => {
                return turn(Style::Simple, Request::Bare(simple_message(line, size)), began);
            }
            (Some(numbers @ &[number, ref rest @ ..]), _)
                if rest.is_empty() || is_history(numbers, running) =>
            {
                let (messages, complete) =
                    counted_messages(number, messages_of(rest, size), events, size, began);
                return turn(Style::Simple, Request::Full(messages), complete);
            }
            (_, Some(style)) if !line.is_empty() => {
                return turn(style, Request::Bare(Message::Unreadable), began);
            }
            _ => {}
        }
    }
}

/// The most turns of one side that are counted; no game is that long.
const MAX_TURNS: i64 = 100;

/// How many messages a turn with this number has.
fn expected_messages(turn: i64) -> usize {
    turn.clamp(1, MAX_TURNS) as usize * 2 - 1
}

/// Whether a line of more than six numbers is the number n of a turn with messages behind it. For a process that
/// keeps running these must be all 2n-1 with n > 1; anything less is taken for a malformed move.
fn is_history(numbers: &[i64], running: Option<Style>) -> bool {
    let is_whole = |&turn: &i64| turn > 1 && numbers.len() == 1 + 6 * expected_messages(turn);
    is_numbered_history(numbers) && (running.is_none() || numbers.first().is_some_and(is_whole))
}

fn is_numbered_history(numbers: &[i64]) -> bool {
    let &[turn, ref messages @ ..] = numbers else { return false };
    let whole = !messages.is_empty() && messages.len() % 6 == 0;
    let coordinates =
        messages.iter().take(6).all(|number| (-1..Size::STANDARD.edge() as i64).contains(number));
    whole && coordinates && (1..=MAX_TURNS).contains(&turn) && messages.len() / 6 <= expected_messages(turn)
}

/// The messages of a row of numbers, six each.
fn messages_of(numbers: &[i64], size: Size) -> Vec<Message> {
    numbers.as_chunks().0.iter().map(|&six| numbers_message(six, size)).collect()
}

/// The 2n-1 messages of the turn with the number n, of which the first ones are known, and when the last one came.
/// Should fewer come, those are all there are.
fn counted_messages(
    turn: i64,
    mut messages: Vec<Message>,
    events: &mut Events,
    size: Size,
    began: Instant,
) -> (Vec<Message>, Instant) {
    let expected = expected_messages(turn);
    let (mut complete, mut patience) = (began, Patience::default());
    while messages.len() < expected {
        match patience.next_line(events) {
            Some((line, _)) if line.trim().is_empty() => {}
            Some((line, arrived)) => {
                let several = messages_of(&numbers(&line).unwrap_or_default(), size);
                if several.len() > 1 && messages.len() + several.len() <= expected {
                    messages.extend(several);
                } else {
                    messages.push(simple_message(&line, size));
                }
                complete = arrived;
            }
            None => break,
        }
    }
    (messages, complete)
}

/// A JSON text from its first line on, which may be one of several, and when the last one came. One that does not
/// end is what came of it.
fn whole_json(first: &str, events: &mut Events, began: Instant) -> (String, Instant) {
    let (mut text, mut complete) = (first.to_owned(), began);
    let (mut nesting, mut patience) = (Nesting::default(), Patience::default());
    nesting.read(first);
    while nesting.is_open() && text.len() < LONGEST_LINE {
        let Some((line, arrived)) = patience.next_line(events) else { break };
        nesting.read(&line);
        text.push('\n');
        text += &line;
        complete = arrived;
    }
    (text, complete)
}

/// A scanner for the end of a JSON text over several lines: the bracket that closes its first one, strings left out.
#[derive(Default)]
struct Nesting {
    depth: usize,
    in_string: bool,
    escaped: bool,
    closed: bool,
}

impl Nesting {
    fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' if !self.in_string => self.depth += 1,
                b'}' | b']' if !self.in_string => {
                    self.depth = self.depth.saturating_sub(1);
                    self.closed |= self.depth == 0;
                }
                _ => {}
            }
        }
    }

    fn is_open(&self) -> bool {
        !self.closed
    }
}

/// Time-outs for the rest of a turn: 0.3 s for each line and 2 s for all of them, in pieces of 20 ms. A process that
/// was stopped (SIGSTOP) for longer than the time-out loses one piece by that, and then reads what came meanwhile. A
/// piece in which something of a line was read costs nothing, up to [`LONGEST_LINE`].
struct Patience {
    pieces_left: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self { pieces_left: 100 }
    }
}

impl Patience {
    const PIECE: Duration = Duration::from_millis(20);
    const PIECES_A_LINE: u32 = 15;

    /// The next line; `None` at the end of input or after a time-out.
    fn next_line(&mut self, events: &mut Events) -> Option<(String, Instant)> {
        let start = bytes_read();
        let (mut read, mut pieces) = (start, 0);
        while pieces < self.pieces_left.min(Self::PIECES_A_LINE) {
            match events.next_by(Some(Instant::now() + Self::PIECE)) {
                Some(Event::Line(line, arrived)) => {
                    self.pieces_left -= pieces;
                    return Some((line, arrived));
                }
                Some(other) => {
                    events.unread(other);
                    return None;
                }
                None if bytes_read() != read && bytes_read().wrapping_sub(start) < LONGEST_LINE => {
                    read = bytes_read();
                    pieces = 0;
                }
                None => pieces += 1,
            }
        }
        self.pieces_left -= pieces;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends_in(lines: &[&str]) -> Option<usize> {
        let mut nesting = Nesting::default();
        lines.iter().position(|line| {
            nesting.read(line);
            !nesting.is_open()
        })
    }

    #[test]
    fn the_end_of_a_json_text_is_found() {
        assert_eq!(ends_in(&["{}"]), Some(0));
        assert_eq!(ends_in(&["[", "]", "{"]), Some(1));
        assert_eq!(ends_in(&[r#"{"a":[1,{"b":2}],"#, r#""c":{"#, "}", "}"]), Some(3));
        assert_eq!(ends_in(&[r#"{"a":"}]"#, r#"","b":"\"}\\","c":0"#, "}"]), Some(2));
        assert_eq!(ends_in(&["[1,2] and more {"]), Some(0));
        assert_eq!(ends_in(&["{", r#""}"#, "}"]), None);
    }

    #[test]
    fn a_line_of_many_numbers_is_a_history_where_its_number_says_so() {
        for line in ["1", "1 -1 -1 -1 -1 -1 -1", "2 5 0 3 2 6 5", "-1 -1 -1 -1 -1 -1", "{", "[1"] {
            assert!(recognises(line), "{line}");
        }
        let two_messages = "1 -1 -1 -1 -1 -1 -1 5 0 3 2 6 5";
        for line in ["", "1 2 3", "0 5 4 5 3 4 0", "101 -1 -1 -1 -1 -1 -1", "1 20 0 3 2 6 5", two_messages] {
            assert!(!recognises(line), "{line}");
        }
        // The opponent's move with a number too many is none, rather than the beginning of another game.
        assert!(!is_history(&[1, 5, 0, 3, 2, 6, 5], Some(Style::Simple)));
        assert!(!is_history(&[2, 5, 0, 3, 2, 6, 5], Some(Style::Simple)));
        assert!(is_history(&[&[2; 1][..], &[-1; 18]].concat(), Some(Style::Simple)));
    }
}
