//! The result of a search: best move, principal variation, statistics.

use super::params::Grouping;
use super::run::Run;
use super::select::{final_child, is_candidate, lower_bound};
use super::tree::{Node, NodeId, Tree};
use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::endgame::FillingProver;
use crate::eval::model::ModelScratch;
use crate::eval::winrate::WinRate;
use std::cmp::{Ordering, Reverse};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Result of a search, intermediate or final.
#[derive(Clone, Debug)]
pub struct Report {
    /// Move to play; `None` only if the game is over.
    pub best: Option<Move>,
    /// Winning rate of the side to move: the mean over all visits of the root; 0 or 1 if the outcome is proven.
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
    /// Number of times this run paused to recycle memory, see [`Tree::recycle`].
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
    /// Winning rate of the side that plays the move.
    pub win_rate: WinRate,
    /// Lower confidence bound of the winning rate, by which the final move is chosen, see [`final_child`]. `None` if
    /// the outcome is proven, if the move has less than 1/5 of the visits of the most visited unproven move, or with
    /// `lcb-z=0`.
    pub lower_bound: Option<WinRate>,
    /// Side that is proven to win after the move, if any.
    pub proven: Option<Side>,
    /// Expected lead in moves of the side that plays the move: the number of moves that it still has when the other side
    /// cannot move, or minus the other side's number. Estimated at the end of the continuation and bounded by a proof
    /// there. `None` beyond the first [`CONTINUED`] lines and without weights of the lead ([`crate::eval::lead`]).
    pub lead: Option<f32>,
}

impl Report {
    /// Returns the lead in moves that the side to move expects after the best line, see [`Line::lead`].
    pub fn lead(&self) -> Option<f32> {
        self.lines.first()?.lead
    }

    /// Returns the winning rate of the move to play; 0 or 1 if the outcome is proven. This rate is usually a little
    /// higher than [`Report::win_rate`], the mean over all tried moves.
    pub fn best_rate(&self) -> WinRate {
        match (self.proven, self.lines.first()) {
            (None, Some(best)) => best.win_rate,
            _ => self.win_rate,
        }
    }

    /// Returns the lines in order of preference as the final move, see [`final_child`]: the best move, other proven
    /// wins, lines with a [`Line::lower_bound`] by descending bound, other lines by descending visits, proven losses.
    pub fn by_choice(&self) -> Vec<&Line> {
        let mut lines: Vec<&Line> = self.lines.iter().collect();
        let won = lines.iter().skip(1).take_while(|line| line.proven.is_some()).count();
        let others = lines.get_mut(1 + won..).unwrap_or_default();
        // Lines with a bound have the most visits, so they come first among the unproven ones.
        let bounded = others.iter().take_while(|line| line.lower_bound.is_some()).count();
        others[..bounded]
            .sort_by(|a, b| b.lower_bound.partial_cmp(&a.lower_bound).unwrap_or(Ordering::Equal));
        lines
    }

