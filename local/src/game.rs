//! One match: the game with its search, the answer to the latest request, and the record.

use otrera::{Move, Position, Report, Side, Size};
use otrera_bot::records::{LastGame, RecordFile, own_name, record_folder};
use otrera_botzone::messages::{Message, Request, Style, response};
use otrera_front::session::GameSearch;
use otrera_front::settings::Settings;
use otrera_front::setup::Setup;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Default board, resources and time on the site.
pub const DEFAULTS: Setup =
    Setup { size: Size::BOTZONE, move_time: Some(Duration::from_secs(3)), ..Setup::DESKTOP };

/// A request in relation to what the game knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// A request that has no answer yet.
    New,
    /// The latest request once more: the site does not have our answer.
    Again,
    /// A request that was answered before the latest one.
    Old,
    /// A request that does not fit the game.
    Foreign,
}

/// Our answer to the latest request.
struct Answer {
    /// The move; `None` if we cannot move.
    mv: Option<Move>,
    /// True once a whole reply of the site followed the answer.
    is_received: bool,
}

/// A match on the site.
pub struct Game {
    search: GameSearch,
    us: Side,
    style: Style,
    answer: Option<Answer>,
    record: RecordFile,
    settings: Settings,
    /// Time of the latest request.
    heard: Instant,
}

impl Game {
    /// Begins a match with its first request, or resumes it from the record of an earlier process. `None` if the
    /// request is neither the first one of a game of Amazons nor fits a record. Adds a message for each part of the
    /// record that cannot be read.
    pub fn begin(
        name: &str,
        request: &Request,
        style: Style,
        settings: &Settings,
        problems: &mut Vec<String>,
    ) -> Option<Self> {
        let start = Position::start(DEFAULTS.size);
        let (us, moves) = match request {
            Request::Full(messages) => (side_of(messages.first()?)?, played(messages)?),
            Request::Bare(Message::Begin) => (Side::Black, Vec::new()),
            Request::Bare(Message::Move(mv)) if start.try_play(*mv).is_ok() => (Side::White, vec![*mv]),
            Request::Bare(_) => return Self::resume(name, request, style, settings, problems),
        };
        let end = replayed(&moves)?;
        if let Some(game) = Self::resume(name, request, style, settings, problems) {
            return Some(game);
        }
        let names = names(us, settings);
        let record = RecordFile::new(record_folder(settings), names, &named(settings, name), &start);
        Some(Self::with(us, style, &moves, end, record, settings))
    }

    /// Resumes a match from its unfinished record; `None` without a record that the request fits.
    fn resume(
        name: &str,
        request: &Request,
        style: Style,
        settings: &Settings,
        problems: &mut Vec<String>,
    ) -> Option<Self> {
        let folder = record_folder(settings);
        let (path, when, suffix) = unfinished(folder, name)?;
        let mut complain = |problem: &dyn Display| problems.push(format!("{}: {problem}", path.display()));
        let LastGame { game: record, warnings, .. } =
            LastGame::read(&path).map_err(|problem| complain(&problem)).ok()?;
        warnings.iter().for_each(|warning| complain(warning));
        let moves: Vec<Move> = record.moves.iter().map(|played| played.mv).collect();
        let end = replayed(&moves).filter(|_| record.start == Position::start(DEFAULTS.size))?;
        let opponent = match request {
            Request::Full(messages) => side_of(messages.first()?)?.opponent(),
            Request::Bare(Message::Begin) => Side::White,
            Request::Bare(Message::Move(mv)) => match moves.iter().position(|known| known == mv) {
                Some(ply) => mover(ply),
                None => end.try_play(*mv).is_ok().then_some(end.side())?,
            },
            Request::Bare(_) => return None,
        };
        let us = opponent.opponent();
        let start = Position::start(DEFAULTS.size);
        let file = RecordFile::new(folder, names(us, settings), &named(settings, name), &start);
        let mut game = Self::with(us, style, &moves, end, file.reopened(when, suffix), settings);
        if end.side() != us {
            game.answer = moves.last().map(|&mv| Answer { mv: Some(mv), is_received: true });
        }
        (game.compare(request) != News::Foreign).then_some(game)
    }

