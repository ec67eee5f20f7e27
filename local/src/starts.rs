//! The matches that this program starts, shared by the thread that starts them, the loop, and Ctrl-C.

use crate::pace::Pace;
use crate::screen::Screen;
use crate::site::{RequestError, Site};
use otrera::Side;
use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Matches to start.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The opponent: the name (ID) of a version of a bot.
    pub bot: String,
    /// True to play White.
    pub as_white: bool,
    /// Number of matches.
    pub games: u32,
    /// Maximum number of these matches at a time.
    pub at_once: u32,
    /// Time limit for each move, in seconds.
    pub seconds: u64,
}

/// The matches that this program starts.
#[derive(Default)]
pub struct Starts {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Number of matches still to be started.
    left: u32,
    /// Matches that were started and have not ended.
    open: HashSet<String>,
    /// All matches that have ended, started here or not.
    ended: HashSet<String>,
    /// True while the site is asked to start a match.
    is_asking: bool,
    /// Number of matches that are not started, because the site refused one.
    refused: u32,
    /// Our side in a match that the site may have started and whose name is unknown.
    unclear: Option<Side>,
    /// True once the program ends.
    is_ending: bool,
}

impl Starts {
    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True once [`Self::end`] was called.
    pub fn is_ending(&self) -> bool {
        self.locked().is_ending
    }

    /// True if all matches were started and have ended.
    pub fn are_over(&self) -> bool {
        let state = self.locked();
        state.left == 0 && state.open.is_empty() && !state.is_asking
    }

    /// Returns the number of matches that are not started, because the site refused one.
    pub fn refused(&self) -> u32 {
        self.locked().refused
    }

    /// Notes a new match, in which we play `us`. Regards it as started here if such a start is unclear.
    pub fn meet(&self, name: &str, us: Side) {
        let mut state = self.locked();
        if state.unclear == Some(us) && !state.open.contains(name) {
            state.unclear = None;
            state.left = state.left.saturating_sub(1);
            state.open.insert(name.to_owned());
        }
    }

    /// Notes the end of a match.
    pub fn finish(&self, name: &str) {
        let mut state = self.locked();
        state.open.remove(name);
        state.ended.insert(name.to_owned());
        self.changed.notify_all();
    }

    /// Waits, but not beyond the end of the program; returns false if the program ends.
    pub fn wait(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut state = self.locked();
        while !state.is_ending {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }

    /// Announces the matches of a plan, before [`Self::run`] starts them.
    pub fn announce(&self, plan: &Plan) {
        self.locked().left = plan.games;
    }

    /// Starts the matches of a plan, at most [`Plan::at_once`] at a time. Returns early if the program ends or the site
    /// refuses a match.
    pub fn run(&self, plan: &Plan, site: &Site, pace: &Pace, screen: &Screen) {
        let mut wait = pace.first_wait;
        while self.next(plan.at_once) {
            let outcome = site.start(&plan.bot, plan.as_white, plan.seconds);
            self.asked(&outcome, if plan.as_white { Side::White } else { Side::Black });
            match outcome {
                Ok(name) => {
                    screen.say(&format!("{name}: started against {}", plan.bot));
                    wait = pace.first_wait;
                }
                Err(RequestError::Refused(reason)) => {
                    screen.say(&format!(
                        "The site refuses the match: {reason}. Is {} a bot's version ID?",
                        plan.bot
                    ));
                    let mut state = self.locked();
                    state.refused = std::mem::take(&mut state.left);
                }
                Err(failure) => {
                    screen.say(&format!("No match started: {}; next try in {wait:?}", failure.reason()));
                    self.wait(wait);
                    // A match that was started after all has asked for a move by now.
                    self.locked().unclear = None;
                    wait = (wait * 2).min(pace.longest_wait);
                }
            }
        }
    }

    /// Waits until the next match can start; false if there is none.
    fn next(&self, at_once: u32) -> bool {
        let mut state = self.locked();
        loop {
            if state.is_ending || state.left == 0 {
                return false;
            }
            if state.open.len() < at_once as usize {
                state.is_asking = true;
                return true;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes the outcome of a start.
    fn asked(&self, outcome: &Result<String, RequestError>, us: Side) {
        let mut state = self.locked();
        state.is_asking = false;
        match outcome {
            Ok(name) => {
                state.left = state.left.saturating_sub(1);
                if !state.ended.contains(name) {
                    state.open.insert(name.clone());
                }
            }
            Err(RequestError::Unclear(_)) => state.unclear = Some(us),
            Err(_) => {}
        }
        self.changed.notify_all();
    }

    /// Ends the program's matches: starts no more of them, waits at most `patience` for a start under way, and aborts
    /// the open ones. Returns the numbers of aborted matches and of matches that could not be aborted.
    pub fn end(&self, site: &Site, patience: Duration) -> (usize, usize) {
        let until = Instant::now() + patience;
        let mut state = self.locked();
        state.is_ending = true;
        self.changed.notify_all();
        while state.is_asking && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let open: Vec<String> = state.open.drain().collect();
        drop(state);
        let aborts = |name: &String| site.abort(name).or_else(|_| site.abort(name)).is_ok();
        let aborted = open.iter().filter(|name| aborts(name)).count();
        (aborted, open.len() - aborted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_that_asks_for_a_move_was_started_after_all() {
        let starts = Starts::default();
        let plan = Plan { bot: "b".into(), as_white: false, games: 1, at_once: 1, seconds: 1 };
        starts.announce(&plan);
        assert!(starts.next(1) && !starts.are_over());
        starts.asked(&Err(RequestError::Unclear("no answer".into())), Side::Black);
        starts.meet("other", Side::White);
        assert!(!starts.are_over(), "we play the other side there");
        starts.meet("ours", Side::Black);
        assert!(!starts.are_over(), "it has not ended");
        starts.finish("ours");
        assert!(starts.are_over() && !starts.next(1), "no match is left");
    }
}
