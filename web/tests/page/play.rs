//! Tests of playing: layout, games from any position, ends of games, stored games, rules.

use super::*;

/// JavaScript expression that lists overlapping visible elements, and buttons that are too narrow for their text.
const OVERLAPS: &str = "(() => {
    const seen = [...document.querySelectorAll('button, select, input, h2, #board, #status, #rate, #ply')]
        .filter((element) => element.offsetParent && !element.closest('.scroll-x, .moves'));
    const boxes = seen.map((element) => element.getBoundingClientRect());
    const cover = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const pairs = boxes.flatMap((box, index) => boxes.slice(index + 1).flatMap((other, offset) =>
        cover(box, other) ? [`${seen[index].id} covers ${seen[index + 1 + offset].id}`] : []));
    const tight = seen.filter((element) => element.matches('button') && element.scrollWidth > element.clientWidth);
    return [...pairs, ...tight.map(({ id }) => `${id} is too narrow`)];
})()";

#[test]
fn board_fills_the_height_and_nothing_overlaps() {
    let Some(mut browser) = opened("the layout of the page") else { return };
    for language in ["en", "zh"] {
        browser.choose("#language", language);
        for ([width, height], smallest) in [
            ([360, 740], 310.0),
            ([900, 700], 310.0),
            ([960, 600], 250.0),
            ([1100, 800], 410.0),
            ([1100, 700], 390.0),
            ([1280, 900], 570.0),
            ([1366, 625], 510.0),
            ([1920, 1080], 940.0),
        ] {
            browser.resize([width, height], width < 500);
            let case = format!("{language}, {width}x{height}");
            browser.evaluate("scrollTo(0, 0)");
            let box_of_board =
                "(({ bottom, height }) => [bottom, height])(byId('board').getBoundingClientRect())";
            let [bottom, side]: [f64; 2] = value(&mut browser, box_of_board);
            assert!(side >= smallest, "{case}: the board has {side} pixels");
            assert!(bottom <= f64::from(height), "{case}: the board ends at {bottom}");
            assert_eq!(browser.evaluate(OVERLAPS), json!([]), "{case}");
            assert_fits(&mut browser, width, &case);
        }
    }
}

/// Starts a game from the position shown. `side` is what a person plays: "black", "white" or "both".
fn play_here(browser: &mut Browser, side: &str) {
    browser.click("#play-here");
    browser.click(&format!("#new-side input[value='{side}']"));
    browser.choose("#control", &FEW_ITERATIONS.to_string());
    browser.click_and_wait("#begin", "state.tree.begun !== null && !byId('new-game-dialog').open");
}

#[test]
fn game_can_start_from_any_position() {
    let Some(mut browser) = opened("a game from a position") else { return };
    let record = game(8, 4);
    let moves = texts(&record.moves);
    paste(&mut browser, &moves.join(" "), GAME_SHOWN);
    browser.evaluate("goTo(state.tree.line()[3])");
    assert_eq!(position(&mut browser), record.positions()[3]);
    browser.click("#play-here");
    browser.assert_value("byId('new-board').hidden", true);
    assert_eq!(browser.text("#new-from"), "From this position: White to move.");
    browser.press("Escape");
    browser.wait_for("!byId('new-game-dialog').open");
    assert_eq!(browser.evaluate("state.tree.begun"), Value::Null, "Escape started a game");
    play_here(&mut browser, "black");
    browser.wait_for("state.tree.current.ply === 4");
    wait_for_turn(&mut browser);
    let shown = "[state.tree.movesTo(state.tree.line()[3]), state.tree.begun, state.tree.line().length]";
    browser.assert_value(shown, json!([moves[..3], 3, 5]));
    assert_eq!(browser.evaluate("byId('undo').disabled"), true, "the game began with Otrera's move");
    browser.evaluate("step(-3)");
    assert_eq!(position(&mut browser), record.positions()[1]);
    // With Black to move in a FEN, the engine plays Black and answers every move.
    open_fen(&mut browser, &record.positions()[4].to_fen(), NEW_POSITION);
    play_here(&mut browser, "white");
    browser.wait_for("state.tree.current.ply === 1");
    wait_for_turn(&mut browser);
    let mv = random_move(&position(&mut browser), &mut Rng::with_seed(3));
    play_and_wait(&mut browser, mv);
    browser.click("#new-game");
    browser.assert_value("[byId('new-board').hidden, byId('new-from').hidden]", json!([false, true]));
}

