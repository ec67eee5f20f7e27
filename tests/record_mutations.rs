//! A record that people changed on its way reads as the same game, or gives a warning.

use fastrand::Rng;
use otrera::record::{self, ccgc, json, sgf};
use otrera::{GameRecord, Move, Position, Side};
use proptest::prelude::*;
use testkit::{any_knowledge, random_record, scattered_position, size};

/// Text that people have around a record and in its comments. The last two hold a move.
const PROSE: [&str; 12] = [
    "",
    "Dear Ann,\nthanks for the game!",
    "From: a@b.org\nDate: Mon, 16 Aug 2020 11:44:00 +0800 (CST)\nSubject: our 2nd game\n",
    "第一局，重庆，2020年8月16日",
    "time left 0:12, 95%, rate 0.53",
    "<p>see &lt;this&gt;</p>",
    "* nice *",
    "Elo 1500 -> 1512.5",
    "-- \nBob, +49 30 1234",
    "|---|---|",
    "better was d1-d6/f6",
    "不如 d1d6(f6)",
];

/// Results, and the winner that they name.
const RESULTS: [(&str, Option<Side>); 6] = [
    ("", None),
    ("1-0", Some(Side::Black)),
    ("0-1", Some(Side::White)),
    ("先手胜", Some(Side::Black)),
    ("后手认输", Some(Side::Black)),
    ("*", None),
];

fn choose<'a, T: ?Sized>(rng: &mut Rng, all: &[&'a T]) -> &'a T {
    all[rng.usize(..all.len())]
}

fn prose(rng: &mut Rng) -> &'static str {
    choose(rng, &PROSE)
}

/// A changed text, and the result that it states.
struct Changed {
    text: String,
    winner: Option<Side>,
    /// Names of the players in half width and lower case; `None` if the text does not hold them.
    names: Option<[String; 2]>,
}

/// Returns a name in half width and lower case, with single spaces.
fn plain_name(name: &str) -> String {
    let half = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        other => other,
    };
    let name: String = name.chars().map(half).collect();
    name.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn names(game: &GameRecord) -> Option<[String; 2]> {
    Some([plain_name(&game.black), plain_name(&game.white)])
}

/// Formats a move in a notation; the last two are letters and numbers.
fn notation(mv: Move, edge: usize, form: usize) -> String {
    let [from, to, arrow] = [mv.from, mv.to, mv.arrow].map(|square| square.to_string());
    let letters = [mv.from, mv.to, mv.arrow].map(|square| {
        let letter = |index: usize| char::from(b'a' + index as u8);
        [letter(square.column()), letter(edge - 1 - square.row())].iter().collect::<String>()
    });
    let numbers = [mv.from, mv.to, mv.arrow].map(|square| format!("{} {}", square.column(), square.row()));
    match form {
        0 => format!("{from}-{to}/{arrow}"),
        1 => format!("{from}{to}({arrow})"),
        2 => format!("{from}{to},{to}{arrow}"),
        3 => format!("{from} {to} {arrow}"),
        4 => format!("{from}–{to},{arrow}"),
        5 => format!("{from}-{to} ({arrow})"),
        6 => format!("Q{from}{to},{arrow}"),
        7 => format!("{from}->{to} x {arrow}"),
        8 => format!("{from}{to}{arrow}").to_uppercase(),
        9 => letters.concat().to_uppercase(),
        10 => letters.concat(),
        _ => numbers.join(" "),
    }
}

/// Writes the moves as a list with numbers, comments and clocks.
fn list(game: &GameRecord, rng: &mut Rng) -> String {
    let (form, numbering, between) = (rng.usize(..12), rng.usize(..7), rng.usize(..5));
    let edge = game.start.size().edge();
    // Of small boards the size must be stated.
    let mut text = if edge == 6 { "6x6\n".to_owned() } else { String::new() };
    for (ply, played) in game.moves.iter().enumerate() {
        let number = match (numbering, ply % 2) {
            (1, 0) => format!("{}. ", ply / 2 + 1),
            (2, 0) => format!("{} ", ply / 2 + 1),
            (3, _) => format!("{}) ", ply + 1),
            (4, 0) => format!("{}、", ply / 2 + 1),
            (5, 0) => format!("{}. ", ply / 2 + 1),
            (5, _) => format!("{}... ", ply / 2 + 1),
            _ => String::new(),
        };
        // A number and numbers without anything between them cannot be told apart.
        let number = if form == 11 { String::new() } else { number };
        text += &number;
        text += &notation(played.mv, edge, form);
        text += match between {
            1 if rng.u8(..4) == 0 => choose(rng, &["!", "?", "!?", " +-"]),
            2 if rng.u8(..3) == 0 && form != 11 => {
                choose(rng, &[" (0:12)", " {0:12}", " {[%clk 0:14:58]}", " [0.53, 0.1 s]"])
            }
            _ => "",
        };
        if between == 3 && rng.u8(..6) == 0 {
            text += &format!(" {{{}}}", prose(rng).replace('\n', " "));
        }
        text += if ply % 2 == 1 || form == 11 || numbering == 6 { "\n" } else { " " };
    }
    text
}

