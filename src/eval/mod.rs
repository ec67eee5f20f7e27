//! Static evaluation of positions, and policies that give half-moves their priors.
//!
//! [`model`] is the interface to the search: an evaluation and priors. [`distance`] computes the squares that each side
//! reaches within each number of queen and king moves.
//!
//! - The evaluation of the MG-PEO paper (Zhang, Zou, Zhu 2024, <https://doi.org/10.3390/a17080334>): [`metrics`] of
//!   the distance maps and [`mobility`], with [`phased`] weights. [`parallel`] computes it on several threads.
//! - The network evaluation: a [`network`] over [`inputs`], which are counts of squares by distance, features of each
//!   amazon ([`amazons`], [`freedom`]), the ply, and each square's class. Without a network, the paper's evaluation is
//!   used.
//! - The [`lead`]: the margin in moves that a network expects, for display.
//! - [`policy`]: the logits of half-moves, each the sum of a log-linear term and the term of a [`policy_network`].
//! - [`square_layer`]: the first layer over the squares, used by both kinds of networks.
//!
//! [`winrate`] converts values to win rates. [`ownership`] finds the side that owns a square, for display.
//! [`mod@weights`] reads and writes weights files, [`fitted`] converts them for use.
//!
//! Sums over squares are sums of integers, and floats are added in a fixed order. So results do not depend on the
//! kernel ([`crate::simd`]) or on the order in which threads run.

mod amazons;
pub mod distance;
mod distance_bytes;
mod fitted;
mod freedom;
pub mod inputs;
pub mod lead;
pub mod metrics;
pub mod mobility;
pub mod model;
pub mod network;
pub mod ownership;
pub mod parallel;
pub mod phased;
mod ply;
pub mod policy;
pub mod policy_network;
mod square_classes;
pub mod square_layer;
pub mod weights;
pub mod winrate;

pub use ply::standard_ply;
