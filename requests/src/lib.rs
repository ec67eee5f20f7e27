//! Requests to an engine and their answers, as JSON. One schema for the page, `otrera gui`, `otrera serve` and the Python
//! package; `docs/requests.md` describes it for users.
//!
//! | module | contents |
//! |---|---|
//! | [`request`] | the requests |
//! | [`answer`] | the answers |
//! | [`engine`] | the engine that answers requests, with its search tree |

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod answer;
pub mod engine;
pub mod request;
