//! SGF grammar: games, nodes and properties, independent of their meaning. Forgives what other readers forgive: text
//! around a game, a missing first `;` or last `)`, and brackets in pairs inside a value.

use crate::record::reading::reserve_some;
use crate::record::scan;
use crate::record::work;
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

    /// Returns the values as written, with their offsets.
    pub fn raw_values(&self) -> impl Iterator<Item = (usize, &'t str)> {
        let text = self.text;
        self.values
            .iter()
            .map(move |value| (value.begin as usize, &text[value.begin as usize..value.end as usize]))
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
    has_moves: bool,
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

    /// True if the nodes take much more memory than the text up to `end`, unlike those of any real game.
    fn is_too_large(&self, end: usize) -> bool {
        let size = self.nodes.len() * size_of::<Node>() + self.values.len() * size_of::<Value>();
        size > 4 * (end - self.range.start) + MAX_SMALL_TREE
    }

    /// Adds a problem, unless the tree has many.
    fn add_problem(&mut self, offset: usize, problem: impl FnOnce() -> String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push((offset, problem()));
        }
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
        reserve_some(&mut self.nodes);
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
    /// Offset of the next bracket before something that can follow a value, as far as it was searched for: in games with
    /// names of properties in upper case and in lower case. The length of the text if there is none.
    ends: [Option<usize>; 2],
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, is_lower: false, ends: [None; 2] }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Goes to the next game and returns its empty tree; `None` if no game is left.
    fn begun_tree(&mut self) -> Option<Tree<'a>> {
        let before = self.at;
        self.at += match (self.at, self.rest().trim_start()) {
            (0, _) => begin(self.rest())?,
            (_, rest) if begins_root(rest, self.is_lower) => self.rest().len() - rest.len(),
            _ => with_parenthesis(self.rest())?,
        };
        // The first letter of the game; a game without one ends before the search does.
        let first =
            self.rest().find(|c: char| c.is_ascii_alphabetic() || c == ')').map(|at| &self.rest()[at..]);
        self.is_lower =
            first.is_some_and(|name| begins_property(name, true) && !begins_property(name, false));
        let mut tree = Tree {
            text: self.text,
            nodes: Vec::new(),
            values: Vec::new(),
            has_moves: false,
            range: self.at..self.at,
            problems: Vec::new(),
        };
        let rest = self.text[before..self.at].rsplit('\n').next().unwrap_or_default();
        if !self.rest().starts_with('(') && rest.contains(char::is_alphanumeric) && rest.contains(']') {
            tree.add_problem(self.at, || format!("the property {} is not kept", shortened(rest.trim())));
        }
        Some(tree)
    }

    /// Returns the next game's tree; `None` if no game is left.
    pub fn tree(&mut self) -> Option<Tree<'a>> {
        let mut tree = self.begun_tree()?;
        // `last`: parent of the next node. `opened`: the node before each open parenthesis, also before a lost one.
        let mut last = 0;
        let mut opened = if self.rest().starts_with('(') { Vec::new() } else { vec![0] };
        while let Some(first) = self.rest().chars().next() {
            work::count(1);
            match first {
                '(' if opened.len() == MAX_DEPTH => {
                    tree.add_problem(self.at, || "a variation is nested too deeply".into());
                    self.skip_branches(0);
                    continue;
                }
                '(' => opened.push(last as u32),
                ')' => last = opened.pop().unwrap_or_default() as usize,
                ';' if tree.has_moves && begins_root(self.rest(), self.is_lower) => break,
                ';' | 'A'..='Z' | 'a'..='z' if tree.is_too_large(self.at) => {
                    let text = "the rest of this game is left out: it has too many nodes without moves";
                    tree.problems.push((self.at, text.into()));
                    self.skip_branches(opened.len());
                    break;
                }
                ';' => last = tree.add(last, self.at),
                letter if letter.is_ascii_alphabetic() => {
                    self.add_property(&mut tree, &mut last);
                    continue;
                }
                '\u{feff}' => {}
                space if space.is_whitespace() => {}
                other => tree.add_problem(self.at, || format!("{other:?} belongs inside brackets")),
            }
            self.at += first.len_utf8();
            if opened.is_empty() {
                break;
            }
        }
        tree.range.end = self.at;
        Some(tree)
    }

    /// Skips the text to the end of the branch that begins here, or of the `depth` branches that are open.
    fn skip_branches(&mut self, mut depth: usize) {
        while let Some(first) = self.rest().chars().next() {
            work::count(1);
            match first {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                '[' => {
                    // A value can hold parentheses.
                    self.at += self.closing().map_or(self.rest().len(), |length| length + 2);
                    continue;
                }
                _ => {}
            }
            self.at += first.len_utf8();
            if depth == 0 {
                break;
            }
        }
    }

    /// Returns the length of the value whose bracket is open here. The value ends at the first bracket before something
    /// that can follow a value, or at the first one of all if none is such; `None` if there is no bracket.
    fn closing(&mut self) -> Option<usize> {
        let (begin, text) = (self.at + 1, self.text);
        let known = &mut self.ends[usize::from(self.is_lower)];
        // Escapes are the same from the beginning of any value, since a bracket is no backslash.
        if known.is_none_or(|end| end < begin) {
            *known = Some(next_end(text, begin, self.is_lower));
        }
        let end = known.filter(|&end| end < text.len());
        let end = end.or_else(|| brackets(text, begin).next());
        end.map(|end| end - begin)
    }

    /// Reads a property and adds it to the node `last`, which must be the newest one.
    fn add_property(&mut self, tree: &mut Tree, last: &mut usize) {
        let (offset, known) = (self.at, tree.values.len());
        if tree.nodes.is_empty() {
            *last = tree.add(*last, offset);
        }
        let result = self.property(tree);
        let is_move = ["B", "W"].iter().any(|name| starts_with_name(&self.text[offset..], name));
        tree.has_moves |= is_move && result.is_ok();
        let is_late = *last + 1 != tree.nodes.len();
        if result.is_err() || is_late {
            tree.values.truncate(known);
        } else {
            tree.nodes[*last].values = tree.values.len() as u32;
        }
        let late = || format!("a property after variations is left out: {}", shortened(&self.text[offset..]));
        match result {
            Err(problem) => tree.add_problem(offset, || problem),
            Ok(()) if is_late => tree.add_problem(offset, late),
            Ok(()) => {}
        }
    }

    /// Reads a property: its name and one or more bracketed values. A value without its bracket ends before the move
    /// that follows.
    fn property(&mut self, tree: &mut Tree) -> Result<(), String> {
        let (begin, rest) = (self.at, self.rest());
        let name = &rest[..rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len())];
        let is_comment = ["C", "GC"].iter().any(|known| known.eq_ignore_ascii_case(name));
        let unclosed =
            |value: &str| format!("a value of {name} has no closing bracket: {}", shortened(value));
        self.at += name.len();
        self.skip_space();
        let (mut is_first, known) = (true, tree.values.len());
        while let Some(opened) = self.rest().strip_prefix('[') {
            let Some(length) = self.closing() else {
                self.at = self.text.len();
                return Err(unclosed(opened));
            };
            let cut = move_in(&opened[..length], is_comment);
            let (from, behind) = (self.at + 1, cut.unwrap_or(length + 1));
            let length = cut.map_or(length, |cut| opened[..cut].trim_end().len());
            self.at = from + behind;
            if cut.is_some() {
                tree.add_problem(from, || unclosed(&opened[..length]));
            }
            let [name, begin, end] = [begin, from, from + length].map(|offset| offset as u32);
            if tree.values.len() - known < MAX_VALUES {
                reserve_some(&mut tree.values);
                tree.values.push(Value { name, begin, end, is_first });
            }
            is_first = false;
            self.skip_space();
        }
        match tree.values.len() - known {
            0 => Err(format!("{name} has no value")),
            MAX_VALUES.. => Err(format!("{name} has {MAX_VALUES} values and more")),
            _ => Ok(()),
        }
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }
}

