//! Selection, compared with double-precision references on random families (the children of one node).

use crate::tree::distinct_edges;
use fastrand::Rng;
use otrera::board::bitboard::Bitboard;
use otrera::board::moves::Movement;
use otrera::search::backup::{Rewards, Step, add_rewards};
use otrera::search::expand::{Choice, EdgeLister, Expander};
use otrera::search::history::Gain;
use otrera::search::params::{Puct, TournamentParams};
use otrera::search::select::cache::SelectionCache;
use otrera::search::select::puct::ValueVariance;
use otrera::search::select::{Parent, Selected, best_child, final_child};
use otrera::search::state::State;
use otrera::search::tree::{ArenaChunk, Edge, NodeId, REWARD_UNIT, Tree, squared_deviation};
use otrera::simd::PortableLanes;
use otrera::{Position, Side, Size, WinRate};
use std::collections::HashSet;

/// Expands a node; returns an iterator over its children that claims each one ([`Tree::claim_untried`]).
fn children<'a>(
    tree: &'a Tree,
    id: NodeId,
    edges: &'a [Edge],
    chunk: &'a mut ArenaChunk,
) -> impl Iterator<Item = NodeId> + 'a {
    assert!(tree.begin_expansion(id));
    let first = tree.expand(id, edges, chunk);
    first.into_iter().chain(std::iter::from_fn(move || tree.claim_untried(id, chunk, |_| edges)))
}

/// Creates a root with children of random statistics. Returns the tree, and (id, visits, mean reward) per child.
fn random_family(rng: &mut Rng) -> (Tree, Vec<(NodeId, f64, f64)>) {
    let tree = Tree::with_memory(0);
    let edges: Vec<Edge> = distinct_edges().take(rng.usize(2..40)).collect();
    // Few visits; more visits; very many visits of children that almost never win.
    let (most_visits, best_mean) = [(3, 1000), (60, 1000), (2000, 60)][rng.usize(..3)];
    let with_statistics = |child| {
        let (visits, mean) = (rng.u32(1..=most_visits), rng.u32(0..=best_mean));
        tree.node(tree.root()).add_visits(visits);
        tree.node(child).add_visits(visits - 1);
        tree.node(child).add_reward(mean * visits * (REWARD_UNIT / 1000));
        let reward = f64::from(mean * (REWARD_UNIT / 1000)) / f64::from(REWARD_UNIT);
        (child, f64::from(visits), reward)
    };
    let children =
        children(&tree, tree.root(), &edges, &mut ArenaChunk::default()).map(with_statistics).collect();
    (tree, children)
}

/// Returns the root as a parent with Black to move.
fn root_of(tree: &Tree) -> Parent<'_> {
    Parent::new(tree, tree.root(), Side::Black)
}

/// Returns the child that selection chooses with an empty cache.
fn selected(parent: &Parent, puct: &Puct, variance: ValueVariance, edges: &[Edge]) -> NodeId {
    let (mut cache, mut chunk) = (SelectionCache::default(), ArenaChunk::default());
    best_child(parent, puct, variance, &mut cache, &mut chunk, |_| edges).unwrap().child
}

/// The choice between equal children must not depend on the addresses of a family's blocks, which the allocator
/// decides.
#[test]
fn equal_children_are_selected_in_family_order() {
    let tree = Tree::with_memory(1 << 24);
    let edges: Vec<Edge> = distinct_edges().take(300).collect();
    let mut chunk = ArenaChunk::default();
    let parents: Vec<NodeId> = children(&tree, tree.root(), &edges, &mut chunk).collect();
    // A family of one block, so that the first and the second blocks of the others begin new pages at different times.
    assert_eq!(children(&tree, parents[0], &edges[..2], &mut chunk).count(), 2);
    let mut out_of_order = 0;
    for &id in &parents[1..] {
        let children: Vec<NodeId> = children(&tree, id, &edges[..20], &mut chunk).collect();
        children.iter().for_each(|&child| tree.node(child).add_reward(REWARD_UNIT / 2));
        tree.node(id).add_visits(20);
        out_of_order += usize::from(!children.is_sorted());
        let selected =
            selected(&Parent::new(&tree, id, Side::Black), &Puct::DEFAULT, ValueVariance::START, &[]);
        assert_eq!(selected, children[0]);
    }
    assert!(out_of_order > 0, "every family has ascending ids");
}

