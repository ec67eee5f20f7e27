//! A model of Botzone's interface for local AIs: tables, started matches, long polls, and faults on the way.
//!
//! It notes every answer that breaks the interface's rules: an illegal move, a second move for a request, an answer to
//! a foreign game.

use fastrand::Rng;
use otrera::{Position, Side, Size};
use otrera_botzone::messages::Style::{self, Json, Simple};
use otrera_botzone::messages::{Message, Request, json_request, response, simple_message};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// The secret in the address. No output of the program contains it.
pub const SECRET: &str = "s3cret-0f-the-m0del";

/// The user in the address.
pub const USER: &str = "5be1c0ffee5be1c0ffee5be1";

/// Version of a bot against which the site refuses matches.
pub const UNKNOWN_BOT: &str = "b0td0es0tex1st";

/// Maximum time for which the site holds a poll.
const HOLD: Duration = Duration::from_millis(100);

/// Faults on the way of a request or its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The connection closes before the site has read the request.
    LostRequest,
    /// Status 502 with the address in the text; the site has not read the request.
    ServerError,
    /// A redirect to an address that contains the secret.
    Redirect,
    /// A web page instead of an answer.
    WebPage,
    /// The site has read the request, and the connection closes without an answer.
    LostAnswer,
    /// The answer ends in the middle, before its announced length.
    HalfAnswer,
    /// The answer ends in the middle and has no announced length.
    ShortAnswer,
    /// The answer arrives in small pieces.
    SlowAnswer,
    /// No answer arrives, and the connection stays open.
    NoAnswer,
    /// Requests come twice in an answer, and answered ones come again.
    Twice,
    /// The answer has a request of another game.
    Foreign,
}

/// All faults.
pub const FAULTS: [Fault; 11] = [
    Fault::LostRequest,
    Fault::ServerError,
    Fault::Redirect,
    Fault::WebPage,
    Fault::LostAnswer,
    Fault::HalfAnswer,
    Fault::ShortAnswer,
    Fault::SlowAnswer,
    Fault::NoAnswer,
    Fault::Twice,
    Fault::Foreign,
];

/// Form of a match's requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Line,
    Object,
    /// All requests and responses as one JSON object.
    History,
}

struct Match {
    form: Form,
    us: Side,
    positions: Vec<Position>,
    /// Requests and answers in turn, as sent.
    requests: Vec<String>,
    answers: Vec<String>,
    /// Time of the opponent's next move.
    due: Option<Instant>,
    /// Number of our answers after which the match is aborted.
    aborted_after: Option<usize>,
    was_started: bool,
    /// The result, in the site's words; `None` while the match goes on.
    result: Option<String>,
    /// True once a whole answer contained the result.
    is_told: bool,
}

/// Faults and matches of the model.
#[derive(Clone, Copy)]
pub struct Options {
    /// Faults of the first polls, `None` for a poll without one.
    pub script: &'static [Option<Fault>],
    /// Probability of a fault in later polls and other requests.
    pub faults: f64,
    /// Number of matches at tables.
    pub tables: usize,
    /// Number of them at a time.
    pub at_once: usize,
    /// Time that the opponent takes for a move.
    pub opponent: Duration,
    pub seed: u64,
}

pub struct State {
    options: Options,
    rng: Rng,
    matches: BTreeMap<String, Match>,
    tables: usize,
    /// Rules that the program broke.
    pub errors: Vec<String>,
    /// Number of polls with a fault.
    pub faults: usize,
    /// Number of polls, with those that the site has not read.
    asked: usize,
    /// Number of answers in each poll that the site has read.
    pub polls: Vec<usize>,
    /// Matches that the program aborted.
    pub aborted: Vec<String>,
    /// Headers of the requests that started a match.
    pub starts: Vec<BTreeMap<String, String>>,
}

/// The model; its threads end with the test program.
#[derive(Clone)]
pub struct Site {
    address: SocketAddr,
    state: Arc<(Mutex<State>, Condvar)>,
}

