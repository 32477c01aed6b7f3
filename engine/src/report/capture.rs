//! The report of an imported capture: frame times, frame rates, lows, and stutter, or counts of
//! values; without a grade.

mod charts;
mod details;
mod frames;
mod key;
mod table;
mod ticks;
mod view;

use std::sync::Arc;

use super::model::capture_view::{CaptureView, FrameKind};
use super::model::metric::Metric;
use super::model::verdict::Finding;
use crate::nanos::Nanos;
use crate::run::capture::{Capture, Distribution, Recording};
use crate::stats::float;
use crate::stats::{Lows, Quantile, Sorted, Spread, Statistic, Sufficiency};
use crate::units::{
    count_text, format_count, format_long_time, format_measured_fps, format_share, format_time,
};

pub use frames::{
    FrameFigures, LimitedFrames, Limiter, QuantityFigures, SLOW_BELOW_FPS, SlowFrames, limiters,
    quantity_words,
};
pub use ticks::TickLogFigures;
pub use view::{Pauses, Scope, format_position};

pub(super) use charts::charts;
pub(super) use key::key_figures;
pub(super) use table::tables;
pub(super) use view::caption_of;

/// The keys of the columns in a short report. Columns that a kind of recording does not have are
/// omitted.
pub(super) const KEY_COLUMNS: &[&str] = &[
    "frames_count",
    "average_fps",
    "one_percent_low_fps",
    "tenth_percent_low_fps",
    "stutter_share",
    "gpu_limited_share",
    "cpu_limited_share",
    "p99_nanos",
    "ticks_count",
    "ticks_per_second",
    "above_share",
    "readings_count",
    "values_count",
    "mean_nanos",
    "max_nanos",
];

/// The figures of one recording of an imported file, or of one thread of an imported histogram.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingFigures {
    /// The name of the recording.
    pub label: String,
    /// Position of the recording in the file.
    pub position: usize,
    /// The figures, by the kind of recording.
    pub figures: CaptureFigures,
    /// The part of the recording that the figures are of; `None` for a histogram, which has no times.
    pub scope: Option<Arc<Scope>>,
}

/// The figures of a recording, by its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum CaptureFigures {
    /// A recording of every frame.
    Frames(FrameFigures),
    /// A log of periodic readings, which lacks most frames.
    SampledLog(LogFigures),
    /// A log of the ticks of a server.
    Ticks(TickLogFigures),
    /// A histogram, which has only counts.
    Histogram(HistogramFigures),
}

/// The figures of a log of periodic readings. The frames between two readings are not known, so
/// there are no percentiles, lows, or stutter.
#[derive(Clone, Debug, PartialEq)]
pub struct LogFigures {
    /// Number of readings with a frame time.
    pub count: usize,
    /// The mean of the frame rates of all readings: each reading is of an interval of the same length. `None` for ticks of
    /// a server, which waits between them.
    pub average_fps: Option<f64>,
    /// The lowest reading.
    pub min: Nanos,
    /// The median reading.
    pub p50: Nanos,
    /// The highest reading.
    pub max: Nanos,
    /// The sum of all readings.
    pub frame_time_sum: Nanos,
    /// The duration of the log; `None` if the file has no clock.
    pub elapsed: Option<Nanos>,
}

/// The figures of a histogram. The p-th percentile is the lowest value with at least p% of all values at
/// or below it; `None` if it is above the highest bin.
#[derive(Clone, Debug, PartialEq)]
pub struct HistogramFigures {
    /// Number of values, including those above the highest bin.
    pub count: u64,
    /// The lowest value; `None` if no value is in a bin.
    pub min: Option<Nanos>,
    /// The median.
    pub p50: Option<Nanos>,
    /// The 95th percentile; `None` also below 20 values.
    pub p95: Option<Nanos>,
    /// The 99th percentile; `None` also below 100 values.
    pub p99: Option<Nanos>,
    /// The 99.9th percentile; `None` also below 1000 values.
    pub p99_9: Option<Nanos>,
    /// The highest value; `None` if it is above the highest bin and not stated in the file.
    pub max: Option<Nanos>,
    /// The mean of the values in the bins, in nanoseconds; with values above the highest bin, the mean that the
    /// file states, if any.
    pub mean_nanos: Option<f64>,
    /// Number of values above the highest bin.
    pub above_count: u64,
    /// Whether the file has a histogram; else it has only min, mean, max, and count.
    pub has_bins: bool,
}

