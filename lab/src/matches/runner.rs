//! Plays matches, several games concurrently, and writes every game to the result file.

use crate::cluster::WorkArgs;
use crate::cluster::jobs::{self, Job};
use crate::files::checksum;
use crate::interrupt;
use crate::matches::harness::{Harness, Pairing};
use crate::matches::results::{Finished, Results};
use crate::matches::score::side_of_a;
use crate::matches::spec::PlayerSpec;
use crate::play::openings::{Openings, RandomMoves};
use otrera::seed::mix_seed;
use otrera::{GameRecord, Position, Rules, Size};
use otrera_arena::game::{Control, Event, GameSetup};
use otrera_arena::screen::{Screen, Show};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A match between two players: everything that determines its games.
#[derive(Clone, Debug)]
pub struct Match {
    /// A and B. A plays Black in even-numbered games; numbers begin at 0.
    pub players: [PlayerSpec; 2],
    /// Number of games; each opening is played twice, with colours swapped.
    pub games: u64,
    pub size: Size,
    pub control: Control,
    /// Tolerated delay of an answer beyond its time limit.
    pub grace: Duration,
    pub openings: Openings,
    /// Seed of openings and players.
    pub seed: u64,
    /// Win rate at which a game is adjudicated, see [`GameSetup::adjudicate`]; `None` for never.
    pub adjudicate: Option<f32>,
    pub harness: Harness,
    pub show: Show,
    /// True if several games are played at once.
    pub is_parallel: bool,
}

impl Match {
    /// Returns the conditions of the match; a result file resumes only under equal conditions.
    pub fn conditions(&self) -> Value {
        let mut conditions = json!({
            "players": self.players.each_ref().map(|player| &player.text),
            "weights": self.players.each_ref().map(PlayerSpec::weights),
            "size": self.size.edge(),
            "control": self.control.to_string(),
            "grace": self.grace.as_secs_f64(),
            "seed": self.seed,
            "adjudicate": self.adjudicate,
        });
        match &self.openings {
            Openings::Balanced(lines) => conditions["balanced_openings"] = lines.len().into(),
            Openings::Book(_, lines) => {
                let sum = checksum(&format!("{lines:?}"));
                conditions["book"] = format!("{} openings, checksum {sum}", lines.len()).into();
            }
            Openings::Random(RandomMoves { plies, balance }) => {
                conditions["opening_plies"] = (*plies).into();
                conditions["balance"] = (*balance).into();
            }
        }
        if let Some(name) = self.harness.name() {
            conditions["platform"] = name.into();
        }
        conditions
    }

    /// Returns the arguments that make `lab` play this match.
    pub fn arguments(&self) -> Vec<String> {
        let [a, b] = &self.players;
        let mut arguments = vec!["match".to_owned(), a.text.clone(), b.text.clone()];
        let mut add = |name: &str, value: &dyn Display| arguments.push(format!("--{name}={value}"));
        add("games", &self.games);
        add("size", &self.size.edge());
        add("grace", &self.grace.as_secs_f64());
        add("seed", &self.seed);
        match &self.openings {
            Openings::Balanced(_) => {}
            // Absolute, because cluster machines have other working folders.
            Openings::Book(path, _) => {
                add("book", &std::path::absolute(path).unwrap_or_else(|_| path.clone()).display());
            }
            Openings::Random(RandomMoves { plies, balance }) => {
                add("plies", plies);
                add("balance", balance);
            }
        }
        if let Some(rate) = self.adjudicate {
            add("adjudicate", &rate);
        }
        match self.control {
            Control::Free => arguments.push("--free".into()),
            Control::PerMove(time) => add("time", &time.as_secs_f64()),
            Control::PerGame(time) => add("game-time", &time.as_secs_f64()),
            Control::Iterations(count) => add("iterations", &count),
            // No option of a match sets them.
            Control::Turns { .. } => {}
        }
        arguments
    }

    fn missing(&self, results: &Results) -> impl Iterator<Item = u64> + use<> {
        let done: BTreeSet<u64> = results.games().iter().map(|game| game.number).collect();
        (0..self.games).filter(move |number| !done.contains(number))
    }

    /// Returns the start position, with the SAU platform's rules if a player speaks its protocol.
    fn start(&self) -> Position {
        let start = Position::start(self.size);
        if self.players.iter().any(PlayerSpec::speaks_sau) {
            start.with_rules(Rules::SelfBlocking)
        } else {
            start
        }
    }

    /// Returns the seeds of A and B in a game. No player of another game of the match has an equal seed.
    fn seeds(&self, number: u64) -> [u64; 2] {
        [0, 1].map(|player| mix_seed(number * 2 + player, self.seed).wrapping_add(1))
    }

    /// Plays one game and returns its line for the result file.
    pub fn line(&self, number: u64) -> Result<String, String> {
        Ok(self.game(number)?.to_line())
    }

