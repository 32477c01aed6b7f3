//! A chart as text: the tooltip under the pointer, a summary for screen readers, and the data as a
//! table.

use egui_plot::HoverPosition;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::chart::{Axis, BoxMark, Chart, Marks, Scale, Series};
use jitterscope_engine::report::table::Quantity;

use super::super::axis::whole;
use super::super::menu::PlotTable;
use crate::text;
use crate::widgets::Hidden;

/// Formats a value of an axis with its unit.
pub(super) fn value_text(axis: &Axis, value: f64) -> String {
    if !axis.names.is_empty() {
        let place = usize::try_from(whole((value - 0.5).max(0.0))).unwrap_or(usize::MAX);
        return axis.names.get(place).cloned().unwrap_or_default();
    }
    match axis.quantity {
        Quantity::Time => text::format_time(Nanos::from_nanos_f64(value)),
        Quantity::Count => text::format_count(whole(value.max(0.0))),
        Quantity::Share => text::format_share(value),
        Quantity::Rate => text::format_measured_fps(value),
        _ => text::format_ratio(value),
    }
}

/// Formats a count on an axis with what it counts: "1 frame", "20 frames".
fn counted_text(axis: &Axis, count: f64) -> String {
    let counted = axis.title.to_lowercase();
    match axis.quantity {
        Quantity::Count => text::count_text(whole(count.max(0.0)), &counted),
        _ => format!("{} {counted}", value_text(axis, count)),
    }
}

/// Whether the bin that begins at this value also holds all lower values: the first bin of a
/// logarithmic histogram.
pub(super) fn holds_lower(axis: &Axis, from: f64) -> bool {
    axis.scale == Scale::Log && from <= axis.from
}

/// Returns the range of values of a bin, or of adjacent bins, as text.
pub(super) fn range_text(axis: &Axis, (from, to): (f64, f64)) -> String {
    let to = value_text(axis, to);
    if holds_lower(axis, from) {
        format!("below {to}")
    } else {
        format!("{} to {to}", value_text(axis, from))
    }
}

/// Returns the tooltip for a position in the plot; `None` if nothing is there.
pub(super) fn readout(chart: &Chart, hidden: Hidden, hover: &HoverPosition<'_>) -> Option<String> {
    match (&chart.marks, hover) {
        (Marks::Steps(series), HoverPosition::Elsewhere { position }) => {
            bin_text(chart, series, hidden, chart.x.value_at(position.x))
        }
        (Marks::Boxes(boxes), HoverPosition::Elsewhere { position }) => {
            let row = usize::try_from(whole((position.y - 0.5).max(0.0))).ok()?;
            Some(format!("{}\n{}", chart.y.names.get(row)?, box_text(&chart.x, boxes.get(row)?)))
        }
        (_, HoverPosition::NearDataPoint { plot_name, position, .. }) => Some(format!(
            "{plot_name}\n{} {}\n{} {}",
            chart.x.title,
            value_text(&chart.x, chart.x.value_at(position.x)),
            chart.y.title,
            value_text(&chart.y, chart.y.value_at(position.y)),
        )),
        _ => None,
    }
}

/// Returns the text about the bin that contains `value`: its edges, and the count of each series.
fn bin_text(chart: &Chart, series: &[Series], hidden: Hidden, value: f64) -> Option<String> {
    let mut edges = None;
    let mut lines = Vec::new();
    for (one, _) in series.iter().zip(0..).filter(|(_, at)| !hidden.is_hidden(*at)) {
        if let Some(bin) = one.bins().find(|bin| (bin.from..bin.to).contains(&value)) {
            edges = Some((bin.from, bin.to));
            let count = counted_text(&chart.y, bin.count);
            // A single histogram needs no name: the title of the plot is sufficient.
            lines.push(match series.len() {
                1 => count,
                _ => format!("{}: {count}", one.label),
            });
        }
    }
    Some(format!("{}\n{}", range_text(&chart.x, edges?), lines.join("\n")))
}

