//! Tests of `otrera play` and `otrera analyze` on a pseudo-terminal, since both commands show colours and progress only
//! on a terminal.
#![cfg(unix)]

use crate::common::{LIMIT, OTRERA, assert_contains, folder, only_record, read, text};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// The program on a pseudo-terminal with 24 rows of 80 columns. Dropping the terminal kills the program.
struct Terminal {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// Raw bytes of the output so far.
    bytes: Vec<u8>,
    /// The output until now, as text with LF instead of CRLF.
    shown: String,
    /// Byte offset in `shown` after the last text found by [`Self::wait_for`].
    passed: usize,
}

impl Terminal {
    fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&controller).and_then(|()| unlockpt(&controller)).expect("an unlocked terminal");
        let name = ptsname(&controller, Vec::new()).expect("a name");
        let user = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("the program's side");
        tcsetwinsize(&user, size).expect("a size");
        let end = || user.try_clone().expect("a descriptor");
        // `env` restores the default action of SIGINT, which background jobs of a shell inherit as ignored.
        let mut command = Command::new("env");
        command.args(["--default-signal=INT", OTRERA]).args(arguments);
        command.stdin(end()).stdout(end()).stderr(end());
        command.env_remove("NO_COLOR").envs([("TERM", "xterm"), ("LC_ALL", "C")]);
        command.envs(variables.iter().copied());
        let child = command.spawn().expect("the program starts");
        // Without other open handles of the program's side, reading ends when the program exits.
        drop((command, user));
        let keyboard = File::from(controller);
        let mut output = keyboard.try_clone().expect("a descriptor");
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, keyboard, screen, bytes: Vec::new(), shown: String::new(), passed: 0 }
    }

    /// Waits until `text` appears in the output, after the text found by the previous call.
    fn wait_for(&mut self, text: &str) {
        let deadline = Instant::now() + LIMIT;
        while !self.shown[self.passed..].contains(text) {
            assert!(self.shows_more(deadline), "{text:?} is not shown:\n{}", self.shown);
        }
        self.passed += self.shown[self.passed..].find(text).expect("as above") + text.len();
    }

    /// Waits for more output; returns false at the deadline or the end of output.
    fn shows_more(&mut self, deadline: Instant) -> bool {
        let Ok(bytes) = self.screen.recv_timeout(deadline.saturating_duration_since(Instant::now())) else {
            return false;
        };
        self.bytes.extend(bytes);
        self.shown = String::from_utf8_lossy(&self.bytes).replace("\r\n", "\n");
        true
    }

    fn type_line(&mut self, line: &str) {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).expect("a terminal takes a line");
    }

    /// Types `line` and waits until `output` appears.
    fn ask(&mut self, line: &str, output: &str) {
        self.type_line(line);
        self.wait_for(output);
    }

    /// Plays d1-d7/g7; returns the output from the engine's move to the next prompt.
    fn play_a_move(&mut self) -> String {
        self.wait_for(PROMPT);
        self.ask("d1-d7/g7", "Otrera plays ");
        let answered = self.passed;
        self.wait_for(PROMPT);
        self.shown[answered..self.passed].to_owned()
    }

    fn quit(mut self) -> String {
        self.type_line("quit");
        self.end_with(0)
    }

    /// Waits until the program exits, asserts its exit status and returns all of its output.
    fn end_with(mut self, status: i32) -> String {
        let deadline = Instant::now() + LIMIT;
        while self.shows_more(deadline) {}
        if Instant::now() >= deadline {
            let _ = self.child.kill();
        }
        assert_eq!(self.child.wait().expect("otrera ends").code(), Some(status), "{}", self.shown);
        std::mem::take(&mut self.shown)
    }
}

