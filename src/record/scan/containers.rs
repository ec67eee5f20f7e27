//! Objects, lists and strings of JSON, and which moves they hold: a result belongs to the game beside it.

use crate::record::work;
use std::ops::Range;

/// The smallest object, list or string around a place that holds anything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Container {
    /// Indices of what it holds.
    pub held: Range<usize>,
    /// True for a string.
    pub is_flat: bool,
}

/// A container that is not closed yet.
struct Open {
    closes: u8,
    /// Number of held offsets before it.
    held: usize,
    /// Number of places before it that have no container yet.
    waiting: usize,
}

/// Maximum number of nested containers. JSON that is nested more deeply is damaged.
const MAX_DEPTH: usize = 256;

/// A text of JSON behind brackets and quotes that were opened before it. Offsets count from the first of these.
#[derive(Clone, Copy)]
pub struct Inside<'t> {
    /// The brackets, the outermost first.
    pub opened: &'t str,
    /// The text.
    pub text: &'t str,
}

/// A bracket or a quote that opens or closes a container.
struct Bracket {
    at: usize,
    byte: u8,
    is_opening: bool,
}

impl Inside<'_> {
    /// Returns the brackets and quotes outside of strings.
    fn brackets(&self) -> impl Iterator<Item = Bracket> {
        work::count(self.text.len() / 32);
        let (mut in_string, mut is_escaped) = (false, false);
        let bytes = self.opened.bytes().chain(self.text.bytes()).enumerate();
        bytes.filter_map(move |(at, byte)| {
            let is_quote = byte == b'"' && !std::mem::take(&mut is_escaped);
            is_escaped = byte == b'\\' && in_string && !is_escaped;
            if !is_quote && (in_string || !b"{}[]".contains(&byte)) {
                return None;
            }
            in_string ^= is_quote;
            Some(Bracket { at, byte, is_opening: if is_quote { in_string } else { b"{[".contains(&byte) } })
        })
    }

    fn len(&self) -> usize {
        self.opened.len() + self.text.len()
    }

    /// Returns the container around each of the `places`, offsets in ascending order. `held` are the offsets of what
    /// containers hold, in ascending order, too; a container that holds none of them is none. A part that is cut off is no
    /// container, and around it is none.
    pub fn around(&self, held: &[usize], places: &[usize]) -> Vec<Container> {
        let mut found = vec![Container { held: 0..0, is_flat: false }; places.len()];
        let mut nest = Nest::default();
        let mut next_held = 0;
        for bracket in self.brackets() {
            next_held += held[next_held..].iter().take_while(|&&offset| offset < bracket.at).count();
            nest.pass(places, bracket.at);
            if let Some(open) = nest.add(&bracket, next_held)
                && open.held < next_held
            {
                let container = Container { held: open.held..next_held, is_flat: bracket.byte == b'"' };
                nest.waiting.drain(open.waiting..).for_each(|place| found[place] = container.clone());
            }
        }
        nest.pass(places, self.len());
        // What is cut off holds only its own.
        let whole = Open { closes: 0, held: 0, waiting: 0 };
        for open in nest.opened.iter().rev().chain([&whole]) {
            let container = Container { held: open.held..held.len(), is_flat: open.closes == b'"' };
            nest.waiting.drain(open.waiting..).for_each(|place| found[place] = container.clone());
        }
        found
    }

    /// Returns the brackets that are open at the end, and those of the `places`, offsets in ascending order, whose container
    /// is open: their indices, each with the number of brackets around it.
    pub fn open(&self, places: &[usize]) -> (String, Vec<(usize, usize)>) {
        let mut nest = Nest::default();
        for bracket in self.brackets() {
            nest.pass(places, bracket.at);
            if let Some(open) = nest.add(&bracket, 0) {
                nest.waiting.truncate(open.waiting);
            }
        }
        nest.pass(places, self.len());
        let around = |index: usize| nest.opened.iter().take_while(|open| open.waiting <= index).count();
        let waiting = nest.waiting.iter().enumerate().map(|(index, &place)| (place, around(index))).collect();
        let brackets = nest.opened.iter().map(|open| match open.closes {
            b'}' => '{',
            b']' => '[',
            _ => '"',
        });
        (brackets.collect(), waiting)
    }

    /// Returns the first of the offsets in each range that lie in the fewest containers, with a figure that is lower in
    /// fewer containers. The ranges are in ascending order.
    pub fn outermost(&self, ranges: &[Range<usize>]) -> Vec<(isize, usize)> {
        let mut best: Vec<(isize, usize)> = Vec::with_capacity(ranges.len());
        let mut depth = 0;
        for bracket in self.brackets() {
            let begun = ranges[best.len()..].iter().take_while(|range| range.start <= bracket.at);
            best.extend(begun.map(|range| (depth, range.start)));
            depth += if bracket.is_opening { 1 } else { -1 };
            let last = best.len().checked_sub(1).map(|last| &ranges[last]);
            if last.is_some_and(|range| bracket.at < range.end)
                && let Some(least) = best.last_mut().filter(|(least, _)| depth < *least)
            {
                *least = (depth, bracket.at + 1);
            }
        }
        best.extend(ranges[best.len()..].iter().map(|range| (depth, range.start)));
        best
    }
}

