//! The laboratory's statistics against published values, SciPy 1.17.1, an independent program with NumPy,
//! and simulated matches.

use fastrand::Rng;
use otrera_lab::stats::elo::{Pairs, elo_of_score, score_of_elo};
use otrera_lab::stats::mann_whitney::mann_whitney;
use otrera_lab::stats::shapiro_wilk::shapiro_wilk;
use otrera_lab::stats::sprt::{Outcome, Sprt};
use otrera_lab::stats::{Interval, TestResult, wilson};

const INF: f64 = f64::INFINITY;

#[track_caller]
fn assert_close(found: f64, expected: f64, relative_error: f64) {
    let error = (found - expected).abs();
    let close = found == expected || error <= relative_error * expected.abs().max(1e-300);
    assert!(close, "{found} is not {expected}");
}

/// Checks the statistic and the p-value of a test, each with its own relative tolerance.
#[track_caller]
fn assert_result(found: Result<TestResult, String>, expected: [f64; 2], errors: [f64; 2]) {
    let found = found.unwrap();
    assert_close(found.statistic, expected[0], errors[0]);
    assert_close(found.p_value, expected[1], errors[1]);
}

/// Returns `n` nearly normal numbers, each a sum of twelve numbers of a linear congruential generator. In Python:
/// `x = seed; [sum((x := (1103515245 * x + 12345) % 2**31) // 65536 for _ in range(12)) for _ in range(n)]`.
fn lcg(seed: u64, n: usize) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = (1_103_515_245 * state + 12_345) % (1 << 31);
        state / 65_536
    };
    (0..n).map(|_| (0..12).map(|_| next()).sum::<u64>() as f64).collect()
}

fn numbers(range: std::ops::Range<u32>) -> Vec<f64> {
    range.map(f64::from).collect()
}

// --- Elo -------------------------------------------------------------------------------------------------

#[test]
fn elo_is_logistic() {
    // 1 / (1 + 10 ** (-elo / 400)) in Python.
    for (elo, score) in [(0.0, 0.5), (100.0, 0.640_064_999_802_885_1), (-400.0, 1.0 / 11.0)] {
        assert_close(score_of_elo(elo), score, 1e-14);
        assert!((elo_of_score(score) - elo).abs() < 1e-10);
    }
    assert_eq!([0.0, 0.5, 1.0].map(elo_of_score), [-INF, 0.0, INF]);
    assert_eq!([-0.1, 1.1].map(elo_of_score), [-INF, INF]);
    assert_eq!([-INF, INF].map(score_of_elo), [0.0, 1.0]);
    assert!(elo_of_score(f64::NAN).is_nan());
}

/// The expected numbers are score, Elo and the ends of its interval. In Python, with `a = np.linspace(0, 1, 5)`, `n =
/// sum(counts)`, `m = counts @ a / n`, `p = counts + np.array([.5, 0, .5, 0, .5])`, `p /= p.sum()`, `v = p @ a**2 - (p @
/// a)**2` and `h = scipy.stats.t.ppf(.975, max(n - 1, 1)) * (v / n)**.5`, they are `m`, `elo(m)`, `elo(m - h)`, `elo(m +
/// h)`, where `elo(s) = -400*log10(1/s - 1)`.
#[test]
fn elo_of_pairs_matches_numpy_and_scipy() {
    let cases = [
        ([20, 0, 55, 0, 25], [0.525, 17.386277512436, -28.980593260864, 64.384139608027]),
        ([10, 60, 200, 80, 15], [0.520547945205, 14.286220906614, -0.238054936759, 28.860603078543]),
        ([1, 0, 2, 0, 3], [2.0 / 3.0, 120.411998265592, -180.144560685433, INF]),
        ([0, 0, 1, 0, 1], [0.75, 190.848501887865, -INF, INF]),
        ([3, 0, 1, 0, 0], [0.125, -338.039216005703, -INF, 104.922552174510]),
        ([0, 0, 0, 0, 10], [1.0, INF, 287.921858553477, INF]),
        ([10, 0, 0, 0, 0], [0.0, -INF, -INF, -287.921858553477]),
        ([0, 0, 8, 0, 0], [0.5, 0.0, -96.657585515537, 96.657585515537]),
        ([0, 0, 0, 0, 1], [1.0, INF, -INF, INF]),
        // A better score has a better bound.
        ([0, 0, 1, 0, 19], [0.975, 636.425842810599, 353.799843895698, INF]),
        ([0, 0, 0, 0, 20], [1.0, INF, 428.794304767979, INF]),
    ];
    assert!(Pairs::default().estimate().is_err());
    for (counts, expected) in cases {
        let found = Pairs { counts }.estimate().unwrap();
        let found = [found.score, found.elo, found.interval.low, found.interval.high];
        found.into_iter().zip(expected).for_each(|(found, expected)| assert_close(found, expected, 1e-9));
    }
}

