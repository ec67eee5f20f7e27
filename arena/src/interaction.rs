//! Requests in Botzone's simple and JSON interaction, and a parser for bot output, as strict as the platform's.

use crate::failure::{Failure, Kind};
use crate::notation::{Form, move_of};
use otrera::record::botzone::KEYS;
use otrera::{Move, Side};
use serde_json::{Map, Value};

/// Data that a bot stores on the platform: `data` until its next turn, `globaldata` also until its next game.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stored {
    pub data: Option<Value>,
    pub globaldata: Option<Value>,
}

/// A bot's answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    pub mv: Move,
    /// The data that the platform is to store.
    pub stored: Stored,
    /// True if the platform accepts the answer, but a strict referee does not: the answer has more than six digits, or
    /// debug text of 1 KB or other keys in JSON.
    pub is_loose: bool,
}

/// Maximum length of the debug text in a JSON answer, in bytes.
const MAX_DEBUG: usize = 1023;

/// Placeholder edge length: Botzone's move notation does not depend on the board size.
const EDGE: usize = 0;

impl Form {
    /// Formats a request with the whole history, as sent to a new process of the side to move.
    pub fn full_request(self, moves: &[Move], stored: &Stored) -> String {
        let side = if moves.len().is_multiple_of(2) { Side::Black } else { Side::White };
        let data = [("data", &stored.data), ("globaldata", &stored.globaldata)];
        if self == Self::Json {
            let stored =
                data.iter().filter_map(|(key, value)| Some(format!(",\"{key}\":{}", value.as_ref()?)));
            let more = r#","time_limit":"","memory_limit":"""#.to_owned() + &stored.collect::<String>();
            return self.history(moves, side, EDGE, &more) + "\n";
        }
        let mut text = self.history(moves, side, EDGE, "");
        if data.iter().any(|(_, value)| value.is_some()) {
            for (_, value) in data {
                text += "\n";
                text += value.as_ref().and_then(Value::as_str).unwrap_or_default();
            }
        }
        text + "\n"
    }

    /// Formats a request with only the opponent's last move, as sent to a process that kept running.
    pub fn bare_request(self, last: Move) -> String {
        self.format_move(last, EDGE) + "\n"
    }

    /// Parses a bot's output as the platform does.
    pub fn read_output(self, output: &str) -> Result<Answer, Failure> {
        let (numbers, stored, is_loose) = match self {
            Self::Json => read_json(output),
            _ => read_simple(output),
        }
        .ok_or_else(|| Failure::new(Kind::Malformed, beginning(output)))?;
        let mv = move_of(numbers).ok_or_else(|| Failure::new(Kind::Illegal, beginning(output)))?;
        Ok(Answer { mv, stored, is_loose })
    }
}

/// Parses output lines: response, debug text, data, and the rest as globaldata. Returns `None` unless the response
/// begins with six numbers separated by single spaces; with further words or numbers above 9 the answer is loose.
fn read_simple(output: &str) -> Option<([i64; 6], Stored, bool)> {
    let lines: Vec<&str> = output.trim_end().split('\n').map(str::trim_end).collect();
    let words: Vec<&str> = lines.first()?.split(' ').collect();
    let numbers: Vec<i64> = words.iter().take(6).map_while(|word| word.parse().ok()).collect();
    let is_loose = words.len() != 6 || words.iter().any(|word| word.len() != 1) || output.contains('\r');
    let text = |lines: &[&str]| (!lines.is_empty()).then(|| Value::from(lines.join("\n")));
    let stored = Stored {
        data: text(lines.get(2..3).unwrap_or_default()),
        globaldata: text(lines.get(3..).unwrap_or_default()),
    };
    Some((numbers.try_into().ok()?, stored, is_loose))
}

