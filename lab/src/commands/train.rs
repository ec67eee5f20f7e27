//! `lab train`: trains better weights in rounds of self-play, policy fit and match.
//!
//! Round N plays games with the best weights so far (`games-N.shard`), fits the policy to the games of all rounds
//! (`weights-N.json`), and plays the new weights against the best ones (`match-N.jsonl`). If the match accepts the new
//! weights, they become the best ones and are copied to `best.json`, which begins as a copy of the initial weights,
//! `weights-0.json`.
//!
//! `rounds.jsonl` contains the options, then a line for each finished fit and match, from which a later run resumes.
//! Interrupted self-play or an interrupted match resumes from its result file; an interrupted fit is repeated, with an
//! equal result.
//!
//! Only the policy is trained: the games of one round suffice for it, whereas a value network as good as the built-in
//! one needs three times as many. With a single change per round, the match measures the effect of that change.

use crate::arguments::{parse, read_count, read_games, read_size};
use crate::cluster::WorkArgs;
use crate::commands::fit_policy::{self, Fit};
use crate::commands::{r#match, self_play};
use crate::files::{LineLog, MAX_BYTES, Output, WEIGHTS, read_text};
use crate::interrupt;
use crate::play::openings::max_plies;
use crate::progress::set_prefix;
use crate::sheet::Sheet;
use crate::stats::sprt::Outcome;
use indicatif::HumanDuration;
use otrera::Size;
use otrera::eval::weights::WeightsFile;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Train better weights in rounds of self-play, policy fit and match.
#[derive(clap::Args)]
pub struct Args {
    /// Total number of rounds, including those of earlier runs.
    #[arg(long, default_value = "3", value_parser = read_count::<u64>)]
    rounds: u64,
    /// Edge length of the board.
    #[arg(long, default_value = "10", value_parser = check_size)]
    size: Size,
    /// Number of self-play games in each round.
    #[arg(long, default_value = "24000", value_parser = read_games)]
    games: u64,
    /// Iterations per move in self-play; a match uses eight times as many.
    #[arg(long, default_value = "1000", value_parser = read_count::<u64>)]
    iterations: u64,
    /// Maximum number of games in a match.
    #[arg(long, value_name = "N", default_value = "2000", value_parser = read_games)]
    match_games: u64,
    /// Keep the new weights if an SPRT accepts a gain of ELO1 over ELO0; ALPHA and BETA are its error rates.
    #[arg(
        long, value_name = "ELO0,ELO1[,ALPHA,BETA]", default_value = "0,20", value_parser = check_sprt,
        allow_hyphen_values = true
    )]
    sprt: String,
    /// Random seed of all games and fits.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    work: WorkArgs,
    /// Folder of the training run; an existing run in this folder resumes.
    #[arg(long, value_name = "FOLDER", default_value = "results/train")]
    output: PathBuf,
}

/// Parses the size of a board on which self-play can begin with random moves.
fn check_size(text: &str) -> Result<Size, String> {
    let (size, plies) = (read_size(text)?, self_play::RANDOM_PLIES);
    let is_valid = plies <= max_plies(size);
    is_valid
        .then_some(size)
        .ok_or_else(|| format!("the {plies} random plies of self-play need a larger board"))
}

fn check_sprt(text: &str) -> Result<String, String> {
    r#match::read_sprt(text).map(|_| text.to_owned())
}

/// Iterations per move in a match, as a multiple of those in self-play.
const MATCH_EFFORT: u64 = 8;

pub fn run(args: &Args) -> Result<(), String> {
    let mut training = Training::open(args)?;
    interrupt::advise("; to resume, run the same command".into());
    if !training.rounds.is_empty() {
        println!("{}", training.table().to_text());
    }
    // Duration of the last round, if this process played all of it.
    let mut last: Option<Duration> = None;
    while let Some(round) = training.next_round() {
        if let Some(time) = last {
            let left = time.mul_f64((args.rounds + 1 - round) as f64);
            println!("about {} left", HumanDuration(left));
        }
        let (began, is_new) = (Instant::now(), !training.games(round).exists());
        training.play(round)?;
        last = is_new.then(|| began.elapsed());
    }
    println!("{}", training.table().to_text());
    let file = training.folder.join("best.json");
    match training.best() {
        0 => println!("best weights, the current ones: {}", file.display()),
        best => println!("best weights, of round {best}: {}", file.display()),
    }
    println!("play with them:  otrera play --preset tournament,model={}", file.display());
    if training.best() == 0 {
        println!("no round has beaten the current weights: add --rounds, or train with more --games");
    }
    Ok(())
}

