//! Statements about the winner in a sentence: `White resigns`, `winner: black`, 后手中盘胜.
//!
//! A sentence names the winner only if it says nothing else: every word has its place in a statement. Prose that holds
//! a word of a result, `If White wins this, …`, is unclear.

use super::half_width::half_width;
use super::numbering;
use super::piece::{Colour, Player};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Statement of a sentence about the winner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No statement.
    Nothing,
    /// Words that are a statement only about a player whose name is known.
    Weak,
    /// The game has no winner.
    Open,
    /// Words of a result that do not name the winner with certainty.
    Unclear,
    /// The player has won.
    Won(Player),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token {
    Player(Player),
    /// A result in numbers.
    Score(Player),
    Win,
    /// Wins, before or behind the player.
    Victory,
    /// Loses, before or behind the player.
    Defeat,
    /// Has lost behind `is` and `was`.
    Out,
    /// Wins over the player behind it.
    Beat,
    Lose,
    /// Loses to the player behind it.
    LoseTo,
    /// Label of the winner.
    Winner,
    /// Label of the loser.
    Loser,
    /// Label of the result.
    Outcome,
    /// Has its place between a subject and its verb, or behind a label.
    Is,
    Was,
    Colon,
    /// Has its place before a statement, or between two.
    Lead,
    /// Has its place before a circumstance.
    By,
    /// A circumstance: resignation, time.
    Means,
    /// A circumstance behind a number, alone or with `by`.
    Counter,
    /// A circumstance behind `by` and a number.
    Unit,
    Game,
    Number,
    /// A number that can be a player's share of a result: true for 1, false for 0.
    Point(bool),
    /// A word for a game without a winner.
    Open,
    Doubt,
    /// A word that looks like one of a result, but is none: win rate.
    NoSign,
    /// Says how a player stands, which need not be a result: `is lost`.
    Standing,
    Percent,
    Other,
}

const FIRST: Token = Token::Player(Player::First);
const SECOND: Token = Token::Player(Player::Second);
const BLACK: Token = Token::Player(Player::Of(Colour::Black));
const WHITE: Token = Token::Player(Player::Of(Colour::White));