/// Compares two trees grown in lockstep, one with a persistent cache and one with a new cache for each selection. The
/// priors differ from list to list, as those of the history do.
#[test]
fn the_selection_cache_changes_no_selection() {
    let mut rng = Rng::with_seed(4);
    let exploring = Puct { movement_c: 10.0, growth: 9.0, ..Puct::DEFAULT };
    let constants = [Puct { movement_c: 0.0, ..Puct::DEFAULT }, exploring, Puct::DEFAULT];
    // Many short searches: priors change only a few times in each.
    let searches = [constants; 20].into_iter().flatten();
    for (puct, alone) in searches.flat_map(|puct| [(puct, false), (puct, true)]) {
        let lists: [Vec<Edge>; 3] = std::array::from_fn(|_| {
            let edges = distinct_edges().zip(random_priors(600, &mut rng));
            edges.map(|(edge, prior)| edge.with_log_prior(prior.ln())).collect()
        });
        let mut trees = [(); 2].map(|()| Tree::with_memory(0));
        if alone {
            trees = trees.map(Tree::for_one_worker);
        }
        let mut chunks = [(); 2].map(|()| ArenaChunk::default());
        for (tree, chunk) in trees.iter().zip(&mut chunks) {
            children(tree, tree.root(), &lists[0], chunk).next();
        }
        let root = trees[0].root();
        let mut lasting = SelectionCache::default();
        let [first, second] = &mut chunks;
        for round in 0..2_000 {
            let variance = ValueVariance(0.01 + 0.002 * rng.f32());
            let select = |tree: &Tree, cache: &mut SelectionCache, chunk: &mut ArenaChunk| {
                tree.node(root).add_visits(1);
                best_child(&root_of(tree), &puct, variance, cache, chunk, |count| {
                    &lists[count.ilog2() as usize % 3]
                })
                .unwrap()
            };
            let selected = [
                select(&trees[0], &mut lasting, first),
                select(&trees[1], &mut SelectionCache::default(), second),
            ];
            let [one, other] = [0, 1].map(|tree: usize| trees[tree].node(selected[tree].child).edge());
            assert_eq!((one, selected[0].is_new), (other, selected[1].is_new), "round {round}");
            // Children of different values, with an occasional proven loss.
            let square = one.as_movement().map_or(0, |movement| movement.to.index() as u32);
            let reward = rng.u32(0..=REWARD_UNIT) / (1 + square % 5);
            for (tree, Selected { child, is_new }) in trees.iter().zip(selected) {
                let node = tree.node(child);
                node.add_visits(u32::from(!is_new));
                node.add_reward(reward);
                if round % 1000 == 999 {
                    node.prove(Side::White);
                }
            }
        }
    }
}

/// Generates random probabilities that sum to 1, in descending order.
fn random_priors(count: usize, rng: &mut Rng) -> Vec<f32> {
    let mut priors: Vec<f32> = (0..count).map(|_| (rng.f32() * 6.0).exp()).collect();
    let sum: f32 = priors.iter().sum();
    priors.iter_mut().for_each(|prior| *prior /= sum);
    priors.sort_by(|a, b| b.total_cmp(a));
    priors
}

/// Simulates other workers: several cached children gain visits between two selections.
#[test]
fn the_selection_cache_notices_visits_by_other_workers() {
    let mut rng = Rng::with_seed(14);
    let variance = ValueVariance::START;
    for _ in 0..200 {
        let (tree, mut children) = random_family(&mut rng);
        if children.len() < 20 {
            continue;
        }
        let (mut lasting, mut chunk) = (SelectionCache::default(), ArenaChunk::default());
        let mut select = || {
            best_child(&root_of(&tree), &Puct::DEFAULT, variance, &mut lasting, &mut chunk, |_| &[])
                .unwrap()
                .child
        };
        select();
        rng.shuffle(&mut children);
        for &(child, visits, _) in &children[..10] {
            let more = rng.u32(..=visits as u32);
            tree.node(child).add_visits(more);
            tree.node(tree.root()).add_visits(more);
        }
        assert_eq!(select(), selected(&root_of(&tree), &Puct::DEFAULT, variance, &[]));
    }
}

