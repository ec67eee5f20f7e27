//! Parameters of the papers' searches, and a preset for each system of the papers.

/// Parameters of a [`PaperSearch`](super::PaperSearch).
#[derive(Clone, PartialEq, Debug)]
pub struct PaperParams {
    /// True if a move is two nodes, movement and arrow: the Move Groups strategy (section 3.2).
    pub move_groups: bool,
    /// Formula of BESTCHILD.
    pub formula: Formula,
    /// Rollouts of one simulation.
    pub rollouts: Rollouts,
    /// Work that several threads share.
    pub parallel: Parallel,
}

/// Selection formula. X is the mean reward of a child, n its number of visits, N that of its parent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Formula {
    /// `X + c * sqrt(2 * ln N / n)`: algorithm 3, line 40. Equation 8 lacks the factor 2.
    Uct {
        /// Exploration constant.
        c: f32,
    },
    /// `X + sqrt(ln N / n * min(1/4, X - X^2 + sqrt(2 * ln N / n)))`: UCB1-tuned, as Kato et al. print it (section 4).
    Ucb1Tuned,
}

/// Random rollouts of one simulation. Depths are in half-moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rollouts {
    /// One rollout of this depth; depth 0 evaluates the new node itself.
    One(u32),
    /// Two independent rollouts, one of each depth; their winning rates are averaged.
    Two(u32, u32),
    /// One playout to the end of the game; the reward is its result, 0 or 1.
    ToEnd,
}

/// Work that several threads share. All modes give the same search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parallel {
    /// None: one thread.
    Off,
    /// The metrics of one evaluation: the Parallel Evaluation strategy (section 3.3).
    Metrics,
    /// The two rollouts of one simulation (leaf parallelization, Chaslot et al. 2008).
    Rollouts,
}

impl Parallel {
    /// The modes by name.
    pub const NAMED: [(&'static str, Self); 3] =
        [("off", Self::Off), ("metrics", Self::Metrics), ("rollouts", Self::Rollouts)];
}

impl PaperParams {
    /// MG-PEO: Move Groups and Parallel Evaluation. C and the depths are those of section 3.3.
    pub const PAPER: Self = Self {
        move_groups: true,
        formula: Formula::Uct { c: std::f32::consts::FRAC_1_SQRT_2 },
        rollouts: Rollouts::Two(4, 5),
        parallel: Parallel::Metrics,
    };
    /// MCTS with Move Groups alone.
    pub const MG: Self = Self { parallel: Parallel::Off, ..Self::PAPER };
    /// MCTS with Parallel Evaluation alone.
    pub const PEO: Self = Self { move_groups: false, ..Self::PAPER };
    /// Plain MCTS.
    pub const MCTS: Self = Self { parallel: Parallel::Off, ..Self::PEO };
    /// Plain UCT of Kato et al. 2015: whole moves, playouts to the end of the game, no evaluation.
    pub const UCT: Self = Self { formula: Formula::Ucb1Tuned, rollouts: Rollouts::ToEnd, ..Self::MCTS };
}
