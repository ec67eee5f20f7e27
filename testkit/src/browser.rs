//! A headless Chromium that shows one page, driven by real key presses and clicks through the DevTools pipe.

use crate::{Folder, skip};
use base64::{Engine, prelude::BASE64_STANDARD};
use otrera::{Position, Side};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Makes the exports of all modules in the page's import map global, so that tests can name them in expressions.
const MODULES_AS_GLOBALS: &str = r#"
document.addEventListener("DOMContentLoaded", async () => {
  const map = document.querySelector("script[type=importmap]")?.textContent ?? '{"imports":{}}';
  for (const name of Object.keys(JSON.parse(map).imports)) {
    const module = await import(name);
    for (const key of Object.keys(module)) {
      Object.defineProperty(globalThis, key, { get: () => module[key], configurable: true });
    }
  }
  globalThis.hasGlobals = true;
});
"#;

/// A browser that shows one page. When dropped, it runs [`Browser::assert_no_complaints`].
pub struct Browser {
    process: Child,
    messages: Receiver<Value>,
    profile: Folder,
    session: Value,
    commands: u64,
    /// Address of the page, without the fragment after `#`.
    address: String,
    /// DevTools events received since the start or the last [`Browser::forget_events`].
    events: Vec<Value>,
}

impl Browser {
    /// Starts Chromium with a new profile; `None`, with a message, if it is not installed.
    pub fn start(test: &str) -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let programs = std::env::split_paths(&path).flat_map(|folder| {
            ["chromium", "chromium-browser", "google-chrome"].map(|name| folder.join(name))
        });
        let Some(program) = programs.into_iter().find(|program| program.is_file()) else {
            assert!(std::env::var_os("CI").is_none(), "no Chromium: apt-get install chromium");
            skip(test, "no Chromium (sudo apt-get install chromium)");
            return None;
        };
        let profile = Folder::new("profile");
        // Chromium's DevTools pipe uses file descriptors 3 and 4.
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
            let mut messages = output.split(0).map_while(|text| serde_json::from_slice(&text.ok()?).ok());
            messages.try_for_each(|message| sender.send(message))
        });
        let mut browser = Self {
            process,
            messages,
            profile,
            session: Value::Null,
            commands: 0,
            address: String::new(),
            events: Vec::new(),
        };
        let target = browser.command("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        browser.session = browser.command("Target.attachToTarget", attach)["sessionId"].clone();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.command(&format!("{domain}.enable"), json!({}));
        }
        let attach = json!({"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true});
        browser.command("Target.setAutoAttach", attach);
        browser.command("Page.addScriptToEvaluateOnNewDocument", json!({"source": MODULES_AS_GLOBALS}));
        browser.emulate("light");
        Some(browser)
    }

    /// Sends a DevTools command and returns its result.
    pub fn command(&mut self, method: &str, params: Value) -> Value {
        let problem = format!("{method} {params}");
        self.try_command(method, params).unwrap_or_else(|message| panic!("{problem}: {message}"))
    }

    /// Like [`Self::command`], but returns Chromium's error.
    fn try_command(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send(method, &params, &self.session.clone());
        loop {
            let message = self.messages.recv_timeout(Duration::from_secs(60)).expect("Chromium answers");
            if message["id"] == id {
                return if message.get("error").is_none() {
                    Ok(message["result"].clone())
                } else {
                    Err(message)
                };
            }
            if message["method"] == "Target.attachedToTarget" {
                // Events of the page's workers are reported too. The replies to these commands are ignored.
                for domain in ["Runtime", "Log", "Network"] {
                    self.send(&format!("{domain}.enable"), &json!({}), &message["params"]["sessionId"]);
                }
            }
            self.events.push(message);
        }
    }

    /// Sends a command to a session: the page, a worker, or (null) the browser. Returns the command's ID.
    fn send(&mut self, method: &str, params: &Value, session: &Value) -> u64 {
        self.commands += 1;
        let mut command = json!({"id": self.commands, "method": method, "params": params});
        if !session.is_null() {
            command["sessionId"] = session.clone();
        }
        let pipe = self.process.stdin.as_mut().expect("its input is piped");
        write!(pipe, "{command}\0").and_then(|()| pipe.flush()).expect("Chromium listens");
        self.commands
    }

    /// Loads a page from a file, even if it is already open; `hash` is the fragment with its `#`, or empty.
    pub fn open(&mut self, page: &Path, hash: &str) {
        self.open_address(&format!("file://{}", page.display()), hash);
    }

    /// Loads the page at an address, even if it is already open; `hash` as in [`Self::open`].
    pub fn open_address(&mut self, address: &str, hash: &str) {
        address.clone_into(&mut self.address);
        for url in ["about:blank".to_owned(), format!("{address}{hash}")] {
            self.command("Page.navigate", json!({"url": url}));
            let is_loaded = format!(
                "document.readyState === 'complete' && hasGlobals && location.href.startsWith({url:?})"
            );
            self.wait_for(&is_loaded);
        }
    }

    /// Evaluates a JavaScript expression and awaits it if it is a promise.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        self.try_evaluate(expression).unwrap_or_else(|message| panic!("{expression}: {message}"))
    }

    /// Like [`Self::evaluate`], but returns Chromium's error or the expression's exception.
    fn try_evaluate(&mut self, expression: &str) -> Result<Value, Value> {
        let request = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.try_command("Runtime.evaluate", request)?;
        let is_value = result.get("exceptionDetails").is_none();
        if is_value { Ok(result["result"]["value"].clone()) } else { Err(result) }
    }

    /// Waits until a JavaScript expression is true; fails after 60 s.
    ///
    /// An expression that cannot be evaluated is not true yet: while a page is being replaced, it has no body.
    #[track_caller]
    pub fn wait_for(&mut self, expression: &str) {
        self.wait_until(|browser| {
            let value = browser.try_evaluate(expression);
            if value == Ok(Value::Bool(true)) {
                Ok(())
            } else {
                Err(format!("never true: {expression}: {value:?}"))
            }
        });
    }

    /// Tries until the result is `Ok`; fails with the last error after 60 s.
    #[track_caller]
    fn wait_until(&mut self, mut attempt: impl FnMut(&mut Self) -> Result<(), String>) {
        let patience = Instant::now() + Duration::from_secs(60);
        while let Err(problem) = attempt(self) {
            assert!(Instant::now() < patience, "{problem}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns the visible text of an element.
    pub fn text(&mut self, selector: &str) -> String {
        let text = self.evaluate(&format!("document.querySelector({selector:?}).innerText"));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Fails unless a JavaScript expression has this value.
    #[track_caller]
    pub fn assert_value(&mut self, expression: &str, expected: impl Into<Value>) {
        assert_eq!(self.evaluate(expression), expected.into(), "{expression}");
    }

    /// Waits until the visible text of an element contains this text; fails after 60 s.
    ///
    /// The page writes most texts only once the engine, the clipboard or the disk has answered.
    #[track_caller]
    pub fn assert_text(&mut self, selector: &str, text: &str) {
        self.wait_until(|browser| {
            let shown = browser.text(selector);
            if shown.contains(text) {
                Ok(())
            } else {
                Err(format!("{selector} does not contain {text:?}: {shown}"))
            }
        });
    }

    /// Replaces the text of an input field.
    pub fn fill(&mut self, selector: &str, text: &str) {
        let field = format!("document.querySelector({selector:?})");
        self.evaluate(&format!("{field}.focus(); {field}.select()"));
        self.command("Input.insertText", json!({"text": text}));
    }

    /// Selects a value in a drop-down list.
    pub fn choose(&mut self, selector: &str, value: &str) {
        self.evaluate(&format!(
            "(() => {{ const list = document.querySelector({selector:?}); list.value = {value:?};
            list.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
        ));
    }

    /// Sets the file of a file input.
    pub fn give_file(&mut self, selector: &str, file: &Path) {
        let expression = format!("document.querySelector({selector:?})");
        let field = self.command("Runtime.evaluate", json!({"expression": expression}));
        let object = &field["result"]["objectId"];
        self.command("DOM.setFileInputFiles", json!({"files": [file], "objectId": object}));
    }

    /// Sets the size of the window; `mobile` emulates a touch screen.
    pub fn resize(&mut self, [width, height]: [u32; 2], mobile: bool) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile});
        self.command("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Saves a screenshot as PNG.
    pub fn picture(&mut self, file: &Path) {
        let picture = self.command("Page.captureScreenshot", json!({"format": "png"}));
        let bytes = BASE64_STANDARD.decode(picture["data"].as_str().expect("base64")).expect("base64");
        std::fs::write(file, bytes).expect("a picture fits on the disk");
    }

    /// Presses and releases a key.
    pub fn press(&mut self, key: &str) {
        // Dialogs check the key code, not the key's name.
        let number = if key == "Escape" { 27 } else { 0 };
        for kind in ["rawKeyDown", "keyUp"] {
            let event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": number});
            self.command("Input.dispatchKeyEvent", event);
        }
    }

    /// Clicks the middle of the first element that matches the selector.
    pub fn click(&mut self, selector: &str) {
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

    /// Clicks as [`Self::click`] does and waits until a JavaScript expression is true.
    pub fn click_and_wait(&mut self, selector: &str, expression: &str) {
        self.click(selector);
        self.wait_for(expression);
    }

    /// Disables animation and sets the colour scheme.
    pub fn emulate(&mut self, scheme: &str) {
        let features = json!([
            {"name": "prefers-reduced-motion", "value": "reduce"},
            {"name": "prefers-color-scheme", "value": scheme},
        ]);
        self.command("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Fails on exceptions, console and log messages, and requests for anything except the page, files below the page's
    /// address, `blob:` workers, `data:` images and modules.
    #[track_caller]
    pub fn assert_no_complaints(&self) {
        let complains = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded") => true,
            Some("Network.requestWillBeSent") => {
                let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
                ![&*self.address, "blob:", "data:image/", "data:text/javascript,"]
                    .iter()
                    .any(|own| url.starts_with(own))
            }
            _ => false,
        };
        let complaints: Vec<&Value> = self.events.iter().filter(complains).collect();
        assert!(complaints.is_empty(), "{complaints:?}");
    }

    /// Discards all events so far, so that [`Self::assert_no_complaints`] does not fail on them.
    pub fn forget_events(&mut self) {
        self.events.clear();
    }

    /// Returns the amazons and arrows drawn on the page's board, such as `Black d1` or `arrow g7`, in sorted order.
    pub fn board(&mut self) -> Vec<String> {
        let seen = self.evaluate(
            "(() => {
            const rim = document.querySelector('#board .rim').getBoundingClientRect();
            const edge = Math.sqrt(document.querySelectorAll('#board .square').length);
            const place = (element) => {
                const box = element.getBoundingClientRect();
                const column = Math.floor((box.x + box.width / 2 - rim.x) / rim.width * edge);
                return [column, Math.floor((rim.bottom - box.y - box.height / 2) / rim.height * edge)];
            };
            // On a turned board the letter a is at the right.
            const letters = [...document.querySelectorAll('#board .coordinate')];
            const letter = letters.find(({ textContent }) => textContent === 'a');
            const isTurned = place(letter)[0] > 0;
            const square = (element) => {
                const [column, row] = place(element).map((number) => (isTurned ? edge - 1 - number : number));
                return 'abcdefghij'[column] + (row + 1);
            };
            const all = (selector, name) =>
                [...document.querySelectorAll(`#board ${selector}`)].map((element) => name + square(element));
            return [...all('.amazon.black', 'Black '), ...all('.amazon.white', 'White '), ...all('.tile', 'arrow ')].sort();
            })()",
        );
        serde_json::from_value(seen).expect("a list of texts")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        // Chromium's child processes outlive it briefly and still write into the profile.
        let patience = Instant::now() + Duration::from_secs(5);
        while std::fs::remove_dir_all(&*self.profile).is_err() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(50));
        }
        // A second panic would abort the tests.
        if !std::thread::panicking() {
            self.assert_no_complaints();
        }
    }
}

/// Returns the amazons and arrows of a position, in the format of [`Browser::board`].
pub fn expected(position: &Position) -> Vec<String> {
    let of = |side| position.amazons(side).into_iter().map(move |square| format!("{side} {square}"));
    let amazons = Side::BOTH.into_iter().flat_map(of);
    let arrows = position.arrows().into_iter().map(|square| format!("arrow {square}"));
    let mut all: Vec<String> = amazons.chain(arrows).collect();
    all.sort_unstable();
    all
}
