//! Smart Game Format, FF\[4\] with the Amazons' number GM\[18\] (<http://www.red-bean.com/sgf/amazons.html>), which
//! board viewers read.
//!
//! ```text
//! (;FF[4]GM[18]CA[UTF-8]AP[Otrera]SZ[10]PB[first]PW[second]RE[B+]DT[2020.08.16 11:44]EV[2020 CCGC]
//! ;B[djddgd]C[win rate 0.53, 0.1 s, effort 60000]
//! ;W[addgad])
//! ```
//!
//! A point is a column from the left and a row from the top; a move is three points. A set-up start position has its
//! amazons in `AB` and `AW`, its arrows in `AA`, and the side to move in `PL`. Data without a standard property are
//! stored in comments of a fixed form (time, effort and win rate of a move) and in private properties: `NUMBER`
//! (number of the game in its match), `FORFEIT[kind][text]`, and `PLY` (moves played before a set-up position, if not
//! equal to the number of arrows). The time control is in `OT`. So a record without visits is read back unchanged,
//! except that control characters become spaces; comments keep their line breaks.
//!
//! A [`Note`](super::Note) has standard properties: `C` is its comment, after the line of the fixed form; `N` is its
//! name; `V` is its value, positive if good for Black. Otrera writes Black's win rate minus White's in percent
//! (-100 to 100). `TE`, `DO`, `BM` and `BM[2]` are its marks, best to blunder. The private property `ANALYSIS` holds its
//! search: `ANALYSIS[black 0.53, lead 1.5, visits 60000, line d1-d7/g7 a7-d4/a7]`. Variations are the second and later branches of a node:
//!
//! ```text
//! ;B[djddgd]V[6]C[a fine move]
//! (;W[addgad]
//! ;B[gjehea])
//! (;W[aaabac]C[worse])
//! ```
//!
//! Reading takes the first branch as the game and ignores unknown properties. A variation ends before a move that
//! cannot be read. Without `FORFEIT`, a loss on time or by forfeit is taken from `RE`; without
//! `RE`, the winner from a comment on the game or on its last position, `C[White resigns]`.

mod read;
mod scanner;
mod start;
mod write;

pub use read::read;
pub(super) use read::read_into;
pub(super) use write::BEGINNING;
pub use write::write;

use super::Mark;

/// Private property with the search of a position.
const ANALYSIS: &str = "ANALYSIS";

/// Properties of marks.
const MARKED: [&str; 3] = ["TE", "DO", "BM"];

/// Returns the property of a mark and its value.
fn mark_property(mark: Mark) -> (&'static str, &'static str) {
    match mark {
        Mark::Best => ("TE", "1"),
        Mark::Inaccuracy => ("DO", ""),
        Mark::Mistake => ("BM", "1"),
        Mark::Blunder => ("BM", "2"),
    }
}

/// Returns the mark of a property.
fn read_mark(name: &str, value: &str) -> Option<Mark> {
    match name {
        "TE" => Some(Mark::Best),
        "DO" => Some(Mark::Inaccuracy),
        "BM" if value == "2" => Some(Mark::Blunder),
        "BM" => Some(Mark::Mistake),
        _ => None,
    }
}

