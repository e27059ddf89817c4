//! Plots as SVG: lines over one axis that may be logarithmic, labelled at their ends.
//!
//! It knows points and words, not what they stand for. Colours follow the reader's choice of light or dark.

use crate::grid::{short, whole};
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 168.0;
const TOP: f64 = 66.0;
const BOTTOM: f64 = 54.0;
/// Labels at the ends of lines keep this distance from each other.
const LABEL_STEP: f64 = 18.0;
/// A linear axis has about so many parts.
const PARTS: f64 = 5.0;

const STYLE: &str = "\
svg{--paper:#ffffff;--ink:#1f2328;--soft:#59636e;--rule:#d8dee4;--a:#0b62d6;--b:#b35c00;--c:#1a7f37;--d:#8250df}\
@media(prefers-color-scheme:dark){svg{--paper:#0d1117;--ink:#f0f6fc;--soft:#9aa4af;--rule:#30363d;--a:#58a6ff;--b:#e3a144;--c:#56d364;--d:#bc8cff}}\
.paper{fill:var(--paper)}text{font:13px system-ui,-apple-system,'Segoe UI',sans-serif;fill:var(--soft)}\
.title{font-size:17px;font-weight:600;fill:var(--ink)}.end{font-size:13px;font-weight:600}\
.rule{stroke:var(--rule);stroke-width:1}.line{fill:none;stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}\
.s0{stroke:var(--a)}.s1{stroke:var(--b)}.s2{stroke:var(--c)}.s3{stroke:var(--d)}\
.f0{fill:var(--a)}.f1{fill:var(--b)}.f2{fill:var(--c)}.f3{fill:var(--d)}\
.dashed{stroke-dasharray:6 5}.mark{stroke:var(--paper);stroke-width:1.5}.tie{stroke-width:1;opacity:.6}";

/// An axis: its name with the unit, and where it is marked.
pub(crate) struct Axis {
    name: String,
    is_logarithmic: bool,
    ticks: Vec<(f64, String)>,
    begin: f64,
    end: f64,
}

/// A line of points, from left to right.
pub(crate) struct Series {
    /// What stands at its end.
    pub(crate) name: String,
    /// Which of the four colours it has.
    pub(crate) colour: usize,
    /// Whether it is drawn broken, as something to compare with.
    pub(crate) is_dashed: bool,
    /// Its points.
    pub(crate) points: Vec<(f64, f64)>,
}

/// A whole plot.
pub(crate) struct Plot {
    /// What it shows.
    pub(crate) title: String,
    /// The axis from left to right.
    pub(crate) x: Axis,
    /// The axis from bottom to top.
    pub(crate) y: Axis,
    /// The lines.
    pub(crate) series: Vec<Series>,
}

impl Axis {
    /// A logarithmic axis that is marked at given places.
    pub(crate) fn marked(name: &str, ticks: Vec<(f64, String)>) -> Self {
        let begin = ticks.first().map_or(1.0, |tick| tick.0);
        let end = ticks.last().map_or(10.0, |tick| tick.0);
        Self { name: name.to_owned(), is_logarithmic: true, ticks, begin, end }
    }

    /// A linear axis from zero that holds all values.
    pub(crate) fn linear(name: &str, values: impl Iterator<Item = f64>) -> Self {
        let most = values.fold(0.0, f64::max).max(1e-9);
        let rough = most / PARTS;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let count = (most / step).ceil();
        let ticks = (0..=count as u64).map(|number| number as f64 * step).map(|at| (at, tick(at))).collect();
        Self { name: name.to_owned(), is_logarithmic: false, ticks, begin: 0.0, end: count * step }
    }

    /// A logarithmic axis that holds all values, marked at one, two and five times the powers of ten.
    pub(crate) fn logarithmic(name: &str, values: impl Iterator<Item = f64> + Clone) -> Self {
        let least = values.clone().fold(f64::INFINITY, f64::min).clamp(1e-6, 1e12);
        let most = values.fold(0.0, f64::max).max(least * 2.0);
        let powers = (least.log10().floor() as i32)..=(most.log10().floor() as i32);
        let all: Vec<f64> =
            powers.flat_map(|power| [1.0, 2.0, 5.0, 10.0].map(|times| times * 10f64.powi(power))).collect();
        let begin = all.iter().copied().rfind(|at| *at <= least * 1.001).unwrap_or(least);
        let end = all.iter().copied().find(|at| *at >= most * 0.999).unwrap_or(most);
        let is_long = (end / begin).log10() > 2.5;
        let is_marked = |at: f64| !is_long || (at.log10() - at.log10().round()).abs() < 1e-9;
        let mut ticks: Vec<(f64, String)> = Vec::new();
        for at in all.into_iter().filter(|at| *at >= begin && *at <= end && is_marked(*at)) {
            if ticks.last().is_none_or(|(last, _)| at > last * 1.001) {
                ticks.push((at, tick(at)));
            }
        }
        Self { name: name.to_owned(), is_logarithmic: true, ticks, begin, end }
    }

    /// Where a value lies, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let (value, begin, end) = if self.is_logarithmic {
            (value.max(1e-9).ln(), self.begin.ln(), self.end.ln())
        } else {
            (value, self.begin, self.end)
        };
        if end > begin { ((value - begin) / (end - begin)).clamp(0.0, 1.0) } else { 0.5 }
    }
}

