//! What is left of a game for the solver: the areas in which both sides still meet, and a lead in moves.
//!
//! An area, squares and amazons that hang together by king moves, with amazons of one side only belongs to
//! that side alone: it is as many moves as can be made there and nothing else. Such areas are counted and
//! taken off the board. Of the moves that both sides have in hand only the difference matters.
//!
//! This knows nothing of the engine's own counting, which it is there to check.

use otrera::board::reach::queen_reach;
use otrera::{Bitboard, Position, Side};
use std::collections::HashMap;

/// The largest area of one side, in empty squares, that is counted by trying everything.
const MAX_TRIED: u32 = 10;

/// Moves that are tried in such an area at most.
const TRIES: u32 = 20_000;

/// A position without the areas of one side.
#[derive(Clone, Copy, Debug)]
pub struct Remainder {
    /// The areas in which both sides have amazons, and the side to move.
    pub position: Position,
    /// The moves in hand of the side to move less those of the other.
    pub lead: i32,
}

/// Counts areas of one side, and remembers them.
#[derive(Default)]
pub struct Surveyor {
    known: HashMap<Area, Option<u32>>,
}

/// Amazons and the empty squares around them.
type Area = (Bitboard, Bitboard);

impl Remainder {
    /// What is left after a move.
    pub fn after(&self, next: &Position, surveyor: &mut Surveyor) -> Self {
        surveyor.reduce(next, -self.lead)
    }

    /// What is left after the side to move has made one of the moves in hand; `None` if it has none.
    pub fn after_waiting(&self) -> Option<Self> {
        let position = self.position.with_side(self.position.side().opponent());
        (self.lead > 0).then_some(Self { position, lead: 1 - self.lead })
    }

    /// A number for all that matters.
    pub fn key(&self) -> u64 {
        self.position.key() ^ (self.lead as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Whether the side to move wins, where the moves that are left to both tell: at least those that it can
    /// make on squares of its own, at most as many as it can reach squares.
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
    /// A position without its areas of one side, `lead` being the moves in hand of the side to move so far.
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

    /// The most moves that can be made in an area; `None` where that is not found out soon.
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

/// The most moves that amazons can make alone, by trying everything.
fn longest(area: Area, known: &mut HashMap<Area, u32>, tries: &mut u32) -> Option<u32> {
    if let Some(&moves) = known.get(&area) {
        return Some(moves);
    }
    let (amazons, empty) = area;
    let mut most = 0;
    for from in amazons {
        for to in queen_reach(from, empty) {
            let cleared = (empty | from.into()) - to.into();
            let moved = (amazons - from.into()) | to.into();
            for arrow in queen_reach(to, cleared) {
                *tries = tries.checked_sub(1)?;
                most = most.max(1 + longest((moved, cleared - arrow.into()), known, tries)?);
                if most == empty.len() {
                    return Some(most);
                }
            }
        }
    }
    known.insert(area, most);
    Some(most)
}

/// Moves that amazons can make one after the other by walking: each step goes to a neighbouring square, the one
/// with the fewest neighbours of its own, and the arrow back to the square that was left.
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

/// The empty squares that a side gets to by king steps.
pub fn reachable(position: &Position, side: Side) -> Bitboard {
    let first_steps = position.amazons(side).with_neighbours() & position.empty();
    spread(first_steps, position.empty())
}

/// All of `squares` that king steps within them lead to.
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
