//! The figures of a recording of every frame: rates, lows, stutter, what limits the frames, and what else the file has
//! of each of them.

use super::view::Scope;
use crate::nanos::Nanos;
use crate::report::model::capture_view::{CaptureView, FrameKind};
use crate::run::capture::{FrameQuantity, Recording};
use crate::sample::MISSING;
use crate::stats::lows::average_fps;
use crate::stats::stutter::{is_stutter, moving_median};
use crate::stats::{Lows, PercentileRule, Quantile, Sorted, Spread, Stutter, Sufficiency, float};

/// Frames per second: frames with a lower frame rate than each of these are counted as slow.
pub const SLOW_BELOW_FPS: [u32; 2] = [60, 30];
/// A frame is limited by the GPU, or else by the CPU, if that was busy for at least this share of its frame time.
const LIMITED: f64 = 0.95;

/// The figures of a recording of every frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameFigures {
    /// Mean, percentiles, and maximum of the frame times. Percentiles are interpolated by R type 7.
    pub frame_time: Spread,
    /// When the first of the longest frames ended, from the start of the recording.
    pub max_at: Nanos,
    /// Number of frames / sum of the frame times.
    pub average_fps: f64,
    /// The 1% low by every definition; `None` below 100 frames.
    pub one_percent_low: Option<Lows>,
    /// The 0.1% low by every definition; `None` below 1000 frames.
    pub tenth_percent_low: Option<Lows>,
    /// The 1% low without the pauses if these figures include them, or with the pauses if they do not; `None` without
    /// pauses or below 100 frames.
    pub other_one_percent_low: Option<Lows>,
    /// Frames that took much longer than the frames around them.
    pub stutter: Stutter,
    /// Frames slower than each of [`SLOW_BELOW_FPS`].
    pub slow: [SlowFrames; SLOW_BELOW_FPS.len()],
    /// Frames above the limit that was requested, with the limit.
    pub above: Option<(Nanos, SlowFrames)>,
    /// The percentiles that were requested; `None` with too few frames.
    pub percentiles: Vec<(Quantile, Option<Nanos>)>,
    /// What limits the frames; empty if the file has no busy times.
    pub limits: Vec<LimitedFrames>,
    /// What else the file has of each frame.
    pub per_frame: Vec<QuantityFigures>,
    /// Number of rows of the file without a frame time.
    pub missing_count: usize,
    /// Number of frames that were presented, but never displayed; `None` if the file does not show it.
    pub dropped_count: Option<usize>,
    /// Number of frames that the application did not make: generated, and displayed again. `None` if the file does not
    /// show it.
    pub generated_counts: Option<[usize; 2]>,
    /// Duration of the recording by the timestamps in the file; `None` if the file has none.
    pub elapsed: Option<Nanos>,
}

/// The frames that were slower than a limit, such as one of the frame rates in [`SLOW_BELOW_FPS`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SlowFrames {
    /// Number of slow frames.
    pub count: usize,
    /// Frame times of the slow frames as a share of all frame times, 0 to 1.
    pub time_share: f64,
}

/// What limits a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limiter {
    /// The GPU was busy for at least 95% of the frame time.
    Gpu,
    /// The CPU was, and the GPU was not.
    Cpu,
    /// Neither was: a frame limiter, the display, or another wait.
    Neither,
    /// Not the one of both whose busy time the file has.
    Other,
}

impl Limiter {
    /// Returns the name in a table.
    pub const fn label(self) -> &'static str {
        self.words()[0]
    }

    /// Returns the rule by which a frame is counted here.
    pub const fn rule(self) -> &'static str {
        self.words()[1]
    }

    const fn words(self) -> [&'static str; 2] {
        match self {
            Self::Gpu => ["GPU", "busy for at least 95% of the frame"],
            Self::Cpu => ["CPU", "busy for at least 95% of the frame, and not the GPU"],
            Self::Neither => ["Neither", "a frame limiter, the display, or other waits"],
            Self::Other => ["Other", "the file has busy times of one of both only"],
        }
    }
}

/// The frames that have the same limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitedFrames {
    /// What limits them.
    pub by: Limiter,
    /// Number of frames.
    pub count: usize,
    /// Their share of the frames with busy times, 0 to 1.
    pub share: f64,
    /// The median of their frame times; `None` without such a frame.
    pub p50: Option<Nanos>,
    /// Number of them that stutter.
    pub stutter_count: usize,
}

