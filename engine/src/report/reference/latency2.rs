//! Output of latency2: one line at the start and then one per minute, in seconds with six decimals.

use std::collections::BTreeMap;

use super::ReferenceLine;
use crate::nanos::Nanos;
use crate::run::{Counters, Run, TrialRun, counter};

/// Time between two lines of a probe.
const INTERVAL: Nanos = Nanos::from_secs(60);

/// Returns one line per probe with the totals of the whole run, in the order of the trials. If several probes ran, each
/// line begins with the label of its probe, unless `is_plain`; otherwise, a line on standard error names the probe
/// before its line.
pub(super) fn lines(run: &Run, is_plain: bool) -> Vec<ReferenceLine> {
    let labels: Vec<String> = run.trials.iter().map(|trial| trial.trial.label.clone()).collect();
    let live = LiveLines::new(labels, is_plain);
    let mut lines = Vec::new();
    for (position, trial) in run.trials.iter().enumerate() {
        let label = &trial.trial.label;
        match line(&trial.counters) {
            Some(line) => {
                if !live.is_labeled {
                    lines.push(ReferenceLine::error(label.clone()));
                }
                lines.push(ReferenceLine::out(live.labeled(position, line)));
            }
            None => lines.push(ReferenceLine::error(format!("{label}: not measured"))),
        }
    }
    lines
}

/// Selects the totals that are printed while a run is in progress: the first of each probe, and then one per minute.
#[derive(Debug, Default)]
pub struct LiveLines {
    /// The label of each trial.
    labels: Vec<String>,
    /// Whether each line begins with the label of its trial.
    is_labeled: bool,
    /// The minute of the runtime in which the last line of each trial was printed, by the position of the trial.
    printed: BTreeMap<usize, i64>,
}

impl LiveLines {
    /// Creates the selection for trials with these labels. If there are several, each line begins with the label of its
    /// trial, unless `is_plain`.
    pub fn new(labels: Vec<String>, is_plain: bool) -> Self {
        let is_labeled = 1 < labels.len() && !is_plain;
        Self { labels, is_labeled, printed: BTreeMap::new() }
    }

    /// Returns the line for new totals, as the tool prints it; `None` if no line is due, or if the counters are not
    /// those of a gap probe.
    pub fn line(&mut self, trial: usize, counters: &Counters) -> Option<String> {
        let line = line(counters)?;
        let minute = runtime(counters)?.get() / INTERVAL.get();
        if self.printed.get(&trial).is_some_and(|&printed| minute <= printed) {
            return None;
        }
        self.printed.insert(trial, minute);
        Some(line)
    }

    /// Returns a line of a trial, after the label of the trial where lines have labels: "CPU 1: diff …".
    pub fn labeled(&self, trial: usize, line: String) -> String {
        match self.labels.get(trial).filter(|_| self.is_labeled) {
            Some(label) => format!("{label}: {line}"),
            None => line,
        }
    }
}

/// Returns the line with the totals of a trial, as the tool prints it; `None` if it is not a gap probe with totals.
pub fn latency2_line(trial: &TrialRun) -> Option<String> {
    line(&trial.counters)
}

/// Returns the wall time of the probe, or the sum of all intervals if the file lacks the wall time.
fn runtime(counters: &Counters) -> Option<Nanos> {
    let wall = counters.get(counter::WALL_NANOS);
    wall.or_else(|| counters.get(counter::INTERVAL_SUM_NANOS)).copied().map(Nanos::new)
}

/// Formats `diff … avg … biggest … smallest … sumsq … count …, runtime …`; `None` if there are no totals.
fn line(counters: &Counters) -> Option<String> {
    let number = |name| counters.get(name).map(|&value| Nanos::new(value).as_f64());
    let seconds = |name| number(name).map(|nanos| nanos / 1e9);
    let count = number(counter::READINGS)?;
    let average = seconds(counter::INTERVAL_SUM_NANOS)? / count.max(1.0);
    Some(format!(
        "diff {:.6} avg {average:.6} biggest {:.6} smallest {:.6} sumsq {:.6} count {count:.6}, \
         runtime {:.6}",
        // Older files lack the last interval: the mean interval replaces it.
        seconds(counter::INTERVAL_LAST_NANOS).unwrap_or(average),
        seconds(counter::INTERVAL_MOST_NANOS)?,
        seconds(counter::INTERVAL_MIN_NANOS)?,
        number(counter::INTERVAL_SQUARES)? / 1e12,
        runtime(counters)?.as_secs(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(wall_secs: i64) -> Counters {
        let second = 1_000_000_000;
        [
            (counter::READINGS, 396_915_411),
            (counter::INTERVAL_SUM_NANOS, wall_secs * second),
            (counter::INTERVAL_LAST_NANOS, 1_000),
            (counter::INTERVAL_MOST_NANOS, 206_000),
            (counter::INTERVAL_MIN_NANOS, 40),
            (counter::INTERVAL_SQUARES, 26_000_000),
            (counter::WALL_NANOS, wall_secs * second + 2_000),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }

    #[test]
    fn line_is_that_of_the_reference() {
        let expected = "diff 0.000001 avg 0.000000 biggest 0.000206 smallest 0.000000 sumsq \
                        0.000026 count 396915411.000000, runtime 60.000002";
        assert_eq!(line(&totals(60)).as_deref(), Some(expected));
        assert_eq!(line(&Counters::new()), None);
    }

    #[test]
    fn live_lines_come_at_once_and_then_every_minute() {
        let mut live = LiveLines::default();
        let printed: Vec<i64> =
            (0..200).filter(|&second| live.line(3, &totals(second)).is_some()).collect();
        assert_eq!(printed, [0, 60, 120, 180]);
        assert!(live.line(4, &totals(7)).is_some(), "each probe has its own");
    }

    #[test]
    fn lines_have_labels_where_several_probes_run() {
        let check = |labels: &[&str], is_plain, expected: &str| {
            let labels = labels.iter().map(|&label| label.to_owned()).collect();
            assert_eq!(LiveLines::new(labels, is_plain).labeled(0, "diff".to_owned()), expected);
        };
        check(&["CPU 3", "CPU 4"], false, "CPU 3: diff");
        check(&["CPU 3", "CPU 4"], true, "diff");
        check(&["CPU 3"], false, "diff");
    }
}
