//! How good a new leaf is: random half-moves from it, then the evaluation (paper, algorithm 3).
//!
//! A rollout counts half-moves, a movement or an arrow, and ends early where a side cannot move: that is
//! a win or a loss, not an estimate.

use super::params::{Parallel, Params, Rollouts};
use super::playout::Playouts;
use super::state::State;
use crate::board::bitboard::Bitboard;
use crate::board::moves::Movement;
use crate::board::position::{ArrowPhase, Position};
use crate::board::square::{Side, Square};
use crate::eval::distance::DistanceMaps;
use crate::eval::lanes::{Kernel, Lanes, Work};
use crate::eval::phase::Weights;
use crate::eval::winrate::{Leaf, WinRate};
use crate::eval::{self, parallel};
use fastrand::Rng;

/// Judges leaves by rollouts and evaluation.
#[derive(Clone, Debug)]
pub struct Simulator {
    rollouts: Rollouts,
    leaf: Leaf,
    weights: Weights,
    mode: Parallel,
    kernel: Kernel,
}

/// What a worker needs to simulate, kept from one leaf to the next.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    maps: [DistanceMaps; 2],
    playouts: Playouts,
}

/// Where a rollout ended.
enum End {
    Won(Side),
    Reached(Position),
}

impl Simulator {
    /// A simulator with these parameters. `threaded` says whether it runs inside a thread pool; outside
    /// of one every parallel mode works serially, with the same result.
    pub fn new(params: &Params, threaded: bool) -> Self {
        Self {
            rollouts: params.rollouts,
            leaf: params.leaf,
            weights: params.weights.clone(),
            mode: if threaded { params.parallel } else { Parallel::Off },
            kernel: Kernel::fastest(),
        }
    }

    /// The same simulator on a given kernel; one that this processor lacks is replaced.
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel: kernel.min(Kernel::fastest()), ..self }
    }

    /// The kernel in use.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Black's winning rate at a leaf: the mean over the independent rollouts. From between the halves
    /// of a move, a random arrow is shot first.
    #[inline]
    pub fn win_rate_for_black(&self, state: &State, rng: &mut Rng, scratch: &mut Scratch) -> WinRate {
        struct Simulation<'a>(&'a Simulator, &'a State, &'a mut Rng, &'a mut Scratch);
        impl Work for Simulation<'_> {
            type Output = WinRate;
            #[inline(always)]
            fn run<L: Lanes>(self) -> WinRate {
                self.0.simulate::<L>(self.1, self.2, self.3)
            }
        }
        self.kernel.run(Simulation(self, state, rng, scratch))
    }

    /// The same by the kernel that the caller was compiled for.
    #[inline(always)]
    pub(super) fn simulate<L: Lanes>(&self, state: &State, rng: &mut Rng, scratch: &mut Scratch) -> WinRate {
        let position = match state {
            State::ToMove(position) => *position,
            State::ToShoot(arrow_phase) => arrow_phase.with_arrow(random_arrow(arrow_phase, rng)),
        };
        if self.rollouts == Rollouts::TO_THE_END
            && let Some(winner) = scratch.playouts.winner(&position, rng)
        {
            return if winner == Side::Black { WinRate::WIN } else { WinRate::LOSS };
        }
        let [first_maps, second_maps] = &mut scratch.maps;
        // A generator of its own for each rollout: side by side they draw the same numbers as in turn.
        let mut generator = || Rng::with_seed(rng.u64(..));
        match (self.rollouts, self.mode) {
            (Rollouts::One(depth), _) => self.rollout::<L>(position, depth, generator(), first_maps),
            (Rollouts::Two(depth, other_depth), Parallel::Rollouts) => {
                let (first_rng, second_rng) = (generator(), generator());
                let (first, second) = rayon::join(
                    || self.rollout::<L>(position, depth, first_rng, first_maps),
                    || self.rollout::<L>(position, other_depth, second_rng, second_maps),
                );
                first.mean(second)
            }
            (Rollouts::Two(depth, other_depth), _) => {
                let (first_rng, second_rng) = (generator(), generator());
                let first = self.rollout::<L>(position, depth, first_rng, first_maps);
                first.mean(self.rollout::<L>(position, other_depth, second_rng, first_maps))
            }
        }
    }

    /// Black's winning rate after one rollout of `depth` half-moves.
    #[inline(always)]
    fn rollout<L: Lanes>(
        &self,
        start: Position,
        depth: u32,
        mut rng: Rng,
        maps: &mut DistanceMaps,
    ) -> WinRate {
        match random_half_moves(start, depth, &mut rng) {
            End::Won(Side::Black) => WinRate::WIN,
            End::Won(Side::White) => WinRate::LOSS,
            End::Reached(position) => {
                let value = match self.mode {
                    Parallel::Metrics => parallel::value(&position, &self.weights),
                    _ => eval::value::<L>(&position, &self.weights, maps),
                };
                let rate = self.leaf.win_rate(value);
                if position.side() == Side::Black { rate } else { !rate }
            }
        }
    }
}

/// Plays random half-moves. Where the last one is a movement, the end is the board as it then stands.
#[inline(always)]
fn random_half_moves(start: Position, depth: u32, rng: &mut Rng) -> End {
    let mut position = start;
    let mut left = depth;
    loop {
        if let Some(winner) = position.winner() {
            return End::Won(winner);
        }
        if left == 0 {
            return End::Reached(position);
        }
        // A side that may move although it is blocked cannot be: the winner was looked for.
        let Some(movement) = random_movement(&position, rng) else {
            return End::Won(position.side().opponent());
        };
        let arrow_phase = position.with_movement(movement);
        if left == 1 {
            return End::Reached(*arrow_phase.position());
        }
        position = arrow_phase.with_arrow(random_arrow(&arrow_phase, rng));
        left -= 2;
    }
}

/// A uniformly random movement of the side to move; `None` if it has none. No list is made: the
/// landings of up to four amazons at a time are counted, and one of them is drawn.
#[inline(always)]
fn random_movement(position: &Position, rng: &mut Rng) -> Option<Movement> {
    let mut drawn = None;
    let mut seen = 0;
    let mut amazons = position.amazons(position.side()).into_iter();
    loop {
        let mut group = [(Square::from_index(0), Bitboard::EMPTY); 4];
        let mut members = 0;
        let mut total = 0;
        for (slot, from) in group.iter_mut().zip(amazons.by_ref()) {
            let landings = position.landings(from);
            *slot = (from, landings);
            total += landings.len();
            members += 1;
        }
        seen += total;
        if total > 0 {
            // With more than four amazons: this group's landings, with the chance that is due to them.
            let mut place = rng.u32(..seen);
            if place < total {
                for (from, landings) in group {
                    let count = landings.len();
                    if place < count {
                        drawn = Some(Movement { from, to: landings.nth(place) });
                        break;
                    }
                    place -= count;
                }
            }
        }
        if members < 4 || amazons.clone().next().is_none() {
            return drawn;
        }
    }
}

#[inline(always)]
fn random_arrow(arrow_phase: &ArrowPhase, rng: &mut Rng) -> Square {
    let targets = arrow_phase.arrow_targets();
    targets.nth(rng.u32(..targets.len()))
}
