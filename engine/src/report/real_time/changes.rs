//! Table and plot of what each real-time policy changed: one row per metric and policy, with 95% confidence
//! intervals.

use std::borrow::Cow;

use super::change::Change;
use super::metrics::{METRICS, Measure, intervals, relative_outcome, value_of};
use crate::nanos::Nanos;
use crate::report::Report;
use crate::report::model::chart::{self, Chart, ForestRow, ForestTitles};
use crate::report::model::configuration::Configuration;
use crate::report::model::metric::Metric;
use crate::report::model::table::{Cell, Column, Quantity, Table, TableBuilder, absent, part_cell};
use crate::run::Run;
use crate::stats::effect::OUTCOMES;
use crate::stats::{Statistic, grade};
use crate::units::{format_count, format_time};

/// Names in the plot for the remaining metrics: without a better direction, and without an interval.
const NEUTRAL: &str = "Neither is better";
const WITHOUT_INTERVAL: &str = "No interval";

/// One row of the table: a metric of a policy.
struct ChangeLine<'a> {
    metric: Metric,
    position: usize,
    row: &'a Configuration,
    normal: &'a Configuration,
    interval: Option<(f64, f64)>,
    change: Option<&'a Change>,
}

impl ChangeLine<'_> {
    fn value(&self, row: &Configuration) -> Cell {
        let Some(value) = value_of(&self.metric, row) else {
            return absent(row);
        };
        match self.metric.unit {
            Quantity::Share => Cell::Share(value),
            Quantity::Count => Nanos::from_nanos_f64(value).get().unsigned_abs().into(),
            _ => Cell::Time(value),
        }
    }

    fn relative(&self) -> Option<f64> {
        let (normal, value) =
            (value_of(&self.metric, self.normal)?, value_of(&self.metric, self.row)?);
        (normal != 0.0).then(|| (value - normal) / normal.abs())
    }

    /// Returns why the policy is not compared with normal scheduling; `None` if the policy is compared.
    fn obstacle(&self) -> Option<Cow<'static, str>> {
        match (self.row.granted.is_some(), self.row.is_as_requested()) {
            (true, false) => Some("the policy was not applied as requested".into()),
            (false, _) => Some("the policy was not measured".into()),
            (true, true) => None,
        }
    }

    fn change(&self, has_intervals: bool) -> Cell {
        match (self.obstacle(), self.relative()) {
            (Some(reason), _) => Cell::Absent(reason),
            // While the run is in progress, the few frames of the first blocks do not show a reliable change.
            _ if !has_intervals => Cell::Absent("computed when the run ends".into()),
            (None, Some(change)) => Cell::Share(change),
            (None, None) => Cell::Absent("normal is 0 or absent".into()),
        }
    }

    fn interval(&self, has_intervals: bool) -> Cell {
        let reason = match (self.obstacle(), self.interval) {
            (Some(reason), _) => reason,
            (None, Some((low, high))) if self.relative().is_some() => {
                return Cell::Interval(Quantity::Share, low, high);
            }
            _ if !has_intervals => "computed when the run ends".into(),
            _ => match self.metric.statistic {
                Statistic::Min | Statistic::Max => "a single extreme value has no interval".into(),
                Statistic::HiddenFrames => "a single sum has no interval".into(),
                statistic => needed(statistic).into(),
            },
        };
        Cell::Absent(reason)
    }

    fn result(&self) -> Cell {
        let is_compared = self.obstacle().is_none() && self.relative().is_some();
        let Some((low, high)) = self.interval.filter(|_| is_compared) else {
            return Cell::Absent("no interval".into());
        };
        if self.metric.better.is_none() {
            return Cell::Absent("neither direction is better".into());
        }
        let change = self.relative().unwrap_or_default();
        Cell::text_of(relative_outcome(&self.metric, change, Some((low, high))).word())
    }

    fn rating(&self) -> Cell {
        let rests_on = self.change.and_then(|change| change.rests_on).unwrap_or(Measure::StdDev);
        if Measure::of(&self.metric) != Some(rests_on) {
            return Cell::Absent("the rating rests on another metric".into());
        }
        part_cell(self.change.and_then(Change::part), "pairs of blocks").unwrap_or_else(|| {
            Cell::Absent("no clear difference, no interval, or not as requested".into())
        })
    }
}

/// Returns the table of what each policy changed. `has_intervals` is false while the run is in progress: the table has
/// values, but no changes and no intervals.
pub(super) fn table(run: &Run, report: &Report, has_intervals: bool) -> Table {
    let rows = &report.rows;
    let is_normal = |row: &Configuration| row.conditions.priority == crate::plan::Priority::Normal;
    let normal = rows.iter().find(|row| is_normal(row));
    let mut lines = Vec::new();
    for (position, row) in rows.iter().enumerate().filter(|(_, row)| !is_normal(row)) {
        let Some(normal) = normal else { break };
        let change = report.results::<Change>().iter().find(|change| change.policy == position);
        let intervals = has_intervals.then(|| intervals(run, normal, row));
        for (metric, at) in METRICS.into_iter().zip(0..) {
            let interval = intervals.and_then(|all| all.get(at).copied().flatten());
            lines.push(ChangeLine { metric, position, row, normal, interval, change });
        }
    }
    lines.sort_by_key(|line| METRICS.iter().position(|metric| *metric == line.metric));
    build(&lines, has_intervals)
}

