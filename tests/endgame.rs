//! Endgame proofs, compared with brute force: the filling bounds, and the proofs of the search on small positions.
//!
//! Filling bounds: a proven winner wins, the exact filling number lies within the bounds, and a side that plays the
//! filling moves, as the search does, makes at least as many moves as its lower bound.

use crate::search::run_iterations;
use fastrand::Rng;
use otrera::board::bitboard::Bitboard;
use otrera::endgame::FillingProver;
use otrera::endgame::filling::{Bounds, Part, fill, filling};
use otrera::endgame::regions::Regions;
use otrera::search::params::TournamentParams;
use otrera::{Line, Move, Params, Position, Report, Resources, Rules, Search, Side, WinRate};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use testkit::{random_game, random_move, random_side, scattered_position, size};

/// Everything that determines the rest of a game: amazons by side, empty squares, side to move, rules.
type Situation = ([Bitboard; 2], Bitboard, Side, Rules);

fn situation(position: &Position) -> Situation {
    (position.all_amazons(), position.empty(), position.side(), position.rules())
}

/// Minimax with a transposition table.
#[derive(Default)]
struct Solver {
    solved: HashMap<Situation, Side>,
}

impl Solver {
    /// Returns the winner with best play.
    fn winner(&mut self, position: &Position) -> Side {
        let situation = situation(position);
        if let Some(&known) = self.solved.get(&situation) {
            return known;
        }
        let winner = position.winner().unwrap_or_else(|| {
            let side = position.side();
            let wins = position.legal_moves().any(|mv| self.winner(&position.with_move(mv)) == side);
            if wins { side } else { side.opponent() }
        });
        self.solved.insert(situation, winner);
        winner
    }
}

fn either_rules(rng: &mut Rng) -> Rules {
    if rng.bool() { Rules::Standard } else { Rules::SelfBlocking }
}

/// Returns the positions with at most `most_empty` empty squares from `games` random games on 4x4 to 6x6 boards.
fn late_positions(games: usize, most_empty: u32, seed: u64) -> Vec<Position> {
    let mut rng = Rng::with_seed(seed);
    let mut positions = Vec::new();
    for _ in 0..games {
        let edge = rng.usize(4..=6);
        let scattered = scattered_position(size(edge), &mut rng);
        let start = if rng.bool() { Position::start(size(edge)) } else { scattered };
        let game = random_game(start, &mut rng);
        let rules = either_rules(&mut rng);
        let late = game.into_iter().filter(|position| position.empty().len() <= most_empty);
        positions.extend(late.map(|position| position.with_rules(rules)));
    }
    positions
}

#[test]
fn a_proven_winner_wins_by_brute_force() {
    let (mut decided, mut contested, mut separated, mut open) = (0, 0, 0, 0);
    let mut prover = FillingProver::new();
    let mut solver = Solver::default();
    for position in late_positions(1500, 8, 1) {
        let Some(count) = prover.bounds(&position) else { continue };
        assert_eq!(prover.winner(&position), count.winner(), "{position}");
        separated += u32::from(count.separated);
        open += u32::from(count.separated && count.winner().is_none());
        let Some(winner) = count.winner() else { continue };
        assert_eq!(winner, solver.winner(&position), "{count:?}\n{position}");
        decided += 1;
        contested += u32::from(!count.separated);
    }
    assert!(decided > 2000 && contested > 300, "{decided} decided, {contested} of them contested");
    assert!(open * 50 < separated, "{open} of {separated} separated positions were not decided");
}

/// Returns the maximum number of filling moves in a region, found by exhaustive search.
fn longest(part: Part, known: &mut HashMap<Part, u32>) -> u32 {
    if let Some(&known) = known.get(&part) {
        return known;
    }
    let mut most = 0;
    for from in part.free | part.guards {
        for to in otrera::board::reach::queen_reach(from, part.empty) {
            let cleared = (part.empty | from.into()) - to.into();
            let arrows = match part.guards.contains(from) {
                true => from.into(),
                false => otrera::board::reach::queen_reach(to, cleared),
            };
            for arrow in arrows {
                let free = (part.free - from.into()) | to.into();
                let guards = part.guards - from.into();
                let rest = Part { empty: cleared - arrow.into(), free, guards };
                most = most.max(1 + longest(rest, known));
            }
        }
    }
    known.insert(part, most);
    most
}

