//! Tests of the web page's match mode: saving matches on the server, and whole matches in a browser, with operator
//! mistakes.

use crate::common::{files, folder, only_record, read, text};
use crate::gui::Gui;
use fastrand::Rng;
use otrera::record::{self, json};
use otrera::{GameRecord, Limits, Move, Params, Position, Resources, Search, Side, Size};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use testkit::browser::{Browser, expected};
use testkit::page::{assert_accessible, assert_fits, assert_schemes_accessible, assert_translated, axe};

fn start(folder: &Path) -> Gui {
    let names = ["--team", "东北大学", "--opponent", "Queen Bee"];
    Gui::start(&[&["--record-dir", text(folder), "--seed", "7"], &names[..]].concat())
}

/// Creates the request by which the page with ID `writer` saves a new, unfinished 8x8 match with these moves.
fn match_of(writer: &str, moves: &[&str]) -> Value {
    let moves: Vec<Move> = moves.iter().map(|text| text.parse().expect("a move")).collect();
    let game = GameRecord {
        event: "2026 CCGC".into(),
        ..GameRecord::new("Otrera", "Queen Bee", Position::start(Size::BOTZONE)).with_moves(&moves)
    };
    let game: Value = serde_json::from_str(&json::write(&game)).expect("JSON");
    json!({"id": null, "writer": writer, "game": game, "state": {"us": "black", "over": false}})
}

impl Gui {
    fn save(&self, request: &Value) -> Value {
        self.json("POST", "save", &request.to_string())
    }

    fn unfinished(&self) -> Vec<Value> {
        self.json("GET", "matches", "")["matches"].as_array().expect("a list").clone()
    }
}

fn entries_in(folder: &Path) -> usize {
    std::fs::read_dir(folder).expect("a folder").count()
}

/// Reads and parses the only record in a folder.
fn record(folder: &Path) -> GameRecord {
    record::read(&only_record(folder).1).expect("a record").games.remove(0)
}

/// Reads and parses the only match's JSON file in a folder.
fn saved_match(folder: &Path) -> Value {
    let [file] = &files(folder, "json")[..] else { panic!("{:?}", files(folder, "json")) };
    serde_json::from_str(&read(file)).expect("JSON")
}

#[test]
fn only_the_page_can_save_and_list_matches() {
    let folder = folder("match-strangers");
    let gui = start(&folder);
    let body = match_of("w", &[]).to_string();
    for (method, swapped, name) in [("POST", "GET", "save"), ("GET", "POST", "matches")] {
        let before = entries_in(&folder);
        gui.assert_only_the_page_admitted(method, name, &body, |case| {
            assert_eq!(entries_in(&folder), before, "{case}");
        });
        let path = format!("{}{name}", gui.root);
        let answer = gui.exchange(gui.request(swapped, &path, &gui.host, "", &body).as_bytes());
        assert!(answer.starts_with("HTTP/1.1 404 "), "{swapped} {path}");
    }
    assert_eq!(files(&folder, "json").len(), 3, "one file for each accepted request");
}

#[test]
fn bad_matches_are_refused_and_file_names_sanitised() {
    let folder = folder("match-names");
    let inner = folder.join("records");
    let gui = start(&inner);
    let refused = |change: &dyn Fn(&mut Value), problem: &str| {
        let mut request = match_of("w", &["c1-c6/f6"]);
        change(&mut request);
        let answer = gui.save(&request);
        assert!(answer["problem"].as_str().is_some_and(|text| text.contains(problem)), "{problem}: {answer}");
    };
    refused(&|request| request["game"]["start"] = json!("q3/4/4/3Q w - - 0 1"), "standard start position");
    refused(&|request| request["game"]["moves"][0]["move"] = json!("c1-c9/c8"), "move 1");
    refused(&|request| request["game"] = json!(7), "invalid match");
    refused(&|request| request["state"] = json!([]), "invalid match");
    refused(&|request| request["id"] = json!("../../etc/passwd"), "id");
    refused(&|request| request["id"] = json!("0".repeat(33)), "id");
    let save = format!("POST {}save HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", gui.root, gui.host);
    let large =
        gui.exchange(format!("{save}Content-Length: 2000000\r\n\r\n{}", " ".repeat(2_000_000)).as_bytes());
    assert!(large.is_empty() || large.contains(" 413 "), "{large:.200}");
    assert!(!inner.exists(), "a refused match leaves no file");
    let mut request = match_of("w", &["c1-c6/f6"]);
    for name in ["black", "white", "event"] {
        request["game"][name] = json!("../../x/..\\C:\0");
    }
    assert!(gui.save(&request)["file"].is_string());
    assert_eq!(entries_in(&folder), 1, "no file outside the folder");
    assert_eq!(entries_in(&inner), 2, "one record and one match");
    gui.assert_answers();
}