/// The figures of what a file has of each frame besides its frame time.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantityFigures {
    /// What it is; an animation error without its sign.
    pub quantity: FrameQuantity,
    /// Mean and percentiles of the values.
    pub spread: Spread,
}

/// Returns the name of what a file has of each frame, in sentence case, and its definition.
pub const fn quantity_words(quantity: FrameQuantity) -> [&'static str; 2] {
    match quantity {
        FrameQuantity::DisplayedTime => ["Displayed time", "from one displayed frame to the next"],
        FrameQuantity::CpuBusy => ["CPU busy", "how long the CPU worked on a frame"],
        FrameQuantity::CpuWait => ["CPU wait", "how long the CPU waited after a frame"],
        FrameQuantity::GpuBusy => ["GPU busy", "how long the GPU worked on a frame"],
        FrameQuantity::GpuWait => ["GPU wait", "how long the GPU was idle during a frame"],
        FrameQuantity::PcLatency => ["PC latency", "from an input to the display of the frame"],
        FrameQuantity::ClickToPhoton => {
            ["Click to photon", "from a click to the display of the frame"]
        }
        FrameQuantity::AnimationError => {
            ["Animation error", "step of the animation less step on the display, without sign"]
        }
        FrameQuantity::Dropped => ["Dropped", "presented, but never displayed"],
        FrameQuantity::Origin => ["Origin", "what made the frame"],
    }
}

/// Returns the figures of the frames of a scope; `whole` is the whole recording. `None` without a frame.
pub(super) fn frames(scope: &Scope, whole: &Recording) -> Option<FrameFigures> {
    let recording = &scope.recording;
    let sorted = Sorted::of_values(recording.present())?;
    let frame_time = Spread::of_sorted(&sorted);
    let average_fps = average_fps(&sorted)?;
    let all = frame_time.mean_nanos * 1e-9 * float(frame_time.count);
    let slower = |limit: i64| {
        let count = sorted.count_above(limit);
        let slowest = sorted.values().rev().take(count);
        let time = slowest.fold(Nanos::ZERO, |sum, time| sum + Nanos::new(time));
        SlowFrames { count, time_share: time.as_secs() / all }
    };
    let view = &scope.view;
    let percentile = |&quantile: &Quantile| {
        let is_enough = !matches!(Sufficiency::of(quantile, sorted.count()), Sufficiency::Needs(_));
        let value = || Nanos::from_nanos_f64(sorted.percentile(quantile, PercentileRule::R7));
        (quantile, is_enough.then(value))
    };
    let factor = view.stutter_factor;
    let longest = |(_, time): &(Nanos, Nanos)| *time == frame_time.max;
    let max_at = recording.frame_times_over_time().find(longest).map(|(at, _)| at);
    Some(FrameFigures {
        max_at: max_at.unwrap_or_default(),
        average_fps,
        one_percent_low: Lows::of(&sorted, 0.01),
        tenth_percent_low: Lows::of(&sorted, 0.001),
        other_one_percent_low: other_low(scope, whole),
        stutter: Stutter::above(recording.present(), factor),
        slow: SLOW_BELOW_FPS.map(|fps| slower(1_000_000_000 / i64::from(fps))),
        above: view.above.map(|limit| (limit, slower(limit.get()))),
        percentiles: view.percentiles.iter().map(percentile).collect(),
        limits: limits(scope),
        per_frame: FrameQuantity::ALL
            .into_iter()
            .filter_map(|quantity| of_quantity(recording, quantity))
            .collect(),
        missing_count: match scope.frames {
            FrameKind::Presented => recording.missing_count(),
            FrameKind::Displayed => 0,
        },
        dropped_count: dropped_count(recording),
        generated_counts: recording.per_frame(FrameQuantity::Origin).map(|origins| {
            [FrameQuantity::GENERATED, FrameQuantity::REPEATED]
                .map(|wanted| origins.values().filter(|origin| *origin == wanted).count())
        }),
        elapsed: recording.elapsed,
        frame_time,
    })
}

/// Returns the 1% low with the pauses if they are omitted, else without them.
fn other_low(scope: &Scope, whole: &Recording) -> Option<Lows> {
    if scope.pauses.count == 0 {
        return None;
    }
    let view = CaptureView { omits_pauses: !scope.view.omits_pauses, ..(*scope.view).clone() };
    let other = Scope::of(whole, &view.into());
    Lows::of(&Sorted::of_values(other.recording.present())?, 0.01)
}

