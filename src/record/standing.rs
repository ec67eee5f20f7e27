//! A cross-table and maximum-likelihood ratings.
//!
//! In Elo's model, which is Bradley and Terry's, a player wins with probability `1 / (1 + 10^(-difference / 400))`. The
//! ratings maximise the likelihood of the results (D. R. Hunter, MM algorithms for generalized Bradley-Terry models,
//! Annals of Statistics 32, 2004); their mean is 0. The intervals follow from the curvature of the likelihood and
//! assume independent games.

use super::GameRecord;
use crate::board::square::Side;
use crate::order::sort_by;
use serde::Serialize;
use std::f64::consts::LN_10;

/// Number of standard deviations on each side of the mean that contain 95 % of a normal distribution.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Elo per unit of log-strength (natural logarithm).
const SCALE: f64 = 400.0 / LN_10;

/// Maximum number of players that are rated.
pub const MAX_PLAYERS: usize = 100;

/// Maximum number of iterations of Hunter's MM algorithm.
const MAX_ROUNDS: u32 = 100_000;

/// The cross-table with ratings, best player first.
#[derive(Serialize, Debug)]
pub struct Standing {
    /// Players, best first.
    pub players: Vec<Rated>,
    /// `[row][column]`: games that the row's player won against the column's player.
    pub wins: Vec<Vec<u32>>,
    /// True if each player has a virtual draw against a fixed opponent ([`Field::anchor`]), because some ratings would
    /// otherwise be infinite.
    pub anchored: bool,
}

/// A player with its rating.
#[derive(Serialize, Debug)]
pub struct Rated {
    /// Name in the records.
    pub name: String,
    /// Elo above the mean of all players.
    pub elo: f64,
    /// Half-width of the 95 % interval, in Elo.
    pub margin: f64,
}

impl Standing {
    /// Computes cross-table and ratings. A game between players of one name, or without a winner, does not count.
    ///
    /// Takes time that grows with the cube of the number of players: a field of more than [`MAX_PLAYERS`] is empty.
    pub fn of(games: &[GameRecord]) -> Self {
        let mut names: Vec<&str> = games.iter().flat_map(|game| [&*game.black, &*game.white]).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() > MAX_PLAYERS {
            names.clear();
        }
        let mut wins = vec![vec![0; names.len()]; names.len()];
        let index = |name: &str| names.binary_search(&name).unwrap_or_default();
        let rated = games.iter().filter(|game| game.black != game.white && !names.is_empty());
        for game in rated {
            let [black, white] = [index(&game.black), index(&game.white)];
            match game.winner {
                Some(Side::Black) => wins[black][white] += 1,
                Some(Side::White) => wins[white][black] += 1,
                None => {}
            }
        }
        let anchored = !is_connected(&wins);
        let field = Field { wins: &wins, anchor: if anchored { 1.0 } else { 0.0 } };
        let ratings = field.ratings();
        let margins = field.margins(&ratings);
        let mut order: Vec<usize> = (0..names.len()).collect();
        sort_by(&mut order, |&a, &b| ratings[b].total_cmp(&ratings[a]));
        let player =
            |&i: &usize| Rated { name: names[i].into(), elo: SCALE * ratings[i], margin: margins[i] };
        Self {
            players: order.iter().map(player).collect(),
            wins: order.iter().map(|&row| order.iter().map(|&column| wins[row][column]).collect()).collect(),
            anchored,
        }
    }

    /// True if players have met more than once.
    pub fn is_a_match(&self) -> bool {
        self.wins.iter().flatten().sum::<u32>() > 1
    }
}