#[test]
fn saving_replaces_files_and_results_rename_the_record() {
    let folder = folder("match-files");
    let gui = start(&folder);
    let mut request = match_of("first", &[]);
    let saved = gui.save(&request);
    request["id"] = saved["id"].clone();
    for moves in [&["c1-c6/f6"][..], &["c1-c6/f6", "a6-b6/b7"], &["c1-c6/f6"], &["c1-c6/f6", "a6-a5/a4"]] {
        request["game"] = match_of("first", moves)["game"].clone();
        assert_eq!(gui.save(&request)["file"], saved["file"]);
        assert_eq!(
            record(&folder).played_moves(),
            moves.iter().map(|text| text.parse().expect("a move")).collect::<Vec<Move>>()
        );
    }
    // Another window resumes the match; the first one can no longer overwrite it.
    let stale = request.clone();
    request["writer"] = json!("second");
    assert_eq!(gui.save(&request)["problem"], "this match is open in another window");
    request["takes_over"] = json!(true);
    assert_eq!(gui.save(&request)["file"], saved["file"]);
    assert!(gui.save(&stale)["problem"].is_string());
    // The refusal survives a restart of the program.
    drop(gui);
    let gui = start(&folder);
    assert!(gui.save(&stale)["problem"].is_string());
    assert_eq!(gui.unfinished().len(), 1);
    request["game"]["winner"] = json!("white");
    request["state"]["over"] = json!(true);
    let file = gui.save(&request)["file"].as_str().expect("a path").to_owned();
    assert!(file.contains("AM-OtreraB vs Queen BeeW-后手胜-") && file.ends_with("-2026 CCGC.txt"), "{file}");
    assert_eq!(record(&folder).winner, Some(Side::White));
    assert!(gui.unfinished().is_empty());
    assert_eq!(entries_in(&folder), 2);
    // A second match in the same minute gets its own files.
    gui.save(&match_of("third", &["c1-c5/f5"]));
    assert_eq!((files(&folder, "txt").len(), files(&folder, "json").len()), (2, 2));
}

/// A running `otrera gui`, its page in a browser, and its record folder.
struct Table {
    gui: Gui,
    browser: Browser,
    folder: PathBuf,
    /// The time that [`Self::inject_clock`] gives the page.
    now: Option<Duration>,
}

impl Table {
    /// Starts the program and opens the page; `None` if no browser is installed.
    fn new(test: &str, name: &str) -> Option<Self> {
        let folder = folder(name);
        let (gui, browser) = (start(&folder), Browser::start(test)?);
        let mut table = Self { gui, browser, folder, now: None };
        table.load();
        Some(table)
    }

    fn load(&mut self) {
        if let Some(now) = self.now {
            let source = clock_at(now);
            self.browser.command("Page.addScriptToEvaluateOnNewDocument", json!({"source": source}));
        }
        self.browser.open_address(&self.gui.address, "");
        self.browser.wait_for("Boolean(state.tree?.current.described)");
    }

    /// Lets the page's clock run only while a test waits for our move, so that a slow browser costs no time.
    fn inject_clock(&mut self) {
        self.now = Some(Duration::from_secs(1_700_000_000));
        self.run_clock(Duration::ZERO);
    }

    /// Advances the injected clock, if there is one.
    fn run_clock(&mut self, elapsed: Duration) {
        if let Some(now) = &mut self.now {
            *now += elapsed;
            let source = clock_at(*now);
            self.browser.evaluate(&source);
        }
    }

    /// Simulates a crash: replaces the program with a new process and opens the new page.
    fn crash(&mut self) {
        self.browser.assert_no_complaints();
        self.gui = start(&self.folder);
        self.load();
        // The old page reported the lost connection as an error.
        self.browser.forget_events();
    }

    /// Asserts that the page shows the position, with our side at the bottom.
    fn assert_board(&mut self, position: &Position) {
        self.browser.assert_value("board.flipped === (match.us === 'white')", true);
        assert_eq!(self.browser.board(), expected(position));
    }

    /// Starts a match through the dialog: our side, board edge, minutes per side, and overhead per move in seconds.
    fn begin(&mut self, us: &str, edge: usize, minutes: &str, overhead: &str) {
        let browser = &mut self.browser;
        browser.click("#open-match");
        browser.click(&format!("#match-side input[value='{us}']"));
        browser.click(&format!("#match-size input[value='{edge}']"));
        for (field, value) in [("minutes", minutes), ("overhead", overhead), ("event", "2026 CCGC")] {
            browser.fill(&format!("#match-{field}"), value);
        }
        browser.click("#match-begin");
        browser.wait_for(&format!("match.active && state.tree.root.described?.edge === {edge}"));
    }

    fn wait_for_phase(&mut self, phase: &str) {
        self.browser.wait_for(&format!("match.phase === {phase:?} && Boolean(state.tree.current.described)"));
    }

