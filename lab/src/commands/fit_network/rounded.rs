//! The network in the integers of the engine.

use super::floats::{BIASES, COUNT_SCALE, FEATURES, Floats, Row};
use otrera::eval::fitted::PLIES;
use otrera::eval::network::{COUNTS, ONE};
use otrera::eval::weights::network::{NetworkWeights, too_large};

/// Rounds a network to units of `1 / ONE`, as a file holds it.
///
/// # Errors
/// A weight does not fit 16 bits.
pub fn rounded(network: &Floats, trained: String) -> Result<NetworkWeights, String> {
    let rows = network.0[..BIASES].iter().enumerate().map(|(row, weights)| {
        let scale = if row < COUNTS { COUNT_SCALE } else { 1.0 };
        round(&weights.map(|weight| weight * scale))
    });
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let [freedom, sole, contested] = FEATURES;
    Ok(NetworkWeights {
        trained,
        counts: rows[..freedom].to_vec(),
        freedom: rows[freedom..sole].to_vec(),
        sole: rows[sole..contested].to_vec(),
        contested: rows[contested..].to_vec(),
        plies: (0..PLIES as u8).map(|ply| round(&network.biases(ply))).collect::<Result<_, _>>()?,
        output: vec![round(network.output_row())?],
    })
}

fn round(row: &Row) -> Result<Vec<i16>, String> {
    let unit = |weight: &f32| {
        let units = (weight * ONE as f32).round();
        let fits = (f32::from(i16::MIN)..=f32::from(i16::MAX)).contains(&units);
        if fits { Ok(units as i16) } else { Err(too_large("a weight", units.into())) }
    };
    row.iter().map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::super::floats::LINEAR;
    use super::*;
    use fastrand::Rng;
    use otrera::eval::inputs::Inputs;
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
        let rounded = rounded(&network, "in a test".into()).unwrap();
        let mut file = WeightsFile::read(WeightsFile::BUILT_IN).unwrap();
        file.networks.standard = Some(rounded.clone());
        let evaluator = Evaluator::new(Model::from_weights(&file.write()).unwrap());
        let positions = positions(&mut rng);
        assert_eq!(rounded.check_sums(positions.iter().map(|(_, inputs)| *inputs)), Ok(()));
        let mut spread = 0.0_f32;
        for (position, inputs) in &positions {
            let value = evaluator.value(position, &mut ModelScratch::default()).0;
            let mut active = rounded.hidden(inputs);
            active[..LINEAR].iter_mut().for_each(|unit| *unit = (*unit).max(0));
            let sum: i32 =
                active.iter().zip(&rounded.output[0]).map(|(unit, &weight)| unit * i32::from(weight)).sum();
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
            let rounded = rounded(&network(&mut Rng::with_seed(1), times), String::new())?;
            rounded.check_sums(positions.iter().map(|(_, inputs)| *inputs))
        };
        for (times, part) in [(1e4, "a weight is "), (60.0, "a hidden unit is ")] {
            let complaint = problem(times).unwrap_err();
            assert!(complaint.starts_with(part), "{complaint}");
        }
    }
}