/// A number at an axis, as short as it can be.
fn tick(value: f64) -> String {
    if value >= 1.0 || value == 0.0 {
        return whole(value);
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Plot {
    /// The plot as the text of an SVG file.
    pub(crate) fn render(&self) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             role=\"img\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
             <rect class=\"paper\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"8\"/>\n\
             <text class=\"title\" x=\"20\" y=\"28\">{title}</text>\n<text x=\"20\" y=\"48\">{y}</text>\n",
            title = escape(&self.title),
            y = escape(&self.y.name),
        );
        self.draw_axes(&mut svg);
        for series in &self.series {
            self.draw(series, &mut svg);
        }
        self.draw_ends(&mut svg);
        svg + "</svg>\n"
    }

    fn across(&self, value: f64) -> f64 {
        LEFT + self.x.place(value) * (WIDTH - LEFT - RIGHT)
    }

    fn up(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.place(value) * (HEIGHT - TOP - BOTTOM)
    }

    fn draw_axes(&self, svg: &mut String) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for (at, label) in &self.y.ticks {
            let y = self.up(*at);
            put(svg, format_args!("<path class=\"rule\" d=\"M{LEFT} {y:.1}H{right}\"/>"));
            let (x, y) = (LEFT - 10.0, y + 4.5);
            put(
                svg,
                format_args!("<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>", escape(label)),
            );
        }
        for (at, label) in &self.x.ticks {
            let x = self.across(*at);
            let end = bottom + 5.0;
            put(svg, format_args!("<path class=\"rule\" d=\"M{x:.1} {bottom}V{end}\"/>"));
            let y = bottom + 20.0;
            put(
                svg,
                format_args!("<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", escape(label)),
            );
        }
        let (x, y) = (f64::midpoint(LEFT, right), HEIGHT - 13.0);
        put(
            svg,
            format_args!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", escape(&self.x.name)),
        );
    }

    fn draw(&self, series: &Series, svg: &mut String) {
        let points = series.points.iter().map(|(x, y)| format!("{:.1},{:.1}", self.across(*x), self.up(*y)));
        let points: Vec<String> = points.collect();
        let dashed = if series.is_dashed { " dashed" } else { "" };
        let colour = series.colour;
        put(
            svg,
            format_args!("<polyline class=\"line s{colour}{dashed}\" points=\"{}\"/>", points.join(" ")),
        );
        for (x, y) in &series.points {
            let (x, y) = (self.across(*x), self.up(*y));
            put(
                svg,
                format_args!("<circle class=\"mark f{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>"),
            );
        }
    }

    /// Names and last values at the ends of the lines, pushed apart where they would overlap.
    fn draw_ends(&self, svg: &mut String) {
        let mut ends: Vec<(f64, f64, &Series, f64)> = Vec::new();
        for series in &self.series {
            if let Some((x, y)) = series.points.last() {
                ends.push((self.across(*x), self.up(*y), series, *y));
            }
        }
        ends.sort_by(|one, other| one.1.total_cmp(&other.1));
        let places = apart(&ends.iter().map(|end| end.1).collect::<Vec<_>>(), TOP, HEIGHT - BOTTOM);
        for ((x, y, series, value), place) in ends.into_iter().zip(places) {
            let (from, to) = (x + 7.0, WIDTH - RIGHT + 18.0);
            let colour = series.colour;
            put(svg, format_args!("<path class=\"tie s{colour}\" d=\"M{from:.1} {y:.1}L{to} {place:.1}\"/>"));
            let (x, y) = (to + 5.0, place + 4.5);
            let text = escape(&format!("{} {}", series.name, short(value)));
            put(svg, format_args!("<text class=\"end f{colour}\" x=\"{x}\" y=\"{y:.1}\">{text}</text>"));
        }
    }
}

/// Places in rising order, each a step from the next, none outside the limits.
fn apart(wanted: &[f64], least: f64, most: f64) -> Vec<f64> {
    let mut places: Vec<f64> = Vec::new();
    for place in wanted {
        let after = places.last().map_or(least, |last| last + LABEL_STEP);
        places.push(place.max(after));
    }
    let mut limit = most;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - LABEL_STEP;
    }
    places
}

fn put(svg: &mut String, element: std::fmt::Arguments<'_>) {
    // Writing into a string does not fail.
    let _written = writeln!(svg, "{element}");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance_and_stay_inside() {
        let places = apart(&[100.0, 101.0, 102.0, 395.0], 60.0, 346.0);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= LABEL_STEP - 1e-9), "{places:?}");
        assert!(places.iter().all(|place| (60.0..=346.0).contains(place)), "{places:?}");
    }

    #[test]
    fn axes_hold_their_values_and_mark_round_numbers() {
        let labels = |axis: &Axis| axis.ticks.iter().map(|tick| tick.1.clone()).collect::<Vec<_>>();
        let linear = Axis::linear("us", [3.0, 88.0].into_iter());
        assert_eq!(labels(&linear), ["0", "20", "40", "60", "80", "100"]);
        assert!((linear.place(50.0) - 0.5).abs() < 1e-9);
        let logarithmic = Axis::logarithmic("ms", [0.3, 7.0].into_iter());
        assert_eq!(labels(&logarithmic), ["0.2", "0.5", "1", "2", "5", "10"]);
        assert_eq!((logarithmic.place(0.2), logarithmic.place(10.0)), (0.0, 1.0));
        assert_eq!(labels(&Axis::logarithmic("MB", [7.0, 12_000.0].into_iter()))[0], "10");
    }

    #[test]
    fn a_plot_names_its_lines_and_escapes_words() {
        let series = Series {
            name: "a<b".to_owned(),
            colour: 0,
            is_dashed: false,
            points: vec![(1.0, 2.0), (10.0, 4.0)],
        };
        let x = Axis::marked("items", vec![(1.0, "1".to_owned()), (10.0, "10".to_owned())]);
        let plot =
            Plot { title: "t".to_owned(), x, y: Axis::linear("us", [4.0].into_iter()), series: vec![series] };
        let svg = plot.render();
        assert!(svg.contains(">a&lt;b 4.00</text>"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 2);
    }
}
