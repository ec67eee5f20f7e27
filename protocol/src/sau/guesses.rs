//! Tracks the candidate games on the platform's board after a crash in which a move of the opponent was lost.
//!
//! The platform answers a legal move with the opponent's next move, and an illegal move with `error`. A move out of
//! turn is ignored. We send moves that are legal in nearly all candidate games, and drop the candidates that
//! contradict the platform's answers.

use otrera::{Bitboard, Move, Movement, Position, Report, Side};

/// Weight of the candidate game without a reply yet. All candidates with a lost reply together weigh about 1.
const STILL_THINKING: f32 = 0.1;

/// Weights of the candidate game in which the platform missed our last move, on the scale of [`STILL_THINKING`]:
/// without a journal, and with a journal that says the move was sent.
const UNHEARD: [f32; 2] = [0.02, 0.002]; // the platform may not read the rest of a dead engine's pipe

/// Maximum amount by which a move's probability of being illegal can exceed the safest move's.
const MAX_RISK: f32 = 0.003;

/// A candidate game on the platform's board, with its weight.
#[derive(Clone, Debug)]
pub struct Guess {
    pub moves: Vec<Move>,
    pub position: Position,
    weight: f32,
}

impl Guess {
    fn played(&self, mv: Move) -> Option<Self> {
        let position = self.position.try_play(mv).ok()?;
        Some(Self { moves: [&self.moves[..], &[mv]].concat(), position, weight: self.weight })
    }
}

/// All candidate games; none if the position is known. Their weights need not sum to 1.
#[derive(Default, Debug)]
pub struct Guesses {
    all: Vec<Guess>,
    /// The move that we sent last; `None` after the platform's reply or refusal.
    sent: Option<Move>,
}

