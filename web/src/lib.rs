//! The engine behind the page: requests and answers are JSON, see [`request`].
//!
//! The module `module`, built for WebAssembly alone, is what JavaScript sees. The page keeps the game and calls; nothing
//! is kept here but the [search](request::Engine) and its tree.

pub mod describe;
#[cfg(target_family = "wasm")]
pub mod module;
pub mod request;