impl Site {
    pub fn new(options: Options) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let state = State {
            options,
            rng: Rng::with_seed(options.seed),
            matches: BTreeMap::new(),
            tables: 0,
            errors: Vec::new(),
            faults: 0,
            asked: 0,
            polls: Vec::new(),
            aborted: Vec::new(),
            starts: Vec::new(),
        };
        let address = listener.local_addr().expect("an address");
        let site = Self { address, state: Arc::new((Mutex::new(state), Condvar::new())) };
        let served = site.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let site = served.clone();
                // A client that has gone is no error of the model.
                thread::spawn(move || site.serve(stream));
            }
        });
        site
    }

    pub fn url(&self) -> String {
        format!("http://{}/api/{USER}/{SECRET}/localai", self.address)
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.0.lock().expect("no thread of the model panics")
    }

    fn serve(&self, stream: TcpStream) -> Option<()> {
        let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
        let first = lines.next()?.ok()?;
        let mut headers = BTreeMap::new();
        while let Some((name, value)) = lines.next()?.ok()?.split_once(':') {
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let path = first.split(' ').nth(1)?;
        let fault = self.state().fault(path.ends_with("/localai"));
        let Some(request) = path.strip_prefix(&format!("/api/{USER}/{SECRET}/")) else {
            return send(stream, "404 Not Found", &format!("no user at {path}"), None);
        };
        let page = format!("<html>{}</html>", self.url());
        match fault {
            Some(Fault::LostRequest) => return Some(()),
            Some(Fault::ServerError) => return send(stream, "502 Bad Gateway", &page, None),
            Some(Fault::Redirect) => {
                return send(stream, &format!("302 Found\r\nLocation: {}", self.url()), &page, None);
            }
            Some(Fault::WebPage) if request == "localai" => return send(stream, "200 OK", &page, None),
            _ => {}
        }
        match request {
            "localai" => self.poll(stream, &headers, fault),
            "runmatch" if headers.values().any(|value| value == UNKNOWN_BOT) => {
                send(stream, "400 Bad Request", "no such bot", None)
            }
            "runmatch" => {
                let name = self.state().start(headers);
                let fault = fault.filter(|fault| *fault == Fault::LostAnswer);
                send(stream, "200 OK", &name, fault)
            }
            "abortmatch" => {
                let name = headers.get("x-matchid").cloned().unwrap_or_default();
                self.state().abort(name);
                send(stream, "200 OK", "", None)
            }
            _ => send(stream, "404 Not Found", "", None),
        }
    }

    fn poll(
        &self,
        stream: TcpStream,
        headers: &BTreeMap<String, String>,
        fault: Option<Fault>,
    ) -> Option<()> {
        let until = Instant::now() + HOLD;
        let mut state = self.state();
        let answers: Vec<_> = headers
            .iter()
            .filter_map(|(name, answer)| Some((name.strip_prefix("x-match-")?, answer)))
            .collect();
        state.polls.push(answers.len());
        for (name, answer) in answers {
            state.answer(name, answer);
        }
        loop {
            state.tick();
            let (text, told) = state.news(fault);
            if text != "0 0\n" || Instant::now() >= until {
                drop(state);
                send(stream, "200 OK", &text, fault)?;
                let is_whole = !matches!(
                    fault,
                    Some(Fault::LostAnswer | Fault::HalfAnswer | Fault::ShortAnswer | Fault::NoAnswer)
                );
                if is_whole {
                    self.state().tell(&told);
                }
                return Some(());
            }
            state = self.state.1.wait_timeout(state, Duration::from_millis(2)).expect("no panic").0;
        }
    }
}

/// Sends an answer, or what the fault leaves of it.
fn send(mut stream: TcpStream, status: &str, text: &str, fault: Option<Fault>) -> Option<()> {
    let half = text.len() / 2;
    let length = match fault {
        Some(Fault::ShortAnswer) => String::new(),
        _ => format!("Content-Length: {}\r\n", text.len()),
    };
    let head = format!("HTTP/1.1 {status}\r\n{length}Connection: close\r\n\r\n");
    match fault {
        Some(Fault::LostAnswer) => {}
        Some(Fault::NoAnswer) => thread::sleep(Duration::from_millis(800)),
        Some(Fault::HalfAnswer | Fault::ShortAnswer) => {
            stream.write_all(format!("{head}{}", &text[..half]).as_bytes()).ok()?;
        }
        Some(Fault::SlowAnswer) => {
            stream.write_all(head.as_bytes()).ok()?;
            for piece in text.as_bytes().chunks(7) {
                stream.write_all(piece).ok()?;
                thread::sleep(Duration::from_millis(1));
            }
        }
        _ => stream.write_all(format!("{head}{text}").as_bytes()).ok()?,
    }
    Some(())
}

