//! Tests of the page as `make web` builds it: opened from a file in a real browser and operated by clicks and keys.

mod analyse;
mod coach;
mod play;
mod puzzles;
mod review;
mod rooms;
mod screens;
mod types;

use fastrand::Rng;
use otrera::record::{Note, Variation, ccgc, json, sgf};
use otrera::{GameRecord, Move, PlayedMove, Position};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::Path;
use testkit::browser::{Browser, expected};
use testkit::page::{
    assert_accessible, assert_fits, assert_schemes_accessible, assert_translated, axe, page,
};
use testkit::{Folder, random_game, random_move, random_record, repository, size};

/// Opens the page with a new game; `None` if the page cannot be built or the browser is missing.
fn opened(test: &str) -> Option<Browser> {
    page(test)?;
    let mut browser = Browser::start(test)?;
    // Without an address, a first visit begins at the door.
    open(&mut browser, "#play");
    Some(browser)
}

/// Opens the page like [`opened`], with the accessibility checker.
fn opened_with_axe(test: &str) -> Option<Browser> {
    let (axe, mut browser) = (axe()?, opened(test)?);
    browser.evaluate(&axe);
    Some(browser)
}

/// Loads the page that [`opened`] has built, and reloads a page that is already open.
fn open(browser: &mut Browser, hash: &str) {
    browser.open(page("the page").expect("a built page"), hash);
    browser.wait_for("Boolean(state.tree?.current.described)");
}

/// Returns the position shown, read from the FEN field.
fn position(browser: &mut Browser) -> Position {
    browser.wait_for("byId('fen').value === state.tree.current.described?.fen");
    Position::from_fen(&value::<String>(browser, "byId('fen').value")).expect("a FEN")
}

/// Evaluates a JavaScript expression and converts its value to `T`.
fn value<T: DeserializeOwned>(browser: &mut Browser, expression: &str) -> T {
    serde_json::from_value(browser.evaluate(expression)).expect("a value of this type")
}

/// Evaluates a JavaScript expression and parses its value as a move.
fn move_in(browser: &mut Browser, expression: &str) -> Move {
    value::<String>(browser, expression).parse().expect("a move")
}

fn click_square(browser: &mut Browser, square: impl std::fmt::Display) {
    browser.click(&format!("#squares [data-square='{square}']"));
}

/// Plays a move with three clicks: amazon, target, arrow.
fn click_move(browser: &mut Browser, mv: Move) {
    for square in [mv.from, mv.to, mv.arrow] {
        click_square(browser, square);
    }
}

/// Opens a FEN from its field and waits until a JavaScript condition is true.
fn open_fen(browser: &mut Browser, fen: &str, condition: &str) {
    browser.fill("#fen", fen);
    browser.click_and_wait("#fen-form button", condition);
}

/// Opens the position shown for two persons, so that the engine does not reply.
fn open_for_two_persons(browser: &mut Browser) {
    browser.click("#fen-form button");
    browser.wait_for("state.players.white === 'human' && Boolean(state.tree.current.described)");
}

/// Starts an 8x8 game in the dialog. `control` is the index of the engine's strength in the selection list.
fn new_game(browser: &mut Browser, control: usize) {
    browser.click("#new-game");
    browser.click("#new-size input[value='8']");
    browser.choose("#control", &control.to_string());
    browser.click_and_wait("#begin", "state.tree.root.described?.edge === 8");
}

/// Index in `CONTROLS` of the engine strength of 1,000 iterations a move.
const FEW_ITERATIONS: usize = 4;

/// Waits for the human's turn or the end of the game.
fn wait_for_turn(browser: &mut Browser) {
    browser.wait_for(
        "(() => { const node = state.tree.current; return Boolean(node.described?.winner) || canMove(node); })()",
    );
}

/// Starts an 8x8 game against 1,000 iterations a move and waits for the human's turn.
fn start_game(browser: &mut Browser) {
    new_game(browser, FEW_ITERATIONS);
    wait_for_turn(browser);
}

/// Plays a move by clicks and waits for the engine's reply.
fn play_and_wait(browser: &mut Browser, mv: Move) {
    let ply: u64 = value(browser, "state.tree.current.ply");
    click_move(browser, mv);
    browser.wait_for(&format!("state.tree.current.ply === {}", ply + 2));
    wait_for_turn(browser);
}

#[test]
fn clicks_play_a_whole_game() {
    let Some(mut browser) = opened("a game in the page") else { return };
    new_game(&mut browser, FEW_ITERATIONS);
    let mut rng = Rng::with_seed(21);
    loop {
        wait_for_turn(&mut browser);
        let before = position(&mut browser);
        assert_eq!(browser.board(), expected(&before));
        if let Some(winner) = before.winner() {
            browser.assert_text("#status", &format!("{winner} has won"));
            break;
        }
        let mv = random_move(&before, &mut rng);
        click_move(&mut browser, mv);
        browser.wait_for(&format!("state.tree.current.ply > {}", before.ply()));
    }
}

#[test]
fn levels_are_listed_first_and_play() {
    let Some(mut browser) = opened("a level of the page") else { return };
    let groups = browser.evaluate("[...byId('control').children].map(({ children }) => children.length)");
    assert_eq!(groups, json!([10, 4, 3]));
    assert_eq!(browser.evaluate("state.control"), json!({"level": 4}), "the first game starts at level 4");
    browser.evaluate(
        "engine.asked = [];
         engine.ask = (request) => { engine.asked.push(request); return Engine.prototype.ask.call(engine, request); };",
    );
    let level_2 = "Number([...byId('control').options].find(({ text }) => text.includes('beginner')).value)";
    let level_2 = value(&mut browser, level_2);
    new_game(&mut browser, level_2);
    wait_for_turn(&mut browser);
    play_and_wait(&mut browser, "c1-c5/f5".parse().expect("a move"));
    let levels = "engine.asked.filter((request) => request.do === 'think').map(({ level }) => level)";
    browser.assert_value(levels, json!([2]));
    browser.assert_value("state.tree.toRecord().white", "Otrera level 2");
}

