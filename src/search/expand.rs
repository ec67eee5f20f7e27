//! Expansion: lists the edges to all children of a node, in the order in which they will be tried.

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
        tree.expand(id, lister.list::<L>(state, excluded, params, Tree::LISTED_FIRST), chunk)
    }
}

/// Lists the edges of a node. Equal states and seeds give equal lists: the tree lists the edges of a node again when it
/// allocates further children.
pub struct EdgeLister {
    seed: u64,
    edges: Vec<Edge>,
    sorted: Vec<Edge>,
    logits: Vec<f32>,
    scratch: ModelScratch,
}

impl EdgeLister {
    fn new(seed: u64) -> Self {
        // Far more than a list of half-moves needs, so that two workers never write to the same cache line.
        const ROOM: usize = 1024;
        Self {
            seed,
            edges: Vec::with_capacity(ROOM),
            sorted: Vec::with_capacity(ROOM),
            logits: Vec::with_capacity(ROOM),
            scratch: ModelScratch::default(),
        }
    }

    /// Performs [`EdgeLister::list`] on `kernel`, with no excluded moves.
    pub fn list_on(&mut self, kernel: Kernel, state: &State, params: &Params, count: usize) -> &[Edge] {
        dispatch!(kernel, L => self.list::<L>(state, &[], params, count))
    }

    /// Lists the edges by descending prior, or in random order if the formula has no priors. Omits `excluded` moves
    /// unless all moves are excluded. Only the first `count` elements are valid; the length is that of the full list.
    pub fn list<L: Lanes>(
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
                        // An excluded edge may be among the first.
                        if count <= FEW && excluded.is_empty() {
                            tree::sort_first(&mut self.edges, &mut self.sorted, count);
                        } else {
                            tree::sort(&mut self.edges, &mut self.sorted);
                        }
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
    #[inline(always)]
    fn list_with_logits<L: Lanes>(&mut self, state: &State, model: &Model, puct: &Puct) {
        let Self { edges, logits, scratch, .. } = self;
        edges.clear();
        logits.clear();
        let temperature = match state {
            State::ToMove(position) => {
                model.movement_logits::<L>(position, scratch, |movement, logit| {
                    edges.push(Edge::movement(movement));
                    logits.push(logit);
                });
                puct.movement_temperature
            }
            State::ToShoot(arrow_phase) => {
                model.arrow_logits::<L>(arrow_phase, scratch, |arrow, logit| {
                    edges.push(Edge::arrow(arrow));
                    logits.push(logit);
                });
                puct.arrow_temperature
            }
        };
        logits.iter_mut().for_each(|logit| *logit /= temperature);
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
