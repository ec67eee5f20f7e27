//! SGF grammar: games, nodes and properties, independent of their meaning.

use crate::board::notation::MalformedText;

/// The properties of a node, with their values.
pub(super) type Node = Vec<(String, Vec<String>)>;

/// Scans the text of a file, front to back.
pub(super) struct Scanner<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, rest: text }
    }

    /// Returns the nodes of the next game's main line, which ends where the first branch closes; skips all other
    /// variations. `None` if no game is left.
    pub fn main_line(&mut self) -> Result<Option<Vec<Node>>, MalformedText> {
        let Some(begin) = self.rest.find('(') else { return Ok(None) };
        self.rest = &self.rest[begin..];
        let (mut depth, mut on_main_line) = (0, true);
        let mut nodes: Vec<Node> = Vec::new();
        while let Some(first) = self.rest.chars().next() {
            match first {
                '(' => depth += 1,
                ')' => {
                    depth -= 1;
                    on_main_line = false;
                }
                ';' if on_main_line => nodes.push(Node::new()),
                letter if letter.is_ascii_alphabetic() => {
                    let property = self.property()?;
                    match nodes.last_mut() {
                        Some(node) if on_main_line => node.push(property),
                        Some(_) => {}
                        None => return Err(self.malformed("a property outside any node")),
                    }
                    continue;
                }
                ';' | '\u{feff}' => {}
                space if space.is_whitespace() => {}
                other => return Err(self.malformed(&format!("{other:?} belongs inside brackets"))),
            }
            self.rest = &self.rest[first.len_utf8()..];
            if depth == 0 {
                return Ok(Some(nodes));
            }
        }
        Err(self.malformed("the text ends in the middle of a game"))
    }

    /// Reads a name and one or more bracketed values.
    fn property(&mut self) -> Result<(String, Vec<String>), MalformedText> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.rest.len());
        // Early versions of the format allowed ignorable lower-case letters in names.
        let name: String = self.rest[..end].chars().filter(char::is_ascii_uppercase).collect();
        self.rest = self.rest[end..].trim_start();
        let mut values = Vec::new();
        while let Some(opened) = self.rest.strip_prefix('[') {
            let Some((value, length)) = bracketed(opened) else {
                return Err(self.malformed(&format!("a value of {name} has no closing bracket")));
            };
            values.push(value);
            self.rest = opened[length..].trim_start();
        }
        if values.is_empty() {
            Err(self.malformed(&format!("{name} has no value")))
        } else {
            Ok((name, values))
        }
    }

    /// Returns the current line number.
    pub fn line(&self) -> usize {
        let read = self.text.len() - self.rest.len();
        self.text.as_bytes()[..read].iter().filter(|&&byte| byte == b'\n').count() + 1
    }

    fn malformed(&self, what: &str) -> MalformedText {
        MalformedText::new(format!("line {}: {what}", self.line()))
    }
}

/// Returns the unescaped value up to the closing bracket, and the bytes read, including the bracket. White space
/// becomes plain spaces.
fn bracketed(text: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            ']' => return Some((value, at + 1)),
            '\\' => match letters.next()?.1 {
                // An escaped line break is removed; it can be two characters.
                first @ ('\n' | '\r') => {
                    letters.next_if(|&(_, second)| second != first && "\r\n".contains(second));
                }
                other => value.push(other),
            },
            control if control.is_ascii_control() => value.push(' '),
            other => value.push(other),
        }
    }
    None
}