#[test]
fn undo_hint_illegal_click_and_resignation_work() {
    let Some(mut browser) = opened("undo, hint, illegal click and resignation") else { return };
    start_game(&mut browser);
    let start = position(&mut browser);
    // b1 is empty; the amazon on c1 cannot move to d3, nor shoot from c5 to d7.
    for (clicks, complaint) in [
        (&["b1"][..], "Black has no amazon there"),
        (&["c1", "d3"], "cannot go to d3"),
        (&["c5", "d7"], "cannot fly to d7"),
    ] {
        clicks.iter().for_each(|square| click_square(&mut browser, square));
        browser.assert_text("#status", complaint);
    }
    browser.press("Escape");
    assert_eq!(browser.board(), expected(&start));
    browser.click_and_wait("#hint", "state.hint !== null");
    let suggested = move_in(&mut browser, "state.hint.move");
    assert_eq!(start.check(suggested), Ok(()));
    play_and_wait(&mut browser, suggested);
    browser.click("#undo");
    wait_for_turn(&mut browser);
    assert_eq!(position(&mut browser), start);
    browser.fill("#typed-move", "C1C5F5");
    browser.press("Enter");
    browser.click("#type-move button");
    browser.wait_for("state.tree.root.children.length === 2 && state.tree.current.ply >= 1");
    wait_for_turn(&mut browser);
    browser.assert_text("#moves", &format!("Variation: {suggested}"));
    browser.click("#resign");
    browser.click_and_wait("#resign-yes", "byId('status').textContent.includes('Black resigns')");
    browser.assert_value("state.tree.toRecord().winner", "white");
}

#[test]
fn engine_answers_a_move_played_again_after_undo() {
    let Some(mut browser) = opened("a move played twice") else { return };
    start_game(&mut browser);
    let start = position(&mut browser);
    let [first, second] = ["c1-c5/f5", "c1-c6/f6"].map(|text| text.parse::<Move>().expect("a move"));
    for mv in [first, second, first] {
        play_and_wait(&mut browser, mv);
        let shown = position(&mut browser);
        assert_eq!(browser.board(), expected(&shown), "after {mv}");
        browser.click("#undo");
        wait_for_turn(&mut browser);
        assert_eq!(position(&mut browser), start);
    }
    // Switching between variations at the same ply shows the arrows of the chosen variation.
    for child in [0, 1, 0] {
        browser.evaluate(&format!("goTo(state.tree.root.children[{child}])"));
        let shown = position(&mut browser);
        assert_eq!(browser.board(), expected(&shown));
    }
}

#[test]
fn link_and_new_game_stop_a_long_search() {
    let Some(mut browser) = opened("a search that is stopped") else { return };
    // 200,000 iterations a move, for both sides.
    browser.click("#new-game");
    browser.click("#new-side input[value='none']");
    browser.choose("#control", "6");
    browser.click_and_wait("#begin", "state.uninterruptible");
    // A link opened during the search ends the search.
    let fen = Position::start(size(6)).to_fen();
    browser.evaluate(&format!("location.hash = new URLSearchParams({{ fen: {fen:?} }})"));
    browser.click_and_wait("#back", "state.tree.root.described?.edge === 6");
    new_game(&mut browser, FEW_ITERATIONS);
    browser.wait_for("state.tree.current.ply >= 2");
    browser.click("#new-game");
    browser.press("Escape");
    assert_eq!(browser.evaluate("state.tree.root.described.edge"), 8, "Escape in the dialog started a game");
}

#[test]
fn cancelling_set_up_restores_the_game() {
    let Some(mut browser) = opened("set-up that is cancelled") else { return };
    // Two games, a variation in the first one, and half a move.
    let text: String = [4, 5].map(|seed| json::write(&game(8, seed)) + "\n").concat();
    paste(&mut browser, &text, GAME_SHOWN);
    let start = position(&mut browser);
    let played = game(8, 4).played_moves();
    let other = start.legal_moves().find(|mv| !played.contains(mv)).expect("there are many");
    click_move(&mut browser, other);
    browser.wait_for("state.tree.root.children.length === 2");
    browser.choose("#games", "1");
    browser.choose("#games", "0");
    browser.wait_for("state.tree.root.children.length === 2 && Boolean(state.tree.current.described)");
    browser.evaluate("goTo(state.tree.root)");
    position(&mut browser);
    click_square(&mut browser, other.from);
    browser.click("#open-set-up");
    browser.assert_value("document.activeElement.id", "set-up-title");
    click_square(&mut browser, "d4");
    browser.click("#set-up-cancel");
    let half_and_games = "[state.half.from, byId('games-label').hidden]";
    browser.assert_value(half_and_games, json!([other.from.to_string(), false]));
    assert_eq!(browser.board(), expected(&start));
}

/// Drags the mouse from one square to another, with five movements on the way.
fn drag(browser: &mut Browser, from: &str, to: &str) {
    let centres = format!(
        "['{from}', '{to}'].map((square) => squares.cells.get(square).getBoundingClientRect())
            .map((box) => [box.x + box.width / 2, box.y + box.height / 2])"
    );
    let [[x0, y0], [x1, y1]]: [[f64; 2]; 2] = value(browser, &centres);
    let mut mouse = |kind, share: f64, buttons| {
        let (x, y) = (x0 + share * (x1 - x0), y0 + share * (y1 - y0));
        let event =
            json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1});
        browser.command("Input.dispatchMouseEvent", event);
    };
    mouse("mousePressed", 0.0, 1);
    (1..=5).for_each(|step| mouse("mouseMoved", f64::from(step) / 5.0, 1));
    mouse("mouseReleased", 1.0, 0);
}

