//! Tests of reviews: marks, better moves, curve and bars, lessons, the players' own estimates, pictures.

use super::*;

/// Each move's loss of win rate and its expected mark, around each threshold. The last move is "best" despite its
/// loss because it is the engine's first choice.
const MARKED: [(f64, &str); 12] = [
    (0.009, "best"),
    (0.011, "good"),
    (-0.03, "best"),
    (0.049, "good"),
    (0.051, "inaccuracy"),
    (0.0, "best"),
    (0.099, "inaccuracy"),
    (0.101, "mistake"),
    (0.199, "mistake"),
    (0.201, "blunder"),
    (0.35, "blunder"),
    (0.06, "best"),
];

/// A won endgame that Black throws away: Black has 3 moves against White's 2, but its first move wastes them.
const THROWN_AWAY: &str = "q2*/****/****/Q3 w - - 0 1 moves a1-b1/c1 a4-b4/a4 b1-a1/b1 b4-c4/b4";

/// Pastes a record of `plies` plies and reviews the game with a search of `seconds` per position.
fn reviewed(browser: &mut Browser, text: &str, plies: usize, seconds: f64) {
    let shown = format!("state.tree.line().length - 1 === {plies} && Boolean(state.tree.current.described)");
    paste(browser, text, &shown);
    browser.evaluate(&format!("review.seconds = {seconds}"));
    browser.click_and_wait("#review", "!review.active && state.tree.reviewed.length > 1");
}

#[test]
fn review_marks_moves_by_their_loss() {
    let Some(mut browser) = opened("a review") else { return };
    let record = game(6, 5);
    reviewed(&mut browser, &sgf::write(&record), record.moves.len(), 0.06);
    browser.assert_value("state.tree.line().every(({ isReviewed }) => isReviewed)", true);
    let blunders = "state.tree.line().filter((node) => verdict.markOf(node) === 'blunder' && state.tree.lossOf(node) > 0.19).length";
    assert!(browser.evaluate(blunders).as_u64() > Some(2), "random moves have few blunders");
    // Replaces the search results by rates that give every mark.
    let mut rate = 0.5;
    let mut marked = MARKED.to_vec();
    marked.resize(record.moves.len(), (0.0, "best"));
    let rates = marked.iter().enumerate().map(|(ply, (loss, _))| {
        rate += if ply % 2 == 0 { -loss } else { *loss };
        rate
    });
    let rates: Vec<f64> = rates.collect();
    browser.evaluate(&format!(
        "state.tree.root.rate = 0.5;
        state.tree.line().forEach((node) => {{ node.proof = null; if (node.found) node.found.best = 'a1-a2/a1'; }});
        state.tree.line().slice(1).forEach((node, ply) => {{ node.rate = {}[ply]; }});
        state.tree.line()[{}].found.best = state.tree.line()[{}].move;
        draw()",
        json!(rates),
        MARKED.len() - 1,
        MARKED.len()
    ));
    marked[MARKED.len() - 1].0 = 0.0;
    let (losses, marks): (Vec<f64>, Vec<&str>) =
        marked.into_iter().map(|(loss, mark)| (loss.max(0.0), mark)).unzip();
    browser.assert_value("state.tree.line().slice(1).map((node) => verdict.markOf(node))", json!(marks));
    // The list, the curve and the bars show the marks.
    let signs =
        "[...document.querySelectorAll('#moves [data-ply]')].map((button) => button.querySelector('.sign'))
        .map((sign) => sign ? `${sign.textContent} ${sign.ariaLabel}` : '')";
    let sign = |mark: &&str| match *mark {
        "blunder" => "?? blunder",
        "mistake" => "? mistake",
        "inaccuracy" => "?! inaccuracy",
        "best" => "★ best",
        _ => "",
    };
    browser.assert_value(signs, marks.iter().map(sign).collect::<Vec<_>>());
    for fault in ["inaccuracy", "mistake", "blunder"] {
        let points = browser.evaluate(&format!("document.querySelectorAll('#curve .marked.{fault}').length"));
        assert_eq!(points, marks.iter().filter(|mark| **mark == fault).count(), "{fault}");
    }
    let heights =
        "[...document.querySelectorAll('#curve .bar-of')].map((bar) => Number(bar.getAttribute('height')))";
    let heights: Vec<f64> = value(&mut browser, heights);
    let highest = losses.iter().copied().fold(0.1, f64::max);
    assert_eq!(heights.len(), losses.len());
    for (height, loss) in heights.iter().zip(&losses) {
        assert!((height / 34.0 - loss / highest).abs() < 1e-3, "{height} for {loss} of {highest}");
    }
    // Accuracy is 100 minus the mean loss in percent.
    for (row, side) in ["Black", "White"].into_iter().enumerate() {
        let own: Vec<f64> = losses.iter().copied().skip(row).step_by(2).collect();
        let accuracy = 100.0 - 100.0 * own.iter().sum::<f64>() / own.len() as f64;
        let count =
            |fault| marks.iter().skip(row).step_by(2).filter(|mark| **mark == fault).count().to_string();
        let cells = format!(
            "[...byId('review-sides').rows[{row}].cells].map(({{ textContent }}) => textContent.trim())"
        );
        let wanted = [side.to_owned(), format!("{accuracy:.1}")];
        let faults = ["inaccuracy", "mistake", "blunder"].map(count);
        browser.assert_value(&cells, [&wanted[..], &faults].concat());
    }
}

