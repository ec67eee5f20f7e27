//! `arena selfplay`: plays whole games of the engine against itself through the platforms' protocols.

use crate::arguments::{default_engine, read_engine, read_games, read_seconds, read_size};
use crate::dialect::{Dialect, read_tournament};
use crate::failure::{Failure, Kind};
use crate::game::{Control, Event, GameSetup, play};
use crate::groups;
use crate::player::Player;
use crate::program::Program;
use crate::say;
use clap::{ValueEnum, value_parser};
use otrera::record::ccgc;
use otrera::{GameRecord, PlayedMove, Position, Side, Size, mix_seed};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Show {
    /// Each move with the board after it.
    Board,
    /// Each move.
    Moves,
    /// Results only.
    None,
}

/// Plays whole games of the engine against itself through its tournament protocols, checks every move and every line,
/// and shows and records the games.
#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 no violation, 1 a violation, 2 wrong usage or no engine.")]
pub struct Options {
    /// Botzone's simple, json, simple-keep or json-keep (keep-running); or sau.
    #[arg(long, value_name = "NAME", default_value = "simple", value_parser = read_tournament)]
    protocol: Dialect,
    /// Number of games.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = read_games)]
    games: u64,
    /// Number of concurrent games; with more games than cores, moves come late.
    #[arg(long, value_name = "J", default_value_t = 1, value_parser = value_parser!(u16).range(1..))]
    jobs: u16,
    /// Edge of the board, 4 to 10 [default: 8; sau: 10].
    #[arg(long, value_name = "N", value_parser = read_size)]
    size: Option<Size>,
    /// Seconds per move [default: Botzone's 1, 2 for the first move; sau: no limit].
    #[arg(long, value_name = "S", value_parser = read_seconds)]
    time: Option<Duration>,
    /// Seconds per side for a whole game (sau only).
    #[arg(long, value_name = "S", value_parser = read_seconds)]
    total_time: Option<Duration>,
    /// Seconds over the limit before a move is late.
    #[arg(long, value_name = "S", default_value = "0.06", value_parser = read_seconds)]
    grace: Duration,
    /// The engine [default: the one beside this program].
    #[arg(long, value_name = "PATH", default_value_t = default_engine(), hide_default_value = true, value_parser = read_engine)]
    engine: String,
    /// Preset of Black.
    #[arg(long, value_name = "PRESET")]
    black: Option<String>,
    /// Preset of White.
    #[arg(long, value_name = "PRESET")]
    white: Option<String>,
    /// Iterations per move.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    iterations: Option<u64>,
    /// Random seed of all games.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Detail of the output [default: board on a terminal or for one game, else none].
    #[arg(long, value_enum, value_name = "WHAT")]
    show: Option<Show>,
    /// Folder of the records, one CCGC file per game.
    #[arg(long, value_name = "DIR", default_value = "records")]
    record_dir: PathBuf,
    /// Write no records.
    #[arg(long)]
    no_record: bool,
}

impl Options {
    fn preset(&self, side: Side) -> Option<&str> {
        if side == Side::Black { self.black.as_deref() } else { self.white.as_deref() }
    }
}

#[derive(Default)]
struct Tally {
    games: usize,
    wins: [usize; 2],
    plies: usize,
    offences: BTreeMap<&'static str, usize>,
    /// Fraction of the total time used, 0 to 1: one entry per side and game.
    used: Vec<f64>,
}

/// State shared by all threads, each of which plays one game at a time.
struct Match<'a> {
    options: &'a Options,
    show: Show,
    started: chrono::DateTime<chrono::Local>,
    /// Number of the next game, from 1.
    next: AtomicU64,
    tally: Mutex<Tally>,
}

struct Game {
    number: u64,
    offences: Vec<(Side, Failure)>,
    /// Output of the game, printed at its end if several games run at once.
    held: String,
    /// Number of terminal lines that the next board overwrites.
    drawn: usize,
}

/// Plays the games. Returns true if no violation occurred.
pub fn run(options: &Options) -> Result<bool, String> {
    if options.total_time.is_some() && !options.protocol.is_sau() {
        return Err("--total-time is for --protocol sau only".into());
    }
    check_engine(options)?;
    if !options.no_record {
        let folder = &options.record_dir;
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let shows_board = io::stdout().is_terminal() || options.games == 1;
    let show = options.show.unwrap_or(if shows_board { Show::Board } else { Show::None });
    let tally = Mutex::default();
    let run = Match { options, show, started: chrono::Local::now(), next: AtomicU64::new(1), tally };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.jobs).map(|_| scope.spawn(|| run.play_all())).collect();
        let panicked = |_| Err("a game thread panicked".into());
        // All threads are joined before the first error ends the run.
        let ends: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect();
        ends.into_iter().collect::<Result<(), String>>()
    })?;
    let tally = run.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    if groups::are_ending() {
        say("\ninterrupted\n");
    }
    say(&tally.summary());
    Ok(tally.offences.is_empty())
}

