//! Tests of the coach: games without spoilers, warnings, and hints in several steps.

use super::*;

/// Window sizes, one for each layout of the page.
const SIZES: [[u32; 2]; 5] = [[1366, 625], [1280, 900], [1600, 1000], [1024, 1300], [360, 740]];

/// Script that adds the positions and sizes of the page's elements to the set `seen`, in every frame from now on.
const WATCH_PLACES: &str = "scrollTo(0, 0); window.seen = new Set(); (function watch() {
    const parts = [...document.querySelectorAll('main, .card, .card > *, .coach-panel > *, footer')];
    const places = parts.filter((part) => part.offsetParent).map((part) => {
        const { x, y, width, height } = part.getBoundingClientRect();
        return [part.id || part.className, x, y + scrollY, width, height].join(' ').replaceAll(/ spoils| warning/g, '');
    });
    seen.add(places.join('\\n'));
    window.watching = requestAnimationFrame(watch);
})();";

/// Stops [`WATCH_PLACES`]. Fails if an element has moved.
fn assert_nothing_moved(browser: &mut Browser, context: &str) {
    let seen: Vec<String> = value(browser, "cancelAnimationFrame(watching); [...seen]");
    let [first, others @ ..] = &seen[..] else { panic!("{context}: no frame") };
    let changes = others.iter().flat_map(|other| first.lines().zip(other.lines()).filter(|(a, b)| a != b));
    let moved: Vec<_> = changes.collect();
    assert!(moved.is_empty() && others.is_empty(), "{context}: {moved:#?}");
}

/// Starts a [`new_game`] and waits for the human's turn.
fn begin(browser: &mut Browser, control: usize) {
    browser.evaluate("state.tree.isOld = true");
    new_game(browser, control);
    browser.wait_for("state.tree.isOld === undefined");
    wait_for_turn(browser);
}

/// Index in `CONTROLS` of the engine strength "0.2 s a move", at which the page shows interim results of a search.
const SHORT_TIME: usize = 0;

/// An obvious mistake in the 8x8 start position: an amazon retreats into a corner and blocks one of its exits.
const BLUNDER: &str = "a3-a1/b1";

/// Plays [`BLUNDER`] and waits for the coach's warning.
fn blunder(browser: &mut Browser) {
    browser.evaluate(&format!("play('{BLUNDER}')"));
    browser.wait_for("coach.isWarning(state.tree.current)");
}

#[test]
fn game_hides_rates_unless_the_coach_is_on() {
    let Some(mut browser) = opened("a game without spoilers") else { return };
    begin(&mut browser, SHORT_TIME);
    let shown_at_the_end = ["#moves small", "#end-review", "#curve .dot"];
    let spoilers =
        [&shown_at_the_end[..], &["#rate", "#best-moves tbody", ":is(.suggestion, .board-tag)"]].concat();
    let shown = "((selector) => [...document.querySelectorAll(selector)].some((part) => part.checkVisibility({ visibilityProperty: true })))";
    let is_shown =
        |browser: &mut Browser, selector: &str| value::<bool>(browser, &format!("{shown}({selector:?})"));
    browser.evaluate("window.flashes = []; (function look() {
        const seen = ['moves', 'rate', 'curve', 'best-moves'].map(byId).filter((part) => part.checkVisibility({ visibilityProperty: true }));
        const percents = seen.map(({ innerText }) => innerText).join('');
        if (percents.includes('%') || /proven/.test(percents)) flashes.push(percents);
        requestAnimationFrame(look);
    })()");
    for ply in [2, 4] {
        let mv = random_move(&position(&mut browser), &mut Rng::with_seed(ply));
        play_and_wait(&mut browser, mv);
    }
    browser.assert_value("state.tree.line().some(({ rate }) => rate !== null)", true);
    for selector in &spoilers {
        assert!(!is_shown(&mut browser, selector), "{selector}");
    }
    browser.assert_value("flashes", json!([]));
    browser.assert_value("byId('analyse').disabled", true);
    browser.click("#coach");
    browser.assert_value("byId('coach').getAttribute('aria-pressed')", "true");
    browser.click_and_wait("#analyse", "document.querySelectorAll('.suggestion').length > 2");
    for selector in spoilers.into_iter().filter(|&selector| selector != "#end-review") {
        assert!(is_shown(&mut browser, selector), "{selector}");
    }
    // Switching the coach off ends the analysis.
    browser.click_and_wait("#coach", "!state.analysing");
    assert!(!is_shown(&mut browser, ".suggestion"));
    browser.click("#resign");
    browser.click_and_wait("#resign-yes", "Boolean(state.tree.winner())");
    for selector in shown_at_the_end {
        assert!(is_shown(&mut browser, selector), "{selector} after the end");
    }
    // A position without a game hides nothing.
    open_for_two_persons(&mut browser);
    assert!(is_shown(&mut browser, "#analyse"));
}