/// JavaScript condition that is true once a position without a game is shown.
const NEW_POSITION: &str = "state.tree.begun === null && Boolean(state.tree.current.described)";

/// A lost position: Black is to move and has one move left; White is walled off and has three.
const DECIDED: &str = "q3/****/****/Q1** w - - 0 1";

/// Starts a game from [`DECIDED`], as Black against the engine.
fn play_decided(browser: &mut Browser) {
    open_fen(browser, DECIDED, "state.tree.current.described?.edge === 4");
    assert_eq!(browser.evaluate("byId('ending').hidden"), true, "no game has started");
    play_here(browser, "black");
    wait_for_turn(browser);
}

#[test]
fn decided_game_is_filled_and_replayed_with_swapped_colours() {
    let Some(mut browser) = opened("the end of a game") else { return };
    play_decided(&mut browser);
    assert_eq!(browser.text("#decided"), "White is certain to win by at least 2 moves.");
    browser.click_and_wait("#fill", "Boolean(state.tree.current.described?.winner) && !ending.isFilling");
    browser.assert_text("#status", "White has won");
    assert_eq!(browser.text("#result"), "White wins by at least 2 moves");
    browser.assert_text("#decided", "Squares reached first: Black 0, White 2");
    browser.assert_value("byId('fill').hidden", true);
    browser.click("#play-again");
    browser.wait_for("state.tree.line().length === 2 && Boolean(state.tree.current.described)");
    browser.assert_value("state.tree.start.split(' ')[0]", DECIDED.split(' ').next());
    let swapped = json!([{"black": "engine", "white": "human"}, true]);
    browser.assert_value("[state.players, board.flipped]", swapped);
}

#[test]
fn filling_is_offered_once_and_can_be_stopped() {
    let Some(mut browser) = opened("filling the rest") else { return };
    play_decided(&mut browser);
    browser.assert_value("byId('fill').hidden", false);
    // The person plays on, so filling is not offered again.
    browser.evaluate("goTo(state.tree.root)");
    open_fen(&mut browser, "q3/4/****/Q3 w - - 0 1", NEW_POSITION);
    play_here(&mut browser, "black");
    wait_for_turn(&mut browser);
    browser.wait_for("!byId('fill').hidden");
    let mv = random_move(&position(&mut browser), &mut Rng::with_seed(1));
    play_and_wait(&mut browser, mv);
    browser.assert_value("[byId('fill').hidden, byId('decided').textContent !== '']", json!([true, true]));
    browser.click_and_wait("#undo", "state.tree.current.ply === 0");
    // A slow engine is stopped before the end.
    browser.evaluate("engine.ask = (request) => new Promise((resolve) => setTimeout(resolve, request.do === 'think' ? 300 : 0)).then(() => Engine.prototype.ask.call(engine, request))");
    open_fen(&mut browser, "q3/4/****/Q3 w - - 0 1", NEW_POSITION);
    play_here(&mut browser, "black");
    browser.wait_for("!byId('fill').hidden");
    browser.click_and_wait("#fill", "ending.isFilling && state.tree.current.ply === 2");
    assert_eq!(browser.text("#fill"), "Stop");
    browser.click("#fill");
    browser.assert_value("ending.isFilling || Boolean(state.tree.current.described?.winner)", false);
}

