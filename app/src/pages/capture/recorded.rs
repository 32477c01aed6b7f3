//! The values that a capture recorded in addition to frame times, as strips below the timeline. If
//! every frame was recorded, the first strip is the mean frame rate.

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::capture::{Limiter, Scope, limiters, quantity_words};
use jitterscope_engine::run::capture::{CaptureSeries, FrameQuantity, Recording};
use jitterscope_engine::sample::MISSING;
use jitterscope_engine::stats::Pyramid;

use crate::plots::axis::whole;
use crate::plots::{Above, Strip, strips_sides, strips_ui};
use crate::text;
use crate::widgets::Card;

/// Number of columns to which a series is reduced. Each column preserves the minimum and maximum of
/// its samples.
const COLUMNS: usize = 1_200;
/// Period of which the lane of limits shows the most frequent one.
const LIMITED_OVER: Nanos = Nanos::from_millis(500);
/// What limits frames, from low to high in its lane.
const LIMITERS: [Limiter; 4] = [Limiter::Other, Limiter::Neither, Limiter::Cpu, Limiter::Gpu];
/// Averaging period of the frame rate.
const RATE_OVER: Nanos = Nanos::from_secs(1);

/// The strips of a recording.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    strips: Vec<Strip>,
    end_secs: f64,
}

impl Recorded {
    /// Creates the strips of a recording. Only a recording of every frame (`is_whole`) has a frame
    /// rate. A series that contains only zeros is omitted.
    pub(super) fn of(scope: &Scope, is_whole: bool) -> Self {
        let recording = &scope.recording;
        let rate = is_whole
            .then(|| frame_rate(recording))
            .and_then(|points| strip("Frame rate (1 s)", "FPS", points));
        let others = recording.series.iter().filter_map(|one| {
            let is_nothing = |value: i64| value == 0 || value == MISSING;
            if one.values.values().all(is_nothing) {
                return None;
            }
            strip(&one.label, &one.unit, points(recording, one))
        });
        let busy = [FrameQuantity::CpuBusy, FrameQuantity::GpuBusy].into_iter();
        let busy = busy.filter_map(|quantity| {
            let [name, _] = quantity_words(quantity);
            strip(name, "% of the frame", busy_shares(scope, quantity)?)
        });
        let own = rate.into_iter().chain(busy).chain(limited(scope));
        Self { strips: own.chain(others).collect(), end_secs: scope.end.as_secs() }
    }

    /// Returns the width of the margins left and right of the strips; `None` if there are no
    /// strips.
    pub(super) fn sides(&self, ui: &Ui) -> Option<(f32, f32)> {
        (!self.strips.is_empty()).then(|| strips_sides(ui, &self.strips))
    }

    /// Draws the strips on the time axis of the chart above, if there are any.
    pub(super) fn ui(&self, ui: &mut Ui, above: Above) {
        if self.strips.is_empty() {
            return;
        }
        Card::new("Recorded over time")
            .note("from 0 to the highest value")
            .show_plain(ui, |ui| strips_ui(ui, above, (0.0, self.end_secs), &self.strips));
    }
}

/// Returns how long CPU or GPU were busy, in percent of each presented frame: the time in seconds, and the share. `None` if
/// the file does not have it.
fn busy_shares(scope: &Scope, quantity: FrameQuantity) -> Option<Vec<(f64, f64)>> {
    let busy = scope.recording.per_frame(quantity)?;
    let mut pyramid = Pyramid::default();
    let rows = scope.recording.times().zip(scope.presented.values()).zip(busy.values());
    for ((at, time), busy) in rows {
        if time != MISSING && 0 < time && busy != MISSING {
            let share = Nanos::new(busy).as_f64() / Nanos::new(time).as_f64();
            pyramid.push(at, Nanos::from_nanos_f64(share.min(1.0) * 1e5));
        }
    }
    Some(points_of(&pyramid))
}

/// Returns the strip of what limits most frames of each half second, in words; `None` if the file does not show it.
fn limited(scope: &Scope) -> Option<Strip> {
    let (mut points, mut counts, mut begin) = (Vec::new(), [0_usize; LIMITERS.len()], None);
    let mut end_part = |counts: &mut [usize; LIMITERS.len()], [begin, end]: [Nanos; 2]| {
        let most = counts.iter().zip(0_u32..).max_by_key(|(count, _)| **count);
        let place = f64::from(most.map_or(0, |(_, place)| place));
        if points.is_empty() {
            points.push((begin.as_secs(), place));
        }
        points.push((end.as_secs(), place));
        counts.fill(0);
    };
    let mut last = Nanos::ZERO;
    for (at, by) in limiters(scope) {
        let from = *begin.get_or_insert(at);
        if from + LIMITED_OVER < at && counts.iter().any(|count| 0 < *count) {
            end_part(&mut counts, [from, last]);
            begin = Some(last);
        }
        let place = LIMITERS.iter().position(|limiter| *limiter == by);
        if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
            *count += 1;
        }
        last = at;
    }
    if counts.iter().any(|count| 0 < *count) {
        end_part(&mut counts, [begin.unwrap_or_default(), last]);
    }
    (1 < points.len()).then(|| Strip {
        name: "Limited by".to_owned(),
        points,
        extremes: "most frames of 0.5 s".to_owned(),
        words: limiter_text,
        unit: String::new(),
        series_of_state: Some(limiter_series),
    })
}

/// Formats the position of what limits frames.
fn limiter_text(place: f64) -> String {
    let limiter = usize::try_from(whole(place)).ok().and_then(|place| LIMITERS.get(place));
    limiter.map_or_else(String::new, |limiter| limiter.label().to_owned())
}

