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
    ("1. d1-d7/g7 a7-d4/a7\n2. Q4a6,b6 Qd5,d6", &["d1-d7/g7 a7-d4/a7 a4-a6/b6 d4-d5/d6"], None),
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
    (
        "{\n \"format\": \"amazons\",\n \"version\": 1,\n \"board_size\": 10,\n \"turns\": [\n  [\n   [\n    9,\n    3\n   ],\n   \
         [\n    3,\n    3\n   ],\n   [\n    3,\n    6\n   ]\n  ],\n  [[3, 0],\n [6, 3],\n [3, 0]]\n ]\n}",
        &["d1-d7/g7 a7-d4/a7"],
        None,
    ),
    // Several games in a file.
    ("Game 1\nd1-d7/g7 a7-d4/a7\nGame 2\ng1-e3/e10 j7-g7/j7", &[TWO, "g1-e3/e10 j7-g7/j7"], None),
    ("第1局\nd1-d7/g7 a7-d4/a7\n第2局\ng1-e3/e10 j7-h7/j7", &[TWO, "g1-e3/e10 j7-h7/j7"], None),
    ("1. d1-d7/g7 a7-d4/a7\n\n1. g1-e3/e10 j7-h7/j7", &[TWO, "g1-e3/e10 j7-h7/j7"], None),
    ("1. d1-d7/g7\n1... a7-d4/a7\n2. g1-e3/e10", &[THREE], None),
    (r#"{"games":[{"moves":["d1-d7/g7"]},{"moves":["g1-e3/e10"]}]}"#, &["d1-d7/g7", "g1-e3/e10"], None),
    (r#"{"turns":[{"moves":["d1-d7/g7"]},{"moves":["a7-d4/a7"]}]}"#, &[TWO], None),
    // Nested otherwise, with other names of coordinates, with escapes.
    (
        r#"{"moves":[{"fromRow":9,"fromCol":3,"toRow":3,"toCol":3,"arrowRow":3,"arrowCol":6},
            {"fromRow":3,"fromCol":0,"toRow":6,"toCol":3,"arrowRow":3,"arrowCol":0}]}"#,
        &[TWO],
        None,
    ),
    (r#"{"moves":"d1-d7\/g7\na7-d4\/a7","result":"\u5148\u624b\u80dc"}"#, &[TWO], Some(Side::Black)),
    (
        r#"{"moves":[{"id":1,"from":[9,3],"to":[3,3],"arrow":[3,6],"time":12},
            {"id":2,"from":[3,0],"to":[6,3],"arrow":[3,0],"time":4}]}"#,
        &[TWO],
        None,
    ),
    (r#"[{"piece":"d1","target":"d7","fire":"g7"},{"piece":"a7","target":"d4","fire":"a7"}]"#, &[TWO], None),
    // Punctuation, pages and mail.
    ("<p>1.&nbsp;d1&ndash;d7&#47;g7&nbsp;&nbsp;a7-&gt;d4 (a7)</p>", &[TWO], None),
    ("> > 1. d1-d7/g7 a7-d4/a7\r\n> nice\r\n> > 2. g1-e3/e10\r\n", &[THREE], None),
    (
        "| # | White | Black |\n|---|---|---|\n| 1 | d1-d7/g7 | a7-d4/a7 |\n| 2 | g1-e3/e10 | |",
        &[THREE],
        None,
    ),
    ("d1_d7_g7 a7_d4_a7 g1xe3xe10", &[THREE], None),
    ("１．ｄ１－ｄ７／ｇ７　ａ７－ｄ４／ａ７\r２．ｇ１－ｅ３／ｅ１０", &[THREE], None),
    ("1. d1-d7/g7 {[%clk 0:14:58]} a7-d4/a7 (0:45) 2. g1-e3/e10 {+1.2/5 3.4s}", &[THREE], None),
    ("ply,move,time\n1,d1-d7/g7,0.1\n2,a7-d4/a7,0.2", &[TWO], None),
    ("(4,1)->(4,7)->(7,7)\n(1,7)->(4,4)->(1,7)", &[TWO], None),
    ("c1-c6/f6 a6-a4/b4", &["c1-c6/f6 a6-a4/b4"], None),
    ("白: d1-d7/g7\n黑: a7-d4/a7\n白胜", &[TWO], Some(Side::Black)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nWhite resigns", &[TWO], Some(Side::Black)),
    ("【AM】【甲】【乙】【后手胜】【t】【e】；\n1、d1d7（g7） a7d4（a7）", &[TWO], Some(Side::White)),
    // SGF: the arrow of a move beside it, a resignation in place of a move.
    ("(;GM[18];B[djddgd]AA[gd];W[addgad]AA[ad])", &[TWO], None),
    ("(;GM[18];B[djddgd];W[resign])", &["d1-d7/g7"], Some(Side::Black)),
    // JSON: names of moves that say only the order, the player or the part.
    (r#"{"1":"d1-d7/g7","2":"a7-d4/a7","3":"g1-e3/e10"}"#, &[THREE], None),
    (r#"{"move1":"d1-d7/g7","move2":"a7-d4/a7"}"#, &[TWO], None),
    (r#"{"game":"1. d1-d7/g7 a7-d4/a7 2. g1-e3/e10"}"#, &[THREE], None),
    (
        r#"{"game":{"moves":[{"x0":3,"y0":0,"x1":3,"y1":6,"x2":6,"y2":6},{"x0":0,"y0":6,"x1":3,"y1":3,"x2":0,"y2":6},
        {"x0":6,"y0":0,"x1":4,"y1":2,"x2":4,"y2":9}]}}"#,
        &[THREE],
        None,
    ),
    (r#"[{"black":"d1-d7/g7","white":"a7-d4/a7"},{"black":"g1-e3/e10"}]"#, &[THREE], None),
    ("{\"black\":\"d1-d7/g7\",\"white\":\"a7-d4/a7\"}\n{\"black\":\"g1-e3/e10\"}", &[THREE], None),
    (r#"{"turns":[{"blackMove":"d1-d7/g7","whiteMove":"a7-d4/a7"}]}"#, &[TWO], None),
    (r#"{"players":["Ann","Bob"],"turns":[{"Ann":"d1-d7/g7","Bob":"a7-d4/a7"}]}"#, &[TWO], None),
    // JSON: line breaks in strings.
    (r#"{"moves":"d1-d7/g7 a7-d4/a7\n1-0"}"#, &[TWO], Some(Side::Black)),
    (r#"{"pgn":"1. Qdd7,g7 Qd4,a7 0-1\n"}"#, &[TWO], Some(Side::White)),
    (r#"{"log":"Black: d1-d7/g7\nWhite: a7-d4/a7\nBlack wins\n"}"#, &[TWO], Some(Side::Black)),
    ("1-0: d1-d7/g7 a7-d4/a7", &[TWO], Some(Side::Black)),
    // Coordinates that look like a result.
    ("2-0 1-0 7-6\n0-5 1-5 4-2\n5-0 5-1 6-2\n", &["c1-b1/h7 a6-b6/e3 f1-f2/g3"], None),
    ("3-0 3-3 3-6\n0-6 0-5 0-4\n6-0 1-0 1-1\n", &["d1-d4/d7 a7-a6/a5 g1-b1/b2"], None),
    ("2-0,1-0,7-6\n0-5,1-5,4-2\n5-0,5-1,6-2\n0-1", &["c1-b1/h7 a6-b6/e3 f1-f2/g3"], Some(Side::White)),
    ("Bob, +49 30 1234\n2 0 1 0 7 6\n0 5 1 5 4 2\n0-1", &["c1-b1/h7 a6-b6/e3"], Some(Side::White)),
    ("2-0\n1-0\n7-6\n0-5\n1-5\n4-2\n1-0\n", &["c1-b1/h7 a6-b6/e3"], Some(Side::Black)),
    // Results.
    ("d1-d7/g7 a7-d4/a7\n1:0", &[TWO], Some(Side::Black)),
    ("d1-d7/g7 a7-d4/a7\nResult: 1 - 0", &[TWO], Some(Side::Black)),
    ("d1-d7/g7 a7-d4/a7\nPlayer 1 wins", &[TWO], Some(Side::Black)),
    ("Winner: Player 2\nd1-d7/g7 a7-d4/a7", &[TWO], Some(Side::White)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nBlack defeats White and wins", &[TWO], Some(Side::Black)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nWhite was defeated by Black.", &[TWO], Some(Side::Black)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nBlack won by resignation", &[TWO], Some(Side::Black)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nwon by White by 3 points", &[TWO], Some(Side::White)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nLoser: White", &[TWO], Some(Side::Black)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nThe winner is Black!", &[TWO], Some(Side::Black)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nBlack has lost on time", &[TWO], Some(Side::White)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nWhite resigns, Black wins. 1-0", &[TWO], Some(Side::Black)),
    ("黑方：d1-d7/g7\n白方：a7-d4/a7\n白方超时，黑方胜", &[TWO], Some(Side::Black)),
    ("黑方：d1-d7/g7\n白方：a7-d4/a7\n黑棋中盘认输", &[TWO], Some(Side::White)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nWhite+10", &[TWO], Some(Side::White)),
    ("d1-d7/g7 a7-d4/a7 (1-0)", &[TWO], Some(Side::Black)),
    ("d1-d7/g7 a7-d4/a7 [0-1]", &[TWO], Some(Side::White)),
    ("d1-d7/g7 a7-d4/a7 **1-0**", &[TWO], Some(Side::Black)),
    ("d1-d7/g7 a7-d4/a7 0-1!", &[TWO], Some(Side::White)),
    ("d1-d7/g7 a7-d4/a7\nResult 1-0", &[TWO], Some(Side::Black)),
    ("d1-d7/g7 a7-d4/a7\n[Result \"0-1\"]", &[TWO], Some(Side::White)),
    ("[White \"a\"]\n1. d1-d7/g7 a7-d4/a7\n[Result \"0-1\"]", &[TWO], Some(Side::White)),
    ("(2-0)-(1-0)/(7-6)\n(0-5)-(1-5)/(4-2)\n(5-0)-(5-1)/(6-2)", &["c1-b1/h7 a6-b6/e3 f1-f2/g3"], None),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nVictory for White", &[TWO], Some(Side::White)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nWhite is victorious", &[TWO], Some(Side::White)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nAnd the winner is... White!", &[TWO], Some(Side::White)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nWinner:\nWhite", &[TWO], Some(Side::White)),
    ("Black: d1-d7/g7\nWhite: a7-d4/a7\nBlack was disqualified", &[TWO], Some(Side::White)),
    // Results in other languages.
    ("Schwarz: d1-d7/g7\nWeiß: a7-d4/a7\nWeiß gewinnt", &[TWO], Some(Side::White)),
    ("Schwarz: d1-d7/g7\nWeiß: a7-d4/a7\nSchwarz gibt auf.", &[TWO], Some(Side::White)),
    ("Schwarz: d1-d7/g7\nWeiß: a7-d4/a7\nSieg für Weiß", &[TWO], Some(Side::White)),
    ("Schwarz: d1-d7/g7\nWeiß: a7-d4/a7\nSieger: Weiß", &[TWO], Some(Side::White)),
    ("Weiß: d1-d7/g7\nSchwarz: a7-d4/a7\nSchwarz hat verloren", &[TWO], Some(Side::Black)),
    ("Noir: d1-d7/g7\nBlanc: a7-d4/a7\nLes noirs gagnent", &[TWO], Some(Side::Black)),
    ("Noir: d1-d7/g7\nBlanc: a7-d4/a7\nLes blancs abandonnent", &[TWO], Some(Side::Black)),
    ("Noir: d1-d7/g7\nBlanc: a7-d4/a7\nBlanc a gagné", &[TWO], Some(Side::White)),
    ("Negras: d1-d7/g7\nBlancas: a7-d4/a7\nganan las blancas", &[TWO], Some(Side::White)),
    ("Чёрные: d1-d7/g7\nБелые: a7-d4/a7\nБелые сдались", &[TWO], Some(Side::Black)),
    ("Чёрные: d1-d7/g7\nБелые: a7-d4/a7\nПобедитель: белые", &[TWO], Some(Side::White)),
    ("흑: d1-d7/g7\n백: a7-d4/a7\n백 승", &[TWO], Some(Side::White)),
    ("d1-d7/g7 a7-d4/a7\n先手の勝ち", &[TWO], Some(Side::Black)),
    ("d1-d7/g7 a7-d4/a7\nまで2手で後手の勝ち", &[TWO], Some(Side::White)),
    ("黒: d1-d7/g7\n白: a7-d4/a7\n白中押し勝ち", &[TWO], Some(Side::White)),
    ("d1-d7/g7 a7-d4/a7\n胜者：先手", &[TWO], Some(Side::Black)),
    ("d1-d7/g7 a7-d4/a7\n获胜方：后手", &[TWO], Some(Side::White)),
    ("d1-d7/g7 a7-d4/a7\n后手战胜先手", &[TWO], Some(Side::White)),
    ("d1-d7/g7 a7-d4/a7\n先手负于后手。", &[TWO], Some(Side::White)),
    ("d1-d7/g7 a7-d4/a7\n後手投了", &[TWO], Some(Side::Black)),
    ("d1-d7/g7 a7-d4/a7\n结果：后手中盘胜", &[TWO], Some(Side::White)),
    ("#[AM][甲][乙][][t][e];1 d1d7(g7) a7d4(a7) 乙胜", &[TWO], Some(Side::White)),
    (r#"{"black":["d1-d7/g7"],"white":["a7-d4/a7"],"loser":"white"}"#, &[TWO], Some(Side::Black)),
    (r#"{"moves":["d1-d7/g7","a7-d4/a7"],"result":"first"}"#, &[TWO], Some(Side::Black)),
    // Separators of games.
    ("d1-d7/g7 a7-d4/a7\nucinewgame\nd1-d2/d3", &[TWO, "d1-d2/d3"], None),
    ("d1-d7/g7 a7-d4/a7\nNext game:\nd1-d2/d3", &[TWO, "d1-d2/d3"], None),
    ("Game A\nd1-d7/g7 a7-d4/a7\nGame B\nd1-d2/d3", &[TWO, "d1-d2/d3"], None),
    ("d1-d7/g7 a7-d4/a7\nRound 2\ng1-g2/g3", &[TWO, "g1-g2/g3"], None),
    ("d1-d7/g7 a7-d4/a7\nPartie 2\ng1-g2/g3", &[TWO, "g1-g2/g3"], None),
    ("d1-d7/g7 a7-d4/a7\n第二局\ng1-g2/g3", &[TWO, "g1-g2/g3"], None),
    ("d1-d7/g7 a7-d4/a7\n对局2\ng1-g2/g3", &[TWO, "g1-g2/g3"], None),
    ("d1-d7/g7 a7-d4/a7\n下一局：\ng1-g2/g3", &[TWO, "g1-g2/g3"], None),
    // Labels like squares.
    ("B1 d1-d7/g7\nW1 a7-d4/a7\nB2 g1-e3/e10", &[THREE], None),
    ("H1 d1d7g7\nH2 a7d4a7", &[TWO], None),
    ("A1.d1-d7/g7\nA2.a7-d4/a7", &[TWO], None),
    ("A1. d1-d7/g7\nA2. a7-d4/a7", &[TWO], None),
    ("d1-d7/g7 (0h5) a7-d4/a7 (0h6) g1-e3/e10", &[THREE], None),
    // SGF with names of properties in lower case.
    ("(;gm[18]c[a [word] and more]\n;b[djddgd]c[x [y] z];w[addgad])", &[TWO], None),
    (
        "(; GM [18] SZ [10] ; B [dj\\\nddgd] ; W [d1-d7/g7] )(;GM[18];B[djddgd];W[a7-d4/a7])",
        &["d1-d7/g7", TWO],
        None,
    ),
    // Results of SGF in words.
    ("(;GM[18]RE[White resigns];B[djddgd])", &["d1-d7/g7"], Some(Side::Black)),
    ("(;GM[18]RE[Black loses];B[djddgd])", &["d1-d7/g7"], Some(Side::White)),
    ("(;GM[18]RE[W lost];B[djddgd])", &["d1-d7/g7"], Some(Side::Black)),
    ("(;GM[18]RE[black lost on time];B[djddgd])", &["d1-d7/g7"], Some(Side::White)),
    ("(;GM[18]RE[Winner: White.];B[djddgd])", &["d1-d7/g7"], Some(Side::White)),
    ("(;GM[18]RE[b resigned (move 2)];B[djddgd])", &["d1-d7/g7"], Some(Side::White)),
    ("(;GM[18]RE[1-0];B[djddgd])", &["d1-d7/g7"], Some(Side::Black)),
    ("(;GM[18]RE[先手胜];B[djddgd])", &["d1-d7/g7"], Some(Side::Black)),
    ("(;GM[18]RE[白超时];B[djddgd])", &["d1-d7/g7"], Some(Side::Black)),
    ("(;RE[1-0];W[j4-g7/d7];B[g10-h9/g8])", &["j4-g7/d7 g10-h9/g8"], Some(Side::Black)),
    ("(;RE[White resigns];W[j4-g7/d7];B[g10-h9/g8])", &["j4-g7/d7 g10-h9/g8"], Some(Side::White)),
    ("(;GM[18]RE[b+time];B[djddgd])", &["d1-d7/g7"], Some(Side::Black)),
    ("(;GM[18]SZ[8x8];B[chccfc])", &["c1-c6/f6"], None),
    // SGF pasted into mail.
    ("> (;GM[18]\n> ;B[djddgd]\n> ;W[addgad])", &[TWO], None),
    ("hello\n>> (;GM[18]\r\n>> ;B[djd\r\n>> dgd]\r\n> >;W[addgad])", &[TWO], None),
    ("(;GM[18];B[djd\ndgd];W[ add gad ])", &[TWO], None),
    ("(;GM[18];B[d1-d7/\ng7];W[a7-d\n4/a7])", &[TWO], None),
    // A move a line, and coordinates in the order of their names.
    (
        "{\"ply\":1,\"side\":\"B\",\"move\":\"d1-d7/g7\"}\n{\"ply\":2,\"side\":\"W\",\"move\":\"a7-d4/a7\"}",
        &[TWO],
        None,
    ),
    (r#"[{"arrow":"g7","from":"d1","to":"d7"},{"arrow":"a7","from":"a7","to":"d4"}]"#, &[TWO], None),
    (
        r#"{"moves":[{"arrow":[3,6],"from":[9,3],"to":[3,3]},{"arrow":[3,0],"from":[3,0],"to":[6,3]}]}"#,
        &[TWO],
        None,
    ),
    (
        r#"{"moves":[{"arrowCol":6,"arrowRow":3,"fromCol":3,"fromRow":9,"n":1,"toCol":3,"toRow":3}]}"#,
        &["d1-d7/g7"],
        None,
    ),
    (r#"{"moves":[{"x0":2,"x1":1,"x2":7,"y0":0,"y1":0,"y2":6}]}"#, &["c1-b1/h7"], None),
];

const TWO: &str = "d1-d7/g7 a7-d4/a7";

/// Inputs of which a part is in no game, and a part of the warning that says so.
const WARNED: &[(&str, &[&str], &str)] = &[
    (r#"[{"0":{"response":{"x0":9}}}]"#, &[""], "ply 1: garbage"),
    (
        r#"[{"0":{"response":{"x0":2,"y0":0,"x1":2,"y1":5,"x2":5,"y2":5}}},{"2":{"response":{"x0":9}}}]"#,
        &["c1-c6/f6"],
        "left out: 1",
    ),
    ("d1-d7/g7 d1-d2/d3", &["d1-d7/g7"], "move 2, d1-d2/d3, is not legal"),
    ("d1-d7/g7 a7-d4 a7-b6/c6", &["d1-d7/g7"], "in no game: a7-d4, a7-b6/c6"),
    ("d1-d7/g7 a7-d4/a7 gl-e3/e1O", &[TWO], "in no game: e3"),
    ("8x8\nd1-d7/g7", &["d1-d7/g7"], "states 8 rows"),
    (
        "info depth 5 pv d1-d7/g7 a7-d4/a7\nbestmove d1-d7/g7",
        &["d1-d7/g7"],
        "line 1: in no game: d1-d7/g7, a7-d4/a7",
    ),
    ("g10-g4/d4 j4-g7/j4", &["g1-g7/d7 j7-g4/j7"], "unusual way"),
    ("1. d1-d7/g7 a7-d4/a7 2. g1-e3/e10\nBlack resigns", &[THREE], "line 2: the result names a colour"),
    (
        "[White \"a\"]\n[Result \"maybe\"]\n1. d1-d7/g7",
        &["d1-d7/g7"],
        "line 2: the result \"maybe\" is not understood",
    ),
    ("[黑方 \"a\"]\n1. d1-d7/g7", &["d1-d7/g7"], "line 1: the name a is not kept"),
    (
        "moves: 2.0 1.0 7.6\n0 5 1 5 4 2\n5 0 5 1 6 2",
        &["a3-b3/e6 f8-f7/g6"],
        "line 1: in no game: 2.0 1.0 7.6",
    ),
    ("d1-d7/g7 a7-d4/a7\n-----\ng1-g2/g3", &["d1-d7/g7 a7-d4/a7 g1-g2/g3"], "line 3: the moves from here"),
    (
        "d1-d7/g7 a7-d4/a7\n2nd game\ng1-g2/g3 j7-j8/j9",
        &["d1-d7/g7 a7-d4/a7 g1-g2/g3 j7-j8/j9"],
        "line 3: the moves from here",
    ),
    (
        "d1-d7/g7 a7-d4/a7\nGame No. 2\ng1-g2/g3",
        &["d1-d7/g7 a7-d4/a7 g1-g2/g3"],
        "line 3: the moves from here",
    ),
    ("moves: 2:0 1:0 7:6\n0 5 1 5 4 2", &["a3-b3/e6"], "line 1: in no game: 2:0 1:0 7:6"),
    (
        "http://x.org/303336/a4-a5/a6\n1. d1-d7/g7 a7-d4/a7 2. g1-e3/e10",
        &[THREE],
        "line 1: in no game: a4-a5/a6",
    ),
    ("d1-d7/g7 a7-d4/a7\n\n\ng1-g2/g3", &["d1-d7/g7 a7-d4/a7 g1-g2/g3"], "line 4: the moves from here"),
    ("White: G1-G2/G3\nd1-d7/g7 a7-d4/a7", &[TWO], "line 1: in no game: G1-G2/G3"),
    ("1. dl-d7/g7 a7-d4/a7 2. g1-e3/e10 j7-g7/j7", &["g1-e3/e10 j7-g7/j7"], "a7-d4/a7"),
    ("(;GM[18]\n;B[djddgd]AN[Ann]\n;W[addgad]GW[1])", &[TWO], "line 3: the property GW is not kept"),
    ("(;GM[18]RE[White timeout?];B[djddgd])", &["d1-d7/g7"], "the result \"White timeout?\" names no winner"),
    ("(;GM[18]RE[White wins, Black wins];B[djddgd])", &["d1-d7/g7"], "names no winner"),
    // Botzone: an entry that nobody understands is no forfeit.
    (
        r#"[{"0":{"verdict":"OK","response":{"q":7}}},{"output":{"command":"finish","content":{"0":2,"1":0}}}]"#,
        &[""],
        "ply 1: garbage",
    ),
    (
        r#"[{"0":{"response":{"x0":2,"y0":0,"x1":2,"y1":5,"x2":5,"y2":5}}},{"1":{"response":{"x0":"#,
        &["c1-c6/f6"],
        "this JSON is damaged",
    ),
    // Values of SGF without their brackets, and further ones.
    (
        "(;GM[18]\nPB[Al;B[djddgd]\n;W[addgad];B[gjehea])",
        &[THREE],
        "line 2: a value of PB has no closing bracket: Al",
    ),
    ("(;GM[18]PB[C:\\];B[djddgd];W[addgad])", &[TWO], "a value of PB has no closing bracket"),
    (
        "(;GM[18];B[djddgd]C[nice\n; W [addgad];B[gjehea])",
        &[THREE],
        "line 1: a value of C has no closing bracket: nice",
    ),
    ("(;GM[18]EV[Cup;b[djddgd];W[addgad])", &[TWO], "a value of EV has no closing bracket: Cup"),
    (
        "(;GM[18]PB[Al]PW[BoRE[B+R];B[djddgd])",
        &["d1-d7/g7"],
        "line 1: a value of PW has no closing bracket: Bo",
    ),
    ("(;GM[18]PB[Al]R E[B+R];B[djddgd])", &["d1-d7/g7"], "the value of PB holds a bracket: Al]R E[B+R"),
    (
        "(;GM[18];B[djddgd]AA[aa];W[addgad])",
        &[TWO],
        "line 1: squares set up beside the first move are left out",
    ),
    (
        "(;GM[18]RE[W+];B[djddgd];W[resign])",
        &["d1-d7/g7"],
        "another result of this game says that White has won",
    ),
    // JSON: moves that are not played.
    (r#"{"moves":["g1-g9/d9"],"bestmove":"a7-d4/a7"}"#, &["g1-g9/d9"], "in no game: a7-d4/a7"),
    (r#"{"moves":[{"move":"g1-g9/d9","best":"a7-d4/a7"}]}"#, &["g1-g9/d9"], "in no game: a7-d4/a7"),
    (r#"{"moves":["d1-d7/g7"],"next":"a7-d4/a7"}"#, &["d1-d7/g7"], "in no game: a7-d4/a7"),
    (r#"{"moves":["d1-d7/g7"],"reply":"a7-d4/a7"}"#, &["d1-d7/g7"], "in no game: a7-d4/a7"),
    (r#"{"moves":["d1-d7/g7"],"expected":"a7-d4/a7"}"#, &["d1-d7/g7"], "in no game: a7-d4/a7"),
    (r#"{"moves":["d1-d7/g7"],"best move":"a7-d4/a7"}"#, &["d1-d7/g7"], "in no game: a7-d4/a7"),
    (r#"{"moves":["d1-d7/g7"],"opponentMove":"a7-d4/a7"}"#, &["d1-d7/g7"], "in no game: a7-d4/a7"),
    (r#"{"expected":"a7-d4/a7","moves":["d1-d7/g7"]}"#, &["d1-d7/g7"], "in no game: a7-d4/a7"),
    (r#"[{"move":"d1-d7/g7","reply":"a7-d4/a7"}]"#, &["d1-d7/g7"], "in no game: a7-d4/a7"),
    (r#"{"pgn":"1. d1-d7/g7 a7-d4/a7","then":"g1-e3/e10"}"#, &[TWO], "in no game: g1-e3/e10"),
    (r#"{"remark":"C:\\","moves":["d1-d7/g7"],"next":"a7-d4/a7"}"#, &["d1-d7/g7"], "in no game: a7-d4/a7"),
    (
        r#"{"turns":[[[9,3],[3,3],[3,6]],[[3,0],[6,3],[3,0]]],"expected":[[9,6],[7,4],[0,4]]}"#,
        &[TWO],
        "in no game: 9,6],[7,4],[0,4",
    ),
    (
        "{\"move\":\"d1-d7/g7\",\"reply\":\"a7-d6/d4\"}\n{\"move\":\"a7-d4/a7\"}",
        &[TWO],
        "line 1: in no game: a7-d6/d4",
    ),
    (
        r#"{"moves":["g1-g9/d9"],"variations":[["a7-d4/a7","d1-d2/d3"]]}"#,
        &["g1-g9/d9"],
        "in no game: a7-d4/a7, d1-d2/d3",
    ),
    (
        r#"{"analysis":{"pv":["d1-d7/g7","a7-d4/a7"]},"moves":["d1-d2/d3"]}"#,
        &["d1-d2/d3"],
        "in no game: d1-d7/g7, a7-d4/a7",
    ),
    (
        r#"{"moves":[{"move":"d1-d7/g7","comment":"better was d1-d6/f6"},{"move":"a7-d4/a7"}]}"#,
        &[TWO],
        "in no game: d1-d6/f6",
    ),
    (
        r#"{"moves":["d1-d7/g7","a7-d4/a7","resign"]}"#,
        &[TWO],
        "the result \"resign\" does not name the winner",
    ),
    (
        "1. d1-d7/g7 a7-d4/a7 2. g1-e3/e10\nAn alternative: 1. d1-d2/d3 a7-a6/a5",
        &[THREE],
        "line 2: in no game: d1-d2/d3, a7-a6/a5",
    ),
    (
        "[White \"A\"]\n\nx d1-d2/d3\n1. d1-d7/g7 a7-d4/a7 2. g1-e3/e10",
        &["d1-d2/d3", THREE],
        "line 3: a game with less than two moves",
    ),
    // A lost move parts a game in two.
    (
        "1. d1-d7/g7 a7-d4/a7 2. g1-e3/e10\n3. a4-a6/b6 j7-j6/j5 4. a6-a5/a6 j6-h6/h5 5. a5-b5/c5 h6-h7/h8",
        &[THREE, "a4-a6/b6 j7-j6/j5 a6-a5/a6 j6-h6/h5 a5-b5/c5 h6-h7/h8"],
        "line 2: a new game is assumed to begin here",
    ),
    ("1. d1-d7/g7 a7d", &["d1-d7/g7"], "in no game: a7d"),
    // Moves that were not played, behind the last one.
    ("1. d1-d7/g7 a7-d4/a7 (2. g1-e3/e10 better) 1-0", &[TWO], "in no game: g1-e3/e10"),
    ("1. Qdd7,g7 Qd4,a7 (2. Qe3,e10) 1-0", &[TWO], "in no game: Qe3,e10"),
    ("1. d1-d7/g7 a7-d4/a7 or g1-e3/e10", &[THREE], "line 1: the last moves stand beside words"),
    ("1. d1-d7/g7 a7-d4/a7\n推荐：g1-e3/e10", &[THREE], "line 2: the last moves stand beside words"),
    ("1. d1-d7/g7 a7-d4/a7\n% g1-e3/e10", &[THREE], "line 2: the last moves stand behind a sign"),
    ("1. d1-d7/g7 a7-d4/a7 // g1-e3/e10", &[THREE], "line 1: the last moves stand behind a sign"),
    ("1. d1-d7/g7 a7-d4/a7 [g1-e3/e10]", &[THREE], "line 1: the last moves stand beside words"),
    ("1 d1d7(g7) a7d4(a7)\n3 g1e3(e10)", &[THREE], "line 2: number 3 follows number 1: moves between"),
    ("1. d1-d7/g7 2. a7-d4/a7 4. g1-e3/e10", &[THREE], "line 1: number 4 follows number 2: moves between"),
    // Results around SGF.
    (
        "(;GM[18];B[djddgd])\nBlack wins",
        &["d1-d7/g7"],
        "line 2: a result outside of the games is left out: Black wins",
    ),
    (
        "Ann - Bob 1-0\n(;GM[18];B[djddgd])",
        &["d1-d7/g7"],
        "line 1: a result outside of the games is left out: Ann - Bob 1-0",
    ),
    ("1. Qdd7,g7 Qd", &["d1-d7/g7"], "in no game: Qd"),
    ("(;GM[18];B[djddgd;W[addgad];B[gjehea])", &[THREE], "a value of B has no closing bracket: djddgd"),
    // Another value of a property in another node, or again in a node.
    ("(;GM[18]RE[B+];B[djddgd]\n;W[addgad]RE[W+])", &[TWO], "line 2: a further value of RE is left out: W+"),
    ("(;GM[18]PB[Al]PB[Bo];B[djddgd])", &["d1-d7/g7"], "a further value of PB is left out: Bo"),
    (
        "(;GM[18]PW[Al];B[djddgd](;W[addgad])(;W[addgag]PW[Bo]))",
        &[TWO],
        "a further value of PW is left out: Bo",
    ),
    ("(;GM[18];B[djddgd]C[a]C[b])", &["d1-d7/g7"], "a further value of C is left out: b"),
    // Moves once more.
    ("d1-d7/g7\nd1-d7/g7", &["d1-d7/g7"], "line 2: in no game: d1-d7/g7"),
    ("d1-d7/g7\nd1-d7/g7\nd1-d7/g7", &["d1-d7/g7"], "line 3: in no game: d1-d7/g7"),
    ("d1-d7/g7 a7-d4/a7\na7-d4/a7\ng1-e3/e10", &[THREE], "line 2: in no game: a7-d4/a7"),
    ("d1-d7/g7 a7-d4/a7\nd1-d7/g7 a7-d4/a7", &[TWO], "line 2: in no game: d1-d7/g7, a7-d4/a7"),
    // Numbers in an odd order.
    ("0 2 0 1 6 7\n5 0 5 1 2 4", &["c1-b1/h7 a6-b6/e3"], "unusual way: 0 2 0 1 6 7 is c1-b1/h7"),
    ("3 1 2 1 8 7\n1 6 2 6 5 3", &["c1-b1/h7 a6-b6/e3"], "unusual way: 3 1 2 1 8 7 is c1-b1/h7"),
    ("DJDDGD\nADDGAD\nGJH", &[TWO], "line 3: in no game: GJH"),
    ("Black: DJDDGD\nWhite: ADD", &["d1-d7/g7"], "line 2: in no game: ADD"),
    ("(;GM[18];B[djddgd]N[better d1-d6/f6])", &["d1-d7/g7"], "the value of N holds a move"),
    (
        "(;GM[18];B[dadggg];W[agddag])",
        &[TWO],
        "line 1: coordinates count in an unusual way: dadggg is d1-d7/g7",
    ),
    ("(;GM[18]\n;B[djddgd][addgad])", &["d1-d7/g7"], "line 2: a further value of B is left out: addgad"),
    ("(;GM[18]PB[a][b];B[djddgd])", &["d1-d7/g7"], "a further value of PB is left out: b"),
];

/// Texts that hold no certain result, before or behind two moves by `Black` and `White`, with a part of the warning.
const UNCLEAR: &[(&str, &str)] = &[
    ("White win rate 48%", ""),
    ("先手胜率52%", ""),
    ("second: win 45%", ""),
    ("Black did not win", "does not name the winner"),
    ("Black thinks White lost interest", "does not name the winner"),
    ("If White wins this, Black is lost", "does not name the winner"),
    ("first win of the season", "does not name the winner"),
    ("先手胜 time left 0:12, 95%", "does not name the winner"),
    ("White wins a piece", "does not name the winner"),
    ("White loses time", "does not name the winner"),
    ("White win 3 of 5", "does not name the winner"),
    ("Black lost and wins", "does not name the winner"),
    ("Has White won?", "does not name the winner"),
    ("先手未胜", "does not name the winner"),
    ("先手未能取胜", "does not name the winner"),
    ("先手优势，后手差点输", "does not name the winner"),
    ("后手不敢输", "does not name the winner"),
    ("后手无法移动则后手负", "does not name the winner"),
    ("Bob resigns", "does not name the winner"),
    ("Winner: Bob", "does not name the winner"),
    ("Sieger: Bob", "does not name the winner"),
    ("Победитель: Боб", "does not name the winner"),
    ("White is lost", "does not name the winner"),
    ("White wins 12 squares", "does not name the winner"),
    ("White lost 3 moves", "does not name the winner"),
    ("Weiß gewinnt einen Stein", "does not name the winner"),
    ("乙胜", "does not name the winner"),
    ("2-0", "does not name the winner"),
    ("Ann leads the match 1-0", "does not name the winner"),
];

#[test]
fn prose_sets_no_winner() {
    for (text, warning) in UNCLEAR {
        for text in [
            format!("Black: d1-d7/g7\nWhite: a7-d4/a7\n{text}\n"),
            format!("Black: d1-d7/g7\nWhite: a7-d4/a7 {{{text}}}\nBlack: g1-e3/e10\n"),
        ] {
            // In a comment, numbers are no result.
            if text.contains("-0}") {
                continue;
            }
            let reading = reading(text.as_bytes());
            assert_eq!((reading.games.len(), reading.games[0].winner), (1, None), "{text}");
            let warnings: Vec<String> = reading.warnings.iter().map(ToString::to_string).collect();
            assert!(warnings.iter().any(|text| text.contains(warning)) || warning.is_empty(), "{text}");
        }
    }
}

/// Records that name a colour as the winner, but not the colour of the first mover.
const UNKNOWN_COLOURS: &[&str] = &[
    r#"{"black":"Al","white":"Bo","moves":["d1-d7/g7","a7-d4/a7"],"winner":"white"}"#,
    r#"{"white":"","moves":["d1-d7/g7","a7-d4/a7"],"winner":"white"}"#,
    "Black: Al, White: Bo, moves: d1-d7/g7 a7-d4/a7. White wins",
    "Al (black) vs Bo (white): d1-d7/g7 a7-d4/a7 White resigns",
    "Al vs Bo (white): d1-d7/g7 a7-d4/a7 White resigns",
    "甲（黑）对乙（白）：d1-d7/g7 a7-d4/a7 白方认输",
];

#[test]
fn a_name_that_is_a_colour_names_nobody() {
    let game = reading(b"[White \"b\"]\n[Black \"w\"]\n1. d1-d7/g7 a7-d4/a7\nw wins");
    assert_eq!(game.games[0].winner, None);
    let warning = game.warnings[0].to_string();
    assert!(warning.contains("does not name the winner"), "{warning}");
}

#[test]
fn names_of_players_are_no_movers() {
    for text in UNKNOWN_COLOURS {
        let reading = reading(text.as_bytes());
        assert_eq!((moves(&reading.games[0]).as_str(), reading.games[0].winner), (TWO, None), "{text}");
        let warnings: Vec<String> = reading.warnings.iter().map(ToString::to_string).collect();
        assert!(
            warnings.iter().any(|text| text.contains("first mover's colour is unknown")),
            "{text}: {warnings:?}"
        );
    }
}

#[test]
fn parts_in_no_game_are_in_warnings() {
    for (text, expected, warning) in WARNED {
        let reading = reading(text.as_bytes());
        assert_eq!(reading.games.iter().map(moves).collect::<Vec<_>>(), *expected, "{text}");
        let warnings: Vec<String> = reading.warnings.iter().map(ToString::to_string).collect();
        assert!(warnings.iter().any(|text| text.contains(warning)), "{text}: {warnings:?}");
    }
}

#[test]
fn names_and_results_are_read() {
    let little_golem = "(;PB[b]PW[w];W[j4-g7/d7];B[g10-h9/g8])";
    let pychess = "[Event \"Cup\"]\n[Site \"?\"]\n[Date \"2026.01.02\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n\
                   [Result \"0-1\"]\n[Variant \"Amazons\"]\n[TimeControl \"300+3\"]\n\n\
                   1. d1d7,d7g7 a7d4,d4a7 2. g1e3,e3e10 0-1";
    for (text, names, winner) in [
        (little_golem, ["w", "b"], None),
        (pychess, ["Ann", "Bob"], Some(Side::White)),
        ("(;GM[18]PB[P[3d]];B[djddgd])", ["P[3d]", ""], None),
        ("#[AM][甲][乙][后手胜][t][e];1 d1d7(g7)", ["甲", "乙"], Some(Side::White)),
    ] {
        let game = reading(text.as_bytes()).games.remove(0);
        assert_eq!(([&*game.black, &*game.white], game.winner), (names, winner), "{text}");
        assert_eq!(game.start.side(), Side::Black);
    }
    let log = r#"[{"output":{"command":"request"}},{"0":{"verdict":"RE"}},{"output":{"command":"finish","content":{"0":0,"1":2}}}]"#;
    let game = reading(log.as_bytes()).games.remove(0);
    assert_eq!((game.moves.len(), game.winner), (0, Some(Side::White)));
    assert_eq!(game.forfeit, Some(("crash".into(), "crash: Botzone says RE (the bot crashed)".into())));
}

/// Headings of a record with one move: the names of the first and the second mover, and the winner.
const HEADINGS: &[(&str, [&str; 2], Option<Side>)] = &[
    ("［White \"甲\"］\n［Black \"乙\"］\n［Result \"0-1\"］", ["甲", "乙"], Some(Side::White)),
    ("[White “甲”］\r\n【Black ＂乙＂]", ["甲", "乙"], None),
    (
        "［Ｗｈｉｔｅ　＂Ａｎｎ＂］ ［Ｂｌａｃｋ　＂乙＂］ ［Ｒｅｓｕｌｔ　＂１－０＂］",
        ["Ａｎｎ", "乙"],
        Some(Side::Black),
    ),
    ("[White \"a\"] [Black \"b \\\"c\\\" [d]\"]", ["a", "b \"c\" [d]"], None),
    ("[white \"a\"]\n[BLACK 'b']", ["a", "b"], None),
    ("［White：甲］\n［Black：乙队］", ["甲", "乙队"], None),
    ("[White 甲]\n[Black 乙]", ["甲", "乙"], None),
    ("「White \"甲\"」〔Black \"乙\"〕", ["甲", "乙"], None),
    ("[先手 \"甲\"]\n[后手 \"乙\"]\n[结果 \"后手胜\"]", ["甲", "乙"], Some(Side::White)),
    ("[White \"a\"]\n[Result \"White wins\"]", ["a", ""], Some(Side::Black)),
    ("[White \"a\"]\n[Result \"Black resigns\"]", ["a", ""], Some(Side::Black)),
    ("#［ＡＭ］［甲］［乙］［后手胜］［ｔ］［ｅ］；", ["甲", "乙"], Some(Side::White)),
    ("＃ 〔am〕[甲]【乙】『后手胜』[t][e];", ["甲", "乙"], Some(Side::White)),
    ("#[亚马逊][甲][乙][先手胜][t][e];", ["甲", "乙"], Some(Side::Black)),
    ("[White \"Bob\"]\n[Black \"Alice\"]\n[Winner \"Bob\"]", ["Bob", "Alice"], Some(Side::Black)),
    ("[White \"Bob\"]\n[Black \"Alice\"]\n[Result \"Alice wins\"]", ["Bob", "Alice"], Some(Side::White)),
    ("[White \"Bob\"]\n[Black \"Alice\"]\nBob resigns", ["Bob", "Alice"], Some(Side::White)),
    ("[White \"Bob\"]\n[Black \"Alice\"]\nAlice beat Bob", ["Bob", "Alice"], Some(Side::White)),
    ("[White \"Bob\"]\n[Black \"Alice\"]\nAlice lost", ["Bob", "Alice"], Some(Side::Black)),
    ("#[AM][甲][乙][先胜][t][e];", ["甲", "乙"], Some(Side::Black)),
    // No headings: the label of a comment, prose.
    ("[White wins]", ["", ""], None),
    ("[it's \"good\"]", ["", ""], None),
];

#[test]
fn headings_of_any_width_are_read() {
    for (heading, names, winner) in HEADINGS {
        let reading = reading(format!("{heading}\n1. d1-d7/g7").as_bytes());
        let game = &reading.games[0];
        assert_eq!(([&*game.black, &*game.white], game.winner), (*names, *winner), "{heading}");
        assert_eq!((reading.games.len(), moves(game).as_str()), (1, "d1-d7/g7"), "{heading}");
        let is_comment = *heading == "[White wins]";
        assert_eq!(reading.warnings.is_empty(), !is_comment, "{heading}: {:?}", reading.warnings);
    }
}

/// Records that name the players beside the moves, not in tags: the names of the first and the second mover, the
/// winner, and a part of the warning.
const NAMED: &[(&str, [&str; 2], Option<Side>, &str)] = &[
    ("先手：甲 后手：乙\n1 d1d7(g7) a7d4(a7)\n乙胜", ["甲", "乙"], Some(Side::White), ""),
    ("先手：甲\n后手：乙\n1 d1d7(g7) a7d4(a7)\n乙认输", ["甲", "乙"], Some(Side::Black), ""),
    ("先手方：甲队，后手方：乙队\n1 d1d7(g7) a7d4(a7)\n甲队胜", ["甲队", "乙队"], Some(Side::Black), ""),
    ("First: Al\nSecond: Bo Li\nd1-d7/g7 a7-d4/a7\nBo Li wins", ["Al", "Bo Li"], Some(Side::White), ""),
    ("Player 1: Al vs. Player 2: Ed\nd1-d7/g7 a7-d4/a7\nEd resigns", ["Al", "Ed"], Some(Side::Black), ""),
    ("先手：黑\n黑方：甲\n白方：乙\n1 d1d7(g7) a7d4(a7)\n乙胜", ["甲", "乙"], Some(Side::White), ""),
    ("White: Al\nBlack: Bo\nWhite: d1-d7/g7\nBlack: a7-d4/a7\nBo wins", ["Al", "Bo"], Some(Side::White), ""),
    (
        "White: Al\nBlack: Bo\n1. d1-d7/g7 a7-d4/a7\nBo resigns",
        ["Al", "Bo"],
        Some(Side::Black),
        "line 1: the first mover's colour is unknown; the names are kept as if White moved first",
    ),
    (
        r#"{"black":"Al","white":"Bo","moves":["d1-d7/g7","a7-d4/a7"],"winner":"Bo"}"#,
        ["Al", "Bo"],
        Some(Side::White),
        "the names are kept as if Black moved first",
    ),
    (
        r#"{"first":"Al","second":"Bo","moves":["d1-d7/g7","a7-d4/a7"],"winner":"Bo"}"#,
        ["Al", "Bo"],
        Some(Side::White),
        "",
    ),
    (
        r#"{"moves":["d1-d7/g7","a7-d4/a7"],"players":["Al","Bo"],"winner":"Al"}"#,
        ["Al", "Bo"],
        Some(Side::Black),
        "",
    ),
    (
        r#"{"players":[{"name":"Al","elo":1},{"name":"Bo"}],"moves":["d1-d7/g7","a7-d4/a7"],"loser":"Al"}"#,
        ["Al", "Bo"],
        Some(Side::White),
        "",
    ),
    (
        r#"{"playerWhite":"Al","playerBlack":"Bo","first_player":"white","moves":["d1-d7/g7","a7-d4/a7"],"winner":"Al"}"#,
        ["Al", "Bo"],
        Some(Side::Black),
        "",
    ),
    // Nobody, or both, have the name of the winner.
    (
        "先手：甲 后手：乙\n1 d1d7(g7) a7d4(a7)\n丙胜",
        ["甲", "乙"],
        None,
        "line 3: the result \"丙胜\" does not name",
    ),
    (
        r#"{"players":["Al","Al"],"moves":["d1-d7/g7","a7-d4/a7"],"winner":"Al"}"#,
        ["Al", "Al"],
        None,
        "does not name",
    ),
    // A header with damaged brackets.
    ("#[甲][乙][先手胜][t][e];\n1 d1d7(g7) a7d4(a7)", ["甲", "乙"], Some(Side::Black), ""),
    ("#AM[甲][乙][后手胜][t][e];\n1 d1d7(g7) a7d4(a7)", ["甲", "乙"], Some(Side::White), ""),
    ("#[AM]甲][乙][先手胜][t][e];\n1 d1d7(g7) a7d4(a7)", ["甲", "乙"], Some(Side::Black), ""),
    ("#[AM][甲]乙][先手胜][t][e];\n1 d1d7(g7) a7d4(a7)", ["甲", "乙"], Some(Side::Black), ""),
    // Movers, clocks and remarks are no names.
    ("Black: d1-d7/g7\nWhite: a7-d4/a7", ["", ""], None, ""),
    ("White: 0:12 left\nd1-d7/g7 a7-d4/a7", ["", ""], None, ""),
    ("d1-d7/g7\nBlack: hello\na7-d4/a7", ["", ""], None, ""),
];

#[test]
fn names_beside_the_moves_are_read() {
    let mut failures = Vec::new();
    for (text, names, winner, warning) in NAMED {
        let found = reading(text.as_bytes());
        let game = &found.games[0];
        let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
        let is_warned = match *warning {
            "" => warnings.is_empty(),
            warning => warnings.iter().any(|text| text.contains(warning)),
        };
        let is_read = ([&*game.black, &*game.white], game.winner) == (*names, *winner);
        if !is_read || !is_warned || moves(game) != TWO {
            failures.push(format!(
                "{text}\n  found {} {} {:?} {warnings:?}",
                game.black, game.white, game.winner
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn names_belong_to_their_games() {
    let names = |text: &str| -> Vec<[String; 2]> {
        reading(text.as_bytes()).games.into_iter().map(|game| [game.black, game.white]).collect()
    };
    let expected = [["甲", "乙"], ["丙", "丁"]];
    let text =
        "先手：甲 后手：乙\n1 d1d7(g7) a7d4(a7)\n乙认输\n\n先手：丙 后手：丁\n1 g1e3(e10) j7h7(j7)\n丁胜";
    assert_eq!(names(text), expected);
    let json = r#"[{"first":"甲","moves":["d1-d7/g7"],"second":"乙"},{"first":"丙","moves":["g1-e3/e10"],"second":"丁"}]"#;
    assert_eq!(names(json), expected);
}

/// JSON of several games. `A` and `B` are the moves of two games; `-` in place of a winner is none. The last column is a
/// part of the warning, if there is one.
const OF_GAMES: &[(&str, &str, &str)] = &[
    (r#"[{"moves":[A]},{"result":"0-1","moves":[B]}]"#, "- White", ""),
    (r#"[{"moves":[A],"result":"0-1"},{"moves":[B]}]"#, "White -", ""),
    (r#"{"games":[{"result":"1-0","moves":[A]},{"moves":[B],"result":"0-1"}]}"#, "Black White", ""),
    (r#"{"games":[{"moves":[A],"winner":"first"},{"winner":"second","moves":[B]}]}"#, "Black White", ""),
    (r#"{"1":{"moves":[A]},"2":{"result":"1-0","moves":[B]}}"#, "- Black", ""),
    ("[\n {\n  \"moves\": [A]\n },\n {\n  \"moves\": [B],\n  \"result\": \"0-1\"\n }\n]", "- White", ""),
    (r#"{"games":[{"game":{"meta":{"result":"1-0"},"moves":[A]}},{"game":{"moves":[B]}}]}"#, "Black -", ""),
    (r#"[{"moves":[A]},{"moves":[A],"result":"0-1"}]"#, "- White", ""),
    (r#"[[A,"1-0"],[B,"0-1"]]"#, "Black White", ""),
    (r#"[[A],[B,"0-1"]]"#, "- White", "a new game is assumed to begin here"),
    (r#"{"text":"1. A 1-0\n\n1. B 0-1"}"#, "Black White", ""),
    (
        r#"{"result":"1-0","games":[{"moves":[A]},{"moves":[B]}]}"#,
        "- -",
        "line 1: a result outside of the games is left out: result:1-0",
    ),
    (
        "{\"result\":\"1-0\"}\n{\"moves\":[A]}\n{\"result\":\"0-1\"}\n{\"moves\":[B]}",
        "- -",
        "line 3: a result outside",
    ),
    (
        r#"[{"moves":[A],"winner":0},{"moves":[B],"winner":null}]"#,
        "- -",
        "winner:0\" does not name the winner",
    ),
    // The first mover's colour.
    (
        r#"[{"first_player":"white","moves":[A],"winner":"white"},
            {"first_player":"black","moves":[B],"winner":"white"}]"#,
        "Black White",
        "",
    ),
    (
        r#"{"first_player":"white","games":[{"moves":[A],"winner":"white"},{"moves":[B],"winner":"black"}]}"#,
        "Black White",
        "",
    ),
];

#[test]
fn a_result_in_json_belongs_to_the_moves_of_its_object() {
    let (moves_a, moves_b) = ("d1-d7/g7 a7-d4/a7", "d1-d2/d3 a7-a6/a5");
    let list = |moves: &str| format!("\"{}\"", moves.replace(' ', "\",\""));
    let mut failures = Vec::new();
    for (text, winners, warning) in OF_GAMES {
        let text =
            text.replace("[A", &format!("[{}", list(moves_a))).replace("[B", &format!("[{}", list(moves_b)));
        let text = text.replace(" A ", &format!(" {moves_a} ")).replace(" B ", &format!(" {moves_b} "));
        let found = reading(text.as_bytes());
        let winner = |game: &GameRecord| game.winner.map_or("-".into(), |winner| winner.to_string());
        let of_games: Vec<String> = found.games.iter().map(winner).collect();
        let second = if text.contains(&list(moves_b)) || text.contains(moves_b) { moves_b } else { moves_a };
        let are_read = found.games.iter().map(moves).eq([moves_a, second]);
        let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
        let is_warned = match *warning {
            "" => warnings.is_empty(),
            warning => warnings.iter().any(|text| text.contains(warning)),
        };
        if !are_read || !is_warned || of_games.join(" ") != *winners {
            failures.push(format!("{text}\n  found {of_games:?} {warnings:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_start_position_in_json_belongs_to_the_moves_of_its_object() {
    const FEN: &str = "3q2q3/10/10/q8q/10/10/Q8Q/10/10/2Q3Q3 w - - 0 1";
    let a = r#"{"moves":["d1-d7/g7","a7-d4/a7"]}"#;
    for b in [
        format!(r#"{{"position":"{FEN}","moves":["c1-c7/g7","a7-d4/a7"]}}"#),
        format!(r#"{{"moves":["c1-c7/g7","a7-d4/a7"],"setup":"{FEN}"}}"#),
        format!(r#"{{"start_fen":"{FEN}","game":{{"moves":["c1-c7/g7","a7-d4/a7"]}}}}"#),
    ] {
        for (text, order) in [(format!("[{a},{b},{a}]"), [0, 1, 0]), (format!("[{b},{a},{a}]"), [1, 0, 0])] {
            let found = reading(text.as_bytes());
            let starts = [Position::standard(), Position::from_fen(FEN).unwrap()];
            let games: Vec<_> = found.games.iter().map(|game| (game.start, moves(game))).collect();
            let expected =
                order.map(|at: usize| (starts[at], ["d1-d7/g7 a7-d4/a7", "c1-c7/g7 a7-d4/a7"][at].into()));
            assert_eq!((games.as_slice(), found.warnings), (expected.as_slice(), Vec::new()), "{text}");
        }
    }
    let text = format!(r#"{{"moves":["d1-d7/g7","a7-d4/a7"],"fen":"{FEN}"}}"#);
    let found = reading(text.as_bytes());
    assert_eq!(moves(&found.games[0]), TWO);
    assert!(found.warnings[0].text.contains("the start position is not understood"), "{:?}", found.warnings);
}

#[test]
fn names_in_json_belong_to_the_moves_of_their_object() {
    let text = r#"[{"moves":["d1-d7/g7"]},{"moves":["d1-d2/d3"],"second":"Bo","first":"Al"}]"#;
    let found = reading(text.as_bytes());
    let names: Vec<_> = found.games.iter().map(|game| [&*game.black, &*game.white]).collect();
    assert_eq!(names, [["", ""], ["Al", "Bo"]]);
    let text = r#"{"first":"Al","games":[{"moves":["d1-d7/g7"]},{"moves":["d1-d2/d3"]}]}"#;
    let warning = "the name Al is not kept: it stands beside no game";
    assert!(reading(text.as_bytes()).warnings.iter().any(|found| found.text == warning));
}

/// Points of the players in JSON, with the winner, and a part of the warning if there is one.
const SCORES: &[(&str, Option<Side>, &str)] = &[
    (r#""scores":[0,2]"#, Some(Side::White), ""),
    (r#""scores":[2, 0]"#, Some(Side::Black), ""),
    (r#""score":[1,0]"#, Some(Side::Black), ""),
    (r#""score":[-1,1]"#, Some(Side::White), ""),
    (r#""score":{"0":0,"1":2}"#, Some(Side::White), ""),
    (r#""score":{"1":1,"2":0}"#, Some(Side::Black), ""),
    (r#""score":{"first":"0","second":"1"}"#, Some(Side::White), ""),
    (r#""score":{"second":0,"first":1}"#, Some(Side::Black), ""),
    (r#""final_score":"2-0""#, Some(Side::Black), ""),
    (r#""score":"0 : 2""#, Some(Side::White), ""),
    (r#""scores":[0,0]"#, None, ""),
    (r#""score":0.53"#, None, ""),
    (r#""score":{"black":1,"white":0}"#, None, "the first mover's colour is unknown"),
    (r#""score":[1,1]"#, None, "the result \"score:[1,1]\" does not name the winner"),
    (r#""score":[12,7]"#, None, "does not name the winner"),
    (r#""score":{"Ann":1,"Bob":0}"#, None, "the result \"score:{Ann:1,Bob:0}\" does not name the winner"),
    (r#""scores":[{"name":"Ann","points":2},{"name":"Bob","points":0}]"#, None, "does not name the winner"),
    (r#""winner":0"#, None, "the result \"winner:0\" does not name the winner"),
    (r#""winner":null"#, None, ""),
    (r#""result":1"#, None, "the result \"result:1\" does not name the winner"),
    (r#""scores":[0,2],"winner":"first""#, Some(Side::White), "another result of this game says"),
];

#[test]
fn points_in_json_are_results() {
    for (points, winner, warning) in SCORES {
        let game = r#""moves":["d1-d7/g7","a7-d4/a7"]"#;
        for text in [format!("{{{points},{game}}}"), format!("{{\n{game},\n{points}\n}}")] {
            let found = reading(text.as_bytes());
            let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
            let is_warned = match *warning {
                "" => warnings.is_empty(),
                warning => warnings.iter().any(|text| text.contains(warning)),
            };
            let is_read = moves(&found.games[0]) == TWO && found.games[0].winner == *winner;
            assert!(is_read && is_warned, "{text}: {:?} {warnings:?}", found.games[0].winner);
        }
    }
}

#[test]
fn pgn_in_json_is_read() {
    let ann = r#"[White \"Ann\"]\n[Black \"Bob \\\"B\\\"\"]\n[Date \"2026.11.28\"]\n[Event \"Cup\"]\n[Result \"0-1\"]\n\n1. Qdd7,g7 Qad4,a7 0-1"#;
    let cid = r#"[White \"Cid\"]\n[Black \"Dan\"]\n\n1. d1-d2/d3 a7-a6/a5 1-0"#;
    let games = |text: String| -> Vec<_> {
        let found = reading(text.as_bytes());
        assert_eq!(found.warnings, Vec::new(), "{text}");
        let read = |game: GameRecord| (game.black, game.white, game.when, game.event, game.winner);
        found.games.into_iter().map(read).collect()
    };
    let game = |black: &str, white: &str, when: &str, event: &str, winner| {
        (black.to_owned(), white.to_owned(), when.to_owned(), event.to_owned(), Some(winner))
    };
    let ann_game = game("Ann", "Bob \"B\"", "2026.11.28", "Cup", Side::White);
    let cid_game = game("Cid", "Dan", "", "", Side::Black);
    assert_eq!(games(format!(r#"{{"pgn":"{ann}"}}"#)), *std::slice::from_ref(&ann_game));
    for text in [
        format!(r#"[{{"pgn":"{cid}"}},{{"id":2,"pgn":"{ann}"}}]"#),
        format!("{{\"pgn\":\"{cid}\"}}\n{{\"pgn\":\"{ann}\"}}"),
        format!(r#"["{cid}","{ann}"]"#),
        format!("\u{feff}{{\n\"games\": [\n\"{cid}\",\n\"{ann}\"\n]\n}}"),
    ] {
        assert_eq!(games(text), [cid_game.clone(), ann_game.clone()]);
    }
    let several = r#"{"pgn":"[White \"Ann\"]\n[Black \"Bob\"]\n\n1. d1-d7/g7 a7-d4/a7 0-1\n\nC 1-0"}"#;
    let several = several.replace("C 1-0", cid);
    assert_eq!(games(several), [game("Ann", "Bob", "", "", Side::White), cid_game]);
    let fen = "3q2q3/10/10/q8q/10/10/Q8Q/10/10/2Q3Q3 w - - 0 1";
    let text = format!(r#"{{"pgn":"[White \"Ann\"]\n[FEN \"{fen}\"]\n[Winner \"Ann\"]\n\n1. c1-c7/g7"}}"#);
    let found = reading(text.as_bytes());
    let read = &found.games[0];
    assert_eq!(
        (read.start, &*read.black, read.winner),
        (Position::from_fen(fen).unwrap(), "Ann", Some(Side::Black))
    );
}

/// Objects of coordinates that are no whole move.
const DAMAGED_MOVES: &[&str] = &[
    r#"{"fromRow":9,"fromCol":6,"tCol":4,"arrowRow":5,"arrowCol":0}"#,
    r#"{"fromRow":9,"fromCol":6,"toRow":7,"tCol":4,"arrowRow":0,"arrowCol":4}"#,
    r#"{"fromRow":9,"fromCol":6,"toRow":7,"arrowRow":0,"arrowCol":4}"#,
    r#"{"fRow":9,"fCol":6,"toRow":7,"toCol":4,"arrowRow":0}"#,
    r#"{"fromRow":9,"fromCol":6}"#,
    r#"{"fromRow":9}"#,
    r#"{"from":{"row":9,"col":6},"to":{"row":7,"col":4}}"#,
    r#"{"from":[9,6],"t":[7,4],"arrow":[0,4]}"#,
    r#"{"from":"g1","to":"e3"}"#,
    r#"{"from":"g1","tp":"e3","arrow":"e10"}"#,
    r#"{"x0":6,"y0":0,"x1":4,"y1":2,"x2":4}"#,
];

#[test]
fn damaged_coordinates_in_json_are_in_warnings() {
    let object = |[a, b, c, d, e, f]: [u8; 6]| {
        format!(r#"{{"fromRow":{a},"fromCol":{b},"toRow":{c},"toCol":{d},"arrowRow":{e},"arrowCol":{f}}}"#)
    };
    let (first, second) = (object([9, 3, 3, 3, 3, 6]), object([3, 0, 6, 3, 3, 0]));
    for damaged in DAMAGED_MOVES {
        for text in [
            format!("[\n{first},\n{second},\n{damaged}\n]"),
            format!("{{\"moves\":[\n{first},\n{second},\n{damaged}]}}"),
            format!("\n{first}\n{second}\n{damaged}"),
        ] {
            let found = reading(text.as_bytes());
            let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
            let is_warned = warnings.iter().any(|warning| warning.starts_with("line 4: in no game: "));
            assert!(moves(&found.games[0]) == TWO && is_warned, "{text}: {warnings:?}");
        }
        // What follows a damaged move is no move of the first game.
        let text = format!("[{first},{damaged},{second}]");
        assert!(!reading(text.as_bytes()).warnings.is_empty(), "{text}");
    }
    for harmless in [r#"{"start":0,"end":12}"#, r#"{"from":"Ann","to":"Bob"}"#, r#"{"row":3}"#] {
        let found = reading(format!("{{\"moves\":[{first},{second}],\"x\":{harmless}}}").as_bytes());
        assert_eq!((moves(&found.games[0]).as_str(), found.warnings), (TWO, Vec::new()), "{harmless}");
    }
}

/// Start positions that JSON of other programs states, with the FEN that is read and a part of the warning.
const STARTS: &[(&str, &str, &str)] = &[
    (r#""3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w""#, "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1", ""),
    (
        r#""3q2q3/10/10/q8q/10/10/Q8Q/10/10/2Q3Q3 w - - 0 1""#,
        "3q2q3/10/10/q8q/10/10/Q8Q/10/10/2Q3Q3 w - - 0 1",
        "",
    ),
    (
        r#"{"current_player":1,"board":[[0,0,0,-1,0,0,-1,0,0,0],[0,0,0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0,0,0],[-1,0,0,0,0,0,0,0,0,-1],
            [0,0,0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0,0,0],[1,0,0,0,0,0,0,0,0,1],[0,0,0,0,0,0,0,0,0,0],[0,0,0,0,2,0,0,0,0,0],
            [0,0,1,0,0,0,1,0,0,0]]}"#,
        "3q2q3/10/10/q8q/10/10/Q8Q/10/4*5/2Q3Q3 w - - 0 1",
        "",
    ),
    (
        r#"{"black":["c1","g1","a4","j4"],"white":["d10","g10","a7","j7"]}"#,
        "3q2q3/10/10/q8q/10/10/Q8Q/10/10/2Q3Q3 w - - 0 1",
        "",
    ),
    (r#""standard""#, "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1", ""),
    (
        r#"{"current_player":1,"board":[[0,0],[0,0]]}"#,
        "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1",
        "line 1: the start position is not understood; the game is read from the usual start",
    ),
    (
        r#""chess960""#,
        "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1",
        "the start position is not understood",
    ),
];

#[test]
fn start_positions_in_json_are_read() {
    for (value, fen, warning) in STARTS {
        let from = if fen.contains("/2Q") { 2 } else { 3 };
        let text = format!(
            "{{\"initial_position\":{value},\"turns\":[[[9,{from}],[3,{from}],[3,6]],[[3,0],[6,3],[3,0]]]}}"
        );
        let found = reading(text.as_bytes());
        let start = &found.games[0].start;
        let expected = Position::from_fen(fen).unwrap();
        let amazons = (start.all_amazons(), start.arrows(), start.side());
        assert_eq!(amazons, (expected.all_amazons(), expected.arrows(), expected.side()), "{text}");
        let expected = if from == 2 { "c1-c7/g7 a7-d4/a7" } else { TWO };
        assert_eq!(moves(&found.games[0]), expected, "{text}");
        let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
        match *warning {
            "" => assert!(warnings.is_empty(), "{text}: {warnings:?}"),
            warning => assert!(warnings.iter().any(|text| text.contains(warning)), "{text}: {warnings:?}"),
        }
    }
}

#[test]
fn numbers_of_moves_and_of_turns_have_no_gap() {
    for text in [
        "1. d1-d7/g7 a7-d4/a7 2. g1-e3/e10",
        "1. d1-d7/g7\n2. a7-d4/a7\n3. g1-e3/e10",
        "1. d1-d7/g7\n1... a7-d4/a7\n2. g1-e3/e10",
        "1 d1d7(g7) a7d4(a7)\n2 g1e3(e10)",
        "1) d1-d7/g7 2) a7-d4/a7 3) g1-e3/e10",
    ] {
        let found = reading(text.as_bytes());
        assert_eq!((moves(&found.games[0]).as_str(), found.warnings), (THREE, Vec::new()), "{text}");
    }
}

/// Texts of three games whose winners are Black, Black and White.
const THREE_RESULTS: [&str; 8] = [
    "Game 1\nResult: 1-0\n1. A\n\nGame 2\nResult: 1-0\n1. B\n\nGame 3\nResult: 0-1\n1. C",
    "第1局\n先手胜\n1. A\n第2局\n先手胜\n1. B\n第3局\n后手胜\n1. C",
    "1-0: A\n1-0: B\n0-1: C",
    "id,result,moves\n1,1-0,A\n2,1-0,B\n3,0-1,C",
    "id,moves,result\n1,A,1-0\n2,B,1-0\n3,C,0-1",
    "1. A\n1-0\n\n1. B\n1-0\n\n1. C\n0-1",
    r#"{"games":[{"result":"1-0","moves":"A"},{"result":"1-0","moves":"B"},{"result":"0-1","moves":"C"}]}"#,
    r#"[{"moves":"A","winner":"first"},{"moves":"B","winner":"first"},{"moves":"C","winner":"second"}]"#,
];

#[test]
fn each_of_several_games_has_its_result() {
    let games = [
        "d1-d7/g7 a7-d4/a7 g1-e3/e10 j7-i6/i7 a4-a6/b6 i6-i5/i6",
        "g1-g2/g3 j7-j6/j5 g2-g1/g2 j6-j7/j6 g1-h1/g1 j7-i7/j7",
        "d1-d2/d3 a7-a6/a5 d2-d1/d2 a6-a7/a6 d1-c1/d1 a7-b7/a7",
    ];
    let mut failures = Vec::new();
    for text in THREE_RESULTS {
        let text = text.replace('A', games[0]).replace('B', games[1]).replace('C', games[2]);
        let found = reading(text.as_bytes());
        let winners: Vec<Option<Side>> = found.games.iter().map(|game| game.winner).collect();
        let plies: Vec<String> = found.games.iter().map(moves).collect();
        if winners != [Side::Black, Side::Black, Side::White].map(Some) || plies != games {
            failures.push(format!("{text}\n  found {winners:?} {plies:?} {:?}", found.warnings));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_second_side_can_move_first() {
    let fen = "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 b - - 0 1";
    let tags = format!(
        "[White \"A\"]\n[Black \"B\"]\n[FEN \"{fen}\"]\n[Result \"1-0\"]\n\n1... a7-b7/c7 2. d1-d2/d3 1-0"
    );
    let game = reading(tags.as_bytes()).games.remove(0);
    assert_eq!(([&*game.black, &*game.white], game.winner), (["A", "B"], Some(Side::Black)));
    let text = format!("{fen}\nWhite: Ann\nBlack: Bo\nWhite: a7-b7/c7\nBlack: d1-d2/d3\nWhite wins");
    let game = reading(text.as_bytes()).games.remove(0);
    assert_eq!(([&*game.black, &*game.white], game.winner), (["Bo", "Ann"], Some(Side::White)));
}

#[test]
fn our_sgf_can_quote_a_game() {
    let mut game = GameRecord::new("Al;B[dj", "x PB[y", Position::standard());
    game = game.with_moves(&["d1-d7/g7".parse().unwrap()]);
    game.notes.entry(1).or_default().comment = "see (;B[djddgd];W[addgad]) and ;B[dj".into();
    let found = reading(record::sgf::write(&game).as_bytes());
    assert_eq!((found.games, found.warnings), (vec![game], Vec::new()));
}

#[test]
fn numbers_of_any_size_are_read() {
    let text = "9223372036854775808 1 2 3 4 5 6 7\nd1-d7/g7 a7-d4/a7";
    assert_eq!(moves(&reading(text.as_bytes()).games[0]), TWO);
}

#[test]
fn our_json_can_be_indented() {
    let game = reading("#[AM][甲][乙][先手胜][t][e];1 d1d7(g7) a7d4(a7)".as_bytes()).games.remove(0);
    let value: serde_json::Value = serde_json::from_str(&record::json::write(&game)).unwrap();
    let again = reading(serde_json::to_string_pretty(&value).unwrap().as_bytes());
    assert_eq!((again.games, again.warnings), (vec![game], Vec::new()));
}

#[test]
fn typed_moves_are_read() {
    let start = Position::standard();
    for text in ["d1d7，d7g7", "ｄ１－ｄ７／ｇ７", "DJDDGD", "d1-d7/g7", "d1 d7 g7", "Qdd7,g7"] {
        assert_eq!(record::read_move(text, &start).map(|mv| mv.to_string()), Ok("d1-d7/g7".into()), "{text}");
    }
    for text in ["", "d1-d7", "d1-d7/g7 a7-d4/a7", "d1-d7/g7 x", "d1-d8/g8/h8"] {
        assert!(record::read_move(text, &start).is_err(), "{text}");
    }
}

#[test]
fn an_unclear_result_is_seen_in_its_encoding() {
    let text = "1 c1c2,c2b2 f8f3,f3d3 后手认输  Dear Ann, thanks for the game!";
    let reading = reading(&encoding_rs::GB18030.encode(text).0);
    let warning = reading.warnings[0].to_string();
    assert!(warning.contains("后手认输"), "{warning}");
}

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

#[test]
fn a_doubt_about_moves_decides_no_encoding() {
    let text = "【White \"甲队\"】 > 【Black \"乙队\"】 > 1、aececc babdbb > 2、efcddd abaaca [0.1 s] > 3、cedeae eadaeb";
    for text in [text.to_owned(), format!("{text} 1-0")] {
        let game = reading(&encoding_rs::GB18030.encode(&text).0).games.remove(0);
        assert_eq!([&*game.black, &*game.white], ["甲队", "乙队"], "{text}");
    }
}

#[test]
fn an_open_result_decides_the_encoding() {
    for names in [["甲", "乙"], ["张三", "李四"], ["北京大学", "东北大学"], ["甲", "Bob"]] {
        for event in ["北京][x]", "]"] {
            let text =
                format!("#[AM][{}][{}][未完][2026.11.28 {event};1 d1d7(g7) a7d4(a7)", names[0], names[1]);
            let mut reading = reading(&encoding_rs::GB18030.encode(&text).0);
            let game = reading.games.remove(0);
            assert_eq!([&*game.black, &*game.white], names, "{text}");
            assert!(reading.warnings.is_empty(), "{text}: {:?}", reading.warnings);
        }
    }
}

#[test]
fn a_wrong_encoding_joins_no_games() {
    // Under another encoding, the brackets of the tags would be letters, and the moves before them the game's.
    let tags = "［White “”］\n［Black “José [3d]”］\n［Result “”］\n［TimeControl “300+3”］";
    let text = format!("不如 d1d6(f6)\n{tags}\n\n0 3 5 3 6 4\n9 6 9 7 8 8\n");
    let reading = reading(&encoding_rs::GB18030.encode(&text).0);
    assert_eq!(reading.games.iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(reading.warnings.len(), 1, "{:?}", reading.warnings);
}

#[test]
fn an_uncertain_encoding_is_named() {
    let names = |black: &str, white: &str| format!("(;GM[18]PB[{black}]PW[{white}];B[djddgd];W[addgad])");
    for (encoding, text, warning) in [
        (encoding_rs::BIG5, names("張三", "李四"), Some("read as GBK, but it can be Big5")),
        (encoding_rs::SHIFT_JIS, names("たなか", "すずき"), Some("read as GBK, but it can be Shift_JIS")),
        (
            encoding_rs::WINDOWS_1251,
            names("Иван Петров", "Олег"),
            Some("read as GBK, but it can be windows-1251"),
        ),
        (encoding_rs::GBK, names("张三", "李四"), None),
        (encoding_rs::GBK, "#[AM][甲队][乙队][先手胜][t][e];1 d1d7(g7) a7d4(a7)".into(), None),
        (encoding_rs::WINDOWS_1252, names("José", "Müller"), None),
        (encoding_rs::UTF_8, names("張三", "すずき"), None),
    ] {
        let found = reading(&encoding.encode(&text).0);
        assert_eq!(moves(&found.games[0]), TWO);
        let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings.len(), usize::from(warning.is_some()), "{text}: {warnings:?}");
        assert!(warning.is_none_or(|warning| warnings[0].contains(warning)), "{text}: {warnings:?}");
    }
}

/// Moves of a game on Botzone.
const COORDINATES: [[i8; 6]; 3] = [[2, 0, 1, 0, 7, 6], [0, 5, 1, 5, 4, 2], [5, 0, 5, 1, 6, 2]];

/// Returns the inputs of a bot that make up a game; `none` is the first request.
fn inputs_of_a_bot([none, a, b, c]: [&str; 4]) -> Vec<String> {
    let input = |requests: &[&str], responses: &[&str]| {
        format!(r#"{{"requests":[{}],"responses":[{}]}}"#, requests.join(","), responses.join(","))
    };
    let inputs = [input(&[none], &[]), input(&[none, b], &[a]), input(&[none, b], &[a, c])];
    vec![
        format!("{}\n{a}\n{b}\n{c}\n", inputs[0]),
        format!(
            "{}\n{{\"response\":{a}}}\n{{\"request\":{b}}}\n{{\"response\":{c},\"debug\":\"x\"}}",
            inputs[0]
        ),
        format!("{none}\n{a}\n{b}\n{c}"),
        format!("[{}]", inputs.join(",")),
        inputs.join("\n"),
        format!("{}\n{c}", inputs[1]),
    ]
}

/// Returns texts of one Botzone game of three moves that nobody finished, and of one that Black has won.
fn botzone_texts() -> [Vec<String>; 2] {
    let message = |[x0, y0, x1, y1, x2, y2]: [i8; 6]| {
        format!(r#"{{"x0":{x0},"y0":{y0},"x1":{x1},"y1":{y1},"x2":{x2},"y2":{y2}}}"#)
    };
    let [a, b, c] = COORDINATES.map(message);
    let none = message([-1; 6]);
    let judge = |side: usize, content: &str| {
        format!(r#"{{"output":{{"command":"request","content":{{"{side}":{content}}}}}}}"#)
    };
    let end = r#"{"output":{"command":"finish","content":{"0":2,"1":0}}}"#.to_owned();
    let log = |wrap: &dyn Fn(&str) -> String| {
        let turn = |side: usize, mv: &String| format!(r#"{{"{side}":{}}}"#, wrap(mv));
        [judge(0, &none), turn(0, &a), turn(1, &b), turn(0, &c), end.clone()]
    };
    let whole = [
        judge(0, &none),
        format!(r#"{{"0":{{"verdict":"OK","response":{a}}}}}"#),
        judge(1, &a),
        format!(r#"{{"1":{{"verdict":"OK","response":{b}}}}}"#),
        judge(0, &b),
        format!(r#"{{"0":{{"verdict":"OK","response":{c}}}}}"#),
        end.clone(),
    ];
    let unfinished = inputs_of_a_bot([&none, &a, &b, &c].map(String::as_str));
    let mut finished =
        vec![whole.join("\n"), whole.join(",\n") + ",\n", format!("[\n{}\n]", whole.join(",\n"))];
    finished.push(format!(
        "[{}]",
        [judge(0, &none), judge(1, &a), judge(0, &b), judge(1, &c), end.clone()].join(",")
    ));
    for wrap in [
        r#"{"response":{"response":#}}"#,
        r#"{"verdict":"OK","response":{"content":#}}"#,
        r#"{"content":#}"#,
        r#"{"verdict":"OK","raw":{"response":#,"debug":1}}"#,
        "#",
    ] {
        finished.push(format!("[{}]", log(&|mv| wrap.replace('#', mv)).join(",")));
    }
    finished.push(format!("[{}]", log(&|mv| format!(r#"{{"verdict":"OK","raw":{mv:?}}}"#)).join(",")));
    [unfinished, finished]
}

#[test]
fn a_log_with_displays_is_one_game() {
    let [a, b] = [[2, 0, 2, 5, 5, 5], [2, 7, 2, 6, 3, 7]].map(|[x0, y0, x1, y1, x2, y2]: [i8; 6]| {
        format!(r#"{{"x0":{x0},"y0":{y0},"x1":{x1},"y1":{y1},"x2":{x2},"y2":{y2}}}"#)
    });
    let judge = format!(r#"{{"output":{{"command":"request","content":{{"1":{a}}},"display":{a}}}}}"#);
    let finish = format!(r#"{{"output":{{"command":"finish","content":{{"0":0,"1":2}},"display":{b}}}}}"#);
    let turns =
        [format!(r#"{{"0":{{"response":{a}}}}}"#), judge.clone(), format!(r#"{{"1":{{"response":{b}}}}}"#)];
    for text in [turns.join("\n"), format!("[{}]", turns.join(",")), format!("[{judge},{finish}]")] {
        let found = reading(text.as_bytes());
        let games: Vec<String> = found.games.iter().map(moves).collect();
        assert_eq!((games, found.warnings), (vec!["c1-c6/f6 c8-c7/d8".to_owned()], Vec::new()), "{text}");
    }
}

#[test]
fn botzone_games_are_read() {
    let expected = "c1-b1/h7 a6-b6/e3 f1-f2/g3";
    let mut failures = Vec::new();
    for (texts, winner) in botzone_texts().into_iter().zip([None, Some(Side::Black)]) {
        for text in texts {
            let found = reading(text.as_bytes());
            let games: Vec<String> = found.games.iter().map(moves).collect();
            if games != [expected] || found.games[0].winner != winner || !found.warnings.is_empty() {
                failures.push(format!("{text}\n  found {games:?} {:?}", found.warnings));
            }
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn botzone_logs_that_are_cut_off_are_read_up_to_there() {
    let [_, finished] = botzone_texts();
    for text in [finished[2].clone(), format!(r#"{{"id":1,"log":{}}}"#, finished[2])] {
        let mut longest = 0;
        for end in (text.find("\"output\"").unwrap_or_default()..text.len() - 1).filter(|end| end % 7 == 0) {
            let Ok(reading) = record::read_bytes(&text.as_bytes()[..end]) else { continue };
            let plies: Vec<usize> = reading.games.iter().map(|game| game.moves.len()).collect();
            assert!(
                plies.len() == 1 && plies[0] >= longest && !reading.warnings.is_empty(),
                "{plies:?}: {}",
                &text[..end]
            );
            longest = plies[0];
        }
        assert_eq!(longest, 3);
    }
}

#[test]
fn names_are_read_in_their_encoding() {
    let western = b"(;GM[18]PB[M\xfcller]PW[Fran\xe7ois];B[djddgd];W[addgad])";
    let damaged = "(;GM[18]PB[甲队二]PW[Müller]EV[重庆?];B[djddgd];W[addgad])".replace('?', "\u{1}");
    let damaged: Vec<u8> = damaged.bytes().map(|byte| if byte == 1 { 0xff } else { byte }).collect();
    let chinese = "(;GM[18]PB[北京大学亚马逊棋队]PW[重庆邮电大学亚马逊棋队]EV[全国大学生计算机博弈大赛];B[djddgd];W[addgad])";
    let utf_16 = |unit: fn(u16) -> [u8; 2]| chinese.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    let utf_32 = |unit: fn(u32) -> [u8; 4], mark: &str| {
        mark.chars().chain(chinese.chars()).flat_map(|c| unit(u32::from(c))).collect::<Vec<u8>>()
    };
    let names = ["北京大学亚马逊棋队", "重庆邮电大学亚马逊棋队"];
    for (bytes, names, warnings) in [
        (western.to_vec(), ["Müller", "François"], 0),
        (damaged, ["甲队二", "Müller"], 1),
        (utf_16(u16::to_le_bytes), names, 0),
        (utf_16(u16::to_be_bytes), names, 0),
        (utf_32(u32::to_le_bytes, ""), names, 0),
        (utf_32(u32::to_be_bytes, ""), names, 0),
        (utf_32(u32::to_le_bytes, "\u{feff}"), names, 0),
        (utf_32(u32::to_be_bytes, "\u{feff}"), names, 0),
        (encoding_rs::GB18030.encode(chinese).0.into_owned(), names, 0),
    ] {
        let Reading { games, warnings: found } = reading(&bytes);
        assert_eq!([&*games[0].black, &*games[0].white], names);
        assert_eq!(found.len(), warnings, "{names:?}: {found:?}");
    }
}