    /// Plays one game. Its number and the match's seed determine all random choices. Fails if a fault cannot be
    /// injected.
    pub fn game(&self, number: u64) -> Result<Finished, String> {
        let start = self.start();
        let opening = self.openings.opening(&start, self.seed, number / 2);
        let (control, grace, adjudicate) = (self.control, self.grace, self.adjudicate);
        let setup = GameSetup { start, opening, control, grace, adjudicate };
        let pairing = Pairing { number, players: &self.players, seeds: self.seeds(number) };
        let mut names = self.players.each_ref().map(|player| player.text.clone());
        names.rotate_left(side_of_a(number).index());
        let [black, white] = names;
        let mut screen = Screen::new(self.show, self.is_parallel);
        screen.begin(&format!("game {}: {black} against {white}", number + 1), &setup.start);
        let (record, facts) = self.harness.play(&pairing, &setup, &mut |position, ply, event| {
            if let Event::Moved(played) = event {
                screen.moved(position, ply, played);
            }
        })?;
        screen.end();
        let game = GameRecord {
            number,
            black,
            white,
            when: chrono::Local::now().format("%Y.%m.%d %H:%M").to_string(),
            event: "lab match".into(),
            control: self.control.to_string(),
            ..record
        };
        Ok(Finished { game, facts })
    }
}

/// Plays all games that are missing from the results of the `matches`, until `enough` is set. Calls `progress` with
/// the index of the match after each game. A result that cannot be written ends the program.
pub fn play(
    matches: &[(Match, Results)],
    work: &WorkArgs,
    enough: &AtomicBool,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<(), String> {
    let lines: Vec<_> = matches.iter().map(|(matchup, _)| |number| matchup.line(number)).collect();
    let jobs = matches.iter().zip(&lines).enumerate().map(|(index, ((matchup, results), line))| Job {
        arguments: matchup.arguments(),
        missing: matchup.missing(results).collect(),
        work: line,
        take: Box::new(move |line: &str| {
            let finished = Finished::read(line).map_err(|error| format!("{line:?}: {error}"))?;
            results.add(finished).unwrap_or_else(|error| interrupt::give_up(&error));
            progress(index);
            Ok(())
        }),
    });
    jobs::run(work, jobs.collect(), enough)
}

#[cfg(test)]
mod tests {
    use super::*;
    use otrera::Move;
    use otrera::eval::weights::WeightsFile;
    use testkit::Folder;

    const PLIES: usize = 3;

    /// A match between random players on 6x6.
    fn random_match(plies: usize, seed: u64) -> Match {
        Match {
            players: ["random", "random"].map(|player| player.parse().unwrap()),
            games: 8,
            size: Size::new(6).unwrap(),
            control: Control::Free,
            grace: Duration::ZERO,
            openings: Openings::Random(RandomMoves { plies: plies as u32, balance: 0.5 }),
            seed,
            adjudicate: None,
            harness: Harness::Plain,
            show: Show::None,
            is_parallel: false,
        }
    }

    fn games(matchup: &Match) -> Vec<Vec<Move>> {
        (0..matchup.games).map(|number| matchup.game(number).unwrap().game.played_moves()).collect()
    }

    fn count_different<T: Ord>(items: impl IntoIterator<Item = T>) -> usize {
        items.into_iter().collect::<BTreeSet<T>>().len()
    }

    #[test]
    fn a_match_resumes_neither_with_other_weights_nor_with_another_grace() {
        let folder = Folder::new("runner-weights");
        let file = folder.join("weights.json");
        let conditions = |text: &str, grace| {
            std::fs::write(&file, text).unwrap();
            let mut matchup = Match { grace: Duration::from_secs(grace), ..random_match(PLIES, 3) };
            matchup.players[1] = format!("tournament,model={}", file.display()).parse().unwrap();
            matchup.conditions()
        };
        let first = conditions(WeightsFile::BUILT_IN, 0);
        assert_eq!(first["weights"][0], Value::Null);
        assert_eq!(conditions(WeightsFile::BUILT_IN, 0), first);
        assert_ne!(conditions(&format!("{}\n", WeightsFile::BUILT_IN), 0), first);
        assert_ne!(conditions(WeightsFile::BUILT_IN, 1), first);
    }

    #[test]
    fn the_games_of_a_pair_share_an_opening() {
        let openings: Vec<_> =
            games(&random_match(PLIES, 3)).into_iter().map(|moves| moves[..PLIES].to_vec()).collect();
        for pair in openings.chunks(2) {
            assert_eq!(pair[0], pair[1]);
        }
        let shown = openings.iter().step_by(2).map(|opening| format!("{opening:?}"));
        assert_eq!(count_different(shown), openings.len() / 2, "pairs differ");
    }

    #[test]
    fn each_player_of_each_game_has_a_seed_that_depends_on_the_match() {
        let matches = [3, 4].map(|seed| random_match(0, seed));
        let seeds = matches.iter().flat_map(|matchup| (0..100).flat_map(|number| matchup.seeds(number)));
        assert_eq!(count_different(seeds), 400);
        // Without an opening, only the seeds make the games of random players differ.
        let played: Vec<_> = matches.iter().flat_map(games).collect();
        assert_eq!(count_different(played.iter().map(|moves| format!("{moves:?}"))), 16);
        assert_eq!(games(&matches[0]), played[..8], "a match is reproducible");
    }
}
