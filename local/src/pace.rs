//! Times of the loop.

use std::time::Duration;

/// Times of the loop. Tests use shorter ones.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Wait after a failure; doubled after each further failure.
    pub first_wait: Duration,
    /// Maximum wait after a failure.
    pub longest_wait: Duration,
    /// Maximum time for which the site holds a poll.
    pub poll_time: Duration,
    /// Duration from which a poll that fails was merely held: the next one follows without a longer wait.
    pub held: Duration,
    /// Time without a request or result after which a match is given up.
    pub silence: Duration,
}

impl Pace {
    /// The times for Botzone.
    pub const BOTZONE: Self = Self {
        first_wait: Duration::from_secs(1),
        longest_wait: Duration::from_secs(60),
        poll_time: Duration::from_secs(300),
        held: Duration::from_secs(20),
        silence: Duration::from_secs(1800),
    };
}
