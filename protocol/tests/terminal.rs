//! Tests of `otrera play` and `otrera analyze` on a pseudo-terminal, since they show neither colours nor progress on a
//! pipe.
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

/// The program on a pseudo-terminal with 24 rows of 80 columns. The program is killed when this is dropped.
struct Terminal {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// Raw output so far.
    bytes: Vec<u8>,
    /// Output so far as text, with LF instead of CRLF.
    shown: String,
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
        command
            .args(["--default-signal=INT", OTRERA])
            .args(arguments)
            .stdin(end())
            .stdout(end())
            .stderr(end());
        command
            .env_remove("NO_COLOR")
            .env("TERM", "xterm")
            .env("LC_ALL", "C")
            .envs(variables.iter().copied());
        let child = command.spawn().expect("the program starts");
        // Reading ends with the program only if no other handle of its side is open.
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
        Self { child, keyboard, screen, bytes: Vec::new(), shown: String::new() }
    }

    /// Waits until the output contains `text` after its first `from` bytes; returns the position after `text`.
    fn wait_for(&mut self, text: &str, from: usize) -> usize {
        let deadline = Instant::now() + LIMIT;
        loop {
            if let Some(place) = self.shown[from..].find(text) {
                return from + place + text.len();
            }
            assert!(self.shows_more(deadline), "{text:?} is not shown:\n{}", self.shown);
        }
    }

    /// Waits for more output; returns false at the deadline.
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

    /// Waits until the program exits with status 0; returns all of its output.
    fn end(self) -> String {
        self.end_with(0)
    }

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

/// Returns the lines finally visible on the screen: text after a carriage return overwrites its line.
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
        // Fails if the program has already ended, which does no harm.
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
    terminal.wait_for(PROMPT, 0);
    assert!(terminal.shown.contains("\x1b[1;36mB\x1b[0m"), "colours:\n{}", terminal.shown);
    let [answered, asked] = play_a_move(&mut terminal);
    let board = &terminal.shown[answered..asked];
    // Removes the brackets of escape sequences; the others enclose three squares, which can be neighbours.
    let board = board.replace("\x1b[", "");
    assert!((1..=3).contains(&board.matches('[').count()), "the last move is marked:\n{board}");
    assert_eq!(board.matches('[').count(), board.matches(']').count(), "{board}");
    terminal.type_line("quit");
    assert!(terminal.end().contains("\nRecord: "));
}

/// Lists the moves of a game and saves the game in the format of the file's extension.
#[test]
fn moves_are_listed_and_saved() {
    let (mut terminal, folder) = play("save", &[]);
    let mut shown = terminal.wait_for(PROMPT, 0);
    terminal.type_line("moves");
    shown = terminal.wait_for("no move has been played yet\n", shown);
    terminal.type_line("save game.sgf");
    shown = terminal.wait_for("not saved: no move has been played yet\n", shown);
    terminal.type_line("d1-d7/g7");
    shown = terminal.wait_for("Otrera plays ", shown);
    shown = terminal.wait_for(PROMPT, shown);
    terminal.type_line("moves");
    shown = terminal.wait_for("\n  1. d1-d7/g7 ", shown);
    let games = folder.with_extension("games");
    std::fs::create_dir_all(&games).expect("a folder for the test");
    let file = |name: &str| games.join(name);
    for name in ["Game.SGF", "game.json", "game.txt"] {
        let _ = std::fs::remove_file(file(name));
        for _ in 0..2 {
            terminal.type_line(&format!("SAVE {}", file(name).display()));
            shown = terminal.wait_for("saved to ", shown);
        }
        let text = read(&file(name));
        let [game] = &otrera::record::read(&text).expect("a record")[..] else { panic!("{text}") };
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
        terminal.type_line(&format!("save {name}"));
        shown = terminal.wait_for("not saved: ", shown);
        shown = terminal.wait_for(problem, shown);
    }
    terminal.type_line("quit");
    terminal.end();
}

#[test]
fn no_color_and_dumb_terminals_disable_colours() {
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let (mut terminal, _) = play(&format!("plain-{}", variable.0), &[variable]);
        play_a_move(&mut terminal);
        terminal.type_line("quit");
        let shown = terminal.end();
        assert!(!shown.contains('\x1b'), "{variable:?}: {shown:?}");
    }
}

