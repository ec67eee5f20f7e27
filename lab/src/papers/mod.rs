//! The papers: their tables, and the other games that they study.

mod games;
pub mod table;