impl State {
    /// Returns the fault of a request, often none. The faults of polls take turns, so that each one happens.
    fn fault(&mut self, is_poll: bool) -> Option<Fault> {
        if is_poll {
            self.asked += 1;
            if let Some(&fault) = self.options.script.get(self.asked - 1) {
                return fault;
            }
        }
        if self.rng.f64() >= self.options.faults {
            return None;
        }
        if !is_poll {
            return Some(FAULTS[self.rng.usize(..FAULTS.len())]);
        }
        let fault = FAULTS[self.faults % FAULTS.len()];
        self.faults += 1;
        Some(fault)
    }

    fn new_match(&mut self, us: Side, was_started: bool) -> String {
        let number = self.matches.len();
        let name = format!("5bd137c3{number:016x}");
        let forms = [Form::Line, Form::Object, Form::History];
        let form = if was_started { Form::Line } else { forms[self.rng.usize(..3)] };
        let mut new = Match {
            form,
            us,
            positions: vec![Position::start(Size::BOTZONE)],
            requests: Vec::new(),
            answers: Vec::new(),
            due: None,
            aborted_after: (self.rng.u8(..10) == 0).then(|| self.rng.usize(..6)),
            was_started,
            result: None,
            is_told: false,
        };
        match us {
            Side::Black => new.ask(None),
            Side::White => new.due = Some(Instant::now()),
        }
        self.matches.insert(name.clone(), new);
        name
    }

    fn start(&mut self, headers: BTreeMap<String, String>) -> String {
        let player = |slot: u8| headers.get(&format!("x-player-{slot}")).map_or("", String::as_str);
        let us = match (player(0), player(1)) {
            ("me", bot) if !bot.is_empty() => Side::Black,
            (bot, "me") if !bot.is_empty() => Side::White,
            players => {
                self.errors.push(format!("players {players:?}"));
                Side::Black
            }
        };
        self.starts.push(headers);
        self.new_match(us, true)
    }

    fn abort(&mut self, name: String) {
        if let Some(found) = self.matches.get_mut(&name) {
            found.end(None);
        }
        self.aborted.push(name);
    }

    /// Takes in an answer of the program.
    fn answer(&mut self, name: &str, answer: &str) {
        let Some(found) = self.matches.get_mut(name) else {
            return self.errors.push(format!("{name}: an answer to no match: {answer}"));
        };
        let is_repeated = found.answers.last().is_some_and(|last| last == answer);
        if is_repeated || found.result.is_some() {
            return;
        }
        if found.answers.len() == found.requests.len() {
            let problem = format!("{name}: {answer} after {:?}", found.answers.last());
            return self.errors.push(problem);
        }
        if let Err(problem) = found.play(answer) {
            return self.errors.push(format!("{name}: {answer}: {problem}"));
        }
        found.answers.push(answer.to_owned());
        let position = found.position();
        match position.winner() {
            Some(winner) => found.end(Some(winner)),
            None if found.aborted_after.is_some_and(|count| found.answers.len() > count) => found.end(None),
            None => found.due = Some(Instant::now() + self.options.opponent),
        }
    }

    /// Opens tables and makes the opponents' moves.
    fn tick(&mut self) {
        let open = self.matches.values().filter(|found| !found.was_started && found.result.is_none()).count();
        for _ in open..self.options.at_once {
            if self.tables < self.options.tables {
                self.tables += 1;
                let us = if self.rng.bool() { Side::Black } else { Side::White };
                self.new_match(us, false);
            }
        }
        let now = Instant::now();
        for found in self.matches.values_mut() {
            if found.result.is_none() && found.due.is_some_and(|due| due <= now) {
                found.due = None;
                let position = found.position();
                let mv = testkit::random_move(&position, &mut self.rng);
                let next = position.with_move(mv);
                found.positions.push(next);
                match next.winner() {
                    Some(winner) => found.end(Some(winner)),
                    None => found.ask(Some(response(Some(mv), found.style()))),
                }
            }
        }
    }

