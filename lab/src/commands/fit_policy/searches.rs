//! The searches of `lab fit-policy`: here or on a cluster, and the file that keeps what they find.

use super::{Args, Drawn, Observations, observe};
use crate::cluster::jobs::{self, Job};
use crate::commands::r#match::progress_bar;
use crate::files::Lines;
use crate::interrupt;
use indicatif::ProgressBar;
use otrera::{Limits, Move, Params, Resources, Search};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::VecDeque;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// How often a search visited each move, of those that it did visit; none of a position that is proven, since that was
/// not decided by visits.
pub type Visits = Vec<(Move, u32)>;

/// Searches a position.
fn search(drawn: &Drawn, params: &Params, iterations: u64) -> Visits {
    let resources = Resources { threads: 1, memory: 64 << 20, seed: drawn.seed };
    let mut search = Search::new(drawn.position, params.clone(), resources);
    let report = search.run(&Limits::iterations(iterations), &AtomicBool::new(false), &mut |_| ());
    if report.proven.is_some() || report.lines.iter().any(|line| line.proven.is_some()) {
        return Visits::new();
    }
    report.lines.iter().filter(|line| line.visits > 0).map(|line| (line.mv, line.visits)).collect()
}

/// What is observed in all these positions.
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

/// Does the searches of these numbers, and prints a line for each: a task.
pub fn print(args: &Args, params: &Params, positions: &[Drawn], numbers: Range<u64>) -> Result<(), String> {
    for number in numbers {
        let drawn = positions.get(number as usize);
        let drawn = drawn.ok_or_else(|| format!("there are {} positions", positions.len()))?;
        println!("{}", write(number, &search(drawn, params, args.iterations)));
    }
    Ok(())
}

/// The arguments with which `lab` does these searches, if `--numbers` says which.
fn arguments(args: &Args) -> Vec<String> {
    // Elsewhere the working folder may be another.
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

/// The line of a search.
#[derive(Serialize, Deserialize)]
struct Searched {
    /// Of the position among those that are drawn.
    number: u64,
    /// Moves, and how often they were visited.
    visits: Vec<(String, u32)>,
}

fn write(number: u64, visits: &Visits) -> String {
    let visits: Vec<_> = visits.iter().map(|(mv, visits)| (mv.to_string(), visits)).collect();
    json!({ "number": number, "visits": visits }).to_string()
}

/// The searches of a run, and what was observed so far.
struct Searches<'a> {
    positions: &'a [Drawn],
    found: Vec<Option<Observations>>,
    file: Option<Lines>,
    bar: ProgressBar,
}

impl<'a> Searches<'a> {
    /// With those that the file holds, if there is one.
    fn open(args: &Args, positions: &'a [Drawn]) -> Result<Self, String> {
        let bar = progress_bar(positions.len() as u64);
        let found = positions.iter().map(|_| None).collect();
        let mut searches = Self { positions, found, file: None, bar };
        let Some(path) = &args.searches else { return Ok(searches) };
        let header = json!({
            "searches": args.search,
            "iterations": args.iterations,
            "games": args.games,
            "positions": positions.len(),
            "seed": args.seed,
        });
        let header = header.to_string();
        let problem = |what: &str| format!("{}: {what}", path.display());
        let (mut file, kept) = Lines::open(path, true)?;
        match kept.split_first() {
            None => file.add(&header)?,
            Some((first, rest)) if *first == header => {
                rest.iter().try_for_each(|line| searches.take(line)).map_err(|error| problem(&error))?;
            }
            Some(_) => return Err(problem("holds no searches that this command would make")),
        }
        searches.file = Some(file);
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

    /// Keeps what was observed, and the line in the file.
    fn keep(&mut self, number: usize, observed: Observations, line: Option<&str>) -> Result<(), String> {
        if let (Some(file), Some(line)) = (&mut self.file, line) {
            file.add(line)?;
        }
        self.found[number] = Some(observed);
        self.bar.inc(1);
        Ok(())
    }
}
