//! Prints games move by move, for people.

use crate::say;
use clap::ValueEnum;
use otrera::{PlayedMove, Position, Side};
use std::io::{self, IsTerminal};

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Show {
    /// Each move with the board after it.
    Board,
    /// Each move.
    Moves,
    /// Results only.
    None,
}

/// Output of one game.
pub struct Screen {
    show: Show,
    /// True if several games run at once: the output is held back until the game ends.
    is_shared: bool,
    held: String,
    /// Number of terminal lines that the next board overwrites.
    drawn: usize,
}

impl Screen {
    pub const fn new(show: Show, is_shared: bool) -> Self {
        Self { show, is_shared, held: String::new(), drawn: 0 }
    }

    /// Prints a title and the start position.
    pub fn begin(&mut self, title: &str, start: &Position) {
        if self.show != Show::None {
            self.say(&format!("{title}\n"));
        }
        if self.show == Show::Board {
            self.draw(start, "");
        }
    }

    /// Prints a move, after which the game has this position and number of plies.
    pub fn moved(&mut self, position: &Position, ply: usize, played: &PlayedMove) {
        let mover = lower(position.side().opponent());
        let line =
            format!("{ply:3}. {mover} {:12} {:7.3} s\n", played.mv.to_string(), played.time.as_secs_f64());
        match self.show {
            Show::Board => self.draw(position, &line),
            Show::Moves => self.say(&line),
            Show::None => {}
        }
    }

    /// Prints the board. On a terminal, the new board replaces the previous one.
    fn draw(&mut self, position: &Position, line: &str) {
        let text = format!("{line}\n{position}\n");
        let over = if self.drawn > 0 { format!("\x1b[{}F\x1b[J", self.drawn) } else { String::new() };
        let can_overwrite = io::stdout().is_terminal() && std::env::var("TERM").is_ok_and(|t| t != "dumb");
        if !self.is_shared && can_overwrite {
            self.drawn = text.lines().count();
        }
        self.say(&(over + &text));
    }

    /// Prints the text, or holds it back until the game ends if several games run at once.
    pub fn say(&mut self, text: &str) {
        if self.is_shared {
            self.held += text;
        } else {
            say(text);
        }
    }

    /// Prints the text that was held back.
    pub fn end(self) {
        say(&self.held);
    }
}

/// Returns the side's name in small letters.
pub const fn lower(side: Side) -> &'static str {
    match side {
        Side::Black => "black",
        Side::White => "white",
    }
}
