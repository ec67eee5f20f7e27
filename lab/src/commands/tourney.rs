//! `lab tourney FILE.toml`: plays a round-robin tournament and prints a cross-table with ratings.

use crate::arguments::{parse, read_games};
use crate::cluster::WorkArgs;
use crate::commands::r#match::GameArgs;
use crate::commands::report::cross_table;
use crate::files::{MAX_BYTES, read_text};
use crate::interrupt;
use crate::matches::results::{Existing, Results};
use crate::matches::runner::{self, Match};
use crate::matches::spec::PlayerSpec;
use otrera::GameRecord;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Play a round-robin tournament: every player of a list against every other.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// TOML file of the tournament: `players = ["tournament", "pvs:paper", "greedy"]`, `games = 20` for each pair of
    /// players, and options of the games as for `lab match`, like `time = 0.1`, `size = 8` or `free = true`.
    file: PathBuf,
    /// Folder for results, one file for each pair of players [default: results/NAME for NAME.toml]. An interrupted
    /// tournament resumes from this folder.
    #[arg(long)]
    output: Option<PathBuf>,
    #[command(flatten)]
    work: WorkArgs,
}

/// The players of a tournament and the options of its games.
struct Field {
    players: Vec<PlayerSpec>,
    games: u64,
    options: GameArgs,
}

pub fn run(args: &Args) -> Result<(), String> {
    let text = read_text(&args.file, MAX_BYTES)?;
    let field = Field::read(&text).map_err(|error| format!("{}: {error}", args.file.display()))?;
    let stem = args.file.file_stem().map_or("tourney".into(), |stem| stem.to_string_lossy().into_owned());
    let folder = args.output.clone().unwrap_or_else(|| Path::new("results").join(stem));
    interrupt::advise(format!(
        "; the games so far are in {}; to resume, run the same command",
        folder.display()
    ));
    field.players.iter().try_for_each(|player| player.check(field.options.size))?;
    let matches = field.matches(&folder)?;
    runner::play(&matches, &args.work, &AtomicBool::new(false), &|index| {
        let (matchup, results) = &matches[index];
        let [a, b] = &matchup.players;
        eprintln!("{} v {}: {}/{} games", a.text, b.text, results.count(), matchup.games);
    })?;
    let games: Vec<GameRecord> = matches.iter().flat_map(|(_, results)| results.games()).collect();
    print!("{}", cross_table(&games).to_text());
    println!("results: {}", folder.display());
    Ok(())
}

impl Field {
    fn read(text: &str) -> Result<Self, String> {
        let mut table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        let players = table.remove("players").and_then(|value| value.try_into::<Vec<String>>().ok());
        let players = players.ok_or("players = [\"tournament\", ...] is missing")?;
        let games = table.remove("games").map_or(Ok(10), |value| read_games(&value.to_string()));
        let mut options = Vec::new();
        for (name, value) in table {
            let name = name.replace('_', "-");
            match value {
                toml::Value::Boolean(true) => options.push(format!("--{name}")),
                toml::Value::String(text) => options.push(format!("--{name}={text}")),
                value => options.push(format!("--{name}={value}")),
            }
        }
        let options = parse(&options).map_err(|problem| first_line(&problem))?;
        let distinct: BTreeSet<&String> = players.iter().collect();
        if distinct.len() < players.len().max(2) {
            return Err("expected two or more different players".into());
        }
        let players = players.iter().map(|player| player.parse()).collect::<Result<_, String>>()?;
        Ok(Self { players, games: games.map_err(|valid| format!("games: {valid}"))?, options })
    }

    /// Creates the matches of every player against every other, each with its result file in `folder`.
    fn matches(&self, folder: &Path) -> Result<Vec<(Match, Results)>, String> {
        let mut matches = Vec::new();
        for (row, a) in self.players.iter().enumerate() {
            for (column, b) in self.players.iter().enumerate().skip(row + 1) {
                let matchup = self.options.new_match([a.clone(), b.clone()], self.games)?;
                let path = folder.join(format!("{row}-{column}.jsonl"));
                let results = Results::open(&path, &matchup.conditions(), Existing::Resume)?;
                matches.push((matchup, results));
            }
        }
        Ok(matches)
    }
}

/// Returns the first line of a clap error, without the command-line usage, which does not apply to a file.
fn first_line(problem: &str) -> String {
    problem.lines().next().unwrap_or_default().trim_start_matches("error: ").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tournament_files_are_read_with_their_options() {
        let field =
            Field::read("players = ['random', 'greedy']\ngames = 4\nsize = 6\ntime = 0.05\nplies = 2")
                .unwrap();
        assert!(Field::read("players = ['random', 'greedy']\nfree = true").is_ok());
        assert_eq!((field.players.len(), field.games), (2, 4));
        let players = [0, 1].map(|index| field.players[index].clone());
        let matchup = field.options.new_match(players, 4).unwrap();
        assert_eq!(matchup.conditions()["control"], "0.05 s a move");
        for wrong in [
            "games = 3",
            "players = ['nobody', 'random']",
            "players = ['greedy', 'random']\nsiez = 8",
            "players = ['greedy', 'random']\ngames = 0",
            "players = ['greedy', 'random']\nfree = false",
            "players = ['random', 'random']",
            "players = ['random']",
            "players = 5",
            "[",
        ] {
            assert!(Field::read(wrong).is_err(), "{wrong}");
        }
    }
}
