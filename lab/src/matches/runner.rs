//! Plays the games of a match, several at once, and keeps every result.

use crate::cluster::Cluster;
use crate::interrupt;
use crate::matches::results::Results;
use crate::matches::spec::PlayerSpec;
use crate::play::openings::Openings;
use crate::play::referee;
use crate::play::referee::{Conditions, Control};
use otrera::record::json;
use otrera::{GameRecord, Position, Rules, Size};
use serde_json::{Value, json};
use std::collections::BTreeSet;
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
            "book": self.openings.book.len(),
            "seed": self.openings.seed,
            "adjudicate": self.adjudicate,
        })
    }

    /// Plays all games that are not in `results` yet, `concurrency` at once, until all are there or
    /// `enough` is raised. `progress` is called after each. Where a result cannot be written everything ends: those
    /// of the games under way could not be either.
    pub fn play(
        &self,
        results: &Results,
        concurrency: usize,
        enough: &AtomicBool,
        progress: &(dyn Fn(&Results) + Sync),
    ) {
        let missing = Mutex::new(self.missing(results));
        let threads = concurrency.min(usize::try_from(self.games).unwrap_or(usize::MAX));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while !enough.load(Ordering::Relaxed) {
                        let Some(number) = missing.lock().ok().and_then(|mut missing| missing.next()) else {
                            break;
                        };
                        results.add(self.game(number)).unwrap_or_else(|error| interrupt::give_up(&error));
                        progress(results);
                    }
                });
            }
        });
    }

    /// The same on the cluster of this address, see [`Cluster::join`].
    ///
    /// # Errors
    /// There is no such cluster, or it cannot play these games.
    pub fn play_on(
        &self,
        address: &str,
        results: &Results,
        enough: &AtomicBool,
        progress: &dyn Fn(&Results),
    ) -> Result<(), String> {
        let take = |line: &str| {
            let record = json::read(line).map_err(|error| format!("{line:?}: {error}"))?;
            results.add(record).unwrap_or_else(|error| interrupt::give_up(&error));
            progress(results);
            Ok(())
        };
        Cluster::join(address)?.play(self.missing(results).collect(), enough, &take)
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

/// Cores of this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
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