#[test]
fn drags_and_keys_play_moves() {
    let Some(mut browser) = opened("drags and keys") else { return };
    start_game(&mut browser);
    browser.evaluate("byId('squares').scrollIntoView({ block: 'center' })");
    drag(&mut browser, "c1", "c5");
    browser.assert_value("[state.half.from, state.half.to]", json!(["c1", "c5"]));
    drag(&mut browser, "c5", "f5");
    browser.wait_for("state.tree.current.ply === 2");
    let move_and_selection = "[state.tree.movesTo(state.tree.current)[0], String(getSelection())]";
    browser.assert_value(move_and_selection, json!(["c1-c5/f5", ""]));
    wait_for_turn(&mut browser);
    browser.click_and_wait("#undo", "state.tree.current.ply === 0");
    browser.evaluate("squares.focus('c1'); squares.cells.get('c1').focus()");
    browser.press("Enter");
    for key in ["ArrowUp", "ArrowUp", "Enter", "ArrowDown", "Enter"] {
        browser.press(key);
    }
    browser.wait_for("state.tree.current.ply === 2 && state.tree.line()[1].move === 'c1-c3/c2'");
    wait_for_turn(&mut browser);
    // After a click, the keys step through the game; after focus by keyboard, they move from square to square.
    click_square(&mut browser, "d4");
    for (key, ply) in [("ArrowLeft", 1), ("Home", 0), ("ArrowRight", 1), ("End", 2)] {
        browser.press(key);
        assert_eq!(browser.evaluate("state.tree.current.ply"), ply, "{key}");
    }
    for (key, square) in [("ArrowUp", "d5"), ("ArrowLeft", "c5")] {
        browser.press(key);
        assert_eq!(browser.evaluate("document.activeElement.dataset.square"), square, "{key}");
    }
    click_square(&mut browser, "d4");
    browser.evaluate("byId('flip').focus(); squares.cells.get(squares.focused).focus()");
    for (key, square) in [("ArrowLeft", "c4"), ("Home", "a4"), ("ArrowUp", "a5"), ("End", "h5")] {
        browser.press(key);
        assert_eq!(browser.evaluate("document.activeElement.dataset.square"), square, "{key}");
    }
    browser.assert_value("state.tree.current.ply", 2);
}

#[test]
fn page_engine_has_the_recorded_bench() {
    let Some(mut browser) = opened("the search of the page") else { return };
    browser.evaluate(
        "engine.asked = [];
         engine.ask = (request) => { engine.asked.push(request.do); return Engine.prototype.ask.call(engine, request); };",
    );
    browser.click("#menu");
    browser.click_and_wait("#bench", "byId('bench-result').textContent.includes('Bench')");
    // The first of two runs warms the browser up.
    browser.assert_value("engine.asked", json!(["bench", "bench"]));
    let bench = browser.evaluate("engine.ask({ do: 'bench' })");
    let recorded = include_str!("../../../tests/data/bench.txt");
    let recorded =
        recorded.lines().find_map(|line| line.strip_prefix("tournament ")).expect("a line of that preset");
    assert_eq!(bench["checksum"].to_string(), recorded);
    browser.assert_text("#bench-result", &format!("Bench: {recorded}"));
    assert_eq!(bench["kernel"], "simd128");
}

#[test]
fn analysis_runs_until_it_is_stopped() {
    let Some(mut browser) = opened("analysis in the page") else { return };
    open_for_two_persons(&mut browser);
    browser.click_and_wait("#analyse", "(state.found?.visits ?? 0) > 3000");
    assert!(browser.evaluate("document.querySelectorAll('#board .suggestion').length").as_u64() >= Some(2));
    browser.assert_value("document.querySelectorAll('#best-moves tbody tr').length", 3);
    // The board shows the rates of the best moves on different squares, although two moves share a landing square.
    browser.evaluate("{ const lines = [['d1-d7/g7', 0.5126], ['d1-d7/g4', 0.5], ['g1-g7/d7', 1], ['a4-d7/g7', 0.4]]
        .map(([move, win_rate]) => ({ move, win_rate, visits: 1, continuation: [] }));
        window.drawnRates = (count) => { byId('lines').value = count; state.found = { ...state.found, lines }; drawSearch();
            return [...document.querySelectorAll('#board .board-tag')].map(({ textContent }) => textContent); }; }");
    browser.assert_value("drawnRates(3)", json!(["51.3", "50.0", "100.0"]));
    browser.assert_value("drawnRates(1)", json!(["51.3"]));
    browser.choose("#lines", "3");
    // Focusing a best move draws its continuation, and the focus stays there while the search continues.
    let second = "document.querySelectorAll('#best-moves .best')[1]";
    browser.evaluate(&format!("{second}.focus()"));
    let visits = browser.evaluate("state.found.visits");
    browser.wait_for(&format!("state.found.visits > {visits} && state.pointed === 1"));
    browser.assert_value(&format!("document.activeElement === {second}"), true);
    browser.evaluate("document.activeElement.blur()");
    browser.choose("#squares-shown", "moves");
    let squares = browser.evaluate("document.querySelectorAll('#board .owner').length");
    assert_eq!(squares, 92);
    // A click plays the best move and the analysis continues. Back at the start, the earlier result is still shown.
    browser.click("#best-moves .best");
    browser.wait_for("state.tree.current.ply === 1 && (state.found?.visits ?? 0) > 500");
    browser.click_and_wait("#back", "state.tree.current.ply === 0 && state.found.visits > 3000");
    browser.click_and_wait("#analyse", "state.analysing === false");
    assert!(!browser.text("#running").contains("memory full"));
    browser.evaluate("state.found.recycled = 2; drawSearch()");
    browser.assert_text("#running", "memory full");
}

/// Returns a finished game of random moves on a board with this edge length.
fn game(edge: usize, seed: u64) -> GameRecord {
    let (start, mut rng) = (Position::start(size(edge)), Rng::with_seed(seed));
    random_record(start, ["eins", "二"], usize::MAX, &mut rng, |mv, _| mv.into())
}

fn texts(moves: &[PlayedMove]) -> Vec<String> {
    moves.iter().map(|played| played.mv.to_string()).collect()
}

