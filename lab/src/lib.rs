//! The laboratory of Otrera: matches with honest statistics, the papers' tables, fits, records and reports.
//!
//! Each module uses only those before it:
//!
//! 1. [`stats`]: what a number of games proves.
//! 2. [`play`]: anything that chooses moves, openings, and one game between two players.
//! 3. [`baseline`]: the papers' opponents. [`platforms`]: programs from outside, spoken to as a platform does.
//! 4. [`matches`]: players from text, many games at once, the results file.
//! 5. [`papers`]: the papers' tables, and their other games.
//! 6. [`commands`]: the commands of the program `lab`.

pub mod baseline;
pub mod commands;
pub mod matches;
pub mod papers;
pub mod platforms;
pub mod play;
pub mod stats;
