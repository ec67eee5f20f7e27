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

/// Returns the container around each of the `places`, offsets in ascending order. `held` are the offsets of what
/// containers hold, in ascending order, too; a container that holds none of them is none. A string can be open
/// before the text begins. A part that is cut off is no container, and around it is none.
pub fn around(text: &str, starts_in_string: bool, held: &[usize], places: &[usize]) -> Vec<Container> {
    let mut found = vec![Container { held: 0..0, is_flat: false }; places.len()];
    work::count(text.len() / 32);
    let (mut opened, mut deeper): (Vec<Open>, usize) = (Vec::new(), 0);
    let mut waiting: Vec<usize> = Vec::new();
    let (mut next_held, mut next_place) = (0, 0);
    let (mut in_string, mut is_escaped) = (starts_in_string, false);
    for (at, byte) in text.bytes().enumerate() {
        let is_quote = byte == b'"' && !std::mem::take(&mut is_escaped);
        is_escaped = byte == b'\\' && in_string && !is_escaped;
        if !is_quote && (in_string || !b"{}[]".contains(&byte)) {
            continue;
        }
        next_held += held[next_held..].iter().take_while(|&&offset| offset < at).count();
        let passed = places[next_place..].iter().take_while(|&&offset| offset <= at).count();
        waiting.extend(next_place..next_place + passed);
        next_place += passed;
        let closes = match byte {
            b'{' => b'}',
            b'[' => b']',
            _ => byte,
        };
        let is_opening = if is_quote { !in_string } else { b"{[".contains(&byte) };
        in_string ^= is_quote;
        if is_opening {
            if opened.len() < MAX_DEPTH {
                opened.push(Open { closes, held: next_held, waiting: waiting.len() });
            } else {
                deeper += 1;
            }
        } else if deeper > 0 {
            deeper -= 1;
        } else if let Some(open) = opened.pop_if(|open| open.closes == closes)
            && open.held < next_held
        {
            let container = Container { held: open.held..next_held, is_flat: is_quote };
            waiting.drain(open.waiting..).for_each(|place| found[place] = container.clone());
        }
    }
    waiting.extend(next_place..places.len());
    // What is cut off holds only its own.
    let whole = Open { closes: 0, held: 0, waiting: 0 };
    for open in opened.iter().rev().chain([&whole]) {
        let container = Container { held: open.held..held.len(), is_flat: open.closes == b'"' };
        waiting.drain(open.waiting..).for_each(|place| found[place] = container.clone());
    }
    found
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
        let containers = around(text, false, &offsets('x'), &offsets('!'));
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
}