/// Covers the root, where White has just moved, and a node after Black's movement; with a burst of iterations in
/// flight.
#[test]
fn selection_follows_puct() {
    let mut rng = Rng::with_seed(6);
    let mut claimed = 0;
    for round in 0..2000 {
        let after_movement = round % 2 == 1;
        let puct =
            Puct { movement_c: rng.f32() * 2.0, arrow_c: rng.f32() * 2.0, growth: 0.0, ..Puct::DEFAULT };
        let c = if after_movement { puct.arrow_c } else { puct.movement_c };
        let variance = ValueVariance(rng.f32());
        let deviation = f64::from(variance.0).sqrt();
        let tree = Tree::with_memory(0);
        let movement = Position::standard().movements().map(Edge::movement).next().unwrap();
        let id = match after_movement {
            true => children(&tree, tree.root(), &[movement], &mut ArenaChunk::default()).next().unwrap(),
            false => tree.root(),
        };
        let priors = random_priors(rng.usize(2..40), &mut rng);
        let squares = Bitboard::playable(Size::STANDARD).into_iter().map(Edge::arrow).zip(&priors);
        let edges: Vec<Edge> = squares.map(|(edge, &prior)| edge.with_log_prior(prior.ln())).collect();
        let tried = rng.usize(1..=edges.len());
        let with_statistics = |child| {
            let visits = rng.u32(1..50);
            tree.node(id).add_visits(visits);
            tree.node(child).add_visits(visits - 1);
            tree.node(child).add_reward(rng.u32(0..=visits * REWARD_UNIT));
            (child, f64::from(visits))
        };
        let mut chunk = ArenaChunk::default();
        let children = children(&tree, id, &edges, &mut chunk).take(tried);
        let children: Vec<_> = children.map(with_statistics).collect();
        let all = tree.node(id).visits();
        // A burst in flight: some rewards are not backed up yet, and some counted visits have not run yet.
        let rewards = rng.u32(0..=all * (REWARD_UNIT / 2));
        let (pending_rewards, pending) = (rng.u32(0..=rewards), rng.u32(1..100));
        tree.node(id).add_reward(rewards - pending_rewards);
        tree.node(id).add_visits(pending);
        let mean = f64::from(rewards) / f64::from(REWARD_UNIT) / f64::from(all);
        let mean = if after_movement { mean } else { 1.0 - mean };
        let all = f64::from(all);
        let exploration = f64::from(c) * deviation * all.sqrt();
        let score = |&(child, visits): &(NodeId, f64)| {
            let node = tree.node(child);
            f64::from(node.mean(visits as u32)) + exploration * f64::from(node.prior()) / (1.0 + visits)
        };
        let lost = children.get(1).map(|&(child, _)| child);
        lost.iter().for_each(|&child| tree.node(child).prove(Side::White));
        let open = children.iter().filter(|(child, _)| Some(*child) != lost);
        let highest = open.map(score).fold(0.0, f64::max);
        let untried = tree.next_prior(id).map(|prior| mean + exploration * f64::from(prior));
        let parent = Parent::in_burst(&tree, id, Side::Black, pending, pending_rewards);
        let selected = selected(&parent, &puct, variance, &edges);
        assert_ne!(Some(selected), lost);
        let ours = match children.iter().find(|child| child.0 == selected) {
            Some(tried) => score(tried),
            None => {
                claimed += 1;
                untried.expect("a child that was not tried")
            }
        };
        let best = untried.unwrap_or(0.0).max(highest);
        assert!(ours > best - 1e-5, "a child of score {ours}, but there is one of {best}");
    }
    assert!((200..1800).contains(&claimed), "{claimed} of 2000 went to a child that was not tried");
}

