//! Botzone: JSON and simple interaction, one process a turn or one for the whole match.
//!
//! At any turn any of the forms is understood: the full history as a JSON object or as counted lines, or
//! the bare request of keep-running mode. What cannot be read or played is left out, and the answer is
//! a legal move on the board that results. `protocol/README.md` says what to expect when.

pub mod messages;
mod turn;

use crate::io::{Disconnected, Event, Events, Output};
use crate::options::{KeepRunning, Settings};
use crate::session::{Defaults, Game, in_one_line, summary};
use messages::{Message, Request, Style, response};
use otrera::{Position, Report, Side, Size};
use serde_json::Value;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use turn::read_turn;
pub use turn::recognises;

/// Tells the platform that the process is to live on.
const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// Of the 1 s of a turn. The rest is for starting, for the last iterations, and for a busy machine.
const MOVE_TIME: Duration = Duration::from_millis(920);

/// Of the 2 s that each bot has for its first turn of a match.
const FIRST_MOVE_TIME: Duration = Duration::from_millis(1850);

/// An input that stays open this long after a request will not be closed before the answer.
const CLOSING_GRACE: Duration = Duration::from_millis(30);

/// The same for a new process in the middle of a match: so it is where each turn has a process of its own, and hardly
/// ever where processes live on.
const CLOSING_GRACE_LATER: Duration = Duration::from_millis(200);

/// The `debug` field holds less than 1 KB.
const DEBUG_LIMIT: usize = 900;

/// Plays until the platform closes the input, or the turn if it wants a process for each. The problems stand in the
/// debug line of the first turn.
pub fn play(
    events: &mut Events,
    output: &Output,
    settings: &Settings,
    problems: &[String],
    process_started: Instant,
) -> Result<(), Disconnected> {
    let size = settings.size.unwrap_or(Size::BOTZONE);
    let mut bot = Bot { game: Game::new(settings, Defaults::BOTZONE, Position::start(size)), us: None };
    let mut process_started = Some(process_started);
    let mut running = None;
    let mut remark = remark(problems);
    while let Some(turn) = read_turn(events, size, running) {
        let process_started = process_started.take();
        let first_of_process = process_started.is_some();
        let first_of_match = matches!(&turn.request, Request::Full(messages) if messages.len() < 2);
        let grace = if first_of_process && !first_of_match { CLOSING_GRACE_LATER } else { CLOSING_GRACE };
        let time = settings.move_time.unwrap_or(if first_of_match { FIRST_MOVE_TIME } else { MOVE_TIME });
        let clock_began = clock_began(process_started, turn.began, time);
        bot.take_in(&turn.request, size);
        let report = bot.game.think(Some(clock_began + time), &AtomicBool::new(false));
        let stays = match settings.keep_running {
            KeepRunning::On => true,
            KeepRunning::Off => false,
            KeepRunning::Auto => input_stays_open(events, turn.complete + grace),
        };
        let mut answer = written(&report, turn.style, stays, &std::mem::take(&mut remark));
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
