//! The game to go on with after a crash: its moves, whose side is ours, and whether it is decided.

use crate::options::Settings;
use crate::records::{own_name, playable, read_text};
use crate::session::Session;
use otrera::record::ccgc;
use otrera::{Move, Position, Side};

/// What the file of `resume` tells.
#[derive(Default, Debug)]
pub struct Resumed {
    /// The moves of its last game, legal from the start.
    pub moves: Vec<Move>,
    /// Our side: what `side` says, else the one whose team's name is ours, else unknown.
    pub side: Option<Side>,
    /// Whether it can go on: there are moves, or at least a header, and that names no winner.
    pub open: bool,
}

impl Resumed {
    /// Reads the file that the settings name, if they do. The log says what was found in it.
    pub fn read(session: &Session) -> Self {
        let (settings, start) = (&session.settings, &session.start);
        let Some(file) = &settings.resume else { return Self::default() };
        let shown = file.display();
        let text = match read_text(file) {
            Ok(text) => text,
            Err(error) => {
                session.note("!!", &format!("resume {shown}: {error}"));
                return Self::default();
            }
        };
        let (text, games) = last_game(&text, start);
        let (moves, problem) = playable(&text, start);
        let header = text.lines().find_map(ccgc::header_fields);
        let side = settings.side.or_else(|| side_of(header.as_deref()?, settings));
        let winners = [Side::Black, Side::White].map(|side| ccgc::result(Some(side)));
        let open = match &header {
            Some(fields) => fields.get(3).is_none_or(|field| !winners.contains(&field.trim())),
            None => !moves.is_empty(),
        };
        let which = if games > 1 { format!(", the last of {games} games") } else { String::new() };
        let ours = side.map_or("nothing says which side is ours".into(), |side| format!("we are {side}"));
        session.note("--", &format!("resume: {} moves of {shown}{which}; {ours}", moves.len()));
        if let Some(problem) = problem {
            session.note("!!", &format!("resume {shown}: {problem}"));
        }
        Self { moves, side, open }
    }
}

/// Our side by the names of the teams in a header: the first is Black's.
fn side_of(fields: &[&str], settings: &Settings) -> Option<Side> {
    let [_, black, white, ..] = fields else { return None };
    let plays = |side_name: &str, name: &str| side_name.trim() == ccgc::plain(name).trim();
    let named = |name: &str| match (plays(black, name), plays(white, name)) {
        (true, false) => Some(Side::Black),
        (false, true) => Some(Side::White),
        _ => None,
    };
    named(own_name(settings)).or_else(|| named(&settings.opponent).map(Side::opponent))
}

/// The text of the last game in a file that may hold several, its lines where they were, and how many games there
/// are. Records begin with a header each. The platform's own file has no sign between two games: a game begins
/// with a move of Black that cannot be played in the one before, but can at the start.
fn last_game(text: &str, start: &Position) -> (String, usize) {
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    let is_header = |line: &&str| ccgc::header_fields(line).is_some();
    let headers = lines.iter().copied().filter(is_header).count();
    let first = lines.iter().rposition(is_header).unwrap_or(0);
    let (begin, games) = last_of_platform(lines.get(first..).unwrap_or_default(), start);
    let skipped = first + begin;
    let text = "\n".repeat(skipped) + &lines.get(skipped..).unwrap_or_default().join("\n");
    (text, headers.max(1) + games)
}

/// Where the last game begins in lines `Black: DJDDGD`, `White: …`, and how many come before it.
fn last_of_platform(lines: &[&str], start: &Position) -> (usize, usize) {
    let labelled = |(number, line): (usize, &&str)| {
        let text = line.trim();
        let side =
            [Side::Black, Side::White].into_iter().find(|side| text.starts_with(&format!("{side}:")))?;
        Some((number, side, ccgc::read_moves(text).ok()?.first().copied()?))
    };
    let played: Vec<(usize, Side, Move)> = lines.iter().enumerate().filter_map(labelled).collect();
    let play = |position: Position, &(_, side, mv): &(usize, Side, Move)| {
        if position.side() == side { position.try_play(mv).ok() } else { None }
    };
    let (mut begin, mut games, mut position) = (0, 0, *start);
    for (index, entry) in played.iter().enumerate() {
        if let Some(next) = play(position, entry) {
            position = next;
            continue;
        }
        // The first moves of a game may have been legal in the one before, if that was short.
        let from_start = |first: usize| {
            let game = played.get(first..=index)?.iter().try_fold(*start, &play)?;
            Some((first, game))
        };
        if let Some((first, game)) = (begin + 1..=index).find_map(from_start) {
            (begin, games, position) = (first, games + 1, game);
        }
    }
    if games == 0 { (0, 0) } else { (played.get(begin).map_or(0, |entry| entry.0), games) }
}