/// Words and phrases of each kind, separated by `|`. The longest one that fits is read.
const VOCABULARY: [(Token, &str); 29] = [
    (
        FIRST,
        "first|first player|first mover|first to move|player 1|player1|player one|p1|先|先手|先手方|先行方|玩家1|玩家一|erster|anziehender|premier joueur|первый|первый игрок",
    ),
    (
        SECOND,
        "second|second player|second mover|player 2|player2|player two|p2|后|後|后手|后手方|後手|後手方|后行方|玩家2|玩家二|zweiter|nachziehender|second joueur|deuxième joueur|второй|второй игрок",
    ),
    (Token::Score(Player::First), "1-0|1:0|1 - 0|1 : 0"),
    (Token::Score(Player::Second), "0-1|0:1|0 - 1|0 : 1"),
    (
        BLACK,
        "black|b|黑|黑方|黑棋|黑子|黒|黒番|흑|schwarz|schwarzer|noir|noirs|negro|negras|nero|pretas|черные|чёрные|черных|чёрных",
    ),
    (
        WHITE,
        "white|w|白|白方|白棋|白子|白番|백|weiß|weiss|weißer|blanc|blancs|blanco|blancas|bianco|brancas|белые|белых",
    ),
    (
        Token::Win,
        "wins|won|win|triumphs|triumphed|takes the game|获胜|取胜|胜利|胜出|得胜|胜|勝|赢|贏|勝ち|勝利|獲勝|胜了|赢了|中盘胜|中盤勝",
    ),
    (
        Token::Victory,
        "victory|victorious|gewinnt|gewann|gewonnen|sieg|siegt|victoire|gagne|gagnent|gagné|gana|ganan|ganó|\
         ganaron|victoria|vince|vincono|vinto|vittoria|vence|vencem|ganha|ganham|vitória|выиграли|выиграл|\
         победили|победил|победа|победа за|выигрывают|побеждают|승|승리|불계승",
    ),
    (
        Token::Defeat,
        "quits|quit|disconnects|disconnected|crashes|crashed|abandons|abandoned|stuck|cannot move|can't move|no legal move|\
         no legal moves|no more moves|no moves|no moves left|no more legal moves|no legal moves left|掉线|断线|掉線|斷線|逃跑|无路可走|无子可动|無路可走|gibt auf|gab auf|aufgegeben|verliert|verlor|verloren|kapituliert|abandonne|abandonnent|abandonné|perd|perdent|\
         perdu|abandona|abandonan|abandonó|pierde|pierden|perdió|se rinde|se rinden|rinde|abbandona|perde|perdono|desiste|\
         desistem|сдались|сдался|сдаются|проиграли|проиграл|проигрывают|패|기권|졌다",
    ),
    (Token::Out, "disqualified|eliminated|out of time"),
    (
        Token::Beat,
        "beats|beat|beaten|defeats|defeated|战胜|击败|打败|戰勝|擊敗|打敗|won against|wins against",
    ),
    (
        Token::Lose,
        "resigns|resigned|resign|loses|lost|lose|forfeits|forfeited|flagged|flags|concedes|conceded|surrenders|\
         surrendered|gives up|gave up|timed out|times out|ran out of time|runs out of time|认输|認輸|投降|弃权|棄權|\
         判负|判負|负|負|输|輸|超时|超時|违例|違例|犯规|犯規|失败|落败|告负|败|敗|投了|投子|负了|输了|認負|认负|負け",
    ),
    (Token::LoseTo, "lost to|loses to|负于|负給|输给|不敌|败给|败于|負於|輸給|不敵|敗給|敗於|负给"),
    (
        Token::Winner,
        "winner|victor|胜者|胜方|获胜方|获胜者|赢家|勝者|勝方|獲勝方|优胜者|sieger|gewinner|vainqueur|gagnant|ganador|\
         vincitore|победитель",
    ),
    (
        Token::Loser,
        "loser|负方|负者|败者|败方|输家|負方|敗者|敗方|输方|verlierer|perdant|perdedor|проигравший",
    ),
    (
        Token::Outcome,
        "result|outcome|结果|赛果|結果|胜负|勝負|比赛结果|对局结果|ergebnis|résultat|resultado|результат|итог",
    ),
    (
        Token::Is,
        "is|has|have|just|the|a|player|side|mover|color|colour|name|team|因|以|已|已经|中盘|中盤|中押し|の|が|被|棋|方|队|は|为|是|了|半|\
         hat|haben|der|die|das|für|les|le|la|des|de|du|ont|las|los|el|por|del|ha|il|per|за",
    ),
    (Token::Was, "was|were|got|been|gets"),
    (
        Token::Lead,
        "so|and|then|finally|over|final|最终|最后|于是|故|判|本局|此局|终局|对局结束|而|game result|end|ended|congratulations|恭喜|以上|まで|にて|で",
    ),
    (Token::By, "by|on|after|at|with|due to|through|for|pour|par|durch"),
    (Token::Means, "resignation|forfeit|time|timeout|default|aufgabe|zeit|abandon|temps"),
    (Token::Counter, "子|目|手|步|格|分"),
    (Token::Unit, "move|moves|plies|ply|points|point|squares|square"),
    (
        Token::Standing,
        "is lost|is won|is losing|is winning|are lost|are won|was lost|was won|was losing|was winning",
    ),
    (Token::Game, "game|match|this|比赛|对局|棋局|比賽"),
    (
        Token::Open,
        "none|null|draw|unknown|unfinished|ongoing|open|nobody|undecided|tbd|in progress|未完|未完成|进行中|和|和棋|平局|\
         1/2-1/2|1/2|未分|-",
    ),
    (Token::Doubt, "?"),
    (
        Token::NoSign,
        "win rate|winrate|win rates|win percentage|win probability|win chance|win chances|胜率|勝率|胜算|胜势|胜机|赢面|赢率|\
         输出|输入|负责|负数|负载|负担|win ratio|运输|传输|输赢",
    ),
    (Token::Percent, "%"),
];

/// The phrases by their first letter: most letters begin few of them.
static PHRASES: LazyLock<HashMap<char, Vec<(Token, &str)>>> = LazyLock::new(|| {
    let mut phrases: HashMap<char, Vec<_>> = HashMap::new();
    for (token, all) in VOCABULARY {
        for phrase in all.split('|') {
            let first = phrase.chars().next().unwrap_or_default();
            phrases.entry(first).or_default().push((token, phrase));
        }
    }
    phrases
});

