//! Open brackets. In JSON, the coordinates in an object can be a move.

use super::super::piece::Form;
use super::super::role;
use super::Lexer;
use super::numbers::Number;

/// An open bracket.
#[derive(Clone, Copy, Default)]
pub(super) struct Opened {
    pub(super) begin: usize,
    /// Numbers of runs, of numbers in the last one, and of pieces before it.
    pub(super) runs: usize,
    pub(super) length: usize,
    pub(super) pieces: usize,
    /// True if the object of JSON has a name that is that of a coordinate of a move.
    pub(super) names_coordinates: bool,
    /// True if it has a value that can be a coordinate.
    pub(super) has_values: bool,
}

/// Open brackets. Counts those nested too deeply without storing them.
#[derive(Default)]
pub(super) struct Stack<T> {
    items: Vec<T>,
    deeper: usize,
}

impl<T> Stack<T> {
    const MAX_DEPTH: usize = 1000;

    pub(super) fn push(&mut self, item: T) {
        if self.items.len() < Self::MAX_DEPTH {
            self.items.push(item);
        } else {
            self.deeper += 1;
        }
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        match self.deeper {
            0 => self.items.pop(),
            _ => {
                self.deeper -= 1;
                None
            }
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.items.len() + self.deeper
    }

    pub(super) fn first(&self) -> Option<&T> {
        self.items.first()
    }

    pub(super) fn last(&self) -> Option<&T> {
        self.items.last()
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut T> {
        self.items.last_mut().filter(|_| self.deeper == 0)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl Lexer<'_> {
    /// Handles an opening bracket.
    pub(super) fn open(&mut self, begin: usize) {
        if self.is_json && !self.in_string {
            self.keys.open();
        }
        let (runs, length, pieces) = (self.runs, self.run.len(), self.found.pieces.len());
        self.opened.push(Opened { begin, runs, length, pieces, names_coordinates: false, has_values: false });
    }

    /// Handles a closing bracket: six numbers inside are a move, and so are the coordinates of an object of JSON.
    pub(super) fn close(&mut self) {
        if self.is_json && !self.in_string {
            self.keys.close();
        }
        let Some(inside) = self.opened.pop() else { return };
        let opened = if inside.runs == self.runs { inside.length.min(self.run.len()) } else { 0 };
        if self.run.len() - opened == 6 {
            self.end_points();
            let six: Vec<Number> = self.run.drain(opened..).collect();
            self.push_numbers(&six, false);
        }
        if inside.names_coordinates && inside.has_values {
            self.damaged_object(inside, opened);
        }
        if let Some(around) = self.opened.last_mut().filter(|_| !inside.names_coordinates) {
            around.has_values |= inside.has_values;
        }
    }

    /// Adds a fragment for an object of coordinates that is no whole move. The numbers from `first` on are in it.
    pub(super) fn damaged_object(&mut self, inside: Opened, first: usize) {
        let known = &mut self.found.pieces[inside.pieces..];
        if known.iter().any(|piece| piece.form != Form::Fragment) {
            return;
        }
        // No part of it belongs to another move.
        self.run.truncate(first);
        self.points.retain(|point| point.begin < inside.begin);
        match known.last_mut() {
            Some(fragment) => fragment.is_weak = false,
            None => self.push_fragment(inside.begin, self.at, false),
        }
    }

    /// Notes a name of JSON that can only be that of a coordinate of a move.
    pub(super) fn note_coordinate(&mut self, name: &str) {
        let is_coordinate = role(name).is_some() && !["start", "end", "source", "target"].contains(&name);
        if let Some(object) = self.opened.last_mut().filter(|_| is_coordinate) {
            object.names_coordinates = true;
        }
    }

    /// Notes a number or a square that can be the value of a coordinate.
    pub(super) fn note_value(&mut self) {
        if let Some(object) = self.opened.last_mut() {
            object.has_values = true;
        }
    }
}
