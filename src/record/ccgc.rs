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
//! stored, so [`obstacle`] reports a game that would be read back differently. Parsing accepts the variants that
//! programs write: a byte-order mark, CRLF, no `;` or a full-width `；` after the header, blank lines, missing move
//! numbers, moves in any form that [`Move`] parses, and moves in SAU notation (`DJDDGD`, rows from the top of 10x10).

use super::GameRecord;
use crate::board::moves::Move;
use crate::board::notation::MalformedText;
use crate::board::position::{Position, Rules};
use crate::board::square::{Side, Size};
use std::fmt::Write;

/// Formats the record as CCGC text; lines end with a line feed.
pub fn write(record: &GameRecord) -> String {
    let result = result(record.winner);
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
/// moves from which [`read`] would guess another board size.
pub fn obstacle(record: &GameRecord) -> Option<String> {
    let size = record.start.size();
    let guess = likely_size(&record.played_moves());
    if record.start.with_rules(Rules::Standard) != Position::start(size) {
        Some("a CCGC record cannot hold a game from a set-up position".into())
    } else if guess != size {
        let [edge, other] = [size, guess].map(Size::edge);
        Some(format!(
            "a CCGC record does not state its board size: this {edge}x{edge} game would be read as {other}x{other}"
        ))
    } else {
        None
    }
}

/// Reads a CCGC record. Guesses the board size that allows the most moves before the first illegal one; ties go to the
/// first of 10x10, 8x8, 9x9, 7x7, 6x6, 5x5, 4x4. The caller checks whether all moves are legal.
///
/// # Errors
/// Returns the first error in the text, with its line.
pub fn read(text: &str) -> Result<GameRecord, MalformedText> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let Some(fields) = lines.next().and_then(|(_, line)| header_fields(line)) else {
        return Err(MalformedText::new(
            "a CCGC record begins with a line like #[AM][first][second][先手胜][…][…];",
        ));
    };
    let mut moves = Vec::new();
    append_moves(&mut moves, lines)?;
    let field = |index: usize| fields.get(index).copied().unwrap_or_default().to_owned();
    Ok(GameRecord {
        winner: match field(3).trim() {
            "先手胜" => Some(Side::Black),
            "后手胜" => Some(Side::White),
            _ => None,
        },
        when: field(4),
        event: field(5),
        ..GameRecord::new(field(1), field(2), Position::start(likely_size(&moves))).with_moves(&moves)
    })
}

/// Reads moves without a header like [`read_moves`]; guesses the board size like [`read`]. Fails if there is no move.
pub(super) fn read_bare(text: &str) -> Result<GameRecord, MalformedText> {
    let moves = read_moves(text)?;
    if moves.is_empty() {
        return Err(MalformedText::new("no move found"));
    }
    Ok(GameRecord::new("", "", Position::start(likely_size(&moves))).with_moves(&moves))
}

/// Reads the moves of a CCGC record, of an SAU record (`Black: DJDDGD`, one move per line), or of a text of moves in
/// any form that [`Move`] parses.
///
/// # Errors
/// Returns the first error in the text, with its line.
pub fn read_moves(text: &str) -> Result<Vec<Move>, MalformedText> {
    match read_moves_up_to_error(text) {
        (moves, None) => Ok(moves),
        (_, Some(error)) => Err(error),
    }
}

/// Reads the moves of a possibly truncated text in the formats of [`read_moves`]. Returns the moves before the first
/// malformed word, and the error of that word.
pub fn read_moves_up_to_error(text: &str) -> (Vec<Move>, Option<MalformedText>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let without_mover = |line| {
        let label =
            ["Black:", "White:", "move "].into_iter().find_map(|label| str::strip_prefix(line, label));
        label.unwrap_or(line)
    };
    let lines = (1..).zip(text.lines().map(str::trim).map(without_mover));
    let mut moves = Vec::new();
    let error = append_moves(&mut moves, lines.filter(|(_, line)| header_fields(line).is_none())).err();
    (moves, error)
}

/// Appends the moves of numbered lines. Fails at the first malformed word, with its line number.
fn append_moves<'a>(
    moves: &mut Vec<Move>,
    lines: impl Iterator<Item = (u32, &'a str)>,
) -> Result<(), MalformedText> {
    for (number, line) in lines {
        append_line(moves, line).map_err(|error| MalformedText::new(format!("line {number}: {error}")))?;
    }
    Ok(())
}

/// Returns the bracketed fields of a header, `#[AM][first team][second team][result]…`, with `AM` first; `None` for
/// any other line.
pub fn header_fields(line: &str) -> Option<Vec<&str>> {
    let mut rest = line.trim().strip_prefix('#')?;
    let mut fields = Vec::new();
    while let Some((_, opened)) = rest.split_once('[') {
        let (field, after) = opened.split_once(']')?;
        fields.push(field);
        rest = after;
    }
    (fields.first()?.trim() == "AM").then_some(fields)
}

