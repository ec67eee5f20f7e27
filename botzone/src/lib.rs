//! Botzone: JSON and simple interaction, with one process per turn or one for the whole match.
//!
//! Any turn can have any form: the full history as a JSON object or as counted lines, or the bare request of
//! keep-running mode. A message that cannot be parsed or played counts as a pass, unless its move is already known; the
//! answer is a legal move on the resulting board.

pub mod messages;
mod turn;

use messages::{Form, Message, Request, Style, classify, response};
use otrera::{Position, Report, Side, Size};
use otrera_front::io::{Disconnected, Event, Events, bytes_read};
use otrera_front::platform::Platform;
use otrera_front::session::{Session, in_one_line, summary};
use otrera_front::settings::KeepRunning;
use otrera_front::setup::Setup;
use serde_json::Value;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use turn::{Turn, read_turn};

/// Botzone: one core, 256 MB of memory, 1 s per turn and 2 s for each bot's first turn.
pub const PLATFORM: Platform = Platform {
    name: "Botzone",
    speaker: "Botzone (JSON or simple)",
    command: None,
    transcripts: &["json", "simple"],
    defaults: Setup {
        size: Size::BOTZONE,
        threads: Some(1),
        memory: Some(160 << 20),
        // The rest of the platform's time limit is for start-up, the last iterations and a busy machine.
        move_time: Some(Duration::from_millis(920)),
        first_move_time: Some(Duration::from_millis(1850)),
        ..Setup::DESKTOP
    },
    recognises,
    play,
};

/// Line that asks Botzone to keep the process running.
const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// Minimum grace period for the platform to close the input after a request; see [`end_expected_by`]. An input that is
/// open after the grace period is assumed to stay open.
const CLOSING_GRACE: Duration = Duration::from_millis(200);

/// Maximum size of the `debug` field in bytes; the platform allows 1 KB.
const MAX_DEBUG: usize = 900;

/// True if a line can be the first line of a turn on Botzone.
fn recognises(line: &str) -> bool {
    classify(line) != Form::Other
}

/// Plays one turn, or every turn until the end of input if the process keeps running. The first answer's debug text
/// reports problems with the options.
fn play(session: Session) -> Result<(), Disconnected> {
    let size = session.setup().size;
    let mut process_started = Some(session.connection.started);
    let mut problems = session.connection.problems.clone();
    problems.extend(session.settings.check_board(session.start.size()).err());
    let mut remark = if problems.is_empty() { String::new() } else { format!(" ! {}", problems.join("; ")) };
    remark = in_one_line(&remark);
    let mut bot = BotzoneBot { session, us: None };
    let mut running = None;
    // Sets up the tree before the request arrives, while no clock is running.
    bot.session.game();
    while let Some(turn) = read_turn(&mut bot.session.connection.events, size, running) {
        let process_started = process_started.take();
        let report = bot.think(&turn, process_started);
        let stays = bot.stays(&turn, running.is_some());
        let mut answer = format_answer(&report, turn.style, stays, &std::mem::take(&mut remark));
        if stays {
            answer = format!("{answer}\n{KEEP_RUNNING}");
        }
        bot.session.send(&answer)?;
        if !stays {
            break;
        }
        running = Some(turn.style);
        // Unread lines that do not start a turn are stored data, not the opponent's move.
        bot.session.connection.events.keep_lines(recognises);
        if let Some(mv) = report.best {
            bot.session.game().advance(mv);
        }
    }
    Ok(())
}

/// Returns the time for a turn. The first turn of a match has its own time, not the first turn of a process.
fn time_for(request: &Request, setup: &Setup) -> Duration {
    let is_first = matches!(request, Request::Full(messages) if messages.len() < 2);
    let time = if is_first { setup.first_move_time } else { setup.move_time };
    time.unwrap_or_default()
}

/// Returns the deadline of a turn: `time` after the start of the process, or after the turn's first line if that line
/// arrived more than `time / 2` after the start. `process_started` is `None` after the first turn of the process.
fn deadline(turn: &Turn, process_started: Option<Instant>, time: Duration) -> Instant {
    // A platform that starts a process for the turn may count from the start; its request comes within milliseconds. A
    // later request means that the process was started in advance. Either way we think at least half of the time.
    let is_for_turn = |started: &Instant| turn.began.saturating_duration_since(*started) <= time / 2;
    process_started.filter(is_for_turn).unwrap_or(turn.began) + time
}

struct BotzoneBot {
    session: Session,
    us: Option<Side>,
}

impl BotzoneBot {
    /// Sets up the position of the turn and searches it until the [`deadline`].
    fn think(&mut self, turn: &Turn, process_started: Option<Instant>) -> Report {
        let setup = self.session.setup();
        let deadline = deadline(turn, process_started, time_for(&turn.request, &setup));
        self.follow(&turn.request, setup.size);
        // In the foreground, since no input can end the turn.
        self.session.game().think(Some(deadline), &AtomicBool::new(false))
    }

    /// True if the process keeps running after this turn. `is_kept_running` is true if it kept running after the last.
    fn stays(&mut self, turn: &Turn, is_kept_running: bool) -> bool {
        match self.session.settings.keep_running {
            KeepRunning::On => true,
            KeepRunning::Off => false,
            KeepRunning::Auto => {
                is_kept_running
                    || input_stays_open(&mut self.session.connection.events, end_expected_by(turn))
            }
        }
    }

    /// Sets up the position of a request. In a bare request, a message that cannot be played counts as a pass.
    fn follow(&mut self, request: &Request, size: Size) {
        match request {
            Request::Full(messages) => self.follow_history(messages, size),
            Request::Bare(message) => {
                let us = *self.us.get_or_insert(side_of(message));
                let game = self.session.game();
                if let &Message::Move(mv) = message
                    && game.position().check(mv).is_ok()
                {
                    game.advance(mv);
                }
                game.give_turn_to(us);
            }
        }
    }