/// Returns the lines visible on the screen at the end: text after a carriage return overwrites the line.
fn final_lines(shown: &str) -> Vec<String> {
    let line = |line: &str| {
        line.split('\r').fold(String::new(), |under, over| {
            let rest = under.chars().skip(over.chars().count());
            over.chars().chain(rest).collect()
        })
    };
    shown.lines().map(|shown| line(shown).trim_end().to_owned()).collect()
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // An error means that the program has already ended, which does no harm.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn play(name: &str, variables: &[(&str, &str)]) -> (Terminal, PathBuf) {
    let folder = folder(&format!("terminal-{name}"));
    let arguments = ["play", "--iterations", "200", "--record-dir", text(&folder)];
    (Terminal::start(&arguments, variables), folder)
}

const PROMPT: &str = "your move> ";

#[test]
fn play_shows_colours_and_the_last_move() {
    let (mut terminal, _) = play("game", &[]);
    // Removes the brackets of escape sequences. The others enclose three squares, which can be adjacent.
    let board = terminal.play_a_move().replace("\x1b[", "");
    assert!((1..=3).contains(&board.matches('[').count()), "the last move is marked:\n{board}");
    assert_eq!(board.matches('[').count(), board.matches(']').count(), "{board}");
    let shown = terminal.quit();
    assert!(shown.contains("\x1b[1;36mB\x1b[0m") && shown.contains("\nRecord: "), "{shown}");
}

/// Checks the command `moves`, and that `save` writes the format of the file's extension.
#[test]
fn moves_are_listed_and_saved() {
    let (mut terminal, _) = play("save", &[]);
    terminal.ask("moves", "no move has been played yet\n");
    terminal.ask("save game.sgf", "not saved: no move has been played yet\n");
    terminal.play_a_move();
    terminal.ask("moves", "\n  1. d1-d7/g7 ");
    let games = folder("terminal-games");
    let file = |name: &str| games.join(name);
    for name in ["Game.SGF", "game.json", "game.txt"] {
        for _ in 0..2 {
            terminal.ask(&format!("SAVE {}", file(name).display()), "saved to ");
        }
        let text = read(&file(name));
        let [game] = &otrera::record::read(&text).expect("a record").games[..] else { panic!("{text}") };
        assert_eq!((game.black.as_str(), game.moves.len(), game.winner), ("You", 2, None), "{text}");
        assert_eq!(game.moves[0].mv.to_string(), "d1-d7/g7");
        assert_eq!(game.moves[1].win_rate.is_some(), name != "game.txt", "{text}");
    }
    for (name, problem) in [
        ("Game.SGF", "already exists; choose another name"),
        ("game", "the file name must end in .sgf, .json or .txt"),
        ("", "the file name must end in .sgf, .json or .txt"),
        ("absent/game.sgf", "No such file"),
    ] {
        let name = if name.is_empty() { String::new() } else { file(name).display().to_string() };
        terminal.ask(&format!("save {name}"), "not saved: ");
        terminal.wait_for(problem);
    }
    terminal.quit();
}

#[test]
fn no_color_and_dumb_terminals_disable_colours() {
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let (mut terminal, _) = play(&format!("plain-{}", variable.0), &[variable]);
        terminal.play_a_move();
        let shown = terminal.quit();
        assert!(!shown.contains('\x1b'), "{variable:?}: {shown:?}");
    }
}

