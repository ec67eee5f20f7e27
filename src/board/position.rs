//! The state of a game between two moves ([`Position`]) and between the two halves of a move
//! ([`ArrowPhase`]). Both are small and `Copy`: searching clones, nothing is ever taken back.

use super::bitboard::Bitboard;
use super::moves::{IllegalMove, Move, Movement};
use super::reach::queen_reach;
use super::square::{Side, Size, Square};
use super::zobrist;

/// Which condition ends the game.
///
/// ```
/// use otrera::{Position, Rules, Side};
/// // White is to move; both sides are blocked.
/// let stuck = Position::from_picture("WX.X\nXX.X\nXXX.\nBXXX", Side::White).unwrap();
/// assert_eq!(stuck.winner(), Some(Side::Black));
/// let stuck = stuck.with_side(Side::Black);
/// assert_eq!(stuck.winner(), Some(Side::White));
/// assert_eq!(stuck.with_rules(Rules::SelfBlocking).winner(), Some(Side::Black));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Rules {
    /// A side that must move and cannot has lost. (Botzone and everybody else.)
    #[default]
    Standard,
    /// The SAU platform's referee: after every move each side is looked at, whoever is to move. If
    /// White has no amazon that can move Black wins, else if Black has none White wins. A side that
    /// blocks its own last amazon has lost at once.
    SelfBlocking,
}

/// A game between two moves. Amazons, arrows and the Zobrist key only change together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    amazons: [Bitboard; 2],
    empty: Bitboard,
    key: u64,
    ply: u16,
    size: Size,
    side: Side,
    rules: Rules,
}

/// A game between the two halves of a move: the amazon has moved, its arrow is still to be shot.
///
/// ```
/// use otrera::{Movement, Position, Square};
/// let [d1, d7] = [(3, 0), (3, 6)].map(|(column, row)| Square::new(column, row).unwrap());
/// let arrow_phase = Position::standard().with_movement(Movement { from: d1, to: d7 });
/// assert_eq!((arrow_phase.amazon(), arrow_phase.origin()), (d7, d1));
/// assert!(arrow_phase.arrow_targets().contains(d1));
/// let next = arrow_phase.with_arrow(d1);
/// assert_eq!((next.ply(), next.arrows().len()), (1, 1));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ArrowPhase {
    position: Position,
    amazon: Square,
    origin: Square,
}

impl Position {
    /// The start on 10x10: Black on a4 d1 g1 j4, White on a7 d10 g10 j7.
    pub fn standard() -> Self {
        Self::start(Size::STANDARD)
    }

    /// The start on a board of this size: the amazons stand as on 10x10, at a third of the edge
    /// (on 8x8 this is Botzone's start, Black on a3 c1 f1 h3).
    ///
    /// ```
    /// use otrera::{Position, Size};
    /// assert_eq!(Position::start(Size::BOTZONE).to_fen(), "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1");
    /// ```
    pub fn start(size: Size) -> Self {
        let (edge, offset) = (size.edge(), (size.edge() - 1) / 3);
        let last = edge - 1;
        let black = [(0, offset), (offset, 0), (last - offset, 0), (last, offset)];
        let squares = |flip: bool| {
            black.iter().filter_map(|&(x, y)| Square::new(x, if flip { last - y } else { y })).collect()
        };
        Self::from_parts(size, [squares(false), squares(true)], Bitboard::EMPTY, Side::Black)
    }

    /// A position from its parts. Squares outside the board are dropped, an arrow under an amazon
    /// too; of two amazons on one square Black's stays. The ply is the number of arrows.
    ///
    /// ```
    /// use otrera::{Bitboard, Position, Side, Size, Square};
    /// let at = |column, row| Bitboard::from(Square::new(column, row).unwrap());
    /// let position = Position::from_parts(Size::BOTZONE, [at(0, 0), at(7, 7)], at(3, 3), Side::White);
    /// assert_eq!(position.to_fen(), "7q/8/8/8/3*4/8/8/Q7 b - - 1 1");
    /// ```
    pub fn from_parts(size: Size, amazons: [Bitboard; 2], arrows: Bitboard, side: Side) -> Self {
        let board = Bitboard::playable(size);
        let black = amazons[0] & board;
        let white = (amazons[1] & board) - black;
        let occupied = black | white;
        let arrows = (arrows & board) - occupied;
        let mut position = Self {
            amazons: [black, white],
            empty: board - occupied - arrows,
            key: 0,
            ply: arrows.len() as u16,
            size,
            side,
            rules: Rules::Standard,
        };
        position.key = position.computed_key();
        position
    }

