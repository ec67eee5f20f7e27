//! Integration tests of the search: determinism, time and memory limits, reuse of the tree between moves, legal games
//! with every preset.

use fastrand::Rng;
use otrera::board::moves::Movement;
use otrera::mgpeo::{Formula, PaperParams, Rollouts};
use otrera::report::CONTINUED;
use otrera::search::params::TournamentParams;
use otrera::{Limits, Line, Move, Params, Position, Report, Resources, Rules, Search, Side, WinRate};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use testkit::{random_game, size};

/// Time within which a search must end, even on a busy machine; a longer search counts as hanging.
const HANGING: Duration = Duration::from_secs(10);

/// Runs a search without interruption.
fn run(search: &mut Search, limits: Limits) -> Report {
    search.run(&limits, &AtomicBool::new(false), &mut |_| ())
}

pub fn run_iterations(search: &mut Search, count: u64) -> Report {
    run(search, Limits::iterations(count))
}

/// Runs a new search for `iterations` iterations and returns its report.
fn found(position: &Position, params: &Params, resources: Resources, iterations: u64) -> Report {
    run_iterations(&mut Search::new(*position, params.clone(), resources), iterations)
}

/// Formats a report without its duration, so that equal texts mean bit-identical results.
fn outcome(report: Report) -> String {
    format!("{:?}", Report { elapsed: Duration::ZERO, ..report })
}

fn threads(threads: usize) -> Resources {
    Resources { threads, ..Resources::default() }
}

/// Returns an opening, a middle-game and an endgame position on each of three boards.
fn various_positions() -> Vec<Position> {
    let mut rng = Rng::with_seed(1);
    let mut positions = Vec::new();
    for edge in [6, 8, 10] {
        let game = random_game(Position::start(size(edge)), &mut rng);
        positions.extend([0, game.len() / 2, game.len() - 6].map(|ply| game[ply]));
    }
    positions
}

/// Returns parameters of every combination of move groups and formula, and of the tournament search.
fn searchers() -> [Params; 5] {
    let [mg, mcts, uct] = [PaperParams::MG, PaperParams::MCTS, PaperParams::UCT];
    let tuned = PaperParams { formula: Formula::Ucb1Tuned, ..mg.clone() };
    [mg.into(), tuned.into(), mcts.into(), uct.into(), Params::TOURNAMENT]
}

#[test]
fn the_first_child_tried_is_random() {
    for params in &searchers()[..4] {
        let first_move = |seed| {
            let resources = Resources { seed, ..Resources::default() };
            found(&Position::standard(), params, resources, 1).best.unwrap().movement()
        };
        let different: HashSet<Movement> = (0..40).map(first_move).collect();
        assert!(different.len() > 20, "only {} of 80 movements in 40 searches", different.len());
    }
}

#[test]
fn the_first_puct_iteration_plays_a_whole_move() {
    let report = found(&Position::standard(), &Params::TOURNAMENT, Resources::default(), 1);
    assert_eq!((report.lines.len(), report.depth), (1, 1));
}

#[test]
fn threads_lose_no_iterations() {
    for position in various_positions() {
        for params in searchers() {
            for count in [2, 4, 8] {
                let report = found(&position, &params, threads(count), 2000);
                assert_eq!(u64::from(report.visits), report.iterations, "{count} threads\n{position}");
                assert!(report.iterations == 2000 || report.proven.is_some(), "{report:?}");
                assert_eq!(position.check(report.best.unwrap()), Ok(()));
            }
        }
    }
}

#[test]
fn parallel_recycling_keeps_the_win_rate() {
    let rate = |count| {
        let resources = Resources { threads: count, memory: 1 << 20, seed: 1 };
        let report = found(&Position::standard(), &Params::TOURNAMENT, resources, 60_000);
        assert!(report.recycled > 0 && report.iterations == 60_000, "{count} threads: {report:?}");
        report.win_rate.0
    };
    let alone = rate(1);
    for count in [2, 4, 8] {
        let together = rate(count);
        assert!((together - alone).abs() < 0.05, "{count} threads: {together}, one: {alone}");
    }
}