    /// Waits until all changes are saved; panics if saving failed.
    fn wait_for_save(&mut self) {
        self.browser.evaluate("match.saving");
        self.browser.assert_value("match.saveProblem", Value::Null);
    }

    fn position(&mut self) -> Position {
        self.browser.wait_for("Boolean(state.tree.current.described)");
        let fen = self.browser.evaluate("state.tree.current.described.fen");
        Position::from_fen(fen.as_str().expect("a text")).expect("a FEN")
    }

    /// Waits for our move and returns it. Asserts that the page announces its squares and, on 10x10, its SAU notation.
    fn announced(&mut self) -> Move {
        let begun = Instant::now();
        let mut last = begun;
        while self.browser.evaluate("match.phase === 'thinking' || !state.tree.current.described") == true {
            assert!(begun.elapsed() < Duration::from_secs(600), "no move of ours");
            std::thread::sleep(Duration::from_millis(5));
            self.run_clock(last.elapsed());
            last = Instant::now();
        }
        self.wait_for_phase("announced");
        let mv = self.browser.evaluate("match.decided.move");
        let mv: Move = mv.as_str().expect("a move").parse().expect("a move");
        let squares = [mv.from, mv.to, mv.arrow].map(|square| square.to_string().to_uppercase());
        let task = self.browser.text("#match-task").replace('\u{a0}', " ");
        assert_eq!(task, format!("Our move: {} → {}, arrow {}", squares[0], squares[1], squares[2]));
        if self.browser.evaluate("startOf(state.tree.start).edge") == 10 {
            let letters = self.browser.text("#match-letters");
            let sau = letters.strip_prefix("SAU: ").expect("SAU letters").replace(' ', "");
            assert_eq!(Move::from_letters(&sau, Size::STANDARD), Some(mv));
        }
        mv
    }

    /// Plays our announced move and returns it.
    fn play_ours(&mut self) -> Move {
        let mv = self.announced();
        self.browser.press("p");
        self.browser.wait_for("match.decided === null");
        mv
    }

    fn click_move(&mut self, mv: Move) {
        self.wait_for_phase("entry");
        for square in [mv.from, mv.to, mv.arrow] {
            self.browser.click(&format!("#squares [data-square='{square}']"));
        }
        self.browser.wait_for(&format!("match.entered === '{mv}'"));
    }

    fn type_move(&mut self, mv: Move) {
        self.wait_for_phase("entry");
        self.browser.press("e");
        self.browser.fill("#typed-move", &mv.to_string());
        self.browser.click("#type-move button");
        self.browser.wait_for(&format!("match.entered === '{mv}'"));
    }

    fn confirm(&mut self) {
        let ply = self.browser.evaluate("state.tree.current.ply").as_u64().expect("a number");
        self.browser.press("Enter");
        self.browser.wait_for(&format!("state.tree.current.ply === {}", ply + 1));
    }

    /// Enters and confirms the opponent's first legal move; returns the move.
    fn enter_any_move(&mut self) -> Move {
        let mv = self.position().legal_moves().next().expect("a move");
        self.type_move(mv);
        self.confirm();
        mv
    }

    /// Enters a time such as `0:20` into the clock's field.
    fn set_clock(&mut self, time: &str) {
        self.browser.fill("#match-clock", time);
        self.browser.click("#match-clock-form button");
    }

    /// Takes back the last move, with `reason` entered in the take-back dialog.
    fn take_back(&mut self, reason: &str) {
        let ply = self.browser.evaluate("state.tree.current.ply").as_u64().expect("a number");
        self.browser.press("b");
        self.browser.fill("#match-reason", reason);
        self.browser.click("#match-back-done");
        self.browser.wait_for(&format!("state.tree.current.ply === {}", ply - 1));
    }

    /// Pauses for a moment; asserts that the clocks stop and that no move is played.
    fn assert_pause_stops_clocks(&mut self) {
        let state = "[match.left('black'), match.left('white'), state.tree.current.ply]";
        self.browser.press("h");
        self.wait_for_phase("paused");
        let stopped = self.browser.evaluate(state);
        self.browser.press("p");
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(self.browser.evaluate(state), stopped);
        self.browser.press("h");
    }

    /// Asserts that a move is not taken back without a reason, nor by Cancel.
    fn assert_reason_needed(&mut self) {
        let ply = self.browser.evaluate("state.tree.current.ply");
        self.browser.press("b");
        self.browser.click("#match-back-done");
        assert_eq!(self.browser.evaluate("byId('match-back-dialog').open"), true, "a reason is needed");
        self.browser.assert_value("state.tree.current.ply", ply.clone());
        self.browser.click("#match-back-dialog [value='cancel']");
        self.browser.wait_for("!byId('match-back-dialog').open");
        assert_eq!(self.browser.evaluate("state.tree.current.ply"), ply, "Cancel takes nothing back");
    }