fn of_quantity(recording: &Recording, quantity: FrameQuantity) -> Option<QuantityFigures> {
    let column = recording.per_frame(quantity).filter(|_| quantity.is_time())?;
    let values = column.values().filter(|value| *value != MISSING).map(i64::saturating_abs);
    let spread = Spread::of_sorted(&Sorted::of_values(values)?);
    Some(QuantityFigures { quantity, spread })
}

/// Returns the number of frames that were presented and never displayed: as the file counts them, or else those without
/// a time on the display after the first one with such a time.
fn dropped_count(recording: &Recording) -> Option<usize> {
    if let Some(dropped) = recording.per_frame(FrameQuantity::Dropped) {
        return Some(dropped.values().filter(|value| *value == 1).count());
    }
    let displayed = recording.per_frame(FrameQuantity::DisplayedTime)?;
    Some(
        displayed
            .values()
            .skip_while(|time| *time == MISSING)
            .filter(|time| *time == MISSING)
            .count(),
    )
}

/// Returns what limits the frames of a scope, with the figures of each.
fn limits(scope: &Scope) -> Vec<LimitedFrames> {
    let Scope { recording, view, .. } = scope;
    let (limiters, rows) = limiters_of_rows(scope);
    let mut parts: Vec<(Vec<i64>, usize)> = limiters.iter().map(|_| <_>::default()).collect();
    let medians = moving_median(recording.present());
    let frames = recording.frame_times.values().zip(rows).filter(|(time, _)| *time != MISSING);
    for ((time, by), median) in frames.zip(medians) {
        let place = limiters.iter().position(|limiter| Some(*limiter) == by);
        if let Some((times, stutters)) = place.and_then(|place| parts.get_mut(place)) {
            times.push(time);
            *stutters += usize::from(is_stutter(time, median, view.stutter_factor));
        }
    }
    let all: usize = parts.iter().map(|(times, _)| times.len()).sum();
    let parts = limiters.iter().zip(parts);
    let figures = parts.map(|(&by, (times, stutter_count))| LimitedFrames {
        by,
        count: times.len(),
        share: if all == 0 { 0.0 } else { float(times.len()) / float(all) },
        stutter_count,
        p50: Sorted::of(times).map(|sorted| {
            Nanos::from_nanos_f64(sorted.percentile(Quantile::P50, PercentileRule::R7))
        }),
    });
    figures.collect()
}

/// Returns what limits each frame of a scope, with the begin and the end of the frame; empty if the file has no busy
/// times.
pub fn limiters(scope: &Scope) -> impl Iterator<Item = ([Nanos; 2], Limiter)> + '_ {
    let (_, rows) = limiters_of_rows(scope);
    let times = scope.recording.times().zip(scope.recording.frame_times.values());
    times.zip(rows).filter_map(|((at, time), by)| Some(([at - Nanos::new(time), at], by?)))
}