    /// Replays all messages. A message without a move is replaced with the move of the current game at the same ply. A
    /// message that cannot be played counts as a pass.
    fn follow_history(&mut self, messages: &[Message], size: Size) {
        let known = self.session.moves().to_vec();
        let (mut position, mut moves) = (Position::start(size), Vec::new());
        for (index, message) in messages.iter().enumerate() {
            let mv = match message {
                // No move precedes the first request to Black.
                Message::Begin if index == 0 => continue,
                Message::Unreadable if index == 0 && self.us != Some(Side::White) => continue,
                Message::Move(mv) => Some(*mv),
                Message::Begin | Message::Garbled | Message::Unreadable => known.get(moves.len()).copied(),
            };
            match mv.and_then(|mv| Some((mv, position.try_play(mv).ok()?))) {
                Some((mv, next)) => {
                    moves.push(mv);
                    position = next;
                }
                None => position = position.with_side(position.side().opponent()),
            }
        }
        let us = match messages.first() {
            Some(Message::Unreadable) => self.us.unwrap_or(Side::Black),
            first => first.map_or(Side::Black, side_of),
        };
        self.us = Some(us);
        self.session.game().follow(&moves, position.with_side(us));
    }
}

/// Returns our side, given the first message of a match: White if the opponent has moved, else Black.
fn side_of(first: &Message) -> Side {
    match first {
        Message::Move(_) | Message::Garbled => Side::White,
        Message::Begin | Message::Unreadable => Side::Black,
    }
}

/// Returns the end of the grace period: the turn's last line plus [`CLOSING_GRACE`] plus the time since the first line.
fn end_expected_by(turn: &Turn) -> Instant {
    turn.complete + CLOSING_GRACE + turn.complete.saturating_duration_since(turn.began)
}

/// Reads ahead until `deadline`, or longer while a line is arriving; false if the input ended without another turn.
fn input_stays_open(events: &mut Events, mut deadline: Instant) -> bool {
    let mut read = bytes_read();
    while !matches!(events.peek_before(deadline).back(), Some(Event::Closed)) && bytes_read() != read {
        // Part of a line has arrived: wait for the rest.
        read = bytes_read();
        deadline = Instant::now() + CLOSING_GRACE;
    }
    let waiting = events.peek_before(deadline);
    let closed = waiting.iter().any(|event| matches!(event, Event::Closed));
    let another_turn = waiting.iter().any(|event| matches!(event, Event::Line(line, _) if recognises(line)));
    !closed || another_turn
}

/// Formats the answer without [`KEEP_RUNNING`], with `remark` at the end of the debug text. In Botzone's simple
/// interaction, omits the debug text if `stays` is true (the process keeps running).
fn format_answer(report: &Report, style: Style, stays: bool, remark: &str) -> String {
    let response = response(report.best, style);
    let debug = summary(report, MAX_DEBUG.saturating_sub(remark.len())) + remark;
    match style {
        Style::Json => format!(r#"{{"response":{response},"debug":{}}}"#, Value::String(debug)),
        Style::Simple if stays => response,
        Style::Simple => format!("{response}\n{debug}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// Reads a turn whose lines arrive 0.1 s apart. Returns the turn and the arrival time of its first line.
    fn slow_turn(lines: &[&str]) -> (Turn, Instant) {
        let (sender, receiver) = mpsc::channel();
        let began = Instant::now();
        for (index, line) in (0..).zip(lines) {
            let arrived = began + Duration::from_millis(100) * index;
            assert!(sender.send(Event::Line((*line).into(), arrived)).is_ok());
        }
        let turn = read_turn(&mut Events::new(receiver), Size::BOTZONE, None);
        (turn.unwrap_or_else(|| unreachable!("the lines are a turn")), began)
    }

    #[test]
    fn only_the_first_turn_of_a_match_has_more_time() {
        for (lines, first) in [
            (&["1", "-1 -1 -1 -1 -1 -1"][..], true),
            (&["1", "5 0 3 2 6 5"], true),
            (&[r#"{"requests":[{"x0":-1}],"responses":[]}"#], true),
            // A new process for the second turn, as Black and as White.
            (&["2", "-1 -1 -1 -1 -1 -1", "5 0 3 2 6 5", "0 5 4 5 3 4"], false),
            (&["2", "5 0 3 2 6 5", "0 5 4 5 3 4", "0 2 0 3 3 0"], false),
            (&[r#"{"requests":[{"x0":-1},{"x0":0}],"responses":[{"x0":5}]}"#], false),
        ] {
            let milliseconds = time_for(&slow_turn(lines).0.request, &PLATFORM.defaults).as_millis();
            assert_eq!(milliseconds, if first { 1850 } else { 920 }, "{lines:?}");
        }
    }

    #[test]
    fn a_slow_request_shortens_the_search_and_extends_the_wait_for_closing() {
        let second = Duration::from_secs(1);
        for lines in [
            &["2", "-1 -1 -1 -1 -1 -1", "5 0 3 2 6 5", "0 5 4 5 3 4"][..],
            &["{", r#""requests":[],"#, r#""responses":[]"#, "}"],
        ] {
            let (turn, began) = slow_turn(lines);
            assert_eq!(turn.complete - began, Duration::from_millis(300), "{lines:?}");
            assert_eq!(end_expected_by(&turn), turn.complete + CLOSING_GRACE + Duration::from_millis(300));
            assert_eq!(deadline(&turn, None, second), began + second, "{lines:?}");
            let process_started = began - Duration::from_millis(10);
            assert_eq!(deadline(&turn, Some(process_started), second), process_started + second, "{lines:?}");
        }
    }
}
