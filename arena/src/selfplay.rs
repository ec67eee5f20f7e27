//! `arena selfplay`: plays whole games of the engine against itself through the platforms' protocols.

use crate::arguments::{default_engine, read_engine, read_games, read_seconds, read_size};
use crate::dialect::{Dialect, read_tournament};
use crate::failure::{Failure, Kind};
use crate::game::{Control, Event, GameSetup, play};
use crate::groups;
use crate::player::Player;
use crate::program::Program;
use crate::say;
use crate::screen::{Screen, Show, lower};
use crate::tally::Tally;
use clap::value_parser;
use otrera::record::ccgc;
use otrera::seed::mix_seed;
use otrera::{GameRecord, Side, Size};
use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

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
    screen: Screen,
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
    say(&summary(&tally));
    Ok(tally.failed(None) == 0)
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
                let (label, what) = (self.label(side), failure.in_strict_words());
                say(&format!("after the last game, {label}: {what}\n"));
                self.note(side, &failure);
            }
        }
        Ok(())
    }

    fn play(&self, number: u64, programs: &mut [Program; 2]) -> (Game, GameRecord) {
        let options = self.options;
        let mut game =
            Game { number, offences: Vec::new(), screen: Screen::new(self.show, options.jobs > 1) };
        let start = options.protocol.start(options.size);
        let players = Side::BOTH.map(|side| self.label(side)).join(" against ");
        game.screen.begin(&format!("game {number}: {players}"), &start);
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
            Event::Moved(played) => game.screen.moved(position, ply, played),
            Event::Failed(side, failure) => self.show_failure(&mut game, ply, side, failure),
        });
        (game, record)
    }

    fn show_failure(&self, game: &mut Game, ply: usize, side: Side, failure: &Failure) {
        if groups::are_ending() {
            return;
        }
        let (number, label, what) = (game.number, self.label(side), failure.in_strict_words());
        game.screen.say(&format!("game {number}, after ply {ply}, {label}: {what}\n"));
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
        game.screen.say(&(line + "\n"));
        game.screen.end();
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.add_result(&record, Side::Black);
        if let Some(total) = self.options.total_time {
            for first in [0, 1] {
                let times = record.moves.iter().skip(first).step_by(2).map(|played| played.time);
                tally.add_used(times.sum::<Duration>().as_secs_f64() / total.as_secs_f64());
            }
        }
        drop(tally);
        game.offences.iter().for_each(|(side, failure)| self.note(*side, failure));
        Ok(())
    }

    fn note(&self, side: Side, failure: &Failure) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.add_failure(side.index(), failure.kind.name(), &failure.detail);
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
}

fn summary(tally: &Tally) -> String {
    let [black, white] = tally.wins_of_sides();
    let count = |kind: &str| format!("{kind} {}", tally.failed(Some(kind)));
    let counts = Kind::NAMES.map(count).join(", ");
    let (games, mean) = (tally.games(), tally.mean_plies());
    let mut text = format!(
        "games {games}: black wins {black}, white wins {white}, mean {mean:.1} plies\nviolations: {counts}\n"
    );
    if let Some([least, most, mean]) = tally.used_percent() {
        text += &format!("time used: {least:.1} to {most:.1} %, mean {mean:.1} %\n");
    }
    text
}
