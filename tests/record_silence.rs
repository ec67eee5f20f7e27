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

#[test]
fn last_moves_behind_a_sign_are_doubtful() {
    const DOUBT: &str = "the last moves stand behind a sign, unlike those before; they are read as played";
    for text in [
        "1. d1-d7/g7 a7-d4/a7; a4-a6/b6",
        "1. d1-d7/g7 a7-d4/a7 = a4-a6/b6",
        "d1-d7/g7\na7-d4/a7\n; a4-a6/b6",
        "d1-d7/g7\na7-d4/a7\n? a4-a6/b6",
        "d1d7(g7) a7d4(a7) -- a4a6(b6)",
        "1. d1-d7/g7 a7-d4/a7 \"a4-a6/b6\"",
        "1. d1-d7/g7 a7-d4/a7 <a4-a6/b6> 1-0",
        "1. d1-d7/g7 a7-d4/a7\n2. a4-a6/b6 j7-j6/j5 ＝ d7-d6/d5; d4-d3/d2",
    ] {
        assert_eq!(warnings(&reading(text)), [DOUBT], "{text}");
    }
    for text in [
        "1. d1-d7/g7! a7-d4/a7 2. a4-a6/b6 ?! j7-j6/j5",
        "1. d1-d7/g7; a7-d4/a7;\n2. a4-a6/b6; j7-j6/j5;",
        "| 1 | d1-d7/g7 | a7-d4/a7 |\n| 2 | a4-a6/b6 | j7-j6/j5 |\n| 3 | d7-d6/d5 |",
        "<tr><td>1</td><td>d1-d7/g7</td><td>a7-d4/a7</td></tr>\n<tr><td>2</td><td>a4-a6/b6</td></tr>",
        "> d1-d7/g7\n> a7-d4/a7\n> a4-a6/b6",
        "1. d1-d7/g7 a7-d4/a7\n2. a4-a6/b6\n2. ... j7-j6/j5",
        "1. d1-d7/g7 (0:12) a7-d4/a7 {+0.35/12} 2. a4-a6/b6 [0.5] j7-j6/j5",
    ] {
        assert_eq!(warnings(&reading(text)), Vec::<&str>::new(), "{text}");
    }
    // So are those behind a heading.
    let text = "1. d1-d7/g7 a7-d4/a7\n\nAnalysis:\na4-a6/b6";
    assert!(warnings(&reading(text))[0].starts_with("the last moves stand beside words"));
}

#[test]
fn a_result_behind_the_number_of_a_game_is_read() {
    for (heading, winner) in [
        ("Game 17 (1-0)", Side::Black),
        ("Game 17: 0-1", Side::White),
        ("Round 3, board 2: 1-0", Side::Black),
        ("Game 3 of 20 (0-1)", Side::White),
        ("第3局：后手胜", Side::White),
        ("Game 3: second player wins", Side::White),
        ("== Game 1 (1-0) ==", Side::Black),
        ("17) 1-0", Side::Black),
        ("0-1, game 17", Side::White),
    ] {
        let text = format!("{heading}\nd1-d7/g7\na7-d4/a7");
        let reading = reading(&text);
        assert_eq!((reading.games[0].winner, warnings(&reading)), (Some(winner), Vec::new()), "{heading}");
    }
    for heading in ["Final 1-0", "Game 17, 25 moves (1-0)", "Ann (1-0)", "Round 1: Win 0-1 Lose"] {
        let reading = reading(&format!("{heading}\nd1-d7/g7\na7-d4/a7"));
        assert_eq!(reading.games[0].winner, None, "{heading}");
        assert!(warnings(&reading)[0].contains("does not name the winner"), "{heading}");
    }
    let two = "Game 1 (1-0)\nd1-d7/g7 a7-d4/a7\nGame 2 (0-1)\nd1-d2/d3 a7-a6/a5";
    let winners: Vec<_> = reading(two).games.iter().map(|game| game.winner).collect();
    assert_eq!(winners, [Some(Side::Black), Some(Side::White)]);
}

#[test]
fn a_time_control_beside_a_result_is_no_move() {
    for control in ["5+3,", "5+3;", "10+0\t", "5'+3\",", "3|2,", "40/60,", "Ann,Bob,", "5 min,", "1,5+3,"] {
        for (result, winner) in [("1-0", Side::Black), ("0-1", Side::White)] {
            let end = &control[control.len() - 1..];
            let text = format!("{control}{result}{end}d1-d7/g7 a7-d4/a7");
            let reading = reading(&text);
            assert_eq!((reading.games[0].winner, warnings(&reading)), (Some(winner), Vec::new()), "{text}");
        }
    }
    let text = "d1-d7/g7 1'05\"\na7-d4/a7 0'12\"\n0-1";
    assert_eq!(reading(text).games[0].winner, Some(Side::White));
}

