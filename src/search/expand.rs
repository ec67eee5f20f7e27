//! Expansion: the edges to all children of a node, in the order in which they will be tried.

use super::params::{Formula, Grouping, Params};
use super::state::State;
use super::tree::{self, ArenaChunk, Edge, NodeId, Tree};
use crate::board::moves::{Move, Movement};
use crate::board::position::{ArrowPhase, Position};
use crate::eval::distance::DistanceMaps;
use crate::eval::lanes::{Kernel, Lanes, Work};
use crate::eval::policy::{self, Arrows, Movements};
use fastrand::Rng;

/// Expands nodes, with buffers that are kept from one to the next.
pub struct Expander {
    /// The worker's piece of the tree's arena.
    pub chunk: ArenaChunk,
    edges: Vec<Edge>,
    sorted: Vec<Edge>,
    scores: Vec<f32>,
    maps: DistanceMaps,
}

impl Expander {
    /// Scratch space for one worker.
    pub fn new() -> Self {
        Self {
            chunk: ArenaChunk::default(),
            edges: Vec::new(),
            sorted: Vec::new(),
            scores: Vec::new(),
            maps: DistanceMaps::default(),
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
    ) {
        struct Expansion<'a>(&'a mut Expander, &'a Tree, NodeId, &'a State, &'a Params, &'a mut Rng);
        impl Work for Expansion<'_> {
            type Output = ();
            #[inline(always)]
            fn run<L: Lanes>(self) {
                self.0.expand::<L>(self.1, self.2, self.3, &[], self.4, self.5);
            }
        }
        kernel.run(Expansion(self, tree, id, state, params, rng));
    }

    /// Expands a node: gives it its children in descending order of their priors, or in random order where the formula
    /// has none. `excluded` moves are not among them, unless all are. Nothing happens when the memory is full or
    /// another worker has begun to.
    #[inline(always)]
    pub fn expand<L: Lanes>(
        &mut self,
        tree: &Tree,
        id: NodeId,
        state: &State,
        excluded: &[Move],
        params: &Params,
        rng: &mut Rng,
    ) {
        if tree.is_full() || !tree.begin_expansion(id) {
            return;
        }
        match params.formula {
            Formula::Puct(puct) if params.grouping == Grouping::Split => {
                self.edges.clear();
                self.scores.clear();
                match state {
                    State::ToMove(position) => self.score_movements::<L>(position, puct.movement_temperature),
                    State::ToShoot(arrow_phase) => {
                        self.score_arrows::<L>(arrow_phase, puct.arrow_temperature)
                    }
                }
                self.sort_by_prior();
            }
            _ => {
                state.edges(params.grouping, &mut self.sorted);
                rng.shuffle(&mut self.sorted);
            }
        }
        if !excluded.is_empty() && self.sorted.iter().any(|&edge| state.leaves_choice(edge, excluded)) {
            self.sorted.retain(|&edge| state.leaves_choice(edge, excluded));
        }
        tree.expand(id, &self.sorted, &mut self.chunk);
    }

    /// Lists the movements and their scores.
    #[inline(always)]
    fn score_movements<L: Lanes>(&mut self, position: &Position, temperature: f32) {
        self.maps.flood_with::<L>(position);
        let movements = Movements::new(position, &self.maps);
        let stage = policy::stage(position);
        for (from, landings) in position.movement_groups() {
            let start = movements.code::<L>(from);
            for to in landings {
                let movement = Movement { from, to };
                let features = movements.features(movement, start, movements.code::<L>(to));
                self.edges.push(Edge::movement(movement));
                self.scores.push(policy::movement_score(stage, &features) / temperature);
            }
        }
    }

    /// Lists the arrows and their scores.
    #[inline(always)]
    fn score_arrows<L: Lanes>(&mut self, arrow_phase: &ArrowPhase, temperature: f32) {
        self.maps.flood_with::<L>(arrow_phase.position());
        let arrows = Arrows::new(arrow_phase, &self.maps);
        let stage = policy::stage(arrow_phase.position());
        for arrow in arrow_phase.arrow_targets() {
            self.edges.push(Edge::arrow(arrow));
            self.scores
                .push(policy::arrow_score(stage, &arrows.features::<L>(arrow_phase, arrow)) / temperature);
        }
    }

    /// Gives the edges their priors, the softmax of the scores, and sorts them, the most probable first.
    #[inline(always)]
    fn sort_by_prior(&mut self) {
        let log_sum = libm::logf(policy::sum_of_odds(&self.scores));
        for (edge, score) in self.edges.iter_mut().zip(&self.scores) {
            *edge = edge.with_log_prior(score - log_sum);
        }
        tree::sort(&mut self.edges, &mut self.sorted);
    }
}

impl Default for Expander {
    fn default() -> Self {
        Self::new()
    }
}