/// Simulates a pair of games without draws; returns the first player's half-points. In half of the pairs, one colour
/// wins both games.
fn simulated_pair(rng: &mut Rng, elo: f64) -> usize {
    let both_won = score_of_elo(elo) - 0.25;
    match rng.f64() {
        x if x < 0.5 => 2,
        x if x < 0.5 + both_won => 4,
        _ => 0,
    }
}

#[test]
fn elo_intervals_cover_the_truth_95_percent() {
    let mut rng = Rng::with_seed(95);
    let holds = |_: &u32| {
        let mut pairs = Pairs::default();
        (0..200).for_each(|_| pairs.counts[simulated_pair(&mut rng, 40.0)] += 1);
        let interval = pairs.estimate().unwrap().interval;
        interval.low < 40.0 && 40.0 < interval.high
    };
    let count = (0..2000).filter(holds).count();
    assert!((1860..1940).contains(&count), "{count} of 2000"); // 1900, standard deviation 10
}

/// Sums the probabilities of all matches whose interval holds the true score.
#[test]
fn elo_intervals_of_short_matches_cover_the_truth() {
    for pairs in [2, 4, 10, 20, 50] {
        for [lost, split] in [[0.25, 0.5], [0.1, 0.4], [0.01, 0.13], [0.05, 0.2]] {
            let won = 1.0 - lost - split;
            let truth = elo_of_score(won + split / 2.0);
            let (mut covered, mut chance_of_lost) = (0.0, won.powi(pairs));
            for number_lost in 0..=pairs {
                let mut chance = chance_of_lost;
                for number_split in 0..=pairs - number_lost {
                    let number_won = pairs - number_lost - number_split;
                    let counts = [number_lost, 0, number_split, 0, number_won].map(|count| count as u64);
                    let Interval { low, high } = Pairs { counts }.estimate().unwrap().interval;
                    covered += if low < truth && truth < high { chance } else { 0.0 };
                    chance *= split / won * f64::from(number_won) / f64::from(number_split + 1);
                }
                chance_of_lost *= lost / won * f64::from(pairs - number_lost) / f64::from(number_lost + 1);
            }
            assert!(covered > 0.93, "{covered} for {pairs} pairs, {lost} lost, {split} split");
        }
    }
}

// --- SPRT ------------------------------------------------------------------------------------------------

fn sprt_after(counts: [u64; 5], elo0: f64, elo1: f64) -> Sprt {
    let mut sprt = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap();
    for (half_points, &count) in counts.iter().enumerate() {
        for _ in 0..count {
            sprt.add(half_points);
        }
    }
    sprt
}

/// The expected ratio in Python, with `p = np.array(counts) + .5; p /= p.sum(); a = np.linspace(0, 1, 5)`, `m = p @ a`,
/// `v = p @ a**2 - m**2`: `sum(counts) * (s1 - s0) * (2*m - s0 - s1) / (2*v)`.
#[test]
fn log_likelihood_ratios_match_numpy() {
    let cases = [
        ([20, 0, 55, 0, 25], 0.0, 20.0, 0.25660441927489996),
        ([10, 60, 200, 80, 15], 0.0, 10.0, 1.682271014446331),
        ([0, 0, 0, 0, 1], 0.0, 50.0, 0.05456303733678967),
        ([0, 0, 3, 0, 0], -20.0, 0.0, 0.021822105996858257),
        ([300, 0, 900, 0, 250], -20.0, 0.0, -1.2501751650317816),
        ([0; 5], 0.0, 50.0, 0.0),
    ];
    for (counts, elo0, elo1, expected) in cases {
        assert_close(sprt_after(counts, elo0, elo1).llr(), expected, 1e-11);
    }
}

#[test]
fn the_first_sprt_verdict_is_final() {
    let [lower, upper] = Sprt::new(0.0, 50.0, 0.05, 0.05).unwrap().bounds;
    // ±2.94, familiar from fishtest.
    assert_close(upper, 19_f64.ln(), 1e-14);
    assert_close(lower, -upper, 1e-14);
    let [lower, upper] = Sprt::new(0.0, 50.0, 0.02, 0.1).unwrap().bounds;
    assert_close(lower, (0.1_f64 / 0.98).ln(), 1e-14);
    assert_close(upper, 45_f64.ln(), 1e-14);

    let mut sprt = sprt_after([0, 0, 0, 0, 30], 0.0, 50.0);
    assert_eq!(sprt.outcome, Outcome::AcceptH1);
    while sprt.llr() > sprt.bounds[0] {
        assert_eq!(sprt.add(0), Outcome::AcceptH1);
    }
    assert_eq!(sprt_after([30, 0, 0, 0, 0], 0.0, 50.0).outcome, Outcome::AcceptH0);
}

