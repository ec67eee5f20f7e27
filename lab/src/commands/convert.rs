//! `lab convert`: converts game records between formats.

use crate::files::{MAX_BYTES, Output};
use crate::games::read_record;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use otrera::record::Format;
use std::io::Write;
use std::path::PathBuf;
use std::slice;

/// Convert records and shards to JSON, SGF and CCGC text; detects the format of the input.
#[derive(clap::Args)]
pub struct Args {
    /// Game file in any format and encoding: a result file, a shard of self-play, JSON, SGF, or text with moves in any
    /// notation.
    input: PathBuf,
    /// Output format [default: from the extension of --output (.sgf, or .txt for CCGC), else json].
    #[arg(long, value_parser = format_parser())]
    to: Option<Format>,
    /// Output file, different from the input; for several games in SGF or CCGC, a folder [default: standard output].
    #[arg(long)]
    output: Option<PathBuf>,
    /// Fail if a part of the input cannot be read.
    #[arg(long)]
    strict: bool,
}

pub fn run(args: &Args) -> Result<(), String> {
    let reading = read_record(&args.input, MAX_BYTES)?;
    if args.strict && !reading.warnings.is_empty() {
        return Err(format!("{}: --strict refuses a record with warnings", args.input.display()));
    }
    let games = reading.games;
    let of_output = || Format::of_extension(args.output.as_deref()?.extension()?.to_str()?);
    let format = args.to.or_else(of_output).unwrap_or(Format::Json);
    let texts = games.iter().enumerate().map(|(index, game)| {
        let refusal = |reason| format!("{}: game {}: {reason}", args.input.display(), index + 1);
        format.write(game).map_err(refusal)
    });
    let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
    let extension = match format {
        Format::Json => "jsonl",
        Format::Sgf => "sgf",
        Format::Ccgc => "txt",
    };
    let in_one_file = texts.len() == 1 || format == Format::Json;
    match &args.output {
        None if in_one_file => {
            // A closed pipe is not an error.
            let _ = std::io::stdout().write_all(texts.concat().as_bytes());
        }
        None => {
            let count = count_of_games(texts.len());
            return Err(format!("{count} need one .{extension} file each: name a folder with --output"));
        }
        Some(path) => {
            let files = if in_one_file && !path.is_dir() {
                vec![(path.clone(), texts.concat())]
            } else {
                let names = games.iter().zip(1..).map(|(game, number)| {
                    let [black, white] = [&game.black, &game.white].map(|name| file_safe(name));
                    path.join(format!("{number:04}-{black}-{white}.{extension}"))
                });
                names.zip(texts).collect()
            };
            write_files(&files, &args.input)?;
            eprintln!("{} in {}", count_of_games(games.len()), path.display());
        }
    }
    Ok(())
}

/// Returns a parser for the names of output formats: `json`, `sgf`, `ccgc`.
fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(["json", "sgf", "ccgc"]).map(|name: String| match name.as_str() {
        "sgf" => Format::Sgf,
        "ccgc" => Format::Ccgc,
        _ => Format::Json,
    })
}

fn count_of_games(count: usize) -> String {
    if count == 1 { "1 game".into() } else { format!("{count} games") }
}

/// Writes all files, after checking that each can be written and that none is the input.
fn write_files(files: &[(PathBuf, String)], input: &PathBuf) -> Result<(), String> {
    let checked = files.iter().map(|(path, text)| Ok((Output::new(path, slice::from_ref(input))?, text)));
    let checked: Vec<(Output, &String)> = checked.collect::<Result<_, String>>()?;
    checked.into_iter().try_for_each(|(output, text)| output.write(text))
}

/// Returns a name made safe for file names: its first 40 characters, with `_` for all but letters and digits.
pub fn file_safe(name: &str) -> String {
    name.chars().take(40).map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}
