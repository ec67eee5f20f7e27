//! Game setup: board, resources and time, from the settings or the platform's defaults.

use crate::BOTZONE_ONLY;
use crate::options::{Settings, cores};
use otrera::{Resources, Size};
use std::time::{Duration, SystemTime};

/// Board, resources and time. A time is `None` if the platform has no such limit, or sends the limit with each move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Setup {
    pub size: Size,
    /// Search threads; `None` for all cores.
    pub threads: Option<usize>,
    /// Memory for the search tree in bytes; `None` for the default of [`machine_memory`].
    pub memory: Option<usize>,
    pub move_time: Option<Duration>,
    /// Time for the first move of a match; `None` if the platform has no separate limit for the first move.
    pub first_move_time: Option<Duration>,
    /// Time for all moves of one side in a game.
    pub total_time: Option<Duration>,
    /// Overhead per move: time that the platform's clock runs in addition to our thinking time.
    pub move_overhead: Option<Duration>,
}

impl Setup {
    /// Setup with the standard board, all cores, the default memory and no clock.
    pub const DESKTOP: Self = Self {
        size: Size::STANDARD,
        threads: None,
        memory: None,
        move_time: None,
        first_move_time: None,
        total_time: None,
        move_overhead: None,
    };

    /// Returns this setup overridden by `settings`, whose `move_time` also applies to the first move.
    pub fn with(self, settings: &Settings) -> Self {
        Self {
            size: settings.size.unwrap_or(self.size),
            threads: settings.threads.or(self.threads),
            memory: settings.memory.or(self.memory),
            move_time: settings.move_time.or(self.move_time),
            first_move_time: settings.move_time.or(self.first_move_time),
            total_time: settings.total_time.or(self.total_time),
            move_overhead: settings.move_overhead.or(self.move_overhead),
        }
    }

    /// Formats the default value of the option `name` for help; `None` if this setup has no default for the option.
    pub fn of_setting(&self, name: &str) -> Option<String> {
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64().to_string());
        match name {
            "threads" => Some(self.threads.map_or("all cores".into(), |threads| threads.to_string())),
            "memory" => Some(self.memory.map_or("automatic".into(), |memory| (memory >> 20).to_string())),
            "size" => Some(self.size.edge().to_string()),
            "total-time" => seconds(self.total_time),
            "move-overhead" => seconds(self.move_overhead),
            "move-time" => match seconds(self.first_move_time) {
                Some(first) => Some(format!("{}, first turn {first}", seconds(self.move_time)?)),
                None => seconds(self.move_time),
            },
            _ => None,
        }
    }

    /// Returns threads, memory and seed of the search. Without `settings.seed`, derives a seed from the current time.
    pub fn resources(self, settings: &Settings) -> Resources {
        let Self { threads, memory, .. } = self.with(settings);
        let seed = settings.seed.unwrap_or_else(seed_from_time);
        let memory = memory.unwrap_or_else(machine_memory);
        Resources { threads: threads.unwrap_or_else(cores), memory, seed }
    }
}

/// Returns the default tree size in bytes: a quarter of the machine's free memory, between 256 MiB and 16 GiB; 1 GiB if
/// the free memory is unknown, and on 32-bit systems.
pub fn machine_memory() -> usize {
    const UNKNOWN: u64 = 1 << 30;
    let quarter = match cfg!(target_pointer_width = "64") {
        true => usable_memory().map_or(UNKNOWN, |bytes| bytes / 4),
        false => UNKNOWN,
    };
    quarter.clamp(256 << 20, 16 << 30) as usize
}

/// Returns the machine's free memory in bytes, or the memory limit of its cgroup if lower; `None` if unknown.
#[cfg(target_os = "linux")]
fn usable_memory() -> Option<u64> {
    let table = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = |name: &str| {
        let line = table.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    let total = kilobytes("MemTotal:")?;
    let free = kilobytes("MemAvailable:").unwrap_or(total);
    // Memory limit of a container, in cgroup v2 and v1. The text "max" means no limit.
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limit = limits.iter().find_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok());
    Some((total.min(free) << 10).min(limit.unwrap_or(u64::MAX)))
}

#[cfg(all(windows, target_pointer_width = "64"))]
fn usable_memory() -> Option<u64> {
    Some(winsafe::GlobalMemoryStatusEx().ok()?.ullAvailPhys)
}

#[cfg(not(any(target_os = "linux", all(windows, target_pointer_width = "64"))))]
fn usable_memory() -> Option<u64> {
    None
}

// The seed is unpredictable, so that no opponent can prepare for our moves.
fn seed_from_time() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let process = if BOTZONE_ONLY { 0 } else { std::process::id() };
    since.as_nanos() as u64 ^ u64::from(process) << 32
}
