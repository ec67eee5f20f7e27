//! Tests of the screens: places of the parts at four window sizes, first visit, lesson, clocks, end of a game.

use super::*;

/// JavaScript functions: the box of an element, and texts that are cut without an ellipsis.
const TOOLS: &str = "
    globalThis.box = (selector) => document.querySelector(selector).getBoundingClientRect();
    globalThis.fits = (...selectors) => selectors.every((selector) => {
        const { top, bottom, left, right, height } = box(selector);
        return height > 0 && top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
    });
    globalThis.isBelow = (upper, ...lower) => lower.every((one) => box(one).height > 0 && box(one).top >= box(upper).bottom - 1);
    globalThis.isWhole = (selector) => [...document.querySelectorAll(selector)].every((one) => one.scrollWidth <= one.clientWidth);
    globalThis.isInside = (list, part) => box(part).top >= box(list).top - 1 && box(part).bottom <= box(list).bottom + 1;
    globalThis.isOneScreen = () => document.documentElement.scrollHeight <= innerHeight;
    globalThis.isBeside = (left, ...right) => right.every((one) => box(one).height > 0 && box(one).left >= box(left).right - 1);
    globalThis.cuts = (element) => {
        const { overflowX, textOverflow } = getComputedStyle(element);
        return overflowX === 'hidden' && textOverflow !== 'ellipsis';
    };
    globalThis.textBox = (element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return range.getBoundingClientRect();
    };
    globalThis.cutTexts = () => [...document.querySelectorAll('body *')].filter((element) => {
        const hasText = [...element.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim());
        if (!hasText || !element.checkVisibility() || element.matches('input, select, textarea, .heard')) return false;
        if (cuts(element) && element.scrollWidth > element.clientWidth + 1) return true;
        const { parentElement } = element;
        return cuts(parentElement) && textBox(element).right > parentElement.getBoundingClientRect().right + 1;
    }).map(({ id, className, textContent }) => `${id}.${className}: ${textContent}`), 0";

