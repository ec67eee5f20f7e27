//! Botzone's limits, and its verdicts on turns.

use otrera::Forfeit;
use std::fmt;
use std::time::Duration;

/// Botzone's verdict on a turn. Its name on Botzone is the variant's in capitals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    Ok,
    /// The turn took too much time.
    Tle,
    /// The bot used too much memory.
    Mle,
    /// The bot printed too much output.
    Ole,
    /// The output is not JSON or, in simple interaction, does not begin with six numbers.
    Nj,
    /// The bot crashed or ended with an exit status other than 0.
    Re,
    /// The move is against the rules.
    InvalidMove,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_uppercase())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// Processor time, including any used between the bot's previous turn and this one.
    pub cpu: Duration,
    /// Wall-clock time from the request, or from the start of the process, to the end of the turn.
    pub wall: Duration,
    /// Peak resident set size so far, in bytes.
    pub peak: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    pub cpu: Duration,
    pub wall: Duration,
    /// Limit on the peak resident set size, in bytes.
    pub memory: u64,
}

impl Limits {
    /// Fails if time or memory exceeds its limit.
    pub fn check(&self, spent: &Spent) -> Result<(), Failure> {
        let failure = |verdict, detail| Err(Failure { verdict, detail, after: spent.wall.max(spent.cpu) });
        let seconds = |what: &str, spent: Duration, limit: Duration| {
            format!("{what} {:.3} s where {:.3} s are allowed", spent.as_secs_f64(), limit.as_secs_f64())
        };
        if spent.peak > self.memory {
            return failure(Verdict::Mle, format!("{} MB of memory", spent.peak >> 20));
        }
        if spent.cpu > self.cpu {
            return failure(Verdict::Tle, seconds("processor time", spent.cpu, self.cpu));
        }
        if spent.wall > self.wall {
            return failure(Verdict::Tle, seconds("wall clock", spent.wall, self.wall));
        }
        Ok(())
    }
}

/// Reason why a turn produced no move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub verdict: Verdict,
    pub detail: String,
    /// Wall-clock or processor time used before the failure, whichever is longer; 0 from [`Failure::new`].
    pub after: Duration,
}

impl Failure {
    /// Creates a failure for any verdict except [`Verdict::Tle`], the only one that needs [`Failure::after`].
    pub fn new(verdict: Verdict, detail: impl Into<String>) -> Self {
        Self { verdict, detail: detail.into(), after: Duration::ZERO }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.verdict, self.detail)
    }
}

impl From<Failure> for Forfeit {
    fn from(failure: Failure) -> Self {
        let text = failure.to_string();
        match failure.verdict {
            Verdict::Tle => Self::Late(failure.after),
            Verdict::Nj | Verdict::Ole => Self::Garbled(text),
            Verdict::InvalidMove => Self::Illegal(text),
            Verdict::Mle | Verdict::Re | Verdict::Ok => Self::Crashed(text),
        }
    }
}