    fn with(
        us: Side,
        style: Style,
        moves: &[Move],
        position: Position,
        record: RecordFile,
        settings: &Settings,
    ) -> Self {
        let mut search = GameSearch::new(settings, DEFAULTS, Position::start(DEFAULTS.size));
        search.follow(moves, position);
        Self { search, us, style, answer: None, record, settings: settings.clone(), heard: Instant::now() }
    }

    /// Replaces the search with one that has other resources. The tree starts empty.
    pub fn give(&mut self, settings: &Settings) {
        let mut search = GameSearch::new(settings, DEFAULTS, Position::start(DEFAULTS.size));
        search.follow(self.search.moves(), *self.search.position());
        self.search = search;
        self.settings = settings.clone();
    }

    /// Returns the settings of the search, with its share of threads and memory.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns our side.
    pub fn us(&self) -> Side {
        self.us
    }

    /// Returns the number of moves played.
    pub fn plies(&self) -> usize {
        self.search.moves().len()
    }

    /// Returns the winner on the board; `None` while the game goes on.
    pub fn winner(&self) -> Option<Side> {
        self.search.position().winner()
    }

    /// Returns the time since the latest request.
    pub fn silence(&self) -> Duration {
        self.heard.elapsed()
    }

    /// True if the latest request has no answer yet.
    pub fn must_think(&self) -> bool {
        self.answer.is_none() && self.search.position().side() == self.us
    }

    /// Takes in a request. A repeated request makes the same answer be sent once more.
    pub fn take(&mut self, request: &Request, style: Style) -> News {
        let news = self.compare(request);
        match news {
            News::New => self.follow(request),
            News::Again => {
                if let Some(answer) = &mut self.answer {
                    answer.is_received = false;
                }
            }
            News::Old | News::Foreign => return news,
        }
        self.style = style;
        self.heard = Instant::now();
        news
    }

    /// Compares a request with the game.
    fn compare(&self, request: &Request) -> News {
        let moves = self.search.moves();
        let repeats = |ply: usize| match moves.len().checked_sub(ply) {
            // The move with this number was the last one, or our answer followed it.
            Some(0) if self.must_think() => News::New,
            Some(0 | 1) => News::Again,
            _ => News::Old,
        };
        match request {
            Request::Bare(Message::Begin) if self.us == Side::Black => repeats(0),
            // An arrow stays on its square, so that no move occurs twice in a game.
            Request::Bare(Message::Move(mv)) => match moves.iter().position(|known| known == mv) {
                Some(ply) if mover(ply) == self.us => News::Foreign,
                Some(ply) => repeats(ply + 1),
                None => {
                    let position = self.search.position();
                    let fits = position.side() != self.us && position.try_play(*mv).is_ok();
                    if fits { News::New } else { News::Foreign }
                }
            },
            Request::Bare(_) => News::Foreign,
            Request::Full(messages) => match played(messages) {
                Some(full) if moves.starts_with(&full) => repeats(full.len()),
                // The site's history decides if it differs from ours.
                Some(full) if full.len() >= moves.len() && replayed(&full).is_some() => News::New,
                Some(_) | None => News::Foreign,
            },
        }
    }

    fn follow(&mut self, request: &Request) {
        match request {
            Request::Bare(Message::Move(mv)) if self.search.moves().last() != Some(mv) => {
                self.search.advance(*mv);
            }
            Request::Bare(_) => {}
            Request::Full(messages) => {
                let moves = played(messages).unwrap_or_default();
                if let Some(position) = replayed(&moves) {
                    self.search.follow(&moves, position);
                }
            }
        }
        self.answer = None;
    }

