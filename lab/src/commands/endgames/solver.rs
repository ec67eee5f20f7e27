//! Solves endgames by depth-first proof-number search (df-pn, Nagai 2002) over whole moves.
//!
//! A node has two proof numbers: one for a win of its side to move, one for a loss. The loss number is the largest win
//! number of its children plus one for each other unproven child (weak PN, Ueda et al. 2008), since one refutation
//! often refutes many moves. Proof numbers are stored by position; a game never repeats a position.

use super::remainder::{Remainder, Surveyor};
use otrera::eval::distance::DistanceMaps;
use otrera::eval::metrics::territory;
use otrera::simd::Kernel;
use otrera::{Position, Side};
use std::collections::{HashMap, HashSet};

/// Proof number of a disproven result (infinity).
const NEVER: u32 = 1 << 30;

/// Increase of the initial proof number of a win for each square or spare move by which the side is behind.
const PROOF_A_SQUARE: f32 = 4.0;

#[derive(Clone, Copy, Debug)]
struct Proofs {
    /// Proof number of a win for the side to move.
    win: u32,
    /// Proof number of a loss for the side to move.
    loss: u32,
}

impl Proofs {
    const WON: Self = Self { win: 0, loss: NEVER };
    const LOST: Self = Self { win: NEVER, loss: 0 };
}

/// A solver with its table of proof numbers and its node budget.
#[derive(Default)]
pub struct Solver {
    known: HashMap<u64, Proofs>,
    surveyor: Surveyor,
    maps: DistanceMaps,
    /// Number of nodes left in the budget.
    left: u64,
}

impl Solver {
    /// Creates a solver that gives up after `nodes` nodes, in all its searches together.
    pub fn new(nodes: u64) -> Self {
        Self { left: nodes, ..Self::default() }
    }

    /// Returns the winner of an unfinished game with best play; `None` if the node limit is reached.
    pub fn winner(&mut self, position: &Position) -> Option<Side> {
        let wins = self.wins(position, 0)?;
        Some(if wins { position.side() } else { position.side().opponent() })
    }

    /// Returns the margin of a won position: the number of moves that the side to move has left at the end with best
    /// play; `None` if the node limit is reached.
    pub fn margin(&mut self, position: &Position) -> Option<i32> {
        let mut margin = 0;
        while self.wins(position, -(margin + 1))? {
            margin += 1;
        }
        Some(margin)
    }

    /// Returns true if the side to move wins with a lead of `lead` spare moves; `None` if the node limit is reached.
    fn wins(&mut self, position: &Position, lead: i32) -> Option<bool> {
        let root = self.surveyor.reduce(position, lead);
        root.decided().or_else(|| match self.search(&root, Proofs { win: NEVER, loss: NEVER }) {
            Proofs { win: 0, .. } => Some(true),
            Proofs { loss: 0, .. } => Some(false),
            _ => None,
        })
    }

    /// True if the outcome is known without search.
    pub fn is_trivial(&mut self, position: &Position) -> bool {
        self.surveyor.reduce(position, 0).decided().is_some()
    }

    /// Searches a node until one proof number is 0 or reaches its threshold in `limit`, or the node limit is reached;
    /// returns both proof numbers.
    fn search(&mut self, node: &Remainder, limit: Proofs) -> Proofs {
        let mut children = self.children(node);
        loop {
            let proofs = combined(&children);
            let done = proofs.win == 0 || proofs.loss == 0;
            if done || proofs.win >= limit.win || proofs.loss >= limit.loss || self.left == 0 {
                self.known.insert(node.key(), proofs);
                return proofs;
            }
            let (place, next_best, open) = favourite(&children);
            let child = &mut children[place];
            // 1 + ε trick: a quarter beyond the second best, so that the search does not alternate between children.
            let limit = Proofs {
                win: limit.loss.saturating_sub(open - 1),
                loss: limit.win.min(next_best.saturating_add(next_best / 4 + 1)),
            };
            child.1 = self.search(&child.0.clone(), limit);
        }
    }

    /// Returns the distinct children with their proof numbers; if one is proven lost for its mover, only that one.
    fn children(&mut self, node: &Remainder) -> Vec<(Remainder, Proofs)> {
        let (mut children, mut keys) = (Vec::new(), HashSet::new());
        for (next, lead) in node.successors() {
            let child = self.surveyor.reduce(&next, lead);
            self.left = self.left.saturating_sub(1);
            if !keys.insert(child.key()) {
                continue;
            }
            let proofs = self.proofs(&child);
            if proofs.loss == 0 {
                return vec![(child, proofs)];
            }
            children.push((child, proofs));
        }
        children
    }

