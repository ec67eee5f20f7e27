//! Words of a text: squares, pairs of letters, colours, results.

use super::piece::{Colour, Label, OPEN, Player};
use super::{numbering, verdict};

/// The known part of an origin, then squares; each a column and a row as written.
type Squares = (Option<[i8; 2]>, Vec<[i8; 2]>);

/// Reads a word of squares, `d1d7g7`. A piece letter, `Qdd7`, gives the part of the origin that is known.
pub fn squares(word: &str) -> Option<Squares> {
    if let Some(squares) = plain_squares(word) {
        return Some((None, squares));
    }
    let rest = word.strip_prefix('Q')?;
    let (file, after) = match rest.as_bytes() {
        [file, next, ..] if file.is_ascii_alphabetic() && !next.is_ascii_digit() => {
            (column(*file)?, &rest[1..])
        }
        _ => (OPEN, rest),
    };
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let (rank, after) = match after[..digits].parse() {
        Ok(rank) => (rank, &after[digits..]),
        Err(_) => (OPEN, after),
    };
    let squares = plain_squares(after)?;
    match (file, rank, squares.len()) {
        (OPEN, OPEN, 2..) if squares.len() != 2 => Some((None, squares)),
        _ => Some((Some([file, rank]), squares)),
    }
}

/// Reads a word of squares behind the letter of a piece, `Ad1d7`, or of a colour, which it returns.
pub fn lettered_squares(word: &str) -> Option<(Option<Colour>, Vec<[i8; 2]>)> {
    let squares = plain_squares(word.strip_prefix(|letter: char| letter.is_ascii_uppercase())?)?;
    let colour = match word.as_bytes()[0] {
        b'B' => Some(Colour::Black),
        b'W' => Some(Colour::White),
        _ => None,
    };
    Some((colour, squares))
}

fn plain_squares(word: &str) -> Option<Vec<[i8; 2]>> {
    let mut squares = Vec::new();
    let mut rest = word;
    while let Some(&first) = rest.as_bytes().first() {
        let column = column(first)?;
        let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
        let rank = rest[1..1 + digits].parse().ok().filter(|rank| (1..=10).contains(rank) && digits <= 2)?;
        squares.push([column, rank]);
        rest = rest[1 + digits..].trim_start_matches(['x', '_']);
    }
    (!squares.is_empty()).then_some(squares)
}

/// Returns the index of a column, from 0. The letter k occurs where i is left out.
fn column(letter: u8) -> Option<i8> {
    let index = letter.to_ascii_lowercase().checked_sub(b'a').filter(|index| *index <= 10)?;
    i8::try_from(index).ok()
}

/// Reads a word of pairs of letters, `djddgd`.
pub fn pairs(word: &str) -> Option<Vec<[i8; 2]>> {
    let (pairs, []) = word.as_bytes().as_chunks() else { return None };
    let is_whole = matches!(pairs.len(), 1 | 2) || pairs.len().is_multiple_of(3) || pairs.len() == 4;
    let mixed = word.bytes().any(|byte| byte.is_ascii_uppercase())
        && word.bytes().any(|byte| byte.is_ascii_lowercase());
    if pairs.is_empty() || !is_whole || mixed && pairs.len() < 3 {
        return None;
    }
    let point = |&[first, second]: &[u8; 2]| Some([column(first)?, column(second)?]);
    let points: Option<Vec<[i8; 2]>> = pairs.iter().map(point).collect();
    points.filter(|points| points.iter().flatten().all(|index| *index < 10))
}

/// True if a word looks like a move that is cut off or damaged.
pub fn is_damaged(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_letter = |byte: &u8| (b'a'..=b'k').contains(&byte.to_ascii_lowercase());
    let squares = bytes.windows(2).filter(|pair| is_letter(&pair[0]) && pair[1].is_ascii_digit()).count();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = bytes.len() - digits;
    let in_range = bytes.iter().filter(|byte| is_letter(byte) && !b"kK".contains(byte)).count();
    let of_squares = squares >= 2 && letters <= 4;
    let of_letters =
        digits == 0 && (in_range == letters && (5..=7).contains(&letters) || letters == 6 && in_range == 5);
    of_squares || of_letters
}

/// True if a word can be the beginning of a move: three letters, a square and a letter, or a piece and a letter: `GJH`,
/// `a7d`, `Qd`.
pub fn is_cut_off(word: &str) -> bool {
    let is_column = |byte: &u8| (b'a'..=b'j').contains(&byte.to_ascii_lowercase());
    let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
    match word.as_bytes() {
        [a, b, c] if is_column(a) && is_column(b) && is_column(c) => capitals == 0 || capitals == 3,
        [b'Q', column] => is_column(column),
        [square @ .., last] => {
            is_column(last) && square.len() > 1 && plain_squares(&word[..square.len()]).is_some()
        }
        [] => false,
    }
}

/// True if a damaged move can be an English word.
pub fn is_prose(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphabetic()) && !word.starts_with('Q')
}

