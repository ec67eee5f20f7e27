//! Tests of `otrera serve`.

use crate::common::{LIMIT, OTRERA, run, start};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::program::Program;

/// Runs the program with these lines as its input; returns its answers.
fn serve(lines: &[String]) -> Vec<Value> {
    let exit = run(OTRERA, ["serve", "--threads", "1", "--memory", "4"], lines.join("\n").as_bytes());
    assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""), "{}", exit.rest);
    exit.rest.lines().map(read).collect()
}

fn read(line: impl AsRef<str>) -> Value {
    serde_json::from_str(line.as_ref()).unwrap_or_else(|error| panic!("{error}: {}", line.as_ref()))
}

fn send(program: &mut Program, request: &Value) {
    program.send(format!("{request}\n"));
}

fn line(program: &mut Program) -> Value {
    read(program.line(LIMIT).unwrap())
}

#[test]
fn every_request_gets_one_answer_and_broken_lines_cost_nothing() {
    let think = |id: usize| json!({"id": id, "do": "think", "edge": 6, "iterations": 20}).to_string();
    let mut lines: Vec<String> = (1..=200).map(think).collect();
    lines[49] = r#"{"id":50,"do":"think","fen":"#.into();
    lines[99] = r#"{"id":"hundred","do":"dance"}"#.into();
    lines[119] = "\u{feff}".into();
    lines[149] = r#"{"do":"version"}"#.into();
    lines[179] =
        json!({"id": 180, "do": "think", "edge": 6, "moves": ["b1-b2"], "iterations": 20}).to_string();
    let answers = serve(&lines);
    assert_eq!(answers.len(), 199);
    for id in 1..=200 {
        let own: Vec<&Value> = answers.iter().filter(|answer| answer["id"] == id).collect();
        match id {
            50 | 180 => assert!(own[0]["problem"].is_string() && own.len() == 1, "{own:?}"),
            100 | 120 | 150 => assert!(own.is_empty(), "{own:?}"),
            _ => assert!(own[0]["best"].is_string() && own.len() == 1, "{own:?}"),
        }
    }
    let problem = |line: usize| answers.iter().find(|answer| answer["line"] == line).expect("a problem");
    assert_eq!(problem(50)["id"], 50);
    assert_eq!(problem(100)["id"], "hundred");
    assert_eq!(problem(150), &json!({"line": 150, "problem": "a request needs an id, a string or a number"}));
}

#[test]
fn cancelled_requests_are_answered_with_what_is_found() {
    let mut program = start(&["serve", "--threads", "1", "--memory", "16"]);
    let endless = |id: &str| json!({"id": id, "do": "think", "seconds": 600, "lines": 2, "partial": true});
    send(&mut program, &endless("long"));
    send(&mut program, &endless("queued"));
    send(&mut program, &endless("next"));
    let partial = line(&mut program);
    assert_eq!((&partial["id"], &partial["partial"]), (&json!("long"), &json!(true)), "{partial}");
    assert_eq!(partial["lines"].as_array().map(Vec::len), Some(2));
    for (cancel, of, ended) in [("a", "queued", 1), ("b", "queued", 0), ("c", "nobody", 0), ("d", "long", 1)]
    {
        send(&mut program, &json!({"id": cancel, "do": "cancel", "of": of}));
        let answer = std::iter::repeat_with(|| line(&mut program)).find(|answer| answer["id"] == cancel);
        assert_eq!(answer, Some(json!({"id": cancel, "ended": ended})));
    }
    let mut last =
        || std::iter::repeat_with(|| line(&mut program)).find(|answer| answer["partial"].is_null());
    let long = last().expect("an answer");
    assert_eq!((&long["id"], &long["cancelled"]), (&json!("long"), &json!(true)), "{long}");
    assert!(long["best"].is_string(), "{long}");
    assert_eq!(last(), Some(json!({"id": "queued", "cancelled": true})));
    send(&mut program, &json!({"id": "all", "do": "cancel"}));
    program.close_input();
    let exit = program.exit(LIMIT).expect("it ends");
    assert_eq!(exit.status, Some(0));
    let mut rest: Vec<Value> =
        exit.rest.lines().map(read).filter(|answer| answer["partial"].is_null()).collect();
    rest.sort_by_key(|answer| answer["id"].to_string());
    let [all, next] = &rest[..] else { panic!("{rest:?}") };
    assert_eq!(
        (all, &next["id"], &next["cancelled"]),
        (&json!({"id": "all", "ended": 1}), &json!("next"), &json!(true))
    );
}

#[test]
fn an_answered_request_is_not_cancelled() {
    let mut program = start(&["serve", "--threads", "1", "--memory", "4"]);
    send(&mut program, &json!({"id": 1, "do": "version"}));
    assert!(line(&mut program)["version"].is_string());
    for of in [json!(1), Value::Null] {
        send(&mut program, &json!({"id": "c", "do": "cancel", "of": of}));
        assert_eq!(line(&mut program), json!({"id": "c", "ended": 0}));
    }
}

#[test]
fn a_request_that_is_too_long_is_refused() {
    let long = format!(r#"{{"id":1,"do":"read","text":"{}"}}"#, "a".repeat(33 << 20));
    let answers = serve(&[long, json!({"id": 2, "do": "version"}).to_string()]);
    let problem = json!({"id": 1, "line": 1, "problem": "this request is longer than 32 MB"});
    assert_eq!(answers.first(), Some(&problem));
    assert!(answers[1]["version"].is_string() && answers.len() == 2, "{answers:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_lost_answer_is_an_error() {
    for request in [r#"{"id":1,"do":"version"}"#, "broken"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = std::process::Command::new(OTRERA);
        command.args(["serve", "--threads", "1", "--memory", "4"]).stdout(full);
        let mut child =
            command.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, format!("{request}\n").as_bytes()).unwrap();
        drop(input);
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains("cannot write an answer: No space left"), "{errors}");
    }
}

#[test]
fn program_ends_when_nobody_reads_its_answers() {
    let mut program = start(&["serve", "--threads", "1", "--memory", "4"]);
    program.hang_up();
    // Standard input stays open.
    send(&mut program, &json!({"id": 1, "do": "version"}));
    send(&mut program, &json!({"id": 2, "do": "version"}));
    let exit = program.exit(Duration::from_secs(30)).expect("it ends");
    assert_eq!(exit.status, Some(0), "{}", exit.errors);
}

#[test]
#[cfg(unix)]
fn searches_end_when_nobody_reads_their_answers() {
    let mut program = start(&["serve", "--threads", "1", "--memory", "4"]);
    for id in 1..=3 {
        send(&mut program, &json!({"id": id, "do": "think", "seconds": 600}));
    }
    // Its answer shows that the first search has begun or is next.
    send(&mut program, &json!({"id": "c", "do": "cancel", "of": 2}));
    assert_eq!(line(&mut program), json!({"id": "c", "ended": 1}));
    program.hang_up();
    // Standard input stays open.
    let exit = program.exit(Duration::from_secs(30)).expect("it ends");
    assert_eq!(exit.status, Some(0), "{}", exit.errors);
}