#[test]
fn better_move_is_drawn_and_its_line_previewed() {
    let Some(mut browser) = opened("better moves on the board") else { return };
    let record = game(6, 5);
    let positions = record.positions();
    reviewed(&mut browser, &sgf::write(&record), record.moves.len(), 0.06);
    let fault = "state.tree.line().find((node) => verdict.markOf(node) === 'blunder')";
    browser.evaluate(&format!("goTo({fault})"));
    let ply: usize = value(&mut browser, "state.tree.current.ply");
    position(&mut browser);
    let better: String = value(&mut browser, "state.tree.current.parent.found.best");
    for text in [&*record.moves[ply - 1].mv.to_string(), "(blunder)", &format!("Better: {better}.")] {
        browser.assert_text("#status", text);
    }
    // The board draws the played move, and the better move over it in another colour.
    let drawn = "['.way', '.flight', '.suggestion.better', '.board-tag']
        .map((name) => document.querySelectorAll(`#board ${name}`).length)";
    browser.assert_value(drawn, json!([1, 1, 2, 0]));
    let colours = "['.way', '.better'].map((name) => getComputedStyle(document.querySelector(`#board ${name} .shaft`)).stroke)";
    let colours = browser.evaluate(colours);
    assert_ne!(colours[0], colours[1]);
    assert_eq!(browser.board(), expected(&positions[ply]));
    // While the better move has focus, the board shows the position before the mistake with the numbered better line.
    let button = format!("#moves [data-better='{ply}']");
    browser.assert_text(&button, &better);
    let line = "[...document.querySelectorAll('#board .board-tag')].map(({ textContent }) => textContent)";
    browser.evaluate(&format!("document.querySelector({button:?}).focus()"));
    assert_eq!(browser.board(), expected(&positions[ply - 1]));
    let shown = browser.evaluate(line);
    assert!(shown.as_array().is_some_and(|numbers| numbers.len() > 1), "{shown}");
    assert_eq!(shown[1], "2");
    // A redraw keeps focus and preview.
    browser.evaluate("draw()");
    assert_eq!(browser.board(), expected(&positions[ply - 1]));
    browser.assert_value("Number(document.activeElement.dataset.better)", ply);
    browser.evaluate("document.activeElement.blur()");
    assert_eq!(browser.board(), expected(&positions[ply]));
    browser.assert_value(drawn, json!([1, 1, 2, 0]));
    // Pointing at the better move has the same effect.
    let place =
        format!("(({{ x, y }}) => [x, y])(document.querySelector({button:?}).getBoundingClientRect())");
    let [x, y]: [f64; 2] = value(&mut browser, &place);
    for (left, shown) in [(0.0, ply - 1), (-400.0, ply)] {
        for step in [5.0, 8.0] {
            let place = json!({"type": "mouseMoved", "x": x + left + step, "y": y + 5.0});
            browser.command("Input.dispatchMouseEvent", place);
        }
        browser.evaluate("draw()");
        assert_eq!(browser.board(), expected(&positions[shown]), "{left}");
    }
    browser.click_and_wait(&button, &format!("state.tree.current.ply === {}", ply - 1));
    let last = "state.tree.line().findLast((node) => verdict.markOf(node) === 'blunder')";
    let ply = browser.evaluate(&format!("{last}.ply"));
    // The focus stays in the list while rows appear above it.
    browser.evaluate(&format!("goTo({last}); document.querySelector('#moves [aria-current]').focus()"));
    browser.evaluate("state.tree.line().slice(0, 4).forEach((node) => { node.isReviewed = !node.isReviewed; }); drawMoves()");
    browser.assert_value("Number(document.activeElement.dataset.ply)", ply);
}