#[test]
fn the_variance_matches_the_values_below_a_node() {
    let mut rng = Rng::with_seed(7);
    for count in [0, 1, 5, 1000, 100_000] {
        let tree = Tree::with_memory(0);
        let root = tree.root();
        let edges: Vec<Edge> = Position::standard().movements().map(Edge::movement).collect();
        children(&tree, tree.root(), &edges, &mut ArenaChunk::default()).next();
        let width = [10, 1000, REWARD_UNIT][rng.usize(..3)];
        let lowest = rng.u32(0..=REWARD_UNIT - width);
        let mut rewards = Vec::new();
        for _ in 0..count {
            let reward = rng.u32(lowest..=lowest + width);
            tree.node(root).add_visits(1);
            tree.node(root).add_reward(reward);
            tree.add_deviations(root, 1, squared_deviation(reward));
            rewards.push(f64::from(reward) / f64::from(REWARD_UNIT));
        }
        // Counts the visit of the descent that is selecting.
        tree.node(root).add_visits(1);
        let mean = rewards.iter().sum::<f64>() / f64::from(count.max(1));
        let squares: f64 = rewards.iter().map(|reward| (reward - mean) * (reward - mean)).sum();
        let (of_parent, weight) = (0.02, 8.0);
        let expected = (squares + weight * of_parent) / (f64::from(count) + weight);
        let puct = Puct { variance_prior: weight as f32, ..Puct::DEFAULT };
        let found =
            f64::from(ValueVariance(of_parent as f32).at(&Parent::new(&tree, root, Side::Black), &puct).0);
        assert!((found - expected).abs() < 1e-5 + expected * 1e-3, "{found} for {expected} of {count}");
    }
}

/// Creates an expanded root with one expanded child per count. Each child gets that number of random rewards around its
/// own mean, backed up as in the search.
fn rewarded_children(counts: &[u32], rng: &mut Rng) -> (Tree, Vec<(NodeId, Vec<f64>)>) {
    let tree = Tree::with_memory(0);
    let edges: Vec<Edge> = Position::standard().movements().map(Edge::movement).collect();
    let edges = &edges[..counts.len()];
    let claimed: Vec<NodeId> = children(&tree, tree.root(), edges, &mut ArenaChunk::default()).collect();
    let mut children = Vec::new();
    for (child, &count) in claimed.into_iter().zip(counts) {
        assert!(
            tree.begin_expansion(child) && tree.expand(child, edges, &mut ArenaChunk::default()).is_some()
        );
        tree.node(tree.root()).add_visits(count);
        tree.node(child).add_visits(count - 1);
        let (least, width) = (0.3 + 0.1 * rng.f32(), 0.4 * rng.f32());
        let path = [(tree.root(), Side::White), (child, Side::Black)];
        let path = path.map(|(node, mover)| Step { node, mover });
        let mut rewards = Vec::new();
        while rewards.len() < count as usize {
            // The iterations of a burst are backed up together.
            let mut burst = Rewards::default();
            for _ in 0..rng.usize(1..=9).min(count as usize - rewards.len()) {
                let for_black = WinRate(least + width * rng.f32());
                burst.add(Rewards::of(for_black));
                rewards.push(f64::from(for_black.0));
            }
            add_rewards(&tree, &path, burst);
        }
        children.push((child, rewards));
    }
    (tree, children)
}

/// Returns the sum of the rewards, and the sum of their squared distances from 1/2.
fn sums(rewards: &[f64]) -> (f64, f64) {
    (rewards.iter().sum(), rewards.iter().map(|reward| (reward - 0.5) * (reward - 0.5)).sum())
}

