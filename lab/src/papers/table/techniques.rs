//! The Elo gain of each technique of the preset `tournament`, and of techniques that were tried and dropped: games
//! between the preset with and without the technique.

use super::study::{Cell, Study, file_name, machine};
use crate::matches::score::Score;
use crate::sheet::Sheet;
use otrera_arena::game::Control;
use std::time::Duration;

/// Techniques of the preset, each with the settings that turn it off.
const WITHOUT: [(&str, &str); 8] = [
    ("priors (UCT with one random half-move instead)", "formula=uct,c=0.15,rollouts=1"),
    ("priors and move groups (whole moves, the same)", "grouping=whole,formula=uct,c=0.15,rollouts=1"),
    ("fitted weights (the paper's, logistic)", "model=paper:7"),
    ("exploration by the spread of values", "variance-prior=1e9"),
    ("separate constants for arrows", "arrow-c=4.5,arrow-temperature=2.22"),
    ("the move by lower confidence bound", "lcb-z=0"),
    ("counting", "endgame-proofs=off"),
    ("bursts of iterations", "burst=1"),
];

/// Techniques that were tried and dropped, each with the setting that turns it on.
const WITH: [(&str, &str); 2] =
    [("one random half-move before the evaluation", "rollouts=1"), ("three random half-moves", "rollouts=3")];

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
    let rows =
        WITHOUT.iter().map(|row| (row, "without", 1.0)).chain(WITH.iter().map(|row| (row, "with", -1.0)));
    let cells = WITHOUT.iter().chain(&WITH).map(|(_, settings)| cell(study, settings, games));
    let cells = cells.collect::<Result<_, _>>()?;
    for ((&(name, settings), how, sign), games) in rows.zip(study.games(cells)?) {
        let score = Score::of(&games);
        let worth = score.estimate().map(|estimate| {
            // The worth of an added technique is minus the preset's lead.
            let mut ends = [sign * estimate.interval.low, sign * estimate.interval.high];
            ends.sort_by(f64::total_cmp);
            (sign * estimate.elo, ends)
        });
        sheet.row([
            format!("{how} {name}"),
            settings.to_owned(),
            format!("{}-{}", score.tally.wins(), score.tally.losses()),
            worth.map_or("-".into(), |(elo, _)| format!("{elo:+.0}")),
            worth.map_or("-".into(), |(_, [low, high])| format!("{low:+.0} to {high:+.0}")),
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

    #[test]
    fn all_settings_parse_and_change_the_preset() {
        for (_, settings) in WITHOUT.iter().chain(&WITH) {
            let player: PlayerSpec = format!("tournament,{settings}").parse().unwrap();
            assert_ne!(player.params(), Ok(&otrera::Params::TOURNAMENT), "{settings}");
        }
    }
}
