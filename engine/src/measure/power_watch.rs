//! Watches the power source, the frequency governor and the power plan during a run.

use crate::platform::{self, Power, PowerSource, clock_nanos};

/// How often they are read: a change shows within seconds, and some laptops ask their firmware for it.
const EVERY_NANOS: i64 = 5_000_000_000;

/// The power as it was last read, and when it is read next.
#[derive(Debug)]
pub(super) struct PowerWatch {
    before: Power,
    next: i64,
}

impl PowerWatch {
    /// Reads it before the run.
    pub(super) fn start() -> Self {
        Self { before: platform::power(), next: clock_nanos() + EVERY_NANOS }
    }

    /// Whether it is time to read it again.
    pub(super) const fn is_due(&mut self, now: i64) -> bool {
        let is_due = self.next <= now;
        if is_due {
            self.next = now + EVERY_NANOS;
        }
        is_due
    }

    /// Whether the power is another one; the charge of a battery does not count.
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
        // An hour that is unplugged after 20 minutes, drains, and is plugged in after 40.
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
