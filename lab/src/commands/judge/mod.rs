//! `lab judge CMD`: runs a bot as Botzone does, with the platform's limits and verdicts, and reports the time and
//! memory that its turns took.

pub mod confine;

use crate::arguments::{read_games, read_if, read_size, read_time};
use crate::interrupt::locked;
use crate::matches::harness::between;
use crate::matches::score::side_of_a;
use crate::matches::spec::PlayerSpec;
use crate::matches::verdicts::Verdicts;
use crate::play::player::Player;
use crate::progress::progress_bar;
use confine::{Refusal, confined};
use otrera::{GameRecord, Position, Size};
use otrera_arena::dialect::{Dialect, Mode};
use otrera_arena::game::{Control, GameSetup};
use otrera_arena::limits::{Allowance, Log};
use otrera_arena::load::Load;
use otrera_arena::process::{Errors, check_start};
use otrera_arena::program::Program;
use serde_json::Value;
use std::time::Duration;

/// Test a bot under Botzone's time and memory limits, with its verdicts.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The bot with its arguments, in quotes: "dist/otrera --threads 1".
    command: String,
    /// Interaction modes; with `-keep` the bot may keep its process running between turns.
    #[arg(
        long,
        value_name = "MODE,...",
        value_delimiter = ',',
        default_value = "simple,json,simple-keep,json-keep"
    )]
    mode: Vec<Mode>,
    /// Games in each mode, alternately as Black and White.
    #[arg(long, default_value = "2", value_parser = read_games)]
    games: u64,
    /// Opponent of the bot: a player as in `lab match`, or `itself`.
    #[arg(long, value_name = "PLAYER", default_value = "greedy")]
    opponent: String,
    /// Seconds per move for an opponent without its own limit.
    #[arg(long, value_name = "S", default_value = "0.1", value_parser = read_time)]
    opponent_time: Duration,
    /// Edge length of the board.
    #[arg(long, default_value = "8", value_parser = read_size)]
    size: Size,
    /// Seconds per turn, doubled for the first turn.
    #[arg(long, value_name = "S", default_value = "1", value_parser = read_time)]
    time: Duration,
    // The platform's factor is unknown; 1 is the safe assumption.
    /// Limit on wall-clock time, as a multiple of the limit on processor time.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = read_factor)]
    alarm: f64,
    /// Limit on resident memory in MB.
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    memory: u64,
    /// Keep the bot from starting other programs: execve fails, or kills the bot.
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "eperm"
    )]
    forbid_execve: Option<Refusal>,
    /// Number of processes that each keep a core busy during the games.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    load: u16,
    /// Show the bot's error output.
    #[arg(long)]
    stderr: bool,
    /// Seed of the opponent.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the results as a line of JSON at the end.
    #[arg(long)]
    json: bool,
}

fn read_factor(text: &str) -> Result<f64, String> {
    read_if(text, |factor| (1.0..=1000.0).contains(factor), "a factor from 1 to 1000")
}

pub fn run(args: &Args) -> Result<(), String> {
    let court = Court::new(args)?;
    let _load = Load::start(args.load).map_err(|problem| format!("--load: {problem}"))?;
    let mut judged = Vec::new();
    for &mode in &args.mode {
        let verdicts = court.judge(mode);
        print!("{}", verdicts.to_text());
        judged.push(verdicts);
    }
    if args.json {
        println!("{}", judged.iter().map(Verdicts::to_json).collect::<Value>());
    }
    match judged.iter().map(|verdicts| verdicts.problems.len()).sum() {
        0 => Ok(()),
        lost => Err(format!("{lost} games lost by a verdict")),
    }
}

/// The bot under test, its limits, and its opponent.
struct Court<'a> {
    args: &'a Args,
    command: Vec<String>,
    allowance: Allowance,
    /// `None` if the bot plays against itself.
    opponent: Option<PlayerSpec>,
}

impl<'a> Court<'a> {
    fn new(args: &'a Args) -> Result<Self, String> {
        let command: Vec<String> = args.command.split_whitespace().map(str::to_owned).collect();
        if command.is_empty() {
            return Err("the command of the bot is empty".into());
        }
        check_start(&command)?;
        let command = match args.forbid_execve {
            Some(refusal) => confined(&command, refusal)?,
            None => command,
        };
        let allowance = Allowance { time: args.time, alarm: args.alarm, memory: args.memory << 20 };
        let opponent = match args.opponent.as_str() {
            "itself" => None,
            player => Some(player.parse::<PlayerSpec>()?),
        };
        opponent.iter().try_for_each(|player| player.check(args.size))?;
        Ok(Self { args, command, allowance, opponent })
    }

    fn judge(&self, mode: Mode) -> Verdicts {
        let log = Log::default();
        let errors = if self.args.stderr { Errors::Shown } else { Errors::Hidden };
        let bot = || {
            let player = Program::new(self.command.clone(), Dialect::Botzone(mode));
            player.judged(self.allowance, errors, log.clone())
        };
        let mut bots = [bot(), bot()];
        let mut verdicts = Verdicts { mode: mode.to_string(), ..Verdicts::default() };
        let bar = progress_bar(self.args.games);
        bar.set_message(format!("games of {mode}"));
        for number in 0..self.args.games {
            let (bot_side, game) = (side_of_a(number), self.game(&mut bots, number));
            let turns = std::mem::take(&mut *locked(&log));
            verdicts.add(&game, bot_side, self.opponent.is_none(), turns);
            bar.set_message(format!("games of {mode}, {} won", verdicts.tally.wins()));
            bar.inc(1);
        }
        bar.finish_and_clear();
        verdicts
    }

    fn game(&self, bots: &mut [Program; 2], number: u64) -> GameRecord {
        let conditions = GameSetup {
            start: Position::start(self.args.size),
            opening: Vec::new(),
            // Limits only the opponent; the bot has the limits of `allowance`.
            control: Control::PerMove(self.args.opponent_time),
            grace: Duration::MAX,
            adjudicate: None,
        };
        let [bot, twin] = bots;
        let mut built =
            self.opponent.as_ref().map(|player| player.build(self.args.seed.wrapping_add(number)));
        let opponent: &mut dyn Player = match &mut built {
            Some(player) => player.as_mut(),
            None => twin,
        };
        between([bot, opponent], number, &conditions, &mut |_, _, _| ())
    }
}