#[test]
fn invalid_sprt_parameters_are_refused() {
    let refused = [
        (10.0, 10.0, 0.05, 0.05),
        (10.0, 0.0, 0.05, 0.05),
        (1e6, 2e6, 0.05, 0.05),
        (f64::NAN, 5.0, 0.05, 0.05),
        (0.0, 5.0, 0.0, 0.05),
        (0.0, 5.0, 0.05, -0.1),
        (0.0, 5.0, 0.5, 0.5),
        (0.0, 5.0, f64::NAN, 0.05),
    ];
    for (elo0, elo1, alpha, beta) in refused {
        assert!(Sprt::new(elo0, elo1, alpha, beta).is_err());
    }
}

/// Simulates 1000 matches; returns how many accept H0 and how many accept H1.
fn verdicts(true_elo: f64, elo0: f64, elo1: f64) -> (usize, usize) {
    let mut rng = Rng::with_seed(5);
    let mut verdict = || {
        let mut sprt = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap();
        (0..20_000).map(|_| sprt.add(simulated_pair(&mut rng, true_elo))).find(|&v| v != Outcome::Continue)
    };
    let verdicts: Vec<_> = (0..1000).map(|_| verdict().unwrap()).collect();
    let count = |wanted| verdicts.iter().filter(|&&verdict| verdict == wanted).count();
    (count(Outcome::AcceptH0), count(Outcome::AcceptH1))
}

#[test]
fn simulated_matches_respect_the_sprt_error_rates() {
    // At most 50 errors per 1000 matches are expected, with a standard deviation of 7, and more than 0.
    let tolerated = 10..=70;
    for (elo0, elo1) in [(0.0, 20.0), (0.0, 50.0), (-30.0, 0.0)] {
        let (_, wrong) = verdicts(elo0, elo0, elo1);
        assert!(tolerated.contains(&wrong), "H1 accepted {wrong} times at {elo0}, not {elo1}");
        let (wrong, _) = verdicts(elo1, elo0, elo1);
        assert!(tolerated.contains(&wrong), "H0 accepted {wrong} times at {elo1}, not {elo0}");
    }
}

// --- Wilson ----------------------------------------------------------------------------------------------

#[test]
fn wilson_intervals_match_newcombe_and_scipy() {
    // R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17,
    // 1998, method 3, to four digits; all digits from scipy.stats.binomtest(wins, n).proportion_ci(c, 'wilson').
    let cases = [
        (81, 263, 0.2552885198782742, 0.36620957698280004),
        (15, 148, 0.06238639953073629, 0.16048724172330803),
        (0, 20, 0.0, 0.16112515805281935),
        (1, 29, 0.006113214292762667, 0.17175521879320282),
        // From SciPy alone.
        (20, 20, 0.8388748419471808, 1.0),
        (1, 1, 0.20654931437723745, 1.0),
    ];
    for (wins, games, low, high) in cases {
        let found = wilson(wins, games).unwrap();
        assert_close(found.low, low, 1e-11);
        assert_close(found.high, high, 1e-11);
    }
    for games in 1..100 {
        assert_eq!(wilson(0, games).unwrap().low, 0.0);
        assert_eq!(wilson(games, games).unwrap().high, 1.0);
    }
    assert!(wilson(0, 0).is_err());
    assert!(wilson(3, 2).is_err());
}

// --- Shapiro-Wilk ----------------------------------------------------------------------------------------

/// Weights of men in pounds: the example of Shapiro and Wilk (Biometrika 52, 1965), who found W = 0.79.
const WEIGHTS: [f64; 11] = [148.0, 154.0, 158.0, 160.0, 161.0, 162.0, 166.0, 170.0, 182.0, 195.0, 236.0];

/// Relative tolerances for W and p against SciPy, which uses an older approximation of normal quantiles. With
/// `scipy.stats.norm.ppf` instead, the example's W is 0.7888146948353875, as here.
const SCIPY_QUANTILES: [f64; 2] = [1e-8, 1e-5];

#[test]
fn shapiro_wilk_matches_scipy() {
    // scipy.stats.shapiro(sample).
    let squares: Vec<f64> = numbers(1..51).iter().map(|x| x * x).collect();
    let cases: [(&[f64], f64, f64); 11] = [
        (&WEIGHTS, 0.7888146948631716, 0.006703814061898823),
        (&[1.0, 2.0, 4.0], 0.9642857142857142, 0.6368868450289689),
        (&[3.0, 1.0, 4.0, 1.5], 0.9392696282735289, 0.6498779843358333),
        (&[2.7, 1.8, 2.8, 18.3, 0.9], 0.6524838459648585, 0.0028480423626541388),
        (&[1.0, 2.0, 3.0, 5.0, 8.0, 13.0], 0.9050141424177897, 0.40441553293846716),
        (&[1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 7.0], 0.775107069619335, 0.007217087943704101),
        (&[&WEIGHTS[..], &[171.0]].concat(), 0.7900459210656832, 0.00723566422559103),
        (&squares, 0.898124799573951, 0.0004168851491458259),
        (&lcg(1, 50), 0.972294156784076, 0.28623300507518434),
        (&numbers(0..500), 0.9547227650600401, 2.946101712610329e-11),
        (&lcg(7, 5000), 0.9993054469738246, 0.04855431647636004),
    ];
    for (sample, w, p_value) in cases {
        assert_result(shapiro_wilk(sample), [w, p_value], SCIPY_QUANTILES);
    }
}