/// Appends the moves of a line, with or without a move number.
fn append_line(moves: &mut Vec<Move>, line: &str) -> Result<(), MalformedText> {
    let numbering = |c: char| c.is_ascii_digit() || c.is_whitespace() || ".:、".contains(c);
    let text: String = line.trim_start_matches(numbering).chars().map(half_width).collect();
    for word in text.split_whitespace().filter(|word| *word != ";") {
        if word.matches('(').count() != word.matches(')').count() {
            let word: String = word.chars().take(30).collect();
            return Err(MalformedText::new(format!("{word:?} is incomplete")));
        }
        let of_platform = Move::from_letters(word.trim_end_matches(';'), Size::STANDARD);
        moves.push(of_platform.map_or_else(|| word.parse(), Ok)?);
    }
    Ok(())
}

/// Converts Chinese punctuation to ASCII.
fn half_width(letter: char) -> char {
    match letter {
        '（' => '(',
        '）' => ')',
        '，' => ',',
        '；' => ';',
        other => other,
    }
}

/// Guesses the board size from the moves, by the rule of [`read`].
fn likely_size(moves: &[Move]) -> Size {
    // `max_by_key` returns the last of equally good sizes.
    let sizes = [4, 5, 6, 7, 9, 8, 10].into_iter().filter_map(Size::new);
    let best = sizes.max_by_key(|&size| legal_moves_from(Position::start(size), moves));
    best.unwrap_or(Size::STANDARD)
}

/// Counts the moves that can be played from `start` before the first illegal one.
fn legal_moves_from(start: Position, moves: &[Move]) -> usize {
    let mut position = start;
    let play = |mv: &&Move| position.try_play(**mv).map(|next| position = next).is_ok();
    moves.iter().take_while(play).count()
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn reads_every_variant() {
        for text in [
            format!("{HEADER};\n1 d1d7(g7) a7d4(a7)\n2 g1e3(e10)\n"),
            format!("\u{feff}{HEADER}\r\n\r\n1 d1d7(g7) a7d4(a7)\r\n2 g1e3(e10)"),
            format!("{HEADER}；\n1 DJDDGD ADDGAD\n2 GJEHEA；\n"),
            format!("\n{HEADER} ;\nd1d7(g7)\na7d4(a7) ;\ng1e3（e10）\n\n"),
            format!("{HEADER};\n1. d1-d7/g7 A7D4A7\n2.g1-e3(e10);"),
        ] {
            assert_eq!(read(&text), Ok(record()), "{text}");
        }
    }

    #[test]
    fn reads_the_moves_of_truncated_records() {
        let whole = write(&record());
        let moves = record().played_moves();
        for (damaged, left) in [
            (whole.replace(" a7d4(a7)\n2 g1e3(e10)\n", " a7d"), 1),
            (whole.replace("(e10)\n", "(e1"), 2),
            (whole.replace("g1e3(e10)\n", "\0\0\0\0"), 2),
            (whole.clone() + "3 nonsense d4d5(d6)", 3),
        ] {
            let (read, error) = read_moves_up_to_error(&damaged);
            assert_eq!(read, moves[..left], "{damaged}");
            assert!(error.is_some() && read_moves(&damaged).is_err(), "{damaged}");
        }
        assert_eq!(read_moves_up_to_error(&whole), (moves, None));
    }

    #[test]
    fn reads_moves_with_and_without_a_header() {
        let moves = record().played_moves();
        for text in [
            write(&record()),
            "DJDDGD ADDGAD\n\nGJEHEA\n".into(),
            "\u{feff}d1-d7/g7\r\na7-d4/a7 g1e3(e10)".into(),
            "Black: DJDDGD\r\nWhite: ADDGAD\r\nBlack: GJEHEA\r\n".into(),
            "move DJDDGD\nmove addgad\nmove GJEHEA".into(),
        ] {
            assert_eq!(read_moves(&text).as_ref(), Ok(&moves), "{text}");
        }
        assert_eq!(read_moves(""), Ok(Vec::new()));
        let error = read_moves("DJDDGD\nADDGA").unwrap_err();
        assert!(error.to_string().starts_with("line 2: "), "{error}");
    }

    #[test]
    fn errors_name_the_line() {
        for text in ["", "1 d1d7(g7)", "#[GO][a][b][先手胜][][];", "#[AM", "(;GM[18])"] {
            assert!(read(text).unwrap_err().to_string().contains("begins with"), "{text}");
        }
        for moves in ["d1d7", "d1d7(g77)", "DJDDGK", "d1 d7 (g7)", "well played"] {
            let error = read(&format!("{HEADER};\n\n1 d1d7(g7)\n2 {moves}\n")).unwrap_err();
            assert!(error.to_string().starts_with("line 4: "), "{error}");
        }
    }

    #[test]
    fn guesses_the_board_from_the_moves() {
        for (first, edge) in [("d1d7(g7)", 10), ("c1c6(f6)", 8), ("c1c8(c2)", 9), ("b1b2(b1)", 6)] {
            let read = read(&format!("{HEADER};\n1 {first}\n")).unwrap();
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
