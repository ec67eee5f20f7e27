//! Headers of records in brackets of any width: the fields of a CCGC record, and the tags of PGN.

use super::half_width::half_width;
use super::piece::Label;
use super::verdict::{self, Verdict};
use super::words;
use crate::record::work;

/// Opening and closing brackets of fields and tags.
const BRACKETS: [(char, char); 7] =
    [('[', ']'), ('［', '］'), ('【', '】'), ('〖', '〗'), ('「', '」'), ('『', '』'), ('〔', '〕')];

/// Maximum length of a field, in characters. Bounds the time on a text of open brackets.
const MAX_LENGTH: usize = 1000;

/// Maximum length of a tag's name and of a record's code, in characters.
const MAX_NAME: usize = 32;

/// Returns the brackets of a kind if the text begins with the opening one.
fn opening(text: &str) -> Option<(char, char)> {
    BRACKETS.into_iter().find(|(open, _)| text.starts_with(*open))
}

fn is_closing(letter: char) -> bool {
    BRACKETS.iter().any(|(_, close)| *close == letter)
}

/// True if a header can begin here.
pub fn can_begin(text: &str) -> bool {
    text.starts_with(['#', '＃']) || opening(text).is_some()
}

/// Reads the header of a CCGC record, `#[AM][first][second][result][time and place][event]`: returns the fields after
/// the code `AM`, and the length.
pub fn championship(text: &str) -> Option<(Vec<String>, usize)> {
    let opened = text.strip_prefix(['#', '＃']).unwrap_or(text).trim_start_matches([' ', '\u{3000}']);
    let length = |length: usize| text.len() - opened.len() + length;
    if !has_code(opened) {
        let is_marked = opened.len() < text.len();
        let found = if is_marked { without_code(opened) } else { None };
        return found.map(|(fields, end)| (fields, length(end)));
    }
    let (mut fields, end) = fields(opened);
    (!fields.is_empty()).then(|| (fields.split_off(1), length(end)))
}

/// True if the code `AM` in brackets comes first.
fn has_code(text: &str) -> bool {
    let Some(code) = opening(text).and_then(|(open, _)| text.strip_prefix(open)) else { return false };
    let code = code.chars().take(MAX_NAME).take_while(|&letter| !is_closing(letter)).map(half_width);
    let code: String = code.filter(|letter| letter.is_alphanumeric()).collect();
    ["am", "amazon", "amazons", "亚马逊", "亚马逊棋"].contains(&&*code.to_ascii_lowercase())
}

/// Reads the fields behind `#` of a record whose code has lost its brackets, or is missing; the third one is the result.
fn without_code(text: &str) -> Option<(Vec<String>, usize)> {
    let begin = text.find(|letter: char| !letter.is_ascii_alphabetic())?;
    opening(&text[begin..])?;
    let (fields, length) = fields(&text[begin..]);
    // The code of another game: `#[GO]`.
    let is_code =
        |field: &String| field.len() == 2 && field.chars().all(|letter| letter.is_ascii_uppercase());
    if begin == 0 && fields.first().is_some_and(is_code) {
        return None;
    }
    let result = fields.get(2).filter(|result| result.contains(char::is_alphanumeric))?;
    let result = format!("result: {result}");
    let is_result = matches!(verdict::read(&result, ["", ""]), Verdict::Won(_) | Verdict::Open);
    is_result.then_some((fields, begin + length))
}

/// Reads consecutive fields in brackets, which can hold brackets in pairs; also returns their length.
fn fields(text: &str) -> (Vec<String>, usize) {
    let (mut fields, mut at) = (Vec::new(), 0);
    loop {
        let rest = text[at..].trim_start_matches(is_margin);
        let (bracket, opened) = match opening(rest) {
            Some(bracket) => (bracket, &rest[bracket.0.len_utf8()..]),
            // A field that has lost its opening bracket.
            None if !fields.is_empty() && lacks_opening(rest) => (BRACKETS[0], rest),
            None => break,
        };
        let begin = text.len() - opened.len();
        let Some(length) = closing(opened, bracket) else { break };
        fields.push(one_line(&opened[..length]));
        at = begin + length;
        at += text[at..].chars().next().map_or(0, char::len_utf8);
    }
    (fields, at)
}

/// True if a closing bracket comes before the end of the line and anything that does not belong to a field.
fn lacks_opening(text: &str) -> bool {
    let end = text.chars().take(2 * MAX_NAME).find(|&letter| {
        is_closing(letter)
            || opening(letter.encode_utf8(&mut [0; 4])).is_some()
            || ";\n\r(".contains(half_width(letter))
    });
    end.is_some_and(is_closing) && !text.starts_with(is_closing)
}

/// True for characters before the text in a line of mail.
fn is_margin(letter: char) -> bool {
    letter.is_whitespace() || half_width(letter) == '>'
}

/// Joins lines by spaces, without the marks of quoted mail.
fn one_line(text: &str) -> String {
    let mut lines = text.split(['\r', '\n']);
    let first = lines.next().unwrap_or_default().trim().to_owned();
    lines
        .map(|line| line.trim_start_matches(is_margin).trim_end())
        .filter(|line| !line.is_empty())
        .fold(first, |text, line| format!("{text} {line}").trim_start().to_owned())
}