#[test]
fn an_interrupt_keeps_the_announced_record() {
    let (mut terminal, folder) = play("interrupt", &[]);
    terminal.play_a_move();
    let kill = Command::new("kill").args(["-INT", &terminal.child.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    assert!(!terminal.child.wait().expect("otrera ends").success(), "the interrupt ended the program");
    let (name, record) = only_record(&folder);
    assert_contains(&terminal.shown, text(&folder.join(name)));
    assert_eq!(record.matches("d1d7(g7) ").count(), 1, "{record}");
}

#[test]
fn undone_moves_leave_the_record_after_another_move() {
    let (mut terminal, folder) = play("undo", &[]);
    terminal.play_a_move();
    terminal.ask("undo 2", "undo: expected a whole number from 1 to 1\n");
    terminal.ask("undo 1", "taken back: d1-d7/g7 ");
    terminal.wait_for(PROMPT);
    terminal.ask("d1-d8/g8", "Otrera plays ");
    terminal.wait_for(PROMPT);
    terminal.ask("quit", "Record: ");
    terminal.end_with(0);
    let (_, record) = only_record(&folder);
    assert!(!record.contains("d1d7") && record.contains("\n1 d1d8(g8) "), "{record}");
}

/// Regression test: the record had a winner but no moves.
#[test]
fn resigning_after_undo_loses_the_game() {
    let (mut terminal, folder) = play("undo-resign", &[]);
    terminal.play_a_move();
    terminal.ask("undo", "taken back: d1-d7/g7 ");
    terminal.wait_for(PROMPT);
    terminal.type_line("resign");
    terminal.end_with(0);
    let (name, record) = only_record(&folder);
    assert!(record.contains("\n1 d1d7(g7) ") && record.contains("后手胜"), "{record}");
    assert!(name.starts_with("You vs Otrera, White wins, 20") && name.ends_with(".txt"), "{name}");
}

#[test]
fn a_record_that_can_no_longer_be_written_is_told() {
    let (mut terminal, folder) = play("no-folder", &[]);
    terminal.play_a_move();
    terminal.ask("undo", "taken back: d1-d7/g7 ");
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "in the way").unwrap();
    terminal.wait_for(PROMPT);
    terminal.ask("d1-d6/g6", "cannot write a record in");
    terminal.type_line("quit");
    terminal.end_with(2);
}

#[test]
fn records_get_chinese_names_in_chinese_locales() {
    for (variable, is_chinese) in
        [(("LC_ALL", "zh_CN.UTF-8"), true), (("LANG", "zh_CN.UTF-8"), false), (("LC_ALL", "de_DE"), false)]
    {
        let (mut terminal, folder) = play("locale", &[variable]);
        terminal.play_a_move();
        terminal.quit();
        let (name, _) = only_record(&folder);
        assert_eq!(name.starts_with("AM-YouB vs OtreraW-未完-"), is_chinese, "{variable:?}: {name}");
        assert_eq!(name.starts_with("You vs Otrera, unfinished, 20"), !is_chinese, "{variable:?}: {name}");
    }
}

#[test]
fn thinking_progress_is_shown_and_cleared() {
    let folder = folder("terminal-thinking");
    let arguments = ["play", "--move-time", "1.5", "--record-dir", text(&folder)];
    let mut terminal = Terminal::start(&arguments, &[("NO_COLOR", "1")]);
    terminal.ask("hint", "Otrera thinks ... 1 s, depth ");
    terminal.wait_for(PROMPT);
    let lines = final_lines(&terminal.quit());
    assert!(lines.iter().any(|line| line.contains("(win rate ")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("thinks")), "{lines:?}");
}

#[test]
fn analysis_fits_the_screen_and_clears_its_progress() {
    let played = "d1-d7/g7 a7-d4/a7";
    for arguments in [&[][..], &["--moves", played], &["--preset", "paper"], &["--size", "8"]] {
        let arguments = [&["analyze", "--time", "1.5", "--threads", "1"], arguments].concat();
        let mut terminal = Terminal::start(&arguments, &[("NO_COLOR", "1")]);
        terminal.wait_for("  1 s  ");
        let lines = final_lines(&terminal.end_with(0));
        assert!(lines.len() <= 23, "{} lines and a prompt:\n{}", lines.len(), lines.join("\n"));
        for line in &lines {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert!(!lines.iter().any(|line| line.contains(" 1 s ") || line.contains("thinking")), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("principal variation: ")), "{lines:?}");
    }
}

#[test]
fn a_mistyped_command_gets_a_suggestion() {
    for (arguments, message) in [
        (["anlyze"], "otrera: unknown command anlyze; did you mean analyze? See otrera --help\n"),
        (["--threds=2"], "otrera: unknown option --threds; did you mean --threads? See otrera --help\n"),
        (["xyzzy"], "otrera: unknown command xyzzy; see otrera --help\n"),
    ] {
        assert_eq!(Terminal::start(&arguments, &[]).end_with(2), message);
    }
}