#[test]
fn visits_add_up() {
    for (params, is_grouped) in searchers().into_iter().zip([true, true, false, false]) {
        let mut search = Search::new(Position::standard(), params.clone(), Resources::default());
        let report = run_iterations(&mut search, 6000);
        let movements: HashSet<Movement> = report.lines.iter().map(|line| line.mv.movement()).collect();
        let in_lines: u32 = report.lines.iter().map(|line| line.visits).sum();
        // The arrow of a movement's first visit is not kept in the tree.
        let own = if is_grouped { movements.len() as u32 } else { 0 };
        assert_eq!(in_lines + own, report.visits);
        assert_eq!(report.visits, 6000);
        assert!(report.lines.iter().all(|line| (0.0..=1.0).contains(&line.win_rate.0)));
        let mut sorted = report.lines.clone();
        sorted.sort_by_key(|line| std::cmp::Reverse(line.visits));
        assert_eq!(report.lines, sorted, "lines must be sorted by visits");
    }
}

#[test]
fn lines_continue_with_legal_moves() {
    let mut continued = Vec::new();
    for params in searchers() {
        let mut search = Search::new(Position::standard(), params.clone(), Resources::default());
        let report = run_iterations(&mut search, 6000);
        let best = &report.lines[0];
        assert_eq!([&[best.mv], &best.continuation[..]].concat(), report.principal_variation);
        assert!(report.lines.iter().skip(CONTINUED).all(|line| line.continuation.is_empty()));
        for line in &report.lines {
            let mut position = search.position().with_move(line.mv);
            for &mv in &line.continuation {
                position = position.try_play(mv).unwrap_or_else(|error| panic!("{line:?}: {error}"));
            }
        }
        continued.push(report.lines.iter().filter(|line| !line.continuation.is_empty()).count());
    }
    // If every root move is tried first, no visits are left for replies.
    assert!(continued.iter().any(|&lines| lines > 2), "{continued:?} lines go on");
}

#[test]
fn by_choice_orders_lines_like_the_final_move() {
    let report = found(&Position::standard(), &Params::TOURNAMENT, Resources::default(), 1);
    let line = |visits, bound: f32, proven| Line {
        visits,
        lower_bound: (bound > 0.0).then_some(WinRate(bound)),
        proven,
        ..report.lines[0].clone()
    };
    let lines = [
        line(60, 0.5, None),
        line(7, 0.0, Some(Side::Black)),
        line(100, 0.4, None),
        line(50, 0.45, None),
        line(9, 0.0, None),
        line(8, 0.0, None),
        line(30, 0.0, Some(Side::White)),
    ];
    for (lines, expected) in
        [(&lines[..], &[60, 7, 50, 100, 9, 8, 30][..]), (&lines[4..], &[9, 8, 30]), (&[], &[])]
    {
        let report = Report { lines: lines.to_vec(), ..report.clone() };
        let visits: Vec<u32> = report.by_choice().iter().map(|line| line.visits).collect();
        assert_eq!(visits, expected);
    }
}

#[test]
fn advancing_keeps_the_subtree_statistics() {
    // The tournament search chooses its move by other rules than the moves after it.
    for params in searchers().into_iter().take(4) {
        let mut search = Search::new(Position::start(size(6)), params, Resources::default());
        for _ in 0..8 {
            let before = run_iterations(&mut search, 4000);
            let best = before.best.unwrap();
            let line = before.lines.iter().find(|line| line.mv == best).unwrap();
            let position = search.position().with_move(best);
            search.advance(best);
            assert_eq!(search.position(), &position);
            let after = run_iterations(&mut search, 0);
            assert_eq!((after.visits, after.proven), (line.visits, line.proven));
            assert!((after.win_rate.0 + line.win_rate.0 - 1.0).abs() < 1e-6, "{after:?} {line:?}");
            if let expected @ [_, ..] = &before.principal_variation[1..] {
                assert_eq!(after.principal_variation, expected);
            }
            let more = run_iterations(&mut search, 100);
            assert_eq!(u64::from(more.visits), u64::from(line.visits) + more.iterations);
        }
    }
}

#[test]
fn advancing_by_an_unvisited_move_resets_the_tree() {
    let mut search = Search::new(Position::standard(), PaperParams::MG, Resources::default());
    let report = run_iterations(&mut search, 500);
    let unseen = |mv: &Move| report.lines.iter().all(|line| line.mv != *mv);
    let mv = search.position().legal_moves().find(unseen).unwrap();
    search.advance(mv);
    let after = run_iterations(&mut search, 0);
    assert_eq!((after.visits, after.nodes, after.lines.len()), (0, 1, 0));
    assert_eq!(run_iterations(&mut search, 500).visits, 500);
}

#[test]
fn setting_the_same_position_keeps_the_tree() {
    let mut search = Search::new(Position::standard(), PaperParams::MG, Resources::default());
    run_iterations(&mut search, 500);
    search.set_position(Position::standard());
    assert_eq!(run_iterations(&mut search, 0).visits, 500);
    search.set_position(Position::start(size(8)));
    assert_eq!(run_iterations(&mut search, 0).visits, 0);
}

