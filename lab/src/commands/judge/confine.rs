//! `lab confine`: replaces itself with another program, which cannot start other programs.
//!
//! A seccomp filter cannot tell the first `execve` from a later one, but it can compare the memory address of the path
//! argument. The filter allows only the address of our own string. The new program has another address space, so its
//! calls are refused.

use clap::ValueEnum;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Effect of a call to `execve` or `execveat` that the filter refuses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Refusal {
    /// The call fails with EPERM.
    Eperm,
    /// The program is killed.
    Kill,
}

/// Run a program that cannot start other programs.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Effect of a refused call to `execve`.
    #[arg(long, value_enum, default_value = "eperm")]
    execve: Refusal,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// Returns the command that runs `command` through `lab confine`.
pub fn confined(command: &[String], refusal: Refusal) -> Result<Vec<String>, String> {
    let lab = std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
    let lab = lab.to_str().ok_or("the path of this program is not UTF-8")?.to_owned();
    let name = refusal.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned());
    let own = [lab, "confine".into(), "--execve".into(), name, "--".into()];
    Ok(own.into_iter().chain(command.iter().cloned()).collect())
}

/// Replaces this process with the command; returns only on failure.
pub fn run(args: &Args) -> Result<(), String> {
    let [program, arguments @ ..] = &args.command[..] else { return Err("no program given".into()) };
    let mut command = Command::new(search_path(program.as_ref()));
    command.arg0(program).args(arguments);
    // `exec` passes these bytes to execve.
    let path = command.get_program().as_encoded_bytes().as_ptr().addr() as u64;
    let filter = filter(path, args.execve).map_err(|error| error.to_string())?;
    seccompiler::apply_filter(&filter).map_err(|error| error.to_string())?;
    Err(format!("{}: {}", program.display(), command.exec()))
}

/// Looks up a program in the folders of PATH; returns it unchanged if it has a folder or is not found.
fn search_path(program: &Path) -> PathBuf {
    let folders = std::env::var_os("PATH").filter(|_| program.components().count() == 1);
    let files = folders.iter().flat_map(std::env::split_paths).map(|folder| folder.join(program));
    files.into_iter().find(|file| file.is_file()).unwrap_or_else(|| program.to_owned())
}

/// Builds a seccomp filter that refuses `execveat`, and `execve` unless its path argument has the address `path`.
fn filter(path: u64, refusal: Refusal) -> Result<BpfProgram, seccompiler::BackendError> {
    let action = match refusal {
        Refusal::Eperm => SeccompAction::Errno(libc::EPERM as u32),
        Refusal::Kill => SeccompAction::KillProcess,
    };
    let other = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, path)?;
    let rules = BTreeMap::from([
        (libc::SYS_execve, vec![SeccompRule::new(vec![other])?]),
        (libc::SYS_execveat, Vec::new()),
    ]);
    let machine = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, action, machine)?.try_into()
}
