//! Screenshots of the page for visual inspection: `cargo test -p otrera-web --test pictures -- --ignored` writes them
//! to `target/tmp/pictures/`. The README shows `analysis.png`.

use serde_json::json;
use std::path::Path;
use testkit::browser::Browser;
use testkit::page::page;

/// Returns the moves of the Olympiad game whose line in `olympiad_games.txt` begins with `name`.
fn olympiad_game(name: &str) -> String {
    let games = include_str!("../../tests/data/olympiad_games.txt");
    let game = games.lines().find(|line| line.starts_with(name)).expect("one of the games");
    game.rsplit('|').next().expect("moves").trim().to_owned()
}

#[test]
#[ignore = "writes pictures"]
fn pictures_of_the_page() {
    let Some(page) = page("pictures of the page") else { return };
    let Some(mut browser) = Browser::start("pictures of the page") else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    std::fs::create_dir_all(&folder).expect("a folder");
    let take = |browser: &mut Browser, name: &str| {
        browser.evaluate("scrollTo(0, 0)");
        browser.picture(&folder.join(name));
    };
    browser.resize([1280, 900], false);
    browser.open(page, "");
    browser.wait_for("door.active && state.half.from !== undefined");
    take(&mut browser, "door.png");
    browser.open(page, "#play");
    browser.wait_for("playRoom.active && Boolean(state.tree.current.described)");
    browser.click("#squares [data-square='d1']");
    take(&mut browser, "start.png");
    browser.click("#new-game");
    take(&mut browser, "new-game.png");
    browser.evaluate("byId('new-game-dialog').close('cancel')");

    browser.resize([1440, 810], false);
    browser.click("#open-paste");
    browser.evaluate(&format!("byId('pasted').value = {}", json!(olympiad_game("2007 g1"))));
    browser.click_and_wait("#read-pasted", "state.tree.line().length > 20");
    browser.evaluate("review.seconds = 0.3");
    browser.click_and_wait("#review", "!review.active && state.tree.reviewed.length > 1");
    browser.evaluate("goTo(state.tree.line()[18])");
    browser.click_and_wait("#analyse", "(state.found?.visits ?? 0) > 300000");
    take(&mut browser, "analysis.png");
    browser.choose("#squares-shown", "owners");
    take(&mut browser, "owners.png");
    browser.choose("#squares-shown", "moves");
    browser.emulate("dark");
    take(&mut browser, "dark.png");
    browser.emulate("light");
    browser.click("#analyse");
    browser.choose("#squares-shown", "off");
    browser.resize([1280, 1500], false);
    browser.choose("#language", "zh");
    take(&mut browser, "replay.png");
    browser.choose("#language", "en");
    browser.resize([360, 740], true);
    take(&mut browser, "phone.png");
    browser.resize([1280, 900], false);
    browser.click("#open-set-up");
    take(&mut browser, "set-up.png");
}
