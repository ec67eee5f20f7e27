//! Failures of players: the only type for everything that loses a game away from the board.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// A kind of failure. Each platform and each table has its own word for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// The move is against the rules.
    Illegal,
    /// The answer is not a move.
    Malformed,
    /// The answer comes after the time limit.
    Late,
    /// The program crashed, did not exit, or ended with an exit status other than 0.
    BadExit,
    /// The program printed more than its answer.
    Chatter,
    /// The program did not answer or cannot play.
    NoAnswer,
    /// The program printed more than a megabyte.
    Flood,
    /// The program used too much memory.
    Memory,
}

impl Kind {
    /// Names of the strict checks, in the order of the summary.
    pub const NAMES: [&str; 6] =
        ["illegal move", "malformed answer", "late", "bad exit", "chatter", "no answer"];

    /// Botzone's verdicts on turns, in the order of reports.
    pub const VERDICTS: [&str; 7] = ["OK", "TLE", "MLE", "OLE", "NJ", "RE", "INVALIDMOVE"];

    /// Returns the row of the table: one of [`Kind::NAMES`], one of [`Kind::VERDICTS`], and the word of game records.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Self::Illegal => ["illegal move", "INVALIDMOVE", "illegal"],
            Self::Malformed => ["malformed answer", "NJ", "garbage"],
            Self::Late => ["late", "TLE", "late"],
            Self::BadExit => ["bad exit", "RE", "crash"],
            Self::Chatter => ["chatter", "NJ", "garbage"],
            Self::NoAnswer => ["no answer", "RE", "crash"],
            Self::Flood => ["malformed answer", "OLE", "garbage"],
            Self::Memory => ["bad exit", "MLE", "crash"],
        }
    }

    /// Returns the name in the summary of strict checks.
    pub const fn name(self) -> &'static str {
        self.words()[0]
    }

    /// Returns Botzone's verdict.
    pub const fn verdict(self) -> &'static str {
        self.words()[1]
    }

    /// Returns the word in game records: `crash`, `late`, `garbage` or `illegal`.
    pub const fn word(self) -> &'static str {
        self.words()[2]
    }

    /// True if the program does not run any more, or never did.
    pub const fn is_crash(self) -> bool {
        matches!(self, Self::BadExit | Self::NoAnswer)
    }
}

/// Reason why a player lost a game away from the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    pub kind: Kind,
    pub detail: String,
}

impl Failure {
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }

    /// Creates a failure whose detail quotes up to 1000 characters of the program's output.
    pub fn quoting(kind: Kind, reason: impl fmt::Display, text: &str) -> Self {
        let quoted: String = text.chars().take(1000).collect();
        let quoted = if text.is_empty() { String::new() } else { format!(": {quoted:?}") };
        Self::new(kind, format!("{reason}{quoted}"))
    }

    /// Formats the failure in the words of the strict checks.
    pub fn in_strict_words(&self) -> String {
        format!("{}: {}", self.kind.name(), self.detail)
    }

    /// Puts a reason before the detail.
    pub fn after(self, reason: &str) -> Self {
        Self::new(self.kind, format!("{reason}: {}", self.detail))
    }

    /// Puts Botzone's verdict before the detail.
    pub fn with_verdict(self) -> Self {
        let verdict = self.kind.verdict();
        self.after(verdict)
    }

    /// Creates a failure of a player that cannot play; `why` is the reason.
    pub fn cannot(why: impl Into<String>) -> Self {
        Self::new(Kind::NoAnswer, why)
    }

    /// Creates a failure for an answer that did not come within `after`.
    pub fn late(after: Duration) -> Self {
        Self::new(Kind::Late, format!("no answer after {:.3} s", after.as_secs_f64()))
    }
}

/// Formats the failure for game records.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, detail } = self;
        match kind.word() {
            "garbage" => write!(f, "garbage: {detail:?}"),
            word => write!(f, "{word}: {detail}"),
        }
    }
}
