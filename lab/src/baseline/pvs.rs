//! Principal variation search against the clock: iterative deepening, aspiration windows, a transposition table, and
//! moves ordered by the table, the evaluation and earlier cut-offs. Depth counts whole moves.

use super::evaluation::{BaselineEvaluator, Evaluation};
use crate::play::player::{Budget, Choice, Player};
use otrera::{Forfeit, Move, Position};
use std::time::{Duration, Instant};

/// Values are thousandths of a square; a won game is worth this, less the plies to its end.
const WON: i32 = 1_000_000_000;
/// Half the width of the first aspiration window: one square.
const WINDOW: i32 = 1000;
/// Time per move without a budget.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Entry of the transposition table.
#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    value: i32,
    depth: u8,
    bound: Bound,
    best: Move,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// Entries of the transposition table: 2^18, about 8 MB.
const TABLE_BITS: u32 = 18;

/// A principal variation search player.
pub struct Pvs {
    evaluator: BaselineEvaluator,
    table: Vec<Option<Entry>>,
    /// Cut-offs by an arrow on each square, weighted by depth.
    arrow_history: [u32; 128],
    position: Position,
    nodes: u64,
    deadline: Instant,
    node_limit: u64,
}

impl Pvs {
    /// A player that maximises this evaluation.
    pub fn new(evaluation: Evaluation) -> Self {
        Self {
            evaluator: BaselineEvaluator::new(evaluation),
            table: vec![None; 1 << TABLE_BITS],
            arrow_history: [0; 128],
            position: Position::standard(),
            nodes: 0,
            deadline: Instant::now(),
            node_limit: u64::MAX,
        }
    }

    /// Deepens until time or nodes run out; the best move of the deepest search that got that far.
    fn deepen(&mut self, position: &Position) -> Option<Move> {
        let mut best = position.legal_moves().next()?;
        let mut guess = 0;
        for depth in 1..=position.empty().len() as u8 {
            let Some((mv, value)) = self.search_root(position, depth, guess) else { break };
            (best, guess) = (mv, value);
            if value.abs() > WON / 2 {
                break;
            }
        }
        Some(best)
    }

    /// One depth, in windows around the last value that widen until they hold the new one.
    fn search_root(&mut self, position: &Position, depth: u8, guess: i32) -> Option<(Move, i32)> {
        let mut margin = if depth < 2 { WON } else { WINDOW };
        loop {
            let (alpha, beta) = ((guess - margin).max(-WON), (guess + margin).min(WON));
            let value = self.search(position, depth, alpha, beta, 0)?;
            if (value > alpha || alpha == -WON) && (value < beta || beta == WON) {
                return Some((self.entry(position)?.best, value));
            }
            margin = margin.saturating_mul(4).min(2 * WON - guess.abs());
        }
    }