#[test]
fn backup_adds_rewards_and_deviations_along_the_path() {
    let mut rng = Rng::with_seed(10);
    let (tree, children) = rewarded_children(&[1, 7, 100, 1000], &mut rng);
    let all: Vec<f64> = children.iter().flat_map(|(_, rewards)| rewards.clone()).collect();
    // White moved into the root: its rewards are 1 - r for Black's r.
    let root = (tree.root(), all.len() as f64 - sums(&all).0, sums(&all).1, all.len());
    let others =
        children.iter().map(|(child, rewards)| (*child, sums(rewards).0, sums(rewards).1, rewards.len()));
    for (id, sum, squares, count) in others.chain([root]) {
        let (noted, noted_squares) = tree.deviations(id);
        assert_eq!(noted as usize, count);
        assert!(
            (f64::from(noted_squares) - squares).abs() < 1e-3 * (1.0 + squares),
            "{noted_squares} for {squares}"
        );
        let mean = f64::from(tree.node(id).mean(count as u32));
        assert!((mean - sum / count as f64).abs() < 1e-4, "{mean} for {}", sum / count as f64);
    }
}

#[test]
fn deviations_stop_counting_at_two_million() {
    const MANY: u32 = 1 << 20;
    let tree = Tree::with_memory(0);
    let edges: Vec<Edge> = Position::standard().movements().map(Edge::movement).collect();
    children(&tree, tree.root(), &edges, &mut ArenaChunk::default()).next();
    for _ in 0..10 {
        tree.add_deviations(tree.root(), MANY, u64::from(MANY) * squared_deviation(0));
    }
    assert_eq!(tree.deviations(tree.root()), (2 * MANY, 2.0 * MANY as f32 / 4.0));
}

/// Compares the LCB with a reference in double precision: the mean minus `lcb_z` standard errors. The variance includes
/// one pseudo-reward with a squared deviation of 0.01.
#[test]
fn the_final_child_has_the_highest_lcb() {
    let mut rng = Rng::with_seed(11);
    let (mut not_most_visited, mut not_highest_mean) = (0, 0);
    for _ in 0..500 {
        let counts: Vec<u32> = (0..8).map(|_| rng.u32(1..400)).collect();
        let (tree, children) = rewarded_children(&counts, &mut rng);
        let lcb_z = rng.f32() * 8.0;
        let bound = |rewards: &[f64]| {
            let count = rewards.len() as f64;
            let mean = sums(rewards).0 / count;
            let known: f64 = rewards.iter().map(|reward| (reward - mean) * (reward - mean)).sum();
            mean - f64::from(lcb_z) * ((known + 0.01) / (count + 1.0) / count).sqrt()
        };
        let most = children.iter().map(|(_, rewards)| rewards.len()).max().unwrap();
        let candidates = children.iter().filter(|(_, rewards)| 5 * rewards.len() >= most);
        let highest = candidates.map(|(_, rewards)| bound(rewards)).fold(f64::NEG_INFINITY, f64::max);
        let rewards_of = |id| &children.iter().find(|(child, _)| *child == id).unwrap().1;
        let chosen = rewards_of(final_child(&tree, tree.root(), Side::Black, lcb_z).unwrap());
        assert!(5 * chosen.len() >= most, "{} visits of {most}", chosen.len());
        assert!(
            bound(chosen) > highest - 1e-3,
            "a bound of {}, but there is one of {highest}",
            bound(chosen)
        );
        let without = rewards_of(final_child(&tree, tree.root(), Side::Black, 0.0).unwrap());
        assert_eq!(without.len(), most, "without a bound the most visited child is final");
        not_most_visited += u32::from(chosen.len() < most);
        let mean = |rewards: &[f64]| sums(rewards).0 / rewards.len() as f64;
        not_highest_mean +=
            u32::from(children.iter().any(|(_, rewards)| mean(rewards) > mean(chosen) + 1e-3));
    }
    assert!(not_most_visited > 100 && not_highest_mean > 100, "{not_most_visited}, {not_highest_mean}");
}

#[test]
fn the_final_child_respects_proofs() {
    for lcb_z in [0.0, 5.5] {
        let (tree, children) = rewarded_children(&[5, 300, 100, 50], &mut Rng::with_seed(12));
        let chosen = || final_child(&tree, tree.root(), Side::Black, lcb_z).unwrap();
        let [few, most, many, fewer] = [0, 1, 2, 3].map(|child: usize| children[child].0);
        tree.node(most).prove(Side::White);
        assert!(chosen() != most && chosen() != few);
        [many, fewer].iter().for_each(|&child| tree.node(child).prove(Side::White));
        assert_eq!(chosen(), few);
        tree.node(few).prove(Side::Black);
        assert_eq!(chosen(), few);
        let (tree, children) = rewarded_children(&[5, 300], &mut Rng::with_seed(13));
        children.iter().for_each(|(child, _)| tree.node(*child).prove(Side::White));
        assert_eq!(final_child(&tree, tree.root(), Side::Black, lcb_z), Some(children[1].0));
    }
}