#[test]
fn records_are_opened_stepped_through_and_saved() {
    let Some(mut browser) = opened("records in the page") else { return };
    let folder = Folder::new("records");
    let downloads = json!({"behavior": "allow", "downloadPath": &*folder});
    browser.command("Page.setDownloadBehavior", downloads);
    let records = [(game(10, 1), "json"), (game(8, 2), "sgf"), (game(10, 3), "ccgc")];
    for (record, form) in records {
        let (text, name) = match form {
            "json" => (json::write(&record) + "\n", "otrera.jsonl"),
            "sgf" => (sgf::write(&record), "otrera.sgf"),
            _ => (ccgc::write(&record), "otrera.txt"),
        };
        let file = folder.join(format!("opened-{form}"));
        std::fs::write(&file, &text).expect("a file");
        browser.give_file("#file", &file);
        browser.wait_for(&format!("state.tree.line().length === {}", record.moves.len() + 1));
        let positions = record.positions();
        for (key, ply) in
            [("End", positions.len() - 1), ("ArrowLeft", positions.len() - 2), ("Home", 0), ("ArrowRight", 1)]
        {
            browser.evaluate("document.activeElement.blur()");
            browser.press(key);
            assert_eq!(browser.board(), expected(&positions[ply]), "{form}, {key}");
        }
        browser.click(&format!("#save [data-form={form}]"));
        let saved = folder.join(name);
        let read = || std::fs::read_to_string(&saved).unwrap_or_default();
        let patience = std::time::Instant::now() + std::time::Duration::from_secs(30);
        while read() != text {
            assert!(std::time::Instant::now() < patience, "{form}: {} is not {text}", read());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

/// JavaScript condition that is true once a game of several moves is shown.
const GAME_SHOWN: &str = "state.tree.line().length > 5 && Boolean(state.tree.current.described)";

/// Pastes a text into the dialog for records, opens it and waits until a JavaScript condition is true.
fn paste(browser: &mut Browser, text: &str, condition: &str) {
    browser.click("#open-paste");
    browser.evaluate(&format!("byId('pasted').value = {}", json!(text)));
    browser.click_and_wait("#read-pasted", condition);
}

#[test]
fn comments_and_variations_are_shown_and_saved() {
    let Some(mut browser) = opened("comments and variations in the page") else { return };
    let mut record = game(8, 5);
    let start = record.start;
    let played = record.moves[0].mv;
    let other = start.legal_moves().find(|&mv| mv != played).expect("there are many");
    let reply = start.with_move(other).legal_moves().next().expect("there are many");
    let mut variation = Variation { moves: vec![other.into(), reply.into()], ..Variation::default() };
    variation.notes.insert(2, Note { comment: "a reply\nin two lines".into(), ..Note::default() });
    let first = Note { name: "start".into(), variations: vec![variation], ..Note::default() };
    let last = Note { comment: "<b>the end</b>".into(), ..Note::default() };
    let value = Note { value: Some(-12.5), ..Note::default() };
    record.notes = [(0, first), (2, value), (record.moves.len(), last)].into();
    let shown = "state.tree.root.children.length === 2 && Boolean(state.tree.current.described)";
    paste(&mut browser, &sgf::write(&record), shown);
    assert_eq!(browser.text("#comment-label"), "Comment (start)");
    browser.click_and_wait("#to-end", "byId('comment').value === '<b>the end</b>'");
    browser.assert_value("state.tree.line()[2].rate", 0.4375);
    let saved = browser.evaluate("engine.ask({ do: 'write', form: 'sgf', game: state.tree.toRecord() })");
    let saved = sgf::read(saved["text"].as_str().expect("a text")).expect("a record").games;
    assert_eq!(saved, sgf::read(&sgf::write(&record)).expect("a record").games);
    // Shows the variation's comment. The game stays the main line until the variation is promoted.
    browser.evaluate("goTo(state.tree.root.children[1].children[0])");
    browser.wait_for("byId('comment').value.startsWith('a reply') && !byId('line-actions').hidden");
    let lengths =
        "(({ moves, notes }) => [moves.length, notes[0].variations[0].moves.length])(state.tree.toRecord())";
    browser.assert_value(lengths, json!([record.moves.len(), 2]));
    browser.click("#make-main");
    browser.assert_value(lengths, json!([2, record.moves.len()]));
    browser.evaluate("goTo(state.tree.root.children[0])");
    browser.wait_for("!byId('line-actions').hidden && Boolean(state.tree.current.described)");
    browser.click("#delete-line");
    browser
        .assert_value("[state.tree.root.children.length, state.tree.toRecord().moves.length]", json!([1, 2]));
    browser.assert_text("#status", "is deleted");
}

#[test]
fn comment_is_written_stored_and_removed() {
    let Some(mut browser) = opened("a comment in the page") else { return };
    paste(&mut browser, &json::write(&game(8, 6)), "state.tree.current.described?.edge === 8");
    browser.click("#forward");
    browser.wait_for("state.tree.current.ply === 1 && Boolean(state.tree.current.described)");
    browser.click("#comment");
    browser.command("Input.insertText", json!({"text": "好棋 <b>"}));
    // The cursor stays where it is when the page is drawn.
    browser.evaluate("byId('comment').setSelectionRange(0, 0), draw()");
    browser.command("Input.insertText", json!({"text": "1. "}));
    browser.evaluate("byId('comment').blur()");
    open(&mut browser, "");
    browser.assert_value("[state.tree.current.ply, byId('comment').value]", json!([1, "1. 好棋 <b>"]));
    browser.fill("#comment", "");
    browser.evaluate("document.execCommand('delete'), byId('comment').blur()");
    browser.assert_value("state.tree.toRecord().notes", json!({}));
    // A game started from this position has its own copy of the comments.
    browser.evaluate("state.tree.current.note.comment = 'first'");
    browser.evaluate("state.tree.copyTo(state.tree.current).current.note.comment = 'second'");
    browser.assert_value("state.tree.current.note.comment", "first");
}

#[test]
fn sound_knocks_at_each_move_when_enabled() {
    let Some(mut browser) = opened("the sound of the page") else { return };
    open_for_two_persons(&mut browser);
    browser.evaluate("play('d1-d7/g7')");
    assert_eq!(browser.evaluate("sound.context"), Value::Null, "sound is off by default");
    browser.click("#menu");
    browser.click_and_wait("#sound", "sound.context.state === 'running'");
    open(&mut browser, "");
    browser.assert_value("byId('sound').getAttribute('aria-pressed')", "true");
    browser.evaluate(
        "{ const { start } = OscillatorNode.prototype; window.knocks = 0;
        OscillatorNode.prototype.start = function (...when) { knocks += 1; start.apply(this, when); }; }",
    );
    start_game(&mut browser);
    play_and_wait(&mut browser, "c1-c5/f5".parse().expect("a move"));
    assert_eq!(browser.evaluate("knocks"), 2, "the person's move and the reply");
}

#[test]
fn long_record_texts_do_not_widen_the_page() {
    let Some(mut browser) = opened("long texts") else { return };
    let long = "x".repeat(3000);
    let mut record = game(8, 7);
    (record.black, record.white, record.event) = (long.clone(), long.clone(), long.clone());
    record.notes = [(0, Note { name: long.clone(), comment: long, ..Note::default() })].into();
    record.moves[0].win_rate = Some(0.5);
    paste(&mut browser, &json::write(&record), "state.tree.current.described?.edge === 8");
    for [width, height] in [[360, 740], [900, 740], [1366, 625]] {
        browser.resize([width, height], width < 500);
        assert_fits(&mut browser, width, "long texts");
        let height = browser.evaluate("document.querySelector('.table').offsetHeight");
        assert!(height.as_u64() < Some(1000), "{width}: board and controls are {height} high");
    }
}

#[test]
fn pasted_botzone_log_is_opened() {
    let Some(mut browser) = opened("a match log in the page") else { return };
    let record = game(8, 5);
    let turns = record.moves.iter().zip(0..).map(|(played, ply)| {
        let square = |square: otrera::Square| [square.column(), square.row()];
        let [[x0, y0], [x1, y1], [x2, y2]] = [played.mv.from, played.mv.to, played.mv.arrow].map(square);
        let response = json!({"x0": x0, "y0": y0, "x1": x1, "y1": y1, "x2": x2, "y2": y2});
        json!({((ply % 2).to_string()): {"verdict": "OK", "response": response}})
    });
    let log: Vec<Value> = turns.collect();
    let shown = format!("state.tree.line().length === {}", record.moves.len() + 1);
    paste(&mut browser, &json!(log).to_string(), &shown);
    browser.assert_value("state.tree.movesTo(state.tree.line().at(-1))", texts(&record.moves));
}

#[test]
fn link_and_text_contain_the_moves_up_to_the_position_shown() {
    let Some(mut browser) = opened("links") else { return };
    let record = game(8, 4);
    let text = texts(&record.moves);
    paste(&mut browser, &text.join(" "), "state.tree.line().length > 5");
    (0..3).for_each(|_| browser.click("#forward"));
    // A link to a file opens only here: the page gives a text instead. The status changes once the text is copied.
    browser.click_and_wait("#share", "byId('status').textContent.includes('only on this computer')");
    let shared: String = value(&mut browser, "byId('link').value");
    let [start, moves] = [record.start.to_fen(), text[..3].join(" ")];
    assert_eq!(shared, format!("{start} moves {moves}"));
    paste(&mut browser, &shared, "state.tree.line().length === 4 && Boolean(state.tree.current.described)");
    browser.assert_value("state.tree.movesTo(state.tree.line().at(-1))", json!(text[..3]));
    let moves = text[..3].join(",").replace(['-', '/'], "");
    let hash: String =
        value(&mut browser, &format!("`#${{new URLSearchParams({{ fen: {start:?}, moves: {moves:?} }})}}`"));
    open(&mut browser, &hash);
    assert_eq!(position(&mut browser), record.positions()[3]);
    browser.assert_value("state.tree.movesTo(state.tree.current)", json!(text[..3]));
    open(&mut browser, "#fen=4/4");
    browser.assert_text("#status", "link");
}

#[test]
fn any_position_can_be_set_up_or_read_from_fen() {
    let Some(mut browser) = opened("setting up") else { return };
    let mut rng = Rng::with_seed(9);
    let game = random_game(Position::start(size(6)), &mut rng);
    let wanted = game[game.len() / 2];
    browser.click("#open-set-up");
    browser.click("#set-up-size input[value='6']");
    browser.click("#set-up-clear");
    browser.click_and_wait("#set-up-done", "byId('status').textContent !== ''");
    assert_eq!(browser.text("#status"), "Black has no amazon.");
    assert_eq!((browser.text("#rate"), browser.evaluate("setUp.active")), (String::new(), json!(true)));
    let [black, white] = wanted.all_amazons();
    for (piece, set) in [("black", black), ("white", white), ("arrow", wanted.arrows())] {
        browser.click(&format!("#palette input[value='{piece}']"));
        set.into_iter().for_each(|square| click_square(&mut browser, square));
    }
    let side = if wanted.side() == otrera::Side::Black { "black" } else { "white" };
    browser.click(&format!("#set-up-side input[value='{side}']"));
    browser.fill("#set-up-white", " 二 ");
    browser.click_and_wait("#set-up-done", "!setUp.active");
    browser.assert_value("[state.tree.toRecord().black, state.tree.toRecord().white]", json!(["", "二"]));
    assert_eq!(position(&mut browser), wanted);
    assert_eq!(browser.board(), expected(&wanted));
    for fen in [wanted.to_fen(), Position::start(size(4)).to_fen(), game[2].to_fen()] {
        open_fen(&mut browser, &fen, &format!("state.tree.current.described?.fen === {fen:?}"));
        assert_eq!(browser.board(), expected(&Position::from_fen(&fen).expect("a FEN")));
    }
}

#[test]
fn bad_input_gets_a_message_and_the_page_works_on() {
    let Some(mut browser) = opened("bad input in the page") else { return };
    let folder = Folder::new("bad");
    let [huge, utf16] = ["huge.sgf", "utf16.txt"].map(|name| folder.join(name));
    std::fs::write(&huge, vec![b'('; 50 << 20]).expect("50 MB");
    std::fs::write(&utf16, b"\xff\xfe1\0").expect("text in UTF-16");
    for (file, problem) in [(&huge, "50 MB"), (&utf16, "no move found")] {
        browser.give_file("#file", file);
        browser.wait_for(&format!("byId('status').textContent.includes({problem:?})"));
    }
    for (text, problem) in [
        ("(;GM[18];B[zz", "no closing bracket: zz"),
        ("{\"moves\":", "The text: contains no game; line 1"),
        ("d1-d7/g7 d1-d2/d3", "line 1: move 2, d1-d2/d3, is not legal"),
        ("{\"requests\":[{\"x0\":9}]}", "contains no game"),
        ("", "no game"),
    ] {
        paste(&mut browser, text, &format!("byId('status').textContent.includes({problem:?})"));
        browser.evaluate("tell(null)");
    }
    for fen in [" ", "nonsense", "10/10", "QQQQ/4/4/5 w - - 0 1"] {
        open_fen(&mut browser, fen, "byId('status').textContent.startsWith('FEN')");
        browser.evaluate("tell(null)");
    }
    start_game(&mut browser);
    let start = position(&mut browser);
    play_and_wait(&mut browser, random_move(&start, &mut Rng::with_seed(1)));
}

const START: &str = "1qq1/q2q/Q2Q/1QQ1";

/// Invalid inputs as (text, FEN): the text is moves played from that position, or a record if the FEN is empty.
const PROBLEMS: [(&str, &str); 40] = [
    ("", "nonsense"),
    ("", "4/4/4/4"),
    ("", "4/4/4/Q3"),
    ("", "1qq1/q2q/Q2Q/1QQ1 x"),
    ("", "1qq1/q2q/Q2Q/1QQ1 w - - 0 0"),
    ("", "1qq1/q2q/Q2Q/99"),
    ("", "1qq1/q2q/Q2Q/QQ"),
    ("", "1qq1/q2q/Q2Q/1KK1"),
    ("b1", START),
    ("nonsense", START),
    ("b1-b2/j9", START),
    ("a4-b2/b3", START),
    ("b1-b4/b3", START),
    ("b1-b2/b4", START),
    ("1qq1/q2q/Q2Q/1KK1 w", ""),
    ("", ""),
    ("1. e4 e5", ""),
    ("well played", ""),
    ("d1-d7/g7\nd1d7(g", ""),
    ("d1-d7/g7 d1-d2/d3", ""),
    ("{\"moves\":", ""),
    ("{\"number\":0,\"moves\":[]}", ""),
    ("{\"number\":0,\"black\":\"\",\"white\":\"\",\"start\":\"4/4\",\"winner\":null,\"moves\":[]}", ""),
    ("{\"match\":{}}", ""),
    ("#[GO][a][b]", ""),
    ("#[AM][a][b][先手胜][][];\n1 d1d7", ""),
    ("(;GM[1])", ""),
    ("(;GM[18]SZ[30])", ""),
    ("(;GM[18]SZ[x])", ""),
    ("(;GM[18]AB[zz];B[djddgd])", ""),
    ("(;GM[18];B[xx])", ""),
    ("(;GM[18];B[djddgd];AB[aa])", ""),
    ("(", ""),
    ("(;GM[18", ""),
    ("(;GM)", ""),
    ("(;GM[18]-)", ""),
    ("[", ""),
    ("[]", ""),
    ("{\"logs\":3}", ""),
    ("{\"requests\":[{\"x0\":-1},{\"x0\":9}],\"responses\":[{\"x0\":9}]}", ""),
];

/// Names in translated messages.
const NAMES: [&str; 8] = ["djddgd", "FEN", "SGF", "JSON", "CCGC", "Botzone", "first", "second"];

#[test]
fn page_fits_every_language_screen_and_theme() {
    let Some(mut browser) = opened("languages, widths and colours") else { return };
    assert_eq!(browser.text("#new-game"), "New game");
    browser.choose("#language", "zh");
    assert_eq!(browser.text("#new-game"), "新对局");
    browser.assert_value("document.documentElement.lang", "zh-CN");
    let missing =
        "(() => { const names = Object.keys(TEXT.en); return Object.keys(TEXT.zh).length === names.length
        && names.every((name) => typeof TEXT.zh[name] === typeof TEXT.en[name]); })()";
    browser.assert_value(missing, true);
    for request in PROBLEMS.map(|(text, fen)| match fen {
        "" => json!({"do": "read", "text": text}),
        fen => json!({"do": "position", "fen": fen, "moves": text.split_whitespace().collect::<Vec<_>>()}),
    }) {
        let problem = format!(
            "engine.ask({request}).then(({{ warnings }}) => warnings.map(problemText).join(), ({{ message }}) => message)"
        );
        let problem: String = value(&mut browser, &problem);
        // Quoted parts of the input are not translated.
        let said: String = problem.split('"').step_by(2).collect();
        assert_translated(&said, &NAMES);
        assert!(said.chars().any(|c| c >= '\u{4e00}'), "{request}: {problem}");
    }
    let background = "getComputedStyle(document.body).backgroundColor";
    let light = browser.evaluate(background);
    browser.emulate("dark");
    let dark = browser.evaluate(background);
    assert_ne!(dark, light);
    browser.choose("#theme", "light");
    browser.assert_value(background, light);
    browser.choose("#theme", "auto");
    for language in ["zh", "en"] {
        browser.choose("#language", language);
        for [width, height] in [[360, 740], [768, 1024], [1600, 900]] {
            browser.resize([width, height], width < 500);
            assert_fits(&mut browser, width, language);
        }
    }
}