/// Returns the offset of the bracket that closes a field: the partner of the open one if all brackets of its kind come
/// in pairs, else the first of its kind, else the first of any kind.
fn closing(text: &str, (open, close): (char, char)) -> Option<usize> {
    let letters = || text.char_indices().take(MAX_LENGTH);
    let mut depth = 0;
    for (at, letter) in letters() {
        work::count(1);
        match letter {
            _ if letter == open => depth += 1,
            _ if letter == close && depth == 0 => return Some(at),
            _ if letter == close => depth -= 1,
            _ => {}
        }
    }
    let first =
        |is_end: &dyn Fn(char) -> bool| letters().find(|(_, letter)| is_end(*letter)).map(|(at, _)| at);
    first(&|letter| letter == close).or_else(|| first(&is_closing))
}

/// Reads a tag of PGN, `[White "name"]`, with brackets and quotes of any kind or width: returns its label, its value as
/// written, and its length. Without quotes, as in `[White: name]`, only known labels are tags; a single word behind a
/// space, `[White name]`, only if `is_heading`.
pub fn tag(text: &str, is_heading: bool) -> Option<(Label, String, usize)> {
    let inside = text.strip_prefix(opening(text)?.0)?;
    // Most brackets begin no tag: the whole line is read only after a label.
    let mut cursor = Cursor::new(inside, 2 * MAX_NAME);
    cursor.skip(|letter| letter == ' ');
    let name = cursor.take(|letter| letter.is_alphanumeric() || letter == '_');
    let label = words::label(&name);
    cursor.skip(|letter| letter == ' ');
    let is_named = cursor.skip(|letter| letter == ':' || letter == '=');
    cursor.skip(|letter| letter == ' ');
    let quote = cursor.peek().filter(|&letter| letter == '"' || letter == '\'' && label != Label::Other);
    if name.is_empty() || name.chars().count() > MAX_NAME || label == Label::Other && quote.is_none() {
        return None;
    }
    let cursor = Cursor { at: cursor.at + usize::from(quote.is_some()), ..Cursor::new(inside, MAX_LENGTH) };
    let begin = cursor.at;
    let (end, behind) = quote.and_then(|quote| cursor.quoted(quote)).or_else(|| {
        let end = cursor.find(begin, |index| is_closing(cursor.line[index].1))?;
        let word: String = (begin..end).filter_map(|index| cursor.half(index)).collect();
        let is_name = || word.chars().all(char::is_alphanumeric) && !words::is_predicate(&word);
        let is_tag = label != Label::Other && (is_named || quote.is_some() || is_heading && is_name());
        is_tag.then_some((end, end + 1))
    })?;
    let value = inside[cursor.offset(begin)..cursor.offset(end)].trim().replace("\\\"", "\"");
    Some((label, value, text.len() - inside.len() + cursor.offset(behind)))
}

/// The rest of a line, read in half width.
struct Cursor {
    /// Offsets and letters.
    line: Vec<(usize, char)>,
    length: usize,
    at: usize,
}

impl Cursor {
    fn new(text: &str, limit: usize) -> Self {
        let letters = text.char_indices().take(limit).take_while(|(_, letter)| !"\r\n".contains(*letter));
        let line: Vec<(usize, char)> = letters.collect();
        work::count(line.len());
        let length = line.last().map_or(0, |(offset, letter)| offset + letter.len_utf8());
        Self { line, length, at: 0 }
    }

    fn half(&self, index: usize) -> Option<char> {
        let space = |letter: char| if letter.is_whitespace() { ' ' } else { letter };
        self.line.get(index).map(|&(_, letter)| space(half_width(letter)))
    }

    fn peek(&self) -> Option<char> {
        self.half(self.at)
    }

    fn offset(&self, index: usize) -> usize {
        self.line.get(index).map_or(self.length, |(offset, _)| *offset)
    }

    fn find(&self, from: usize, mut is_it: impl FnMut(usize) -> bool) -> Option<usize> {
        (from..self.line.len()).find(|&index| is_it(index))
    }

    /// Takes the letters from here that fit, in half width.
    fn take(&mut self, fits: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(letter) = self.peek().filter(|&letter| fits(letter)) {
            taken.push(letter);
            self.at += 1;
        }
        taken
    }

    /// Skips the letters that fit; returns false if there are none.
    fn skip(&mut self, fits: impl Fn(char) -> bool) -> bool {
        !self.take(fits).is_empty()
    }

    /// Returns the index of the quote that ends a value, and the index behind the bracket after it.
    fn quoted(&self, quote: char) -> Option<(usize, usize)> {
        let bracket = |index: usize| {
            let end = self.find(index, |index| self.half(index) != Some(' '))?;
            is_closing(self.line[end].1).then_some(end + 1)
        };
        let is_quote = |index: usize| self.half(index) == Some(quote) && self.half(index - 1) != Some('\\');
        (self.at..self.line.len())
            .filter(|&index| is_quote(index))
            .find_map(|end| Some((end, bracket(end + 1)?)))
    }
}