/// Returns the series in whose color a limit is drawn: that of how long it was busy, below the frame rate.
fn limiter_series(place: f64) -> Option<usize> {
    let limiter = usize::try_from(whole(place)).ok().and_then(|place| LIMITERS.get(place))?;
    match limiter {
        Limiter::Cpu => Some(1),
        Limiter::Gpu => Some(2),
        Limiter::Neither | Limiter::Other => None,
    }
}

/// Returns a strip; `None` for fewer than two points.
fn strip(name: &str, unit: &str, points: Vec<(f64, f64)>) -> Option<Strip> {
    let ends = points
        .iter()
        .fold((f64::MAX, f64::MIN), |(min, max), point| (point.1.min(min), point.1.max(max)));
    let [min, max] = [ends.0, ends.1].map(value_text);
    let range = if min == max { max } else { format!("{min} to {max}") };
    let extremes = format!("{range} {unit}");
    (1 < points.len()).then(|| Strip {
        name: name.to_owned(),
        points,
        extremes: extremes.trim_end().to_owned(),
        words: value_text,
        unit: unit.to_owned(),
        series_of_state: None,
    })
}

/// Formats a value, with one decimal if it is below 100 and not whole.
fn value_text(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    if tenths < 0.0 || tenths.fract() != 0.0 && tenths < 100.0 {
        return format!("{tenths:.1}").replace('-', &text::MINUS.to_string());
    }
    text::format_count(whole(tenths))
}

/// Returns the points of a series: seconds, and the value in the unit of the series.
fn points(recording: &Recording, series: &CaptureSeries) -> Vec<(f64, f64)> {
    let mut pyramid = Pyramid::default();
    for (at, value) in recording.points_of(series) {
        pyramid.push(at, Nanos::from_nanos_f64(value * 1e3));
    }
    points_of(&pyramid)
}

/// Returns the points of values in thousandths.
fn points_of(pyramid: &Pyramid) -> Vec<(f64, f64)> {
    let end = pyramid.end().as_secs();
    pyramid.query(0.0, end, COLUMNS).into_iter().map(|(secs, value)| (secs, value / 1e3)).collect()
}

/// Returns the mean frame rate of each period of [`RATE_OVER`]: the time in seconds, and the rate
/// in FPS.
fn frame_rate(recording: &Recording) -> Vec<(f64, f64)> {
    let (mut points, mut frames, mut time) = (Vec::new(), 0.0, Nanos::ZERO);
    for (at, length) in recording.frame_times_over_time() {
        frames += 1.0;
        time += length;
        if RATE_OVER <= time {
            points.push((at.as_secs(), frames / time.as_secs()));
            (frames, time) = (0.0, Nanos::ZERO);
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jitterscope_engine::report::CaptureView;
    use jitterscope_engine::run::capture::FrameColumn;

    use super::*;

    #[test]
    fn what_limits_most_frames_of_half_a_second_is_a_word() {
        let column = |quantity, busy: [i64; 2]| FrameColumn {
            quantity,
            values: busy.into_iter().flat_map(|busy| std::iter::repeat_n(busy, 100)).collect(),
        };
        let recording = Recording {
            frame_times: std::iter::repeat_n(10_000_000, 200).collect(),
            per_frame: vec![
                column(FrameQuantity::GpuBusy, [9_800_000, 2_000_000]),
                column(FrameQuantity::CpuBusy, [5_000_000, 9_900_000]),
            ],
            ..Recording::default()
        };
        let scope = Scope::of(&recording, &Arc::default());
        let strip = limited(&scope).unwrap();
        let words: Vec<String> = strip.points.iter().map(|point| (strip.words)(point.1)).collect();
        assert_eq!(words, ["GPU", "GPU", "GPU", "CPU", "CPU"]);
        let shares = busy_shares(&scope, FrameQuantity::GpuBusy).unwrap();
        assert!(shares.iter().any(|(_, share)| (share - 98.0).abs() < 0.1), "{shares:?}");
        let view = CaptureView { to: Some(Nanos::from_secs(1)), ..CaptureView::default() };
        let part = Recorded::of(&Scope::of(&recording, &Arc::new(view)), true);
        assert!((part.end_secs - 2.0).abs() < 1e-9, "a part has the axis of the whole recording");
    }

    #[test]
    fn a_second_of_frames_is_a_point_and_what_is_always_zero_no_strip() {
        let series = |label: &str, values: [i64; 4]| CaptureSeries {
            label: label.to_owned(),
            unit: "%".to_owned(),
            values: values.into_iter().cycle().take(200).collect(),
            ..CaptureSeries::default()
        };
        let recording = Recording {
            frame_times: std::iter::repeat_n(10_000_000, 200).collect(),
            series: vec![
                series("GPU load", [97_000, 98_500, MISSING, 40_000]),
                series("Fan", [0; 4]),
            ],
            ..Recording::default()
        };
        let recorded = Recorded::of(&Scope::of(&recording, &Arc::default()), true);
        let found: Vec<(&str, &str, usize)> = recorded
            .strips
            .iter()
            .map(|one| (one.name.as_str(), one.extremes.as_str(), one.points.len()))
            .collect();
        let expected = [("Frame rate (1 s)", "100 FPS", 2), ("GPU load", "40 to 98.5 %", 150)];
        assert_eq!(found, expected);
        assert!((recorded.end_secs - 2.0).abs() < 1e-9);
    }
}