impl Guesses {
    /// Creates the candidate games if the platform is silent after our last move: one for each legal reply that may
    /// have been lost, one without a reply, and one without our last move.
    ///
    /// The weight of each of n replies is the mean of 1/n and its share of the visits in `report`. `sent` is true if a
    /// journal says that our last move was sent.
    pub fn of_lost_reply(start: &Position, moves: &[Move], report: &Report, sent: bool) -> Self {
        let guess = |moves: &[Move], weight| Guess {
            moves: moves.to_vec(),
            position: moves.iter().fold(*start, |position, &mv| position.with_move(mv)),
            weight,
        };
        let waiting = guess(moves, STILL_THINKING);
        let replies: Vec<Move> = waiting.position.legal_moves().collect();
        let visits = report.lines.iter().map(|line| line.visits).sum::<u32>().max(1) as f32;
        let weight = |mv: Move| {
            let searched =
                report.lines.iter().find(|line| line.mv == mv).map_or(0.0, |line| line.visits as f32);
            0.5 / replies.len() as f32 + 0.5 * searched / visits
        };
        let lost = replies.iter().filter_map(|&mv| Some(Guess { weight: weight(mv), ..waiting.played(mv)? }));
        let mut all: Vec<Guess> = lost.collect();
        if let Some((_, before)) = moves.split_last() {
            let [unknown, known] = UNHEARD;
            all.push(guess(before, if sent { known } else { unknown }));
        }
        all.push(waiting);
        Self { all, sent: None }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns the likeliest candidate game on our turn, among those with the likeliest placement of our amazons.
    /// Returns `None` if no candidate has `us` to move.
    pub fn likeliest(&self, us: Side) -> Option<&Guess> {
        let ours = || self.all.iter().filter(|guess| guess.position.side() == us);
        let alike = |guess: &Guess| -> f32 {
            let amazons = guess.position.amazons(us);
            ours().filter(|other| other.position.amazons(us) == amazons).map(|other| other.weight).sum()
        };
        let key = |guess: &Guess| (alike(guess), guess.weight);
        let mut best: Option<(&Guess, (f32, f32))> = None;
        for guess in ours() {
            let known = best.filter(|(other, _)| other.position.amazons(us) == guess.position.amazons(us));
            let key = known.map_or_else(|| key(guess), |(_, (alike, _))| (alike, guess.weight));
            if best.is_none_or(|(_, best)| key > best) {
                best = Some((guess, key));
            }
        }
        best.map(|(guess, _)| guess)
    }

    /// Lists the moves in `position` whose probability of being illegal exceeds the safest move's by over [`MAX_RISK`].
    pub fn risky(&self, position: &Position) -> Vec<Move> {
        let total: f32 = self.all.iter().map(|guess| guess.weight).sum();
        let risks: Vec<(f32, Move)> = position
            .movements()
            .flat_map(|movement| self.risks_of(position, movement))
            .map(|(weight, mv)| (weight / total, mv))
            .collect();
        let least = risks.iter().map(|(risk, _)| *risk).fold(1.0, f32::min);
        risks.into_iter().filter(|(risk, _)| *risk > least + MAX_RISK).map(|(_, mv)| mv).collect()
    }

    /// Lists the moves with this movement, each with the total weight of the candidate games in which the move is
    /// illegal. Candidates on the opponent's turn add nothing, since the platform ignores a move out of turn.
    fn risks_of(&self, position: &Position, movement: Movement) -> Vec<(f32, Move)> {
        let us = position.side();
        let targets = position.with_movement(movement).arrow_targets();
        let mut moves: Vec<(f32, Move)> =
            targets.into_iter().map(|arrow| (0.0, movement.with_arrow(arrow))).collect();
        for guess in self.all.iter().filter(|guess| guess.position.side() == us) {
            let is_legal = guess.position.amazons(us).contains(movement.from)
                && guess.position.landings(movement.from).contains(movement.to);
            let legal = if is_legal {
                guess.position.with_movement(movement).arrow_targets()
            } else {
                Bitboard::EMPTY
            };
            if (targets - legal).is_empty() {
                continue;
            }
            moves
                .iter_mut()
                .filter(|(_, mv)| !legal.contains(mv.arrow))
                .for_each(|(risk, _)| *risk += guess.weight);
        }
        moves
    }

    /// Records that we have sent `mv`.
    pub fn send(&mut self, mv: Move) {
        self.sent = Some(mv);
    }

    /// Handles the refusal of our last sent move, if any: keeps candidates on our turn in which the move is illegal.
    pub fn refuse(&mut self, us: Side) {
        let Some(mv) = self.sent.take() else { return };
        self.all.retain(|guess| guess.position.side() == us && guess.position.check(mv).is_err());
    }

    /// Plays our sent move in the candidates on our turn, and then the opponent's reply `mv` in all candidates. Drops
    /// candidates in which either move is illegal, and decided ones if others remain; merges equal positions.
    pub fn reply(&mut self, us: Side, mv: Move) {
        let sent = self.sent.take();
        let after = |guess: &Guess| {
            let before = if guess.position.side() == us { guess.played(sent?)? } else { guess.clone() };
            before.played(mv)
        };
        let mut all: Vec<Guess> = self.all.iter().filter_map(after).collect();
        // The platform ends a decided game.
        if all.iter().any(|guess| guess.position.winner().is_none()) {
            all.retain(|guess| guess.position.winner().is_none());
        }
        // A move ignored in one game and played in another leads to the same position.
        all.sort_by_key(|guess| guess.position.key());
        all.dedup_by(|same, kept| {
            let is_same = same.position == kept.position;
            kept.weight += if is_same { same.weight } else { 0.0 };
            is_same
        });
        self.all = all;
    }

    /// Removes all candidates, since the position is known.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking
mod tests {
    use super::*;
    use otrera::{Limits, Params, Resources, Rules, Search};
    use std::sync::atomic::AtomicBool;

    /// Returns the position after Black's first move, and the candidate games if White's reply was lost.
    fn after_first_move(sent: bool) -> (Position, Guesses) {
        let start = Position::standard().with_rules(Rules::SelfBlocking);
        let first = "d1d7g7".parse().unwrap();
        let resources = Resources { memory: 8 << 20, threads: 1, seed: 1 };
        let mut search = Search::new(start.with_move(first), Params::TOURNAMENT, resources);
        let report = search.run(&Limits::iterations(300), &AtomicBool::new(false), &mut |_| ());
        (start.with_move(first), Guesses::of_lost_reply(&start, &[first], &report, sent))
    }

    /// Returns Black's first legal move that is not risky.
    fn safe_move(guesses: &Guesses) -> Move {
        let position = guesses.likeliest(Side::Black).unwrap().position;
        let risky = guesses.risky(&position);
        position.legal_moves().find(|mv| !risky.contains(mv)).unwrap()
    }

    #[test]
    fn a_safe_move_is_legal_after_nearly_every_reply() {
        let (position, guesses) = after_first_move(true);
        let mv = safe_move(&guesses);
        let replies: Vec<Move> = position.legal_moves().collect();
        let refused = replies.iter().filter(|&&reply| position.with_move(reply).check(mv).is_err()).count();
        assert!(refused * 50 < replies.len(), "{mv} is illegal after {refused} of {} replies", replies.len());
    }

    #[test]
    fn guesses_always_contain_the_true_position() {
        let mut rng = fastrand::Rng::with_seed(5);
        for game in 0..20 {
            let (mut truth, mut guesses) = after_first_move(game % 2 == 0);
            // In every fourth game the opponent is still thinking, so the platform ignores our move.
            let overlooked = game % 4 == 3;
            let mut any = |position: &Position| {
                let moves: Vec<Move> = position.legal_moves().collect();
                rng.choice(moves)
            };
            if !overlooked {
                truth = truth.with_move(any(&truth).unwrap());
            }
            let (mut first, mut count) = (true, guesses.len());
            while truth.winner().is_none() {
                let Some(likeliest) = guesses.likeliest(Side::Black) else { panic!("no guess of {truth}") };
                let position = likeliest.position;
                let risky = guesses.risky(&position);
                let mv = position.legal_moves().find(|mv| !risky.contains(mv)).unwrap();
                guesses.send(mv);
                if !(overlooked && first) {
                    let Ok(next) = truth.try_play(mv) else {
                        guesses.refuse(Side::Black);
                        assert!(guesses.len() < count);
                        count = guesses.len();
                        continue;
                    };
                    truth = next;
                }
                first = false;
                let Some(reply) = any(&truth).filter(|_| truth.winner().is_none()) else { break };
                truth = truth.with_move(reply);
                guesses.reply(Side::Black, reply);
                if truth.winner().is_some() {
                    break;
                }
                assert!(guesses.len() <= count && guesses.all.iter().any(|guess| guess.position == truth));
                count = guesses.len();
                if count == 1 {
                    break;
                }
            }
        }
    }

    #[test]
    fn a_refusal_excludes_boards_that_allow_the_move() {
        let (position, mut guesses) = after_first_move(true);
        // Illegal only if the reply blocks d8, since the amazon shoots back to the square that it left.
        let ours: Move = "d7d8d7".parse().unwrap();
        guesses.send(ours);
        guesses.refuse(Side::Black);
        assert!(!guesses.is_empty());
        for guess in &guesses.all {
            assert!(guess.position.check(ours).is_err() && guess.position.side() == Side::Black);
        }
        let blocking = position.legal_moves().filter(|&reply| position.with_move(reply).check(ours).is_err());
        // Plus the board on which the platform missed our first move.
        assert_eq!(guesses.len(), blocking.count() + 1);
    }
}
