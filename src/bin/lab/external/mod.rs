//! Programs from elsewhere as players: Botzone's interactions, the SAU platform's commands, and UCI in
//! Fairy-Stockfish's amazons dialect, from the platform's side.

mod process;

use otrera::{Budget, Choice, Forfeit, Move, Player, Position, Size, Square};
use process::Process;
use serde_json::{Value, json};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// How the program wants to be spoken to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// Botzone, simple interaction, a process for each turn.
    BotzoneSimple,
    /// Botzone, JSON interaction, a process for each turn.
    BotzoneJson,
    /// Botzone, JSON interaction, one process that keeps running.
    BotzoneKeep,
    /// The SAU Game Platform.
    Sau,
    /// UCI, variant amazons.
    Uci,
}

impl Protocol {
    const NAMED: [(&'static str, Self); 5] = [
        ("botzone-simple", Self::BotzoneSimple),
        ("botzone-json", Self::BotzoneJson),
        ("botzone-keep", Self::BotzoneKeep),
        ("sau", Self::Sau),
        ("uci", Self::Uci),
    ];

    /// All names, for messages.
    pub fn names() -> String {
        Self::NAMED.map(|(name, _)| name).join(", ")
    }
}

impl FromStr for Protocol {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::NAMED.iter().find(|(known, _)| *known == name);
        found.map(|(_, protocol)| *protocol).ok_or_else(|| format!("valid protocols are {}", Self::names()))
    }
}

/// How long a program may take that was given no time: longer is taken for a hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// How much longer than its time a program is waited for; the referee judges what is late.
const GRACE: Duration = Duration::from_millis(500);

/// How long a program may take to start and to introduce itself.
const START: Duration = Duration::from_secs(10);

/// Lines of talk before an answer that are borne with.
const TALK: usize = 10_000;

/// Says on Botzone that the process lives on.
const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// A program as a player.
pub struct External {
    command: Vec<String>,
    protocol: Protocol,
    process: Option<Process>,
    start: Position,
    position: Position,
    moves: Vec<Move>,
    /// Moves that a keep-running or SAU process has been told of, its own included.
    told: usize,
}

impl External {
    /// The player of this command. It is started with its first game.
    pub fn new(command: Vec<String>, protocol: Protocol) -> Self {
        let start = Position::standard();
        Self { command, protocol, process: None, start, position: start, moves: Vec::new(), told: 0 }
    }

    fn process(&mut self) -> Result<&mut Process, Forfeit> {
        match &mut self.process {
            Some(process) => Ok(process),
            None => Err(Forfeit::Crashed("it is not running".into())),
        }
    }

    fn answer(&mut self, budget: Budget) -> Result<Move, Forfeit> {
        let asked = Instant::now();
        let limit = budget.time.map_or(PATIENCE, |time| time + GRACE);
        match self.protocol {
            Protocol::BotzoneSimple | Protocol::BotzoneJson => {
                let mut process = Process::start(&self.command)?;
                process.write(&self.full_request())?;
                process.close_input();
                let line = process.line(asked, limit)?;
                self.botzone_move(&line)
            }
            Protocol::BotzoneKeep => self.keep_running_move(asked, limit),
            Protocol::Sau => self.sau_move(asked, limit),
            Protocol::Uci => self.uci_move(budget, asked, limit),
        }
    }

    /// Botzone's requests and responses up to now, the first mover's opening request included.
    fn messages(&self) -> Vec<[i64; 6]> {
        let begin = (self.position.side() == self.start.side()).then_some([-1; 6]);
        begin.into_iter().chain(self.moves.iter().map(|&mv| numbers_of(mv))).collect()
    }

    fn full_request(&self) -> String {
        let messages = self.messages();
        if self.protocol == Protocol::BotzoneSimple {
            let lines: Vec<String> = messages.iter().map(|numbers| spaced(*numbers)).collect();
            return format!("{}\n{}\n", messages.len().div_ceil(2), lines.join("\n"));
        }
        let objects = messages.iter().map(|numbers| object(*numbers));
        let (requests, responses): (Vec<_>, Vec<_>) =
            objects.enumerate().partition(|(index, _)| index % 2 == 0);
        let values =
            |pairs: Vec<(usize, Value)>| pairs.into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        format!("{}\n", json!({"requests": values(requests), "responses": values(responses)}))
    }

