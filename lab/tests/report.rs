//! `lab report`: its page in a real headless Chromium, driven by real key presses and clicks through the
//! DevTools pipe, and compared with the positions of the library.

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/common/skip.rs"]
mod skip;

use common::{random_move, scattered_position, size};
use fastrand::Rng;
use otrera::record::json;
use otrera::{GameRecord, PlayedMove, Position, Side};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A name that ends scripts, opens elements and fills templates, where it is taken for more than text.
const NASTY: &str = "</script><img src=x onerror=\"window.broken=1\"><!-- {{data}} 甲'&amp;";

/// A browser that shows one page.
struct Browser {
    process: Child,
    messages: Receiver<Value>,
    profile: PathBuf,
    session: Value,
    commands: u64,
    /// Events that nobody has looked at yet.
    events: Vec<Value>,
}

impl Browser {
    /// Starts Chromium with a new profile; `None`, with a message, where there is none.
    fn start() -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let programs = std::env::split_paths(&path).flat_map(|folder| {
            ["chromium", "chromium-browser", "google-chrome"].map(|name| folder.join(name))
        });
        let Some(program) = programs.into_iter().find(|program| program.is_file()) else {
            assert!(std::env::var_os("CI").is_none(), "no Chromium: apt-get install chromium");
            skip::skip("lab report in a browser", "no Chromium (sudo apt-get install chromium)");
            return None;
        };
        let profile = folder("profile");
        // The DevTools pipe is made of the descriptors 3 and 4.
        let mut process = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#, "sh"])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--remote-debugging-pipe", "--window-size=1280,900"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh starts");
        let output = BufReader::new(process.stdout.take().expect("its output is piped"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let messages = output.split(0).map_while(Result::ok);
            messages
                .map_while(|text| serde_json::from_slice(&text).ok())
                .try_for_each(|text| sender.send(text))
        });
        let mut browser =
            Self { process, messages, profile, session: Value::Null, commands: 0, events: Vec::new() };
        let target = browser.command("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        browser.session = browser.command("Target.attachToTarget", attach)["sessionId"].clone();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.command(&format!("{domain}.enable"), json!({}));
        }
        browser.emulate("light");
        Some(browser)
    }

    /// Sends a command and returns its result.
    fn command(&mut self, method: &str, params: Value) -> Value {
        self.commands += 1;
        let mut command = json!({"id": self.commands, "method": method, "params": params});
        if !self.session.is_null() {
            command["sessionId"] = self.session.clone();
        }
        let pipe = self.process.stdin.as_mut().expect("its input is piped");
        write!(pipe, "{command}\0").and_then(|()| pipe.flush()).expect("Chromium listens");
        loop {
            let message = self.message();
            if message["id"] == self.commands {
                assert!(message.get("error").is_none(), "{command}: {message}");
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    fn message(&self) -> Value {
        self.messages.recv_timeout(Duration::from_secs(60)).expect("Chromium answers")
    }

    /// Loads a page from the beginning.
    fn open(&mut self, page: &Path, hash: &str) {
        for url in ["about:blank".to_owned(), format!("file://{}{hash}", page.display())] {
            self.command("Page.navigate", json!({"url": url}));
            let loaded = format!("document.readyState === 'complete' && location.href.startsWith({url:?})");
            let patience = Instant::now() + Duration::from_secs(60);
            while self.evaluate(&loaded) != true {
                assert!(Instant::now() < patience, "{url} does not load");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    /// The value of an expression of the page.
    fn evaluate(&mut self, expression: &str) -> Value {
        let result =
            self.command("Runtime.evaluate", json!({"expression": expression, "returnByValue": true}));
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    fn press(&mut self, key: &str) {
        for kind in ["rawKeyDown", "keyUp"] {
            self.command("Input.dispatchKeyEvent", json!({"type": kind, "key": key, "code": key}));
        }
    }

    /// Clicks into the middle of the first element that a selector finds.
    fn click(&mut self, selector: &str) {
        let place = format!(
            "(() => {{ const element = document.querySelector({selector:?});
            element.scrollIntoView({{ block: 'center', behavior: 'instant' }});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        );
        let place = self.evaluate(&place);
        for kind in ["mousePressed", "mouseReleased"] {
            let click =
                json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.command("Input.dispatchMouseEvent", click);
        }
    }

    /// Pieces that do not glide, and a colour scheme.
    fn emulate(&mut self, scheme: &str) {
        let features = json!([
            {"name": "prefers-reduced-motion", "value": "reduce"},
            {"name": "prefers-color-scheme", "value": scheme},
        ]);
        self.command("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// What the console, the page or the network complained of, and requests for anything but the page.
    fn complaints(&self) -> Vec<&Value> {
        let complains = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded") => true,
            Some("Network.requestWillBeSent") => {
                let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
                !url.starts_with("file:///") || !url.contains(".html")
            }
            _ => false,
        };
        self.events.iter().filter(complains).collect()
    }

    /// What the eye sees on the board: pieces and arrows by the squares on which they are drawn.
    fn board(&mut self) -> Vec<String> {
        let seen = self.evaluate(
            "(() => {
            const rim = document.querySelector('#board .rim').getBoundingClientRect();
            const edge = Math.sqrt(document.querySelectorAll('#board .square').length);
            const square = (element) => {
                const box = element.getBoundingClientRect();
                const column = Math.floor((box.x + box.width / 2 - rim.x) / rim.width * edge);
                const row = Math.floor((rim.bottom - box.y - box.height / 2) / rim.height * edge);
                return 'abcdefghij'[column] + (row + 1);
            };
            const all = (selector, name) =>
                [...document.querySelectorAll(`#board ${selector}`)].map((element) => name + square(element));
            return [...all('.amazon.black', 'Black '), ...all('.amazon.white', 'White '), ...all('.tile', 'arrow ')];
            })()",
        );
        let seen = seen.as_array().expect("a list").iter();
        let mut seen: Vec<String> = seen.filter_map(Value::as_str).map(str::to_owned).collect();
        seen.sort_unstable();
        seen
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        // Its helpers end by themselves, soon, and write until then.
        let patience = Instant::now() + Duration::from_secs(5);
        while std::fs::remove_dir_all(&self.profile).is_err() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// A new folder for one use in this run.
fn folder(name: &str) -> PathBuf {
    static USES: AtomicU32 = AtomicU32::new(0);
    let number = USES.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("otrera-{name}-{}-{number}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    folder
}

/// The same as [`Browser::board`] for a position.
fn expected(position: &Position) -> Vec<String> {
    let amazons = Side::BOTH
        .into_iter()
        .flat_map(|side| position.amazons(side).into_iter().map(move |square| format!("{side} {square}")));
    let arrows = position.arrows().into_iter().map(|square| format!("arrow {square}"));
    let mut all: Vec<String> = amazons.chain(arrows).collect();
    all.sort_unstable();
    all
}

/// A game of random moves with winning rates.
fn game(start: Position, names: [&str; 2], rng: &mut Rng) -> GameRecord {
    let mut record = GameRecord::new(names[0], names[1], start);
    let mut position = start;
    while position.winner().is_none() {
        let mv = random_move(&position, rng);
        let time = Duration::from_millis(rng.u64(..5000));
        record.moves.push(PlayedMove {
            mv,
            time,
            effort: Some(rng.u64(..99_999)),
            win_rate: Some(rng.f32()),
        });
        position = position.with_move(mv);
    }
    record.winner = position.winner();
    record
}

/// Games of all kinds: boards, starts, results, names.
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

/// The page that `lab report` makes of these games.
fn report(games: &[GameRecord], folder: &Path) -> PathBuf {
    let lines: String = games.iter().map(|game| json::write(game) + "\n").collect();
    let [results, page] = ["results.jsonl", "page.html"].map(|name| folder.join(name));
    std::fs::write(&results, format!("{{\"match\":{{\"size\":10}}}}\n{lines}")).expect("a file");
    let lab = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["report".as_ref(), results.as_os_str(), "--output".as_ref(), page.as_os_str()])
        .output()
        .expect("lab starts");
    assert!(lab.status.success(), "{}", String::from_utf8_lossy(&lab.stderr));
    page
}

#[test]
fn the_page_shows_every_game_move_by_move() {
    let Some(mut browser) = Browser::start() else { return };
    let (folder, games) = (folder("games"), games());
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
    assert_eq!(browser.complaints(), [&Value::Null; 0]);
    std::fs::remove_dir_all(folder).expect("it was made above");
}

#[test]
fn the_page_fits_its_reader() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = folder("reader");
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
        let widest = browser.evaluate("document.documentElement.scrollWidth");
        assert!(widest.as_u64().is_some_and(|width| width <= 360), "{hash}: {widest} wide");
    }
    assert_eq!(browser.complaints(), [&Value::Null; 0]);
    std::fs::remove_dir_all(folder).expect("it was made above");
}

#[test]
fn of_four_hundred_games_rows_are_made_as_they_are_needed() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = folder("many");
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
    assert_eq!(browser.complaints(), [&Value::Null; 0]);
    std::fs::remove_dir_all(folder).expect("it was made above");
}
