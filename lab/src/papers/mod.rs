//! Reproduces the papers' tables, and implements the other games that they study.

mod games;
pub mod table;
