//! Legal replay decides how the coordinates of a text count.

use super::piece::{Aside, Beside, Border, Colour, Form, OPEN, Piece};
use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::square::{Size, Square};
use crate::order::sort_by_key;
use crate::record::reading::reserve_some;
use crate::record::work;
use std::ops::Range;

/// Order and origin of coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Orientation {
    /// True if the row comes first.
    swaps: bool,
    /// True if rows count from the second mover's side.
    flips: bool,
}

/// A way to read the coordinates of a game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Way {
    /// Start position.
    pub start: Position,
    squares: Orientation,
    letters: Orientation,
    numbers: Orientation,
    /// First number of a row of squares.
    base: i8,
    /// True if the columns leave out the letter i.
    skips_i: bool,
}

/// Board sizes in the order in which they are preferred.
const EDGES: [usize; 7] = [10, 8, 9, 7, 6, 5, 4];

/// Pieces after the first that decide which forms a game has.
const LOOK_AHEAD: usize = 200;

/// Pieces before a move that are tried as the beginning of its game: no game is longer.
const LOOK_BACK: usize = 92;

/// Pieces that are tried as the beginning of a game in the usual way.
const LOOK_FOR_USUAL: usize = 8;

/// Moves by which an odd way must exceed the usual one.
const FEW_MOVES: usize = 4;

/// Maximum number of pieces of prose between two moves of a game.
const MAX_IN_PROSE: usize = 200;

impl Way {
    /// Returns the usual way: letter and number from below, two letters from the top, numbers as on Botzone.
    pub fn usual(start: Position) -> Self {
        let from_top = Orientation { swaps: false, flips: true };
        let below = Orientation::default();
        Self { start, squares: below, letters: from_top, numbers: below, base: 0, skips_i: false }
    }

    /// Returns all ways to read a game with these forms, in any order.
    fn all(start: Option<Position>, forms: &[Form]) -> Vec<Self> {
        let sizes = EDGES.iter().filter_map(|&edge| Size::new(edge)).map(Position::start);
        let starts: Vec<Position> = start.map_or_else(|| sizes.collect(), |start| vec![start]);
        let mut ways: Vec<Self> = starts.into_iter().map(Self::usual).collect();
        let orientations = [(false, false), (false, true), (true, false), (true, true)]
            .map(|(swaps, flips)| Orientation { swaps, flips });
        let mut vary = |change: &dyn Fn(Self, Orientation) -> Self| {
            let each = ways.iter().flat_map(|way| orientations.map(|orientation| change(*way, orientation)));
            ways = each.collect();
        };
        if forms.contains(&Form::Squares) {
            vary(&|way, squares| Self { squares, ..way });
        }
        if forms.contains(&Form::Letters) {
            vary(&|way, letters| Self { letters, ..way });
        }
        if forms.contains(&Form::Numbers) {
            vary(&|way, numbers| Self { numbers, ..way });
            let from_one = ways.clone().into_iter().map(|way| Self { base: 1, ..way });
            ways.extend(from_one);
        }
        if forms.contains(&Form::Squares) {
            let without = ways.clone().into_iter().map(|way| Self { skips_i: true, ..way });
            ways.extend(without);
        }
        ways
    }

    /// Returns the ways to read a game with these forms from a start, the usual ones first.
    pub fn likely(start: Position, forms: &[Form]) -> Vec<Self> {
        let mut ways = Self::all(Some(start), forms);
        sort_by_key(&mut ways, |way| way.oddity(None, None));
        ways
    }

    /// Returns how far the way departs from what is usual; ways with equal figures are equally likely.
    fn oddity(&self, edge: Option<usize>, before: Option<&Self>) -> (bool, bool, u8, usize) {
        let size = self.start.size().edge();
        let usual = Self::usual(self.start);
        let odd = |own: Orientation, usual: Orientation| {
            2 * u8::from(own.swaps != usual.swaps) + u8::from(own.flips != usual.flips)
        };
        // Only Botzone's board has a usual order of numbers; elsewhere the first mover can sit below in two ways.
        let of_numbers = match (size == Size::BOTZONE.edge(), self.numbers) {
            (true, own) => odd(own, usual.numbers) + u8::from(self.base != 0),
            (false, own) if own.swaps == own.flips => 1,
            (false, _) => 2,
        };
        let oddity = 4 * (odd(self.squares, usual.squares) + odd(self.letters, usual.letters))
            + of_numbers
            + 8 * u8::from(self.skips_i);
        let is_other = before.is_some_and(|before| Self { start: self.start, ..*before } != *self);
        let rank = EDGES.iter().position(|&known| known == size).unwrap_or(EDGES.len());
        (edge.is_some_and(|edge| edge != size), is_other, oddity, rank)
    }

