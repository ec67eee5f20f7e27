//! Simulates the SAU Game Platform and its operator: clock, dialog boxes, moves lost in a crash, and the platform's
//! record. The engine under test plays against a [`Player`].
//!
//! After a crash, the game and the clock continue. The platform's Load command fails until every dialog box is closed;
//! then Load starts the engine and sends only `name?`. Moves that the opponent made in the meantime are never repeated.

use crate::arguments::{read_seconds, read_time};
use crate::board::Board;
use crate::dialect::Dialect;
use crate::failure::{Failure, Kind};
use crate::game::{Control, Event, GameSetup, Watcher, play};
use crate::groups;
use crate::notation::{Form, read_letters};
use crate::player::{Budget, Choice, Player};
use crate::process::signal;
use crate::program::Program;
use clap::ValueEnum;
use fastrand::Rng;
use otrera::seed::mix_seed;
use otrera::{GameRecord, Move, Position, Side, Size};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time limit for an engine's answer, in addition to a tenth of the engine's total time.
const HANG: Duration = Duration::from_secs(30);

/// Time that the engine has to exit after `quit`.
const QUIT: Duration = Duration::from_millis(1000);

/// Maximum number of refused moves in a game; one more breaks the game off.
const MAX_REFUSED: usize = 20;

/// Latest engine turn, counted from 1, that can be drawn for a kill. Games against random moves may end soon after.
const LATEST_KILL: usize = 12;

// Options of all games.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// Seconds for all moves of the engine in a game, by the platform's clock.
    #[arg(long, value_name = "S", default_value = "60", value_parser = read_time)]
    pub total_time: Duration,
    /// Seconds that a move costs on the platform's clock besides thinking.
    #[arg(long, value_name = "FROM..TO", default_value = "0.25..0.5", value_parser = read_charge)]
    pub charge: Range<f64>,
    /// Kill the engine once a game: in its own turn (ours), in the opponent's, whose move is then lost (theirs), or
    /// alternately (both). Or kill on alternate turns only its child process (searcher), or only the process that the
    /// platform started, which then has the platform's record in every game (guardian).
    #[arg(long, value_enum, default_value = "none")]
    pub kill: Kill,
    /// Maximum thinking time of the opponent for a move, in seconds.
    #[arg(long, value_name = "S", default_value = "0.3", value_parser = read_seconds)]
    pub opponent_time: Duration,
    /// Random seed of the opponent, the charges and the kills.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Kill {
    None,
    Ours,
    Theirs,
    Both,
    Searcher,
    Guardian,
}

fn read_charge(text: &str) -> Result<Range<f64>, String> {
    let bounds = text.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    let valid = bounds.filter(|&(from, to): &(f64, f64)| 0.0 <= from && from <= to && to <= 60.0);
    valid
        .map(|(from, to)| from..to)
        .ok_or_else(|| "expected two numbers of seconds from 0 to 60, like 0.25..0.5".into())
}

/// Engine, options and number of one game.
#[derive(Clone, Copy, Debug)]
pub struct Conditions<'a> {
    /// Command line of the engine.
    pub engine: &'a [String],
    pub options: &'a Options,
    pub number: u64,
}

impl Conditions<'_> {
    /// Returns the engine's side: Black in games with an even number, otherwise White.
    pub fn side(&self) -> Side {
        if self.number.is_multiple_of(2) { Side::Black } else { Side::White }
    }

    pub fn kill(&self) -> Kill {
        match self.options.kill {
            Kill::None | Kill::Ours | Kill::Theirs => self.options.kill,
            _ if (self.number / 2).is_multiple_of(2) => Kill::Ours,
            _ => Kill::Theirs,
        }
    }

    /// True if the platform writes its own record (`AllStep=1`), as in half of the games.
    pub fn all_step(&self) -> bool {
        self.options.kill == Kill::Guardian || (self.number / 4).is_multiple_of(2)
    }

    /// Returns the random seed of the opponent, the charges, the delays and the kill.
    pub fn seed(&self) -> u64 {
        mix_seed(self.options.seed, self.number)
    }
}

