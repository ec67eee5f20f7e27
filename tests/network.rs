//! Networks: the engine's value equals the one computed from the definition.

mod common;

use common::definitions::various_positions;
use fastrand::Rng;
use otrera::eval::inputs::Inputs;
use otrera::eval::network::{HIDDEN, ONE};
use otrera::eval::weights::WeightsFile;
use otrera::eval::weights::network::{NetworkWeights, Networks};
use otrera::eval::{Evaluator, Value};
use otrera::{DistanceMaps, Kernel, Model, ModelScratch};

/// Draws a network of small random weights.
fn random_network(rng: &mut Rng) -> NetworkWeights {
    let mut rows = |count: usize| -> Vec<Vec<i16>> {
        (0..count).map(|_| (0..HIDDEN).map(|_| rng.i16(-100..=100)).collect()).collect()
    };
    NetworkWeights {
        trained: "by chance".into(),
        counts: rows(50),
        freedom: rows(44),
        sole: rows(30),
        contested: rows(30),
        plies: rows(93),
        output: rows(1),
    }
}

/// Computes the log-odds of these inputs from the weights, in integers as in `Network`.
fn log_odds(weights: &NetworkWeights, inputs: &Inputs) -> Value {
    let mut rows = vec![(&weights.plies[usize::from(inputs.ply)], 1)];
    rows.extend(weights.counts.iter().zip(inputs.counts.map(i32::from)));
    for (side, amazons) in inputs.amazons.iter().enumerate() {
        for classes in amazons.iter().flatten() {
            for (rows_of, class) in [&weights.freedom, &weights.sole, &weights.contested].iter().zip(classes)
            {
                rows.push((&rows_of[side * rows_of.len() / 2 + usize::from(*class)], 1));
            }
        }
    }
    let hidden = |unit: usize| rows.iter().map(|(row, times)| i32::from(row[unit]) * times).sum::<i32>();
    let active = |unit: usize| if unit == HIDDEN - 1 { hidden(unit) } else { hidden(unit).max(0) };
    let sum: i32 = (0..HIDDEN).map(|unit| active(unit) * i32::from(weights.output[0][unit])).sum();
    Value(sum as f32 / (ONE * ONE) as f32)
}

#[test]
fn a_network_gives_what_its_inputs_and_weights_say_on_every_kernel() {
    let mut rng = Rng::with_seed(5);
    let [standard, small] = [(); 2].map(|()| random_network(&mut rng));
    let mut file = WeightsFile::read(WeightsFile::BUILT_IN).unwrap();
    file.networks = Networks { standard: Some(standard.clone()), small: Some(small.clone()) };
    let model = Model::from_weights(&file.write()).unwrap();
    let mut maps = DistanceMaps::default();
    let mut known = 0;
    for position in various_positions() {
        let weights = if position.size().edge() <= 8 { &small } else { &standard };
        for kernel in Kernel::available() {
            let Some(inputs) = Inputs::of_position(&position, &mut maps, kernel) else { continue };
            let evaluator = Evaluator::new(model.clone()).with_kernel(kernel);
            let value = evaluator.value(&position, &mut ModelScratch::default());
            assert_eq!(value, log_odds(weights, &inputs), "{kernel:?}, {position:?}");
            known += 1;
        }
    }
    assert!(known > 100, "{known}");
}