    fn keep_running_move(&mut self, asked: Instant, limit: Duration) -> Result<Move, Forfeit> {
        let request = match (self.told, self.moves.last()) {
            (told, Some(&last)) if told > 0 && told + 1 == self.moves.len() => {
                format!("{}\n", object(numbers_of(last)))
            }
            _ => {
                self.process = Some(Process::start(&self.command)?);
                self.full_request()
            }
        };
        let process = self.process()?;
        process.write(&request)?;
        let line = process.line(asked, limit)?;
        let mv = self.botzone_move(&line)?;
        match self.process()?.line(asked, limit)? {
            marker if marker == KEEP_RUNNING => {}
            other => return Err(garbled(&other)),
        }
        self.told = self.moves.len() + 1;
        Ok(mv)
    }

    /// Reads an answer as strictly as Botzone's judge.
    fn botzone_move(&self, line: &str) -> Result<Move, Forfeit> {
        let numbers: Option<Vec<i64>> = match self.protocol {
            Protocol::BotzoneSimple => {
                line.trim_end().split(' ').take(7).map(|word| word.parse().ok()).collect()
            }
            _ => {
                let value: Value = serde_json::from_str(line).map_err(|_| garbled(line))?;
                let response = value.get("response").ok_or_else(|| garbled(line))?;
                KEYS.iter().map(|key| response.get(key)?.as_i64()).collect()
            }
        };
        let numbers =
            numbers.and_then(|numbers| <[i64; 6]>::try_from(numbers).ok()).ok_or_else(|| garbled(line))?;
        let square = |x: i64, y: i64| Square::new(usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        let [x0, y0, x1, y1, x2, y2] = numbers;
        match (square(x0, y0), square(x1, y1), square(x2, y2)) {
            (Some(from), Some(to), Some(arrow)) => Ok(Move { from, to, arrow }),
            _ => Err(garbled(line)),
        }
    }

    fn sau_move(&mut self, asked: Instant, limit: Duration) -> Result<Move, Forfeit> {
        let edge = self.start.size().edge();
        let request = match self.moves.last() {
            None => "new black\n".to_owned(),
            Some(&last) if self.moves.len() == 1 => format!("new white\nmove {}\n", letters_of(last, edge)),
            Some(&last) => format!("move {}\n", letters_of(last, edge)),
        };
        let process = self.process()?;
        process.write(&request)?;
        for _ in 0..TALK {
            let line = process.line(asked, limit)?;
            if let Some(letters) = line.strip_prefix("move ") {
                return read_letters(letters.trim_end(), edge).ok_or_else(|| garbled(&line));
            }
        }
        Err(Forfeit::Garbled("much talk and no move".into()))
    }

    fn uci_move(&mut self, budget: Budget, asked: Instant, limit: Duration) -> Result<Move, Forfeit> {
        let moves: String = self.moves.iter().map(|&mv| format!(" {}", uci_text(mv))).collect();
        let go = match (budget.time, budget.iterations) {
            (_, Some(count)) => format!("go nodes {count}"),
            (Some(time), None) => format!("go movetime {}", time.as_millis().max(1)),
            (None, None) => "go movetime 1000".to_owned(),
        };
        let start = self.start.to_fen();
        let process = self.process()?;
        process.write(&format!("position fen {start} moves{moves}\n{go}\n"))?;
        for _ in 0..TALK {
            let line = process.line(asked, limit)?;
            if let Some(best) = line.strip_prefix("bestmove ") {
                let text = best.split_ascii_whitespace().next().unwrap_or_default();
                return text.parse().map_err(|_| garbled(&line));
            }
        }
        Err(Forfeit::Garbled("much talk and no bestmove".into()))
    }

    /// Starts the program where it lives for whole games.
    fn introduce(&mut self) -> Result<(), Forfeit> {
        let asked = Instant::now();
        let (greeting, reply) = match self.protocol {
            Protocol::Sau => ("name?\n", "name "),
            Protocol::Uci => ("uci\n", "uciok"),
            _ => return Ok(()),
        };
        if self.process.is_none() {
            let mut process = Process::start(&self.command)?;
            process.write(greeting)?;
            let mut answered = false;
            for _ in 0..TALK {
                answered = process.line(asked, START)?.starts_with(reply);
                if answered {
                    break;
                }
            }
            if !answered {
                return Err(Forfeit::Garbled(format!("much talk and no {reply}")));
            }
            self.process = Some(process);
        }
        match self.protocol {
            Protocol::Sau => Ok(()),
            _ => self.process()?.write("setoption name UCI_Variant value amazons\nucinewgame\n"),
        }
    }
}

impl Player for External {
    fn begin(&mut self, start: &Position) -> Result<(), Forfeit> {
        let lives_on = matches!(self.protocol, Protocol::Sau | Protocol::Uci);
        if self.protocol == Protocol::Sau && !self.moves.is_empty() {
            // The game before this one is over; one that has gone away is started again.
            if self.process()?.write("end\n").is_err() {
                self.process = None;
            }
        }
        if !lives_on {
            self.process = None;
        }
        (self.start, self.position, self.told) = (*start, *start, 0);
        self.moves.clear();
        let known_start = *start == Position::start(start.size()).with_rules(start.rules());
        if self.protocol != Protocol::Uci && !known_start {
            return Err(Forfeit::Crashed("its protocol has no words for this start".into()));
        }
        if self.protocol == Protocol::Sau && start.size() != Size::STANDARD {
            return Err(Forfeit::Crashed("the SAU platform plays on 10x10".into()));
        }
        self.introduce()
    }

