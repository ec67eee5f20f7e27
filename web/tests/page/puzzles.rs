//! Tests of puzzles: tries, hints, solutions, the puzzle of the day, and the progress stored between visits.

use super::*;

/// Opens the first puzzle, which is proven, whatever the day's puzzle is.
fn open_puzzles(browser: &mut Browser) {
    browser.evaluate("puzzles.today = () => 0, 0");
    browser.click_and_wait("#open-puzzles", "puzzles.active && Boolean(state.tree.current.described)");
}

fn wait_for_status(browser: &mut Browser, text: &str) {
    browser.wait_for(&format!("byId('status').textContent.includes({text:?})"));
}

#[test]
fn wrong_move_is_refuted_and_right_one_confirmed() {
    let Some(mut browser) = opened("a puzzle in the page") else { return };
    let game = position(&mut browser);
    open_puzzles(&mut browser);
    let start = position(&mut browser);
    browser.assert_text("#status", "only move that keeps the win");
    let solution = move_in(&mut browser, "puzzles.puzzle.solution");
    // Each part of the move counts: another arrow, another landing square, and another amazon lose.
    let others = || start.legal_moves().filter(|&mv| mv != solution);
    let other_amazon = others().find(|mv| mv.from != solution.from);
    let other_landing = others().find(|mv| mv.from == solution.from && mv.to != solution.to);
    let other_arrow = others().find(|mv| (mv.from, mv.to) == (solution.from, solution.to));
    for wrong in [other_arrow, other_landing].into_iter().flatten() {
        click_move(&mut browser, wrong);
        wait_for_status(&mut browser, &format!("{wrong} loses."));
        browser.click("#puzzle-again");
    }
    assert!(browser.text("#puzzle-kept").starts_with("0 of "), "{}", browser.text("#puzzle-kept"));
    let wrong = other_amazon.or(other_landing).or(other_arrow).expect("there are many");
    click_move(&mut browser, wrong);
    wait_for_status(&mut browser, &format!("{wrong} loses. {} answers", start.side().opponent()));
    let reply = move_in(&mut browser, "state.hint.move");
    assert_eq!(start.with_move(wrong).check(reply), Ok(()));
    browser.click("#puzzle-again");
    assert_eq!(browser.board(), expected(&start));
    browser.click("#puzzle-hint");
    wait_for_status(&mut browser, &format!("amazon on {} moves", solution.from));
    browser.click("#puzzle-hint");
    wait_for_status(&mut browser, &format!("goes to {}", solution.to));
    click_square(&mut browser, solution.arrow);
    wait_for_status(&mut browser, &format!("Right: with {solution} {} wins (+", start.side()));
    assert!(browser.text("#puzzle-kept").starts_with("1 of "), "{}", browser.text("#puzzle-kept"));
    // A wrong try ends both streaks.
    browser.assert_text("#puzzle-kept", "in a row: 0");
    browser.assert_value("[solvedPuzzles.days(), solvedPuzzles.last]", json!([0, [false]]));
    browser.assert_value("document.querySelectorAll('#board .verdict.right').length", 1);
    browser.click_and_wait("#puzzle-close", "!puzzles.active");
    assert_eq!(position(&mut browser), game);
    browser.assert_value("[byId('puzzle').hidden, state.players.white]", json!([true, "engine"]));
    open(&mut browser, "");
    open_puzzles(&mut browser);
    assert!(browser.text("#puzzle-kept").starts_with("1 of "), "solved puzzles are lost");
}

#[test]
fn another_arrow_of_the_right_movement_is_wrong() {
    let Some(mut browser) = opened("the arrow of a puzzle") else { return };
    open_puzzles(&mut browser);
    // Not every puzzle has another arrow.
    let (start, wrong) = loop {
        let start = position(&mut browser);
        let solution = move_in(&mut browser, "puzzles.puzzle.solution");
        let mut others = start.legal_moves().filter(|mv| (mv.from, mv.to) == (solution.from, solution.to));
        if let Some(wrong) = others.find(|mv| mv.arrow != solution.arrow) {
            break (start, wrong);
        }
        browser.click_and_wait("#puzzle-next", "Boolean(state.tree.current.described)");
    };
    click_move(&mut browser, wrong);
    wait_for_status(&mut browser, &format!("{wrong} loses."));
    assert!(browser.text("#puzzle-kept").starts_with("0 of "), "{}", browser.text("#puzzle-kept"));
    browser.click("#puzzle-again");
    assert_eq!(browser.board(), expected(&start));
}

#[test]
fn a_puzzle_of_several_moves_is_solved_to_its_end() {
    let Some(mut browser) = opened("a puzzle of several moves") else { return };
    open_puzzles(&mut browser);
    browser.evaluate("puzzles.show(PUZZLES.findIndex(({ line }) => line.length > 1)), 0");
    browser.wait_for("canMove(state.tree.current)");
    browser.assert_text("#status", "only move that keeps the lead");
    let line: Vec<String> = value(&mut browser, "puzzles.puzzle.line");
    for (ply, mv) in line.iter().enumerate().step_by(2) {
        browser.wait_for(&format!("state.tree.current.ply === {ply} && canMove(state.tree.current)"));
        click_move(&mut browser, mv.parse().expect("a move"));
    }
    wait_for_status(&mut browser, "Right: every other move loses at least");
    assert!(browser.text("#puzzle-kept").starts_with("1 of "), "{}", browser.text("#puzzle-kept"));
    browser.assert_value("state.tree.movesTo(state.tree.current)", json!(line));
}