/// Words that are no sign of a result unless a player is named.
const WEAK: [&str; 5] = ["win", "lose", "lost", "flags", "resign"];

/// Words of phrases of the vocabulary that are no sign alone.
const OF_PHRASES: [&str; 13] = [
    "gives", "gave", "timed", "times", "ran", "runs", "flag", "gibt", "gab", "cannot", "can't", "legal",
    "takes",
];

/// True if a word can be part of a statement about the winner.
pub fn is_sign(word: &str) -> bool {
    let word = normal(word);
    let (tokens, _) = tokens(&word, ["", ""]);
    let is_sign = |token: &Token| is_verb(*token) || is_label(*token);
    tokens.iter().any(is_sign) || OF_PHRASES.contains(&&*word)
}

/// True if a word, which is common in prose, can begin a phrase of a statement: `no moves`, `can't move`.
pub fn begins_phrase(word: &str) -> bool {
    ["no", "can"].contains(&&*word.to_ascii_lowercase())
}

/// Returns the player that a label names: 先手方, `Player 1`, `black_name`.
pub fn player(label: &str) -> Option<Player> {
    let (tokens, _) = tokens(&normal(label), ["", ""]);
    let mut tokens = tokens.into_iter().filter(|token| *token != Token::Is);
    match [tokens.next(), tokens.next()] {
        [Some(Token::Player(player)), None] => Some(player),
        _ => None,
    }
}

/// Reads a sentence. `names` are those of the first and the second mover.
pub fn read(sentence: &str, names: [&str; 2]) -> Verdict {
    let names = names.map(normal);
    let differ = names[0] != names[1];
    let is_name = |name: &&str| differ && name.contains(char::is_alphanumeric);
    let names = names.each_ref().map(|name| Some(name.as_str()).filter(is_name).unwrap_or_default());
    let sentence = normal(sentence);
    let sentence = sentence.trim_matches(['=', '*', '~', '#', ' ']);
    let (mut tokens, is_strong) = tokens(numbering::without_numbering(sentence), names);
    let tally = tally(&tokens);
    for token in &mut tokens {
        *token = if matches!(token, Token::Point(_)) { Token::Number } else { *token };
    }
    for at in 0..tokens.len() {
        // `win 45%`
        let behind = tokens[at + 1..].iter().filter(|token| !matches!(token, Token::Is | Token::Colon));
        if tokens[at] == Token::Win && behind.take(2).eq(&[Token::Number, Token::Percent]) {
            tokens[at] = Token::NoSign;
        }
    }
    let label = tokens.iter().position(|token| is_label(*token));
    let states = label.is_some_and(|at| {
        tokens[at] != Token::Outcome
            || matches!(
                tokens[at + 1..].iter().find(|token| **token != Token::Is),
                Some(Token::Colon | Token::Score(_))
            )
    });
    if !states && !tokens.iter().any(|token| is_verb(*token)) {
        return tally.unwrap_or(Verdict::Nothing);
    }
    if let Some(Verdict::Won(player)) = tally {
        return Verdict::Won(player);
    }
    let names_player = tokens.iter().any(|token| matches!(token, Token::Player(_)));
    let has_score = tokens.iter().any(|token| matches!(token, Token::Score(_)));
    match (Parser { tokens: &tokens, at: 0, subject_won: false }).statements() {
        Some(Some(player)) => Verdict::Won(player),
        Some(None) => Verdict::Open,
        None if is_strong || names_player || states || has_score => Verdict::Unclear,
        None => Verdict::Weak,
    }
}

