//! Real-time test: what real-time scheduling policies change compared with normal scheduling.

mod change;
mod changes;
mod key;
mod metrics;

pub use self::change::{Change, MIN_PAIRS};
pub use self::metrics::{Measure, Reduction};
use super::model::chart::Chart;
use super::model::configuration::Configuration;
use super::model::evaluation::{Evaluation, Measured, ReferenceTool};
use super::model::figures::Figures;
use super::model::grading::{Grading, conclude};
use super::model::key_figure::{GradePlace, KeyFigure};
use super::model::metric::Metric;
use super::model::table::Table;
use super::model::verdict::{Finding, Verdict};
use super::{Report, paced};
use crate::nanos::Nanos;
use crate::plan::RealTime;
use crate::run::Run;
use crate::stats::grade::real_time_falls;
use crate::stats::{Summary, float};
use crate::units::{format_share, format_time};

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

    fn grading(&self, configuration: &Configuration) -> Option<Grading> {
        paced::grading(configuration)
    }

    fn results(&self, run: &Run, rows: &[Configuration], has_intervals: bool) -> Figures {
        Figures::of(change::of(run, rows, has_intervals))
    }

    /// Judges a complete real-time run by the policy that [`best`] selects.
    fn verdict(&self, _run: &Run, report: &Report) -> Verdict {
        let Some(best) = best(report) else {
            let is_refused = report.rows.iter().skip(1).any(|row| !row.is_as_requested());
            return if is_refused {
                Verdict::without_grade(Finding::new(
                    "No real-time policy ran as requested, so there is no verdict.",
                    "The table shows what was applied, and what would allow more.",
                ))
            } else {
                Verdict::too_few(report.sample_count())
            };
        };
        let summary = |row: usize| report.rows.get(row).and_then(|row| row.summary.as_ref());
        let deviation = |row: usize| {
            let times = summary(row).and_then(|summary| summary.frame_time.as_ref());
            times.and_then(|times| times.std_dev_nanos).map_or(Nanos::ZERO, Nanos::from_nanos_f64)
        };
        let p99 = |row: usize| summary(row).and_then(|it| it.lateness.p99);
        let late = |row: usize| {
            summary(row).map_or(0.0, |it| float(it.late_count) / float(it.lateness.count.max(1)))
        };
        let reduction = best.reduction(best.rests_on.unwrap_or(Measure::StdDev));
        let share = reduction.map_or(0.0, |reduction| reduction.share);
        let (normal, policy) = (best.normal, best.policy);
        let late_shares = (late(normal), late(policy));
        let of = match best.rests_on {
            None => match list(not_compared(best)).as_str() {
                "" => "None of these changed clearly".to_owned(),
                names => format!("Too few frames for a 95% confidence interval of {names}"),
            },
            Some(measure) => change_words(measure, share, reduction.and_then(|it| it.interval)),
        };
        let p99s = p99(normal).zip(p99(policy)).map_or(String::new(), |(normal, policy)| {
            format!(" p99 lateness from {} to {},", format_time(normal), format_time(policy))
        });
        // If there is nothing to gain, the evidence does not mention the change.
        let of = if best.is_nothing_to_gain { String::new() } else { format!(" {of}.") };
        let [excellent, good, modest] = real_time_falls();
        let evidence = format!(
            "{}: std dev from {} to {},{p99s} late frames from {} to {}.{of} Excellent above {excellent}%, \
             Good above {good}%, Modest above {modest}%.",
            report.rows.get(policy).map_or("", |row| row.label.as_str()),
            format_time(deviation(normal)),
            format_time(deviation(policy)),
            format_share(late_shares.0),
            format_share(late_shares.1)
        );
        if self.pooled && self.blocks() == 1 {
            // One pair has no variation from pair to pair, so the change has no interval to state.
            let evidence = format!(
                "std dev from {} to {}.{} Reference method, for comparison with the original tool. Only several \
                 pairs of blocks are graded: preset deadline or fifo.",
                format_time(deviation(normal)),
                format_time(deviation(policy)),
                p99s.trim_end_matches(',').to_owned() + if p99s.is_empty() { "" } else { "." },
            );
            let sentence = "Thread, CPU, and policy change at once, in a single pair of blocks.";
            return Verdict::without_grade(
                Finding::new(sentence, evidence).with_word("Not graded"),
            );
        }
        let sentence = sentence(best, share, late_shares);
        let key = best.rests_on.map(|_| {
            let direction = if share < 0.0 { "worse" } else { "better" };
            format!("{} {direction}", format_share(share.abs()))
        });
        let (grade, standing) = conclude(best.part().into_iter());
        let finding = Finding::new(sentence, evidence).with_key(key);
        let finding = match grade {
            Some(grade) => finding.with_word(grade.step()),
            None => finding,
        };
        Verdict { grade, standing, finding }
    }

    fn tables(&self, run: &Run, report: &Report, has_intervals: bool) -> Vec<Table> {
        vec![
            paced::configurations_table(&report.rows, None),
            changes::table(run, report, has_intervals),
        ]
    }

    fn key_figures(&self, _run: &Run, report: &Report) -> Vec<KeyFigure> {
        key::key_figures(report)
    }

    fn grade_place(&self, _run: &Run, report: &Report) -> Option<GradePlace> {
        key::grade_place(report)
    }

    fn key_columns(&self) -> &'static [&'static str] {
        paced::KEY_COLUMNS
    }

    fn charts(&self, run: &Run, report: &Report) -> Vec<Chart> {
        let forest = best(report).and_then(|change| changes::forest(report, change));
        forest.into_iter().chain(paced::real_time_charts(run, report)).collect()
    }

    fn reference(&self) -> Option<ReferenceTool> {
        Some(ReferenceTool::Holoscan { fps: self.fps, time_each: self.time_each })
    }
}