/// A finished fit or match: one line of the log.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Finished {
    Fit(Fit),
    Match(Decision),
}

/// The outcome of a match of new weights against the best ones.
#[derive(Serialize, Deserialize)]
struct Decision {
    /// Formatted result of the pairs up to the decision: score of the new weights in per cent, number of games, and
    /// lead in Elo.
    score: String,
    verdict: String,
    kept: bool,
}

struct Training<'a> {
    args: &'a Args,
    /// Absolute path of the folder, because paths of weights files are part of the players' names.
    folder: PathBuf,
    log: LineLog,
    rounds: Vec<Round>,
}

/// A round whose fit is finished: the fit, and the outcome of the match, `None` until the match is finished.
type Round = (Fit, Option<Decision>);

impl<'a> Training<'a> {
    /// Begins a training run in the folder `--output`, or resumes an existing run.
    fn open(args: &'a Args) -> Result<Self, String> {
        let output = args.output.display();
        if std::path::absolute(&args.output)
            .is_ok_and(|path| path.to_str().is_none_or(|path| path.contains(',')))
        {
            return Err(format!("{output}: model=FILE takes no path with a comma: name another --output"));
        }
        let options = json!({
            "size": args.size.edge(),
            "games": args.games,
            "iterations": args.iterations,
            "match-games": args.match_games,
            "sprt": args.sprt,
            "seed": args.seed,
        });
        let path = args.output.join("rounds.jsonl");
        let mut rounds = Vec::new();
        let header = json!({ "train": options }).to_string();
        let log = LineLog::open(&path, true, Some(&header), |line| {
            add(&mut rounds, serde_json::from_str(line).map_err(|error| error.to_string())?)
        })?;
        let folder = args.output.canonicalize().map_err(|error| format!("{output}: {error}"))?;
        let training = Self { args, folder, log, rounds };
        let first = training.weights(0);
        if !first.exists() {
            Output::new(&first, &[], WEIGHTS)?.write(WeightsFile::BUILT_IN)?;
        }
        if !training.folder.join("best.json").exists() {
            training.copy_to_best(training.best())?;
        }
        Ok(training)
    }

    /// Returns the number of the first unfinished round, from 1; `None` if all rounds are finished.
    fn next_round(&self) -> Option<u64> {
        let done = self.rounds.iter().filter(|(_, decision)| decision.is_some()).count() as u64;
        (done < self.args.rounds).then_some(done + 1)
    }

    /// Returns the number of the round that trained the best weights; 0 for the initial weights.
    fn best(&self) -> u64 {
        let is_kept = |(_, decision): &Round| decision.as_ref().is_some_and(|it| it.kept);
        self.rounds.iter().rposition(is_kept).map_or(0, |index| index as u64 + 1)
    }

    /// Runs self-play, fit and match of a round, except the steps already finished.
    fn play(&mut self, round: u64) -> Result<(), String> {
        let place = format!("round {round} of {}", self.args.rounds);
        let step = |name: &str, about: &str| {
            println!("{place}, {name}: {about}");
            set_prefix(format!("{round}/{} {name} ", self.args.rounds));
        };
        let best = match self.best() {
            0 => "the built-in weights".to_owned(),
            best => format!("the weights of round {best}"),
        };
        if self.rounds.len() < round as usize {
            step("self-play", &format!("{} games of {best}", self.args.games));
            self.self_play(round)?;
            step("fit", "the policy, to the games of all rounds");
            let fit = self.fit(round)?;
            let [games, positions, losses, favourites] = fit.cells();
            println!(
                "{place}, fit: {games} games, {positions} positions, cross-entropy {losses}, favourite {favourites}"
            );
            self.finish(Finished::Fit(fit))?;
        }
        step("match", &format!("against {best}, at most {} games", self.args.match_games));
        let decision = self.decide(round)?;
        println!("{place}, match: {}, SPRT {}: {}", decision.score, decision.verdict, decision.fate());
        if decision.kept {
            self.copy_to_best(round)?;
        }
        self.finish(Finished::Match(decision))
    }

    /// Copies the weights of a round to `best.json`.
    fn copy_to_best(&self, round: u64) -> Result<(), String> {
        let weights = read_text(&self.weights(round), MAX_BYTES)?;
        Output::new(&self.folder.join("best.json"), &[], WEIGHTS)?.write(&weights)
    }