/// Reads a result in numbers beside both players: `White 0 Black 1`, `Ann 1-0 Bob`, `Ann - Bob 1-0`; `None` if there are
/// other words. A label can come before it. [`Verdict::Unclear`] if the numbers name no winner, [`Verdict::Weak`] if a
/// player has an unknown name.
fn tally(tokens: &[Token]) -> Option<Verdict> {
    let is_player = |token: &Token| matches!(token, Token::Player(_) | Token::Other);
    let label = tokens.iter().position(|token| *token == Token::Colon).filter(|&at| {
        !tokens[..at]
            .iter()
            .any(|token| matches!(token, Token::Player(_) | Token::Point(_) | Token::Score(_)))
    });
    let rest = &tokens[label.map_or(0, |at| at + 1)..];
    let is_between = |token: &Token| matches!(token, Token::Is | Token::Colon | Token::Lead | Token::Open);
    let mut items: Vec<Token> = rest.iter().copied().filter(|token| !is_between(token)).collect();
    // A name has several words.
    items.dedup_by(|next, last| [*next, *last] == [Token::Other; 2]);
    let won = |winner: Token, loser: Token| match (winner, loser) {
        (Token::Player(winner), Token::Player(loser)) if loser == opponent(winner) => Verdict::Won(winner),
        _ => Verdict::Weak,
    };
    let is_number = |token: &Token| matches!(token, Token::Number | Token::Point(_));
    let (players, result): (Vec<Token>, Vec<Token>) = items.iter().partition(|token| is_player(token));
    let is_alone = label.is_none()
        && rest.iter().all(|token| matches!(token, Token::Score(_) | Token::Open | Token::Colon));
    let has_score = !is_alone && items.iter().any(|token| matches!(token, Token::Score(_)));
    let unclear = has_score.then_some(Verdict::Unclear);
    // Two unknown names beside each other look like one.
    let [first, second] = players[..] else { return unclear };
    match result[..] {
        [Token::Score(player)] => match won(first, second) {
            Verdict::Won(_) if player == Player::First => Some(won(first, second)),
            Verdict::Won(_) => Some(won(second, first)),
            _ => Some(Verdict::Unclear),
        },
        [Token::Point(true), Token::Point(false)] if is_player(&items[0]) => Some(won(first, second)),
        [Token::Point(false), Token::Point(true)] if is_player(&items[0]) => Some(won(second, first)),
        [a, b] if is_number(&a) && is_number(&b) && items.len() == 4 => {
            let is_known = won(first, second) != Verdict::Weak && is_player(&items[0]);
            is_known.then_some(Verdict::Unclear)
        }
        _ => unclear,
    }
}

/// Returns the winner that a text in place of a move of the first player names: `resigned`, `lost on time`, `timeout`.
pub fn by_mover(text: &str) -> Option<Player> {
    let (cause, _) = tokens(&normal(text), ["", ""]);
    let is_cause = cause.iter().all(|token| matches!(token, Token::Means | Token::By | Token::Is));
    match read(&format!("first {text}"), ["", ""]) {
        Verdict::Won(player) => Some(player),
        _ if is_cause && cause.contains(&Token::Means) => Some(Player::Second),
        _ => None,
    }
}

fn is_verb(token: Token) -> bool {
    use Token::{Beat, Defeat, Lose, LoseTo, Out, Standing, Victory, Win};
    matches!(token, Win | Beat | Lose | LoseTo | Victory | Defeat | Out | Standing)
}

/// True for verbs of which most words have no other sense.
fn is_strong_verb(token: Token) -> bool {
    matches!(token, Token::Win | Token::Beat | Token::Lose | Token::LoseTo)
}

fn is_label(token: Token) -> bool {
    matches!(token, Token::Winner | Token::Loser | Token::Outcome)
}

/// Returns the text in half width and lower case. Underscores and humps separate words.
fn normal(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut was_lower = false;
    for letter in text.chars().map(half_width) {
        if was_lower && letter.is_ascii_uppercase() {
            normal.push(' ');
        }
        was_lower = letter.is_ascii_lowercase();
        match letter {
            '_' => normal.push(' '),
            other => normal.extend(other.to_lowercase()),
        }
    }
    normal.trim().to_owned()
}

