//! Watches the power source, the frequency governor, and the power plan during a run.

use crate::platform::{self, Power, PowerSource, clock_nanos};

/// The interval of readings in nanoseconds: a change shows within 5 s. Readings are costly on some laptops.
const EVERY_NANOS: i64 = 5_000_000_000;

/// The last reading of the power, and when the next reading is due.
#[derive(Debug)]
pub(super) struct PowerWatch {
    before: Power,
    next: i64,
}

impl PowerWatch {
    /// Reads the power source, and the governor (Linux) or power plan (Windows), before the run.
    pub(super) fn start() -> Self {
        Self { before: platform::power(), next: clock_nanos() + EVERY_NANOS }
    }

    /// Returns whether a reading is due at the clock time `now`, and schedules the next one if it is.
    pub(super) const fn is_due(&mut self, now: i64) -> bool {
        let is_due = self.next <= now;
        if is_due {
            self.next = now + EVERY_NANOS;
        }
        is_due
    }

    /// Returns whether the power source, the governor, or the plan has changed. Ignores the charge of a battery.
    pub(super) fn has_changed(&mut self, now: Power) -> bool {
        let is_battery = |power: &Power| {
            power.source.map(|source| matches!(source, PowerSource::Battery { .. }))
        };
        let has_changed = is_battery(&now) != is_battery(&self.before)
            || now.governor_or_plan != self.before.governor_or_plan;
        self.before = now;
        has_changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power(source: Option<PowerSource>, plan: &str) -> Power {
        Power { source, governor_or_plan: Some(plan.to_owned()) }
    }

    #[test]
    fn a_change_of_the_power_source_is_noticed_within_seconds_of_a_long_trial() {
        let battery = |percent| Some(PowerSource::Battery { percent: Some(percent) });
        let mains = || power(Some(PowerSource::Mains), "performance");
        let mut watch = PowerWatch { before: mains(), next: 0 };
        // In one simulated hour, the laptop runs on battery from minute 20 to minute 40.
        let mut changes = Vec::new();
        for second in 0..3_600 {
            if watch.is_due(second * 1_000_000_000) {
                let now = match second {
                    0..1_200 | 2_400.. => mains(),
                    _ => power(battery(u8::try_from(90 - second / 60).unwrap()), "performance"),
                };
                if watch.has_changed(now) {
                    changes.push(second);
                }
            }
        }
        let [first, second] = changes.as_slice() else { panic!("{changes:?}") };
        assert!((1_200..=1_205).contains(first) && (2_400..=2_405).contains(second), "{changes:?}");
        assert!(watch.has_changed(power(Some(PowerSource::Mains), "powersave")));
        assert!(!watch.has_changed(power(Some(PowerSource::Mains), "powersave")));
    }
}
