//! The conditions of play: board, resources and time, as a platform grants them or as the settings say.

use crate::BOTZONE_ONLY;
use crate::options::{Settings, cores};
use otrera::{Resources, Size};
use std::time::{Duration, SystemTime};

/// What holds where the settings do not say otherwise. Times are `None` where the platform has no such clock, or
/// tells of it with each move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Conditions {
    /// The board.
    pub size: Size,
    /// Threads that think; `None` for all cores.
    pub threads: Option<usize>,
    /// Bytes for the tree.
    pub memory: usize,
    /// Time for each move.
    pub move_time: Option<Duration>,
    /// Time for the first move of a match, where that is another one.
    pub first_move_time: Option<Duration>,
    /// Time for all moves of one side.
    pub total_time: Option<Duration>,
    /// What a move costs on the platform's clock beside our thinking.
    pub move_overhead: Option<Duration>,
}

impl Conditions {
    /// A machine to oneself and a board of the championships, without a clock.
    pub const DESKTOP: Self = Self {
        size: Size::STANDARD,
        threads: None,
        memory: 1 << 30,
        move_time: None,
        first_move_time: None,
        total_time: None,
        move_overhead: None,
    };

    /// The conditions with what the settings say in place of the defaults. A time for each move is one for the
    /// first as well.
    pub fn with(self, settings: &Settings) -> Self {
        Self {
            size: settings.size.unwrap_or(self.size),
            threads: settings.threads.or(self.threads),
            memory: settings.memory.unwrap_or(self.memory),
            move_time: settings.move_time.or(self.move_time),
            first_move_time: settings.move_time.or(self.first_move_time),
            total_time: settings.total_time.or(self.total_time),
            move_overhead: settings.move_overhead.or(self.move_overhead),
        }
    }

    /// What these conditions say of a setting, for `--help`; `None` where it is none of theirs.
    pub fn of_setting(&self, name: &str) -> Option<String> {
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64().to_string());
        match name {
            "threads" => Some(self.threads.map_or("all cores".into(), |threads| threads.to_string())),
            "memory" => Some((self.memory >> 20).to_string()),
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

    /// What the search may use. Without a seed in the settings it comes from the time.
    pub fn resources(self, settings: &Settings) -> Resources {
        let Self { threads, memory, .. } = self.with(settings);
        let seed = settings.seed.unwrap_or_else(seed_from_time);
        Resources { threads: threads.unwrap_or_else(cores), memory, seed }
    }
}

/// Nobody should be able to foresee the games of a competition.
fn seed_from_time() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let process = if BOTZONE_ONLY { 0 } else { std::process::id() };
    since.as_nanos() as u64 ^ u64::from(process) << 32
}