fn plain(game: &GameRecord, rng: &mut Rng) -> Changed {
    let (result, winner) = RESULTS[rng.usize(..RESULTS.len())];
    Changed { text: format!("{}{result}\n", list(game, rng)), winner, names: None }
}

fn pgn(game: &GameRecord, rng: &mut Rng) -> Changed {
    let (result, winner) = RESULTS[rng.usize(..3)];
    let [first, second] = [&game.black, &game.white].map(|name| name.as_str());
    let tags = [("White", first), ("Black", second), ("Result", result), ("TimeControl", "300+3")];
    let [open, close, quote, end] =
        *choose(rng, &[&["[", "]", "\"", "\""], &["［", "］", "“", "”"], &["【", "】", "\"", "\""]]);
    let tag = |(name, value): &(&str, &str)| format!("{open}{name} {quote}{value}{end}{close}\n");
    let tags: String = tags.iter().map(tag).collect();
    Changed { text: format!("{tags}\n{}{result}\n", list(game, rng)), winner, names: names(game) }
}

fn championship(game: &GameRecord, rng: &mut Rng) -> Changed {
    let mut text = ccgc::write(game);
    if ccgc::obstacle(game).is_some() {
        return plain(game, rng);
    }
    let (mut winner, mut names) = (
        game.winner,
        names(&GameRecord::new(ccgc::plain(&game.black), ccgc::plain(&game.white), game.start)),
    );
    match rng.u8(..6) {
        0 => text = text.replacen(";\n", ";", 1),
        1 => text = text.replacen('#', "", 1),
        2 => text = text.replacen(']', "\n]", 1),
        3 => text = text.to_uppercase(),
        4 => {
            text = text.split_once('\n').map(|(_, moves)| moves.to_owned()).unwrap_or_default();
            (winner, names) = (None, None);
        }
        _ => {}
    }
    Changed { text, winner, names }
}

fn smart_game_format(game: &GameRecord, rng: &mut Rng) -> Changed {
    let (mut text, mut names) = (sgf::write(game), names(game));
    for _ in 0..rng.u8(..3) {
        match rng.u8(..10) {
            0 => text.truncate(text.trim_end().len() - 1),
            1 => text = text.replacen("(;", "(", 1),
            2 => text = text.replacen("GM[18]", "", 1),
            3 => text = text.replacen("GM[18]", "GM[Amazons]", 1),
            4 => {
                text = text.replacen("PB[", "PB[P[3d] ", 1);
                names = names.map(|[black, white]| [format!("p[3d] {black}").trim().to_owned(), white]);
            }
            5 => text = text.replacen(")", ";B[])", 1),
            6 => text.push_str("(;GM[1];B[dd])"),
            7 => text = text.replace(";B[", "\n ; B [ "),
            8 => text = text.replacen(";W[", "C[{}(;B] \\] x];W[", 1),
            _ => text = text.replacen("FF[4]", "FF[4]XX[1]", 1),
        }
    }
    Changed { text, winner: game.winner, names }
}

