//! Tests of Analyse: leads, saved reviews, ground, reasons, collections, results files; games with a friend; data of older
//! pages.

use super::*;
use otrera::record::phase_of;

/// Marks of the line shown, and the accuracies and counts of both players.
const REVIEWED: &str = "[state.tree.line().map((node) => verdict.markOf(node)),
    SIDES.map((side) => { const { accuracy, counts } = verdict.summary(side); return [accuracy.toFixed(1), counts]; })]";

#[test]
fn a_review_with_leads_is_saved_and_comes_back() {
    let Some(mut browser) = opened("a saved review") else { return };
    let mut record = game(8, 5);
    // The players' own estimates count less than a saved analysis.
    record.moves.iter_mut().for_each(|played| played.win_rate = Some(0.5));
    paste(&mut browser, &json::write(&record), GAME_SHOWN);
    browser.evaluate("review.seconds = 0.1");
    browser.click_and_wait("#review", "!review.active && state.tree.reviewed.length > 1");
    // Random moves lose much: also where the result is clear but not proven.
    let accuracies: [f64; 2] = value(&mut browser, "SIDES.map((side) => verdict.summary(side).accuracy)");
    assert!(accuracies.iter().all(|accuracy| *accuracy < 90.0), "{accuracies:?}");
    // A sign stands on the line of its move.
    browser
        .assert_value("getComputedStyle(document.querySelector('#moves .sign')).verticalAlign", "baseline");
    let stars = "state.tree.line().slice(1).filter((node) => verdict.isDecided(node) && verdict.markOf(node) === 'best').length";
    browser.assert_value(stars, 0);
    // The lead is on the bar, in the list and on the curve.
    browser.evaluate("goTo(state.tree.line().find((node) => verdict.markOf(node) === 'blunder' && verdict.leadLossOf(node) >= 1))");
    browser.wait_for("state.tree.current.reason !== undefined");
    for place in ["#rate", "#moves [aria-current] small"] {
        let shown = browser.text(place);
        assert!(shown.starts_with(['+', '\u{2212}', '0']), "{place}: {shown}");
    }
    browser.assert_value("document.querySelectorAll('#curve path.lead').length", 1);
    browser.assert_text("#status", "moves (blunder)");
    // Files keep hundredths of a move.
    browser.evaluate("globalThis.leads = state.tree.line().map(({ lead }) => lead), 0");
    let kept = "state.tree.line().every(({ lead }, ply) => lead === leads[ply] || Math.abs(lead - leads[ply]) < 0.006)";
    let reviewed = browser.evaluate(REVIEWED);
    for form in ["json", "sgf"] {
        let text: String = value(
            &mut browser,
            &format!(
                "engine.ask({{ do: 'write', form: {form:?}, game: state.tree.toRecord() }}).then(({{ text }}) => text)"
            ),
        );
        browser.evaluate("globalThis.before = state.tree, 0");
        paste(
            &mut browser,
            &text,
            &format!("state.tree !== before && {GAME_SHOWN} && state.tree.root.found !== null"),
        );
        browser.assert_value("state.tree.root.found.isSaved", true);
        browser.assert_value(REVIEWED, reviewed.clone());
        browser.assert_value(kept, true);
        browser.assert_value("byId('review-result').hidden", false);
    }
    // Lessons work without a new search.
    let side = "SIDES.find((side) => !byId(`learn-${side}`).disabled)";
    browser.evaluate(&format!("byId(`learn-${{{side}}}`).click()"));
    browser.wait_for("lesson.active && Boolean(state.tree.current.described)");
    browser.assert_text("#status", "which lost");
}

#[test]
fn a_lead_that_no_engine_knows_is_counted() {
    let Some(mut browser) = opened("a counted lead") else { return };
    open_for_two_persons(&mut browser);
    browser.evaluate(
        "engine.ask = (request) => Engine.prototype.ask.call(engine, request).then((answer) => ({ ...answer,
            ...(request.do === 'think' ? { lead: null, lines: answer.lines.map((line) => ({ ...line, lead: null })) } : {}) }))",
    );
    browser.click_and_wait("#analyse", "(state.found?.visits ?? 0) > 300");
    browser.click("#analyse");
    browser.assert_text("#rate", "squares");
    browser.assert_text("#curve", "squares counted");
    browser.assert_value("document.querySelector('#best-moves td:nth-child(2)').textContent", "–");
}

