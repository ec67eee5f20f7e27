//! Puzzles: won positions from self-play in which exactly one move keeps the win.
//!
//! ```text
//! # lab endgames --size 8 --each 25 ...; FEN; the only winning move; margin; grade; game
//! 1q*5/... w - - 34 18; d4-d7/e7; 1; 3; 17
//! ```
//!
//! The [solver](super::solver) proves the result of every move and the margin: the number of moves that the winner can
//! still make when the opponent cannot move. Each game yields at most one puzzle. Puzzles are written in the order of
//! their games; a resumed run continues after the game of the last puzzle.

use super::Args;
use super::remainder::reachable;
use super::solver::Solver;
use crate::play::player::{iterate, search_of};
use crate::puzzles::{Fields, GRADES, Puzzle as AnyPuzzle, grade};
use otrera::search::params::TournamentParams;
use otrera::{Move, Params, Position, Side};

/// Minimum number of legal moves in a puzzle.
const MIN_MOVES: usize = 12;

/// Node limit for computing the margin of a puzzle, as a multiple of `--nodes`.
const MARGIN_NODES: u64 = 10;

/// Batch size: number of games played before their puzzles are written.
const BATCH: u64 = 16;

/// Maximum number of games, as a multiple of `--each`.
const MAX_GAMES: u64 = 60;

/// Maximum number of contested squares in a puzzle: empty squares that both sides reach by king steps.
const MAX_CONTESTED: usize = 22;

/// Parameters of the self-play games: without endgame proofs, which would end the games early.
const PLAYER: TournamentParams = TournamentParams { endgame_proofs: false, ..TournamentParams::DEFAULT };

/// A won position in which exactly one move keeps the win.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Puzzle {
    pub position: Position,
    pub solution: Move,
    /// Number of moves that the winner has left when the opponent cannot move, with best play.
    pub margin: i32,
    /// Difficulty, from 1 (easy) to 3 (hard), see [`grade`].
    pub grade: usize,
    /// Number of the self-play game that the position comes from, from 0.
    pub game: u64,
}

pub fn make(args: &Args) -> Result<(), String> {
    let Args { games, nodes, .. } = args;
    let command = format!("{} --nodes {nodes}", games.command("endgames"));
    let header = format!("# {command} --puzzles FILE; FEN; the only winning move; margin; grade; game");
    let mut grades = [0; GRADES];
    let count = |puzzle: &Puzzle| grades[puzzle.grade - 1] += 1;
    let made = games.fill(&header, BATCH, games.each as u64 * MAX_GAMES, |game| puzzle(args, game), count)?;
    println!("{made}; of grades 1 to {GRADES}: {grades:?}");
    Ok(())
}

/// Plays a game and returns, for each number of contested squares, the first position that needs a search to be solved.
fn candidates(args: &Args, number: u64) -> Vec<Position> {
    let opened = args.games.opened(4, number);
    let mut search = search_of(&opened, PLAYER, 32, args.games.seed ^ number);
    let mut found: [Option<Position>; MAX_CONTESTED + 1] = [None; MAX_CONTESTED + 1];
    while search.position().winner().is_none() {
        let position = *search.position();
        let reached = [Side::Black, Side::White].map(|side| reachable(&position, side));
        let contested = (reached[0] & reached[1]).len() as usize;
        if contested == 0 {
            break;
        }
        if contested <= MAX_CONTESTED && found[contested].is_none() && !Solver::new(0).is_trivial(&position) {
            found[contested] = Some(position);
        }
        let report = iterate(&mut search, args.games.iterations);
        let Some(mv) = report.best else { break };
        search.advance(mv);
    }
    found.into_iter().flatten().collect()
}

/// Plays a game and returns a puzzle: of the positions that the solver proves to have exactly one winning move, the one
/// with the most contested squares; `None` if there is no such position.
fn puzzle(args: &Args, game: u64) -> Option<Puzzle> {
    candidates(args, game).into_iter().rev().find_map(|position| {
        let solution = only_winning_move(&position, args.nodes)?;
        let margin = Solver::new(MARGIN_NODES * args.nodes).margin(&position)?;
        Some(Puzzle { position, solution, margin, grade: grade(&position, solution, args.games.seed), game })
    })
}

