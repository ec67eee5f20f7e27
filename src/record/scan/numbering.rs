//! Numbers of games and rounds: `Game 2`, `Round 3, board 2`, `第3局`.

/// True if a word with a number or a letter begins a game: `Game 2`, `Round B`.
pub fn is_game(word: &str) -> bool {
    [
        "game",
        "round",
        "match",
        "partie",
        "partita",
        "partida",
        "runde",
        "spiel",
        "board",
        "对局",
        "對局",
        "棋局",
        "第",
        "партия",
    ]
    .contains(&word)
}

/// Returns what stands behind the number of a game, `Round 3, board 2: 1-0`; the whole text if it begins with none.
pub fn without_numbering(text: &str) -> &str {
    const PARTS: [&str; 10] = ["table", "brett", "tisch", "no", "nr", "тур", "доска", "of", "von", "de"];
    let (mut rest, mut behind) = (text, text);
    let (mut is_named, mut is_numbered) = (false, false);
    loop {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_digit = rest.starts_with(|c: char| c.is_ascii_digit());
        let ends = |c: char| if is_digit { !c.is_ascii_digit() } else { !c.is_alphabetic() };
        let (word, next) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
        let is_number = is_digit && !begins_score(rest);
        let is_letter = is_named && word.len() == 1 && !is_digit && next.starts_with([':', ')', ',']);
        let lower = word.to_lowercase();
        let is_ordinal =
            !word.is_empty() && word.chars().all(|c| "第局盘盤轮輪场場桌一二三四五六七八九十".contains(c));
        if !(is_number || is_letter || is_ordinal || is_game(&lower) || PARTS.contains(&&*lower)) {
            break;
        }
        is_named |= !is_digit && !is_letter;
        is_numbered |= is_number || is_letter || is_ordinal && word.chars().nth(2).is_some();
        (rest, behind) = (next, next);
    }
    if is_named && is_numbered { behind.trim_start_matches([' ', ':', '.', ')', ',', '、']) } else { text }
}

/// True if a text begins with a score, `1-0` or `0:1`.
fn begins_score(text: &str) -> bool {
    fn sign(text: &str) -> Option<&str> {
        text.trim_start().strip_prefix(['-', ':']).map(str::trim_start)
    }
    let point = |text: &'_ str| text.strip_prefix(['0', '1']).map(str::len);
    let behind = point(text).map(|length| &text[text.len() - length..]).and_then(sign);
    let behind = behind.and_then(|text| Some(&text[text.len() - point(text)?..]));
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    behind.is_some_and(|behind| !is_number(behind) && !sign(behind).is_some_and(is_number))
}