#[test]
fn resigning_asks_for_confirmation() {
    let Some(mut browser) = opened("resignation") else { return };
    start_game(&mut browser);
    for refusal in ["Escape", "Enter"] {
        browser.click_and_wait("#resign", "byId('resign-dialog').open");
        match refusal {
            "Escape" => browser.press(refusal),
            _ => browser.click("#resign-dialog .main"),
        }
        browser.wait_for("!byId('resign-dialog').open");
        browser.assert_value("[state.tree.current.winner, byId('resign').disabled]", json!([null, false]));
    }
    browser.click("#resign");
    browser.click("#resign-yes");
    browser.wait_for("state.tree.current.winner === 'white' && !byId('play-again').hidden");
    browser.click_and_wait("#play-again", "state.players.black === 'engine' && state.tree.current.ply === 1");
}

/// Index in `CONTROLS` of the engine strength "1 s a move", which an interruption ends after 0.1 s.
const ONE_SECOND: usize = 1;

#[test]
fn answers_for_an_older_position_are_dropped() {
    let Some(mut browser) = opened("late answers") else { return };
    new_game(&mut browser, ONE_SECOND);
    wait_for_turn(&mut browser);
    // The engine's move, after a take-back during its search.
    browser.evaluate("play('c1-c5/f5'), 0");
    browser.wait_for("state.searches === 1");
    browser.click("#undo");
    browser.wait_for("state.tree.current.ply === 0 && state.searches === 0");
    browser.assert_value("[state.tree.current.ply, state.tree.line().length]", json!([0, 2]));
    browser.assert_value("state.tree.root.children.length", 1);
    // A typed move, its hint, and a search for the position before, all answered after another move.
    open_for_two_persons(&mut browser);
    let late = "const { ask } = Engine.prototype; const held = new Promise((resolve) => { window.release = resolve; });
        engine.ask = async (request) => { delete engine.ask; const answer = await ask.call(engine, request); await held; return answer; };";
    for request in ["playTyped('c1-c5/f5')", "hint()", "toggleAnalysis(), Promise.resolve()"] {
        browser.wait_for("state.searches === 0 && Boolean(state.tree.root.described)");
        // One call, so that nothing happens between the steps.
        browser.evaluate(&format!(
            "(() => {{ interrupt(); state.analysing = false; delete state.tree.root.found; goTo(state.tree.root);
            state.tree.root.children.length = 0; {late} window.asked = {request}; state.analysing = false; play('c1-c2/c3'); }})()"
        ));
        let after = "(async () => { release(); await asked; await new Promise((done) => setTimeout(done)); const { root, current } = state.tree;
            return [root.children.map(({ move }) => move), current.move, state.hint, state.found]; })()";
        browser.assert_value(after, json!([["c1-c2/c3"], "c1-c2/c3", null, null]));
    }
}

/// JavaScript expression for the state of a game that must survive a reload.
const KEPT: &str = "[state.players, state.control, state.tree.current.ply, state.tree.begun, board.flipped,
    state.tree.movesTo(state.tree.current), state.tree.line().length, state.tree.root.children.map(({ move }) => move).sort()]";

/// Waits until the browser has stored the current moves of the game.
fn wait_until_kept(browser: &mut Browser) {
    browser.wait_for(
        "(() => { const [game] = recent.read(); return game?.ply === state.tree.current.ply
            && JSON.stringify(game.record.moves) === JSON.stringify(state.tree.toRecord().moves); })()",
    );
}

