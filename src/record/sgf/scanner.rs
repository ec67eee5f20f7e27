//! SGF grammar: games, nodes and properties, independent of their meaning. Forgives what other readers forgive: text
//! around a game, a missing first `;` or last `)`, and brackets in pairs inside a value.

use std::ops::Range;

/// A node of a game tree.
#[derive(Default)]
pub(super) struct Node {
    /// Offset in the text.
    pub offset: usize,
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

/// A game tree: its nodes, the root first, its place in the text, and damaged parts with their offsets.
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    pub range: Range<usize>,
    pub problems: Vec<(usize, String)>,
}

/// SGF parser that reads a text front to back, one game tree at a time.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Returns the next game's tree; `None` if no game is left.
    pub fn tree(&mut self) -> Option<Tree> {
        self.at += begin(self.rest())?;
        let (start, mut nodes, mut problems) = (self.at, Vec::<Node>::new(), Vec::new());
        // `last`: parent of the next node. `opened`: the node before each open parenthesis.
        let (mut last, mut opened) = (0, Vec::new());
        while let Some(first) = self.rest().chars().next() {
            match first {
                '(' => opened.push(last),
                ')' => last = opened.pop().unwrap_or_default(),
                ';' => last = add(&mut nodes, last, self.at),
                letter if letter.is_ascii_alphabetic() => {
                    let offset = self.at;
                    match self.property() {
                        Ok(property) => {
                            if nodes.is_empty() {
                                last = add(&mut nodes, last, offset);
                            }
                            nodes[last].properties.push(property);
                        }
                        Err(problem) => problems.push((offset, problem)),
                    }
                    continue;
                }
                '\u{feff}' => {}
                space if space.is_whitespace() => {}
                other => problems.push((self.at, format!("{other:?} belongs inside brackets"))),
            }
            self.at += first.len_utf8();
            if opened.is_empty() {
                break;
            }
        }
        problems.truncate(MAX_PROBLEMS);
        Some(Tree { nodes, range: start..self.at, problems })
    }

    /// Reads a property: its name and one or more bracketed values.
    fn property(&mut self) -> Result<(String, Vec<String>), String> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        // Early versions of the format allowed ignorable lower-case letters in names.
        let name: String = rest[..end].chars().filter(char::is_ascii_uppercase).collect();
        self.at += end;
        self.skip_space();
        let mut values = Vec::new();
        while let Some(opened) = self.rest().strip_prefix('[') {
            let Some((value, length)) = bracketed(opened) else {
                self.at = self.text.len();
                return Err(format!("a value of {name} has no closing bracket: {}", shortened(opened)));
            };
            values.push(value);
            self.at += 1 + length;
            self.skip_space();
        }
        if values.is_empty() { Err(format!("{} has no value", &rest[..end])) } else { Ok((name, values)) }
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }
}

/// Maximum number of problems kept of one game.
const MAX_PROBLEMS: usize = 20;

fn add(nodes: &mut Vec<Node>, parent: usize, offset: usize) -> usize {
    let new = nodes.len();
    if let Some(before) = nodes.get_mut(parent) {
        before.children.push(new);
    }
    nodes.push(Node { offset, ..Node::default() });
    new
}

/// Returns the offset of a parenthesis that begins a game: a node or a property with a value follows.
pub(super) fn begin(text: &str) -> Option<usize> {
    let begins = |(at, _): &(usize, &str)| {
        let after = text[at + 1..].trim_start_matches(|c: char| c.is_whitespace() || c == '(');
        after.starts_with(';') || begins_property(after)
    };
    text.match_indices('(').find(begins).map(|(at, _)| at)
}

fn begins_property(text: &str) -> bool {
    let letters = text.bytes().take(12).take_while(u8::is_ascii_alphabetic).count();
    letters > 0
        && text[..letters].bytes().any(|byte| byte.is_ascii_uppercase())
        && text[letters..].trim_start().starts_with('[')
}

fn shortened(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(30).collect()
}

/// Returns the unescaped value up to the closing bracket and the number of bytes read; `None` without a bracket.
/// Converts line breaks to line feeds, and other ASCII control characters, such as tabs, to spaces unless they are
/// escaped. A bracket closes the value if something follows that can follow a value; the first one does if none is such.
fn bracketed(text: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut first = None;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            ']' => {
                let after = text[at + 1..].trim_start();
                if after.is_empty()
                    || after.starts_with([';', '(', ')', '[', '\u{feff}'])
                    || begins_property(after)
                {
                    return Some((value, at + 1));
                }
                first = first.or(Some((value.len(), at + 1)));
                value.push(']');
            }
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
    let (length, at) = first?;
    value.truncate(length);
    Some((value, at))
}
