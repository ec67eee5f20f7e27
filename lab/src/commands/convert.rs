//! `lab convert`: converts game records between formats.

use crate::files::{MAX_BYTES, Output};
use crate::games::{Input, show_warnings};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use otrera::record::Format;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
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
    let input = Input::open(&args.input, MAX_BYTES)?;
    let of_output = || Format::of_extension(args.output.as_deref()?.extension()?.to_str()?);
    let format = args.to.or_else(of_output).unwrap_or(Format::Json);
    // The first pass finds what cannot be written, before anything is written.
    let (mut count, mut failure) = (0, None);
    let warnings = input.each(&mut |game| {
        count += 1;
        let refusal = |reason| format!("{}: game {count}: {reason}", args.input.display());
        failure = failure.take().or_else(|| format.obstacle(&game).map(refusal));
    })?;
    show_warnings(&args.input, &warnings);
    if args.strict && !warnings.is_empty() {
        return Err(format!("{}: --strict refuses a record with warnings", args.input.display()));
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    let in_one_file = count == 1 || format.holds_many();
    match &args.output {
        None if in_one_file => {
            let mut output = io::BufWriter::new(io::stdout().lock());
            match write_games(&input, format, &mut output).and_then(|()| output.flush()) {
                // The input could not be read again.
                Err(error) if error.kind() == io::ErrorKind::Other => return Err(error.to_string()),
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    return Err(format!("standard output: {error}"));
                }
                _ => {}
            }
        }
        None => {
            let (count, extension) = (count_of_games(count), extension_of(format));
            return Err(format!("{count} need one .{extension} file each: name a folder with --output"));
        }
        Some(path) => {
            if in_one_file && !path.is_dir() {
                let output = Output::new(path, slice::from_ref(&args.input), &[format.beginning()])?;
                output.write_with(|file| write_games(&input, format, file))?;
            } else {
                write_files(&input, format, path, &args.input)?;
            }
            eprintln!("{} in {}", count_of_games(count), path.display());
        }
    }
    Ok(())
}

/// Writes all games, one after the other.
fn write_games(input: &Input, format: Format, file: &mut dyn Write) -> io::Result<()> {
    let mut result = Ok(());
    let read = input.each(&mut |game| {
        let text = format.write(&game).map_err(io::Error::other);
        if result.is_ok() {
            result = text.and_then(|text| file.write_all(text.as_bytes()));
        }
    });
    read.map_err(io::Error::other).and(result)
}

/// Writes each game to a file in a folder, after checking that each can be written, that none is the input and that
/// existing files are records of ours.
fn write_files(input: &Input, format: Format, folder: &Path, source: &PathBuf) -> Result<(), String> {
    let mut paths = Vec::new();
    input.each(&mut |game| {
        let [black, white] = [&game.black, &game.white].map(|name| file_safe(name));
        let number = paths.len() + 1;
        paths.push(folder.join(format!("{number:04}-{black}-{white}.{}", extension_of(format))));
    })?;
    let outputs = paths.iter().map(|path| Output::new(path, slice::from_ref(source), &[format.beginning()]));
    let mut outputs = outputs.collect::<Result<Vec<_>, _>>()?.into_iter();
    let mut result = Ok(());
    input.each(&mut |game| {
        if let (true, Some(output)) = (result.is_ok(), outputs.next()) {
            result = format.write(&game).and_then(|text| output.write(&text));
        }
    })?;
    result
}

/// Returns the extension of the files of a format.
fn extension_of(format: Format) -> &'static str {
    format.extensions().first().copied().unwrap_or_default()
}

/// Returns a parser for the names of formats.
fn format_parser() -> impl TypedValueParser<Value = Format> {
    let of_name = |name: String| Format::ALL.into_iter().find(|format| format.name() == name).ok_or("");
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(of_name)
}

fn count_of_games(count: usize) -> String {
    if count == 1 { "1 game".into() } else { format!("{count} games") }
}

/// Returns a name made safe for file names: its first 40 characters, with `_` for all but letters and digits.
pub fn file_safe(name: &str) -> String {
    name.chars().take(40).map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}
