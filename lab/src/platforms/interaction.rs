//! Botzone's two ways of putting requests and answers into text, from the platform's side and as strict as
//! its judge.

use super::verdict::{Failure, Verdict};
use otrera::{Move, Square};
use serde_json::{Map, Value, json};

/// How requests and answers are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Lines of numbers.
    Simple,
    /// JSON objects.
    Json,
}

/// What a bot asked to be given back in its next turn.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stored {
    /// For this match.
    pub data: Option<Value>,
    /// For later matches, too.
    pub globaldata: Option<Value>,
}

/// Keys of a move in JSON.
const KEYS: [&str; 6] = ["x0", "y0", "x1", "y1", "x2", "y2"];

impl Style {
    /// A turn with the whole history, for a process that knows nothing. The bot has the move.
    pub fn full_request(self, moves: &[Move], stored: &Stored) -> String {
        // Whoever makes the first move is asked for it with a request of its own.
        let begin = moves.len().is_multiple_of(2).then_some([-1; 6]);
        let messages: Vec<[i64; 6]> =
            begin.into_iter().chain(moves.iter().map(|&mv| numbers_of(mv))).collect();
        match self {
            Self::Simple => simple_history(&messages, stored),
            Self::Json => json_history(&messages, stored),
        }
    }

    /// The opponent's move, for a process that has kept running.
    pub fn bare_request(self, last: Move) -> String {
        match self {
            Self::Simple => format!("{}\n", spaced(numbers_of(last))),
            Self::Json => format!("{}\n", object(numbers_of(last))),
        }
    }

    /// The move in a bot's output, and what it wants to be stored.
    pub fn read(self, output: &str) -> Result<(Move, Stored), Failure> {
        let (numbers, stored) = match self {
            Self::Simple => read_simple(output),
            Self::Json => read_json(output),
        }
        .ok_or_else(|| Failure::new(Verdict::Nj, beginning(output)))?;
        let mv = move_of(numbers).ok_or_else(|| Failure::new(Verdict::InvalidMove, beginning(output)))?;
        Ok((mv, stored))
    }
}

fn simple_history(messages: &[[i64; 6]], stored: &Stored) -> String {
    let mut lines = vec![messages.len().div_ceil(2).to_string()];
    lines.extend(messages.iter().copied().map(spaced));
    let text = |value: &Option<Value>| value.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
    if stored.data.is_some() || stored.globaldata.is_some() {
        lines.extend([text(&stored.data), text(&stored.globaldata)]);
    }
    lines.join("\n") + "\n"
}

fn json_history(messages: &[[i64; 6]], stored: &Stored) -> String {
    let every_other = |first| messages.iter().skip(first).step_by(2).copied().map(object).collect::<Vec<_>>();
    let mut request = json!({
        "requests": every_other(0), "responses": every_other(1), "time_limit": "", "memory_limit": "",
    });
    for (key, value) in [("data", &stored.data), ("globaldata", &stored.globaldata)] {
        if let Some(value) = value {
            request[key] = value.clone();
        }
    }
    format!("{request}\n")
}

/// Lines of response, debugging, data and, to the end, globaldata. Further words behind six numbers do not
/// matter; a blank too many does.
fn read_simple(output: &str) -> Option<([i64; 6], Stored)> {
    let lines: Vec<&str> = output.trim_end().split('\n').map(str::trim_end).collect();
    let words: Vec<i64> = lines.first()?.split(' ').take(6).map_while(|word| word.parse().ok()).collect();
    let text = |lines: &[&str]| (!lines.is_empty()).then(|| Value::from(lines.join("\n")));
    let stored = Stored {
        data: text(lines.get(2..3).unwrap_or_default()),
        globaldata: text(lines.get(3..).unwrap_or_default()),
    };
    Some((words.try_into().ok()?, stored))
}

/// One JSON object and nothing else. Its response may be a text that holds the object.
fn read_json(output: &str) -> Option<([i64; 6], Stored)> {
    let answer: Map<String, Value> = serde_json::from_str(output).ok()?;
    let response = match answer.get("response")? {
        Value::String(text) => serde_json::from_str(text).ok()?,
        value => value.clone(),
    };
    let numbers: Option<Vec<i64>> = KEYS.iter().map(|key| response.get(key)?.as_i64()).collect();
    let stored = |key| answer.get(key).filter(|value| !value.is_null()).cloned();
    let stored = Stored { data: stored("data"), globaldata: stored("globaldata") };
    Some((numbers?.try_into().ok()?, stored))
}

