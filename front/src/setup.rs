//! Game setup: board, resources and time, from the settings or the platform's defaults.

use crate::machine;
use crate::memory::Memory;
use crate::settings::Settings;
use otrera::{Resources, Size};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Board, resources and time. A time is `None` if the platform has no such limit, or sends the limit with each move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Setup {
    /// Size of the board.
    pub size: Size,
    /// Search threads; `None` for all cores.
    pub threads: Option<usize>,
    /// Memory for the search tree in bytes; `None` for a share of this machine's memory.
    pub memory: Option<usize>,
    /// Time for each move.
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

    /// Lists the values in force of a platform's defaults overridden by `settings`: `total-time 900 s (default),
    /// threads 4, …`.
    pub fn in_force(self, settings: &Settings) -> String {
        let (setup, plain) = (self.with(settings), Settings::default());
        let megabytes = |bytes: usize| format!("{} MB", bytes >> 20);
        let seconds = |time: Duration| format!("{} s", time.as_secs_f64());
        let threads = setup.threads.unwrap_or_else(machine::cores);
        let memory = setup.memory.unwrap_or_else(machine_memory);
        let path = |path: &PathBuf| path.display().to_string();
        let rows = [
            ("total-time", setup.total_time.map(seconds), settings.total_time.is_some()),
            ("move-time", setup.move_time.map(seconds), true),
            ("iterations", settings.iterations.map(|count| count.to_string()), true),
            ("move-overhead", setup.move_overhead.map(seconds), settings.move_overhead.is_some()),
            ("threads", Some(threads.to_string()), settings.threads.is_some()),
            ("memory", Some(megabytes(memory)), settings.memory.is_some()),
            ("pondering", Some(if settings.pondering { "on" } else { "off" }.into()), settings.pondering),
            ("preset", Some(settings.preset.text.clone()), settings.preset.text != plain.preset.text),
            ("size", Some(setup.size.edge().to_string()), settings.size.is_some()),
            ("seed", settings.seed.map(|seed| seed.to_string()), true),
            ("name", Some(settings.name.clone()), settings.name != plain.name),
            ("team", settings.team.clone(), true),
            ("opponent", Some(settings.opponent.clone()), settings.opponent != plain.opponent),
            ("place", Some(settings.place.clone()).filter(|place| !place.is_empty()), true),
            ("event", Some(settings.event.clone()), settings.event != plain.event),
            ("record-dir", settings.record_dir.as_ref().map(path), true),
            ("platform-dir", settings.platform_dir.as_ref().map(path), true),
            ("resume", settings.resume.as_ref().map(path), true),
            ("resume-time-left", settings.resume_time_left.map(seconds), true),
            ("side", settings.side.map(|side| side.to_string()), true),
        ];
        let shown = rows.into_iter().map(|(name, value, is_set)| match value {
            Some(value) => format!("{name} {value}{}", if is_set { "" } else { " (default)" }),
            None => format!("{name} not set"),
        });
        shown.collect::<Vec<_>>().join(", ") + "; times without a unit are in seconds"
    }

    /// Returns threads, memory and seed of the search. Without `settings.seed`, derives a seed from the current time.
    pub fn resources(self, settings: &Settings) -> Resources {
        let Self { threads, memory, .. } = self.with(settings);
        let seed = settings.seed.unwrap_or_else(seed_from_time);
        let memory = memory.unwrap_or_else(machine_memory);
        Resources { threads: threads.unwrap_or_else(machine::cores), memory, seed }
    }
}

/// Returns the default tree size in bytes for this machine, see [`default_memory`].
fn machine_memory() -> usize {
    let memory = if cfg!(target_pointer_width = "64") { machine::memory() } else { None };
    default_memory(memory)
}

/// Returns the default tree size in bytes: a quarter of the free memory, from 256 MiB to 16 GiB, but at most half of
/// all memory; 1 GiB if the memory is unknown.
fn default_memory(memory: Option<Memory>) -> usize {
    let bytes =
        memory.map_or(1 << 30, |Memory { total, free }| (free / 4).clamp(256 << 20, 16 << 30).min(total / 2));
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

// The seed is unpredictable, so that no opponent can prepare for our moves.
fn seed_from_time() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let process = machine::process_id();
    since.as_nanos() as u64 ^ u64::from(process) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_tree_takes_a_share_of_the_memory() {
        for (memory, expected) in [
            (None, 1024),
            (Some([16_384, 8192]), 2048),
            (Some([16_384, 100]), 256),
            (Some([1 << 20, 1 << 20]), 16_384),
            // A job with 512 or 300 MB must not be killed.
            (Some([512, 512]), 256),
            (Some([300, 300]), 150),
        ] {
            let bytes = memory.map(|megabytes| megabytes.map(|megabytes| megabytes << 20));
            let tree = default_memory(bytes.map(|[total, free]| Memory { total, free }));
            assert_eq!(tree >> 20, expected, "{memory:?}");
        }
    }

    #[test]
    fn a_given_move_time_holds_for_the_first_move_too() {
        let [first, later, given] = [1850, 920, 3000].map(Duration::from_millis);
        let defaults = Setup { first_move_time: Some(first), move_time: Some(later), ..Setup::DESKTOP };
        let times = |move_time| {
            let setup = defaults.with(&Settings { move_time, ..Settings::default() });
            [setup.first_move_time, setup.move_time]
        };
        assert_eq!(times(None), [Some(first), Some(later)]);
        assert_eq!(times(Some(given)), [Some(given); 2]);
    }
}