#[test]
fn review_runs_in_the_background_and_can_resume() {
    let Some(mut browser) = opened("a review in the background") else { return };
    let record = game(8, 5);
    let positions = record.positions();
    paste(&mut browser, &sgf::write(&record), &format!("state.tree.line().length === {}", positions.len()));
    browser.evaluate("review.seconds = 0.2");
    browser.assert_text("#review", "Review");
    let place = "byId('review').offsetTop";
    let before = browser.evaluate(place);
    browser.click_and_wait("#review", "review.active && state.review.done >= 2");
    assert_eq!(browser.evaluate(place), before, "the button moved");
    let progress = "[byId('review-progress').hidden, byId('review-progress').max]";
    browser.assert_value(progress, json!([false, positions.len()]));
    // The game can be stepped through meanwhile.
    for (key, ply) in [("End", positions.len() - 1), ("ArrowLeft", positions.len() - 2), ("Home", 0)] {
        browser.evaluate("document.activeElement.blur()");
        browser.press(key);
        assert_eq!(browser.board(), expected(&positions[ply]), "{key}");
    }
    browser.wait_for("state.review.done >= 4");
    browser.assert_value("review.active", true);
    // The review waits for an analysis and survives a restart of the engine.
    browser.click_and_wait("#analyse", "state.review.waits && state.found?.visits > 500");
    let done = browser.evaluate("state.review.done");
    let visits: u64 = value(&mut browser, "state.found.visits");
    browser.wait_for(&format!("state.found.visits > {}", visits + 3000));
    browser.assert_value("state.review.done", done);
    browser.assert_text("#review-done", "waiting");
    browser.click("#analyse");
    browser.evaluate("engine.restart()");
    browser.wait_for("state.review.done >= 6");
    // A stopped review keeps its results.
    browser.click("#review");
    browser.assert_value("[review.active, byId('review-progress').hidden]", json!([false, true]));
    let known = "state.tree.line().filter(({ isReviewed }) => isReviewed).length";
    let known: usize = value(&mut browser, known);
    assert!(known >= 6 && known < positions.len(), "{known}");
    browser.evaluate(
        "engine.asked = [];
         engine.ask = (request) => { if (request.do === 'think') engine.asked.push(request.fen); return Engine.prototype.ask.call(engine, request); };",
    );
    browser.click_and_wait("#review", "!review.active");
    let again = "state.tree.line().slice(0, 6).filter(({ described }) => engine.asked.includes(described.fen)).length";
    assert_eq!(browser.evaluate(again), 0, "a position was searched twice");
    browser.assert_value("state.tree.line().every(({ isReviewed }) => isReviewed)", true);
    // Another game ends a review.
    let shown = "state.tree.reviewed.length === 0 && Boolean(state.tree.current.described)";
    paste(&mut browser, &sgf::write(&game(8, 6)), shown);
    browser.assert_value("byId('review-result').hidden", true);
    browser.click_and_wait("#review", "review.active && state.review.done >= 1");
    browser.evaluate("globalThis.ended = state.review, 0");
    browser.click_and_wait("#open-puzzles", "puzzles.active && state.review === null");
    assert!(browser.evaluate("ended.done").as_u64() < Some(10));
    browser.assert_text("#status", "only move that keeps the win");
}

