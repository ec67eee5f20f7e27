//! Moves and histories in the notation of each platform. Answers are parsed strictly; `interaction` reads Botzone's.

use otrera::record::botzone::{self, KEYS};
use otrera::{Move, Position, Side, Size};

/// The line with which a program asks Botzone to keep it running.
pub const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// A notation for moves and game histories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Botzone's JSON interaction.
    Json,
    /// Botzone's simple interaction: six numbers, `3 0 3 6 6 6`.
    Simple,
    /// Six capital letters, `DJDDGD` (10x10); see [`read_letters`].
    Sau,
    /// UCI: named squares, `d1d7,d7g7`.
    Uci,
}

impl Form {
    /// Formats a move. `edge`, the board's edge length, matters only for [`Form::Sau`].
    pub fn format_move(self, mv: Move, edge: usize) -> String {
        let squares = [mv.from, mv.to, mv.arrow];
        let numbers = squares.map(|square| [square.column() as i64, square.row() as i64]);
        let letter = |number: usize| char::from(b'A' + number as u8);
        match self {
            Self::Uci => mv.to_uci(),
            Self::Sau => {
                squares.iter().flat_map(|s| [letter(s.column()), letter(edge - 1 - s.row())]).collect()
            }
            _ => self.format_numbers(numbers.as_flattened()),
        }
    }

    /// Formats Botzone's first request to Black, a move with -1 for all coordinates.
    pub fn begin(self) -> String {
        self.format_numbers(&[-1; 6])
    }

    fn format_numbers(self, numbers: &[i64]) -> String {
        if self != Self::Json {
            return numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
        }
        let fields = KEYS.iter().zip(numbers).map(|(key, number)| format!("\"{key}\":{number}"));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
    }

    /// Returns `[requests, responses]` of the full history that Botzone sends to this side.
    pub fn messages(self, moves: &[Move], side: Side, edge: usize) -> [Vec<String>; 2] {
        let [mut requests, mut responses] = [Vec::new(), Vec::new()];
        if side == Side::Black {
            requests.push(self.begin());
        }
        for (ply, &mv) in moves.iter().enumerate() {
            let is_own = ply.is_multiple_of(2) == (side == Side::Black);
            let messages = if is_own { &mut responses } else { &mut requests };
            messages.push(self.format_move(mv, edge));
        }
        [requests, responses]
    }

    /// Formats Botzone's full history, as sent to this side. `more` is appended inside the JSON object.
    pub fn history(self, moves: &[Move], side: Side, edge: usize, more: &str) -> String {
        let [requests, responses] = self.messages(moves, side, edge);
        if self == Self::Json {
            let [requests, responses] = [requests, responses].map(|messages| messages.join(","));
            return format!("{{\"requests\":[{requests}],\"responses\":[{responses}]{more}}}");
        }
        let mut lines = vec![requests.len().to_string()];
        for (turn, request) in requests.into_iter().enumerate() {
            lines.push(request);
            lines.extend(responses.get(turn).cloned());
        }
        lines.join("\n")
    }

    /// Parses an engine's answer at least as strictly as the platform does; `None` if malformed.
    pub fn read_answer(self, line: &str, position: &Position) -> Option<Move> {
        let edge = position.size().edge();
        match self {
            Self::Json | Self::Simple => {
                self.read_output(line).ok().filter(|answer| !answer.is_loose).map(|answer| answer.mv)
            }
            Self::Sau => read_letters(line.strip_prefix("move ")?, edge),
            Self::Uci => read_best_move(line, position),
        }
    }
}

/// Parses a move in SAU notation: for each square a letter for the column and one for the row from the top.
pub fn read_letters(text: &str, edge: usize) -> Option<Move> {
    let numbers = text.bytes().map(|b| b.checked_sub(b'A').map(i64::from)).collect::<Option<Vec<_>>>()?;
    let [x0, y0, x1, y1, x2, y2] = numbers.try_into().ok()?;
    let last = edge as i64 - 1;
    move_of([x0, last - y0, x1, last - y1, x2, last - y2])
}

/// Parses `bestmove MOVE`, optionally followed by `ponder` and a legal reply to that move.
fn read_best_move(line: &str, position: &Position) -> Option<Move> {
    let squares = |text: &str| {
        let mv = text.parse().ok()?;
        (Form::Uci.format_move(mv, 0) == text).then_some(mv)
    };
    match line.split(' ').collect::<Vec<_>>()[..] {
        ["bestmove", best] => squares(best),
        ["bestmove", best, "ponder", answer] => {
            let mv = squares(best)?;
            position.try_play(mv).ok()?.check(squares(answer)?).ok().map(|()| mv)
        }
        _ => None,
    }
}

/// Parses an `info` line of UCI about the best line of play: the win rate of the side to move, from `wdl` (games won,
/// drawn and lost of 1000), and the nodes of the search. `None` for any other line.
pub fn read_info(line: &str) -> Option<(f32, Option<u64>)> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let number = |name: &str, nth: usize| -> Option<u64> {
        let at = words.iter().position(|&word| word == name)?;
        words.get(at + nth)?.parse().ok()
    };
    let is_best = !words.contains(&"multipv") || number("multipv", 1) == Some(1);
    if words.first() != Some(&"info") || words.get(1) == Some(&"string") || !is_best {
        return None;
    }
    let [won, drawn, lost] = [number("wdl", 1)?, number("wdl", 2)?, number("wdl", 3)?];
    let is_valid = [won, drawn, lost].iter().all(|&games| games <= 1000) && won + drawn + lost == 1000;
    is_valid.then(|| ((won as f32 + drawn as f32 / 2.0) / 1000.0, number("nodes", 1)))
}

/// Builds a move from each square's column and row, both 0 at a1; `None` if a square is off the 10x10 board.
pub fn move_of(numbers: [i64; 6]) -> Option<Move> {
    botzone::move_of(numbers, Size::STANDARD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_lines_of_uci_tell_the_win_rate_and_the_nodes() {
        let of_best = "info depth 3 multipv 1 nodes 500 score cp -191 wdl 250 100 650 pv d1d7,d7g7";
        assert_eq!(read_info(of_best), Some((0.3, Some(500))));
        assert_eq!(read_info("info wdl 1000 0 0"), Some((1.0, None)));
        let second = of_best.replace("multipv 1", "multipv 2");
        for line in
            [&second, "info string wdl 250 100 650", "info nodes 500 score cp 20", "info wdl 900 200 0"]
        {
            assert_eq!(read_info(line), None, "{line}");
        }
    }
}
