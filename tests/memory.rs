//! Memory that reading a record takes. The allocator counts all threads, so this is a program with one test.

use fastrand::Rng;
use otrera::Position;
use otrera::record::{self, ccgc, json, sgf};
use peak_alloc::PeakAlloc;
use testkit::{any_knowledge, random_record, size};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Maximum memory of [`record::read_each`], in bytes for each byte of the file.
const MAX_FACTOR: usize = 8;

/// Memory beside that, for tables that do not grow with the file.
const CONSTANT: usize = 1 << 18;

/// Memory that users are promised beside the multiple. One game with variations everywhere, which is kept as a whole,
/// needs it.
const PROMISED: usize = 16 << 20;

/// Maximum memory of [`record::read_bytes`], which keeps all games; not for games of hardly a move.
const MAX_KEPT: usize = 12;

const LENGTH: usize = 1 << 20;

/// Repeats texts that a function makes, up to [`LENGTH`] bytes.
fn filled(mut next: impl FnMut(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= LENGTH {
            break;
        }
        text += &next(number);
    }
    text
}

fn games(write: impl Fn(&otrera::GameRecord) -> String) -> String {
    let mut rng = Rng::with_seed(1);
    let mut game =
        || random_record(Position::start(size(10)), ["Ann", "Bob"], usize::MAX, &mut rng, any_knowledge);
    let games: Vec<_> = (0..20).map(|_| game()).collect();
    filled(|number| write(&games[number % games.len()]))
}