/// True if a chain of wins leads from each player to every other, so that the likelihood has a maximum.
fn is_connected(wins: &[Vec<u32>]) -> bool {
    let reaches_all = |beats: &dyn Fn(usize, usize) -> bool| {
        let mut reached = vec![false; wins.len()];
        let mut frontier: Vec<usize> = (0..wins.len().min(1)).collect();
        while let Some(player) = frontier.pop() {
            if !std::mem::replace(&mut reached[player], true) {
                frontier.extend((0..wins.len()).filter(|&other| beats(player, other)));
            }
        }
        reached.iter().all(|&reached| reached)
    };
    reaches_all(&|player, other| wins[player][other] > 0)
        && reaches_all(&|player, other| wins[other][player] > 0)
}

/// Results from which ratings are computed.
struct Field<'a> {
    wins: &'a [Vec<u32>],
    /// Number of virtual draws of each player against a fixed opponent of log-strength 0 (a prior); 0 for none.
    anchor: f64,
}

impl Field<'_> {
    fn games(&self, player: usize, other: usize) -> f64 {
        f64::from(self.wins[player][other] + self.wins[other][player])
    }

    /// Returns the maximum-likelihood log-strengths, with mean 0.
    fn ratings(&self) -> Vec<f64> {
        let count = self.wins.len();
        let mut strengths = vec![1.0; count];
        for _ in 0..MAX_ROUNDS {
            let next = (0..count).map(|player| self.improved(player, &strengths)).collect::<Vec<f64>>();
            let mean = next.iter().map(|strength| strength.ln()).sum::<f64>() / count as f64;
            // With the anchor, the likelihood depends on the mean, so the mean is removed only at the end.
            let level = if self.anchor > 0.0 { 1.0 } else { mean.exp() };
            let next: Vec<f64> = next.iter().map(|strength| strength / level).collect();
            let moved =
                next.iter().zip(&strengths).map(|(new, old)| (new / old).ln().abs()).fold(0.0, f64::max);
            strengths = next;
            if moved < 1e-10 {
                break;
            }
        }
        let mean = strengths.iter().map(|strength| strength.ln()).sum::<f64>() / count.max(1) as f64;
        strengths.iter().map(|strength| strength.ln() - mean).collect()
    }

    /// Returns a player's strength after one iteration of Hunter's algorithm: the player's wins divided by the expected
    /// wins per unit of strength.
    fn improved(&self, player: usize, strengths: &[f64]) -> f64 {
        let own = strengths[player];
        let mut wins = self.anchor / 2.0;
        let mut expected = self.anchor / (own + 1.0);
        for (other, strength) in strengths.iter().enumerate() {
            wins += f64::from(self.wins[player][other]);
            expected += self.games(player, other) / (own + strength);
        }
        if expected > 0.0 { wins / expected } else { own }
    }

    /// Returns the half-width of each rating's 95 % interval, in Elo.
    fn margins(&self, ratings: &[f64]) -> Vec<f64> {
        let count = ratings.len();
        // The second derivatives of the negative log-likelihood, with the mean fixed.
        let mut curvature = vec![vec![1.0 / count as f64; count]; count];
        for player in 0..count {
            curvature[player][player] += self.anchor * variance(ratings[player]);
            for other in 0..count {
                let information = self.games(player, other) * variance(ratings[player] - ratings[other]);
                curvature[player][player] += information;
                curvature[player][other] -= information;
            }
        }
        let covariance = inverse(curvature);
        // Variances of the ratings minus the mean rating: an error common to all ratings cancels.
        let mean_of = |row: &Vec<f64>| row.iter().sum::<f64>() / count as f64;
        let row_means: Vec<f64> = covariance.iter().map(mean_of).collect();
        let mean = mean_of(&row_means);
        let variances = (0..count).map(|i| covariance[i][i] - 2.0 * row_means[i] + mean);
        variances.map(|variance| Z_95 * SCALE * variance.max(0.0).sqrt()).collect()
    }
}

/// Returns the variance of a game's result, 0 or 1, for a difference in log-strength.
fn variance(difference: f64) -> f64 {
    let chance = 1.0 / (1.0 + (-difference).exp());
    chance * (1.0 - chance)
}