fn box_text(axis: &Axis, one: &BoxMark) -> String {
    let value = |value| value_text(axis, value);
    let mut words = format!(
        "median {}, middle half {} to {}, 98% {} to {}, max {}",
        value(one.median),
        value(one.q1),
        value(one.q3),
        value(one.p1),
        value(one.p99),
        value(one.max),
    );
    if let Some(reference) = one.reference {
        words.push_str(&format!(", requested {}", value(reference)));
    }
    words
}

/// Returns a summary of the chart in one sentence.
pub(super) fn summary(chart: &Chart) -> String {
    let mut parts: Vec<String> = match &chart.marks {
        Marks::Lines(all) | Marks::Points(all) | Marks::Curves(all) => {
            all.iter().filter_map(|one| highest(chart, one)).collect()
        }
        Marks::Steps(all) => all.iter().filter_map(|one| counted(chart, one)).collect(),
        Marks::Boxes(boxes) => chart
            .y
            .names
            .iter()
            .zip(boxes)
            .map(|(name, one)| format!("{name}: {}", box_text(&chart.x, one)))
            .collect(),
        Marks::Heat(_) => Vec::new(),
    };
    if parts.is_empty() {
        parts.push("no samples yet".to_owned());
    }
    format!("{}, {}", chart.title, parts.join("; "))
}

fn highest(chart: &Chart, one: &Series) -> Option<String> {
    let most = one.points.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (x, y) = (value_text(&chart.x, most.0), value_text(&chart.y, most.1));
    let count = text::count_text(one.points.len(), "points");
    Some(format!("{}: {count}, max {y} at {x}", one.label))
}

fn counted(chart: &Chart, one: &Series) -> Option<String> {
    let bins = || one.bins().filter(|bin| 0.0 < bin.count);
    let (total, end) = (bins().map(|bin| bin.count).sum(), bins().next_back()?.to);
    let (total, end) = (counted_text(&chart.y, total), value_text(&chart.x, end));
    Some(format!("{}: {total}, max below {end}", one.label))
}

/// Returns the data of the chart as a table.
pub(super) fn table(chart: &Chart) -> PlotTable {
    let (x, y) = (chart.x.title.to_owned(), chart.y.title.to_owned());
    let (header, rows) = match &chart.marks {
        Marks::Lines(all) | Marks::Points(all) | Marks::Curves(all) => {
            (vec!["Series".to_owned(), x, y], of_points(chart, all))
        }
        Marks::Steps(all) => {
            let names = all.iter().map(|one| one.label.clone());
            let header = ["From", "To"].map(str::to_owned).into_iter().chain(names).collect();
            (header, of_bins(chart, all))
        }
        Marks::Boxes(boxes) => (
            ["", "p1", "p25", "Median", "p75", "p99", "Max", "Requested"]
                .map(str::to_owned)
                .to_vec(),
            of_boxes(chart, boxes),
        ),
        Marks::Heat(_) => (Vec::new(), Vec::new()),
    };
    PlotTable { title: chart.title.to_owned(), header, rows }
}

fn of_points(chart: &Chart, all: &[Series]) -> Vec<Vec<String>> {
    let row = |one: &Series, &(x, y): &(f64, f64)| {
        vec![one.label.clone(), value_text(&chart.x, x), value_text(&chart.y, y)]
    };
    all.iter().flat_map(|one| one.points.iter().map(move |point| row(one, point))).collect()
}

