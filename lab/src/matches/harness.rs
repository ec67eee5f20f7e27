//! The harness of a match, which runs its games: plain, under a judge's limits, with injected faults, or on the model
//! of the SAU platform.

use crate::interrupt::locked;
use crate::matches::score::side_of_a;
use crate::matches::spec::PlayerSpec;
use crate::play::player::Player;
use otrera::GameRecord;
use otrera_arena::dialect::Dialect;
use otrera_arena::faults::{Bout, Fault, Faulty, Setting};
use otrera_arena::game::{GameSetup, Watcher, play};
use otrera_arena::limits::{Allowance, Log, TurnTaken};
use otrera_arena::process::Errors;
use otrera_arena::program::Program;
use otrera_arena::sau::{self, Conditions, Played, simulate};
use serde::{Deserialize, Serialize};
use std::fs;
use std::time::UNIX_EPOCH;

#[derive(Clone, Debug, Default)]
pub enum Harness {
    /// Players and clocks alone.
    #[default]
    Plain,
    /// Limits for all programs that speak one of Botzone's dialects.
    Limits(Allowance),
    /// Faults injected into A's turns, one kind for each pair of games in turn.
    Faults(Vec<Fault>, Setting),
    /// A is the engine under test.
    Sau(sau::Options),
}

/// A game's facts besides its record, as the harness noted them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Facts {
    #[default]
    None,
    /// The turns of A and of B under the limits, in order.
    Judged([Vec<TurnTaken>; 2]),
    Bout(Bout),
    Sau(Played),
}

/// A game to be played: its number and players A and B with their seeds.
pub struct Pairing<'a> {
    pub number: u64,
    pub players: &'a [PlayerSpec; 2],
    pub seeds: [u64; 2],
}

impl Harness {
    /// Returns the harness in words, for the conditions of a match; `None` for [`Harness::Plain`].
    pub fn name(&self) -> Option<String> {
        match self {
            Self::Plain => None,
            Self::Limits(Allowance { time, memory, .. }) => {
                Some(format!("limits: {} s a turn, {} MB", time.as_secs_f64(), memory >> 20))
            }
            Self::Faults(faults, Setting { rate, .. }) => {
                let names = faults.iter().map(|fault| fault.name()).collect::<Vec<_>>();
                Some(format!("faults in {rate} of the turns: {}", names.join(", ")))
            }
            Self::Sau(sau::Options { kill, opponent_time, .. }) => {
                Some(format!("SAU, kill {kill:?}, opponent up to {} s a move", opponent_time.as_secs_f64()))
            }
        }
    }

    /// Checks that A, and under limits at least one player, is a program that this harness can run.
    pub fn check(&self, players: &[PlayerSpec; 2]) -> Result<(), String> {
        let dialects = players.each_ref().map(|player| player.program().map(|(_, dialect)| dialect));
        let is_botzone = |dialect: &Option<Dialect>| matches!(dialect, Some(Dialect::Botzone(_)));
        let needs = |what: &str| Err(format!("{}: {what}", players[0].text));
        match self {
            Self::Limits(..) if !dialects.iter().any(is_botzone) => {
                needs("--limits botzone needs a program: cmd:PROGRAM,proto=botzone-json")
            }
            Self::Faults(..) if !is_botzone(&dialects[0]) && dialects[0] != Some(Dialect::Sau) => {
                needs("--fault needs a program with Botzone's or the SAU platform's protocol as A")
            }
            Self::Sau(_) if dialects[0] != Some(Dialect::Sau) => {
                needs("--platform sau needs a program as A: cmd:PROGRAM,proto=sau")
            }
            _ => Ok(()),
        }
    }

    /// Plays a game. Fails if a fault cannot be injected.
    pub fn play(
        &self,
        pairing: &Pairing,
        setup: &GameSetup,
        watcher: &mut Watcher,
    ) -> Result<(GameRecord, Facts), String> {
        let Pairing { number, players: [a, b], seeds } = pairing;
        let side = side_of_a(*number);
        match (self, a.program()) {
            (Self::Faults(faults, setting), Some((command, dialect))) => {
                let fault = faults[(number / 2) as usize % faults.len()];
                let setting = Setting { seed: seeds[0], ..*setting };
                let faulty = Faulty::new(command, dialect, fault, setting)?;
                let (record, bout) = faulty.play(b.build(seeds[1]).as_mut(), side, setup, watcher)?;
                Ok((record, Facts::Bout(bout)))
            }
            (Self::Sau(options), Some((engine, _))) => {
                let conditions = Conditions { engine, options, number: *number };
                // An interrupted process with the same number can have left a folder.
                let now = UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
                let name = format!("otrera-sau-{}-{now}-{number}", std::process::id());
                let folder = std::env::temp_dir().join(name);
                let (record, played) = simulate(b.build(seeds[1]).as_mut(), conditions, &folder, watcher);
                // A leftover temporary folder is not a failure.
                let _ = fs::remove_dir_all(&folder);
                Ok((record, Facts::Sau(played)))
            }
            (Self::Limits(allowance), _) => {
                let logs = [Log::default(), Log::default()];
                let [mut a, mut b] = [0, 1].map(|index| {
                    judged(&pairing.players[index], *allowance, &logs[index])
                        .unwrap_or_else(|| pairing.players[index].build(seeds[index]))
                });
                let record = between([a.as_mut(), b.as_mut()], *number, setup, watcher);
                Ok((record, Facts::Judged(logs.map(|log| std::mem::take(&mut *locked(&log))))))
            }
            _ => {
                let [mut a, mut b] = [a.build(seeds[0]), b.build(seeds[1])];
                Ok((between([a.as_mut(), b.as_mut()], *number, setup, watcher), Facts::None))
            }
        }
    }
}

/// Returns a program under limits; `None` if the player is not a program that speaks one of Botzone's dialects.
fn judged(player: &PlayerSpec, allowance: Allowance, log: &Log) -> Option<Box<dyn Player>> {
    let (command, dialect) =
        player.program().filter(|(_, dialect)| matches!(dialect, Dialect::Botzone(_)))?;
    Some(Box::new(Program::new(command.to_vec(), dialect).judged(allowance, Errors::Hidden, log.clone())))
}

/// Plays a game between A and B, whose sides its number determines.
pub fn between<'a>(
    mut players: [&'a mut dyn Player; 2],
    number: u64,
    setup: &'a GameSetup,
    watcher: &'a mut Watcher<'_>,
) -> GameRecord {
    players.rotate_left(side_of_a(number).index());
    play(players, setup, watcher)
}
