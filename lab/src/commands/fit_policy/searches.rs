//! The searches of `lab fit-policy`, on this machine or a cluster, and the file that keeps them.

use super::Args;
use super::observations::{Drawn, Observations, Visits, observe};
use crate::cluster::jobs::{self, Job};
use crate::files::LineLog;
use crate::interrupt;
use crate::play::player::{iterate, search_of};
use crate::progress::progress_bar;
use otrera::Params;
use serde::Deserialize;
use serde_json::json;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Searches a position and returns the line with its visits.
pub fn search(args: &Args, params: &Params, positions: &[Drawn], number: u64) -> Result<String, String> {
    let drawn = positions.get(number as usize);
    let drawn = drawn.ok_or_else(|| format!("there are {} positions", positions.len()))?;
    let mut search = search_of(&drawn.position, params.clone(), 64, drawn.seed);
    let report = iterate(&mut search, args.iterations);
    let is_proven = report.proven.is_some() || report.lines.iter().any(|line| line.proven.is_some());
    let visited = report.lines.iter().filter(|line| line.visits > 0 && !is_proven);
    let visits: Vec<_> = visited.map(|line| (line.mv.to_string(), line.visits)).collect();
    Ok(json!({ "number": number, "visits": visits }).to_string())
}

/// Searches all positions that the file lacks, and returns the observations of all.
pub fn all(args: &Args, params: &Params, positions: &[Drawn]) -> Result<Vec<Observations>, String> {
    let mut searches = Searches::open(args, positions)?;
    let missing = searches.missing();
    if let Some(path) = &args.searches {
        let path = path.display();
        interrupt::advise(format!("; the searches so far are in {path}: the same command goes on"));
    }
    let bar = progress_bar(positions.len() as u64).with_position((positions.len() - missing.len()) as u64);
    let take = |line: &str| {
        bar.inc(1);
        searches.take(line)
    };
    let work = |number| search(args, params, positions, number);
    let job = Job { arguments: arguments(args), missing, work: &work, take: Box::new(take) };
    jobs::run(&args.work, vec![job], &AtomicBool::new(false))?;
    bar.finish_and_clear();
    Ok(searches.found.into_iter().flatten().collect())
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

#[derive(Deserialize)]
struct Searched {
    number: u64,
    visits: Vec<(String, u32)>,
}

struct Searches<'a> {
    positions: &'a [Drawn],
    found: Vec<Option<Observations>>,
    log: Option<LineLog>,
}

impl<'a> Searches<'a> {
    /// Begins with the searches of the file, if there is one.
    fn open(args: &Args, positions: &'a [Drawn]) -> Result<Self, String> {
        let mut searches = Self { positions, found: positions.iter().map(|_| None).collect(), log: None };
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

    /// Takes the line of a search, and logs it.
    fn take(&mut self, line: &str) -> Result<(), String> {
        let problem = |error: &dyn std::fmt::Display| format!("{line:?}: {error}");
        let Searched { number, visits } = serde_json::from_str(line).map_err(|error| problem(&error))?;
        let drawn = self.positions.get(number as usize).ok_or_else(|| problem(&"no such position"))?;
        let read =
            |(mv, visits): (String, u32)| mv.parse().map(|mv| (mv, visits)).map_err(|error| problem(&error));
        let visits: Visits = visits.into_iter().map(read).collect::<Result<_, _>>()?;
        self.found[number as usize] = Some(observe(drawn, &visits));
        self.log.as_mut().map_or(Ok(()), |log| log.add(line))
    }
}
