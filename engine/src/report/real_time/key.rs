//! The figures that the report of a real-time test shows first.

use super::metrics::Measure;
use super::{Change, best};
use crate::nanos::Nanos;
use crate::report::Report;
use crate::report::model::configuration::Configuration;
use crate::report::model::key_figure::{GradePlace, KeyFigure};
use crate::stats::grade::{REMAINING_DEVIATION, real_time_falls};
use crate::stats::{Summary, float};
use crate::units::{format_count, format_share, format_time};

/// Returns the best change, or the first whose policy ran as requested, with two configurations: normal scheduling and
/// the policy. `None` if no policy ran as requested.
fn pair(report: &Report) -> Option<(&Change, [&Configuration; 2])> {
    let ran = |change: &&Change| {
        report.rows.get(change.policy).is_some_and(Configuration::is_as_requested)
    };
    let change = best(report).or_else(|| report.results::<Change>().iter().find(ran))?;
    Some((change, [report.rows.get(change.normal)?, report.rows.get(change.policy)?]))
}

pub(super) fn key_figures(report: &Report) -> Vec<KeyFigure> {
    let Some((_, rows)) = pair(report) else {
        let absent = |title| KeyFigure::absent(title, "no policy ran as requested");
        return ["Std dev of frame time", "p99 lateness", "Late frames"].map(absent).to_vec();
    };
    let [_, policy] = rows;
    let change = |title, of: &dyn Fn(&Summary) -> Option<String>| {
        let [before, after] = rows.map(|row| row.summary.as_ref().and_then(of));
        match before.zip(after) {
            Some((before, after)) => {
                KeyFigure::new(title, (after, ""), format!("from {before} under normal"))
            }
            None => KeyFigure::absent(title, "needs more frames"),
        }
    };
    let late = |it: &Summary| float(it.late_count) / float(it.lateness.count.max(1));
    let missed = policy.summary.as_ref().map_or(0, Summary::missed_count);
    let slots = policy.summary.as_ref().map_or(0, |it| it.slot_count);
    let pairs = rows.map(|row| row.trials.len()).into_iter().min().unwrap_or(0);
    let deviation = |it: &Summary| {
        let nanos = it.frame_time.as_ref()?.std_dev_nanos?;
        Some(format_time(Nanos::from_nanos_f64(nanos)))
    };
    vec![
        change("Std dev of frame time", &deviation),
        change("p99 lateness", &|it| it.lateness.p99.map(format_time)),
        change("Late frames", &|it| Some(format_share(late(it)))),
        change("Max lateness", &|it| Some(format_time(it.lateness.max))),
        KeyFigure::new("Missed frames", (format_count(missed), ""), policy.label.clone())
            .among(slots),
        KeyFigure::new("Pairs of blocks", (format_count(pairs), ""), "normal and policy in turn"),
    ]
}

pub(super) fn grade_place(report: &Report) -> Option<GradePlace> {
    let (change, _) = pair(report)?;
    let measure = change.rests_on?;
    let reduction = change.reduction(measure)?;
    let left = |fall: f64| (1.0 - fall) * 100.0;
    let interval = reduction.interval.map(|(low, high)| (left(high), left(low)));
    let name = match measure {
        Measure::StdDev => "reduction of the std dev",
        Measure::P99 => "reduction of p99 lateness",
        Measure::LateShare => "reduction of late frames",
    };
    let (text, value) = (format_share(reduction.share), left(reduction.share));
    let place = GradePlace::of(&REMAINING_DEVIATION, name, text, value, interval);
    Some(place.in_steps(real_time_falls()))
}
