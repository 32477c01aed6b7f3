//! The timelines of all sides of a comparison, below each other on the same axes.

use std::io::{self, Write};

use super::super::fluid::Fluid;
use super::super::section;
use super::super::timeline::{Stem, draw_values, y_of};
use super::{ComparisonPage, Side};
use crate::nanos::Nanos;
use crate::report::Mark;
use crate::report::chart::Axis;
use crate::report::table::Quantity;
use crate::stats::thinned;
use crate::units::{format_count, format_time};

/// Top of each plot, in pixels.
const TOP: f64 = 4.0;
/// Bottom of each plot, in pixels: first for up to two sides, then for more sides. The plots of
/// more sides are less tall, so that three fit on a sheet.
const BOTTOM: [f64; 2] = [94.0, 64.0];
/// Space in pixels below each plot, and below the last plot, which has the axis labels.
const BELOW: [f64; 2] = [10.0, 22.0];
/// Number of columns to which the values of a plot are reduced; each column preserves its first,
/// min, max, and last value.
const COLUMNS: usize = 1_000;
/// Up to this number of late values, all are marked. If there are more, at most twice this number
/// is marked.
const MAX_MARKS: usize = 400;

/// The data of the plot of one side.
struct TimelineLine {
    letter: char,
    points: Vec<(f64, f64)>,
    late: Vec<(f64, f64)>,
    late_count: u64,
    count: u64,
    max: Nanos,
}

impl TimelineLine {
    fn of(side: &Side<'_>, limit: Option<Nanos>) -> Option<Self> {
        let values = side.items.first()?.timeline();
        let max = values.iter().map(|(_, value)| *value).max()?;
        let is_late = |value: Nanos| limit.is_some_and(|limit| limit < value);
        let (late, on_time): (Vec<_>, Vec<_>) =
            values.iter().partition(|(_, value)| is_late(*value));
        let counted = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let columns = if late.len() <= MAX_MARKS { COLUMNS } else { MAX_MARKS / 2 };
        Some(Self {
            letter: side.letter,
            late_count: counted(late.len()),
            count: counted(values.len()),
            points: thinned(on_time.into_iter(), COLUMNS),
            late: thinned(late.into_iter(), columns),
            max,
        })
    }
}

/// Writes the section with the timelines; nothing if no side has values in chronological order.
pub(in crate::export::html) fn write(
    page: &ComparisonPage<'_>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let limit = page.late_limit;
    let lines: Vec<TimelineLine> =
        page.sides.iter().filter_map(|side| TimelineLine::of(side, limit)).collect();
    let most = lines.iter().map(|line| line.max).max().unwrap_or_default();
    let all = || lines.iter().flat_map(|line| line.points.iter().chain(&line.late));
    let end = all().fold(0.0, |end: f64, point| end.max(point.0));
    if lines.is_empty() || end <= 0.0 {
        return Ok(());
    }
    let most = most.max(limit.unwrap_or_default() * 2);
    let axes = (
        Axis::linear("", Quantity::Time, 0.0, end),
        Axis::linear("", Quantity::Time, 0.0, most.as_f64() * 1.06),
    );
    let drawn = if page.drawn.is_empty() { String::new() } else { format!(", {}", page.drawn) };
    let note = format!("{}{drawn}, same scale", page.value_name.to_lowercase());
    section("Timelines", &note, "", to)?;
    let plot = (TOP, BOTTOM[usize::from(2 < lines.len())]);
    for (line, at) in lines.iter().zip(1..) {
        let drawing = drawing(line, &axes, limit, plot, at == lines.len());
        writeln!(to, "<div class=\"plot time\">{drawing}</div>")?;
    }
    writeln!(to, "</section>")
}

fn drawing(
    line: &TimelineLine,
    (x_axis, y_axis): &(Axis, Axis),
    limit: Option<Nanos>,
    plot: (f64, f64),
    is_last: bool,
) -> String {
    let (top, bottom) = plot;
    let letter = line.letter;
    let mut fluid = Fluid::default();
    fluid.y_axis(y_axis, plot);
    if is_last {
        fluid.x_axis(x_axis, plot, false, false);
    } else {
        fluid.line("axis", (0.0, bottom), (1.0, bottom));
    }
    let key = letter.to_string();
    let mark = if letter == 'A' { Mark::Circle } else { Mark::Square };
    let stem = |&at| Stem { at, key: &key, mark, title: "" };
    let stems: Vec<Stem<'_>> = line.late.iter().map(stem).collect();
    let height = bottom + BELOW[0];
    draw_values(&mut fluid, (x_axis, y_axis), (plot, height), (&line.points, &stems));
    let (late, max) = (format_count(line.late_count), format_time(line.max));
    let mut words = vec![format!("{letter} max {max}")];
    let mut finding = format!("The highest of {} values is {max}.", format_count(line.count));
    if let Some(limit) = limit {
        let (at, time) = (y_of(y_axis, plot, limit.as_f64()), format_time(limit));
        fluid.line("late", (0.0, at), (1.0, at));
        fluid.word("tl wide", (1.0, 8.0), at + 4.0, "start", &format!("Late: {time}"));
        words.insert(0, format!("{letter} {late} late"));
        finding = format!("{late} values are later than {time}. {finding}");
    }
    for (words, line) in words.iter().zip([8.0, 21.0]) {
        fluid.word("wide", (1.0, 8.0), top + line, "start", words);
    }
    let short = words.join(", ");
    fluid.word("narrow halo", (1.0, 0.0), top + 10.0, "end", &short);
    let height = bottom + BELOW[usize::from(is_last)];
    fluid.finish(height, &format!("Run {letter} over time"), &finding)
}
