//! What the tree descends through: the state of the game at a node, and the children it can have.

use super::params::{Formula, Grouping, Params};
use super::tree::{self, Allotment, Edge, NodeId, Tree};
use crate::board::moves::{Move, Movement};
use crate::board::position::{Aiming, Position};
use crate::board::square::Side;
use crate::eval::distance::DistanceMaps;
use crate::eval::policy::{self, Arrows, Movements};
use crate::simd::{Kernel, Lanes, SimdTask};
use fastrand::Rng;

/// The game at a node: between two moves, or between movement and arrow.
#[derive(Clone, Copy, Debug)]
pub enum State {
    /// A side is to move an amazon.
    ToMove(Position),
    /// It has moved and is to shoot.
    ToShoot(Aiming),
}

impl State {
    /// Who chooses among the children.
    #[inline]
    pub fn chooser(&self) -> Side {
        match self {
            Self::ToMove(position) => position.side(),
            Self::ToShoot(aiming) => aiming.side(),
        }
    }

    /// The board as it stands.
    #[inline(always)]
    pub fn position(&self) -> &Position {
        match self {
            Self::ToMove(position) => position,
            Self::ToShoot(aiming) => aiming.position(),
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
            (Self::ToShoot(aiming), _, Some(arrow)) => Self::ToMove(aiming.with_arrow(arrow)),
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
            (Self::ToShoot(aiming), _, Some(arrow)) => {
                let movement = Movement { from: aiming.came_from(), to: aiming.archer() };
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
            (Self::ToShoot(aiming), _) => edges.extend(aiming.arrow_targets().into_iter().map(Edge::arrow)),
        }
    }
}

/// What a worker needs to open nodes, kept from one to the next.
pub struct Opener {
    /// What the worker takes memory from.
    pub allotment: Allotment,
    edges: Vec<Edge>,
    sorted: Vec<Edge>,
    scores: Vec<f32>,
    maps: DistanceMaps,
}

impl Opener {
    /// Scratch space for one worker.
    pub fn new() -> Self {
        Self {
            allotment: Allotment::default(),
            edges: Vec::new(),
            sorted: Vec::new(),
            scores: Vec::new(),
            maps: DistanceMaps::default(),
        }
    }

    /// [`Opener::open`] on a given kernel.
    pub fn open_on(
        &mut self,
        kernel: Kernel,
        tree: &Tree,
        id: NodeId,
        state: &State,
        params: &Params,
        rng: &mut Rng,
    ) {
        kernel.dispatch(Opening(self, tree, id, state, &[], params, rng));
    }

    /// Opens a node: gives it its children in random order, or where the formula has priors in their order.
    /// Moves that are `excluded` are not among them, unless all are. Nothing happens when the memory is full or
    /// another worker is at it.
    #[inline(always)]
    pub fn open<L: Lanes>(
        &mut self,
        tree: &Tree,
        id: NodeId,
        state: &State,
        excluded: &[Move],
        params: &Params,
        rng: &mut Rng,
    ) {
        L::call(Opening(self, tree, id, state, excluded, params, rng));
    }

    /// [`Opener::open`], inlined.
    #[inline(always)]
    fn open_here<L: Lanes>(
        &mut self,
        tree: &Tree,
        id: NodeId,
        state: &State,
        excluded: &[Move],
        params: &Params,
        rng: &mut Rng,
    ) {
        if tree.is_full() || !tree.begin_opening(id) {
            return;
        }
        match params.formula {
            Formula::Puct(puct) if params.grouping == Grouping::Split => {
                self.edges.clear();
                self.scores.clear();
                match state {
                    State::ToMove(position) => self.score_movements::<L>(position, puct.movement_temperature),
                    State::ToShoot(aiming) => self.score_arrows::<L>(aiming, puct.arrow_temperature),
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
        tree.open(id, &self.sorted, &mut self.allotment);
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
    fn score_arrows<L: Lanes>(&mut self, aiming: &Aiming, temperature: f32) {
        self.maps.flood_with::<L>(aiming.position());
        let arrows = Arrows::new(aiming, &self.maps);
        let stage = policy::stage(aiming.position());
        for arrow in aiming.arrow_targets() {
            self.edges.push(Edge::arrow(arrow));
            self.scores.push(policy::arrow_score(stage, &arrows.features::<L>(aiming, arrow)) / temperature);
        }
    }

    /// Gives the edges their priors and sorts them, the most probable first.
    #[inline(always)]
    fn sort_by_prior(&mut self) {
        let log_sum = libm::logf(policy::sum_of_odds(&self.scores));
        for (edge, score) in self.edges.iter_mut().zip(&self.scores) {
            *edge = edge.with_log_prior(score - log_sum);
        }
        tree::sort(&mut self.edges, &mut self.sorted);
    }
}

/// [`Opener::open`] as a task, compiled once a kernel for all its callers.
struct Opening<'a>(&'a mut Opener, &'a Tree, NodeId, &'a State, &'a [Move], &'a Params, &'a mut Rng);

impl SimdTask for Opening<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.0.open_here::<L>(self.1, self.2, self.3, self.4, self.5, self.6);
    }
}

impl Default for Opener {
    fn default() -> Self {
        Self::new()
    }
}