/// The name of a recording, and its figures with the part that they are of; `None` without a value.
type FoundFigures<'a> = (&'a String, Option<(CaptureFigures, Option<Arc<Scope>>)>);

/// Returns the figures of each recording, of the part and by the definitions that the view asks for. A recording without a
/// value is omitted. Time: O(n log n).
pub(super) fn of(capture: &Capture, view: &CaptureView) -> Vec<RecordingFigures> {
    let view = Arc::new(view.clone());
    let of_frames = |one: &Recording| {
        let scope = Scope::of(one, &view);
        let figures = frames::frames(&scope, one).map(CaptureFigures::Frames)?;
        Some((figures, Some(Arc::new(scope))))
    };
    let of_log = |one: &Recording, is_of_frames: bool| {
        // A log of readings has no frames to choose from.
        let whole =
            CaptureView { frames: FrameKind::Presented, omits_pauses: false, ..(*view).clone() };
        let scope = Scope::of(one, &Arc::new(whole));
        let figures = log(&scope.recording, is_of_frames).map(CaptureFigures::SampledLog)?;
        Some((figures, Some(Arc::new(scope))))
    };
    let of_ticks = |one: &Recording| {
        let scope = Scope::of(one, &view);
        let figures = ticks::ticks(&scope).map(CaptureFigures::Ticks)?;
        Some((figures, Some(Arc::new(scope))))
    };
    let of_counts = |one: &Distribution| {
        (0 < one.count()).then(|| (CaptureFigures::Histogram(histogram(one)), None))
    };
    let figures: Vec<FoundFigures<'_>> = match capture {
        Capture::Frames(all) => all.iter().map(|one| (&one.label, of_frames(one))).collect(),
        Capture::SampledLog(all) => all.iter().map(|one| (&one.label, of_log(one, true))).collect(),
        Capture::SampledTicks(all) => {
            all.iter().map(|one| (&one.label, of_log(one, false))).collect()
        }
        Capture::Ticks(all) => all.iter().map(|one| (&one.label, of_ticks(one))).collect(),
        Capture::Histogram(all) => all.iter().map(|one| (&one.label, of_counts(one))).collect(),
    };
    let named = |((label, found), position): (FoundFigures<'_>, usize)| {
        let (figures, scope) = found?;
        Some(RecordingFigures { label: label.clone(), position, figures, scope })
    };
    figures.into_iter().zip(0..).filter_map(named).collect()
}

/// Returns the metrics by which recordings of this kind can be compared.
pub(super) const fn metrics(capture: &Capture) -> &'static [Metric] {
    match capture {
        Capture::Frames(_) => &Metric::FRAMES,
        Capture::SampledLog(_) | Capture::SampledTicks(_) => &Metric::READINGS,
        Capture::Ticks(_) => Metric::TICKS,
        Capture::Histogram(_) => &Metric::COUNTS,
    }
}

/// Returns the recording that the finding is of: the first one with the most values. `None` without recordings.
pub fn longest(recordings: &[RecordingFigures]) -> Option<&RecordingFigures> {
    recordings.iter().rev().max_by_key(|one| one.figures.count())
}

