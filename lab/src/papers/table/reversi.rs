//! Tables 1 to 10 of Phan and Synytsia: minimax against Monte Carlo tree search in Reversi on 4x4, 8x8 and
//! 12x12, and the truths that show that our games are right.

use super::sheet::Sheet;
use super::{Study, machine};
use crate::papers::games::study::{self, Played, Row, Table};
use std::sync::Mutex;

/// Plays the study, prints and writes its tables.
pub fn run(study: &Study) -> Result<(), String> {
    publish_truths(study)?;
    let played = played(study);
    for table in study::tables(&played) {
        study.publish(&format!("R-{}", table.number), &sheet(&table, played.len(), study.seed), None)?;
    }
    Ok(())
}

fn publish_truths(study: &Study) -> Result<(), String> {
    let mut sheet = Sheet::new("R-0: known truths", &["truth", "ours", "known"]);
    for truth in study::truths(study.quick) {
        sheet.row([truth.what, truth.ours.to_string(), truth.known.to_string()]);
    }
    study.publish("R-0", &sheet, None)
}

/// All games of the study, several at once, in an order that does not matter.
fn played(study: &Study) -> Vec<Played> {
    let pairings = study::pairings(study.quick, study.seed);
    let total = pairings.len();
    let (waiting, played) = (Mutex::new(pairings.into_iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..study.work.concurrency() {
            scope.spawn(|| {
                while let Some(pairing) = waiting.lock().ok().and_then(|mut waiting| waiting.next()) {
                    let game = study::play(&pairing);
                    let Ok(mut played) = played.lock() else { return };
                    played.extend(game);
                    if played.len() % 10 == 0 || played.len() == total {
                        eprintln!("R: {}/{total} games", played.len());
                    }
                }
            });
        }
    });
    played.into_inner().unwrap_or_default()
}

/// Our numbers and the paper's, side by side in each cell.
fn sheet(table: &Table, games: usize, seed: u64) -> Sheet {
    let mut header = vec!["board", "depth"];
    header.extend(table.columns.iter().map(String::as_str));
    let title = format!("R-{}: {} in {}, ours (paper)", table.number, table.title, table.unit);
    let mut sheet = Sheet::new(title, &header);
    for Row { board, depth, ours, paper } in &table.rows {
        let cells = ours.iter().zip(paper).map(|(ours, paper)| {
            let ours = ours.map_or("-".into(), |ours| format!("{ours:.3}"));
            format!("{ours} ({paper})")
        });
        let depth = depth.map_or("-".into(), |depth| depth.to_string());
        sheet.row([format!("{board}x{board}"), depth].into_iter().chain(cells));
    }
    sheet.notes = vec![format!("machine: {}; {games} games, seed {seed}", machine())];
    sheet
}
