//! Players that keep an external program running for several games, over the SAU or UCI protocol.

use crate::botzone::{BotzonePlayer, patience};
use crate::interaction::beginning;
use crate::notation::{Form, read_letters};
use crate::player::{Budget, Choice, Player};
use crate::process::{Errors, Process};
use crate::protocol::Protocol;
use otrera::{Forfeit, Move, Position, Size};
use std::time::{Duration, Instant};

/// Time limit for a program to start and complete the handshake.
const START: Duration = Duration::from_secs(10);

/// Maximum number of lines to read while waiting for an answer.
const TALK: usize = 10_000;

/// A player whose external program keeps running during and between games.
struct External {
    command: Vec<String>,
    /// SAU or UCI.
    protocol: Protocol,
    process: Option<Process>,
    start: Position,
    moves: Vec<Move>,
}

/// Creates a player that runs this command. The program is not started before the first game.
pub fn player(command: Vec<String>, protocol: Protocol) -> Box<dyn Player> {
    match protocol {
        Protocol::Botzone(mode) => Box::new(BotzonePlayer::new(command, mode)),
        Protocol::Sau | Protocol::Uci => {
            let start = Position::standard();
            Box::new(External { command, protocol, process: None, start, moves: Vec::new() })
        }
    }
}

impl External {
    fn answer(&mut self, budget: Budget) -> Result<Move, Forfeit> {
        let asked = Instant::now();
        let is_sau = self.protocol.is_sau();
        let (request, reply) =
            if is_sau { (self.sau_request(), "move ") } else { (self.uci_request(budget), "bestmove ") };
        let Some(process) = &mut self.process else {
            return Err(Forfeit::Crashed("the program is not running".into()));
        };
        process.write(request);
        let line = line_after_talk(process, reply, asked, patience(budget))?;
        let text = line[reply.len()..].trim_end();
        let mv = if is_sau {
            read_letters(text, self.start.size().edge())
        } else {
            text.split_ascii_whitespace().next().and_then(|best| best.parse().ok())
        };
        mv.ok_or_else(|| Forfeit::Garbled(beginning(&line)))
    }

    fn sau_request(&self) -> String {
        let new = ["new black\n", "new white\n"].get(self.moves.len()).copied().unwrap_or_default();
        let edge = self.start.size().edge();
        let last = self.moves.last().map(|&mv| format!("move {}\n", Form::Sau.format_move(mv, edge)));
        new.to_owned() + &last.unwrap_or_default()
    }

    fn uci_request(&self, budget: Budget) -> String {
        let moves: String =
            self.moves.iter().map(|&mv| format!(" {}", Form::Uci.format_move(mv, 0))).collect();
        let go = match (budget.time, budget.iterations) {
            (_, Some(count)) => format!("go nodes {count}"),
            (Some(time), None) => format!("go movetime {}", time.as_millis().max(1)),
            (None, None) => "go movetime 1000".to_owned(),
        };
        format!("position fen {} moves{moves}\n{go}\n", self.start.to_fen())
    }

    /// Starts the program if it is not running. Over UCI, also sets the variant and begins a new game.
    fn introduce(&mut self) -> Result<(), Forfeit> {
        let is_sau = self.protocol.is_sau();
        if self.process.is_none() {
            let asked = Instant::now();
            let mut process = Process::start(&self.command, Errors::Hidden)
                .map_err(|error| Forfeit::Crashed(format!("{}: {error}", self.command.join(" "))))?;
            let (greeting, reply) = if is_sau { ("name?\n", "name ") } else { ("uci\n", "uciok") };
            process.write(greeting);
            line_after_talk(&mut process, reply, asked, START)?;
            self.process = Some(process);
        }
        if let Some(process) = self.process.as_mut().filter(|_| !is_sau) {
            process.write("setoption name UCI_Variant value amazons\nucinewgame\n");
        }
        Ok(())
    }
}

impl Player for External {
    fn begin(&mut self, start: &Position) -> Result<(), Forfeit> {
        let another_game = !self.moves.is_empty();
        self.start = *start;
        self.moves.clear();
        if self.protocol.is_sau() {
            if start.size() != Size::STANDARD {
                return Err(Forfeit::Crashed("the SAU platform plays on 10x10".into()));
            }
            if *start != Position::standard().with_rules(start.rules()) {
                return Err(Forfeit::Crashed("its protocol cannot express this start position".into()));
            }
            // Ends the previous game. `introduce` restarts a program that has exited.
            if let Some(process) = self.process.as_mut().filter(|_| another_game) {
                process.write("end\n");
                if process.is_gone() {
                    self.process = None;
                }
            }
        }
        self.introduce()
    }

    fn choose(&mut self, _: &Position, budget: Budget) -> Result<Choice, Forfeit> {
        // Drops a program that has failed: the next game starts it again.
        self.answer(budget).map(Choice::from).inspect_err(|_| {
            self.process = None;
            self.moves.clear();
        })
    }

    fn played(&mut self, mv: Move) {
        self.moves.push(mv);
    }
}

/// Reads lines until one begins with `start`, and returns that line. Fails after [`TALK`] lines or at `asked + limit`.
fn line_after_talk(
    process: &mut Process,
    start: &str,
    asked: Instant,
    limit: Duration,
) -> Result<String, Forfeit> {
    for _ in 0..TALK {
        let line = process.line(asked, limit)?;
        if line.starts_with(start) {
            return Ok(line);
        }
    }
    Err(Forfeit::Garbled(format!("{TALK} lines without {}", start.trim_end())))
}