/// Returns the finding (the verdict in words) of a capture: about the recording with the most values, or
/// about all threads of a histogram together.
pub(super) fn finding(recordings: &[RecordingFigures]) -> Finding {
    let longest = longest(recordings);
    let finding = match longest.map(|one| &one.figures) {
        None => return Finding::nothing("frames"),
        Some(CaptureFigures::Frames(frames)) => match longest.and_then(|one| one.scope.as_ref()) {
            Some(scope) => of_frames(frames, scope),
            None => return Finding::nothing("frames"),
        },
        Some(CaptureFigures::Ticks(figures)) => {
            let scope = longest.and_then(|one| one.scope.as_deref());
            ticks::finding(figures).with_part(scope.map(Scope::caption).unwrap_or_default())
        }
        Some(CaptureFigures::SampledLog(log)) => of_log(log),
        Some(CaptureFigures::Histogram(_)) => of_histograms(recordings),
    };
    finding.with_word("Imported")
}

fn of_log(log: &LogFigures) -> Finding {
    let what = match (log.average_fps, log.elapsed) {
        (Some(_), Some(elapsed)) => format!(
            "{} of frame times in {}",
            format_time(log.frame_time_sum),
            format_long_time(elapsed)
        ),
        (Some(fps), None) => format!("{} on average", format_measured_fps(fps)),
        (None, _) => format!("readings of {} to {}", format_time(log.min), format_time(log.max)),
    };
    let needed = match log.average_fps {
        Some(_) => "Percentiles, lows, and stutter need every frame.",
        None => "Percentiles and the share of long ticks need every tick.",
    };
    let sentence = format!("This log holds samples, not every {}: {what}.", log.sample());
    Finding::new(sentence, needed).with_key(Some(format!("{} reads", format_count(log.count))))
}

fn of_frames(frames: &FrameFigures, scope: &Scope) -> Finding {
    let view = &scope.view;
    let average = format!("{} on average", format_measured_fps(frames.average_fps));
    let by = |lows: Lows| format_measured_fps(lows.by(view.low));
    let low = frames.one_percent_low.map(by);
    let definition = view.low.label();
    let low = low.as_ref().map_or_else(String::new, |low| format!("; 1% low {low} ({definition})"));
    let stutter = frames.stutter;
    let most = frames.limits.iter().max_by(|a, b| a.share.total_cmp(&b.share));
    let limited = most.and_then(|most| {
        let share = format_share(most.share);
        match most.by {
            Limiter::Gpu | Limiter::Cpu => {
                Some(format!(" Limited by the {} in {share} of frames.", most.by.label()))
            }
            Limiter::Neither => {
                Some(format!(" Limited by neither GPU nor CPU in {share} of frames."))
            }
            Limiter::Other => None,
        }
    });
    let sentence = format!(
        "{average}{low}. {} of the time was stutter.{}",
        format_share(stutter.share),
        limited.unwrap_or_default()
    );
    let limit = format!("{} × the moving median", format_factor(view.stutter_factor));
    let mut evidence = match stutter.count {
        0 => format!("No frame took more than {limit}."),
        slow => format!(
            "{} of {} frames took more than {limit}.",
            format_count(slow),
            format_count(frames.frame_time.count)
        ),
    };
    if let Some((limit, above)) = frames.above {
        evidence.push_str(&format!(
            " {} above {}: {} of the time.",
            count_text(above.count, "frames"),
            format_time(limit),
            format_share(above.time_share)
        ));
    }
    for (count, what) in unshown(frames) {
        evidence.push_str(&format!(" {} {what}.", count_text(count, "frames")));
    }
    evidence.push_str(&pause_words(frames, scope));
    let advice = if 0 < scope.pauses.count && !view.omits_pauses {
        "Omit pauses (--omit-pauses) unless they are what you look for.".to_owned()
    } else {
        String::new()
    };
    Finding::new(sentence, evidence)
        .with_part(scope.caption())
        .with_key(Some(average))
        .with_advice(advice)
}

/// Returns how many frames were dropped, generated, or repeated, each with the words for it.
fn unshown(frames: &FrameFigures) -> impl Iterator<Item = (usize, &'static str)> {
    let [generated, repeated] = frames.generated_counts.unwrap_or_default();
    let counts = [
        (frames.dropped_count.unwrap_or(0), "dropped (presented, but never displayed)"),
        (generated, "generated"),
        (repeated, "displayed again"),
    ];
    counts.into_iter().filter(|(count, _)| 0 < *count)
}