/// Grows a random region of `most + 1` squares, with one or two amazons on it.
fn random_part(most: usize, rng: &mut Rng) -> Part {
    let board = Bitboard::playable(size(6));
    let mut squares = Bitboard::from(board.nth(rng.u32(..36)));
    for _ in 0..most {
        let border = (squares.with_neighbours() & board) - squares;
        squares |= border.nth(rng.u32(..border.len())).into();
    }
    let mut amazon = || Bitboard::from(squares.nth(rng.u32(..squares.len())));
    let (first, second) = (amazon(), amazon());
    let amazons = if rng.bool() { first } else { first | second };
    let guards = if rng.u32(..3) == 0 { first } else { Bitboard::EMPTY };
    Part { empty: squares - amazons, free: amazons - guards, guards }
}

#[test]
fn filling_bounds_contain_the_exact_maximum() {
    let mut rng = Rng::with_seed(2);
    let (mut quick, mut known, parts) = (0, 0, 1500);
    for _ in 0..parts {
        let most = rng.usize(1..=9);
        let part = random_part(most, &mut rng);
        let exact = longest(part, &mut HashMap::new());
        let bounds = filling(part);
        assert!(fill(part) <= bounds.low, "{bounds:?} {part:?}");
        assert!((bounds.low..=bounds.high).contains(&exact), "{bounds:?} is not {exact}: {part:?}");
        quick += u32::from(fill(part) == exact);
        known += u32::from(bounds.low == bounds.high);
    }
    assert!(quick * 10 > parts * 9, "only {quick} of {parts} are filled at once");
    assert!(known * 100 > parts * 99, "only {known} of {parts} are known");
}

/// Parses a picture as one region: White's amazons are free, Black's are guards.
fn pictured_part(picture: &str) -> Part {
    let position = Position::from_picture(picture, Side::White).unwrap();
    let [guards, free] = position.all_amazons();
    Part { empty: position.empty(), free, guards }
}

/// Generates a region of `count` scattered empty squares, a free amazon and a guard on a 5x5 board.
fn ragged_part(count: usize, rng: &mut Rng) -> Part {
    let mut squares: Vec<_> = Bitboard::playable(size(5)).into_iter().collect();
    rng.shuffle(&mut squares);
    let mut take = |count: usize| squares.drain(..count).collect::<Bitboard>();
    Part { empty: take(count), free: take(1), guards: take(1) }
}

#[test]
fn bounds_hold_when_the_filling_search_gives_up() {
    let one_is_lost = pictured_part("XXXXX .X.X. XBX.W .X... XX.XX");
    assert_eq!(filling(one_is_lost), Bounds { low: 8, high: 9 });
    let mut rng = Rng::with_seed(13);
    let ragged = (0..6000).map(|_| ragged_part(rng.usize(10..=12), &mut rng));
    let mut at_the_lower_bound = 0;
    for part in [one_is_lost].into_iter().chain(ragged) {
        let bounds = filling(part);
        if bounds.low < bounds.high {
            let exact = longest(part, &mut HashMap::new());
            assert!((bounds.low..=bounds.high).contains(&exact), "{bounds:?} is not {exact}: {part:?}");
            at_the_lower_bound += u32::from(exact == bounds.low);
        }
    }
    // Only regions whose exact maximum equals the lower bound would reveal a bound that is one too high.
    assert!(at_the_lower_bound >= 10, "only {at_the_lower_bound}");
}

/// Generates `count` random unfinished positions of any board size whose winner the filling bounds prove.
fn decided_positions(count: usize, seed: u64) -> Vec<Position> {
    let mut rng = Rng::with_seed(seed);
    let mut prover = FillingProver::new();
    let mut decided = Vec::new();
    while decided.len() < count {
        let edge = rng.usize(4..=10);
        let mut positions = vec![scattered_position(size(edge), &mut rng)];
        positions.extend(random_game(Position::start(size(edge)), &mut rng));
        let rules = either_rules(&mut rng);
        positions.iter_mut().for_each(|position| *position = position.with_rules(rules));
        positions.retain(|position| position.winner().is_none() && prover.winner(position).is_some());
        if let Some(position) = rng.choice(&positions) {
            decided.push(*position);
        }
    }
    decided
}

/// Returns the move, out of at most 300 random ones, that leaves the mover the most reachable squares. Such moves
/// release guards and enter contested squares.
fn stubborn_move(position: &Position, rng: &mut Rng) -> Move {
    let side = position.side();
    let mut moves: Vec<Move> = position.legal_moves().collect();
    rng.shuffle(&mut moves);
    moves.truncate(300);
    let left = |mv: &Move| Regions::of(&position.with_move(*mv)).reachable(side).len();
    moves.into_iter().max_by_key(left).expect("the game goes on")
}

