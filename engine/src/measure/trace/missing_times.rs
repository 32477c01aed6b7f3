//! Collects the times in which records may be missing, and saves those around late samples.

use std::collections::BTreeMap;

use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// A missing time that continues is saved in parts of this length, so that it survives a crash.
const PART: Nanos = Nanos::from_secs(10);

/// The times in which records of a CPU may be missing. Times that touch or overlap become one.
#[derive(Debug, Default)]
pub(super) struct MissingTimes {
    /// The last time of each CPU, which may still grow.
    last: BTreeMap<u32, (Nanos, Nanos)>,
    /// The times before, as records in the order in which they ended.
    pub(super) ended: Vec<TraceRecord>,
}

impl MissingTimes {
    /// Adds the time of an [`TraceEvent::Incomplete`] record.
    pub(super) fn add(&mut self, record: &TraceRecord) {
        let time = (record.at, record.at + Nanos::new(record.value.unwrap_or(0)));
        let Some(last) = self.last.get_mut(&record.cpu) else {
            self.last.insert(record.cpu, time);
            return;
        };
        if time.0 <= last.1 && last.0 <= time.1 {
            *last = (last.0.min(time.0), last.1.max(time.1));
        } else {
            let before = std::mem::replace(last, time);
            self.ended.push(incomplete(record.cpu, before));
        }
    }

    /// Ends the times that ended before `until`, and the parts before `until` of long ones.
    pub(super) fn end(&mut self, until: Nanos) {
        let Self { last, ended } = self;
        last.retain(|cpu, (from, to)| {
            let is_over = *to < until;
            if is_over {
                ended.push(incomplete(*cpu, (*from, *to)));
            } else if PART <= until - *from {
                ended.push(incomplete(*cpu, (*from, until)));
                *from = until;
            }
            !is_over
        });
    }
}

fn incomplete(cpu: u32, (from, to): (Nanos, Nanos)) -> TraceRecord {
    let value = Some((to - from).get());
    TraceRecord { value, ..TraceRecord::new(from, TraceEvent::Incomplete, cpu) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_touch_are_one_and_long_ones_are_saved_in_parts() {
        let mut times = MissingTimes::default();
        let at = Nanos::from_millis;
        let add = |times: &mut MissingTimes, cpu, from, to| {
            times.add(&incomplete(cpu, (at(from), at(to))));
        };
        add(&mut times, 1, 100, 200);
        add(&mut times, 1, 200, 250);
        add(&mut times, 1, 150, 260);
        add(&mut times, 0, 200, 210);
        assert_eq!(times.ended, []);
        add(&mut times, 1, 300, 310);
        assert_eq!(times.ended, [incomplete(1, (at(100), at(260)))]);
        times.end(at(250));
        assert_eq!(times.ended[1..], [incomplete(0, (at(200), at(210)))]);
        add(&mut times, 1, 310, 12_000);
        times.end(at(10_200));
        assert_eq!(times.ended.len(), 2);
        times.end(at(11_000));
        assert_eq!(times.ended[2..], [incomplete(1, (at(300), at(11_000)))]);
        times.end(Nanos::MAX);
        assert_eq!(times.ended[3..], [incomplete(1, (at(11_000), at(12_000)))]);
    }
}
