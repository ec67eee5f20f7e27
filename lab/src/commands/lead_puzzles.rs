//! `lab lead-puzzles`: writes puzzles from openings and middle games in which one move keeps the lead.
//!
//! ```text
//! # lab lead-puzzles --size 8 --each 25 ...; FEN; moves; lead kept; grade; game
//! 2q2q2/... w - - 8 5; d4-d7/e7 a1-a2/a3 d7-d5/e5; 6?; 2; 17
//! ```
//!
//! Two deep searches with different seeds agree on the best move, and a search without this move expects at least
//! `--lead` moves fewer. After the best reply the solver can have a second and a third move of this kind. The `?` says
//! that searches, not proofs, judge these puzzles. A resumed run continues after the game of the last puzzle.

use crate::arguments::{read_count, read_if};
use crate::play::player::{iterate, search_of};
use crate::puzzles::{Fields, Puzzle, PuzzleArgs, grade};
use otrera::{Move, Params, Position};

/// Seeds of the deep searches, which must agree.
const SEEDS: [u64; 2] = [1, 2];

/// Maximum number of the solver's moves.
const MAX_MOVES: usize = 3;

/// Share of the deep search's iterations in the search that selects positions.
const SURVEY: u64 = 20;

/// Share of the board's squares that are shot at the end of the middle game.
const MIDDLE_END: f64 = 0.5;

/// Number of games played before their puzzles are written.
const BATCH: u64 = 8;

/// Memory of a search's tree in MB.
const MEGABYTES: usize = 64;

/// Write puzzles from openings and middle games: one move keeps the lead, by two deep searches.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    games: PuzzleArgs,
    /// Iterations of each deep search.
    #[arg(long, value_name = "N", default_value = "100000", value_parser = read_count::<u64>)]
    deep: u64,
    /// Minimum number of moves of the lead that every other move loses.
    #[arg(long, value_name = "MOVES", default_value = "5", value_parser = read_lead)]
    lead: f32,
}

/// A position in which one move keeps the lead, and the best line from there.
#[derive(Clone, PartialEq, Debug)]
pub struct LeadPuzzle {
    pub position: Position,
    /// The solver's moves and the replies between them: an odd number of moves.
    pub line: Vec<Move>,
    /// Moves of the lead that every other first move loses, at least.
    pub lead: u32,
    /// Difficulty, from 1 (easy) to 3 (hard).
    pub grade: usize,
    /// Number of the self-play game, from 0.
    pub game: u64,
}

fn read_lead(text: &str) -> Result<f32, String> {
    read_if(text, |lead| (0.0..=100.0).contains(lead), "a number of moves from 0 to 100")
}

pub fn run(args: &Args) -> Result<(), String> {
    let Args { games, deep, lead } = args;
    let command = format!("{} --deep {deep} --lead {lead}", games.command("lead-puzzles"));
    let header = format!("# {command} --puzzles FILE; FEN; moves; lead kept; grade; game");
    let made = games.fill::<LeadPuzzle>(&header, BATCH, u64::MAX, |game| puzzle(args, game), |_| ())?;
    println!("{made}");
    Ok(())
}

/// Plays a game up to the end of its middle game; returns the first position that is a puzzle.
fn puzzle(args: &Args, game: u64) -> Option<LeadPuzzle> {
    let PuzzleArgs { size, iterations, seed, .. } = args.games;
    let opened = args.games.opened(2, game);
    let mut search = search_of(&opened, Params::TOURNAMENT, MEGABYTES, seed ^ game);
    let squares = (size.edge() * size.edge()) as f64;
    while search.position().winner().is_none() {
        let position = *search.position();
        if f64::from(position.arrows().len()) >= MIDDLE_END * squares {
            return None;
        }
        let survey = lost_by_others(&position, args.deep / SURVEY, seed);
        if survey.is_some_and(|(_, lost)| lost >= args.lead)
            && let Some((line, lost)) = solution(args, &position)
        {
            let grade = grade(&position, line[0], seed);
            return Some(LeadPuzzle { position, line, lead: lost as u32, grade, game });
        }
        let mv = iterate(&mut search, iterations).best?;
        search.advance(mv);
    }
    None
}

/// Returns the line of a puzzle and the moves of the lead that every other first move loses; `None` if the position is
/// no puzzle.
fn solution(args: &Args, position: &Position) -> Option<(Vec<Move>, f32)> {
    let (first, lost) = only_move(args, position)?;
    let (mut line, mut position) = (vec![first], position.with_move(first));
    while line.len() + 2 < 2 * MAX_MOVES {
        let Some(reply) = deep_search(&position, args.deep, SEEDS[0], &[]).map(|(reply, _)| reply) else {
            break;
        };
        let next = position.with_move(reply);
        let Some((mv, _)) = only_move(args, &next) else { break };
        line.extend([reply, mv]);
        position = next.with_move(mv);
    }
    Some((line, lost))
}

/// Returns the move that keeps the lead by all deep searches, and the moves of the lead that every other move loses.
fn only_move(args: &Args, position: &Position) -> Option<(Move, f32)> {
    let found: Option<Vec<(Move, f32)>> =
        SEEDS.into_iter().map(|seed| lost_by_others(position, args.deep, seed)).collect();
    let found = found?;
    let (best, _) = *found.first()?;
    let lost = found.iter().map(|(_, lost)| *lost).fold(f32::INFINITY, f32::min);
    (lost >= args.lead && found.iter().all(|(mv, _)| *mv == best)).then_some((best, lost))
}

