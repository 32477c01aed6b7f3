//! Charts of paced loops: the lateness of a frame loop, and the frame and execution times of a real-time test.

use super::super::model::chart::{
    Axis, Chart, Limit, Marks, Series, lateness, linear_histogram, over_time, overlaid, trials,
};
use super::super::model::evaluation::round_of;
use super::super::model::table::Quantity;
use super::super::{Configuration, Report, chart};
use crate::nanos::Nanos;
use crate::run::{Run, TrialRun};

/// Range of the zoomed chart on each side of the target frame time, as a share of the target frame time.
const ZOOM: f64 = 0.05;
/// Number of bins of the histograms, the same as in Holoscan's script.
const BINS: usize = 149;
/// Factors for the two ends of the histograms: of the lowest and of the highest value, as in Holoscan's script.
const BEYOND: (f64, f64) = (0.9, 1.1);

/// Returns charts of the lateness: over time for the recommended configuration, and as distributions for several.
pub(in crate::report) fn frame_loop(run: &Run, report: &Report) -> Vec<Chart> {
    let first = chart::default_row(report).and_then(|row| report.rows.get(row));
    first
        .and_then(|row| lateness(run, row))
        .into_iter()
        .chain(chart::lateness_distributions(run, overlaid(report)))
        .collect()
}

/// A time that a real-time test compares. It has the key and the title of its two charts, and the function
/// that reads the values from a trial, each with the instant of its frame.
struct Compared {
    over_time: (&'static str, &'static str),
    histogram: (&'static str, &'static str),
    read: fn(&TrialRun) -> Vec<(Nanos, Nanos)>,
}

const FRAME_TIME: Compared = Compared {
    over_time: ("frame-time", "Frame time"),
    histogram: ("frame-time-histogram", "Frame time histogram"),
    read: frame_times,
};
const EXECUTION_TIME: Compared = Compared {
    over_time: ("execution-time", "Execution time"),
    histogram: ("execution-time-histogram", "Execution time histogram"),
    read: execution_times,
};

fn frame_times(trial: &TrialRun) -> Vec<(Nanos, Nanos)> {
    let starts = trial.samples.woke_nanos().skip(1).map(Nanos::new);
    let steps = round_of(trial).steps(trial.trial.pace.period());
    starts
        .zip(steps)
        .filter_map(|(start, step)| Some((start, Nanos::new(step.frame_time_nanos?))))
        .collect()
}

fn execution_times(trial: &TrialRun) -> Vec<(Nanos, Nanos)> {
    trial
        .samples
        .woke_nanos()
        .map(Nanos::new)
        .zip(trial.work_nanos().into_iter().map(Nanos::new))
        .collect()
}

/// Returns charts of the frame and execution times of every policy, over time and as histograms. A further chart
/// shows the frame times near the target frame time.
pub(in crate::report) fn real_time(run: &Run, report: &Report) -> Vec<Chart> {
    let mut rows: Vec<&Configuration> =
        report.rows.iter().filter(|row| row.summary.is_some()).collect();
    let end_of_note = chart::shorten(&mut rows, chart::MAX_SERIES, "configurations");
    let target = rows.first().map_or(Nanos::ZERO, |row| row.period);
    let limit = Limit::horizontal(target.as_f64(), "target");
    let mut charts = Vec::new();
    for compared in [FRAME_TIME, EXECUTION_TIME] {
        let is_frame_time = compared.over_time == FRAME_TIME.over_time;
        let Some(mut full) = over_time_of(run, &rows, &compared) else { continue };
        if is_frame_time && Nanos::ZERO < target {
            full.limits.push(limit.clone());
            let (from, to) = (target.as_f64() * (1.0 - ZOOM), target.as_f64() * (1.0 + ZOOM));
            let y = Axis::linear(compared.over_time.1, Quantity::Time, from, to);
            let zoom = Chart {
                key: "frame-time-zoom",
                title: "Frame time within 5% of the target",
                note: "values outside are at the edge".to_owned(),
                y,
                ..full.clone()
            };
            charts.extend([full, zoom]);
        } else {
            charts.push(full);
        }
    }
    for compared in [FRAME_TIME, EXECUTION_TIME] {
        let values: Vec<(&str, Vec<i64>)> =
            rows.iter().map(|row| values_of(run, row, &compared)).collect();
        let all =
            || values.iter().flat_map(|(_, values)| values).map(|&it| Nanos::new(it).as_f64());
        let (lowest, most) = (all().fold(f64::MAX, f64::min), all().fold(0.0, f64::max));
        let range = (lowest * BEYOND.0, most * BEYOND.1);
        let (key, title) = compared.histogram;
        let names = (compared.over_time.1, "Frames");
        charts.extend(linear_histogram(key, title, names, &values, (range, BINS)));
    }
    for chart in &mut charts {
        let end =
            if chart.note.is_empty() { end_of_note.trim_start_matches("; ") } else { &end_of_note };
        chart.note.push_str(end);
    }
    charts
}

fn values_of<'a>(run: &Run, row: &'a Configuration, compared: &Compared) -> (&'a str, Vec<i64>) {
    let values = trials(run, row).flat_map(|trial| (compared.read)(trial));
    (&row.label, values.map(|(_, value)| value.get()).collect())
}

fn over_time_of(run: &Run, rows: &[&Configuration], compared: &Compared) -> Option<Chart> {
    let points = |row: &&Configuration| Series::new(&row.label, over_time(run, row, compared.read));
    let series: Vec<Series> =
        rows.iter().map(points).filter(|series| !series.points.is_empty()).collect();
    let all = || series.iter().flat_map(|series| &series.points);
    let end = all().map(|point| point.0).fold(0.0, f64::max);
    let (lowest, most) = all()
        .map(|point| point.1)
        .fold((f64::MAX, f64::MIN), |(lowest, most), it| (lowest.min(it), most.max(it)));
    let x = Axis::linear("Time", Quantity::Time, 0.0, end);
    let y = Axis::linear(compared.over_time.1, Quantity::Time, lowest, most);
    let note = "blocks of one policy follow each other; every column shows its min and max";
    (!series.is_empty()).then(|| Chart {
        note: note.to_owned(),
        ..Chart::new(compared.over_time, (x, y), Marks::Points(series))
    })
}
