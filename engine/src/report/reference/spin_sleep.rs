//! Output of the two experiments of spin_sleep: `native_sleep_accuracy` and `spin_strategy_latency`.

use std::time::Duration;

use super::ReferenceLine;
use crate::nanos::Nanos;
use crate::plan::Wait;
use crate::report::model::configuration::Configuration;
use crate::run::{Run, TrialRun, counter};
use crate::sample::Samples;

/// Sleeps of this length or longer are printed with three decimals, shorter ones with one.
const LONG_SLEEP: Nanos = Nanos::from_millis(1);

/// Returns two lines per configuration: `==> sleep 1ms` on standard error, and `average: …, best: …, worst: …`. The
/// layout has no place for absolute sleeps and finer timers.
pub(super) fn sleeps(run: &Run, rows: &[Configuration]) -> Vec<ReferenceLine> {
    sections(run, rows, None, |row, trials| {
        if row.wait != Wait::Relative || row.conditions.fine_timer {
            return None;
        }
        let actual: Vec<i64> =
            trials.iter().flat_map(|trial| trial.samples.actual_nanos()).collect();
        let [best, worst] =
            [actual.iter().min()?, actual.iter().max()?].map(|&nanos| duration(nanos.into()));
        let average = average(actual.iter().map(|&nanos| nanos.into()))?;
        let decimals = if row.period < LONG_SLEEP { 1 } else { 3 };
        Some(vec![
            ReferenceLine::error(format!("==> sleep {:?}", row.period.to_duration())),
            ReferenceLine::out(format!(
                "average: {average:.decimals$?}, best: {best:.decimals$?}, worst: \
                 {worst:.decimals$?}"
            )),
        ])
    })
}

/// Returns one line per configuration: `5ms    None          avg-spins: …  avg-actual: …`. The actual duration ends at
/// a second clock read, after the one that ends the wait.
pub(super) fn spins(run: &Run, rows: &[Configuration]) -> Vec<ReferenceLine> {
    sections(run, rows, Some("warming up..."), |row, trials| {
        let strategy = row.wait.strategy()?;
        let samples = || trials.iter().map(|trial| &trial.samples);
        let second_reading = samples().flat_map(|samples| {
            let both = samples.done_nanos().zip(samples.began_nanos());
            both.map(|(done, began)| i128::from(done) - i128::from(began))
        });
        let iterations = samples().flat_map(Samples::spins).map(i128::from);
        let count = samples().map(Samples::len).sum::<usize>();
        let average_spins = iterations.sum::<i128>() / i128::try_from(count).ok()?.max(1);
        let actual = average(second_reading)?;
        Some(vec![ReferenceLine::out(format!(
            "{:<6} {:<13} avg-spins: {average_spins:<8} avg-actual: {actual:?}",
            format!("{:?}", row.period.to_duration()),
            strategy.name(),
        ))])
    })
}

/// Returns the lines of all configurations, first idle and then under load, as two runs of the tool print them. If `of`
/// returns `None`, the layout has no place for a configuration, and a line on standard error names the configuration.
fn sections(
    run: &Run,
    rows: &[Configuration],
    preparing: Option<&str>,
    of: impl Fn(&Configuration, &[&TrialRun]) -> Option<Vec<ReferenceLine>>,
) -> Vec<ReferenceLine> {
    let mut lines = Vec::new();
    for is_idle in [true, false] {
        let mut section = Vec::new();
        for row in rows.iter().filter(|row| row.load.is_none() == is_idle) {
            let trials: Vec<&TrialRun> =
                row.trials.iter().filter_map(|&position| run.trials.get(position)).collect();
            if section.is_empty() {
                let threads = trials.first().and_then(|trial| {
                    trial.counters.get(counter::LOAD_THREADS).filter(|_| !is_idle)
                });
                let threads = threads.map(|threads| format!("Simulating {threads} thread load"));
                let preparing = preparing.map(str::to_owned);
                section.extend(threads.into_iter().chain(preparing).map(ReferenceLine::error));
            }
            section.extend(of(row, &trials).unwrap_or_else(|| {
                vec![ReferenceLine::error(format!("not in this layout: {}", row.label))]
            }));
        }
        lines.extend(section);
    }
    lines
}

/// Returns the mean in whole nanoseconds, rounded down; `None` without a value.
fn average(nanos: impl Iterator<Item = i128>) -> Option<Duration> {
    let (sum, count) = nanos.fold((0, 0), |(sum, count), nanos| (sum + nanos, count + 1));
    (0 < count).then(|| duration(sum / count))
}

/// Converts nanoseconds to a duration. A negative number becomes 0.
fn duration(nanos: i128) -> Duration {
    Duration::from_nanos(u64::try_from(nanos.max(0)).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_whole_nanoseconds_rounded_down() {
        assert_eq!(average([5, 6].into_iter()), Some(Duration::from_nanos(5)));
        assert_eq!(average(std::iter::empty()), None);
    }
}
