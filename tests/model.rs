//! Models from weights files: a file is read completely or refused with a reason, and its weights affect the search.

use crate::search::run_iterations;
use otrera::eval::inputs::{COUNTS, PARTS, PLY_PART};
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::eval::network::{HIDDEN, Network, OUTPUT_PART};
use otrera::eval::phased::PhasedWeights;
use otrera::eval::policy_network::UNITS;
use otrera::eval::square_layer::SquareLayer;
use otrera::eval::weights::network::{NetworkWeights, Networks};
use otrera::eval::weights::{PriorWeights, WeightsFile};
use otrera::eval::winrate::ValueLink;
use otrera::search::params::TournamentParams;
use otrera::{Params, Position, Resources, Search, Size};
use serde_json::{Value, json};

#[test]
fn files_older_than_the_last_features_of_arrows_load() {
    let mut expected = WeightsFile::built_in();
    let mut older = WeightsFile::built_in();
    for (file, is_older) in [(&mut expected, false), (&mut older, true)] {
        for stage in file.priors.standard.arrows.iter_mut().chain(&mut file.priors.small.arrows) {
            stage[6..].iter_mut().flatten().for_each(|weight| *weight = 0.0);
            stage.truncate(if is_older { 6 } else { 8 });
        }
    }
    assert_eq!(WeightsFile::read(&older.write()), Ok(expected));
}

#[test]
fn weights_files_survive_a_round_trip() {
    let mut file = WeightsFile::read(WeightsFile::BUILT_IN).unwrap();
    assert_eq!(file.write(), WeightsFile::BUILT_IN);
    file.networks.small = None;
    file.priors.small.arrows[0][0][0] = f32::MIN_POSITIVE;
    file.priors.small.arrows[1][2][3] = 1.0 / 3.0;
    file.priors.small.trained = "by \"hand\"\n".into();
    assert_eq!(WeightsFile::read(&file.write()), Ok(file));
}

#[test]
fn invalid_files_are_refused_with_a_reason() {
    let changes: [(&str, Value, &str); 7] = [
        ("movements", json!([[]]), "small, movements: 1 stages, expected 4"),
        ("movements/1", json!([[0.5]]), "small, movements, stage 2: 1 features, expected 4"),
        ("arrows/3/5", json!([0.5]), "small, arrows, stage 4, feature 6: 1 weights, expected 32"),
        ("arrows/3/5/0", json!(1e300), "small, arrows, stage 4, feature 6: inf is not a valid weight"),
        ("arrow_rows", json!("?"), "is not a weights file: rows in Base64: Invalid"),
        ("arrow_rows", json!("AAAA"), "is not a weights file: 3 weights do not divide into rows of 16"),
        ("movement_rows", json!("AAECAwQFBgcICQoLDA0ODw=="), "priors small: 1 rows, expected 3185"),
    ];
    for (place, wrong, reason) in changes {
        let mut file: Value = serde_json::from_str(WeightsFile::BUILT_IN).unwrap();
        *file.pointer_mut(&format!("/priors/small/{place}")).unwrap() = wrong;
        let problem = WeightsFile::read(&file.to_string()).unwrap_err();
        assert!(problem.starts_with(reason), "{place}: {problem}");
    }
    for text in
        ["", "{}", "[1, 2]", "{\"value\": 1}", "\u{0}", "{\"networks\": {}, \"priors\": {}, \"more\": 0}"]
    {
        let problem = Model::from_weights(text).unwrap_err();
        assert!(problem.starts_with("is not a weights file: "), "{text}: {problem}");
    }
}

