//! The search's proofs against plain minimax: small positions, both rules, whole and split moves.

use fastrand::Rng;
use otrera::{Bitboard, Limits, Line, Params, Position, Report, Resources, Rules, Search, Side, WinRate};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use testkit::{random_game, size};

/// Late positions, each tested with either side to move.
const PICTURES: [&str; 8] = [
    "XW.. B.X. .X.W ..BX",
    "B.W. X..X .XX. W.B.",
    "BW.X WX.. ..XB X.WB",
    "X.W. .X.X B.X. .XWB",
    "X.BXX .XXX. WXX.B XX.XX ..WXX",
    "B..XX W.XXX XXXX. XX.XW .XX.B",
    "BXXWX X.XX. XXX.. XX.X. XBX.W",
    "WX.XX XXXXX B.X.W XXXX. XXX.B",
];

/// Returns distinct unfinished positions: the pictures, and the ends of random games, under both rules.
fn small_positions(games: usize) -> Vec<Position> {
    let both_sides = |picture| Side::BOTH.map(|side| Position::from_picture(picture, side).unwrap());
    let mut positions: Vec<Position> = PICTURES.into_iter().flat_map(both_sides).collect();
    let mut rng = Rng::with_seed(1);
    for edge in [4, 5, 6] {
        for _ in 0..games {
            let game = random_game(Position::start(size(edge)), &mut rng);
            positions.extend(game.into_iter().filter(|position| position.empty().len() <= 7));
        }
    }
    let mut seen = HashSet::new();
    positions.retain(|position| seen.insert(situation(position)));
    let by_rules = |rules| positions.iter().map(move |position| position.with_rules(rules));
    let both_rules = by_rules(Rules::Standard).chain(by_rules(Rules::SelfBlocking));
    both_rules.filter(|position| position.winner().is_none()).collect()
}

/// Everything that determines the rest of a game, except the rules.
type Situation = ([Bitboard; 2], Bitboard, Side);

fn situation(position: &Position) -> Situation {
    (position.all_amazons(), position.empty(), position.side())
}

/// Minimax with a transposition table; used with one set of rules at a time.
#[derive(Default)]
struct Solver {
    solved: HashMap<Situation, Side>,
}

impl Solver {
    /// Returns the winner under best play.
    fn winner(&mut self, position: &Position) -> Side {
        if let Some(&known) = self.solved.get(&situation(position)) {
            return known;
        }
        let winner = position.winner().unwrap_or_else(|| {
            let side = position.side();
            let wins = position.legal_moves().any(|mv| self.winner(&position.with_move(mv)) == side);
            if wins { side } else { side.opponent() }
        });
        self.solved.insert(situation(position), winner);
        winner
    }
}

fn run(search: &mut Search, iterations: u64) -> Report {
    search.run(&Limits::iterations(iterations), &AtomicBool::new(false), &mut |_| ())
}

/// Runs a new search: on one thread, or on two if the parameters share the tree.
fn found(position: &Position, params: &Params, iterations: u64) -> Report {
    let resources = Resources { threads: 2, ..Resources::default() };
    run(&mut Search::new(*position, params.clone(), resources), iterations)
}

const SEARCHERS: [Params; 3] = [Params::MG, Params::MCTS, Params::TOURNAMENT];

#[test]
fn what_is_proven_is_what_minimax_finds() {
    let (mut searched, mut proven) = (0, 0);
    for position in small_positions(6) {
        let mut solver = Solver::default();
        let winner = solver.winner(&position);
        for params in SEARCHERS {
            let report = found(&position, &params, 20_000);
            searched += 1;
            proven += u32::from(report.proven.is_some());
            check_proofs(&position, &report, winner, &mut solver);
        }
    }
    assert!(searched > 300, "only {searched} searches");
    assert!(proven * 100 >= searched * 95, "only {proven} of {searched} were proven");
}

/// Checks that every proof in a report, of the position and of its moves, is true.
fn check_proofs(position: &Position, report: &Report, winner: Side, solver: &mut Solver) {
    let best = report.best.unwrap();
    assert_eq!(position.check(best), Ok(()), "{position}");
    if let Some(proven) = report.proven {
        assert_eq!(proven, winner, "{:?}\n{position}", position.rules());
        let rate = if proven == position.side() { WinRate::WIN } else { WinRate::LOSS };
        assert_eq!(report.win_rate, rate);
        assert_eq!(solver.winner(&position.with_move(best)), winner, "{best}\n{position}");
    }
    let rank = |line: &Line| match line.proven {
        Some(winner) if winner == position.side() => 0,
        None => 1,
        Some(_) => 2,
    };
    let by_rank = |line: &Line| (rank(line), Reverse(line.visits));
    assert!(report.lines[1..].is_sorted_by_key(by_rank), "{:?}", report.lines);
    for line in &report.lines {
        if let Some(proven) = line.proven {
            assert_eq!(proven, solver.winner(&position.with_move(line.mv)), "{}\n{position}", line.mv);
        }
    }
}

#[test]
fn a_move_that_wins_at_once_is_played() {
    let mut positions = small_positions(60);
    positions.retain(only_a_move_that_wins_at_once_wins);
    assert!(positions.len() >= 30, "only {}", positions.len());
    for position in positions {
        for params in SEARCHERS {
            let report = found(&position, &params, 20_000);
            let after = position.with_move(report.best.unwrap());
            assert_eq!(after.winner(), Some(position.side()), "{:?}\n{position}", report.best);
            assert_eq!(report.proven, Some(position.side()));
            assert!(report.iterations < 20_000, "a proof ends the search");
        }
    }
}

/// True if some moves win, others do not, and every winning move ends the game.
fn only_a_move_that_wins_at_once_wins(position: &Position) -> bool {
    let side = position.side();
    let mut solver = Solver::default();
    let after: Vec<Position> = position.legal_moves().map(|mv| position.with_move(mv)).collect();
    let (winning, others): (Vec<Position>, Vec<Position>) =
        after.into_iter().partition(|after| solver.winner(after) == side);
    let at_once = winning.iter().all(|after| after.winner() == Some(side));
    at_once && !winning.is_empty() && !others.is_empty()
}

#[test]
fn a_lost_position_still_has_an_answer() {
    let mut lost = 0;
    for position in small_positions(6) {
        if Solver::default().winner(&position) != position.side() {
            for params in SEARCHERS {
                let report = found(&position, &params, 20_000);
                assert_eq!(position.check(report.best.unwrap()), Ok(()), "{position}");
                assert_ne!(report.proven, Some(position.side()));
                lost += 1;
            }
        }
    }
    assert!(lost >= 30, "only {lost}");
}

#[test]
fn a_proof_survives_the_moves_that_follow_it() {
    let mut proven = 0;
    for position in small_positions(6) {
        let mut search = Search::new(position, Params::MG, Resources::default());
        let Some(winner) = run(&mut search, 20_000).proven else { continue };
        proven += 1;
        while search.position().winner().is_none() {
            let report = run(&mut search, 100);
            assert_eq!(report.proven, Some(winner), "{position}");
            search.advance(report.best.unwrap());
        }
        assert_eq!(search.position().winner(), Some(winner), "{position}");
    }
    assert!(proven >= 100, "only {proven}");
}