    fn self_play(&self, round: u64) -> Result<(), String> {
        let Args { size, games, iterations, .. } = self.args;
        let mut args: self_play::Args = parse(&[
            self.player(self.best()),
            format!("--size={}", size.edge()),
            format!("--games={games}"),
            format!("--iterations={iterations}"),
            self.seed(round),
            "--resume".into(),
            format!("--output={}", self.games(round).display()),
        ])?;
        args.work = self.args.work.clone();
        self_play::play_all(&args).map(drop)
    }

    fn fit(&self, round: u64) -> Result<Fit, String> {
        let mut words: Vec<String> =
            (1..=round).map(|round| self.games(round).display().to_string()).collect();
        words.extend([
            format!("--base={}", self.weights(self.best()).display()),
            self.seed(round),
            format!("--output={}", self.weights(round).display()),
        ]);
        fit_policy::fit(&parse(&words)?, &|_| ())
    }

    fn decide(&self, round: u64) -> Result<Decision, String> {
        let Args { size, iterations, match_games, sprt, .. } = self.args;
        let path = self.folder.join(format!("match-{round}.jsonl"));
        let mut args: r#match::Args = parse(&[
            self.player(round),
            self.player(self.best()),
            format!("--size={}", size.edge()),
            format!("--games={match_games}"),
            format!("--iterations={}", iterations.saturating_mul(MATCH_EFFORT)),
            format!("--sprt={sprt}"),
            self.seed(round),
            format!("--output={}", path.display()),
            "--resume".into(),
        ])?;
        args.work = self.args.work.clone();
        let (_, results) = r#match::play(&args, args.new_match()?, &path)?;
        // Counts only the pairs up to the decision: the number of pairs played after it depends on the machine.
        let test = results.score().tested(&r#match::read_sprt(sprt)?);
        let pairs = test.pairs;
        let score = pairs.estimate().map_or("no pair of games".into(), |estimate| {
            let (share, games) = (100.0 * estimate.score, 2 * pairs.total());
            format!("{share:.1}% of {games}, {}", r#match::format_elo(&estimate))
        });
        Ok(Decision {
            score,
            verdict: r#match::format_outcome(&test).into(),
            kept: test.outcome == Outcome::AcceptH1,
        })
    }

    /// Adds a finished fit or match to the log and to the rounds.
    fn finish(&mut self, finished: Finished) -> Result<(), String> {
        self.log.add(&json!(finished).to_string())?;
        add(&mut self.rounds, finished)
    }

    fn games(&self, round: u64) -> PathBuf {
        self.folder.join(format!("games-{round}.shard"))
    }

    fn weights(&self, round: u64) -> PathBuf {
        self.folder.join(format!("weights-{round}.json"))
    }

    fn player(&self, round: u64) -> String {
        format!("tournament,model={}", self.weights(round).display())
    }

    /// Formats the option `--seed` for a round: the seed of the run plus the number of the round.
    fn seed(&self, round: u64) -> String {
        format!("--seed={}", self.args.seed.wrapping_add(round))
    }

    fn table(&self) -> Sheet {
        let header =
            ["round", "games", "positions", "cross-entropy", "favourite", "match", "SPRT", "weights"];
        let mut sheet = Sheet::new("Rounds", &header);
        sheet.notes = vec![
            "games and positions: of all rounds so far; cross-entropy and favourite: of movements, of arrows"
                .into(),
        ];
        for ((fit, decision), round) in self.rounds.iter().zip(1_u64..) {
            let result = match decision {
                Some(it) => [it.score.clone(), it.verdict.clone(), it.fate().into()],
                None => ["".into(), "".into(), "not tested yet".into()],
            };
            sheet.row([round.to_string()].into_iter().chain(fit.cells()).chain(result));
        }
        sheet
    }
}

impl Decision {
    const fn fate(&self) -> &'static str {
        if self.kept { "kept" } else { "dropped" }
    }
}

/// Adds a finished fit or match to the training rounds. A fit begins a round and a match completes it; any other order
/// is an error.
fn add(rounds: &mut Vec<Round>, finished: Finished) -> Result<(), String> {
    match (finished, rounds.last_mut()) {
        (Finished::Fit(fit), None | Some((_, Some(_)))) => rounds.push((fit, None)),
        (Finished::Match(decision), Some((_, result @ None))) => *result = Some(decision),
        _ => return Err("cannot follow the previous step".into()),
    }
    Ok(())
}
