//! Tests of `otrera gui`: the web server, and its page in a browser.

use crate::common::{LIMIT, folder, start, text};
use otrera::eval::weights::WeightsFile;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};
use testkit::browser::Browser;
use testkit::program::Program;

/// A running `otrera gui` process and its addresses.
pub struct Gui {
    pub program: Program,
    /// URL of the page: `http://127.0.0.1:PORT/TOKEN/`.
    pub address: String,
    /// Host and port: `127.0.0.1:PORT`.
    pub host: String,
    /// Path of the page: `/TOKEN/`.
    pub root: String,
}

impl Gui {
    pub fn start(arguments: &[&str]) -> Self {
        let own = ["gui", "--port", "0", "--no-open", "--threads", "1", "--memory", "16"];
        let mut program = start(&[&own, arguments].concat());
        let address = program.line(LIMIT).expect("the address");
        let (host, path) =
            address.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("an address");
        let (host, root) = (host.to_owned(), format!("/{path}"));
        Self { program, address, host, root }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).expect("the server accepts");
        stream.set_read_timeout(Some(LIMIT)).expect("a limit");
        stream
    }

    /// Sends these bytes on a new connection; returns everything received until the server closes the connection.
    pub fn exchange(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // The server can refuse a request before it has read all of it.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Formats an HTTP request like those of the page, with the given path, host and headers.
    pub fn request(&self, method: &str, path: &str, host: &str, headers: &str, body: &str) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    pub fn post(&self, body: &str) -> String {
        self.request("POST", &format!("{}ask", self.root), &self.host, "", body)
    }

    /// Sends a request as the page does; asserts status 200 and returns the JSON of the answer.
    pub fn json(&self, method: &str, name: &str, body: &str) -> Value {
        let request = self.request(method, &format!("{}{name}", self.root), &self.host, "", body);
        let answer = self.exchange(request.as_bytes());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{request}: {answer:?}"));
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"))
    }

    pub fn ask(&self, request: &Value) -> Value {
        self.json("POST", "ask", &request.to_string())
    }

    /// Asserts that the server admits the page's requests, but no request without the token, with another host, or with
    /// another `Origin`. Calls `check` with a description after each refusal.
    pub fn assert_only_the_page_admitted(&self, method: &str, name: &str, body: &str, check: impl Fn(&str)) {
        let (host, path) = (self.host.as_str(), format!("{}{name}", self.root));
        let port = host.rsplit(':').next().expect("a port");
        let origin = |origin: &str| format!("Origin: {origin}\r\n");
        let status = |path: &str, host: &str, headers: &str| {
            let answer = self.exchange(self.request(method, path, host, headers, body).as_bytes());
            answer.get(9..12).map(str::to_owned)
        };
        let token = self.root.trim_matches('/');
        let last = if token.ends_with('0') { "1" } else { "0" };
        let other_tokens =
            [format!("{}{last}", &token[..token.len() - 1]), token[..16].into(), format!("{token}0")];
        for token in other_tokens {
            let path = format!("/{token}/{name}");
            assert_eq!(status(&path, host, "").as_deref(), Some("404"), "{method} {path}, not {}", self.root);
            check(&path);
        }
        for (path, host, headers, expected) in [
            (&format!("/{name}"), host, String::new(), "404"),
            (&format!("/{}/{name}", "0".repeat(32)), host, String::new(), "404"),
            (&path, "otrera.example", String::new(), "403"),
            (&path, &format!("otrera.example:{port}"), String::new(), "403"),
            (&path, "127.0.0.1:1", String::new(), "403"),
            (&path, host, origin("http://otrera.example"), "403"),
            (&path, host, origin("null"), "403"),
            (&path, host, "Host: otrera.example\r\n".into(), "403"),
            (&path, host, origin(&format!("http://{host}")) + &origin("http://otrera.example"), "403"),
            (&path, host, origin(&format!("https://{host}")), "403"),
        ] {
            let case = format!("{method} {path} {host} {headers}");
            assert_eq!(status(path, host, &headers).as_deref(), Some(expected), "{case}");
            check(&case);
        }
        for (host, headers) in
            [(host, ""), (host, &origin(&format!("http://{host}"))), (&format!("localhost:{port}"), "")]
        {
            assert_eq!(status(&path, host, headers).as_deref(), Some("200"), "{path} {host} {headers}");
        }
    }

    pub fn assert_answers(&self) {
        assert_eq!(self.ask(&json!({"do": "start", "edge": 8}))["edge"], 8);
    }
}