#[test]
fn ground_and_lost_squares_are_drawn_and_named() {
    let Some(mut browser) = opened("ground") else { return };
    // Each side walls off a region; c1 is dead.
    open_fen(&mut browser, "q3/****/****/Q*1* w - - 0 1", "state.tree.root.described?.enclosed.length === 1");
    let marks = "['.owner.black', '.owner.white', '.owner.dead', '.moves-left.white']
        .map((name) => document.querySelectorAll(`#board ${name}`).length)";
    browser.assert_value(marks, json!([0, 3, 1, 1]));
    browser.assert_value("document.querySelector('#board .moves-left').textContent", "3");
    browser.assert_text("#squares-legend", "White (rings) 3");
    browser.choose("#squares-shown", "off");
    browser.assert_value(marks, json!([0, 0, 0, 0]));
    // The arrow on b1 shuts Black out of three squares.
    paste(
        &mut browser,
        "q3/2**/1***/1Q2 w - - 0 1 moves b1-c1/b1",
        "state.tree.line().length === 2 && Boolean(state.tree.current.described)",
    );
    browser.evaluate(
        "{ const run = { visits: 1, depth: 1, iterations: 1, seconds: 1, recycled: 0 };
        const [root, node] = state.tree.line(); root.isReviewed = node.isReviewed = true;
        Object.assign(root, { rate: 0.9, found: { best: 'b1-a1/b1', lines: [], lead: 4, ...run }, lead: 4 });
        Object.assign(node, { rate: 0.1, found: { best: null, lines: [], lead: 3, ...run }, lead: -3 }); } 0",
    );
    browser.evaluate("goTo(state.tree.line()[1])");
    browser.wait_for("state.tree.current.reason !== undefined");
    let reason: String = value(&mut browser, "state.tree.current.reason.text()");
    assert!(reason.starts_with("The arrow on b1 shuts you out of "), "{reason}");
    let lost: u64 = value(&mut browser, "state.tree.current.reason.lost.length");
    browser.assert_text("#status", &format!("The arrow on b1 shuts you out of {lost} squares."));
    browser.assert_value("document.querySelectorAll('#board .owner.lost').length", lost);
    // The choice of the squares is for Analyse alone.
    browser.choose("#squares-shown", "moves");
    browser.click_and_wait("#open-play", "playRoom.active && Boolean(state.tree.current.described)");
    browser.assert_value("document.querySelectorAll('#board .owner').length", 0);
}

#[test]
fn a_results_file_shows_its_standing_and_counts_mistakes() {
    let Some(mut browser) = opened_with_axe("a results file") else { return };
    let mut lines = json!({"match": {"players": ["a", "b"]}}).to_string() + "\n";
    for (number, [black, white]) in [["a", "b"], ["b", "a"], ["a", "b"]].into_iter().enumerate() {
        let mut record = game(6, 5);
        (record.black, record.white, record.number) = (black.into(), white.into(), number as u64);
        lines += &(json::write(&record) + "\n");
    }
    let winner = game(6, 5).winner.map(|side| side.to_string());
    paste(&mut browser, &lines, "opened.games.length === 3 && Boolean(state.tree.current.described)");
    browser.assert_text("#status", "3 games opened");
    let wins = if winner.as_deref() == Some("Black") { ["2–1", "1–2"] } else { ["1–2", "2–1"] };
    for score in wins {
        browser.assert_text("#standing", score);
    }
    browser.assert_text("#standing-note", "95 % intervals");
    browser.evaluate("review.seconds = 0.06");
    browser.click_and_wait("#review-all", "collection.run === null && collection.players.size === 2");
    let rows = "[...byId('mistakes').tBodies[0].rows].map(({ cells }) => [cells[0].textContent, cells[1].textContent])";
    browser.assert_value(rows, json!([["a", "3"], ["b", "3"]]));
    let faults = "[...collection.players.values()].flatMap(({ phases }) => phases).flatMap(({ faults }) => faults).reduce((a, b) => a + b)";
    assert!(browser.evaluate(faults).as_u64() > Some(5), "random moves have few faults");
    // The page divides a game into phases as the engine does.
    let positions = game(6, 5).positions();
    let phases: Vec<usize> = positions.iter().rev().skip(1).rev().map(phase_of).collect();
    browser.assert_value("playedIn(state.tree.line()).map(phaseOf)", json!(phases));
    // A score opens a game of its players.
    browser.click_and_wait("#standing button", "Boolean(state.tree.current.described)");
    assert_schemes_accessible(&mut browser, "results");
    browser.choose("#language", "zh");
    browser.resize([360, 740], true);
    browser.wait_for("Boolean(state.tree.current.described)");
    assert_fits(&mut browser, 360, "results");
    assert_translated(&browser.text("#collection"), &["Elo"]);
}