/// Facts of a game besides its record.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Played {
    /// Reason why the game was not finished; `None` if it was.
    pub broken: Option<String>,
    /// Time that the engine used, by the platform's clock.
    pub used: Duration,
    /// Number of plies played before the engine was killed; `None` if it was not.
    pub killed: Option<usize>,
    /// Number of moves that the platform refused as illegal.
    pub refused: usize,
    /// The engine's log.
    #[serde(skip)]
    pub log: String,
}

impl Played {
    /// Returns the fraction of the total time that the engine used; above 1 if it was late.
    pub fn share(&self, options: &Options) -> f64 {
        self.used.as_secs_f64() / options.total_time.as_secs_f64()
    }
}

/// Plays a game of the engine against `opponent` on the simulated platform. Its files are written to `folder`, which
/// must be empty. Returns the game, without names, and its facts.
pub fn simulate(
    opponent: &mut dyn Player,
    conditions: Conditions,
    folder: &Path,
    watcher: &mut Watcher,
) -> (GameRecord, Played) {
    let platform = Mutex::new(Simulation::new(conditions, folder));
    let setup = GameSetup {
        start: Dialect::Sau.start(None),
        opening: Vec::new(),
        // The platform's own clock charges the engine, and limits the opponent.
        control: Control::Free,
        grace: Duration::MAX,
        adjudicate: None,
    };
    let side = conditions.side();
    let (mut engine, mut rival) = (Engine(&platform), Rival { player: opponent, platform: &platform });
    let mut players: [&mut dyn Player; 2] = [&mut engine, &mut rival];
    players.rotate_left(side.index());
    let mut broken = None;
    let record = play(players, &setup, &mut |position, ply, event| {
        if let Event::Failed(loser, failure) = event {
            let who = if loser == side { "" } else { "the opponent: " };
            broken.get_or_insert(format!("{who}{failure}"));
        }
        watcher(position, ply, event);
    });
    let mut platform = platform.into_inner().unwrap_or_else(PoisonError::into_inner);
    platform.program.kill();
    let logs = ["otrera.log", "otrera-2.log"].map(|name| folder.join("engine").join(name));
    let log = logs.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
    (record, Played { broken, log, ..platform.played })
}

/// The engine under test, handled by the platform and its operator.
struct Engine<'a, 'b>(&'a Mutex<Simulation<'b>>);

/// The engine's opponent. The platform can kill the engine while the opponent thinks.
struct Rival<'a, 'b> {
    player: &'a mut dyn Player,
    platform: &'a Mutex<Simulation<'b>>,
}

fn locked<'a, 'b>(platform: &'a Mutex<Simulation<'b>>) -> MutexGuard<'a, Simulation<'b>> {
    platform.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Player for Engine<'_, '_> {
    fn begin(&mut self, _: &Position, _: Side) -> Result<(), Failure> {
        locked(self.0).begin()
    }

    fn choose(&mut self, _: &Position, _: Budget) -> Result<Choice, Failure> {
        locked(self.0).our_turn().map(Choice::from)
    }

    fn played(&mut self, mv: Move) {
        locked(self.0).played(mv);
    }

    fn end(&mut self) -> Result<(), Failure> {
        locked(self.0).end()
    }
}

impl Player for Rival<'_, '_> {
    fn begin(&mut self, start: &Position, side: Side) -> Result<(), Failure> {
        self.player.begin(start, side)
    }

    fn choose(&mut self, position: &Position, _: Budget) -> Result<Choice, Failure> {
        let ends = locked(self.platform).their_turn();
        let time = ends.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        let choice = self.player.choose(position, Budget { time: Some(time), ..Budget::default() })?;
        std::thread::sleep(ends.saturating_duration_since(Instant::now()));
        Ok(choice)
    }

    fn played(&mut self, mv: Move) {
        self.player.played(mv);
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.player.end()
    }
}

/// State of the simulated platform and of its operator in a game.
struct Simulation<'a> {
    conditions: Conditions<'a>,
    folder: &'a Path,
    rng: Rng,
    program: Program,
    board: Board,
    /// Number of the engine's turns so far.
    turns: usize,
    /// Number of plies that both players have seen.
    seen: usize,
    /// Reason why the engine cannot go on after the opponent's turn.
    problem: Option<Failure>,
    /// The result so far: `used`, `killed` and `refused`.
    played: Played,
    /// Texts of the open dialog boxes.
    boxes: Vec<&'static str>,
    /// Engine turn, counted from 1, in or after which a kill is due.
    kill_turn: usize,
    /// Planned time of a kill, if the engine moved before that time. The kill then happens in the opponent's turn.
    kill_due: Option<Instant>,
    /// Number of questions in the engine's log that the operator has answered.
    asked: usize,
}