#[test]
fn a_full_tree_is_pruned_and_grows_again() {
    const MEMORY: usize = 1 << 20;
    for (params, threads) in [(Params::TOURNAMENT, 1), (Params::TOURNAMENT, 2)] {
        let resources = Resources { threads, memory: MEMORY, ..Resources::default() };
        let mut search = Search::new(Position::standard(), params, resources);
        let report = run_iterations(&mut search, 30_000);
        assert_eq!((report.iterations, report.visits), (30_000, 30_000));
        assert!(report.recycled > 1, "{} times", report.recycled);
        assert!(report.memory_used <= 1.0, "{} used", report.memory_used);
        search.advance(report.best.unwrap());
        let grown = run_iterations(&mut search, 30_000);
        assert_eq!(search.position().check(grown.best.unwrap()), Ok(()));
        assert!(grown.recycled > 0 && grown.depth > 1, "{} times, depth {}", grown.recycled, grown.depth);
    }
}

/// Checks that free memory moves to the slot sizes that need it: a search that goes deeper needs larger slots.
#[test]
fn a_full_tree_leaves_little_memory_free() {
    let resources = Resources { memory: 4 << 20, ..Resources::default() };
    let mut search = Search::new(Position::standard(), Params::TOURNAMENT, resources);
    for _ in 0..2 {
        let report = run_iterations(&mut search, 100_000);
        assert!(report.recycled > 1 && report.memory_used > 0.85, "{report:?}");
    }
}

/// Checks that recycling frees slots even in the smallest trees, which have too few pages for all slot sizes.
#[test]
fn the_smallest_trees_never_stop_growing() {
    for (edge, threads) in [(9, 1), (10, 1), (10, 2)] {
        let resources = Resources { threads, memory: 1 << 20, ..Resources::default() };
        let mut search = Search::new(Position::start(size(edge)), Params::TOURNAMENT, resources);
        for ply in 0..10 {
            let report = run_iterations(&mut search, 20_000);
            assert!(
                report.recycled > 15 && (0.85..=1.0).contains(&report.memory_used),
                "ply {ply}: {report:?}"
            );
            search.advance(report.best.unwrap());
        }
    }
}

#[test]
fn many_short_runs_use_no_extra_memory() {
    let params = TournamentParams { burst: 1, ..TournamentParams::DEFAULT };
    let [mut short, mut long] =
        [(); 2].map(|()| Search::new(Position::standard(), params.clone(), Resources::default()));
    let long = run_iterations(&mut long, 300);
    let short = (0..300).map(|_| run_iterations(&mut short, 1)).last().unwrap();
    assert_eq!((short.nodes, short.memory_used), (long.nodes, long.memory_used));
}

#[test]
#[ignore = "slow"]
fn many_short_runs_match_one_long_run() {
    const ITERATIONS: u64 = 4_000_000;
    /// Iterations of a short run: as many as a slow machine runs in 0.1 s.
    const SLICE: u64 = 20_000;
    let resources = Resources { memory: 64 << 20, ..Resources::default() };
    let search = || Search::new(Position::standard(), Params::TOURNAMENT, resources);
    let in_slices = || {
        // The depth and the recycling count of a report cover only its own run. Runs limited by time would differ
        // from machine to machine, and with them the depth: 24 to 31 with various seeds.
        let (mut short, mut depth, mut recycled) = (search(), 0, 0);
        for _ in 0..ITERATIONS / SLICE {
            let slice = run_iterations(&mut short, SLICE);
            (depth, recycled) = (depth.max(slice.depth), recycled + slice.recycled);
        }
        (run_iterations(&mut short, 0), depth, recycled)
    };
    let (long, (learned, depth, recycled)) = std::thread::scope(|scope| {
        let long = scope.spawn(|| run_iterations(&mut search(), ITERATIONS));
        let short = in_slices();
        (long.join().unwrap(), short)
    });
    assert_eq!(learned.visits, long.visits);
    assert!(recycled > 10, "recycled {recycled} times");
    assert!(depth + 3 >= long.depth, "depth {depth}, in one run {}", long.depth);
    let [rate, in_one_run] = [learned, long].map(|report| report.best_rate().0);
    assert!((rate - in_one_run).abs() < 0.01, "{rate}, in one run {in_one_run}");
}