    /// Searches the position and makes the answer, which [`Self::save`] must precede on its way to the site.
    pub fn think(&mut self) -> Report {
        let time = DEFAULTS.with(&self.settings).move_time.unwrap_or_default();
        let report = self.search.think(Some(Instant::now() + time), &AtomicBool::new(false));
        if let Some(mv) = report.best {
            self.search.advance(mv);
        }
        self.answer = Some(Answer { mv: report.best, is_received: false });
        report
    }

    /// Writes the moves into the record. Not for two games at a time, since their drafts have one name.
    pub fn save(&mut self) -> Result<(), String> {
        self.record.announce(self.search.moves()).map(|_| ())
    }

    /// Returns the answer that the site may not have received.
    pub fn to_send(&self) -> Option<String> {
        let answer = self.answer.as_ref().filter(|answer| !answer.is_received)?;
        Some(response(answer.mv, self.style))
    }

    /// Notes that the site has received the answer.
    pub fn is_received(&mut self) {
        if let Some(answer) = &mut self.answer {
            answer.is_received = true;
        }
    }

    /// Completes the record with the result; returns its path, or `None` for a game without moves.
    pub fn finish(mut self, winner: Option<Side>) -> Result<Option<PathBuf>, String> {
        if self.search.moves().is_empty() {
            self.record.discard();
            return Ok(None);
        }
        self.record.write(self.search.moves(), winner).map(Some)
    }
}

/// Returns the side that plays the move after `ply` moves.
fn mover(ply: usize) -> Side {
    if ply.is_multiple_of(2) { Side::Black } else { Side::White }
}

/// Returns our side, given the first message of a match; `None` if it is not one of Amazons.
fn side_of(first: &Message) -> Option<Side> {
    match first {
        Message::Begin => Some(Side::Black),
        Message::Move(_) => Some(Side::White),
        Message::Garbled | Message::Unreadable => None,
    }
}

/// Returns the moves of a full request; `None` if a message is not a move.
fn played(messages: &[Message]) -> Option<Vec<Move>> {
    let moves = messages.strip_prefix(&[Message::Begin]).unwrap_or(messages);
    let mv = |message: &Message| if let Message::Move(mv) = message { Some(*mv) } else { None };
    moves.iter().map(mv).collect()
}

/// Returns the position after these moves; `None` if one of them is illegal.
fn replayed(moves: &[Move]) -> Option<Position> {
    moves.iter().try_fold(Position::start(DEFAULTS.size), |position, &mv| position.try_play(mv).ok())
}

/// Returns the names of Black and White in the record.
fn names(us: Side, settings: &Settings) -> [&str; 2] {
    let opponent =
        if settings.opponent == Settings::default().opponent { "Botzone" } else { &settings.opponent };
    match us {
        Side::Black => [own_name(settings), opponent],
        Side::White => [opponent, own_name(settings)],
    }
}

/// Returns the settings with the match as event, which is a part of the record's file name.
fn named(settings: &Settings, name: &str) -> Settings {
    Settings { event: event(name), ..settings.clone() }
}

fn event(name: &str) -> String {
    format!("Botzone {name}")
}

