//! Fuzz targets for platform input: lines, Botzone messages, and whole sessions.

use otrera::{Move, Position, Size};
use otrera_bot::{sau, uci};
use otrera_botzone as botzone;
use otrera_botzone::messages::{Message, Request, Style, json_request, response, simple_message};
use otrera_front::io::{Connection, Event, Log, read_lines};
use otrera_front::settings::Settings;
use serde_json::to_string_pretty;
use std::io::{BufReader, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Checks that the lines read do not depend on the size of the chunks in which the bytes arrive.
pub fn lines(bytes: &[u8]) {
    let whole = lines_of(read_in_pieces(bytes, 1 << 16).1);
    assert_eq!(whole, lines_of(read_in_pieces(bytes, 1).1));
    assert!(whole.len() <= 1 + bytes.iter().filter(|&&byte| byte == b'\n').count());
    assert!(whole.iter().all(|line| !line.contains('\n')));
}

/// Reads the input in chunks of `piece` bytes. Returns both ends of a channel that holds the reader's events.
fn read_in_pieces(bytes: &[u8], piece: usize) -> (Sender<Event>, Receiver<Event>) {
    let (sender, receiver) = channel();
    read_lines(BufReader::with_capacity(piece, bytes), &sender, &Log::none(Instant::now()));
    (sender, receiver)
}

fn lines_of(events: Receiver<Event>) -> Vec<String> {
    let line = |event| if let Event::Line(line, _) = event { Some(line) } else { None };
    events.try_iter().filter_map(line).collect()
}

/// Checks that a move parsed from any line is on the board and survives a round trip.
pub fn botzone_line(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for size in [4, 8, 10].into_iter().filter_map(Size::new) {
        let mut messages = match json_request(&text, size) {
            Request::Full(messages) => messages,
            Request::Bare(message) => vec![message],
        };
        messages.push(simple_message(&text, size));
        for message in messages {
            let Message::Move(mv) = message else { continue };
            assert!([mv.from, mv.to, mv.arrow].into_iter().all(|square| size.contains(square)));
            let json = json_request(&response(Some(mv), Style::Json), size);
            assert_eq!(json, Request::Bare(Message::Move(mv)));
            assert_eq!(simple_message(&response(Some(mv), Style::Simple), size), Message::Move(mv));
        }
    }
}

/// Checks that a complete history is parsed without loss, that each move parsed from a truncated history equals the
/// game's move at its index, and that the answer is legal. The first two bytes choose where to truncate, the others
/// choose the moves.
pub fn botzone_history(bytes: &[u8]) {
    let Some((cut, choices)) = bytes.split_at_checked(2) else { return };
    let (position, moves) = game(choices);
    let black_to_move = moves.len() % 2 == 0;
    let begin = black_to_move.then_some(Message::Begin);
    let messages: Vec<Message> = begin.into_iter().chain(moves.iter().copied().map(Message::Move)).collect();

    let line = json_history(&messages);
    assert_eq!(json_request(&line, Size::BOTZONE), Request::Full(messages.clone()));
    let cut = u16::from_le_bytes([cut[0], cut[1]]) as usize % (line.len() + 1);
    if let Request::Full(saved) = json_request(&line[..cut], Size::BOTZONE) {
        for (index, message) in saved.iter().enumerate() {
            let same = messages.get(index) == Some(message);
            assert!(same || !matches!(message, Message::Move(_)), "{index}: {}", &line[..cut]);
        }
    }
    let pretty = serde_json::from_str::<serde_json::Value>(&line).and_then(|value| to_string_pretty(&value));
    let simple = simple_history(&messages);
    let one_line = simple.replace('\n', " ");
    for text in [line, pretty.expect("it was JSON before"), simple, one_line] {
        let answers = answers_to(format!("{text}\n").as_bytes());
        let [Message::Move(mv)] = moves_of(&answers)[..] else { panic!("{answers:?} to {text}") };
        assert_eq!(position.check(mv), Ok(()), "{answers:?} to {text}");
    }
}

/// Plays up to 60 plies, each chosen by two bytes, but no winning move. Returns the position and the moves.
fn game(choices: &[u8]) -> (Position, Vec<Move>) {
    let mut position = Position::start(Size::BOTZONE);
    let mut played = Vec::new();
    for pair in choices.chunks(2).take(60) {
        let choice = pair.iter().fold(0, |number, &byte| number << 8 | usize::from(byte));
        let moves: Vec<Move> = position.legal_moves().collect();
        let Some(&mv) = moves.get(choice % moves.len()) else { break };
        let next = position.with_move(mv);
        if next.winner().is_some() {
            break;
        }
        position = next;
        played.push(mv);
    }
    (position, played)
}

fn text_of(message: &Message, style: Style) -> String {
    let mv = if let Message::Move(mv) = message { Some(*mv) } else { None };
    response(mv, style)
}

fn json_history(messages: &[Message]) -> String {
    let every_other = |first: usize| {
        let texts = messages.iter().skip(first).step_by(2).map(|message| text_of(message, Style::Json));
        texts.collect::<Vec<_>>().join(",")
    };
    format!(r#"{{"requests":[{}],"responses":[{}]}}"#, every_other(0), every_other(1))
}

fn simple_history(messages: &[Message]) -> String {
    let lines = messages.iter().map(|message| text_of(message, Style::Simple));
    let number = messages.len().div_ceil(2).to_string();
    std::iter::once(number).chain(lines).collect::<Vec<_>>().join("\n")
}

/// Checks that the platform understands every answer in a Botzone or SAU session.
pub fn session(bytes: &[u8]) {
    let answers = answers_to(bytes);
    for message in moves_of(&answers) {
        let on_board = matches!(message, Message::Move(_) | Message::Begin);
        assert!(on_board, "{answers:?}");
    }
    for line in answers.iter().filter(|line| !line.starts_with(['{', '>', 'd'])) {
        let numbers = simple_message(line, Size::BOTZONE) != Message::Unreadable;
        assert!(numbers || is_sau_answer(line), "{line:?}");
    }
}

/// Parses the answers in Botzone's format and skips other lines. [`Message::Begin`] stands for "no move".
fn moves_of(answers: &[String]) -> Vec<Message> {
    let message = |line: &String| match line.strip_prefix("{\"response\":") {
        Some(rest) => {
            let object = rest.split_inclusive('}').next().unwrap_or_default();
            match json_request(object, Size::BOTZONE) {
                Request::Bare(message) => Some(message),
                Request::Full(_) => panic!("{line}"),
            }
        }
        None => line
            .starts_with(|c: char| c == '-' || c.is_ascii_digit())
            .then(|| simple_message(line, Size::BOTZONE)),
    };
    answers.iter().filter_map(message).collect()
}

/// Checks that the SAU platform gets at most one answer to each line, and only answers that it understands.
pub fn sau_session(bytes: &[u8]) {
    let (events, lines) = channel();
    let (answered, answers) = channel();
    let sink = Sink { answered: Some(answered), ..Sink::default() };
    let feeder = events.clone();
    let text = String::from_utf8_lossy(bytes).into_owned();
    let said = text.lines().count();
    let platform = std::thread::spawn(move || {
        for line in text.lines() {
            let _ = feeder.send(Event::Line(line.to_owned(), Instant::now()));
            if ["new", "move", "error"].iter().any(|command| line.trim_start().starts_with(command)) {
                let _ = answers.recv_timeout(Duration::from_millis(2));
            }
        }
        let _ = feeder.send(Event::Closed);
    });
    let _ = sau::PLATFORM.serve(connection((events, lines), &sink), &settings());
    platform.join().expect("it only sends");
    let heard = sink.lines();
    assert!(heard.len() <= said, "{heard:?}");
    assert!(heard.iter().all(|line| is_sau_answer(line)), "{heard:?}");
}

fn is_sau_answer(line: &str) -> bool {
    let letters = |text: &str| text.len() == 6 && text.bytes().all(|letter| (b'A'..=b'J').contains(&letter));
    line == "name Otrera" || line.strip_prefix("move ").is_some_and(letters)
}

/// Checks that each `go` is answered by exactly one `bestmove`, with a move or `(none)`.
pub fn uci_session(bytes: &[u8]) {
    // Leaves out slow lines: those that run perft or ask for many threads or much memory.
    let is_slow = |line: &str| ["perft", "threads", "hash"].iter().any(|word| line.contains(word));
    let text = String::from_utf8_lossy(bytes);
    let said: Vec<&str> = text.lines().filter(|line| !is_slow(&line.to_ascii_lowercase())).collect();
    // The reader strips the byte-order mark, carriage returns and zero bytes around a line.
    let stripped = said.iter().map(|line| line.trim_start_matches('\u{feff}').trim_matches(['\r', '\0']));
    let commands = stripped.filter_map(|line| line.split_ascii_whitespace().next());
    let searches =
        commands.take_while(|command| *command != "quit").filter(|command| *command == "go").count();

    let channel = read_in_pieces(said.join("\n").as_bytes(), 1 << 16);
    let sink = Sink::default();
    let _ = uci::PLATFORM.serve(connection(channel, &sink), &settings());
    let answers = sink.lines();
    let moves: Vec<&str> = answers.iter().filter_map(|line| line.strip_prefix("bestmove ")).collect();
    assert_eq!(moves.len(), searches, "{answers:?}");
    for mv in moves {
        let mv = mv.split(' ').next().unwrap_or_default();
        assert!(mv == "(none)" || mv.parse::<Move>().is_ok(), "{mv}");
    }
}

/// Returns settings for very short searches: three iterations, one thread, 1 MiB.
fn settings() -> Settings {
    Settings {
        iterations: Some(3),
        threads: Some(1),
        memory: Some(1 << 20),
        seed: Some(1),
        ..Settings::default()
    }
}

/// Serves the input with the first platform, Botzone or SAU, that recognises a line; returns the lines printed.
fn answers_to(bytes: &[u8]) -> Vec<String> {
    let sink = Sink::default();
    let mut connection = connection(read_in_pieces(bytes, 1 << 16), &sink);
    while let Event::Line(line, arrived) = connection.events.wait() {
        let platforms = [&botzone::PLATFORM, &sau::PLATFORM];
        if let Some(platform) = platforms.into_iter().find(|platform| (platform.recognises)(&line)) {
            connection.events.unread(Event::Line(line, arrived));
            let _ = platform.serve(connection, &settings());
            break;
        }
    }
    sink.lines()
}

/// Creates a connection that writes its answers to `sink` and keeps no log.
fn connection(events: (Sender<Event>, Receiver<Event>), sink: &Sink) -> Connection {
    Connection::between(events, Box::new(sink.clone()), Log::none(Instant::now()))
}

/// A writer that stores the written bytes and signals each write on a channel, if it has one.
#[derive(Clone, Default)]
struct Sink {
    said: Arc<Mutex<Vec<u8>>>,
    answered: Option<Sender<()>>,
}

impl Sink {
    fn lines(&self) -> Vec<String> {
        let said = self.said.lock().expect("nobody panicked with it");
        String::from_utf8_lossy(&said).lines().map(str::to_owned).collect()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.said.lock().expect("nobody panicked with it").extend(bytes);
        if let Some(answered) = &self.answered {
            let _ = answered.send(());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