    /// Waits until the page has opened the match by itself.
    fn wait_for_match(&mut self) {
        self.browser.wait_for("match.active && Boolean(state.tree.current.described)");
    }

    fn time_left(&mut self, side: &str) -> f64 {
        self.browser.evaluate(&format!("match.left({side:?})")).as_f64().expect("a number")
    }
}

/// Returns a script that stops the page's clock at a time since 1970.
fn clock_at(now: Duration) -> String {
    format!("void (Date.now = () => {})", now.as_millis())
}

/// Returns a legal move other than `mv`, or `mv` if no other move is legal.
fn other_move(position: &Position, mv: Move) -> Move {
    position.legal_moves().find(|&other| other != mv).unwrap_or(mv)
}

#[test]
fn the_opponents_move_needs_confirmation() {
    let Some(mut table) = Table::new("moves of a match", "match-moves") else { return };
    table.begin("white", 10, "15", "5");
    table.browser.assert_text("#game-title", "Queen Bee");
    table.browser.assert_text("#game-title", "东北大学");
    table.browser.assert_value("byId('game-title').scrollHeight <= byId('game-title').clientHeight", true);
    let begin = table.position();
    let [wrong, right] = ["d1-d6/g6", "d1-d7/g7"].map(|text| text.parse::<Move>().expect("a move"));
    table.click_move(wrong);
    assert_eq!(table.browser.text("#match-task"), "Black: amazon from d1 to d6, arrow to g6");
    table.assert_board(&begin);
    // Clicks start no second move while a move waits for confirmation.
    table.browser.click("#squares [data-square='g1']");
    table.browser.assert_value("[match.entered, state.half.from ?? null]", json!(["d1-d6/g6", null]));
    table.browser.press("Escape");
    table.wait_for_phase("entry");
    table.type_move(right);
    assert_eq!(table.browser.text("#match-task"), "Black: amazon from d1 to d7, arrow to g7");
    assert_eq!(table.browser.text("#match-letters"), "SAU: DJ DD GD");
    table.browser.assert_value("match.running", "black");
    table.confirm();
    table.assert_board(&begin.with_move(right));
    // The moves are listed beside the board; the list does not step through the match.
    let moves = "byId('moves').checkVisibility() && byId('moves').getBoundingClientRect().left
        >= byId('board').getBoundingClientRect().right && byId('moves').innerText.includes('d1-d7/g7')";
    table.browser.assert_value(moves, true);
    assert_eq!(table.browser.evaluate("byId('moves').querySelector('.move[data-ply]').disabled"), true);
    table.browser.assert_value("match.running", "white");
    // A short remaining time shortens the search.
    table.browser.fill("#match-clock", "0:10");
    table.browser.press("Enter");
    table.browser.click("#match-clock-form button");
    let ours = table.announced();
    assert_eq!(table.browser.evaluate("match.running"), "white", "our clock runs until the move is played");
    table.browser.press("Enter");
    assert_eq!(table.browser.evaluate("state.tree.current.ply"), 1, "Enter plays no move of ours");
    table.browser.press("p");
    table.browser.wait_for("state.tree.current.ply === 2");
    table.browser.assert_value("match.running", "black");
    table.assert_board(&begin.with_move(right).with_move(ours));
    table.wait_for_save();
    assert_eq!(record(&table.folder).played_moves(), [right, ours]);
}

#[test]
fn clocks_limit_thinking_and_can_be_paused() {
    let Some(mut table) = Table::new("clocks of a match", "match-clocks") else { return };
    // Collects the page's requests for our moves.
    table.browser.evaluate(
        "window.thinks = []; const asking = engine.ask.bind(engine);
        engine.ask = (request) => { if (request.clock) thinks.push(request); return asking(request); }; 0",
    );
    table.begin("black", 8, "15", "4");
    table.browser.wait_for("thinks.length === 1");
    let clock = table.browser.evaluate("thinks[0].clock");
    assert_eq!((clock["total"].as_f64(), clock["overhead"].as_f64()), (Some(900.0), Some(4.0)));
    assert!(clock["left"].as_f64() > Some(890.0), "{clock}");
    // With fifteen minutes left this move may take half a minute; with 20 s left, about a second.
    table.set_clock("1:70");
    assert!(table.time_left("black") > 880.0, "1:70 is not a time");
    // Only the time after the correction is charged to the corrected clock; the time before belongs to the move.
    table.browser.evaluate("match.since -= 3000");
    table.set_clock("0:20");
    let set = Instant::now();
    let [left, spent]: [f64; 2] =
        serde_json::from_value(table.browser.evaluate("[thinks.at(-1).clock.left, match.spent]"))
            .expect("numbers");
    assert!(left > 19.0 && spent >= 3.0, "{left} s left after {spent} s");
    table.announced();
    assert!(set.elapsed() < Duration::from_secs(15), "the running search gets the new time");
    let clock = table.browser.evaluate("thinks.at(-1).clock");
    assert!(clock["left"].as_f64() <= Some(20.0), "{clock}");
    assert!(table.time_left("black") < 20.0 && table.time_left("white") == 900.0);
    table.assert_pause_stops_clocks();
    table.wait_for_phase("announced");
    table.browser.press("p");
    table.browser.wait_for("match.running === 'white' && match.left('white') < 899.9");
    // An expired clock does not end the match. If our clock expires, a warning appears.
    table.browser.assert_value("byId('match-flag').hidden", true);
    table.browser.choose("#match-clock-side", "theirs");
    table.set_clock("0:00");
    table.browser.wait_for("byId('match-time-white').textContent.startsWith('−')");
    table.browser.assert_value("[match.phase, byId('match-flag').hidden]", json!(["entry", true]));
    table.wait_for_save();
    assert_eq!(saved_match(&table.folder)["match"]["state"]["clocks"]["white"], 0);
    table.browser.choose("#match-clock-side", "ours");
    table.set_clock("0:00");
    table.browser.wait_for("!byId('match-flag').hidden");
    table.enter_any_move();
    table.announced();
}

