//! Words of a text: squares, pairs of letters, colours, results.

use super::half_width::half_width;
use super::piece::{Colour, Label, OPEN, Player};

/// The known part of an origin, then squares; each a column and a row as written.
type Squares = (Option<[i8; 2]>, Vec<[i8; 2]>);

/// Reads a word of squares, `d1d7g7`. A piece letter, `Qdd7`, gives the part of the origin that is known.
pub fn squares(word: &str) -> Option<Squares> {
    if let Some(squares) = plain_squares(word) {
        return Some((None, squares));
    }
    let rest = word.strip_prefix('Q')?;
    let (file, after) = match rest.as_bytes() {
        [file, next, ..] if !next.is_ascii_digit() => (column(*file)?, &rest[1..]),
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

/// True if a damaged move can be an English word.
pub fn is_prose(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphabetic())
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

/// True if a word with a number begins a game: `Game 2`.
pub fn is_game(word: &str) -> bool {
    ["game", "对局", "第"].contains(&word)
}

/// True if a word before a move is no prose.
pub fn is_label(word: &str) -> bool {
    colour(word).is_some()
        || ["move", "turn", "ply", "step", "bestmove", "position", "startpos", "moves"].contains(&word)
}

/// True if the moves behind a word on its line are not played.
pub fn begins_continuation(word: &str) -> bool {
    const WORDS: [&str; 11] = [
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

/// Returns the label of a tag by its name in half width.
pub fn label(name: &str) -> Label {
    match &*name.to_ascii_lowercase() {
        "white" => Label::Name(Colour::White),
        "black" => Label::Name(Colour::Black),
        "first" | "先手" | "先手方" => Label::First,
        "second" | "后手" | "後手" | "后手方" => Label::Second,
        "result" | "结果" | "赛果" => Label::Result,
        "date" | "日期" => Label::Date,
        "event" | "赛事" | "比赛" => Label::Event,
        "fen" => Label::Fen,
        other if chinese_colour(other).is_some() => Label::Unordered,
        _ => Label::Other,
    }
}

/// Returns the winner in the value of a tag: `1-0`, `White wins`, 先手胜. Fails if the value is not understood.
pub fn result(value: &str) -> Result<Option<Player>, ()> {
    let half: String = value.chars().map(half_width).collect();
    let lower = half.trim().to_ascii_lowercase();
    let mut words: Vec<&str> = lower.split_whitespace().collect();
    match lower.as_str() {
        "1-0" => Ok(Some(Player::First)),
        "0-1" => Ok(Some(Player::Second)),
        "" | "*" | "?" | "1/2-1/2" | "未完" | "未完成" | "进行中" | "和" => Ok(None),
        _ => {
            let last = words.pop().unwrap_or_default();
            let before = words.last().map_or(String::new(), |word| (*word).to_owned());
            let before = [String::new(), String::new(), before];
            chinese_winner(value).or_else(|| winner(&before, last)).map(Some).ok_or(())
        }
    }
}

/// Returns the colour that a word names.
pub fn colour(word: &str) -> Option<Colour> {
    match word {
        "black" | "b" => Some(Colour::Black),
        "white" | "w" => Some(Colour::White),
        _ => None,
    }
}

/// Returns the winner named by a word and those before it: `White resigns`, `winner: black`.
pub fn winner(before: &[String; 3], word: &str) -> Option<Player> {
    let player = |word: &str| match word {
        "first" => Some(Player::First),
        "second" => Some(Player::Second),
        "black" | "white" => colour(word).map(Player::Of),
        _ => None,
    };
    let subject = before.iter().rev().find_map(|word| player(word));
    match word {
        "wins" | "won" | "win" | "winner" => subject,
        "resigns" | "resigned" | "loses" | "lost" | "forfeits" | "forfeited" | "flagged" => {
            subject.map(opponent)
        }
        "black" | "white"
            if ["winner", "won"].contains(&before[2].as_str()) || before[1..] == ["winner", "is"] =>
        {
            player(word)
        }
        _ => None,
    }
}

/// True if a word after the name of a colour says something about the player.
pub fn is_predicate(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let subject = [String::new(), String::new(), "white".to_owned()];
    connects(&word) || winner(&subject, &word).is_some() || chinese_winner(&format!("白{word}")).is_some()
}

/// True if a word of a result says that the game is over: nobody resigns in a comment on a move.
pub fn ends_a_game(word: &str) -> bool {
    ["resigns", "resigned", "forfeits", "forfeited", "flagged"].contains(&word)
        || ["认输", "認輸", "投降", "弃权"].iter().any(|part| word.contains(part))
}

fn opponent(player: Player) -> Player {
    match player {
        Player::First => Player::Second,
        Player::Second => Player::First,
        Player::Of(colour) => Player::Of(colour.other()),
    }
}

/// Returns the winner that a Chinese text names: 先手胜, 后手认输, 黑方超时负.
pub fn chinese_winner(text: &str) -> Option<Player> {
    const SUBJECTS: [(&str, Player); 6] = [
        ("先手", Player::First),
        ("后手", Player::Second),
        ("後手", Player::Second),
        ("黑", Player::Of(Colour::Black)),
        ("白", Player::Of(Colour::White)),
        ("先胜", Player::First),
    ];
    const LOSES: [&str; 11] =
        ["负", "負", "认输", "認輸", "超时", "违例", "投降", "弃权", "输", "犯规", "判负"];
    // The verdict follows its subject.
    let (at, player) = SUBJECTS
        .iter()
        .filter_map(|(name, player)| Some((text.rfind(name)?, *player)))
        .max_by_key(|found| found.0)?;
    let after = &text[at..];
    if LOSES.iter().any(|word| after.contains(word)) {
        return Some(opponent(player));
    }
    ["胜", "勝", "赢"].iter().any(|word| after.contains(word)).then_some(player)
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

/// Returns the colour that a Chinese label names: 黑, 白方.
pub fn chinese_colour(text: &str) -> Option<Colour> {
    match text {
        "黑" | "黑方" | "黑棋" => Some(Colour::Black),
        "白" | "白方" | "白棋" => Some(Colour::White),
        _ => None,
    }
}
