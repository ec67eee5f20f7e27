//! The records of Chinese computer games championships (CCGC).
//!
//! ```text
//! #[AM][first team][second team][先手胜][2020.08.16 11:44 重庆][2020 CCGC];
//! 1 d1d7(g7) a7d4(a7)
//! 2 g1e3(e10) …
//! ```
//!
//! Squares count from the first mover's corner, as everywhere in Otrera. 先手胜 says that the first
//! mover won, 后手胜 that the second did, 未完 that the game broke off.

use super::GameRecord;
use crate::board::square::Side;
use std::fmt::Write;

/// The record as text, lines ended by line feeds.
pub fn write(record: &GameRecord) -> String {
    let result = match record.winner {
        Some(Side::Black) => "先手胜",
        Some(Side::White) => "后手胜",
        None => "未完",
    };
    let [black, white] = [plain(&record.black), plain(&record.white)];
    let [when, event] = [plain(&record.when), plain(&record.event)];
    let mut text = format!("#[AM][{black}][{white}][{result}][{when}][{event}];\n");
    for (number, pair) in (1..).zip(record.moves.chunks(2)) {
        let moves: Vec<String> = pair
            .iter()
            .map(|played| played.mv)
            .map(|mv| format!("{}{}({})", mv.from, mv.to, mv.arrow))
            .collect();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{number} {}", moves.join(" "));
    }
    text
}

/// A name without the characters that would end its field.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_control() || "[];".contains(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Move, Position};

    #[test]
    fn a_record_looks_like_the_competitions() {
        let moves: Vec<Move> =
            ["d1-d7/g7", "a7-d4/a7", "g1-e3/e10"].iter().map(|text| text.parse().unwrap()).collect();
        let record = GameRecord {
            winner: Some(Side::Black),
            when: "2020.08.16 11:44 重庆".into(),
            event: "2020 CCGC".into(),
            ..GameRecord::new("甲队", "乙队", Position::standard()).with_moves(&moves)
        };
        assert_eq!(
            write(&record),
            "#[AM][甲队][乙队][先手胜][2020.08.16 11:44 重庆][2020 CCGC];\n\
             1 d1d7(g7) a7d4(a7)\n\
             2 g1e3(e10)\n"
        );
    }
}
