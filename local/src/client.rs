//! The loop: poll with the answers, search all matches with a request, and again. After a failure it waits longer each
//! time.

use crate::game::{DEFAULTS, Game, News};
use crate::pace::Pace;
use crate::reply::{MatchResult, Reply};
use crate::screen::Screen;
use crate::site::{RequestError, Site};
use crate::starts::Starts;
use otrera::{Report, Resources, Side};
use otrera_botzone::messages::request_in_line;
use otrera_front::session::summary;
use otrera_front::settings::Settings;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Totals over all matches that have ended.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Totals {
    /// Won, lost and drawn matches.
    pub results: [u32; 3],
    /// Matches that the site aborted, or that were given up.
    pub aborted: u32,
}

impl Totals {
    /// Returns the number of matches.
    pub fn matches(&self) -> u32 {
        self.results.iter().sum::<u32>() + self.aborted
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [won, lost, drawn] = self.results;
        write!(f, "{won} won, {lost} lost")?;
        for (count, name) in [(drawn, "drawn"), (self.aborted, "aborted")] {
            if count > 0 {
                write!(f, ", {count} {name}")?;
            }
        }
        Ok(())
    }
}

/// Plays on the site.
pub struct Client {
    site: Site,
    settings: Settings,
    pace: Pace,
    screen: Screen,
    starts: Arc<Starts>,
    games: BTreeMap<String, Game>,
    /// Cores and memory of all searches together.
    resources: Resources,
    /// Number of shares into which cores and memory are divided: a power of two.
    shares: usize,
    /// Number of shares before any match.
    first_shares: usize,
    /// Matches that have ended; late requests of them are ignored.
    ended: HashSet<String>,
    /// Matches with a request that does not fit; true once the user was told.
    foreign: BTreeMap<String, bool>,
    totals: Totals,
    /// True once the site has answered.
    was_connected: bool,
    /// Failures since the last answer of the site.
    failures: u32,
}

impl Client {
    /// Creates a client that expects `at_once` matches at a time; more of them get smaller shares.
    pub fn new(
        site: Site,
        settings: &Settings,
        pace: Pace,
        screen: Screen,
        starts: Arc<Starts>,
        at_once: usize,
    ) -> Self {
        let first_shares = at_once.max(1).next_power_of_two();
        Self {
            site,
            settings: settings.clone(),
            pace,
            screen,
            starts,
            games: BTreeMap::new(),
            resources: DEFAULTS.resources(settings),
            shares: first_shares,
            first_shares,
            ended: HashSet::new(),
            foreign: BTreeMap::new(),
            totals: Totals::default(),
            was_connected: false,
            failures: 0,
        }
    }

    /// Plays until `is_over` returns true between two polls, or the program ends. Fails if the site refuses the
    /// address.
    pub fn run(&mut self, is_over: impl Fn(&Self) -> bool) -> Result<Totals, String> {
        let mut wait = self.pace.first_wait;
        while !self.starts.is_ending() && !is_over(self) {
            let began = Instant::now();
            match self.poll() {
                Ok(reply) => {
                    let is_whole = reply.is_whole;
                    self.obey(reply);
                    if is_whole {
                        wait = self.pace.first_wait;
                        continue;
                    }
                    self.failed("the answer is incomplete", wait);
                }
                Err(RequestError::Refused(reason)) if !self.was_connected => {
                    return Err(format!(
                        "{} refuses the address ({reason}); copy it again from your account's page",
                        self.site.host()
                    ));
                }
                Err(failure) => {
                    if began.elapsed() >= self.pace.held {
                        wait = self.pace.first_wait;
                    }
                    self.failed(failure.reason(), wait);
                }
            }
            self.starts.wait(wait);
            wait = (wait * 2).min(self.pace.longest_wait);
        }
        Ok(self.totals)
    }

    /// Returns the totals over the matches that have ended.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// True if no match is under way.
    pub fn is_idle(&self) -> bool {
        self.games.is_empty()
    }

    /// Sends the answers that the site may not have and waits for its reply.
    fn poll(&mut self) -> Result<Reply, RequestError> {
        let answers: Vec<(String, String)> =
            self.games.iter().filter_map(|(name, game)| Some((name.clone(), game.to_send()?))).collect();
        for (name, answer) in &answers {
            self.screen.note("<-", &format!("{name} {answer}"));
        }
        let reply = self.site.poll(&answers)?;
        if !self.was_connected || self.failures > 0 {
            let again = if self.was_connected { " again" } else { "" };
            self.screen.say(&format!("Connected to {}{again}.", self.site.host()));
        }
        (self.was_connected, self.failures) = (true, 0);
        // After an incomplete reply the answers are sent again: sending twice does no harm, a lost answer would.
        if reply.is_whole {
            for (name, _) in &answers {
                if let Some(game) = self.games.get_mut(name) {
                    game.is_received();
                }
            }
        }
        Ok(reply)
    }

    fn failed(&mut self, reason: &str, wait: Duration) {
        self.failures += 1;
        let text = format!("{}: {reason}; next try in {wait:?}", self.site.host());
        // The log has every failure, the screen those with a new wait.
        if self.failures == 1 || wait < self.pace.longest_wait {
            self.screen.say(&text);
        } else {
            self.screen.note("!!", &text);
        }
    }

