//! The referee of a transcript: the true board, and the strict forms in which platforms take a move.
#![allow(dead_code)] // two test files compile this module for themselves, and one uses a part of it

use otrera::{Move, Position, Side, Square};
use serde_json::Value;

const KEYS: [&str; 6] = ["x0", "y0", "x1", "y1", "x2", "y2"];

/// Black's first request on Botzone.
pub const BEGIN: &str = r#"{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1}"#;

/// How a platform writes a move.
#[derive(Clone, Copy)]
pub enum Form {
    /// Botzone's JSON object.
    Json,
    /// Botzone's six numbers.
    Simple,
    /// The SAU platform's six letters.
    Sau,
    /// UCI's squares, `d1d7,d7g7`.
    Uci,
}

/// A game as it stands on the platform.
pub struct Referee {
    position: Position,
    moves: Vec<Move>,
    past: Vec<Position>,
    /// Moves that were refused, each with the number of moves before it.
    refused: Vec<(usize, Move)>,
}

impl Referee {
    /// A game that begins here.
    pub fn new(position: Position) -> Self {
        Self { position, moves: Vec::new(), past: Vec::new(), refused: Vec::new() }
    }

    /// The board as it stands.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// All moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a move if it is legal and was not refused.
    pub fn play(&mut self, mv: Move) -> Result<(), String> {
        if self.refused.contains(&(self.moves.len(), mv)) {
            return Err(format!("{mv} was refused before"));
        }
        let next = self.position.try_play(mv);
        let next = next.map_err(|error| format!("{mv} is not legal: {error}\n{}", self.position))?;
        self.past.push(self.position);
        self.moves.push(mv);
        self.position = next;
        Ok(())
    }

    /// Plays a move of the referee's choice.
    pub fn play_any(&mut self) -> Result<Move, String> {
        let moves: Vec<Move> = self.position.legal_moves().collect();
        let choice = 7919 * (self.moves.len() + 1) % moves.len().max(1);
        let mv = *moves.get(choice).ok_or("the game is over")?;
        self.play(mv).map(|()| mv)
    }

    /// Refuses the last move: the board stands as before it.
    pub fn take_back(&mut self) -> Result<(), String> {
        let (Some(mv), Some(position)) = (self.moves.pop(), self.past.pop()) else {
            return Err("there is no move to take back".into());
        };
        self.refused.push((self.moves.len(), mv));
        self.position = position;
        Ok(())
    }

    /// Lets the other side move next.
    pub fn pass(&mut self) {
        self.position = self.position.with_side(self.position.side().opponent());
    }

    /// Reads the program's move as strictly as the platform does, and plays it.
    pub fn accept(&mut self, line: &str, form: Form) -> Result<(), String> {
        let mv = match form {
            Form::Json => self.read_json(line),
            Form::Simple => self.read_simple(line),
            Form::Sau => line.strip_prefix("move ").and_then(|letters| self.read_letters(letters)),
            Form::Uci => self.read_best_move(line),
        };
        self.play(mv.ok_or("that is not the form of a move there")?)
    }

    /// `{"response":{…},"debug":"…"}`: six whole numbers, less than 1 KB of text, and nothing else.
    fn read_json(&self, line: &str) -> Option<Move> {
        let answer: Value = serde_json::from_str(line).ok()?;
        let answer = answer.as_object()?;
        let response = answer.get("response")?.as_object()?;
        let debug_fits =
            answer.get("debug").is_none_or(|debug| debug.as_str().is_some_and(|d| d.len() < 1024));
        let nothing_else = answer.keys().all(|key| ["response", "debug"].contains(&key.as_str()));
        if !debug_fits || !nothing_else || response.len() != KEYS.len() {
            return None;
        }
        let numbers: Vec<u64> = KEYS.iter().map_while(|&key| response.get(key)?.as_u64()).collect();
        move_of(numbers.try_into().ok()?)
    }

    /// Six numbers with single spaces, nothing before and nothing after.
    fn read_simple(&self, line: &str) -> Option<Move> {
        let digits = |word: &str| word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_digit());
        let numbers: Vec<u64> =
            line.split(' ').map_while(|word| word.parse().ok().filter(|_| digits(word))).collect();
        (line.split(' ').count() == 6).then_some(move_of(numbers.try_into().ok()?)?)
    }

    /// Six capital letters: column from the left and row from the top, three times.
    fn read_letters(&self, letters: &str) -> Option<Move> {
        let numbers: Vec<u64> =
            letters.bytes().map_while(|byte| Some(byte.checked_sub(b'A')?.into())).collect();
        let [x0, y0, x1, y1, x2, y2] = numbers.try_into().ok()?;
        let last = self.position.size().edge() as u64 - 1;
        move_of([x0, last.checked_sub(y0)?, x1, last.checked_sub(y1)?, x2, last.checked_sub(y2)?])
    }

    /// `bestmove MOVE`, perhaps with `ponder` and a legal answer to it.
    fn read_best_move(&self, line: &str) -> Option<Move> {
        let squares = |text: &str| {
            let mv = text.parse().ok()?;
            (self.written(mv, Form::Uci) == text).then_some(mv)
        };
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["bestmove", best] => squares(best),
            ["bestmove", best, "ponder", answer] => {
                let mv = squares(best)?;
                self.position.try_play(mv).ok()?.check(squares(answer)?).ok().map(|()| mv)
            }
            _ => None,
        }
    }

    /// The game up to now, as UCI has it.
    pub fn game(&self) -> String {
        let moves: Vec<String> = self.moves.iter().map(|&mv| self.written(mv, Form::Uci)).collect();
        moves.join(" ")
    }

    /// A move as the platform writes it.
    pub fn written(&self, mv: Move, form: Form) -> String {
        let squares = [mv.from, mv.to, mv.arrow];
        let numbers = squares.map(|square| [square.column(), square.row()]).concat();
        let last = self.position.size().edge() - 1;
        let letter = |number: usize| char::from(b'A' + number as u8);
        match form {
            Form::Json => {
                let pairs = KEYS.iter().zip(numbers).map(|(key, number)| format!("\"{key}\":{number}"));
                format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
            }
            Form::Simple => numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" "),
            Form::Uci => format!("{}{},{}{}", mv.from, mv.to, mv.to, mv.arrow),
            Form::Sau => {
                squares.map(|s| [letter(s.column()), letter(last - s.row())]).as_flattened().iter().collect()
            }
        }
    }

    /// The requests and the responses of Botzone's full form for the side to move.
    pub fn messages(&self, form: Form) -> [Vec<String>; 2] {
        let begin = match form {
            Form::Json => BEGIN,
            _ => "-1 -1 -1 -1 -1 -1",
        };
        let [mut requests, mut responses] = [Vec::new(), Vec::new()];
        if self.position.side() == Side::Black {
            requests.push(begin.to_owned());
        }
        for (ply, &mv) in self.moves.iter().enumerate() {
            let ours = (ply % 2 == 0) == (self.position.side() == Side::Black);
            let messages = if ours { &mut responses } else { &mut requests };
            messages.push(self.written(mv, form));
        }
        [requests, responses]
    }
}

/// A move from column and row of its three squares, Black's first row being row 0.
fn move_of([x0, y0, x1, y1, x2, y2]: [u64; 6]) -> Option<Move> {
    let square = |x: u64, y: u64| Square::new(x.try_into().ok()?, y.try_into().ok()?);
    Some(Move { from: square(x0, y0)?, to: square(x1, y1)?, arrow: square(x2, y2)? })
}
