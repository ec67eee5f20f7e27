//! The Elo gain of each technique of the preset `tournament`: games between the preset with and without the technique.
//! docs/history.md has the gains of techniques that are no longer parameters.

use super::study::{Cell, Study, file_name, machine};
use crate::matches::score::Score;
use crate::sheet::Sheet;
use otrera_arena::game::Control;
use std::time::Duration;

/// Techniques of the preset, each with the settings that turn it off.
const TECHNIQUES: [(&str, &str); 5] = [
    ("exploration by the spread of values", "variance-prior=1e9"),
    ("separate constants for arrows", "arrow-c=4.5,arrow-temperature=2"),
    ("the move by lower confidence bound", "lcb-z=0"),
    ("counting", "endgame-proofs=off"),
    ("bursts of iterations", "burst=1"),
];

const MOVE_TIME: Duration = Duration::from_millis(50);

/// Creates the match of `tournament` against `tournament` with changed `settings`.
fn cell(study: &Study, settings: &str, games: u64) -> Result<Cell, String> {
    let changed = format!("tournament,{settings}");
    let matchup = study.new_match(["tournament", &changed], games, Control::PerMove(MOVE_TIME), 4)?;
    Ok((format!("techniques/{}", file_name(settings)), matchup))
}

pub fn run(study: &Study) -> Result<(), String> {
    let games = if study.quick { 10 } else { 100 };
    let header = ["technique", "settings", "score", "worth, Elo", "95 % interval"];
    let mut sheet = Sheet::new("Worth of the techniques of tournament", &header);
    let cells = TECHNIQUES.iter().map(|(_, settings)| cell(study, settings, games));
    let cells = cells.collect::<Result<_, _>>()?;
    for ((name, settings), games) in TECHNIQUES.iter().zip(study.games(cells)?) {
        let score = Score::of(&games);
        let worth = score.estimate().map(|estimate| (estimate.elo, estimate.interval));
        sheet.row([
            format!("without {name}"),
            (*settings).to_owned(),
            format!("{}-{}", score.tally.wins(), score.tally.losses()),
            worth.as_ref().map_or("-".into(), |(elo, _)| format!("{elo:+.0}")),
            worth.map_or("-".into(), |(_, ends)| format!("{:+.0} to {:+.0}", ends.low, ends.high)),
        ]);
    }
    sheet.notes = vec![
        format!("machine: {}", machine()),
        format!(
            "10x10, {games} games each, {} s a move, one thread, 4 random plies, colours swapped, seed {}",
            MOVE_TIME.as_secs_f64(),
            study.seed
        ),
        "score: games that tournament won and lost against the changed player".into(),
    ];
    study.publish("techniques", &sheet, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::spec::PlayerSpec;
    use otrera::search::params::Puct;

    #[test]
    fn all_settings_parse_and_change_the_preset() {
        for (_, settings) in TECHNIQUES {
            let player: PlayerSpec = format!("tournament,{settings}").parse().unwrap();
            assert_ne!(player.params(), Ok(&otrera::Params::TOURNAMENT), "{settings}");
        }
        let Puct { movement_c, movement_temperature, .. } = Puct::DEFAULT;
        let of_movements = format!("arrow-c={movement_c},arrow-temperature={movement_temperature}");
        assert!(TECHNIQUES.iter().any(|(_, settings)| *settings == of_movements), "{of_movements}");
    }
}
