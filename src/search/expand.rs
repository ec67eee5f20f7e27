//! Expansion: lists the edges to all children of a node, in the order in which they will be tried.

use super::history::History;
use super::params::{Puct, TournamentParams};
use super::state::State;
use super::tree::{self, ArenaChunk, Edge, NodeId, Tree};
use crate::board::moves::Move;
use crate::board::square::Square;
use crate::eval::model::{Model, ModelScratch};
use crate::eval::policy;
use crate::simd::Lanes;

/// Node expander of one worker, with buffers reused between nodes.
#[derive(Default)]
pub struct Expander {
    /// The worker's free slots in the tree's arena.
    pub chunk: ArenaChunk,
    /// Lister of a node's edges.
    pub lister: EdgeLister,
}

impl Expander {
    /// Expands a node with the edges of [`EdgeLister::list`]. Returns the first child and counts its first visit.
    ///
    /// Returns `None` if the memory is full, the node has no edges, or another worker has begun to expand the node.
    #[inline(always)]
    pub fn expand<L: Lanes>(
        &mut self,
        tree: &Tree,
        id: NodeId,
        choice: &Choice,
        params: &TournamentParams,
    ) -> Option<NodeId> {
        if tree.is_full() || !tree.begin_expansion(id) {
            return None;
        }
        let Self { chunk, lister } = self;
        let edges = lister.list::<L>(choice, params, std::iter::empty(), Tree::LISTED_FIRST);
        tree.expand(id, edges, chunk)
    }
}

/// A choice between half-moves: what the edges of a node depend on.
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    /// State at the node.
    pub state: &'a State,
    /// Destination of the opponent's last movement; `None` at the root, and between movement and arrow.
    pub before: Option<Square>,
    /// Moves left out, unless all are.
    pub excluded: &'a [Move],
}

/// Lister of a node's edges. The edges are listed again whenever the tree allocates further children of the node.
pub struct EdgeLister {
    /// Mean advantages of half-moves in this worker's search.
    pub history: History,
    edges: Vec<Edge>,
    tried: Vec<Edge>,
    sorted: Vec<Edge>,
    logits: Vec<f32>,
    scratch: ModelScratch,
}

impl Default for EdgeLister {
    fn default() -> Self {
        // Far more than a list of half-moves needs, so that the buffers of two workers never share a cache line.
        const ROOM: usize = 1024;
        Self {
            history: History::default(),
            edges: Vec::with_capacity(ROOM),
            tried: Vec::with_capacity(ROOM),
            sorted: Vec::with_capacity(ROOM),
            logits: Vec::with_capacity(ROOM),
            scratch: ModelScratch::default(),
        }
    }
}

impl EdgeLister {
    /// Lists the edges of a choice by descending prior. The slice has full length, but only the first `count` elements
    /// are valid.
    ///
    /// The `tried` edges come first, in the given order: since they were listed, the history may have changed their
    /// rank.
    #[inline(always)]
    pub fn list<L: Lanes>(
        &mut self,
        choice: &Choice,
        params: &TournamentParams,
        tried: impl Iterator<Item = Edge>,
        count: usize,
    ) -> &[Edge] {
        self.tried.clear();
        self.tried.extend(tried);
        self.list_after_tried::<L>(choice, params, count)
    }

    /// Implements [`EdgeLister::list`], with the tried edges in `self.tried`. Not generic over the iterator, so that
    /// the function is compiled only once for each kernel.
    fn list_after_tried<L: Lanes>(
        &mut self,
        choice: &Choice,
        params: &TournamentParams,
        count: usize,
    ) -> &[Edge] {
        L::call(
            #[inline(always)]
            move || {
                // Up to this many edges, one pass over the list for each is faster than sorting the whole list.
                const FEW: usize = 10;
                let &Choice { state, excluded, .. } = choice;
                self.list_with_logits::<L>(choice, &params.model, &params.puct);
                self.set_priors();
                tree::put_first(&mut self.edges, &mut self.tried);
                // Some of the first edges may be excluded, so more than `count` must be sorted.
                if count <= FEW && excluded.is_empty() {
                    tree::sort_first(&mut self.edges, &mut self.sorted, count);
                } else {
                    tree::sort(&mut self.edges, &mut self.sorted);
                }
                self.sorted[..self.tried.len()].copy_from_slice(&self.tried);
                if !excluded.is_empty()
                    && self.sorted.iter().any(|&edge| state.leaves_choice(edge.action(), excluded))
                {
                    self.sorted.retain(|&edge| state.leaves_choice(edge.action(), excluded));
                }
                &self.sorted[..]
            },
        )
    }

    /// Fills `edges` and `logits` with the edges of a state and their policy logits, each divided by the temperature.
    /// Adds the weighted history to the logits.
    #[inline(always)]
    fn list_with_logits<L: Lanes>(&mut self, choice: &Choice, model: &Model, puct: &Puct) {
        let Self { history, edges, logits, scratch, .. } = self;
        edges.clear();
        logits.clear();
        match choice.state {
            State::ToMove(position) => {
                let (side, temperature) = (position.side(), puct.movement_temperature);
                model.movement_logits::<L>(position, scratch, |movement, logit| {
                    edges.push(Edge::movement(movement));
                    let advantage = history.of_movement(side, movement);
                    let reply =
                        choice.before.map_or(0.0, |before| history.of_reply(side, before, movement.to));
                    logits.push(logit / temperature + puct.history * advantage + puct.reply_history * reply);
                });
            }
            State::ToShoot(arrow_phase) => {
                let (side, temperature) = (arrow_phase.side(), puct.arrow_temperature);
                let advantage = history.of_arrows(side, arrow_phase.movement());
                model.arrow_logits::<L>(arrow_phase, scratch, |arrow, logit| {
                    edges.push(Edge::arrow(arrow));
                    let wanted = history.of_square(side.opponent(), arrow);
                    let learnt = puct.arrow_history * advantage(arrow) + puct.wanted_history * wanted;
                    logits.push(logit / temperature + learnt);
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