/// JavaScript function of the sources of the record readers: their messages, each `{…}` replaced by a sample, that have
/// no Chinese translation. A message is a literal with at least two words.
const UNTRANSLATED: &str = r#"((sources) => {
    const code = (source) => source.split('#[cfg(test)]')[0].replaceAll(/^ *\/\/.*$/gm, '').replaceAll(`'"'`, '');
    const literals = sources.flatMap((source) => [...code(source).matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text));
    const messages = literals.filter((text) => /[a-z]{2} [a-z]{2}|[a-z]{2}:? \{|\}'?[a-z]* [a-z]{2}/.test(text));
    const isChinese = (text) => /[\u4e00-\uffff]/.test(text) && !/[a-z]{3}/.test(text.replaceAll(/djddgd|JSON/g, ''));
    const isTranslated = (text) => ['7', 'Black'].some((part) => isChinese(problemText(text.replaceAll(/\{[^{}]*\}/g, part))));
    return messages.filter((text) => !isTranslated(text)).sort();
})"#;

/// Literals of the record readers that the page does not show: parts of records and of other programs' messages.
const NO_MESSAGES: [&str; 30] = [
    " (the bot crashed)",
    " (too late)",
    " (too much memory)",
    " at line ",
    ", lead {lead}",
    "Botzone says {verdict}{reason}",
    "an array",
    "an object",
    "an object",
    "beside words",
    "black {black}{lead}, visits {visits}{line}",
    "effort {effort}",
    "in no game",
    "is not understood",
    "lead {lead}",
    "loser: {value}",
    "result: {result}",
    "result: {sentence}",
    "result: {text}",
    "result: {value}",
    "result: {}",
    "take back",
    "taken back",
    "takes back",
    "the result",
    "took back",
    "win rate ",
    "win rate {rate}",
    "winner: {value}",
    "winning rate ",
];

