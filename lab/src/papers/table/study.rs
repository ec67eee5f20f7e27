//! Functions shared by the tables: playing the games, statistics, and output.

use crate::cluster::WorkArgs;
use crate::files::{Output, PLOT};
use crate::interrupt;
use crate::matches::harness::Harness;
use crate::matches::results::{Existing, Results};
use crate::matches::runner::{self, Match};
use crate::matches::score::Score;
use crate::matches::spec::PlayerSpec;
use crate::play::openings::{Openings, RandomMoves};
use crate::plot::Plot;
use crate::sheet::Sheet;
use crate::stats::wilson;
use otrera::{GameRecord, Resources, Size};
use otrera_arena::game::Control;
use otrera_arena::screen::Show;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub struct Study {
    pub quick: bool,
    pub seed: u64,
    pub work: WorkArgs,
    pub folder: PathBuf,
}

/// A cell of a table: the name of its result file, and its match.
pub type Cell = (String, Match);

impl Study {
    /// Plays the games of all cells and returns them by cell; does not repeat games saved by an interrupted run.
    pub fn games(&self, cells: Vec<Cell>) -> Result<Vec<Vec<GameRecord>>, String> {
        let (mut names, mut matches) = (Vec::new(), Vec::new());
        for (name, matchup) in cells {
            let path = self.folder.join(format!("{name}.jsonl"));
            let results = Results::open(&path, &matchup.conditions(), Existing::Resume)?;
            names.push(name);
            matches.push((matchup, results));
        }
        let folder = self.folder.display();
        interrupt::advise(format!("; the games so far are in {folder}; to resume, run the same command"));
        runner::play(&matches, &self.work, &AtomicBool::new(false), &|index| {
            let (matchup, results) = &matches[index];
            let done = results.count() as u64;
            if done.is_multiple_of(10) || done == matchup.games {
                eprintln!("{}: {done}/{} games", names[index], matchup.games);
            }
        })?;
        let games = |(matchup, results): &(Match, Results)| {
            results.games().into_iter().take(matchup.games as usize).collect()
        };
        Ok(matches.iter().map(games).collect())
    }

    /// Creates a match on 10x10, with openings of `plies` random plies.
    pub fn new_match(
        &self,
        [a, b]: [&str; 2],
        games: u64,
        control: Control,
        plies: u32,
    ) -> Result<Match, String> {
        Ok(Match {
            players: [a.parse::<PlayerSpec>()?, b.parse::<PlayerSpec>()?],
            games,
            size: Size::STANDARD,
            control,
            // Generous: some baselines ignore the clock, which these tables do not test.
            grace: Duration::from_secs(60),
            openings: Openings::Random(RandomMoves { plies, ..RandomMoves::DEFAULT }),
            seed: self.seed,
            adjudicate: None,
            harness: Harness::Plain,
            show: Show::None,
            is_parallel: true,
        })
    }

    pub fn publish(&self, name: &str, sheet: &Sheet, plot: Option<&Plot>) -> Result<(), String> {
        print!("{}", sheet.to_text());
        let csv = Output::new(&self.folder.join(format!("{name}.csv")), &[], &[&sheet.header[0]])?;
        csv.write(&sheet.to_csv())?;
        println!("written: {}", csv.path().display());
        if let Some(plot) = plot {
            let svg = self.folder.join(format!("{name}.svg"));
            plot.write(&Output::new(&svg, &[], PLOT)?)?;
            println!("written: {}", svg.display());
        }
        Ok(())
    }
}

/// Replaces `:`, `,`, `=` and `+` in a player or its parameters by `_`, for use in a file name.
pub fn file_name(text: &str) -> String {
    text.replace([':', ',', '=', '+'], "_")
}

/// Returns the 95 % interval of a win rate in per cent; 0 to 100 if there are no games.
pub fn percent_interval(wins: u64, games: u64) -> (f64, f64) {
    wilson(wins, games).map_or((0.0, 100.0), |interval| (100.0 * interval.low, 100.0 * interval.high))
}

pub fn percent(score: &Score) -> f64 {
    100.0 * score.tally.share()
}

/// Returns the name of the processor and the number of cores.
pub fn machine() -> String {
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    format!("{} ({} cores)", model.unwrap_or_else(|| std::env::consts::ARCH.into()), Resources::cores())
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Study {
        pub fn in_test() -> Self {
            Self { quick: true, seed: 7, work: WorkArgs::default(), folder: PathBuf::new() }
        }
    }

    #[test]
    fn a_cell_has_the_expected_match_arguments() {
        let study = Study::in_test();
        let time = Control::PerMove(Duration::from_millis(200));
        let matchup = study.new_match(["paper,rollouts=4+5", "pvs:paper"], 20, time, 4).unwrap();
        let expected = "match paper,rollouts=4+5 pvs:paper --games=20 --size=10 --grace=60 --seed=7 --plies=4 \
                        --balance=0.15 --time=0.2";
        assert_eq!(matchup.arguments().join(" "), expected);
    }
}
