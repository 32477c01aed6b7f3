//! The histogram of values close to each other, on a linear axis that covers nearly all of them.

use eframe::egui::{Align2, Sense, Ui};
use jitterscope_engine::nanos::Nanos;

use super::super::axis::Axis;
use super::super::canvas::{Canvas, Side};
use super::{Bin, CountScale, HistogramPlot};
use crate::text;
use crate::theme::Tokens;
use crate::widgets::{LegendEntry, LegendSwatch, legend_box};

/// Number of bins.
const BINS: usize = 90;
/// Of this many values, one may be outside at each end.
const ONE_OF: usize = 400;

/// Counts in bins of equal width, from the shown min to the shown max.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearBins {
    /// Start of the bins, in nanoseconds.
    from: i64,
    /// The width of a bin, in nanoseconds.
    step: i64,
    /// The name and the counts of each series.
    series: Vec<(String, Vec<u64>)>,
    /// Values outside of the bins.
    outside: u64,
}

impl LinearBins {
    /// Counts the values of each series, which have a name.
    pub fn of(series: &[(String, Vec<i64>)]) -> Self {
        let mut all: Vec<i64> = series.iter().flat_map(|(_, values)| values).copied().collect();
        all.sort_unstable();
        let cut = all.len() / ONE_OF;
        let inner = all.get(cut..all.len() - cut).unwrap_or_default();
        let (Some(&low), Some(&high)) = (inner.first(), inner.last()) else {
            return Self::default();
        };
        let margin = ((high - low) / 12).max(1_000);
        let (from, to) = (low - margin, high + margin);
        let count = i64::try_from(BINS).unwrap_or(1);
        let step = ((to - from) / count).max(1);
        let mut outside = 0;
        let series = series
            .iter()
            .map(|(name, values)| {
                let mut counts = vec![0; BINS];
                for &value in values {
                    let place = (value - from).div_euclid(step);
                    match usize::try_from(place).ok().and_then(|at| counts.get_mut(at)) {
                        Some(count) => *count += 1,
                        None => outside += 1,
                    }
                }
                (name.clone(), counts)
            })
            .collect();
        Self { from, step, series, outside }
    }

    /// Range of the bins, and the number of values outside: a note for the card.
    pub fn note(&self) -> String {
        if self.series.is_empty() {
            return String::new();
        }
        let range = text::range(Nanos::new(self.from), Nanos::new(self.from + self.width()));
        match self.outside {
            0 => range,
            outside => format!("{range}, {} outside", text::count(outside)),
        }
    }

    fn width(&self) -> i64 {
        self.step * i64::try_from(BINS).unwrap_or(1)
    }

    /// The bins of a series that are not empty, in milliseconds.
    fn bins(&self, counts: &[u64]) -> Vec<Bin> {
        let edge = |at: i64| Nanos::new(self.from + self.step * at).as_millis();
        let bins = counts.iter().zip(0_i64..).filter(|(count, _)| 0 < **count);
        bins.map(|(count, at)| (edge(at), edge(at + 1), *count)).collect()
    }
}

impl HistogramPlot {
    /// Shows the plot; `target` is a dashed line in it, with its words.
    pub fn linear_ui(
        &mut self,
        ui: &mut Ui,
        name: &str,
        height: f32,
        data: &LinearBins,
        target: Option<(Nanos, &str)>,
    ) {
        let tokens = Tokens::of(ui);
        let bins: Vec<Vec<Bin>> = data.series.iter().map(|(_, counts)| data.bins(counts)).collect();
        let most = bins.iter().flatten().map(|bin| bin.2).max().unwrap_or(1_000);
        let top = match self.count {
            CountScale::Count => super::axis::float(most) * 1.08,
            CountScale::LogCount => self.count.place(most) + 0.5,
        };
        let label = match self.count {
            CountScale::Count => self.noun.to_owned(),
            CountScale::LogCount => format!("{} (log)", self.noun),
        };
        let ends = (
            Nanos::new(data.from).as_millis(),
            Nanos::new(data.from + data.width().max(1_000)).as_millis(),
        );
        let x = Side { axis: Axis::Millis, range: ends, label: "ms" };
        let y = Side { axis: self.count.axis(), range: (self.count.base(), top), label: &label };
        let area = Canvas { name, height, x, y }.show(ui, Sense::hover());
        let parts: Vec<String> = data
            .series
            .iter()
            .map(|(name, counts)| format!("{name}: {} values", text::count(counts.iter().sum())))
            .collect();
        area.describe(&format!("Histogram, {}. {}", data.note(), parts.join("; ")));
        if bins.iter().all(Vec::is_empty) {
            area.nothing(tokens);
            return;
        }
        for (at, bins) in bins.iter().enumerate().filter(|(at, _)| !self.hidden.is_hidden(*at)) {
            self.outline(&area, tokens.series(at), bins);
        }
        if let Some((at, words)) = target {
            let at = at.as_millis();
            if ends.0 < at && at < ends.1 {
                area.upright(at, 6, words, tokens.t1);
            }
        }
        let entries: Vec<LegendEntry<'_>> = data
            .series
            .iter()
            .zip(0..)
            .map(|((name, _), at)| {
                let look = tokens.series(at);
                LegendEntry { name, color: look.color, sample: LegendSwatch::Line(look.dash) }
            })
            .collect();
        legend_box(ui, area.rect(), Align2::RIGHT_TOP, &entries, &mut self.hidden);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_all_values_are_shown_and_the_others_are_counted() {
        let mut values: Vec<i64> = (0..2_000).map(|k| 16_600_000 + k * 100).collect();
        values.push(34_000_000);
        let bins = LinearBins::of(&[("Normal".to_owned(), values)]);
        let inside: u64 = bins.series[0].1.iter().sum();
        assert_eq!((inside, bins.outside), (2_000, 1));
        assert!(bins.note().ends_with(", 1 outside"), "{}", bins.note());
        assert_eq!(LinearBins::of(&[]).note(), "");
        let alike = LinearBins::of(&[("FIFO".to_owned(), vec![5_000; 40])]);
        assert_eq!(alike.outside, 0);
    }
}
