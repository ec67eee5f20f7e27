//! Findings of a match in its harness, printed after its score: verdicts, the table of faults, or the platform's clock.

use crate::matches::harness::{Facts, Harness};
use crate::matches::results::Finished;
use crate::matches::runner::Match;
use crate::matches::score::side_of_a;
use crate::matches::verdicts::Verdicts;
use otrera_arena::bouts::Table;
use otrera_arena::sau::{Conditions, Kill, Options};
use otrera_arena::tally::Tally;

/// Prints the findings of these games. Fails if a program under test made a mistake.
pub fn print(matchup: &Match, games: &[Finished]) -> Result<(), String> {
    let unknown = games.iter().filter(|game| matches!(game.facts, Facts::None)).count();
    if unknown > 0 && !matches!(matchup.harness, Harness::Plain) {
        println!("games without findings, from an earlier version: {unknown} of {}", games.len());
    }
    match &matchup.harness {
        Harness::Plain => Ok(()),
        Harness::Limits(..) => judged(matchup, games),
        Harness::Faults(..) => {
            let mut table = Table::default();
            for Finished { game, facts } in games {
                if let Facts::Bout(bout) = facts {
                    table.add(game, bout, side_of_a(game.number));
                }
            }
            print!("{}", table.to_text());
            if table.check()? { Ok(()) } else { Err("a game was lost by more than a fault".into()) }
        }
        Harness::Sau(options) => {
            let summary = Summary::of(options, games);
            println!("{}", summary.to_text());
            summary.check()
        }
    }
}

/// Prints the verdicts on each program that had limits.
fn judged(matchup: &Match, games: &[Finished]) -> Result<(), String> {
    let mut lost = 0;
    for (index, player) in matchup.players.iter().enumerate() {
        let mut verdicts = Verdicts { mode: player.text.clone(), ..Verdicts::default() };
        for Finished { game, facts } in games {
            let Facts::Judged(turns) = facts else { continue };
            let a = side_of_a(game.number);
            let side = if index == 0 { a } else { a.opponent() };
            verdicts.add(game, side, false, turns[index].clone());
        }
        if !verdicts.turns.is_empty() {
            print!("{}", verdicts.to_text());
            lost += verdicts.problems.len();
        }
    }
    if lost == 0 { Ok(()) } else { Err(format!("{lost} games lost by a verdict")) }
}

/// Summary of games on the model of the SAU platform.
#[derive(Default)]
pub struct Summary(Tally);

impl Summary {
    /// Counts the games that were played on the model.
    pub fn of(options: &Options, games: &[Finished]) -> Self {
        let mut tally = Tally::default();
        for Finished { game, facts } in games {
            let (number, Facts::Sau(played)) = (game.number, facts) else { continue };
            tally.add(game, side_of_a(number));
            if played.broken.is_none() {
                tally.add_used(played.share(options));
            }
            if played.killed.is_some() {
                let is_ours = Conditions { engine: &[], options, number }.kill() == Kill::Ours;
                tally.count(if is_ours { "killed on its turn" } else { "killed on the opponent's" }, 1);
            }
            tally.count("refused", played.refused as u64);
            tally.count("games with refused", u64::from(played.refused > 0));
        }
        Self(tally)
    }

    pub fn to_text(&self) -> String {
        let Self(tally) = self;
        let broken = tally.failed(None);
        let [least, most, mean] = tally.used_percent().unwrap_or_default();
        let gifts: u64 = tally.failures()[1].values().map(|(count, _)| count).sum();
        let [ours, theirs, refused, with_refused] =
            ["killed on its turn", "killed on the opponent's", "refused", "games with refused"]
                .map(|name| tally.counted(name));
        format!(
            "{} games: {} finished, {} won, {} late; time used {least:.0} to {most:.0} %, mean {mean:.0} %; \
             killed {ours} on its turn, {theirs} on the opponent's; {refused} moves refused, in {with_refused} games",
            tally.games(),
            tally.games() - broken,
            tally.wins() - gifts,
            tally.overrun(),
        )
    }

    /// Fails if a game was late or not finished.
    pub fn check(&self) -> Result<(), String> {
        let is_good = self.0.failed(None) == 0 && self.0.overrun() == 0;
        if is_good { Ok(()) } else { Err("a game was late or not finished".into()) }
    }
}