/// Returns the tokens of a text, and if a word in it is a sign of a result even without a player.
fn tokens(text: &str, names: [&str; 2]) -> (Vec<Token>, bool) {
    let (mut tokens, mut is_strong, mut rest) = (Vec::new(), false, text);
    while let Some(letter) = rest.chars().next() {
        let length = match longest(rest, names) {
            Some((token, length)) => {
                is_strong |= is_strong_verb(token) && !WEAK.contains(&&rest[..length]);
                tokens.push(token);
                length
            }
            None if letter.is_ascii_digit() => {
                let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
                tokens.push(match rest[..length].trim_end_matches('.') {
                    "1" => Token::Point(true),
                    "0" => Token::Point(false),
                    _ => Token::Number,
                });
                length
            }
            None if is_word(letter) => {
                tokens.push(Token::Other);
                let goes_on = |c: char| if is_latin(letter) { is_latin(c) } else { c == letter };
                rest.find(|c: char| !goes_on(c)).unwrap_or(rest.len())
            }
            None => {
                match letter {
                    ':' | '=' => tokens.push(Token::Colon),
                    // A point of a player: `Ann (1) - Bob (0)`.
                    '(' | '[' if is_point(&rest[1..]) => {}
                    '{' | '[' | '(' | '/' | '+' => tokens.push(Token::Other),
                    _ => {}
                }
                letter.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    (tokens, is_strong)
}

/// True if a text begins with 0 or 1 and a closing bracket.
fn is_point(text: &str) -> bool {
    text.strip_prefix(['0', '1']).is_some_and(|behind| behind.starts_with([')', ']']))
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '\''
}

/// True for letters of alphabets, which form words: those of Chinese, Japanese and Korean are longer.
fn is_latin(letter: char) -> bool {
    is_word(letter) && letter.len_utf8() < 3
}

/// Returns the longest name or phrase at the beginning of a text, and its length.
fn longest(text: &str, names: [&str; 2]) -> Option<(Token, usize)> {
    let ends = |phrase: &str| {
        let next = text[phrase.len()..].chars().next();
        !phrase.ends_with(is_latin) || !next.is_some_and(is_latin)
    };
    let fits = |phrase: &&str| !phrase.is_empty() && text.starts_with(*phrase) && ends(phrase);
    let first = text.chars().next()?;
    let phrases = PHRASES.get(&first).map(Vec::as_slice).unwrap_or_default();
    let words =
        phrases.iter().filter(|(_, phrase)| fits(phrase)).map(|(token, phrase)| (*token, phrase.len()));
    let known = words.max_by_key(|(_, length)| *length);
    let named = [FIRST, SECOND].into_iter().zip(names).filter(|(_, name)| fits(name));
    let named = named.map(|(token, name)| (token, name.len())).max_by_key(|(_, length)| *length);
    match (named, known) {
        // A name that is another player's colour as well.
        (Some((_, length)), Some((Token::Player(_), other))) if length == other => {
            Some((Token::Other, length))
        }
        // A name that is a word of results is no name.
        (Some(named), Some((_, other))) if named.1 <= other => known,
        (named, known) => named.or(known),
    }
}

/// Returns the player who has lost if the given one has won.
fn opponent(player: Player) -> Player {
    match player {
        Player::First => Player::Second,
        Player::Second => Player::First,
        Player::Of(colour) => Player::Of(colour.other()),
    }
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    /// True if the subject of the last sentence has won.
    subject_won: bool,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    fn take(&mut self, token: Token) -> bool {
        let takes = self.peek() == Some(token);
        self.at += usize::from(takes);
        takes
    }

    fn skip(&mut self, all: &[Token]) {
        while self.peek().is_some_and(|token| all.contains(&token)) {
            self.at += 1;
        }
    }

    fn player(&mut self) -> Option<Player> {
        self.skip(&[Token::Is]);
        let Some(Token::Player(player)) = self.peek() else { return None };
        self.at += 1;
        Some(player)
    }

    /// Reads the whole sentence: statements that agree. Fails if there is anything else; `Some(None)` means that the
    /// game is open.
    fn statements(&mut self) -> Option<Option<Player>> {
        let mut said = None;
        loop {
            let begin = self.at;
            self.skip(&[Token::Lead, Token::Is, Token::Game]);
            if self.at > begin && matches!(self.peek(), Some(Token::Colon | Token::Open)) {
                // `Game over: Black wins`
                self.at += 1;
            }
            if [self.peek(), self.tokens.get(self.at + 1).copied()]
                == [Some(Token::Number), Some(Token::Counter)]
            {
                self.at += 2;
                continue;
            }
            if self.peek().is_none() {
                return said;
            }
            let next = self.statement()?;
            if said.is_some_and(|said| said != next) {
                return None;
            }
            said = Some(next);
            self.circumstances()?;
        }
    }

    fn statement(&mut self) -> Option<Option<Player>> {
        let label = self.peek()?;
        if label == Token::Win && self.tokens.get(self.at + 1) == Some(&Token::By) {
            // `won by Black`
            self.at += 2;
            return self.player().map(Some);
        }
        if matches!(label, Token::Victory | Token::Defeat) {
            self.at += 1;
            self.skip(&[Token::Is, Token::By, Token::Colon]);
            let player = self.player()?;
            return Some(Some(if label == Token::Defeat { opponent(player) } else { player }));
        }
        if !is_label(label) {
            return self.sentence().map(Some);
        }
        self.at += 1;
        self.skip(&[Token::Colon, Token::Is, Token::Was, Token::Lead, Token::Game, Token::By]);
        match self.peek() {
            None => return Some(None),
            Some(Token::Open | Token::Doubt) => {
                self.skip(&[Token::Open, Token::Doubt]);
                return Some(None);
            }
            _ => {}
        }
        if label == Token::Outcome {
            if let Some(Token::Score(player)) = self.peek() {
                self.at += 1;
                return Some(Some(player));
            }
            let begin = self.at;
            if let Some(player) = self.sentence() {
                return Some(Some(player));
            }
            self.at = begin;
        }
        let player = self.player()?;
        self.skip(&[Token::Is]);
        Some(Some(if label == Token::Loser { opponent(player) } else { player }))
    }

    /// Reads a subject and its verb; returns the winner.
    fn sentence(&mut self) -> Option<Player> {
        let subject = self.player()?;
        self.skip(&[Token::Is, Token::Colon, Token::Lead]);
        let verb = if self.take(Token::Was) {
            // `was defeated`
            let is_beaten = self.take(Token::Beat);
            self.skip(&[Token::By]);
            match is_beaten {
                true => Token::LoseTo,
                false if self.take(Token::Out) => Token::Defeat,
                false => return None,
            }
        } else {
            let verb = self.peek()?;
            self.at += 1;
            verb
        };
        while verb == Token::Lose && self.take(Token::Lose) {}
        let object = if matches!(self.peek(), Some(Token::Player(_))) && !self.begins_sentence() {
            self.player()
        } else {
            None
        };
        let fits = object.is_none_or(|object| object == opponent(subject));
        self.subject_won = matches!(verb, Token::Win | Token::Beat | Token::Victory);
        match verb {
            Token::Win | Token::Beat if fits && (verb == Token::Win || object.is_some()) => Some(subject),
            Token::Victory if object.is_none() => Some(subject),
            Token::Lose | Token::Defeat | Token::Out if object.is_none() => Some(opponent(subject)),
            Token::LoseTo if fits => Some(opponent(subject)),
            Token::Winner => Some(subject),
            Token::Loser => Some(opponent(subject)),
            _ => None,
        }
    }

    /// True if the player here is the subject of another verb.
    fn begins_sentence(&self) -> bool {
        let behind = self.tokens[self.at + 1..].iter().find(|token| **token != Token::Is);
        behind.is_some_and(|token| is_verb(*token) || *token == Token::Was)
    }

    /// Reads `by resignation`, `on time`, `the game`, `and wins`.
    fn circumstances(&mut self) -> Option<()> {
        loop {
            self.skip(&[Token::Is, Token::Game]);
            if self.peek() == Some(Token::Number) {
                if self.tokens.get(self.at + 1) != Some(&Token::Counter) {
                    return None;
                }
                self.at += 2;
                continue;
            }
            self.skip(&[Token::Score(Player::First), Token::Score(Player::Second)]);
            if self.take(Token::By) {
                self.skip(&[Token::Is]);
                let is_number = self.take(Token::Number);
                let is_known =
                    [Token::Means, Token::Counter, Token::Unit, Token::Game].map(|known| self.take(known));
                if !is_known.contains(&true) && !is_number {
                    return None;
                }
                continue;
            }
            let is_and = self.peek() == Some(Token::Lead)
                && self.tokens.get(self.at + 1) == Some(&Token::Win)
                && self.subject_won;
            if !is_and {
                return Some(());
            }
            self.at += 2;
        }
    }
}