impl<'a> Simulation<'a> {
    fn new(conditions: Conditions<'a>, folder: &'a Path) -> Self {
        let mut rng = Rng::with_seed(conditions.seed());
        let kill_turn = rng.usize(1..=LATEST_KILL);
        Self {
            conditions,
            folder,
            rng,
            program: Program::new(Vec::new(), Dialect::Sau),
            board: Board::new(Dialect::Sau.start(None)),
            turns: 0,
            seen: 0,
            problem: None,
            played: Played::default(),
            boxes: Vec::new(),
            kill_turn,
            kill_due: None,
            asked: 0,
        }
    }

    fn begin(&mut self) -> Result<(), Failure> {
        self.install().map_err(|error| Failure::cannot(format!("{}: {error}", self.folder.display())))?;
        self.load()?;
        let black = self.conditions.side() == Side::Black;
        self.send(if black { "new black\n" } else { "new white\n" });
        Ok(())
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.problem.take().map_or(Ok(()), Err)?;
        // The operator closes the box with the result before the engines receive `end`.
        self.click();
        self.send("end\n");
        self.quit()
    }

    /// Copies the engine into a folder, writes its settings there, and creates the platform's folder.
    fn install(&self) -> std::io::Result<()> {
        let (engine, total) = (self.conditions.engine, self.conditions.options.total_time);
        let program = engine.first().ok_or(std::io::ErrorKind::InvalidInput)?;
        fs::create_dir_all(self.folder.join("engine"))?;
        fs::create_dir_all(self.record().parent().unwrap_or(self.folder))?;
        groups::copy_program(program.as_ref(), &self.program())?;
        let settings = format!(
            "total-time = {}\nthreads = 1\nmemory = 64\nrecord-dir = 'records'\nno-open = true\nlog = 'otrera.log'\nplatform-dir = '../platform'\n",
            total.as_secs_f64()
        );
        fs::write(self.folder.join("engine/otrera.toml"), settings)?;
        if self.conditions.all_step() {
            // The record of an earlier game.
            fs::write(self.record(), "Black: DJDDGD\r\nWhite: ADDGAD\r\nBlack: GJEHEA\r\n")?;
        }
        Ok(())
    }

    fn program(&self) -> PathBuf {
        self.folder.join("engine/otrera")
    }

    /// Returns the path of the game record that the platform itself writes.
    fn record(&self) -> PathBuf {
        self.folder.join("platform/chess manual/亚马逊棋/sgf/Untitled.sgf")
    }

    fn send(&mut self, text: &str) {
        if let Ok(process) = self.program.process() {
            process.write(text);
        }
    }

    /// Simulates the platform's Load command: starts the engine and asks for its name. Fails if a dialog box is open.
    fn load(&mut self) -> Result<(), Failure> {
        if !self.boxes.is_empty() {
            return Err(Failure::cannot(format!("Engine has loaded! {:?} is on the screen", self.boxes)));
        }
        let mut command = vec![self.program().to_string_lossy().into_owned()];
        command.extend(self.conditions.engine.iter().skip(1).cloned());
        self.program.kill();
        self.program.set_command(command);
        self.program.introduce().map_err(|failure| failure.after("name?"))
    }

    /// Simulates the operator, who closes every dialog box. After a crash, one more box appears with a delay.
    fn click(&mut self) {
        let died = self.boxes.iter().any(|text| text.starts_with("Program"));
        while self.boxes.pop().is_some() {
            self.wait(0.05..0.3);
        }
        if died {
            // Text of that box: 引擎已退出，请结束对弈！ ("The engine has exited; please end the game!")
            self.wait(0.2..0.6);
        }
    }