#[test]
fn game_and_variations_survive_a_reload() {
    let Some(mut browser) = opened("a game after a reload") else { return };
    start_game(&mut browser);
    for mv in ["c1-c5/f5", "c1-c6/f6"] {
        play_and_wait(&mut browser, mv.parse().expect("a move"));
        browser.click_and_wait("#undo", "state.tree.current.ply === 0");
    }
    browser.click("#forward");
    wait_until_kept(&mut browser);
    let before = browser.evaluate(KEPT);
    let shown = position(&mut browser);
    open(&mut browser, "");
    browser.assert_value(KEPT, before);
    assert_eq!(position(&mut browser), shown);
    // The game continues. A link in the address has priority over the stored game.
    browser.click("#to-end");
    wait_for_turn(&mut browser);
    let mv = random_move(&position(&mut browser), &mut Rng::with_seed(5));
    play_and_wait(&mut browser, mv);
    wait_until_kept(&mut browser);
    open(&mut browser, "#fen=1qq1/q2q/Q2Q/1QQ1+w+-+-+0+1");
    browser.assert_value("state.tree.current.described.edge", 4);
    open(&mut browser, "");
    browser.assert_value("[state.tree.current.ply, recent.read().length]", json!([4, 1]));
    // A resignation survives a reload and can be taken back.
    browser.evaluate("resign()");
    browser.wait_for("recent.read()[0].record.winner === 'white'");
    open(&mut browser, "");
    browser.assert_value("state.tree.current.winner", "white");
    browser.click("#undo");
    browser.assert_value("[state.tree.current.winner, state.tree.current.ply]", json!([null, 4]));
}

#[test]
fn game_continued_in_two_tabs_is_stored_twice() {
    let Some(mut browser) = opened("a game in two tabs") else { return };
    start_game(&mut browser);
    play_and_wait(&mut browser, "c1-c5/f5".parse().expect("a move"));
    wait_until_kept(&mut browser);
    let changed = "(() => { const games = recent.read(); games[0].ply = 0; recent.write(games); return games.length; })()";
    let kept: u64 = value(&mut browser, changed);
    browser.evaluate("step(-1)");
    browser.wait_for(&format!("recent.read().length === {}", kept + 1));
    // The next change updates this tab's copy.
    browser.evaluate("step(1)");
    wait_until_kept(&mut browser);
    browser.assert_value("recent.read().length", kept + 1);
}

#[test]
fn broken_link_does_not_stop_the_engine() {
    let Some(mut browser) = opened("a broken link in a game") else { return };
    // One second a move: the link opens while Otrera thinks.
    new_game(&mut browser, 1);
    wait_for_turn(&mut browser);
    click_move(&mut browser, "c1-c5/f5".parse().expect("a move"));
    browser.wait_for("state.tree.current.ply === 1");
    browser.evaluate("location.hash = 'fen=xx'");
    browser.wait_for("state.tree.current.ply === 2");
}

#[test]
fn puzzle_does_not_replace_the_stored_game() {
    let Some(mut browser) = opened("a puzzle and the kept game") else { return };
    open_fen(&mut browser, DECIDED, "state.tree.current.described?.edge === 4");
    play_here(&mut browser, "both");
    browser.evaluate("play('a1-b1/a1')");
    wait_until_kept(&mut browser);
    let kept = browser.evaluate("settings.get('games')");
    browser.click_and_wait("#open-puzzles", "puzzles.active && Boolean(state.tree.current.described)");
    browser.evaluate("play(puzzles.puzzle.solution)");
    browser.wait_for("Boolean(state.tree.current.described)");
    browser.click("#puzzle-again");
    browser.assert_value("settings.get('games')", kept);
    open(&mut browser, "");
    let shown = "[state.tree.movesTo(state.tree.current), puzzles.active]";
    browser.assert_value(shown, json!([["a1-b1/a1"], false]));
}

