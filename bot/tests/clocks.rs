//! Tests of the bot's thinking times and memory with default options.
//!
//! Every turn must reach the minimum time. Only one of several turns must stay within the maximum, since a busy machine
//! can delay any single turn.

use crate::common::{FIRST_TURN, LIMIT, iterations, start};
use otrera::{Limits, Params, Position, Resources, Rules, Search, Size};
use otrera_arena::board::Board;
use otrera_arena::notation::Form;
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::{Duration, Instant};
use testkit::program::Program;

/// Maximum number of turns that [`check_turns`] tries.
const TRIES: usize = 10;

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// Returns a referee's board with `plies` moves, chosen by [`Board::play_any`], from Botzone's start position.
fn game_on_botzone(plies: usize) -> Board {
    let mut referee = Board::new(Position::start(Size::BOTZONE));
    for _ in 0..plies {
        referee.play_any().unwrap();
    }
    referee
}

/// Plays the turn after `plies` moves on Botzone in a new process; returns its duration, including start-up.
fn turn_in_new_process(plies: usize, form: Form) -> Duration {
    let mut referee = game_on_botzone(plies);
    let text = referee.history(form);
    let started = Instant::now();
    let mut program = start(&[]);
    program.send(format!("{text}\n"));
    program.close_input();
    let answer = program.exit(LIMIT).unwrap().rest;
    let taken = started.elapsed();
    referee.accept(answer.lines().next().unwrap(), form).unwrap();
    taken
}

/// Asserts that no turn takes less than `least` seconds, and that one of [`TRIES`] turns takes at most `most` seconds.
/// `turn` plays a turn and returns its duration.
fn check_turns(least: f64, most: f64, mut turn: impl FnMut() -> Duration) {
    let mut taken = Vec::new();
    while taken.len() < TRIES {
        taken.push(turn());
        let last = taken[taken.len() - 1];
        assert!(last >= seconds(least), "{last:?} is less than {least} s");
        if last <= seconds(most) {
            return;
        }
    }
    panic!("none of these took less than {most} s: {taken:?}");
}

#[test]
fn the_first_botzone_turn_takes_nearly_two_seconds() {
    check_turns(1.7, 1.93, || turn_in_new_process(0, Form::Json));
    check_turns(1.7, 1.93, || turn_in_new_process(1, Form::Simple));
}

#[test]
fn a_later_botzone_turn_takes_nearly_one_second() {
    check_turns(0.8, 0.97, || turn_in_new_process(4, Form::Json));
    check_turns(0.8, 0.97, || turn_in_new_process(5, Form::Simple));
}

/// Plays a first turn of 1 s, requested `pause` after the process start. Returns the time from request to exit, and
/// the number of iterations.
fn first_turn_after(pause: Duration) -> (Duration, u64) {
    let mut program = start(&["--move-time", "1", "--memory", "64"]);
    sleep(pause);
    let asked = Instant::now();
    program.send(FIRST_TURN);
    program.close_input();
    let iterations = iterations(&program.exit(LIMIT).unwrap().rest);
    (asked.elapsed(), iterations)
}

#[test]
fn a_late_request_still_gets_thinking_time() {
    let iterations = (0..3).map(|_| first_turn_after(seconds(1.2)).1).max();
    assert!(iterations >= Some(100), "{iterations:?} iterations in a second");
}

#[test]
fn a_prompt_request_is_timed_from_process_start() {
    let time = (0..3).map(|_| first_turn_after(seconds(0.4)).0).min();
    assert!(time < Some(seconds(0.85)), "{time:?} after the request, and 0.4 s before it");
}

/// A Botzone match in keep-running mode: one process plays all turns.
struct KeepRunningMatch {
    program: Program,
    referee: Board,
    form: Form,
    message: String,
}

impl KeepRunningMatch {
    fn new(form: Form) -> Self {
        let referee = game_on_botzone(0);
        Self { program: start(&[]), message: referee.history(form), referee, form }
    }

