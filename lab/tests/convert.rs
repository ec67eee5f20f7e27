//! `lab convert`: game records from one format into another and back.

use crate::laboratory::{Run, run_in};
use fastrand::Rng;
use otrera::record::{json, sgf};
use otrera::{GameRecord, Position};
use std::path::Path;
use testkit::Folder;
use testkit::{any_knowledge, random_record, size};

fn convert(arguments: &[&str], folder: &Path) -> Run {
    run_in(folder, &[&["convert"], arguments].concat())
}

fn game(edge: usize, number: u64) -> GameRecord {
    let (start, rng) = (Position::start(size(edge)), &mut Rng::with_seed(number));
    GameRecord { number, ..random_record(start, ["a/b", "乙"], 9, rng, any_knowledge) }
}

#[test]
fn results_files_convert_to_sgf_and_back() {
    let Folder(folder) = &Folder::new("convert");
    let lines: Vec<String> = [10, 8, 6]
        .into_iter()
        .zip(0..)
        .map(|(edge, number)| json::write(&game(edge, number)) + "\n")
        .collect();
    std::fs::write(folder.join("match.jsonl"), format!("{{\"match\":{{}}}}\n{}", lines.concat())).unwrap();
    let refused = convert(&["match.jsonl", "--to", "sgf"], folder);
    assert!(refused.status == Some(1) && refused.said.contains("folder"));
    for (form, ending) in [("sgf", "sgf"), ("ccgc", "txt")] {
        convert(&["match.jsonl", "--to", form, "--output", form], folder).printed();
        for (number, line) in (1..).zip(&lines) {
            let file = format!("{form}/{number:04}-a_b-乙.{ending}");
            let back = convert(&[&file], folder).printed();
            if form == "sgf" {
                assert_eq!(&back, line);
            } else {
                let [read, written] = [&back, line].map(|line| json::read(line).unwrap());
                assert_eq!((read.start, read.played_moves()), (written.start, written.played_moves()));
            }
        }
    }
    let mut wrong = game(10, 3);
    wrong.moves[4] = wrong.moves[0];
    std::fs::write(folder.join("wrong.sgf"), sgf::write(&game(8, 1)) + &sgf::write(&wrong)).unwrap();
    let refused = convert(&["wrong.sgf"], folder);
    assert!(refused.status == Some(1) && refused.said.contains("game 2, ply 5, "), "{refused:?}");
}

#[test]
fn plain_moves_and_sau_notation_are_converted() {
    let Folder(folder) = &Folder::new("convert-moves");
    for (text, edge) in [
        ("d1-d7/g7 a7-d4/a7\n", 10),
        ("1. d1d7,d7g7 a7d4(a7)\r\n", 10),
        ("DJDDGD\nADDGAD\n", 10),
        ("Black: DJDDGD\r\nWhite: ADDGAD\r\n", 10),
        ("c1-c6/f6", 8),
    ] {
        std::fs::write(folder.join("moves.txt"), text).unwrap();
        let game = json::read(&convert(&["moves.txt"], folder).printed()).unwrap();
        assert_eq!(game.start, Position::start(size(edge)), "{text}");
        assert_eq!(game.positions().len(), if edge == 10 { 3 } else { 2 }, "{text}");
    }
    std::fs::write(folder.join("moves.txt"), "d1-d7/g7 well played").unwrap();
    let refused = convert(&["moves.txt"], folder);
    assert!(
        refused.status == Some(1) && refused.said.contains("line 1: \"well\" is not a move"),
        "{refused:?}"
    );
}

#[test]
fn the_extension_of_the_output_selects_the_format_in_any_case() {
    let folder = Folder::new("convert-extension");
    folder.write("game.jsonl", &json::write(&game(10, 1)));
    for (output, begin) in
        [("a.sgf", "(;"), ("B.SGF", "(;"), ("c.Txt", "#[AM]"), ("d.JSON", "{"), ("e.other", "{"), ("f", "{")]
    {
        convert(&["game.jsonl", "--output", output], &folder).printed();
        let text = std::fs::read_to_string(folder.join(output)).unwrap();
        assert!(text.starts_with(begin), "{output}: {text}");
    }
}

#[test]
fn no_input_is_overwritten() {
    let Folder(folder) = &Folder::new("convert-same");
    let [one, two] = [6, 8].map(|edge| json::write(&game(edge, 1)) + "\n");
    let same_name = "0001-a_b-乙.jsonl";
    for (text, output) in
        [(&one, same_name), (&(one.clone() + &two), same_name), (&one, "link.sgf"), (&one, ".")]
    {
        let input = folder.join(same_name);
        std::fs::write(&input, text).unwrap();
        let _ = std::fs::remove_file(folder.join("link.sgf"));
        std::os::unix::fs::symlink(same_name, folder.join("link.sgf")).unwrap();
        let refused = convert(&[same_name, "--output", output], folder);
        assert!(refused.status == Some(1) && refused.said.contains("is an input"), "{output}: {refused:?}");
        assert_eq!(&std::fs::read_to_string(&input).unwrap(), text, "{output}");
    }
}