/// Containers that are open at a place of a text.
#[derive(Default)]
struct Nest {
    opened: Vec<Open>,
    /// Number of open containers that are nested too deeply.
    deeper: usize,
    /// Indices of places that have no container yet.
    waiting: Vec<usize>,
    /// Number of places passed.
    passed: usize,
}

impl Nest {
    /// Passes the places up to an offset.
    fn pass(&mut self, places: &[usize], at: usize) {
        let passed = places[self.passed..].iter().take_while(|&&place| place <= at).count();
        self.waiting.extend(self.passed..self.passed + passed);
        self.passed += passed;
    }

    /// Opens a container behind a number of held offsets, or returns the one that is closed.
    fn add(&mut self, bracket: &Bracket, held: usize) -> Option<Open> {
        let closes = match bracket.byte {
            b'{' => b'}',
            b'[' => b']',
            quote => quote,
        };
        if !bracket.is_opening {
            match self.deeper {
                0 => return self.opened.pop_if(|open| open.closes == closes),
                _ => self.deeper -= 1,
            }
        } else if self.opened.len() < MAX_DEPTH {
            self.opened.push(Open { closes, held, waiting: self.waiting.len() });
        } else {
            self.deeper += 1;
        }
        None
    }
}

/// Returns the games that statements belong to by their containers. `held` are the offsets of the games, `places` those
/// of the statements. In a string with several games, each belongs to one if there are equally many beside each game.
pub fn owners(containers: &[Container], held: &[usize], places: &[usize]) -> Vec<Range<usize>> {
    let mut owners = Vec::with_capacity(containers.len());
    let mut from = 0;
    for group in containers.chunk_by(|a, b| a == b) {
        let (games, places) = (&group[0].held, &places[from..from + group.len()]);
        from += group.len();
        if !group[0].is_flat || games.len() < 2 {
            owners.extend(group.iter().map(|container| container.held.clone()));
            continue;
        }
        let begun = |place: &usize| held.partition_point(|game| game < place).clamp(games.start, games.end);
        let between = |game: usize| places.iter().filter(|&place| begun(place) == game).count();
        let [before, behind] = [games.start, games.end].map(between);
        for gap in places.chunk_by(|a, b| begun(a) == begun(b)) {
            let next = begun(&gap[0]);
            for index in 0..gap.len() {
                owners.push(match index < behind {
                    _ if next == games.start => next..next + 1,
                    _ if next == games.end || before == 0 => next - 1..next,
                    _ if gap.len() != before + behind => games.clone(),
                    true => next - 1..next,
                    false => next..next + 1,
                });
            }
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what the containers around each `!` hold of the offsets of each `x`.
    fn held(text: &str) -> Vec<Range<usize>> {
        let offsets = |letter| text.match_indices(letter).map(|(at, _)| at).collect::<Vec<_>>();
        let containers = Inside { opened: "", text }.around(&offsets('x'), &offsets('!'));
        containers.into_iter().map(|container| container.held).collect()
    }

    #[test]
    fn the_smallest_container_is_found() {
        assert_eq!(held(r#"[{"!":"x"},{"a":["x"],"b":"!"}]"#), [0..1, 1..2]);
        assert_eq!(held(r#"[{"a":{"!":1},"b":["x","x"]},"!"]"#), [0..2, 0..2]);
        assert_eq!(held(r#"["}","x"],["x!","\"]!"]"#), [1..2, 1..2]);
        assert_eq!(held(r#"! ["x"] !"#), [0..1, 0..1]);
        assert_eq!(held(r#"["!"],["x"],{"a":"!"#), [0..1, 1..1]);
        assert_eq!(held(&format!("!{}!x{}", "[".repeat(1000), "]".repeat(1000))), [0..1, 0..1]);
    }

    #[test]
    fn a_text_is_read_on_inside_its_containers() {
        let text = r#"{"first":!,"games":[["x"],["x"]"#;
        let offset = text.find('!').unwrap();
        assert_eq!(Inside { opened: "", text }.open(&[offset]), ("{[".into(), vec![(0, 1)]));
        let rest = Inside { opened: "{[", text: r#",["x"]],"x":"x"}, "x""# };
        let held: Vec<usize> = rest.text.match_indices('x').map(|(at, _)| at + 2).collect();
        assert_eq!(
            rest.around(&held, &[0, 1]).iter().map(|container| container.held.clone()).collect::<Vec<_>>(),
            [0..4, 0..3]
        );
        let text = r#"[{"a":"x"},{"a":"x x"},"x"]"#;
        let held: Vec<usize> = text.match_indices('x').map(|(at, _)| at).collect();
        let ranges: Vec<Range<usize>> = held.windows(2).map(|pair| pair[0] + 1..pair[1]).collect();
        assert_eq!(Inside { opened: "", text }.outermost(&ranges), [(1, 10), (3, 18), (1, 22)]);
    }
}