#[test]
fn each_row_of_a_table_is_a_game() {
    let games = [("d1-d7/g7 a7-d4/a7", Side::Black), ("d1-d2/d3 a7-a6/a5 d2-d1/d2", Side::White)];
    for (row, between) in [
        ("<tr><td>#</td><td>M</td><td>R</td></tr>", "\n"),
        ("<tr><td>#</td><td>M</td><td>R</td></tr>", ""),
        ("<tr>\n<td>#</td>\n<td>R</td>\n<td>M</td>\n</tr>", "\n"),
        ("<tr class=\"odd\"><td align=\"right\">#</td><td>M</td><td>R</td></tr>", "\n"),
        ("<li>M R</li>", "\n"),
        ("<p>M</p><p>R</p>", "\n"),
        ("| # | M | R |", "\n"),
        ("| # | R | M |", "\n"),
        ("#\tM\tR", "\n"),
        ("#\tAnn\tBob\tR\tM", "\n"),
        ("#: M (R)", "\n"),
    ] {
        let rows = games.iter().zip(1..).map(|((moves, winner), number)| {
            let result = if *winner == Side::Black { "1-0" } else { "0-1" };
            row.replace('#', &number.to_string()).replace('M', moves).replace('R', result)
        });
        let text = rows.collect::<Vec<_>>().join(between);
        let reading = reading(&text);
        let found: Vec<_> = reading.games.iter().map(|game| (moves(game), game.winner)).collect();
        let expected = games.map(|(moves, winner)| (moves.to_owned(), Some(winner)));
        assert_eq!((found.as_slice(), warnings(&reading)), (expected.as_slice(), Vec::new()), "{text}");
    }
    // What can be a move in an element is not skipped.
    let reading = reading("<td title=\"d1-d2/d3\">x</td>\n1. d1-d7/g7 a7-d4/a7");
    assert!(!reading.warnings.is_empty());
}

#[test]
fn comments_in_sgf_state_the_winner() {
    let game = |head: &str, last: &str| format!("(;GM[18]{head};B[djddgd];W[addgad]{last})");
    for (comment, winner) in [
        ("White resigns", Side::Black),
        ("1-0", Side::Black),
        ("黑胜", Side::Black),
        ("Good game!\nBlack lost on time.", Side::White),
        ("B+3", Side::Black),
        ("Ann wins", Side::Black),
    ] {
        let names = "PB[Ann]PW[Bob]";
        for text in [
            game(names, &format!("C[{comment}]")),
            game(names, &format!(";C[{comment}]")),
            game(&format!("{names}C[{comment}]"), ""),
            game(names, &format!("N[{comment}];B[]")),
        ] {
            let reading = reading(&text);
            assert_eq!((reading.games[0].winner, warnings(&reading)), (Some(winner), Vec::new()), "{text}");
        }
        let other = if winner == Side::Black { "RE[W+]" } else { "RE[B+]" };
        for (result, found) in [(other, Some(winner.opponent())), ("RE[?]", None)] {
            let reading = reading(&game(&format!("{names}{result}"), &format!("C[{comment}]")));
            assert_eq!(reading.games[0].winner, found, "{comment}");
            assert!(warnings(&reading)[0].contains(&format!("says that {winner} has won")), "{comment}");
        }
    }
    for comment in ["0.53", "+0.35", "Black should win", "nice", "Black wins the left side", "-1"] {
        let reading = reading(&game("", &format!("C[{comment}]")));
        assert_eq!((reading.games[0].winner, warnings(&reading)), (None, Vec::new()), "{comment}");
    }
    // A comment on an earlier move says nothing about the end.
    let text = "(;GM[18];B[djddgd]C[White resigns];W[addgad])";
    assert_eq!(reading(text).games[0].winner, None);
}

#[test]
fn phrases_of_results_are_read() {
    let moves = "Black: d1-d7/g7\nWhite: a7-d4/a7\n";
    for (result, winner) in [
        ("White has no more moves", Side::Black),
        ("Black can't move", Side::White),
        ("no moves for White", Side::Black),
        ("Game over: White wins", Side::White),
        ("=== Black wins ===", Side::Black),
        ("первый игрок выиграл", Side::Black),
        ("Nachziehender gewinnt", Side::White),
    ] {
        let reading = reading(&format!("{moves}{result}\n"));
        assert_eq!((reading.games[0].winner, warnings(&reading)), (Some(winner), Vec::new()), "{result}");
    }
}

#[test]
fn a_damaged_record_of_json_behind_text_is_named() {
    let json = otrera::record::json::write(&GameRecord::new("Ann", "Bob", Position::standard()));
    for (text, damaged) in [
        (format!("Dear Cid,\n{json}"), false),
        (format!("Dear Cid,\n{}", json.replace(" w - ", "\tw\t-\t")), true),
        (format!("Dear Cid,\n{}", json.replace("\"Bob\"", "\"Bob\"\"")), true),
        (format!("Dear Cid,\n{}", json.replace("[]", "[")), true),
    ] {
        let reading = record::read(&text);
        let problems = reading.map_or_else(
            |error| error.to_string(),
            |reading| reading.warnings.iter().map(|warning| warning.to_string()).collect(),
        );
        assert_eq!(problems.contains("line 2: this JSON is damaged"), damaged, "{text}: {problems}");
    }
}