    /// Takes in a reply: requests, results, and the searches that the requests need.
    fn obey(&mut self, reply: Reply) {
        for (name, line) in &reply.requests {
            self.take(name, line, reply.is_terminated);
        }
        for result in reply.results {
            self.finish(result);
        }
        self.share();
        self.think();
        self.give_up_silent();
    }

    /// Takes in one request. `is_certain` is false if the end of the request may be missing.
    fn take(&mut self, name: &str, line: &str, is_certain: bool) {
        self.screen.note("->", &format!("{name} {line}"));
        if self.ended.contains(name) {
            return;
        }
        let Some((style, request)) = request_in_line(line, DEFAULTS.size) else {
            return self.tell_foreign(name, is_certain, &[]);
        };
        if let Some(game) = self.games.get_mut(name) {
            if game.take(&request, style) == News::Foreign {
                self.tell_foreign(name, is_certain, &[]);
            } else {
                self.foreign.remove(name);
            }
            return;
        }
        let settings = self.share_of(self.shares.max((self.games.len() + 1).next_power_of_two()));
        let mut problems = Vec::new();
        match Game::begin(name, &request, style, &settings, &mut problems) {
            Some(mut game) => {
                problems.iter().for_each(|problem| self.screen.say(problem));
                game.take(&request, style);
                let (us, plies) = (game.us(), game.plies());
                self.starts.meet(name, us);
                let resumed =
                    if plies > 1 { format!(", resumed after {plies} moves") } else { String::new() };
                self.screen.say(&format!("{name}: we play {us}{resumed}"));
                self.games.insert(name.to_owned(), game);
                self.foreign.remove(name);
            }
            None => self.tell_foreign(name, is_certain, &problems),
        }
    }

    /// Tells once that a match cannot be played, with problems of its record; of an uncertain request only when another
    /// one does not fit either.
    fn tell_foreign(&mut self, name: &str, is_certain: bool, problems: &[String]) {
        let is_second = self.foreign.contains_key(name);
        let is_told = self.foreign.entry(name.to_owned()).or_default();
        if (is_certain || is_second) && !std::mem::replace(is_told, true) {
            self.screen.say(&format!(
                "{name}: not answered: the request is not of Amazons, or the moves before it are unknown"
            ));
            problems.iter().for_each(|problem| self.screen.say(problem));
        }
    }

    /// Returns the settings with one of `shares` shares of cores and memory.
    fn share_of(&self, shares: usize) -> Settings {
        Settings {
            threads: Some((self.resources.threads / shares).max(1)),
            memory: Some(self.resources.memory / shares),
            ..self.settings.clone()
        }
    }

    /// Makes the shares smaller if there are more matches than shares. A tree whose share shrinks is lost.
    fn share(&mut self) {
        if self.games.len() <= self.shares {
            return;
        }
        self.shares = self.games.len().next_power_of_two();
        let settings = self.share_of(self.shares);
        for game in self.games.values_mut() {
            if game.settings().memory != settings.memory || game.settings().threads != settings.threads {
                game.give(&settings);
            }
        }
    }

    /// Searches all matches with a request at once. The records have the moves before the site does.
    fn think(&mut self) {
        let screen = &self.screen;
        let mut waiting: Vec<_> = self.games.iter_mut().filter(|(_, game)| game.must_think()).collect();
        std::thread::scope(|scope| {
            for (name, game) in &mut waiting {
                let builder = std::thread::Builder::new().name("search".into());
                let spawned = builder.spawn_scoped(scope, move || {
                    let report = game.think();
                    screen.say(&format!("{name}: {}", line_of(&report, game)));
                    screen.note("--", &format!("{name} {}", summary(&report, 1000)));
                });
                if let Err(error) = spawned {
                    screen.say(&format!("No thread for a search: {error}"));
                }
            }
        });
        for (name, game) in waiting {
            if let Err(problem) = game.save() {
                screen.say(&format!("{name}: {problem}"));
            }
        }
    }

    /// Ends a match with the site's result.
    fn finish(&mut self, result: MatchResult) {
        let MatchResult { name, slot, scores } = result;
        self.starts.finish(&name);
        self.foreign.remove(&name);
        if !self.ended.insert(name.clone()) {
            return;
        }
        let Some(game) = self.games.remove(&name) else {
            self.screen.say(&format!("{name}: ended, not played by this program: {scores:?}"));
            return;
        };
        let us = game.us();
        let best =
            scores.iter().enumerate().filter(|(player, _)| *player != slot).map(|(_, score)| score).max();
        let outcome = match (scores.get(slot), best) {
            (Some(ours), Some(theirs)) if ours > theirs => Some(Some(us)),
            (Some(ours), Some(theirs)) if ours < theirs => Some(Some(us.opponent())),
            (Some(_), Some(_)) => Some(None),
            _ => None,
        };
        self.count(&name, game, outcome);
    }