/// Checks the engine and both presets by running `perft 0`, because the engine prints no errors during a game.
fn check_engine(options: &Options) -> Result<(), String> {
    let engine = &options.engine;
    let hint = "run make first, or name one with --engine PATH";
    for side in Side::BOTH {
        let mut command = Command::new(engine);
        command.args(options.preset(side).into_iter().flat_map(|preset| ["--preset", preset]));
        let output = command.args(["perft", "0"]).output();
        let output = output.map_err(|error| format!("no engine at {engine}: {error}; {hint}"))?;
        if !output.status.success() || output.stdout.trim_ascii() != b"1" {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(if said.is_empty() { format!("{engine} is not Otrera") } else { said });
        }
    }
    Ok(())
}

impl Match<'_> {
    fn play_all(&self) -> Result<(), String> {
        let options = self.options;
        let mut programs = [(); 2].map(|()| Program::new(Vec::new(), options.protocol).strict());
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number > options.games || groups::are_ending() {
                break;
            }
            let (game, record) = self.play(number, &mut programs);
            if !groups::are_ending() {
                self.finish(game, record)?;
            }
        }
        for (side, program) in Side::BOTH.into_iter().zip(&mut programs) {
            if let Err(failure) = program.leave()
                && !groups::are_ending()
            {
                let (label, what) = (self.label(side), strict(&failure));
                say(&format!("after the last game, {label}: {what}\n"));
                self.note(&failure);
            }
        }
        Ok(())
    }

    fn play(&self, number: u64, programs: &mut [Program; 2]) -> (Game, GameRecord) {
        let options = self.options;
        let mut game = Game { number, offences: Vec::new(), held: String::new(), drawn: 0 };
        if self.show != Show::None {
            let players = Side::BOTH.map(|side| self.label(side)).join(" against ");
            self.say(&mut game, &format!("game {number}: {players}\n"));
        }
        let start = options.protocol.start(options.size);
        self.draw(&mut game, &start, "");
        for side in Side::BOTH {
            programs[side.index()].set_command(self.command(number, side));
        }
        let setup = GameSetup {
            start,
            opening: Vec::new(),
            control: Control::turns(options.protocol, options.time, options.total_time),
            grace: options.grace,
            adjudicate: None,
        };
        let [black, white] = programs;
        let record = play([black, white], &setup, &mut |position, ply, event| match event {
            Event::Moved(played) => self.show_move(&mut game, position, ply, played),
            Event::Failed(side, failure) => self.show_failure(&mut game, ply, side, failure),
        });
        (game, record)
    }

    fn show_move(&self, game: &mut Game, position: &Position, ply: usize, played: &PlayedMove) {
        let mover = lower(position.side().opponent());
        let line =
            format!("{ply:3}. {mover} {:12} {:7.3} s\n", played.mv.to_string(), played.time.as_secs_f64());
        match self.show {
            Show::Board => self.draw(game, position, &line),
            Show::Moves => self.say(game, &line),
            Show::None => {}
        }
    }

    fn show_failure(&self, game: &mut Game, ply: usize, side: Side, failure: &Failure) {
        if groups::are_ending() {
            return;
        }
        let (number, label, what) = (game.number, self.label(side), strict(failure));
        self.say(game, &format!("game {number}, after ply {ply}, {label}: {what}\n"));
        game.offences.push((side, failure.clone()));
    }

    fn finish(&self, mut game: Game, record: GameRecord) -> Result<(), String> {
        let Some(winner) = record.winner else { return Ok(()) };
        let plies = record.moves.len();
        let mut result = format!("{} wins in {plies} plies", self.label(winner));
        if let Some((side, failure)) = game.offences.first() {
            result += &format!(", {} forfeits ({})", lower(*side), failure.kind.name());
        }
        let mut line = format!("game {}: {result}", game.number);
        if !self.options.no_record {
            let path = self.options.record_dir.join(self.file_name(&game, winner));
            let text = ccgc::write(&self.record(&record, &result)).replace('\n', "\r\n");
            fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
            line += &format!(", record {}", path.display());
        }
        self.say(&mut game, &(line + "\n"));
        say(&game.held);
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.games += 1;
        tally.wins[winner.index()] += 1;
        tally.plies += plies;
        if let Some(total) = self.options.total_time {
            let used = |first| -> f64 {
                record.moves.iter().skip(first).step_by(2).map(|m| m.time.as_secs_f64()).sum()
            };
            tally.used.extend([used(0), used(1)].map(|used| used / total.as_secs_f64()));
        }
        drop(tally);
        game.offences.iter().for_each(|(_, failure)| self.note(failure));
        Ok(())
    }

    fn note(&self, failure: &Failure) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        *tally.offences.entry(failure.kind.name()).or_default() += 1;
    }

    fn file_name(&self, game: &Game, winner: Side) -> String {
        let safe = |c: char| if c.is_ascii_alphanumeric() || ".-".contains(c) { c } else { '_' };
        let name = |side| self.preset(side).chars().map(safe).take(40).collect::<String>();
        let (started, process) = (self.started.format("%Y%m%d-%H%M%S"), std::process::id());
        let [black, white] = Side::BOTH.map(name);
        format!("AM-{started}-{process}-game{:04}-{black}-vs-{white}-{}.txt", game.number, lower(winner))
    }

    fn record(&self, played: &GameRecord, result: &str) -> GameRecord {
        let [black, white] = Side::BOTH.map(|side| self.preset(side).to_owned());
        let size = played.start.size().edge();
        GameRecord {
            black,
            white,
            when: self.started.format("%Y.%m.%d %H:%M self-play").to_string(),
            event: format!("{} {size}x{size}, {result}", self.options.protocol),
            winner: played.winner,
            ..GameRecord::new("", "", played.start).with_moves(&played.played_moves())
        }
    }

    fn command(&self, number: u64, side: Side) -> Vec<String> {
        let options = self.options;
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64().to_string());
        let seed = |seed: u64| mix_seed(seed, 2 * number + side.index() as u64) & (u64::MAX >> 1);
        let settings = [
            ("--preset", options.preset(side).map(str::to_owned)),
            ("--move-time", seconds(options.time)),
            ("--total-time", seconds(options.total_time)),
            ("--iterations", options.iterations.map(|count| count.to_string())),
            ("--seed", options.seed.map(|given| seed(given).to_string())),
            ("--size", options.size.map(|size| size.edge().to_string())),
        ];
        let settings = settings.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?]));
        std::iter::once(options.engine.clone()).chain(settings.flatten()).collect()
    }

    fn preset(&self, side: Side) -> &str {
        self.options.preset(side).unwrap_or("default")
    }

    fn label(&self, side: Side) -> String {
        format!("{} ({})", lower(side), self.preset(side))
    }

    /// Prints the board. On a terminal, the new board replaces the previous one.
    fn draw(&self, game: &mut Game, position: &Position, line: &str) {
        if self.show != Show::Board {
            return;
        }
        let text = format!("{line}\n{position}\n");
        let over = if game.drawn > 0 { format!("\x1b[{}F\x1b[J", game.drawn) } else { String::new() };
        let can_overwrite = io::stdout().is_terminal() && std::env::var("TERM").is_ok_and(|t| t != "dumb");
        if self.options.jobs == 1 && can_overwrite {
            game.drawn = text.lines().count();
        }
        self.say(game, &(over + &text));
    }

    /// Prints the text, or holds the text back until the game ends if several games run at once.
    fn say(&self, game: &mut Game, text: &str) {
        if self.options.jobs == 1 {
            say(text);
        } else {
            game.held += text;
        }
    }
}

fn lower(side: Side) -> &'static str {
    if side == Side::Black { "black" } else { "white" }
}

/// Formats a failure in the words of the strict checks.
fn strict(failure: &Failure) -> String {
    format!("{}: {}", failure.kind.name(), failure.detail)
}

impl Tally {
    fn summary(&self) -> String {
        let Self { games, wins: [black, white], plies, offences, used } = self;
        let mean = *plies as f64 / (*games).max(1) as f64;
        let count = |kind: &&str| format!("{kind} {}", offences.get(kind).unwrap_or(&0));
        let counts = Kind::NAMES.iter().map(count).collect::<Vec<_>>().join(", ");
        let mut text = format!(
            "games {games}: black wins {black}, white wins {white}, mean {mean:.1} plies\nviolations: {counts}\n"
        );
        let mut used: Vec<f64> = used.iter().map(|share| 100.0 * share).collect();
        used.sort_by(f64::total_cmp);
        if let (Some(least), Some(most)) = (used.first(), used.last()) {
            let mean = used.iter().sum::<f64>() / used.len() as f64;
            text += &format!("time used: {least:.1} to {most:.1} %, mean {mean:.1} %\n");
        }
        text
    }
}