#[test]
fn an_interrupt_keeps_the_announced_record() {
    let (mut terminal, folder) = play("interrupt", &[]);
    play_a_move(&mut terminal);
    let kill = Command::new("kill").args(["-INT", &terminal.child.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    assert!(!terminal.child.wait().expect("otrera ends").success(), "the interrupt ended the program");
    let (name, record) = only_record(&folder);
    assert_contains(&terminal.shown, text(&folder.join(name)));
    assert_eq!(record.matches("d1d7(g7) ").count(), 1, "{record}");
}

/// Plays d1-d7/g7; returns the positions of the answer and of the next prompt in the output.
fn play_a_move(terminal: &mut Terminal) -> [usize; 2] {
    let asked = terminal.wait_for(PROMPT, 0);
    terminal.type_line("d1-d7/g7");
    let answered = terminal.wait_for("Otrera plays ", asked);
    [answered, terminal.wait_for(PROMPT, answered)]
}

#[test]
fn undone_moves_leave_the_record_after_another_move() {
    let (mut terminal, folder) = play("undo", &[]);
    let [_, mut shown] = play_a_move(&mut terminal);
    terminal.type_line("undo 2");
    shown = terminal.wait_for("undo: expected a whole number from 1 to 1\n", shown);
    terminal.type_line("undo 1");
    shown = terminal.wait_for("taken back: d1-d7/g7 ", shown);
    shown = terminal.wait_for(PROMPT, shown);
    terminal.type_line("d1-d8/g8");
    shown = terminal.wait_for("Otrera plays ", shown);
    terminal.wait_for(PROMPT, shown);
    terminal.type_line("quit");
    let rest = terminal.end();
    assert!(rest[shown..].contains("Record: "), "{rest}");
    let (_, record) = only_record(&folder);
    assert!(!record.contains("d1d7") && record.contains("\n1 d1d8(g8) "), "{record}");
}

/// Regression test: the record had a winner, but no moves.
#[test]
fn resigning_after_undo_loses_the_game() {
    let (mut terminal, folder) = play("undo-resign", &[]);
    let [_, shown] = play_a_move(&mut terminal);
    terminal.type_line("undo");
    terminal.wait_for("taken back: d1-d7/g7 ", shown);
    terminal.wait_for(PROMPT, shown);
    terminal.type_line("resign");
    terminal.end();
    let (name, record) = only_record(&folder);
    assert!(record.contains("\n1 d1d7(g7) ") && record.contains("后手胜"), "{record}");
    assert!(name.starts_with("You vs Otrera, White wins, 20") && name.ends_with(".txt"), "{name}");
}

#[test]
fn records_get_chinese_names_in_chinese_locales() {
    for (variable, is_chinese) in
        [(("LC_ALL", "zh_CN.UTF-8"), true), (("LANG", "zh_CN.UTF-8"), false), (("LC_ALL", "de_DE"), false)]
    {
        let (mut terminal, folder) = play("locale", &[variable]);
        play_a_move(&mut terminal);
        terminal.type_line("quit");
        terminal.end();
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
    terminal.wait_for(PROMPT, 0);
    terminal.type_line("hint");
    let shown = terminal.wait_for("Otrera thinks ... 1 s, depth ", 0);
    terminal.wait_for(PROMPT, shown);
    terminal.type_line("quit");
    let lines = final_lines(&terminal.end());
    assert!(lines.iter().any(|line| line.contains("(winning rate ")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("thinks")), "{lines:?}");
}

#[test]
fn analysis_fits_the_screen_and_clears_its_progress() {
    let played = "d1-d7/g7 a7-d4/a7";
    for arguments in [&[][..], &["--moves", played], &["--preset", "paper"], &["--size", "8"]] {
        let arguments = [&["analyze", "--time", "1.5", "--threads", "1"], arguments].concat();
        let mut terminal = Terminal::start(&arguments, &[("NO_COLOR", "1")]);
        terminal.wait_for("  1 s  ", 0);
        let lines = final_lines(&terminal.end());
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