/// Inverts a symmetric, positive definite matrix by Gauss-Jordan elimination.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let count = matrix.len();
    for (row, values) in matrix.iter_mut().enumerate() {
        values.extend((0..count).map(|column| if row == column { 1.0 } else { 0.0 }));
    }
    for pivot in 0..count {
        let scale = matrix[pivot][pivot];
        matrix[pivot].iter_mut().for_each(|value| *value /= scale);
        let pivot_row = matrix[pivot].clone();
        for (_, row) in matrix.iter_mut().enumerate().filter(|&(row, _)| row != pivot) {
            let factor = row[pivot];
            row.iter_mut().zip(&pivot_row).for_each(|(value, above)| *value -= factor * above);
        }
    }
    matrix.iter().map(|row| row[count..].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::Position;

    /// Creates games from tuples of winner, loser and number of games.
    fn games(results: &[(&str, &str, usize)]) -> Vec<GameRecord> {
        let won = |&(winner, loser, times): &(&str, &str, usize)| {
            let game = GameRecord::new(winner, loser, Position::standard());
            vec![GameRecord { winner: Some(Side::Black), ..game }; times]
        };
        results.iter().flat_map(won).collect()
    }

    #[test]
    fn two_ratings_match_the_head_to_head_score() {
        let standing = Standing::of(&games(&[("a", "b", 25), ("b", "a", 75)]));
        let [first, second] = &standing.players[..] else { panic!("two players") };
        assert_eq!((first.name.as_str(), second.name.as_str()), ("b", "a"));
        assert!(!standing.anchored);
        assert_eq!(standing.wins, [[0, 75], [25, 0]]);
        assert!((first.elo - second.elo - 190.848).abs() < 0.001, "{first:?}");
        // The logit of a share p of n games has the variance 1 / (n p (1 - p)); each rating is half the logit.
        let margin = Z_95 * SCALE / (100.0_f64 * 0.25 * 0.75).sqrt() / 2.0;
        assert!((first.margin - margin).abs() < 0.001 && (second.margin - margin).abs() < 0.001);
    }

    #[test]
    fn consistent_results_recover_their_ratings() {
        // Strengths of 1 : 2 : 4: neighbours differ by a factor of 2, which is 120.41 Elo.
        let standing = Standing::of(&games(&[
            ("b", "a", 200),
            ("a", "b", 100),
            ("c", "b", 200),
            ("b", "c", 100),
            ("c", "a", 400),
            ("a", "c", 100),
        ]));
        let elo: Vec<f64> = standing.players.iter().map(|player| player.elo).collect();
        assert!((elo[0] - 120.412).abs() < 0.001 && elo[1].abs() < 0.001 && (elo[2] + 120.412).abs() < 0.001);
        // The likelihood's curvature has the eigenvalues 200 for (1, -2, 1) and 680/3 for (1, 0, -1).
        let variances = [1.0 / 1200.0 + 3.0 / 1360.0, 1.0 / 300.0, 1.0 / 1200.0 + 3.0 / 1360.0];
        for (player, variance) in standing.players.iter().zip(variances) {
            assert!((player.margin - Z_95 * SCALE * f64::sqrt(variance)).abs() < 0.001, "{player:?}");
        }
    }

    #[test]
    fn ratings_are_finite_for_any_results() {
        for results in [
            &[][..],
            &[("a", "b", 10)],
            &[("a", "b", 3), ("c", "d", 2)],
            &[("a", "a", 5)],
            &[("a", "b", 1), ("b", "c", 1), ("c", "a", 0)],
            &[("a", "b", 100_000)],
        ] {
            let standing = Standing::of(&games(results));
            let finite = |player: &Rated| player.elo.is_finite() && player.margin.is_finite();
            assert!(standing.players.iter().all(finite), "{standing:?}");
        }
        let standing = Standing::of(&games(&[("a", "b", 10)]));
        assert!(standing.anchored && standing.players[0].elo > 100.0, "{standing:?}");
    }
}
