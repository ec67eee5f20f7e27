//! Game states: between two moves ([`Position`]), and between the two halves of a move ([`ArrowPhase`]). Both are small
//! and `Copy`: the search copies a position instead of undoing moves (copy-make).

use super::bitboard::Bitboard;
use super::moves::{IllegalMove, Move, Movement};
use super::reach::queen_reach;
use super::square::{Side, Size, Square};
use super::zobrist;
use fastrand::Rng;

/// Rule that ends the game and decides the winner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Rules {
    /// The usual rule: the side to move loses if it cannot move.
    #[default]
    Standard,
    /// The SAU referee's rule, checked after every move: Black wins if no amazon of White can move; otherwise White
    /// wins if no amazon of Black can move. A side can therefore lose by blocking its own last amazon.
    SelfBlocking,
}

/// The state of a game between two moves, with an incrementally updated Zobrist key.
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

/// The state between the two halves of a move: the amazon has moved, the arrow has not been shot yet.
#[derive(Clone, Copy, Debug)]
pub struct ArrowPhase {
    position: Position,
    amazon: Square,
    origin: Square,
}

impl Position {
    /// Maximum length of a game on 10x10, in plies: one for each empty square of the start position.
    pub const STANDARD_PLIES: u32 = 92;

    /// Returns the 10x10 start position: Black on a4 d1 g1 j4, White on a7 d10 g10 j7.
    pub fn standard() -> Self {
        Self::start(Size::STANDARD)
    }

    /// Returns the start position of a board of this size: each amazon stands on an edge, `(edge - 1) / 3` squares
    /// (rounded down) from a corner. On 8x8 this is Botzone's start, with Black on a3, c1, f1 and h3. In a FEN, Black's
    /// amazons are `Q`, and `w` means that Black is to move.
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

    /// Builds a position from its parts. Ignores squares outside the board, White amazons on a square that Black
    /// occupies, and arrows on occupied squares. Uses the standard rules and sets the ply to the number of arrows.
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

    /// Sets the rules that end the game.
    pub fn with_rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// Sets the side to move.
    pub fn with_side(mut self, side: Side) -> Self {
        if side != self.side {
            self.side = side;
            self.key ^= zobrist::white_to_move();
        }
        self
    }

    /// Sets the ply: the number of whole moves played by both sides.
    pub fn with_ply(mut self, ply: u16) -> Self {
        self.ply = ply;
        self
    }

    /// Returns the amazons of a side.
    #[inline(always)]
    pub const fn amazons(&self, side: Side) -> Bitboard {
        self.amazons[side.index()]
    }

    /// Returns the amazons of both sides, Black's first.
    #[inline(always)]
    pub const fn all_amazons(&self) -> [Bitboard; 2] {
        self.amazons
    }

    /// Returns the empty squares.
    #[inline(always)]
    pub const fn empty(&self) -> Bitboard {
        self.empty
    }

    /// Returns the squares burnt by arrows.
    pub fn arrows(&self) -> Bitboard {
        Bitboard::playable(self.size) - self.empty - self.amazons[0] - self.amazons[1]
    }

    /// Returns the side to move.
    #[inline(always)]
    pub const fn side(&self) -> Side {
        self.side
    }

    /// Returns the ply: the number of whole moves played by both sides.
    pub const fn ply(&self) -> u16 {
        self.ply
    }

    /// Returns the size of the board.
    #[inline(always)]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// Returns the rules that decide when the game ends.
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns the Zobrist key, which covers amazons, arrows and side to move, but not ply, size or rules.
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Returns the squares that a queen on `from` can slide to.
    #[inline(always)]
    pub fn landings(&self, from: Square) -> Bitboard {
        queen_reach(from, self.empty)
    }

    /// Iterates over the amazons of the side to move: yields the square of each and the set of its destinations.
    #[inline(always)]
    pub fn movement_groups(&self) -> impl Iterator<Item = (Square, Bitboard)> {
        let empty = self.empty;
        self.amazons(self.side).into_iter().map(move |from| (from, queen_reach(from, empty)))
    }

    /// Iterates over all movements of the side to move.
    pub fn movements(&self) -> impl Iterator<Item = Movement> {
        self.movement_groups()
            .flat_map(|(from, landings)| landings.into_iter().map(move |to| Movement { from, to }))
    }

    /// Iterates over all legal moves. The 10x10 start position has 2176; a search should iterate over
    /// [`movement_groups`](Self::movement_groups) instead.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> {
        self.movements().flat_map(|movement| {
            let arrows = self.with_movement(movement).arrow_targets();
            arrows.into_iter().map(move |arrow| movement.with_arrow(arrow))
        })
    }

    /// Plays the first half of a move, which must be legal.
    #[inline(always)]
    pub fn with_movement(&self, Movement { from, to }: Movement) -> ArrowPhase {
        let mut position = *self;
        let change = Bitboard::from(from) ^ Bitboard::from(to);
        // No indexing by side: it would force the position through memory.
        let [black, white] = self.amazons;
        position.amazons = match self.side {
            Side::Black => [black ^ change, white],
            Side::White => [black, white ^ change],
        };
        position.empty = self.empty ^ change;
        position.key ^= zobrist::amazon(self.side, from) ^ zobrist::amazon(self.side, to);
        ArrowPhase { position, amazon: to, origin: from }
    }

    /// Plays a move, which must be legal.
    #[inline(always)]
    pub fn with_move(&self, mv: Move) -> Self {
        self.with_movement(mv.movement()).with_arrow(mv.arrow)
    }

    /// Checks a move, plays it, and returns the next position.
    ///
    /// # Errors
    /// Returns the first reason why the move is illegal.
    pub fn try_play(&self, mv: Move) -> Result<Self, IllegalMove> {
        self.check(mv).map(|()| self.with_move(mv))
    }

    /// Checks that a move is legal; does not check whether the game is over, see [`Position::winner`].
    ///
    /// # Errors
    /// Returns the first reason why the move is illegal.
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

    /// True if no amazon of `side` can move.
    #[inline(always)]
    pub fn is_blocked(&self, side: Side) -> bool {
        (self.amazons(side).with_neighbours() & self.empty).is_empty()
    }

    /// Returns the winner; `None` while the game goes on.
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
    /// Returns the side that has moved its amazon and is about to shoot.
    #[inline(always)]
    pub const fn side(&self) -> Side {
        self.position.side
    }

    /// Returns the square of the amazon that has moved and is about to shoot.
    #[inline(always)]
    pub const fn amazon(&self) -> Square {
        self.amazon
    }

    /// Returns the square that the amazon left.
    #[inline(always)]
    pub const fn origin(&self) -> Square {
        self.origin
    }

    /// Returns the movement.
    #[inline(always)]
    pub const fn movement(&self) -> Movement {
        Movement { from: self.origin, to: self.amazon }
    }

    /// Returns the position after the movement and before the shot. Its side to move is the side that shoots.
    #[inline(always)]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the squares that the arrow can hit. Never empty: the square that the amazon left is one of them.
    #[inline(always)]
    pub fn arrow_targets(&self) -> Bitboard {
        queen_reach(self.amazon, self.position.empty)
    }

    /// Draws a uniformly random arrow target.
    #[inline(always)]
    pub fn random_arrow(&self, rng: &mut Rng) -> Square {
        let targets = self.arrow_targets();
        targets.nth(rng.u32(..targets.len()))
    }

    /// Shoots the arrow, which must be one of [`ArrowPhase::arrow_targets`].
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