/// Returns the texts of all Rust files in a folder and below, without the vocabulary of results, which is no message.
fn sources(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .filter(|path| !path.ends_with("verdict.rs"))
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![std::fs::read_to_string(path).expect("a source")],
        })
        .collect()
}

#[test]
fn every_message_of_the_record_readers_is_translated() {
    let Some(mut browser) = opened("translations of the record readers") else { return };
    browser.choose("#language", "zh");
    let sources = json!(sources(&repository().join("src/record")));
    let untranslated: Vec<String> = value(&mut browser, &format!("{UNTRANSLATED}({sources})"));
    assert_eq!(untranslated, NO_MESSAGES.map(str::to_owned));
}

#[test]
fn page_passes_the_accessibility_checker() {
    let Some(mut browser) = opened_with_axe("accessibility of the page") else { return };
    browser.click("#coach");
    browser.click_and_wait("#analyse", "(state.found?.visits ?? 0) > 500");
    browser.click("#best-moves .best");
    browser.click_and_wait("#analyse", "!state.analysing");
    for scheme in ["light", "dark"] {
        browser.emulate(scheme);
        for language in ["en", "zh"] {
            browser.choose("#language", language);
            assert_accessible(&mut browser, &format!("{scheme}, {language}"));
        }
        for (button, dialog) in [("#new-game", "#new-game-dialog"), ("#open-paste", "#paste-dialog")] {
            browser.click(button);
            assert_accessible(&mut browser, &format!("{scheme}, {dialog}"));
            browser.evaluate(&format!("document.querySelector({dialog:?}).close('cancel')"));
        }
        browser.click("#open-set-up");
        assert_accessible(&mut browser, &format!("{scheme}, set up"));
        browser.click("#set-up-cancel");
    }
    browser.resize([360, 740], true);
    assert_accessible(&mut browser, "360 pixels");
}

