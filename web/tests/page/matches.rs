//! Match mode needs `otrera gui`, so a page opened from a file hides the mode. `protocol/tests/match_mode.rs` plays
//! matches.

use super::*;

#[test]
fn page_from_a_file_hides_match_mode() {
    let Some(mut browser) = opened("match mode without the program") else { return };
    let hidden = "['open-match', 'match-offers', 'match'].map((id) => byId(id).hidden)";
    browser.assert_value(hidden, json!([true, true, true]));
    // The file of a match is opened as a plain game.
    let mut line: Value = serde_json::from_str(&json::write(&game(8, 4))).expect("JSON");
    line["match"] = json!({"id": "", "state": {"us": "black"}});
    paste(&mut browser, &line.to_string());
    browser.wait_for("state.tree.line().length > 5 && Boolean(state.tree.current.described)");
    browser.assert_value(hidden, json!([true, true, true]));
}

#[test]
fn clocks_use_minutes_and_seconds() {
    let Some(mut browser) = opened("the texts of clocks") else { return };
    for (seconds, text) in
        [("900", "15:00"), ("5.9", "0:05"), ("0", "0:00"), ("-0.5", "−0:01"), ("6001", "100:01")]
    {
        browser.assert_value(&format!("clockText({seconds})"), text);
    }
    let read = "['14:05', ' 7:30 ', '0:00', '3：07', '12', '1:60', '1:5', 'x', ''].map(secondsOfClock)";
    browser.assert_value(read, json!([845, 450, 0, 187, null, null, null, null, null]));
}