fn move_of(numbers: [i64; 6]) -> Option<Move> {
    let square = |x: i64, y: i64| Square::new(usize::try_from(x).ok()?, usize::try_from(y).ok()?);
    let [x0, y0, x1, y1, x2, y2] = numbers;
    Some(Move { from: square(x0, y0)?, to: square(x1, y1)?, arrow: square(x2, y2)? })
}

fn numbers_of(mv: Move) -> [i64; 6] {
    let [from, to, arrow] = [mv.from, mv.to, mv.arrow].map(|s| [s.column() as i64, s.row() as i64]);
    [from[0], from[1], to[0], to[1], arrow[0], arrow[1]]
}

fn spaced(numbers: [i64; 6]) -> String {
    numbers.map(|number| number.to_string()).join(" ")
}

fn object(numbers: [i64; 6]) -> Value {
    KEYS.iter().zip(numbers).map(|(key, number)| ((*key).to_owned(), Value::from(number))).collect()
}

/// The beginning of what came instead of a move.
pub fn beginning(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(style: Style, output: &str) -> Verdict {
        style.read(output).map_or_else(|failure| failure.verdict, |_| Verdict::Ok)
    }

    #[test]
    fn the_whole_history_as_botzone_writes_it() {
        // The example of the platform's own page: Black's third turn.
        let moves: Vec<Move> = ["5 0 3 2 6 5", "0 5 4 5 3 4", "0 2 0 3 3 0", "2 7 2 5 1 4"]
            .map(|line| Style::Simple.read(line).unwrap().0)
            .to_vec();
        let text = Style::Simple.full_request(&moves, &Stored::default());
        assert_eq!(text, "3\n-1 -1 -1 -1 -1 -1\n5 0 3 2 6 5\n0 5 4 5 3 4\n0 2 0 3 3 0\n2 7 2 5 1 4\n");
        let stored = Stored { data: Some(json!({"seen": 1})), globaldata: None };
        let value: Value = serde_json::from_str(&Style::Json.full_request(&moves[..1], &stored)).unwrap();
        assert_eq!(value["requests"], json!([{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}]));
        assert_eq!((&value["responses"], &value["data"]), (&json!([]), &json!({"seen": 1})));
        assert_eq!(value.get("globaldata"), None);
        assert_eq!(Style::Simple.bare_request(moves[0]), "5 0 3 2 6 5\n");
    }

    #[test]
    fn simple_answers_are_read_as_strictly_as_the_platform_does() {
        for good in ["5 0 3 2 6 5", "5 0 3 2 6 5\r\n", "5 0 3 2 6 5 and more\ndebug\n"] {
            assert_eq!(verdict(Style::Simple, good), Verdict::Ok, "{good:?}");
        }
        for bad in ["", "\n5 0 3 2 6 5", " 5 0 3 2 6 5", "5  0 3 2 6 5", "5 0 3 2 6", "a b c d e f"] {
            assert_eq!(verdict(Style::Simple, bad), Verdict::Nj, "{bad:?}");
        }
        assert_eq!(verdict(Style::Simple, "-1 -1 -1 -1 -1 -1"), Verdict::InvalidMove);
        let (_, stored) = Style::Simple.read("5 0 3 2 6 5\nnote\nmine\nfor\never\n").unwrap();
        assert_eq!(stored, Stored { data: Some("mine".into()), globaldata: Some("for\never".into()) });
    }

    #[test]
    fn json_answers_are_one_object() {
        let mv = r#"{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}"#;
        let quoted = Value::from(mv).to_string();
        for good in [format!("{{\"response\":{mv},\"debug\":1}}\n"), format!("{{\"response\":{quoted}}}")] {
            assert_eq!(verdict(Style::Json, &good), Verdict::Ok, "{good:?}");
        }
        let bad = [mv.to_owned(), format!("{{\"response\":{mv}}} {{}}"), String::new(), "[1]".into()];
        let text = format!("{{\"response\":{}}}", mv.replace("5", "\"5\""));
        for bad in bad.iter().chain([&text]) {
            assert_eq!(verdict(Style::Json, bad), Verdict::Nj, "{bad:?}");
        }
        let off = format!("{{\"response\":{}}}", mv.replace("6", "60"));
        assert_eq!(verdict(Style::Json, &off), Verdict::InvalidMove);
    }
}