    /// Returns the text of an answer, and the matches whose results are in it.
    fn news(&mut self, fault: Option<Fault>) -> (String, Vec<String>) {
        let (mut requests, mut results, mut told) = (Vec::new(), Vec::new(), Vec::new());
        for (name, found) in &self.matches {
            if let (Some(result), false) = (&found.result, found.is_told) {
                results.push(format!("{name} {result}\n"));
                told.push(name.clone());
            } else if let (None, Some(request)) = (&found.result, found.requests.last())
                && (found.requests.len() > found.answers.len() || fault == Some(Fault::Twice))
            {
                requests.push(format!("{name}\n{request}\n"));
            }
        }
        match fault {
            Some(Fault::Twice) => requests.extend(requests.clone()),
            Some(Fault::Foreign) => {
                let number = self.rng.usize(..4);
                let other =
                    ["{\"x\":-1,\"y\":-1}", "-1 -1", "3 3 3 3 3 3", "{\"requests\":[{\"x\":1}]}"][number];
                requests.insert(0, format!("f0re1gn{number}\n{other}\n"));
            }
            _ => {}
        }
        let head = format!("{} {}\n", requests.len(), results.len());
        (head + &requests.concat() + &results.concat(), told)
    }

    fn tell(&mut self, names: &[String]) {
        for name in names {
            if let Some(found) = self.matches.get_mut(name) {
                found.is_told = true;
            }
        }
    }

    /// True if all tables were played and the program knows all results.
    pub fn is_over(&self) -> bool {
        self.tables == self.options.tables && self.matches.values().all(|found| found.is_told)
    }

    /// Returns the numbers of matches and of those that were aborted.
    pub fn matches(&self) -> (usize, usize) {
        (self.matches.len(), self.matches.values().filter(|found| found.is_aborted()).count())
    }

    /// Returns the number of our answers in all matches.
    pub fn answers(&self) -> usize {
        self.matches.values().map(|found| found.answers.len()).sum()
    }

    /// Returns the matches with a request that has no answer although the match was not aborted.
    pub fn unanswered(&self) -> Vec<&String> {
        let is_open = |found: &Match| found.requests.len() > found.answers.len() && !found.is_aborted();
        self.matches.iter().filter(|(_, found)| is_open(found)).map(|(name, _)| name).collect()
    }
}

impl Match {
    fn position(&self) -> Position {
        self.positions[self.positions.len() - 1]
    }

    fn is_aborted(&self) -> bool {
        self.result.as_ref().is_some_and(|result| result.ends_with(" 0") && result.len() == 3)
    }

    fn style(&self) -> Style {
        if self.form == Form::Line { Simple } else { Json }
    }

    /// Asks for our next move, after the opponent's move in the platform's words.
    fn ask(&mut self, mv: Option<String>) {
        let mv = mv.unwrap_or_else(|| response(None, self.style()));
        if self.form != Form::History {
            return self.requests.push(mv);
        }
        let earlier = self.requests.last().map_or(Vec::new(), |text| {
            let (_, rest) = text.split_once('[').expect("a history");
            vec![rest.split_once("],").expect("a history").0.to_owned()]
        });
        let requests = earlier.into_iter().chain([mv]).collect::<Vec<_>>().join(",");
        let responses = self.answers.join(",");
        self.requests.push(format!("{{\"requests\":[{requests}],\"responses\":[{responses}]}}"));
    }

    /// Plays our answer. Fails if it is not a legal move in the match's format.
    fn play(&mut self, answer: &str) -> Result<(), String> {
        let message = match self.form {
            Form::Line => simple_message(answer, Size::BOTZONE),
            Form::Object | Form::History => match json_request(answer, Size::BOTZONE) {
                Request::Bare(message) if answer.starts_with('{') => message,
                other => return Err(format!("{other:?}")),
            },
        };
        let Message::Move(mv) = message else { return Err("not a move".into()) };
        if response(Some(mv), self.style()) != answer {
            return Err("not as the judge reads it".into());
        }
        let position = self.position();
        self.positions.push(position.try_play(mv).map_err(|error| error.to_string())?);
        Ok(())
    }

    fn end(&mut self, winner: Option<Side>) {
        if self.result.is_none() {
            let slot = u8::from(self.us == Side::White);
            self.result = Some(match winner {
                None => format!("{slot} 0"),
                Some(Side::Black) => format!("{slot} 2 2 0"),
                Some(Side::White) => format!("{slot} 2 0 2"),
            });
        }
    }
}
