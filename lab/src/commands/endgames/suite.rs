//! The endgame suite: positions from self-play games with their winners.
//!
//! ```text
//! # lab endgames --size 10 --each 20 ...
//! 2*1**4*/... w - - 52 27; Black; 7
//! ```
//!
//! Each line holds FEN, winner, and number of contested squares: empty squares that both sides reach by king steps.

use super::Args;
use super::remainder::reachable;
use super::solver::Solver;
use crate::files::{MAX_BYTES, read_text};
use crate::play::openings::Openings;
use crate::play::player::{iterate, search_of};
use otrera::{Position, Side, TournamentParams};
use std::collections::HashSet;
use std::path::Path;

/// Maximum number of contested squares (empty squares that both sides reach) in a position of a suite.
pub const MAX_CONTESTED: usize = 22;

/// Maximum number of games, as a multiple of `--each`.
const MAX_GAMES: usize = 10;

/// Batch size: number of games played before positions are selected from them.
const BATCH: usize = 16;

/// Parameters of the self-play games: without endgame proofs, which would end the games early.
const PLAYER: TournamentParams = TournamentParams { endgame_proofs: false, ..TournamentParams::DEFAULT };

#[derive(Clone, Copy, Debug)]
pub struct Endgame {
    /// Position of an unfinished game.
    pub position: Position,
    /// Winner with best play.
    pub winner: Side,
}

pub fn contested(position: &Position) -> usize {
    (reachable(position, Side::Black) & reachable(position, Side::White)).len() as usize
}

/// Generates a suite: plays games, selects positions and solves them. Also returns the number of unsolved positions,
/// indexed by the number of contested squares.
pub fn make(args: &Args) -> Result<(Vec<Endgame>, [usize; MAX_CONTESTED + 1]), String> {
    let positions = draw(args)?;
    let solve = |position| Ok(Solver::new(args.nodes).winner(position));
    let winners = args.cores.map("solving", positions.iter(), solve)?;
    let (mut suite, mut unsolved) = (Vec::new(), [0; MAX_CONTESTED + 1]);
    for (position, winner) in positions.into_iter().zip(winners) {
        match winner {
            Some(winner) => suite.push(Endgame { position, winner }),
            None => unsolved[contested(&position)] += 1,
        }
    }
    Ok((suite, unsolved))
}

/// Plays games; for each number of contested squares, selects up to `--each` distinct positions, at most one per game.
fn draw(args: &Args) -> Result<Vec<Position>, String> {
    let mut drawn: Vec<Vec<Position>> = vec![Vec::new(); MAX_CONTESTED + 1];
    let mut seen = HashSet::new();
    for batch in 0..(args.each * MAX_GAMES).div_ceil(BATCH) {
        if drawn[1..].iter().all(|positions| positions.len() >= args.each) {
            break;
        }
        let games = batch * BATCH..(batch + 1) * BATCH;
        for game in args.cores.map("playing", games, |number| Ok(candidates(args, number as u64)))? {
            for position in game {
                let positions = &mut drawn[contested(&position)];
                if positions.len() < args.each && seen.insert(position.key()) {
                    positions.push(position);
                }
            }
        }
    }
    Ok(drawn.concat())
}

/// Plays a game and returns, for each number of contested squares, the first position that needs a search to be solved.
pub fn candidates(args: &Args, number: u64) -> Vec<Position> {
    let start = Position::start(args.size);
    let openings = Openings { book: None, plies: 4, balance: 0.5, seed: args.seed };
    let opened =
        openings.opening(&start, number).into_iter().fold(start, |position, mv| position.with_move(mv));
    let mut search = search_of(&opened, PLAYER, 32, args.seed ^ number);
    let mut found: [Option<Position>; MAX_CONTESTED + 1] = [None; MAX_CONTESTED + 1];
    while search.position().winner().is_none() {
        let position = *search.position();
        let contested = contested(&position);
        if contested == 0 {
            break;
        }
        if contested <= MAX_CONTESTED && found[contested].is_none() && !Solver::new(0).is_trivial(&position) {
            found[contested] = Some(position);
        }
        let report = iterate(&mut search, args.iterations);
        let Some(mv) = report.best else { break };
        search.advance(mv);
    }
    found.into_iter().flatten().collect()
}

/// Formats a suite as text, headed by the command that generated it.
pub fn format(suite: &[Endgame], command: &str) -> String {
    let mut text = format!("# {command}\n# FEN; winner; contested squares\n");
    for endgame in suite {
        let Endgame { position, winner } = endgame;
        text += &format!("{}; {winner}; {}\n", position.to_fen(), contested(position));
    }
    text
}

pub fn read(path: &Path) -> Result<Vec<Endgame>, String> {
    let text = read_text(path, MAX_BYTES)?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let endgame = |(number, line): (u32, &str)| {
        read_line(line).map_err(|problem| format!("{}:{number}: {problem}", path.display()))
    };
    lines.map(endgame).collect()
}

fn read_line(line: &str) -> Result<Endgame, String> {
    let mut fields = line.split(';').map(str::trim);
    let position =
        Position::from_fen(fields.next().unwrap_or_default()).map_err(|error| error.to_string())?;
    let winner = match fields.next() {
        Some("Black") => Side::Black,
        Some("White") => Side::White,
        _ => return Err("expected FEN; Black or White; contested squares".into()),
    };
    if position.winner().is_some() {
        return Err("the game is over".into());
    }
    if !(1..=MAX_CONTESTED).contains(&contested(&position)) {
        return Err(format!("expected 1 to {MAX_CONTESTED} contested squares"));
    }
    Ok(Endgame { position, winner })
}
