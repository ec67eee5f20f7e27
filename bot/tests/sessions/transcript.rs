//! Replays a transcript. `bot/tests/sessions.rs` describes the directives.

use otrera::{Move, Position, Size};
use otrera_arena::board::Board;
use otrera_arena::notation::Form;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use testkit::Folder;
use testkit::program::Program;

/// Default time limit for a line of output and for the program's exit.
const PATIENCE: Duration = Duration::from_secs(10);

/// Replays one transcript. Fails at the first unmet expectation; the error has the file, the line and the output.
pub fn play(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut stage = Stage { folder: Folder::new("sessions"), program: None, referee: None };
    for (number, line) in (1..).zip(text.lines()) {
        let directive = line.trim_end();
        if !directive.is_empty() && !directive.starts_with('#') {
            let name = path.file_name().unwrap_or_default().display();
            stage
                .perform(directive)
                .map_err(|problem| format!("{name}:{number}: {directive}\n    {problem}"))?;
        }
    }
    match stage.program {
        Some(_) => Err(format!("{}: the transcript ends without `exits`", path.display())),
        None => Ok(()),
    }
}

/// State of a transcript's replay: its folder, the running program, and the referee's board.
struct Stage {
    folder: Folder,
    program: Option<Program>,
    referee: Option<Board>,
}

impl Stage {
    fn perform(&mut self, directive: &str) -> Result<(), String> {
        let (word, rest) = directive.split_once(' ').unwrap_or((directive, ""));
        match (word, rest) {
            ("options", options) => self.start(options),
            ("board", board) => {
                self.referee = Some(Board::new(read_board(board)?));
                Ok(())
            }
            ("play", moves) => moves.split(' ').try_for_each(|text| {
                let mv = text.parse().map_err(|error| format!("{error}"))?;
                self.referee()?.play(mv)
            }),
            ("plies", count) => (0..number(count)?).try_for_each(|_| self.referee()?.play_any().map(drop)),
            ("pass", "") => self.referee().map(Board::pass),
            ("take", "back") => self.referee()?.take_back(),
            (">", text) => {
                let bytes = [self.filled_in(text)?, b"\n".to_vec()].concat();
                self.program().map(|program| program.send(bytes))
            }
            (">>", text) => {
                let bytes = self.filled_in(text)?;
                self.program().map(|program| program.send(bytes))
            }
            ("close", "input") => self.program().map(Program::close_input),
            ("hang", "up") => self.program().map(Program::hang_up),
            ("silent", time) => {
                let time = Duration::from_millis(number(time)? as u64);
                self.program()?.silent(time)
            }
            ("<", expected) => self.expect(expected),
            ("exits", how) => self.exits(how),
            ("recorded", "") => self.recorded(),
            _ => Err("no such directive".into()),
        }
    }

    fn program(&mut self) -> Result<&mut Program, String> {
        self.program.as_mut().ok_or("no program runs: `options` starts one".into())
    }

    fn referee(&mut self) -> Result<&mut Board, String> {
        self.referee.as_mut().ok_or("there is no board: `board` sets one up".into())
    }

    fn start(&mut self, options: &str) -> Result<(), String> {
        if self.program.is_some() {
            return Err("the program before has not been seen to end: `exits`".into());
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_otrera"));
        let folder = self.folder.0.to_string_lossy();
        command.args(options.split_whitespace().map(|option| option.replace("<folder>", &folder)));
        command.env("TMPDIR", &self.folder.0);
        self.program = Some(Program::start(command));
        Ok(())
    }

    /// Replaces the placeholders in a text to send, such as `<CR>`; returns the bytes.
    fn filled_in(&mut self, text: &str) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('<') {
            bytes.extend(before.as_bytes());
            let (placeholder, after) = after.split_once('>').ok_or("a placeholder needs its >")?;
            bytes.extend(self.placeholder(placeholder)?);
            rest = after;
        }
        bytes.extend(rest.as_bytes());
        Ok(bytes)
    }