#[test]
fn file_is_small_and_loads_no_other_resource() {
    let Some(page) = page("the page's file") else { return };
    let file = std::fs::read_to_string(page).expect("a file");
    assert!(file.len() < 2_000_000, "{} bytes", file.len());
    // Any word can be in the letters of the engine.
    let (page, engine) = file.split_once("id=\"engine-module\">").expect("an engine");
    let (_, rest) = engine.split_once('<').expect("an end");
    let foreign = format!("{page}{rest}").replace("http://www.w3.org/2000/svg", "");
    for word in ["http://", "https://", "//www", "src=", "@import", "url("] {
        assert!(!foreign.contains(word), "{word}");
    }
    let codes = [("%0A", "\n"), ("%22", "\""), ("%23", "#"), ("%3C", "<"), ("%5C", "\\"), ("%25", "%")];
    let modules = codes.iter().fold(file, |text, (code, character)| text.replace(code, character));
    for script in ["elements.js", "replay.js", "board.js", "curve.js"] {
        assert!(modules.contains(&format!("//# sourceURL=shared/{script}\n")), "no module {script}");
    }
    // Comments stay in the sources.
    assert!(!modules.contains("/** "), "a comment is in the page");
}

#[test]
fn only_the_scripts_of_the_page_run() {
    let Some(mut browser) = opened("scripts that slip into the page") else { return };
    browser.evaluate(
        "globalThis.ran = [];
         document.body.insertAdjacentHTML('beforeend', `<img src='data:,' onerror='ran.push(1)'>`);
         const script = document.createElement('script');
         script.textContent = 'ran.push(2)';
         document.body.append(script);",
    );
    browser.wait_for("document.querySelector('img').complete");
    browser.assert_value("new Promise((resolve) => setTimeout(() => resolve(ran), 100))", json!([]));
    // Chromium reports both.
    browser.forget_events();
}