#[test]
fn layout_stays_while_engine_thinks_or_coach_warns() {
    let Some(mut browser) = opened("the places during a game") else { return };
    browser.evaluate("coach.seconds = 0.3");
    for coach in [false, true] {
        if coach {
            browser.click_and_wait("#coach", "!areRatesHidden()");
        }
        for size in SIZES {
            browser.resize(size, size[0] < 500);
            begin(&mut browser, SHORT_TIME);
            browser.evaluate(WATCH_PLACES);
            if coach {
                blunder(&mut browser);
                // The longest warning.
                browser.evaluate("Object.assign(coach.warning, { loss: 1, reply: 'a10-j10/a10', better: 'a10-j10/a10', next: 'a10-j10/a10' }); draw()");
                let two_frames =
                    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
                browser.evaluate(&format!("{two_frames}.then(() => byId('coach-on').click())"));
            } else {
                browser.evaluate(&format!("play('{BLUNDER}')"));
            }
            browser.wait_for("state.tree.current.ply === 2");
            wait_for_turn(&mut browser);
            browser.evaluate("new Promise(requestAnimationFrame)");
            assert_nothing_moved(&mut browser, &format!("{size:?}, coach {coach}"));
        }
    }
}

#[test]
fn coach_warns_before_the_engine_replies() {
    let Some(mut browser) = opened("the coach") else { return };
    browser.click("#coach");
    begin(&mut browser, FEW_ITERATIONS);
    browser.assert_value("byId('coach-limit').value", "0.1");
    browser.assert_text("#coach-text", "more than 10 %");
    // The coach searches the position in the background up to a time limit; the best moves stay hidden.
    browser.wait_for("searched.get(state.tree.current) > 2.5");
    let visits = browser.evaluate("state.tree.current.found.visits");
    std::thread::sleep(std::time::Duration::from_millis(500));
    browser.assert_value("state.tree.current.found.visits", visits);
    browser.assert_value("byId('best-moves').tBodies[0].rows.length", 0);
    blunder(&mut browser);
    let start = position(&mut browser);
    let said = browser.text("#coach-text");
    let loss: f64 = value(&mut browser, "state.tree.lossOf(state.tree.current)");
    assert!(loss > 0.1 && said.starts_with(&format!("{BLUNDER} loses {:.0} % to ", 100.0 * loss)), "{said}");
    let [better, reply] =
        ["better", "reply"].map(|part| move_in(&mut browser, &format!("coach.warning.{part}")));
    assert!(said.contains(&format!("Better: {better}, after which ")), "{said}");
    assert_eq!(start.check(reply), Ok(()));
    // The button for undo is hidden while the coach offers to take the move back.
    browser.assert_value("getComputedStyle(byId('undo')).visibility", "hidden");
    // Both moves are drawn, each as the flights of an amazon and of an arrow.
    let drawn =
        "['black', 'white'].map((side) => document.querySelectorAll(`#board .suggestion.${side}`).length)";
    browser.assert_value(drawn, json!([2, 2]));
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(browser.evaluate("state.tree.current.ply"), 1, "the engine waits");
    assert!(!browser.text("#status").contains("thinking"));
    browser.click_and_wait("#coach-back", "state.tree.current.ply === 0 && canMove(state.tree.current)");
    browser.assert_value("document.activeElement.getAttribute('role')", "gridcell");
    // The best move brings no warning. Then the same mistake is played on purpose.
    browser.evaluate("play(state.tree.root.found.best)");
    browser.wait_for("state.tree.current.ply === 2");
    wait_for_turn(&mut browser);
    browser.click("#undo");
    wait_for_turn(&mut browser);
    blunder(&mut browser);
    browser.click_and_wait("#coach", "state.tree.current.ply === 2");
    wait_for_turn(&mut browser);
    browser.click("#coach");
    browser.click_and_wait("#undo", "state.tree.current.ply === 0");
    blunder(&mut browser);
    browser.click_and_wait("#coach-on", "state.tree.current.ply === 2");
    browser.assert_text("#coach-text", "more than 10 %");
}