#[test]
fn tried_edges_stay_first_when_the_history_changes() {
    let choice = Choice { state: &State::ToMove(Position::standard()), before: None, excluded: &[] };
    let puct = Puct { history: 100.0, ..Puct::DEFAULT };
    let params = TournamentParams { puct, ..TournamentParams::DEFAULT };
    let mut lister = Expander::default().lister;
    let list = |lister: &mut EdgeLister, tried: &[Edge], count| {
        let edges = lister.list::<PortableLanes>(&choice, &params, tried.iter().copied(), count);
        edges.iter().take(count).map(|edge| edge.as_movement().unwrap()).collect::<Vec<_>>()
    };
    let edge = |movement: &Movement| Edge::movement(*movement);
    let before = list(&mut lister, &[], usize::MAX);
    let worst = before[before.len() - 1];
    lister.history.add_movement(Side::Black, None, worst, Gain { count: 1000, advantage: 500.0 });
    assert_eq!(list(&mut lister, &[], usize::MAX)[0], worst);
    let tried: Vec<Edge> = before[..3].iter().map(edge).collect();
    let after = list(&mut lister, &tried, usize::MAX);
    assert_eq!((&after[..3], after[3]), (&before[..3], worst));
    assert_eq!(after.iter().collect::<HashSet<_>>(), before.iter().collect());
    assert_eq!(list(&mut lister, &tried, 8), after[..8]);
}

/// Returns the priors of a state's movements or arrows, in edge order.
fn priors_of(state: &State, puct: Puct) -> Vec<f64> {
    let params = TournamentParams { puct, ..TournamentParams::DEFAULT };
    let (tree, mut expander) = (Tree::with_memory(0), Expander::default());
    let choice = Choice { state, before: None, excluded: &[] };
    let edges =
        expander.lister.list::<PortableLanes>(&choice, &params, std::iter::empty(), usize::MAX).to_vec();
    children(&tree, tree.root(), &edges, &mut expander.chunk)
        .map(|child| f64::from(tree.node(child).prior()))
        .collect()
}

/// Priors are the softmax of `logit / temperature`, so log(ratio of two priors) * temperature does not depend on the
/// temperature.
#[test]
fn movements_and_arrows_have_separate_temperatures() {
    let start = Position::standard();
    let arrow_phase = start.with_movement(start.movements().next().unwrap());
    let states = [State::ToMove(start), State::ToShoot(arrow_phase)];
    for (movement_temperature, arrow_temperature) in [(1.0, 3.0), (3.0, 1.0), (2.0, 2.0)] {
        let puct = Puct { movement_temperature, arrow_temperature, ..Puct::DEFAULT };
        let unit = Puct { movement_temperature: 1.0, arrow_temperature: 1.0, ..puct };
        for (state, temperature) in states.iter().zip([movement_temperature, arrow_temperature]) {
            let [ours, plain] = [puct, unit].map(|puct| priors_of(state, puct));
            let ratio = |priors: &[f64], place: usize| (priors[0] / priors[place]).ln();
            for place in 1..ours.len().min(20) {
                // Near the minimum stored prior, 1/27,000, the ratio is no longer exact.
                if plain[place] < 1e-4 {
                    continue;
                }
                let (found, expected) = (ratio(&ours, place) * f64::from(temperature), ratio(&plain, place));
                // Priors are stored in steps of 2 %, so nearly equal ones can change places.
                assert!(
                    (found - expected).abs() < 0.05 * f64::from(temperature) + 0.05,
                    "{found} for {expected}"
                );
            }
            assert!(ratio(&plain, plain.len() - 1) > 1.0, "priors must differ");
        }
    }
}
