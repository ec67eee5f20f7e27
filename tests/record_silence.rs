//! Nothing is lost in silence: results in place of moves, games without their beginning, results beside both names.

use otrera::record::{self, Reading};
use otrera::{GameRecord, Position, Side};

fn reading(text: &str) -> Reading {
    record::read(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn moves(game: &GameRecord) -> String {
    game.moves.iter().map(|played| played.mv.to_string()).collect::<Vec<_>>().join(" ")
}

/// Returns the warnings without their lines.
fn warnings(reading: &Reading) -> Vec<&str> {
    reading.warnings.iter().map(|warning| warning.text.as_str()).collect()
}

#[test]
fn sgf_values_in_place_of_a_move_name_the_winner() {
    let late = Some("late");
    for (value, winner, forfeit) in [
        ("resign", Some(Side::Black), None),
        ("resigned", Some(Side::Black), None),
        ("Resigned.", Some(Side::Black), None),
        ("White resigns", Some(Side::Black), None),
        ("gives up", Some(Side::Black), None),
        ("surrenders", Some(Side::Black), None),
        ("认输", Some(Side::Black), None),
        ("投了", Some(Side::Black), None),
        ("time", Some(Side::Black), late),
        ("timeout", Some(Side::Black), late),
        ("lost on time", Some(Side::Black), late),
        ("超时", Some(Side::Black), late),
        ("forfeit", Some(Side::Black), Some("forfeit")),
        ("0-1", Some(Side::White), None),
        ("B wins", Some(Side::Black), None),
        ("wins", Some(Side::White), None),
        ("", None, None),
        ("tt", None, None),
    ] {
        let reading = reading(&format!("(;GM[18];B[djddgd];W[{value}])"));
        let game = &reading.games[0];
        let kind = game.forfeit.as_ref().map(|(kind, _)| kind.as_str());
        assert_eq!((game.moves.len(), game.winner, kind), (1, winner, forfeit), "{value}");
        assert!(reading.warnings.is_empty(), "{value}: {:?}", reading.warnings);
    }
    for value in ["pass", "PASS", "I resign", "move", "0", "no move left"] {
        let reading = reading(&format!("(;GM[18];B[djddgd];W[{value}])"));
        assert_eq!(reading.games[0].winner, None, "{value}");
        assert!(warnings(&reading)[0].contains("is not a move"), "{value}: {:?}", reading.warnings);
    }
    // The colours of the file are exchanged: its White moves first.
    let game = &reading("(;PB[b]PW[w];W[j4-g7/d7];B[resigned])").games[0];
    assert_eq!((game.black.as_str(), game.winner), ("w", Some(Side::Black)));
    for (text, winner, warning) in [
        ("(;GM[18]RE[W+];B[djddgd];W[resigned])", Some(Side::White), "another result of this game"),
        ("(;GM[18];B[djddgd];W[resign];C[bye])", Some(Side::Black), "the game ends here"),
        ("(;GM[18];B[djddgd](;W[addgad])(;W[resign]))", None, "the variation ends here"),
    ] {
        let reading = reading(text);
        assert_eq!(reading.games[0].winner, winner, "{text}");
        assert!(
            warnings(&reading).iter().any(|text| text.contains(warning)),
            "{text}: {:?}",
            reading.warnings
        );
    }
}

#[test]
fn games_in_one_bracket_keep_their_results() {
    const ONE: &str = "d1-d7/g7";
    const OTHER: &str = "d1-d3/f5";
    for text in [
        "((;GM[18]PB[a]RE[B+];B[djddgd])(;GM[18]PB[c]RE[W+];B[djdhff]))",
        "(((;PB[a]RE[B+];B[djddgd])(;PB[c]RE[W+];B[djdhff])))",
        "(\n(;PB[a]RE[B+];B[djddgd])\n(;PB[c]RE[W+];B[djdhff])\n)",
        "(;FF[4](;GM[18]PB[a]RE[B+];B[djddgd])(;GM[18]PB[c]RE[W+];B[djdhff]))",
        "(;GM[18]PB[a]RE[B+];B[djddgd]\n(;GM[18]PB[c]RE[W+];B[djdhff])",
        "(;GM[18]PB[a]RE[B+];B[djddgd]\n;FF[4]GM[18]PB[c]RE[W+];B[djdhff])",
        "(;gm[18]pb[a]re[B+];b[djddgd](;gm[18]pb[c]re[W+];b[djdhff]))",
        "(;GM[18]PB[a]RE[B+];B[djddgd])\nGM[18]PB[c]RE[W+];B[djdhff])",
        "PB[a]RE[B+];B[djddgd])(;GM[18]PB[c]RE[W+];B[djdhff])",
    ] {
        let reading = reading(text);
        let games: Vec<_> =
            reading.games.iter().map(|game| (&*game.black, game.winner, moves(game))).collect();
        let expected = [("a", Some(Side::Black), ONE.to_owned()), ("c", Some(Side::White), OTHER.to_owned())];
        assert_eq!(games, expected, "{text}");
        assert!(reading.warnings.is_empty(), "{text}: {:?}", reading.warnings);
    }
    // Variations stay variations.
    let reading = reading("((;GM[18];B[djddgd](;W[addgad])(;W[addead];B[gjehea])))");
    assert_eq!(reading.games.len(), 1);
    assert_eq!(reading.games[0].notes[&1].variations.len(), 1);
}

#[test]
fn sgf_without_its_beginning_keeps_names_or_names_them() {
    const TWO: &str = "d1-d7/g7 a7-d4/a7";
    for (text, names, warned) in [
        ("PB[Ann]PW[Bob];B[djddgd];W[addgad])", ["Ann", "Bob"], None),
        (";GM[18]PB[Ann]PW[Bob]\n;B[djddgd]\n;W[addgad])", ["Ann", "Bob"], None),
        ("GM[18]PB[Ann]\nPW[Bob]\n;B[djddgd];W[addgad]", ["Ann", "Bob"], None),
        ("Hi,\nthe game:\nPB[Ann]PW[Bob]\n;B[djddgd];W[addgad])", ["Ann", "Bob"], None),
        ("8]PB[Ann]PW[Bob];B[djddgd];W[addgad])", ["Ann", "Bob"], Some("the property 8] is not kept")),
        ("B[Ann]PW[Bob];B[djddgd];W[addgad])", ["", "Bob"], Some("the property B[Ann] is not kept")),
        ("nn]PW[Bob]\n;B[djddgd]\n;W[addgad])", ["", "Bob"], Some("the property nn] is not kept")),
    ] {
        let reading = reading(text);
        let game = &reading.games[0];
        assert_eq!((reading.games.len(), moves(game).as_str()), (1, TWO), "{text}");
        assert_eq!([game.black.as_str(), game.white.as_str()], names, "{text}");
        assert_eq!(warnings(&reading), warned.into_iter().collect::<Vec<_>>(), "{text}");
    }
}

#[test]
fn everything_around_a_game_in_sgf_is_in_warnings() {
    let game = "(;GM[18];B[djddgd])\n";
    for (text, part) in [
        (format!("{game}The next move was W[addgad]"), "in no game: addgad"),
        (format!("[Result \"1-0\"]\n{game}"), "left out: 1-0"),
        (format!("#[AM][a][b][先手胜][t][e]\n{game}"), "left out: 先手胜"),
    ] {
        let reading = reading(&text);
        assert_eq!(reading.games.len(), 1, "{text}");
        assert!(warnings(&reading)[0].contains(part), "{text}: {:?}", reading.warnings);
    }
    // However many there are, in the order of the lines.
    let text = format!("{game}{}", "d1-d7/g7\nWhite wins.\n".repeat(80));
    let reading = reading(&text);
    let lines: Vec<usize> = reading.warnings.iter().map(|warning| warning.line).collect();
    assert_eq!(lines, (2..162).collect::<Vec<_>>());
    assert!(warnings(&reading)[159].contains("a result outside of the games"));
}

#[test]
fn words_behind_the_last_move_make_it_doubtful() {
    const DOUBT: &str = "the last moves stand beside words, unlike those before; they are read as played";
    for text in [
        "1. d1-d7/g7 a7-d4/a7\n2. a4-a6/b6 was refused",
        "1. d1-d7/g7 a7-d4/a7 a4-a6/b6 was refused",
        "1. d1-d7/g7 a7-d4/a7\na4-a6/b6 (refused)",
        "d1-d7/g7\na7-d4/a7\na4-a6/b6 被拒绝",
        "Black: d1-d7/g7\nWhite: a7-d4/a7\nBlack: a4-a6/b6, refused by the referee",
        "Black plays d1-d7/g7\nWhite plays a7-d4/a7\nBlack plays a4-a6/b6, illegal",
        "d1-d7/g7\na7-d4/a7\nillegal: a4-a6/b6",
    ] {
        let reading = reading(text);
        assert_eq!((reading.games[0].moves.len(), warnings(&reading)), (3, vec![DOUBT]), "{text}");
    }
    for text in [
        "Black: d1-d7/g7\nWhite: a7-d4/a7\nBlack: a4-a6/b6 White resigns",
        "Black: d1-d7/g7\nWhite: a7-d4/a7 (0:12)\nBlack: a4-a6/b6 (0:14) Black has won.",
        "1. d1-d7/g7 a7-d4/a7\n2. a4-a6/b6 {good} 1-0",
        "1. d1-d7/g7 good a7-d4/a7 good\n2. a4-a6/b6 good",
        "1. d1-d7/g7 a7-d4/a7\n2. a4-a6/b6\nThanks for the game",
    ] {
        assert_eq!(warnings(&reading(text)), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn a_result_behind_a_comment_is_read() {
    for comment in ["{good}", "｛ｘ｝", "（０：１２）", "｛［％ｃｌｋ ０：１４：５８］｝"]
    {
        for result in ["1-0", "１－０"] {
            let reading = reading(&format!("d1-d7/g7 a7-d4/a7\na4-a6/b6 {comment} {result}\n"));
            assert_eq!(reading.games[0].winner, Some(Side::Black), "{comment} {result}");
        }
    }
}

#[test]
fn a_game_without_moves_keeps_its_names() {
    // The tabs inside its strings are not valid in JSON.
    let fen = Position::standard().to_fen().replace(' ', "\t");
    let text =
        format!("{{\n\"black\": \"Bob\",\n\"moves\": [],\n\"start\": \"{fen}\",\n\"white\": \"Ann\"\n}}");
    let game = reading(&text).games.remove(0);
    assert_eq!([&*game.black, &*game.white], ["Bob", "Ann"]);
}

#[test]
fn a_player_who_cannot_go_on_has_lost() {
    let moves = "Black: d1-d7/g7\nWhite: a7-d4/a7\n";
    for result in [
        "White quit",
        "White disconnected",
        "White has no legal moves",
        "White cannot move.",
        "White is stuck",
        "Black takes the game",
        "白方掉线",
    ] {
        let reading = reading(&format!("{moves}{result}\n"));
        assert_eq!(
            (reading.games[0].winner, warnings(&reading)),
            (Some(Side::Black), Vec::new()),
            "{result}"
        );
    }
    for result in ["Score: 1-0", "Final score: 1-0"] {
        let reading = reading(&format!("{moves}{result}\n"));
        assert!(warnings(&reading)[0].contains("does not name the winner"), "{result}");
    }
}

#[test]
fn a_result_behind_numbers_is_read() {
    for text in ["6x6 5 1 4 1 4 3 4 5 3 4 2 5! 1-0", "6x6 5 1 4 1 4 3 +- 4 5 3 4 2 5 1-0  "] {
        let reading = reading(text);
        assert_eq!((reading.games[0].winner, warnings(&reading)), (Some(Side::Black), Vec::new()), "{text}");
    }
}

#[test]
fn results_beside_both_players_are_read() {
    let moves = "Black: d1-d7/g7\nWhite: a7-d4/a7\n";
    for (result, winner) in [
        ("White 0 Black 1", Some(Side::Black)),
        ("Black 1, White 0", Some(Side::Black)),
        ("Black: 1\nWhite: 0", Some(Side::Black)),
        ("Black 0 : White 1", Some(Side::White)),
        ("Black 0-1 White", Some(Side::White)),
        ("White 1 - 0 Black", Some(Side::White)),
        ("Black - White 1-0", Some(Side::Black)),
        ("Final score: White 1, Black 0", Some(Side::White)),
        ("白 0 黑 1", Some(Side::Black)),
        ("黑1：白0", Some(Side::Black)),
        ("先手 0 后手 1", Some(Side::White)),
        ("player 1: 0\nplayer 2: 1", Some(Side::White)),
    ] {
        let [behind, before] = [format!("{moves}{result}"), format!("{result}\n{moves}")];
        for text in [behind, before] {
            let reading = reading(&text);
            assert_eq!((reading.games[0].winner, warnings(&reading)), (winner, Vec::new()), "{text}");
        }
    }
    for (result, winner) in [
        ("Ann 1-0 Bob", Side::Black),
        ("Bob 1-0 Ann", Side::White),
        ("Ann 0 Bob 1", Side::White),
        ("Bob - Ann 0-1", Side::Black),
    ] {
        let reading = reading(&format!("[White \"Ann\"]\n[Black \"Bob\"]\n\n1. d1-d7/g7 a7-d4/a7\n{result}"));
        assert_eq!((reading.games[0].winner, warnings(&reading)), (Some(winner), Vec::new()), "{result}");
    }
    for (result, warning) in [
        ("Ann 1-0 Bob", "does not name the winner"),
        ("Ann 1:0 Bob", "does not name the winner"),
        ("Round 3, Ann v Bob, 1-0", "does not name the winner"),
        ("White 12 Black 8", "does not name the winner"),
        ("White 1 Black 1", "does not name the winner"),
        ("Ann vs Bob", "the name Ann, Bob is not kept"),
        ("Game 1: Ann v. Bob", "the name Ann, Bob is not kept"),
        ("甲 对 乙", "the name 甲, 乙 is not kept"),
    ] {
        let reading = reading(&format!("{result}\nd1-d7/g7\na7-d4/a7"));
        let last = reading.warnings.last().map(ToString::to_string).unwrap_or_default();
        assert!(last.starts_with("line 1: ") && last.contains(warning), "{result}: {:?}", reading.warnings);
    }
    for text in ["depth 1 score 0", "black 12:03 white 8:14", "black 1 hour, white 0 minutes"] {
        let text = format!("{moves}{text}");
        assert_eq!(warnings(&reading(&text)), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn the_letter_of_a_piece_can_stand_before_a_whole_move() {
    for text in [
        "1. Qd1-d7/g7 Qa7-d4/a7",
        "１ Ｑｄ１ｄ７，ｇ７ Ｑａ７ｄ４，ａ７",
        "１ Ｑｄ１－ｄ７／ｇ７ Ｑａ７－ｄ４／ａ７",
        "1. Qd1d7/g7 Qa7d4/a7",
        "1. Qd1-d7(g7) Qa7-d4 (a7)",
        "1. Qd1 d7 g7\n1... Qa7 d4 a7",
        "1. ♕d1-d7,g7 ♛a7-d4,a7",
        "1. Ad1-d7/g7 Aa7-d4/a7",
        "1. Ad1d7/g7 Aa7d4/a7",
        "1. Ad1d7g7 Aa7d4a7",
        "1. Dd1->d7->g7 Da7->d4->a7",
    ] {
        let reading = reading(text);
        assert_eq!(
            (moves(&reading.games[0]).as_str(), warnings(&reading)),
            ("d1-d7/g7 a7-d4/a7", Vec::new()),
            "{text}"
        );
    }
    // The letter of a colour names the mover.
    let reading = reading("Bd1-d7/g7\nWa7-d4/a7\nWhite resigns");
    assert_eq!((reading.games[0].winner, warnings(&reading)), (Some(Side::Black), Vec::new()));
}

#[test]
fn a_result_in_a_field_of_a_table_is_read() {
    let moves = "d1-d7/g7 a7-d4/a7";
    for (result, winner) in [("1-0", Side::Black), ("0-1", Side::White)] {
        for text in [
            format!("date,result,moves\n2026-11-02,{result},{moves}"),
            format!("17, 2026-08-05, {result}, {moves}"),
            format!("02.11.2026\t{result}\t{moves}"),
            format!("white;black;result;moves\nAnn;Bob;{result};{moves}"),
            format!("Cup|{result}|{moves}"),
            format!("{moves};{result};2026-11-02"),
            format!("{moves}\n{result}\n{result}\n"),
            format!("{moves}\n{result}\n\n{result}"),
        ] {
            let reading = reading(&text);
            assert_eq!((reading.games[0].winner, warnings(&reading)), (Some(winner), Vec::new()), "{text}");
        }
    }
    let reading = reading(&format!("{moves}\n1-0\n0-1"));
    assert_eq!(warnings(&reading), ["another result of this game says that Black has won"]);
}

#[test]
fn a_move_taken_back_at_the_end_is_a_warning() {
    for words in ["undo", "\nUndo!", " taken back", "\n\nBob takes back his move", "悔棋", "\n白方收回一步"]
    {
        let reading = reading(&format!("d1-d7/g7\na7-d4/a7 {words}"));
        let last = reading.warnings.last().map(|warning| warning.text.as_str());
        assert_eq!(last, Some("the last move seems to be taken back; it is read as played"), "{words}");
    }
}
