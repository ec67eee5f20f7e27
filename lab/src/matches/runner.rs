//! Plays the games of matches, several at once, and keeps every result.

use crate::arguments::WorkArgs;
pub use crate::arguments::cores;
use crate::cluster::jobs::{self, Job};
use crate::interrupt;
use crate::matches::results::Results;
use crate::matches::spec::PlayerSpec;
use crate::play::openings::Openings;
use crate::play::referee;
use crate::play::referee::{Conditions, Control};
use otrera::record::json;
use otrera::{GameRecord, Position, Rules, Size};
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Display;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A match between two players: everything that decides its games.
#[derive(Clone, Debug)]
pub struct Match {
    /// A and B. A is Black in the even games.
    pub players: [PlayerSpec; 2],
    /// Number of games; each opening is played twice, with colours swapped.
    pub games: u64,
    /// The board.
    pub size: Size,
    /// Time or effort.
    pub control: Control,
    /// How much later than its time an answer may come.
    pub grace: Duration,
    /// Openings.
    pub openings: Openings,
    /// The winning rate at which a game is adjudicated when both players see it; `None` for never.
    pub adjudicate: Option<f32>,
}

impl Match {
    /// The conditions in which all runs of the same match agree.
    pub fn conditions(&self) -> Value {
        json!({
            "players": [self.players[0].text, self.players[1].text],
            "size": self.size.edge(),
            "control": control_text(self.control),
            "opening_plies": self.openings.plies,
            "balance": self.openings.balance,
            "book": self.openings.book.as_ref().map_or(0, |book| book.lines.len()),
            "seed": self.openings.seed,
            "adjudicate": self.adjudicate,
        })
    }

    /// The arguments with which `lab` plays this match.
    pub fn arguments(&self) -> Vec<String> {
        let [a, b] = &self.players;
        let mut arguments = vec!["match".to_owned(), a.text.clone(), b.text.clone()];
        let mut add = |name: &str, value: &dyn Display| arguments.push(format!("--{name}={value}"));
        add("games", &self.games);
        add("size", &self.size.edge());
        add("grace", &self.grace.as_secs_f64());
        add("plies", &self.openings.plies);
        add("balance", &self.openings.balance);
        add("seed", &self.openings.seed);
        if let Some(book) = &self.openings.book {
            // Elsewhere the working folder may be another.
            let path = std::path::absolute(&book.path).unwrap_or_else(|_| book.path.clone());
            add("book", &path.display());
        }
        if let Some(rate) = self.adjudicate {
            add("adjudicate", &rate);
        }
        match self.control {
            Control::Free => arguments.push("--free".into()),
            Control::PerMove(time) => add("time", &time.as_secs_f64()),
            Control::PerGame(time) => add("game-time", &time.as_secs_f64()),
            Control::Iterations(count) => add("iterations", &count),
        }
        arguments
    }

    /// The numbers of the games that are not in `results`.
    fn missing(&self, results: &Results) -> impl Iterator<Item = u64> + use<> {
        let done: BTreeSet<u64> = results.games().iter().map(|game| game.number).collect();
        (0..self.games).filter(move |number| !done.contains(number))
    }

    /// Where games start; under the SAU platform's rules if one of the players believes to be there.
    fn start(&self) -> Position {
        let start = Position::start(self.size);
        if self.players.iter().any(PlayerSpec::speaks_sau) {
            start.with_rules(Rules::SelfBlocking)
        } else {
            start
        }
    }

    /// Plays one game. All its chances hang on its number alone.
    pub fn game(&self, number: u64) -> GameRecord {
        let start = self.start();
        let opening = self.openings.opening(&start, number / 2);
        let conditions = Conditions {
            start,
            opening,
            control: self.control,
            grace: self.grace,
            adjudicate: self.adjudicate,
        };
        let seed = |player: u64| {
            (self.openings.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (number * 2 + player)) + 1
        };
        let [mut a, mut b] = [self.players[0].build(seed(0)), self.players[1].build(seed(1))];
        let [name_a, name_b] = [&self.players[0].text, &self.players[1].text];
        let (outcome, [black, white]) = if number.is_multiple_of(2) {
            (referee::play([a.as_mut(), b.as_mut()], &conditions), [name_a, name_b])
        } else {
            (referee::play([b.as_mut(), a.as_mut()], &conditions), [name_b, name_a])
        };
        GameRecord {
            number,
            when: chrono::Local::now().format("%Y.%m.%d %H:%M").to_string(),
            event: "lab match".into(),
            control: control_text(self.control),
            ..GameRecord::new(black, white, start).with_outcome(outcome)
        }
    }
}

/// Plays all games of these matches that are not in their results yet, wherever the work is to be done, until all are
/// there or `enough` is raised. After each game `progress` is told of which match it was. Where a result cannot be
/// written everything ends: those of the games under way could not be either.
///
/// # Errors
/// There is no such cluster, or it cannot play these games.
pub fn play(
    contests: &[(Match, Results)],
    work: &WorkArgs,
    enough: &AtomicBool,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<(), String> {
    let keep = |contest: usize, game: GameRecord| {
        contests[contest].1.add(game).unwrap_or_else(|error| interrupt::give_up(&error));
        progress(contest);
    };
    match &work.cluster {
        Some(address) => jobs::run(address, tasks(contests, &keep), enough)?,
        None => play_here(contests, work.concurrency(), enough, &keep),
    }
    Ok(())
}

/// The matches as jobs of a cluster.
fn tasks<'a>(contests: &'a [(Match, Results)], keep: &'a dyn Fn(usize, GameRecord)) -> Vec<Job<'a>> {
    let job = |(number, (contest, results)): (usize, &'a (Match, Results))| Job {
        arguments: contest.arguments(),
        missing: contest.missing(results).collect(),
        take: Box::new(move |line| {
            let game = json::read(line).map_err(|error| format!("{line:?}: {error}"))?;
            keep(number, game);
            Ok(())
        }),
    };
    contests.iter().enumerate().map(job).collect()
}

/// Plays them on the cores of this machine.
fn play_here(
    contests: &[(Match, Results)],
    concurrency: usize,
    enough: &AtomicBool,
    keep: &(dyn Fn(usize, GameRecord) + Sync),
) {
    let all = contests.iter().enumerate();
    let missing: VecDeque<(usize, u64)> = all
        .flat_map(|(place, (contest, results))| contest.missing(results).map(move |number| (place, number)))
        .collect();
    let threads = concurrency.min(missing.len());
    let missing = Mutex::new(missing);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !enough.load(Ordering::Relaxed) {
                    let next = missing.lock().ok().and_then(|mut missing| missing.pop_front());
                    let Some((place, number)) = next else { break };
                    keep(place, contests[place].0.game(number));
                }
            });
        }
    });
}

/// A time control in words.
pub fn control_text(control: Control) -> String {
    match control {
        Control::Free => "free".into(),
        Control::PerMove(time) => format!("{} s a move", time.as_secs_f64()),
        Control::PerGame(time) => format!("{} s a game", time.as_secs_f64()),
        Control::Iterations(count) => format!("{count} iterations a move"),
    }
}