#[test]
fn a_friends_moves_are_texts_checked_by_the_rules() {
    let Some(mut browser) = opened_with_axe("a game with a friend") else { return };
    browser.click_and_wait("#open-friend", "friend.active && Boolean(state.tree.current.described)");
    assert_schemes_accessible(&mut browser, "friend");
    browser.click_and_wait("#friend-new button", "state.tree.root.described?.edge === 8");
    let first: Move = "c1-c5/f5".parse().expect("a move");
    click_move(&mut browser, first);
    browser.wait_for("byId('friend-text').value !== ''");
    let mine: String = value(&mut browser, "byId('friend-text').value");
    assert!(mine.starts_with("Otrera 8x8 move 1: c1-c5/f5 ["), "{mine}");
    browser.assert_value("canMove(state.tree.current)", false);
    // The friend's page, which knows no game: the text begins one, and its player has White.
    browser.click_and_wait("#friend-close", "!friend.active");
    browser.evaluate("localStorage.removeItem('otrera.friend'), friend.game = null");
    paste(
        &mut browser,
        &format!("Hello! {mine}"),
        "friend.active && friend.game.side === 'white' && Boolean(state.tree.current.described)",
    );
    browser.assert_value("[board.flipped, canMove(state.tree.current)]", json!([true, true]));
    click_move(&mut browser, "c8-c6/f6".parse().expect("a move"));
    browser.wait_for("byId('friend-text').value.includes('move 2')");
    let reply: String = value(&mut browser, "byId('friend-text').value");
    let illegal: String = value(
        &mut browser,
        "(() => { const { start, moves } = friend.game; return `Otrera 8x8 move 3: a1-a2/a3 [${checkOf(start, [...moves, 'a1-a2/a3'])}]`; })()",
    );
    for (text, complaint) in [
        (reply.as_str(), "on the board already"),
        (&mine.replace("move 1", "move 9"), "continues no game here"),
        (&format!("{}0]", &reply[..reply.len() - 1]), "continues no game here"),
        (&illegal, "a1"),
        ("c1-c5/f5", "no text of a move"),
    ] {
        browser.evaluate("tell(null)");
        browser.fill("#friend-theirs", text);
        browser.click("#friend-form button");
        browser.wait_for(&format!("byId('status').textContent.includes({complaint:?})"));
        browser.assert_value("friend.game.moves.length", 2);
    }
    // The game survives a reload.
    open(&mut browser, "#friend");
    browser.wait_for("friend.active && friend.game.moves.length === 2");
    // Two games of one player with the same first move.
    for games in [json!([2, 1]), json!([2, 1, 1])] {
        browser.click("#friend-new button");
        browser.wait_for("friend.game.moves.length === 0 && state.tree.root.described?.edge === 8");
        click_move(&mut browser, first);
        browser.wait_for("friend.game.moves.length === 1");
        browser.assert_value("friend.read().map(({ moves }) => moves.length)", games);
    }
    browser.choose("#language", "zh");
    assert_translated(&browser.text("#friend"), &["Otrera", "move"]);
}

