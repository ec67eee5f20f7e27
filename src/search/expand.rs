//! Expansion: lists the edges to all children of a node, in the order in which they will be tried.

use super::params::{Formula, Grouping, Params, Puct};
use super::state::State;
use super::tree::{self, ArenaChunk, Edge, NodeId, Tree};
use crate::board::moves::Move;
use crate::eval::model::{Model, ModelScratch};
use crate::eval::policy;
use crate::simd::{Kernel, Lanes, dispatch};
use fastrand::Rng;

/// Expands nodes; its buffers are reused between nodes.
pub struct Expander {
    /// The worker's chunk of the tree's arena.
    pub chunk: ArenaChunk,
    edges: Vec<Edge>,
    sorted: Vec<Edge>,
    logits: Vec<f32>,
    scratch: ModelScratch,
}

impl Expander {
    /// Allocates the buffers for one worker.
    pub fn new() -> Self {
        // Far more than half-moves need, so that two workers' buffers in use do not share a cache line.
        const ROOM: usize = 1024;
        Self {
            chunk: ArenaChunk::default(),
            edges: Vec::with_capacity(ROOM),
            sorted: Vec::with_capacity(ROOM),
            logits: Vec::with_capacity(ROOM),
            scratch: ModelScratch::default(),
        }
    }

    /// [`Expander::expand`] on a given kernel.
    pub fn expand_on(
        &mut self,
        kernel: Kernel,
        tree: &Tree,
        id: NodeId,
        state: &State,
        params: &Params,
        rng: &mut Rng,
    ) -> Option<NodeId> {
        dispatch!(kernel, L => self.expand::<L>(tree, id, state, &[], params, rng))
    }

    /// Expands a node: lists its children by descending prior, or in random order if the formula has no priors.
    /// Leaves out `excluded` moves unless all are excluded.
    ///
    /// Returns the first child, claimed as by [`Tree::claim_untried`]. `None` if the memory is full or another worker
    /// has begun to expand the node.
    #[inline(always)]
    pub fn expand<L: Lanes>(
        &mut self,
        tree: &Tree,
        id: NodeId,
        state: &State,
        excluded: &[Move],
        params: &Params,
        rng: &mut Rng,
    ) -> Option<NodeId> {
        L::call(
            #[inline(always)]
            move || {
                if tree.is_full() || !tree.begin_expansion(id) {
                    return None;
                }
                match params.formula {
                    Formula::Puct(puct) if params.grouping == Grouping::Split => {
                        self.list_with_logits::<L>(state, &params.model, &puct);
                        self.sort_by_prior();
                    }
                    _ => {
                        state.edges(params.grouping, &mut self.sorted);
                        rng.shuffle(&mut self.sorted);
                    }
                }
                if !excluded.is_empty() && self.sorted.iter().any(|&edge| state.leaves_choice(edge, excluded))
                {
                    self.sorted.retain(|&edge| state.leaves_choice(edge, excluded));
                }
                tree.expand(id, &self.sorted, &mut self.chunk)
            },
        )
    }

    /// Lists the edges and their logits, divided by the temperature.
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

    /// Sets the priors of the edges to the softmax of the logits, and sorts the edges by descending prior.
    #[inline(always)]
    fn sort_by_prior(&mut self) {
        let log_sum = libm::logf(policy::sum_of_odds(&self.logits));
        for (edge, logit) in self.edges.iter_mut().zip(&self.logits) {
            *edge = edge.with_log_prior(logit - log_sum);
        }
        tree::sort(&mut self.edges, &mut self.sorted);
    }
}

impl Default for Expander {
    fn default() -> Self {
        Self::new()
    }
}