#[test]
fn foreign_requests_are_refused() {
    let gui = Gui::start(&[]);
    let page = gui.exchange(gui.request("GET", &gui.root, &gui.host, "", "").as_bytes());
    assert!(page.starts_with("HTTP/1.1 200 ") && page.contains("\"preset\":\"tournament\""), "{page:.300}");
    let (ask, body) = (format!("{}ask", gui.root), json!({"do": "start", "edge": 8}).to_string());
    gui.assert_only_the_page_admitted("POST", "ask", &body, |_| ());
    let without_host = format!("POST {ask} HTTP/1.0\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    assert!(gui.exchange(without_host.as_bytes()).contains(" 403 "));
}

#[test]
fn only_127_0_0_1_accepts_connections() {
    let gui = Gui::start(&[]);
    let port: u16 = gui.host.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    // Finds an address of a network interface without sending a packet.
    let outer = UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    let mut addresses = vec![IpAddr::from([127, 0, 0, 2]), IpAddr::from(std::net::Ipv6Addr::LOCALHOST)];
    addresses.extend(outer.map(|address| address.ip()).ok().filter(|ip| *ip != Ipv4Addr::LOCALHOST));
    for ip in addresses {
        let stream = TcpStream::connect_timeout(&SocketAddr::new(ip, port), Duration::from_secs(5));
        assert!(stream.is_err(), "{ip} answers");
    }
    gui.assert_answers();
}

#[test]
fn malformed_requests_do_not_stop_the_server() {
    let gui = Gui::start(&[]);
    let post = format!("POST {}ask HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", gui.root, gui.host);
    // 100 MB, of which the server reads only the beginning.
    let large = format!("{post}Content-Length: 100000000\r\n\r\n{}", " ".repeat(100_000_000));
    let refused = gui.exchange(large.as_bytes());
    assert!(refused.is_empty() || refused.contains(" 413 "), "{refused:.200}");
    // Requests that are truncated in the header and in the body.
    for part in [&post[..30], &format!("{post}Content-Length: 1000\r\n\r\n{{\"do\"")] {
        let mut stream = gui.connect();
        stream.write_all(part.as_bytes()).expect("the server reads");
        stream.shutdown(Shutdown::Both).expect("an open connection");
    }
    let long_head = gui.exchange(format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(10_000_000)).as_bytes());
    assert!(!long_head.contains(" 200 "), "{long_head:.200}");
    for noise in ["\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n"] {
        let answer = gui.exchange(noise.as_bytes());
        assert!(!answer.contains(" 200 "), "{noise:?}: {answer}");
    }
    for request in [json!({"do": "nothing"}), json!([]), json!({"do": "think", "fen": "", "seconds": 1.0})] {
        assert!(gui.ask(&request)["problem"].is_string(), "{request}");
    }
    gui.assert_answers();
}

#[test]
#[cfg(unix)]
fn a_thousand_simultaneous_requests_are_answered() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    const CONNECTIONS: usize = 1000;
    // The other tests of this process need file descriptors as well.
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).expect("the upper bound is allowed");
    let gui = Gui::start(&[]);
    let post = gui.post(&json!({"do": "start", "edge": 8}).to_string());
    let streams: Vec<TcpStream> = (0..CONNECTIONS).map(|_| gui.connect()).collect();
    for mut stream in &streams {
        stream.write_all(post.as_bytes()).expect("the server reads");
    }
    let answered = streams.into_iter().filter_map(|mut stream| {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        answer.starts_with("HTTP/1.1 200 ").then_some(())
    });
    assert_eq!(answered.count(), CONNECTIONS);
    gui.assert_answers();
}

#[test]
#[cfg(target_os = "linux")]
fn connections_that_cannot_be_accepted_do_not_stop_the_server() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let gui = Gui::start(&[]);
    // File descriptors for the server's own files and a few connections.
    let few = Rlimit { current: Some(16), maximum: Some(16) };
    prlimit(Pid::from_raw(gui.program.id() as i32), Resource::Nofile, few).expect("a lower limit");
    let streams: Vec<TcpStream> = (0..40).map(|_| gui.connect()).collect();
    std::thread::sleep(Duration::from_millis(300));
    drop(streams);
    gui.assert_answers();
}