/// True if a text holds the beginning of a game in SGF.
pub(super) fn begins(text: &str) -> bool {
    scanner::begin(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::moves::Move;
    use crate::board::position::Position;
    use crate::board::square::{Side, Size};
    use crate::record::{GameRecord, PlayedMove};
    use std::time::Duration;

    fn read_one(text: &str) -> GameRecord {
        let mut games = read(text).unwrap().games;
        assert_eq!(games.len(), 1, "{text}");
        games.remove(0)
    }

    fn moves(texts: &[&str]) -> Vec<Move> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn writes_standard_sgf() {
        let mut record = GameRecord {
            winner: Some(Side::White),
            forfeit: Some(("late".into(), "late: no answer after 1.200 s".into())),
            event: "a [match] \\ with\nlines".into(),
            number: 7,
            ..GameRecord::new("eins", "二", Position::standard())
        }
        .with_moves(&moves(&["d1-d7/g7", "a7-d4/a7"]));
        record.moves[0].win_rate = Some(0.53);
        record.moves[0].time = Duration::from_millis(100);
        record.moves[0].effort = Some(60_000);
        let text = write(&record);
        assert_eq!(
            text,
            "(;FF[4]GM[18]CA[UTF-8]AP[Otrera]SZ[10]PB[eins]PW[二]RE[W+T]\
             EV[a [match\\] \\\\ with lines]NUMBER[7]FORFEIT[late][late: no answer after 1.200 s]\n\
             ;B[djddgd]C[win rate 0.53, 0.1 s, effort 60000]\n\
             ;W[addgad])\n"
        );
        record.event = record.event.replace('\n', " ");
        assert_eq!(read_one(&text), record);
        // Files of Otrera 0.2 and earlier have the older name.
        assert_eq!(read_one(&text.replace("win rate", "winning rate")), record);
    }

    #[test]
    fn reads_games_of_other_programs() {
        let text = "\u{feff}a line before the game \n (\r\n; GaMe [18] FF[4] XX[a][b]SZ[8:8]\n\
             PB[a \\] b\\\\\\\n c\td] RE [B+Time]DT[2020-01-02]PC[重庆] C[(;not a game)]\n\
             (;B[cHcCfC]C[nice]N[x] (;W[acaebe];B[hfhehf]) (;W[hchdhc] (;B[zz]))) (;B[aa];W[]) ) trailing";
        let text = text.replace("GaMe", "GaM");
        let game = read_one(&text);
        assert_eq!((game.black.as_str(), game.when.as_str()), ("a ] b\\ c d", "2020-01-02 重庆"));
        assert_eq!(game.start, Position::start(Size::BOTZONE));
        assert_eq!(game.winner, Some(Side::Black));
        assert_eq!(game.forfeit, Some(("late".into(), "B+Time".into())));
        let expected = moves(&["c1-c6/f6", "a6-a4/b4", "h3-h4/h3"]).into_iter().map(PlayedMove::from);
        assert_eq!(game.moves, expected.collect::<Vec<_>>());
        let two = read("(;GM[18]PB[a];B[djddgd])\n(;GM[18]PB[b];B[gjehea])").unwrap().games;
        assert_eq!(two.iter().map(|game| game.black.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn reads_set_up_positions() {
        let game = read_one("(;GM[18]SZ[4]AB[ad][dd]AW[aa][da]AA[bc:cc][bb];W[aaabba])");
        let picture = "W..W\n.X..\n.XX.\nB..B";
        assert_eq!(game.start, Position::from_picture(picture, Side::White).unwrap());
        let game = read_one("(;GM[18]AB[dj]AW[da];PL[W];PLY[8])");
        assert_eq!(game.start.to_fen(), "3q6/10/10/10/10/10/10/10/10/3Q6 b - - 8 5");
        assert_eq!(read_one("(;GM[18]AA[ee])").start.all_amazons(), Position::standard().all_amazons());
    }

    #[test]
    fn games_that_cannot_be_read_are_named() {
        for (text, reason) in [
            ("", "begins with (;"),
            ("(;GM[1];B[aa])", "Amazons is game 18"),
            ("(;SZ[19])", "4 to 10"),
            ("(;SZ[x])", "is a number"),
            ("(;GM[18]AB[kk])", "AB has no point"),
            ("(;GM[18]AE[kk])", "AE has no point"),
            ("(;GM[18];B[djddgd];AA[aa])", "after ply 1"),
            (
                "(;GM[18]\n;B[djddgd]\n;AE[gd];W[addgad])",
                "line 3: this game is left out: amazons are set up after ply 1",
            ),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
            let beside = read(&format!("(;GM[18];B[djddgd])\n{text}"));
            assert_eq!(beside.unwrap().warnings.len(), usize::from(!text.is_empty()), "{text}");
        }
    }

    #[test]
    fn warnings_name_the_place() {
        for (text, plies, reason) in [
            ("(;GM[18]\n;B[djddgd", 0, "line 2: a value of B has no closing bracket"),
            ("(;GM[18]\n\n;B)", 0, "line 3: B has no value"),
            ("(;GM[18];B[djddgd]\n;B[addgad])", 1, "line 2: ply 2: Black moves, but it is White's turn"),
            ("(;GM[18];B[djddgd];W[];B[gjehea])", 1, "ply 2: \"\" is not a move"),
            ("(;GM[18];B[djdd€])", 0, "ply 1"),
            ("(;SZ[8];B[djddgd])", 0, "ply 1"),
            ("(;GM[18]!)", 0, "belongs inside brackets"),
            ("(;GM[18]XX[1]\n;B[djddgd]YY[2])", 1, "line 2: the property YY is not kept"),
            ("(;GM[18]RE[who?];B[djddgd])", 1, "names no winner"),
            ("(;GM[18];B[djddgd](;W[addgad])(;W[addg]))", 2, "ply 2: \"addg\" is not a move"),
        ] {
            let reading = read(text).unwrap();
            let warnings: Vec<String> = reading.warnings.iter().map(ToString::to_string).collect();
            assert!(warnings.iter().any(|warning| warning.contains(reason)), "{text}: {warnings:?}");
            assert_eq!(reading.games[0].moves.len(), plies, "{text}");
        }
        assert!(read(&"(;".repeat(100_000)).is_ok());
    }
}
