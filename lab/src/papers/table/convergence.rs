//! The winning convergence distance of the MG-PEO paper (4.1, table 2): the number of nodes that the search expands for
//! the first move on 10x10 before it revisits a whole move.
//!
//! The nodes are counted in the engine's tree with the engine's selection, without exploration. An oracle for the best
//! or the worst case replaces the rollouts.

use super::study::Study;
use crate::sheet::Sheet;
use otrera::board::moves::Movement;
use otrera::board::state::Action;
use otrera::mgpeo::tree::{Node, Tree};
use otrera::mgpeo::{Formula, PaperParams, PaperSearch};
use otrera::{Position, Resources, WinRate};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Case {
    /// One movement with 28 arrows, as in the paper, always wins; all other movements lose.
    Best,
    /// Every half-move wins, except the last-expanded arrow of each movement.
    Worst,
}

/// Prints and saves table 2: nodes expanded for the first move, in the best and in the worst case.
pub fn run(study: &Study) -> Result<(), String> {
    let mut sheet = Sheet::new(
        "Z-2: nodes expanded for the first move on 10x10 (paper)",
        &["search", "best case", "paper", "worst case", "paper"],
    );
    for (name, params, paper) in
        [("paper", PaperParams::PAPER, [187, 2256]), ("mcts", PaperParams::MCTS, [2176, 2176])]
    {
        let ours = [Case::Best, Case::Worst].map(|case| expanded_nodes(&params, case).iter().sum::<usize>());
        let cells = [ours[0], paper[0], ours[1], paper[1]].map(|count: usize| count.to_string());
        sheet.row(std::iter::once(name.to_owned()).chain(cells));
    }
    sheet.notes = vec![
        "counted in the real tree under the real selection, exploration off, rollouts replaced by an oracle"
            .into(),
        "best case: one movement with 28 arrows always wins; worst case: the last arrow of each loses".into(),
    ];
    study.publish("Z-2", &sheet, None)
}

/// Returns the number of nodes that a search expands for the first move: `[movements or whole moves, arrows]`.
fn expanded_nodes(params: &PaperParams, case: Case) -> [usize; 2] {
    let mut search = FirstMove::new(params, case);
    while search.expand_one() {}
    search.tried()
}

struct FirstMove {
    search: PaperSearch,
    case: Case,
    favourite: Option<Movement>,
}

impl FirstMove {
    fn new(params: &PaperParams, case: Case) -> Self {
        let start = Position::standard();
        let arrows = |movement: &Movement| start.with_movement(*movement).arrow_targets().len();
        let params = PaperParams { formula: Formula::Uct { c: 0.0 }, ..params.clone() };
        Self {
            search: PaperSearch::new(start, params, Resources { memory: 1 << 20, ..Resources::default() }),
            case,
            favourite: start.movements().find(|movement| arrows(movement) == 28),
        }
    }

    /// Expands a new node and backs up the oracle's result. Returns false, without expanding a node, if the search
    /// revisits a whole move.
    fn expand_one(&mut self) -> bool {
        let state = self.search.selection();
        let is_whole_move = |node: &Node| !matches!(node.action, Action::Movement(_));
        if self.search.path().skip(1).any(is_whole_move) {
            return false;
        }
        self.search.expansion(state);
        let result = self.oracle();
        self.search.backup(result);
        true
    }

    fn oracle(&self) -> WinRate {
        let path: Vec<&Node> = self.search.path().collect();
        let wins = match (self.case, path[1].action) {
            (Case::Best, Action::Movement(movement)) => Some(movement) == self.favourite,
            (Case::Best, _) => false,
            (Case::Worst, _) => path.len() < 3 || path[1].tried() < path[1].children(),
        };
        if wins { WinRate::WIN } else { WinRate::LOSS }
    }

    /// Returns the number of visited nodes at depths 1 and 2 below the root.
    fn tried(&self) -> [usize; 2] {
        let children = self.search.tree().tried(Tree::ROOT);
        [children.len(), children.iter().map(Node::tried).sum()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_movements_are_tried_before_arrows() {
        let mut search = FirstMove::new(&PaperParams::PAPER, Case::Best);
        for expected in [[80, 0], [80, 80]] {
            (0..80).for_each(|_| assert!(search.expand_one()));
            assert_eq!(search.tried(), expected);
        }
        assert!(search.search.tree().tried(Tree::ROOT).iter().all(|movement| movement.tried() == 1));
    }

    #[test]
    fn node_counts_match_the_paper() {
        assert_eq!(expanded_nodes(&PaperParams::PAPER, Case::Best), [80, 80 + 27]);
        assert_eq!(expanded_nodes(&PaperParams::PAPER, Case::Worst), [80, 2176]);
        for case in [Case::Best, Case::Worst] {
            assert_eq!(expanded_nodes(&PaperParams::MCTS, case), [2176, 0]);
        }
    }
}
