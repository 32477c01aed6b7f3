//! Output of latency2: one line at the start and then one per minute, in seconds with six decimals.

use std::collections::BTreeMap;

use super::ReferenceLine;
use crate::nanos::Nanos;
use crate::run::{Counters, Run, counter};

/// Time between two lines of a probe.
const INTERVAL: Nanos = Nanos::from_secs(60);

/// Returns one line per probe with the totals of the whole run, in the order of the trials. Before each line, a line on
/// standard error names the probe.
pub(super) fn lines(run: &Run) -> Vec<ReferenceLine> {
    let mut lines = Vec::new();
    for trial in &run.trials {
        lines.push(ReferenceLine::error(trial.trial.label.clone()));
        match line(&trial.counters) {
            Some(line) => lines.push(ReferenceLine::out(line)),
            None => lines.push(ReferenceLine::error("not measured")),
        }
    }
    lines
}

/// Selects the totals that are printed while a run is in progress: the first of each probe, and then one per minute.
#[derive(Debug, Default)]
pub struct LiveLines {
    /// The minute of the runtime in which the last line of each trial was printed, by the position of the trial.
    printed: BTreeMap<usize, i64>,
}

impl LiveLines {
    /// Returns the line for new totals; `None` if no line is due, or if the counters are not those of a gap probe.
    pub fn line(&mut self, trial: usize, counters: &Counters) -> Option<String> {
        let line = line(counters)?;
        let minute = runtime(counters)?.get() / INTERVAL.get();
        if self.printed.get(&trial).is_some_and(|&printed| minute <= printed) {
            return None;
        }
        self.printed.insert(trial, minute);
        Some(line)
    }
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
}
