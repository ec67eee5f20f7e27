//! Reads turns from Botzone. A turn can span several lines.

use crate::messages::{
    Form, Message, Request, Style, classify, expected_messages, json_request, numbers, numbers_message,
};
use otrera::Size;
use otrera_front::io::{Event, Events, MAX_LINE_BYTES, bytes_read};
use std::time::{Duration, Instant};

/// One turn as read from Botzone.
pub struct Turn {
    pub style: Style,
    pub request: Request,
    /// Time at which the first line arrived.
    pub began: Instant,
    /// Time at which the last line arrived.
    pub complete: Instant,
}

/// Reads one turn; `None` at the end of input. Skips lines that are not the start of a turn.
///
/// `running` is the format of the last turn, JSON or simple, if the process has kept running since then. In that case
/// every nonblank line is a turn; a line that cannot be parsed is an unreadable move of the opponent.
pub fn read_turn(events: &mut Events, size: Size, running: Option<Style>) -> Option<Turn> {
    loop {
        let Event::Line(line, began) = events.wait() else { return None };
        let turn = |style, request, complete| Some(Turn { style, request, began, complete });
        match (classify(&line), running) {
            (Form::Json, _) => {
                let (text, complete) = whole_json(line.trim(), events, began);
                return turn(Style::Json, json_request(&text, size), complete);
            }
            (Form::Message(six), _) => {
                return turn(Style::Simple, Request::Bare(numbers_message(six, size)), began);
            }
            (Form::Turn(number, first), _) if running.is_none() || is_certain(number, &first) => {
                let first = first.into_iter().map(|six| numbers_message(six, size)).collect();
                let (messages, complete) = counted_messages(number, first, events, size, began);
                return turn(Style::Simple, Request::Full(messages), complete);
            }
            (_, Some(style)) if !line.trim().is_empty() => {
                return turn(style, Request::Bare(Message::Unreadable), began);
            }
            _ => {}
        }
    }
}

/// True if a line with this turn number and these messages cannot be a malformed move: there are no messages, or all
/// the [`expected_messages`] of a turn after the first.
fn is_certain(turn: i64, messages: &[[i64; 6]]) -> bool {
    messages.is_empty() || turn > 1 && messages.len() == expected_messages(turn)
}

/// Reads the messages after `first` until the turn is complete, the input ends or [`Patience`] times out. Returns all
/// messages and the arrival time of the last line.
fn counted_messages(
    turn: i64,
    first: Vec<Message>,
    events: &mut Events,
    size: Size,
    began: Instant,
) -> (Vec<Message>, Instant) {
    let expected = expected_messages(turn);
    let (mut messages, mut complete, mut patience) = (first, began, Patience::FULL);
    while messages.len() < expected {
        let Some((line, arrived)) = patience.next_line(events) else { break };
        if line.trim().is_empty() {
            continue;
        }
        let numbers = numbers(&line).unwrap_or_default();
        match numbers.as_chunks() {
            (&[six], []) => messages.push(numbers_message(six, size)),
            (several @ [_, _, ..], _) if messages.len() + several.len() <= expected => {
                messages.extend(several.iter().map(|&six| numbers_message(six, size)));
            }
            _ => messages.push(Message::Unreadable),
        }
        complete = arrived;
    }
    (messages, complete)
}

/// Reads the lines after `first` until the JSON text is complete, the input ends or [`Patience`] times out. Returns
/// the text and the arrival time of the last line.
fn whole_json(first: &str, events: &mut Events, began: Instant) -> (String, Instant) {
    let (mut text, mut complete) = (first.to_owned(), began);
    let (mut nesting, mut patience) = (Nesting::default(), Patience::FULL);
    nesting.read(first);
    while !nesting.closed && text.len() < MAX_LINE_BYTES {
        let Some((line, arrived)) = patience.next_line(events) else { break };
        nesting.read(&line);
        text.push('\n');
        text += &line;
        complete = arrived;
    }
    (text, complete)
}

/// Bracket nesting outside of strings, tracked to find the end of a JSON text that spans several lines.
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
}

/// Timeouts for the rest of a turn: 0.3 s for each line and 2 s in total, counted in 20 ms slices.
///
/// A process that was stopped (SIGSTOP) loses only one slice and then continues to read. A slice in which part of a
/// line arrives does not count, up to [`MAX_LINE_BYTES`] per line.
struct Patience {
    slices_left: u32,
}

impl Patience {
    const FULL: Self = Self { slices_left: 100 };
    const SLICE: Duration = Duration::from_millis(20);
    const SLICES_PER_LINE: u32 = 15;

    /// Returns the next line and its arrival time; `None` at the end of input or after a timeout.
    fn next_line(&mut self, events: &mut Events) -> Option<(String, Instant)> {
        let start = bytes_read();
        let (mut read, mut slices) = (start, 0);
        while slices < self.slices_left.min(Self::SLICES_PER_LINE) {
            match events.next_by(Some(Instant::now() + Self::SLICE)) {
                Some(Event::Line(line, arrived)) => {
                    self.slices_left -= slices;
                    return Some((line, arrived));
                }
                Some(other) => {
                    events.unread(other);
                    return None;
                }
                None if bytes_read() != read && bytes_read().wrapping_sub(start) < MAX_LINE_BYTES => {
                    read = bytes_read();
                    slices = 0;
                }
                None => slices += 1,
            }
        }
        self.slices_left -= slices;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn ends_in(lines: &[&str]) -> Option<usize> {
        let mut nesting = Nesting::default();
        lines.iter().position(|line| {
            nesting.read(line);
            nesting.closed
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
    fn a_malformed_move_does_not_start_a_turn() {
        let first = [5, 0, 3, 2, 6, 5];
        assert!(!is_certain(1, &[first]) && !is_certain(2, &[first]));
        assert!(is_certain(2, &[[-1; 6]; 3]) && is_certain(7, &[]));
    }

    #[test]
    fn all_waits_of_a_turn_share_one_limit() {
        let (sender, receiver) = mpsc::channel();
        let mut events = Events::new(receiver);
        let mut patience = Patience { slices_left: Patience::SLICES_PER_LINE + 2 };
        for left in [2, 0, 0] {
            assert!(patience.next_line(&mut events).is_none());
            assert_eq!(patience.slices_left, left);
        }
        drop(sender);
    }

    #[test]
    fn the_end_of_input_ends_a_turn_and_comes_again() {
        let (sender, receiver) = mpsc::channel();
        let began = Instant::now();
        let line = |text: &str| Event::Line(text.into(), began);
        let sent = [line("3"), line("-1 -1 -1 -1 -1 -1"), Event::Closed].map(|event| sender.send(event));
        assert!(sent.iter().all(Result::is_ok));
        let mut events = Events::new(receiver);
        let turn = read_turn(&mut events, Size::BOTZONE, None);
        assert!(turn.is_some_and(|turn| turn.request == Request::Full(vec![Message::Begin])));
        let next = events.next_by(Some(Instant::now() + Duration::from_secs(5)));
        assert!(matches!(next, Some(Event::Closed)));
    }
}
