//! Game records of the Chinese Computer Games Championship (CCGC).
//!
//! ```text
//! #[AM][first team][second team][先手胜][2020.08.16 11:44 重庆][2020 CCGC];
//! 1 d1d7(g7) a7d4(a7)
//! 2 g1e3(e10) …
//! ```
//!
//! Ranks count from the first mover's side, as everywhere in Otrera. 先手胜 means that the first mover won, 后手胜 that
//! the second mover won, 未完 that the game is unfinished.
//!
//! The format holds names, result, time and place, event and moves. Neither the board size nor the start position is
//! stored, so [`obstacle`] reports a game that would be read back differently. [`super::read`] reads the format, with
//! everything that programs write instead.

use super::GameRecord;
use super::scan;
use crate::board::position::{Position, Rules};
use crate::board::square::{Side, Size};
use std::fmt::Write;

/// The beginning of every record.
pub(super) const BEGINNING: &str = "#[AM]";

/// Formats the record as CCGC text; lines end with a line feed.
pub fn write(record: &GameRecord) -> String {
    let result = result(record.winner);
    let [black, white] = [plain(&record.black), plain(&record.white)];
    let [when, event] = [plain(&record.when), plain(&record.event)];
    let mut text = format!("{BEGINNING}[{black}][{white}][{result}][{when}][{event}];\n");
    for (number, pair) in (1..).zip(record.moves.chunks(2)) {
        let moves: Vec<String> = pair.iter().map(|played| played.mv.to_ccgc()).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{number} {}", moves.join(" "));
    }
    text
}

/// Returns the Chinese result field of this format; `None` gives the word for an unfinished game.
pub fn result(winner: Option<Side>) -> &'static str {
    match winner {
        Some(Side::Black) => "先手胜",
        Some(Side::White) => "后手胜",
        None => "未完",
    }
}

/// Replaces control characters, `[`, `]` and `;`, which would break a header field, with spaces.
pub fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_control() || "[];".contains(c) { ' ' } else { c }).collect()
}

/// Returns the reason why this format cannot hold the game; `None` if it can. The reason is a set-up start position, or
/// moves that would be read on another board.
pub fn obstacle(record: &GameRecord) -> Option<String> {
    let size = record.start.size();
    if record.start.with_rules(Rules::Standard) != Position::start(size) {
        return Some("a CCGC record cannot hold a game from a set-up position".into());
    }
    let bare = GameRecord::new("", "", record.start).with_moves(&record.played_moves());
    let reading = scan::read(&write(&bare), None, false);
    let read = reading.games.first().map_or(Size::STANDARD, |game| game.start.size());
    let [edge, other] = [size, read].map(Size::edge);
    let is_other = format!(
        "a CCGC record does not state its board size: this {edge}x{edge} game would be read as {other}x{other}"
    );
    (read != size).then_some(is_other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::moves::Move;
    use crate::record::read;

    const HEADER: &str = "#[AM][甲队][乙队][先手胜][2020.08.16 11:44 重庆][2020 CCGC]";

    fn record() -> GameRecord {
        let moves: Vec<Move> =
            ["d1-d7/g7", "a7-d4/a7", "g1-e3/e10"].iter().map(|text| text.parse().unwrap()).collect();
        GameRecord {
            winner: Some(Side::Black),
            when: "2020.08.16 11:44 重庆".into(),
            event: "2020 CCGC".into(),
            ..GameRecord::new("甲队", "乙队", Position::standard()).with_moves(&moves)
        }
    }

    #[test]
    fn writes_the_competition_format() {
        assert_eq!(write(&record()), format!("{HEADER};\n1 d1d7(g7) a7d4(a7)\n2 g1e3(e10)\n"));
    }

    #[test]
    fn a_field_ends_at_a_bracket_of_its_kind() {
        for (first, second) in [("甲」", "「乙"), ("【甲", "乙］")] {
            let game =
                read(&format!("#[AM][{first}][{second}][未完][][];\n1 d1d7(g7)\n")).unwrap().games.remove(0);
            assert_eq!([game.black, game.white], [first, second]);
        }
        let full_width =
            read("#【AM】【甲】【[乙】【先手胜】【】【】;\n1 d1d7(g7)\n").unwrap().games.remove(0);
        assert_eq!([&*full_width.black, &*full_width.white], ["甲", "[乙"]);
    }

    #[test]
    fn guesses_the_board_from_the_moves() {
        for (first, edge) in [("d1d7(g7)", 10), ("c1c6(f6)", 8), ("c1c8(c2)", 9), ("b1b2(b1)", 6)] {
            let read = read(&format!("{HEADER};\n1 {first}\n")).unwrap().games.remove(0);
            assert_eq!(read.start, Position::start(Size::new(edge).unwrap()), "{first}");
            assert_eq!(obstacle(&read), None);
        }
        let nine = GameRecord { start: Position::start(Size::new(9).unwrap()), ..record() };
        let nine = nine.with_moves(&["c1c6(f6)".parse().unwrap()]);
        assert!(obstacle(&nine).unwrap().contains("9x9"));
        let set_up = GameRecord { start: Position::standard().with_side(Side::White), ..record() };
        assert!(obstacle(&set_up).unwrap().contains("set-up"));
    }
}
