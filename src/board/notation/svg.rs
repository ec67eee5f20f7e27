//! Positions as SVG pictures, in the style of the report page.

use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::square::{Side, Square};
use std::fmt::Write;

/// Beginning of every picture, by which a program recognizes one.
pub const BEGINNING: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-5 -1 ";

/// Width of a square in SVG units.
const CELL: f32 = 10.0;

/// Colours and shapes of the report page's light theme.
const STYLE: &str = "\
text{font:2.9px sans-serif;text-anchor:middle;fill:#6b6255}\
.light{fill:#ecdcbf}.dark{fill:#dcc49c}.rim{fill:#b99a6a}\
.from{fill:#6da636;opacity:.45}.to{fill:#6da636;opacity:.7}\
.arrow{fill:#75695a}.newest{fill:#c03a1c}.cross{fill:none;stroke:#fff;stroke-width:.9;stroke-linecap:round;opacity:.7}\
.black{fill:#23211f;stroke:#fbf6ea;stroke-width:.7}.white{fill:#fffdf6;stroke:#4a3a22;stroke-width:.7}\
.way{fill:none;stroke:#2c5f0b;stroke-width:.7;marker-end:url(#way)}\
.flight{fill:none;stroke:#c03a1c;stroke-width:.7;stroke-dasharray:1.6 1.4;marker-end:url(#flight)}";

impl Position {
    /// Draws the position as SVG; `last` is the move that led to it.
    pub fn to_svg(&self, last: Option<Move>) -> String {
        let edge = self.size().edge();
        let length = edge as f32 * CELL;
        let mut svg = format!(
            "{BEGINNING}{0} {0}\" width=\"480\" role=\"img\">\n\
             <title>{1}</title>\n<style>{STYLE}</style>\n<defs>{2}{3}</defs>\n\
             <rect class=\"rim\" x=\"-.6\" y=\"-.6\" width=\"{4}\" height=\"{4}\" rx=\".8\"/>\n",
            length + 6.0,
            self.to_fen(),
            head("way", "#2c5f0b"),
            head("flight", "#c03a1c"),
            length + 1.2,
        );
        for square in (0..edge).flat_map(|row| (0..edge).filter_map(move |column| Square::new(column, row))) {
            let shade = if (square.row() + square.column()).is_multiple_of(2) { "dark" } else { "light" };
            cell(&mut svg, edge, square, shade, 0.0);
        }
        coordinates(&mut svg, edge);
        for (square, class) in last.iter().flat_map(|mv| [(mv.from, "from"), (mv.to, "to")]) {
            cell(&mut svg, edge, square, class, 0.0);
        }
        for square in self.arrows() {
            let class = if last.is_some_and(|mv| mv.arrow == square) { "newest" } else { "arrow" };
            cell(&mut svg, edge, square, class, 0.7);
            let (x, y) = centre(edge, square);
            let _ =
                writeln!(svg, "<path class=\"cross\" d=\"M{} {}l3.4 3.4m0-3.4-3.4 3.4\"/>", x - 1.7, y - 1.7);
        }
        if let Some(mv) = last {
            line(&mut svg, edge, mv.from, mv.to, "way");
            line(&mut svg, edge, mv.to, mv.arrow, "flight");
        }
        for side in Side::BOTH {
            for square in self.amazons(side) {
                amazon(&mut svg, centre(edge, square), side);
            }
        }
        svg + "</svg>\n"
    }
}

fn head(name: &str, colour: &str) -> String {
    format!(
        "<marker id=\"{name}\" viewBox=\"0 0 4 4\" refX=\"3\" refY=\"2\" markerWidth=\"4\" markerHeight=\"4\" \
         orient=\"auto\"><path d=\"M0 .4 4 2 0 3.6z\" fill=\"{colour}\"/></marker>"
    )
}

/// Returns the centre of a square in SVG units; row 0 is at the bottom.
fn centre(edge: usize, square: Square) -> (f32, f32) {
    ((square.column() as f32 + 0.5) * CELL, ((edge - square.row()) as f32 - 0.5) * CELL)
}

// Writing to a String cannot fail, here and in the functions below.
/// Draws a square, smaller by `inset` SVG units on each side.
fn cell(svg: &mut String, edge: usize, square: Square, class: &str, inset: f32) {
    let (x, y) = centre(edge, square);
    let width = CELL - 2.0 * inset;
    let corner = |middle: f32| middle - width / 2.0;
    let _ = writeln!(
        svg,
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{width}\" rx=\"{inset}\"/>",
        corner(x),
        corner(y)
    );
}

fn coordinates(svg: &mut String, edge: usize) {
    let length = edge as f32 * CELL;
    for (rank, file) in (1..=edge).zip('a'..) {
        let middle = (rank as f32 - 0.5) * CELL;
        let (bottom, y) = (length + 3.6, length - middle + 1.1);
        let file = format!("<text x=\"{middle}\" y=\"{bottom}\">{file}</text>");
        let _ = writeln!(svg, "{file}<text x=\"-2.6\" y=\"{y}\">{rank}</text>");
    }
}

/// Draws a line with an arrowhead from the centre of one square to just before the centre of another.
fn line(svg: &mut String, edge: usize, from: Square, to: Square, class: &str) {
    let ((x1, y1), (x2, y2)) = (centre(edge, from), centre(edge, to));
    let length = (x2 - x1).hypot(y2 - y1);
    let part = (length - 3.4) / length;
    let _ = writeln!(
        svg,
        "<path class=\"{class}\" d=\"M{x1} {y1}L{:.2} {:.2}\"/>",
        x1 + (x2 - x1) * part,
        y1 + (y2 - y1) * part
    );
}

/// Draws an amazon: a round shield for Black, a pointed one for White.
fn amazon(svg: &mut String, (x, y): (f32, f32), side: Side) {
    let crown = "M-2.2 1.9H2.2L2.7-1.1 1.2.1 0-2.1-1.2.1-2.7-1.1z";
    let (class, shield, colour) = match side {
        Side::Black => ("black", "<circle r=\"3.9\"/>", "#fbf6ea"),
        Side::White => ("white", "<path d=\"M0-4.5 4.1-1.9V2L0 4.5-4.1 2V-1.9z\"/>", "#4a3a22"),
    };
    let _ = writeln!(
        svg,
        "<g transform=\"translate({x} {y})\"><g class=\"{class}\">{shield}</g><path d=\"{crown}\" fill=\"{colour}\"/></g>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_show_all_pieces_and_the_last_move() {
        let mv: Move = "d1-d7/g7".parse().unwrap();
        let svg = Position::standard().try_play(mv).unwrap().to_svg(Some(mv));
        let count = |text: &str| svg.matches(text).count();
        assert_eq!([count("<rect class=\"light\""), count("<rect class=\"dark\"")], [50, 50]);
        assert_eq!(
            [count("class=\"black\""), count("class=\"white\""), count("class=\"newest\"")],
            [4, 4, 1]
        );
        assert_eq!([count("class=\"way\""), count("class=\"flight\""), count("class=\"arrow\"")], [1, 1, 0]);
        // The amazon of d1 is on d7.
        assert!(svg.contains("translate(35 35)") && !svg.contains("translate(35 95)"));
    }
}