/// Window size, rooms, and what must hold there.
const MEASURES: [([u32; 2], &str, &str); 34] = [
    (
        [1366, 768],
        "play",
        "fits('#board', '#moves', '.controls', '#curve', '.acts', '#player-top', '#player-low')",
    ),
    ([1366, 768], "end", "fits('#board', '#moves', '#curve', '#result', '#end-review', '#play-again')"),
    ([1366, 768], "door lesson", "fits('#board') && isBeside('#board', '.door:not([hidden])')"),
    ([1366, 768], "door", "fits('#door-learn', '#door-play', '#door-analyse')"),
    ([1366, 768], "door lesson analyse puzzles", "fits('#board') && isOneScreen()"),
    (
        [1366, 768],
        "play end door lesson analyse puzzles",
        "box('#open-door').left === 16 && box('#open-door').top === 0",
    ),
    (
        [1366, 768],
        "analyse",
        "fits('.controls', '#curve', '#moves', '#review') && isInside('#moves', '#moves [aria-current]')",
    ),
    (
        [1280, 720],
        "analyse",
        "isOneScreen() && box('#hint').top === box('#flip').top && isWhole('#best-moves th') && box('#squares-shown').top < box('#analyse').bottom",
    ),
    // The curve can be read, and its bars lie inside the card.
    (
        [1366, 768],
        "analyse",
        "curve.y(0) - curve.y(1) >= 110 && box('#curve svg').bottom <= box('#curve').bottom",
    ),
    ([1920, 1080], "analyse", "curve.y(0) - curve.y(1) >= 170 && fits('#curve', '#moves')"),
    // With the coach, the panel is no higher than the board.
    ([1366, 768], "play", "box('#player-low').bottom <= box('#board').bottom + 1"),
    // The list is lower than at the end of the move.
    ([1366, 768], "end", "isInside('#moves', '#moves [aria-current]')"),
    ([390, 844], "play end door lesson analyse puzzles", "fits('#new-game', '#menu')"),
    ([360, 740], "play end door lesson analyse puzzles", "fits('#new-game', '#menu')"),
    (
        [360, 740],
        "play door lesson analyse",
        "box('.coordinate').height >= 9 && box('.coordinate').height <= 16",
    ),
    (
        [1366, 768],
        "play door lesson analyse puzzles",
        "Math.abs(box('.coordinate').height / box('#board').height - 0.032) < 0.003",
    ),
    ([390, 844], "play end door lesson", "box('#board').top <= 120 && fits('#board')"),
    ([390, 844], "play", "isBelow('#board', '#coach', '#analyse') && fits('#coach', '#analyse', '.acts')"),
    ([390, 844], "end", "fits('#result', '#end-review')"),
    ([390, 844], "analyse", "fits('#board', '.controls', '#analyse', '#best-moves') && isWhole('.scroll-x')"),
    (
        [390, 844],
        "puzzles",
        "fits('#board', '#puzzle-title', '#puzzle-hint', '#puzzle-next', '#puzzle-form')",
    ),
    ([390, 844], "door", "fits('#door-learn', '#door-play', '#door-analyse')"),
    (
        [844, 390],
        "play",
        "fits('#board') && isBeside('#board', '#moves', '#player-low', '.acts') && fits('#player-low')",
    ),
    ([844, 390], "end", "fits('#board', '#result', '#end-review') && isBeside('#board', '#result')"),
    (
        [844, 390],
        "analyse",
        "fits('#board', '#analyse') && isBeside('#board', '.controls', '#best-moves', '#curve', '#moves', '#fen')",
    ),
    (
        [844, 390],
        "puzzles",
        "fits('#board', '#puzzle-hint') && isBeside('#board', '#puzzle-next', '#puzzle-close')",
    ),
    // The longest text of the bar, in its narrowest place.
    (
        [1366, 768],
        "solved",
        "(state.tree.current.proof.margin = 12, draw(), byId('rate').textContent.includes('12'))",
    ),
    ([844, 390], "analyse puzzles", "(scrollTo(0, 400), scrollY > 0 && fits('#board'))"),
    ([844, 390], "door lesson", "fits('#board') && isBeside('#board', '.door:not([hidden])')"),
    // A window of 1366x768 at 200 %, and a small phone on its side.
    (
        [683, 384],
        "play end door lesson analyse puzzles",
        "fits('#board', '#new-game', '#menu') && box('#board').height >= 260",
    ),
    ([667, 375], "play end analyse", "isBeside('#board', '#moves', '.controls', '.acts')"),
    (
        [1920, 1080],
        "play",
        "box('#board').height >= 960 && fits('#board', '#moves', '#curve', '#player-low')",
    ),
    ([1920, 1080], "end", "box('#board').height >= 960 && fits('#board', '#curve', '#end-save')"),
    ([1920, 1080], "door lesson", "box('#board').height >= 900 && fits('#board')"),
];

#[test]
fn every_room_fits_its_screen() {
    let Some(mut browser) = opened_with_axe("the places of the rooms") else { return };
    browser.evaluate(TOOLS);
    start_game(&mut browser);
    play_and_wait(&mut browser, "c1-c5/f5".parse().expect("a move"));
    // Only `otrera gui` shows Match in the header.
    browser.evaluate("coach.seconds = coach.preparation = 0.1; byId('open-match').hidden = false");
    browser.click_and_wait("#coach", "document.querySelector('#curve svg') !== null");
    let rooms = [
        ("play", "0", "playRoom.active"),
        ("end", "resign()", "state.tree.winner() !== null"),
        (
            "analyse",
            "(review.seconds = 0.05, analyseRoom.visit().then(() => review.toggle()))",
            "analyseRoom.active && document.querySelector('#curve .bar-of') !== null && !review.active",
        ),
        ("puzzles", "puzzles.visit()", "puzzles.active && Boolean(state.tree.current.described)"),
        ("solved", "puzzles.show(0), puzzles.solution()", "state.tree.current.proof !== null"),
        ("door", "door.visit()", "door.active && state.half.from !== undefined"),
        ("lesson", "basics.visit()", "basics.active && state.half.from !== undefined"),
    ];
    for (room, enter, entered) in rooms {
        browser.evaluate(&format!("void ({enter})"));
        browser.wait_for(entered);
        for language in ["zh", "en"] {
            browser.choose("#language", language);
            for (size, _, condition) in
                MEASURES.iter().filter(|(_, names, _)| names.split(' ').any(|name| name == room))
            {
                browser.resize(*size, size[0] < 500);
                browser.evaluate("scrollTo(0, 0)");
                let case = format!("{room}, {language}, {size:?}: {condition}");
                assert_eq!(browser.evaluate(condition), true, "{case}");
                assert_eq!(browser.evaluate("cutTexts()"), json!([]), "{case}");
                assert_fits(&mut browser, size[0], &case);
            }
        }
        assert_schemes_accessible(&mut browser, room);
    }
}

