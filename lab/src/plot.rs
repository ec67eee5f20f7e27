//! Line plots as SVG files.

use crate::files::{Output, problem};
use plotters::coord::ranged1d::ValueFormatter;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

pub struct Line {
    name: String,
    points: Vec<(f64, f64)>,
    dashed: bool,
}

impl Line {
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, dashed: false }
    }

    /// Makes the line dashed, as for a paper's figures.
    pub fn dashed(self) -> Self {
        Self { dashed: true, ..self }
    }
}

/// Colour-blind-safe palette (Okabe and Ito 2008). A dashed line has the colour of the line before it.
const COLOURS: [RGBColor; 5] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
];

pub struct Plot {
    pub title: &'static str,
    pub horizontal: &'static str,
    pub is_logarithmic: bool,
    /// True if the vertical axis begins at zero instead of below the lowest point.
    pub is_from_zero: bool,
    /// Our lines, each followed by the paper's dashed line, if any.
    pub lines: Vec<Line>,
}

impl Plot {
    pub fn write(&self, output: &Output) -> Result<(), String> {
        let mut svg = String::new();
        draw(&mut svg, self).map_err(|error| problem(output.path(), error))?;
        output.write(&svg)
    }
}

type Chart<'a, 'b, X> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, RangedCoordf64>>;

fn draw(svg: &mut String, plot: &Plot) -> Result<(), Box<dyn std::error::Error>> {
    let points = || plot.lines.iter().flat_map(|line| line.points.iter().copied());
    let (left, right) = points().fold((f64::MAX, f64::MIN), |(low, high), (x, _)| (low.min(x), high.max(x)));
    let (low, high) = points().fold((f64::MAX, f64::MIN), |(low, high), (_, y)| (low.min(y), high.max(y)));
    let margin = (high - low).max(1e-6) * 0.05;
    let vertical = if plot.is_from_zero { 0.0..high.max(1.0) * 1.05 } else { low - margin..high + margin };
    let horizontal = left..right.max(left * 1.01);
    let root = SVGBackend::with_string(svg, (760, 460)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut builder = ChartBuilder::on(&root);
    builder.caption(plot.title, ("sans-serif", 20)).margin(12).x_label_area_size(40).y_label_area_size(50);
    if plot.is_logarithmic {
        draw_lines(&mut builder.build_cartesian_2d(horizontal.log_scale(), vertical)?, plot)?;
    } else {
        draw_lines(&mut builder.build_cartesian_2d(horizontal, vertical)?, plot)?;
    }
    root.present()?;
    Ok(())
}

fn draw_lines<'a, 'b: 'a, X: Ranged<ValueType = f64> + ValueFormatter<f64>>(
    chart: &mut Chart<'a, 'b, X>,
    plot: &Plot,
) -> Result<(), Box<dyn std::error::Error>> {
    chart.configure_mesh().x_desc(plot.horizontal).light_line_style(WHITE).draw()?;
    let mut colour = 0;
    for (index, line) in plot.lines.iter().enumerate() {
        if index > 0 && !line.dashed {
            colour += 1;
        }
        let style = COLOURS[colour % COLOURS.len()].stroke_width(2);
        let points = line.points.iter().copied();
        let drawn = match line.dashed {
            true => chart.draw_series(DashedLineSeries::new(points, 6, 4, style))?,
            false => chart.draw_series(LineSeries::new(points, style).point_size(3))?,
        };
        drawn.label(&line.name).legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    chart.configure_series_labels().border_style(BLACK.mix(0.3)).background_style(WHITE.mix(0.8)).draw()?;
    Ok(())
}