fn json_value(game: &GameRecord, rng: &mut Rng) -> Changed {
    let line = json::write(game);
    let value: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    let moves: Vec<_> = game.moves.iter().map(|played| played.mv.to_string()).collect();
    // Only some forms hold a position or the size of the board.
    let standard = [game.start == Position::start(game.start.size()), game.start.size().edge() > 6];
    let forms = match standard {
        [false, _] => 0..3,
        [_, false] => 0..4,
        _ => 0..7,
    };
    let form = rng.u8(forms);
    let (text, winner) = match form {
        0 => (serde_json::to_string_pretty(&value).expect("JSON"), game.winner),
        1 => (format!("[{line}]"), game.winner),
        2 => (line[..line.len() - 1].to_owned(), game.winner),
        3 => (serde_json::json!({"size": game.start.size().edge(), "moves": moves}).to_string(), None),
        4 => (serde_json::json!({"id": 7, "game": {"moves": moves.join("\n")}}).to_string(), None),
        5 => (serde_json::json!(moves).to_string(), None),
        6 => (serde_json::json!({"moves": moves, "winner": null}).to_string(), None),
        _ => (line, game.winner),
    };
    Changed { text, winner, names: if form < 2 { names(game) } else { None } }
}

/// Changes line breaks, quotes lines, adds text around, and writes full-width letters.
fn wrapped(mut text: String, is_text: bool, rng: &mut Rng) -> String {
    if is_text && rng.u8(..6) == 0 {
        let wide = |c: char| {
            if c.is_ascii_graphic() { char::from_u32(u32::from(c) + 0xfee0).unwrap_or(c) } else { c }
        };
        text = text.chars().map(wide).collect();
    }
    if is_text && rng.u8(..6) == 0 {
        text = text.lines().map(|line| format!("> {line}\n")).collect();
    }
    if rng.u8(..4) == 0 {
        text = format!("{}\n{text}", prose(rng));
    }
    if rng.u8(..4) == 0 {
        text = format!("{text}\n{}", prose(rng));
    }
    match rng.u8(..8) {
        0 => text.replace('\n', "\r\n"),
        1 => text.replace('\n', "\r"),
        2 => text.replace('\n', "\n\n"),
        3 => text.replace('\n', " "),
        4 => text.replace(' ', "\t"),
        _ => text,
    }
}

fn encoded(text: &str, rng: &mut Rng) -> Vec<u8> {
    let utf_16 = |unit: fn(u16) -> [u8; 2]| format!("\u{feff}{text}").encode_utf16().flat_map(unit).collect();
    match rng.u8(..8) {
        0 => format!("\u{feff}{text}").into_bytes(),
        1 => utf_16(u16::to_le_bytes),
        2 => utf_16(u16::to_be_bytes),
        3 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        4 => encoding_rs::GB18030.encode(text).0.into_owned(),
        _ => text.as_bytes().to_vec(),
    }
}

/// Generates a game and a changed record of it.
fn changed(rng: &mut Rng) -> (GameRecord, Changed, Vec<u8>) {
    let writer = rng.usize(..5);
    let edge = *choose(rng, &[&10, &10, &8, &6]);
    let start = match writer {
        0 | 1 if rng.u8(..4) == 0 => scattered_position(size(edge), rng),
        _ => Position::start(size(edge)),
    };
    let names = *choose(rng, &[&["甲队", "乙队"], &["Ann", "Bob"], &["", "José [3d]"]]);
    let length = rng.usize(1..40);
    let mut game = random_record(start, names, length, rng, any_knowledge);
    game.winner = *choose(rng, &[&None, &Some(Side::Black), &Some(Side::White)]);
    let mut changed = [smart_game_format, json_value, championship, plain, pgn][writer](&game, rng);
    changed.text = wrapped(changed.text, writer > 1, rng);
    let bytes = encoded(&changed.text, rng);
    (game, changed, bytes)
}

proptest! {
    // PROPTEST_CASES sets another number.
    #[test]
    fn changed_records_read_as_the_same_game_or_give_a_warning(seed in any::<u64>()) {
        let (game, changed, bytes) = changed(&mut Rng::with_seed(seed));
        let Ok(reading) = record::read_bytes(&bytes) else { return Ok(()) };
        if reading.warnings.is_empty() {
            prop_assert_eq!(reading.games.len(), 1, "{}", changed.text);
            let read = &reading.games[0];
            prop_assert_eq!(read.start, game.start, "{}", changed.text);
            prop_assert_eq!(read.played_moves(), game.played_moves(), "{}", changed.text);
            prop_assert_eq!(read.winner, changed.winner, "{}", changed.text);
            if changed.names.is_some() {
                prop_assert_eq!(names(read), changed.names, "{}", changed.text);
            }
        }
    }
}
