//! A table of results as text for the terminal and as CSV.

use std::fmt::Write;

/// A table: a title, notes, a header and rows of cells.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// What it shows.
    pub title: String,
    /// Machine, time control, games, seeds, and what to keep in mind.
    pub notes: Vec<String>,
    /// Names of the columns.
    pub header: Vec<String>,
    /// One list of cells for each row.
    pub rows: Vec<Vec<String>>,
}

impl Sheet {
    /// An empty table with these columns.
    pub fn new(title: impl Into<String>, header: &[&str]) -> Self {
        let header = header.iter().map(|name| (*name).to_owned()).collect();
        Self { title: title.into(), notes: Vec::new(), header, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table with aligned columns, the first to the left, the others to the right.
    pub fn to_text(&self) -> String {
        let lines = || std::iter::once(&self.header).chain(&self.rows);
        let mut widths: Vec<usize> = Vec::new();
        for row in lines() {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut text = format!("{}\n", self.title);
        for row in lines() {
            for (column, cell) in row.iter().enumerate() {
                // Writing to a String cannot fail.
                let _ = match column {
                    0 => write!(text, "  {cell:<0$}", widths[0]),
                    _ => write!(text, "  {cell:>0$}", widths[column]),
                };
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(text, "  - {note}");
        }
        text
    }

    /// The table as CSV, notes left out.
    pub fn to_csv(&self) -> String {
        let quoted = |cell: &String| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
        std::iter::once(&self.header).chain(&self.rows).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_commas_quoted() {
        let mut sheet = Sheet::new("Wins", &["player", "games"]);
        sheet.row(["a, b".into(), "100".into()]);
        assert_eq!(sheet.to_text(), "Wins\n  player  games\n  a, b      100\n");
        assert_eq!(sheet.to_csv(), "player,games\n\"a, b\",100\n");
    }
}
