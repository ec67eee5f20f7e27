//! Records of games, in the form that Chinese computer games championships (CCGC) use for Amazons.
//!
//! ```text
//! #[AM][first team][second team][先手胜][2020.08.16 11:44 重庆][2020 CCGC];
//! 1 d1d7(g7) a7d4(a7)
//! 2 g1e3(e10) …
//! ```
//!
//! Squares count from the first mover's corner, as everywhere in Otrera. 先手胜 says that the first
//! mover won, 后手胜 that the second did; an unfinished game says neither.

use crate::board::moves::Move;
use crate::board::square::Side;
use std::fmt::Write;

/// A game that can be written down.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The first mover's name.
    pub black: &'a str,
    /// The second mover's name.
    pub white: &'a str,
    /// Who won, `None` for a game that broke off.
    pub winner: Option<Side>,
    /// Date, time and place, as one text.
    pub when: &'a str,
    /// The event.
    pub event: &'a str,
    /// All moves, Black's first.
    pub moves: &'a [Move],
}

impl Record<'_> {
    /// The record as text, lines ended by line feeds.
    pub fn to_ccgc(&self) -> String {
        let result = match self.winner {
            Some(Side::Black) => "先手胜",
            Some(Side::White) => "后手胜",
            None => "未完",
        };
        let mut text = format!(
            "#[AM][{}][{}][{result}][{}][{}];\n",
            plain(self.black),
            plain(self.white),
            plain(self.when),
            plain(self.event)
        );
        for (number, pair) in (1..).zip(self.moves.chunks(2)) {
            let moves: Vec<String> =
                pair.iter().map(|mv| format!("{}{}({})", mv.from, mv.to, mv.arrow)).collect();
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{number} {}", moves.join(" "));
        }
        text
    }
}

/// A name without the characters that would end its field.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_control() || "[];".contains(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_looks_like_the_competitions() {
        let moves: Vec<Move> =
            ["d1-d7/g7", "a7-d4/a7", "g1-e3/e10"].iter().map(|text| text.parse().unwrap()).collect();
        let record = Record {
            black: "甲队",
            white: "乙队",
            winner: Some(Side::Black),
            when: "2020.08.16 11:44 重庆",
            event: "2020 CCGC",
            moves: &moves,
        };
        assert_eq!(
            record.to_ccgc(),
            "#[AM][甲队][乙队][先手胜][2020.08.16 11:44 重庆][2020 CCGC];\n\
             1 d1d7(g7) a7d4(a7)\n\
             2 g1e3(e10)\n"
        );
    }
}
