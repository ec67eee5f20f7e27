//! Weights of the evaluation from a file: `tournament,weights-file=FILE`.

use otrera::Weights;
use std::path::Path;

/// Weights from a file with the lines that `lab fit-eval` prints.
///
/// # Errors
/// A file that cannot be read or holds no such lines.
pub fn read_weights(path: &Path) -> Result<Weights, String> {
    let problem = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| problem(&error))?;
    let mut knots = Vec::new();
    for line in text.lines().filter(|line| line.trim_start().starts_with('(')) {
        let numbers = line.split(|c: char| !(c.is_ascii_digit() || "-.".contains(c)));
        let numbers: Vec<f32> = numbers.filter_map(|number| number.parse().ok()).collect();
        match (numbers.first(), numbers.get(1..).and_then(|terms| terms.try_into().ok())) {
            (Some(&ply), Some(terms)) => knots.push((ply as usize, terms)),
            _ => return Err(problem(&format!("not weights: {line}"))),
        }
    }
    if knots.is_empty() || !knots.is_sorted_by(|a, b| a.0 < b.0) {
        return Err(problem(&"weights at ascending plies are wanted, as lab fit-eval prints them"));
    }
    Ok(Weights::sliding(&knots))
}
