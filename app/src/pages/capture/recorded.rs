//! The values that a capture recorded in addition to frame times, as strips below the timeline. If
//! every frame was recorded, the first strip is the mean frame rate.

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::capture::{Limiter, Scope, limiters, quantity_words};
use jitterscope_engine::run::capture::{CaptureSeries, FrameQuantity, Recording};
use jitterscope_engine::sample::MISSING;
use jitterscope_engine::stats::Pyramid;

use crate::plots::axis::whole;
use crate::plots::{Above, StatePart, Strip, strips_sides, strips_ui};
use crate::text;
use crate::widgets::Card;

/// Number of columns to which a series is reduced. Each column preserves the minimum and maximum of
/// its samples.
const COLUMNS: usize = 1_200;
/// Maximum number of sensors: a log may have thousands of columns.
const MAX_SENSORS: usize = 400;
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
    /// The note of the card.
    note: String,
}

impl Recorded {
    /// Creates the strips of a recording. Only a recording of every frame (`is_whole`) has a frame
    /// rate. A series that contains only zeros is omitted.
    pub(super) fn of(scope: &Scope, is_whole: bool) -> Self {
        let recording = &scope.recording;
        let rate = is_whole
            .then(|| frame_rate(recording))
            .and_then(|points| strip("Frame rate (1 s)", "FPS", points));
        let is_nothing = |value: i64| value == 0 || value == MISSING;
        let is_shown = |one: &&CaptureSeries| {
            !one.values.values().all(is_nothing) && 1 < recording.points_of(one).take(2).count()
        };
        let mut sensors = recording.series.iter().filter(is_shown);
        let others = sensors.by_ref().take(MAX_SENSORS);
        let others = others.filter_map(|one| strip(&one.label, &one.unit, points(recording, one)));
        let others: Vec<Strip> = others.collect();
        let mut note = "from 0 to the highest value".to_owned();
        let omitted_count = sensors.count();
        if 0 < omitted_count {
            note.push_str("; without ");
            note.push_str(&text::count_text(omitted_count, "more columns"));
        }
        let busy = [FrameQuantity::CpuBusy, FrameQuantity::GpuBusy].into_iter();
        let busy = busy.filter_map(|quantity| {
            let [name, _] = quantity_words(quantity);
            strip(name, "% of the frame", busy_shares(scope, quantity)?)
        });
        let own: Vec<Strip> = rate.into_iter().chain(busy).collect();
        let limited = limited(scope, |limiter| series_of(&own, limiter));
        let strips = own.into_iter().chain(limited).chain(others).collect();
        Self { strips, end_secs: scope.end.as_secs(), note }
    }

    /// Returns the series in whose color something that limits frames is drawn; `None` for a neutral color.
    pub(super) fn series_of(&self, limiter: Limiter) -> Option<usize> {
        series_of(&self.strips, limiter)
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
            .note(&self.note)
            .show_plain(ui, |ui| strips_ui(ui, above, (0.0, self.end_secs), &self.strips));
    }
}

/// Returns the strip of how long something that limits frames was busy, whose color it has.
fn series_of(strips: &[Strip], limiter: Limiter) -> Option<usize> {
    let quantity = match limiter {
        Limiter::Cpu => FrameQuantity::CpuBusy,
        Limiter::Gpu => FrameQuantity::GpuBusy,
        Limiter::Neither | Limiter::Other => return None,
    };
    let [name, _] = quantity_words(quantity);
    strips.iter().position(|strip| strip.name == name)
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
fn limited(scope: &Scope, series_of: impl Fn(Limiter) -> Option<usize>) -> Option<Strip> {
    let (mut states, mut points): (Vec<StatePart>, Vec<(f64, f64)>) = (Vec::new(), Vec::new());
    let mut end_part = |counts: &mut [usize; LIMITERS.len()], part: [Nanos; 2]| {
        let most = counts.iter().zip(LIMITERS).zip(0_u32..).max_by_key(|((count, _), _)| **count);
        let Some(((_, limiter), place)) = most else { return };
        counts.fill(0);
        let [from_secs, to_secs] = part.map(Nanos::as_secs);
        points.push((to_secs, f64::from(place)));
        match states.last_mut() {
            Some(last) if last.name == limiter.label() && from_secs <= last.to_secs => {
                last.to_secs = to_secs;
            }
            _ => {
                let (name, series) = (limiter.label(), series_of(limiter));
                states.push(StatePart { from_secs, to_secs, name, series });
            }
        }
    };
    let mut counts = [0; LIMITERS.len()];
    let mut part: Option<[Nanos; 2]> = None;
    for ([from, to], by) in limiters(scope) {
        let [mut begin, end] = part.unwrap_or([from, from]);
        // Between two frames there may be a pause that is omitted.
        let is_gap = end + LIMITED_OVER < from;
        if part.is_some() && (is_gap || begin + LIMITED_OVER < to) {
            end_part(&mut counts, [begin, end]);
            begin = if is_gap { from } else { end };
        }
        let place = LIMITERS.iter().position(|limiter| *limiter == by);
        if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
            *count += 1;
        }
        part = Some([begin, to]);
    }
    end_part(&mut counts, part?);
    Some(Strip {
        name: "Limited by".to_owned(),
        points,
        extremes: "most frames of 0.5 s".to_owned(),
        words: limiter_text,
        unit: String::new(),
        states,
    })
}

/// Formats the position of what limits frames.
fn limiter_text(place: f64) -> String {
    let limiter = usize::try_from(whole(place)).ok().and_then(|place| LIMITERS.get(place));
    limiter.map_or_else(String::new, |limiter| limiter.label().to_owned())
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
        states: Vec::new(),
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
        let recorded = Recorded::of(&scope, true);
        let strip = recorded.strips.iter().find(|strip| strip.name == "Limited by").unwrap();
        let names: Vec<(f64, f64, &str)> =
            strip.states.iter().map(|part| (part.from_secs, part.to_secs, part.name)).collect();
        assert_eq!(names, [(0.0, 1.0, "GPU"), (1.0, 2.0, "CPU")]);
        for part in &strip.states {
            let busy = &recorded.strips[part.series.unwrap()].name;
            assert!(busy.starts_with(part.name), "{busy}");
        }
        let words: Vec<String> = strip.points.iter().map(|point| (strip.words)(point.1)).collect();
        assert_eq!(words, ["GPU", "GPU", "CPU", "CPU"]);
        let shares = busy_shares(&scope, FrameQuantity::GpuBusy).unwrap();
        assert!(shares.iter().any(|(_, share)| (share - 98.0).abs() < 0.1), "{shares:?}");
        // An omitted pause is in no box.
        let mut paused = recording.clone();
        let times = paused.frame_times.values().zip(0..);
        paused.frame_times =
            times.map(|(time, row)| if row == 50 { 5_000_000_000 } else { time }).collect();
        let view = CaptureView { omits_pauses: true, ..CaptureView::default() };
        let recorded = Recorded::of(&Scope::of(&paused, &Arc::new(view)), true);
        let strip = recorded.strips.iter().find(|strip| strip.name == "Limited by").unwrap();
        let around = [strip.states[0].to_secs, strip.states[1].from_secs];
        assert!((around[0] - 0.5).abs() < 1e-6 && (around[1] - 5.5).abs() < 1e-6, "{around:?}");
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
