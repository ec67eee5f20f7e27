//! The ladder of playing levels: each level against the one below, and level 1 against `random` and `greedy`.

use super::study::{Cell, Study, machine, percent, percent_interval};
use crate::matches::score::Score;
use crate::sheet::Sheet;
use otrera::Level;
use otrera_arena::game::Control;
use std::time::Duration;

/// Level, opponent and number of games of each row; level 10 is slow.
const ROWS: [(&str, &str, u64); 11] = [
    ("level:1", "random", 200),
    ("level:1", "greedy", 200),
    ("level:2", "level:1", 200),
    ("level:3", "level:2", 200),
    ("level:4", "level:3", 200),
    ("level:5", "level:4", 200),
    ("level:6", "level:5", 200),
    ("level:7", "level:6", 200),
    ("level:8", "level:7", 200),
    ("level:9", "level:8", 200),
    ("level:10", "level:9", 20),
];

const OPENING_PLIES: u32 = 4;

fn cell(study: &Study, (level, against, games): (&str, &str, u64)) -> Result<Cell, String> {
    let games = if study.quick { 2 } else { games };
    let control = Control::PerMove(Duration::from_secs(1));
    let name = format!("levels/{level}-{against}").replace("level:", "");
    Ok((name, study.new_match([level, against], games, control, OPENING_PLIES)?))
}

pub fn run(study: &Study) -> Result<(), String> {
    let cells = ROWS.map(|row| cell(study, row)).into_iter().collect::<Result<_, _>>()?;
    let header = ["level", "against", "score", "won", "95 % interval"];
    let mut sheet = Sheet::new("Ladder of the playing levels", &header);
    for ((level, against, _), games) in ROWS.into_iter().zip(study.games(cells)?) {
        let score = Score::of(&games);
        let (low, high) = percent_interval(score.tally.wins(), games.len() as u64);
        sheet.row([
            level.trim_start_matches("level:").to_owned(),
            against.to_owned(),
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
