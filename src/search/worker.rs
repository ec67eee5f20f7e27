//! One thread's share of the search: select, expand, simulate, back up, again and again.

use super::Shared;
use super::backup::{self, Rewards, Step};
use super::expand::{Expander, State};
use super::params::Formula;
use super::rollout::Scratch;
use super::select::cache::SelectionCache;
use super::select::puct::ValueVariance;
use super::select::{self, Parent};
use super::tree::NodeId;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::endgame::Counter;
use crate::eval::lanes::{Lanes, Work};
use crate::eval::winrate::WinRate;
use fastrand::Rng;

/// A node of the path that iterations can begin at.
#[derive(Clone, Copy)]
struct Anchor {
    /// Its place in the path.
    place: usize,
    state: State,
    /// The spread of the node before it.
    spread: ValueVariance,
}

impl Anchor {
    /// Visits that it needs for each iteration of a burst.
    const VISITS: u32 = 32;
}

/// A worker with its random numbers and its scratch space, kept from one search to the next.
pub(crate) struct Worker {
    rng: Rng,
    path: Vec<Step>,
    /// Nodes of the longest path of this run.
    depth: usize,
    expander: Expander,
    scratch: Scratch,
    cache: SelectionCache,
    counter: Counter,
}

impl Worker {
    /// Iterations between two looks at the clock: well under a millisecond.
    const CLOCK_INTERVAL: u32 = 16;