/// Returns the only winning move, if the solver proves that all other moves lose. Returns `None` also for fewer than
/// [`MIN_MOVES`] legal moves.
pub fn only_winning_move(position: &Position, nodes: u64) -> Option<Move> {
    let moves = by_visits(position);
    if moves.len() < MIN_MOVES {
        return None;
    }
    let mut solver = Solver::new(nodes);
    let mut solution = None;
    for mv in moves {
        let next = position.with_move(mv);
        let winner = next.winner().or_else(|| solver.winner(&next))?;
        if winner == position.side() && solution.replace(mv).is_some() {
            return None;
        }
    }
    solution
}

/// Returns the legal moves, those preferred by a short search first, so that [`only_winning_move`] often stops early.
fn by_visits(position: &Position) -> Vec<Move> {
    let report = iterate(&mut search_of(position, Params::TOURNAMENT, 32, 1), 300);
    let mut moves: Vec<Move> = report.lines.iter().map(|line| line.mv).collect();
    let rest = position.legal_moves().filter(|mv| !moves.contains(mv)).collect::<Vec<Move>>();
    moves.extend(rest);
    moves
}

impl std::fmt::Display for Puzzle {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { position, solution, margin, grade, game } = self;
        write!(f, "{}; {solution}; {margin}; {grade}; {game}", position.to_fen())
    }
}

impl AnyPuzzle for Puzzle {
    fn position(&self) -> &Position {
        &self.position
    }

    fn game(&self) -> u64 {
        self.game
    }

    fn read(line: &str) -> Result<Self, String> {
        let Fields { position, line, points: margin, grade, game } = Fields::read(line, "")?;
        let [solution] = line[..] else { return Err("expected one move".into()) };
        Ok(Self { position, solution, margin: margin as i32, grade, game })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzles::tests::page_puzzles;

    /// Node limit for solving the web page's puzzles, higher than the limit used to generate them.
    const NODES: u64 = 1_000_000;

    const FILES: [&str; 2] = ["puzzles-8.txt", "puzzles-10.txt"];

    #[test]
    fn every_page_puzzle_has_one_winning_move() {
        for puzzle in page_puzzles::<Puzzle>(FILES) {
            assert_eq!(only_winning_move(&puzzle.position, NODES), Some(puzzle.solution), "{puzzle}");
            assert_eq!(Solver::new(NODES).margin(&puzzle.position), Some(puzzle.margin), "{puzzle}");
        }
    }

    /// True if the side to move wins: plays every game to its end.
    fn wins(position: &Position) -> bool {
        position.legal_moves().any(|mv| !wins(&position.with_move(mv)))
    }

    #[test]
    fn a_position_with_two_winning_moves_is_no_puzzle() {
        for fen in [
            "1qq1/1Q1q/1q*Q/*QQ1 w - - 2 2",
            "q1q1/q*1q/1Q1Q/*QQ1 w - - 2 2",
            // One movement with two arrows.
            "1qq1/q1q*/QQ1Q/1*Q1 w - - 2 2",
            "*qQ*/1q*q/1*qQ/Q1Q1 w - - 4 3",
            // One amazon and one arrow, one square for both, and two amazons.
            "1qq1/q*q1/QQ1Q/1Q*1 w - - 2 2",
            "q*q1/*1qq/2QQ/Q*Q* w - - 4 3",
            "*qq*/*1Qq/Qq*1/Q1Q1 w - - 4 3",
        ] {
            let position = Position::from_fen(fen).expect("a FEN");
            let winning: Vec<Move> =
                position.legal_moves().filter(|mv| !wins(&position.with_move(*mv))).collect();
            let expected = if let [only] = winning[..] { Some(only) } else { None };
            assert_eq!(only_winning_move(&position, NODES), expected, "{fen}: {winning:?}");
            assert!((1..=2).contains(&winning.len()) && position.legal_moves().count() >= MIN_MOVES, "{fen}");
        }
    }

    #[test]
    fn page_puzzles_cover_all_grades() {
        let puzzles = page_puzzles::<Puzzle>(FILES);
        for grade in 1..=GRADES {
            let count = puzzles.iter().filter(|puzzle| puzzle.grade == grade).count();
            assert!(count >= 20, "{count} of grade {grade}");
        }
    }

    #[test]
    fn the_margin_counts_the_moves_left() {
        // White, walled off, has three moves; Black has one or two.
        for (fen, margin) in [("q3/****/****/Q1** b - - 0 1", 1), ("q3/****/****/Q2* b - - 0 1", 0)] {
            let position = Position::from_fen(fen).expect("a FEN");
            assert_eq!(Solver::new(100).margin(&position), Some(margin), "{fen}");
            assert_eq!(otrera::endgame::FillingProver::new().margin(&position), Some(margin as u32), "{fen}");
        }
    }
}
