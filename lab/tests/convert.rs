//! Tests of `lab convert`: game records are converted to another format and back.

use crate::laboratory::run_in;
use fastrand::Rng;
use otrera::record::{json, sgf};
use otrera::{GameRecord, Position, Side};
use testkit::{Folder, any_knowledge, random_record, size};

fn game(edge: usize, number: u64) -> GameRecord {
    let (start, rng) = (Position::start(size(edge)), &mut Rng::with_seed(number));
    GameRecord { number, ..random_record(start, ["a/b", "乙"], 9, rng, any_knowledge) }
}

#[test]
fn results_files_convert_to_sgf_and_back() {
    let folder = &Folder::new("convert");
    let lines = [(10, 0), (8, 1), (6, 2)].map(|(edge, number)| json::write(&game(edge, number)) + "\n");
    folder.write("match.jsonl", &format!("{{\"match\":{{}}}}\n{}", lines.concat()));
    run_in(folder, "convert match.jsonl --to sgf").assert_refused("folder");
    for (form, ending) in [("sgf", "sgf"), ("ccgc", "txt")] {
        run_in(folder, &format!("convert match.jsonl --to {form} --output {form}")).printed();
        for (number, line) in (1..).zip(&lines) {
            let back = run_in(folder, &format!("convert {form}/{number:04}-a_b-乙.{ending}")).printed();
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
    folder.write("wrong.sgf", &(sgf::write(&game(8, 1)) + &sgf::write(&wrong)));
    run_in(folder, "convert wrong.sgf --strict").assert_refused("game 2, ply 5, ");
}

#[test]
fn the_result_file_of_a_match_is_read_without_a_warning() {
    let folder = &Folder::new("convert-match");
    let games = "match random tournament,iterations=20 --size 6 --games 2 --free --plies 2 --balance 0.5 --output m.jsonl";
    run_in(folder, games).printed();
    let converted = run_in(folder, "convert m.jsonl --strict").printed();
    let text = std::fs::read_to_string(folder.join("m.jsonl")).unwrap();
    assert_eq!(converted.lines().count(), 2);
    // Other values of this form are not left out.
    let (first, rest) = text.split_once('\n').unwrap();
    let other = first.replace("\"seed\"", "\"moves\":\"d1-d2/d3\",\"seed\"");
    folder.write("other.jsonl", &format!("{other}\n{rest}"));
    run_in(folder, "convert other.jsonl --strict").assert_refused("other.jsonl: line 1");
}

#[test]
fn plain_moves_and_sau_notation_are_converted() {
    let folder = &Folder::new("convert-moves");
    for (text, edge) in [
        ("d1-d7/g7 a7-d4/a7\n", 10),
        ("1. d1d7,d7g7 a7d4(a7)\r\n", 10),
        ("DJDDGD\nADDGAD\n", 10),
        ("Black: DJDDGD\r\nWhite: ADDGAD\r\n", 10),
        ("c1-c6/f6", 8),
    ] {
        folder.write("moves.txt", text);
        let game = json::read(&run_in(folder, "convert moves.txt").printed()).unwrap();
        assert_eq!(game.start, Position::start(size(edge)), "{text}");
        assert_eq!(game.positions().len(), if edge == 10 { 3 } else { 2 }, "{text}");
    }
    folder.write("moves.txt", "d1-d7/g7 well played");
    run_in(folder, "convert moves.txt --strict").printed();
    folder.write("moves.txt", "d1-d7/g7\na7-d4");
    run_in(folder, "convert moves.txt --strict").assert_refused("line 2: in no game: a7-d4");
}

#[test]
fn records_in_gbk_and_utf_16_are_converted() {
    let folder = &Folder::new("convert-encodings");
    let text = "#[AM][甲队][乙队][先手胜][2020.08.16 重庆][2020 CCGC];\r\n1 d1d7(g7) a7d4(a7)\r\n";
    // The same text in GBK.
    let gbk =
        b"#[AM][\xbc\xd7\xb6\xd3][\xd2\xd2\xb6\xd3][\xcf\xc8\xca\xd6\xca\xa4][2020.08.16 \xd6\xd8\xc7\xec]\
                [2020 CCGC];\r\n1 d1d7(g7) a7d4(a7)\r\n";
    let utf_16 = |unit: fn(u16) -> [u8; 2]| format!("\u{feff}{text}").encode_utf16().flat_map(unit).collect();
    for bytes in [text.into(), gbk.to_vec(), utf_16(u16::to_le_bytes), utf_16(u16::to_be_bytes)] {
        std::fs::write(folder.join("game.txt"), &bytes).unwrap();
        let game = json::read(&run_in(folder, "convert game.txt --strict").printed()).unwrap();
        assert_eq!((&*game.black, &*game.white, &*game.when), ("甲队", "乙队", "2020.08.16 重庆"));
        assert_eq!((game.winner, game.positions().len()), (Some(Side::Black), 3));
    }
}

#[test]
fn the_extension_of_the_output_selects_the_format_in_any_case() {
    let folder = Folder::new("convert-extension");
    folder.write("game.jsonl", &json::write(&game(10, 1)));
    for (output, begin) in
        [("a.sgf", "(;"), ("B.SGF", "(;"), ("c.Txt", "#[AM]"), ("d.JSON", "{"), ("e.other", "{"), ("f", "{")]
    {
        run_in(&folder, &format!("convert game.jsonl --output {output}")).printed();
        let text = std::fs::read_to_string(folder.join(output)).unwrap();
        assert!(text.starts_with(begin), "{output}: {text}");
    }
}

#[test]
fn no_input_is_overwritten() {
    let folder = &Folder::new("convert-same");
    let [one, two] = [6, 8].map(|edge| json::write(&game(edge, 1)) + "\n");
    let same_name = "0001-a_b-乙.jsonl";
    for (text, output) in
        [(&one, same_name), (&(one.clone() + &two), same_name), (&one, "link.sgf"), (&one, ".")]
    {
        let input = folder.write(same_name, text);
        let _ = std::fs::remove_file(folder.join("link.sgf"));
        std::os::unix::fs::symlink(same_name, folder.join("link.sgf")).unwrap();
        run_in(folder, &format!("convert {same_name} --output {output}")).assert_refused("is an input");
        assert_eq!(&std::fs::read_to_string(&input).unwrap(), text, "{output}");
    }
}
