//! `arena faults`: plays games of the engine with injected faults, and counts them.

use crate::arguments::{default_engine, read_engine, read_games, read_seconds, read_share};
use crate::dialect::{Dialect, read_tournament};
use crate::faults::{Bout, Fault, Faulty, RATE, Setting};
use crate::game::{Control, GameSetup};
use crate::groups;
use crate::player::RandomPlayer;
use crate::say;
use crate::tally::Tally;
use clap::ValueEnum;
use fastrand::Rng;
use otrera::seed::mix_seed;
use otrera::{GameRecord, Side};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

const COLUMNS: [&str; 7] =
    ["games", "turns hit", "won", "lost on board", "broken off", "excused", "avoidable"];

const EXPLANATION: &str = "\
broken off: the game could not continue after the fault (the SAU platform does not restart a program)
excused:    answers that the fault alone made late or impossible: killed, stopped, no reader
avoidable:  games lost by a crash, an illegal or malformed answer, silence, or a late answer
";

/// Total time per side for a SAU game.
const SAU_TIME: Duration = Duration::from_secs(30);

/// Plays games of the engine against random moves with injected faults, and counts the engine's avoidable losses.
#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 no avoidable loss, 1 an avoidable loss, 2 wrong usage or no engine.")]
pub struct Options {
    /// The engine [default: the one beside this program].
    #[arg(long, value_name = "PATH", default_value_t = default_engine(), hide_default_value = true, value_parser = read_engine)]
    engine: String,
    /// Number of games.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = read_games)]
    games: u64,
    /// Dialects, named as in selfplay.sh.
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        default_value = "simple,json,simple-keep,json-keep,sau",
        value_parser = read_tournament
    )]
    protocol: Vec<Dialect>,
    /// Only these faults [default: all in turn].
    #[arg(long, value_enum, value_name = "NAME,...", value_delimiter = ',')]
    fault: Vec<Fault>,
    /// Seconds per move [default: Botzone's limits; 30 s for a SAU game].
    #[arg(long, value_name = "S", value_parser = read_seconds)]
    time: Option<Duration>,
    /// Seconds over the limit before an answer is late.
    #[arg(long, value_name = "S", default_value = "0", value_parser = read_seconds)]
    grace: Duration,
    /// Share of the turns in which a fault is injected.
    #[arg(long, value_name = "P", default_value_t = RATE, value_parser = read_share)]
    rate: f64,
    /// Seed of the games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print every game, not only losses.
    #[arg(long)]
    verbose: bool,
}

/// Plays the games. Returns true if the engine had no avoidable loss.
pub fn run(options: &Options) -> Result<bool, String> {
    if !Path::new(&options.engine).is_file() {
        return Err(format!("no engine at {}: run make first", options.engine));
    }
    let mut rng = Rng::with_seed(options.seed);
    let faults = if options.fault.is_empty() { Fault::value_variants() } else { &options.fault };
    let schedule = faults.iter().map(|&fault| {
        let mut protocols = options.protocol.clone();
        protocols.retain(|&protocol| fault.fits(protocol));
        rng.shuffle(&mut protocols);
        (fault, protocols)
    });
    let schedule: Vec<_> = schedule.filter(|(_, protocols)| !protocols.is_empty()).collect();
    if schedule.is_empty() {
        return Err("this fault does not occur in these protocols".into());
    }
    let mut table = Table::default();
    for number in 0..options.games {
        let turn = number as usize;
        let (fault, protocols) = &schedule[turn % schedule.len()];
        let protocol = protocols[turn / schedule.len() % protocols.len()];
        let (side, (record, bout)) = options.bout(number, protocol, *fault)?;
        if groups::are_ending() {
            say("interrupted\n");
            break;
        }
        table.add(&record, &bout, side);
        if options.verbose || !bout.reason.is_empty() {
            let (result, reason) = (bout.result, &bout.reason);
            say(&format!("game {}, {protocol}, {}: {result} {reason}\n", number + 1, fault.name()));
        }
    }
    say(&table.to_text());
    table.check()
}

impl Options {
    /// Plays a game against random moves. Returns the engine's side, the game and its facts.
    fn bout(
        &self,
        number: u64,
        protocol: Dialect,
        fault: Fault,
    ) -> Result<(Side, (GameRecord, Bout)), String> {
        let (side, [opponent, faults]) = draws(self.seed, number);
        let mut opponent = RandomPlayer::new(opponent);
        let setting = Setting { rate: self.rate, time: self.time, grace: self.grace, seed: faults };
        let total = Some(SAU_TIME).filter(|_| protocol.is_sau() && self.time.is_none());
        let setup = GameSetup {
            start: protocol.start(None),
            opening: Vec::new(),
            control: Control::turns(protocol, self.time, total),
            grace: self.grace,
            adjudicate: None,
        };
        let mut engine = vec![self.engine.clone()];
        match self.time {
            Some(time) => engine.extend(["--move-time".into(), time.as_secs_f64().to_string()]),
            None if protocol.is_sau() => {
                let total = SAU_TIME.as_secs_f64().to_string();
                engine.extend(["--total-time", &total, "--move-overhead", "0.01"].map(str::to_owned));
            }
            None => {}
        }
        let faulty = Faulty::new(&engine, protocol, fault, setting)?;
        Ok((side, faulty.play(&mut opponent, side, &setup, &mut |_, _, _| ())?))
    }
}

