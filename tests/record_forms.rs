//! Table of inputs: forms in which people keep games, and the games that they are.

use otrera::record::{self, Reading};
use otrera::{GameRecord, Position, Side};

fn reading(bytes: &[u8]) -> Reading {
    record::read_bytes(bytes).unwrap_or_else(|error| panic!("{}: {error}", String::from_utf8_lossy(bytes)))
}

fn moves(game: &GameRecord) -> String {
    game.moves.iter().map(|played| played.mv.to_string()).collect::<Vec<_>>().join(" ")
}

const THREE: &str = "d1-d7/g7 a7-d4/a7 g1-e3/e10";

/// Inputs with the moves of each game in them, and the first game's winner.
const FORMS: &[(&str, &[&str], Option<Side>)] = &[
    ("#[AM][甲][乙][先手胜][t][e];1 d1d7(g7) a7d4(a7)\n2 g1e3(e10)", &[THREE], Some(Side::Black)),
    ("#[AM][甲][乙][先手胜][t][e];1 d1d7(g7) a7d4(a7) 2 g1e3(e10)", &[THREE], Some(Side::Black)),
    ("#[AM][甲][乙][先手胜][t][e];甲队执白先手D1D7(G7)  A7D4(A7)", &["d1-d7/g7 a7-d4/a7"], Some(Side::Black)),
    ("#[AM][甲][乙\n][手胜][t][e];\n1 d1d7(g7)", &["d1-d7/g7"], None),
    (
        "#[AM][甲][乙\n][手胜][t][e];\n1 d1d7(g7)\n#[AM][甲][乙\n][手胜][t][e];\n1 d1d7(g7)\n",
        &["d1-d7/g7", "d1-d7/g7"],
        None,
    ),
    ("#[AM][甲][乙\n][手胜][t][e];\n1 d1d7(g7) a7d4(a7)\n2 g1e3(e10) 后手认输", &[THREE], Some(Side::Black)),
    ("(;PB[b]PW[w];W[j4-g7/d7];B[g10-h9/g8])", &["j4-g7/d7 g10-h9/g8"], None),
    ("[Variant \"Amazons\"]\n\n1. Qdd7,g7 Qd4,a7 2. Qe3,e10 1-0", &[THREE], Some(Side::Black)),
    ("[Variant \"Amazons\"]\n\n1. d1d7,d7g7 a7d4,d4a7 2. g1e3,e3e10 1-0", &[THREE], Some(Side::Black)),
    (
        "{\"format\":\"amazons\",\"version\":1,\"board_size\":10,\"turns\":[[[9,3],[3,3],[3,6]],[[3,0],[6,3],[3,0]]]}",
        &["d1-d7/g7 a7-d4/a7"],
        None,
    ),
    (
        "3\n-1 -1 -1 -1 -1 -1\n5 0 3 2 6 5\n0 5 4 5 3 4\n0 2 0 3 3 0\n2 7 2 5 1 4",
        &["f1-d3/g6 a6-e6/d5 a3-a4/d1 c8-c6/b5"],
        None,
    ),
    ("5 0 3 2 6 5\n0 5 4 5 3 4\n0 2 0 3 3 0\n2 7 2 5 1 4", &["f1-d3/g6 a6-e6/d5 a3-a4/d1 c8-c6/b5"], None),
    ("Turn 1 (BLACK): 7 2 7 4 6 4", &["h3-h5/g5"], None),
    (
        r#"[{"output":{"command":"request"}},{"0":{"verdict":"RE"}},{"output":{"command":"finish","content":{"0":0,"1":2}}}]"#,
        &[""],
        Some(Side::White),
    ),
    ("1 d1d7(g7) a7d4(a7) 2 g1e3(e10)", &[THREE], None),
    ("1. d1-d7/g7! {x} a7-d4/a7 2. g1-e3/e10 1-0", &[THREE], Some(Side::Black)),
    ("1.d1–d7,g7; a7–d4,a7;", &["d1-d7/g7 a7-d4/a7"], None),
    ("d1 d7 g7\na7 d4 a7", &["d1-d7/g7 a7-d4/a7"], None),
    ("d1-d7 (g7)", &["d1-d7/g7"], None),
    ("(;GM[18];B[djddgd];W[addgad]", &["d1-d7/g7 a7-d4/a7"], None),
    ("mail (JST) header\n(;GM[18];B[djddgd])", &["d1-d7/g7"], None),
    ("(;GM[18]PB[P[3d]];B[djddgd])", &["d1-d7/g7"], None),
    ("(B[djddgd];W[addgad])", &["d1-d7/g7 a7-d4/a7"], None),
    ("(;GM[18];B[djddgd];W[])", &["d1-d7/g7"], None),
    ("(;GM[18];B[djddgd])(;GM[1];B[dd])", &["d1-d7/g7"], None),
];

#[test]
fn every_form_is_read() {
    let mut failures = Vec::new();
    for (text, expected, winner) in FORMS {
        let found = record::read_bytes(text.as_bytes());
        let games = found.as_ref().map(|reading| reading.games.iter().map(moves).collect::<Vec<_>>());
        let won = found.as_ref().ok().and_then(|reading| reading.games[0].winner);
        if games.as_ref().ok().is_none_or(|games| games != expected) || won != *winner {
            failures.push(format!("{text}\n  expected {expected:?} {winner:?}\n  found {games:?} {won:?}"));
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), FORMS.len(), failures.join("\n"));
}

#[test]
fn every_encoding_is_read() {
    for ca in ["CA[ISO-8859-1]", ""] {
        let text = [b"(;GM[18]", ca.as_bytes(), b"PB[Jos\xe9];B[djddgd];W[addgad])"].concat();
        let game = reading(&text).games.remove(0);
        assert_eq!((game.black.as_str(), moves(&game).as_str()), ("José", "d1-d7/g7 a7-d4/a7"), "{ca}");
        assert_eq!(game.start, Position::standard());
    }
}