#[test]
fn own_mistakes_come_back_as_puzzles() {
    let Some(mut browser) = opened("own mistakes") else { return };
    let blunder = "q2*/****/****/Q3 w - - 0 1 moves a1-b1/c1 a4-b4/a4 b1-a1/b1 b4-c4/b4";
    paste(&mut browser, blunder, "state.tree.line().length === 5 && Boolean(state.tree.current.described)");
    browser.evaluate("review.seconds = 0.1");
    browser.click_and_wait("#review", "!review.active && state.tree.reviewed.length > 1");
    browser.click_and_wait("#keep-black", "ownMistakes.list.length === 1");
    browser.click("#open-puzzles");
    browser.wait_for("puzzles.active && Boolean(state.tree.current.described)");
    browser.assert_text("#own-list", "tomorrow");
    let rest = "ownMistakes.list.map(({ step, due }) => [step, due - dayNumber()])";
    // A right answer lengthens the pause to a week and a month, a wrong one brings the mistake back tomorrow.
    for (mv, wanted) in [
        ("solution", json!([[1, 7]])),
        ("played", json!([[0, 1]])),
        ("solution", json!([[1, 7]])),
        ("solution", json!([[2, 30]])),
        ("solution", json!([])),
    ] {
        browser.evaluate("puzzles.showOwn(ownMistakes.list[0])");
        browser.wait_for("Boolean(state.tree.current.described)");
        browser.evaluate(&format!("play(puzzles.own.{mv})"));
        browser.wait_for("puzzles.verdict !== null");
        browser.assert_value(rest, wanted);
    }
    // Exported mistakes can be read again.
    browser
        .evaluate("globalThis.exported = JSON.stringify({ mistakes: [{ ...puzzles.own }, { fen: 3 }] }), 0");
    browser.evaluate("openText('mistakes', exported)");
    browser.wait_for("ownMistakes.list.length === 1");
    // A number opens a puzzle, with its solver at the bottom.
    browser.fill("#puzzle-number", "7");
    browser.click_and_wait("#puzzle-form button", "puzzles.index === 6 && puzzles.own === null");
    browser.assert_value("board.flipped === (puzzles.tree.first === 'white')", true);
    browser.click_and_wait("#puzzle-analyse", "analyseRoom.active");
    browser.click_and_wait("#open-puzzles", "puzzles.active && puzzles.index === 6");
    // Several moves: the page plays the best reply.
    browser.evaluate(
        "PUZZLES.push({ fen: 'q2*/****/****/Q3 w - - 0 1', line: ['a1-d1/a1', 'a4-b4/a4', 'd1-c1/d1'],
        solution: 'a1-d1/a1', margin: 5, isProven: false, grade: 1 }), puzzles.show(PUZZLES.length - 1)",
    );
    browser.wait_for("Boolean(state.tree.current.described)");
    browser.evaluate("play('a1-d1/a1')");
    browser.wait_for("state.tree.current.ply === 2 && Boolean(state.tree.current.described)");
    browser.assert_text("#status", "Find the next move");
    browser.evaluate("play('d1-c1/d1')");
    browser.wait_for("byId('status').textContent.includes('at least 5 moves')");
    // Three right answers since the wrong one, and this one.
    browser.assert_value("[solvedPuzzles.run, solvedPuzzles.last.at(-1)]", json!([4, true]));
}

#[test]
fn data_of_older_pages_are_taken_over() {
    let Some(mut browser) = opened("data of an older page") else { return };
    let fen = Position::start(size(8)).to_fen();
    let mv = "c1-c5/f5";
    let old_game = json!([{"id": 7, "begun": 0, "players": {"black": "human", "white": "engine"}, "control": {"level": 3}, "ply": 1,
        "record": {"number": 0, "black": "", "white": "Otrera level 3", "start": fen, "winner": null, "moves": [{"move": mv}], "notes": {"1": {"value": 12.5}}}}]);
    browser.evaluate(&format!("localStorage.setItem('otrera.games', JSON.stringify({old_game}))"));
    browser.evaluate("localStorage.setItem('otrera.puzzles', JSON.stringify({ solved: [PUZZLES[3].fen], day: dayNumber() - 1, streak: 5 }))");
    browser.evaluate("for (const [name, value] of [['theme', 'dark'], ['language', 'zh'], ['coach', 'on'], ['coach-limit', '0.2']]) localStorage.setItem(`otrera.${name}`, value)");
    browser.evaluate("sessionStorage.clear()");
    open(&mut browser, "");
    browser.assert_value("[state.tree.root.described.edge, state.tree.line()[1].move, state.control.level, state.tree.line()[1].note.value]", json!([8, mv, 3, 12.5]));
    browser.assert_value(
        "[language, byId('theme').value, coach.active, coach.limit]",
        json!(["zh", "dark", true, 0.2]),
    );
    browser
        .assert_value("[solvedPuzzles.fens.size, solvedPuzzles.days(), solvedPuzzles.run]", json!([1, 5, 0]));
}