    fn choose(&mut self, budget: Budget) -> Result<Choice, Forfeit> {
        let answer = self.answer(budget).map(Choice::from);
        if answer.is_err() {
            // A program that has failed once is not spoken to again: the next game starts it anew.
            self.process = None;
            self.moves.clear();
        }
        answer
    }

    fn played(&mut self, mv: Move) {
        self.position = self.position.with_move(mv);
        self.moves.push(mv);
    }
}

/// Keys of a move in Botzone's JSON.
const KEYS: [&str; 6] = ["x0", "y0", "x1", "y1", "x2", "y2"];

fn numbers_of(mv: Move) -> [i64; 6] {
    let [from, to, arrow] = [mv.from, mv.to, mv.arrow].map(|s| [s.column() as i64, s.row() as i64]);
    [from[0], from[1], to[0], to[1], arrow[0], arrow[1]]
}

fn spaced(numbers: [i64; 6]) -> String {
    numbers.map(|number| number.to_string()).join(" ")
}

fn object(numbers: [i64; 6]) -> Value {
    KEYS.iter().zip(numbers).map(|(key, number)| ((*key).to_owned(), Value::from(number))).collect()
}

/// A move in the SAU platform's letters: column, then row from the top.
fn letters_of(mv: Move, edge: usize) -> String {
    let letter = |number: usize| char::from(b'A' + number as u8);
    [mv.from, mv.to, mv.arrow].iter().flat_map(|s| [letter(s.column()), letter(edge - 1 - s.row())]).collect()
}

fn read_letters(text: &str, edge: usize) -> Option<Move> {
    let numbers: Vec<usize> =
        text.bytes().map(|b| b.checked_sub(b'A').map(usize::from)).collect::<Option<_>>()?;
    let square = |pair: &[usize]| Square::new(pair[0], edge.checked_sub(pair[1] + 1)?);
    match numbers.chunks_exact(2).map(square).collect::<Option<Vec<_>>>()?[..] {
        [from, to, arrow] if numbers.len() == 6 => Some(Move { from, to, arrow }),
        _ => None,
    }
}

/// `d1d7,d7g7`, as Fairy-Stockfish writes it.
fn uci_text(mv: Move) -> String {
    format!("{}{},{}{}", mv.from, mv.to, mv.to, mv.arrow)
}

/// The beginning of what came instead of a move.
fn garbled(text: &str) -> Forfeit {
    Forfeit::Garbled(text.chars().take(80).collect())
}
