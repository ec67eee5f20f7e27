//! The searches of `lab fit-policy`, on this machine or a cluster, and the file that keeps them.

use super::args::Args;
use super::observations::{Drawn, Observations, Visits, observe};
use crate::cluster::jobs::{self, Job};
use crate::files::LineLog;
use crate::interrupt;
use crate::play::player::run_search;
use crate::progress::progress_bar;
use indicatif::ProgressBar;
use otrera::{Limits, Params, Resources, Search};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::VecDeque;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

fn search(drawn: &Drawn, params: &Params, iterations: u64) -> Visits {
    let resources = Resources { threads: 1, memory: 64 << 20, seed: drawn.seed };
    let mut search = Search::new(drawn.position, params.clone(), resources);
    let report = run_search(&mut search, &Limits::iterations(iterations));
    if report.proven.is_some() || report.lines.iter().any(|line| line.proven.is_some()) {
        return Visits::new();
    }
    report.lines.iter().filter(|line| line.visits > 0).map(|line| (line.mv, line.visits)).collect()
}

/// Searches all positions that the file lacks, and returns the observations of all.
pub fn all(args: &Args, params: &Params, positions: &[Drawn]) -> Result<Vec<Observations>, String> {
    let mut searches = Searches::open(args, positions)?;
    let missing = searches.missing();
    if let Some(path) = &args.searches {
        let path = path.display();
        interrupt::advise(format!("; the searches so far are in {path}: the same command goes on"));
    }
    if let Some(address) = &args.work.cluster {
        let take = |line: &str| searches.take(line);
        let job = Job { arguments: arguments(args), missing, take: Box::new(take) };
        jobs::run(address, vec![job], &AtomicBool::new(false))?;
    } else {
        let kept = Mutex::new(&mut searches);
        let search_one = |number: u64| {
            let drawn = &positions[number as usize];
            let visits = search(drawn, params, args.iterations);
            let observed = observe(drawn, &visits);
            let line = args.searches.is_some().then(|| write(number, &visits));
            let mut kept = kept.lock().map_err(|error| error.to_string())?;
            kept.keep(number as usize, observed, line.as_deref())
        };
        let missing: Vec<u64> = missing.into();
        args.work.pool()?.install(|| missing.into_par_iter().try_for_each(search_one))?;
    }
    searches.bar.finish_and_clear();
    Ok(searches.found.into_iter().flatten().collect())
}

/// Searches the positions of these numbers and prints a line for each: a task of a cluster.
pub fn print(args: &Args, params: &Params, positions: &[Drawn], numbers: Range<u64>) -> Result<(), String> {
    for number in numbers {
        let drawn = positions.get(number as usize);
        let drawn = drawn.ok_or_else(|| format!("there are {} positions", positions.len()))?;
        println!("{}", write(number, &search(drawn, params, args.iterations)));
    }
    Ok(())
}

/// The arguments with which `lab` does these searches, without `--numbers`.
fn arguments(args: &Args) -> Vec<String> {
    // Another machine has another working folder.
    let path =
        |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone()).display().to_string();
    let games = args.games.iter().map(path);
    let options = [
        format!("--search={}", args.search),
        format!("--positions={}", args.positions),
        format!("--iterations={}", args.iterations),
        format!("--seed={}", args.seed),
    ];
    std::iter::once("fit-policy".into()).chain(games).chain(options).collect()
}

#[derive(Serialize, Deserialize)]
struct Searched {
    number: u64,
    visits: Vec<(String, u32)>,
}

fn write(number: u64, visits: &Visits) -> String {
    let visits: Vec<_> = visits.iter().map(|(mv, visits)| (mv.to_string(), visits)).collect();
    json!({ "number": number, "visits": visits }).to_string()
}

struct Searches<'a> {
    positions: &'a [Drawn],
    found: Vec<Option<Observations>>,
    log: Option<LineLog>,
    bar: ProgressBar,
}

impl<'a> Searches<'a> {
    /// Begins with the searches of the file, if there is one.
    fn open(args: &Args, positions: &'a [Drawn]) -> Result<Self, String> {
        let bar = progress_bar(positions.len() as u64);
        let found = positions.iter().map(|_| None).collect();
        let mut searches = Self { positions, found, log: None, bar };
        let Some(path) = &args.searches else { return Ok(searches) };
        let header = json!({
            "searches": args.search,
            "iterations": args.iterations,
            "games": args.games,
            "positions": positions.len(),
            "seed": args.seed,
        });
        searches.log =
            Some(LineLog::open(path, true, Some(&header.to_string()), |line| searches.take(line))?);
        Ok(searches)
    }

    fn missing(&self) -> VecDeque<u64> {
        let found = (0..).zip(&self.found);
        found.filter(|(_, found)| found.is_none()).map(|(number, _)| number).collect()
    }

    /// Takes the line of a search.
    fn take(&mut self, line: &str) -> Result<(), String> {
        let problem = |error: &dyn std::fmt::Display| format!("{line:?}: {error}");
        let Searched { number, visits } = serde_json::from_str(line).map_err(|error| problem(&error))?;
        let drawn = self.positions.get(number as usize).ok_or_else(|| problem(&"no such position"))?;
        let read =
            |(mv, visits): (String, u32)| mv.parse().map(|mv| (mv, visits)).map_err(|error| problem(&error));
        let visits: Visits = visits.into_iter().map(read).collect::<Result<_, _>>()?;
        self.keep(number as usize, observe(drawn, &visits), Some(line))
    }

    /// Keeps an observation, and its line in the file.
    fn keep(&mut self, number: usize, observed: Observations, line: Option<&str>) -> Result<(), String> {
        if let (Some(log), Some(line)) = (&mut self.log, line) {
            log.add(line)?;
        }
        self.found[number] = Some(observed);
        self.bar.inc(1);
        Ok(())
    }
}
