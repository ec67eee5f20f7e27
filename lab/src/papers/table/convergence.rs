//! The winning convergence distance of the MG-PEO paper (4.1, table 2): the number of nodes that the search expands for
//! the first move on 10x10 before it revisits a whole move.
//!
//! The nodes are counted in the engine's tree with the engine's selection, without exploration. An oracle for the best
//! or the worst case replaces the rollouts.

use super::study::Study;
use crate::sheet::Sheet;
use otrera::Params;
use otrera::search::backup::{self, Rewards, Step};
use otrera::search::expand::Expander;
use otrera::search::params::Formula;
use otrera::search::select::cache::SelectionCache;
use otrera::search::select::puct::ValueVariance;
use otrera::search::select::{Parent, Selected, best_child};
use otrera::search::state::State;
use otrera::search::tree::{NodeId, Tree};
use otrera::{Kernel, Movement, Position, Side, WinRate};

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
    for (name, params, paper) in [("paper", Params::PAPER, [187, 2256]), ("mcts", Params::MCTS, [2176, 2176])]
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
fn expanded_nodes(params: &Params, case: Case) -> [usize; 2] {
    let mut search = FirstMove::new(params, case);
    while search.expand_one() {}
    search.tried()
}

struct FirstMove {
    tree: Tree,
    params: Params,
    case: Case,
    favourite: Option<Movement>,
    expander: Expander,
    cache: SelectionCache,
}

impl FirstMove {
    fn new(params: &Params, case: Case) -> Self {
        let start = Position::standard();
        let arrows = |movement: &Movement| start.with_movement(*movement).arrow_targets().len();
        Self {
            tree: Tree::with_memory(1 << 20),
            params: Params { formula: Formula::Uct { c: 0.0 }, ..params.clone() },
            case,
            favourite: start.movements().find(|movement| arrows(movement) == 28),
            expander: Expander::new(1),
            cache: SelectionCache::default(),
        }
    }

    /// Expands a new node and backs up the oracle's result. Returns false, without expanding a node, if the search
    /// revisits a whole move.
    fn expand_one(&mut self) -> bool {
        let Some(path) = self.descend() else { return false };
        backup::add_rewards(&self.tree, &path, Rewards::of(self.oracle(&path)));
        true
    }

    fn descend(&mut self) -> Option<Vec<Step>> {
        let mut state = State::ToMove(Position::standard());
        let mut id = self.tree.root();
        let mut path = vec![Step { node: id, mover: Side::White }];
        self.tree.node(id).add_visits(1);
        loop {
            let Selected { child, is_new } = self.child_of(id, &state)?;
            id = child;
            let node = self.tree.node(id);
            path.push(Step { node: id, mover: Side::Black });
            state = state.after(node.edge().action());
            if is_new {
                return Some(path);
            }
            node.add_visits(1);
            if node.edge().as_arrow().is_some() {
                return None;
            }
        }
    }

    /// Selects a child with the engine's selection. If the node is unexpanded, expands it and returns its first child.
    fn child_of(&mut self, id: NodeId, state: &State) -> Option<Selected> {
        if !self.tree.is_expanded(id) {
            let (tree, params) = (&self.tree, &self.params);
            let first = self.expander.expand_on(Kernel::fastest(), tree, id, state, params)?;
            return Some(Selected { child: first, is_new: true });
        }
        let parent = Parent::new(&self.tree, id, Side::Black);
        let (Expander { chunk, lister }, params) = (&mut self.expander, &self.params);
        best_child(&parent, params, ValueVariance::START, &mut self.cache, chunk, move |count| {
            lister.list_on(Kernel::fastest(), state, params, &[], count)
        })
    }

    fn oracle(&self, path: &[Step]) -> WinRate {
        let movement = self.tree.node(path[1].node);
        let (arrows, tried) = movement.counts();
        let wins = match self.case {
            Case::Best => movement.edge().as_movement() == self.favourite,
            Case::Worst => path.len() < 3 || tried < arrows,
        };
        if wins { WinRate::WIN } else { WinRate::LOSS }
    }

    /// Returns the number of visited nodes at depths 1 and 2 below the root.
    fn tried(&self) -> [usize; 2] {
        let children: Vec<NodeId> = self.tree.tried(self.tree.root()).map(|(id, _)| id).collect();
        [children.len(), children.iter().map(|&id| self.tree.tried(id).count()).sum()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_movements_are_tried_before_arrows() {
        let mut search = FirstMove::new(&Params::PAPER, Case::Best);
        for expected in [[80, 0], [80, 80]] {
            (0..80).for_each(|_| assert!(search.expand_one()));
            assert_eq!(search.tried(), expected);
        }
        for (movement, _) in search.tree.tried(search.tree.root()) {
            assert_eq!(search.tree.tried(movement).count(), 1);
        }
    }

    #[test]
    fn node_counts_match_the_paper() {
        assert_eq!(expanded_nodes(&Params::PAPER, Case::Best), [80, 80 + 27]);
        assert_eq!(expanded_nodes(&Params::PAPER, Case::Worst), [80, 2176]);
        for case in [Case::Best, Case::Worst] {
            assert_eq!(expanded_nodes(&Params::MCTS, case), [2176, 0]);
        }
    }
}
