//! The network in the integers of the engine.

use super::floats::{BIASES, COUNT_SCALE, FEATURES, Floats, Row, each_count_and_class};
use otrera::eval::fitted::PLIES;
use otrera::eval::inputs::Inputs;
use otrera::eval::network::{COUNTS, HIDDEN, ONE, Row as Integers};
use otrera::eval::weights::network::NetworkWeights;

/// A network in units of `1 / ONE`.
pub struct Rounded {
    /// Of the counts and the classes, as in [`Floats`].
    rows: Vec<Integers>,
    plies: Vec<Integers>,
    output: Integers,
}

impl Rounded {
    /// The nearest to a network.
    ///
    /// # Errors
    /// A weight does not fit 16 bits.
    pub fn new(network: &Floats) -> Result<Self, String> {
        let rows = network.0[..BIASES].iter().enumerate().map(|(row, weights)| {
            let scale = if row < COUNTS { COUNT_SCALE } else { 1.0 };
            round(&weights.map(|weight| weight * scale))
        });
        Ok(Self {
            rows: rows.collect::<Result<_, _>>()?,
            plies: (0..PLIES as u8).map(|ply| round(&network.biases(ply))).collect::<Result<_, _>>()?,
            output: round(network.output_row())?,
        })
    }

    /// Makes sure that no hidden unit of these positions leaves 16 bits, and no sum of theirs 32.
    ///
    /// # Errors
    /// One does.
    pub fn check<'a>(&self, mut positions: impl Iterator<Item = &'a Inputs>) -> Result<(), String> {
        positions.try_for_each(|inputs| {
            let hidden = self.hidden(inputs);
            let products = hidden.iter().zip(self.output);
            // ReLU makes a sum only smaller.
            let sum: i64 = products.map(|(&unit, weight)| (i64::from(unit) * i64::from(weight)).abs()).sum();
            match hidden.iter().find(|&&unit| i16::try_from(unit).is_err()) {
                Some(&unit) => Err(too_large("a hidden unit", unit as f32)),
                None if sum > i32::MAX.into() => Err(too_large("the output", (sum / i64::from(ONE)) as f32)),
                None => Ok(()),
            }
        })
    }

    /// The hidden units of a position before ReLU.
    fn hidden(&self, inputs: &Inputs) -> [i32; HIDDEN] {
        let mut hidden = self.plies[usize::from(inputs.ply)].map(i32::from);
        each_count_and_class(inputs, |row, times| {
            for (unit, &weight) in hidden.iter_mut().zip(&self.rows[row]) {
                *unit += i32::from(weight) * i32::from(times);
            }
        });
        hidden
    }

    /// As a file holds it.
    pub fn weights(&self, trained: String) -> NetworkWeights {
        let rows = |rows: &[Integers]| rows.iter().map(|row| row.to_vec()).collect();
        let [freedom, sole, contested] = FEATURES;
        NetworkWeights {
            trained,
            counts: rows(&self.rows[..freedom]),
            freedom: rows(&self.rows[freedom..sole]),
            sole: rows(&self.rows[sole..contested]),
            contested: rows(&self.rows[contested..]),
            plies: rows(&self.plies),
            output: rows(&[self.output]),
        }
    }
}

fn round(row: &Row) -> Result<Integers, String> {
    let mut integers = [0; HIDDEN];
    for (integer, weight) in integers.iter_mut().zip(row) {
        let units = (weight * ONE as f32).round();
        if !(f32::from(i16::MIN)..=f32::from(i16::MAX)).contains(&units) {
            return Err(too_large("a weight", units));
        }
        *integer = units as i16;
    }
    Ok(integers)
}

fn too_large(what: &str, units: f32) -> String {
    format!(
        "{what} is {:.1}, which does not fit the integers of the engine: give more games, a larger --decay or fewer \
         --epochs",
        units / ONE as f32
    )
}

#[cfg(test)]
mod tests {
    use super::super::floats::LINEAR;
    use super::*;
    use fastrand::Rng;
    use otrera::eval::weights::WeightsFile;
    use otrera::{DistanceMaps, Evaluator, Kernel, Model, ModelScratch, Position};

    /// The positions of a random game on 10x10, and what a network sees of them.
    fn positions(rng: &mut Rng) -> Vec<(Position, Inputs)> {
        let mut maps = DistanceMaps::default();
        let mut position = Position::standard();
        let mut positions = Vec::new();
        loop {
            let inputs = Inputs::of_position(&position, &mut maps, Kernel::fastest());
            positions.push((position, inputs.unwrap()));
            let legal: Vec<_> = position.legal_moves().collect();
            let Some(mv) = rng.choice(legal) else { return positions };
            position = position.with_move(mv);
        }
    }

    /// A network whose weights are those of a first one, times this.
    fn network(rng: &mut Rng, times: f32) -> Floats {
        let mut network = Floats::random(rng);
        network.0.iter_mut().flatten().for_each(|weight| *weight *= times);
        network.fix_linear();
        network
    }

    #[test]
    fn the_engine_computes_what_was_trained() {
        let mut rng = Rng::with_seed(1);
        let network = network(&mut rng, 3.0);
        let rounded = Rounded::new(&network).unwrap();
        let mut file = WeightsFile::read(WeightsFile::BUILT_IN).unwrap();
        file.networks.standard = Some(rounded.weights("in a test".into()));
        let evaluator = Evaluator::new(Model::from_weights(&file.write()).unwrap());
        let positions = positions(&mut rng);
        assert_eq!(rounded.check(positions.iter().map(|(_, inputs)| inputs)), Ok(()));
        let mut spread = 0.0_f32;
        for (position, inputs) in &positions {
            let value = evaluator.value(position, &mut ModelScratch::default()).0;
            let mut active = rounded.hidden(inputs);
            active[..LINEAR].iter_mut().for_each(|unit| *unit = (*unit).max(0));
            let sum: i32 =
                active.iter().zip(rounded.output).map(|(unit, weight)| unit * i32::from(weight)).sum();
            assert_eq!(value, sum as f32 / (ONE * ONE) as f32, "bit for bit: {position:?}");
            let exact = network.log_odds(inputs);
            // Half a unit in each of some 200 weights.
            assert!((value - exact).abs() < 100.0 / ONE as f32, "{value} for {exact}: {position:?}");
            spread = spread.max(exact.abs());
        }
        assert!(spread > 1.0, "{spread}");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut rng = Rng::with_seed(1);
        let positions = positions(&mut rng);
        let problem = |times: f32| {
            let rounded = Rounded::new(&network(&mut Rng::with_seed(1), times))?;
            rounded.check(positions.iter().map(|(_, inputs)| inputs))
        };
        for (times, part) in [(1e4, "a weight is "), (60.0, "a hidden unit is ")] {
            let complaint = problem(times).unwrap_err();
            assert!(complaint.starts_with(part) && complaint.contains("--decay"), "{complaint}");
        }
    }
}
