//! Several games in one process: no state of one game reaches another.

use fastrand::Rng;
use otrera::{Move, Position, Rules, Size};
use otrera_referee::board::Board;
use otrera_referee::notation::Form;
use otrera_referee::program::Program;
use std::collections::HashSet;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

fn start(arguments: &[&str]) -> Program {
    let mut command = Command::new(env!("CARGO_BIN_EXE_otrera"));
    command.args(arguments);
    Program::start(command)
}

/// Sends a line and returns the answer.
fn answer(program: &mut Program, line: &str) -> String {
    program.send(format!("{line}\n").into_bytes());
    program.line(LIMIT).unwrap()
}

/// Uses a preset with random numbers: equal seeds would make a game predictable.
#[test]
fn without_a_seed_no_two_processes_play_alike() {
    let first_moves = |seed: &[&str]| -> HashSet<String> {
        let options = ["--preset", "paper", "--iterations", "30", "--threads", "1"];
        (0..8).map(|_| answer(&mut start(&[&options, seed].concat()), "new black")).collect()
    };
    assert!(first_moves(&[]).len() > 1, "eight times the same move");
    assert_eq!(first_moves(&["--seed", "5"]).len(), 1, "with a seed always the same move");
    assert_ne!(first_moves(&["--seed", "5"]), first_moves(&["--seed", "6"]));
}

/// With a fixed number of iterations on one thread every game is the same one, refusals included.
#[test]
fn a_move_that_was_refused_in_one_game_is_not_in_the_next() {
    let mut program = start(&["--iterations", "200", "--threads", "1", "--seed", "1"]);
    let mut game = |begin: &str| {
        ["error", "error"].map(str::to_owned).into_iter().fold(
            vec![answer(&mut program, begin)],
            |mut answers, refusal| {
                answers.push(answer(&mut program, &refusal));
                answers
            },
        )
    };
    let first = game("new black");
    assert_eq!(first.iter().collect::<HashSet<_>>().len(), 3, "another move each time: {first:?}");
    assert_eq!(game("new black"), first, "without `end` between them");
    assert_eq!(game("end\nnew black"), first, "after `end`");
}

/// A game on a 4x4 board whose last move blocks the amazons of its own side and leaves the other a choice: over by
/// the platform's rules, and not by the ordinary ones.
fn self_blocking_game() -> (Vec<Move>, Position) {
    let mut rng = Rng::with_seed(1);
    loop {
        let mut position = Position::start(Size::new(4).unwrap());
        let mut moves = Vec::new();
        while position.winner().is_none() {
            let legal: Vec<Move> = position.legal_moves().collect();
            moves.push(legal[rng.usize(..legal.len())]);
            position = position.with_move(moves[moves.len() - 1]);
            let is_over = position.with_rules(Rules::SelfBlocking).winner() == Some(position.side());
            if is_over && position.winner().is_none() && position.legal_moves().nth(1).is_some() {
                return (moves, position);
            }
        }
    }
}

/// `end` does not come from a referee by the ordinary rules: he waits for our move.
#[test]
fn a_game_that_goes_on_beyond_the_platforms_rules_is_played_on() {
    let (moves, position) = self_blocking_game();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("several-games");
    std::fs::create_dir_all(&folder).unwrap();
    let record = folder.join("moves.txt");
    let text: Vec<String> = moves.iter().map(ToString::to_string).collect();
    std::fs::write(&record, text.join(" ")).unwrap();
    let mut referee = Board::new(position);
    let last = format!("move {}", referee.format_move(moves[moves.len() - 1], Form::Sau));
    let mut program = start(&["resume", record.to_str().unwrap(), "--size", "4", "--iterations", "100"]);
    referee.accept(&answer(&mut program, &last), Form::Sau).unwrap();
}
