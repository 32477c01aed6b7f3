//! Table of the spin tails that were tried before a hybrid wait: the results of each tail, and the selected tail.

use super::model::configuration::Configuration;
use super::model::table::{Cell, Column, Quantity, Table, TableBuilder};
use crate::nanos::Nanos;
use crate::run::{Run, TailPoint};

/// The tails that were tried for one trial, and the configurations that share their results.
#[derive(Debug)]
struct Curve<'a> {
    configuration: usize,
    labels: Vec<&'a str>,
    points: &'a [TailPoint],
    selected: Option<Nanos>,
}

/// One row of the table: a tail that was tried.
#[derive(Debug)]
struct SpinTailLine<'a> {
    configuration: usize,
    label: String,
    point: &'a TailPoint,
    is_selected: bool,
    /// The result of the plain sleep (tail 0) in the same trial, if it was tried.
    without: Option<&'a TailPoint>,
}

impl SpinTailLine<'_> {
    /// Whether p99 lateness was higher with this tail than with the plain sleep: the whole range of p99 is higher.
    fn was_later(&self) -> bool {
        let without = self.without.and_then(|without| without.p99_interval);
        let ends = self.point.p99_interval.zip(without);
        ends.is_some_and(|((low, _), (_, high))| high < low)
    }
}

/// Returns the table of all tails that were tried, the shortest first; `None` if no tail was tried. Configurations with
/// the same results share the rows.
pub(super) fn table(run: &Run, rows: &[Configuration]) -> Option<Table> {
    let mut curves: Vec<Curve<'_>> = Vec::new();
    for (position, row) in rows.iter().enumerate() {
        let trials = row.trials.iter().filter_map(|&trial| run.trials.get(trial));
        for trial in trials.filter(|trial| !trial.tail_curve.is_empty()) {
            let curve = trial.tail_curve.as_slice();
            match curves.iter_mut().find(|known| known.points == curve) {
                Some(known) if known.labels.contains(&row.label.as_str()) => {}
                Some(known) => known.labels.push(&row.label),
                None => curves.push(Curve {
                    configuration: position,
                    labels: vec![&row.label],
                    points: curve,
                    selected: trial.tail(),
                }),
            }
        }
    }
    let mut lines = Vec::new();
    for curve in &curves {
        let label = match curve.labels.as_slice() {
            [one] => (*one).to_owned(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
            [] => String::new(),
        };
        lines.extend(curve.points.iter().map(|point| SpinTailLine {
            configuration: curve.configuration,
            label: label.clone(),
            point,
            is_selected: curve.selected == Some(point.tail),
            without: curve.points.iter().find(|point| point.tail == Nanos::ZERO),
        }));
    }
    (!lines.is_empty()).then(|| build(&lines))
}

fn build(lines: &[SpinTailLine<'_>]) -> Table {
    let note = "used: the shortest tail with p99 within the range of the best and similar lateness in its latest \
                10% of waits";
    TableBuilder::new("spin_tails", "Spin tails", note.to_owned(), lines)
        .column(
            Column::text(
                "configuration",
                "Configuration",
                "Configuration that the tail was tried for.",
            ),
            |line| Cell::text_of(&line.label),
        )
        .column(
            Column::setting(
                "spin_tail_nanos",
                "Spin tail",
                "Spin at the end of each wait; 0 is sleep alone.",
            ),
            |line| line.point.tail.into(),
        )
        .column(
            Column::time(
                "p99_nanos",
                "p99 lateness",
                "99th percentile of the lateness with this tail.",
            )
            .lower_is_better()
            .key_figure(),
            |line| line.point.p99.into(),
        )
        .column(
            Column::time(
                "p99_range_nanos",
                "p99 range",
                "Range of p99 lateness in 95% of resamples of these waits, by blocks. Too few waits for a confidence \
                 interval.",
            )
            .interval(),
            |line| match line.point.p99_interval {
                Some((low, high)) => Cell::Interval(Quantity::Time, low.as_f64(), high.as_f64()),
                None => Cell::Absent("needs 50 waits".into()),
            },
        )
        .column(
            Column::share(
                "cpu_share",
                "CPU",
                "CPU time of the loop with this tail as a share of its duration.",
            )
            .lower_is_better(),
            |line| match line.point.cpu {
                Some(cpu) if Nanos::ZERO < line.point.wall => {
                    Cell::Share(cpu.as_f64() / line.point.wall.as_f64())
                }
                _ => Cell::Absent("not reported by this system".into()),
            },
        )
        .column(
            Column::count("waits_count", "Waits", "Number of waits with this tail.").optional(),
            |line| u64::from(line.point.wait_count).into(),
        )
        .column(Column::text("used", "Used", "Whether the test used this tail."), |line| {
            Cell::text_of(if line.is_selected { "yes" } else { "no" })
        })
        .each_row(|line, row| {
            row.configuration = Some(line.configuration);
            row.is_key = line.is_selected;
            if line.was_later() {
                "p99 was higher in these waits than with sleep alone".clone_into(&mut row.caution);
            }
        })
        .finish()
}

#[cfg(test)]
mod tests {
    use super::super::model::table::tests::check;
    use super::super::tests::test_run::run_of;
    use super::super::{Options, Report};
    use super::*;
    use crate::plan::{FrameLoop, Plan};
    use crate::run::counter;

    fn point(tail: i64, p99: i64) -> TailPoint {
        let micros = Nanos::from_micros;
        TailPoint {
            tail: micros(tail),
            p99: micros(p99),
            p99_interval: Some((micros(p99 - 1), micros(p99 + 1))),
            wait_count: 150,
            cpu: Some(micros(20)),
            wall: micros(100),
        }
    }

    #[test]
    fn every_tail_that_was_tried_is_shown_with_what_it_did() {
        let mut run = run_of(Plan::FrameLoop(FrameLoop::default()), |trial| {
            trial.tail_curve = vec![point(0, 80), point(100, 40), point(500, 3_400)];
            trial.counters.insert(counter::TAIL_NANOS.to_owned(), 100_000);
        });
        let of = |run: &Run| Report::of(run, &Options::default()).tables;
        let tables = of(&run);
        let table = tables.iter().find(|table| table.key == "spin_tails").unwrap();
        check(table);
        assert_eq!(table.rows.len(), 3);
        let used: Vec<bool> = table.rows.iter().map(|row| row.is_key).collect();
        assert_eq!(used, [false, true, false]);
        assert_eq!(table.cell(1, "p99_nanos"), Some(&Cell::Time(40_000.0)));
        assert_eq!(table.cell(1, "cpu_share"), Some(&Cell::Share(0.2)));
        assert!(table.rows[1].caution.is_empty() && table.rows[2].caution.contains("was higher"));
        run.trials[0].tail_curve.clear();
        assert!(of(&run).iter().all(|table| table.key != "spin_tails"));
    }
}