/// Returns the best move and the moves of the lead that every other move loses; `None` for a single legal move.
fn lost_by_others(position: &Position, iterations: u64, seed: u64) -> Option<(Move, f32)> {
    let (best, lead) = deep_search(position, iterations, seed, &[])?;
    let (_, other) = deep_search(position, iterations, seed, &[best])?;
    Some((best, lead - other))
}

/// Returns the best move without those `excluded`, and the lead that it keeps; `None` if there is no move.
fn deep_search(position: &Position, iterations: u64, seed: u64, excluded: &[Move]) -> Option<(Move, f32)> {
    if position.legal_moves().all(|mv| excluded.contains(&mv)) {
        return None;
    }
    let mut search = search_of(position, Params::TOURNAMENT, MEGABYTES, seed);
    search.exclude(excluded);
    let report = iterate(&mut search, iterations);
    Some((report.best?, report.lead()?))
}

impl std::fmt::Display for LeadPuzzle {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { position, line, lead, grade, game } = self;
        let line: Vec<String> = line.iter().map(Move::to_string).collect();
        write!(f, "{}; {}; {lead}?; {grade}; {game}", position.to_fen(), line.join(" "))
    }
}

impl Puzzle for LeadPuzzle {
    fn position(&self) -> &Position {
        &self.position
    }

    fn game(&self) -> u64 {
        self.game
    }

    fn read(line: &str) -> Result<Self, String> {
        let Fields { position, line, points: lead, grade, game } = Fields::read(line, "?")?;
        if line.len() % 2 == 0 {
            return Err("the moves end with a reply".into());
        }
        Ok(Self { position, line, lead, grade, game })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parse;
    use crate::puzzles::tests::page_puzzles;

    /// Iterations of the deep searches that made the page's puzzles.
    const DEEP: u64 = 100_000;

    /// Solves the puzzles with the search that selected them; the deep searches would take minutes.
    #[test]
    fn the_survey_finds_every_page_puzzle() {
        let puzzles: Vec<LeadPuzzle> = page_puzzles(["lead-puzzles-8.txt", "lead-puzzles-10.txt"]);
        let mut agreed = 0;
        for puzzle in &puzzles {
            let (best, lost) = lost_by_others(&puzzle.position, DEEP / SURVEY, SEEDS[0]).expect("moves");
            assert!(lost >= 5.0 && puzzle.lead >= 5, "{puzzle}: {lost}");
            agreed += usize::from(best == puzzle.line[0]);
        }
        assert!(2 * agreed > puzzles.len(), "{agreed} of {} by the short search", puzzles.len());
        let longer = puzzles.iter().filter(|puzzle| puzzle.line.len() > 1).count();
        assert!(longer >= 10, "{longer} puzzles of several moves");
    }

    #[test]
    fn a_line_is_read_back() {
        let line = "q2*/****/****/Q3 w - - 4 3; a1-d1/a1 a4-b4/a4 d1-c1/d1; 5?; 2; 17";
        assert_eq!(LeadPuzzle::read(line).map(|puzzle| puzzle.to_string()).as_deref(), Ok(line));
        for bad in [
            "",
            "4/4",
            "q2*/****/****/Q3 w - - 0 1; a1-d1/a1 a4-b4/a4; 5?; 1; 0",
            "q2*/****/****/Q3 w - - 0 1; a1-a4/a1; 5?; 1; 0",
            "q2*/****/****/Q3 w - - 0 1; a1-d1/a1; 5; 1; 0",
            "q2*/****/****/Q3 w - - 0 1; a1-d1/a1; 5?; 4; 0",
            "q2*/****/****/Q3 w - - 0 1; a1-d1/a1; 5?; 1; -1",
        ] {
            assert!(LeadPuzzle::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_move_that_shuts_off_the_ground_is_a_puzzle() {
        // One arrow decides which side gets the squares on the right.
        let position = Position::from_fen("q5/1*****/6/*****1/Q5/****** w - - 0 1").unwrap();
        let (best, lost) = lost_by_others(&position, 3000, 1).unwrap();
        assert_eq!(position.check(best), Ok(()));
        let (again, _) = lost_by_others(&position, 3000, 1).unwrap();
        assert!(best == again && lost.is_finite(), "{best} {lost}");
        let single = Position::from_fen("q1**/****/****/Q1** w - - 0 1").unwrap();
        assert!(single.legal_moves().count() == 1 && lost_by_others(&single, 300, 1).is_none());
    }

    #[test]
    fn a_move_loses_the_difference_of_the_leads_with_and_without_it() {
        // Leads at the ends of proven lines: b2-c3/c4 wins and keeps 2 moves, the best other move loses by 1.
        let position = Position::from_fen("1*q2/*2*1/**2*/1Q*1*/2**1 w - - 0 1").unwrap();
        let best: Move = "b2-c3/c4".parse().unwrap();
        assert_eq!(lost_by_others(&position, 3000, 1), Some((best, 3.0)));
        let found = |lead: &str| {
            let words = ["--puzzles", "unused", "--deep", "3000", "--lead", lead].map(str::to_owned);
            only_move(&parse(&words).unwrap(), &position)
        };
        assert_eq!(found("3"), Some((best, 3.0)));
        assert_eq!(found("3.5"), None);
    }
}
