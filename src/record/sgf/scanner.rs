//! SGF grammar: games, nodes and properties, independent of their meaning. Forgives what other readers forgive: text
//! around a game, a missing first `;` or last `)`, and brackets in pairs inside a value.

use std::borrow::Cow;
use std::ops::Range;

/// A node of a game tree. Indices and offsets have 32 bits: a large game has many nodes.
#[derive(Clone, Copy, Default)]
struct Node {
    offset: u32,
    /// Index behind the last value of its properties, which follow those of the node before.
    values: u32,
    first_child: u32,
    last_child: u32,
    /// Next child of its parent; 0 if there is none, as in the two fields above.
    sibling: u32,
}

/// A value of a property: offsets of the property's name, and of the value between its brackets.
#[derive(Clone, Copy)]
struct Value {
    name: u32,
    begin: u32,
    end: u32,
    is_first: bool,
}

/// A property of a node; borrows its text.
#[derive(Clone, Copy)]
pub(super) struct Property<'t> {
    text: &'t str,
    values: &'t [Value],
}

impl<'t> Property<'t> {
    /// Returns the name in upper case. Early versions of the format allowed ignorable lower-case letters in names.
    pub fn name(&self) -> Cow<'t, str> {
        let text = &self.text[self.offset()..];
        let name = &text[..text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len())];
        let upper = name.bytes().filter(u8::is_ascii_uppercase).count();
        match upper {
            0 => name.to_ascii_uppercase().into(),
            _ if upper == name.len() => name.into(),
            _ => name.chars().filter(char::is_ascii_uppercase).collect(),
        }
    }

    /// Returns the offset of the name.
    pub fn offset(&self) -> usize {
        self.values[0].name as usize
    }

    /// Returns the values without escapes, at least one.
    pub fn values(&self) -> impl Iterator<Item = Cow<'t, str>> {
        let text = self.text;
        self.values.iter().map(move |value| unescaped(&text[value.begin as usize..value.end as usize]))
    }

    /// Returns the first value without escapes.
    pub fn value(&self) -> Cow<'t, str> {
        self.values().next().unwrap_or_default()
    }
}

/// A game tree: its nodes, the root first, its place in the text, and damaged parts with their offsets.
pub(super) struct Tree<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    values: Vec<Value>,
    pub range: Range<usize>,
    pub problems: Vec<(usize, String)>,
}

impl Tree<'_> {
    /// Returns the indices of all nodes; the root is 0.
    pub fn nodes(&self) -> Range<usize> {
        0..self.nodes.len()
    }

    /// Returns the offset of a node in the text.
    pub fn offset(&self, node: usize) -> usize {
        self.nodes[node].offset as usize
    }

    /// Returns the children of a node; the first one continues the main line.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let existing = |index: u32| (index > 0).then_some(index as usize);
        let first = existing(self.nodes[node].first_child);
        std::iter::successors(first, move |&child| existing(self.nodes[child].sibling))
    }

    /// Returns the properties of a node.
    pub fn properties(&self, node: usize) -> impl Iterator<Item = Property<'_>> {
        let begin = node.checked_sub(1).map_or(0, |before| self.nodes[before].values);
        let values = &self.values[begin as usize..self.nodes[node].values as usize];
        values.chunk_by(|_, next| !next.is_first).map(|values| Property { text: self.text, values })
    }

    /// Returns the property of a node with this name.
    pub fn property(&self, node: usize, name: &str) -> Option<Property<'_>> {
        self.properties(node).find(|property| property.name() == name)
    }

    /// Adds a node below `parent` and returns its index. The first node has no parent.
    fn add(&mut self, parent: usize, offset: usize) -> usize {
        let new = self.nodes.len();
        if let Some(parent) = self.nodes.get_mut(parent) {
            match std::mem::replace(&mut parent.last_child, new as u32) as usize {
                0 => parent.first_child = new as u32,
                before => self.nodes[before].sibling = new as u32,
            }
        }
        self.nodes.push(Node { offset: offset as u32, values: self.values.len() as u32, ..Node::default() });
        new
    }
}