    /// True if squares and letters count in an unusual way.
    pub fn is_odd(&self) -> bool {
        let usual = Self::usual(self.start);
        self.squares != usual.squares || self.letters != usual.letters || self.skips_i
    }

    /// True if numbers count in an unusual way: on Botzone's board not as there, on others neither column and row from
    /// below nor row and column from the top.
    pub fn has_odd_numbers(&self) -> bool {
        match self.start.size() == Size::BOTZONE {
            true => self.numbers != Self::usual(self.start).numbers || self.base != 0,
            false => self.numbers.swaps != self.numbers.flips,
        }
    }

    /// True if the way differs from the usual one only by rows that count from the other side.
    fn is_upside_down(&self) -> bool {
        let usual = Self::usual(self.start);
        self.squares.swaps == usual.squares.swaps
            && self.letters.swaps == usual.letters.swaps
            && !self.skips_i
    }

    fn square(&self, form: Form, [first, second]: [i8; 2]) -> Option<Square> {
        if [first, second].contains(&OPEN) {
            return None;
        }
        let last = self.start.size().edge() as i8 - 1;
        let (orientation, [first, second]) = match form {
            Form::Squares if self.skips_i && first == 8 => return None,
            Form::Squares => (self.squares, [first - i8::from(self.skips_i && first > 8), second - 1]),
            Form::Letters => (self.letters, [first, second]),
            Form::Numbers => (self.numbers, [first - self.base, second - self.base]),
            Form::Fragment => return None,
        };
        let [column, row] = if orientation.swaps { [second, first] } else { [first, second] };
        let row = if orientation.flips { last - row } else { row };
        let on_board = (0..=last).contains(&column) && (0..=last).contains(&row);
        on_board.then(|| Square::new(column as usize, row as usize)).flatten()
    }

    /// Returns the move of a piece in a position. A piece that leaves its origin open must fit one amazon only. The
    /// move can be illegal.
    pub fn move_of(&self, piece: &Piece, position: &Position) -> Option<Move> {
        let [from, to, arrow] = piece.numbers;
        let [to, arrow] = [self.square(piece.form, to)?, self.square(piece.form, arrow)?];
        if !from.contains(&OPEN) {
            return Some(Move { from: self.square(piece.form, from)?, to, arrow });
        }
        let fits = |square: Square| {
            let [column, row] = [square.column() as i8, square.row() as i8 + 1];
            let row = if self.squares.flips { position.size().edge() as i8 + 1 - row } else { row };
            let column = column + i8::from(self.skips_i && column > 7);
            !self.squares.swaps
                && (from[0] == OPEN || from[0] == column)
                && (from[1] == OPEN || from[1] == row)
        };
        let moves = position.amazons(position.side()).into_iter().filter(|&from| fits(from));
        let mut legal = moves.map(|from| Move { from, to, arrow }).filter(|&mv| position.check(mv).is_ok());
        legal.next().filter(|_| legal.next().is_none())
    }
}

/// A game found in a list of pieces.
#[derive(Clone, Debug)]
pub struct Play {
    /// How its coordinates count.
    pub way: Way,
    /// The legal moves.
    pub moves: Vec<Move>,
    /// Index of the first piece.
    pub begin: usize,
    /// Index behind the last piece that belongs to the game.
    pub end: usize,
    /// Pieces in between that are not in the game.
    pub skipped: Vec<Range<usize>>,
    /// Colour of the first mover, if the text names it.
    pub first: Option<Colour>,
    /// A different game that the same pieces can be with equal right.
    pub other: Option<Vec<Move>>,
    /// True if a sign of the text shows that a new game begins.
    pub is_announced: bool,
    /// Index of a piece behind a gap from which the pieces can be another game as well.
    pub joint: Option<usize>,
}

/// Adds skipped pieces; a text can repeat one move on all of its lines.
fn skip(skipped: &mut Vec<Range<usize>>, pieces: Range<usize>) {
    match skipped.last_mut() {
        Some(last) if last.end == pieces.start => last.end = pieces.end,
        _ => skipped.push(pieces),
    }
}

