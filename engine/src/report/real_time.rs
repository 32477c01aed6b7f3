//! Real-time: what scheduling policies change against normal.

use super::change::{self, Change, Measure};
use super::chart::Chart;
use super::configuration::Configuration;
use super::evaluation::{Evaluation, Measured, too_few};
use super::figures::Figures;
use super::grading::{Grading, conclude};
use super::metric::Metric;
use super::reference::{ReferenceLine, holoscan};
use super::table::Table;
use super::verdict::{Finding, Verdict, sample_count};
use super::{Report, paced};
use crate::nanos::Nanos;
use crate::plan::RealTime;
use crate::run::Run;
use crate::stats::{Summary, float, reduction::Reduction};

impl Evaluation for RealTime {
    fn samples_name(&self) -> &'static str {
        "pairs of blocks"
    }

    fn metrics(&self) -> &'static [Metric] {
        Metric::PACED
    }

    fn figures(&self, measured: &Measured<'_>, summary: Option<&Summary>) -> Figures {
        paced::figures(measured, summary)
    }

    fn grading(&self, configuration: &Configuration, measured: &Measured<'_>) -> Option<Grading> {
        paced::grading(configuration, measured)
    }

    fn add_results(&self, run: &Run, report: &mut Report, has_intervals: bool) {
        report.changes = change::of(run, &report.rows, has_intervals);
    }

    fn verdict(&self, _run: &Run, report: &Report) -> Verdict {
        verdict(report)
    }

    fn tables(&self, run: &Run, report: &Report, has_intervals: bool) -> Vec<Table> {
        paced::real_time(run, report, has_intervals)
    }

    fn charts(&self, run: &Run, report: &Report) -> Vec<Chart> {
        paced::real_time_charts(run, report)
    }

    fn reference_lines(&self, run: &Run, report: &Report) -> Option<Vec<ReferenceLine>> {
        Some(holoscan::lines(run, &report.rows, self))
    }

    fn reference_json(&self, run: &Run, report: &Report) -> Option<String> {
        holoscan::json(run, &report.rows, self)
    }
}

/// Judges a complete real-time run by the policy that surely changed the most.
fn verdict(report: &Report) -> Verdict {
    let sure = |change: &&Change| {
        let rests_on = change.rests_on.and_then(|measure| change.reduction(measure));
        rests_on.map_or(f64::MIN, Reduction::sure)
    };
    let evaluated = report.changes.iter().filter(|change| change.is_evaluated());
    let Some(best) = evaluated.max_by(|a, b| sure(a).total_cmp(&sure(b))) else {
        let is_refused = report.rows.iter().skip(1).any(|row| !row.is_as_requested());
        return if is_refused {
            Verdict::without_grade(Finding::NothingAsRequested)
        } else {
            too_few(sample_count(report))
        };
    };
    let summary = |row: usize| report.rows.get(row).and_then(|row| row.summary.as_ref());
    let deviation = |row: usize| {
        let times = summary(row).and_then(|summary| summary.frame_time.as_ref());
        times.and_then(|times| times.std_dev_nanos).map_or(Nanos::ZERO, Nanos::from_nanos_f64)
    };
    let p99 = |row: usize| summary(row).and_then(|it| it.lateness.p99).unwrap_or_default();
    let late = |row: usize| {
        summary(row).map_or(0.0, |it| float(it.late_count) / float(it.lateness.count.max(1)))
    };
    let measure = best.rests_on.unwrap_or(Measure::StdDev);
    let fall = best.reduction(measure);
    let both = (best.normal, best.policy);
    let (grade, standing) = conclude(best.part().into_iter());
    Verdict {
        grade,
        standing,
        finding: Finding::RealTime {
            label: report.rows.get(best.policy).map_or(String::new(), |row| row.label.clone()),
            rests_on: best.rests_on,
            is_nothing_to_gain: best.is_nothing_to_gain,
            share: fall.map_or(0.0, |fall| fall.share),
            interval: fall.and_then(|fall| fall.interval),
            deviations: (deviation(both.0), deviation(both.1)),
            p99s: (p99(both.0), p99(both.1)),
            late_shares: (late(both.0), late(both.1)),
        },
    }
}
