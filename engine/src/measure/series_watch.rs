//! Reads values over time during a trial: CPU use of other programs, steal, interrupts, frequency, and temperature.

use crate::nanos::Nanos;
use crate::platform::{self, MachineCpuTime, clock_nanos};
use crate::run::series_name;

/// The minimum interval between values. Busy time is counted in ticks of 10 ms, so a shorter one would be inexact.
const INTERVAL: Nanos = Nanos::from_millis(250);
/// Maximum number of values in a series of a trial that ends at its planned length.
const MAX_VALUES: i64 = 2_400;

/// Reads the values of a series at intervals, on the collector's thread.
#[derive(Debug)]
pub(super) struct SeriesWatch {
    interval: i64,
    before: Option<WatchMark>,
    /// The CPU whose frequency is read: that of the measuring thread. `None` if several trials run at the same time.
    pub(super) cpu: Option<u32>,
}

/// The counters of the system at one time.
#[derive(Clone, Copy, Debug)]
struct WatchMark {
    at: i64,
    machine: Option<MachineCpuTime>,
    ours: Option<i64>,
    interrupts: Option<u64>,
}

impl WatchMark {
    fn now() -> Self {
        Self {
            machine: platform::machine_cpu_time(),
            ours: platform::process_cpu_nanos(),
            interrupts: platform::interrupt_count(),
            at: clock_nanos(),
        }
    }
}

impl SeriesWatch {
    /// Creates a watch for trials of this length; nothing is read yet.
    pub(super) fn start(length: Nanos) -> Self {
        let interval = INTERVAL.get().max(length.get() / MAX_VALUES);
        Self { interval, before: None, cpu: None }
    }

    /// Returns the names and values since the last reading; empty before the next reading is due, and at the first one.
    pub(super) fn look(&mut self) -> Vec<(&'static str, i64)> {
        if self.before.is_some_and(|before| clock_nanos() - before.at < self.interval) {
            return Vec::new();
        }
        let now = WatchMark::now();
        let Some(before) = self.before.replace(now) else { return Vec::new() };
        let mut values = between(&before, &now);
        let khz = self.cpu.and_then(platform::cpu_khz).and_then(|khz| i64::try_from(khz).ok());
        values.extend(khz.map(|khz| (series_name::FREQUENCY, khz)));
        let degrees = platform::cpu_millicelsius();
        values.extend(degrees.map(|celsius| (series_name::TEMPERATURE, celsius)));
        values
    }
}

/// Returns the increase of the counters between two marks as rates, by name of the series.
fn between(before: &WatchMark, now: &WatchMark) -> Vec<(&'static str, i64)> {
    let wall = (now.at - before.at).max(1);
    let permille = |nanos: i64| nanos.max(0).saturating_mul(1_000) / wall;
    let mut values = Vec::new();
    if let (Some(was), Some(is)) = (before.machine, now.machine) {
        if let (Some(ours_before), Some(ours)) = (before.ours, now.ours) {
            let others = is.programs() - was.programs() - (ours - ours_before);
            values.push((series_name::OTHER_PROGRAMS, permille(others)));
        }
        if let (Some(was), Some(is)) = (was.steal, is.steal) {
            values.push((series_name::STEAL, permille(is - was)));
        }
        // A kernel that does not measure interrupt time reports 0 at all times.
        if let (Some(was), Some(is)) = (was.interrupt, is.interrupt.filter(|is| 0 < *is)) {
            values.push((series_name::INTERRUPT_TIME, permille(is - was)));
        }
    }
    if let (Some(was), Some(is)) = (before.interrupts, now.interrupts) {
        // On some systems the count wraps around to 0; such an interval gives no value.
        if let Some(count) = is.checked_sub(was).and_then(|count| i64::try_from(count).ok()) {
            values.push((series_name::INTERRUPTS, count.saturating_mul(1_000_000_000) / wall));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(at: i64, busy: i64, steal: i64, ours: i64, interrupts: u64) -> WatchMark {
        let machine = MachineCpuTime { busy, steal: Some(steal), interrupt: Some(at / 10) };
        let machine = Some(machine);
        WatchMark { at, machine, ours: Some(ours), interrupts: Some(interrupts) }
    }

    #[test]
    fn values_are_rates_of_what_was_counted_between() {
        let milli = 1_000_000;
        let (before, now) =
            (mark(0, 0, 0, 0, 50), mark(250 * milli, 200 * milli, 25 * milli, 100 * milli, 800));
        let expected = [
            (series_name::OTHER_PROGRAMS, 200),
            (series_name::STEAL, 100),
            (series_name::INTERRUPT_TIME, 100),
            (series_name::INTERRUPTS, 3_000),
        ];
        assert_eq!(between(&before, &now), expected);
        let unknown = WatchMark { machine: None, interrupts: None, ..now };
        assert_eq!(between(&before, &unknown), [], "what is not reported is not zero");
    }

    #[test]
    fn a_long_trial_has_no_more_values_than_a_short_one() {
        assert_eq!(SeriesWatch::start(Nanos::from_secs(30)).interval, INTERVAL.get());
        let day = SeriesWatch::start(Nanos::from_secs(86_400));
        assert_eq!(day.interval, 36_000_000_000);
        assert_eq!(SeriesWatch::start(Nanos::ZERO).look(), [], "a first look has none before");
    }
}