#[test]
fn lesson_judges_tries_after_a_blunder() {
    let Some(mut browser) = opened("a lesson") else { return };
    reviewed(&mut browser, THROWN_AWAY, 4, 0.1);
    let marks = "state.tree.line().slice(1).map((node) => verdict.markOf(node))";
    assert_eq!(browser.evaluate(marks)[0], "blunder");
    browser.assert_value("byId('learn-white').disabled", true);
    let tree = "[state.tree.movesTo(state.tree.line().at(-1)), state.tree.root.children.length]";
    let before = browser.evaluate(tree);
    browser.click_and_wait("#learn-black", "lesson.active && Boolean(state.tree.current.described)");
    browser.assert_text("#status", "Black played a1-b1/c1, which lost 100.0 %");
    assert_eq!(browser.text("#lesson-title"), "Mistake 1 of 1");
    browser
        .assert_value("[byId('review').offsetParent, byId('best-moves').offsetParent]", json!([null, null]));
    let start = position(&mut browser);
    let best: String = value(&mut browser, "lesson.mistake.node.parent.found.best");
    // The played move and another wrong one, two that keep the win, and Otrera's move.
    let right: Vec<&str> =
        ["a1-b1/a1", "a1-c1/d1", "a1-d1/a1"].into_iter().filter(|mv| *mv != best).take(2).collect();
    let tries = [("a1-b1/c1", "loses 100.0 %"), ("a1-c1/b1", "loses 100.0 %")]
        .into_iter()
        .chain(right.into_iter().map(|mv| (mv, "nearly as good")))
        .chain([(&*best, "is Otrera's move")]);
    for (mv, verdict) in tries {
        let mv: Move = mv.parse().expect("a move");
        click_move(&mut browser, mv);
        browser.wait_for(&format!("byId('status').textContent.includes({verdict:?})"));
        browser.assert_text("#status", &mv.to_string());
        assert_eq!(browser.board(), expected(&start.with_move(mv)));
        browser.click_and_wait("#lesson-again", "state.tree.current === lesson.tree.root");
        assert_eq!(browser.board(), expected(&start));
    }
    browser.click_and_wait("#lesson-show", "state.tree.current.ply === 1");
    browser.assert_text("#status", &best);
    browser.assert_value("byId('lesson-next').disabled", true);
    // Moves after the answer can be played, but the lesson is not stored as a game.
    let kept = browser.evaluate("settings.get('games')");
    click_move(&mut browser, "a4-b4/a4".parse().expect("a move"));
    browser.wait_for("state.tree.current.ply === 2 && Boolean(state.tree.current.described)");
    browser.assert_value("settings.get('games')", kept);
    browser.click_and_wait("#lesson-end", "!lesson.active && byId('lesson').hidden");
    assert_eq!(browser.evaluate(tree), before, "tries were added to the game");
}

#[test]
fn lesson_goes_through_one_players_mistakes() {
    let Some(mut browser) = opened("a longer lesson") else { return };
    let record = game(6, 5);
    let positions = record.positions();
    reviewed(&mut browser, &sgf::write(&record), record.moves.len(), 0.06);
    let mistakes =
        "verdict.movesOf('white').filter((node) => ['mistake', 'blunder'].includes(verdict.markOf(node)))";
    let plies: Vec<usize> = value(&mut browser, &format!("{mistakes}.map(({{ ply }}) => ply)"));
    assert!(plies.len() > 1 && plies.iter().all(|ply| ply % 2 == 0), "{plies:?}");
    browser.click("#learn-white");
    for (index, ply) in plies.iter().enumerate() {
        browser.wait_for(&format!("lesson.index === {index} && Boolean(state.tree.current.described)"));
        assert_eq!(browser.board(), expected(&positions[ply - 1]));
        assert_eq!(browser.text("#lesson-title"), format!("Mistake {} of {}", index + 1, plies.len()));
        browser.click("#lesson-next");
    }
    // A new game ends the lesson.
    new_game(&mut browser, FEW_ITERATIONS);
    browser.wait_for("!lesson.active && byId('lesson').hidden");
}

