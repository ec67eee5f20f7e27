//! Reduces an endgame to the areas that contain amazons of both sides, and a lead in spare moves.
//!
//! An area is a set of empty squares and amazons connected by king moves. An area with amazons of one side only is
//! worth the maximum number of moves that this side can make there: its spare moves. Such areas are removed from the
//! board, unless they are too large to count. Only the difference between both sides' spare moves matters.

use otrera::board::bitboard::Bitboard;
use otrera::board::reach::queen_reach;
use otrera::seed::mix_seed;
use otrera::{Position, Side};
use std::collections::HashMap;

/// Maximum number of empty squares in an area whose moves are counted by exhaustive search.
const MAX_TRIED: u32 = 10;

/// Maximum number of moves tried by the exhaustive search.
const TRIES: u32 = 20_000;

#[derive(Clone, Copy, Debug)]
pub struct Remainder {
    /// The reduced position: the areas with amazons of both sides or with too many moves to count, else arrows.
    pub position: Position,
    /// Spare moves of the side to move minus those of the opponent.
    pub lead: i32,
}

/// A counter of the moves in areas with amazons of one side only; caches its results.
#[derive(Default)]
pub struct Surveyor {
    known: HashMap<Area, Option<u32>>,
}

/// The amazons and the empty squares of an area.
type Area = (Bitboard, Bitboard);

impl Remainder {
    /// Returns the position after each move, then the one after a spare move if the side to move leads in spare moves;
    /// each with the lead of the side that moves next.
    pub fn successors(&self) -> impl Iterator<Item = (Position, i32)> {
        let &Self { ref position, lead } = self;
        let waited = (lead > 0).then(|| (position.with_side(position.side().opponent()), 1 - lead));
        position.legal_moves().map(move |mv| (position.with_move(mv), -lead)).chain(waited)
    }

    pub fn key(&self) -> u64 {
        mix_seed(self.position.key(), self.lead as u64)
    }

    /// Returns true if the side to move is proven to win, false if the side is proven to lose, `None` if bounds on the
    /// number of moves prove neither.
    ///
    /// The lower bound on a side's moves is the length of a greedy walk ([`walks`]) over the squares that only this
    /// side reaches. The upper bound is the number of squares that the side reaches.
    pub fn decided(&self) -> Option<bool> {
        let (mover, other) = (self.position.side(), self.position.side().opponent());
        let [own, others] = [mover, other].map(|side| reachable(&self.position, side));
        let moves = |side, squares| walks(self.position.amazons(side), squares) as i32;
        if (own - others).len() as i32 + self.lead > others.len() as i32
            && moves(mover, own - others) + self.lead > others.len() as i32
        {
            return Some(true);
        }
        let loses = own.len() as i32 + self.lead <= (others - own).len() as i32
            && own.len() as i32 + self.lead <= moves(other, others - own);
        loses.then_some(false)
    }
}

impl Surveyor {
    /// Removes the areas with amazons of one side only, except those too large to count, and adds their spare moves to
    /// `lead`, the lead of the side to move.
    pub fn reduce(&mut self, position: &Position, lead: i32) -> Remainder {
        let (mover, other) = (position.side(), position.side().opponent());
        let (own, others) = (position.amazons(mover), position.amazons(other));
        let (mut kept, mut lead) = (Bitboard::EMPTY, lead);
        let mut left = position.empty();
        while let Some(square) = left.first() {
            let area = spread(square.into(), position.empty() | own | others);
            left -= area;
            let amazons = [own & area, others & area];
            let moves = match amazons.map(|amazons| amazons.is_empty()) {
                [true, true] => Some(0),
                [false, true] => self.count((amazons[0], area & position.empty())),
                [true, false] => self.count((amazons[1], area & position.empty())).map(|moves| -moves),
                [false, false] => None,
            };
            match moves {
                Some(moves) => lead += moves,
                None => kept |= area,
            }
        }
        let size = position.size();
        let amazons = Side::BOTH.map(|side| position.amazons(side) & kept);
        let arrows = Bitboard::playable(size) - kept;
        Remainder { position: Position::from_parts(size, amazons, arrows, mover), lead }
    }

    /// Returns the maximum number of moves in an area; `None` if [`MAX_TRIED`] or [`TRIES`] is exceeded.
    fn count(&mut self, area: Area) -> Option<i32> {
        let (amazons, empty) = area;
        let all = empty.len();
        if walks(amazons, empty) == all {
            return Some(all as i32);
        }
        if all > MAX_TRIED {
            return None;
        }
        let mut tries = TRIES;
        let solve = || longest(area, &mut HashMap::new(), &mut tries);
        self.known.entry(area).or_insert_with(solve).map(|moves| moves as i32)
    }
}

/// Finds the maximum number of moves in an area by exhaustive search; `None` if `tries` runs out.
fn longest(area: Area, known: &mut HashMap<Area, u32>, tries: &mut u32) -> Option<u32> {
    if let Some(&moves) = known.get(&area) {
        return Some(moves);
    }
    let (amazons, empty) = area;
    let mut longest_line = 0;
    for from in amazons {
        for to in queen_reach(from, empty) {
            let cleared = (empty | from.into()) - to.into();
            let moved = (amazons - from.into()) | to.into();
            for arrow in queen_reach(to, cleared) {
                *tries = tries.checked_sub(1)?;
                longest_line = longest_line.max(1 + longest((moved, cleared - arrow.into()), known, tries)?);
                if longest_line == empty.len() {
                    return Some(longest_line);
                }
            }
        }
    }
    known.insert(area, longest_line);
    Some(longest_line)
}

/// Returns the number of moves in a greedy walk of each amazon in turn (Warnsdorff's rule): the amazon steps to the
/// neighbour with the fewest free neighbours and shoots at the square that it left.
fn walks(amazons: Bitboard, squares: Bitboard) -> u32 {
    let mut left = squares;
    for mut amazon in amazons {
        loop {
            let steps = Bitboard::from(amazon).with_neighbours() & left;
            let freedom = |step: &otrera::Square| (Bitboard::from(*step).with_neighbours() & left).len();
            let Some(step) = steps.into_iter().min_by_key(freedom) else { break };
            left -= step.into();
            amazon = step;
        }
    }
    squares.len() - left.len()
}

/// Returns the empty squares that a side reaches by king steps.
pub fn reachable(position: &Position, side: Side) -> Bitboard {
    let first_steps = position.amazons(side).with_neighbours() & position.empty();
    spread(first_steps, position.empty())
}

/// Flood-fills `squares` by king steps from `start`; returns the squares reached.
fn spread(start: Bitboard, squares: Bitboard) -> Bitboard {
    let mut reached = start;
    loop {
        let wider = reached.with_neighbours() & squares;
        if wider == reached {
            return reached;
        }
        reached = wider;
    }
}