#[test]
fn taking_back_a_move_records_the_reason() {
    let Some(mut table) = Table::new("moves taken back in a match", "match-back") else { return };
    table.begin("black", 8, "0.5", "0");
    let begin = table.position();
    let ours = table.play_ours();
    let after_ours = begin.with_move(ours);
    let wrong = after_ours.legal_moves().next().expect("a move");
    table.click_move(wrong);
    table.confirm();
    table.announced();
    table.assert_reason_needed();
    table.take_back("read wrongly");
    table.wait_for_phase("entry");
    // A crash straight after a move is taken back does not bring the move back.
    table.wait_for_save();
    assert_eq!(record(&table.folder).played_moves(), [ours]);
    table.crash();
    table.wait_for_match();
    table.wait_for_phase("entry");
    table.assert_board(&after_ours);
    // After taking back our own move, the page announces it again without a search.
    table.take_back("not played yet");
    table.browser.assert_value("match.decided?.move ?? null", ours.to_string());
    assert_eq!(table.announced(), ours);
    table.wait_for_save();
    assert_eq!(record(&table.folder).played_moves(), []);
    assert_eq!(saved_match(&table.folder)["match"]["state"]["decided"]["move"], ours.to_string());
    // The operator has played another move on the real board.
    table.browser.press("o");
    table.wait_for_phase("entry");
    let by_hand = other_move(&begin, ours);
    table.click_move(by_hand);
    table.confirm();
    let right = begin.with_move(by_hand).legal_moves().next().expect("a move");
    table.type_move(right);
    table.confirm();
    let announced = table.announced();
    table.wait_for_save();
    assert_eq!(record(&table.folder).played_moves(), [by_hand, right]);
    // Cancelling the operator's own move announces Otrera's move again.
    table.browser.press("o");
    let by_hand = other_move(&table.position(), announced);
    let amazon = by_hand.to_string().split('-').next().expect("a square").to_owned();
    table.browser.click(&format!("#squares [data-square='{amazon}']"));
    table.browser.assert_value("state.half.from", amazon);
    table.browser.press("Escape");
    table.browser.assert_value("[match.phase, match.byHand, state.half]", json!(["entry", true, {}]));
    table.click_move(by_hand);
    table.browser.press("Escape");
    table.wait_for_phase("entry");
    table.browser.press("Escape");
    assert_eq!(table.announced(), announced);
    assert_taken_back(&saved_match(&table.folder)["notes"], ours, wrong);
}

/// Asserts that the notes of a match hold both moves taken back, our first one and the reply to it, with the reasons.
fn assert_taken_back(notes: &Value, ours: Move, reply: Move) {
    let comment = notes["0"]["comment"].as_str().expect("a comment");
    assert!(comment.contains(&format!("Taken back: {ours} (not played yet)")), "{notes}");
    let variation = &notes["0"]["variations"][0];
    assert_eq!(variation["moves"][0]["move"], ours.to_string());
    let comment = variation["notes"]["1"]["comment"].as_str().expect("a comment");
    assert_eq!(comment, format!("Taken back: {reply} (read wrongly)"), "{notes}");
}

