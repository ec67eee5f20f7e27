//! SGF grammar: games, nodes and properties, independent of their meaning.

use crate::board::notation::MalformedText;

/// A node of a game tree.
#[derive(Default)]
pub(super) struct Node {
    /// Names and values of the properties.
    pub properties: Vec<(String, Vec<String>)>,
    /// Indices of the child nodes; the first one continues the main line.
    pub children: Vec<usize>,
}

impl Node {
    /// Returns the values of a property, at least one; `None` if the node does not have the property.
    pub fn values(&self, name: &str) -> Option<&[String]> {
        self.properties.iter().find(|(known, _)| known == name).map(|(_, values)| &values[..])
    }
}

/// SGF parser that reads a text front to back, one game tree at a time.
pub(super) struct Scanner<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, rest: text }
    }

    /// Returns the nodes of the next game's tree, the root first. `None` if no game is left.
    pub fn tree(&mut self) -> Result<Option<Vec<Node>>, MalformedText> {
        let Some(begin) = self.rest.find('(') else { return Ok(None) };
        self.rest = &self.rest[begin..];
        let mut nodes: Vec<Node> = Vec::new();
        // `last`: parent of the next node. `opened`: the node before each open parenthesis.
        let (mut last, mut opened) = (0, Vec::new());
        while let Some(first) = self.rest.chars().next() {
            match first {
                '(' => opened.push(last),
                ')' => last = opened.pop().unwrap_or_default(),
                ';' => {
                    let new = nodes.len();
                    if let Some(before) = nodes.get_mut(last) {
                        before.children.push(new);
                    }
                    nodes.push(Node::default());
                    last = new;
                }
                letter if letter.is_ascii_alphabetic() => {
                    let property = self.property()?;
                    match nodes.get_mut(last) {
                        Some(node) => node.properties.push(property),
                        None => return Err(self.malformed("a property outside any node")),
                    }
                    continue;
                }
                '\u{feff}' => {}
                space if space.is_whitespace() => {}
                other => return Err(self.malformed(&format!("{other:?} belongs inside brackets"))),
            }
            self.rest = &self.rest[first.len_utf8()..];
            if opened.is_empty() {
                return Ok(Some(nodes));
            }
        }
        Err(self.malformed("the text ends in the middle of a game"))
    }

    /// Reads a property: its name and one or more bracketed values.
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

    /// Returns the current line number, counted from 1.
    pub fn line(&self) -> usize {
        let read = self.text.len() - self.rest.len();
        self.text.as_bytes()[..read].iter().filter(|&&byte| byte == b'\n').count() + 1
    }

    fn malformed(&self, what: &str) -> MalformedText {
        MalformedText::new(format!("line {}: {what}", self.line()))
    }
}

/// Returns the unescaped value up to the closing bracket and the number of bytes read; `None` without a bracket.
/// Converts line breaks to line feeds, and other ASCII control characters, such as tabs, to spaces unless they are
/// escaped.
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
            '\r' => {
                letters.next_if(|&(_, second)| second == '\n');
                value.push('\n');
            }
            control if control.is_ascii_control() && control != '\n' => value.push(' '),
            other => value.push(other),
        }
    }
    None
}
