//! Rooms of the page: their addresses, and what each leaves alone.

use super::*;

/// Opens an address of the page shown, as a link does, and waits until its room is shown.
fn visit(browser: &mut Browser, address: &str, room: &str) {
    browser.evaluate(&format!("location.hash = {address:?}"));
    browser.wait_for(&format!("{room}.active && document.body.dataset.mode === {room}.mode"));
    browser.assert_value("location.hash", address);
}

#[test]
fn every_room_has_an_address() {
    let Some(mut browser) = opened("the addresses of the rooms") else { return };
    browser.assert_value("location.hash", "#play");
    visit(&mut browser, "#puzzles", "puzzles");
    browser.assert_value("[byId('puzzle').hidden, byId('ending').hidden]", json!([false, true]));
    browser.click_and_wait("#puzzle-close", "playRoom.active");
    browser.assert_value("[location.hash, byId('puzzle').hidden]", json!(["#play", true]));
    // Set-up and lessons have no address, and a link keeps its own.
    browser.click_and_wait("#open-set-up", "setUp.active");
    browser.assert_value("location.hash", "#play");
    browser.click_and_wait("#set-up-cancel", "playRoom.active");
    let link = "#fen=1q4%2F6%2F6%2F6%2F6%2F4Q1+w+-+-+0+1";
    browser.evaluate(&format!("location.hash = {link:?}"));
    browser.wait_for("analyseRoom.active");
    browser.assert_value("location.hash", link);
    // An address of no room changes nothing.
    browser.evaluate("location.hash = '#nowhere'");
    browser.assert_value("[analyseRoom.active, state.tree.root.described.edge]", json!([true, 6]));
    open(&mut browser, "#puzzles");
    browser.wait_for("puzzles.active");
    // Only `otrera gui` has matches.
    open(&mut browser, "#match");
    browser.assert_value("[match.active, byId('match-dialog').open]", json!([false, false]));
}

#[test]
fn a_game_survives_its_analysis() {
    let Some(mut browser) = opened("the analysis of a game in progress") else { return };
    start_game(&mut browser);
    play_and_wait(&mut browser, "c1-c5/f5".parse().expect("a move"));
    let moves = browser.evaluate("state.tree.movesTo(state.tree.current)");
    visit(&mut browser, "#analyse", "analyseRoom");
    browser.wait_for("canMove(state.tree.current)");
    browser.assert_value("state.tree.movesTo(state.tree.current)", moves.clone());
    browser.evaluate("goTo(state.tree.root)");
    browser.wait_for("canMove(state.tree.root)");
    click_move(&mut browser, "c1-c6/f6".parse().expect("a move"));
    browser.wait_for("state.tree.current.ply === 1 && canMove(state.tree.current)");
    browser.assert_value("[state.tree.line().length, state.tree.root.children.length]", json!([2, 2]));
    visit(&mut browser, "#play", "playRoom");
    wait_for_turn(&mut browser);
    browser.assert_value("state.tree.movesTo(state.tree.current)", moves);
    browser.assert_value("state.tree.root.children.length", 1);
    let mv = random_move(&position(&mut browser), &mut Rng::with_seed(5));
    play_and_wait(&mut browser, mv);
}

#[test]
fn a_finished_game_survives_another_move() {
    let Some(mut browser) = opened("another move in a finished game") else { return };
    start_game(&mut browser);
    for text in ["c1-c5/f5", "f1-f4/c4"] {
        let mv = text.parse().expect("a move");
        if position(&mut browser).check(mv).is_ok() {
            play_and_wait(&mut browser, mv);
        }
    }
    browser.click("#resign");
    browser.click_and_wait("#resign-yes", "state.tree.winner() === 'white'");
    browser.evaluate("globalThis.played = state.tree, 0");
    let plies: u64 = value(&mut browser, "played.line().length - 1");
    browser.evaluate("goTo(state.tree.root)");
    browser.wait_for("canMove(state.tree.root)");
    click_move(&mut browser, "c1-c6/f6".parse().expect("a move"));
    browser.wait_for("analyseRoom.active && state.tree.current.ply === 1 && canMove(state.tree.current)");
    let both = "[state.tree !== played, state.tree.root.children.length, state.tree.current.children.length]";
    browser.assert_value(both, json!([true, 2, 0]));
    browser.assert_value("[played.winner(), played.line().length - 1]", json!(["white", plies]));
    // The game itself is stored with its result, beside the analysis.
    let stored = "recent.read().filter(({ begun }) => begun !== null).map(({ record }) => [record.winner, record.moves.length])";
    browser.assert_value(stored, json!([["white", plies]]));
}
