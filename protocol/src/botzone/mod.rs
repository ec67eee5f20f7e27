//! Botzone: JSON and simple interaction, one process a turn or one for the whole match.
//!
//! At any turn any of the forms is understood: the full history as a JSON object or as counted lines, or
//! the bare request of keep-running mode. What cannot be read or played is left out, and the answer is
//! a legal move on the board that results. `protocol/README.md` says what to expect when.

pub mod messages;
mod turn;

use crate::io::{Disconnected, Event, Events, bytes_read};
use crate::options::KeepRunning;
use crate::platform::Platform;
use crate::session::{Session, in_one_line, summary};
use crate::setup::Setup;
use messages::{Message, Request, Style, response};
use otrera::{Position, Report, Side, Size};
use serde_json::Value;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use turn::{Turn, read_turn, recognises};

/// Botzone: one core, 256 MB in all, 1 s for a turn and 2 s for the first turn of each bot.
pub const PLATFORM: Platform = Platform {
    name: "Botzone",
    speaker: "Botzone (JSON or simple)",
    command: None,
    transcripts: &["json", "simple"],
    defaults: Setup {
        size: Size::BOTZONE,
        threads: Some(1),
        memory: 160 << 20,
        // The rest is for starting, for the last iterations, and for a busy machine.
        move_time: Some(Duration::from_millis(920)),
        first_move_time: Some(Duration::from_millis(1850)),
        ..Setup::DESKTOP
    },
    recognises,
    play,
};

/// Tells the platform that the process is to live on.
const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// An input that stays open this long after a process's first request, and as long again as the request took to read,
/// will not be closed before the answer.
const CLOSING_GRACE: Duration = Duration::from_millis(200);

/// The `debug` field holds less than 1 KB.
const DEBUG_LIMIT: usize = 900;

/// Plays until the platform closes the input, or the turn if it wants a process for each. What was wrong with the
/// options stands in the debug line of the first turn.
fn play(session: Session) -> Result<(), Disconnected> {
    let size = session.setup().size;
    let mut process_started = Some(session.connection.started);
    let mut problems = session.connection.problems.clone();
    problems.extend(session.settings.check_board(session.start.size()).err());
    let mut remark = remark(&problems);
    let mut bot = Bot { session, us: None };
    let mut running = None;
    // The tree is set up before the request comes, while no clock runs.
    bot.session.game();
    while let Some(turn) = read_turn(&mut bot.session.connection.events, size, running) {
        let process_started = process_started.take();
        let report = bot.think(&turn, process_started);
        let stays = bot.stays(&turn, running.is_some());
        let mut answer = written(&report, turn.style, stays, &std::mem::take(&mut remark));
        if stays {
            answer = format!("{answer}\n{KEEP_RUNNING}");
        }
        bot.session.send(&answer)?;
        if !stays {
            break;
        }
        running = Some(turn.style);
        // What came before the answer and begins no turn is stored data, not the opponent's move.
        bot.session.connection.events.keep_lines(recognises);
        if let Some(mv) = report.best {
            bot.session.game().advance(mv);
        }
    }
    Ok(())
}

/// The moment by which a turn that has so much time must be answered.
fn deadline(turn: &Turn, process_started: Option<Instant>, time: Duration) -> Instant {
    clock_began(process_started, turn.began, time) + time
}

/// When the clock began of a turn that has so much time. A platform that starts a process for the turn may count from
/// that start, and its request is there within milliseconds. Where half of the time passes before the request, the
/// process was started earlier, to wait for its turn. So half of the time at least is thought in either case.
fn clock_began(process_started: Option<Instant>, arrived: Instant, time: Duration) -> Instant {
    process_started
        .filter(|&started| arrived.saturating_duration_since(started) <= time / 2)
        .unwrap_or(arrived)
}

/// A match from our side.
struct Bot {
    session: Session,
    us: Option<Side>,
}

