//! Botzone's limits and what it says about a turn that breaks them.

use otrera::Forfeit;
use std::fmt;
use std::time::Duration;

/// Botzone's word on a turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    Ok,
    /// Too much time.
    Tle,
    /// Too much memory.
    Mle,
    /// Too much output.
    Ole,
    /// No JSON, or in simple interaction no six numbers.
    Nj,
    /// A crash, or an exit status other than 0.
    Re,
    /// A move that the rules forbid.
    InvalidMove,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "OK",
            Self::Tle => "TLE",
            Self::Mle => "MLE",
            Self::Ole => "OLE",
            Self::Nj => "NJ",
            Self::Re => "RE",
            Self::InvalidMove => "INVALIDMOVE",
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// Processor time, what was burnt since the turn before included.
    pub cpu: Duration,
    /// From the request, or from the start of the process, to the end of the turn.
    pub wall: Duration,
    /// The largest resident set up to now, in bytes.
    pub peak: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    pub cpu: Duration,
    pub wall: Duration,
    pub memory: u64,
}

impl Limits {
    /// Complains of what is above a limit.
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

/// Why a turn has brought no move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub verdict: Verdict,
    pub detail: String,
    /// Time used until then.
    pub after: Duration,
}

impl Failure {
    /// A failure that has nothing to do with time.
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