/// Returns how the pauses change the 1% low; empty without pauses.
fn pause_words(frames: &FrameFigures, scope: &Scope) -> String {
    let by = |lows: Lows| format_measured_fps(lows.by(scope.view.low));
    let Some((own, other)) =
        frames.one_percent_low.map(by).zip(frames.other_one_percent_low.map(by))
    else {
        return String::new();
    };
    let (with, without) = if scope.view.omits_pauses { (other, own) } else { (own, other) };
    let pauses = scope.pauses.words();
    format!(" {pauses}: 1% low {with} with and {without} without.")
}

/// Formats a multiple of the moving median: "2.5".
pub fn format_factor(factor: f64) -> String {
    let text = format!("{factor:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn of_histograms(recordings: &[RecordingFigures]) -> Finding {
    let all = || recordings.iter().filter_map(|one| one.figures.histogram());
    // The max of a figure over all threads is known only if the figure is known for each thread.
    let most = |of: fn(&HistogramFigures) -> Option<Nanos>| {
        all().map(of).collect::<Option<Vec<_>>>()?.into_iter().max().map(format_time)
    };
    let count = format_count(all().fold(0_u64, |sum, one| sum.saturating_add(one.count)));
    let (sentence, key) = match most(|one| one.p99) {
        Some(p99) => (format!("99% of {count} values were at most {p99}."), format!("p99 {p99}")),
        None if all().any(|one| one.count < 100) => (
            format!("{count} values; a p99 needs 100 in each histogram."),
            format!("{count} values"),
        ),
        None => (
            format!("{count} values; their p99 is not in the file."),
            "p99 above the histogram".to_owned(),
        ),
    };
    let evidence = most(|one| one.max).map_or_else(
        || "The highest values are above the histogram.".to_owned(),
        |max| format!("The highest value was {max}."),
    );
    Finding::new(sentence, evidence).with_key(Some(key))
}

impl CaptureFigures {
    /// Returns the number of frames, readings, or values of the recording.
    pub fn count(&self) -> u64 {
        let count = match self {
            Self::Frames(frames) => frames.frame_time.count,
            Self::SampledLog(log) => log.count,
            Self::Ticks(ticks) => ticks.tick_time.count,
            Self::Histogram(histogram) => return histogram.count,
        };
        u64::try_from(count).unwrap_or(u64::MAX)
    }

    /// Returns the value of a metric; `None` if this kind of recording lacks it or the metric needs
    /// a baseline.
    pub(super) fn value(&self, metric: &Metric) -> Option<f64> {
        let low = |lows: Option<Lows>| lows.map(|lows| lows.by(<_>::default()));
        match self {
            Self::Frames(frames) => match metric.statistic {
                Statistic::Rate => Some(frames.average_fps),
                Statistic::LOW_1 => low(frames.one_percent_low),
                Statistic::LOW_0_1 => low(frames.tenth_percent_low),
                Statistic::CountShare => Some(frames.stutter.share),
                statistic => frames.frame_time.statistic(statistic),
            },
            Self::Ticks(ticks) => ticks.tick_time.statistic(metric.statistic),
            Self::SampledLog(log) => match metric.statistic {
                Statistic::Min => Some(log.min.as_f64()),
                Statistic::Percentile(Quantile::P50) => Some(log.p50.as_f64()),
                Statistic::Max => Some(log.max.as_f64()),
                _ => None,
            },
            Self::Histogram(histogram) => match metric.statistic {
                Statistic::Min => histogram.min,
                Statistic::Percentile(Quantile::P50) => histogram.p50,
                Statistic::Percentile(Quantile::P95) => histogram.p95,
                Statistic::Percentile(Quantile::P99) => histogram.p99,
                Statistic::Percentile(Quantile::P99_9) => histogram.p99_9,
                Statistic::Max => histogram.max,
                Statistic::Mean => return histogram.mean_nanos,
                _ => None,
            }
            .map(Nanos::as_f64),
        }
    }

    /// Returns the figures of a histogram; `None` for any other kind of recording.
    pub const fn histogram(&self) -> Option<&HistogramFigures> {
        match self {
            Self::Histogram(histogram) => Some(histogram),
            Self::Frames(_) | Self::SampledLog(_) | Self::Ticks(_) => None,
        }
    }
}

impl LogFigures {
    /// Returns what most of are missing in the log.
    pub(super) const fn sample(&self) -> &'static str {
        if self.average_fps.is_some() { "frame" } else { "tick" }
    }
}