/// Returns the engine's side in a game, and the seeds of the opponent and of the faults.
fn draws(seed: u64, number: u64) -> (Side, [u64; 2]) {
    // Stream 0 shuffles the protocols.
    let mut rng = Rng::with_seed(mix_seed(seed, number + 1));
    let side = if rng.bool() { Side::Black } else { Side::White };
    (side, [rng.u64(..), rng.u64(..)])
}

/// Tally of the games with each fault.
#[derive(Default)]
pub struct Table(BTreeMap<String, Tally>);

impl Table {
    /// Adds a game of the program with this side.
    pub fn add(&mut self, record: &GameRecord, bout: &Bout, side: Side) {
        let row = self.0.entry(bout.fault.name()).or_default();
        row.add(record, side);
        row.count("turns hit", bout.hit);
        row.count("excused", bout.excused);
        row.count("broken off", u64::from(record.winner.is_none()));
    }

    /// Formats a row for each fault, their sum, and an explanation.
    pub fn to_text(&self) -> String {
        let rows: Vec<(&str, [u64; 7])> =
            self.0.iter().map(|(name, row)| (name.as_str(), cells(row))).collect();
        let all = rows.iter().fold([0; 7], |sum, (_, row)| std::array::from_fn(|i| sum[i] + row[i]));
        let mut table = format!("{:16}{}\n", "fault", COLUMNS.map(|column| format!("{column:>15}")).concat());
        for (name, row) in rows.into_iter().chain([("all", all)]) {
            table += &format!("{name:16}{}\n", row.map(|count| format!("{count:15}")).concat());
        }
        table + EXPLANATION
    }

    /// Returns true if no loss was avoidable. Fails if the games ended before a fault was injected once.
    pub fn check(&self) -> Result<bool, String> {
        let is_good = self.0.values().all(|row| avoidable(row) == 0);
        match self.0.iter().find(|(_, row)| is_good && row.counted("turns hit") == 0) {
            Some((name, _)) if !groups::are_ending() => Err(format!(
                "the fault {name} was injected in no turn: more games or a higher rate are needed"
            )),
            _ => Ok(is_good),
        }
    }
}

/// Returns the number of games that the program lost by its own failure.
fn avoidable(row: &Tally) -> u64 {
    row.failures()[0].values().map(|(count, _)| count).sum()
}

/// Returns the row's counts in the order of [`COLUMNS`].
fn cells(row: &Tally) -> [u64; 7] {
    COLUMNS.map(|column| match column {
        "games" => row.games() + row.counted("broken off"),
        "won" => row.wins(),
        "lost on board" => row.losses() - avoidable(row),
        "avoidable" => avoidable(row),
        counted => row.counted(counted),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use otrera::Position;
    use std::collections::HashSet;

    #[test]
    fn each_game_draws_its_side_and_seeds() {
        let games = |seed| (0..20).map(move |number| draws(seed, number));
        let black = games(1).filter(|(side, _)| *side == Side::Black).count();
        assert!((5..=15).contains(&black), "{black} of 20 games as Black");
        let seeds: HashSet<u64> = games(1).chain(games(2)).flat_map(|(_, seeds)| seeds).collect();
        assert_eq!(seeds.len(), 80);
        assert!(games(1).eq(games(1)));
    }

    #[test]
    fn a_fault_that_was_never_injected_fails_the_run() {
        let mut table = Table::default();
        let add = |table: &mut Table, fault, hit, forfeit: Option<&str>| {
            let record = GameRecord {
                winner: Some(if forfeit.is_some() { Side::White } else { Side::Black }),
                forfeit: forfeit.map(|kind| (kind.to_owned(), kind.to_owned())),
                ..GameRecord::new("", "", Position::standard())
            };
            let bout = Bout { fault, result: "", reason: String::new(), hit, excused: 0 };
            table.add(&record, &bout, Side::Black);
        };
        add(&mut table, Fault::Noise, 0, None);
        assert!(table.check().unwrap_err().starts_with("the fault noise was injected in no turn"));
        add(&mut table, Fault::Noise, 1, None);
        assert_eq!(table.check(), Ok(true));
        add(&mut table, Fault::Noise, 0, Some("crash"));
        assert_eq!(table.check(), Ok(false));
        let row = "noise                         3              1              2              0";
        assert!(table.to_text().contains(row), "{}", table.to_text());
        // The last row is the sum.
        add(&mut table, Fault::Killed, 2, None);
        let counts = |name: &str| {
            let text = table.to_text();
            let row = text.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
            row.split_whitespace().skip(1).map(|count| count.parse::<u64>().unwrap()).collect::<Vec<_>>()
        };
        let sum: Vec<u64> = counts("noise").iter().zip(counts("killed")).map(|(a, b)| a + b).collect();
        assert_eq!((counts("all"), sum[0]), (sum.clone(), 4), "{}", table.to_text());
    }
}
