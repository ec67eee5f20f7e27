//! `lab tourney FILE.toml`: every player of a field against every other, a cross-table and ratings.
//!
//! ```toml
//! players = ["tournament", "paper", "pvs:paper", "alphabeta:territory"]
//! games = 20          # of each pair of players
//! time = 0.1          # and whatever else `lab match` takes: size, plies, balance, seed, grace, ...
//! ```

use crate::arguments::WorkArgs;
use crate::commands::r#match::ConditionArgs;
use crate::commands::report::ratings::Standing;
use crate::files::{MAX_BYTES, read_text};
use crate::interrupt;
use crate::matches::results::{Earlier, Results};
use crate::matches::runner::{self, Match};
use crate::matches::spec::PlayerSpec;
use crate::papers::table::sheet::Sheet;
use clap::Parser;
use otrera::GameRecord;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Arguments of `lab tourney`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The field and the conditions, in TOML, a line each: `players = ["tournament", "pvs:paper", "greedy"]`,
    /// `games = 20` of each pair, and what else `lab match` takes, as `time = 0.1` or `size = 8`
    file: PathBuf,
    /// The folder for results, one file for each pair of players. A tournament that was interrupted goes on
    /// where it stopped.
    #[arg(long)]
    output: Option<PathBuf>,
    #[command(flatten)]
    work: WorkArgs,
}

/// The conditions as `lab match` reads them.
#[derive(Parser)]
struct Conditions {
    #[command(flatten)]
    conditions: ConditionArgs,
    #[command(flatten)]
    work: WorkArgs,
}

/// A field of players and the conditions they meet under.
struct Field {
    players: Vec<PlayerSpec>,
    games: u64,
    conditions: ConditionArgs,
    work: WorkArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), String> {
    let text = read_text(&args.file, MAX_BYTES)?;
    let field = Field::read(&text).map_err(|error| format!("{}: {error}", args.file.display()))?;
    let stem = args.file.file_stem().map_or("tourney".into(), |stem| stem.to_string_lossy().into_owned());
    let folder = args.output.clone().unwrap_or_else(|| Path::new("results").join(stem));
    interrupt::advise(format!("; the games so far are in {}: the same command goes on", folder.display()));
    field.players.iter().try_for_each(PlayerSpec::check_start)?;
    field.players.iter().try_for_each(|player| player.check_board(field.conditions.size()))?;
    let contests = field.contests(&folder)?;
    let games = play(&contests, &args.work.or(&field.work))?;
    print!("{}", cross_table(&games).to_text());
    println!("results: {}", folder.display());
    Ok(())
}

impl Field {
    fn read(text: &str) -> Result<Self, String> {
        let mut table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        let players = table.remove("players").and_then(|value| value.try_into::<Vec<String>>().ok());
        let players = players.ok_or("players = [\"tournament\", ...] is missing")?;
        let games =
            table.remove("games").map_or(Some(10), |value| value.try_into().ok().filter(|games| *games > 0));
        let mut options = vec!["conditions".to_owned()];
        for (name, value) in table {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            options.push(format!("--{}={text}", name.replace('_', "-")));
        }
        let Conditions { conditions, work } =
            Conditions::try_parse_from(options).map_err(|error| first_line(&error.to_string()))?;
        let distinct: BTreeSet<&String> = players.iter().collect();
        if distinct.len() < players.len().max(2) {
            return Err("two players or more are wanted, each of them once".into());
        }
        let players = players.iter().map(|player| player.parse()).collect::<Result<_, String>>()?;
        Ok(Self { players, games: games.ok_or("games is a whole number from 1")?, conditions, work })
    }

    /// Everybody against everybody, and the results so far, one file in this folder for each two.
    fn contests(&self, folder: &Path) -> Result<Vec<(Match, Results)>, String> {
        let mut contests = Vec::new();
        for (row, a) in self.players.iter().enumerate() {
            for (column, b) in self.players.iter().enumerate().skip(row + 1) {
                let contest = self.conditions.new_match([a.clone(), b.clone()], self.games)?;
                let path = folder.join(format!("{row}-{column}.jsonl"));
                let results = Results::open(&path, &contest.conditions(), Earlier::Kept)?;
                contests.push((contest, results));
            }
        }
        Ok(contests)
    }
}

/// All games of these matches, those of an interrupted run not played again.
fn play(contests: &[(Match, Results)], work: &WorkArgs) -> Result<Vec<GameRecord>, String> {
    runner::play(contests, work, &AtomicBool::new(false), &|place| {
        let (contest, results) = &contests[place];
        let [a, b] = &contest.players;
        eprintln!("{} v {}: {}/{} games", a.text, b.text, results.count(), contest.games);
    })?;
    Ok(contests.iter().flat_map(|(_, results)| results.games()).collect())
}

/// What is wrong, without the usage of a command line that nobody wrote.
fn first_line(problem: &str) -> String {
    problem.lines().next().unwrap_or_default().trim_start_matches("error: ").into()
}

/// Wins of each player against each other one, and ratings.
fn cross_table(games: &[GameRecord]) -> Sheet {
    let standing = Standing::of(games);
    let numbers: Vec<String> = (1..=standing.players.len()).map(|number| number.to_string()).collect();
    let mut header = vec!["player", "Elo", "+-"];
    header.extend(numbers.iter().map(String::as_str));
    header.push("won");
    let mut sheet = Sheet::new(format!("{} games", games.len()), &header);
    for (row, player) in standing.players.iter().enumerate() {
        let mut cells = vec![
            format!("{} {}", row + 1, player.name),
            format!("{:+.0}", player.elo),
            format!("{:.0}", player.margin),
        ];
        let (mut won, mut played) = (0, 0);
        for column in 0..standing.players.len() {
            let (wins, losses) = (standing.wins[row][column], standing.wins[column][row]);
            (won, played) = (won + wins, played + wins + losses);
            cells.push(if row == column { "-".into() } else { format!("{wins}-{losses}") });
        }
        cells.push(format!("{:.1}%", 100.0 * f64::from(won) / f64::from(played.max(1))));
        sheet.row(cells);
    }
    if standing.anchored {
        sheet.notes.push(
            "each player was given a draw against the average: the results alone set no finite distance"
                .into(),
        );
    }
    sheet.notes.push("Elo above the mean of the field, with the half width of its 95 % interval".into());
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_read_with_its_conditions() {
        let field =
            Field::read("players = ['random', 'greedy']\ngames = 4\nsize = 6\ntime = 0.05\nplies = 2")
                .unwrap();
        assert_eq!((field.players.len(), field.games), (2, 4));
        let contest =
            field.conditions.new_match([field.players[0].clone(), field.players[1].clone()], 4).unwrap();
        assert_eq!(contest.conditions()["control"], "0.05 s a move");
        for wrong in [
            "games = 3",
            "players = ['nobody', 'random']",
            "players = ['greedy', 'random']\nsiez = 8",
            "players = ['greedy', 'random']\ngames = 0",
            "players = ['random', 'random']",
            "players = ['random']",
            "players = 5",
            "[",
        ] {
            assert!(Field::read(wrong).is_err(), "{wrong}");
        }
    }
}