/// Maximum number of problems kept of one game.
const MAX_PROBLEMS: usize = 20;

/// Number of values from which a property is left out: no property has more than the squares of a board.
const MAX_VALUES: usize = 1000;

/// Size of a tree that is always read, in bytes.
const MAX_SMALL_TREE: usize = 1 << 20;

/// Maximum number of parentheses around a node. More than the moves of any game.
const MAX_DEPTH: usize = 1000;

/// Returns the offset at which the first game of a text begins: that of its parenthesis, or of its first property if
/// the game has lost its beginning.
pub(super) fn begin(text: &str) -> Option<usize> {
    let whole = with_parenthesis(text);
    let before = &text[..whole.unwrap_or(text.len())];
    without_parenthesis(before).or(whole)
}

/// Returns the offset of a parenthesis that begins a game: a node or a property with a value follows.
fn with_parenthesis(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let begin = at + text[at..].find('(')?;
        let after = text[begin..].trim_start_matches(|c: char| c.is_whitespace() || c == '(');
        work::count(text.len() - at - after.len());
        // The last one: those before it only hold games.
        let last = text[..text.len() - after.len()].rfind('(');
        if after.starts_with(';') || begins_property(after, false) {
            return last;
        }
        // All parentheses before it are followed by it, too.
        at = text.len() - after.len();
    }
}

