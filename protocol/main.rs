//! tmp
use otrera::*;
use std::sync::atomic::AtomicBool;
fn main() {
    for (name, params) in Params::NAMED {
        for threads in [1, 2] {
            let mut s = Search::new(
                Position::standard(),
                params.clone(),
                Resources { threads, ..Default::default() },
            );
            let r = s.run(
                &Limits::iterations(if name == "paper" || name == "peo" { 100_000 } else { 400_000 }),
                &AtomicBool::new(false),
                &mut |r| println!("{}", r.iterations),
            );
            println!(
                "{name} t{threads} {:.0}/s depth {} nodes {} full {} {} {:?}",
                r.speed(),
                r.depth,
                r.nodes,
                r.tree_full,
                r.win_rate,
                r.best.unwrap().to_string()
            );
            for l in &r.lines[..3] {
                println!("  {} {} {}", l.mv, l.visits, l.win_rate);
            }
            println!("  {:?}", r.principal_variation.iter().map(|m| m.to_string()).collect::<Vec<_>>());
            s.advance(r.best.unwrap());
            println!(" after {} nodes", 0);
        }
    }
}
