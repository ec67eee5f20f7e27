//! Finds the game to resume after a crash: in the journal of the crashed process or in the record named by the option
//! `resume`. The platform's own record can add missing moves.

use super::PLATFORM;
use super::game::Place;
use super::journal::{self, Journal};
use crate::records::{LastGame, own_name};
use otrera::record::ccgc;
use otrera::{GameRecord, Move, Position, Rules, Side};
use otrera_front::files::modified;
use otrera_front::session::Session;
use otrera_front::settings::{Page, Settings};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Maximum time by which the platform's own record of a game can be older than the last line of our journal.
const RECORD_LAG: Duration = Duration::from_secs(10);

/// Maximum number of moves that the platform's own record has and our journal lacks.
const MAX_MISSED: usize = 2;

/// Maximum number of warnings logged about a record.
const MAX_WARNINGS: usize = 5;

/// Path components of the platform's record folder, inside the platform's folder.
const MANUALS: [&str; 3] = ["chess manual", "亚马逊棋", "sgf"];

/// The game to resume after a crash, from a journal or a record.
#[derive(Default)]
pub struct Resumed {
    /// Moves from the start position, all legal.
    pub moves: Vec<Move>,
    /// Our side, from the journal, the option `side` or the team names; `None` if unknown.
    pub side: Option<Side>,
    /// True if there is an unfinished game to resume.
    pub open: bool,
    /// Source of the game for the log: the journal's name, or `the game of` a record file.
    pub source: String,
    /// True if our last move may not have been sent.
    pub unsent: bool,
    /// Last state in the crashed process's journal; `None` if the game comes from a record.
    pub crashed: Option<journal::State>,
    /// Journal of the crashed process; `None` without one, or after the resumed game has taken over the journal.
    pub journal: Option<Journal>,
}

/// Logs a problem if the option `platform-dir` is set and does not name a folder.
pub fn check_platform_dir(session: &Session) {
    if let Some(folder) = session.settings.platform_dir.as_deref().filter(|folder| !folder.is_dir()) {
        session.note("!!", &format!("platform-dir {}: no such folder", folder.display()));
    }
}

/// Logs every value in force for the game that begins, and the platform's own record. `left` is our time left in a
/// resumed game.
pub fn note_setup(session: &Session, us: Side, left: Option<Duration>) {
    let left = left.map_or(String::new(), |left| format!(", {:.1} s left", left.as_secs_f64()));
    session.note(
        "--",
        &format!("game as {us}{left}; {}", PLATFORM.defaults.in_force(&session.settings, Page::Sau)),
    );
    let folder = session.settings.platform_dir.as_deref();
    let dated = |path: &PathBuf| {
        let time = modified(path).map(chrono::DateTime::<chrono::Local>::from);
        time.map_or(String::new(), |time| time.format(", last written %Y-%m-%d %H:%M:%S").to_string())
    };
    match (platform_records(folder).first(), folder) {
        (Some(path), _) => {
            session.note("--", &format!("the platform's own record: {}{}", path.display(), dated(path)));
        }
        (None, Some(folder)) => session.note(
            "!!",
            &format!("platform-dir {}: no record in {}; is AllStep=1?", folder.display(), MANUALS.join("\\")),
        ),
        (None, None) => session.note("--", "the platform's own record: none found; is AllStep=1?"),
    }
}

/// Returns the newest game of a crashed process in a folder, with its journal. Returns `None` and logs the reason if no
/// game is on this board and of our side, or if the programs of both sides crashed in that game.
fn newest_crashed(session: &Session, folder: &Path, now: SystemTime) -> Option<(Journal, journal::State)> {
    // No game lasts longer than both clocks together.
    let age = session.setup().total_time.unwrap_or_default() * 2;
    let journal::Abandoned { games: mut found, unusable } =
        journal::abandoned(folder, &session.start, age, now);
    for name in unusable {
        let advice = "to resume its game, set resume to the game's record";
        session.note("!!", &format!("{name} has no game on this board and is ignored; {advice}"));
    }
    found.retain(|(_, state)| session.settings.side.is_none_or(|side| side == state.us));
    if found.is_empty() {
        session.note("--", "no unfinished game of a crashed process to resume");
        return None;
    }
    let (journal, state) = found.remove(0);
    let is_same_game = |other: &journal::State| {
        other.us != state.us
            && (other.moves.starts_with(&state.moves) || state.moves.starts_with(&other.moves))
    };
    if found.iter().any(|(_, other)| is_same_game(other)) {
        let problem = "both sides of one game crashed, so none is resumed: set side = black or white";
        session.note("!!", &format!("{}: {problem}", journal.name()));
        return None;
    }
    Some((journal, state))
}