    pub fn new(seed: u64, index: u64) -> Self {
        Self {
            rng: Rng::with_seed(seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            path: Vec::with_capacity(64),
            depth: 0,
            expander: Expander::new(),
            scratch: Scratch::default(),
            cache: SelectionCache::default(),
            counter: Counter::new(),
        }
    }

    /// Iterates until the run is over. `tick` is called at every look at the clock.
    pub fn work(&mut self, shared: &Shared, tick: &mut dyn FnMut(&Shared)) {
        struct Run<'a, 'b>(&'a mut Worker, &'a Shared<'b>, &'a mut dyn FnMut(&Shared));
        impl Work for Run<'_, '_> {
            type Output = ();
            #[inline(always)]
            fn run<L: Lanes>(self) {
                self.0.work_with::<L>(self.1, self.2);
            }
        }
        shared.simulator.kernel().run(Run(self, shared, tick));
    }

    /// The same by the kernel that the caller was compiled for, as is all that an iteration does.
    #[inline(always)]
    fn work_with<L: Lanes>(&mut self, shared: &Shared, tick: &mut dyn FnMut(&Shared)) {
        self.cache.clear();
        let mut until_clock = 1;
        self.depth = 0;
        while shared.claim_iterations(1) > 0 {
            let iterations = 1 + self.iterate_and_more::<L>(shared);
            if until_clock > iterations {
                until_clock -= iterations;
            } else {
                until_clock = Self::CLOCK_INTERVAL;
                shared.look_at_the_clock();
                shared.tally.reach(self.depth);
                tick(shared);
            }
        }
        shared.tally.reach(self.depth);
        shared.tree.return_chunk(std::mem::take(&mut self.expander.chunk));
    }

    /// One iteration from the root, and a few more from its anchor: the last node on its way that has been visited
    /// so often that they make little difference to it. That spares the way down there, and workers meet less often
    /// at the nodes that all of them pass. Returns how many more they were.
    #[inline(always)]
    fn iterate_and_more<L: Lanes>(&mut self, shared: &Shared) -> u32 {
        let mover = shared.root.side().opponent();
        let root = Anchor { place: 0, state: State::ToMove(shared.root), spread: ValueVariance::START };
        self.path.clear();
        self.path.push(Step { node: shared.tree.root(), mover });
        let mut from = root;
        let mut granted = 0;
        let mut rewards = Rewards::default();
        // One place for both kinds of iterations: all that an iteration does is compiled into it.
        loop {
            let is_first = granted == 0;
            let (anchor, reward) = self.iterate::<L>(shared, from);
            if is_first {
                if anchor.place == 0 || shared.params.burst == 1 {
                    return 0;
                }
                from = anchor;
                granted = shared.claim_iterations(shared.params.burst - 1);
                // Counted beforehand, they keep other workers away.
                for step in &self.path[..anchor.place] {
                    shared.tree.node(step.node).add_visits(granted);
                }
            } else {
                rewards.add(reward);
            }
            let is_proven = shared.tree.node(self.path[from.place].node).proof().is_some();
            if rewards.count >= granted || is_proven || !shared.goes_on() {
                break;
            }
        }
        let left = granted - rewards.count;
        if left > 0 {
            shared.return_iterations(left);
            for step in &self.path[..from.place] {
                shared.tree.node(step.node).take_visits(left);
            }
        }
        backup::add_rewards(shared.tree, &self.path[..from.place], rewards);
        rewards.count
    }

    /// One iteration: descend to a leaf, judge it, tell those of its ancestors that were passed. Returns where more
    /// of them can begin.
    #[inline(always)]
    fn iterate<L: Lanes>(&mut self, shared: &Shared, from: Anchor) -> (Anchor, Rewards) {
        let (state, anchor) = self.descend::<L>(shared, from);
        let leaf = shared.tree.node(self.path[self.path.len() - 1].node);
        let for_black = match leaf.proof() {
            Some(Side::Black) => WinRate::WIN,
            Some(Side::White) => WinRate::LOSS,
            None => shared.simulator.simulate::<L>(&state, &mut self.rng, &mut self.scratch),
        };
        self.depth = self.depth.max(self.path.len());
        let rewards = Rewards::of(for_black);
        backup::add_rewards(shared.tree, &self.path[from.place..], rewards);
        if leaf.proof().is_some() {
            backup::carry_proof(shared.tree, &self.path);
        }
        (anchor, rewards)
    }

    /// Selection and expansion: from an anchor to a node that is new, proven, or cannot be expanded. Returns the last
    /// node on the way that has enough visits to be an anchor, or the one that it began at.
    #[inline(always)]
    fn descend<L: Lanes>(&mut self, shared: &Shared, from: Anchor) -> (State, Anchor) {
        let tree = shared.tree;
        let Anchor { place, mut state, mut spread } = from;
        let mut anchor = from;
        self.path.truncate(place + 1);
        let mut id = self.path[place].node;
        tree.node(id).enter();
        while tree.node(id).proof().is_none() {
            let Some(child) = self.step::<L>(shared, id, &state, &mut spread) else { break };
            let mover = state.chooser();
            let node = tree.node(child);
            state = state.after(node.edge());
            id = child;
            self.path.push(Step { node: id, mover });
            let visits = node.enter();
            if visits == 0 {
                if let Some(winner) = self.certain_winner(shared, &state) {
                    node.prove(winner);
                }
                // With priors the arrow that looks best is shot before the leaf is judged.
                if !shared.params.formula.has_priors() || matches!(state, State::ToMove(_)) {
                    break;
                }
            }
            if visits >= shared.params.burst * Anchor::VISITS && place == 0 {
                anchor = Anchor { place: self.path.len() - 1, state, spread };
            }
        }
        (state, anchor)
    }

    /// Who wins in a new node, where the game is over or the moves that are left decide it. Before two squares
    /// of five are taken they hardly ever do.
    fn certain_winner(&mut self, shared: &Shared, state: &State) -> Option<Side> {
        let is_late = |position: &Position| position.empty().len() as usize * 5 <= position.size().area() * 3;
        match state {
            State::ToMove(position) if shared.counting && is_late(position) => self.counter.winner(position),
            _ => state.winner(),
        }
    }

    /// The child to go to: the best by the formula, but without priors an untried one while there is any.
    #[inline(always)]
    fn step<L: Lanes>(
        &mut self,
        shared: &Shared,
        id: NodeId,
        state: &State,
        spread: &mut ValueVariance,
    ) -> Option<NodeId> {
        let tree = shared.tree;
        if !tree.is_expanded(id) {
            if let Some(winner) = state.winner() {
                // The worker that came here first is about to say so itself.
                tree.node(id).prove(winner);
                return None;
            }
            // The root, or a movement from it.
            let excluded = if self.path.len() <= 2 { shared.excluded } else { &[] };
            self.expander.expand::<L>(tree, id, state, excluded, shared.params, &mut self.rng);
        }
        if !tree.is_expanded(id) {
            return None;
        }
        let chunk = &mut self.expander.chunk;
        let untried = match &shared.params.formula {
            Formula::Puct(puct) => {
                *spread = spread.at(tree, id, puct);
                None
            }
            _ => tree.claim_untried(id, chunk),
        };
        let child = untried.or_else(|| {
            let parent = Parent::new(tree, id, state.chooser());
            select::best_child(&parent, shared.params, *spread, &mut self.cache, chunk)
        });
        if child.is_none() && backup::all_children_lose(tree, id, state.chooser()) {
            // Usually the node is proven then too, but two workers that prove its last two children at the same
            // moment may each have missed the other's.
            tree.node(id).prove(state.chooser().opponent());
        }
        child
    }
}
