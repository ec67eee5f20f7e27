//! Table 2 of the MG-PEO paper: nodes expanded for the first move, in the best and in the worst case.

use super::convergence::{Case, expanded_nodes};
use super::study::Study;
use crate::sheet::Sheet;
use otrera::Params;

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
