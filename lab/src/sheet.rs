//! A table of results as text for the terminal and as CSV.

use std::fmt::Write;

#[derive(Clone, Debug)]
pub struct Sheet {
    pub title: String,
    /// Notes printed below the table: machine, time control, games, seeds, caveats.
    pub notes: Vec<String>,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Sheet {
    pub fn new(title: impl Into<String>, header: &[&str]) -> Self {
        let header = header.iter().map(|name| (*name).to_owned()).collect();
        Self { title: title.into(), notes: Vec::new(), header, rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Formats the table as text: the first column aligned left, the others right.
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

    /// Formats the table as CSV, without notes.
    pub fn to_csv(&self) -> String {
        let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        for row in std::iter::once(&self.header).chain(&self.rows) {
            // Writing to a Vec cannot fail.
            let _ = writer.write_record(row);
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_commas_quoted() {
        let mut sheet = Sheet::new("Wins", &["player", "games"]);
        sheet.row(["a, b".into(), "100".into()]);
        sheet.row(["c".into()]);
        assert_eq!(sheet.to_text(), "Wins\n  player  games\n  a, b      100\n  c\n");
        assert_eq!(sheet.to_csv(), "player,games\n\"a, b\",100\nc\n");
    }
}