impl Play {
    /// Returns the game without moves that begins at index `begin`.
    fn empty(way: Way, begin: usize) -> Self {
        Self {
            way,
            moves: Vec::new(),
            begin,
            end: begin,
            skipped: Vec::new(),
            first: None,
            other: None,
            is_announced: true,
            joint: None,
        }
    }

    /// Counts the indices from `offset`.
    pub fn behind(self, offset: usize) -> Self {
        self.with_indices(|index| index + offset)
    }

    /// Counts the indices without the first `pieces`, which come before the game.
    pub fn without(self, pieces: usize) -> Self {
        self.with_indices(|index| index - pieces)
    }

    fn with_indices(mut self, change: impl Fn(usize) -> usize) -> Self {
        (self.begin, self.end) = (change(self.begin), change(self.end));
        self.joint = self.joint.map(&change);
        for skipped in &mut self.skipped {
            *skipped = change(skipped.start)..change(skipped.end);
        }
        self
    }

    /// Plays the pieces from index `begin` as far as they are legal.
    fn new(way: Way, pieces: &[Piece], begin: usize, asides: Aside) -> Self {
        let mut play = Self::empty(way, begin);
        let mut position = way.start;
        let (mut skipped, mut in_prose) = (Vec::new(), 0);
        for (index, piece) in pieces.iter().enumerate().skip(begin) {
            work::count(1);
            let legal =
                |way: Way| way.move_of(piece, &way.start).is_some_and(|mv| way.start.check(mv).is_ok());
            let begins = || legal(way) || legal(Way::usual(way.start));
            let is_new = piece.border >= Border::Result || piece.restarts() && begins();
            if !play.moves.is_empty() && is_new || position.winner().is_some() {
                break;
            }
            let mv = way.move_of(piece, &position).filter(|_| piece.aside <= asides);
            let by =
                if play.moves.len().is_multiple_of(2) { piece.mover } else { piece.mover.map(Colour::other) };
            let fits = by.is_none() || play.first.is_none() || by == play.first;
            match mv.filter(|&mv| fits && position.check(mv).is_ok()) {
                Some(mv) => {
                    play.moves.push(mv);
                    position = position.with_move(mv);
                    play.first = play.first.or(by);
                    play.end = index + 1;
                    play.skipped.append(&mut skipped);
                    in_prose = 0;
                }
                // Repeated right away, as in the log of a program: one of the two is in no game.
                None if mv.is_some() && mv == play.moves.last().copied() => {
                    play.end = index + 1;
                    play.skipped.append(&mut skipped);
                    skip(&mut play.skipped, index..index + 1);
                }
                None if piece.is_weak || piece.aside > asides => {
                    in_prose += usize::from(piece.aside <= asides);
                    if play.moves.is_empty() || in_prose > MAX_IN_PROSE {
                        break;
                    }
                    skip(&mut skipped, index..index + 1);
                }
                None => break,
            }
        }
        play
    }

    /// True if the game repeats all moves of the last one, as a log does that prints the game so far with each move.
    fn repeats(&self, last: &Self, pieces: &[Piece]) -> bool {
        let first = &pieces[self.begin];
        let is_unmarked = first.mover.is_none() && !first.restarts();
        is_unmarked && self.moves.starts_with(&last.moves) && last.way == self.way
    }

    /// Joins the last game, which this one repeats. Returns the first piece that can begin a joint.
    fn take_in(&mut self, mut last: Self) -> usize {
        match last.moves == self.moves {
            true => skip(&mut last.skipped, self.begin..self.end),
            false => last.skipped.append(&mut self.skipped),
        }
        (self.begin, self.skipped) = (last.begin, last.skipped);
        // Where no other game goes on up to the end of the last one, none does up to this end.
        last.joint.unwrap_or(last.end)
    }

    /// Returns the first piece behind a gap from which all further moves are legal from the start as well; behind a line
    /// of text, only if they are several. `from` is the first one that can be.
    fn joint(&self, pieces: &[Piece], asides: Aside, from: usize) -> Option<usize> {
        let least = |index: usize| match pieces[index].border {
            Border::Line => Some(2),
            Border::Gap => Some(1),
            _ => None,
        };
        (from..self.end).find(|&index| {
            least(index).is_some_and(|least| {
                let other = Self::new(self.way, pieces, index, asides);
                other.moves.len() >= least && other.end >= self.end
            })
        })
    }

