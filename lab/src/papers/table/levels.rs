//! The ladder of playing levels: each level against the one below, and level 1 against `greedy`.

use super::study::{Cell, Study, machine, percent, percent_interval};
use crate::matches::score::Score;
use crate::sheet::Sheet;
use otrera::Level;
use otrera_arena::game::Control;
use std::time::Duration;

/// Number of games of each level, from level 1, against the level below. Slower levels play fewer games.
const GAMES: [u64; 10] = [200, 200, 200, 200, 100, 100, 60, 40, 20, 20];

const OPENING_PLIES: u32 = 4;

fn below(level: usize) -> String {
    if level == 1 { "greedy".into() } else { format!("level:{}", level - 1) }
}

fn cell(study: &Study, level: usize) -> Result<Cell, String> {
    let games = if study.quick { 2 } else { GAMES[level - 1] };
    let players = [&*format!("level:{level}"), &*below(level)];
    let control = Control::PerMove(Duration::from_secs(1));
    Ok((format!("levels/{level}"), study.new_match(players, games, control, OPENING_PLIES)?))
}

pub fn run(study: &Study) -> Result<(), String> {
    let levels = || 1..=GAMES.len();
    let cells = levels().map(|level| cell(study, level)).collect::<Result<_, _>>()?;
    let header = ["level", "against", "score", "won", "95 % interval"];
    let mut sheet = Sheet::new("Ladder of the playing levels", &header);
    for (level, games) in levels().zip(study.games(cells)?) {
        let score = Score::of(&games);
        let (low, high) = percent_interval(score.tally.wins(), games.len() as u64);
        sheet.row([
            level.to_string(),
            below(level),
            format!("{}-{}", score.tally.wins(), score.tally.losses()),
            format!("{:.0} %", percent(&score)),
            format!("{low:.0} to {high:.0} %"),
        ]);
    }
    sheet.notes = vec![
        format!("machine: {}", machine()),
        format!(
            "10x10, one thread, {OPENING_PLIES} random plies, colours swapped, seed {}; level 10: {} s a move",
            study.seed,
            Level::FULL_TIME.as_secs()
        ),
    ];
    study.publish("levels", &sheet, None)
}
