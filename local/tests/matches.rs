//! Matches against the model of the site, within this process and with short waits.

use crate::site::{FAULTS, Fault, Options, SECRET, Site, USER};
use otrera_front::io::Log;
use otrera_front::settings::Settings;
use otrera_local::address::Address;
use otrera_local::client::{Client, Totals};
use otrera_local::pace::Pace;
use otrera_local::screen::Screen;
use otrera_local::starts::{Plan, Starts};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use testkit::Folder;

/// Waits for tests: a twentieth of a second instead of a minute.
const PACE: Pace = Pace {
    first_wait: Duration::from_millis(1),
    longest_wait: Duration::from_millis(30),
    poll_time: Duration::from_millis(400),
    held: Duration::from_millis(200),
    silence: Duration::from_secs(60),
};

/// Maximum time of a test, on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// Output that a test reads.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("UTF-8")
    }
}

/// A player on the model of the site, with its output.
struct Player {
    client: Client,
    starts: Arc<Starts>,
    site: otrera_local::site::Site,
    screen: Screen,
    lines: Lines,
}

impl Player {
    /// Creates a player whose log and records are in `folder`.
    fn new(site: &Site, folder: &Folder, at_once: usize) -> Self {
        let address = Arc::new(Address::parse(&site.url()).expect("an address"));
        let mut problems = Vec::new();
        let log = Log::open(Path::new(&folder.file("log")), Instant::now(), "log", &mut problems);
        assert_eq!(problems, [] as [String; 0]);
        let lines = Lines::default();
        let screen = Screen::new(Box::new(lines.clone()), log, Arc::clone(&address));
        let settings = Settings {
            iterations: Some(20),
            threads: Some(1),
            memory: Some(64 << 20),
            record_dir: Some(folder.join("records")),
            ..Settings::default()
        };
        let (client_site, starts) =
            (otrera_local::site::Site::new(address, PACE.poll_time), Arc::new(Starts::default()));
        let client =
            Client::new(client_site.clone(), &settings, PACE, screen.clone(), Arc::clone(&starts), at_once);
        Self { client, starts, site: client_site, screen, lines }
    }

    /// Starts the matches of a plan in a thread.
    fn start(&self, games: u32, at_once: u32, as_white: bool) {
        let plan = Plan { bot: "b0t".into(), as_white, games, at_once, seconds: 42 };
        self.starts.announce(&plan);
        let (starts, site, screen) = (Arc::clone(&self.starts), self.site.clone(), self.screen.clone());
        thread::spawn(move || starts.run(&plan, &site, &PACE, &screen));
    }

    /// Plays until all matches are over.
    fn play(&mut self, site: &Site) -> Totals {
        let (until, starts) = (Instant::now() + LIMIT, Arc::clone(&self.starts));
        let is_over = |client: &Client| {
            client.is_idle() && starts.are_over() && site.state().is_over() || Instant::now() > until
        };
        self.client.run(is_over).unwrap_or_else(|problem| panic!("{problem}"))
    }
}

