//! Key figures of an imported file.

use super::{CaptureFigures, RecordingFigures, longest};
use crate::report::model::key_figure::KeyFigure;
use crate::stats::Lows;
use crate::units::{
    count_text, format_count, format_decimal, format_long_time, format_share, format_time,
};

/// Returns the key figures of the recording with the most samples; empty without recordings.
pub(in crate::report) fn key_figures(recordings: &[RecordingFigures]) -> Vec<KeyFigure> {
    let Some(longest) = longest(recordings) else { return Vec::new() };
    let definition = longest.scope.as_ref().map(|scope| scope.view.low).unwrap_or_default();
    match &longest.figures {
        CaptureFigures::Frames(frames) => {
            let rate = |title, fps: Option<f64>, context: &str, needed: &str| match fps {
                Some(fps) => KeyFigure::new(title, (format_decimal(fps, 1), "FPS"), context),
                None => KeyFigure::absent(title, needed),
            };
            let low = |lows: Option<Lows>| lows.map(|lows| lows.by(definition));
            let count = count_text(frames.frame_time.count, "frames");
            let slow = count_text(frames.stutter.count, "slow frames");
            vec![
                rate("Average FPS", Some(frames.average_fps), &count, ""),
                rate("1% low", low(frames.one_percent_low), definition.label(), "needs 100 frames"),
                rate(
                    "0.1% low",
                    low(frames.tenth_percent_low),
                    "by the same definition",
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
        CaptureFigures::Ticks(ticks) => {
            let count = count_text(ticks.tick_time.count, "ticks");
            let rate = match ticks.per_second {
                Some(rate) => {
                    KeyFigure::new("Ticks per second", (format_decimal(rate, 1), ""), count)
                }
                None => KeyFigure::absent("Ticks per second", "the file has no clock"),
            };
            let above = (format_share(ticks.above_share), "of ticks");
            let limit = format!("above {}", format_time(ticks.limit));
            vec![
                rate,
                KeyFigure::time("p50 tick time", ticks.tick_time.p50, "half of all ticks"),
                KeyFigure::time_or(
                    "p99 tick time",
                    ticks.tick_time.p99,
                    "99% of ticks",
                    "needs 100 ticks",
                ),
                KeyFigure::new("Long ticks", above, limit),
                KeyFigure::time("Max tick time", ticks.tick_time.max, "the longest tick"),
            ]
        }
        CaptureFigures::SampledLog(log) => {
            let elapsed = log.elapsed.map_or_else(|| "without times".to_owned(), format_long_time);
            let average = log.average_fps.map(|fps| {
                let value = (format_decimal(fps, 1), "FPS");
                KeyFigure::new("Average FPS", value, "mean of the readings")
            });
            let not_every = format!("not of every {}", log.sample());
            let readings = [("Min reading", log.min), ("p50 reading", log.p50)];
            let readings = readings.into_iter().chain([("Max reading", log.max)]);
            let count = KeyFigure::new("Readings", (format_count(log.count), ""), elapsed);
            let readings = readings.map(|(title, time)| KeyFigure::time(title, time, &not_every));
            [count].into_iter().chain(average).chain(readings).collect()
        }
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