#[test]
fn full_trees_are_pruned_unless_the_deadline_is_near() {
    let resources = Resources { memory: 1 << 20, ..Resources::default() };
    let mut search = Search::new(Position::standard(), Params::TOURNAMENT, resources);
    let mut nodes = 0;
    loop {
        // A deadline that has passed still allows a hundred iterations.
        let report = run(&mut search, Limits::time(Duration::ZERO));
        assert_eq!((report.iterations, report.recycled), (100, 0));
        if report.nodes == std::mem::replace(&mut nodes, report.nodes) {
            break;
        }
    }
    let mut recycles = || run(&mut search, Limits::time(Duration::from_millis(100))).recycled > 0;
    assert!((0..10).any(|_| recycles()), "never in 0.1 s");
}

#[test]
fn a_search_without_memory_still_moves() {
    for params in searchers() {
        let resources = Resources { memory: 0, ..Resources::default() };
        let report = found(&Position::standard(), &params, resources, 3000);
        assert_eq!(Position::standard().check(report.best.unwrap()), Ok(()));
        // The children of the root alone can fill the memory; pruning then frees nothing and stops.
        assert!(report.recycled < 100, "recycled {} times", report.recycled);
    }
}

#[test]
fn a_deadline_ends_the_search() {
    for (_, params) in Params::NAMED.iter().cloned() {
        let mut search = Search::new(Position::standard(), params, threads(2));
        let started = Instant::now();
        let report = run(&mut search, Limits::time(Duration::from_millis(50)));
        let taken = started.elapsed();
        assert!(taken >= Duration::from_millis(50), "only {taken:?}");
        assert!(taken < HANGING, "{taken:?}");
        assert!(report.iterations > 0 && report.best.is_some());
    }
}

/// Regression test: a deadline that had passed before the search began left only one iteration.
#[test]
fn a_deadline_allows_a_hundred_iterations() {
    let passed = Some(Instant::now());
    for (name, params) in Params::NAMED {
        for (threads, iterations) in [(1, None), (2, None), (1, Some(1_000_000)), (1, Some(7))] {
            let resources = Resources { threads, memory: 1 << 20, ..Resources::default() };
            let mut search = Search::new(Position::standard(), params.clone(), resources);
            let wanted = iterations.unwrap_or(u64::MAX).min(100);
            for _ in 0..3 {
                let report = run(&mut search, Limits { iterations, deadline: passed });
                assert_eq!(report.iterations, wanted, "{name}, {threads} threads");
            }
            run_iterations(&mut search, 5000);
            let report = run(&mut search, Limits { iterations, deadline: passed });
            assert_eq!((report.iterations, report.recycled), (wanted, 0), "{name}, {threads} threads");
        }
    }
}

#[test]
fn the_stop_flag_ends_an_unlimited_search() {
    for params in [PaperParams::MG.into(), Params::TOURNAMENT] {
        let mut search = Search::new(Position::standard(), params, threads(2));
        let stop = AtomicBool::new(false);
        let report = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(30));
                stop.store(true, Ordering::Relaxed);
            });
            search.run(&Limits::default(), &stop, &mut |_| ())
        });
        assert!(report.iterations > 0 && report.elapsed < HANGING, "{:?}", report.elapsed);
        assert_eq!(Position::standard().check(report.best.unwrap()), Ok(()));
    }
}

#[test]
fn a_stopped_search_still_returns_a_move() {
    for (_, params) in Params::NAMED {
        for position in various_positions() {
            let mut search = Search::new(position, params.clone(), Resources::default());
            let stopped = search.run(&Limits::default(), &AtomicBool::new(true), &mut |_| ());
            assert!(stopped.iterations == 100 || stopped.proven.is_some(), "{}", stopped.iterations);
            let without_iterations = run_iterations(&mut search, 0);
            let too_late = run(&mut search, Limits { deadline: Some(Instant::now()), iterations: None });
            for report in [stopped, without_iterations, too_late] {
                assert_eq!(position.check(report.best.unwrap()), Ok(()), "{position}");
                assert_eq!(report.principal_variation[0], report.best.unwrap());
            }
        }
    }
}

#[test]
fn a_finished_game_has_no_move() {
    let black_is_blocked = Position::from_picture("...W .... XX.. BX..", Side::Black).unwrap();
    let white_moved_last = black_is_blocked.with_side(Side::White).with_rules(Rules::SelfBlocking);
    for position in [black_is_blocked, white_moved_last] {
        for (_, params) in Params::NAMED {
            let report = found(&position, params, threads(2), 100);
            assert_eq!((report.best, report.proven), (None, Some(Side::White)));
            assert_eq!((report.iterations, report.principal_variation.len()), (0, 0));
            let for_mover = if position.side() == Side::White { WinRate::WIN } else { WinRate::LOSS };
            assert_eq!(report.win_rate, for_mover);
        }
    }
}