/// Returns the offset of the first property in a text with a node that holds a move, `;B[`.
fn without_parenthesis(text: &str) -> Option<usize> {
    let is_move = |&at: &usize| {
        let after = text[at + 1..].trim_start();
        work::count(text.len() - at - after.len());
        let value = after.strip_prefix(['B', 'W']).and_then(|value| value.trim_start().strip_prefix('['));
        value.is_some_and(|value| value.trim_start().starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let node = text.match_indices(';').map(|(at, _)| at).find(is_move)?;
    let name = |at: usize| {
        let before = text[..at].bytes().rev().take(12).take_while(u8::is_ascii_uppercase).count();
        let value = text[at + 1..].split(']').next().unwrap_or_default();
        // `B[Ann]`: the beginning of `PB[Ann]` is lost.
        let is_cut = ["B", "W"].contains(&&text[at - before..at])
            && (value.len() > MAX_MOVE || scan::piece_of(value).is_none());
        (before > 0 && !is_cut).then_some(at - before)
    };
    text[..node].match_indices('[').find_map(|(at, _)| name(at)).or(Some(node))
}

/// Maximum length of a move in any notation, in bytes.
const MAX_MOVE: usize = 40;

/// True if a node comes first that only begins a game, with or without its semicolon: properties of the whole file lead
/// it.
fn begins_root(text: &str, is_lower: bool) -> bool {
    let node = text.strip_prefix(';').unwrap_or(text).trim_start();
    work::count(text.len() - node.len());
    begins_property(node, is_lower)
        && ["GM", "FF", "CA", "AP", "ST", "SZ"].iter().any(|name| starts_with_name(node, name))
}

/// True if a property of this name comes first, in upper or lower case.
fn starts_with_name(text: &str, name: &str) -> bool {
    let (Some(first), Some(rest)) = (text.get(..name.len()), text.get(name.len()..)) else { return false };
    first.eq_ignore_ascii_case(name) && !rest.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// True if a property comes first. `is_lower` allows names in lower case, which words of a value look like.
fn begins_property(text: &str, is_lower: bool) -> bool {
    let letters = text.bytes().take(12).take_while(u8::is_ascii_alphabetic).count();
    letters > 0
        && (is_lower || text[..letters].bytes().any(|byte| byte.is_ascii_uppercase()))
        && text[letters..].trim_start().starts_with('[')
}

pub(super) fn shortened(text: &str) -> String {
    let beginning: String = text.chars().take(100).collect();
    beginning.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(30).collect()
}

/// Properties before which the closing bracket of a value can be missing.
const HEADINGS: [&str; 10] = ["PB[", "PW[", "RE[", "DT[", "EV[", "PC[", "SZ[", "GM[", "CA[", "AP["];

/// Returns the offset in a value of the beginning of a move, `;B[`, or of a property about the game: the closing bracket
/// of the value is missing. In a comment, which can quote a game, only a move that is not closed is one.
pub(super) fn move_in(raw: &str, is_comment: bool) -> Option<usize> {
    let begins = |&at: &usize| {
        let after = raw[at + 1..].trim_start();
        work::count(raw.len() - at - after.len());
        let property = after.strip_prefix(['B', 'W', 'b', 'w']);
        property.is_some_and(|rest| rest.trim_start().starts_with('['))
    };
    let mut nodes = raw.match_indices(';').map(|(at, _)| at);
    if is_comment {
        return nodes.rfind(begins).filter(|&at| !raw[at..].contains(']'));
    }
    let node = nodes.find(begins);
    let before = &raw[..node.unwrap_or(raw.len())];
    work::count(before.len());
    let names = before.match_indices('[').filter_map(|(at, _)| at.checked_sub(2));
    let mut names = names.filter(|&at| raw.is_char_boundary(at));
    names.find(|&at| HEADINGS.iter().any(|name| raw[at..].starts_with(name))).or(node)
}

/// Returns the offsets of the closing brackets from here on that are not escaped.
fn brackets(text: &str, from: usize) -> impl Iterator<Item = usize> {
    let mut at = from;
    std::iter::from_fn(move || {
        loop {
            let found = at + text[at..].find([']', '\\'])?;
            work::count(1 + found - at);
            at = found + 1;
            if text[found..].starts_with(']') {
                return Some(found);
            }
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
    })
}

/// Returns the offset of the first bracket from here on before something that can follow a value; the length of the
/// text if there is none.
fn next_end(text: &str, from: usize, is_lower: bool) -> usize {
    let is_end = |at: &usize| {
        let next = text[at + 1..].trim_start();
        work::count(text.len() - at - next.len());
        next.is_empty()
            || next.starts_with([';', '(', ')', '[', '\u{feff}'])
            || begins_property(next, is_lower)
    };
    brackets(text, from).find(is_end).unwrap_or(text.len())
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