#[test]
fn matches_resume_after_reload_crash_and_file_transfer() {
    let Some(mut table) = Table::new("matches that are resumed", "match-resume") else { return };
    table.browser.assert_value("byId('match-offers').hidden", true);
    table.begin("white", 8, "5", "0");
    let begin = table.position();
    let first = table.enter_any_move();
    table.set_clock("0:20");
    let ours = table.announced();
    table.wait_for_save();
    table.resume_in_another_tab();
    // A reload of the tab opens its match.
    table.load();
    table.wait_for_match();
    let decided = table.browser.evaluate("match.decided?.move ?? null");
    assert_eq!(decided, ours.to_string(), "the announced move stays");
    assert_eq!(table.announced(), ours);
    assert!(table.time_left("white") < 20.0 && table.time_left("black") < 300.0);
    assert_eq!(table.play_ours(), ours);
    table.wait_for_save();
    table.crash_for_a_second();
    assert_eq!(table.position(), begin.with_move(first).with_move(ours));
    let third = table.enter_any_move();
    table.wait_for_save();
    assert_eq!(record(&table.folder).played_moves(), [first, ours, third]);
    table.move_to_another_computer(&[first, ours, third]);
}

/// Steps of [`matches_resume_after_reload_crash_and_file_transfer`].
impl Table {
    /// Another tab can hold a match: a page without this tab's memory offers the match in one button.
    fn resume_in_another_tab(&mut self) {
        self.browser.evaluate("sessionStorage.clear()");
        self.load();
        self.browser.wait_for("byId('match-offers').innerText.includes('Queen Bee – 东北大学')");
        self.browser.assert_value("match.active", false);
        self.browser.click("#match-offers button");
        self.wait_for_match();
        self.wait_for_save();
    }

    /// While no program answers, the page says so, and the opponent's clock runs.
    fn crash_for_a_second(&mut self) {
        let (before, began) = (self.time_left("black"), Instant::now());
        self.browser.assert_no_complaints();
        self.gui = start(&self.folder);
        std::thread::sleep(Duration::from_secs(1));
        self.set_clock("4:00");
        self.browser.wait_for("byId('match-problem').textContent.includes('program does not answer')");
        self.load();
        self.browser.forget_events();
        self.wait_for_match();
        self.wait_for_phase("entry");
        let gone = before - self.time_left("black");
        // At least one second has passed, and more on a busy machine.
        assert!(
            (1.0..began.elapsed().as_secs_f64() + 3.0).contains(&gone),
            "the clock kept running: {gone} s"
        );
    }

    /// On another computer, much later, the page opens the match file with stopped clocks. It refuses a match file
    /// without clocks.
    fn move_to_another_computer(&mut self, moves: &[Move]) {
        let file = files(&self.folder, "json").remove(0);
        let mut old = saved_match(&self.folder);
        old["match"]["state"]["since"] = json!(1_000_000);
        let copy = folder("match-copy").join("copy.json");
        std::fs::write(&copy, old.to_string()).expect("a file");
        self.folder = folder("match-resume-elsewhere");
        self.crash();
        self.browser.assert_value("byId('match-offers').hidden", true);
        self.browser.give_file("#file", &copy);
        self.browser.wait_for("match.active && Boolean(state.tree.current.described)");
        self.wait_for_phase("paused");
        self.wait_for_save();
        assert_eq!(record(&self.folder).played_moves(), moves);
        assert!(file.exists(), "the first computer's file stays");
        old["match"]["state"]["clocks"] = Value::Null;
        std::fs::write(&copy, old.to_string()).expect("a file");
        self.browser.give_file("#file", &copy);
        self.browser.wait_for("byId('status').textContent.includes('A match is running')");
        self.browser.evaluate("match.end('', '')");
        self.wait_for_save();
        self.crash();
        self.browser.give_file("#file", &copy);
        self.browser.wait_for("byId('status').textContent.includes('incomplete')");
    }
}

#[test]
fn a_failed_save_is_shown_and_retried() {
    let Some(mut table) = Table::new("a failed save", "match-unsaved") else { return };
    table.begin("white", 8, "5", "0");
    table.wait_for_save();
    let away = table.folder.with_extension("away");
    let _ = std::fs::remove_dir_all(&away);
    std::fs::rename(&table.folder, &away).expect("a renamed folder");
    let mv = table.enter_any_move();
    table.browser.wait_for("byId('match-problem').textContent.startsWith('Not saved: ')");
    std::fs::rename(&away, &table.folder).expect("a renamed folder");
    table.browser.wait_for("byId('match-problem').textContent === ''");
    assert_eq!(record(&table.folder).played_moves(), [mv]);
}

#[test]
fn the_referees_result_ends_a_match() {
    let Some(mut table) = Table::new("the end of a match", "match-end") else { return };
    table.begin("white", 8, "5", "0");
    table.enter_any_move();
    table.browser.click("#match-end");
    table.browser.choose("#match-winner", "black");
    table.browser.fill("#match-end-reason", "White's flag fell");
    table.browser.click("#match-end-done");
    table.wait_for_phase("over");
    assert_eq!(table.browser.text("#match-task"), "The match is over: Black has won.");
    table.wait_for_save();
    assert_eq!(record(&table.folder).winner, Some(Side::Black));
    assert_eq!(saved_match(&table.folder)["notes"]["1"]["comment"], "White's flag fell");
    table.browser.click("#match-close");
    table.browser.wait_for("!match.active && byId('match').hidden && state.players.white === 'human'");
    assert_eq!(table.browser.evaluate("byId('match-offers').hidden"), true, "nothing to offer");
}