impl Resumed {
    /// Reads the game to resume from the record named by the option `resume`, if any, and logs the result.
    pub fn read(session: &Session) -> Self {
        let (settings, start) = (&session.settings, &session.start);
        let Some(file) = &settings.resume else { return Self::default() };
        let shown = file.display();
        let LastGame { game, games, warnings } = match LastGame::read(file) {
            Ok(last) => last,
            Err(error) => {
                session.note("!!", &format!("resume {shown}: {error}"));
                return Self::default();
            }
        };
        let moves = if is_from(&game, start) { game.played_moves() } else { Vec::new() };
        let side = settings.side.or_else(|| side_of(&game, settings));
        let decided = game.winner.is_some() || !is_from(&game, start) && !game.moves.is_empty();
        // As White, there is nothing to resume before the first move.
        let open = !decided && (!moves.is_empty() || side != Some(Side::White));
        let which = if games > 1 { format!(", the last of {games} games") } else { String::new() };
        let ours = side.map_or("our side is unknown".into(), |side| format!("we are {side}"));
        session.note("--", &format!("resume: {} moves of {shown}{which}; {ours}", moves.len()));
        for warning in warnings.iter().take(MAX_WARNINGS) {
            session.note("!!", &format!("resume {shown}: {warning}"));
        }
        Self { moves, side, open, source: format!("the game of {shown}"), ..Self::default() }
    }

    /// Selects the newest game of a crashed process in `record-dir`, and logs the choice. Selects none if the file
    /// named by the option `resume` is newer, or if the programs of both sides crashed in that game.
    pub fn find(&mut self, session: &Session, now: SystemTime) {
        let Some(folder) = session.settings.record_dir.as_deref().filter(|_| self.crashed.is_none()) else {
            return;
        };
        let Some((journal, state)) = newest_crashed(session, folder, now) else { return };
        let name = journal.name();
        if self.open
            && session.settings.resume.as_deref().and_then(modified).is_some_and(|time| time > state.written)
        {
            return session.note("--", &format!("{name} is not resumed: the file of resume is newer"));
        }
        if self.open {
            session.note("--", &format!("{} is not resumed: {name} is newer", self.source));
        }
        let ago = now.duration_since(state.written).unwrap_or_default().as_secs_f64();
        let last = if state.sent { "" } else { ", the last one perhaps not sent" };
        session.note(
            "--",
            &format!(
                "{name}: its process crashed {ago:.1} s after {} moves{last}; we are {}, {:.1} s were left",
                state.moves.len(),
                state.us,
                state.left.as_secs_f64()
            ),
        );
        *self = Self {
            moves: state.moves.clone(),
            side: Some(state.us),
            open: true,
            source: name,
            unsent: !state.sent,
            crashed: Some(state),
            journal: Some(journal),
        };
    }

    /// Returns the position at the end of the game to resume.
    pub fn position(&self, session: &Session) -> Position {
        self.moves.iter().fold(session.start, |position, &mv| position.with_move(mv))
    }

    /// Adds the moves that only the platform's own record has. Returns true if the platform has a record of this game.
    pub fn follow_platform(&mut self, session: &Session) -> bool {
        let written = self.crashed.as_ref().map(|state| state.written);
        let is_current = |path: &PathBuf| {
            modified(path).is_some_and(|time| written.is_none_or(|written| time + RECORD_LAG >= written))
        };
        let mut files = platform_records(session.settings.platform_dir.as_deref());
        files.retain(is_current);
        files.into_iter().any(|file| self.follow_record(&file, session))
    }