    /// Draws a random duration from a range of seconds.
    fn draw(&mut self, Range { start, end }: Range<f64>) -> Duration {
        Duration::from_secs_f64(start + (end - start) * self.rng.f64())
    }

    fn wait(&mut self, seconds: Range<f64>) {
        std::thread::sleep(self.draw(seconds));
    }

    fn load_again(&mut self) -> Result<(), Failure> {
        self.program.kill();
        self.click();
        self.load()?;
        self.asked = 0;
        Ok(())
    }

    /// Simulates the operator, who answers a question of the engine's page with the last move on the board.
    fn answer_page(&mut self) {
        let log = fs::read_to_string(self.folder.join("engine/otrera.log")).unwrap_or_default();
        let pages: Vec<&str> = log.split("Answer on the page http://").skip(1).collect();
        let Some(address) = pages.last().filter(|_| pages.len() > self.asked) else { return };
        self.asked = pages.len();
        let Some((host, path)) = address.lines().next().unwrap_or_default().split_once('/') else { return };
        let Some(&mv) = self.board.moves().last() else { return };
        let body = format!("move={}\r\n", mv.to_letters(Size::STANDARD));
        let head = format!("POST /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: ");
        let Ok(mut page) = TcpStream::connect(host) else { return };
        // The engine's next move shows whether it has understood the answer.
        let _ = write!(page, "{head}{}\r\n\r\n{body}", body.len())
            .and_then(|()| page.read_to_end(&mut Vec::new()).map(drop));
    }

    fn kill(&mut self) {
        self.played.killed = Some(self.board.moves().len());
        let Ok(process) = self.program.process() else { return };
        match self.conditions.options.kill {
            // The platform notices nothing.
            Kill::Searcher => process.children().into_iter().for_each(|child| signal(child, Signal::KILL)),
            Kill::Guardian => process.signal_alone(Signal::KILL),
            _ => process.signal(Signal::KILL),
        }
        if self.conditions.options.kill != Kill::Searcher {
            self.boxes.push("Program has been ended for unknown reasons!");
        }
    }

    /// True if a kill of this kind is due in this engine turn or in the opponent's turn after it.
    fn is_killed_in(&self, kill: Kill, turn: usize) -> bool {
        self.conditions.kill() == kill && self.played.killed.is_none() && turn >= self.kill_turn
    }

    /// Waits for the engine's move while its clock runs. If a kill is due, kills the engine at a random moment.
    fn our_turn(&mut self) -> Result<Move, Failure> {
        self.problem.take().map_or(Ok(()), Err)?;
        self.turns += 1;
        let turn = self.turns;
        let began = Instant::now();
        let mut kill_at = self.is_killed_in(Kill::Ours, turn).then(|| {
            // In half of the games within the usual thinking time, otherwise within twice that time.
            let usual = self.conditions.options.total_time.as_secs_f64() / 40.0;
            Duration::from_secs_f64(if self.rng.bool() { usual } else { 2.0 * usual } * self.rng.f64())
        });
        let limit = self.conditions.options.total_time / 10 + HANG;
        let mv = loop {
            let process = self.program.process()?;
            // The operator looks at the screen from time to time.
            let glance = began.elapsed() + Duration::from_millis(200);
            match process.line(began, kill_at.unwrap_or(limit).min(glance)) {
                Ok(line) => match self.judged(&line)? {
                    Some(mv) => break mv,
                    None => continue,
                },
                Err(failure) if failure.kind == Kind::Late && began.elapsed() < kill_at.unwrap_or(limit) => {
                    self.answer_page();
                }
                // A line that was complete before the kill still counts.
                Err(Failure { kind: Kind::Late, .. }) if kill_at.take().is_some() => self.kill(),
                Err(failure) if failure.kind.is_crash() && !self.boxes.is_empty() => self.load_again()?,
                Err(failure) => {
                    let (ply, refused) = (self.board.moves().len(), self.played.refused);
                    return Err(failure.after(&format!("no move after {ply} plies and {refused} refused")));
                }
            }
        };
        let charge = self.draw(self.conditions.options.charge.clone());
        self.played.used += began.elapsed() + charge;
        self.make(mv)?;
        self.kill_due = kill_at.map(|delay| began + delay);
        Ok(mv)
    }