fn log(recording: &Recording, is_of_frames: bool) -> Option<LogFigures> {
    let spread = Spread::of_sorted(&Sorted::of_values(recording.present())?);
    Some(LogFigures {
        count: spread.count,
        average_fps: is_of_frames.then(|| mean_rate(recording)),
        min: spread.min,
        p50: spread.p50,
        max: spread.max,
        frame_time_sum: recording.frame_time_sum(),
        elapsed: recording.elapsed,
    })
}

/// Returns the mean of the frame rates of all readings.
fn mean_rate(recording: &Recording) -> f64 {
    let rates = recording.present().map(|nanos| 1.0 / Nanos::new(nanos).as_secs());
    let (sum, count) = rates.fold((0.0, 0_usize), |(sum, count), rate| (sum + rate, count + 1));
    sum / float(count)
}

fn histogram(distribution: &Distribution) -> HistogramFigures {
    let count = distribution.count();
    let at = |quantile: Quantile| {
        let enough = usize::try_from(count).unwrap_or(usize::MAX);
        let is_enough = !matches!(Sufficiency::of(quantile, enough), Sufficiency::Needs(_));
        if is_enough { value_at(distribution, rank(quantile, count)) } else { None }
    };
    let (sum, counted) = distribution.bins.iter().fold((0.0, 0.0), |(sum, counted), (value, n)| {
        (sum + Nanos::new(value).as_f64() * wide_float(n), counted + wide_float(n))
    });
    HistogramFigures {
        count,
        min: distribution
            .bins
            .first()
            .map(|(value, _)| Nanos::new(value))
            .or(distribution.stated_min),
        p50: at(Quantile::P50),
        p95: at(Quantile::P95),
        p99: at(Quantile::P99),
        p99_9: at(Quantile::P99_9),
        max: value_at(distribution, count),
        mean_nanos: (distribution.above_count == 0 && 0.0 < counted)
            .then_some(sum / counted)
            .or(distribution.stated_mean.map(Nanos::as_f64)),
        above_count: distribution.above_count,
        has_bins: !distribution.bins.is_empty(),
    }
}

/// Returns the rank of a percentile among `count` sorted values, counted from 1: `⌈count × share⌉`, in
/// integer arithmetic.
fn rank(quantile: Quantile, count: u64) -> u64 {
    let product = u128::from(count) * u128::from(quantile.parts());
    u64::try_from(product.div_ceil(100_000)).unwrap_or(u64::MAX).max(1)
}