#[test]
fn recent_games_are_listed_opened_and_deleted() {
    let Some(mut browser) = opened("recent games") else { return };
    let [first, second] = [1, 2].map(|seed| game(4, seed));
    for record in [&first, &second] {
        let fen = record.start.to_fen();
        open_fen(&mut browser, &fen, "state.tree.current.described?.edge === 4 && state.tree.begun === null");
        play_here(&mut browser, "both");
        for played in &record.moves {
            browser.evaluate(&format!("play('{}')", played.mv));
        }
        browser.wait_for("Boolean(state.tree.current.described)");
        wait_until_kept(&mut browser);
    }
    let list = "[...document.querySelectorAll('#recent-list .kept')].map((button) => button.textContent)";
    browser.click("#open-recent");
    let [_, text]: [String; 2] = value(&mut browser, list);
    for part in [
        "Black – White",
        &format!("{} moves", first.moves.len()),
        &format!("{} has won", first.winner.expect("a winner")),
    ] {
        assert!(text.contains(part), "{text}: {part}");
    }
    browser.click("#recent-list li:nth-child(2) .kept");
    browser.wait_for("!byId('recent-dialog').open && Boolean(state.tree.current.described)");
    let moves = texts(&first.moves);
    browser.wait_for(&format!("String(state.tree.movesTo(state.tree.current)) === '{}'", moves.join(",")));
    // The opened game becomes the newest; then the other one is deleted.
    wait_until_kept(&mut browser);
    browser.click("#open-recent");
    assert_eq!(browser.evaluate(list)[0], text);
    browser.click("#recent-list li:nth-child(2) button:last-child");
    browser.assert_value(list, json!([text]));
    browser.click("#recent-clear");
    browser.assert_value(list, json!([]));
    browser.assert_value("[recent.read(), byId('recent-none').hidden]", json!([[], false]));
    browser.press("Escape");
    browser.wait_for("!byId('recent-dialog').open");
    browser.evaluate("step(-1)");
    browser.wait_for("Boolean(state.tree.current.described)");
    assert_eq!(browser.evaluate("recent.read()"), json!([]), "a step stored the deleted game again");
}

#[test]
fn broken_and_full_storage_is_ignored() {
    let Some(mut browser) = opened("broken storage") else { return };
    let record = "start: '4/4/4/4', moves: [], black: '', white: '', number: 0, winner: null";
    for broken in [
        "'{'".to_owned(),
        "'null'".to_owned(),
        "'{\"a\":1}'".to_owned(),
        "'[null, 3, {\"id\": 1}, {\"id\": 1, \"record\": {}}]'".to_owned(),
        format!("JSON.stringify([{{ id: 1, record: {{ {record} }} }}])"),
        "JSON.stringify([{ id: 1, record: { moves: [null] } }])".to_owned(),
    ] {
        browser.evaluate(&format!("localStorage.setItem('otrera.games', {broken})"));
        open(&mut browser, "#play");
        let shown = browser.evaluate("[state.tree.line().length, state.tree.begun]");
        assert_eq!(shown, json!([1, 0]), "{broken}");
    }
    // A game with invalid players, strength and ply is opened for two persons.
    let odd = "JSON.stringify([{ ...recent.read()[0], players: 'x', control: { level: 99 }, ply: -7, begun: 'y' }])";
    browser.evaluate(&format!("localStorage.setItem('otrera.games', {odd})"));
    open(&mut browser, "");
    let shown = "[state.players.white, state.control, state.tree.begun]";
    browser.assert_value(shown, json!(["human", {"level": 4}, null]));
    // At most 20 games are stored, and no large game. If storage is full, the stored games stay.
    browser.evaluate(
        "recent.write(Array.from({ length: 30 }, (_, id) => ({ id, record: { ...state.tree.toRecord(), moves: [{ move: 'd1-d7/g7' }] } })))",
    );
    browser.assert_value("recent.read().length", 20);
    browser.evaluate("state.tree.root.note.comment = 'x'.repeat(MAX_KEPT_LENGTH); play('d1-d7/g7')");
    browser.wait_for("Boolean(state.tree.current.described)");
    assert_eq!(browser.evaluate("recent.read()[0].id"), 0, "a game that is too large was stored");
    browser.evaluate("state.tree.root.note = {}; Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; play('d10-d8/f8')");
    browser.wait_for("state.tree.current.ply === 2 && Boolean(state.tree.current.described)");
    browser.assert_value("recent.read()[0].id", 0);
}