fn files() -> Vec<(&'static str, Vec<u8>)> {
    let plain = |game: &otrera::GameRecord| {
        let moves: Vec<String> = game.moves.iter().map(|played| played.mv.to_string()).collect();
        format!("Game 1\n{}\n", moves.join(" "))
    };
    let comment = "a long comment with [brackets\\] and \\\\ marks\n".repeat(LENGTH / 45);
    let comments = filled(|_| format!("C[{}]", "x y\n".repeat(1000)));
    let json_lines = games(|game| json::write(game) + "\n");
    let json_array = format!("[{}]", json_lines.trim_end().replace('\n', ","));
    let message = r#"{"x0":2,"y0":0,"x1":2,"y1":5,"x2":5,"y2":5},"#;
    let messages = filled(|_| message.to_owned());
    let log = filled(|_| format!(r#"{{"0":{{"verdict":"OK","response":{message}}}}},"#).replace(",}", "}"));
    let variations = filled(|_| "(;B[djddgd];W[addgad])".into());
    let nested =
        filled(|number| if number % 9 == 8 { "(;B[djddgd])".into() } else { ";W[];B[djddgd]".into() });
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let moves = games(plain);
    let mut files: Vec<(&str, Vec<u8>)> = [
        ("collection", games(sgf::write)),
        ("small games", filled(|_| "(;GM[18];B[djddgd])".into())),
        ("championship", games(ccgc::write)),
        ("comment", format!("(;GM[18];B[djddgd]C[{comment}])")),
        ("comments", format!("(;GM[18];B[djddgd]{comments})")),
        ("variations", format!("(;GM[18]{variations})")),
        ("nested", format!("(;GM[18]{nested})")),
        ("requests", format!(r#"{{"requests":[{messages}1],"responses":[{messages}1]}}"#)),
        ("log", format!("[{log}1]")),
        ("moves", moves.clone()),
        ("JSON lines", json_lines),
        ("JSON array", json_array),
        ("no moves", filled(|_| "d1-d2/d3\n".into())),
        ("nodes", format!("({}", ";".repeat(LENGTH))),
        ("branches", "(;".repeat(LENGTH / 2)),
        ("leaves", format!("({})", "(;)".repeat(LENGTH / 3))),
        ("values", format!("(;AA{})", "[]".repeat(LENGTH / 2))),
        ("open", "(;B[a]x ".repeat(LENGTH / 8)),
        ("brackets", "[".repeat(LENGTH)),
        ("numbers", "1 ".repeat(LENGTH / 2)),
    ]
    .map(|(name, text)| (name, text.into_bytes()))
    .into();
    files.push(("UTF-16", utf_16(&moves[..LENGTH / 2])));
    files.push(("GBK", encoding_rs::GB18030.encode(&moves.replace("Game", "对局")).0.into_owned()));
    files
}

/// Files of games of one or two plies in many forms.
fn short_games() -> Vec<(&'static str, String)> {
    let object = r#"{"result":"1-0","moves":["d1-d7/g7","a7-d4/a7"]}"#;
    let named = r#"{"players":["Ann","Bob"],"winner":"Bob","moves":"d1-d7/g7 a7-d4/a7","date":"2020-08-16"}"#;
    // The same game again and again would be read as one.
    let other = |part: &str, number: usize| match number % 2 {
        0 => part.to_owned(),
        _ => part.replace("d1-d7/g7", "d1-d6/g6").replace("djddgd", "djdege"),
    };
    let text = |part: &str| filled(|number| other(part, number));
    let list = |part: &str| format!("[{}{part}]", text(&format!("{part},")));
    vec![
        ("list of objects", list(object)),
        ("list of named objects", list(named)),
        ("indented list", list(&object.replace(',', ",\n    "))),
        ("list of short objects", list(r#"{"m":["d1-d7/g7"]}"#)),
        ("JSON lines", text(&format!("{object}\n"))),
        ("list of lists", list(r#"["d1-d7/g7","a7-d4/a7"]"#)),
        ("list of texts", list(r#""d1-d7/g7 a7-d4/a7 1-0""#)),
        (
            "list of coordinates",
            list(r#"[{"from":"d1","to":"d7","arrow":"g7"},{"from":"a7","to":"d4","arrow":"a7"}]"#),
        ),
        ("list of unordered coordinates", list(r#"[{"arrow":"g7","from":"d1","to":"d7"}]"#)),
        ("list in an object", format!(r#"{{"event":"Cup","games":{}}}"#, list(object))),
        ("list with a first colour", format!(r#"{{"first":"white","games":{}}}"#, list(object))),
        ("games with results", text("d1-d7/g7 a7-d4/a7 1-0\n")),
        ("games with headings", text("Game 2\nAnn - Bob\nd1-d7/g7 a7-d4/a7\nWhite wins\n\n")),
        ("numbered games", text("1. d1-d7/g7 a7-d4/a7 0-1\n")),
        ("games without borders", text("d1-d7/g7\n\na7-d4/a7\n\n")),
        ("shortest games", text("djddgd 1-0\n")),
        ("PGN", text("[White \"Ann\"]\n[Result \"1-0\"]\n\n1. d1-d7/g7 a7-d4/a7 1-0\n\n")),
        ("SGF", text("(;GM[18]RE[B+];B[djddgd];W[addgad])")),
        ("CSV", format!("game,white,black,moves,result\n{}", text("7,Ann,Bob,d1-d7/g7 a7-d4/a7,1-0\n"))),
        ("results", text("1-0\n")),
        ("JSON results", list("\"1-0\"")),
        ("damaged objects", text("{1-0\n")),
        ("entries", format!("{{{}\"moves\":[\"d1-d7/g7\"]}}", text("\"1\":\"a\","))),
    ]
}

#[test]
fn reading_takes_a_bounded_multiple_of_the_file() {
    let mut failures = Vec::new();
    for (name, bytes) in files() {
        let before = MEMORY.current_usage();
        let peak = |read: &dyn Fn()| {
            MEMORY.reset_peak_usage();
            read();
            MEMORY.peak_usage() - before + bytes.len()
        };
        let each = peak(&|| drop(record::read_each(&bytes, drop)));
        let all = peak(&|| drop(record::read_bytes(&bytes)));
        let constant = if ["variations", "nested"].contains(&name) { PROMISED } else { CONSTANT };
        let is_small = ["small games", "leaves"].contains(&name) || constant == PROMISED;
        if each > MAX_FACTOR * bytes.len() + constant || !is_small && all > MAX_KEPT * bytes.len() + CONSTANT
        {
            failures.push(format!("{name}: {each} one by one and {all} for all, of {} bytes", bytes.len()));
        }
    }
    for (name, text) in short_games() {
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        drop(record::read_each(text.as_bytes(), drop));
        let peak = MEMORY.peak_usage() - before + text.len();
        if peak > MAX_FACTOR * text.len() + CONSTANT {
            failures.push(format!("{name}: {peak} of {} bytes", text.len()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
