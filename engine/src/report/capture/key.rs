//! Key figures of an imported file.

use super::{CaptureFigures, RecordingFigures};
use crate::report::model::key_figure::KeyFigure;
use crate::stats::Lows;
use crate::units::{count_text, format_count, format_decimal, format_long_time, format_share};

/// Returns the key figures of the recording with the most samples; empty without recordings.
pub(in crate::report) fn key_figures(recordings: &[RecordingFigures]) -> Vec<KeyFigure> {
    let longest = recordings.iter().rev().max_by_key(|one| one.figures.count());
    let Some(longest) = longest else { return Vec::new() };
    match &longest.figures {
        CaptureFigures::Frames(frames) => {
            let rate = |title, fps: Option<f64>, context: &str, needed: &str| match fps {
                Some(fps) => KeyFigure::new(title, (format_decimal(fps, 1), "FPS"), context),
                None => KeyFigure::absent(title, needed),
            };
            let low = |lows: Option<Lows>| lows.map(|lows| lows.by(<_>::default()));
            let count = count_text(frames.frame_time.count, "frames");
            let slow = count_text(frames.stutter.count, "slow frames");
            vec![
                rate("Average FPS", Some(frames.average_fps), &count, ""),
                rate("1% low", low(frames.one_percent_low), "slowest 1%", "needs 100 frames"),
                rate(
                    "0.1% low",
                    low(frames.tenth_percent_low),
                    "slowest 0.1%",
                    "needs 1 000 frames",
                ),
                KeyFigure::new("Stutter", (format_share(frames.stutter.share), "of time"), slow),
                KeyFigure::time_or(
                    "p99 frame time",
                    frames.frame_time.p99,
                    "99% of frames",
                    "needs 100 frames",
                ),
                KeyFigure::time("Max frame time", frames.frame_time.max, "the longest frame"),
            ]
        }
        CaptureFigures::SampledLog(log) => vec![
            KeyFigure::new(
                "Readings",
                (format_count(log.count), ""),
                log.elapsed.map_or_else(|| "without times".to_owned(), format_long_time),
            ),
            KeyFigure::new(
                "Average FPS",
                (format_decimal(log.average_fps, 1), "FPS"),
                "mean of the readings",
            ),
            KeyFigure::time("Min reading", log.min, "not of every frame"),
            KeyFigure::time("p50 reading", log.p50, "not of every frame"),
            KeyFigure::time("Max reading", log.max, "not of every frame"),
        ],
        CaptureFigures::Histogram(one) => {
            let absent =
                if one.has_bins { "above the histogram" } else { "no histogram in the file" };
            let few = |needed, reason| if one.count < needed { reason } else { absent };
            vec![
                KeyFigure::new("Values", (format_count(one.count), ""), longest.label.clone()),
                KeyFigure::time_or("p50", one.p50, "half of all values", absent),
                KeyFigure::time_or("p95", one.p95, "95% of values", few(20, "needs 20 values")),
                KeyFigure::time_or("p99", one.p99, "99% of values", few(100, "needs 100 values")),
                KeyFigure::time_or(
                    "p99.9",
                    one.p99_9,
                    "99.9% of values",
                    few(1_000, "needs 1 000 values"),
                ),
                KeyFigure::time_or("Max", one.max, "the highest value", absent),
            ]
        }
    }
}
