//! Plays on Botzone from the user's own machine, by the site's interface for local AIs (本地AI).
//!
//! | module | contents |
//! |---|---|
//! | [`address`] | the user's address on the site, which contains a secret |
//! | [`screen`] | lines for the user and the log, without the secret |
//! | [`pace`] | waits and time limits |
//! | [`reply`] | the site's reply to a poll |
//! | [`site`] | the site's three requests over HTTPS |
//! | [`game`] | one match: game, search, answer and record |
//! | [`starts`] | the matches that this program starts |
//! | [`client`] | the loop: poll, search, answer; waits after failures |
//!
//! One GET is under way at a time, as in the site's own example. It carries all answers that are ready and returns new
//! requests; then all matches with a request are searched at once, each with its share of cores and memory.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod address;
pub mod client;
pub mod game;
pub mod pace;
pub mod reply;
pub mod screen;
pub mod site;
pub mod starts;
