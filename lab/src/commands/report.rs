//! `lab report`: prints the cross-table of result files with ratings. The page shows it beside the games.

use crate::games::read_games;
use crate::sheet::Sheet;
use otrera::GameRecord;
use otrera::record::standing::Standing;
use std::path::PathBuf;

/// Print the cross-table of result files, with ratings. To see the games, open the files in the page.
#[derive(clap::Args)]
pub struct Args {
    /// Result files, or records in any format that `convert` reads.
    #[arg(required = true)]
    results: Vec<PathBuf>,
}

pub fn run(args: &Args) -> Result<(), String> {
    let games: Result<Vec<_>, _> = args.results.iter().map(|path| read_games(path, u64::MAX)).collect();
    print!("{}", cross_table(&games?.concat()).to_text());
    Ok(())
}

/// Builds a table of ratings, and of wins and losses against each opponent.
pub fn cross_table(games: &[GameRecord]) -> Sheet {
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
            "the results give no finite Elo: each player gets one draw against an average player".into(),
        );
    }
    sheet.notes.push("Elo above the mean of all players, with the half-width of its 95 % interval".into());
    sheet
}