#[test]
fn filling_moves_keep_a_proven_win() {
    let mut rng = Rng::with_seed(3);
    let mut prover = FillingProver::new();
    let (mut played, mut contested) = (0, 0);
    for mut position in decided_positions(600, 4) {
        let winner = prover.winner(&position).unwrap();
        contested += u32::from(!prover.bounds(&position).unwrap().separated);
        let stubborn = rng.bool();
        while position.winner().is_none() {
            assert_eq!(prover.winner(&position), Some(winner), "{position}");
            let mv = match position.side() {
                side if side == winner => prover.filling_move(&position).expect("a filling move"),
                _ if stubborn => stubborn_move(&position, &mut rng),
                _ => random_move(&position, &mut rng),
            };
            position = position.try_play(mv).unwrap();
            played += 1;
        }
        assert_eq!(position.winner(), Some(winner), "{position}");
    }
    assert!(played > 3000 && contested > 100, "{played} moves, {contested} contested positions");
}

#[test]
fn a_filling_move_costs_at_most_one_move() {
    let mut rng = Rng::with_seed(5);
    let mut prover = FillingProver::new();
    let mut moves = 0;
    for mut position in decided_positions(300, 6) {
        while let Some(mv) = prover.filling_move(&position) {
            let side = position.side();
            let promised = prover.bounds(&position).unwrap().moves[side.index()].low;
            position = position.try_play(mv).unwrap();
            let Some(count) = prover.bounds(&position) else { break };
            assert!(count.moves[side.index()].low + 1 >= promised, "{mv}\n{position}");
            moves += 1;
            if position.winner().is_none() && rng.u32(..4) == 0 {
                position = position.with_move(random_move(&position, &mut rng));
            }
        }
    }
    assert!(moves > 500, "{moves} moves");
}

#[test]
fn separated_sides_get_their_promised_moves() {
    let mut prover = FillingProver::new();
    let mut rng = Rng::with_seed(8);
    for mut position in decided_positions(300, 9) {
        let Some(count) = prover.bounds(&position).filter(|count| count.separated) else { continue };
        position = position.with_side(random_side(&mut rng));
        let mut made = [0; 2];
        while let Some(mv) = prover.filling_move(&position) {
            made[position.side().index()] += 1;
            position = position.try_play(mv).unwrap();
        }
        // The loser has made all its moves; the winner can have moves left.
        let loser = position.winner().expect("a side that can move has a filling move").opponent();
        let promised = count.moves[loser.index()];
        let made = made[loser.index()];
        assert!((promised.low..=promised.high).contains(&made), "{made} of {promised:?}\n{position}");
    }
}

fn searched(search: &mut Search) -> Report {
    run_iterations(search, 50)
}

fn search_of(position: Position, params: impl Into<Params>) -> Search {
    Search::new(position, params, Resources { memory: 4 << 20, ..Resources::default() })
}

#[test]
fn the_search_fills_or_searches_decided_positions() {
    let mut prover = FillingProver::new();
    let (mut filled, mut searched_lost) = (0, 0);
    for position in decided_positions(300, 10) {
        let winner = prover.winner(&position).unwrap();
        let wins = winner == position.side();
        let report = searched(&mut search_of(position, Params::TOURNAMENT));
        let without = searched(&mut search_of(position, BY_SEARCH_ALONE));
        assert!(without.iterations > 0, "{position}");
        let best = report.best.unwrap();
        assert_eq!(position.check(best), Ok(()), "{position}");
        assert_eq!(report.proven, Some(winner));
        let rate = if wins { WinRate::WIN } else { WinRate::LOSS };
        assert_eq!([report.win_rate, report.best_rate()], [rate; 2]);
        assert_eq!(report.margin, prover.margin(&position));
        assert!(report.lines.iter().all(|line| (line.proven, line.win_rate) == (Some(winner), rate)));
        assert_eq!(report.principal_variation.first(), Some(&best));
        assert_eq!(report.lines[0].mv, best);
        match prover.filling_move(&position) {
            Some(mv) => {
                assert_eq!((best, report.iterations), (mv, 0), "{position}");
                filled += 1;
            }
            None => {
                assert!(!wins);
                // A lost position is searched as if endgame proofs were off, because all its moves are proven losses.
                let visits = |report: &Report| -> HashMap<Move, u32> {
                    report.lines.iter().map(|line| (line.mv, line.visits)).collect()
                };
                assert_eq!(
                    (report.iterations, visits(&report)),
                    (without.iterations, visits(&without)),
                    "{position}"
                );
                searched_lost += 1;
            }
        }
    }
    assert!(filled > 100 && searched_lost > 20, "{filled} filled, {searched_lost} searched");
}

