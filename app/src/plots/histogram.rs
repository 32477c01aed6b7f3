//! The histogram of lateness: both axes logarithmic, so that one late sample in a million is seen.

mod linear;

use std::cell::RefCell;

use eframe::egui::{Align2, Color32, Painter, Pos2, Rect, Sense, Stroke, StrokeKind, Ui};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::stats::LogHistogram;

pub use self::linear::LinearBins;
use super::axis::{self, Axis, FLOOR, MIN_COUNT, ZERO};
use super::canvas::{Area, Canvas, Side};
use super::menu::{PlotTable, menu};
use crate::text;
use crate::theme::tokens::Series;
use crate::theme::{Tokens, size};
use crate::widgets::{Card, Hidden, LegendEntry, LegendSwatch, Severity, legend_box, segmented};

/// How counts are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountScale {
    /// Evenly.
    Count,
    /// By their logarithm.
    #[default]
    LogCount,
}

impl CountScale {
    const fn axis(self) -> Axis {
        match self {
            Self::Count => Axis::Count,
            Self::LogCount => Axis::LogCount,
        }
    }

    /// Where bars begin.
    pub(super) fn base(self) -> f64 {
        match self {
            Self::Count => 0.0,
            Self::LogCount => MIN_COUNT.log10(),
        }
    }

    pub(super) fn place(self, count: u64) -> f64 {
        match self {
            Self::Count => axis::float(count),
            Self::LogCount => axis::float(count).max(MIN_COUNT).log10(),
        }
    }
}

/// One histogram among those of a plot.
#[derive(Clone, Copy, Debug)]
pub struct HistogramSeries<'a> {
    /// What was counted.
    pub name: &'a str,
    /// Which series it is: color and dash.
    pub series: usize,
    /// The counts.
    pub histogram: &'a LogHistogram,
}

/// An upright line at a value, with words.
#[derive(Clone, Copy, Debug)]
pub struct PlotMark<'a> {
    /// The value.
    pub at: Nanos,
    /// The label next to the line.
    pub label: &'a str,
    /// Its color; without one, that of text.
    pub severity: Option<Severity>,
}

/// The view of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistogramPlot {
    /// What is counted.
    noun: &'static str,
    /// How counts are laid out.
    pub count: CountScale,
    /// Entries of the legend that are hidden.
    pub hidden: Hidden,
}

/// A bin on the screen: its edges on the axis, and its count.
pub(super) type Bin = (f64, f64, u64);

impl Default for HistogramPlot {
    fn default() -> Self {
        Self::of("Frames")
    }
}

impl HistogramPlot {
    /// A histogram of such things: "Sleeps".
    pub fn of(noun: &'static str) -> Self {
        Self { noun, count: CountScale::default(), hidden: Hidden::default() }
    }

    /// Shows the choice of scales for the card's header.
    pub fn controls_ui(&mut self, ui: &mut Ui) {
        let scales = [(CountScale::Count, "Count"), (CountScale::LogCount, "Log count")];
        segmented(ui, "Scale of counts", &mut self.count, &scales);
    }

