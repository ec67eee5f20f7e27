//! Benchmark of the page: `cargo bench -p otrera-web`. Prints the time until the page shows the first board, the search
//! speed compared with the native engine (one thread each), the frame times during an analysis, and the visits of an
//! analysis compared with `dist/otrera gui` (if built by `make`). Both sides of a ratio are measured in the same run.

use otrera::simd::Kernel;
use otrera::{Params, bench};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use testkit::browser::Browser;
use testkit::page::page;
use testkit::repository;

/// Number of measurements of each side of a ratio.
const ROUNDS: usize = 3;

/// Duration of an analysis in seconds.
const SECONDS: u32 = 10;

/// Opens the page and returns the time in milliseconds until it shows a position with its moves.
fn first_position(browser: &mut Browser, page: &Path) -> f64 {
    browser.open(page, "");
    let ready = browser.evaluate(
        "(async () => { while (!state.tree?.current.described) await new Promise(requestAnimationFrame);
         return performance.now(); })()",
    );
    ready.as_f64().unwrap_or(f64::NAN)
}

fn main() {
    let Some(page) = page("the speed of the page") else { return };
    let Some(mut browser) = Browser::start("the speed of the page") else { return };
    let [started, again] = [(); 2].map(|()| first_position(&mut browser, page));
    println!(
        "first position with its moves after {started:.0} ms in a browser that has just started, {again:.0} ms again"
    );
    compare_with_native(&mut browser);
    let analysed: Vec<f64> =
        (0..ROUNDS).map(|_| analyse(&mut browser, |browser| browser.open(page, ""))).collect();
    let Some((mut gui, address)) = start_gui() else {
        return println!("no dist/otrera (make): otrera gui is not measured");
    };
    println!("otrera gui:");
    let served: Vec<f64> =
        (0..ROUNDS).map(|_| analyse(&mut browser, |browser| browser.open_address(&address, ""))).collect();
    let best = |visits: &[f64]| visits.iter().copied().fold(0.0, f64::max);
    println!("best of {ROUNDS}, otrera gui by the page: {:.2}", best(&served) / best(&analysed));
    let _ = gui.kill();
    // Two addresses were opened, and requests for the first would count as complaints about the second.
    browser.forget_events();
}

/// Prints speed and frame times of an analysis of the 10x10 start position. Returns the number of visits.
fn analyse(browser: &mut Browser, open: impl FnOnce(&mut Browser)) -> f64 {
    open(browser);
    browser.wait_for("Boolean(state.tree?.current.described)");
    // Two persons play, because a game against the engine hides the analysis.
    browser.evaluate("asked.side = 'both', newGame()");
    browser.wait_for("state.players.white === 'human' && Boolean(state.tree.current.described)");
    browser.click_and_wait("#analyse", "Boolean(state.found)");
    let measured = browser.evaluate(&format!(
        "(async () => {{
            const now = () => performance.now();
            // `otrera gui` keeps its tree when the page is reloaded.
            const before = state.found.visits;
            await new Promise((resolve) => setTimeout(resolve, {SECONDS}000));
            const {{ visits, depth }} = state.found;
            // Frames are measured afterwards, because drawing each of them takes processor time.
            const frames = [];
            for (let last = now(), end = last + 3000; last < end;) {{
                await new Promise(requestAnimationFrame);
                frames.push(now() - last);
                last += frames.at(-1);
            }}
            frames.sort((a, b) => a - b);
            return {{ visits: visits - before, depth, middle: frames[frames.length >> 1], slow: frames[Math.floor(frames.length * 0.95)] }};
        }})()"
    ));
    browser.click("#analyse");
    let number = |name: &str| measured[name].as_f64().unwrap_or(f64::NAN);
    println!(
        "{SECONDS} s of analysis: {:.0} visits, depth {}, frames of {:.0} ms, {:.0} ms at the 95th percentile",
        number("visits"),
        measured["depth"],
        number("middle"),
        number("slow")
    );
    number("visits")
}

/// Starts `dist/otrera gui`, if built. Returns the process and the address of its page.
fn start_gui() -> Option<(Child, String)> {
    let mut command = Command::new(repository().join("dist/otrera"));
    let mut gui = command.args(["gui", "--port", "0", "--no-open"]).stdout(Stdio::piped()).spawn().ok()?;
    let mut address = String::new();
    BufReader::new(gui.stdout.take()?).read_line(&mut address).ok()?;
    Some((gui, address.trim().to_owned()))
}

/// Measures the speed of the benchmark in the page and in the native engine. Prints both speeds and their ratio.
fn compare_with_native(browser: &mut Browser) {
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
