//! Charts of imported recordings: frame times over time, histograms, and the share of frames above
//! each frame time.

use super::super::model::chart::{
    Axis, Chart, Marks, Series, fitted, histogram, of_histograms, points_over_time, tail,
};
use super::super::model::table::Quantity;
use super::RecordingFigures;
use super::view::joined_captions;
use crate::run::capture::{Capture, Distribution, Recording};
use crate::stats::LogHistogram;

/// Maximum number of recordings in one chart.
const MAX_OVERLAID: usize = 4;

/// Returns all charts of an imported file: of the part that its figures are of.
pub(in crate::report) fn charts(capture: &Capture, figures: &[RecordingFigures]) -> Vec<Chart> {
    let scopes = figures.iter().filter_map(|one| Some((one.label.as_str(), one.scope.as_deref()?)));
    let shown: Vec<(&str, &Recording)> =
        scopes.clone().take(MAX_OVERLAID).map(|(label, scope)| (label, &scope.recording)).collect();
    let mut charts: Vec<Chart> = match capture {
        Capture::Frames(_) | Capture::Ticks(_) => {
            let is_frames = matches!(capture, Capture::Frames(_));
            let (title, histogram_title, [value, samples, share]) = if is_frames {
                let names = ["Frame time", "Frames", "Share of frames"];
                ("Frame time", "Frame time histogram", names)
            } else {
                let names = ["Tick time", "Ticks", "Share of ticks"];
                ("Tick time", "Tick time histogram", names)
            };
            let values: Vec<_> =
                shown.iter().map(|(label, recording)| (*label, recording.present())).collect();
            over_time(title, value, &shown)
                .into_iter()
                .chain(histogram("histogram", histogram_title, (value, samples), &values))
                .chain(tail((value, share), &values))
                .collect()
        }
        Capture::SampledLog(_) => {
            over_time("Readings of the frame time", "Frame time", &shown).into_iter().collect()
        }
        Capture::SampledTicks(_) => {
            over_time("Readings of the tick time", "Tick time", &shown).into_iter().collect()
        }
        Capture::Histogram(distributions) => of_distributions(distributions).into_iter().collect(),
    };
    let shown_scopes = scopes.take(MAX_OVERLAID).map(|(label, scope)| (label, scope.caption()));
    let caption = joined_captions(shown_scopes);
    for chart in &mut charts {
        let parts = [chart.note.as_str(), caption.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        chart.note = parts.join("; ");
    }
    charts
}

fn over_time(
    title: &'static str,
    value: &'static str,
    recordings: &[(&str, &Recording)],
) -> Option<Chart> {
    let series: Vec<Series> = recordings
        .iter()
        .map(|(label, one)| Series::new(*label, points_over_time(one.frame_times_over_time())))
        .filter(|series| !series.points.is_empty())
        .collect();
    let all = || series.iter().flat_map(|series| &series.points);
    let (end, most) =
        all().fold((0.0_f64, 0.0_f64), |(end, most), point| (end.max(point.0), most.max(point.1)));
    let x = Axis::linear("Time", Quantity::Time, 0.0, end);
    let y = Axis::linear(value, Quantity::Time, 0.0, most * 1.05);
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
            for (value, seen) in one.bins.iter() {
                histogram.add_many(value, seen);
            }
            (one.label.as_str(), histogram)
        })
        .collect();
    of_histograms("histogram", "Latency histogram", ("Latency", "Samples"), &counted).map(fitted)
}