#[test]
fn curve_shows_both_players_estimates() {
    let Some(mut browser) = opened("the players' own estimates") else { return };
    let mut record = game(6, 5);
    for (ply, played) in record.moves.iter_mut().enumerate() {
        played.win_rate = (ply % 2 == 0 || ply == 3).then_some(0.25);
    }
    let shown = format!("state.tree.line().length === {}", record.moves.len() + 1);
    paste(&mut browser, &json::write(&record), &shown);
    let series =
        "chart().series.map(({ side, points }) => [side, points.map(({ ply, rate }) => [ply, rate])])";
    let shown = browser.evaluate(series);
    let black: Vec<Value> = (0..record.moves.len()).step_by(2).map(|ply| json!([ply + 1, 0.25])).collect();
    assert_eq!((&shown[0], &shown[1]), (&json!(["black", black]), &json!(["white", [[4, 0.75]]])));
    // Otrera's line contains only rates that were proven or searched on the page.
    let own = "chart().series[2].points.every(({ proven }) => proven)";
    browser.assert_value(own, true);
    browser.click_and_wait("#analyse", "(state.found?.visits ?? 0) > 100");
    browser.click("#analyse");
    browser.assert_value("[chart().series[2].side, chart().series[2].points[0].ply]", json!(["otrera", 0]));
    for side in ["black", "white", "otrera"] {
        let count = browser.evaluate(&format!("document.querySelectorAll('#curve .rates.{side}').length"));
        assert_eq!(count, 1, "{side}");
    }
    for text in ["estimates by eins", "estimates by 二", "estimates by Otrera"] {
        browser.assert_text("#curve", text);
    }
    record.moves[3].win_rate = None;
    // A player without estimates has no line.
    let shown = "chart().series.length === 2 && !byId('curve').textContent.includes('二')";
    paste(&mut browser, &json::write(&record), shown);
    // Without any estimate there is one line.
    record.moves.iter_mut().for_each(|played| played.win_rate = None);
    paste(&mut browser, &json::write(&record), "chart().series.length === 1");
}

/// Returns width and height of a picture made by the page, and its number of pixels in each colour (`#rrggbb`).
fn pixels(browser: &mut Browser, picture: &str, colours: &[&str]) -> ([u32; 2], Vec<u64>) {
    let seen = format!(
        "toPng({picture}).then(createImageBitmap).then((image) => {{
            const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
            canvas.drawImage(image, 0, 0);
            const counts = {{}};
            for (const pixel of new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer)) {{
                const [r, g, b] = [pixel, pixel >> 8, pixel >> 16].map((part) => (part & 255).toString(16).padStart(2, '0'));
                const colour = `#${{r}}${{g}}${{b}}`;
                counts[colour] = (counts[colour] ?? 0) + 1;
            }}
            return [[image.width, image.height], {}.map((colour) => counts[colour] ?? 0)];
        }})",
        json!(colours)
    );
    value(browser, &seen)
}

/// Reads width and height from the header of a PNG file; `None` if the file is incomplete.
fn png_size(file: &Path) -> Option<[u32; 2]> {
    let bytes = std::fs::read(file).ok()?;
    let number = |at| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    // A complete file has a PNG's first and last bytes.
    (bytes.starts_with(b"\x89PNG") && bytes.ends_with(b"IEND\xaeB`\x82")).then_some(())?;
    Some([number(16)?, number(20)?])
}