#[test]
fn the_end_of_a_game_moves_no_control_and_says_the_result_once() {
    let Some(mut browser) = opened("the screen at the end of a game") else { return };
    browser.evaluate(TOOLS);
    let fen = "q7/8/8/********/********/8/8/Q7 w - - 0 1";
    browser.evaluate(&format!(
        "beginGame(new GameTree({fen:?}), {{ black: 'human', white: 'human' }}, state.control)"
    ));
    for ply in 0..16 {
        browser.wait_for(&format!("state.tree.current.ply === {ply} && canMove(state.tree.current)"));
        let mv = random_move(&position(&mut browser), &mut Rng::with_seed(ply));
        browser.evaluate(&format!("void play('{mv}')"));
    }
    browser.wait_for("state.tree.current.ply === 16 && canMove(state.tree.current)");
    for [width, height] in [[1366, 768], [844, 390], [1920, 1080]] {
        browser.resize([width, height], height < 500);
        browser.evaluate("scrollTo(0, 0)");
        let before = browser.evaluate("[box('#back').left, box('#back').top]");
        browser.evaluate("resign()");
        browser.wait_for("!byId('end-actions').hidden");
        browser.assert_value("[box('#back').left, box('#back').top]", before);
        browser.assert_value(
            "[isInside('#moves', '#moves [aria-current]'), box('#rate').width]",
            json!([true, 0]),
        );
        browser.assert_text("#status", "resigns");
        browser.assert_value("box('#status').height > 20", true);
        // Without another message, the status repeats the result only for screen readers.
        browser.evaluate("settle()");
        browser.wait_for("byId('status').textContent.endsWith('has won.')");
        browser.assert_value("getComputedStyle(byId('status')).clipPath", "inset(50%)");
        browser.click_and_wait("#undo", "state.tree.winner() === null");
    }
    // Analyse has no such result.
    browser.evaluate("resign(); settle()");
    browser.wait_for("byId('status').classList.contains('heard')");
    browser.click_and_wait("#open-analyse", "analyseRoom.active");
    browser.assert_value("getComputedStyle(byId('status')).clipPath", "none");
}

#[test]
fn nothing_is_offered_while_the_engine_loads() {
    let Some(mut browser) = opened("the page before its first room") else { return };
    let offered = "[...document.querySelectorAll('main button, .rate, .card')].filter((part) => part.checkVisibility()).length > 1";
    browser.assert_value(offered, true);
    browser.evaluate("document.body.removeAttribute('data-mode')");
    browser.assert_value(&format!("[{offered}, byId('status').checkVisibility()]"), json!([false, true]));
}

#[test]
fn dialogs_align_their_controls() {
    let Some(mut browser) = opened("the dialogs") else { return };
    browser.evaluate(TOOLS);
    browser.click("#new-game");
    for width in [1366, 390] {
        browser.resize([width, 844], width < 500);
        for row in ["#new-level", "#new-side", "#new-clock", "#new-size"] {
            let widths = format!(
                "new Set([...document.querySelectorAll('{row} .choice')].map(({{ offsetWidth }}) => Math.round(offsetWidth / 3))).size"
            );
            browser.assert_value(&widths, 1);
        }
        browser.assert_value("isWhole('.levels small')", true);
    }
    // The list of strengths is shown if none of its levels is chosen.
    browser.assert_value("byId('control').checkVisibility()", false);
    browser.choose("#control", &FEW_ITERATIONS.to_string());
    browser.click_and_wait("#begin", "state.control.iterations === 1000");
    browser.click("#new-game");
    browser.assert_value("byId('control').checkVisibility()", true);
    browser.press("Escape");
    browser.resize([1366, 768], false);
    // With the height of the choices of `otrera gui`.
    browser.evaluate("for (const id of ['match-side', 'match-size']) byId(id).style.height = '41px'");
    browser.evaluate("byId('match-dialog').showModal()");
    let beside = "[...document.querySelectorAll('#match-dialog label:has(> input:not([type=radio], [type=checkbox]))')]
        .filter((label) => label.lastElementChild.getBoundingClientRect().left > label.getBoundingClientRect().left + 1).length";
    browser.assert_value(beside, 0);
    let split = "[...document.querySelectorAll('#match-dialog label')].filter((label) => label.getClientRects().length > 1).length";
    browser.assert_value(split, 0);
}

