//! The result of a search: best move, principal variation, statistics.

use crate::board::moves::Move;
use crate::board::square::Side;
use crate::eval::winrate::WinRate;
use crate::order::sort_by;
use std::cmp::Ordering;
use std::time::Duration;

/// Result of a search, intermediate or final.
#[derive(Clone, Debug)]
pub struct Report {
    /// Move to play; `None` only if the game is over.
    pub best: Option<Move>,
    /// Win rate of the side to move: the mean over all visits of the root; 0 or 1 if the outcome is proven.
    pub win_rate: WinRate,
    /// Side that is proven to win, if any.
    pub proven: Option<Side>,
    /// Number of moves that the proven winner is certain to have left when the loser cannot move. `None` unless
    /// [`crate::endgame`] proves the outcome at the root or after a winning best move.
    pub margin: Option<u32>,
    /// Moves tried at the root: the best move first, then proven wins, then the others by visits, proven losses last.
    /// With move groups the best move can have fewer visits than others, since its movement is chosen before its arrow.
    pub lines: Vec<Line>,
    /// Principal variation, beginning with `best`.
    pub principal_variation: Vec<Move>,
    /// Number of iterations in this run.
    pub iterations: u64,
    /// Number of visits to the root, including those kept from earlier searches.
    pub visits: u32,
    /// Number of nodes in the tree: the root and all children of expanded nodes, tried or not.
    pub nodes: usize,
    /// Fraction of the tree's memory in use, 0 to 1.
    pub memory_used: f64,
    /// Number of times this run paused to recycle memory, see [`crate::search`].
    pub recycled: u32,
    /// Total time that this run paused to recycle memory.
    pub recycling: Duration,
    /// Length of the longest path of this run from the root, in whole moves, rounded up.
    pub depth: usize,
    /// Time since the run began.
    pub elapsed: Duration,
}

/// Maximum number of lines with a [`Line::continuation`]. Collecting continuations takes time.
pub const CONTINUED: usize = 50;

/// Statistics of a move at the root.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// The move.
    pub mv: Move,
    /// Principal variation after the move; empty beyond the first [`CONTINUED`] lines.
    pub continuation: Vec<Move>,
    /// Number of visits to the node after the move.
    pub visits: u32,
    /// Win rate of the side that plays the move.
    pub win_rate: WinRate,
    /// Lower confidence bound of the win rate, by which the final move is chosen, see [`crate::search`]. `None` if
    /// the outcome is proven, if the move has less than 1/5 of the visits of the most visited unproven move, or with
    /// `lcb-z=0`.
    pub lower_bound: Option<WinRate>,
    /// Side that is proven to win after the move, if any.
    pub proven: Option<Side>,
    /// Expected lead in moves of the side that plays the move: the number of moves that it still has when the other
    /// side cannot move, or minus the other side's number. Estimated at the end of the continuation and bounded by a
    /// proof there. `None` beyond the first [`CONTINUED`] lines and without weights of the lead
    /// ([`crate::eval::lead`]).
    pub lead: Option<f32>,
}

impl Report {
    /// Returns the lead in moves that the side to move expects after the best line, see [`Line::lead`].
    pub fn lead(&self) -> Option<f32> {
        self.lines.first()?.lead
    }

    /// Returns the win rate of the move to play; 0 or 1 if the outcome is proven. This rate is usually a little
    /// higher than [`Report::win_rate`], the mean over all tried moves.
    pub fn best_rate(&self) -> WinRate {
        match (self.proven, self.lines.first()) {
            (None, Some(best)) => best.win_rate,
            _ => self.win_rate,
        }
    }

    /// Returns the lines in order of preference as the final move, see [`crate::search`]: the best move, other proven
    /// wins, lines with a [`Line::lower_bound`] by descending bound, other lines by descending visits, proven losses.
    pub fn by_choice(&self) -> Vec<&Line> {
        let mut lines: Vec<&Line> = self.lines.iter().collect();
        let won = lines.iter().skip(1).take_while(|line| line.proven.is_some()).count();
        let others = lines.get_mut(1 + won..).unwrap_or_default();
        // Lines with a bound have the most visits, so they come first among the unproven ones.
        let bounded = others.iter().take_while(|line| line.lower_bound.is_some()).count();
        sort_by(&mut others[..bounded], |a, b| {
            b.lower_bound.partial_cmp(&a.lower_bound).unwrap_or(Ordering::Equal)
        });
        lines
    }

    /// Returns the iterations per second.
    pub fn speed(&self) -> f64 {
        self.iterations as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}