#[test]
fn shapiro_wilk_ignores_order_shift_and_scale() {
    let mut reversed = WEIGHTS;
    reversed.reverse();
    for sample in [reversed, WEIGHTS.map(|x| x + 1e9), WEIGHTS.map(|x| -x), WEIGHTS.map(|x| x * 1e-150)] {
        assert_result(shapiro_wilk(&sample), [0.7888146948631716, 0.006703814061898823], SCIPY_QUANTILES);
    }
}

#[test]
fn shapiro_wilk_handles_extreme_samples() {
    // The least and greatest W of three values.
    assert!(shapiro_wilk(&[0.0, 0.0, 1.0]).unwrap().p_value < 1e-6);
    assert_result(shapiro_wilk(&[1.0, 2.0, 3.0]), [1.0, 1.0], [1e-12, 1e-6]);
    // A single outlier gives the lowest W of its sample size; the p-value must still be a number.
    for n in 4..=30 {
        let mut sample = vec![0.0; n];
        sample[0] = 1.0;
        let p_value = shapiro_wilk(&sample).unwrap().p_value;
        assert!((0.0..0.01).contains(&p_value), "{n}: {p_value}");
    }
    for (sample, problem) in [
        (&[][..], "fewer observations than 3"),
        (&[1.0, 2.0], "fewer observations than 3"),
        (&numbers(0..5001), "more observations than 5000"),
        (&[4.0; 10], "equal"),
        (&[0.0, -0.0, 0.0], "equal"),
        (&[1.0, f64::NAN, 3.0], "not a finite number"),
        (&[1.0, INF, 3.0], "not a finite number"),
        (&[1.0, -INF, 3.0], "not a finite number"),
        (&[f64::MIN, 0.0, f64::MAX], "not a finite number"),
    ] {
        assert!(shapiro_wilk(sample).unwrap_err().contains(problem), "{problem}");
    }
}

// --- Mann-Whitney ----------------------------------------------------------------------------------------

#[test]
fn mann_whitney_matches_scipy() {
    // scipy.stats.mannwhitneyu(first, second), with ties or more than 8 values in both.
    let [threes, moved]: [Vec<f64>; 2] =
        [lcg(2, 100).iter().map(|x| x / 3.0).collect(), lcg(4, 30).iter().map(|x| x + 20_000.0).collect()];
    let cases = [
        (vec![1.0, 2.0, 2.0, 3.0], vec![2.0, 4.0, 4.0, 5.0, 6.0], 2.0, 0.06056886020265745),
        (vec![0.0, 0.0, 0.0, 1.0], vec![0.0, 1.0, 1.0, 1.0, 1.0], 4.5, 0.15729920705028516),
        (
            [1.0, 1.0, 1.0, 2.0, 3.0].repeat(4),
            [2.0, 2.0, 3.0, 3.0, 4.0].repeat(5),
            80.0,
            5.420638595536184e-05,
        ),
        (lcg(1, 9), lcg(2, 10), 49.0, 0.7750513736700824),
        (lcg(3, 40), moved, 396.0, 0.015730861035328267),
        (lcg(1, 100), threes, 10000.0, 2.562143669163401e-34),
        (vec![7.0; 5], vec![7.0; 6], 15.0, 1.0),
        (vec![7.0; 20], vec![7.0; 30], 300.0, 1.0),
    ];
    for (first, second, u, p_value) in cases {
        let swapped_u = (first.len() * second.len()) as f64 - u;
        assert_result(mann_whitney(&first, &second), [u, p_value], [0.0, 1e-9]);
        assert_result(mann_whitney(&second, &first), [swapped_u, p_value], [0.0, 1e-9]);
    }
}

#[test]
fn mann_whitney_refuses_bad_samples() {
    assert!(mann_whitney(&[], &[1.0]).unwrap_err().contains("fewer observations than 1"));
    assert!(mann_whitney(&[1.0], &[]).unwrap_err().contains("fewer observations than 1"));
    assert!(mann_whitney(&[1.0, f64::NAN], &[1.0]).unwrap_err().contains("not a finite number"));
    assert!(mann_whitney(&[1.0], &[INF]).unwrap_err().contains("not a finite number"));
}
