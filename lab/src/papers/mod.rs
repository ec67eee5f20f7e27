//! The papers: their tables again, and the other games they studied.

pub mod games;
pub mod table;