    /// Returns the index of the first of the last pieces in use if these, and no others, stand beside words: they can be moves
    /// that were not played.
    pub fn remark(&self, pieces: &[Piece], used: &[bool]) -> Option<usize> {
        let own = (self.begin..self.end).filter(|&index| used[index]);
        [Beside::Behind, Beside::Before].into_iter().find_map(|side| {
            let has_words = |index: usize| [side, Beside::Both].contains(&pieces[index].beside);
            let first = own.clone().find(|&index| has_words(index))?;
            let is_last = own.clone().all(|index| has_words(index) == (index >= first));
            (is_last && first > self.begin).then_some(first)
        })
    }

    /// True if the moves are those of another game, and further ones beside the main line.
    fn only_adds_asides(&self, other: &Self, pieces: &[Piece]) -> bool {
        !other.moves.is_empty()
            && self.moves.starts_with(&other.moves)
            && self.end > other.end
            && pieces[other.end..self.end].iter().all(|piece| piece.aside != Aside::No)
    }

    /// True if the piece is a legal move after the last one.
    fn goes_on(&self, piece: &Piece) -> bool {
        let end = self.moves.iter().fold(self.way.start, |position, &mv| position.with_move(mv));
        self.way.move_of(piece, &end).is_some_and(|mv| end.check(mv).is_ok())
    }
}

/// What a text states about the games to find.
#[derive(Clone, Copy, Default)]
pub struct Stated {
    /// Start position.
    pub start: Option<Position>,
    /// Edge of the board.
    pub edge: Option<usize>,
}

/// True if a piece, counted in the usual way, can be the first move from a start.
pub fn begins(piece: &Piece, start: Position) -> bool {
    let is_legal =
        |way: &Way| !way.is_odd() && way.move_of(piece, &start).is_some_and(|mv| start.check(mv).is_ok());
    Way::all(Some(start), &[piece.form]).iter().any(is_legal)
}

/// Finds the games in a list of pieces, in order. `known` is the first one, if it is known.
pub fn games(pieces: &[Piece], stated: Stated, known: Option<&Play>) -> Vec<Play> {
    let levels = [Aside::No, Aside::Parenthesis, Aside::Comment];
    let present = |level: &Aside| pieces.iter().any(|piece| piece.aside == *level);
    let mut best: Vec<Play> = Vec::new();
    for level in levels.into_iter().filter(present) {
        let found = games_at(pieces, stated, level, known.cloned());
        let longest = |games: &[Play]| games.iter().map(|play| play.moves.len()).max().unwrap_or_default();
        let is_variation = || {
            let of = |games: &[Play]| games.iter().max_by_key(|play| play.moves.len()).cloned();
            let [found, best] = [of(&found), of(&best)];
            found.zip(best).is_some_and(|(found, best)| found.only_adds_asides(&best, pieces))
        };
        // Moves in comments are no game beside others, and variations do not continue one.
        let is_better = longest(&found) > longest(&best) && (level != Aside::Comment || best.is_empty());
        if is_better && !is_variation() {
            best = found;
        }
    }
    best
}

/// Returns the games from the first piece, or from the end of a `known` game; a game that the next one repeats is a part
/// of it.
fn games_at(pieces: &[Piece], stated: Stated, asides: Aside, known: Option<Play>) -> Vec<Play> {
    let (mut at, mut announced) = (known.as_ref().map_or(0, |play| play.end), known.is_none());
    let mut games: Vec<Play> = known.into_iter().collect();
    while at < pieces.len() {
        let before = games.last().map(|play| play.way);
        announced |= pieces[at].restarts();
        let found = if announced {
            longest_from(pieces, at, stated, before, asides).map(|play| usual_instead(pieces, play, asides))
        } else {
            // The piece that ended the last game can begin another.
            let continues = before.map(|way| Play::new(way, pieces, at, asides));
            continues
                .filter(|play| play.moves.len() > 1)
                .or_else(|| games.last().and_then(|last| with_earlier_pieces(pieces, last, at, asides)))
        };
        let Some(mut play) = found else {
            // Nothing begins a game until a sign of the text says so, except before the first one.
            announced = games.is_empty();
            at += 1;
            continue;
        };
        let begins_black = pieces[play.begin].mover.is_some()
            && play.begin > 0
            && pieces[play.begin].mover == pieces[play.begin - 1].mover;
        let is_stated = matches!(pieces[at].border, Border::Heading | Border::Next);
        let goes_on = games
            .last()
            .is_some_and(|last| last.end == play.begin && !is_stated && last.goes_on(&pieces[at]));
        play.is_announced = (announced || begins_black) && !goes_on;
        at = play.end;
        if let Some(last) = games.last_mut().filter(|last| last.end > play.begin) {
            last.moves.truncate(last.moves.len().saturating_sub(last.end - play.begin));
            last.end = play.begin;
        }
        let last = games.pop_if(|last| play.repeats(last, pieces));
        let from = last.map_or(play.begin + 1, |last| play.take_in(last));
        play.joint = play.joint(pieces, asides, from);
        reserve_some(&mut games);
        games.push(play);
        announced = false;
    }
    games.retain(|play| !play.moves.is_empty());
    games
}

