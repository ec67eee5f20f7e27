//! Busy processes that run beside the games, to load the machine.

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use std::hint::black_box;
use std::process::{Child, Command, Stdio};

/// Processes that each keep one core busy, until dropped.
pub struct Load(Vec<Child>);

impl Load {
    /// Starts `count` copies of this program with the command `busy`, for which `main` must call [`Busy::run`].
    pub fn start(count: u16) -> Result<Self, String> {
        let problem = |error: std::io::Error| format!("busy processes do not start: {error}");
        let program = std::env::current_exe().map_err(problem)?;
        let mut load = Self(Vec::new());
        let parent = std::process::id().to_string();
        for _ in 0..count {
            let child = Command::new(&program).args(["busy", &parent]).stdin(Stdio::null()).spawn();
            load.0.push(child.map_err(problem)?);
        }
        Ok(load)
    }

    /// True if no busy process has ended.
    pub fn is_running(&mut self) -> bool {
        self.0.iter_mut().all(|child| matches!(child.try_wait(), Ok(None)))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // A process that has already ended is not an error.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Keep a core busy until the parent process ends.
#[derive(clap::Args)]
pub struct Busy {
    /// Process ID of the parent.
    parent: i32,
}

impl Busy {
    /// Runs the hidden command `busy` of the programs that start a [`Load`].
    pub fn run(&self) -> Result<(), String> {
        set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| error.to_string())?;
        // If the parent ended before this call, no signal will come.
        if getppid() != Pid::from_raw(self.parent) {
            return Ok(());
        }
        let mut number = 1_u64;
        loop {
            number = black_box(number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7));
        }
    }
}