    /// The same position under other rules for the end of the game.
    pub fn with_rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// The same position with this side to move.
    pub fn with_side(mut self, side: Side) -> Self {
        if side != self.side {
            self.side = side;
            self.key ^= zobrist::white_to_move();
        }
        self
    }

    /// The same position with this many moves already played.
    pub fn with_ply(mut self, ply: u16) -> Self {
        self.ply = ply;
        self
    }

    /// The amazons of a side.
    #[inline(always)]
    pub const fn amazons(&self, side: Side) -> Bitboard {
        self.amazons[side.index()]
    }

    /// The amazons of both sides, Black's first.
    #[inline(always)]
    pub const fn all_amazons(&self) -> [Bitboard; 2] {
        self.amazons
    }

    /// The squares on which nothing stands.
    #[inline(always)]
    pub const fn empty(&self) -> Bitboard {
        self.empty
    }

    /// The burnt squares.
    pub fn arrows(&self) -> Bitboard {
        Bitboard::playable(self.size) - self.empty - self.amazons[0] - self.amazons[1]
    }

    /// The side to move.
    #[inline(always)]
    pub const fn side(&self) -> Side {
        self.side
    }

    /// Whole moves played since the start, both sides counted.
    pub const fn ply(&self) -> u16 {
        self.ply
    }

    /// The board's size.
    #[inline(always)]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// The rules that end the game.
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// The Zobrist key of amazons, arrows and the side to move; ply, size and rules are not in it.
    ///
    /// ```
    /// use otrera::Position;
    /// let play = |moves: &str| {
    ///     moves.split(' ').fold(Position::standard(), |position, mv| position.with_move(mv.parse().unwrap()))
    /// };
    /// // Two ways to one position: Black makes the same two moves in either order.
    /// let first = play("d1-d2/d1 d10-d9/d10 g1-g2/g1");
    /// let second = play("g1-g2/g1 d10-d9/d10 d1-d2/d1");
    /// assert_eq!(first.key(), second.key());
    /// assert_ne!(first.key(), first.with_side(first.side().opponent()).key());
    /// ```
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Where the amazon of the side to move on `from` may go.
    #[inline(always)]
    pub fn landings(&self, from: Square) -> Bitboard {
        queen_reach(from, self.empty)
    }

    /// The movements of the side to move, one group for each amazon: its square and its landings.
    ///
    /// ```
    /// use otrera::Position;
    /// let start = Position::standard();
    /// let landings: u32 = start.movement_groups().map(|(_, landings)| landings.len()).sum();
    /// assert_eq!((start.movement_groups().count(), landings), (4, 80));
    /// ```
    #[inline(always)]
    pub fn movement_groups(&self) -> impl Iterator<Item = (Square, Bitboard)> {
        let empty = self.empty;
        self.amazons(self.side).into_iter().map(move |from| (from, queen_reach(from, empty)))
    }

    /// Every movement of the side to move.
    pub fn movements(&self) -> impl Iterator<Item = Movement> {
        self.movement_groups()
            .flat_map(|(from, landings)| landings.into_iter().map(move |to| Movement { from, to }))
    }

    /// Every legal move. The start of 10x10 has 2176: a search should rather walk the groups.
    ///
    /// ```
    /// use otrera::Position;
    /// assert_eq!(Position::standard().legal_moves().count(), 2176);
    /// ```
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> {
        self.movements().flat_map(|movement| {
            let arrows = self.with_movement(movement).arrow_targets();
            arrows.into_iter().map(move |arrow| movement.with_arrow(arrow))
        })
    }

    /// The position after the first half of a move, which must be legal.
    #[inline(always)]
    pub fn with_movement(&self, Movement { from, to }: Movement) -> ArrowPhase {
        let mut position = *self;
        let (old, new) = (Bitboard::from(from), Bitboard::from(to));
        let amazons = &mut position.amazons[self.side.index()];
        *amazons = *amazons ^ old ^ new;
        position.empty = self.empty ^ old ^ new;
        position.key ^= zobrist::amazon(self.side, from) ^ zobrist::amazon(self.side, to);
        ArrowPhase { position, amazon: to, origin: from }
    }

