//! Limits of a judge, as a decorator around a process: measures each turn and ends it when a limit is exceeded.

use crate::failure::{Failure, Kind};
use crate::process::{FLOOD, Process, Sign};
use crate::usage::Usage;
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Botzone's limits for a turn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Allowance {
    /// Processor time for a turn; the first turn of a game has twice as much.
    pub time: Duration,
    /// Wall-clock limit, as a multiple of the limit on processor time.
    pub alarm: f64,
    /// Limit on the peak resident set size, in bytes.
    pub memory: u64,
}

impl Allowance {
    /// The limits for C++ on Botzone.
    pub const BOTZONE: Self = Self { time: Duration::from_secs(1), alarm: 1.0, memory: 256 << 20 };

    /// Returns the limits of a turn, the first one of a game or a later one.
    pub fn limits(&self, first: bool) -> TurnLimits {
        let cpu = if first { self.time * 2 } else { self.time };
        TurnLimits { cpu, wall: cpu.mul_f64(self.alarm), memory: self.memory }
    }
}

/// Resources used in a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Processor time, including any used between the bot's previous turn and this one.
    pub cpu: Duration,
    /// Wall-clock time from the request, or from the start of the process, to the end of the turn.
    pub wall: Duration,
    /// Peak resident set size so far, in bytes.
    pub peak: u64,
}

/// Limits of one turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TurnLimits {
    pub cpu: Duration,
    pub wall: Duration,
    /// Limit on the peak resident set size, in bytes.
    pub memory: u64,
}

impl TurnLimits {
    /// Limits only the wall-clock time.
    pub const fn wall(wall: Duration) -> Self {
        Self { cpu: Duration::MAX, wall, memory: u64::MAX }
    }

    /// Fails if time or memory exceeds its limit.
    fn check(&self, spent: &Spent) -> Result<(), Failure> {
        let late = |what: &str, spent: Duration, limit: Duration| {
            let [spent, limit] = [spent, limit].map(|time| time.as_secs_f64());
            Err(Failure::new(Kind::Late, format!("{what} {spent:.3} s where {limit:.3} s are allowed")))
        };
        if spent.peak > self.memory {
            return Err(Failure::new(Kind::Memory, format!("{} MB of memory", spent.peak >> 20)));
        }
        if spent.cpu > self.cpu {
            return late("processor time", spent.cpu, self.cpu);
        }
        if spent.wall > self.wall {
            return late("wall clock", spent.wall, self.wall);
        }
        Ok(())
    }

    const fn needs_usage(&self) -> bool {
        self.cpu.as_nanos() != Duration::MAX.as_nanos() || self.memory != u64::MAX
    }
}

/// A turn of a judged program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TurnTaken {
    /// True for the bot's first turn of a game.
    pub first: bool,
    pub spent: Spent,
    /// Reason why the turn produced no move; `None` if a move was produced.
    pub failure: Option<Failure>,
}

impl TurnTaken {
    /// Returns Botzone's verdict on the turn, one of [`Kind::VERDICTS`].
    pub fn verdict(&self) -> &'static str {
        self.failure.as_ref().map_or(Kind::VERDICTS[0], |failure| failure.kind.verdict())
    }
}

/// Log of the turns of several games. Programs append to this log; the caller counts the verdicts.
pub type Log = Arc<Mutex<Vec<TurnTaken>>>;

/// Polling interval for a process's time and memory.
const LOOK: Duration = Duration::from_millis(10);

/// A process with a meter. Between its turns it can be suspended.
pub struct Metered {
    pub process: Process,
    /// Start of this turn.
    pub began: Instant,
    /// Limits of this turn.
    pub limits: TurnLimits,
    /// Time and memory used in this turn.
    pub spent: Spent,
    /// Processor time already charged to earlier turns.
    paid: Duration,
}

impl Metered {
    pub fn new(process: Process, began: Instant, limits: TurnLimits) -> Self {
        Self { process, began, limits, spent: Spent::default(), paid: Duration::ZERO }
    }

    /// Begins another turn of a process that kept running.
    pub fn resume(&mut self, began: Instant, limits: TurnLimits) {
        self.process.signal(Signal::CONT);
        self.paid += self.spent.cpu;
        (self.began, self.limits, self.spent) = (began, limits, Spent::default());
    }

    /// Waits until `is_done` accepts the output or the process ends; returns true if it has ended. Fails if a limit is
    /// exceeded.
    pub fn wait(&mut self, is_done: impl Fn(&[u8]) -> bool) -> Result<bool, Failure> {
        let mut looked = self.began;
        loop {
            if self.process.heard().len() > FLOOD {
                self.look();
                return Err(Failure::new(Kind::Flood, "more than a megabyte of output"));
            }
            if is_done(self.process.heard()) {
                self.check()?;
                return Ok(false);
            }
            let sign = self.process.listen(LOOK);
            if sign == Sign::Ended {
                return Ok(true);
            }
            if looked.elapsed() >= LOOK {
                self.check()?;
                looked = Instant::now();
            }
        }
    }

    /// Returns the output of a process that has ended. Fails if a limit is exceeded or the exit status is not 0.
    pub fn ended(&mut self) -> Result<String, Failure> {
        self.look();
        let text = self.process.take(FLOOD);
        let end = self.process.end().ok_or_else(|| Failure::new(Kind::BadExit, "exit status unknown"))?;
        self.add(end.usage);
        self.limits.check(&self.spent)?;
        if end.status.success() {
            return Ok(text);
        }
        let printed = text + &self.process.errors();
        Err(Failure::quoting(Kind::BadExit, format!("the program ended with {}", end.status), &printed))
    }

    fn check(&mut self) -> Result<(), Failure> {
        self.look();
        self.limits.check(&self.spent)
    }

    /// Updates the time and memory used in this turn.
    fn look(&mut self) {
        self.spent.wall = self.began.elapsed();
        if self.limits.needs_usage() {
            self.add(self.process.usage());
        }
    }

    fn add(&mut self, usage: Usage) {
        self.spent.cpu = self.spent.cpu.max(usage.cpu.saturating_sub(self.paid));
        self.spent.peak = self.spent.peak.max(usage.peak);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_turn_has_twice_the_time() {
        let allowance = Allowance { time: Duration::from_secs(6), alarm: 1.5, memory: 1 };
        let limits = [true, false]
            .map(|first| allowance.limits(first))
            .map(|limits| (limits.cpu.as_secs(), limits.wall.as_secs()));
        assert_eq!(limits, [(12, 18), (6, 9)]);
    }
}