    /// Plays the program's next turn and a reply of the opponent; returns the duration of the program's turn.
    fn turn(&mut self) -> Duration {
        let sent = Instant::now();
        self.program.send(format!("{}\n", self.message));
        self.referee.accept(&self.program.line(LIMIT).unwrap(), self.form).unwrap();
        let taken = sent.elapsed();
        assert_eq!(self.program.line(LIMIT).unwrap(), ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
        let mv = self.referee.play_any().unwrap();
        self.message = self.referee.format_move(mv, self.form);
        taken
    }
}

/// The maximum time is lower than for a new process, because the turn includes no start-up.
#[test]
fn keep_running_turns_take_nearly_one_second() {
    for form in [Form::Json, Form::Simple] {
        let mut running = None;
        check_turns(0.8, 0.96, || {
            // Starts a new match before the game is decided, because decided positions need no search.
            let undecided = running.take().filter(|game: &KeepRunningMatch| game.referee.moves().len() < 12);
            let running = running.insert(undecided.unwrap_or_else(|| {
                let mut running = KeepRunningMatch::new(form);
                assert!(running.turn() >= seconds(1.7), "the first turn");
                running
            }));
            running.turn()
        });
    }
}

/// Returns the process's private writable memory (`VmData`) in bytes, an upper bound on its memory use.
#[cfg(target_os = "linux")]
fn writable_memory(program: &Program) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmData:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// Checks reserved memory, since the search tree reserves its memory at once and fills it gradually.
#[cfg(target_os = "linux")]
#[test]
fn botzone_memory_stays_below_256_megabytes() {
    for (arguments, least, most) in [(&[][..], 150, 256), (&["--memory", "480"], 480, 576)] {
        let mut program = start(&[&["--iterations", "200"], arguments].concat());
        let mut referee = game_on_botzone(0);
        program.send(FIRST_TURN);
        referee.accept(&program.line(LIMIT).unwrap(), Form::Simple).unwrap();
        let megabytes = writable_memory(&program) >> 20;
        assert!((least..most).contains(&megabytes), "{megabytes} MB with {arguments:?}");
    }
}

/// With 900 s for the game, the first move takes more than 4 s. The test ends the game after these 4 s.
#[test]
fn the_first_sau_move_takes_over_four_seconds() {
    let mut program = start(&[]);
    program.send(b"new black\n");
    program.silent(seconds(4.0)).unwrap();
    program.send(b"end\nquit\n");
    let exit = program.exit(LIMIT).unwrap();
    assert_eq!((exit.status, exit.rest.as_str()), (Some(0), ""));
}

/// The opponent searches 1000 iterations per move, strong enough for a game of more than 40 plies.
#[test]
fn a_sau_game_stays_within_its_total_time() {
    const TOTAL: f64 = 3.0;
    let mut referee = Board::new(Position::standard().with_rules(Rules::SelfBlocking));
    let mut opponent = Search::new(*referee.position(), Params::TOURNAMENT, Resources::default());
    let mut program = start(&["--total-time", &TOTAL.to_string(), "--move-overhead", "0.01"]);
    let mut message = "new black".to_owned();
    let mut thought = Duration::ZERO;
    while referee.position().winner().is_none() {
        let sent = Instant::now();
        program.send(format!("{message}\n"));
        referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
        thought += sent.elapsed();
        opponent.set_position(*referee.position());
        let report = opponent.run(&Limits::iterations(1000), &AtomicBool::new(false), &mut |_| ());
        let Some(mv) = report.best else { break };
        referee.play(mv).unwrap();
        message = format!("move {}", referee.format_move(mv, Form::Sau));
    }
    assert!(referee.moves().len() > 40, "only {} plies", referee.moves().len());
    // The clock includes delays of a busy machine, which shorten the later moves.
    assert!(thought > seconds(TOTAL * 0.5), "only {thought:?} of {TOTAL} s used");
    assert!(thought < seconds(TOTAL * 1.25), "{thought:?} of {TOTAL} s used");
}