#[test]
fn no_text_overprints_the_curve() {
    let Some(mut browser) = opened("the texts of the curve") else { return };
    let shown = "document.querySelectorAll('#curve .proven').length === 3";
    paste(&mut browser, "q3/****/****/Q1** w - - 0 1 moves a1-b1/a1 a4-b4/a4", shown);
    // These rates lead the curve below the text of the proof, if it were at the first point.
    browser.evaluate("void state.tree.line().forEach((node, ply) => { node.rate = [0.9, 0.1, 0.6][ply]; })");
    for width in [1920, 1366, 1180, 607, 390] {
        browser.resize([width, 900], width < 500);
        browser.evaluate("curve.redraw({})");
        let overprints = "[...document.querySelectorAll('#curve svg text')].filter((text) => {
            const box = text.getBBox();
            return [...document.querySelectorAll('#curve path.rates')].some((path) => {
                const length = path.getTotalLength();
                const at = [...Array(400).keys()].map((step) => path.getPointAtLength((step / 399) * length));
                return at.some(({ x, y }) => x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height);
            });
        }).map(({ textContent }) => textContent)";
        assert_eq!(browser.evaluate(overprints), json!([]), "{width}");
        browser.assert_text("#curve .legend", "proven: White wins (+2)");
    }
}

#[test]
fn landing_squares_are_green_and_targets_of_the_arrow_red() {
    let Some(mut browser) = opened("the colours of the squares") else { return };
    start_game(&mut browser);
    let shade = "(() => { const [red, green] = getComputedStyle(squares.cells.get('c3')).backgroundImage.match(/\\d+/g).map(Number);
        return Math.sign(green - red); })()";
    click_square(&mut browser, "c1");
    browser.assert_value(shade, 1);
    click_square(&mut browser, "c5");
    browser.assert_value(shade, -1);
}

#[test]
fn a_first_visit_begins_at_the_door_and_a_game_takes_three_clicks() {
    let Some(mut browser) = opened("the first visit") else { return };
    browser.evaluate(
        "localStorage.clear(), sessionStorage.clear(), removeEventListener('pagehide', recent.keep)",
    );
    browser.evaluate("state.tree.id = null");
    open(&mut browser, "");
    browser.assert_value("[door.active, byId('door').hidden, state.tree.id]", json!([true, false, null]));
    // The way back from another room leads to a game against Otrera.
    browser.click_and_wait("#open-puzzles", "puzzles.active");
    browser.click_and_wait("#puzzle-close", "playRoom.active && canMove(state.tree.current)");
    browser.assert_value("[state.players.white, recent.read().length]", json!(["engine", 0]));
    browser.click_and_wait("#open-door", "door.active");
    browser.click("#door-play");
    browser.click("#new-level input[value='1']");
    browser.click_and_wait("#begin", "playRoom.active && canMove(state.tree.current)");
    browser.assert_value("[state.control, recent.read().length]", json!([{"level": 1}, 1]));
    // A returning player finds the game, also after a visit to the door.
    browser.click_and_wait("#open-door", "door.active");
    browser.click_and_wait("#open-play", "playRoom.active");
    browser.assert_value("state.control", json!({"level": 1}));
    open(&mut browser, "");
    browser.assert_value("[playRoom.active, state.control]", json!([true, {"level": 1}]));
}