#[test]
fn otrera_ponders_only_if_allowed() {
    let Some(mut table) = Table::new("pondering in a match", "match-pondering") else { return };
    table.begin("white", 8, "5", "0");
    std::thread::sleep(Duration::from_millis(500));
    table.browser.assert_value("state.tree.current.found", Value::Null);
    table.browser.evaluate("match.end('', '')");
    table.wait_for_save();
    table.load();
    table.browser.evaluate("byId('match-pondering').checked = true");
    table.begin("white", 8, "5", "0");
    table.browser.wait_for("(state.tree.current.found?.visits ?? 0) > 1000");
    // Pondering is invisible and does not delay our move.
    table.browser.assert_value("board.over.children.length", 0);
    table.enter_any_move();
    table.wait_for_phase("thinking");
}

/// Asserts that the match fits a window of this size, and that text in a large one is readable from two metres away.
fn assert_sizes(browser: &mut Browser, width: u32, height: u32) {
    if width > 1000 {
        for id in ["board", "match-keys", "moves"] {
            let bottom = browser.evaluate(&format!("byId({id:?}).getBoundingClientRect().bottom"));
            assert!(bottom.as_f64() < Some(height.into()), "{width}x{height}: {id} ends at {bottom}");
        }
    }
    let fit = "(match.clocks.white = 7200, match.drawClocks(), SIDES.every((side) => { const clock = byId(`match-time-${side}`);
        return clock.scrollWidth <= clock.clientWidth && clock.offsetHeight < 1.5 * parseFloat(getComputedStyle(clock).fontSize); }))";
    assert_eq!(browser.evaluate(fit), true, "{width}: a clock is wider than its field");
    if width > 1900 {
        let sizes = "[byId('match-task'), byId('match-time-black')].map((element) => parseFloat(getComputedStyle(element).fontSize))";
        let sizes = browser.evaluate(sizes);
        assert!(sizes[0].as_f64() >= Some(40.0) && sizes[1].as_f64() >= Some(60.0), "{sizes}");
        let board = browser.evaluate("byId('board').getBoundingClientRect().height");
        assert!(board.as_f64() >= Some(700.0), "{board}");
    }
}

/// Asserts that the board of a match is at the top of a phone; on its side, beside clocks and move.
fn assert_fits_a_phone(browser: &mut Browser) {
    for (size, condition) in [
        ([390, 844], "board.top <= 120 && board.bottom <= innerHeight && panel.top >= board.bottom"),
        ([844, 390], "board.top >= 0 && board.bottom <= innerHeight && panel.left >= board.right"),
    ] {
        browser.resize(size, size[0] < 500);
        let boxes =
            "const [board, panel] = ['board', 'match'].map((id) => byId(id).getBoundingClientRect());";
        let fits = format!("(() => {{ scrollTo(0, 0); {boxes} return {condition}; }})()");
        assert_eq!(browser.evaluate(&fits), true, "{size:?}");
    }
}

#[test]
fn match_mode_is_translated_responsive_and_accessible() {
    let Some(axe) = axe() else { return };
    let Some(mut table) = Table::new("accessibility of a match", "match-axe") else { return };
    table.browser.evaluate(&axe);
    table.begin("black", 10, "0.2", "0");
    for (language, width, height) in [("en", 1920, 1080), ("en", 1366, 625), ("zh", 360, 740)] {
        table.browser.choose("#language", language);
        table.browser.resize([width, height], width < 500);
        table.wait_for_phase("announced");
        table.browser.wait_for("byId('match-saved').textContent !== ''");
        if let Some(folder) = std::env::var_os("OTRERA_PICTURES") {
            table.browser.picture(&Path::new(&folder).join(format!("match-{width}.png")));
        }
        assert_schemes_accessible(&mut table.browser, language);
        assert_fits(&mut table.browser, width, language);
        assert_sizes(&mut table.browser, width, height);
    }
    assert_fits_a_phone(&mut table.browser);
    for (button, dialog) in [("match-back", None), ("match-end", Some("match-end-dialog"))] {
        table.browser.click(&format!("#{button}"));
        if let Some(dialog) = dialog {
            assert_accessible(&mut table.browser, dialog);
            table.browser.evaluate(&format!("byId({dialog:?}).close()"));
        }
    }
    table.browser.press("p");
    table.browser.wait_for("state.tree.current.ply === 1");
    table.browser.press("b");
    assert_accessible(&mut table.browser, "match-back-dialog");
    table.browser.evaluate("byId('match-back-dialog').close()");
    table.browser.evaluate("byId('match-flag').hidden = false");
    let said = table.browser.evaluate("byId('match').innerText.replace(byId('match-saved').innerText, '')");
    let names = ["SAU", "Enter", "Esc", "Otrera", "Queen", "Bee"];
    assert_translated(said.as_str().expect("a text"), &names);
    table.wait_for_save();
    table.browser.evaluate("sessionStorage.clear()");
    table.load();
    table.browser.evaluate(&axe);
    table.browser.wait_for("!byId('match-offers').hidden");
    assert_translated(&table.browser.text("#match-offers"), &names);
    table.browser.click("#open-match");
    assert_accessible(&mut table.browser, "the dialog of a new match");
}

