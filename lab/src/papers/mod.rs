//! The papers: their tables, and the other games that they study.

pub mod games;
pub mod table;