    /// Shows the plot in a card, with the choice of scales in its header. The name identifies the
    /// plot on its page.
    pub fn card(
        &mut self,
        ui: &mut Ui,
        card: Card<'_>,
        name: &str,
        height: f32,
        series: &[HistogramSeries<'_>],
        marks: &[PlotMark<'_>],
    ) {
        let plot = RefCell::new(self);
        let controls = |ui: &mut Ui| plot.borrow_mut().controls_ui(ui);
        card.show(ui, controls, |ui| plot.borrow_mut().ui(ui, name, height, series, marks));
    }

    /// Shows the plot: bars for one series, outlines for several.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        name: &str,
        height: f32,
        series: &[HistogramSeries<'_>],
        marks: &[PlotMark<'_>],
    ) {
        let tokens = Tokens::of(ui);
        let bins: Vec<Vec<Bin>> = series.iter().map(|one| bins_of(one.histogram)).collect();
        let all = || bins.iter().flatten();
        let most = all().map(|bin| bin.2).max().unwrap_or(1_000);
        let of_marks = || marks.iter().map(|mark| axis::log_place(mark.at.as_f64()));
        let has_below = all().any(|bin| bin.0 < FLOOR) || of_marks().any(|place| place < FLOOR);
        let last = all().map(|bin| bin.1).fold(7.3, f64::max);
        let last = of_marks().fold(last, f64::max);
        let top = match self.count {
            CountScale::Count => axis::float(most) * 1.08,
            CountScale::LogCount => self.count.place(most) + 0.5,
        };
        let label = match self.count {
            CountScale::Count => self.noun.to_owned(),
            CountScale::LogCount => format!("{} (log)", self.noun),
        };
        let first = if has_below { ZERO - 0.3 } else { FLOOR };
        let x = Side { axis: Axis::LogNanos, range: (first, last + 0.2), label: "" };
        let y = Side { axis: self.count.axis(), range: (self.count.base(), top), label: &label };
        let area = Canvas { name, height, x, y }.show(ui, Sense::click());
        area.describe(&summary(self.noun, series));
        if all().next().is_none() {
            area.nothing(tokens);
            return;
        }
        menu(&area, false, || table(self.noun, series));
        let alone = series.len() == 1;
        for (at, (one, bins)) in series.iter().zip(&bins).enumerate() {
            if alone {
                self.bars(&area, bins, tokens.series(one.series).color);
            } else if !self.hidden.is_hidden(at) {
                self.outline(&area, tokens.series(one.series), bins);
            }
        }
        // Each line has its label in a separate row, so that labels never cover each other.
        for (row, mark) in (0..).zip(marks) {
            let color = mark.severity.map_or(tokens.t1, |severity| severity.color(tokens));
            let row = if alone { row } else { row + 6 };
            area.upright(axis::log_place(mark.at.as_f64()), row, mark.label, color);
        }
        if !alone {
            let entry = |one: &HistogramSeries<'_>| {
                let look = tokens.series(one.series);
                (look.color, LegendSwatch::Line(look.dash))
            };
            let entries: Vec<LegendEntry<'_>> = series
                .iter()
                .map(|one| (one.name, entry(one)))
                .map(|(name, (color, sample))| LegendEntry { name, color, sample })
                .collect();
            legend_box(ui, area.rect(), Align2::RIGHT_TOP, &entries, &mut self.hidden);
        }
    }

    fn bars(&self, area: &Area, bins: &[Bin], color: Color32) {
        for &(from, to, count) in bins {
            let low = area.at(from, self.count.base());
            let high = area.at(to, self.count.place(count));
            let bar = Rect::from_two_pos(low, high);
            let fill = color.gamma_multiply(0.5);
            area.painter.rect(bar, 0, fill, Stroke::new(1.0, color), StrokeKind::Middle);
        }
    }

    fn outline(&self, area: &Area, look: Series, bins: &[Bin]) {
        let at = |place: f64, high: f64| area.at(place, high);
        outline(&area.painter, look, 0.1, self.count, bins, at);
    }
}

/// Draws the steps of a histogram with this opacity; `at` is the screen position of a point.
pub(super) fn outline(
    painter: &Painter,
    look: Series,
    fill: f32,
    scale: CountScale,
    bins: &[Bin],
    at: impl Fn(f64, f64) -> Pos2,
) {
    let base = scale.base();
    let (stroke, fill) = (look.stroke(size::LINE_COMPARE - 0.3), look.color.gamma_multiply(fill));
    // The way up and down is drawn only where no bin adjoins.
    for adjoining in bins.chunk_by(|bin, next| next.0 - bin.1 <= 1e-9) {
        let mut path: Vec<Pos2> = Vec::new();
        path.extend(adjoining.first().map(|bin| at(bin.0, base)));
        for &(from, to, count) in adjoining {
            let high = scale.place(count);
            painter.rect_filled(Rect::from_two_pos(at(from, base), at(to, high)), 0, fill);
            path.extend([at(from, high), at(to, high)]);
        }
        path.extend(adjoining.last().map(|bin| at(bin.1, base)));
        painter.extend(look.dash.line(&path, stroke));
    }
}

/// The bins that are not empty; values below the first one are around the "0" tick.
pub(super) fn bins_of(histogram: &LogHistogram) -> Vec<Bin> {
    let below = (0 < histogram.below()).then_some((ZERO - 0.15, ZERO + 0.15, histogram.below()));
    let place = |edge: Nanos| edge.as_f64().max(1.0).log10();
    let rest = histogram.bins().filter(|bin| 0 < bin.2);
    below.into_iter().chain(rest.map(|(from, to, count)| (place(from), place(to), count))).collect()
}

/// The counts of every bin that is not empty in all.
fn table(noun: &str, series: &[HistogramSeries<'_>]) -> PlotTable {
    let mut rows: Vec<(Nanos, Nanos, Vec<u64>)> = Vec::new();
    let below: Vec<u64> = series.iter().map(|one| one.histogram.below()).collect();
    for (place, one) in series.iter().enumerate() {
        for (from, to, count) in one.histogram.bins().filter(|bin| 0 < bin.2) {
            let known = rows.iter().position(|row| row.0 == from).unwrap_or_else(|| {
                rows.push((from, to, vec![0; series.len()]));
                rows.len() - 1
            });
            let Some((_, _, counts)) = rows.get_mut(known) else { continue };
            if let Some(known) = counts.get_mut(place) {
                *known = count;
            }
        }
    }
    rows.sort_by_key(|row| row.0);
    let counts =
        |counts: &[u64]| counts.iter().map(|&count| text::count(count)).collect::<Vec<_>>();
    let mut table = PlotTable {
        title: format!("Histogram: {}", noun.to_lowercase()),
        header: vec!["From".to_owned(), "To".to_owned()],
        rows: Vec::new(),
    };
    table.header.extend(series.iter().map(|one| one.name.to_owned()));
    if below.iter().any(|&count| 0 < count) {
        let first = rows.first().map_or(text::MISSING.to_owned(), |row| text::duration(row.0));
        let mut cells = vec![text::MISSING.to_owned(), first];
        cells.extend(counts(&below));
        table.rows.push(cells);
    }
    for (from, to, found) in rows {
        let mut cells = vec![text::duration(from), text::duration(to)];
        cells.extend(counts(&found));
        table.rows.push(cells);
    }
    table
}

/// What the plot shows, in a sentence.
pub(super) fn summary(noun: &str, series: &[HistogramSeries<'_>]) -> String {
    let noun = noun.to_lowercase();
    let one = |one: &HistogramSeries<'_>| {
        let most = one.histogram.bins().filter(|bin| 0 < bin.2).last();
        let highest =
            most.map_or_else(String::new, |bin| format!(", max below {}", text::duration(bin.1)));
        format!("{}: {} {noun}{highest}", one.name, text::count(one.histogram.total()))
    };
    let parts: Vec<String> = series.iter().map(one).collect();
    if parts.is_empty() {
        return "Histogram, no samples yet".to_owned();
    }
    format!("Histogram, {}", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_zero_and_below_have_a_bar_at_the_zero_tick() {
        let histogram = LogHistogram::of(&[-4, 0, 1_000, 17_400_000], Nanos::new(100), 5);
        let bins = bins_of(&histogram);
        assert_eq!(bins.len(), 3);
        assert!(bins[0].0 < ZERO && ZERO < bins[0].1 && bins[0].2 == 2);
        assert!(CountScale::LogCount.base() < CountScale::LogCount.place(1));
        let series = HistogramSeries { name: "Normal", series: 0, histogram: &histogram };
        assert!(summary("Frames", &[series]).starts_with("Histogram, Normal: 4 frames, max"));
    }
}
