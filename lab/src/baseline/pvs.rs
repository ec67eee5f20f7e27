//! Principal variation search with a time limit: iterative deepening, aspiration windows, a transposition table, and
//! move ordering by table move, evaluation and history heuristic. Depth counts whole moves.

use super::evaluation::{BaselineEvaluator, Evaluation};
use crate::play::player::{Budget, Choice, Failure, Player};
use otrera::{Move, Position, Side};
use std::time::{Duration, Instant};

/// Value of a win at the root, in thousandths of the evaluation's unit; each ply before the win reduces it by one.
const WON: i32 = 1_000_000_000;
/// Half the width of the first aspiration window, in thousandths of the evaluation's unit.
const WINDOW: i32 = 1000;
const DEFAULT_TIME: Duration = Duration::from_secs(1);

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

/// Base-2 logarithm of the number of entries in the transposition table, which takes about 6 MB.
const TABLE_BITS: u32 = 18;

impl Entry {
    /// True if the entry's value is the result of a search of this depth in this window.
    fn decides(&self, depth: u8, alpha: i32, beta: i32) -> bool {
        self.depth >= depth
            && match self.bound {
                Bound::Exact => true,
                Bound::AtLeast => self.value >= beta,
                Bound::AtMost => self.value <= alpha,
            }
    }
}

pub struct Pvs {
    evaluator: BaselineEvaluator,
    table: Vec<Option<Entry>>,
    /// History heuristic: sum of `2^min(depth, 8)` over the cut-offs, by arrow square; halved before each search.
    arrow_history: [u32; 128],
    nodes: u64,
    deadline: Instant,
    node_limit: u64,
}

impl Pvs {
    pub fn new(evaluation: Evaluation) -> Self {
        Self {
            evaluator: BaselineEvaluator::new(evaluation),
            table: vec![None; 1 << TABLE_BITS],
            arrow_history: [0; 128],
            nodes: 0,
            deadline: Instant::now(),
            node_limit: u64::MAX,
        }
    }

    /// Runs iterative deepening until the time or node limit is reached, or a win or loss is proven. Returns the best
    /// move of the last completed depth; `None` if the game is over.
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

    /// Searches to `depth`, widening the aspiration window around `guess` until the value lies inside. Returns the best
    /// move and its value; `None` if the time or node limit is reached.
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

    /// Returns the negamax value, exact inside the window (fail-soft); `None` if the time or node limit is reached.
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
        let decided = known.filter(|entry| ply > 0 && entry.decides(depth, alpha, beta));
        if let Some(entry) = decided {
            return Some(entry.value);
        }
        let floor = alpha;
        let mut best: Option<(Move, i32)> = None;
        for mv in self.ordered_moves(position, depth, known.map(|entry| entry.best)) {
            let next = position.with_move(mv);
            // Null window after the first move; a move that beats the best so far is searched again with the full
            // window.
            let window = if best.is_none() { beta } else { alpha + 1 };
            let mut value = -self.search(&next, depth - 1, -window, -alpha, ply + 1)?;
            if best.is_some() && value > alpha && value < beta {
                value = -self.search(&next, depth - 1, -beta, -alpha, ply + 1)?;
            }
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

    /// Returns the legal moves in search order: `first`, then moves that end the game, then the rest by their
    /// evaluation. At depth 1, the cheaper history heuristic orders all moves after `first`.
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
    fn begin(&mut self, _: &Position, _: Side) -> Result<(), Failure> {
        self.table.fill(None);
        self.arrow_history = [0; 128];
        Ok(())
    }

    fn choose(&mut self, position: &Position, budget: Budget) -> Result<Choice, Failure> {
        self.nodes = 0;
        let without_time =
            if budget.iterations.is_some() { Duration::from_secs(86_400) } else { DEFAULT_TIME };
        self.deadline = Instant::now() + budget.time.unwrap_or(without_time);
        self.node_limit = budget.iterations.unwrap_or(u64::MAX);
        self.arrow_history.iter_mut().for_each(|count| *count /= 2);
        let mv = self.deepen(position).ok_or_else(|| Failure::cannot("the game is over"))?;
        Ok(Choice { effort: Some(self.nodes), ..mv.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::alphabeta::AlphaBeta;
    use super::*;
    use crate::play::openings::random_moves;
    use otrera::Size;

    #[test]
    fn agrees_with_alpha_beta_at_equal_depth() {
        let mut rng = fastrand::Rng::with_seed(9);
        for round in 0..50 {
            let start = Position::start(Size::new(5).unwrap());
            let (_, position) = random_moves(&start, 1 + round % 5, &mut rng);
            let alpha_beta = AlphaBeta::new(Evaluation::Territory, 2, 1).best_move(&position);
            let Some((_, expected)) = alpha_beta else { continue };
            let mut pvs = Pvs::new(Evaluation::Territory);
            pvs.deadline = Instant::now() + Duration::from_secs(60);
            let (_, value) = pvs.search_root(&position, 2, 0).unwrap();
            if value.abs() < WON / 2 {
                assert_eq!(value, (expected * 1000.0) as i32, "{position}");
            } else {
                assert_eq!(value > 0, expected > 1e5, "{position}");
            }
        }
    }
}