    fn follow_record(&mut self, file: &Path, session: &Session) -> bool {
        let (Ok(LastGame { game, .. }), Some(us)) = (LastGame::read(file), self.side) else { return false };
        if !is_from(&game, &session.start) {
            return false;
        }
        let moves = game.played_moves();
        let shown = file.display();
        if let Some(more) = moves.strip_prefix(&self.moves[..]) {
            if more.len() > MAX_MISSED || moves.is_empty() {
                return false;
            }
            if !more.is_empty() {
                session.note("--", &format!("{shown}: {} more moves than ours", more.len()));
            }
            self.moves = moves;
            self.unsent = false;
            return true;
        }
        let (Some((_, before)), false) = (self.moves.split_last(), moves.is_empty()) else { return false };
        // The last move is ours if we were to move before it.
        let is_ours = (before.len() % 2 == 0) == (us == Side::Black);
        if moves != before || !is_ours {
            return false;
        }
        session.note("--", &format!("{shown}: our last move did not reach the platform"));
        self.unsent = true;
        true
    }

    /// Returns the time and the place of the record of the game to resume; `None` if they are unknown.
    pub fn place(&self) -> Option<Place> {
        self.crashed.as_ref()?.place.clone()
    }

    /// Returns our time left according to the crashed process's journal; `None` without a journal. Subtracts the time
    /// from the journal's last line to `now` if our clock has been `running`.
    pub fn own_count(&self, running: bool, now: SystemTime) -> Option<Duration> {
        let state = self.crashed.as_ref()?;
        let since = now.duration_since(state.written).unwrap_or_default();
        Some(state.left.saturating_sub(if running { since } else { Duration::ZERO }))
    }

    /// Discards the game and the journal of a crashed process, if any, and rereads the record named by `resume`.
    pub fn begin_anew(&mut self, session: &Session) {
        if self.crashed.is_some() {
            self.discard();
            *self = Self::read(session);
        }
    }

    /// Forgets the game to resume, and removes its journal.
    pub fn discard(&mut self) {
        if let Some(journal) = std::mem::take(self).journal {
            journal.discard();
        }
    }
}

/// Lists possible records of the platform, newest first: `Untitled.sgf` and the `.sgf` files in its record folder.
/// Searches `platform-dir`, the working folder, the executable's folder, and the two folders above each of these.
fn platform_records(platform: Option<&Path>) -> Vec<PathBuf> {
    let own = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.to_owned()));
    let places = [platform.map(Path::to_owned), std::env::current_dir().ok(), own];
    let folders = places.iter().flatten().flat_map(|place| place.ancestors().take(3));
    let files = folders.flat_map(|folder| {
        let manuals = std::fs::read_dir(MANUALS.iter().fold(folder.to_owned(), |path, name| path.join(name)));
        let saved = manuals.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        saved
            .filter(|path| path.extension().is_some_and(|end| end == "sgf"))
            .chain([folder.join("Untitled.sgf")])
    });
    let mut dated: Vec<_> = files.filter_map(|path| Some((modified(&path)?, path))).collect();
    dated.sort();
    dated.dedup();
    dated.into_iter().rev().map(|(_, path)| path).collect()
}

/// True if a record begins from this start; records do not name the rules.
fn is_from(game: &GameRecord, start: &Position) -> bool {
    game.start == start.with_rules(Rules::Standard)
}

/// Finds our side by the team names in a record; `None` if the names do not decide.
fn side_of(game: &GameRecord, settings: &Settings) -> Option<Side> {
    let plays = |side_name: &str, name: &str| side_name.trim() == ccgc::plain(name).trim();
    let named = |name: &str| match (plays(&game.black, name), plays(&game.white, name)) {
        (true, false) => Some(Side::Black),
        (false, true) => Some(Side::White),
        _ => None,
    };
    named(own_name(settings)).or_else(|| named(&settings.opponent).map(Side::opponent))
}