    /// Returns the iterations per second.
    pub fn speed(&self) -> f64 {
        self.iterations as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Builds the report of a search from its tree and counters.
pub(crate) fn of_search(run: &Run, elapsed: Duration) -> Report {
    let tree = run.tree;
    let principal_variation = principal_variation(run);
    let root = tree.node(tree.root());
    let proven = run.root.winner().or(root.proof()).or(run.root_winner);
    let levels = match run.params.grouping {
        Grouping::Split => 2,
        Grouping::Whole => 1,
    };
    let for_opponent = rate(root, run.root.side().opponent());
    Report {
        best: principal_variation.first().copied(),
        win_rate: match proven {
            Some(winner) if winner == run.root.side() => WinRate::WIN,
            Some(_) => WinRate::LOSS,
            None => !for_opponent,
        },
        proven,
        margin: run.margin.or_else(|| margin_after_win(&run.root, proven, principal_variation.first())),
        lines: lines(run, principal_variation.first()),
        principal_variation,
        iterations: run.counters.iterations.load(Relaxed),
        visits: root.visits(),
        nodes: tree.len(),
        memory_used: tree.filled(),
        recycled: run.counters.recycled,
        recycling: run.counters.recycling,
        depth: run.counters.depth.load(Relaxed).saturating_sub(1).div_ceil(levels),
        elapsed,
    }
}

/// Returns [`Report::margin`] after the best move; `None` unless search and filling bounds prove a win.
fn margin_after_win(root: &Position, proven: Option<Side>, best: Option<&Move>) -> Option<u32> {
    let best = best.filter(|_| proven == Some(root.side()))?;
    let after = root.with_move(*best);
    let mut prover = FillingProver::new();
    prover.winner(&after).filter(|&winner| winner == root.side()).and_then(|_| prover.margin(&after))
}

/// Builds the report of a move that fills the mover's own squares, chosen without a search.
pub(crate) fn of_filling(run: &Run, mv: Move, elapsed: Duration) -> Report {
    let report = of_search(run, elapsed);
    let (win_rate, proven) = (report.win_rate, report.proven);
    let lead = lead(run, &[mv]);
    let line = Line { mv, continuation: Vec::new(), visits: 0, win_rate, lower_bound: None, proven, lead };
    Report { best: Some(mv), lines: vec![line], principal_variation: vec![mv], ..report }
}

/// Returns the winning rate of `mover`, the side that moved into `node`: 0 or 1 if proven, 0.5 if unvisited.
fn rate(node: Node, mover: Side) -> WinRate {
    match node.proof() {
        Some(winner) if winner == mover => WinRate::WIN,
        Some(_) => WinRate::LOSS,
        None if node.visits() == 0 => WinRate::EVEN,
        None => WinRate(node.mean(node.visits())),
    }
}

/// Returns the lines in the order of [`Report::lines`]. If [`crate::endgame`] proves that the root is lost, marks every
/// line as lost, since the tree does not contain this proof.
fn lines(run: &Run, best: Option<&Move>) -> Vec<Line> {
    let (tree, root) = (run.tree, &run.root);
    let rival = root.side().opponent();
    let is_lost = run.root_winner == Some(rival);
    let line = |mv, id, node: Node| {
        let proven = if is_lost { Some(rival) } else { node.proof() };
        let win_rate = if is_lost { WinRate::LOSS } else { rate(node, root.side()) };
        (
            id,
            Line {
                mv,
                continuation: Vec::new(),
                visits: node.visits(),
                win_rate,
                lower_bound: None,
                proven,
                lead: None,
            },
        )
    };
    let mut lines = Vec::new();
    for (id, node) in tree.tried(tree.root()) {
        match (node.edge().as_movement(), node.edge().as_arrow()) {
            (Some(movement), Some(arrow)) => lines.push(line(movement.with_arrow(arrow), id, node)),
            (Some(movement), None) => lines.extend(tree.tried(id).filter_map(|(id, shot)| {
                shot.edge().as_arrow().map(|arrow| line(movement.with_arrow(arrow), id, shot))
            })),
            _ => {}
        }
    }
    lines.sort_by_key(|(_, line)| {
        let (lost, proven) = (line.proven == Some(rival), line.proven.is_some());
        (Some(&line.mv) != best, lost, !proven, Reverse(line.visits))
    });
    let open = lines.iter().filter(|(_, line)| line.proven.is_none());
    let most = open.map(|(_, line)| line.visits).max().unwrap_or_default();
    let lcb_z = run.params.lcb_z;
    for (id, line) in &mut lines {
        if lcb_z > 0.0 && line.proven.is_none() && is_candidate(line.visits, most) {
            line.lower_bound = Some(WinRate(lower_bound(tree, *id, lcb_z).max(0.0)));
        }
    }
    for (id, line) in lines.iter_mut().take(CONTINUED) {
        line.continuation = continuation(tree, *id, root.with_move(line.mv));
        line.lead = lead(run, &[&[line.mv], &line.continuation[..]].concat());
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Returns the lead that the side to move at the root expects after a line of moves, see [`Line::lead`].
fn lead(run: &Run, line: &[Move]) -> Option<f32> {
    if cfg!(botzone_only) {
        return None;
    }
    let side = run.root.side();
    let end = line.iter().fold(run.root, |position, mv| position.with_move(*mv));
    let for_side = |lead: f32, of: Side| if of == side { lead } else { -lead };
    let estimate = for_side(run.evaluator.model().lead(&end, &mut ModelScratch::default())?, end.side());
    let mut prover = FillingProver::new();
    let Some(winner) = prover.winner(&end) else { return Some(estimate) };
    let margin = prover.margin(&end).unwrap_or_default() as f32;
    let of_winner = for_side(estimate, winner);
    let lead = if end.winner().is_some() { margin } else { of_winner.max(margin) };
    Some(for_side(lead, winner))
}

/// Returns the principal variation, with at least one move unless the game is over. If no movement was tried, or the
/// best movement has no tried arrow, returns one legal move; an excluded one only if all legal moves are excluded.
fn principal_variation(run: &Run) -> Vec<Move> {
    let &Run { tree, root, excluded, .. } = run;
    if root.winner().is_some() {
        return Vec::new();
    }
    let is_left = |mv: &Move| !excluded.contains(mv);
    let any = || root.legal_moves().find(is_left).or_else(|| root.legal_moves().next());
    match best_move(tree, tree.root(), &root, run.params.lcb_z) {
        (Some(mv), Some(node)) => [vec![mv], continuation(tree, node, root.with_move(mv))].concat(),
        (untried, _) => untried.filter(is_left).or_else(any).into_iter().collect(),
    }
}

/// Returns the principal variation below a node. Chooses moves by visits alone: deep nodes have too few visits for
/// confidence bounds.
fn continuation(tree: &Tree, mut id: NodeId, mut position: Position) -> Vec<Move> {
    let mut moves = Vec::new();
    while let (Some(mv), Some(node)) = best_move(tree, id, &position, 0.0) {
        moves.push(mv);
        position = position.with_move(mv);
        id = node;
    }
    moves
}

/// Returns the best move at a node and the node after that move. If the best movement has no tried arrow, returns that
/// movement with its first legal arrow and no node.
fn best_move(tree: &Tree, id: NodeId, position: &Position, lcb_z: f32) -> (Option<Move>, Option<NodeId>) {
    let side = position.side();
    let Some(child) = final_child(tree, id, side, lcb_z) else { return (None, None) };
    let edge = tree.node(child).edge();
    match (edge.as_movement(), edge.as_arrow()) {
        (Some(movement), Some(arrow)) => (Some(movement.with_arrow(arrow)), Some(child)),
        (Some(movement), None) => {
            let shot = final_child(tree, child, side, lcb_z);
            let tried = shot.and_then(|shot| tree.node(shot).edge().as_arrow());
            let arrow = tried.or_else(|| position.with_movement(movement).arrow_targets().first());
            (arrow.map(|arrow| movement.with_arrow(arrow)), shot)
        }
        _ => (None, None),
    }
}