/// Asserts that neither output, log nor records contain the secret.
fn assert_no_secret(lines: &Lines, folder: &Folder) {
    let mut texts = vec![("output".to_owned(), lines.text())];
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
        {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let bytes = std::fs::read(&entry).expect("a file");
                texts.push((entry.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    for (name, text) in texts {
        assert!(!name.contains(SECRET) && !text.contains(SECRET) && !text.contains(USER), "{name}: {text}");
    }
}

/// Plays matches at tables and started ones, eight at a time, with faults; half of each kind.
fn all_matches_finish(matches: u32, faults: f64, seed: u64) -> Site {
    let options = Options {
        script: &[],
        faults,
        // A few more, since a match at a table can be taken for a started one whose name was lost.
        tables: (matches / 2 + matches / 8) as usize,
        at_once: 4,
        opponent: Duration::from_millis(3),
        seed,
    };
    let (site, folder) = (Site::new(options), Folder::new("local"));
    let mut player = Player::new(&site, &folder, 8);
    player.start(matches / 2, 4, true);
    let totals = player.play(&site);
    let (state, text) = (site.state(), player.lines.text());
    assert_eq!(state.errors, [] as [String; 0], "{text}");
    assert_eq!(state.unanswered(), [] as [&String; 0], "{text}");
    assert!(state.is_over(), "{text}");
    let (all, aborted) = state.matches();
    assert!(all >= matches as usize, "{all} matches");
    assert_eq!((totals.matches() as usize, totals.aborted as usize), (all, aborted), "{text}");
    assert!(text.contains(&format!("Score: {totals}.")), "{totals} is missing in {text}");
    assert_eq!(text.matches("not answered").count(), text.matches("f0re1gn").count(), "{text}");
    drop(state);
    assert_no_secret(&player.lines, &folder);
    site
}

#[test]
fn sixteen_matches_finish_without_faults() {
    let site = all_matches_finish(16, 0.0, 1);
    let headers = site.state().starts[0].clone();
    for (name, value) in [
        ("x-game", "Amazons"),
        ("x-player-0", "b0t"),
        ("x-player-1", "me"),
        ("x-initdata", ""),
        ("x-usesimpleio", "true"),
        ("x-timelimit", "42"),
    ] {
        assert_eq!(headers.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert_eq!(site.state().starts.len(), 8);
}

#[test]
fn sixteen_matches_finish_with_every_fault() {
    let site = all_matches_finish(16, 0.3, 2);
    assert!(site.state().faults >= FAULTS.len());
}

#[test]
#[ignore = "slow"]
fn two_hundred_matches_finish_with_every_fault() {
    let site = all_matches_finish(200, 0.3, 3);
    assert!(site.state().faults >= 10 * FAULTS.len());
}

#[test]
fn a_program_that_is_killed_resumes_its_matches() {
    let options = Options {
        script: &[],
        faults: 0.2,
        tables: 6,
        at_once: 3,
        opponent: Duration::from_millis(3),
        seed: 5,
    };
    let (site, folder) = (Site::new(options), Folder::new("local-resumed"));
    let mut text = String::new();
    for answers in [0, 10, 25, 40] {
        let mut player = Player::new(&site, &folder, 1);
        let until = Instant::now() + LIMIT;
        let is_killed = |_: &Client| site.state().answers() >= answers + 7 || Instant::now() > until;
        player.client.run(is_killed).unwrap_or_else(|problem| panic!("{problem}"));
        text += &player.lines.text();
    }
    let mut player = Player::new(&site, &folder, 1);
    player.play(&site);
    text += &player.lines.text();
    let state = site.state();
    assert!(state.errors.is_empty() && state.is_over(), "{:?}\n{text}", state.errors);
    assert!(text.contains("resumed after"), "{text}");
    // A resumed match continues its record.
    let records = std::fs::read_dir(folder.join("records")).expect("records").count();
    assert!(records <= state.matches().0, "{records} records");
    drop(state);
    assert_no_secret(&player.lines, &folder);
}

/// Returns a site with matches at tables, one at a time, and these faults of the first polls.
fn site_with(tables: usize, script: &'static [Option<Fault>]) -> Site {
    Site::new(Options { script, faults: 0.0, tables, at_once: 1, opponent: Duration::ZERO, seed: 1 })
}

#[test]
fn waits_double_up_to_the_longest_until_the_site_answers() {
    const LOST: Option<Fault> = Some(Fault::LostRequest);
    let (site, folder) =
        (site_with(0, &[LOST, LOST, LOST, LOST, None, LOST, LOST]), Folder::new("local-waits"));
    let mut player = Player::new(&site, &folder, 1);
    let pace = Pace { longest_wait: Duration::from_millis(4), held: LIMIT, ..PACE };
    let starts = Arc::clone(&player.starts);
    player.client =
        Client::new(player.site.clone(), &Settings::default(), pace, player.screen.clone(), starts, 1);
    let until = Instant::now() + LIMIT;
    let is_over = |_: &Client| site.state().polls.len() >= 2 || Instant::now() > until;
    player.client.run(is_over).unwrap_or_else(|problem| panic!("{problem}"));
    let log = std::fs::read_to_string(folder.file("log")).expect("a log");
    let waits: Vec<&str> =
        log.lines().filter_map(|line| Some(line.split_once("next try in ")?.1.trim_end())).collect();
    assert_eq!(waits, ["1ms", "2ms", "4ms", "4ms", "1ms", "2ms"], "{log}");
}

#[test]
fn an_answer_is_sent_again_after_an_incomplete_reply() {
    // The first poll gets the request. The reply to our answer is cut.
    let (site, folder) = (site_with(1, &[None, Some(Fault::HalfAnswer)]), Folder::new("local-cut"));
    let mut player = Player::new(&site, &folder, 1);
    let until = Instant::now() + LIMIT;
    let is_over = |_: &Client| site.state().polls.len() >= 3 || Instant::now() > until;
    player.client.run(is_over).unwrap_or_else(|problem| panic!("{problem}"));
    let text = player.lines.text();
    assert!(text.contains("the answer is incomplete"), "{text}");
    assert_eq!(site.state().polls, [0, 1, 1], "{text}");
}

#[test]
fn a_refused_address_ends_the_program_with_advice() {
    let (site, folder) = (site_with(1, &[]), Folder::new("local-refused"));
    let mut player = Player::new(&site, &folder, 1);
    let wrong = site.url().replace("s3cret", "s4cret");
    let address = Arc::new(Address::parse(&wrong).expect("an address"));
    let wrong_site = otrera_local::site::Site::new(address, PACE.poll_time);
    let settings = Settings::default();
    player.client =
        Client::new(wrong_site, &settings, PACE, player.screen.clone(), Arc::clone(&player.starts), 1);
    let problem = player.client.run(|_| false).expect_err("a refusal");
    assert!(problem.contains("refuses the address (status 404"), "{problem}");
}
