//! Writes man pages and shell completions of `otrera` into a folder: `make manual`. It is an example, which keeps clap and
//! its libraries out of the program.

use clap::{Arg, ArgAction, Command};
use clap_complete::Shell;
use otrera_bot::cli::{Described, reference};
use std::path::Path;

fn main() -> Result<(), String> {
    let folder = std::env::args_os().nth(1).ok_or("expected a folder for the pages")?;
    write(Path::new(&folder)).map_err(|error| error.to_string())
}

fn write(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let program = program();
    clap_mangen::generate_to(program.clone(), folder)?;
    for shell in [Shell::Bash, Shell::Fish, Shell::Zsh, Shell::PowerShell] {
        clap_complete::generate_to(shell, &mut program.clone(), "otrera", folder)?;
    }
    Ok(())
}

/// Returns the command line of the program.
fn program() -> Command {
    let program = Command::new("otrera")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Otrera plays the Game of the Amazons")
        .long_about(
            "Without a command, Otrera detects the platform that started it from the first line of input.",
        )
        .disable_help_subcommand(true);
    program.subcommands(reference().into_iter().map(command))
}

fn command(described: Described) -> Command {
    let Described { name, argument, meaning, options } = described;
    let options = options.into_iter().map(|(name, value, help)| {
        let option = Arg::new(name).long(name).help(help);
        if value.is_empty() { option.action(ArgAction::SetTrue) } else { option.value_name(value) }
    });
    let command = Command::new(name).about(meaning).args(options);
    if argument.is_empty() {
        command
    } else {
        command.arg(Arg::new(argument).value_name(argument).required(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_is_consistent() {
        program().debug_assert();
    }
}
