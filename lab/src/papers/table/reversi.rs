//! Tables 1 to 10 of Phan and Synytsia: minimax against Monte Carlo tree search in Reversi on 4x4, 8x8 and 12x12, and known
//! truths that check our games.

use super::study::{Study, machine};
use crate::papers::games::study;
use crate::sheet::Sheet;
use std::sync::Mutex;

pub fn run(study: &Study) -> Result<(), String> {
    let mut truths = Sheet::new("R-0: known truths", &["truth", "ours", "known"]);
    for (name, ours, known) in study::truths(study.quick) {
        truths.row([name, ours.to_string(), known.to_string()]);
    }
    study.publish("R-0", &truths, None)?;
    let pairings = study::pairings(study.quick, study.seed);
    let (total, played) = (pairings.len(), Mutex::new(Vec::new()));
    study.work.cores.for_each(pairings.into_iter(), |pairing| {
        let game = study::play(&pairing);
        let mut played = played.lock().map_err(|error| error.to_string())?;
        played.extend(game);
        if played.len() % 10 == 0 || played.len() == total {
            eprintln!("R: {}/{total} games", played.len());
        }
        Ok(())
    })?;
    let played = played.into_inner().map_err(|error| error.to_string())?;
    for (number, mut sheet) in (1..).zip(study::tables(&played)) {
        sheet.notes = vec![format!("machine: {}; {} games, seed {}", machine(), played.len(), study.seed)];
        study.publish(&format!("R-{number}"), &sheet, None)?;
    }
    Ok(())
}