#[test]
fn a_network_may_omit_inputs_but_not_rows() {
    let changed = |name: &str, part: Option<Value>| {
        let mut file: Value = serde_json::from_str(WeightsFile::BUILT_IN).unwrap();
        let network = file["networks"]["small"].as_object_mut().unwrap();
        match part {
            Some(part) => network.insert(name.into(), part),
            None => network.remove(name),
        };
        WeightsFile::read(&file.to_string())
    };
    let without = changed("contested", None).unwrap().networks.small.unwrap().network;
    let mut expected = WeightsFile::built_in().networks.small.unwrap().network;
    expected.rows_of(PARTS[3]).fill([0; HIDDEN]);
    assert_eq!((PARTS[3].name, without), ("contested", expected));
    for (name, part, reason) in [
        ("output", None, "output is missing"),
        ("output", Some(json!([])), "output: 0 rows, not 1"),
        ("output", Some(json!([[1, 2]])), "output: a row of 2 weights, not 64"),
        ("squares", None, "missing field `squares`"),
        ("squares", Some(json!("")), "squares: 0 rows"),
        ("outputs", Some(json!([[1, 2]])), "this version has no input `outputs`"),
    ] {
        let problem = changed(name, part).unwrap_err();
        assert!(problem.starts_with(&format!("is not a weights file: {reason}")), "{problem}");
    }
}

#[test]
fn overflowing_network_weights_are_refused() {
    let refused = |change: fn(&mut Network)| {
        let mut file = WeightsFile::built_in();
        change(&mut file.networks.small.as_mut().unwrap().network);
        Model::from_weights(&file.write()).map(drop).unwrap_err()
    };
    let problem = refused(|network| network.rows[..COUNTS].iter_mut().for_each(|row| row[3] = 1000));
    assert!(
        problem.starts_with("network small: a hidden unit is ")
            && problem.ends_with("does not fit the integers of the engine"),
        "{problem}"
    );
    let problem =
        refused(|network| network.rows_of(PLY_PART).iter_mut().for_each(|row| row[HIDDEN - 1] = i16::MIN));
    assert!(problem.starts_with("network small: a hidden unit is -"), "{problem}");
    let problem = refused(|network| network.squares = SquareLayer::new(10, std::iter::empty()));
    assert_eq!(problem, "network small: its squares are those of 10x10, not 8x8");
    // Each hidden unit fits, but their weighted sum does not.
    let problem = refused(|network| {
        *network = *Network::new(SquareLayer::new(8, std::iter::empty()));
        network.rows_of(PLY_PART).fill([20_000; HIDDEN]);
        network.rows_of(OUTPUT_PART).fill([20_000; HIDDEN]);
    });
    assert!(problem.starts_with("network small: the output is "), "{problem}");
}

#[test]
fn a_network_is_refused_for_other_board_sizes() {
    let [ten, eight] = [10, 8].map(|edge| Size::new(edge).unwrap());
    let model = |change: &dyn Fn(&mut WeightsFile)| {
        let mut file = WeightsFile::built_in();
        change(&mut file);
        Model::from_weights(&file.write()).unwrap()
    };
    let trained = |network: &mut Option<NetworkWeights>| network.as_mut().unwrap().network.rows[0][0] += 1;
    let small = model(&|file| trained(&mut file.networks.small));
    let standard = model(&|file| trained(&mut file.networks.standard));
    assert_eq!([small.check_board(eight), standard.check_board(ten)], [Ok(()), Ok(())]);
    let problem = small.check_board(ten).unwrap_err();
    assert!(problem.starts_with("its network is for boards up to 8x8, not for 10x10: "), "{problem}");
    let problem = standard.check_board(eight).unwrap_err();
    assert!(problem.starts_with("its network is for boards above 8x8, not for 8x8: "), "{problem}");
    assert!(model(&|file| file.networks.standard = None).check_board(ten).is_err(), "no network for 10x10");
    let for_both: [&dyn Fn(&mut WeightsFile); 4] = [
        &|_| (),
        &|file| file.networks = Networks::default(),
        &|file| {
            trained(&mut file.networks.small);
            trained(&mut file.networks.standard);
        },
        &|file| {
            trained(&mut file.networks.small);
            file.priors.standard.arrows[0][0][0] += 1.0;
        },
    ];
    for change in for_both {
        assert_eq!([ten, eight].map(|size| model(change).check_board(size)), [Ok(()), Ok(())]);
    }
    assert_eq!(Model::Fitted.check_board(ten), Ok(()));
}

