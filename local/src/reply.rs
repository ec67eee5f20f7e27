//! The site's reply to a poll.
//!
//! Line 1 is `m n`. Then follow m pairs of lines, match and request, and n lines `match slot p s0 s1 ...` of matches
//! that have ended: our slot, the number of players (0 for an aborted match) and their scores.

/// Maximum number of requests or results in a reply.
const MAX_COUNT: usize = 10_000;

/// Maximum length of a match's name, in bytes. Botzone's names have 24.
const MAX_NAME: usize = 64;

/// The site's reply to a poll.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Reply {
    /// Matches and their requests.
    pub requests: Vec<(String, String)>,
    /// Matches that have ended.
    pub results: Vec<MatchResult>,
    /// False if a part of the reply is missing.
    pub is_whole: bool,
    /// True if the last line has a line break. Without one, the end of the last request may be missing.
    pub is_terminated: bool,
}

/// The result of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchResult {
    /// Name of the match.
    pub name: String,
    /// Our place among the players, from 0; Black is 0.
    pub slot: usize,
    /// Scores of all players; empty if the match was aborted.
    pub scores: Vec<i64>,
}

impl Reply {
    /// Parses a reply. Returns the complete lines of a reply that is cut off; `None` for a text of another form.
    /// `is_whole` is false if the connection broke while the text arrived.
    pub fn parse(text: &str, is_whole: bool) -> Option<Self> {
        // Without its line break, the last line of a broken reply may be cut off.
        let text = if is_whole { text } else { text.get(..=text.rfind('\n')?)? };
        let mut lines = text.trim_start_matches('\u{feff}').lines().map(|line| line.trim_end_matches('\r'));
        let mut counts = lines.next()?.split_ascii_whitespace().map(|count| count.parse::<usize>().ok());
        let (Some(Some(requests)), Some(Some(results)), None) = (counts.next(), counts.next(), counts.next())
        else {
            return None;
        };
        if requests.max(results) > MAX_COUNT {
            return None;
        }
        let is_terminated = text.ends_with('\n');
        let mut reply = Self { is_whole, is_terminated, ..Self::default() };
        for _ in 0..requests {
            match (lines.next().and_then(name), lines.next()) {
                (Some(name), Some(request)) => reply.requests.push((name, request.to_owned())),
                _ => reply.is_whole = false,
            }
        }
        for _ in 0..results {
            match lines.next().and_then(result) {
                Some(result) => reply.results.push(result),
                None => reply.is_whole = false,
            }
        }
        if is_whole && !reply.is_whole {
            return Self::parse(text, false);
        }
        Some(reply)
    }
}

/// Returns the name of a match if it can be part of a header's name.
pub fn name(text: &str) -> Option<String> {
    let name = text.trim();
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    (is_plain && (1..=MAX_NAME).contains(&name.len())).then(|| name.to_owned())
}

fn result(line: &str) -> Option<MatchResult> {
    let mut words = line.split_ascii_whitespace();
    let name = name(words.next()?)?;
    let slot = words.next()?.parse().ok()?;
    let players: usize = words.next()?.parse().ok()?;
    // A score can have a fraction in other games.
    let score = |word: &str| word.parse().ok().or_else(|| Some(word.parse::<f64>().ok()?.round() as i64));
    let scores = words.map(score).collect::<Option<Vec<i64>>>()?;
    (scores.len() == players).then_some(MatchResult { name, slot, scores })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: &str = "2 2\na1\n-1 -1 -1 -1 -1 -1\nb2\r\n{\"x0\":5}\r\nc3 1 2 0 2\nd4 0 0\n";

    fn parsed(text: &str, is_whole: bool) -> (Vec<String>, Vec<String>, bool) {
        let reply = Reply::parse(text, is_whole).unwrap_or_else(|| unreachable!("{text:?}"));
        let names = reply.requests.into_iter().map(|(name, _)| name);
        (names.collect(), reply.results.into_iter().map(|result| result.name).collect(), reply.is_whole)
    }

    #[test]
    fn requests_and_results_are_read() {
        let reply = Reply::parse(REPLY, true).unwrap_or_default();
        let requests = [("a1", "-1 -1 -1 -1 -1 -1"), ("b2", "{\"x0\":5}")];
        assert_eq!(reply.requests, requests.map(|(name, request)| (name.to_owned(), request.to_owned())));
        let result = |name: &str, slot, scores| MatchResult { name: name.into(), slot, scores };
        assert_eq!(reply.results, [result("c3", 1, vec![0, 2]), result("d4", 0, vec![])]);
        assert!(reply.is_whole);
    }

    #[test]
    fn a_cut_reply_loses_only_what_is_cut() {
        let expected = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for (length, requests, results) in [
            (4, &[][..], &[][..]),
            (20, &[], &[]),
            (25, &["a1"], &[]),
            (REPLY.len() - 8, &["a1", "b2"], &[]),
            (REPLY.len() - 1, &["a1", "b2"], &["c3"]),
        ] {
            let cut = REPLY.get(..length).unwrap_or_default();
            assert_eq!(parsed(cut, false), (expected(requests), expected(results), false), "{cut:?}");
        }
        // A reply without a length that ends early.
        assert_eq!(parsed("1 1\na1\n-1 -1", true), (vec![], vec![], false));
        assert_eq!(parsed("0 1\nc3 1 2 0", true), (vec![], vec![], false));
    }

    #[test]
    fn other_texts_are_no_reply() {
        for text in ["", "<html>", "1", "1 2 3", "-1 0", "99999999 0", "a b"] {
            assert_eq!(Reply::parse(text, true), None, "{text}");
        }
        assert_eq!(Reply::parse("1 0", false), None);
        // A name that would add a header is no name.
        assert!(!parsed("1 0\na: b\n-1\n", true).2);
    }
}
