//! Builds the [`Report`] of a search from its tree.

use super::run::{Run, Task};
use super::select::{final_child, is_candidate, lower_bound};
use super::tree::{Node, NodeId, Tree};
use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::endgame::FillingProver;
use crate::eval::model::ModelScratch;
use crate::eval::winrate::WinRate;
use crate::order::sort_by_key;
use crate::report::{CONTINUED, Line, Report};
use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Builds the report of a search from its tree and counters.
pub(crate) fn of_search(run: &Run, elapsed: Duration) -> Report {
    let tree = run.tree;
    let principal_variation = principal_variation(run);
    let root = tree.node(tree.root());
    let proven = run.task.root.winner().or(root.proof()).or(run.task.root_winner());
    let for_opponent = rate(root, run.task.root.side().opponent());
    Report {
        best: principal_variation.first().copied(),
        win_rate: match proven {
            Some(winner) if winner == run.task.root.side() => WinRate::WIN,
            Some(_) => WinRate::LOSS,
            None => !for_opponent,
        },
        proven,
        margin: run
            .task
            .proof
            .and_then(|proof| proof.margin)
            .or_else(|| margin_after_win(&run.task.root, proven, principal_variation.first())),
        lines: lines(run, principal_variation.first()),
        principal_variation,
        iterations: run.counters.iterations.load(Relaxed),
        visits: root.visits(),
        nodes: tree.len(),
        memory_used: tree.filled(),
        recycled: run.counters.recycled,
        recycling: run.counters.recycling,
        depth: run.counters.depth.load(Relaxed).saturating_sub(1).div_ceil(2),
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
    let lead = lead(run, &[mv], &mut ModelScratch::default());
    let line = Line { mv, continuation: Vec::new(), visits: 0, win_rate, lower_bound: None, proven, lead };
    Report { best: Some(mv), lines: vec![line], principal_variation: vec![mv], ..report }
}

/// Returns the win rate of `mover`, the side that moved into `node`: 0 or 1 if proven, 0.5 if unvisited.
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
    let (tree, root) = (run.tree, &run.task.root);
    let rival = root.side().opponent();
    let is_lost = run.task.root_winner() == Some(rival);
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
        let Some(movement) = node.edge().as_movement() else { continue };
        lines.extend(tree.tried(id).filter_map(|(id, shot)| {
            shot.edge().as_arrow().map(|arrow| line(movement.with_arrow(arrow), id, shot))
        }));
    }
    sort_by_key(&mut lines, |(_, line)| {
        let (lost, proven) = (line.proven == Some(rival), line.proven.is_some());
        (Some(&line.mv) != best, lost, !proven, Reverse(line.visits))
    });
    let open = lines.iter().filter(|(_, line)| line.proven.is_none());
    let most = open.map(|(_, line)| line.visits).max().unwrap_or_default();
    let lcb_z = run.task.params.lcb_z;
    for (id, line) in &mut lines {
        if lcb_z > 0.0 && line.proven.is_none() && is_candidate(line.visits, most) {
            line.lower_bound = Some(WinRate(lower_bound(tree, *id, lcb_z).max(0.0)));
        }
    }
    let mut scratch = ModelScratch::default();
    for (id, line) in lines.iter_mut().take(CONTINUED) {
        line.continuation = continuation(tree, *id, root.with_move(line.mv));
        line.lead = lead(run, &[&[line.mv], &line.continuation[..]].concat(), &mut scratch);
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Returns the lead that the side to move at the root expects after a line of moves, see [`Line::lead`].
fn lead(run: &Run, line: &[Move], scratch: &mut ModelScratch) -> Option<f32> {
    let side = run.task.root.side();
    let end = line.iter().fold(run.task.root, |position, mv| position.with_move(*mv));
    let for_side = |lead: f32, of: Side| if of == side { lead } else { -lead };
    let estimate = for_side(run.task.params.model.lead(&end, scratch)?, end.side());
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
    let (tree, &Task { root, excluded, .. }) = (run.tree, run.task);
    if root.winner().is_some() {
        return Vec::new();
    }
    let is_left = |mv: &Move| !excluded.contains(mv);
    let any = || root.legal_moves().find(is_left).or_else(|| root.legal_moves().next());
    match best_move(tree, tree.root(), &root, run.task.params.lcb_z) {
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

/// True if the tree has a best move for the root with the node after it. Recycling can free the moves that prove a root.
pub fn has_best_move(tree: &Tree, root: &Position) -> bool {
    best_move(tree, tree.root(), root, 0.0).1.is_some()
}

/// Returns the best move at a node and the node after that move. If the best movement has no tried arrow, returns that
/// movement with its first legal arrow and no node.
fn best_move(tree: &Tree, id: NodeId, position: &Position, lcb_z: f32) -> (Option<Move>, Option<NodeId>) {
    let side = position.side();
    let Some(child) = final_child(tree, id, side, lcb_z) else { return (None, None) };
    let Some(movement) = tree.node(child).edge().as_movement() else { return (None, None) };
    let shot = final_child(tree, child, side, lcb_z);
    let tried = shot.and_then(|shot| tree.node(shot).edge().as_arrow());
    let arrow = tried.or_else(|| position.with_movement(movement).arrow_targets().first());
    (arrow.map(|arrow| movement.with_arrow(arrow)), shot)
}