#[test]
fn the_reader_plays_every_step_of_the_lesson() {
    let Some(mut browser) = opened("the lesson") else { return };
    browser.evaluate("door.visit()");
    browser.wait_for("state.half.from === 'b1'");
    let step = "[basics.step, byId('basics-next').hidden, byId('basics-play').hidden]";
    // The first landing on the door's board opens the lesson.
    click_square(&mut browser, "b4");
    browser.wait_for("basics.active");
    browser.assert_value(&format!("[location.hash, ...{step}]"), json!(["#lesson", 1, true, true]));
    click_square(&mut browser, "e4");
    browser.wait_for("!byId('basics-next').hidden");
    browser.click_and_wait("#basics-next", "basics.step === 2 && canMove(state.tree.current)");
    for (squares, outcome) in [(["c2", "b2", "b3"], false), (["c2", "d3", "f5"], true)] {
        squares.iter().for_each(|square| click_square(&mut browser, square));
        browser.wait_for("state.tree.current.ply === 1 && state.tree.current.described !== null");
        browser.assert_value("basics.outcome(state.tree.current)", outcome);
        if !outcome {
            browser.click_and_wait("#basics-again", "canMove(state.tree.current)");
        }
    }
    browser.click_and_wait("#basics-next", "basics.step === 3 && canMove(state.tree.current)");
    // Moves that waste squares lose; others win.
    for (moves, outcome) in
        [(&["a1-a2/b2", "a2-a3/a2"][..], false), (&["a1-b1/a1", "b1-a2/b1", "a2-a3/a2"], true)]
    {
        for mv in moves {
            browser.evaluate(&format!("void play('{mv}')"));
            browser.wait_for("canMove(state.tree.current) || Boolean(state.tree.current.described?.winner)");
        }
        browser.assert_value("basics.outcome(state.tree.current)", outcome);
        if !outcome {
            browser.click_and_wait("#basics-again", "canMove(state.tree.current)");
        }
    }
    browser.click("#basics-play");
    browser.assert_value("byId('new-game-dialog').open", true);
    assert_eq!(browser.evaluate("recent.read().some(({ record }) => record.start.startsWith('4q1'))"), false);
}

#[test]
fn a_persons_time_can_run_out_and_clocks_survive_a_reload() {
    let Some(mut browser) = opened("the clocks of a game") else { return };
    browser.click("#new-game");
    browser.click("#new-clock input[value='5']");
    browser.choose("#control", &FEW_ITERATIONS.to_string());
    browser.click_and_wait("#begin", "state.tree.clock?.limit === 300 && canMove(state.tree.current)");
    browser.assert_value(
        "['black', 'white'].map((side) => byId(`clock-${side}`).textContent)",
        json!(["5:00", "0:00"]),
    );
    assert_eq!(browser.evaluate("players.running()"), Value::Null, "the first move starts the clocks");
    play_and_wait(&mut browser, "d1-d7/g7".parse().expect("a move"));
    browser.wait_for("players.running() === 'black' && state.tree.clock.used.black > 0.2");
    open(&mut browser, "");
    browser.assert_value("state.tree.clock.used.black > 0.2 && state.tree.clock.limit === 300", true);
    browser.evaluate("state.tree.clock.used.black = 299.9, 0");
    browser.wait_for("state.tree.winner() === 'white'");
    browser.assert_text("#status", "Black's time has run out");
    assert_eq!(browser.text("#result"), "White wins");
    // The loss survives a reload; taken back, the game goes on without a limit.
    browser.wait_for("recent.read()[0].record.winner === 'white'");
    open(&mut browser, "");
    assert_eq!(browser.text("#result"), "White wins");
    browser.click_and_wait("#undo", "canMove(state.tree.current)");
    browser.assert_value("[state.tree.winner(), state.tree.clock.limit]", json!([null, null]));
}

#[test]
fn the_end_of_a_game_offers_review_another_game_and_a_file() {
    let Some(mut browser) = opened("the end of a game") else { return };
    start_game(&mut browser);
    play_and_wait(&mut browser, "c1-c5/f5".parse().expect("a move"));
    browser.evaluate("resign()");
    browser.wait_for("!byId('end-actions').hidden");
    browser.assert_text("#decided", "Squares reached first: Black ");
    browser.evaluate("review.seconds = 0.05, 0");
    browser.click_and_wait("#end-review", "analyseRoom.active && state.tree.reviewed.length === 3");
    browser.click_and_wait("#open-play", "playRoom.active && state.tree.winner() === 'white'");
    browser.click_and_wait("#play-same", "state.tree.line().length === 1 && canMove(state.tree.current)");
    browser.assert_value("state.players", json!({"black": "human", "white": "engine"}));
}
