//! Charts of imported recordings: frame times over time, histograms, and the share of frames above
//! each frame time.

use super::super::model::chart::{
    Axis, Chart, Marks, Series, fitted, histogram, of_histograms, points_over_time, tail,
};
use super::super::model::table::Quantity;
use crate::run::capture::{Capture, Distribution, Recording};
use crate::stats::LogHistogram;

/// Maximum number of recordings in one chart.
const MAX_OVERLAID: usize = 4;

/// Returns all charts of an imported file.
pub(in crate::report) fn charts(capture: &Capture) -> Vec<Chart> {
    match capture {
        Capture::Frames(recordings) => {
            let values: Vec<_> = recordings
                .iter()
                .take(MAX_OVERLAID)
                .map(|one| (one.label.as_str(), one.present()))
                .collect();
            over_time("Frame time", recordings)
                .into_iter()
                .chain(histogram(
                    "histogram",
                    "Frame time histogram",
                    ("Frame time", "Frames"),
                    &values,
                ))
                .chain(tail(("Frame time", "Share of frames"), &values))
                .collect()
        }
        Capture::SampledLog(recordings) => {
            over_time("Readings of the frame time", recordings).into_iter().collect()
        }
        Capture::Histogram(distributions) => of_distributions(distributions).into_iter().collect(),
    }
}

fn over_time(title: &'static str, recordings: &[Recording]) -> Option<Chart> {
    let series: Vec<Series> = recordings
        .iter()
        .take(MAX_OVERLAID)
        .map(|one| Series::new(&one.label, points_over_time(one.frame_times_over_time())))
        .filter(|series| !series.points.is_empty())
        .collect();
    let all = || series.iter().flat_map(|series| &series.points);
    let (end, most) =
        all().fold((0.0_f64, 0.0_f64), |(end, most), point| (end.max(point.0), most.max(point.1)));
    let x = Axis::linear("Time", Quantity::Time, 0.0, end);
    let y = Axis::linear("Frame time", Quantity::Time, 0.0, most * 1.05);
    (!series.is_empty()).then(|| Chart {
        note: "every column shows its min and max".to_owned(),
        ..Chart::new(("timeline", title), (x, y), Marks::Lines(series))
    })
}

fn of_distributions(distributions: &[Distribution]) -> Option<Chart> {
    let shown = || distributions.iter().take(MAX_OVERLAID);
    let counted: Vec<_> = shown()
        .map(|one| {
            let mut histogram = LogHistogram::default();
            for &(value, seen) in one.bins.iter() {
                histogram.add_many(value, seen);
            }
            (one.label.as_str(), histogram)
        })
        .collect();
    of_histograms("histogram", "Latency histogram", ("Latency", "Samples"), &counted).map(fitted)
}
