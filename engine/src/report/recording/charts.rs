//! How late the canaries woke over time.

use std::collections::BTreeMap;

use crate::nanos::Nanos;
use crate::report::model::chart::{Axis, Chart, Limit, Marks, Series};
use crate::report::model::table::Quantity;
use crate::run::recording::Recording;
use crate::units::format_long_time;

/// Number of columns that a chart shows at most: those of a wide window.
const COLUMNS: i64 = 1_600;
/// Length of the interval that a recording has values of.
const INTERVAL: Nanos = Nanos::from_secs(1);

/// Rows of a log that are further apart than their frame time and this have others between them, which are not known.
const MAX_CONNECTED: Nanos = Nanos::from_millis(100);

/// Shows the frames of a recording on the axis of the whole recording, with a gap where the log has no rows.
pub(in crate::report) fn show_whole(charts: &mut [Chart], recording: &Recording) {
    let Some(chart) = charts.iter_mut().find(|chart| chart.key == "timeline") else { return };
    chart.x.to = chart.x.to.max(recording.length.as_f64());
    if recording.is_of_thread() {
        return;
    }
    let Marks::Lines(series) = &mut chart.marks else { return };
    let rows = recording.frames.iter();
    let gaps = rows
        .clone()
        .zip(rows.skip(1))
        .filter(|((last, _), (next, frame_time))| MAX_CONNECTED < *next - *last - *frame_time);
    let ends: Vec<f64> = gaps.map(|(_, (next, _))| next.as_f64()).collect();
    for series in series {
        series.gap_ends.clone_from(&ends);
    }
}

/// Returns the chart of a recording that its frames do not have: the lateness of the canaries.
pub(in crate::report) fn charts(recording: &Recording) -> Vec<Chart> {
    let length = recording.length.get() / INTERVAL.get();
    let seconds = (length / COLUMNS + 1).saturating_mul(INTERVAL.get());
    let mut columns: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for canary in &recording.canaries {
        let values = canary.p50.values().zip(canary.max.values());
        for (at, (p50, max)) in canary.at.values().zip(values) {
            let (highest_p50, highest) = columns.entry(at / seconds).or_default();
            *highest_p50 = p50.max(*highest_p50);
            *highest = max.max(*highest);
        }
    }
    if columns.len() < 2 {
        return Vec::new();
    }
    let float = |nanos: i64| Nanos::new(nanos).as_f64();
    let points = |value: &dyn Fn(&(i64, i64)) -> i64| -> Vec<(f64, f64)> {
        let points = columns.iter();
        points
            .map(|(at, values)| (float(at.saturating_mul(seconds)), float(value(values))))
            .collect()
    };
    let most = columns.values().map(|(_, highest)| float(*highest)).fold(0.0, f64::max);
    let limit = recording.limits.stall.as_f64();
    let x = Axis::linear("Time", Quantity::Time, 0.0, recording.length.as_f64());
    let y = Axis::linear("Lateness", Quantity::Time, 0.0, most.max(limit) * 1.05);
    let series = vec![
        Series::new("Longest", points(&|(_, highest)| *highest)),
        Series::new("Highest p50", points(&|(p50, _)| *p50)),
    ];
    vec![Chart {
        note: format!(
            "how late the threads of the recorder woke, in each {}",
            format_long_time(Nanos::new(seconds))
        ),
        limits: vec![Limit::horizontal(limit, "stall")],
        ..Chart::new(("canaries", "Lateness of this PC"), (x, y), Marks::Lines(series))
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::recording::{Canary, RecordedFrames};
    use crate::sample::Column;

    fn canary(seconds: i64, late: i64) -> Canary {
        let column = |value: i64| (0..seconds).map(|_| value).collect::<Column>();
        Canary {
            at: (0..seconds).map(|second| second * INTERVAL.get()).collect(),
            p50: column(late / 2),
            max: column(late),
            ..Canary::default()
        }
    }

    #[test]
    fn the_line_of_frames_ends_where_the_log_does_and_the_axis_is_that_of_the_recording() {
        let at = Nanos::from_millis;
        let mut frames = RecordedFrames::default();
        // Ten frames, a paused log, a frame of 900 ms, and ten frames.
        (1..=10).for_each(|frame| frames.push(at(16 * frame), at(16)));
        (0..=10).for_each(|frame| frames.push(at(5_000 + 16 * frame), at(16)));
        frames.push(at(6_060), at(900));
        let recording = Recording { frames, length: at(20_000), ..Recording::default() };
        let points: Vec<(f64, f64)> =
            recording.frames.iter().map(|(at, time)| (at.as_f64(), time.as_f64())).collect();
        let axis = || Axis::linear("Time", Quantity::Time, 0.0, 6.06e9);
        let lines = Marks::Lines(vec![Series::new("", points)]);
        let mut charts = [Chart::new(("timeline", ""), (axis(), axis()), lines)];
        show_whole(&mut charts, &recording);
        let [chart] = charts;
        assert!((chart.x.to - 20e9).abs() < 1.0);
        let Marks::Lines(series) = &chart.marks else { panic!("{:?}", chart.marks) };
        let lengths: Vec<usize> = series[0].connected().map(<[_]>::len).collect();
        assert_eq!(lengths, [10, 12]);
    }

    #[test]
    fn the_worst_canary_of_each_column_is_shown() {
        let recording = |seconds| Recording {
            length: Nanos::from_secs(seconds),
            canaries: vec![canary(seconds, 100_000), canary(seconds, 60_000)],
            ..Recording::default()
        };
        assert_eq!(charts(&recording(1)), []);
        let [chart] = charts(&recording(30)).try_into().unwrap();
        let Marks::Lines(series) = &chart.marks else { panic!("{:?}", chart.marks) };
        assert_eq!(series[0].points.len(), 30);
        assert!(series[0].points.iter().all(|point| (point.1 - 1e5).abs() < 1.0));
        assert!(series[1].points.iter().all(|point| (point.1 - 5e4).abs() < 1.0));
        let days = 3 * 86_400;
        let [chart] = charts(&recording(days)).try_into().unwrap();
        let Marks::Lines(series) = &chart.marks else { panic!("{:?}", chart.marks) };
        assert!((800..=1_600).contains(&series[0].points.len()), "{}", series[0].points.len());
    }
}