#[test]
fn shown_solution_does_not_count_as_solved() {
    let Some(mut browser) = opened("the solution of a puzzle") else { return };
    open_puzzles(&mut browser);
    let fen = browser.evaluate("puzzles.puzzle.fen");
    browser.click("#puzzle-solution");
    wait_for_status(&mut browser, "Right: with");
    assert!(browser.text("#puzzle-kept").starts_with("0 of "), "{}", browser.text("#puzzle-kept"));
    browser.click_and_wait("#puzzle-analyse", "!puzzles.active && state.analysing && state.found !== null");
    browser.assert_value("[state.tree.start, byId('puzzle').hidden]", json!([fen, true]));
    // A new game also ends a puzzle.
    open_puzzles(&mut browser);
    new_game(&mut browser, FEW_ITERATIONS);
    browser.wait_for("!puzzles.active && byId('puzzle').hidden");
}

#[test]
fn every_puzzle_gets_its_day_and_grades_filter() {
    let Some(mut browser) = opened("the puzzle of the day") else { return };
    let days = "new Set([...PUZZLES.keys()].map((day) => (day * DAY_STEP) % PUZZLES.length)).size === PUZZLES.length";
    browser.assert_value(days, true);
    // Days change at local midnight.
    let day = "dayNumber(new Date(2027, 0, 1, 23, 59)) - dayNumber(new Date(2026, 11, 31, 0, 1))";
    browser.assert_value(day, 1);
    open_puzzles(&mut browser);
    for grade in ["1", "2", "3"] {
        browser.choose("#puzzle-grade", grade);
        for button in ["#puzzle-next", "#puzzle-random"] {
            browser.click_and_wait(button, "puzzles.active && Boolean(state.tree.current.described)");
            assert_eq!(browser.evaluate("String(puzzles.puzzle.grade)"), grade, "{button}");
        }
    }
    // Solved puzzles are skipped while unsolved ones are left.
    let left = "(() => { const { index } = puzzles; solvedPuzzles.fens = new Set(PUZZLES.map(({ fen }) => fen));
        solvedPuzzles.fens.delete(puzzles.puzzle.fen); puzzles.next(); puzzles.next(); return puzzles.index === index; })()";
    browser.assert_value(left, true);
}

#[test]
fn streak_counts_days_and_ignores_broken_entries() {
    let Some(mut browser) = opened("the streak of daily puzzles") else { return };
    let streak = |browser: &mut Browser, kept: &str| {
        let read = "solvedPuzzles.read(), [solvedPuzzles.fens.size, solvedPuzzles.days()]";
        browser.evaluate(&format!("localStorage.setItem('otrera.puzzles', {kept}), {read}"))
    };
    let kept = |day: &str, streak: &str| {
        format!(
            "JSON.stringify({{ solved: [PUZZLES[0].fen, 'no puzzle', 3], day: {day}, streak: {streak} }})"
        )
    };
    for (kept, wanted) in [
        (kept("dayNumber()", "4"), [1, 4]),
        (kept("dayNumber() - 1", "4"), [1, 4]),
        (kept("dayNumber() - 2", "4"), [1, 0]),
        (kept("dayNumber() + 9", "4"), [1, 0]),
        (kept("'x'", "4"), [1, 0]),
        (kept("dayNumber()", "-4"), [1, 0]),
        ("'{\"solved\":7}'".to_owned(), [0, 0]),
        ("'null'".to_owned(), [0, 0]),
        ("'{'".to_owned(), [0, 0]),
    ] {
        assert_eq!(streak(&mut browser, &kept), json!(wanted), "{kept}");
    }
    for (kept, wanted) in [(kept("dayNumber() - 1", "4"), 5), (kept("dayNumber() - 2", "4"), 1)] {
        streak(&mut browser, &kept);
        let again =
            "solvedPuzzles.add(PUZZLES[1], true), solvedPuzzles.add(PUZZLES[2], true), solvedPuzzles.days()";
        assert_eq!(browser.evaluate(again), wanted, "{kept}");
    }
}

#[test]
fn closing_a_puzzle_after_analysis_restores_the_game() {
    let Some(mut browser) = opened("the way back from a puzzle") else { return };
    browser.evaluate("globalThis.before = state.tree; 0");
    open_puzzles(&mut browser);
    browser.click_and_wait("#puzzle-analyse", "!puzzles.active");
    open_puzzles(&mut browser);
    browser.click_and_wait("#puzzle-close", "state.tree === before");
}

#[test]
fn puzzle_is_translated_accessible_and_fits_a_phone() {
    let Some(mut browser) = opened_with_axe("accessibility of a puzzle") else { return };
    open_puzzles(&mut browser);
    let fen = browser.evaluate("puzzles.puzzle.fen");
    for (language, width) in [("en", 1280), ("zh", 360)] {
        browser.choose("#language", language);
        browser.resize([width, 800], width < 500);
        browser.click_and_wait("#puzzle-today", "Boolean(state.tree.current.described)");
        browser.assert_value("state.tree.start", fen.clone());
        browser.evaluate("play(puzzles.puzzle.solution)");
        browser
            .wait_for("Boolean(state.tree.current.found) && state.message.match(/[a-j][0-9]/g).length > 3");
        assert_schemes_accessible(&mut browser, language);
        assert_fits(&mut browser, width, language);
    }
    assert_translated(&(browser.text("#puzzle") + &browser.text("#status")), &["Otrera"]);
}
