//! Random positions and symmetries of the board.

use fastrand::Rng;
use otrera::board::bitboard::Bitboard;
use otrera::{GameRecord, Move, PlayedMove, Position, Side, Size, Square};
use std::time::Duration;

/// Returns the size with this edge length; panics unless the length is from 4 to 10.
pub fn size(edge: usize) -> Size {
    Size::new(edge).expect("a test names only sizes that exist")
}

/// Plays a random game; returns all positions, including the start and the end.
pub fn random_game(start: Position, rng: &mut Rng) -> Vec<Position> {
    let next = |position: &Position| {
        position.winner().is_none().then(|| position.with_move(random_move(position, rng)))
    };
    std::iter::successors(Some(start), next).collect()
}

/// Returns a random legal move; the position must have one.
pub fn random_move(position: &Position, rng: &mut Rng) -> Move {
    let moves: Vec<Move> = position.legal_moves().collect();
    moves[rng.usize(..moves.len())]
}

/// Returns a record of at most `plies` random moves; `known` adds time, iterations and win rate to each.
pub fn random_record(
    start: Position,
    [black, white]: [&str; 2],
    plies: usize,
    rng: &mut Rng,
    known: impl Fn(Move, &mut Rng) -> PlayedMove,
) -> GameRecord {
    let mut record = GameRecord::new(black, white, start);
    let mut position = start;
    while record.moves.len() < plies && position.winner().is_none() {
        let mv = random_move(&position, rng);
        record.moves.push(known(mv, rng));
        position = position.with_move(mv);
    }
    record.winner = position.winner();
    record
}

/// Returns a random position with one to six amazons a side and a random density of arrows. Most of these positions
/// cannot occur in a game.
pub fn scattered_position(size: Size, rng: &mut Rng) -> Position {
    let mut squares: Vec<Square> = Bitboard::playable(size).into_iter().collect();
    rng.shuffle(&mut squares);
    let mut take = |count: usize| squares.drain(..count).collect::<Bitboard>();
    let amazons = [take(rng.usize(1..=6)), take(rng.usize(1..=6))];
    let density = rng.f64() * 0.8;
    let arrows = squares.into_iter().filter(|_| rng.f64() < density).collect();
    Position::from_parts(size, amazons, arrows, random_side(rng))
}

/// Returns a random side.
pub fn random_side(rng: &mut Rng) -> Side {
    if rng.bool() { Side::Black } else { Side::White }
}

/// Returns the position in all eight orientations of the board, the original first.
pub fn symmetries(position: &Position) -> [Position; 8] {
    let last = position.size().edge() - 1;
    std::array::from_fn(|orientation| {
        let turn = |square: Square| {
            let mirrored = |bit: usize, number| if orientation & bit == 0 { number } else { last - number };
            let (column, row) = (mirrored(1, square.column()), mirrored(2, square.row()));
            let (column, row) = if orientation & 4 == 0 { (column, row) } else { (row, column) };
            Square::new(column, row).expect("a turned board has the same squares")
        };
        let turned = |set: Bitboard| set.into_iter().map(turn).collect();
        let amazons = position.all_amazons().map(turned);
        Position::from_parts(position.size(), amazons, turned(position.arrows()), position.side())
            .with_rules(position.rules())
    })
}

/// Returns the position with the colours of all amazons and of the side to move exchanged.
pub fn sides_exchanged(position: &Position) -> Position {
    let [black, white] = position.all_amazons();
    let side = position.side().opponent();
    Position::from_parts(position.size(), [white, black], position.arrows(), side)
}

/// Returns the move with a random time, effort and win rate. Each of these is missing with probability 1/2.
pub fn any_knowledge(mv: Move, rng: &mut Rng) -> PlayedMove {
    PlayedMove {
        mv,
        time: if rng.bool() {
            Duration::new(rng.u64(..100_000), rng.u32(..1_000_000_000))
        } else {
            Duration::ZERO
        },
        effort: rng.bool().then(|| rng.u64(..) >> rng.u32(..64)),
        win_rate: rng.bool().then(|| rng.f32()),
        lead: rng.bool().then(|| 40.0 * rng.f32() - 20.0),
    }
}