#[test]
fn coach_settings_survive_a_reload_and_apply() {
    let Some(mut browser) = opened("the coach's settings") else { return };
    browser.click("#coach");
    browser.choose("#coach-limit", "0.2");
    open(&mut browser, "");
    let kept = "[coach.active, coach.limit, byId('coach-limit').value, byId('coach-panel').hidden]";
    browser.wait_for("byId('coach-limit').value === '0.2'");
    browser.assert_value(kept, json!([true, 0.2, "0.2", false]));
    begin(&mut browser, FEW_ITERATIONS);
    // With fixed rates instead of searches, a loss of 15 % brings a warning at the limit 10 %, not at 20 %.
    let judge = "(async () => {
        coach.look = async (node) => { node.rate = node.parent ? 0.45 : 0.6; node.visits = Infinity; };
        const { tree } = state;
        tree.root.found = { best: 'd1-d2/d3', lines: [{ move: 'd1-d2/d3', continuation: [] }] };
        const node = tree.play('c1-c2/c3');
        return await coach.holds(node, () => true);
    })()";
    browser.assert_value(judge, false);
    browser.evaluate("interrupt(); state.tree.show(state.tree.root)");
    browser.choose("#coach-limit", "0.1");
    browser.assert_value(judge, true);
    assert_eq!(browser.text("#coach-text"), "c1-c2/c3 loses 15 %. Better: d1-d2/d3.");
    // At the limit 20 %, the move is no mistake any more, and the engine answers.
    browser.choose("#coach-limit", "0.2");
    browser.wait_for("state.tree.current.ply === 2");
    // Puzzles and games of two persons have no coach.
    browser.click_and_wait("#open-puzzles", "puzzles.active");
    browser.assert_value("[byId('coach-panel').hidden, isGame()]", json!([true, false]));
    browser.click("#puzzle-close");
    open_for_two_persons(&mut browser);
    browser.assert_value("byId('coach-panel').hidden", true);
}

#[test]
fn hint_shows_a_move_in_three_steps() {
    let Some(mut browser) = opened("hints in steps") else { return };
    begin(&mut browser, FEW_ITERATIONS);
    let drawn = "['.here', '.suggestion:not(.shot, .here)', '.shot'].map((part) => document.querySelectorAll(`#board ${part}`).length)";
    browser.click_and_wait("#hint", "state.hint?.step === 1");
    let mv = move_in(&mut browser, "state.hint.move");
    let said = browser.text("#status");
    assert!(said.starts_with(&format!("The amazon on {}.", mv.from)) && !said.contains('%'), "{said}");
    browser.assert_value(drawn, json!([1, 0, 0]));
    // Choosing the hint's amazon keeps the hint.
    click_square(&mut browser, mv.from);
    browser.click("#hint");
    let said = browser.text("#status");
    assert!(said.starts_with(&format!("The amazon on {} goes to {}.", mv.from, mv.to)), "{said}");
    browser.assert_value(drawn, json!([0, 1, 0]));
    for _ in 0..2 {
        browser.click("#hint");
        browser.assert_text("#status", &format!("goes to {}; the arrow flies to {}.", mv.to, mv.arrow));
        browser.assert_value(drawn, json!([0, 1, 1]));
    }
    // Choosing another amazon clears the hint.
    let other =
        position(&mut browser).amazons(otrera::Side::Black).into_iter().find(|&square| square != mv.from);
    browser.press("Escape");
    click_square(&mut browser, other.expect("four amazons"));
    browser.assert_value("state.hint", Value::Null);
    browser.click_and_wait("#hint", "state.hint?.step === 1");
}

#[test]
fn coach_is_translated_accessible_and_fits_a_phone() {
    let Some(mut browser) = opened_with_axe("accessibility of the coach") else { return };
    browser.evaluate("coach.seconds = 0.5");
    assert_accessible(&mut browser, "hidden rates");
    browser.click("#coach");
    begin(&mut browser, FEW_ITERATIONS);
    blunder(&mut browser);
    for (language, width) in [("en", 1280), ("zh", 360)] {
        browser.choose("#language", language);
        browser.resize([width, 800], width < 500);
        assert_schemes_accessible(&mut browser, language);
        assert_fits(&mut browser, width, language);
    }
    let said = browser.text(".coach-panel");
    assert!(said.contains("损失"), "{said}");
    assert_translated(&said, &[]);
}
