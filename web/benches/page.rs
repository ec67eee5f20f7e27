//! Benchmark of the page against the native engine, one thread each, in one run: `cargo bench -p otrera-web`. And how soon
//! the page answers a click after it was opened.

use otrera::{Kernel, Params, bench};
use serde_json::Value;
use testkit::browser::Browser;
use testkit::page::page;

/// Number of measurements of each side, in turn.
const ROUNDS: usize = 3;

fn main() {
    let Some(page) = page("the speed of the page") else { return };
    let Some(mut browser) = Browser::start("the speed of the page") else { return };
    browser.open(page, "");
    let ready = browser.evaluate(
        "(async () => { while (!state.tree?.current.described) await new Promise(requestAnimationFrame);
         return performance.now(); })()",
    );
    println!("first position with its moves after {:.0} ms", ready.as_f64().unwrap_or(f64::NAN));
    let mut best = [0.0_f64; 2];
    let mut checksums = Vec::new();
    for _ in 0..ROUNDS {
        let native = bench::run(&Params::TOURNAMENT);
        let answer: Value = browser.evaluate("engine.ask({ do: 'bench' })");
        let number = |name: &str| answer[name].as_f64().unwrap_or(f64::NAN);
        let speeds = [
            native.iterations as f64 / native.elapsed.as_secs_f64(),
            number("iterations") / number("seconds"),
        ];
        println!(
            "native ({}) {:.0} iterations/s, page ({}) {:.0} iterations/s, ratio {:.2}",
            Kernel::fastest().name(),
            speeds[0],
            answer["kernel"].as_str().unwrap_or("?"),
            speeds[1],
            speeds[1] / speeds[0]
        );
        best = [best[0].max(speeds[0]), best[1].max(speeds[1])];
        checksums.extend([Some(native.checksum), answer["checksum"].as_u64()]);
    }
    println!("best of {ROUNDS}: ratio {:.2}", best[1] / best[0]);
    println!("Bench: {checksums:?}");
}