    /// Gives up matches of which nothing was heard for a long time; a result on the board counts.
    fn give_up_silent(&mut self) {
        let is_silent = |game: &Game| game.silence() >= self.pace.silence && game.to_send().is_none();
        let silent: Vec<String> =
            self.games.iter().filter(|(_, game)| is_silent(game)).map(|(name, _)| name.clone()).collect();
        for name in silent {
            self.starts.finish(&name);
            if let Some(game) = self.games.remove(&name) {
                self.screen.say(&format!("{name}: given up, the site has been silent about it"));
                let outcome = game.winner().map(Some);
                self.count(&name, game, outcome);
            }
        }
    }

    /// Completes the record of a match and counts its outcome: `None` if it was aborted, the winner, or no winner.
    fn count(&mut self, name: &str, game: Game, outcome: Option<Option<Side>>) {
        let (us, plies) = (game.us(), game.plies());
        let words = match outcome {
            None => "aborted",
            Some(Some(winner)) if winner == us => "won",
            Some(Some(_)) => "lost",
            Some(None) => "drawn",
        };
        let [won, lost, drawn] = &mut self.totals.results;
        *match words {
            "won" => won,
            "lost" => lost,
            "drawn" => drawn,
            _ => &mut self.totals.aborted,
        } += 1;
        let record = match game.finish(outcome.flatten()) {
            Ok(Some(path)) => format!(" Record: {}", path.display()),
            Ok(None) => String::new(),
            Err(problem) => format!(" {problem}"),
        };
        self.screen
            .say(&format!("{name}: {words} as {us} after {plies} moves. Score: {}.{record}", self.totals));
        if self.games.is_empty() {
            self.shares = self.first_shares;
        }
    }
}

/// Formats a move with its number, win rate and effort: `move 5 d1-d7/g7, win rate 62.1%, 350000 iterations`.
fn line_of(report: &Report, game: &Game) -> String {
    match report.best {
        Some(mv) => format!(
            "move {} {mv}, win rate {}, {} iterations",
            game.plies(),
            report.best_rate(),
            report.iterations
        ),
        None => "no legal move".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use otrera_front::io::Log;

    /// Returns a client that expects one match, with 4 threads and 256 MB.
    fn client() -> Client {
        let address =
            Arc::new(Address::parse("http://127.0.0.1:9/api/user/secret").unwrap_or_else(|_| unreachable!()));
        let screen = Screen::new(Box::new(std::io::sink()), Log::none(Instant::now()), Arc::clone(&address));
        let settings = Settings { threads: Some(4), memory: Some(256 << 20), ..Settings::default() };
        let site = Site::new(address, Duration::from_secs(1));
        Client::new(site, &settings, Pace::BOTZONE, screen, Arc::default(), 1)
    }

    #[test]
    fn results_count_from_our_place() {
        // The first request, our place, the scores, and the counts of won, lost, drawn and aborted matches.
        for (request, slot, scores, expected) in [
            ("-1 -1 -1 -1 -1 -1", 0, vec![2, 0], ([1, 0, 0], 0)),
            ("-1 -1 -1 -1 -1 -1", 0, vec![0, 2], ([0, 1, 0], 0)),
            ("2 0 2 5 5 5", 1, vec![0, 2], ([1, 0, 0], 0)),
            ("2 0 2 5 5 5", 1, vec![2, 0], ([0, 1, 0], 0)),
            ("2 0 2 5 5 5", 1, vec![1, 1], ([0, 0, 1], 0)),
            ("2 0 2 5 5 5", 1, Vec::new(), ([0, 0, 0], 1)),
        ] {
            let mut client = client();
            let folder = testkit::Folder::new(&format!("local-results-{slot}-{}", scores.len()));
            client.settings.record_dir = Some(folder.0.clone());
            client.take("m", request, true);
            let result = MatchResult { name: "m".into(), slot, scores: scores.clone() };
            client.finish(result.clone());
            // A result that comes twice counts once.
            client.finish(result);
            let score = client.totals();
            assert_eq!((score.results, score.aborted), expected, "{request} {scores:?}");
        }
    }

    #[test]
    fn matches_share_cores_and_memory() {
        let mut client = client();
        for (matches, threads, memory) in [(1, 4, 256), (2, 2, 128), (3, 1, 64), (4, 1, 64), (5, 1, 32)] {
            client.take(&format!("m{matches}"), "-1 -1 -1 -1 -1 -1", true);
            client.share();
            assert_eq!(client.games.len(), matches);
            for game in client.games.values() {
                let share = (game.settings().threads, game.settings().memory);
                assert_eq!(share, (Some(threads), Some(memory << 20)), "{matches} matches");
            }
        }
        // Once all have ended, the next match has everything again.
        for matches in 1..=5 {
            client.finish(MatchResult { name: format!("m{matches}"), slot: 0, scores: Vec::new() });
        }
        client.take("next", "-1 -1 -1 -1 -1 -1", true);
        let share =
            client.games.values().next().map(|game| (game.settings().threads, game.settings().memory));
        assert_eq!((share, client.totals().aborted), (Some((Some(4), Some(256 << 20))), 5));
    }
}