    fn placeholder(&mut self, placeholder: &str) -> Result<Vec<u8>, String> {
        let text = match placeholder {
            "CR" => "\r".into(),
            "LF" => "\n".into(),
            "NUL" => "\0".into(),
            "BOM" => "\u{feff}".into(),
            "byte FF" => return Ok(vec![0xff]),
            "begin" => Form::Json.begin(),
            "json move" => self.any_move(Form::Json)?,
            "json move in lines" => self.any_move(Form::Json)?.replace(',', ",\r\n  ").replace('}', "\r\n}"),
            "simple move" => self.any_move(Form::Simple)?,
            "sau move" => self.any_move(Form::Sau)?,
            "json requests" => self.referee()?.messages(Form::Json)[0].join(","),
            "json responses" => self.referee()?.messages(Form::Json)[1].join(","),
            "uci move" => self.any_move(Form::Uci)?,
            "uci game" => game_of(self.referee()?),
            "simple history" => self.referee()?.history(Form::Simple),
            _ => {
                let (count, text) = placeholder.split_once(" x ").ok_or("no such placeholder")?;
                text.repeat(number(count)?)
            }
        };
        Ok(text.into_bytes())
    }

    fn any_move(&mut self, form: Form) -> Result<String, String> {
        let referee = self.referee()?;
        let mv = referee.play_any()?;
        Ok(referee.format_move(mv, form))
    }

    fn expect(&mut self, expected: &str) -> Result<(), String> {
        let mut line = self.program()?.line(PATIENCE)?;
        while expected == "uci move" && line.starts_with("info ") {
            line = self.program()?.line(PATIENCE)?;
        }
        let outcome = match expected {
            "uci move" => self.referee()?.accept(&line, Form::Uci),
            "json move" => self.referee()?.accept(&line, Form::Json),
            "simple move" => self.referee()?.accept(&line, Form::Simple),
            "sau move" => self.referee()?.accept(&line, Form::Sau),
            "debug" if line.starts_with(">>>") => Err(String::new()),
            "debug" if (1..1024).contains(&line.len()) => Ok(()),
            literal if filled(literal) == line => Ok(()),
            _ => Err(String::new()),
        };
        outcome.map_err(|problem| {
            let shown: String = line.chars().take(300).collect();
            format!("came: {shown}\n    {problem}")
        })
    }

    fn exits(&mut self, how: &str) -> Result<(), String> {
        let (status, limit) = match how.split_once(" within ") {
            Some((status, limit)) => (status, Duration::from_millis(number(limit)? as u64)),
            None => (how, PATIENCE),
        };
        let exit = self.program()?.exit(limit)?;
        self.program = None;
        let expected = i32::try_from(number(status)?).map_err(|error| error.to_string())?;
        match (exit.errors.as_str(), exit.rest.as_str(), exit.status) {
            ("", "", Some(status)) if status == expected => Ok(()),
            ("", "", status) => Err(format!("its status was {status:?}")),
            ("", rest, _) => Err(format!("unexpected output before the exit: {rest:?}")),
            (errors, ..) => Err(format!("standard error holds {errors:?}")),
        }
    }

    /// Fails unless the folder contains a record with exactly the moves played on the referee's board.
    fn recorded(&mut self) -> Result<(), String> {
        let written = |mv: &Move| format!(" {}{}({})", mv.from, mv.to, mv.arrow);
        let line = |pair: &[Move]| pair.iter().map(written).collect::<String>();
        let lines = (1..).zip(self.referee()?.moves().chunks(2));
        let expected: String = lines.map(|(number, pair)| format!("{number}{}\n", line(pair))).collect();
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.folder.0).map_err(|error| error.to_string())?.flatten() {
            let record = std::fs::read_to_string(entry.path()).map_err(|error| error.to_string())?;
            let lines = record.replace("\r\n", "\n");
            found.push(lines.split_once('\n').map_or("", |(_, moves)| moves).to_owned());
        }
        if found.contains(&expected) {
            Ok(())
        } else {
            Err(format!("expected {expected:?}\n    found {found:?}"))
        }
    }
}

/// Formats all moves of the game in UCI notation, separated by spaces.
fn game_of(board: &Board) -> String {
    let moves: Vec<String> = board.moves().iter().map(|&mv| board.format_move(mv, Form::Uci)).collect();
    moves.join(" ")
}

/// Replaces the placeholders in an expected line: `<version>`, `<cores>` and `<memory>`.
fn filled(literal: &str) -> String {
    let cores = std::thread::available_parallelism().unwrap();
    let memory = otrera_front::settings::max_memory();
    let version = literal.replace("<version>", env!("CARGO_PKG_VERSION"));
    version.replace("<cores>", &cores.to_string()).replace("<memory>", &memory.to_string())
}

/// Parses a board: `start 8`, or a FEN.
fn read_board(text: &str) -> Result<Position, String> {
    match text.strip_prefix("start ") {
        Some(edge) => Size::new(number(edge)?).map(Position::start).ok_or("there is no such board".into()),
        None => Position::from_fen(text).map_err(|error| error.to_string()),
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("{text:?} is not a number"))
}
