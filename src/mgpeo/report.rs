//! The report of a search: its answer, and the statistics of its tree.

use super::tree::{NodeId, Tree};
use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::state::Action;
use crate::eval::winrate::WinRate;
use crate::order::sort_by_key;
use crate::report::{CONTINUED, Line, Report};
use std::cmp::Reverse;
use std::time::Duration;

/// A search to report on.
pub(super) struct Searched<'a> {
    pub tree: &'a Tree,
    pub position: Position,
    pub excluded: &'a [Move],
    pub iterations: u64,
    /// Length of the longest path from the root, in edges.
    pub depth: usize,
    /// Number of edges of a whole move: 2 with move groups, otherwise 1.
    pub edges_per_move: usize,
    pub elapsed: Duration,
}

impl Searched<'_> {
    /// Builds the report. The search proves nothing: [`Report::proven`] is only set when the game is over.
    pub fn report(&self) -> Report {
        let (tree, side) = (self.tree, self.position.side());
        let root = tree.node(Tree::ROOT);
        let winner = self.position.winner();
        let principal_variation = self.principal_variation();
        let best = principal_variation.first().copied();
        Report {
            best,
            win_rate: match winner {
                Some(winner) if winner == side => WinRate::WIN,
                Some(_) => WinRate::LOSS,
                // The root's rewards are the opponent's.
                None => !WinRate(root.mean()),
            },
            proven: winner,
            margin: None,
            lines: self.lines(best),
            principal_variation,
            iterations: self.iterations,
            visits: root.visits,
            nodes: tree.count(),
            memory_used: tree.filled(),
            recycled: 0,
            recycling: Duration::ZERO,
            depth: self.depth.div_ceil(self.edges_per_move),
            elapsed: self.elapsed,
        }
    }

    /// Returns the moves tried at the root: the best move first, then by visits.
    fn lines(&self, best: Option<Move>) -> Vec<Line> {
        let tree = self.tree;
        let mut lines = Vec::new();
        for (number, child) in tree.tried(Tree::ROOT).iter().enumerate() {
            let id = tree.child(Tree::ROOT, number);
            match child.action {
                Action::Movement(movement) => {
                    for (number, shot) in tree.tried(id).iter().enumerate() {
                        if let Action::Arrow(arrow) = shot.action {
                            lines.push((movement.with_arrow(arrow), tree.child(id, number)));
                        }
                    }
                }
                Action::Move(mv) => lines.push((mv, id)),
                Action::Arrow(_) => {}
            }
        }
        sort_by_key(&mut lines, |&(mv, id)| (Some(mv) != best, Reverse(tree.node(id).visits)));
        lines.into_iter().enumerate().map(|(rank, (mv, id))| self.line(rank, mv, id)).collect()
    }

    fn line(&self, rank: usize, mv: Move, id: NodeId) -> Line {
        let node = self.tree.node(id);
        let goes_on = rank < CONTINUED;
        Line {
            mv,
            continuation: if goes_on { continuation(self.tree, id) } else { Vec::new() },
            visits: node.visits,
            win_rate: WinRate(node.mean()),
            lower_bound: None,
            proven: None,
            lead: None,
        }
    }

    /// Returns the principal variation, with at least one move unless the game is over: without iterations a legal
    /// move, an excluded one only if all legal moves are excluded.
    fn principal_variation(&self) -> Vec<Move> {
        let position = &self.position;
        if position.winner().is_some() {
            return Vec::new();
        }
        let is_left = |mv: &Move| !self.excluded.contains(mv);
        match best_move(self.tree, Tree::ROOT) {
            Best::Move(mv, node) => [vec![mv], continuation(self.tree, node)].concat(),
            best => {
                let starts = |mv: &Move| match best {
                    Best::Movement(action) => action == Action::Movement(mv.movement()),
                    _ => true,
                };
                let mut moves = position.legal_moves();
                let first =
                    moves.find(|mv| is_left(mv) && starts(mv)).or_else(|| position.legal_moves().next());
                first.into_iter().collect()
            }
        }
    }
}

/// The best move at a node.
enum Best {
    /// No child has been tried.
    Nothing,
    /// A movement without tried arrows.
    Movement(Action),
    /// A move and the node after it.
    Move(Move, NodeId),
}

/// Returns the best moves from a node on.
fn continuation(tree: &Tree, mut id: NodeId) -> Vec<Move> {
    let mut moves = Vec::new();
    while let Best::Move(mv, node) = best_move(tree, id) {
        moves.push(mv);
        id = node;
    }
    moves
}

fn best_move(tree: &Tree, id: NodeId) -> Best {
    let Some(child) = most_visited(tree, id) else { return Best::Nothing };
    match tree.node(child).action {
        Action::Movement(movement) => match most_visited(tree, child) {
            Some(shot) => match tree.node(shot).action {
                Action::Arrow(arrow) => Best::Move(movement.with_arrow(arrow), shot),
                _ => Best::Nothing,
            },
            None => Best::Movement(Action::Movement(movement)),
        },
        Action::Move(mv) => Best::Move(mv, child),
        Action::Arrow(_) => Best::Nothing,
    }
}

/// Returns the most visited child; the mean breaks ties. Algorithm 1, line 8, returns BESTCHILD of the root, whose
/// exploration term belongs to the search, not to the answer.
fn most_visited(tree: &Tree, id: NodeId) -> Option<NodeId> {
    let mut best: Option<(usize, (u32, f32))> = None;
    for (number, child) in tree.tried(id).iter().enumerate() {
        let rank = (child.visits, child.mean());
        if best.is_none_or(|(_, highest)| rank > highest) {
            best = Some((number, rank));
        }
    }
    best.map(|(number, _)| tree.child(id, number))
}