/// JavaScript expression for the state of the rules' example: true if the amazon is on d4, counts of arrows and lines.
const EXAMPLE: &str = "[rules.board.pieces.map((piece) => piece.dataset.square).includes('d4'),
    document.querySelectorAll('#rules-board .tile').length, document.querySelectorAll('#rules-board .shaft').length]";

/// Values of [`EXAMPLE`]: at the start, after the amazon's move, and after the arrow's flight.
const STEPS: &str = "[[false,2,0],[true,2,1],[true,3,2]]";

#[test]
fn rules_show_keys_and_an_animated_example() {
    let Some(mut browser) = opened("the rules on the page") else { return };
    browser.click("#menu");
    browser.click("#open-rules");
    browser
        .assert_value("[byId('rules-list').children.length, byId('rules-dialog').scrollTop]", json!([5, 0]));
    let keys = browser.text("#rules-keys");
    assert!(["Home", "Esc", "Tab", "Enter"].iter().all(|key| keys.contains(key)), "{keys}");
    browser
        .wait_for(&format!("byId('rules-version').textContent === 'Otrera {}'", env!("CARGO_PKG_VERSION")));
    // The browser asks for reduced motion: the example shows the whole move until the person plays its steps.
    browser.assert_value(&format!("[rules.timer, {EXAMPLE}]"), json!([null, [true, 3, 2]]));
    browser.evaluate(&format!(
        "rules.seen = [];
         rules.shown = rules.show;
         rules.show = (step) => {{ rules.shown(step); rules.seen.push({EXAMPLE}); }};"
    ));
    browser.click_and_wait("#rules-play", &format!("JSON.stringify(rules.seen.slice(0, 3)) === '{STEPS}'"));
    browser.press("Escape");
    browser.wait_for("!byId('rules-dialog').open");
    browser.command("Emulation.setEmulatedMedia", json!({"features": []}));
    // Otherwise, the example starts by itself.
    browser.evaluate("rules.seen = []");
    browser.click("#menu");
    browser.click_and_wait("#open-rules", &format!("JSON.stringify(rules.seen.slice(0, 3)) === '{STEPS}'"));
    // The move of the example is legal.
    let played =
        browser.evaluate("engine.ask({ do: 'position', fen: EXAMPLE.start, moves: [EXAMPLE.move] })");
    assert_eq!(played["ply"], 1);
}

#[test]
fn dialogs_are_translated_accessible_and_fit_a_phone() {
    let Some(mut browser) = opened_with_axe("accessibility of the dialogs") else { return };
    play_decided(&mut browser);
    browser.evaluate("play('a1-b1/a1')");
    browser.wait_for("Boolean(state.tree.current.described)");
    wait_for_turn(&mut browser);
    for (language, width, scheme) in
        [("en", 1280, "light"), ("zh", 360, "dark"), ("zh", 360, "light"), ("en", 360, "dark")]
    {
        browser.choose("#language", language);
        browser.resize([width, 740], width < 500);
        browser.emulate(scheme);
        let case = format!("{language}, {width}, {scheme}");
        assert_accessible(&mut browser, &case);
        for open in [
            "ask('resign-dialog')",
            "recent.fill(), ask('recent-dialog')",
            "rules.open()",
            "askNewGame(true)",
        ] {
            browser.evaluate(&format!("void ({open})"));
            assert_accessible(&mut browser, &format!("{case}: {open}"));
            let dialog = "document.querySelector('dialog[open]')";
            let fits = format!(
                "{dialog}.scrollWidth <= {dialog}.clientWidth && {dialog}.getBoundingClientRect().right <= innerWidth"
            );
            assert_eq!(browser.evaluate(&fits), true, "{case}: {open}");
            // Stored texts of a game stay in the language in which the game was started.
            if language == "zh" && !open.contains("recent") {
                let said = browser.text("dialog[open]");
                assert_translated(&said, &["Otrera", "Home", "End", "Tab", "Enter", "Esc"]);
            }
            browser.evaluate(&format!("{dialog}.close('')"));
        }
    }
}