    /// Plays a move that is known to be legal.
    #[inline(always)]
    pub fn with_move(&self, mv: Move) -> Self {
        self.with_movement(mv.movement()).with_arrow(mv.arrow)
    }

    /// Plays a move after checking it.
    ///
    /// ```
    /// use otrera::Position;
    /// let start = Position::standard();
    /// let next = start.try_play("d1-d7/g7".parse().unwrap()).unwrap();
    /// assert_eq!(next.side(), start.side().opponent());
    /// assert!(next.try_play("d7-d8/d7".parse().unwrap()).is_err(), "that is Black's amazon");
    /// ```
    ///
    /// # Errors
    /// What is wrong with the move; the position is unchanged in that case.
    pub fn try_play(&self, mv: Move) -> Result<Self, IllegalMove> {
        self.check(mv).map(|()| self.with_move(mv))
    }

    /// Whether the move is legal here. Whether the game is over already, [`Position::winner`] says.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn check(&self, mv: Move) -> Result<(), IllegalMove> {
        if let Some(off) = [mv.from, mv.to, mv.arrow].into_iter().find(|&s| !self.size.contains(s)) {
            return Err(IllegalMove::OffBoard(off));
        }
        if !self.amazons(self.side).contains(mv.from) {
            return Err(IllegalMove::NoAmazon(mv.from));
        }
        if !self.landings(mv.from).contains(mv.to) {
            return Err(IllegalMove::Unreachable(mv.movement()));
        }
        if !self.with_movement(mv.movement()).arrow_targets().contains(mv.arrow) {
            return Err(IllegalMove::ArrowBlocked(mv.arrow));
        }
        Ok(())
    }

    /// Whether no amazon of this side can move.
    #[inline(always)]
    pub fn is_blocked(&self, side: Side) -> bool {
        (self.amazons(side).with_neighbours() & self.empty).is_empty()
    }

    /// Who has won, `None` while the game goes on.
    #[inline(always)]
    pub fn winner(&self) -> Option<Side> {
        match self.rules {
            Rules::Standard => self.is_blocked(self.side).then_some(self.side.opponent()),
            Rules::SelfBlocking if self.is_blocked(Side::White) => Some(Side::Black),
            Rules::SelfBlocking if self.is_blocked(Side::Black) => Some(Side::White),
            Rules::SelfBlocking => None,
        }
    }

    fn computed_key(&self) -> u64 {
        let amazons = Side::BOTH
            .into_iter()
            .flat_map(|side| self.amazons(side).into_iter().map(move |s| zobrist::amazon(side, s)));
        let arrows = self.arrows().into_iter().map(zobrist::arrow);
        let turn = if self.side == Side::White { zobrist::white_to_move() } else { 0 };
        amazons.chain(arrows).fold(turn, |key, number| key ^ number)
    }
}

impl ArrowPhase {
    /// The side that moved its amazon and now shoots.
    #[inline(always)]
    pub const fn side(&self) -> Side {
        self.position.side
    }

    /// Where the amazon that has moved, and now shoots, stands.
    #[inline(always)]
    pub const fn amazon(&self) -> Square {
        self.amazon
    }

    /// The square that it has left.
    #[inline(always)]
    pub const fn origin(&self) -> Square {
        self.origin
    }

    /// The board as it stands: the side that shoots is still to move.
    #[inline(always)]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The squares the arrow may fly to: never none, since the square just left is one of them.
    #[inline(always)]
    pub fn arrow_targets(&self) -> Bitboard {
        queen_reach(self.amazon, self.position.empty)
    }

    /// The position after the arrow, which must be one of [`ArrowPhase::arrow_targets`].
    #[inline(always)]
    pub fn with_arrow(&self, arrow: Square) -> Position {
        let mut position = self.position;
        position.empty -= arrow.into();
        position.key ^= zobrist::arrow(arrow) ^ zobrist::white_to_move();
        position.ply += 1;
        position.side = position.side.opponent();
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_after_moves_is_the_key_computed_from_scratch() {
        let mut rng = fastrand::Rng::with_seed(3);
        for size in [4, 6, 8, 10] {
            let mut position = Position::start(Size::new(size).unwrap());
            while position.winner().is_none() {
                let moves: Vec<Move> = position.legal_moves().collect();
                position = position.with_move(moves[rng.usize(..moves.len())]);
                assert_eq!(position.key(), position.computed_key());
                assert_eq!(u32::from(position.ply()), position.arrows().len());
            }
        }
    }
}
