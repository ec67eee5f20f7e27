//! `lab report`: the page in a real browser, compared with the positions computed by the engine.

mod laboratory;

use fastrand::Rng;
use laboratory::run_in;
use otrera::record::json;
use otrera::{GameRecord, PlayedMove, Position, Side};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use testkit::browser::{Browser, expected};
use testkit::page::assert_fits;
use testkit::{Folder, random_record, scattered_position, size};

/// A name that would end a script, open an element or fill a placeholder if it were not escaped.
const NASTY: &str = "</script><img src=x onerror=\"window.broken=1\"><!-- {{data}} 甲'&amp;";

/// Creates a game of random moves with random times, efforts and win rates.
fn game(start: Position, names: [&str; 2], rng: &mut Rng) -> GameRecord {
    random_record(start, names, usize::MAX, rng, |mv, rng| PlayedMove {
        mv,
        time: Duration::from_millis(rng.u64(..5000)),
        effort: Some(rng.u64(..99_999)),
        win_rate: Some(rng.f32()),
        lead: None,
    })
}

/// Creates five games with various board sizes, start positions, results and names.
fn games() -> Vec<GameRecord> {
    let mut rng = Rng::with_seed(8);
    let set_up = (0..).map(|_| scattered_position(size(6), &mut Rng::with_seed(rng.u64(..))));
    let set_up = set_up.map(|position| position.with_side(Side::White)).find(|p| p.winner().is_none());
    let mut games = vec![
        game(Position::standard(), ["alpha", "beta"], &mut rng),
        game(Position::start(size(8)), ["beta", NASTY], &mut rng),
        game(set_up.expect("some position is not over"), [NASTY, "alpha"], &mut rng),
        game(Position::standard(), ["beta", "alpha"], &mut rng),
        GameRecord::new("alpha", "beta", Position::standard()),
    ];
    games[0].forfeit = Some(("late".into(), format!("late: {NASTY}")));
    games[3].winner = None;
    games[3].moves.truncate(7);
    games[3].moves.iter_mut().for_each(|played| *played = PlayedMove::from(played.mv));
    (0..).zip(&mut games).for_each(|(number, game)| game.number = number);
    games
}

/// Runs `lab report` on these games; returns the path of the page.
fn report(games: &[GameRecord], folder: &Folder) -> PathBuf {
    let lines: String = games.iter().map(|game| json::write(game) + "\n").collect();
    folder.write("results.jsonl", &format!("{{\"match\":{{\"size\":10}}}}\n{lines}"));
    run_in(folder, "report results.jsonl --output page.html").printed();
    folder.join("page.html")
}

#[test]
fn the_page_replays_every_game_move_by_move() {
    let Some(mut browser) = Browser::start("lab report in a browser") else { return };
    let (folder, games) = (Folder::new("games"), games());
    let page = report(&games, &folder);
    for (number, game) in games.iter().enumerate() {
        let positions = game.positions();
        let plies = [0, 1, positions.len() / 2, positions.len() - 1];
        for ply in plies.into_iter().filter(|&ply| ply < positions.len()) {
            browser.open(&page, &format!("#game={number}&ply={ply}"));
            assert_eq!(browser.board(), expected(&positions[ply]), "game {number}, ply {ply}");
        }
    }
    let positions = games[0].positions();
    let last = positions.len() - 1;
    browser.open(&page, "");
    let keys = [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", last)];
    for (key, ply) in keys.into_iter().chain([("ArrowRight", last), ("Home", 0), ("ArrowLeft", 0)]) {
        browser.press(key);
        assert_eq!(browser.board(), expected(&positions[ply]), "{key} to ply {ply}");
    }
    let buttons = [("#forward", 1), ("#forward", 2), ("#back", 1), ("#to-end", last), ("#to-start", 0)];
    for (button, ply) in
        buttons.into_iter().chain([("#moves [data-ply='5']", 5), ("#curve svg .middle", last / 2)])
    {
        browser.click(button);
        assert_eq!(browser.evaluate("document.querySelector('#ply').textContent"), format!("{ply} / {last}"));
        assert_eq!(browser.board(), expected(&positions[ply]), "{button} to ply {ply}");
    }
    browser.click("#game-rows [data-game='1'] button");
    assert_eq!(browser.board(), expected(&games[1].start));
    browser.press("ArrowDown");
    assert_eq!(browser.board(), expected(&games[2].start));
    browser.click("#cross-table .pair");
    assert_eq!(browser.evaluate("document.querySelector('#list-title').textContent"), "1 game");
}

#[test]
fn the_page_escapes_names_and_adapts_to_devices() {
    let Some(mut browser) = Browser::start("lab report in a browser") else { return };
    let folder = Folder::new("reader");
    let page = report(&games(), &folder);
    browser.open(&page, "");
    for place in ["#cross-table", "#rating-plot", "#game-rows", "#game-title"] {
        let text = browser.evaluate(&format!("document.querySelector({place:?}).textContent"));
        assert!(text.as_str().is_some_and(|text| text.contains(NASTY)), "{place}: {text}");
    }
    assert_eq!(browser.evaluate("window.broken"), Value::Null);
    let background = "getComputedStyle(document.body).backgroundColor";
    let light = browser.evaluate(background);
    browser.emulate("dark");
    assert_ne!(browser.evaluate(background), light);
    let metrics = json!({"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": true});
    browser.command("Emulation.setDeviceMetricsOverride", metrics);
    for hash in ["#game=0&ply=9", "#game=1", "#game=2", "#game=3&ply=2"] {
        browser.open(&page, hash);
        assert_fits(&mut browser, 360, hash);
    }
}

#[test]
fn game_rows_are_created_on_demand() {
    let Some(mut browser) = Browser::start("lab report in a browser") else { return };
    let folder = Folder::new("many");
    let mut rng = Rng::with_seed(4);
    let some: Vec<GameRecord> =
        (0..8).map(|_| game(Position::standard(), ["alpha", "beta"], &mut rng)).collect();
    let games: Vec<GameRecord> =
        (0..400).map(|number| GameRecord { number, ..some[number as usize % 8].clone() }).collect();
    let page = report(&games, &folder);
    browser.open(&page, "");
    let rows = "document.querySelector('#game-rows').childElementCount";
    let made = browser.evaluate(rows);
    assert!(made.as_u64().is_some_and(|made| made < 400), "{made} rows at once");
    browser.open(&page, "#game=399&ply=2");
    assert_eq!(browser.board(), expected(&games[399].positions()[2]));
    assert_eq!(browser.evaluate(rows), 400);
}