/// Returns what can limit the frames of a scope, and what limits each row, by the share of the frame time during which GPU
/// and CPU were busy. That is the time of the presented frame also for displayed frames: with frame generation, a frame is
/// displayed for a part of it only. `None` for a row without a frame or a busy time.
fn limiters_of_rows(scope: &Scope) -> (&'static [Limiter], Vec<Option<Limiter>>) {
    let Scope { recording, presented, .. } = scope;
    let [gpu, cpu] = [FrameQuantity::GpuBusy, FrameQuantity::CpuBusy]
        .map(|quantity| recording.per_frame(quantity));
    let limiters: &[Limiter] = match (gpu, cpu) {
        (Some(_), Some(_)) => &[Limiter::Gpu, Limiter::Cpu, Limiter::Neither],
        (Some(_), None) => &[Limiter::Gpu, Limiter::Other],
        (None, Some(_)) => &[Limiter::Cpu, Limiter::Other],
        (None, None) => return (&[], Vec::new()),
    };
    let mut values = [gpu, cpu].map(|column| {
        let values = column.into_iter().flat_map(crate::sample::Column::values);
        values.chain(std::iter::repeat(MISSING))
    });
    let rows = recording.frame_times.values().zip(presented.values());
    let limiters_of = rows.map(|(time, presented)| {
        let [gpu, cpu] = values.each_mut().map(|values| values.next().unwrap_or(MISSING));
        if time == MISSING || presented == MISSING || (gpu == MISSING && cpu == MISSING) {
            return None;
        }
        let enough = LIMITED * Nanos::new(presented).as_f64();
        let is_limit = |busy: i64| busy != MISSING && enough <= Nanos::new(busy).as_f64();
        let is_by = |by: &Limiter| match by {
            Limiter::Gpu => is_limit(gpu),
            Limiter::Cpu => is_limit(cpu),
            Limiter::Neither | Limiter::Other => true,
        };
        limiters.iter().copied().find(is_by)
    });
    (limiters, limiters_of.collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::run::capture::FrameColumn;

    const MS: i64 = 1_000_000;

    fn column(quantity: FrameQuantity, values: &[i64]) -> FrameColumn {
        FrameColumn { quantity, values: values.iter().map(|millis| millis * MS).collect() }
    }

    fn of(recording: &Recording, view: CaptureView) -> FrameFigures {
        frames(&Scope::of(recording, &Arc::new(view)), recording).unwrap()
    }

    #[test]
    fn a_frame_is_limited_by_the_gpu_else_by_the_cpu_from_95_percent_on() {
        let recording = Recording {
            frame_times: [20 * MS; 4].into_iter().collect(),
            per_frame: vec![
                column(FrameQuantity::GpuBusy, &[19, 18, 18, 20]),
                column(FrameQuantity::CpuBusy, &[19, 19, 18, 0]),
            ],
            ..Recording::default()
        };
        let figures = of(&recording, CaptureView::default());
        let found: Vec<_> = figures.limits.iter().map(|one| (one.by, one.count)).collect();
        assert_eq!(found, [(Limiter::Gpu, 2), (Limiter::Cpu, 1), (Limiter::Neither, 1)]);
        assert!((figures.limits[0].share - 0.5).abs() < 1e-12);
    }

    #[test]
    fn the_low_with_and_without_a_pause_stand_beside_each_other() {
        let mut times = vec![10 * MS; 199];
        times.push(5_000 * MS);
        let recording = Recording { frame_times: times.into_iter().collect(), ..<_>::default() };
        let low = |lows: Option<Lows>| lows.unwrap().by(<_>::default());
        let with = of(&recording, CaptureView::default());
        // The mean of the two slowest frames is 2505 ms.
        assert!((low(with.one_percent_low) - 0.399).abs() < 0.001);
        assert!((low(with.other_one_percent_low) - 100.0).abs() < 1e-9);
        assert_eq!(with.stutter.count, 0, "a pause is no stutter");
        let without = of(&recording, CaptureView { omits_pauses: true, ..<_>::default() });
        assert!((low(without.one_percent_low) - 100.0).abs() < 1e-9);
        assert!((low(without.other_one_percent_low) - 0.399).abs() < 0.001);
    }

    #[test]
    fn frames_above_a_limit_and_percentiles_are_those_asked_for() {
        let times = (1..=100).map(|millis| millis * MS);
        let recording = Recording { frame_times: times.collect(), ..Recording::default() };
        let view = CaptureView {
            above: Some(Nanos::from_millis(90)),
            percentiles: vec![Quantile::new(97_000), Quantile::new(99_900)],
            ..CaptureView::default()
        };
        let figures = of(&recording, view);
        let (_, above) = figures.above.unwrap();
        assert_eq!(above.count, 10);
        // 91 + … + 100 of 1 + … + 100.
        assert!((above.time_share - 955.0 / 5_050.0).abs() < 1e-12);
        // NumPy: percentile(range(1, 101), 97) is 97.03.
        let [(_, p97), (_, p99_9)] = figures.percentiles.as_slice() else { panic!() };
        assert_eq!((*p97, *p99_9), (Some(Nanos::new(97_030_000)), None));
    }

    #[test]
    fn frames_without_a_time_on_the_display_were_dropped() {
        let recording = Recording {
            frame_times: [10 * MS; 4].into_iter().collect(),
            per_frame: vec![FrameColumn {
                quantity: FrameQuantity::DisplayedTime,
                values: [MISSING, 10 * MS, MISSING, 20 * MS].into_iter().collect(),
            }],
            ..Recording::default()
        };
        assert_eq!(of(&recording, CaptureView::default()).dropped_count, Some(1));
    }
}