#[test]
fn layout_stays_when_a_move_is_made() {
    let Some(mut browser) = opened("the places of the cards") else { return };
    browser.resize([1366, 625], false);
    start_game(&mut browser);
    let places =
        "scrollTo(0, 0); [...document.querySelectorAll('.card, .card > *, footer')].filter((element) => element.offsetParent)
        .map((element) => [element.id || element.className, element.offsetTop, element.offsetHeight])";
    let before = browser.evaluate(places);
    let [top, bottom]: [f64; 2] =
        value(&mut browser, "(({ top, bottom }) => [top, bottom])(byId('board').getBoundingClientRect())");
    assert!(bottom - top >= 480.0 && bottom <= 625.0, "the board reaches from {top} to {bottom}");
    for ply in [2, 4, 6] {
        let mv = random_move(&position(&mut browser), &mut Rng::with_seed(ply));
        click_square(&mut browser, mv.from);
        click_square(&mut browser, mv.to);
        assert_eq!(browser.evaluate(places), before, "in the middle of a move");
        click_square(&mut browser, mv.arrow);
        assert_eq!(browser.evaluate(places), before, "after a move");
        browser.wait_for(&format!("state.tree.current.ply === {ply} && state.found === null"));
        wait_for_turn(&mut browser);
        assert_eq!(browser.evaluate(places), before, "after the answer");
    }
    browser.click("#coach");
    browser.click_and_wait("#analyse", "document.querySelectorAll('#best-moves tbody tr').length > 0");
    let before = browser.evaluate(places);
    let visits: u64 = value(&mut browser, "state.found.visits");
    browser.wait_for(&format!("state.found.visits > {}", visits + 1000));
    assert_eq!(browser.evaluate(places), before, "with analysis");
}

#[test]
fn win_rate_is_readable_or_hidden_if_unknown() {
    let Some(mut browser) = opened("the bar of the win rate") else { return };
    open_for_two_persons(&mut browser);
    assert_eq!(browser.text("#rate"), "");
    browser.assert_value("byId('rate').querySelector('.share').offsetWidth", 0);
    // The text lies within one part of the bar and contrasts with that part's colour.
    let contrast = "(() => {
        const bar = byId('rate'), [share, number] = bar.children, range = document.createRange();
        range.selectNodeContents(number);
        const [edge, text] = [share.getBoundingClientRect().right, range.getBoundingClientRect()];
        const under = text.right <= edge ? share : text.left >= edge ? bar : null;
        const light = (colour) => colour.match(/[0-9]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
        return under && Math.abs(light(getComputedStyle(under).backgroundColor) - light(getComputedStyle(number).color));
    })()";
    for scheme in ["light", "dark"] {
        browser.emulate(scheme);
        for rate in [0.0, 0.05, 0.3, 0.49, 0.5, 0.95, 1.0] {
            browser.evaluate(&format!("state.tree.current.rate = {rate}; drawSearch()"));
            // The share of the leader.
            browser.assert_text("#rate", &format!("{:.1} %", 100.0 * f64::max(rate, 1.0 - rate)));
            let contrast: Option<u64> = value(&mut browser, contrast);
            assert!(contrast > Some(500), "{scheme}, {rate}: {contrast:?}");
        }
    }
}

#[test]
fn proven_endgame_shows_its_margin() {
    let Some(mut browser) = opened("proofs in the page") else { return };
    // White is walled off and has more moves left than Black; the proof needs no search.
    let shown = "state.tree.line().length === 3 && document.querySelectorAll('#curve .proven').length === 3";
    paste(&mut browser, "q3/****/****/Q1** w - - 0 1 moves a1-b1/a1 a4-b4/a4", shown);
    assert_eq!(browser.text("#rate"), "proven: White wins (+2)");
    browser.assert_value("state.tree.line().map(({ rate }) => rate)", json!([0, 0, 0]));
    browser.assert_text("#curve .legend", "□ proven: White wins (+2)");
    // A proof without a margin or a searched rate does not replace the proof with a margin.
    browser.evaluate("state.tree.prove(state.tree.root, { winner: 'white', margin: null })");
    browser.evaluate("state.tree.learn(state.tree.root, 0.45, 1000)");
    browser.assert_value("[state.tree.root.rate, state.tree.root.proof.margin]", json!([0, 2]));
}

#[test]
fn gbk_and_utf_16_records_of_chinese_programs_are_read() {
    let Some(mut browser) = opened("records in GBK and UTF-16") else { return };
    let folder = Folder::new("gbk");
    let file = folder.join("record.txt");
    // #[AM][甲队][乙队][先手胜] in GBK.
    let header =
        b"#[AM][\xbc\xd7\xb6\xd3][\xd2\xd2\xb6\xd3][\xcf\xc8\xca\xd6\xca\xa4][2020.08.16][2020 CCGC];\r\n";
    std::fs::write(&file, [&header[..], b"1 d1d7(g7) a7d4(a7)\r\n"].concat()).expect("a file");
    browser.give_file("#file", &file);
    browser.wait_for("state.tree.line().length === 3");
    browser.assert_value("[state.tree.record.black, state.tree.record.white]", json!(["甲队", "乙队"]));
    let text = "\u{feff}#[AM][丙队][乙队][先手胜][2020.08.16][2020 CCGC];\r\n1 d1d7(g7) a7d4(a7) 2 g1e3(e10)";
    std::fs::write(&file, text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>())
        .expect("a file");
    browser.give_file("#file", &file);
    browser.wait_for("state.tree.line().length === 4");
    browser.assert_value("[state.tree.record.black, state.tree.record.white]", json!(["丙队", "乙队"]));
}

// Match mode needs `otrera gui`; `bot/tests/match_mode.rs` plays matches.
#[test]
fn page_from_a_file_hides_match_mode() {
    let Some(mut browser) = opened("match mode without the program") else { return };
    let hidden = "['open-match', 'match-offers', 'match'].map((id) => byId(id).hidden)";
    browser.assert_value(hidden, json!([true, true, true]));
    // The file of a match is opened as a plain game.
    let mut line: Value = serde_json::from_str(&json::write(&game(8, 4))).expect("JSON");
    line["match"] = json!({"id": "", "state": {"us": "black"}});
    paste(&mut browser, &line.to_string(), GAME_SHOWN);
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