/// Finds the unfinished record of a match. Returns its path, and its date and suffix for [`RecordFile::reopened`].
fn unfinished(folder: &Path, name: &str) -> Option<(PathBuf, String, String)> {
    let (event, result) = (format!("-{}", event(name)), format!("-{}-", otrera::record::ccgc::result(None)));
    let files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    files.into_iter().find_map(|path| {
        let (front, suffix) = path.file_name()?.to_str()?.strip_suffix(".txt")?.rsplit_once(&event)?;
        let (_, when) = front.rsplit_once(&result)?;
        // A longer name of another match begins alike.
        let is_whole = suffix.is_empty() || suffix.starts_with(" (");
        is_whole.then(|| (path.clone(), when.to_owned(), suffix.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings { iterations: Some(3000), threads: Some(1), memory: Some(64 << 20), ..Settings::default() }
    }

    #[test]
    fn the_tree_is_kept_between_turns() {
        let begin = Request::Bare(Message::Begin);
        let mut game = Game::begin("a", &begin, Style::Simple, &settings(), &mut Vec::new())
            .unwrap_or_else(|| unreachable!());
        assert_eq!(game.take(&begin, Style::Simple), News::New);
        let report = game.think();
        let reply = report.principal_variation.get(1).copied().unwrap_or_else(|| unreachable!("a reply"));
        assert_eq!(game.take(&Request::Bare(Message::Move(reply)), Style::Simple), News::New);
        let report = game.think();
        assert!(u64::from(report.visits) > report.iterations, "{} visits", report.visits);
    }

    #[test]
    fn a_record_belongs_to_the_match_with_its_whole_name() {
        let folder = testkit::Folder::new("local-unfinished");
        let file = |name: &str, result: &str| format!("AM-aB vs bW-{result}-2026年-Botzone {name}.txt");
        for other in [file("m12", "未完"), file("m1", "先手胜"), file("1", "未完"), file("m", "未完")]
        {
            folder.write(&other, "");
            assert_eq!(unfinished(&folder, "m1"), None, "{other}");
        }
        folder.write(&file("m1 (2)", "未完"), "");
        let found = unfinished(&folder, "m1").map(|(_, when, suffix)| (when, suffix));
        assert_eq!(found, Some(("2026年".into(), " (2)".into())));
    }

    #[test]
    fn a_damaged_record_is_named() {
        let folder = testkit::Folder::new("local-damaged");
        folder.write("AM-aB vs bW-未完-2026年-Botzone a.txt", "no game here");
        let settings = Settings { record_dir: Some(folder.0.clone()), ..settings() };
        let unknown = "h6-h7/h8".parse().unwrap_or_else(|_| unreachable!());
        for (message, is_played) in [(Message::Begin, true), (Message::Move(unknown), false)] {
            let mut problems = Vec::new();
            let game = Game::begin("a", &Request::Bare(message), Style::Simple, &settings, &mut problems);
            assert_eq!(game.is_some(), is_played);
            assert!(
                matches!(&problems[..], [problem] if problem.contains("Botzone a.txt: ")),
                "{problems:?}"
            );
        }
    }

    #[test]
    fn a_repeated_request_gets_the_answer_again_and_an_old_one_none() {
        let begin = Request::Bare(Message::Begin);
        let mut game = Game::begin("a", &begin, Style::Simple, &settings(), &mut Vec::new())
            .unwrap_or_else(|| unreachable!());
        let mut requests = vec![begin];
        for _ in 0..4 {
            let latest = requests.last().cloned().unwrap_or_else(|| unreachable!());
            assert_eq!(game.take(&latest, Style::Simple), News::New);
            // Twice in one reply.
            assert_eq!(game.take(&latest, Style::Simple), News::New);
            game.think();
            let answer = game.to_send();
            game.is_received();
            assert_eq!(game.to_send(), None);
            assert_eq!(game.take(&latest, Style::Simple), News::Again);
            assert!(answer.is_some() && game.to_send() == answer && !game.must_think());
            for old in requests.iter().rev().skip(1) {
                assert_eq!(game.take(old, Style::Simple), News::Old);
            }
            let ours = *game.search.moves().last().unwrap_or_else(|| unreachable!());
            assert_eq!(game.take(&Request::Bare(Message::Move(ours)), Style::Simple), News::Foreign);
            assert_eq!(game.take(&Request::Bare(Message::Garbled), Style::Simple), News::Foreign);
            let reply = game.search.position().legal_moves().next().unwrap_or_else(|| unreachable!());
            requests.push(Request::Bare(Message::Move(reply)));
        }
    }
}