impl Bot {
    /// Thinks about the turn's request, with the clock of a process that was started for it or of one that runs.
    fn think(&mut self, turn: &Turn, process_started: Option<Instant>) -> Report {
        let conditions = self.session.setup();
        let time = if is_first_of_match(turn) { conditions.first_move_time } else { conditions.move_time };
        let time = time.unwrap_or_default();
        let deadline = deadline(turn, process_started, time);
        self.take_in(&turn.request, conditions.size);
        // In the foreground: nothing that comes meanwhile could end the turn.
        self.session.game().think(Some(deadline), &AtomicBool::new(false))
    }

    /// True if the process lives on after this turn. One that was kept running once stays until its input ends.
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

    /// Brings the game to the position that the request asks about.
    fn take_in(&mut self, request: &Request, size: Size) {
        let mut known = self.session.moves().to_vec();
        let (messages, mut position, mut moves) = match request {
            Request::Full(messages) => (&messages[..], Position::start(size), Vec::new()),
            Request::Bare(message) => {
                let position = *self.session.game().position();
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
                // Nobody has moved before the first request to Black, whatever it says.
                Message::Begin if index == 0 => continue,
                Message::Unreadable if index == 0 && self.us.is_none() => continue,
                Message::Move(mv) => Some(*mv),
                Message::Begin | Message::Garbled | Message::Unreadable => known.get(moves.len()).copied(),
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
        self.session.game().follow(&moves, position.with_side(us));
    }
}

/// The moment by which the end of input has been read if it follows the turn. On a busy machine a long request takes
/// long to read, and so does what comes after it.
fn end_expected_by(turn: &Turn) -> Instant {
    turn.complete + CLOSING_GRACE + turn.complete.saturating_duration_since(turn.began)
}

fn is_first_of_match(turn: &Turn) -> bool {
    matches!(&turn.request, Request::Full(messages) if messages.len() < 2)
}

/// Whether the platform waits for more from this process. In a traditional turn the input is closed
/// after the request, perhaps with lines of stored data before the end.
fn input_stays_open(events: &mut Events, mut deadline: Instant) -> bool {
    let mut read = bytes_read();
    while !matches!(events.peek_before(deadline).back(), Some(Event::Closed)) && bytes_read() != read {
        // Something is being read: its end is waited for.
        read = bytes_read();
        deadline = Instant::now() + CLOSING_GRACE;
    }
    let waiting = events.peek_before(deadline);
    let closed = waiting.iter().any(|event| matches!(event, Event::Closed));
    let another_turn = waiting.iter().any(|event| matches!(event, Event::Line(line, _) if recognises(line)));
    !closed || another_turn
}

/// The problems for the end of a debug line.
fn remark(problems: &[String]) -> String {
    if problems.is_empty() { String::new() } else { in_one_line(&format!(" ! {}", problems.join("; "))) }
}

/// The answer's text, without the line that keeps the process running.
fn written(report: &Report, style: Style, stays: bool, remark: &str) -> String {
    let response = response(report.best, style);
    let debug = summary(report, DEBUG_LIMIT.saturating_sub(remark.len())) + remark;
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

    /// Reads a turn whose lines come a tenth of a second apart. Returns the turn and when its first line came.
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
    fn the_end_of_input_may_take_as_long_as_the_lines_before_it() {
        let (turn, began) = slow_turn(&["2", "-1 -1 -1 -1 -1 -1", "5 0 3 2 6 5", "0 5 4 5 3 4"]);
        assert_eq!(end_expected_by(&turn), began + CLOSING_GRACE + Duration::from_millis(600));
    }

    #[test]
    fn the_clock_of_a_turn_starts_at_its_first_line() {
        let second = Duration::from_secs(1);
        for lines in [
            &["2", "-1 -1 -1 -1 -1 -1", "5 0 3 2 6 5", "0 5 4 5 3 4"][..],
            &["{", r#""requests":[],"#, r#""responses":[]"#, "}"],
        ] {
            let (turn, began) = slow_turn(lines);
            assert_eq!(turn.complete - began, Duration::from_millis(300), "{lines:?}");
            assert_eq!(deadline(&turn, None, second), began + second, "{lines:?}");
            let process_started = began - Duration::from_millis(10);
            assert_eq!(deadline(&turn, Some(process_started), second), process_started + second, "{lines:?}");
        }
    }
}
