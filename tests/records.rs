//! Records of games in their three written forms: what was written comes back, for any game.

mod common;

use common::{random_move, scattered_position, size};
use fastrand::Rng;
use otrera::contest::record::{ccgc, json, sgf};
use otrera::{GameRecord, PlayedMove, Position, Side};
use proptest::prelude::*;
use std::time::Duration;

/// Names and other texts: all of Unicode and, more often, what the formats themselves are made of.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), r#"[\[\]\\:;#(){}"',\r\n\t a-z甲胜；é]{0,12}"#, Just(String::new())]
}

fn start_of(edge: usize, set_up: bool, rng: &mut Rng) -> Position {
    if !set_up {
        return Position::start(size(edge));
    }
    let ply = rng.u16(..200) * 2;
    let position = scattered_position(size(edge), rng);
    position.with_ply(ply + u16::from(position.side() == Side::White))
}

/// A move with all, some or nothing known about it.
fn any_knowledge(mv: otrera::Move, rng: &mut Rng) -> PlayedMove {
    PlayedMove {
        mv,
        time: if rng.bool() {
            Duration::new(rng.u64(..100_000), rng.u32(..1_000_000_000))
        } else {
            Duration::ZERO
        },
        effort: rng.bool().then(|| rng.u64(..) >> rng.u32(..64)),
        win_rate: rng.bool().then(|| rng.f32()),
    }
}

prop_compose! {
    /// The course of a game: a start, on any board, and some or all of a game of random moves.
    fn any_course(set_up: bool)(
        seed in any::<u64>(),
        edge in 4..=10_usize,
        length in 0..100_usize,
    ) -> (Position, Vec<PlayedMove>) {
        let mut rng = Rng::with_seed(seed);
        let start = start_of(edge, set_up, &mut rng);
        let (mut position, mut moves) = (start, Vec::new());
        while moves.len() < length && position.winner().is_none() {
            let mv = random_move(&position, &mut rng);
            moves.push(any_knowledge(mv, &mut rng));
            position = position.with_move(mv);
        }
        (start, moves)
    }
}

prop_compose! {
    fn any_record()(
        (start, moves) in prop_oneof![any_course(false), any_course(true)],
        [black, white, when, event, control] in std::array::from_fn::<_, 5, _>(|_| any_text()),
        winner in prop_oneof![Just(None), Just(Some(Side::Black)), Just(Some(Side::White))],
        forfeit in proptest::option::of((any_text(), any_text())),
        number in prop_oneof![Just(0), any::<u64>()],
    ) -> GameRecord {
        GameRecord { black, white, start, moves, winner, forfeit, when, event, control, number }
    }
}

/// The same record, each of its texts put through a function.
fn with_texts(record: &GameRecord, change: impl Fn(&str) -> String) -> GameRecord {
    GameRecord {
        black: change(&record.black),
        white: change(&record.white),
        when: change(&record.when),
        event: change(&record.event),
        control: change(&record.control),
        forfeit: record.forfeit.as_ref().map(|(kind, text)| (change(kind), change(text))),
        ..record.clone()
    }
}

fn spaces_for(text: &str, lost: impl Fn(char) -> bool) -> String {
    text.chars().map(|c| if lost(c) { ' ' } else { c }).collect()
}

proptest! {
    #[test]
    fn json_keeps_everything(record in any_record()) {
        let line = json::write(&record);
        prop_assert!(!line.contains(['\n', '\r']));
        prop_assert_eq!(json::read(&line), Ok(record));
    }

    #[test]
    fn sgf_keeps_everything_but_control_characters(record in any_record()) {
        let kept = with_texts(&record, |text| spaces_for(text, char::is_control));
        prop_assert_eq!(sgf::read(&sgf::write(&record)), Ok(vec![kept]));
    }

    #[test]
    fn json_to_sgf_and_back_changes_no_byte(record in any_record()) {
        let line = json::write(&with_texts(&record, |text| spaces_for(text, char::is_control)));
        let through = sgf::read(&sgf::write(&json::read(&line).unwrap())).unwrap();
        prop_assert_eq!(json::write(&through[0]), line);
    }

    #[test]
    fn an_sgf_file_holds_many_games(records in proptest::collection::vec(any_record(), 1..4)) {
        let kept = records.iter().map(|record| with_texts(record, |text| spaces_for(text, char::is_control)));
        let file: String = records.iter().map(sgf::write).collect();
        prop_assert_eq!(sgf::read(&file), Ok(kept.collect()));
    }

    #[test]
    fn ccgc_keeps_names_result_and_moves(record in any_record()) {
        let text = ccgc::write(&record);
        let read = ccgc::read(&text).unwrap();
        let moves: Vec<_> = record.moves.iter().map(|played| played.mv).collect();
        let kept = with_texts(&record, |text| spaces_for(text, |c| c.is_control() || "[];".contains(c)));
        let kept = GameRecord { forfeit: None, control: String::new(), number: 0, ..kept.with_moves(&moves) };
        if ccgc::obstacle(&record).is_none() {
            prop_assert_eq!(&read, &kept);
        } else {
            prop_assert_ne!(read.start, kept.start);
            prop_assert_eq!(&read, &GameRecord { start: read.start, ..kept });
        }
        prop_assert_eq!(ccgc::read(&text.replace('\n', "\r\n").replace("];", "]；")), Ok(read));
    }

    #[test]
    fn any_text_is_read_or_refused(text in any_text(), noise in r"[\[\];()#\\:A-Za-j0-9 \n]{0,60}") {
        for start in ["", "(;GM[18]", "(;", "#[AM][a][b][先手胜][][];\n", r#"{"moves":["#] {
            for text in [format!("{start}{text}"), format!("{start}{noise})")] {
                let _ = (json::read(&text), sgf::read(&text), ccgc::read(&text));
            }
        }
    }
}

