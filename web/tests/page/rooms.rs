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
    // So it is after a move at its end.
    browser.click_and_wait("#open-play", "playRoom.active && state.tree.winner() === 'white'");
    browser.evaluate("goTo(state.tree.line().at(-1))");
    browser.wait_for("canMove(state.tree.current)");
    browser.evaluate(
        "{ const [[from, targets]] = Object.entries(state.tree.current.described.moves);
        const [[to, [arrow]]] = Object.entries(targets); play(`${from}-${to}/${arrow}`); } 0",
    );
    browser.wait_for(&format!("analyseRoom.active && state.tree.current.ply === {plies} + 1"));
    browser.assert_value(stored, json!([["white", plies]]));
}

#[test]
fn a_review_stays_with_its_game() {
    let Some(mut browser) = opened("the review of a game") else { return };
    start_game(&mut browser);
    play_and_wait(&mut browser, "c1-c5/f5".parse().expect("a move"));
    browser.evaluate("resign()");
    browser.evaluate("review.seconds = 0.1, 0");
    let reviewed = "analyseRoom.active && state.review === null && state.tree.reviewed.length === 3
        && state.tree.line().every(({ isReviewed, rate }) => isReviewed && rate !== null)";
    browser.click_and_wait("#end-review", reviewed);
    browser.assert_value("state.tree.current.ply", 2);
    // Back in the game, another position is shown: the analysis opens there, with its review.
    browser.click_and_wait("#open-play", "playRoom.active && state.tree.current.ply === 2");
    browser.evaluate("goTo(state.tree.root)");
    browser.click_and_wait("#open-analyse", reviewed);
    browser.assert_value("[state.tree.current.ply, state.tree.winner()]", json!([0, "white"]));
    browser.click_and_wait("#open-play", "playRoom.active");
    open(&mut browser, "#analyse");
    browser.wait_for(reviewed);
    // The curve is the review's, and shows no estimates of the players.
    browser.assert_text("#curve", "Black's win rate");
    // Another move in the finished game is a variation beside the review.
    browser.click_and_wait("#open-play", "playRoom.active");
    browser.evaluate("goTo(state.tree.root)");
    browser.wait_for("canMove(state.tree.root)");
    click_move(&mut browser, "c1-c6/f6".parse().expect("a move"));
    browser.wait_for("analyseRoom.active && state.tree.current.ply === 1");
    browser.assert_value("state.tree.mainLine().every(({ isReviewed }) => isReviewed)", true);
    browser.assert_value("recent.read().filter(({ of }) => of !== null).length", 1);
}

#[test]
fn a_review_that_is_left_goes_on_where_it_was() {
    let Some(mut browser) = opened("a review that is left") else { return };
    start_game(&mut browser);
    play_and_wait(&mut browser, "c1-c5/f5".parse().expect("a move"));
    browser.evaluate("resign()");
    browser.evaluate("review.seconds = 0.5, 0");
    let done = "analyseRoom.active && state.tree.line().some(({ isReviewed }) => isReviewed)";
    browser.click_and_wait("#end-review", done);
    browser.click_and_wait("#open-play", "playRoom.active");
    browser.click_and_wait("#open-analyse", done);
    open(&mut browser, "#analyse");
    browser.wait_for(done);
}

#[test]
fn the_margin_of_a_game_survives_a_reload() {
    let Some(mut browser) = opened("the margin of a game") else { return };
    let fen = "q3/****/****/Q1** w - - 0 1";
    browser.evaluate(&format!(
        "beginGame(new GameTree({fen:?}), {{ black: 'human', white: 'human' }}, state.control)"
    ));
    for mv in ["a1-b1/a1", "a4-b4/a4"] {
        browser.wait_for("canMove(state.tree.current)");
        browser.evaluate(&format!("void play({mv:?})"));
    }
    browser.assert_text("#result", "White wins by at least 2 moves");
    open(&mut browser, "");
    browser.assert_text("#result", "White wins by at least 2 moves");
}