#[test]
fn board_and_review_are_saved_as_pictures() {
    let Some(mut browser) = opened("pictures to save") else { return };
    let folder = Folder::new("saved-pictures");
    browser.command("Page.setDownloadBehavior", json!({"behavior": "allow", "downloadPath": &*folder}));
    let record = game(6, 5);
    reviewed(&mut browser, &sgf::write(&record), record.moves.len(), 0.06);
    // Light squares, dark squares, the better move's arrow, a blunder's point, the first player's bars.
    let colours = ["#ecdcbf", "#dcc49c", "#14796a", "#b0201a", "#1f66ad"];
    let (size, counts) = pixels(&mut browser, "boardPicture()", &colours);
    assert_eq!(size, [1440, 1440]);
    assert!(counts[0] > 100_000 && counts[1] > 100_000 && counts[2..] == [0, 0, 0], "{counts:?}");
    browser.evaluate("goTo(state.tree.line().find((node) => verdict.markOf(node) === 'blunder'))");
    let (_, counts) = pixels(&mut browser, "boardPicture()", &colours);
    assert!(counts[2] > 500, "no arrow of the better move: {counts:?}");
    let (size, counts) = pixels(&mut browser, "reviewPicture()", &colours);
    assert!(size[0] == 1440 && size[1] > 2000, "{size:?}");
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    let saved =
        [("#save-picture", "otrera-board.png", [1440, 1440]), ("#save-review", "otrera-review.png", size)];
    for (button, name, size) in saved {
        browser.click(button);
        let file = folder.join(name);
        let patience = std::time::Instant::now() + std::time::Duration::from_secs(30);
        while png_size(&file).is_none() {
            assert!(std::time::Instant::now() < patience, "no {name}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert_eq!(png_size(&file), Some(size), "{name}");
    }
}

/// JavaScript expression for the contrast ratios of all marks, which axe-core does not check.
const CONTRASTS: &str = "(() => {
    const light = (colour) => {
        const [r, g, b] = colour.match(/[0-9]+/g).slice(0, 3).map((part) => part / 255)
            .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return ['best', 'inaccuracy', 'mistake', 'blunder'].flatMap((mark) => ['card', 'hover', 'chosen'].map((under) => {
        const sign = html('span', { class: `sign ${mark}`, style: `background: var(--${under})` });
        byId('moves').append(sign);
        const style = getComputedStyle(sign);
        const [low, high] = [light(style.color), light(style.backgroundColor)].sort((a, b) => a - b);
        sign.remove();
        return (high + 0.05) / (low + 0.05);
    }));
})()";

#[test]
fn review_is_translated_accessible_and_fits_a_phone() {
    let Some(mut browser) = opened_with_axe("accessibility of a review") else { return };
    let record = game(6, 5);
    let record = GameRecord { black: "一".into(), white: "二".into(), ..record };
    reviewed(&mut browser, &sgf::write(&record), record.moves.len(), 0.06);
    let fault = "goTo(state.tree.line().find((node) => verdict.markOf(node) === 'blunder'))";
    for (language, width) in [("en", 1280), ("zh", 360)] {
        browser.choose("#language", language);
        browser.resize([width, 800], width < 500);
        browser.evaluate(fault);
        position(&mut browser);
        for scheme in ["light", "dark"] {
            browser.emulate(scheme);
            assert_accessible(&mut browser, &format!("{scheme}, {language}"));
            let contrasts: [f64; 12] = value(&mut browser, CONTRASTS);
            assert!(contrasts.iter().all(|contrast| *contrast >= 4.5), "{scheme}: {contrasts:?}");
        }
        assert_fits(&mut browser, width, language);
    }
    let said = |browser: &mut Browser, ids: &str| {
        let said: String = value(
            browser,
            &format!(
                "{ids}.map((id) => byId(id).innerText + [...byId(id).querySelectorAll('[aria-label]')].map(({{ ariaLabel }}) => ariaLabel)).join(' ')"
            ),
        );
        assert_translated(&said, &["Otrera"]);
    };
    said(&mut browser, "['status', 'review', 'review-result', 'moves', 'curve', 'save-picture']");
    browser.click_and_wait("#learn-black", "lesson.active && Boolean(state.tree.current.described)");
    browser.evaluate("play(lesson.mistake.node.move)");
    browser.wait_for("state.tree.current.ply === 1 && byId('status').textContent.includes('请再试')");
    assert_schemes_accessible(&mut browser, "a lesson");
    assert_fits(&mut browser, 360, "a lesson");
    said(&mut browser, "['status', 'lesson']");
}
