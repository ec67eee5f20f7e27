//! The laboratory: matches, tables and studies.

fn main() {
    println!("lab");
}