#[test]
fn games_on_the_competitions_boards_fit_the_championships_form() {
    let mut rng = Rng::with_seed(5);
    for edge in [8, 10] {
        let (mut position, mut record) =
            (Position::start(size(edge)), GameRecord::new("a", "b", Position::start(size(edge))));
        while position.winner().is_none() {
            let mv = random_move(&position, &mut rng);
            record.moves.push(mv.into());
            position = position.with_move(mv);
            assert_eq!(ccgc::obstacle(&record), None);
        }
    }
}

/// The laboratory's converter, from one form into another and back.
#[cfg(feature = "lab")]
mod convert {
    use super::*;
    use std::path::Path;
    use std::process::{Command, Output};

    fn convert(arguments: &[&str], folder: &Path) -> Output {
        let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
        lab.arg("convert").args(arguments).current_dir(folder).output().expect("lab starts")
    }

    fn game(edge: usize, number: u64) -> GameRecord {
        let mut rng = Rng::with_seed(number);
        let mut position = Position::start(size(edge));
        let mut record = GameRecord { number, ..GameRecord::new("a/b", "乙", position) };
        for _ in 0..9 {
            let mv = random_move(&position, &mut rng);
            record.moves.push(any_knowledge(mv, &mut rng));
            position = position.with_move(mv);
        }
        record
    }

    #[test]
    fn moves_alone_and_the_platforms_letters_are_records_too() {
        let folder = std::env::temp_dir().join(format!("otrera-convert-moves-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (text, edge) in [
            ("d1-d7/g7 a7-d4/a7\n", 10),
            ("1. d1d7,d7g7 a7d4(a7)\r\n", 10),
            ("DJDDGD\nADDGAD\n", 10),
            ("Black: DJDDGD\r\nWhite: ADDGAD\r\n", 10),
            ("c1-c6/f6", 8),
        ] {
            std::fs::write(folder.join("moves.txt"), text).unwrap();
            let told = convert(&["moves.txt"], &folder);
            assert!(told.status.success(), "{text}: {}", String::from_utf8_lossy(&told.stderr));
            let game = json::read(&String::from_utf8(told.stdout).unwrap()).unwrap();
            assert_eq!(game.start, Position::start(size(edge)), "{text}");
            assert_eq!(game.positions().len(), if edge == 10 { 3 } else { 2 }, "{text}");
        }
        std::fs::write(folder.join("moves.txt"), "d1-d7/g7 well played").unwrap();
        let told = convert(&["moves.txt"], &folder);
        let message = String::from_utf8_lossy(&told.stderr);
        assert!(!told.status.success() && message.contains("line 1: \"well\" is not a move"), "{message}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_results_file_goes_to_sgf_and_back() {
        let folder = std::env::temp_dir().join(format!("otrera-convert-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let lines: Vec<String> = [10, 8, 6]
            .into_iter()
            .zip(0..)
            .map(|(edge, number)| json::write(&game(edge, number)) + "\n")
            .collect();
        std::fs::write(folder.join("match.jsonl"), format!("{{\"match\":{{}}}}\n{}", lines.concat()))
            .unwrap();
        let told = convert(&["match.jsonl", "--to", "sgf"], &folder);
        assert!(!told.status.success() && String::from_utf8_lossy(&told.stderr).contains("folder"));
        for (form, ending) in [("sgf", "sgf"), ("ccgc", "txt")] {
            assert!(convert(&["match.jsonl", "--to", form, "--output", form], &folder).status.success());
            for (number, line) in (1..).zip(&lines) {
                let file = format!("{form}/{number:04}-a_b-乙.{ending}");
                let back = convert(&[&file], &folder);
                let back = String::from_utf8(back.stdout).unwrap();
                if form == "sgf" {
                    assert_eq!(&back, line);
                } else {
                    let [read, written] = [&back, line].map(|line| json::read(line).unwrap());
                    let moves =
                        |record: &GameRecord| record.moves.iter().map(|played| played.mv).collect::<Vec<_>>();
                    assert_eq!((read.start, moves(&read)), (written.start, moves(&written)));
                }
            }
        }
        let mut wrong = game(10, 3);
        wrong.moves[4] = wrong.moves[0];
        std::fs::write(folder.join("wrong.sgf"), sgf::write(&game(8, 1)) + &sgf::write(&wrong)).unwrap();
        let told = convert(&["wrong.sgf"], &folder);
        let message = String::from_utf8_lossy(&told.stderr);
        assert!(!told.status.success() && message.contains("game 2, ply 5, "), "{message}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