fn clear(weights: &mut [Vec<Vec<f32>>]) {
    weights.iter_mut().flatten().flatten().for_each(|weight| *weight = 0.0);
}

/// Searches the start position; returns the best move and the visits of all moves.
fn searched(model: Model) -> (Option<otrera::Move>, Vec<u32>) {
    let params = TournamentParams { model, ..TournamentParams::DEFAULT };
    let mut search = Search::new(Position::standard(), params, Resources::default());
    let report = run_iterations(&mut search, 2000);
    (report.best, report.lines.iter().map(|line| line.visits).collect())
}

#[test]
fn the_search_uses_every_section_of_a_file() {
    let usual = searched(Model::Fitted);
    assert_eq!(searched(Model::from_weights(WeightsFile::BUILT_IN).unwrap()), usual);
    type Change = fn(&mut PriorWeights, &mut Network);
    let changes: [(&str, Change); 5] = [
        ("network", |_, network| network.rows[..COUNTS].fill([0; HIDDEN])),
        ("movements", |priors, _| clear(&mut priors.movements)),
        ("arrows", |priors, _| clear(&mut priors.arrows)),
        ("movement_rows", |priors, _| priors.movement_rows.0.fill([0; UNITS])),
        ("arrow_rows", |priors, _| priors.arrow_rows.0.fill([0; UNITS])),
    ];
    for (part, change) in changes {
        let mut file = WeightsFile::built_in();
        change(&mut file.priors.standard, &mut file.networks.standard.as_mut().unwrap().network);
        assert_ne!(searched(Model::from_weights(&file.write()).unwrap()), usual, "{part}");
    }
}

#[test]
fn the_paper_evaluation_replaces_a_missing_network() {
    let mut file = WeightsFile::built_in();
    file.networks = Networks::default();
    let link = ValueLink::Logistic { scale: 7.0 };
    let paper = Model::Paper(PhasedWeights { link, ..PhasedWeights::PAPER });
    assert_eq!(searched(Model::from_weights(&file.write()).unwrap()), searched(paper));
    let five = Position::from_fen("q3q3q1/10/10/q8q/10/10/Q8Q/10/10/Q3Q3Q1 w - - 0 1").unwrap();
    let value = |model| Evaluator::new(model).value(&five, &mut ModelScratch::default()).0;
    assert_eq!(value(Model::Fitted), value(Model::PAPER) / 7.0);
}

#[test]
fn an_old_value_section_needs_a_network() {
    let with_values = |mut file: WeightsFile, networks: Networks| {
        file.networks = networks;
        WeightsFile::read(&file.write().replacen('{', "{\"value\": {\"terms\": []},", 1))
    };
    assert_eq!(
        with_values(WeightsFile::built_in(), WeightsFile::built_in().networks),
        Ok(WeightsFile::built_in())
    );
    let problem = with_values(WeightsFile::built_in(), Networks::default()).unwrap_err();
    assert!(problem.starts_with("its section `value` holds weights of an evaluation"), "{problem}");
}

#[test]
fn the_model_is_the_built_in_one_or_a_file() {
    for (text, expected) in [("fitted", Ok("fitted")), ("FITTED", Ok("fitted")), ("a.json", Ok("file"))] {
        let params =
            Params::read(&format!("tournament,model={text}"), |_| Model::from_weights(WeightsFile::BUILT_IN));
        assert_eq!(params.map(|params| params.model().to_string()), expected.map(str::to_owned));
    }
    for (text, problem) in [
        ("paper", "model=paper: the paper's evaluation belongs to preset paper"),
        ("Paper:7", "model=Paper:7: the paper's evaluation belongs to preset paper"),
        ("none.json", "model=none.json: expected fitted, or a weights file: files cannot be read here"),
    ] {
        assert_eq!(format!("tournament,model={text}").parse::<Params>(), Err(problem.to_owned()));
    }
}