/// SGF parser that reads a text front to back, one game tree at a time.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// True if the game writes the names of properties in lower case.
    is_lower: bool,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, is_lower: false }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Returns the next game's tree; `None` if no game is left.
    pub fn tree(&mut self) -> Option<Tree<'a>> {
        self.at += begin(self.rest())?;
        let first = self.rest().find(|c: char| c.is_ascii_alphabetic()).map(|at| &self.rest()[at..]);
        self.is_lower =
            first.is_some_and(|name| begins_property(name, true) && !begins_property(name, false));
        let mut tree = Tree {
            text: self.text,
            nodes: Vec::new(),
            values: Vec::new(),
            range: self.at..self.at,
            problems: Vec::new(),
        };
        // `last`: parent of the next node. `opened`: the node before each open parenthesis.
        let (mut last, mut opened) = (0, Vec::new());
        while let Some(first) = self.rest().chars().next() {
            match first {
                '(' => opened.push(last),
                ')' => last = opened.pop().unwrap_or_default(),
                ';' => last = tree.add(last, self.at),
                letter if letter.is_ascii_alphabetic() => {
                    self.add_property(&mut tree, &mut last);
                    continue;
                }
                '\u{feff}' => {}
                space if space.is_whitespace() => {}
                other => tree.problems.push((self.at, format!("{other:?} belongs inside brackets"))),
            }
            self.at += first.len_utf8();
            if opened.is_empty() {
                break;
            }
        }
        tree.problems.truncate(MAX_PROBLEMS);
        tree.range.end = self.at;
        Some(tree)
    }

    /// Reads a property and adds it to the node `last`, which must be the newest one.
    fn add_property(&mut self, tree: &mut Tree, last: &mut usize) {
        let (offset, known) = (self.at, tree.values.len());
        let result = self.property(&mut tree.values);
        if tree.nodes.is_empty() {
            *last = tree.add(*last, offset);
        }
        let is_late = *last + 1 != tree.nodes.len();
        if result.is_err() || is_late {
            tree.values.truncate(known);
        } else {
            tree.nodes[*last].values = tree.values.len() as u32;
        }
        let late = || format!("a property after variations is left out: {}", shortened(&self.text[offset..]));
        let problem = result.err().or_else(|| is_late.then(late));
        tree.problems.extend(problem.map(|problem| (offset, problem)));
    }

    /// Reads a property: its name and one or more bracketed values.
    fn property(&mut self, values: &mut Vec<Value>) -> Result<(), String> {
        let (begin, rest) = (self.at, self.rest());
        let name = &rest[..rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len())];
        self.at += name.len();
        self.skip_space();
        let mut is_first = true;
        while let Some(opened) = self.rest().strip_prefix('[') {
            let Some(length) = closing(opened, self.is_lower) else {
                self.at = self.text.len();
                return Err(format!("a value of {name} has no closing bracket: {}", shortened(opened)));
            };
            let from = self.at + 1;
            self.at = from + length + 1;
            let [name, begin, end] = [begin, from, from + length].map(|offset| offset as u32);
            values.push(Value { name, begin, end, is_first });
            is_first = false;
            self.skip_space();
        }
        if is_first { Err(format!("{name} has no value")) } else { Ok(()) }
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }
}

/// Maximum number of problems kept of one game.
const MAX_PROBLEMS: usize = 20;

/// Returns the offset of a parenthesis that begins a game: a node or a property with a value follows.
pub(super) fn begin(text: &str) -> Option<usize> {
    let begins = |(at, _): &(usize, &str)| {
        let after = text[at + 1..].trim_start_matches(|c: char| c.is_whitespace() || c == '(');
        after.starts_with(';') || begins_property(after, false)
    };
    text.match_indices('(').find(begins).map(|(at, _)| at)
}

/// True if a property comes first. `is_lower` allows names in lower case, which words of a value look like.
fn begins_property(text: &str, is_lower: bool) -> bool {
    let letters = text.bytes().take(12).take_while(u8::is_ascii_alphabetic).count();
    letters > 0
        && (is_lower || text[..letters].bytes().any(|byte| byte.is_ascii_uppercase()))
        && text[letters..].trim_start().starts_with('[')
}

fn shortened(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(30).collect()
}

/// Returns the offset of the bracket that closes a value: the first one before something that can follow a value; the
/// first one if none is such.
fn closing(text: &str, is_lower: bool) -> Option<usize> {
    let (mut first, mut at) = (None, 0);
    while let Some(found) = text[at..].find([']', '\\']) {
        at += found;
        let after = &text[at + 1..];
        if text[at..].starts_with('\\') {
            at += 1 + after.chars().next().map_or(0, char::len_utf8);
            continue;
        }
        let next = after.trim_start();
        if next.is_empty()
            || next.starts_with([';', '(', ')', '[', '\u{feff}'])
            || begins_property(next, is_lower)
        {
            return Some(at);
        }
        first = first.or(Some(at));
        at += 1;
    }
    first
}

/// Returns a value without escapes. Converts line breaks to line feeds, and other ASCII control characters, such as
/// tabs, to spaces unless they are escaped.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains(|c: char| c == '\\' || c.is_ascii_control() && c != '\n') {
        return text.into();
    }
    let mut value = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                // An escaped line break is removed; it can be two characters.
                Some(first @ ('\n' | '\r')) => {
                    letters.next_if(|&second| second != first && "\r\n".contains(second));
                }
                other => value.extend(other),
            },
            '\r' => {
                letters.next_if_eq(&'\n');
                value.push('\n');
            }
            control if control.is_ascii_control() && control != '\n' => value.push(' '),
            other => value.push(other),
        }
    }
    value.into()
}