/// Returns the edge in a word like `8x8`.
pub fn edge(word: &str) -> Option<usize> {
    let (first, second) = word.split_once(['x', 'X'])?;
    let edge = first.parse().ok().filter(|edge| (4..=10).contains(edge))?;
    (first == second).then_some(edge)
}

/// True if the name of a value says that it is the edge of the board.
pub fn names_a_size(key: &str) -> bool {
    ["size", "edge", "棋盘", "board"].iter().any(|part| key.contains(part))
}

/// True if the name of a value says that it is the list of the players.
pub fn names_players(key: &str) -> bool {
    let key = key.to_lowercase().replace(['_', '-', ' '], "");
    ["players", "names", "teams", "playernames", "teamnames", "棋手", "玩家", "双方"].contains(&&*key)
}

/// True if the name of a value says that it is the start position.
pub fn names_start(key: &str) -> bool {
    let key = key.to_lowercase().replace(['_', '-', ' '], "");
    let subject = key.strip_prefix("initial").or_else(|| key.strip_prefix("start")).unwrap_or_default();
    ["position", "board", "state", "setup", "fen", "pos"].contains(&subject)
        || ["startingposition", "startingboard", "setup", "初始局面", "开局局面"].contains(&&*key)
}

/// True if the name of a value says that it is the list of a game's moves.
pub fn names_moves(key: &str) -> bool {
    ["moves", "turns", "history", "plies", "steps", "actions"].contains(&key)
}

/// True if the name of a value is that of a coordinate, as `x0`, `from_row`, `fromRow`.
pub fn is_coordinate(key: &str) -> bool {
    const NAMES: [&str; 28] = [
        "x",
        "y",
        "r",
        "c",
        "row",
        "col",
        "column",
        "rank",
        "file",
        "from",
        "to",
        "arrow",
        "shoot",
        "shot",
        "start",
        "end",
        "src",
        "dst",
        "dest",
        "block",
        "stone",
        "source",
        "destination",
        "target",
        "piece",
        "queen",
        "amazon",
        "fire",
    ];
    let mut spaced = String::new();
    for letter in key.chars() {
        match letter {
            'A'..='Z' if spaced.ends_with(|c: char| c.is_ascii_lowercase()) => spaced.extend([' ', letter]),
            '_' | '0'..='9' => spaced.push(' '),
            other => spaced.push(other),
        }
    }
    let mut parts = spaced.split(' ').filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(|part| NAMES.contains(&&*part.to_ascii_lowercase()))
}

/// True if a word can be between the squares of one move.
pub fn connects(word: &str) -> bool {
    const WORDS: [&str; 24] = [
        "to", "from", "then", "and", "at", "arrow", "arrows", "shoot", "shoots", "shooting", "shot", "fire",
        "fires", "fired", "burn", "burns", "block", "blocks", "queen", "amazon", "x", "moves", "on", "with",
    ];
    let of_chinese = |c: char| "移动到至射向放箭障碍从走在后再落子于".contains(c);
    WORDS.contains(&word) || !word.is_ascii() && !word.contains("后手") && word.chars().all(of_chinese)
}

/// True if a word directly behind a number is the unit of a time or of an effort: `12s`.
pub fn is_unit(word: &str) -> bool {
    ["s", "sec", "ms", "m", "min", "h", "k", "kn", "n"].contains(&&*word.to_ascii_lowercase())
}

/// True if this HTML element begins a new line.
pub fn is_row(name: &str) -> bool {
    ["tr", "li", "p", "br", "div", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "table", "ol", "ul"]
        .contains(&name)
}

/// True if this HTML element is inside a line.
pub fn is_element(name: &str) -> bool {
    const NAMES: [&str; 21] = [
        "td", "th", "thead", "tbody", "tfoot", "caption", "span", "b", "i", "u", "em", "strong", "font",
        "center", "small", "code", "pre", "body", "html", "dl", "dd",
    ];
    NAMES.contains(&name)
}

/// True if a word after another one begins a game: `new game`.
pub fn begins_game(before: &str, word: &str) -> bool {
    const ORDER: [&str; 9] =
        ["new", "next", "another", "second", "third", "fourth", "fifth", "last", "final"];
    ["ucinewgame", "newgame"].contains(&word)
        || ["game", "match", "round"].contains(&word) && ORDER.contains(&before)
        || numbering::is_game(before) && word.len() == 1
        || numbering::is_game(before) && ["one", "two", "three", "four", "five"].contains(&word)
}

/// True if a line without moves can be the heading of a game: `2nd game`.
pub fn can_head_a_game(line: &str) -> bool {
    let line = line.to_lowercase();
    let is_short = line.chars().count() < 40;
    is_short && ["game", "round", "match", "board", "局", "盘", "盤"].iter().any(|word| line.contains(word))
}