/// Parses output that is a single JSON object, whose `response` is an object or a string containing one. The answer is
/// loose unless it is `{"response":{…},"debug":"…"}` with six numbers, less than 1 KB of debug text and no other keys.
fn read_json(output: &str) -> Option<([i64; 6], Stored, bool)> {
    let answer: Map<String, Value> = serde_json::from_str(output).ok()?;
    let own = answer.get("response")?;
    let response = match own {
        Value::String(text) => serde_json::from_str(text).ok()?,
        value => value.clone(),
    };
    let stored = |key| answer.get(key).filter(|value| !value.is_null()).cloned();
    let stored = Stored { data: stored("data"), globaldata: stored("globaldata") };
    let has_six = own.as_object().is_some_and(|own| own.len() == KEYS.len());
    let debug_fits =
        answer.get("debug").is_none_or(|debug| debug.as_str().is_some_and(|d| d.len() <= MAX_DEBUG));
    let is_all = answer.keys().all(|key| ["response", "debug"].contains(&key.as_str()));
    let numbers = KEYS.iter().map(|key| response.get(key)?.as_i64()).collect::<Option<Vec<_>>>()?;
    Some((numbers.try_into().ok()?, stored, !(has_six && debug_fits && is_all)))
}

/// Returns the first 80 characters of output, for messages.
pub fn beginning(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn verdict(form: Form, output: &str) -> &'static str {
        form.read_output(output).map_or_else(|failure| failure.kind.verdict(), |_| "OK")
    }

    #[test]
    fn full_request_matches_botzones_example() {
        // The example in Botzone's documentation: Black's third turn.
        let moves: Vec<Move> = ["5 0 3 2 6 5", "0 5 4 5 3 4", "0 2 0 3 3 0", "2 7 2 5 1 4"]
            .map(|line| Form::Simple.read_output(line).unwrap().mv)
            .to_vec();
        let text = Form::Simple.full_request(&moves, &Stored::default());
        assert_eq!(text, "3\n-1 -1 -1 -1 -1 -1\n5 0 3 2 6 5\n0 5 4 5 3 4\n0 2 0 3 3 0\n2 7 2 5 1 4\n");
        let stored = Stored { data: Some(json!({"seen": 1})), globaldata: None };
        let value: Value = serde_json::from_str(&Form::Json.full_request(&moves[..1], &stored)).unwrap();
        assert_eq!(value["requests"], json!([{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}]));
        assert_eq!((&value["responses"], &value["data"]), (&json!([]), &json!({"seen": 1})));
        assert_eq!(value.get("globaldata"), None);
        assert_eq!(Form::Simple.bare_request(moves[0]), "5 0 3 2 6 5\n");
    }

    #[test]
    fn simple_output_is_parsed_strictly() {
        for good in ["5 0 3 2 6 5", "5 0 3 2 6 5\r\n", "5 0 3 2 6 5 and more\ndebug\n"] {
            assert_eq!(verdict(Form::Simple, good), "OK", "{good:?}");
        }
        for bad in ["", "\n5 0 3 2 6 5", " 5 0 3 2 6 5", "5  0 3 2 6 5", "5 0 3 2 6", "a b c d e f"] {
            assert_eq!(verdict(Form::Simple, bad), "NJ", "{bad:?}");
        }
        assert_eq!(verdict(Form::Simple, "-1 -1 -1 -1 -1 -1"), "INVALIDMOVE");
        let stored = Form::Simple.read_output("5 0 3 2 6 5\nnote\nmine\nfor\never\n").unwrap().stored;
        assert_eq!(stored, Stored { data: Some("mine".into()), globaldata: Some("for\never".into()) });
    }

    #[test]
    fn json_output_must_be_one_object() {
        let mv = r#"{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}"#;
        let quoted = Value::from(mv).to_string();
        for good in [format!("{{\"response\":{mv},\"debug\":1}}\n"), format!("{{\"response\":{quoted}}}")] {
            assert_eq!(verdict(Form::Json, &good), "OK", "{good:?}");
        }
        let bad = [mv.to_owned(), format!("{{\"response\":{mv}}} {{}}"), String::new(), "[1]".into()];
        let text = format!("{{\"response\":{}}}", mv.replace("5", "\"5\""));
        for bad in bad.iter().chain([&text]) {
            assert_eq!(verdict(Form::Json, bad), "NJ", "{bad:?}");
        }
        let off = format!("{{\"response\":{}}}", mv.replace("6", "60"));
        assert_eq!(verdict(Form::Json, &off), "INVALIDMOVE");
    }
}
