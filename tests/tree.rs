//! Tree storage: nodes keep their contents while the tree grows, when the root changes, and when many threads work.

use fastrand::Rng;
use otrera::board::bitboard::Bitboard;
use otrera::board::moves::Movement;
use otrera::search::tree::{ArenaChunk, Edge, NodeId, Tree};
use otrera::{Side, Size};
use std::collections::{HashMap, HashSet};
use std::sync::Barrier;

/// Runs a task on four threads, given the thread's index, and returns the results in thread order.
fn on_four_threads<T: Send>(task: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let task = &task;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|number| scope.spawn(move || task(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Returns distinct edges: a movement for each pair of squares.
pub fn distinct_edges() -> impl Iterator<Item = Edge> {
    let squares = || Bitboard::playable(Size::STANDARD).into_iter();
    squares().flat_map(move |from| {
        squares().filter(move |to| *to != from).map(move |to| Edge::movement(Movement { from, to }))
    })
}

/// Creates `count` distinct edges with random priors.
fn edges(count: usize, rng: &mut Rng) -> Vec<Edge> {
    distinct_edges().take(count).map(|edge| edge.with_log_prior(-rng.f32() * 8.0)).collect()
}

/// Expands a node, tries some of its children and gives them random statistics. Returns the tried children, or none if
/// the node is already expanded or the tree is full.
fn grow(tree: &Tree, id: NodeId, rng: &mut Rng) -> Vec<NodeId> {
    let edges = edges(1 + rng.usize(..200), rng);
    let mut chunk = ArenaChunk::default();
    if !tree.begin_expansion(id) {
        return Vec::new();
    }
    let Some(first) = tree.expand(id, &edges, &mut chunk) else { return Vec::new() };
    let tries = rng.usize(..edges.len());
    let others = (0..tries).filter_map(|_| {
        let prior = tree.next_prior(id);
        let child = tree.claim_untried(id, &mut chunk, |_| &edges)?;
        assert_eq!(prior, Some(tree.node(child).prior()));
        Some(child)
    });
    let children: Vec<NodeId> = [first].into_iter().chain(others).collect();
    for &child in &children {
        let node = tree.node(child);
        assert_eq!((node.visits(), node.counts(), node.proof()), (1, (0, 0), None));
        node.add_visits(rng.u32(..5));
        node.add_reward(rng.u32(..1 << 20));
        if rng.u32(..20) == 0 {
            let mean = node.mean(1);
            node.prove(Side::BOTH[rng.usize(..2)]);
            assert_eq!(node.mean(1), mean, "a proof must not change the mean");
        }
    }
    tree.return_chunk(chunk);
    children
}

/// Dumps the subtree of a node as text; returns the number of nodes below it, including untried children.
fn dump(tree: &Tree, id: NodeId, text: &mut String) -> usize {
    let node = tree.node(id);
    let sums = (node.visits(), node.mean(1), node.proof(), node.counts());
    *text += &format!("{:?} {} {sums:?} {:?}\n", node.edge(), node.prior(), tree.next_prior(id));
    let below: usize = tree.tried(id).map(|(child, _)| dump(tree, child, text)).sum();
    node.counts().0 as usize + below
}

/// Counts the words in the families of all expanded nodes of a subtree. A family has a cache line of 8 words with two
/// nodes, then blocks of 5 nodes in 16 words, 10 in 32 and so on, up to 341 in 1024.
fn words_below(tree: &Tree, id: NodeId) -> u32 {
    if !tree.is_expanded(id) {
        return 0;
    }
    let (mut words, mut block, mut nodes) = (8, 8, 2);
    while nodes < tree.node(id).counts().1 {
        block = 1024.min(2 * block);
        words += block;
        nodes += (block - 1) / 3;
    }
    tree.tried(id).map(|(child, _)| words_below(tree, child)).sum::<u32>() + words
}

/// Prunes the tree until every page has been swept, with several threads if `threads` is above 1.
fn prune(tree: &mut Tree, threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    (0..20).for_each(|_| {
        tree.prune((threads > 1).then_some(&pool));
    });
}

/// Asserts that all memory in use is reachable from the root, and that all children are counted. `error` is the
/// tolerated share of memory lost to partly filled pages.
fn check_memory(tree: &Tree, memory: usize, error: f64) {
    assert_eq!(tree.len(), 1 + dump(tree, tree.root(), &mut String::new()));
    let (words, all) = (f64::from(words_below(tree, tree.root())), (memory / 8) as f64);
    assert!((tree.filled() * all - words).abs() <= error * words, "{} of {all}, {words}", tree.filled());
}

fn tree_of(rng: &mut Rng, memory: usize) -> Tree {
    let mut tree = Tree::with_memory(memory);
    if rng.bool() {
        tree = tree.for_one_worker();
    }
    let mut nodes = grow(&tree, tree.root(), rng);
    for _ in 0..100 {
        if nodes.is_empty() {
            break;
        }
        let id = nodes.swap_remove(rng.usize(..nodes.len()));
        nodes.extend(grow(&tree, id, rng));
    }
    tree
}

#[test]
fn keep_only_preserves_the_kept_subtree() {
    const MEMORY: usize = 16 << 20;
    let mut rng = Rng::with_seed(1);
    let mut kept = 0;
    for _ in 0..200 {
        let mut tree = tree_of(&mut rng, MEMORY);
        // Twice: the root can change again before anything is recycled.
        for _ in 0..2 {
            let children: Vec<NodeId> = tree.tried(tree.root()).map(|(child, _)| child).collect();
            let Some(&root) = children.get(rng.usize(..children.len().max(1))) else { break };
            let mut texts = [(); 3].map(|()| String::new());
            dump(&tree, root, &mut texts[0]);
            tree.keep_only(root);
            dump(&tree, tree.root(), &mut texts[1]);
            if rng.bool() {
                prune(&mut tree, rng.usize(1..=4));
                dump(&tree, tree.root(), &mut texts[2]);
                assert_eq!(texts[1], texts[2]);
                check_memory(&tree, MEMORY, 2e-3);
            }
            assert_eq!(texts[0], texts[1]);
            kept += texts[1].lines().count();
            grow(&tree, tree.root(), &mut rng);
        }
    }
    assert!(kept > 5000, "{kept}");
}

/// Collects visits, mean and proof of each tried node of a subtree, by the path to the node.
fn results(tree: &Tree, id: NodeId, path: &str, all: &mut HashMap<String, String>) {
    let node = tree.node(id);
    all.insert(
        path.into(),
        format!("{} {} {:?} {}", node.visits(), node.mean(1), node.proof(), node.prior()),
    );
    for (child, node) in tree.tried(id) {
        results(tree, child, &format!("{path} {:?}", node.edge()), all);
    }
}

/// Collects the visits of each expanded node of a subtree, by the path to the node.
fn expanded(tree: &Tree, id: NodeId, path: &str, all: &mut HashMap<String, u32>) {
    if tree.is_expanded(id) {
        all.insert(path.into(), tree.node(id).visits());
        for (child, node) in tree.tried(id) {
            expanded(tree, child, &format!("{path} {:?}", node.edge()), all);
        }
    }
}

#[test]
fn recycling_prunes_the_least_visited_nodes() {
    let mut rng = Rng::with_seed(3);
    let (mut pruned, mut proven) = (0, 0);
    for round in 0..20 {
        let mut tree = Tree::with_memory(0);
        let mut nodes = grow(&tree, tree.root(), &mut rng);
        while !tree.is_full() {
            let id = nodes.swap_remove(rng.usize(..nodes.len()));
            nodes.extend(grow(&tree, id, &mut rng));
        }
        // As in a search, a child has at most the visits of its parent.
        let mut to_visit = vec![tree.root()];
        tree.node(tree.root()).add_visits(1 << 12);
        while let Some(id) = to_visit.pop() {
            let most = tree.node(id).visits();
            tree.add_deviations(id, most, 0);
            for (child, node) in tree.tried(id) {
                node.take_visits(node.visits() - 1);
                node.add_visits(rng.u32(..most));
                to_visit.push(child);
            }
        }
        let (mut all, mut before) = (HashMap::new(), HashMap::new());
        expanded(&tree, tree.root(), "", &mut all);
        results(&tree, tree.root(), "", &mut before);
        assert!(tree.recycle(None) && !tree.is_full(), "round {round}");
        let mut some = HashMap::new();
        expanded(&tree, tree.root(), "", &mut some);
        assert!(tree.filled() > 0.9, "one call recycles a sixteenth: {}", tree.filled());
        prune(&mut tree, 1 + round % 4);
        check_memory(&tree, 1 << 20, 2e-2);
        let (mut most, mut after) = (HashMap::new(), HashMap::new());
        expanded(&tree, tree.root(), "", &mut most);
        results(&tree, tree.root(), "", &mut after);
        // A node whose children are pruned keeps its own results.
        after.iter().for_each(|(path, result)| assert_eq!(result, &before[path], "round {round}: {path}"));
        proven += after.values().filter(|result| result.contains("Some")).count();
        assert!(most.len() <= some.len() && some.len() < all.len());
        let lost = all.iter().filter(|(path, _)| !most.contains_key(*path)).map(|(_, &visits)| visits).max();
        let kept = most.values().filter(|&&visits| Some(visits) > lost).count();
        assert!(most.iter().all(|(path, visits)| all[path] == *visits));
        assert!(
            2 * kept > most.len(),
            "round {round}: {kept} of {} have more visits than any lost",
            most.len()
        );
        // With several workers, the fill after recycling depends on their timing.
        assert!((0.05..0.7).contains(&tree.filled()), "round {round}: {}", tree.filled());
        pruned += all.len() - most.len();
        grow(&tree, tree.root(), &mut rng);
    }
    assert!(pruned > 1000 && proven > 100, "{pruned} {proven}");
}

#[test]
fn children_are_tried_in_edge_order() {
    let tree = Tree::with_memory(1 << 20);
    let edges = edges(700, &mut Rng::with_seed(2));
    let mut chunk = ArenaChunk::default();
    assert!(tree.begin_expansion(tree.root()) && !tree.begin_expansion(tree.root()));
    let mut next = tree.expand(tree.root(), &edges, &mut chunk);
    for (tried, edge) in edges.iter().enumerate() {
        assert_eq!(tree.node(tree.root()).counts(), (700, tried as u32 + 1));
        let child = next.unwrap();
        assert_eq!(tree.node(child).edge().as_movement(), edge.as_movement());
        // `next` steps node by node, `fold` block by block.
        let (mut nodes, mut by_block) = (tree.tried(tree.root()), Vec::new());
        let by_one: Vec<NodeId> = std::iter::from_fn(|| Some(nodes.next()?.0)).collect();
        tree.tried(tree.root()).for_each(|(id, _)| by_block.push(id));
        assert!(by_one == by_block && by_one.len() == tried + 1 && by_one[tried] == child);
        next = tree.claim_untried(tree.root(), &mut chunk, |_| &edges);
    }
    assert_eq!((next, tree.next_prior(tree.root())), (None, None));
}

#[test]
fn a_new_list_changes_the_priors_of_the_tried_children() {
    let tree = Tree::with_memory(1 << 20);
    let list = |log_prior: f32| -> Vec<Edge> {
        distinct_edges().take(60).map(|edge| edge.with_log_prior(log_prior)).collect()
    };
    let mut log_prior = -1.0;
    let mut chunk = ArenaChunk::default();
    assert!(tree.begin_expansion(tree.root()));
    tree.expand(tree.root(), &list(log_prior), &mut chunk);
    for tried in 1..60 {
        // A new block begins after 2, 7, 17 and 38 children.
        let lists_again = [2, 7, 17, 38].contains(&tried);
        let edges = list(log_prior - 1.0);
        tree.claim_untried(tree.root(), &mut chunk, |_| {
            assert!(lists_again, "{tried}");
            &edges
        });
        log_prior -= f32::from(u8::from(lists_again));
        let expected = libm::expf(log_prior);
        for (_, child) in tree.tried(tree.root()) {
            assert!(
                (child.prior() / expected - 1.0).abs() < 0.02,
                "{tried}: {}, not {expected}",
                child.prior()
            );
        }
    }
    let squares = tree.tried(tree.root()).map(|(_, child)| child.edge().as_movement());
    assert!(squares.eq(distinct_edges().take(60).map(Edge::as_movement)));
}

#[test]
fn concurrent_threads_claim_each_child_once() {
    for round in 0..50 {
        let tree = Tree::with_memory(1 << 20);
        let edges = edges(300, &mut Rng::with_seed(round));
        assert!(tree.begin_expansion(tree.root()));
        let first = tree.expand(tree.root(), &edges, &mut ArenaChunk::default());
        let claim = |_| {
            let (mut mine, mut chunk) = (Vec::new(), ArenaChunk::default());
            while tree.node(tree.root()).counts().1 < 300 {
                mine.extend(tree.claim_untried(tree.root(), &mut chunk, |_| &edges));
                tree.tried(tree.root()).for_each(|(_, node)| {
                    // The words of an unpublished node are all zero.
                    assert!(node.edge().as_movement().is_some_and(|movement| movement.from != movement.to));
                });
            }
            mine
        };
        let mut claimed = on_four_threads(claim).concat();
        claimed.extend(first);
        assert_eq!(claimed.len(), 300);
        assert_eq!(claimed.iter().collect::<HashSet<_>>().len(), 300);
    }
}

#[test]
fn only_one_thread_expands_a_node() {
    for round in 0..30 {
        let tree = Tree::with_memory(1 << 20);
        let edges = edges(300, &mut Rng::with_seed(round));
        let mut chunk = ArenaChunk::default();
        assert!(tree.begin_expansion(tree.root()));
        let first = tree.expand(tree.root(), &edges, &mut chunk);
        let others = std::iter::from_fn(|| tree.claim_untried(tree.root(), &mut chunk, |_| &edges));
        let nodes: Vec<NodeId> = first.into_iter().chain(others).collect();
        let start = Barrier::new(4);
        // Families of one child, like the last arrow of a movement, and larger ones.
        let family = |place: usize| &edges[..1 + place % 3];
        let expand = |_| {
            let mut chunk = ArenaChunk::default();
            start.wait();
            let mut expanded = 0;
            for (place, &id) in nodes.iter().enumerate() {
                if tree.begin_expansion(id) {
                    expanded += u32::from(tree.expand(id, family(place), &mut chunk).is_some());
                }
            }
            expanded
        };
        assert_eq!(on_four_threads(expand).iter().sum::<u32>(), 300);
        for (place, &id) in nodes.iter().enumerate() {
            assert_eq!(tree.node(id).counts(), (family(place).len() as u32, 1));
        }
    }
}

#[test]
fn threads_never_allocate_the_same_word_twice() {
    for round in 0..50 {
        let tree = Tree::with_memory(0);
        let edges = edges(2000, &mut Rng::with_seed(round));
        assert!(tree.begin_expansion(tree.root()));
        assert!(tree.expand(tree.root(), &edges, &mut ArenaChunk::default()).is_some());
        let start = Barrier::new(4);
        // Expands children of the root into small and large families, and tries children until the memory is full.
        let fill = |thread| {
            let (mut rng, mut chunk) = (Rng::with_seed(round * 4 + thread), ArenaChunk::default());
            start.wait();
            let mut expanded = Vec::new();
            while let Some(id) = tree.claim_untried(tree.root(), &mut chunk, |_| &edges) {
                let family = &edges[..[1 + rng.usize(..8), 1 + rng.usize(..200)][rng.usize(..2)]];
                if tree.begin_expansion(id) && tree.expand(id, family, &mut chunk).is_some() {
                    let tried =
                        1 + std::iter::from_fn(|| tree.claim_untried(id, &mut chunk, |_| family)).count();
                    expanded.push((id, family.len(), tried));
                }
            }
            tree.return_chunk(chunk);
            expanded
        };
        let expanded = on_four_threads(fill).concat();
        assert!(tree.is_full());
        for (id, count, tried) in expanded {
            assert_eq!(tree.node(id).counts(), (count as u32, tried as u32));
            let found: Vec<Edge> = tree.tried(id).map(|(_, child)| child.edge()).collect();
            let wanted: Vec<Edge> = edges[..tried].iter().map(|edge| edge.with_log_prior(0.0)).collect();
            assert_eq!(found, wanted);
        }
    }
}
