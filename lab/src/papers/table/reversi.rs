//! Tables 1 to 10 of Phan and Synytsia: minimax against Monte Carlo tree search in Reversi on 4x4, 8x8 and 12x12, and
//! known facts that check our implementation of the games.

use super::study::{Study, machine};
use crate::papers::games::{paper, study};
use crate::sheet::Sheet;

pub fn run(study: &Study) -> Result<(), String> {
    let mut truths = Sheet::new("R-0: known truths", &["truth", "ours", "known"]);
    for (name, ours, known) in study::truths(study.quick) {
        truths.row([name, ours.to_string(), known.to_string()]);
    }
    study.publish("R-0", &truths, None)?;
    let pairings = study::pairings(study.quick, study.seed);
    let play = |pairing| Ok(study::play(pairing, paper::LIMIT));
    let played = study.work.cores.map("games", pairings.into_iter(), play)?;
    for (number, mut sheet) in (1..).zip(study::tables(&played)) {
        sheet.notes = vec![format!("machine: {}; {} games, seed {}", machine(), played.len(), study.seed)];
        study.publish(&format!("R-{number}"), &sheet, None)?;
    }
    Ok(())
}