    /// Returns the proof numbers of a node from the table, or initial ones for a new node.
    fn proofs(&mut self, node: &Remainder) -> Proofs {
        if let Some(&known) = self.known.get(&node.key()) {
            return known;
        }
        let proofs = match node.decided() {
            Some(true) => Proofs::WON,
            Some(false) => Proofs::LOST,
            None => self.guess(node),
        };
        self.known.insert(node.key(), proofs);
        proofs
    }

    /// Estimates initial proof numbers from the lead in territory and spare moves.
    fn guess(&mut self, node: &Remainder) -> Proofs {
        self.maps.flood(&node.position, Kernel::fastest());
        let for_black = territory(&self.maps.queen).balance(0.0);
        let for_mover = if node.position.side() == Side::Black { for_black } else { -for_black };
        let ahead = (for_mover + node.lead as f32) * PROOF_A_SQUARE;
        Proofs { win: 1 + (-ahead).max(0.0) as u32, loss: 1 + ahead.max(0.0) as u32 }
    }
}

/// Computes the proof numbers of a node from those of its children.
fn combined(children: &[(Remainder, Proofs)]) -> Proofs {
    let win = children.iter().map(|(_, proofs)| proofs.loss).min().unwrap_or(NEVER);
    let open = children.iter().filter(|(_, proofs)| proofs.win > 0).count() as u32;
    let hardest = children.iter().map(|(_, proofs)| proofs.win).max().unwrap_or(0);
    let loss = if open == 0 { 0 } else { (hardest + open - 1).min(NEVER) };
    Proofs { win, loss }
}

/// Returns the index of the child with the smallest loss number (the most-proving child), the second smallest loss
/// number, and the number of children that are not proven to win for their side to move.
fn favourite(children: &[(Remainder, Proofs)]) -> (usize, u32, u32) {
    let (mut place, mut best, mut next_best, mut open) = (0, u32::MAX, NEVER, 0);
    for (i, (_, proofs)) in children.iter().enumerate().filter(|(_, (_, proofs))| proofs.win > 0) {
        open += 1;
        if proofs.loss < best {
            next_best = best.min(NEVER);
            (place, best) = (i, proofs.loss);
        } else {
            next_best = next_best.min(proofs.loss);
        }
    }
    (place, next_best, open)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::openings::random_moves;
    use fastrand::Rng;
    use otrera::Size;
    use otrera::board::bitboard::Bitboard;

    type Situation = ([Bitboard; 2], Bitboard, Side);

    /// Finds the winner by minimax with a transposition table.
    fn by_brute_force(position: &Position, solved: &mut HashMap<Situation, Side>) -> Side {
        let situation = (position.all_amazons(), position.empty(), position.side());
        if let Some(&known) = solved.get(&situation) {
            return known;
        }
        let side = position.side();
        let winner = position.winner().unwrap_or_else(|| {
            let mut after = position.legal_moves().map(|mv| position.with_move(mv));
            let wins = after.any(|next| by_brute_force(&next, solved) == side);
            if wins { side } else { side.opponent() }
        });
        solved.insert(situation, winner);
        winner
    }

    #[test]
    fn agrees_with_brute_force() {
        let mut rng = Rng::with_seed(1);
        let (mut solved, mut searched) = (0, 0);
        let mut memory = HashMap::new();
        for game in 0..120 {
            let mut position = Position::start(Size::new(4 + game % 3).expect("this board exists"));
            while position.winner().is_none() {
                if position.empty().len() <= 7 {
                    let mut solver = Solver::new(3_000_000);
                    let winner = by_brute_force(&position, &mut memory);
                    assert_eq!(solver.winner(&position), Some(winner), "{position}");
                    solved += 1;
                    searched += u32::from(!solver.is_trivial(&position));
                }
                (_, position) = random_moves(&position, 1, &mut rng);
            }
        }
        assert!(solved > 400 && searched > 50, "{solved} solved, {searched} of them by search");
    }

    #[test]
    fn gives_up_at_the_node_limit() {
        assert_eq!(Solver::new(3000).winner(&Position::standard()), None);
    }
}