/// Returns the change whose reduction has the highest lower end of its 95% interval; `None` if no policy was compared
/// with normal scheduling.
fn best(report: &Report) -> Option<&Change> {
    let sure = |change: &&Change| {
        let rests_on = change.rests_on.and_then(|measure| change.reduction(measure));
        rests_on.map_or(f64::MIN, Reduction::sure)
    };
    let evaluated = report.results::<Change>().iter().filter(|change| change.is_evaluated());
    evaluated.max_by(|a, b| sure(a).total_cmp(&sure(b)))
}

/// Returns how much a measure changed, with the interval: "p99 lateness fell by 83.6% (95% CI 80.1% to 86.0%)".
fn change_words(measure: Measure, fall: f64, interval: Option<(f64, f64)>) -> String {
    let name = match measure {
        Measure::StdDev => "Std dev",
        Measure::P99 => "p99 lateness",
        Measure::LateShare => "The share of late frames",
    };
    let (verb, sign) = if fall < 0.0 { ("rose", -1.0) } else { ("fell", 1.0) };
    let mut words = format!("{name} {verb} by {}", format_share(fall.abs()));
    if let Some((one, other)) = interval {
        let (one, other) = (one * sign, other * sign);
        let (low, high) = (format_share(one.min(other)), format_share(one.max(other)));
        words.push_str(&format!(" (95% CI {low} to {high})"));
    }
    words
}

/// Returns the measures that have an interval.
fn compared(change: &Change) -> impl Iterator<Item = Measure> {
    let has_interval = |of: &Measure| change.reduction(*of).is_some_and(|it| it.interval.is_some());
    Measure::ALL.into_iter().filter(has_interval)
}

/// Returns the measures that have too few frames for an interval. If normal scheduling has no late frame, the share of
/// late frames is not among these measures: there is nothing to reduce.
fn not_compared(change: &Change) -> impl Iterator<Item = Measure> {
    let has_too_few = |of: &Measure| match change.reduction(*of) {
        Some(reduction) => reduction.interval.is_none(),
        None => *of != Measure::LateShare,
    };
    Measure::ALL.into_iter().filter(has_too_few)
}

/// Lists measures in words: "std dev, p99 lateness, or late frames".
fn list(measures: impl Iterator<Item = Measure>) -> String {
    let name = |of: Measure| match of {
        Measure::StdDev => "std dev",
        Measure::P99 => "p99 lateness",
        Measure::LateShare => "late frames",
    };
    match measures.map(name).collect::<Vec<_>>().as_slice() {
        [a, b, c] => format!("{a}, {b}, or {c}"),
        few => few.join(" or "),
    }
}

/// Returns the sentence of the verdict. `share` is the reduction of the measure that the verdict rests on.
/// `late_shares` are the shares of late frames under normal scheduling and under the policy.
fn sentence(change: &Change, share: f64, late_shares: (f64, f64)) -> String {
    if change.is_nothing_to_gain {
        return "There is nothing to gain: lateness and its variation are below 0.1 ms without \
                real-time scheduling, too."
            .to_owned();
    }
    let changed = if 0.0 < share { "reduced" } else { "increased" };
    let by = format_share(share.abs());
    match change.rests_on {
        None => match list(compared(change)).as_str() {
            "" => {
                "There are too few frames to compare real-time scheduling with normal.".to_owned()
            }
            names => format!("Real-time scheduling made no clear difference in {names}."),
        },
        Some(Measure::StdDev) if 0.0 < share => {
            format!("Real-time scheduling made frame times {by} better.")
        }
        Some(Measure::StdDev) => {
            format!("Real-time scheduling made frame times {by} worse.")
        }
        Some(Measure::P99) => format!("Real-time scheduling {changed} p99 lateness by {by}."),
        Some(Measure::LateShare) => format!(
            "Real-time scheduling {changed} the share of late frames from {} to {}.",
            format_share(late_shares.0),
            format_share(late_shares.1)
        ),
    }
}

#[cfg(test)]
mod tests {
    mod simulated;
}