#[test]
fn parameters_after_a_preset_override_it() {
    let changed = PaperParams { rollouts: Rollouts::Two(2, 3), ..PaperParams::PAPER };
    assert_eq!("paper, Rollouts=2+3".parse(), Ok(Params::from(changed)));
    for (name, params) in Params::NAMED.iter().cloned() {
        assert_eq!(name.parse(), Ok(params));
    }
    let problem = "tournament,burst=0".parse::<Params>().unwrap_err();
    assert_eq!(problem, "burst=0: expected a whole number from 1 to 1000");
}

/// Finds parameters that are parsed but not used: tuning them would be wasted.
#[test]
fn every_parameter_changes_the_search() {
    let changes = [
        "tournament,c=3",
        "tournament,arrow-c=3",
        "tournament,growth=9",
        "tournament,history=0",
        "tournament,temperature=4",
        "tournament,arrow-temperature=4",
        "tournament,variance-prior=1000000",
        "tournament,burst=1",
        "paper,c=3",
        "paper,rollouts=3+4",
        "uct,rollouts=0",
    ];
    let (position, late) = (Position::standard(), Position::from_fen(otrera::bench::POSITIONS[6]).unwrap());
    let outcomes = |text: &str| {
        let params: Params = text.parse().unwrap();
        [position, late].map(|position| outcome(found(&position, &params, Resources::default(), 3000)))
    };
    let usual = ["tournament", "paper", "uct"].map(|preset| (preset, outcomes(preset)));
    for change in changes {
        let (_, usual) = usual.iter().find(|(preset, _)| change.starts_with(preset)).unwrap();
        assert!(outcomes(change) != *usual, "{change} changes nothing");
    }
}

#[test]
fn every_preset_plays_legal_games_to_the_end() {
    for (name, params) in Params::NAMED.iter().cloned() {
        for edge in [4, 6, 8, 10] {
            for rules in [Rules::Standard, Rules::SelfBlocking] {
                let start = Position::start(size(edge)).with_rules(rules);
                let mut search = Search::new(start, params.clone(), threads(2));
                while search.position().winner().is_none() {
                    let report = run_iterations(&mut search, 40);
                    assert_legal(search.position(), &report.principal_variation, name);
                    search.advance(report.best.unwrap());
                }
                let over = run_iterations(&mut search, 40);
                assert_eq!((over.best, over.proven), (None, search.position().winner()), "{name}");
            }
        }
    }
}

fn assert_legal(position: &Position, moves: &[Move], name: &str) {
    let mut position = *position;
    for &mv in moves {
        assert_eq!(position.winner(), None, "{name} continues after the end\n{position}");
        position = position.try_play(mv).unwrap_or_else(|why| panic!("{name} {mv}: {why}\n{position}"));
    }
}

/// Covers every preset with zero, one and many iterations per search.
#[test]
fn exclusions_hold_until_the_position_changes() {
    let position = Position::start(size(4));
    let all: Vec<Move> = position.legal_moves().collect();
    let (allowed, excluded) = (&all[all.len() - 2..], &all[..all.len() - 2]);
    for (name, params) in Params::NAMED {
        for iterations in [0, 1, 200] {
            let mut search = Search::new(position, params.clone(), Resources::default());
            let run =
                |search: &mut Search| run_iterations(search, iterations).best.expect("the game goes on");
            run(&mut search);
            search.exclude(excluded);
            let answer = run(&mut search);
            assert!(allowed.contains(&answer), "{name}, {iterations} iterations: {answer}");
            search.exclude(&all);
            assert!(all.contains(&run(&mut search)), "{name}: with every move excluded, any move is allowed");
            search.exclude(excluded);
            search.advance(answer);
            search.set_position(position);
            assert_eq!(search.excluded(), [], "{name}");
        }
    }
}

/// Black, who only needs to fill its own squares, must find another filling move.
#[test]
fn an_excluded_filling_move_has_a_winning_replacement() {
    let position = Position::from_fen("Q2*/4/****/q2* w - - 0 1").unwrap();
    let mut search = Search::new(position, Params::TOURNAMENT, Resources::default());
    let mut seen = Vec::new();
    for _ in 0..3 {
        search.exclude(&seen);
        let report = run_iterations(&mut search, 1000);
        let best = report.best.expect("the game goes on");
        assert!(!seen.contains(&best), "{best}");
        assert_eq!(report.proven, Some(Side::Black), "{best} after {seen:?}");
        seen.push(best);
    }
}
