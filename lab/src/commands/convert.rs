//! `lab convert`: records of games from one written form into another, and the reading of records that
//! other commands share.

use crate::files::{MAX_BYTES, Output, read_text};
use clap::ValueEnum;
use otrera::GameRecord;
use otrera::record::{self, ccgc, json, sgf};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::slice;

/// A written form of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// One line of JSON a game, with all that is known.
    Json,
    /// Smart Game Format, for board viewers.
    Sgf,
    /// The text of the Chinese championships.
    Ccgc,
}

/// Records of games from one form into another; the form of the input is found from its content.
#[derive(clap::Args)]
pub struct Args {
    /// The records: a results file, JSON lines, SGF or CCGC text; or the moves of a game, in the SAU platform's letters
    /// too.
    input: PathBuf,
    /// The form to write; by default what the end of --output says (.sgf, .txt for CCGC), else JSON.
    #[arg(long)]
    to: Option<Format>,
    /// A file, or a folder for several games in SGF or CCGC; by default standard output. Never the
    /// input.
    #[arg(long)]
    output: Option<PathBuf>,
}

/// Converts a file.
///
/// # Errors
/// What could not be read or written, as a message.
pub fn run(args: &Args) -> Result<(), String> {
    let games = games_of(&args.input, MAX_BYTES)?;
    let format = args.to.unwrap_or_else(|| Format::of_path(args.output.as_deref()));
    let texts = games.iter().enumerate().map(|(index, game)| {
        let refusal = |reason| format!("{}: game {}: {reason}", args.input.display(), index + 1);
        format.write(game).map_err(refusal)
    });
    let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
    let in_one_file = texts.len() == 1 || format == Format::Json;
    match &args.output {
        None if in_one_file => {
            // Whoever reads may stop early.
            let _ = std::io::stdout().write_all(texts.concat().as_bytes());
        }
        None => {
            let count = count_of_games(texts.len());
            return Err(format!(
                "{count} do not go into one .{}: name a folder with --output",
                format.extension()
            ));
        }
        Some(path) => {
            let files = if in_one_file && !path.is_dir() {
                vec![(path.clone(), texts.concat())]
            } else {
                let names =
                    games.iter().zip(1..).map(|(game, number)| path.join(format.file_name(number, game)));
                names.zip(texts).collect()
            };
            write_files(&files, &args.input)?;
            eprintln!("{} in {}", count_of_games(games.len()), path.display());
        }
    }
    Ok(())
}

impl Format {
    /// The form that a file's name promises.
    fn of_path(path: Option<&Path>) -> Self {
        match path.and_then(Path::extension).and_then(|extension| extension.to_str()) {
            Some("sgf") => Self::Sgf,
            Some("txt") => Self::Ccgc,
            _ => Self::Json,
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Json => "jsonl",
            Self::Sgf => "sgf",
            Self::Ccgc => "txt",
        }
    }

    /// The name of a game's own file.
    fn file_name(self, number: usize, game: &GameRecord) -> String {
        let [black, white] = [file_safe(&game.black), file_safe(&game.white)];
        format!("{number:04}-{black}-{white}.{}", self.extension())
    }

    /// The game as a file's text, unless this form cannot hold it.
    fn write(self, game: &GameRecord) -> Result<String, String> {
        match self {
            Self::Json => Ok(json::write(game) + "\n"),
            Self::Sgf => Ok(sgf::write(game)),
            Self::Ccgc => ccgc::obstacle(game).map_or_else(|| Ok(ccgc::write(game)), Err),
        }
    }
}

fn count_of_games(count: usize) -> String {
    if count == 1 { "1 game".into() } else { format!("{count} games") }
}

/// Writes texts into files, none of which is the input; all are checked before the first is written.
fn write_files(files: &[(PathBuf, String)], input: &PathBuf) -> Result<(), String> {
    let checked = files.iter().map(|(path, text)| Ok((Output::new(path, slice::from_ref(input))?, text)));
    let checked: Vec<(Output, &String)> = checked.collect::<Result<_, String>>()?;
    checked.into_iter().try_for_each(|(output, text)| output.write(text))
}

/// A name with nothing in it that some file system forbids, and not too long for any.
fn file_safe(name: &str) -> String {
    name.chars().take(40).map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

/// All games of a file, in whatever form; every move of them is legal.
///
/// # Errors
/// What cannot be read, and where; the game and the ply of an illegal move.
pub fn read_games(path: &Path) -> Result<Vec<GameRecord>, String> {
    games_of(path, u64::MAX)
}

/// Likewise of a file of at most `most` bytes.
fn games_of(path: &Path, most: u64) -> Result<Vec<GameRecord>, String> {
    let problem = |what: String| format!("{}: {what}", path.display());
    let games = record::read(&read_text(path, most)?).map_err(|error| problem(error.to_string()))?;
    match (1..).zip(&games).find_map(|(number, game)| Some((number, game.first_illegal()?))) {
        Some((number, (ply, mv, error))) => Err(problem(format!("game {number}, ply {ply}, {mv}: {error}"))),
        None => Ok(games),
    }
}