/// Returns the changes of a policy as a plot with one row per metric; `None` if there is no change to draw.
pub(super) fn forest(report: &Report, policy: &Change) -> Option<Chart> {
    let table = report.tables.iter().find(|table| table.key == "changes")?;
    let is_of_policy = |&at: &usize| {
        table.rows.get(at).is_some_and(|row| row.configuration == Some(policy.policy))
    };
    let row = |at: usize| {
        let share = table.cell(at, "change_share").and_then(Cell::value);
        let interval = match table.cell(at, "change_ci_share") {
            Some(&Cell::Interval(_, low, high)) => Some((low, high)),
            _ => None,
        };
        let result = match (interval, table.cell(at, "result")) {
            (None, _) => WITHOUT_INTERVAL,
            (_, Some(Cell::Text(text))) => {
                OUTCOMES.iter().map(|words| words.word).find(|word| word == text)?
            }
            _ => NEUTRAL,
        };
        let Some(Cell::Text(name)) = table.cell(at, "metric") else { return None };
        Some(ForestRow { name: name.clone(), result, share, interval })
    };
    let rows: Vec<ForestRow> = (0..table.rows.len()).filter(is_of_policy).filter_map(row).collect();
    let label = report.rows.get(policy.policy).map_or("", |row| row.label.as_str());
    let titles = ForestTitles {
        key: "changes",
        title: "Changes from normal",
        note: format!("{label}; dot: change; line: 95% CI; left of 0 is less"),
        x: "Change from normal",
    };
    let words = OUTCOMES.iter().map(|words| words.word);
    let results: Vec<&str> = words.chain([NEUTRAL, WITHOUT_INTERVAL]).collect();
    Some(chart::forest(titles, &results, &rows)).filter(|chart| !chart.is_empty())
}

/// Returns in words how many frames the interval of a change needs.
fn needed(statistic: Statistic) -> String {
    let count = u64::try_from(statistic.samples_needed()).unwrap_or(u64::MAX);
    let events = match statistic {
        Statistic::LateShare => ", several of them late under normal",
        Statistic::CountShare => ", several of them missed under normal",
        _ => "",
    };
    format!("needs {} frames{events}", format_count(count))
}

fn build(lines: &[ChangeLine<'_>], has_intervals: bool) -> Table {
    let threshold = lines.first().map_or(Nanos::ZERO, |line| line.normal.late_limit);
    let note = format!("frames are late above {}", format_time(threshold));
    TableBuilder::new("changes", "Changes", note, lines)
        .column(
            Column::text("metric", "Metric", "Name of the metric."),
            |line| Cell::text_of(line.metric.title),
        )
        .column(
            Column::text("unit", "Unit", "Unit of the exact values of this row in files.").optional(),
            |line| {
                Cell::text_of(match line.metric.unit {
                    Quantity::Share => "share",
                    Quantity::Count => "count",
                    _ => "nanos",
                })
            },
        )
        .column(
            Column::text("policy", "Policy", "Scheduling policy that is compared with normal."),
            |line| Cell::text_of(&line.row.label),
        )
        .column(
            Column::mixed("normal", "Normal", "Value under the normal policy."),
            |line| line.value(line.normal),
        )
        .pivot(Some("policy"))
        .column(
            Column::mixed("value", "Real-time", "Value under the compared policy."),
            |line| line.value(line.row),
        )
        .column(
            Column::share("change_share", "Change", "Change from normal as a share of normal.")
                .signed()
                .key_figure(),
            |line| line.change(has_intervals),
        )
        .column(
            Column::share(
                "change_ci_share",
                "Change 95% CI",
                "95% confidence interval of the change, from a bootstrap of blocks of frames. Those of frame \
                 time std dev, lateness p99, and late frames hold together: the rating tests all three.",
            )
            .interval(),
            |line| line.interval(has_intervals),
        )
        .column(
            Column::text(
                "result",
                "Result",
                "Better or worse where the interval excludes 0 and the change is at least 10%, 1% for frame times; slightly \
                 where it is less; same where the whole interval is below it; else no clear difference.",
            ),
            ChangeLine::result,
        )
        .column(
            Column::grade({
                let [excellent, good, fair] = grade::REMAINING_DEVIATION.upper.map(|left| 100.0 - left);
                format!(
                    "Rating of the reduction: excellent above {excellent}%, good above {good}%, modest above {fair}%, \
                     else limited. Of the frame time std dev where its interval excludes 0 and the change is at least \
                     10%, else of p99 lateness, else of the share of late frames."
                )
            })
            .in_steps(),
            ChangeLine::rating,
        )
        .each_row(|line, row| {
            row.configuration = Some(line.position);
            row.is_key = line.metric == METRICS[0];
            // While the run is in progress, a policy that is not measured yet is no reason for caution.
            let is_pending = !has_intervals && line.row.granted.is_none();
            if let Some(obstacle) = line.obstacle().filter(|_| !is_pending) {
                row.caution = obstacle.into_owned();
            }
        })
        .finish()
}
