//! `lab report`: writes results as one HTML file with a cross-table, ratings, and every game on a board.
//!
//! The file is self-contained. The scripts of this folder and of `web/shared/` build the page in the browser, from one
//! embedded JSON object with the standings and the games in the format of [`json`].

pub(crate) mod ratings;

use crate::files::Output;
use crate::games::read_games;
use otrera::GameRecord;
use otrera::record::json;
use ratings::Standing;
use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("page.html");
/// Includes a file of `web/shared/`.
macro_rules! shared {
    ($name:literal) => {
        include_str!(concat!("../../../../web/shared/", $name))
    };
}

/// Style sheets of the page, in order: later ones override earlier ones.
const STYLES: [&str; 8] = [
    shared!("base.css"),
    include_str!("page.css"),
    include_str!("standing.css"),
    include_str!("games.css"),
    shared!("curve.css"),
    shared!("board.css"),
    shared!("moves.css"),
    include_str!("narrow.css"),
];
const SCRIPTS: [&str; 6] = [
    shared!("elements.js"),
    shared!("replay.js"),
    shared!("board.js"),
    shared!("curve.js"),
    include_str!("standing.js"),
    include_str!("page.js"),
];

/// Write a result file as one HTML page.
#[derive(clap::Args)]
pub struct Args {
    /// Result files, or records in any format that `convert` reads.
    #[arg(required = true)]
    results: Vec<PathBuf>,
    /// The page [default: the first result file with extension .html].
    #[arg(long)]
    output: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<(), String> {
    let (own, _) = PAGE.split_once("{{style}}").unwrap_or((PAGE, ""));
    let output = args.output.clone().unwrap_or_else(|| args.results[0].with_extension("html"));
    let output = Output::new(&output, &args.results, &[own])?;
    let mut games = Vec::new();
    for path in &args.results {
        let mut more = read_games(path, u64::MAX)?;
        more.sort_by_key(|game| game.number);
        games.append(&mut more);
    }
    let title = args.results.iter().map(|path| file_name(path)).collect::<Vec<_>>().join(", ");
    output.write(&page(&title, &games))?;
    eprintln!("{} games in {}", games.len(), output.path().display());
    Ok(())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Builds the page. The data is inserted last, so that no part of it is taken for a placeholder.
fn page(title: &str, games: &[GameRecord]) -> String {
    let records: Vec<String> = games.iter().map(json::write).collect();
    let head = serde_json::json!({ "title": title, "standing": Standing::of(games) }).to_string();
    let data = format!("{},\"games\":[\n{}\n]}}", &head[..head.len() - 1], records.join(",\n"));
    PAGE.replace("{{style}}", &STYLES.join("\n"))
        .replace("{{scripts}}", &SCRIPTS.map(without_modules).join("\n"))
        .replace("{{data}}", &escaped_for_html(&data))
}

/// Returns a module of `web/shared/` as a part of one script: without imports and the word `export`.
fn without_modules(script: &str) -> String {
    let lines = script.lines().filter(|line| !line.starts_with("import "));
    lines.map(|line| line.strip_prefix("export ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// Escapes the characters in JSON that could end a script element.
fn escaped_for_html(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;
    use otrera::Position;

    #[test]
    fn names_cannot_break_out_of_the_data() {
        let name = "</script><script>alert(1)</script><!-- {{data}} {{style}}";
        let page = page(name, &[GameRecord::new(name, "b", Position::standard())]);
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count());
        let (_, after) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
        let (data, _) = after.split_once("</script>").unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["games"][0]["black"], name);
        assert_eq!(data["title"], name);
    }

    #[test]
    fn the_page_loads_no_external_resource() {
        let page = page("t", &[]);
        for word in ["http://", "https://", "//www", "src=", "@import", "url("] {
            let foreign = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!foreign.contains(word), "{word}");
        }
    }
}
