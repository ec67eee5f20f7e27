//! `otrera play` and `otrera analyze` on a terminal, a pseudo-terminal of the system: pipes do not show what is
//! printed too late, nor colours.
#![cfg(unix)]

use nix::pty::{Winsize, openpty};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The program on a terminal of its own. Dropped, it is killed.
struct Terminal {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// All that has been shown.
    shown: String,
}

impl Terminal {
    fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let size = Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(&size, None).expect("a pseudo-terminal");
        let end = || pty.slave.try_clone().expect("a descriptor");
        // An interrupt ends it also where whoever runs the tests ignores that signal, as a shell's background jobs do.
        let mut command = Command::new("env");
        command
            .args(["--default-signal=INT", env!("CARGO_BIN_EXE_otrera")])
            .args(arguments)
            .stdin(end())
            .stdout(end())
            .stderr(end());
        command.env_remove("NO_COLOR").env("TERM", "xterm").envs(variables.iter().copied());
        let child = command.spawn().expect("the program starts");
        // The screen ends when the program does only if nobody else holds the other side.
        drop((command, pty.slave));
        let keyboard = File::from(pty.master);
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
        Self { child, keyboard, screen, shown: String::new() }
    }

    /// Waits until this has been shown after `from` bytes; returns where it ends.
    fn wait_for(&mut self, text: &str, from: usize) -> usize {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(place) = self.shown[from..].find(text) {
                return from + place + text.len();
            }
            match self.screen.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.shown += &String::from_utf8_lossy(&bytes).replace('\r', ""),
                Err(_) => panic!("{text:?} is not shown:\n{}", self.shown),
            }
        }
    }

    fn type_line(&mut self, line: &str) {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).expect("a terminal takes a line");
    }

    /// All it shows up to its end.
    fn end(mut self) -> String {
        let deadline = Instant::now() + PATIENCE;
        while let Ok(bytes) = self.screen.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            self.shown += &String::from_utf8_lossy(&bytes).replace('\r', "");
        }
        assert!(self.child.wait().expect("it ends").success(), "{}", self.shown);
        std::mem::take(&mut self.shown)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // One that has ended cannot be killed, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A new empty folder for the records of one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("terminal-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn play(name: &str, variables: &[(&str, &str)]) -> (Terminal, PathBuf) {
    let folder = folder(name);
    let path = folder.to_str().expect("the folder's name is UTF-8");
    let terminal = Terminal::start(&["play", "--iterations", "200", "--record-dir", path], variables);
    (terminal, folder)
}

const PROMPT: &str = "your move> ";

#[test]
fn a_game_on_a_terminal() {
    let (mut terminal, _) = play("game", &[]);
    let asked = terminal.wait_for(PROMPT, 0);
    assert!(terminal.shown.contains("\x1b[1;36mB\x1b[0m"), "colours:\n{}", terminal.shown);
    terminal.type_line("d1-d7/g7");
    let answered = terminal.wait_for("Otrera plays ", asked);
    let asked = terminal.wait_for(PROMPT, answered);
    let board = &terminal.shown[answered..asked];
    // Brackets around three squares, which may be neighbours; neither belongs to an escape sequence.
    let board = board.replace("\x1b[", "");
    assert!((1..=3).contains(&board.matches('[').count()), "the last move is marked:\n{board}");
    assert_eq!(board.matches('[').count(), board.matches(']').count(), "{board}");
    terminal.type_line("quit");
    assert!(terminal.end().contains("\nRecord: "));
}

#[test]
fn no_colours_where_they_are_not_wanted() {
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let (mut terminal, _) = play(&format!("plain-{}", variable.0), &[variable]);
        terminal.wait_for(PROMPT, 0);
        terminal.type_line("d1-d7/g7");
        let answered = terminal.wait_for("Otrera plays ", 0);
        terminal.wait_for(PROMPT, answered);
        terminal.type_line("quit");
        let shown = terminal.end();
        assert!(!shown.contains('\x1b'), "{variable:?}: {shown:?}");
    }
}

#[test]
fn an_interrupt_leaves_a_record_whose_name_was_told() {
    let (mut terminal, folder) = play("interrupt", &[]);
    terminal.wait_for(PROMPT, 0);
    terminal.type_line("d1-d7/g7");
    let answered = terminal.wait_for("Otrera plays ", 0);
    terminal.wait_for(PROMPT, answered);
    let kill = Command::new("kill").args(["-INT", &terminal.child.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    assert!(!terminal.child.wait().expect("it ends").success(), "the interrupt has ended it");
    let files: Vec<_> = std::fs::read_dir(&folder).expect("the folder is there").collect();
    let [Ok(file)] = &files[..] else { panic!("{files:?}") };
    let path = file.path();
    assert!(terminal.shown.contains(path.to_str().expect("UTF-8")), "{path:?} in:\n{}", terminal.shown);
    let record = std::fs::read_to_string(path).expect("a record is UTF-8");
    assert_eq!(record.matches("d1d7(g7) ").count(), 1, "{record}");
}

#[test]
fn what_was_taken_back_is_not_in_the_record() {
    let (mut terminal, folder) = play("undo", &[]);
    let mut shown = terminal.wait_for(PROMPT, 0);
    terminal.type_line("d1-d7/g7");
    shown = terminal.wait_for("Otrera plays ", shown);
    shown = terminal.wait_for(PROMPT, shown);
    terminal.type_line("undo");
    shown = terminal.wait_for(PROMPT, shown);
    let files: Vec<_> = std::fs::read_dir(&folder).expect("the folder is there").collect();
    let [Ok(file)] = &files[..] else { panic!("{files:?}") };
    let record = std::fs::read_to_string(file.path()).expect("a record is UTF-8");
    assert!(!record.contains("d1d7"), "{record}");
    terminal.type_line("quit");
    let rest = terminal.end();
    assert!(rest[shown..].contains("Record: "), "{rest}");
}