/// Returns the value with a rank (counted from 1) among the sorted values. Above the highest bin, only
/// the maximum is known, and only if the file states the maximum.
fn value_at(distribution: &Distribution, rank: u64) -> Option<Nanos> {
    let mut up_to: u64 = 0;
    let found = distribution.bins.iter().find(|&(_, count)| {
        up_to = up_to.saturating_add(count);
        rank <= up_to
    });
    match found {
        Some((value, _)) => Some(Nanos::new(value)),
        None if rank == distribution.count() => distribution.max,
        None => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a mean is a rounded number")]
const fn wide_float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Verdict;

    const MS: i64 = 1_000_000;

    fn recording(times: &[i64]) -> Recording {
        Recording { frame_times: times.iter().copied().collect(), ..Recording::default() }
    }

    #[test]
    fn frames_are_counted_as_they_are() {
        let mut times = vec![8 * MS; 999];
        times.insert(500, 200 * MS);
        times.push(crate::sample::MISSING);
        let shown = of(&Capture::Frames(vec![recording(&times)]), &<_>::default());
        let CaptureFigures::Frames(frames) = &shown[0].figures else { panic!("{shown:?}") };
        assert_eq!((frames.frame_time.count, frames.missing_count), (1_000, 1));
        assert_eq!(frames.frame_time.p99, Some(Nanos::from_millis(8)));
        assert!((frames.average_fps - 122.07).abs() < 0.005);
        assert!((frames.one_percent_low.unwrap().by(<_>::default()) - 36.76).abs() < 0.005);
        assert!((frames.tenth_percent_low.unwrap().by(<_>::default()) - 5.0).abs() < 0.005);
        assert_eq!(frames.stutter.count, 1);
        let share = 200.0 / (999.0 * 8.0 + 200.0);
        assert!((frames.stutter.share - share).abs() < 1e-12);
        for slow in frames.slow {
            assert_eq!(slow.count, 1);
            assert!((slow.time_share - share).abs() < 1e-9);
        }
        assert_eq!(
            finding(&shown).evidence,
            "1 of 1\u{202f}000 frames took more than 2.5 × the moving median."
        );
    }

    #[test]
    fn the_part_of_a_capture_is_apart_from_its_numbers() {
        let view = CaptureView { from: Some(Nanos::from_millis(800)), ..CaptureView::default() };
        let shown = of(&Capture::Frames(vec![recording(&[8 * MS; 1_000])]), &view);
        let verdict = Verdict::without_grade(finding(&shown));
        let numbers = "No frame took more than 2.5 × the moving median.";
        assert_eq!(verdict.numbers_without_part(), numbers);
        assert_eq!(verdict.finding.part, shown[0].scope.as_ref().unwrap().caption());
        assert_eq!(verdict.numbers(), format!("{numbers} 0:00.8 to 0:08.0."));
    }

    #[test]
    fn a_sampled_log_has_no_lows_or_percentiles() {
        let log = Recording { elapsed: Some(Nanos::from_secs(30)), ..recording(&[4 * MS; 300]) };
        let shown = of(&Capture::SampledLog(vec![log]), &<_>::default());
        let CaptureFigures::SampledLog(log) = &shown[0].figures else { panic!("{shown:?}") };
        assert_eq!((log.count, log.frame_time_sum), (300, Nanos::from_millis(1_200)));
        assert_eq!(log.elapsed, Some(Nanos::from_secs(30)));
        assert!((log.average_fps.unwrap() - 250.0).abs() < 1e-9);
        assert_eq!(finding(&[]), Finding::nothing("frames"));
    }

    #[test]
    fn percentiles_of_counts_are_by_nearest_rank_and_unknown_above_the_bins() {
        let of_bins = |bins: &[(i64, u64)], above_count, max| {
            histogram(&Distribution {
                bins: bins.iter().copied().collect(),
                above_count,
                max,
                ..<_>::default()
            })
        };
        let all = of_bins(&[(1, 500), (2, 490), (9, 10)], 0, None);
        assert_eq!((all.p50, all.p99), (Some(Nanos::new(1)), Some(Nanos::new(2))));
        assert_eq!((all.p99_9, all.max), (Some(Nanos::new(9)), Some(Nanos::new(9))));
        assert!((all.mean_nanos.unwrap() - 1.57).abs() < 1e-12);
        let above = of_bins(&[(1, 980)], 20, Some(Nanos::new(50)));
        assert_eq!((above.count, above.p95), (1_000, Some(Nanos::new(1))));
        assert_eq!((above.p99, above.p99_9, above.mean_nanos), (None, None, None));
        assert_eq!(above.max, Some(Nanos::new(50)));
        assert_eq!(of_bins(&[(1, 99)], 0, None).p99, None, "p99 needs 100 values");
        let huge = of_bins(&[(1, u64::MAX - 1), (5, 1)], 0, None);
        assert_eq!((huge.p99, huge.max), (Some(Nanos::new(1)), Some(Nanos::new(5))));
    }
}