/// True if a Chinese word begins a game: 第二局, 下一盘, 新对局.
pub fn begins_chinese_game(word: &str) -> bool {
    let Some(order) = word.strip_suffix(['局', '盘', '盤', '轮', '輪']) else { return false };
    let order = order.strip_suffix('对').unwrap_or(order);
    match order.strip_prefix('第') {
        Some(number) => number.chars().all(|c| "一二三四五六七八九十百〇零两".contains(c)),
        None => ["下", "下一", "新", "新一", "新的一", "另一", "又一", "再来一", "再一"].contains(&order),
    }
}

/// True if a word can stand between the name of the mover and the move.
pub fn follows_mover(word: &str) -> bool {
    is_label(word) || ["plays", "played", "player", "goes", "s", "to"].contains(&word)
}

/// True if a word stands between the names of the players.
pub fn parts_players(word: &str) -> bool {
    ["vs", "v", "versus", "against"].contains(&word)
}

/// True if a word before a move is no prose.
pub fn is_label(word: &str) -> bool {
    colour(word).is_some()
        || ["move", "turn", "ply", "step", "bestmove", "position", "startpos", "moves"].contains(&word)
}

/// True if the moves behind a word on its line are not played.
pub fn begins_continuation(word: &str) -> bool {
    const WORDS: [&str; 15] = [
        "alternative",
        "alternatively",
        "suggested",
        "playable",
        "pv",
        "ponder",
        "multipv",
        "better",
        "instead",
        "should",
        "could",
        "would",
        "variation",
        "threat",
        "idea",
    ];
    WORDS.contains(&word) || ["不如", "应该", "应走", "改走", "变化"].iter().any(|part| word.contains(part))
}

/// True if a line without moves says that those behind it are not played: `Analysis`.
pub fn heads_a_comment(line: &str) -> bool {
    const NAMES: [&str; 8] =
        ["analysis", "analyse", "análisis", "analisi", "анализ", "分析", "解析", "variations"];
    let heads = |word: &str| begins_continuation(word) || NAMES.contains(&word);
    line.len() < 80 && line.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(heads)
}

/// True if a text says that the move before it is taken back.
pub fn takes_back(text: &str) -> bool {
    const SIGNS: [&str; 10] = [
        "undo",
        "undid",
        "takeback",
        "take back",
        "takes back",
        "taken back",
        "took back",
        "retract",
        "悔棋",
        "收回",
    ];
    let text = text.to_lowercase();
    SIGNS.iter().any(|sign| text.contains(sign))
}

/// True if the name of a JSON value says that its moves are not played: `bestMove`.
pub fn names_other_moves(key: &str) -> bool {
    const BEGINNINGS: [&str; 9] =
        ["best", "suggest", "hint", "variation", "alternative", "candidate", "legal", "possible", "analysis"];
    begins_continuation(key) || BEGINNINGS.iter().any(|beginning| key.starts_with(beginning))
}

/// Returns the label of a tag by its name in half width.
pub fn label(name: &str) -> Label {
    match &*name.to_lowercase() {
        "white" => Label::Name(Colour::White),
        "black" => Label::Name(Colour::Black),
        "first" | "先手" | "先手方" => Label::First,
        "second" | "后手" | "後手" | "后手方" => Label::Second,
        "winner" | "胜者" | "胜方" => Label::Winner,
        "loser" | "败者" | "负方" => Label::Loser,
        "result" | "结果" | "赛果" => Label::Result,
        "date" | "日期" => Label::Date,
        "event" | "赛事" | "比赛" => Label::Event,
        "fen" => Label::Fen,
        other if other.len() > 1 && colour(other).is_some() => Label::Unordered,
        _ => Label::Other,
    }
}

/// Returns the colour that a word in lower case names.
pub fn colour(word: &str) -> Option<Colour> {
    match verdict::player(word).filter(|_| !word.contains('_'))? {
        Player::Of(colour) => Some(colour),
        Player::First | Player::Second => None,
    }
}

/// True if a word after the name of a colour says something about the player.
pub fn is_predicate(word: &str) -> bool {
    connects(&word.to_ascii_lowercase()) || verdict::is_sign(word)
}

/// True if a result says that the game is over: nobody resigns in a comment on a move.
pub fn ends_a_game(text: &str) -> bool {
    const SIGNS: [&str; 10] =
        ["resign", "forfeit", "flagged", "surrender", "认输", "認輸", "投降", "弃权", "棄權", "投了"];
    let text = text.to_ascii_lowercase();
    SIGNS.iter().any(|sign| text.contains(sign))
}

/// Returns the first mover's colour that a Chinese text states: 执白先手.
pub fn chinese_first(text: &str) -> Option<Colour> {
    let states = |letter: &str| {
        ["执#先", "執#先", "#先", "#方先", "先手执#", "先手#", "#棋先"]
            .iter()
            .any(|form| text.contains(&form.replace('#', letter)))
    };
    match [states("黑"), states("白")] {
        [true, false] => Some(Colour::Black),
        [false, true] => Some(Colour::White),
        _ => None,
    }
}
