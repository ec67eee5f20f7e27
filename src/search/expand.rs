//! Expansion: lists the edges to all children of a node, in the order in which they will be tried.

use super::history::History;
use super::params::{Formula, Grouping, Params, Puct};
use super::state::State;
use super::tree::{self, ArenaChunk, Edge, NodeId, Tree};
use crate::board::moves::Move;
use crate::eval::model::{Model, ModelScratch};
use crate::eval::policy;
use crate::seed::mix_seed;
use crate::simd::{Kernel, Lanes, dispatch};
use fastrand::Rng;

/// Expands nodes; its buffers are reused between nodes.
pub struct Expander {
    /// The worker's chunk of the tree's arena.
    pub chunk: ArenaChunk,
    /// Lists the edges of a node.
    pub lister: EdgeLister,
}

impl Expander {
    /// Creates the buffers for one worker. `seed` determines the random order of children without priors.
    pub fn new(seed: u64) -> Self {
        Self { chunk: ArenaChunk::default(), lister: EdgeLister::new(seed) }
    }

    /// Performs [`Expander::expand`] on `kernel`, with no excluded moves.
    pub fn expand_on(
        &mut self,
        kernel: Kernel,
        tree: &Tree,
        id: NodeId,
        state: &State,
        params: &Params,
    ) -> Option<NodeId> {
        dispatch!(kernel, L => self.expand::<L>(tree, id, state, &[], params))
    }

    /// Expands a node with the edges of [`EdgeLister::list`] and returns its first child, whose first visit is counted.
    ///
    /// Returns `None` if the memory is full, the node has no edges, or another worker has begun to expand the node.
    #[inline(always)]
    pub fn expand<L: Lanes>(
        &mut self,
        tree: &Tree,
        id: NodeId,
        state: &State,
        excluded: &[Move],
        params: &Params,
    ) -> Option<NodeId> {
        if tree.is_full() || !tree.begin_expansion(id) {
            return None;
        }
        let Self { chunk, lister } = self;
        let edges = lister.list::<L>(state, excluded, params, std::iter::empty(), Tree::LISTED_FIRST);
        tree.expand(id, edges, chunk)
    }
}

/// Lists the edges of a node. The tree lists them again when it allocates further children.
pub struct EdgeLister {
    /// Values of movements in this worker's search.
    pub history: History,
    seed: u64,
    edges: Vec<Edge>,
    tried: Vec<Edge>,
    sorted: Vec<Edge>,
    logits: Vec<f32>,
    scratch: ModelScratch,
}

impl EdgeLister {
    fn new(seed: u64) -> Self {
        // Far more than a list of half-moves needs, so that two workers never write to the same cache line.
        const ROOM: usize = 1024;
        Self {
            history: History::new(),
            seed,
            edges: Vec::with_capacity(ROOM),
            tried: Vec::with_capacity(ROOM),
            sorted: Vec::with_capacity(ROOM),
            logits: Vec::with_capacity(ROOM),
            scratch: ModelScratch::default(),
        }
    }

    /// Performs [`EdgeLister::list`] on `kernel`, with no excluded moves.
    pub fn list_on(
        &mut self,
        kernel: Kernel,
        state: &State,
        params: &Params,
        tried: &[Edge],
        count: usize,
    ) -> &[Edge] {
        dispatch!(kernel, L => self.list::<L>(state, &[], params, tried.iter().copied(), count))
    }

    /// Lists the edges by descending prior, or in random order if the formula has no priors. Omits `excluded` moves
    /// unless all moves are excluded. Only the first `count` elements are valid; the length is that of the full list.
    ///
    /// `tried` edges come first, in their order and without priors: the history may have changed since they were
    /// listed. If the formula has no priors, equal states and seeds give equal lists.
    #[inline(always)]
    pub fn list<L: Lanes>(
        &mut self,
        state: &State,
        excluded: &[Move],
        params: &Params,
        tried: impl Iterator<Item = Edge>,
        count: usize,
    ) -> &[Edge] {
        self.tried.clear();
        self.tried.extend(tried);
        self.list_after_tried::<L>(state, excluded, params, count)
    }

    /// Performs [`EdgeLister::list`], given the tried edges in `self.tried`. It is not generic over the iterator, so
    /// that it is compiled only once for each kernel.
    fn list_after_tried<L: Lanes>(
        &mut self,
        state: &State,
        excluded: &[Move],
        params: &Params,
        count: usize,
    ) -> &[Edge] {
        L::call(
            #[inline(always)]
            move || {
                // Up to this number of edges, a search for each one is faster than sorting all.
                const FEW: usize = 10;
                match params.formula {
                    Formula::Puct(puct) if params.grouping == Grouping::Split => {
                        self.list_with_logits::<L>(state, &params.model, &puct);
                        self.set_priors();
                        tree::put_first(&mut self.edges, &self.tried);
                        // An excluded edge may be among the first.
                        if count <= FEW && excluded.is_empty() {
                            tree::sort_first(&mut self.edges, &mut self.sorted, count);
                        } else {
                            tree::sort(&mut self.edges, &mut self.sorted);
                        }
                        self.sorted[..self.tried.len()].copy_from_slice(&self.tried);
                    }
                    _ => {
                        state.edges(params.grouping, &mut self.sorted);
                        Rng::with_seed(mix_seed(self.seed, state.position().key())).shuffle(&mut self.sorted);
                    }
                }
                if !excluded.is_empty() && self.sorted.iter().any(|&edge| state.leaves_choice(edge, excluded))
                {
                    self.sorted.retain(|&edge| state.leaves_choice(edge, excluded));
                }
                &self.sorted[..]
            },
        )
    }

    /// Fills `edges` and `logits` with the edges of a state and their policy logits, each divided by the temperature.
    /// Adds the weighted history to the logits of movements.
    #[inline(always)]
    fn list_with_logits<L: Lanes>(&mut self, state: &State, model: &Model, puct: &Puct) {
        let Self { history, edges, logits, scratch, .. } = self;
        edges.clear();
        logits.clear();
        match state {
            State::ToMove(position) => {
                let temperature = puct.movement_temperature;
                model.movement_logits::<L>(position, scratch, |movement, logit| {
                    edges.push(Edge::movement(movement));
                    let advantage = history.get(position.side(), movement);
                    logits.push(logit / temperature + puct.history * advantage);
                });
            }
            State::ToShoot(arrow_phase) => {
                model.arrow_logits::<L>(arrow_phase, scratch, |arrow, logit| {
                    edges.push(Edge::arrow(arrow));
                    logits.push(logit / puct.arrow_temperature);
                });
            }
        }
    }

    /// Sets the priors of `edges` to the softmax of `logits`.
    #[inline(always)]
    fn set_priors(&mut self) {
        let log_sum = libm::logf(policy::sum_of_odds(&self.logits));
        for (edge, logit) in self.edges.iter_mut().zip(&self.logits) {
            *edge = edge.with_log_prior(logit - log_sum);
        }
    }
}
