//! Process groups of the programs under test. They are killed when this program ends.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// True after [`end_all`]: no more programs can be started.
static ENDING: AtomicBool = AtomicBool::new(false);

static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

fn groups() -> MutexGuard<'static, Vec<Pid>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn are_ending() -> bool {
    ENDING.load(Ordering::SeqCst)
}

/// Kills all groups and prevents further programs from being started.
pub fn end_all() {
    ENDING.store(true, Ordering::SeqCst);
    for group in groups().iter() {
        // A group that has already ended is not an error.
        let _ = kill_process_group(*group, Signal::KILL);
    }
}

/// Starts a program in its own process group, which is killed when this program ends.
pub fn start_group(command: &mut Command) -> io::Result<(Child, Pid)> {
    // Locked until the new group is listed, so that `end_all` does not miss it.
    let mut groups = groups();
    if are_ending() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let child = command.process_group(0).spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let group = group.ok_or_else(|| io::Error::other("the new process has no valid id"))?;
    groups.push(group);
    Ok((child, group))
}

/// Copies a program. No program starts meanwhile: it would inherit the open file, and a file that is open for writing
/// cannot be executed.
pub fn copy_program(from: &Path, to: &Path) -> io::Result<()> {
    let _none_starts = groups();
    std::fs::copy(from, to).map(drop)
}

/// Kills a process group. Call this before reaping the group's first process: reaping frees the group ID for reuse.
pub fn end_group(group: Pid) {
    let mut groups = groups();
    // A group that has already ended is not an error.
    let _ = kill_process_group(group, Signal::KILL);
    groups.retain(|other| *other != group);
}
