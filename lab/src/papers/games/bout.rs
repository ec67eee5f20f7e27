//! One game between two searches, with their times and nodes.

use super::minimax::alpha_beta;
use super::uct::{EXPLORATION, uct};
use super::{Game, Player};
use fastrand::Rng;
use std::time::{Duration, Instant};

/// A search and its limit per move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    AlphaBeta {
        /// Depth in moves, at least 1.
        depth: u32,
    },
    Uct {
        iterations: u32,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    pub time: Duration,
    /// States visited (alpha-beta) or created (UCT).
    pub nodes: u64,
    /// Moves played, without passes.
    pub moves: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bout {
    /// The first player's lead at the end.
    pub score: i32,
    pub stopped: bool,
    pub efforts: [Effort; 2],
}

/// Plays one game. Stops after a move if the mover has searched for longer than `limit` in total.
pub fn bout<G: Game>(start: &G, agents: [Agent; 2], limit: Duration, rng: &mut Rng) -> Bout {
    let mut state = start.clone();
    let mut efforts = [Effort::default(); 2];
    let mut stopped = false;
    while let (Some(first), false) = (state.moves().first().copied(), stopped) {
        if G::is_pass(first) {
            state = state.play(first);
            continue;
        }
        let mover: Player = state.to_move();
        let effort = &mut efforts[mover.index()];
        let clock = Instant::now();
        let (chosen, nodes) = agents[mover.index()].choose(&state, rng);
        effort.time += clock.elapsed();
        effort.nodes += nodes;
        effort.moves += 1;
        stopped = effort.time > limit;
        state = state.play(chosen.unwrap_or(first));
    }
    Bout { score: state.score(), stopped: stopped && !state.moves().is_empty(), efforts }
}

impl Agent {
    /// Returns a move, unless the game is over, and the number of nodes.
    fn choose<G: Game>(self, state: &G, rng: &mut Rng) -> (Option<G::Move>, u64) {
        match self {
            Self::AlphaBeta { depth } => {
                let found = alpha_beta(state, depth.max(1));
                (found.best, found.nodes)
            }
            Self::Uct { iterations } => uct(state, iterations, EXPLORATION, rng),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::games::reversi::Reversi;
    use crate::papers::games::tictactoe::TicTacToe;

    const LONG: Duration = Duration::from_secs(600);
    const PERFECT: Agent = Agent::AlphaBeta { depth: 9 };

    #[test]
    fn nobody_beats_perfect_play_in_tic_tac_toe() {
        let mut rng = Rng::with_seed(1);
        let mut score = |agents| bout(&TicTacToe::new(), agents, LONG, &mut rng).score;
        assert_eq!(score([PERFECT, PERFECT]), 0);
        for iterations in [1, 10, 100] {
            assert!(score([PERFECT, Agent::Uct { iterations }]) >= 0);
            assert!(score([Agent::Uct { iterations }, PERFECT]) <= 0);
        }
    }

    #[test]
    fn perfect_play_in_reversi_4x4_is_won_by_the_second_player() {
        let mut rng = Rng::with_seed(2);
        let solver = Agent::AlphaBeta { depth: 16 };
        let game = bout(&Reversi::new(4).unwrap(), [solver, solver], LONG, &mut rng);
        assert_eq!((game.score, game.stopped), (3 - 11, false));
        let moves: u32 = game.efforts.iter().map(|effort| effort.moves).sum();
        assert_eq!(moves, 3 + 11 - 4);
    }

    #[test]
    fn without_time_one_move_is_played() {
        let agents = [PERFECT, Agent::Uct { iterations: 10 }];
        let game = bout(&TicTacToe::new(), agents, Duration::ZERO, &mut Rng::with_seed(3));
        assert!(game.stopped);
        assert_eq!(game.efforts.map(|effort| effort.moves), [1, 0]);
    }

    #[test]
    fn budgets_of_zero_still_play() {
        let agents = [Agent::AlphaBeta { depth: 0 }, Agent::Uct { iterations: 0 }];
        let game = bout(&Reversi::new(4).unwrap(), agents, LONG, &mut Rng::with_seed(4));
        assert!(!game.stopped && game.efforts.iter().all(|effort| effort.moves > 2));
    }
}