/// Returns one row per bin in which any series has values: the edges of the bin, and the count of
/// each series. All series have the same bin edges.
fn of_bins(chart: &Chart, all: &[Series]) -> Vec<Vec<String>> {
    let seen = all.iter().flat_map(Series::bins).filter(|bin| 0.0 < bin.count);
    let mut edges: Vec<(f64, f64)> = seen.map(|bin| (bin.from, bin.to)).collect();
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    edges.dedup_by(|a, b| a.0.total_cmp(&b.0).is_eq());
    let count = |one: &Series, from: f64| {
        let bin = one.bins().find(|bin| bin.from.total_cmp(&from).is_eq());
        bin.map_or(0.0, |bin| bin.count)
    };
    edges
        .into_iter()
        .map(|(from, to)| {
            let is_open = holds_lower(&chart.x, from);
            let from_words = if is_open { "below".to_owned() } else { value_text(&chart.x, from) };
            let ends = [from_words, value_text(&chart.x, to)];
            let counts = all.iter().map(|one| value_text(&chart.y, count(one, from)));
            ends.into_iter().chain(counts).collect()
        })
        .collect()
}

fn of_boxes(chart: &Chart, boxes: &[BoxMark]) -> Vec<Vec<String>> {
    let row = |(name, one): (&String, &BoxMark)| {
        let values = [one.p1, one.q1, one.median, one.q3, one.p99, one.max];
        let reference =
            one.reference.map_or(text::MISSING.to_owned(), |it| value_text(&chart.x, it));
        std::iter::once(name.clone())
            .chain(values.map(|value| value_text(&chart.x, value)))
            .chain([reference])
            .collect()
    };
    chart.y.names.iter().zip(boxes).map(row).collect()
}

#[cfg(test)]
mod tests {
    use egui_plot::PlotPoint;
    use jitterscope_engine::report::chart::{of_boxes, of_histograms};
    use jitterscope_engine::stats::{LogHistogram, Sorted};

    use super::*;

    fn histogram() -> Chart {
        let counts = LogHistogram::of(&[-4, 0, 1_000, 17_400_000]);
        of_histograms("test", "Test", ("Lateness", "Frames"), &[("Normal", &counts)]).unwrap()
    }

    #[test]
    fn every_value_of_a_histogram_is_in_its_summary_and_its_table() {
        let chart = histogram();
        let said = summary(&chart).replace('\u{202f}', " ");
        assert!(said.starts_with("Test, Normal: 4 frames, max below "), "{said}");
        let table = table(&chart);
        let counts: Vec<&str> = table.rows.iter().map(|row| row[2].as_str()).collect();
        assert_eq!(counts, ["2", "1", "1"]);
        assert_eq!(table.rows[0][0], "below");
        assert_eq!(table.header, ["From", "To", "Normal"]);
    }

    #[test]
    fn the_bin_under_the_pointer_is_read_out() {
        let chart = histogram();
        let at = |x: f64| {
            let position = PlotPoint::new(x, 0.0);
            readout(&chart, Hidden::default(), &HoverPosition::Elsewhere { position })
        };
        assert!(at(3.05).unwrap().ends_with("\n1 frame"), "{:?}", at(3.05));
        assert_eq!(at(1.8).unwrap().replace('\u{202f}', " "), "below 100 ns\n2 frames");
        assert_eq!(at(12.0), None);
        let counts = LogHistogram::of(&[1_000]);
        let both = [("Normal", &counts), ("Highest", &counts)];
        let chart = of_histograms("test", "Test", ("Lateness", "Frames"), &both).unwrap();
        let position = PlotPoint::new(3.05, 0.0);
        let words = readout(&chart, Hidden::default(), &HoverPosition::Elsewhere { position });
        assert!(words.unwrap().ends_with("\nNormal: 1 frame\nHighest: 1 frame"));
    }

    #[test]
    fn a_box_is_read_out_by_its_row() {
        let one = BoxMark::of(&Sorted::of((1..=1_000).map(|k| k * 1_000).collect()).unwrap());
        let rows = vec![("idle".to_owned(), one), ("load".to_owned(), one)];
        let chart = of_boxes(("test", "Test"), "Duration", 100.0, rows).unwrap();
        let position = PlotPoint::new(4.0, 1.7);
        let words = readout(&chart, Hidden::default(), &HoverPosition::Elsewhere { position });
        let words = words.unwrap().replace('\u{202f}', " ");
        assert!(words.starts_with("load\nmedian 501") && words.contains("max 1.000 ms"), "{words}");
    }
}
