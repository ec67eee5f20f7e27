//! Warnings of what was read in an unusual way, or not at all.

use super::part::Shown;
use super::piece::{Aside, Form, Piece};
use super::replay::Play;
use super::{MAX_WARNINGS, Scan, signs, words};
use crate::board::moves::Move;
use crate::record::GameRecord;
use crate::record::reading::Warning;

/// Maximum number of letters behind the last move that are read for a move taken back.
const MAX_BEHIND: usize = 40;

impl Scan<'_, '_, '_> {
    /// Warns of moves of a game that can be read in another way.
    pub(super) fn explain_pieces(&mut self, play: &Play, pieces: &[Piece], used: &[bool]) {
        let own: Vec<usize> = (play.begin..play.end).filter(|&at| used[at]).collect();
        let doubt = match (play.remark(pieces, used), signs::remark(self.text, pieces, &own)) {
            _ if self.is_json => None,
            (Some(remark), _) => Some((remark, "beside words")),
            (None, remark) => remark.map(|remark| (remark, "behind a sign")),
        };
        if let Some((remark, place)) = doubt {
            let text = format!("the last moves stand {place}, unlike those before; they are read as played");
            self.remark(pieces[remark].begin as usize, text);
        }
        if let Some(last) = (play.begin..play.end).rfind(|&at| used[at]).filter(|_| !self.is_json) {
            let end = pieces[last].end as usize;
            let behind: String = self.text[end..].trim_start().chars().take(MAX_BEHIND).collect();
            if words::takes_back(behind.lines().next().unwrap_or_default()) {
                self.remark(end, "the last move seems to be taken back; it is read as played");
            }
        }
        let is_comment = |at: usize| pieces[at].aside == Aside::Comment;
        let mut own = (play.begin..play.end).filter(|&at| used[at]);
        let other = own.clone().find(|&at| is_comment(at)).filter(|_| self.is_json && !own.all(is_comment));
        if let Some(joint) = play.joint.or(other) {
            let text = "the moves from here continue the game, but can also begin a new one";
            self.warn(pieces[joint].begin as usize, text);
        }
    }

    /// Warns of a game that was not read in the usual way.
    pub(super) fn explain(&mut self, play: &Play, first: &Piece, index: usize) {
        let at = first.begin as usize;
        if index > 0 && !play.is_announced {
            self.warn(at, "a new game is assumed to begin here");
        }
        if play.way.is_odd() || first.form == Form::Numbers && play.way.has_odd_numbers() {
            let text = self.text[at..first.end as usize].replace('\n', " ");
            self.warn(at, format!("coordinates count in an unusual way: {text} is {}", play.moves[0]));
        }
        if let Some(other) = &play.other {
            let beginning =
                |moves: &[Move]| moves.iter().take(2).map(ToString::to_string).collect::<Vec<_>>().join(" ");
            let [this, other] = [beginning(&play.moves), beginning(other)];
            self.warn(at, format!("the coordinates can be read as {this} or as {other}; read as the first"));
        }
    }

    /// Warns of an illegal move that ends a game before other moves.
    pub(super) fn explain_end(&mut self, play: &Play, record: &GameRecord, next: &Piece) {
        let Some(position) = record.positions().last().copied() else { return };
        let error = |mv: Move| Some((mv, position.check(mv).err()?));
        if let Some((mv, error)) =
            play.way.move_of(next, &position).and_then(error).filter(|_| !next.restarts())
        {
            let number = record.moves.len() + 1;
            self.warn(next.begin as usize, format!("move {number}, {mv}, is not legal: {error}"));
        }
    }

    /// Warns of pieces in no game: one warning a line.
    pub(super) fn unused(&mut self, pieces: &[Piece], used: &[bool], is_empty: bool, shown: &mut Shown) {
        for (piece, _) in pieces.iter().zip(used).filter(|(_, used)| **used) {
            shown.has_letters |= piece.form == Form::Letters;
            shown.has_numbers |= piece.form == Form::Numbers;
        }
        let (has_letters, has_numbers) = (shown.has_letters, shown.has_numbers);
        let text = self.text;
        let is_word = |piece: &Piece| text[piece.begin as usize..].starts_with(|c: char| c.is_alphabetic());
        let is_shown = |piece: &Piece| match piece.form {
            _ if !piece.is_weak => true,
            Form::Squares => true,
            Form::Letters => has_letters,
            Form::Numbers => has_numbers,
            Form::Fragment => is_empty || if is_word(piece) { has_letters } else { has_numbers },
        };
        // Only the first lines are kept: their numbers, first pieces and numbers of pieces.
        let mut lines: Vec<(usize, Vec<&Piece>, usize)> = Vec::new();
        for (piece, _) in pieces.iter().zip(used).filter(|(piece, used)| !**used && is_shown(piece)) {
            let line = self.lines.at(piece.begin as usize);
            let is_kept = shown.lines + lines.len() < MAX_WARNINGS;
            match lines.last_mut().filter(|last| last.0 == line) {
                Some((_, shown, count)) => {
                    shown.extend((*count < 4).then_some(piece));
                    *count += 1;
                }
                None if is_kept => lines.push((line, vec![piece], 1)),
                None => shown.more = Some([shown.more.map_or(line, |[first, _]| first), line]),
            }
        }
        shown.lines += lines.len();
        for (line, shown, count) in lines {
            let texts: Vec<String> = shown.iter().map(|piece| self.shown(piece)).collect();
            let more = if count > 4 { format!(" and {} more", count - 4) } else { String::new() };
            self.intake.warnings.push(Warning::new(line, format!("in no game: {}{more}", texts.join(", "))));
        }
    }

    /// Sums up the lines with pieces in no game that have no warning.
    pub(super) fn sum_up(&mut self, shown: &Shown) {
        if let Some([first, last]) = shown.more {
            let text = format!("more lines up to line {last} hold moves that are in no game");
            self.intake.warnings.push(Warning::new(first, text));
        }
    }

    pub(super) fn shown(&self, piece: &Piece) -> String {
        let text = &self.text[piece.begin as usize..piece.end as usize];
        text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(40).collect()
    }
}
