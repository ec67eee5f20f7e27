//! Game setup: board, resources and time, from the settings or the platform's defaults.

use crate::machine;
use crate::memory::Memory;
use crate::settings::{Page, SETTINGS, Settings};
use otrera::{Resources, Size};
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

    /// Returns `settings` with the values in force in place of the open ones: those of this setup, then those of this
    /// machine.
    pub fn fill(self, settings: &Settings) -> Settings {
        let Self { size, move_time, total_time, move_overhead, .. } = self.with(settings);
        let Resources { threads, memory, .. } = self.resources(settings);
        Settings {
            size: Some(size),
            threads: Some(threads),
            memory: Some(memory),
            move_time,
            total_time,
            move_overhead,
            ..settings.clone()
        }
    }

    /// Lists the values in force of a page's options, on a platform with these defaults: `threads 4, total-time 900
    /// (default), …`.
    pub fn in_force(self, settings: &Settings, page: Page) -> String {
        let (filled, defaults) = (self.fill(settings), Settings::default());
        let rows = SETTINGS.iter().filter(|row| row.pages.contains(&page)).map(|row| row.name);
        let shown = rows.map(|name| match filled.shown(name) {
            Some(value) if settings.shown(name) == defaults.shown(name) => {
                format!("{name} {value} (default)")
            }
            Some(value) => format!("{name} {value}"),
            None => format!("{name} not set"),
        });
        shown.collect::<Vec<_>>().join(", ") + "; times are in seconds, memory in MB"
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
#[allow(clippy::unwrap_used)] // a test fails by panicking
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
    fn every_option_of_a_page_has_its_value_in_force() {
        let defaults = Setup {
            total_time: Some(Duration::from_secs(900)),
            threads: Some(4),
            memory: Some(1 << 30),
            ..Setup::DESKTOP
        };
        let settings = Settings { opponent: "Hippolyta".into(), threads: Some(2), ..Settings::default() };
        let said = defaults.in_force(&settings, Page::Sau);
        let (values, _) = said.split_once("; times").unwrap();
        let values: Vec<&str> = values.split(", ").collect();
        for value in [
            "total-time 900 (default)",
            "threads 2",
            "memory 1024 (default)",
            "pondering off (default)",
            "opponent Hippolyta",
            "seed not set",
        ] {
            assert!(values.contains(&value), "{value}: {said}");
        }
        let options = SETTINGS.iter().filter(|row| row.pages.contains(&Page::Sau)).map(|row| row.name);
        let named = values.iter().map(|value| value.split(' ').next().unwrap_or_default());
        assert!(options.eq(named), "{said}");
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