/// Returns the game that later pieces are in the usual way if an odd way gains only a few moves by the pieces before
/// them: a name like a square, or the rest of a damaged move.
fn usual_instead(pieces: &[Piece], odd: Play, asides: Aside) -> Play {
    if !odd.way.is_odd() {
        return odd;
    }
    let usual = Way::usual(odd.way.start);
    let is_bogus = |piece: &Piece| piece.form == Form::Fragment && piece.aside <= asides;
    // With the first mover above, every second move is usual: only rows counted from above are as good as usual.
    let is_likely = odd.way.is_upside_down()
        && !pieces[..odd.begin].iter().any(is_bogus)
        && pieces[odd.begin..odd.end].iter().all(|piece| piece.form == pieces[odd.begin].form);
    let later =
        (odd.begin + 1..pieces.len()).take(LOOK_FOR_USUAL).take_while(|&index| !pieces[index].restarts());
    let plays = later.map(|index| Play::new(usual, pieces, index, asides));
    let is_better = |play: &Play| play.moves.len() > 1 && play.moves.len() + FEW_MOVES > odd.moves.len();
    if is_likely { odd } else { plays.into_iter().find(is_better).unwrap_or(odd) }
}

/// Finds a game that begins with the last pieces of `last`, which were legal there too, and goes on with the piece
/// `at`.
fn with_earlier_pieces(pieces: &[Piece], last: &Play, at: usize, asides: Aside) -> Option<Play> {
    let labelled = |index: &usize| pieces[*index].mover.is_some();
    let mut firsts = (at.saturating_sub(LOOK_BACK).max(last.begin + 1)..at).filter(labelled);
    firsts.find_map(|first| Some(Play::new(last.way, pieces, first, asides)).filter(|play| play.end > at))
}

/// Returns the longest game that begins at a piece; of equally long ones the most usual.
fn longest_from(
    pieces: &[Piece],
    begin: usize,
    stated: Stated,
    before: Option<Way>,
    asides: Aside,
) -> Option<Play> {
    let first = pieces[begin].form;
    if first == Form::Fragment || pieces[begin].aside > asides {
        return None;
    }
    // Most ways fail at the first move: only those that pass are combined with other forms.
    let forms: Vec<Form> = pieces[begin..].iter().take(LOOK_AHEAD).map(|piece| piece.form).collect();
    let begins = |way: &Way| {
        let mv = way.move_of(&pieces[begin], &way.start);
        mv.is_some_and(|mv| way.start.check(mv).is_ok())
    };
    if !Way::all(stated.start, &[first]).iter().any(begins) {
        return None;
    }
    let mut plays: Vec<(usize, _, Play)> = Vec::new();
    for way in Way::all(stated.start, &forms).into_iter().filter(begins) {
        let play = Play::new(way, pieces, begin, asides);
        let oddity = way.oddity(stated.edge, before.as_ref());
        match plays.first() {
            Some((length, ..)) if play.moves.len() < *length => continue,
            Some((length, ..)) if play.moves.len() > *length => plays.clear(),
            _ => {}
        }
        plays.push((play.moves.len(), oddity, play));
    }
    sort_by_key(&mut plays, |(_, oddity, _)| *oddity);
    let least = plays.first()?.1;
    let mut likely = plays.into_iter().take_while(|(_, oddity, _)| *oddity == least).map(|(.., play)| play);
    let mut play = likely.next()?;
    play.other = likely.find(|other| other.moves != play.moves).map(|other| other.moves);
    Some(play)
}