    /// Returns the move in a line. If the move is illegal, shows a dialog box, sends `error` and returns `None`.
    fn judged(&mut self, line: &str) -> Result<Option<Move>, Failure> {
        let foreign = || Failure::new(Kind::Malformed, format!("{line:?} is not a command"));
        let letters = line.strip_prefix("move ").ok_or_else(foreign)?;
        let mv = read_letters(letters, Size::STANDARD.edge());
        if let Some(mv) = mv.filter(|&mv| self.board.position().check(mv).is_ok()) {
            return Ok(Some(mv));
        }
        self.played.refused += 1;
        if self.played.refused > MAX_REFUSED {
            let plies = self.board.moves().len();
            return Err(Failure::new(Kind::Illegal, format!("{line} after {plies} plies")));
        }
        self.boxes.push("White break rule!");
        self.click();
        self.send("error\n");
        Ok(None)
    }

    /// Begins the opponent's turn, in which the engine can be killed and loaded again. Returns the time of its end.
    fn their_turn(&mut self) -> Instant {
        let longest = self.conditions.options.opponent_time;
        let ends = Instant::now() + longest.mul_f64(self.rng.f64());
        let is_lost = self.is_killed_in(Kill::Theirs, self.turns);
        let due = match self.kill_due.take() {
            None if is_lost => Some(Instant::now() + longest.mul_f64(self.rng.f64())),
            due => due,
        };
        if let Some(due) = due {
            std::thread::sleep(due.min(ends).saturating_duration_since(Instant::now()));
            self.kill();
        }
        if due.is_some() && !is_lost && !self.boxes.is_empty() {
            // The operator loads the engine before the opponent's move only if there is time.
            let downtime = Duration::from_secs_f64(0.5 * self.rng.f64());
            if Instant::now() + downtime < ends {
                self.problem = self.load_again().err();
            }
        }
        ends
    }

    /// Hands over a move. The engine's own is on the board already.
    fn played(&mut self, mv: Move) {
        self.seen += 1;
        if self.board.moves().len() < self.seen {
            self.problem = self.problem.take().or(self.hand_over(mv).err());
        }
    }

    /// Sends the opponent's move to the engine and discards the engine's output before it. A dead engine never receives
    /// the move.
    fn hand_over(&mut self, mv: Move) -> Result<(), Failure> {
        self.overlook();
        self.make(mv)?;
        if self.boxes.is_empty() {
            self.send(&format!("move {}\n", self.board.format_move(mv, Form::Sau)));
        } else {
            self.boxes.push("WriteMsg failed error: 232");
            if self.board.position().winner().is_none() {
                // The engine's clock starts with the opponent's move.
                let began = Instant::now();
                self.load_again()?;
                self.played.used += began.elapsed();
            }
        }
        Ok(())
    }

    /// Discards output that the engine sent out of turn.
    fn overlook(&mut self) {
        while let Ok(process) = self.program.process()
            && process.line(Instant::now(), Duration::ZERO).is_ok()
        {}
    }

    /// Plays a move and appends it to the platform's record, if there is one.
    fn make(&mut self, mv: Move) -> Result<(), Failure> {
        if self.conditions.all_step() {
            let side = self.board.position().side();
            let line = format!("{side}: {}\r\n", self.board.format_move(mv, Form::Sau));
            let file = OpenOptions::new().append(true).open(self.record());
            file.and_then(|mut file| file.write_all(line.as_bytes()))
                .map_err(|error| Failure::cannot(format!("the platform's record: {error}")))?;
        }
        self.board.make(mv);
        Ok(())
    }

    /// Simulates the platform's Unload command: sends `quit`, and fails if the engine has not exited within [`QUIT`].
    fn quit(&mut self) -> Result<(), Failure> {
        if !self.boxes.is_empty() {
            return Ok(());
        }
        let Ok(process) = self.program.process() else { return Ok(()) };
        process.write("quit\n");
        let asked = Instant::now();
        while process.line(asked, QUIT).is_ok() {}
        let is_gone = process.is_gone();
        if is_gone { Ok(()) } else { Err(Failure::new(Kind::BadExit, "still running a second after quit")) }
    }
}