    /// The value for the side to move, exact inside the window; `None` when time has run out.
    fn search(&mut self, position: &Position, depth: u8, mut alpha: i32, beta: i32, ply: i32) -> Option<i32> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(256)
            && (Instant::now() >= self.deadline || self.nodes >= self.node_limit)
        {
            return None;
        }
        if let Some(winner) = position.winner() {
            let value = WON - ply;
            return Some(if winner == position.side() { value } else { -value });
        }
        if depth == 0 {
            return Some((self.evaluator.value(position).0 * 1000.0) as i32);
        }
        let known = self.entry(position);
        if let Some(entry) = known.filter(|entry| ply > 0 && entry.depth >= depth) {
            match entry.bound {
                Bound::Exact => return Some(entry.value),
                Bound::AtLeast if entry.value >= beta => return Some(entry.value),
                Bound::AtMost if entry.value <= alpha => return Some(entry.value),
                _ => {}
            }
        }
        let floor = alpha;
        let mut best: Option<(Move, i32)> = None;
        for mv in self.ordered_moves(position, depth, known.map(|entry| entry.best)) {
            let next = position.with_move(mv);
            let value = match best {
                None => -self.search(&next, depth - 1, -beta, -alpha, ply + 1)?,
                Some(_) => {
                    // Null window: only tests if the move beats the best so far.
                    let value = -self.search(&next, depth - 1, -alpha - 1, -alpha, ply + 1)?;
                    if value > alpha && value < beta {
                        -self.search(&next, depth - 1, -beta, -alpha, ply + 1)?
                    } else {
                        value
                    }
                }
            };
            if best.is_none_or(|(_, best)| value > best) {
                best = Some((mv, value));
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                self.arrow_history[mv.arrow.index()] += 1 << depth.min(8);
                break;
            }
        }
        let (best, value) = best?;
        let bound = match value {
            _ if value >= beta => Bound::AtLeast,
            _ if value <= floor => Bound::AtMost,
            _ => Bound::Exact,
        };
        let slot = position.key() as usize & (self.table.len() - 1);
        self.table[slot] = Some(Entry { key: position.key(), value, depth, bound, best });
        Some(value)
    }

    fn entry(&self, position: &Position) -> Option<Entry> {
        let slot = position.key() as usize & (self.table.len() - 1);
        self.table[slot].filter(|entry| entry.key == position.key() && position.check(entry.best).is_ok())
    }

    /// The legal moves, the table's first; then by the evaluation one move on where that is worth its
    /// time, and by the history of cut-offs just before the leaves.
    fn ordered_moves(&mut self, position: &Position, depth: u8, first: Option<Move>) -> Vec<Move> {
        let mut moves: Vec<(i64, Move)> = Vec::with_capacity(256);
        for mv in position.legal_moves() {
            let rank = match depth {
                _ if Some(mv) == first => i64::MIN,
                1 => -i64::from(self.arrow_history[mv.arrow.index()]),
                _ => {
                    let next = position.with_move(mv);
                    match next.winner() {
                        Some(_) => i64::MIN + 1,
                        None => (self.evaluator.value(&next).0 * 1000.0) as i64,
                    }
                }
            };
            moves.push((rank, mv));
        }
        moves.sort_by_key(|&(rank, _)| rank);
        moves.into_iter().map(|(_, mv)| mv).collect()
    }
}

impl Player for Pvs {
    fn begin(&mut self, start: &Position) -> Result<(), Forfeit> {
        self.position = *start;
        self.table.fill(None);
        self.arrow_history = [0; 128];
        Ok(())
    }

    fn choose(&mut self, budget: Budget) -> Result<Choice, Forfeit> {
        self.nodes = 0;
        self.deadline = Instant::now() + budget.time.unwrap_or(DEFAULT_TIME);
        self.node_limit = budget.iterations.unwrap_or(u64::MAX);
        if budget.iterations.is_some() && budget.time.is_none() {
            self.deadline += Duration::from_secs(86_400);
        }
        self.arrow_history.iter_mut().for_each(|count| *count /= 2);
        let position = self.position;
        let mv = self.deepen(&position).ok_or_else(|| Forfeit::Crashed("the game is over".into()))?;
        Ok(Choice { effort: Some(self.nodes), ..mv.into() })
    }

    fn played(&mut self, mv: Move) {
        self.position = self.position.with_move(mv);
    }
}

#[cfg(test)]
mod tests {
    use super::super::alphabeta::AlphaBeta;
    use super::*;
    use otrera::Size;

    #[test]
    fn agrees_with_alpha_beta_of_the_same_depth() {
        let mut rng = fastrand::Rng::with_seed(9);
        for _ in 0..10 {
            let mut position = Position::start(Size::new(5).unwrap());
            for _ in 0..5 {
                let moves: Vec<Move> = position.legal_moves().collect();
                position = position.with_move(moves[rng.usize(..moves.len())]);
                if position.winner().is_some() {
                    break;
                }
                let mut pvs = Pvs::new(Evaluation::Territory);
                pvs.deadline = Instant::now() + Duration::from_secs(60);
                let (_, value) = pvs.search_root(&position, 2, 0).unwrap();
                let (_, expected) = AlphaBeta::new(Evaluation::Territory, 2, 1).best_move(&position).unwrap();
                if value.abs() < WON / 2 {
                    assert_eq!(value, (expected * 1000.0) as i32, "{position}");
                } else {
                    assert_eq!(value > 0, expected > 1e5, "{position}");
                }
            }
        }
    }
}