#[test]
fn a_closed_connection_stops_the_search() {
    let gui = Gui::start(&[]);
    let fen = gui.ask(&json!({"do": "start", "edge": 10}))["fen"].clone();
    let think = json!({"do": "think", "fen": fen, "seconds": 3600.0, "lines": 1});
    let mut stream = gui.connect();
    stream.write_all(gui.post(&think.to_string()).as_bytes()).expect("the server reads");
    drop(stream);
    let begun = Instant::now();
    gui.assert_answers();
    assert!(begun.elapsed() < LIMIT);
}

#[test]
fn the_program_ends_after_the_last_tab() {
    let mut gui = Gui::start(&[]);
    let alive = gui.request("GET", &format!("{}alive", gui.root), &gui.host, "", "");
    let [mut first, mut second] = [gui.connect(), gui.connect()];
    for tab in [&mut first, &mut second] {
        tab.write_all(alive.as_bytes()).expect("the server reads");
    }
    gui.assert_answers();
    drop(first);
    gui.assert_answers();
    drop(second);
    let exit = gui.program.exit(LIMIT).expect("otrera ends by itself");
    assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""));
}

#[test]
fn many_tabs_share_one_connection() {
    let gui = Gui::start(&[]);
    let Some(mut browser) = Browser::start("many tabs of otrera gui") else { return };
    browser.open_address(&gui.address, "");
    let open = json!({"expression": "void open(location.href)", "userGesture": true});
    for _ in 0..6 {
        browser.command("Runtime.evaluate", open.clone());
    }
    browser.wait_for(
        "navigator.locks.query().then(({ held, pending }) => held.length === 1 && pending.length === 6)",
    );
    assert!(browser.evaluate("engine.ask({ do: 'version' })")["version"].is_string());
}

#[test]
fn a_network_for_another_board_is_refused() {
    let folder = folder("gui-network");
    let file = folder.join("small.json");
    let mut weights = WeightsFile::read(WeightsFile::BUILT_IN).expect("weights");
    weights.networks.small.as_mut().expect("a network for 8x8").network.rows[0][0] += 1;
    std::fs::write(&file, weights.write()).expect("a file");
    let gui = Gui::start(&["--preset", &format!("tournament,model={}", text(&file))]);
    for (edge, is_refused) in [(8, false), (10, true)] {
        let fen = gui.ask(&json!({"do": "start", "edge": edge}))["fen"].clone();
        let found = gui.ask(&json!({"do": "think", "fen": fen, "iterations": 10}));
        let problem = found["problem"].as_str().unwrap_or_default();
        assert_eq!(problem.contains("its network is for boards up to 8x8"), is_refused, "{found}");
    }
}

#[test]
fn the_page_uses_the_native_engine() {
    let gui = Gui::start(&[]);
    let Some(mut browser) = Browser::start("the page of otrera gui") else { return };
    browser.open_address(&gui.address, "");
    browser.wait_for("Boolean(state.tree?.current.described)");
    assert!(browser.text("#server-note").contains("1 thread · up to 16 MB"));
    browser.click("#new-game");
    browser.click("#new-size input[value='8']");
    browser.choose("#control", "4");
    browser.click("#begin");
    browser.wait_for("state.tree.root.described?.edge === 8");
    for square in ["c1", "c5", "f5"] {
        browser.click(&format!("#squares [data-square='{square}']"));
    }
    browser.wait_for("state.tree.current.ply === 2 && Boolean(state.tree.current.described)");
    browser.click("#coach");
    browser.click("#analyse");
    browser.wait_for("state.found?.visits > 20000");
    browser.click("#analyse");
    browser.click("#undo");
    browser.wait_for("state.tree.current.ply === 0");
    let bench = browser.evaluate("engine.ask({ do: 'bench' })");
    let recorded = include_str!("../../tests/data/bench.txt");
    assert!(recorded.contains(&format!("tournament {}", bench["checksum"])), "{bench}");
}
