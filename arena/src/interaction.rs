//! Requests in Botzone's simple and JSON interaction, and a parser for bot output, as strict as the platform's.

use crate::notation::{Form, move_of, numbers_of_object};
use crate::verdict::{Failure, Verdict};
use otrera::{Move, Side};
use serde_json::{Map, Value};

/// Data that a bot stores on the platform: `data` until its next turn, `globaldata` also until its next game.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stored {
    pub data: Option<Value>,
    pub globaldata: Option<Value>,
}

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

    /// Parses a bot's output. Returns its move and the data that the platform is to store.
    pub fn read_output(self, output: &str) -> Result<(Move, Stored), Failure> {
        let (numbers, stored) = match self {
            Self::Json => read_json(output),
            _ => read_simple(output),
        }
        .ok_or_else(|| Failure::new(Verdict::Nj, beginning(output)))?;
        let mv = move_of(numbers).ok_or_else(|| Failure::new(Verdict::InvalidMove, beginning(output)))?;
        Ok((mv, stored))
    }
}

/// Parses output lines: response, debug text, data, and the rest as globaldata. Returns `None` unless the response
/// begins with six numbers separated by single spaces; further words are ignored.
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

/// Parses output that is a single JSON object, whose `response` is an object or a string containing one.
fn read_json(output: &str) -> Option<([i64; 6], Stored)> {
    let answer: Map<String, Value> = serde_json::from_str(output).ok()?;
    let response = match answer.get("response")? {
        Value::String(text) => serde_json::from_str(text).ok()?,
        value => value.clone(),
    };
    let stored = |key| answer.get(key).filter(|value| !value.is_null()).cloned();
    let stored = Stored { data: stored("data"), globaldata: stored("globaldata") };
    Some((numbers_of_object(&response)?, stored))
}

/// Returns the first 80 characters of output, for messages.
pub fn beginning(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn verdict(form: Form, output: &str) -> Verdict {
        form.read_output(output).map_or_else(|failure| failure.verdict, |_| Verdict::Ok)
    }

    #[test]
    fn full_request_matches_botzones_example() {
        // The example in Botzone's documentation: Black's third turn.
        let moves: Vec<Move> = ["5 0 3 2 6 5", "0 5 4 5 3 4", "0 2 0 3 3 0", "2 7 2 5 1 4"]
            .map(|line| Form::Simple.read_output(line).unwrap().0)
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
            assert_eq!(verdict(Form::Simple, good), Verdict::Ok, "{good:?}");
        }
        for bad in ["", "\n5 0 3 2 6 5", " 5 0 3 2 6 5", "5  0 3 2 6 5", "5 0 3 2 6", "a b c d e f"] {
            assert_eq!(verdict(Form::Simple, bad), Verdict::Nj, "{bad:?}");
        }
        assert_eq!(verdict(Form::Simple, "-1 -1 -1 -1 -1 -1"), Verdict::InvalidMove);
        let (_, stored) = Form::Simple.read_output("5 0 3 2 6 5\nnote\nmine\nfor\never\n").unwrap();
        assert_eq!(stored, Stored { data: Some("mine".into()), globaldata: Some("for\never".into()) });
    }

    #[test]
    fn json_output_must_be_one_object() {
        let mv = r#"{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}"#;
        let quoted = Value::from(mv).to_string();
        for good in [format!("{{\"response\":{mv},\"debug\":1}}\n"), format!("{{\"response\":{quoted}}}")] {
            assert_eq!(verdict(Form::Json, &good), Verdict::Ok, "{good:?}");
        }
        let bad = [mv.to_owned(), format!("{{\"response\":{mv}}} {{}}"), String::new(), "[1]".into()];
        let text = format!("{{\"response\":{}}}", mv.replace("5", "\"5\""));
        for bad in bad.iter().chain([&text]) {
            assert_eq!(verdict(Form::Json, bad), Verdict::Nj, "{bad:?}");
        }
        let off = format!("{{\"response\":{}}}", mv.replace("6", "60"));
        assert_eq!(verdict(Form::Json, &off), Verdict::InvalidMove);
    }
}