#[test]
fn advancing_to_a_lost_root_searches_it_again() {
    let (mut prover, mut rng) = (FillingProver::new(), Rng::with_seed(14));
    let mut lost = 0;
    for position in (0..20).flat_map(|_| random_game(Position::start(size(6)), &mut rng)) {
        let mut search = search_of(position, Params::TOURNAMENT);
        let report = searched(&mut search);
        let is_lost_but_searched = |line: &&Line| {
            let after = position.with_move(line.mv);
            let is_searched = after.winner().is_none() && prover.filling_move(&after).is_none();
            line.visits > 0 && line.proven == Some(position.side()) && is_searched
        };
        let Some(line) = report.lines.iter().find(is_lost_but_searched) else { continue };
        search.advance(line.mv);
        if prover.winner(search.position()).is_some() {
            assert!(searched(&mut search).iterations > 0, "{position}\n{}", line.mv);
            lost += 1;
        }
    }
    assert!(lost >= 10, "only {lost}");
}

#[test]
fn the_search_keeps_the_proven_margin() {
    let mut rng = Rng::with_seed(11);
    let mut prover = FillingProver::new();
    for position in decided_positions(60, 12) {
        let winner = prover.winner(&position).unwrap();
        let promised = prover.margin(&position).unwrap();
        let mut search = search_of(position, Params::TOURNAMENT);
        while search.position().winner().is_none() {
            let position = *search.position();
            let mv = match position.side() == winner {
                true => searched(&mut search).best.unwrap(),
                false => stubborn_move(&position, &mut rng),
            };
            search.advance(mv);
        }
        assert_eq!(search.position().winner(), Some(winner), "{position}");
        let left = filling(Regions::of(search.position()).closed(winner)).low;
        assert!(left >= promised, "{left} moves left of {promised} at least\n{position}");
    }
}

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

/// Returns distinct unfinished positions under both rules: the pictures, and late positions of random games.
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

/// Runs a new search with two threads.
fn found(position: &Position, params: &Params, iterations: u64) -> Report {
    let resources = Resources { threads: 2, ..Resources::default() };
    run_iterations(&mut Search::new(*position, params.clone(), resources), iterations)
}

/// Without endgame proofs, only the search proves results.
const BY_SEARCH_ALONE: TournamentParams =
    TournamentParams { endgame_proofs: false, ..TournamentParams::DEFAULT };

const SEARCHERS: [Params; 2] = [Params::Tournament(BY_SEARCH_ALONE), Params::TOURNAMENT];

#[test]
fn search_proofs_agree_with_minimax() {
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
    assert!(searched > 200, "only {searched} searches");
    assert!(proven * 100 >= searched * 95, "only {proven} of {searched} were proven");
}

/// Checks every proof in a report, of the position and of its moves, against minimax.
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
fn the_search_plays_an_immediate_win() {
    let mut positions = small_positions(60);
    positions.retain(only_immediate_wins_win);
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

/// True if some moves win, others lose, and every winning move ends the game immediately.
fn only_immediate_wins_win(position: &Position) -> bool {
    let side = position.side();
    let mut solver = Solver::default();
    let after: Vec<Position> = position.legal_moves().map(|mv| position.with_move(mv)).collect();
    let (winning, others): (Vec<Position>, Vec<Position>) =
        after.into_iter().partition(|after| solver.winner(after) == side);
    let at_once = winning.iter().all(|after| after.winner() == Some(side));
    at_once && !winning.is_empty() && !others.is_empty()
}

#[test]
fn a_proof_survives_the_following_moves() {
    let mut proven = 0;
    for position in small_positions(6) {
        let mut search = Search::new(position, BY_SEARCH_ALONE, Resources::default());
        let Some(winner) = run_iterations(&mut search, 20_000).proven else { continue };
        proven += 1;
        while search.position().winner().is_none() {
            let report = run_iterations(&mut search, 100);
            assert_eq!(report.proven, Some(winner), "{position}");
            search.advance(report.best.unwrap());
        }
        assert_eq!(search.position().winner(), Some(winner), "{position}");
    }
    assert!(proven >= 100, "only {proven}");
}
