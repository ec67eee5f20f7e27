//! What the tree descends through: the state of the game at a node, and the children it can have.

use super::params::{Formula, Grouping, Params, Puct};
use super::tree::{self, ArenaChunk, Edge, NodeId, Tree};
use crate::board::moves::{Move, Movement};
use crate::board::position::{ArrowPhase, Position};
use crate::board::square::Side;
use crate::eval::model::{Model, ModelScratch};
use crate::eval::policy;
use crate::simd::{Kernel, Lanes, SimdTask};
use fastrand::Rng;

/// The game at a node: between two moves, or between movement and arrow.
#[derive(Clone, Copy, Debug)]
pub enum State {
    /// A side is to move an amazon.
    ToMove(Position),
    /// It has moved and is to shoot.
    ToShoot(ArrowPhase),
}

impl State {
    /// Who chooses among the children.
    #[inline]
    pub fn chooser(&self) -> Side {
        match self {
            Self::ToMove(position) => position.side(),
            Self::ToShoot(arrow_phase) => arrow_phase.side(),
        }
    }

    /// The board as it stands.
    #[inline(always)]
    pub fn position(&self) -> &Position {
        match self {
            Self::ToMove(position) => position,
            Self::ToShoot(arrow_phase) => arrow_phase.position(),
        }
    }

    /// Who has won here, if the game is over.
    #[inline]
    pub fn winner(&self) -> Option<Side> {
        match self {
            Self::ToMove(position) => position.winner(),
            Self::ToShoot(_) => None,
        }
    }

    /// The state after an edge, which must be one of this state's.
    #[inline]
    pub fn after(&self, edge: Edge) -> Self {
        match (self, edge.as_movement(), edge.as_arrow()) {
            (Self::ToMove(position), Some(movement), Some(arrow)) => {
                Self::ToMove(position.with_movement(movement).with_arrow(arrow))
            }
            (Self::ToMove(position), Some(movement), None) => Self::ToShoot(position.with_movement(movement)),
            (Self::ToShoot(arrow_phase), _, Some(arrow)) => Self::ToMove(arrow_phase.with_arrow(arrow)),
            _ => unreachable!("an edge that does not fit its state"),
        }
    }

    /// Whether an edge leads to a move that is not among these.
    fn leaves_choice(&self, edge: Edge, excluded: &[Move]) -> bool {
        match (self, edge.as_movement(), edge.as_arrow()) {
            (Self::ToMove(_), Some(movement), Some(arrow)) => !excluded.contains(&movement.with_arrow(arrow)),
            (Self::ToMove(position), Some(movement), None) => {
                let mut arrows = position.with_movement(movement).arrow_targets().into_iter();
                arrows.any(|arrow| !excluded.contains(&movement.with_arrow(arrow)))
            }
            (Self::ToShoot(arrow_phase), _, Some(arrow)) => {
                let movement = Movement { from: arrow_phase.origin(), to: arrow_phase.amazon() };
                !excluded.contains(&movement.with_arrow(arrow))
            }
            _ => true,
        }
    }

    /// Lists the edges that leave this state.
    #[inline(always)]
    fn edges(&self, grouping: Grouping, edges: &mut Vec<Edge>) {
        edges.clear();
        match (self, grouping) {
            (Self::ToMove(position), Grouping::Split) => {
                edges.extend(position.movements().map(Edge::movement))
            }
            (Self::ToMove(position), Grouping::Whole) => {
                edges.extend(position.legal_moves().map(Edge::whole))
            }
            (Self::ToShoot(arrow_phase), _) => {
                edges.extend(arrow_phase.arrow_targets().into_iter().map(Edge::arrow))
            }
        }
    }
}

/// What a worker needs to expanded nodes, kept from one to the next.
pub struct Expander {
    /// What the worker takes memory from.
    pub chunk: ArenaChunk,
    edges: Vec<Edge>,
    sorted: Vec<Edge>,
    logits: Vec<f32>,
    scratch: ModelScratch,
}

impl Expander {
    /// Scratch space for one worker.
    pub fn new() -> Self {
        Self {
            chunk: ArenaChunk::default(),
            edges: Vec::new(),
            sorted: Vec::new(),
            logits: Vec::new(),
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
    ) {
        kernel.dispatch(Expansion { expander: self, tree, id, state, excluded: &[], params, rng });
    }

    /// Expands a node: gives it its children in random order, or where the formula has priors in their order.
    /// Moves that are `excluded` are not among them, unless all are. Nothing happens when the memory is full or
    /// another worker is at it.
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
        L::call(Expansion { expander: self, tree, id, state, excluded, params, rng });
    }

    #[inline(always)]
    fn expand_here<L: Lanes>(
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
                self.list_with_logits::<L>(state, &params.model, &puct);
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

    /// Lists the edges and their logits, divided by the temperature.
    #[inline(always)]
    fn list_with_logits<L: Lanes>(&mut self, state: &State, model: &Model, puct: &Puct) {
        let Self { edges, logits, scratch, .. } = self;
        edges.clear();
        logits.clear();
        match state {
            State::ToMove(position) => model.movement_logits::<L>(position, scratch, |movement, logit| {
                edges.push(Edge::movement(movement));
                logits.push(logit / puct.movement_temperature);
            }),
            State::ToShoot(arrow_phase) => model.arrow_logits::<L>(arrow_phase, scratch, |arrow, logit| {
                edges.push(Edge::arrow(arrow));
                logits.push(logit / puct.arrow_temperature);
            }),
        }
    }

    /// Gives the edges their priors and sorts them, the most probable first.
    #[inline(always)]
    fn sort_by_prior(&mut self) {
        let log_sum = libm::logf(policy::sum_of_odds(&self.logits));
        for (edge, logit) in self.edges.iter_mut().zip(&self.logits) {
            *edge = edge.with_log_prior(logit - log_sum);
        }
        tree::sort(&mut self.edges, &mut self.sorted);
    }
}

/// [`Expander::expand`] as a task, compiled once a kernel for all its callers.
struct Expansion<'a> {
    expander: &'a mut Expander,
    tree: &'a Tree,
    id: NodeId,
    state: &'a State,
    excluded: &'a [Move],
    params: &'a Params,
    rng: &'a mut Rng,
}

impl SimdTask for Expansion<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { expander, tree, id, state, excluded, params, rng } = self;
        expander.expand_here::<L>(tree, id, state, excluded, params, rng);
    }
}

impl Default for Expander {
    fn default() -> Self {
        Self::new()
    }
}