/// Searches 300 iterations and returns the opponent's move for [`rehearse`].
fn opponent_move(position: &Position) -> Move {
    let resources = Resources { threads: 1, memory: 16 << 20, seed: 5 };
    let mut search = Search::new(*position, Params::TOURNAMENT, resources);
    search.run(&Limits::iterations(300), &AtomicBool::new(false), &mut |_| ()).best.expect("a move")
}

/// Plays a whole match with operator mistakes, a page reload and a crash. Asserts that the record has exactly the moves
/// played. `us` is our side, `minutes` the time per side.
fn rehearse(name: &str, us: Side, edge: usize, minutes: f64) {
    let Some(mut table) = Table::new("a rehearsal of a match", name) else { return };
    table.inject_clock();
    table.begin(&us.to_string().to_lowercase(), edge, &minutes.to_string(), "0.2");
    let mut position = Position::start(Size::new(edge).expect("a size"));
    let (mut played, mut rng) = (Vec::<Move>::new(), Rng::with_seed(3));
    while position.winner().is_none() {
        let mv = if position.side() == us {
            table.play_ours()
        } else {
            table.wait_for_phase("entry");
            table.assert_board(&position);
            let mv = opponent_move(&position);
            make_mistake(&mut table, played.len() / 2, &position, mv);
            if rng.bool() {
                table.type_move(mv);
            } else {
                table.click_move(mv);
            }
            table.confirm();
            mv
        };
        position = position.with_move(mv);
        played.push(mv);
        if matches!(played.len(), 11 | 16) {
            table.wait_for_save();
            if played.len() == 11 {
                table.load();
            } else {
                table.crash();
            }
            table.wait_for_match();
        }
    }
    table.wait_for_phase("over");
    table.wait_for_save();
    let record = record(&table.folder);
    assert_eq!(record.played_moves(), played);
    assert_eq!((record.winner, record.event.as_str()), (position.winner(), "2026 CCGC"));
    let names = [record.black.as_str(), record.white.as_str()];
    assert_eq!(names[us as usize], "东北大学");
    let saved = saved_match(&table.folder);
    let comments = saved["notes"].to_string();
    for reason in ["confirmed by mistake", "hand slipped"] {
        assert_eq!(comments.matches(reason).count(), 1, "{reason}: {comments}");
    }
    let left = saved["match"]["state"]["clocks"][us.to_string().to_lowercase()].as_f64().expect("a number");
    assert!(left > 0.0, "our flag fell: {left}");
    println!("{} moves, {left:.1} s left, {:?} wins as {us} played Otrera", played.len(), position.winner());
}

/// Simulates the operator before the opponent's move `number`, counted from 0: makes and corrects a mistake at 1, 3
/// and 5, adjusts our clock at 7, otherwise does nothing. `right` is the opponent's actual move.
fn make_mistake(table: &mut Table, number: usize, position: &Position, right: Move) {
    let wrong = other_move(position, right);
    match number {
        1 => {
            table.click_move(wrong);
            table.browser.press("Escape");
            table.wait_for_phase("entry");
        }
        3 => {
            table.type_move(wrong);
            table.confirm();
            table.take_back("confirmed by mistake");
            table.wait_for_phase("entry");
        }
        5 => {
            // Our answer to the wrong move was already played on the board.
            table.click_move(wrong);
            table.confirm();
            table.play_ours();
            table.take_back("hand slipped");
            table.wait_for_phase("announced");
            table.take_back("wrong entry before");
            table.wait_for_phase("entry");
        }
        7 => {
            let left = table.browser.evaluate("match.left(match.us)").as_f64().expect("a number");
            let official = (0.9 * left) as u32;
            table.set_clock(&format!("{}:{:02}", official / 60, official % 60));
        }
        _ => {}
    }
}

#[test]
fn operator_mistakes_and_a_crash_lose_no_moves() {
    rehearse("match-rehearsal", Side::Black, 8, 0.4);
}

/// The environment variable `OTRERA_REHEARSAL` sets the minutes per side, by default 1.
#[test]
#[ignore = "slow"]
fn a_rehearsal_on_10x10() {
    let minutes = std::env::var("OTRERA_REHEARSAL").ok().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    rehearse("match-rehearsal-10x10", Side::White, 10, minutes);
}
